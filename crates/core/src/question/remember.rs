//! Shall this be remembered?

use serde::{Deserialize, Serialize};

use super::{Accept, Act, Asked, Choice, Lone, Question, Role, Spec, Ties, Tone, Unattended};
use crate::{
    blob::BlobId,
    checkpoint::Answer,
    clean::Clean,
    memory::{MemoryOwner, Note},
    refusal::Refusal,
};

/// A note is proposed, by the agent or for what the user said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Remember {
    /// The note.
    pub note: Note,
    /// Whether these are the user's own words.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub said: bool,
}

impl Question for Remember {
    fn choices(&self) -> Vec<Choice> {
        let (whose, reach) = match self.note.kind.owner() {
            MemoryOwner::Project => ("project", "this project: a line in its .pilothouse/memory.md"),
            MemoryOwner::User => ("user", "every project of yours: a line in your own memory.md"),
        };
        vec![
            Choice::new("y", "remember", Act::Give(Answer::Approve)).role(Role::Take).reach(whose, reach),
            Choice::new("n", "don't", Act::Reason)
                .role(Role::Deny)
                .reach("deny", "nothing is written; it won't be suggested again in this session"),
        ]
    }

    fn describe(&self, spec: &mut Spec, _asked: &Asked<'_>) {
        spec.tone = Tone::Offers;
        let whose = match self.note.kind.owner() {
            MemoryOwner::Project => "for this project",
            MemoryOwner::User => "for you, in every project",
        };
        let text = Clean::line(&self.note.text);
        spec.title = Clean::line(&format!("remember {whose}? {}", text.as_str()));
        spec.tag = "note";
        spec.text = text;
        let by = if self.said { "you said so" } else { "the agent" };
        spec.facts = vec![("as", Clean::line(self.note.kind.name())), ("by", Clean::line(by))];
        spec.unattended = Unattended::Waits;
    }

    fn ties(&self) -> Ties {
        Ties { outlives_work: true, quiet: true, ..Ties::default() }
    }

    fn shown(&self) -> Option<BlobId> {
        Some(BlobId::of(format!("{}\0{}", self.note.kind.name(), self.note.text).as_bytes()))
    }
}

impl Accept for Remember {
    type Answer = Lone;

    fn accept(&self, given: Answer) -> Result<Lone, Refusal> {
        Lone::given(&given, matches!(given, Answer::Reject(_) | Answer::Abort))
    }
}
