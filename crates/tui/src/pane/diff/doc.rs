//! The lines of the diff as places in the texts, and the texts themselves.
//!
//! Owns what stands where; a line becomes text only when it is seen.

use std::{cell::OnceCell, collections::HashMap, sync::Arc};

use pilothouse_core::{
    blob::BlobId,
    clean::Clean,
    diff::{Change, Hunk},
    encoding::text_of,
    ids::ProposalId,
    proposal::{Proposal, ProposalStatus},
    redact::Redactor,
    session::State,
    tool::ChangeKind,
};

use crate::highlight::LONGEST_TEXT_BYTES;

/// A file as it is proposed.
#[derive(Clone, Debug)]
pub(super) struct File {
    pub(super) id: ProposalId,
    pub(super) path: String,
    pub(super) kind: ChangeKind,
    pub(super) before: Option<BlobId>,
    pub(super) after: Option<BlobId>,
    pub(super) hunks: Vec<Hunk>,
    /// The hash that decisions are bound to.
    pub(super) shown: BlobId,
}

impl File {
    fn of(p: &Proposal) -> Self {
        Self {
            id: p.id,
            path: Clean::line(p.path.as_str()).into_string(),
            kind: p.kind,
            before: p.before,
            after: p.after,
            hunks: p.hunks.clone(),
            shown: p.shown(),
        }
    }

    /// The language by the name's end.
    pub(super) fn lang(&self) -> &str {
        let name = self.path.rsplit('/').next().unwrap_or_default();
        name.rsplit_once('.').map_or(name, |(_, ext)| ext)
    }

    /// Lines added and removed.
    pub(super) fn counts(&self) -> (usize, usize) {
        (self.hunks.iter().map(Hunk::added).sum(), self.hunks.iter().map(Hunk::removed).sum())
    }
}

/// Whether a proposal waits or is being written.
pub(super) const fn waits(p: &Proposal) -> bool {
    matches!(p.status, ProposalStatus::Open | ProposalStatus::Applying(_))
}

/// The files that wait or are being written, by path, in whatever order their steps came to propose them.
pub(super) fn files(state: &State) -> Vec<File> {
    let mut files: Vec<&Proposal> = state.proposals().values().filter(|p| waits(p)).collect();
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files.into_iter().map(File::of).collect()
}

/// A content, line by line. Its lines come without secrets; the bytes stay as they are.
#[derive(Debug)]
pub(super) struct Content {
    bytes: Vec<u8>,
    /// The bytes as they are drawn, where that is not as they are; line for line the same.
    drawn: Option<Vec<u8>>,
    starts: Vec<usize>,
    /// Whether its lines end in carriage return and newline.
    pub(super) crlf: bool,
    code: OnceCell<Arc<str>>,
}

impl Content {
    pub(super) fn new(bytes: Vec<u8>, secrets: &Redactor) -> Self {
        let text = text_of(&bytes);
        let masked = secrets.mask(&text);
        let drawn = (masked.as_bytes() != bytes).then(|| masked.into_owned().into_bytes());
        let lines = drawn.as_ref().unwrap_or(&bytes);
        let newlines = lines.iter().enumerate().filter(|(_, b)| **b == b'\n').map(|(i, _)| i + 1);
        let starts = std::iter::once(0).chain(newlines).filter(|s| *s < lines.len()).collect();
        let crlf = lines.split(|b| *b == b'\n').next().is_some_and(|l| l.ends_with(b"\r"));
        Self { bytes, drawn, starts, crlf, code: OnceCell::new() }
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(super) fn len(&self) -> usize {
        self.starts.len()
    }

    /// Line `n` from 0 without its newline, and whether it has one.
    pub(super) fn line(&self, n: usize) -> (&[u8], bool) {
        let drawn = self.drawn.as_ref().unwrap_or(&self.bytes);
        let from = self.starts.get(n).copied().unwrap_or(drawn.len());
        let to = self.starts.get(n + 1).copied().unwrap_or(drawn.len());
        let line = drawn.get(from..to).unwrap_or_default();
        match line.strip_suffix(b"\n") {
            Some(bare) => (bare, true),
            None => (line, false),
        }
    }

    /// Line `n` as it is drawn; a carriage return is dropped where the whole file has them.
    pub(super) fn clean(&self, n: usize, hide_cr: bool) -> Clean {
        let (line, _) = self.line(n);
        let line = if hide_cr { line.strip_suffix(b"\r").unwrap_or(line) } else { line };
        Clean::byte_line(line)
    }

    /// The whole as the highlighter gets it: drawn lines; empty when it is too long to be coloured.
    pub(super) fn code(&self, hide_cr: bool) -> Arc<str> {
        let make = || {
            if self.bytes.len() > LONGEST_TEXT_BYTES {
                return Arc::from("");
            }
            let lines = (0..self.len()).map(|n| self.clean(n, hide_cr).into_string() + "\n");
            Arc::from(lines.collect::<String>())
        };
        Arc::clone(self.code.get_or_init(make))
    }
}

/// Contents that came from the read port; `None` for one that is lost.
#[derive(Debug, Default)]
pub(super) struct Texts {
    known: HashMap<BlobId, Option<Content>>,
}

/// The two sides of a file; a side that does not exist is empty.
pub(super) enum Sides<'a> {
    Here(&'a Content, &'a Content),
    Missing,
    Lost,
}

