//! Turns words into the fields a program would get: variables, substitutions, braces, tildes.
//!
//! Owns what is known of variables. Never judges a program; what it cannot know it marks with
//! [`UNKNOWN`].

use super::path::is_secret_variable;
use super::syntax::{Piece, Quote, Span, VarOp, Word};
use super::walk::Walker;

/// Stands in a field for text that is not known.
pub(super) const UNKNOWN: char = '\u{1a}';

/// Longest value that is followed.
const MAX_VALUE: usize = 32 * 1024;

/// Most parts of a value that is split at blanks.
const MAX_PARTS: usize = 1024;

/// Most fields one word may become by its braces.
const MAX_FIELDS: usize = 64;

/// Most braces, commas and runs between them in a word that is expanded.
const MAX_BRACES: usize = 512;

/// What flows into or out of a command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Feed {
    /// Nothing was connected.
    #[default]
    Inherit,
    Text(String),
    /// A file of that name.
    File(String),
    /// What a network read gave.
    Fetched,
    /// Computed, and not known.
    Other,
}

/// One argument as a program would get it.
#[derive(Clone, Debug, Default)]
pub(super) struct Field {
    pub text: String,
    /// Stands for several files (a wildcard, a loop over one).
    pub many: bool,
    /// Written in a roundabout way (quotes or escapes inside, put together from pieces).
    pub twisted: bool,
    /// Came from a substitution that was run.
    pub computed: bool,
    /// What a process substitution here would give.
    pub feed: Option<Feed>,
    pub span: Span,
}

impl Field {
    /// A field with another text at the same place.
    pub(super) fn with(&self, text: &str) -> Self {
        Self { text: text.to_owned(), ..self.clone() }
    }

    /// Whether a part of it is not known.
    pub(super) fn unknown(&self) -> bool {
        self.text.contains(UNKNOWN)
    }

    /// A plain field.
    pub(super) fn plain(text: &str, span: Span) -> Self {
        Self { text: text.to_owned(), span, ..Self::default() }
    }
}

/// The fields of one word while they are put together.
struct Builder {
    fields: Vec<Field>,
    open: Field,
    started: bool,
    span: Span,
    /// A value had more parts than are followed.
    cut: bool,
}

impl Builder {
    /// Adds text as it stands in the line.
    fn push(&mut self, text: &str) {
        self.started = true;
        self.open.text.push_str(text);
    }

    /// Adds a value; values can double, so they are cut.
    fn push_value(&mut self, text: &str) {
        self.started = true;
        if self.open.text.len() + text.len() <= MAX_VALUE {
            self.open.text.push_str(text);
        } else if !self.open.text.ends_with(UNKNOWN) {
            self.open.text.push(UNKNOWN);
        }
    }

    fn split(&mut self) {
        if self.started {
            let next = Field { span: self.span, ..Field::default() };
            self.fields.push(std::mem::replace(&mut self.open, next));
            self.started = false;
        }
    }

    /// Adds an unquoted value: split at blanks.
    fn push_splitting(&mut self, value: &str) {
        let mut first = true;
        if value.starts_with([' ', '\t', '\n']) {
            self.split();
        }
        self.cut |= value.split_ascii_whitespace().nth(MAX_PARTS).is_some();
        for part in value.split_ascii_whitespace().take(MAX_PARTS) {
            if !first {
                self.split();
            }
            first = false;
            self.push_value(part);
        }
        if !first && value.ends_with([' ', '\t', '\n']) {
            self.split();
        }
    }
}

