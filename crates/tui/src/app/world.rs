//! What is shown: the session as it was told, and what surrounds it.
//!
//! Owns the fold and the clock that runs on between two events. Never sends anything.

use std::time::Instant;

use pilothouse_core::{
    event::{Event, Stamped},
    ids::{CallId, Millis},
    port::Surroundings,
    runs::RunInfo,
    session::{Session, State},
    talk::{Delta, DeltaKind},
};

/// The session and what surrounds it.
pub(super) struct World {
    pub(super) session: Session,
    /// Whether the session is open.
    pub(super) open: bool,
    pub(super) surroundings: Surroundings,
    /// The last time that was told, and when it was.
    clock: Option<(Millis, Instant)>,
    /// Tokens of the last request and its reply.
    context_tokens: u64,
    /// How the session stands.
    pub(super) info: RunInfo,
    /// Which call waits for its server, and until when.
    served: Option<(CallId, Millis)>,
}

impl World {
    pub(super) fn new(folder: String) -> Self {
        Self {
            session: Session::new(),
            open: false,
            surroundings: Surroundings { folder, ..Surroundings::default() },
            clock: None,
            context_tokens: 0,
            info: RunInfo::default(),
            served: None,
        }
    }

    pub(super) fn state(&self) -> &State {
        self.session.state()
    }

    /// The time now, as the driver's clock has it.
    pub(super) fn time(&self, now: Instant) -> Millis {
        self.clock.map_or(self.state().at, |(base, since)| {
            let passed = now.saturating_duration_since(since).as_millis();
            Millis(base.0 + u64::try_from(passed).unwrap_or_default())
        })
    }

    pub(super) fn surround(&mut self, surroundings: Surroundings, now: Instant) {
        if surroundings.now.0 > 0 {
            self.clock = Some((surroundings.now, now));
        }
        self.surroundings = surroundings;
    }

    /// What an event says of the clock and of the context; the session has it folded already.
    pub(super) fn note(&mut self, event: &Stamped, now: Instant) {
        self.clock = Some((event.at, now));
        if let Event::MessageCompleted { usage, .. } = &event.event {
            self.context_tokens = usage.input + usage.output;
        }
    }

    /// What a list of runs says of it now; taken anew where something happened.
    pub(super) fn stands(&mut self) {
        let heard = self.info.heard;
        self.info = RunInfo::of(self.session.state());
        self.info.heard = self.info.heard.max(heard);
    }

    /// Takes a piece of something that runs: a wait for the server ends at a time of the clock here.
    pub(super) fn took(&mut self, delta: Delta, now: Instant) -> Delta {
        let time = self.time(now);
        let until = (delta.kind == DeltaKind::Wait).then(|| Millis(time.0.saturating_add(delta.offset)));
        self.served = until.map(|until| (delta.call, until)).or(self.served.filter(|s| s.0 != delta.call));
        // What the program itself says of a retry is no sign of life.
        if !matches!(delta.kind, DeltaKind::Notice | DeltaKind::Wait) {
            self.heard(now);
        }
        Delta { offset: until.map_or(delta.offset, |until| until.0), ..delta }
    }

    /// For how many milliseconds still a model's server is waited for.
    pub(super) fn waits_for_server(&self, now: Instant) -> u64 {
        let sums_up = |call| self.state().compacting.as_ref().is_some_and(|c| c.call == call);
        let thinks = |call| self.state().lanes.values().any(|lane| lane.thinking == Some(call));
        let open = |call| thinks(call) || sums_up(call);
        let until = self.served.filter(|(call, _)| open(*call)).map(|(_, until)| until.0);
        until.map_or(0, |until| until.saturating_sub(self.time(now).0))
    }

    /// Something that runs gave a sign of life.
    pub(super) fn heard(&mut self, now: Instant) {
        self.info.heard = self.time(now);
    }

    /// When a time of the driver's clock comes, as far as that is known.
    pub(super) fn instant(&self, at: Millis) -> Option<Instant> {
        let (base, since) = self.clock?;
        since.checked_add(std::time::Duration::from_millis(at.0.saturating_sub(base.0)))
    }

    /// How full the model's context is.
    pub(super) fn context_percent(&self) -> Option<u64> {
        let window = self.surroundings.window.filter(|w| *w > 0)?;
        (self.context_tokens > 0).then(|| (self.context_tokens * 100 / window).min(100))
    }
}
