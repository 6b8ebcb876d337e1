//! Which message, step, call, approval and gate brought a line of a file.
//!
//! Owns the way back from a file as it is through what the sessions of its workspace wrote, under every name that a write of
//! theirs took it to. Reads logs and contents only.

use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    path::{Path, PathBuf},
};

use pilothouse_core::{
    blob::BlobId,
    diff,
    encoding::text_of,
    event::{Event, FileChange, Stamped},
    ids::{ApplyId, ApprovalId, CallId, GateId, Millis, ProposalId, RunId, TaskId, TurnId},
    relpath::RelPath,
    session::{Origin, Session},
};
use pilothouse_tools::{
    regular,
    snapshot::{Record, Thing},
};
use serde::Serialize;

use crate::{
    blobs::Blobs,
    error::{RuntimeError, cause},
    home::Home,
    sessions::{self, Place},
};

/// A longer file is not gone through, in bytes.
const MOST: u64 = 2 << 20;

/// A write of a file, and how it came about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Wrote {
    /// The session.
    pub session: String,
    /// The write.
    pub apply: ApplyId,
    /// When it began, in milliseconds since the Unix epoch.
    pub at: Millis,
    /// The beginning of the message that began the work.
    pub goal: String,
    /// The beginning of the message that it serves.
    pub message: String,
    /// The plan's step.
    pub step: Option<String>,
    /// The call that proposed it, or the command that wrote it.
    pub call: Option<CallId>,
    /// The command, where it was one.
    pub command: Option<String>,
    /// The model that made the call.
    pub model: Option<String>,
    /// The approval.
    pub approval: Option<ApprovalId>,
    /// Who gave it: `user`, or a rule.
    pub by: Option<String>,
    /// The gates that ran after it in its run, as they ended last.
    pub gates: Vec<GateEnd>,
    /// What the file was called then, where that is not what it is called now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    #[serde(skip)]
    path: RelPath,
    /// The file to which this write gave the name.
    #[serde(skip)]
    renames: Option<PathBuf>,
    #[serde(skip)]
    before: Content,
    #[serde(skip)]
    after: Content,
    #[serde(skip)]
    store: PathBuf,
}

impl Wrote {
    /// Whether it came before another; of two sessions the clock says it.
    fn is_before(&self, other: &Self) -> bool {
        if self.session == other.session { self.apply < other.apply } else { self.at <= other.at }
    }
}

/// A gate that ran after a write.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GateEnd {
    /// Its line.
    pub command: String,
    /// Whether it was green.
    pub passed: bool,
}

/// Where a line comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum From {
    /// It stood there before anything that is known here was written.
    Before,
    /// Somebody else wrote it since.
    Others,
    /// This write, by its place.
    Write(usize),
}

/// A file with where its lines come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blame {
    /// Its lines, without their ends.
    pub lines: Vec<(String, From)>,
    /// The writes of it, the newest first.
    pub writes: Vec<Wrote>,
    /// What of its history could not be read, a sentence each.
    pub gaps: Vec<String>,
}

/// Says where the lines of a file come from.
///
/// # Errors
/// When the file cannot be read or lies in no folder in which a session worked.
pub fn blame(home: &Home, file: &Path) -> Result<Blame, RuntimeError> {
    let refuse = |why: String| RuntimeError::Setting { what: file.display().to_string(), message: why };
    let read = |e: std::io::Error| refuse(format!("it cannot be read: {}", cause(&e)));
    let real = file.canonicalize().map_err(read)?;
    let text = regular::read(&real, MOST).map_err(read)?;
    let mut gaps = BTreeSet::new();
    let Some(writes) = writes_of(home, &real, &mut gaps) else {
        return Err(refuse("no session has worked in a folder that contains it".to_owned()));
    };
    let mut earlier = Vec::new();
    let (from, writes) = trace(&text, writes, &mut earlier, |name| {
        let mut found = writes_of(home, name, &mut gaps).unwrap_or_default();
        for write in &mut found {
            write.file = Some(write.path.to_string());
        }
        found
    });
    let mut gaps: Vec<String> = gaps.into_iter().collect();
    gaps.append(&mut earlier);
    let text = text_of(&text);
    let shown = text.lines().map(|line| line.trim_end_matches('\r').to_owned());
    Ok(Blame { lines: shown.zip(from).collect(), writes, gaps })
}

