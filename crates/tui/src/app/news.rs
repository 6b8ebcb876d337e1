//! What the driver says, and what the screen makes of it.
//!
//! Owns the folding into the panes and where the keys go once what they were in a pane for is over.

use std::time::Instant;

use pilothouse_core::{
    blob::BlobId,
    event::{Event, Stamped},
    intent::Control,
    port::{Attention, Reply, Request, SetupReply},
    session::Session,
};

use super::{App, AppCommand, Editing};
use crate::{
    answers::Answers,
    composer::Saved,
    ctx::Handout,
    notify,
    overlay::{changes, connect, help, status},
    pane::{Focus, conversation, diff},
};

impl App {
    pub(super) fn opened(&mut self, session: Session, tail: &[Stamped], now: Instant) {
        // A session that was only read is opened again once it is ours.
        let again = std::mem::replace(&mut self.world.open, true);
        self.world.session = session;
        if again {
            self.overlays.clear();
        }
        self.panes.renew(&self.colours);
        for event in tail {
            self.seen(event, now);
            if !again
                && let Event::TurnStarted { text, .. } = &event.event
                && let Some(whole) = text.whole()
            {
                self.composer.history.keep(Saved::plain(whole));
            }
        }
        self.world.stands();
        self.collect_asks();
    }

    pub(super) fn events(&mut self, events: &[Stamped], now: Instant) {
        self.composer.heard();
        // What is asked of a screen in a session that another window holds is asked of that window's.
        let asked_here = !self.only_follows();
        if asked_here {
            self.tell(events, now);
        }
        let (errand, decided) = (self.errand(), self.deciding());
        let (mut answers, mut answer) = (Answers::default(), None);
        for event in events {
            if let Some((title, text)) = answers.take(event).filter(|_| asked_here) {
                let (_, lines): &mut (_, Vec<&str>) = answer.get_or_insert((title, Vec::new()));
                lines.push(text);
            }
            let told = self.panes.focused().and_then(|(_, p)| p.tells(self.world.state(), &event.event));
            if let Some(told) = told {
                self.announce(told);
            }
            self.world.session.apply(event);
            self.seen(event, now);
            self.overlays.iter_mut().for_each(|overlay| overlay.told(&event.event));
            if asked_here {
                self.asked_of_screen(&event.event, now);
            }
        }
        if let Some((title, lines)) = answer {
            self.page(title, &lines.join("\n"));
        }
        self.close_over(now);
        // What the next step proposes has the keys only once the user gives them to it.
        let all_decided = decided && !self.deciding() && !self.world.state().is_taking_back();
        if all_decided || errand.is_some() && self.errand() != errand {
            self.panes.return_to_draft();
        }
        self.world.stands();
        self.collect_asks();
    }

    /// Does what the session asks of the screen of whoever spoke.
    fn asked_of_screen(&mut self, event: &Event, now: Instant) {
        if let Event::ControlGiven { control } = event {
            self.controlled(control, now);
        }
        if matches!(event, Event::TakeBackSought { .. }) {
            self.awaits_take_back();
        }
        if matches!(event, Event::QueueChanged { stopped: true, .. }) {
            self.say("what was waiting is in the history; Up brings it back");
        }
    }

    /// What has nothing left to show goes.
    fn close_over(&mut self, now: Instant) {
        while self.overlays.last().is_some_and(|o| o.is_over(&self.ctx(now))) {
            self.overlays.pop();
        }
    }

    /// At the first start it is asked who is to answer, unless the user is at work already.
    pub(super) fn greet(&mut self, now: Instant) {
        let unused = self.overlays.is_empty() && self.composer.draft.is_empty();
        if self.world.surroundings.first_start && unused && self.panes.focus == Focus::Composer {
            self.open(&connect::KIND, now);
        }
    }

    /// What the user wants taken back of a file is decided in the diff: unless they write by now, the keys go there.
    fn awaits_take_back(&mut self) {
        let writes = !self.composer.draft.is_empty() || self.panes.focus != Focus::Composer;
        if !writes && self.overlays.is_empty() {
            self.go(Focus::Pane(diff::ID));
        }
    }

    /// Hands one event to the panes.
    fn seen(&mut self, event: &Stamped, now: Instant) {
        self.world.note(event, now);
        // What can be said to a question stands where the toast would hide it; so does what the end of a run invites to.
        // What is asked anew of a review is in the diff, whose own words say what became of the last of it.
        let covered = |c| self.panes.focused().is_some_and(|(_, pane)| pane.covers(c));
        let hides = if let Event::CheckpointOpened { checkpoint } = &event.event {
            !covered(checkpoint)
        } else {
            matches!(event.event, Event::RunCompleted { .. })
        };
        if hides {
            self.notice = self.notice.take().filter(|notice| notice.bad || notice.until.is_some());
        }
        self.panes.fold(self.world.session.state(), event);
    }

    pub(super) fn controlled(&mut self, control: &Control, now: Instant) {
        if *control == Control::Exit {
            self.quit();
        } else if *control == Control::Help {
            let words = help::words(self.keying.keymap.key(help::KIND.action()));
            self.page("What you can say", &words);
        } else if *control == Control::Status {
            self.open(&status::KIND, now);
        } else if *control == Control::Other("diff".to_owned()) {
            if self.world.state().open_proposals().next().is_some() {
                self.go(Focus::Pane(diff::ID));
            } else {
                self.open(&changes::KIND, now);
            }
        } else if *control == Control::Other("output".to_owned()) {
            self.panes.show(conversation::ID);
            let ctx = ctx!(self, now);
            let opened = self.panes.get_mut(conversation::ID).map(|pane| pane.open_output(&ctx));
            self.carry_out(opened.unwrap_or_default(), now);
        }
    }

    pub(super) fn answered(&mut self, number: u64, reply: &Reply, now: Instant) {
        if let Reply::Files(files) = reply
            && self.files_asked == Some(number)
        {
            self.files_asked = None;
            let wish = self.composer.files(files);
            self.compose(wish, now);
        }
        if let Reply::Memory(owner, read) = reply {
            match read {
                Ok(text) => {
                    self.edit(
                        Editing::Memory(*owner, BlobId::of(text.as_bytes())),
                        Handout::new("memory.md", text.clone()),
                    );
                }
                Err(why) => self.complain(why.clone()),
            }
        }
        if let Reply::Setup(SetupReply::Kept(told)) = reply {
            match told {
                Ok(text) => self.announce(text.clone()),
                Err(why) => self.complain(why.clone()),
            }
        }
        self.awaited = self.awaited.filter(|n| *n != number);
        self.notice = self.notice.take().filter(|notice| notice.until != Some(number));
        self.overlays.iter_mut().for_each(|overlay| overlay.answered(number, reply));
        self.panes.answered(reply, &self.world.surroundings.secrets);
        self.close_over(now);
        self.collect_asks();
    }

    /// Lets the user know of what wants their eye, when they look elsewhere.
    fn tell(&mut self, events: &[Stamped], now: Instant) {
        if let Some(what) = notify::wanted(events) {
            self.attend(what, now);
        }
    }

    /// Lets them know of this, when they look elsewhere.
    pub(super) fn attend(&mut self, what: Attention, now: Instant) {
        let how = self.world.surroundings.notify;
        if !notify::due(how, &self.watching, now) {
            return;
        }
        let bytes = self.looks.look.hearer.bytes(how.terminal, what);
        if !bytes.is_empty() {
            self.outbox.wish(AppCommand::Tell(bytes));
        }
        if how.desktop {
            self.outbox.send(Request::Tell(what));
        }
    }
}
