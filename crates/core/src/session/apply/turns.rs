//! Folds what was said and how it was understood.

use std::sync::Arc;

use crate::{
    blob::Excerpt,
    event::Event,
    ids::{LaneId, Seq, TurnId},
    intent::{Control, IntentPath, Source, TierAnswer, Turn},
    recipe::Directed,
    scope::ToolScope,
    session::apply::session::narrow,
    session::state::{HEAD_CHARS, PendingMessage, RECENT, Said, State, TurnInfo},
};

/// Answers of later tiers that are kept.
const MEMORY: usize = 32;

impl State {
    /// Keeps the beginning of a message for those that refer to it.
    pub(super) fn keep(&mut self, seq: Seq, by_user: bool, head: String) {
        if self.recent.len() >= RECENT {
            self.recent.pop_front();
        }
        self.recent.push_back(Said { seq, by_user, head });
    }

    /// Counts what a reading depends on.
    pub(super) fn age(&mut self, event: &Event) {
        let changes = matches!(
            event,
            Event::PhaseChanged { .. }
                | Event::ModeChanged { .. }
                | Event::PermissionChanged { .. }
                | Event::PlanReady { .. }
                | Event::PlanShelved { .. }
                | Event::SessionReopened { .. }
                | Event::SessionForked { .. }
        );
        self.epoch = self.epoch.wrapping_add(u32::from(changes));
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "`fold` names every event; this takes its share")]
    pub(super) fn fold_turn(&mut self, seq: Seq, event: &Event) {
        match event {
            Event::TurnStarted { turn, text, branch } => self.turn_started(seq, *turn, (text, branch)),
            Event::IntentClassified { turn, class, .. } => {
                self.note_aside(class);
                self.pending_messages.retain(|h| h.turn != *turn);
                self.remember(event);
                self.classified(event);
            }
            Event::IntentAsked { turn, seen, epoch, vectors, model } => {
                self.accounts.spent.calls += u64::from(*model);
                let heard = PendingMessage {
                    turn: *turn,
                    seen: *seen,
                    epoch: *epoch,
                    vectors: *vectors,
                    model: *model,
                };
                match self.pending_messages.iter_mut().find(|h| h.turn == *turn) {
                    Some(there) => *there = heard,
                    None => self.pending_messages.push_back(heard),
                }
            }
            Event::TurnDropped { turn } => self.pending_messages.retain(|h| h.turn != *turn),
            Event::TurnContinues { turn, of } => {
                if let Some(info) = self.turns.get_mut(turn).map(Arc::make_mut) {
                    info.continues = Some(*of).filter(|of| of != turn);
                }
            }
            Event::TurnAskedAgain { turn } => self.turns.get_mut(turn).into_iter().for_each(narrow),
            Event::TurnTold { turn, run_of } => self.turn_told(*turn, *run_of),
            Event::TurnDirected { turn, kind, name, tools, scope, model, sources, .. } => {
                if let Some(info) = self.turns.get_mut(turn).map(Arc::make_mut) {
                    info.directed = Some(Arc::new(Directed {
                        kind: *kind,
                        name: name.clone(),
                        tools: tools.clone(),
                        scope: *scope,
                        model: model.clone(),
                        sources: sources.clone(),
                        seq,
                    }));
                }
            }
            Event::QueueChanged { plan_new, more, control, later, stopped: _ } => {
                self.queue.plan_new = *plan_new;
                self.queue.more = more.iter().copied().collect();
                self.queue.control = control.iter().cloned().collect();
                self.queue.later = later.iter().copied().collect();
            }
            _ => {}
        }
    }

    fn turn_told(&mut self, turn: TurnId, run_of: TurnId) {
        if let Some(info) = self.turns.get_mut(&turn).map(Arc::make_mut) {
            info.told = Some(run_of);
        }
        // What works now thinks once more before it ends.
        let hear: Vec<LaneId> = self.lanes.values().filter(|l| self.hears(l)).map(|l| l.id).collect();
        for lane in self.lanes.values_mut().filter(|l| hear.contains(&l.id)) {
            (lane.addressed, lane.unread) = (true, true);
            lane.repeats.forget();
        }
    }

    fn turn_started(&mut self, seq: Seq, turn: TurnId, (text, branch): (&Excerpt, &Option<String>)) {
        self.branch.clone_from(branch);
        self.saw(turn.0);
        self.turn = Some(turn);
        self.history.push(seq);
        Arc::make_mut(&mut self.said).add_message(turn, text);
        let head: String = text.head.chars().take(HEAD_CHARS).collect();
        self.keep(seq, true, head.clone());
        let info = TurnInfo {
            seq,
            at: self.at,
            used: crate::talk::Usage::default(),
            head,
            class: Turn::Query(None),
            path: IntentPath::root(),
            confidence: 0.0,
            forbids: false,
            forbids_run: false,
            fixed: false,
            widened: ToolScope::NONE,
            continues: None,
            told: None,
            spares: Vec::new(),
            frees: Vec::new(),
            request: None,
            output: None,
            directed: None,
            source: Source::Fallback,
            reasoning: String::new(),
            phase: self.phase,
            plan_active: self.plan.is_some(),
        };
        self.turns.insert(turn, Arc::new(info));
    }

    /// Keeps what a later tier said, for when the same is said again.
    fn remember(&mut self, event: &Event) {
        let Event::IntentClassified { class, path, confidence, source, reasoning, key, .. } = event else {
            return;
        };
        let Some(key) = key else { return };
        let opinion = TierAnswer {
            turn: Some(class.clone()),
            path: Some(path.clone()),
            target: None,
            confidence: *confidence,
            sub_confidence: *confidence,
            source: Source::Cache,
            reasoning: format!("as before ({}): {reasoning}", source.name()),
            firm: false,
        };
        self.memory.retain(|(k, _)| k != key);
        self.memory.push_back((*key, opinion));
        let old = self.memory.len().saturating_sub(MEMORY);
        self.memory.drain(..old);
    }

    /// What is only asked or looked at meanwhile leaves a plan that is to go on.
    fn note_aside(&mut self, class: &Turn) {
        let looks = matches!(
            class,
            Turn::Query(_) | Turn::Control(Control::Help | Control::Status | Control::Other(_))
        );
        self.goes_on &= looks;
    }

    /// Keeps how a message is understood.
    fn classified(&mut self, event: &Event) {
        let Event::IntentClassified {
            turn,
            class,
            path,
            confidence,
            forbids,
            forbids_run,
            spares,
            frees,
            request,
            source,
            reasoning,
            usage,
            ..
        } = event
        else {
            return;
        };
        let typed = request.as_deref().is_some_and(|r| r.starts_with('!'))
            || self.turns.get(turn).is_some_and(|t| t.head.starts_with('!'));
        self.tasks += u32::from(matches!(class, Turn::PlanNew(_)) && !typed);
        if let Some(usage) = usage {
            self.spent_besides(usage);
        }
        let (phase, plan_active) = (self.phase, self.plan.is_some());
        if let Some(info) = self.turns.get_mut(turn).map(Arc::make_mut) {
            (info.phase, info.plan_active) = (phase, plan_active);
            info.source = *source;
            info.reasoning.clone_from(reasoning);
            info.class = class.clone();
            info.path = path.clone();
            info.confidence = *confidence;
            (info.forbids, info.forbids_run) = (*forbids, *forbids_run);
            info.spares.clone_from(spares);
            info.frees.clone_from(frees);
            info.fixed = *source == Source::AtNode;
            info.request.clone_from(request);
        }
    }
}
