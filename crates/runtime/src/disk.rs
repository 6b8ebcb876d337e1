//! The file layer: the few calls through which the workspace, the log and the blobs are written.
//!
//! Owns the [`Disk`] calls; where a workspace path leads is the tools' jail's. Never decides what is
//! written.

#[cfg(test)]
pub(crate) mod fault;

use std::{
    collections::BTreeMap,
    ffi::{OsStr, OsString},
    fs::File,
    io::{self, Read, Write},
    os::fd::OwnedFd,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    sync::Arc,
};

use pilothouse_core::{blob::BlobId, relpath::RelPath};
use pilothouse_tools::{
    jail::{self, Jail, JailError},
    snapshot::Thing,
};
use rustix::{
    fs::{AtFlags, Mode, OFlags, XattrFlags},
    io::Errno,
};

/// A name in an open folder: what happens to it cannot be led elsewhere by a swapped link.
#[derive(Clone, Debug)]
pub struct Spot {
    dir: Arc<OwnedFd>,
    name: OsString,
    shown: PathBuf,
}

impl Spot {
    /// Another name in the same folder.
    #[must_use]
    pub fn beside(&self, name: impl Into<OsString>) -> Self {
        let name = name.into();
        Self { dir: Arc::clone(&self.dir), shown: self.shown.with_file_name(&name), name }
    }

    /// The path, for people and for comparing folders.
    pub fn shown(&self) -> &Path {
        &self.shown
    }

    /// A name in this folder, opened by path; for the program's own files.
    ///
    /// # Errors
    /// When the folder cannot be opened.
    pub fn in_folder(folder: &Path, name: impl Into<OsString>) -> io::Result<Self> {
        let dir = rustix::fs::open(folder, OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
        let name = name.into();
        Ok(Self { dir: Arc::new(dir), shown: folder.join(&name), name })
    }
}

/// A regular file as it was found.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// Its content.
    pub bytes: Vec<u8>,
    /// Its permission bits.
    pub mode: u32,
}

/// The calls that read and change files. A test puts a failing one in its place.
pub trait Disk: Send + Sync {
    /// The file, or `None` when there is none.
    ///
    /// # Errors
    /// When it is no regular file, larger than [`MAX_BYTES`], or cannot be read.
    fn read(&self, at: &Spot) -> io::Result<Option<Snapshot>>;
    /// Creates a file that must not exist.
    ///
    /// # Errors
    /// What the system says.
    fn create(&self, at: &Spot, mode: u32) -> io::Result<File>;
    /// Writes everything.
    ///
    /// # Errors
    /// What the system says; a part may have been written.
    fn write(&self, file: &mut File, bytes: &[u8]) -> io::Result<()>;
    /// Makes the file's content durable.
    ///
    /// # Errors
    /// What the system says.
    fn sync(&self, file: &File) -> io::Result<()>;
    /// Gives a file a second name that must not exist.
    ///
    /// # Errors
    /// What the system says.
    fn link(&self, from: &Spot, to: &Spot) -> io::Result<()>;
    /// Renames over what is there.
    ///
    /// # Errors
    /// What the system says.
    fn rename(&self, from: &Spot, to: &Spot) -> io::Result<()>;
    /// Removes a file.
    ///
    /// # Errors
    /// What the system says.
    fn unlink(&self, at: &Spot) -> io::Result<()>;
    /// Creates a folder.
    ///
    /// # Errors
    /// What the system says.
    fn mkdir(&self, at: &Spot) -> io::Result<()>;
    /// Removes an empty folder.
    ///
    /// # Errors
    /// What the system says.
    fn rmdir(&self, at: &Spot) -> io::Result<()>;
    /// Makes the names in the spot's folder durable.
    ///
    /// # Errors
    /// What the system says.
    fn sync_dir(&self, at: &Spot) -> io::Result<()>;
    /// Where the link at a spot leads; `None` for what is no link.
    ///
    /// # Errors
    /// What the system says, and that where it leads is no text.
    fn read_link(&self, at: &Spot) -> io::Result<Option<String>> {
        let found = match rustix::fs::readlinkat(&at.dir, &at.name, Vec::new()) {
            Ok(found) => found,
            Err(Errno::INVAL | Errno::NOENT | Errno::NOTDIR) => return Ok(None),
            Err(e) => return Err(e.into()),
        };
        found
            .into_string()
            .map(Some)
            .map_err(|_| io::Error::other("it is a link whose target is not valid text"))
    }

