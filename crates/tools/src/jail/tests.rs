#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use std::os::unix::fs::symlink;

use super::*;

struct Place {
    #[allow(dead_code)]
    dir: tempfile::TempDir,
    root: PathBuf,
    jail: Jail,
}

/// `app` is the workspace; `app-evil` and `out` stand beside it.
fn place() -> Place {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap().join("app");
    fs::create_dir_all(root.join("src/deep")).unwrap();
    fs::create_dir_all(dir.path().join("app-evil")).unwrap();
    fs::write(root.join("src/a.rs"), "inside").unwrap();
    fs::write(dir.path().join("app-evil/secret"), "outside").unwrap();
    Place { jail: Jail::open(&root).unwrap(), root, dir }
}

fn rel(text: &str) -> RelPath {
    RelPath::new(text).unwrap()
}

#[test]
fn absolute_paths_inside_the_root_are_made_relative_by_components() {
    let p = place();
    let root = p.root.to_str().unwrap();
    let read = |t: &str| p.jail.read_path(t);
    assert_eq!(read(&format!("{root}/src/a.rs")).unwrap(), Some(rel("src/a.rs")));
    assert_eq!(read("./src//a.rs").unwrap(), Some(rel("src/a.rs")));
    assert_eq!(read(root).unwrap(), None);
    assert_eq!(read(".").unwrap(), None);
    assert_eq!(read("./").unwrap(), None);
    for bad in ["", "..", "src/..", "src/../src/a.rs", "/", "/etc/passwd", "a\0b"] {
        assert!(read(bad).is_err(), "{bad:?}");
    }
    for out in ["../other/lib", "/etc/passwd"] {
        let told = read(out).unwrap_err().to_string();
        assert!(told.contains("is read by a command (run: `ls`, `cat`)"), "{told}");
    }
    assert!(matches!(read(&format!("{root}-evil/secret")), Err(JailError::Outside(_))));
    assert!(read(&format!("{root}/../app-evil/secret")).is_err());
    assert!(matches!(read(&format!("/proc/self/root{root}-evil/secret")), Err(JailError::Outside(_))));
}

#[test]
fn a_path_of_another_machine_is_told_the_file_here_that_it_ends_with() {
    let p = place();
    let told = |path: &str| p.jail.read_path(path).unwrap_err().to_string();
    for path in ["/srv/app/src/a.rs", "/home/ci/src/a.rs"] {
        assert_eq!(told(path), format!("{path} is not in this workspace, which has src/a.rs: use that path"));
    }
    assert!(told("/srv/app/src/none.rs").contains("leads outside the workspace"));
    // What does stand there is read by a command.
    fs::create_dir_all(p.root.with_file_name("copy").join("src")).unwrap();
    let copy = p.root.with_file_name("copy").join("src/a.rs");
    fs::write(&copy, "").unwrap();
    assert!(told(copy.to_str().unwrap()).contains("leads outside the workspace"));
}

#[test]
fn a_workspace_opened_through_a_link_takes_paths_of_either_name() {
    let p = place();
    let alias = p.root.with_file_name("alias");
    symlink(&p.root, &alias).unwrap();
    let jail = Jail::open(&alias).unwrap();
    let by_alias = jail.read_path(&format!("{}/src/a.rs", alias.display())).unwrap();
    assert_eq!(by_alias, Some(rel("src/a.rs")));
    assert_eq!(jail.read(&by_alias.unwrap()).unwrap(), b"inside");
}

#[test]
fn links_inside_are_followed_and_links_out_are_refused() {
    let p = place();
    symlink("src", p.root.join("in")).unwrap();
    symlink("../app-evil", p.root.join("evil")).unwrap();
    symlink("/proc/self/root/etc", p.root.join("proc")).unwrap();
    symlink("nowhere", p.root.join("dangling")).unwrap();
    symlink("loop", p.root.join("loop")).unwrap();
    let there = p.jail.resolve(&rel("in/a.rs")).unwrap();
    assert_eq!((there.path().unwrap(), there.exists()), (rel("src/a.rs"), true));
    assert_eq!(p.jail.read(&rel("in/a.rs")).unwrap(), b"inside");
    let new = p.jail.resolve(&rel("in/new/x.rs")).unwrap();
    assert_eq!((new.path().unwrap(), new.exists()), (rel("src/new/x.rs"), false));
    for out in ["evil", "evil/secret", "evil/new", "proc/passwd"] {
        assert!(matches!(p.jail.resolve(&rel(out)), Err(JailError::Outside(_))), "{out}");
    }
    assert!(matches!(p.jail.resolve(&rel("dangling")), Err(JailError::Dangling(_))));
    assert!(matches!(p.jail.resolve(&rel("dangling/x")), Err(JailError::Dangling(_))));
    assert!(p.jail.resolve(&rel("loop")).is_err());
    assert!(matches!(p.jail.resolve(&rel("src/a.rs/x")), Err(JailError::NotAFolder(_))));
}

