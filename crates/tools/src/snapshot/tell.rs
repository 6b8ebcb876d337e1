//! Telling: what a command changed becomes a record, with every content that it stands on stored.
//!
//! Owns the comparison. What only has another stamp did not change; an index that says the same neither.

use std::{
    collections::{BTreeMap, BTreeSet},
    io::Read,
};

use pilothouse_core::{
    blob::BlobId,
    relpath::RelPath,
    tool::{SparedChange, Wrote},
};

use super::{
    Changed, MOST_FILE_BYTES, Running, State, doubt, objects,
    pruned::Pruned,
    record::{Change, Record, Thing},
    save::open,
    spared::Apart,
    tree::{Cover, Known, Tree, Was},
};
use crate::{executor::BlobSource, git, regular, stamp::Stamp};

/// Files that an event names one by one, and the bytes of their names.
const MOST_NAMED: (usize, usize) = (20, 2_000);
/// Most bytes of changed lines that are shown.
const MOST_SHOWN: usize = 128 * 1024;
/// Most files whose lines are compared.
const MOST_COMPARED: usize = 300;
/// Files that are named of what cannot be taken back.
const MOST_LEFT: usize = 50;
/// Parts of git that are named.
const MOST_GITS: usize = 6;

/// A part of a telling.
#[derive(Default)]
pub(super) struct Told {
    pub changes: Vec<Change>,
    pub left: Vec<String>,
    /// Bytes of new contents that are kept.
    stored: u64,
}

impl State {
    /// Stores what git has of the files that changed; gives the contents by the names of the objects.
    pub(super) async fn fetch(&self, changed: &Changed, blobs: &dyn BlobSource) -> BTreeMap<String, BlobId> {
        let mut groups: BTreeMap<(usize, String), BTreeMap<String, u64>> = BTreeMap::new();
        for ((root, path), was) in changed {
            if let (Was::File(Known { stamp, cover: Cover::Git(object), .. }), Some(tree)) =
                (was, self.trees.get(*root))
            {
                let repository = tree.repository(path).unwrap_or_default();
                groups.entry((*root, repository)).or_default().insert(object.clone(), stamp.size);
            }
        }
        let mut all = BTreeMap::new();
        for ((root, repository), wanted) in groups {
            let Some(tree) = self.trees.get(root) else { continue };
            objects::contents(&tree.root.join(repository), &wanted, |object, content| {
                if let Ok(id) = blobs.keep(content) {
                    all.insert(object, id);
                }
            })
            .await;
        }
        all
    }

    /// What changed.
    pub(super) fn tell(
        &self,
        ran: &Running,
        objects: &BTreeMap<String, BlobId>,
        pruned: &[Pruned],
        blobs: &dyn BlobSource,
    ) -> Told {
        let mut told = Told::default();
        let unseen = self.unseen(ran);
        // What was there comes first: what a command made takes no room from what it wrote over.
        let (new, old): (Vec<_>, Vec<_>) = ran.changed.iter().partition(|(_, was)| **was == Was::Nothing);
        for ((root, path), was) in old.into_iter().chain(new) {
            let (Some(tree), Ok(place)) = (self.trees.get(*root), RelPath::new(path)) else { continue };
            if unseen.contains_key(&(*root, path)) {
                // One that only came into sight did not change, as far as the clocks can be believed.
                if !ran.clock.holds()
                    || tree.files.get(path).is_some_and(|k| k.stamp.changed() >= ran.clock.since)
                    || is_moved(ran, *root, tree, path)
                {
                    told.left.push(path.clone());
                }
                continue;
            }
            if self.is_as_copied(*root, path, was) {
                continue;
            }
            let before = self.before_of(was, objects, blobs);
            let Ok(after) = self.after_of(*root, path, &mut told.stored, blobs) else {
                told.left.push(path.clone());
                continue;
            };
            let (Some(before), Some(after)) = (before, after) else {
                told.left.push(path.clone());
                continue;
            };
            let gits = tree.is_gits(path);
            let doubted = is_older(was, tree.files.get(path), ran);
            let change = Change { root: *root, path: place, before, after, gits, doubted };
            if change.before != change.after {
                told.changes.push(change);
            }
        }
        told.changes.sort_by(|a, b| (a.root, a.path.as_str()).cmp(&(b.root, b.path.as_str())));
        let mut held = 0;
        for one in pruned {
            match self.content_of(one, &mut held, blobs) {
                Some(change) => told.changes.push(change),
                None => told.left.push(one.path.clone()),
            }
        }
        told
    }

