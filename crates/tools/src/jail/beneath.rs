//! Opening below a folder handle with every link refused.
//!
//! Owns the two ways: one system call where the kernel has it, else a step for each component.
//! Never resolves a link.

use std::{
    ffi::OsStr,
    os::fd::{AsFd, OwnedFd},
    path::{Component, Path},
};

use rustix::{
    fs::{FileType, Mode, OFlags},
    io::Errno,
};

/// Opens only to look: no right to read is needed where the system knows such handles.
#[cfg(target_os = "linux")]
pub(super) const LOOK: OFlags = OFlags::PATH;
/// Opens only to look: no right to read is needed where the system knows such handles.
#[cfg(not(target_os = "linux"))]
pub(super) const LOOK: OFlags = OFlags::RDONLY.union(OFlags::NONBLOCK).union(OFlags::NOCTTY);

/// Opens `path`, which holds plain names only, below `dir`.
pub(super) fn open(dir: impl AsFd, path: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
    #[cfg(target_os = "linux")]
    match at_once(dir.as_fd(), path, flags) {
        // An old kernel, or a sandbox that does not know the call.
        Err(Errno::NOSYS | Errno::PERM) => {}
        answer => return answer,
    }
    stepwise(dir, path, flags)
}

#[cfg(target_os = "linux")]
fn at_once(dir: impl AsFd, path: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
    use rustix::fs::ResolveFlags;
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    loop {
        match rustix::fs::openat2(dir.as_fd(), path, flags | OFlags::CLOEXEC, Mode::empty(), resolve) {
            Err(Errno::INTR) => {}
            answer => return answer,
        }
    }
}

fn stepwise(dir: impl AsFd, path: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
    let step = |at: &OwnedFd, name: &OsStr, flags: OFlags| {
        rustix::fs::openat(at, name, flags | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty())
    };
    let mut names = Vec::new();
    for part in path.components() {
        match part {
            Component::Normal(name) => names.push(name),
            Component::CurDir => {}
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => return Err(Errno::XDEV),
        }
    }
    let mut at = rustix::io::fcntl_dupfd_cloexec(dir, 0)?;
    let Some((last, folders)) = names.split_last() else { return step(&at, OsStr::new("."), flags) };
    for name in folders {
        at = step(&at, name, LOOK | OFlags::DIRECTORY)?;
    }
    let handle = step(&at, last, flags)?;
    // A handle made only to look can be of a link itself.
    let stat = rustix::fs::fstat(&handle)?;
    if FileType::from_raw_mode(stat.st_mode) == FileType::Symlink {
        return Err(Errno::LOOP);
    }
    Ok(handle)
}

#[cfg(test)]
mod tests;
