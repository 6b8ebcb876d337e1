//! The root: the session as it was told, the panes, and what has the keys.
//!
//! Owns routing and nothing else: keys become actions (`route`), the frame is drawn (`view`).
//! Never blocks, never reads a clock and never performs anything: requests lie in the outbox and
//! wishes for the terminal in [`App::wishes`] until the loop takes them.

mod deeds;
mod grant;
mod news;
mod offer;
mod route;
mod stood;
mod tell;
mod view;

use std::{
    collections::VecDeque,
    time::{Duration, Instant},
};

use pilothouse_core::{
    blob::BlobId,
    ids::{CheckpointId, Millis, ProposalId, Seq},
    input::Input,
    intent::Phase,
    port::{Ask, Request, Surroundings, Update},
    proposal::ProposalStatus,
    session::Session,
};

use crate::{
    composer::Composer,
    conversation::ConversationPane,
    diff::{DiffPane, Editing},
    highlight::Highlighter,
    keymap::{Chord, Keymap},
    layout::Areas,
    notify::{Hearer, Watching},
    overlay::{Overlay, Reason, rule::Shown},
    pace::Urgency,
    pane::{Ctx, Focus, Outcome},
    plan::PlanPane,
    preview::Preview,
    prompt::{Prompt, Purpose},
    standing::{Held, Standing},
    theme::{Depth, Glyphs, Theme, ThemeError},
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
pub enum Wish {
    /// Draw every cell again.
    Redraw,
    /// Give the terminal back and stop until continued.
    Suspend,
    /// Open this text in the editor, under a file name that tells what it is.
    Edit {
        /// The name, without a folder.
        name: String,
        /// The text.
        text: String,
    },
    /// Put this on the clipboard.
    Copy(String),
    /// Send this to the terminal, so that the user looks here.
    Tell(String),
    /// Leave now.
    Leave,
}

/// One line for the user, until the next key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// What.
    pub text: String,
    /// Whether something was not done.
    pub bad: bool,
}

/// The whole screen.
pub struct App {
    look: Look,
    theme: Theme,
    /// The theme's file, to be read again for another background.
    theme_text: String,
    glyphs: Glyphs,
    keymap: Keymap,
    session: Session,
    open: bool,
    surroundings: Surroundings,
    clock: Option<(Millis, Instant)>,
    context_tokens: u64,

    colours: Highlighter,
    conversation: ConversationPane,
    plan: PlanPane,
    diff: DiffPane,
    composer: Composer,
    overlays: Vec<Overlay>,
    notice: Option<Notice>,

    focus: Focus,
    /// The pane that is shown where there is room for one.
    shown: Focus,
    prefix: Vec<Chord>,
    prefix_since: Option<Instant>,
    cancelled: Option<Instant>,
    leaving: bool,
    spinner: usize,
    areas: Areas,

    /// The question in the bar.
    asked: Standing<CheckpointId>,
    /// The item chosen in the list of what waits.
    listed: Standing<grant::Listed>,
    /// The rule that would be kept for good.
    ruled: Standing<Shown>,
    /// The proposals in the diff.
    proposed: Standing<Vec<(ProposalId, BlobId)>>,
    /// The command in the composer.
    offering: offer::Offering,
    held: Held<Chord>,
    /// The key that is being taken.
    pressed: stood::Pressed,

    numbers: u64,
    files_asked: Option<u64>,
    /// What sending this draft in this state would mean.
    previewed: (String, Seq, Option<Preview>),
    /// The proposal that is in the editor; else it is the draft.
    editing: Option<Editing>,
    /// Whether the user looks here.
    watching: Watching,
    outbox: VecDeque<Request>,
    wishes: Vec<Wish>,
}

impl App {
    /// A screen without a session yet; `colours` works out the colours of code beside it.
    ///
    /// # Errors
    /// When the theme that comes with the program cannot be read.
    pub fn new(look: Look, colours: Highlighter) -> Result<Self, ThemeError> {
        let glyphs = if look.ascii { Glyphs::ASCII } else { Glyphs::UNICODE };
        let surroundings = Surroundings { folder: look.folder.clone(), ..Surroundings::default() };
        let diff_colours = colours.clone();
        let theme_text = Theme::source("default").unwrap_or_default().to_owned();
        let theme = Theme::parse(&theme_text, look.dark, look.depth)?;
        Ok(Self {
            theme,
            theme_text,
            look,
            glyphs,
            keymap: Keymap::standard(),
            session: Session::new(),
            open: false,
            surroundings,
            clock: None,
            context_tokens: 0,
            conversation: ConversationPane::with_highlighter(colours.clone()),
            colours,
            plan: PlanPane::new(),
            diff: DiffPane::with_highlighter(diff_colours),
            composer: Composer::default(),
            overlays: Vec::new(),
            notice: None,
            focus: Focus::Composer,
            shown: Focus::Conversation,
            prefix: Vec::new(),
            prefix_since: None,
            cancelled: None,
            leaving: false,
            spinner: 0,
            areas: Areas::default(),
            asked: Standing::default(),
            listed: Standing::default(),
            ruled: Standing::default(),
            proposed: Standing::default(),
            offering: offer::Offering::default(),
            held: Held::default(),
            pressed: stood::Pressed::default(),
            numbers: 0,
            files_asked: None,
            previewed: (String::new(), Seq(0), None),
            editing: None,
            watching: Watching::default(),
            outbox: VecDeque::new(),
            wishes: Vec::new(),
        })
    }

