//! What a command does to control files, done by hand: each target in every way, and nothing else.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]
use std::{collections::BTreeMap, os::unix::fs::symlink};

use super::*;

struct Desk {
    dir: tempfile::TempDir,
    guard: Guard,
}

fn desk() -> Desk {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap().join("w");
    fs::create_dir(&root).unwrap();
    let guard = Guard::of(&root, &[], Some(dir.path().join("aside")));
    Desk { dir, guard }
}

impl Desk {
    fn at(&self, path: &str) -> PathBuf {
        self.dir.path().canonicalize().unwrap().join("w").join(path)
    }

    fn write(&self, path: &str, text: &str) {
        fs::create_dir_all(self.at(path).parent().unwrap()).unwrap();
        fs::write(self.at(path), text).unwrap();
    }

    fn text(&self, path: &str) -> Option<String> {
        fs::read_to_string(self.at(path)).ok()
    }

    /// What the guard says of what `act` does.
    fn after(&self, act: impl FnOnce(&Self)) -> Option<Repair> {
        let before = self.guard.before();
        act(self);
        self.guard.put_back(&before, false)
    }

    /// Every file and link with what it holds.
    fn tree(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut found = BTreeMap::new();
        let mut folders = vec![self.at("")];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap().flatten() {
                let path = entry.path();
                let meta = path.symlink_metadata().unwrap();
                if meta.is_dir() {
                    folders.push(path);
                } else if meta.is_symlink() {
                    found.insert(
                        path.clone(),
                        fs::read_link(path).unwrap().into_os_string().into_encoded_bytes(),
                    );
                } else {
                    found.insert(path.clone(), fs::read(&path).unwrap());
                }
            }
        }
        found
    }
}

const TARGETS: [&str; 27] = [
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
    "sub/.git/config",
    "sub/.git/hooks/post-checkout",
    "deep/er/.Git/HOOKS/pre-commit",
    "deep/agents.MD",
];

