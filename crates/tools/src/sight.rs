//! What a lane sees of one file: the disk, or its own open proposal over it.
//!
//! Owns that choice and the question whether the file changed behind the lane's back. Never reads a
//! file itself (the jail does) and never changes one.

use std::{
    cell::OnceCell,
    collections::VecDeque,
    sync::{Mutex, PoisonError},
};

use pilothouse_core::{
    blob::BlobId,
    diff::{self, Hunk, Lines},
    encoding::{Encoding, text_of},
    policy::Held,
    recipe::Recipes,
    redact::Redactor,
    relpath::RelPath,
    shell::Act,
    tool::ToolOutcome,
    work::View,
};

use crate::{
    executor::BlobSource,
    files::unreadable,
    jail::{Jail, JailError},
};

/// Most bytes that are shown of what others changed, and of a file that was to be overwritten unread.
const SHOWN_BYTES: usize = 4 * 1024;
/// Lines of a file that is shown whole with an edit that does not fit it.
const SHORT_LINES: usize = 60;
/// Most bytes of contents that are remembered.
const REMEMBERED_BYTES: usize = 16 * 1024 * 1024;

/// Contents that lanes looked at lately, so that what others change in them can be told. They are kept nowhere else:
/// what was only read is not stored.
#[derive(Debug, Default)]
pub(crate) struct Lately(Mutex<VecDeque<(BlobId, Vec<u8>)>>);

impl Lately {
    fn remember(&self, id: BlobId, content: &[u8]) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if content.len() > REMEMBERED_BYTES || all.iter().any(|(known, _)| *known == id) {
            return;
        }
        all.push_back((id, content.to_vec()));
        while all.iter().map(|(_, c)| c.len()).sum::<usize>() > REMEMBERED_BYTES {
            all.pop_front();
        }
    }

    fn content(&self, id: BlobId) -> Option<Vec<u8>> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter().find(|(known, _)| *known == id).map(|(_, content)| content.clone())
    }
}

/// The eyes of a lane.
#[derive(Clone, Copy)]
pub(crate) struct LaneView<'a> {
    pub jail: &'a Jail,
    pub view: &'a View,
    pub blobs: &'a dyn BlobSource,
    /// What a lane is shown comes without secrets.
    pub redactor: &'a Redactor,
    /// The skills whose files it may read.
    pub recipes: &'a Recipes,
    /// The rule that the call ran into at the path which it really means.
    pub held: &'a OnceCell<Held>,
    /// What lanes looked at before.
    pub lately: &'a Lately,
}

/// What is told of what others changed.
struct Told {
    text: String,
    /// The lines that it shows.
    shown: Vec<Lines>,
    /// Whether these are all of them.
    all: bool,
}

/// One file as the lane sees it.
#[derive(Debug)]
pub(crate) struct Sight {
    /// The real path.
    pub path: RelPath,
    /// How many names the file has: hard links.
    pub names: u64,
    /// Whether nobody may write it, as its mode says.
    pub read_only: bool,
    /// The content on disk.
    pub disk: Option<Vec<u8>>,
    /// Its hash.
    pub disk_id: Option<BlobId>,
    /// The lane's open proposal, if it has one.
    pub proposed: Option<Proposed>,
    /// The hash that the lane saw before.
    seen: Option<BlobId>,
    /// The lines that it saw of the disk as it is now, where others changed it since.
    parts: Vec<Lines>,
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
        let meta = disk.as_ref().map(|_| self.jail.metadata(&path)).transpose()?;
        let names = meta.as_ref().map_or(0, std::os::unix::fs::MetadataExt::nlink);
        let read_only = meta.is_some_and(|meta| meta.permissions().readonly());
        let disk_id = disk.as_deref().map(BlobId::of);
        let proposed = match self.view.overlay.get(&path) {
            None => None,
            Some(after) => {
                let base = self.view.base.get(&path).copied().flatten();
                Some(Proposed { content: self.proposed(&path, *after)?, fresh: base == disk_id })
            }
        };
        let seen = self.view.seen.get(&path).copied();
        let parts = self.view.parts.get(&path).filter(|(of, _)| Some(*of) == disk_id);
        let parts = parts.map(|(_, lines)| lines.clone()).unwrap_or_default();
        if let (Some(id), Some(content)) = (disk_id, &disk) {
            self.lately.remember(id, content);
        }
        Ok(Sight { path, names, read_only, disk, disk_id, proposed, seen, parts })
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

    /// Notes the lines of the disk that a call shows, of `total`: once no line is left that others changed since and
    /// the lane has not seen, it knows the file.
    pub fn note(&self, eyes: LaneView<'_>, lines: Lines, total: usize, outcome: &mut ToolOutcome) {
        let mut known = self.parts.clone();
        known.push(lines);
        match self.disk_id.filter(|_| total > 0 && !self.knows(&known, eyes)) {
            Some(id) => outcome.parts.push((self.path.clone(), id, lines)),
            None => outcome.seen = self.noted(),
        }
    }

