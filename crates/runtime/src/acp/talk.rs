//! One session of a client: what it is told, what it is asked, and when its turn is over.
//!
//! Owns the turn. An answer counts only for the question that it names, as that was shown; a message only if it came
//! after the turn before it had ended.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use pilothouse_core::{
    event::{Event, Stamped},
    ids::{CheckpointId, Seq},
    input::Input,
    port::{Request, Update},
    recipe::Recipes,
    scope::PermissionMode,
    session::{Session, State},
    talk::Finish,
};
use serde_json::{Value, json};
use tokio::sync::mpsc::Sender;

use super::{
    ask::{LATER, Next, Offer, Subject, next},
    offered,
    place::Place,
    tell::Teller,
    wire::{Fault, Out},
};
use crate::{
    blobs::Blobs,
    headless::{FENCE, of_opening},
    home::Home,
    sessions,
};

/// How often one question is put in a turn whose answers are refused.
const MOST_TRIES: u32 = 3;
/// How many lines of work one stop ends at most, one after the other.
const MOST_STOPS: u32 = 4;

/// How a session is opened.
#[derive(Debug)]
pub(super) struct Opening {
    /// The request for it.
    pub id: Value,
    /// Whether it is one of before, which is told again.
    pub load: bool,
    /// Servers that the client would have used in it.
    pub servers: usize,
}

/// A question that the client is asked.
#[derive(Debug)]
struct Asked {
    id: u64,
    subject: Subject,
    offers: Vec<Offer>,
}

/// A prompt that is worked on.
#[derive(Debug, Default)]
struct Turn {
    id: Value,
    /// Whether something came of it.
    begun: bool,
    cancelled: bool,
    stops: u32,
    /// How its last reply ended, where it did not end by itself.
    short: Option<&'static str>,
    /// Why no reply came.
    fault: Option<String>,
    tries: BTreeMap<Subject, u32>,
}

/// A session.
#[derive(Debug)]
pub(super) struct Talk {
    pub slug: String,
    pub place: Place,
    requests: Sender<Request>,
    home: Home,
    session: Session,
    opening: Option<Opening>,
    teller: Teller,
    recipes: Arc<Recipes>,
    /// What was said at the opening.
    notices: Vec<String>,
    turn: Option<Turn>,
    asked: Option<Asked>,
    /// What was answered and is not closed yet.
    answering: Option<Subject>,
    /// Questions that the client was not shown yet, by the event that asked them.
    unseen: BTreeMap<CheckpointId, Seq>,
    /// What stays open in this turn.
    left: BTreeSet<Subject>,
    /// What the next message may be the word for.
    wanted: Option<Subject>,
    /// The request for a mode that is being set.
    setting: Option<Value>,
    /// How many lines had gone out when it was opened or its last turn ended.
    ended: u64,
    /// The last event that was told from the log.
    told: Seq,
}

impl Talk {
    pub fn new(place: Place, requests: Sender<Request>, home: Home, opening: Opening) -> Self {
        Self {
            slug: String::new(),
            place,
            requests,
            home,
            session: Session::new(),
            opening: Some(opening),
            teller: Teller::default(),
            recipes: Arc::default(),
            notices: Vec::new(),
            turn: None,
            asked: None,
            answering: None,
            unseen: BTreeMap::new(),
            left: BTreeSet::new(),
            wanted: None,
            setting: None,
            ended: 0,
            told: Seq(0),
        }
    }

    /// Whether it can be spoken to.
    pub const fn is_open(&self) -> bool {
        self.opening.is_none()
    }

    /// Whether nobody drives it any more.
    pub fn is_over(&self) -> bool {
        self.requests.is_closed()
    }

    /// Whether it waits for the answer to this request.
    pub fn asks(&self, id: u64) -> bool {
        self.asked.as_ref().is_some_and(|asked| asked.id == id)
    }

    async fn say(&self, input: Input) {
        // A driver that is gone has said so.
        drop(self.requests.send(Request::Input(input)).await);
    }

    pub async fn quit(&self) {
        drop(self.requests.send(Request::Quit).await);
    }

    fn flush(&mut self, out: &mut Out<'_>) {
        for update in std::mem::take(&mut self.teller.updates) {
            out.update(&self.slug, &update);
        }
    }

