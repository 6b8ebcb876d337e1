//! Sessions side by side: how each stands in words, and what a window asks of whatever holds them.
//!
//! Owns what a list of runs says of a session and the messages between a window and its host. Never looks at
//! processes or clocks: whoever lists says what is known of them.

use serde::{Deserialize, Serialize};

use crate::{
    about::AboutChange,
    blob::BlobId,
    fact::{Fact, FactSource, first_line},
    ids::{Millis, TurnId},
    intent::{Classifier, Phase, Turn},
    money::{clock, count},
    outcome::Exit,
    plan::{GateStatus, Plan},
    session::{State, TurnInfo},
    talk::Usage,
    work::WorkKey,
};

/// How a session stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunStatus {
    /// Nothing was asked of it yet.
    #[default]
    Idle,
    /// A model is at work.
    Thinking,
    /// A tool, a command or a write is at work.
    Tool,
    /// A question waits for the user.
    Waiting,
    /// It should be at work, and nothing was heard of it for too long.
    Stalled,
    /// What was asked is done.
    Done,
    /// What was asked came to an end, and less came of it than was asked, or nothing.
    Ended,
    /// What was asked failed.
    Failed,
    /// Something of it is unfinished, and nothing works on it.
    Stopped,
    /// The process that worked on it is gone.
    Orphaned,
}

impl RunStatus {
    /// All of them, those first that want the user.
    pub const ALL: [Self; 10] = [
        Self::Waiting,
        Self::Failed,
        Self::Stalled,
        Self::Orphaned,
        Self::Tool,
        Self::Thinking,
        Self::Stopped,
        Self::Ended,
        Self::Done,
        Self::Idle,
    ];

    /// For people.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::Thinking => "thinking",
            Self::Tool => "tool",
            Self::Waiting => "waiting on you",
            Self::Stalled => "stalled",
            Self::Done => "done",
            Self::Ended => "ended",
            Self::Failed => "failed",
            Self::Stopped => "stopped",
            Self::Orphaned => "orphaned",
        }
    }

    /// Whether something goes on.
    pub const fn works(self) -> bool {
        matches!(self, Self::Thinking | Self::Tool | Self::Stalled)
    }

    /// Whether something of it is unfinished, and nothing works on it.
    pub const fn is_left(self) -> bool {
        matches!(self, Self::Stopped | Self::Orphaned)
    }

    /// After how many milliseconds without a sign of life it counts as stalled: a model that says nothing does
    /// sooner than a tool, as builds are quiet for long.
    pub const fn patience(self) -> Option<u64> {
        match self {
            Self::Thinking => Some(60_000),
            Self::Tool => Some(180_000),
            Self::Idle
            | Self::Waiting
            | Self::Stalled
            | Self::Done
            | Self::Ended
            | Self::Failed
            | Self::Stopped
            | Self::Orphaned => None,
        }
    }

    /// The same after so many milliseconds without a sign of life.
    #[must_use]
    pub fn after(self, quiet: u64) -> Self {
        if self.patience().is_some_and(|most| quiet >= most) { Self::Stalled } else { self }
    }
}

/// What a list of runs says of a session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunInfo {
    /// The session's name.
    pub session: String,
    /// What it is about: what the user calls it, else its last order, by its plan's title, else its first message.
    pub title: String,
    /// The folder in which it works.
    pub folder: String,
    /// How it stands.
    pub status: RunStatus,
    /// When it last gave a sign of life.
    pub heard: Millis,
    /// What goes on or waits, in a line.
    pub doing: String,
    /// Steps that are done.
    pub done: usize,
    /// Steps that there are; 0 without a plan.
    pub steps: usize,
    /// Whether it wrote anything that is not taken back.
    #[serde(default)]
    pub wrote: bool,
    /// Proposed changes that are not written.
    #[serde(default, skip_serializing_if = "is_none")]
    pub changes: usize,
    /// The gate that runs or is to come.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate: Option<String>,
    /// Questions that wait.
    pub waiting: usize,
    /// Whether what waits is whether to leave.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub leaves: bool,
    /// What its last answer asks with its last words, where nothing was said to that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asks: Option<String>,
    /// How long what ran last without a plan took, where the user stopped it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped: Option<Millis>,
    /// Whether what failed is a command that the user typed: nothing of it is left to be done.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub line_failed: bool,
    /// What it cost.
    pub usage: Usage,
    /// What stopping it would set aside, in words.
    pub stake: Vec<String>,
    /// The process that holds it, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pid: Option<u32>,
}

