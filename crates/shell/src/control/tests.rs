//! Every name of the list, in every spelling and folder; and what only looks like one.

#![allow(clippy::unwrap_used, clippy::panic)]
use super::*;

fn of(path: &str) -> Option<Control> {
    control(path.split('/'))
}

#[test]
fn every_listed_name_is_one_in_any_folder_and_any_case() {
    assert!(CONTROLS.patterns.len() >= 62);
    let mut names: Vec<String> = patterns().map(|p| p.trim_start_matches("**/").to_owned()).collect();
    names.extend(CONTROLS.folders.keys().map(|f| format!("{f}/deep/x.json")));
    for git in ["config", "hooks/pre-commit", "hooks", "info/attributes", "commondir", "config.worktree"] {
        names.push(format!(".git/{git}"));
        names.push(format!(".git/modules/lib/dep/{git}"));
        names.push(format!(".git/worktrees/x/{git}"));
    }
    names.push(".git".to_owned());
    for name in names {
        for place in [name.clone(), format!("a/{name}"), format!("vendor/b c/{name}"), name.to_uppercase()] {
            let found = of(&place).unwrap_or_else(|| panic!("{place}"));
            assert!(!found.gits && !found.why.is_empty(), "{place}: {found:?}");
        }
    }
    assert!(of(".g\u{200c}it/config").is_some() && of("AGENTS\u{200b}.md").is_some());
}

#[test]
fn what_git_writes_itself_is_one_for_file_tools_only() {
    for name in
        ["index", "HEAD", "objects/ab/cd", "refs/heads/main", "logs/HEAD", "info/exclude", "modules/a/index"]
    {
        assert!(of(&format!(".git/{name}")).unwrap().gits, "{name}");
        assert!(of(&format!("sub/.git/{name}")).unwrap().gits, "{name}");
    }
}

#[test]
fn what_only_looks_like_one_is_none() {
    for name in [
        "src/config",
        "hooks/pre-commit",
        "docs/agents.md.txt",
        "agents.rs",
        "git/config",
        ".gitignore",
        ".github/dependabot.yml",
        ".cargo/registry/x",
        "settings.json",
        ".vscode/extensions.json",
        "claude/x",
        ".gitattributes",
        "README.md",
        "info/attributes",
    ] {
        assert_eq!(of(name), None, "{name}");
    }
}
