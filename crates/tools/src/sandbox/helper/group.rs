//! A control group of the kernel for one command, where this user may make one: a hard limit on its
//! processes and threads, and in the newer kind an end of all of them at once.
//!
//! Owns the folder of the group. Where none can be made, others hold what they can.

use std::{
    fs,
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

/// How often the removal is tried: what was just killed may still stand in it.
const TRIES: usize = 50;

/// A group with a limit.
#[derive(Clone, Debug)]
pub(super) struct Group {
    dir: PathBuf,
    /// Where this process came from.
    home: PathBuf,
}

impl Group {
    /// Makes a group for at most `limit` processes and threads, and puts this process into it, so that
    /// what it starts is in it from the beginning.
    pub fn join(limit: u64) -> Option<Self> {
        let homes = fs::read_to_string("/proc/self/cgroup").ok()?;
        let mounts = fs::read_to_string("/proc/self/mountinfo").ok()?;
        homes.lines().filter_map(|line| home(line, &mounts)).find_map(|(home, parent)| {
            let dir = parent.join(format!("pilothouse-{}", std::process::id()));
            fs::create_dir(&dir).ok()?;
            let limited = fs::write(dir.join("pids.max"), limit.to_string()).is_ok();
            if limited && fs::write(dir.join("cgroup.procs"), "0").is_ok() {
                return Some(Self { dir, home });
            }
            let _ = fs::remove_dir(&dir);
            None
        })
    }

    /// Takes this process out again.
    pub fn leave(&self) {
        let _ = fs::write(self.home.join("cgroup.procs"), "0");
    }

    /// Ends everything in it, where the kernel can.
    pub fn kill(&self) {
        let _ = fs::write(self.dir.join("cgroup.kill"), "1");
    }

    /// Removes it, now that nothing is in it.
    pub fn remove(&self) {
        for _ in 0..TRIES {
            if fs::remove_dir(&self.dir).is_ok() {
                return;
            }
            thread::sleep(Duration::from_millis(2));
        }
    }
}

/// Of a line of the list of groups: the group, and the one to make another in. A group of the newer
/// kind that holds processes cannot hold groups with limits, so they stand side by side.
fn home(line: &str, mounts: &str) -> Option<(PathBuf, PathBuf)> {
    let (controllers, path) = line.split_once(':')?.1.split_once(':')?;
    if controllers.is_empty() {
        let home = mounted(mounts, |kind, _| kind == "cgroup2", path)?;
        let parent = if path == "/" { home.clone() } else { home.parent()?.to_owned() };
        return Some((home, parent));
    }
    let pids = |options: &str| options.split(',').any(|o| o == "pids");
    pids(controllers).then_some(())?;
    let home = mounted(mounts, |kind, options| kind == "cgroup" && pids(options), path)?;
    Some((home.clone(), home))
}

/// Where the group `path` is mounted.
fn mounted(mounts: &str, wanted: impl Fn(&str, &str) -> bool, path: &str) -> Option<PathBuf> {
    mounts.lines().find_map(|line| {
        let (place, system) = line.split_once(" - ")?;
        let mut system = system.split(' ');
        let (kind, options) = (system.next()?, system.nth(1)?);
        let mut place = place.split(' ').skip(3);
        let (root, point) = (place.next()?, place.next()?);
        let below = Path::new(path).strip_prefix(root).ok()?;
        wanted(kind, options).then(|| Path::new(point).join(below))
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn the_group_is_found_in_both_kinds() {
        let old = "36 31 0:36 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n";
        let new = "41 31 0:38 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n";
        let (home_, parent) = home("8:pids:/a/b", old).unwrap();
        assert_eq!((home_.to_str().unwrap(), &parent), ("/sys/fs/cgroup/pids/a/b", &home_));
        let (home_, parent) = home("0::/user.slice/app.scope", new).unwrap();
        assert_eq!(home_.to_str().unwrap(), "/sys/fs/cgroup/user.slice/app.scope");
        assert_eq!(parent.to_str().unwrap(), "/sys/fs/cgroup/user.slice");
        assert!(home("7:blkio:/", old).is_none() && home("0::/", old).is_none() && home("", new).is_none());
    }
}
