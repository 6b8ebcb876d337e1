//! What a rule that allows the first words of a command covers behind them.
//!
//! Owns which arguments are harmless by the grammar of their program. Never judges a risk.

use super::args::{Args, Opt};
use super::carried::loses_by_name;
use super::expand::Field;
use super::grammar::{Kind, Options};
use super::kinds::FileKind;
use super::knowledge::list;
use super::path::{Cwd, Place, place};
use super::programs::{self, Dest, Program};
use super::secrets::is_secret;

/// How many words of a line are read in a second way; where there are more, nothing of it is harmless.
const MOST_DOUBTFUL: usize = 16;

impl Program {
    /// Which arguments are harmless: a rule that allows the program's first words covers these behind them.
    pub fn harmless_words(&self, words: &[Field], cwd: Cwd) -> Vec<bool> {
        let args = Args::read(self, words);
        let mut all = self.harmless_as(&args, words.len(), cwd);
        let doubtful = self.doubtful_values(&args, words);
        if doubtful.len() > MOST_DOUBTFUL {
            return vec![false; words.len()];
        }
        for at in doubtful {
            // The same line as if the option before it took no value.
            let option = at.saturating_sub(1);
            let mut rest = words.to_vec();
            rest.remove(option);
            let mut alone = self.harmless_as(&Args::read(self, &rest), rest.len(), cwd);
            alone.insert(option, true);
            all.iter_mut().zip(alone).for_each(|(cell, harmless)| *cell &= harmless);
        }
        if self.quotes_words() {
            let plain = words.iter().map(|word| !is_code_in_quotes(&word.text, self.passes));
            all.iter_mut().zip(plain).for_each(|(cell, plain)| *cell &= plain);
        }
        all
    }

    /// Whether what it is given may be put in double quotes and handed to a shell: so do runners of scripts.
    fn quotes_words(&self) -> bool {
        self.passes && self.passes_to.is_none() || self.work.contains(&"package.json")
    }

    /// Which words are read as the values of options that may take none.
    fn doubtful_values(&self, args: &Args, words: &[Field]) -> Vec<usize> {
        let sub = args.operand(0);
        let open = args.opts.iter().filter(|opt| !opt.takes_any(sub)).filter_map(|opt| opt.value_at);
        open.filter(|at| words.get(*at).is_some_and(|word| self.may_stand_alone(&word.text))).collect()
    }

    /// Which words are any text that an option takes as a word of its own.
    pub fn free_texts(&self, words: &[Field]) -> Vec<usize> {
        let args = Args::read(self, words);
        let sub = args.operand(0);
        args.opts.iter().filter(|opt| opt.takes_any(sub)).filter_map(|opt| opt.value_at).collect()
    }

    /// Whether a word behind an option may be one itself, or a setting, and not the value: no option is sure to take that.
    fn may_stand_alone(&self, text: &str) -> bool {
        let set = text.split_once('=').is_some_and(|(name, _)| !name.contains('('));
        looks_like_option(text) || self.tasks && set
    }

    /// Which words are harmless as they are read.
    fn harmless_as(&self, args: &Args, count: usize, cwd: Cwd) -> Vec<bool> {
        let mut all = vec![true; count];
        let mut set = |at: usize, harmless: bool| {
            if let Some(cell) = all.get_mut(at) {
                *cell &= harmless;
            }
        };
        let sub = args.operand(0);
        let only_tasks = args.has(&self.tasks_with);
        let beside = self.only_with.is_empty() || args.sure(&self.only_with).is_some();
        for opt in &args.opts {
            let harmless = opt.is_harmless(self, sub, cwd) && !opt.works_for_others();
            set(opt.at, harmless);
            set(opt.value_at.unwrap_or(opt.at), harmless);
        }
        for (nth, (field, at)) in args.operands.iter().zip(&args.places).enumerate() {
            let passed = args.ended.is_some_and(|end| nth >= end);
            let task = !only_tasks || passed && field.text.starts_with('-') || is_usual_task(&field.text);
            let harmless = task
                && beside
                && self.operand_is_harmless(field, (nth, sub), passed, cwd)
                && self.fits_script(&field.text, nth, args);
            let harmless =
                harmless && !self.loses(&args.operands, nth) && !self.changes_of_others(field, sub);
            set(*at, harmless && !self.runs_of_others(field) && !self.sets_what_runs(&field.text));
        }
        all
    }