impl Walker<'_> {
    /// The fields of some words.
    pub(super) fn fields(&mut self, words: &[Word]) -> Vec<Field> {
        let mut out = Vec::with_capacity(words.len());
        for word in words {
            let before = out.len();
            if self.stopped {
                break;
            }
            if brace_like(word) && units(word).len() > MAX_BRACES {
                self.hit("too-long", word.span);
            } else if brace_like(word) {
                let (variants, whole) = braces(word);
                if !whole {
                    self.hit("too-long", word.span);
                }
                for variant in variants {
                    self.word_fields(&variant, &mut out);
                }
            } else {
                self.word_fields(word, &mut out);
            }
            let bytes: usize = out.iter().skip(before).map(|field| field.text.len() + 32).sum();
            self.charge(bytes, word.span);
        }
        out
    }

    /// The text of a word that is not split (assignments, redirects, here-documents).
    pub(super) fn text_of(&mut self, word: &Word) -> Field {
        let mut all = self.expand(word, false);
        all.pop().unwrap_or_else(|| Field { span: word.span, ..Field::default() })
    }

    fn word_fields(&mut self, word: &Word, out: &mut Vec<Field>) {
        out.extend(self.expand(word, true));
    }

    fn expand(&mut self, word: &Word, split: bool) -> Vec<Field> {
        let span = self.place_of(word.span);
        let open = Field { span, ..Field::default() };
        let mut builder = Builder { fields: Vec::new(), open, started: false, span, cut: false };
        let twisted = is_twisted(&word.pieces);
        for (at, piece) in word.pieces.iter().enumerate() {
            self.piece(piece, at == 0, split, &mut builder);
        }
        builder.split();
        if builder.cut {
            self.hit("too-long", span);
        }
        let mut fields = builder.fields;
        for field in &mut fields {
            field.twisted |= twisted;
        }
        fields
    }

    fn piece(&mut self, piece: &Piece, first: bool, split: bool, out: &mut Builder) {
        match piece {
            Piece::Text(text, quote) => {
                if *quote == Quote::Bare {
                    self.check_bare(text, out.span);
                    out.open.many |= text.contains(['*', '?']) || text.contains('[') && text.contains(']');
                }
                let tilde = first && *quote != Quote::Bare && text.starts_with('~');
                out.open.twisted |= tilde;
                out.push(text);
            }
            Piece::Var { name, op, quoted } => {
                let value = self.variable(name, op, out.span);
                out.open.many |= value.many;
                if split && !quoted {
                    out.open.many |= value.text.contains(['*', '?']);
                    out.push_splitting(&value.text);
                } else {
                    out.push_value(&value.text);
                }
            }
            Piece::Sub { script, quoted } => {
                let feed = self.nested_script(script, &Feed::Inherit);
                let text = match &feed {
                    Feed::Text(text) => text.trim_end_matches('\n').to_owned(),
                    Feed::Inherit => String::new(),
                    Feed::File(_) | Feed::Fetched | Feed::Other => UNKNOWN.to_string(),
                };
                if feed == Feed::Fetched {
                    out.open.feed = Some(feed);
                }
                out.open.computed = true;
                if split && !quoted {
                    out.push_splitting(&text);
                } else {
                    out.push_value(&text);
                }
                out.open.computed = true;
            }
            Piece::Proc { script, fed } => {
                let feed = self.nested_script(script, if *fed { &Feed::Other } else { &Feed::Inherit });
                out.push("/dev/fd/63");
                out.open.feed = Some(feed);
            }
            Piece::Arith(pieces) => {
                for inner in pieces {
                    self.inner_piece(inner, out.span);
                }
                out.push("0");
            }
        }
    }

    /// Runs what an inner piece would run and drops its text.
    pub(super) fn inner_piece(&mut self, piece: &Piece, span: Span) {
        let open = Field { span, ..Field::default() };
        let mut scratch = Builder { fields: Vec::new(), open, started: false, span, cut: false };
        self.piece(piece, false, false, &mut scratch);
    }

    fn join(&mut self, pieces: &[Piece], span: Span) -> String {
        let open = Field { span, ..Field::default() };
        let mut scratch = Builder { fields: Vec::new(), open, started: false, span, cut: false };
        for piece in pieces {
            self.piece(piece, false, false, &mut scratch);
        }
        scratch.open.text
    }

    fn variable(&mut self, name: &str, op: &VarOp, span: Span) -> Value {
        let known = self.value_of(name);
        match op {
            VarOp::Plain => {
                self.check_secret_variable(name, known.is_none(), span);
                known.unwrap_or_else(Value::unknown)
            }
            VarOp::Default(pieces) => {
                self.check_secret_variable(name, known.is_none(), span);
                let other = self.join(pieces, span);
                match known {
                    Some(value) if !value.text.is_empty() => value,
                    Some(_) => Value { text: other, many: false },
                    None if self.is_assigned(name) => Value::unknown(),
                    // An unset variable of the environment: the default is what the line shows.
                    None => Value { text: format!("{other}{}", Value::maybe(&other)), many: false },
                }
            }
            VarOp::Alternate(pieces) => {
                let other = self.join(pieces, span);
                Value { text: if known.is_none() { UNKNOWN.to_string() } else { other }, many: false }
            }
            VarOp::Other(pieces) => {
                self.check_secret_variable(name, known.is_none(), span);
                for piece in pieces {
                    self.inner_piece(piece, span);
                }
                // Whatever is cut off its end, a path below the home folder stays there.
                let home = if name == "HOME" { "~" } else { "" };
                Value { text: format!("{home}{UNKNOWN}"), many: false }
            }
        }
    }

    fn check_secret_variable(&mut self, name: &str, outer: bool, span: Span) {
        if outer && !self.testing && is_secret_variable(name) {
            self.hit("secret-variable", span);
        }
    }
}

/// What a variable holds.
#[derive(Clone, Debug, Default)]
pub(super) struct Value {
    pub text: String,
    pub many: bool,
}

impl Value {
    /// Not known.
    pub(super) fn unknown() -> Self {
        Self { text: UNKNOWN.to_string(), many: false }
    }

