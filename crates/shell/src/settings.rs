//! Variables that make programs run others, or steer them or us: the one list, `assets/knowledge/variables.txt`.
//!
//! Owns what setting one means. Never resolves a value. The list is not what keeps a project inert (trust is), but what
//! a trusted project's variables may be: data for programs, never programs.

use std::sync::LazyLock;

use super::Risk;
use super::carried::is_homely;
use super::command::is_harmless_pager;
use super::effect::Effect;
use super::expand::{Field, UNKNOWN};
use super::knowledge::{Names, fits, groups, list};
use super::path::{Cwd, Place, place};
use super::programs::{Role, effect, is};
use super::syntax::Span;
use super::walk::Walker;

const TEXT: &str = include_str!("../../../assets/knowledge/variables.txt");

static VARIABLES: LazyLock<Names<Means>> = LazyLock::new(|| {
    let mut all = Names::default();
    for (head, lines) in groups(TEXT) {
        let (kind, words) = head.split_once(' ').unwrap_or((head, ""));
        let means = match kind {
            "runs" => Means::Runs,
            "shows" => Means::Shows,
            "drives" => Means::Drives,
            "when" => Means::When(words),
            "options" => Means::Options(words),
            "path" => Means::Path,
            "place" => Means::Place,
            "conf" => Means::Conf,
            "home" => Means::Home,
            "unless" => Means::Unless(words),
            "others" => Means::Others(words),
            "harmless" => Means::Harmless,
            "quiet" => Means::Quiet,
            "url" => Means::Holds("://", words),
            "writes" => Means::Writes,
            "any" => Means::Holds("", words),
            _ => Means::Steers,
        };
        for name in lines.iter().flat_map(|line| line.split_whitespace()) {
            all.add(name.to_owned(), means);
        }
    }
    all
});

