//! What one session leaves to the next: it asks git about nothing again that stands as it did, and whatever happened in
//! between, nothing that a command of the next one destroys is lost.

use std::sync::Arc;

use super::{Desk, Ground, ROOM, Snapshots, bash, fs, same, share, until_settled};

/// A repository of some folders, looked at by a session that ended.
async fn left() -> Desk {
    let mut desk = Desk::new(ROOM);
    for n in 0..24 {
        desk.write(&format!("d{}/f{n}.txt", n % 4), format!("file {n}\n"));
    }
    desk.write("kept.log", "git has it and ignores it\n");
    desk.write("d1/hidden.log", "somebody's own\n");
    desk.write(".gitignore", "*.log\n");
    // A rule that hides itself.
    desk.write("d6/.gitignore", "*\n");
    desk.write("d6/e/own.txt", "hidden work\n");
    // What a line that runs it does, it does not say.
    desk.write("go.sh", "rm -rf kept.log d1/f1.txt\n");
    bash(&desk.at(), "git init -qb main && git add -A && git add -f kept.log && git commit -qm one");
    bash(&desk.at(), "ln -s f0.txt d0/link; git gc -q");
    settled(&desk);
    desk.run("echo own > own.txt").await.unwrap();
    settled(&desk);
    next(&mut desk, 2);
    desk
}

fn settled(desk: &Desk) {
    until_settled(&desk.at());
    until_settled(&desk.at().join("d1"));
}

/// Whether git has the file that its rules ignore.
fn in_git(desk: &Desk) -> bool {
    let mut asks = std::process::Command::new("git");
    asks.current_dir(desk.at()).args(["ls-files", "--error-unmatch", "kept.log"]);
    asks.output().unwrap().status.success()
}

fn git_settled(desk: &Desk) {
    settled(desk);
    until_settled(&desk.at().join(".git/info"));
    until_settled(&desk.at().join(".git/objects"));
}

/// Another session begins in the same folder.
fn next(desk: &mut Desk, number: u32) {
    let store = desk.dir.path().join(format!("session{number}/saved"));
    let looked = desk.dir.path().join("looked");
    desk.snapshots =
        Snapshots::of(Ground { workspace: desk.at(), store, looked, cap: ROOM, ..Ground::default() });
}

fn journal(desk: &Desk, number: u32) -> String {
    fs::read_to_string(desk.dir.path().join(format!("session{number}/saved/journal"))).unwrap_or_default()
}

/// What happens between two sessions.
const BETWEEN: [&str; 29] = [
    "true",
    "printf 'FILE 5\\n' > d1/f5.txt",
    "touch -r d1/f5.txt mark; printf 'FILE 5\\n' > d1/f5.txt; touch -r mark d1/f5.txt; rm mark",
    "chmod 600 d1/f5.txt; chmod 700 d1",
    "echo x > d2/new.txt; mkdir -p d5/e; echo y > d5/e/z",
    "rm d1/f5.txt; rm -r d2",
    "mv d1 t; mv d2 d1; mv t d2",
    "mv d1/f1.txt t; mv d1/f5.txt d1/f1.txt; mv t d1/f5.txt",
    "rm -r d1; echo file > d1",
    "rm d1/f1.txt; mkdir d1/f1.txt; echo x > d1/f1.txt/y",
    "ln -sf f1.txt d1/f5.txt; ln -sf f4.txt d0/link",
    "echo '!hidden.log' >> .gitignore",
    "echo x > .gitignore",
    "rm .gitignore",
    "echo '.git*' > d6/.gitignore",
    "printf '!hidden.log\\n.gitignore\\n' > d1/.gitignore",
    "echo '!*.log' > d1/.gitignore",
    "echo '*.txt' >> .git/info/exclude; echo new > d1/new.txt",
    "echo two > d1/f1.txt; git commit -qam two",
    "echo two > d1/f1.txt; git add d1/f1.txt; echo three > d1/f1.txt",
    "git rm -q --cached d1/f1.txt kept.log",
    "git rm -q kept.log; echo '*.txt' > .gitignore; git commit -qam two",
    "rm -rf .git/objects/*",
    "rm -rf .git/objects/pack/*",
    "rm -rf .git",
    "git init -q d1/in; echo x > d1/in/x; git init -q d2",
    "git checkout -qb side; echo s > d3/s; git add -A; git commit -qm s; git checkout -q main",
    "git update-index --assume-unchanged d1/f1.txt; echo two > d1/f1.txt",
    "mkdir d9; echo x > d9/.gitignore",
];

