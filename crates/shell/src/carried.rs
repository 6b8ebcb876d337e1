//! What lies in the arguments of programs that run the project's code, or of which nothing is known: commands, and places
//! outside the project. Whatever their own grammar says, no argument of theirs is a command by chance.
//!
//! Owns the search. What it finds is judged as a line of its own.

use super::args::{Args, Opt};
use super::expand::{Feed, Field};
use super::grammar::{Kind, is_started};
use super::knowledge::list;
use super::path::{Cwd, Place, glob, leads_out, place};
use super::programs::{self, Dest, Program, Role};
use super::special::inline;
use super::syntax::Span;
use super::walk::Walker;

/// More words of one command are not tried as the beginning of another.
const MOST_TRIED: usize = 16;

impl Walker<'_> {
    /// Looks into what a program is given, as far as the rule that it begins with makes that weigh.
    pub(super) fn look_by(
        &mut self,
        base: &str,
        program: &Program,
        name: &str,
        (argv, args): (&[Field], &Args),
        feed: &Feed,
        span: Span,
    ) {
        let folder = args.opt(&["-C"]).and_then(|opt| opt.value.as_ref());
        let away = folder.is_some_and(|folder| place(&folder.text, self.stand.cwd) == Place::Outside);
        if matches!(base, "git-change" | "git-network") && (away || self.stand.cwd == Cwd::Outside) {
            self.hit("outside", span);
        }
        if base == "unknown" {
            self.look_for_verbs(args);
        }
        if matches!(base, "build" | "unknown") && program.names_tasks() {
            self.look_for_tasks(name, args);
        }
        self.look_where(args);
        match base {
            "build" | "install" | "unknown" | "script" | "code" | "database" => {
                let skip = match base {
                    "unknown" | "script" => 0,
                    "database" => usize::MAX,
                    _ => 1,
                };
                self.look_inside(program, argv, args, skip);
                if matches!(base, "build" | "unknown") || name == "ocaml" {
                    self.look_at_fed(feed, span);
                }
            }
            "write" | "write-hidden" if program.dest == Dest::None && !program.names => {
                self.look_around(args);
                self.look_out(program, args);
            }
            "read" => {
                if name == "dc" && matches!(feed, Feed::Text(text) if text.contains('!')) {
                    self.hit("hidden-run", span);
                }
                // What is read as settings may say what is run.
                let set = |o: &&Opt| o.value.is_some() && matches!(o.kind, Some(Kind::Conf | Kind::Loads));
                if let Some(opt) = args.opts.iter().find(set) {
                    self.hit("script", opt.span);
                }
                self.look_for_output(argv, args);
                self.look_for_names(name, argv, args);
            }
            _ => {}
        }
    }

    /// What a program of which nothing is known is told to do: words that say that it sends or destroys something.
    pub(super) fn look_for_verbs(&mut self, args: &Args) {
        let verb = |word: &String| list("verbs of sending").contains(&word.as_str());
        let named = |text: &str| !text.contains(['/', '.', '=', '@']) && text.len() < 40;
        let says = |f: &&Field| named(&f.text) && words_of(&f.text).iter().any(verb);
        if let Some(verb) = args.operands.iter().take(3).find(says) {
            self.hit("publish", verb.span);
        }
        let loses = |f: &&Field| list("verbs of losing").contains(&f.text.as_str());
        if let Some(verb) = args.operands.iter().take(2).find(loses) {
            self.hit("discard-work", verb.span);
        }
        // Nobody knows where a manager of packages that is not known here puts them.
        let installs = |f: &&Field| f.text == "install";
        if let Some(verb) = args.operands.iter().take(2).find(installs) {
            self.hit("global-install", verb.span);
        }
        if let Some(opt) = args.opts.iter().find(|o| o.name == "--install") {
            self.hit("global-install", opt.span);
        }
        let removes = |f: &&Field| {
            let text = f.text.trim_start().to_ascii_lowercase();
            list("statements that remove").iter().any(|start| text.starts_with(start))
        };
        let values = args.opts.iter().filter_map(|opt| opt.value.as_ref());
        if let Some(field) = args.operands.iter().chain(values).find(removes) {
            self.hit("remote-destroy", field.span);
        }
        if let Some(opt) = args.opts.iter().find(|o| list("options that remove").contains(&o.text.as_str())) {
            self.hit("remote-destroy", opt.span);
        }
    }

    /// A task of the project by a name that says that it sends or destroys something.
    fn look_for_tasks(&mut self, name: &str, args: &Args) {
        let runs = |f: &&Field| matches!(f.text.as_str(), "run" | "run-script");
        let skip = usize::from(args.operands.first().as_ref().is_some_and(runs));
        let most = if skip > 0 { 1 } else { usize::MAX };
        // What is only told is not done.
        if matches!(name, "cargo" | "go")
            || args.sure(&["-n", "--dry-run", "--just-print", "--recon"]).is_some()
        {
            return;
        }
        // Of tasks a folder in front is a part of the name.
        let deep = |name: &str| {
            name.contains('/')
                && !name.contains('=')
                && !name.starts_with(['.', '/', '~'])
                && sends_by_name(&name.replace('/', ":"))
        };
        // Behind a script stands what it is given: a name of a task, not of a file.
        let says = |(at, f): &(usize, &Field)| {
            sends_by_name(&f.text) && (*at < most || !f.text.contains(['/', '.']))
                || *at < most && deep(&f.text)
        };
        for (_, task) in args.operands.iter().skip(skip).enumerate().filter(says) {
            self.hit("publish", task.span);
        }
    }

    /// Looks into the arguments of a program; `skip` operands say what it does itself.
    pub(super) fn look_inside(&mut self, program: &Program, argv: &[Field], args: &Args, skip: usize) {
        for opt in args.opts.iter().filter(|o| !says_text(o)) {
            self.look_at(opt.value.as_ref().map_or(opt.text.as_str(), |v| v.text.as_str()), opt.span);
        }
        // What follows `--` may be a text for the program that is started.
        let own = args.ended.unwrap_or(usize::MAX);
        for field in args.operands.iter().take(own) {
            self.look_at(&field.text, field.span);
        }
        let words = argv.get(1..).unwrap_or(&[]);
        let starts = |name: &str| {
            programs::find(name).is_some()
                && !programs::is(name, Role::Builtin)
                && !list("tasks that only build").contains(&name)
        };
        let own = if program.lines_known() { own } else { usize::MAX };
        // What it starts is judged by itself, with all that stands behind it.
        let started =
            program.starts_at(args).filter(|at| words.get(*at).is_some_and(|f| is_started(&f.text)));
        let tried = args.operands.iter().zip(&args.places).take(own).skip(skip);
        let tried = tried
            .filter(|(_, at)| started.is_none_or(|started| **at <= started))
            .filter(|(f, _)| starts(&f.text));
        for (field, at) in tried.take(MOST_TRIED) {
            let Some(rest) = words.get(*at..).filter(|rest| rest.len() > 1) else { continue };
            let line: Vec<String> = rest.iter().map(|f| super::quote(&f.text)).collect();
            if self.is_high(&line.join(" ")) {
                self.hit("hidden-run", field.span);
            }
        }
        if !program.names {
            self.look_around(args);
        }
        let above = |f: &&Field| !self.stand.moved && f.text.starts_with("../");
        if let Some(field) = args.operands.iter().find(above).filter(|_| !program.follows.is_empty()) {
            self.hit("hidden-run", field.span);
        }
    }

    /// Where a program that only reads is told to write: by the name of an option, in its word or the next one.
    pub(super) fn look_for_output(&mut self, argv: &[Field], args: &Args) {
        let words = argv.get(1..).unwrap_or(&[]);
        let writes =
            |name: &str| list("writing options").iter().any(|p| glob(p, name) && p.len() > 2 || *p == name);
        for opt in args.opts.iter().filter(|o| writes(&o.name)) {
            let next = words.get(opt.at + 1).filter(|_| opt.value.is_none());
            let Some(value) = opt.value.as_ref().or(next) else { continue };
            let climbs = value.text.starts_with("../") && !self.stand.moved;
            if climbs
                || parts(&value.text).any(is_homely)
                || place(&value.text, self.stand.cwd) == Place::Control
            {
                self.hit("outside", value.span);
            }
        }
    }

    /// What is fed to a program that is no interpreter by name may be code all the same.
    pub(super) fn look_at_fed(&mut self, feed: &Feed, span: Span) {
        if let Feed::Text(code) = feed {
            inline::look(self, &Field::plain(code, span));
        }
    }

    /// A text that would be a dangerous line, or sets something to one.
    fn look_at(&mut self, text: &str, span: Span) {
        if !text.contains(' ') {
            return;
        }
        let set = text.split_once('=').map_or("", |(_, value)| value);
        // What stands in quotes may be handed to a shell.
        let quoted = text.split(['"', '\'']).skip(1).step_by(2).take(8);
        if [text, set].into_iter().chain(quoted).any(|p| p.contains(' ') && self.is_high(p)) {
            self.hit("hidden-run", span);
        }
    }
}

