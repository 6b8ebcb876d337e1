//! `kill -9` in the middle of a write over sixty files, and of its undo: the next start of anything in that folder
//! finds all of it or nothing, no temporary file, and undo works. `PILOTHOUSE_PROOF=whole` kills 500 times.
#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used, clippy::indexing_slicing)]

use std::{fs, os::unix::fs::MetadataExt, time::Duration};

use crate::support::{
    Desk,
    alone::{Dice, Ended, Running, edit, last_result, not_run, plan, tell},
    proof::share,
    server::{Server, Turn},
};

const FILES: usize = 60;
/// Undos and redos that are killed in one folder.
const WAYS: usize = 8;
/// Folders that are worked in at the same time.
const HANDS: usize = 2;
const QUESTION: [&str; 2] = ["run", "where is find_notes?"];

fn name(n: usize) -> String {
    format!("src/f{n}.txt")
}

fn desk() -> Desk {
    let desk = Desk::new();
    for n in 0..FILES {
        fs::write(desk.path().join(name(n)), format!("old {n}\n").repeat(200)).unwrap();
    }
    desk
}

fn count(desk: &Desk, word: &str) -> usize {
    (0..FILES).filter(|n| desk.file(&name(*n)).starts_with(word)).count()
}

/// Whether all files are new, or all are old; fails on anything else, and on what a write leaves beside them.
fn is_new(desk: &Desk, when: &str) -> bool {
    let new = count(desk, "new");
    let word = if new == 0 { "old" } else { "new" };
    let whole = |n: usize| desk.file(&name(n)) == format!("{word} {n}\n").repeat(200);
    assert!((0..FILES).all(whole), "{when}: {new} of {FILES} files are new");
    let all = fs::read_dir(desk.path().join("src")).unwrap().flatten().map(|e| e.file_name());
    let left = all.filter(|n| n.to_string_lossy().contains("pilothouse-tmp")).count();
    assert_eq!(left, 0, "{when}");
    new > 0
}

fn server() -> Server {
    let files: Vec<String> = (0..FILES).map(name).collect();
    let change = |file: &String| {
        let mut edit = edit(file, "old", "new");
        edit["edits"][0]["all"] = true.into();
        ("edit", edit)
    };
    Server::start(vec![
        Turn::Say("", vec![("submit_plan", plan(&[("modify", files[0].as_str())]))]),
        Turn::Say("", files.iter().map(change).collect()),
        Turn::Say("Done.", vec![]),
    ])
}

/// A run until its write began.
fn writing(desk: &Desk) -> (Running, Server) {
    let server = server();
    let goal = ["run", "rename old to new", "--auto-confirm", "--json"];
    let mut run = Running::start(desk.with_model(&server.base, &goal));
    loop {
        let line = run.line();
        assert!(!line.is_empty(), "it never wrote");
        if String::from_utf8_lossy(&line).contains("\"type\":\"apply_started\"") {
            return (run, server);
        }
    }
}

/// Kills a run after a while, or, every other time, as soon as this file is another; whether it was still there.
fn kill(mut run: Running, desk: &Desk, dice: &mut Dice, most: u64) -> bool {
    let until = std::time::Instant::now() + Duration::from_micros(dice.roll(most));
    let (watched, path) =
        (dice.roll(2) == 0, desk.path().join(name(usize::try_from(dice.roll(20)).unwrap())));
    let inode = || fs::metadata(&path).map(|m| m.ino()).ok();
    let first = inode();
    while if watched { inode() == first } else { std::time::Instant::now() < until } {
        if run.child.try_wait().unwrap().is_some() {
            break;
        }
    }
    let there = run.child.try_wait().unwrap().is_none();
    drop(run.child.kill());
    run.child.wait().unwrap();
    there
}

/// What came of some kills.
#[derive(Default)]
struct Kills {
    tries: usize,
    /// Those that met a process.
    met: usize,
    /// Those that left some files new and some old, until the next start.
    torn: usize,
    /// Writes that the next start finished.
    finished: usize,
}

impl Kills {
    /// Kills a run, starts another session, which knows nothing of it, and says whether all files are new.
    fn kill(&mut self, run: Running, desk: &Desk, dice: &mut Dice, most: u64, what: &str) -> bool {
        self.tries += 1;
        self.met += usize::from(kill(run, desk, dice, most));
        self.torn += usize::from(!matches!(count(desk, "new"), 0 | FILES));
        desk.go(&QUESTION).with(0);
        is_new(desk, &format!("{what} {}", self.tries))
    }

    /// One write is killed, and then, in the same folder, undos and redos of it: each costs two starts and no model.
    fn at_a_desk(&mut self, dice: &mut Dice) {
        let desk = desk();
        let (run, _server) = writing(&desk);
        let mut new = self.kill(run, &desk, dice, 400_000, "apply");
        self.finished += usize::from(new);
        let begin = std::time::Instant::now();
        assert_eq!(desk.go(&["undo"]).exit, i32::from(!new));
        // So long does one take here: later there is nothing left to kill.
        let most = u64::try_from(begin.elapsed().as_micros()).unwrap();
        assert!(!is_new(&desk, "after undo"));
        if new {
            new = false;
            for _ in 0..WAYS {
                let way = if new { "undo" } else { "redo" };
                let run = Running::start(desk.command(&[way]));
                new = self.kill(run, &desk, dice, most, way);
            }
            desk.go(&[if new { "undo" } else { "redo" }]).with(0);
            assert_ne!(is_new(&desk, "after the other way"), new);
        }
        desk.verified();
    }
}

