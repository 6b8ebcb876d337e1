//! Leave, or start over, although something is at stake?

use serde::{Deserialize, Serialize};

use super::{Accept, Act, Asked, Card, Choice, Lone, Question, Role, Spec, Ties};
use crate::{
    checkpoint::{Answer, Checkpoint},
    clean::Clean,
    refusal::Refusal,
};

/// The user wants to leave or to start over, and something is at stake.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exit {
    /// The question whose place it takes: that one is asked again when they stay.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held: Option<Box<Checkpoint>>,
    /// Whether the session is to start over, and not to end.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub over: bool,
}

impl Exit {
    /// Named where work without a plan is under way: leaving stops it, and nothing of it is kept.
    pub const RUNS: &str = "something runs";

    /// It in words.
    pub fn text(running: bool, stake: &[String]) -> String {
        let kept: Vec<&str> = stake.iter().map(String::as_str).filter(|s| *s != Self::RUNS).collect();
        let kept = kept.join("; ");
        let stops = running || stake.iter().any(|s| s == Self::RUNS);
        match (stops, kept.as_str()) {
            (false, "") => "Leave? Nothing is at stake any more".to_owned(),
            (true, "") => "Stop what runs and leave?".to_owned(),
            (true, kept) => format!("Stop what runs and leave? Kept: {kept}"),
            (false, kept) => format!("Leave? Kept: {kept}"),
        }
    }

    /// It in words, where the session is to start over.
    pub fn text_over(stake: &[String], lost: &[String]) -> String {
        let part =
            |what: &str, all: &[&str]| (!all.is_empty()).then(|| format!("{what}: {}", all.join("; ")));
        let kept: Vec<&str> = stake.iter().map(String::as_str).filter(|s| *s != Self::RUNS).collect();
        let lost: Vec<&str> = lost.iter().map(String::as_str).collect();
        let parts = [part("Set aside", &kept), part("Forgotten", &lost)];
        let parts = parts.into_iter().flatten().collect::<Vec<_>>().join(". ");
        let stops = stake.iter().any(|s| s == Self::RUNS);
        match (stops, parts.as_str()) {
            (false, "") => "Start over? Nothing is at stake any more".to_owned(),
            (true, "") => "Stop what runs and start over?".to_owned(),
            (true, parts) => format!("Stop what runs and start over? {parts}"),
            (false, parts) => format!("Start over? {parts}"),
        }
    }
}

impl Question for Exit {
    fn choices(&self) -> Vec<Choice> {
        let (leave, stay) = if self.over { ("start over", "go on as it is") } else { ("leave", "stay") };
        let leave = Choice::new("y", leave, Act::Give(Answer::Approve));
        let stay = Choice::new("n", stay, Act::Give(Answer::Reject(String::new())));
        vec![leave.words(&["y", "yes"]).role(Role::Take), stay.words(&["n", "no"])]
    }

    /// What is at stake changes while the question stands: it is told as it is now.
    fn describe(&self, spec: &mut Spec, asked: &Asked<'_>) {
        let text = if self.over {
            Self::text_over(asked.stake, asked.lost)
        } else {
            Self::text(asked.running, asked.stake)
        };
        spec.text = Clean::line(&text);
        spec.title = spec.text.clone();
    }

    /// Whoever is asked is there: they are about to leave.
    fn ties(&self) -> Ties {
        Ties { phase_own: true, quiet: true, ..Ties::default() }
    }

    fn card(&self) -> Card {
        Card::Nothing
    }
}

impl Accept for Exit {
    type Answer = Lone;

    fn accept(&self, given: Answer) -> Result<Lone, Refusal> {
        Lone::given(&given, matches!(given, Answer::Reject(_)))
    }
}
