//! Walks a parsed line in the order the shell would run it and collects what it may do.
//!
//! Owns the state a shell has (variables, functions, aliases, where it stands) and the bounds on work. Never
//! judges a program: that is [`super::command`] and the judges it calls.

use std::collections::HashMap;

use super::expand::{Feed, UNKNOWN, Value};
use super::parse;
use super::path::Cwd;
use super::rules;
use super::syntax::{Assign, Kind, Node, Pipeline, Script, Span};
use super::trace::Trace;
use super::{Part, Risk};

/// Most commands that are judged for one line.
const MAX_COMMANDS: usize = 40_000;

/// Most bytes of nested text (here-documents into a shell, `eval`, `sh -c`) that are read for one line.
const MAX_NESTED_BYTES: usize = 512 * 1024;

/// Most bytes of words that are put together for one line.
const MAX_BYTES: usize = 2 * 1024 * 1024;

/// Deepest nesting of texts and functions.
const MAX_DEPTH: usize = 24;

/// A simple command that was found, and what was found on it.
#[derive(Clone, Debug)]
struct Found {
    span: Span,
    risk: Risk,
    /// Its risk without where its output goes.
    own: Risk,
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
pub(super) struct Walker<'l> {
    line: &'l str,
    origin: Option<Span>,
    found: Vec<Found>,
    pub(super) current: Option<usize>,
    worst: Option<Worst>,
    programs: Vec<String>,
    pub(super) vars: HashMap<String, Vec<Value>>,
    pub(super) functions: HashMap<String, (Node, bool)>,
    pub(super) running: Vec<String>,
    pub(super) aliases: HashMap<String, String>,
    pub(super) cwd: Cwd,
    /// What would run and be touched, when that is asked for.
    pub(super) trace: Option<Trace>,
    pub(super) depth: usize,
    commands: usize,
    nested_bytes: usize,
    bytes: usize,
    /// Inside something that may not run: assignments add, not replace.
    pub(super) maybe: usize,
    /// Variables are only tested, not shown.
    pub(super) testing: bool,
    /// Files this line downloaded, and texts it wrote.
    pub(super) fetched: Vec<String>,
    pub(super) written: HashMap<String, String>,
    /// Files this line filled with something computed.
    pub(super) derived: Vec<String>,
    /// Secret-looking words named earlier in the same pipeline.
    pub(super) upstream_secret: Option<String>,
    pub(super) stopped: bool,
    /// Set by a judge that replaces the table's word on a command.
    pub(super) lowered: Option<&'static str>,
}

impl<'l> Walker<'l> {
    pub(super) fn new(line: &'l str) -> Self {
        Self {
            line,
            origin: None,
            found: Vec::new(),
            current: None,
            worst: None,
            programs: Vec::new(),
            vars: HashMap::new(),
            functions: HashMap::new(),
            running: Vec::new(),
            aliases: HashMap::new(),
            cwd: Cwd::Project,
            trace: None,
            depth: 0,
            commands: 0,
            nested_bytes: 0,
            bytes: 0,
            maybe: 0,
            testing: false,
            fetched: Vec::new(),
            written: HashMap::new(),
            derived: Vec::new(),
            upstream_secret: None,
            stopped: false,
            lowered: None,
        }
    }

    /// Judges a whole script, then the functions and aliases nobody called.
    pub(super) fn run(&mut self, script: &Script) {
        self.script(script, &Feed::Inherit);
        let mut names: Vec<String> =
            self.functions.iter().filter(|(_, (_, called))| !called).map(|(name, _)| name.clone()).collect();
        names.sort_unstable();
        for name in names {
            self.call(&name, Feed::Inherit);
        }
    }

