//! Work: what should be going on in the world, as a function of the session's state.
//!
//! Owns the vocabulary of effects. Never performs one.

use crate::{
    blob::BlobId,
    commit::{CommitFile, SoughtFile},
    diff::Lines,
    event::FileChange,
    fact::{Fact, Facts},
    hook::HookMode,
    ids::{ApplyId, ApprovalId, CallId, CheckpointId, LaneId, ProposalId, RunId, Seq, TurnId},
    intent::{IntentNode, IntentPath},
    memory::MemoryChange,
    policy::PathRules,
    proposal::OnDisk,
    relpath::RelPath,
    sandbox::Confine,
    scope::ToolScope,
    talk::Purpose,
    tool::{ChangeKind, Permit, Redraft},
    trust::TrustRequest,
};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

/// What identifies a piece of work while it goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WorkKey {
    /// Understanding a message: bringing its text (`false`), or asking later tiers (`true`).
    Classify(TurnId, bool),
    /// A model call.
    Think(CallId),
    /// A summary of what was said earlier.
    Compact(CallId),
    /// Asking for a title.
    Title(CallId),
    /// A tool call.
    Tool(CallId),
    /// Working out an approved write.
    Prepare(ApplyId),
    /// Writing it.
    Write(ApplyId),
    /// Taking it back (`false`) or putting it back (`true`).
    Revert(ApplyId, bool),
    /// Looking for what takes back what writes made of a file.
    TakeBack(LaneId),
    /// Looking what the words of a command mean that waits.
    Look(CheckpointId),
    /// Keeping rules in the user's file.
    Keep(ApprovalId),
    /// Looking at what the folder brings, and keeping what was decided about it.
    Survey,
    /// A run of a hook.
    Hook(CallId),
    /// Looking whether the facts still stand that answer a question.
    Recall(TurnId),
    /// Changing a memory.
    Remember(ApprovalId),
    /// Looking what would be committed (`false`), or committing it.
    Commit(CallId, bool),
    /// Reading a file that is to be a plan.
    ReadPlan(CallId),
    /// Bringing what a stage works on, the so-manieth time.
    Stage(RunId, u64),
    /// Asking a model whether a message leaves a pipeline.
    Judge(TurnId),
    /// Looking what the files of the workspace are.
    SeeTree(CallId),
}

/// A piece of work that should be going on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Work {
    /// Bring the text of a message back and, where it says so, what later tiers think of it.
    Classify {
        /// The message.
        turn: TurnId,
        /// How often the surroundings had changed when it was asked.
        epoch: u32,
        /// Whether to ask the embedder.
        vectors: bool,
        /// Whether to ask the model, should the embedder not know.
        model: bool,
    },
    /// Ask the model for a reply to the lane's conversation.
    Think {
        /// The call.
        call: CallId,
        /// The lane.
        lane: LaneId,
        /// Why.
        purpose: Purpose,
        /// The lane's live node.
        node: IntentNode,
        /// What the offered tools may need.
        offer: ToolScope,
    },
    /// Sum up what was said earlier.
    Compact {
        /// The call.
        call: CallId,
        /// The last event that it sums up.
        upto: Seq,
        /// What the user wants kept in it.
        keep: String,
        /// Whether the last summary is made anew.
        again: bool,
    },
    /// Ask the model what the session is to be called.
    Title {
        /// The call.
        call: CallId,
    },
    /// Run a tool.
    Tool {
        /// The leave to do so.
        permit: Permit,
        /// What the lane sees instead of the disk.
        view: Box<View>,
    },
    /// Work out what an approved write makes of each file.
    Prepare {
        /// The write.
        apply: ApplyId,
        /// What of which proposal.
        changes: Vec<Take>,
    },
    /// Write these files, all or nothing.
    Write {
        /// The write.
        apply: ApplyId,
        /// The files.
        files: Vec<FileChange>,
    },
    /// Take these files back (or put them back), all or nothing.
    Revert {
        /// The write.
        apply: ApplyId,
        /// Put back rather than take back.
        redo: bool,
        /// The files.
        files: Vec<FileChange>,
        /// All that a command changed, where it was one that did.
        record: Option<BlobId>,
        /// What of that may be somebody else's stays as it is.
        keep: bool,
    },
    /// Work out what takes back what writes made of a file, against what that is now; nothing is written.
    TakeBack {
        /// What goes by it.
        lane: LaneId,
        /// What each write made of the file, the oldest first.
        files: Vec<FileChange>,
    },
    /// Look what the words of a command mean that waits.
    Look {
        /// Its question.
        checkpoint: CheckpointId,
        /// The line.
        command: String,
        /// The folder, relative to the workspace.
        folder: String,
        /// How it would run.
        confine: Confine,
    },
    /// Put these rules into the user's file.
    Keep {
        /// The approval that they came with.
        approval: ApprovalId,
        /// The rules.
        rules: Vec<String>,
    },
    /// Change the file of a memory.
    Remember {
        /// The approval that it came with.
        approval: ApprovalId,
        /// The change.
        change: MemoryChange,
    },
    /// Look at what the folder brings, after keeping what was decided about it.
    Survey(TrustRequest),
    /// Run a hook.
    Hook {
        /// This run of it.
        call: CallId,
        /// The hook.
        hook: BlobId,
        /// The event that it is called for.
        of: Seq,
        /// The path on which it happened.
        path: IntentPath,
        /// What its end means.
        way: HookMode,
    },
    /// Look whether the facts still stand that answer a question.
    Recall {
        /// The question.
        turn: TurnId,
        /// The facts, and those that they rest on.
        facts: Vec<Fact>,
        /// The rules that hold for the paths which are really touched.
        rules: PathRules,
    },
    /// Read a file that is to be a plan.
    ReadPlan {
        /// What it goes by.
        call: CallId,
        /// The file.
        path: RelPath,
    },
    /// Look what would be committed of these files.
    LookCommit {
        /// What it goes by.
        commit: CallId,
        /// The files.
        files: Vec<SoughtFile>,
    },
    /// Bring what the stage at work works on.
    Stage {
        /// The pipeline.
        pipeline: RunId,
        /// How far it had come when that was asked.
        step: u64,
    },
    /// Ask a model whether a message leaves the pipeline that waits.
    Judge {
        /// The message.
        turn: TurnId,
        /// What it is told.
        question: String,
    },
    /// Hash all files of the workspace.
    SeeTree {
        /// What it goes by.
        call: CallId,
    },
    /// Commit exactly these files, as they were shown.
    Commit {
        /// What it goes by.
        commit: CallId,
        /// The files.
        files: Vec<CommitFile>,
        /// The message.
        message: String,
        /// What is merged, where it ends a merge.
        merge: Option<String>,
    },
}

