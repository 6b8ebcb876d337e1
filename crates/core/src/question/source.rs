//! A tool of a source wants to be called.

use serde::{Deserialize, Serialize};

use super::{Accept, Act, Asked, Card, Choice, Question, Role, Spec, Ties};
use crate::{
    blob::BlobId,
    checkpoint::Answer,
    clean::Clean,
    ids::CallId,
    policy::{Request, Ruling},
    refusal::Refusal,
    source::SourceTool,
};

/// A call of a source's tool that waits for the user.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceQuestion {
    /// The call.
    pub call: CallId,
    /// The source.
    pub source: String,
    /// The tool, as it is known.
    pub tool: SourceTool,
    /// The arguments, as JSON.
    pub arguments: String,
    /// The hash of exactly what is shown: the definition and the arguments.
    pub shown: BlobId,
    /// What is asked of the rules.
    pub request: Request,
    /// Why it asks.
    pub ruling: Ruling,
}

/// Whether it may be called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SourceAnswer {
    /// This once.
    Allow,
    /// This once, and from now on what these rules say.
    Grant {
        /// The rules, exactly as they were shown.
        rules: Vec<String>,
        /// Whether they are kept in the user's file.
        lasting: bool,
    },
    /// It is not called.
    Deny,
}

impl Question for SourceQuestion {
    fn choices(&self) -> Vec<Choice> {
        vec![
            Choice::new("y", "call once", Act::Give(Answer::Approve))
                .role(Role::Take)
                .reach("once", "this call with these arguments"),
            Choice::new("n", "deny", Act::Reason)
                .role(Role::Deny)
                .reach("deny", "this call; the agent is told your reason"),
        ]
    }

    fn describe(&self, spec: &mut Spec, _asked: &Asked<'_>) {
        let clean = Clean::line;
        // Whole, however long it is: a yes is one to all of it.
        spec.text = clean(&format!("{} {} {}", self.source, self.tool.name, self.arguments));
        spec.title = spec.text.clone();
        spec.tag = "source";
        spec.exact = true;
        let says = if self.tool.about.is_empty() { "nothing" } else { &self.tool.about };
        let mut facts = vec![("says", clean(says)), ("why", clean(&self.ruling.to_string()))];
        if self.tool.changed {
            facts
                .push(("changed", clean("its server describes it differently than when it was last called")));
        }
        if self.tool.hides {
            facts.push(("hides", clean("its server's description contains invisible characters")));
        }
        spec.facts = facts;
        spec.ruled = Some((self.request.clone(), Some(self.ruling.clone())));
        spec.by_rule = !self.tool.changed;
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

impl Accept for SourceQuestion {
    type Answer = SourceAnswer;

    fn accept(&self, given: Answer) -> Result<SourceAnswer, Refusal> {
        match given {
            Answer::Approve => Ok(SourceAnswer::Allow),
            Answer::Grant { rules, lasting } => Ok(SourceAnswer::Grant { rules, lasting }),
            Answer::Reject(_) | Answer::Abort | Answer::Skip => Ok(SourceAnswer::Deny),
            _ => Err(Refusal::new("answer it with y or n")),
        }
    }
}
