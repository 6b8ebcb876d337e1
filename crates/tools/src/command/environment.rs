//! The environment of a command: what is on the list, and nothing else.
//!
//! Owns the list. Never passes a key, a token or a setting that makes a program run another.

use std::{
    collections::BTreeSet,
    ffi::{OsStr, OsString},
};

use pilothouse_core::{
    sandbox::Confine,
    shell::{assess, steers_as},
};

use crate::sandbox::CommandSandbox;

/// Names that are passed on.
const PASSED: &[&str] = &[
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LANGUAGE",
    "TZ",
    "TMPDIR",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_STATE_HOME",
    "XDG_RUNTIME_DIR",
    "CARGO_HOME",
    "RUSTUP_HOME",
    "RUSTUP_TOOLCHAIN",
    "GOPATH",
    "GOROOT",
    "GOCACHE",
    "GOMODCACHE",
    "JAVA_HOME",
    "MAVEN_HOME",
    "GRADLE_USER_HOME",
    "ANDROID_HOME",
    "VIRTUAL_ENV",
    "CONDA_PREFIX",
    "PYENV_ROOT",
    "NVM_DIR",
    "NVM_BIN",
    "VOLTA_HOME",
    "FNM_DIR",
    "PNPM_HOME",
    "BUN_INSTALL",
    "DENO_DIR",
    "RBENV_ROOT",
    "GEM_HOME",
    "GEM_PATH",
    "GHCUP_INSTALL_BASE_PREFIX",
    "OPAM_SWITCH_PREFIX",
    "ASDF_DIR",
    "ASDF_DATA_DIR",
    "MISE_DATA_DIR",
    "HOMEBREW_PREFIX",
    "NIX_PATH",
    "NIX_PROFILES",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NIX_SSL_CERT_FILE",
    "PKG_CONFIG_PATH",
    "SDKROOT",
    "DEVELOPER_DIR",
    "SOURCE_DATE_EPOCH",
    "GIT_AUTHOR_NAME",
    "GIT_AUTHOR_EMAIL",
    "GIT_COMMITTER_NAME",
    "GIT_COMMITTER_EMAIL",
];

/// How the user's terminal shows things. A command gets what the user's own shell would give it, or a test of colours
/// is red here and green there; what it then writes is made plain when it is read.
const TERMINAL: &[&str] = &[
    "TERM",
    "COLORTERM",
    "NO_COLOR",
    "CLICOLOR",
    "CLICOLOR_FORCE",
    "FORCE_COLOR",
    "CARGO_TERM_COLOR",
    "PY_COLORS",
];

/// Passed on unless they carry a user name or password.
const PROXIES: &[&str] = &[
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "no_proxy",
];

/// An editor that fails at once: a shell line, to which the name of the file is added.
const NO_EDITOR: &str =
    "echo 'no terminal here to edit in: give the text in the command, as in git commit -m' >&2; false";

