//! The loop: keys, updates and signals in, frames and requests out.
//!
//! Owns the terminal and the order in which things happen. Never decides what anything means; it
//! wakes only when something arrives or something visible moves.

use std::{io, sync::Arc, time::Instant};

use crossterm::event::Event;
use pilothouse_core::{
    digest::Place,
    port::{Request, Update},
};
use tokio::{
    signal::unix::{SignalKind, signal},
    sync::{
        Notify,
        mpsc::{Receiver, Sender, error::TrySendError},
    },
    time::Instant as At,
};

pub use crate::app::Look;
use crate::{
    app::{App, AppCommand},
    ground::{Ground, Heard},
    highlight::Highlighter,
    keys::Keys,
    pace::{Counts, Pace, Urgency},
    standing::Stamp,
    terminal::Terminal,
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
    /// It goes on after it was stopped.
    Continue,
}

/// Gives a text to the user's editor, in a file of this name, and takes back what came of it.
pub type Edit = Box<dyn Fn(&str, &str) -> io::Result<String>>;

/// Opens a file of the workspace in the user's editor, at a line.
pub type Open = Box<dyn Fn(&Place) -> io::Result<()>>;

/// Everything that connects a screen to the rest of the program.
pub struct Wiring {
    /// To the driver.
    pub requests: Sender<Request>,
    /// From the driver.
    pub updates: Receiver<Update>,
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
    /// The theme: the name of one that comes with the program, or a theme file.
    pub theme: Option<String>,
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
    app: App,
    pace: Pace,
    /// Rings when colours of code are known.
    coloured: Arc<Notify>,
    /// Whether the background is known, and the answer that is waited for.
    ground_known: bool,
    ground: Option<Ground>,
}

impl Screen {
    /// Takes the terminal and draws the first frame at once.
    ///
    /// # Errors
    /// When there is no terminal, or it went away.
    pub fn enter(look: Look) -> io::Result<Self> {
        let coloured = Arc::new(Notify::new());
        let bell = Arc::clone(&coloured);
        let colours = Highlighter::new(move || bell.notify_one());
        let ground_known = look.ground_known;
        let app = App::new(look, colours).map_err(io::Error::other)?;
        let terminal = Terminal::take()?;
        let mut screen = Self { terminal, app, pace: Pace::default(), coloured, ground_known, ground: None };
        screen.draw()?;
        Ok(screen)
    }