/// What sessions wrote of the file with this real path, the oldest first; `None` where none worked in a folder around it.
fn writes_of(home: &Home, real: &Path, gaps: &mut BTreeSet<String>) -> Option<Vec<Wrote>> {
    let (mut writes, mut any) = (Vec::new(), false);
    // A session may have worked in any folder around it.
    for workspace in real.ancestors().skip(1) {
        let mut places = sessions::of(home, workspace);
        let below = real.strip_prefix(workspace).ok().and_then(Path::to_str);
        let Some(path) = below.and_then(|below| RelPath::new(below).ok()).filter(|_| !places.is_empty())
        else {
            continue;
        };
        any = true;
        let order = sessions::order(home, workspace);
        places.sort_by_key(|place| (order.get(&place.slug).copied(), place.created));
        for place in places {
            match wrote(&place, &path) {
                Ok(found) => writes.extend(found),
                Err(e) => drop(gaps.insert(format!("session {}: {e}", place.slug))),
            }
        }
    }
    writes.sort_by_key(|write: &Wrote| write.at);
    any.then_some(writes)
}

/// Goes back through the writes from a text as it is, and on through those of what the file was called before, which
/// `named` gives; gives where each line comes from, and the writes as they were met.
fn trace(
    text: &[u8],
    writes: Vec<Wrote>,
    gaps: &mut Vec<String>,
    mut named: impl FnMut(&Path) -> Vec<Wrote>,
) -> (Vec<From>, Vec<Wrote>) {
    let mut now = text.to_vec();
    let mut at: Vec<Option<usize>> = (0..diff::lines(text).len()).map(Some).collect();
    let mut from = vec![From::Before; at.len()];
    let mut met = Vec::new();
    // Each with whether it is part of how the text came to be, as far as that is known.
    let mut left: Vec<(Wrote, bool)> = writes.into_iter().map(|write| (write, true)).collect();
    loop {
        // What stands there tells which was last; the clock only where others wrote as well.
        let id = BlobId::of(&now);
        let known = left.iter().rposition(|(write, _)| write.after == Content::Is(id));
        let Some(next) = known.or_else(|| left.iter().rposition(|(_, counts)| *counts)) else { break };
        let (write, _) = left.remove(next);
        if known.is_some() {
            // What came later was undone by hand, unless it turns out to lead there.
            left.iter_mut().skip(next).for_each(|(_, counts)| *counts = false);
        }
        let blobs = Blobs::under(&write.store);
        let content = |content: Content| match content {
            Content::Nothing => Some(Vec::new()),
            Content::Is(id) => blobs.get(id),
            Content::Unkept => None,
        };
        let Some((before, after)) = content(write.before).zip(content(write.after)) else {
            gaps.push(format!("{} of session {}: its contents are not kept", write.apply, write.session));
            continue;
        };
        back(&after, &now, &mut at, &mut from, From::Others);
        if let Some(name) = &write.renames {
            // The text came with the file, which is gone on with under its older name.
            now = after;
            let older =
                named(name).into_iter().filter(|older| older.is_before(&write) && !met.contains(older));
            left = older.map(|older| (older, true)).collect();
        } else {
            back(&before, &after, &mut at, &mut from, From::Write(met.len()));
            now = before;
        }
        met.push(write);
    }
    (from, met)
}

/// What stood at a path before or after a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Content {
    /// No file.
    Nothing,
    /// A file with this content.
    Is(BlobId),
    /// Something that is not kept.
    Unkept,
}

