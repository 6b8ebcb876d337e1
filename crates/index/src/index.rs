//! The index of one workspace: opened, brought up to date, asked.
//!
//! Owns when something is read anew. Nothing of it runs by itself: whoever asks brings it up to date first.

use std::{
    collections::HashMap,
    fs::Metadata,
    os::unix::fs::MetadataExt,
    path::Path,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use pilothouse_core::{
    blob::BlobId, embed::Embedder, encoding::Encoding, knowledge::IndexStatus, redact::Redactor,
    relpath::RelPath, shell,
};
use pilothouse_tools::{
    jail::Jail,
    walk::{Heed, walk_heeding},
};

use crate::{
    cut::{self, Cut},
    error::IndexError,
    fields,
    language::Languages,
    search::May,
    store::{Fields, Filed, Store},
    vectors,
};

/// Files with more bytes are left out.
const MOST_BYTES: u64 = 1024 * 1024;
/// Most files of one workspace.
const MOST_FILES: usize = 50_000;
/// So many changed files are put in together.
const TOGETHER: usize = 128;
/// The name of the built-in vectors.
const BUILT_IN: &str = "hashed words 1";

/// How far bringing it up to date is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Files looked at.
    pub files: usize,
    /// Of these, files that were read anew.
    pub read: usize,
}

/// What is told on the way, and whether to go on.
pub trait Watch {
    /// So far it is.
    fn at(&self, progress: Progress);
    /// Whether the user stopped it.
    fn stopped(&self) -> bool;
}

/// Nobody watches.
impl Watch for () {
    fn at(&self, _: Progress) {}
    fn stopped(&self) -> bool {
        false
    }
}

/// The index of one workspace. Every call may block on files and on another process that writes.
pub struct Index {
    pub(crate) jail: Jail,
    redactor: Mutex<Redactor>,
    pub(crate) embedder: Option<Arc<dyn Embedder>>,
    store: Mutex<Store>,
    /// Held by the one who has vectors made.
    pub(crate) embedding: Mutex<()>,
    rebuilt: Option<String>,
    /// Most files that it holds.
    most: usize,
    /// How many files were left out since nobody may read them, and since there was no room for them.
    denied: AtomicUsize,
    beyond: AtomicUsize,
}

impl std::fmt::Debug for Index {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Index").field("root", &self.jail.root()).finish_non_exhaustive()
    }
}

impl Index {
    /// The index of the workspace at `root`, kept in `folder`, in a database for each embedder; empty until it is brought up
    /// to date. Without an embedder the built-in one makes the vectors.
    ///
    /// # Errors
    /// When the workspace cannot be opened or nothing can be kept there.
    pub fn open(
        root: &Path,
        folder: &Path,
        embedder: Option<Arc<dyn Embedder>>,
        redactor: Redactor,
    ) -> Result<Self, IndexError> {
        let jail = Jail::open(root)?;
        let name = embedder.as_ref().map_or(BUILT_IN, |e| e.name());
        let file = format!("knowledge-{}.db", BlobId::of(name.as_bytes()).short(8));
        let (store, rebuilt) = Store::open(&folder.join(file))?;
        Ok(Self {
            jail,
            redactor: Mutex::new(redactor),
            embedder,
            store: Mutex::new(store),
            embedding: Mutex::default(),
            rebuilt,
            most: MOST_FILES,
            denied: AtomicUsize::new(0),
            beyond: AtomicUsize::new(0),
        })
    }

    pub(crate) fn store(&self) -> MutexGuard<'_, Store> {
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Masks what this knows from here on; what it changes of a file is read anew the next time.
    pub fn hide(&self, redactor: Redactor) {
        *self.redactor.lock().unwrap_or_else(PoisonError::into_inner) = redactor;
    }

