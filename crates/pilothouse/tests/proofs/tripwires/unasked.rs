//! Commands that nobody is asked about, in a project full of tripwires: what their words mean is what runs.

use serde_json::{Value, json};

use super::{
    fs,
    support::{
        Desk,
        alone::{finish, not_run, tell},
        server::{Server, Turn},
        traps::Traps,
    },
};

/// How a run ended in which the model ran these lines, one a reply, and what it was told of them.
fn told(desk: &Desk, path: &str, lines: &[&str], ceiling: &str) -> (i32, String) {
    desk.configure(&format!("[session]\npermission = \"{ceiling}\"\n"));
    let leak = |line: &&str| -> Turn { Turn::Say("", vec![("run", json!({"command": *line}))]) };
    let mut script: Vec<Turn> = lines.iter().map(leak).collect();
    script.push(Turn::Say("done", vec![]));
    let server = Server::start(script);
    let mut command = desk.with_model(&server.base, &["run", "where is Store?"]);
    command.env("PATH", path);
    let ended = finish(command);
    let results = |r: &Value| -> Vec<String> {
        let messages = r["messages"].as_array().cloned().unwrap_or_default();
        let tools = messages.into_iter().filter(|m| m["role"] == "tool");
        tools.map(|m| m["content"].to_string()).collect()
    };
    let said: Vec<String> = server.requests().last().map(results).unwrap_or_default();
    (ended.exit, format!("{}\n{}{}", said.join("\n"), ended.out, ended.err))
}

/// A program that says its name wherever it runs, and where it can leaves it.
fn shout(traps: &Traps, at: &str, name: &str) -> String {
    let place = traps.path().join(at);
    fs::create_dir_all(place.parent().unwrap()).unwrap();
    let mark = traps.fired.join(name).display().to_string();
    fs::write(&place, format!("#!/bin/sh\n: 2>/dev/null > '{mark}'\necho TRIPPED-{name} >&2\nexec cat\n"))
        .unwrap();
    fs::set_permissions(&place, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    place.display().to_string()
}

/// Lines that only read, all of which git's settings would make run something.
const READS: [&str; 12] = [
    "git status",
    "git diff --no-ext-diff HEAD",
    "git log -p --no-ext-diff",
    "git show",
    "git blame traps/a.text",
    "git diff --stat --no-ext-diff",
    "git ls-files -m",
    "git describe --dirty --always",
    "git grep --textconv x",
    "git cat-file --filters HEAD:traps/a.clean",
    "cd nested; git status",
    "cd docs/manual; git status",
];

#[test]
fn what_git_is_told_by_an_untrusted_project_runs_nothing_unasked() {
    let traps = Traps::new();
    if traps.desk.sandbox().is_none() {
        return not_run("no sandbox here, so every command asks");
    }
    for (key, name) in [
        ("core.fsmonitor", "monitor"),
        ("filter.wire.clean", "clean"),
        ("filter.wire.smudge", "smudge"),
        ("diff.wire.textconv", "textconv"),
        ("filter.line.process", "process"),
    ] {
        let program = shout(&traps, &format!("shouts/{name}"), name);
        super::support::traps::git(
            traps.path(),
            &["-c", "core.hooksPath=/dev/null", "config", key, &program],
        );
    }
    let path = std::env::var("PATH").unwrap();
    traps.tripped();
    let (mut checked, mut violations) = (0, 0);
    for mode in ["ask", "auto"] {
        for line in READS {
            let (exit, said) = told(&traps.desk, &path, &[line], mode);
            checked += 1;
            if said.contains("TRIPPED") || !traps.tripped().is_empty() {
                violations += 1;
                tell(&format!("{line} {mode} ended with {exit}: {said}"));
            }
        }
        let (exit, said) = told(&traps.desk, &path, &["git diff"], mode);
        checked += 1;
        assert_eq!(exit, 3, "a program for diffs is asked about: {said}");
    }
    let asked = traps.desk.go(&["run", "what changed?"]);
    assert!(!asked.out.contains("TRIPPED") && traps.tripped().is_empty(), "{}", asked.out);
    tell(&format!("checked={} violations={violations}", checked + 1));
    assert_eq!(violations, 0);
}

#[test]
fn a_program_of_the_project_is_never_taken_for_a_known_one() {
    let traps = Traps::new();
    if traps.desk.sandbox().is_none() {
        return not_run("no sandbox here, so every command asks");
    }
    for program in ["ls", "cat", "head", "wc"] {
        shout(&traps, &format!("bin/{program}"), program);
    }
    let usual = std::env::var("PATH").unwrap();
    let (mut checked, mut violations) = (0, 0);
    for trusted in [false, true] {
        if trusted {
            let shown = traps.desk.go(&["trust", "--show"]).with(0);
            let hash = shown.out.lines().find_map(|l| l.strip_prefix("hash ")).unwrap().to_owned();
            traps.desk.go(&["trust", "--hash", &hash]).with(0);
        }
        for mode in ["ask", "auto"] {
            for line in ["ls", "cat README.md | head -1", "echo $(ls)", "env ls", "wc -l README.md"] {
                let first = format!("{}:{usual}", traps.path().join("bin").display());
                let (exit, said) = told(&traps.desk, &first, &[line], mode);
                checked += 1;
                if exit != 3 || said.contains("TRIPPED") {
                    violations += 1;
                    tell(&format!("{line} {mode}, trusted {trusted}, ended with {exit}: {said}"));
                }
            }
        }
    }
    let (exit, said) = told(&traps.desk, &Traps::relative_path(), &["ls README.md"], "ask");
    assert!(exit == 0 && said.contains("README.md") && !said.contains("TRIPPED"), "{exit}: {said}");
    tell(&format!("checked={checked} violations={violations}"));
    assert_eq!(violations, 0);
}
