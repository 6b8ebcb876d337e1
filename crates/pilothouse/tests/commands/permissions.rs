//! `pilothouse permissions`: the rules, what they decide and why, what a new one would have done.
#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used, clippy::indexing_slicing)]

use crate::support;
use std::fs;

use serde_json::{Value, json};
use support::{
    Desk, Terminal,
    alone::not_run,
    server::{Server, Turn},
};

fn explained(desk: &Desk, args: &[&str]) -> Value {
    let all: Vec<&str> = ["permissions", "explain", "--json"].iter().chain(args).copied().collect();
    let (code, out, err) = desk.run(&all);
    assert_eq!(code, 0, "{err}");
    serde_json::from_str(&out).unwrap()
}

#[test]
fn an_explanation_names_the_rule_its_place_what_nearly_matched_and_what_would_turn_it_round() {
    let desk = Desk::new();
    fs::write(
        desk.home.path().join("permissions.toml"),
        "[[deny]]\nread = \"secrets/**\"\n\n[[allow]]\ncommand = \"just test\"\n",
    )
    .unwrap();
    let asked = explained(&desk, &["just draw"]);
    assert_eq!((&asked["outcome"], &asked["now"]), (&json!("ask"), &json!("asks")));
    assert!(asked["risk"].as_str().unwrap().starts_with("medium"));
    assert!(
        asked["near"]
            .as_str()
            .unwrap()
            .contains("`allow command just test` (~/permissions.toml:5) wants `test`")
    );
    assert_eq!(asked["change"], "pilothouse permissions add 'allow command just draw'");
    let runs = explained(&desk, &["just test -q"]);
    assert_eq!(runs["outcome"], "run");
    assert!(runs["rule"].as_str().unwrap().contains("(~/permissions.toml:5)"));
    for call in
        ["cat secrets/key", "read secrets/key", "sh -c 'cd secrets; cat key'", "read src/../secrets/key"]
    {
        let refused = explained(&desk, &["--mode", "auto", call]);
        assert_eq!(refused["outcome"], "refuse", "{call}");
        assert_eq!(refused["rule"], "deny read secrets/** (~/permissions.toml:2)");
        assert_eq!(refused["change"], "take out ~/permissions.toml:2");
    }
    let high = explained(&desk, &["--mode", "auto", "git push --force"]);
    assert!(high["change"].as_str().unwrap().starts_with("none: high risk"));
    let (code, out, _) = desk.run(&["permissions", "explain", "cargo add serde"]);
    assert!(
        code == 0 && out.contains("change   pilothouse permissions add 'allow command cargo add'"),
        "{out}"
    );
}

#[test]
fn an_explanation_says_what_auto_mode_and_a_gate_make_of_the_same_line() {
    let desk = Desk::new();
    let told = |args: &[&str], row: &str| explained(&desk, args)[row].as_str().map(str::to_owned);
    if desk.sandbox().is_none() {
        return not_run("this machine has no sandbox, and without one every command asks");
    }
    let auto = told(&["pytest -q"], "auto").unwrap();
    assert!(auto.starts_with("in auto mode, as with run --auto-confirm, it runs without asking"), "{auto}");
    let gate = told(&["--mode", "auto", "pytest -q"], "gate").unwrap();
    assert!(gate.starts_with("as a gate it asks: a gate runs the project's own code"), "{gate}");
    assert_eq!(told(&["--mode", "auto", "pytest -q"], "auto"), None);
    assert_eq!(told(&["git push --force"], "auto"), None, "it asks in both");
}

