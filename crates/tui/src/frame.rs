//! What can be done anywhere, whatever has the focus, besides opening overlays and going to panes.
//!
//! Owns the closed list. Never acts: the root update does.

use crate::keymap::action::actions;

actions! {
    /// What can be done anywhere.
    Action in "anywhere" {
        /// Show or hide details.
        Details "details", "details", "this screen";
        /// Scroll the pane that has the keys up by a page, else the conversation.
        ScrollUp "scroll-up", "scroll up", "this screen";
        /// Scroll it down by a page.
        ScrollDown "scroll-down", "scroll down", "this screen";
        /// Take the last applied change back.
        Undo "undo", "undo the change", "files of the last applied change";
        /// Put the last undone change back.
        Redo "redo", "put the change back", "files of the last undone change";
        /// Draw everything again.
        Redraw "redraw", "redraw", "this screen";
        /// Stop this program for now and go to the shell.
        Suspend "suspend", "suspend", "this program";
        /// Stop what runs or waits, else clear the draft, else quit when pressed twice.
        Cancel "cancel", "cancel, clear, quit", "what is running or waiting, then the draft, then this program";
        /// One step back.
        Back "back", "back", "the topmost thing";
        /// Give the next pane the focus.
        NextPane "next-pane", "next pane", "moves the focus";
        /// Give the previous pane the focus.
        PreviousPane "previous-pane", "previous pane", "moves the focus";
        /// A new session beside this one.
        NewSession "new-session", "new session", "this window; this session goes on";
        /// Show the next session.
        NextSession "next-session", "next session", "this window; every session goes on";
        /// Show the previous session.
        PreviousSession "previous-session", "previous session", "this window; every session goes on";
        /// Leave.
        Quit "quit", "quit", "this program; what is running is stopped";
    }
}
