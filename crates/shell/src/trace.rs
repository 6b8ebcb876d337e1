//! What a line would run and touch, kept while it is walked, for rules that ask more than how risky it is.
//!
//! Owns the list of commands and of paths. Never judges: rules about commands and paths are [`crate::policy`]'s.

use std::rc::Rc;

use super::Risk;
use super::expand::{Field, UNKNOWN};
use super::programs::{self, Role};
use super::rules::Rule;
use super::stake::Stakes;
use super::stand::{Stand, join};
use super::syntax::Span;
use super::value::Made;
use super::walk::Walker;

/// What is done to a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Act {
    /// Its content is seen.
    Read,
    /// Its content is changed, or it is made.
    Write,
    /// It goes.
    Delete,
}

impl Act {
    /// The lowercase name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Delete => "delete",
        }
    }
}

/// One word of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// The text, as a program would get it.
    pub text: String,
    /// Whether nothing in it is open: no value that the line does not show, no wildcard at its start.
    pub certain: bool,
    /// Whether it is of a kind that a rule about the words before it covers: no code, no other configuration, nothing
    /// outside the project.
    pub harmless: bool,
}

/// One command that the line would run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The program's plain name; empty when it is not certain.
    pub program: String,
    /// The program as it was given.
    pub given: String,
    /// Its arguments.
    pub words: Vec<Word>,
    /// Whether it was named by a path of its own, outside the usual folders.
    pub located: bool,
    /// Whether it only runs the command inside its arguments, which stands in the list as well.
    pub carrier: bool,
    /// Whether variables are set for it that may steer it.
    pub steered: bool,
    /// Whether it names nothing of what its program does by name, as `gradle` alone does: settings of the project say it.
    pub by_default: bool,
    /// Whether it is of a kind that does nothing but read, wherever it may write: its low risk rests on no option that was
    /// overlooked.
    pub reads: bool,
    /// Whether one that only reads does so as files of the folder that it works in say.
    pub led: bool,
    /// The risk of its part of the line, without where its output goes.
    pub risk: Risk,
    /// Its part of the line, as it is written.
    pub part: String,
    /// The folders that it may run in, relative to where the line starts; `None` when the line does not show them.
    pub from: Option<Rc<[String]>>,
}

/// One path that the line would touch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Use {
    /// What is done to it.
    pub act: Act,
    /// The path as the program gets it.
    pub path: String,
    /// The folders that it may be relative to; `None` when the line does not show them.
    pub from: Option<Rc<[String]>>,
    /// Whether `*`, `?` and `[` in it are wildcards.
    pub wild: bool,
    /// Whether it is where output is sent to.
    pub redirect: bool,
}

impl Use {
    /// Where the path may lie, for a line that starts in `folder`; relative to the workspace, or absolute.
    pub fn places(&self, folder: &str) -> Vec<String> {
        let here = [String::new()];
        let from = self.from.as_deref().unwrap_or(&here);
        from.iter().filter_map(|from| settled(&[folder, from, &self.path])).collect()
    }
}

/// One path of several, each seen from the one before, without `.` and `..`; `None` where it climbs out. Above the root
/// there is the root.
pub fn settled(parts: &[&str]) -> Option<String> {
    let start = parts.iter().rposition(|part| part.starts_with(['/', '~'])).unwrap_or(0);
    let root = if parts.get(start).is_some_and(|part| part.starts_with('/')) { "/" } else { "" };
    let mut out: Vec<&str> = Vec::new();
    for part in parts.iter().skip(start).flat_map(|part| part.split('/')) {
        match part {
            "" | "." => {}
            ".." if out.is_empty() && !root.is_empty() => {}
            ".." => drop(out.pop()?),
            part => out.push(part),
        }
    }
    (!out.is_empty()).then(|| format!("{root}{}", out.join("/")))
}

/// What was found while a line was walked.
#[derive(Clone, Debug)]
pub(super) struct Trace {
    pub calls: Vec<Call>,
    places: Vec<Option<usize>>,
    pub uses: Vec<Use>,
    /// Files whose content is run or says what is: scripts, build files, configurations.
    pub runs: Vec<Use>,
    /// A part deletes.
    pub deletes: bool,
    /// A part runs code of others that comes with what it installs.
    pub foreign: bool,
    /// A bound was reached: not everything was looked at.
    pub cut: bool,
    /// The risk of what belongs to no command.
    pub loose: Risk,
    /// A part of the line is made while it runs.
    pub made: bool,
    pub stakes: Stakes,
    aside: Option<String>,
}

impl Default for Trace {
    fn default() -> Self {
        Self {
            calls: Vec::new(),
            places: Vec::new(),
            uses: Vec::new(),
            runs: Vec::new(),
            deletes: false,
            foreign: false,
            cut: false,
            loose: Risk::Low,
            made: false,
            stakes: Stakes::default(),
            aside: None,
        }
    }
}

impl Trace {
    /// A rule of risk holds somewhere; `loose` when no command stands there. Whether something is at stake.
    pub fn hit(&mut self, rule: &Rule, loose: bool) -> bool {
        self.cut |= rule.id == "too-long";
        self.deletes |= rule.id.starts_with("delete");
        self.foreign |= rule.foreign;
        if loose && rule.id != "redirect" {
            self.loose = self.loose.max(rule.risk);
        }
        self.stakes.hit(rule, loose)
    }

