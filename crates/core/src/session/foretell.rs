//! What sending a line would do now, told before it is sent.
//!
//! Owns the words for it. They are read off what the deciders decide on a copy, so that a promise
//! and what happens come from one computation. Never changes anything.

use super::{Lane, LaneKind, Session, State, decide::Draft};
use crate::{
    checkpoint::{Answer, CheckpointKind},
    event::{Event, RunStatus, Stamped},
    ids::{CheckpointId, Millis},
    input::Input,
    intent::{Control, IntentPath, Phase, Turn},
    money::count,
    pipeline::StageEvent,
    plan::Pause,
    proposal::Decision,
    scope::{Approval, PermissionMode},
};

/// One thing that a line would do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Deed {
    /// It answers this open question.
    Answers(CheckpointId, Answer),
    /// The plan that waits begins to run.
    Starts,
    /// The pipeline that waits goes on, with what the line says.
    GoesOn,
    /// The open question is closed without an answer, and nothing else follows.
    Drops,
    /// The run is stopped.
    StopsRun,
    /// What is being answered is stopped.
    StopsAnswer,
    /// The plan that waits, the one that is being made, what failed, or what was proposed, is set aside.
    SetsAside,
    /// A plan is shown, and waits for a yes.
    Shows,
    /// The run fails: what it needs is forbidden.
    Fails,
    /// A plan is made, or made anew.
    Plans,
    /// It is answered; nothing is changed unasked.
    Talks,
    /// Commands run for it, each one checked.
    Runs,
    /// What runs reads it at its next step.
    Tells,
    /// It becomes the last step of the plan that runs.
    Adds,
    /// What is known already answers it.
    Recalls,
    /// Steps that wait are left out of the plan.
    Omits,
    /// The run is held at its next step.
    Holds,
    /// It waits for the end of what runs.
    Queues,
    /// It changes the plan that runs, once the step at work is done.
    Revises,
    /// It is asked back what is meant.
    Asks,
    /// It is asked which is meant: a question that waits, or the agent's.
    AsksWhich,
    /// It is asked whether to leave, with what is at stake.
    AsksToLeave,
    /// It is asked whether to start over, with what is at stake.
    AsksToStartOver,
    /// A later tier is asked what it means.
    Consults,
    /// It waits until an earlier message is understood.
    Waits,
    /// The last change is taken back.
    Undoes,
    /// Several of the last changes are taken back, one after the other.
    UndoesSeveral,
    /// It is asked whether everything, or what may be somebody else's, is taken back.
    AsksToUndo,
    /// What was taken back is given back.
    PutsBack,
    /// What was written to a file is proposed to be taken back.
    TakesBack,
    /// What waits of a file is left.
    Leaves,
    /// What would be committed is looked at, and asked about.
    Commits,
    /// A word to the workbench.
    Word(Control),
}

/// What sending a line would do.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Foretold {
    /// Everything, in its order; nothing where the line is refused.
    pub deeds: Vec<Deed>,
    /// How the message is understood, where it is one.
    pub meant: Option<(Turn, IntentPath)>,
    /// Why nothing would happen.
    pub refused: Option<String>,
    /// The stage that a pipeline which goes on begins with; none where it comes to its end.
    pub stage: Option<StageAhead>,
}

/// A stage that would begin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StageAhead {
    /// What it is called.
    pub name: String,
    /// Whether it was done, and is done again with what is said.
    pub again: bool,
}

impl StageAhead {
    /// The one that begins by this event, of the pipeline as it stands before.
    fn of(before: &State, event: &Event) -> Option<Self> {
        let Event::Staged { happened: StageEvent::StageStarted { stage, .. }, .. } = event else {
            return None;
        };
        let state = &before.pipeline.as_ref()?.state;
        let again = state.last_note().is_some_and(|(done, _)| done == *stage);
        Some(Self { name: state.stage(*stage)?.shown(), again })
    }

    fn words(&self) -> String {
        let Self { name, again } = self;
        if *again { format!("redoes \"{name}\" with that") } else { format!("goes on to \"{name}\"") }
    }
}

impl Foretold {
    /// Whether it would do this.
    pub fn does(&self, deed: &Deed) -> bool {
        self.deeds.contains(deed)
    }