#[test]
fn every_rule_is_listed_with_its_place_and_a_mistake_with_line_and_column() {
    let desk = Desk::new();
    fs::create_dir(desk.path().join(".pilothouse")).unwrap();
    fs::write(
        desk.path().join(".pilothouse/permissions.toml"),
        "[[allow]]\ncommand = \"npm test\"\n[[ask]]\ncommand = \"make\"\n",
    )
    .unwrap();
    let (code, out, err) = desk.run(&["permissions", "list", "--json"]);
    assert_eq!(code, 0);
    let rules: Vec<Value> = out.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    let projects: Vec<_> = rules.iter().filter(|r| r["source"] == "project").map(|r| &r["rule"]).collect();
    assert_eq!(projects, [&json!("ask command make")]);
    assert!(err.contains(".pilothouse/permissions.toml:2") && err.contains("never allow"), "{err}");
    assert!(rules.iter().filter(|r| r["source"] == "built_in").count() > 100);
    fs::write(desk.home.path().join("permissions.toml"), "[[allow]]\ncommand = [\"git\", \"cargo doc\"]\n")
        .unwrap();
    let (_, out, _) = desk.run(&["permissions", "list"]);
    let line = |rule: &str| out.lines().find(|l| l.starts_with(rule)).unwrap().to_owned();
    assert!(line("allow command git ").contains("broad: it stands for every sub-command"), "{out}");
    assert!(!line("allow command cargo doc ").contains("broad"), "{out}");
    let (code, _, err) = desk.run(&["permissions", "add", "allow command a; b"]);
    assert!(code == 2 && err.contains("column 16"), "{err}");
    fs::write(desk.home.path().join("permissions.toml"), "[[deny]]\nread = \"[x]\"\n").unwrap();
    for args in [&["permissions", "list"][..], &["permissions", "explain", "ls"]] {
        let (code, _, err) = desk.run(args);
        assert!(code == 2 && err.contains("permissions.toml:2:9"), "{err}");
    }
}

#[test]
fn a_rule_that_can_allow_nothing_says_so_when_it_is_added_and_when_files_are_checked() {
    let desk = Desk::new();
    for (rule, why) in [
        ("allow command rm", "a removal always asks"),
        ("allow command git push --force", "high risk always asks"),
    ] {
        let (code, _, err) = desk.run(&["permissions", "add", rule]);
        assert!(code == 0 && err.contains("it has no effect: ") && err.contains(why), "{rule}: {err}");
    }
    for rule in ["allow command cargo doc", "deny command rm", "ask command git push --force"] {
        let (code, _, err) = desk.run(&["permissions", "add", rule]);
        assert!(code == 0 && !err.contains("no effect"), "{rule}: {err}");
    }
    let (code, out, err) = desk.run(&["validate"]);
    let told = format!("{out}{err}");
    assert_eq!(code, 2, "{told}");
    assert_eq!(told.matches("has no effect").count(), 2, "{told}");
    assert!(
        told.contains("permissions.toml:3:1") && told.contains("`allow command rm` has no effect"),
        "{told}"
    );
}

#[test]
fn a_rehearsal_says_what_a_rule_would_have_let_through_and_warns_of_what_it_names() {
    let desk = Desk::new();
    for command in ["cargo add serde", "cargo add serde", "git push --force", "git pull"] {
        let server = Server::start(vec![Turn::Say("", vec![("run", json!({"command": command}))])]);
        desk.ask(&server.base, &["run", "run it"]).with(3);
    }
    let (code, out, _) = desk.run(&["permissions", "rehearse", "allow command cargo add"]);
    assert_eq!(code, 0, "{out}");
    assert!(out.contains("2 times") && out.contains("medium  cargo add serde"), "{out}");
    let (code, out, _) = desk.run(&["permissions", "rehearse", "allow command git", "--json"]);
    let found: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, &found["advisable"]), (1, &json!(false)), "{out}");
    assert_eq!(found["rehearsal"]["held"][0]["line"], "git push --force");
    assert_eq!(found["rehearsal"]["through"][0]["line"], "git pull");
    let (_, out, _) = desk.run(&["permissions", "rehearse", "deny command git pull"]);
    assert!(out.contains("asked about or denied") && out.contains("git pull"), "{out}");
    let (code, _, err) = desk.run(&["permissions", "add", "allow command cargo add"]);
    assert!(code == 0 && err.contains("permissions.toml"), "{err}");
    let (_, out, _) = desk.run(&["permissions", "rehearse", "allow command cargo add"]);
    assert!(out.contains("saved you a question"), "{out}");
}

const APPROVALS: &str = "\x18a";

