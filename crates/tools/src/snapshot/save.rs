//! Saving: git is asked for what it has, the rest is copied.
//!
//! Owns the copies and which of them may go. A copy that is made by the system shares its room with the file where
//! the file system can.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::{self, File},
    io::{self, Read},
    os::unix::fs::{MetadataExt, OpenOptionsExt},
    path::Path,
    time::{Instant, SystemTime},
};

use pilothouse_core::{ids::CallId, shell::secrets::is_secret};
use rustix::fs::{Mode, OFlags};

use super::{
    Changed, Clock, MOST_FILE_BYTES, Running, State,
    doubt::Named,
    journal::Line,
    objects,
    tree::{Cover, GIT, INDEX, Known, Was, join},
};
use crate::{
    git,
    stamp::{self, Stamp},
};

/// The folder of copies.
const COPIES: &str = "blobs";
/// How the name of the file begins that says that a command runs.
const MARK: &str = "running-";
/// Files that are named of what is not saved.
const MOST_TOLD: usize = 3;

/// The name of the file that says that a command runs.
pub(super) fn mark(call: CallId) -> String {
    format!("{MARK}{}", call.0)
}

/// Commands that were running when an earlier process ended, with when they began.
pub(super) fn marks(store: &Path) -> BTreeMap<CallId, (String, SystemTime)> {
    let entries = fs::read_dir(store).into_iter().flatten().flatten();
    let call = |e: fs::DirEntry| {
        let number = e.file_name().to_str()?.strip_prefix(MARK)?.parse().ok()?;
        let began = e.metadata().and_then(|m| m.modified()).ok()?;
        Some((CallId(number), (fs::read_to_string(e.path()).ok()?, began)))
    };
    entries.filter_map(call).collect()
}

impl State {
    /// Copies with their sizes, as they stand for files of now; those of git's own folders count nothing.
    pub(super) fn copies(&self) -> impl Iterator<Item = (u64, u64)> {
        self.trees.iter().flat_map(|tree| {
            tree.files.iter().filter_map(|(path, known)| match known.cover {
                Cover::Copy(number) if tree.is_gits(path) => Some((number, 0)),
                Cover::Copy(number) => Some((number, known.stamp.size)),
                Cover::None | Cover::Git(_) | Cover::Link(_) | Cover::Left => None,
            })
        })
    }

    pub(super) fn copy_of(&self, number: u64) -> std::path::PathBuf {
        self.store.join(COPIES).join(number.to_string())
    }

    /// Takes what git has as it stands in the workspace.
    pub(super) async fn ask_git(&mut self) {
        for root in 0..self.trees.len() {
            let anew = self.listed_anew(root);
            for (repository, paths) in self.uncovered(root, &anew) {
                let Some(tree) = self.trees.get_mut(root) else { continue };
                let all = anew.contains(&repository) || !tree.lists(&repository);
                let below = |path: &str| {
                    if repository.is_empty() { path.to_owned() } else { format!("{repository}/{path}") }
                };
                let stands = |path: &str, object: &str| {
                    let file = tree.files.get(&below(path));
                    file.is_some_and(|k| matches!(&k.cover, Cover::Git(known) if known == object))
                };
                let folder = tree.root.join(&repository);
                let Some(found) = objects::tracked(&folder, &paths, all, stands).await else { continue };
                for (path, (object, size)) in found.clean {
                    let path = below(&path);
                    let stamp = || Stamp::at(&tree.root.join(&path)).filter(|s| s.is_file());
                    let known = tree.files.get(&path).map(|k| k.stamp).or_else(stamp);
                    // Git looked after us: what changed in between is another file now, and looked at again.
                    if let Some(stamp) = known.filter(|s| s.size == size) {
                        if !tree.files.contains_key(&path) {
                            tree.tracked.insert(path.clone());
                        }
                        let fresh = tree.files.get(&path).is_some_and(|k| k.fresh);
                        // What stands for a file is noted whenever it changes: only the note outlives a kill.
                        self.dirty.insert((root, path.clone()));
                        tree.files.insert(path, Known { stamp, cover: Cover::Git(object), fresh });
                    }
                }
                for path in found.all.iter().map(|p| below(p)) {
                    if !tree.files.contains_key(&path)
                        && let Some(stamp) =
                            Stamp::at(&tree.root.join(&path)).filter(|s| s.is_file() || s.is_link())
                    {
                        tree.tracked.insert(path.clone());
                        self.dirty.insert((root, path.clone()));
                        tree.files.insert(path, Known { stamp, cover: Cover::None, fresh: false });
                    }
                }
            }
        }
    }

