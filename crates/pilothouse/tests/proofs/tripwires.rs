//! A project full of tripwires, opened in every way there is: nothing in it runs before it is trusted,
//! what is meant to run does afterwards, and nothing else ever does.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, missing_docs)]

use crate::support;
mod unasked;

use std::{
    collections::BTreeSet,
    fs,
    os::unix::fs::PermissionsExt,
    path::Path,
    process::{Command, Stdio},
};

use serde_json::json;
use support::{
    alone::{finish, not_run, tell},
    editor::Editor,
    server::{Server, Turn},
    traps::{MEANT, Traps},
    *,
};

const RENAME: &str = "rename find_notes to search_notes";
/// The seven ways, and the same in a sub-folder and in a worktree.
const MODES: [&str; 9] =
    ["screen", "headless", "resume", "editor", "sessions", "doctor", "help", "sub-folder", "worktree"];

/// Opens the project in one way; the search path leads into it. What is `wanted` is waited for.
#[expect(clippy::too_many_lines, reason = "one way to open it after the other")]
fn open(traps: &Traps, mode: &str, wanted: &[&str]) {
    let project = if mode == "worktree" { &traps.worktree } else { traps.path() };
    let (path, relative) = (Traps::search_path(project), Traps::relative_path());
    let along = |path: &str, args: &[&str]| {
        let mut command = traps.desk.command(args);
        command.env("PATH", path);
        finish(command)
    };
    let quiet = |args: &[&str]| along(&path, args);
    let screen_along = |path: &str, args: &[&str], lines: &[(&str, &str)]| {
        let mut terminal = Terminal::open(&traps.desk, args, &[("PATH", path), ("EDITOR", "wire-editor")]);
        terminal.see("[EXPLORE] idle");
        for (say, see) in lines {
            terminal.say(say);
            terminal.see(see);
        }
        if path == relative {
            // There is no such editor but in the project's own folders.
            terminal.keys("\x07");
            terminal.see("wire-editor ended with");
        }
        terminal.until("the hooks to run", |_| wanted.iter().all(|w| traps.fired.join(w).exists()));
        // A hook may still be ending: leaving would ask about it.
        terminal.kill();
    };
    let screen = |args: &[&str], lines: &[(&str, &str)]| screen_along(&path, args, lines);
    match mode {
        "screen" => {
            screen(&["."], &[("where is Store?", "src/store.rs")]);
            screen_along(&relative, &["."], &[("!sh wire.sh", "exit 0")]);
        }
        "headless" => {
            quiet(&["run", "where is Store?"]);
            assert_eq!(quiet(&["run", RENAME, "--auto-confirm"]).exit, 0);
            assert_eq!(quiet(&["undo"]).exit, 0);
            along(&relative, &["run", "!sh wire.sh"]);
            let runs = json!({"command": "sh widened.sh"});
            let server = Server::start(vec![Turn::Say("", vec![("run", runs)]), Turn::Say("done", vec![])]);
            let mut asks = traps.desk.with_model(&server.base, &["run", "run the script widened.sh"]);
            asks.env("PATH", &relative);
            assert_eq!(finish(asks).exit, 3, "a project's rule allows nothing");
        }
        "editor" => {
            for path in [&path, &relative] {
                in_an_editor(traps, path, wanted);
            }
        }
        "resume" => screen(&["resume", "--last"], &[("where is find_notes?", "src/search.rs:")]),
        "sessions" => {
            for args in [["sessions", "list"], ["sessions", "verify"], ["permissions", "list"]] {
                quiet(&args);
            }
        }
        "doctor" => drop(quiet(&["doctor"])),
        "help" => {
            for args in
                [["--help", "--color=never"], ["config", "show"], ["config", "validate"], ["trust", "--show"]]
            {
                quiet(&args);
            }
        }
        "sub-folder" => {
            for folder in ["nested", "docs/manual"] {
                quiet(&["doctor", "--dir", folder]);
                quiet(&["run", "where is Store?", "--dir", folder]);
                screen(&[folder], &[]);
            }
        }
        "worktree" => {
            let folder = traps.worktree.to_str().unwrap();
            quiet(&["doctor", "--dir", folder]);
            quiet(&["run", RENAME, "--auto-confirm", "--dir", folder]);
            screen(&[folder], &[]);
        }
        other => panic!("{other}"),
    }
}

