use std::{fs, os::unix::fs::PermissionsExt, path::Path, process::Command};

use super::*;

/// git as a hostile repository would like to have it called.
fn plain(folder: &Path, args: &[&str]) {
    let mut git = Command::new("git");
    git.args(["-c", "user.name=x", "-c", "user.email=x@y", "-c", "init.defaultBranch=main"]);
    let done = git.args(args).current_dir(folder).env("GIT_CONFIG_GLOBAL", "/dev/null").output().unwrap();
    assert!(done.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&done.stderr));
}

fn script(path: &Path, touches: &Path) {
    fs::write(path, format!("#!/bin/sh\ntouch {}\ncat\n", touches.display())).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

const STATUS: [&str; 4] = ["status", "--porcelain=v2", "-z", "--branch"];

#[tokio::test]
async fn a_filter_that_a_plain_status_runs_is_not_run_by_ours() {
    let dir = tempfile::tempdir().unwrap();
    let (repo, fired) = (dir.path().join("repo"), dir.path().join("fired"));
    fs::create_dir(&repo).unwrap();
    plain(&repo, &["init", "-q"]);
    fs::write(repo.join("a.txt"), "one\n").unwrap();
    fs::write(repo.join(".gitattributes"), "* filter=we=ird.name\n").unwrap();
    plain(&repo, &["add", "."]);
    plain(&repo, &["commit", "-qm", "x"]);
    script(&dir.path().join("evil"), &fired);
    let evil = dir.path().join("evil").display().to_string();
    let config = format!(
        "\n[filter \"we=ird.name\"]\nclean = {evil}\nsmudge = {evil}\nprocess = {evil}\nrequired = true\n"
    );
    let file = repo.join(".git/config");
    fs::write(&file, fs::read_to_string(&file).unwrap() + &config).unwrap();
    // The same length: git must look into the file to see whether it changed.
    fs::write(repo.join("a.txt"), "two\n").unwrap();
    let said = String::from_utf8(ask(&repo, &STATUS).await.unwrap()).unwrap();
    assert!(said.contains("a.txt"), "{said:?}");
    assert!(!fired.exists(), "ours ran it");
    drop(Command::new("git").arg("status").current_dir(&repo).output());
    assert!(fired.exists(), "a plain status runs it, or this proves nothing");
}

#[tokio::test]
async fn a_monitor_is_not_run_and_a_hidden_bare_repository_is_none() {
    let dir = tempfile::tempdir().unwrap();
    let (repo, fired) = (dir.path().join("repo"), dir.path().join("fired"));
    fs::create_dir(&repo).unwrap();
    plain(&repo, &["init", "-q"]);
    script(&dir.path().join("evil"), &fired);
    plain(&repo, &["config", "core.fsmonitor", &dir.path().join("evil").display().to_string()]);
    assert!(ask(&repo, &STATUS).await.is_some());
    let hidden = repo.join("docs");
    fs::create_dir(&hidden).unwrap();
    plain(&hidden, &["init", "-q", "--bare", "."]);
    fs::write(
        hidden.join("config"),
        format!(
            "[core]\nbare = false\nworktree = {}\nfsmonitor = {}\n",
            repo.display(),
            dir.path().join("evil").display()
        ),
    )
    .unwrap();
    assert!(ask(&hidden, &STATUS).await.is_none());
    assert!(!fired.exists());
}

#[tokio::test]
async fn what_is_missing_is_not_fetched() {
    let dir = tempfile::tempdir().unwrap();
    let (repo, fired) = (dir.path().join("repo"), dir.path().join("fired"));
    fs::create_dir(&repo).unwrap();
    plain(&repo, &["init", "-q"]);
    fs::write(repo.join("a.txt"), "one\n").unwrap();
    plain(&repo, &["add", "."]);
    plain(&repo, &["commit", "-qm", "x"]);
    script(&dir.path().join("evil"), &fired);
    let evil = dir.path().join("evil").display().to_string();
    for (name, value) in [
        ("remote.origin.url", format!("ext::{evil}")),
        ("remote.origin.promisor", "true".into()),
        ("remote.origin.uploadpack", evil.clone()),
        ("extensions.partialClone", "origin".into()),
        ("core.repositoryformatversion", "1".into()),
        ("protocol.ext.allow", "always".into()),
    ] {
        plain(&repo, &["config", name, &value]);
    }
    // A commit whose tree is not there.
    let objects: Vec<_> = fs::read_dir(repo.join(".git/objects")).unwrap().flatten().collect();
    let tree = Command::new("git").args(["rev-parse", "HEAD^{tree}"]).current_dir(&repo).output().unwrap();
    let tree = String::from_utf8(tree.stdout).unwrap();
    let (folder, name) = tree.trim().split_at(2);
    fs::remove_file(repo.join(".git/objects").join(folder).join(name)).unwrap();
    assert!(!objects.is_empty());
    assert!(ask(&repo, &STATUS).await.is_none(), "it fails rather than fetch");
    assert!(!fired.exists());
}

#[test]
fn git_of_the_folder_itself_is_not_taken() {
    let dir = tempfile::tempdir().unwrap();
    let bin = dir.path().join("bin");
    fs::create_dir(&bin).unwrap();
    script(&bin.join("git"), &dir.path().join("fired"));
    // The real search path of this process: whatever it is, nothing below the folder is on it.
    let found = program::find("git", dir.path());
    assert!(found.is_none_or(|p| !p.starts_with(dir.path())));
}

#[test]
fn a_refusal_for_another_owner_is_told_with_git_s_own_remedy() {
    let dir = tempfile::tempdir().unwrap();
    plain(dir.path(), &["init", "-q"]);
    let mut git = Command::new("git");
    git.arg("status").current_dir(dir.path()).env("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1");
    let done = git.env("GIT_CONFIG_GLOBAL", "/dev/null").env("LC_ALL", "C").output().unwrap();
    let said = |err: &str| Said { code: 128, out: Vec::new(), err: err.to_owned() };
    let told = said(&String::from_utf8_lossy(&done.stderr)).refused().unwrap();
    let line = format!("`{EXCEPTION}{}`", dir.path().canonicalize().unwrap().display());
    assert!(told.ends_with(&line), "{told}");
    assert_eq!(
        said("fatal: not a git repository (or any of the parent directories): .git\n").refused(),
        None
    );
}
