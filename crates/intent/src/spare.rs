//! What a message says is to be left alone: files by name, and whole kinds of them.
//!
//! Owns the grammar of that: "don't touch", "leave … alone", "keep … as they are". Never decides what is such a file:
//! the session does.

use super::{
    Classifier,
    kinds::FileKind,
    text::{self, Kind, Token},
    words::List,
};

/// The words that mean a kind.
const fn list_of(kind: FileKind) -> List {
    match kind {
        FileKind::Tests => List::SpareTests,
        FileKind::Docs => List::SpareDocs,
        FileKind::Config => List::SpareConfig,
        FileKind::Locks => List::SpareLocks,
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

impl Classifier {
    /// Whether a message negates anything; a "no" at its beginning answers.
    pub fn negates(&self, text: &str) -> bool {
        let doc = text::tokenize(text);
        let not =
            |t: &Token| self.tables().is(List::ForbidNot, &t.text) || self.tables().is(List::Not, &t.text);
        doc.tokens.iter().skip(1).any(not)
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
            Kind::Word | Kind::Ident if self.is_capital(said) || self.is(at, List::SpareNames) => Some(said),
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

    /// The kind of files that words name, and how many words.
    fn kind(&self, at: usize) -> Option<(FileKind, usize)> {
        let two = [self.word(at), self.word(at + 1)].join(" ");
        let known = |kind: FileKind, words: &str| self.of.tables().is(list_of(kind), words);
        let of = |words: &str| FileKind::ALL.into_iter().find(|kind| known(*kind, words));
        of(&two).map(|kind| (kind, 2)).or_else(|| Some((of(self.word(at))?, 1)))
    }

    fn ties(&self, at: usize) -> bool {
        // "of" is a Dutch "or".
        let or = self.is(at, List::Or) && !self.is(at, List::SpareBefore);
        self.is(at, List::Tie) || or || self.is_comma(at)
    }

    fn is_comma(&self, at: usize) -> bool {
        self.tokens.get(at).is_some_and(|t| t.kind == Kind::Punct)
    }

    fn named(&self, at: usize) -> Option<(String, usize)> {
        let kind = self.kind(at).map(|(kind, len)| (kind.name().to_owned(), len));
        kind.or_else(|| self.file(at).map(|file| (file.to_owned(), 1)))
    }

    /// Whether a word is written in capitals, as files like README and LICENSE are named; where all of a message is, that
    /// says nothing.
    fn is_capital(&self, word: &str) -> bool {
        let shouts = !self.text.contains(char::is_lowercase);
        !shouts && word.len() > 3 && word.chars().all(|c| c.is_ascii_uppercase() || c == '_')
    }

    /// Past "anything in", "any file of", where that opens what is named.
    fn past_inside(&self, from: usize) -> usize {
        let opens = |at: &usize| self.is(*at, List::SpareAny) || self.is(*at, List::SpareBefore);
        let at = (from..self.tokens.len()).find(|at| !opens(at)).unwrap_or(from);
        if at > from && self.is(at, List::SpareInside) { at + 1 } else { from }
    }

    fn past_articles(&self, at: usize) -> usize {
        (at..self.tokens.len()).find(|at| !self.is(*at, List::SpareBefore)).unwrap_or(self.tokens.len())
    }

    /// Files and kinds that stand right there, tied to each other, and where they end.
    fn object(&self, from: usize) -> (Vec<String>, usize) {
        let (mut names, mut at) = (Vec::new(), self.past_inside(from));
        while let Some((name, len)) = self.named(self.past_articles(at)) {
            names.push(name);
            at = self.past_articles(at) + len;
            let next = self.past_articles(at + 1);
            if !self.ties(at) || self.named(next).is_none() {
                break;
            }
            at += 1;
        }
        (names, at)
    }

    /// Past what only stresses: "the tests themselves", "… at all", "… please".
    fn past_stress(&self, at: usize) -> usize {
        let stress = |len: &usize| {
            let words: Vec<&str> = (at..at + len).map(|at| self.word(at)).collect();
            self.of.tables().is(List::SpareStress, &words.join(" "))
        };
        (1..=3).find(stress).map_or(at, |len| self.past_stress(at + len))
    }

    /// Whether what was named is all of it: nothing follows that narrows it ("the tests of the parser", "… by hand"). A
    /// reason, a time or a condition does not ("… because they are right", "… until I say so").
    fn ends(&self, at: usize) -> bool {
        let at = self.past_stress(at);
        at >= self.tokens.len() || self.ties(at) || self.is(at, List::But) || self.is(at, List::SpareClose)
    }

    fn negates(&self, at: usize) -> bool {
        let asks = at.checked_sub(1).is_some_and(|before| self.is(before, List::SpareWhy));
        !asks && (self.is(at, List::ForbidNot) || self.is(at, List::Not))
    }

    /// "don't touch a.rs and b.rs", "without changing the tests"; where the verb comes last, "die Tests nicht anfassen".
    fn forbidden(&self) -> Vec<String> {
        let mut out = Vec::new();
        for at in 1..self.tokens.len() {
            // Of a kind only what changes it counts: "don't run the tests" leaves them as open as before.
            let changes = self.is(at, List::Touch) || self.stem(at, List::SpareStem);
            let (names, end) = self.object(at + 1);
            if changes && self.negates(at - 1) && self.ends(end) {
                out.extend(names);
            }
        }
        for at in 0..self.tokens.len() {
            out.extend(self.verb_last(at));
            out.extend(self.verb_first(at));
        }
        out
    }

    /// "die Tests nicht anfassen", "ohne die Tests zu ändern".
    fn verb_last(&self, at: usize) -> Vec<String> {
        let without = self.is(at, List::SpareWithout);
        let (names, end) = self.object(at + usize::from(without));
        let end = self.past_stress(end);
        let not = self.is(end, List::SpareNot) || without;
        let verb = (end..end + 3).find(|at| self.is(*at, List::SpareLast));
        verb.filter(|verb| not && self.ends(verb + 1)).map_or_else(Vec::new, |_| names)
    }

    /// "fass die Tests nicht an", "ändere die Tests bitte nicht".
    fn verb_first(&self, at: usize) -> Vec<String> {
        if !self.is(at, List::SpareFirst) {
            return Vec::new();
        }
        let (names, end) = self.object(at + 1);
        let end = self.past_stress(end);
        let behind = end + 1 + usize::from(self.is(end + 1, List::SpareParticle));
        if self.is(end, List::SpareNot) && self.ends(behind) { names } else { Vec::new() }
    }

    /// "leave the tests alone", "keep README.md as it is", "lass die Tests in Ruhe".
    fn left(&self) -> Vec<String> {
        let mut out = Vec::new();
        for at in (0..self.tokens.len()).filter(|at| self.is(*at, List::SpareLeave)) {
            let (names, end) = self.object(at + 1);
            let end = self.past_stress(end);
            let end = end + usize::from(self.is(end, List::SpareIn));
            // "as" alone goes on with another thing.
            let whole = !self.is(end, List::SpareAs) || self.is(end + 1, List::SpareIs);
            if self.is(end, List::SpareEnd) && whole {
                out.extend(names);
            }
        }
        out
    }
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
            ("the tests are red, make them green. don't touch the tests themselves", vec![tests]),
            ("don't change the tests at all, please", vec![tests]),
            ("do not edit README.md itself yet", vec!["README.md"]),
            ("leave the tests themselves as they are", vec![tests]),
            ("don't touch the config in any way, just the code", vec![FileKind::Config.name()]),
            ("leave a.rs untouched", vec!["a.rs"]),
            ("keep your hands off the tests, and leave them alone", vec![]),
            ("benenne es um, ohne die Tests zu ändern", vec![tests]),
            ("die Tests nicht anfassen", vec![tests]),
            ("lass die Tests in Ruhe", vec![tests]),
            ("don't touch the tests because they are right", vec![tests]),
            ("don't touch the tests since they are right", vec![tests]),
            ("don't touch the tests until I say so", vec![tests]),
            ("don't touch the tests in any case", vec![tests]),
            ("don't touch the tests whatever happens", vec![tests]),
            ("don't touch the tests today", vec![tests]),
            ("don't touch the tests this time", vec![tests]),
            ("don't touch the tests to make them pass", vec![tests]),
            ("don't touch the tests unless I say so", vec![tests]),
            ("don't edit the tests while you fix the parser", vec![tests]),
            ("don't touch anything in tests/", vec!["tests/"]),
            ("don't change anything in the docs", vec![FileKind::Docs.name()]),
            ("never touch any file under src/gen/", vec!["src/gen/"]),
            ("fass die Tests bitte nicht an", vec![tests]),
            ("ändere die Tests nicht", vec![tests]),
            ("Tests bitte nicht ändern", vec![tests]),
            ("fass die Tests nicht an, weil sie stimmen", vec![tests]),
            ("DON'T TOUCH THE TESTS", vec![tests]),
            ("DON'T TOUCH THE README", vec!["README"]),
            (
                "please do not edit the docs, the config or LICENSE",
                vec![FileKind::Docs.name(), FileKind::Config.name(), "LICENSE"],
            ),
            ("make it faster, never touching the tests", vec![tests]),
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
            "don't touch the tests that are slow",
            "don't change the tests at random",
            "don't touch the tests of the parser",
            "don't change the test runner",
            "don't leave the tests red",
            "do not touch a private field, then update the tests",
            "make sure the tests are not skipped",
            "leave a comment in the tests",
            "keep fixing the tests as needed",
            "keep going until the tests pass as well",
            "keep the tests green as you go",
            "keep the config file small as it is loaded often",
            "don't forget to update the tests",
            "don't hesitate to edit the tests",
            "don't just update the docs, update the code",
            "why not change the tests?",
            "don't change the code without updating the tests too",
            "do not change anything except the tests",
            "don't touch anything but the tests",
            "don't modify the code, only the tests",
            "do not edit any file other than README.md",
            "never edit files outside docs",
            "don't remove tests, add more",
            "don't change how the tests are run",
            "don't touch the tests for the parser",
            "don't touch the tests whose names begin with x",
            "don't touch the tests under load",
            "don't change anything in the docs that is right",
            "don't change the config format",
            "ändere die Tests nicht nur dort",
            "don't rename the license field in Cargo.toml",
            "I never edit the config by hand, so write it for me",
            "Die Tests laufen nicht auf anderen Rechnern, behebe das",
            "Behebe die Tests, die nicht mit den anderen laufen",
        ] {
            let kinds: Vec<String> = Classifier::builtin().spares(said);
            assert_eq!(kinds, Vec::<String>::new(), "{said}");
        }
        let spared = Classifier::builtin().spares("do not touch a.rs and update the tests");
        assert_eq!(spared, ["a.rs"]);
    }
}
