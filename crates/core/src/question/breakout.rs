//! Leave a paused pipeline?

use serde::{Deserialize, Serialize};

use super::{Accept, Act, Asked, Choice, Lone, Question, Spec, Ties};
use crate::{checkpoint::Answer, refusal::Refusal};

/// A message asked for something else while a pipeline was paused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Breakout {
    /// The message that asked for something else.
    pub original: String,
}

impl Question for Breakout {
    fn choices(&self) -> Vec<Choice> {
        vec![
            Choice::new("1", "yes, exit", Act::Give(Answer::Approve)).words(&["1"]),
            Choice::new("2", "no, continue", Act::Give(Answer::Continue)).words(&["2"]),
        ]
    }

    fn ended(&self, answer: &Answer) -> Option<&'static str> {
        match answer {
            Answer::Continue => Some("stayed, and went on"),
            Answer::Approve | Answer::Abort => Some("left"),
            _ => None,
        }
    }

    fn describe(&self, spec: &mut Spec, _asked: &Asked<'_>) {
        spec.tag = "leave?";
    }

    fn ties(&self) -> Ties {
        Ties { phase_own: true, comes_back: true, ..Ties::default() }
    }
}

impl Accept for Breakout {
    type Answer = Lone;

    fn accept(&self, given: Answer) -> Result<Lone, Refusal> {
        Lone::given(&given, matches!(given, Answer::Continue))
    }
}
