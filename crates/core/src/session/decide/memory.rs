//! Memory: notes proposed by the agent or for what the user said, kept once they agree; `/memory`.
//! Instructions of folders: told once to each line of work.
//!
//! Owns when a note is proposed. Nothing is kept but by an answer or a command of the user.

use super::{
    Decided, Draft,
    answer::{Given, Resolve},
    verdict::CallVerdict,
};
use crate::{
    blob::BlobId,
    checkpoint::{Answer, CheckpointKind},
    event::{Event, Level},
    ids::{ApprovalId, CallId, CheckpointId, TurnId},
    input::Refusal,
    intent::{Control, IntentNode, IntentPath, QuerySub, Reading, Recorded, Slash, Turn},
    memory::{MemoryChange, MemoryOwner, NOTE_CHARS, Note, NoteDraft, NoteKind},
    question::{Lone, Remember},
    redact::is_marked,
    relpath::RelPath,
    scope::Capability,
};

/// Most notes that wait for an answer.
const MOST_OPEN: usize = 5;
/// Most notes that are listed at once.
const MOST_SHOWN: usize = 40;
/// Told of a note with a secret in it.
const SECRET: &str = "it holds a secret, and a secret is never remembered: say where it is kept instead";

impl Draft<'_> {
    /// Whether a note of the agent is put to the user.
    pub(super) fn judge_note(&self, asked: &NoteDraft) -> CallVerdict {
        let Some(note) = Note::new(asked.kind, &asked.text) else {
            return CallVerdict::refuse("there is nothing to remember in that");
        };
        if is_marked(&note.text) {
            return CallVerdict::refuse(SECRET);
        }
        if note.text.chars().count() > NOTE_CHARS {
            return CallVerdict::refuse(format!(
                "a note can have at most {NOTE_CHARS} characters; make it shorter"
            ));
        }
        if let Some(why) = self.idle_note(&note) {
            return CallVerdict::refuse(why);
        }
        CallVerdict::Offer(Box::new(Remember { note, said: false }))
    }

    /// Why a note need not be put to the user, if it need not.
    fn idle_note(&self, note: &Note) -> Option<&'static str> {
        let open: Vec<&Note> = self.open_asked().map(|asked| &asked.note).collect();
        if self.under.memory.holds(&note.text) {
            return Some("that is already remembered");
        }
        if open.iter().any(|n| n.is_like(note)) {
            return Some("that waits for the user already");
        }
        if self.state.unwanted.iter().any(|n| n.says(&note.text)) {
            return Some("the user does not want that remembered");
        }
        (open.len() >= MOST_OPEN).then_some("enough notes wait for the user; go on without")
    }

    fn open_asked(&self) -> impl Iterator<Item = &Remember> {
        self.state.open.values().filter_map(|c| {
            let CheckpointKind::Remember(asked) = &c.kind else { return None };
            Some(asked)
        })
    }

    /// Notes that wait for an answer.
    pub(super) fn open_notes(&self) -> Vec<Remember> {
        self.open_asked().cloned().collect()
    }

    /// Puts a note to the user.
    pub(super) fn offer_note(&mut self, asked: Remember) {
        let message = format!("Remember: {}", asked.note.text);
        self.ask(asked, message);
    }

    /// What a message of the user says is to hold from now on is proposed as a note (TRN-14).
    pub(super) fn offer_rule(&mut self, line: &str) {
        let rule = self.under.tiers.classifier.standing_rule(line);
        let Some(note) = rule.and_then(|text| Note::new(NoteKind::Learning, &text)) else { return };
        let fits = note.text.chars().count() <= NOTE_CHARS && !is_marked(&note.text);
        if fits && self.idle_note(&note).is_none() {
            self.offer_note(Remember { note, said: true });
        }
    }

    /// `/memory`: what is remembered; `/memory WORD`: of that; `add`, `forget`.
    pub(super) fn memory(&mut self, args: &str) -> Decided {
        let (verb, rest) = args.trim().split_once(char::is_whitespace).unwrap_or((args.trim(), ""));
        match (verb, rest.trim()) {
            ("add", "") => Err(Refusal::misuse("type /memory add NOTE, or /memory add user NOTE")),
            ("add", rest) => self.add_note(rest),
            ("forget", "") => Err(Refusal::misuse("type /memory forget and words from the note")),
            ("forget", rest) => self.forget_note(rest),
            ("edit", _) => Err(Refusal::misuse(
                "/memory edit works only on the screen; the files are Markdown, edit them directly",
            )),
            _ => {
                self.list_notes(args.trim());
                Ok(())
            }
        }
    }

    fn add_note(&mut self, rest: &str) -> Decided {
        let (first, tail) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        let kind = if first == MemoryOwner::User.name() {
            Some(NoteKind::Preference)
        } else if first == MemoryOwner::Project.name() {
            Some(NoteKind::Learning)
        } else {
            NoteKind::named(first)
        };
        let (kind, text) = kind.map_or((NoteKind::Learning, rest), |kind| (kind, tail));
        let note =
            Note::new(kind, text).ok_or_else(|| Refusal::misuse("there is nothing to remember in that"))?;
        if is_marked(&note.text) {
            return Err(Refusal::new(SECRET));
        }
        if note.text.chars().count() > NOTE_CHARS {
            return Err(Refusal::new(format!("a note can have at most {NOTE_CHARS} characters")));
        }
        if self.under.memory.holds(&note.text) {
            return Err(Refusal::new("that is already remembered"));
        }
        self.change_memory(MemoryChange::Add { note }, None)
    }

    fn forget_note(&mut self, words: &str) -> Decided {
        let exact = self.under.memory.notes().iter().find(|n| n.says(words));
        let mut like = self.under.memory.holding(words);
        let found = match (exact, like.next(), like.next()) {
            (Some(note), ..) | (None, Some(note), None) => note.clone(),
            (None, Some(_), Some(_)) => {
                return Err(Refusal::new(format!(
                    "several notes contain \"{words}\"; give more of its words"
                )));
            }
            (None, None, _) => return Err(Refusal::new(format!("no note contains \"{words}\""))),
        };
        self.change_memory(MemoryChange::Forget { note: found }, None)
    }

    fn list_notes(&mut self, word: &str) {
        let line = |n: &Note| format!("{} ({}): {}", n.kind.name(), n.kind.owner().name(), n.text);
        let mut lines: Vec<String> = self.under.memory.holding(word).map(line).collect();
        if lines.is_empty() {
            let of = if word.is_empty() { String::new() } else { format!(" of {word}") };
            let none = format!("nothing is remembered{of}; /memory add NOTE adds a note");
            return self.listed(Slash::Memory, &[none]);
        }
        let more = lines.len().saturating_sub(MOST_SHOWN);
        lines.truncate(MOST_SHOWN);
        if more > 0 {
            lines.push(format!("… and {more} more: /memory WORD"));
        }
        self.listed(Slash::Memory, &lines);
    }

    /// The user wrote a memory anew.
    pub(super) fn edit_memory(&mut self, owner: MemoryOwner, before: BlobId, text: String) -> Decided {
        if is_marked(&text) {
            return Err(Refusal::new(SECRET));
        }
        let text = self.excerpt(text);
        self.change_memory(MemoryChange::Write { owner, before, text }, None)
    }

    /// What the user wants is done to a memory; `question` is the one that they said yes to.
    fn change_memory(&mut self, change: MemoryChange, question: Option<(CheckpointId, Answer)>) -> Decided {
        let written = self.state.ceiling().allows(Capability::Write);
        if change.owner() == MemoryOwner::Project && !written {
            return Err(Refusal::new(
                "the ceiling is read-only: nothing is written in the project. Shift-Tab raises it.",
            ));
        }
        let approval = match question {
            Some((question, answer)) => self.allow(question, answer),
            None => ApprovalId(self.id()),
        };
        self.emit(Event::MemoryChanged { change, approval });
        Ok(())
    }

    /// A memory's file holds a change, or could not be changed.
    pub(super) fn memory_kept(&mut self, approval: ApprovalId, result: Result<String, String>) -> Decided {
        let Some(change) = self.state.remembering.get(&approval).cloned() else {
            return Err(Refusal::new("no memory is being changed"));
        };
        let (file, fault) = match result {
            Ok(file) => (file, None),
            Err(fault) => (String::new(), Some(fault)),
        };
        let (level, told) = match (&fault, &change) {
            (Some(fault), _) => (Level::Warn, format!("The memory is unchanged: {fault}")),
            (None, MemoryChange::Add { note }) => {
                (Level::Info, format!("Remembered in {file}: {}", note.text))
            }
            (None, MemoryChange::Forget { note }) => {
                (Level::Info, format!("Forgotten, removed from {file}: {}", note.text))
            }
            (None, MemoryChange::Write { .. }) => (Level::Info, format!("Saved: {file}")),
        };
        self.emit(Event::MemoryKept { approval, file, fault });
        self.notice(level, told);
        Ok(())
    }

    /// A folder in which a call works has instructions of its own: they are told once.
    pub(super) fn instructed(&mut self, call: CallId, path: RelPath, text: String) -> Decided {
        let lane = self.state.open_call(call).map(|(l, _)| l.id);
        let lane = lane.ok_or_else(|| Refusal::new("the call has ended already"))?;
        if self.state.was_instructed(lane, &path) {
            return Err(Refusal::new("these instructions were told already"));
        }
        let text = self.excerpt(text);
        self.emit(Event::InstructionsTold { lane, path, text });
        Ok(())
    }

    /// Whether the record of the session answers this question; then it does.
    pub(super) fn tells(&mut self, turn: TurnId) -> bool {
        let Some(sub) = self.sub_of(turn) else { return false };
        let Some(info) = self.state.turns.get(&turn) else { return false };
        let question = info.request.as_deref().unwrap_or(&info.head);
        let Some(text) = self.account_of(question, sub) else { return false };
        self.emit(Event::FactsAnswered { turn, names: Vec::new(), text });
        true
    }

    /// A message that the record answers is a question, however doubtful it sounds and whatever runs.
    pub(super) fn of_record(&self, reading: &Reading) -> Option<Reading> {
        // What goes on asks for nothing.
        if reading.whole.turn == Turn::Control(Control::Proceed) {
            return None;
        }
        let sub = if let Turn::Query(sub) = reading.whole.turn { sub } else { None };
        self.account_of(&reading.text, sub.unwrap_or(QuerySub::Lookup))?;
        let mut reading = reading.clone();
        if !matches!(reading.whole.turn, Turn::Query(_)) {
            reading.whole.turn = Turn::Query(Some(QuerySub::Summary));
            reading.whole.path = IntentPath::to(IntentNode::Explain);
        }
        Some(reading)
    }

    /// What the record of the session says to a question, where it is about nothing else. One that asks for
    /// more than the last such question is about the same.
    pub(super) fn account_of(&self, question: &str, sub: QuerySub) -> Option<String> {
        let read = |text: &str| self.under.tiers.classifier.asks_record(text);
        let closely = matches!(sub, QuerySub::Detail | QuerySub::Provenance);
        if let Some(asked) = read(question) {
            if asked.about == Recorded::Thread {
                return self.state.recap(|said| read(said).is_some());
            }
            return self.state.account(&asked, closely);
        }
        let bare = closely && question.split_whitespace().count() <= 5;
        let last = self.state.turns.values().rev().find(|t| t.head != question).filter(|_| bare)?;
        let asked = matches!(last.class, Turn::Query(_)).then(|| read(&last.head)).flatten()?;
        self.state.account(&asked, true)
    }
}

impl Resolve for Remember {
    fn resolve(&self, draft: &mut Draft<'_>, given: Given<Lone>) -> Decided {
        if given.answer == Lone::No {
            draft.close(given.question, Some(given.stored));
            return Ok(());
        }
        let note = self.note.clone();
        draft.change_memory(MemoryChange::Add { note }, Some((given.question, given.stored)))
    }
}
