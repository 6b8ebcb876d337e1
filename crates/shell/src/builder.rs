//! Puts the fields of one word together: what is split off, what goes on, how much of it the line spells out.
//!
//! Owns where words part. Never expands anything.

use super::expand::{Field, UNKNOWN};
use super::state::SCRATCH;
use super::syntax::Span;
use super::value::{Made, Value};

/// Longest value that is followed.
const MAX_VALUE: usize = 32 * 1024;

/// Most parts of a value that is split at blanks.
const MAX_PARTS: usize = 1024;

/// What parts an unquoted value.
const BLANKS: [char; 3] = [' ', '\t', '\n'];

/// The fields of one word while they are put together.
pub(super) struct Builder {
    pub fields: Vec<Field>,
    pub open: Field,
    pub started: bool,
    pub span: Span,
    /// A value had more parts than are followed.
    pub cut: bool,
    /// What is at least made of the word by what is added now.
    pub making: Made,
    /// Some of what was added the line does not spell out, though nothing may be left of it.
    pub made_some: bool,
    /// The word ends with the name of the folder that the shell stands in, which is `.` here and a whole path there.
    pub ends_here: bool,
}

impl Builder {
    pub fn new(span: Span) -> Self {
        let open = Field { span, ..Field::default() };
        Self {
            fields: Vec::new(),
            open,
            started: false,
            span,
            cut: false,
            making: Made::Nothing,
            made_some: false,
            ends_here: false,
        }
    }
}

impl Builder {
    /// Adds text as it stands in the line.
    pub fn push(&mut self, text: &str) {
        self.started = true;
        self.join(text);
        self.open.text.push_str(text);
    }

    /// Adds a value; values can double, so they are cut.
    pub fn push_value(&mut self, text: &str) {
        self.started = true;
        self.join(text);
        if self.making > Made::Nothing {
            let made = if self.open.text.is_empty() { Made::Begin } else { Made::Part };
            self.open.made = self.open.made.max(made).max(self.making);
        }
        if self.open.text.len() + text.len() <= MAX_VALUE {
            self.open.text.push_str(text);
        } else if !self.open.text.ends_with(UNKNOWN) {
            self.open.text.push(UNKNOWN);
        }
    }

    /// Adds a value, or the name of the folder that the shell stands in: behind a part of another path that is none.
    pub fn push_named(&mut self, text: &str, here: bool) {
        let behind = here && self.open.text.ends_with(['.', '/', '~', UNKNOWN]);
        self.push_value(if behind { "\u{1a}" } else { text });
        self.ends_here = here && !behind && text == ".";
    }

    /// Without a slash behind it the name of a folder goes on, and that is another path.
    fn join(&mut self, next: &str) {
        let goes_on = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '~' | UNKNOWN);
        let name = if self.ends_here { "." } else { SCRATCH };
        if next.starts_with(goes_on) && self.open.text.ends_with(name) {
            self.open.text.truncate(self.open.text.len() - name.len());
            self.open.text.push(UNKNOWN);
        }
        self.ends_here &= next.is_empty();
    }

    /// Adds each of several values as a field of its own.
    pub fn push_list(&mut self, value: &Value) {
        self.cut |= value.list.len() > MAX_PARTS;
        for (at, text) in value.list.iter().take(MAX_PARTS).enumerate() {
            if at > 0 {
                self.split();
            }
            self.open.many |= value.many;
            self.open.listed = self.open.listed.max(value.listed);
            self.push_value(text);
        }
    }

    pub fn split(&mut self) {
        if self.started {
            let next = Field { span: self.span, ..Field::default() };
            self.ends_here = false;
            self.fields.push(std::mem::replace(&mut self.open, next));
            self.started = false;
        }
    }

    /// Adds an unquoted value: split at blanks, or where the line says, which is not followed; it may name the
    /// folder that the shell stands in.
    pub fn push_splitting(&mut self, value: &str, parted: bool, here: bool) {
        if parted && !value.is_empty() {
            (self.open.many, self.open.data) = (true, true);
            return self.push_value(&UNKNOWN.to_string());
        }
        let mut first = true;
        self.open.made = self.open.made.max(self.making);
        self.made_some |= self.making > Made::Nothing;
        if value.starts_with(BLANKS) {
            self.split();
        }
        let parts = || value.split(BLANKS).filter(|part| !part.is_empty());
        self.cut |= parts().nth(MAX_PARTS).is_some();
        for part in parts().take(MAX_PARTS) {
            if !first {
                self.split();
            }
            first = false;
            self.push_named(part, here);
        }
        if !first && value.ends_with(BLANKS) {
            self.split();
        }
    }
}
