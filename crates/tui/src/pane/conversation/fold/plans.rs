//! The card of a plan: shown once while it waits, and what became of it.
//!
//! Owns these cards. Never looks at the session.

use pilothouse_core::{event::RunStatus, ids::Millis, plan::Plan};

use super::{Body, Entry, Kind, Log, Markdown, PlanCard, STOPPED, Slot, UNDER_WAY, questions::FELL_AWAY};

impl Log {
    pub(super) fn plan_ready(&mut self, at: Millis, plan: &Plan) {
        let same = self.plan.replace(plan.clone()).is_some_and(|before| before.turn == plan.turn);
        self.finished = false;
        let card = PlanCard {
            summary: plan.summary(),
            gates: plan.gates.len().min(plan.named_gates().count() + 1),
            gate_rows: 0..0,
            note: Markdown::of(&plan.notes()),
            checkpoint: None,
            verdict: None,
        };
        let last = self.entries.iter_mut().rev().find(|entry| !matches!(entry.body, Body::Gone));
        if let Some(Entry { body: Body::Plan(shown), dirty, .. }) = last.filter(|_| same)
            && shown.verdict.is_none_or(|(word, _)| word == FELL_AWAY)
        {
            // The user goes through their own changes: one plan waits, and it is shown once.
            (**shown, *dirty) = (card, true);
            return;
        }
        for entry in &mut self.entries {
            if let Body::Plan(card) = &mut entry.body
                && card.verdict.is_none_or(|(word, _)| word == FELL_AWAY)
            {
                card.verdict = Some(("replaced", Slot::Soft));
                entry.dirty = true;
            }
        }
        self.add(at, Kind::Card, Body::Plan(Box::new(card)));
    }

    /// The newest plan.
    pub(super) fn newest_plan(&mut self) -> Option<(&mut PlanCard, &mut bool)> {
        self.entries.iter_mut().rev().find_map(|e| {
            let Body::Plan(card) = &mut e.body else { return None };
            Some((card.as_mut(), &mut e.dirty))
        })
    }

    /// The first step of a plan began: one that was not asked about is under way.
    pub(super) fn plan_begun(&mut self) {
        if let Some((card, dirty)) = self.newest_plan()
            && card.verdict.is_none_or(|(word, _)| word == STOPPED)
        {
            card.verdict = Some((UNDER_WAY, Slot::Faint));
            *dirty = true;
        }
    }

    /// A run ended: what was under way of the plan is so no more.
    pub(super) fn plan_ran(&mut self, status: RunStatus) {
        self.finished = status == RunStatus::Completed;
        let of = self.running.take();
        if self.plan.as_ref().is_some_and(|plan| of.is_some_and(|turn| turn != plan.turn)) {
            return;
        }
        if let Some((card, dirty)) = self.newest_plan()
            && card.verdict.is_some_and(|(word, _)| word == UNDER_WAY)
        {
            card.verdict = Some(match status {
                RunStatus::Completed => ("done", Slot::Ok),
                RunStatus::Failed => ("failed", Slot::Bad),
                RunStatus::Ended => ("ended", Slot::Warn),
                RunStatus::Cancelled | RunStatus::Manual | RunStatus::Breakout => (STOPPED, Slot::Soft),
            });
            *dirty = true;
        }
    }
}
