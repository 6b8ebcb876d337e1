//! The transcript: what a model is told of a session, one append-only list in the order in which it
//! happened.
//!
//! Owns what belongs to it, and which part of it a lane sees: the main line goes on from lane to lane,
//! what runs beside it forks and leaves a report. Names places in the log only; never holds a text,
//! and never words one.

mod entry;
mod line;

pub use entry::{Entry, Summary, What};

use line::Line;

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    blob::BlobId,
    checkpoint::CheckpointKind,
    compaction::Mark,
    event::{Event, RunStatus},
    ids::{CallId, CheckpointId, LaneId, ProposalId, Seq, TaskId, TurnId},
    intent::{Control, Phase},
    lane::LaneKind,
    proposal::moved,
};

/// A summary takes the place of at least this many entries.
const LEAST_DROPPED: usize = 2;

/// Everything that was said, done and decided, for the model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Transcript {
    entries: Vec<Entry>,
    lanes: BTreeMap<LaneId, Line>,
    /// Where the text of a turn stands that no lane has taken up yet.
    heard: BTreeMap<TurnId, Seq>,
    /// The turn whose message was told last.
    told: Option<TurnId>,
    /// What was said to a run since the last request of a line: the reply under way cannot know of it.
    waiting: Vec<Entry>,
    /// Calls that the workbench made and no reply asks for.
    made: BTreeSet<CallId>,
    /// Open questions whose answers are told, by where they were asked.
    asked: BTreeMap<CheckpointId, Seq>,
    /// Proposals to which the user gave another content.
    edited: BTreeSet<ProposalId>,
    /// What the user said about hunks.
    comments: BTreeMap<(ProposalId, usize), String>,
    /// What proposals start from, to tell an edit of the user from a proposal carried over.
    bases: BTreeMap<ProposalId, Option<BlobId>>,
    /// Where the active plan was told.
    plan: Option<Seq>,
    /// Where that was told of which it was last said that it is approved.
    approved: Option<Seq>,
    /// Summaries of what is told no more, oldest first; the entries stay.
    summaries: Vec<Summary>,
    /// What the user pinned or dropped.
    marks: BTreeMap<Seq, Mark>,
    /// Replies that broke off by themselves: nobody stopped them.
    broken: BTreeSet<Seq>,
    /// The last reply that was cut short, by its call.
    cut_short: Option<(CallId, Seq)>,
    /// Whether the last planning ended without a word of its own.
    unplanned: bool,
    /// Where steps were added to a plan.
    added: Vec<Seq>,
}

impl Transcript {
    /// Everything, oldest first.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// What a lane's model is told, oldest first. What was summed up is left out but for the user's
    /// messages and what is pinned; the summary follows these.
    pub fn of(&self, lane: LaneId) -> impl Iterator<Item = &Entry> {
        let line = self.line(lane);
        let fork = line.first().map(|(_, from)| *from);
        let apart = line.first().and_then(|(lane, _)| self.lanes.get(lane)?.apart);
        let summary = self.summaries.iter().rfind(|s| fork.is_none_or(|from| s.from <= from));
        let waiting = self.waiting(lane);
        let told = self.told(summary, move |at, entry| {
            // What came after a line forked off is not seen by those that forked off it.
            let of = line.iter().position(|(lane, _)| entry.lane == Some(*lane));
            let (seen, next) =
                of.map_or((self.is_trunk(entry), fork), |n| (true, line.get(n + 1).map(|l| l.1)));
            seen && next.is_none_or(|from| at < from) && (entry.lane.is_none() || entry.lane != apart)
        });
        told.chain(waiting)
    }

    /// What was said to a run since the last request of a lane's line, which its next one tells.
    fn waiting(&self, lane: LaneId) -> impl Iterator<Item = &Entry> {
        let line = self.is_beside(lane).then_some(lane);
        self.waiting.iter().filter(move |entry| entry.lane == line)
    }

    /// The lines beside the main one through which a lane forked off it, with where each began, the outermost
    /// first; empty where it is the main line.
    fn line(&self, lane: LaneId) -> Vec<(LaneId, usize)> {
        let mut line = Vec::new();
        let mut next = Some(lane);
        while let Some((lane, l)) = next.and_then(|id| Some((id, self.lanes.get(&id).filter(|l| l.beside)?)))
        {
            line.insert(0, (lane, l.from));
            next = l.kind.parent().filter(|parent| *parent < lane);
        }
        line
    }

