#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use std::{
    fs,
    io::Read,
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
};

use super::*;

type Open = fn(&OwnedFd, &Path, OFlags) -> Result<OwnedFd, Errno>;

fn ways() -> Vec<(&'static str, Open)> {
    let mut ways: Vec<(&'static str, Open)> = vec![("stepwise", |d, p, f| stepwise(d, p, f))];
    if cfg!(target_os = "linux") {
        ways.push(("open", |d, p, f| open(d, p, f)));
    }
    ways
}

fn handle(path: &Path) -> OwnedFd {
    rustix::fs::open(path, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty()).unwrap()
}

#[test]
fn both_ways_open_the_same_and_refuse_every_link() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir_all(dir.path().join("a/b")).unwrap();
    fs::write(dir.path().join("a/b/f"), "x").unwrap();
    std::os::unix::fs::symlink("a", dir.path().join("la")).unwrap();
    std::os::unix::fs::symlink("b/f", dir.path().join("a/lf")).unwrap();
    let root = handle(dir.path());
    for (way, open) in ways() {
        for good in ["a/b/f", "a/b", "a", ""] {
            assert!(open(&root, Path::new(good), OFlags::RDONLY).is_ok(), "{way} {good}");
            assert!(open(&root, Path::new(good), LOOK).is_ok(), "{way} {good}");
        }
        for bad in ["la/b/f", "a/lf", "la", "../x", "/etc/passwd", "a/b/f/g", "gone"] {
            assert!(open(&root, Path::new(bad), OFlags::RDONLY).is_err(), "{way} {bad}");
        }
        assert!(open(&root, Path::new("a/lf"), LOOK).is_err(), "{way}");
    }
}

/// Opens while a thread makes `d` a folder and a link to the outside in turn.
#[test]
fn a_folder_that_flips_to_a_link_never_leads_out() {
    for (way, open) in ways() {
        let dir = tempfile::tempdir().unwrap();
        let (root, out) = (dir.path().join("root"), dir.path().join("out"));
        fs::create_dir_all(root.join("real")).unwrap();
        fs::create_dir_all(&out).unwrap();
        fs::write(root.join("real/f"), "inside").unwrap();
        fs::write(out.join("f"), "outside").unwrap();
        std::os::unix::fs::symlink(&out, root.join("link")).unwrap();
        let top = handle(&root);
        let (done, read) = (AtomicBool::new(false), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let met = || read.load(Ordering::SeqCst) > 0;
                for _ in (0..1_000_000).take_while(|n| *n < 1_000 || !met()) {
                    fs::rename(root.join("real"), root.join("d")).unwrap();
                    fs::rename(root.join("d"), root.join("real")).unwrap();
                    fs::rename(root.join("link"), root.join("d")).unwrap();
                    fs::rename(root.join("d"), root.join("link")).unwrap();
                }
                done.store(true, Ordering::SeqCst);
            });
            while !done.load(Ordering::SeqCst) {
                if let Ok(fd) = open(&top, Path::new("d/f"), OFlags::RDONLY) {
                    let mut text = String::new();
                    fs::File::from(fd).read_to_string(&mut text).unwrap();
                    assert_eq!(text, "inside", "{way}");
                    read.fetch_add(1, Ordering::SeqCst);
                }
            }
        });
        assert!(read.into_inner() > 0, "{way}: the folder was never met as a folder");
    }
}
