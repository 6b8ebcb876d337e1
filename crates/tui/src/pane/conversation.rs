//! The conversation: what was said and done, newest below.
//!
//! Owns its entries, their wrapped rows, the scroll and the search. A frame lays out and draws only
//! what is visible. Never changes the session.

mod copy;
mod entry;
mod fold;
mod opens;
mod search;
mod view;

pub(crate) use self::fold::{already, closed, written};

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
    time::Instant,
};

use pilothouse_core::{
    blob::BlobId,
    clean::Clean,
    event::Stamped,
    ids::{CheckpointId, Millis, Seq, TurnId},
    intent::Phase,
    policy::{Request, Ruling},
    port::{Ask, Reply},
    redact::Redactor,
    session::State,
    talk::Delta,
};
use ratatui::{
    buffer::Buffer,
    layout::{Rect, Size},
    text::Line,
};

use self::{entry::Env, fold::Log, view::Pos};
use super::{Ctx, Focus, Outcome, Pane, PaneId, PaneKind, Stand, Title, empty_state, hint_line, inside};
use crate::{
    frame,
    highlight::Highlighter,
    keymap::{Action, action::actions},
    overlay::{
        Reason,
        prompt::{Looking, Prompt},
    },
    row::{Ink, Row, underline},
    theme::{Glyphs, Slot},
};

/// The conversation's name.
pub const ID: PaneId = PaneId("conversation");

/// The conversation.
pub const KIND: PaneKind = PaneKind {
    id: ID,
    command: None,
    actions: ConversationAction::ENTRIES,
    make: |colours| Box::new(ConversationPane::with_highlighter(colours.clone())),
};

/// Older events that are asked for at once.
const PAGE_EVENTS: usize = 200;
/// Entries whose rows are kept.
const LAID: usize = 256;

actions! {
    /// What can be done in the conversation.
    ConversationAction in "conversation" {
        /// One row down.
        Down "down", "scroll down", "this screen";
        /// One row up.
        Up "up", "scroll up", "this screen";
        /// A page down.
        PageDown "page-down", "page down", "this screen";
        /// A page up.
        PageUp "page-up", "page up", "this screen";
        /// To the first message.
        Top "top", "to the beginning", "this screen";
        /// To the last row.
        Bottom "bottom", "to the end", "this screen";
        /// The previous message.
        Previous "previous", "previous message", "this screen";
        /// The next message.
        Next "next", "next message", "this screen";
        /// Fold or unfold.
        Fold "fold", "fold or unfold", "this screen";
        /// Look for a text.
        Search "search", "search", "this conversation";
        /// To the next older match.
        SearchNext "search-next", "next match", "this screen";
        /// To the next newer match.
        SearchPrevious "search-previous", "previous match", "this screen";
        /// Copy.
        Copy "copy", "copy the text", "the clipboard";
        /// Why a call was asked about or not.
        Why "why", "why asked, refused, or not", "shows more; decides nothing";
    }
}

/// The pane.
#[derive(Debug, Default)]
pub struct ConversationPane {
    log: Log,
    colours: Highlighter,
    glyphs: Option<Glyphs>,
    size: Size,
    top: Pos,
    /// Whether the last row is not followed.
    held: bool,
    cursor: Option<Pos>,
    /// What came, or went on, below what is on the screen since.
    unseen: BTreeSet<i64>,
    /// What came or went on since the last frame, with the rows that it had before.
    came: BTreeMap<i64, usize>,
    query: String,
    /// Which match is shown, and of how many there were when it was looked for.
    counted: Option<(usize, usize)>,
    laid: BTreeSet<i64>,
    asks: Vec<Ask>,
    asked: BTreeSet<BlobId>,
    history_asked: Option<Seq>,
    /// A message that is to be shown once it is here.
    sought: Option<TurnId>,
    /// The entry that the key for details opens, whose row names it.
    opener: Option<i64>,
    /// How far it was told when it was on the screen last.
    told: (Vec<i64>, i64),
    /// Rows of entries which are to be read before a yes, that were on the screen: how wide it was then, and what each said.
    read: BTreeMap<i64, (u16, BTreeMap<usize, String>)>,
}

impl ConversationPane {
    /// An empty conversation whose code is coloured.
    pub fn with_highlighter(colours: Highlighter) -> Self {
        Self { colours, ..Self::default() }
    }