/// The workbench, its model about to want these commands, one after the other, from a question.
fn wanting(desk: &Desk, commands: &[&str]) -> (Terminal, Server) {
    let run = |command: &&str| Turn::Say("", vec![("run", json!({ "command": command }))]);
    let turns = commands.iter().map(run).chain([Turn::Say("All done.", vec![])]).collect();
    let server = Server::start(turns);
    let model = [("PILOTHOUSE_BASE_URL", server.base.as_str()), ("PILOTHOUSE_MODEL", "desk")];
    let mut terminal = Terminal::open(desk, &["."], &model);
    terminal.see("[EXPLORE] idle");
    terminal.say("where is main?");
    terminal.see("1 waiting");
    terminal.keys(APPROVALS);
    terminal.see("Approvals");
    (terminal, server)
}

#[test]
fn a_rule_for_good_is_previewed_kept_below_what_stands_there_and_spares_the_next_question() {
    let desk = Desk::empty();
    if desk.sandbox().is_none() {
        return not_run("this machine has no sandbox, and without one no rule allows anything");
    }
    let file = desk.home.path().join("permissions.toml");
    fs::write(&file, "# my own rules\n[[deny]]\nread = \"secrets/**\"  # never\n").unwrap();
    let (mut terminal, _server) = wanting(&desk, &["mkdir one", "mkdir two"]);
    terminal.see("allow command mkdir");
    terminal.decide("p");
    terminal.see("Permanent rule");
    terminal.see("1 past command in this folder checked");
    assert!(!fs::read_to_string(&file).unwrap().contains("mkdir"), "nothing is kept before the second yes");
    terminal.decide("y");
    terminal.gone("Permanent rule");
    terminal.see("All done.");
    assert!(desk.path().join("one").is_dir() && desk.path().join("two").is_dir(), "the next ran unasked");
    let kept = fs::read_to_string(&file).unwrap();
    assert!(kept.starts_with("# my own rules\n[[deny]]\nread = \"secrets/**\"  # never\n"), "{kept}");
    assert!(kept.contains("[[allow]]\ncommand = \"mkdir\""), "{kept}");
    terminal.keys("\x03\x03");
    assert_eq!(terminal.end(), 0);
    let why = explained(&desk, &["mkdir three"]);
    assert_eq!(
        (&why["outcome"], why["rule"].as_str().unwrap().contains("allow command mkdir")),
        (&json!("run"), true)
    );
}

#[test]
fn what_changes_between_the_look_and_the_yes_is_asked_about_again() {
    for link in [false, true] {
        let desk = Desk::empty();
        let script = desk.path().join("check.sh");
        fs::write(&script, "echo first >> ran\n").unwrap();
        fs::write(desk.path().join("other.sh"), "echo other >> ran\n").unwrap();
        let (mut terminal, _server) = wanting(&desk, &["sh check.sh"]);
        // Until then nothing was looked at that a yes would be bound to.
        terminal.see("program  sh: ");
        if link {
            fs::remove_file(&script).unwrap();
            std::os::unix::fs::symlink(desk.path().join("other.sh"), &script).unwrap();
        } else {
            fs::write(&script, "echo second >> ran\n").unwrap();
        }
        terminal.decide("y");
        // It waited no more, so the list closed; now it waits again.
        terminal.gone("program  sh: ");
        terminal.see("Run this command?");
        terminal.keys("\x18a");
        let screen = terminal.see("since you allowed it:");
        assert!(screen.contains("changed"), "{screen}");
        assert!(!desk.path().join("ran").exists(), "nothing was done");
        terminal.see("program  sh: ");
        terminal.decide("y");
        terminal.gone("since you allowed it");
        terminal.see("All done.");
        assert_eq!(desk.file("ran"), if link { "other\n" } else { "second\n" });
        terminal.keys("\x03\x03");
        assert_eq!(terminal.end(), 0);
    }
}

