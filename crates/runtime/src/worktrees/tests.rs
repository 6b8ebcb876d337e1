use std::{fs, process::Command};

use super::*;

fn git(folder: &Path, args: &[&str]) -> String {
    let done = Command::new("git").args(args).current_dir(folder).output().unwrap();
    assert!(done.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap().trim().to_owned()
}

/// A repository with one commit, in a folder of its own so that there is room beside it.
fn repository() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let repo = dir.path().canonicalize().unwrap().join("inkwell");
    fs::create_dir(&repo).unwrap();
    git(&repo, &["init", "-q", "-b", "main"]);
    git(&repo, &["config", "user.name", "x"]);
    git(&repo, &["config", "user.email", "x@y"]);
    fs::write(repo.join("a.txt"), "one\n").unwrap();
    fs::write(repo.join(".gitignore"), "target/\n").unwrap();
    fs::create_dir(repo.join("sub")).unwrap();
    fs::write(repo.join("sub/b.txt"), "two\n").unwrap();
    git(&repo, &["add", "."]);
    git(&repo, &["commit", "-qm", "first"]);
    (dir, repo)
}

/// Where no session is told of.
async fn ended(repo: &Path, how: WorktreeEnd, name: &str, seen: Option<BlobId>) -> Result<Ended, String> {
    let home = Home::under(&repo.join("../home"));
    end(&home, repo, how, name, seen).await
}

async fn asked(repo: &Path, how: WorktreeEnd, name: &str) -> WorktreeStake {
    match ended(repo, how, name, None).await.unwrap() {
        Ended::Asks(stake) => stake,
        Ended::Done(_, said) => panic!("nothing was asked: {said}"),
    }
}

async fn sure(repo: &Path, how: WorktreeEnd, stake: &WorktreeStake) -> String {
    match ended(repo, how, &stake.worktree.name, Some(stake.shown)).await.unwrap() {
        Ended::Done(_, said) => said,
        Ended::Asks(stake) => panic!("asked again: {stake:?}"),
    }
}

#[tokio::test]
async fn one_is_made_beside_the_repository_listed_and_found_again() {
    let (dir, repo) = repository();
    fs::write(repo.join("a.txt"), "changed\n").unwrap();
    let made = make(&repo.join("sub"), "sqlx").await.unwrap();
    assert_eq!(made.folder, repo.with_file_name("inkwell-sqlx").join("sub"));
    assert!(made.note.unwrap().contains("1 file is not committed here"));
    assert_eq!(fs::read_to_string(made.folder.join("b.txt")).unwrap(), "two\n");
    assert_eq!(list(&repo).await, std::slice::from_ref(&made.worktree));
    assert_eq!(make(&repo.join("sub"), "sqlx").await.unwrap().worktree, made.worktree);
    assert_eq!(make(Path::new(&made.worktree.path), "two").await.unwrap().worktree.path, {
        dir.path().canonicalize().unwrap().join("inkwell-two").display().to_string()
    });
}

#[tokio::test]
async fn that_of_a_submodule_lies_in_no_other_repository() {
    let (dir, lib) = repository();
    let top = dir.path().canonicalize().unwrap();
    let sup = top.join("sup");
    fs::create_dir(&sup).unwrap();
    git(&sup, &["init", "-q", "-b", "main"]);
    git(
        &sup,
        &["-c", "protocol.file.allow=always", "submodule", "add", "-q", &lib.display().to_string(), "lib"],
    );
    let made = make(&sup.join("lib"), "other").await.unwrap();
    assert_eq!(made.folder, top.join("lib-other"));
    assert_eq!(git(&sup, &["status", "--porcelain"]), "A  .gitmodules\nA  lib");
}

