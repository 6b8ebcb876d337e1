//! Which message, step, call, approval and gate brought a line of a file.
//!
//! Owns the way back from a file as it is through what the sessions of its workspace wrote. Reads logs and contents only.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use pilothouse_core::{
    blob::BlobId,
    diff,
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
    #[serde(skip)]
    before: Content,
    #[serde(skip)]
    after: Content,
    #[serde(skip)]
    store: PathBuf,
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
    let (mut writes, mut gaps, mut any) = (Vec::new(), Vec::new(), false);
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
                Err(e) => gaps.push(format!("session {}: {e}", place.slug)),
            }
        }
    }
    if !any {
        return Err(refuse("no session worked in a folder that holds it".to_owned()));
    }
    writes.sort_by_key(|write| write.at);
    let (from, writes) = trace(&text, writes, &mut gaps);
    let lines = diff::lines(&text);
    let shown =
        lines.iter().map(|line| String::from_utf8_lossy(line).trim_end_matches(['\n', '\r']).to_owned());
    Ok(Blame { lines: shown.zip(from).collect(), writes, gaps })
}

/// Goes back through the writes from a text as it is; gives where each line comes from, and the writes as they were met.
fn trace(text: &[u8], writes: Vec<Wrote>, gaps: &mut Vec<String>) -> (Vec<From>, Vec<Wrote>) {
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
        back(&before, &after, &mut at, &mut from, From::Write(met.len()));
        met.push(write);
        now = before;
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
    let kept = diff::kept(&diff::lines(older), &diff::lines(newer));
    for (at, from) in at.iter_mut().zip(from) {
        let Some(place) = *at else { continue };
        *at = kept.get(place).copied().flatten();
        if at.is_none() {
            *from = whom;
        }
    }
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
        let (before, after, proposal) = if let Some(command) = &apply.command {
            let record: Record = serde_json::from_slice(&blobs.get(command.record)?).ok()?;
            let change = record.changes.into_iter().find(|c| c.root == 0 && c.path == *path)?;
            (Content::at(&change.before), Content::at(&change.after), None)
        } else {
            let file = files.iter().find(|f| f.path == *path)?;
            (Content::of(file.before), Content::of(file.after), Some(file.proposal))
        };
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
            before,
            after,
            store: place.folder.clone(),
        })
    };
    Ok(state.writes().filter_map(write).collect())
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
#[allow(clippy::unwrap_used)]
mod tests {
    use pilothouse_core::blob::Blob;

    use super::*;
    use crate::disk::RealDisk;

    /// A write from one text to another.
    fn write(store: &Path, at: u64, before: &str, after: &str) -> Wrote {
        let blobs = Blobs::under(store);
        let keep = |text: &str| {
            let blob = Blob::new(text.as_bytes().to_vec());
            blobs.put(&RealDisk, &blob).unwrap();
            Content::Is(blob.id())
        };
        let (before, after) = (keep(before), keep(after));
        let (session, goal, message) = (at.to_string(), String::new(), String::new());
        Wrote {
            session,
            apply: ApplyId(at),
            at: Millis(at),
            goal,
            message,
            step: None,
            call: None,
            command: None,
            model: None,
            approval: None,
            by: None,
            gates: Vec::new(),
            before,
            after,
            store: store.to_owned(),
        }
    }

    #[test]
    fn a_line_comes_from_the_write_that_brought_it_whoever_wrote_in_between() {
        let store = tempfile::tempdir().unwrap();
        let first = write(store.path(), 1, "a\nb\n", "a\nB\nb\n");
        let second = write(store.path(), 2, "a\nB\nb\nhand\n", "a\nB\nb\nhand\nC\n");
        let (from, met) = trace(b"mine\na\nB\nb\nhand\nC\n", vec![first, second], &mut Vec::new());
        let by = |n: usize| met.get(n).map(|w| w.apply.0);
        let told: Vec<_> = from
            .iter()
            .map(|from| match from {
                From::Before => "before".to_owned(),
                From::Others => "others".to_owned(),
                From::Write(n) => format!("{:?}", by(*n)),
            })
            .collect();
        assert_eq!(told, ["others", "before", "Some(1)", "before", "others", "Some(2)"]);
    }

    #[test]
    fn what_stands_there_tells_the_order_not_the_clock() {
        let store = tempfile::tempdir().unwrap();
        // The clock went back between the two.
        let first = write(store.path(), 9, "a\n", "a\nb\n");
        let second = write(store.path(), 3, "a\nb\n", "a\nb\nc\n");
        let (from, met) = trace(b"a\nb\nc\n", vec![second, first], &mut Vec::new());
        assert_eq!(met.iter().map(|w| w.apply.0).collect::<Vec<_>>(), [3, 9]);
        assert_eq!(from, [From::Before, From::Write(1), From::Write(0)]);
    }

    #[test]
    fn a_content_that_is_lost_hides_no_other_write() {
        let store = tempfile::tempdir().unwrap();
        let kept = write(store.path(), 1, "a\n", "a\nb\n");
        let gone = Wrote {
            after: Content::Is(BlobId::of(b"gone")),
            ..write(store.path(), 2, "a\nb\n", "a\nb\nc\n")
        };
        let mut gaps = Vec::new();
        let (from, _) = trace(b"a\nb\nc\n", vec![kept, gone], &mut gaps);
        assert_eq!(from, [From::Before, From::Write(0), From::Others]);
        assert_eq!(gaps, ["apply-2 of session 2: its contents are not kept"]);
    }

    #[test]
    fn what_was_put_back_by_hand_brought_no_line() {
        let store = tempfile::tempdir().unwrap();
        let first = write(store.path(), 1, "one\ntwo\nthree\n", "one\ntwo\nTHREE\n");
        let second = write(store.path(), 2, "one\ntwo\nTHREE\n", "one\nTWO\nTHREE\n");
        let third = write(store.path(), 3, "one\nTWO\nTHREE\n", "THREE\n");
        let (from, met) = trace(b"one\ntwo\nTHREE\n", vec![first, second, third], &mut Vec::new());
        assert_eq!(from, [From::Before, From::Before, From::Write(0)]);
        assert_eq!(met.iter().map(|w| w.apply.0).collect::<Vec<_>>(), [1]);
    }
}