#[test]
fn headless_and_explain_say_the_same_of_a_command() {
    let desk = Desk::empty();
    for (command, network, outside) in [
        ("ls", false, false),
        ("mkdir one", false, false),
        ("ls", true, false),
        ("mkdir one", false, true),
        ("rm notes.txt", false, false),
        ("git push --force", false, false),
    ] {
        let args = json!({"command": command, "network": network, "outside": outside});
        let server = Server::start(vec![Turn::Say("", vec![("run", args)]), Turn::Say("All done.", vec![])]);
        let flags: Vec<&str> =
            [(network, "--network"), (outside, "--outside")].iter().filter(|f| f.0).map(|f| f.1).collect();
        let why = explained(&desk, &[&[command][..], &flags].concat());
        let ended = desk.ask(&server.base, &["run", "run it", "--json"]);
        let asked = ended
            .events()
            .iter()
            .any(|e| e["type"] == "checkpoint_opened" && e["checkpoint"]["kind"]["kind"] == "risk");
        assert_eq!(why["outcome"] == "ask", asked, "{command} {flags:?}: {why}");
        let proposed = ended.events();
        let proposed = proposed.iter().find(|e| e["type"] == "command_proposed").unwrap();
        assert!(
            why["rule"].as_str().unwrap().starts_with(proposed["ruling"]["by"].as_str().unwrap()),
            "{why}"
        );
    }
}

/// A home folder with start-up files and keys, and the program's own folder where `own` says.
fn user_home() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("u");
    for folder in [".ssh", ".config/app", ".local/bin", "bin", "work"] {
        fs::create_dir_all(home.join(folder)).unwrap();
    }
    let files = [
        ".bashrc",
        ".profile",
        ".gitconfig",
        ".ssh/authorized_keys",
        ".ssh/mykey",
        ".config/app/rc",
        "bin/tool",
        "notes",
        "work/script.sh",
    ];
    for file in files {
        fs::write(home.join(file), "as before\n").unwrap();
    }
    fs::write(
        home.join("work/script.sh"),
        "echo x >> ~/.bashrc; echo x >> ../.profile; echo x >> .profile\n",
    )
    .unwrap();
    dir
}

/// What is done in a home folder, and where below it the workspace is.
fn acts() -> Vec<(&'static str, &'static str, Value)> {
    let command = |root, line: &str| (root, "run", json!({"command": line}));
    let mut all = vec![
        command("u", "echo x >> .ssh/authorized_keys"),
        command("u", "echo x >> .bashrc"),
        command("u", "printf x > ./work/../.zshrc"),
        command("u", "cd .ssh && echo x >> authorized_keys"),
        command("u", "echo x | tee -a .profile"),
        command("u", "sed -i s/as/was/ .profile"),
        command("u", "cp notes .bash_login"),
        command("u", "ln -sf notes .bashrc"),
        command("u", "mkdir -p .config/autostart"),
        command("u", "touch .config/app/new"),
        command("u", "dd if=notes of=.zprofile"),
        command("u", "git config --file .gitconfig core.pager evil"),
        command("u", "cp notes .local/bin/ls"),
        command("u", "cp notes bin/tool"),
        command("u", "sh work/script.sh"),
        command("u", "python3 -c 'open(\".bashrc\", \"a\").write(\"x\")'"),
        command("u", "mv notes .vimrc"),
        command("u", "echo x > notes"),
        command("u/.ssh", "echo x >> authorized_keys"),
        command("u/.ssh", "cp mykey authorized_keys"),
        command("u/.config", "echo x >> app/rc"),
        command("u/.config/app", "echo x >> rc"),
        command("u/bin", "echo x >> tool"),
        command(".", "echo x >> u/.bashrc"),
        command(".", "cd u && echo x >> .ssh/authorized_keys"),
    ];
    let write = |root, path: &str| (root, "write", json!({"path": path, "content": "x\n"}));
    all.extend([
        write("u", ".bash_profile"),
        write("u", "new.txt"),
        write("u", ".config/autostart/x.desktop"),
        write("u/.ssh", "rc"),
        write("u/.config", "app/new"),
        write(".", "u/.zshenv"),
    ]);
    all
}

fn tree(dir: &std::path::Path) -> std::collections::BTreeMap<std::path::PathBuf, Option<Vec<u8>>> {
    let mut found = std::collections::BTreeMap::new();
    let mut folders = vec![dir.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let kind = path.symlink_metadata().unwrap();
            if kind.is_dir() {
                folders.push(path.clone());
            }
            found.insert(path.clone(), kind.is_file().then(|| fs::read(&path).unwrap()));
        }
    }
    found
}