#[tokio::test]
async fn what_was_done_in_one_is_merged_back_committed_or_not() {
    let (_dir, repo) = repository();
    let made = make(&repo, "sqlx").await.unwrap();
    assert!(ended(&repo, WorktreeEnd::Merge, "sqlx", None).await.unwrap_err().contains("contains nothing"));
    fs::write(made.folder.join("c.txt"), "three\n").unwrap();
    git(&made.folder, &["add", "."]);
    git(&made.folder, &["commit", "-qm", "three"]);
    fs::write(made.folder.join("d.txt"), "four\n").unwrap();
    let stake = asked(&repo, WorktreeEnd::Merge, "sqlx").await;
    let lines = stake.lines.join("\n");
    assert!(lines.contains("1 file is not committed there: d.txt") && lines.contains("c.txt"), "{lines}");
    assert!(!repo.join("c.txt").exists(), "asking changes nothing");
    // What changed since it was shown is shown again.
    fs::write(made.folder.join("e.txt"), "five\n").unwrap();
    let again = ended(&repo, WorktreeEnd::Merge, "sqlx", Some(stake.shown)).await.unwrap();
    let Ended::Asks(stake) = again else { panic!("{again:?}") };
    assert!(sure(&repo, WorktreeEnd::Merge, &stake).await.contains("is merged"));
    assert!(["c.txt", "d.txt", "e.txt"].iter().all(|f| repo.join(f).exists()));
    let said = ended(&repo, WorktreeEnd::Drop, "sqlx", None).await.unwrap();
    assert!(matches!(said, Ended::Done(_, said) if said.contains("had nothing of its own")));
    assert!(!made.folder.exists() && list(&repo).await.is_empty());
    assert_eq!(git(&repo, &["branch", "--list", "pilothouse/*"]), "");
}

/// A repository on a rig, and a worktree of it.
async fn worked_in() -> (crate::rig::Rig, PathBuf, Made) {
    let rig = crate::rig::Rig::new(&crate::rig::plan_and_edit());
    let repo = rig.work().canonicalize().unwrap();
    git(&repo, &["init", "-q", "-b", "trunk"]);
    git(&repo, &["config", "user.name", "x"]);
    git(&repo, &["config", "user.email", "x@y"]);
    git(&repo, &["add", "."]);
    git(&repo, &["commit", "-qm", "first"]);
    let made = make(&repo, "sqlx").await.unwrap();
    (rig, repo, made)
}

/// The exit code of an order in it, and what was said on the way.
async fn ordered(rig: &crate::rig::Rig, made: &Made, auto_confirm: bool) -> (u8, String) {
    let setup =
        crate::driver::Setup { workspace: made.folder.clone(), ..rig.setup(crate::driver::Which::New) };
    let goal = "change two to 2 in src/a.txt".to_owned();
    let options = crate::headless::Options { goal, auto_confirm, quiet: true, ..Default::default() };
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let run = crate::headless::run(setup, options, &mut out, &mut err, std::future::pending()).await.unwrap();
    (run.exit, String::from_utf8_lossy(&err).into_owned())
}

#[tokio::test]
async fn what_a_session_of_it_has_not_finished_is_at_stake_like_a_commit() {
    let (rig, repo, made) = worked_in().await;
    let (exit, err) = ordered(&rig, &made, false).await;
    assert_eq!(exit, 3, "{err}");
    let asks = end(&rig.home(), &repo, WorktreeEnd::Drop, "sqlx", None).await.unwrap();
    let Ended::Asks(stake) = asks else { panic!("{asks:?}") };
    let first = stake.lines.first().unwrap();
    assert!(first.starts_with("not finished in \"Numbers\": a plan (0 of 1 done)"), "{stake:?}");
    assert!(made.folder.exists(), "asking drops nothing");
    fs::write(made.folder.join("c.txt"), "three\n").unwrap();
    let asks = end(&rig.home(), &repo, WorktreeEnd::Merge, "sqlx", None).await.unwrap();
    let Ended::Asks(merged) = asks else { panic!("{asks:?}") };
    assert!(merged.lines.contains(first), "{merged:?}");
    let done = end(&rig.home(), &repo, WorktreeEnd::Drop, "sqlx", Some(stake.shown)).await.unwrap();
    assert!(matches!(done, Ended::Asks(_)), "what is at stake is another now");
}

#[tokio::test]
async fn a_merge_names_the_branch_and_what_comes_and_commits_with_what_was_wanted() {
    let (rig, repo, made) = worked_in().await;
    fs::write(made.folder.join("c.txt"), "three\n").unwrap();
    git(&made.folder, &["add", "."]);
    git(&made.folder, &["commit", "-qm", "three"]);
    let (exit, err) = ordered(&rig, &made, true).await;
    assert_eq!(exit, 0, "{err}");
    let asks = end(&rig.home(), &repo, WorktreeEnd::Merge, "sqlx", None).await.unwrap();
    let Ended::Asks(stake) = asks else { panic!("{asks:?}") };
    assert_eq!(stake.into, "trunk");
    assert_eq!(
        stake.lines,
        [
            "2 commits of pilothouse/sqlx with 2 files will be merged into trunk: c.txt, src/a.txt",
            "1 file is not committed there: src/a.txt",
            "committed on pilothouse/sqlx first, so that nothing is lost: \"Change two to 2 in src/a.txt\"",
        ]
    );
    let done = end(&rig.home(), &repo, WorktreeEnd::Merge, "sqlx", Some(stake.shown)).await.unwrap();
    assert!(matches!(done, Ended::Done(_, said) if said.contains("merged into trunk")));
    assert_eq!(git(&repo, &["log", "-1", "--format=%s", "pilothouse/sqlx"]), "Change two to 2 in src/a.txt");
    assert_eq!(rig.text(), "one\n2\nthree\n");
}

