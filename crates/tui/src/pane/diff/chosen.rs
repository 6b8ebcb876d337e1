//! Lines of a hunk that are chosen, to be decided by themselves.
//!
//! Owns which they are and the keys that move them. Where they begin and end the hunk is split by the session.

use std::ops::Range;

use pilothouse_core::{
    diff::{Change, Lines},
    input::Input,
    proposal::{Decision, ProposalStatus},
};

use super::{
    DiffAction, DiffPane,
    doc::Line,
    read::{Part, Read},
};
use crate::pane::{Ctx, Outcome};

/// Which lines of the hunk are chosen, a line that goes with the one that comes for it.
#[derive(Debug, Default)]
pub(super) struct Chosen {
    at: usize,
    /// Where a range of several was begun.
    from: Option<usize>,
    /// What was on the screen since lines are chosen: nothing else is decided.
    seen: Read<Line>,
    /// A chosen line that a key wanted to decide before it was seen, and the first row of it that was not; it is shown from
    /// there until the cursor moves.
    unseen: Option<(Line, usize)>,
}

impl Chosen {
    fn range(&self) -> Range<usize> {
        let from = self.from.unwrap_or(self.at);
        from.min(self.at)..from.max(self.at) + 1
    }

    /// This much of a line was on the screen.
    pub(super) fn saw(&mut self, line: Line, part: &Part) {
        self.seen.saw(line, part);
    }

    /// The keys that act on them.
    pub(super) fn keys(&self) -> [(&'static str, &'static str); 5] {
        let range = if self.from.is_some() { "one line" } else { "from here" };
        [("j k", "line"), ("v", range), ("y", "take"), ("n", "leave"), ("Esc", "whole hunk")]
    }
}

impl DiffPane {
    /// Begins to choose lines of the hunk.
    pub(super) fn choose_lines(&mut self) -> Outcome {
        if self.spot().is_none() {
            return Outcome::notice("still loading; nothing is decided unseen");
        }
        if self.hunk_lines().len() < 2 {
            return Outcome::notice("this hunk is one line; y takes it, n leaves it");
        }
        self.lines = Some(Chosen::default());
        Outcome::none()
    }

    /// What a key does to chosen lines; `None` where there are none, or they are left by it.
    pub(super) fn act_on_lines(&mut self, action: DiffAction, ctx: &Ctx<'_>) -> Option<Outcome> {
        let last = self.hunk_lines().len().saturating_sub(1);
        let decision = self.decision(ctx, self.current, self.hunk);
        let chosen = self.lines.as_mut()?;
        if action == DiffAction::Down {
            chosen.at = (chosen.at + 1).min(last);
        } else if action == DiffAction::Up {
            chosen.at = chosen.at.saturating_sub(1);
        } else if action == DiffAction::Lines {
            chosen.from = if chosen.from.is_some() { None } else { Some(chosen.at) };
        } else if action == DiffAction::Take || action == DiffAction::Toggle && decision.is_none() {
            return Some(self.decide_lines(Some(Decision::Taken), ctx));
        } else if action == DiffAction::Leave
            || action == DiffAction::Toggle && decision == Some(Decision::Taken)
        {
            return Some(self.decide_lines(Some(Decision::Left), ctx));
        } else if action == DiffAction::Toggle {
            return Some(self.decide_lines(None, ctx));
        } else {
            self.lines = None;
            return None;
        }
        chosen.unseen = None;
        Some(Outcome::none())
    }

