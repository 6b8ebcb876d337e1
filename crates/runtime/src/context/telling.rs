//! The transcript as messages: every call with its answer, everything else in the order in which it
//! happened.
//!
//! Owns the pairing of calls and results, which a wire wants side by side. Never words a record.

use std::collections::BTreeSet;

use pilothouse_core::{
    blob::{BlobId, Excerpt},
    compaction::Mark,
    event::{CallStatus, Event},
    ids::{CallId, LaneId, ProposalId, Seq, TurnId},
    proposal::{Proposal, ProposalStatus},
    recipe::RecipeKind,
    session::{Entry, Lane, LaneKind, State, What},
    talk::{Echo, Message, ModelCall, Role, Thought},
    tool::Tool,
};

use super::{
    COMMAND_BYTES, RESULT_BYTES, Texts,
    budget::{Piece, Slim},
    cut,
    cut::{cut_read, cut_result, cut_said},
    inside, record,
};

/// A result may take at most this share of the room.
const SHARE: usize = 6;
/// A summary, and the user's messages from before it, may each take at most this share of the room.
const SUMMARY_SHARE: usize = 4;
/// What is left of older messages of the user, in bytes.
const HEARD_BYTES: usize = 200;
/// Arguments are named up to this many bytes where their result gave way.
const NAMED_BYTES: usize = 160;

/// How far back is gone and how long a text may be.
pub(super) struct Bounds {
    history: usize,
    result: usize,
    command: usize,
    summary: usize,
    said: usize,
    origin: String,
}

impl Bounds {
    /// For this many messages of the user, in a room of this many bytes.
    pub fn of(history: usize, room: usize) -> Self {
        let (result, command) = (RESULT_BYTES.min(room / SHARE), COMMAND_BYTES.min(room / 2));
        Self {
            history,
            result,
            command,
            summary: room / SUMMARY_SHARE,
            said: room / 2,
            origin: String::new(),
        }
    }

    /// With so many bytes at most for what the user said.
    pub fn hearing(self, bytes: usize) -> Self {
        Self { said: self.said.min(bytes), ..self }
    }

    /// With what this endpoint and model thought themselves.
    pub fn thought_by(self, origin: &str) -> Self {
        Self { origin: origin.to_owned(), ..self }
    }
}

/// Everything that a lane's model is told of what happened.
pub(super) fn pieces(state: &State, lane: &Lane, texts: &dyn Texts, bounds: &Bounds) -> Vec<Piece> {
    let entries: Vec<Entry> = state.transcript.of(lane.id).copied().collect();
    // What the model has not read yet of a goal's command it reads whole; what it has is cut.
    let is_result = |e: &Entry| matches!(e.what, What::Result(_) | What::Output(_));
    let is_reply = |e: &&Entry| e.what == What::Reply;
    let newest = entries
        .iter()
        .rposition(is_result)
        .filter(|at| lane.kind == LaneKind::Goal && !entries.iter().skip(*at).any(|e| is_reply(&e)));
    let beside = state.transcript.is_beside(lane.id).then_some(lane.id);
    let whole = newest.and_then(|at| entries.get(at)).copied();
    Telling::of(state, texts, bounds, beside).all(&entries, whole)
}

/// These entries as messages, as the main line tells them.
pub(super) fn of_entries(state: &State, entries: &[Entry], texts: &dyn Texts, bounds: &Bounds) -> Vec<Piece> {
    Telling::of(state, texts, bounds, None).all(entries, None)
}

/// Where the last messages of the user begin; it moves in steps, so that what is sent mostly stays.
fn first(entries: &[Entry], most: usize) -> usize {
    let said = |e: &&(usize, &Entry)| matches!(e.1.what, What::User(_));
    let starts: Vec<usize> = entries.iter().enumerate().filter(|e| said(&e)).map(|e| e.0).collect();
    let over = starts.len().saturating_sub(most.max(1));
    let step = (most / 4).max(1);
    let skip = over.div_ceil(step) * step;
    starts.get(skip.min(starts.len().saturating_sub(1))).copied().filter(|_| over > 0).unwrap_or(0)
}

struct Telling<'a> {
    state: &'a State,
    texts: &'a dyn Texts,
    bounds: &'a Bounds,
    /// The lane, where it runs beside the main line.
    beside: Option<LaneId>,
    done: Vec<Piece>,
    /// Calls of the last reply without an answer so far.
    open: Vec<OpenCall>,
    /// Results that are told whole.
    whole: BTreeSet<BlobId>,
    /// The calls of the last reply that have one, with its place.
    told: Vec<(CallId, usize)>,
    /// What happened while they were open; it follows their answers.
    held: Vec<Piece>,
}

