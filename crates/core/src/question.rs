//! Questions: what each kind asks, what is shown of it, and which answers it takes.
//!
//! Owns what all kinds have in common: the specification that bar, list, overlays, headless runs and
//! typed words are driven by, the two traits of a kind, and the one list of kinds. A kind has a file
//! below and its line here; what an answer does is decided where the session asks.
#![expect(clippy::wildcard_enum_match_arm, reason = "whatever a kind does not name does not answer it")]

mod access;
mod breakout;
mod budget;
mod clarification;
mod command;
mod commit;
mod diff;
mod exit;
mod failure;
mod form;
mod gap;
mod gate_change;
mod interruption;
mod pause;
mod pipeline;
mod plan;
mod remember;
mod server;
mod source;
mod spec;
#[cfg(test)]
mod tests;
mod transition;
mod trust;
mod undo;
mod undo_all;

pub use access::Access;
pub use breakout::Breakout;
pub use budget::{BudgetAnswer, BudgetQuestion};
pub use clarification::{Clarification, ClarificationAnswer};
pub use command::{CommandAnswer, CommandQuestion, WITHHELD};
pub use commit::{CommitAnswer, CommitQuestion, NOTE};
pub use diff::{Review, files_wait, praises};
pub use exit::Exit;
pub use failure::{AGENT_ASKS, Failure, FailureAnswer, PLACE};
pub use form::{FormAnswer, FormField, FormQuestion};
pub use gap::{Gap, GapAnswer};
pub use gate_change::GateChange;
pub use interruption::{Interruption, InterruptionAnswer};
pub use pause::Paused;
pub use pipeline::{PauseAnswer, PipelinePause};
pub use plan::{Confirmation, PlanAnswer};
pub use remember::Remember;
pub use server::{ServerAnswer, ServerQuestion};
pub use source::{SourceAnswer, SourceQuestion};
pub use spec::{Act, Choice, Danger, Place, Reach, Role, Spec, Tone, Unattended};
pub use transition::Transition;
pub use trust::{TrustAnswer, TrustQuestion};
pub use undo::{UndoAnswer, UndoQuestion};
pub use undo_all::UndoAllQuestion;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{
    blob::BlobId,
    checkpoint::{Answer, Checkpoint},
    ids::{CallId, LaneId, ProposalId},
    intent::Leave,
    plan::Plan,
    proposal::Proposal,
    refusal::Refusal,
};

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
                    $($crate::question::CheckpointKind::$name($d question) => $d body,)*
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
    /// Another command is proposed for a gate.
    GateChange(GateChange),
    /// Shall this be remembered?
    Remember(Remember),
    /// A call wants something that a rule asks about.
    Access(Access),
    /// May what the folder brings take effect?
    Trust(TrustQuestion),
    /// Leave, or start over, although something is at stake?
    Exit(Exit),
    /// A pipeline stopped between two stages.
    PipelinePause(PipelinePause),
    /// Leave a paused pipeline?
    Breakout(Breakout),
    /// Shall this be committed?
    Commit(CommitQuestion),
    /// What becomes of the steps that need one which was left out?
    Gap(Gap),
    /// A budget is spent: raise it or stop?
    Budget(BudgetQuestion),
    /// The run came to a place where its plan pauses.
    Paused(Paused),
    /// A tool of a source wants to be called.
    Source(SourceQuestion),
    /// A source asks something in the middle of a call.
    Form(FormQuestion),
    /// May a server start that the client of this session names?
    Server(ServerQuestion),
    /// Take back also what may be somebody else's?
    Undo(UndoQuestion),
    /// Take back everything that was written?
    UndoAll(UndoAllQuestion),
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

    /// The line that can be changed before a yes, if there is one: a command, a message.
    pub fn line(&self) -> Option<&str> {
        self.question().line()
    }

    /// What it takes where its run is told to go on: a pause ends, and a gate that failed runs again.
    pub const fn resumption(&self) -> Option<Answer> {
        match self {
            Self::Paused(_) => Some(Answer::Continue),
            Self::Failure(failure) if failure.gate.is_some() => Some(Answer::Again),
            _ => None,
        }
    }

    /// Whether a gate failed and what becomes of it is asked.
    pub fn is_red_gate(&self) -> bool {
        matches!(self, Self::Failure(failure) if failure.gate.is_some())
    }

    /// Whether it asks what is taken back of what was written.
    pub const fn takes_back(&self) -> bool {
        matches!(self, Self::Undo(_) | Self::UndoAll(_))
    }

    /// The budget that is asked about, if one is.
    pub const fn budget(&self) -> Option<&BudgetQuestion> {
        if let Self::Budget(asked) = self { Some(asked) } else { None }
    }

    /// The proposals under review, if it is about some.
    pub const fn review(&self) -> Option<&Review> {
        if let Self::Diff(review) = self { Some(review) } else { None }
    }

    /// Whether words answer it: hunks are decided in the diff, and what a folder or a client brings where it is seen.
    pub const fn takes_words(&self) -> bool {
        !matches!(self, Self::Diff(_) | Self::Trust(_) | Self::Server(_))
    }

    /// What it asks leave for, where a yes and a no are all that there is to say to it and it holds no phase.
    pub fn leave(&self) -> Option<Leave> {
        let leave = match self {
            Self::Risk(_) => Leave::Run,
            Self::Commit(_) => Leave::Commit,
            Self::Transition(_) => Leave::Change,
            Self::Source(_) => Leave::Call,
            Self::Access(_) | Self::GateChange(_) => Leave::Else,
            _ => return None,
        };
        (!self.is_phase_own()).then_some(leave)
    }

    /// Whether it asks which of two a message answers.
    pub const fn asks_which(&self) -> bool {
        matches!(self, Self::Clarification(about) if about.beside.is_some())
    }

    /// Whether it asks back what a message means.
    pub const fn asks_back(&self) -> bool {
        match self {
            Self::Clarification(about) => about.turn.is_some(),
            Self::Interruption(_) => true,
            _ => false,
        }
    }

    /// Whether a run waits for its answer at the next safe point.
    pub fn holds_run(&self) -> bool {
        match self {
            Self::Interruption(_) | Self::Gap(_) | Self::Paused(_) => true,
            _ => self.held().is_some_and(|of| of.kind.holds_run()),
        }
    }

    /// The question that stands aside while this one is open.
    pub fn held(&self) -> Option<&Checkpoint> {
        if let Self::Exit(exit) = self { exit.held.as_deref() } else { None }
    }

    /// Whether it gives way to a question of more weight: the phase asks it again by itself.
    pub const fn gives_way(&self) -> bool {
        matches!(self, Self::Confirmation(_) | Self::Failure(_))
    }

    /// Whether it asks for leave to go.
    pub const fn is_exit(&self) -> bool {
        matches!(self, Self::Exit(exit) if !exit.over)
    }

    /// Whether it asks for leave to start over.
    pub const fn is_reset(&self) -> bool {
        matches!(self, Self::Exit(exit) if exit.over)
    }

    /// Whether the plan that it is about can be edited meanwhile: it waits, or its run pauses.
    pub const fn is_at_plan(&self) -> bool {
        matches!(self, Self::Confirmation(_) | Self::Paused(_))
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
        self.question().ties().phase_own
    }

    /// The call that waits for its answer, if one does.
    pub fn call(&self) -> Option<CallId> {
        self.question().ties().call
    }

    /// The lane that it names, if it names one.
    pub fn lane(&self) -> Option<LaneId> {
        self.question().ties().lane
    }

    /// The ways to answer that are drawn, in their order.
    pub fn choices(&self) -> Vec<Choice> {
        self.question().choices().into_iter().filter(|c| !c.key.is_empty()).collect()
    }

    /// What a lone yes or no answers; `None` where it does not say enough.
    pub fn lone(&self, said: Lone) -> Option<Answer> {
        self.question().lone(said)
    }

    /// How it is answered, for whoever said something else.
    pub fn how(&self) -> String {
        if self.review().is_some() {
            return "the changes are waiting in the diff: y takes a hunk there, n leaves it, a writes what you took; `stop` ends the run"
                .to_owned();
        }
        let own = if matches!(self, Self::Clarification(_)) { "; or say it in your own words" } else { "" };
        format!("that doesn't say which one: {}{own}", self.question().ways().join(", "))
    }

    /// Reads a whole typed line as an answer; `None` when it is none and is a message instead.
    pub fn read(&self, line: &str) -> Option<Answer> {
        self.question().read(line)
    }
}