#[tokio::test]
async fn whatever_happens_between_two_sessions_a_command_of_the_next_one_is_taken_back() {
    for (n, between) in BETWEEN.iter().enumerate() {
        let lines = [
            "rm -rf -- *",
            "git clean -fdq; rm -rf d1",
            "rm -rf d1 kept.log own.txt",
            "rm -rf .git d1",
            "sh go.sh",
        ];
        let tried = |at: usize| share(1, 0) == 1 || at % 2 == n % 2;
        // Of a repository whose objects are gone already git says one thing or another once it came back.
        let broken = |line: &str| between.contains("/objects/") && line.contains(".git");
        for (_, line) in lines.iter().enumerate().filter(|(at, line)| tried(*at) && !broken(line)) {
            let mut desk = left().await;
            bash(&desk.at(), between);
            if line.contains("go.sh") && !in_git(&desk) {
                // It is ignored like any other file then, and the line does not name it.
                continue;
            }
            if line.contains(".git") {
                // Of what was saved in the very moment in which its repository goes nothing tells that it stands.
                until_settled(&desk.at());
            }
            let before = desk.state();
            let Some(wrote) = desk.run(line).await else { panic!("{between}: {line}: nothing is told") };
            assert_eq!(wrote.left, Vec::<String>::new(), "{between}: {line}");
            desk.revert(wrote.record.unwrap(), false).unwrap();
            same(&desk.state(), &before, 0, &format!("{between}: {line}"));
        }
    }
}

#[tokio::test]
async fn what_stands_as_it_did_is_neither_asked_for_nor_noted_again() {
    let mut desk = left().await;
    assert_eq!(desk.run("true; # writes").await, None);
    let noted = journal(&desk, 2);
    assert!(!noted.is_empty() && !noted.contains("f5.txt") && noted.contains("own.txt"), "{noted}");
    // What this one finds other than it was told is noted.
    bash(&desk.at(), "echo two > d1/f5.txt");
    desk.run("echo y > y.txt").await.unwrap();
    let noted = journal(&desk, 2);
    assert!(noted.contains("f5.txt") && !noted.contains("f9.txt"), "{noted}");
}

#[tokio::test]
async fn a_session_that_began_so_knows_after_a_kill_what_its_command_did() {
    let mut desk = left().await;
    bash(&desk.at(), "echo two > d1/f5.txt; rm d2/f2.txt");
    let before = desk.state();
    desk.calls += 1;
    let call = pilothouse_core::ids::CallId(desk.calls);
    desk.snapshots.before(call, ("rm -rf d1 d2", ""), "").await.unwrap();
    bash(&desk.at(), "rm -rf d1 d2");
    // What another session leaves meanwhile is nothing to this one.
    next(&mut desk, 3);
    desk.run("echo z > z.txt; rm z.txt").await;
    next(&mut desk, 2);
    let (_, line, wrote) = desk.snapshots.recover(Arc::new(desk.blobs())).await.unwrap();
    assert_eq!((line.as_str(), wrote.left), ("rm -rf d1 d2", Vec::new()));
    desk.revert(wrote.record.unwrap(), false).unwrap();
    same(&desk.state(), &before, 0, "after a kill");
}

