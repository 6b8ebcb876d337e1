//! What is seen of a plan where there is not room for all of it.
//!
//! Owns how far it is scrolled and what stays. Never draws.

use std::ops::Range;

use pilothouse_core::plan::TaskStatus;
use ratatui::layout::{Position, Rect};

use super::{
    ID, PlanPane,
    rows::{self, Item, Target},
};
use crate::pane::{Ctx, Focus, inside};

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

    /// The rows that belong together with what is chosen: down to the next that can be chosen, of the first from the top
    /// and of the last to the end.
    fn block(&self) -> Range<usize> {
        let Some((at, _)) = self.chosen() else { return 0..self.items.len() };
        let behind = self.items.iter().skip(at + 1);
        let own = |i: &&Item| i.target.is_none() && !i.heads && !i.row.pieces.is_empty();
        let is_last = behind.clone().all(|i| i.target.is_none());
        let end = if is_last { self.items.len() } else { at + 1 + behind.take_while(own).count() };
        if self.cursor == 0 { 0..end } else { at..end }
    }

    /// Rows that are read at once where these are the last of them: not the one beside which it is counted what stands
    /// below.
    fn read_at_once(&self, end: usize) -> usize {
        let height = self.height();
        let last = end.checked_sub(1).is_some_and(|row| self.is_cut(row));
        if end < self.items.len() && height > 1 && last { height - 1 } else { height }
    }

    /// Whether a row is cut where it stands at the edge: one that goes on with the line above it and fills its width.
    fn is_cut(&self, row: usize) -> bool {
        let width = usize::from(inside(Rect::from((Position::ORIGIN, self.size))).width);
        self.items.get(row).is_some_and(|i| i.target.is_none() && i.row.width() + self.label > width)
    }

    /// The rows that are on the screen whole.
    pub(super) fn seen_whole(&self) -> Range<usize> {
        let height = usize::from(self.size.height.saturating_sub(self.foot_rows()));
        let end = (self.offset + height).min(self.items.len());
        let cut = end < self.items.len() && height > 1 && self.is_cut(end - 1);
        self.offset..end - usize::from(cut)
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
