//! What is written for whom: lists, paths, profiles. That they hold is tried with real processes.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)]
use std::fs;

use super::*;

#[test]
fn a_path_of_the_settings_is_read_from_home_and_variables_and_never_the_whole_disk() {
    let set = |name: &str| match name {
        "HOME" => Some("/home/u".to_owned()),
        "CARGO_HOME" => Some("/c".to_owned()),
        "ROOT" => Some("/".to_owned()),
        "HERE" => Some("here".to_owned()),
        _ => None,
    };
    let read = |text: &str| policy::place(text, set).map(|p| p.to_string_lossy().into_owned());
    assert_eq!(read("~/.npm").as_deref(), Some("/home/u/.npm"));
    assert_eq!(read("$CARGO_HOME/registry").as_deref(), Some("/c/registry"));
    assert_eq!(read("/dev/shm").as_deref(), Some("/dev/shm"));
    for none in ["$GONE/x", "relative/x", "", "$ROOT", "$HERE/x", "~x/y"] {
        assert_eq!(read(none), None, "{none}");
    }
}

fn places(dir: &Path) -> Places {
    let (workspace, own) = (dir.join("work"), dir.join("home"));
    fs::create_dir_all(&workspace).unwrap();
    fs::create_dir_all(&own).unwrap();
    let workspace = workspace.canonicalize().unwrap();
    Places { workspace, own: vec![own], helper: Some("/nowhere/helper".into()), ..Places::default() }
}

#[test]
fn switched_off_and_the_own_files_inside_are_said_plainly() {
    let dir = tempfile::tempdir().unwrap();
    let mut places = places(dir.path());
    let off = CommandSandbox::find(Settings { wanted: Wanted::Off, ..Settings::default() }, &places);
    assert!(off.found().backend.is_none() && off.found().to_string().contains("switched off"));
    let inside = Confine::Inside { write: true, network: false };
    assert!(
        off.line(inside, Path::new("/bin/sh"), &[], (&[], &[])).is_err(),
        "never without what should hold it"
    );
    places.own = vec![places.workspace.join("own")];
    let fence = CommandSandbox::find(Settings::default(), &places);
    assert!(
        fence.found().backend.is_none() && fence.found().to_string().contains("are inside the workspace")
    );
    assert_eq!(fence.found().own.first().map(|o| o.as_str().to_owned()).as_deref(), Some("own"));
}

#[test]
fn a_cache_that_holds_the_own_files_is_not_given_away() {
    let dir = tempfile::tempdir().unwrap();
    let places = places(dir.path());
    let cache = dir.path().join("cache");
    fs::create_dir(&cache).unwrap();
    let writable = vec![dir.path().to_owned(), places.own[0].clone(), cache.clone(), dir.path().join("gone")];
    let walls = SandboxRules::around(&Settings { writable, ..Settings::default() }, &places, dir.path());
    let policy = Policy::new(Confine::Inside { write: true, network: false }, &walls, Limits::default());
    let real = |p: &Path| p.canonicalize().unwrap();
    assert_eq!(
        policy.write,
        [real(dir.path()), places.workspace.clone(), real(&cache)],
        "the first is scratch"
    );
    assert_eq!(policy.hidden, [real(&places.own[0])]);
    let reading = Policy::new(Confine::READING, &walls, Limits::default());
    assert_eq!(reading.write, [real(dir.path())]);
}

#[test]
fn what_is_given_itself_is_not_hidden_and_what_lies_below_it_is() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    for name in ["keys/project", "cloud/inner", "other"] {
        fs::create_dir_all(root.join(name)).unwrap();
    }
    let at = |name: &str| root.join(name);
    let places = Places { workspace: at("keys/project"), ..Places::default() };
    let settings = Settings {
        writable: vec![at("cloud")],
        hidden: vec![at("keys"), at("cloud"), at("cloud/inner"), at("keys/project"), at("other")],
        ..Settings::default()
    };
    let walls = SandboxRules::around(&settings, &places, Path::new("/nowhere"));
    for confine in [Confine::READING, Confine::Inside { write: true, network: false }] {
        let mut policy = Policy::new(confine, &walls, Limits::default());
        policy.hidden.push(at("keys/project/.env"));
        assert_eq!(policy.left_out(), [at("keys"), at("other")], "{confine:?}");
        assert_eq!(policy.covered(), [at("cloud/inner"), at("keys/project/.env")], "{confine:?}");
        assert_eq!(policy.shown, [at("keys/project"), at("cloud")], "{confine:?}");
        let profile = walls.seatbelt(confine, &[at("keys/project/.env")]);
        let last = |path: &str| {
            let quoted = format!("(subpath {:?})", at(path));
            profile.lines().rev().find(|line| line.contains(&quoted)).unwrap().to_owned()
        };
        for path in ["keys", "other", "cloud/inner", "keys/project/.env"] {
            assert!(last(path).starts_with("(deny file-read* file-write*"), "{profile}");
        }
        for path in ["keys/project", "cloud"] {
            assert!(last(path).starts_with("(allow"), "{profile}");
        }
    }
}

