//! What a command says when the sandbox held it, and how to ask for more.
//!
//! Owns the telling words, and what the environment kept from it. Never widens anything: the model can ask, the answer is
//! the user's.

use std::path::{Path, PathBuf};

use pilothouse_core::{checkpoint::UNATTENDED, sandbox::Confine, tool::Advice};

/// What programs say when they may not touch a file or a process.
const FORBIDDEN: [&str; 8] = [
    "permission denied",
    "operation not permitted",
    "read-only file system",
    "eacces",
    "eperm",
    "erofs",
    "access denied",
    "permissionerror",
];

/// What they say when they cannot reach the network.
const UNREACHED: [&str; 20] = [
    "could not resolve",
    "couldn't resolve",
    "could not connect",
    "couldn't connect",
    "failed to connect",
    "name resolution",
    "name or service not known",
    "nodename nor servname",
    "network is unreachable",
    "getaddrinfo",
    "enotfound",
    "enetunreach",
    "enotcached",
    "unknownhostexception",
    "in offline mode",
    "--offline",
    "goproxy=off",
    // What pip says of a package that it cannot look up.
    "no matching distribution",
    "from versions: none",
    "connection refused",
];

/// What they say of sockets: without the network local ones are closed as well.
const SOCKETS: [&str; 4] = ["socket", "bind(", "listen", "loopback"];

/// What they say of a socket that is a file. With the network it is closed as well.
const UNIX: [&str; 4] = ["af_unix", "unix socket", "unix domain", "unixstream"];
/// What works on a socket, in a line that names the file of one.
const BINDS: [&str; 3] = ["listen", "bind", "connect"];

/// Programs that make a socket by themselves, and a way to the same without one.
const WITHOUT_SOCKET: [(&str, &str); 1] = [("tsx", "`node --import tsx FILE`")];

/// What they say when they may not look into another program: leak checkers, debuggers, tracers.
const TRACED: [&str; 4] =
    ["ptrace", "leaksanitizer has encountered a fatal error", "process_vm_readv", "pidfd_getfd"];

/// What a user does who wants no sandbox around a command.
pub(super) const OUTSIDE: &str =
    "type it with `!!` before it: so it runs outside the sandbox, with your own rights";

/// Hidden files that are named.
const MOST_NAMED: usize = 3;

/// Whether the end of a line may hide that a part of it failed: what stands before a pipe or a `||` does not count.
pub(super) fn hides_failure(line: &str) -> bool {
    line.contains('|') || line.contains(';')
}

/// What is said of an end that is that of what only shows the output.
pub(super) fn last_part() -> Advice {
    let told = "(that is the end of the pipe's last part; what stands before it may have failed)".to_owned();
    Advice { model: told.clone(), user: told }
}

/// What is said of variables that the user's shell has and a command does not.
pub(super) fn missed(names: &[String]) -> Advice {
    let told = |whose: &str| {
        format!(
            "({} is set in {whose} own shell, but commands here do not get it; `env` below [sandbox] in config.toml passes \
             it on)",
            names.join(", ")
        )
    };
    Advice { model: told("the user's"), user: told("your") }
}

/// What is said of the project's variables that what runs code of others does not get.
pub(super) fn withheld(names: &[String]) -> Advice {
    let told = |whose: &str| {
        format!(
            "(it got nothing of the project's .env, {} among it: a line that installs packages, or cannot be read whole, may run \
             code of others, and gets of {whose} own shell what `env` below [sandbox] in config.toml passes on; what does not \
             install gets it in a line of its own)",
            names.join(", ")
        )
    };
    Advice { model: told("the user's"), user: told("your") }
}

