//! The root: the session as it was told, the panes, and what has the keys.
//!
//! Owns routing and nothing else: keys become actions (`route`), the frame is drawn (`view`).
//! Never blocks, never reads a clock and never performs anything: requests lie in the outbox and
//! wishes for the terminal in [`App::wishes`] until the loop takes them.

/// What panes and overlays are handed: every field but those that hold them, so that one of them can be borrowed
/// beside it.
macro_rules! ctx {
    ($app:expr, $now:expr) => {
        crate::ctx::Ctx {
            theme: &$app.looks.theme,
            glyphs: &$app.looks.glyphs,
            session: &$app.world.session,
            state: $app.world.session.state(),
            surroundings: &$app.world.surroundings,
            runs: &$app.runs,
            colours: &$app.colours,
            keymap: &$app.keying.keymap,
            now: $app.world.time($now),
            spinner: if $app.animated() { $app.spinner } else { 0 },
            body: $app.panes.body(),
            above_bar: $app.panes.above_bar(),
            focus: $app.panes.focus,
            draft: &$app.composer.draft,
            asked: &$app.asked,
            at: $now,
            pressed: $app.keying.pressed,
        }
    };
}

mod deeds;
pub(crate) mod enter;
mod keying;
mod looks;
mod news;
mod notice;
mod offer;
mod outbox;
mod panes;
mod resting;
mod route;
mod seat;
mod seen;
mod stray;
mod view;
mod world;

pub use notice::Notice;

use std::{collections::BTreeMap, time::Instant};

use pilothouse_core::{
    blob::BlobId,
    digest::Place,
    ids::{CheckpointId, Seq},
    input::Input,
    intent::Phase,
    memory::MemoryOwner,
    port::{Ask, Request, Update},
};

pub use self::keying::WHICH_KEY;
use self::{
    keying::Keying, looks::Looks, outbox::Outbox, panes::Panes, resting::Resting, stray::Stray, world::World,
};
use crate::{
    composer::Composer,
    ctx::{Ctx, Handout, Outcome, only_reads},
    highlight::Highlighter,
    keymap::Keymap,
    notify::{Hearer, Watching},
    overlay::Overlay,
    pace::Urgency,
    pane::{Errand, Focus, PaneId},
    preview::Preview,
    standing::Standing,
    theme::{Depth, ThemeError},
    window::{RunRow, Said},
};

/// How the screen is to look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Look {
    /// Whether the terminal is dark.
    pub dark: bool,
    /// Whether that was told; else the terminal is asked.
    pub ground_known: bool,
    /// How many colours it has.
    pub depth: Depth,
    /// Whether only ASCII can be shown.
    pub ascii: bool,
    /// Whether anything may move.
    pub motion: bool,
    /// The folder's name, shown until the session is open.
    pub folder: String,
    /// How the terminal is told of what wants the user's eye.
    pub hearer: Hearer,
}

impl Default for Look {
    fn default() -> Self {
        Self {
            dark: true,
            ground_known: true,
            depth: Depth::TrueColor,
            ascii: false,
            motion: true,
            folder: String::new(),
            hearer: Hearer::default(),
        }
    }
}

/// What the loop is to do with the terminal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AppCommand {
    /// Draw every cell again.
    Redraw,
    /// Give the terminal back and stop until continued.
    Suspend,
    /// Open this text in the editor.
    Edit(Handout),
    /// Open this file of the workspace in the editor, at this line.
    Open(Place),
    /// Put this on the clipboard.
    Copy(String),
    /// Have the mouse reported, or no more.
    Mouse(bool),
    /// Send this to the terminal, so that the user looks here.
    Tell(String),
    /// Leave now.
    Leave,
}