    /// A default is only one of two values; an empty one is then wholly unknown.
    const fn maybe(other: &str) -> &'static str {
        if other.is_empty() { "\u{1a}" } else { "" }
    }
}

/// Whether a word mixes quoting inside itself, as honest words seldom do.
fn is_twisted(pieces: &[Piece]) -> bool {
    let odd = |p: &Piece| {
        matches!(p, Piece::Text(_, Quote::Ansi)) || matches!(p, Piece::Text(t, _) if t.is_empty())
    };
    if pieces.iter().any(odd) {
        return true;
    }
    let leading = matches!(pieces.first(), Some(Piece::Text(_, Quote::Escaped))) && pieces.len() == 2;
    pieces.len() > 1 && !leading && pieces.iter().all(|p| !matches!(p, Piece::Text(t, _) if t.contains('/')))
}

/// Whether braces in a word may expand.
fn brace_like(word: &Word) -> bool {
    word.pieces.iter().any(|p| matches!(p, Piece::Text(t, Quote::Bare) if t.contains('{')))
        && word.pieces.iter().any(|p| matches!(p, Piece::Text(t, Quote::Bare) if t.contains('}')))
}

/// One unit of a word for brace expansion.
#[derive(Clone)]
enum Unit {
    Open,
    Close,
    Comma,
    Other(Piece),
}

fn units(word: &Word) -> Vec<Unit> {
    let mut out = Vec::new();
    for piece in &word.pieces {
        let Piece::Text(text, Quote::Bare) = piece else {
            out.push(Unit::Other(piece.clone()));
            continue;
        };
        for part in text.split_inclusive(['{', '}', ',']) {
            let (body, mark) = match part.char_indices().last() {
                Some((at, c @ ('{' | '}' | ','))) => (part.get(..at).unwrap_or(""), Some(c)),
                _ => (part, None),
            };
            if !body.is_empty() {
                out.push(Unit::Other(Piece::Text(body.to_owned(), Quote::Bare)));
            }
            match mark {
                Some('{') => out.push(Unit::Open),
                Some('}') => out.push(Unit::Close),
                Some(_) => out.push(Unit::Comma),
                None => {}
            }
        }
    }
    out
}

fn literal(unit: &Unit) -> Piece {
    let mark = match unit {
        Unit::Open => "{",
        Unit::Close => "}",
        Unit::Comma => ",",
        Unit::Other(piece) => return piece.clone(),
    };
    Piece::Text(mark.to_owned(), Quote::Bare)
}

/// The words a word with braces becomes, and whether these are all; at most [`MAX_FIELDS`].
fn braces(word: &Word) -> (Vec<Word>, bool) {
    let mut todo = vec![units(word)];
    let mut done: Vec<Word> = Vec::new();
    let mut steps = 0;
    let mut whole = true;
    while let Some(list) = todo.pop() {
        steps += 1;
        let next = innermost(&list);
        whole &= next.is_none() || steps < MAX_FIELDS && todo.len() < MAX_FIELDS;
        match next {
            Some((open, close, choices)) if steps < MAX_FIELDS && todo.len() < MAX_FIELDS => {
                for choice in choices.into_iter().rev() {
                    let mut next: Vec<Unit> = list.iter().take(open).cloned().collect();
                    next.extend(choice);
                    next.extend(list.iter().skip(close + 1).cloned());
                    todo.push(next);
                }
            }
            Some(_) | None => done.push(Word { pieces: list.iter().map(literal).collect(), span: word.span }),
        }
    }
    for word in &mut done {
        merge(&mut word.pieces);
    }
    (done, whole)
}

/// Joins bare neighbours again, so that a word that was only split is not called roundabout.
fn merge(pieces: &mut Vec<Piece>) {
    let mut out: Vec<Piece> = Vec::with_capacity(pieces.len());
    for piece in pieces.drain(..) {
        if let (Some(Piece::Text(last, Quote::Bare)), Piece::Text(text, Quote::Bare)) =
            (out.last_mut(), &piece)
        {
            last.push_str(text);
        } else {
            out.push(piece);
        }
    }
    *pieces = out;
}

/// The first innermost `{a,b}`: where it opens and closes, and its choices.
fn innermost(list: &[Unit]) -> Option<(usize, usize, Vec<Vec<Unit>>)> {
    let mut open = None;
    let mut choices: Vec<Vec<Unit>> = Vec::new();
    for (at, unit) in list.iter().enumerate() {
        match unit {
            Unit::Open => {
                open = Some(at);
                choices = vec![Vec::new()];
            }
            Unit::Comma if open.is_some() => choices.push(Vec::new()),
            Unit::Close => match open.take() {
                Some(start) if choices.len() > 1 => return Some((start, at, choices)),
                _ => choices.clear(),
            },
            Unit::Comma | Unit::Other(_) => {
                if let Some(last) = choices.last_mut() {
                    last.push(unit.clone());
                }
            }
        }
    }
    None
}
