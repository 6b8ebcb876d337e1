//! Opening a file that others may have put there: only a regular one, without waiting for it.
//!
//! Owns that one way; the files of the workspace go through the jail, those of one's own configuration have rules besides.

use std::{
    fs::File,
    io::{self, Read},
    os::unix::fs::OpenOptionsExt,
    path::Path,
};

use rustix::fs::OFlags;

/// Opens a regular file to read it. A pipe or a device is opened without waiting for it and refused by what it is.
///
/// # Errors
/// What the file system says, or that it is no regular file.
pub fn open(path: &Path) -> io::Result<File> {
    open_with(path, OFlags::empty())
}

/// The content of a regular file of at most `most` bytes, which is reached by no link.
///
/// # Errors
/// As [`open`]; that it is a link; that it is longer.
pub fn read_in_place(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    read_all(open_with(path, OFlags::NOFOLLOW)?, most)
}

/// The content of a regular file of at most `most` bytes.
///
/// # Errors
/// As [`open`], and that it is longer.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    read_all(open(path)?, most)
}

fn open_with(path: &Path, more: OFlags) -> io::Result<File> {
    let flags = OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY | more;
    let flags = i32::try_from(flags.bits()).unwrap_or_default();
    File::options().read(true).custom_flags(flags).open(path).and_then(checked)
}

/// A file that is open, if it is a regular one.
///
/// # Errors
/// What the file system says, or that it is no regular file.
pub fn checked(file: File) -> io::Result<File> {
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::Error::other("it is not a regular file")) }
}

fn read_all(file: File, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        Err(io::Error::other(format!("it is longer than {most} bytes")))
    } else {
        Ok(bytes)
    }
}
