//! A program's arguments: options, their values and operands told apart.
//!
//! Owns the reading, as a program's lines say which options take a value. Never judges.

use super::expand::Field;
use super::path::glob;
use super::programs::Program;
use super::syntax::Span;

/// One option as it was given.
#[derive(Clone, Debug)]
pub(super) struct Opt {
    /// The whole word.
    pub text: String,
    /// `--name` without its value, or `-x` of a cluster.
    pub name: String,
    pub value: Option<Field>,
    pub span: Span,
}

/// A program's arguments, told apart.
#[derive(Clone, Debug, Default)]
pub(super) struct Args {
    pub opts: Vec<Opt>,
    pub operands: Vec<Field>,
    /// How many options came before the first operand.
    pub leading: usize,
}

impl Args {
    /// Tells options, their values and operands apart.
    pub(super) fn read(program: &Program, argv: &[Field]) -> Self {
        let mut out = Self::default();
        let mut words = argv.iter().peekable();
        let mut ended = false;
        while let Some(word) = words.next() {
            let text = word.text.as_str();
            if ended || !text.starts_with('-') || text.len() < 2 {
                if out.operands.is_empty() {
                    out.leading = out.opts.len();
                }
                out.operands.push(word.clone());
                continue;
            }
            if text == "--" {
                ended = true;
                continue;
            }
            let global = out.operands.is_empty();
            let takes =
                |name: &str| program.takes.contains(&name) || global && program.gtakes.contains(&name);
            if text.starts_with("--") || program.long1 || takes(text) {
                let (name, value) = match text.split_once('=') {
                    Some((name, value)) => (name, Some(word.with(value))),
                    None => (text, None),
                };
                let value = value.or_else(|| takes(name).then(|| words.next().cloned()).flatten());
                out.opts.push(Opt { text: text.to_owned(), name: name.to_owned(), value, span: word.span });
                continue;
            }
            let mut letters = text.char_indices().skip(1);
            while let Some((at, letter)) = letters.next() {
                let name = format!("-{letter}");
                let mut value = None;
                if takes(&name) {
                    let rest = text.get(at + letter.len_utf8()..).unwrap_or("");
                    value = if rest.is_empty() { words.next().cloned() } else { Some(word.with(rest)) };
                    letters = "".char_indices().skip(1);
                }
                out.opts.push(Opt { text: text.to_owned(), name, value, span: word.span });
            }
        }
        if out.operands.is_empty() {
            out.leading = out.opts.len();
        }
        out
    }

    /// The first option that matches one of these patterns.
    pub(super) fn opt(&self, patterns: &[&str]) -> Option<&Opt> {
        self.opts.iter().find(|opt| patterns.iter().any(|pattern| opt.is(pattern)))
    }

    /// Whether one of these options was given.
    pub(super) fn has(&self, patterns: &[&str]) -> bool {
        self.opt(patterns).is_some()
    }

    /// The text of an operand, or nothing.
    pub(super) fn operand(&self, at: usize) -> &str {
        self.operands.get(at).map_or("", |field| field.text.as_str())
    }
}

impl Opt {
    /// Whether this is the option of that pattern: a letter of a cluster, a long name, its abbreviation.
    pub(super) fn is(&self, pattern: &str) -> bool {
        if pattern.contains('*') {
            return glob(pattern, &self.text);
        }
        if pattern.contains('=') || pattern.len() > 2 && !pattern.starts_with("--") {
            return self.text == pattern || self.name == pattern;
        }
        self.name == pattern
            || self.text == pattern
            || self.name.len() >= 5 && self.name.starts_with("--") && pattern.starts_with(&self.name)
    }
}
