//! What a look of one session found, left to the next one: it begins there instead of asking git about every file again.
//!
//! Owns the file, and what of it may still be believed. Stamps say that of files and folders; what git's rules leave out
//! and what its objects hold is believed only while all that says so stands as it did.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    time::SystemTime,
};

use ignore::gitignore::gitconfig_excludes_path;
use pilothouse_core::blob::BlobId;
use serde::{Deserialize, Serialize};

use super::tree::{Cover, GIT, Known, RULES, Ruled, Tree};
use crate::{regular, stamp::Stamp};

/// Another program may list another way.
const FORMAT: (u32, &str) = (2, env!("CARGO_PKG_VERSION"));
/// A larger file is neither read nor left.
const MOST_BYTES: u64 = 256 << 20;

type Stamped = Vec<(PathBuf, Option<Stamp>)>;

/// What a look goes by that stands in no folder that it lists, as it was when the look began.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Basis {
    /// Files outside of the tree that say what git ignores.
    rules: Stamped,
    /// Folders of git's objects.
    objects: Option<Stamped>,
}

impl Basis {
    /// That of a look that begins now.
    pub fn of(root: &Path) -> Self {
        let now = SystemTime::now();
        Self { rules: settled(rules(root), now), objects: objects(root).map(|all| settled(all, now)) }
    }
}

/// The first line; a row for each folder follows.
#[derive(Debug, Serialize, Deserialize)]
struct Head {
    format: (u32, String),
    root: PathBuf,
    /// Folders that are passed over.
    skip: Vec<PathBuf>,
    basis: Basis,
    /// What git's list of what it has said.
    listed: BlobId,
    /// Files that git has and its rules ignore.
    tracked: BTreeMap<String, Known>,
    /// How many rows follow.
    rows: usize,
}

/// What was found.
#[derive(Debug)]
pub(super) struct Kept {
    head: Head,
    rows: Vec<Ruled>,
}

impl Kept {
    /// What stands in a file; `None` where that is torn or of another program.
    pub fn read(path: &Path) -> Option<Self> {
        let bytes = regular::read(path, MOST_BYTES).ok()?;
        let mut lines = bytes.split(|b| *b == b'\n').filter(|l| !l.is_empty());
        let head: Head = serde_json::from_slice(lines.next()?).ok()?;
        if (head.format.0, head.format.1.as_str()) != FORMAT {
            return None;
        }
        let rows: Vec<Ruled> = lines.map(serde_json::from_slice).collect::<Result<_, _>>().ok()?;
        (rows.len() == head.rows).then_some(Self { head, rows })
    }

    /// Whether a walk of the tree would list the same, but where the stamps of its folders say that they changed.
    pub fn lists(&self, tree: &Tree) -> bool {
        let ruled = |((path, ..), was): &Ruled| *was == Stamp::at(&tree.root.join(path).join(RULES));
        let same = self.head.root == tree.root && self.head.skip == tree.skip;
        same && self.head.basis.rules == rules(&tree.root) && self.rows.iter().all(ruled)
    }

    /// Puts it into a tree that was not looked at yet; what git's list said, and what the look went by. Where git's objects
    /// may be others nothing is believed to be among them, and the last is not set.
    pub fn lend(self, tree: &mut Tree) -> (BlobId, Basis, bool) {
        let (now, objects) = (SystemTime::now(), objects(&tree.root));
        let Self { head, rows } = self;
        let whole = objects.is_some() && head.basis.objects == objects;
        tree.take_in(rows.into_iter(), head.tracked);
        if !whole {
            for known in tree.files.values_mut().filter(|k| matches!(k.cover, Cover::Git(_))) {
                known.cover = Cover::None;
            }
        }
        let basis = Basis { objects: objects.map(|all| settled(all, now)), ..head.basis };
        (head.listed, basis, whole)
    }

    /// All files, and the permission bits of all folders.
    pub fn parts(self) -> (BTreeMap<String, Known>, BTreeMap<String, u32>) {
        let mut tree = Tree::default();
        tree.take_in(self.rows.into_iter(), self.head.tracked);
        let folders = tree.all_folders().map(|(path, bits)| (path.clone(), bits)).collect();
        (tree.files, folders)
    }