/// Set for every command: no pager, no question that nobody can answer, no editor that waits for a terminal.
const SET: &[(&str, &str)] = &[
    ("PAGER", "cat"),
    ("GIT_PAGER", "cat"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_EDITOR", NO_EDITOR),
    ("GIT_SEQUENCE_EDITOR", NO_EDITOR),
    ("EDITOR", NO_EDITOR),
    ("VISUAL", NO_EDITOR),
];

/// Set where a line calls git itself: no repository that is just a folder of another one's files, whose settings would run
/// programs. What tests start may use such a one.
const GIT: &[(&str, &str)] = &[
    ("GIT_CONFIG_COUNT", "1"),
    ("GIT_CONFIG_KEY_0", "safe.bareRepository"),
    ("GIT_CONFIG_VALUE_0", "explicit"),
];

/// Set for programs that are started here for their output, which is read as it is.
const PLAIN: &[(&str, &str)] = &[("TERM", "dumb"), ("NO_COLOR", "1"), ("CLICOLOR", "0")];

/// Most variables that are named as missed.
const MOST_MISSED: usize = 4;

/// Names that let a program reach the desktop.
const DESKTOP: &[&str] = &["DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS"];

/// Of the environment `ours`, what lets a program reach the desktop.
pub(crate) fn of_desktop(ours: impl Iterator<Item = (OsString, OsString)>) -> Vec<(OsString, OsString)> {
    ours.filter(|(name, _)| name.to_str().is_some_and(|n| DESKTOP.contains(&n))).collect()
}

/// Set where there is no network, so that programs use what is here and say so at once.
const OFFLINE: &[(&str, &str)] = &[
    ("CARGO_NET_OFFLINE", "true"),
    ("npm_config_offline", "true"),
    ("GOPROXY", "off"),
    ("UV_OFFLINE", "1"),
    ("PIP_RETRIES", "0"),
];

/// What a command gets of the environment `ours`, what the project gives it, and what is set for it.
/// What the project gives stands in place of nothing.
pub(super) fn of(
    ours: impl Iterator<Item = (OsString, OsString)>,
    given: &[(String, String)],
    fence: &CommandSandbox,
    confine: Confine,
) -> Vec<(OsString, OsString)> {
    let data = given.iter().filter(|(name, value)| !steers_as(name, value));
    let mut all: Vec<_> = data.map(|(name, value)| (name.into(), value.into())).collect();
    let more: Vec<&str> = fence.env().iter().map(String::as_str).chain(TERMINAL.iter().copied()).collect();
    all.extend(listed(ours, &more));
    if matches!(confine, Confine::Inside { network: false, .. }) {
        all.extend(set(OFFLINE));
    }
    all.extend(fence.scratch().map(|scratch| ("TMPDIR".into(), scratch.into())));
    all
}

/// Of the environment `ours`, what every program gets that is started here.
pub(crate) fn allowed(ours: impl Iterator<Item = (OsString, OsString)>) -> Vec<(OsString, OsString)> {
    listed(ours, &[]).into_iter().chain(set(PLAIN)).collect()
}

/// What git gets beside it where a line calls git itself.
pub(super) fn of_git(line: &str) -> Vec<(OsString, OsString)> {
    let calls = assess(line).programs.iter().any(|program| program == "git");
    if calls { set(GIT) } else { Vec::new() }
}

/// Which variables of the environment `ours` the text names and a command does not get.
pub(super) fn missed(
    ours: impl Iterator<Item = (OsString, OsString)>,
    fence: &CommandSandbox,
    text: &str,
) -> Vec<String> {
    let named: BTreeSet<&str> = names_in(text).filter(|w| w.len() > 3 && w.contains('_')).collect();
    let all: Vec<_> = ours.filter(|(n, _)| n.to_str().is_some_and(|n| named.contains(n))).collect();
    let got = of(all.clone().into_iter(), &[], fence, Confine::Bare);
    let missed = all.iter().filter(|(name, _)| !got.iter().any(|(n, _)| n == name));
    missed.filter_map(|(name, _)| name.to_str().map(str::to_owned)).take(MOST_MISSED).collect()
}

/// Which of the project's variables the text names that a command does not get.
pub(super) fn withheld(variables: &[(String, String)], text: &str) -> Vec<String> {
    let named: BTreeSet<&str> = names_in(text).collect();
    let names = variables.iter().map(|(name, _)| name).filter(|name| named.contains(name.as_str()));
    names.take(MOST_MISSED).cloned().collect()
}

/// The words of a text that may be names of variables.
fn names_in(text: &str) -> impl Iterator<Item = &str> {
    let plain = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    // In small letters too, where a word is hardly anything else.
    let small = text.split(move |c: char| !(plain(c) || c.is_ascii_lowercase())).filter(|w| w.contains('_'));
    text.split(move |c: char| !plain(c)).chain(small)
}

fn set(list: &[(&str, &str)]) -> Vec<(OsString, OsString)> {
    list.iter().map(|(name, value)| (name.into(), value.into())).collect()
}

/// Of the environment `ours`, what is on the list or among `more`.
fn listed(ours: impl Iterator<Item = (OsString, OsString)>, more: &[&str]) -> Vec<(OsString, OsString)> {
    let passed = ours.filter(|(name, value)| {
        let Some(name) = name.to_str() else { return false };
        let harmless = || !value.to_string_lossy().contains('@');
        let wanted = more.contains(&name);
        wanted || PASSED.contains(&name) || name.starts_with("LC_") || (PROXIES.contains(&name) && harmless())
    });
    passed.map(rooted).chain(set(SET)).collect()
}

/// Without the folders of `PATH` that are relative: there a project would bring programs along.
fn rooted((name, value): (OsString, OsString)) -> (OsString, OsString) {
    if name != "PATH" {
        return (name, value);
    }
    (name, rooted_path(&value))
}

/// A search path without its relative folders.
pub fn rooted_path(path: &OsStr) -> OsString {
    let folders = std::env::split_paths(path).filter(|folder| folder.is_absolute());
    let rooted = std::env::join_paths(folders).unwrap_or_default();
    // An empty one would mean the folder that a program runs in.
    if rooted.is_empty() { OsString::from("/usr/bin:/bin") } else { rooted }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(ours: &[(&str, &str)]) -> Vec<String> {
        let ours = ours.iter().map(|(n, v)| (OsString::from(n), OsString::from(v)));
        let mut names: Vec<String> =
            listed(ours, &["MINE"]).into_iter().map(|(n, _)| n.to_string_lossy().into_owned()).collect();
        names.retain(|n| SET.iter().all(|(s, _)| s != n));
        names
    }

    #[test]
    fn secrets_and_hidden_executors_are_not_passed_on() {
        let ours = [
            ("OPENAI_API_KEY", "x"),
            ("GITHUB_TOKEN", "x"),
            ("AWS_SECRET_ACCESS_KEY", "x"),
            ("NPM_TOKEN", "x"),
            ("DATABASE_URL", "x"),
            ("SSH_AUTH_SOCK", "x"),
            ("PILOTHOUSE_HOME", "x"),
            ("LD_PRELOAD", "x"),
            ("BASH_ENV", "x"),
            ("ENV", "x"),
            ("PROMPT_COMMAND", "x"),
            ("GIT_SSH_COMMAND", "x"),
            ("GIT_CONFIG_COUNT", "1"),
            ("NODE_OPTIONS", "x"),
            ("PYTHONSTARTUP", "x"),
            ("PERL5OPT", "x"),
            ("RUSTC_WRAPPER", "x"),
            ("EDITOR", "x"),
            ("BASH_FUNC_ls%%", "x"),
            ("HTTPS_PROXY", "http://me:pw@host"),
            ("LESSOPEN", "x"),
            ("CARGO_REGISTRY_TOKEN", "x"),
        ];
        assert_eq!(names(&ours), Vec::<String>::new());
    }

    #[test]
    fn what_tools_need_is_passed_on() {
        let ours = [
            ("PATH", "/bin"),
            ("HOME", "/h"),
            ("LC_ALL", "C"),
            ("CARGO_HOME", "/c"),
            ("HTTPS_PROXY", "http://host:1"),
            ("MINE", "x"),
        ];
        assert_eq!(names(&ours), ["PATH", "HOME", "LC_ALL", "CARGO_HOME", "HTTPS_PROXY", "MINE"]);
    }

    #[test]
    fn relative_folders_of_the_search_path_are_left_out() {
        let ours = [(OsString::from("PATH"), OsString::from(".:/bin::bin:/usr/bin:"))];
        let path = listed(ours.into_iter(), &[]).into_iter().find(|(name, _)| name == "PATH");
        assert_eq!(path.map(|(_, value)| value), Some(OsString::from("/bin:/usr/bin")));
        for nowhere in ["", ".", "bin:"] {
            assert_eq!(rooted_path(OsStr::new(nowhere)), "/usr/bin:/bin");
        }
    }

    #[test]
    fn what_a_project_gives_stands_in_place_of_nothing_and_runs_nothing() {
        let ours = [("LANG", "C"), ("PATH", "/bin")].map(|(n, v)| (OsString::from(n), OsString::from(v)));
        let given = [("LANG", "x"), ("PATH", "/evil"), ("LD_PRELOAD", "x"), ("PAGER", "x"), ("PORT", "1")];
        let given = given.map(|(n, v)| (n.to_owned(), v.to_owned()));
        let all = of(ours.into_iter(), &given, &CommandSandbox::none(""), Confine::Bare);
        // The last of a name is what a command gets.
        let get = |name: &str| all.iter().rfind(|(n, _)| n == name).and_then(|(_, v)| v.to_str());
        assert_eq!((get("LANG"), get("PATH"), get("LD_PRELOAD")), (Some("C"), Some("/bin"), None));
        assert_eq!((get("PAGER"), get("PORT")), (Some("cat"), Some("1")));
    }

    #[test]
    fn a_command_sees_the_terminal_of_the_user_and_a_program_that_is_read_none() {
        let ours = || {
            let ours = [("TERM", "xterm-256color"), ("COLORTERM", "truecolor"), ("DB_URL", "x")];
            ours.map(|(n, v)| (OsString::from(n), OsString::from(v))).into_iter()
        };
        let command = of(ours(), &[], &CommandSandbox::none(""), Confine::Bare);
        let get = |all: &[(OsString, OsString)], name: &str| {
            all.iter().rfind(|(n, _)| n == name).and_then(|(_, v)| v.to_str().map(str::to_owned))
        };
        assert_eq!(get(&command, "TERM").as_deref(), Some("xterm-256color"));
        assert_eq!(get(&command, "COLORTERM").as_deref(), Some("truecolor"));
        assert_eq!((get(&command, "NO_COLOR"), get(&command, "CARGO_TERM_COLOR")), (None, None));
        let own: Vec<_> = allowed(ours()).into_iter().collect();
        assert_eq!(get(&own, "TERM").as_deref(), Some("dumb"));
        let missed = |text: &str| missed(ours(), &CommandSandbox::none(""), text);
        assert_eq!(missed("KeyError: 'DB_URL'"), ["DB_URL"]);
        assert_eq!(missed("DB_URLS and TERM"), Vec::<String>::new());
    }
}
