//! The deciders: an input in this state becomes events.
use super::state::State;
use crate::{
    blob::Blob,
    event::{Event, Stamped},
    ids::{Millis, Seq},
    input::{Input, Refusal},
};

/// Events being decided; each is folded in at once, so that later decisions see it.
pub(super) struct Draft<'a> {
    pub state: &'a mut State,
    at: Millis,
    blobs: Vec<Blob>,
    events: Vec<Stamped>,
}

impl<'a> Draft<'a> {
    pub fn new(state: &'a mut State, at: Millis) -> Self {
        Self { state, at, blobs: Vec::new(), events: Vec::new() }
    }

    pub fn finish(self) -> (Vec<Blob>, Vec<Stamped>) {
        (self.blobs, self.events)
    }

    pub fn emit(&mut self, event: Event) {
        let seq = Seq(self.state.seq.0 + 1);
        let stamped = Stamped { seq, at: self.at, run: self.state.run.as_ref().map(|r| r.id), event };
        self.state.apply(&stamped);
        self.events.push(stamped);
    }

    pub fn decide(&mut self, _input: Input) -> Result<(), Refusal> {
        Err(Refusal::new("not yet"))
    }
}
