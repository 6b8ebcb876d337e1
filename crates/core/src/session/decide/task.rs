//! The end of a step: what its model is asked once more, and whether it is done.
//!
//! Owns that a step which did nothing, or says nothing of what it did, never counts as done for that. Never begins one.

use std::collections::BTreeSet;

use super::Draft;
use crate::{
    event::{Event, Level},
    fact::content,
    ids::{LaneId, Millis, TaskId},
    proposal::ProposalStatus,
    relpath::RelPath,
    scope::{Capability, ToolScope},
    session::{Deeds, Lane, NEEDLESS, Ran},
};

/// Told to a model whose step ended without a change and without a command.
fn idle_step() -> String {
    format!(
        "You changed nothing in this step and ran nothing: make the change now. If none is needed, say why in a line \
         that begins with `{NEEDLESS}`."
    )
}

/// Told to a model that changed nothing in a step which was to make this.
fn unmade(owed: &str) -> String {
    format!("{owed}: make it now, or say in a line that begins with `{NEEDLESS}` why it is not wanted.")
}

/// Told to a model whose step ended without a word and without a change that would speak for it.
const MUTE_STEP: &str = "Your reply is empty: say in a sentence or two what you did and found in this step.";

/// Told to a model whose change of a file did not fit and was not made again.
fn missing_change((path, why): &(RelPath, String)) -> String {
    let why = why.trim_end_matches(['.', ';', ' ']);
    format!("Your change to {path} was refused ({why}) and not made again: {path} is as it was before that.")
}

/// What a step came to when its model has ended.
#[derive(Clone, Copy, Debug, Default)]
struct StepEnd {
    /// It was to change or run something, and neither changed nor ran anything.
    idle: bool,
    /// It says nothing, and no change speaks for it.
    mute: bool,
    /// What it proposed the user left out.
    skipped: bool,
    /// It was to change or run something, and was let do nothing of it.
    refused: bool,
    /// It is there to run something, and what it ran last did not go wrong.
    ran_well: bool,
}