    /// What the main line is told.
    pub fn trunk(&self) -> impl Iterator<Item = &Entry> {
        self.told(self.summaries.last(), |_, entry| self.is_trunk(entry))
    }

    /// What a summary up to this event is made from; `again` passes over the last summary, however often
    /// it was made.
    pub fn to_sum_up(&self, upto: Seq, again: bool) -> impl Iterator<Item = &Entry> {
        let last = self.summaries.last().map_or(0, |s| s.cut);
        let base = self.summaries.iter().rfind(|s| !again || s.cut < last);
        let cut = self.cut(upto);
        self.told(base, move |at, entry| at < cut && self.is_trunk(entry))
    }

    /// The last summary.
    pub fn summary(&self) -> Option<&Summary> {
        self.summaries.last()
    }

    /// The last event that a summary made now would take in: what came before the newest reply. `None`
    /// where that is too little.
    pub fn compactable(&self) -> Option<Seq> {
        let done = self.summaries.last().map_or(0, |s| s.cut);
        let newest = self.entries.iter().rposition(|e| e.what == What::Reply && self.is_trunk(e))?;
        let old = self.entries.get(done..newest)?;
        let dropped = |e: &&Entry| self.is_trunk(e) && !matches!(e.what, What::User(_));
        let upto = self.entries.get(newest).map(|e| Seq(e.seq.0.saturating_sub(1)))?;
        (old.iter().filter(dropped).count() >= LEAST_DROPPED).then_some(upto)
    }

    /// What the user wants of an entry.
    pub fn mark(&self, entry: Seq) -> Option<Mark> {
        self.marks.get(&entry).copied()
    }

