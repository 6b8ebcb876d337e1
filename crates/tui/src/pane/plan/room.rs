//! What is seen of a plan where there is not room for all of it.
//!
//! Owns how far it is scrolled and what stays. Never draws.

use pilothouse_core::plan::TaskStatus;

use super::{
    ID, PlanPane,
    rows::{self, Item, Target},
};
use crate::pane::{Ctx, Focus};

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

    pub(super) fn settle(&mut self) {
        let height = self.height();
        let targets = self.items.iter().filter(|i| i.target.is_some()).count();
        self.cursor = self.cursor.min(targets.saturating_sub(1));
        self.offset = self.offset.min(self.items.len().saturating_sub(height));
        let at = self.chosen().map_or(0, |(at, _)| at);
        if self.cursor == 0 {
            self.offset = 0;
        }
        if at < self.offset {
            self.offset = at;
        } else if at >= self.offset + height {
            self.offset = at + 1 - height;
        }
        // What was opened of it is seen with it, and all of a gate's line, as far as there is room.
        let behind = self.items.iter().skip(at + 1).take_while(|i| i.target.is_none() && !i.heads).count();
        let whole = |target: Target| self.open.contains(&target) || matches!(target, Target::Gate(_));
        let opened = self.chosen().is_some_and(|(_, target)| whole(target));
        if opened && at + behind >= self.offset + height {
            self.offset = at.min((at + behind + 1).saturating_sub(height));
        }
        if self.cursor + 1 == targets && self.cursor > 0 {
            let tail = self.items.len().saturating_sub(height);
            if at >= tail {
                self.offset = tail;
            }
        }
    }
}