struct OpenCall {
    call: CallId,
    provider: String,
    named: String,
    /// Whether it reads lines of a text.
    reads: bool,
    lane: Option<LaneId>,
}

impl<'a> Telling<'a> {
    fn of(state: &'a State, texts: &'a dyn Texts, bounds: &'a Bounds, beside: Option<LaneId>) -> Self {
        Self {
            state,
            texts,
            bounds,
            beside,
            done: Vec::new(),
            open: Vec::new(),
            whole: BTreeSet::new(),
            told: Vec::new(),
            held: Vec::new(),
        }
    }

    /// All of them; `whole` names a result that is told as long as a command's may be.
    fn all(mut self, entries: &[Entry], whole: Option<Entry>) -> Vec<Piece> {
        let from = first(entries, self.bounds.history);
        let summary = entries.iter().position(|e| e.what == What::Summary);
        let passed = summary.filter(|at| *at < from).and_then(|at| entries.get(at));
        for entry in passed.into_iter().chain(entries.iter().skip(from)) {
            let most = if whole == Some(*entry) { self.bounds.command } else { self.bounds.result };
            self.tell(entry, most);
            if entry.what == What::Summary {
                self.bound_heard();
            }
        }
        self.close();
        self.bound_said();
        self.done
    }

    /// The user's messages from before the summary stay word for word up to a bound, the newest first.
    fn bound_heard(&mut self) {
        let mut left = self.bounds.summary;
        let of_user = |p: &Piece| p.entry.is_some_and(|e| matches!(e.what, What::User(_)));
        let heard = |p: &&mut Piece| of_user(p) && p.slim != Slim::Pinned;
        for piece in self.done.iter_mut().rev().filter(heard) {
            match left.checked_sub(piece.message.text.len()) {
                Some(rest) => left = rest,
                None => piece.message.text = piece.cut(&piece.message.text, HEARD_BYTES),
            }
        }
    }

    /// All that the user said stays word for word up to a bound as well, the newest first; a result's length of each always.
    fn bound_said(&mut self) {
        let mut left = self.bounds.said;
        for piece in self.done.iter_mut().rev().filter(|p| is_said(p)) {
            piece.message.text = piece.cut(&piece.message.text, left.max(self.bounds.result));
            left = left.saturating_sub(piece.message.text.len());
        }
    }

    fn tell(&mut self, entry: &Entry, most: usize) {
        match entry.what {
            What::User(turn) => {
                let said = said(self.state, self.texts, turn, entry.seq, self.bounds.said);
                self.put(entry, said);
            }
            What::Reply => {
                self.close();
                self.reply(entry);
            }
            What::Result(call) => self.result(entry, call, most),
            What::Output(_) => {
                let output = output(self.texts, entry.seq, most);
                self.put(entry, output);
            }
            What::Summary => {
                self.close();
                let told = summary(self.texts, entry.seq, self.bounds.summary);
                self.put(entry, told.map(Piece::stays));
            }
            What::Record if self.was_applied(entry) => {}
            What::Handed | What::Nudge | What::Record | What::Step(_) | What::Answer(_) | What::Report(_) => {
                let told = record::text(self.state, self.texts, entry, &self.whole);
                self.put(entry, told.map(|t| Piece::stays(Message::text(Role::User, t))));
            }
        }
    }

    /// A piece with what it tells, as the user wants it.
    fn of_entry(&self, entry: &Entry, piece: Piece) -> Piece {
        let mark = self.state.transcript.mark(entry.seq);
        Piece { entry: Some(*entry), ..piece }.marked(mark)
    }

    /// Something between two replies; where calls are open it follows their answers.
    fn put(&mut self, entry: &Entry, piece: Option<Piece>) {
        let piece = piece.map(|p| self.of_entry(entry, p));
        let to = if self.open.is_empty() { &mut self.done } else { &mut self.held };
        to.extend(piece);
    }