    /// Whether nothing of what others changed lies outside of these lines.
    fn knows(&self, known: &[Lines], eyes: LaneView<'_>) -> bool {
        !self.is_foreign()
            || self.foreign(eyes).is_some_and(|h| places(h).iter().all(|at| within(known, *at)))
    }

    /// Whether others changed the file since the lane saw it.
    pub fn is_foreign(&self) -> bool {
        self.seen.is_some() && self.seen != self.disk_id
    }

    /// What others changed since the lane saw the file; `None` where that content is not known any more.
    fn foreign(&self, eyes: LaneView<'_>) -> Option<Vec<Hunk>> {
        let id = self.seen?;
        let was = eyes.blobs.blob(id).or_else(|| eyes.lately.content(id))?;
        Some(diff::hunks(&was, self.disk.as_ref()?))
    }

    /// The refusal of a change to a file that others changed since the lane saw it: which lines, and how they read now, as
    /// far as that is known. What it shows is seen. Only for who may read the file.
    pub fn refused(&self, eyes: LaneView<'_>, why: &str) -> ToolOutcome {
        let Some(told) = self.told(eyes) else { return ToolOutcome::failure(why.to_owned()) };
        let below =
            || format!("{} changed since you read it, as shown below; propose the change anew", self.path);
        let why = if told.all { below() } else { why.to_owned() };
        ToolOutcome { parts: self.shown(&told), ..ToolOutcome::failure(format!("{why}\n{}", told.text)) }
    }

    /// The refusal of an edit that does not fit this text, which is shown with it where it is short, to who may read it. What
    /// is on disk is known from then on.
    pub fn misfit(&self, eyes: LaneView<'_>, content: &[u8], why: String) -> ToolOutcome {
        let lines = diff::lines(content).len();
        let short = content.len() <= SHOWN_BYTES && (1..=SHORT_LINES).contains(&lines);
        let readable =
            Encoding::of(content).is_some() && eyes.view.rules.holds(Act::Read, &self.path).is_none();
        if !short || !readable {
            let Some(told) = self.told(eyes).filter(|_| readable) else { return ToolOutcome::failure(why) };
            let text = format!("{why}\n{}", told.text);
            return ToolOutcome { parts: self.shown(&told), ..ToolOutcome::failure(text) };
        }
        let seen = if self.proposed.is_none() { self.noted() } else { Vec::new() };
        let as_of = if self.proposed.is_none() { "now" } else { "as you proposed it" };
        let listed = self.listed(eyes, content);
        ToolOutcome { seen, ..ToolOutcome::failure(format!("{why}\n{} {as_of}:{listed}", self.path)) }
    }

    /// What others changed since the lane saw the file, as it reads now, as far as there is room: in which places, their
    /// lines, and whether that is all.
    fn told(&self, eyes: LaneView<'_>) -> Option<Told> {
        let text = self.masked(eyes, self.disk.as_deref().unwrap_or_default());
        let lines: Vec<&str> = text.lines().collect();
        // What is no text here has no lines either, and no secret is found in it.
        let is_text = self.disk.as_deref().is_none_or(|disk| unreadable(disk).is_none());
        let changed = places(self.foreign(eyes).filter(|_| is_text).unwrap_or_default());
        let changed: Vec<Lines> = changed.into_iter().filter(|at| !within(&self.parts, *at)).collect();
        let (mut told, mut shown) = (String::new(), Vec::new());
        for at in &changed {
            let text = lines.iter().enumerate().skip(at.start).take(at.len);
            let text = text.fold(String::new(), |text, (n, line)| text + &format!("\n{:>6}  {line}", n + 1));
            if told.len() + text.len() > SHOWN_BYTES {
                told.push_str("\n…");
                break;
            }
            told.push_str(&text);
            shown.push(*at);
        }
        let all = shown.len() == changed.len();
        let named = changed.iter().copied().map(numbered).collect::<Vec<_>>().join(", ");
        let text = format!("others changed lines {named}:{told}");
        (!changed.is_empty()).then_some(Told { text, shown, all })
    }

    /// The lines that were told, as what the lane has seen of the file.
    fn shown(&self, told: &Told) -> Vec<(RelPath, BlobId, Lines)> {
        let part = |at: &Lines| self.disk_id.map(|id| (self.path.clone(), id, *at));
        told.shown.iter().filter_map(part).collect()
    }

    /// What is told with an edit that was taken of a file which others changed since the lane saw it, for what it replaces
    /// stands there but once: how that reads now.
    pub fn foreign_note(&self, eyes: LaneView<'_>) -> ToolOutcome {
        match self.told(eyes) {
            Some(told) => ToolOutcome {
                parts: self.shown(&told),
                text: format!("\n{}", told.text),
                ..ToolOutcome::default()
            },
            None => ToolOutcome::default(),
        }
    }

    /// A text of the file, its lines numbered.
    fn listed(&self, eyes: LaneView<'_>, content: &[u8]) -> String {
        let text = self.masked(eyes, content);
        let lines = text.lines().enumerate();
        lines.fold(String::new(), |text, (n, line)| text + &format!("\n{:>6}  {line}", n + 1))
    }

