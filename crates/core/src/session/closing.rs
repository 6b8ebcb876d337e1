//! A question with which a model ends instead of asking by its tool.
//!
//! Owns what of its text that is. Whether it is waited for an answer is decided elsewhere.

use super::State;
use crate::intent::Phase;

/// Most choices that are told apart by their numbers.
const CHOICES: usize = 9;

/// What a reply asks with its last words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Closing {
    /// The question.
    pub question: String,
    /// What can be chosen, where that is listed below it.
    pub choices: Vec<String>,
}

impl State {
    /// What the last answer asks with its last words, while nothing was said since and nothing is at work.
    pub(crate) fn asks_with_its_last_words(&self) -> Option<String> {
        let rests = self.phase == Phase::Idle && !self.busy();
        let last = self.recent.back().filter(|said| rests && !said.by_user)?;
        let asked = closing(&self.last_word).filter(|_| self.last_word_at >= last.seq)?;
        Some(asked.question)
    }
}

/// The question with which a text ends, with a list of choices below it or without one.
pub(super) fn closing(text: &str) -> Option<Closing> {
    let mut lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let mut choices = Vec::new();
    while let Some(item) = lines.last().and_then(|line| listed(line)) {
        // A question in a list is one of the questions, and no choice.
        if asks(item) {
            break;
        }
        choices.insert(0, item.to_owned());
        lines.pop();
    }
    let last = lines.last()?;
    let question = last.trim_end_matches(['*', '_', '`', '"', ')', '”', ' ', ':']);
    if !asks(question) {
        return None;
    }
    if choices.len() > CHOICES {
        choices.clear();
    }
    Some(Closing { question: (*last).to_owned(), choices })
}

fn asks(text: &str) -> bool {
    text.trim_end_matches(['*', '_', '`', '"', ')', '”']).ends_with(['?', '？'])
}

/// What stands behind the mark of a line of a list.
fn listed(line: &str) -> Option<&str> {
    if let Some(item) = ["- ", "* ", "• "].iter().find_map(|mark| line.strip_prefix(mark)) {
        return Some(item.trim());
    }
    let (mark, item) = line.split_once(' ')?;
    let number = mark.strip_suffix(['.', ')'])?.trim_start_matches('(');
    let is_number = !number.is_empty() && number.chars().all(|c| c.is_ascii_digit());
    let mut letters = number.chars();
    let is_letter = letters.next().is_some_and(|c| c.is_ascii_alphabetic()) && letters.next().is_none();
    (is_number || is_letter).then(|| item.trim())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_text_asks_with_its_last_words_or_with_a_list_below_them() {
        let of = |text: &str| closing(text).map(|c| (c.question, c.choices));
        assert_eq!(of("There are two.\n\nWhich one?"), Some(("Which one?".into(), Vec::new())));
        let listed = of("Two ways.\n**Which one?**\n1. by hand\n2) by a script\n");
        assert_eq!(listed, Some(("**Which one?**".into(), vec!["by hand".into(), "by a script".into()])));
        assert_eq!(of("哪一个？").unwrap().1, Vec::<String>::new());
        for none in ["", "It is done.", "Why? Because.", "- a\n- b", "Is it? No.\n1. a"] {
            assert_eq!(of(none), None, "{none}");
        }
        let asked = of("I need to know:\n- which file?\n- which name?").unwrap();
        assert_eq!(asked, ("- which name?".into(), Vec::new()));
    }
}
