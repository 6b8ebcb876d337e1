//! Walks a parsed line in the order the shell would run it and collects what it may do.
//!
//! Owns the state a shell has (variables, functions, aliases, where it stands). Never judges a program: that is
//! [`super::command`] and the judges it calls.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::bounds::Spent;
use super::descriptors::Outputs;
use super::dialect;
use super::endless::Stream;
use super::expand::{Feed, Field, UNKNOWN};
use super::moves::Moves;
use super::parse;
use super::path::Cwd;
use super::rules;
use super::scope::Mark;
use super::settings::Steered;
use super::stand::Stand;
use super::state::Memory;
use super::syntax::{Joined, Kind, Node, Pipeline, Redirect, Script, Shape, Span, Target};
use super::trace::Trace;
use super::value::Value;
use super::{Part, Risk};

/// A simple command that was found, and what was found on it.
#[derive(Clone, Debug)]
struct Found {
    span: Span,
    risk: Risk,
    /// Its risk without where its output goes.
    own: Risk,
    /// Whether it puts something at stake.
    staked: bool,
    rule: &'static rules::Rule,
    program: String,
}

/// The worst thing found so far.
#[derive(Clone, Debug)]
pub(super) struct Worst {
    pub rule: &'static rules::Rule,
    pub span: Span,
}

/// The state of the walk.
#[derive(Default)]
pub(super) struct Walker<'l> {
    line: &'l str,
    origin: Option<Span>,
    found: Vec<Found>,
    pub(super) current: Option<usize>,
    worst: Option<Worst>,
    programs: Vec<String>,
    named: HashSet<String>,
    pub(super) memory: Memory,
    /// The next command is started by another program: functions and aliases do not count.
    pub(super) outside: bool,
    /// Where the shell stands.
    pub(super) stand: Stand,
    /// Where it stood when the innermost substitution began.
    pub(super) asked_from: Option<Rc<[String]>>,
    /// What would run and be touched, when that is asked for.
    pub(super) trace: Option<Trace>,
    /// What became of the outputs that the line was given.
    pub(super) outputs: Outputs,
    pub(super) depth: usize,
    pub(super) spent: Spent,
    /// Inside something that may not run: assignments add, not replace.
    pub(super) maybe: usize,
    /// How often what is walked is done at most, as far as its loops tell; 0 outside of every loop.
    pub(super) rounds: usize,
    /// Variables are only tested, not shown.
    pub(super) testing: bool,
    /// The shell is zsh, some of whose variables are its tables.
    pub(super) zsh: bool,
    /// The shell is not bash: it may read a text otherwise than that does.
    pub(super) foreign: bool,
    /// Files this line downloaded, and texts it wrote.
    pub(super) fetched: Vec<String>,
    pub(super) written: HashMap<String, String>,
    /// What this line fetched lies where it stands.
    pub(super) strayed: bool,
    /// Names of files that may be any came from a search.
    pub(super) wide: bool,
    /// A tree of an older state is on its way, or lies in one of these files.
    pub(super) archived: bool,
    pub(super) archives: Vec<String>,
    /// A remote of the project has another address now.
    pub(super) readdressed: bool,
    /// Variables are set that are not on the short list of harmless ones.
    pub(super) steered: Steered,
    /// Those among them that what runs now has set.
    pub(super) lasting: Steered,
    /// Files this line filled with something computed.
    pub(super) derived: Vec<String>,
    /// Names this line made, and the files they stand for.
    pub(super) renamed: Vec<(String, String)>,
    /// Secret-looking words named earlier in the same pipeline.
    pub(super) upstream_secret: Option<String>,
    /// What the last command prints never ends; what the current one is fed neither.
    pub(super) endless: Stream,
    pub(super) upstream_endless: Stream,
    /// The current command has no redirect, which could fail.
    pub(super) unredirected: bool,
    /// A text is read as another shell does.
    pub(super) rereading: bool,
    /// The line spells out what the current command is fed.
    pub(super) fed_plainly: bool,
    /// Set by a judge that replaces the table's word on a command.
    pub(super) lowered: Option<&'static str>,
}

impl<'l> Walker<'l> {
    pub(super) fn new(line: &'l str) -> Self {
        Self { line, ..Self::default() }
    }

