use std::{fs, os::unix::fs::PermissionsExt, process::Command};

use pilothouse_core::relpath::RelPath;

use super::*;

fn sought(name: &str, states: Vec<Option<BlobId>>) -> SoughtFile {
    SoughtFile { path: RelPath::new(name).unwrap(), states }
}

/// A repository with one commit of `a.txt` and `b.txt`.
struct Repo {
    dir: tempfile::TempDir,
}

impl Repo {
    fn new() -> Self {
        let repo = Self { dir: tempfile::tempdir().unwrap() };
        repo.git(&["init", "-q", "-b", "main"]);
        repo.git(&["config", "user.name", "Ada"]);
        repo.git(&["config", "user.email", "ada@example.org"]);
        repo.write("a.txt", "one\n");
        repo.write("b.txt", "one\n");
        repo.git(&["add", "."]);
        repo.git(&["commit", "-qm", "first"]);
        repo
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.dir.path().join(name), text).unwrap();
    }

    fn git(&self, args: &[&str]) -> String {
        let mut git = Command::new("git");
        git.args(["-c", "protocol.file.allow=always"]).args(args).current_dir(self.dir.path());
        let done = git.env("GIT_CONFIG_GLOBAL", "/dev/null").output().unwrap();
        assert!(done.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8(done.stdout).unwrap()
    }

    fn jail(&self) -> Jail {
        Jail::open(self.dir.path()).unwrap()
    }

    /// Files that the session wrote over what was committed last.
    fn wrote(&self, names: &[&str]) -> Vec<SoughtFile> {
        let now = |name: &str| fs::read(self.dir.path().join(name)).ok().map(|b| BlobId::of(&b));
        let last = |name: &str| {
            let mut git = Command::new("git");
            git.args(["show", &format!("HEAD:{name}")]).current_dir(self.dir.path());
            let done = git.output().unwrap();
            done.status.success().then(|| BlobId::of(&done.stdout))
        };
        names.iter().map(|n| sought(n, vec![last(n), now(n)])).collect()
    }

    async fn looked(&self, names: &[&str]) -> Result<CommitTree, String> {
        look(&self.jail(), &self.wrote(names)).await
    }
}

/// A merge of a branch that changed `a.txt` as well, and `c.txt`, which git merges by itself.
fn merging() -> Repo {
    let repo = Repo::new();
    repo.git(&["checkout", "-qb", "other"]);
    repo.write("a.txt", "theirs\n");
    repo.write("c.txt", "new\n");
    repo.git(&["add", "."]);
    repo.git(&["commit", "-qm", "theirs"]);
    repo.git(&["checkout", "-q", "main"]);
    repo.write("a.txt", "ours\n");
    repo.git(&["commit", "-qam", "ours"]);
    let mut git = Command::new("git");
    let merged = git.args(["merge", "-q", "other"]).current_dir(repo.dir.path()).output().unwrap();
    assert!(!merged.status.success(), "it is in conflict");
    repo
}

#[tokio::test]
async fn whether_the_log_begins_its_lines_with_small_letters_is_looked_up() {
    let repo = Repo::new();
    repo.write("a.txt", "two\n");
    assert!(repo.looked(&["a.txt"]).await.unwrap().small, "\"first\" is all there is");
    for line in ["core: Mend it", "Add b"] {
        repo.git(&["commit", "-q", "--allow-empty", "-m", line]);
    }
    assert!(!repo.looked(&["a.txt"]).await.unwrap().small);
    for line in ["core: mend it", "fix: add c"] {
        repo.git(&["commit", "-q", "--allow-empty", "-m", line]);
    }
    assert!(repo.looked(&["a.txt"]).await.unwrap().small);
}

#[tokio::test]
async fn the_lines_that_came_and_went_are_read_of_the_files_that_are_named() {
    let repo = Repo::new();
    repo.write("a.txt", "two\n");
    repo.write("b.txt", "of another\n");
    repo.write("c.txt", "int ring_peek(void);\n");
    let tree = repo.looked(&["a.txt", "c.txt"]).await.unwrap();
    let lines: Vec<&str> =
        tree.lines.lines().filter(|l| !l.starts_with("+++") && !l.starts_with("---")).collect();
    assert_eq!(lines, ["-one", "+two", "+int ring_peek(void);"]);
    repo.git(&["add", "c.txt"]);
    assert_eq!(repo.looked(&["c.txt"]).await.unwrap().lines.lines().last(), Some("+int ring_peek(void);"));
}