type Way = (&'static str, fn(&Desk, &Path));

/// What can be done to one target.
const WAYS: [Way; 8] = [
    ("edit", |_, p| {
        fs::create_dir_all(p.parent().unwrap()).unwrap();
        fs::write(p, "evil").unwrap();
    }),
    ("remove", |_, p| drop(fs::remove_file(p))),
    ("move onto", |d, p| {
        fs::create_dir_all(p.parent().unwrap()).unwrap();
        d.write("plain", "evil");
        fs::rename(d.at("plain"), p).unwrap();
    }),
    ("rename parent away", |d, p| {
        if p.parent().unwrap() != d.at("") && p.parent().unwrap().exists() {
            fs::rename(p.parent().unwrap(), d.at("elsewhere")).unwrap();
        }
    }),
    ("rename parent, put another", |d, p| {
        if p.parent().unwrap() != d.at("") && p.parent().unwrap().exists() {
            fs::rename(p.parent().unwrap(), d.at("elsewhere")).unwrap();
        }
        fs::create_dir_all(p.parent().unwrap()).unwrap();
        fs::write(p, "evil").unwrap();
    }),
    ("link", |d, p| {
        fs::create_dir_all(p.parent().unwrap()).unwrap();
        d.write("notes.txt", "evil");
        drop(fs::remove_file(p));
        symlink(d.at("notes.txt"), p).unwrap();
    }),
    ("hard link", |d, p| {
        fs::create_dir_all(p.parent().unwrap()).unwrap();
        d.write("other.txt", "evil");
        drop(fs::remove_file(p));
        fs::hard_link(d.at("other.txt"), p).unwrap();
    }),
    ("write through a hard link", |d, p| {
        if p.exists() {
            fs::hard_link(p, d.at("twin")).unwrap();
            fs::write(d.at("twin"), "evil").unwrap();
        } else {
            fs::create_dir_all(p.parent().unwrap()).unwrap();
            fs::write(p, "evil").unwrap();
        }
    }),
];

#[test]
fn every_target_in_every_way_is_put_back_whether_it_was_there_or_not() {
    let mut checked = 0;
    for target in TARGETS {
        for (name, way) in WAYS {
            for there in [false, true] {
                let desk = desk();
                desk.write("plain.txt", "plain");
                if there {
                    desk.write(target, "good");
                }
                let before = desk.text(target);
                let repair = desk.after(|d| way(d, &d.at(target)));
                let changes = there || !(name == "remove" || name == "rename parent away");
                let moves = name == "rename parent away" && !target.contains('/');
                if changes && !moves {
                    let repair = repair.unwrap_or_else(|| panic!("{name} {target} {there} was not seen"));
                    assert!(repair.lost.is_empty(), "{name} {target} {there}: {repair:?}");
                    assert!(repair.files.iter().any(|f| f == target), "{name} {target} {there}: {repair:?}");
                }
                assert_eq!(desk.text(target), before, "{name} {target} {there}");
                let evil: Vec<_> =
                    desk.tree().into_iter().filter(|(_, b)| b == b"evil").map(|(p, _)| p).collect();
                assert!(evil.iter().all(|p| !desk.guard.roots[0].judges(p)), "{name} {target}: {evil:?}");
                assert_eq!(desk.text("plain.txt").as_deref(), Some("plain"));
                checked += 1;
            }
        }
    }
    assert_eq!(checked, 27 * 8 * 2);
}

#[test]
fn what_was_written_is_kept_and_named() {
    let desk = desk();
    desk.write("AGENTS.md", "good");
    let repair = desk.after(|d| d.write("AGENTS.md", "mine?")).unwrap();
    assert_eq!(repair.files, ["AGENTS.md"]);
    assert_eq!(fs::read_to_string(repair.kept.unwrap().join("AGENTS.md")).unwrap(), "mine?");
    assert_eq!(desk.text("AGENTS.md").as_deref(), Some("good"));
}

#[test]
fn a_folder_that_moved_comes_back_whole() {
    let desk = desk();
    desk.write(".git/config", "c");
    desk.write(".git/objects/ab/cd", "object");
    desk.write("src/a.txt", "a");
    let repair = desk.after(|d| {
        fs::rename(d.at(".git"), d.at("x")).unwrap();
        d.write(".git/config", "evil");
    });
    assert_eq!(repair.unwrap().files, [".git/config", "x/config"][..1]);
    assert_eq!(desk.text(".git/objects/ab/cd").as_deref(), Some("object"));
    assert_eq!(desk.text(".git/config").as_deref(), Some("c"));
    assert_eq!(desk.text(".git.set-aside-0/config").as_deref(), Some("evil"), "nothing is thrown away");
}

#[test]
fn ordinary_work_is_left_alone_also_git_s_own() {
    let desk = desk();
    desk.write(".git/config", "c");
    desk.write("AGENTS.md", "a");
    let quiet = desk.after(|d| {
        d.write("src/main.rs", "fn main() {}");
        d.write(".git/index", "i");
        d.write(".git/objects/ab/cd", "o");
        d.write(".git/refs/heads/main", "r");
        d.write(".git/logs/HEAD", "l");
        d.write("node_modules/p/AGENTS.md", "a package's own");
        d.write("target/x/.git/config", "output");
        fs::rename(d.at("src"), d.at("lib")).unwrap();
        symlink("lib/main.rs", d.at("link")).unwrap();
    });
    assert!(quiet.is_none(), "{quiet:?}");
    let before = desk.guard.before();
    desk.write("AGENTS.md", "b");
    assert_eq!(desk.guard.changed(&before), ["AGENTS.md"]);
    assert_eq!(desk.text("AGENTS.md").as_deref(), Some("b"), "only said");
}

#[test]
fn what_a_control_link_leads_to_steers_as_well() {
    let desk = desk();
    desk.write("docs/agents.txt", "good");
    symlink("docs/agents.txt", desk.at("AGENTS.md")).unwrap();
    assert!(desk.after(|d| d.write("docs/agents.txt", "evil")).is_some());
    assert_eq!(desk.text("AGENTS.md").as_deref(), Some("good"));
    // A new link is taken away; the file it leads to was no control file and stays.
    desk.write("README.md", "text");
    let repair = desk.after(|d| symlink("README.md", d.at("CLAUDE.md")).unwrap()).unwrap();
    assert_eq!(repair.files, ["CLAUDE.md"]);
    assert_eq!(desk.text("README.md").as_deref(), Some("text"));
    // A link that is turned away: its old end is as it was.
    let repair = desk.after(|d| {
        fs::remove_file(d.at("AGENTS.md")).unwrap();
        symlink("README.md", d.at("AGENTS.md")).unwrap();
    });
    assert_eq!(repair.unwrap().files, ["AGENTS.md"]);
    assert_eq!(desk.text("AGENTS.md").as_deref(), Some("good"));
}

#[test]
fn where_mounts_hold_the_files_another_content_is_somebody_else_s() {
    let desk = desk();
    desk.write("AGENTS.md", "good");
    desk.write("sub/AGENTS.md", "good");
    let before = desk.guard.before();
    desk.write("AGENTS.md", "the user's");
    assert!(desk.guard.put_back(&before, true).is_none());
    fs::rename(desk.at("sub"), desk.at("other")).unwrap();
    desk.write("sub/AGENTS.md", "evil");
    let repair = desk.guard.put_back(&before, true).unwrap();
    assert!(repair.files.contains(&"sub/AGENTS.md".to_owned()) && repair.lost.is_empty(), "{repair:?}");
    assert_eq!(desk.text("sub/AGENTS.md").as_deref(), Some("good"));
    assert_eq!(desk.text("AGENTS.md").as_deref(), Some("the user's"));
    let held = desk.guard.before().kept();
    assert!(held.contains(&desk.at("AGENTS.md")) && held.contains(&desk.at("sub/AGENTS.md")), "{held:?}");
}

#[test]
fn a_second_look_sees_what_changed_since_the_first_however_soon() {
    let desk = desk();
    for n in 0..200 {
        desk.write(&format!("d{n}/x"), "x");
    }
    for n in 0..50 {
        let before = desk.guard.before();
        desk.write(&format!("d{n}/.mcp.json"), "{}");
        assert!(desk.guard.put_back(&before, false).is_some(), "{n}");
    }
}

#[test]
fn permission_bits_are_part_of_a_hook() {
    use std::os::unix::fs::PermissionsExt;
    let desk = desk();
    desk.write(".git/hooks/pre-commit", "#!/bin/sh");
    let path = desk.at(".git/hooks/pre-commit");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    let set = |d: &Desk| {
        fs::set_permissions(d.at(".git/hooks/pre-commit"), fs::Permissions::from_mode(0o755)).unwrap();
    };
    assert!(desk.after(set).is_some());
    assert_eq!(fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o644);
}
