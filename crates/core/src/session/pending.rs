//! What should be going on: the work that follows from a state.
//!
//! Owns which work that is. Never starts or stops any: the difference between two states does.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use super::{
    Apply, ApplyStatus, Lane, OpenCall, State,
    state::{CommitStage, Compacting},
};
use crate::{
    blob::BlobId,
    hook::Hold,
    ids::{GateId, ProposalId, Seq, TurnId},
    intent::{Slash, SlashCommand, command::INIT_FILE},
    lane::LaneKind,
    plan::{Gate, GateStatus, Task},
    policy::Request,
    proposal::{OnDisk, ProposalStatus},
    shell::Act,
    tool::{External, Permit, Run, Terms, ToolCall},
    work::{Take, View, Work, WorkKey},
};

impl State {
    /// What should be going on.
    pub fn pending(&self) -> BTreeMap<WorkKey, Work> {
        let held = self.compacting.as_ref().and_then(|c| c.held);
        let waits = self.answers_in_turn();
        let thinking = self.lanes.values().filter_map(|lane| {
            let call = lane.thinking.filter(|call| held != Some(*call) && !waits.contains(&lane.id))?;
            let purpose = lane.kind.purpose();
            Some(Work::Think { call, lane: lane.id, purpose, node: lane.node, offer: lane.offer() })
        });
        let tools = self.lanes.values().filter_map(|lane| self.tool_work(lane));
        let hearing = self.pending_messages.front().map(|h| Work::Classify {
            turn: h.turn,
            epoch: h.epoch,
            vectors: h.vectors,
            model: h.model,
        });
        let writes = self.applies().values().filter_map(|a| self.write_work(a));
        let survey = self.seeking.map(Work::Survey);
        let keeps = self.keeping.iter();
        let keeps = keeps.map(|(approval, rules)| Work::Keep { approval: *approval, rules: rules.clone() });
        let changes = self.remembering.iter();
        let changes = changes.map(|(a, change)| Work::Remember { approval: *a, change: change.clone() });
        let keeps = keeps.chain(changes);
        let all = hearing.into_iter().chain(thinking).chain(tools).chain(writes).chain(survey).chain(keeps);
        let all =
            all.chain(self.hook_work()).chain(self.looks()).chain(self.recall()).chain(self.compaction());
        let sought = self.plan_sought.clone();
        let sought = sought.map(|(call, _, path)| Work::ReadPlan { call, path });
        let back = self.changes.sought().map(|s| Work::TakeBack { lane: s.lane, files: self.back_files(s) });
        let all = all.chain(back);
        let looking = self.run.iter().filter_map(|run| run.looking);
        let looking = looking.map(|call| Work::SeeTree { call });
        let all =
            all.chain(self.commit_work()).chain(sought).chain(self.stage_work()).chain(self.judge_work());
        let all = all.chain(looking).chain(self.titling.map(|call| Work::Title { call }));
        all.map(|w| (w.key(), w)).collect()
    }

    /// Looking whether the facts still stand that answer a question.
    fn recall(&self) -> Option<Work> {
        let (turn, names) = self.recalling.as_ref()?;
        let facts = self.facts.below(names);
        Some(Work::Recall { turn: *turn, facts, rules: crate::policy::PathRules::default() })
    }

    /// What git is asked or told.
    fn commit_work(&self) -> Option<Work> {
        let (commit, stage) = self.committing.clone()?;
        Some(match stage {
            CommitStage::Look { files, .. } => Work::LookCommit { commit, files: self.sought(files) },
            CommitStage::Make { files, message, merge } => Work::Commit { commit, files, message, merge },
        })
    }

    /// The summary that is being made.
    fn compaction(&self) -> Option<Work> {
        let Compacting { call, upto, keep, again, .. } = self.compacting.clone()?;
        Some(Work::Compact { call, upto, keep, again })
    }

    /// The last event that a summary would take in which makes room by itself: not while one is made, and
    /// not again in a turn in which none came.
    pub fn may_compact(&self) -> Option<Seq> {
        let tried = self.uncompacted.is_some() && self.uncompacted == self.turn;
        self.transcript.compactable().filter(|_| self.compacting.is_none() && !tried)
    }

