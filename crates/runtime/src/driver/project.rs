//! The project as the driver's session has it: looked at when it opens, and again when a file that was read is another.
//!
//! Owns when it is looked at. Never looks while nothing asks for it.

use std::time::Duration;

use pilothouse_core::{
    input::Input,
    plan::GateDraft,
    policy::{Outcome, Request},
    shell::Act,
    trust::Trust,
    work::WorkKey,
};

use tokio::{
    sync::{mpsc, oneshot},
    time::{Instant, sleep_until, timeout_at},
};

use super::{Driver, Inbound};
use crate::{
    project::{Grounds, Project},
    surroundings,
};

/// How long the first input waits for git.
const GIT_WAIT: Duration = Duration::from_secs(2);
/// How long a message waits for a look at the files.
const LOOK_WAIT: Duration = Duration::from_secs(1);

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

    /// Asks git where the folder stands.
    pub(super) fn ask_git(&self) {
        let (folder, inbound) = (self.at.root.path().to_owned(), self.inbound.clone());
        self.tasks.spawn(async move {
            let branch = surroundings::branch(&folder).await;
            drop(inbound.send(Inbound::Branch(branch)).await);
        });
    }

    /// What is looked at before an input is heard.
    pub(super) async fn look_first(
        &mut self,
        results: &mut mpsc::Receiver<Inbound>,
        inputs: &mut Vec<(Input, bool)>,
    ) {
        self.hear_git(results, inputs).await;
        self.see_files(results, inputs).await;
        self.see_brought(results, inputs).await;
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

    /// Where a gate says that it is green, the files are looked at before a message is heard: an editor may have
    /// changed them. A look that takes longer tells nothing, since what it saw may be gone by then.
    async fn see_files(&mut self, results: &mut mpsc::Receiver<Inbound>, inputs: &mut Vec<(Input, bool)>) {
        let Some(said) = inputs.iter().position(|(input, _)| matches!(input, Input::Say { .. })) else {
            return;
        };
        if !self.at.session.state().rests_on_files() || self.changes_files() {
            return;
        }
        let (workshop, (told, mut seen)) = (self.kit.workshop.clone(), oneshot::channel());
        self.tasks.spawn(async move {
            // Nobody waits any more where it took too long.
            let _ = told.send(workshop.tree().await);
        });
        let until = Instant::now() + LOOK_WAIT;
        loop {
            tokio::select! {
                tree = &mut seen => {
                    let tree = tree.ok().flatten();
                    inputs.splice(said..said, tree.map(|tree| (Input::FilesSeen { tree }, false)));
                    return;
                }
                Some(result) = results.recv() => self.result(result, inputs),
                () = sleep_until(until) => return,
            }
        }
    }

    /// What a folder's trust rests on is looked at before a message is heard: it may have changed while the session is
    /// open, and then a yes to what it was says nothing.
    async fn see_brought(&mut self, results: &mut mpsc::Receiver<Inbound>, inputs: &mut Vec<(Input, bool)>) {
        let said = inputs.iter().position(|(input, _)| matches!(input, Input::Say { .. }));
        let survey = &self.at.trust.1;
        let Some(said) = said.filter(|_| survey.standing.trust == Trust::Kept) else { return };
        let (brought, root) = (survey.brought.clone(), self.at.root.path().to_owned());
        let (tasks, (told, mut seen)) = (self.tasks.clone(), oneshot::channel());
        self.tasks.spawn(async move {
            let looked = tasks.blocking(move || brought.still_holds(&root)).await;
            // Nobody waits any more where it took too long.
            let _ = told.send(looked.ok().and_then(Result::err));
        });
        let until = Instant::now() + LOOK_WAIT;
        loop {
            tokio::select! {
                path = &mut seen => {
                    let path = path.ok().flatten();
                    let changed = path.map(|path| (Input::BroughtChanged { path }, false));
                    inputs.splice(said..said, changed);
                    return;
                }
                Some(result) = results.recv() => self.result(result, inputs),
                () = sleep_until(until) => return,
            }
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
    }
}