/// A yes or a no and nothing else: a typed line, or the answer to a question that takes no more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lone {
    /// Yes.
    Yes,
    /// No.
    No,
}

impl Lone {
    /// The yes or no that a line is, if it is one.
    pub fn of(line: &str) -> Option<Self> {
        match word(line).as_str() {
            "y" | "yes" | "yes please" | "yep" | "yeah" => Some(Self::Yes),
            "n" | "no" | "no thanks" | "nope" => Some(Self::No),
            _ => None,
        }
    }

    /// The same of an answer: a yes, or one that the question takes for a no.
    fn given(given: &Answer, no: bool) -> Result<Self, Refusal> {
        match given {
            Answer::Approve => Ok(Self::Yes),
            _ if no => Ok(Self::No),
            _ => Err(wrong()),
        }
    }
}

/// What a question is about beside its own data.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// The active plan.
    pub plan: Option<&'a Plan>,
    /// Everything that was proposed.
    pub proposals: &'a BTreeMap<ProposalId, Proposal>,
    /// That nothing checks the active plan, where it began by itself and nobody was told so.
    pub unchecked: Option<&'a str>,
    /// What stopping or leaving would set aside by now.
    pub stake: &'a [String],
    /// What starting over would forget by now.
    pub lost: &'a [String],
    /// Whether something runs by now that leaving would stop.
    pub running: bool,
}