#[tokio::test]
async fn a_merge_whose_files_are_settled_is_ended_by_the_commit() {
    let repo = merging();
    let why = repo.looked(&["a.txt"]).await.unwrap_err();
    assert_eq!(
        why,
        "a merge is under way, and a.txt still holds conflict markers; settle them, then commit again"
    );
    repo.write("a.txt", "both\n");
    // Who settled it makes no difference: without it there is no commit.
    for named in ["a.txt", "b.txt"] {
        let tree = repo.looked(&[named]).await.unwrap();
        assert_eq!(tree.files.iter().map(|f| f.path.as_str()).collect::<Vec<_>>(), ["a.txt"]);
        let merge = tree.merge.clone().unwrap();
        assert_eq!(
            (merge.more, tree.others, tree.staged, tree.files.iter().any(|file| file.mixed)),
            (1, 0, 0, false)
        );
        assert_eq!(merge.message, "Merge branch 'other'");
    }
    let tree = repo.looked(&["a.txt"]).await.unwrap();
    let merge = tree.merge.unwrap();
    let why = commit(&repo.jail(), &tree.files, "x", None).await.unwrap_err();
    assert!(why.contains("is not what was shown"), "{why}");
    let made = commit(&repo.jail(), &tree.files, &merge.message, Some(&merge.state)).await.unwrap();
    assert_eq!(made.on, "main");
    assert_eq!(repo.git(&["log", "-1", "--format=%s %P"]).split(' ').count(), 5, "two parents");
    assert_eq!(repo.git(&["show", "HEAD:a.txt"]), "both\n");
    assert_eq!(repo.git(&["show", "HEAD:c.txt"]), "new\n");
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
    // What was shown as the end of a merge is no other commit.
    repo.write("a.txt", "later\n");
    let tree = repo.looked(&["a.txt"]).await.unwrap();
    let why = commit(&repo.jail(), &tree.files, "x", Some(&merge.state)).await.unwrap_err();
    assert!(why.contains("is not what was shown"), "{why}");
}

/// What a look names, with what it says is mixed, and how many files more.
fn named(tree: &CommitTree) -> (Vec<(&str, bool)>, usize) {
    let files = tree.files.iter().map(|f| (f.path.as_str(), f.mixed)).collect();
    (files, tree.merge.as_ref().unwrap().more)
}

#[tokio::test]
async fn what_others_staged_is_in_no_merge_that_does_not_name_it() {
    let repo = merging();
    repo.write("a.txt", "both\n");
    let shown = repo.looked(&["a.txt"]).await.unwrap();
    assert_eq!(named(&shown), (vec![("a.txt", false)], 1));
    // Staged after it was shown: it is not what was agreed to.
    repo.write("secret.txt", "s\n");
    repo.git(&["add", "secret.txt"]);
    let state = shown.merge.unwrap().state;
    let why = commit(&repo.jail(), &shown.files, "x", Some(&state)).await.unwrap_err();
    assert!(why.contains("is not what was shown"), "{why}");
    assert_eq!(repo.git(&["log", "-1", "--format=%s"]), "ours\n");
    // Staged before: it is named, as what the session did not make.
    let tree = repo.looked(&["a.txt"]).await.unwrap();
    assert_eq!(named(&tree), (vec![("a.txt", false), ("secret.txt", true)], 1));
    // What git merged itself is named once it is not as the other side has it, and what changed behind its back as mixed.
    repo.git(&["rm", "-q", "--cached", "secret.txt"]);
    repo.write("c.txt", "new\nand more\n");
    repo.git(&["add", "c.txt"]);
    let tree = repo.looked(&["a.txt"]).await.unwrap();
    assert_eq!(named(&tree), (vec![("a.txt", false), ("c.txt", false)], 0));
    repo.write("c.txt", "new\nand more\nof the user's\n");
    let tree = repo.looked(&["a.txt"]).await.unwrap();
    assert_eq!(named(&tree), (vec![("a.txt", false), ("c.txt", true)], 0));
    // And what the merge has nothing to do with is as mixed as it is in every commit.
    repo.git(&["checkout", "-q", "--theirs", "a.txt"]);
    repo.write("b.txt", "the session's\n");
    let wrote = repo.wrote(&["b.txt"]);
    repo.write("b.txt", "the user's\n");
    let tree = look(&repo.jail(), &wrote).await.unwrap();
    assert!(named(&tree).0.contains(&("b.txt", true)), "{tree:?}");
}