    /// What was found: the worst, the parts, the programs, what would run.
    pub(super) fn finish(mut self) -> (Option<Worst>, Vec<Part>, Vec<String>, Option<Trace>) {
        let line = self.line;
        if let Some(trace) = &mut self.trace {
            trace.settle(|at| self.found.get(at).map(|f| f.own));
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
        if let Some(trace) = &mut self.trace {
            trace.hit(rule, self.current.is_none());
        }
        if let Some(found) = self.current.and_then(|at| self.found.get_mut(at)) {
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
        if self.programs.len() < 256 && !self.programs.iter().any(|p| p == name) {
            self.programs.push(name.to_owned());
        }
    }

    /// Counts bytes that were put together; too many end the walk.
    pub(super) fn charge(&mut self, bytes: usize, span: Span) {
        self.bytes += bytes;
        if self.bytes > MAX_BYTES && !self.stopped {
            self.hit("too-long", span);
            self.stopped = true;
        }
    }

    /// Whether more may be judged; the first refusal is a finding.
    fn spend(&mut self, span: Span) -> bool {
        self.commands += 1;
        if self.commands > MAX_COMMANDS || self.depth > MAX_DEPTH {
            if !self.stopped {
                self.hit("too-long", span);
            }
            self.stopped = self.commands > MAX_COMMANDS;
            return false;
        }
        !self.stopped
    }

    pub(super) fn script(&mut self, script: &Script, feed: &Feed) -> Feed {
        let mut out = Feed::Inherit;
        for pipeline in script {
            self.maybe += usize::from(pipeline.conditional);
            let next = self.pipeline(pipeline, feed.clone());
            self.maybe -= usize::from(pipeline.conditional);
            out = match (out, next) {
                (Feed::Inherit, next) => next,
                (Feed::Text(a), Feed::Text(b)) if a.len() + b.len() < 65_536 => Feed::Text(a + &b),
                (out, Feed::Inherit) => out,
                (Feed::Fetched, _) | (_, Feed::Fetched) => Feed::Fetched,
                _ => Feed::Other,
            };
        }
        out
    }

    fn pipeline(&mut self, pipeline: &Pipeline, feed: Feed) -> Feed {
        let mut feed = feed;
        let upstream = self.upstream_secret.take();
        let (cwd, place) = (self.cwd, self.standing());
        let alone = pipeline.nodes.len() == 1 && !pipeline.background;
        for node in &pipeline.nodes {
            feed = self.node(node, feed);
            if !alone {
                self.return_to(place.as_ref());
                if self.cwd != Cwd::Outside {
                    self.cwd = cwd;
                }
            }
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
            self.found.push(Found { span, risk: Risk::Low, own: Risk::Low, rule, program: String::new() });
        }
        let mut targets = Vec::new();
        for redirect in &node.redirects {
            self.redirect(redirect, &mut feed, &mut targets);
        }
        let out = match &node.kind {
            Kind::Simple { assigns, words } => self.simple(assigns, words, span, feed),
            Kind::Compound { words, bodies, certain, subshell } => {
                let _ = self.fields(words);
                let (cwd, place) = (self.cwd, self.standing());
                let out = self.bodies(bodies, *certain, &feed);
                if *subshell {
                    self.cwd = cwd;
                    self.return_to(place.as_ref());
                }
                out
            }
            Kind::Each { name, list, body } => self.each(name, list.as_deref(), body, &feed),
            Kind::Function { name, body } => {
                self.functions.insert(name.clone(), ((**body).clone(), false));
                Feed::Inherit
            }
            Kind::Test(words) => {
                let testing = std::mem::replace(&mut self.testing, true);
                for word in words {
                    let _ = self.text_of(word);
                }
                self.testing = testing;
                Feed::Inherit
            }
        };
        self.note_output(&out, &targets, span);
        self.current = outer;
        if targets.is_empty() { out } else { Feed::Inherit }
    }

    /// Remembers what went into which files.
    fn note_output(&mut self, out: &Feed, targets: &[String], span: Span) {
        let endless = self.current.and_then(|at| self.found.get(at)).is_some_and(|f| {
            let shown = self.line.get(f.span.start..f.span.end).unwrap_or("");
            f.program == "yes"
                || f.program == "cat"
                    && ["/dev/zero", "/dev/urandom", "/dev/random"].iter().any(|d| shown.contains(d))
        });
        if endless && !targets.is_empty() {
            self.hit("bomb", span);
        }
        if let (Feed::Fetched, true) = (out, !targets.is_empty()) {
            self.fetched.extend(targets.iter().cloned());
        }
        if *out == Feed::Other {
            self.derived.extend(targets.iter().cloned());
        }
        if let Feed::Text(text) = out {
            for target in targets {
                self.written.entry(target.clone()).or_default().push_str(text);
            }
        }
    }

    fn bodies(&mut self, bodies: &[Script], certain: bool, feed: &Feed) -> Feed {
        let doubt = usize::from(!certain);
        self.maybe += doubt;
        let mut out = Feed::Inherit;
        for body in bodies {
            let next = self.script(body, feed);
            out = if certain { next } else { merge_doubt(out, next) };
        }
        self.maybe -= doubt;
        out
    }

    fn each(&mut self, name: &str, list: Option<&[super::syntax::Word]>, body: &Script, feed: &Feed) -> Feed {
        let fields = list.map_or_else(Vec::new, |words| self.fields(words));
        self.maybe += 1;
        let mut out = Feed::Inherit;
        let rounds = if self.maybe > 3 { 2 } else { 6 };
        if list.is_none() || fields.is_empty() {
            self.assign(name, Value::unknown());
            out = self.script(body, feed);
        }
        for field in fields.iter().take(rounds) {
            self.vars.insert(name.to_owned(), vec![Value { text: field.text.clone(), many: field.many }]);
            let next = self.script(body, feed);
            out = merge_doubt(out, next);
        }
        if fields.len() > rounds {
            for field in fields.iter().skip(rounds) {
                self.vars.insert(name.to_owned(), vec![Value { text: field.text.clone(), many: true }]);
                if self.stopped || self.commands > MAX_COMMANDS / 4 {
                    self.note_cut();
                    self.vars.insert(name.to_owned(), vec![Value::unknown()]);
                }
                let _ = self.script(body, feed);
            }
            out = Feed::Other;
        }
        self.maybe -= 1;
        out
    }

    fn simple(&mut self, assigns: &[Assign], words: &[super::syntax::Word], span: Span, feed: Feed) -> Feed {
        let lone = words.is_empty();
        let mut settings = Vec::new();
        for assign in assigns {
            let value = self.assigned(assign);
            settings.push((assign.name.clone(), value, self.place_of(assign.span), assign.append));
        }
        for (name, value, at, _) in &settings {
            self.judge_setting(name, &value.text, *at);
        }
        if lone {
            for (name, value, _, append) in settings {
                let value = if append { Value::unknown() } else { value };
                self.assign(&name, value);
            }
            return Feed::Inherit;
        }
        let tests = words.first().and_then(parse::bare).is_some_and(|name| matches!(name, "[" | "test"));
        let testing = self.testing;
        self.testing |= tests;
        let argv = self.fields(words);
        self.testing = testing;
        if argv.is_empty() {
            return Feed::Inherit;
        }
        self.dispatch(&argv, span, feed)
    }

    fn assigned(&mut self, assign: &Assign) -> Value {
        if assign.array {
            let fields = self.fields(&assign.values);
            let texts: Vec<&str> = fields.iter().map(|f| f.text.as_str()).collect();
            return Value { text: texts.join(" "), many: fields.iter().any(|f| f.many) };
        }
        match assign.values.first() {
            Some(word) => {
                let field = self.text_of(word);
                if let Some(home) = field.text.strip_prefix('~') {
                    return Value { text: format!("~{home}"), many: field.many };
                }
                Value { text: field.text, many: field.many }
            }
            None => Value::default(),
        }
    }

    /// Runs a text as shell code at a place of the line.
    pub(super) fn run_text(&mut self, text: &str, span: Span) -> Feed {
        self.nested_bytes += text.len();
        if self.nested_bytes > MAX_NESTED_BYTES || self.depth >= MAX_DEPTH {
            self.hit("too-long", span);
            return Feed::Other;
        }
        if text.trim().is_empty() {
            return Feed::Inherit;
        }
        let Ok(script) = parse::parse(text) else {
            self.hit(if text.contains(UNKNOWN) { "computed-code" } else { "unreadable" }, span);
            return Feed::Other;
        };
        let outer = self.origin.replace(self.place_of(span));
        let place = self.standing();
        self.depth += 1;
        let out = self.script(&script, &Feed::Inherit);
        self.depth -= 1;
        self.or_return_to(place.as_ref());
        self.origin = outer;
        out
    }

    /// Runs a script inside a substitution: assignments and moves do not last.
    pub(super) fn nested_script(&mut self, script: &Script, feed: &Feed) -> Feed {
        let (cwd, place) = (self.cwd, self.standing());
        self.depth += 1;
        let testing = std::mem::replace(&mut self.testing, false);
        let out = self.script(script, feed);
        self.testing = testing;
        self.depth -= 1;
        self.cwd = cwd;
        self.return_to(place.as_ref());
        out
    }
}

fn merge_doubt(a: Feed, b: Feed) -> Feed {
    match (a, b) {
        (Feed::Inherit, next) => next,
        (same, Feed::Inherit) => same,
        (a, b) if a == b => a,
        (Feed::Fetched, _) | (_, Feed::Fetched) => Feed::Fetched,
        _ => Feed::Other,
    }
}
