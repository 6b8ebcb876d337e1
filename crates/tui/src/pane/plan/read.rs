//! What of the plan was read: a yes to it is one to the lines of its gates.
//!
//! Owns which of their rows stood on the screen, what is said where a yes comes before that, and the key of a red gate.

use std::{collections::BTreeSet, ops::Range};

use pilothouse_core::{
    checkpoint::{Answer, Checkpoint},
    question::Act,
};

use super::{PlanPane, rows};
use crate::{
    ctx::{Ctx, Outcome, TOO_EARLY},
    row::Row,
};

/// Said where a yes comes before the lines that it covers were read, which stand below or above.
const NOT_READ: [&str; 2] =
    ["y covers lines you have not seen: j scrolls down", "y covers lines you have not seen: k scrolls up"];

impl PlanPane {
    /// Whether this is about a plan of which not all that a yes covers was on the screen.
    pub(super) fn is_unread(&self, question: &Checkpoint) -> bool {
        question.kind.is_confirmation() && !self.shows_gates(true)
    }

    /// Why a key answers nothing yet.
    pub(super) fn not_yet(&self, question: &Checkpoint) -> Outcome {
        let [on, back] = NOT_READ;
        let where_to = if self.goes_back() { back } else { on };
        Outcome::complaint(if self.is_unread(question) { where_to } else { TOO_EARLY })
    }

    /// The rows of gates, among all; the rest of a long line stands below its first row.
    fn gate_rows(&self) -> Range<usize> {
        let of_gate = |item: &rows::Item| matches!(item.target, Some(rows::Target::Gate(_)));
        let (Some(from), Some(last)) =
            (self.items.iter().position(of_gate), self.items.iter().rposition(of_gate))
        else {
            return 0..0;
        };
        let behind = self.items.iter().skip(last + 1);
        let more = behind.take_while(|item| item.target.is_none() && !item.row.pieces.is_empty());
        from..last + 1 + more.count()
    }

    /// Where a row of what goes beyond stands among all of them, if it does.
    fn place_of(&self, row: &Row) -> Option<usize> {
        self.items.iter().position(|item| item.target.is_none() && item.row == *row)
    }

    /// All that a yes covers and that has to be read before it: the lines of gates, and what goes beyond what was asked for.
    /// Which of these rows are on the screen, and how they all read.
    fn drawn_gates(&self) -> (Vec<Row>, BTreeSet<usize>) {
        let gates = self.gate_rows();
        let seen = self.seen_whole();
        let pinned = |row: &Row| self.pinned.contains(row);
        let stands = |row: &Row| pinned(row) || self.place_of(row).is_some_and(|at| seen.contains(&at));
        let beyond = self.beyond.iter().zip(gates.len()..).filter(|(row, _)| stands(row)).map(|(_, n)| n);
        let lines = gates.clone().filter(|row| seen.contains(row)).map(|row| row - gates.start);
        let drawn = lines.chain(beyond).collect();
        let rows = self.items.get(gates).unwrap_or_default();
        (rows.iter().map(|item| &item.row).chain(&self.beyond).cloned().collect(), drawn)
    }

    /// Whether the first of them that was not read stands above what is on the screen.
    fn goes_back(&self) -> bool {
        let gates = self.gate_rows();
        let (rows, drawn) = self.drawn_gates();
        let read = self.read.iter().filter(|(of, _)| *of == rows).flat_map(|(_, read)| read);
        let read: BTreeSet<&usize> = read.chain(&drawn).collect();
        let place = |(n, row)| if n < gates.len() { Some(gates.start + n) } else { self.place_of(row) };
        let unread = rows.iter().enumerate().filter(|(n, _)| !read.contains(n));
        unread.filter_map(place).min().is_some_and(|first| first < self.offset)
    }

    /// Whether all of them stand in what is drawn, where nothing lies over it, or stood there before: a yes to the plan is
    /// one to these.
    pub(super) fn shows_gates(&self, bare: bool) -> bool {
        let (rows, mut drawn) = self.drawn_gates();
        let read = self.read.as_ref().filter(|(of, _)| *of == rows);
        if !bare {
            drawn.clear();
        }
        drawn.extend(read.iter().flat_map(|(_, read)| read));
        (bare || read.is_some()) && drawn.len() == rows.len()
    }

    /// Keeps which of them are on the screen.
    pub(super) fn note_gates(&mut self) {
        let (rows, drawn) = self.drawn_gates();
        let before = self.read.take().filter(|(of, _)| *of == rows);
        let (_, read) = self.read.insert(before.unwrap_or_else(|| (rows, BTreeSet::new())));
        read.extend(drawn);
    }

    /// Runs the gate that is red once more.
    pub(super) fn run_gate(ctx: &Ctx<'_>) -> Outcome {
        let again = |act: &Act| *act == Act::Give(Answer::Again);
        let waits = ctx.state.phase_question().filter(|q| q.kind.choices().iter().any(|c| again(&c.act)));
        match waits {
            Some(question) if ctx.stood(ctx.asked, &question.id) => {
                Outcome::answer(question.id, Answer::Again)
            }
            Some(_) => Outcome::complaint(TOO_EARLY),
            None => Outcome::notice("no gate is red; stale gates run again on their own"),
        }
    }
}
