//! The list of what waits for the user, with exactly what would happen and why it is asked.
//!
//! Owns which item is chosen and what an answer is bound to: the item, what was shown of it, and the rule that
//! stood beside the key. Opens on its key alone; a key that came before an item stood there answers nothing.

pub(crate) mod view;

use std::time::Instant;

use crossterm::event::{KeyCode, KeyEvent};
use pilothouse_core::{
    blob::BlobId,
    checkpoint::{Answer, Checkpoint},
    ids::CheckpointId,
    input::Input,
    intent::Slash,
    port::Ask,
    question::{Act, Choice, Place, Role},
    session::State,
};
use ratatui::buffer::Buffer;

use super::{Caret, Letter, Overlay, OverlayKind, Prompt, Reason, RuleOffer, Sheet, prompt::Purpose};
use crate::{
    bar,
    ctx::{Ctx, Outcome, TOO_EARLY},
    keymap::{self, Chord, Entry, action::actions},
    pane::{Focus, diff, plan::REVISE},
    reach::{rules, texts, trust_lets},
    standing::Standing,
    window::{RunRow, Then, WindowWish},
};

/// The line that asks about the folder.
const TRUST: &str = "/trust";

/// The list.
pub const KIND: OverlayKind = OverlayKind {
    entry: Entry { name: Action::TABLE, label: "approvals", reach: "opens a list; decides nothing" },
    command: Some(Slash::Approvals),
    actions: Action::ENTRIES,
    heading: "In the list of what waits",
    open: |_| Ok(Box::<Approvals>::default()),
};

actions! {
    /// What can be done in the list.
    Action in "approvals" {
        /// The next item.
        Down "down", "next item", "the choice";
        /// The previous item.
        Up "up", "previous item", "the choice";
        /// Open it: the diff, or the word that it wants.
        Open "open", "open it", "shows more; decides nothing";
        /// Allow it once.
        Once "once", "allow once", "this one, now";
        /// Allow commands like it for this session.
        Session "session", "allow for this session", "the rule shown beside it, until you leave";
        /// Allow commands like it for good.
        Rule "rule", "a rule for good", "shows the rule and what it matches first";
        /// Trust the folder, where it is asked for want of that.
        Trust "trust", "trust this folder", "asks about the folder; what it brings is shown first";
        /// Change the command.
        Edit "edit", "edit the command", "judged again after your edit";
        /// Deny it with a reason.
        Deny "deny", "deny, with a reason", "this one; the agent is told why";
        /// Why it is asked.
        Why "why", "why it is asked", "shows more; decides nothing";
        /// Back; everything stays pending.
        Back "back", "close (stays pending)", "nothing";
    }
}

/// Told where something is agreed to that was not on the screen to its end.
const NOT_READ: &str = "its end has not been on the screen yet: PgDn shows it";

/// Told where more of an item is wanted than there is.
const ALL_HERE: &str = "all of it is shown here; the keys below answer it";

/// What stands in the list: the item, the hash of what is shown of it, and the rules beside the key.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Listed {
    id: CheckpointId,
    shown: Option<BlobId>,
    rules: Vec<String>,
}

impl Listed {
    /// What stands in the list of an item; no rules where there is no room to show them.
    fn of(item: &Checkpoint, ctx: &Ctx<'_>) -> Self {
        let policy = ctx.session.policy();
        let rules = rules(item, ctx.state, policy).map(|r| texts(&r)).unwrap_or_default();
        let rules = if view::fits(item, ctx) { rules } else { Vec::new() };
        Self { id: item.id, shown: item.kind.shown(), rules }
    }
}

/// The list of what waits.
#[derive(Debug, Default)]
pub struct Approvals {
    chosen: Option<CheckpointId>,
    /// The chosen item as it was drawn, and since when.
    drawn: Standing<Listed>,
    /// Whether a question of another session is chosen, and which.
    beside: Option<usize>,
    /// How far what is longer than its room is turned on.
    turned: view::Turned,
    /// The chosen item, once its end stood on the screen.
    read: Option<(CheckpointId, Option<BlobId>)>,
    /// Whether the question about the folder was called for: it is chosen once it stands.
    trusts: bool,
}

