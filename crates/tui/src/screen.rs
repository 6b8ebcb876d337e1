//! The loop: keys, updates and signals in, frames and requests out.
//!
//! Owns the terminal and the order in which things happen. Never decides what anything means; it
//! wakes only when something arrives or something visible moves.

use std::{collections::BTreeMap, io, sync::Arc, time::Instant};

use crossterm::event::Event;
use pilothouse_core::{
    digest::Place,
    port::{Request, Update},
    runs::{HostRequest, HostUpdate},
};
use tokio::{
    signal::unix::{SignalKind, signal},
    sync::{
        Notify,
        mpsc::{Receiver, Sender, channel, error::TrySendError},
    },
    time::Instant as At,
};

pub use crate::app::Look;
use crate::{
    app::AppCommand,
    ctx::Handout,
    ground::{Ground, bare},
    highlight::Highlighter,
    keys::Keys,
    pace::{Counts, Pace, Urgency},
    standing::Stamp,
    terminal::Terminal,
    window::{Number, Window},
};

mod lines;
mod reader;

use self::{
    lines::{HostLine, Lines, heard, room},
    reader::Reader,
};

/// At most this many updates are taken in before keys are looked at again.
const BATCH: usize = 256;

/// What the process was told by the system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// To end.
    Terminate,
    /// Its terminal went away.
    Hangup,
    /// To interrupt what it does.
    Interrupt,
    /// To stop until it is continued.
    Stop,
    /// It goes on after it was stopped.
    Continue,
}

/// Gives a text to the user's editor and takes back what came of it.
pub type Edit = Box<dyn Fn(&Handout) -> io::Result<String>>;

/// The line to a session's driver.
pub type Line = (Sender<Request>, Receiver<Update>);
/// Opens a file of the workspace in the user's editor, at a line.
pub type Open = Box<dyn Fn(&Place) -> io::Result<()>>;

/// Everything that connects a screen to the rest of the program.
pub struct Wiring {
    /// To the driver.
    pub requests: Sender<Request>,
    /// From the driver.
    pub updates: Receiver<Update>,
    /// To and from whatever holds the sessions; without it there is this one alone.
    pub host: Option<HostLine>,
    /// From the system.
    pub signals: Receiver<Signal>,
    /// Stops the process until it is continued; called with the terminal given back.
    pub suspend: Box<dyn Fn()>,
    /// Lets the user edit a text in their editor; called with the terminal given back.
    pub edit: Edit,
    /// Opens a file of the workspace in the user's editor, at a line; called with the terminal given back.
    pub open: Open,
    /// The user's keymap file.
    pub keymap: Option<String>,
    /// The theme's name.
    pub theme: Option<String>,
    /// The user's own themes: their files by name.
    pub themes: BTreeMap<String, String>,
}

/// How a screen ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScreenReport {
    /// Why.
    pub reason: Reason,
    /// What the loop did, for tests and measurements.
    pub counts: Counts,
}

/// Why a screen ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The user left, and the driver closed the session.
    Closed,
    /// The driver ended by itself, with this message.
    Driver(String),
    /// The process was told to end.
    Signal(Signal),
}

/// The screen on the terminal.
pub struct Screen {
    terminal: Terminal,
    window: Window,
    lines: Lines,
    pace: Pace,
    /// Rings when colours of code are known, or what drafts are read with.
    made: Arc<Notify>,
    reader: Reader,
    ground: Ground,
}

impl Screen {
    /// Takes the terminal and draws the first frame at once.
    ///
    /// # Errors
    /// When there is no terminal, or it went away.
    pub fn enter(look: Look) -> io::Result<Self> {
        let made = Arc::new(Notify::new());
        let bell = Arc::clone(&made);
        let colours = Highlighter::new(move || bell.notify_one());
        let ground = Ground::new(look.ground_known);
        let window = Window::new(look, colours).map_err(io::Error::other)?;
        let (terminal, lines, pace) = (Terminal::take()?, Lines::default(), Pace::default());
        let mut screen = Self { terminal, window, lines, pace, made, reader: Reader::default(), ground };
        screen.draw()?;
        Ok(screen)
    }