    /// Runs until the session is closed; the terminal is given back whatever happens.
    ///
    /// # Errors
    /// When the terminal went away.
    pub fn run(mut self, wiring: Wiring) -> io::Result<ScreenReport> {
        if let Some(keymap) = &wiring.keymap {
            self.app.take_keymap(keymap);
        }
        if let Some(theme) = &wiring.theme {
            self.app.take_theme(theme);
            self.pace.want(Urgency::News);
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let reason = runtime.block_on(self.turn(wiring))?;
        Ok(ScreenReport { reason, counts: self.pace.counts })
    }

    async fn turn(&mut self, mut wiring: Wiring) -> io::Result<Reason> {
        let mut keys = Keys::listen()?;
        let mut resized = signal(SignalKind::window_change())?;
        let mut ending = None;
        let mut signals_open = true;
        let coloured = Arc::clone(&self.coloured);
        loop {
            self.flush(&wiring.requests);
            if let Some(reason) = self.settle(&mut keys, &wiring, &mut ending)? {
                return Ok(reason);
            }
            let wake = self.pace.next();
            let alarm = async {
                match wake {
                    Some(at) => tokio::time::sleep_until(At::from_std(at)).await,
                    None => std::future::pending().await,
                }
            };
            let full = self.app.has_requests();
            tokio::select! {
                biased;
                ready = keys.ready() => {
                    if ready.is_err() {
                        return Ok(Reason::Signal(Signal::Hangup));
                    }
                    while let Some(event) = keys.pop() {
                        self.hear(event);
                    }
                }
                _ = resized.recv() => self.pace.want(Urgency::Now),
                update = wiring.updates.recv() => match update {
                    Some(update) => {
                        self.update(update, &mut ending)?;
                        for _ in 1..BATCH {
                            let Ok(update) = wiring.updates.try_recv() else { break };
                            self.update(update, &mut ending)?;
                        }
                    }
                    None => return Ok(ending.unwrap_or(Reason::Closed)),
                },
                signal = wiring.signals.recv(), if signals_open => match signal {
                    Some(Signal::Continue) => {
                        self.terminal.retake()?;
                        self.pace.want(Urgency::Now);
                    }
                    Some(Signal::Interrupt) => self.interrupt(),
                    Some(signal @ (Signal::Terminate | Signal::Hangup)) => return Ok(Reason::Signal(signal)),
                    None => signals_open = false,
                },
                permit = wiring.requests.reserve(), if full => match permit {
                    Ok(permit) => if let Some(request) = self.app.next_request() { permit.send(request) },
                    Err(_) => return Ok(ending.unwrap_or(Reason::Closed)),
                },
                () = coloured.notified() => self.pace.want(Urgency::News),
                () = alarm => {}
            }
            self.pace.counts.wakes += 1;
        }
    }

    /// Draws what is due and carries wishes out. Returns why it is to end.
    fn settle(
        &mut self,
        keys: &mut Keys,
        wiring: &Wiring,
        ending: &mut Option<Reason>,
    ) -> io::Result<Option<Reason>> {
        for wish in self.app.wishes() {
            match wish {
                AppCommand::Redraw => self.terminal.wipe()?,
                AppCommand::Suspend => {
                    self.terminal.lend(|| (wiring.suspend)())?;
                }
                AppCommand::Edit { name, text } => {
                    let edited = self.terminal.lend(|| (wiring.edit)(&name, &text))?;
                    self.app.edited(edited, Instant::now());
                }
                AppCommand::Open(place) => {
                    if let Err(error) = self.terminal.lend(|| (wiring.open)(&place))? {
                        self.app.complain(format!("the editor failed: {error}"));
                    }
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
        self.pace.spin(self.app.animated(), now);
        let steps = self.pace.step(now);
        self.app.spin(steps);
        let _ = self.pace.rang(now);
        self.pace.alarm(self.app.alarm().filter(|at| *at > now));
        if self.pace.due(now) {
            self.draw()?;
            // What was typed before this frame stood there is on its way before any of it can be
            // answered: a question stands only once nothing lay in the terminal after it was drawn.
            match keys.drain() {
                Ok(Some(empty)) => self.app.drew(empty),
                Ok(None) => {
                    self.app.covered();
                    self.pace.want(Urgency::Now);
                }
                Err(_) => return Ok(Some(Reason::Signal(Signal::Hangup))),
            }
        }
        self.flush(&wiring.requests);
        Ok(None)
    }

    fn draw(&mut self) -> io::Result<()> {
        let app = &mut self.app;
        self.terminal.draw(|frame| {
            let now = Instant::now();
            app.layout(frame.area(), now);
            if let Some(caret) = app.render(frame.buffer_mut(), now) {
                frame.set_cursor_position(caret);
            }
        })?;
        self.pace.drew(Instant::now());
        Ok(())
    }

    /// Takes what the terminal sent, unless it is the answer about its background.
    fn hear(&mut self, (event, stamp): (Event, Stamp)) {
        let Some(ground) = self.ground.as_mut().filter(|g| g.open(stamp.came)) else {
            return self.take((event, stamp));
        };
        match ground.hear(event, stamp) {
            Heard::More => {}
            Heard::Events(events) => events.into_iter().for_each(|event| self.take(event)),
            Heard::Dark(dark) => {
                self.ground = None;
                if self.app.take_ground(dark) {
                    self.pace.want(Urgency::Now);
                }
            }
        }
    }

    fn take(&mut self, (event, stamp): (Event, Stamp)) {
        if let Some(urgency) = self.app.terminal(&event, stamp) {
            self.pace.want(urgency);
        }
    }

    fn update(&mut self, update: Update, ending: &mut Option<Reason>) -> io::Result<()> {
        // Asked once the session stands: who leaves at once finds no answer on their command line.
        if matches!(update, Update::Opened(..)) && !self.ground_known {
            self.ground_known = true;
            self.ground = Some(Ground::asked(Instant::now()));
            self.terminal.ask(crate::ground::QUESTION)?;
        }
        if let Update::Closed(message) = &update {
            *ending = Some(message.clone().map_or(Reason::Closed, Reason::Driver));
        }
        let urgency = self.app.update(update, Instant::now());
        self.pace.want(urgency);
        Ok(())
    }

    fn interrupt(&mut self) {
        use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
        self.app.key(KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL), Instant::now());
        self.pace.want(Urgency::Now);
    }

    /// Sends what lies in the outbox, as far as the driver takes it now.
    fn flush(&mut self, requests: &Sender<Request>) {
        while let Some(request) = self.app.next_request() {
            match requests.try_send(request) {
                Ok(()) => {}
                Err(TrySendError::Full(request)) => {
                    self.app.put_back(request);
                    return;
                }
                Err(TrySendError::Closed(_)) => return,
            }
        }
    }
}
