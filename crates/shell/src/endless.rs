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

/// Rounds in which a value that doubles with each fills any memory.
pub(super) const DOUBLINGS: usize = 30;

/// How a stream ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Stream {
    #[default]
    Ends,
    /// It gives lines for ever.
    Lines,
    /// It is one line without an end.
    Line,
}

impl Stream {
    /// What a device gives.
    pub(super) fn of(path: &str) -> Self {
        match path {
            "/dev/urandom" | "/dev/random" => Self::Lines,
            "/dev/zero" | "/dev/full" => Self::Line,
            _ => Self::Ends,
        }
    }

    /// The device that gives such a stream.
    pub(super) const fn device(self) -> Option<&'static str> {
        match self {
            Self::Ends => None,
            Self::Lines => Some("/dev/urandom"),
            Self::Line => Some("/dev/zero"),
        }
    }

    pub(super) fn is_endless(self) -> bool {
        self != Self::Ends
    }

    /// The longer one.
    fn or(self, other: Self) -> Self {
        if other == Self::Ends || self == Self::Line { self } else { other }
    }

    /// What a program makes of it that passes it on.
    fn through(self, name: &str, words: &[Field]) -> Self {
        let has = |parts: &[&str]| words.iter().any(|word| parts.contains(&word.text.as_str()));
        let joins = match name {
            "tr" => has(&["\\n", "\n", "[:space:]", "[:cntrl:]"]) && has(&["-d", "--delete"]),
            "base64" | "base32" => has(&["-w0", "--wrap=0"]) || has(&["-w"]) && has(&["0"]),
            _ => false,
        };
        if joins { Self::Line } else { self }
    }
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
        let given = |feed: &Feed| if let Feed::File(file) = feed { Stream::of(file) } else { Stream::Ends };
        let named = |at: usize, word: &Field| match at.checked_sub(1).and_then(|before| words.get(before)) {
            Some(option) if option.text == "--random-source" => Stream::Ends,
            _ => Stream::of(&word.text).or(word.feed.as_ref().map_or(Stream::Ends, given)),
        };
        let read = words.iter().enumerate().map(|(at, word)| named(at, word));
        let stream = read.fold(upstream.or(given(feed)), Stream::or);
        let many = name == "xargs" && stream.is_endless() && runs_many(words);
        let holding = programs::is(name, Role::Holding)
            || many
            || name == "paste" && words.iter().any(|word| word.text.starts_with("-s"))
            || stream == Stream::Line && programs::is(name, Role::Lines);
        let stream = if name == "yes" { Stream::Lines } else { stream };
        let source = name == "yes" || stream.is_endless() && (programs::is(name, Role::Passing) || holding);
        // Of such a stream much is as bad as all.
        let much = |f: &Field| {
            let size = f.text.trim_start_matches("-c").trim_start_matches("--bytes=");
            let digits = size.trim_end_matches(|c: char| c.is_ascii_alphabetic());
            !digits.is_empty()
                && digits.bytes().all(|b| b.is_ascii_digit())
                && (f.computed
                    || digits.len() > 9
                    || size.ends_with(['G', 'T', 'P', 'E'])
                    || size.ends_with("GB"))
        };
        if name == "head" && stream.is_endless() && words.iter().any(much) {
            self.endless = stream;
            return;
        }
        let counts = || words.iter().any(|f| f.text.len() > 9 && f.text.bytes().all(|b| b.is_ascii_digit()));
        if name == "seq" && counts() {
            self.endless = Stream::Lines;
        }
        if !source || stops(name, words) {
            return;
        }
        let saved = name == "tee" && words.iter().any(|f| !f.text.starts_with('-'));
        if holding || saved {
            self.hit("bomb", span);
        } else {
            self.endless = stream.through(name, words);
        }
    }

    /// A loop without a way out that makes a value grow: it doubles in many rounds, or is added to in rounds that nothing ends.
    pub(super) fn check_growth(&mut self, bodies: &[Script], rounds: usize, span: Span) {
        if self.rounds.max(1).saturating_mul(rounds) < DOUBLINGS {
            return;
        }
        let grows = |node: &Node| doubles(node) || rounds == usize::MAX && adds(node);
        let ends = |node: &Node| match &node.kind {
            Kind::Simple { words, .. } => words
                .first()
                .and_then(super::parse::bare)
                .is_some_and(|name| matches!(name, "break" | "exit" | "return" | "exec" | "sleep")),
            Kind::Compound { .. } | Kind::Each { .. } => true,
            Kind::Function { .. } | Kind::Test { .. } => false,
        };
        let all = || bodies.iter().flatten().flat_map(|pipeline| &pipeline.nodes);
        if all().any(grows) && !all().any(ends) {
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
            .filter(|p| matches!(p, Piece::Var { name, op, .. } if *name == assign.name && is_whole(op)))
            .count()
    };
    words.is_empty() && assigns.iter().any(|assign| named(assign) + usize::from(assign.append) > 1)
}

