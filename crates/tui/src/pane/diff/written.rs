//! The diff of a file that is on disk already: drawn like one that waits, with nothing to decide.
//!
//! Owns the file and how far it is scrolled. Its hunks are worked out from the two contents.

use pilothouse_core::{
    blob::BlobId,
    clean::Clean,
    diff::hunks,
    ids::ProposalId,
    port::{Ask, Reply},
    redact::Redactor,
    session::WrittenFile,
};

use super::{
    DiffPane,
    doc::{File, Sides},
};
use crate::{highlight::Highlighter, pane::Ctx, row::Row};

/// Both contents together are compared up to this size.
const MOST_BYTES: usize = 4 * 1024 * 1024;

/// The diff of one written file.
#[derive(Debug)]
pub struct WrittenDiff {
    pane: DiffPane,
    secrets: Redactor,
    large: bool,
}

impl WrittenDiff {
    /// The diff of a file whose texts are not here yet.
    pub fn new(file: &WrittenFile, colours: &Highlighter, secrets: &Redactor) -> Self {
        let file = File {
            id: ProposalId::default(),
            path: Clean::line(file.path.as_str()).into_string(),
            kind: file.kind(),
            before: file.before,
            after: file.after,
            hunks: Vec::new(),
            shown: BlobId::of(b""),
        };
        let pane =
            DiffPane { files: vec![file], stale: false, ..DiffPane::with_highlighter(colours.clone()) };
        Self { pane: DiffPane { written: true, ..pane }, secrets: secrets.clone(), large: false }
    }

    /// What this pane shows.
    #[cfg(test)]
    pub(super) fn showing(pane: DiffPane) -> Self {
        Self { pane, secrets: Redactor::default(), large: false }
    }

    /// How many lines were laid out so far.
    #[cfg(test)]
    pub(super) fn drawn(&self) -> usize {
        self.pane.drawn.get()
    }

    /// The texts that it wants.
    pub fn asks(&self) -> Vec<Ask> {
        let file = self.pane.files.first();
        file.map(|f| self.pane.texts.lacking(f)).unwrap_or_default().into_iter().map(Ask::Blob).collect()
    }

    /// Takes a text that it wants; with both its hunks are known.
    pub fn answered(&mut self, reply: &Reply) {
        let Reply::Blob(id, bytes) = reply else { return };
        let pane = &mut self.pane;
        if !pane.files.first().is_some_and(|f| pane.texts.lacking(f).contains(id)) {
            return;
        }
        pane.texts.put(*id, bytes.as_ref(), &self.secrets);
        if let Some(file) = pane.files.first_mut()
            && let Sides::Here(a, b) = pane.texts.sides(file, &pane.nothing)
        {
            self.large = a.bytes().len() + b.bytes().len() > MOST_BYTES;
            file.hunks = if self.large { Vec::new() } else { hunks(a.bytes(), b.bytes()) };
        }
        pane.rebuild();
    }

    /// Whether it is too large to be compared here.
    pub const fn is_large(&self) -> bool {
        self.large
    }

    /// How many lines it has, before they are wrapped.
    pub fn lines(&self) -> usize {
        self.pane.doc.lines.len()
    }

    /// Whether it has more rows than this; no more of it is laid out than that takes.
    pub fn is_longer(&self, ctx: &Ctx<'_>, width: usize, height: usize) -> bool {
        let lines = &self.pane.doc.lines;
        let mut left = height;
        let fits = |line: &super::doc::Line| {
            let rows = self.pane.rows_of(ctx, *line, width).len();
            let fits = rows <= left;
            left = left.saturating_sub(rows);
            fits
        };
        // A line has a row at least.
        lines.len() > height || !lines.iter().all(fits)
    }

    /// At most `height` rows from line `top` on.
    pub fn rows(&self, ctx: &Ctx<'_>, top: usize, width: usize, height: usize) -> Vec<Row> {
        let lines = self.pane.doc.lines.iter().skip(top).take(height);
        let rows = lines.flat_map(|line| {
            let rows = self.pane.rows_of(ctx, *line, width);
            rows.iter().take(height).cloned().collect::<Vec<_>>()
        });
        rows.take(height).collect()
    }
}
