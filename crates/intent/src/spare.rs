//! What a message says is to be left alone: files by name, and whole kinds of them.
//!
//! Owns the grammar of that: "don't touch", "leave … alone", "keep … as they are". Never decides what is such a file:
//! the session does.

use super::{
    Classifier,
    text::{self, Kind, Token},
    words::List,
};

/// Words behind "leave" or "keep" within which its end is looked for.
const NEAR: usize = 7;

/// A kind of files that can be meant as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// Tests.
    Tests,
    /// Text for people.
    Docs,
    /// Settings of programs.
    Config,
    /// What tools write down of versions.
    Locks,
}

impl FileKind {
    /// All.
    pub const ALL: [Self; 4] = [Self::Tests, Self::Docs, Self::Config, Self::Locks];

    /// It as it is told, and kept: no file is called so.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tests => "the tests",
            Self::Docs => "the docs",
            Self::Config => "the configuration",
            Self::Locks => "the lock files",
        }
    }

    const fn list(self) -> List {
        match self {
            Self::Tests => List::SpareTests,
            Self::Docs => List::SpareDocs,
            Self::Config => List::SpareConfig,
            Self::Locks => List::SpareLocks,
        }
    }
}

/// A clause in which something is looked for that is to be left alone.
struct Reader<'a> {
    of: &'a Classifier,
    text: &'a str,
    tokens: &'a [Token],
}

impl Classifier {
    /// The files that a message says are not to be touched, as it names them, and the kinds of files by the name of the
    /// kind: "do not touch README.md", "leave the tests alone".
    pub fn spares(&self, text: &str) -> Vec<String> {
        let doc = text::tokenize(text);
        let mut out: Vec<String> = Vec::new();
        for tokens in doc.tokens.split(|t| t.kind == Kind::Punct && t.text != ",") {
            let reader = Reader { of: self, text, tokens };
            for name in reader.forbidden().into_iter().chain(reader.left()) {
                let name = name.trim_start_matches("./").to_owned();
                if !out.contains(&name) {
                    out.push(name);
                }
            }
        }
        out
    }
}

impl Reader<'_> {
    fn word(&self, at: usize) -> &str {
        self.tokens.get(at).filter(|t| t.kind == Kind::Word).map_or("", |t| &t.text)
    }

    fn is(&self, at: usize, list: List) -> bool {
        self.of.tables().is(list, self.word(at))
    }

    fn stem(&self, at: usize, list: List) -> bool {
        let word = self.word(at);
        self.of.tables().words.list(list).iter().any(|stem| word.starts_with(&**stem))
    }

    /// What a token names as a file.
    fn file(&self, at: usize) -> Option<&str> {
        let token = self.tokens.get(at)?;
        let said = self.text.get(token.start..token.end)?;
        match token.kind {
            Kind::File | Kind::Path => Some(said),
            Kind::Tick | Kind::Quote => Some(said.trim_matches(['`', '"', '\'', '“', '”'])),
            Kind::Word | Kind::Ident if is_capital(said) || self.is(at, List::SpareNames) => Some(said),
            Kind::Word
            | Kind::Cjk
            | Kind::Number
            | Kind::Url
            | Kind::Ident
            | Kind::Code
            | Kind::Flag
            | Kind::Punct => None,
        }
    }

    /// The kind of files that a word names: all of it, and not a part ("the other tests", "the tests of the parser").
    fn kind(&self, at: usize) -> Option<FileKind> {
        let words = [self.word(at), self.word(at + 1)].join(" ");
        let (one, two) = (self.word(at), words.trim_end());
        let known = |list, word: &str| self.of.tables().is(list, word);
        let kind = FileKind::ALL.into_iter().find_map(|kind| {
            let len =
                if two != one && known(kind.list(), two) { 2 } else { usize::from(known(kind.list(), one)) };
            (len > 0).then_some((kind, len))
        });
        let (kind, len) = kind?;
        let before = at.checked_sub(1);
        // "lass die Tests in Ruhe" ends there.
        let of = self.is(at + len, List::SpareOf) && !self.is(at + len + 1, List::SpareEnd);
        let part = before.is_some_and(|b| self.is(b, List::SparePart)) || of;
        (!part).then_some(kind)
    }

    fn ties(&self, at: usize) -> bool {
        self.is(at, List::Tie) || self.is(at, List::Or)
    }

    fn named(&self, at: usize) -> Option<String> {
        self.file(at).map(str::to_owned).or_else(|| self.kind(at).map(|kind| kind.name().to_owned()))
    }

    /// "don't touch a.rs and b.rs", "without changing the tests"; where the verb comes last, "die Tests nicht anfassen".
    fn forbidden(&self) -> Vec<String> {
        let mut out = Vec::new();
        let (mut negated, mut touched, mut between) = (false, None, false);
        for at in 0..self.tokens.len() {
            let negates = self.is(at, List::ForbidNot) || self.is(at, List::Not);
            // Of kinds only what changes them counts: "don't run the tests" leaves them as open as before.
            let changes = self.is(at, List::Touch) || self.stem(at, List::ChangeStem);
            if negates {
                (negated, touched, between) = (true, None, false);
            } else if changes && between && !self.is(at.saturating_sub(1), List::Or) {
                // "don't touch a.rs and update b.rs" orders the second, "don't rename and move it" neither.
                (negated, touched, between) = (false, None, false);
            } else if changes {
                touched = negated.then_some(self.is(at, List::Touch) || self.stem(at, List::SpareStem));
            } else if let Some(whole) = touched {
                let name = if whole { self.named(at) } else { self.file(at).map(str::to_owned) };
                between |= name.is_some() || !(self.word(at).is_empty() || self.ties(at));
                out.extend(name);
            }
        }
        out.extend(self.verb_last());
        out
    }

    /// "die Tests nicht anfassen", "ohne die Tests zu ändern".
    fn verb_last(&self) -> Vec<String> {
        let all = 0..self.tokens.len();
        let Some(verb) = all.clone().rev().find(|at| self.stem(*at, List::SpareLast)) else {
            return Vec::new();
        };
        let negated = all.clone().any(|at| at < verb + 3 && self.is(at, List::SpareNot));
        let from = all.clone().take(verb).rev().take_while(|at| !self.is(*at, List::But)).last();
        if !negated {
            return Vec::new();
        }
        (from.unwrap_or(verb)..verb).filter_map(|at| self.named(at)).collect()
    }

    /// "leave the tests alone", "keep README.md as it is", "lass die Tests in Ruhe".
    fn left(&self) -> Vec<String> {
        let mut out = Vec::new();
        for at in (0..self.tokens.len()).filter(|at| self.is(*at, List::SpareLeave)) {
            let near = at + 1..(at + NEAR).min(self.tokens.len());
            let end = near.clone().find(|at| self.is(*at, List::SpareEnd));
            for found in near.take_while(|at| end.is_some_and(|end| *at < end)) {
                out.extend(self.named(found));
            }
        }
        out
    }
}

