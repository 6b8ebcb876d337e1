//! The environment of a command: what is on the list, and nothing else.
//!
//! Owns the list. Never passes a key, a token or a setting that makes a program run another.

use std::ffi::{OsStr, OsString};

use pilothouse_core::{sandbox::Confine, shell::steers};

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

/// Set for every command: no colours, no pager, no question that nobody can answer.
const SET: &[(&str, &str)] = &[
    ("TERM", "dumb"),
    ("NO_COLOR", "1"),
    ("CLICOLOR", "0"),
    ("CARGO_TERM_COLOR", "never"),
    ("PAGER", "cat"),
    ("GIT_PAGER", "cat"),
    ("GIT_TERMINAL_PROMPT", "0"),
];

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
    let data = given.iter().filter(|(name, _)| !steers(name));
    let mut all: Vec<_> = data.map(|(name, value)| (name.into(), value.into())).collect();
    all.extend(listed(ours, fence.env()));
    let set = |list: &[(&str, &str)]| list.iter().map(|(n, v)| (n.into(), v.into())).collect::<Vec<_>>();
    if matches!(confine, Confine::Inside { network: false, .. }) {
        all.extend(set(OFFLINE));
    }
    all.extend(fence.scratch().map(|scratch| ("TMPDIR".into(), scratch.into())));
    all
}

/// Of the environment `ours`, what every program gets that is started here.
pub(crate) fn allowed(ours: impl Iterator<Item = (OsString, OsString)>) -> Vec<(OsString, OsString)> {
    listed(ours, &[])
}

/// Of the environment `ours`, what is on the list or among the user's `more`.
fn listed(ours: impl Iterator<Item = (OsString, OsString)>, more: &[String]) -> Vec<(OsString, OsString)> {
    let passed = ours.filter(|(name, value)| {
        let Some(name) = name.to_str() else { return false };
        let harmless = || !value.to_string_lossy().contains('@');
        let wanted = more.iter().any(|m| m == name);
        wanted || PASSED.contains(&name) || name.starts_with("LC_") || (PROXIES.contains(&name) && harmless())
    });
    let set = SET.iter().map(|(name, value)| (OsString::from(name), OsString::from(value)));
    passed.map(rooted).chain(set).collect()
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
        let mut names: Vec<String> = listed(ours, &["MINE".to_owned()])
            .into_iter()
            .map(|(n, _)| n.to_string_lossy().into_owned())
            .collect();
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
        let given = [("LANG", "x"), ("PATH", "/evil"), ("LD_PRELOAD", "x"), ("TERM", "x"), ("PORT", "1")];
        let given = given.map(|(n, v)| (n.to_owned(), v.to_owned()));
        let all = of(ours.into_iter(), &given, &CommandSandbox::none(""), Confine::Bare);
        // The last of a name is what a command gets.
        let get = |name: &str| all.iter().rfind(|(n, _)| n == name).and_then(|(_, v)| v.to_str());
        assert_eq!((get("LANG"), get("PATH"), get("LD_PRELOAD")), (Some("C"), Some("/bin"), None));
        assert_eq!((get("TERM"), get("PORT")), (Some("dumb"), Some("1")));
    }
}
