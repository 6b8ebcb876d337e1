//! Folds what was said and how it was understood.

use crate::{
    event::Event,
    ids::Seq,
    intent::{Opinion, Source, Turn},
    session::state::{Hearing, RECENT, Said, State},
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
        );
        self.epoch = self.epoch.wrapping_add(u32::from(changes));
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "`fold` names every event; this takes its share")]
    pub(super) fn fold_heard(&mut self, event: &Event) {
        match event {
            Event::IntentClassified {
                turn,
                class,
                path,
                confidence,
                forbids,
                request,
                source,
                reasoning,
                usage,
                key,
            } => {
                self.hearing.retain(|h| h.turn != *turn);
                let typed = request.as_deref().is_some_and(|r| r.starts_with('!'))
                    || self.turns.get(turn).is_some_and(|t| t.head.starts_with('!'));
                self.tasks += u32::from(matches!(class, Turn::PlanNew(_)) && !typed);
                if let Some(usage) = usage {
                    self.add_usage(usage);
                }
                let opinion = || Opinion {
                    turn: Some(class.clone()),
                    path: Some(path.clone()),
                    target: None,
                    confidence: *confidence,
                    sub_confidence: *confidence,
                    source: Source::Cache,
                    reasoning: format!("as before ({}): {reasoning}", source.name()),
                    firm: false,
                };
                if let Some(key) = key {
                    self.memory.retain(|(k, _)| k != key);
                    self.memory.push_back((*key, opinion()));
                    let old = self.memory.len().saturating_sub(MEMORY);
                    self.memory.drain(..old);
                }
                let (phase, plan_active) = (self.phase, self.plan.is_some());
                if let Some(info) = self.turns.get_mut(turn) {
                    (info.phase, info.plan_active) = (phase, plan_active);
                    info.source = *source;
                    info.reasoning.clone_from(reasoning);
                    info.class = class.clone();
                    info.path = path.clone();
                    info.confidence = *confidence;
                    info.forbids = *forbids;
                    info.fixed = *source == Source::AtNode;
                    info.request.clone_from(request);
                }
            }
            Event::IntentAsked { turn, seen, epoch, vectors, model } => {
                let heard =
                    Hearing { turn: *turn, seen: *seen, epoch: *epoch, vectors: *vectors, model: *model };
                match self.hearing.iter_mut().find(|h| h.turn == *turn) {
                    Some(there) => *there = heard,
                    None => self.hearing.push_back(heard),
                }
            }
            Event::TurnDropped { turn } => self.hearing.retain(|h| h.turn != *turn),
            _ => {}
        }
    }
}