/// The lines that were seen of files, each with the hash of the whole.
pub type SeenParts = BTreeMap<RelPath, (BlobId, Vec<Lines>)>;

/// What a lane sees of the files: its own proposals over the disk, and what it saw before.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct View {
    /// Contents that its open proposals give; `None` for a removed file.
    pub overlay: BTreeMap<RelPath, Option<BlobId>>,
    /// The content on disk that each of these started from; `None` when there was no file.
    pub base: BTreeMap<RelPath, Option<BlobId>>,
    /// The hash that each file had when the lane last saw it.
    pub seen: BTreeMap<RelPath, BlobId>,
    /// What it saw since then of those that others have changed.
    pub parts: SeenParts,
    /// Whether the call is the user's own.
    pub typed: bool,
    /// Whether the workspace is hashed before and after it, since it is to prove something.
    pub witnessed: bool,
    /// What is known, and what commands printed.
    pub facts: Arc<Facts>,
    /// The rules that hold for the paths which are really touched.
    pub rules: PathRules,
}

/// What is taken of one proposal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Take {
    /// The proposal.
    pub proposal: ProposalId,
    /// The file.
    pub path: RelPath,
    /// What happens to it.
    pub kind: ChangeKind,
    /// The content it starts from.
    pub before: Option<BlobId>,
    /// The content proposed.
    pub after: Option<BlobId>,
    /// Its hunks.
    pub hunks: Vec<crate::diff::Hunk>,
    /// The hunks taken.
    pub taken: BTreeSet<usize>,
    /// The hunks that stay undecided beside them.
    pub undecided: BTreeSet<usize>,
    /// The permission bits of a file that comes back, where they are known.
    pub mode: Option<u32>,
}

/// Knows what commands that run have printed so far.
pub trait Printed: std::fmt::Debug + Send + Sync {
    /// The end of it, without secrets; none where that is nothing.
    fn so_far(&self, call: CallId) -> Option<String>;
}

/// How one proposal of a review stands to its file on disk.
#[derive(Clone, Debug, PartialEq)]
pub struct Moved {
    /// The proposal.
    pub proposal: ProposalId,
    /// The hash of what was shown of it when its file was looked at.
    pub shown: BlobId,
    /// How its file stands.
    pub on_disk: Option<OnDisk>,
    /// The change against the file as it is, and the lines of that which others changed and it changes as well.
    pub carried: Option<(Redraft, Vec<Lines>)>,
}

impl Work {
    /// What identifies it.
    pub fn key(&self) -> WorkKey {
        match self {
            Self::Classify { turn, vectors, model, .. } => WorkKey::Classify(*turn, *vectors || *model),
            Self::Think { call, .. } => WorkKey::Think(*call),
            Self::Compact { call, .. } => WorkKey::Compact(*call),
            Self::Title { call } => WorkKey::Title(*call),
            Self::Tool { permit, .. } => WorkKey::Tool(permit.call()),
            Self::Prepare { apply, .. } => WorkKey::Prepare(*apply),
            Self::Write { apply, .. } => WorkKey::Write(*apply),
            Self::Revert { apply, redo, .. } => WorkKey::Revert(*apply, *redo),
            Self::TakeBack { lane, .. } => WorkKey::TakeBack(*lane),
            Self::Look { checkpoint, .. } => WorkKey::Look(*checkpoint),
            Self::Keep { approval, .. } => WorkKey::Keep(*approval),
            Self::Remember { approval, .. } => WorkKey::Remember(*approval),
            Self::Survey(_) => WorkKey::Survey,
            Self::Hook { call, .. } => WorkKey::Hook(*call),
            Self::Recall { turn, .. } => WorkKey::Recall(*turn),
            Self::ReadPlan { call, .. } => WorkKey::ReadPlan(*call),
            Self::LookCommit { commit, .. } => WorkKey::Commit(*commit, false),
            Self::Commit { commit, .. } => WorkKey::Commit(*commit, true),
            Self::Stage { pipeline, step } => WorkKey::Stage(*pipeline, *step),
            Self::Judge { turn, .. } => WorkKey::Judge(*turn),
            Self::SeeTree { call } => WorkKey::SeeTree(*call),
        }
    }

    /// Whether the user waits for what a model says to it.
    pub fn asks_model(&self) -> bool {
        matches!(
            self,
            Self::Think { .. }
                | Self::Compact { .. }
                | Self::Judge { .. }
                | Self::Classify { model: true, .. }
        )
    }

    /// Whether the session is not at rest while it goes on.
    pub fn is_waited_for(&self) -> bool {
        !matches!(self, Self::Hook { way: HookMode::Background, .. } | Self::Look { .. })
    }
}

/// A change in what should be going on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It should begin.
    Start(Work),
    /// It should stop.
    Cancel(WorkKey),
}
