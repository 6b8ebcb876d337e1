//! The window: several sessions, of which one is shown; the others go on behind it.
//!
//! Owns which is shown, what is known of the runs beside it, and leaving. Each session keeps its own screen, draft
//! and questions; nothing of one reaches another, and no key goes anywhere but to the one that is shown.

mod gone;
mod row;
mod said;
mod wish;

use std::{
    collections::{BTreeMap, VecDeque},
    time::{Duration, Instant},
};

use crossterm::event::Event;
use pilothouse_core::{
    clean::Clean,
    port::{Request, Update},
    runs::{HostRequest, HostUpdate, RunInfo, RunStatus, SessionWish, Worktree},
};
use ratatui::{buffer::Buffer, layout::Rect};

pub(crate) use self::said::Said;
pub use self::{
    row::{Berth, RowKey, RunRow, mark},
    wish::{Farewell, Then, WindowWish},
};
use crate::{
    app::{App, AppCommand, Look},
    highlight::Highlighter,
    notify,
    overlay::{Alive, Caret},
    pace::Urgency,
    standing::Stamp,
    status::shorten,
    theme::ThemeError,
};

/// Most columns of the title of a run that is told of.
pub(crate) const TITLE_CELLS: usize = 32;

/// A session's number in this window; never used twice.
pub type Number = usize;

/// Every session of one terminal.
pub struct Window {
    front: App,
    number: Number,
    others: BTreeMap<Number, App>,
    next: Number,
    look: Look,
    colours: Highlighter,
    host: VecDeque<HostRequest>,
    worktrees: Vec<Worktree>,
    /// Runs that this window does not show.
    elsewhere: Vec<RunInfo>,
    /// Whether what was left unfinished was told of.
    offered: bool,
    /// Whether the list of runs is looked at.
    listing: bool,
    farewell: Option<Farewell>,
    /// The end of a worktree of which it is looked at what is at stake.
    ending: Option<HostRequest>,
    /// A worktree that was dropped under the session that is shown, the only one, and what was said of it.
    gone: Option<(Worktree, String)>,
    /// Why worktrees were not brought to their end when that was asked last, or that they were merged and how that is
    /// taken back, while nothing worked in them since.
    kept: BTreeMap<String, String>,
}

impl Window {
    /// A window on one session that is not open yet.
    ///
    /// # Errors
    /// When the theme that comes with the program cannot be read.
    pub fn new(look: Look, colours: Highlighter) -> Result<Self, ThemeError> {
        Ok(Self {
            front: App::new(look.clone(), colours.clone())?,
            number: 0,
            others: BTreeMap::new(),
            next: 1,
            look,
            colours,
            host: VecDeque::new(),
            worktrees: Vec::new(),
            elsewhere: Vec::new(),
            offered: false,
            listing: false,
            farewell: None,
            ending: None,
            gone: None,
            kept: BTreeMap::new(),
        })
    }

    /// The session that is shown.
    pub fn front(&mut self) -> &mut App {
        &mut self.front
    }

    /// Takes what the terminal says of its background, for sessions to come as well; true when it is not what was thought.
    pub fn take_ground(&mut self, dark: bool) -> bool {
        self.look.dark = dark;
        for app in self.others.values_mut() {
            app.take_ground(dark);
        }
        self.front.take_ground(dark)
    }

    /// How many sessions there are.
    pub fn sessions(&self) -> usize {
        self.others.len() + 1
    }

    /// Takes what a session's driver says; `None` when nothing on the screen is another for it.
    pub fn update(&mut self, from: Number, update: Update, now: Instant) -> Option<Urgency> {
        if let (Update::Closed(message), false) = (&update, self.others.is_empty()) {
            self.closed(from, message.clone(), now);
            return Some(Urgency::News);
        }
        if from == self.number {
            let opened = matches!(update, Update::Opened(..));
            let said = self.became(from, &update);
            let urgency = self.front.update(update, now);
            if let Some(Ok(said)) = said {
                self.front.announce(said);
            }
            if opened && !self.offered {
                self.host.push_back(HostRequest::List);
            }
            self.mind_leaving(now);
            return Some(urgency);
        }
        match self.became(from, &update) {
            Some(Ok(said)) => self.front.announce(said),
            Some(Err(why)) => self.front.complain(why),
            None => {}
        }
        let app = self.others.get_mut(&from)?;
        let streams = matches!(update, Update::Delta(_));
        let before = app.info().clone();
        // Who holds a session is told of it, and nobody else.
        let unheard = !app.only_follows()
            && !matches!(&update, Update::Events(events) if notify::wanted(events).is_some());
        app.update_behind(update, &self.front, now);
        let after = app.info().clone();
        if before.status.works() && !after.status.works() && after.status != RunStatus::Waiting {
            self.front.ends_behind(&after, unheard, now);
        }
        let seen = self.front.shows_runs() || app.info().status != before.status;
        let seen = seen || app.info().waiting != before.waiting;
        self.mind_leaving(now);
        (seen && !streams).then_some(Urgency::News)
    }