/// The whole screen.
pub struct App {
    looks: Looks,
    world: World,
    keying: Keying,
    /// What was typed into the pane that has the keys.
    stray: Stray,
    /// What is kept of the draft.
    resting: Resting,
    panes: Panes,
    /// The topmost last.
    overlays: Vec<Box<dyn Overlay>>,
    /// The question whose answer an overlay waits for.
    awaited: Option<u64>,
    composer: Composer,
    /// The command in the composer.
    offering: offer::Offering,
    /// What sending this draft in this state would mean.
    previewed: (String, Seq, Option<Preview>),
    /// What that would answer, or would be said to.
    answering: seen::Answering,
    /// The request for the files that completion offers.
    files_asked: Option<u64>,
    /// The question in the bar.
    asked: Standing<CheckpointId>,
    /// What stood whole.
    seen: seen::Seen,
    notice: Option<Notice>,
    /// What Enter does in what is drawn.
    entered: enter::Entered,
    /// What is in the editor.
    editing: Option<Editing>,
    leaving: Leaving,
    spinner: usize,
    /// Works out the colours of code.
    colours: Highlighter,
    /// Whether the user looks here.
    watching: Watching,
    /// Every session of the window, this one too, as they stood when the window last looked.
    pub(crate) runs: Vec<RunRow>,
    /// What another session of the window said to this one, until it is seen what became of it.
    pub(crate) told: Option<Said>,
    outbox: Outbox,
}

/// What is in the editor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Editing {
    /// The draft.
    Draft,
    /// What a pane handed out.
    Pane(PaneId),
    /// A memory, and what it held then.
    Memory(MemoryOwner, BlobId),
}

/// How far the user is with leaving.
#[derive(Default)]
struct Leaving {
    /// The driver was asked to close, or did.
    asked: bool,
    /// When the cancel key found nothing left to cancel.
    cancelled: Option<Instant>,
    /// When Esc was pressed over an answer that streams.
    stopping: Option<Instant>,
}

impl App {
    /// A screen without a session yet; `colours` works out the colours of code beside it.
    ///
    /// # Errors
    /// When the theme that comes with the program cannot be read.
    pub fn new(look: Look, colours: Highlighter) -> Result<Self, ThemeError> {
        Ok(Self {
            world: World::new(look.folder.clone()),
            keying: Keying::new(look.ascii),
            looks: Looks::new(look)?,
            stray: Stray::default(),
            resting: Resting::default(),
            panes: Panes::new(&colours),
            overlays: Vec::new(),
            awaited: None,
            composer: Composer::default(),
            offering: offer::Offering::default(),
            previewed: (String::new(), Seq(0), None),
            answering: seen::Answering::default(),
            files_asked: None,
            asked: Standing::default(),
            seen: seen::Seen::default(),
            notice: None,
            entered: enter::Entered::default(),
            editing: None,
            leaving: Leaving::default(),
            spinner: 0,
            colours,
            watching: Watching::default(),
            runs: Vec::new(),
            told: None,
            outbox: Outbox::default(),
        })
    }

    /// Takes the user's keymap file and says which keys that ship gave way to it, or what is wrong with it and keeps the
    /// standard one if so.
    pub fn take_keymap(&mut self, file: &str) {
        match Keymap::with(file) {
            Ok(keymap) => {
                if let Some(told) = keymap.given_up() {
                    self.notice = Some(Notice::new(told, false, None));
                }
                self.keying.keymap = if self.looks.look.ascii { keymap.in_ascii() } else { keymap };
            }
            Err(error) => self.complain(error.to_string()),
        }
    }

    /// Takes the user's own themes: their files by name.
    pub fn own_themes(&mut self, own: BTreeMap<String, String>) {
        self.looks.own = own;
    }

    /// Takes a theme by its name; whether there is one.
    pub fn take_theme(&mut self, theme: &str) -> bool {
        let taken = self.looks.take_theme(theme);
        if let Err(error) = &taken {
            self.complain(match error {
                ThemeError::Unknown { .. } => error.to_string(),
                ThemeError::File { .. } => {
                    format!("themes/{theme}.toml:{error}; the theme is still {}", self.looks.named)
                }
            });
        }
        taken.is_ok()
    }

