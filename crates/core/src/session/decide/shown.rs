//! Lines that want what the workbench has at hand: answered from it, without a model.
//!
//! Owns where they are taken so. Never opens anything: the screen does.

use super::{Decided, Draft};
use crate::{
    event::{Event, Level},
    ids::TurnId,
    intent::{Control, Reading, Shown},
    policy::{Manner, Outcome, Request},
};

/// How a rule comes about, where the words name no command of which one could be shown.
const AT_ITS_QUESTION: &str = "Allow it at its question: there t lets it run for this session, and p saves a rule for good, which is shown first.";

impl Draft<'_> {
    /// What of the workbench a line wants, where there is such a thing: else it is a message like any other.
    pub(super) fn shown(&self, line: &str) -> Option<Shown> {
        let shown = self.under.tiers.classifier.asks_shown(line)?;
        let there = match &shown {
            // Where nothing can be opened it is a question like any other.
            Shown::Diff | Shown::Output if !self.under.bounds.screen => false,
            Shown::Diff => self.state.open_proposals().next().is_some() || !self.state.ledger().is_empty(),
            Shown::Output => self.state.facts.has_run(),
            Shown::Cost | Shown::Unasked(_) => true,
        };
        there.then_some(shown)
    }

    /// Shows it: the screen opens what it has, the rest is told.
    pub(super) fn show(
        &mut self,
        turn: Option<TurnId>,
        line: &str,
        reading: &Reading,
        shown: Shown,
    ) -> Decided {
        let word = match &shown {
            Shown::Diff => "diff",
            Shown::Output => "output",
            Shown::Cost => "budget",
            Shown::Unasked(_) => "permissions",
        };
        self.record_word(turn, line, reading, word);
        if shown == Shown::Cost {
            return self.budget("");
        }
        self.emit(Event::ControlGiven { control: Control::Other(word.to_owned()) });
        if let Shown::Unasked(command) = shown {
            let told = self.rule_for(&command);
            self.notice(Level::Info, told);
        }
        Ok(())
    }

    /// How a command comes to run unasked.
    fn rule_for(&self, command: &str) -> String {
        // A word alone may be no command: "tests".
        if !command.contains(' ') {
            return AT_ITS_QUESTION.to_owned();
        }
        let (line, folder) = (command.to_owned(), String::new());
        let request = Request::Command { line, folder, manner: Manner::default() };
        let setting = self.state.setting();
        if self.under.policy.decide(&request, &setting).ruling.outcome != Outcome::Ask {
            return "It is not asked about here: `pilothouse permissions explain` says why.".to_owned();
        }
        match self.under.policy.offer(&request, &setting) {
            Ok(rules) => {
                let rules: Vec<String> = rules.iter().map(|rule| format!("`{rule}`")).collect();
                format!("{AT_ITS_QUESTION} In permissions.toml that is {}.", rules.join(" and "))
            }
            Err(why) => format!("No rule can allow it: {why}."),
        }
    }
}
