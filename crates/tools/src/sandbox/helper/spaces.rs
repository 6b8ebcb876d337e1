//! Name spaces of a command's own, where bubblewrap gives none: every mount is read-only but for what
//! may be written.
//!
//! Owns what Landlock has no rule for: modes, owners, times, attributes and flags of files, whether by
//! name or by an open file, and objects of System V. Whatever cannot be held is an error.

use std::{
    ffi::OsString,
    fs, io,
    os::{fd::OwnedFd, unix::ffi::OsStringExt},
    path::{Path, PathBuf},
};

use nix::{
    errno::Errno,
    sched::{CloneFlags, unshare},
};
use rustix::{
    fs::{CWD, StatVfsMountFlags, statvfs},
    mount::{
        MountFlags, MountPropagationFlags, MoveMountFlags, OpenTreeFlags, mount, mount_change, mount_remount,
        move_mount, open_tree,
    },
    process::{getegid, geteuid},
};

use crate::sandbox::policy::Policy;

/// Gives this process mounts of its own, and makes all of them read-only but for what it may write.
pub(super) fn hold(policy: &Policy) -> Result<(), String> {
    let lost = |what: &'static str| move |e: io::Error| format!("{what}: {e}");
    let here = std::env::current_dir().map_err(lost("the folder that it starts in"))?;
    part().map_err(lost("name spaces of its own"))?;
    // What is mounted outside from now on does not come in, where it would be writable.
    let alone = MountPropagationFlags::PRIVATE | MountPropagationFlags::REC;
    mount_change("/", alone).map_err(|e| lost("its mounts")(e.into()))?;
    let open: Vec<(&Path, OwnedFd)> = writable(&policy.write)
        .map(|path| copy(path).map(|tree| (path, tree)))
        .collect::<Result<_, _>>()
        .map_err(lost("what it may write"))?;
    let all = fs::read("/proc/self/mountinfo").map_err(lost("the list of mounts"))?;
    for (point, flags) in mounts(&all) {
        close(&point, flags).map_err(|e| format!("the mount {}: {e}", point.display()))?;
    }
    for (path, tree) in open {
        move_mount(tree, "", CWD, path, MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH)
            .map_err(|e| format!("what it may write, {}: {e}", path.display()))?;
    }
    for path in policy.covered() {
        cover(path).map_err(|e| format!("what is hidden from it, {}: {e}", path.display()))?;
    }
    // The folder is now below a mount that was put on top of it.
    std::env::set_current_dir(here).map_err(lost("the folder that it starts in"))
}

/// Leaves the name spaces that this process shares; who is no superuser needs one of users for that,
/// in which the user is who they were.
fn part() -> io::Result<()> {
    let spaces = CloneFlags::CLONE_NEWNS | CloneFlags::CLONE_NEWIPC;
    let (user, group) = (geteuid().as_raw(), getegid().as_raw());
    if unshare(spaces).is_ok() {
        return Ok(());
    }
    let tried = unshare(spaces | CloneFlags::CLONE_NEWUSER);
    if tried == Err(Errno::ENOSPC) {
        // So the kernel says it, and means no disk.
        return Err(io::Error::other("the system allows no more of them"));
    }
    tried?;
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
    fs::write("/proc/self/gid_map", format!("{group} {group} 1"))
}

/// What is there to be written, without what lies in another of them: between two mounts nothing can
/// be renamed.
fn writable(all: &[PathBuf]) -> impl Iterator<Item = &Path> {
    let within = |path: &PathBuf| all.iter().any(|other| other != path && path.starts_with(other));
    let mut seen: Vec<&Path> = Vec::new();
    let found = all.iter().filter(move |p| p.exists() && !within(p)).map(PathBuf::as_path);
    found.filter(move |path| !seen.contains(path) && (seen.push(path), true).1)
}

/// A copy of what is mounted at a path and below it, as it is now.
fn copy(path: &Path) -> io::Result<OwnedFd> {
    let whole = OpenTreeFlags::OPEN_TREE_CLONE | OpenTreeFlags::AT_RECURSIVE;
    open_tree(CWD, path, whole | OpenTreeFlags::OPEN_TREE_CLOEXEC)
        .map_err(|e| io::Error::other(format!("{}: {e}", path.display())))
}