    fn redactor(&self) -> Redactor {
        self.redactor.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Whose vectors it holds.
    pub(crate) fn embedder_name(&self) -> &str {
        self.embedder.as_ref().map_or(BUILT_IN, |e| e.name())
    }

    /// Does `work`; a database that turns out to be damaged is made anew, filled, and asked again.
    pub(crate) fn mended<T>(
        &self,
        may: May<'_>,
        watch: &dyn Watch,
        work: impl Fn(&Self) -> Result<T, IndexError>,
    ) -> Result<T, IndexError> {
        match work(self) {
            Err(e) if e.is_damage() => {
                tracing::warn!(error = %e, "the knowledge index is damaged and made anew");
                self.store().renew()?;
                self.fill(may, watch)?;
                work(self)
            }
            other => other,
        }
    }

    /// Brings it up to date: what changed since is read anew, what is gone is taken out, and so is what nobody `may` read.
    /// What it could not do comes back, in a sentence.
    ///
    /// # Errors
    /// When the database fails, or it was stopped; what was read until then stays.
    pub fn refresh(&self, may: May<'_>, watch: &dyn Watch) -> Result<Option<String>, IndexError> {
        self.mended(may, watch, |index| index.fill(may, watch))?;
        self.embed_missing(may, watch)
    }

    /// Throws everything away.
    ///
    /// # Errors
    /// When the database fails.
    pub fn empty(&self) -> Result<(), IndexError> {
        self.store().renew()
    }

    fn fill(&self, may: May<'_>, watch: &dyn Watch) -> Result<(), IndexError> {
        let found = self.files(may, watch)?;
        let store = self.store();
        let done = self.fill_in(&store, found, watch);
        if done.is_err() {
            store.roll_back();
        }
        done
    }

    fn fill_in(
        &self,
        store: &Store,
        found: Vec<(RelPath, String)>,
        watch: &dyn Watch,
    ) -> Result<(), IndexError> {
        let known = store.files()?;
        let mut known: HashMap<String, (i64, String)> =
            known.into_iter().map(|(path, id, stamp)| (path, (id, stamp))).collect();
        // What is known stays; of the rest, so much is taken as there is room for.
        let (mut room, mut beyond) = (self.most.saturating_sub(known.len()), 0);
        let mut batch: Vec<(RelPath, String)> = Vec::new();
        let mut progress = Progress::default();
        for (path, stamp) in found {
            if watch.stopped() {
                self.put(store, &mut batch)?;
                return Err(IndexError::Stopped);
            }
            let was = known.remove(path.as_str());
            if was.is_none() && room == 0 {
                beyond += 1;
                continue;
            }
            room -= usize::from(was.is_none());
            progress.files += 1;
            if was.is_none_or(|(_, was)| was != stamp) {
                batch.push((path, stamp));
                progress.read += 1;
            }
            if batch.len() >= TOGETHER {
                self.put(store, &mut batch)?;
                watch.at(progress);
            }
        }
        self.put(store, &mut batch)?;
        if !known.is_empty() {
            store.begin()?;
            known.values().try_for_each(|(id, _)| store.forget(*id))?;
            store.commit()?;
        }
        self.beyond.store(beyond, Ordering::Relaxed);
        watch.at(progress);
        Ok(())
    }

    /// Looks again at files that are not what they were.
    pub(crate) fn look_again(&self, paths: &[RelPath]) -> Result<(), IndexError> {
        let known = self.redactor().fingerprint();
        let store = self.store();
        store.begin()?;
        let mut done = Ok(());
        for path in paths {
            done = done.and_then(|()| match self.jail.metadata(path) {
                Ok(meta) => self.put_one(&store, path, &stamp(&meta, &known)),
                Err(_) => store.kept(path)?.map_or(Ok(()), |kept| store.forget(kept.id)),
            });
        }
        match done {
            Ok(()) => store.commit(),
            Err(e) => {
                store.roll_back();
                Err(e)
            }
        }
    }

    /// Every file that may be indexed, with what tells that it changed.
    fn files(&self, may: May<'_>, watch: &dyn Watch) -> Result<Vec<(RelPath, String)>, IndexError> {
        let root = self.jail.root();
        let made = |e: &walkdir::DirEntry| {
            e.file_type().is_dir() && e.file_name().to_str().is_some_and(shell::makes_again)
        };
        let known = self.redactor().fingerprint();
        let (mut out, mut denied) = (Vec::new(), 0);
        for entry in walk_heeding(root, root, None, Heed::All, made) {
            if watch.stopped() {
                return Err(IndexError::Stopped);
            }
            let path =
                entry.path().strip_prefix(root).ok().and_then(|path| RelPath::new(path.to_str()?).ok());
            if let Some(path) = path.filter(|_| entry.file_type().is_file()) {
                if !may(&path) {
                    denied += 1;
                } else if let Ok(meta) = entry.metadata() {
                    out.push((path, stamp(&meta, &known)));
                }
            }
        }
        self.denied.store(denied, Ordering::Relaxed);
        Ok(out)
    }

    /// Reads files anew, in one piece.
    fn put(&self, store: &Store, batch: &mut Vec<(RelPath, String)>) -> Result<(), IndexError> {
        if batch.is_empty() {
            return Ok(());
        }
        store.begin()?;
        for (path, stamp) in batch.drain(..) {
            self.put_one(store, &path, &stamp)?;
        }
        store.commit()
    }

    fn put_one(&self, store: &Store, path: &RelPath, stamp: &str) -> Result<(), IndexError> {
        // Another process may have been here in the meantime.
        let kept = store.kept(path)?;
        if kept.as_ref().is_some_and(|k| k.stamp == stamp) {
            return Ok(());
        }
        let read = self.read(path);
        let nothing = (BlobId::of(b""), BlobId::of(b""));
        let (hash, seen) = read.as_ref().map_or(nothing, |(text, hash)| (*hash, BlobId::of(text.as_bytes())));
        if let Some(kept) = kept {
            if read.is_ok() && kept.hash == hash.to_string() && kept.seen == seen.to_string() {
                return store.restamp(kept.id, stamp);
            }
            store.forget(kept.id)?;
        }
        let (none, language) = (Cut::default(), Languages::builtin().of(path.as_str()));
        match read {
            Err(skipped) => store.put(&Filed {
                path,
                stamp,
                hash,
                seen,
                lines: 0,
                cut: &none,
                fields: Vec::new(),
                skipped: Some(skipped),
            }),
            Ok((text, _)) => {
                let cut = cut::cut(&text, language);
                let fields = self.fields(path, &text, &cut);
                let lines = text.lines().count();
                store.put(&Filed { path, stamp, hash, seen, lines, cut: &cut, fields, skipped: None })
            }
        }
    }

    /// The text of a file without its secrets and the hash of the file, or why it is left out.
    pub(crate) fn read(&self, path: &RelPath) -> Result<(String, BlobId), &'static str> {
        let name = path.as_str();
        if shell::secrets::is_secret(name) || shell::secrets::keeps_secrets(name) {
            return Err("files that hold secrets");
        }
        let language = Languages::builtin().of(name);
        let most = language.and_then(|l| l.most).unwrap_or(MOST_BYTES);
        if self.jail.metadata(path).map_or(0, |m| m.len()) > most {
            return Err("too large");
        }
        let bytes = self.jail.read(path).map_err(|_| "cannot be read")?;
        let hash = BlobId::of(&bytes);
        let text = Encoding::of(&bytes).ok_or("no text")?.decode(&bytes);
        if text.contains('\0') {
            return Err("no text");
        }
        if Languages::builtin().is_generated(name, &text) {
            return Err("generated");
        }
        let prose = language.is_some_and(|l| l.prose);
        let longest = text.lines().map(str::len).max().unwrap_or(0);
        if !prose && longest > 2_000 && text.len() / text.lines().count().max(1) > 200 {
            return Err("minified");
        }
        let masked = self.redactor().mask_file(name, &text).into_owned();
        Ok((masked, hash))
    }

