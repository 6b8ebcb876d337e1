//! `sessions replay`: a session told again from its log, in its pace or at once.
//!
//! Owns the lines and the pace. Folds the log as opening it does and starts nothing.

use std::{io::Write, thread, time::Duration};

use pilothouse_core::{
    event::Stamped,
    ids::{Millis, Seq},
    money::count,
    session::{Session, State},
};

use super::{export::gone, listing::Told, steps::Steps};
use crate::{
    error::RuntimeError,
    sessions::{self, Place},
};

/// The longest pause between two events.
const MOST: Duration = Duration::from_secs(3);

/// How a session is told again.
#[derive(Clone, Copy, Debug, Default)]
pub struct Replay {
    /// Only up to this event.
    pub until: Option<Seq>,
    /// How many times as fast as it went; at once without.
    pub speed: Option<f64>,
    /// The events and, at the end, how it stood, one JSON object a line.
    pub json: bool,
}

/// Tells a session again; returns whether the whole log could be read.
///
/// # Errors
/// When its log cannot be read at all, or has no such event.
pub fn replay(place: &Place, how: Replay, out: &mut dyn Write) -> Result<bool, RuntimeError> {
    let mut events = Vec::new();
    let report = sessions::events(place, |event| events.push(event))?;
    let (all, last) = (events.len(), report.last);
    if let Some(until) = how.until {
        if until == Seq(0) || until > last {
            let why = format!("its last event is number {}", last.0);
            return Err(RuntimeError::Setting { what: format!("--until {}", until.0), message: why });
        }
        events.retain(|event| event.seq <= until);
    }
    let mut tape = Tape { told: Told::default(), steps: Steps::default(), began: None, at: None, out };
    let mut session = Session::new();
    let shown = events.iter().try_for_each(|event| {
        session.apply(event);
        tape.show(event, how)
    });
    let ended = shown.and_then(|()| {
        tape.end(&session, (events.len(), all), how.json)?;
        let warnings = report.warnings().into_iter().filter(|_| !how.json);
        warnings.into_iter().try_for_each(|warning| writeln!(tape.out, "! {warning}"))?;
        tape.out.flush()
    });
    gone(ended.err()).map_err(RuntimeError::io("write", "the session"))?;
    Ok(report.sound())
}

/// What is told, and when the last of it happened.
struct Tape<'a> {
    told: Told,
    steps: Steps,
    began: Option<Millis>,
    at: Option<Millis>,
    out: &'a mut dyn Write,
}

impl Tape<'_> {
    fn show(&mut self, event: &Stamped, how: Replay) -> std::io::Result<()> {
        let words = if how.json { Some(self.steps.line(event)) } else { self.told.words(event) };
        let Some(words) = words else { return Ok(()) };
        self.wait(event.at, how.speed)?;
        if how.json {
            return writeln!(self.out, "{words}");
        }
        let began = *self.began.get_or_insert(event.at);
        let mut time = clock(event.at.0.saturating_sub(began.0));
        if words.starts_with('\n') {
            writeln!(self.out)?;
        }
        for line in words.trim_start_matches('\n').lines() {
            writeln!(self.out, "{time:>8}  {line}")?;
            time.clear();
        }
        Ok(())
    }

    /// Waits as long as it took then, up to a bound.
    fn wait(&mut self, at: Millis, speed: Option<f64>) -> std::io::Result<()> {
        let before = self.at.replace(at);
        let Some((speed, before)) = speed.zip(before) else { return Ok(()) };
        self.out.flush()?;
        let took = Duration::from_millis(at.0.saturating_sub(before.0)).min(MOST);
        thread::sleep(took.div_f64(speed.clamp(0.01, 1e6)).min(MOST));
        Ok(())
    }

    fn end(&mut self, session: &Session, (shown, all): (usize, usize), json: bool) -> std::io::Result<()> {
        let state = session.state();
        let open: Vec<&str> = state.open.values().map(|question| question.message.as_str()).collect();
        if json {
            let line = serde_json::json!({
                "type": "state", "seq": state.seq, "phase": state.phase, "digest": state.digest(),
                "messages": state.turns.len(), "applied": state.ledger().len(), "undone": state.undone().len(),
                "open": open,
            });
            return writeln!(self.out, "{line}");
        }
        writeln!(self.out)?;
        writeln!(self.out, "· {shown} of {}, nothing was started. {}", count(all, "event"), stands(state))?;
        open.iter().try_for_each(|question| writeln!(self.out, "  waits: {}", first_line(question)))?;
        writeln!(self.out, "  digest {}", state.digest().short(16))
    }
}

fn first_line(text: &str) -> String {
    pilothouse_core::clean::Clean::line(text.lines().next().unwrap_or_default()).into_string()
}

/// How it stood, in a sentence.
fn stands(state: &State) -> String {
    let (said, on, back) = (state.turns.len(), state.ledger().len(), state.undone().len());
    let back = if back > 0 { format!(", {} taken back", count(back, "change")) } else { String::new() };
    format!(
        "Then: {}, {} of yours, {} on disk{back}.",
        state.phase.name().replace('_', " "),
        count(said, "message"),
        count(on, "change")
    )
}

/// A time since the beginning: `0:07`, `12:30`, `1:02:03`.
fn clock(millis: u64) -> String {
    let seconds = millis / 1000;
    let (hours, minutes, rest) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 { format!("{hours}:{minutes:02}:{rest:02}") } else { format!("{minutes}:{rest:02}") }
}

#[cfg(test)]
mod tests {
    use super::clock;

    #[test]
    fn a_time_is_told_as_clocks_tell_it() {
        assert_eq!([7_999, 750_000, 3_723_000].map(clock), ["0:07", "12:30", "1:02:03"]);
    }
}