#[test]
fn only_regular_files_are_read_and_nothing_blocks() {
    let p = place();
    let made = std::process::Command::new("mkfifo").arg(p.root.join("pipe")).status().unwrap();
    assert!(made.success());
    let _socket = std::os::unix::net::UnixListener::bind(p.root.join("sock")).unwrap();
    fs::hard_link(p.root.join("src/a.rs"), p.root.join("hard")).unwrap();
    assert_eq!(p.jail.read(&rel("hard")).unwrap(), b"inside");
    for (name, is) in [("pipe", "a pipe"), ("sock", "a socket"), ("src", "a folder")] {
        let e = p.jail.read(&rel(name)).unwrap_err().to_string();
        assert!(e.contains(is), "{e}");
    }
    assert!(matches!(p.jail.read(&rel("gone")), Err(JailError::Missing(_))));
    assert!(p.jail.metadata(&rel("src")).unwrap().is_dir());
    assert!(p.jail.metadata(&rel("pipe")).is_ok());
}

#[test]
fn a_huge_file_is_refused_with_its_size_and_the_limit() {
    let p = place();
    File::create(p.root.join("huge")).unwrap().set_len(200 * 1024 * 1024).unwrap();
    let e = p.jail.read(&rel("huge")).unwrap_err().to_string();
    assert!(e.contains("200 MB; files above 50 MB"), "{e}");
}

// Other systems refuse to make such a name.
#[cfg(target_os = "linux")]
#[test]
fn a_name_that_is_not_utf8_says_so() {
    let p = place();
    let name = <std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(b"bad\xff.txt");
    fs::write(p.root.join(name), "x").unwrap();
    symlink(name, p.root.join("good")).unwrap();
    let by_lossy_name = p.jail.read(&rel("bad\u{fffd}.txt")).unwrap_err();
    assert!(matches!(by_lossy_name, JailError::NotUtf8(_)), "{by_lossy_name}");
    assert!(matches!(p.jail.resolve(&rel("good")).unwrap().path(), Err(JailError::NotUtf8(_))));
}

#[test]
fn the_folder_handle_is_of_the_real_folder() {
    let p = place();
    symlink("src/a.rs", p.root.join("link.rs")).unwrap();
    let at = p.jail.locate(&rel("link.rs")).unwrap();
    assert_eq!((at.name.to_str().unwrap(), &at.folder, at.linked), ("a.rs", &p.root.join("src"), true));
    let stat = rustix::fs::fstat(&at.dir).unwrap();
    let real = fs::metadata(p.root.join("src")).unwrap();
    assert_eq!(stat.st_ino, std::os::unix::fs::MetadataExt::ino(&real));
    let top = p.jail.locate(&rel("top.rs")).unwrap();
    assert_eq!((&top.folder, top.missing.len(), top.linked), (&p.root, 0, false));
    let new = p.jail.locate(&rel("src/no/such/f")).unwrap();
    assert_eq!((&new.folder, new.name.to_str().unwrap()), (&p.root.join("src"), "f"));
    assert_eq!(new.missing, ["no", "such"]);
    symlink(".", p.root.join("self")).unwrap();
    assert!(p.jail.locate(&rel("self")).is_err());
}

#[test]
fn a_root_that_is_no_folder_is_refused() {
    let p = place();
    assert!(matches!(Jail::open(&p.root.join("src/a.rs")), Err(JailError::Root { .. })));
    assert!(matches!(Jail::open(&p.root.join("gone")), Err(JailError::Root { .. })));
}

/// The whole jail, resolving included, against a thread that swaps a folder for a link.
#[test]
fn a_swapper_never_makes_the_jail_read_outside() {
    use std::sync::atomic::{AtomicBool, Ordering};
    let p = place();
    let evil = p.root.with_file_name("app-evil");
    fs::write(evil.join("a.rs"), "outside").unwrap();
    symlink(&evil, p.root.join("link")).unwrap();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let at = |n: &str| p.root.join(n);
            for _ in 0..2_000 {
                fs::rename(at("src"), at("d")).unwrap();
                fs::rename(at("d"), at("src")).unwrap();
                fs::rename(at("link"), at("d")).unwrap();
                fs::rename(at("d"), at("link")).unwrap();
            }
            done.store(true, Ordering::SeqCst);
        });
        while !done.load(Ordering::SeqCst) {
            if let Ok(content) = p.jail.read(&rel("d/a.rs")) {
                assert_eq!(content, b"inside");
            }
            if let Ok(place) = p.jail.locate(&rel("d/a.rs")) {
                assert!(rustix::fs::statat(&place.dir, "secret", rustix::fs::AtFlags::empty()).is_err());
            }
        }
    });
}
