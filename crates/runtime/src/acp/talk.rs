//! One session of a client: what it is told, what it is asked, and when its turn is over.
//!
//! Owns the turn. An answer counts only for the question that it names, as that was shown; a message only if it came
//! after the turn before it had ended; and a turn ends once all is taken in that was said in it, so that nothing of it
//! comes in the next.

mod asking;
mod opening;

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    sync::Arc,
};

use pilothouse_core::{
    event::{Event, Stamped},
    ids::{CheckpointId, Seq},
    input::Input,
    port::{Request, Update},
    recipe::Recipes,
    session::{Session, State},
    talk::Finish,
};
use serde_json::{Value, json};
use tokio::sync::mpsc::Sender;
use tokio_util::sync::CancellationToken;

use super::{
    ask::{Next, Subject, next},
    offered,
    out::Out,
    place::Place,
    tell::Teller,
    update::Update as Shown,
    wire::Fault,
};
use crate::{headless::FENCE, home::Home};
use asking::{Asked, Message};
pub(super) use opening::Opening;
use opening::Setting;

/// How many lines of work one stop ends at most, one after the other.
const MOST_STOPS: u32 = 4;

/// A prompt that is worked on.
#[derive(Debug, Default)]
struct Turn {
    id: Value,
    /// Its message, until all is answered that comes before it.
    held: Option<Message>,
    cancelled: bool,
    /// Whether its user was shown anything.
    shown: bool,
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
    /// What was said to the driver and is not taken in yet, each with the request that it answers where it sets a ceiling:
    /// what comes until then may be about the first of it.
    unheard: VecDeque<Option<Setting>>,
    /// Whether it is being closed, and the requests for that.
    closing: Option<Vec<Value>>,
    /// How many lines had gone out when it was opened or its last turn ended.
    ended: u64,
    /// The last event that was told from the log.
    replayed_to: Seq,
    /// Set once nobody wants it open any more.
    left_alone: CancellationToken,
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
            unheard: VecDeque::new(),
            closing: None,
            ended: 0,
            replayed_to: Seq(0),
            left_alone: CancellationToken::new(),
        }
    }

    /// Whether it can be spoken to.
    pub const fn is_open(&self) -> bool {
        self.opening.is_none() && self.closing.is_none()
    }

    /// Whether it is let go.
    pub const fn is_closing(&self) -> bool {
        self.closing.is_some()
    }

    /// When nothing goes on in it, how many lines had gone out at the end of its last turn.
    pub fn rests_since(&self) -> Option<u64> {
        let works = self.turn.is_some() || !self.unheard.is_empty();
        (self.is_open() && !works && !self.session.state().busy()).then_some(self.ended)
    }

    /// Whether it waits for the answer to this request.
    pub fn asks(&self, id: u64) -> bool {
        self.asked.as_ref().is_some_and(|asked| asked.id == id)
    }

    async fn say(&mut self, input: Input) {
        self.say_for(None, input).await;
    }

    async fn say_for(&mut self, setting: Option<Setting>, input: Input) {
        self.unheard.push_back(setting);
        // A driver that is gone has said so.
        drop(self.requests.send(Request::Input(input)).await);
        drop(self.requests.send(FENCE).await);
    }

    /// The connection ends; gives its driver's end of the line.
    pub fn leave(&mut self) -> Sender<Request> {
        self.left_alone.cancel();
        // Nothing more is told of it: whoever waits for its log to be told again waits no more.
        if let Some(opening) = &mut self.opening {
            opening.again = None;
        }
        self.requests.clone()
    }

    /// Lets it go: what works stops, all is saved, and it can be loaded again. A request for that is answered then.
    pub async fn close(&mut self, id: Option<Value>, out: &mut Out) {
        self.give_up(out);
        self.stop_turn(out).await;
        self.closing.get_or_insert_default().extend(id);
        drop(self.requests.send(Request::Quit).await);
    }

    fn flush(&mut self, out: &mut Out) {
        for update in std::mem::take(&mut self.teller.updates) {
            if let Some(turn) = &mut self.turn {
                turn.shown |= !matches!(update, Shown::Commands { .. });
            }
            out.update(&self.slug, update);
        }
    }

    /// Takes in what the driver says.
    pub async fn update(&mut self, update: Update, out: &mut Out) {
        match update {
            Update::Opened(session, _) => {
                self.session = *session;
                self.slug.clone_from(&self.session.state().slug);
                drop(self.requests.send(FENCE).await);
            }
            Update::Answered(..) if self.opening.is_some() => self.ready(out),
            Update::Answered(..) => self.taken_in(out).await,
            Update::Events(events) => self.events(&events, out).await,
            Update::Delta(delta) => self.teller.delta(&delta, &self.place),
            Update::Refused(why) | Update::Misused(why) => self.refused(why),
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
            Update::Rules(_) | Update::Draft(_) | Update::Closed(_) => {}
        }
        if self.opening.is_none() {
            self.flush(out);
        }
    }

    async fn events(&mut self, events: &[Stamped], out: &mut Out) {
        for event in events {
            self.session.apply(event);
            if self.opening.is_some() {
                continue;
            }
            // Told from the log or not, it was not put.
            if let Event::CheckpointOpened { checkpoint } = &event.event {
                self.unseen.insert(checkpoint.id, event.seq);
            }
            if event.seq <= self.replayed_to {
                continue;
            }
            // What a stopped reply had still to say comes when its turn may be over: the log keeps it.
            if is_late(&event.event, self.session.state())
                && !self.turn.as_ref().is_some_and(|turn| turn.cancelled)
            {
                continue;
            }
            self.teller.event(event, &self.session, &self.place, false);
            self.note(&event.event, out);
        }
        self.settle(out).await;
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "only what a turn comes to")]
    fn note(&mut self, event: &Event, out: &mut Out) {
        match event {
            Event::PermissionChanged { .. } => match self.unheard.front_mut().and_then(Option::take) {
                Some(Setting { id, option, .. }) => {
                    self.flush(out);
                    out.answer(&id, &self.set(option));
                }
                // By a command: who typed it hears of it.
                None => self.teller.note(offered::words(self.session.state())),
            },
            Event::CheckpointResolved { checkpoint, answer, .. } => {
                self.teller.resolved(*checkpoint, answer.as_ref());
            }
            Event::MessageCompleted { finish, .. } => {
                let Some(turn) = &mut self.turn else { return };
                turn.fault = None;
                turn.short = match finish {
                    Finish::Length => Some("max_tokens"),
                    Finish::Filtered => Some("refusal"),
                    Finish::Stop | Finish::Calls | Finish::Unable | Finish::NoModel => None,
                };
            }
            Event::ThinkingFailed { fault, .. } => {
                let Some(turn) = &mut self.turn else { return };
                turn.fault = Some(format!("{}\n{}", fault.message, fault.hint).trim_end().to_owned());
            }
            _ => {}
        }
    }

    /// An input changed nothing.
    fn refused(&mut self, why: String) {
        if self.opening.is_some() {
            return self.notices.push(why);
        }
        if let Some(Some(setting)) = self.unheard.front_mut() {
            return setting.why = Some(why);
        }
        self.answering = None;
        if !self.turn.as_ref().is_some_and(|turn| turn.cancelled) {
            self.teller.note(&self.place.shown(&why));
        }
    }

    /// The driver has taken in one of the things that it was told, and said what came of that.
    async fn taken_in(&mut self, out: &mut Out) {
        if let Some(Some(setting)) = self.unheard.pop_front() {
            self.set_or_not(setting, out);
        }
        self.settle(out).await;
    }

    /// Asks what is to be asked next, and ends the turn once nothing works and nothing is left to ask.
    async fn settle(&mut self, out: &mut Out) {
        let state = self.session.state();
        self.asked.take_if(|asked| !asked.subject.stands(state));
        self.answering.take_if(|subject| !subject.stands(state));
        // What still comes may be about what was said in this turn.
        let Some(turn) = self.turn.as_mut().filter(|_| self.unheard.is_empty()) else { return };
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
        if let Some(message) = turn.held.take() {
            return self.hear(message, out).await;
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

    /// A message of the user; `seen` is how many lines had gone out when it came.
    pub async fn prompt(&mut self, id: Value, line: String, seen: u64, out: &mut Out) {
        if self.turn.is_some() {
            return out.fail(
                &id,
                &Fault::request("a prompt is still being worked on; end it with session/cancel first"),
            );
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
        let (state, seen) = (self.session.state(), self.shown_up_to());
        let word =
            self.wanted.take().and_then(|subject| Some((Some(subject), subject.typed(line.trim(), state)?)));
        let message = word.unwrap_or((None, Input::Say { text: line, seen }));
        self.hear(message, out).await;
    }

    /// The last event before the first open question that the client was never shown: no word answers that one.
    fn shown_up_to(&self) -> Seq {
        let state = self.session.state();
        let unseen = self.unseen.iter().filter(|(id, _)| state.open.contains_key(id));
        let before = unseen.map(|(_, at)| Seq(at.0.saturating_sub(1)));
        before.chain([state.seq]).min().unwrap_or_default()
    }

    /// The client ends what goes on: the turn, or that the session is opened.
    pub async fn cancel(&mut self, out: &mut Out) {
        if self.opening.is_some() {
            return self.close(None, out).await;
        }
        self.stop_turn(out).await;
    }

    /// What works stops, what waits for its answer waits no more.
    async fn stop_turn(&mut self, out: &mut Out) {
        let Some(turn) = &mut self.turn else { return };
        turn.stops = 0;
        if std::mem::replace(&mut turn.cancelled, true) {
            // What still works after as many stops as the first came to is stopped again.
            return self.settle(out).await;
        }
        (self.asked, self.answering) = (None, None);
        self.flush(out);
        self.say(Input::Cancel).await;
    }

    fn end(&mut self, out: &mut Out) {
        self.flush(out);
        let Some(turn) = self.turn.take() else { return };
        if !turn.shown && !turn.cancelled && turn.fault.is_none() {
            self.teller.note("Nothing changed.");
            self.flush(out);
        }
        match turn {
            Turn { id, cancelled: true, .. } => out.answer(&id, &json!({"stopReason": "cancelled"})),
            Turn { id, fault: Some(why), .. } => out.fail(&id, &Fault::internal(self.place.shown(&why))),
            Turn { id, short, .. } => out.answer(&id, &json!({"stopReason": short.unwrap_or("end_turn")})),
        }
        self.ended = out.put_so_far();
    }

    /// Its driver has ended.
    pub fn closed(&mut self, why: Option<String>, out: &mut Out) {
        let why = why.map(|why| self.place.shown(&why));
        if let Some(opening) = self.opening.take() {
            let why = why.clone().unwrap_or_else(|| "the session cannot be opened".to_owned());
            if let Some(id) = opening.id {
                out.fail(&id, &Fault::internal(why));
            }
        }
        for Setting { id, .. } in std::mem::take(&mut self.unheard).into_iter().flatten() {
            out.fail(&id, &Fault::request("the session has ended"));
        }
        if let (Some(turn), Some(why)) = (&mut self.turn, why) {
            turn.fault = Some(why);
        }
        self.end(out);
        for id in self.closing.take().into_iter().flatten() {
            out.answer(&id, &json!({}));
        }
    }
}

/// Whether it is the end of a reply that was stopped.
fn is_late(event: &Event, state: &State) -> bool {
    matches!(event, Event::MessageCompleted { cut: true, lane, .. } if !state.lanes.contains_key(lane))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
