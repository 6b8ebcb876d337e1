//! The index as one call sees it: for one who may see some of the files, each file read once, until it is stopped.
//!
//! Owns that view, which is what the checks of core look at. A question that the database cannot answer is answered
//! with nothing, and the log says why.

use std::{
    cell::{OnceCell, RefCell},
    collections::HashMap,
    rc::Rc,
};

use pilothouse_core::{
    blob::BlobId,
    fact::Shown,
    knowledge::{Axes, Lines, Passage, Score, check::Ground},
    relpath::RelPath,
};

use crate::{
    error::IndexError,
    imports::{self, Files},
    index::{Index, Watch},
    search::{May, Placed},
};

/// Most places that are told of a name.
const PLACES: usize = 3;
/// Texts of more bytes are not kept until the call ends.
const KEPT_BYTES: usize = 32 * 1024 * 1024;

/// The text of a file without its secrets, and the hash of the file.
type Text = Rc<(String, BlobId)>;

/// The index for one call of one who may see some of the files.
pub struct Seen<'a> {
    pub(crate) index: &'a Index,
    may: May<'a>,
    watch: &'a dyn Watch,
    texts: RefCell<(usize, HashMap<RelPath, Option<Text>>)>,
    files: OnceCell<Files>,
}

impl std::fmt::Debug for Seen<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Seen").field("index", self.index).finish_non_exhaustive()
    }
}

impl<'a> Seen<'a> {
    /// The index for one call; `may` tells which files may be seen.
    pub fn new(index: &'a Index, may: May<'a>, watch: &'a dyn Watch) -> Self {
        Self { index, may, watch, texts: RefCell::default(), files: OnceCell::new() }
    }

    /// Whether a file may be seen.
    pub(crate) fn may(&self, path: &RelPath) -> bool {
        (self.may)(path)
    }

    /// Nothing; an error once the user stopped it.
    pub(crate) fn going(&self) -> Result<(), IndexError> {
        if self.watch.stopped() { Err(IndexError::Stopped) } else { Ok(()) }
    }

    /// Does `work`; a damaged database is made anew first.
    pub(crate) fn mended<T>(&self, work: impl Fn() -> Result<T, IndexError>) -> Result<T, IndexError> {
        self.index.mended(self.may, self.watch, |_| work())
    }

    /// The text of a file, read once, whoever may see it.
    pub(crate) fn text(&self, path: &RelPath) -> Option<Text> {
        let (bytes, texts) = &mut *self.texts.borrow_mut();
        if let Some(known) = texts.get(path) {
            return known.clone();
        }
        let read = self.index.read(path).ok().map(Rc::new);
        *bytes += read.as_ref().map_or(0, |read| read.0.len());
        if *bytes > KEPT_BYTES {
            texts.clear();
            *bytes = 0;
        }
        texts.insert(path.clone(), read.clone());
        read
    }

    /// A passage with its text; nothing when its file is not what it was.
    pub(crate) fn shown(&self, placed: &Placed) -> Option<Passage> {
        let lines = placed.lines()?;
        let read = self.text(&lines.path).filter(|read| read.1.to_string() == placed.hash)?;
        let (text, title) = (excerpt(&read.0, lines.from, lines.to), placed.title.clone());
        Some(Passage { lines, hash: read.1, title, text, score: Score::FULL, axes: Axes::default() })
    }

    /// The files of the workspace, for what imports and links mean.
    pub(crate) fn files(&self) -> Result<&Files, IndexError> {
        if let Some(files) = self.files.get() {
            return Ok(files);
        }
        let files = Files::of(self.index.paths()?);
        Ok(self.files.get_or_init(|| files))
    }

    /// What was found, as far as it may be seen.
    fn lines(&self, found: Result<Vec<Lines>, IndexError>) -> Vec<Lines> {
        told(found, "where a name stands").into_iter().filter(|l| self.may(&l.path)).collect()
    }

    fn places(&self, names: &[&str]) -> Vec<Lines> {
        let found = self.naming(names, PLACES);
        self.lines(found.map(|all| all.iter().filter_map(Placed::lines).collect()))
    }
}

/// What was found; nothing where the database failed, and the log says so.
fn told<T>(found: Result<Vec<T>, IndexError>, what: &str) -> Vec<T> {
    found.unwrap_or_else(|e| {
        tracing::warn!(error = %e, what, "the knowledge index cannot say");
        Vec::new()
    })
}

/// Some lines of a text, from 1, the last included.
pub(crate) fn excerpt(text: &str, from: usize, to: usize) -> String {
    let count = (to + 1).saturating_sub(from);
    text.lines().skip(from.saturating_sub(1)).take(count).collect::<Vec<_>>().join("\n")
}

impl Ground for Seen<'_> {
    fn file(&self, path: &RelPath) -> Option<Shown> {
        let read = self.text(path).filter(|_| self.may(path))?;
        Some(Shown { text: read.0.clone(), hash: read.1, seen: None })
    }

    fn defined(&self, name: &str) -> Vec<Lines> {
        self.lines(self.index.defined(name))
    }

    fn mentioned(&self, name: &str) -> Vec<Lines> {
        self.places(&[name])
    }

    fn together(&self, one: &str, other: &str) -> Vec<Lines> {
        self.places(&[one, other])
    }

    fn imports(&self, path: &RelPath) -> Vec<RelPath> {
        let of = |kind| told(self.targets(path.as_str(), kind), "what a file imports");
        let all = of("import").into_iter().chain(of("link"));
        all.filter_map(|p| RelPath::new(&p).ok()).filter(|p| self.may(p)).collect()
    }

    fn files(&self, name: &str) -> Vec<RelPath> {
        let name = name.trim_start_matches("./").trim_end_matches('/');
        let named = |path: &&String| {
            let ends = path.strip_suffix(name).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'));
            let folder = path.strip_prefix(name).is_some_and(|rest| rest.starts_with('/'));
            ends || folder || imports::stem(path) == name
        };
        let all = Self::files(self).map_or_else(|_| Vec::new(), |f| f.paths().iter().collect());
        all.into_iter().filter(named).filter_map(|p| RelPath::new(p).ok()).filter(|p| self.may(p)).collect()
    }
}