    /// A line to another session was opened; returns its number.
    pub fn opened(&mut self, wish: &SessionWish, now: Instant) -> Option<Number> {
        let Ok(mut app) = App::new(self.look.clone(), self.colours.clone()) else {
            self.front.complain("another session cannot be shown: the theme cannot be read");
            return None;
        };
        if let Some(text) = &wish.message {
            app.begin_with(text, wish.session.is_none().then_some(&self.front));
        }
        let number = self.next;
        self.next += 1;
        self.others.insert(number, app);
        if wish.front {
            self.show(number, Then::Draft, now);
            self.part(now);
        } else {
            self.front.announce("it started beside this session; Ctrl-X r shows every run");
        }
        Some(number)
    }

    /// Takes what the host says besides opening lines.
    pub fn told<L>(&mut self, update: HostUpdate<L>, now: Instant) {
        match update {
            HostUpdate::Opened(_, wish) => {
                let _ = self.opened(&wish, now);
            }
            HostUpdate::Listed(worktrees, runs) => {
                self.kept.retain(|name, _| worktrees.iter().any(|w| w.name == *name));
                self.worktrees = worktrees;
                self.elsewhere = runs;
                self.offer();
            }
            HostUpdate::AtStake(end, stake) => {
                self.ending = None;
                self.front.lay(wish::stake(end, stake));
            }
            HostUpdate::Ended(end, worktree, said) => self.worktree_ended(end, worktree, said, now),
            HostUpdate::NotEnded(name, why) => {
                self.ending = None;
                self.kept.insert(name, why.clone());
                self.front.tell_whole(why);
            }
            HostUpdate::Done(said) => self.front.announce(said),
            HostUpdate::Refused(why) => {
                self.ending = None;
                self.front.tell_whole(why);
            }
        }
    }

    /// Tells once of what was left unfinished.
    fn offer(&mut self) {
        let unfinished = |run: &&RunInfo| run.pid.is_none() && run.status.is_left();
        let left = self.elsewhere.iter().filter(unfinished).count();
        if !std::mem::replace(&mut self.offered, true) && left > 0 {
            let named = self.elsewhere.iter().find(unfinished).map(|run| Clean::line(&run.title));
            let named = named.filter(|title| left == 1 && !title.trim().is_empty());
            let (runs, them) = match named {
                Some(title) => (format!("\"{}\" was", shorten(&title, TITLE_CELLS)), "it"),
                None if left == 1 => ("1 run was".to_owned(), "it"),
                None => (format!("{left} runs were"), "them"),
            };
            self.front.mention_left(format!("{runs} left unfinished; Ctrl-X r resumes {them}"));
        }
    }

    /// Takes what came from the terminal; `None` when it changes nothing.
    pub fn terminal(&mut self, event: &Event, stamp: impl Into<Stamp>, now: Instant) -> Option<Urgency> {
        self.look_around(now);
        if self.farewell == Some(Farewell::Wait) && matches!(event, Event::Key(_)) {
            self.farewell = None;
        }
        let urgency = self.front.terminal(event, stamp);
        self.carry_out(now);
        urgency
    }

    /// Lets letters act that were held, once nothing more was typed for long enough.
    pub fn settle_keys(&mut self, now: Instant) {
        self.front.settle_keys(now);
        self.front.keep_rested(now);
        self.others.values_mut().for_each(|app| app.keep_rested(now));
        self.carry_out(now);
    }

    /// Does what keys and overlays wanted of the window.
    pub fn carry_out(&mut self, now: Instant) {
        while let Some(wish) = self.front.window_wish() {
            match wish {
                WindowWish::Show(number, then) => self.show(number, then, now),
                WindowWish::Step(forward) => self.step(forward, now),
                WindowWish::Say(number, text) => {
                    let told = (number != self.number).then_some(Said::Words);
                    if let Some(app) = self.seat(number) {
                        app.hear(text);
                        app.told = told.or(app.told);
                    }
                }
                WindowWish::Describe(number, change) => {
                    if let Some(app) = self.seat(number) {
                        app.describe(change);
                        app.told = Some(Said::Title);
                    }
                }
                WindowWish::Stop(number) => {
                    if let Some(app) = self.seat(number) {
                        app.stop();
                    }
                }
                WindowWish::Host(request) => self.ask_host(request),
                WindowWish::Leave(Farewell::Stop) => self.leave(),
                WindowWish::Leave(Farewell::Wait) => {
                    self.farewell = Some(Farewell::Wait);
                    self.front.announce("leaving when every run has ended; press any key to stay");
                    self.mind_leaving(now);
                }
            }
        }
        let shows = self.front.shows_runs();
        if shows && !std::mem::replace(&mut self.listing, shows) {
            self.host.push_back(HostRequest::List);
        }
        self.listing = shows;
        self.mind_leaving(now);
    }