    fn reply(&mut self, entry: &Entry) {
        self.told.clear();
        let Some(Event::MessageCompleted { text, calls, cut: stopped, reasoning, echo, .. }) =
            self.texts.event(entry.seq).map(|e| e.event)
        else {
            return;
        };
        let mut text = self.texts.whole(&text);
        if stopped {
            let broke = self.state.transcript.broke_off(entry.seq);
            text.push_str(if broke {
                "\n[the reply broke off here]"
            } else {
                "\n[stopped by the user here]"
            });
        }
        let calls: Vec<ModelCall> = calls
            .into_iter()
            .map(|c| {
                let args = self.texts.whole(&c.args);
                let named = format!("{} {}", c.name, cut(&args, NAMED_BYTES));
                let (call, provider, lane) = (c.call, c.provider.clone(), entry.lane);
                let reads = c.name == Tool::Read.name();
                self.open.push(OpenCall { call, provider, named, reads, lane });
                ModelCall { id: c.provider, name: c.name, args }
            })
            .collect();
        if text.is_empty() && calls.is_empty() {
            return;
        }
        let thought =
            echo.filter(|e| e.origin == self.bounds.origin).map(|e| Box::new(self.thought(&e, &reasoning)));
        let message = Message { calls, thought, ..Message::text(Role::Assistant, text) };
        let piece = self.of_entry(entry, Piece { message, slim: Slim::Reply, entry: None });
        self.done.push(piece);
    }

    /// The thinking behind a reply, as it goes back.
    fn thought(&self, echo: &Echo<Excerpt>, reasoning: &Excerpt) -> Thought {
        let (origin, field) = (echo.origin.clone(), echo.field.clone());
        let (kept, calls) = (self.texts.whole(&echo.kept), self.texts.whole(&echo.calls));
        let text = if field.is_empty() { String::new() } else { self.texts.whole(reasoning) };
        Thought { text, echo: Echo { origin, field, kept, calls } }
    }

    fn result(&mut self, entry: &Entry, call: CallId, most: usize) {
        let Some(at) = self.open.iter().position(|o| o.call == call) else {
            return self.kept_result(entry, most);
        };
        let ended = self.texts.event(entry.seq).map(|e| e.event);
        let Some(Event::CallEnded { result, summary, status, .. }) = ended else { return };
        let open = self.open.remove(at);
        let name = result.id().output_name();
        let part = open.reads.then(|| cut_read(self.texts, entry.seq, most)).flatten();
        let (text, is_whole) = match part {
            Some(text) => (text, false),
            None => cut_result(self.texts, entry.seq, most).unwrap_or_default(),
        };
        if is_whole {
            self.whole.insert(result.id());
        }
        let line = format!("[{}: {summary}; dropped to save room, read {name} has it]", open.named);
        let (answers, failed) = (Some(open.provider), status != CallStatus::Done);
        let message = Message { answers, failed, ..Message::text(Role::Tool, text) };
        let piece = self.of_entry(entry, Piece { message, slim: Slim::Line(line), entry: None });
        self.told.push((call, self.done.len()));
        self.done.push(piece);
        if self.open.is_empty() {
            self.done.append(&mut self.held);
        }
    }

    /// What was written while calls of the same reply were still open stands in the results of the calls that
    /// proposed it: a command beside them ran on it. Whether it is told there.
    fn was_applied(&mut self, entry: &Entry) -> bool {
        let event = self.texts.event(entry.seq).filter(|_| !self.open.is_empty()).map(|e| e.event);
        let Some(Event::Applied { apply }) = event else { return false };
        let Some(files) = record::applied_files(self.state, self.texts, apply) else { return false };
        let proposals = self.state.proposals();
        let place = |call: CallId| self.told.iter().find(|(of, _)| *of == call).map(|(_, at)| *at);
        let mut results = Vec::new();
        for (id, text) in files {
            let Some(p) = proposals.get(&id) else { return false };
            let Some(at) = place(p.call) else { return false };
            let replaced =
                |o: &&Proposal| o.id < id && o.path == p.path && o.status == ProposalStatus::Dropped;
            let earlier = proposals.values().filter(replaced);
            let with = format!("applied together with the later change of {}", p.path);
            results.extend(earlier.filter_map(|o| Some((None, place(o.call)?, with.clone()))));
            results.push((Some(id), at, text));
        }
        for (id, at, text) in results {
            let before = id.map(|id| self.failed_before(id)).unwrap_or_default();
            if let Some(piece) = self.done.get_mut(at) {
                piece.message.text = before + &text;
            }
        }
        true
    }

    /// Why a change was not written before it was: told where its write is, and not behind it.
    fn failed_before(&mut self, id: ProposalId) -> String {
        let mut told = String::new();
        for piece in std::mem::take(&mut self.held) {
            let record = piece.entry.filter(|entry| entry.what == What::Record);
            let event = record.and_then(|entry| self.texts.event(entry.seq)).map(|e| e.event);
            let why = event.filter(|event| self.failed_of(event, id));
            match why.and_then(|event| record::record(self.state, self.texts, &event)) {
                Some(why) => told.push_str(&format!("{why}\n")),
                None => self.held.push(piece),
            }
        }
        told
    }