#[test]
fn in_a_home_folder_and_around_it_nothing_is_written_or_run_unasked() {
    let (mut checked, mut effects, mut asked) = (0, Vec::new(), Vec::new());
    for (root, tool, args) in acts() {
        let desk = Desk::empty();
        desk.configure("[session]\npermission = \"auto\"\n");
        fs::write(
            desk.home.path().join("permissions.toml"),
            "[[allow]]\ncommand = [\"echo\", \"sh\", \"cp\", \"printf\", \"python3\"]\n[[allow]]\nwrite = \"**\"\n",
        )
        .unwrap();
        let world = user_home();
        let before = tree(world.path());
        let what = format!("in {root}: {tool} {args}");
        let mut script = vec![Turn::Say("", vec![(tool, args)]), Turn::Say("Done.", vec![])];
        let goal = if tool == "run" {
            "run it"
        } else {
            let plan = support::alone::plan(&[("create", "x")]);
            script.insert(0, Turn::Say("", vec![("submit_plan", plan)]));
            "rename score to points_of"
        };
        let server = Server::start(script);
        let mut command = desk.with_model(&server.base, &["run", goal, "--auto-confirm"]);
        command.current_dir(world.path().join(root)).env("HOME", world.path().join("u"));
        let ended = support::alone::finish(command);
        checked += 1;
        if tree(world.path()) != before {
            effects.push(what);
        }
        asked.push(ended);
    }
    support::alone::tell(&format!("checked={checked} violations={}", effects.len()));
    assert!(effects.is_empty(), "{effects:#?}");
    for ended in asked {
        ended.with(3).tells(&["is not an ordinary project", "without asking"]);
    }
}

#[test]
fn a_folder_that_is_more_than_a_project_is_named_and_a_path_keeps_its_meaning_there() {
    let world = user_home();
    let home = world.path().join("u");
    let at = |desk: &Desk, root: &std::path::Path, args: &[&str]| {
        let mut command = desk.command(args);
        command.current_dir(root).env("HOME", &home);
        support::alone::finish(command)
    };
    let desk = Desk::empty();
    let own = desk.home.path().canonicalize().unwrap();
    fs::create_dir_all(own.join("state/x")).unwrap();
    let roots = [
        home.as_path(),
        &home.join(".ssh"),
        &home.join(".config/app"),
        world.path(),
        &own,
        &own.join("state/x"),
    ];
    for root in roots.into_iter().chain(["/", "/etc", "/usr", "/usr/bin"].map(std::path::Path::new)) {
        let found = at(&desk, root, &["doctor", "--json"]).events();
        let folder = found.iter().find(|c| c["check"] == "folder").unwrap();
        assert!(
            folder["ok"] == false && folder["notes"][1].as_str().unwrap().contains("asks here"),
            "{folder}"
        );
    }
    let found = at(&desk, &home.join("work"), &["doctor", "--json"]).events();
    assert!(found.iter().any(|c| c["check"] == "folder" && c["ok"] == true));
    for (root, call, risk) in [
        ("u", "echo x >> .bashrc", "high"),
        ("u", "cd .ssh; echo x > a", "high"),
        ("u", "cp notes bin/tool", "high"),
        ("u", "echo x > notes", "medium"),
        ("u/.ssh", "cat mykey", "high"),
        ("u/.ssh", "echo x >> authorized_keys", "high"),
        (".", "echo x >> u/.profile", "high"),
        ("u/work", "echo x > .bashrc", "medium"),
    ] {
        let said = at(
            &desk,
            &world.path().join(root),
            &["permissions", "explain", "--json", "--mode", "auto", call],
        );
        let said: Value = serde_json::from_str(&said.with(0).out).unwrap();
        assert!(said["risk"].as_str().unwrap().starts_with(risk), "{root} {call}: {said}");
        assert_eq!(said["outcome"], if root == "u/work" { "run" } else { "ask" }, "{root} {call}");
    }
    let read = at(&desk, &home.join(".ssh"), &["permissions", "explain", "--json", "read mykey"]);
    assert_eq!(serde_json::from_str::<Value>(&read.with(0).out).unwrap()["outcome"], "ask");
}
