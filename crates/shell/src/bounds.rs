//! How much work one line may cost, however it is made: commands, bytes and depth.
//!
//! Owns the bounds and what was spent of them. A line that passes one is judged as far as it was read, and "too long".

use super::expand::{Feed, Field};
use super::parse;
use super::syntax::Span;
use super::walk::Walker;
use super::{MAX_LINE_BYTES, Risk, Verdict, refusal, verdict};

/// Most commands that are judged for one line.
const MAX_COMMANDS: usize = 40_000;

/// Most bytes of nested text (here-documents into a shell, `eval`, `sh -c`) that are read for one line.
const MAX_NESTED_BYTES: usize = 512 * 1024;

/// Most bytes of words that are put together for one line.
const MAX_BYTES: usize = 2 * 1024 * 1024;

/// How often the words of a command inside another one are looked at, against words that are only put together.
const TIMES_READ: usize = 8;

/// Deepest nesting of texts and functions, and of commands that others start.
const MAX_DEPTH: usize = 24;

/// Deepest nesting at which a text that may be a command is still read as one.
const MAX_GUESSES: usize = 4;

/// What was spent on a line so far.
#[derive(Clone, Copy, Default)]
pub(super) struct Spent {
    commands: usize,
    nested_bytes: usize,
    bytes: usize,
    /// How many commands deep: each was started by the one around it (`sudo nice env …`).
    started: usize,
    /// Nothing more is judged.
    all: bool,
}

impl Walker<'_> {
    /// Whether a bound was passed and nothing more is judged.
    pub(super) const fn is_stopped(&self) -> bool {
        self.spent.all
    }

    /// Whether a good part of what may be judged was judged.
    pub(super) const fn is_weary(&self) -> bool {
        self.spent.all || self.spent.commands > MAX_COMMANDS / 4
    }

    /// Counts bytes that were put together; too many end the walk.
    pub(super) fn charge(&mut self, bytes: usize, span: Span) {
        self.spent.bytes += bytes;
        if self.spent.bytes > MAX_BYTES && !self.spent.all {
            self.hit("too-long", span);
            self.spent.all = true;
        }
    }

    /// Whether more may be judged; the first refusal is a finding.
    pub(super) fn spend(&mut self, span: Span) -> bool {
        self.spent.commands += 1;
        let many = self.spent.commands > MAX_COMMANDS;
        if many || self.depth > MAX_DEPTH || self.spent.started > MAX_DEPTH {
            if !self.spent.all {
                self.hit("too-long", span);
            }
            self.spent.all |= many;
            return false;
        }
        !self.spent.all
    }

    /// Whether a nested text may be read; a refusal is a finding.
    pub(super) fn spend_nested(&mut self, text: &str, span: Span) -> bool {
        self.spent.nested_bytes += text.len();
        let within = self.spent.nested_bytes <= MAX_NESTED_BYTES && self.depth < MAX_DEPTH;
        if !within {
            self.hit("too-long", span);
        }
        within
    }

    /// Judges a command. One that another starts is read again with each of those around it.
    pub(super) fn in_command(
        &mut self,
        argv: &[Field],
        span: Span,
        judge: impl FnOnce(&mut Self) -> Feed,
    ) -> Feed {
        if self.spent.started > 0 {
            let bytes: usize = argv.iter().map(|field| field.text.len() + 1).sum();
            self.charge(bytes * TIMES_READ, span);
            if !self.spend(span) {
                return Feed::Other;
            }
        }
        self.spent.started += 1;
        let out = judge(self);
        self.spent.started -= 1;
        out
    }

    /// What a text would be as a line of its own, at the cost of this one; none where guesses lie too deep in each other.
    pub(super) fn guess(&mut self, line: &str) -> Option<Verdict> {
        if self.depth >= MAX_GUESSES {
            return None;
        }
        self.charge(line.len() * TIMES_READ, Span::default());
        if line.len() > MAX_LINE_BYTES || self.spent.all {
            return Some(refusal(line, "too-long"));
        }
        let Ok(script) = parse::parse(line) else { return Some(refusal(line, "unreadable")) };
        let mut walker = Walker::new(line);
        walker.depth = self.depth + MAX_GUESSES;
        walker.spent = self.spent;
        walker.check_comments(line);
        walker.run(&script);
        self.spent = walker.spent;
        if self.spent.all {
            self.hit("too-long", Span::default());
        }
        Some(verdict(line, walker).0)
    }

    /// Whether a text inside another language would be high as a line of its own.
    pub(super) fn is_high(&mut self, line: &str) -> bool {
        line.len() < 4096
            && parse::parse(line).is_ok()
            && self.guess(line).is_some_and(|verdict| verdict.risk == Risk::High)
    }
}
