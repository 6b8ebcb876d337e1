//! What leaves the screen: requests for the driver and wishes for the terminal, until the loop takes them.
//!
//! Owns their order and the numbers of questions.

use std::collections::VecDeque;

use pilothouse_core::port::{Ask, Request};

use super::AppCommand;
use crate::window::WindowWish;

/// What waits to be taken.
#[derive(Default)]
pub(super) struct Outbox {
    asked: u64,
    pub(super) requests: VecDeque<Request>,
    pub(super) wishes: Vec<AppCommand>,
    /// For the window.
    pub(super) window: VecDeque<WindowWish>,
}

impl Outbox {
    /// Asks the read port; returns the question's number.
    pub(super) fn ask(&mut self, ask: Ask) -> u64 {
        self.asked += 1;
        self.requests.push_back(Request::Ask(self.asked, ask));
        self.asked
    }

    /// How many inputs for the session wait to be taken.
    pub(super) fn inputs(&self) -> usize {
        self.requests.iter().filter(|request| matches!(request, Request::Input(_))).count()
    }

    pub(super) fn send(&mut self, request: Request) {
        self.requests.push_back(request);
    }

    pub(super) fn wish(&mut self, wish: AppCommand) {
        self.wishes.push(wish);
    }
}