/// Opens the project in an editor: a question, a rename that is clicked through and taken back, its files linked, the
/// session closed and opened again.
fn in_an_editor(traps: &Traps, path: &str, wanted: &[&str]) {
    let mut command = traps.desk.command(&["acp"]);
    command.env("PATH", path);
    let mut editor = Editor::of(command);
    editor.call("initialize", &json!({"protocolVersion": 1}));
    let session = editor.sits(traps.path());
    let link = |name: &str| json!({"type": "resource_link", "uri": format!("file://{}/{name}", traps.path().display()), "name": name});
    let prompt = json!([{"type": "text", "text": "where is Store?"}, link("wire.sh"), link(".envrc"), link("AGENTS.md")]);
    editor.begin("session/prompt", &json!({"sessionId": session, "prompt": prompt}));
    // Whether to trust the folder stays open.
    let asked = editor.until(|m| m["result"]["stopReason"].is_string() || m["params"]["options"].is_array());
    if asked["id"].is_u64() {
        editor.dismiss(&asked);
        editor.until(|m| m["result"]["stopReason"].is_string());
    }
    editor.clicks(&session, RENAME, "allow_once");
    while !editor.texts("agent_message_chunk").contains("no applied change") {
        editor.clicks(&session, "/undo", "allow_once");
    }
    editor.call("session/close", &json!({ "sessionId": session }));
    let again = json!({"sessionId": session, "cwd": traps.path(), "mcpServers": [
        {"name": "theirs", "command": traps.path().join("bin/cat"), "args": [], "env": []},
    ]});
    assert!(editor.call("session/load", &again)["result"].is_object());
    editor.wait("the hooks to run", || wanted.iter().all(|w| traps.fired.join(w).exists()));
    editor.leave();
}

#[test]
fn nothing_of_a_project_runs_before_trust_and_only_what_is_meant_to_after_it() {
    let traps = Traps::new();
    assert!(traps.wires.len() >= 30, "{} wires", traps.wires.len());
    let sandboxed = traps.desk.sandbox().is_some();
    let (mut checked, mut violations) = (0, 0);
    let mut count = |state: &str, mode: &str, tripped: &BTreeSet<String>, allowed: &[&str]| {
        checked += traps.wires.len();
        for name in tripped.iter().filter(|n| !allowed.contains(&n.as_str())) {
            violations += 1;
            tell(&format!("{state}, {mode}: {name} ran"));
        }
    };
    assert_eq!(traps.tripped(), BTreeSet::new(), "a wire was tripped while the project was made");
    for mode in MODES {
        open(&traps, mode, &[]);
        count("untrusted", mode, &traps.tripped(), &[]);
    }
    let config = || traps.desk.go(&["config", "show"]).with(0).out;
    assert!(!config().contains("3 messages"), "settings have no effect: {}", config());
    let shown = traps.desk.go(&["trust", "--show"]).with(0);
    let hash = shown.out.lines().find_map(|l| l.strip_prefix("hash ")).unwrap().to_owned();
    traps.desk.go(&["trust", "--hash", &hash]).with(0);
    assert!(config().contains("3 messages"), "settings have effect: {}", config());
    let mut ran = BTreeSet::new();
    for mode in MODES {
        let wanted: &[&str] = match mode {
            "screen" => &["hook-session", "hook-turn"],
            "headless" => &["hook-session", "hook-turn", "hook-transition", "hook-inline"],
            "editor" => &["hook-session", "hook-turn", "hook-transition"],
            "resume" => &["hook-session"],
            _ => &[],
        };
        open(&traps, mode, wanted);
        let tripped = traps.tripped();
        count("trusted", mode, &tripped, &MEANT);
        for name in wanted {
            assert!(tripped.contains(*name), "{mode}: {name} did not run, only {tripped:?}");
        }
        if wanted.is_empty() {
            assert_eq!(tripped, BTreeSet::new(), "{mode}: trust is for one folder, and opens no session");
        }
        ran.extend(tripped);
    }
    if sandboxed {
        assert!(ran.contains("dotenv-value"), "no command got the variable: {ran:?}");
    } else {
        not_run("no sandbox here, so every command asks: whether one gets a variable of .env was not tried");
    }
    tell(&format!(
        "checked={checked} violations={violations} wires={} modes={}",
        traps.wires.len(),
        MODES.len()
    ));
    assert_eq!(violations, 0);
    armed(&traps);
}

/// The same project, used by a person who knows nothing: the wires are live, so the test proves something.
fn armed(traps: &Traps) {
    let shell = |folder: &Path, line: &str| {
        let mut sh = Command::new("/bin/bash");
        sh.args(["-c", line]).current_dir(folder).env("GIT_CONFIG_GLOBAL", "/dev/null");
        sh.env("GIT_AUTHOR_NAME", "x").env("GIT_AUTHOR_EMAIL", "x").env("GIT_COMMITTER_NAME", "x");
        sh.env("GIT_COMMITTER_EMAIL", "x").stdin(Stdio::null());
        drop(sh.output().unwrap());
    };
    let root = traps.path();
    shell(
        root,
        "git status; git diff; git diff --no-ext-diff; git st; git checkout -q -b other; git commit -qam x",
    );
    shell(
        root,
        "sh .envrc; sh widened.sh; TRIPWIRE=yes sh wire.sh; ./hooks/hook-session; ./git; python3 conftest.py",
    );
    shell(&root.join("nested"), "git status");
    shell(&root.join("docs/manual"), "git add ../../README.md; git status");
    shell(&traps.worktree, "git status");
    let tripped = traps.tripped();
    for name in [
        "git-core-fsmonitor",
        "git-diff-external",
        "git-filter-wire-clean",
        "git-filter-line-process",
        "git-include-path",
        "git-diff-wire-textconv",
        "git-alias",
        "git-hook-post-checkout",
        "git-hook-pre-commit",
        "nested-fsmonitor",
        "bare-fsmonitor",
        "worktree-fsmonitor",
        "envrc",
        "widened-rule",
        "dotenv-value",
        "hook-session",
        "path-dot-git",
    ] {
        assert!(tripped.contains(name), "{name} is no wire at all; {tripped:?}");
    }
}

