//! A proposal in the user's editor: the text that goes out, and the draft made of what comes back.
//!
//! Owns the making of that draft. Never opens an editor and never reads a file.

use pilothouse_core::{
    blob::BlobId,
    diff::{Hunk, Version},
    encoding::Encoding,
    ids::ProposalId,
    input::Input,
    proposal::ProposalStatus,
    relpath::RelPath,
    tool::{ChangeKind, ProposalDraft, Redraft},
};

use super::{DiffPane, doc::Sides};
use crate::{
    ctx::Handout,
    pane::{Ctx, Outcome},
};

/// A proposal that is to be edited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Editing {
    /// Which.
    pub proposal: ProposalId,
    /// The file.
    pub path: RelPath,
    /// Its bytes on disk when it was proposed; `None` for a new file.
    pub before: Option<Vec<u8>>,
    /// What it is encoded in, and so what is proposed.
    pub encoding: Encoding,
    /// The proposed text, as the editor is to show it.
    pub text: String,
    /// Its hunks.
    pub hunks: Vec<Hunk>,
    /// The hash of what was shown when the editor opened.
    pub shown: BlobId,
}

impl Editing {
    /// The input that the text from the editor leads to, byte for byte as it was saved.
    ///
    /// # Errors
    /// When there is nothing to propose; says why and what to do instead.
    pub fn finish(self, text: &str) -> Result<Input, String> {
        let before = self.before.clone().unwrap_or_default();
        let kind = if self.before.is_some() { ChangeKind::Modify } else { ChangeKind::Create };
        let encoded = |text: &str| {
            self.encoding.encode(text, &before).map_err(|why| format!("{why}; the proposal is unchanged"))
        };
        let (shown, text) = (encoded(&self.text)?, encoded(text)?);
        if text == shown {
            return Err("nothing was changed in the editor; the proposal is unchanged".to_owned());
        }
        let contents = (self.before, Some(text));
        let draft = ProposalDraft::of(self.path, kind, contents, Vec::new());
        let older = Version { before: &before, after: &shown, hunks: &self.hunks };
        let redraft = Redraft::since(older, draft);
        if redraft.draft.hunks.is_empty() {
            return Err("that text contains none of the change; s skips the file".to_owned());
        }
        Ok(Input::EditProposal { proposal: self.proposal, redraft, shown: self.shown })
    }
}

impl DiffPane {
    /// Wants the current proposal in the editor.
    pub(super) fn edit(&mut self, ctx: &Ctx<'_>) -> Outcome {
        let Some((file, p)) = self.file().and_then(|f| Some((f, Self::proposal(ctx, f.id)?))) else {
            return Outcome::none();
        };
        if p.status != ProposalStatus::Open || p.shown() != file.shown {
            return Outcome::notice("it is being written and cannot be edited now");
        }
        if p.after.is_none() {
            return Outcome::notice("a removal has no text to edit; s skips it");
        }
        let Sides::Here(before, after) = self.texts.sides(file, &self.nothing) else {
            return Outcome::notice("still loading");
        };
        let before = p.before.map(|_| before.bytes().to_vec());
        // That of the file, whatever was proposed last.
        let of_file = Encoding::of(before.as_deref().unwrap_or(after.bytes()));
        let whole = of_file.map(|e| (e, e.decode(after.bytes()).into_owned())).filter(|(e, text)| {
            e.encode(text, before.as_deref().unwrap_or_default()).is_ok_and(|bytes| bytes == after.bytes())
        });
        let Some((encoding, text)) = whole else {
            return Outcome::notice("it is not plain text; an editor would change more than you see");
        };
        let editing = Editing {
            proposal: p.id,
            path: p.path.clone(),
            before,
            encoding,
            text,
            hunks: p.hunks.clone(),
            shown: file.shown,
        };
        let line = file.hunks.get(self.hunk).map_or(0, |h| h.new_lines().start) + 1;
        let line = u32::try_from(line).ok();
        let edit = Some(Handout { line, ..Handout::new(editing.path.name(), editing.text.clone()) });
        self.editing = Some(editing);
        Outcome { edit, ..Outcome::none() }
    }
}