#[tokio::test]
async fn a_torn_or_strange_file_is_no_beginning() {
    for strange in ["", "{}\n", "half", "\u{0}", "null\n[]\n"] {
        let mut desk = left().await;
        let looked = desk.dir.path().join("looked");
        let text = fs::read_to_string(&looked).unwrap();
        let text = if strange == "half" {
            text.get(..text.len() / 2).unwrap().to_owned()
        } else {
            strange.to_owned()
        };
        fs::remove_file(&looked).unwrap();
        fs::write(&looked, text).unwrap();
        let before = desk.state();
        let wrote = desk.run("rm -rf d1").await.unwrap();
        desk.revert(wrote.record.unwrap(), false).unwrap();
        same(&desk.state(), &before, 0, strange);
        assert!(
            journal(&desk, 2).contains("f5.txt") || fs::read_to_string(&looked).unwrap().contains("f5.txt")
        );
    }
}

#[tokio::test]
async fn a_rule_in_a_folder_that_is_new_leaves_what_is_known_of_the_others() {
    let mut desk = left().await;
    bash(&desk.at(), "mkdir d9; echo x > d9/.gitignore");
    desk.run("echo y > y.txt").await.unwrap();
    let noted = journal(&desk, 2);
    assert!(noted.contains("d9/.gitignore") && !noted.contains("f5.txt"), "{noted}");
    let left = fs::read_to_string(desk.dir.path().join("looked")).unwrap();
    assert!(!left.contains("\"d9\""), "nothing had to be left anew");
}

/// What a script takes that says nothing of it comes back.
async fn comes_back(desk: &mut Desk, what: &str) {
    let before = desk.state();
    let Some(wrote) = desk.run("sh go.sh").await else { panic!("{what}: nothing is told") };
    assert_eq!(wrote.left, Vec::<String>::new(), "{what}");
    desk.revert(wrote.record.unwrap(), false).unwrap();
    same(&desk.state(), &before, 0, what);
}

#[tokio::test]
async fn objects_that_may_be_gone_stand_for_nothing_after_a_kill_either() {
    let mut desk = left().await;
    bash(&desk.at(), "rm -rf .git/objects/pack/*");
    desk.snapshots.tree().await.unwrap();
    next(&mut desk, 2);
    comes_back(&mut desk, "after a kill").await;
}

#[tokio::test]
async fn what_changed_since_the_look_is_not_left_as_what_the_look_went_by() {
    for (change, goes) in [
        ("echo x > .gitignore", "d1/hidden.log"),
        ("echo x > .git/info/exclude", "d1/hidden.bak"),
        ("rm -rf .git/objects/pack/*", "d1/f1.txt"),
    ] {
        let mut desk = left().await;
        desk.write(".git/info/exclude", "*.bak\n");
        desk.write("d1/hidden.bak", "somebody's own\n");
        desk.write("go.sh", format!("rm {goes}\n"));
        fs::remove_file(desk.dir.path().join("looked")).unwrap();
        git_settled(&desk);
        desk.snapshots.tree().await.unwrap();
        bash(&desk.at(), change);
        git_settled(&desk);
        desk.run("true; # writes").await;
        next(&mut desk, 3);
        comes_back(&mut desk, change).await;
    }
}

#[tokio::test]
async fn what_a_session_builds_on_is_its_own_wherever_it_is_left() {
    let mut desk = left().await;
    let store = desk.dir.path().join("session2/saved");
    let looked = desk.dir.path().join("nowhere/looked");
    let ground = Ground { workspace: desk.at(), store, looked, cap: ROOM, ..Ground::default() };
    desk.snapshots = Snapshots::of(ground);
    desk.run("echo y > y.txt").await.unwrap();
    let noted = journal(&desk, 2);
    assert!(noted.contains("y.txt") && !noted.contains("f5.txt"), "{noted}");
    next(&mut desk, 2);
    comes_back(&mut desk, "by its own base").await;
}