    /// Puts older events before all that are here; what is on the screen stays where it is.
    pub fn prepend(&mut self, older: Vec<Stamped>) {
        self.log.prepend(older);
    }

    /// Colours the code that is seen.
    fn colour(&mut self) {
        let mut seen: BTreeMap<i64, Range<usize>> = BTreeMap::new();
        for pos in self.visible(usize::from(self.size.height)) {
            let rows = seen.entry(pos.key).or_insert(pos.row..pos.row);
            rows.end = pos.row + 1;
        }
        for (key, rows) in seen {
            if let Some(entry) = self.log.get_mut(key) {
                entry.colour(rows, &self.colours);
            }
        }
    }

    /// Whether something in it moves, so that the frame ticks.
    pub fn animated(&self) -> bool {
        self.log.runs()
    }

    /// Carries an action out.
    fn carry_out(&mut self, action: ConversationAction, ctx: &Ctx<'_>) -> Outcome {
        let page = i64::from(self.size.height.saturating_sub(2).max(1));
        match action {
            ConversationAction::Down => self.move_cursor(ctx, 1),
            ConversationAction::Up => self.move_cursor(ctx, -1),
            ConversationAction::PageUp => self.scroll(ctx, -page),
            ConversationAction::PageDown => self.scroll(ctx, page),
            ConversationAction::Top => {
                self.hold();
                self.top = Pos { key: self.log.first(), row: 0 };
                self.cursor = Some(self.top);
            }
            ConversationAction::Bottom => self.follow(),
            ConversationAction::Previous => self.message(ctx, -1),
            ConversationAction::Next => self.message(ctx, 1),
            ConversationAction::Fold => return self.fold_entry(ctx),
            ConversationAction::Search => {
                let question = "Search what is shown of the conversation";
                return Outcome::open(Prompt::sought(ID, Looking::Search, question));
            }
            ConversationAction::SearchNext => return self.search(ctx, -1, false),
            ConversationAction::SearchPrevious => return self.search(ctx, 1, false),
            ConversationAction::Copy => return self.copy(),
            ConversationAction::Why => return self.why(ctx),
        }
        self.settle(ctx);
        Outcome::none()
    }

    /// Looks for a text, case-insensitive unless it has a capital; an empty one ends the search.
    fn look_for(&mut self, query: String, ctx: &Ctx<'_>) -> Outcome {
        (self.query, self.counted) = (query, None);
        if self.query.is_empty() {
            self.settle(ctx);
            return Outcome::none();
        }
        self.search(ctx, -1, true)
    }

    /// The call under the cursor, or the last one, to be explained.
    fn why(&self, ctx: &Ctx<'_>) -> Outcome {
        match self.asked_about() {
            Some((request, then)) => Outcome::open(Reason::of(&request, then, "", ctx.session)),
            None => Outcome::notice("no rule applies here; select a command"),
        }
    }

    /// The call that is selected, else the last one, of which a rule says why it was asked about or not.
    fn asked_about(&self) -> Option<(Request, Option<Ruling>)> {
        let told = |key: i64| self.log.get(key).and_then(entry::Entry::asked);
        match self.cursor {
            Some(cursor) => told(cursor.key),
            None => (self.log.first()..self.log.end()).rev().find_map(told),
        }
    }

    fn width(&self) -> usize {
        usize::from(inside(Rect::from((ratatui::layout::Position::ORIGIN, self.size))).width)
    }

    /// Lays one entry out and asks for the text that it lacks.
    fn lay(&mut self, ctx: &Ctx<'_>, key: i64) -> usize {
        let env = Env {
            width: self.width(),
            glyphs: ctx.glyphs,
            colours: &self.colours,
            state: ctx.state,
            now: ctx.now,
            offset: ctx.surroundings.utc_offset_minutes,
            spinner: ctx.spinner,
            opens: ctx
                .keymap
                .key(frame::Action::Details)
                .filter(|_| self.opener == Some(key))
                .unwrap_or_default(),
        };
        let Some(entry) = self.log.get_mut(key) else { return 0 };
        entry.lay(&env);
        self.laid.insert(key);
        if let Some(blob) = entry.wants()
            && self.asked.insert(blob)
        {
            self.asks.push(Ask::Blob(blob));
        }
        self.log.get(key).map_or(0, entry::Entry::height)
    }

    /// Takes something in; entries that it adds come below what is held.
    fn take_in(&mut self, what: impl FnOnce(&mut Log)) {
        let before = self.log.end();
        what(&mut self.log);
        if self.held {
            self.came.extend((before..self.log.end()).map(|key| (key, 0)));
        }
    }

