//! Files of the user's own configuration: what others could have written is not taken for theirs.
//!
//! Owns the one way to read such a file, and to write it: who owns it, who may write it, and who could put another in its
//! place. Never mends anything by itself: it says what is wrong and how to mend it.

use std::{
    fs::{self, Metadata},
    io::{self, ErrorKind, Read},
    os::unix::fs::MetadataExt,
    path::Path,
};

use pilothouse_tools::{atomic, regular};
use rustix::process::geteuid;

use crate::{error::RuntimeError, home::make_private};

/// The most that a file may have, in bytes.
pub(crate) const MOST_BYTES: u64 = 4 * 1024 * 1024;
/// The most links that lead to one file.
const MOST_LINKS: usize = 40;
/// Write permission of the group and of everybody.
const OTHERS: u32 = 0o022;
/// Write permission of everybody.
const EVERYBODY: u32 = 0o002;
/// In such a folder only its owner moves a file.
const STICKY: u32 = 0o1000;

/// Reads a file that others could not have written; `None` when there is none.
///
/// # Errors
/// [`RuntimeError::NotOwn`] when another user owns it, or others may write it or put another in its place; what the
/// file system says.
pub fn read(path: &Path) -> Result<Option<Vec<u8>>, RuntimeError> {
    let file = match regular::open(path) {
        Ok(file) => file,
        Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(None),
        Err(e) => return Err(RuntimeError::io("read", path)(e)),
    };
    let wrong = |why: &str| RuntimeError::io("read", path)(io::Error::other(why.to_owned()));
    let meta = file.metadata().map_err(RuntimeError::io("read", path))?;
    judge(path, path, &meta, false).and_then(|()| way(path)).map_err(|fault| fault.of(path))?;
    let mut bytes = Vec::new();
    file.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(RuntimeError::io("read", path))?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(wrong("it is longer than 4 MiB"));
    }
    Ok(Some(bytes))
}

/// As [`read`], for a file of text.
///
/// # Errors
/// As [`read`], and when it is no text.
pub fn text(path: &Path) -> Result<Option<String>, RuntimeError> {
    let unreadable = |_| RuntimeError::io("read", path)(io::Error::other("it is not UTF-8 text"));
    read(path)?.map(|bytes| String::from_utf8(bytes).map_err(unreadable)).transpose()
}

/// Puts this text in place of what the file holds, at once.
///
/// # Errors
/// When it cannot be written; then it is as it was.
pub fn replace(path: &Path, text: &str) -> Result<(), RuntimeError> {
    // A link is written through to what it means.
    let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    make_private(real.parent().unwrap_or(Path::new("/")))?;
    atomic::replace(&real, text.as_bytes(), 0o600).map_err(RuntimeError::io("write", path))
}

/// What is wrong with a file or a folder, and what mends it.
struct Fault {
    why: String,
    mend: String,
}

impl Fault {
    fn of(self, path: &Path) -> RuntimeError {
        RuntimeError::NotOwn { path: path.to_owned(), why: self.why, mend: self.mend }
    }
}

/// Every folder on the way: that of the path, of every link that it leads over, and of what it means.
fn way(path: &Path) -> Result<(), Fault> {
    let mut at = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    for _ in 0..MOST_LINKS {
        folders(&at)?;
        match fs::read_link(&at) {
            Ok(to) => at = at.parent().unwrap_or(Path::new("/")).join(to),
            Err(_) => break,
        }
    }
    path.canonicalize().map_or(Ok(()), |real| folders(&real))
}

/// The folder of a file is held to what the file is; further up nobody but the owner may move what is in it.
fn folders(path: &Path) -> Result<(), Fault> {
    for (nth, folder) in path.ancestors().skip(1).enumerate() {
        // Who may move what is in the root of the system needs no file of ours; some containers leave it open.
        if folder.parent().is_none() {
            break;
        }
        let Ok(meta) = fs::metadata(folder) else { continue };
        judge(path, folder, &meta, nth > 0)?;
    }
    Ok(())
}

/// Judges the file or one of its folders; `far` is a folder above its own.
fn judge(file: &Path, place: &Path, meta: &Metadata, far: bool) -> Result<(), Fault> {
    let what = if file == place { "it".to_owned() } else { format!("its folder {}", place.display()) };
    let shown = pilothouse_core::shell::quote(&place.to_string_lossy());
    let theirs = if far { EVERYBODY } else { OTHERS };
    let sticky = meta.is_dir() && meta.mode() & STICKY != 0;
    if meta.mode() & theirs != 0 && !sticky {
        let why = format!("others may write {what} (mode {:o})", meta.mode() & 0o7777);
        return Err(Fault { why, mend: format!("run `chmod go-w {shown}`") });
    }
    let owner = meta.uid();
    if far || sticky || owner == 0 || owner == geteuid().as_raw() {
        return Ok(());
    }
    let why = format!("another user (uid {owner}) owns {what}");
    let mend = format!("read what it says, then run `sudo chown {} {shown}`", geteuid().as_raw());
    Err(Fault { why, mend })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)]
mod tests;
