//! The rows of a plan before they have a place: which of them give way where there is not room for all.
//!
//! Owns their order, and which rows hold nothing. Never says how much room there is.

use super::{
    Item,
    reach::{self, Block},
};
use crate::row::Row;

/// What is drawn of a plan: the footer stands below it.
#[derive(Debug, Default)]
pub(in super::super) struct Drawn {
    /// Its rows, without those that follow.
    pub(in super::super) items: Vec<Item>,
    /// What a yes to it allows, and before which of the rows that stands where there is room for all.
    pub(in super::super) reach: (Vec<Block>, usize),
}

impl Drawn {
    /// All of it in its order.
    pub(in super::super) fn whole(mut self) -> Vec<Item> {
        let (blocks, at) = self.reach;
        let rows = reach::whole(&blocks);
        let rows = (!rows.is_empty()).then(Row::new).into_iter().chain(rows).map(Item::plain);
        let at = at.min(self.items.len());
        self.items.splice(at..at, rows);
        self.items
    }

    /// How many rows it has without the empty ones, beside what a yes allows.
    pub(in super::super) fn least(&self) -> usize {
        self.items.iter().filter(|item| !item.row.pieces.is_empty()).count()
    }

    /// Takes out empty rows, the last first, until there are no more than so many rows beside what a yes allows, or none
    /// is left.
    pub(in super::super) fn close_up(&mut self, rows: usize) {
        while self.items.len() > rows
            && let Some(at) = self.items.iter().rposition(|item| item.row.pieces.is_empty())
        {
            self.items.remove(at);
            self.reach.1 -= usize::from(at < self.reach.1);
        }
    }

    /// The same until all of it has room.
    pub(in super::super) fn close_up_to(&mut self, room: usize) {
        self.close_up(room.saturating_sub(self.height() - self.items.len()));
    }

    /// How many rows that is.
    pub(in super::super) fn height(&self) -> usize {
        let reach: usize = self.reach.0.iter().map(Block::height).sum();
        self.items.len() + reach + usize::from(reach > 0)
    }
}
