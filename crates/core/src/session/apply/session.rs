//! The session itself folded into the state: opened, opened again, its phase, mode and ceiling.

use std::sync::Arc;

use crate::{
    checkpoint::CheckpointKind,
    event::Event,
    intent::{Control, Phase},
    plan::{GateNews, GateStatus, Pause, TaskStatus},
    question::Paused,
    scope::{PermissionMode, ToolScope},
    session::{State, TurnInfo},
    trust::Trust,
};

/// Why a message has no answer where the program ended before it came.
const CUT_SHORT: &str = "the program ended before the answer arrived; /retry asks again";

impl State {
    #[expect(clippy::wildcard_enum_match_arm, reason = "`fold` names every event; this takes its share")]
    pub(super) fn fold_session(&mut self, event: &Event) {
        match event {
            Event::SessionOpened { slug, folder, mode, permission, sandbox, mode_said, .. } => {
                self.mode_said = *mode_said;
                self.slug.clone_from(slug);
                self.folder.clone_from(folder);
                self.mode = *mode;
                self.permission = *permission;
                self.sandbox = sandbox.clone().unwrap_or_default();
            }
            Event::SessionReopened { permission, sandbox, branch, .. } => {
                self.reopen(*permission);
                if branch.is_some() {
                    self.branch.clone_from(branch);
                }
                self.sandbox = sandbox.clone().unwrap_or_default();
            }
            Event::SessionForked { slug, folder, imported, .. } => self.forked(slug, folder, *imported),
            Event::PhaseChanged { to, .. } => {
                self.phase = *to;
                if *to != Phase::Failed {
                    self.failure = None;
                }
            }
            Event::ModeChanged { mode, .. } => {
                self.mode = *mode;
                self.mode_said = true;
            }
            Event::ControlGiven { control: Control::ModeSwitch(_) } => self.mode_said = true,
            Event::ControlGiven { control: Control::Help | Control::Status | Control::Other(_) } => {}
            Event::ControlGiven { control } => self.goes_on = *control == Control::Proceed,
            Event::Described { change } => self.about.take(change),
            Event::TitleAsked { call } => {
                self.saw(call.0);
                self.accounts.spent.calls += 1;
                self.titling = Some(*call);
            }
            Event::Titled { usage, model, .. } => {
                self.accounts.answered_by(model);
                self.spent_besides(usage);
                self.titling = None;
            }
            Event::TitleFailed { .. } => self.titling = None,
            Event::ModelChosen { name } => self.model.clone_from(name),
            Event::BudgetSet { unit, most, brief } => self.set_budget(*unit, *most, *brief),
            Event::PermissionChanged { permission, chat_only } => {
                self.permission = *permission;
                self.chat_only = *chat_only;
                self.keep_below_ceiling();
            }
            _ => {}
        }
    }

    /// What no lane may exceed now.
    pub fn ceiling(&self) -> ToolScope {
        let chat = if self.chat_only { ToolScope::READ_ONLY } else { ToolScope::FULL };
        self.permission.ceiling().and(chat)
    }

    /// Brings every lane under the ceiling, and back to what it began with where that lets it; a lane that narrows loses
    /// its permits.
    fn keep_below_ceiling(&mut self) {
        let ceiling = self.ceiling();
        for lane in self.lanes.values_mut() {
            let was = lane.scope();
            lane.ceiling = lane.most.and(ceiling);
            if !lane.scope().contains(was) {
                lane.epoch += 1;
            }
        }
    }

    /// Leaves to the session that this one is a copy of what is its: plans, proposals, writes, costs and consents. What was
    /// said goes on, and of this machine's own sessions what the user set and, in the same folder, what is known of its
    /// files: a file could claim anything.
    fn forked(&mut self, slug: &str, folder: &str, imported: bool) {
        let was = std::mem::take(self);
        let changes = Arc::unwrap_or_clone(was.changes).of_another(was.last_id);
        let permission = match was.permission {
            PermissionMode::Auto => PermissionMode::Ask,
            asked @ (PermissionMode::Ask | PermissionMode::ReadOnly) => asked,
        };
        let mut turns = was.turns;
        // What a yes let a message do it let there.
        turns.values_mut().for_each(narrow);
        *self = Self {
            seq: was.seq,
            last_id: was.last_id,
            at: was.at,
            slug: slug.to_owned(),
            folder: folder.to_owned(),
            mode: was.mode,
            mode_said: was.mode_said,
            permission,
            chat_only: was.chat_only,
            epoch: was.epoch.wrapping_add(1),
            changes: Arc::new(changes),
            turns,
            turn: was.turn,
            history: was.history,
            recent: was.recent,
            unreviewed: was.unreviewed,
            transcript: was.transcript,
            about: was.about,
            ..Self::default()
        };
        if imported {
            return;
        }
        (self.model, self.depth, self.budgets) = (was.model, was.depth, was.budgets);
        self.last_word = was.last_word;
        if was.folder == folder {
            (self.seen, self.parts, self.facts) = (was.seen, was.parts, was.facts);
            (self.unwanted, self.instructed) = (was.unwanted, was.instructed);
        }
    }

    fn reopen(&mut self, permission: Option<PermissionMode>) {
        self.permission = permission.unwrap_or(self.permission);
        (self.trust, self.given) = (Trust::None, None);
        self.goes_on = false;
        self.granted.clear();
        self.approved_gates.clear();
        self.allowed_lines.clear();
        self.keeping.clear();
        self.remembering.clear();
        self.seeking = None;
        self.recalling = None;
        self.hooks.clear();
        self.hook_runs.clear();
        for lane in std::mem::take(&mut self.lanes).into_values() {
            if self.cuts_short(&lane) {
                self.cut_short = Some(lane.turn);
                self.unanswered = Some(CUT_SHORT.to_owned());
            }
            self.leaves_behind(&lane);
        }
        for asked in std::mem::take(&mut self.open).into_values() {
            // Whoever takes the plan up again goes on with that step; every other place comes anew.
            if matches!(&asked.kind, CheckpointKind::Paused(Paused { at: Pause::Step(_), .. })) {
                self.pause_asked(&asked.kind);
            }
        }
        self.brief_budgets.clear();
        self.asked.clear();
        self.cut.clear();
        self.stopped.clear();
        self.compacting = None;
        self.titling = None;
        self.committing = None;
        self.plan_sought = None;
        self.pending_messages.clear();
        (self.run, self.asked_last) = (None, None);
        self.failure = None;
        self.phase = Phase::Idle;
        if let Some(plan) = self.plan.take() {
            let gone = self.suspended.replace(plan);
            self.makes_room(gone);
            (self.shelved, self.left_off) = (self.seq, self.seq);
        }
        if let Some(plan) = &mut self.suspended {
            for task in plan.tasks.iter_mut().filter(|t| t.status == TaskStatus::Running) {
                task.status = TaskStatus::Pending;
            }
            for gate in plan.gates.iter_mut().filter(|g| g.status == GateStatus::Running) {
                gate.take(GateNews::Due);
            }
        }
        Arc::make_mut(&mut self.changes).reopened();
    }
}

/// Takes from a message what it was let do beyond its path.
pub(super) fn narrow(turn: &mut Arc<TurnInfo>) {
    if turn.widened != ToolScope::NONE {
        Arc::make_mut(turn).widened = ToolScope::NONE;
    }
}