    /// Whether an operand is the name of a script with steps that send or destroy: `test:reset-db`. A release is a way to
    /// build as well.
    fn loses(&self, operands: &[Field], nth: usize) -> bool {
        let behind =
            nth == 1 && operands.first().is_some_and(|f| matches!(f.text.as_str(), "run" | "run-script"));
        let name = operands.get(nth).filter(|_| self.passes && (nth == 0 || behind));
        let steps = name.and_then(|field| field.text.split_once(':'));
        steps.is_some_and(|(task, steps)| (task, steps) != ("build", "release") && loses_by_name(steps))
    }

    /// Whether an operand leads a program that takes in code to that of others, which nobody here reviewed, or to what it is
    /// fed.
    fn runs_of_others(&self, field: &Field) -> bool {
        let text = field.text.as_str();
        let fed = field.feed.is_some() || text == "-" || text != "/dev/null" && text.starts_with("/dev/");
        if fed && !self.follows.is_empty() {
            return true;
        }
        let loads = !self.follows.is_empty() || self.options.iter().any(|o| o.kind == Kind::Parts);
        loads && text.contains('/') && is_of_others(text)
    }

    /// Whether an operand is code of others, which a program that changes what it is given would change.
    fn changes_of_others(&self, field: &Field, sub: &str) -> bool {
        (self.dest == Dest::Changed || formats(sub)) && is_of_others(&field.text)
    }

    /// Whether a setting of tasks is an option of what they run, a file that it loads, or takes the name of a part away.
    fn sets_what_runs(&self, text: &str) -> bool {
        let setting = text.split_once('=').filter(|(name, _)| self.tasks && !name.starts_with('-'));
        setting.is_some_and(|(name, value)| {
            value.starts_with('-')
                || value.is_empty() && list("choices of tasks").contains(&name)
                || self.kind_of(name, text, "").is_some_and(Kind::is_weighty)
        })
    }

    /// Whether it names nothing of what its program does by name, so that settings of the project say what is done.
    pub fn acts_by_default(&self, words: &[Field]) -> bool {
        let begins = self.options.iter().filter(|o| o.kind == Kind::Begins).flat_map(|o| &o.names);
        let named: Vec<&str> = begins.copied().filter(|name| !name.starts_with('!')).collect();
        !named.is_empty() && !named.contains(&"$") && Args::read(self, words).operands.is_empty()
    }