impl Draft<'_> {
    pub(super) fn task_done(&mut self, lane: LaneId, task: TaskId) {
        let Some(l) = self.state.lanes.get(&lane) else { return };
        let (opened, needless, nudged) = (l.opened, l.needless.is_some(), l.was_nudged());
        let end = self.step_end(l, task);
        if end.idle && !needless && l.closing.is_some() {
            self.ask_what_it_asks(lane);
            return;
        }
        let again = match (end.idle && !needless, end.mute) {
            (true, _) => Some(idle_step()),
            (false, true) => Some(MUTE_STEP.to_owned()),
            (false, false) => None,
        };
        let owed = || self.owes(l, task).filter(|_| !nudged && !end.skipped && !end.refused);
        if let Some(owed) = owed().filter(|_| again.is_none()) {
            self.emit(Event::LaneNudged { lane, text: unmade(&owed), answer: false });
            return self.think(lane);
        }
        let missing = self.state.never_made(l, task);
        if let Some(text) = again.clone().filter(|_| !nudged) {
            let refused = missing.iter().map(|file| missing_change(file) + " ").collect::<String>();
            self.emit(Event::LaneNudged { lane, text: format!("{refused}{text}"), answer: false });
            return self.think(lane);
        }
        let undone = (end.idle && !needless) || (end.mute && !end.ran_well) || end.refused;
        let missing: Vec<RelPath> = missing.into_iter().map(|(path, _)| path).collect();
        let files =
            if end.idle && needless { Vec::new() } else { self.state.left_untouched(lane, task, &missing) };
        // With a reason it is told by the step's own end.
        if again.is_some() {
            let (number, what) = (self.state.step_of(lane), self.unsaid(lane, end));
            self.notice(Level::Warn, format!("Step {number}: {what}."));
        }
        for path in missing.iter().filter(|path| !needless && !undone && !files.contains(path)) {
            let number = self.state.step_of(lane);
            let text = format!("Step {number}: a change to {path} was refused and not made again.");
            self.notice(Level::Warn, text);
        }
        self.emit(Event::LaneClosed { lane });
        if end.skipped || undone {
            self.emit(Event::TaskSkipped { task, undone: undone && !end.skipped });
        } else {
            if !files.is_empty() {
                self.emit(Event::FilesUntouched { task, files });
            }
            let took = Millis(self.at.0.saturating_sub(opened.0));
            self.emit(Event::TaskCompleted { task, took });
        }
        self.continue_run();
    }

    /// A step that would end while a change of one of its files did not fit and was not made again is asked once for it,
    /// before what it did make is looked at.
    pub(super) fn asks_for_the_rest(&mut self, lane: LaneId, task: TaskId) -> bool {
        let Some(l) = self.state.lanes.get(&lane) else { return false };
        let proposed = self.state.proposals().values().any(|p| p.lane == lane);
        let heard = l.was_nudged() || l.needless.is_some() || l.closing.is_some();
        let missing = self.state.never_made(l, task);
        if missing.is_empty() || heard || !proposed || self.gets_nowhere(lane).is_some() {
            return false;
        }
        let told: Vec<String> = missing.iter().map(missing_change).collect();
        let text = format!("{} Make it now, or say why not.", told.join(" "));
        self.emit(Event::LaneNudged { lane, text, answer: false });
        self.think(lane);
        true
    }

    fn step_end(&self, l: &Lane, task: TaskId) -> StepEnd {
        let mine =
            self.state.proposals().values().filter(|p| p.lane == l.id && p.status != ProposalStatus::Dropped);
        let proposed = mine.clone().count() > 0;
        let skipped = proposed && mine.clone().all(|p| p.status == ProposalStatus::Skipped);
        let node = self.state.plan.as_ref().and_then(|p| p.task(task)).map(|t| t.node);
        let acts = node.is_some_and(|n| !ToolScope::READ_ONLY.contains(n.scope()));
        // What a go at it did that was cut off is the step's as well.
        let wrote = mine.clone().any(|p| matches!(p.status, ProposalStatus::Applied(_)))
            || self.state.changes.had_begun(task);
        let refused = acts && l.deeds == Deeds::Refused && !wrote;
        let unchanged = !proposed && !wrote;
        let idle = acts && unchanged && l.deeds == Deeds::None;
        let looked = !acts && !l.spoke && l.deeds == Deeds::None;
        let mute = looked || (unchanged && l.silent && l.deeds == Deeds::Done);
        let ran_well = acts && l.ran.as_ref().is_none_or(|ran| ran.exit.ok());
        StepEnd { idle, mute, skipped, refused, ran_well }
    }

    /// What a step that changed nothing was to make all the same: files that its plan knows not to be there, else what
    /// the order names in a word that stands for no other step.
    fn owes(&self, lane: &Lane, task: TaskId) -> Option<String> {
        let plan = self.state.plan.as_ref()?;
        let step = plan.task(task).filter(|t| t.node.scope().allows(Capability::Write))?;
        if !self.state.changed_nothing(lane, task) {
            return None;
        }
        let there = |path: &RelPath| self.under.files.as_ref().is_some_and(|files| files.has(path));
        let absent = |path: &&RelPath| plan.missing.iter().flatten().any(|m| m == *path) && !there(path);
        let absent: Vec<&str> = step.files.iter().filter(absent).map(RelPath::as_str).collect();
        if !absent.is_empty() {
            let verb = if absent.len() == 1 { "does" } else { "do" };
            return Some(format!("This step was to make {}, which {verb} not exist", absent.join(", ")));
        }
        let order = self.state.turns.get(&plan.turn)?;
        let order = content(order.request.as_deref().unwrap_or(&order.head));
        let others = || plan.tasks.iter().filter(|t| t.id != task);
        let of_others: BTreeSet<String> = others().flat_map(|t| content(&t.title)).collect();
        let own = |word: &String| order.contains(word) && !of_others.contains(word);
        let word = content(&step.title).into_iter().find(own);
        let word = word.filter(|_| others().count() > 0 && lane.needless.is_some())?;
        Some(format!("This step was to change something, and the order names it (`{word}`)"))
    }

    /// What is told of a step that says nothing: what it ran, where it did.
    fn unsaid(&self, lane: LaneId, end: StepEnd) -> String {
        let ran = self.state.lanes.get(&lane).and_then(|l| l.ran.as_ref());
        match ran.filter(|_| end.mute) {
            Some(Ran { command, exit }) => {
                format!("the model said nothing about it; `{command}` {}", exit.words())
            }
            None if end.mute => "the model's reply is empty".to_owned(),
            None => "nothing changed".to_owned(),
        }
    }
}