    /// Takes the user's keymap file; says what is wrong with it and keeps the standard one if so.
    pub fn take_keymap(&mut self, file: &str) {
        match Keymap::with(file) {
            Ok(keymap) => self.keymap = keymap,
            Err(error) => self.complain(error.to_string()),
        }
    }

    /// Takes a theme: a name of one that comes with the program, or a theme file's text.
    pub fn take_theme(&mut self, theme: &str) {
        let text = Theme::source(theme).unwrap_or(theme);
        match Theme::parse(text, self.look.dark, self.look.depth) {
            Ok(theme) => (self.theme, self.theme_text) = (theme, text.to_owned()),
            Err(error) => self.complain(error.to_string()),
        }
    }

    /// Takes what the terminal says of its background; true when it is not what was thought.
    pub fn take_ground(&mut self, dark: bool) -> bool {
        if self.look.dark == dark {
            return false;
        }
        self.look.dark = dark;
        if let Ok(theme) = Theme::parse(&self.theme_text, dark, self.look.depth) {
            self.theme = theme;
        }
        true
    }

    /// Takes what the driver says; returns how soon it wants to be seen.
    pub fn update(&mut self, update: Update, now: Instant) -> Urgency {
        match update {
            Update::Opened(session, tail) => self.opened(*session, &tail, now),
            Update::Events(events) => self.events(&events, now),
            Update::Delta(delta) => {
                self.conversation.delta(&delta);
                self.collect_asks();
                return Urgency::Stream;
            }
            Update::Answered(number, reply) => self.answered(number, reply),
            Update::Rules(policy) => self.session.set_policy(policy),
            Update::Refused(reason) => {
                self.offer_refused();
                self.complain(reason);
            }
            Update::Told(what) => self.complain(what),
            Update::Surroundings(surroundings) => {
                if surroundings.now.0 > 0 {
                    self.clock = Some((surroundings.now, now));
                }
                self.surroundings = *surroundings;
            }
            Update::Closed(message) => {
                self.leaving = true;
                if message.is_none() {
                    self.wishes.push(Wish::Leave);
                }
                if let Some(message) = message {
                    self.complain(message);
                    self.wishes.push(Wish::Leave);
                }
            }
        }
        Urgency::News
    }

    /// Whether something on the screen moves by itself.
    pub fn animated(&self) -> bool {
        self.look.motion && self.session.state().busy()
    }

    /// The spinner moved on.
    pub fn spin(&mut self, steps: usize) {
        self.spinner = self.spinner.wrapping_add(steps);
    }

    /// When the keys that can follow the pressed ones are to be shown.
    pub fn alarm(&self) -> Option<Instant> {
        self.prefix_since.map(|since| since + WHICH_KEY)
    }

    /// The next request for the driver.
    pub fn next_request(&mut self) -> Option<Request> {
        self.outbox.pop_front()
    }

    /// Whether requests wait.
    pub fn has_requests(&self) -> bool {
        !self.outbox.is_empty()
    }

    /// A request could not be sent yet.
    pub fn put_back(&mut self, request: Request) {
        self.outbox.push_front(request);
    }

    /// Wishes for the terminal.
    pub fn wishes(&mut self) -> Vec<Wish> {
        std::mem::take(&mut self.wishes)
    }

    /// What came out of the editor.
    pub fn edited(&mut self, text: std::io::Result<String>) {
        match (text, self.editing.take()) {
            (Ok(text), Some(editing)) => match editing.finish(text) {
                Ok(input) => self.input(input),
                Err(why) => self.say(why),
            },
            (Ok(text), None) => self.composer.replace(text.trim_end_matches('\n')),
            (Err(error), Some(_)) => {
                self.complain(format!("the editor failed: {error}; the proposal is as it was"));
            }
            (Err(error), None) => {
                self.complain(format!("the editor failed: {error}; your draft is untouched"));
            }
        }
    }

    /// Asks the driver to close; a second time leaves without it.
    pub fn quit(&mut self) {
        if self.leaving {
            self.wishes.push(Wish::Leave);
        }
        self.leaving = true;
        self.outbox.push_back(Request::Quit);
    }

