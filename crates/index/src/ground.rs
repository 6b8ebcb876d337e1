//! What the checks of core look at: files and the index, as far as they may be seen.
//!
//! Owns that view. A question that the database cannot answer is answered with nothing, and the log says why.

use pilothouse_core::{
    fact::Shown,
    knowledge::{Lines, check::Ground},
    relpath::RelPath,
};

use crate::{
    error::IndexError,
    imports,
    index::Index,
    search::{May, Placed},
};

/// Most places that are told of a name.
const PLACES: usize = 3;

/// The index for one who may see some of the files.
pub struct Seen<'a> {
    /// The index.
    pub index: &'a Index,
    /// Which files may be seen.
    pub may: May<'a>,
}

impl std::fmt::Debug for Seen<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Seen").field("index", self.index).finish_non_exhaustive()
    }
}

impl Seen<'_> {
    fn lines(&self, found: Result<Vec<Lines>, IndexError>) -> Vec<Lines> {
        let found = found.unwrap_or_else(|e| {
            tracing::warn!(error = %e, "the knowledge index cannot say where a name stands");
            Vec::new()
        });
        found.into_iter().filter(|l| (self.may)(&l.path)).collect()
    }

    fn naming(&self, names: &[&str]) -> Vec<Lines> {
        let of = |p: Placed| Some(Lines { path: RelPath::new(&p.path).ok()?, from: p.from, to: p.to });
        let found = self.index.naming(names, PLACES);
        self.lines(found.map(|all| all.into_iter().filter_map(of).collect()))
    }
}

impl Ground for Seen<'_> {
    fn file(&self, path: &RelPath) -> Option<Shown> {
        let (text, hash) = self.index.read(path).ok().filter(|_| (self.may)(path))?;
        Some(Shown { text, hash, seen: None })
    }

    fn defined(&self, name: &str) -> Vec<Lines> {
        self.lines(self.index.defined(name))
    }

    fn mentioned(&self, name: &str) -> Vec<Lines> {
        self.naming(&[name])
    }

    fn together(&self, one: &str, other: &str) -> Vec<Lines> {
        self.naming(&[one, other])
    }

    fn imports(&self, path: &RelPath) -> Vec<RelPath> {
        let of = |kind| self.index.targets(path.as_str(), kind).unwrap_or_default();
        let all = of("import").into_iter().chain(of("link"));
        all.filter_map(|p| RelPath::new(&p).ok()).filter(|p| (self.may)(p)).collect()
    }

    fn files(&self, name: &str) -> Vec<RelPath> {
        let name = name.trim_start_matches("./").trim_end_matches('/');
        let named = |path: &String| {
            let ends = path.strip_suffix(name).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'));
            let folder = path.strip_prefix(name).is_some_and(|rest| rest.starts_with('/'));
            ends || folder || imports::stem(path) == name
        };
        let all = self.index.paths().unwrap_or_default().into_iter().filter(named);
        all.filter_map(|p| RelPath::new(&p).ok()).filter(|p| (self.may)(p)).collect()
    }
}
