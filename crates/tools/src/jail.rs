//! The jail: which file a path means, and handles to it that cannot lead out of the workspace.
//!
//! Owns resolving and opening, for the tools and the writer alike. A path is judged by the components
//! of what it resolves to, never by its text, and is then opened below a handle of the root with links
//! refused, so that what was judged and what is used are the same. Never writes.

mod beneath;

use std::{
    ffi::{OsStr, OsString},
    fs::{self, File, Metadata},
    io::{self, Read},
    os::fd::{AsFd, OwnedFd},
    path::{Component, Path, PathBuf},
};

use pilothouse_core::{
    relpath::{BadRelPath, RelPath},
    tool::ABSENT,
};
use rustix::{fs::OFlags, io::Errno};

/// A file larger than this is not read whole, in bytes.
pub const MAX_FILE_BYTES: u64 = 50 * 1024 * 1024;

/// A path, and a name in it, that is longer cannot be opened on any system of ours, in bytes.
const MAX_PATH_BYTES: usize = 4096;
const MAX_NAME_BYTES: usize = 255;

/// How often an open is tried again when a folder changed between resolving and opening.
const TRIES: usize = 3;

/// Why a path cannot be used; the text says what to do instead.
#[derive(Debug, thiserror::Error)]
pub enum JailError {
    /// The workspace itself cannot be opened.
    #[error("the workspace {path} cannot be opened: {source}")]
    Root {
        /// The folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The text is no path inside the workspace.
    #[error(transparent)]
    Bad(#[from] BadRelPath),
    /// The path leads out.
    #[error(
        "{0} leads outside the workspace; only files inside it can be used. What lies outside is read by a command (run: \
         `ls`, `cat`), where the user's rules let it"
    )]
    Outside(String),
    /// It stands nowhere, and the workspace has its end: it is of another machine, as in a trace.
    #[error("{asked} is not in this workspace, which has {here}: use that path")]
    Elsewhere {
        /// The path.
        asked: String,
        /// The longest end of it that is a file here.
        here: String,
    },
    /// The text climbs out of the workspace.
    #[error(
        "{0:?} lies outside the workspace, or is not given from its root: the file tools work only inside it, by paths \
         without `..`. What lies outside is read by a command (run: `ls`, `cat`), where the user's rules let it"
    )]
    Climbs(String),
    /// No file can have it as its path.
    #[error("{0}… is longer than a path can be; give a shorter one")]
    TooLong(String),
    /// The workspace's folder is not where it was.
    #[error("the workspace {} was moved or removed; start again where it is now", .0.display())]
    Gone(PathBuf),
    /// There is nothing there.
    #[error("{0} {ABSENT}; list its folder to see what does")]
    Missing(String),
    /// The path is a link to nothing.
    #[error("{0} is a link to something that does not exist; use a file that does")]
    Dangling(String),
    /// A part of the path that should be a folder is none.
    #[error("{0} goes through something that is not a folder; list what is above it")]
    NotAFolder(String),
    /// The path is no regular file.
    #[error("{path} is {what}, not a file; give the path of a file")]
    NotAFile {
        /// The path.
        path: String,
        /// What it is.
        what: &'static str,
    },
    /// The real name cannot be written as text.
    #[error("{0} has a name that is not UTF-8 and cannot be opened by name; rename it first")]
    NotUtf8(String),
    /// The file is too large.
    #[error(
        "{path} has {} MB; files above {} MB are not opened: a command shows parts of it, as head, tail and grep do",
        .bytes.div_ceil(1 << 20),
        .limit >> 20
    )]
    TooLarge {
        /// The path.
        path: String,
        /// Its size.
        bytes: u64,
        /// The most that is opened.
        limit: u64,
    },
    /// A folder became a link, or the other way round, while the file was opened.
    #[error("{0} changed while it was opened; try again")]
    Moved(String),
    /// A permission rule holds it back.
    #[error("{path} is held back by a permission rule: {rule}; go on without it")]
    Ruled {
        /// The path.
        path: String,
        /// The rule, and where it stands.
        rule: String,
    },
    /// The system refused.
    #[error("{path} cannot be opened: {source}")]
    Io {
        /// The path.
        path: String,
        /// Why.
        source: io::Error,
    },
}

/// The workspace as file tools may see it.
#[derive(Debug)]
pub struct Jail {
    root: PathBuf,
    given: PathBuf,
    dir: OwnedFd,
}

/// What a path means: its place below the root with every link followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolved {
    asked: String,
    real: PathBuf,
    /// How many names at its end are missing.
    missing: usize,
}

