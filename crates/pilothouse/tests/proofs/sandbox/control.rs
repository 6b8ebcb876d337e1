//! Control files stay as they are, whatever a command does to them.

use super::*;

/// What must not be written: in the workspace, there already or not.
pub(super) const TARGETS: [&str; 25] = [
    ".git/config",
    ".git/hooks/pre-commit",
    ".git/info/attributes",
    ".git/config.worktree",
    ".git/commondir",
    ".git/modules/lib/config",
    ".pilothouse/config.toml",
    ".pilothouse/permissions.toml",
    ".pilothouse/hooks.toml",
    "AGENTS.md",
    "CLAUDE.md",
    "GEMINI.md",
    ".cursorrules",
    ".cursor/rules/x.mdc",
    ".github/copilot-instructions.md",
    ".mcp.json",
    ".vscode/mcp.json",
    ".vscode/settings.json",
    ".claude/settings.json",
    ".husky/pre-push",
    ".envrc",
    ".gitmodules",
    "sub/AGENTS.md",
    "sub/.git/hooks/post-checkout",
    "deep/er/.Git/HOOKS/pre-commit",
];

/// Ways to write one, `$T` the target, `$P` its folder.
pub(super) const WAYS: [(&str, &str); 6] = [
    ("edit", "sed -i 's/.*/evil/' $T; printf evil | tee $T"),
    ("create", "mkdir -p $P; python3 -c \"open('$T','w').write('evil')\" || cp evil $T"),
    ("move onto", "mkdir -p $P; cp evil e2; mv -f e2 $T"),
    ("rename parent", "if [ $P != . ]; then mv $P moved; mkdir -p $P; fi; printf evil > $T"),
    ("link", "mkdir -p $P; rm -f $T; ln -sf \"$PWD/evil\" $T; rm -f $T; ln evil $T"),
    ("redirect", "mkdir -p $P; printf evil > $T; printf evil >> $T"),
];

#[test]
fn no_control_file_stays_written_by_any_way_in_any_sandbox() {
    let (mut checked, mut violations) = (0, 0);
    for desk in desks("") {
        for there in [false, true] {
            for (name, way) in WAYS {
                let dir = tempfile::tempdir().unwrap();
                let mut text = String::new();
                fs::write(dir.path().join("evil"), "evil").unwrap();
                for target in TARGETS {
                    let path = dir.path().join(target);
                    if there {
                        fs::create_dir_all(path.parent().unwrap()).unwrap();
                        fs::write(&path, "good").unwrap();
                    }
                    let folder = Path::new(target).parent().unwrap().to_str().unwrap();
                    let folder = if folder.is_empty() { "." } else { folder };
                    text.push_str(&format!("T='{target}'; P='{folder}'; ({way})\n"));
                }
                fs::write(dir.path().join("probe.sh"), format!("{text}exit 0\n")).unwrap();
                let root = dir.path().to_str().unwrap();
                let came = came(desk.command(&["run", "!bash probe.sh", "--json", "--dir", root]), name);
                for target in TARGETS {
                    checked += 1;
                    let now = fs::read_to_string(dir.path().join(target)).ok();
                    let wanted = there.then(|| "good".to_owned());
                    if now != wanted {
                        violations += 1;
                        support::alone::tell(&format!("{name} {target} (there: {there}): {now:?}"));
                    }
                }
                // What mounts hold is refused at once; what was written for a while makes it fail.
                let refused = came.text.contains("Read-only file system") && !came.failed;
                assert!(refused || came.failed, "{name}: it counts as failed: {}", came.text);
                assert!(refused || came.notices().contains("put back"), "{name}: {}", came.notices());
            }
        }
    }
    support::alone::tell(&format!("checked={checked} violations={violations}"));
    assert_eq!(violations, 0);
}

#[test]
fn a_command_that_changed_a_control_file_is_no_success_whatever_its_code_says() {
    for desk in desks("") {
        fs::write(desk.path().join("Makefile"), "test:\n\t-echo evil > CLAUDE.md\n\t-cat CLAUDE.md\n")
            .unwrap();
        let calls = vec![("run", json!({"command": "make test"}))];
        let server = Server::start(vec![Turn::Say("", calls), Turn::Say("The tests are green.", vec![])]);
        let ended = desk.ask(&server.base, &["run", "run the tests", "--trust"]).with(1);
        ended.tells(&["CLAUDE.md", "put back"]);
        assert!(!desk.path().join("CLAUDE.md").exists());
    }
}