/// What is said of hidden files whose names stand in what a command said.
pub(super) fn hidden(root: &Path, secret: &[PathBuf], said: &str) -> Option<Advice> {
    let named =
        |path: &&PathBuf| path.file_name().is_some_and(|name| stands_in(&name.to_string_lossy(), said));
    let mut names: Vec<String> = secret
        .iter()
        .filter(named)
        .map(|path| path.strip_prefix(root).unwrap_or(path).to_string_lossy().into_owned())
        .collect();
    if names.len() > MOST_NAMED {
        let rest = names.split_off(MOST_NAMED).len();
        names.push(format!("{rest} more"));
    }
    let last = names.pop()?;
    let (names, were, it) = match names.as_slice() {
        [] => (last, "was", "it"),
        others => (format!("{} and {last}", others.join(", ")), "were", "one"),
    };
    let told = |who: &str| {
        format!(
            "({names} {were} hidden from it, since {who} not asked about this command; a line that names {it} asks)"
        )
    };
    Some(Advice { model: told("the user was"), user: told("you were") })
}

/// Whether a file's name stands in a text by itself, and is not the end or the beginning of another (`process.env`).
fn stands_in(name: &str, text: &str) -> bool {
    let goes_on = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    text.match_indices(name).any(|(at, _)| {
        let (before, rest) = text.split_at(at);
        let mut after = rest.chars().skip(name.chars().count());
        let ends = match after.next() {
            // A full stop after it is none of the name's.
            Some('.') => !after.next().is_some_and(goes_on),
            Some(c) => !goes_on(c),
            None => true,
        };
        ends && !before.ends_with(|c: char| goes_on(c) || c == '.')
    })
}

/// Whether what was refused is a Unix socket.
fn is_unix_socket(said: &str) -> bool {
    let path = |word: &str| word.trim_matches(['\'', '"', '(', ')', ',']).starts_with('/');
    let named = |line: &str| {
        let any = |words: &[&str]| words.iter().any(|word| line.contains(word));
        any(&FORBIDDEN) && any(&BINDS) && line.split_whitespace().any(path)
    };
    UNIX.iter().any(|word| said.contains(word)) || said.lines().any(named)
}

/// The hint for a command that failed like this, if the sandbox may be the reason; who is `alone` has nobody to ask for more.
pub(super) fn hint(said: &str, confine: Confine, alone: bool) -> Option<Advice> {
    let Confine::Inside { write, network } = confine else { return None };
    let said = said.to_lowercase();
    let says = |words: &[&str]| words.iter().any(|w| said.contains(w));
    let offline = !network && says(&UNREACHED);
    let traced = says(&TRACED);
    let held = traced || says(&FORBIDDEN);
    if !offline && !held {
        return None;
    }
    let place = if write {
        "writes only in the workspace, listed caches and $TMPDIR"
    } else {
        "only reads, and writes $TMPDIR"
    };
    let local = !network && held && !traced && says(&SOCKETS);
    // Services of this machine stand behind such a socket, and no rule can tell one from another.
    let unix = held && !traced && is_unix_socket(&said);
    let net = match (network, local) {
        _ if unix => "can make and reach no Unix socket, with the network or without",
        (true, _) => "has the network",
        (false, true) => "has no network: local sockets are closed too",
        (false, false) => "has no network",
    };
    let mut ways = Vec::new();
    if !network && (offline || held) && !unix {
        ways.push("\"network\": true for the network");
    }
    if held {
        ways.push("\"outside\": true to run it outside the sandbox");
    }
    let trace = if traced { ", and no program traces another (leak checks, debuggers, strace)" } else { "" };
    let without = WITHOUT_SOCKET.iter().find(|(program, _)| unix && stands_in(program, &said));
    let without = without.map_or_else(String::new, |(_, way)| format!("{way} needs none; "));
    let why =
        format!("it ran in a sandbox, where it {place} and {net}{trace}; {without}if that is why it failed,");
    let model = if alone {
        format!("({why} {UNATTENDED})")
    } else {
        format!("({why} run it again with {} and a \"reason\": the user is asked)", ways.join(", or "))
    };
    Some(Advice { model, user: format!("({why} {OUTSIDE})") })
}

#[cfg(test)]
mod tests {
    use super::*;

    const INSIDE: Confine = Confine::Inside { write: true, network: false };