impl Resolved {
    /// The real place relative to the root; empty for the root itself.
    pub fn real(&self) -> &Path {
        &self.real
    }

    /// Whether something is there.
    pub const fn exists(&self) -> bool {
        self.missing == 0
    }

    /// The real place as a path of the workspace.
    ///
    /// # Errors
    /// When it is the root itself, or its name is not UTF-8.
    pub fn path(&self) -> Result<RelPath, JailError> {
        if self.real.as_os_str().is_empty() {
            return Err(JailError::NotAFile { path: self.asked.clone(), what: "a folder" });
        }
        let text = self.real.to_str().ok_or_else(|| JailError::NotUtf8(self.asked.clone()))?;
        Ok(RelPath::new(text)?)
    }
}

/// Where a file is or will be: a handle of the deepest folder on its way that exists.
#[derive(Debug)]
pub struct Located {
    /// The folder.
    pub dir: OwnedFd,
    /// Its real path.
    pub folder: PathBuf,
    /// Folders that are missing below it, outermost first; empty when the file's folder exists.
    pub missing: Vec<OsString>,
    /// The file's own name.
    pub name: OsString,
    /// Whether the path itself is a link that was followed.
    pub linked: bool,
}

impl Jail {
    /// A jail around the folder `root`.
    ///
    /// # Errors
    /// When it is no folder or cannot be opened.
    pub fn open(root: &Path) -> Result<Self, JailError> {
        let wrong = |source| JailError::Root { path: root.to_owned(), source };
        let real = fs::canonicalize(root).map_err(wrong)?;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let dir = rustix::fs::open(&real, flags, rustix::fs::Mode::empty())
            .map_err(|e| wrong(io::Error::from(e)))?;
        Ok(Self { root: real, given: root.to_owned(), dir })
    }

    /// The real root.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Reads a path as a model writes it: relative, or absolute inside the workspace. `None` is the
    /// root itself.
    ///
    /// # Errors
    /// When it climbs with `..`, holds a NUL, or is absolute and outside.
    pub fn read_path(&self, text: &str) -> Result<Option<RelPath>, JailError> {
        if text.contains('\0') {
            return Err(BadRelPath(text.to_owned()).into());
        }
        let path = Path::new(text);
        if path.components().any(|c| c == Component::ParentDir) {
            return Err(JailError::Climbs(text.to_owned()));
        }
        let below = if path.is_absolute() { self.below(path, text)? } else { path.to_owned() };
        if below.components().all(|c| c == Component::CurDir) {
            return if text.is_empty() { Err(BadRelPath(text.to_owned()).into()) } else { Ok(None) };
        }
        let text = below.to_str().ok_or_else(|| JailError::NotUtf8(text.to_owned()))?;
        Ok(Some(RelPath::new(text)?))
    }

    fn below(&self, path: &Path, text: &str) -> Result<PathBuf, JailError> {
        if let Ok(rest) = path.strip_prefix(&self.root).or_else(|_| path.strip_prefix(&self.given)) {
            return Ok(rest.to_owned());
        }
        let real = fs::canonicalize(path).map_err(|_| self.elsewhere(path, text))?;
        let rest = real.strip_prefix(&self.root).map_err(|_| JailError::Outside(text.to_owned()))?;
        Ok(rest.to_owned())
    }

    fn elsewhere(&self, path: &Path, text: &str) -> JailError {
        let parts: Vec<Component<'_>> = path.components().skip(1).collect();
        let ends = (0..parts.len()).map(|from| parts.iter().skip(from).collect::<PathBuf>());
        let here =
            ends.filter(|end| self.root.join(end).is_file()).find_map(|end| Some(end.to_str()?.to_owned()));
        match here {
            Some(here) => JailError::Elsewhere { asked: text.to_owned(), here },
            None => JailError::Outside(text.to_owned()),
        }
    }

    /// What `path` means now.
    ///
    /// # Errors
    /// When it leads out of the root, goes through a file, or ends in a link to nothing.
    pub fn resolve(&self, path: &RelPath) -> Result<Resolved, JailError> {
        let asked = path.as_str();
        let full = self.root.join(asked);
        match fs::canonicalize(&full) {
            Ok(real) => self.inside(asked, &real, &[]),
            Err(e) if e.kind() == io::ErrorKind::NotFound => self.resolve_new(asked, &full),
            Err(e) => Err(fault(asked, e)),
        }
    }