    /// The permission bits of the folder at a spot; `None` for what is no folder.
    ///
    /// # Errors
    /// What the system says.
    fn folder(&self, at: &Spot) -> io::Result<Option<u32>> {
        let found = match rustix::fs::statat(&at.dir, &at.name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(found) => found,
            Err(Errno::NOENT | Errno::NOTDIR) => return Ok(None),
            Err(e) => return Err(e.into()),
        };
        let is_folder = rustix::fs::FileType::from_raw_mode(found.st_mode) == rustix::fs::FileType::Directory;
        #[allow(clippy::useless_conversion, reason = "the width differs by platform")]
        let bits = u32::from(found.st_mode) & 0o7777;
        Ok(is_folder.then_some(bits))
    }

    /// What stands for what is at a spot and is never read, with its permission bits; `None` for all others.
    ///
    /// # Errors
    /// What the system says.
    fn unread(&self, at: &Spot) -> io::Result<Option<(BlobId, u32)>> {
        match rustix::fs::statat(&at.dir, &at.name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(found) => Ok(Thing::unread(&found)),
            Err(Errno::NOENT | Errno::NOTDIR) => Ok(None),
            Err(e) => Err(e.into()),
        }
    }

    /// Makes a link.
    ///
    /// # Errors
    /// What the system says.
    fn symlink(&self, to: &str, at: &Spot) -> io::Result<()> {
        Ok(rustix::fs::symlinkat(to, &at.dir, &at.name)?)
    }

    /// Sets the permission bits of what is at a spot.
    ///
    /// # Errors
    /// What the system says.
    fn chmod(&self, at: &Spot, bits: u32) -> io::Result<()> {
        #[allow(clippy::useless_conversion, reason = "the width differs by platform")]
        let bits = Mode::from_bits_truncate(bits.try_into().unwrap_or(0o600));
        Ok(rustix::fs::chmodat(&at.dir, &at.name, bits, AtFlags::empty())?)
    }

    /// Gives `to` the mode, owner and extended attributes of the file at `from`; what the system
    /// does not allow is left out.
    fn copy_metadata(&self, from: &Spot, to: &File);
}

/// The largest file that is read or written whole, in bytes.
pub const MAX_BYTES: u64 = 256 << 20;

/// The machine's own disk.
#[derive(Clone, Copy, Debug, Default)]
pub struct RealDisk;

