//! Commands taken back: generated lines in generated repositories, and the bad cases by name. After an
//! undo the tree, the index, branches, HEAD and stash equal the copy, and after a redo what the command left.
//! `PILOTHOUSE_PROOF=whole` runs 500 lines; else a share of them.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::disallowed_methods,
    clippy::print_stdout
)]

use std::{
    collections::BTreeMap,
    fs,
    io::Write,
    os::unix::fs::{PermissionsExt, symlink},
    path::{Path, PathBuf},
    process::Command,
    sync::Arc,
};

use pilothouse_core::{blob::BlobId, ids::CallId, input::Found, spared::Spared, tool::Wrote};
use pilothouse_runtime::{
    blobs::Blobs,
    disk::{RealDisk, Root},
    writer::record::Tools,
};
use pilothouse_tools::snapshot::{Ground, Record, Snapshots};

#[path = "undone/doubt.rs"]
mod doubt;
#[path = "undone/limits.rs"]
mod limits;
#[path = "undone/next.rs"]
mod next;
#[path = "undone/repositories.rs"]
mod repositories;
#[path = "undone/spared.rs"]
mod spared;

type Tree = BTreeMap<String, (u32, Vec<u8>)>;

/// A workspace beside the folder of a session.
struct Desk {
    dir: tempfile::TempDir,
    snapshots: Snapshots,
    calls: u64,
}

impl Desk {
    fn new(cap: u64) -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("w")).unwrap();
        fs::create_dir_all(dir.path().join("session")).unwrap();
        let snapshots = snapshots(dir.path(), "w", &[], cap);
        Self { dir, snapshots, calls: 0 }
    }

    fn at(&self) -> PathBuf {
        self.dir.path().join("w")
    }

    fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.at().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn blobs(&self) -> Blobs {
        Blobs::under(&self.dir.path().join("session"))
    }

    /// Runs a line as a permitted call does.
    async fn run(&mut self, line: &str) -> Option<Wrote> {
        self.run_told(line, "").await.unwrap()
    }

    async fn run_told(&mut self, line: &str, told: &str) -> Result<Option<Wrote>, String> {
        self.calls += 1;
        let call = CallId(self.calls);
        self.snapshots.before(call, (line, ""), told).await?;
        bash(&self.at(), line);
        let wrote = self.snapshots.after(call, &Spared::default(), Arc::new(self.blobs())).await;
        self.snapshots.settled(call);
        Ok(wrote)
    }

    /// The same as a gate: on which files it ran, and which it left.
    async fn witnessed(&mut self, line: &str) -> (BlobId, BlobId) {
        self.calls += 1;
        let call = CallId(self.calls);
        self.snapshots.before(call, (line, ""), "").await.unwrap();
        let before = self.snapshots.seen().await.unwrap();
        bash(&self.at(), line);
        self.snapshots.after(call, &Spared::default(), Arc::new(self.blobs())).await;
        let after = self.snapshots.seen().await.unwrap();
        self.snapshots.settled(call);
        (before, after)
    }

    fn revert(&self, record: BlobId, redo: bool) -> Result<(), String> {
        let (root, blobs) = (Root::open(&self.at()).unwrap(), self.blobs());
        let tools = Tools { disk: &RealDisk, root: &root, blobs: &blobs };
        tools.revert(&tools.record(record).unwrap(), redo).map(drop).map_err(|f| f.message)
    }

    fn found(&self, record: BlobId) -> Found {
        let (root, blobs) = (Root::open(&self.at()).unwrap(), self.blobs());
        let tools = Tools { disk: &RealDisk, root: &root, blobs: &blobs };
        tools.look(&tools.record(record).unwrap())
    }

    fn state(&self) -> State {
        State::of(&self.at())
    }
}

fn snapshots(dir: &Path, workspace: &str, git: &[PathBuf], cap: u64) -> Snapshots {
    let (workspace, store) = (dir.join(workspace), dir.join("session/saved"));
    let looked = dir.join("looked");
    Snapshots::of(Ground { workspace, git: git.to_vec(), own: Vec::new(), store, looked, cap })
}

const ROOM: u64 = 64 << 20;

fn bash(folder: &Path, line: &str) -> String {
    let said = Command::new("bash")
        .args(["-c", line])
        .current_dir(folder)
        .env_remove("GIT_DIR")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .envs([("GIT_AUTHOR_NAME", "a"), ("GIT_AUTHOR_EMAIL", "a@b"), ("GIT_COMMITTER_NAME", "a")])
        .envs([("GIT_COMMITTER_EMAIL", "a@b"), ("GIT_EDITOR", "true"), ("LC_ALL", "C")])
        .output()
        .unwrap();
    String::from_utf8_lossy(&said.stdout).into_owned()
}

