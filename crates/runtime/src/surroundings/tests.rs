use super::*;

#[test]
fn a_status_is_read_with_renames_and_detached_heads() {
    let status = b"# branch.oid 0123456789abcdef\0# branch.head main\0# branch.ab +0 -0\x001 .M N... a b\x002 R. N... R100 new\0old\0? x y\0";
    assert_eq!(read(status), Branch { name: Some("main".into()), dirty: 3, refused: None });
    let detached = b"# branch.oid 0123456789abcdef\0# branch.head (detached)\0";
    assert_eq!(read(detached).name.unwrap(), "0123456");
    assert_eq!(read(b""), Branch::default());
}

fn git(folder: &Path, args: &[&str]) {
    let git = std::process::Command::new("git")
        .args(["-c", "user.name=x", "-c", "user.email=x@y", "-c", "init.defaultBranch=main"])
        .args(args)
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_EDITOR", "true")
        .output();
    drop(git.unwrap());
}

#[tokio::test]
async fn what_git_is_in_the_middle_of_is_told_and_read_anew() {
    let dir = tempfile::tempdir().unwrap();
    let at = dir.path();
    let commit = |text: &str| {
        std::fs::write(at.join("a.txt"), text).unwrap();
        git(at, &["add", "."]);
        git(at, &["commit", "-qm", text]);
    };
    git(at, &["init", "-q"]);
    commit("one\n");
    git(at, &["checkout", "-qb", "side"]);
    commit("side\n");
    git(at, &["checkout", "-q", "main"]);
    commit("main\n");
    let name = async || branch(at).await.name.unwrap();
    assert_eq!(name().await, "main");
    git(at, &["merge", "side"]);
    let merging = name().await;
    assert_eq!(merging, "main, merge under way, 1 file in conflict");
    assert_eq!(told(at, Some(&merging)).unwrap(), merging);
    git(at, &["merge", "--abort"]);
    assert_eq!(told(at, Some(&merging)).unwrap(), "main", "it is over");
    git(at, &["checkout", "-q", "side"]);
    git(at, &["rebase", "main"]);
    assert_eq!(name().await, "side, rebase under way, 1 file in conflict");
    git(at, &["rebase", "--abort"]);
    git(at, &["checkout", "-q", "--detach"]);
    assert!(name().await.starts_with("detached at "), "{}", name().await);
    git(at, &["bisect", "start"]);
    assert!(name().await.ends_with(", bisect under way"), "{}", name().await);
    git(at, &["bisect", "reset"]);
    let beside = tempfile::tempdir().unwrap();
    let tree = beside.path().join("wt");
    git(at, &["worktree", "add", "-qb", "other", &tree.to_string_lossy()]);
    assert_eq!(branch(&tree).await.name.unwrap(), "other");
}

#[tokio::test]
async fn a_folder_outside_a_repository_has_no_branch() {
    let dir = tempfile::tempdir().unwrap();
    assert_eq!(branch(dir.path()).await.name, None);
}

/// A repository of somebody else's, where this user may make one: a superuser may.
fn of_another(at: &Path) -> bool {
    git(at, &["init", "-q"]);
    [at.to_owned(), at.join(".git")]
        .iter()
        .all(|path| std::os::unix::fs::chown(path, Some(54_321), None).is_ok())
}

#[tokio::test]
async fn a_folder_that_git_refuses_has_no_branch_and_the_way_to_have_one() {
    let dir = tempfile::tempdir().unwrap();
    let at = dir.path().canonicalize().unwrap();
    let other = of_another(&at);
    let found = branch(&at).await;
    assert_eq!(found.refused.is_some(), other, "{found:?}");
    if other {
        assert_eq!(found.name, None);
        let line = format!("`git config --global --add safe.directory {}`", at.display());
        assert!(found.refused.unwrap().ends_with(&line));
    }
}
