//! How many rounds a loop makes, as far as that can be told from its line.
//!
//! Owns what ends a loop: a list, a number in its condition, what is read, a variable that its rounds change. Never
//! walks a body.

use std::collections::HashSet;

use super::endless::{Stream, UNCLEAR};
use super::expand::{Feed, UNKNOWN};
use super::parse::bare;
use super::syntax::{Assign, Joined, Kind, Node, Piece, Script, Shape, Word};
use super::walk::Walker;

/// Rounds of a loop that nothing ends.
const ENDLESS: usize = usize::MAX;

/// Commands whose words are names of variables that they change.
const CHANGING: [&str; 7] = ["read", "unset", "printf", "mapfile", "readarray", "declare", "local"];

/// What is asked before each round, and what may be another before the next.
struct Count<'w> {
    walker: &'w Walker<'w>,
    asked: HashSet<String>,
    changed: HashSet<String>,
    /// Functions that were looked into.
    called: HashSet<String>,
    /// The highest number that something is compared with.
    most: usize,
}

impl Walker<'_> {
    /// The most rounds of a `while` or `until`, or of a `for ((…))` with these words.
    pub(super) fn rounds_of_loop(
        &self,
        words: &[Word],
        bodies: &[Script],
        shape: Shape,
        feed: &Feed,
    ) -> usize {
        let condition = bodies.first().filter(|_| bodies.len() > 1);
        if shape == Shape::While && condition.is_some_and(takes) {
            return match feed {
                _ if self.upstream_endless.is_endless() => ENDLESS,
                Feed::File(file) if Stream::of(file).is_endless() => ENDLESS,
                Feed::Text(text) => text.lines().count(),
                Feed::Inherit | Feed::File(_) | Feed::Fetched | Feed::Lines { .. } | Feed::Other => UNCLEAR,
            };
        }
        let (asked, changed, called) = (HashSet::new(), HashSet::new(), HashSet::new());
        let mut count = Count { walker: self, asked, changed, called, most: 0 };
        if let [start, condition, step] = text_of(words).split(';').collect::<Vec<_>>().as_slice() {
            count.numbers(start);
            count.calculation(condition);
            count.calculates(step);
            if runs_away(condition, step) {
                return ENDLESS;
            }
        }
        if let Some(condition) = condition {
            count.condition(condition);
        }
        for body in bodies {
            count.changes(body);
        }
        if count.asked.is_disjoint(&count.changed) {
            return ENDLESS;
        }
        let open =
            words.iter().flat_map(|w| &w.pieces).any(|p| matches!(p, Piece::Sub { .. } | Piece::Arith(_)));
        let least = if open { UNCLEAR } else { 0 };
        count.asked.iter().filter_map(|name| self.number_in(name)).fold(count.most.max(least), usize::max)
    }

    /// How far a variable is from zero, where it is known and begins as a number does.
    fn number_in(&self, name: &str) -> Option<usize> {
        let value = self.value_of(name).filter(|value| !value.text.contains(UNKNOWN))?;
        let digits = value.text.trim_start_matches('-');
        let least = if value.spelled { 0 } else { UNCLEAR };
        digits.starts_with(|c: char| c.is_ascii_digit()).then(|| number(digits).max(least))
    }
}

/// Whether each round of a `while` takes a line, an option or a word of what there is, and there is no other way on.
fn takes(condition: &Script) -> bool {
    let Some((first, rest)) = condition.split_first() else { return false };
    let Some(Node { kind: Kind::Simple { words, .. }, redirects, .. }) = first.nodes.last() else {
        return false;
    };
    // What is opened anew for each round has always a line.
    let name = words.first().and_then(bare).unwrap_or("");
    !first.turned
        && redirects.is_empty()
        && matches!(name, "read" | "shift" | "getopts")
        && rest.iter().all(|pipeline| pipeline.joined == Joined::And)
}

/// Whether the step of a `for ((…))` leads away from its bound.
fn runs_away(condition: &str, step: &str) -> bool {
    let up = step.contains("++") || step.contains("+=");
    let down = step.contains("--") || step.contains("-=");
    condition.contains('<') && down && !up || condition.contains('>') && up && !down
}

/// The text of words whose parts are calculated with.
fn text_of(words: &[Word]) -> String {
    let text = |piece: &Piece| match piece {
        Piece::Text(text, _) => text.clone(),
        Piece::Var { name, .. } => name.clone(),
        Piece::Sub { .. } | Piece::Proc { .. } | Piece::Arith(_) => " ".to_owned(),
    };
    words.iter().flat_map(|word| &word.pieces).map(text).collect()
}