    /// Takes in what the driver says.
    pub async fn update(&mut self, update: Update, out: &mut Out<'_>) {
        match update {
            Update::Opened(session, _) => {
                self.session = *session;
                self.slug.clone_from(&self.session.state().slug);
                drop(self.requests.send(FENCE).await);
            }
            Update::Answered(..) if self.opening.is_some() => self.ready(out),
            Update::Events(events) => self.events(&events, out).await,
            Update::Delta(delta) => self.teller.delta(&delta, &self.place),
            Update::Refused(why) => self.refused(why, out).await,
            Update::Notice(text) | Update::Page { text, .. } if self.opening.is_some() => {
                self.notices.push(text);
            }
            Update::Notice(text) | Update::Page { text, .. } => self.teller.note(&self.place.shown(&text)),
            Update::Surroundings(around) => {
                self.place.secrets = around.secrets;
                self.teller.budget = around.budget;
                if !Arc::ptr_eq(&self.recipes, &around.recipes) {
                    self.recipes = around.recipes;
                    self.teller.updates.push(offered::commands(&self.recipes));
                }
            }
            Update::Answered(..) | Update::Rules(_) | Update::Draft(_) | Update::Closed(_) => {}
        }
        if self.opening.is_none() {
            self.flush(out);
        }
    }

    /// The session is there: the client hears of it, and of what was said in it.
    fn ready(&mut self, out: &mut Out<'_>) {
        let Some(Opening { id, load, servers }) = self.opening.take() else { return };
        let found = sessions::find(&self.home, &self.place.root, &self.slug);
        if let Ok(found) = &found {
            self.place.blobs = Blobs::under(&found.folder);
        }
        self.teller.updates.clear();
        if let (true, Ok(found)) = (load, &found) {
            self.replay(found, out);
        }
        self.unseen.extend(self.session.state().open.keys().map(|id| (*id, Seq(1))));
        let modes = offered::modes(self.session.state().permission);
        let mut result = json!({"sessionId": self.slug, "modes": modes});
        if let (true, Some(result)) = (servers > 0, result.as_object_mut()) {
            let text = "mcpServers of a client are not started; add them with `pilothouse sources add`";
            result.insert("_meta".to_owned(), json!({"pilothouse": {"mcpServers": text}}));
            self.notices.push(text.to_owned());
        }
        out.answer(&id, &result);
        self.ended = out.written();
        self.teller.updates.push(offered::commands(&self.recipes));
    }

    /// Tells the conversation again from its log.
    fn replay(&mut self, found: &sessions::Place, out: &mut Out<'_>) {
        let mut session = Session::new();
        let told = sessions::events(found, |event| {
            session.apply(&event);
            self.teller.event(&event, &session, &self.place, true);
            for update in std::mem::take(&mut self.teller.updates) {
                out.update(&self.slug, &update);
            }
        });
        match told {
            Ok(report) => self.notices.extend(report.warnings()),
            Err(e) => self.notices.push(e.to_string()),
        }
        self.teller.plan(session.state());
        self.told = session.state().seq;
        self.flush(out);
    }

