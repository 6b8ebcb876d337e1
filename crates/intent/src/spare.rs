//! What a message says is to be left alone: files by name, and whole kinds of them.
//!
//! Owns the grammar of that: "don't touch", "leave … alone", "only X, not the tests", "no test changes", "hands off". Never decides what is such a file:
//! the session does.

mod freed;
mod stays;

use pilothouse_shell::FileKind;

use super::{
    Classifier,
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
    /// Whether a question mark ends it.
    asks: bool,
}

impl Classifier {
    /// The files that a message says are not to be touched, as it names them, and the kinds of files by the name of the
    /// kind: "do not touch README.md", "leave the tests alone".
    pub fn spares(&self, text: &str) -> Vec<String> {
        self.named_by(text, |reader| {
            let told = reader.forbidden().into_iter().chain(reader.left());
            told.chain(reader.kept_from()).chain(reader.staying()).collect()
        })
    }

    fn named_by(&self, text: &str, names: impl Fn(&Reader<'_>) -> Vec<String>) -> Vec<String> {
        let doc = text::tokenize(text);
        let mut out: Vec<String> = Vec::new();
        for tokens in doc.tokens.split_inclusive(ends_clause) {
            let (tokens, mark) = match tokens.split_last() {
                Some((mark, rest)) if ends_clause(mark) => (rest, Some(mark)),
                Some(_) | None => (tokens, None),
            };
            let reader = Reader { of: self, text, tokens, asks: mark.is_some_and(|t| t.text == "?") };
            for name in names(&reader) {
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

fn ends_clause(token: &Token) -> bool {
    token.kind == Kind::Punct && token.text != ","
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
        let several = |len: usize| Some((self.kind_of(&self.words(at, len))?, len));
        let each = || at.checked_sub(1).is_some_and(|before| self.is(before, List::SpareEach));
        let each = || each() || at > 1 && self.is(at - 1, List::SpareNow) && self.is(at - 2, List::SpareEach);
        (1..=3).rev().find_map(several).or_else(|| Some((self.kind_of_one(at).filter(|_| each())?, 1)))
    }

    fn kind_of(&self, words: &str) -> Option<FileKind> {
        FileKind::ALL.into_iter().find(|kind| self.of.tables().is(list_of(*kind), words))
    }

    /// The kind that one thing of it names: "every test", "no doc changes".
    fn kind_of_one(&self, at: usize) -> Option<FileKind> {
        let word = self.word(at);
        self.kind_of(word).or_else(|| self.kind_of(&format!("{word}s"))).filter(|_| !word.is_empty())
    }

    fn words(&self, at: usize, len: usize) -> String {
        (at..at + len).map(|at| self.word(at)).collect::<Vec<_>>().join(" ")
    }

    /// How many words of a phrase of a list stand there.
    fn phrase(&self, at: usize, list: List) -> Option<usize> {
        (1..=3).rev().find(|len| self.of.tables().is(list, &self.words(at, *len)))
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
        let narrows = |at: &usize| !self.is(*at, List::SpareBefore) && !self.is(*at, List::SpareNow);
        (at..self.tokens.len()).find(narrows).unwrap_or(self.tokens.len())
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
        let stress = self.phrase(at, List::SpareStress);
        stress.map_or(at, |len| self.past_stress(at + len))
    }

    /// Whether what was named is all of it: nothing follows that narrows it ("the tests of the parser", "… by hand"). A
    /// reason, a time or a condition does not ("… because they are right", "… until I say so").
    fn ends(&self, at: usize) -> bool {
        let at = self.past_stress(at);
        at >= self.tokens.len() || self.ties(at) || self.is(at, List::But) || self.is(at, List::SpareClose)
    }

    fn negates(&self, at: usize) -> bool {
        if (0..=2).any(|back| {
            at.checked_sub(back).and_then(|from| self.phrase(from, List::SpareNever)) == Some(back + 1)
        }) {
            return true;
        }
        let asks = at.checked_sub(1).is_some_and(|before| self.is(before, List::SpareWhy));
        !asks && (self.is(at, List::ForbidNot) || self.is(at, List::Not))
    }

    /// "don't touch a.rs and b.rs", "without changing the tests"; where the verb comes last, "die Tests nicht anfassen".
    fn forbidden(&self) -> Vec<String> {
        let mut out = Vec::new();
        for at in 1..self.tokens.len() {
            // Of a kind only what changes it counts: "don't run the tests" leaves them as open as before.
            let changes = self.is(at, List::Touch) || self.stem(at, List::SpareStem);
            let (names, end) = self.object(at + 1 + usize::from(self.word(at + 1) == "pas"));
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
        let asked = self.asks && self.is(0, List::SpareWhy);
        let without = self.is(at, List::SpareWithout);
        let (names, end) = self.object(at + usize::from(without));
        let end = if self.not_at(end).is_some() { end } else { self.past_stress(end) };
        let not = self.not_at(end).is_some() || without;
        let verb = (end..end + 4).find(|at| self.is(*at, List::SpareLast));
        verb.filter(|verb| not && !asked && self.ends(verb + 1)).map_or_else(Vec::new, |_| names)
    }

    /// "fass die Tests nicht an", "ändere die Tests bitte nicht".
    fn verb_first(&self, at: usize) -> Vec<String> {
        if !self.is(at, List::SpareFirst) {
            return Vec::new();
        }
        let (names, end) = self.object(at + 1);
        let Some(not) = self.not_at(end).or_else(|| self.not_at(self.past_stress(end))) else {
            return Vec::new();
        };
        let behind = not + usize::from(self.is(not, List::SpareParticle));
        if self.ends(behind) { names } else { Vec::new() }
    }

    /// The end of a negation behind what is named.
    fn not_at(&self, at: usize) -> Option<usize> {
        let never = || self.phrase(at, List::SpareNever).map(|len| at + len);
        self.is(at, List::SpareNot).then_some(at + 1).or_else(never)
    }

    /// "hands off the tests", "no test changes", "only change src, not the tests".
    fn kept_from(&self) -> Vec<String> {
        let mut out = Vec::new();
        for at in 0..self.tokens.len() {
            if let Some(len) = self.phrase(at, List::SpareOff) {
                let (names, end) = self.object(at + len);
                out.extend(names.into_iter().filter(|_| self.ends(end)));
            }
            out.extend(self.no_change(at));
            out.extend(self.contrasted(at));
        }
        out
    }

    /// "no test changes", "with no changes to the docs", "keine Änderungen an den Tests"; of "no test changes the data" and
    /// "there were no test changes" it is told.
    fn no_change(&self, at: usize) -> Vec<String> {
        let opens =
            || at == 0 || self.ties(at - 1) || self.is(at - 1, List::But) || self.is(at - 1, List::SpareMake);
        if !self.is(at, List::Not) || !(self.is(at, List::ForbidNot) && self.word(at) == "without" || opens())
        {
            return Vec::new();
        }
        let first = self.past_articles(at + 1);
        if let Some(kind) = self.kind_of_one(first).filter(|_| self.is(first + 1, List::SpareNoun)) {
            return if self.ends(first + 2) { vec![kind.name().to_owned()] } else { Vec::new() };
        }
        if !self.is(first, List::SpareNoun) || !self.is(first + 1, List::SpareNounOf) {
            return Vec::new();
        }
        let (names, end) = self.object(first + 2);
        if self.ends(end) { names } else { Vec::new() }
    }

    /// "only change src, not the tests", "fix it in the code and not in the tests": what is changed is one thing, and not
    /// the other. "run the linter, not the tests" spares nothing, and neither does a question.
    fn contrasted(&self, at: usize) -> Vec<String> {
        let apart =
            at > 1 && (self.is_comma(at - 1) || self.is(at - 1, List::But) || self.is(at - 1, List::Tie));
        let not = (self.is(at, List::SpareNot) || self.word(at) == "not") && !self.is(at, List::SpareEach);
        if self.asks || !apart || !not || !self.changes_before(at) {
            return Vec::new();
        }
        let (names, end) = self.object(at + 1 + usize::from(self.is(at + 1, List::SpareNotIn)));
        if self.ends(end) { names } else { Vec::new() }
    }

    /// Whether what stands before is an order to change something, or names the only thing that may be changed.
    fn changes_before(&self, end: usize) -> bool {
        let orders = |at: usize| {
            let told = |word: &str| ["ed", "s"].iter().any(|end| word.ends_with(end));
            let noun = at > 0
                && (self.is(at - 1, List::Article)
                    || self.is(at - 1, List::Preposition) && self.word(at - 1) != "to");
            let verb =
                self.stem(at, List::SpareStem) && !told(self.word(at)) || self.is(at, List::SpareFirst);
            verb && !noun
        };
        let only = || {
            self.is(0, List::SpareOnly) && {
                let (_, end_of) = self.object(1);
                let plain = self.past_articles(1) + 1;
                [end_of, plain]
                    .iter()
                    .any(|at| at + 1 == end && (self.is_comma(*at) || self.is(*at, List::But)))
            }
        };
        (0..end).any(orders) || only()
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
            ("keep your hands off the tests, and leave them alone", vec![tests]),
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
    fn a_contrast_a_noun_and_hands_off_leave_it_alone_as_well() {
        let tests = FileKind::Tests.name();
        for (said, spared) in [
            ("only change src, not the tests", vec![tests]),
            ("change src but not the tests", vec![tests]),
            ("fix it in the code and not in the tests", vec![tests]),
            ("no test changes", vec![tests]),
            ("make it faster with no changes to the tests", vec![tests]),
            ("rename it without test changes", vec![tests]),
            ("don't touch the existing tests", vec![tests]),
            ("leave every existing test untouched", vec![tests]),
            ("under no circumstances touch the tests", vec![tests]),
            ("don't touch the CI config", vec![FileKind::Config.name()]),
            ("fix it without touching any tests", vec![tests]),
            ("hands off the tests", vec![tests]),
            ("nur src, nicht die Tests", vec![tests]),
            ("ändere src, aber nicht die Tests", vec![tests]),
            ("keine Änderungen an den Tests", vec![tests]),
            ("fass die Tests unter keinen Umständen an", vec![tests]),
            ("Finger weg von den Tests", vec![tests]),
            ("fix the parser, not README.md", vec!["README.md"]),
        ] {
            assert_eq!(Classifier::builtin().spares(said), spared, "{said}");
        }
        for said in [
            "run the linter, not the tests",
            "only run src, not the tests",
            "the parser is broken, not the tests",
            "run the tests that changed, not the specs",
            "change the tests but not the way they are run",
            "should I change the code, not the tests?",
            "no test changes the database",
            "there were no test changes",
            "no config changes were needed, so fix it",
            "keep your hands off the mouse and fix the tests",
            "change any test that is slow",
            "don't touch any test data",
            "only change the tests, not the code",
            "ändere die Tests, nicht den Code",
            "it is the code that fails, and not the tests, so fix it",
        ] {
            let kinds: Vec<String> = Classifier::builtin().spares(said);
            assert_eq!(kinds, Vec::<String>::new(), "{said}");
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
