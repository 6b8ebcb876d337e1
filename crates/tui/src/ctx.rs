//! What panes and overlays are handed: all that they draw with and act on, and how they say what they want.
//!
//! Owns the shapes that pass between the frame and its parts. Parts never talk to each other.

use std::time::Instant;

use pilothouse_core::{
    checkpoint::Answer,
    digest::Place,
    ids::{CheckpointId, Millis, TurnId},
    input::Input,
    port::{Ask, Surroundings},
    session::{Session, State},
};
use ratatui::layout::Rect;

use crate::{
    composer::Draft,
    highlight::Highlighter,
    keymap::{Action, Keymap},
    overlay::Overlay,
    pane::{Focus, PaneId},
    standing::{Pressed, Standing},
    theme::{Glyphs, Theme},
    window::{RunRow, WindowWish},
};

/// Said when a key came before the thing it would have answered stood there for long enough.
pub const TOO_EARLY: &str = "that key was pressed before this appeared; press it again if you mean it";

/// Told where another window holds the session.
const HELD: &str = "another window holds this session; this one only reads";
/// Told once that one has left it.
const FREE: &str = "no window holds this session any longer; Enter takes it over";

/// Why nothing is done here, where another window held the session when it was opened.
pub fn only_reads(around: &Surroundings) -> Option<&'static str> {
    around.read_only.then_some(if around.free { FREE } else { HELD })
}

/// What a pane or an overlay draws with and acts on.
#[derive(Clone, Copy, Debug)]
pub struct Ctx<'a> {
    /// Colours.
    pub theme: &'a Theme,
    /// Glyphs.
    pub glyphs: &'a Glyphs,
    /// The session as it was told.
    pub session: &'a Session,
    /// What is true now.
    pub state: &'a State,
    /// What surrounds the session.
    pub surroundings: &'a Surroundings,
    /// Every session of this window, and the runs that no window shows.
    pub runs: &'a [RunRow],
    /// Works out the colours of code.
    pub colours: &'a Highlighter,
    /// Which keys mean what.
    pub keymap: &'a Keymap,
    /// The clock; used only where a clock is the content.
    pub now: Millis,
    /// The spinner's frame, 100 ms each; constant while motion is off.
    pub spinner: usize,
    /// Where overlays may lie.
    pub body: Rect,
    /// As much of that as lies above the bar.
    pub above_bar: Rect,
    /// Where keys go.
    pub focus: Focus,
    /// What is being written.
    pub draft: &'a Draft,
    /// The question in the bar, and since when it stands there.
    pub asked: &'a Standing<CheckpointId>,
    /// When the key that is being taken came, or when this is drawn.
    pub at: Instant,
    /// The key that is being taken.
    pub pressed: Pressed,
}

impl Ctx<'_> {
    /// Why nothing is done here, where the session can only be read.
    pub fn only_reads(&self) -> Option<&'static str> {
        only_reads(self.surroundings)
    }

    /// Whether the key that is being taken can answer what stands there.
    pub fn stood<T: PartialEq>(&self, place: &Standing<T>, what: &T) -> bool {
        self.pressed.answers(place, what)
    }
}

/// A line of a file that the user wants to see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Where.
    pub place: Place,
    /// Whether in the editor, even where a pane could show it.
    pub editor: bool,
}

/// What a key led to outside its pane or overlay; the frame carries it out, in this order.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Whether the overlay that it came from is to go.
    pub close: bool,
    /// Whether every overlay is to go.
    pub leave: bool,
    /// For the session.
    pub inputs: Vec<Input>,
    /// The answer to a question, to be bound to what was shown of it.
    pub answer: Option<(CheckpointId, Answer)>,
    /// Where the keys go now.
    pub focus: Option<Focus>,
    /// What is to lie on top.
    pub open: Option<Box<dyn Overlay>>,
    /// For the read port; answers go to every pane and overlay.
    pub asks: Vec<Ask>,
    /// An action that was chosen by name.
    pub run: Option<Action>,
    /// A line that the page below asked for.
    pub below: Option<String>,
    /// A line that a pane asked for.
    pub line: Option<(PaneId, String)>,
    /// A call that is to stand before what is being written.
    pub call: Option<String>,
    /// A command that waits and is to be changed in the composer.
    pub change_command: Option<CheckpointId>,
    /// For the window: other sessions.
    pub window: Option<WindowWish>,
    /// Logical text for the clipboard; foreign, to be encoded by the terminal's writer.
    pub copy: Option<String>,
    /// A text for the user's editor.
    pub edit: Option<Handout>,
    /// A line of a file of the workspace that the user wants to see.
    pub place: Option<Wanted>,
    /// A message of the conversation that the user wants to see.
    pub turn: Option<TurnId>,
    /// A theme by its name.
    pub theme: Option<String>,
    /// Whether the list of themes is to lie on top.
    pub themes: bool,
    /// What was written and goes nowhere: the history keeps it.
    pub kept: Option<String>,
    /// Whether what others may have changed meanwhile is looked at: something is shown that was not.
    pub look: bool,
    /// One line for the user, about this key.
    pub notice: Option<String>,
    /// One line for the user, about what was not done.
    pub complaint: Option<String>,
}

/// A text for the user's editor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Handout {
    /// A file name that tells what it is, without a folder.
    pub name: String,
    /// The text.
    pub text: String,
    /// The line that is looked at, counted from one; `None` begins at its top.
    pub line: Option<u32>,
}

impl Handout {
    /// From its top.
    pub fn new(name: impl Into<String>, text: String) -> Self {
        Self { name: name.into(), text, line: None }
    }
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

    /// Something for the window.
    pub fn window(wish: WindowWish) -> Self {
        Self { window: Some(wish), ..Self::default() }
    }

    /// An action by its name.
    pub fn run(action: Action) -> Self {
        Self { run: Some(action), ..Self::default() }
    }

    /// An answer to a question.
    pub fn answer(question: CheckpointId, answer: Answer) -> Self {
        Self { answer: Some((question, answer)), ..Self::default() }
    }

    /// Another place for the keys.
    pub fn focus(focus: Focus) -> Self {
        Self { focus: Some(focus), ..Self::default() }
    }

    /// Something to lie on top.
    pub fn open(overlay: impl Overlay + 'static) -> Self {
        Self { open: Some(Box::new(overlay)), ..Self::default() }
    }

    /// The overlay goes.
    pub fn close() -> Self {
        Self { close: true, ..Self::default() }
    }

    /// One line for the user.
    pub fn notice(text: impl Into<String>) -> Self {
        Self { notice: Some(text.into()), ..Self::default() }
    }

    /// One line for the user about what was not done.
    pub fn complaint(text: impl Into<String>) -> Self {
        Self { complaint: Some(text.into()), ..Self::default() }
    }

    /// Whether it does nothing but by inputs and by moving the focus: nothing is opened, answered, left or begun.
    pub fn only_moves(&self) -> bool {
        let opened = self.open.is_some()
            || self.themes
            || self.edit.is_some()
            || self.place.is_some()
            || !self.asks.is_empty();
        let begun = self.run.is_some()
            || self.line.is_some()
            || self.below.is_some()
            || self.call.is_some()
            || self.window.is_some();
        let answered = self.answer.is_some() || self.change_command.is_some();
        !(self.close || self.leave || opened || begun || answered)
    }

    /// The same, and the overlay goes.
    #[must_use]
    pub fn and_close(self) -> Self {
        Self { close: true, ..self }
    }
}