    /// What the events of a step did to a state.
    pub fn of(before: &State, events: &[Stamped]) -> Self {
        let (mut told, mut continues) = (Self::default(), false);
        for event in events {
            continues |= matches!(event.event, Event::TurnContinues { .. });
            if let Event::IntentClassified { class, path, .. } = &event.event {
                // Of an order and a question the order says how far it goes.
                let ordered = matches!(&told.meant, Some((Turn::PlanNew(_) | Turn::PlanContinue, _)));
                let asks = matches!(class, Turn::Query(_));
                if !(ordered && asks) {
                    told.meant = Some((class.clone(), path.clone()));
                }
            }
            // What is skipped is not what it goes on with.
            told.stage = StageAhead::of(before, &event.event).or(told.stage.take());
            let Some(deed) = deed(before, &event.event) else { continue };
            let deed = if deed == Deed::Queues && continues { Deed::Revises } else { deed };
            if told.does(&deed) {
                continue;
            }
            if deed == Deed::StopsRun {
                // What it sets aside, and what is answered in it, is told with it.
                told.deeds.retain(|d| !matches!(d, Deed::SetsAside | Deed::StopsAnswer));
            }
            told.deeds.push(deed);
        }
        let was_open = |id: &CheckpointId| before.open.contains_key(id);
        let closed = |e: &Stamped| matches!(&e.event, Event::CheckpointResolved { checkpoint, .. } if was_open(checkpoint));
        if told.deeds.is_empty() && events.iter().any(closed) {
            told.deeds.push(Deed::Drops);
        }
        told
    }

    /// What follows, one thing after the other, for a message that is understood so; `forbids` where it says that
    /// nothing is to change.
    pub fn words(&self, (turn, path): (&Turn, &IntentPath), forbids: bool, state: &State) -> String {
        let replans = self.does(&Deed::StopsRun) && self.does(&Deed::Plans);
        let leaves = state.paused_pipeline().is_some();
        let resumes = matches!(turn, Turn::Control(Control::Proceed | Control::Redo));
        let (mut all, aside): (Vec<String>, String) = (Vec::new(), setting_aside(state));
        let (going, stopped) = (self.going_on(), stopping(replans, state));
        for deed in &self.deeds {
            let what = match deed {
                Deed::Answers(..) | Deed::Talks if self.does(&Deed::GoesOn) => continue,
                Deed::Answers(..) if leaves && self.does(&Deed::Asks) => continue,
                Deed::Answers(_, answer) if self.does(&Deed::Tells) => with_words(answer),
                Deed::Answers(..) => "answers the question above",
                Deed::Drops => "drops the question above",
                Deed::Starts => "approves the plan and starts it",
                Deed::GoesOn => &going,
                Deed::StopsRun => &stopped,
                Deed::StopsAnswer => "stops the answer",
                Deed::SetsAside if self.does(&Deed::StopsRun) => continue,
                Deed::SetsAside if state.phase == Phase::Planning => "stops planning",
                Deed::SetsAside if gives_up(state) => "gives up what failed",
                Deed::SetsAside if state.plan.is_none() => &aside,
                Deed::SetsAside => "sets the plan aside",
                Deed::Shows if resumes => self.resuming(),
                Deed::Shows => "shows the plan, which waits for your yes",
                Deed::Fails => "ends the run, which cannot continue",
                Deed::Plans if replans || resumes && self.does(&Deed::Shows) => continue,
                Deed::Plans if state.phase == Phase::Idle || self.does(&Deed::SetsAside) => {
                    planned(path, forbids, state)
                }
                Deed::Plans => "changes the plan",
                Deed::Talks => talked(self, turn, state),
                Deed::Runs => ran(state),
                // What it answers is what follows first, and its agent is told with that.
                Deed::Tells if self.deeds.iter().any(|d| matches!(d, Deed::Answers(..))) => continue,
                Deed::Tells if state.hears_after_answer() => "reaches the agent with your answer above",
                Deed::Tells => "reaches the agent with its next request",
                Deed::Adds => "adds a last step to the running plan",
                Deed::Omits => "leaves that out of the running plan",
                Deed::Revises => "changes the plan once the current step is done",
                Deed::Queues => queued(state),
                Deed::Asks if leaves => "asks whether to leave",
                Deed::Asks => "asks what you mean first",
                Deed::AsksWhich => "asks whether you mean the question above or the agent",
                Deed::AsksToLeave => "asks before it leaves",
                Deed::AsksToStartOver => "asks before it starts over",
                Deed::Consults => "the model is asked what you mean",
                Deed::Waits => "waits for your earlier message",
                Deed::Recalls => "answered from the record",
                Deed::Undoes => "takes the last change back",
                Deed::UndoesSeveral => "takes the last changes back",
                Deed::AsksToUndo => "asks before it takes anything back",
                Deed::PutsBack => "puts back what was taken back",
                Deed::TakesBack => "shows what takes back what was written to the file",
                Deed::Leaves => "leaves out what is waiting for the file",
                Deed::Commits => "shows what would be committed, and asks",
                Deed::Holds => "pauses the run at its next step",
                Deed::Word(_) if self.does(&Deed::Shows) || self.does(&Deed::Commits) => continue,
                Deed::Word(word) => worded(word),
            };
            all.push(what.to_owned());
        }
        if all.is_empty() { "nothing happens".to_owned() } else { all.join(", then ") }
    }

