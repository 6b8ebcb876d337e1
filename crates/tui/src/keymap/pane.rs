//! What keys can mean in each pane: names and labels for the panes' own actions.
//!
//! Owns the lists and their translation. Never acts.

use super::action::actions;
use crate::{conversation::ConversationAction, diff::DiffAction, plan::PlanAction};

actions! {
    /// What a key can mean in the conversation.
    ConversationKey {
        /// One row down.
        Down "down", "scroll down", "this screen";
        /// One row up.
        Up "up", "scroll up", "this screen";
        /// A page down.
        PageDown "page-down", "page down", "this screen";
        /// A page up.
        PageUp "page-up", "page up", "this screen";
        /// To the first message.
        Top "top", "to the beginning", "this screen";
        /// To the last row.
        Bottom "bottom", "to the end", "this screen";
        /// The previous message.
        Previous "previous", "previous message", "this screen";
        /// The next message.
        Next "next", "next message", "this screen";
        /// Fold or unfold.
        Fold "fold", "fold or unfold", "this screen";
        /// Look for a text.
        Search "search", "search", "this conversation";
        /// To the next older match.
        SearchNext "search-next", "next match", "this screen";
        /// To the next newer match.
        SearchPrevious "search-previous", "previous match", "this screen";
        /// Copy.
        Copy "copy", "copy the text", "the clipboard";
        /// Why a call was asked about or not.
        Why "why", "why asked, refused, or not", "shows more; decides nothing";
    }
}

impl ConversationKey {
    /// The pane's action; `None` for the search, which wants a text first.
    pub fn action(self) -> Option<ConversationAction> {
        Some(match self {
            Self::Down => ConversationAction::Scroll(1),
            Self::Up => ConversationAction::Scroll(-1),
            Self::PageDown => ConversationAction::PageDown,
            Self::PageUp => ConversationAction::PageUp,
            Self::Top => ConversationAction::Top,
            Self::Bottom => ConversationAction::Bottom,
            Self::Previous => ConversationAction::Previous,
            Self::Next => ConversationAction::Next,
            Self::Fold => ConversationAction::Fold,
            Self::Search => return None,
            Self::SearchNext => ConversationAction::SearchNext,
            Self::SearchPrevious => ConversationAction::SearchPrevious,
            Self::Copy => ConversationAction::Copy,
            Self::Why => ConversationAction::Why,
        })
    }
}

actions! {
    /// What a key can mean in the plan.
    PlanKey {
        /// The next row.
        Down "down", "next step", "the choice";
        /// The previous row.
        Up "up", "previous step", "the choice";
        /// Details.
        Detail "detail", "detail", "this screen";
        /// Yes to the plan.
        Approve "approve", "approve the plan", "runs its steps; edits still ask";
        /// No to the plan.
        Reject "reject", "reject, then say why", "the plan; nothing was written";
        /// To its proposals.
        OpenDiff "diff", "its proposals", "moves the focus";
        /// A page down.
        PageDown "page-down", "page down", "this screen";
        /// A page up.
        PageUp "page-up", "page up", "this screen";
        /// The first row.
        Top "top", "first step", "the choice";
        /// The last row.
        Bottom "bottom", "last step", "the choice";
    }
}

impl PlanKey {
    /// The pane's action.
    pub const fn action(self) -> PlanAction {
        match self {
            Self::Down => PlanAction::Down,
            Self::Up => PlanAction::Up,
            Self::Detail => PlanAction::Detail,
            Self::Approve => PlanAction::Approve,
            Self::Reject => PlanAction::Reject,
            Self::OpenDiff => PlanAction::OpenDiff,
            Self::PageDown => PlanAction::PageDown,
            Self::PageUp => PlanAction::PageUp,
            Self::Top => PlanAction::Top,
            Self::Bottom => PlanAction::Bottom,
        }
    }
}

