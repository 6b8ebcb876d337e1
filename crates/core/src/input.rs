//! Inputs: what arrives at the session, from the user and from the world.
//!
//! Owns the vocabulary. Inputs are not stored: the events decided from them are.

mod opening;

use std::ops::Range;

pub use self::opening::{Fork, Found, Opening};
pub use crate::refusal::{Refusal, RefusalKind};
use crate::{
    about::AboutChange,
    blob::{Blob, BlobId},
    checkpoint::Answer,
    commit::{CommitTree, Committed},
    compaction::{Dropped, Mark},
    diff::Lines,
    event::FileChange,
    fact::Place,
    hook::{Hook, HookOutcome},
    ids::{
        ApplyId, ApprovalId, CallId, CheckpointId, LaneId, Process, ProposalId, RunId, Seq, TaskId, TurnId,
    },
    intent::TierAnswer,
    memory::MemoryOwner,
    money::Limits,
    pipeline::Material,
    plan::Pause,
    proposal::Decision,
    question::{FormQuestion, ServerQuestion},
    relpath::RelPath,
    resolved::ResolvedCommand,
    scope::PermissionMode,
    talk::{Fault, ModelReply, Usage},
    tool::{ProposalDraft, Redraft, ToolOutcome, Wrote},
    trust::Standing,
    work::Moved,
};

