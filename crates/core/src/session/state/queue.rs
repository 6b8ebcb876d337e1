//! What the user asked for that waits until the run ends.
//!
//! Owns the order in which it is taken. Never begins anything.

use std::collections::VecDeque;

use crate::{ids::TurnId, intent::Control};

/// What waits until the run ends.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Queue {
    /// The next plan.
    pub plan_new: Option<TurnId>,
    /// The plans behind it, in order.
    pub more: VecDeque<TurnId>,
    /// Control words, in order.
    pub control: VecDeque<Control>,
    /// Messages kept until the plan is ready.
    pub later: VecDeque<TurnId>,
}

impl Queue {
    /// How many things wait.
    pub fn len(&self) -> usize {
        usize::from(self.plan_new.is_some()) + self.more.len() + self.control.len() + self.later.len()
    }

    /// The work that waits, the next first.
    pub fn works(&self) -> impl Iterator<Item = TurnId> {
        self.plan_new.iter().chain(&self.more).copied()
    }

    /// Every message that waits: the work, then what is heard before it.
    pub fn turns(&self) -> impl Iterator<Item = TurnId> {
        self.works().chain(self.later.iter().copied())
    }

    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
