#![allow(clippy::unwrap_used)]

use super::*;

/// What a tool makes again and is secret all the same: its settings for where state is kept.
const TERRAFORM: &str = ".terraform/terraform.tfstate";

fn put(root: &Path, name: &str) {
    let path = root.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, "x").unwrap();
}

fn names(found: &[PathBuf]) -> Vec<String> {
    let mut names: Vec<String> = found.iter().map(|p| p.to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn line(command: &str) -> Run {
    Run {
        command: command.into(),
        folder: String::new(),
        timeout_s: None,
        network: false,
        outside: false,
        reason: String::new(),
    }
}

#[tokio::test]
async fn what_is_secret_beside_the_workspace_is_hidden_from_what_looks_through_it() {
    let dir = tempfile::tempdir().unwrap();
    for name in ["w/.env", "other/.env", "other/lib/id_rsa", "other/a.py", "third/.env"] {
        put(dir.path(), name);
    }
    let root = dir.path().join("w").canonicalize().unwrap();
    let absolute = root.parent().unwrap().join("other");
    for (command, hidden) in [
        ("make", vec!["w/.env"]),
        ("grep -rn KEY ../other", vec!["other/.env", "other/lib/id_rsa", "w/.env"]),
        ("cat ../other/lib/*", vec!["other/lib/id_rsa", "w/.env"]),
        (&format!("rg KEY {}", absolute.display()), vec!["other/.env", "other/lib/id_rsa", "w/.env"]),
        ("cd ../third && grep -r KEY", vec!["third/.env", "w/.env"]),
        ("find ../other -name '*.py' -exec cat {} +", vec!["other/.env", "other/lib/id_rsa", "w/.env"]),
        ("find -L ../other -type f -exec grep -H KEY {} +", vec!["other/.env", "other/lib/id_rsa", "w/.env"]),
        ("fd -H . ../other -x grep -H KEY", vec!["other/.env", "other/lib/id_rsa", "w/.env"]),
        ("rgrep KEY ../other", vec!["other/.env", "other/lib/id_rsa", "w/.env"]),
        ("grep -r KEY ..", vec!["other/.env", "other/lib/id_rsa", "third/.env", "w/.env"]),
        ("ls -la ../other", vec!["w/.env"]),
        ("find ../other -name '*.py'", vec!["w/.env"]),
        (
            "find -H ../other -type f -print0 | gxargs -0 grep KEY",
            vec!["other/.env", "other/lib/id_rsa", "w/.env"],
        ),
        ("git branch | tr / - | cut -d / -f 1", vec!["w/.env"]),
        ("grep -r / .", vec!["w/.env"]),
        ("sort -T /tmp a", vec!["w/.env"]),
        ("cd / && pwd", vec!["w/.env"]),
        ("cat ../other/a.py", vec!["w/.env"]),
        ("grep -rn size_t /usr/include", vec!["w/.env"]),
    ] {
        let found =
            SecretFiles::default().within(&root, &PathRules::default(), &line(command)).await.unwrap();
        let found: Vec<PathBuf> =
            found.iter().map(|path| path.strip_prefix(root.parent().unwrap()).unwrap().to_owned()).collect();
        assert_eq!(names(&found), hidden, "{command}");
    }
}

#[tokio::test]
async fn what_is_too_much_beside_the_workspace_is_not_looked_through() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    for command in [
        "grep -rn KEY ~",
        "rg KEY /",
        "cd / && grep -r KEY",
        "cd && grep -r KEY .",
        "cd; grep -r KEY",
        "cd -- && rg KEY",
        "cd $UNSET && grep -r KEY .",
    ] {
        let said = SecretFiles::default().within(&root, &PathRules::default(), &line(command)).await;
        assert!(said.unwrap_err().contains("too much to look for secret files"), "{command}");
    }
}

#[test]
fn secret_files_are_found_wherever_they_lie_but_deep_in_what_tools_make() {
    let dir = tempfile::tempdir().unwrap();
    for name in [".env", ".env.example", "sub/deep/id_rsa", "node_modules/x/.env", "src/env.rs", TERRAFORM] {
        put(dir.path(), name);
    }
    let (mut last, rules) = (Last::default(), PathRules::default());
    let (denied, secret) = last.named(dir.path(), &rules, MOST_NAMES).unwrap();
    assert_eq!(names(&secret), [".env", TERRAFORM, "sub/deep/id_rsa"]);
    assert!(denied.is_empty());
    // What comes later, and what goes, is seen by the next look.
    put(dir.path(), "sub/deep/.env");
    put(dir.path(), "new/.npmrc");
    fs::remove_file(dir.path().join(".env")).unwrap();
    let (_, secret) = last.named(dir.path(), &rules, MOST_NAMES).unwrap();
    assert_eq!(names(&secret), [TERRAFORM, "new/.npmrc", "sub/deep/.env", "sub/deep/id_rsa"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_name_that_is_no_text_hides_nothing_from_the_look() {
    use std::os::unix::ffi::OsStrExt;
    let dir = tempfile::tempdir().unwrap();
    let odd = dir.path().join(std::ffi::OsStr::from_bytes(b"od\xff"));
    fs::create_dir(&odd).unwrap();
    fs::write(odd.join(".env"), "x").unwrap();
    let (_, secret) = Last::default().named(dir.path(), &PathRules::default(), MOST_NAMES).unwrap();
    assert_eq!(secret.len(), 1);
}

#[tokio::test]
async fn a_tracked_file_shows_none_whose_name_begins_its_own() {
    let dir = tempfile::tempdir().unwrap();
    for name in [".env", ".env.test", "sub/.env", "sub/.env.production"] {
        put(dir.path(), name);
    }
    let git = |args: &[&str]| {
        let mut git = std::process::Command::new("git");
        assert!(git.arg("-C").arg(dir.path()).args(args).output().unwrap().status.success());
    };
    git(&["init", "-q"]);
    git(&["add", ".env.test", "sub/.env.production"]);
    let found =
        SecretFiles::default().within(dir.path(), &PathRules::default(), &line("make")).await.unwrap();
    let ends = |name: &str| found.iter().any(|p| p.ends_with(name));
    assert_eq!((found.len(), ends(".env"), ends("sub/.env")), (2, true, true), "{found:?}");
}

#[tokio::test]
async fn what_is_untracked_beside_tracked_files_of_a_secret_folder_is_hidden() {
    let dir = tempfile::tempdir().unwrap();
    for name in [
        ".docker/Dockerfile",
        ".docker/.env",
        ".docker/a/b",
        ".docker/a/c",
        ".docker/d/e",
        ".docker/f.md",
        ".vault/x",
    ] {
        put(dir.path(), name);
    }
    let git = |args: &[&str]| {
        let mut git = std::process::Command::new("git");
        assert!(git.arg("-C").arg(dir.path()).args(args).output().unwrap().status.success());
    };
    git(&["init", "-q"]);
    git(&["add", ".docker/Dockerfile", ".docker/a/b"]);
    let found =
        SecretFiles::default().within(dir.path(), &PathRules::default(), &line("make")).await.unwrap();
    let root = dir.path().canonicalize().unwrap();
    let found: Vec<PathBuf> = found.iter().map(|p| p.strip_prefix(&root).unwrap().to_owned()).collect();
    assert_eq!(names(&found), [".docker/.env", ".docker/a/c", ".docker/d", ".vault"]);
}

#[tokio::test]
async fn what_is_too_much_to_look_through_or_to_hide_is_told() {
    let dir = tempfile::tempdir().unwrap();
    for n in 0..=MOST_HIDDEN {
        put(dir.path(), &format!("d{n}/.env"));
    }
    let rules = PathRules::default();
    let said = SecretFiles::default().within(dir.path(), &rules, &line("make")).await.unwrap_err();
    assert!(said.contains("501 secret files"), "{said}");
    let said = Last::default().named(dir.path(), &rules, 100).unwrap_err();
    assert!(said.contains("more than 100 files"), "{said}");
    fs::remove_dir_all(dir.path().join("d0")).unwrap();
    assert_eq!(SecretFiles::default().within(dir.path(), &rules, &line("make")).await.unwrap().len(), 500);
}