    /// Something the user should know about what was not done.
    pub fn complain(&mut self, text: impl Into<String>) {
        self.notice = Some(Notice { text: text.into(), bad: true });
    }

    fn say(&mut self, text: impl Into<String>) {
        self.notice = Some(Notice { text: text.into(), bad: false });
    }

    fn collect_asks(&mut self) {
        let asks = [self.conversation.asks(), self.plan.asks(), self.diff.asks()]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>();
        for ask in asks {
            self.ask(ask);
        }
    }

    fn ask(&mut self, ask: Ask) -> u64 {
        self.numbers += 1;
        self.outbox.push_back(Request::Ask(self.numbers, ask));
        self.numbers
    }

    fn input(&mut self, input: Input) {
        if self.surroundings.read_only {
            self.complain("another window holds this session; this one only reads");
            return;
        }
        self.outbox.push_back(Request::Input(input));
    }

    /// Carries out what a pane's action led to.
    fn carry_out(&mut self, outcome: Outcome) {
        for input in outcome.inputs {
            self.input(input);
        }
        for ask in outcome.asks {
            self.ask(ask);
        }
        if let Some(focus) = outcome.focus {
            self.go(focus);
        }
        if let Some(why) = outcome.why {
            let (request, then) = *why;
            let reason = Reason::of(&request, then, "", &self.session);
            self.open_overlay(Overlay::Reason(reason));
        }
        if let Some(text) = outcome.copy {
            self.wishes.push(Wish::Copy(text));
        }
        if let Some(notice) = outcome.notice {
            self.say(notice);
        }
        if let Some(editing) = outcome.edit.filter(|_| !self.surroundings.read_only) {
            let (name, text) = (editing.path.name().to_owned(), editing.text.clone());
            self.wishes.push(Wish::Edit { name, text });
            self.editing = Some(editing);
        }
        if let Some(prompt) = outcome.word {
            let (question, word) = (prompt.question.clone(), prompt.word.clone());
            self.open_overlay(Overlay::Prompt(Prompt::new(Purpose::Word(prompt), question, Some(word))));
        }
    }

    fn open_overlay(&mut self, overlay: Overlay) {
        self.overlays.push(overlay);
    }

    fn go(&mut self, focus: Focus) {
        self.focus = focus;
        if focus != Focus::Composer {
            self.shown = focus;
        }
    }

    /// Back to the draft; where one pane is shown, to the conversation above it.
    fn return_to_draft(&mut self) {
        self.focus = Focus::Composer;
        if self.narrow() {
            self.shown = Focus::Conversation;
        }
    }

    /// Whether a rejected plan waits for guidance, or to be given up.
    fn guiding(&self) -> bool {
        let state = self.session.state();
        state.phase == Phase::Planning && state.planning_lane().is_none()
    }

    fn proposals(&self) -> Vec<(ProposalId, BlobId)> {
        self.session.state().open_proposals().map(|p| (p.id, p.shown())).collect()
    }

    fn has_plan(&self) -> bool {
        let state = self.session.state();
        state.plan.is_some() || state.suspended.is_some()
    }

    fn has_diff(&self) -> bool {
        self.session.state().open_proposals().next().is_some()
    }

    fn is_fresh(&self) -> bool {
        self.session.state().turns.is_empty() && self.conversation.is_empty()
    }

    /// Whether changes wait to be decided or are being written.
    fn reviewing(&self) -> bool {
        let here = |s| matches!(s, ProposalStatus::Open | ProposalStatus::Applying(_));
        self.session.state().proposals.values().any(|p| here(p.status))
    }

    fn pane_visible(&self, pane: Focus) -> bool {
        let area = match pane {
            Focus::Composer => return true,
            _ if self.narrow() => return self.shown == pane,
            Focus::Conversation => self.areas.main,
            Focus::Plan => self.areas.plan,
            Focus::Diff => self.areas.diff,
        };
        !area.is_empty()
    }

    fn narrow(&self) -> bool {
        self.areas.status.width < crate::layout::WIDE
    }

    fn ctx(&self, now: Instant) -> Ctx<'_> {
        let clock = self.clock.map_or(self.session.state().at, |(base, since)| {
            let passed = now.saturating_duration_since(since).as_millis();
            Millis(base.0 + u64::try_from(passed).unwrap_or_default())
        });
        Ctx {
            theme: &self.theme,
            glyphs: &self.glyphs,
            state: self.session.state(),
            now: clock,
            utc_offset_minutes: self.surroundings.utc_offset_minutes,
            spinner: if self.animated() { self.spinner } else { 0 },
        }
    }
}

/// After this long the keys that can follow are shown.
pub const WHICH_KEY: Duration = Duration::from_millis(400);

#[cfg(test)]
mod tests;