    /// A text of the file without its secrets.
    fn masked(&self, eyes: LaneView<'_>, content: &[u8]) -> String {
        let text = text_of(content);
        eyes.redactor.mask_file(self.path.as_str(), &text).into_owned()
    }

    /// The content that a change of the lane starts from.
    ///
    /// # Errors
    /// When the file changed on disk since the lane saw it.
    pub fn start(&self) -> Result<Start, String> {
        match &self.proposed {
            _ if self.is_foreign() => Err(self.stale("read it again")),
            None => Ok(Start { content: self.disk.clone(), replaces_stale: false }),
            Some(p) if p.fresh => Ok(Start { content: p.content.clone(), replaces_stale: false }),
            Some(_) if self.seen.is_some() => Ok(Start { content: self.disk.clone(), replaces_stale: true }),
            Some(_) => Err(self.stale("read it again")),
        }
    }

    fn stale(&self, then: &str) -> String {
        format!("{} changed since you read it; {then}, then propose the change anew", self.path)
    }

    /// The content that an edit starts from: also one that others changed since the lane saw it. The edit then finds what it
    /// replaces there but once, or [`Sight::reaches`] says whether it keeps to the lines that it has seen since.
    ///
    /// # Errors
    /// As [`Sight::start`].
    pub fn start_edit(&self) -> Result<Start, String> {
        match self.start() {
            Err(why) if self.is_foreign() => match &self.proposed {
                None => Ok(Start { content: self.disk.clone(), replaces_stale: false }),
                Some(own) if own.fresh => Ok(Start { content: own.content.clone(), replaces_stale: false }),
                Some(_) if !self.parts.is_empty() => {
                    Ok(Start { content: self.disk.clone(), replaces_stale: true })
                }
                // What it proposed before would be lost.
                Some(_) => Err(why),
            },
            start => start,
        }
    }

    /// Whether the lane has seen the lines that an edit of it changes, as they are now.
    ///
    /// # Errors
    /// When others changed the file since it was read, and not those lines alone were read again.
    pub fn reaches(&self, start: &Start, after: &[u8], eyes: LaneView<'_>) -> Result<(), String> {
        let foreign = || !self.knows(&self.parts, eyes);
        let Some(before) = start.content.as_ref().filter(|_| foreign()) else { return Ok(()) };
        if start.content != self.disk {
            // Its own lines stand elsewhere than those on disk.
            return Err(self.stale("read it again"));
        }
        let touched: Vec<Lines> =
            diff::hunks(before, after).iter().flat_map(|h| &h.changes).map(|c| c.old).collect();
        let unseen = |lines: &Lines| !within(&self.parts, *lines);
        if !touched.iter().any(unseen) {
            return Ok(());
        }
        // Which lines others changed is what it does not know; where that is unknown too, those that it changes.
        let foreign = self.foreign(eyes).map(places).unwrap_or_default();
        let named = if foreign.iter().any(unseen) { foreign } else { touched };
        let named = named.into_iter().filter(unseen).map(numbered).collect::<Vec<_>>().join(", ");
        Err(self.stale(&format!("read lines {named} of it again")))
    }

    /// The refusal to overwrite a file that the lane never looked at. A short one is shown, to who may read it, and is
    /// known from then on.
    pub fn overwrites_unread(&self, eyes: LaneView<'_>) -> Option<ToolOutcome> {
        let known = self.seen.is_some() || self.proposed.is_some() || eyes.view.typed;
        let disk = self.disk.as_deref().filter(|disk| !known && !disk.is_empty())?;
        let told = format!("{} exists and you have not read it; nothing was proposed", self.path);
        let short = disk.len() <= SHOWN_BYTES && Encoding::of(disk).is_some();
        if !short || eyes.view.rules.holds(Act::Read, &self.path).is_some() {
            return Some(ToolOutcome::failure(format!("{told}; read it first, or change it by edit")));
        }
        let numbered = self.listed(eyes, disk);
        let text = format!("{told}. This is its content; edit it, or write it again:{numbered}");
        Some(ToolOutcome { seen: self.noted(), ..ToolOutcome::failure(text) })
    }
}

/// Lines as they are numbered for a model.
fn numbered(lines: Lines) -> String {
    format!("{}-{}", lines.start + 1, lines.end().max(lines.start + 1))
}

/// Where hunks stand in the text as it is now.
fn places(hunks: Vec<Hunk>) -> Vec<Lines> {
    hunks.into_iter().flat_map(|h| h.changes).map(|c| c.new).collect()
}

/// Whether these lines, or where none are left the place between two, lie in lines that are known.
fn within(known: &[Lines], lines: Lines) -> bool {
    let knows = |n: usize| known.iter().any(|k| (k.start..k.end()).contains(&n));
    match lines.len {
        // Of lines that went it is known where.
        0 => known.contains(&lines) || knows(lines.start) || lines.start.checked_sub(1).is_some_and(knows),
        _ => (lines.start..lines.end()).all(knows),
    }
}

#[cfg(test)]
mod tests;