#[test]
fn a_write_over_sixty_files_and_its_undo_are_whole_after_a_kill_at_any_instant() {
    let wanted = share(500, 4).div_ceil(HANDS);
    let hand = |n: usize| {
        let (mut dice, mut all) = (Dice(0x0070_5271_0001 + u64::try_from(n).unwrap()), Kills::default());
        // One that ended before it was killed counts for nothing.
        while all.met < wanted || all.finished == 0 || (all.torn == 0 && share(1, 0) == 1) {
            let Kills { tries, met: kills, torn, finished } = all;
            assert!(
                tries <= 4 * wanted + WAYS,
                "killed={kills} finished={finished} torn={torn} of {tries} tries"
            );
            all.at_a_desk(&mut dice);
        }
        all
    };
    let all = std::thread::scope(|scope| {
        let hands: Vec<_> = (0..HANDS).map(|n| scope.spawn(move || hand(n))).collect();
        hands.into_iter().map(|hand| hand.join().unwrap()).collect::<Vec<_>>()
    });
    let sum = |of: fn(&Kills) -> usize| all.iter().map(of).sum::<usize>();
    let (tries, kills) = (sum(|k| k.tries), sum(|k| k.met));
    let (torn, finished) = (sum(|k| k.torn), sum(|k| k.finished));
    tell(&format!("checked={tries} violations=0 (killed={kills}, torn={torn}, finished={finished})"));
}

/// A session that was killed in the middle of its write, whose log nobody here may go on with; and its name.
fn abandoned() -> (Desk, String) {
    let mut dice = Dice(0x0070_5271_0002);
    loop {
        let desk = desk();
        let (run, _server) = writing(&desk);
        kill(run, &desk, &mut dice, 50_000);
        let slug = desk.sessions()[0]["slug"].as_str().unwrap().to_owned();
        let open = desk.sessions()[0]["writing"] == true;
        if !open {
            continue;
        }
        let log = super::kill::find(desk.home.path(), "session.jsonl");
        let text = fs::read_to_string(&log).unwrap().replacen("\"format\":1,", "\"format\":99,", 1);
        fs::write(&log, text).unwrap();
        return (desk, slug);
    }
}

#[test]
fn a_torn_session_that_cannot_be_opened_stops_nobody_and_its_files_are_let_alone() {
    let (desk, slug) = abandoned();
    let before = desk.tree();
    let told: [&str; 3] = [&slug, "src/f0.txt, src/f1.txt, src/f2.txt and 57 more", "newer version"];
    let listed = desk.go(&["sessions", "list"]).with(0).out;
    assert!(listed.contains(&slug) && listed.contains("in the middle of writing files"), "{listed}");
    let doctor = desk.go(&["doctor"]).out;
    assert!(doctor.contains(&format!("session {slug} ended while writing {}", told[1])), "{doctor}");
    desk.go(&QUESTION).with(0).tells(&told);
    let change = |file: &str, from: &str, to: &str| -> Ended {
        let mut all = edit(file, from, to);
        all["edits"][0]["all"] = true.into();
        let server = Server::start(vec![
            Turn::Say("", vec![("submit_plan", plan(&[("modify", file)]))]),
            Turn::Say("", vec![("edit", all)]),
            Turn::Say("Done.", vec![]),
        ]);
        desk.ask(&server.base, &["run", "rename score to points_of", "--auto-confirm"])
    };
    // Its own files stay as they are.
    let is = if desk.file("src/f7.txt").starts_with("new") { "new 7" } else { "old 7" };
    change("src/f7.txt", is, "mine").tells(&[&format!("session {slug} ended while writing it")]);
    assert_eq!(desk.tree(), before);
    // Nor does a command write them, whatever holds it; what else it does stays.
    if desk.sandbox().is_none() {
        not_run("a command beside a torn write: no sandbox here, so every command asks");
    } else {
        desk.configure("[session]\npermission = \"auto\"\n");
        for line in [
            "echo mine >> src/f7.txt; touch made",
            "echo mine > src/f9.txt; touch made",
            "tee src/f8.txt < src/search.rs; touch made",
        ] {
            let run = Turn::Say("", vec![("run", serde_json::json!({"command": line}))]);
            let server = Server::start(vec![run, Turn::Say("Done.", vec![])]);
            desk.ask(&server.base, &["run", "run the fixer", "--auto-confirm", "--trust"]);
            assert!(desk.path().join("made").exists(), "{line} ran");
            let result = last_result(&server, 1);
            assert!(result.contains("unfinished write") || result.contains("exit"), "{line}: {result}");
            fs::remove_file(desk.path().join("made")).unwrap();
            assert_eq!(desk.tree(), before, "{line}: {result}");
        }
    }
    // All others are worked on, and that is taken back.
    change("src/search.rs", "fn score(", "fn points_of(").with(0);
    assert!(desk.file("src/search.rs").contains("fn points_of("));
    desk.go(&["undo"]).with(0).tells(&told[..1]);
    assert_eq!(desk.tree(), before);
}
