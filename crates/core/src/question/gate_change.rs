//! A gate cannot work here, and another command is proposed for it.

use serde::{Deserialize, Serialize};

use super::{Accept, Act, Asked, Choice, Question, Role, Spec, wrong};
use crate::{
    blob::BlobId,
    checkpoint::Answer,
    clean::Clean,
    ids::{CallId, GateId, LaneId},
    refusal::Refusal,
};

/// Another command is proposed for a gate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GateChange {
    /// The lane that proposes it.
    pub lane: LaneId,
    /// The call that waits for it.
    pub call: CallId,
    /// The gate.
    pub gate: GateId,
    /// Its name.
    pub name: String,
    /// The command that it has.
    pub from: String,
    /// The command that it would have.
    pub to: String,
    /// Why, in the model's words.
    pub reason: String,
    /// Whether the rules would let that command run without a question.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unasked: bool,
}

/// Whether the gate is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GateChangeAnswer {
    /// It gets the other command.
    Take,
    /// It stays as it is.
    Keep,
}

impl Question for GateChange {
    fn choices(&self) -> Vec<Choice> {
        vec![
            Choice::new("y", "change the gate", Act::Give(Answer::Approve))
                .role(Role::Take)
                .reach("once", "this gate of this plan; its command runs as the rules say"),
            Choice::new("n", "keep it", Act::Reason)
                .role(Role::Deny)
                .reach("deny", "the gate stays as it is; the agent is told your reason"),
        ]
    }

    fn describe(&self, spec: &mut Spec, _asked: &Asked<'_>) {
        spec.title = Clean::line(&format!("change the gate {}?", self.name));
        spec.tag = "gate";
        spec.text = Clean::line(&self.to);
        spec.exact = true;
        let why = Clean::line(&self.reason);
        spec.facts =
            vec![("instead of", Clean::line(&self.from)), ("would be", Clean::line(&self.to)), ("why", why)];
    }

    fn shown(&self) -> Option<BlobId> {
        Some(BlobId::of(format!("{}\0{}\0{}", self.gate.0, self.from, self.to).as_bytes()))
    }

    fn call(&self) -> Option<CallId> {
        Some(self.call)
    }

    fn lane(&self) -> Option<LaneId> {
        Some(self.lane)
    }
}

impl Accept for GateChange {
    type Answer = GateChangeAnswer;

    fn accept(&self, given: Answer) -> Result<GateChangeAnswer, Refusal> {
        match given {
            Answer::Approve => Ok(GateChangeAnswer::Take),
            Answer::Reject(_) | Answer::Abort => Ok(GateChangeAnswer::Keep),
            _ => Err(wrong()),
        }
    }
}
