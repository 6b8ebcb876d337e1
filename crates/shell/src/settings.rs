//! Variables that make programs run others, or steer them or us: the one list, `assets/knowledge/variables.txt`.
//!
//! Owns what setting one means. Never resolves a value. The list is not what keeps a project inert (trust is), but what
//! a trusted project's variables may be: data for programs, never programs.

use std::sync::LazyLock;

use super::command::is_harmless_pager;
use super::expand::UNKNOWN;
use super::knowledge::{Names, fits, groups};
use super::path::{Cwd, Place, place};
use super::programs::{Role, is};
use super::syntax::Span;
use super::walk::Walker;

const TEXT: &str = include_str!("../../../assets/knowledge/variables.txt");

static VARIABLES: LazyLock<Names<Means>> = LazyLock::new(|| {
    let mut all = Names::new();
    for (head, lines) in groups(TEXT) {
        let (kind, words) = head.split_once(' ').unwrap_or((head, ""));
        let means = match kind {
            "runs" => Means::Runs,
            "shows" => Means::Shows,
            "drives" => Means::Drives,
            "when" => Means::When(words),
            "path" => Means::Path,
            "place" => Means::Place,
            "home" => Means::Home,
            "harmless" => Means::Harmless,
            "url" => Means::Holds("://", words),
            "file" => Means::Holds("/", words),
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
    /// It says where programs are found.
    Path,
    /// It names places that code is taken from, or files that are written: outside the project it is like one that runs.
    Place,
    /// Likewise, and every program looks there for its settings: nowhere is it harmless.
    Home,
    /// Where its value holds the first, the rule of the second is meant.
    Holds(&'static str, &'static str),
    /// It steers programs and runs none by itself.
    Steers,
    /// It changes what is printed, or how much is done at once.
    Harmless,
}

impl Means {
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
            }
            Self::When(patterns) => value.split(' ').any(|word| is_one_of(word, patterns)),
            Self::Path => path_is_hostile(value),
            Self::Place | Self::Home => value.split([':', ' ', '=', ',']).any(|part| {
                part.contains(UNKNOWN) && part.starts_with('/')
                    || part.starts_with(['/', '~']) && !matches!(place(part, Cwd::Project), Place::Null)
                    || part.starts_with("../")
            }),
            Self::Steers | Self::Harmless | Self::Holds(..) => false,
        }
    }
}

fn is_one_of(word: &str, patterns: &str) -> bool {
    patterns.split(' ').any(|p| if p == "$" { word.contains(UNKNOWN) } else { fits(p, word) })
}

/// Whether a variable of this name makes a program run another, or steers it or us: no project ever sets one.
pub fn steers(name: &str) -> bool {
    VARIABLES.get(&name.to_ascii_uppercase()).is_some_and(|means| means != Means::Harmless)
}

impl Walker<'_> {
    /// A variable that is set for a command or for the shell.
    pub(super) fn judge_setting(&mut self, name: &str, value: &str, span: Span) {
        // Of npm's the case does not count.
        let npm = name.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("npm_"));
        let means = if npm { VARIABLES.get(&name.to_ascii_uppercase()) } else { VARIABLES.get(name) };
        if means.is_some_and(|means| means.runs_another(value)) {
            self.hit("hidden-run", span);
        }
        let inside = means == Some(Means::Place) && self.places_inside(value);
        self.steered |= means.is_some_and(|means| means != Means::Harmless) && !inside;
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
        let inside = VARIABLES.get(name) == Some(Means::Place) && self.places_inside(value);
        self.steered |= VARIABLES.get(name) != Some(Means::Harmless) && !inside;
    }

    fn places_inside(&self, value: &str) -> bool {
        value.split(':').all(|part| place(part, self.cwd) == Place::Project)
    }
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
    }
}