#[test]
fn all_of_the_message_that_would_be_written_is_shown() {
    let look = Look {
        head: "1".into(),
        into: "main".into(),
        files: vec!["a.txt".into()],
        message: "Count words\n\n- Count them\n- Tests of it\n\nChecked: make test".into(),
        ignored: Vec::new(),
        ahead: 0,
        changed: Vec::new(),
        both: Vec::new(),
        here: Vec::new(),
        unfinished: Vec::new(),
    };
    let worktree = Worktree { name: "sqlx".into(), path: "/w/sqlx".into(), branch: "pilothouse/sqlx".into() };
    for end in [WorktreeEnd::Merge, WorktreeEnd::Drop] {
        let lines = look.stake(end, &worktree).lines.join("\n");
        for part in ["Count words", "Count them", "Tests of it", "Checked: make test"] {
            assert!(lines.contains(part), "no {part} in {lines}");
        }
    }
}

#[tokio::test]
async fn a_dirty_one_asks_before_it_goes_and_loses_nothing() {
    let (_dir, repo) = repository();
    let made = make(&repo, "sqlx").await.unwrap();
    fs::write(made.folder.join("a.txt"), "changed\n").unwrap();
    fs::write(made.folder.join("new.txt"), "new\n").unwrap();
    fs::create_dir(made.folder.join("target")).unwrap();
    fs::write(made.folder.join("target/out"), "built\n").unwrap();
    let stake = asked(&repo, WorktreeEnd::Drop, "sqlx").await;
    let lines = stake.lines.join("\n");
    assert!(lines.contains("2 files are not committed there: a.txt, new.txt"), "{lines}");
    assert!(lines.contains("deleted for good, since git ignores it: target/"), "{lines}");
    assert!(made.folder.join("new.txt").exists(), "asking drops nothing");
    let said = sure(&repo, WorktreeEnd::Drop, &stake).await;
    assert!(said.contains("its work is on pilothouse/sqlx"), "{said}");
    assert!(!made.folder.exists());
    assert_eq!(git(&repo, &["show", "pilothouse/sqlx:a.txt"]), "changed");
    assert_eq!(git(&repo, &["show", "pilothouse/sqlx:new.txt"]), "new");
    // And it comes back under its name, with what was in it.
    assert_eq!(
        fs::read_to_string(make(&repo, "sqlx").await.unwrap().folder.join("new.txt")).unwrap(),
        "new\n"
    );
}

#[tokio::test]
async fn a_conflict_leaves_the_folder_as_it_was_and_names_the_file() {
    let (_dir, repo) = repository();
    let made = make(&repo, "sqlx").await.unwrap();
    fs::write(made.folder.join("a.txt"), "theirs\n").unwrap();
    fs::write(repo.join("a.txt"), "ours\n").unwrap();
    git(&repo, &["commit", "-qam", "ours"]);
    let head = git(&repo, &["rev-parse", "HEAD"]);
    let stake = asked(&repo, WorktreeEnd::Merge, "sqlx").await;
    let why = ended(&repo, WorktreeEnd::Merge, "sqlx", Some(stake.shown)).await.unwrap_err();
    let lines = stake.lines.join("\n");
    assert!(
        lines.contains("both sides changed a.txt; where they changed the same lines, git will not"),
        "{lines}"
    );
    assert!(why.contains("both sides changed a.txt") && why.contains("this folder is unchanged"), "{why}");
    assert!(why.ends_with("Before that, 1 file was committed on pilothouse/sqlx; that stays"), "{why}");
    let stake = asked(&repo, WorktreeEnd::Merge, "sqlx").await;
    let (lines, again) = (stake.lines.join("\n"), Some(stake.shown));
    assert!(lines.contains("both sides changed a.txt"), "committed as well: {lines}");
    let again = ended(&repo, WorktreeEnd::Merge, "sqlx", again).await.unwrap_err();
    assert!(!again.contains("Before that"), "{again}");
    assert_eq!(fs::read_to_string(repo.join("a.txt")).unwrap(), "ours\n");
    assert_eq!(
        (git(&repo, &["rev-parse", "HEAD"]), git(&repo, &["status", "--porcelain"])),
        (head, String::new())
    );
    assert_eq!(git(&repo, &["show", "pilothouse/sqlx:a.txt"]), "theirs", "and nothing is lost there");
}