    fn want_history(&mut self) {
        let near = self.sought.is_some() || self.top.key - self.log.first() < 8;
        let Some(earliest) = self.log.earliest.filter(|s| near && s.0 > 1) else { return };
        if self.history_asked != Some(earliest) {
            self.history_asked = Some(earliest);
            self.asks.push(Ask::History { before: earliest, count: PAGE_EVENTS });
        }
    }

    fn forget_far(&mut self) {
        if self.laid.len() <= LAID {
            return;
        }
        let reach = i64::try_from(LAID / 4).unwrap_or(64);
        let near = self.top.key - reach..self.top.key + reach + i64::from(self.size.height);
        let far: Vec<i64> = self.laid.iter().copied().filter(|k| !near.contains(k)).collect();
        for key in far {
            self.laid.remove(&key);
            if let Some(entry) = self.log.get_mut(key) {
                entry.forget();
            }
        }
    }
}

impl Pane for ConversationPane {
    fn fold(&mut self, _state: &State, event: &Stamped) {
        self.take_in(|log| log.fold(event));
    }

    fn sent(&mut self) {
        self.follow();
    }

    fn told(&mut self, at: Millis, text: &str) {
        self.take_in(|log| log.told_besides(at, text));
    }

    fn heard_of(&mut self, at: Millis, text: &str) {
        self.take_in(|log| log.heard_of(at, text));
    }

    fn delta(&mut self, delta: &Delta) {
        if let Some(key) = self.log.delta(delta).filter(|_| self.held) {
            // Its rows are laid out with the next frame.
            let before = self.log.get(key).map_or(0, entry::Entry::height);
            self.came.entry(key).or_insert(before);
        }
    }

    fn answered(&mut self, reply: &Reply, _secrets: &Redactor) {
        if let Reply::History(events) = reply {
            self.prepend(events.clone());
        } else if let Reply::Blob(id, bytes) = reply
            && self.asked.remove(id)
        {
            let text = bytes.as_deref().map(String::from_utf8_lossy);
            for entry in self.log.iter_mut().filter(|e| e.wants() == Some(*id)) {
                entry.answered(text.as_deref());
            }
        }
    }

    fn asks(&mut self) -> Vec<Ask> {
        std::mem::take(&mut self.asks)
    }

    fn layout(&mut self, ctx: &Ctx<'_>, size: Size) {
        self.size = size;
        if self.glyphs != Some(*ctx.glyphs) {
            self.glyphs = Some(*ctx.glyphs);
            for entry in self.log.iter_mut() {
                entry.forget();
            }
        }
        self.seek_turn();
        self.settle(ctx);
        self.note_new(ctx);
        self.name_opener(ctx);
        self.colour();
        self.want_history();
        self.forget_far();
        self.told = self.log.untold();
    }

    /// Answers, questions, ends of runs and notices; of a plan the pane that shows it tells.
    fn news(&self) -> usize {
        self.log.news(&self.told)
    }

    fn render(&self, ctx: &Ctx<'_>, area: Rect, buf: &mut Buffer, focused: bool) {
        let area = area.intersection(buf.area);
        if self.log.first() == self.log.end() {
            let words = [
                "Nothing said yet.",
                "Ask about the code, or say what to change;",
                "nothing is written before you approve it.",
            ];
            return empty_state(ctx, area, buf, &words);
        }
        let inner = inside(area);
        for (y, pos) in (area.top()..area.bottom()).zip(self.visible(usize::from(area.height))) {
            let Some((row, caret)) = self.log.get(pos.key).and_then(|e| e.row(pos.row)) else { continue };
            row.paint(ctx.theme, buf, inner, y);
            if caret {
                let at = u16::try_from(row.width()).unwrap_or(u16::MAX).min(inner.width.saturating_sub(1));
                let place = Rect { x: inner.x + at, width: inner.width.min(1), ..inner };
                Row::of(ctx.glyphs.caret, Slot::Accent).paint(ctx.theme, buf, place, y);
            }
            underline(row, &self.query, inner, y, buf);
            if focused && self.cursor == Some(pos) {
                buf.set_style(Rect { y, height: 1, ..area }, ctx.theme.fill(Slot::Select));
            }
        }
        let unseen = self.unseen();
        if unseen > 0 && area.height > 0 {
            let text = format!(" {} {unseen} new ", ctx.glyphs.open);
            let row = Row::of(&text, Ink::of(Slot::Accent).bold()).on(Slot::Raised);
            let wide = u16::try_from(row.width()).unwrap_or(0).min(inner.width);
            let place = Rect { x: inner.right() - wide, width: wide, ..inner };
            row.paint(ctx.theme, buf, place, area.bottom() - 1);
        }
    }

