//! Hooks in a running session: which are in force, and running one that the session calls.
//!
//! Owns the look at a project's hook before each run: what was trusted is what runs. Never decides
//! what its end means.

use std::path::PathBuf;

use pilothouse_core::{
    blob::BlobId,
    event::{Event, Stamped},
    hook::{HookOutcome, HookStatus, Occasion, Origin},
    ids::{CallId, Millis, Seq},
    input::Input,
    intent::IntentPath,
    work::WorkKey,
};
use pilothouse_tools::HookCall;
use tokio_util::sync::CancellationToken;

use super::{Driver, Setup, port::Stored};
use crate::{
    context::Texts,
    error::RuntimeError,
    hooks::{self, Definition, Facts},
    trust::{Brought, Folder, Survey},
};

/// So many events are looked through for the line of a command that ended.
const LOOKED_BACK: usize = 4096;

/// The hooks in force: the user's own, and the project's where the folder is trusted.
pub(super) fn in_force(
    setup: &Setup,
    folder: &Folder,
    survey: &Survey,
) -> Result<Vec<Definition>, RuntimeError> {
    let mut all = hooks::of_user(&setup.home)?;
    if survey.standing.trust.holds() {
        all.extend(survey.brought.hooks(&folder.root)?);
    }
    Ok(all)
}

impl Driver {
    /// Runs a hook that the session called for an event.
    pub(super) fn hook(
        &self,
        key: WorkKey,
        call: CallId,
        hook: BlobId,
        of: Seq,
        path: &IntentPath,
        cancel: CancellationToken,
    ) {
        let ready = self.hook_call(hook, of, path);
        let workshop = self.kit.workshop.clone();
        self.spawn(key, Some(call), None, async move {
            let outcome = match ready {
                Ok((hook, trusted)) => match still_trusted(trusted).await {
                    Ok(()) => workshop.hook(hook, cancel).await,
                    Err(why) => unable(why),
                },
                Err(why) => unable(why),
            };
            Input::HookEnded { call, outcome }
        });
    }

    /// Everything that a hook is run with; for a project's also what must still be as it was trusted.
    fn hook_call(
        &self,
        hook: BlobId,
        of: Seq,
        path: &IntentPath,
    ) -> Result<(HookCall, Option<(Brought, PathBuf)>), String> {
        let known = self.at.hooks.iter().find(|d| d.hook.id == hook);
        let definition = known.ok_or("it is not known any more")?;
        let texts = Stored { log: &self.at.log, blobs: &self.at.blobs };
        let event = texts.event(of).ok_or("the event that it was called for cannot be read")?;
        let state = self.at.session.state();
        let trusted = match definition.hook.origin {
            Origin::User => None,
            Origin::Project if state.trust.holds() => {
                Some((self.at.trust.1.brought.clone(), self.at.trust.0.root.clone()))
            }
            Origin::Project => return Err("the folder is not trusted".to_owned()),
        };
        let command = self.command_of(&event, &texts);
        let on: Occasion = definition.hook.on;
        let facts = Facts::of(on, &event, path, state, command.as_deref());
        let mut env = definition.env.clone();
        env.extend(facts.env);
        let (line, requires, timeout) =
            (definition.run.clone(), definition.requires.clone(), definition.timeout);
        Ok((HookCall { line, env, input: facts.input, requires, timeout }, trusted))
    }

    /// The whole line of a command that is about to run.
    /// The line of a command that is about to run, or ended: as its call has it, which may be over by then.
    fn command_of(&self, of: &Stamped, texts: &Stored<'_>) -> Option<String> {
        let (Event::CallStarted { call, .. } | Event::CommandExited { call, .. }) = &of.event else {
            return None;
        };
        if let Some((_, open)) = self.at.session.state().open_call(*call) {
            return open.run().map(|run| run.command.clone());
        }
        let before = (1..of.seq.0).rev().take(LOOKED_BACK).map_while(|seq| texts.event(Seq(seq)));
        before.map(|e| e.event).find_map(|event| {
            if let Event::CallStarted { call: started, subject, .. } = event
                && started == *call
            {
                return Some(subject);
            }
            None
        })
    }
}

/// Whether what a project's hook runs is still what was trusted.
async fn still_trusted(trusted: Option<(Brought, PathBuf)>) -> Result<(), String> {
    let Some((brought, root)) = trusted else { return Ok(()) };
    let looked = tokio::task::spawn_blocking(move || brought.still_holds(&root)).await;
    match looked {
        Ok(Ok(())) => Ok(()),
        Ok(Err(path)) => Err(format!("{path} changed since the folder was trusted; /trust shows what")),
        Err(_) => Err("a part of the program failed".to_owned()),
    }
}

fn unable(summary: impl Into<String>) -> HookOutcome {
    HookOutcome {
        status: HookStatus::Unable,
        summary: summary.into(),
        output: String::new(),
        took: Millis(0),
    }
}
