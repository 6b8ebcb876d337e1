//! Files that cannot be read or written as they should.

use super::*;

/// The user whom root becomes, to whom modes matter.
pub(super) const NOBODY: u32 = 65_534;

#[test]
fn a_read_only_folder_is_told_and_nothing_is_lost() {
    let desk = Desk::new();
    let root = rustix::process::geteuid().is_root();
    let source = desk.path().join("src");
    if root {
        for folder in [desk.path(), desk.home.path()] {
            give(folder, NOBODY);
        }
    }
    fs::set_permissions(&source, fs::Permissions::from_mode(0o555)).unwrap();
    let before = desk.tree();
    let server = Server::start(planned(vec![
        Turn::Say("", vec![("write", json!({"path": "src/new.rs", "content": "//! New.\n"}))]),
        Turn::Say("Done.", vec![]),
    ]));
    let as_user = |mut command: std::process::Command| {
        if root {
            command.uid(NOBODY).gid(NOBODY);
        }
        command
    };
    if root && as_user(desk.command(&["--version"])).output().is_err() {
        fs::set_permissions(&source, fs::Permissions::from_mode(0o755)).unwrap();
        not_run("a read-only folder: root ignores modes, and nobody else may start the program");
        return;
    }
    let goal = ["run", "create a module new", "--auto-confirm"];
    let ended = finish(as_user(desk.with_model(&server.base, &goal)));
    fs::set_permissions(&source, fs::Permissions::from_mode(0o755)).unwrap();
    let ended = ended.with(3).tells(&["src/new.rs", "permission denied"]);
    assert!(!ended.err.contains("os error"), "{}", ended.err);
    assert_eq!(desk.tree(), before);
    assert!(finish(as_user(desk.command(&["sessions", "verify", "--all"]))).with(0).out.contains("sound"));

    // A home that cannot be written: the program says so before it begins.
    fs::set_permissions(desk.home.path(), fs::Permissions::from_mode(0o555)).unwrap();
    let mut command = as_user(desk.command(&["run", QUESTION]));
    command.env("PILOTHOUSE_HOME", desk.home.path().join("other"));
    let ended = finish(command);
    fs::set_permissions(desk.home.path(), fs::Permissions::from_mode(0o755)).unwrap();
    ended.with(1).tells(&["permission denied", "PILOTHOUSE_HOME"]);
}

pub(super) fn give(folder: &Path, user: u32) {
    std::os::unix::fs::chown(folder, Some(user), Some(user)).unwrap();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            give(&path, user);
        } else {
            std::os::unix::fs::chown(&path, Some(user), Some(user)).unwrap();
        }
    }
}

#[test]
fn a_parent_that_is_a_file_is_told_to_the_model() {
    let desk = Desk::new();
    let before = desk.tree();
    let server = Server::start(planned(vec![
        Turn::Say("", vec![("write", json!({"path": "src/lib.rs/new.rs", "content": "//! New.\n"}))]),
        Turn::Say("It cannot be.", vec![]),
        // Asked once more for a step in which nothing came of anything.
        Turn::Say("It cannot be.", vec![]),
    ]));
    let ended = desk.ask(&server.base, &["run", "create a module new", "--auto-confirm"]);
    let told = last_result(&server, 2);
    assert!(told.contains("src/lib.rs"), "{told}");
    assert!(ended.exit == 0 || ended.exit == 1, "{} {}", ended.exit, ended.err);
    nothing_lost(&desk, &before);
}

#[test]
fn a_binary_file_is_not_shown() {
    let desk = Desk::new();
    let bytes: Vec<u8> = (0..=255_u8).cycle().take(5_000).collect();
    fs::write(desk.path().join("logo.png"), bytes).unwrap();
    let before = desk.tree();
    let server = Server::start(vec![
        Turn::Say("", vec![("read", json!({"path": "logo.png"}))]),
        Turn::Say("It is a picture.", vec![]),
    ]);
    desk.ask(&server.base, &["run", "what is in logo.png?"]).with(0);
    let told = last_result(&server, 1);
    assert!(told.contains("logo.png is") && told.contains("5000 bytes") && told.len() < 200, "{told}");
    nothing_lost(&desk, &before);
}

