//! What every pane gets and gives: the context it draws in and what an action leads to.
//!
//! Owns the shapes that pass between the frame and the panes. Panes never talk to each other.

use pilothouse_core::{
    blob::BlobId,
    ids::{Millis, ProposalId},
    input::Input,
    port::Ask,
    session::State,
};
use ratatui::text::Line;

use crate::theme::{Glyphs, Theme};

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
    /// A word that must be typed before anything happens.
    pub word: Option<WordPrompt>,
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

/// A question that only a typed word answers: a file's removal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WordPrompt {
    /// The question, ready to be drawn.
    pub question: String,
    /// The word; anything else drops the question.
    pub word: String,
    /// The proposals that are applied with it, with the hash of what was shown of each.
    pub proposals: Vec<(ProposalId, BlobId)>,
}

impl WordPrompt {
    /// The input that a typed line leads to; `None` when it is not the word.
    pub fn answer(&self, typed: &str) -> Option<Input> {
        let typed = typed.trim();
        (typed == self.word)
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
