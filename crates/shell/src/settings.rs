//! Variables whose value makes a harmless program run another one.
//!
//! Owns the lists of such variables. Never resolves a value.

use super::command::is_harmless_pager;
use super::expand::UNKNOWN;
use super::syntax::Span;
use super::walk::Walker;

/// Dangerous whatever their value.
const ALWAYS: [&str; 44] = [
    "LD_PRELOAD",
    "LD_AUDIT",
    "LD_LIBRARY_PATH",
    "DYLD_INSERT_LIBRARIES",
    "DYLD_LIBRARY_PATH",
    "DYLD_FRAMEWORK_PATH",
    "BASH_ENV",
    "ENV",
    "PROMPT_COMMAND",
    "PS4",
    "SHELLOPTS",
    "BASHOPTS",
    "ZDOTDIR",
    "PYTHONSTARTUP",
    "PYTHONHOME",
    "PERL5OPT",
    "PERL5DB",
    "RUBYOPT",
    "JAVA_TOOL_OPTIONS",
    "_JAVA_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "LESSOPEN",
    "LESSCLOSE",
    "GIT_SSH",
    "GIT_SSH_COMMAND",
    "GIT_EXTERNAL_DIFF",
    "GIT_ASKPASS",
    "SSH_ASKPASS",
    "SUDO_ASKPASS",
    "GIT_PROXY_COMMAND",
    "GIT_EXEC_PATH",
    "GIT_TEMPLATE_DIR",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_CONFIG_PARAMETERS",
    "GCONV_PATH",
    "RSYNC_RSH",
    "CVS_RSH",
    "TAR_OPTIONS",
    "FZF_DEFAULT_COMMAND",
    "INPUTRC",
    "TERMINFO",
    "PYTHONBREAKPOINT",
    "GIT_CONFIG",
];

/// Dangerous unless the value is a plain pager, editor or nothing.
const PROGRAMS: [&str; 14] = [
    "PAGER",
    "GIT_PAGER",
    "MANPAGER",
    "SYSTEMD_PAGER",
    "EDITOR",
    "VISUAL",
    "GIT_EDITOR",
    "GIT_SEQUENCE_EDITOR",
    "BROWSER",
    "DELTA_PAGER",
    "BAT_PAGER",
    "AWS_PAGER",
    "PSQL_PAGER",
    "GH_PAGER",
];

/// Compiler drivers: dangerous when they name a script.
const DRIVERS: [&str; 8] = [
    "RUSTC_WRAPPER",
    "RUSTC_WORKSPACE_WRAPPER",
    "RUSTC",
    "CARGO",
    "RUSTDOC",
    "CARGO_BUILD_RUSTC_WRAPPER",
    "GOTOOLDIR",
    "MAKEFILES",
];

impl Walker<'_> {
    /// A variable that is set for a command or for the shell.
    pub(super) fn judge_setting(&mut self, name: &str, value: &str, span: Span) {
        let dangerous = ALWAYS.contains(&name)
            || name.starts_with("GIT_CONFIG_") && name != "GIT_CONFIG_NOSYSTEM"
            || name.starts_with("BASH_FUNC_")
            || PROGRAMS.contains(&name) && !is_harmless_pager(value)
            || DRIVERS.contains(&name) && (value.contains('/') || value.contains(UNKNOWN))
            || name.starts_with("CARGO_TARGET_") && (name.ends_with("_RUNNER") || name.ends_with("_LINKER"))
            || name == "NODE_OPTIONS" && loads_code(value)
            || name == "GOFLAGS" && (value.contains("-exec") || value.contains("-toolexec"))
            || name == "RUSTFLAGS" && value.contains("linker=")
            || name == "PATH" && path_is_hostile(value)
            || name.eq_ignore_ascii_case("npm_config_script_shell")
            || name == "GREP_OPTIONS"
            || name == "MAKEFLAGS" && value.contains("--eval");
        if dangerous && !(ALWAYS.contains(&name) && value.is_empty()) {
            self.hit("hidden-run", span);
        }
    }
}

fn loads_code(value: &str) -> bool {
    value.contains(UNKNOWN)
        || value
            .split([' ', '='])
            .any(|w| matches!(w, "-r" | "--require" | "--import" | "--loader" | "--experimental-loader"))
        || value.starts_with("-r")
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