    /// Hands a request to the host; what is at stake in the end of a worktree is looked at once, however often it is asked.
    fn ask_host(&mut self, request: HostRequest) {
        if let HostRequest::End { seen: None, .. } = &request
            && self.ending.replace(request.clone()).as_ref() == Some(&request)
        {
            return;
        }
        if let HostRequest::End { name, .. } = &request {
            self.kept.remove(name);
        }
        // A row that is to go goes at once; the list that follows says whether it did.
        if let Some(going) = gone::going(&request) {
            self.elsewhere.retain(|run| run.session != going);
        }
        self.host.push_back(request);
    }

    fn apps(&mut self) -> impl Iterator<Item = &mut App> {
        std::iter::once(&mut self.front).chain(self.others.values_mut())
    }

    fn seat(&mut self, number: Number) -> Option<&mut App> {
        if number == self.number { Some(&mut self.front) } else { self.others.get_mut(&number) }
    }

    /// Shows a session of this window.
    fn show(&mut self, number: Number, then: Then, now: Instant) {
        if let Some(mut app) = self.others.remove(&number) {
            app.follow(&mut self.front, now);
            let behind = std::mem::replace(&mut self.front, app);
            self.others.insert(self.number, behind);
            self.number = number;
        }
        self.look_around(now);
        self.front.arrive(then, now);
    }

    /// Shows the next session, or the one before.
    fn step(&mut self, forward: bool, now: Instant) {
        let after = self.others.range(self.number..).next().map(|(n, _)| *n);
        let before = self.others.range(..self.number).next_back().map(|(n, _)| *n);
        let ends = (self.others.keys().next().copied(), self.others.keys().next_back().copied());
        let next = if forward { after.or(ends.0) } else { before.or(ends.1) };
        match next {
            Some(number) => self.show(number, Then::Draft, now),
            None => self.front.announce("this is the only session; Ctrl-X n starts another"),
        }
    }

    /// A session ended while others go on.
    fn closed(&mut self, number: Number, message: Option<String>, now: Instant) {
        if number == self.number {
            // One that asks, else one that this window holds, else what is only followed.
            let rank = |app: &App| (app.only_follows(), app.info().waiting == 0);
            let next = self.others.iter().min_by_key(|(n, app)| (rank(app), **n));
            let Some(next) = next.map(|(n, _)| *n) else { return };
            self.show(next, Then::Draft, now);
            self.others.remove(&number);
            self.look_around(now);
            if self.farewell.is_none() && self.front.runs.iter().any(RunRow::is_alive) {
                self.front.lay(Alive::default());
            }
        } else {
            self.others.remove(&number);
        }
        if let Some(message) = message {
            self.front.complain(message);
        }
    }

    /// Closes every session; the window goes with the last.
    fn leave(&mut self) {
        self.farewell = Some(Farewell::Stop);
        self.others.values_mut().filter(|app| !app.is_leaving()).for_each(App::quit);
        if !self.front.is_leaving() {
            self.front.quit();
        }
    }

    /// Leaves where the user waits for that and nothing works any more, and takes sessions along in which nothing is
    /// at stake.
    fn mind_leaving(&mut self, now: Instant) {
        self.look_around(now);
        let works = self.front.runs.iter().any(RunRow::works_here);
        if self.farewell == Some(Farewell::Wait) && !works {
            if self.front.runs.iter().any(RunRow::waits) {
                self.farewell = None;
                self.front
                    .announce("nothing is running any longer, but a question is waiting, so this stays open");
            } else {
                self.leave();
            }
        }
        let quits = self.front.is_leaving() && self.farewell.is_none();
        if quits && !self.front.runs.iter().any(RunRow::holds_the_window) {
            self.leave();
        }
    }

    /// Lets the session that is shown know how all stand.
    fn look_around(&mut self, now: Instant) {
        let rows = self.rows(now);
        // Where something works it may soon be otherwise.
        for name in rows.iter().filter(|r| r.info.status.works()).filter_map(|r| r.worktree.as_ref()) {
            self.kept.remove(name);
        }
        self.front.runs = rows;
    }