    /// What becomes of a plan that is taken up: a lane that would leave its planning is opened where nobody is asked.
    fn resuming(&self) -> &'static str {
        if self.does(&Deed::Plans) {
            "resumes the plan"
        } else {
            "brings back the plan, which waits for your yes"
        }
    }

    fn going_on(&self) -> String {
        self.stage.as_ref().map_or_else(|| "goes on to its end".to_owned(), StageAhead::words)
    }
}

impl State {
    /// Whether all that would hear a message waits for an answer first.
    pub(super) fn hears_after_answer(&self) -> bool {
        let asked = |lane: &Lane| {
            lane.calls.iter().any(|call| self.open.values().any(|c| c.kind.call() == Some(call.call)))
        };
        let mut hearing = self.lanes.values().filter(|lane| self.hears(lane)).peekable();
        hearing.peek().is_some() && hearing.all(asked)
    }

    /// Whether a model of the run works now, or will at its next step.
    pub fn run_hears(&self) -> bool {
        let later = || self.plan.iter().flat_map(|p| &p.tasks).any(|t| !t.status.settled());
        self.phase == Phase::Executing && (later() || self.lanes.values().any(|l| self.hears(l)))
    }
}

impl Session {
    /// What saying a line would do now, by whoever has seen all that there is.
    pub fn foretell(&self, line: &str) -> Foretold {
        let said = Input::Say { text: line.to_owned(), seen: self.state.seq };
        let mut state = self.state.clone();
        let mut draft = Draft::new(&mut state, &self.under, Millis(0));
        let decided = draft.decide(said);
        match draft.finish(decided) {
            Ok((_, events)) => Foretold::of(&self.state, &events),
            Err(refusal) => Foretold { refused: Some(refusal.reason), ..Foretold::default() },
        }
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "whatever is not named is no deed of its own")]
fn deed(before: &State, event: &Event) -> Option<Deed> {
    Some(match event {
        Event::CheckpointResolved { checkpoint, answer: Some(answer), .. } => {
            let plan = before.open.get(checkpoint).is_some_and(|c| c.kind.is_confirmation());
            let starts = plan && *answer == Answer::Approve;
            if starts { Deed::Starts } else { Deed::Answers(*checkpoint, answer.clone()) }
        }
        Event::RunCompleted { status: RunStatus::Cancelled | RunStatus::Breakout, .. } => Deed::StopsRun,
        Event::RunCompleted { status: RunStatus::Failed, .. } => Deed::Fails,
        Event::LaneClosed { lane }
            if before.answering() == Some(*lane) || before.answers_in_turn().contains(lane) =>
        {
            Deed::StopsAnswer
        }
        Event::PlanReady { .. } => Deed::Shows,
        Event::Staged { happened: StageEvent::Resumed { .. }, .. } => Deed::GoesOn,
        Event::Staged { happened: StageEvent::Judging { .. }, .. } => Deed::Consults,
        Event::CheckpointOpened { checkpoint } if matches!(checkpoint.kind, CheckpointKind::Breakout(_)) => {
            Deed::Asks
        }
        Event::PlanShelved { .. } if before.plan.is_some() => Deed::SetsAside,
        Event::ProposalSetAside { .. } => Deed::SetsAside,
        Event::PhaseChanged { from: Phase::Planning | Phase::Failed, to: Phase::Idle } => Deed::SetsAside,
        Event::LaneOpened { kind: LaneKind::Planning, .. } => Deed::Plans,
        Event::LaneOpened { kind: LaneKind::Answer | LaneKind::Pipeline, .. } => Deed::Talks,
        Event::LaneOpened { kind: LaneKind::Goal, .. } => Deed::Runs,
        Event::TurnTold { .. } => Deed::Tells,
        Event::FactsAnswered { text, .. } if !text.is_empty() => Deed::Recalls,
        Event::TaskAdded { .. } => Deed::Adds,
        Event::TaskSkipped { .. } => Deed::Omits,
        Event::PauseSet { pause: Pause::Held, on: true } => Deed::Holds,
        Event::QueueChanged { plan_new, more, control, later, stopped: _ } => {
            let count = usize::from(plan_new.is_some()) + more.len() + control.len() + later.len();
            return (count > before.queue.len()).then_some(Deed::Queues);
        }
        Event::CheckpointOpened { checkpoint } if checkpoint.kind.asks_which() => Deed::AsksWhich,
        Event::CheckpointOpened { checkpoint } if checkpoint.kind.asks_back() => Deed::Asks,
        Event::CheckpointOpened { checkpoint } if checkpoint.kind.is_exit() => Deed::AsksToLeave,
        Event::CheckpointOpened { checkpoint } if checkpoint.kind.is_reset() => Deed::AsksToStartOver,
        Event::IntentAsked { vectors, model, .. } if *vectors || *model => Deed::Consults,
        Event::IntentAsked { .. } => Deed::Waits,
        Event::CheckpointOpened { checkpoint } if checkpoint.kind.takes_back() => Deed::AsksToUndo,
        Event::RevertStarted { apply, redo, to, .. } => {
            let picked = before.applies().get(apply).is_some_and(|a| before.changes.picks_back(a));
            match to {
                _ if *redo != picked => Deed::PutsBack,
                Some(to) if to != apply => Deed::UndoesSeveral,
                Some(_) | None => Deed::Undoes,
            }
        }
        Event::TakeBackSought { .. } => Deed::TakesBack,
        Event::ProposalClosed { dropped: false, there: false, .. } => Deed::Leaves,
        Event::HunkDecided { decision: Some(Decision::Left), comment: None, .. } => Deed::Leaves,
        Event::CommitSought { .. } => Deed::Commits,
        Event::ControlGiven { control } => Deed::Word(control.clone()),
        _ => return None,
    })
}

