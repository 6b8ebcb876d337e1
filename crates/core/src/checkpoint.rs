//! Checkpoints: points where control passes to the user, and the answers each takes.
//!
//! Owns the kinds, their options and the reading of typed answers (T-17). Never resolves one: only
//! an input of the user does, through the session.

use serde::{Deserialize, Serialize};

use crate::{
    blob::BlobId,
    goal::PlannerError,
    ids::{CallId, CheckpointId, GateId, LaneId, ProposalId, RunId, TaskId},
    intent::{IntentNode, Phase},
    meant::Meant,
    policy::{By, Manner, Request, Ruling},
    sandbox::Confine,
    trust::Part,
};

/// An open question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checkpoint {
    /// Its id.
    pub id: CheckpointId,
    /// What is asked.
    pub kind: CheckpointKind,
    /// The question in words.
    pub message: String,
    /// The run it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<RunId>,
}

/// What a checkpoint asks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum CheckpointKind {
    /// Shall the plan run?
    Confirmation,
    /// Which of these, or what else? Asked by a lane's call, or about the message itself.
    Clarification {
        /// What can be chosen; free text is always possible as well.
        choices: Vec<String>,
        /// The lane that waits for the answer, if one does.
        lane: Option<LaneId>,
        /// The call of `ask_user` that waits.
        call: Option<CallId>,
        /// The turn that is to be understood, when the message itself is unclear.
        turn: Option<crate::ids::TurnId>,
    },
    /// A gate failed, or the run did.
    Failure(Failure),
    /// Unclear text came in during a run.
    Interruption {
        /// What was said.
        text: String,
    },
    /// Proposals wait for a decision, hunk by hunk.
    Diff {
        /// The lane that proposed them.
        lane: LaneId,
        /// The proposals.
        proposals: Vec<ProposalId>,
    },
    /// A command wants to run.
    Risk {
        /// The call that would run it.
        call: CallId,
        /// The gate it is, if it is one.
        gate: Option<GateId>,
        /// The exact command line.
        command: String,
        /// The folder it runs in, relative to the workspace; empty for its root.
        folder: String,
        /// The hash of exactly what is shown.
        shown: BlobId,
        /// How dangerous it is.
        risk: crate::shell::Risk,
        /// Why, in one sentence.
        why: String,
        /// How it would run.
        #[serde(default, skip_serializing_if = "Confine::is_bare")]
        confine: Confine,
        /// Why it asks for more than the sandbox gives, in the model's words; empty when it does not.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        reason: String,
        /// What decided that it asks.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        ruling: Option<Ruling>,
        /// Whether it deletes something.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        deletes: bool,
        /// What its words mean here; it cannot be allowed before that is known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        meant: Option<Box<Meant>>,
        /// What changed since it was allowed; empty when it is asked for the first time.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        changed: String,
        /// Whether that is something which the project brings, found before it began unasked.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        brought: bool,
        /// Names of the variables that it gets of the project.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        gives: Vec<String>,
    },
    /// A lane wants to go deeper than its message asked for.
    Transition {
        /// The lane.
        lane: LaneId,
        /// The call that waits for it.
        call: CallId,
        /// Where it is.
        from: IntentNode,
        /// Where it wants to be.
        to: IntentNode,
        /// Why, in the model's words.
        reason: String,
    },
    /// A call wants something that a rule asks about.
    Access {
        /// The call.
        call: CallId,
        /// What it wants.
        request: Request,
        /// The hash of exactly what is shown.
        shown: BlobId,
        /// The rule.
        ruling: Ruling,
    },
    /// May what the folder brings take effect?
    Trust {
        /// What it brings.
        parts: Vec<Part>,
        /// Every line of it.
        sheet: BlobId,
        /// The hash over all of it.
        shown: BlobId,
    },
    /// Leave although something runs?
    Exit,
    /// A pipeline stopped between two stages.
    PipelinePause {
        /// The stage that is done.
        stage: u32,
    },
    /// Leave a paused pipeline?
    Breakout {
        /// The message that asked for something else.
        original: String,
    },
}

/// What went wrong and where.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// The phase in which it happened: planning or executing.
    pub origin: Phase,
    /// The task it happened in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskId>,
    /// Its position in the plan, from 1; 0 outside a plan.
    #[serde(default)]
    pub step: usize,
    /// The gate that failed, if one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate: Option<GateId>,
    /// What happened.
    pub message: String,
    /// What the user can do about it.
    #[serde(default)]
    pub hint: String,
    /// What was wrong with the model's part, when a goal could not go on because of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub planner: Option<PlannerError>,
}

