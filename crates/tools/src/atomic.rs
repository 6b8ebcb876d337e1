//! Replacing a file of the program at once: whoever looks sees the old content or the new one, whatever happens.
//!
//! Owns the order of calls that replace the program's own files and control files. Changes to the
//! workspace are the writer's, which does several files or none.

use std::{
    fs::{self, File, OpenOptions, Permissions},
    io::{self, Write},
    os::unix::fs::{OpenOptionsExt, PermissionsExt},
    path::Path,
};

/// How the names of files begin that exist only while one is replaced.
pub const TEMP_PREFIX: &str = ".pilothouse-new-";

/// Puts `bytes` in place of what is at `path`: written beside it with these permission bits, made
/// durable, renamed, and the folder made durable. A link at `path` is replaced, not followed.
///
/// # Errors
/// What the system says; then what was there before is there still.
pub fn replace(path: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    let folder = path.parent().filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // Nobody else can read it before it has its own permissions, and it goes where anything fails.
    let mut temp = tempfile::Builder::new().prefix(TEMP_PREFIX).tempfile_in(folder)?;
    temp.write_all(bytes)?;
    temp.as_file().set_permissions(Permissions::from_mode(mode))?;
    temp.as_file().sync_all()?;
    temp.persist(path).map_err(|e| e.error)?;
    sync_folder(folder)
}

/// Puts a file in place of what is at `path` under a second name, where both are on one file system; nobody may write into
/// it any more.
///
/// # Errors
/// What the system says; then what was there before is there still.
pub fn share(own: &Path, path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let link = |temp: &Path| fs::hard_link(own, temp);
    let temp = tempfile::Builder::new().prefix(TEMP_PREFIX).make_in(folder, link)?;
    let temp = temp.into_temp_path();
    let second = temp.to_path_buf();
    temp.persist(path).map_err(|e| e.error)?;
    // Where both were one file already the system renamed nothing.
    drop(fs::remove_file(second));
    sync_folder(folder)
}

/// Keeps every other process that asks for the same from going on, until what is returned is dropped.
///
/// # Errors
/// What the system says.
pub fn lock(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(path)?;
    file.lock()?;
    Ok(file)
}

/// Makes the names in a folder durable.
///
/// # Errors
/// What the system says.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_with_its_mode_and_nothing_is_left_beside_it() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("own.toml");
        for (text, mode) in [("one", 0o600), ("two", 0o755)] {
            replace(&path, text.as_bytes(), mode).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, mode);
        }
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_link_is_replaced_and_what_it_led_to_stays() {
        let dir = tempfile::tempdir().unwrap();
        let (theirs, path) = (dir.path().join("theirs"), dir.path().join("own"));
        fs::write(&theirs, "theirs").unwrap();
        std::os::unix::fs::symlink(&theirs, &path).unwrap();
        replace(&path, b"own", 0o600).unwrap();
        assert_eq!(fs::read_to_string(&theirs).unwrap(), "theirs");
        assert!(!path.symlink_metadata().unwrap().is_symlink());
    }

    #[test]
    fn a_file_that_is_shared_is_one_and_is_no_more_where_either_is_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let (own, path) = (dir.path().join("own"), dir.path().join("shared"));
        fs::write(&path, "before").unwrap();
        fs::write(&own, "own").unwrap();
        for _ in 0..2 {
            share(&own, &path).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), "own");
        }
        replace(&path, b"theirs", 0o600).unwrap();
        assert_eq!(fs::read_to_string(&own).unwrap(), "own");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2);
    }

    #[test]
    fn what_cannot_be_replaced_stays_and_nothing_is_left_beside_it() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("folder");
        fs::create_dir_all(path.join("full")).unwrap();
        assert!(replace(&path, b"own", 0o600).is_err());
        assert!(path.join("full").is_dir());
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }
}