/// What the conversation keeps of a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Card {
    /// An entry with the question and what became of it.
    Question {
        /// The numbered choices.
        choices: Vec<String>,
        /// What can be done, where something failed.
        failed: Option<String>,
    },
    /// The card of the plan says it.
    Plan,
    /// A row about these proposals, while they wait.
    Review(Vec<ProposalId>),
    /// Nothing: what it is about has its own entry.
    Nothing,
}

/// What a question hangs on.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ties {
    /// The call that waits for the answer, if one does.
    pub call: Option<CallId>,
    /// The lane that it names, if it names one.
    pub lane: Option<LaneId>,
    /// Whether it holds the phase itself; at most one such is open, and typed words answer only it.
    pub phase_own: bool,
    /// Whether the phase asks it again when another question took its place.
    pub comes_back: bool,
    /// Whether it stays when the work of its lane ends, or when it has none.
    pub outlives_work: bool,
    /// Whether someone who looks elsewhere is not told of it.
    pub quiet: bool,
}

/// What a kind of question says of itself.
pub trait Question {
    /// The ways to answer, in the order in which they are drawn, with the words that stand for them.
    fn choices(&self) -> Vec<Choice>;

    /// Fills in what is shown of it beside its message and its choices.
    fn describe(&self, spec: &mut Spec, asked: &Asked<'_>);

    /// Reads a whole typed line as an answer; `None` when it is none.
    fn read(&self, line: &str) -> Option<Answer> {
        let word = word(line);
        self.choices().into_iter().find(|c| c.words.contains(&word.as_str())).and_then(|c| c.act.given())
    }

    /// What a whole line that chooses to say something in words asks for; `None` when it chooses no such thing.
    fn asks_for_words(&self, _line: &str) -> Option<&'static str> {
        None
    }

    /// Whether a whole line is a choice that was given as often as it may be, and is offered no more.
    fn is_used_up(&self, _line: &str) -> bool {
        false
    }

    /// The ways to answer with their keys, in words.
    fn ways(&self) -> Vec<String> {
        let shown = self.choices().into_iter().filter(|c| !c.key.is_empty());
        shown.map(|c| format!("{} {}", c.key, c.label)).collect()
    }

    /// What a lone yes or no answers; `None` where it does not say enough. A yes that is not enough
    /// by itself is refused with the word that is.
    fn lone(&self, said: Lone) -> Option<Answer> {
        let role = match said {
            Lone::Yes => Role::Take,
            Lone::No => Role::Deny,
        };
        let choice = self.choices().into_iter().find(|c| c.role == role);
        match (said, choice.map(|c| c.act)) {
            (_, Some(Act::Give(answer))) => Some(answer),
            (Lone::Yes, Some(Act::Word(_))) => Some(Answer::Approve),
            (Lone::No, Some(Act::Reason)) => Some(Answer::Reject(String::new())),
            (Lone::Yes, _) => self.read("y"),
            (Lone::No, _) => self.read("n"),
        }
    }

    /// What an answer came to, in a word for the record; `None` where the answer says it itself.
    fn ended(&self, _answer: &Answer) -> Option<&'static str> {
        None
    }

    /// What it hangs on.
    fn ties(&self) -> Ties {
        Ties::default()
    }

    /// The hash of what is shown, where an answer is bound to one.
    fn shown(&self) -> Option<BlobId> {
        None
    }

    /// The line that can be changed before a yes, if there is one.
    fn line(&self) -> Option<&str> {
        None
    }

    /// What the conversation keeps of it.
    fn card(&self) -> Card {
        Card::Question { choices: Vec::new(), failed: None }
    }
}

/// A kind of question with the answers that it takes.
pub trait Accept: Question {
    /// Its answers.
    type Answer;

    /// What is meant by an answer, as it is stored: a line that changes nothing is a plain yes.
    fn meant(&self, given: Answer) -> Answer {
        given
    }

    /// The answer in its own type.
    ///
    /// # Errors
    /// When it is none to this question.
    fn accept(&self, given: Answer) -> Result<Self::Answer, Refusal>;
}

/// Told of an answer that a question does not take.
pub(crate) fn wrong() -> Refusal {
    Refusal::new("that doesn't answer this question; choose one of the answers shown")
}

/// A typed line as words are compared.
fn word(line: &str) -> String {
    line.trim().to_lowercase().trim_end_matches(['.', '!']).to_owned()
}
