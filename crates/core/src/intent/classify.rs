//! A message becomes a path. Placeholder with the final interface until the tiers land here.

use serde::{Deserialize, Serialize};

use super::{Control, IntentNode, IntentPath, Mode, Phase, Turn};

/// A message and what surrounds it.
#[derive(Clone, Copy, Debug)]
pub struct Message<'a> {
    /// What was said.
    pub text: &'a str,
    /// The phase it was said in.
    pub phase: Phase,
    /// Whether a pipeline is paused.
    pub paused: bool,
    /// Whether a plan is active.
    pub plan_active: bool,
    /// Whether conversation only was chosen.
    pub chat_only: bool,
    /// The last six messages, 200 characters each.
    pub context: &'a [String],
}

/// Which tier decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// A command.
    Slash,
    /// A node named with `@`.
    AtNode,
    /// Exemplars.
    Exemplar,
    /// Structure.
    Heuristic,
    /// A model.
    Llm,
    /// The cache.
    Cache,
    /// Nothing was sure.
    Fallback,
}

/// What a message is taken for.
#[derive(Clone, Debug, PartialEq)]
pub struct Classification {
    /// The kind of turn.
    pub turn: Turn,
    /// The target path.
    pub path: IntentPath,
    /// What it is about.
    pub target: Option<String>,
    /// 0 to 1.
    pub confidence: f32,
    /// 0 to 1, of the sub-intent.
    pub sub_confidence: f32,
    /// Which tier decided.
    pub source: Source,
    /// Why, in words.
    pub reasoning: String,
}

/// A part of a message.
#[derive(Clone, Debug, PartialEq)]
pub struct Segment {
    /// Its text.
    pub text: String,
    /// What it is taken for.
    pub class: Classification,
    /// Whether a later part took it back.
    pub dropped: bool,
}

/// What to ask when a message is not clear.
#[derive(Clone, Debug, PartialEq)]
pub struct Clarify {
    /// The question.
    pub question: String,
}

/// What a message means to a paused pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PausedTurn {
    /// It goes on.
    Resume,
    /// It wants out.
    Breakout,
}

/// A message, read.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// What routing uses.
    pub whole: Classification,
    /// The message without its `@node`.
    pub text: String,
    /// Its parts.
    pub segments: Vec<Segment>,
    /// Parts to execute, in order.
    pub ordered: Vec<usize>,
    /// Whether it forbids changes.
    pub forbids_change: bool,
    /// What to ask first.
    pub clarify: Option<Clarify>,
    /// For a paused pipeline.
    pub paused: Option<PausedTurn>,
    /// A command and its arguments.
    pub slash: Option<(String, String)>,
    /// A shell line typed as it is.
    pub command: Option<String>,
}

/// The classifier.
#[derive(Debug, Default)]
pub struct Classifier;

impl Classifier {
    /// The built-in one.
    pub fn builtin() -> &'static Self {
        &Self
    }

    /// Reads a message.
    pub fn read(&self, m: &Message<'_>) -> Reading {
        let text = m.text.trim();
        let slash = text.strip_prefix('/').map(|rest| {
            let (name, args) = rest.split_once(' ').unwrap_or((rest, ""));
            (name.to_owned(), args.trim().to_owned())
        });
        let (node, text) = match text.strip_prefix('@').and_then(|r| {
            let (name, rest) = r.split_once(' ').unwrap_or((r, ""));
            Some((name.parse::<IntentNode>().ok()?, rest.trim()))
        }) {
            Some((node, rest)) => (Some(node), rest),
            None => (None, text),
        };
        let command = text.strip_prefix('!').map(|c| c.trim().to_owned());
        let first = text.split_whitespace().next().unwrap_or_default().to_lowercase();
        let guess = match first.as_str() {
            "add" | "create" => IntentNode::Create,
            "fix" | "rename" | "replace" | "change" | "make" | "edit" => IntentNode::Modify,
            "delete" => IntentNode::Delete,
            "run" | "test" => IntentNode::Execute,
            "find" | "show" | "list" | "where" => IntentNode::Read,
            _ if command.is_some() => IntentNode::Execute,
            _ => IntentNode::Explain,
        };
        let path = IntentPath::to(node.unwrap_or(guess));
        let turn = match text.to_lowercase().as_str() {
            "stop" | "cancel" => Turn::Control(Control::Cancel),
            "switch to proof mode" => Turn::Control(Control::ModeSwitch(Mode::Proof)),
            "also" => Turn::PlanContinue,
            _ if path.scope().allows(crate::scope::Capability::Execute) => Turn::PlanNew(None),
            _ => Turn::Query(None),
        };
        let source = if node.is_some() { Source::AtNode } else { Source::Heuristic };
        let whole = Classification {
            turn,
            path,
            target: None,
            confidence: 0.9,
            sub_confidence: 0.0,
            source,
            reasoning: "first word".into(),
        };
        let segments = vec![Segment { text: text.to_owned(), class: whole.clone(), dropped: false }];
        Reading {
            whole,
            text: text.to_owned(),
            segments,
            ordered: vec![0],
            forbids_change: text.contains("don't change"),
            clarify: None,
            paused: None,
            slash,
            command,
        }
    }
}