impl Texts {
    pub(super) fn put(&mut self, id: BlobId, bytes: Option<&Vec<u8>>, secrets: &Redactor) {
        self.known.insert(id, bytes.map(|b| Content::new(b.clone(), secrets)));
    }

    /// Contents of these files that have to be asked for.
    pub(super) fn lacking(&self, file: &File) -> Vec<BlobId> {
        [file.before, file.after].into_iter().flatten().filter(|id| !self.known.contains_key(id)).collect()
    }

    /// Forgets contents that no file names any more.
    pub(super) fn keep(&mut self, files: &[File]) {
        self.known.retain(|id, _| files.iter().any(|f| f.before == Some(*id) || f.after == Some(*id)));
    }

    pub(super) fn sides<'a>(&'a self, file: &File, empty: &'a Content) -> Sides<'a> {
        let side = |id: Option<BlobId>| match id {
            None => Some(Some(empty)),
            Some(id) => self.known.get(&id).map(Option::as_ref),
        };
        match (side(file.before), side(file.after)) {
            (Some(Some(a)), Some(Some(b))) => Sides::Here(a, b),
            (Some(None), _) | (_, Some(None)) => Sides::Lost,
            (None, _) | (_, None) => Sides::Missing,
        }
    }
}

impl Default for Content {
    fn default() -> Self {
        Self::new(Vec::new(), &Redactor::default())
    }
}

/// One line of the diff.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Line {
    Blank,
    /// The name of a file, where several stand below each other.
    File(usize),
    /// A hunk's header.
    Hunk(usize, usize),
    /// A line that stays: its place before and after.
    Same(usize, usize, usize),
    /// A line that goes: file, hunk, line.
    Old(usize, usize, usize),
    /// A line that comes.
    New(usize, usize, usize),
    /// A changed line side by side: file, hunk, line before, line after.
    Both(usize, usize, Option<usize>, Option<usize>),
    /// The texts are not here yet.
    Wait,
    /// The texts cannot be had.
    Lost,
}

/// Where a hunk stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Spot {
    pub(super) file: usize,
    pub(super) hunk: usize,
    /// Its header.
    pub(super) line: usize,
    /// Behind its last line.
    pub(super) end: usize,
}

/// The lines of one file or of all.
#[derive(Debug, Default)]
pub(super) struct Doc {
    pub(super) lines: Vec<Line>,
    pub(super) spots: Vec<Spot>,
}

/// How the document is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) context: usize,
    pub(super) side_by_side: bool,
}

impl Doc {
    /// Appends a file's hunks.
    pub(super) fn add(&mut self, at: usize, file: &File, sides: &Sides<'_>, shape: Shape) {
        let (old_lines, new_lines) = match sides {
            Sides::Here(a, b) => (a.len(), b.len()),
            Sides::Missing => return self.lines.push(Line::Wait),
            Sides::Lost => return self.lines.push(Line::Lost),
        };
        for (n, hunk) in file.hunks.iter().enumerate() {
            if !self.lines.is_empty() {
                self.lines.push(Line::Blank);
            }
            let line = self.lines.len();
            self.lines.push(Line::Hunk(at, n));
            let (before, behind) = context(file, n, old_lines, shape.context);
            let (old, new) = (hunk.old(), hunk.new_lines());
            for back in (1..=before).rev() {
                self.lines.push(Line::Same(
                    at,
                    old.start.saturating_sub(back),
                    new.start.saturating_sub(back),
                ));
            }
            let mut last: Option<&Change> = None;
            for change in &hunk.changes {
                if let Some(last) = last {
                    let gap = change.old.start.saturating_sub(last.old.end());
                    self.lines
                        .extend((0..gap).map(|i| Line::Same(at, last.old.end() + i, last.new.end() + i)));
                }
                self.change(at, n, change, shape, (old_lines, new_lines));
                last = Some(change);
            }
            self.lines.extend((0..behind).map(|i| Line::Same(at, old.end() + i, new.end() + i)));
            self.spots.push(Spot { file: at, hunk: n, line, end: self.lines.len() });
        }
    }

    fn change(&mut self, at: usize, n: usize, c: &Change, shape: Shape, lines: (usize, usize)) {
        let old: Vec<usize> = (c.old.start..c.old.end().min(lines.0)).collect();
        let new: Vec<usize> = (c.new.start..c.new.end().min(lines.1)).collect();
        if shape.side_by_side {
            let rows = old.len().max(new.len());
            self.lines.extend((0..rows).map(|i| Line::Both(at, n, old.get(i).copied(), new.get(i).copied())));
        } else {
            self.lines.extend(old.into_iter().map(|l| Line::Old(at, n, l)));
            self.lines.extend(new.into_iter().map(|l| Line::New(at, n, l)));
        }
    }
}

/// Lines of context before and behind a hunk; never into the next one.
pub(super) fn context(file: &File, n: usize, old_lines: usize, wanted: usize) -> (usize, usize) {
    let Some(hunk) = file.hunks.get(n) else { return (0, 0) };
    let (start, end) = (hunk.old().start, hunk.old().end());
    let above = n.checked_sub(1).and_then(|p| file.hunks.get(p)).map_or(0, |h| h.old().end());
    let room_above = start.saturating_sub(above);
    // The one above takes its share first.
    let taken = if n > 0 { wanted.min(room_above) } else { 0 };
    let below = file.hunks.get(n + 1).map_or(old_lines, |h| h.old().start);
    (wanted.min(room_above - taken), wanted.min(below.saturating_sub(end)))
}