    /// The words of each passage.
    fn fields(&self, path: &RelPath, text: &str, cut: &Cut) -> Vec<Fields> {
        let language = Languages::builtin().of(path.as_str());
        let mut fields = fields::fields(path.as_str(), text, cut, language);
        if self.embedder.is_none() {
            for fields in &mut fields {
                let all = format!("{} {} {}", fields.name, fields.notes, fields.code);
                fields.vector = Some(vectors::packed(&vectors::built_in(&vectors::counted_stems(&all))));
            }
        }
        fields
    }

    /// Whether a file is in it: `indexed`, or why it is left out; nothing of one that it does not know.
    pub fn holds(&self, path: &RelPath) -> Option<String> {
        let store = self.store();
        let sql = "SELECT coalesce('left out: ' || skipped, 'indexed') FROM file WHERE path=?1";
        store.db.query_row(sql, [path.as_str()], |r| r.get(0)).ok()
    }

    /// What is in it.
    ///
    /// # Errors
    /// When the database fails.
    pub fn status(&self) -> Result<IndexStatus, IndexError> {
        let store = self.store();
        let count =
            |sql: &str| -> Result<usize, IndexError> { Ok(store.db.query_row(sql, [], |r| r.get(0))?) };
        let mut asked = store
            .db
            .prepare("SELECT skipped, count(*) FROM file WHERE skipped NOT NULL GROUP BY 1 ORDER BY 1")?;
        let rows = asked.query_map([], |r| Ok((r.get(0)?, r.get(1)?)))?;
        let mut skipped: Vec<(String, usize)> = rows.collect::<Result<_, _>>()?;
        let also = [
            ("a rule keeps everyone from reading them".to_owned(), &self.denied),
            (format!("beyond the {} that are indexed at most", self.most), &self.beyond),
        ];
        let also = also.map(|(why, count)| (why, count.load(Ordering::Relaxed)));
        skipped.extend(also.into_iter().filter(|(_, count)| *count > 0));
        Ok(IndexStatus {
            files: count("SELECT count(*) FROM file WHERE skipped IS NULL")?,
            lines: count("SELECT coalesce(sum(lines), 0) FROM file")?,
            passages: count("SELECT count(*) FROM passage")?,
            symbols: count("SELECT count(*) FROM symbol")?,
            bytes: store.bytes(),
            embedder: self.embedder_name().to_owned(),
            skipped,
            rebuilt: self.rebuilt.clone(),
            trouble: None,
        })
    }
}

/// What tells that a file, or what is masked in it, changed.
fn stamp(m: &Metadata, known: &str) -> String {
    let (written, changed) = ((m.mtime(), m.mtime_nsec()), (m.ctime(), m.ctime_nsec()));
    format!("{} {}.{} {}.{} {} {known}", m.size(), written.0, written.1, changed.0, changed.1, m.ino())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
