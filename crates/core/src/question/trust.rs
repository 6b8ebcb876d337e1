//! May what the folder brings take effect?

use serde::{Deserialize, Serialize};

use super::{Accept, Act, Asked, Card, Choice, Question, Role, Spec, Ties};
use crate::{
    blob::BlobId,
    checkpoint::Answer,
    clean::Clean,
    refusal::Refusal,
    trust::{Part, PartChange},
};

/// The folder brings something that would take effect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrustQuestion {
    /// What it brings.
    pub parts: Vec<Part>,
    /// Every line of it.
    pub sheet: BlobId,
    /// The hash over all of it.
    pub shown: BlobId,
    /// The exact lines of the plan's gates, which then run without a question of their own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gates: Vec<String>,
    /// Those of them that are the project's own checks, by no word of an agent: they are kept with the yes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<String>,
    /// Names of the variables that commands get only after a yes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub withholds: Vec<String>,
}

/// Whether it may.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrustAnswer {
    /// Until it changes.
    Trust,
    /// It stays without effect.
    Decline,
}

impl Question for TrustQuestion {
    fn choices(&self) -> Vec<Choice> {
        let view = Choice::new("Enter", "view", Act::Look(self.sheet))
            .role(Role::Look)
            .reach("view", "every line of what it brings; decides nothing");
        let answers = [
            Choice::new("y", "trust", Act::Give(Answer::Approve))
                .role(Role::Take)
                .reach("trust", "this folder, until what it brings changes"),
            Choice::new("n", "don't trust", Act::Give(Answer::Reject(String::new())))
                .role(Role::Deny)
                .reach("decline", "this folder: nothing it brings takes effect"),
        ];
        // Gates stand in the question itself, whole.
        (!self.parts.is_empty()).then_some(view).into_iter().chain(answers).collect()
    }

    fn describe(&self, spec: &mut Spec, _asked: &Asked<'_>) {
        let files = match self.parts.as_slice() {
            [] => "its gates".to_owned(),
            [part] => Clean::line(&part.path).into_string(),
            parts => format!("{} files", parts.len()),
        };
        spec.title = Clean::line(&format!("Trust this folder? ({files})"));
        spec.tag = "trust";
        spec.about_folder = true;
        for part in &self.parts {
            spec.facts.push((changed(part.change), Clean::line(&part.path)));
            let would = part.would.iter().map(|w| ("", Clean::line(&format!("  {}", Clean::line(w)))));
            spec.facts.extend(would);
        }
        spec.facts.extend(self.gates.iter().map(|line| ("runs", Clean::line(line))));
    }

    fn ties(&self) -> Ties {
        Ties { outlives_work: true, ..Ties::default() }
    }

    fn shown(&self) -> Option<BlobId> {
        Some(self.shown)
    }

    fn card(&self) -> Card {
        Card::Nothing
    }
}

impl Accept for TrustQuestion {
    type Answer = TrustAnswer;

    fn accept(&self, given: Answer) -> Result<TrustAnswer, Refusal> {
        match given {
            Answer::Approve => Ok(TrustAnswer::Trust),
            Answer::Reject(_) | Answer::Abort | Answer::Skip => Ok(TrustAnswer::Decline),
            _ => Err(Refusal::new("y trusts it, n leaves it inactive")),
        }
    }
}

/// How a part of what the folder brings differs from what was trusted before.
const fn changed(change: PartChange) -> &'static str {
    match change {
        PartChange::New => "brings",
        PartChange::Changed => "changed",
        PartChange::Same => "as before",
        PartChange::Gone => "gone",
    }
}