/// What a word to the workbench does.
fn worded(word: &Control) -> &'static str {
    let Control::Other(name) = word else { return "a command to Pilothouse" };
    match name.as_str() {
        "diff" => "shows the changes",
        "output" => "shows the latest output",
        "budget" => "tells what was spent",
        "permissions" => "says how to let it run without asking",
        _ => "a command to Pilothouse",
    }
}

/// An answer of which the agent is told the words.
const fn with_words(answer: &Answer) -> &'static str {
    match answer {
        Answer::Skip => "leaves the gate out, and tells the running agent",
        Answer::Reject(_) => "denies what is asked, and tells the running agent why",
        Answer::AutoFix => "has the gate fixed, with these words",
        Answer::Approve
        | Answer::Abort
        | Answer::Pick(_)
        | Answer::Text(_)
        | Answer::Manual
        | Answer::Retry
        | Answer::Again
        | Answer::Replan
        | Answer::Respond
        | Answer::Continue
        | Answer::Word(_)
        | Answer::Grant { .. }
        | Answer::Line(_) => "answers the question above, and tells the running agent",
    }
}

/// Whether a failure is all that is left to be set aside.
fn gives_up(state: &State) -> bool {
    state.phase == Phase::Failed && state.plan.is_none()
}

/// That the run stops, with what is at stake.
fn stopping(replans: bool, state: &State) -> String {
    let what = if replans { "stops the run and replans" } else { "stops the run" };
    if state.open_proposals().next().is_none() {
        return what.to_owned();
    }
    format!("{what}, {}", setting_aside(state))
}

/// What of the changes that wait is kept for later.
fn setting_aside(state: &State) -> String {
    format!("sets {} aside", count(state.open_proposals().count(), "proposal"))
}

/// What an answer is told as.
fn talked(told: &Foretold, turn: &Turn, state: &State) -> &'static str {
    let stopped = told.does(&Deed::StopsRun) || told.does(&Deed::SetsAside);
    if matches!(turn, Turn::Control(word) if word.is_manner()) {
        "how to go about it: told to the model"
    } else if matches!(turn, Turn::Control(Control::Approve | Control::Proceed | Control::Cancel)) {
        "an answer to the agent"
    } else if state.is_executing() && !stopped {
        "a question – answered beside the run"
    } else {
        "a question – read-only"
    }
}

/// Said where a message waits for the end of a run that could hear it.
pub const TELLS_NOW: &str = "Alt-M tells the agent now";

/// When what waits has its turn.
const fn queued(state: &State) -> &'static str {
    match state.phase {
        Phase::Planning | Phase::Executing => "queued: starts when the run ends",
        Phase::Idle | Phase::AwaitingApproval | Phase::Failed => "queued: starts after the current plan",
    }
}

/// What an order to run something is told as.
const fn ran(state: &State) -> &'static str {
    match state.permission {
        PermissionMode::ReadOnly | PermissionMode::Ask => "asks before a command changes anything",
        PermissionMode::Auto => "runs commands and may change files; deletes and high risk ask",
    }
}

/// What a new piece of work is told as.
fn planned(path: &IntentPath, forbids: bool, state: &State) -> &'static str {
    if forbids {
        return "changes nothing, as you said";
    }
    match (path.approval(), state.permission) {
        (_, PermissionMode::ReadOnly) => "read-only: nothing can be changed",
        (Approval::Explicit, _) => "asks for a typed word before deleting",
        (Approval::Confirm, PermissionMode::Auto) => "writes and records; deletes still ask",
        (Approval::Confirm, PermissionMode::Ask) => "asks before writing",
        (Approval::None, _) => "reads only",
    }
}
