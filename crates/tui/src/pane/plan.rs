//! The plan: its tasks, gates and where they stand.
//!
//! Owns the cursor, the scroll and the open details. Never changes the session.

mod action;
mod draw;
mod edit;
mod read;
mod room;
mod rows;
mod step;

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Instant,
};

use pilothouse_core::{
    checkpoint::{Answer, Checkpoint},
    digest::diagnoses,
    event::{Event, Proof, Stamped},
    ids::{CheckpointId, GateId, Millis, RunId, TaskId},
    input::Input,
    intent::{Phase, Slash},
    money::Spell,
    plan::{Gate, GateStatus, Revision, TaskStatus},
    question::Act,
    session::State,
};
use ratatui::{
    buffer::Buffer,
    layout::{Rect, Size},
    text::Line,
};

pub(crate) use self::rows::{beyond, finished};
pub use self::{action::PlanAction, rows::breadcrumb};
use self::{
    room::Away,
    rows::{Item, Target, Version},
};
use super::{Ctx, Errand, Focus, Outcome, Pane, PaneId, PaneKind, Stand, Title, diff, hint_line, inside};
use crate::{
    ctx::Wanted,
    frame,
    keymap::Action,
    overlay::{Told, reason::Reason, why},
    row::Row,
    theme::Slot,
};

/// Said after a no to a plan: the next line is what should change.
pub(crate) const REVISE: &str = "rejected – say what to change; Enter sets it aside";

/// Said where nothing is chosen that it could be about.
const CHOOSE: &str = "choose a step of the plan first";

/// The plan's name.
pub const ID: PaneId = PaneId("plan");

/// The plan.
pub const KIND: PaneKind = PaneKind {
    id: ID,
    command: Some(Slash::Plan),
    actions: PlanAction::ENTRIES,
    make: |_| Box::new(PlanPane::new()),
};

/// The pane.
#[derive(Debug, Default)]
pub struct PlanPane {
    items: Vec<Item>,
    footer: Row,
    /// What stays in sight above the footer, where not all has room.
    pinned: Vec<Row>,
    offset: usize,
    /// What stands where something goes on, as it was drawn last.
    ellipsis: &'static str,
    /// Position among the items that can be chosen.
    cursor: usize,
    /// Which step of the next version is to be chosen, and of which version that was made.
    follows: Option<(usize, u32)>,
    size: Size,
    open: BTreeSet<Target>,
    proofs: BTreeMap<GateId, (Millis, Proof)>,
    began: Option<(RunId, Millis)>,
    /// How long the plan's last run took.
    took: Option<Spell>,
    /// The version that is in the editor, and its text where that is the plan as it stands.
    editing: Option<(u32, Option<String>)>,
    /// Before how many of the steps of which version the one stands that is asked for.
    adding: Option<(usize, u32)>,
    /// What the user made of a version in the editor, until there is another.
    written: Option<(u32, String)>,
    /// The earlier version that is looked at.
    back: Option<u32>,
    /// What the version that is drawn changed, and which that is.
    revision: Option<(u32, Revision)>,
    /// What goes beyond what was asked for, where a yes allows it.
    beyond: Vec<Row>,
    /// The rows of the plan that a yes covers and that stood on the screen last, and which of them did.
    read: Option<(Vec<Row>, BTreeSet<usize>)>,
    /// The plan that was done and committed: once something else is said it stands in no room of its own.
    away: Away,
}

impl PlanPane {
    /// Nothing selected.
    pub fn new() -> Self {
        Self::default()
    }