/// Whether a word is written in capitals, as files like README and LICENSE are named.
fn is_capital(word: &str) -> bool {
    word.len() > 3 && word.chars().all(|c| c.is_ascii_uppercase() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_to_be_left_alone_is_known_by_name_and_by_kind() {
        let tests = FileKind::Tests.name();
        for (said, spared) in [
            ("do not touch README.md", vec!["README.md"]),
            ("fix it without changing src/a.rs or `b.rs`", vec!["src/a.rs", "b.rs"]),
            ("fix the parser, but leave the tests alone", vec![tests]),
            ("Add a flag. Don't touch the tests.", vec![tests]),
            ("rename it without touching tests", vec![tests]),
            ("leave the test files as they are and fix the code", vec![tests]),
            ("keep the docs as they are", vec![FileKind::Docs.name()]),
            ("don't modify the tests or the docs", vec![tests, FileKind::Docs.name()]),
            ("do not change the config files", vec![FileKind::Config.name()]),
            ("don't touch the lockfile", vec![FileKind::Locks.name()]),
            ("leave the readme alone", vec!["readme"]),
            ("leave a.rs untouched", vec!["a.rs"]),
            ("keep your hands off the tests, and leave them alone", vec![]),
            ("benenne es um, ohne die Tests zu ändern", vec![tests]),
            ("die Tests nicht anfassen", vec![tests]),
            ("lass die Tests in Ruhe", vec![tests]),
        ] {
            assert_eq!(Classifier::builtin().spares(said), spared, "{said}");
        }
    }

    #[test]
    fn what_speaks_of_a_part_or_of_something_else_spares_no_kind() {
        for said in [
            "fix the tests",
            "don't run the tests",
            "don't break the tests",
            "do not add tests",
            "keep the other tests as they are",
            "don't touch the tests of the parser",
            "don't change the test runner",
            "don't leave the tests red",
            "do not touch a private field, then update the tests",
            "make sure the tests are not skipped",
            "leave a comment in the tests",
        ] {
            let kinds: Vec<String> = Classifier::builtin().spares(said);
            assert_eq!(kinds, Vec::<String>::new(), "{said}");
        }
        let spared = Classifier::builtin().spares("do not touch a.rs and update the tests");
        assert_eq!(spared, ["a.rs"]);
    }
}