impl Walker<'_> {
    /// Places outside that a program is told of which writes one of its arguments, whichever.
    fn look_out(&mut self, program: &Program, args: &Args) {
        if self.stand.cwd != Cwd::Project {
            return;
        }
        let moved = self.stand.moved;
        let text = if args.has(&program.text_unless) { 0 } else { program.text };
        for field in args.operands.iter().skip(text).filter(|f| leads_out(&f.text, true)) {
            self.hit("outside", field.span);
        }
        let written = |o: &&Opt| !matches!(o.kind, Some(Kind::Plain | Kind::Read | Kind::Conf | Kind::Loads));
        for opt in args.opts.iter().filter(written).filter(|o| !names_text(o) && !searches(o)) {
            let text = opt.value.as_ref().map_or(opt.text.as_str(), |v| v.text.as_str());
            if parts(text).any(|part| leads_out(part, moved)) {
                self.hit("outside", opt.span);
            }
        }
    }

    /// Places outside behind options that say by their name that something is written there.
    fn look_where(&mut self, args: &Args) {
        let moved = self.stand.moved || self.stand.cwd != Cwd::Project;
        let says = |o: &&Opt| list("options of output").iter().any(|p| glob(p, &o.name));
        for opt in args.opts.iter().filter(says) {
            let text = opt.value.as_ref().map_or(opt.text.as_str(), |v| v.text.as_str());
            if parts(text).any(|part| leads_out(part, moved)) {
                self.hit("outside", opt.span);
            }
        }
    }

    /// Places of the user's that a program of the project is told of.
    pub(super) fn look_around(&mut self, args: &Args) {
        if self.stand.cwd != Cwd::Project {
            return;
        }
        for opt in args.opts.iter().filter(|o| !names_text(o) && !searches(o)) {
            let text = opt.value.as_ref().map_or(opt.text.as_str(), |v| v.text.as_str());
            let climbs = |part: &str| part == ".." || part.starts_with("../");
            let up = !says_text(opt) && !self.stand.moved;
            if parts(text).any(|part| is_homely(part) || up && climbs(part)) {
                self.hit("outside", opt.span);
            }
        }
        for field in args.operands.iter().filter(|f| parts(&f.text).any(is_homely)) {
            self.hit("outside", field.span);
        }
    }
}

