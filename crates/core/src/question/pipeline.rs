//! A pipeline stopped between two stages.

use serde::{Deserialize, Serialize};

use super::{Accept, Act, Asked, Choice, Question, Spec, Ties, wrong};
use crate::{checkpoint::Answer, refusal::Refusal};

/// The next stage waits for a yes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PipelinePause {
    /// The stage that is done.
    pub stage: u32,
    /// What the pipeline is called.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
}

/// How the pipeline goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PauseAnswer {
    /// With the next stage.
    Proceed,
    /// Not at all.
    Leave,
}

impl Question for PipelinePause {
    fn choices(&self) -> Vec<Choice> {
        vec![
            Choice::new("1", "proceed", Act::Give(Answer::Approve)).verb("proceeds").words(&["1", "proceed"]),
            Choice::new("2", "modify", Act::Say("say what to change, in one line")),
            Choice::new("3", "exit", Act::Give(Answer::Abort)).verb("exits").words(&["3"]),
        ]
    }

    fn ended(&self, answer: &Answer) -> Option<&'static str> {
        match answer {
            Answer::Approve | Answer::Continue => Some("went on"),
            // Leaving is a question of its own, which follows.
            Answer::Abort => Some("asked whether to leave"),
            _ => None,
        }
    }

    fn describe(&self, spec: &mut Spec, _asked: &Asked<'_>) {
        spec.tag = "pause";
        spec.default = Some(0);
    }

    fn ties(&self) -> Ties {
        Ties { phase_own: true, comes_back: true, ..Ties::default() }
    }
}

impl Accept for PipelinePause {
    type Answer = PauseAnswer;

    fn accept(&self, given: Answer) -> Result<PauseAnswer, Refusal> {
        match given {
            Answer::Approve => Ok(PauseAnswer::Proceed),
            Answer::Abort => Ok(PauseAnswer::Leave),
            _ => Err(wrong()),
        }
    }
}