#[tokio::test]
async fn a_conflict_without_marks_is_not_taken_for_settled() {
    let repo = Repo::new();
    let both = |branch: &str, text: &str| {
        repo.git(&["checkout", "-q", branch]);
        fs::write(repo.dir.path().join("logo.png"), [b"\0", text.as_bytes()].concat()).unwrap();
        repo.write("whole.txt", text);
        match branch {
            "other" => drop(repo.git(&["rm", "-q", "b.txt"])),
            _ => repo.write("b.txt", text),
        }
        repo.git(&["add", "."]);
        repo.git(&["commit", "-qm", text]);
    };
    repo.write("logo.png", "one\n");
    repo.write("whole.txt", "one\n");
    repo.write(".gitattributes", "whole.txt -merge\n");
    repo.git(&["add", "."]);
    repo.git(&["commit", "-qm", "base"]);
    repo.git(&["branch", "other"]);
    both("other", "theirs\n");
    both("main", "ours\n");
    let merged = Command::new("git").args(["merge", "-q", "other"]).current_dir(repo.dir.path()).output();
    assert!(!merged.unwrap().status.success(), "it is in conflict");
    repo.write("new.txt", "x\n");
    let why = repo.looked(&["new.txt"]).await.unwrap_err();
    assert!(
        why.contains("b.txt, logo.png, whole.txt are in conflict without markers")
            && why.contains("`!git add b.txt logo.png whole.txt`"),
        "{why}"
    );
    repo.git(&["add", "b.txt", "logo.png", "whole.txt"]);
    let tree = repo.looked(&["new.txt"]).await.unwrap();
    let state = tree.merge.clone().unwrap().state;
    commit(&repo.jail(), &tree.files, "x", Some(&state)).await.unwrap();
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
}

#[tokio::test]
async fn a_merge_that_others_settled_whole_is_ended_and_takes_nothing_else() {
    let repo = Repo::new();
    repo.git(&["checkout", "-qb", "other"]);
    repo.write("c.txt", "new\n");
    repo.git(&["add", "."]);
    repo.git(&["commit", "-qm", "theirs"]);
    repo.git(&["checkout", "-q", "main"]);
    repo.git(&["commit", "-q", "--allow-empty", "-m", "ours"]);
    repo.git(&["merge", "-q", "--no-commit", "other"]);
    repo.write(".env", "KEY=1\n");
    let tree = repo.looked(&["a.txt"]).await.unwrap();
    assert_eq!(named(&tree), (Vec::new(), 1));
    let state = tree.merge.clone().unwrap().state;
    commit(&repo.jail(), &tree.files, "x", Some(&state)).await.unwrap();
    assert_eq!(repo.git(&["log", "-1", "--format=%P"]).split(' ').count(), 2, "two parents");
    assert_eq!(repo.git(&["status", "--porcelain"]), "?? .env\n");
}

#[tokio::test]
async fn only_what_is_named_is_committed_and_the_rest_stays_as_it_was() {
    let repo = Repo::new();
    repo.write("a.txt", "two\n");
    repo.write("new.txt", "new\n");
    repo.write("b.txt", "staged\n");
    repo.git(&["add", "b.txt"]);
    repo.write("loose.txt", "x\n");
    let tree = repo.looked(&["a.txt", "new.txt", "gone.txt"]).await.unwrap();
    assert_eq!((tree.on.as_str(), tree.others, tree.staged), ("main", 1, 1));
    assert_eq!(tree.left, ["b.txt"]);
    let kinds: Vec<_> = tree.files.iter().map(|f| (f.path.as_str(), f.kind, f.untracked, f.mixed)).collect();
    assert_eq!(
        kinds,
        [("a.txt", ChangeKind::Modify, false, false), ("new.txt", ChangeKind::Create, true, false)]
    );
    let made = commit(&repo.jail(), &tree.files, "Change a\n\n# kept", None).await.unwrap();
    assert_eq!(made.on, "main");
    assert_eq!(
        repo.git(&["show", "--name-only", "--format=%B", "HEAD"]),
        "Change a\n\n# kept\n\n\na.txt\nnew.txt\n"
    );
    assert_eq!(repo.git(&["status", "--porcelain"]), "M  b.txt\n?? loose.txt\n");
    assert_eq!(repo.git(&["diff", "--cached", "--name-only"]), "b.txt\n");
    assert!(repo.looked(&["a.txt", "new.txt"]).await.unwrap().files.is_empty());
}

