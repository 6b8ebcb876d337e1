use std::{fs, process::Command};

use super::*;

fn found(root: &Path, start: &str) -> Vec<String> {
    let all = walk(root, &root.join(start), None).filter(|e| !e.file_type().is_dir());
    all.map(|e| e.path().strip_prefix(root).unwrap().to_string_lossy().into_owned()).collect()
}

#[test]
fn what_git_leaves_out_is_left_out() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    let git = |args: &[&str]| Command::new("git").args(args).current_dir(&root).output().unwrap().stdout;
    git(&["init", "-q"]);
    let files = [
        (".gitignore", "*.log\n/target/\n!keep.log\nbuild\n[broken\n"),
        (".git/info/exclude", "private\n"),
        ("a/.gitignore", "!b.log\nx/\n"),
        ("a/b.log", ""),
        ("a/c.log", ""),
        ("a/x/in.txt", ""),
        ("a/y/x", ""),
        ("a/y/keep.log", ""),
        ("a/y/build/out.txt", ""),
        ("a/z.txt", ""),
        ("private", ""),
        ("target/debug/out", ""),
        ("b/target/in.txt", ""),
    ];
    for (path, text) in files {
        fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
        fs::write(root.join(path), text).unwrap();
    }
    let told = git(&["ls-files", "-co", "--exclude-standard"]);
    let mut told: Vec<&str> = std::str::from_utf8(&told).unwrap().lines().collect();
    told.sort_unstable();
    let mut ours = found(&root, "");
    ours.sort_unstable();
    assert_eq!(ours, told);
    assert_eq!(found(&root, "a"), ["a/.gitignore", "a/b.log", "a/y/keep.log", "a/y/x", "a/z.txt"]);
    fs::write(root.join(".ignore"), "z.txt\n!c.log\n").unwrap();
    assert_eq!(found(&root, "a"), ["a/.gitignore", "a/b.log", "a/c.log", "a/y/keep.log", "a/y/x"]);
}

#[test]
fn pipes_devices_links_and_floods_of_patterns_are_left_aside() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    fs::write(root.join("a.txt"), "").unwrap();
    fs::create_dir(root.join("sub")).unwrap();
    fs::write(root.join("sub/a.txt"), "").unwrap();
    let here = |path: &str| root.join(path);
    let pipe = |path: &str| {
        rustix::fs::mknodat(rustix::fs::CWD, here(path), rustix::fs::FileType::Fifo, 0o600.into(), 0)
            .unwrap();
    };
    pipe(".gitignore");
    pipe("sub/.ignore");
    std::os::unix::fs::symlink("/dev/zero", here(".ignore")).unwrap();
    fs::write(here("all"), "*\n").unwrap();
    std::os::unix::fs::symlink("../all", here("sub/.gitignore")).unwrap();
    let seen = found(&root, "");
    assert_eq!(seen, [".gitignore", ".ignore", "a.txt", "all", "sub/.gitignore", "sub/.ignore", "sub/a.txt"]);
    fs::remove_file(here(".gitignore")).unwrap();
    fs::write(here(".gitignore"), "a.txt\n".repeat(100_000)).unwrap();
    assert!(found(&root, "").contains(&"a.txt".to_owned()));
}

#[test]
fn what_the_kernel_tells_of_processes_is_no_file_of_a_folder() {
    assert!(Path::new("/proc/self/status").exists(), "this test looks at what is mounted");
    let root = Path::new("/");
    let below = walk(root, root, Some(2)).filter(|e| e.path().starts_with("/proc")).count();
    assert_eq!(below, 0);
    // Who names it looks there.
    assert!(walk(root, Path::new("/proc"), Some(1)).count() > 1);
    let mounts = "1 0 0:1 / /w/p rw shared:1 - proc proc rw\n2 0 8:1 / /w/d rw - ext4 /dev/sda rw\n3 0 0:2 / /s rw - sysfs s rw\n";
    assert_eq!(told(mounts, Path::new("/w")), [PathBuf::from("/w/p")]);
}
