//! Lines that want the last change taken back, or what was written to one file: "undo that", "take that change back",
//! "undo src/main.c".
//!
//! Owns their grammar: the whole line says so and nothing else. Never knows whether there is anything to take back.

use super::{
    Classifier,
    text::{self, Kind, Token},
    words::List,
};

/// What a line wants taken back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TakenBack {
    /// The last change.
    Last,
    /// What was spoken of last, which may be something else than a change: "take that back".
    That,
    /// What was written to a file.
    File(String),
}

/// The words of a line that are left to be read.
#[derive(Clone, Copy)]
struct Words<'a> {
    of: &'a Classifier,
    text: &'a str,
    tokens: &'a [Token],
}

impl Classifier {
    /// What a whole line wants taken back, where it wants that and nothing else.
    pub fn takes_back_what(&self, line: &str) -> Option<TakenBack> {
        let doc = text::tokenize(line);
        let all = Words { of: self, text: line, tokens: &doc.tokens };
        if self.lists(List::Undo, line) {
            let points = (0..doc.tokens.len()).any(|at| all.from(at).begins(List::UndoIt) == Some(1));
            let named = || (0..doc.tokens.len()).any(|at| all.from(at).begins(List::UndoWhat).is_some());
            return Some(if points && !named() { TakenBack::That } else { TakenBack::Last });
        }
        let (asked, rest) = all.closed();
        let (lead, rest) = rest.past_leads();
        // "can you undo that?" asks for it, "undo that?" whether.
        if asked && !lead {
            return None;
        }
        let rest = rest.without_tails();
        rest.verb_first().or_else(|| rest.split()).or_else(|| rest.verb_last())
    }
}