impl RunInfo {
    /// What the session itself knows.
    pub fn of(state: &State) -> Self {
        let (title, plan) = subject(state);
        let own = state.about.title.as_deref();
        // What goes on once a plan has ended is no step of it.
        let going = plan.filter(|_| state.plan.is_some() || !state.busy());
        let gates = going.into_iter().flat_map(|p| &p.gates);
        let mut gates = gates.filter(|g| !g.is_met() && !matches!(g.status, GateStatus::Unproven(_)));
        Self {
            session: state.slug.clone(),
            title: own.unwrap_or(title).to_owned(),
            folder: state.folder.clone(),
            status: status(state),
            heard: state.at,
            doing: doing(state),
            done: going.map_or(0, Plan::done),
            steps: going.map_or(0, |p| p.tasks.len()),
            wrote: !state.ledger().is_empty(),
            changes: state.open_proposals().count(),
            gate: gates.next().map(|g| g.name.clone()),
            waiting: state.open.len(),
            leaves: state.open.values().next().is_some_and(|question| question.kind.is_exit()),
            asks: state.asks_with_its_last_words(),
            stopped: state.stopped_after,
            line_failed: failed_line(state).is_some(),
            usage: state.usage,
            stake: state.at_stake(),
            pid: None,
        }
    }

    /// What came of it where that is less than was asked, in words.
    pub fn came_to(&self) -> Option<String> {
        let words = || {
            if let Some(after) = self.stopped.filter(|_| self.steps == 0) {
                format!("stopped after {}", clock(after.0))
            } else if self.steps == 0 || self.done == 0 && !self.wrote {
                "nothing came of it".to_owned()
            } else {
                format!("{} of {} done", self.done, count(self.steps, "step"))
            }
        };
        (self.status == RunStatus::Ended).then(words)
    }

