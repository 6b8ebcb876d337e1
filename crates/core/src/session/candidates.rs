//! Plans for the same message beside each other: how many are wanted, and those that there are.
//!
//! Owns their order by score. Never shows one.

use super::State;
use crate::{
    event::Event,
    ids::TurnId,
    intent::Phase,
    lane::LaneKind,
    plan::{Plan, Score},
};

/// Most plans that are made for one message.
pub const MOST_CANDIDATES: usize = 3;

/// The plans of a planning, while it lasts and its plan waits.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Candidates {
    wanted: Option<(TurnId, usize)>,
    all: Vec<Plan>,
}

impl State {
    /// Folds what was made; another phase than that of the plan which waits has none.
    pub(super) fn fold_candidates(&mut self, event: &Event) {
        if let Event::CandidatesWanted { turn, most } = event {
            self.candidates = Candidates { wanted: Some((*turn, *most)), all: Vec::new() };
        } else if let Event::PlanCandidate { plan } = event {
            self.candidates.all.push(plan.clone());
        } else if matches!(event, Event::PhaseChanged { to, .. } if *to != Phase::AwaitingApproval)
            || matches!(event, Event::SessionReopened { .. })
            || matches!(event, Event::LaneOpened { kind: LaneKind::Planning, .. })
        {
            self.candidates.all.clear();
        }
    }

    /// How many plans are made for this message, where so many are configured.
    pub(super) fn candidates_wanted(&self, turn: TurnId, configured: usize) -> usize {
        let wanted = self.candidates.wanted.filter(|(of, _)| self.work_of(*of) == self.work_of(turn));
        wanted.map_or(configured, |(_, most)| most).min(MOST_CANDIDATES)
    }

    /// The plans that were made beside each other for the one that waits, each with its score, as they came.
    pub fn candidates(&self) -> Vec<(&Plan, Score)> {
        let score = |plan: &Plan| {
            let message = self.turns.get(&plan.turn).map(|t| t.head.as_str());
            Score::of(plan, message.unwrap_or_default())
        };
        self.candidates.all.iter().map(|plan| (plan, score(plan))).collect()
    }

    /// The best of them, the first of equals; `None` where there are none.
    pub(super) fn best_candidate(&self) -> Option<&Plan> {
        self.candidates().into_iter().rev().max_by_key(|(_, score)| score.points).map(|(plan, _)| plan)
    }

    /// The number, from 1, of the candidate that this plan is.
    pub fn candidate_number(&self, plan: &Plan) -> Option<usize> {
        let same = |c: &Plan| c.turn == plan.turn && c.document() == plan.document();
        self.candidates.all.iter().position(same).map(|at| at + 1)
    }
}
