//! What a look of one session found, left to the next one: it begins there instead of asking git about every file again.
//!
//! Owns the file, and what of it may still be believed. Stamps say that of files and folders; what git's rules leave out
//! and what its objects hold is believed only while all that says so stands as it did.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
    time::SystemTime,
};

use ignore::gitignore::gitconfig_excludes_path;
use pilothouse_core::blob::BlobId;
use serde::{Deserialize, Serialize};

use super::tree::{Cover, GIT, Known, RULES, Row, Tree};
use crate::{atomic, regular, stamp::Stamp};

/// Another program may list another way.
const FORMAT: (u32, &str) = (1, env!("CARGO_PKG_VERSION"));
/// A larger file is not read.
const MOST_BYTES: u64 = 256 << 20;

type Stamped = Vec<(PathBuf, Option<Stamp>)>;

/// The first line; a row for each folder follows.
#[derive(Debug, Serialize, Deserialize)]
struct Head {
    format: (u32, String),
    root: PathBuf,
    /// Folders that are passed over.
    skip: Vec<PathBuf>,
    /// Files outside of the tree that say what git ignores.
    rules: Stamped,
    /// Folders of git's objects.
    objects: Option<Stamped>,
    /// What git's list of what it has said.
    listed: BlobId,
    /// Files that git has and its rules ignore.
    tracked: BTreeMap<String, Known>,
    /// How many rows follow.
    rows: usize,
}

/// A row, and the file in its folder that says what git ignores: git may ignore that as well, and then no look sees it.
type Ruled = (Row, Option<Stamp>);

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
        let ruled = |((path, ..), rule): &Ruled| *rule == rule_in(&tree.root.join(path));
        let same = self.head.root == tree.root && self.head.skip == tree.skip;
        same && self.head.rules == rules(&tree.root, |now| now) && self.rows.iter().all(ruled)
    }

    /// Puts it into a tree that was not looked at yet; what git's list said. Where git's objects may be others nothing is
    /// believed to be among them.
    pub fn lend(self, tree: &mut Tree) -> (BlobId, bool) {
        let whole = self.head.objects.is_some() && self.head.objects == objects(&tree.root, |now| now);
        let Self { head, rows } = self;
        tree.take_in(rows.into_iter().map(|(row, _)| row), head.tracked);
        if !whole {
            for known in tree.files.values_mut().filter(|k| matches!(k.cover, Cover::Git(_))) {
                known.cover = Cover::None;
            }
        }
        (head.listed, whole)
    }

    /// All files, and the permission bits of all folders.
    pub fn parts(self) -> (BTreeMap<String, Known>, BTreeMap<String, u32>) {
        let mut tree = Tree::default();
        tree.take_in(self.rows.into_iter().map(|(row, _)| row), self.head.tracked);
        let folders = tree.all_folders().map(|(path, bits)| (path.clone(), bits)).collect();
        (tree.files, folders)
    }

    /// Files of it that git has and its rules ignore.
    pub fn tracked(&self) -> impl Iterator<Item = &String> {
        self.head.tracked.keys()
    }
}

/// Leaves what is known of a tree in a file, where that is all of one repository; whether it did.
///
/// # Errors
/// What the system says.
pub(super) fn write(path: &Path, tree: &Tree, listed: BlobId) -> io::Result<bool> {
    let one = tree.repositories().all(str::is_empty)
        && Stamp::at(&tree.root.join(GIT)).is_some_and(Stamp::is_folder);
    // What has no text for a name is named by each look anew.
    if !one || !tree.odd.is_empty() {
        return Ok(false);
    }
    let ruled = |row: Row| {
        let rule = rule_in(&tree.root.join(&row.0)).map(settled);
        (row, rule)
    };
    let rows: Vec<Ruled> = tree.rows().map(ruled).collect();
    let tracked = tree.tracked.iter().filter_map(|p| Some((p.clone(), tree.files.get(p)?.lent())));
    let head = Head {
        format: (FORMAT.0, FORMAT.1.to_owned()),
        root: tree.root.clone(),
        skip: tree.skip.clone(),
        rules: rules(&tree.root, settled),
        objects: objects(&tree.root, settled),
        listed,
        tracked: tracked.collect(),
        rows: rows.len(),
    };
    let mut text = serde_json::to_vec(&head)?;
    for row in &rows {
        text.push(b'\n');
        serde_json::to_writer(&mut text, row)?;
    }
    atomic::replace(path, &text, 0o600)?;
    Ok(true)
}

/// The file in a folder that says what git ignores there; git follows no link to one.
fn rule_in(folder: &Path) -> Option<Stamp> {
    Stamp::at(&folder.join(RULES))
}

/// Files outside of a tree that say what git ignores in it, as they are read: links are followed.
fn rules(root: &Path, seen: fn(Stamp) -> Stamp) -> Stamped {
    let all = [Some(root.join(".git/info/exclude")), gitconfig_excludes_path()];
    let stamp = |path: &Path| path.metadata().ok().map(|meta| seen(Stamp::of(&meta)));
    all.into_iter().flatten().map(|path| (path.clone(), stamp(&path))).collect()
}

/// Git's folders of objects: nothing goes out of one but that its stamp says so. `None` where it has some elsewhere.
fn objects(root: &Path, seen: fn(Stamp) -> Stamp) -> Option<Stamped> {
    let store = root.join(GIT).join("objects");
    if store.join("info/alternates").symlink_metadata().is_ok() {
        return None;
    }
    let below = fs::read_dir(&store).ok()?.flatten().map(|entry| entry.path());
    let mut all: Vec<PathBuf> = below.chain([store.clone()]).collect();
    all.sort_unstable();
    let stamped = all.into_iter().map(|path| Some((path.clone(), Some(seen(Stamp::at(&path)?)))));
    let stamped: Stamped = stamped.collect::<Option<_>>()?;
    stamped.iter().all(|(_, stamp)| stamp.is_some_and(Stamp::is_folder)).then_some(stamped)
}

/// What may change again without another stamp is not believed later.
fn settled(stamp: Stamp) -> Stamp {
    if stamp.is_fresh(SystemTime::now()) { stamp.doubted() } else { stamp }
}
