//! Grammars of options: what the value of an option is, and what that means.
//!
//! Owns the kinds that `assets/knowledge` names (`code`, `conf`, `wipes` …) and what a value of each kind does. Which
//! option is of which kind is data.

mod kind;

use super::args::{Args, Opt};
use super::expand::{Feed, Field, UNKNOWN};
use super::knowledge::list;
use super::path::{Cwd, Place, place};
use super::programs::{self, Program};
use super::secrets::names_secret;
use super::special::inline;
use super::walk::Walker;

use kind::KINDS;
pub(super) use kind::Kind;

/// The options of a kind, and the sub-commands that have them; none for all.
#[derive(Clone, Debug)]
pub(super) struct Options {
    pub kind: Kind,
    pub subs: Vec<&'static str>,
    pub names: Vec<&'static str>,
    /// Only before the first operand.
    pub global: bool,
    /// They are said of many programs at once, so that no one of them need have them.
    pub shared: bool,
}

impl Options {
    /// Reads `conf@run|test -f --file`, the directive's word told from its options.
    pub fn read(word: &'static str, names: Vec<&'static str>) -> Option<Self> {
        let (kind, subs) = word.split_once('@').unwrap_or((word, ""));
        let (global, kind) = kind.strip_prefix("gtakes").map_or((false, kind), |_| (true, "takes"));
        let kind = KINDS.iter().find(|(name, _)| *name == kind).map(|(_, kind)| *kind)?;
        let subs = subs.split('|').filter(|sub| !sub.is_empty()).collect();
        Some(Self { kind, subs, names, global, shared: false })
    }

    /// Whether a sub-command has them.
    pub fn of_sub(&self, sub: &str) -> bool {
        !matches!(self.kind, Kind::Hands | Kind::Parts | Kind::Begins) && self.stand_for(sub)
    }

    /// Whether they are said of a sub-command.
    pub fn stand_for(&self, sub: &str) -> bool {
        (self.subs.is_empty() || self.subs.contains(&sub)) && (!self.global || sub.is_empty())
    }
}

impl Program {
    /// Whether an option takes a value.
    pub fn takes_value(&self, name: &str, sub: &str) -> bool {
        if self.kind_of(name, name, sub) == Some(Kind::Alters) || self.is_flag_of(name, sub) {
            return false;
        }
        let named = |o: &&Options| o.of_sub(sub) && o.names.contains(&name);
        let bare = |o: &&Options| matches!(o.kind, Kind::Run | Kind::Rest | Kind::Alters);
        // What is said last holds.
        let last = self.options.iter().rev().filter(named).find(|o| !bare(o));
        last.is_some_and(|o| !matches!(o.kind, Kind::Flag | Kind::May))
            || matches!(self.kind_of(name, name, sub), Some(kind) if kind.is_weighty() && !matches!(kind, Kind::Run | Kind::Rest))
    }

    /// Whether an option has no value behind this very sub-command, whatever it means behind others.
    fn is_flag_of(&self, name: &str, sub: &str) -> bool {
        let named = |o: &&Options| o.of_sub(sub) && o.names.contains(&name);
        let mut of = self.options.iter().filter(named);
        // What may do more than be read keeps its value.
        of.clone().any(|o| o.kind == Kind::Flag && !o.subs.is_empty()) && !of.any(|o| o.kind.is_weighty())
    }

    /// Whether the word behind an option, itself one by its look, may be its value: that is so of any option of a program
    /// of which it is not known which ones take one.
    pub fn may_take(&self, opt: &Opt, sub: &str) -> bool {
        if opt.value.is_some() || self.is_flag_of(&opt.name, sub) {
            return false;
        }
        let valued = |o: &Options| !matches!(o.kind, Kind::Flag | Kind::Alters | Kind::May);
        if opt.kind.is_some() {
            return opt.takes();
        }
        let shortened = |p: &&str| opt.name.len() > 3 && p.starts_with(&opt.name);
        let mut takers = self.options.iter().filter(|o| valued(o)).peekable();
        takers.peek().is_none() || takers.any(|o| o.of_sub(sub) && o.names.iter().any(shortened))
    }