    /// The entries of which `sees` is true, after a summary.
    fn told<'a>(
        &'a self,
        summary: Option<&'a Summary>,
        sees: impl Fn(usize, &Entry) -> bool + 'a,
    ) -> impl Iterator<Item = &'a Entry> {
        let cut = summary.map_or(0, |s| s.cut);
        let pinned = |e: &Entry| self.marks.get(&e.seq) == Some(&Mark::Pinned);
        let stays = move |e: &Entry| matches!(e.what, What::User(_)) || pinned(e);
        let seen = self.entries.iter().enumerate().filter(move |(at, e)| sees(*at, e)).collect::<Vec<_>>();
        let (old, new): (Vec<_>, Vec<_>) = seen.into_iter().partition(|(at, _)| *at < cut);
        let old = old.into_iter().map(|(_, e)| e).filter(move |e| stays(e));
        old.chain(summary.map(|s| &s.entry)).chain(new.into_iter().map(|(_, e)| e))
    }

    fn is_trunk(&self, entry: &Entry) -> bool {
        !entry.lane.is_some_and(|l| self.is_beside(l))
    }

    /// The first entry behind an event. What is told late by an old event, a message or a report, moves
    /// no boundary.
    fn cut(&self, upto: Seq) -> usize {
        let late = |e: &Entry| matches!(e.what, What::User(_) | What::Report(_));
        let behind = |e: &Entry| e.seq > upto && !late(e);
        self.entries.iter().position(behind).unwrap_or(self.entries.len())
    }

    /// Whether a lane runs beside the main line.
    pub fn is_beside(&self, lane: LaneId) -> bool {
        self.lanes.get(&lane).is_some_and(|l| l.beside)
    }

    /// Whether the user gave a proposal another content.
    pub fn was_edited(&self, proposal: ProposalId) -> bool {
        self.edited.contains(&proposal)
    }

    /// What the user said about a hunk of a proposal.
    pub fn comment(&self, proposal: ProposalId, hunk: usize) -> Option<&str> {
        self.comments.get(&(proposal, hunk)).map(String::as_str)
    }

    /// Whether the user said something about a proposal.
    pub fn is_commented(&self, proposal: ProposalId) -> bool {
        self.comments.keys().any(|(id, _)| *id == proposal)
    }

    /// Folds what happened; `phase` is the phase before it.
    #[expect(clippy::wildcard_enum_match_arm, reason = "most events tell a model nothing")]
    #[expect(clippy::too_many_lines, reason = "one event after the other")]
    pub(super) fn fold(&mut self, seq: Seq, event: &Event, phase: Phase) {
        match event {
            Event::TurnStarted { turn, .. } => drop(self.heard.insert(*turn, seq)),
            Event::LaneOpened { lane, kind, turn, .. } => self.opened(*lane, *kind, *turn),
            Event::LaneClosed { lane } => self.closed(*lane, Some((seq, phase))),
            Event::ChildStarted { lane, .. } => self.push(seq, Some(*lane), What::Handed),
            Event::TurnTold { turn, run_of } => {
                if let Some(said) = self.heard.get(turn).copied() {
                    // An answer beside the main line that was let write is the run itself.
                    let of = |l: &Line| l.open && l.beside && l.kind == LaneKind::Answer && l.turn == *run_of;
                    let answer = self.lanes.iter().filter(|(_, l)| of(l)).map(|(lane, _)| *lane);
                    let beside = self.steps_beside().chain(answer);
                    let lines = std::iter::once(None).chain(beside.map(Some));
                    let entry = |lane| Entry { seq: said, lane, what: What::User(*turn) };
                    let waiting: Vec<Entry> = lines.map(entry).collect();
                    self.waiting.extend(waiting);
                }
            }
            Event::ThinkingStarted { lane, .. } => {
                let begins = self.begins(*lane);
                self.deliver(*lane);
                self.take_up(*lane, begins);
                self.owes(*lane, true);
            }
            Event::MessageCompleted { lane, call, intermediate, cut, .. } => {
                if let Some(line) = self.lanes.get_mut(lane).filter(|_| !*intermediate) {
                    line.last = Some(seq);
                    line.owes = false;
                }
                self.cut_short = cut.then_some((*call, seq));
                // What stages hand each other is no part of the conversation: their answer is.
                if !*intermediate || self.kind(*lane) != Some(LaneKind::Pipeline) {
                    self.push(seq, Some(*lane), What::Reply);
                }
            }
            Event::CallMade { call, lane, .. } => {
                self.made.insert(*call);
                self.take_up(*lane, self.begins(*lane));
            }
            Event::AnswerChecked { lane, marks, .. } if !marks.is_empty() => {
                self.push(seq, Some(*lane), What::Record);
            }
            Event::FactsAnswered { turn, text, .. } if !text.is_empty() => {
                if let Some(said) = self.heard.get(turn).copied() {
                    self.push(said, None, What::User(*turn));
                    self.told = Some(*turn);
                }
                self.push(seq, None, What::Record);
            }
            Event::InstructionsTold { lane, .. } => self.push(seq, Some(*lane), What::Record),
            Event::CommitEnded { made: Some(_), .. } => self.tell(seq, What::Record),
            Event::LaneNudged { lane, .. } => self.push(seq, Some(*lane), What::Nudge),
            Event::ControlGiven { control: Control::Redo | Control::Proceed } if phase == Phase::Idle => {
                self.push(seq, None, What::Record);
            }
            Event::CallEnded { call, lane, .. } => self.call_ended(seq, *call, *lane),
            Event::CheckpointOpened { checkpoint } => {
                if let CheckpointKind::Failure(failure) = &checkpoint.kind
                    && failure.gate.is_none()
                    && failure.task.is_none()
                {
                    self.push(seq, None, What::Record);
                }
                if matches!(
                    checkpoint.kind,
                    CheckpointKind::Confirmation(_)
                        | CheckpointKind::Failure(_)
                        | CheckpointKind::Interruption(_)
                        | CheckpointKind::Remember(_)
                ) {
                    self.asked.insert(checkpoint.id, seq);
                }
            }
            Event::CheckpointResolved { checkpoint, answer, .. } => {
                if let Some(opened) = self.asked.remove(checkpoint).filter(|_| answer.is_some()) {
                    self.push(seq, None, What::Answer(opened));
                }
            }
            Event::SessionReopened { .. } => self.left(seq),
            Event::SessionForked { .. } => {
                self.left(seq);
                (self.plan, self.cut_short, self.unplanned) = (None, None, false);
                self.added.clear();
                self.waiting.clear();
            }
            Event::Compacted { upto, .. } => {
                let entry = Entry { seq, lane: None, what: What::Summary };
                let (cut, from) = (self.cut(*upto), self.entries.len());
                self.summaries.push(Summary { entry, upto: *upto, cut, from });
            }
            Event::ContextMarked { entry, mark } => match mark {
                Some(mark) => drop(self.marks.insert(*entry, *mark)),
                None => drop(self.marks.remove(entry)),
            },
            Event::ControlGiven { control: Control::Reset } => {
                self.entries.clear();
                self.summaries.clear();
                self.marks.clear();
                self.waiting.clear();
                self.broken.clear();
                self.told = None;
                self.lanes.values_mut().for_each(|l| (l.from, l.last) = (0, None));
            }
            _ => self.record(seq, event, phase),
        }
    }

    /// Whatever was open ends with the process that did it.
    fn left(&mut self, seq: Seq) {
        let open: Vec<LaneId> = self.lanes.iter().filter(|(_, l)| l.open).map(|(id, _)| *id).collect();
        for lane in open {
            self.closed(lane, None);
        }
        self.asked.clear();
        self.push(seq, None, What::Record);
    }

    /// Folds what is told in a record of its own.
    #[expect(clippy::wildcard_enum_match_arm, reason = "most events tell a model nothing")]
    #[expect(clippy::too_many_lines, reason = "one event after the other")]
    fn record(&mut self, seq: Seq, event: &Event, phase: Phase) {
        let told = match event {
            Event::Proposed { proposal, .. } => {
                self.bases.insert(proposal.id, proposal.before);
                false
            }
            Event::ProposalEdited { proposal, .. } => {
                // One that is carried over to a changed file starts from another content.
                self.comments.retain(|(id, _), _| *id != proposal.id);
                if self.bases.insert(proposal.id, proposal.before) == Some(proposal.before) {
                    self.edited.insert(proposal.id);
                }
                false
            }
            Event::HunkDecided { proposal, hunk, comment: Some(text), .. } => {
                self.commented(*proposal, *hunk, text.trim());
                false
            }
            Event::HunkSplit { proposal, hunk, parts } => {
                self.split(*proposal, *hunk, parts.len());
                false
            }
            Event::PlanReady { .. } => {
                let planning = self.lanes.values().any(|l| l.open && l.kind == LaneKind::Planning);
                self.plan = Some(seq);
                !planning || phase == Phase::AwaitingApproval
            }
            Event::PlanShelved { .. } => self.plan.take().is_some() && phase != Phase::Executing,
            // A run that begins again, or has no plan of its own, approves nothing.
            Event::RunStarted { .. } => {
                self.plan.is_some() && std::mem::replace(&mut self.approved, self.plan) != self.plan
            }
            Event::RunCompleted { status: RunStatus::Completed, goal: Some(_), files, .. } => {
                !files.is_empty()
            }
            Event::RunCompleted { .. } => true,
            Event::ThinkingFailed { lane, call, fault } => {
                let stopped = fault.kind == crate::talk::FaultKind::Cancelled;
                let broke = self.cut_short.take().filter(|(of, _)| of == call && !stopped);
                self.broken.extend(broke.map(|(_, reply)| reply));
                self.owes(*lane, stopped);
                self.answers(*lane) && fault.kind != crate::talk::FaultKind::Cancelled
            }
            Event::PhaseChanged { from: Phase::Planning, to: Phase::Idle } => {
                std::mem::take(&mut self.unplanned)
            }
            Event::TaskAdded { .. } => {
                self.added.push(seq);
                false
            }
            Event::TaskStarted { lane, .. } => self.step(seq, Some(*lane)),
            Event::TaskCompleted { task, .. } if self.was_beside(*task) => self.step(seq, None),
            Event::TaskFailed { .. }
            | Event::TaskSkipped { .. }
            | Event::TaskFreed { .. }
            | Event::FilesUntouched { .. }
            | Event::RepairStarted { .. }
            | Event::GatePassed { .. }
            | Event::GateFailed { .. }
            | Event::GateWentStale { .. }
            | Event::GateHolds { .. }
            | Event::GateChanged { .. }
            | Event::GateReset { skipped: true, .. } => self.step(seq, None),
            Event::ProposalClosed { .. }
            | Event::ProposalSetAside { .. }
            | Event::ProposalTakenUp { .. }
            | Event::Applied { .. }
            | Event::ApplyFailed { .. }
            | Event::Reverted { .. }
            | Event::RevertFailed { .. }
            | Event::CommandWrote { .. }
            | Event::CallLost { .. } => true,
            _ => false,
        };
        if told {
            self.tell(seq, What::Record);
        }
    }

    fn answers(&self, lane: LaneId) -> bool {
        self.lanes.get(&lane).is_some_and(|l| l.kind == LaneKind::Answer)
    }

    /// What concerns all: steps at work beside the main line are told as well.
    fn tell(&mut self, seq: Seq, what: What) {
        self.push(seq, None, what);
        for lane in self.steps_beside().collect::<Vec<_>>() {
            self.push(seq, Some(lane), what);
        }
    }

    /// Steps at work beside the main line.
    fn steps_beside(&self) -> impl Iterator<Item = LaneId> {
        let steps = |l: &Line| l.open && l.beside && matches!(l.kind, LaneKind::Task(_));
        self.lanes.iter().filter(move |(_, l)| steps(l)).map(|(lane, _)| *lane)
    }

    /// What was said to a run stands behind what its line had answered by then: it is told with the next request.
    fn deliver(&mut self, lane: LaneId) {
        let mine: Vec<Entry> = self.waiting(lane).copied().collect();
        self.waiting.retain(|entry| !mine.contains(entry));
        self.entries.extend(mine);
    }

    /// Whether a step was last done beside the main line.
    fn was_beside(&self, task: TaskId) -> bool {
        self.lanes.values().rfind(|l| l.kind == LaneKind::Task(task)).is_some_and(|l| l.beside)
    }

    /// What a lane is for, open or closed.
    pub fn kind(&self, lane: LaneId) -> Option<LaneKind> {
        self.lanes.get(&lane).map(|l| l.kind)
    }

    fn commented(&mut self, proposal: ProposalId, hunk: usize, text: &str) {
        match text {
            "" => drop(self.comments.remove(&(proposal, hunk))),
            text => drop(self.comments.insert((proposal, hunk), text.to_owned())),
        }
    }

    /// What was said of a hunk stands at the first of its parts.
    fn split(&mut self, proposal: ProposalId, hunk: usize, parts: usize) {
        for ((id, at), text) in std::mem::take(&mut self.comments) {
            let at = if id == proposal { moved(at, hunk, parts).start } else { at };
            self.comments.insert((id, at), text);
        }
    }

    /// Something of the plan is told with the plan; no record of its own.
    fn step(&mut self, seq: Seq, lane: Option<LaneId>) -> bool {
        if let Some(plan) = self.plan {
            self.push(seq, lane, What::Step(plan));
        }
        false
    }

    /// A lane's work begins: the message that it serves is told, unless it is what was told last.
    fn take_up(&mut self, lane: LaneId, begins: bool) {
        let Some(line) = self.lanes.get(&lane).copied() else { return };
        let goes_on = match line.kind {
            LaneKind::Answer | LaneKind::Planning | LaneKind::Goal => self.told == Some(line.turn),
            LaneKind::Gate(_) | LaneKind::Child(_) => true,
            LaneKind::Task(_) | LaneKind::Repair(_) | LaneKind::Pipeline => {
                self.entries.iter().any(|e| e.what == What::User(line.turn))
            }
        };
        let Some(said) = self.heard.get(&line.turn).copied().filter(|_| begins && !goes_on) else { return };
        self.push(said, Some(lane), What::User(line.turn));
        if !line.beside {
            self.told = Some(line.turn);
        }
    }

    fn call_ended(&mut self, seq: Seq, call: CallId, lane: LaneId) {
        let made = self.made.remove(&call);
        let gate =
            self.lanes.get(&lane).is_some_and(|l| matches!(l.kind, LaneKind::Gate(_) | LaneKind::Pipeline));
        if !gate {
            self.push(seq, Some(lane), if made { What::Output(call) } else { What::Result(call) });
        }
    }

    fn push(&mut self, seq: Seq, lane: Option<LaneId>, what: What) {
        self.entries.push(Entry { seq, lane, what });
    }
}