    /// Takes what the terminal says of its background; true when it is not what was thought.
    pub fn take_ground(&mut self, dark: bool) -> bool {
        self.looks.take_ground(dark)
    }

    /// Takes what the driver says; returns how soon it wants to be seen.
    pub fn update(&mut self, update: Update, now: Instant) -> Urgency {
        match update {
            Update::Opened(session, tail) => self.opened(*session, &tail, now),
            Update::Events(events) => self.events(&events, now),
            Update::Delta(delta) => {
                let delta = self.world.took(delta, now);
                self.panes.delta(&delta);
                self.overlays.iter_mut().for_each(|overlay| overlay.delta(&delta));
                self.collect_asks();
                return Urgency::Stream;
            }
            Update::Answered(number, reply) => self.answered(number, &reply, now),
            Update::Rules(policy) => {
                self.world.session.set_policy(policy);
                // What a draft would do may be another thing.
                self.previewed = (String::new(), Seq(0), None);
            }
            Update::Refused(reason) | Update::Misused(reason) => {
                let state = self.world.state();
                self.composer.refused(|line| enter::is_key(line, state));
                self.offer_refused();
                self.wrote(now);
                let reason = self.counted(reason);
                self.complain(reason);
            }
            Update::Draft(text) => self.drafted_before(text),
            Update::Notice(what) => {
                self.notice = Some(Notice::new(self.counted(what), true, self.awaited));
            }
            Update::Page { title, text } => self.page(title, &text),
            Update::Surroundings(surroundings) => {
                if self.world.surroundings.mouse != surroundings.mouse {
                    self.outbox.wish(AppCommand::Mouse(surroundings.mouse));
                }
                if self.world.surroundings.read_only && !surroundings.read_only {
                    self.say("this window now holds the session");
                }
                self.composer.know(&surroundings.recipes);
                self.world.session.set_recipes(surroundings.recipes.clone());
                self.world.surround(*surroundings, now);
                self.greet(now);
            }
            Update::Closed(message) => {
                self.leaving.asked = true;
                if let Some(message) = message {
                    self.complain(message);
                }
                self.outbox.wish(AppCommand::Leave);
            }
        }
        Urgency::News
    }

    /// Whether something on the screen moves by itself.
    pub fn animated(&self) -> bool {
        self.looks.look.motion && self.world.state().busy() && !self.world.surroundings.free
    }

    /// The spinner moved on.
    pub fn spin(&mut self, steps: usize) {
        self.spinner = self.spinner.wrapping_add(steps);
    }

    /// When the keys that can follow the pressed ones are to be shown, letters act that were held, typing has rested, or what
    /// is told goes.
    pub fn alarm(&self) -> Option<Instant> {
        self.keying
            .alarm()
            .into_iter()
            .chain(self.held_until())
            .chain(self.rests_at())
            .chain(self.notice_goes())
            .min()
    }

    /// The next request for the driver.
    pub fn next_request(&mut self) -> Option<Request> {
        self.outbox.requests.pop_front()
    }

    /// Whether requests wait.
    pub fn has_requests(&self) -> bool {
        !self.outbox.requests.is_empty()
    }

    /// A request could not be sent yet.
    pub fn put_back(&mut self, request: Request) {
        self.outbox.requests.push_front(request);
    }

    /// Wishes for the terminal.
    pub fn wishes(&mut self) -> Vec<AppCommand> {
        std::mem::take(&mut self.outbox.wishes)
    }