    /// Whether it is the end of a write of this change that came to nothing.
    fn failed_of(&self, event: &Event, id: ProposalId) -> bool {
        let Event::ApplyFailed { apply, .. } = event else { return false };
        self.state.applies().get(apply).is_some_and(|a| a.take.iter().any(|(of, _)| *of == id))
    }

    /// A result that is pinned while the reply that asked for it is summed up.
    fn kept_result(&mut self, entry: &Entry, most: usize) {
        let pinned = self.state.transcript.mark(entry.seq) == Some(Mark::Pinned);
        let event = self.texts.event(entry.seq).filter(|_| pinned).map(|e| e.event);
        let Some(Event::CallEnded { summary, .. }) = event else { return };
        let text = inside(&cut_result(self.texts, entry.seq, most).unwrap_or_default().0, "kept_result");
        let text = format!("<kept_result of=\"{}\">\n{text}\n</kept_result>", summary.replace('"', "'"));
        self.put(entry, Some(Piece::stays(Message::text(Role::User, text))));
    }

    /// Every call has an answer before anything else is said.
    fn close(&mut self) {
        for open in self.open.drain(..) {
            let elsewhere = self.beside.is_some() && self.beside != open.lane;
            let text = if elsewhere {
                "still under way when what follows was asked beside it"
            } else {
                "interrupted: this call was not run"
            };
            let answers = Some(open.provider);
            let message = Message { answers, failed: true, ..Message::text(Role::Tool, text) };
            self.done.push(Piece::stays(message));
        }
        self.done.append(&mut self.held);
    }
}

/// A message of the user: what is really asked, where that is not all of it.
fn said(state: &State, texts: &dyn Texts, turn: TurnId, seq: Seq, most: usize) -> Option<Piece> {
    let info = state.turns.get(&turn);
    let directed = info.and_then(|t| t.directed.as_ref()).and_then(|d| directing(texts, d.seq));
    let Event::TurnStarted { text, .. } = texts.event(seq)?.event else { return None };
    let kept = text.cut.as_ref().map(|cut| cut.blob);
    let said = info.and_then(|t| t.request.clone()).unwrap_or_else(|| texts.whole(&text));
    let said = kept.map_or_else(|| cut(&said, most), |kept| cut_said(&said, most, kept));
    let meanwhile = if info.is_some_and(|t| t.told.is_some()) { "(said while you worked) " } else { "" };
    // A gap in the prompt that directs it would be no gap in what is kept.
    let slim = if directed.is_some() { Slim::Stays } else { Slim::Said(kept) };
    let message = Message::text(Role::User, format!("{meanwhile}{said}{}", directed.unwrap_or_default()));
    Some(Piece { message, slim, entry: None })
}

fn is_said(piece: &Piece) -> bool {
    matches!(piece.slim, Slim::Said(_))
}

/// The prompt of the skill, the command or the agent that directs a message.
fn directing(texts: &dyn Texts, seq: Seq) -> Option<String> {
    let Event::TurnDirected { kind, name, prompt, .. } = texts.event(seq)?.event else { return None };
    let mark = kind.name();
    let text = inside(&texts.whole(&prompt), mark);
    let head = match kind {
        RecipeKind::Agent => "for this message you are this agent:\n",
        RecipeKind::Skill | RecipeKind::Command => "",
    };
    Some(format!("\n\n<{mark} name=\"{name}\">\n{head}{text}\n</{mark}>"))
}

/// What came of a call of the workbench itself, such as a command that the user typed.
fn output(texts: &dyn Texts, seq: Seq, most: usize) -> Option<Piece> {
    let Event::CallEnded { summary, .. } = texts.event(seq)?.event else { return None };
    let text = inside(&cut_result(texts, seq, most)?.0, "command_output");
    let message = Message::text(Role::User, format!("<command_output>\n{text}\n</command_output>"));
    let line = format!("<command_output>{summary}; the output was dropped to save room</command_output>");
    Some(Piece { message, slim: Slim::Line(line), entry: None })
}

/// The summary of what stood before.
fn summary(texts: &dyn Texts, seq: Seq, most: usize) -> Option<Message> {
    let Event::Compacted { summary, .. } = texts.event(seq)?.event else { return None };
    let text = inside(&cut(&texts.whole(&summary), most), "summary");
    let text = format!(
        "<summary>\nWhat was said and done before, summed up; the user's own messages stand above. Files are as they are \
         now, not as they were then: read what you need again.\n{text}\n</summary>"
    );
    Some(Message::text(Role::User, text))
}
