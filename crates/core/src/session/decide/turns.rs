//! Messages that are not understood at once: later tiers are asked, and what is said meanwhile
//! waits in its order.
//!
//! Owns when a tier is asked and what its answer does. Stopping, help and status never wait, and no
//! answer of a tier makes an order of a question unasked.

use super::{
    Decided, Draft,
    say::{Consulted, SURE_WORD},
};
use crate::{
    event::{Event, Level},
    ids::{Seq, TurnId},
    input::{Refusal, TiersAnswered},
    intent::{Control, Reading, Source, Turn},
    session::{Foretold, TELLS_NOW},
};

/// Most messages that wait to be understood.
const MOST: usize = 20;

impl Draft<'_> {
    /// The reading of a line that a later tier need not be asked about, or `None`: then it waits
    /// for one.
    pub(super) fn settled(&self, line: &str, reading: &Reading) -> Option<Reading> {
        let asks = self.under.tiers.vectors || self.may_ask_model();
        if !asks
            || !self.under.tiers.classifier.unsure(reading)
            || self.corrects(reading)
            || self.omits(&reading.text).is_some()
        {
            return Some(reading.clone());
        }
        let known = self.state.remembered(self.state.key(line, Seq(u64::MAX)))?;
        let context = self.state.context(Seq(u64::MAX));
        Some(self.under.tiers.classifier.join(reading.clone(), &known, &self.state.message(line, &context)))
    }

    /// Whether a model may be asked what a line means; where nothing more may be spent, the rules decide.
    fn may_ask_model(&self) -> bool {
        self.under.tiers.model && self.over_budget().is_none()
    }

    /// Whether a line is let past the messages that wait.
    pub(super) fn passes(&self, reading: &Reading) -> bool {
        let word =
            matches!(reading.whole.turn, Turn::Control(Control::Cancel | Control::Help | Control::Status));
        let word = word && self.is_sure(&reading.whole);
        self.state.pending_messages.is_empty() || word || self.holds(&reading.text)
    }

    /// Records a line; a later tier is asked what it means.
    pub(super) fn consult(&mut self, turn: Option<TurnId>, line: &str, seen: Seq) {
        let turn = turn.unwrap_or_else(|| self.begin_turn(line));
        let (vectors, model) = (self.under.tiers.vectors, self.may_ask_model());
        let epoch = self.state.epoch;
        self.emit(Event::IntentAsked { turn, seen, epoch, vectors, model });
    }

    /// Records a line that waits for an earlier one.
    pub(super) fn wait(&mut self, line: &str, seen: Seq) -> Decided {
        if self.state.pending_messages.len() >= MOST {
            return Err(Refusal::new("too many messages are waiting; wait a moment, or /abort"));
        }
        let turn = self.begin_turn(line);
        let epoch = self.state.epoch;
        self.emit(Event::IntentAsked { turn, seen, epoch, vectors: false, model: false });
        Ok(())
    }

    /// What came back for the first message that waits: its text, and what a tier thinks of it.
    pub(super) fn understood(&mut self, turn: TurnId, said: TiersAnswered) -> Decided {
        let Some(head) = self.state.pending_messages.front().filter(|h| h.turn == turn).copied() else {
            return Err(Refusal::new("nothing is waiting for this"));
        };
        let Some(seq) = self.state.turns.get(&turn).map(|t| t.seq) else {
            return Err(Refusal::new("there is no such message"));
        };
        let line = said.text.trim().to_owned();
        let reading = self.state.read_at(self.said_to(&line), &self.under.tiers, seq);
        if !head.asked() {
            return self.say_waited(turn, &line, &reading, head.seen);
        }
        let moved = head.epoch != self.state.epoch;
        // Where things moved on, the deterministic tiers may be sure by now.
        let opinion = said.opinion.filter(|_| !moved || self.under.tiers.classifier.unsure(&reading));
        let sure = moved && !self.under.tiers.classifier.unsure(&reading);
        let failed = !sure && (head.model || !said.faults.is_empty());
        let context = self.state.context(seq);
        let message = self.state.message(&line, &context);
        let reading = self.under.tiers.classifier.settle(reading, opinion.as_ref(), failed, &message);
        let usage = (said.usage != crate::talk::Usage::default()).then_some(said.usage);
        let guessed = reading.whole.source == Source::Fallback;
        let lasting = opinion.filter(|o| o.confidence > REMEMBERED && reading.whole.source == o.source);
        let key = lasting.map(|_| self.state.key(&line, seq));
        if said.faults.is_empty() {
            self.classify_as(turn, &line, &reading, Consulted { usage, key });
            return self.route_reading(turn, &reading);
        }
        let (before, first) = (self.state.clone(), self.events.len());
        self.classify_as(turn, &line, &reading, Consulted { usage, key });
        let decided = self.route_reading(turn, &reading);
        let done = Foretold::of(&before, self.events.get(first..).unwrap_or_default());
        let class = (&reading.whole.turn, &reading.whole.path);
        let done = guessed.then(|| done.words(class, reading.forbids_change, &before));
        let leaf = class.1.current();
        let done = done.map_or(String::new(), |words| format!(" The rules took it as {leaf} ({words})."));
        let queued = self.events.iter().skip(first).any(|e| matches!(e.event, Event::QueueChanged { .. }));
        let now = if queued && self.hears() { format!(" {TELLS_NOW}.") } else { String::new() };
        self.notice(Level::Warn, format!("{}{done}{now}", said.faults.join(" ")));
        decided
    }

    /// A message that waited has its turn: read in the phase of now.
    fn say_waited(&mut self, turn: TurnId, line: &str, reading: &Reading, seen: Seq) -> Decided {
        if self.unseen_answer(line, seen) {
            self.classify(turn, line, reading);
            self.notice(Level::Info, super::say::UNSEEN);
            return Ok(());
        }
        if let Some(word) = self.answer_in_words(line) {
            self.classify(turn, line, reading);
            return word.and_then(|said| self.answer(said.question, said.answer, said.shown));
        }
        self.take_message(Some(turn), line, reading, seen)
    }

    /// Nothing of what waits is done.
    pub(super) fn drop_unheard(&mut self) {
        let waiting: Vec<TurnId> = self.state.pending_messages.iter().map(|h| h.turn).collect();
        for turn in waiting {
            self.emit(Event::TurnDropped { turn });
        }
    }

    /// Stops reading what waits.
    pub(super) fn stop_hearing(&mut self) {
        let count = self.state.pending_messages.len();
        self.drop_unheard();
        match count {
            0 => {}
            1 => self.notice(Level::Info, "Stopped; your message was not acted on."),
            n => self.notice(Level::Info, format!("Stopped; your last {n} messages were not acted on.")),
        }
    }

    /// Whether a control word of a later tier may act: only one that stops and starts nothing.
    pub(super) fn later_word(source: Source, control: &Control, confidence: f32) -> bool {
        let later = matches!(source, Source::Llm | Source::Cache | Source::Fallback);
        let harmless = matches!(control, Control::Help | Control::Status | Control::ModeSwitch(_));
        confidence >= SURE_WORD && (!later || harmless)
    }
}

/// Above this confidence an answer is used again while nothing around it changed (INT-09).
const REMEMBERED: f32 = 0.9;
