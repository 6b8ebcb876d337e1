//! Judges one simple command once its words are known: finds the program, then who judges it.
//!
//! Owns the way from a name to a judge, and the judging by table. Wrappers and builtins are in [`super::wrap`] and
//! [`super::shell`], the programs with their own language in [`super::special`].

use super::args::Args;
use super::carried::is_homely;
use super::cut::Listed;
use super::expand::{Feed, Field, UNKNOWN};
use super::grammar::{Kind, may_be_secret};
use super::help;
use super::knowledge::list;
use super::path::{Cwd, Place, place};
use super::prints::printed;
use super::programs::{self, Dest, Program, Role};
use super::secrets::{is_secret, names_secret};
use super::syntax::Span;
use super::trace::Act;
use super::walk::Walker;
use super::{shell, special, wrap};

/// Whether anything is known of a program of that name.
pub(super) fn is_known(name: &str) -> bool {
    programs::find(name).is_some()
}

impl Walker<'_> {
    /// Judges a command given as fields; gives what it would print.
    pub(super) fn dispatch(&mut self, argv: &[Field], span: Span, feed: Feed) -> Feed {
        self.in_command(argv, span, |w| w.dispatch_one(argv, span, feed))
    }

    fn dispatch_one(&mut self, argv: &[Field], span: Span, feed: Feed) -> Feed {
        let Some(first) = argv.first() else { return feed };
        // A file that a fetch fills is a pipe from it under another name.
        let pipe = |f: &Field| f.feed == Some(Feed::Fetched) && f.text.contains("/dev/fd/");
        let fetched = argv.iter().skip(1).any(pipe);
        let feed = if fetched && !matches!(feed, Feed::Text(_)) { Feed::Fetched } else { feed };
        if let Some(field) = argv.iter().skip(1).find(|f| names_secret(&f.text)) {
            self.upstream_secret = Some(field.text.clone());
        }
        if !std::mem::take(&mut self.outside) {
            if !first.twisted && self.depth < 8 {
                for text in self.aliases_of(&first.text) {
                    let rest: Vec<String> = argv.iter().skip(1).map(|f| super::quote(&f.text)).collect();
                    let _ = self.run_text(&format!("{text} {}", rest.join(" ")), span);
                }
            }
            if let Some(certain) = self.function(&first.text) {
                let out = self.call_with(&first.text, argv, &feed);
                if certain && !is_known(&first.text) {
                    return out;
                }
            }
        }
        if let Some(real) = self.resolve_alias(argv) {
            return self.dispatch(&real, span, feed);
        }
        let (name, located) = self.name_of(first);
        let plain = name.as_deref().unwrap_or_default();
        self.note_call(
            plain,
            located,
            !located && wrap::only_carries(plain, argv.get(1..).unwrap_or(&[])),
            argv,
            span,
        );
        let Some(name) = name else {
            for field in argv.iter().skip(1) {
                self.judge_read(field);
            }
            return Feed::Other;
        };
        if let Some(words) = super::renamed::as_git(&name, located, argv) {
            return self.dispatch_outside(&words, span, feed);
        }
        self.note_program(&name);
        if located && self.run_located(first, span) {
            for field in argv.iter().skip(1) {
                self.judge_read(field);
            }
            self.judge_given(&name, argv, span);
            return Feed::Other;
        }
        self.flow(&name, argv, &feed, span);
        // A known text on standard input is looked at beside it; a wrapper hands both on.
        if fetched && feed != Feed::Fetched && programs::find(&name).is_none_or(|p| p.wraps.is_none()) {
            let _ = self.by_name(&name, argv, span, Feed::Fetched);
        }
        let out = self.by_name(&name, argv, span, feed);
        self.judge_given(&name, argv, span);
        out
    }

    /// Judges a command that another program starts: functions and aliases do not count, and no setting lasts.
    pub(super) fn dispatch_outside(&mut self, argv: &[Field], span: Span, feed: Feed) -> Feed {
        let (mark, stand) = (self.enter(), self.stand.clone());
        self.outside = true;
        let out = self.dispatch(argv, span, feed);
        self.outside = false;
        self.forget(mark);
        self.stand = stand;
        out
    }

    /// The program's plain name; whether it was given by a path of its own.
    fn name_of(&mut self, first: &Field) -> (Option<String>, bool) {
        // Other shells have signs in front of a program's name: `=rm` of zsh, `^rm` of nu, `e:rm` of elvish, `![rm` of xonsh.
        let text = first.text.as_str();
        let bare = text.strip_prefix("e:").unwrap_or(text.trim_start_matches(['=', '^', '!', '[']));
        let text = if bare.is_empty() || is_known(text) { text } else { bare };
        let (folder, base) = text.rsplit_once('/').unwrap_or(("", text));
        if base.is_empty() || base.contains(super::expand::UNKNOWN) || first.feed.is_some() {
            let rule = match &first.feed {
                Some(Feed::Fetched) => "fetch-run",
                _ => "computed-program",
            };
            self.hit(rule, first.span);
            return (None, false);
        }
        if !base.is_ascii() || base.chars().any(char::is_control) {
            self.hit("look-alike", first.span);
        }
        if first.many || base.contains(char::is_whitespace) {
            self.hit("computed-program", first.span);
        }
        if first.twisted || first.computed && !text.contains('/') {
            self.hit("disguise", first.span);
        }
        let named_by_environment = first.open && !text.contains('/');
        if named_by_environment || first.split && self.is_assigned("IFS") {
            self.hit("computed-program", first.span);
        }
        if self.is_assigned("IFS")
            && base.contains(|c: char| !(c.is_ascii_alphanumeric() || "-_.+[".contains(c)))
        {
            self.hit("computed-program", first.span);
        }
        let located = text.contains('/') && !list("program folders").contains(&folder);
        let mut name = base.trim_end_matches(".exe").trim_end_matches(".cmd").to_owned();
        if !is_known(&name) {
            let lower = name.to_ascii_lowercase();
            if lower != name && is_known(&lower) {
                if !lower.contains('-') && lower.len() < 3 {
                    self.hit("disguise", first.span);
                }
                name = lower;
            } else if let Some(plain) = without_version(&name).filter(|plain| is_known(plain)) {
                name = plain.to_owned();
            }
        }
        (Some(name), located)
    }

    /// A program named by a path outside the usual folders. Whether nothing more is to be said.
    fn run_located(&mut self, first: &Field, span: Span) -> bool {
        self.hit("script", first.span);
        self.run_file(first, span);
        let base = first.text.rsplit('/').next().unwrap_or("");
        !is_known(base)
    }

    /// A file that is run: what the line itself put there is judged.
    pub(super) fn run_file(&mut self, file: &Field, span: Span) {
        self.read_file(file, span, false);
    }

    /// A file whose code is run; `sourced` when the shell itself does it.
    pub(super) fn read_file(&mut self, file: &Field, span: Span, sourced: bool) {
        self.note_run(file);
        let same = |other: &String| other.trim_start_matches("./") == file.text.trim_start_matches("./");
        let strayed = self.is_astray() && !file.text.starts_with(['/', '~']);
        if strayed || self.was_fetched(&file.text) || file.feed == Some(Feed::Fetched) {
            self.hit("fetch-run", file.span);
        }
        if self.derived.iter().any(same) {
            self.hit("computed-code", file.span);
        }
        let texts: Vec<String> =
            self.written.iter().filter(|(name, _)| same(name)).map(|(_, text)| text.clone()).collect();
        for text in texts {
            let _ = if sourced { self.run_text(&text, span) } else { self.run_apart(&text, span) };
        }
        let name = file.text.rsplit('/').next().unwrap_or("");
        if super::carried::sends_by_name(&file.text) {
            self.hit("publish", file.span);
        }
        let above = file.text.starts_with("../") && !self.stand.moved && !is_known(name);
        if above || is_homely(&file.text) && !file.text.contains("/.") && !is_known(name) {
            self.hit("hidden-run", file.span);
        }
        // Where anything is written unasked nothing is run unasked.
        if place(&file.text, self.stand.cwd) == Place::Scratch && self.stand.cwd == Cwd::Project {
            self.hit("hidden-run", file.span);
        }
        self.judge_read(file);
    }

    /// Whether the line fetched a file, or a folder that it lies in.
    pub(super) fn was_fetched(&self, path: &str) -> bool {
        let path = path.trim_start_matches("./").trim_end_matches('/');
        self.fetched.iter().any(|other| {
            let rest = path.strip_prefix(other.trim_start_matches("./").trim_end_matches('/'));
            !other.is_empty() && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    }

    fn by_name(&mut self, name: &str, argv: &[Field], span: Span, feed: Feed) -> Feed {
        if let Some(out) = shell::judge(self, name, argv, span, &feed) {
            return out;
        }
        if let Some(out) = wrap::judge(self, name, argv, span, &feed) {
            return out;
        }
        if let Some(program) = programs::find(name) {
            self.by_table(program, name, argv, span, feed)
        } else {
            self.unknown_program(name, argv, span, &feed);
            Feed::Other
        }
    }

    fn unknown_program(&mut self, name: &str, argv: &[Field], span: Span, feed: &Feed) {
        let plain = !name.contains('.') && argv.first().is_some_and(|f| !f.text.contains('/'));
        let asks =
            matches!(argv, [_, only] if matches!(only.text.as_str(), "--version" | "--help" | "-version"));
        if plain && asks {
            self.hit("help", span);
            return;
        }
        let rule = if name.starts_with("mkfs") { "wipe" } else { "unknown" };
        self.hit(rule, argv.first().map_or(span, |f| f.span));
        for field in argv.iter().skip(1) {
            self.judge_read(field);
            // Whatever it does there: nobody has a use for a program of no name among git's own files.
            if field.text.trim_start_matches("./").starts_with(".git/")
                && place(&field.text, self.stand.cwd) == Place::Control
            {
                self.hit("persist", field.span);
            }
        }
        let program = &programs::NOTHING;
        let args = Args::read(program, argv.get(1..).unwrap_or(&[]));
        self.look_for_verbs(&args);
        self.look_inside(program, argv, &args, 0);
        self.look_at_fed(feed, span);
    }

    /// Judges by what the tables say of a program.
    pub(super) fn by_table(
        &mut self,
        program: &'static Program,
        name: &str,
        argv: &[Field],
        span: Span,
        feed: Feed,
    ) -> Feed {
        let words = argv.get(1..).unwrap_or(&[]);
        // `cargo +nightly …` names a toolchain first.
        let words = match words.split_first() {
            Some((first, rest))
                if first.text.starts_with('+') && matches!(name, "cargo" | "rustc" | "rustfmt") =>
            {
                if first.text.contains('/') {
                    self.hit("hidden-run", first.span);
                }
                rest
            }
            _ => words,
        };
        let args = Args::read(program, words);
        let aside = args.opt(&["-C", "--git-dir", "--work-tree", "--manifest-path", "--prefix", "--cwd"]);
        self.look_aside(aside.and_then(|opt| opt.value.as_ref()).map(|value| value.text.clone()));
        let feed = self.by_lines(program, name, argv, &args, span, feed);
        self.look_aside(None);
        feed
    }

    fn by_lines(
        &mut self,
        program: &'static Program,
        name: &str,
        argv: &[Field],
        args: &Args,
        span: Span,
        feed: Feed,
    ) -> Feed {
        if help::is_asked(program, name, argv, args, self.is_assigned("POSIXLY_CORRECT")) {
            self.hit("help", span);
            return Feed::Text("help".to_owned());
        }
        let hidden = |f: &Field| f.many && f.text.contains('.') && may_be_secret(f) && names_secret(&f.text);
        self.wide |= program.prints_any_name(args) || program.names && args.operands.iter().any(hidden);
        let (base, network) = self.table_rules(program, name, argv, args, span, &feed);
        if base == "install" && feed == Feed::Fetched {
            self.hit("fetch-run", span);
        }
        let lowest = super::rules::find(base).risk == super::Risk::Low;
        if let Some(opt) = program.unnamed(args).filter(|_| lowest) {
            self.hit("option", opt.span);
        }
        if let Some(field) = program
            .reads_address(args)
            .filter(|_| lowest && name != "git" && !list("steered by no variable").contains(&name))
        {
            self.hit("network", field.span);
        }
        self.look_by(base, program, name, (argv, args), &feed, span);
        if let Feed::File(file) = &feed
            && network
            && !program.also.iter().any(|judge| matches!(*judge, "curl" | "wget"))
            && file != "/dev/null"
        {
            self.hit("send", span);
        }
        self.follow(program, args, span);
        if let Some(opt) = args.opts.iter().find(|opt| opt.kind == Some(Kind::Run))
            && opt.value.as_ref().is_none_or(|v| !is_harmless_pager(&v.text))
        {
            self.hit("hidden-run", opt.span);
        }
        if let Some(sub) = args.operands.first()
            && !sub.text.is_ascii()
            && programs::is(name, Role::Ascii)
        {
            self.hit("look-alike", sub.span);
        }
        for opt in &args.opts {
            self.option_value(program, opt);
        }
        self.wipe_as_set(program, args.operand(0), span);
        self.operands(program, name, args);
        let unpacks = program.unpacks(args);
        if unpacks && args.opt(&["-d"]).is_none() && argv.iter().any(|f| self.archives.contains(&f.text)) {
            self.hit("discard-work", span);
        }
        self.strayed |= unpacks || name == "patch" && feed == Feed::Fetched;
        self.starts(program, argv, args, span);
        self.note_renamed(program, name, args);
        if keeps_output(name) {
            let targets: Vec<String> = args.operands.iter().map(|f| f.text.clone()).collect();
            self.note_output(&feed, &targets, span);
        }
        if program.inner {
            self.inner_command(argv, args, span);
        }
        self.printed_here(name).filter(|_| !network).unwrap_or_else(|| printed(name, args, network, feed))
    }

    /// The command that stands in the operands of another one (`sudo`), or after its `-c`.
    fn inner_command(&mut self, argv: &[Field], args: &Args, span: Span) {
        if let Some(code) = args.opt(&["-c", "--command"]).and_then(|opt| opt.value.clone()) {
            let _ = self.run_apart(&code.text, code.span);
        }
        let first = args.operands.iter().position(|f| !wrap::is_assignment(&f.text));
        let at = first.and_then(|first| args.places.get(first)).map(|at| at + 1);
        if let Some(command) = at.and_then(|at| argv.get(at..)) {
            let _ = self.dispatch_outside(command, span, Feed::Inherit);
        }
    }

    /// What the table and the special judges say: the rule that it begins with, and whether it reads from the network.
    fn table_rules(
        &mut self,
        program: &'static Program,
        name: &str,
        argv: &[Field],
        args: &Args,
        span: Span,
        feed: &Feed,
    ) -> (&'static str, bool) {
        let outer = self.lowered.take();
        for judge in &program.also {
            special::judge(self, judge, name, argv, args, span, feed);
        }
        let mut found = program.judge(args);
        if let (Some(rule), Some(first)) = (self.lowered, found.first_mut()) {
            first.rule = super::rules::find(rule);
        }
        self.lowered = outer;
        let mut network = false;
        let base = found.first().map_or("unknown", |f| f.rule.id);
        let formats = super::covered::formats(args.operand(0));
        let changes = (program.dest == Dest::Changed || formats)
            && found.iter().any(|f| f.rule.risk > super::Risk::Low);
        for found in found {
            network |= found.rule.id == "network";
            self.hit_rule(found.rule, found.span.unwrap_or(span));
        }
        for field in args.operands.iter().filter(|f| changes && f.text.contains(['/', '.', '~'])) {
            self.judge_write(field, "write");
        }
        (base, network)
    }

    fn operands(&mut self, program: &Program, name: &str, args: &Args) {
        let text = if args.has(&program.text_unless) { 0 } else { program.text };
        let target = args.opt(&["-t", "--target-directory"]).and_then(|opt| opt.value.clone());
        let named = program.names
            || program.name_subs.contains(&args.operand(0)) && !args.has(&["-p", "--patch", "-L"]);
        let last = args.operands.len().saturating_sub(1);
        for (at, field) in args.operands.iter().enumerate() {
            // What is only named may be a file all the same.
            let file = || field.text.contains(['/', '.']) || is_secret(&field.text);
            if list("shows named files").contains(&name) && file() {
                self.judge_read(field);
            }
            if at < text {
                continue;
            }
            let written = match program.dest {
                _ if args.has(&program.all_with) => true,
                Dest::None | Dest::Changed => false,
                Dest::All => true,
                Dest::Copy | Dest::Last => at == last && target.is_none() && last > 0,
            };
            if written {
                let scratch = || place(&field.text, self.stand.cwd) == Place::Scratch;
                let kept = keeps_output(name) && scratch();
                self.judge_write(field, if kept { "redirect" } else { "write" });
                let many = |f: &Field| f.many || f.text.contains('*');
                let others = program.dest != Dest::All && args.operands.iter().take(at).any(many);
                let round = self.rounds > 0 && !program.moves && field.text.chars().all(|c| c == UNKNOWN);
                let each =
                    round || many(field) || program.dest == Dest::All && field.computed && field.unknown();
                if program.empties && each && !others && (at == last || !program.moves) {
                    self.hit("delete-tree", field.span);
                }
            }
            if may_be_secret(field) && programs::is(name, Role::Shows) {
                self.shows_any(field);
            }
            if !(named || written) {
                if program.names_by_word(name, at, &field.text) {
                    self.judge_word(field);
                } else {
                    self.judge_read(field);
                }
            }
            if program.moves && at < last || args.operand(0) == "mv" {
                self.note_use(Act::Read, field);
            }
            if program.also.contains(&"git")
                && matches!(args.operand(0), "rm" | "mv" | "restore" | "checkout" | "reset")
            {
                self.note_use(Act::Write, field);
            }
        }
        if let (Some(target), true) = (target, !matches!(program.dest, Dest::None | Dest::Changed)) {
            self.judge_write(&target, "write");
        }
    }
}

/// Whether a program does nothing to the files that it is given but to keep there what it is fed, as a redirect does.
fn keeps_output(name: &str) -> bool {
    matches!(name, "tee" | "sponge")
}

impl Walker<'_> {
    /// A file is shown whose name the line does not hold.
    pub(super) fn shows_any(&mut self, field: &Field) {
        match field.listed {
            Listed::No if !self.wide => {}
            Listed::InFile if !self.wide => self.hit("listed", field.span),
            Listed::No | Listed::InFile | Listed::Made => self.hit("secret", field.span),
        }
    }
}

/// A name without the version or the target machine that distributions put around it (`gcc-12`, `llvm-nm-14`, `lua5.4`).
fn without_version(name: &str) -> Option<&str> {
    let name = ["x86_64-linux-gnu-", "aarch64-linux-gnu-", "arm-none-eabi-", "x86_64-w64-mingw32-"]
        .iter()
        .find_map(|target| name.strip_prefix(target))
        .unwrap_or(name);
    let plain = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    plain.strip_suffix('-').filter(|_| plain.len() < name.len()).or_else(|| {
        (programs::is(plain, Role::Versioned) || is_known(name)).then_some(if is_known(name) {
            name
        } else {
            plain
        })
    })
}

/// Values that make a pager or editor do nothing of its own.
pub(super) fn is_harmless_pager(value: &str) -> bool {
    value.trim().is_empty() || list("harmless pagers").contains(&value.trim())
}
