//! Leave, or start over, although something is at stake?

use serde::{Deserialize, Serialize};

use super::{Accept, Act, Asked, Card, Choice, CommandQuestion, Lone, Question, Role, Spec, Ties};
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
    pub const RUNS: &str = "something is running";

    /// Named where all that is under way is a command that waits for a yes: leaving leaves it unrun.
    const WAITS: &str = "a command is waiting for your yes: ";

    /// The command that waits, as it is named.
    pub fn waits(command: &CommandQuestion) -> String {
        let line = Clean::line(&command.command);
        format!("{}`{}` ({} risk)", Self::WAITS, line.as_str(), command.risk.name())
    }

    /// Whether what is at stake stays when it is left.
    pub fn is_kept(stake: &str) -> bool {
        stake != Self::RUNS && !stake.starts_with(Self::WAITS)
    }

    /// What of the stake is kept, and what it asks to do, to this end.
    fn asks(running: bool, stake: &[String], end: &str) -> (String, bool) {
        let waits = stake.iter().find(|s| s.starts_with(Self::WAITS));
        let stops = running || stake.iter().any(|s| s == Self::RUNS);
        let mut letters = end.chars();
        let begin: String = letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect();
        match waits {
            Some(waits) => (format!("{begin}, although {waits}?"), true),
            None if stops => (format!("Stop and {end}?"), true),
            None => (format!("{begin}?"), false),
        }
    }

    /// It in words.
    pub fn text(running: bool, stake: &[String]) -> String {
        let kept: Vec<&str> = stake.iter().map(String::as_str).filter(|s| Self::is_kept(s)).collect();
        let (asks, ends) = Self::asks(running, stake, "leave");
        match (ends, kept.join("; ").as_str()) {
            (false, "") => format!("{asks} Nothing is at stake any longer"),
            (true, "") => asks,
            (_, kept) => format!("{asks} Kept: {kept}"),
        }
    }

    /// It in words, where the session is to start over.
    pub fn text_over(stake: &[String], lost: &[String]) -> String {
        let part =
            |what: &str, all: &[&str]| (!all.is_empty()).then(|| format!("{what}: {}", all.join("; ")));
        let kept: Vec<&str> = stake.iter().map(String::as_str).filter(|s| Self::is_kept(s)).collect();
        let lost: Vec<&str> = lost.iter().map(String::as_str).collect();
        let parts = [part("Set aside", &kept), part("Forgotten", &lost)];
        let parts = parts.into_iter().flatten().collect::<Vec<_>>().join(". ");
        let (asks, ends) = Self::asks(false, stake, "start over");
        match (ends, parts.as_str()) {
            (false, "") => format!("{asks} Nothing is at stake any longer"),
            (true, "") => asks,
            (_, parts) => format!("{asks} {parts}"),
        }
    }
}

impl Question for Exit {
    fn choices(&self) -> Vec<Choice> {
        let (leave, stay) = if self.over { ("start over", "go on as it is") } else { ("leave", "stay") };
        let leave = Choice::new("y", leave, Act::Give(Answer::Approve));
        let stay = Choice::new("n", stay, Act::Give(Answer::Reject(String::new())));
        vec![leave.words(&["y", "yes"]).role(Role::Take), stay.words(&["n", "no", "q", "quit"])]
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
