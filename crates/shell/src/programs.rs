//! What is known of programs, kept as data: `assets/risk/{base,git,dev,net,system,mac,exec}.txt`.
//!
//! Owns reading those files and matching arguments against a program's lines. Never judges paths or runs
//! anything.
//!
//! A block starts with the programs' names in the first column; later blocks replace earlier ones, or add to them when they start with `+`. Inside:
//! `takes`/`gtakes` options with a value (anywhere / before the first operand), `text N [unless …]` operands
//! that are no paths, `out` options whose value is written, `in` options whose value is read although operands are only named, `run` options that start another program, `dest`
//! which operands are written, `names` operands are not read, `moves` they go away, `inner` they are a command, `long1` long options have one dash, `helpfirst`
//! `--help` counts only before the first operand, `subhelp` or after one sub-command, `nohelp`, `namesubs`, `also` extra judges by name. Any other line is
//! `sub|sub sub… conditions : rule` (`:` base, longest wins; `=` overrides; `^` raises). Conditions: `?-a,--b` one of
//! these options, `!-a,--b` none of them, `@0 @1 @1+ @2+` number of operands left, `~glob,glob` an operand left
//! matches. `*` stands for any sub-command.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::expand::Field;
use super::path::glob;
use super::rules::{self, Rule};
use super::syntax::Span;

/// Which operands a program writes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Dest {
    #[default]
    None,
    All,
    /// The last operand, or the value of `-t`; the others are read.
    Copy,
    /// The last operand; the others are only named.
    Last,
    /// All of them, unless the command only reads.
    Changed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Base,
    Override,
    Raise,
}