    /// Repositories whose list of what git has says another thing than when git was asked last. Most of what writes it
    /// only notes when git looked at the disk.
    fn listed_anew(&mut self, root: usize) -> BTreeSet<String> {
        let Some(tree) = self.trees.get(root) else { return BTreeSet::new() };
        let written = tree.files.iter().filter(|(p, k)| k.cover == Cover::None && p.ends_with(INDEX));
        let mut anew = BTreeSet::new();
        for (path, known) in written {
            let repository = path.strip_suffix(INDEX).unwrap_or_default().trim_end_matches('/').to_owned();
            let mut bytes = Vec::new();
            let file =
                (known.stamp.size <= MOST_FILE_BYTES).then(|| open(&tree.root.join(path)).ok()).flatten();
            let read = file.and_then(|f| f.take(MOST_FILE_BYTES).read_to_end(&mut bytes).ok());
            let says = read.and_then(|_| git::index::meaning(&bytes));
            let said = match says {
                Some(says) => self.listed.insert((root, repository.clone()), says),
                None => self.listed.remove(&(root, repository.clone())).and(None),
            };
            if says.is_none() || said != says {
                anew.insert(repository);
            }
        }
        anew
    }

    /// Files that nothing stands for yet and git may have, by the repository around them.
    fn uncovered(&self, root: usize, anew: &BTreeSet<String>) -> BTreeMap<String, Vec<String>> {
        // What git lists since then may lie where nobody looks: its rules ignore it, or a tool makes such folders.
        let mut groups: BTreeMap<String, Vec<String>> =
            anew.iter().map(|repository| (repository.clone(), Vec::new())).collect();
        let Some(tree) = self.trees.get(root) else { return groups };
        let open = |k: &Known| k.cover == Cover::None && k.stamp.is_file();
        for (path, _) in tree.files.iter().filter(|(p, k)| open(k) && !tree.is_gits(p)) {
            let repository = tree.repository(path).unwrap_or_default();
            let below = path.strip_prefix(&repository).unwrap_or(path).trim_start_matches('/');
            let below = below.to_owned();
            groups.entry(repository).or_default().push(below);
        }
        groups
    }

    /// Copies what nothing stands for yet, and begins a command.
    pub(super) fn save(
        &mut self,
        call: CallId,
        (line, named): (&str, Named),
        told: &str,
    ) -> Result<(), String> {
        self.part_with(&named.gone);
        let mut unkept = self.copy();
        let beyond = named.beyond.iter().map(|(path, why)| ((0, path.clone()), 0, why.clone()));
        unkept.extend(beyond.filter(|(key, ..)| !self.accepted.contains(key)));
        unkept.sort_by_key(|(_, size, _)| std::cmp::Reverse(*size));
        if !unkept.is_empty() {
            let text = words(&unkept);
            if text != told {
                return Err(text);
            }
            for (key, ..) in unkept {
                self.leave(&key);
                self.accepted.insert(key);
            }
        }
        self.note();
        self.hold_objects(line);
        let clock = self.mark(call, line);
        self.running.insert(call, Running { clock, changed: Changed::new(), named });
        Ok(())
    }

    /// What goes together with the repository that stands for it is copied.
    fn part_with(&mut self, gone: &[String]) {
        let goes = |path: &str| gone.iter().any(|at| at.is_empty() || Path::new(path).starts_with(at));
        let Some(tree) = self.trees.first_mut().filter(|_| !gone.is_empty()) else { return };
        let alone = |(path, known): &(&String, &Known)| {
            let git = || join(&tree.repository(path).unwrap_or_default(), GIT);
            matches!(known.cover, Cover::Git(_)) && goes(path) && goes(&git())
        };
        let found: Vec<String> = tree.files.iter().filter(alone).map(|(path, _)| path.clone()).collect();
        for path in found {
            if let Some(known) = tree.files.get_mut(&path) {
                known.cover = Cover::None;
            }
        }
    }

