//! Where a session works, and what its store holds of texts, as a client is shown them.
//!
//! Owns that nothing is shown that a screen would not show: no secret, no character that hides or steers.

use std::path::PathBuf;

use super::update::{Call, CallState, Content, Location};
use crate::blobs::Blobs;
use pilothouse_core::{
    blob::{BlobId, Excerpt},
    clean::Clean,
    diff::{Hunk, hunks},
    encoding::Encoding,
    money::count,
    proposal::Proposal,
    redact::Redactor,
    tool::ChangeKind,
};

/// A longer text is decided about at the screen, where it is read page by page.
const MOST_SHOWN: usize = 1024 * 1024;

/// A session's place.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub root: PathBuf,
    pub blobs: Blobs,
    pub secrets: Redactor,
}

impl Place {
    /// A file as a client opens it.
    fn path(&self, file: &str) -> String {
        self.root.join(file).display().to_string()
    }

    /// A file that a call is about.
    pub fn location(&self, file: &str) -> Location {
        Location { path: self.path(file), line: None }
    }

    /// A text as it may be shown.
    pub fn shown(&self, text: &str) -> String {
        Clean::text(&self.secrets.mask(text)).into_string()
    }

    /// All of a text.
    pub fn whole(&self, text: &Excerpt) -> String {
        let Some(cut) = &text.cut else { return self.shown(&text.head) };
        let stored = self.blobs.text(cut.blob);
        self.shown(&stored.unwrap_or_else(|| format!("{}\n[…]\n{}", text.head, cut.tail)))
    }

    /// A stored text; none where it is no text, too long or not there.
    pub fn stored(&self, id: BlobId) -> Option<String> {
        self.text(id).map(|text| self.shown(&text))
    }

    fn text(&self, id: BlobId) -> Option<String> {
        let bytes = self.blobs.get(id).filter(|bytes| bytes.len() <= MOST_SHOWN)?;
        Some(Encoding::of(&bytes)?.decode(&bytes).into_owned())
    }

    /// Whether every line that a proposal changes is seen to change in its diff: a secret is shown as any other, and
    /// the end of a line not at all.
    pub fn is_seen_whole(&self, proposal: &Proposal) -> bool {
        let text = |id: Option<BlobId>| id.map_or_else(|| Some(String::new()), |id| self.text(id));
        let (Some(old), Some(new)) = (text(proposal.before), text(proposal.after)) else { return false };
        let changed = |old: &str, new: &str| {
            let found = hunks(old.as_bytes(), new.as_bytes());
            let sum = |of: fn(&Hunk) -> usize| found.iter().map(of).sum::<usize>();
            (sum(Hunk::removed), sum(Hunk::added))
        };
        changed(&old, &new) == changed(&self.shown(&old), &self.shown(&new))
    }

    /// What a proposal would make of its file; none where that is no text, or too long.
    fn diff(&self, proposal: &Proposal) -> Option<Content> {
        let text = |id: Option<BlobId>| id.map_or(Some(None), |id| self.stored(id).map(Some));
        let (old_text, new_text) = (text(proposal.before)?, text(proposal.after)?.unwrap_or_default());
        Some(Content::Diff { path: self.path(proposal.path.as_str()), old_text, new_text })
    }

    /// A change as a call; `more` beside its diff.
    pub fn change(&self, proposal: &Proposal, more: &[Content]) -> Call {
        let (verb, kind) = match proposal.kind {
            ChangeKind::Create => ("Create", "edit"),
            ChangeKind::Modify => ("Change", "edit"),
            ChangeKind::Delete => ("Remove", "delete"),
        };
        let (path, hunks) = (Clean::line(proposal.path.as_str()), count(proposal.hunks.len(), "hunk"));
        let line = proposal.hunks.first().map(|hunk| hunk.new_lines().start.saturating_add(1));
        let at = Location { line, ..self.location(proposal.path.as_str()) };
        Call {
            title: Some(format!("{verb} {path} ({hunks})")),
            kind: Some(kind),
            content: Some(self.diff(proposal).into_iter().chain(more.iter().cloned()).collect()),
            locations: vec![at],
            ..Call::new(&proposal.id, CallState::Pending)
        }
    }
}
