//! The transcript as messages: every call with its answer, everything else in the order in which it
//! happened.
//!
//! Owns the pairing of calls and results, which a wire wants side by side. Never words a record.

use pilothouse_core::{
    event::Event,
    ids::{CallId, LaneId, Seq, TurnId},
    session::{Entry, Lane, LaneKind, State, What},
    talk::{Message, ModelCall, Role},
};

use super::{
    COMMAND_BYTES, RESULT_BYTES, Texts,
    budget::{Piece, Slim},
    cut, cut_noting, inside, record,
};

/// A result may take at most this share of the room.
const SHARE: usize = 6;
/// Arguments are named up to this many bytes where their result gave way.
const NAMED_BYTES: usize = 160;

/// How far back is gone and how long a text may be.
pub(super) struct Bounds {
    history: usize,
    result: usize,
    command: usize,
}

impl Bounds {
    /// For this many messages of the user, in a room of this many bytes.
    pub fn of(history: usize, room: usize) -> Self {
        Self { history, result: RESULT_BYTES.min(room / SHARE), command: COMMAND_BYTES.min(room / 2) }
    }
}

/// Everything that a lane's model is told of what happened.
pub(super) fn pieces(state: &State, lane: &Lane, texts: &dyn Texts, bounds: &Bounds) -> Vec<Piece> {
    let entries: Vec<Entry> = state.transcript.of(lane.id).copied().collect();
    let entries = entries.get(first(&entries, bounds.history)..).unwrap_or_default();
    // What the model has not read yet of a goal's command it reads whole; what it has is cut.
    let is_result = |e: &Entry| matches!(e.what, What::Result(_) | What::Output(_));
    let is_reply = |e: &&Entry| e.what == What::Reply;
    let newest = entries
        .iter()
        .rposition(is_result)
        .filter(|at| lane.kind == LaneKind::Goal && !entries.iter().skip(*at).any(|e| is_reply(&e)));
    let beside = state.transcript.is_beside(lane.id).then_some(lane.id);
    let mut telling = Telling { texts, beside, done: Vec::new(), open: Vec::new(), held: Vec::new() };
    for (at, entry) in entries.iter().enumerate() {
        let most = if Some(at) == newest { bounds.command } else { bounds.result };
        telling.tell(state, entry, most);
    }
    telling.close();
    telling.done
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
    texts: &'a dyn Texts,
    /// The lane, where it runs beside the main line.
    beside: Option<LaneId>,
    done: Vec<Piece>,
    /// Calls of the last reply without an answer so far.
    open: Vec<OpenCall>,
    /// What happened while they were open; it follows their answers.
    held: Vec<Piece>,
}

struct OpenCall {
    call: CallId,
    provider: String,
    named: String,
    lane: Option<LaneId>,
}

impl Telling<'_> {
    fn tell(&mut self, state: &State, entry: &Entry, most: usize) {
        match entry.what {
            What::User(turn) => {
                let said = said(state, self.texts, turn, entry.seq, most);
                self.put(said.map(Piece::stays));
            }
            What::Reply => {
                self.close();
                self.reply(entry);
            }
            What::Result(call) => self.result(entry.seq, call, most),
            What::Output(_) => {
                let output = output(self.texts, entry.seq, most);
                self.put(output);
            }
            What::Nudge | What::Record | What::Step(_) | What::Answer(_) | What::Report(_) => {
                let told = record::text(state, self.texts, entry).map(|t| Message::text(Role::User, t));
                self.put(told.map(Piece::stays));
            }
        }
    }

    /// Something between two replies; where calls are open it follows their answers.
    fn put(&mut self, piece: Option<Piece>) {
        let to = if self.open.is_empty() { &mut self.done } else { &mut self.held };
        to.extend(piece);
    }

    fn reply(&mut self, entry: &Entry) {
        let Some(Event::MessageCompleted { text, calls, cut: stopped, .. }) =
            self.texts.event(entry.seq).map(|e| e.event)
        else {
            return;
        };
        let mut text = self.texts.whole(&text);
        if stopped {
            text.push_str("\n[stopped by the user here]");
        }
        let calls: Vec<ModelCall> = calls
            .into_iter()
            .map(|c| {
                let args = self.texts.whole(&c.args);
                let named = format!("{} {}", c.name, cut(&args, NAMED_BYTES));
                let (call, provider, lane) = (c.call, c.provider.clone(), entry.lane);
                self.open.push(OpenCall { call, provider, named, lane });
                ModelCall { id: c.provider, name: c.name, args }
            })
            .collect();
        if text.is_empty() && calls.is_empty() {
            return;
        }
        let message = Message { role: Role::Assistant, text, calls, answers: None };
        self.done.push(Piece { message, slim: Slim::Reply });
    }

    fn result(&mut self, seq: Seq, call: CallId, most: usize) {
        let Some(at) = self.open.iter().position(|o| o.call == call) else { return };
        let Some(Event::CallEnded { result, summary, .. }) = self.texts.event(seq).map(|e| e.event) else {
            return;
        };
        let open = self.open.remove(at);
        let name = result.id().output_name();
        let text = cut_noting(&self.texts.whole(&result), most, &format!("; read {name} has them"));
        let line = format!("[{}: {summary}; dropped to save room, read {name} has it]", open.named);
        let message = Message { role: Role::Tool, text, calls: Vec::new(), answers: Some(open.provider) };
        self.done.push(Piece { message, slim: Slim::Line(line) });
        if self.open.is_empty() {
            self.done.append(&mut self.held);
        }
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
            let message = Message { role: Role::Tool, text: text.to_owned(), calls: Vec::new(), answers };
            self.done.push(Piece::stays(message));
        }
        self.done.append(&mut self.held);
    }
}

/// A message of the user: what is really asked, where that is not all of it.
fn said(state: &State, texts: &dyn Texts, turn: TurnId, seq: Seq, most: usize) -> Option<Message> {
    if let Some(request) = state.turns.get(&turn).and_then(|t| t.request.as_ref()) {
        return Some(Message::text(Role::User, cut(request, most)));
    }
    let Event::TurnStarted { text, .. } = texts.event(seq)?.event else { return None };
    Some(Message::text(Role::User, cut(&texts.whole(&text), most)))
}

/// What came of a call of the workbench itself, such as a command that the user typed.
fn output(texts: &dyn Texts, seq: Seq, most: usize) -> Option<Piece> {
    let Event::CallEnded { result, summary, .. } = texts.event(seq)?.event else { return None };
    let text = inside(&cut(&texts.whole(&result), most), "command_output");
    let message = Message::text(Role::User, format!("<command_output>\n{text}\n</command_output>"));
    let line = format!("<command_output>{summary}; the output was dropped to save room</command_output>");
    Some(Piece { message, slim: Slim::Line(line) })
}