impl Words<'_> {
    fn from(self, at: usize) -> Self {
        Self { tokens: self.tokens.get(at..).unwrap_or_default(), ..self }
    }

    fn to(self, end: usize) -> Self {
        Self { tokens: self.tokens.get(..end).unwrap_or_default(), ..self }
    }

    /// How many words of a phrase of a list stand at the beginning.
    fn begins(self, list: List) -> Option<usize> {
        let word = |t: &Token| (t.kind == Kind::Word).then(|| t.text.clone());
        (1..=2).rev().find(|len| {
            let words: Option<Vec<String>> =
                self.tokens.get(..*len).and_then(|all| all.iter().map(word).collect());
            words.is_some_and(|words| self.of.tables().is(list, &words.join(" ")))
        })
    }

    /// Whether a mark ends the line that asks, and the line without what ends it.
    fn closed(self) -> (bool, Self) {
        let ends = |t: &Token| t.kind == Kind::Punct;
        let end = self.tokens.iter().rposition(|t| !ends(t)).map_or(0, |at| at + 1);
        let marks = self.tokens.get(end..).unwrap_or_default();
        (marks.iter().any(|t| t.text == "?"), self.to(end))
    }

    /// Past "please", "no, ", "can you"; whether one asked the agent to.
    fn past_leads(self) -> (bool, Self) {
        let (mut rest, mut asks) = (self, false);
        while let Some(len) = rest.begins(List::UndoLead) {
            asks |= len > 1;
            rest = rest.from(len);
            if rest.tokens.first().is_some_and(|t| t.kind == Kind::Punct && t.text == ",") {
                rest = rest.from(1);
            }
        }
        (asks, rest)
    }

    fn without_tails(self) -> Self {
        let tail = |len: &usize| {
            let from = self.tokens.len().checked_sub(*len);
            from.is_some_and(|from| from > 0 && self.from(from).begins(List::UndoTail) == Some(*len))
        };
        match (1..=2).rev().find(tail) {
            Some(len) => self.to(self.tokens.len() - len).without_tails(),
            None => self.to(self.tokens.iter().rposition(|t| t.text != ",").map_or(0, |at| at + 1)),
        }
    }

    /// "undo", "revert the last change", "take back that", "undo src/main.c".
    fn verb_first(self) -> Option<TakenBack> {
        let len = self.begins(List::UndoVerb)?;
        let split = len == 1 && self.begins(List::UndoSplit).is_some();
        let rest = self.from(len);
        let alone = rest.tokens.is_empty().then_some(TakenBack::Last);
        if split { None } else { alone.or_else(|| rest.what()) }
    }

    /// "take that back", "mach das rückgängig".
    fn split(self) -> Option<TakenBack> {
        let len = self.begins(List::UndoSplit)?;
        let end = self.tokens.len().checked_sub(1).filter(|end| *end > len)?;
        self.from(end).begins(List::UndoBack)?;
        self.to(end).from(len).without_tails().what()
    }

    /// "die letzte Änderung rückgängig machen" as a wish.
    fn verb_last(self) -> Option<TakenBack> {
        let machen = self.tokens.last().is_some_and(|t| t.text == "machen" || t.text == "nehmen");
        let end = self.tokens.len().checked_sub(if machen { 2 } else { 1 })?;
        let back = self.from(end).begins(List::UndoBack).is_some()
            && (machen || self.begins(List::UndoThe).is_some());
        (back && self.tokens.first().is_none_or(|t| t.text != "back"))
            .then(|| self.to(end).without_tails().what())?
    }

    /// "it", "your last edit", "the changes to a.rs", "a.rs": nothing else is named.
    fn what(self) -> Option<TakenBack> {
        if let [one] = self.tokens {
            let it = self.begins(List::UndoIt).map(|_| TakenBack::That);
            return it.or_else(|| self.file(one));
        }
        let rest = self.from(self.begins(List::UndoThe).unwrap_or(0));
        let last = rest.begins(List::UndoLast);
        let named = rest.from(last.unwrap_or(0));
        named.begins(List::UndoWhat)?;
        match named.from(1).tokens {
            // "undo changes" alone may mean any.
            [] => (rest.tokens.len() < self.tokens.len() || last.is_some()).then_some(TakenBack::Last),
            [_, file] if last.is_none() => named.from(1).begins(List::UndoOf).and_then(|_| self.file(file)),
            [_, ..] => None,
        }
    }

    fn file(self, token: &Token) -> Option<TakenBack> {
        let said = self.text.get(token.start..token.end)?;
        let name = match token.kind {
            Kind::File | Kind::Path => said,
            Kind::Tick => said.trim_matches('`'),
            Kind::Word
            | Kind::Cjk
            | Kind::Number
            | Kind::Url
            | Kind::Quote
            | Kind::Ident
            | Kind::Code
            | Kind::Flag
            | Kind::Punct => return None,
        };
        Some(TakenBack::File(name.trim_start_matches("./").to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_line_wants_the_last_change_back_or_what_was_written_to_a_file() {
        let of = |line: &str| Classifier::builtin().takes_back_what(line);
        for line in [
            "undo that",
            "revert that",
            "take that back",
            "roll that back",
            "can you undo that?",
            "no, undo it please",
            "mach das rückgängig",
            "nimm das wieder zurück",
        ] {
            assert_eq!(of(line), Some(TakenBack::That), "{line}");
        }
        for line in [
            "undo the last thing",
            "undo your last change",
            "please undo your last edit",
            "take that change back",
            "roll back the last change",
            "mach die letzte Änderung rückgängig",
            "mach deine letzten Änderungen bitte rückgängig",
            "die letzte Änderung rückgängig machen",
            "undo",
        ] {
            assert_eq!(of(line), Some(TakenBack::Last), "{line}");
        }
        for (line, file) in [
            ("undo src/main.c", "src/main.c"),
            ("revert `a.rs`", "a.rs"),
            ("undo your changes to lib/parse.py", "lib/parse.py"),
            ("please roll back the changes in a.rs", "a.rs"),
        ] {
            assert_eq!(of(line), Some(TakenBack::File(file.to_owned())), "{line}");
        }
        for line in [
            "revert the commit abc",
            "undo the last commit",
            "undo the rename in parse but keep the tests",
            "add an undo command",
            "how do I undo this?",
            "undo that?",
            "revert to version 1.2 of serde",
            "take back what you said about the cache",
            "undo should also work for folders",
            "what does undo take back?",
            "undo changes",
            "undo that and fix it another way",
            "don't undo that",
            "undo the step",
            "take the last one",
            "mach die Tests grün",
            "roll the dice back",
            "undo the last change to the parser",
            "undo a.rs and b.rs",
            "mach es schneller",
        ] {
            assert_eq!(of(line), None, "{line}");
        }
    }
}