    async fn events(&mut self, events: &[Stamped], out: &mut Out<'_>) {
        for event in events {
            self.session.apply(event);
            if self.opening.is_some() || event.seq <= self.told {
                continue;
            }
            // What a stopped reply had still to say comes when its turn may be over: the log keeps it.
            if is_late(&event.event, self.session.state())
                && !self.turn.as_ref().is_some_and(|turn| turn.cancelled)
            {
                continue;
            }
            if let Event::CheckpointOpened { checkpoint } = &event.event {
                self.unseen.insert(checkpoint.id, event.seq);
            }
            self.teller.event(event, &self.session, &self.place, false);
            self.note(&event.event, out);
        }
        self.settle(out).await;
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "only what a turn comes to")]
    fn note(&mut self, event: &Event, out: &mut Out<'_>) {
        if let Some(id) = self.setting.take_if(|_| matches!(event, Event::PermissionChanged { .. })) {
            self.flush(out);
            out.answer(&id, &json!({}));
        }
        let about_folder = matches!(event, Event::CheckpointOpened { checkpoint }
            if self.session.state().spec(checkpoint).about_folder);
        if let Event::CheckpointResolved { checkpoint, answer, .. } = event {
            self.teller.resolved(*checkpoint, answer.as_ref());
        }
        let late = is_late(event, self.session.state());
        let Some(turn) = &mut self.turn else { return };
        let beside = of_opening(event) || about_folder || late;
        turn.begun |= !(beside || matches!(event, Event::SourceSeen { .. }));
        match event {
            Event::MessageCompleted { finish, .. } => {
                turn.fault = None;
                turn.short = match finish {
                    Finish::Length => Some("max_tokens"),
                    Finish::Filtered => Some("refusal"),
                    Finish::Stop | Finish::Calls => None,
                };
            }
            Event::ThinkingFailed { fault, .. } => {
                turn.fault = Some(format!("{}\n{}", fault.message, fault.hint).trim_end().to_owned());
            }
            _ => {}
        }
    }

    /// An input changed nothing.
    async fn refused(&mut self, why: String, out: &mut Out<'_>) {
        if self.opening.is_some() {
            return self.notices.push(why);
        }
        if let Some(id) = self.setting.take() {
            return out.fail(&id, &Fault::params(why));
        }
        self.answering = None;
        let busy = self.session.state().busy();
        let cancelled = self.turn.as_ref().is_some_and(|turn| turn.cancelled);
        if !cancelled {
            self.teller.note(&self.place.shown(&why));
        }
        if let Some(turn) = self.turn.as_mut().filter(|_| !busy) {
            turn.begun = true;
        }
        self.settle(out).await;
    }

    /// Asks what is to be asked next, and ends the turn once nothing works and nothing is left to ask.
    async fn settle(&mut self, out: &mut Out<'_>) {
        let state = self.session.state();
        self.asked.take_if(|asked| !asked.subject.stands(state));
        self.answering.take_if(|subject| !subject.stands(state));
        let Some(turn) = self.turn.as_mut().filter(|turn| turn.begun) else { return };
        if self.asked.is_some() || self.answering.is_some() {
            return;
        }
        let rest = !state.busy();
        if turn.cancelled {
            if rest {
                self.end(out);
            } else if turn.stops < MOST_STOPS {
                turn.stops += 1;
                self.say(Input::Cancel).await;
            }
            return;
        }
        loop {
            match next(self.session.state(), &self.left, rest) {
                Next::Wait => return,
                Next::Nothing if rest => return self.end(out),
                Next::Nothing => return,
                Next::Ask(subject) => {
                    if self.ask(subject, out) {
                        return;
                    }
                    self.left.insert(subject);
                }
            }
        }
    }

    /// Puts a question to the client; not for ever.
    fn ask(&mut self, subject: Subject, out: &mut Out<'_>) -> bool {
        let tries = self.turn.as_mut().map(|turn| turn.tries.entry(subject).or_default());
        if tries.is_none_or(|tries| {
            *tries += 1;
            *tries > MOST_TRIES
        }) {
            return false;
        }
        let Some(sheet) = subject.sheet(self.session.state(), &self.place) else { return false };
        self.unseen.remove(&subject.question);
        self.teller.asked(&sheet.call);
        self.flush(out);
        let options: Vec<Value> = sheet.offers.iter().map(Offer::shown).collect();
        let params = json!({"sessionId": self.slug, "toolCall": sheet.call, "options": options});
        let id = out.ask("session/request_permission", &params);
        self.asked = Some(Asked { id, subject, offers: sheet.offers });
        true
    }

    /// What the client said to the question that it is asked.
    pub async fn answered(&mut self, result: Option<&Value>, out: &mut Out<'_>) {
        let Some(asked) = self.asked.take() else { return };
        let outcome = result.and_then(|r| r.pointer("/outcome/outcome")).and_then(Value::as_str);
        let chosen = result.and_then(|r| r.pointer("/outcome/optionId")).and_then(Value::as_str);
        let offer = asked.offers.into_iter().find(|offer| Some(offer.id.as_str()) == chosen);
        match (outcome, offer) {
            (Some("cancelled"), _) => return self.cancel(out).await,
            (Some("selected"), Some(Offer { says: Some(input), .. })) => {
                self.answering = Some(asked.subject);
                return self.say(input).await;
            }
            (Some("selected"), Some(offer)) if offer.id == LATER => {
                if let Some(word) = asked.subject.word(self.session.state()) {
                    self.wanted = Some(asked.subject);
                    self.teller.note(&format!("It waits. A message that is only `{word}` lets it happen."));
                }
            }
            _ => self.teller.note(&format!(
                "The client gave no answer that was offered; the question stays open: pilothouse resume {}",
                self.slug
            )),
        }
        self.left.insert(asked.subject);
        self.settle(out).await;
        self.flush(out);
    }

    /// A message of the user; `seen` is how many lines had gone out when it came.
    pub async fn prompt(&mut self, id: Value, line: String, seen: u64, out: &mut Out<'_>) {
        if self.turn.is_some() {
            return out.fail(&id, &Fault::request("a prompt is worked on; end it with session/cancel first"));
        }
        if seen < self.ended {
            let why = "it was sent before the end of the last turn was read; send it again";
            return out.fail(&id, &Fault::request(why));
        }
        self.turn = Some(Turn { id, ..Turn::default() });
        self.left.clear();
        for notice in std::mem::take(&mut self.notices) {
            self.teller.note(&self.place.shown(&notice));
        }
        self.flush(out);
        let state = self.session.state();
        let word = self.wanted.take().and_then(|subject| Some((subject, subject.typed(line.trim(), state)?)));
        let had_seen = self.shown_up_to();
        if let Some((subject, input)) = word {
            self.answering = Some(subject);
            return self.say(input).await;
        }
        self.say(Input::Say { text: line, seen: had_seen }).await;
    }

    /// The last event before the first open question that the client was never shown: no word answers that one.
    fn shown_up_to(&self) -> Seq {
        let state = self.session.state();
        let unseen = self.unseen.iter().filter(|(id, _)| state.open.contains_key(id));
        let before = unseen.map(|(_, at)| Seq(at.0.saturating_sub(1)));
        before.chain([state.seq]).min().unwrap_or_default()
    }

    /// The client ends the turn: what works stops, what waits for its answer waits no more.
    pub async fn cancel(&mut self, out: &mut Out<'_>) {
        let Some(turn) = &mut self.turn else { return };
        turn.stops = 0;
        // What a second one comes to would be told in the next turn, and end that.
        if std::mem::replace(&mut turn.cancelled, true) {
            return;
        }
        (self.asked, self.answering) = (None, None);
        self.say(Input::Cancel).await;
        self.flush(out);
    }

    /// The client wants another ceiling.
    pub async fn set_mode(&mut self, id: Value, mode: PermissionMode, out: &mut Out<'_>) {
        let state = self.session.state();
        if state.permission == mode && !state.chat_only {
            return out.answer(&id, &json!({}));
        }
        if self.setting.is_some() {
            return out.fail(&id, &Fault::request("another mode is being set"));
        }
        self.setting = Some(id);
        self.say(Input::SetPermission(mode)).await;
    }

    fn end(&mut self, out: &mut Out<'_>) {
        self.flush(out);
        let Some(turn) = self.turn.take() else { return };
        match turn {
            Turn { id, cancelled: true, .. } => out.answer(&id, &json!({"stopReason": "cancelled"})),
            Turn { id, fault: Some(why), .. } => out.fail(&id, &Fault::internal(self.place.shown(&why))),
            Turn { id, short, .. } => out.answer(&id, &json!({"stopReason": short.unwrap_or("end_turn")})),
        }
        self.ended = out.written();
    }

    /// Its driver has ended.
    pub fn closed(&mut self, why: Option<String>, out: &mut Out<'_>) {
        let why = why.map(|why| self.place.shown(&why));
        if let Some(opening) = self.opening.take() {
            let why = why.unwrap_or_else(|| "the session cannot be opened".to_owned());
            return out.fail(&opening.id, &Fault::internal(why));
        }
        if let (Some(turn), Some(why)) = (&mut self.turn, why) {
            turn.fault = Some(why);
        }
        self.end(out);
    }
}

/// Whether it is the end of a reply that was stopped.
fn is_late(event: &Event, state: &State) -> bool {
    matches!(event, Event::MessageCompleted { cut: true, lane, .. } if !state.lanes.contains_key(lane))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
