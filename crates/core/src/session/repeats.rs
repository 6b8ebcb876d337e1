//! Calls that one line of work makes again and again: which, how often, and whether they gave the same answer.
//!
//! Owns the count. Never decides what follows from it, and holds no answer, only what tells one from another.

use std::collections::BTreeMap;

use super::{LaneKind, OpenCall, State};
use crate::{
    blob::{BlobId, OUTPUT},
    fact::shortened,
    ids::CallId,
    shell::{self, Role},
    tool::ToolCall,
};

/// From this time on the same answer is not told again.
const TOLD: u32 = 3;
/// At this time the line of work ends.
const MOST: u32 = 6;

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
    /// A call of the line's so manieth reply ended with this answer, as [`answer_id`] tells it from another.
    pub(super) fn note(&mut self, open: &OpenCall, answer: BlobId, round: u32) {
        let known = self.by.entry(key(open)).or_insert(Known { answer, times: 0, round: 0 });
        if known.answer != answer {
            *known = Known { answer, times: 0, round: 0 };
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

    /// What is told of a call instead of this answer.
    fn instead(&self, open: &OpenCall, answer: BlobId) -> Option<String> {
        let Known { answer: of, times, .. } = self.by.get(&key(open))?;
        (*of == answer && times + 1 >= TOLD).then(|| {
            format!(
                "(the same call gave the same answer {times} times, and nothing changed since, so it is not repeated: it \
                 stands above. The same call again gives the same again. Do something else, or say what you found and end.)"
            )
        })
    }

    /// The call that was made so often that the line of work ends, and how often.
    pub(super) fn stuck(&self) -> Option<(&str, u32)> {
        self.stuck.as_deref().map(|call| (call, MOST))
    }
}

impl State {
    /// What tells the answer to a call from another, where a model is told of it and the same call can only give the same
    /// while nothing changes.
    pub(super) fn answer_id(&self, call: CallId, answer: &str) -> Option<BlobId> {
        let (lane, open) = self.open_call(call)?;
        // What code calls for a stage or a gate is no model's to be told of.
        let by_model = !matches!(lane.kind, LaneKind::Pipeline | LaneKind::Gate(_));
        by_model.then(|| answer_id(open, answer)).flatten()
    }

    /// What is told of a call instead of its answer, where that was told often enough.
    pub(super) fn instead(&self, call: CallId, answer: Option<BlobId>) -> Option<String> {
        let (lane, open) = self.open_call(call)?;
        lane.repeats.instead(open, answer?)
    }
}

/// What tells the answer to a call from another: all of it, and of a program but how long it took and what was left out of
/// what it printed. Nothing where the same call may well give another answer.
fn answer_id(open: &OpenCall, answer: &str) -> Option<BlobId> {
    if open.typed {
        return None;
    }
    match open.asked.as_deref() {
        Ok(ToolCall::Run(run)) => (!waits(&run.command)).then(|| BlobId::of(printed(answer).as_bytes())),
        Ok(ToolCall::External(_)) => None,
        Ok(ToolCall::File(_) | ToolCall::Knowledge(_) | ToolCall::Session(_)) | Err(_) => {
            Some(BlobId::of(answer.as_bytes()))
        }
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

/// What a program printed, without how long it took. A line that says what is left out stands between two that may be
/// torn: where, hangs on that as well.
fn printed(answer: &str) -> String {
    let lines: Vec<&str> = answer.lines().collect();
    let left_out = |at: usize| {
        lines.get(at).is_some_and(|line| line.contains("left out; read ") && line.contains(OUTPUT))
    };
    let torn = |at: usize| left_out(at) || left_out(at + 1) || at.checked_sub(1).is_some_and(left_out);
    let whole = lines.iter().enumerate().filter(|(at, _)| !torn(*at));
    whole.map(|(_, line)| timeless(line)).collect::<Vec<_>>().join("\n")
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
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::tool::Tool;

    #[test]
    fn how_long_it_took_is_no_other_answer_and_anything_else_is() {
        assert_eq!(timeless("exit 1, took 0.3 s"), timeless("exit 1, took 12.0 s"));
        assert_eq!(timeless("ok (0.12s) 3 ms"), timeless("ok (4s) 120 ms"));
        assert_ne!(timeless("3 passed in 0.1s"), timeless("4 passed in 0.1s"));
        assert_ne!(timeless("v1.2.3 of x"), timeless("v1.2.4 of x"));
        assert_eq!(timeless("grüße 5"), "grüße 5");
    }

    #[test]
    fn a_time_that_a_file_holds_is_its_own_and_the_middle_of_a_long_answer_counts() {
        let of = |tool, args: &str, text: &str| {
            answer_id(&OpenCall::made(CallId(1), tool, args, crate::ids::Millis(0)), text).unwrap()
        };
        let read = |text: &str| of(Tool::Read, r#"{"path": "a.txt"}"#, text);
        let ran = |text: &str| of(Tool::Run, r#"{"command": "make test"}"#, text);
        for (before, now) in [("timeout = \"30s\"", "timeout = \"60s\""), ("sleep 5m", "sleep 10m")] {
            assert_ne!(read(before), read(now));
            assert_eq!(ran(before), ran(now));
        }
        let long = |middle: &str| format!("{0}{middle}\n{0}", "line\n".repeat(2_000));
        assert_ne!(read(&long("one")), read(&long("two")));
        assert_ne!(ran(&long("one")), ran(&long("two")));
        assert_eq!(ran(&long("took 1.25 s")), ran(&long("took 12.5 s")));
    }

    #[test]
    fn what_was_left_out_and_where_it_was_torn_is_no_other_answer() {
        let cut = |took: &str, torn: &str, of: &str| {
            format!(
                "ok, took {took}\nbuilding {torn}\n[… 812 bytes left out; read output:{of} has them …]\n{torn} c\n1 failed"
            )
        };
        assert_eq!(
            printed(&cut("9.9 s", "ab", "0123456789ab")),
            printed(&cut("10.1 s", "a", "ba9876543210"))
        );
        let other = cut("9.9 s", "ab", "0123456789ab").replace("1 failed", "2 failed");
        assert_ne!(printed(&cut("9.9 s", "ab", "0123456789ab")), printed(&other));
    }

    #[test]
    fn a_line_waits_by_the_programs_that_it_runs_and_not_by_its_words() {
        for line in [
            "sleep 5; cat out.log",
            "gh run list",
            "docker ps --format '{{.Status}}'",
            "ps aux | grep server",
            "systemctl is-active db",
            "psql -c 'select 1'",
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