    /// Carries an action out.
    fn carry_out(&mut self, action: PlanAction, ctx: &Ctx<'_>) -> Outcome {
        let last = self.items.iter().filter(|i| i.target.is_some()).count().saturating_sub(1);
        if action.weight().decides() && self.back.take().is_some() {
            return Outcome::notice("this is the current plan; you were looking at an earlier version");
        }
        match action {
            PlanAction::Down => self.step_on(),
            PlanAction::Up => self.step_back(),
            PlanAction::PageDown => self.page(Self::step_on),
            PlanAction::PageUp => self.page(Self::step_back),
            PlanAction::Top => (self.cursor, self.offset) = (0, 0),
            PlanAction::Bottom => (self.cursor, self.offset) = (last, self.items.len()),
            PlanAction::Detail => match self.chosen() {
                Some((_, Target::Proposal(_))) => return to_diff(),
                Some((_, Target::Place(gate, n))) => return self.to_place(gate, n),
                Some((_, target)) if self.open.remove(&target) => {}
                Some((_, target)) => {
                    self.open.insert(target);
                }
                None => {}
            },
            PlanAction::Approve => return answer(ctx, Answer::Approve),
            PlanAction::Reject => {
                let mut outcome = answer(ctx, Answer::Reject(String::new()));
                if !outcome.inputs.is_empty() {
                    (outcome.focus, outcome.notice) = (Some(Focus::Composer), Some(REVISE.to_owned()));
                }
                return outcome;
            }
            PlanAction::Edit => return self.edit(ctx),
            PlanAction::Remove => {
                return self.reorder(ctx, |order, at| {
                    order.remove(at);
                });
            }
            PlanAction::MoveDown => {
                return self.reorder(ctx, |order, at| {
                    let last = order.len().saturating_sub(1);
                    order.swap(at, (at + 1).min(last));
                });
            }
            PlanAction::MoveUp => return self.reorder(ctx, |order, at| order.swap(at, at.saturating_sub(1))),
            PlanAction::Pause => return self.pause(ctx),
            PlanAction::Earlier => return self.earlier(ctx),
            PlanAction::Candidate => return Self::candidate(ctx),
            PlanAction::AddBelow => return self.add(ctx, 1),
            PlanAction::AddAbove => return self.add(ctx, 0),
            PlanAction::OpenDiff => return to_diff(),
            PlanAction::Why => return self.why(ctx),
            PlanAction::Rerun => {
                let outcome = self.step().map(|step| Outcome::input(Input::Rerun(step)));
                return outcome.unwrap_or_else(|| Outcome::notice(CHOOSE));
            }
            PlanAction::RunGate => return Self::run_gate(ctx),
        }
        self.settle();
        Outcome::none()
    }

    /// Looks at the version before the one that is drawn; behind the first comes the plan as it is.
    fn earlier(&mut self, ctx: &Ctx<'_>) -> Outcome {
        let Some(version) = rows::version_of(ctx.state, self.back) else { return Outcome::none() };
        if version.before.is_none() && version.now.is_none() {
            return Outcome::notice("this is the first version of the plan");
        }
        self.back = version.before.map(|p| p.version);
        (self.cursor, self.offset) = (0, 0);
        Outcome::none()
    }

    /// Wants the next of the plans that were made beside each other.
    fn candidate(ctx: &Ctx<'_>) -> Outcome {
        let all = ctx.state.candidates().len();
        let number = ctx.state.plan.as_ref().and_then(|p| ctx.state.candidate_number(p));
        if all < 2 {
            return Outcome::notice("no other plans were made; /plan candidates 3 TASK makes up to three");
        }
        Outcome::input(Input::say(format!("/plan take {}", number.unwrap_or_default() % all + 1)))
    }

    /// Wants to see where a gate found something wrong.
    fn to_place(&self, gate: GateId, n: usize) -> Outcome {
        let found =
            self.proofs.get(&gate).map(|(_, proof)| diagnoses(&proof.diagnostics)).unwrap_or_default();
        let place = found.into_iter().nth(n).map(|d| Wanted { place: d.place, editor: false });
        Outcome { place, ..Outcome::none() }
    }

    /// Why what is selected is asked about; of a red gate, why it is red.
    fn why(&self, ctx: &Ctx<'_>) -> Outcome {
        let (gate, proposal) = match self.chosen().map(|(_, target)| target) {
            Some(Target::Gate(id) | Target::Place(id, _)) => (Some(id), None),
            Some(Target::Proposal(id)) => (None, Some(id)),
            // A step is there for what was asked; of a plan that waits it is told why it does.
            Some(Target::Task(_)) | None => {
                let waits = ctx.state.open.values().find(|c| c.kind.is_confirmation());
                let reason = waits.and_then(|item| Reason::of_question(item, ctx.session));
                return reason.map_or_else(|| Outcome::run(why::KIND.action()), Outcome::open);
            }
        };
        if let Some(id) = proposal {
            return Reason::page_of_change(id, ctx);
        }
        let plan = rows::plan_of(ctx.state).map(|(plan, _)| plan);
        let red = |gate: &&Gate| matches!(gate.status, GateStatus::Failed(_));
        let red = gate.and_then(|id| plan?.gate(id)).filter(red);
        if let Some((_, proof)) = red.and_then(|gate| self.proofs.get(&gate.id)) {
            let exit = proof.exit.code.map_or("it was stopped".to_owned(), |code| format!("exit {code}"));
            let text = format!("{}\n{exit}\n\n{}", proof.command, proof.diagnostics);
            return Outcome::open(Told::output("Why the gate is red", &text));
        }
        let asks = |c: &&Checkpoint| c.kind.command().is_some_and(|c| c.gate == gate);
        Reason::page(ctx.state.open.values().find(asks), ctx)
    }

