//! What is beyond what can be kept, what git's rules hide, and clocks that differ: nothing of it is lost unsaid.

use super::*;

#[tokio::test]
async fn what_was_saved_comes_back_however_much_a_command_makes() {
    let mut desk = Desk::new(1 << 20);
    desk.write("zeta.md", "mine\n");
    desk.write("notes.md", "short\n");
    let before = tree(&desk.at());
    let line = "mkdir data; for n in 1 2 3 4; do head -c 500000 /dev/zero > data/$n; done; \
        echo more >> zeta.md; truncate -s 300M notes.md; mkfifo pipe; chmod 640 notes.md";
    let wrote = desk.run(line).await.unwrap();
    assert_eq!(wrote.left, Vec::<String>::new());
    let record = wrote.record.unwrap();
    assert_eq!(desk.found(record), Found::After);
    desk.revert(record, false).unwrap();
    assert_eq!(tree(&desk.at()), before);
    let why = desk.revert(record, true).unwrap_err();
    assert!(why.contains("too large to be kept and cannot be put back"), "{why}");
    assert_eq!(tree(&desk.at()), before, "nothing was written");
}

#[tokio::test]
async fn what_changed_since_is_seen_of_what_is_not_kept_as_well() {
    for (path, more) in [("notes.md", "truncate -s 299M notes.md"), ("large", "echo x >> large")] {
        let mut desk = Desk::new(1 << 20);
        desk.write("notes.md", "short\n");
        let line = "truncate -s 300M notes.md; head -c 1500000 /dev/zero > large";
        let record = desk.run(line).await.unwrap().record.unwrap();
        bash(&desk.at(), more);
        let after = bash(&desk.at(), "stat -c %s notes.md large");
        let why = desk.revert(record, false).unwrap_err();
        assert!(why.contains(path) && why.contains("changed since"), "{why}");
        assert_eq!(bash(&desk.at(), "stat -c %s notes.md large"), after, "nothing was written");
    }
}

#[tokio::test]
async fn a_file_that_git_ignores_is_saved_where_a_line_names_it() {
    for (line, doubted) in [
        ("sed -i s/one/two/ config.local", 0),
        ("echo x > data/rows.csv", 0),
        ("cd data && rm rows.csv", 0),
        ("truncate -s 0 config.*; rm data/*.csv", 0),
        // What is written through a link is saved where it lies.
        ("echo x > link.local", 1),
        ("echo x > out/link.csv", 1),
    ] {
        let mut desk = Desk::new(ROOM);
        desk.write(".gitignore", "*.local\ndata/\nout\n");
        desk.write("config.local", "one\n");
        desk.write("data/rows.csv", "one\n");
        symlink("data/rows.csv", desk.at().join("link.local")).unwrap();
        symlink("data", desk.at().join("out")).unwrap();
        fs::write(desk.dir.path().join("w/data/link.csv"), "one\n").unwrap();
        bash(&desk.at(), "git init -qb main && git add -A && git commit -qm one");
        let sum = desk.snapshots.tree().await;
        let before = tree(&desk.at());
        let wrote = desk.run(line).await.unwrap_or_else(|| panic!("{line}: it is told"));
        assert_eq!(desk.snapshots.tree().await, sum, "{line}: what git ignores makes no gate stale");
        assert_eq!((wrote.left, wrote.doubt.count), (Vec::new(), doubted), "{line}");
        assert_ne!(tree(&desk.at()), before, "{line}");
        desk.revert(wrote.record.unwrap(), false).unwrap();
        assert_eq!(tree(&desk.at()), before, "{line}");
    }
}

#[tokio::test]
async fn a_file_that_git_ignores_comes_back_after_a_kill_and_one_outside_is_nobodys() {
    let mut desk = Desk::new(ROOM);
    desk.write(".gitignore", "data/\naway\n");
    desk.write("data/rows.csv", "one\n");
    fs::write(desk.dir.path().join("theirs"), "theirs\n").unwrap();
    symlink("../theirs", desk.at().join("away")).unwrap();
    bash(&desk.at(), "git init -qb main");
    let before = tree(&desk.at());
    let line = "echo two > data/rows.csv; echo x > away";
    desk.snapshots.before(CallId(1), (line, ""), "").await.unwrap();
    bash(&desk.at(), line);
    desk.snapshots = snapshots(desk.dir.path(), "w", &[], ROOM);
    let (_, _, wrote) = desk.snapshots.recover(Arc::new(desk.blobs())).await.unwrap();
    assert_eq!(wrote.files.iter().map(|f| f.path.as_str()).collect::<Vec<_>>(), ["data/rows.csv"]);
    desk.revert(wrote.record.unwrap(), false).unwrap();
    assert_eq!(tree(&desk.at()), before);
}

#[tokio::test]
async fn where_clocks_differ_a_change_is_told_and_in_doubt() {
    let mut desk = Desk::new(ROOM);
    desk.write("a.txt", "one\n");
    let before = tree(&desk.at());
    desk.snapshots.before(CallId(1), ("echo two > a.txt; echo new > b.txt", ""), "").await.unwrap();
    // The mark of a command is of a clock that is an hour ahead of the workspace's.
    let mark = desk.dir.path().join("session/saved/running-1");
    let ahead = std::time::SystemTime::now() + std::time::Duration::from_hours(1);
    fs::File::options().write(true).open(mark).unwrap().set_modified(ahead).unwrap();
    bash(&desk.at(), "echo two > a.txt; echo new > b.txt");
    desk.snapshots = snapshots(desk.dir.path(), "w", &[], ROOM);
    let (_, _, wrote) = desk.snapshots.recover(Arc::new(desk.blobs())).await.unwrap();
    assert_eq!((wrote.doubt.names, wrote.doubt.all), (vec!["a.txt".to_owned()], true));
    assert_eq!(wrote.left, ["b.txt"], "whether it was there before nobody knows, and it is named");
    desk.revert(wrote.record.unwrap(), false).unwrap();
    fs::remove_file(desk.at().join("b.txt")).unwrap();
    assert_eq!(tree(&desk.at()), before);
}
