//! What the user said is to be left alone, as the state has it, and what of it changed all the same.
//!
//! Owns which messages forbid for which work. Never decides what becomes of a change.

use super::{Apply, Lane, OpenCall, State, changes::SparedWrite, state::TurnInfo};
use crate::{ids::TurnId, intent::IntentNode, shell::FileKind, spared::Spared};

/// Most files that are named.
const MOST_NAMED: usize = 6;

impl State {
    /// What was said for the work of this message, in its order: by every message that the work goes on from, and by what
    /// was told to a run of it or waits to change its plan.
    fn said_for(&self, turn: TurnId) -> impl Iterator<Item = &TurnInfo> {
        let run = self.run.as_ref().map(|r| r.turn);
        let works = [Some(turn), run].map(|of| of.map(|of| self.work_of(of)));
        let of_it = move |id: TurnId| works.contains(&Some(self.work_of(id)));
        let adds = |id: TurnId| self.plan.iter().flat_map(|p| &p.tasks).any(|task| task.turn == Some(id));
        let turns =
            self.turns.iter().filter(move |(id, t)| of_it(**id) || t.told.is_some_and(of_it) || adds(**id));
        turns.map(|(_, said)| &**said)
    }

    /// What is not to be touched in the work of this message; a later one may take it back.
    pub(super) fn spares_of(&self, turn: TurnId) -> Spared {
        let mut spared = Spared::default();
        for said in self.said_for(turn) {
            spared.then(&said.spares, &said.frees);
        }
        spared
    }

    /// Whether nothing is to run in the work of this message; an order to run something takes that back.
    pub(super) fn runs_nothing(&self, turn: TurnId) -> bool {
        let says = |said: &TurnInfo| {
            let orders = said.path.current() == IntentNode::Execute;
            (said.forbids_run || orders).then_some(said.forbids_run)
        };
        self.said_for(turn).filter_map(says).last().unwrap_or_default()
    }

    /// What a call is held to: nothing where the user typed it, or where it is a gate that they agreed to.
    pub(super) fn spared_by(&self, lane: &Lane, call: &OpenCall) -> Spared {
        let held = call.run().is_some() && !call.typed && lane.kind.gate().is_none();
        if held { self.spares_of(lane.turn) } else { Spared::default() }
    }

    /// What commands changed in the run of this message that was to be left alone, and stands; in words.
    pub(super) fn touched_in(&self, turn: TurnId) -> Option<String> {
        let of_run = self.applies().values().filter(|a| a.id.0 > turn.0);
        let told: Vec<String> = of_run.filter_map(Apply::touched).collect();
        (!told.is_empty()).then(|| told.join(" "))
    }
}

impl Apply {
    /// What it is of what is to be left alone, where it is that.
    pub(super) fn spared(&self) -> Option<&SparedWrite> {
        self.command.as_ref()?.spared.as_deref()
    }

    /// What of that changed and was not put back, in words.
    pub(super) fn touched(&self) -> Option<String> {
        let spared = self.spared()?;
        let lost = self.files.iter().filter(|_| spared.lost).map(|f| f.path.to_string());
        let names: Vec<String> = lost.chain(spared.left.iter().cloned()).collect();
        (!names.is_empty()).then(|| touched(&spared.said, &names))
    }
}

/// What changed although it was to be left alone, in words.
pub(super) fn touched(said: &[String], names: &[String]) -> String {
    let many = said.len() > 1
        || said.first().and_then(|s| FileKind::named(s)).is_some_and(|k| k != FileKind::Config);
    let were = if many { "were" } else { "was" };
    let mut what = said.join(" and ");
    if let Some(first) = what.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    let more = names.len().saturating_sub(MOST_NAMED);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    let names: Vec<&str> = names.iter().take(MOST_NAMED).map(String::as_str).collect();
    format!("{what} {were} to be left alone: {}{rest} changed.", names.join(", "))
}