impl Content {
    fn of(id: Option<BlobId>) -> Self {
        id.map_or(Self::Nothing, Self::Is)
    }

    fn at(thing: &Thing) -> Self {
        match thing {
            Thing::Nothing | Thing::Folder(_) => Self::Nothing,
            Thing::File(id, _) => Self::Is(*id),
            Thing::Unkept(..) | Thing::Link(_) => Self::Unkept,
        }
    }
}

/// Goes one version back: what is not in the older one comes from `whom`.
fn back(older: &[u8], newer: &[u8], at: &mut [Option<usize>], from: &mut [From], whom: From) {
    if older == newer {
        return;
    }
    let kept = kept(&diff::lines(older), &diff::lines(newer));
    for (at, from) in at.iter_mut().zip(from) {
        let Some(place) = *at else { continue };
        *at = kept.get(place).copied().flatten();
        if at.is_none() {
            *from = whom;
        }
    }
}

/// For each line of `new` the place of the line of `old` that it is, if it is one. A line that the other text does not have
/// anywhere is none, and is not compared: where every tenth line of many was changed, the rest is one run.
fn kept(old: &[&[u8]], new: &[&[u8]]) -> Vec<Option<usize>> {
    let shared = |of: &[&[u8]], other: &[&[u8]]| -> Vec<usize> {
        let known: HashSet<&[u8]> = other.iter().copied().collect();
        of.iter().enumerate().filter(|(_, line)| known.contains(*line)).map(|(at, _)| at).collect()
    };
    let (old_at, new_at) = (shared(old, new), shared(new, old));
    let old_lines: Vec<&[u8]> = old_at.iter().filter_map(|at| old.get(*at).copied()).collect();
    let new_lines: Vec<&[u8]> = new_at.iter().filter_map(|at| new.get(*at).copied()).collect();
    let mut all = vec![None; new.len()];
    for (at, of) in new_at.into_iter().zip(diff::kept(&old_lines, &new_lines)) {
        if let Some(place) = all.get_mut(at) {
            *place = of.and_then(|of| old_at.get(of).copied());
        }
    }
    all
}

/// What a session wrote of a file and did not take back, the oldest first.
fn wrote(place: &Place, path: &RelPath) -> Result<Vec<Wrote>, RuntimeError> {
    if sessions::summary(place).is_ok_and(|summary| summary.applied == 0) {
        return Ok(Vec::new());
    }
    let (mut session, mut told) = (Session::new(), Told::default());
    sessions::events(place, |event| {
        told.take_in(&event);
        session.apply(&event);
    })?;
    let (state, blobs) = (session.state(), Blobs::under(&place.folder));
    let head = |turn: TurnId| state.turns.get(&turn).map(|t| t.head.clone()).unwrap_or_default();
    let write = |(id, origin, files): (ApplyId, Origin, &[FileChange])| {
        let apply = state.applies().get(&id)?;
        let states: Vec<Changed<'_>>;
        let record: Record;
        let mut proposal = None;
        if let Some(command) = &apply.command {
            record = serde_json::from_slice(&blobs.get(command.record)?).ok()?;
            let own = record.changes.iter().filter(|c| c.root == 0);
            states = own.map(|c| (&c.path, Content::at(&c.before), Content::at(&c.after))).collect();
        } else {
            proposal = files.iter().find(|f| f.path == *path).map(|f| f.proposal);
            states = files.iter().map(|f| (&f.path, Content::of(f.before), Content::of(f.after))).collect();
        }
        let (_, before, after) = *states.iter().find(|(of, ..)| *of == path)?;
        let renames = renamed(&states, path, after).map(|name| place.workspace.join(name.as_str()));
        let (made, step) = proposal.and_then(|id| told.proposed.get(&id)).copied().unzip();
        let call = apply.command.as_ref().map(|c| c.call).or(made);
        let approved = told.approved.get(&id);
        Some(Wrote {
            session: place.slug.clone(),
            apply: id,
            at: origin.at,
            goal: head(origin.work),
            message: head(origin.turn),
            step: step.flatten().and_then(|task| told.steps.get(&task).cloned()),
            call,
            command: apply.command.as_ref().map(|c| c.line.clone()),
            model: call.and_then(|call| told.models.get(&call).cloned()),
            approval: approved.map(|(approval, _)| *approval),
            by: approved.map(|(_, by)| by.clone()),
            gates: told.gates_after(id, origin.run),
            file: None,
            path: path.clone(),
            renames,
            before,
            after,
            store: place.folder.clone(),
        })
    };
    Ok(state.writes().filter_map(write).collect())
}

