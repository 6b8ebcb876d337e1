//! Leave although something runs?

use serde::{Deserialize, Serialize};

use super::{Accept, Act, Asked, Card, Choice, Question, Role, Spec, wrong};
use crate::{
    checkpoint::{Answer, Checkpoint},
    clean::Clean,
    refusal::Refusal,
};

/// The user wants to leave, and something runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exit {
    /// The question whose place it takes: that one is asked again when they stay.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held: Option<Box<Checkpoint>>,
}

/// Whether they do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitAnswer {
    /// What runs is stopped.
    Leave,
    /// It goes on.
    Stay,
}

impl Exit {
    /// It in words.
    pub fn text(running: bool, stake: &[String]) -> String {
        match (running, stake) {
            (false, []) => "Leave? Nothing is at stake any more".to_owned(),
            (true, _) => format!("Stop and leave? Kept: {}", stake.join("; ")),
            (false, _) => format!("Leave? Kept: {}", stake.join("; ")),
        }
    }
}

impl Question for Exit {
    fn choices(&self) -> Vec<Choice> {
        let leave = Choice::new("y", "leave", Act::Give(Answer::Approve));
        let stay = Choice::new("n", "stay", Act::Give(Answer::Reject(String::new())));
        vec![leave.words(&["y", "yes"]).role(Role::Take), stay.words(&["n", "no"])]
    }

    /// What is at stake changes while the question stands: it is told as it is now.
    fn describe(&self, spec: &mut Spec, asked: &Asked<'_>) {
        spec.text = Clean::line(&Self::text(asked.running, asked.stake));
        spec.title = spec.text.clone();
    }

    fn is_phase_own(&self) -> bool {
        true
    }

    /// Whoever is asked is there: they are about to leave.
    fn alerts(&self) -> bool {
        false
    }

    fn card(&self) -> Card {
        Card::Nothing
    }
}

impl Accept for Exit {
    type Answer = ExitAnswer;

    fn accept(&self, given: Answer) -> Result<ExitAnswer, Refusal> {
        match given {
            Answer::Approve => Ok(ExitAnswer::Leave),
            Answer::Reject(_) => Ok(ExitAnswer::Stay),
            _ => Err(wrong()),
        }
    }
}
