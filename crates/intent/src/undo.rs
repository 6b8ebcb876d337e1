//! Lines that want changes taken back: the last one, the last few, all, what was written to one file or by one step:
//! "undo that", "undo the last two changes", "revert everything you did", "revert only the README", "undo step 2".
//!
//! Owns their grammar: the whole line says so and nothing else. Never knows whether there is anything to take back.

mod counted;
mod given;

use super::{
    Classifier,
    phrase::Words,
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
    /// So many of the last changes.
    Several(usize),
    /// Everything that was written.
    All,
    /// What was written to a file.
    File(String),
    /// What was written to the file that a word may mean: without its ending or its folder.
    Named(String),
    /// What was written to the file at this place of the last work.
    FileAt(Nth),
    /// What these steps of the plan wrote.
    Steps(Vec<Nth>),
}

/// A place among several in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Nth {
    /// So many from the first, which is one.
    At(usize),
    /// The last.
    Last,
}

impl Classifier {
    /// What a whole line wants taken back, where it wants that and nothing else but to say why: "that was wrong, undo it".
    pub fn takes_back_what(&self, line: &str) -> Option<TakenBack> {
        let doc = text::tokenize(line);
        let all = Words::of(self, line, &doc);
        let from = all.past_mark().past_leads().1.past_why().and_then(|rest| rest.tokens.first());
        let from = from.or_else(|| all.past_mark().tokens.first()).map_or(0, |t| t.start);
        self.takes_back_plainly(line.get(from..)?)
    }

    fn takes_back_plainly(&self, line: &str) -> Option<TakenBack> {
        let doc = text::tokenize(line);
        let all = Words::of(self, line, &doc);
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
        let said = rest;
        let rest = rest.without_tails();
        let tail = said.from(rest.tokens.len());
        let (was, rest) = rest.without_was();
        let apart = (0..tail.tokens.len()).any(|at| tail.from(at).begins(List::UndoRest).is_some());
        let whole = tail.tokens.iter().any(|t| matches!(t.text.as_str(), "far" | "session"));
        let alone = rest.begins(List::UndoVerb) == Some(rest.tokens.len());
        // "undo nothing else", "undo everything but keep the rest", "undo so far": what is meant is not told.
        let vague = |what: &TakenBack| apart && (alone || *what == TakenBack::All) || whole && alone;
        rest.wanted(was).filter(|what| !vague(what))
    }
}

