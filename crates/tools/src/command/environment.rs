//! The environment of a command: what is on the list, and nothing else.
//!
//! Owns the list. Never passes a key, a token or a setting that makes a program run another.

use std::ffi::OsString;

use pilothouse_core::sandbox::Confine;

use crate::sandbox::Fence;

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

/// Set where there is no network, so that programs use what is here and say so at once.
const OFFLINE: &[(&str, &str)] = &[
    ("CARGO_NET_OFFLINE", "true"),
    ("npm_config_offline", "true"),
    ("GOPROXY", "off"),
    ("UV_OFFLINE", "1"),
    ("PIP_RETRIES", "0"),
];

/// What a command gets of the environment `ours`, and what is set for it.
pub(super) fn of(
    ours: impl Iterator<Item = (OsString, OsString)>,
    fence: &Fence,
    confine: Confine,
) -> Vec<(OsString, OsString)> {
    let mut all = listed(ours, fence.env());
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
    passed.chain(set).collect()
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
}
