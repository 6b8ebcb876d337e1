//! The state of a session, and the work that follows from it.
//!
//! Owns the data that events fold into. Never decides anything.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use crate::{
    about::About,
    blob::BlobId,
    checkpoint::{Checkpoint, Failure},
    commit::CommitFile,
    event::Proof,
    fact::{Facts, UserWords},
    goal::Tried,
    hook::{Hook, HookRun},
    ids::{
        ApplyId, ApprovalId, CallId, CheckpointId, EvidenceId, GateId, LaneId, Millis, ProposalId, RunId,
        Seq, TurnId,
    },
    intent::{IntentNode, IntentPath, Mode, Phase, Source, TierAnswer, Turn},
    memory::{MemoryChange, Note},
    money::Unit,
    outcome::Exit,
    pipeline::Depth,
    plan::{Begun, Plan, ProvenTree},
    policy::Rule,
    proposal::{Proposal, ProposalStatus},
    recipe::Directed,
    relpath::RelPath,
    sandbox::Sandbox,
    scope::{PermissionMode, ToolScope},
    session::{
        Accounts, Apply, Lane, Pipeline, TaskFault, Transcript, accounts::Bound, beside::Hand,
        candidates::Candidates, changes::Changes, stopped::Stopped, unreviewed::Unreviewed, written::Origins,
    },
    source::SeenTools,
    talk::Usage,
    trust::{Given, Trust, TrustRequest},
    work::{SeenParts, Work},
};

mod queue;

pub use queue::Queue;