    /// Decides the chosen lines and goes on to what stands behind them. Where one of them was not on the screen yet, it is
    /// shown instead.
    fn decide_lines(&mut self, decision: Option<Decision>, ctx: &Ctx<'_>) -> Outcome {
        let unseen = self.unseen_line(ctx);
        if let Some(chosen) = self.lines.as_mut().filter(|_| unseen.is_some()) {
            chosen.unseen = unseen;
            return Outcome::notice(
                "some of these lines were off the screen; look at them, then press the key again",
            );
        }
        let (Some(chosen), Some(file)) = (self.lines.take(), self.file()) else { return Outcome::none() };
        if Self::proposal(ctx, file.id).is_none_or(|p| p.status != ProposalStatus::Open) {
            return Outcome::notice("it is being written, so nothing can be decided now");
        }
        let (proposal, shown, hunk, lines) = (file.id, file.shown, self.hunk, chosen.range());
        // The parts that the hunk falls into are counted from here on; the last of them is the next to look at.
        self.hunk += usize::from(lines.start > 0) + usize::from(lines.end < self.hunk_lines().len());
        Outcome::input(Input::DecideLines { proposal, hunk, lines, decision, shown })
    }

    /// The first of the chosen lines that was not on the screen since they are chosen, and its first row that was not.
    fn unseen_line(&self, ctx: &Ctx<'_>) -> Option<(Line, usize)> {
        let chosen = self.lines.as_ref()?;
        let of = self.chosen_changes();
        let mut lines = self.doc.lines.iter().enumerate().filter(|(_, line)| self.is_of(&of, **line));
        let (n, line) = lines.find(|(_, line)| !chosen.seen.has(**line))?;
        Some((*line, chosen.seen.to(*line, self.height(ctx, n))))
    }

    /// The lines of the hunk, each with the one that it stands for.
    fn hunk_lines(&self) -> Vec<Change> {
        let hunk = self.file().and_then(|f| f.hunks.get(self.hunk));
        hunk.map(pilothouse_core::diff::Hunk::lines).unwrap_or_default()
    }

    /// What is chosen of the hunk.
    pub(super) fn chosen_changes(&self) -> Vec<Change> {
        let chosen = self.lines.as_ref().map(Chosen::range);
        chosen.and_then(|range| Some(self.hunk_lines().get(range)?.to_vec())).unwrap_or_default()
    }

    /// Whether a line is one of these of the hunk.
    pub(super) fn is_of(&self, chosen: &[Change], line: Line) -> bool {
        let holds = |of: Lines, n: usize| (of.start..of.end()).contains(&n);
        let old = |n: usize| chosen.iter().any(|c| holds(c.old, n));
        let new = |n: usize| chosen.iter().any(|c| holds(c.new, n));
        match line {
            Line::Old(file, hunk, n) => (file, hunk) == (self.current, self.hunk) && old(n),
            Line::New(file, hunk, n) => (file, hunk) == (self.current, self.hunk) && new(n),
            Line::Both(file, hunk, before, after) => {
                (file, hunk) == (self.current, self.hunk)
                    && (before.is_some_and(old) || after.is_some_and(new))
            }
            Line::Blank | Line::File(_) | Line::Hunk(..) | Line::Same(..) | Line::Wait | Line::Lost => false,
        }
    }

    /// Brings the line at the cursor onto the screen, whole: with the one that comes for it, where both have room.
    pub(super) fn show_line(&mut self, ctx: &Ctx<'_>) {
        let Some(chosen) = &self.lines else { return };
        let at: Vec<Change> = self.hunk_lines().get(chosen.at).copied().into_iter().collect();
        let shown =
            |line: Line| chosen.unseen.map_or_else(|| self.is_of(&at, line), |(unseen, _)| line == unseen);
        let Some(spot) = self.spot() else { return };
        let own = self.doc.lines.get(spot.line..spot.end).unwrap_or_default();
        let Some(first) = own.iter().position(|line| shown(*line)) else { return };
        let last = own.iter().rposition(|line| shown(*line)).unwrap_or(first);
        let (first, last) = (spot.line + first, spot.line + last);
        let begins = (first, 0);
        if let Some((_, row)) = chosen.unseen {
            self.top = (first, row);
            return;
        }
        let both = self.page_to(ctx, last + 1);
        let ends = if both <= begins { both } else { self.page_to(ctx, first + 1) };
        // A line that is longer than the screen can be scrolled.
        self.top = self.top.clamp(ends.min(begins), ends.max(begins));
    }
}
