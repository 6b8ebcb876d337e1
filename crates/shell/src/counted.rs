//! How many rounds a loop makes, as far as that can be told from its line.
//!
//! Owns what ends a loop: a list, a number in its condition, what is read, a variable that its rounds change. Never
//! walks a body.

use std::collections::HashSet;

use super::expand::Feed;
use super::parse::bare;
use super::syntax::{Kind, Node, Piece, Script, Word};
use super::walk::Walker;

/// Rounds of a loop that nothing ends.
const ENDLESS: usize = usize::MAX;

/// Commands whose words are names of variables that they change.
const CHANGING: [&str; 8] = ["read", "let", "unset", "printf", "mapfile", "readarray", "declare", "local"];

/// What is asked before each round, and what may be another before the next.
#[derive(Default)]
struct Count {
    asked: HashSet<String>,
    changed: HashSet<String>,
    /// A round takes a line, an option or a word of what there is.
    takes: bool,
    /// The highest number that something is compared with.
    most: usize,
}

impl Walker<'_> {
    /// The most rounds of a `while` or `until`, or of a `for ((…))` with these words; none where it only reads on.
    pub(super) fn rounds_of_loop(&self, words: &[Word], bodies: &[Script], feed: &Feed) -> usize {
        let mut count = Count::default();
        if let [start, condition, step] = head(words).split(';').collect::<Vec<_>>().as_slice() {
            count.numbers(start);
            count.calculation(condition);
            count.calculates(step);
        }
        if let ([condition, _], true) = (bodies, words.is_empty()) {
            count.condition(condition);
        }
        for body in bodies {
            count.changes(body);
        }
        if count.takes {
            let lines = if let Feed::Text(text) = feed { text.lines().count() } else { 1 };
            return if self.upstream_endless { ENDLESS } else { lines };
        }
        if count.asked.is_disjoint(&count.changed) {
            return ENDLESS;
        }
        let held = |name: &String| self.value_of(name).and_then(|value| value.text.parse().ok());
        count.asked.iter().filter_map(held).fold(count.most, usize::max)
    }
}

/// The head of a `for ((…))` as one text.
fn head(words: &[Word]) -> String {
    let text = |piece: &Piece| match piece {
        Piece::Text(text, _) => text.clone(),
        Piece::Var { name, .. } => name.clone(),
        Piece::Sub { .. } | Piece::Proc { .. } | Piece::Arith(_) => " ".to_owned(),
    };
    words.iter().flat_map(|word| &word.pieces).map(text).collect()
}

/// The names and numbers of a calculation.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
}

fn names(text: &str) -> impl Iterator<Item = String> {
    parts(text)
        .filter(|part| part.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_'))
        .map(str::to_owned)
}

impl Count {
    fn condition(&mut self, condition: &Script) {
        for node in condition.iter().flat_map(|pipeline| &pipeline.nodes) {
            match &node.kind {
                Kind::Simple { words, .. } => self.asks(words),
                Kind::Test { words, .. } => self.compared(words),
                Kind::Compound { bodies, .. } => {
                    for body in bodies {
                        self.condition(body);
                    }
                }
                Kind::Each { .. } | Kind::Function { .. } => {}
            }
        }
    }

    fn asks(&mut self, words: &[Word]) {
        match words.first().and_then(bare) {
            Some("read" | "shift" | "getopts" | "mapfile" | "readarray") => self.takes = true,
            Some("[" | "test" | "let") => self.compared(words),
            _ => {}
        }
    }

    /// The words of `[ ]`, `[[ ]]`, `(( ))`, `let`.
    fn compared(&mut self, words: &[Word]) {
        for word in words {
            self.arithmetic(&word.pieces);
        }
    }

    /// What is calculated with or compared: its names, its numbers, and which of the names it changes.
    fn arithmetic(&mut self, pieces: &[Piece]) {
        for piece in pieces {
            match piece {
                Piece::Text(text, _) => self.calculation(text),
                Piece::Var { name, .. } => {
                    self.asked.insert(name.clone());
                }
                Piece::Arith(inner) => self.arithmetic(inner),
                Piece::Sub { .. } | Piece::Proc { .. } => {}
            }
        }
    }

    fn calculation(&mut self, text: &str) {
        self.asked.extend(names(text));
        self.numbers(text);
        self.calculates(text);
    }

    fn numbers(&mut self, text: &str) {
        let digits = |part: &&str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        let numbers = parts(text).filter(digits).map(|part| part.parse().unwrap_or(ENDLESS));
        self.most = numbers.fold(self.most, usize::max);
    }

    /// The names that a calculation changes: all of one with a sign that sets something.
    fn calculates(&mut self, text: &str) {
        let plain =
            ["==", "<=", ">=", "!="].iter().fold(text.to_owned(), |text, sign| text.replace(sign, " "));
        if ["++", "--", "="].iter().any(|sign| plain.contains(sign)) {
            self.changed.extend(names(&plain));
        }
    }

    /// What a round changes, wherever it stands in it.
    fn changes(&mut self, script: &Script) {
        for node in script.iter().flat_map(|pipeline| &pipeline.nodes) {
            self.changed_by(node);
        }
    }

    fn changed_by(&mut self, node: &Node) {
        match &node.kind {
            Kind::Simple { assigns, words } => {
                if words.is_empty() {
                    self.changed.extend(assigns.iter().map(|assign| assign.name.clone()));
                }
                let by_name = words.first().and_then(bare).is_some_and(|name| CHANGING.contains(&name));
                let shifts = words.first().and_then(bare) == Some("shift");
                if shifts {
                    self.changed.extend(["#", "@", "*", "1"].map(str::to_owned));
                }
                for word in words.iter().chain(assigns.iter().flat_map(|assign| &assign.values)) {
                    if let (true, Some(text)) = (by_name, bare(word)) {
                        self.changed.extend(names(text));
                    }
                    self.expanded(&word.pieces);
                }
            }
            Kind::Test { words, arithmetic } => {
                for word in words {
                    if *arithmetic {
                        self.calculated(&word.pieces);
                    }
                    self.expanded(&word.pieces);
                }
            }
            Kind::Compound { words, bodies, .. } => {
                for word in words {
                    self.calculated(&word.pieces);
                }
                for body in bodies {
                    self.changes(body);
                }
            }
            Kind::Each { name, body, .. } => {
                self.changed.insert(name.clone());
                self.changes(body);
            }
            Kind::Function { .. } => {}
        }
    }

    /// `$((i++))` changes a variable wherever it is expanded.
    fn expanded(&mut self, pieces: &[Piece]) {
        for piece in pieces {
            if let Piece::Arith(inner) = piece {
                self.calculated(inner);
            }
        }
    }

    fn calculated(&mut self, pieces: &[Piece]) {
        for piece in pieces {
            if let Piece::Text(text, _) = piece {
                self.calculates(text);
            }
        }
    }
}