impl Disk for RealDisk {
    fn read(&self, at: &Spot) -> io::Result<Option<Snapshot>> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
        let fd = match rustix::fs::openat(&at.dir, &at.name, flags, Mode::empty()) {
            Ok(fd) => fd,
            Err(rustix::io::Errno::NOENT) => return Ok(None),
            Err(rustix::io::Errno::LOOP) => return Err(io::Error::other("it is a symbolic link")),
            Err(e) => return Err(e.into()),
        };
        let mut file = File::from(fd);
        let meta = file.metadata()?;
        if !meta.is_file() {
            let what = if meta.is_dir() { "it is a folder" } else { "it is not a regular file" };
            return Err(io::Error::other(what));
        }
        if meta.len() > MAX_BYTES {
            let text = format!("it has {} MB; at most {} MB are handled", meta.len() >> 20, MAX_BYTES >> 20);
            return Err(io::Error::other(text));
        }
        let mut bytes = Vec::with_capacity(usize::try_from(meta.len()).unwrap_or_default());
        Read::by_ref(&mut file).take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
        Ok(Some(Snapshot { bytes, mode: meta.mode() & 0o7777 }))
    }

    fn create(&self, at: &Spot, mode: u32) -> io::Result<File> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        #[allow(clippy::useless_conversion, reason = "the width differs by platform")]
        let bits = Mode::from_bits_truncate(mode.try_into().unwrap_or(0o600));
        Ok(rustix::fs::openat(&at.dir, &at.name, flags, bits)?.into())
    }

    fn write(&self, file: &mut File, bytes: &[u8]) -> io::Result<()> {
        file.write_all(bytes)
    }

    fn sync(&self, file: &File) -> io::Result<()> {
        file.sync_data()
    }

    fn link(&self, from: &Spot, to: &Spot) -> io::Result<()> {
        Ok(rustix::fs::linkat(&from.dir, &from.name, &to.dir, &to.name, AtFlags::empty())?)
    }

    fn rename(&self, from: &Spot, to: &Spot) -> io::Result<()> {
        Ok(rustix::fs::renameat(&from.dir, &from.name, &to.dir, &to.name)?)
    }

    fn unlink(&self, at: &Spot) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(&at.dir, &at.name, AtFlags::empty())?)
    }

    fn mkdir(&self, at: &Spot) -> io::Result<()> {
        Ok(rustix::fs::mkdirat(&at.dir, &at.name, Mode::from_bits_truncate(0o777))?)
    }

    fn rmdir(&self, at: &Spot) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(&at.dir, &at.name, AtFlags::REMOVEDIR)?)
    }

    fn sync_dir(&self, at: &Spot) -> io::Result<()> {
        Ok(rustix::fs::fsync(&at.dir)?)
    }

    fn copy_metadata(&self, from: &Spot, to: &File) {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
        let Ok(fd) = rustix::fs::openat(&from.dir, &from.name, flags, Mode::empty()) else { return };
        let old = File::from(fd);
        let (Ok(was), Ok(is)) = (old.metadata(), to.metadata()) else { return };
        if (was.uid(), was.gid()) != (is.uid(), is.gid()) {
            drop(std::os::unix::fs::fchown(to, Some(was.uid()), Some(was.gid())));
        }
        copy_attributes(&old, to);
        // The mode comes last: a change of owner clears the set-id bits.
        drop(to.set_permissions(was.permissions()));
    }
}

fn copy_attributes(from: &File, to: &File) {
    let mut names = vec![0; 64 * 1024];
    let Ok(len) = rustix::fs::flistxattr(from, &mut names) else { return };
    let names = names.get(..len).unwrap_or_default();
    for name in names.split(|b| *b == 0).filter(|n| !n.is_empty()) {
        let mut value = vec![0; 64 * 1024];
        if let Ok(len) = rustix::fs::fgetxattr(from, name, &mut value) {
            let _left_out =
                rustix::fs::fsetxattr(to, name, value.get(..len).unwrap_or_default(), XattrFlags::empty());
        }
    }
}

/// Runs a call again while it says that a signal came between, a bounded number of times.
///
/// # Errors
/// What the call says at last.
pub fn retry_on_eintr<T>(mut call: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    for _ in 0..100 {
        match call() {
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            result => return result,
        }
    }
    call()
}

/// The workspace's root, held open.
#[derive(Clone, Debug)]
pub struct Root {
    jail: Arc<Jail>,
    /// Files that are not written, each with the reason.
    spared: Arc<BTreeMap<PathBuf, String>>,
}

/// Where a workspace path really leads.
#[derive(Clone, Debug)]
pub struct Located {
    /// Folders that are missing, outermost first; empty when the file's folder exists.
    pub missing: Vec<OsString>,
    /// The file, or, while folders are missing, the first of them.
    pub spot: Spot,
    /// The file's own name.
    pub name: OsString,
    /// Whether the path itself is a link that was followed.
    pub linked: bool,
}

