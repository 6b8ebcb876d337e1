//! Events folded into entries.
//!
//! Owns the entries in order and what is needed to attach later events to them. Works from events
//! alone, so that older pages can be put before what is here.

mod agents;
mod applied;
mod calls;
mod facts;
mod gates;
mod hooks;
mod mark;
mod plans;
mod progress;
mod questions;
mod session;
mod stages;

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};

use pilothouse_core::{
    blob::BlobId,
    event::{Event, FileChange, Stamped},
    fact,
    ids::{ApplyId, CallId, GateId, LaneId, Millis, ProposalId, Seq, TaskId, TurnId},
    plan::Plan,
    policy::{By, Manner, Outcome, Request},
    proposal::Proposal,
    sandbox::Confine,
    session::LaneKind,
    talk::FaultKind,
};

use self::mark::Mark;
pub(crate) use self::{
    applied::{already, written},
    facts::closed,
};
use super::entry::{Body, Entry, Facts, Kind, PlanCard, Text};
use crate::{
    answers::Answers,
    markdown::Markdown,
    row::{self, Row},
    theme::Slot,
};

/// Entries among which those are that still change.
const RECENT: usize = 64;

/// A plan whose steps were begun unasked, and one whose run ended before its steps did.
const UNDER_WAY: &str = "under way";
const STOPPED: &str = "stopped";

/// The entries; each has a key that stays when older ones are put before it.
#[derive(Debug, Default)]
pub(super) struct Log {
    entries: VecDeque<Entry>,
    first: i64,
    pub(super) earliest: Option<Seq>,
    calls: HashMap<CallId, i64>,
    /// The name of each, and what it acts on.
    names: HashMap<CallId, (String, String)>,
    /// Whose call each is that has not ended.
    callers: HashMap<CallId, LaneId>,
    lanes: HashMap<LaneId, (LaneKind, TurnId)>,
    /// The last model call of each lane.
    asking: HashMap<LaneId, CallId>,
    applying: HashMap<ApplyId, Vec<FileChange>>,
    paths: HashMap<ProposalId, String>,
    /// Those that take a write back, or put it back.
    backs: HashSet<ProposalId>,
    plan: Option<Plan>,
    /// The turn whose run is under way.
    running: Option<TurnId>,
    /// Whether the plan was carried out to its end.
    finished: bool,
    /// Commands that the user typed: what they wrote is shown unasked.
    typed: HashSet<CallId>,
    /// Gates that were left out in this run, by name.
    waived: Vec<String>,
    /// Whether a command of the run was stopped while it ran: what it changed is told once it has ended.
    cut_off: bool,
    /// Whether one of them proved nothing although nobody waived it.
    unproven: bool,
    /// Gates that failed in this run, by name.
    red: BTreeSet<String>,
    /// The line of the command that ended last: a gate that it proved is judged right behind it.
    last_run: Option<String>,
    /// The command that each gate ran, and the rows of steps that were stopped in this run.
    gate_calls: HashMap<GateId, i64>,
    stopped: Vec<i64>,
    /// Rows of messages that the agent at work has not been given yet.
    told_on: Vec<i64>,
    /// The step that began last, and whether a file changed since.
    step: Option<(TaskId, bool)>,
    /// Steps that wrote a file and are not over.
    begun: progress::Begun,
    /// Steps that had nothing to change, with the reason that is told at their end.
    needless: HashMap<TaskId, String>,
    /// Hunks that were left out of what is written.
    left_hunks: BTreeSet<(ProposalId, usize)>,
    /// What was set aside last and why, one thing after the other, and where that stands.
    aside: (i64, String, Vec<String>),
    /// The first edit of what is proposed for a file, and the content that it is held against.
    edits: HashMap<String, (CallId, Option<BlobId>)>,
    /// The calls that proposed what is to be written into a file: once it is, its own line tells it.
    drafts: HashMap<String, Vec<i64>>,
    /// Files that were written in this run, and told.
    told: BTreeSet<String>,
    /// Turns that wait for the end of what is under way.
    queued: Vec<TurnId>,
    /// The rows that say so of each.
    queued_rows: HashMap<TurnId, i64>,
    /// Files of instructions that were named.
    instructed: HashSet<String>,
    /// What waited until a moment ago.
    waited: Vec<TurnId>,
    /// Whether a change was taken back or put back, and the notice of it is still to come.
    reverted: bool,
    /// What failed last, as it was told: the same is not told again.
    failed: String,
    /// Whether a model was asked in this run.
    thought: bool,
    /// What hooks are called by, and whether each runs in the background.
    hooks: HashMap<BlobId, (String, bool)>,
    /// Lines of an answer whose evidence does not hold, by its call.
    marks: HashMap<CallId, Vec<fact::Mark>>,
    /// The stages of the pipeline under way.
    stages: stages::Stages,
    /// Where it stands that the session was resumed, until anything else is.
    resumed: Option<i64>,
    /// Notices that were told unasked.
    notices: BTreeSet<i64>,
    /// What stands on a page of its own.
    answers: Answers,
    /// Events about calls that an older page began.
    orphans: Vec<Stamped>,
}