    fn operand_is_harmless(&self, field: &Field, (nth, sub): (usize, &str), passed: bool, cwd: Cwd) -> bool {
        let text = field.text.as_str();
        if let Some((name, value)) = text.split_once('=').filter(|_| self.tasks && !passed) {
            // `NAME:=`, `NAME+=` and the like set it as well; what follows `NAME!=` is a line for a shell.
            let name = name.trim_end_matches([':', '+', '?']);
            let number =
                || value.chars().all(|c| c.is_ascii_digit()) || list("plain choices").contains(&value);
            // The name of a part, and of no folder or program: a setting is put before commands, and behind them.
            let part = || {
                value.chars().all(|c| c.is_ascii_alphanumeric() || "-_:".contains(c))
                    && programs::find(value).is_none()
                    && !is_task_of(value)
                    && !is_file(value)
            };
            return list("settings of tasks").contains(&name) && number()
                || list("choices of tasks").contains(&name) && part();
        }
        if !passed && !text.starts_with('-') && holds_option(text) {
            return false;
        }
        let handed = passed && text.starts_with('-');
        let named = self.hands_on(text, sub).filter(|_| handed || passed && text.contains('='));
        if named == Some(false) {
            return false;
        }
        // Only what the program itself would take as harmless is so for the one that it is passed on to.
        let taker = self.passes_to.and_then(programs::find).unwrap_or(self);
        let option = handed && named.is_none() && taker.kind_of(text, text, sub) != Some(Kind::Flag);
        let name = text.split('=').next().unwrap_or(text);
        let weighty = || self.kind_of(name, text, sub).is_some_and(Kind::is_weighty);
        !(text.starts_with('@') || handed && weighty())
            && (if passed {
                taker.names_part(text, (usize::MAX, ""))
            } else {
                self.names_part(text, (nth, sub))
            })
            && is_inside(text, cwd)
            && (!self.tasks || self.names_task(text) || nth == 0 && is_usual_task(text))
            && !(self.passes && option)
    }

    /// Whether an operand is a sub-command or names a part of the project, where it is said how these look. Of what stands
    /// behind `--` only that of the whole program is asked.
    fn names_part(&self, text: &str, (nth, sub): (usize, &str)) -> bool {
        let fits = |pattern: &&str| fits_part(pattern, text);
        // Behind a sub-command, or of the whole program; there no way leads up again, or to what others put there.
        let own = !text.split('/').any(|part| part == "..") && !is_of_others(text) && !is_hidden(text);
        let whole = |o: &&Options| o.subs.is_empty() && own;
        let of = |kind: Kind| self.options.iter().filter(move |o| o.kind == kind);
        let begins: Vec<&str> =
            of(Kind::Begins).filter(|_| nth == 0).flat_map(|o| &o.names).copied().collect();
        if !begins.is_empty() {
            let (barred, named): (Vec<&str>, Vec<&str>) = begins.iter().partition(|p| p.starts_with('!'));
            return !barred.iter().any(|p| p.trim_start_matches('!') == text)
                && (named.is_empty() || named.iter().any(fits));
        }
        let mut parts = of(Kind::Parts)
            .filter(|o| o.subs.is_empty() || nth > 0 && nth < usize::MAX && o.stand_for(sub))
            .peekable();
        let up = text.split('/').any(|part| part == "..");
        let stem = text.rsplit('/').next().and_then(|file| file.split('.').next()).unwrap_or("");
        let acts = list("files that are no tests");
        let none = stem.split(['_', '-']).next().is_some_and(|word| acts.contains(&word));
        parts.peek().is_none()
            || !(none && text.contains('/'))
                && parts.any(|o| (whole(&o) || !o.subs.is_empty() && !up) && o.names.iter().any(fits))
    }

    /// Whether a word with a value is named as it stands.
    fn names_whole(&self, text: &str) -> bool {
        let named = self.options.iter().filter(|o| o.kind == Kind::Flag).flat_map(|o| &o.names);
        named.into_iter().any(|name| name.contains('=') && super::path::glob(name, text))
    }

    /// Whether a word that a script of the project is given, by whatever words, is a part that it may have there.
    fn fits_script(&self, text: &str, nth: usize, args: &Args) -> bool {
        let run = usize::from(matches!(args.operand(0), "run" | "run-script"));
        let script = args.operand(run).split(':').next().unwrap_or("");
        let named = |o: &&Options| o.kind == Kind::Parts && !o.subs.is_empty() && o.stand_for(script);
        let mut parts = self.options.iter().filter(named).peekable();
        !self.passes
            || nth <= run
            || text.starts_with('-')
            || !text.contains('=')
                && (parts.peek().is_none()
                    || parts.any(|o| o.names.iter().any(|pattern| fits_part(pattern, text))))
    }