    /// Judges a whole script, then what waits for its end and the functions nobody called.
    pub(super) fn run(&mut self, script: &Script) {
        self.script(script, &Feed::Inherit);
        self.run_traps(0);
        self.call_the_rest(None);
    }

    /// What was found: the worst, the parts, the programs, what would run.
    pub(super) fn finish(mut self) -> (Option<Worst>, Vec<Part>, Vec<String>, Option<Trace>) {
        let line = self.line;
        if let Some(trace) = &mut self.trace {
            trace.settle(|at| self.found.get(at).map(|f| (f.own, f.staked)));
        }
        let parts = self
            .found
            .into_iter()
            .map(|f| Part {
                text: line.get(f.span.start..f.span.end).unwrap_or(line).to_owned(),
                program: f.program,
                risk: f.risk,
                rule: f.rule.id.to_owned(),
                why: f.rule.why.to_owned(),
            })
            .collect();
        (self.worst, parts, self.programs, self.trace)
    }

    /// The whole line.
    pub(super) const fn line(&self) -> &'l str {
        self.line
    }

    /// A span of the text being walked, as a span of the line.
    pub(super) fn place_of(&self, span: Span) -> Span {
        self.origin.unwrap_or(span)
    }

    /// Notes that a rule holds at a place of the line.
    pub(super) fn hit(&mut self, rule: &str, span: Span) {
        self.hit_rule(rules::find(rule), span);
    }

    /// Notes that a rule holds.
    pub(super) fn hit_rule(&mut self, rule: &'static rules::Rule, span: Span) {
        let span = self.place_of(span);
        let loose = self.current.is_none();
        let staked = self.trace.as_mut().is_some_and(|trace| trace.hit(rule, loose));
        if let Some(found) = self.current.and_then(|at| self.found.get_mut(at)) {
            found.staked |= staked;
            if rule.id != "redirect" {
                found.own = found.own.max(rule.risk);
            }
            if found.risk < rule.risk {
                found.risk = rule.risk;
                found.rule = rule;
            }
        }
        if self.worst.as_ref().is_none_or(|worst| worst.rule.risk < rule.risk) {
            self.worst = Some(Worst { rule, span });
        }
    }

    /// Where the command stands that is being judged.
    pub(super) fn here(&self) -> Span {
        let found = self.current.and_then(|at| self.found.get(at));
        found.map_or_else(|| self.origin.unwrap_or_default(), |found| found.span)
    }

    /// Whether the worst is already found.
    pub(super) fn worst_is_high(&self) -> bool {
        self.worst.as_ref().is_some_and(|worst| worst.rule.risk == Risk::High)
    }

    /// The judges of this command know better than its table: it only reads.
    pub(super) fn lower_to_read(&mut self) {
        self.lowered = Some("read");
    }

    /// The judges of this command know better than its table.
    pub(super) fn lower_to(&mut self, rule: &'static str, _span: Span) {
        self.lowered = Some(rule);
    }

    /// Notes a program that may run.
    pub(super) fn note_program(&mut self, name: &str) {
        if let Some(found) = self.current.and_then(|at| self.found.get_mut(at))
            && found.program.is_empty()
        {
            name.clone_into(&mut found.program);
        }
        if self.named.insert(name.to_owned()) {
            self.programs.push(name.to_owned());
        }
    }

    pub(super) fn script(&mut self, script: &Script, feed: &Feed) -> Feed {
        self.memory.list_depth += 1;
        let out = self.each_pipeline(script, feed);
        self.memory.list_depth -= 1;
        out
    }

    fn each_pipeline(&mut self, script: &Script, feed: &Feed) -> Feed {
        let mut out = Feed::Inherit;
        let mut chain: Option<(Mark, Joined)> = None;
        let mut moves = Moves::from(&self.stand);
        for pipeline in script {
            self.before_next(&mut moves, pipeline.joined);
            // What follows `&&` may count on all before it, what follows `||` on nothing.
            let goes_on = pipeline.joined == Joined::And
                && chain.as_ref().is_none_or(|(_, first)| *first == Joined::And);
            if !goes_on && let Some((mark, _)) = chain.take() {
                self.doubt(mark);
            }
            let conditional = pipeline.joined != Joined::Always;
            if conditional && chain.is_none() {
                chain = Some((self.enter(), pipeline.joined));
            }
            self.maybe += usize::from(conditional);
            let next = self.pipeline(pipeline, feed.clone());
            self.maybe -= usize::from(conditional);
            self.after_one(&mut moves, pipeline);
            out = match (out, next) {
                (Feed::Inherit, next) => next,
                (Feed::Text(a), Feed::Text(b)) if a.len() + b.len() < 65_536 => Feed::Text(a + &b),
                (out, Feed::Inherit) => out,
                (Feed::Fetched, _) | (_, Feed::Fetched) => Feed::Fetched,
                _ => Feed::Other,
            };
        }
        if let Some((mark, _)) = chain {
            self.doubt(mark);
        }
        self.before_next(&mut moves, Joined::Always);
        out
    }

    fn pipeline(&mut self, pipeline: &Pipeline, feed: Feed) -> Feed {
        let mut feed = feed;
        let upstream = self.upstream_secret.take();
        let alone = pipeline.nodes.len() == 1 && !pipeline.background;
        let stand = (!alone).then(|| self.stand.clone());
        self.endless = Stream::Ends;
        if let (true, Some(first)) = (pipeline.background, pipeline.nodes.first()) {
            self.check_beside(first.span);
        }
        for (at, node) in pipeline.nodes.iter().enumerate() {
            self.upstream_endless = std::mem::take(&mut self.endless);
            let mark = (!alone).then(|| self.enter());
            feed = self.node(node, feed);
            let ended = self.stand.cwd;
            if let (Some(mark), Some(stand)) = (mark, &stand) {
                // Some shells run the last part in themselves.
                if at + 1 == pipeline.nodes.len() && !pipeline.background {
                    self.doubt(mark);
                    self.or_return_to(stand);
                } else {
                    self.forget(mark);
                    self.stand.clone_from(stand);
                }
                self.stand.cwd = if ended == Cwd::Outside { ended } else { stand.cwd };
            }
        }
        if let (true, true, Some(first)) =
            (pipeline.background, self.endless.is_endless(), pipeline.nodes.first())
        {
            self.hit("bomb", first.span);
        }
        self.upstream_secret = upstream;
        feed
    }

    /// Judges one command; gives what it would print.
    pub(super) fn node(&mut self, node: &Node, feed: Feed) -> Feed {
        if !self.spend(node.span) {
            return Feed::Other;
        }
        let mut feed = feed;
        let outer = self.current;
        let span = self.place_of(node.span);
        if let Kind::Simple { .. } = node.kind {
            self.current = Some(self.found.len());
            let rule = rules::find("read");
            let (risk, own, staked) = (Risk::Low, Risk::Low, false);
            self.found.push(Found { span, risk, own, staked, rule, program: String::new() });
        }
        let mut targets = Vec::new();
        self.fed_plainly = false;
        self.unredirected = node.redirects.is_empty();
        for redirect in &node.redirects {
            self.redirect(redirect, &mut feed, &mut targets);
        }
        let out = match &node.kind {
            Kind::Simple { assigns, words } => self.simple(assigns, words, span, feed),
            Kind::Compound { words, bodies, shape } => {
                let fields = self.fields(words);
                for name in fields.iter().filter(|_| *shape == Shape::Coprocess) {
                    self.fill(&name.text, Value::unknown());
                }
                // The head of a `for ((…))`.
                if matches!(shape, Shape::While | Shape::Until) {
                    self.check_test(&fields, true);
                }
                self.compound(words, bodies, *shape, &feed, span)
            }
            Kind::Each { name, list, body } => self.each(name, list.as_deref(), body, &feed),
            Kind::Function { name, body } => {
                self.define(name, body);
                Feed::Inherit
            }
            Kind::Test { words, arithmetic } => {
                let only = !self.shows_tested(words);
                let testing = std::mem::replace(&mut self.testing, only);
                let texts: Vec<Field> = words.iter().map(|word| self.text_of(word)).collect();
                self.check_test(&texts, *arithmetic);
                self.testing = testing;
                Feed::Inherit
            }
        };
        self.note_output(&out, &targets, span);
        self.current = outer;
        if targets.is_empty() && !is_silenced(node) { out } else { Feed::Inherit }
    }

    /// Remembers what went into which files.
    pub(super) fn note_output(&mut self, out: &Feed, targets: &[String], span: Span) {
        if !targets.is_empty() && std::mem::take(&mut self.endless).is_endless() {
            self.hit("bomb", span);
        }
        if let (Feed::Fetched, true) = (out, !targets.is_empty()) {
            self.fetched.extend(targets.iter().cloned());
        }
        if matches!(out, Feed::Lines { .. } | Feed::Other) {
            self.derived.extend(targets.iter().cloned());
        }
        if let Feed::Text(text) = out {
            for target in targets {
                self.written.entry(target.clone()).or_default().push_str(text);
            }
        }
    }

    /// Runs a text as shell code at a place of the line.
    pub(super) fn run_text(&mut self, text: &str, span: Span) -> Feed {
        self.run_fed(text, span, &Feed::Inherit)
    }

    /// Runs a text as the shell does that a program starts for it: `sh`, whichever that is.
    pub(super) fn run_apart(&mut self, text: &str, span: Span) -> Feed {
        let outer = std::mem::replace(&mut self.foreign, true);
        let out = self.apart(|w| w.run_text(text, span));
        self.foreign = outer;
        out
    }

    /// Runs a text as shell code that is fed something.
    pub(super) fn run_fed(&mut self, text: &str, span: Span, feed: &Feed) -> Feed {
        if !self.spend_nested(text, span) {
            return Feed::Other;
        }
        if text.trim().is_empty() {
            return Feed::Inherit;
        }
        if self.foreign
            && let Some(other) = dialect::as_plain(text)
        {
            self.note_uncovered();
            // Once is enough, however deep the texts stand in each other.
            if other != text && !std::mem::replace(&mut self.rereading, true) {
                let _ = self.run_fed(&other, span, feed);
                self.rereading = false;
            }
        }
        if self.zsh && dialect::is_of_zsh(text) {
            self.hit("computed-code", span);
        }
        let Ok(script) = parse::parse(text) else {
            self.hit(if text.contains(UNKNOWN) { "computed-code" } else { "unreadable" }, span);
            return Feed::Other;
        };
        self.at_place(span, |w| w.script(&script, feed))
    }

    /// Does something with what stands at a place of the line but is not written there.
    pub(super) fn at_place<T>(&mut self, span: Span, inner: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.origin.replace(self.place_of(span));
        let stand = self.stand.clone();
        self.depth += 1;
        let out = inner(self);
        self.depth -= 1;
        self.or_return_to(&stand);
        self.origin = outer;
        out
    }

    /// Runs a script inside a substitution: assignments and moves do not last.
    pub(super) fn nested_script(&mut self, script: &Script, feed: &Feed) -> Feed {
        let stand = self.stand.clone();
        self.depth += 1;
        let testing = std::mem::replace(&mut self.testing, false);
        let upstream = self.upstream_endless;
        let mark = self.enter();
        let out = self.script(script, feed);
        self.forget(mark);
        self.upstream_endless = upstream;
        self.testing = testing;
        self.depth -= 1;
        self.stand = stand;
        out
    }
}

/// Whether nothing of what a command prints is left.
fn is_silenced(node: &Node) -> bool {
    let nowhere =
        |r: &Redirect| matches!(&r.target, Target::Write(word) if parse::bare(word) == Some("/dev/null"));
    // What errors say goes where the output went, were it copied before.
    let copied = node.redirects.iter().any(|redirect| matches!(redirect.target, Target::Copy(_)));
    !copied && node.redirects.iter().any(|redirect| redirect.printed && nowhere(redirect))
}

pub(super) fn merge_doubt(a: Feed, b: Feed) -> Feed {
    match (a, b) {
        (Feed::Inherit, next) => next,
        (same, Feed::Inherit) => same,
        (a, b) if a == b => a,
        (Feed::Fetched, _) | (_, Feed::Fetched) => Feed::Fetched,
        _ => Feed::Other,
    }
}
