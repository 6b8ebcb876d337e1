//! The project as the driver's session has it: looked at when it opens, and again when a file that was read is another.
//!
//! Owns when it is looked at. Never looks while nothing asks for it.

use std::{sync::Arc, time::Duration};

use pilothouse_core::{
    blob::BlobId,
    input::Input,
    plan::GateDraft,
    policy::{Outcome, Request},
    port::{self, Update},
    shell::Act,
    trust::Trust,
    work::WorkKey,
};

use tokio::{
    sync::{mpsc, oneshot},
    time::{Instant, sleep_until, timeout_at},
};

use super::{Driver, Inbound, rules::Takes};
use crate::{
    context::Git,
    project::{FolderFiles, Grounds, Project, SearchPath},
    surroundings,
};

/// How long the first input waits for git.
const GIT_WAIT: Duration = Duration::from_secs(2);
/// How long a message waits for a look at the files.
pub(super) const LOOK_WAIT: Duration = Duration::from_secs(1);

impl Driver {
    /// Does something with what a look at the project begins with.
    pub(super) fn with_grounds<T>(&self, look: impl FnOnce(&Grounds<'_>) -> T) -> T {
        let (session, environment) = (&self.at.session, &self.setup.environment);
        let may_read = |path: &str| {
            let request = Request::Path { act: Act::Read, path: path.to_owned() };
            let decision = session.policy().decide(&request, &session.state().setting());
            decision.ruling.outcome == Outcome::Run
        };
        look(&Grounds {
            root: self.at.root.path(),
            path: environment.get("PATH").unwrap_or_default(),
            environment: environment.get("VIRTUAL_ENV"),
            shell: environment.get("SHELL").unwrap_or_default(),
            secrets: &self.at.config.secrets,
            may_read: &may_read,
        })
    }

    /// Looks at the project; what a plan is held to that brings no gates follows from it.
    pub(super) fn look_at_project(&mut self) {
        let looked = self.with_grounds(Project::look);
        self.project = looked.going_on_from(&self.project);
        self.set_gates();
        let told = self.project.instructions().map(|i| i.path.clone());
        self.around_is(|around| around.instructions = told);
    }

    /// Looks at what others may have changed: where git stands, and the files of what is up for review.
    pub(super) fn look_around(&mut self) {
        self.ask_git();
        self.look_at_reviews();
    }

    /// Asks git where the folder stands.
    fn ask_git(&self) {
        let (folder, inbound) = (self.at.root.path().to_owned(), self.inbound.clone());
        self.tasks.spawn(async move {
            let branch = surroundings::branch(&folder).await;
            drop(inbound.send(Inbound::Branch(branch)).await);
        });
    }

    /// Where git stands, as a model is told of it: the branch may be another one since git was asked.
    pub(super) fn git_now(&self) -> Git {
        if self.around.refused.is_some() {
            return Git::Unknown;
        }
        match surroundings::told(self.at.root.path(), self.around.branch.as_deref()) {
            Some(told) => Git::On(self.at.config.secrets.mask(&told).into_owned()),
            None if surroundings::is_repository(self.at.root.path()) => Git::Unknown,
            None => Git::Outside,
        }
    }

    /// Looks what an input is decided by: at a message what there is to search the web with, at this and the end of a call
    /// the branch as the log keeps it, which is what git's own files say.
    pub(super) fn see_ground(&mut self, input: &Input) {
        if matches!(input, Input::Say { .. }) {
            self.look_for_web();
        } else if !matches!(input, Input::ToolEnded { .. }) {
            return;
        }
        let head = surroundings::head(self.at.root.path()).filter(|_| self.around.refused.is_none());
        self.at.session.set_branch(head.map(|name| self.at.config.secrets.mask(&name).into_owned()));
    }

    /// What git said.
    pub(super) fn on_branch(&mut self, branch: surroundings::Branch) {
        self.project.on_branch(&branch);
        let name = branch.name.map(|n| self.at.config.secrets.mask(&n).into_owned());
        let refused = branch.refused.map(|why| self.at.config.secrets.mask(&why).into_owned());
        if let Some(why) = refused.as_ref().filter(|_| self.around.refused.is_none()) {
            self.outbox.send(Update::Notice(why.clone()));
        }
        self.around_is(|around| {
            (around.branch, around.dirty, around.refused) = (name, branch.dirty, refused);
        });
    }

    /// What is looked at before an input is heard.
    pub(super) async fn look_first(
        &mut self,
        (requests, results): (&mut mpsc::Receiver<port::Request>, &mut mpsc::Receiver<Inbound>),
        inputs: &mut Vec<(Input, bool)>,
    ) {
        if !inputs.is_empty() {
            let takes = if inputs.iter().any(|(_, asked)| *asked) { Takes::All } else { Takes::Narrower };
            self.look_at_rules_again(takes);
            self.look_at_trust_again(takes, inputs);
        }
        self.hear_git(results, inputs).await;
        self.see_given(inputs).await;
        self.see_around(results, inputs).await;
        self.see_facts((requests, results), inputs).await;
    }

    /// What git says first is told a model before it looks: the first input waits for it, but no longer than a moment.
    async fn hear_git(&mut self, results: &mut mpsc::Receiver<Inbound>, inputs: &mut Vec<(Input, bool)>) {
        let until = Instant::now() + GIT_WAIT;
        while !inputs.is_empty() && self.project.awaits_git() {
            match timeout_at(until, results.recv()).await {
                Ok(Some(result)) => self.result(result, inputs),
                Ok(None) | Err(_) => self.project.tell(),
            }
        }
    }

    /// What a message is heard with is looked at before: what a gate says of the files, and what trust rests on. Both looks
    /// go on at once, and the message waits for them no longer than a moment.
    async fn see_around(&mut self, results: &mut mpsc::Receiver<Inbound>, inputs: &mut Vec<(Input, bool)>) {
        let Some(said) = inputs.iter().position(|(input, _)| matches!(input, Input::Say { .. })) else {
            return;
        };
        let looks = [self.see_files(), self.see_brought()];
        let (until, mut found) = (Instant::now() + LOOK_WAIT, Vec::new());
        for mut look in looks.into_iter().flatten() {
            let seen = loop {
                tokio::select! {
                    seen = &mut look => break seen.ok(),
                    Some(result) = results.recv() => self.result(result, inputs),
                    () = sleep_until(until) => {
                        // What comes later finds nobody who waits; what is there already was in time.
                        look.close();
                        break look.try_recv().ok();
                    }
                }
            };
            found.extend(seen.flatten());
        }
        inputs.splice(said..said, found.into_iter().map(|input| (input, false)));
    }

    /// Where a gate says that it is green, the files are looked at: an editor may have changed them. A look that takes
    /// longer tells nothing, since what it saw may be gone by then.
    fn see_files(&self) -> Option<oneshot::Receiver<Option<Input>>> {
        if !self.at.session.state().rests_on_files() || self.changes_files() {
            return None;
        }
        let (workshop, (told, seen)) = (self.kit.workshop.clone(), oneshot::channel());
        self.tasks.spawn(async move {
            // Nobody waits any more where it took too long.
            let _ = told.send(workshop.tree().await.map(|tree| Input::FilesSeen { tree }));
        });
        Some(seen)
    }

    /// What a folder's trust rests on is looked at: it may have changed while the session is open, and then a yes to what
    /// it was says nothing. A look that takes longer is told when it ends.
    fn see_brought(&self) -> Option<oneshot::Receiver<Option<Input>>> {
        let survey = &self.at.trust.1;
        if survey.standing.trust != Trust::Kept {
            return None;
        }
        let (brought, root) = (survey.brought.clone(), self.at.root.path().to_owned());
        let (tasks, inbound, (told, seen)) = (self.tasks.clone(), self.inbound.clone(), oneshot::channel());
        self.tasks.spawn(async move {
            let of = brought.of;
            let looked = tasks.blocking(move || brought.still_holds(&root)).await;
            tell(of, looked.ok().and_then(Result::err), told, &inbound).await;
        });
        Some(seen)
    }

    /// A look at what trust rests on ended after the message was heard: what it says is of what was trusted then.
    pub(super) fn brought_changed(&self, of: BlobId, path: String, inputs: &mut Vec<(Input, bool)>) {
        if self.at.trust.1.brought.of == of {
            inputs.push((Input::BroughtChanged { path }, false));
        }
    }

    /// Whether something is at work that may change files.
    fn changes_files(&self) -> bool {
        let changes = |key: &WorkKey| {
            matches!(key, WorkKey::Tool(_) | WorkKey::Hook(_) | WorkKey::Write(_) | WorkKey::Revert(..))
        };
        self.running.keys().any(changes)
    }

    /// Looks again where what was read is not what it was.
    pub(super) fn look_again(&mut self) {
        if self.project.is_stale() {
            self.look_at_project();
        }
    }

    /// Hands the session the gates of plans that bring none: those of the settings, else what was found.
    pub(super) fn set_gates(&mut self) {
        let settings = &self.at.config.gates;
        let named = |command: &String| GateDraft {
            found: false,
            name: "check (settings)".to_owned(),
            command: command.clone(),
            after: Vec::new(),
        };
        let gates = match (&settings.commands[..], settings.found) {
            ([], true) => self.project.gates(),
            ([], false) => Vec::new(),
            (commands, _) => commands.iter().map(named).collect(),
        };
        self.at.session.set_gates(gates);
        let programs = SearchPath::of(&self.setup.environment, self.at.root.path());
        self.at.session.set_programs(Arc::new(programs));
        self.at.session.set_files(Arc::new(FolderFiles(self.at.root.path().to_owned())));
    }
}

/// Tells whom waits for it which file changed; where nobody does any more, the session as soon as it can hear it.
async fn tell(
    of: BlobId,
    changed: Option<String>,
    told: oneshot::Sender<Option<Input>>,
    inbound: &mpsc::Sender<Inbound>,
) {
    let late = told.send(changed.map(|path| Input::BroughtChanged { path })).err().flatten();
    if let Some(Input::BroughtChanged { path }) = late {
        drop(inbound.send(Inbound::Brought(of, path)).await);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_was_seen_too_late_for_a_message_is_told_after_it() {
        let (inbound, mut results) = mpsc::channel(1);
        let of = BlobId::of(b"trusted");
        for changed in [None, Some("hook.sh".to_owned())] {
            let (told, seen) = oneshot::channel();
            tell(of, changed.clone(), told, &inbound).await;
            let waited = seen.await.unwrap();
            assert_eq!(waited, changed.clone().map(|path| Input::BroughtChanged { path }));
            assert!(results.try_recv().is_err(), "it is told once");
            let (told, seen) = oneshot::channel();
            drop(seen);
            tell(of, changed.clone(), told, &inbound).await;
            let late = results.try_recv().ok();
            let late =
                late.and_then(|l| if let Inbound::Brought(of, path) = l { Some((of, path)) } else { None });
            assert_eq!(late, changed.map(|path| (of, path)));
        }
    }
}
