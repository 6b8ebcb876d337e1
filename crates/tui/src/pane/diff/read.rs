//! What of the diff was on the screen: a line is read once each of its rows was, from the first on.
//!
//! Owns how far each is read. Never looks at what stands in a line.

use std::{
    collections::{HashMap, HashSet},
    hash::Hash,
    ops::Range,
};

/// A line on the screen: its place in the diff, the rows of it that stand there, and how many it has.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) line: usize,
    pub(super) rows: Range<usize>,
    pub(super) all: usize,
}

impl Part {
    /// Whether its end stands there.
    pub(super) fn ends(&self) -> bool {
        self.rows.end >= self.all
    }
}

/// What was on the screen.
#[derive(Debug)]
pub(super) struct Read<K> {
    whole: HashSet<K>,
    /// Of what is not read to its end, how many rows are, by how many it has: laid out anew it begins anew.
    begun: HashMap<(K, usize), usize>,
}

impl<K> Default for Read<K> {
    fn default() -> Self {
        Self { whole: HashSet::new(), begun: HashMap::new() }
    }
}

impl<K: Copy + Eq + Hash> Read<K> {
    /// These rows of it were on the screen; those behind some that were not count for nothing.
    pub(super) fn saw(&mut self, of: K, part: &Part) {
        let to = self.to(of, part.all);
        if part.rows.start > to {
            return;
        }
        let to = to.max(part.rows.end);
        if to >= part.all {
            self.whole.insert(of);
        } else {
            self.begun.insert((of, part.all), to);
        }
    }

    /// Forgets all but these.
    pub(super) fn keep(&mut self, is_kept: impl Fn(&K) -> bool) {
        self.whole.retain(&is_kept);
        self.begun.retain(|(of, _), _| is_kept(of));
    }

    pub(super) fn has(&self, of: K) -> bool {
        self.whole.contains(&of)
    }

    /// The first row of it that was not on the screen, where it has so many and is not read whole.
    pub(super) fn to(&self, of: K, all: usize) -> usize {
        self.begun.get(&(of, all)).copied().unwrap_or(0)
    }
}