#[tokio::test]
async fn what_both_sides_changed_is_no_matter_where_nothing_is_merged() {
    let (_dir, repo) = repository();
    let made = make(&repo, "sqlx").await.unwrap();
    fs::write(made.folder.join("a.txt"), "theirs\n").unwrap();
    git(&made.folder, &["commit", "-qam", "theirs"]);
    let stakes =
        [asked(&repo, WorktreeEnd::Drop, "sqlx").await, asked(&repo, WorktreeEnd::Merge, "sqlx").await];
    fs::write(repo.join("a.txt"), "ours\n").unwrap();
    git(&repo, &["commit", "-qam", "ours"]);
    let [drop, merge] = stakes;
    let again = ended(&repo, WorktreeEnd::Merge, "sqlx", Some(merge.shown)).await.unwrap();
    assert!(matches!(again, Ended::Asks(_)), "{again:?}");
    sure(&repo, WorktreeEnd::Drop, &drop).await;
}

#[tokio::test]
async fn a_file_that_both_sides_changed_in_different_places_is_no_conflict() {
    let (_dir, repo) = repository();
    let lines = |first: &str, last: &str| format!("{first}\n{}{last}\n", "same\n".repeat(20));
    fs::write(repo.join("a.txt"), lines("one", "two")).unwrap();
    git(&repo, &["commit", "-qam", "long"]);
    let made = make(&repo, "sqlx").await.unwrap();
    fs::write(made.folder.join("a.txt"), lines("one", "theirs")).unwrap();
    git(&made.folder, &["commit", "-qam", "theirs"]);
    fs::write(repo.join("a.txt"), lines("ours", "two")).unwrap();
    git(&repo, &["commit", "-qam", "ours"]);
    let stake = asked(&repo, WorktreeEnd::Merge, "sqlx").await;
    assert!(!stake.lines.join("\n").contains("both sides"), "{:?}", stake.lines);
    sure(&repo, WorktreeEnd::Merge, &stake).await;
    assert_eq!(fs::read_to_string(repo.join("a.txt")).unwrap(), lines("ours", "theirs"));
}

