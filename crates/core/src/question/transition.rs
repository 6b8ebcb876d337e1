//! A lane wants to go deeper than its message asked for.

use serde::{Deserialize, Serialize};

use super::{Accept, Act, Asked, Choice, Lone, Question, Role, Spec, Ties};
use crate::{
    checkpoint::Answer,
    clean::Clean,
    ids::{CallId, LaneId},
    intent::IntentNode,
    refusal::Refusal,
    scope::Capability,
};

/// A deeper path is asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Transition {
    /// The lane.
    pub lane: LaneId,
    /// The call that waits for it.
    pub call: CallId,
    /// Where it is.
    pub from: IntentNode,
    /// Where it wants to be.
    pub to: IntentNode,
    /// Why, in the model's words.
    pub reason: String,
}

impl Transition {
    /// What it would do there.
    fn does(&self) -> &'static str {
        let to = self.to.scope();
        let deeds = [
            (Capability::Delete, "remove files"),
            (Capability::Write, "change files"),
            (Capability::Execute, "run commands"),
        ];
        deeds.iter().find(|(needs, _)| to.allows(*needs)).map_or("read files", |(_, does)| does)
    }
}

impl Question for Transition {
    fn choices(&self) -> Vec<Choice> {
        vec![
            Choice::new("y", "allow for this turn", Act::Give(Answer::Approve))
                .role(Role::Take)
                .reach("once", "this turn; every change is still reviewed"),
            Choice::new("n", "deny", Act::Reason)
                .role(Role::Deny)
                .reach("deny", "this turn; the agent can still read"),
        ]
    }

    fn describe(&self, spec: &mut Spec, _asked: &Asked<'_>) {
        let way = format!("from {} to {}", self.from.title(), self.to.title());
        let reason = self.reason.trim();
        let why = if reason.is_empty() { String::new() } else { format!(" {reason}") };
        spec.title = Clean::line(&format!("may it {}?{why}", self.does()));
        spec.tag = "deeper";
        spec.text = Clean::line(self.does());
        spec.facts = vec![("path", Clean::line(&way)), ("why", Clean::line(reason))];
    }

    fn ties(&self) -> Ties {
        Ties { call: Some(self.call), lane: Some(self.lane), ..Ties::default() }
    }
}

impl Accept for Transition {
    type Answer = Lone;

    fn accept(&self, given: Answer) -> Result<Lone, Refusal> {
        Lone::given(&given, matches!(given, Answer::Reject(_) | Answer::Abort))
    }
}