/// An answer to a checkpoint; which ones are legal depends on its kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// Yes, once.
    Approve,
    /// No, with a reason for the agent; empty for none.
    Reject(String),
    /// Give up what the checkpoint stands for.
    Abort,
    /// Take the choice with this number, from 0.
    Pick(usize),
    /// Free text.
    Text(String),
    /// Let the agent mend it.
    AutoFix,
    /// Leave it out and go on.
    Skip,
    /// Stop the run, keep the plan for later.
    Manual,
    /// Try again.
    Retry,
    /// Make another plan.
    Replan,
    /// Answer what was said and go on.
    Respond,
    /// Go on as before.
    Continue,
    /// The typed word that an irreversible thing wants.
    Word(String),
    /// Yes, and from now on what these rules say: for this session, or for good.
    Grant {
        /// The rules, exactly as they were shown.
        rules: Vec<String>,
        /// Whether they are kept in the user's file.
        lasting: bool,
    },
    /// Run this line, as it was shown or changed by the user; an empty one runs nothing.
    Line(String),
}

/// One way to answer, as it is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The key.
    pub key: &'static str,
    /// What it does.
    pub label: &'static str,
}

const fn choice(key: &'static str, label: &'static str) -> Choice {
    Choice { key, label }
}

impl CheckpointKind {
    /// The command that waits, as the rules are asked about it.
    pub fn command(&self) -> Option<Request> {
        let Self::Risk { command, folder, confine, gate, brought, .. } = self else { return None };
        let by = if gate.is_some() { By::Gate } else { By::Agent };
        Some(Request::command_in(command, folder, Manner { brought: *brought, ..Manner::of(*confine, by) }))
    }

    /// How the command that waits would run.
    pub const fn confine(&self) -> Option<Confine> {
        if let Self::Risk { confine, .. } = self { Some(*confine) } else { None }
    }

    /// The hash of what was shown, where an answer is bound to one.
    pub const fn shown(&self) -> Option<BlobId> {
        match self {
            Self::Risk { shown, .. } | Self::Access { shown, .. } | Self::Trust { shown, .. } => Some(*shown),
            Self::Confirmation
            | Self::Clarification { .. }
            | Self::Failure(_)
            | Self::Interruption { .. }
            | Self::Diff { .. }
            | Self::Transition { .. }
            | Self::Exit
            | Self::PipelinePause { .. }
            | Self::Breakout { .. } => None,
        }
    }

    /// Whether it holds the phase itself; at most one such is open, and typed words answer only it.
    pub const fn is_phase_own(&self) -> bool {
        match self {
            Self::Confirmation
            | Self::Clarification { .. }
            | Self::Failure(_)
            | Self::Interruption { .. }
            | Self::PipelinePause { .. }
            | Self::Breakout { .. }
            | Self::Exit => true,
            Self::Diff { .. }
            | Self::Risk { .. }
            | Self::Transition { .. }
            | Self::Access { .. }
            | Self::Trust { .. } => false,
        }
    }

    /// The keys and what they do, in the order in which they are drawn.
    pub fn choices(&self) -> Vec<Choice> {
        match self {
            Self::Confirmation => {
                vec![choice("y", "run the plan"), choice("n", "change it"), choice("e", "edit steps")]
            }
            Self::Clarification { .. } => vec![choice("1-9", "choose"), choice("q", "drop it")],
            Self::Failure(f) if f.gate.is_some() => vec![
                choice("a", "auto-fix"),
                choice("s", "skip"),
                choice("m", "manual"),
                choice("r", "retry"),
                choice("q", "abort"),
            ],
            Self::Failure(f) if f.planner.is_some() => {
                vec![choice("r", "try again"), choice("q", "give it up")]
            }
            Self::Failure(_) => {
                vec![choice("r", "try again"), choice("p", "modify the plan"), choice("a", "start over")]
            }
            Self::Interruption { .. } => {
                vec![choice("respond", "answer it"), choice("c", "continue"), choice("q", "abort")]
            }
            Self::Diff { .. } => vec![
                choice("a", "apply"),
                choice("s", "skip"),
                choice("e", "edit"),
                choice("d", "diff all"),
                choice("u", "up to plan"),
            ],
            Self::Risk { .. } => {
                let once = self.word().map_or(choice("y", "run once"), |w| choice(w, "type it to run once"));
                vec![once, choice("n", "deny")]
            }
            Self::Access { .. } => vec![choice("y", "allow once"), choice("n", "deny")],
            Self::Transition { .. } => vec![choice("y", "allow for this turn"), choice("n", "deny")],
            Self::Trust { .. } => {
                vec![choice("y", "trust it"), choice("n", "leave it off"), choice("v", "view")]
            }
            Self::Exit => vec![choice("y", "stop it and leave"), choice("n", "stay")],
            Self::PipelinePause { .. } => {
                vec![choice("1", "proceed"), choice("2", "modify"), choice("3", "exit")]
            }
            Self::Breakout { .. } => vec![choice("1", "yes, exit"), choice("2", "no, continue")],
        }
    }