    fn title(&self, ctx: &Ctx<'_>) -> Title {
        // In a draft End moves the caret, and in another pane what that pane shows.
        let ends = match ctx.focus {
            Focus::Composer => ctx.draft.is_empty(),
            Focus::Pane(id) => id == ID,
        };
        let right = if self.held {
            Row::of(if ends { "scrolled, End follows" } else { "scrolled" }, Slot::Soft)
        } else if self.animated() {
            let what = if ctx.state.answering().is_some() {
                " answering"
            } else if ctx.state.phase == Phase::Planning {
                " planning"
            } else {
                " working"
            };
            Row::of(ctx.glyphs.spin(ctx.spinner), Slot::Info).and(what, Slot::Info)
        } else {
            Row::new()
        };
        Title { left: "Conversation".to_owned(), right: right.line(ctx.theme) }
    }

    fn hints(&self, ctx: &Ctx<'_>, width: u16) -> Line<'static> {
        let opens = matches!(self.place_at(ctx.focus), Some(Ok(_)));
        let enter = ("Enter", if opens { "open" } else { "fold" });
        let mut keys = vec![("j/k", "scroll"), enter, ("[ ]", "message"), ("/", "search"), ("y", "copy")];
        keys.extend(self.asked_about().map(|_| ("w", "why")));
        let found = self.counted.map(|(at, of)| format!("match {at} of {of}"));
        if !self.query.is_empty() {
            keys.insert(0, ("n N", found.as_deref().unwrap_or("match")));
        }
        if self.held {
            keys.insert(0, ("End", "to the end"));
        }
        hint_line(ctx, &keys, width)
    }

    fn is_fresh(&self) -> bool {
        self.log.first() == self.log.end()
    }

    fn stand(&self, _ctx: &Ctx<'_>, _focused: bool) -> Stand {
        Stand::Left
    }

    fn tab(&self, _ctx: &Ctx<'_>) -> Option<String> {
        Some("Conversation".to_owned())
    }

    fn act(&mut self, action: Action, ctx: &Ctx<'_>) -> Outcome {
        ConversationAction::of(action).map_or_else(Outcome::none, |action| self.carry_out(action, ctx))
    }

    /// What is searched for is typed behind its key without a pause, and decides nothing.
    fn acts_at_once(&self, _letter: char, action: Option<Action>, _ctx: &Ctx<'_>) -> bool {
        action
            .and_then(ConversationAction::of)
            .is_some_and(|action| !matches!(action, ConversationAction::Copy | ConversationAction::Why))
    }

    fn meaning(&self, action: frame::Action) -> Option<Action> {
        let keys = [
            (frame::Action::Details, ConversationAction::Fold),
            (frame::Action::ScrollUp, ConversationAction::PageUp),
            (frame::Action::ScrollDown, ConversationAction::PageDown),
        ];
        keys.into_iter().find(|(key, _)| *key == action).map(|(_, meant)| meant.into())
    }

    fn wheel(&mut self, rows: i64, ctx: &Ctx<'_>) {
        self.scroll(ctx, rows);
        self.settle(ctx);
    }

    fn shows(&self, question: CheckpointId, bare: bool) -> bool {
        self.shows_plan(question, bare)
    }

    fn drew(&mut self, seen: bool, _ctx: &Ctx<'_>, _now: Instant) {
        if seen {
            self.note_read();
        }
    }

    fn open_output(&mut self, ctx: &Ctx<'_>) -> Outcome {
        self.last_output(ctx)
    }

    fn showed_card(&self, question: CheckpointId) -> bool {
        self.was_read(question)
    }

    fn show_turn(&mut self, turn: TurnId) -> bool {
        self.sought = Some(turn);
        true
    }

    fn typed(&mut self, line: String, ctx: &Ctx<'_>) -> Outcome {
        self.look_for(line, ctx)
    }
}

/// Text as it is drawn in a search prompt or a title.
fn shown(text: &str) -> String {
    Clean::line(text).into_string()
}

#[cfg(test)]
mod tests;
