//! Take back everything that was written?

use serde::{Deserialize, Serialize};

use super::{Accept, Act, Asked, Choice, Lone, Question, Role, Spec, Ties};
use crate::{blob::BlobId, checkpoint::Answer, clean::Clean, ids::ApplyId, refusal::Refusal};

/// Everything that the session wrote is to go. What of it may be somebody else's is asked about by itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UndoAllQuestion {
    /// The last write.
    pub last: ApplyId,
    /// The first write, down to which all go.
    pub first: ApplyId,
    /// What that is, in words.
    pub what: String,
    /// Whether it is answered in the bar: no other question held it when this one was asked.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub in_bar: bool,
}

impl UndoAllQuestion {
    /// It in words.
    pub fn text(&self) -> String {
        format!("Take back {}?", self.what)
    }
}

impl Question for UndoAllQuestion {
    fn choices(&self) -> Vec<Choice> {
        // In the list, where it stands beside others, there is a yes and a no.
        let words = |words: &'static [&'static str]| if self.in_bar { words } else { &[] };
        let all = Choice::new("y", "take all back", Act::Give(Answer::Approve));
        let leave = Choice::new("n", "take nothing back", Act::Give(Answer::Reject(String::new())));
        let reach = "one change after the other, the last first; /unundo puts them back";
        vec![
            all.words(words(&["y", "yes", "all"])).role(Role::Take).reach("undo", reach),
            leave
                .words(words(&["n", "no", "q", "quit"]))
                .role(Role::Deny)
                .reach("leave", "every file stays as it is"),
        ]
    }

    fn describe(&self, spec: &mut Spec, _asked: &Asked<'_>) {
        spec.facts_in_bar = true;
        spec.tag = "undo";
        spec.title = Clean::line(&self.text());
    }

    fn ties(&self) -> Ties {
        Ties { phase_own: self.in_bar, outlives_work: true, ..Ties::default() }
    }

    fn shown(&self) -> Option<BlobId> {
        let Self { last, first, what, .. } = self;
        Some(BlobId::of(format!("{last:?}\0{first:?}\0{what}").as_bytes()))
    }
}

impl Accept for UndoAllQuestion {
    type Answer = Lone;

    fn accept(&self, given: Answer) -> Result<Lone, Refusal> {
        let no = matches!(given, Answer::Reject(_) | Answer::Abort);
        Lone::given(&given, no)
    }
}
