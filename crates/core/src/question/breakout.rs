//! Leave a paused pipeline?

use serde::{Deserialize, Serialize};

use super::{Accept, Act, Asked, Choice, Question, Spec, wrong};
use crate::{checkpoint::Answer, refusal::Refusal};

/// A message asked for something else while a pipeline was paused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Breakout {
    /// The message that asked for something else.
    pub original: String,
}

/// Whether the pipeline is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BreakoutAnswer {
    /// It is left, and the message has its turn.
    Leave,
    /// It stays paused.
    Stay,
}

impl Question for Breakout {
    fn choices(&self) -> Vec<Choice> {
        vec![
            Choice::new("1", "yes, exit", Act::Give(Answer::Approve)).words(&["1"]),
            Choice::new("2", "no, continue", Act::Give(Answer::Continue)).words(&["2"]),
        ]
    }

    fn describe(&self, spec: &mut Spec, _asked: &Asked<'_>) {
        spec.tag = "leave?";
    }

    fn is_phase_own(&self) -> bool {
        true
    }

    fn comes_back(&self) -> bool {
        true
    }
}

impl Accept for Breakout {
    type Answer = BreakoutAnswer;

    fn accept(&self, given: Answer) -> Result<BreakoutAnswer, Refusal> {
        match given {
            Answer::Approve => Ok(BreakoutAnswer::Leave),
            Answer::Continue => Ok(BreakoutAnswer::Stay),
            _ => Err(wrong()),
        }
    }
}