/// Whether the name of a task or a script says that it sends or destroys something; what it builds or tests for that is not
/// sent.
pub(super) fn sends_by_name(name: &str) -> bool {
    let name = name.rsplit('/').next().unwrap_or(name);
    let name = name
        .rsplit_once('.')
        .filter(|(stem, end)| {
            !stem.is_empty()
                && matches!(*end, "sh" | "bash" | "py" | "js" | "ts" | "mjs" | "rb" | "pl" | "php")
        })
        .map_or(name, |(stem, _)| stem);
    // Of `build:push` the second half is done with what the first one built.
    let (task, steps) = name.split_once(':').unwrap_or((name, ""));
    let parts = words_of(name);
    if !list("tasks that try").contains(&task) && steps.split(':').any(is_sending_step) {
        return true;
    }
    let first = parts.first().map_or("", String::as_str);
    let last = parts.last().map_or("", String::as_str);
    !list("tasks that only build").contains(&first)
        && !matches!(last, "test" | "tests" | "spec" | "check")
        && (parts.iter().any(|part| list("words of sending").contains(&part.as_str())) || has_pair(&parts))
}

/// Whether the names of tasks in a text hold a word that sends or destroys, whatever they begin with.
pub(super) fn loses_by_name(text: &str) -> bool {
    text.split(|c: char| c.is_whitespace() || c == ',').any(|name| {
        let parts = words_of(name);
        let losing = |part: &String| {
            ["words of sending", "words of losing"].iter().any(|words| list(words).contains(&part.as_str()))
        };
        parts.iter().any(losing) || has_pair(&parts)
    })
}

/// Whether a step of a task begins with a word that sends or destroys, or holds a pair of such; a release is a way to build
/// as well.
fn is_sending_step(step: &str) -> bool {
    let parts = words_of(step);
    let first = parts.first().map_or("", String::as_str);
    first != "release" && list("words of sending").contains(&first) || has_pair(&parts)
}

/// Whether two words stand in one name that send or destroy together.
fn has_pair(parts: &[String]) -> bool {
    list("pairs of sending")
        .iter()
        .filter_map(|pair| pair.split_once('+'))
        .any(|(a, b)| [a, b].iter().all(|word| parts.iter().any(|part| part == word)))
}

/// The words of a compound name: `drop_db`, `push:docker`, `deployProd`.
pub(super) fn words_of(name: &str) -> Vec<String> {
    let mut out = vec![String::new()];
    let mut small = false;
    for c in name.chars() {
        let split = matches!(c, '-' | '_' | ':' | '.' | '/');
        if split || small && c.is_ascii_uppercase() {
            out.push(String::new());
        }
        small = c.is_ascii_lowercase();
        if let Some(word) = out.last_mut().filter(|_| !split) {
            word.push(c.to_ascii_lowercase());
        }
    }
    out.retain(|word| !word.is_empty());
    out
}

/// Whether the value of an option is a text by its kind or its name.
fn says_text(opt: &Opt) -> bool {
    matches!(
        opt.kind,
        Some(Kind::Plain | Kind::May | Kind::Count | Kind::Flag | Kind::Read | Kind::Code | Kind::Command)
    ) || names_text(opt)
}

/// Whether the value of an option is hardly ever a path.
fn names_text(opt: &Opt) -> bool {
    list("text options").contains(&opt.name.as_str())
}

/// Whether an option only says where something is looked for.
fn searches(opt: &Opt) -> bool {
    ["-I", "-L", "-isystem", "-W"].iter().any(|start| opt.text.starts_with(start))
}

fn parts(text: &str) -> impl Iterator<Item = &str> {
    let plain = !text.contains("://");
    text.split(['=', ':', ',', '"', '\'']).filter(move |_| plain)
}

/// Whether a path leads into somebody's home.
pub(super) fn is_homely(path: &str) -> bool {
    path == "~" || ["~/", "/home/", "/Users/", "/root/"].iter().any(|home| path.starts_with(home))
}
