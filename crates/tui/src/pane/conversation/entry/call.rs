//! A call in the conversation: what it ran, and where all that it wrote is read.
//!
//! Owns these two questions about it. Never draws.

use pilothouse_core::{policy::Request, tool::Tool};

use super::{Call, CallState};

impl Call {
    /// The command line that it ran, as it was run.
    pub(in crate::pane::conversation) fn line(&self) -> Option<&str> {
        match &self.request {
            Some(Request::Command { line, .. }) => Some(line),
            _ => (self.tool == Some(Tool::Run)).then_some(self.subject.as_str()),
        }
    }

    /// Whether what it wrote stands on a page of its own: it is long, or comes still.
    pub(in crate::pane::conversation) fn is_long(&self) -> bool {
        let comes = self.tool == Some(Tool::Run) && self.state == CallState::Running;
        self.long && self.stored.is_some() || comes && !self.tail.is_empty()
    }
}