impl Log {
    pub(super) fn first(&self) -> i64 {
        self.first
    }

    /// One past the last key.
    pub(super) fn end(&self) -> i64 {
        self.first + i64::try_from(self.entries.len()).unwrap_or(i64::MAX)
    }

    pub(super) fn get(&self, key: i64) -> Option<&Entry> {
        self.entries.get(usize::try_from(key - self.first).ok()?)
    }

    pub(super) fn get_mut(&mut self, key: i64) -> Option<&mut Entry> {
        self.entries.get_mut(usize::try_from(key - self.first).ok()?)
    }

    pub(super) fn iter_mut(&mut self) -> impl DoubleEndedIterator<Item = &mut Entry> {
        self.entries.iter_mut()
    }

    /// The newest entries, among which all are that still change; the last first.
    fn recent(&self) -> impl Iterator<Item = i64> {
        (self.first..self.end()).rev().take(RECENT)
    }

    /// Whether something in it changes by itself.
    pub(super) fn runs(&self) -> bool {
        self.recent().any(|key| self.get(key).is_some_and(Entry::running))
    }

    /// How far it is told by now: entries that are not told to their end, and the key of the next one.
    pub(super) fn untold(&self) -> (Vec<i64>, i64) {
        let runs = |key: &i64| self.get(*key).is_some_and(Entry::running);
        (self.recent().filter(runs).collect(), self.end())
    }

    /// How many entries there are to be read beyond that: what is said and asked, how things ended, notices.
    pub(super) fn news(&self, (running, next): &(Vec<i64>, i64)) -> usize {
        let read = |key: &i64| {
            let entry = self.get(*key).filter(|e| !e.running() && !e.is_plan());
            let told = self.notices.contains(key);
            entry.is_some_and(|e| told || matches!(e.kind, Kind::Reply | Kind::Card))
        };
        running.iter().copied().chain((*next).max(self.first)..self.end()).filter(read).count()
    }

    /// Puts older events before everything.
    pub(super) fn prepend(&mut self, older: Vec<Stamped>) {
        let mut page = Self::default();
        for event in older.into_iter().filter(|e| self.earliest.is_none_or(|s| e.seq < s)) {
            page.fold(&event);
        }
        for orphan in std::mem::take(&mut self.orphans) {
            page.fold(&orphan);
        }
        self.orphans.append(&mut page.orphans);
        for entry in &mut page.entries {
            if matches!(&entry.body, Body::Reply(r) if r.running) {
                (entry.body, entry.kind) = (Body::Gone, Kind::Gone);
            }
        }
        if let Some(plan) = page.plan.take() {
            self.name_tasks(&plan);
            self.plan.get_or_insert(plan);
        }
        let moved = page.end() - page.first;
        self.first -= moved;
        for (call, key) in page.calls {
            self.calls.entry(call).or_insert(key - page.first + self.first);
        }
        for (id, path) in page.paths {
            self.paths.entry(id).or_insert(path);
        }
        self.backs.extend(page.backs);
        while let Some(entry) = page.entries.pop_back() {
            self.entries.push_front(entry);
        }
        self.earliest = page.earliest.or(self.earliest);
        self.recompute_spacing(self.first + moved);
    }