#[test]
fn the_profile_for_macos_names_what_is_written_hidden_and_reached() {
    let dir = tempfile::tempdir().unwrap();
    let places = places(dir.path());
    let walls = SandboxRules::around(&Settings::default(), &places, dir.path());
    let profile = |write, network| walls.seatbelt(Confine::Inside { write, network }, &[]);
    let work = format!("(subpath {:?})", places.workspace.to_string_lossy());
    assert!(profile(true, false).contains(&work) && profile(true, false).contains("(deny network*)"));
    assert!(!profile(false, false).contains(&work) && !profile(true, true).contains("(deny network*)"));
    let own = format!(
        "(deny file-read* file-write* (subpath {:?}))",
        places.own[0].canonicalize().unwrap().to_string_lossy()
    );
    assert!(profile(true, true).contains(&own), "{}", profile(true, true));
}

#[test]
fn a_git_folder_elsewhere_is_followed_only_when_it_points_back() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    let make = |path: &str, text: &str| {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    make("main/.git/HEAD", "ref: refs/heads/main");
    make("main/.git/worktrees/w/gitdir", &format!("{}/w/.git\n", root.display()));
    make("main/.git/worktrees/w/commondir", "../..\n");
    make("w/.git", &format!("gitdir: {}/main/.git/worktrees/w\n", root.display()));
    assert_eq!(gitdir::outside(&root.join("w")), [root.join("main/.git")]);
    assert_eq!(gitdir::outside(&root.join("main")), Vec::<PathBuf>::new(), "inside");
    make("main/sub/f", "");
    assert_eq!(gitdir::outside(&root.join("main/sub")), [root.join("main/.git")]);
    // Somebody else's pointer to the same place, and one to something that is no folder of git.
    make("liar/.git", &format!("gitdir: {}/main/.git/worktrees/w\n", root.display()));
    make("keys/id", "secret");
    make("thief/.git", &format!("gitdir: {}/keys\n", root.display()));
    make("top/.git/modules/m/config", "[core]\n\tworktree = ../../../m\n");
    make("top/.git/modules/m/HEAD", "ref: x");
    make("top/m/.git", "gitdir: ../.git/modules/m\n");
    for none in ["liar", "thief"] {
        assert_eq!(gitdir::outside(&root.join(none)), Vec::<PathBuf>::new(), "{none}");
    }
    assert_eq!(gitdir::outside(&root.join("top/m")), [root.join("top/.git/modules/m")]);
}

#[test]
fn what_is_reserved_in_the_workspace_is_not_given_to_write() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().canonicalize().unwrap();
    for name in [
        ".ssh",
        ".config/app",
        "bin",
        "project/src",
        "project/.hidden",
        "Library/LaunchAgents",
        "Library/Other",
    ] {
        fs::create_dir_all(home.join(name)).unwrap();
    }
    fs::write(home.join(".bashrc"), "").unwrap();
    fs::write(home.join("notes"), "").unwrap();
    std::os::unix::fs::symlink(home.join(".ssh"), home.join("keys")).unwrap();
    let written = |workspace: &Path| {
        let text = |p: &Path| p.to_str().unwrap().to_owned();
        let reserved =
            pilothouse_core::policy::Places { root: text(workspace), home: text(&home), own: Vec::new() };
        let places = Places { workspace: workspace.to_owned(), reserved, ..Places::default() };
        let walls = SandboxRules::around(&Settings::default(), &places, Path::new("/nowhere"));
        let all =
            Policy::new(Confine::Inside { write: true, network: false }, &walls, Limits::default()).write;
        let mut all: Vec<_> = all.into_iter().filter(|p| p.starts_with(&home)).collect();
        all.sort();
        all
    };
    assert_eq!(written(&home), [home.join("Library/Other"), home.join("notes"), home.join("project")]);
    assert_eq!(written(home.parent().unwrap()), written(&home));
    assert_eq!(written(&home.join("project")), [home.join("project")]);
    assert_eq!(written(&home.join(".config/app")), [home.join(".config/app")]);
}