    /// The real place of something that does not exist: that of its deepest existing folder, and
    /// the names below it.
    fn resolve_new(&self, asked: &str, full: &Path) -> Result<Resolved, JailError> {
        let mut at = full;
        let mut names: Vec<OsString> = Vec::new();
        loop {
            match fs::canonicalize(at) {
                Ok(real) => {
                    if !names.is_empty() && !real.is_dir() {
                        return Err(JailError::NotAFolder(asked.to_owned()));
                    }
                    return self.inside(asked, &real, &names);
                }
                Err(e) if e.kind() == io::ErrorKind::NotFound => {
                    match fs::symlink_metadata(at) {
                        Ok(there) if there.is_symlink() => {
                            return Err(JailError::Dangling(asked.to_owned()));
                        }
                        // Somebody made it just now: it is asked for again.
                        Ok(_) => continue,
                        Err(_) => {}
                    }
                }
                Err(e) => return Err(fault(asked, e)),
            }
            if at == self.root {
                return Err(JailError::Gone(self.root.clone()));
            }
            let (Some(name), Some(parent)) = (at.file_name(), at.parent()) else {
                return Err(JailError::Outside(asked.to_owned()));
            };
            names.push(name.to_owned());
            at = parent;
        }
    }

    /// A real path with the names that are missing below it, innermost first.
    fn inside(&self, asked: &str, real: &Path, missing: &[OsString]) -> Result<Resolved, JailError> {
        let below = real.strip_prefix(&self.root).map_err(|_| JailError::Outside(asked.to_owned()))?;
        // What is missing is to be made: a path that no call takes whole could be written and never read again.
        let bytes = real.as_os_str().len() + missing.iter().map(|n| n.len() + 1).sum::<usize>();
        if bytes >= MAX_PATH_BYTES || missing.iter().any(|n| n.len() > MAX_NAME_BYTES) {
            return Err(too_long(asked));
        }
        let real = below.iter().chain(missing.iter().rev().map(OsString::as_os_str)).collect();
        Ok(Resolved { asked: asked.to_owned(), real, missing: missing.len() })
    }

    /// Opens a regular file for reading; never blocks on a pipe or a device.
    ///
    /// # Errors
    /// When the path cannot be resolved, is no regular file, or keeps changing.
    pub fn open_read(&self, path: &RelPath) -> Result<File, JailError> {
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY;
        let file = File::from(self.open_with(path, flags)?);
        let meta = file.metadata().map_err(|e| fault(path.as_str(), e))?;
        match kind(&meta) {
            None => Ok(file),
            Some(what) => Err(JailError::NotAFile { path: path.to_string(), what }),
        }
    }

    /// Reads a whole file of at most [`MAX_FILE_BYTES`].
    ///
    /// # Errors
    /// As [`Jail::open_read`], and when it is larger.
    pub fn read(&self, path: &RelPath) -> Result<Vec<u8>, JailError> {
        let file = self.open_read(path)?;
        let bytes = file.metadata().map_err(|e| fault(path.as_str(), e))?.len();
        let too_large = |bytes| JailError::TooLarge { path: path.to_string(), bytes, limit: MAX_FILE_BYTES };
        if bytes > MAX_FILE_BYTES {
            return Err(too_large(bytes));
        }
        let mut content = Vec::with_capacity(usize::try_from(bytes).unwrap_or_default());
        file.take(MAX_FILE_BYTES + 1).read_to_end(&mut content).map_err(|e| fault(path.as_str(), e))?;
        if content.len() as u64 > MAX_FILE_BYTES {
            return Err(too_large(content.len() as u64));
        }
        Ok(content)
    }

    /// What is at `path`, links followed.
    ///
    /// # Errors
    /// When the path cannot be resolved or nothing is there.
    pub fn metadata(&self, path: &RelPath) -> Result<Metadata, JailError> {
        let handle = self.open_with(path, beneath::LOOK)?;
        File::from(handle).metadata().map_err(|e| fault(path.as_str(), e))
    }

