use std::{
    fs,
    os::unix::fs::{PermissionsExt, chown, symlink},
    path::{Path, PathBuf},
};

use super::*;

/// A folder with `own/file` in it, both the user's alone.
fn desk() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("own/file");
    fs::create_dir(dir.path().join("own")).unwrap();
    fs::write(&path, "mine").unwrap();
    mode(dir.path().join("own"), 0o700);
    mode(&path, 0o600);
    (dir, path)
}

fn mode(path: impl AsRef<Path>, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

/// The reason and the remedy.
fn refused(path: &Path) -> (String, String) {
    let Err(e @ RuntimeError::NotOwn { .. }) = read(path) else { panic!("{:?}", read(path)) };
    (e.to_string(), e.hint())
}

#[test]
fn what_others_may_write_is_refused_with_the_place_and_the_remedy() {
    for bits in [0o666, 0o664, 0o622, 0o620, 0o602, 0o646, 0o777, 0o4622] {
        let (_dir, path) = desk();
        mode(&path, bits);
        let (why, mend) = refused(&path);
        assert!(why.contains("others may write it"), "{why}");
        assert_eq!(mend, format!("run `chmod go-w {}`", path.display()));
    }
    for bits in [0o777, 0o775, 0o770, 0o757, 0o720, 0o702] {
        let (dir, path) = desk();
        mode(dir.path().join("own"), bits);
        let (why, mend) = refused(&path);
        assert!(why.contains("its folder"), "{why}");
        assert_eq!(mend, format!("run `chmod go-w {}`", dir.path().join("own").display()));
    }
    let (dir, path) = desk();
    mode(dir.path(), 0o777);
    assert!(refused(&path).0.contains("its folder"));
}

#[test]
fn every_link_on_the_way_is_looked_at_and_what_it_means() {
    for (bits, place) in [(0o666, "file"), (0o777, "own"), (0o777, "links"), (0o777, "middle")] {
        let (dir, path) = desk();
        let at = |name: &str| dir.path().join(name);
        fs::create_dir(at("links")).unwrap();
        fs::create_dir(at("middle")).unwrap();
        mode(at("links"), 0o700);
        mode(at("middle"), 0o700);
        symlink(&path, at("middle/step")).unwrap();
        symlink("../middle/step", at("links/first")).unwrap();
        assert_eq!(text(&at("links/first")).unwrap().unwrap(), "mine");
        mode(if place == "file" { path } else { at(place) }, bits);
        refused(&at("links/first"));
    }
    // A folder that is a link counts as what it means.
    let (dir, _path) = desk();
    symlink(dir.path().join("own"), dir.path().join("also")).unwrap();
    mode(dir.path().join("own"), 0o777);
    refused(&dir.path().join("also/file"));
}

#[test]
fn what_is_the_users_own_is_read() {
    for bits in [0o600, 0o644, 0o444, 0o400, 0o755] {
        let (_dir, path) = desk();
        mode(&path, bits);
        assert_eq!(text(&path).unwrap().unwrap(), "mine", "{bits:o}");
    }
    // Where everybody may write, but only the owner of a file moves it.
    let (dir, path) = desk();
    mode(dir.path().join("own"), 0o1777);
    assert_eq!(text(&path).unwrap().unwrap(), "mine");
    assert!(read(&dir.path().join("none")).unwrap().is_none());
    assert!(read(&path.join("below")).unwrap().is_none());
}

#[test]
fn what_is_no_file_or_too_long_is_refused_without_waiting_for_it() {
    let (dir, path) = desk();
    let fifo = dir.path().join("fifo");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &fifo,
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::from_bits_truncate(0o600),
        0,
    )
    .unwrap();
    symlink("/dev/zero", dir.path().join("zero")).unwrap();
    for name in ["fifo", "zero", "own"] {
        assert!(read(&dir.path().join(name)).is_err(), "{name}");
    }
    fs::File::options().write(true).open(&path).unwrap().set_len(MOST_BYTES + 1).unwrap();
    assert!(read(&path).unwrap_err().to_string().contains("longer than 4 MiB"));
}

#[test]
fn what_another_user_owns_is_refused() {
    if !geteuid().is_root() {
        let told = b"\nNOT RUN: another owner takes root; run this test as root\n";
        std::io::Write::write_all(&mut std::io::stderr(), told).unwrap();
        return;
    }
    for place in ["own/file", "own"] {
        let (dir, path) = desk();
        chown(dir.path().join(place), Some(12_345), None).unwrap();
        let (why, mend) = refused(&path);
        assert!(why.contains("another user (uid 12345) owns"), "{why}");
        assert!(mend.contains("chown"), "{mend}");
    }
    let (dir, path) = desk();
    symlink(&path, dir.path().join("link")).unwrap();
    chown(&path, Some(12_345), None).unwrap();
    refused(&dir.path().join("link"));
}
