//! Streams that never end, and what they do to the machine.
//!
//! Owns what becomes of a stream in a program that passes it on or must hold all of it. Never judges anything
//! else about them.

use super::expand::{Feed, Field};
use super::programs::{self, Role};
use super::syntax::{Script, Span};
use super::walk::Walker;

/// Devices that give bytes for ever.
fn is_endless(path: &str) -> bool {
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

    /// A loop without a way out that starts something in the background with every round.
    pub(super) fn check_forever(&mut self, bodies: &[Script], span: Span) {
        if bodies.iter().flatten().any(|pipeline| pipeline.background) {
            self.hit("bomb", span);
        }
    }
}