/// What a value of a variable does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Means {
    /// It is run, or code is loaded from it.
    Runs,
    /// It is run, and may be a plain pager or editor.
    Shows,
    /// It is run where it is named by a path.
    Drives,
    /// It makes something run where one of its words is like one of these.
    When(&'static str),
    /// Its words are options of this program.
    Options(&'static str),
    /// It says where programs are found.
    Path,
    /// It names places that code is taken from, or files that are written: outside the project it is like one that runs.
    Place,
    /// Likewise, and one of the project steers it.
    Conf,
    /// Likewise, and every program looks there for its settings: nowhere is it harmless.
    Home,
    /// A file or a folder that is written.
    Writes,
    /// Where its value holds the first, the rule of the second is meant.
    Holds(&'static str, &'static str),
    /// It steers programs and runs none by itself.
    Steers,
    /// It changes what is printed, or how much is done at once.
    Harmless,
    /// Likewise, of what only reads; a rule that allows a command does not cover it.
    Quiet,
    /// It changes what is printed, but where it is one of these words.
    Unless(&'static str),
    /// It says whose data is worked with: where it is one of these words, that of others.
    Others(&'static str),
}

/// How names of variables end that say where something is written.
const WRITTEN: [&str; 11] = [
    "HOME",
    "BUILD_PATH",
    "DIR",
    "DIRECTORY",
    "LOGFILE",
    "LOGPATH",
    "LOG_PATH",
    "_FILE",
    "_OUTPUT",
    "_PREFIX",
    "_OPTIONS",
];

/// What variables are set.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Steered {
    /// Some may steer a program.
    pub may: bool,
    /// A command is given one that may, even where it only reads.
    pub given: bool,
    /// One that it is given may name a program that it runs.
    pub runs: bool,
}

impl Steered {
    pub(super) const fn and(self, other: Self) -> Self {
        let (may, given) = (self.may | other.may, self.given | other.given);
        Self { may, given, runs: self.runs | other.runs }
    }
}

impl Means {
    const fn is_harmless(self) -> bool {
        matches!(self, Self::Harmless | Self::Unless(_))
    }

    /// Whether there is nothing in it for a program that only reads but what its value was judged by.
    const fn says_by_value(self) -> bool {
        self.is_harmless() || matches!(self, Self::Quiet | Self::Options(_) | Self::Path | Self::Writes)
    }

    /// Whether a value of it may say where something is written.
    fn says_where(means: Option<Self>, name: &str) -> bool {
        match means {
            Some(Self::Steers | Self::When(_) | Self::Options(_) | Self::Holds(..)) => true,
            Some(means) => !means.is_harmless() && !matches!(means, Self::Path | Self::Quiet | Self::Shows),
            None => WRITTEN.iter().any(|end| name.ends_with(end)),
        }
    }

    fn runs_another(self, value: &str) -> bool {
        match self {
            Self::Runs => !value.is_empty(),
            Self::Shows => !is_harmless_pager(value),
            Self::Drives => {
                let first = value.split_whitespace().next().unwrap_or("");
                value.contains('/')
                    || value.contains(UNKNOWN)
                    || is(first, Role::Shell)
                    || is(first, Role::Interpreter)
                    || effect(first, &[]) == Some(Effect::Deletes)
            }
            Self::Unless(words) | Self::Others(words) => is_one_of(&value.to_ascii_lowercase(), words),
            Self::When(patterns) => value.split(' ').any(|word| is_one_of(word, patterns)),
            Self::Path => path_is_hostile(value),
            Self::Home if !matches!(value, "" | "~" | "off" | ".git" | "./.git") => true,
            Self::Place | Self::Conf | Self::Home => value.split([':', ' ', '=', ',']).any(|part| {
                part.contains(UNKNOWN) && part.starts_with('/')
                    || part.starts_with(['/', '~']) && !matches!(place(part, Cwd::Project), Place::Null)
                    || part.starts_with("../")
            }),
            Self::Steers
            | Self::Harmless
            | Self::Quiet
            | Self::Holds(..)
            | Self::Writes
            | Self::Options(_) => false,
        }
    }
}

fn is_one_of(word: &str, patterns: &str) -> bool {
    patterns.split(' ').any(|p| if p == "$" { word.contains(UNKNOWN) } else { fits(p, word) })
}

/// Whether a variable of this name makes a program run another, or steers it or us: no project ever sets one.
pub fn steers(name: &str) -> bool {
    let harmless = |means: Means| means.is_harmless() || matches!(means, Means::Others(_));
    VARIABLES.get(&name.to_ascii_uppercase()).is_some_and(|means| !harmless(means))
}

/// Likewise with this value: where it is a folder, what lies there is run, and a program that it names is run as well.
pub fn steers_as(name: &str, value: &str) -> bool {
    let name = &name.to_ascii_uppercase();
    let folder = |means: &Means| value.contains('/') && means.runs_another(value);
    steers(name) || VARIABLES.get(name).as_ref().is_some_and(folder) || names_program(name, value)
}

impl Walker<'_> {
    /// A variable that is set for a command or for the shell.
    pub(super) fn judge_setting(&mut self, name: &str, value: &str, span: Span) {
        // A table of the shell's own may be set entry by entry.
        let name = name.split('[').next().unwrap_or(name);
        // Of npm's the case does not count.
        let npm = name.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("npm_"));
        let means = if npm { VARIABLES.get(&name.to_ascii_uppercase()) } else { VARIABLES.get(name) };
        if means.is_some_and(|means| means.runs_another(value)) {
            self.hit("hidden-run", span);
        }
        if matches!(means, Some(Means::Conf | Means::Steers))
            && place(value, self.stand.cwd) == Place::Control
        {
            self.hit("persist", span);
        }
        if self.zsh && list("tables of zsh").contains(&name) {
            self.hit("hidden-run", span);
        }
        // What the shell reads as arithmetic runs the subscripts in it.
        if list("numbers of the shell").contains(&name) && !value.chars().all(|c| c.is_ascii_digit()) {
            self.hit("hidden-run", span);
        }
        if let Some(Means::Options(program)) = means {
            self.judge_options(program, value, span);
        }
        let hidden = name.ends_with("DIR") && value.contains("/.");
        let mut parts = value.split(['=', ':', ',', ' ']);
        if Means::says_where(means, name) && !hidden && parts.any(is_homely) {
            self.hit("outside", span);
        }
        let inside = means == Some(Means::Place) && self.places_inside(value) || is_plain(name, value);
        let may = means.is_some_and(|means| !means.is_harmless()) && !inside;
        self.steer(Steered { may, ..Steered::default() });
        let path = value.strip_prefix("af_unix:").unwrap_or(value);
        if means == Some(Means::Writes)
            && (path.contains(['/', '.', '~']) || place(path, self.stand.cwd) != Place::Project)
        {
            self.judge_write(&Field::plain(path, span), "write-hidden");
        }
        if let Some(Means::Holds(part, rule)) = means
            && value.contains(part)
        {
            self.hit(rule, span);
        }
    }
}

