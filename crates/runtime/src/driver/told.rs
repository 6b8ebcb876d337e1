//! What the driver tells by itself: the user, the desktop, the folder beside the log.
//!
//! Owns that nothing is said twice. Never decides what follows.

use pilothouse_core::{
    event::{CallStatus, Event, Stamped},
    ids::{CallId, Seq},
    intent::Control,
    port::{Attention, Surroundings, Update},
    session::Bounds,
};
use pilothouse_tools::awake::Awake;

use super::{Driver, TAIL};
use crate::{error::RuntimeError, sessions};

/// Told where a model is to be asked again that answers already.
const ON_ITS_WAY: &str =
    "nothing is waiting for the server: the model is working; Esc Esc or /abort stops it";

/// The command of which all that it changed stands in the log. One that was stopped ends a moment after its call.
#[expect(clippy::wildcard_enum_match_arm, reason = "most events tell none")]
const fn tells_command(event: &Event) -> Option<CallId> {
    match event {
        Event::CallEnded { status: CallStatus::Interrupted, .. } => None,
        Event::CallEnded { call, .. }
        | Event::CommandExited { call, .. }
        | Event::CommandWrote { call, .. } => Some(*call),
        _ => None,
    }
}

/// Whether something is up for review from here on.
#[expect(clippy::wildcard_enum_match_arm, reason = "most events open none")]
const fn opens_review(event: &Event) -> bool {
    match event {
        Event::CheckpointOpened { checkpoint } => checkpoint.kind.review().is_some(),
        Event::ProposalTakenUp { .. } | Event::SessionReopened { .. } => true,
        _ => false,
    }
}

/// Whether files may be others now, or git stand elsewhere.
pub(super) fn touches(events: &[Stamped]) -> bool {
    events.iter().any(|e| {
        matches!(
            e.event,
            Event::CommandExited { .. }
                | Event::CommitEnded { .. }
                | Event::TurnStarted { .. }
                | Event::LaneClosed { .. }
        )
    })
}

impl Driver {
    /// The first events are saved before anything is shown; a disk that refuses them does not
    /// keep the session from opening.
    pub(super) fn show_opened(&mut self) -> Result<(), RuntimeError> {
        let shown = self.save();
        let tail = self.at.log.before(Seq(u64::MAX), TAIL)?;
        self.outbox.send(Update::Opened(Box::new(self.at.session.clone()), tail));
        let warnings = self.at.notices.iter().cloned().chain(self.shelf.warnings());
        self.around.warnings =
            warnings.map(|warning| self.at.config.secrets.mask(&warning).into_owned()).collect();
        self.outbox.send(Update::Surroundings(Box::new(self.around.clone())));
        self.around.first_start = false;
        self.show_draft();
        for notice in std::mem::take(&mut self.at.notices) {
            self.outbox.send(Update::Notice(notice));
        }
        shown.err().iter().for_each(|e| self.complain(e));
        self.look_around();
        self.warm();
        self.reconcile();
        Ok(())
    }

    /// What is done once events are on the disk.
    pub(super) fn saved(&mut self, events: Vec<Stamped>) {
        self.sum_up_soon();
        self.heed_servers(&events);
        self.heed_forms(&events);
        self.tell_sources(&events);
        self.lend_sources(&events);
        let exit = |e: &Stamped| matches!(e.event, Event::ControlGiven { control: Control::Exit });
        self.leaving |= events.iter().any(exit);
        let boundary = |e: &Stamped| {
            matches!(
                e.event,
                Event::PhaseChanged { .. } | Event::TaskCompleted { .. } | Event::PlanReady { .. }
            )
        };
        if events.iter().any(boundary) {
            self.save_run();
        }
        if events.iter().any(|e| matches!(e.event, Event::RulesKept { fault: None, .. })) {
            self.rules_kept();
        }
        self.tell_sheet(&events);
        self.ask_at_once(&events);
        self.heed_settings(&events);
        self.keep_pipeline(&events);
        for event in &events {
            self.suggest(event);
            self.say_of_model(event);
            if let Some(call) = tells_command(&event.event)
                && let Some(snapshots) = self.kit.workshop.snapshots()
            {
                snapshots.settled(call);
            }
        }
        // Whatever ends is a time to look at what others did meanwhile.
        if touches(&events) {
            self.look_around();
        } else if events.iter().any(|e| opens_review(&e.event)) {
            self.look_at_reviews();
        }
        self.outbox.events(events);
    }