    /// Notes that a command runs; and when it began, by the clock that files are stamped with.
    fn mark(&self, call: CallId, line: &str) -> Clock {
        let mark = self.store.join(mark(call));
        let marked = fs::write(&mark, line).and_then(|()| mark.metadata()?.modified());
        let since = marked.unwrap_or_else(|e| {
            tracing::warn!(error = %e, "that a command runs could not be noted");
            SystemTime::now()
        });
        let began = self.has_one_clock().then(|| (SystemTime::now(), Instant::now()));
        Clock { since, began }
    }

    /// Whether one clock stamps the files of the workspace and what is kept: on one file system, or on two of this machine.
    fn has_one_clock(&self) -> bool {
        let here = |root: &Path| stamp::is_of_this_machine(root) && stamp::is_of_this_machine(&self.store);
        self.is_beside() || self.trees.first().is_some_and(|t| here(&t.root))
    }

    /// Whether copies are kept on the file system of the workspace.
    fn is_beside(&self) -> bool {
        let device = |path: &Path| path.metadata().map(|m| m.dev()).ok();
        self.trees.first().is_some_and(|t| device(&t.root).is_some_and(|d| device(&self.store) == Some(d)))
    }

    fn leave(&mut self, (root, path): &(usize, String)) {
        if let Some(known) = self.trees.get_mut(*root).and_then(|t| t.files.get_mut(path)) {
            known.cover = Cover::Left;
            self.dirty.insert((*root, path.clone()));
        }
    }

    /// Copies the smallest files first; gives what was not, with its size and why.
    fn copy(&mut self) -> Vec<((usize, String), u64, String)> {
        let mut unkept = Vec::new();
        let mut waiting = Vec::new();
        let odd = self.trees.iter().enumerate().flat_map(|(n, t)| t.odd.iter().map(move |p| (n, p)));
        for key in odd.map(|(n, p)| (n, p.to_string_lossy().into_owned())) {
            unkept.push((key, 0, "its name is no text".to_owned()));
        }
        for (root, tree) in self.trees.iter_mut().enumerate() {
            let base = tree.root.clone();
            let gits: BTreeSet<String> = tree
                .files
                .iter()
                .filter(|(p, k)| k.cover == Cover::None && tree.is_gits(p))
                .map(|(p, _)| p.clone())
                .collect();
            for (path, known) in tree.files.iter_mut().filter(|(_, k)| k.cover == Cover::None) {
                if known.stamp.is_file() {
                    waiting.push((known.stamp.size, !gits.contains(path), (root, path.clone())));
                    continue;
                }
                self.dirty.insert((root, path.clone()));
                if known.stamp.is_link() {
                    let to = fs::read_link(base.join(path)).ok().and_then(|t| t.to_str().map(str::to_owned));
                    known.cover = to.map_or(Cover::Left, Cover::Link);
                } else {
                    known.cover = Cover::Left;
                }
            }
        }
        waiting.sort_unstable();
        let mut used: u64 = if waiting.is_empty() { 0 } else { self.copies().map(|(_, size)| size).sum() };
        for (size, counts, key) in waiting {
            let why = if size > MOST_FILE_BYTES {
                Some(format!("larger than {} MB", MOST_FILE_BYTES >> 20))
            } else if counts && used + size > self.cap {
                Some(format!("beyond {} MB in all", self.cap >> 20))
            } else {
                self.copy_one(&key).err().map(|e| why(&e))
            };
            match why {
                None => used += if counts { size } else { 0 },
                Some(_) if self.accepted.contains(&key) => self.leave(&key),
                Some(why) => unkept.push((key, size, why)),
            }
        }
        unkept.retain(|(key, ..)| !self.accepted.contains(key));
        unkept
    }

