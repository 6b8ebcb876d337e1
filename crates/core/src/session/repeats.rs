//! Calls that one line of work makes again and again: which, how often, and whether they gave the same answer.
//!
//! Owns the count. Never decides what follows from it, and holds no answer, only what tells one from another.

use std::collections::BTreeMap;

use super::OpenCall;
use crate::{
    blob::{BlobId, Excerpt},
    fact::shortened,
    shell::{self, Role},
    tool::ToolCall,
};

/// From this time on the same answer is not told again.
const TOLD: u32 = 3;
/// At this time the line of work ends.
const MOST: u32 = 6;
/// How what is told instead of the same answer begins.
const SAME: &str = "(the same call gave the same answer";

/// What one call gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Known {
    answer: BlobId,
    times: u32,
    /// The reply that made it last: of its calls none knew the answer to another.
    round: u32,
}

/// The calls of a line of work since anything changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Repeats {
    by: BTreeMap<BlobId, Known>,
    /// The call that was made too often.
    stuck: Option<String>,
}

impl Repeats {
    /// A call of the line's so manieth reply ended with this answer.
    pub(super) fn note(&mut self, open: &OpenCall, answer: &Excerpt, round: u32) {
        if !counts(open) {
            return;
        }
        let is = same(runs(open), answer);
        let known = self.by.entry(key(open)).or_insert(Known { answer: is, times: 0, round: 0 });
        // What is told instead stands for the answer before.
        if known.answer != is && !answer.head.starts_with(SAME) {
            *known = Known { answer: is, times: 0, round: 0 };
        }
        if known.times == 0 || known.round != round {
            (known.times, known.round) = (known.times + 1, round);
        }
        if known.times >= MOST {
            self.stuck = Some(named(open));
        }
    }

    /// Something changed: what is called now may give another answer.
    pub(super) fn forget(&mut self) {
        *self = Self::default();
    }

    /// What is told of a call instead of its answer, where that was told often enough.
    pub(super) fn instead(&self, open: &OpenCall, answer: &str) -> Option<String> {
        let Known { answer: of, times, .. } = self.by.get(&key(open)).filter(|_| counts(open))?;
        let is = same(runs(open), &Excerpt::of(answer, &mut Vec::new()));
        (*of == is && times + 1 >= TOLD).then(|| {
            format!(
                "{SAME} {times} times, and nothing changed since, so it is not repeated: it stands above. The same call \
                 again gives the same again. Do something else, or say what you found and end.)"
            )
        })
    }

    /// The call that was made so often that the line of work ends, and how often.
    pub(super) fn stuck(&self) -> Option<(&str, u32)> {
        self.stuck.as_deref().map(|call| (call, MOST))
    }
}

/// Whether the same call can only give the same answer while nothing changes.
fn counts(open: &OpenCall) -> bool {
    if open.typed {
        return false;
    }
    match open.asked.as_deref() {
        Ok(ToolCall::Run(run)) => !waits(&run.command),
        Ok(ToolCall::Session(_) | ToolCall::External(_)) => false,
        Ok(ToolCall::File(_) | ToolCall::Knowledge(_)) | Err(_) => true,
    }
}

/// Whether a line waits for something, or asks what is outside of the files.
fn waits(line: &str) -> bool {
    shell::read(line).calls.iter().any(|call| shell::is(&call.program, Role::Waits))
}

fn key(open: &OpenCall) -> BlobId {
    BlobId::of(format!("{}\0{}", open.name, open.hash).as_bytes())
}

/// The call, for people.
fn named(open: &OpenCall) -> String {
    let name = open.tool.map_or(open.name.as_str(), |tool| tool.name());
    shortened(format!("{name} {}", open.subject()).trim(), 120)
}

/// Whether a program answered: it may say how long it took.
fn runs(open: &OpenCall) -> bool {
    matches!(open.asked.as_deref(), Ok(ToolCall::Run(_)))
}

/// What tells an answer from another: all of it but what was said about it, and of a program but how long it took. A
/// time in a file is what the file holds.
fn same(runs: bool, answer: &Excerpt) -> BlobId {
    let tail = answer.cut.as_ref().map_or("", |cut| &cut.tail);
    // What of a long one is in neither is told by the hash of the whole.
    let whole = answer.cut.as_ref().map(|cut| cut.blob.to_string());
    let lines = answer.head.lines().chain(tail.lines()).filter(|line| !line.starts_with("(it failed "));
    let line = |line: &str| if runs { timeless(line) } else { line.to_owned() };
    BlobId::of(lines.map(line).chain(whole).collect::<Vec<_>>().join("\n").as_bytes())
}

/// A line without its durations: `0.12s`, `3 ms`.
fn timeless(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        let number = from.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(from.len());
        let (number, behind) = from.split_at(number);
        let unit = behind.strip_prefix(' ').unwrap_or(behind);
        let word = unit.find(|c: char| !c.is_alphabetic()).unwrap_or(unit.len());
        let (word, after) = unit.split_at(word);
        if matches!(word, "s" | "ms" | "us" | "µs" | "ns" | "sec" | "secs" | "seconds" | "min" | "m") {
            rest = after;
        } else {
            out.push_str(number);
            rest = behind;
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_long_it_took_is_no_other_answer_and_anything_else_is() {
        assert_eq!(timeless("exit 1, took 0.3 s"), timeless("exit 1, took 12.0 s"));
        assert_eq!(timeless("ok (0.12s) 3 ms"), timeless("ok (4s) 120 ms"));
        assert_ne!(timeless("3 passed in 0.1s"), timeless("4 passed in 0.1s"));
        assert_ne!(timeless("v1.2.3 of x"), timeless("v1.2.4 of x"));
        assert_eq!(timeless("grüße 5"), "grüße 5");
    }

    #[test]
    fn another_time_in_a_file_is_another_answer_and_so_is_another_middle() {
        let of = |runs: bool, text: &str| same(runs, &Excerpt::of(text, &mut Vec::new()));
        for (before, now) in [("timeout = \"30s\"", "timeout = \"60s\""), ("sleep 5m", "sleep 10m")] {
            assert_ne!(of(false, before), of(false, now));
            assert_eq!(of(true, before), of(true, now));
        }
        let long = |middle: &str| format!("{0}{middle}\n{0}", "line\n".repeat(2_000));
        assert_ne!(of(false, &long("one")), of(false, &long("two")));
        assert_ne!(of(true, &long("one")), of(true, &long("two")));
        assert_eq!(of(false, &long("one")), of(false, &long("one")));
    }

    #[test]
    fn a_line_waits_by_the_programs_that_it_runs_and_not_by_its_words() {
        for line in [
            "sleep 5; cat out.log",
            "gh run list",
            "watch -n 2 ls",
            "while ! curl -s localhost; do sleep 1; done",
        ] {
            assert!(waits(line), "{line}");
        }
        for line in ["make test", "cat src/sleep.rs", "grep -rn docker src", "cargo test date"] {
            assert!(!waits(line), "{line}");
        }
    }
}
