//! What is seen of a plan where there is not room for all of it.
//!
//! Owns how far it is scrolled and what stays. Never draws.

use std::ops::Range;

use pilothouse_core::{event::Event, lane::LaneKind, plan::TaskStatus, session::State};
use ratatui::layout::{Position, Rect};

use super::{
    ID, PlanPane,
    rows::{self, Item, Target},
};
use crate::{
    pane::{Ctx, Focus, inside},
    row::Row,
    theme::Slot,
};

/// Whether a plan that is done gives its room back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Away {
    /// It does not.
    #[default]
    Stays,
    /// It was committed, and nothing was said since.
    Committed,
    /// It has given it back.
    Gone,
}

impl PlanPane {
    /// A plan that is done gives its room back once it was committed and something else is said, or another order is at
    /// work.
    #[expect(clippy::wildcard_enum_match_arm, reason = "nothing else has to do with that")]
    pub(super) fn note_away(&mut self, state: &State, event: &Event) {
        let done = rows::plan_of(state).map(|(plan, _)| plan).filter(|plan| rows::finished(plan));
        self.away = match event {
            Event::CommitEnded { made: Some(_), .. } if done.is_some() => Away::Committed,
            Event::TurnStarted { .. } if self.away == Away::Committed => Away::Gone,
            Event::LaneOpened { kind: LaneKind::Planning | LaneKind::Goal, turn, .. }
                if done.is_some_and(|plan| plan.turn != *turn) =>
            {
                Away::Gone
            }
            Event::PlanReady { .. } => Away::Stays,
            Event::RunStarted { turn, .. } if rows::is_of_plan(state, *turn) => Away::Stays,
            _ => return,
        };
    }

    /// Rows for the steps and the gates.
    pub(super) fn height(&self) -> usize {
        usize::from(self.size.height.saturating_sub(self.foot_rows())).max(1)
    }

    /// Where the keys are elsewhere, the step at work is seen.
    pub(super) fn show_work(&mut self, ctx: &Ctx<'_>) {
        let works = |item: &Item| {
            let Some(Target::Task(id)) = item.target else { return false };
            rows::plan_of(ctx.state).and_then(|(plan, _)| plan.task(id)).map(|t| t.status)
                == Some(TaskStatus::Running)
        };
        let at = self.items.iter().position(works).filter(|_| ctx.focus != Focus::Pane(ID));
        let height = self.height();
        if let Some(at) = at.filter(|at| !(self.offset..self.offset + height).contains(at)) {
            // What is done just before it says how it came here.
            self.offset = at
                .saturating_sub(height.saturating_sub(1).min(2))
                .min(self.items.len().saturating_sub(height));
        }
    }

    /// The rows that belong together with what is chosen: down to the next that can be chosen, from a heading, of the
    /// first from the top and of the last to the end.
    fn block(&self) -> Range<usize> {
        let Some((at, _)) = self.chosen() else { return 0..self.items.len() };
        let behind = self.items.iter().skip(at + 1);
        let own = |i: &&Item| i.target.is_none() && !i.heads && !i.row.pieces.is_empty();
        let is_last = behind.clone().all(|i| i.target.is_none());
        let end = if is_last { self.items.len() } else { at + 1 + behind.take_while(own).count() };
        let heading = at.checked_sub(1).filter(|n| self.items.get(*n).is_some_and(|i| i.heads));
        if self.cursor == 0 { 0..end } else { heading.unwrap_or(at)..end }
    }

    /// What stands at the right of the last row on the screen where these are the last of them: how many steps are below,
    /// if any are. The only row that there is belongs to the plan.
    pub(super) fn edge(&self, end: usize) -> Option<Row> {
        let below = self.items.get(end..).filter(|below| !below.is_empty() && self.height() > 1)?;
        let more = match below.iter().filter(|item| matches!(item.target, Some(Target::Task(_)))).count() {
            0 => "more below".to_owned(),
            1 => "1 more step".to_owned(),
            n => format!("{n} more steps"),
        };
        Some(Row::of(&format!(" {} {more} ", self.ellipsis), Slot::Faint))
    }

    /// Whether the last row on the screen has no room beside what is said of those below, where these are the last of them.
    pub(super) fn is_cut(&self, end: usize) -> bool {
        let Some((edge, last)) = self.edge(end).zip(end.checked_sub(1).and_then(|n| self.items.get(n)))
        else {
            return false;
        };
        let room = self.columns().saturating_sub(edge.width());
        last.row.width() > room
    }

    /// Columns of a row.
    fn columns(&self) -> usize {
        usize::from(inside(Rect::from((Position::ORIGIN, self.size))).width)
    }

    /// Rows that are read at once where these are the last of them.
    fn read_at_once(&self, end: usize) -> usize {
        self.height() - usize::from(self.is_cut(end))
    }

    /// The rows that are on the screen whole.
    pub(super) fn seen_whole(&self) -> Range<usize> {
        let height = usize::from(self.size.height.saturating_sub(self.foot_rows()));
        let end = (self.offset + height).min(self.items.len());
        self.offset..end - usize::from(height > 0 && self.is_cut(end))
    }

    /// One on: the next that can be chosen, once all of what is chosen was to be read.
    pub(super) fn step_on(&mut self) {
        let end = self.block().end;
        if self.offset + self.read_at_once(end) < end {
            self.offset += 1;
        } else {
            self.cursor += 1;
        }
    }

    /// One back, likewise.
    pub(super) fn step_back(&mut self) {
        let block = self.block();
        if self.offset > block.start && block.len() > self.read_at_once(block.end) {
            self.offset -= 1;
        } else {
            self.cursor = self.cursor.saturating_sub(1);
        }
    }

    /// As many steps as there are rows at once; no row is passed that was not on the screen.
    pub(super) fn page(&mut self, step: fn(&mut Self)) {
        let page = self.height().saturating_sub(2).max(1);
        let from = self.offset;
        for n in 0..page {
            let before = (self.cursor, self.offset);
            step(self);
            self.settle();
            if n > 0 && self.offset.abs_diff(from) > page {
                (self.cursor, self.offset) = before;
                break;
            }
        }
    }

    /// Brings what is chosen onto the screen, as much of it as there is room for.
    pub(super) fn settle(&mut self) {
        let targets = self.items.iter().filter(|i| i.target.is_some()).count();
        self.cursor = self.cursor.min(targets.saturating_sub(1));
        let block = self.block();
        let room = self.read_at_once(block.end);
        let (least, most) = (block.end.saturating_sub(room), block.start);
        let last = self.items.len().saturating_sub(self.height());
        self.offset = self.offset.clamp(least.min(most), least.max(most)).min(last);
    }
}