    /// Files of it that git has and its rules ignore.
    pub fn tracked(&self) -> impl Iterator<Item = &String> {
        self.head.tracked.keys()
    }
}

/// What is known of a tree, as it stands in a file; `None` where that is not all of one repository, or too much.
pub(super) fn text(tree: &Tree, listed: BlobId, basis: Basis) -> Option<Vec<u8>> {
    within(MOST_BYTES, tree, listed, basis)
}

fn within(most: u64, tree: &Tree, listed: BlobId, basis: Basis) -> Option<Vec<u8>> {
    let one = tree.repositories().all(str::is_empty)
        && Stamp::at(&tree.root.join(GIT)).is_some_and(Stamp::is_folder);
    // What has no text for a name is named by each look anew.
    if !one || !tree.odd.is_empty() {
        return None;
    }
    let rows: Vec<Ruled> = tree.rows().collect();
    let tracked = tree.tracked.iter().filter_map(|p| Some((p.clone(), tree.files.get(p)?.lent())));
    let head = Head {
        format: (FORMAT.0, FORMAT.1.to_owned()),
        root: tree.root.clone(),
        skip: tree.skip.clone(),
        basis,
        listed,
        tracked: tracked.collect(),
        rows: rows.len(),
    };
    let mut text = serde_json::to_vec(&head).ok()?;
    let fits = |text: &[u8]| u64::try_from(text.len()).is_ok_and(|bytes| bytes <= most);
    for row in &rows {
        text.push(b'\n');
        serde_json::to_writer(&mut text, row).ok()?;
        if !fits(&text) {
            return None;
        }
    }
    fits(&text).then_some(text)
}

/// The file of git's rules in a folder, as the next session must find it, in a look that began `now`; `stamp` is the
/// folder's own. Git follows no link to one.
pub(super) fn rules_in(folder: &Path, stamp: Stamp, now: SystemTime) -> Option<Stamp> {
    match Stamp::at(&folder.join(RULES)) {
        Some(rules) => Some(rules.settled(now)),
        // What is not there may have been when it was listed: of that only the folder tells.
        None => stamp.may_be_since(now).then(|| stamp.doubted()),
    }
}

/// Files outside of a tree that say what git ignores in it, as they are read: links are followed.
fn rules(root: &Path) -> Stamped {
    let all = [Some(root.join(".git/info/exclude")), gitconfig_excludes_path()];
    let stamp = |path: &Path| path.metadata().ok().map(|meta| Stamp::of(&meta));
    all.into_iter().flatten().map(|path| (path.clone(), stamp(&path))).collect()
}

/// Git's folders of objects: nothing goes out of one but that its stamp says so. `None` where it has some elsewhere.
fn objects(root: &Path) -> Option<Stamped> {
    let store = root.join(GIT).join("objects");
    if store.join("info/alternates").symlink_metadata().is_ok() {
        return None;
    }
    let below = fs::read_dir(&store).ok()?.flatten().map(|entry| entry.path());
    let mut all: Vec<PathBuf> = below.chain([store.clone()]).collect();
    all.sort_unstable();
    let stamped = all.into_iter().map(|path| Some((path.clone(), Some(Stamp::at(&path)?))));
    let stamped: Stamped = stamped.collect::<Option<_>>()?;
    stamped.iter().all(|(_, stamp)| stamp.is_some_and(Stamp::is_folder)).then_some(stamped)
}

fn settled(all: Stamped, now: SystemTime) -> Stamped {
    all.into_iter().map(|(path, stamp)| (path, stamp.map(|s| s.settled(now)))).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_never_more_than_is_read() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join(GIT)).unwrap();
        fs::write(dir.path().join("a.txt"), "a").unwrap();
        let mut tree = Tree::of(dir.path().to_owned(), false, Vec::new());
        tree.look();
        let text = |most| within(most, &tree, BlobId::of(b""), Basis::of(dir.path()));
        let whole = text(MOST_BYTES).unwrap();
        let bytes = u64::try_from(whole.len()).unwrap();
        assert_eq!((text(bytes), text(bytes - 1)), (Some(whole.clone()), None));
        fs::write(dir.path().join("left"), whole).unwrap();
        assert!(Kept::read(&dir.path().join("left")).is_some());
    }
}