    #[test]
    fn a_hidden_file_is_told_where_its_name_stands_by_itself() {
        let root = Path::new("/w");
        let all: Vec<PathBuf> = [".env", "sub/id_rsa", ".npmrc", "a/.netrc", "b/auth.json"]
            .iter()
            .map(|n| root.join(n))
            .collect();
        let told = |said: &str| hidden(root, &all, said).map(|advice| advice.user);
        for said in
            ["process.env.X is not set", "see .envrc", "cp .env.example x", "my.env", "bad_id_rsa", ""]
        {
            assert_eq!(told(said), None, "{said}");
        }
        for said in ["cat: .env: No such device", "\"./.env\"", "there is no .env.", ".env", "open('x/.env')"]
        {
            let text = told(said).unwrap_or_default();
            assert!(text.starts_with("(.env was hidden from it, since you were not"), "{said}: {text}");
        }
        let text = told("id_rsa .env").unwrap_or_default();
        assert!(
            text.starts_with("(.env and sub/id_rsa were hidden") && text.contains("names one asks"),
            "{text}"
        );
        let text = told("id_rsa .env .npmrc .netrc auth.json").unwrap_or_default();
        assert!(text.starts_with("(.env, sub/id_rsa, .npmrc and 2 more were hidden"), "{text}");
    }

    #[test]
    fn a_refusal_tells_how_to_ask_and_nothing_else_does() {
        let model = |said: &str| hint(said, INSIDE, false).map(|a| a.model).unwrap_or_default();
        let unreached = model("fatal: unable to access: Could not resolve host: x");
        assert!(
            unreached.contains("\"network\": true") && !unreached.contains("outside\": true"),
            "{unreached}"
        );
        let held = model("touch: cannot touch '/x': Permission denied");
        assert!(held.contains("\"outside\": true"), "{held}");
        // A user has no arguments to give.
        let user = hint("touch: cannot touch '/x': Permission denied", INSIDE, false)
            .map(|a| a.user)
            .unwrap_or_default();
        assert!(user.contains("`!!`") && !user.contains("\": true"), "{user}");
        assert_eq!(hint("error: expected `;`", INSIDE, false), None);
        assert_eq!(hint("Permission denied", Confine::Bare, false), None);
        assert_eq!(hint("Permission denied", Confine::Outside, false), None);
        let pip = "ERROR: No matching distribution found for requests";
        assert!(model(pip).contains("\"network\": true"));
        let socket = "s = socket.socket()\nPermissionError: [Errno 1] Operation not permitted";
        assert!(model(socket).contains("local sockets are closed too"));
        // With the network a Unix socket stays closed.
        let unix =
            "Error: listen EPERM: operation not permitted /tmp/x-zf0BTw/tsx-0/14.pipe\n  at npx tsx main.ts";
        let told = model(unix);
        assert!(told.contains("no Unix socket") && told.contains("\"outside\": true"), "{told}");
        assert!(!told.contains("\"network\": true") && told.contains("node --import tsx"), "{told}");
        let python = "socket.socket(socket.AF_UNIX)\nPermissionError: [Errno 1] Operation not permitted";
        assert!(!model(python).contains("\"network\": true") && !model(python).contains("tsx"));
        let leaks = "==7==LeakSanitizer has encountered a fatal error.\n==7==HINT: LeakSanitizer does not work under ptrace (strace, gdb, etc)";
        let leaks = hint(leaks, INSIDE, false).map(|a| (a.model, a.user)).unwrap_or_default();
        assert!(
            leaks.0.contains("no program traces another") && leaks.0.contains("\"outside\": true"),
            "{leaks:?}"
        );
        assert!(leaks.1.contains("no program traces another") && leaks.1.contains("`!!`"), "{leaks:?}");
        let open = Confine::Inside { write: true, network: true };
        assert_eq!(hint("Could not resolve host: x", open, false), None);
    }

    #[test]
    fn nobody_is_named_who_could_be_asked_where_nobody_is_there() {
        let model =
            |alone| hint("touch: Permission denied", INSIDE, alone).map(|a| a.model).unwrap_or_default();
        let (told, with) = (model(true), model(false));
        assert!(
            told.contains("nobody is there") && !told.contains("is asked") && !told.contains("true"),
            "{told}"
        );
        assert!(with.contains("the user is asked") && !with.contains("nobody"), "{with}");
    }
}