    /// The step under the cursor.
    fn step(&self) -> Option<TaskId> {
        match self.chosen()?.1 {
            Target::Task(id) => Some(id),
            Target::Gate(_) | Target::Proposal(_) | Target::Place(..) => None,
        }
    }

    fn footer_rows(&self) -> u16 {
        u16::from(self.size.height >= 4 && !self.footer.pieces.is_empty())
    }

    fn chosen(&self) -> Option<(usize, Target)> {
        let mut targets = self.items.iter().enumerate().filter_map(|(n, i)| Some((n, i.target?)));
        targets.clone().nth(self.cursor).or_else(|| targets.next_back())
    }
}

impl Pane for PlanPane {
    #[expect(clippy::wildcard_enum_match_arm, reason = "everything else is read from the state")]
    fn fold(&mut self, state: &State, event: &Stamped) {
        self.note_away(state, &event.event);
        match &event.event {
            Event::TaskCompleted { task, .. } => {
                self.open.remove(&Target::Task(*task));
            }
            Event::PlanReady { plan } => {
                self.follows = self.follows.filter(|(_, of)| plan.version == of + 1);
                self.proofs.clear();
                self.open.clear();
                (self.back, self.revision, self.written) = (None, None, None);
                (self.cursor, self.offset, self.took) = (0, 0, None);
            }
            Event::RunStarted { run, turn, .. } if rows::is_of_plan(state, *turn) => {
                self.began = Some((*run, event.at));
            }
            Event::RunCompleted { run, came_to, .. } => {
                if let Some((_, began)) = self.began.filter(|(id, _)| id == run) {
                    // Old logs do not tell what was waited.
                    let worked = Millis(event.at.0.saturating_sub(began.0));
                    let whole = Spell { worked, ..Spell::default() };
                    self.took = Some(came_to.as_ref().map_or(whole, |facts| facts.spell()));
                }
            }
            Event::GatePassed { gate, proof, .. } | Event::GateFailed { gate, proof, .. } => {
                self.proofs.insert(*gate, (event.at, proof.clone()));
            }
            _ => {}
        }
    }

    fn layout(&mut self, ctx: &Ctx<'_>, size: Size) {
        self.size = size;
        let width = usize::from(inside(Rect::from((ratatui::layout::Position::ORIGIN, size))).width);
        let drawn = match rows::version_of(ctx.state, self.back) {
            Some(version) => {
                let shown = version.plan.version;
                let kept = self.revision.take().filter(|(of, _)| *of == shown);
                let work = || version.before.map(|old| Revision::of(version.plan, old)).unwrap_or_default();
                let (_, revision) = self.revision.insert(kept.unwrap_or_else(|| (shown, work())));
                let drawn =
                    |whole| rows::items(ctx, (version, revision), (width, whole), &self.open, &self.proofs);
                // What is done leaves its room to what is not, where there is none to spare.
                let all = drawn(true);
                if all.height() < usize::from(size.height) { all } else { drawn(false) }
            }
            None => rows::Drawn::default(),
        };
        self.arrange(drawn, rows::footer(ctx, width, self.took), width, ctx);
        self.follow(ctx);
        self.settle();
        self.show_work(ctx);
    }

    fn render(&self, ctx: &Ctx<'_>, area: Rect, buf: &mut Buffer, focused: bool) {
        self.draw(ctx, area, buf, focused);
    }