impl Located {
    /// The file's own path, through what is missing.
    fn path(&self) -> PathBuf {
        let mut path = self.spot.shown().to_owned();
        path.extend(self.missing.iter().skip(1));
        if !self.missing.is_empty() {
            path.push(&self.name);
        }
        path
    }
}

impl Root {
    /// Opens a workspace.
    ///
    /// # Errors
    /// When it is no folder or cannot be opened.
    pub fn open(path: &Path) -> io::Result<Self> {
        Ok(Self { jail: Arc::new(Jail::open(path).map_err(reason)?), spared: Arc::default() })
    }

    /// Its real path.
    pub fn path(&self) -> &Path {
        self.jail.root()
    }

    /// The same, but these files are not written, under whatever name: for each, why.
    #[must_use]
    pub fn sparing(self, files: impl IntoIterator<Item = (RelPath, String)>) -> Self {
        let files = files.into_iter().filter_map(|(path, why)| Some((self.locate(&path).ok()?.path(), why)));
        let spared = Arc::new(files.collect());
        Self { spared, ..self }
    }

    /// The files that are not written here.
    pub fn spared(&self) -> impl Iterator<Item = PathBuf> + '_ {
        self.spared.keys().cloned()
    }

    /// Why a file is not written here, if it is not.
    pub fn spares(&self, at: &Located) -> Option<&str> {
        self.spared.get(&at.path()).map(String::as_str)
    }

    /// Finds a path: links are followed only while they stay inside, and the folder is opened below
    /// the root's handle so that a link put there meanwhile makes it fail.
    ///
    /// # Errors
    /// When it leads outside, a link dangles, or a folder on the way cannot be opened.
    pub fn locate(&self, path: &RelPath) -> io::Result<Located> {
        let jail::Located { dir, folder, missing, name, linked } = self.jail.locate(path).map_err(reason)?;
        let first = missing.first().unwrap_or(&name).clone();
        let spot = Spot { dir: Arc::new(dir), shown: folder.join(&first), name: first };
        Ok(Located { missing, spot, name, linked })
    }

    /// As [`Root::locate`], for exactly this name: no link is followed, on the way or at its end.
    ///
    /// # Errors
    /// When something on the way is no folder, or cannot be opened.
    pub fn locate_unfollowed(&self, path: &RelPath) -> io::Result<Located> {
        let jail::Located { dir, folder, missing, name, linked } = self.jail.locate_unfollowed(path)?;
        let first = missing.first().unwrap_or(&name).clone();
        let spot = Spot { dir: Arc::new(dir), shown: folder.join(&first), name: first };
        Ok(Located { missing, spot, name, linked })
    }

    /// The folder that was just made at `at`, with `name` in it.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub fn enter(at: &Spot, name: &OsStr) -> io::Result<Spot> {
        let dir = jail::open_folder(&at.dir, &at.name)?;
        Ok(Spot { dir: Arc::new(dir), shown: at.shown.join(name), name: name.to_owned() })
    }
}

/// Why a path cannot be used, for a message that names it already.
fn reason(error: JailError) -> io::Error {
    match error {
        JailError::Root { source, .. } | JailError::Io { source, .. } => source,
        JailError::Outside(_) | JailError::Elsewhere { .. } => {
            io::Error::other("it leads outside the workspace by a link")
        }
        JailError::Dangling(_) => io::Error::other("it is a broken link"),
        JailError::NotAFolder(_) => io::Error::other("it goes through something that is not a folder"),
        JailError::Missing(_) => io::ErrorKind::NotFound.into(),
        JailError::Moved(_) => io::Error::other("it changed while being opened"),
        other @ (JailError::Bad(_)
        | JailError::Climbs(_)
        | JailError::NotAFile { .. }
        | JailError::TooLong(_)
        | JailError::Gone(_)
        | JailError::NotUtf8(_)
        | JailError::TooLarge { .. }
        | JailError::Ruled { .. }) => io::Error::other(other.to_string()),
    }
}