    /// Whether all parts of a value are words that may stand behind an option.
    pub fn allows_words(&self, name: &str, sub: &str, value: &str) -> bool {
        let mut of = self.options.iter().rev().filter(|o| o.kind == Kind::Word && o.of_sub(sub));
        let Some(option) = of.find(|o| o.names.contains(&name)) else { return false };
        let mut words = option.names.iter().filter(|word| !word.starts_with('-')).peekable();
        let letters = |part: &str| part.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c));
        let plain = |part: &str| letters(part) && part.rsplit_once('.').is_none_or(|(_, end)| end != "json");
        match words.peek() {
            None => value.split(',').all(plain),
            Some(_) => value.split(',').all(|part| words.clone().any(|word| super::path::glob(word, part))),
        }
    }

    /// What the grammar says of an option: what weighs more goes first, and of long names the beginning is enough there.
    pub fn kind_of(&self, name: &str, text: &str, sub: &str) -> Option<Kind> {
        let fits = |weighty: bool| {
            let exact = |p: &&str| {
                *p == name
                    || p.contains('*') && super::path::glob(p, text)
                    || p.len() > 2 && name.strip_prefix('-') == Some(p)
            };
            let starts =
                |p: &&str| weighty && name.len() >= 5 && name.starts_with("--") && p.starts_with(name);
            let of =
                self.options.iter().rev().filter(move |o| o.kind.is_weighty() == weighty && o.of_sub(sub));
            let whole = of.clone().find(|o| o.names.iter().any(&exact));
            whole.or_else(|| of.clone().find(|o| o.names.iter().any(&starts))).map(|o| o.kind)
        };
        let plain = fits(false);
        let spelled = |p: &&str| *p == name || p.len() > 4 && p.contains('*') && super::path::glob(p, text);
        // What is said of many programs at once is no whole name of this one.
        let quiet = || self.options.iter().filter(|o| !o.kind.is_weighty() && !o.shared && o.of_sub(sub));
        let known = plain.is_some() && quiet().any(|o| o.names.iter().any(spelled));
        let weighty = fits(true).filter(|_| {
            // A whole name is that option, whatever else begins with it.
            !known
                || self
                    .options
                    .iter()
                    .any(|o| o.kind.is_weighty() && o.of_sub(sub) && o.names.contains(&name))
        });
        weighty.or(plain)
    }

    /// The first option that may do anything: of a sub-command of which all that are harmless are named it is none of these.
    pub(super) fn unnamed<'a>(&self, args: &'a Args) -> Option<&'a Opt> {
        let sub = args.operand(0);
        self.closed.as_ref().filter(|subs| subs.is_empty() || subs.contains(&sub))?;
        args.opts.iter().find(|opt| {
            let digit =
                opt.name.strip_prefix('-').is_some_and(|n| n.starts_with(|c: char| c.is_ascii_digit()));
            let fits = |p: &&str| *p == opt.name || p.contains('*') && super::path::glob(p, &opt.text);
            let mut own = self.options.iter().filter(|o| !o.shared && o.of_sub(sub));
            !digit && !own.any(|o| !o.kind.takes_code() && o.names.iter().any(fits))
        })
    }

    /// An address among what it reads: an operand that is no text, or the value of an option.
    pub(super) fn reads_address<'a>(&self, args: &'a Args) -> Option<&'a Field> {
        let text = if args.has(&self.text_unless) { 0 } else { self.text };
        let operands = args.operands.iter().skip(text).filter(|_| !self.names);
        let texts = list("options of text");
        let values = args
            .opts
            .iter()
            .filter(|opt| !texts.contains(&opt.name.as_str()))
            .filter_map(|opt| opt.value.as_ref());
        operands.chain(values).find(|field| {
            let scheme = field.text.split_once("://").map_or("", |(scheme, _)| scheme);
            !scheme.is_empty()
                && scheme != "file"
                && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
        })
    }

    /// Whether all harmless options of a sub-command are named, so that any other one is not.
    pub(super) fn names_all(&self, sub: &str) -> bool {
        self.options
            .iter()
            .any(|o| o.kind == Kind::Flag && o.of_sub(sub) && (o.subs.is_empty() || !sub.is_empty()))
    }

    /// Which of its words the command begins with that it starts: behind an option, or behind a sub-command.
    pub(super) fn starts_at(&self, args: &Args) -> Option<usize> {
        let sub = args.operand(0);
        let behind = args.opts.iter().find(|o| o.kind == Some(Kind::Rest)).map(|o| o.at + 1);
        let start = self.starts.iter().find(|(subs, _)| subs.contains(&sub) || subs.contains(&"*"));
        let skip = start.map(|(subs, skip)| skip + usize::from(!subs.contains(&"*")));
        let skip = skip.map(|skip| args.ended.unwrap_or(skip).max(skip));
        behind.or_else(|| skip.and_then(|skip| args.places.get(skip).copied()))
    }
}

