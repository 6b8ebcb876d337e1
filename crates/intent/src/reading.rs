//! What the classifier says about a message: types only.
//!
//! Owns the shapes that the session and the command line read. Never computes them.

use serde::{Deserialize, Serialize};

use super::{
    IntentNode, IntentPath, PausedTurn,
    turn::{Control, Phase, PlanSub, QuerySub, Turn},
};
use crate::scope::{Approval, ToolScope};

/// A message and what surrounds it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Message<'a> {
    /// The words as typed.
    pub text: &'a str,
    /// Who holds control.
    pub phase: Phase,
    /// A stage pipeline waits for an answer.
    pub paused: bool,
    /// A plan is active.
    pub plan_active: bool,
    /// The user asked to stay in conversation.
    pub chat_only: bool,
    /// The last six messages, 200 characters each, oldest first.
    pub context: &'a [String],
    /// The last message that something was to be done about, where that is over.
    pub last: Option<Last>,
}

/// What the last message was that was no word to the workbench.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Last {
    /// Whether it ordered something, and what was done for it stands; otherwise it asked.
    pub order: bool,
    /// How far it went.
    pub node: super::IntentNode,
}

/// The tier that decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// A command by name.
    Slash,
    /// A leading `@node`.
    AtNode,
    /// An exemplar, or the statistics trained on labelled lines.
    Exemplar,
    /// Structure: forms, verbs, short answers.
    Heuristic,
    /// A language model.
    Llm,
    /// An earlier answer for the same message.
    Cache,
    /// Nothing spoke; the shallow path. Also what another version's log calls by a name not known here.
    #[serde(other)]
    Fallback,
}

impl Source {
    /// Its name in events and for scripts.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Slash => "slash",
            Self::AtNode => "at_node",
            Self::Exemplar => "exemplar",
            Self::Heuristic => "heuristic",
            Self::Llm => "llm",
            Self::Cache => "cache",
            Self::Fallback => "fallback",
        }
    }
}

/// The reading of one message or segment.
#[derive(Clone, Debug, PartialEq)]
pub struct Classification {
    /// Which code path handles it.
    pub turn: Turn,
    /// How deep it reaches.
    pub path: IntentPath,
    /// What it is about, when a name stands in it.
    pub target: Option<String>,
    /// 0 to 1, calibrated: of readings at 0.9 some nine in ten are right.
    pub confidence: f32,
    /// As the confidence, for what the turn may do: leaves that lead to the same tools count together.
    pub scope_confidence: f32,
    /// 0 to 1, for the sub of the turn.
    pub sub_confidence: f32,
    /// Which tier decided.
    pub source: Source,
    /// Why, for the inspector.
    pub reasoning: String,
}

impl Classification {
    /// What the path may do by itself.
    pub fn scope(&self) -> ToolScope {
        self.path.scope()
    }

    /// The approval that the path needs.
    pub fn approval(&self) -> Approval {
        self.path.approval()
    }
}

/// A part of a message.
#[derive(Clone, Debug, PartialEq)]
pub struct Segment {
    /// Its words.
    pub text: String,
    /// Its own reading.
    pub class: Classification,
    /// A later part withdrew it.
    pub dropped: bool,
}

/// What to ask back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Clarify {
    /// The verb has no object: "update" what?
    Vague,
    /// "Did you mean to execute this?"
    Execute,
    /// The wording asks, the statistics say act: answer or do it?
    AnswerOrDo,
    /// Nothing in the message can be read.
    Unclear,
}

/// Everything that the classifier reads from a message.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// What routing uses.
    pub whole: Classification,
    /// The message without its `@node` prefix.
    pub text: String,
    /// Its parts.
    pub segments: Vec<Segment>,
    /// The segments to execute, in order, after folding.
    pub ordered: Vec<usize>,
    /// A clause forbids changes.
    pub forbids_change: bool,
    /// The message forbids that anything runs, and no more.
    pub forbids_run: bool,
    /// What to ask before acting.
    pub clarify: Option<Clarify>,
    /// In a paused pipeline: resume or breakout.
    pub paused: Option<PausedTurn>,
    /// A slash command: name and arguments.
    pub slash: Option<(String, String)>,
    /// A shell line, typed as it is or after `!`.
    pub command: Option<String>,
}