    /// An object of git that is gone, as a change.
    fn content_of(&self, gone: &Pruned, stored: &mut u64, blobs: &dyn BlobSource) -> Option<Change> {
        let stamp = Stamp::at(&gone.held)?;
        *stored += stamp.size;
        if stamp.size > MOST_FILE_BYTES || *stored > self.cap {
            return None;
        }
        let id = blobs.keep(&regular::read_in_place(&gone.held, MOST_FILE_BYTES).ok()?).ok()?;
        let (root, path) = (gone.root, RelPath::new(&gone.path).ok()?);
        let (before, after) = (Thing::File(id, stamp.bits()), Thing::Nothing);
        Some(Change { root, path, before, after, gits: true, doubted: false })
    }

    /// Files that are older than the command and were not looked at before it: a rule of git hid them, or they were
    /// moved from where nobody looks. Nothing stands for them, so that to take back their coming would lose them.
    fn unseen<'a>(&self, ran: &'a Running) -> BTreeMap<(usize, &'a String), Stamp> {
        let at = |root: usize, path: &String| self.trees.get(root)?.files.get(path);
        let mut old = BTreeMap::new();
        for ((root, path), _) in ran.changed.iter().filter(|(_, was)| **was == Was::Nothing) {
            let Some((tree, known)) = self.trees.get(*root).zip(at(*root, path)) else { continue };
            if known.stamp.is_born_before(&tree.root.join(path), ran.clock.since) {
                old.insert((*root, path), known.stamp);
            }
        }
        if old.is_empty() {
            return old;
        }
        // What was only given another name is saved under the one that it had.
        let was = ran.changed.values().filter_map(|was| match was {
            Was::File(known) => Some(known),
            Was::Nothing | Was::Folder(_) => None,
        });
        let mut saved: BTreeSet<u64> = was.filter(|k| k.is_saved()).map(|k| k.stamp.ino).collect();
        for (root, tree) in self.trees.iter().enumerate() {
            let others =
                tree.files.iter().filter(|(path, k)| k.is_saved() && !old.contains_key(&(root, *path)));
            saved.extend(others.map(|(_, k)| k.stamp.ino));
        }
        old.retain(|_, stamp| !saved.contains(&stamp.ino));
        old
    }

    /// Whether a file is what its copy says: only looked at again, and nothing of it is stored. An index of git is where it
    /// says the same of every file.
    fn is_as_copied(&self, root: usize, path: &str, was: &Was) -> bool {
        let Was::File(Known { stamp, cover: Cover::Copy(number), .. }) = was else { return false };
        let Some(tree) = self.trees.get(root) else { return false };
        let Some(now) = tree.files.get(path).map(|known| known.stamp) else { return false };
        let index = tree.is_gits(path) && path.rsplit('/').next() == Some("index");
        if !now.is_file() || now.bits() != stamp.bits() || !(index || now.size == stamp.size) {
            return false;
        }
        let content = |file: std::io::Result<std::fs::File>| {
            let mut bytes = Vec::new();
            file.and_then(|f| f.take(MOST_FILE_BYTES).read_to_end(&mut bytes)).ok().map(|_| bytes)
        };
        let copy = content(std::fs::File::open(self.copy_of(*number)));
        let Some((was, is)) = copy.zip(content(open(&tree.root.join(path)))) else { return false };
        let meaning = |bytes: &[u8]| git::index::meaning(bytes).filter(|_| index);
        was == is || meaning(&was).is_some_and(|said| meaning(&is) == Some(said))
    }

    fn before_of(
        &self,
        was: &Was,
        objects: &BTreeMap<String, BlobId>,
        blobs: &dyn BlobSource,
    ) -> Option<Thing> {
        let known = match was {
            Was::Nothing => return Some(Thing::Nothing),
            Was::Folder(bits) => return Some(Thing::Folder(*bits)),
            Was::File(known) => known,
        };
        let id = match &known.cover {
            Cover::Link(to) => return Some(Thing::Link(to.clone())),
            Cover::Git(object) => objects.get(object).copied(),
            Cover::Copy(number) => {
                std::fs::read(self.copy_of(*number)).ok().and_then(|bytes| blobs.keep(&bytes).ok())
            }
            Cover::None | Cover::Left => None,
        };
        id.map(|id| Thing::File(id, known.stamp.bits()))
    }

    /// What is there now; `None` for what cannot be told. What is too large, or beyond the most that is kept in all, is
    /// not kept: to take it back it only needs to be known again.
    fn after_of(
        &self,
        root: usize,
        path: &str,
        stored: &mut u64,
        blobs: &dyn BlobSource,
    ) -> std::io::Result<Option<Thing>> {
        let Some(tree) = self.trees.get(root) else { return Ok(None) };
        let place = tree.root.join(path);
        let Some(known) = tree.files.get(path) else {
            return Ok(Some(tree.folder(path).map_or(Thing::Nothing, Thing::Folder)));
        };
        if known.stamp.is_link() {
            return Ok(std::fs::read_link(place)?.to_str().map(|to| Thing::Link(to.to_owned())));
        }
        let (stamp, bits) = (known.stamp, known.stamp.bits());
        if !stamp.is_file() || stamp.size > MOST_FILE_BYTES {
            return Ok(Some(Thing::Unkept(stamp.id(), bits)));
        }
        let mut bytes = Vec::new();
        open(&place)?.take(MOST_FILE_BYTES).read_to_end(&mut bytes)?;
        if *stored + stamp.size > self.cap {
            return Ok(Some(Thing::Unkept(BlobId::of(&bytes), bits)));
        }
        *stored += stamp.size;
        Ok(Some(Thing::File(blobs.keep(&bytes)?, bits)))
    }

    /// What changed, as it is told, and apart from it what is to be left alone; `None` when nothing did.
    pub(super) fn wrote(&self, told: Told, apart: Apart, blobs: &dyn BlobSource) -> Option<Wrote> {
        if apart.is_none() {
            return self.tell_all(told.changes, told.left, blobs);
        }
        let (mut spared, rest) = apart.split(&told.changes);
        // The files of another commit, or of work put aside, belong to where git is now: not without a question.
        if rest.iter().any(Change::moves_git) {
            for change in &mut spared {
                change.doubted = true;
            }
        }
        let mut wrote = self.tell_all(spared, apart.left, blobs).unwrap_or_default();
        // What only could not be saved stands in the ledger as well.
        wrote.record = wrote.record.or_else(|| self.record(Vec::new(), blobs));
        let spared = SparedChange { said: apart.said, wrote };
        let rest = self.tell_all(rest, told.left, blobs).unwrap_or_default();
        Some(Wrote { spared: Some(Box::new(spared)), ..rest })
    }

    fn tell_all(&self, changes: Vec<Change>, mut left: Vec<String>, blobs: &dyn BlobSource) -> Option<Wrote> {
        left.sort_unstable();
        if left.len() > MOST_LEFT {
            let more = left.len() - MOST_LEFT;
            left.truncate(MOST_LEFT);
            left.push(format!("{more} more"));
        }
        let mut wrote = Wrote { left, doubt: doubt::told(&changes), ..Wrote::default() };
        let (mut names, mut compared) = (0, 0);
        for change in &changes {
            if let Some(name) = change.gits_name().filter(|n| !wrote.git.contains(n)) {
                wrote.git.push(name);
            }
            compared += 1;
            let text = |thing: &Thing| match thing {
                Thing::File(id, _) if compared <= MOST_COMPARED => blobs.blob(*id).unwrap_or_default(),
                Thing::File(..) | Thing::Unkept(..) | Thing::Nothing | Thing::Folder(_) => Vec::new(),
                Thing::Link(to) => to.clone().into_bytes(),
            };
            if change.gits {
                continue;
            }
            let Some((file, lines)) = change.told(&text(&change.before), &text(&change.after)) else {
                continue;
            };
            wrote.count += 1;
            names += file.path.as_str().len();
            if wrote.files.len() < MOST_NAMED.0 && names < MOST_NAMED.1 {
                wrote.files.push(file);
            }
            if wrote.diff.len() + lines.len() <= MOST_SHOWN {
                wrote.diff.push_str(&lines);
            }
        }
        if wrote.git.len() > MOST_GITS {
            let more = wrote.git.len() - MOST_GITS;
            wrote.git.truncate(MOST_GITS);
            wrote.git.push(format!("{more} more of git"));
        }
        let plain = changes.iter().any(|c| !c.gits);
        if plain || !wrote.git.is_empty() {
            wrote.record = self.record(changes, blobs);
        }
        (wrote.record.is_some() || !wrote.left.is_empty()).then_some(wrote)
    }

    fn record(&self, changes: Vec<Change>, blobs: &dyn BlobSource) -> Option<BlobId> {
        let roots = self.trees.iter().map(|t| t.root.clone()).collect();
        let record = serde_json::to_vec(&Record { roots, changes }).ok()?;
        blobs.keep(&record).and_then(|id| blobs.settle().map(|()| id)).ok()
    }
}

/// Whether a file seems to have changed before the command began, while all was saved: the very same file, and by its
/// stamp not touched since. That is somebody else's, where the clocks tell the truth.
fn is_older(was: &Was, now: Option<&Known>, ran: &Running) -> bool {
    let (Was::File(was), Some(now)) = (was, now) else { return false };
    was.stamp.ino == now.stamp.ino && now.stamp.is_older_than(ran.clock.since)
}

/// Whether the command gave a new folder around a file its name.
fn is_moved(ran: &Running, root: usize, tree: &Tree, path: &str) -> bool {
    let new = |at: &&str| ran.changed.get(&(root, (*at).to_owned())) == Some(&Was::Nothing);
    let around =
        std::iter::successors(Some(path), |at| at.rsplit_once('/').map(|(around, _)| around)).skip(1);
    around
        .take_while(new)
        .any(|at| Stamp::at(&tree.root.join(at)).is_some_and(|s| s.is_renamed_since(ran.clock.since)))
}
