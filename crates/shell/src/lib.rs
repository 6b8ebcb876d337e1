//! `pilothouse-shell` reads shell lines: what one would run and touch, and how risky that is, judged from
//! its text alone.
//!
//! It owns the reading of the line (one parser, bash's grammar), the rules as data, and the verdict: the highest risk of
//! anything the line can run, with the part that caused it. It knows nothing of sessions, never runs, reads or asks anything, and is no boundary:
//! it decides how loudly to ask; approval and sandbox are the boundary.

mod args;
mod arithmetic;
mod bounds;
mod braces;
mod builder;
mod carried;
mod command;
mod compound;
pub mod control;
mod counted;
mod covered;
mod cut;
mod descriptors;
mod dialect;
mod echo;
mod effect;
mod endless;
mod expand;
mod fetched;
mod forms;
mod grammar;
mod help;
mod kept;
mod kinds;
mod knowledge;
mod letters;
mod made;
mod modes;
mod moves;
mod named;
mod needs;
mod parse;
mod path;
mod prints;
mod programs;
mod proof;
mod reads;
mod redirect;
mod renamed;
mod repeat;
mod rounds;
pub mod rules;
mod scope;
pub mod secrets;
mod settings;
mod shell;
mod simple;
mod special;
mod spread;
mod stake;
mod stand;
mod started;
mod state;
mod syntax;
mod targets;
mod text;
mod touched;
mod trace;
mod value;
mod walk;
mod word;
mod wrap;

use serde::{Deserialize, Serialize};

pub use args::{Set, set_by};
pub use covered::{is_of_others, is_unreviewed};
pub use effect::{Effect, effect};
pub use kept::{puts_where_it_says, reads_to_an_end, runs_each_once};
pub use kinds::{FileKind, is_prose, is_source};
pub use knowledge::{fits, spelled_out};
pub use made::{Signs, is_made, is_output, makes_again, signs};
pub use needs::needs;
pub use path::glob;
pub use programs::{Role, goes_deeper, is, takes_in, work_files};
pub use proof::{
    Hides, another_way, checks_as_much, checks_each_file, ends_as_one, has_parts, hides_its_end, is_check,
    is_hollow, leaves_running, left_beside, only_shortens, pipe_of, proves, shortened_check, tells_its_end,
    together_check_as_much,
};
pub use settings::{steers, steers_as};
pub use stake::Stake;
pub use targets::{Target, targets};
pub use trace::{Act, Call, Use, Word, settled};

/// Longest line that is judged, in bytes; longer ones are high.
pub const MAX_LINE_BYTES: usize = 64 * 1024;

/// How much a command can do that the user may regret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Risk {
    /// Only reads: no secrets, no network, nothing lasting.
    Low,
    /// Changes in the project that can be redone, network reads, project code, unknown programs.
    Medium,
    /// Destroys, leaves the project, shows secrets, sends, or cannot be read with certainty.
    High,
}

impl Risk {
    /// The lowercase name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

/// One simple command of a line, with its own risk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// The text, a substring of the line.
    pub text: String,
    /// The program's resolved name; empty when there is none.
    pub program: String,
    /// Its risk.
    pub risk: Risk,
    /// The rule that decided.
    pub rule: String,
    /// One plain sentence.
    pub why: String,
}

/// What was found out about a line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    /// The highest risk of anything the line can run.
    pub risk: Risk,
    /// The substring of the line that caused it; empty for low.
    pub part: String,
    /// One plain sentence.
    pub why: String,
    /// Stable rule id.
    pub rule: String,
    /// Every program it may run, by resolved name.
    pub programs: Vec<String>,
    /// Each simple command that was found, for display.
    pub parts: Vec<Part>,
}

/// Judges a shell line. Total: never panics, and bounded in time and memory on any input.
pub fn assess(line: &str) -> Verdict {
    if line.len() > MAX_LINE_BYTES {
        return refusal(line, "too-long");
    }
    let Ok(script) = parse::parse(line) else { return refusal(line, "unreadable") };
    let mut walker = walk::Walker::new(line);
    walker.check_comments(line);
    walker.run(&script);
    verdict(line, walker).0
}