actions! {
    /// What a key can mean in the diff.
    DiffKey {
        /// Take the hunk.
        Take "take", "take the hunk, next", "this hunk";
        /// Leave the hunk.
        Leave "leave", "leave the hunk, next", "this hunk";
        /// Taken, left, undecided.
        Toggle "toggle", "take, leave, undecided", "this hunk";
        /// The next hunk.
        NextHunk "next-hunk", "next hunk", "this screen";
        /// The previous hunk.
        PreviousHunk "previous-hunk", "previous hunk", "this screen";
        /// The next file.
        NextFile "next-file", "next file", "this screen";
        /// The previous file.
        PreviousFile "previous-file", "previous file", "this screen";
        /// Write this file.
        Apply "apply", "apply this file", "this file: what is taken, or all of it";
        /// Write every file.
        ApplyAll "apply-all", "apply every file", "all files, all or nothing";
        /// Nothing of this file.
        Skip "skip", "skip the file", "this file; nothing is written";
        /// Up to the plan.
        UpToPlan "up-to-plan", "up, back to the plan", "drops the proposals";
        /// All files.
        DiffAll "diff-all", "all files", "this screen";
        /// Unified or side by side.
        SideBySide "side-by-side", "unified or side by side", "this screen";
        /// More context.
        MoreContext "more-context", "more context", "this screen";
        /// Less context.
        LessContext "less-context", "less context", "this screen";
        /// One row down.
        Down "down", "scroll down", "this screen";
        /// One row up.
        Up "up", "scroll up", "this screen";
        /// A page down.
        PageDown "page-down", "page down", "this screen";
        /// A page up.
        PageUp "page-up", "page up", "this screen";
        /// To the top.
        Top "top", "to the top", "this screen";
        /// To the end.
        Bottom "bottom", "to the end", "this screen";
        /// Edit the proposal.
        Edit "edit", "edit the proposal", "this proposal";
    }
}

impl DiffKey {
    /// The pane's action.
    pub const fn action(self) -> DiffAction {
        match self {
            Self::Take => DiffAction::Take,
            Self::Leave => DiffAction::Leave,
            Self::Toggle => DiffAction::Toggle,
            Self::NextHunk => DiffAction::NextHunk,
            Self::PreviousHunk => DiffAction::PreviousHunk,
            Self::NextFile => DiffAction::NextFile,
            Self::PreviousFile => DiffAction::PreviousFile,
            Self::Apply => DiffAction::Apply,
            Self::ApplyAll => DiffAction::ApplyAll,
            Self::Skip => DiffAction::Skip,
            Self::UpToPlan => DiffAction::Up,
            Self::DiffAll => DiffAction::DiffAll,
            Self::SideBySide => DiffAction::SideBySide,
            Self::MoreContext => DiffAction::MoreContext,
            Self::LessContext => DiffAction::LessContext,
            Self::Down => DiffAction::LineDown,
            Self::Up => DiffAction::LineUp,
            Self::PageDown => DiffAction::PageDown,
            Self::PageUp => DiffAction::PageUp,
            Self::Top => DiffAction::Top,
            Self::Bottom => DiffAction::Bottom,
            Self::Edit => DiffAction::Edit,
        }
    }

    /// Whether it decides something, and so must not be a key that was pressed before the thing
    /// was drawn.
    pub const fn decides(self) -> bool {
        match self {
            Self::Take
            | Self::Leave
            | Self::Toggle
            | Self::Apply
            | Self::ApplyAll
            | Self::Skip
            | Self::UpToPlan => true,
            Self::NextHunk
            | Self::PreviousHunk
            | Self::NextFile
            | Self::PreviousFile
            | Self::DiffAll
            | Self::SideBySide
            | Self::MoreContext
            | Self::LessContext
            | Self::Down
            | Self::Up
            | Self::PageDown
            | Self::PageUp
            | Self::Top
            | Self::Bottom
            | Self::Edit => false,
        }
    }
}