#[tokio::test]
async fn removed_files_a_first_commit_and_folders_below_the_top_are_committed() {
    let repo = Repo::new();
    fs::remove_file(repo.dir.path().join("a.txt")).unwrap();
    let tree = repo.looked(&["a.txt"]).await.unwrap();
    assert_eq!(tree.files.first().unwrap().kind, ChangeKind::Delete);
    commit(&repo.jail(), &tree.files, "Remove a", None).await.unwrap();
    assert_eq!(repo.git(&["ls-files"]), "b.txt\n");
    fs::create_dir(repo.dir.path().join("sub")).unwrap();
    repo.write("sub/-odd *name", "x\n");
    repo.write("b.txt", "other\n");
    let below = Jail::open(&repo.dir.path().join("sub")).unwrap();
    let wanted = [sought("-odd *name", vec![None, Some(BlobId::of(b"x\n"))])];
    let tree = look(&below, &wanted).await.unwrap();
    assert_eq!((tree.files.len(), tree.others), (1, 1));
    commit(&below, &tree.files, "Add", None).await.unwrap();
    assert_eq!(repo.git(&["status", "--porcelain"]), " M b.txt\n");
    let bare = tempfile::tempdir().unwrap();
    let fresh = Repo { dir: bare };
    fresh.git(&["init", "-q", "-b", "main"]);
    fresh.git(&["config", "user.name", "Ada"]);
    fresh.git(&["config", "user.email", "a@b.c"]);
    fresh.write("a.txt", "one\n");
    let tree = fresh.looked(&["a.txt"]).await.unwrap();
    commit(&fresh.jail(), &tree.files, "First", None).await.unwrap();
    assert_eq!(fresh.git(&["log", "--format=%s"]), "First\n");
}

#[tokio::test]
async fn what_changed_since_it_was_shown_is_not_committed() {
    let repo = Repo::new();
    repo.write("a.txt", "two\n");
    repo.write("new.txt", "new\n");
    let tree = repo.looked(&["a.txt", "new.txt"]).await.unwrap();
    repo.write("a.txt", "three\n");
    let why = commit(&repo.jail(), &tree.files, "Change a", None).await.unwrap_err();
    assert!(why.contains("a.txt changed since"), "{why}");
    assert_eq!(repo.git(&["log", "--format=%s"]), "first\n");
    assert_eq!(repo.git(&["status", "--porcelain"]), " M a.txt\n?? new.txt\n");
    // What somebody else wrote into it is told.
    let held = |text: &str| Some(BlobId::of(text.as_bytes()));
    let mixed = async |states: Vec<Option<BlobId>>| {
        look(&repo.jail(), &[sought("a.txt", states)]).await.unwrap().files.first().unwrap().mixed
    };
    assert!(mixed(vec![held("one\n"), held("two\n")]).await);
    // Also what had been written into it before, and is in no commit.
    assert!(mixed(vec![held("somebody's\n"), held("three\n")]).await);
    assert!(!mixed(vec![held("one\n"), held("two\n"), held("three\n")]).await);
    // A file that git does not know and that was there before is not all of this session.
    repo.write("notes.txt", "mine and yours\n");
    let tree =
        look(&repo.jail(), &[sought("notes.txt", vec![held("mine\n"), held("mine and yours\n")])]).await;
    assert!(tree.unwrap().files.first().unwrap().mixed);
}

#[tokio::test]
async fn what_lies_in_a_repository_below_is_committed_there() {
    let repo = Repo::new();
    let lib = Repo::new();
    let from = lib.dir.path().display().to_string();
    repo.git(&["submodule", "add", "-q", &from, "lib"]);
    repo.git(&["commit", "-qm", "lib"]);
    repo.write("lib/a.txt", "two\n");
    repo.write("b.txt", "two\n");
    let held = |text: &str| Some(BlobId::of(text.as_bytes()));
    let below = || sought("lib/a.txt", vec![held("one\n"), held("two\n")]);
    let why = look(&repo.jail(), &[below()]).await.unwrap_err();
    assert!(why.contains("1 file below lib, a repository of its own: commit there"), "{why}");
    let tree =
        look(&repo.jail(), &[below(), sought("b.txt", vec![held("one\n"), held("two\n")])]).await.unwrap();
    assert_eq!(tree.files.iter().map(|f| f.path.as_str()).collect::<Vec<_>>(), ["b.txt"]);
    assert!(tree.notes.iter().any(|n| n.contains("below lib")), "{:?}", tree.notes);
}

