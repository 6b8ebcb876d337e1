//! Control files around one command: looked at before and after, put back, told.
//!
//! Owns what is said of it. A command that changed one has failed, whatever it says itself; one that
//! was allowed to run outside the sandbox keeps its changes, and they are named.

use std::path::PathBuf;

use pilothouse_core::{
    sandbox::Confine,
    tool::{Advice, ToolOutcome},
};

use crate::guard::{Before, Guard, Repair};

/// Names that are told one by one.
const TOLD: usize = 6;

/// What was there before a command that may write.
#[derive(Debug)]
pub(super) struct ControlFileGuard(Option<Before>);

impl ControlFileGuard {
    /// Looks before a command; not before one that can only read.
    pub async fn before(guard: &Guard, confine: Confine) -> Self {
        if matches!(confine, Confine::Inside { write: false, .. }) {
            return Self(None);
        }
        let guard = guard.clone();
        Self(tokio::task::spawn_blocking(move || guard.before()).await.ok())
    }

    /// What a sandbox of mounts can hold as it is.
    pub fn kept(&self) -> Vec<PathBuf> {
        self.0.as_ref().map(Before::kept).unwrap_or_default()
    }

    /// Looks after the command, when nothing of it lives any more.
    pub async fn after(
        self,
        guard: &Guard,
        confine: Confine,
        mounts: bool,
        outcome: ToolOutcome,
    ) -> ToolOutcome {
        let Some(before) = self.0 else { return outcome };
        let guard = guard.clone();
        let looked = tokio::task::spawn_blocking(move || match confine {
            Confine::Outside => {
                unsettled(guard.put_back_spared(&before), told(&guard.changed(&before), outcome))
            }
            Confine::Bare => {
                unsettled(guard.put_back_spared(&before), mended(guard.put_back(&before, false), outcome))
            }
            Confine::Inside { .. } => {
                unsettled(guard.put_back_spared(&before), mended(guard.put_back(&before, mounts), outcome))
            }
        });
        looked.await.unwrap_or_else(|e| {
            tracing::error!(error = %e, "control files could not be looked at");
            ToolOutcome::failure("the command ended, but what it did to control files is not known")
        })
    }
}

/// What a command outside the sandbox did.
fn told(changed: &[String], mut outcome: ToolOutcome) -> ToolOutcome {
    if !changed.is_empty() {
        let text = format!("The command changed control files: {}.", list(changed));
        outcome.text = format!("{}\n({text})", outcome.text);
        outcome.notice = Some(text);
    }
    outcome
}

/// What was put back after a command.
fn mended(repair: Option<Repair>, outcome: ToolOutcome) -> ToolOutcome {
    let what = "A control file steers an agent or makes a program run by itself.";
    let way = Advice {
        model: format!(
            "({what} Propose a change with edit or write, which asks for it by name; or, if the command must do it, run \
             it with \"outside\": true and a \"reason\".)"
        ),
        user: format!("({what} If this command is to change it, {}.)", super::refusal::OUTSIDE),
    };
    put_back(repair, ("Control files", "control files"), way, outcome)
}

/// What was put back of a write that an earlier session did not end.
fn unsettled(repair: Option<Repair>, outcome: ToolOutcome) -> ToolOutcome {
    let why = "Nobody writes them before that session is opened and its write is settled.";
    let way = Advice {
        model: format!("({why} Leave them alone and tell the user.)"),
        user: format!("({why} `/resume` opens it.)"),
    };
    put_back(
        repair,
        ("Files of an unfinished write of an earlier session", "files of an unfinished write"),
        way,
        outcome,
    )
}

fn put_back(
    repair: Option<Repair>,
    (what, short): (&str, &str),
    way: Advice,
    mut outcome: ToolOutcome,
) -> ToolOutcome {
    let Some(repair) = repair else { return outcome };
    let mut text = String::new();
    if !repair.files.is_empty() {
        text.push_str(&format!("{what} were changed and put back: {}.", list(&repair.files)));
    }
    if !repair.lost.is_empty() {
        text.push_str(&format!(" {what} were changed and could NOT be put back: {}.", list(&repair.lost)));
    }
    let text = text.trim().to_owned();
    outcome.text = format!("the command counts as failed. {text}\n{}", outcome.text);
    outcome.advice.insert(0, way);
    outcome.summary = format!("{}, {short} put back", outcome.summary);
    outcome.failed = true;
    if let Some(exit) = &mut outcome.exit {
        exit.put_back = true;
    }
    let kept =
        repair.kept.map(|k| format!(" What stood there is kept in {}.", k.display())).unwrap_or_default();
    let before = outcome.notice.take().map(|n| format!("{n} ")).unwrap_or_default();
    outcome.notice = Some(format!("{before}{text}{kept}"));
    outcome
}

fn list(names: &[String]) -> String {
    let mut text = names.iter().take(TOLD).cloned().collect::<Vec<_>>().join(", ");
    if names.len() > TOLD {
        text.push_str(&format!(" and {} more", names.len() - TOLD));
    }
    text
}