/// All that must come back.
#[derive(Clone, Debug, PartialEq, Eq)]
struct State {
    tree: Tree,
    refs: String,
    head: String,
    index: String,
    stash: String,
    status: String,
}

impl State {
    fn of(root: &Path) -> Self {
        let git = |args: &str| bash(root, &format!("git --no-optional-locks {args} 2>&1"));
        Self {
            tree: tree(root),
            refs: git("for-each-ref"),
            head: git("symbolic-ref -q HEAD; git rev-parse -q HEAD"),
            index: git("ls-files -s -v"),
            stash: git("stash list"),
            status: git("status --porcelain=v2 --branch"),
        }
    }
}

/// Everything but git's objects and what git only notes.
fn tree(root: &Path) -> Tree {
    let mut all = Tree::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            let (path, meta) = (entry.path(), entry.path().symlink_metadata().unwrap());
            let name = path.strip_prefix(root).unwrap().to_string_lossy().into_owned();
            if name == ".git" || name.ends_with("/.git") || name.starts_with("target") {
                continue;
            }
            let content = if meta.is_dir() {
                folders.push(path.clone());
                Vec::new()
            } else if meta.is_symlink() {
                fs::read_link(&path).unwrap().into_os_string().into_encoded_bytes()
            } else if meta.is_file() {
                fs::read(&path).unwrap_or_default()
            } else {
                Vec::new()
            };
            all.insert(name, (meta.permissions().mode(), content));
        }
    }
    all
}

/// Numbers that are the same for the same seed.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % sides
    }

    fn of<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.roll(list.len())]
    }
}