    fn name_tasks(&mut self, plan: &Plan) {
        for entry in &mut self.entries {
            if let Body::Task { task, text } = &mut entry.body
                && text.is_none()
            {
                *text = title(plan, *task);
                entry.dirty = true;
            }
        }
    }

    fn add(&mut self, at: Millis, kind: Kind, body: Body) -> i64 {
        let key = self.end();
        self.entries.push_back(Entry::new(at, kind, body));
        self.recompute_spacing(key);
        key
    }

    /// Settles whether a blank row stands above the entry with this key.
    fn recompute_spacing(&mut self, key: i64) {
        let before =
            (self.first..key).rev().filter_map(|k| self.get(k)).map(|e| e.kind).find(|k| *k != Kind::Gone);
        if let Some(entry) = self.get_mut(key) {
            let joins = before == Some(Kind::Work) || before == Some(Kind::Head);
            let lead = before.is_some() && !(joins && entry.kind == Kind::Work);
            if entry.lead != lead {
                entry.lead = lead;
                entry.dirty = true;
            }
        }
    }

    fn fact(&mut self, at: Millis, left: Row, right: Row) {
        self.add(at, Kind::Work, Body::Facts(Facts { lines: vec![(left, right)], detail: String::new() }));
    }

    /// Takes one event in.
    #[expect(clippy::wildcard_enum_match_arm, reason = "`fold_fact` takes the rest")]
    pub(super) fn fold(&mut self, stamped: &Stamped) {
        if self.earliest.is_none_or(|s| stamped.seq < s) {
            self.earliest = Some(stamped.seq);
        }
        let at = stamped.at;
        if self.answers.take(stamped).is_some() || self.fold_agents(stamped) {
            return;
        }
        match &stamped.event {
            Event::TurnStarted { turn, text, .. } => {
                self.failed.clear();
                self.add(at, Kind::Said, Body::Said(Text::of(text)));
                self.entries.back_mut().into_iter().for_each(|e| e.turn = Some(*turn));
            }
            Event::LaneOpened { lane, kind, turn, .. } => self.begins(at, *lane, (*kind, *turn)),
            Event::LaneClosed { lane } => self.lane_closed(*lane),
            Event::ThinkingStarted { call, lane } => self.asked_anew(at, *call, *lane),
            Event::MessageCompleted { .. } => self.completed(stamped),
            Event::ThinkingFailed { call, fault, .. } => {
                self.drop_reply(*call, fault.kind != FaultKind::Cancelled);
                self.failed.clear();
                self.fails(at, &format!("{}\n{}", fault.message, fault.hint));
            }
            Event::CommandProposed { .. } => self.command_proposed(stamped),
            Event::CallMade { call, lane, tool, typed, .. } => {
                self.callers.insert(*call, *lane);
                self.names.insert(*call, (tool.name().to_owned(), String::new()));
                self.typed.extend(typed.then_some(*call));
            }
            Event::CallStarted { .. } => self.started(stamped),
            Event::CommandExited { call, output, .. } => self.exited(*call, *output),
            Event::CallEnded { .. } => self.ended(stamped),
            Event::Proposed { proposal, added, removed }
            | Event::ProposalEdited { proposal, added, removed } => {
                self.change_proposed(proposal, *added, *removed);
            }
            Event::PlanReady { plan } => self.plan_ready(at, plan),
            Event::CheckpointOpened { checkpoint } => self.asked(at, checkpoint),
            Event::CheckpointResolved { .. } => self.resolved(stamped),
            Event::ApplyStarted { apply, files } => drop(self.applying.insert(*apply, files.clone())),
            Event::RunStarted { turn, .. } => {
                (self.running, self.finished, self.thought) = (Some(*turn), false, false);
                (self.waived, self.unproven, self.red) = (Vec::new(), false, BTreeSet::new());
                (self.stopped, self.gate_calls) = (Vec::new(), HashMap::new());
                self.told.clear();
                self.cut_off = false;
            }
            Event::RunCompleted { status, summary, files, goal, came_to, .. } => {
                self.plan_ran(*status);
                match goal {
                    Some(goal) => self.goal_ended(at, goal),
                    None => self.run_completed(at, *status, summary, (files.len(), came_to.as_deref())),
                }
            }
            Event::HooksKnown { .. } | Event::HookStarted { .. } | Event::HookEnded { .. } => {
                self.fold_hook(stamped);
            }
            Event::Staged { .. } => self.fold_stage(stamped),
            _ => self.fold_fact(at, &stamped.event),
        }
    }

