//! What surrounds the session: branch, changed files, time zone.
//!
//! Owns the questions put to git and the reading of its answers. Never polls: it is asked after
//! something may have changed.

use std::path::Path;

use pilothouse_core::ids::Millis;
use pilothouse_tools::git;

/// What git says about a folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Branch {
    /// The branch, or the short commit when there is none; `None` outside a repository.
    pub name: Option<String>,
    /// Files that differ from the last commit.
    pub dirty: usize,
}

/// Asks git about a folder; nothing when there is no git or no repository.
pub async fn branch(folder: &Path) -> Branch {
    let args = ["status", "--porcelain=v2", "-z", "--branch", "--ignore-submodules=all"];
    git::ask(folder, &args).await.map_or_else(Branch::default, |status| read(&status))
}

fn read(status: &[u8]) -> Branch {
    let text = String::from_utf8_lossy(status);
    let (mut head, mut commit, mut dirty) = (None, None, 0);
    let mut fields = text.split('\0');
    while let Some(field) = fields.next() {
        if let Some(name) = field.strip_prefix("# branch.head ") {
            head = (name != "(detached)").then(|| name.to_owned());
        } else if let Some(id) = field.strip_prefix("# branch.oid ") {
            commit = id.get(..7).map(str::to_owned);
        } else if let Some(kind) = field.chars().next().filter(|k| *k != '#') {
            dirty += 1;
            // A rename carries its old name as a field of its own.
            if kind == '2' {
                fields.next();
            }
        }
    }
    Branch { name: head.or(commit), dirty }
}

/// Minutes east of UTC on this machine now.
pub fn utc_offset_minutes() -> i32 {
    jiff::tz::TimeZone::system().to_offset(now()).seconds() / 60
}

/// The time of now; a clock that no calendar has a date for stands at the calendar's end.
pub(crate) fn now() -> jiff::Timestamp {
    std::time::SystemTime::now().try_into().unwrap_or(jiff::Timestamp::MAX)
}

/// The same as the session counts it.
pub fn millis() -> Millis {
    Millis(u64::try_from(now().as_millisecond()).unwrap_or_default())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_status_is_read_with_renames_and_detached_heads() {
        let status = b"# branch.oid 0123456789abcdef\0# branch.head main\0# branch.ab +0 -0\x001 .M N... a b\x002 R. N... R100 new\0old\0? x y\0";
        assert_eq!(read(status), Branch { name: Some("main".into()), dirty: 3 });
        let detached = b"# branch.oid 0123456789abcdef\0# branch.head (detached)\0";
        assert_eq!(read(detached).name.unwrap(), "0123456");
        assert_eq!(read(b""), Branch::default());
    }

    #[tokio::test]
    async fn a_folder_outside_a_repository_has_no_branch() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(branch(dir.path()).await.name, None);
    }
}
