//! The run of a plan came to a place where it stops to ask.

use serde::{Deserialize, Serialize};

use super::{Accept, Act, Asked, Choice, Lone, Question, Role, Spec, Ties, wrong};
use crate::{checkpoint::Answer, clean::Clean, plan::Pause, refusal::Refusal};

/// A run stopped where its plan says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Paused {
    /// Where.
    pub at: Pause,
    /// What it came to, where a limit was passed: lines, or millionths of a US dollar.
    #[serde(default)]
    pub came_to: u64,
}

const GO_ON: &[&str] = &[
    "g",
    "go on",
    "go ahead",
    "keep going",
    "carry on",
    "continue",
    "c",
    "proceed",
    "resume",
    "y",
    "yes",
    "ok",
    "okay",
];

impl Question for Paused {
    fn choices(&self) -> Vec<Choice> {
        vec![
            Choice::new("g", "go on", Act::Give(Answer::Continue)).words(GO_ON).role(Role::Take),
            Choice::new("e", "edit the plan", Act::Say("`edit` opens the plan in your editor")),
            Choice::new("q", "stop", Act::Give(Answer::Abort))
                .words(&["q", "quit", "stop", "abort", "cancel", "n", "no"])
                .role(Role::Deny),
        ]
    }

    fn describe(&self, spec: &mut Spec, asked: &Asked<'_>) {
        spec.title = Clean::line(&self.at.reason(asked.plan, self.came_to));
        spec.text = spec.title.clone();
        spec.tag = "pause";
    }

    fn ties(&self) -> Ties {
        Ties { phase_own: true, comes_back: true, ..Ties::default() }
    }
}

impl Accept for Paused {
    type Answer = Lone;

    fn accept(&self, given: Answer) -> Result<Lone, Refusal> {
        match given {
            Answer::Continue | Answer::Approve => Ok(Lone::Yes),
            Answer::Abort | Answer::Reject(_) => Ok(Lone::No),
            _ => Err(wrong()),
        }
    }
}
