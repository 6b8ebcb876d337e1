//! Streams that never end, and what they do to the machine.
//!
//! Owns what becomes of a stream in a program that passes it on or must hold all of it. Never judges anything
//! else about them.

use super::expand::{Feed, Field};
use super::programs::{self, Role};
use super::syntax::{Assign, Kind, Node, Piece, Script, Span, VarOp};
use super::walk::Walker;

/// How many programs at once are more than a machine has use for.
pub(super) const MANY: usize = 100;

/// What stands for a number of rounds that the line does not show.
pub(super) const UNCLEAR: usize = MANY / 2;

/// Devices that give bytes for ever.
pub(super) fn is_endless(path: &str) -> bool {
    matches!(path, "/dev/zero" | "/dev/urandom" | "/dev/random" | "/dev/full")
}

/// Whether the arguments make a program that passes on stop by itself.
fn stops(name: &str, words: &[Field]) -> bool {
    let option = |starts: &[&str]| words.iter().any(|f| starts.iter().any(|s| f.text.starts_with(s)));
    match name {
        "od" => option(&["-N", "--read-bytes"]),
        "xxd" => option(&["-l", "-len"]),
        "hexdump" => option(&["-n"]),
        "grep" | "egrep" => option(&["-m", "-q", "-l", "--max-count", "--quiet", "--silent"]),
        "sed" => words.iter().any(|f| f.text.contains('q')),
        "awk" | "gawk" => words.iter().any(|f| f.text.contains("exit")),
        _ => false,
    }
}

impl Walker<'_> {
    /// Follows a stream without end through one command.
    pub(super) fn flow(&mut self, name: &str, argv: &[Field], feed: &Feed, span: Span) {
        let upstream = std::mem::take(&mut self.upstream_endless);
        let words = argv.get(1..).unwrap_or(&[]);
        let read = words.windows(2).any(|pair| {
            matches!(pair, [before, file] if is_endless(&file.text) && before.text != "--random-source")
        }) || words.first().is_some_and(|f| is_endless(&f.text));
        let fed = matches!(feed, Feed::File(file) if is_endless(file));
        let holding = programs::is(name, Role::Holding);
        let source =
            name == "yes" || (upstream || fed || read) && (programs::is(name, Role::Passing) || holding);
        // Of such a stream much is as bad as all.
        let much = |f: &Field| {
            let size = f.text.trim_start_matches("-c").trim_start_matches("--bytes=");
            let digits = size.trim_end_matches(|c: char| c.is_ascii_alphabetic());
            !digits.is_empty()
                && digits.bytes().all(|b| b.is_ascii_digit())
                && (digits.len() > 9 || size.ends_with(['G', 'T', 'P', 'E']) || size.ends_with("GB"))
        };
        if name == "head" && (upstream || fed || read) && words.iter().any(much) {
            self.endless = true;
            return;
        }
        let counts = || words.iter().any(|f| f.text.len() > 9 && f.text.bytes().all(|b| b.is_ascii_digit()));
        if name == "seq" && counts() {
            self.endless = true;
        }
        if !source || stops(name, words) {
            return;
        }
        let saved = name == "tee" && words.iter().any(|f| !f.text.starts_with('-'));
        if holding || saved {
            self.hit("bomb", span);
        } else {
            self.endless = true;
        }
    }

    /// A loop of many rounds without a way out that makes a value grow.
    pub(super) fn check_growth(&mut self, bodies: &[Script], span: Span) {
        let ends = |node: &Node| match &node.kind {
            Kind::Simple { words, .. } => words
                .first()
                .and_then(super::parse::bare)
                .is_some_and(|name| matches!(name, "break" | "exit" | "return" | "exec")),
            Kind::Compound { .. } | Kind::Each { .. } => true,
            Kind::Function { .. } | Kind::Test { .. } => false,
        };
        let all = || bodies.iter().flatten().flat_map(|pipeline| &pipeline.nodes);
        if all().any(doubles) && !all().any(ends) {
            self.hit("bomb", span);
        }
    }

    /// Something is started that runs beside what follows: with each of many rounds.
    pub(super) fn check_beside(&mut self, span: Span) {
        if self.rounds >= MANY {
            self.hit("bomb", span);
        } else if self.rounds >= UNCLEAR {
            self.note_uncovered();
        }
    }
}

/// Whether a command sets a variable to itself twice: `s=$s$s`.
fn doubles(node: &Node) -> bool {
    let Kind::Simple { assigns, words } = &node.kind else { return false };
    let named = |assign: &Assign| {
        let pieces = assign.values.iter().flat_map(|word| &word.pieces);
        pieces
            .filter(|p| matches!(p, Piece::Var { name, op: VarOp::Plain, .. } if *name == assign.name))
            .count()
    };
    words.is_empty() && assigns.iter().any(|assign| named(assign) + usize::from(assign.append) > 1)
}