    /// Commands that wait and of which it is not known yet what they mean.
    fn looks(&self) -> impl Iterator<Item = Work> {
        self.open.values().filter_map(|c| {
            let waits = c.kind.command().filter(|c| c.meant.is_none())?;
            self.open_call(waits.call)?;
            let (command, folder) = (waits.command.clone(), waits.folder.clone());
            Some(Work::Look { checkpoint: c.id, command, folder, confine: waits.confine })
        })
    }

    /// The call that is at work for a lane.
    pub(super) fn running_call<'a>(&self, lane: &'a Lane) -> Option<&'a OpenCall> {
        let call = lane.head().filter(|c| c.allowed == Some(lane.epoch))?;
        let waits = self.is_held(Hold::Call(call.call)) || self.waits_for_hands(lane.id, call);
        (!waits).then_some(call)
    }

    fn tool_work(&self, lane: &Lane) -> Option<Work> {
        let call = self.running_call(lane)?;
        let epoch = call.allowed?;
        let (tool, asked) = (call.tool?, Arc::clone(call.asked.as_ref().ok()?));
        if matches!(*asked, ToolCall::Session(_)) {
            return None;
        }
        let terms = Terms {
            epoch,
            confine: call.confine,
            given: call.given,
            meant: call.meant.clone(),
            leave_of: call.leave_of,
            agreed: call.run().is_some_and(|run| self.agreed_to(run).is_some()),
            told: call.changed.clone(),
            pin: call.pin,
            starts: !self.learns_only(lane) || self.asks_for_source(lane.turn, &asked),
            spared: self.spared_by(lane, call),
        };
        let permit = Permit::mint(lane.id, call.call, (tool, asked), terms);
        let mut view = self.view(lane);
        view.rules.leave.clone_from(&call.leave);
        view.rules.leave.extend(self.asked_to_init(lane.turn));
        view.typed = call.typed;
        view.witnessed = matches!(lane.kind, LaneKind::Gate(_)) || self.gate_of(lane, call).is_some();
        Some(Work::Tool { permit, view: Box::new(view) })
    }

    /// Whether a lane learns what is known of sources and starts none unasked: it plans, or answers beside a run.
    pub fn learns_only(&self, lane: &Lane) -> bool {
        lane.kind == LaneKind::Planning || self.beside_run(lane)
    }

    /// Whether a message names the source that a look is about: the user asked for it.
    fn asks_for_source(&self, turn: TurnId, asked: &ToolCall) -> bool {
        let ToolCall::External(External::Look(look)) = asked else { return false };
        let of_tool = || look.tool.as_deref().and_then(crate::source::parts).map(|(source, _)| source);
        look.source.as_deref().or_else(of_tool).is_some_and(|source| self.names_source(turn, source))
    }

    /// Whether a message names a source.
    pub(super) fn names_source(&self, turn: TurnId, source: &str) -> bool {
        self.turns.get(&turn).is_some_and(|t| {
            let said = t.request.as_deref().unwrap_or(&t.head);
            let own = |c: char| !c.is_alphanumeric() && !matches!(c, '-' | '_');
            said.split(own).any(|word| word.eq_ignore_ascii_case(source))
        })
    }

    /// The gate that a step or a repair runs as its own command, where nothing but that step is left to do before it: one run on
    /// the same files is proof enough, wherever the gate stands and whoever left it out.
    pub(super) fn gate_of(&self, lane: &Lane, call: &OpenCall) -> Option<GateId> {
        let (run, plan) = (call.run()?, self.plan.as_ref()?);
        let task = lane.kind.task();
        if task.is_none() && !matches!(lane.kind, LaneKind::Repair(_)) {
            return None;
        }
        let left = |t: &&Task| Some(t.id) != task && !t.status.settled();
        let due = |g: &&Gate| {
            is_line(run, g) && g.status != GateStatus::Running && !plan.awaited(g).any(|t| left(&t))
        };
        plan.gates.iter().find(due).map(|g| g.id)
    }

    /// The red gates whose line a step runs, though more is to be done before they are due.
    pub(super) fn red_too_soon(&self, lane: &Lane, call: &OpenCall) -> Vec<GateId> {
        let of_run = lane.kind.task().is_some() || matches!(lane.kind, LaneKind::Repair(_));
        let Some((run, plan)) = call.run().zip(self.plan.as_ref()).filter(|_| of_run) else {
            return Vec::new();
        };
        let due = self.gate_of(lane, call);
        let red = plan.gates.iter().filter(|g| g.is_red() && is_line(run, g) && Some(g.id) != due);
        red.map(|g| g.id).collect()
    }

    /// `/init` is the user's own word to write the file that it is about; its hunks ask for theirs.
    fn asked_to_init(&self, turn: TurnId) -> Option<Request> {
        let turn = self.turns.get(&turn)?;
        let (command, _) = SlashCommand::of_line(&turn.head)?;
        (command.does == Slash::Init).then(|| Request::Path { act: Act::Write, path: INIT_FILE.to_owned() })
    }

    /// What a lane sees instead of the disk.
    pub fn view(&self, lane: &Lane) -> View {
        let overlay = self.proposals_of(lane.id).map(|p| (p.path.clone(), p.after)).collect();
        let base = self.proposals_of(lane.id).map(|p| (p.path.clone(), p.before)).collect();
        let (seen, parts, facts) = (lane.seen.clone(), lane.parts.clone(), Arc::clone(&self.facts));
        View { overlay, base, seen, parts, facts, ..View::default() }
    }

    fn write_work(&self, apply: &Apply) -> Option<Work> {
        match apply.status {
            ApplyStatus::Approved if self.waits_for_hooks(apply) || self.write_waits(apply.id) => None,
            ApplyStatus::Approved => {
                let changes = apply.take.iter().filter_map(|(id, taken)| self.take(*id, taken)).collect();
                Some(Work::Prepare { apply: apply.id, changes })
            }
            ApplyStatus::Writing => Some(Work::Write { apply: apply.id, files: apply.files.clone() }),
            ApplyStatus::Reverting { redo } => {
                let record = apply.command.as_ref().map(|c| c.record);
                let keep = apply.command.as_ref().is_some_and(|c| c.kept);
                Some(Work::Revert { apply: apply.id, redo, files: apply.files.clone(), record, keep })
            }
            ApplyStatus::Applied | ApplyStatus::Reverted | ApplyStatus::Failed => None,
        }
    }

    /// What is up for review and not being written, as it is shown, to be looked at on disk.
    pub fn reviewed(&self) -> Vec<(Take, BlobId)> {
        let reviews = self.open.values().filter_map(|c| c.kind.review());
        let ids: BTreeSet<ProposalId> = reviews.flat_map(|r| r.proposals.iter().copied()).collect();
        let waits = |id: &ProposalId| self.proposals().get(id).filter(|p| p.status == ProposalStatus::Open);
        let open = ids.iter().filter_map(waits);
        open.filter_map(|p| Some((self.take(p.id, &BTreeSet::new())?, p.shown()))).collect()
    }

    /// How the file of a proposal stands, where it is not on disk as the proposal starts from.
    pub fn on_disk(&self, id: ProposalId) -> Option<OnDisk> {
        self.changes.on_disk(id)
    }

    fn take(&self, id: ProposalId, taken: &BTreeSet<usize>) -> Option<Take> {
        let p = self.proposals().get(&id)?;
        Some(Take {
            proposal: id,
            path: p.path.clone(),
            kind: p.kind,
            before: p.before,
            after: p.after,
            hunks: p.hunks.clone(),
            taken: taken.clone(),
            undecided: p.waiting(),
            mode: p.picks_from().and_then(|apply| self.file_of(apply, &p.path)?.mode),
        })
    }
}

/// Whether a command is a gate's own line.
fn is_line(run: &Run, gate: &Gate) -> bool {
    *run == Run { timeout_s: run.timeout_s, ..Run::line(&gate.command) }
}