/// What every call of git must carry.
const HARDENED: [&str; 12] = [
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.pager=cat",
    "core.sshCommand=false",
    "core.askPass=",
    "credential.helper=",
    "diff.external=",
    "gpg.program=false",
    "protocol.allow=never",
    "safe.bareRepository=explicit",
    "submodule.recurse=false",
    "gc.auto=0",
];

#[test]
#[expect(clippy::too_many_lines, reason = "a story, told in its order")]
fn every_call_of_git_by_the_program_itself_carries_the_hardening() {
    let desk = Desk::new();
    let real = std::env::split_paths(&std::env::var_os("PATH").unwrap())
        .map(|p| p.join("git"))
        .find(|p| p.is_file());
    let Some(real) = real else {
        return not_run(
            "git is not installed; install it, then run `cargo test -p pilothouse --test proofs tripwires`",
        );
    };
    let (bin, calls) = (desk.home.path().join("shim"), desk.home.path().join("calls"));
    fs::create_dir(&bin).unwrap();
    fs::create_dir(&calls).unwrap();
    let text = format!(
        "#!/bin/sh\n{{ for a in \"$@\"; do printf 'arg %s\\n' \"$a\"; done; env | sed 's/^/env /'; }} > '{0}/.'$$ && mv '{0}/.'$$ '{0}/'$$\nexec '{1}' \"$@\"\n",
        calls.display(),
        real.display()
    );
    fs::write(bin.join("git"), text).unwrap();
    fs::set_permissions(bin.join("git"), fs::Permissions::from_mode(0o755)).unwrap();
    support::traps::git(desk.path(), &["init", "-q", "-b", "main"]);
    support::traps::git(desk.path(), &["add", "."]);
    support::traps::git(desk.path(), &["commit", "-qm", "x"]);
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let hostile = [("GIT_SSH_COMMAND", "touch x"), ("GIT_EXTERNAL_DIFF", "touch x"), ("GIT_DIR", "/nowhere")];
    let go = |args: &[&str]| {
        let mut command = desk.command(args);
        command.env("PATH", &path).envs(hostile);
        finish(command).with(0);
    };
    let mut extra = vec![("PATH", path.as_str())];
    extra.extend(hostile);
    let mut terminal = Terminal::open(&desk, &["."], &extra);
    terminal.see(" main ");
    terminal.keys("\x18q");
    terminal.end();
    for args in [["run", RENAME, "--auto-confirm"].as_slice(), &["undo"], &["sessions", "list"], &["doctor"]]
    {
        go(args);
    }
    let (mut checked, mut violations) = (0, 0);
    // A call that was ended before it could be written down has no name yet.
    let written = |e: &fs::DirEntry| !e.file_name().to_string_lossy().starts_with('.');
    for call in fs::read_dir(&calls).unwrap().flatten().filter(written) {
        let text = fs::read_to_string(call.path()).unwrap();
        let has = |line: &str| text.lines().any(|l| l == line);
        let mut wanted: Vec<String> = HARDENED.iter().map(|s| format!("arg {s}")).collect();
        wanted.extend(
            ["arg --no-optional-locks", "arg --no-pager", "arg --no-replace-objects"].map(String::from),
        );
        wanted.extend(
            [
                "GIT_TERMINAL_PROMPT=0",
                "GIT_OPTIONAL_LOCKS=0",
                "GIT_ALLOW_PROTOCOL=none",
                "GIT_NO_LAZY_FETCH=1",
            ]
            .map(|e| format!("env {e}")),
        );
        let lacks: Vec<&String> = wanted.iter().filter(|w| !has(w)).collect();
        let leaks = hostile.iter().any(|(name, _)| text.contains(&format!("env {name}=")));
        let counted = text.contains("env GIT_CONFIG_COUNT=");
        checked += 1;
        if !lacks.is_empty() || leaks || !counted {
            violations += 1;
            tell(&format!("lacks {lacks:?}, leaks: {leaks}\n{text}"));
        }
    }
    tell(&format!("checked={checked} violations={violations}"));
    assert!(checked >= 4, "only {checked} calls were seen");
    assert_eq!(violations, 0);
}
