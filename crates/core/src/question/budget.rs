//! Nothing more may be spent: raise it or stop?

use serde::{Deserialize, Serialize};

use super::{Accept, Act, Asked, Choice, Question, Role, Spec, Ties, Unattended, word, wrong};
use crate::{
    checkpoint::Answer,
    clean::Clean,
    money::{Allowance, Limits, NOTHING, Unit},
    refusal::Refusal,
};

/// A budget is spent, or cannot be held, and a model is to be asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BudgetQuestion {
    /// What it counts.
    pub unit: Unit,
    /// How much there was.
    pub most: u64,
    /// How much is spent.
    pub spent: u64,
    /// Whether what was spent is not known, since a price is not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unknown: bool,
    /// On what, a line each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub on: Vec<String>,
    /// What stopping would have left unfinished when it was asked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stake: Vec<String>,
}

/// What becomes of the budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BudgetAnswer {
    /// So much more may be spent from now on.
    Raise(Limits),
    /// It holds no longer.
    Lift,
    /// What waits for it is stopped.
    Stop,
}

impl BudgetQuestion {
    /// It in words.
    pub fn text(&self) -> String {
        if self.unknown {
            let amount = self.unit.amount(self.most);
            return format!(
                "The price of this model is not known, so {amount} cannot be enforced. Go on without it, or stop?"
            );
        }
        format!("The budget is spent: {}. Raise it, or stop?", self.unit.standing(self.spent, self.most))
    }

    /// Whether an allowance is the one that it asks about.
    pub fn is_about(&self, over: &Allowance) -> bool {
        (self.unit, self.most, self.unknown) == (over.unit, over.most, over.unknown)
    }

    /// What a typed amount comes to; `raise to` counts what is spent already.
    fn amount(&self, line: &str) -> Option<Result<Limits, String>> {
        let line = word(line);
        let said = line.strip_prefix("raise").map_or(line.as_str(), str::trim_start);
        let said = said.strip_prefix("it ").unwrap_or(said);
        let (to, said) = said.strip_prefix("to ").map_or((false, said), |rest| (true, rest));
        let said = said.strip_prefix("by ").unwrap_or(said);
        let said = said.strip_suffix(" more").unwrap_or(said).trim_start_matches('+');
        let limits = match Limits::parse(said) {
            Ok(limits) => limits,
            Err(why) => return (why == NOTHING).then_some(Err(why)),
        };
        match limits.of(self.unit).filter(|_| to && !self.unknown) {
            None => Some(Ok(limits)),
            Some(most) if most > self.spent => Some(Ok(Limits::one(self.unit, most - self.spent))),
            Some(most) => Some(Err(format!(
                "{} is already spent; give a larger amount",
                self.unit.standing(self.spent, most)
            ))),
        }
    }
}

impl Question for BudgetQuestion {
    fn choices(&self) -> Vec<Choice> {
        let stop = Choice::new("n", "stop", Act::Give(Answer::Abort))
            .role(Role::Deny)
            .words(&["stop", "stop it", "q", "quit"]);
        let lift =
            Choice::new("l", "no limit", Act::Give(Answer::Skip)).words(&["l", "no limit", "no budget"]);
        let raise = Choice::new("y", "raise it by the same", Act::Give(Answer::Approve)).role(Role::Take);
        if self.unknown {
            let words: &[&str] = &["go on", "go on without it", "no limit", "no budget"];
            let go_on = Choice::new("y", "go on without it", Act::Give(Answer::Skip));
            return vec![go_on.role(Role::Take).words(words), stop];
        }
        vec![raise.words(&["raise", "raise it"]), lift, stop]
    }

    fn ended(&self, answer: &Answer) -> Option<&'static str> {
        match answer {
            Answer::Approve | Answer::Skip if self.unknown => Some("went on without it"),
            Answer::Approve => Some("raised by the same"),
            Answer::Skip => Some("no limit"),
            _ => None,
        }
    }

    fn describe(&self, spec: &mut Spec, asked: &Asked<'_>) {
        spec.tag = "budget";
        let type_it =
            if self.unknown { "50000t or 20 calls" } else { "how much more: 2.50, 50000t, 20 calls" };
        let facts = [
            ("spent", self.on.join("; ")),
            ("at stake", asked.stake.join("; ")),
            ("or type", type_it.to_owned()),
        ];
        let told = facts.into_iter().filter(|(_, text)| !text.is_empty());
        spec.facts = told.map(|(label, text)| (label, Clean::line(&text))).collect();
        spec.facts_in_bar = true;
        spec.unattended = Unattended::Spent { unknown: self.unknown };
    }

    fn ties(&self) -> Ties {
        Ties { phase_own: true, ..Ties::default() }
    }

    fn read(&self, line: &str) -> Option<Answer> {
        let word = word(line);
        let choice = self.choices().into_iter().find(|c| c.words.contains(&word.as_str()) || c.key == word);
        choice
            .and_then(|c| c.act.given())
            .or_else(|| self.amount(line).map(|_| Answer::Text(line.trim().to_owned())))
    }
}

impl Accept for BudgetQuestion {
    type Answer = BudgetAnswer;

    fn accept(&self, given: Answer) -> Result<BudgetAnswer, Refusal> {
        match given {
            Answer::Approve if self.unknown => Ok(BudgetAnswer::Lift),
            Answer::Approve => Ok(BudgetAnswer::Raise(Limits::one(self.unit, self.most))),
            Answer::Skip => Ok(BudgetAnswer::Lift),
            Answer::Text(line) => match self.amount(&line) {
                Some(limits) => limits.map(BudgetAnswer::Raise).map_err(Refusal::new),
                None => Err(wrong()),
            },
            Answer::Reject(_) | Answer::Abort => Ok(BudgetAnswer::Stop),
            _ => Err(wrong()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_recorded_by_the_words_of_its_choice() {
        let asked = |unknown| BudgetQuestion {
            unit: Unit::Tokens,
            most: 100,
            spent: 100,
            unknown,
            on: Vec::new(),
            stake: Vec::new(),
        };
        assert_eq!(asked(false).ended(&Answer::Skip), Some("no limit"));
        assert_eq!(asked(false).ended(&Answer::Approve), Some("raised by the same"));
        assert_eq!(asked(true).ended(&Answer::Skip), Some("went on without it"));
    }
}