/// Everything that is true now.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    /// The last event folded in.
    pub seq: Seq,
    /// The highest id given so far.
    pub(super) last_id: u64,
    /// When the last event happened.
    pub at: Millis,
    /// The session's name.
    pub slug: String,
    /// The workspace, as the user would name it.
    pub folder: String,
    /// The mode.
    pub mode: Mode,
    /// Whether the mode was chosen, or inferred once.
    pub(super) mode_said: bool,
    /// Pieces of work that were asked for so far.
    pub(super) tasks: u32,
    /// The user's ceiling.
    pub permission: PermissionMode,
    /// The sandbox that commands have.
    pub sandbox: Sandbox,
    /// Whether conversation only was chosen.
    pub chat_only: bool,
    /// Whether what the project brings along has effect.
    pub trust: Trust,
    /// Variables that commands get from the trusted folder.
    pub(super) given: Option<Given>,
    /// What is wanted of it and not done yet.
    pub(super) seeking: Option<TrustRequest>,
    /// The hooks that are called.
    pub hooks: Vec<Hook>,
    /// Hooks that were called and have not ended.
    pub hook_runs: BTreeMap<CallId, HookRun>,
    /// Who holds control.
    pub phase: Phase,
    /// The active plan.
    pub plan: Option<Plan>,
    /// The plan set aside last.
    pub suspended: Option<Plan>,
    /// Unfinished plans set aside before it, the oldest first.
    pub earlier: Vec<Plan>,
    /// Plans made beside each other for the one that waits.
    pub(super) candidates: Candidates,
    /// Versions of plans that another took the place of, the oldest first.
    pub(super) former: Arc<Vec<Plan>>,
    /// Why the phase is failed.
    pub failure: Option<Failure>,
    /// The turn whose planning or run failed last.
    pub(super) failed: Option<TurnId>,
    /// The turn that was to be answered last, where its model failed.
    pub(super) failed_answer: Option<TurnId>,
    /// The turn that was to be answered or planned last, where the user or the program's end stopped that.
    pub(super) cut_short: Option<TurnId>,
    /// What became of the message whose own line of work ended last without a plan.
    pub(super) ended: Option<Ended>,
    /// How long the work without a plan took that the user stopped last; nothing was said since.
    pub(crate) stopped_after: Option<Millis>,
    /// How the command ended that the user typed last; nothing was said since.
    pub(crate) typed_ended: Option<Exit>,
    /// Why the last message got no answer, where its model failed.
    pub unanswered: Option<String>,
    /// The run under way.
    pub run: Option<Run>,
    /// Open questions.
    pub open: BTreeMap<CheckpointId, Checkpoint>,
    /// When each open question was asked, by place in the log and by the clock.
    pub(super) asked: BTreeMap<CheckpointId, (Seq, Millis)>,
    /// What waits until the run ends.
    pub queue: Queue,
    /// Messages that are not understood yet, in their order.
    pub pending_messages: VecDeque<PendingMessage>,
    /// Counts what a reading depends on: changes of phase, plan, mode and ceiling.
    pub(super) epoch: u32,
    /// Answers of later tiers that hold while their key does, oldest first.
    pub(super) memory: VecDeque<(BlobId, TierAnswer)>,
    /// Lines of work.
    pub lanes: BTreeMap<LaneId, Lane>,
    /// Commands and writes of tasks, in the order in which they were let: one at a time.
    pub(super) hands: Vec<Hand>,
    /// Proposals and the writes that they became.
    pub(super) changes: Arc<Changes>,
    /// Where each entry of the ledger comes from.
    pub(super) origins: Arc<Origins>,
    /// Turns.
    pub turns: BTreeMap<TurnId, Arc<TurnInfo>>,
    /// The last turn.
    pub turn: Option<TurnId>,
    /// Messages of the user and final replies, by place in the log.
    pub history: Vec<Seq>,
    /// The last of them with their beginnings: what a message may refer to.
    pub(super) recent: VecDeque<Said>,
    /// How the last answer of the main line, or of a question beside it, ends, and where in the log it stands.
    pub(super) last_word: String,
    pub(super) last_word_at: Seq,
    /// Where the last plan was set aside.
    pub(super) shelved: Seq,
    /// Where the last one was of which something is left, or which the user did not want.
    pub(super) left_off: Seq,
    /// Whether the last thing that was done is that the user took something back: "redo" gives it back.
    pub(super) took_back: bool,
    /// What everything cost.
    pub usage: Usage,
    /// Who of it spent what.
    pub accounts: Accounts,
    /// What was said of how much may be spent, and what goes before it until the session is opened again.
    pub(super) budgets: BTreeMap<Unit, Bound>,
    pub(super) brief_budgets: BTreeMap<Unit, Bound>,
    /// Model calls that were stopped; their partial text may still come.
    pub(super) cut: BTreeMap<CallId, (TurnId, LaneId)>,
    /// Commands that were stopped; what they changed may still come.
    pub(super) stopped: BTreeMap<CallId, Stopped>,
    /// The workspace that each gate's evidence stands for.
    pub(super) trees: BTreeMap<EvidenceId, ProvenTree>,
    /// What the agent wrote or fetched and nobody reviewed.
    pub unreviewed: Unreviewed,
    /// What the user allowed for this session.
    pub granted: Vec<Rule>,
    /// Rules that are being kept in the user's file.
    pub(super) keeping: BTreeMap<ApprovalId, Vec<String>>,
    /// Changes of memories that are being made.
    pub(super) remembering: BTreeMap<ApprovalId, MemoryChange>,
    /// Notes that the user did not want.
    pub(super) unwanted: Vec<Note>,
    /// Instructions of folders that were told, by the line beside the main one that was told them.
    pub(super) instructed: BTreeSet<(Option<LaneId>, RelPath)>,
    /// What went wrong last, in words, until a run ends well.
    pub(super) mishap: Option<String>,
    /// Whether the user was told that the model writes its calls as text.
    pub(super) told_no_calls: bool,
    /// Whether the user was told that trust lets a planning run the project's checks.
    pub(super) told_to_trust: bool,
    /// Repairs of the run's gates since one of them was green.
    pub(super) repairs: u32,
    /// Other ways that were tried for them so far.
    pub(super) detours: u32,
    /// The plan whose run began last: "go on" takes it up as it began.
    pub(super) begun: Option<Begun>,
    /// Whether the plan goes on once the changes that wait are decided.
    pub(super) goes_on: bool,
    /// Lines of gates that the user said yes to, exactly as they stand there.
    pub(super) approved_gates: BTreeSet<String>,
    /// The project's own checks among those that the question about the folder named.
    pub(super) shown_checks: Vec<String>,
    /// What the last step or repair of the run asked with its last words.
    pub(super) asked_last: Option<String>,
    /// Lines that the user let run for the session, at the workspace's root and with nothing beyond the usual.
    pub(super) allowed_lines: BTreeSet<String>,
    /// What a model is told of all this.
    pub transcript: Transcript,
    /// The summary that is being made.
    pub compacting: Option<Compacting>,
    /// The call for a title that is open.
    pub titling: Option<CallId>,
    /// The turn in which none came.
    pub(super) uncompacted: Option<TurnId>,
    /// The hash that each file had when the main line last saw or wrote it.
    pub(super) seen: BTreeMap<RelPath, BlobId>,
    pub(super) parts: SeenParts,
    /// What git is asked about, or what it makes.
    pub(super) committing: Option<(CallId, CommitStage)>,
    /// The commit that was asked about with a message of the facts alone, which nobody worded.
    pub(super) unworded: Option<CallId>,
    /// The file that is to be a plan, and the message that asked for it.
    pub(super) plan_sought: Option<(CallId, TurnId, RelPath)>,
    /// Tools of sources that were seen.
    pub sources: Arc<SeenTools>,
    /// What is known.
    pub facts: Arc<Facts>,
    /// The last pipeline.
    pub pipeline: Option<Arc<Pipeline>>,
    /// The branch of the workspace when it was opened or a message was said last.
    pub(super) branch: Option<String>,
    /// What the user said of the session as a whole.
    pub about: About,
    /// The connection or the model that was chosen; the main one without.
    pub model: Option<String>,
    /// How deep pipelines go, where that was said.
    pub(super) depth: Option<Depth>,
    /// A question that facts answer if they still stand.
    pub(super) recalling: Option<(TurnId, Vec<String>)>,
    /// The words of what the user wrote and answered.
    pub(super) said: Arc<UserWords>,
}

