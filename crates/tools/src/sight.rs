//! What a lane sees of one file: the disk, or its own open proposal over it.
//!
//! Owns that choice and the question whether the file changed behind the lane's back. Never reads a
//! file itself (the jail does) and never changes one.

use std::cell::OnceCell;

use pilothouse_core::{
    blob::BlobId, diff, policy::Held, redact::Redactor, relpath::RelPath, shell::Act, work::View,
};

use crate::{
    executor::BlobSource,
    jail::{Jail, JailError},
};

/// Most bytes that are shown of what others changed.
const FOREIGN_BYTES: usize = 4 * 1024;

/// The eyes of a lane.
#[derive(Clone, Copy)]
pub(crate) struct LaneView<'a> {
    pub jail: &'a Jail,
    pub view: &'a View,
    pub blobs: &'a dyn BlobSource,
    /// What a lane is shown comes without secrets.
    pub redactor: &'a Redactor,
    /// The rule that the call ran into at the path which it really means.
    pub held: &'a OnceCell<Held>,
}

/// One file as the lane sees it.
#[derive(Debug)]
pub(crate) struct Sight {
    /// The real path.
    pub path: RelPath,
    /// The content on disk.
    pub disk: Option<Vec<u8>>,
    /// Its hash.
    pub disk_id: Option<BlobId>,
    /// The lane's open proposal, if it has one.
    pub proposed: Option<Proposed>,
    /// The hash that the lane saw before.
    seen: Option<BlobId>,
}

/// An open proposal of the lane for the file.
#[derive(Debug)]
pub(crate) struct Proposed {
    /// The content; `None` for a removal.
    pub content: Option<Vec<u8>>,
    /// Whether the disk is still what it started from.
    pub fresh: bool,
}

/// The content that a change starts from.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Start {
    /// The content; `None` when there is no such file for the lane.
    pub content: Option<Vec<u8>>,
    /// Whether an older proposal is set aside because the disk changed under it.
    pub replaces_stale: bool,
}

impl LaneView<'_> {
    /// Looks at one file, unless a rule about what it really is holds one of these acts back.
    pub fn look(&self, path: &RelPath, acts: &[Act]) -> Result<Sight, JailError> {
        let path = self.jail.resolve(path)?.path()?;
        for act in acts {
            self.may(*act, &path)?;
        }
        let disk = match self.jail.read(&path) {
            Ok(bytes) => Some(bytes),
            Err(JailError::Missing(_)) => None,
            Err(e) => return Err(e),
        };
        let disk_id = disk.as_deref().map(BlobId::of);
        let proposed = match self.view.overlay.get(&path) {
            None => None,
            Some(after) => {
                let base = self.view.base.get(&path).copied().flatten();
                Some(Proposed { content: self.proposed(&path, *after)?, fresh: base == disk_id })
            }
        };
        let seen = self.view.seen.get(&path).copied();
        Ok(Sight { path, disk, disk_id, proposed, seen })
    }

    /// Whether the rules let the call do this to the file with this real path; a call that they do not let is held.
    pub fn may(&self, act: Act, path: &RelPath) -> Result<(), JailError> {
        let Some(held) = self.view.rules.holds(act, path) else { return Ok(()) };
        let error = JailError::Ruled { path: path.to_string(), rule: held.ruling.to_string() };
        // The first rule is the one that is told.
        let _ = self.held.set(held);
        Err(error)
    }

    /// The content of a proposal.
    pub fn proposed(&self, path: &RelPath, after: Option<BlobId>) -> Result<Option<Vec<u8>>, JailError> {
        let Some(id) = after else { return Ok(None) };
        let gone = || JailError::Io {
            path: path.to_string(),
            source: std::io::Error::other("the proposed content is not stored; write the file anew"),
        };
        self.blobs.blob(id).map(Some).ok_or_else(gone)
    }
}

impl Sight {
    /// What the lane saw of the disk by looking, for its memory.
    pub fn noted(&self) -> Vec<(RelPath, BlobId)> {
        self.disk_id.map(|id| (self.path.clone(), id)).into_iter().collect()
    }

    /// What others changed since the lane saw the file, where that content is stored: which lines, and
    /// how they read now. Only for who may read it.
    pub fn foreign(&self, eyes: LaneView<'_>) -> String {
        let was = self.seen.and_then(|id| eyes.blobs.blob(id));
        let (Some(was), Some(now)) = (was, &self.disk) else { return String::new() };
        let text = String::from_utf8_lossy(now);
        let shown = eyes.redactor.mask_file(self.path.as_str(), &text);
        let lines: Vec<&str> = shown.lines().collect();
        let (mut places, mut told) = (Vec::new(), String::new());
        for hunk in diff::hunks(&was, now) {
            let at = hunk.new_lines();
            places.push(format!("{}-{}", at.start + 1, at.end().max(at.start + 1)));
            for (n, line) in lines.iter().enumerate().skip(at.start).take(at.len) {
                told.push_str(&format!("\n{:>6}  {line}", n + 1));
            }
        }
        if places.is_empty() {
            return String::new();
        }
        let cut = told.floor_char_boundary(FOREIGN_BYTES);
        let rest = if cut < told.len() { "\n…" } else { "" };
        let told = told.get(..cut).unwrap_or_default();
        format!("\nothers changed lines {}:{told}{rest}", places.join(", "))
    }

    /// The content that a change of the lane starts from.
    ///
    /// # Errors
    /// When the file changed on disk since the lane saw it.
    pub fn start(&self) -> Result<Start, String> {
        let stale = || {
            let path = &self.path;
            Err(format!("{path} changed since you read it; read it again, then propose the change anew"))
        };
        if self.seen.is_some() && self.seen != self.disk_id {
            return stale();
        }
        match &self.proposed {
            None => Ok(Start { content: self.disk.clone(), replaces_stale: false }),
            Some(p) if p.fresh => Ok(Start { content: p.content.clone(), replaces_stale: false }),
            Some(_) if self.seen.is_some() => Ok(Start { content: self.disk.clone(), replaces_stale: true }),
            Some(_) => stale(),
        }
    }
}

#[cfg(test)]
mod tests;