impl Walker<'_> {
    /// A variable that a command is given: any but a harmless one may steer it.
    pub(super) fn note_given(&mut self, name: &str, value: &str) {
        let means = VARIABLES.get(name);
        let inside = means == Some(Means::Place) && self.places_inside(value) || is_plain(name, value);
        let may = !means.is_some_and(Means::is_harmless) && !inside;
        let shows = means == Some(Means::Shows) && is_harmless_pager(value);
        let given = !means.is_some_and(Means::says_by_value) && !inside && !shows;
        self.steer(Steered { may, given, runs: names_program(name, value) });
    }

    /// What variables that a program is given may make of it. What a wrapper or a shell carries is judged by itself.
    pub(super) fn judge_given(&mut self, name: &str, argv: &[Field], span: Span) {
        let code = argv
            .get(1)
            .is_some_and(|f| f.text.starts_with('-') && !f.text.starts_with("--") && f.text.contains('c'));
        let read = code && is(name, Role::Shell) && !list("shells of another language").contains(&name);
        let carries = super::wrap::carries(name) || read;
        if carries || is(name, Role::Builtin) || list("steered by no variable").contains(&name) {
            return;
        }
        if self.steered.runs {
            self.hit("hidden-run", span);
        } else if self.steered.given {
            self.hit("variable", span);
        }
    }

    fn steer(&mut self, by: Steered) {
        self.steered = self.steered.and(by);
        self.lasting = self.lasting.and(by);
    }

    /// Does something that is given settings of its own: these are taken back behind it, what ran in it gave for good.
    pub(super) fn given_for<T>(
        &mut self,
        (steered, lasting): (Steered, Steered),
        inner: impl FnOnce(&mut Self) -> T,
    ) -> T {
        self.lasting = Steered::default();
        let out = inner(self);
        self.steered = steered.and(self.lasting);
        self.lasting = lasting.and(self.lasting);
        out
    }

    /// Options that a program finds in a variable: what they do there they do behind its name.
    fn judge_options(&mut self, program: &str, value: &str, span: Span) {
        // Nothing is judged without an end, and what is not judged is code that nobody read.
        let Some(verdict) = self.guess(&format!("{program} {value}")) else {
            return self.hit("computed-code", span);
        };
        if verdict.risk > Risk::Low {
            self.hit(&verdict.rule, span);
        }
    }

    fn places_inside(&self, value: &str) -> bool {
        // Whatever stands there may be taken in place of what is meant: that is so only where the project keeps its code.
        let usual = |part: &str| {
            let last = part.trim_end_matches('/').rsplit('/').next().unwrap_or("");
            list("folders of modules").contains(&last)
        };
        let inside = |part: &str| {
            place(part, self.stand.cwd) == Place::Project && !super::is_of_others(part) && usual(part)
        };
        value.split(':').all(inside)
    }
}

/// Whether a variable says by its end that its value names a program, and that is one of a folder.
pub(super) fn names_program(name: &str, value: &str) -> bool {
    let ends = || list("ends of variables that run").iter().any(|end| name.ends_with(end));
    value.contains('/') && VARIABLES.get(name).is_none_or(|means| means == Means::Steers) && ends()
}

/// Whether a variable with just this value changes nothing but what is printed and what counts as a fault.
fn is_plain(name: &str, value: &str) -> bool {
    let same = |set: &&str| set.split_once('=').is_some_and(|(n, v)| n == name && fits(v, value));
    list("plain settings").iter().any(same)
}

/// A relative or scratch directory before the end of the search path.
fn path_is_hostile(value: &str) -> bool {
    let entries: Vec<&str> = value.split(':').collect();
    let system =
        entries.iter().position(|e| e.starts_with("/usr") || e.starts_with("/bin")).unwrap_or(entries.len());
    entries.iter().take(system.max(1)).any(|entry| {
        let relative = !entry.starts_with(['/', '~', UNKNOWN]);
        relative || ["/tmp", "/var/tmp", "/dev/shm"].iter().any(|s| entry.starts_with(s))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_runs_programs_is_told_from_what_programs_read() {
        for name in [
            "PATH",
            "LD_PRELOAD",
            "DYLD_INSERT_LIBRARIES",
            "GIT_SSH_COMMAND",
            "NODE_OPTIONS",
            "npm_config_script_shell",
            "PYTHONSTARTUP",
            "PERL5OPT",
            "RUBYOPT",
            "BASH_ENV",
            "ENV",
            "RUSTC_WRAPPER",
            "CARGO_BUILD_RUSTC",
            "GOFLAGS",
            "MANPAGER",
            "SUDO_ASKPASS",
            "RSYNC_RSH",
            "RIPGREP_CONFIG_PATH",
            "TAR_OPTIONS",
            "HTTPS_PROXY",
            "https_proxy",
            "PILOTHOUSE_HOME",
            "CODEX_HOME_PAGER",
            "OPENSSL_CONF",
            "DOTNET_STARTUP_HOOKS",
        ] {
            assert!(steers(name), "{name}");
        }
        for name in [
            "DATABASE_URL",
            "API_TOKEN",
            "PORT",
            "NODE_ENV",
            "RUST_LOG",
            "RUST_BACKTRACE",
            "APP_SECRET",
            "AWS_REGION",
            "GOOGLE_API_KEY",
            "DEBUG",
            "STRIPE_KEY",
            "REDIS_HOST",
            "DJANGO_SETTINGS_MODULE",
        ] {
            assert!(!steers(name), "{name}");
        }
        for (name, value, does) in [
            ("RUSTUP_TOOLCHAIN", "nightly", false),
            ("RUSTUP_TOOLCHAIN", "/work/app/toolchain", true),
            ("rustup_toolchain", "./toolchain", true),
            ("DJANGO_SETTINGS_MODULE", "app.settings", false),
            ("RAILS_ENV", "production", false),
            ("DATABASE_URL", "sqlite:///app.db", false),
            ("PROTOC", "protoc", true),
            ("MY_CMD", "./x", true),
            ("my_cmd", "./x", true),
            ("MY_CMD", "serve", false),
        ] {
            assert_eq!(steers_as(name, value), does, "{name}={value}");
        }
    }
}