/// The execution of a plan or a goal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// Its id.
    pub id: RunId,
    /// The turn that asked for it.
    pub turn: TurnId,
    /// When it began.
    pub began: Millis,
    /// How long it waited for the user since.
    pub waited: Millis,
    /// The approval of its plan.
    pub approval: Option<ApprovalId>,
    /// Files that it changed.
    pub files: BTreeSet<RelPath>,
    /// Lines that it added or removed.
    pub lines: u64,
    /// The commands of a goal, oldest first; `None` for every other run.
    pub tried: Option<Vec<Tried>>,
    /// The task of it that failed: it ends once the others at work have.
    pub fault: Option<TaskFault>,
    /// Whether the wider path was refused that it asked for last.
    pub refused: bool,
    /// Whether the user stopped one of its steps: it ends once the others at work have.
    pub stopped: bool,
    /// The look whether its gates were run on the files as they are, before it ends.
    pub looking: Option<CallId>,
    /// How often such a look found that they were not.
    pub overtaken: u32,
    /// Gates beside which files changed.
    pub writing_gates: BTreeSet<GateId>,
    /// The command of its agent that failed last, with its call, while nothing after it answers for it.
    pub broke: Option<(crate::completion::LastRun, CallId)>,
    /// The checks of its agent that failed last.
    pub red: Vec<super::RedCheck>,
    /// The command of its agent that ended last since its last change, with its call.
    pub after: Option<(crate::completion::LastRun, CallId)>,
    /// Lines of gates that have another one now.
    pub replaced: Vec<(GateId, String)>,
    /// How its gates were red last.
    pub reds: BTreeMap<GateId, Proof>,
    /// How often the repair of a gate began since the user last said how, whatever was green in between.
    pub repairs: BTreeMap<GateId, u32>,
    /// Calls to sources that ended well.
    pub called: usize,
}

/// What became of a message whose own line of work ended without a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ended {
    /// The message.
    pub turn: TurnId,
    /// Whether it got neither an answer nor a reason why there is none.
    pub nothing: bool,
}

/// A summary that is being made of what was said earlier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compacting {
    /// The call.
    pub call: CallId,
    /// The last event that it sums up.
    pub upto: Seq,
    /// What the user wants kept in it.
    pub keep: String,
    /// Whether the last summary is made anew.
    pub again: bool,
    /// The model call that waits for it.
    pub held: Option<CallId>,
}

/// How far a commit is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum CommitStage {
    /// Git looks what it has of these files.
    Look {
        /// The files, each with what the session wrote last.
        files: Vec<(RelPath, Option<BlobId>)>,
        /// The message, where one was given.
        message: String,
    },
    /// It is being made.
    Make {
        /// The files.
        files: Vec<CommitFile>,
        /// The message.
        message: String,
        /// What is merged, where it ends a merge.
        merge: Option<String>,
    },
}

/// A message that is not understood yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PendingMessage {
    /// The message.
    pub turn: TurnId,
    /// The last event that its writer could have seen.
    pub seen: Seq,
    /// The count of [`State`]'s changes when it was asked about.
    pub epoch: u32,
    /// Whether an embedder is asked.
    pub vectors: bool,
    /// Whether a model is asked.
    pub model: bool,
}

impl PendingMessage {
    /// Whether a later tier is asked; otherwise it waits for an earlier message.
    pub const fn asked(&self) -> bool {
        self.vectors || self.model
    }
}

/// How many characters of a turn's text the session keeps.
pub const HEAD_CHARS: usize = 200;

/// The beginning of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// Where it stands.
    pub seq: Seq,
    /// Whether the user said it.
    pub by_user: bool,
    /// At most [`HEAD_CHARS`] characters.
    pub head: String,
}

/// How many [`Said`] are kept: more than a reading looks at, for messages that wait.
pub const RECENT: usize = 24;

