//! Shall the plan run?

use serde::{Deserialize, Serialize};

use super::{Accept, Act, Asked, Card, Choice, Question, Role, Spec, Ties, Tone, Unattended, wrong};
use crate::{blob::BlobId, checkpoint::Answer, clean::Clean, refusal::Refusal};

/// The active plan waits for a yes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Confirmation {
    /// The hash of the plan as it is shown, to which the answer is bound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<BlobId>,
}

/// What can be said to a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlanAnswer {
    /// It runs.
    Run,
    /// It is changed: how, or empty where that is asked.
    Change(String),
    /// It is given up.
    Drop,
    /// Something else is said.
    Say(String),
}

const YES: &[&str] = &[
    "y",
    "yes",
    "proceed",
    "continue",
    "a",
    "auto",
    "looks good",
    "lgtm",
    "go ahead",
    "ok",
    "okay",
    "sure",
    "do it",
];

impl Confirmation {
    /// What is asked, wherever that stands.
    pub const ASKS: &str = "Proceed?";
}

impl Question for Confirmation {
    fn choices(&self) -> Vec<Choice> {
        let no = Answer::Reject(String::new());
        vec![
            Choice::new("y", "run the plan", Act::Give(Answer::Approve))
                .verb("approves")
                .words(YES)
                .role(Role::Take)
                .reach("run it", "this plan; changes are still reviewed"),
            Choice::new("n", "change it", Act::Give(no)).words(&["n", "no"]).reach("change", "the plan"),
            Choice::new("e", "edit steps", Act::Say("edit opens it in your editor; or describe the change")),
            Choice::typed(&["q", "quit", "abort", "cancel"], Answer::Abort),
        ]
    }

    fn describe(&self, spec: &mut Spec, asked: &Asked<'_>) {
        spec.tone = Tone::Offers;
        spec.title = Clean::line(Self::ASKS);
        spec.suffix = " [Y/n/edit]";
        spec.tag = "plan";
        spec.text = asked.plan.map(|p| Clean::line(&p.title)).unwrap_or_default();
        let lacking = asked.plan.iter().flat_map(|p| p.lacking());
        spec.facts.extend(lacking.map(|line| ("check", Clean::line(&line))));
        spec.facts_in_bar = !spec.facts.is_empty();
        spec.default = Some(0);
        spec.unattended = Unattended::PlanReady;
    }

    fn ties(&self) -> Ties {
        Ties { phase_own: true, comes_back: true, ..Ties::default() }
    }

    fn shown(&self) -> Option<BlobId> {
        self.of
    }

    fn card(&self) -> Card {
        Card::Plan
    }
}

impl Accept for Confirmation {
    type Answer = PlanAnswer;

    fn accept(&self, given: Answer) -> Result<PlanAnswer, Refusal> {
        match given {
            Answer::Approve => Ok(PlanAnswer::Run),
            Answer::Reject(how) => Ok(PlanAnswer::Change(how)),
            Answer::Abort => Ok(PlanAnswer::Drop),
            Answer::Text(text) => Ok(PlanAnswer::Say(text)),
            _ => Err(wrong()),
        }
    }
}