    fn rows(&self, now: Instant) -> Vec<RunRow> {
        let mut apps: Vec<(Number, &App)> = self.others.iter().map(|(n, app)| (*n, app)).collect();
        let at = apps.partition_point(|(n, _)| *n < self.number);
        apps.insert(at, (self.number, &self.front));
        let seats = apps.into_iter().map(|(n, app)| {
            let berth = if n == self.number { Berth::Shown(n) } else { Berth::Behind(n) };
            RunRow::of_app(app, berth, &self.worktrees, now)
        });
        let here = self.front.context(now).now.0;
        let elsewhere = self.elsewhere.iter().map(|run| RunRow::elsewhere(run, &self.worktrees, here));
        let mut rows: Vec<RunRow> = seats.collect();
        let known: Vec<String> = rows.iter().map(|r| r.info.session.clone()).collect();
        let elsewhere = elsewhere.filter(|r| !known.contains(&r.info.session));
        let (earlier, left): (Vec<RunRow>, Vec<RunRow>) = elsewhere.partition(RunRow::is_earlier);
        rows.extend(left);
        let empty = |w: &&Worktree| !rows.iter().any(|r| r.worktree.as_ref() == Some(&w.name));
        let empty: Vec<RunRow> = self.worktrees.iter().filter(empty).map(RunRow::of_worktree).collect();
        rows.extend(empty);
        rows.extend(earlier);
        for row in rows.iter_mut().filter(|row| !row.info.status.works() && row.info.waiting == 0) {
            if let Some(why) = row.worktree.as_ref().and_then(|name| self.kept.get(name)) {
                row.info.doing.clone_from(why);
            }
        }
        rows
    }

    /// Settles sizes and scroll; before every [`Window::render`].
    pub fn layout(&mut self, screen: Rect, now: Instant) {
        self.look_around(now);
        self.front.layout(screen, now);
    }

    /// Hands out the drafts of all sessions to be kept.
    pub fn keep_drafts(&mut self) {
        std::iter::once(&mut self.front).chain(self.others.values_mut()).for_each(App::keep_draft);
    }

    /// Foretells what the draft of the session that is shown would mean, once its last key stands on the screen; returns
    /// whether something else is to be drawn for it.
    pub fn foretell(&mut self) -> bool {
        self.front.foretell()
    }

    /// Draws the session that is shown; returns where the caret is.
    pub fn render(&self, buf: &mut Buffer, now: Instant) -> Caret {
        self.front.render(buf, now)
    }

    /// When something that is shown changes by time alone: a run counts as stalled, an age grows.
    pub fn alarm(&self, now: Instant) -> Option<Instant> {
        let apps = || std::iter::once(&self.front).chain(self.others.values());
        let stalls = apps().filter_map(|app| app.quiet_for(app.info().status.patience()?));
        let stalls = stalls.filter(|at| *at > now);
        let ages = apps().filter(|app| app.info().status.works() || app.info().waiting > 0);
        let ages = ages.filter(|_| self.front.shows_runs()).map(|app| {
            let quiet = app.quiet(now);
            let unit = if quiet < 60_000 { 1_000 } else { 60_000 };
            now + Duration::from_millis(unit - quiet % unit)
        });
        let rests = self.others.values().filter_map(App::rests_at);
        stalls.chain(ages).chain(rests).chain(self.front.silence_grows(now)).chain(self.front.alarm()).min()
    }

    /// The next request of a session.
    pub fn next_request(&mut self, of: Number) -> Option<Request> {
        self.seat(of)?.next_request()
    }

    /// Whether requests of a session wait.
    pub fn has_requests(&self, of: Number) -> bool {
        let app = if of == self.number { Some(&self.front) } else { self.others.get(&of) };
        app.is_some_and(App::has_requests)
    }

    /// A request of a session could not be sent yet.
    pub fn put_back(&mut self, of: Number, request: Request) {
        if let Some(app) = self.seat(of) {
            app.put_back(request);
        }
    }

    /// The next request for the host.
    pub fn next_host_request(&mut self) -> Option<HostRequest> {
        self.host.pop_front()
    }

    /// The host could not take a request.
    pub fn host_is_busy(&mut self) {
        self.ending = None;
        self.front.complain("that cannot be done right now; try again in a moment");
    }

    /// Wishes for the terminal. Sessions behind the one that is shown may only tell the user of something.
    pub fn wishes(&mut self) -> Vec<AppCommand> {
        let mut wishes = self.front.wishes();
        for app in self.others.values_mut() {
            wishes.extend(app.wishes().into_iter().filter(|wish| matches!(wish, AppCommand::Tell(_))));
        }
        wishes
    }
}

#[cfg(test)]
mod tests;