#[tokio::test]
async fn nothing_of_the_repository_runs_when_one_is_made_merged_and_dropped() {
    use std::os::unix::fs::PermissionsExt;
    let (dir, repo) = repository();
    let fired = dir.path().join("fired");
    for hook in ["post-checkout", "pre-commit", "commit-msg", "post-commit", "pre-merge-commit", "post-merge"]
    {
        let path = repo.join(".git/hooks").join(hook);
        fs::write(&path, format!("#!/bin/sh\ntouch {}\n", fired.display())).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let made = make(&repo, "sqlx").await.unwrap();
    fs::write(made.folder.join("new.txt"), "new\n").unwrap();
    let stake = asked(&repo, WorktreeEnd::Merge, "sqlx").await;
    sure(&repo, WorktreeEnd::Merge, &stake).await;
    ended(&repo, WorktreeEnd::Drop, "sqlx", None).await.unwrap();
    assert!(!fired.exists(), "a hook ran");
    git(&repo, &["commit", "-q", "--allow-empty", "-m", "plain"]);
    assert!(fired.exists(), "a plain commit runs one, or this proves nothing");
}

#[tokio::test]
async fn what_cannot_be_made_is_said_and_leaves_nothing() {
    let (dir, repo) = repository();
    for name in ["", "-b", "a/b", "..", "a..b", "x.lock", "ü", &"n".repeat(41)] {
        assert!(make(&repo, name).await.unwrap_err().contains("a worktree's name"), "{name}");
    }
    assert!(make(dir.path(), "x").await.unwrap_err().contains("needs a git repository"));
    fs::create_dir(repo.with_file_name("inkwell-there")).unwrap();
    assert!(make(&repo, "there").await.unwrap_err().contains("already exists; choose another name"));
    let fresh = dir.path().join("fresh");
    fs::create_dir(&fresh).unwrap();
    git(&fresh, &["init", "-q"]);
    assert!(make(&fresh, "x").await.unwrap_err().contains("starts from a commit"));
    assert!(
        ended(&repo, WorktreeEnd::Drop, "nobody", None).await.unwrap_err().contains("no worktree called")
    );
    assert!(list(&repo).await.is_empty());
}

/// Where the small disk is, in the process that was started on one.
const SMALL: &str = "PILOTHOUSE_SMALL_DISK";

#[tokio::test]
async fn a_full_disk_is_said_in_plain_words_and_nothing_is_left() {
    let why = "Preparing worktree\nerror: unable to write file big: No space left on device\nfatal: x";
    assert_eq!(cause(why), "the disk is full");
    let Some(small) = std::env::var_os(SMALL) else { return on_a_small_disk() };
    // 600 KB as a file and as an object leave too little of 1.6 MB for a second file.
    let repo = Path::new(&small).join("inkwell");
    fs::create_dir(&repo).unwrap();
    git(&repo, &["init", "-q", "-b", "main"]);
    let mut state = 1_u64;
    let noise = std::iter::repeat_with(|| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        state.to_be_bytes()[0]
    });
    fs::write(repo.join("big"), noise.take(600_000).collect::<Vec<u8>>()).unwrap();
    git(&repo, &["add", "."]);
    git(&repo, &["-c", "user.name=x", "-c", "user.email=x@y", "commit", "-qm", "big"]);
    let why = make(&repo, "sqlx").await.unwrap_err();
    assert!(why.contains("the disk is full") && why.ends_with("nothing is left of it"), "{why}");
    assert!(!repo.with_file_name("inkwell-sqlx").exists() && list(&repo).await.is_empty());
    assert_eq!(git(&repo, &["branch", "--list", "pilothouse/*"]), "");
    assert_eq!(git(&repo, &["status", "--porcelain"]), "");
}

/// The same test in a process that has a small disk of its own; where none can be made the words alone are tested.
fn on_a_small_disk() {
    let dir = tempfile::tempdir().unwrap();
    let script = "mount -t tmpfs -o size=1600k none \"$1\" || exit 77; shift; exec \"$@\"";
    let test = "worktrees::tests::a_full_disk_is_said_in_plain_words_and_nothing_is_left";
    let mut unshare = Command::new("unshare");
    unshare.args(["-rm", "sh", "-c", script, "sh"]).arg(dir.path());
    unshare.arg(std::env::current_exe().unwrap()).args([test, "--exact"]).env(SMALL, dir.path());
    let Ok(done) = unshare.output() else { return };
    let said = String::from_utf8_lossy(&done.stdout).into_owned();
    assert!(done.status.success() || !said.contains("running 1 test"), "{said}");
}

#[tokio::test]
async fn a_merge_names_what_is_not_committed_where_it_goes() {
    let (_dir, repo) = repository();
    let made = make(&repo, "sqlx").await.unwrap();
    fs::write(made.folder.join("a.txt"), "theirs\n").unwrap();
    git(&made.folder, &["commit", "-qam", "theirs"]);
    fs::write(repo.join("a.txt"), "mine\n").unwrap();
    fs::write(repo.join("note.txt"), "mine\n").unwrap();
    let stake = asked(&repo, WorktreeEnd::Merge, "sqlx").await;
    let lines = stake.lines.join("\n");
    assert!(
        lines.contains("1 file is not committed in main and would be overwritten, so git refuses: a.txt"),
        "{lines}"
    );
    assert!(lines.contains("1 file is not committed in main, and left alone: note.txt"), "{lines}");
    // What changes there meanwhile is asked about again.
    git(&repo, &["checkout", "a.txt"]);
    let again = ended(&repo, WorktreeEnd::Merge, "sqlx", Some(stake.shown)).await.unwrap();
    let Ended::Asks(stake) = again else { panic!("{again:?}") };
    assert!(!stake.lines.join("\n").contains("git refuses"));
    assert!(sure(&repo, WorktreeEnd::Merge, &stake).await.contains("is merged"));
    assert_eq!(fs::read_to_string(repo.join("note.txt")).unwrap(), "mine\n");
}
