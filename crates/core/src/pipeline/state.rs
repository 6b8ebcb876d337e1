//! What happened to a pipeline, and what comes next: events in their order, and what can be read off them.
//!
//! Owns no more than the list: every getter is a function of it, so that a crash after any event loses nothing.
//! Never changes in place: [`PipelineState::add_event`] gives the next state.
#![expect(clippy::wildcard_enum_match_arm, reason = "each getter looks for its own events")]

use serde::{Deserialize, Serialize};

use super::{Depth, PipelineSpec, Source, StageSpec, WebSearch};
use crate::{
    blob::Excerpt,
    ids::{RunId, TurnId},
    talk::Usage,
};

/// Most questions of the first stage that are told to whoever judges a message.
const TOLD_QUERIES: usize = 5;

/// How often it waits after one stage, beside the times that a change was asked for.
const MOST_PAUSES: usize = 2;

/// Something that happened to a pipeline.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum StageEvent {
    /// It began.
    Began(Box<Beginning>),
    /// A stage began.
    StageStarted {
        /// The stage, counted from 0.
        stage: usize,
        /// How often it was begun before for repair.
        #[serde(default)]
        round: u32,
    },
    /// A stage handed in what it came to.
    StageCompleted {
        /// The stage.
        stage: usize,
        /// What it came to.
        output: Excerpt,
        /// The same in a line, for people.
        note: String,
        /// The questions that the first stage takes the one asked apart into.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        queries: Vec<String>,
        /// Whether it was left out.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        skipped: bool,
        /// Whether the stage before is to be done again.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        again: bool,
        /// Why what it came to is no answer, where it is none.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        lacks: String,
        /// Whether what it came to is an answer of passages, word for word: no model summed them up.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        word_for_word: bool,
        /// What it cost.
        #[serde(default)]
        spent: Usage,
    },
    /// The model said its part of a stage that goes on with it.
    Replied {
        /// The stage.
        stage: usize,
        /// What it said.
        output: Excerpt,
    },
    /// It waits for the user.
    Paused {
        /// The stage that is done.
        stage: usize,
    },
    /// It goes on.
    Resumed {
        /// What the user wants different.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        feedback: String,
    },
    /// A model is asked whether a message leaves it.
    Judging {
        /// The message.
        turn: TurnId,
        /// Its words.
        message: String,
    },
    /// The model said what it thinks of the message, or could not.
    Judged {
        /// What asking cost.
        #[serde(default)]
        spent: Usage,
    },
    /// A message asked for something else; it is asked whether to leave.
    BreakoutPending {
        /// The message.
        turn: TurnId,
        /// Its first words.
        message: String,
        /// Who found it.
        source: Source,
    },
    /// It was left.
    Breakout,
    /// It could not go on.
    Error {
        /// Why.
        message: String,
    },
    /// It was stopped, or the program ended; it can be taken up again.
    Interrupted {
        /// Why.
        why: String,
    },
    /// It was taken up again.
    TakenUp,
    /// It came to its end.
    Completed,
}

/// How a pipeline began.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Beginning {
    /// The agent.
    pub agent: String,
    /// What it is called on the screen.
    pub title: String,
    /// The message that asked for it.
    pub turn: TurnId,
    /// The question.
    pub query: String,
    /// How deep it goes.
    pub depth: Depth,
    /// The pipeline as it was configured then.
    pub spec: PipelineSpec,
    /// What holds for all stages.
    pub body: Excerpt,
    /// What each stage asks.
    pub prompts: Vec<Excerpt>,
    /// The tool that searches the web, where a source has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub web: Option<WebSearch>,
    /// The tools that add to a search for passages.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub adds: Vec<WebSearch>,
    /// The sources that it has on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<String>,
    /// The run of the session whose answer it follows up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous: Option<RunId>,
}

/// How far a pipeline came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PipelineExit {
    /// It waits for the user.
    Paused,
    /// It came to its end.
    Completed,
    /// It could not go on.
    Error,
    /// It was left.
    Breakout,
}