/// A file of a write, and what stood there before and after.
type Changed<'a> = (&'a RelPath, Content, Content);

/// What the file at a path was called before a write that put a content there: the one that had this content until then and has
/// it no more, one of the same name first.
fn renamed<'a>(states: &[Changed<'a>], path: &RelPath, after: Content) -> Option<&'a RelPath> {
    let name = |path: &RelPath| path.as_str().rsplit('/').next().map(str::to_owned);
    let was = |(of, before, now): &&Changed<'_>| *of != path && *before == after && *now != after;
    let is_content = matches!(after, Content::Is(_));
    let went = states.iter().filter(|_| is_content).filter(was).map(|(of, ..)| *of);
    went.min_by_key(|of| name(of) != name(path))
}

/// What a log tells of how writes came about.
#[derive(Default)]
struct Told {
    steps: BTreeMap<TaskId, String>,
    models: BTreeMap<CallId, String>,
    proposed: BTreeMap<ProposalId, (CallId, Option<TaskId>)>,
    approved: BTreeMap<ApplyId, (ApprovalId, String)>,
    /// Where each write stands among the ends of gates.
    written: BTreeMap<ApplyId, usize>,
    gates: Vec<(Option<RunId>, GateId, GateEnd)>,
}

impl Told {
    #[expect(clippy::wildcard_enum_match_arm, reason = "most events bring no line")]
    fn take_in(&mut self, event: &Stamped) {
        match &event.event {
            Event::PlanReady { plan } => {
                self.steps.extend(plan.tasks.iter().map(|task| (task.id, task.title.clone())));
            }
            Event::TaskAdded { task } => drop(self.steps.insert(task.id, task.title.clone())),
            Event::MessageCompleted { calls, model, .. } => {
                self.models.extend(calls.iter().map(|call| (call.call, model.clone())));
            }
            Event::Proposed { proposal, .. } => {
                self.proposed.insert(proposal.id, (proposal.call, proposal.task));
            }
            Event::ApplyApproved { apply, approval, by, .. } => {
                self.approved.insert(*apply, (*approval, by.clone()));
            }
            Event::Applied { apply } | Event::CommandWrote { apply, .. } => {
                self.written.insert(*apply, self.gates.len());
            }
            Event::GatePassed { gate, proof, .. } => self.ended(event.run, *gate, &proof.command, true),
            Event::GateFailed { gate, proof, .. } => self.ended(event.run, *gate, &proof.command, false),
            _ => {}
        }
    }

    fn ended(&mut self, run: Option<RunId>, gate: GateId, command: &str, passed: bool) {
        self.gates.push((run, gate, GateEnd { command: command.to_owned(), passed }));
    }

    /// The gates that ended after a write in its run, each as it ended last.
    fn gates_after(&self, apply: ApplyId, run: Option<RunId>) -> Vec<GateEnd> {
        let from = self.written.get(&apply).copied().unwrap_or(self.gates.len());
        let after = self.gates.get(from..).unwrap_or_default();
        let mine = after.iter().filter(|(of, ..)| run.is_some() && *of == run);
        let last: BTreeMap<GateId, &GateEnd> = mine.map(|(_, gate, end)| (*gate, end)).collect();
        last.into_values().cloned().collect()
    }
}

#[cfg(test)]
mod tests;