    /// Runs until the session is closed; the terminal is given back whatever happens.
    ///
    /// # Errors
    /// When the terminal went away.
    pub fn run(mut self, mut wiring: Wiring) -> io::Result<ScreenReport> {
        if let Some(keymap) = &wiring.keymap {
            self.window.front().take_keymap(keymap);
        }
        self.window.front().own_themes(std::mem::take(&mut wiring.themes));
        if let Some(theme) = &wiring.theme {
            self.window.front().take_theme(theme);
            self.pace.want(Urgency::News);
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let ended = runtime.block_on(self.turn(wiring));
        // Whatever ended it: a signal, a terminal that is gone.
        self.window.keep_drafts();
        self.flush(None);
        Ok(ScreenReport { reason: ended?, counts: self.pace.counts })
    }

    async fn turn(&mut self, mut wiring: Wiring) -> io::Result<Reason> {
        let mut keys = Keys::listen()?;
        let mut resized = signal(SignalKind::window_change())?;
        let mut ending = None;
        let mut signals_open = true;
        let made = Arc::clone(&self.made);
        let mut host = wiring.host.take();
        self.lines.add(0, (wiring.requests.clone(), std::mem::replace(&mut wiring.updates, channel(1).1)));
        loop {
            if self.let_letters_act(&mut keys).is_err() {
                return Ok(Reason::Signal(Signal::Hangup));
            }
            self.flush(host.as_ref());
            if let Some(reason) = self.settle(&mut keys, &wiring, &mut ending)? {
                return Ok(reason);
            }
            let wake = self.pace.next();
            let alarm = until(wake);
            let full = self.lines.first_that(|number| self.window.has_requests(number));
            tokio::select! {
                biased;
                ready = keys.ready() => {
                    if ready.is_err() {
                        return Ok(Reason::Signal(Signal::Hangup));
                    }
                    self.hear(&mut keys);
                }
                _ = resized.recv() => self.pace.want(Urgency::Now),
                (number, update) = self.lines.next() => {
                    self.update(number, update, &mut ending)?;
                    for _ in 1..BATCH {
                        let Some((number, update)) = self.lines.try_next() else { break };
                        self.update(number, update, &mut ending)?;
                    }
                    if self.lines.is_empty() {
                        return Ok(ending.unwrap_or(Reason::Closed));
                    }
                },
                signal = wiring.signals.recv(), if signals_open => match signal {
                    Some(Signal::Continue) => {
                        self.terminal.retake()?;
                        self.pace.want(Urgency::Now);
                    }
                    Some(Signal::Stop) => {
                        self.terminal.lend(|| (wiring.suspend)())?;
                    self.window.front().look_again();
                        self.pace.want(Urgency::Now);
                    }
                    Some(Signal::Interrupt) => self.interrupt(),
                    Some(signal @ (Signal::Terminate | Signal::Hangup)) => return Ok(Reason::Signal(signal)),
                    None => signals_open = false,
                },
                told = heard(host.as_mut()) => self.told(told, &mut host),
                () = room(full) => {}
                () = made.notified() => self.pace.want(Urgency::News),
                () = alarm => {}
            }
            self.pace.counts.wakes += 1;
        }
    }

    /// Letters that are held act once it was seen that nothing was typed behind them; what they ask of drivers and host is
    /// sent before anything is waited for.
    fn let_letters_act(&mut self, keys: &mut Keys) -> io::Result<()> {
        if let Some(empty) = keys.quiet()? {
            self.window.settle_keys(empty);
        }
        Ok(())
    }

    /// Draws what is due and carries wishes out. Returns why it is to end.
    fn settle(
        &mut self,
        keys: &mut Keys,
        wiring: &Wiring,
        ending: &mut Option<Reason>,
    ) -> io::Result<Option<Reason>> {
        for wish in self.window.wishes() {
            match wish {
                AppCommand::Redraw => self.terminal.wipe()?,
                AppCommand::Suspend => {
                    self.terminal.lend(|| (wiring.suspend)())?;
                }
                AppCommand::Edit(handout) => {
                    let edited = self.terminal.lend(|| (wiring.edit)(&handout))?;
                    self.window.front().edited(edited, Instant::now());
                }
                AppCommand::Open(place) => {
                    let opened = self.terminal.lend(|| (wiring.open)(&place))?;
                    self.window.front().came_back(opened);
                }
                AppCommand::Copy(text) => self.terminal.copy(&text)?,
                AppCommand::Mouse(on) => {
                    self.terminal.mouse(on)?;
                    continue;
                }
                AppCommand::Tell(bytes) => {
                    self.terminal.tell(&bytes)?;
                    continue;
                }
                AppCommand::Leave => return Ok(Some(ending.take().unwrap_or(Reason::Closed))),
            }
            self.pace.want(Urgency::Now);
        }
        let now = Instant::now();
        self.pace.spin(self.window.front().animated(), now);
        let steps = self.pace.step(now);
        self.window.front().spin(steps);
        let _ = self.pace.rang(now);
        let alarms = self.window.alarm(now).into_iter().chain(self.ground.until());
        self.pace.alarm(alarms.filter(|at| *at > now).min());
        // What a draft would mean is foretold behind the frame that shows it, where nothing more was typed.
        while self.pace.due(now) {
            self.draw()?;
            // What was typed before this frame stood there is on its way before any of it can be
            // answered: a question stands only once nothing lay in the terminal after it was drawn.
            match keys.drain() {
                Ok(Some(empty)) => self.window.front().drew(empty),
                Ok(None) => {
                    self.window.front().covered();
                    self.pace.want(Urgency::Now);
                    break;
                }
                Err(_) => return Ok(Some(Reason::Signal(Signal::Hangup))),
            }
            if keys.is_empty() && self.can_foretell() && self.window.foretell() {
                self.pace.want(Urgency::Now);
            }
        }
        Ok(None)
    }

    /// Whether what the draft means can be said without a wait that a key would feel.
    fn can_foretell(&mut self) -> bool {
        self.window.front().reads_with().is_none_or(|classifier| self.reader.is_ready(classifier, &self.made))
    }

    fn draw(&mut self) -> io::Result<()> {
        let (window, ground) = (&mut self.window, self.ground);
        self.terminal.draw(|frame| {
            let now = Instant::now();
            window.layout(frame.area(), now);
            if let Some(caret) = window.render(frame.buffer_mut(), now) {
                frame.set_cursor_position(caret);
            }
            if !ground.is_settled(now) {
                bare(frame.buffer_mut());
            }
        })?;
        self.pace.drew(Instant::now());
        Ok(())
    }

    /// Takes what the terminal sent.
    fn hear(&mut self, keys: &mut Keys) {
        while let Some(event) = keys.pop() {
            self.take(event);
        }
        if let Some(dark) = keys.take_dark()
            && let Some(waited) = self.ground.heard(Instant::now())
            && (self.window.take_ground(dark) || waited)
        {
            self.pace.want(Urgency::Now);
        }
    }

    fn take(&mut self, (event, stamp): (Event, Stamp)) {
        if let Some(urgency) = self.window.terminal(&event, stamp, stamp.came) {
            self.pace.want(urgency);
        }
    }

    /// Takes what a session's driver says; nothing more comes from one that is gone.
    fn update(
        &mut self,
        number: Number,
        update: Option<Update>,
        ending: &mut Option<Reason>,
    ) -> io::Result<()> {
        let Some(update) = update else {
            self.lines.remove(number);
            return Ok(());
        };
        // Asked once the session stands: who leaves at once finds no answer on their command line.
        if matches!(update, Update::Opened(..)) && self.ground.asks(Instant::now()) {
            self.terminal.ask(crate::ground::QUESTION)?;
        }
        if let Update::Closed(message) = &update
            && self.window.sessions() == 1
        {
            *ending = Some(message.clone().map_or(Reason::Closed, Reason::Driver));
        }
        if let Some(urgency) = self.window.update(number, update, Instant::now()) {
            self.pace.want(urgency);
        }
        Ok(())
    }

    /// Takes what the host says; `None` when it is gone.
    fn told(&mut self, update: Option<HostUpdate<Line>>, host: &mut Option<HostLine>) {
        let now = Instant::now();
        match update {
            Some(HostUpdate::Opened(line, wish)) => {
                if let Some(number) = self.window.opened(&wish, now) {
                    self.lines.add(number, line);
                }
            }
            Some(update) => self.window.told(update, now),
            None => *host = None,
        }
        self.pace.want(Urgency::News);
    }

    fn interrupt(&mut self) {
        use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
        let key = Event::Key(KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL));
        let now = Instant::now();
        let _ = self.window.terminal(&key, now, now);
        self.pace.want(Urgency::Now);
    }

    /// Sends what lies in the outboxes, as far as drivers and host take it now.
    fn flush(&mut self, host: Option<&HostLine>) {
        for (number, requests) in self.lines.senders() {
            while let Some(request) = self.window.next_request(number) {
                match requests.try_send(request) {
                    Ok(()) => {}
                    Err(TrySendError::Full(request)) => {
                        self.window.put_back(number, request);
                        break;
                    }
                    Err(TrySendError::Closed(_)) => break,
                }
            }
        }
        while let Some(request) = self.window.next_host_request() {
            // Without a host there is nothing to list.
            let asked = host.is_some() || request != HostRequest::List;
            if asked && host.is_none_or(|(requests, _)| requests.try_send(request).is_err()) {
                self.window.host_is_busy();
            }
        }
    }
}

/// Waits until then; for ever without a time.
async fn until(wake: Option<Instant>) {
    match wake {
        Some(at) => tokio::time::sleep_until(At::from_std(at)).await,
        None => std::future::pending().await,
    }
}