    /// The steps in words; nothing without a plan.
    pub fn progress(&self) -> String {
        if self.steps == 0 { String::new() } else { format!("{}/{}", self.done, self.steps) }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
const fn is_none(count: &usize) -> bool {
    *count == 0
}

/// What a session is about, by what was said in it: the last order, by its plan where it has one, else the message that began
/// it. A yes, a no, a number and what steers the workbench say nothing of that. Beside it that plan: of an older one no
/// step is counted.
fn subject(state: &State) -> (&str, Option<&Plan>) {
    let words = Classifier::builtin();
    let says = |t: &TurnInfo| {
        let line = first_line(t.called());
        let named = line.split(|c: char| !c.is_alphabetic()).any(|w| w.chars().count() > 1);
        let control = matches!(t.class, Turn::Control(_)) || line.starts_with('!');
        named && !control && !words.agrees(line) && !words.declines(line)
    };
    let queued = |id: TurnId| state.queue.works().any(|of| of == id);
    let mut orders =
        state.turns.iter().rev().filter(|(id, t)| is_order(t) && t.told.is_none() && !queued(**id));
    let order = orders.find(|(_, t)| says(t));
    let plan = state.plan.as_ref().or(state.suspended.as_ref());
    let plan = plan.filter(|p| order.is_none_or(|(id, _)| *id <= p.turn));
    let began = || state.turns.values().find(|t| says(t)).map(|t| first_line(t.called()));
    let any = || state.turns.values().map(|t| first_line(&t.head)).find(|line| !line.is_empty());
    let title = plan.map(|p| p.title.as_str());
    let title = title
        .or_else(|| order.map(|(_, t)| first_line(t.called())))
        .or_else(began)
        .or_else(any)
        .unwrap_or_default();
    (title, plan)
}

fn is_order(turn: &TurnInfo) -> bool {
    matches!(turn.class, Turn::PlanNew(_))
}

fn status(state: &State) -> RunStatus {
    if !state.open.is_empty() && state.phase != Phase::Failed {
        return RunStatus::Waiting;
    }
    if state.waits_below_ceiling().is_some() {
        return RunStatus::Waiting;
    }
    if state.busy() {
        let thinks = |key: &WorkKey| {
            use WorkKey::{Classify, Compact, Think, Title};
            matches!(key, Classify(..) | Think(_) | Compact(_) | Title(_))
        };
        let thinking = state.pending().keys().all(thinks);
        return if thinking { RunStatus::Thinking } else { RunStatus::Tool };
    }
    if state.failure.is_some() {
        return RunStatus::Failed;
    }
    // A question beside a plan that has something left, of which no answer came, is not what the session came to.
    let unfinished = state.suspended.as_ref().is_some_and(Plan::unfinished);
    // Nor is a line of the user's own behind a plan that is done.
    let failed = state.unanswered.is_some() || (failed_line(state).is_some() && !state.has_done_a_plan());
    if !unfinished && failed {
        return RunStatus::Failed;
    }
    if unfinished || state.is_executing() || state.open_proposals().next().is_some() {
        return RunStatus::Stopped;
    }
    let short =
        state.plan.as_ref().or(state.suspended.as_ref()).is_some_and(|plan| plan.done() < plan.tasks.len());
    match state.turns.is_empty() {
        true => RunStatus::Idle,
        false if short || state.was_cut_short() || came_to_nothing(state) => RunStatus::Ended,
        false => RunStatus::Done,
    }
}

/// How the command failed that the user typed last, where nothing was said since.
fn failed_line(state: &State) -> Option<&Exit> {
    state.typed_ended.as_ref().filter(|exit| !exit.ok())
}

/// Whether the last message was an order that failed, or nothing came of it: no step was done, nothing written, no command
/// run.
fn came_to_nothing(state: &State) -> bool {
    let words = state.turns.iter().rev().find(|(_, t)| !matches!(t.class, Turn::Control(_)));
    let Some((id, turn)) = words else { return false };
    if turn.command().is_some() && state.has_done_a_plan() {
        return false;
    }
    let order = matches!(turn.class, Turn::PlanNew(_) | Turn::PlanContinue) && turn.told.is_none();
    let plans = [&state.plan, &state.suspended].into_iter().flatten();
    let planned = plans.filter(|p| p.turn == *id || turn.continues == Some(p.turn)).any(|p| p.done() > 0);
    let noted = |f: &Fact| f.at >= turn.at && matches!(f.source, FactSource::Command { .. });
    // The end of a line of several parts is no fact.
    let ran = state.typed_ended.is_some() || state.facts.iter().any(noted);
    let staged = state.pipeline.as_ref().and_then(|p| p.state.beginning()).is_some_and(|b| b.turn == *id);
    let failed = state.has_failed(*id);
    order && (failed || !planned && !staged && state.writes_since(*id).is_empty() && !ran)
}

/// What goes on or waits, in a line.
fn doing(state: &State) -> String {
    if let Some(failure) = &state.failure {
        return first_line(&failure.message).to_owned();
    }
    let unanswered = state.unanswered.as_ref().filter(|_| status(state) == RunStatus::Failed);
    if let Some(why) = unanswered {
        return first_line(why).to_owned();
    }
    if let Some(exit) = failed_line(state).filter(|_| status(state) == RunStatus::Failed) {
        return exit.words();
    }
    if let Some(question) = state.open.values().next() {
        return state.waits(question, state.about.title.is_some());
    }
    if let Some(why) = state.waits_below_ceiling() {
        return why;
    }
    let mut calls = state.lanes.values().flat_map(|l| &l.calls).filter(|c| c.allowed.is_some());
    let call = calls.next_back().map(|c| {
        let subject = c.asked.as_ref().map_or("", |call| call.subject());
        first_line(&format!("{} {subject}", c.name)).trim().to_owned()
    });
    let tasks = state.steps_at_work();
    let more = if tasks.len() > 1 { format!(" +{}", tasks.len() - 1) } else { String::new() };
    let task = tasks.first().map(|t| format!("{}{more}", t.title));
    let parts: Vec<String> = task.into_iter().chain(call).collect();
    match parts.is_empty() {
        false => parts.join(" · "),
        true if state.busy() => {
            let turn = state.answering().and_then(|lane| state.lanes.get(&lane)).map(|lane| lane.turn);
            let asked = turn.and_then(|turn| state.turns.get(&turn)).map(|turn| first_line(&turn.head));
            asked.filter(|asked| !asked.is_empty()).unwrap_or("the model is asked").to_owned()
        }
        true => kept(state).join(", "),
    }
}

/// What stays in it to be taken up, in words.
fn kept(state: &State) -> Vec<String> {
    let (aside, queued) = (state.set_aside().count(), state.queue.len());
    let aside = (aside > 0).then(|| format!("{} set aside", count(aside, "change")));
    aside.into_iter().chain((queued > 0).then(|| format!("{queued} queued"))).collect()
}

/// How far a copy of a session goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForkUpTo {
    /// To its end.
    End,
    /// To what came of this message of the user, from 1.
    Message(usize),
}

/// A session that is to be opened beside the others of a window.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionWish {
    /// The session to take up again; a new one without.
    pub session: Option<String>,
    /// A copy of that session instead, up to there.
    pub fork: Option<ForkUpTo>,
    /// The git worktree in which it is to work: one of this name, made where there is none.
    pub worktree: Option<String>,
    /// What is said in it first.
    pub message: Option<String>,
    /// Whether the window shows it at once.
    pub front: bool,
}

