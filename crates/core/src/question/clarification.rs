//! Which of these, or what else? Asked by a lane's call, or about the message itself.

use serde::{Deserialize, Serialize};

use super::{Accept, Act, Asked, Card, Choice, Question, Spec, Ties, word, wrong};
use crate::{
    checkpoint::Answer,
    clean::Clean,
    ids::{CallId, CheckpointId, LaneId, TurnId},
    refusal::Refusal,
};

/// Something must be said more clearly.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Clarification {
    /// What can be chosen; free text is always possible as well.
    pub choices: Vec<String>,
    /// The lane that waits for the answer, if one does.
    pub lane: Option<LaneId>,
    /// The call of `ask_user` that waits.
    pub call: Option<CallId>,
    /// The turn that is to be understood, when the message itself is unclear.
    pub turn: Option<TurnId>,
    /// The question that the message may answer as well as the agent's last words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beside: Option<CheckpointId>,
}

/// What was said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClarificationAnswer {
    /// The choice with this number, from 0, and its text.
    Pick(usize, String),
    /// Own words.
    Said(String),
    /// It is given up.
    Drop,
}

/// Yes and no to "did you mean this as work?"
const YES: [&str; 7] = ["y", "yes", "ok", "okay", "sure", "do it", "go ahead"];
const NO: [&str; 2] = ["n", "no"];

/// The last of what is numbered: none of these, but words of one's own.
const OWN: &str = "let me specify";
/// Told whoever chose that.
const SPECIFY: &str = "say it in your own words";

/// The key that stands for the numbers of the choices.
pub(super) const NUMBERS: &str = "1-9";

impl Question for Clarification {
    fn choices(&self) -> Vec<Choice> {
        vec![
            Choice::new(NUMBERS, "choose", Act::Say("choose by its number")),
            Choice::new("q", "drop it", Act::Give(Answer::Abort))
                .words(&["q", "quit", "abort", "cancel", "stop"]),
        ]
    }

    fn ended(&self, answer: &Answer) -> Option<&'static str> {
        matches!(answer, Answer::Abort).then_some("dropped")
    }

    fn describe(&self, spec: &mut Spec, _asked: &Asked<'_>) {
        spec.options = self.choices.iter().map(|c| Clean::line(c)).collect();
        spec.own = self.own().map(|(_, words)| words);
        spec.free = true;
    }

    fn asks_for_words(&self, line: &str) -> Option<&'static str> {
        let chosen = word(line).parse::<usize>().ok();
        (chosen.is_some() && chosen == self.own().map(|(n, _)| n)).then_some(SPECIFY)
    }

    fn ties(&self) -> Ties {
        Ties { call: self.call, lane: self.lane, phase_own: true, ..Ties::default() }
    }

    fn ways(&self) -> Vec<String> {
        let numbered = (1..).zip(&self.choices).map(|(n, c)| format!("{n} {}", Clean::line(c)));
        let keys = self.choices().into_iter().filter(|c| self.choices.is_empty() || c.key != NUMBERS);
        numbered.chain(keys.map(|c| format!("{} {}", c.key, c.label))).collect()
    }

    /// Everything is an answer but a command of the user, which begins with `!`, and a number that no choice has.
    fn read(&self, line: &str) -> Option<Answer> {
        let word = word(line);
        let own = self.turn.is_some();
        let give_up = self.choices().into_iter().any(|c| c.words.contains(&word.as_str()));
        match word.parse::<usize>() {
            // Said once more it is as unclear as before, and is no answer for whoever asked.
            _ if self.beside.is_some() && [&YES[..], &NO].concat().contains(&word.as_str()) => {
                Some(Answer::Text(line.trim().to_owned()))
            }
            _ if own && NO.contains(&word.as_str()) => Some(Answer::Abort),
            _ if own && YES.contains(&word.as_str()) => Some(Answer::Pick(0)),
            _ if word.starts_with('!') || word.is_empty() => None,
            _ if give_up => Some(Answer::Abort),
            Ok(n) if self.misses(n) => None,
            Ok(n) if (1..=self.choices.len()).contains(&n) => Some(Answer::Pick(n - 1)),
            Ok(_) | Err(_) => Some(Answer::Text(line.trim().to_owned())),
        }
    }

    fn card(&self) -> Card {
        Card::Question { choices: self.choices.clone(), failed: None }
    }
}

impl Clarification {
    /// The number behind those of the choices and what it says: words of one's own come next. A question without choices
    /// takes nothing else.
    fn own(&self) -> Option<(usize, &'static str)> {
        let n = self.choices.len();
        (1..9).contains(&n).then_some((n + 1, OWN))
    }

    /// Whether a number is that of no choice, where it can mean nothing else: an agent may have asked for one.
    fn misses(&self, n: usize) -> bool {
        let other = !(1..=self.choices.len()).contains(&n);
        other && !self.choices.is_empty() && (self.turn.is_some() || n < 10)
    }
}

impl Accept for Clarification {
    type Answer = ClarificationAnswer;

    fn meant(&self, given: Answer) -> Answer {
        let read = if let Answer::Text(text) = &given { self.read(text) } else { None };
        read.unwrap_or(given)
    }

    fn accept(&self, given: Answer) -> Result<ClarificationAnswer, Refusal> {
        match given {
            Answer::Pick(n) => {
                let text = self.choices.get(n).cloned().ok_or_else(wrong)?;
                Ok(ClarificationAnswer::Pick(n, text))
            }
            Answer::Text(text) if word(&text).parse().is_ok_and(|n| self.misses(n)) => Err(wrong()),
            Answer::Text(text) => Ok(ClarificationAnswer::Said(text)),
            Answer::Abort => Ok(ClarificationAnswer::Drop),
            _ => Err(wrong()),
        }
    }
}