/// Everything that a line would run and touch, as far as it can be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// How risky it is.
    pub verdict: Verdict,
    /// Every command that it would run, in order, carriers included.
    pub calls: Vec<Call>,
    /// Every path that it would touch.
    pub uses: Vec<Use>,
    /// Every file that it would run or take its orders from: scripts, build files, configurations.
    pub runs: Vec<Use>,
    /// Files and folders that it would fetch or unpack.
    pub fetched: Vec<String>,
    /// Whether it deletes something.
    pub deletes: bool,
    /// Whether it may run code of others that comes with what it installs, and not only the project's own.
    pub foreign: bool,
    /// Whether all of it was looked at: no bound was reached, and it could be parsed.
    pub whole: bool,
    /// Whether it is too long or too deep to be looked at as a whole.
    pub too_long: bool,
    /// The risk of what belongs to no command.
    pub loose: Risk,
    /// Whether a part of it is made while it runs, so that it may do something else than is read here.
    pub made: bool,
    /// What is at stake, where that is certain and all that speaks against the line.
    pub stakes: Vec<Stake>,
}

/// Reads a shell line as [`assess`] does and tells what it would run and touch as well.
pub fn read(line: &str) -> Reading {
    read_in(line, "")
}

/// Reads a shell line that starts in a folder of the workspace; empty for its top.
pub fn read_in(line: &str, folder: &str) -> Reading {
    let unread = |rule| Reading {
        verdict: refusal(line, rule),
        calls: Vec::new(),
        uses: Vec::new(),
        runs: Vec::new(),
        fetched: Vec::new(),
        deletes: false,
        foreign: true,
        whole: false,
        too_long: rule == "too-long",
        loose: Risk::High,
        made: true,
        stakes: Vec::new(),
    };
    if line.len() > MAX_LINE_BYTES {
        return unread("too-long");
    }
    let Ok(script) = parse::parse(line) else { return unread("unreadable") };
    let mut walker = walk::Walker::new(line);
    walker.trace = Some(trace::Trace::default());
    walker.stand.moved = !folder.is_empty();
    walker.check_comments(line);
    walker.run(&script);
    let fetched = walker.fetched.clone();
    let (verdict, trace) = verdict(line, walker);
    let trace = trace.unwrap_or_default();
    Reading {
        verdict,
        calls: trace.calls,
        uses: trace.uses,
        runs: trace.runs,
        fetched,
        deletes: trace.deletes,
        foreign: trace.foreign || trace.cut,
        whole: !trace.cut,
        too_long: trace.cut,
        loose: trace.loose,
        made: trace.made,
        stakes: if trace.cut { Vec::new() } else { trace.stakes.all() },
    }
}

/// A word quoted so that a shell reads it back unchanged; plain words stay as they are.
pub fn quote(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// Whether bash does it itself: `cd`, `export`.
pub fn is_builtin(name: &str) -> bool {
    knowledge::list("builtins of bash").contains(&name)
}

/// Whether anything is known of a program of that name.
pub fn is_known(program: &str) -> bool {
    command::is_known(program)
}

/// Whether a git setting of this name makes git run its value, or lets a folder's own settings run.
pub fn git_key_runs(key: &str) -> bool {
    special::git_key_runs(key)
}

/// Whether the first operand of a program says what it does (`git`, `cargo`).
pub fn has_subcommands(program: &str) -> bool {
    programs::find(program).is_some_and(programs::Program::has_subcommands)
}

fn verdict(line: &str, walker: walk::Walker<'_>) -> (Verdict, Option<trace::Trace>) {
    let (worst, parts, programs, trace) = walker.finish();
    let rule = worst.as_ref().map_or_else(|| rules::find("read"), |worst| worst.rule);
    let part = worst.filter(|_| rule.risk > Risk::Low).map_or("", |worst| {
        line.get(worst.span.start..worst.span.end).filter(|part| !part.is_empty()).unwrap_or(line)
    });
    let verdict = Verdict {
        risk: rule.risk,
        part: if part.trim().is_empty() { part } else { part.trim() }.to_owned(),
        why: rule.why.to_owned(),
        rule: rule.id.to_owned(),
        programs,
        parts,
    };
    (verdict, trace)
}

/// A verdict for a line that was not read.
fn refusal(line: &str, rule: &str) -> Verdict {
    let rule = rules::find(rule);
    let shown = line.char_indices().nth(200).map_or(line.len(), |(at, _)| at);
    Verdict {
        risk: rule.risk,
        part: line.get(..shown).unwrap_or("").trim().to_owned(),
        why: rule.why.to_owned(),
        rule: rule.id.to_owned(),
        programs: Vec::new(),
        parts: Vec::new(),
    }
}