    /// Gives every command the risk of its part. A shell in which nothing was found only runs what it is given, and
    /// what moves the shell does nothing by itself.
    pub fn settle(&mut self, found: impl Fn(usize) -> Option<(Risk, bool)>) {
        for (call, at) in self.calls.iter_mut().zip(&self.places) {
            let (risk, staked) = at.and_then(&found).unwrap_or((call.risk, false));
            call.risk = risk;
            let name = call.program.as_str();
            let shell = programs::is(name, Role::Shell)
                || matches!(name, "eval" | "cd" | "pushd" | "popd" | "true" | "false" | ":");
            call.carrier |= shell && call.risk == Risk::Low && !call.located;
            if staked {
                self.stakes.weigh(call);
            }
            self.stakes.pass(call);
        }
    }

    fn touch(&mut self, act: Act, field: &Field, redirect: bool, stand: &Stand) {
        self.made |= redirect && field.made > Made::Nothing;
        let used = self.used(act, field, redirect, stand);
        if used.is_none() && act != Act::Read {
            self.stakes.unnamed();
        }
        self.uses.extend(used);
    }

    fn used(&self, act: Act, field: &Field, redirect: bool, stand: &Stand) -> Option<Use> {
        let wholly_open = field.text.chars().all(|c| c == UNKNOWN);
        if wholly_open && !redirect || field.feed.is_some() {
            return None;
        }
        let from = match (&self.aside, stand.folders()) {
            (Some(aside), Some(here)) => {
                Some(here.iter().map(|h| join(h, aside)).chain(here.iter().cloned()).collect())
            }
            (_, here) => here,
        };
        let wild = field.many || field.unknown() || redirect && field.made > Made::Nothing;
        Some(Use { act, path: field.text.clone(), from, wild, redirect })
    }
}

/// Whether words of a program are code, or a program that it starts.
fn takes_code(name: &str) -> bool {
    let wraps = || programs::find(name).is_some_and(|program| program.wraps.is_some());
    programs::is(name, Role::Shell) || matches!(name, "eval" | "." | "source" | "trap" | "alias") || wraps()
}

impl Walker<'_> {
    /// Notes a command.
    pub(super) fn note_call(&mut self, name: &str, located: bool, carrier: bool, argv: &[Field], span: Span) {
        let (line, current, steered) = (self.line(), self.current, self.steered.may);
        if self.trace.is_none() {
            return;
        }
        // No rule covers a program, or code, that the line makes somehow.
        let made = argv.iter().take(if takes_code(name) { argv.len() } else { 1 });
        if made.into_iter().any(|word| word.made > Made::Nothing) {
            self.note_uncovered();
        }
        let words = argv.get(1..).unwrap_or(&[]);
        let grammar = programs::find(name).unwrap_or(&programs::NOTHING);
        let harmless = grammar.harmless_words(words, self.stand.cwd);
        let by_default = grammar.acts_by_default(words);
        let texts = grammar.free_texts(words);
        let reads = !located && super::reads::does(name, words, steered);
        let led = reads && super::reads::is_led(name, words);
        let Some(trace) = &mut self.trace else { return };
        let open_glob = |f: &Field| f.many && f.text.starts_with(['*', '?', '[']);
        let is_spelled =
            |at: usize, f: &Field| f.made == Made::Nothing || f.made < Made::Words && texts.contains(&at);
        let word = |((at, f), harmless): ((usize, &Field), bool)| Word {
            text: f.text.clone(),
            certain: !f.unknown() && !open_glob(f) && is_spelled(at, f),
            harmless,
        };
        trace.calls.push(Call {
            program: name.to_owned(),
            given: argv.first().map(|f| f.text.clone()).unwrap_or_default(),
            words: words.iter().enumerate().zip(harmless).map(word).collect(),
            steered,
            by_default,
            located,
            carrier,
            reads,
            led,
            risk: Risk::High,
            part: line.get(span.start..span.end).unwrap_or(line).to_owned(),
            from: self.stand.folders(),
        });
        trace.places.push(current);
    }

    /// Notes a path that is touched.
    pub(super) fn note_use(&mut self, act: Act, field: &Field) {
        if let Some(trace) = &mut self.trace {
            trace.touch(act, field, false, &self.stand);
        }
    }

    /// Notes a file that is run, or that says what is run.
    pub(super) fn note_run(&mut self, field: &Field) {
        if let Some(trace) = &mut self.trace {
            let run = trace.used(Act::Read, field, false, &self.stand);
            trace.runs.extend(run);
        }
    }

    /// Notes a file that output is sent to.
    pub(super) fn note_redirect(&mut self, field: &Field) {
        if let Some(trace) = &mut self.trace {
            trace.touch(Act::Write, field, true, &self.stand);
        }
    }

    /// What arithmetic is given may hold a subscript, which runs what stands in it: a rule that lets a line write does not
    /// cover that.
    pub(super) fn doubt_number(&mut self, data: bool) {
        if data {
            self.note_uncovered();
        }
    }

    /// Whatever a rule lets a line write, it does not cover this.
    pub(super) fn note_uncovered(&mut self) {
        if let Some(trace) = &mut self.trace {
            trace.loose = trace.loose.max(Risk::Medium);
            trace.made = true;
        }
    }

    /// Not everything could be looked at.
    pub(super) fn note_cut(&mut self) {
        if let Some(trace) = &mut self.trace {
            trace.cut = true;
        }
    }

    /// Paths of the command being judged may also be relative to this folder (`git -C`).
    pub(super) fn look_aside(&mut self, folder: Option<String>) {
        if let Some(trace) = &mut self.trace {
            trace.aside = folder;
        }
    }
}