#[derive(Clone, Debug)]
enum Condition {
    Any(Vec<&'static str>),
    None(Vec<&'static str>),
    Operands { least: usize, most: usize },
    Matches(Vec<&'static str>),
}

#[derive(Clone, Debug)]
struct Line {
    subs: Vec<Vec<&'static str>>,
    conditions: Vec<Condition>,
    mode: Mode,
    rule: &'static Rule,
}

/// One program.
#[derive(Clone, Debug, Default)]
pub(super) struct Program {
    pub takes: Vec<&'static str>,
    pub gtakes: Vec<&'static str>,
    pub text: usize,
    pub text_unless: Vec<&'static str>,
    pub out: Vec<&'static str>,
    pub reads: Vec<&'static str>,
    pub run: Vec<&'static str>,
    pub dest: Dest,
    pub names: bool,
    /// Its operands but the last go away.
    pub moves: bool,
    /// Its operands are a command of their own.
    pub inner: bool,
    pub long1: bool,
    pub help_first: bool,
    pub no_help: bool,
    /// `--help` after one sub-command counts too.
    pub sub_help: bool,
    /// Sub-commands whose operands are only named.
    pub name_subs: Vec<&'static str>,
    pub also: Vec<&'static str>,
    lines: Vec<Line>,
}

static PROGRAMS: LazyLock<HashMap<&'static str, &'static Program>> = LazyLock::new(|| {
    let mut out = HashMap::new();
    for text in [
        include_str!("../../../assets/risk/base.txt"),
        include_str!("../../../assets/risk/git.txt"),
        include_str!("../../../assets/risk/dev.txt"),
        include_str!("../../../assets/risk/net.txt"),
        include_str!("../../../assets/risk/system.txt"),
        include_str!("../../../assets/risk/mac.txt"),
        include_str!("../../../assets/risk/exec.txt"),
    ] {
        read(text, &mut out);
    }
    out
});

/// What is known of the program of that name.
pub(super) fn find(name: &str) -> Option<&'static Program> {
    PROGRAMS.get(name).copied()
}

fn read(text: &'static str, out: &mut HashMap<&'static str, &'static Program>) {
    let mut names: Vec<&'static str> = Vec::new();
    let mut program = Program::default();
    for line in text.lines().chain([""]) {
        if line.starts_with('#') {
            continue;
        }
        if line.starts_with("  ") {
            let says = line.split_whitespace().any(|word| matches!(word, ":" | "=" | "^"));
            if says {
                program.lines.extend(pattern(line));
            } else {
                directive(line.trim(), &mut program);
            }
            continue;
        }
        keep(&names, std::mem::take(&mut program), out);
        names = line.split_whitespace().collect();
    }
}

/// A block replaces what is known of its programs, or adds to it when it starts with `+`.
fn keep(names: &[&'static str], program: Program, out: &mut HashMap<&'static str, &'static Program>) {
    if let Some((&"+", names)) = names.split_first() {
        for name in names {
            let known = out.get(name).map_or_else(Program::default, |known| (*known).clone());
            out.insert(name, Box::leak(Box::new(known.and(&program))));
        }
    } else if !names.is_empty() {
        let kept: &'static Program = Box::leak(Box::new(program));
        out.extend(names.iter().map(|name| (*name, kept)));
    }
}

fn directive(line: &'static str, program: &mut Program) {
    let mut words = line.split_whitespace();
    match words.next().unwrap_or("") {
        "takes" => program.takes.extend(words),
        "gtakes" => program.gtakes.extend(words),
        "out" => {
            program.out.extend(words.clone());
            program.takes.extend(words);
        }
        "in" => {
            program.reads.extend(words.clone());
            program.takes.extend(words);
        }
        "run" => program.run.extend(words),
        "names" => program.names = true,
        "moves" => program.moves = true,
        "inner" => program.inner = true,
        "long1" => program.long1 = true,
        "helpfirst" => program.help_first = true,
        "nohelp" => program.no_help = true,
        "also" => program.also.extend(words),
        "text" => {
            program.text = words.next().and_then(|n| n.parse().ok()).unwrap_or(usize::MAX);
            program.text_unless.extend(words.skip(1));
        }
        "dest" => {
            program.dest = match words.next() {
                Some("copy") => Dest::Copy,
                Some("changed") => Dest::Changed,
                Some("last" | "lastout") => Dest::Last,
                _ => Dest::All,
            };
        }
        "subhelp" => program.sub_help = true,
        "namesubs" => program.name_subs.extend(words),
        _ => {}
    }
}

fn pattern(line: &'static str) -> Option<Line> {
    let mut subs = Vec::new();
    let mut conditions = Vec::new();
    let mut words = line.split_whitespace();
    loop {
        let word = words.next()?;
        let list = |rest: &'static str| rest.split(',').collect::<Vec<_>>();
        if let Some(rest) = word.strip_prefix('?') {
            conditions.push(Condition::Any(list(rest)));
        } else if let Some(rest) = word.strip_prefix('!') {
            conditions.push(Condition::None(list(rest)));
        } else if let Some(rest) = word.strip_prefix('~') {
            conditions.push(Condition::Matches(list(rest)));
        } else if let Some(rest) = word.strip_prefix('@') {
            let least = rest.trim_end_matches('+').parse().ok()?;
            let most = if rest.ends_with('+') { usize::MAX } else { least };
            conditions.push(Condition::Operands { least, most });
        } else if let ":" | "=" | "^" = word {
            let mode = match word {
                ":" => Mode::Base,
                "=" => Mode::Override,
                _ => Mode::Raise,
            };
            return Some(Line { subs, conditions, mode, rule: rules::find(words.next()?) });
        } else if word != "*" {
            subs.push(word.split('|').collect());
        }
    }
}

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

/// What a program's lines say of some arguments.
pub(super) struct Found {
    pub rule: &'static Rule,
    /// The option or operand that decided, when one did.
    pub span: Option<Span>,
}

impl Program {
    /// What is known, and more.
    fn and(mut self, more: &Self) -> Self {
        self.takes.extend(&more.takes);
        self.gtakes.extend(&more.gtakes);
        self.out.extend(&more.out);
        self.reads.extend(&more.reads);
        self.run.extend(&more.run);
        self.also.extend(&more.also);
        self.lines.extend(more.lines.iter().cloned());
        self.text = self.text.max(more.text);
        self.long1 |= more.long1;
        self.names |= more.names;
        self
    }

    /// Whether the first operand says what it does.
    pub(super) fn has_subcommands(&self) -> bool {
        self.lines.iter().any(|line| !line.subs.is_empty())
    }

    /// Whether an operand is the name of a sub-command, a target or a script rather than of a file.
    pub(super) fn names_by_word(&self, name: &str, at: usize, text: &str) -> bool {
        let plain = !text.contains(['/', '.', '~', '*', '?', ':', '=', '@']);
        plain && self.has_subcommands() && (at == 0 || name != "git")
    }

    /// The rules that hold: the base or its override first, then every raise.
    pub(super) fn judge(&self, args: &Args) -> Vec<Found> {
        let mut base: Option<(usize, bool, Found)> = None;
        let mut forced: Option<(usize, Found)> = None;
        let mut raised = Vec::new();
        for line in &self.lines {
            let Some(span) = line.matches(args) else { continue };
            let depth = line.subs.len();
            let found = Found { rule: line.rule, span };
            let conditional = !line.conditions.is_empty();
            match line.mode {
                Mode::Raise => raised.push((depth, conditional, found)),
                Mode::Override if forced.as_ref().is_none_or(|(d, _)| *d <= depth) => {
                    forced = Some((depth, found));
                }
                Mode::Base
                    if base.as_ref().is_none_or(|(d, c, _)| {
                        (*d, *c) < (depth, conditional) || *d == depth && *c == conditional && !conditional
                    }) =>
                {
                    base = Some((depth, conditional, found));
                }
                Mode::Override | Mode::Base => {}
            }
        }
        let mut out = Vec::with_capacity(1 + raised.len());
        // An override speaks for its sub-command: raises meant for the shorter or plain form fall away.
        let spoken = forced.as_ref().map_or(0, |(depth, _)| *depth);
        raised.retain(|(depth, conditional, _)| {
            *depth > spoken || *depth == spoken && *conditional || spoken == 0
        });
        match (forced, base) {
            (Some((_, found)), _) | (None, Some((_, _, found))) => out.push(found),
            (None, None) => out.push(Found { rule: rules::find("unknown"), span: None }),
        }
        out.extend(raised.into_iter().map(|(_, _, found)| found));
        out
    }
}

impl Line {
    /// The span that decided when the line matches; the inner `None` when nothing in particular did.
    #[allow(clippy::option_option, reason = "no match, a match, and a match at a place are three things")]
    fn matches(&self, args: &Args) -> Option<Option<Span>> {
        let subs_match = self.subs.iter().enumerate().all(|(at, names)| {
            names.iter().any(|n| *n == args.operand(at) || n.contains('*') && glob(n, args.operand(at)))
        });
        if !subs_match || args.operands.len() < self.subs.len() {
            return None;
        }
        let rest = args.operands.get(self.subs.len()..).unwrap_or(&[]);
        let mut span = None;
        for condition in &self.conditions {
            match condition {
                Condition::Any(patterns) => span = Some(args.opt(patterns)?.span),
                Condition::None(patterns) => {
                    if args.has(patterns) {
                        return None;
                    }
                }
                Condition::Operands { least, most } => {
                    if !(*least..=*most).contains(&rest.len()) {
                        return None;
                    }
                }
                Condition::Matches(patterns) => {
                    let hit = rest.iter().find(|f| patterns.iter().any(|p| glob(p, &f.text)));
                    span = Some(hit?.span);
                }
            }
        }
        Some(span)
    }
}
