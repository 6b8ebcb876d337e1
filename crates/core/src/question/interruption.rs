//! Unclear text came in during a run.

use serde::{Deserialize, Serialize};

use super::{Accept, Act, Asked, Choice, Question, Spec, Ties, wrong};
use crate::{checkpoint::Answer, clean::Clean, refusal::Refusal};

/// The answer that hands it on.
const TELL: &str = "tell";
/// The answer that holds the run.
const HOLD: &str = "hold";

/// Something was said beside a run, and it is unclear what it means for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Interruption {
    /// What was said.
    pub text: String,
}

/// What is done with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InterruptionAnswer {
    /// It is answered, and the run goes on.
    Respond,
    /// What works reads it at its next step.
    Tell,
    /// The run stops, and the plan is made anew with it.
    Replan,
    /// It begins when the run has ended.
    Later,
    /// The run is held at its next step.
    Hold,
    /// The run goes on as before.
    Continue,
    /// The run stops.
    Stop,
}

impl Question for Interruption {
    fn choices(&self) -> Vec<Choice> {
        vec![
            Choice::new("respond", "answer it", Act::Give(Answer::Respond)).words(&["respond", "r"]),
            Choice::new("t", "tell the agent", Act::Give(Answer::Text(TELL.to_owned())))
                .words(&["tell", "t"]),
            Choice::new("p", "change the plan", Act::Give(Answer::Replan)).words(&["plan", "p", "replan"]),
            Choice::new("l", "later", Act::Give(Answer::Skip)).words(&["later", "l", "queue"]),
            Choice::new("h", "hold the run", Act::Give(Answer::Text(HOLD.to_owned())))
                .words(&["hold", "h", "pause", "wait", "hold on"]),
            Choice::new("c", "continue", Act::Give(Answer::Continue)).words(&["continue", "c"]),
            Choice::new("q", "abort", Act::Give(Answer::Abort)).words(&["abort", "q", "quit", "cancel"]),
        ]
    }

    fn describe(&self, spec: &mut Spec, _asked: &Asked<'_>) {
        spec.title = Clean::line(&format!("You said: \"{}\"", Clean::line(&self.text)));
    }

    fn ties(&self) -> Ties {
        Ties { phase_own: true, ..Ties::default() }
    }
}

impl Accept for Interruption {
    type Answer = InterruptionAnswer;

    fn accept(&self, given: Answer) -> Result<InterruptionAnswer, Refusal> {
        match given {
            Answer::Respond => Ok(InterruptionAnswer::Respond),
            Answer::Text(text) if text == TELL => Ok(InterruptionAnswer::Tell),
            Answer::Text(text) if text == HOLD => Ok(InterruptionAnswer::Hold),
            Answer::Replan => Ok(InterruptionAnswer::Replan),
            Answer::Skip => Ok(InterruptionAnswer::Later),
            Answer::Continue => Ok(InterruptionAnswer::Continue),
            Answer::Abort => Ok(InterruptionAnswer::Stop),
            _ => Err(wrong()),
        }
    }
}