    /// Takes what came out of the editor.
    pub fn edited(&mut self, text: std::io::Result<String>, now: Instant) {
        match (self.editing.take(), text) {
            (None, _) => {}
            (Some(Editing::Pane(id)), text) => {
                let mut outcome = self.panes.get_mut(id).map(|pane| pane.edited(text)).unwrap_or_default();
                let failed = outcome.complaint.take();
                self.carry_out(outcome, now);
                if let Some(failed) = failed {
                    self.complain(failed);
                }
            }
            (Some(Editing::Memory(_, before)), Ok(text)) if BlobId::of(text.as_bytes()) == before => {
                self.say("nothing was changed");
            }
            (Some(Editing::Memory(owner, before)), Ok(text)) => {
                self.input(Input::EditMemory { owner, before, text });
            }
            (Some(Editing::Memory(..)), Err(error)) => {
                self.complain(format!("the editor failed: {error}; the memory is unchanged"));
            }
            (Some(Editing::Draft), Ok(text)) => {
                self.composer.replace(text.trim_end_matches('\n'));
                self.wrote(now);
            }
            (Some(Editing::Draft), Err(error)) => {
                self.complain(format!("the editor failed: {error}; your draft is untouched"));
            }
        }
    }

    /// Wants a text in the editor; what was asked for first goes first.
    fn edit(&mut self, what: Editing, handout: Handout) {
        let wanted = |wish: &AppCommand| matches!(wish, AppCommand::Edit(_));
        if !self.outbox.wishes.iter().any(wanted) {
            self.editing = Some(what);
            self.outbox.wish(AppCommand::Edit(handout));
        }
    }

    /// Asks the driver to close; a second time leaves without it.
    pub fn quit(&mut self) {
        self.keep_draft();
        if self.leaving.asked {
            self.outbox.wish(AppCommand::Leave);
        }
        self.leaving.asked = true;
        self.outbox.send(Request::Quit);
    }

    /// Something the user should know about what was not done.
    pub fn complain(&mut self, text: impl Into<String>) {
        self.notice = Some(Notice::new(text, true, None));
    }

    fn ctx(&self, now: Instant) -> Ctx<'_> {
        ctx!(self, now)
    }

    /// Whether the key that is being taken can answer what stands there.
    fn stood<T: PartialEq>(&self, place: &Standing<T>, what: &T) -> bool {
        self.keying.pressed.answers(place, what)
    }

    fn collect_asks(&mut self) {
        let of_overlays = self.overlays.iter_mut().flat_map(|overlay| overlay.wants());
        let asks: Vec<Ask> = of_overlays.chain(self.panes.asks()).collect();
        for ask in asks {
            self.ask(ask);
        }
        let waits = self.overlays.iter().find_map(|overlay| overlay.waits_for());
        if let Some(left) = std::mem::replace(&mut self.awaited, waits).filter(|left| Some(*left) != waits) {
            self.ask(Ask::Withdraw(left));
        }
    }

    fn ask(&mut self, ask: Ask) -> u64 {
        self.outbox.ask(ask)
    }

    fn input(&mut self, input: Input) {
        if let Some(why) = only_reads(&self.world.surroundings) {
            self.composer.refused(|_| false);
            self.complain(why);
            return;
        }
        self.outbox.send(Request::Input(input));
    }

    fn open_overlay(&mut self, overlay: Box<dyn Overlay>) {
        self.overlays.push(overlay);
    }

    fn go(&mut self, focus: Focus) {
        self.panes.go(focus);
    }

    /// Whether a rejected plan waits for guidance, or to be given up.
    fn guiding(&self) -> bool {
        let state = self.world.state();
        state.phase == Phase::Planning && state.planning_lane().is_none()
    }

    /// What the keys are for in the pane that has them, if they are there to decide something.
    fn errand(&self) -> Option<Errand> {
        self.panes.focused().and_then(|(_, pane)| pane.errand(self.world.state()))
    }

    /// Whether what the pane with the keys decides waits now.
    fn deciding(&self) -> bool {
        !self.world.surroundings.read_only
            && self.panes.focused().is_some_and(|(_, pane)| pane.decides(self.world.state()))
    }
}

#[cfg(test)]
mod tests;