/// Makes a mount read-only, and looks whether it is. One that cannot be reached by its path, since
/// another covers it or nobody but its owner may look, is not reached by the command either.
fn close(point: &Path, flags: MountFlags) -> io::Result<()> {
    let tried = mount_remount(point, MountFlags::BIND | MountFlags::RDONLY | flags, "");
    match statvfs(point) {
        Ok(found) if found.f_flag.contains(StatVfsMountFlags::RDONLY) => Ok(()),
        Ok(_) => Err(tried.err().map_or_else(|| io::Error::other("it stays writable"), Into::into)),
        Err(_) => Ok(()),
    }
}

/// Hides what is at a path of what may be written: an empty folder, or a device where there are none, so that nobody takes
/// it for an empty file, or writes there for nothing.
fn cover(path: &Path) -> io::Result<()> {
    let shut = MountFlags::RDONLY | MountFlags::NODEV | MountFlags::NOSUID | MountFlags::NOEXEC;
    match path.symlink_metadata() {
        Ok(meta) if meta.is_dir() => mount("tmpfs", path, "tmpfs", shut, c"mode=000")?,
        Ok(_) => {
            let null = open_tree(
                CWD,
                "/dev/null",
                OpenTreeFlags::OPEN_TREE_CLONE | OpenTreeFlags::OPEN_TREE_CLOEXEC,
            )?;
            move_mount(null, "", CWD, path, MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH)?;
            mount_remount(path, MountFlags::BIND | shut, "")?;
        }
        // Gone since it was seen.
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(e) => return Err(e),
    }
    let found = statvfs(path)?.f_flag;
    let holds = found.contains(StatVfsMountFlags::RDONLY | StatVfsMountFlags::NODEV);
    if holds { Ok(()) } else { Err(io::Error::other("it stays open")) }
}

/// Every mount with the flags that must stay, and the root in any case.
fn mounts(list: &[u8]) -> Vec<(PathBuf, MountFlags)> {
    let mut found: Vec<_> = list.split(|b| *b == b'\n').filter_map(listed).collect();
    if !found.iter().any(|(point, _)| point == Path::new("/")) {
        found.push((PathBuf::from("/"), MountFlags::empty()));
    }
    found
}

/// The path and the flags in a line of the list.
fn listed(line: &[u8]) -> Option<(PathBuf, MountFlags)> {
    let mut words = line.split(|b| *b == b' ');
    let (point, options) = (words.nth(4)?, words.next()?);
    let flag = |option: &[u8]| match option {
        b"nosuid" => MountFlags::NOSUID,
        b"nodev" => MountFlags::NODEV,
        b"noexec" => MountFlags::NOEXEC,
        b"nosymfollow" => MountFlags::NOSYMFOLLOW,
        // Those about times stay as they are where none is named.
        _ => MountFlags::empty(),
    };
    let flags = options.split(|b| *b == b',').map(flag).collect();
    Some((PathBuf::from(OsString::from_vec(unescaped(point))), flags))
}

/// A path of the list, where blanks and the like stand as a backslash and three octal digits.
fn unescaped(path: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(path.len());
    let mut rest = path;
    while let Some((first, after)) = rest.split_first() {
        let octal = after.get(..3).and_then(|d| std::str::from_utf8(d).ok());
        let byte = octal.filter(|_| *first == b'\\').and_then(|d| u8::from_str_radix(d, 8).ok());
        plain.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { after.get(3..).unwrap_or_default() } else { after };
    }
    plain
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_the_list_is_read_with_its_flags_and_odd_names() {
        let list = b"36 35 98:0 / /mnt/a\\040b\\134c rw,nosuid,nodev,relatime shared:1 - ext4 /dev/x rw\n\
                     40 36 0:5 / /proc rw,noexec - proc proc rw\n";
        let found = mounts(list);
        assert_eq!(found.len(), 3);
        assert_eq!(
            found.first().unwrap(),
            &(PathBuf::from("/mnt/a b\\c"), MountFlags::NOSUID | MountFlags::NODEV)
        );
        assert_eq!(found.get(1).unwrap(), &(PathBuf::from("/proc"), MountFlags::NOEXEC));
        assert_eq!(found.get(2).unwrap(), &(PathBuf::from("/"), MountFlags::empty()), "the root in any case");
        assert_eq!(unescaped(b"a\\04"), b"a\\04");
    }

    #[test]
    fn what_lies_in_another_place_is_no_mount_of_its_own() {
        let dir = tempfile::tempdir().unwrap();
        let (a, b) = (dir.path().join("a"), dir.path().join("a/b"));
        fs::create_dir_all(&b).unwrap();
        let gone = dir.path().join("gone");
        let all = [b, a.clone(), a.clone(), gone];
        assert_eq!(writable(&all).collect::<Vec<_>>(), [a.as_path()]);
    }
}