/// What arrives.
#[derive(Clone, Debug, PartialEq)]
pub enum Input {
    /// The session is opened: the first input of every process.
    Open(Opening),
    /// The session is a copy of another one, from here on one of its own.
    Fork(Fork),
    /// The user sent a line.
    Say {
        /// The line.
        text: String,
        /// The last event that they could have seen: a question opened later is not answered by
        /// what was written before it.
        seen: Seq,
    },
    /// The user sent a line that is to wait until nothing runs.
    Queue(String),
    /// The user sent a line for what runs: its model reads it at its next step.
    Tell(String),
    /// The user says something of the session as a whole; nothing that goes on follows from it.
    Describe(AboutChange),
    /// The user wrote the plan that waits for a yes anew.
    EditPlan {
        /// The document.
        text: String,
        /// The version from which they wrote it.
        version: u32,
    },
    /// What the stage at work works on is here.
    StageGathered {
        /// The pipeline.
        pipeline: RunId,
        /// How far it had come when that was asked.
        step: u64,
        /// The texts.
        material: Box<Material>,
    },
    /// A model said whether a message leaves the pipeline that waits.
    BreakoutJudged {
        /// The message.
        turn: TurnId,
        /// What it said and what that cost.
        said: Result<(String, Usage), Fault>,
    },
    /// The user wants runs of the plan to stop here, or not any more.
    SetPause(Pause, bool),
    /// The user wants a step of the last plan done again.
    Rerun(TaskId),
    /// The user answered a question.
    Answer {
        /// Which.
        checkpoint: CheckpointId,
        /// How.
        answer: Answer,
        /// The hash of what was shown, where the question has one.
        shown: Option<BlobId>,
    },
    /// The user decided a hunk, or took the decision back.
    Decide {
        /// The proposal.
        proposal: ProposalId,
        /// The hunk, from 0.
        hunk: usize,
        /// The decision.
        decision: Option<Decision>,
        /// The hash of what was shown.
        shown: BlobId,
    },
    /// The user decides about some lines of a hunk by themselves, or takes the decision back.
    DecideLines {
        /// The proposal.
        proposal: ProposalId,
        /// The hunk, from 0.
        hunk: usize,
        /// Which of its lines, each with the one that it stands for.
        lines: Range<usize>,
        /// The decision.
        decision: Option<Decision>,
        /// The hash of what was shown.
        shown: BlobId,
    },
    /// The user splits a hunk, to decide its parts one by one.
    Split {
        /// The proposal.
        proposal: ProposalId,
        /// The hunk, from 0.
        hunk: usize,
        /// The hash of what was shown.
        shown: BlobId,
    },
    /// The user says something about a hunk, for the agent; what is decided about it stays.
    Comment {
        /// The proposal.
        proposal: ProposalId,
        /// The hunk, from 0.
        hunk: usize,
        /// What is said; empty takes it back.
        text: String,
        /// The hash of what was shown.
        shown: BlobId,
    },
    /// The user wants the taken hunks of these proposals written, all or nothing.
    Apply {
        /// The proposals with the hash of what was shown of each.
        proposals: Vec<(ProposalId, BlobId)>,
        /// The typed word, where a removal wants one.
        word: Option<String>,
        /// Whether their undecided hunks are taken as well, all but those that need a decision of their own.
        rest: bool,
    },
    /// The user wants nothing of these proposals, with a reason for the agent.
    Skip {
        /// The proposals.
        proposals: Vec<ProposalId>,
        /// Why; may be empty.
        reason: String,
    },
    /// The user changed the proposed content.
    EditProposal {
        /// The proposal.
        proposal: ProposalId,
        /// The new draft, against the same file.
        redraft: Redraft,
        /// The hash of what it was made of.
        shown: BlobId,
    },
    /// The user goes from the diff up to the plan; the proposals are set aside.
    Up,
    /// The user stops what runs; what is undecided is set aside.
    Cancel,
    /// The user stops the answer that is being given, and never anything else.
    StopAnswer,
    /// The user changed the ceiling.
    SetPermission(PermissionMode),
    /// So much may be spent from now on, until the session is opened again; what is not named stays as it is.
    SetBudget(Limits),
    /// The user wants the last applied change taken back.
    Undo,
    /// The user wants every applied change taken back from the last down to an earlier one, as they were listed.
    UndoTo {
        /// The earlier one, which goes last.
        to: ApplyId,
        /// The last one that was listed.
        last: ApplyId,
    },
    /// The user wants to take back hunk by hunk what these writes made of a file.
    UndoFile {
        /// The file.
        path: RelPath,
        /// The writes that they saw, the oldest first.
        writes: Vec<ApplyId>,
    },
    /// The user wants the last undone change put back.
    Redo,
    /// The text of a message that waited, and what the later tiers think of it.
    TiersAnswered {
        /// The message.
        turn: TurnId,
        /// What came back.
        said: Box<TiersAnswered>,
    },
    /// The server of a running call asks the user something.
    SourceAsks(FormQuestion),
    /// The client of this session names servers: each starts only once the user agreed to its line.
    ServersNamed(Vec<ServerQuestion>),
    /// A request does not fit the model's window although old results gave way.
    Crowded {
        /// The model call, which is not made.
        call: CallId,
    },
    /// A summary of what was said earlier came, or none did.
    Summarized {
        /// The call.
        call: CallId,
        /// The reply and what it takes the place of, or why there is none.
        result: Result<(Box<ModelReply>, Dropped), Fault>,
    },
    /// The model gave the session a title, or none.
    Titled {
        /// The call.
        call: CallId,
        /// The reply, or why there is none.
        result: Result<Box<ModelReply>, Fault>,
    },
    /// The user pins or drops an entry of what the model is told, or takes that back.
    Mark {
        /// The event that tells it.
        entry: Seq,
        /// What is wanted.
        mark: Option<Mark>,
    },
    /// A model replied.
    Replied {
        /// The call.
        call: CallId,
        /// The reply, or why there is none.
        reply: Result<ModelReply, Fault>,
    },
    /// A reply broke off by itself.
    BrokenOff {
        /// The call.
        call: CallId,
        /// What had come of it; its calls are never acted on.
        partial: Box<ModelReply>,
        /// Why.
        fault: Fault,
    },
    /// It was looked whether the facts still stand that answer a question.
    Recalled {
        /// The question.
        turn: TurnId,
        /// Where each one stands now that stood in a file; nowhere, then it does not any more.
        places: Vec<(String, Option<Place>)>,
    },
    /// A tool call ended.
    ToolEnded {
        /// The call.
        call: CallId,
        /// With what.
        outcome: ToolOutcome,
    },
    /// What a command had changed when the program ended in the middle of it.
    Recovered {
        /// The command's call.
        call: CallId,
        /// Its line.
        line: String,
        /// What it changed.
        wrote: Box<Wrote>,
    },
    /// A command's process exists.
    CommandStarted {
        /// The call.
        call: CallId,
        /// The process.
        process: Process,
    },
    /// The exact contents of an approved write are known.
    ApplyPrepared {
        /// The write.
        apply: ApplyId,
        /// The files, or why it cannot be done.
        files: Result<(Vec<FileChange>, Vec<Blob>), WriteFault>,
    },
    /// The files of open reviews were looked at.
    ReviewSeen(Vec<Moved>),
    /// An approved write ended.
    ApplyEnded {
        /// The write.
        apply: ApplyId,
        /// How.
        result: Result<(), WriteFault>,
    },
    /// An undo or redo ended.
    RevertEnded {
        /// The write.
        apply: ApplyId,
        /// Whether a file had to be changed for it: none was where somebody had done the same by hand.
        result: Result<bool, WriteFault>,
    },
    /// What takes back what writes made of a file is here, or why there is nothing to propose.
    TakeBackMade {
        /// The line of work that proposes it.
        lane: LaneId,
        /// The change of the file as it is now.
        result: Result<Reversal, String>,
    },
    /// All files of the workspace were hashed; `None` when nobody could look.
    TreeSeen {
        /// What it goes by.
        call: CallId,
        /// The hash.
        tree: Option<BlobId>,
    },
    /// All files of the workspace were hashed before a message is heard: somebody else may have changed them.
    FilesSeen {
        /// The hash.
        tree: BlobId,
    },
    /// The files of facts were looked at: somebody else may have changed them.
    FactsSeen {
        /// Where each one stands now that stood in a file; nowhere, then it does not any more.
        places: Vec<(String, Option<Place>)>,
    },
    /// A file of what the folder brings is not what it was when the folder was trusted, seen before a message is heard.
    BroughtChanged {
        /// The file.
        path: String,
    },
    /// Another process decided about the folder: it is trusted now, or not any more.
    TrustDecided {
        /// Whether it is trusted.
        trusted: bool,
    },
    /// The text of a file that is to be a plan, or why there is none.
    PlanRead {
        /// What it goes by.
        call: CallId,
        /// The text.
        result: Result<String, String>,
    },
    /// Git looked at what is to be committed.
    CommitLooked {
        /// What it goes by.
        commit: CallId,
        /// What it says, or why nothing can be committed.
        result: Result<CommitTree, String>,
    },
    /// Git committed, or says why not.
    Committed {
        /// What it goes by.
        commit: CallId,
        /// What was made.
        result: Result<Committed, String>,
    },
    /// A hook ended.
    HookEnded {
        /// The run of it.
        call: CallId,
        /// With what.
        outcome: HookOutcome,
    },
    /// What the words of a command mean that waits.
    CommandResolved {
        /// Its question.
        checkpoint: CheckpointId,
        /// What they mean.
        meant: ResolvedCommand,
    },
    /// Rules that were to be kept in the user's file are there, or could not be put there.
    RulesKept {
        /// The approval that they came with.
        approval: ApprovalId,
        /// The file as the user would name it, or why not.
        result: Result<String, String>,
    },
    /// A memory's file holds a change that the user wanted, or could not be changed.
    MemoryKept {
        /// The approval that it came with.
        approval: ApprovalId,
        /// The file as the user would name it, or why not.
        result: Result<String, String>,
    },
    /// The user wrote a memory anew in their editor.
    EditMemory {
        /// Whose.
        owner: MemoryOwner,
        /// What it held when they began.
        before: BlobId,
        /// What it is to hold.
        text: String,
    },
    /// A folder in which a call works has instructions of its own.
    Instructed {
        /// The call.
        call: CallId,
        /// The file.
        path: RelPath,
        /// What is told of it.
        text: String,
    },
    /// The folder was looked at: how far it is trusted, and what it brings.
    Surveyed(Standing),
    /// The user's own hooks were read again: these are in force now, with those of the project as they were.
    HooksRead(Vec<Hook>),
    /// A part of the program failed while it worked for this call.
    Panicked {
        /// The call, if it was one.
        call: Option<CallId>,
        /// The write, if it was one.
        apply: Option<ApplyId>,
        /// What it said.
        message: String,
    },
}

