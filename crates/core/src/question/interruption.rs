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
    /// Whether what runs has no plan: there is none to change, and no step before which it could be held.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub planless: bool,
    /// Whether nothing that works reads what is said to it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub deaf: bool,
}

impl Interruption {
    /// Whether this can do something where it was asked.
    const fn offers(&self, answer: InterruptionAnswer) -> bool {
        match answer {
            InterruptionAnswer::Tell => !self.deaf,
            InterruptionAnswer::Replan | InterruptionAnswer::Hold => !self.planless,
            InterruptionAnswer::Respond
            | InterruptionAnswer::Later
            | InterruptionAnswer::Continue
            | InterruptionAnswer::Stop => true,
        }
    }
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
        let all = vec![
            Choice::new("respond", "answer it", Act::Give(Answer::Respond)).words(&["respond", "r"]),
            Choice::new("t", "tell the agent", Act::Give(Answer::Text(TELL.to_owned())))
                .words(&["tell", "t"]),
            Choice::new("p", "change the plan", Act::Give(Answer::Replan)).words(&["plan", "p", "replan"]),
            Choice::new("l", "later", Act::Give(Answer::Skip)).words(&["later", "l", "queue"]),
            Choice::new("h", "hold the run", Act::Give(Answer::Text(HOLD.to_owned())))
                .words(&["hold", "h", "pause", "wait", "hold on"]),
            Choice::new("c", "continue", Act::Give(Answer::Continue)).words(&["continue", "c"]),
            Choice::new("q", "abort", Act::Give(Answer::Abort)).words(&["abort", "q", "quit", "cancel"]),
        ];
        let does = |c: &Choice| c.act.given().and_then(|a| meant(&a)).is_some_and(|a| self.offers(a));
        all.into_iter().filter(does).collect()
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
        meant(&given).filter(|answer| self.offers(*answer)).ok_or_else(wrong)
    }
}

/// What an answer stands for.
fn meant(given: &Answer) -> Option<InterruptionAnswer> {
    match given {
        Answer::Respond => Some(InterruptionAnswer::Respond),
        Answer::Text(text) if text == TELL => Some(InterruptionAnswer::Tell),
        Answer::Text(text) if text == HOLD => Some(InterruptionAnswer::Hold),
        Answer::Replan => Some(InterruptionAnswer::Replan),
        Answer::Skip => Some(InterruptionAnswer::Later),
        Answer::Continue => Some(InterruptionAnswer::Continue),
        Answer::Abort => Some(InterruptionAnswer::Stop),
        _ => None,
    }
}