/// What is to become of a worktree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorktreeEnd {
    /// What was done in it comes into the folder that it was made from.
    Merge,
    /// Its folder goes.
    Drop,
}

/// What a window asks of whatever holds its sessions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HostRequest {
    /// Open a session beside the others.
    Open(SessionWish),
    /// Say which worktrees there are, and which sessions were left: unfinished, and those that came to rest.
    List,
    /// Call a session so, or put it away: one that no process works on.
    Describe {
        /// Its name.
        session: String,
        /// What changes.
        change: AboutChange,
    },
    /// Delete a session that no process works on.
    Delete {
        /// Its name.
        session: String,
        /// When it last gave a sign of life, as the user saw it: one that was used since stays.
        heard: Millis,
    },
    /// Bring a worktree to its end: with the hash of the stake that the user saw and accepted.
    End {
        /// How.
        end: WorktreeEnd,
        /// Its name.
        name: String,
        /// What was shown.
        seen: Option<BlobId>,
    },
}

/// What the host tells a window; `L` is the line to an opened session.
#[derive(Clone, Debug)]
pub enum HostUpdate<L> {
    /// A session is being opened at the other end of this line.
    Opened(L, SessionWish),
    /// What there is besides the sessions of this window.
    Listed(Vec<Worktree>, Vec<RunInfo>),
    /// A worktree has something at stake: is it to be brought to its end all the same?
    AtStake(WorktreeEnd, WorktreeStake),
    /// A worktree came to its end, in words.
    Ended(WorktreeEnd, Worktree, String),
    /// A worktree was not brought to its end: its name, and why.
    NotEnded(String, String),
    /// Something that the user should know.
    Done(String),
    /// Not done, and why.
    Refused(String),
}

/// A git worktree that the workbench made.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Worktree {
    /// Its name.
    pub name: String,
    /// Its folder.
    pub path: String,
    /// Its branch.
    pub branch: String,
}

/// What would come of bringing a worktree to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorktreeStake {
    /// Which.
    pub worktree: Worktree,
    /// The branch that it would be merged into.
    pub into: String,
    /// What is at stake and what becomes of it, line by line.
    pub lines: Vec<String>,
    /// The hash of that, which an answer is bound to.
    pub shown: BlobId,
}