/// What came back for a message that waited to be understood.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TiersAnswered {
    /// The whole text.
    pub text: String,
    /// What a later tier thinks; none when none was asked or none knows.
    pub opinion: Option<TierAnswer>,
    /// Why tiers did not answer, a sentence each.
    pub faults: Vec<String>,
    /// What it cost.
    pub usage: Usage,
}

impl Input {
    /// A line of somebody who has seen everything so far: a script, or a test.
    pub fn say(text: impl Into<String>) -> Self {
        Self::Say { text: text.into(), seen: Seq(u64::MAX) }
    }
}

/// Why nothing was written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct WriteFault {
    /// Path and cause.
    pub message: String,
    /// Whether a file had changed since it was read.
    pub stale: bool,
    /// The same changes against what the files hold now.
    pub rebased: Vec<Rebased>,
}

/// What takes back what writes made of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reversal {
    /// The change of the file as it is now.
    pub draft: ProposalDraft,
    /// The lines of what the file holds now that others changed and it changes as well.
    pub meets: Vec<Lines>,
}

/// A change as it is against what its file holds now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rebased {
    /// The proposal that it comes from.
    pub proposal: ProposalId,
    /// It.
    pub redraft: Redraft,
    /// The lines of what the file holds now that others changed and it changes as well.
    pub meets: Vec<Lines>,
}