impl Walker<'_> {
    /// What the value of an option does.
    pub(super) fn option_value(&mut self, program: &Program, opt: &Opt) {
        let Some(value) = &opt.value else { return };
        let value = &Field { span: opt.span, ..value.clone() };
        match opt.kind {
            Some(Kind::Out) => {
                if let Some(line) = value.text.strip_prefix(['|', '!']) {
                    let _ = self.run_apart(line, value.span);
                } else if value.text != "-" {
                    self.judge_write(value, "write-hidden");
                    if value.many {
                        self.hit("delete-tree", value.span);
                    }
                }
            }
            Some(Kind::Code) => inline::look(self, value),
            Some(Kind::Command) => {
                let _ = self.run_apart(&value.text, value.span);
            }
            Some(Kind::Conf) => self.take_over(value),
            Some(Kind::Loads) if value.text.contains('/') => self.take_over(value),
            Some(Kind::Folder) => self.works_in(value),
            Some(Kind::Wipes) => self.wipe(value),
            Some(Kind::Url) => {
                self.judge_read(value);
                let fetched = self.was_fetched(&value.text);
                if value.text.contains("://") || value.text.contains("git@") || value.unknown() || fetched {
                    self.hit("fetch-run", value.span);
                }
            }
            Some(Kind::Sets) => {
                self.set_for_tasks(value);
                self.judge_read(value);
            }
            Some(Kind::Read) => self.judge_read(value),
            Some(
                Kind::Plain
                | Kind::Flag
                | Kind::Loads
                | Kind::Run
                | Kind::Rest
                | Kind::Alters
                | Kind::May
                | Kind::Count
                | Kind::Choice
                | Kind::Values
                | Kind::Task
                | Kind::Hands
                | Kind::Parts
                | Kind::Begins
                | Kind::Word
                | Kind::Filter,
            )
            | None => self.plain_value(program, opt, value),
        }
    }

    /// A folder that a program works in.
    fn works_in(&mut self, folder: &Field) {
        self.judge_read(folder);
        if self.was_fetched(folder.text.trim_end_matches(|c| c != '/').trim_end_matches('/'))
            || self.was_fetched(&folder.text)
        {
            self.hit("fetch-run", folder.span);
        }
        self.leaves(folder, "hidden-run");
    }

    /// A value that is a text or a name, or a file that is read.
    fn plain_value(&mut self, program: &Program, opt: &Opt, value: &Field) {
        let skips = program.names || opt.name.contains("exclude") || opt.name.contains("ignore");
        if !skips || ["-file", "-from"].iter().any(|end| opt.name.ends_with(end)) {
            self.judge_value(value, opt.kind.is_some());
        }
    }

    /// The command that stands behind an option or a sub-command.
    pub(super) fn starts(
        &mut self,
        program: &Program,
        argv: &[Field],
        args: &Args,
        span: super::syntax::Span,
    ) {
        let words = argv.get(1..).unwrap_or(&[]);
        for code in args.opts.iter().filter(|o| o.kind == Some(Kind::Rest)).filter_map(|o| o.value.as_ref()) {
            let _ = self.run_apart(&code.text, code.span);
        }
        let behind = args.opts.iter().any(|o| o.kind == Some(Kind::Rest));
        let sub = args.operand(0);
        let command = program.starts_at(args).and_then(|at| words.get(at..));
        let Some(command) = command.filter(|c| !c.is_empty()) else { return };
        let known = command.first().is_some_and(|f| is_started(&f.text));
        if let [line] = command
            && line.text.contains(' ')
        {
            let _ = self.run_apart(&line.text, line.span);
        } else if behind || known {
            let _ = self.dispatch_outside(command, span, Feed::Inherit);
        } else if let [first, ..] = command
            && super::fetched::fetches(argv.first().map_or("", |f| f.text.as_str()), sub, args)
            && !super::fetched::is_tool(&first.text)
        {
            self.hit("fetch-run", first.span);
        }
    }

    /// A setting of a task (`make CC=x`): what it runs when its text is one for a shell.
    pub(super) fn set_for_tasks(&mut self, field: &Field) {
        let Some((name, value)) = field.text.split_once('=') else { return };
        // `NAME:=` and its like set it as well, and what `NAME!=` says is run.
        if let Some(name) = name.strip_suffix('!') {
            self.judge_setting(name, "1", field.span);
            let _ = self.run_apart(value, field.span);
        }
        let name = name.trim_end_matches([':', '+', '?', '!']);
        self.judge_setting(name, value, field.span);
        let parts = || value.split([';', '|', '&', '`', '(', ')', '\n']).map(str::trim);
        let mut high = |part: &str| part.contains(' ') && self.is_high(part);
        if super::settings::names_program(name, value) || high(value) || parts().any(high) {
            self.hit("hidden-run", field.span);
        }
    }

    /// A file that says what is run.
    pub(super) fn take_over(&mut self, file: &Field) {
        match &file.feed {
            Some(Feed::Fetched) => self.hit("fetch-run", file.span),
            Some(_) => self.hit("computed-code", file.span),
            None => self.run_file(file, file.span),
        }
        if file.text == "-" || file.text == "/dev/stdin" {
            self.hit("computed-code", file.span);
        }
        self.leaves(file, "hidden-run");
    }

    /// What lies outside the project nobody reviewed.
    fn leaves(&mut self, path: &Field, rule: &str) {
        let there = place(&path.text, self.stand.cwd);
        if matches!(there, Place::Outside | Place::Scratch | Place::Device) && self.stand.cwd == Cwd::Project
            || path.text.contains("://")
            || path.text.starts_with("data:")
        {
            self.hit(rule, path.span);
        }
    }

    /// Folders that a program removes as variables say.
    pub(super) fn wipe_as_set(&mut self, program: &Program, sub: &str, span: super::syntax::Span) {
        let wiping = program.options.iter().filter(|o| o.kind == Kind::Wipes && o.of_sub(sub));
        for name in wiping.flat_map(|o| &o.names).filter_map(|name| name.strip_prefix('$')) {
            if let Some(value) = self.value_of(name).filter(|value| !value.text.is_empty()) {
                self.wipe(&Field::plain(&value.text, span));
            }
        }
    }

    /// What is emptied before it is used is lost.
    fn wipe(&mut self, path: &Field) {
        self.judge_write(path, "write-hidden");
        if place(&path.text, self.stand.cwd) != Place::Scratch && !super::made::is_made(&path.text) {
            self.hit("delete-tree", path.span);
        }
    }

    /// What is passed on to a program that it starts: a configuration or a plugin for any that knows such an option.
    fn passed(&mut self, program: &Program, args: &Args) {
        let Some(end) = args.ended.filter(|_| program.passes) else { return };
        let passed = args.operands.get(end..).unwrap_or(&[]);
        for (at, field) in passed.iter().enumerate().filter(|(_, f)| f.text.starts_with('-')) {
            let (name, value) =
                field.text.split_once('=').map_or((field.text.as_str(), None), |(n, v)| (n, Some(v)));
            let value = value.map(|value| field.with(value)).or_else(|| passed.get(at + 1).cloned());
            if let Some(value) = value.filter(|_| programs::brings_code(name)) {
                self.leaves(&value, "hidden-run");
            }
        }
    }

    /// A program takes in files that this line fetched or made: what it then runs nobody saw.
    pub(super) fn follow(&mut self, program: &Program, args: &Args, span: super::syntax::Span) {
        let sets = args.operand(0) == "pkg" && args.operand(1) == "set";
        for field in args.operands.iter().filter(|_| program.tasks || sets) {
            self.set_for_tasks(field);
        }
        if sets {
            self.derived.push("package.json".to_owned());
            return;
        }
        self.passed(program, args);
        let taken = if program.first { 1 } else { args.ended.unwrap_or(usize::MAX) };
        for field in args.operands.iter().take(taken).filter(|_| !program.follows.is_empty()) {
            if place(&field.text, self.stand.cwd) == Place::Scratch && self.stand.cwd == Cwd::Project {
                self.hit("hidden-run", field.span);
            }
        }
        for name in &program.work {
            self.note_run(&Field::plain(name, span));
        }
        let is = |names: &[&'static str], path: &String| {
            let name = path.rsplit('/').next().unwrap_or(path);
            names.iter().any(|n| super::path::glob(n, name) || path.trim_start_matches("./") == *n)
        };
        let work = |path: &String| is(&program.work, path);
        let any = |path: &String| work(path) || is(&program.follows, path);
        let inside = !(program.work.is_empty() && program.follows.is_empty())
            && (self.is_astray() || args.operands.iter().any(|field| self.was_fetched(&field.text)));
        if inside || self.fetched.iter().any(any) {
            self.hit("fetch-run", span);
        } else if self.derived.iter().any(any) || self.written.keys().any(work) {
            self.hit("computed-code", span);
        }
    }
}

/// Whether a computed name may be that of a secret file, of names that come from a search.
pub(super) fn may_be_secret(field: &Field) -> bool {
    field.text.ends_with(UNKNOWN) || field.text.contains('*') || names_secret(&field.text)
}

/// Whether a word is taken for the program that another one starts: what a shell does by itself no other starts, nor is the
/// name of a usual task one.
pub(super) fn is_started(name: &str) -> bool {
    super::command::is_known(name)
        && !programs::is(name, programs::Role::Builtin)
        && !list("tasks that only build").contains(&name)
}