    fn kind(&self, lane: LaneId) -> Option<LaneKind> {
        self.lanes.get(&lane).map(|(kind, _)| *kind)
    }

    fn command_proposed(&mut self, stamped: &Stamped) {
        let Event::CommandProposed { call, lane, command, folder, confine, typed, ruling, .. } =
            &stamped.event
        else {
            return;
        };
        self.proposed(stamped.at, *call, &held(command, *confine));
        self.of_step(*call, *lane);
        let runs = ruling.as_ref().is_some_and(|r| r.outcome == Outcome::Run);
        let by = match (typed, self.kind(*lane)) {
            (true, _) => By::Typed,
            (false, Some(LaneKind::Gate(_))) if runs => By::Approved,
            (false, Some(LaneKind::Gate(_))) => By::Gate,
            (false, _) => By::Agent,
        };
        let request = Request::command_in(command, folder, Manner::of(*confine, by));
        self.ruled(*call, request, ruling.as_ref());
    }

    fn change_proposed(&mut self, proposal: &Proposal, added: usize, removed: usize) {
        self.paths.insert(proposal.id, proposal.path.to_string());
        self.backs.extend(proposal.back.map(|_| proposal.id));
        self.begun.of.extend(proposal.task.map(|task| (proposal.id, task)));
        let path = proposal.path.to_string();
        let first = self.edits.entry(path).or_insert((proposal.call, proposal.before));
        if first.1 != proposal.before {
            *first = (proposal.call, proposal.before);
        }
        let total = if first.0 == proposal.call { "" } else { " total" };
        if let Some(key) = self.calls.get(&proposal.call).copied() {
            self.drafts.entry(proposal.path.to_string()).or_default().push(key);
        }
        if let Some((call, dirty)) = self.known(proposal.call) {
            call.summary = format!("+{added} -{removed}{total}");
            // However its model named the file, it is told as the review names it.
            proposal.path.as_str().clone_into(&mut call.subject);
            *dirty = true;
        }
    }

    /// Nothing of a line of work goes on once it is over.
    fn lane_closed(&mut self, lane: LaneId) {
        self.lanes.remove(&lane);
        self.stop_reply(lane);
        self.stop_calls(lane);
    }
}

fn title(plan: &Plan, task: TaskId) -> Option<String> {
    let t = plan.task(task)?;
    Some(format!("[{}/{}] {}", plan.number(task), plan.tasks.len(), row::uncoded(&t.title)))
}

/// A command, and how it runs where that is not the usual way.
fn held(command: &str, confine: Confine) -> String {
    confine.beyond().map_or_else(|| command.to_owned(), |beyond| format!("{command}   {beyond}"))
}
