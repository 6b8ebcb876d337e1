//! A call wants something that a rule asks about.

use serde::{Deserialize, Serialize};

use super::{Accept, Act, Asked, Card, Choice, Lone, Question, Role, Spec, Ties};
use crate::{
    blob::BlobId,
    checkpoint::Answer,
    clean::Clean,
    ids::CallId,
    policy::{Request, Ruling},
    refusal::Refusal,
};

/// A path, a tool or a host that a rule asks about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Access {
    /// The call.
    pub call: CallId,
    /// What it wants.
    pub request: Request,
    /// The hash of exactly what is shown.
    pub shown: BlobId,
    /// The rule.
    pub ruling: Ruling,
}

impl Question for Access {
    fn choices(&self) -> Vec<Choice> {
        vec![
            Choice::new("y", "allow once", Act::Give(Answer::Approve))
                .role(Role::Take)
                .reach("once", "this call; the next one asks again"),
            Choice::new("", "", Act::Nothing)
                .reach("t p", "no rule possible: a rule asks about it, and ask takes precedence over allow"),
            Choice::new("n", "deny", Act::Reason)
                .role(Role::Deny)
                .reach("deny", "this call; the agent is told your reason"),
        ]
    }

    fn describe(&self, spec: &mut Spec, _asked: &Asked<'_>) {
        let text = Clean::line(&self.request.to_string());
        spec.title = Clean::line(&format!("may it {text}?"));
        spec.tag = "asks";
        spec.text = text;
        spec.facts = vec![("why", Clean::line(&self.ruling.to_string()))];
        spec.ruled = Some((self.request.clone(), Some(self.ruling.clone())));
    }

    fn ties(&self) -> Ties {
        Ties { call: Some(self.call), ..Ties::default() }
    }

    fn shown(&self) -> Option<BlobId> {
        Some(self.shown)
    }

    fn card(&self) -> Card {
        Card::Nothing
    }
}

impl Accept for Access {
    type Answer = Lone;

    fn accept(&self, given: Answer) -> Result<Lone, Refusal> {
        match given {
            Answer::Approve => Ok(Lone::Yes),
            Answer::Reject(_) | Answer::Abort | Answer::Skip => Ok(Lone::No),
            _ => Err(Refusal::new("answer it with y or n")),
        }
    }
}