/// Whether a variable is put in with all that it holds.
const fn is_whole(op: &VarOp) -> bool {
    matches!(op, VarOp::Plain | VarOp::Default { .. } | VarOp::All | VarOp::Joined)
}

/// Whether a command adds to a variable: `s+=x`.
fn adds(node: &Node) -> bool {
    matches!(&node.kind, Kind::Simple { assigns, words } if words.is_empty() && assigns.iter().any(|assign| assign.append))
}

/// Whether `xargs` starts several at once.
fn runs_many(words: &[Field]) -> bool {
    let one = |word: &Field| matches!(word.text.as_str(), "-P1" | "--max-procs=1");
    words.iter().any(|word| word.text.starts_with("-P") || word.text.starts_with("--max-procs"))
        && !words.iter().any(one)
}

#[cfg(test)]
mod tests {
    use crate::{Risk, read};

    #[test]
    fn what_fills_the_memory_is_high() {
        for line in [
            "sort <(yes)",
            "tail -n1 <(yes)",
            "sort < <(yes)",
            "cat <(yes) | sort",
            "mapfile -t a < <(yes)",
            "mapfile -t a < <(seq 1 99999999999)",
            "s=x; for i in {1..60}; do s=$s$s; done",
            "s=x; i=0; while ((i++ < 50)); do s=$s${s:-x}; done",
            "while true; do a+=(x); done",
            "s=x; while :; do s+=xxxxxxxx; done",
            "yes | xargs -P 0 -n1 sleep 100",
            "yes | paste -s",
            "tr '\\0' x < /dev/zero | grep foo",
            "yes | tr -d '\\n' | grep y",
            "base64 -w0 /dev/urandom | grep x",
            "grep x /dev/zero",
            "sed '' /dev/zero",
            "rev < /dev/full",
            "diff /dev/zero /dev/zero",
            "yes > /dev/null & yes > /dev/null &",
            "printf '%*d' 2000000000 1",
        ] {
            assert_eq!(read(line).verdict.risk, Risk::High, "{line}");
        }
    }

    #[test]
    fn what_ends_or_goes_by_is_low() {
        for line in [
            "yes | head -3",
            "head -c 16 /dev/urandom | xxd",
            "tr -dc a-z < /dev/urandom | head -c 12",
            "for i in 1 2 3 4; do s=$s$s; done",
            "for f in *.rs; do all+=(\"$f\"); done; ls \"${all[@]}\"",
            "yes n | xargs -n1 echo | head -2",
            "yes | tr -d '\\n' | head -c 10",
            "grep -m1 x /dev/urandom | head -1",
            "diff <(sort a) <(sort b)",
            "printf '%*d' 8 1",
        ] {
            assert_eq!(read(line).verdict.risk, Risk::Low, "{line}");
        }
    }
}