    pub(super) fn complain(&mut self, error: &RuntimeError) {
        if self.around.unsaved.is_none() {
            tracing::error!(error = %error, "the session could not be saved");
            self.unsaved_because(Some(error.to_string()));
            let text = format!(
                "{error} ({}); nothing is lost: work goes on by itself once it can be saved",
                error.hint()
            );
            self.outbox.send(Update::Notice(text));
        }
    }

    /// Changes what stands around the session, and tells the screen where that made a difference.
    pub(super) fn around_is(&mut self, change: impl FnOnce(&mut Surroundings)) {
        let before = self.around.clone();
        change(&mut self.around);
        if self.around != before {
            self.around.now = (self.setup.clock)();
            self.outbox.send(Update::Surroundings(Box::new(self.around.clone())));
        }
    }

    /// What could not be saved is tried again; once it is, work goes on.
    pub(super) fn save_again(&mut self) {
        match self.save() {
            Ok(events) => self.saved(events),
            Err(e) => self.complain(&e),
        }
        self.reconcile();
    }

    /// Tells the screen that saving fails, or that it does not any more.
    pub(super) fn unsaved_because(&mut self, why: Option<String>) {
        if self.around.unsaved != why {
            let unsaved = why.map(|w| self.at.config.secrets.mask(&w).into_owned());
            self.around_is(|around| around.unsaved = unsaved);
        }
    }

    /// Keeps the machine awake while a run works, where the system has a program for it; lets go at once when
    /// nothing works any more, or all of it waits for the user.
    pub(super) fn stay_awake(&mut self, works: bool) {
        let wanted =
            works && self.at.config.keep_awake && self.at.session.state().is_executing() && !self.leaving;
        if !wanted {
            self.awake = None;
        } else if self.awake.is_none() {
            let held = Awake::hold(self.at.root.path());
            if let Err(why) = &held {
                tracing::debug!(%why, "the machine is not kept awake");
            }
            self.awake = Some(held);
        }
    }

    /// What the settings of now let a session spend holds from here on, and the screen is told of it.
    pub(super) fn rebound(&mut self) {
        let bounds = Bounds { budget: self.at.config.budget, ..self.at.session.bounds().clone() };
        self.at.session.set_bounds(bounds);
        let budget = self.at.config.budget_of(self.at.session.state().model.as_deref());
        self.around_is(|around| around.budget = budget);
    }

    /// Tells the user on the desktop; that it cannot be done is said once.
    pub(super) fn tell(&mut self, what: Attention) {
        let told = pilothouse_tools::desktop::tell(self.at.root.path(), "pilothouse", what.text());
        if let Err(why) = told
            && !std::mem::replace(&mut self.mute, true)
        {
            self.outbox.send(Update::Notice(format!("desktop notifications do not work: {why}")));
        }
    }

    /// Puts where the run stands beside the log.
    pub(super) fn save_run(&self) {
        let (folder, snapshot) = (self.at.folder.clone(), sessions::run_snapshot(self.at.session.state()));
        drop(self.disk.run(move || {
            let saved = snapshot.map_err(std::io::Error::from).and_then(|s| sessions::save_run(&folder, &s));
            if let Err(e) = saved {
                tracing::warn!(error = %e, "the state of the run could not be put beside the log");
            }
        }));
    }

    /// Asks the server again that is waited for, where that was wanted; says so where none is, unless a message is asked
    /// again as well.
    pub(super) fn ask_at_once(&mut self, events: &[Stamped]) {
        let given = |control: &Control| {
            events.iter().any(|e| matches!(&e.event, Event::ControlGiven { control: c } if c == control))
        };
        if given(&Control::Other("retry".to_owned())) && !self.kit.patience.end() && !given(&Control::Redo) {
            self.outbox.send(Update::Notice(ON_ITS_WAY.to_owned()));
        }
    }

    /// Says what the model is told next, where that was asked without a screen.
    pub(super) fn tell_sheet(&mut self, events: &[Stamped]) {
        let asked = |e: &Stamped| matches!(&e.event, Event::ControlGiven { control: Control::Other(name) } if name == "context");
        if events.iter().any(asked) {
            self.outbox.send(Update::Page { title: "Context", text: self.sheet().to_string() });
        }
    }
}
