//! Checkpoints: points where control passes to the user, as they are stored.
//!
//! Owns the one list of kinds and the stored form of answers. What a kind asks, shows and takes is
//! in its own file below [`crate::question`]. Never resolves one: only an input of the user does.

use serde::{Deserialize, Serialize};

use crate::{
    blob::BlobId,
    ids::{CallId, CheckpointId, LaneId, RunId},
    question::{
        Access, Asked, Breakout, Choice, Clarification, CommandQuestion, Confirmation, Exit, Interruption,
        PipelinePause, Question, Review, Spec, Transition, TrustQuestion,
    },
};

pub use crate::question::Failure;

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

impl Checkpoint {
    /// All that a screen or a script shows of it, and how it is answered.
    pub fn spec(&self, asked: &Asked<'_>) -> Spec {
        Spec::of(self.kind.question(), &self.message, asked)
    }
}

/// Makes the kinds of a list, and `of_kind!`, which does the same to a question of any kind.
macro_rules! kinds {
    ($d:tt $($(#[$doc:meta])* $name:ident($question:ty),)*) => {
        /// What a checkpoint asks.
        #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case", tag = "kind")]
        pub enum CheckpointKind {
            $($(#[$doc])* $name($question),)*
        }

        $(impl From<$question> for CheckpointKind {
            fn from(question: $question) -> Self {
                Self::$name(question)
            }
        })*

        macro_rules! of_kind {
            ($d kind:expr, $d question:ident => $d body:expr) => {
                match $d kind {
                    $($crate::checkpoint::CheckpointKind::$name($d question) => $d body,)*
                }
            };
        }
        pub(crate) use of_kind;
    };
}

// The names are stored: they stay.
kinds! { $
    /// Shall the plan run?
    Confirmation(Confirmation),
    /// Which of these, or what else?
    Clarification(Clarification),
    /// A gate failed, or the run did.
    Failure(Failure),
    /// Unclear text came in during a run.
    Interruption(Interruption),
    /// Proposals wait for a decision, hunk by hunk.
    Diff(Review),
    /// A command wants to run.
    Risk(CommandQuestion),
    /// A lane wants to go deeper than its message asked for.
    Transition(Transition),
    /// A call wants something that a rule asks about.
    Access(Access),
    /// May what the folder brings take effect?
    Trust(TrustQuestion),
    /// Leave although something runs?
    Exit(Exit),
    /// A pipeline stopped between two stages.
    PipelinePause(PipelinePause),
    /// Leave a paused pipeline?
    Breakout(Breakout),
}

impl CheckpointKind {
    /// What every kind says of itself.
    pub fn question(&self) -> &dyn Question {
        of_kind!(self, question => question)
    }

    /// The command that waits, if one does.
    pub const fn command(&self) -> Option<&CommandQuestion> {
        if let Self::Risk(command) = self { Some(command) } else { None }
    }

    /// The proposals under review, if it is about some.
    pub const fn review(&self) -> Option<&Review> {
        if let Self::Diff(review) = self { Some(review) } else { None }
    }

    /// Whether it asks for a plan's approval.
    pub const fn is_confirmation(&self) -> bool {
        matches!(self, Self::Confirmation(_))
    }

    /// The hash of what was shown, where an answer is bound to one.
    pub fn shown(&self) -> Option<BlobId> {
        self.question().shown()
    }

    /// Whether it holds the phase itself; at most one such is open, and typed words answer only it.
    pub fn is_phase_own(&self) -> bool {
        self.question().is_phase_own()
    }

    /// The call that waits for its answer, if one does.
    pub fn call(&self) -> Option<CallId> {
        self.question().call()
    }

    /// The lane that it names, if it names one.
    pub fn lane(&self) -> Option<LaneId> {
        self.question().lane()
    }

    /// The ways to answer that are drawn, in their order.
    pub fn choices(&self) -> Vec<Choice> {
        self.question().choices().into_iter().filter(|c| !c.key.is_empty()).collect()
    }

    /// Reads a whole typed line as an answer; `None` when it is none and is a message instead.
    pub fn read(&self, line: &str) -> Option<Answer> {
        self.question().read(line)
    }
}

/// An answer to a checkpoint, as it is given and stored; what a kind makes of it is its own type.
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