#[test]
fn a_file_of_200_mb_is_refused_without_reading_it_whole() {
    let desk = Desk::new();
    let mut big = fs::File::create(desk.path().join("big.log")).unwrap();
    big.write_all(b"the first line\n").unwrap();
    big.set_len(200 << 20).unwrap();
    let peak = Arc::new(Mutex::new((0_u32, None)));
    let theirs = Arc::clone(&peak);
    let look = Arc::new(move || {
        let mut seen = theirs.lock().unwrap();
        let status = fs::read_to_string(format!("/proc/{}/status", seen.0)).unwrap_or_default();
        let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"));
        seen.1 = line.and_then(|l| l.trim().trim_end_matches(" kB").parse::<u64>().ok());
    });
    let calls = |name, args: Value| Turn::Say("", vec![(name, args)]);
    let script = planned(vec![
        calls("read", json!({"path": "big.log"})),
        calls("search", json!({"pattern": "first line"})),
        calls("edit", edit("big.log", "the first line", "the last line")),
        Turn::After(look, Box::new(Turn::Say("It is large.", vec![]))),
        Turn::Say("It is large.", vec![]),
    ]);
    let server = Server::start(script);
    let command = desk.with_model(&server.base, &["run", "rename score to points_of", "--auto-confirm"]);
    // Nobody looks before the program's number is known.
    let mut held = peak.lock().unwrap();
    let run = Running::start(command);
    held.0 = run.child.id();
    drop(held);
    let ended = run.end();
    assert!(ended.exit == 0 || ended.exit == 1, "{} {}", ended.exit, ended.err);
    let (read, changed) = (last_result(&server, 2), last_result(&server, 4));
    assert!(read.contains("big.log") && read.len() < 300, "{read}");
    assert!(changed.contains("big.log") && changed.len() < 300, "{changed}");
    match peak.lock().unwrap().1 {
        Some(kb) => assert!(kb < 150_000, "{kb} kB were in memory at once"),
        None => not_run("the peak of memory: there is no process table to read it from"),
    }
    assert_eq!(desk.path().join("big.log").metadata().unwrap().len(), 200 << 20);
    desk.verified();
}

#[test]
fn names_that_are_no_utf8_are_shown_and_break_nothing() {
    let desk = Desk::new();
    let name = std::ffi::OsStr::from_bytes(b"caf\xe9.txt");
    if fs::write(desk.path().join(name), "find_notes\n").is_err() {
        not_run("names that are not UTF-8: this file system refuses them");
        return;
    }
    fs::create_dir(desk.path().join(std::ffi::OsStr::from_bytes(b"d\xff"))).unwrap();
    let before = desk.tree();
    let server = Server::start(vec![
        Turn::Say("", vec![("list", json!({}))]),
        Turn::Say("", vec![("search", json!({"pattern": "find_notes"}))]),
        Turn::Say("", vec![("read", json!({"path": "caf\u{fffd}.txt"}))]),
        Turn::Say("Listed.", vec![]),
    ]);
    desk.ask(&server.base, &["run", "what files are here?"]).with(0);
    let listed = last_result(&server, 1);
    assert!(listed.contains("caf") && listed.contains("Cargo.toml"), "{listed}");
    assert!(last_result(&server, 2).contains("src/search.rs"));
    nothing_lost(&desk, &before);
    desk.go(&["run", "rename find_notes to search_notes", "--auto-confirm"]).with(0);
    assert_eq!(fs::read(desk.path().join(name)).unwrap(), b"find_notes\n");
    desk.go(&["undo"]).with(0);
    assert_eq!(desk.tree(), before);
}
