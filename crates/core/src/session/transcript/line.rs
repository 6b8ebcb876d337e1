//! Lanes as the transcript knows them: which of them runs beside the main line, and what one leaves behind.
//!
//! Owns where a line forks off and what is told of its end. Never words it.

use super::{Entry, Transcript, What};
use crate::{
    ids::{LaneId, Seq, TurnId},
    intent::Phase,
    lane::LaneKind,
};

/// A lane as the transcript knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Line {
    /// What it is for.
    pub kind: LaneKind,
    /// The message that it serves.
    pub turn: TurnId,
    /// How many entries there were when it began.
    pub from: usize,
    /// Whether it runs beside the main line.
    pub beside: bool,
    /// The step at work on the main line when this one began beside it, whose work it is not told.
    pub apart: Option<LaneId>,
    /// Whether it goes on.
    pub open: bool,
    /// Its last reply without a call.
    pub last: Option<Seq>,
    /// Whether its model was asked and did not answer by now.
    pub owes: bool,
}

impl Transcript {
    /// A lane begins; it runs beside the main line where that is at work, unless the work itself goes on
    /// in it: then what had the main line runs beside from here. Of steps at work together the first has
    /// the main line.
    pub(super) fn opened(&mut self, lane: LaneId, kind: LaneKind, turn: TurnId) {
        let at_work = self.lanes.values().any(|l| l.open && !l.beside);
        let child = kind.parent().is_some();
        let step = |kind| matches!(kind, LaneKind::Task(_));
        let mut steps = self.lanes.iter().filter(|(_, l)| l.open && !l.beside && step(l.kind));
        let apart = steps.next().map(|(lane, _)| *lane).filter(|_| step(kind));
        let beside = child || (kind == LaneKind::Answer && at_work) || apart.is_some();
        if kind != LaneKind::Answer && !child {
            let answers = self.lanes.values_mut().filter(|l| l.open && l.kind == LaneKind::Answer);
            answers.for_each(|l| l.beside = true);
        }
        let from = self.entries.len();
        self.lanes
            .insert(lane, Line { kind, turn, from, beside, apart, open: true, last: None, owes: false });
        // What the main line is told only later was said before this began, and is no part of what it forks off.
        if beside && !child {
            let said: Vec<Entry> = self.waiting.iter().filter(|e| e.lane.is_none()).copied().collect();
            self.waiting.extend(said.into_iter().map(|entry| Entry { lane: Some(lane), ..entry }));
        }
    }

    /// Whether a lane's model was asked and owes an answer.
    pub(super) fn owes(&mut self, lane: LaneId, owes: bool) {
        if let Some(line) = self.lanes.get_mut(&lane) {
            line.owes = owes;
        }
    }

    /// A lane ends; one beside the main line leaves what it came to. That it came to nothing, where it was asked
    /// something and stopped, is told where that happened.
    pub(super) fn closed(&mut self, lane: LaneId, at: Option<(Seq, Phase)>) {
        let Some(line) = self.lanes.get_mut(&lane).filter(|l| l.open) else { return };
        line.open = false;
        let line = *line;
        let stopped = at.filter(|_| line.owes && line.last.is_none());
        if line.kind == LaneKind::Planning {
            self.unplanned = stopped.is_some_and(|(_, phase)| phase == Phase::Planning);
        }
        let answer = stopped.filter(|_| line.kind == LaneKind::Answer);
        // The end of a run is told as that.
        if let Some((at, _)) = answer.filter(|(_, phase)| !line.beside && *phase != Phase::Executing) {
            self.push(at, None, What::Record);
        }
        let report = line.last.or(answer.map(|(at, _)| at));
        if let Some(last) = report.filter(|_| line.beside && line.kind.parent().is_none()) {
            self.push(last, None, What::Report(line.turn));
        }
    }

    /// Whether a reply that ends early broke off by itself, rather than by the user's hand.
    pub fn broke_off(&self, reply: Seq) -> bool {
        self.broken.contains(&reply)
    }

    /// Where steps were added to the plan that was told in one event, before another.
    pub fn added(&self, plan: Seq, before: Seq) -> impl Iterator<Item = Seq> {
        self.added.iter().copied().filter(move |at| (plan..before).contains(at))
    }

    /// Whether nothing of a lane was told yet but where its step stands.
    pub(super) fn begins(&self, lane: LaneId) -> bool {
        let own = |e: &Entry| e.lane == Some(lane) && !matches!(e.what, What::Step(_));
        let from = self.lanes.get(&lane).map_or(0, |line| line.from);
        !self.entries.iter().skip(from).any(own)
    }
}