    fn copy_one(&mut self, key: &(usize, String)) -> io::Result<()> {
        let Some(tree) = self.trees.get_mut(key.0) else { return Ok(()) };
        let from = tree.root.join(&key.1);
        let number = self.last + 1;
        let folder = self.store.join(COPIES);
        let to = folder.join(number.to_string());
        if number == 1 || !folder.is_dir() {
            fs::create_dir_all(&folder)?;
        }
        let copied = open(&from).and_then(|mut file| io::copy(&mut file, &mut create(&to)?));
        if let Err(e) = copied {
            drop(fs::remove_file(&to));
            // What is gone by now is seen as gone at the next look.
            return if e.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(e) };
        }
        self.last = number;
        if let Some(known) = tree.files.get_mut(&key.1) {
            known.cover = Cover::Copy(number);
        }
        self.dirty.insert(key.clone());
        Ok(())
    }

    /// Copies of secret files stand only while a command runs: the next one makes its own.
    pub(super) fn drop_secrets(&mut self) {
        if !self.running.is_empty() {
            return;
        }
        for (root, tree) in self.trees.iter_mut().enumerate() {
            for (path, known) in &mut tree.files {
                if matches!(known.cover, Cover::Copy(_)) && is_secret(path) {
                    known.cover = Cover::None;
                    self.dirty.insert((root, path.clone()));
                }
            }
        }
        self.note();
    }

    /// Writes what is known into the journal, and removes copies that stand for nothing any more.
    fn note(&mut self) {
        self.leave_looked();
        if self.dirty.is_empty() {
            return;
        }
        let mut lines = Vec::new();
        for (root, path) in std::mem::take(&mut self.dirty) {
            let Some(tree) = self.trees.get(root) else { continue };
            let (file, folder) = (tree.files.get(&path).cloned(), tree.folder(&path));
            if file.is_none() || folder.is_some() {
                lines.push(Line::Folder(root, path.clone(), folder));
            }
            if tree.tracked.contains(&path) {
                lines.push(Line::Tracked(root, path.clone()));
            }
            if tree.named.contains(&path) {
                lines.push(Line::Named(root, path.clone()));
            }
            if tree.opened.contains(&path) {
                lines.push(Line::Opened(root, path.clone()));
            }
            if folder.is_none() || file.is_some() {
                lines.push(Line::File(root, path, file));
            }
        }
        let noted = fs::create_dir_all(&self.store).and_then(|()| self.journal.add(&lines, &self.trees));
        if let Err(e) = noted {
            tracing::warn!(error = %e, "what is known of the workspace could not be noted");
        }
        self.drop_copies();
    }

    fn drop_copies(&self) {
        let of = |was: &Was| match was {
            Was::File(Known { cover: Cover::Copy(number), .. }) => Some(*number),
            Was::File(_) | Was::Folder(_) | Was::Nothing => None,
        };
        let held = self.running.values().flat_map(|r| r.changed.values()).filter_map(of);
        let live: BTreeSet<u64> = self.copies().map(|(number, _)| number).chain(held).collect();
        for entry in fs::read_dir(self.store.join(COPIES)).into_iter().flatten().flatten() {
            let number = entry.file_name().to_str().and_then(|n| n.parse::<u64>().ok());
            if number.is_some_and(|n| !live.contains(&n)) {
                drop(fs::remove_file(entry.path()));
            }
        }
    }
}

/// A new file that nobody else may read.
fn create(path: &Path) -> io::Result<File> {
    File::options().write(true).create(true).truncate(true).mode(0o600).open(path)
}

/// Opens an ordinary file; never waits for a pipe and follows no link.
pub(super) fn open(path: &Path) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let file = File::from(rustix::fs::open(path, flags, Mode::empty())?);
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::Error::other("it is no ordinary file")) }
}

/// Why a copy could not be made, in words.
fn why(error: &std::io::Error) -> String {
    if error.kind() == std::io::ErrorKind::StorageFull {
        "the disk is full".to_owned()
    } else {
        error.to_string()
    }
}

/// What is not saved, in words.
fn words(unkept: &[((usize, String), u64, String)]) -> String {
    let one = |((_, path), size, why): &((usize, String), u64, String)| match size >> 20 {
        0 => format!("{path} ({why})"),
        mb => format!("{path} ({mb} MB, {why})"),
    };
    let mut text = unkept.iter().take(MOST_TOLD).map(one).collect::<Vec<_>>().join(", ");
    if unkept.len() > MOST_TOLD {
        text.push_str(&format!(" and {} more", unkept.len() - MOST_TOLD));
    }
    format!("{text}; /undo could not bring it back")
}