impl Approvals {
    /// The chosen item; while none is, or it is gone, the one that the bar names.
    fn chosen<'a>(&self, state: &'a State) -> Option<&'a Checkpoint> {
        let about_folder = |item: &&Checkpoint| state.spec(item).about_folder;
        let called = self.trusts.then(|| state.open.values().find(about_folder)).flatten();
        let named = || bar::shown(state).and_then(|id| state.open.get(&id));
        called.or_else(|| state.open.get(&self.chosen?)).or_else(named).or_else(|| state.open.values().next())
    }

    /// The chosen item, while none of another session is.
    fn item<'a>(&self, ctx: &Ctx<'a>) -> Option<&'a Checkpoint> {
        self.chosen(ctx.state).filter(|_| self.other(ctx).is_none())
    }

    /// The place of the chosen question of another session; the first where this one has none.
    fn other(&self, ctx: &Ctx<'_>) -> Option<usize> {
        let last = view::beside(ctx).count().checked_sub(1)?;
        self.beside.or(ctx.state.open.is_empty().then_some(0)).map(|at| at.min(last))
    }

    /// A question of another session is answered there: nothing here does.
    fn elsewhere(&mut self, action: Action, at: usize, ctx: &Ctx<'_>) -> Outcome {
        match action {
            Action::Down => self.beside = Some(at + 1),
            Action::Up if at == 0 && ctx.state.open.is_empty() => {}
            Action::Up => self.beside = at.checked_sub(1),
            Action::Open => {
                let number = view::beside(ctx).nth(at).and_then(RunRow::number);
                let shown = number.map(|n| WindowWish::Show(n, Then::Approvals));
                return Outcome { window: shown, ..Outcome::none() }.and_close();
            }
            Action::Back => return Outcome::close(),
            Action::Once
            | Action::Session
            | Action::Rule
            | Action::Trust
            | Action::Edit
            | Action::Deny
            | Action::Why => {
                return Outcome::notice("it belongs to another session; Enter goes there");
            }
        }
        Outcome::none()
    }

    fn carry_out(&mut self, action: Action, item: &Checkpoint, ctx: &Ctx<'_>) -> Outcome {
        let reads = matches!(action, Action::Down | Action::Up | Action::Open | Action::Why | Action::Back);
        if let Some(why) = ctx.only_reads().filter(|_| !reads) {
            return Outcome::complaint(why);
        }
        match action {
            Action::Open if ctx.only_reads().is_some() => self.choose(item, Role::Look, ctx),
            Action::Down | Action::Up => self.step(action == Action::Down, item.id, ctx),
            Action::Open if ctx.state.spec(item).wants_word().is_some() => self.choose(item, Role::Take, ctx),
            Action::Open => self.choose(item, Role::Look, ctx),
            Action::Once => self.choose(item, Role::Take, ctx),
            Action::Session => self.for_session(item, ctx),
            Action::Rule => match RuleOffer::of(item, ctx.session) {
                Ok(offer) => Outcome { asks: vec![offer.rehearsal()], ..Outcome::open(offer) },
                Err(why) => Outcome::notice(format!("no rule possible: {why}")),
            },
            Action::Why => match Reason::of_question(item, ctx.session) {
                Some(reason) => Outcome::open(reason),
                None => Outcome::notice("no rule applies: it always asks"),
            },
            Action::Trust if trust_lets(item, ctx.state, ctx.session.policy()) => {
                self.trusts = true;
                Outcome::input(Input::Say { text: TRUST.to_owned(), seen: ctx.state.seq })
            }
            Action::Trust => Outcome::notice("that would not be enough: it asks in a trusted folder too"),
            Action::Edit => Outcome { change_command: Some(item.id), ..Outcome::none() },
            Action::Deny => self.choose(item, Role::Deny, ctx),
            Action::Back => Outcome::close(),
        }
    }

    fn step(&mut self, down: bool, from: CheckpointId, ctx: &Ctx<'_>) -> Outcome {
        let ids: Vec<CheckpointId> = ctx.state.open.keys().copied().collect();
        let at = ids.iter().position(|id| *id == from).unwrap_or_default();
        let to = if down { at + 1 } else { at.wrapping_sub(1) };
        if to == ids.len() && view::beside(ctx).next().is_some() {
            self.beside = Some(0);
            return Outcome::none();
        }
        self.chosen = ids.get(to).copied().or(Some(from));
        self.trusts = false;
        if let Some(item) = self.chosen(ctx.state) {
            self.drawn.moved(Listed::of(item, ctx));
        }
        Outcome::none()
    }

    /// What `answer` makes of the item, if that stood there long enough before the key was pressed.
    fn stood(&self, item: &Checkpoint, ctx: &Ctx<'_>, answer: impl FnOnce(Listed) -> Outcome) -> Outcome {
        let listed = Listed::of(item, ctx);
        if ctx.stood(&self.drawn, &listed) { answer(listed) } else { Outcome::complaint(TOO_EARLY) }
    }

    /// The same of an answer that lets something happen: nothing is agreed to whose end was never on the screen.
    fn stood_whole(
        &self,
        item: &Checkpoint,
        ctx: &Ctx<'_>,
        answer: impl FnOnce(Listed) -> Outcome,
    ) -> Outcome {
        let read = self.read == Some((item.id, item.kind.shown()));
        if !read && ctx.state.spec(item).sheet().is_none() {
            return Outcome::complaint(NOT_READ);
        }
        self.stood(item, ctx, answer)
    }

    /// What the choice with this part does; where there is none, the item is answered elsewhere.
    fn choose(&self, item: &Checkpoint, role: Role, ctx: &Ctx<'_>) -> Outcome {
        let spec = ctx.state.spec(item);
        match (spec.choice(role).map(|c| &c.act), spec.place) {
            (Some(Act::Give(answer)), _) if role == Role::Deny => {
                self.stood(item, ctx, |listed| Outcome::answer(listed.id, answer.clone()))
            }
            (Some(Act::Give(answer)), _) => {
                self.stood_whole(item, ctx, |listed| Outcome::answer(listed.id, answer.clone()))
            }
            (Some(Act::Word(word)), _) => {
                self.stood_whole(item, ctx, |listed| Outcome::open(Prompt::word(listed.id, &spec, word)))
            }
            (Some(Act::Reason), _) => self.stood(item, ctx, |listed| {
                let question = "Deny it; tell the agent why, or just Enter";
                Outcome::open(Prompt::new(Purpose::Deny(listed.id), question, None))
            }),
            (Some(Act::Look(sheet)), _) => {
                Outcome { asks: vec![Ask::Blob(*sheet)], ..Outcome::open(Sheet::new(*sheet)) }
            }
            (None, _) if role == Role::Deny && item.kind.is_confirmation() => self.reject(item, ctx),
            (Some(Act::Diff), _) | (_, Place::Diff) => to_diff(),
            (Some(Act::Say(_)), _) | (_, Place::Composer) => to_composer(),
            (None, Place::List) if role == Role::Look => Outcome::notice(ALL_HERE),
            (Some(Act::Nothing) | None, Place::List) => Outcome::none(),
        }
    }

    /// The choice of a question for the composer whose key of the bar a letter is; `q` goes back here.
    fn lettered<'a>(&self, letter: char, ctx: &Ctx<'a>) -> Option<(Choice, &'a Checkpoint)> {
        let item = self.item(ctx)?;
        let spec = ctx.state.spec(item);
        let most = spec.numbered();
        let there = |n: u32| usize::try_from(n).is_ok_and(|n| (1..=most).contains(&n));
        if spec.place != Place::Composer || letter == 'q' {
            return None;
        }
        let choice = spec.choices.into_iter().find(|c| c.role == Role::Other && c.has_key(letter))?;
        let numbered = !spec.options.is_empty() && letter.is_ascii_digit();
        (!numbered || letter.to_digit(10).is_some_and(there)).then_some((choice, item))
    }

    /// A letter answers as it does in the plan; what wants words is said in the composer.
    fn letter(&self, letter: char, ctx: &Ctx<'_>) -> Outcome {
        let Some((choice, item)) = self.lettered(letter, ctx) else { return Outcome::none() };
        if let Some(why) = ctx.only_reads() {
            return Outcome::complaint(why);
        }
        match (item.kind.read(&letter.to_string()), choice.act) {
            (Some(Answer::Reject(_)), _) if item.kind.is_confirmation() => self.reject(item, ctx),
            (Some(answer @ (Answer::Reject(_) | Answer::Abort | Answer::Skip)), _) => {
                self.stood(item, ctx, |listed| Outcome::answer(listed.id, answer))
            }
            (Some(answer), _) => self.stood_whole(item, ctx, |listed| Outcome::answer(listed.id, answer)),
            (None, Act::Say(how)) => {
                let how = item.kind.question().asks_for_words(&letter.to_string()).unwrap_or(how);
                Outcome { notice: Some(how.to_owned()), ..to_composer() }
            }
            (None, _) => to_composer(),
        }
    }

    /// No to a plan: what should change is said next.
    fn reject(&self, plan: &Checkpoint, ctx: &Ctx<'_>) -> Outcome {
        self.stood(plan, ctx, |listed| {
            let rejected = Outcome::answer(listed.id, Answer::Reject(String::new())).and_close();
            let notice = Some(REVISE.to_owned());
            Outcome { focus: Some(Focus::Composer), notice, ..rejected }
        })
    }

    /// Allows the rule that stands beside the key until the session ends.
    fn for_session(&self, item: &Checkpoint, ctx: &Ctx<'_>) -> Outcome {
        if let Err(why) = rules(item, ctx.state, ctx.session.policy()) {
            return Outcome::notice(format!("not for this session: {why}"));
        }
        self.stood_whole(item, ctx, |listed| {
            if listed.rules.is_empty() {
                return Outcome::complaint("the screen is too small to show what that would allow");
            }
            Outcome::answer(listed.id, Answer::Grant { rules: listed.rules, lasting: false })
        })
    }
}