    /// The folder that holds what `path` means, or is to hold it: for a writer that makes a new file
    /// there and renames.
    ///
    /// # Errors
    /// When the path cannot be resolved, is the root, or its folder cannot be opened.
    pub fn locate(&self, path: &RelPath) -> Result<Located, JailError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY;
        self.retry_resolve(path, |jail, resolved| {
            let linked = jail.root.join(path.as_str()).is_symlink();
            let mut names: Vec<OsString> = resolved.real().iter().map(OsStr::to_owned).collect();
            let mut missing = names.split_off(names.len().saturating_sub(resolved.missing.max(1)));
            let name = missing.pop().ok_or_else(|| JailError::Outside(path.to_string()))?;
            let folder: PathBuf = names.iter().collect();
            let dir = jail.open_real(&folder, flags).map_err(|e| errno(path.as_str(), e))?;
            Ok(Located { dir, folder: jail.root.join(folder), missing, name, linked })
        })
    }

    /// As [`Jail::locate`], for exactly this name: no link is followed, on the way or at its end.
    ///
    /// # Errors
    /// `NotADirectory` when something on the way is no folder, else what the system says.
    pub fn locate_unfollowed(&self, path: &RelPath) -> io::Result<Located> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY;
        let mut names: Vec<OsString> = path.as_str().split('/').map(OsString::from).collect();
        let name = names.pop().unwrap_or_default();
        let mut missing = Vec::new();
        loop {
            let folder: PathBuf = names.iter().collect();
            match self.open_real(&folder, flags) {
                Ok(dir) => {
                    missing.reverse();
                    return Ok(Located { dir, folder: self.root.join(folder), missing, name, linked: false });
                }
                Err(Errno::NOENT) => missing.extend(names.pop()),
                Err(Errno::NOTDIR | Errno::LOOP | Errno::XDEV) => {
                    return Err(io::ErrorKind::NotADirectory.into());
                }
                Err(e) => return Err(e.into()),
            }
            if names.is_empty() && missing.len() > path.as_str().len() {
                return Err(io::ErrorKind::NotFound.into());
            }
        }
    }

    /// Opens a real place below the root; links are refused.
    pub(crate) fn open_real(&self, real: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
        beneath::open(&self.dir, real, flags)
    }

    /// Whether a real place is still below the root, no link on the way.
    pub(crate) fn holds(&self, real: &Path) -> bool {
        let (Some(name), Some(parent)) = (real.file_name(), real.parent()) else { return false };
        let Ok(dir) = self.open_real(parent, beneath::LOOK | OFlags::DIRECTORY) else { return false };
        rustix::fs::statat(dir, name, rustix::fs::AtFlags::SYMLINK_NOFOLLOW).is_ok()
    }

    fn open_with(&self, path: &RelPath, flags: OFlags) -> Result<OwnedFd, JailError> {
        self.retry_resolve(path, |jail, resolved| {
            if !resolved.exists() {
                let lossy = path.as_str().contains(char::REPLACEMENT_CHARACTER);
                let name = path.to_string();
                return Err(if lossy { JailError::NotUtf8(name) } else { JailError::Missing(name) });
            }
            jail.open_real(resolved.real(), flags).map_err(|e| errno(path.as_str(), e))
        })
    }

    /// Resolves and opens, again when something moved in between.
    fn retry_resolve<T>(
        &self,
        path: &RelPath,
        open: impl Fn(&Self, &Resolved) -> Result<T, JailError>,
    ) -> Result<T, JailError> {
        let mut last = JailError::Moved(path.to_string());
        for _ in 0..TRIES {
            match open(self, &self.resolve(path)?) {
                Err(moved @ JailError::Moved(_)) => last = moved,
                other => return other,
            }
        }
        Err(last)
    }
}

/// Opens a folder by its name in another one; a link is refused.
///
/// # Errors
/// What the system says.
pub fn open_folder(dir: impl AsFd, name: &OsStr) -> io::Result<OwnedFd> {
    Ok(beneath::open(dir, Path::new(name), OFlags::RDONLY | OFlags::DIRECTORY)?)
}

/// What something is when it is no regular file.
fn kind(meta: &Metadata) -> Option<&'static str> {
    use std::os::unix::fs::FileTypeExt;
    let t = meta.file_type();
    match () {
        () if t.is_file() => None,
        () if t.is_dir() => Some("a folder"),
        () if t.is_fifo() => Some("a pipe"),
        () if t.is_socket() => Some("a socket"),
        () => Some("a device"),
    }
}

fn errno(path: &str, e: Errno) -> JailError {
    let path = path.to_owned();
    match e {
        Errno::LOOP | Errno::XDEV | Errno::NOTDIR | Errno::AGAIN => JailError::Moved(path),
        Errno::NOENT => JailError::Missing(path),
        Errno::NXIO => JailError::NotAFile { path, what: "a socket" },
        e => JailError::Io { path, source: e.into() },
    }
}

fn too_long(path: &str) -> JailError {
    JailError::TooLong(path.get(..path.floor_char_boundary(60)).unwrap_or_default().to_owned())
}

fn fault(path: &str, e: io::Error) -> JailError {
    let path = path.to_owned();
    match e.raw_os_error().map(Errno::from_raw_os_error) {
        Some(Errno::NOTDIR) => JailError::NotAFolder(path),
        Some(Errno::NOENT) => JailError::Missing(path),
        Some(Errno::NAMETOOLONG) => too_long(&path),
        Some(_) | None => JailError::Io { path, source: e },
    }
}

#[cfg(test)]
mod tests;