    /// The word that must be typed before it goes on, where a plain yes is not enough.
    pub const fn word(&self) -> Option<&'static str> {
        match self {
            Self::Risk { risk: crate::shell::Risk::High, .. } => Some("proceed"),
            Self::Risk { deletes: true, .. } => Some("delete"),
            Self::Risk { .. }
            | Self::Confirmation
            | Self::Clarification { .. }
            | Self::Failure(_)
            | Self::Interruption { .. }
            | Self::Diff { .. }
            | Self::Transition { .. }
            | Self::Access { .. }
            | Self::Trust { .. }
            | Self::Exit
            | Self::PipelinePause { .. }
            | Self::Breakout { .. } => None,
        }
    }

    /// Reads a whole typed line as an answer; `None` when it is none and is a message instead.
    pub fn read(&self, line: &str) -> Option<Answer> {
        let word = line.trim().to_lowercase();
        let word = word.trim_end_matches(['.', '!']);
        match self {
            Self::Confirmation => match word {
                "y" | "yes" | "proceed" | "continue" | "a" | "auto" | "looks good" | "lgtm" | "go ahead"
                | "ok" | "okay" | "sure" | "do it" => Some(Answer::Approve),
                "n" | "no" => Some(Answer::Reject(String::new())),
                "q" | "quit" | "abort" | "cancel" => Some(Answer::Abort),
                _ => None,
            },
            Self::Clarification { turn: Some(_), .. } if NOES.contains(&word) => Some(Answer::Abort),
            Self::Clarification { turn: Some(_), .. } if YESES.contains(&word) => Some(Answer::Pick(0)),
            Self::Clarification { choices, .. } => match word {
                // A `!` begins a command of the user, whatever was asked.
                _ if word.starts_with('!') => None,
                "q" | "quit" | "abort" | "cancel" | "stop" => Some(Answer::Abort),
                _ => match word.parse::<usize>() {
                    Ok(n) if n >= 1 && n <= choices.len() => Some(Answer::Pick(n - 1)),
                    _ if word.is_empty() => None,
                    _ => Some(Answer::Text(line.trim().to_owned())),
                },
            },
            Self::Failure(f) => read_failure(f, word),
            Self::Interruption { .. } => match word {
                "respond" | "r" => Some(Answer::Respond),
                "continue" | "c" => Some(Answer::Continue),
                "abort" | "q" | "quit" | "cancel" => Some(Answer::Abort),
                _ => None,
            },
            Self::Exit => match word {
                "y" | "yes" => Some(Answer::Approve),
                "n" | "no" => Some(Answer::Reject(String::new())),
                _ => None,
            },
            Self::PipelinePause { .. } => match word {
                "1" | "proceed" => Some(Answer::Approve),
                "3" => Some(Answer::Abort),
                _ => None,
            },
            Self::Diff { .. }
            | Self::Risk { .. }
            | Self::Transition { .. }
            | Self::Access { .. }
            | Self::Trust { .. }
            | Self::Breakout { .. } => None,
        }
    }
}

/// Yes and no to "did you mean this as work?"
const YESES: [&str; 7] = ["y", "yes", "ok", "okay", "sure", "do it", "go ahead"];
const NOES: [&str; 2] = ["n", "no"];

fn read_failure(failure: &Failure, word: &str) -> Option<Answer> {
    match (failure.gate.is_some(), word) {
        (_, "r" | "retry" | "try again") => Some(Answer::Retry),
        (_, "q" | "quit" | "abort" | "cancel") => Some(Answer::Abort),
        (true, "a" | "auto" | "auto-fix" | "autofix" | "fix") => Some(Answer::AutoFix),
        (true, "s" | "skip") => Some(Answer::Skip),
        (true, "m" | "manual") => Some(Answer::Manual),
        (false, "p" | "replan" | "modify the plan") => Some(Answer::Replan),
        (false, "a" | "abandon" | "start over") => Some(Answer::Abort),
        _ => None,
    }
}