/// The names and numbers of a calculation.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '#')))
        .filter(|part| !part.is_empty())
}

fn names(text: &str) -> impl Iterator<Item = String> {
    parts(text).filter(|part| !part.starts_with(|c: char| c.is_ascii_digit())).map(str::to_owned)
}

/// A number as it is written; one that is not plainly decimal may be any.
fn number(text: &str) -> usize {
    text.parse().unwrap_or(ENDLESS)
}

impl Count<'_> {
    fn condition(&mut self, condition: &Script) {
        for node in condition.iter().flat_map(|pipeline| &pipeline.nodes) {
            match &node.kind {
                Kind::Simple { words, .. } => match words.first().and_then(bare) {
                    Some("[" | "test") => self.compared(words),
                    Some("let") => self.calculation(&text_of(words.get(1..).unwrap_or(&[]))),
                    _ => {}
                },
                Kind::Test { words, arithmetic: true } => self.calculation(&text_of(words)),
                Kind::Test { words, arithmetic: false } => self.compared(words),
                Kind::Compound { bodies, .. } => {
                    for body in bodies {
                        self.condition(body);
                    }
                }
                Kind::Each { .. } | Kind::Function { .. } => {}
            }
        }
    }

    /// The words of `[ ]` and `[[ ]]`, in which a plain name is only a text.
    fn compared(&mut self, words: &[Word]) {
        for piece in words.iter().flat_map(|word| &word.pieces) {
            match piece {
                Piece::Text(text, _) => self.numbers(text),
                Piece::Var { name, .. } => {
                    self.asked.insert(name.clone());
                }
                Piece::Arith(inner) => {
                    let word = Word { pieces: inner.clone(), ..Word::default() };
                    self.calculation(&text_of(&[word]));
                }
                Piece::Sub { .. } | Piece::Proc { .. } => {}
            }
        }
    }

    /// What is calculated with: its names, its numbers, and which of the names it changes.
    fn calculation(&mut self, text: &str) {
        self.asked.extend(names(text));
        self.numbers(text);
        if ["*", "<<"].iter().any(|sign| text.contains(sign)) {
            self.most = ENDLESS;
        }
        self.calculates(text);
    }

    fn numbers(&mut self, text: &str) {
        let numbers = parts(text).filter(|part| part.starts_with(|c: char| c.is_ascii_digit())).map(number);
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
            Kind::Simple { assigns, words } => self.changed_by_command(assigns, words),
            Kind::Test { words, arithmetic } => {
                if *arithmetic {
                    self.calculates(&text_of(words));
                }
                self.expanded(words);
            }
            Kind::Compound { words, bodies, shape } => {
                if matches!(shape, Shape::While | Shape::Until) {
                    self.calculates(&text_of(words));
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

    fn changed_by_command(&mut self, assigns: &[Assign], words: &[Word]) {
        // A text that is always the same makes no round another.
        let new = |assign: &&Assign| {
            assign.append
                || assign.values.iter().flat_map(|v| &v.pieces).any(|p| !matches!(p, Piece::Text(..)))
        };
        if words.is_empty() {
            self.changed.extend(assigns.iter().filter(new).map(|assign| assign.name.clone()));
        }
        let name = words.first().and_then(bare).unwrap_or("");
        let rest = words.get(1..).unwrap_or(&[]);
        match name {
            "shift" => self.changed.extend(["#", "@", "*", "1"].map(str::to_owned)),
            "let" => self.calculates(&text_of(rest)),
            _ if CHANGING.contains(&name) => {
                self.changed.extend(rest.iter().filter_map(bare).flat_map(names));
            }
            _ => self.changed_by_function(name),
        }
        self.expanded(words);
        for assign in assigns {
            self.expanded(&assign.values);
        }
    }

    fn changed_by_function(&mut self, name: &str) {
        let walker = self.walker;
        let Some(function) = walker.memory.functions.get(name) else { return };
        if self.called.insert(name.to_owned()) {
            for body in &function.bodies {
                self.changed_by(body);
            }
        }
    }

    /// `$((i++))` changes a variable wherever it is expanded.
    fn expanded(&mut self, words: &[Word]) {
        for piece in words.iter().flat_map(|word| &word.pieces) {
            if let Piece::Arith(inner) = piece {
                let word = Word { pieces: inner.clone(), ..Word::default() };
                self.calculates(&text_of(&[word]));
            }
        }
    }
}