/// A repository with a history, changed, staged, stashed, untracked and ignored files.
fn repository(desk: &Desk, dice: &mut Dice) {
    for n in 0..6 {
        let count = 8 + dice.roll(20);
        let lines: Vec<String> = (0..count).map(|l| format!("line {l} of {n} {}\n", dice.roll(9))).collect();
        desk.write(&format!("src/f{n}.txt"), lines.concat());
    }
    desk.write("src/deep/er/a.rs", "fn a() {}\n");
    desk.write("crlf.txt", "one\r\ntwo\r\n");
    desk.write("bytes.bin", [0_u8, 255, 1, 2, 0]);
    desk.write(".gitignore", "target/\n*.log\n");
    desk.write("run.sh", "#!/bin/sh\necho run\n");
    fs::set_permissions(desk.at().join("run.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    symlink("src/f0.txt", desk.at().join("link")).unwrap();
    let mut script = String::from(
        "git init -qb main . && git add -A && git commit -qm one && git branch side && git tag v1
         sed -i 's/line 2/LINE 2/' src/f1.txt && git commit -qam two
         git checkout -q side && sed -i 's/line 5/side 5/' src/f2.txt && git commit -qam side && git checkout -q main
         git branch gone && git branch feature/x",
    );
    if dice.roll(2) == 0 {
        script.push_str("\necho stashed >> src/f3.txt && git stash -q");
    }
    if dice.roll(3) == 0 {
        script.push_str("\ngit pack-refs --all && git gc -q");
    }
    if dice.roll(2) == 0 {
        script.push_str("\necho changed >> src/f4.txt; echo staged >> src/f5.txt; git add src/f5.txt");
    }
    if dice.roll(4) == 0 {
        script.push_str("\ngit update-index --index-version 4");
    }
    bash(&desk.at(), &script);
    desk.write("notes.md", "mine\n");
    desk.write("new/one.txt", "1\n");
    fs::create_dir_all(desk.at().join("empty/inner")).unwrap();
    desk.write("target/out", "made");
    desk.write("trace.log", "ignored");
}

/// A line that changes something, or a few of them.
fn line(dice: &mut Dice) -> String {
    let one = |dice: &mut Dice| {
        let f = dice.of(&[
            "src/f0.txt",
            "src/f1.txt",
            "src/f2.txt",
            "notes.md",
            "crlf.txt",
            "bytes.bin",
            "link",
            "run.sh",
        ]);
        match dice.roll(30) {
            0 => format!("rm -f {f}"),
            1 => "rm -rf src".to_owned(),
            2 => format!("mv {f} moved.txt"),
            3 => format!("sed -i 's/line/LINE/' {f}"),
            4 => "sed -i 's/o/0/g' src/*.txt".to_owned(),
            5 => "git checkout -q side 2>/dev/null || git checkout -qf side".to_owned(),
            6 => format!("git checkout -q -- {f}"),
            7 => format!("git reset -q --hard {}", dice.of(&["HEAD~1", "side", "v1"])),
            8 => format!("git reset -q --{} HEAD~1", dice.of(&["soft", "mixed"])),
            9 => "git stash -q -u".to_owned(),
            10 => format!("git stash {} -q", dice.of(&["pop", "drop", "apply"])),
            11 => "git stash clear".to_owned(),
            12 => "git stash -q -u; git rebase -q side".to_owned(),
            13 => "git clean -fdq".to_owned(),
            14 => format!("git branch -D {}", dice.of(&["gone", "side", "feature/x"])),
            15 => "git merge -q side -m merged; true".to_owned(),
            16 => "git commit -qam next".to_owned(),
            17 => "git add -A && git commit -qm all".to_owned(),
            18 => format!("git rm -qf --cached {f}"),
            19 => "git commit -q --amend -m other".to_owned(),
            20 => "for i in $(seq 40); do mkdir -p gen/$i; echo $i > gen/$i/x; done".to_owned(),
            21 => format!("chmod {} {f}", dice.of(&["600", "755", "444"])),
            22 => "rm -rf src && echo file > src".to_owned(),
            23 => "rm -f notes.md && mkdir -p notes.md/in && echo x > notes.md/in/y".to_owned(),
            24 => "rm -f link && ln -s run.sh link && ln -s nowhere dangling".to_owned(),
            25 => "rm -rf empty new && mkdir fresh".to_owned(),
            26 => "git tag -d v1; git tag v2; git checkout -q --detach".to_owned(),
            27 => "git gc -q --prune=now; git pack-refs --all; echo x >> notes.md".to_owned(),
            28 => format!("truncate -s 0 {f}; touch -d 2001-01-01 {f}; printf 'a\\r\\nb' > {f}"),
            _ => "mkdir -p target && echo out > target/built && echo made > generated.rs && git switch -qc work".to_owned(),
        }
    };
    let lines: Vec<String> = (0..=dice.roll(3)).map(|_| one(dice)).collect();
    lines.join("; ")
}

fn share(whole: u64, ordinary: u64) -> u64 {
    if std::env::var("PILOTHOUSE_PROOF").is_ok_and(|p| p == "whole") { whole } else { ordinary }
}

#[tokio::test]
async fn what_a_command_did_is_taken_back_and_put_back() {
    let mut changed = 0;
    for seed in 0..share(500, 8) {
        let mut dice = Dice(seed * 7919 + 17);
        let mut desk = Desk::new(ROOM);
        repository(&desk, &mut dice);
        // Half of them know the folder from a command before.
        if dice.roll(2) == 0 {
            assert_eq!(desk.run("git status").await, None, "seed {seed}");
        }
        let line = line(&mut dice);
        let before = desk.state();
        let Some(wrote) = desk.run(&line).await else {
            assert_eq!(desk.state(), before, "seed {seed}: {line}: it is told");
            continue;
        };
        changed += 1;
        assert_eq!(wrote.left, Vec::<String>::new(), "seed {seed}: {line}: all of it was saved");
        let record = wrote.record.unwrap();
        let after = desk.state();
        assert_eq!(desk.found(record), Found::After, "seed {seed}: {line}");
        desk.revert(record, false).unwrap_or_else(|e| panic!("seed {seed}: {line}: {e}"));
        same(&desk.state(), &before, seed, &line);
        assert_eq!(desk.found(record), Found::Before, "seed {seed}: {line}");
        desk.revert(record, true).unwrap_or_else(|e| panic!("seed {seed}: redo of {line}: {e}"));
        same(&desk.state(), &after, seed, &format!("redo of {line}"));
        desk.revert(record, false).unwrap_or_else(|e| panic!("seed {seed}: again {line}: {e}"));
        same(&desk.state(), &before, seed, &line);
    }
    assert!(changed >= share(400, 6), "{changed} lines changed something");
}

fn same(is: &State, was: &State, seed: u64, line: &str) {
    for (path, thing) in &was.tree {
        assert_eq!(is.tree.get(path), Some(thing), "seed {seed}: {line}: {path}");
    }
    let new: Vec<_> = is.tree.keys().filter(|p| !was.tree.contains_key(*p)).collect();
    assert!(new.is_empty(), "seed {seed}: {line}: {new:?} stayed");
    assert_eq!(is, was, "seed {seed}: {line}");
}

#[tokio::test]
async fn a_folder_without_git_is_taken_back_as_well() {
    let mut desk = Desk::new(ROOM);
    desk.write("a/b.txt", "one\n");
    desk.write("c.txt", "two\n");
    let before = tree(&desk.at());
    let wrote = desk.run("rm -rf a && sed -i s/two/three/ c.txt && echo new > d.txt").await.unwrap();
    assert_eq!(wrote.count, 3);
    assert!(wrote.diff.contains("-two\n+three"), "{}", wrote.diff);
    desk.revert(wrote.record.unwrap(), false).unwrap();
    assert_eq!(tree(&desk.at()), before);
}

/// Copies between two file systems share nothing, nor do those on one that cannot.
#[tokio::test]
async fn where_no_file_system_shares_contents_a_copy_is_a_copy() {
    let Ok(memory) = tempfile::tempdir_in("/dev/shm") else {
        return drop(std::io::stderr().write_all(b"not run: there is no file system in memory here\n"));
    };
    for store in [None, Some(tempfile::tempdir().unwrap())] {
        let mut desk = Desk::new(ROOM);
        desk.dir = tempfile::tempdir_in(memory.path()).unwrap();
        fs::create_dir_all(desk.at()).unwrap();
        fs::create_dir_all(desk.dir.path().join("session")).unwrap();
        let at = store.as_ref().map_or(desk.dir.path().join("session"), |s| s.path().to_owned());
        let (workspace, store) = (desk.at(), at.join("saved"));
        let ground = Ground { workspace, store, cap: ROOM, ..Ground::default() };
        desk.snapshots = Snapshots::of(ground);
        desk.write("a/b.txt", "one\n");
        desk.write("large.bin", vec![7; 3 << 20]);
        let before = tree(&desk.at());
        let wrote = desk.run("rm -rf a; truncate -s 1000 large.bin; printf x >> large.bin").await.unwrap();
        assert_eq!(wrote.left, Vec::<String>::new());
        desk.revert(wrote.record.unwrap(), false).unwrap();
        assert_eq!(tree(&desk.at()), before);
    }
}

#[tokio::test]
async fn what_changed_since_is_named_and_nothing_is_written() {
    let mut desk = Desk::new(ROOM);
    desk.write("a.txt", "one\n");
    desk.write("b.txt", "one\n");
    let record = desk.run("sed -i s/one/two/ *.txt").await.unwrap().record.unwrap();
    desk.write("b.txt", "mine\n");
    let before = tree(&desk.at());
    let why = desk.revert(record, false).unwrap_err();
    assert!(why.contains("b.txt changed since") && why.contains("`/undo b.txt` shows"), "{why}");
    assert_eq!(tree(&desk.at()), before);
    // What is as it was before the command stands in nobody's way.
    desk.write("b.txt", "one\n");
    desk.revert(record, false).unwrap();
    assert_eq!(fs::read(desk.at().join("a.txt")).unwrap(), b"one\n");
}

#[tokio::test]
async fn a_look_of_git_at_the_disk_stands_in_nobodys_way() {
    let mut desk = Desk::new(ROOM);
    repository(&desk, &mut Dice(1));
    let before = desk.state();
    let record = desk.run("git add -A && git commit -qm all").await.unwrap().record.unwrap();
    bash(&desk.at(), "touch src/*.txt && git status");
    desk.revert(record, false).unwrap();
    same(&desk.state(), &before, 1, "commit, then status");
}

#[tokio::test]
async fn a_file_of_patterns_that_is_a_pipe_or_a_link_is_not_waited_for() {
    let mut desk = Desk::new(ROOM);
    bash(
        &desk.at(),
        "mkdir odd linked; mkfifo odd/.gitignore; ln -s /dev/zero linked/.gitignore; echo a > odd/a",
    );
    let before = tree(&desk.at());
    let wrote = desk.run("rm odd/a").await.unwrap();
    desk.revert(wrote.record.unwrap(), false).unwrap();
    assert_eq!(tree(&desk.at()), before);
}

#[tokio::test]
async fn what_goes_beyond_the_cap_is_named_once_and_nothing_runs_before() {
    let mut desk = Desk::new(1 << 20);
    desk.write("small.txt", "small\n");
    desk.write("data.bin", vec![7; 3 << 20]);
    let huge = fs::File::create(desk.at().join("huge.img")).unwrap();
    huge.set_len(20 << 30).unwrap();
    let why = desk.run_told("rm small.txt", "").await.unwrap_err();
    assert!(why.contains("huge.img (20480 MB, larger than 256 MB)"), "{why}");
    assert!(why.contains("data.bin (3 MB, beyond 1 MB in all)"), "{why}");
    assert!(desk.at().join("small.txt").exists(), "nothing ran");
    let wrote = desk.run_told("rm small.txt data.bin", &why).await.unwrap().unwrap();
    assert_eq!((wrote.count, wrote.left.as_slice()), (1, &["data.bin".to_owned()][..]));
    desk.revert(wrote.record.unwrap(), false).unwrap();
    assert_eq!(fs::read(desk.at().join("small.txt")).unwrap(), b"small\n");
    // It is not asked a second time, and what grows beyond the cap is not lost behind one's back.
    assert!(desk.run_told("true", "").await.unwrap().is_none());
    desk.write("more.bin", vec![7; 2 << 20]);
    let why = desk.run_told("true", "").await.unwrap_err();
    assert!(why.contains("more.bin") && !why.contains("huge.img"), "{why}");
}

#[tokio::test]
async fn a_process_that_ends_in_the_middle_of_a_command_loses_nothing() {
    for settled in [false, true] {
        let mut desk = Desk::new(ROOM);
        repository(&desk, &mut Dice(5));
        desk.snapshots.before(CallId(1), ("git status", ""), "").await.unwrap();
        if settled {
            until_settled(&desk.at());
        }
        assert_eq!(desk.snapshots.after(CallId(1), &Spared::default(), Arc::new(desk.blobs())).await, None);
        desk.snapshots.settled(CallId(1));
        let before = desk.state();
        let line = "rm -rf src notes.md; git stash clear; git reset -q --hard side";
        desk.snapshots.before(CallId(9), (line, ""), "").await.unwrap();
        bash(&desk.at(), line);
        // Another process, which knows nothing but what is on disk.
        desk.snapshots = snapshots(desk.dir.path(), "w", &[], ROOM);
        let blobs = Arc::new(desk.blobs());
        let (call, told, wrote) = desk.snapshots.recover(Arc::<Blobs>::clone(&blobs)).await.unwrap();
        assert_eq!((call, told.as_str()), (CallId(9), line));
        assert_eq!(wrote.left, Vec::<String>::new(), "settled: {settled}");
        desk.revert(wrote.record.unwrap(), false).unwrap();
        same(&desk.state(), &before, 5, "a kill");
        desk.snapshots.settled(call);
        assert!(desk.snapshots.recover(blobs).await.is_none(), "it is told once");
    }
}

/// Comes back when nothing in a folder is so new that its stamp may hide a change.
fn until_settled(folder: &Path) {
    let made =
        fs::read_dir(folder).unwrap().map(|e| e.unwrap().metadata().unwrap().modified().unwrap()).max();
    while made.unwrap().elapsed().unwrap_or_default() < std::time::Duration::from_millis(200) {
        std::thread::yield_now();
    }
}

#[tokio::test]
async fn an_undo_that_was_torn_is_finished_by_doing_it_again() {
    let mut desk = Desk::new(ROOM);
    repository(&desk, &mut Dice(3));
    let before = desk.state();
    let record = desk.run("rm -rf src && git commit -qam gone").await.unwrap().record.unwrap();
    desk.write("src/f0.txt", before.tree["src/f0.txt"].1.clone());
    assert_eq!(desk.found(record), Found::Mixed);
    desk.revert(record, false).unwrap();
    same(&desk.state(), &before, 3, "torn");
}

#[tokio::test]
async fn a_rebase_in_the_middle_a_worktree_a_submodule_and_a_bare_repository_come_back() {
    let mut desk = Desk::new(ROOM);
    repository(&desk, &mut Dice(2));
    bash(
        &desk.at(),
        "git stash -qu; git checkout -qb clash HEAD~1 && echo x > src/f1.txt && git commit -qam clash && git rebase -q main",
    );
    assert!(desk.at().join(".git/rebase-merge").is_dir(), "in the middle of a rebase");
    let before = desk.state();
    for line in
        ["git rebase --abort", "git checkout -q --theirs src/f1.txt && git add -A && git rebase --continue"]
    {
        let record = desk.run(line).await.unwrap().record.unwrap();
        desk.revert(record, false).unwrap();
        same(&desk.state(), &before, 2, line);
        assert!(desk.at().join(".git/rebase-merge").is_dir());
    }
    // A work tree whose git lies elsewhere, with a submodule in it.
    bash(&desk.at(), "git rebase --abort; git worktree add -q ../tree side");
    let inner = "git -c protocol.file.allow=always submodule --quiet add ../w sub && git commit -qm sub";
    bash(&desk.dir.path().join("tree"), inner);
    let gits = [desk.at().join(".git")];
    desk.snapshots = snapshots(desk.dir.path(), "tree", &gits, ROOM);
    let place = desk.dir.path().join("tree");
    let before = State::of(&place);
    let line = "rm -rf src sub/src && git add -A && git commit -qm less && git branch -D gone";
    desk.calls += 1;
    desk.snapshots.before(CallId(desk.calls), (line, ""), "").await.unwrap();
    bash(&place, line);
    let blobs = desk.blobs();
    let wrote =
        desk.snapshots.after(CallId(desk.calls), &Spared::default(), Arc::new(blobs.clone())).await.unwrap();
    assert_eq!(wrote.left, Vec::<String>::new());
    let root = Root::open(&place).unwrap();
    let tools = Tools { disk: &RealDisk, root: &root, blobs: &blobs };
    let record: Record = tools.record(wrote.record.unwrap()).unwrap();
    tools.revert(&record, false).unwrap();
    same(&State::of(&place), &before, 2, line);
    // A repository without a work tree.
    let mut bare = Desk::new(ROOM);
    bash(&bare.at(), &format!("git clone -q --bare {} .", desk.at().display()));
    bare.snapshots = snapshots(bare.dir.path(), "w", &[], ROOM);
    let before = bash(&bare.at(), "git for-each-ref; cat HEAD");
    let wrote =
        bare.run("git branch -D side gone && git symbolic-ref HEAD refs/heads/elsewhere").await.unwrap();
    assert!(wrote.git.contains(&"HEAD".to_owned()), "{:?}", wrote.git);
    bare.revert(wrote.record.unwrap(), false).unwrap();
    assert_eq!(bash(&bare.at(), "git for-each-ref; cat HEAD"), before);
}

#[tokio::test]
async fn what_git_has_is_not_copied_and_what_did_not_change_not_again() {
    let mut desk = Desk::new(ROOM);
    repository(&desk, &mut Dice(4));
    let copies = || fs::read_dir(desk.dir.path().join("session/saved/blobs")).unwrap().count();
    let snapshots = desk.snapshots.clone();
    snapshots.before(CallId(50), ("true", ""), "").await.unwrap();
    let first = copies();
    let gits = fs::read_dir(desk.at().join(".git")).unwrap().count();
    assert!(first > gits && first < 60, "git's own files and what git does not have: {first}");
    assert!(snapshots.after(CallId(50), &Spared::default(), Arc::new(desk.blobs())).await.is_none());
    snapshots.before(CallId(51), ("true", ""), "").await.unwrap();
    assert_eq!(copies(), first);
    assert!(snapshots.after(CallId(51), &Spared::default(), Arc::new(desk.blobs())).await.is_none());
    desk.write("notes.md", "other\n");
    assert!(desk.run("true").await.is_none(), "what the user did between commands is no command's");
}

#[tokio::test]
async fn the_hash_of_a_workspace_is_of_what_its_files_hold_and_not_of_when_they_were_written() {
    let d = Desk::new(ROOM);
    d.write("src/a.txt", "1");
    d.write(".gitignore", "out/\n");
    let first = d.snapshots.tree().await.unwrap();
    assert_eq!(d.snapshots.tree().await, Some(first), "nothing changed");
    d.write("src/a.txt", "2");
    let second = d.snapshots.tree().await.unwrap();
    assert_ne!(second, first, "a file holds something else of the same length");
    d.write("out/log.txt", "x");
    d.write("src/a.txt", "2");
    assert_eq!(d.snapshots.tree().await, Some(second), "what git ignores, and the same written again");
    d.write("src/a.txt", "1");
    assert_eq!(d.snapshots.tree().await, Some(first), "as it was");
    fs::set_permissions(d.at().join("src/a.txt"), fs::Permissions::from_mode(0o755)).unwrap();
    let runs = d.snapshots.tree().await.unwrap();
    assert_ne!(runs, first, "it can be run now");
    symlink("a.txt", d.at().join("src/b.txt")).unwrap();
    assert_ne!(d.snapshots.tree().await, Some(runs));
    fs::remove_file(d.at().join("src/b.txt")).unwrap();
    assert_eq!(d.snapshots.tree().await, Some(runs), "the link is gone");
}
