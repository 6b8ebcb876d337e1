//! What can lie over the body: lists, pages and lines that are asked for.
//!
//! Owns which kinds there are and how each is drawn. Never acts: the root does.

pub mod approvals;
pub mod help;
pub mod page;
pub mod palette;
pub mod reason;
pub mod rule;
pub mod sheet;
pub mod why;

use ratatui::layout::Rect;

pub use help::Help;
pub use palette::Palette;
pub use reason::Reason;
pub use rule::RuleOffer;
pub use sheet::Sheet;
pub use why::Inspected;

use crate::{approvals::Approvals, prompt::Prompt};

/// Something that lies over the body.
#[derive(Debug)]
pub enum Overlay {
    /// What waits for the user.
    Approvals(Approvals),
    /// Every action by name.
    Palette(Palette),
    /// The keys.
    Help(Help),
    /// Where things stand.
    Status,
    /// How a model is connected.
    Connect,
    /// Why a message takes its path.
    Why(Box<Inspected>),
    /// Everything that the folder brings.
    Sheet(Sheet),
    /// Why a call is asked about, or is not.
    Reason(Reason),
    /// A rule that would be kept for good.
    Rule(Box<RuleOffer>),
    /// A line that is asked for.
    Prompt(Prompt),
}

impl Overlay {
    /// The keys, from the top.
    pub fn help() -> Self {
        Self::Help(Help::default())
    }
}

/// A rectangle of at most this size in the middle of `body`, a little above it.
pub fn centred(body: Rect, width: u16, height: u16) -> Rect {
    let (width, height) = (width.min(body.width), height.min(body.height));
    let x = body.x + (body.width - width) / 2;
    let y = body.y + (body.height - height) / 3;
    Rect { x, y, width, height }
}