    /// Whether a task is one of those that are named for the program: in any number they build, test and check.
    fn names_task(&self, text: &str) -> bool {
        let named = self.options.iter().filter(|o| o.kind == Kind::Begins).flat_map(|o| &o.names);
        named.into_iter().any(|pattern| super::path::glob(pattern, text)) && !loses_by_name(text)
    }

    /// Whether an option behind `--` is one of those that may stand there, where these are named.
    fn hands_on(&self, text: &str, sub: &str) -> Option<bool> {
        let mut handed = self.options.iter().filter(|o| o.kind == Kind::Hands && o.stand_for(sub)).peekable();
        let name = text.split('=').next().unwrap_or(text);
        let fits = |p: &&str| *p == name || p.contains('*') && super::path::glob(p, text);
        handed.peek()?;
        Some(handed.any(|o| o.names.iter().any(fits)))
    }
}

/// Whether a sub-command changes how the files that it is given look.
pub(super) fn formats(sub: &str) -> bool {
    matches!(sub, "fmt" | "format")
}

/// Whether a word is an option by its look.
fn looks_like_option(text: &str) -> bool {
    text.strip_prefix('-').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic() || c == '-'))
}

/// Whether a value is an option by its look, alone or in brackets: a program that hands it on, as the name of a commit
/// may be handed to git, would have it taken for one.
fn holds_option(value: &str) -> bool {
    value.split(['[', '{']).any(|part| looks_like_option(part.trim_start()))
}

/// Whether a value ends what it is handed on in and begins something else there: a setting of a build, or a line for a shell.
fn holds_command(value: &str) -> bool {
    let settings = value.split_once(',').is_some_and(|(_, rest)| rest.contains('='));
    settings || value.contains([';', '`', '\n']) || value.contains("$(")
}

/// Whether a word is more than a word to a shell that is given it in double quotes, which one in it `ends` or not.
fn is_code_in_quotes(text: &str, ends: bool) -> bool {
    let begins = |c: char| c.is_ascii_alphanumeric() || "({_@*!?#-".contains(c);
    ends && text.contains('"')
        || text.contains(['`', '\n'])
        || text.contains("\\\"")
        || text.ends_with('\\')
        || text.split('$').skip(1).any(|rest| rest.starts_with(begins))
}

/// Whether one of several values in a text is a file of code, or may name one; what says how types are checked does not.
fn names_code(value: &str) -> bool {
    let word = |c: char| c.is_ascii_alphanumeric() || "_-./@*?~\\".contains(c);
    let of_types = |part: &&str| part.rsplit('/').next().is_some_and(|file| file.starts_with("tsconfig"));
    let json = |part: &str| part.rsplit_once('.').is_some_and(|(_, end)| end == "json");
    let code = |part: &str| {
        part.starts_with(['/', '~', '.']) || part.contains("./") || is_source(part) || json(part)
    };
    value.split(|c: char| !word(c)).filter(|part| !of_types(part)).any(code)
}

/// Whether a word looks as a part of the project is said to.
fn fits_part(pattern: &str, text: &str) -> bool {
    let plain = text.strip_prefix("./").unwrap_or(text);
    match pattern {
        "/" => is_folder(text),
        pattern if pattern.ends_with("_*") => {
            // What such a name begins with is said of the file, and not of a folder that it lies in.
            let file = |path: &str| path.trim_end_matches('/').rsplit('/').next().unwrap_or("").to_owned();
            let (path, last) = (plain.split("::").next().unwrap_or(plain), file(pattern));
            super::path::glob(pattern, path) && super::path::glob(&last, &file(path))
        }
        pattern => super::path::glob(pattern, text) || super::path::glob(pattern, plain),
    }
}

/// Whether a word names a folder of the project's own, or is a plain word.
fn is_folder(text: &str) -> bool {
    let text = text.trim_end_matches('/');
    let last = text.rsplit('/').next().unwrap_or("");
    (text == "." || !last.contains('.'))
        && !is_hidden(text)
        && !is_of_others(text)
        && !super::made::is_output(text)
}