impl Overlay for Approvals {
    fn name(&self) -> &'static str {
        KIND.entry.name
    }

    fn render(&self, ctx: &Ctx<'_>, buf: &mut Buffer) -> Caret {
        view::render(self.item(ctx), self.other(ctx), &self.turned, ctx, buf);
        None
    }

    fn drew(&mut self, top: bool, ctx: &Ctx<'_>, now: Instant) {
        let item = self.item(ctx).filter(|_| top);
        let listed = item.map(|item| Listed::of(item, ctx));
        let drawn = listed.as_ref().map(|listed| (listed.id, listed.shown));
        if drawn.is_some() && (self.turned.shows_the_end() || self.read != drawn) {
            self.read = drawn.filter(|_| self.turned.shows_the_end());
        }
        self.drawn.drew(listed, now);
    }

    fn covered(&mut self) {
        self.drawn = Standing::default();
    }

    fn is_over(&self, ctx: &Ctx<'_>) -> bool {
        ctx.state.open.is_empty() && view::beside(ctx).next().is_none()
    }

    fn answers(&self, letter: char, ctx: &Ctx<'_>) -> bool {
        self.lettered(letter, ctx).is_some()
    }

    fn weighs(&self, letter: char, action: Option<keymap::Action>, ctx: &Ctx<'_>) -> Option<Letter> {
        let action = action.and_then(Action::of);
        let moves = matches!(action, Some(Action::Down | Action::Up));
        Some(match action.is_some() || letter.is_ascii_digit() || self.answers(letter, ctx) {
            false => Letter::Strange,
            true if moves && !self.answers(letter, ctx) => Letter::Moves,
            true => Letter::Acts,
        })
    }

    fn key(&mut self, key: KeyEvent, ctx: &Ctx<'_>) -> Option<Outcome> {
        if matches!(key.code, KeyCode::PageDown | KeyCode::PageUp) {
            self.turned.turn(key.code == KeyCode::PageDown);
            return Some(Outcome::none());
        }
        let letter = Chord::of(key).letter().filter(|letter| self.answers(*letter, ctx))?;
        Some(self.letter(letter, ctx))
    }

    fn act(&mut self, action: keymap::Action, ctx: &Ctx<'_>) -> Outcome {
        let Some(action) = Action::of(action) else { return Outcome::none() };
        if matches!(action, Action::Down | Action::Up) {
            self.turned = view::Turned::default();
        }
        if let Some(at) = self.other(ctx) {
            return self.elsewhere(action, at, ctx);
        }
        let Some(item) = self.chosen(ctx.state) else { return Outcome::close() };
        self.carry_out(action, item, ctx)
    }
}

fn to_diff() -> Outcome {
    Outcome::focus(Focus::Pane(diff::ID)).and_close()
}

/// The question wants words.
fn to_composer() -> Outcome {
    Outcome::focus(Focus::Composer).and_close()
}
