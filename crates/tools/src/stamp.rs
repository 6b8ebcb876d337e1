//! What tells a state of a file or folder from another without reading it.
//!
//! Owns what counts for that, and how far a stamp can be believed: the clock of files is coarse.

use std::{
    fs::Metadata,
    os::unix::fs::MetadataExt,
    path::Path,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use pilothouse_core::blob::BlobId;
use serde::{Deserialize, Serialize};

/// What changed so shortly before it was looked at may change again without another stamp: the clock of files is coarse.
const FRESH: Duration = Duration::from_millis(100);
/// So far the clock of files may be behind.
const BEHIND: Duration = Duration::from_millis(20);

/// Whether this machine's own clock stamps what is written into a folder: not where another one serves its files.
pub(crate) fn is_of_this_machine(folder: &Path) -> bool {
    #[cfg(target_os = "linux")]
    {
        // The magic numbers of statfs(2): NFS, SMB, CIFS, SMB2, 9P, FUSE, CODA, AFS, CEPH, GFS2, OCFS2, shared folders of VirtualBox.
        const SERVED: [u32; 12] = [
            0x6969,
            0x517B,
            0xFF53_4D42,
            0xFE53_4D42,
            0x0102_1997,
            0x6573_5546,
            0x7375_7245,
            0x5346_414F,
            0x00C3_6400,
            0x0116_1970,
            0x7461_636F,
            0x786F_4256,
        ];
        rustix::fs::statfs(folder)
            .is_ok_and(|fs| u32::try_from(fs.f_type & 0xFFFF_FFFF).is_ok_and(|kind| !SERVED.contains(&kind)))
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = folder;
        false
    }
}

/// What tells a state of a file from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Stamp {
    pub ino: u64,
    pub size: u64,
    written: (i64, i64),
    changed: (i64, i64),
    pub mode: u32,
}

impl Stamp {
    /// What the system told of it.
    pub fn of(meta: &Metadata) -> Self {
        Self {
            ino: meta.ino(),
            size: if meta.is_dir() { 0 } else { meta.size() },
            written: (meta.mtime(), meta.mtime_nsec()),
            changed: (meta.ctime(), meta.ctime_nsec()),
            mode: meta.mode(),
        }
    }

    /// The same, as the system told it of a name in an open folder.
    pub fn of_stat(stat: &rustix::fs::Stat) -> Self {
        let mode = int(stat.st_mode);
        let stamp = Self {
            ino: int(stat.st_ino),
            size: int(stat.st_size),
            written: (int(stat.st_mtime), int(stat.st_mtime_nsec)),
            changed: (int(stat.st_ctime), int(stat.st_ctime_nsec)),
            mode,
        };
        Self { size: if stamp.is_folder() { 0 } else { stamp.size }, ..stamp }
    }

    /// What is at a path now, links not followed.
    pub fn at(path: &Path) -> Option<Self> {
        path.symlink_metadata().ok().map(|m| Self::of(&m))
    }

    const fn kind(self) -> u32 {
        self.mode & 0o170_000
    }

    /// Whether it is an ordinary file.
    pub const fn is_file(self) -> bool {
        self.kind() == 0o100_000
    }

    /// Whether it is a link.
    pub const fn is_link(self) -> bool {
        self.kind() == 0o120_000
    }

    /// Whether it is a folder.
    pub const fn is_folder(self) -> bool {
        self.kind() == 0o040_000
    }

    /// Its permission bits.
    pub const fn bits(self) -> u32 {
        self.mode & 0o7777
    }

    /// What tells the content from another one without reading it.
    pub fn id(self) -> BlobId {
        BlobId::of(format!("{} {} {:?}", self.ino, self.size, self.written).as_bytes())
    }

    /// When it was changed last, in any way.
    pub fn changed(&self) -> SystemTime {
        time(self.changed)
    }

    /// Whether only its name is younger than that.
    pub fn is_renamed_since(&self, then: SystemTime) -> bool {
        time(self.written) < then && then <= time(self.changed)
    }

    /// Whether it was there at that time already, under whatever name. Where the file system keeps no time of birth,
    /// it is known of what was not touched since.
    pub fn is_born_before(&self, path: &Path, then: SystemTime) -> bool {
        is_before(path.symlink_metadata().and_then(|m| m.created()).unwrap_or_else(|_| self.changed()), then)
    }

    /// Whether nothing of it changed since then.
    pub fn is_older_than(&self, then: SystemTime) -> bool {
        is_before(self.changed(), then)
    }

    /// Whether it may have changed since then.
    pub fn may_be_since(&self, then: SystemTime) -> bool {
        self.changed() + BEHIND >= then
    }

    /// Whether it may change again without another stamp.
    pub fn is_fresh(&self, now: SystemTime) -> bool {
        now.duration_since(self.changed()).unwrap_or_default() < FRESH
    }

    /// The same, but equal to none that is seen later.
    pub const fn doubted(self) -> Self {
        Self { changed: (0, 0), ..self }
    }

    /// What was seen in a look that began then: doubted where it may change again without another stamp, or did since.
    pub fn settled(self, now: SystemTime) -> Self {
        if self.is_fresh(now) { self.doubted() } else { self }
    }

    /// A folder of these permission bits, of which nothing else is known.
    pub const fn of_folder(bits: u32) -> Self {
        Self { ino: 0, size: 0, written: (0, 0), changed: (0, 0), mode: 0o040_000 | bits }
    }
}

/// A number of the system's, whose width differs from machine to machine.
fn int<T, U: TryFrom<T> + Default>(number: T) -> U {
    U::try_from(number).unwrap_or_default()
}

/// Whether a time of a file is before another time.
fn is_before(one: SystemTime, other: SystemTime) -> bool {
    let since = |t: SystemTime| t.duration_since(UNIX_EPOCH).unwrap_or_default();
    // Some keep whole seconds only.
    match since(one) {
        whole if whole.subsec_nanos() == 0 => whole.as_secs() < since(other).as_secs(),
        exact => exact < since(other),
    }
}

/// A time of a file.
fn time((seconds, nanos): (i64, i64)) -> SystemTime {
    UNIX_EPOCH + Duration::new(seconds.unsigned_abs(), u32::try_from(nanos).unwrap_or_default())
}
