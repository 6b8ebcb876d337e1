//! Take back also what may be somebody else's? Take back all that was written?

use serde::{Deserialize, Serialize};

use super::{Accept, Act, Asked, Choice, Question, Role, Spec, Ties, wrong};
use crate::{
    blob::BlobId, checkpoint::Answer, clean::Clean, ids::ApplyId, money::count, refusal::Refusal, tool::Doubt,
};

/// The answer that leaves alone what may be somebody else's.
const KEEP: &str = "keep";

/// Files changed while a command ran, and nobody can tell whether it wrote them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UndoQuestion {
    /// What would be taken back.
    pub apply: ApplyId,
    /// The command, and what changed meanwhile, in words.
    pub what: String,
    /// The command.
    pub line: String,
    /// What may be somebody else's.
    pub doubt: Doubt,
    /// The write down to which the ones before it are taken back as well.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<ApplyId>,
    /// Whether it is answered in the bar: no other question held it when this one was asked.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub in_bar: bool,
}

/// What is taken back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UndoAnswer {
    /// All of it.
    All,
    /// Only what is the command's for certain.
    Keep,
    /// Nothing.
    Leave,
}

impl UndoAnswer {
    /// It as it is given.
    pub fn given(self) -> Answer {
        match self {
            Self::All => Answer::Approve,
            Self::Keep => Answer::Text(KEEP.to_owned()),
            Self::Leave => Answer::Reject(String::new()),
        }
    }
}

impl UndoQuestion {
    /// It in words.
    pub fn text(&self) -> String {
        let Doubt { count, all, .. } = self.doubt;
        let rest = if all { "" } else { " The rest came from the command." };
        let (it, was) = if count == 1 { ("it", "was") } else { ("them", "were") };
        format!(
            "Take back {}? {} {was} changed while it ran, perhaps by someone else; it is not known what wrote {it}.{rest}",
            self.what,
            self.doubt.words()
        )
    }
}

impl Question for UndoQuestion {
    fn choices(&self) -> Vec<Choice> {
        // In the list, where it stands beside others, there is a yes and a no.
        let words = |words: &'static [&'static str]| if self.in_bar { words } else { &[] };
        let all = Choice::new("y", "take all back", Act::Give(UndoAnswer::All.given()));
        let keep = Choice::new("k", "keep these", Act::Give(UndoAnswer::Keep.given()));
        let leave = Choice::new("n", "take nothing back", Act::Give(UndoAnswer::Leave.given()));
        let reach = "everything that changed while it ran; /unundo puts it back";
        let all = all.words(words(&["y", "yes", "all"])).role(Role::Take).reach("undo", reach);
        let leave = leave
            .words(words(&["n", "no", "q", "quit"]))
            .role(Role::Deny)
            .reach("leave", "every file stays as it is");
        let keep = (self.in_bar && !self.doubt.all).then(|| keep.words(&["k", "keep"]));
        std::iter::once(all).chain(keep).chain([leave]).collect()
    }

    fn describe(&self, spec: &mut Spec, _asked: &Asked<'_>) {
        spec.facts_in_bar = true;
        spec.tag = "undo";
        let files = count(self.doubt.count, "change");
        spec.title = Clean::line(&format!("Take back {files} that someone else may have changed?"));
        spec.facts = vec![
            ("while", Clean::line(&self.line)),
            ("changed", Clean::line(&self.doubt.words())),
            ("why", Clean::line("it is not known what wrote it; an editor may have saved it meanwhile")),
        ];
    }

    fn ties(&self) -> Ties {
        Ties { phase_own: self.in_bar, outlives_work: true, ..Ties::default() }
    }

    fn shown(&self) -> Option<BlobId> {
        let Self { apply, to, what, doubt, .. } = self;
        Some(BlobId::of(format!("{apply:?}\0{to:?}\0{what}\0{}", doubt.words()).as_bytes()))
    }
}

impl Accept for UndoQuestion {
    type Answer = UndoAnswer;

    fn accept(&self, given: Answer) -> Result<UndoAnswer, Refusal> {
        match given {
            Answer::Approve => Ok(UndoAnswer::All),
            Answer::Text(text) if text == KEEP && !self.doubt.all => Ok(UndoAnswer::Keep),
            Answer::Reject(_) | Answer::Abort => Ok(UndoAnswer::Leave),
            _ => Err(wrong()),
        }
    }
}
