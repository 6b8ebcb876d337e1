//! Descriptors that are opened once more by the name that they have below `/dev`.
//!
//! Owns when that is the file behind one, which is then opened anew, for writing: what was opened to be read as well.
//! Never judges where a path lies.

use super::expand::Field;
use super::syntax::{Redirect, Span, Word};
use super::walk::Walker;

/// What became of the outputs that a line was given. A round or a function may come to both in any order.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Outputs {
    /// One of them may be a file that was opened to be read.
    lent: bool,
    /// One of them is opened by its name, here first.
    named: Option<Span>,
}

impl Walker<'_> {
    /// A descriptor is made a copy of another one; closing it, and copies of the two outputs, lend nothing.
    pub(super) fn copies(&mut self, redirect: &Redirect, from: &Word) {
        let from = self.text_of(from);
        if redirect.output && !matches!(from.text.as_str(), "1" | "2" | "1-" | "2-" | "-") {
            self.outputs.lent = true;
            if let Some(span) = self.outputs.named {
                self.reopens(span);
            }
        }
    }

    /// A target that is no file by its name: of descriptors only the two outputs are harmless, and only as they were given.
    pub(super) fn opens_again(&mut self, field: &Field) {
        let output = matches!(field.text.as_str(), "/dev/stdout" | "/dev/stderr" | "/dev/fd/1" | "/dev/fd/2");
        let named = output || field.text == "/dev/stdin" || field.text.starts_with("/dev/fd/");
        if field.feed.is_some() || !named {
            return;
        }
        if !output || self.outputs.lent {
            self.reopens(field.span);
        }
        self.outputs.named.get_or_insert(field.span);
    }

    /// No rule that lets a line write covers what is written so.
    pub(super) fn reopens(&mut self, span: Span) {
        self.hit("descriptor", span);
        self.note_uncovered();
    }
}

#[cfg(test)]
mod tests {
    use crate::{Risk, read};

    #[test]
    fn what_was_opened_to_be_read_is_no_output() {
        for line in [
            "cargo test 2< src/lib.rs > /dev/stderr",
            "cargo test 3< a.csv > /dev/fd/3",
            "cargo test 1< src/lib.rs > /dev/stdout",
            "cargo test < src/lib.rs > /dev/fd/0",
            "exec 5< src/lib.rs; cargo test > /dev/fd/5",
            "exec 2< src/lib.rs; cargo test > /dev/stderr",
            "f() { cargo test > /dev/stderr; }; f 2< src/lib.rs",
            "cargo test | (tee /dev/stderr) 2< src/lib.rs",
            "cargo test | tee /dev/stdin < src/lib.rs",
            "cargo test < src/lib.rs 2<&0 > /dev/stderr",
            "cargo test < src/lib.rs 2>&0 > /dev/stderr",
            "while a; do cargo test > /dev/stderr; exec 2<&0; done < src/lib.rs",
            "cargo test > /dev/fd/../fd/3",
        ] {
            let read = read(line);
            assert!(read.verdict.risk >= Risk::Medium && read.loose == Risk::Medium, "{line}");
        }
        for line in [
            "cargo test > /dev/stderr",
            "cargo test 2>&1 | tee /dev/stderr",
            "cargo test < /dev/null 2> /dev/null",
            "cargo test 3>&1 1>&2 2>&3",
            "cargo test 2>&3 3< a.csv",
            "exec 3< a.csv; read x <&3; cargo test >&2",
            "cargo test > >(tee /dev/stderr)",
            "diff <(sort a) <(sort b) && cargo test",
        ] {
            assert_eq!(read(line).loose, Risk::Low, "{line}");
        }
    }
}
