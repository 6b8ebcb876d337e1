//! Compaction: begun by the user or for want of room, ended by a summary or without one.
//!
//! Owns when a summary is made and what is said of it. Never touches plan, gates, ledger or state: what
//! is told to a model changes, what is true does not.

use super::{Decided, Draft};
use crate::{
    compaction::{Dropped, Mark},
    event::{Event, Level},
    ids::{CallId, Seq},
    input::Refusal,
    money::count,
    talk::{Fault, FaultKind, ModelReply},
};

/// The word that makes the last summary anew.
const AGAIN: &str = "again";

impl Draft<'_> {
    /// `/compact`, `/compact again`, `/compact WHAT TO KEEP`.
    pub(super) fn compact(&mut self, args: &str) -> Decided {
        if self.state.compacting.is_some() {
            return Err(Refusal::new("a summary is already being made"));
        }
        let last = self.state.transcript.summary().map(|s| s.upto);
        let new = self.state.transcript.compactable();
        let (keep, anew) = match args.trim() {
            AGAIN => ("", true),
            keep => (keep, false),
        };
        // With a word about what to keep, what the last summary left out is looked at once more.
        let again = last.is_some() && (anew || !keep.is_empty());
        let upto = if anew { last.or(new) } else { new.or(last.filter(|_| again)) };
        let Some(upto) = upto else {
            return Err(Refusal::new(match last {
                Some(_) => "nothing new to summarize; /compact again redoes the last summary",
                None => "there is nothing to summarize yet",
            }));
        };
        self.may_call_besides()?;
        let call = CallId(self.id());
        self.emit(Event::CompactionStarted { call, upto, keep: keep.to_owned(), again, held: None });
        Ok(())
    }

    /// A request does not fit: it waits for a summary.
    pub(super) fn crowded(&mut self, call: CallId) -> Decided {
        if self.state.lane_thinking(call).is_none() {
            return Err(Refusal::new("the call is no longer open"));
        }
        let upto = self.state.may_compact().ok_or_else(|| Refusal::new("there is nothing to summarize"))?;
        self.may_call_besides()?;
        let held = Some(call);
        let call = CallId(self.id());
        self.emit(Event::CompactionStarted { call, upto, keep: String::new(), again: false, held });
        Ok(())
    }

    /// The summary is there, or there is none; what waited for it goes on either way.
    pub(super) fn summarized(
        &mut self,
        call: CallId,
        result: Result<(Box<ModelReply>, Dropped), Fault>,
    ) -> Decided {
        let open = self.state.compacting.as_ref().filter(|c| c.call == call);
        let upto = open.map(|c| c.upto).ok_or_else(|| Refusal::new("no summary is being made"))?;
        match result {
            Ok((reply, dropped)) if !reply.text.trim().is_empty() => {
                let ModelReply { text, usage, model, .. } = *reply;
                let summary = self.excerpt(text);
                self.emit(Event::Compacted { call, upto, summary, dropped, usage, model });
                self.notice(Level::Info, told(dropped));
            }
            Ok(_) => self.uncompacted(call, fault(FaultKind::Malformed, "the model gave none")),
            Err(fault) => self.uncompacted(call, fault),
        }
        Ok(())
    }

    fn uncompacted(&mut self, call: CallId, fault: Fault) {
        let text = format!("No summary: {}; old results are shortened instead.", fault.message);
        self.emit(Event::CompactionFailed { call, fault });
        self.notice(Level::Warn, text);
    }

    /// Stops a summary that nothing waits for; whether one was being made.
    pub(super) fn stop_compaction(&mut self) -> bool {
        let Some(call) = self.state.compacting.as_ref().map(|c| c.call) else { return false };
        self.uncompacted(call, fault(FaultKind::Cancelled, "stopped by the user"));
        true
    }

    /// Pins or drops an entry, or takes that back.
    pub(super) fn mark(&mut self, entry: Seq, mark: Option<Mark>) -> Decided {
        if !self.state.transcript.entries().iter().any(|e| e.seq == entry) {
            return Err(Refusal::new("that is not part of what the model is told"));
        }
        if self.state.transcript.mark(entry) == mark {
            return Err(Refusal::new("it already is"));
        }
        self.emit(Event::ContextMarked { entry, mark });
        Ok(())
    }
}

fn fault(kind: FaultKind, message: &str) -> Fault {
    Fault { kind, message: message.to_owned(), hint: "/compact tries again".to_owned(), status: None }
}

/// What a summary took the place of, for people.
fn told(dropped: Dropped) -> String {
    let Dropped { messages, before, after } = dropped;
    let messages = count(messages, "message");
    format!(
        "{messages} summarized for the model: about {before} → {after} tokens. The log keeps everything; /compact again redoes the summary, /context shows it."
    )
}
