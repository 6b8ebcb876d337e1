//! What the driver says, and what the screen makes of it.
//!
//! Owns the folding into the panes and where the keys go when there is nothing left to decide.

use std::time::Instant;

use pilothouse_core::{
    event::{Event, Stamped},
    ids::ApplyId,
    intent::Control,
    port::Reply,
    session::Session,
};

use super::App;
use crate::{
    composer::Saved,
    conversation::{ConversationPane, written},
    diff::DiffPane,
    overlay::Overlay,
    pane::Focus,
    plan::PlanPane,
};

impl App {
    pub(super) fn opened(&mut self, session: Session, tail: &[Stamped], now: Instant) {
        self.session = session;
        self.open = true;
        self.conversation = ConversationPane::with_highlighter(self.colours.clone());
        self.plan = PlanPane::new();
        self.diff = DiffPane::with_highlighter(self.colours.clone());
        for event in tail {
            self.seen(event, now);
            if let Event::TurnStarted { text, .. } = &event.event
                && let Some(whole) = text.whole()
            {
                self.composer.history.keep(Saved::plain(whole));
            }
        }
        self.collect_asks();
    }

    pub(super) fn events(&mut self, events: &[Stamped], now: Instant) {
        self.tell(events, now);
        let reviewing = self.reviewing();
        for event in events {
            if let Event::Applied { apply } = &event.event {
                self.wrote(*apply);
            }
            self.session.apply(event);
            self.seen(event, now);
            if let Event::ControlGiven { control } = &event.event {
                self.controlled(control);
            }
        }
        if reviewing && !self.reviewing() && self.focus == Focus::Diff {
            self.return_to_draft();
        }
        self.collect_asks();
    }

    /// Says what was written while the conversation is behind the diff.
    fn wrote(&mut self, apply: ApplyId) {
        if self.focus != Focus::Diff {
            return;
        }
        let files = self.session.state().applies().get(&apply).map_or(&[][..], |a| &a.files);
        if let Some(first) = files.first() {
            let more = if files.len() > 1 { format!(" and {} more", files.len() - 1) } else { String::new() };
            self.say(format!("{}{more}", written(first)));
        }
    }

    /// Hands one event to the panes.
    fn seen(&mut self, event: &Stamped, now: Instant) {
        self.clock = Some((event.at, now));
        if let Event::MessageCompleted { usage, .. } = &event.event {
            self.context_tokens = usage.input + usage.output;
        }
        let state = self.session.state();
        self.conversation.fold(state, event);
        self.plan.fold(state, event);
        self.diff.fold(state, event);
    }

    pub(super) fn controlled(&mut self, control: &Control) {
        match control {
            Control::Help => self.open_overlay(Overlay::help()),
            Control::Status => self.open_overlay(Overlay::Status),
            Control::Exit => self.quit(),
            Control::ModeSwitch(_)
            | Control::Reset
            | Control::Redo
            | Control::Cancel
            | Control::Replan
            | Control::Approve
            | Control::Proceed
            | Control::Other(_) => {}
        }
    }

    pub(super) fn answered(&mut self, number: u64, reply: Reply) {
        match reply {
            Reply::History(older) => self.conversation.prepend(older),
            Reply::Files(files) if self.files_asked == Some(number) => {
                self.files_asked = None;
                self.composer.files(&files);
            }
            Reply::Rehearsed(found) => {
                if let Some(Overlay::Rule(offer)) = self.overlays.last_mut() {
                    offer.answered(number, *found);
                }
            }
            Reply::Blob(..) | Reply::Files(_) => {
                if let (Some(Overlay::Sheet(sheet)), Reply::Blob(id, bytes)) =
                    (self.overlays.last_mut(), &reply)
                {
                    sheet.answered(*id, bytes.as_deref());
                }
                self.conversation.answered(&reply);
                self.plan.answered(&reply);
                self.diff.answered(&reply, &self.surroundings.secrets);
            }
        }
        self.collect_asks();
    }
}