/// What is known of a turn.
#[derive(Clone, Debug, PartialEq)]
pub struct TurnInfo {
    /// Where its text stands.
    pub seq: Seq,
    /// When it was said.
    pub at: Millis,
    /// What the work on it used.
    pub used: Usage,
    /// The beginning of its text, at most [`HEAD_CHARS`] characters.
    pub head: String,
    /// What kind of turn.
    pub class: Turn,
    /// Its target path.
    pub path: IntentPath,
    /// 0 to 1.
    pub confidence: f32,
    /// Whether it forbids changes.
    pub forbids: bool,
    /// Whether it forbids that anything runs.
    pub forbids_run: bool,
    /// Whether its node was named with `@`, so that only that node's own scope holds.
    pub fixed: bool,
    /// What answered questions let it do beyond its path.
    pub widened: ToolScope,
    /// The work that it goes on with.
    pub continues: Option<TurnId>,
    /// The message of the run to which it was told.
    pub told: Option<TurnId>,
    /// Files that it says are not to be touched, as it names them.
    pub spares: Vec<String>,
    /// Files that it says may be changed after all.
    pub frees: Vec<String>,
    /// What is really asked, when it is not the whole message.
    pub request: Option<String>,
    /// Which tier decided.
    pub source: Source,
    /// Why, in words.
    pub reasoning: String,
    /// The phase in which it was read.
    pub phase: Phase,
    /// Whether a plan was active then.
    pub plan_active: bool,
    /// Where the end of its command stands, when it was one that the user typed.
    pub output: Option<Seq>,
    /// The skill, command or agent that directs it.
    pub directed: Option<Arc<Directed>>,
}

impl TurnInfo {
    /// The command line that the user typed after `!`, and whether after `!!`: outside the sandbox.
    pub fn command(&self) -> Option<(&str, bool)> {
        let line = self.request.as_deref().unwrap_or(&self.head).strip_prefix('!')?;
        let outside = line.strip_prefix('!');
        Some((outside.unwrap_or(line).trim(), outside.is_some()))
    }
}

impl State {
    /// The question that holds the phase, if one does.
    pub fn phase_question(&self) -> Option<&Checkpoint> {
        self.open.values().find(|c| c.kind.is_phase_own())
    }

    /// The question that was asked last, of those that words answer.
    pub fn newest_question(&self) -> Option<&Checkpoint> {
        self.open.values().filter(|c| c.kind.takes_words()).max_by_key(|c| c.id)
    }

    /// Whether there is a file, as far as anybody looked here.
    pub fn has_seen(&self, file: &RelPath) -> bool {
        self.seen.contains_key(file)
    }

    /// Proposals, open and settled.
    pub fn proposals(&self) -> &BTreeMap<ProposalId, Proposal> {
        self.changes.proposals()
    }

    /// Approved writes.
    pub fn applies(&self) -> &BTreeMap<ApplyId, Apply> {
        self.changes.applies()
    }

    /// Writes that are on disk, oldest first.
    pub fn ledger(&self) -> &[ApplyId] {
        self.changes.ledger()
    }

    /// Writes that were taken back and can be put back, last undone last.
    pub fn undone(&self) -> &[ApplyId] {
        self.changes.undone()
    }

    /// Proposals that wait, in the order in which they were made.
    pub fn open_proposals(&self) -> impl Iterator<Item = &Proposal> {
        self.proposals().values().filter(|p| p.status == ProposalStatus::Open)
    }

    /// Open proposals of one lane.
    pub fn proposals_of(&self, lane: LaneId) -> impl Iterator<Item = &Proposal> {
        self.open_proposals().filter(move |p| p.lane == lane)
    }

    /// Proposals that were set aside undecided, the newest first.
    pub fn set_aside(&self) -> impl Iterator<Item = &Proposal> {
        self.proposals().values().rev().filter(|p| p.status == ProposalStatus::SetAside)
    }

    /// The live node of the foreground.
    pub fn node(&self) -> IntentNode {
        self.front_lane().map_or(IntentNode::Conversation, |l| l.node)
    }

    /// Whether anything works or waits on the world (not on the user).
    pub fn busy(&self) -> bool {
        self.pending().values().any(Work::is_waited_for)
    }

    /// Whether a run or a planning is under way, so that input may be queued.
    pub fn is_executing(&self) -> bool {
        matches!(self.phase, Phase::Planning | Phase::Executing)
    }

    /// The open question about this call, if there is one.
    pub fn question_of_call(&self, call: CallId) -> Option<&Checkpoint> {
        self.open.values().find(|c| c.kind.call() == Some(call))
    }

    /// The open diff question of this lane, if there is one.
    pub fn diff_of(&self, lane: LaneId) -> Option<&Checkpoint> {
        self.open.values().find(|c| c.kind.review().is_some_and(|r| r.lane == lane))
    }
}
