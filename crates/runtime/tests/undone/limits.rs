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
    assert!(why.contains("too large to keep and cannot be restored"), "{why}");
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
async fn a_file_that_git_ignores_is_saved_however_a_line_means_it() {
    for line in [
        "rm -f [[:alpha:]]*.local",
        "find . -name '[[:alpha:]]*.local' -delete",
        "find . -name 'con\\fig.local' -delete",
        "find . -name '[a\\]c]*.local' -delete",
        "x='[c]onfig.local'; : > $x",
        "echo config.* | xargs rm",
        "rm -f dat*/rows.csv",
        "find -P data -name '*.csv' -delete",
        "find config.local -name '*.local' -delete",
        "find . -type f -name '*.local' -delete -name '*.pyc'",
        "shopt -s globstar; rm -f **/rows.csv",
    ] {
        let mut desk = Desk::new(ROOM);
        desk.write(".gitignore", "*.local\ndata/\n");
        desk.write("config.local", "one\n");
        desk.write("data/rows.csv", "one\n");
        bash(&desk.at(), "git init -qb main && git add -A && git commit -qm one");
        let before = tree(&desk.at());
        let wrote = desk.run(line).await.unwrap_or_else(|| panic!("{line}: it is told"));
        assert_eq!(wrote.left, Vec::<String>::new(), "{line}");
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

/// A repository with work that its rules hide, beside what a tool makes again.
fn with_data(cap: u64) -> Desk {
    let desk = Desk::new(cap);
    desk.write(".gitignore", "data/\n*.local\n/build/\nnode_modules/\nenv/\n");
    desk.write("src/a.txt", "a\n");
    desk.write("src/own.local", "mine\n");
    bash(&desk.at(), "git init -qb main && git add -A && git commit -qm one");
    desk.write("data/raw/a.csv", "1\n");
    desk.write("data/b.csv", "2\n");
    desk.write("data/reports/year.txt", "3\n");
    fs::set_permissions(desk.at().join("data/b.csv"), fs::Permissions::from_mode(0o600)).unwrap();
    bash(
        &desk.at(),
        "mkdir -m 700 data/empty; ln -s raw data/link; git init -q data/vendored; cd data/vendored; echo v > v; git add .; git commit -qm v",
    );
    desk.write("build/out.o", "o\n");
    desk.write("node_modules/m/i.js", "m\n");
    desk
}

/// What of a tree no tool makes again.
fn by_hand(desk: &Desk) -> Tree {
    let mut all = tree(&desk.at());
    all.retain(|path, _| !path.starts_with("build") && !path.starts_with("node_modules"));
    all
}

#[tokio::test]
async fn what_git_ignores_comes_back_with_the_folder_that_a_line_removes_whole() {
    for line in [
        "rm -rf data",
        "cd data && rm -rf raw vendored && rm -f *.csv",
        "rm -rf data src build node_modules",
        "rm -rf *",
        "rm -rf src; mkdir -p src/new",
        "mv data/raw src/raw",
        "find data -name '*.csv' -delete",
        "find . -name '*.local' -delete; rm -r data/reports",
        "git clean -fdxq",
        "git clean -qffdX",
    ] {
        let mut desk = with_data(ROOM);
        let sum = desk.snapshots.tree().await;
        let before = by_hand(&desk);
        for _ in 0..2 {
            let wrote = desk.run(line).await.unwrap_or_else(|| panic!("{line}: it is told"));
            assert_eq!(wrote.left, Vec::<String>::new(), "{line}");
            assert_ne!(by_hand(&desk), before, "{line}");
            desk.revert(wrote.record.unwrap(), false).unwrap_or_else(|e| panic!("{line}: {e}"));
            assert_eq!(by_hand(&desk), before, "{line}");
            let vendored = bash(&desk.at(), "cd data/vendored && git fsck 2>&1; git log --oneline | wc -l");
            assert_eq!(vendored, "1\n", "{line}");
        }
        assert_eq!(desk.snapshots.tree().await, sum, "{line}: what git ignores makes no gate stale");
    }
}

#[tokio::test]
async fn what_only_passes_for_made_by_a_tool_comes_back() {
    for line in [
        "rm -rf data",
        "touch private/CACHEDIR.TAG; rm -rf private",
        "rm -rf build",
        "rm -rf sub/target",
        "rm -rf sub build",
        "git clean -fdxq",
    ] {
        let mut desk = Desk::new(ROOM);
        desk.write(".gitignore", "data/\nprivate/\ntarget/\nbuild/\n");
        desk.write("a.txt", "a\n");
        bash(&desk.at(), "git init -qb main && git add -A && git commit -qm one");
        for folder in ["data", "private", "build", "sub/target"] {
            desk.write(&format!("{folder}/notes.txt"), "mine\n");
        }
        // In the session anybody may have written it.
        desk.write("data/CACHEDIR.TAG", "Signature: 8a477f597d28d172789f06886806bc55\n");
        desk.run("touch private/CACHEDIR.TAG").await;
        let before = tree(&desk.at());
        let wrote = desk.run(line).await.unwrap_or_else(|| panic!("{line}: it is told"));
        assert_eq!(wrote.left, Vec::<String>::new(), "{line}");
        assert_ne!(tree(&desk.at()), before, "{line}");
        desk.revert(wrote.record.unwrap(), false).unwrap();
        assert_eq!(tree(&desk.at()), before, "{line}");
    }
}

#[tokio::test]
async fn what_git_has_comes_back_with_the_repository_that_a_line_removes() {
    let mut desk = Desk::new(ROOM);
    desk.write("a.txt", "a\n");
    bash(
        &desk.at(),
        "git init -qb main; git add .; git commit -qm one; git clone -q . ../inner; git clone -q . plain",
    );
    let inner = "git -c protocol.file.allow=always submodule --quiet add ../inner sub && git commit -qm sub";
    bash(&desk.at(), inner);
    let before = desk.state();
    for line in [
        "rm -rf plain",
        "rm -rf sub",
        "rm -rf plain sub a.txt .git",
        "mv plain sub; rm -r sub",
        "find . -delete",
    ] {
        for _ in 0..2 {
            let wrote = desk.run(line).await.unwrap_or_else(|| panic!("{line}: it is told"));
            assert_eq!(wrote.left, Vec::<String>::new(), "{line}");
            desk.revert(wrote.record.unwrap(), false).unwrap_or_else(|e| panic!("{line}: {e}"));
            same(&desk.state(), &before, 0, line);
            assert_eq!(
                bash(&desk.at(), "git fsck --no-dangling 2>&1; cd plain && git fsck --no-dangling 2>&1"),
                "",
                "{line}"
            );
        }
    }
}

#[tokio::test]
async fn a_folder_that_git_ignores_comes_back_after_a_kill() {
    let mut desk = with_data(ROOM);
    let before = by_hand(&desk);
    let line = "rm -rf data";
    desk.snapshots.before(CallId(1), (line, ""), "").await.unwrap();
    bash(&desk.at(), line);
    desk.snapshots = snapshots(desk.dir.path(), "w", &[], ROOM);
    let (_, _, wrote) = desk.snapshots.recover(Arc::new(desk.blobs())).await.unwrap();
    assert_eq!(wrote.left, Vec::<String>::new());
    desk.revert(wrote.record.unwrap(), false).unwrap();
    assert_eq!(by_hand(&desk), before);
}

#[tokio::test]
async fn what_is_too_much_in_an_ignored_folder_is_named_before_it_goes() {
    let mut desk = with_data(1 << 20);
    desk.write("data/large.bin", vec![7; 3 << 20]);
    // What a tool makes again is nobody's loss, however much it is.
    desk.write("build/large.o", vec![7; 3 << 20]);
    desk.write("build/CMakeCache.txt", "# This is the CMakeCache file.\n");
    desk.write("env/pyvenv.cfg", "home = /usr/bin\n");
    desk.write("env/bin/large.so", vec![7; 3 << 20]);
    // What shows it is older than the session.
    desk.snapshots = snapshots(desk.dir.path(), "w", &[], 1 << 20);
    assert!(desk.run_told("rm -rf build env", "").await.unwrap().is_none());
    assert!(
        desk.run_told("find . -name '*.pyc' -delete", "").await.unwrap().is_none(),
        "only what has the name"
    );
    let why = desk.run_told("rm -rf data", "").await.unwrap_err();
    assert_eq!(why, "data/large.bin (3 MB, beyond 1 MB in all); /undo could not bring it back");
    assert!(desk.at().join("data/large.bin").exists(), "nothing ran");
    let wrote = desk.run_told("rm -rf data", &why).await.unwrap().unwrap();
    assert_eq!(wrote.left, ["data/large.bin"]);
    bash(&desk.at(), "mkdir -p many; echo many >> .gitignore; cd many; seq 10001 | xargs touch");
    let why = desk.run_told("rm -rf many", "").await.unwrap_err();
    assert_eq!(why, "many (more than 10000 files that git ignores); /undo could not bring it back");
    assert!(desk.run_told("rm -rf many", &why).await.is_ok());
}

#[tokio::test]
async fn what_git_lists_anew_is_noted_by_what_changed_alone() {
    let mut desk = Desk::new(ROOM);
    for n in 0..300 {
        desk.write(&format!("src/{n}.rs"), "fn f() {}\n");
    }
    bash(&desk.at(), "git init -qb main && git add -A && git commit -qm one");
    until_settled(&desk.at().join("src"));
    desk.run("true").await;
    let noted = || fs::read_to_string(desk.dir.path().join("session/saved/journal")).unwrap().lines().count();
    let first = noted();
    bash(&desk.at(), "echo more >> src/1.rs; git commit -qam two; git tag v2");
    desk.snapshots.before(CallId(7), ("true", ""), "").await.unwrap();
    assert!(noted() < first + 100, "{} lines after {first}", noted());
}

#[tokio::test]
async fn an_index_that_says_the_same_is_stored_nowhere() {
    let mut desk = Desk::new(ROOM);
    desk.write("a.txt", "one\n");
    bash(&desk.at(), "git init -qb main && git add -A && git commit -qm one");
    desk.run("true").await;
    let index = fs::read(desk.at().join(".git/index")).unwrap();
    assert_eq!(desk.run("touch -d 2001-01-01 a.txt; git status").await, None);
    assert_ne!(fs::read(desk.at().join(".git/index")).unwrap(), index, "git wrote it anew");
    let stored = bash(&desk.dir.path().join("session"), "grep -rl DIRC blobs");
    assert_eq!(stored, "", "nothing of it is stored");
}

#[tokio::test]
async fn on_which_files_a_gate_ran_is_what_was_saved_before_it() {
    let desk = Desk::new(ROOM);
    desk.write("a.txt", "one\n");
    until_settled(&desk.at());
    desk.snapshots.before(CallId(1), ("make", ""), "").await.unwrap();
    let saved = desk.snapshots.seen().await;
    desk.write("a.txt", "somebody else\n");
    assert_eq!(desk.snapshots.seen().await, saved, "nobody looked again");
    assert!(desk.snapshots.after(CallId(1), &Spared::default(), Arc::new(desk.blobs())).await.is_some());
    let left = desk.snapshots.seen().await;
    assert_ne!(left, saved);
    assert_eq!(desk.snapshots.tree().await, left);
}