impl PipelineExit {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Paused => "paused",
            Self::Completed => "completed",
            Self::Error => "error",
            Self::Breakout => "breakout",
        }
    }
}

/// What comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// This stage begins, for the so-manieth time.
    Stage(usize, u32),
    /// Nothing is left.
    Done,
}

/// A pipeline with everything that happened to it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PipelineState {
    /// The run that it began as; its name in every event.
    pub id: RunId,
    events: Vec<StageEvent>,
}

impl PipelineState {
    /// One in which nothing has happened.
    pub const fn new(id: RunId) -> Self {
        Self { id, events: Vec::new() }
    }

    /// The state after one more event.
    #[must_use]
    pub fn add_event(&self, event: StageEvent) -> Self {
        let mut events = self.events.clone();
        events.push(event);
        Self { id: self.id, events }
    }

    /// The same in place, for the one fold that owns it.
    pub(crate) fn push(&mut self, event: StageEvent) {
        self.events.push(event);
    }

    /// What happened, oldest first.
    pub fn events(&self) -> &[StageEvent] {
        &self.events
    }

    /// As it is kept beside the session.
    pub fn save(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default()
    }

    /// From what was kept; `None` where it cannot be read.
    pub fn load(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    /// How it began.
    pub fn beginning(&self) -> Option<&Beginning> {
        self.events.iter().find_map(|e| if let StageEvent::Began(b) = e { Some(&**b) } else { None })
    }

    /// The question.
    pub fn original_query(&self) -> &str {
        self.beginning().map_or("", |b| b.query.as_str())
    }

    /// How deep it goes.
    pub fn depth(&self) -> Depth {
        self.beginning().map(|b| b.depth).unwrap_or_default()
    }

    /// A stage as it is configured.
    pub fn stage(&self, stage: usize) -> Option<&StageSpec> {
        self.beginning()?.spec.stages.get(stage)
    }

    /// How many stages there are.
    pub fn stages(&self) -> usize {
        self.beginning().map_or(0, |b| b.spec.stages.len())
    }

    /// The run of the session whose answer it follows up.
    pub fn previous_session_id(&self) -> Option<RunId> {
        self.beginning()?.previous
    }

    /// The stage that began last, and how often it was begun for repair.
    pub fn current_stage(&self) -> Option<(usize, u32)> {
        self.events.iter().rev().find_map(|e| {
            if let StageEvent::StageStarted { stage, round } = e { Some((*stage, *round)) } else { None }
        })
    }

    /// The stage that is at work; none between two.
    pub fn open_stage(&self) -> Option<(usize, u32)> {
        let (stage, round) = self.current_stage()?;
        let last = self.events.iter().rev().find_map(|e| match e {
            StageEvent::StageStarted { .. } => Some(true),
            StageEvent::StageCompleted { .. } => Some(false),
            _ => None,
        });
        last.unwrap_or(false).then_some((stage, round))
    }

    /// What each stage that is done came to last, with whether it was left out.
    pub fn stage_outputs(&self) -> Vec<(usize, &Excerpt, bool)> {
        let mut all: Vec<(usize, &Excerpt, bool)> = Vec::new();
        for event in &self.events {
            if let StageEvent::StageCompleted { stage, output, skipped, .. } = event {
                all.retain(|(n, ..)| n != stage);
                all.push((*stage, output, *skipped));
            }
        }
        all.sort_by_key(|(n, ..)| *n);
        all
    }

    /// The stage that was done last, not left out, and what it came to, in a line.
    pub fn last_note(&self) -> Option<(usize, String)> {
        self.events.iter().rev().find_map(|e| match e {
            StageEvent::StageCompleted { stage, note, skipped: false, .. } => Some((*stage, note.clone())),
            _ => None,
        })
    }

    /// What the model said in the stage that is at work.
    pub fn reply(&self) -> Option<&Excerpt> {
        let begun = self.events.iter().rposition(|e| matches!(e, StageEvent::StageStarted { .. }))?;
        self.events
            .iter()
            .skip(begun)
            .rev()
            .find_map(|e| if let StageEvent::Replied { output, .. } = e { Some(output) } else { None })
    }

    /// All questions that the one asked was taken apart into.
    pub fn queries(&self) -> &[String] {
        let last = self.events.iter().rev().find_map(|e| match e {
            StageEvent::StageCompleted { queries, .. } if !queries.is_empty() => Some(queries.as_slice()),
            _ => None,
        });
        last.unwrap_or_default()
    }

    /// The first of them.
    pub fn sub_query_texts(&self) -> &[String] {
        let all = self.queries();
        all.get(..TOLD_QUERIES.min(all.len())).unwrap_or_default()
    }

    /// What the user wanted different, the oldest first.
    pub fn feedback(&self) -> impl Iterator<Item = &str> {
        self.events.iter().filter_map(|e| match e {
            StageEvent::Resumed { feedback } if !feedback.is_empty() => Some(feedback.as_str()),
            _ => None,
        })
    }

    /// Whether it waits for the user: more pauses than were resolved by going on or leaving.
    pub fn is_paused(&self) -> bool {
        let count = |is: fn(&StageEvent) -> bool| self.events.iter().filter(|e| is(e)).count();
        let paused = count(|e| matches!(e, StageEvent::Paused { .. }));
        let resolved = count(|e| matches!(e, StageEvent::Resumed { .. } | StageEvent::Breakout));
        paused > resolved
    }

    /// The message that asked for something else, while it is asked whether to leave: the last one that
    /// neither going on nor leaving follows, in the order of the list.
    pub fn breakout_pending(&self) -> Option<(TurnId, &str)> {
        let last = self.events.iter().rev().find(|e| {
            matches!(
                e,
                StageEvent::BreakoutPending { .. } | StageEvent::Resumed { .. } | StageEvent::Breakout
            )
        })?;
        if let StageEvent::BreakoutPending { turn, message, .. } = last {
            return Some((*turn, message));
        }
        None
    }

    /// Whether it is asked whether to leave.
    pub fn is_breakout_pending(&self) -> bool {
        self.breakout_pending().is_some()
    }

    /// The message that a model judges now.
    pub fn judging(&self) -> Option<(TurnId, &str)> {
        match self.events.last()? {
            StageEvent::Judging { turn, message } => Some((*turn, message)),
            _ => None,
        }
    }

    /// Whether it was stopped and can be taken up again.
    pub fn is_aside(&self) -> bool {
        let last = self.events.iter().rev().find(|e| !matches!(e, StageEvent::Judged { .. }));
        matches!(last, Some(StageEvent::Interrupted { .. } | StageEvent::Error { .. }))
    }

    /// Why it could not go on, if that is how it stands.
    pub fn error(&self) -> Option<&str> {
        match self.events.last()? {
            StageEvent::Error { message } => Some(message),
            _ => None,
        }
    }

    /// How far it came; none while it works or was stopped.
    pub fn exit(&self) -> Option<PipelineExit> {
        let is = |is: fn(&StageEvent) -> bool| self.events.iter().any(is);
        if is(|e| matches!(e, StageEvent::Breakout)) {
            return Some(PipelineExit::Breakout);
        }
        if is(|e| matches!(e, StageEvent::Completed)) {
            return Some(PipelineExit::Completed);
        }
        if self.error().is_some() {
            return Some(PipelineExit::Error);
        }
        self.is_paused().then_some(PipelineExit::Paused)
    }

    /// Whether nothing can come of it any more.
    pub fn is_over(&self) -> bool {
        matches!(self.exit(), Some(PipelineExit::Completed | PipelineExit::Breakout))
    }

    /// Whether a stage is at work.
    pub fn is_running(&self) -> bool {
        !self.is_over() && !self.is_aside() && !self.is_paused()
    }

    /// What comes next: a stage that was begun and not completed is begun again.
    pub fn next(&self) -> Next {
        if let Some((stage, round)) = self.open_stage() {
            return Next::Stage(stage, round);
        }
        if let Some(stage) = self.to_change() {
            return Next::Stage(stage, 0);
        }
        let last = self.events.iter().rev().find_map(|e| match e {
            StageEvent::StageCompleted { stage, again, .. } => Some((*stage, *again)),
            _ => None,
        });
        let round = self.current_stage().map_or(0, |(_, round)| round);
        let repair = self.beginning().and_then(|b| b.spec.repair());
        match last {
            None => Next::Stage(0, 0),
            Some((_, true)) if repair.is_some() => {
                Next::Stage(repair.map_or(0, |(again, _)| again), round + 1)
            }
            Some((stage, _)) if stage + 1 < self.stages() => {
                // What stands between the two stages of a repair belongs to its round.
                let within = repair.is_some_and(|(again, says)| (again..says).contains(&stage));
                Next::Stage(stage + 1, if within { round } else { 0 })
            }
            Some(_) => Next::Done,
        }
    }

    /// The stage that is done again because the user wants it different: the last one, where it asks a model.
    fn to_change(&self) -> Option<usize> {
        let at = self.events.iter().rposition(|e| matches!(e, StageEvent::StageCompleted { .. }))?;
        let StageEvent::StageCompleted { stage, .. } = self.events.get(at)? else { return None };
        let wants = |e: &StageEvent| matches!(e, StageEvent::Resumed { feedback } if !feedback.is_empty());
        let asks = self.stage(*stage).is_some_and(StageSpec::asks);
        (asks && self.events.iter().skip(at).any(wants)).then_some(*stage)
    }

    /// Whether it waits after a stage that was just done: where its agent says so, and again after each change that was
    /// asked for there.
    pub fn pauses(&self) -> Option<usize> {
        let Some(StageEvent::StageCompleted { stage, skipped: false, .. }) = self.events.last() else {
            return None;
        };
        let is_pause = |e: &StageEvent| matches!(e, StageEvent::Paused { stage: of } if of == stage);
        let paused = self.events.iter().filter(|e| is_pause(e)).count();
        let since = self.events.iter().rev().take_while(|e| !is_pause(e));
        // The first answer to the pause: what is said later is said of another stage.
        let answer = since.filter_map(|e| match e {
            StageEvent::Resumed { feedback } => Some(!feedback.is_empty()),
            _ => None,
        });
        let changed = answer.last().unwrap_or(false);
        let waits = self.beginning()?.spec.pauses_after(*stage) && (changed || paused < MOST_PAUSES);
        waits.then_some(*stage)
    }

    /// Why its answer is none, where it is none.
    pub fn lacks(&self) -> Option<&str> {
        let last = self.events.iter().rev().find_map(|e| match e {
            StageEvent::StageCompleted { lacks, .. } => Some(lacks.as_str()),
            _ => None,
        });
        last.filter(|why| !why.is_empty())
    }

    /// Rounds of repair so far.
    pub fn rounds(&self) -> u32 {
        let rounds = self.events.iter().filter_map(|e| match e {
            StageEvent::StageStarted { round, .. } => Some(*round),
            _ => None,
        });
        rounds.max().unwrap_or(0)
    }

    /// What each stage cost, by the stages' order; a stage that was done again counts all of it.
    pub fn costs(&self) -> Vec<(usize, Usage)> {
        let mut all: Vec<(usize, Usage)> = Vec::new();
        for event in &self.events {
            if let StageEvent::StageCompleted { stage, spent, .. } = event {
                match all.iter_mut().find(|(n, _)| n == stage) {
                    Some((_, sum)) => sum.add(spent),
                    None => all.push((*stage, *spent)),
                }
            }
        }
        all
    }
}