#[tokio::test]
async fn hooks_do_not_run_and_that_is_told() {
    let repo = Repo::new();
    let hook = repo.dir.path().join(".git/hooks/pre-commit");
    fs::create_dir_all(hook.parent().unwrap()).unwrap();
    fs::write(&hook, "#!/bin/sh\ntouch fired\nexit 1\n").unwrap();
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).unwrap();
    repo.git(&["config", "commit.gpgSign", "true"]);
    repo.write("a.txt", "two\n");
    let tree = repo.looked(&["a.txt"]).await.unwrap();
    assert!(tree.notes.iter().any(|n| n.contains("pre-commit")), "{:?}", tree.notes);
    assert!(tree.notes.iter().any(|n| n.contains("not signed")), "{:?}", tree.notes);
    commit(&repo.jail(), &tree.files, "Change a", None).await.unwrap();
    assert!(!repo.dir.path().join("fired").exists());
}

#[tokio::test]
async fn where_nothing_can_be_committed_the_words_say_why() {
    let none = tempfile::tempdir().unwrap();
    let why = look(&Jail::open(none.path()).unwrap(), &[]).await.unwrap_err();
    assert_eq!(why, "this folder is not in a git repository");
    let repo = Repo::new();
    repo.write("a.txt", "two\n");
    let refused = |why: &'static str| {
        let repo = &repo;
        async move {
            let said = repo.looked(&["a.txt"]).await.unwrap_err();
            assert!(said.contains(why), "{said}");
        }
    };
    repo.write(".git/CHERRY_PICK_HEAD", "x\n");
    refused("`!git cherry-pick --continue` finishes it").await;
    fs::remove_file(repo.dir.path().join(".git/CHERRY_PICK_HEAD")).unwrap();
    fs::create_dir(repo.dir.path().join(".git/rebase-merge")).unwrap();
    refused("a rebase is in progress").await;
    fs::remove_dir(repo.dir.path().join(".git/rebase-merge")).unwrap();
    repo.write(".gitattributes", "*.txt filter=lfs\n");
    refused("goes through the filter lfs").await;
    fs::remove_file(repo.dir.path().join(".gitattributes")).unwrap();
    repo.git(&["config", "user.name", " "]);
    refused("git does not know who you are").await;
    repo.git(&["config", "user.name", "Ada"]);
    repo.git(&["checkout", "-q", "--detach"]);
    let tree = repo.looked(&["a.txt"]).await.unwrap();
    assert!(tree.on.contains("HEAD is detached"), "{}", tree.on);
    let locked = repo.dir.path().join(".git/index.lock");
    fs::write(&locked, "").unwrap();
    let why = commit(&repo.jail(), &tree.files, "x", None).await.unwrap_err();
    assert!(why.contains("index.lock"), "{why}");
}

/// Who commits may stand in the environment alone: looked at in a process that has it there and nowhere else.
#[tokio::test]
async fn the_names_of_the_environment_are_who_commits() {
    let repo = Repo::new();
    repo.git(&["config", "--remove-section", "user"]);
    repo.write("a.txt", "two\n");
    if std::env::var_os("GIT_AUTHOR_NAME").is_some_and(|name| name == "Env Ada") {
        let tree = repo.looked(&["a.txt"]).await.unwrap();
        commit(&repo.jail(), &tree.files, "Two", None).await.unwrap();
        assert_eq!(repo.git(&["log", "-1", "--format=%an %ae %cn %ce"]).trim(), "Env Ada a@x Env Bea b@x");
        return;
    }
    let test = "git::commit::tests::the_names_of_the_environment_are_who_commits";
    let mut again = Command::new(std::env::current_exe().unwrap());
    again.args(["--exact", test]).env("HOME", repo.dir.path()).env_remove("XDG_CONFIG_HOME");
    again.env("GIT_AUTHOR_NAME", "Env Ada").env("GIT_AUTHOR_EMAIL", "a@x");
    again.env("GIT_COMMITTER_NAME", "Env Bea").env("GIT_COMMITTER_EMAIL", "b@x");
    let done = again.output().unwrap();
    let said = String::from_utf8_lossy(&done.stdout);
    assert!(done.status.success() && said.contains("1 passed"), "{said}");
}
