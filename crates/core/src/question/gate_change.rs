//! A gate cannot work here, and another command is proposed for it.

use serde::{Deserialize, Serialize};

use super::{Accept, Act, Asked, Choice, Lone, Question, Role, Spec, Ties};
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

impl Question for GateChange {
    fn choices(&self) -> Vec<Choice> {
        vec![
            Choice::new("y", "change the gate", Act::Give(Answer::Approve))
                .role(Role::Take)
                .reach("once", "this gate of this plan; in a trusted folder the line then runs without asking where the rules allow it"),
            Choice::new("n", "keep it", Act::Reason)
                .role(Role::Deny)
                .reach("deny", "the gate stays as it is; the agent is told your reason"),
        ]
    }

    fn describe(&self, spec: &mut Spec, _asked: &Asked<'_>) {
        // Marks of code around a line that has some of its own would say another line.
        let mark = if self.to.contains('`') { "" } else { "`" };
        spec.title = Clean::line(&format!("change the gate {} to {mark}{}{mark}?", self.name, self.to));
        spec.tag = "gate";
        spec.text = Clean::line(&self.to);
        spec.exact = true;
        let why = Clean::line(&self.reason);
        spec.facts =
            vec![("instead of", Clean::line(&self.from)), ("would be", Clean::line(&self.to)), ("why", why)];
    }

    fn ties(&self) -> Ties {
        Ties { call: Some(self.call), lane: Some(self.lane), ..Ties::default() }
    }

    fn shown(&self) -> Option<BlobId> {
        Some(BlobId::of(format!("{}\0{}\0{}", self.gate.0, self.from, self.to).as_bytes()))
    }
}

impl Accept for GateChange {
    type Answer = Lone;

    fn accept(&self, given: Answer) -> Result<Lone, Refusal> {
        Lone::given(&given, matches!(given, Answer::Reject(_) | Answer::Abort))
    }
}
