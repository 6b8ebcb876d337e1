//! What every pane gets and gives: the context it draws in and what an action leads to.
//!
//! Owns the shapes that pass between the frame and the panes. Panes never talk to each other.

use pilothouse_core::{
    blob::BlobId,
    ids::{Millis, ProposalId},
    input::Input,
    policy::{Request, Ruling},
    port::Ask,
    session::State,
};
use ratatui::{buffer::Buffer, layout::Rect, text::Line};

use crate::{
    diff::Editing,
    row::{Ink, Row},
    theme::{Glyphs, Slot, Theme},
};

/// Below this many columns text begins at the edge.
const INSET_FROM: u16 = 20;

/// What a pane draws with and from.
#[derive(Clone, Copy, Debug)]
pub struct Ctx<'a> {
    /// Colours.
    pub theme: &'a Theme,
    /// Glyphs.
    pub glyphs: &'a Glyphs,
    /// What is true now.
    pub state: &'a State,
    /// The clock; used only where a clock is the content.
    pub now: Millis,
    /// Minutes east of UTC, for times of day.
    pub utc_offset_minutes: i32,
    /// The spinner's frame, 100 ms each; constant while motion is off.
    pub spinner: usize,
}

/// Where keys go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Focus {
    /// To the draft.
    #[default]
    Composer,
    /// To the conversation.
    Conversation,
    /// To the plan.
    Plan,
    /// To the diff.
    Diff,
}

/// What an action led to outside its pane; the frame carries it out, in this order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// For the session.
    pub inputs: Vec<Input>,
    /// For the read port; answers go to every pane.
    pub asks: Vec<Ask>,
    /// Where the keys go now.
    pub focus: Option<Focus>,
    /// Logical text for the clipboard; foreign, to be encoded by the terminal's writer.
    pub copy: Option<String>,
    /// One line for the user, about this key.
    pub notice: Option<String>,
    /// A call that is to be explained, with what decided about it when it was made.
    pub why: Option<Box<(Request, Option<Ruling>)>>,
    /// A word that must be typed before anything happens.
    pub word: Option<WordPrompt>,
    /// A proposal that goes to the user's editor.
    pub edit: Option<Editing>,
}

impl Outcome {
    /// Nothing.
    pub fn none() -> Self {
        Self::default()
    }

    /// One input.
    pub fn input(input: Input) -> Self {
        Self { inputs: vec![input], ..Self::default() }
    }

    /// One line for the user.
    pub fn notice(text: impl Into<String>) -> Self {
        Self { notice: Some(text.into()), ..Self::default() }
    }
}

/// A question that only a typed word answers: a file's removal, or a control file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WordPrompt {
    /// The question, ready to be drawn.
    pub question: String,
    /// The word; anything else drops the question.
    pub word: String,
    /// Another word that does as well.
    pub or: Option<&'static str>,
    /// The proposals that are applied with it, with the hash of what was shown of each.
    pub proposals: Vec<(ProposalId, BlobId)>,
}

impl WordPrompt {
    /// The input that a typed line leads to; `None` when it is not the word.
    pub fn answer(&self, typed: &str) -> Option<Input> {
        let typed = typed.trim();
        (typed == self.word || self.or == Some(typed))
            .then(|| Input::Apply { proposals: self.proposals.clone(), word: Some(typed.to_owned()) })
    }
}

/// What stands in a pane's border; every text in it is clean.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Title {
    /// `Noun · object · position`.
    pub left: String,
    /// A count or a state, styled; may be empty.
    pub right: Line<'static>,
}

/// Where text stands inside a pane: one column from each side of the border where there is room.
pub(crate) fn inside(area: Rect) -> Rect {
    if area.width < INSET_FROM {
        return area;
    }
    Rect { x: area.x + 1, width: area.width - 2, ..area }
}

/// What an empty pane says: what it is for, and how to fill it; a third of the way down.
pub(crate) fn empty_state(ctx: &Ctx<'_>, area: Rect, buf: &mut Buffer, words: &[&str]) {
    let inner = inside(area);
    let top = area.y + area.height / 3;
    let mut y = top;
    for (n, line) in words.iter().enumerate() {
        let slot = if n == 0 { Slot::Text } else { Slot::Soft };
        let columns = usize::from(inner.width).saturating_sub(3);
        for wrapped in crate::row::wrap(&Row::of(line, slot).pieces, columns) {
            let mark = if y == top { ctx.glyphs.inner } else { " " };
            let mut row = Row::of(mark, Slot::Faint).and("  ", Slot::Text);
            row.pieces.extend(wrapped.pieces);
            row.paint(ctx.theme, buf, inner, y);
            y = y.saturating_add(1);
        }
    }
}

/// Keys and what they do, as many as fit whole.
pub(crate) fn hint_line(ctx: &Ctx<'_>, keys: &[(&str, &str)], width: u16) -> Line<'static> {
    let mut row = Row::new();
    for (key, what) in keys {
        let gap = if row.pieces.is_empty() { "" } else { "  " };
        let next = row.clone().and(gap, Slot::Text).and(key, Ink::of(Slot::Accent).bold());
        let next = next.and(" ", Slot::Text).and(what, Slot::Soft);
        if next.width() > usize::from(width) {
            break;
        }
        row = next;
    }
    row.line(ctx.theme)
}