/// Whether a part of a path stands behind a dot.
fn is_hidden(path: &str) -> bool {
    path.split('/').any(|part| part.starts_with('.') && !matches!(part, "." | ".." | "..."))
}

/// Whether a word is what folders of a project are called.
fn is_task_of(value: &str) -> bool {
    list("folders of modules").contains(&value) || super::made::is_output(value)
}

/// Whether a word is what files are called that a project has anyway: a task may write to whatever it is given.
fn is_file(value: &str) -> bool {
    [FileKind::Docs, FileKind::Config, FileKind::Locks].iter().any(|kind| kind.holds(value))
        || place(value, Cwd::Project) == Place::Control
}

/// Whether a task is one that builds, tests or checks and is called so everywhere.
fn is_usual_task(name: &str) -> bool {
    list("usual tasks").contains(&name)
}

/// Whether a value names a file, or something dotted, behind a word that says what is done with it: `json:src/a.go`.
fn names_behind(value: &str) -> bool {
    let plain = |part: &str| part.chars().all(|c| c.is_ascii_alphanumeric() || "_-./".contains(c));
    let file = |part: &&str| {
        let ends = part.rsplit_once('.').is_some_and(|(head, end)| {
            !head.is_empty() && end.starts_with(|c: char| c.is_ascii_alphabetic())
        });
        plain(part) && (part.contains('/') || ends)
    };
    value
        .split([',', ';'])
        .any(|each| each.split([':', '=']).skip(1).any(|part| file(&part) && !super::made::is_output(part)))
}

/// Whether a text that may be a path stays in the project, and is no address.
fn is_inside(text: &str, cwd: Cwd) -> bool {
    let inside = |t: &str| matches!(place(t, cwd), Place::Project | Place::Control | Place::Null);
    // From a descriptor a way may lead anywhere.
    let roundabout = text.starts_with("/dev/") && text.contains("..");
    !(text.contains("://") || text.starts_with("git@") || roundabout)
        && inside(text)
        && text.split(['=', ':', ',']).all(inside)
}

impl Opt {
    /// Whether it names a folder of others to work in.
    fn works_for_others(&self) -> bool {
        self.kind == Some(Kind::Folder) && self.value.as_ref().is_some_and(|value| is_of_others(&value.text))
    }

    /// Whether it takes any text, whatever that begins with.
    fn takes_any(&self, sub: &str) -> bool {
        let mut texts = list("options of any text").iter();
        texts.any(|text| text.split_once('=') == Some((sub, self.name.as_str())))
    }