/// One line of `pilothouse classify`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CliRow {
    /// The id of the line that was read.
    pub id: Option<String>,
    /// The path, root first.
    pub path: IntentPath,
    /// Its last node.
    pub leaf: IntentNode,
    /// `query`, `plan_new`, `plan_continue`, `control`; in a paused pipeline `resume` or `breakout`.
    pub turn: &'static str,
    /// The sub of the turn.
    pub sub: Option<&'static str>,
    /// What it is about.
    pub target: Option<String>,
    /// Of the reading.
    pub confidence: f32,
    /// Of the sub.
    pub sub_confidence: f32,
    /// The tier that decided.
    pub source: Source,
    /// What the path may do.
    pub scope: ToolScope,
    /// The approval that it needs.
    pub approval: Approval,
    /// The parts of the message.
    pub segments: Vec<CliSegment>,
    /// The turns that it is one after the other, where it orders and asks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub turns: Vec<CliTurn>,
    /// Why.
    pub reasoning: String,
    /// Time taken, in millionths of a second; measured by the caller.
    pub micros: u64,
}

/// A part of a message in a [`CliRow`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CliSegment {
    /// Its words.
    pub text: String,
    /// Its leaf.
    pub leaf: IntentNode,
    /// Its turn.
    pub turn: &'static str,
    /// A later part withdrew it.
    pub dropped: bool,
}

/// A turn of a message that is several in a [`CliRow`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CliTurn {
    /// Its words.
    pub text: String,
    /// Its reading.
    #[serde(flatten)]
    pub row: Box<CliRow>,
}

/// The line of `pilothouse classify` for a reading.
pub fn cli_row(id: Option<String>, reading: &Reading, micros: u64) -> CliRow {
    let class = &reading.whole;
    let (turn, sub) = turn_names(&class.turn);
    let turn = match reading.paused {
        Some(PausedTurn::Resume) => "resume",
        Some(PausedTurn::Breakout) => "breakout",
        None => turn,
    };
    CliRow {
        id,
        path: class.path.clone(),
        leaf: class.path.current(),
        turn,
        sub: if reading.paused.is_some() { None } else { sub },
        target: class.target.clone(),
        confidence: class.confidence,
        sub_confidence: class.sub_confidence,
        source: class.source,
        scope: class.scope(),
        approval: class.approval(),
        segments: reading
            .segments
            .iter()
            .map(|s| CliSegment {
                text: s.text.clone(),
                leaf: s.class.path.current(),
                turn: turn_names(&s.class.turn).0,
                dropped: s.dropped,
            })
            .collect(),
        turns: Vec::new(),
        reasoning: class.reasoning.clone(),
        micros,
    }
}

/// The names of a turn and its sub, as scripts read them.
pub fn turn_names(turn: &Turn) -> (&'static str, Option<&'static str>) {
    match turn {
        Turn::Query(sub) => (
            "query",
            sub.map(|s| match s {
                QuerySub::Detail => "detail",
                QuerySub::Provenance => "provenance",
                QuerySub::Summary => "summary",
                QuerySub::Lookup => "lookup",
            }),
        ),
        Turn::PlanNew(sub) => (
            "plan_new",
            sub.map(|s| match s {
                PlanSub::Compare => "compare",
                PlanSub::Predict => "predict",
            }),
        ),
        Turn::PlanContinue => ("plan_continue", None),
        Turn::Control(control) => (
            "control",
            match control {
                Control::ModeSwitch(_) => Some("mode_switch"),
                Control::Other(name) if name == Control::MANNER => Some("mode_switch"),
                Control::Reset => Some("reset"),
                Control::Redo => Some("redo_cmd"),
                Control::Help => Some("help"),
                Control::Status => Some("status"),
                Control::Exit => Some("exit"),
                Control::Cancel => Some("cancel"),
                Control::Replan => Some("replan"),
                Control::Approve | Control::Proceed | Control::Other(_) => None,
            },
        ),
    }
}