    fn title(&self, ctx: &Ctx<'_>) -> Title {
        let Some((plan, active)) = rows::plan_of(ctx.state) else {
            return Title { left: "Plan".to_owned(), right: Line::default() };
        };
        let version = match rows::version_of(ctx.state, self.back) {
            Some(Version { plan, now: Some(now), .. }) => format!("v{} of {now} ", plan.version),
            Some(Version { plan, .. }) if plan.version > 1 => format!("v{} ", plan.version),
            Some(_) | None => String::new(),
        };
        let name = Row::of("Plan ", Slot::Text).and(&version, Slot::Text).and(ctx.glyphs.dot, Slot::Text);
        let left = name.and(" ", Slot::Text).and(&crate::row::uncoded(&plan.title), Slot::Text).text();
        let right = match (active, rows::finished(plan)) {
            (true, _) => Row::of(&rows::progress(plan), Slot::Soft),
            (false, true) => rows::ended(plan),
            (false, false) => Row::of("paused", Slot::Warn),
        };
        Title { left, right: right.line(ctx.theme) }
    }

    fn hints(&self, ctx: &Ctx<'_>, width: u16) -> Line<'static> {
        if self.items.is_empty() {
            return Line::default();
        }
        let mut keys = Vec::new();
        let decides = self.back.is_none() && ctx.only_reads().is_none();
        // An earlier version is only looked at.
        if decides && confirmation(ctx).is_some() {
            let kept = ctx.state.plan.as_ref().is_some_and(|plan| self.mended(plan).is_some());
            let edit = if kept { "fix your text" } else { "edit" };
            keys.extend([("y", "run the plan"), ("n", "change it"), ("e", edit), ("b", "pause")]);
        }
        if decides && confirmation(ctx).is_some() && ctx.state.candidates().len() > 1 {
            keys.push(("c", "next plan"));
        }
        if rows::version_of(ctx.state, self.back).is_some_and(|v| v.before.is_some() || v.now.is_some()) {
            keys.push(("v", "versions"));
        }
        keys.extend([("j/k", "step"), ("Enter", "detail")]);
        let done = |id| rows::plan_of(ctx.state).and_then(|(p, _)| p.task(id)).map(|t| t.status);
        let rests = ctx.state.phase == Phase::Idle && decides;
        let done = self.step().and_then(done);
        if rests && matches!(done, Some(TaskStatus::Done | TaskStatus::TakenBack)) {
            keys.push(("r", "run it again"));
        }
        if ctx.state.open_proposals().next().is_some() {
            keys.push(("D", "diff"));
        }
        hint_line(ctx, &keys, width)
    }

    fn stand(&self, ctx: &Ctx<'_>, focused: bool) -> Stand {
        let rows = rows::plan_of(ctx.state).map(|(p, _)| rows::least(p, ctx.state));
        match (rows.map(|rows| u16::try_from(rows).unwrap_or(u16::MAX)), focused) {
            (None, false) => Stand::Hidden,
            (None, true) => Stand::Right(8),
            (Some(_), false) if self.away == Away::Gone => Stand::Hidden,
            (Some(rows), _) => Stand::Right(rows),
        }
    }

    fn tab(&self, ctx: &Ctx<'_>) -> Option<String> {
        let (plan, _) = rows::plan_of(ctx.state)?;
        Some(format!("Plan {}", rows::progress(plan)))
    }

    fn act(&mut self, action: Action, ctx: &Ctx<'_>) -> Outcome {
        let Some(action) = PlanAction::of(action) else { return Outcome::none() };
        if let Some(why) = ctx.only_reads().filter(|_| action.weight().decides()) {
            return Outcome::complaint(why);
        }
        if matches!(action, PlanAction::Approve | PlanAction::Reject) {
            let Some(question) = ctx.state.phase_question() else { return Outcome::none() };
            // What should change is asked for at once, of a plan that was not read as well.
            let changes = action == PlanAction::Reject && self.is_unread(question);
            if !changes && !ctx.stood(ctx.asked, &question.id) {
                return self.not_yet(question);
            }
            if !question.kind.is_confirmation() {
                let letter = if action == PlanAction::Approve { 'y' } else { 'n' };
                return self.letter(letter, ctx);
            }
        }
        self.carry_out(action, ctx)
    }

    fn answers(&self, letter: char, ctx: &Ctx<'_>) -> bool {
        let asked = ctx.state.phase_question().filter(|q| !q.kind.is_confirmation());
        ctx.only_reads().is_none()
            && asked.is_some_and(|q| q.kind.choices().iter().any(|c| c.has_key(letter)))
    }

    /// A single letter answers the question in the bar, when it is one of its keys.
    fn letter(&mut self, letter: char, ctx: &Ctx<'_>) -> Outcome {
        let Some(question) = ctx.state.phase_question() else { return Outcome::none() };
        let Some(choice) = question.kind.choices().into_iter().find(|c| c.has_key(letter)) else {
            return Outcome::none();
        };
        match question.kind.read(&letter.to_string()) {
            None => match choice.act {
                Act::Say(_) if question.kind.is_at_plan() => self.edit(ctx),
                Act::Say(how) => {
                    let how = question.kind.question().asks_for_words(&letter.to_string()).unwrap_or(how);
                    Outcome { focus: Some(Focus::Composer), notice: Some(how.to_owned()), ..Outcome::none() }
                }
                Act::Give(_) | Act::Word(_) | Act::Reason | Act::Diff | Act::Look(_) | Act::Nothing => {
                    Outcome::none()
                }
            },
            Some(answer) if ctx.stood(ctx.asked, &question.id) => Outcome::answer(question.id, answer),
            Some(_) => self.not_yet(question),
        }
    }

    fn takes(&self, letter: char, ctx: &Ctx<'_>) -> bool {
        let asked = ctx.state.phase_question();
        asked.is_some_and(|q| q.kind.choices().iter().any(|c| c.has_key(letter)))
    }

    fn acts_at_once(&self, letter: char, action: Option<Action>, ctx: &Ctx<'_>) -> bool {
        let place = || matches!(self.chosen(), Some((_, Target::Place(..))));
        let opens = |action| action == PlanAction::Why || action == PlanAction::Detail && place();
        let looks = |action: PlanAction| !action.weight().decides() && !opens(action);
        action.and_then(PlanAction::of).is_some_and(looks) && !self.takes(letter, ctx)
    }

    /// One step a notch: what is chosen stays on the screen.
    fn wheel(&mut self, rows: i64, ctx: &Ctx<'_>) {
        let _ = self.carry_out(if rows < 0 { PlanAction::Up } else { PlanAction::Down }, ctx);
    }

    fn errand(&self, state: &State) -> Option<Errand> {
        let asked = state.phase_question()?;
        Some(if asked.kind.is_confirmation() { Errand::Plan } else { Errand::Question(asked.id) })
    }

    fn shows(&self, _question: CheckpointId, bare: bool) -> bool {
        self.size.height > 0 && !self.items.is_empty() && self.back.is_none() && self.shows_gates(bare)
    }

    fn drew(&mut self, seen: bool, ctx: &Ctx<'_>, _now: Instant) {
        let waits = || ctx.state.open.values().any(|question| question.kind.is_confirmation());
        if seen && self.back.is_none() && waits() {
            self.note_gates();
        }
    }

    fn typed(&mut self, line: String, ctx: &Ctx<'_>) -> Outcome {
        self.named(line.trim(), ctx)
    }

    fn edited(&mut self, text: std::io::Result<String>) -> Outcome {
        self.take_back(text)
    }

    /// With nothing to scroll here, the page keys are the main pane's.
    fn meaning(&self, action: frame::Action) -> Option<Action> {
        let goes = self.items.len() > self.height();
        let keys = [
            (frame::Action::Details, PlanAction::Detail, true),
            (frame::Action::ScrollUp, PlanAction::PageUp, goes),
            (frame::Action::ScrollDown, PlanAction::PageDown, goes),
        ];
        keys.into_iter().find(|(key, _, acts)| *key == action && *acts).map(|(_, meant, _)| meant.into())
    }
}

fn to_diff() -> Outcome {
    Outcome::focus(Focus::Pane(diff::ID))
}

fn at_plan(ctx: &Ctx<'_>) -> bool {
    ctx.state.phase_question().is_some_and(|c| c.kind.is_at_plan())
}

fn confirmation(ctx: &Ctx<'_>) -> Option<pilothouse_core::ids::CheckpointId> {
    ctx.state.open.values().find(|c| c.kind.is_confirmation()).map(|c| c.id)
}

fn answer(ctx: &Ctx<'_>, answer: Answer) -> Outcome {
    match confirmation(ctx) {
        Some(checkpoint) => {
            let shown = ctx.state.open.get(&checkpoint).and_then(|c| c.kind.shown());
            Outcome::input(Input::Answer { checkpoint, answer, shown })
        }
        None => Outcome::notice("no plan is waiting for an answer"),
    }
}

#[cfg(test)]
mod tests;