    /// Whether it is harmless with its value.
    fn is_harmless(&self, program: &Program, sub: &str, cwd: Cwd) -> bool {
        let value = self.value.as_ref().map_or("", |v| v.text.as_str());
        let inside = || is_inside(value, cwd) && !is_secret(value);
        let joined = self.value_at.is_none() && self.name.len() == 2 && self.text.len() > 2;
        if program.letters && joined && value.starts_with(|c: char| c.is_ascii_alphabetic())
            || !self.takes_any(sub) && (holds_option(value) || holds_command(value))
        {
            return false;
        }
        match self.kind {
            None => {
                !program.names_all(sub)
                    && inside()
                    && !names_behind(value)
                    && is_inside(self.text.trim_start_matches('-'), cwd)
            }
            // What is read without being named is as well named.
            Some(Kind::Conf) => {
                let plain = value.strip_prefix("./").unwrap_or(value);
                // The project that is this folder is the one that is taken anyway.
                let here = matches!(self.name.as_str(), "-p" | "--project") && matches!(plain, "." | "");
                !self.text.starts_with("-D")
                    && !self.text.starts_with("-P")
                    && (here || program.work.contains(&plain))
            }
            Some(Kind::Task) => is_usual_task(value),
            Some(Kind::Word | Kind::Loads) => {
                program.allows_words(&self.name, sub, value) && !loses_by_name(value)
            }
            // A folder of tasks holds others under the same names.
            Some(Kind::Folder) if program.names_tasks() => {
                let packages = program.work.contains(&"package.json");
                inside() && (value == "." || !packages && is_built_in(value))
            }
            // Whose code it is then is as behind `cd`.
            Some(Kind::Folder) if is_unreviewed(value) => false,
            Some(Kind::Folder) if self.name == "--manifest-path" => {
                inside() && !super::made::is_output(value)
            }
            // What has no value by what is known, and is given one that may be a file.
            Some(Kind::Flag) if self.text.contains('=') && value.contains(['/', '.']) => {
                program.names_whole(&self.text) && inside() && !value.contains(char::is_whitespace)
            }
            Some(Kind::Filter) => !value.split(':').nth(2).is_some_and(|class| class.contains('.')),
            Some(Kind::Values) => inside() && !names_code(value),
            Some(Kind::Choice) => matches!(value, "" | "true" | "false"),
            // A part of the project that is built is named by its folder.
            Some(Kind::Plain) if program.tasks && is_of_others(value) => false,
            Some(Kind::Flag | Kind::Plain | Kind::May | Kind::Count | Kind::Read | Kind::Folder) => inside(),
            // Programs of the project lie there as well, and only what makes one writes one.
            Some(Kind::Out) if value == "bin" || value.starts_with("bin/") => {
                self.name == "-o" && program.long1 && is_output(value, cwd)
            }
            Some(Kind::Out) => is_output(value, cwd),
            Some(
                Kind::Code
                | Kind::Command
                | Kind::Run
                | Kind::Wipes
                | Kind::Url
                | Kind::Sets
                | Kind::Rest
                | Kind::Alters
                | Kind::Hands
                | Kind::Parts
                | Kind::Begins,
            ) => false,
        }
    }
}

/// Whether programs of the project are run from a folder by its name: what is put there is run next.
fn is_run_from(path: &str) -> bool {
    let names = list("programs in bin");
    is_of_others(path) || path.split('/').any(|part| names.contains(&part))
}

/// Whether a file is called as source code is, wherever it lies.
fn is_source(path: &str) -> bool {
    let end = path.rsplit('/').next().unwrap_or("").rsplit_once('.').map_or("", |(_, end)| end);
    list("ends of code").contains(&end) || list("ends of sources").contains(&end)
}

/// Whether a path leads to where tools put code of others, or what they keep for themselves.
pub fn is_of_others(path: &str) -> bool {
    let named =
        |part| list("folders of others").contains(&part) || list("folders of records").contains(&part);
    let top = path.split('/').find(|part| !matches!(*part, "." | ""));
    path.split('/').any(named)
        || !path.starts_with(['/', '~'])
            && top.is_some_and(|top| list("folders of others at the top").contains(&top))
}

/// Whether a build works in a folder of output.
fn is_built_in(path: &str) -> bool {
    let top = path.split('/').find(|part| !matches!(*part, "." | ""));
    top.is_some_and(|top| list("folders of builds").contains(&top))
}

/// Whether what lies in a folder is code that nobody here reviewed: that of others, or what a tool or anybody put there.
pub fn is_unreviewed(path: &str) -> bool {
    is_of_others(path) || super::made::is_output(path) && !is_built_in(path)
}

/// Whether a file that is written is hardly one that somebody wrote by hand.
fn is_output(path: &str, cwd: Cwd) -> bool {
    match place(path, cwd) {
        Place::Null | Place::Scratch => true,
        Place::Project => {
            let settings = || FileKind::Config.holds(path.rsplit('/').next().unwrap_or(path));
            super::made::is_output(path) && !is_run_from(path) && !is_source(path) && !settings()
        }
        Place::Control | Place::Device | Place::Outside | Place::Unknown => false,
    }
}
