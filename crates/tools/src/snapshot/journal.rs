//! The last look on disk, so that a process that ends in the middle of a command loses nothing of it.
//!
//! Owns the file: lines that are only added, and a fresh start when they have become many. It outlives the
//! program, not the machine.

use std::{
    collections::BTreeMap,
    fs::{self, File, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use super::{
    kept::Kept,
    tree::{Known, Tree},
};

/// Lines beyond what is known, from which on a fresh start is made.
const MOST_STALE: usize = 20_000;

/// What changed in what is known.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Line {
    /// What stands before it counts no more, and nothing that was left by another session.
    Whole,
    File(usize, String, Option<Known>),
    Folder(usize, String, Option<u32>),
    Tracked(usize, String),
    Named(usize, String),
    Opened(usize, String),
}

/// The file.
#[derive(Debug)]
pub(super) struct Journal {
    path: PathBuf,
    file: Option<File>,
    lines: usize,
}

/// What an earlier process knew.
#[derive(Debug, Default)]
pub(super) struct Remembered {
    pub files: BTreeMap<usize, BTreeMap<String, Known>>,
    pub folders: BTreeMap<usize, BTreeMap<String, u32>>,
    pub tracked: Vec<(usize, String)>,
    pub named: Vec<(usize, String)>,
    pub opened: Vec<(usize, String)>,
}

impl Remembered {
    fn of(kept: Option<Kept>) -> Self {
        let Some(kept) = kept else { return Self::default() };
        let tracked = kept.tracked().map(|path| (0, path.clone())).collect();
        let (files, folders) = kept.parts();
        let (files, folders) = (BTreeMap::from([(0, files)]), BTreeMap::from([(0, folders)]));
        Self { files, folders, tracked, ..Self::default() }
    }

    /// Whether that is nothing.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty() && self.folders.is_empty()
    }
}

impl Journal {
    pub fn at(path: PathBuf) -> Self {
        Self { path, file: None, lines: 0 }
    }

    /// Where stands what another session left, on which the lines build.
    pub fn base(&self) -> PathBuf {
        self.path.with_extension("base")
    }

    /// Whether nothing stands in it.
    pub const fn is_new(&self) -> bool {
        self.lines == 0
    }

    /// What stands in it; a line that is torn or unknown is left out.
    pub fn read(&mut self) -> Remembered {
        let mut known = Remembered::of(Kept::read(&self.base()));
        let text = fs::read(&self.path).unwrap_or_default();
        for line in text.split(|b| *b == b'\n').filter_map(|l| serde_json::from_slice(l).ok()) {
            self.lines += 1;
            match line {
                Line::Whole => known = Remembered::default(),
                Line::File(root, path, Some(file)) => {
                    known.files.entry(root).or_default().insert(path, file);
                }
                Line::File(root, path, None) => drop(known.files.entry(root).or_default().remove(&path)),
                Line::Folder(root, path, Some(bits)) => {
                    known.folders.entry(root).or_default().insert(path, bits);
                }
                Line::Folder(root, path, None) => drop(known.folders.entry(root).or_default().remove(&path)),
                Line::Tracked(root, path) => known.tracked.push((root, path)),
                Line::Named(root, path) => known.named.push((root, path)),
                Line::Opened(root, path) => known.opened.push((root, path)),
            }
        }
        known
    }

    /// Adds lines; where too many are stale, all that is known is written anew.
    ///
    /// # Errors
    /// What the system says.
    pub fn add(&mut self, new: &[Line], trees: &[Tree]) -> io::Result<()> {
        let known: usize = trees.iter().map(|t| t.files.len()).sum();
        let fresh = self.lines + new.len() > 2 * known + MOST_STALE;
        let all: Vec<Line> = if fresh { everything(trees) } else { Vec::new() };
        let mut text = Vec::new();
        for line in all.iter().chain(new) {
            serde_json::to_writer(&mut text, line)?;
            text.push(b'\n');
        }
        if fresh {
            crate::atomic::replace(&self.path, &text, 0o600)?;
            drop(fs::remove_file(self.base()));
            (self.file, self.lines) = (None, all.len() + new.len());
            return Ok(());
        }
        let mut file = match self.file.take() {
            Some(file) => file,
            None => open(&self.path)?,
        };
        file.write_all(&text)?;
        (self.file, self.lines) = (Some(file), self.lines + new.len());
        Ok(())
    }
}

fn open(path: &Path) -> io::Result<File> {
    let mut file = OpenOptions::new().create(true).append(true).open(path)?;
    // What a process left of a line stays a line of its own.
    file.write_all(b"\n")?;
    Ok(file)
}

fn everything(trees: &[Tree]) -> Vec<Line> {
    let mut all = vec![Line::Whole];
    for (root, tree) in trees.iter().enumerate() {
        let files = tree.files.iter().map(|(p, k)| Line::File(root, p.clone(), Some(k.clone())));
        all.extend(files);
        all.extend(tree.all_folders().map(|(p, bits)| Line::Folder(root, p.clone(), Some(bits))));
        all.extend(tree.tracked.iter().map(|p| Line::Tracked(root, p.clone())));
        all.extend(tree.named.iter().map(|p| Line::Named(root, p.clone())));
        all.extend(tree.opened.iter().map(|p| Line::Opened(root, p.clone())));
    }
    all
}