impl Words<'_> {
    fn wanted(self, was: bool) -> Option<TakenBack> {
        self.verb_first().or_else(|| self.split()).or_else(|| self.put(was)).or_else(|| self.verb_last())
    }

    /// Past what marks the item of a list: "- ", "1. ".
    pub(crate) fn past_mark(self) -> Self {
        let is = |at: usize, marks: &[&str]| {
            self.tokens.get(at).is_some_and(|t| t.kind == Kind::Punct && marks.contains(&&*t.text))
        };
        let number = self.tokens.first().is_some_and(|t| t.kind == Kind::Number);
        match () {
            () if is(0, &["-", "*", "•"]) => self.from(1),
            () if number && is(1, &[".", ")"]) => self.from(2),
            () => self,
        }
    }

    /// Past words that only say why: "that was wrong, ", "oops. ".
    fn past_why(self) -> Option<Self> {
        let (why, rest) = self.past(List::UndoWhy);
        (why > 0 && !rest.tokens.is_empty()).then_some(rest)
    }

    /// Past "please", "no, ", "can you"; whether one asked the agent to.
    pub(crate) fn past_leads(self) -> (bool, Self) {
        let (longest, rest) = self.past(List::UndoLead);
        (longest > 1, rest)
    }

    pub(crate) fn without_tails(self) -> Self {
        let said = self.to(self.tokens.iter().rposition(|t| t.text != ",").map_or(0, |at| at + 1));
        // Behind a mark it says why; with none before it it may say which: "the change that broke the build".
        let marked = |from: &usize| said.to(*from).tokens.last().is_some_and(|t| t.kind == Kind::Punct);
        let tail = said.ends(List::UndoTail).or_else(|| said.ends(List::UndoWhy).filter(marked));
        tail.map_or(said, |from| said.to(from).without_tails())
    }

    /// Without "as it was", and whether that was said.
    fn without_was(self) -> (bool, Self) {
        self.ends(List::UndoWas).map_or((false, self), |from| (true, self.to(from).without_tails()))
    }

    /// "undo", "revert the last change", "take back that", "undo src/main.c".
    fn verb_first(self) -> Option<TakenBack> {
        let len = self.begins(List::UndoVerb)?;
        let split = len == 1 && self.begins(List::UndoSplit).is_some();
        let rest = self.from(len);
        // "annule" stops what runs, "annule tout" as well.
        let stops = self.to(len).is(List::HaltPlain);
        let alone = (rest.tokens.is_empty() && !stops).then_some(TakenBack::Last);
        let vague = |what: &TakenBack| matches!(what, TakenBack::Named(_) | TakenBack::All | TakenBack::That);
        let what = || rest.what().filter(|what| !stops || !vague(what));
        if split { None } else { alone.or_else(what) }
    }

    /// "take that back", "mach das rückgängig".
    fn split(self) -> Option<TakenBack> {
        let len = self.begins(List::UndoSplit)?;
        let end = self.tokens.len().checked_sub(1).filter(|end| *end > len)?;
        self.from(end).begins(List::UndoBack)?;
        self.to(end).from(len).past_leads().1.without_tails().what()
    }

    /// "put README.md back", "put the README back", "restore the parser as it was": of a word that is not written as the names
    /// of files for people are, and of a pointing one, only where it says how that was, since a thing of the program may be
    /// put back as well.
    fn put(self, was: bool) -> Option<TakenBack> {
        if let Some(len) = self.begins(List::UndoRestore).filter(|_| was) {
            return self.from(len).what();
        }
        let len = self.begins(List::UndoPut)?;
        let end = self.tokens.len().checked_sub(1).filter(|end| *end > len)?;
        self.from(end).begins(List::UndoBack)?;
        let what = self.to(end).from(len).what()?;
        let plain = match &what {
            TakenBack::File(_) | TakenBack::All => true,
            TakenBack::Named(name) => name.len() > 1 && name.chars().all(char::is_uppercase),
            TakenBack::Last
            | TakenBack::That
            | TakenBack::Several(_)
            | TakenBack::FileAt(_)
            | TakenBack::Steps(_) => false,
        };
        (plain || was).then_some(what)
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

    /// "it", "your last edit", "the last two changes", "everything", "the changes to a.rs", "a.rs", "only the README": nothing
    /// else is named.
    fn what(self) -> Option<TakenBack> {
        if self.begins(List::UndoAll) == Some(self.tokens.len()) {
            return Some(TakenBack::All);
        }
        if let [_] = self.tokens
            && self.begins(List::UndoIt).is_some()
        {
            return Some(TakenBack::That);
        }
        if let Some(did) = self.did() {
            return did.thing();
        }
        let only = self.begins(List::UndoOnly).unwrap_or(0);
        let all = self.from(only).begins(List::UndoAll).filter(|len| *len == 1 && only == 0).unwrap_or(0);
        let rest = self.from(only + all);
        let rest = rest.from(rest.begins(List::UndoThe).unwrap_or(0));
        let last = rest.begins(List::UndoLast);
        let named = rest.from(last.unwrap_or(0));
        if let Some(several) = last.and_then(|_| named.several()) {
            return Some(several);
        }
        if named.begins(List::UndoWhat).is_none() {
            let counted = rest.counted().filter(|_| all == 0);
            return counted.or_else(|| if last.is_none() { rest.one_file() } else { None });
        }
        match named.from(1).tokens {
            // "undo changes" alone may mean any.
            [] if all > 0 => last.is_none().then_some(TakenBack::All),
            [] => (rest.tokens.len() < self.tokens.len() || last.is_some()).then_some(TakenBack::Last),
            [_, ..] if last.is_none() => {
                let of = named.from(1);
                of.from(of.begins(List::UndoOf)?).thing()
            }
            [_, ..] => None,
        }
    }

    /// "two changes", "3".
    fn several(self) -> Option<TakenBack> {
        let (count, rest) = (self.number()?, self.from(1));
        let whole = rest.tokens.is_empty() || rest.begins(List::UndoWhat) == Some(rest.tokens.len());
        (whole && count > 1).then_some(TakenBack::Several(count))
    }

    /// "a.rs", "README", "README change": one name and nothing else but what became of it.
    fn one_file(self) -> Option<TakenBack> {
        match self.tokens {
            [one] => self.file(one),
            [one, _] if self.from(1).begins(List::UndoWhat).is_some() => self.file(one),
            _ => None,
        }
    }

    fn file(self, token: &Token) -> Option<TakenBack> {
        let said = self.text.get(token.start..token.end)?;
        let name = match token.kind {
            Kind::File | Kind::Path => said,
            Kind::Tick => said.trim_matches('`'),
            Kind::Word | Kind::Ident => {
                let lists = [
                    List::UndoOwn,
                    List::UndoWhat,
                    List::UndoLast,
                    List::UndoIt,
                    List::UndoBack,
                    List::UndoAll,
                    List::UndoVerb,
                ];
                let other = lists.iter().any(|list| self.of.tables().is(*list, &token.text));
                let other =
                    other || Words { tokens: std::slice::from_ref(token), ..self }.ordinal().is_some();
                return (!other).then(|| TakenBack::Named(said.to_owned()));
            }
            Kind::Cjk | Kind::Number | Kind::Url | Kind::Quote | Kind::Code | Kind::Flag | Kind::Punct => {
                return None;
            }
        };
        Some(TakenBack::File(name.trim_start_matches("./").to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What wants nothing back of what was written, or not this alone.
    const NOTHING: &[&str] = &[
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
        "put the button back",
        "put it back into the list",
        "undo the plan",
        "undo everything but the tests",
        "undo the second one",
        "undo step 2 of the migration",
        "undo step 2 and the README",
        "undo step 2 and do it with a loop",
        "undo the second file and rewrite it",
        "that was wrong, do it again",
        "that was wrong in the spec, put it in the changelog",
        "wrong, it should take the back edge first",
        "undo my change in a.rs",
        "put the parser back",
        "restore the parser",
        "should I undo step 2?",
        "put the second step back into the tutorial",
        "undo the last change to the parser",
        "undo a.rs and b.rs",
        "mach es schneller",
        "annule la commande",
        "annule tout",
        "annuler le plan",
        "undo nothing else",
        "undo so far",
        "undo everything but keep the rest",
        "undo everything, nothing else",
        "take that all back",
        "undo the undo",
        "undo the change that broke the build",
        "revert the bit that is worse",
        "undo the edit that broke everything",
        "undo the changes in step 2 that broke the build",
        "revert the changes in parser.rs that broke the tests",
        "undo everything that is wrong",
        "undo all changes that broke the tests",
        "undo the last change that broke the tests",
        "take the change that is wrong back",
        "undo it broke the build",
    ];

    #[test]
    fn a_whole_line_wants_the_last_change_back() {
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
            "deshaz eso por favor",
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
            "rückgängig machen",
            "annule la dernière modification",
            "annuler la dernière modification s'il te plaît",
            "deshaz el último cambio",
            "deshacer",
            "desfaz",
        ] {
            assert_eq!(of(line), Some(TakenBack::Last), "{line}");
        }
        for line in NOTHING {
            assert_eq!(of(line), None, "{line}");
        }
    }

    #[test]
    fn a_whole_line_wants_back_what_stands_at_a_place_and_says_why() {
        let of = |line: &str| Classifier::builtin().takes_back_what(line);
        for (line, what) in [
            ("undo step 2", TakenBack::Steps(vec![Nth::At(2)])),
            ("- please undo the second step", TakenBack::Steps(vec![Nth::At(2)])),
            ("1. revert step 1, keep the rest", TakenBack::Steps(vec![Nth::At(1)])),
            ("undo steps 3, 1 and 2", TakenBack::Steps(vec![Nth::At(1), Nth::At(2), Nth::At(3)])),
            ("could you undo the last step?", TakenBack::Steps(vec![Nth::Last])),
            ("take back what step two did", TakenBack::Steps(vec![Nth::At(2)])),
            ("undo the changes of step 2", TakenBack::Steps(vec![Nth::At(2)])),
            ("mach bitte den zweiten Schritt rückgängig", TakenBack::Steps(vec![Nth::At(2)])),
            ("nimm Schritt 1 zurück, lass den Rest", TakenBack::Steps(vec![Nth::At(1)])),
            ("undo the second file", TakenBack::FileAt(Nth::At(2))),
            ("* revert the last file, it broke the build", TakenBack::FileAt(Nth::Last)),
        ] {
            assert_eq!(of(line), Some(what), "{line}");
        }
        // What is said with it, why, is no part of it.
        for (line, what) in [
            ("that was wrong, put it back", TakenBack::That),
            ("no, that's not what I wanted. undo it", TakenBack::That),
            ("das war falsch, mach es rückgängig", TakenBack::That),
            ("oops, wrong file, undo that please", TakenBack::That),
            ("I don't like it, put everything back how it was", TakenBack::All),
            ("not like that. undo the last change", TakenBack::Last),
            ("undo the last change, that broke the build", TakenBack::Last),
            ("undo everything, it broke the tests", TakenBack::All),
        ] {
            assert_eq!(of(line), Some(what), "{line}");
        }
    }

    #[test]
    fn a_whole_line_wants_a_file_several_changes_or_all_of_them_back() {
        let of = |line: &str| Classifier::builtin().takes_back_what(line);
        for (line, file) in [
            ("undo src/main.c", "src/main.c"),
            ("revert `a.rs`", "a.rs"),
            ("undo your changes to lib/parse.py", "lib/parse.py"),
            ("please roll back the changes in a.rs", "a.rs"),
            ("undo README.md but keep the rest", "README.md"),
            ("undo README.md, but keep the rest", "README.md"),
            ("put README.md back as it was", "README.md"),
            ("put lib/parse.js back", "lib/parse.js"),
            ("revert just a.rs", "a.rs"),
            ("take the a.rs change back", "a.rs"),
        ] {
            assert_eq!(of(line), Some(TakenBack::File(file.to_owned())), "{line}");
        }
        // A word may name a file: the session knows whether one of that name was written.
        for (line, name) in [
            ("revert only the README", "README"),
            ("revert the README", "README"),
            ("take the README change back", "README"),
            ("put the README back", "README"),
            ("take back what you did to the README", "README"),
            ("restore the README to what it was before", "README"),
            ("put the README back as it was", "README"),
            ("undo the changes to the README", "README"),
            ("undo the readme only, please", "readme"),
            ("roll the dice back", "dice"),
            ("undo the parser", "parser"),
        ] {
            assert_eq!(of(line), Some(TakenBack::Named(name.to_owned())), "{line}");
        }
        for line in [
            "revert everything you did",
            "undo everything",
            "take everything back",
            "undo all your changes",
            "please undo all of that",
            "put everything back as it was",
            "mach alles rückgängig",
            "deshaz todo",
            "undo everything you did in this session",
        ] {
            assert_eq!(of(line), Some(TakenBack::All), "{line}");
        }
        for (line, count) in
            [("undo the last two changes", 2), ("revert your last 3 edits", 3), ("take the last two back", 2)]
        {
            assert_eq!(of(line), Some(TakenBack::Several(count)), "{line}");
        }
    }
}
