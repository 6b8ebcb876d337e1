//! Events: what happened, in the past tense; the log holds nothing else.
//!
//! Owns the vocabulary and its stored form. Fields only grow: old logs open for ever. Never holds
//! a long text: those are blobs, and the event carries an [`Excerpt`].

mod parts;

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::{
    about::AboutChange,
    blob::{BlobId, Excerpt},
    checkpoint::{Answer, Checkpoint},
    commit::{CommitFile, Committed},
    compaction::{Dropped, Mark as ContextMark},
    completion::Completion,
    diff::{Hunk, Lines},
    fact::{Fact, Mark, Place},
    goal::GoalSummary,
    hook::{Hold, Hook, HookStatus},
    ids::{
        ApplyId, ApprovalId, CallId, CheckpointId, EvidenceId, GateId, LaneId, Millis, Process, ProposalId,
        RunId, Seq, TaskId, TurnId,
    },
    intent::{IntentNode, IntentPath, Mode, Phase, Source, Turn},
    lane::{ChildWork, LaneKind},
    memory::MemoryChange,
    money::Unit,
    outcome::Exit,
    pipeline::{Depth, StageEvent},
    plan::{Pause, Plan, Task, Unproven},
    policy::{Request, Ruling},
    proposal::{Decision, OnDisk, Proposal},
    recipe::{RecipeKind, RecipeOrigin},
    relpath::RelPath,
    resolved::ResolvedCommand,
    sandbox::{Confine, Sandbox},
    scope::{PermissionMode, ToolScope},
    shell::Risk,
    source::SourceTool,
    talk::{Echo, Fault, Finish, Usage},
    tool::{Advice, Doubt, Tool},
};

pub use parts::*;

pub use crate::{
    outcome::{FileChange, Rest},
    recipe::ChildAgent,
};

/// An event with its place in the log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stamped {
    /// Its position, from 1, without gaps.
    pub seq: Seq,
    /// When, as the driver's clock said.
    pub at: Millis,
    /// The run it belongs to, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<RunId>,
    /// What happened.
    #[serde(flatten)]
    pub event: Event,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Event {
    /// The session began.
    SessionOpened {
        /// Its name.
        slug: String,
        /// The workspace, as the user would name it.
        folder: String,
        /// The version of the program.
        version: String,
        /// The mode.
        mode: Mode,
        /// The ceiling.
        permission: PermissionMode,
        /// The sandbox that commands have.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        sandbox: Option<Sandbox>,
        /// Whether the mode was chosen, so that nothing infers another.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        mode_said: bool,
    },
    /// A process opened the session again; what was open is interrupted, nothing runs.
    SessionReopened {
        /// The version of the program.
        version: String,
        /// Reads and model calls that were open.
        interrupted: Vec<CallId>,
        /// The run that was under way and is offered.
        #[serde(rename = "run_id")]
        run: Option<RunId>,
        /// The ceiling it is opened with; kept when it was not said.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        permission: Option<PermissionMode>,
        /// The sandbox that commands have now.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        sandbox: Option<Sandbox>,
        /// The branch of the workspace now, where it has one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        branch: Option<String>,
        /// The branch on which the session was left, where that is another one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        left_on: Option<String>,
    },
    /// The session goes on from a copy of another one: what was said stands, all that was open or written there is that
    /// one's.
    SessionForked {
        /// The session that it is a copy of.
        from: String,
        /// Its own name.
        slug: String,
        /// Its workspace, as the user would name it.
        folder: String,
        /// Whether the copy was read from a file rather than from this machine's own sessions.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        imported: bool,
    },
    /// A write or a command was open when the process ended; it is never repeated.
    CallLost {
        /// The call, for a command.
        call: Option<CallId>,
        /// The write, for a write.
        apply: Option<ApplyId>,
        /// What was found on disk.
        found: String,
    },
    /// Whether the folder is trusted was found out or decided; untrusted until then.
    TrustChanged {
        /// How far.
        trust: crate::trust::Trust,
        /// The hash over what in it takes effect.
        of: BlobId,
        /// Names of the variables that commands get from it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        gives: Vec<String>,
        /// Lines of the project's own checks that the user was shown when it was trusted.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        checks: Vec<String>,
    },
    /// Something about the folder's trust is to be looked at or kept.
    TrustSought {
        /// What.
        wish: crate::trust::TrustRequest,
    },
    /// These hooks are called from here on, and no others.
    HooksKnown {
        /// The hooks.
        hooks: Vec<Hook>,
    },
    /// A hook was called.
    HookStarted {
        /// This run of it.
        call: CallId,
        /// The hook.
        hook: BlobId,
        /// The event that it was called for.
        of: Seq,
        /// What waits for it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        holds: Option<Hold>,
    },
    /// A hook ended.
    HookEnded {
        /// The run of it.
        call: CallId,
        /// The hook.
        hook: BlobId,
        /// What people know it by.
        name: String,
        /// How it ended.
        status: HookStatus,
        /// In one line, for people.
        summary: String,
        /// What it wrote.
        output: Excerpt,
        /// How long it ran.
        took: Millis,
    },
    /// A lane's next node waits for hooks.
    MoveHeld {
        /// The lane.
        lane: LaneId,
        /// From.
        from: IntentNode,
        /// To.
        to: IntentNode,
        /// The approval that allows it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        approval: Option<ApprovalId>,
    },
    /// A hook refused: the lane stays where it is, and what it was on its way to falls away.
    MoveBlocked {
        /// The lane.
        lane: LaneId,
        /// Where it stays.
        from: IntentNode,
        /// Where it does not go.
        to: IntentNode,
        /// Why, for people.
        why: String,
    },
    /// The user said something.
    TurnStarted {
        /// The turn.
        turn: TurnId,
        /// What was said.
        text: Excerpt,
        /// The branch of the workspace then, where it has one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        branch: Option<String>,
    },
    /// The message got its path.
    IntentClassified {
        /// The turn.
        turn: TurnId,
        /// What kind of turn.
        class: Turn,
        /// The target path.
        path: IntentPath,
        /// 0 to 1.
        confidence: f32,
        /// How sure the kind within its turn is, 0 to 1, where it has one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        sub_confidence: Option<f32>,
        /// Of how many parts the message is, where it is of several.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        segments: Option<u32>,
        /// Which tier decided.
        source: Source,
        /// Why, in words.
        reasoning: String,
        /// Whether the message forbids changes.
        #[serde(default)]
        forbids: bool,
        /// Whether it forbids that anything runs, and no more.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        forbids_run: bool,
        /// Files that the message says are not to be touched, as it names them.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        spares: Vec<String>,
        /// Files that it says may be changed after all.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        frees: Vec<String>,
        /// What is really asked, when it is not the whole message: without an `@node`, without
        /// parts that were taken back.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        request: Option<String>,
        /// What asking a model about it cost.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        usage: Option<Usage>,
        /// What it depended on, where the answer may be used again: words and surroundings.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        key: Option<BlobId>,
    },
    /// The rules are not sure of a message and a later tier is asked, or it waits for an earlier one.
    IntentAsked {
        /// The turn.
        turn: TurnId,
        /// The last event that the user could have seen when they wrote it.
        seen: Seq,
        /// How often the surroundings had changed by then.
        epoch: u32,
        /// Whether an embedder is asked.
        #[serde(default)]
        vectors: bool,
        /// Whether a model is asked.
        #[serde(default)]
        model: bool,
    },
    /// A message was taken back before it was understood.
    TurnDropped {
        /// The turn.
        turn: TurnId,
    },
    /// A line of work began.
    LaneOpened {
        /// The lane.
        lane: LaneId,
        /// What it does.
        kind: LaneKind,
        /// The turn it serves.
        turn: TurnId,
        /// Where it starts.
        node: IntentNode,
        /// What it can never exceed.
        ceiling: ToolScope,
        /// Whether only the node's own scope holds (`@node`).
        #[serde(default)]
        fixed: bool,
    },
    /// A line of work ended.
    LaneClosed {
        /// The lane.
        lane: LaneId,
    },
    /// A sub-agent began.
    ChildStarted {
        /// Its lane.
        lane: LaneId,
        /// The call that handed its task on.
        call: CallId,
        /// What it is for.
        work: ChildWork,
        /// The task.
        task: Excerpt,
        /// The agent that does it, where it is one of the user's files.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        agent: Option<ChildAgent>,
    },
    /// A sub-agent ended.
    ChildEnded {
        /// Its lane.
        lane: LaneId,
        /// The call that handed its task on.
        call: CallId,
        /// What it found, or why it found nothing.
        report: String,
        /// Whether it came to its end by itself.
        done: bool,
    },
    /// A lane's live node changed.
    NodeTransition {
        /// The lane.
        lane: LaneId,
        /// From.
        from: IntentNode,
        /// To.
        to: IntentNode,
        /// The approval that allowed it; none for a free transition or a retreat.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        approval: Option<ApprovalId>,
    },
    /// The phase changed.
    PhaseChanged {
        /// From.
        from: Phase,
        /// To.
        to: Phase,
    },
    /// The mode changed.
    ModeChanged {
        /// To.
        mode: Mode,
        /// The word of the first task that asked for it, when nobody chose it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        inferred: Option<String>,
    },
    /// The user's ceiling changed.
    PermissionChanged {
        /// To.
        permission: PermissionMode,
        /// Whether conversation only was chosen.
        chat_only: bool,
    },
    /// A plan is ready for the user.
    PlanReady {
        /// The plan.
        plan: Plan,
    },
    /// The active plan was set aside, or given up for good.
    PlanShelved {
        /// Whether it can be taken up later.
        suspended: bool,
        /// Whether the user discarded it: nothing takes it up again by itself, or counts it as left.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        discarded: bool,
    },
    /// A run began.
    RunStarted {
        /// The run.
        #[serde(rename = "run_id")]
        run: RunId,
        /// The turn that asked for it.
        turn: TurnId,
        /// The approval that its writing tasks stand on, for a run of a plan.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        approval: Option<ApprovalId>,
    },
    /// A run ended.
    RunCompleted {
        /// The run.
        #[serde(rename = "run_id")]
        run: RunId,
        /// How.
        status: RunStatus,
        /// In one line.
        summary: String,
        /// Files that it changed.
        files: Vec<RelPath>,
        /// What became of the commands, when it was a goal.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        goal: Option<GoalSummary>,
        /// What it came to, as the workbench saw it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        came_to: Option<Box<Completion>>,
    },
    /// A task began.
    TaskStarted {
        /// The task.
        task: TaskId,
        /// Its lane.
        lane: LaneId,
    },
    /// A task ended well.
    TaskCompleted {
        /// The task.
        task: TaskId,
        /// How long it took.
        took: Millis,
    },
    /// A task ends as done, and nothing of it changed a file that it names.
    FilesUntouched {
        /// The task.
        task: TaskId,
        /// These.
        files: Vec<RelPath>,
    },
    /// A task failed.
    TaskFailed {
        /// The task.
        task: TaskId,
        /// Why.
        message: String,
        /// What the user can do about it.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        hint: String,
    },
    /// A task was left out.
    TaskSkipped {
        /// The task.
        task: TaskId,
        /// Whether nobody left it out: its model made nothing, or was let do nothing.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        undone: bool,
    },
    /// A task was stopped.
    TaskCancelled {
        /// The task.
        task: TaskId,
    },
    /// A task goes back to pending: a retry, or an undone diff.
    TaskReset {
        /// The task.
        task: TaskId,
    },
    /// A task is done without others that it needed, by the user's answer.
    TaskFreed {
        /// The task.
        task: TaskId,
        /// What it does not wait for any more.
        of: Vec<TaskId>,
    },
    /// A gate began.
    GateStarted {
        /// The gate.
        gate: GateId,
        /// The call that runs it.
        call: CallId,
    },
    /// A gate is green.
    GatePassed {
        /// The gate.
        gate: GateId,
        /// Its evidence.
        evidence: EvidenceId,
        /// What it rests on.
        proof: Proof,
    },
    /// A gate is red.
    GateFailed {
        /// The gate.
        gate: GateId,
        /// Its evidence.
        evidence: EvidenceId,
        /// What it rests on.
        proof: Proof,
    },
    /// A gate was green, and files changed since.
    GateWentStale {
        /// The gate.
        gate: GateId,
    },
    /// A gate was green, files changed since, and they are again what they were.
    GateHolds {
        /// The gate.
        gate: GateId,
    },
    /// A gate whose line a step's agent ran red is not run once more: the files are as they were then.
    GateStaysRed {
        /// The gate.
        gate: GateId,
    },
    /// It is to be looked whether files changed since the gates of a run were seen to pass or to fail.
    TreeSought {
        /// What it goes by.
        call: CallId,
    },
    /// It was looked at.
    TreeSeen {
        /// What it goes by.
        call: CallId,
        /// The hash over all files; `None` when nobody could look.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tree: Option<BlobId>,
    },
    /// A gate was left out, or is to run again.
    GateReset {
        /// The gate.
        gate: GateId,
        /// Left out rather than run again.
        skipped: bool,
        /// Why, where it was not the user who left it out.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        why: Option<Unproven>,
    },
    /// A gate has another command, by the user's answer.
    GateChanged {
        /// The gate.
        gate: GateId,
        /// The command that it had.
        from: String,
        /// The command that it has.
        to: String,
        /// The answer.
        approval: ApprovalId,
    },
    /// A repair of a failed gate began.
    RepairStarted {
        /// The gate.
        gate: GateId,
        /// Its lane.
        lane: LaneId,
        /// Which try, from 1.
        attempt: u32,
        /// How many there may be.
        of: u32,
        /// Whether another way than before is taken.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        detour: bool,
    },
    /// A message goes on with the work of an earlier one: what that may do, it may. With none but its own where it
    /// names itself.
    TurnContinues {
        /// The message.
        turn: TurnId,
        /// The earlier one.
        of: TurnId,
    },
    /// A message is asked again as if it had just been said: what its questions let it do besides, they are asked again.
    TurnAskedAgain {
        /// The message.
        turn: TurnId,
    },
    /// A message is handed to what runs: its model reads it at its next step.
    TurnTold {
        /// The message.
        turn: TurnId,
        /// The message that the run serves.
        run_of: TurnId,
    },
    /// A step is added to the plan that runs, at its end.
    TaskAdded {
        /// The step.
        task: Task,
    },
    /// A lane's model is told by the workbench what it left out.
    LaneNudged {
        /// The lane.
        lane: LaneId,
        /// What it is told.
        text: String,
        /// Whether that is what the user answered to a question with which its model ended.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        answer: bool,
    },
    /// What was said earlier begins to be summed up for the model.
    CompactionStarted {
        /// The call.
        call: CallId,
        /// The last event that it sums up.
        upto: Seq,
        /// What the user wants kept in it.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        keep: String,
        /// Whether the last summary is made anew.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        again: bool,
        /// The model call that waits for it, for want of room.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        held: Option<CallId>,
    },
    /// A summary takes the place of what was told before; the log keeps that.
    Compacted {
        /// The call.
        call: CallId,
        /// The last event that it sums up.
        upto: Seq,
        /// The summary.
        summary: Excerpt,
        /// What it took the place of.
        dropped: Dropped,
        /// What it cost.
        usage: Usage,
        /// The model.
        model: String,
    },
    /// No summary came; all stays as it was.
    CompactionFailed {
        /// The call.
        call: CallId,
        /// Why.
        fault: Fault,
    },
    /// The user pins or drops an entry of what the model is told, or takes that back.
    ContextMarked {
        /// The event that tells it.
        entry: Seq,
        /// What is wanted.
        mark: Option<ContextMark>,
    },
    /// A source was found to have other tools than before.
    SourceSeen {
        /// The source.
        source: String,
        /// Its tools that are new or others.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        tools: Vec<SourceTool>,
        /// Those that are gone.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        gone: Vec<String>,
    },
    /// A model was asked.
    ThinkingStarted {
        /// The call.
        call: CallId,
        /// The lane.
        lane: LaneId,
    },
    /// A model's reply is whole.
    MessageCompleted {
        /// The turn.
        turn: TurnId,
        /// The lane.
        lane: LaneId,
        /// The model call.
        call: CallId,
        /// Its text.
        text: Excerpt,
        /// Its thinking.
        #[serde(default)]
        reasoning: Excerpt,
        /// How that goes back with the calls.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        echo: Option<Box<Echo<Excerpt>>>,
        /// The calls that it makes, in order.
        calls: Vec<CallHead>,
        /// What it cost.
        usage: Usage,
        /// Why it ended.
        finish: Finish,
        /// The model.
        model: String,
        /// Whether the lane goes on after it.
        intermediate: bool,
        /// Whether it was cut off by a cancel.
        #[serde(default)]
        cut: bool,
    },
    /// A model could not be asked or did not answer.
    ThinkingFailed {
        /// The call.
        call: CallId,
        /// The lane.
        lane: LaneId,
        /// Why.
        fault: Fault,
    },
    /// The workbench itself made a call: a gate, a command that the user typed, or one that a
    /// model wrote as JSON.
    CallMade {
        /// The call.
        call: CallId,
        /// The lane.
        lane: LaneId,
        /// The tool.
        tool: Tool,
        /// Its arguments, whole.
        args: String,
        /// Whether the user typed it.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        typed: bool,
    },
    /// A tool call was allowed and began.
    CallStarted {
        /// The call.
        call: CallId,
        /// The lane.
        lane: LaneId,
        /// The tool.
        tool: Tool,
        /// What it acts on, for people: a path, a pattern.
        subject: String,
        /// The hash of its arguments.
        args: BlobId,
        /// The lane's scope epoch.
        epoch: u32,
        /// The approval that allowed it, where one was needed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        approval: Option<ApprovalId>,
        /// How it runs, for a command.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        confine: Option<Confine>,
        /// What let it run unasked, where more than its path did.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        ruling: Option<Ruling>,
    },
    /// A call ran into a rule about the path that it really means; the user is asked, nothing was done.
    CallHeld {
        /// The call.
        call: CallId,
        /// The lane.
        lane: LaneId,
        /// What it would do.
        request: Request,
        /// The rule.
        ruling: Ruling,
    },
    /// The user allowed what these rules say: for this session, or for good.
    RulesGranted {
        /// The rules, as they were shown.
        rules: Vec<String>,
        /// Whether they are to be kept in the user's file.
        lasting: bool,
        /// The approval that they came with.
        approval: ApprovalId,
    },
    /// Rules that were to be kept are in the user's file, or could not be put there.
    RulesKept {
        /// The approval that they came with.
        approval: ApprovalId,
        /// The file.
        file: String,
        /// Why they could not be kept; they hold for this session all the same.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fault: Option<String>,
    },
    /// A tool call ended, was refused, or was interrupted.
    CallEnded {
        /// The call.
        call: CallId,
        /// The lane.
        lane: LaneId,
        /// How.
        status: CallStatus,
        /// In one line, for people.
        summary: String,
        /// What it gave, as the model reads it.
        result: Excerpt,
        /// What is said beside it, to the model and to the user.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        notes: Vec<Advice>,
        /// Files seen, with their hashes.
        #[serde(default)]
        seen: Vec<(RelPath, BlobId)>,
        /// Lines seen of files that others have changed, with the hash of the whole.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        parts: Vec<(RelPath, BlobId, Lines)>,
        /// The rule that refused it, where one did.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        ruling: Option<Ruling>,
        /// What tells its answer from another one to the same call, where these are counted.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        answer: Option<BlobId>,
    },
    /// A change was proposed; an open one of the same lane to the same file is superseded.
    Proposed {
        /// The proposal.
        proposal: Proposal,
        /// Lines added.
        added: usize,
        /// Lines removed.
        removed: usize,
    },
    /// A hunk was decided, or its decision taken back.
    HunkDecided {
        /// The proposal.
        proposal: ProposalId,
        /// The hunk, from 0.
        hunk: usize,
        /// The decision; `None` takes it back.
        decision: Option<Decision>,
        /// What the user said about it, for the agent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        comment: Option<String>,
    },
    /// A hunk was split, so that its parts are decided one by one.
    HunkSplit {
        /// The proposal.
        proposal: ProposalId,
        /// The hunk, from 0.
        hunk: usize,
        /// What stands in its place.
        parts: Vec<Hunk>,
    },
    /// The proposed content was changed by the user.
    ProposalEdited {
        /// The proposal with its new content and hunks, nothing decided.
        proposal: Proposal,
        /// Lines added.
        added: usize,
        /// Lines removed.
        removed: usize,
    },
    /// The file of a proposal in a review was looked at, and stands otherwise than it was known to.
    ProposalStands {
        /// The proposal.
        proposal: ProposalId,
        /// How; none where it is what the proposal starts from again.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        on_disk: Option<OnDisk>,
    },
    /// A proposal ended without being written.
    ProposalClosed {
        /// The proposal.
        proposal: ProposalId,
        /// Why, for people and for the model.
        reason: String,
        /// Dropped by the workbench rather than skipped by the user.
        dropped: bool,
        /// Whether it was taken and its file holds it already, so that nothing was to be written.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        there: bool,
    },
    /// A proposal's work ended before the user had decided on it; it is kept, with its decisions.
    ProposalSetAside {
        /// The proposal.
        proposal: ProposalId,
        /// Why, for people.
        reason: String,
    },
    /// What was set aside was taken up again: it waits for a decision once more.
    ProposalTakenUp {
        /// The proposal.
        proposal: ProposalId,
        /// The line of work that goes on with it, where a step is gone on with; else the user took it up.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        lane: Option<LaneId>,
    },
    /// The user, or the mode, approved that changes are written.
    ApplyApproved {
        /// The write.
        apply: ApplyId,
        /// The approval.
        approval: ApprovalId,
        /// What allowed it: `user`, or a rule.
        by: String,
        /// The proposals and the hunks taken of each.
        take: Vec<(ProposalId, BTreeSet<usize>)>,
    },
    /// The exact contents are known; from here a crash is checked against them.
    ApplyStarted {
        /// The write.
        apply: ApplyId,
        /// The files.
        files: Vec<FileChange>,
    },
    /// The changes are on disk.
    Applied {
        /// The write.
        apply: ApplyId,
    },
    /// Nothing was written.
    ApplyFailed {
        /// The write.
        apply: ApplyId,
        /// Why, naming path and cause.
        message: String,
        /// Whether a file had changed since the proposal.
        stale: bool,
    },
    /// An applied change is being taken back, or put back.
    RevertStarted {
        /// The write.
        apply: ApplyId,
        /// Put back rather than take back.
        redo: bool,
        /// What may be somebody else's stays as it is.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        keep: bool,
        /// The write down to which the ones before it are taken back as well.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        to: Option<ApplyId>,
    },
    /// An applied change was taken back, or put back.
    Reverted {
        /// The write.
        apply: ApplyId,
        /// Put back rather than taken back.
        redo: bool,
        /// Whether its files already were as that makes them, so that nothing was changed.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        already: bool,
    },
    /// An applied change could not be taken back; nothing was written.
    RevertFailed {
        /// The write.
        apply: ApplyId,
        /// Put back rather than take back.
        redo: bool,
        /// Why.
        message: String,
    },
    /// The user changed the command of a call; it is judged again as what they typed.
    CommandEdited {
        /// The call.
        call: CallId,
        /// The lane.
        lane: LaneId,
        /// Its arguments from now on, whole.
        args: String,
    },
    /// A command was judged; it runs or waits for leave.
    CommandProposed {
        /// The call.
        call: CallId,
        /// The lane.
        lane: LaneId,
        /// The exact line.
        command: String,
        /// The folder, relative to the workspace.
        folder: String,
        /// How dangerous it is.
        risk: Risk,
        /// Why.
        why: String,
        /// The rule that says so.
        rule: String,
        /// How it is to run.
        #[serde(default, skip_serializing_if = "Confine::is_bare")]
        confine: Confine,
        /// Why it asks for more than the sandbox gives, in the model's words.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        reason: String,
        /// The hash of what is shown.
        shown: BlobId,
        /// Whether the user typed the line as it stands.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        typed: bool,
        /// What decided whether it runs, asks or is refused.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        ruling: Option<Ruling>,
    },
    /// What the words of a command mean on this machine, now that it is asked about.
    CommandMeant {
        /// The question.
        checkpoint: CheckpointId,
        /// The call.
        call: CallId,
        /// What they mean.
        meant: ResolvedCommand,
    },
    /// What a command would run is not what it was allowed for; nothing was done, and it is judged again.
    CommandChanged {
        /// The call.
        call: CallId,
        /// The lane.
        lane: LaneId,
        /// What changed, in words; empty where nobody had been asked and only what it gets is other.
        what: String,
        /// Whether nobody had been asked: it would have run something that the project brings.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        brought: bool,
        /// Whether it could destroy what could not be saved first.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        loses: bool,
        /// Whether nobody had been asked: it could come upon secret files that cannot be hidden from it.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        shows: bool,
    },
    /// A command runs.
    CommandStarted {
        /// The call.
        call: CallId,
        /// Its process.
        process: Process,
    },
    /// A command ended.
    CommandExited {
        /// The call.
        call: CallId,
        /// How.
        exit: Exit,
        /// What it wrote, without terminal control and secrets, as far as it was kept.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        output: Option<BlobId>,
        /// The branch of the workspace by then, where that is another one than before.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        branch: Option<String>,
        /// Whether what a check wrote, shortened by a pipe, sums up that something passed and nothing failed.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        passed: bool,
    },
    /// The user was asked.
    CheckpointOpened {
        /// The question.
        checkpoint: Checkpoint,
    },
    /// The question is closed.
    CheckpointResolved {
        /// Which.
        checkpoint: CheckpointId,
        /// The answer; `None` when it fell away.
        answer: Option<Answer>,
        /// The approval that it gives, if it gives one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        approval: Option<ApprovalId>,
    },
    /// A control word or command was given; what it changes stands in the events after it.
    ControlGiven {
        /// The word.
        control: crate::intent::Control,
    },
    /// The queue changed.
    QueueChanged {
        /// The turn queued as the next plan.
        plan_new: Option<TurnId>,
        /// Those behind it, in order.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        more: Vec<TurnId>,
        /// Control words, in order.
        control: Vec<crate::intent::Control>,
        /// Messages kept until the plan is ready.
        later: Vec<TurnId>,
        /// Whether a stop took out all that waited.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        stopped: bool,
    },
    /// Somebody said how much of a unit may be spent from here on.
    BudgetSet {
        /// What is counted.
        unit: Unit,
        /// How much; none where nothing holds it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        most: Option<u64>,
        /// Whether it holds only until the session is opened again.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        brief: bool,
    },
    /// A lane's next model call would go beyond the budget: it waits.
    LaneHeld {
        /// The lane.
        lane: LaneId,
    },
    /// Something was found out, or found out anew.
    FactRecorded {
        /// What.
        fact: Fact,
    },
    /// The file of a fact changed, and it was looked whether the fact still stands.
    FactLooked {
        /// Its name.
        name: String,
        /// Where its text stands now; nowhere, then it is stale.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        place: Option<Place>,
    },
    /// The user forgot a fact.
    FactForgotten {
        /// Its name.
        name: String,
    },
    /// A question is one that facts answer; it is looked whether they still stand.
    FactsAsked {
        /// The question.
        turn: TurnId,
        /// Their names.
        names: Vec<String>,
    },
    /// A question was answered from facts, without a model.
    FactsAnswered {
        /// The question.
        turn: TurnId,
        /// Their names; none where what the session recorded answers.
        names: Vec<String>,
        /// The answer; empty where they do not stand any more and a model answers.
        text: String,
    },
    /// The user wants a memory changed: they agreed to a note, or said so themselves.
    MemoryChanged {
        /// What is changed.
        change: MemoryChange,
        /// The approval that it came with, or that it is.
        approval: ApprovalId,
    },
    /// The memory's file holds the change, or could not be changed.
    MemoryKept {
        /// The approval that it came with.
        approval: ApprovalId,
        /// The file.
        file: String,
        /// Why it is as it was.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fault: Option<String>,
    },
    /// A folder at hand has instructions of its own; a lane's model is told them.
    InstructionsTold {
        /// The lane.
        lane: LaneId,
        /// The file.
        path: RelPath,
        /// What is told of it.
        text: Excerpt,
    },
    /// The evidence of the reply that follows was checked.
    AnswerChecked {
        /// The model call.
        call: CallId,
        /// The lane.
        lane: LaneId,
        /// How many statements it makes.
        statements: usize,
        /// Its lines whose evidence does not hold.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        marks: Vec<Mark>,
    },
    /// A command changed files, or branches, stash and index of git; it stands in the ledger like a write.
    CommandWrote {
        /// The write.
        apply: ApplyId,
        /// The command's call.
        call: CallId,
        /// What it was, for people.
        command: String,
        /// The files, as many as an event holds.
        files: Vec<FileChange>,
        /// How many there are.
        count: usize,
        /// What of git changed, by name.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        git: Vec<String>,
        /// All of it, from which it is taken back.
        record: BlobId,
        /// The lines that changed.
        #[serde(default)]
        diff: Excerpt,
        /// What it changed and cannot be taken back.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        left: Vec<String>,
        /// What of it may be somebody else's.
        #[serde(default, skip_serializing_if = "Doubt::is_none")]
        doubt: Doubt,
        /// Where all of it is to be left alone and therefore put back, what the user called it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        spared: Vec<String>,
    },
    /// What writes made of a file is to be taken back hunk by hunk; what takes it back is looked for.
    TakeBackSought {
        /// The line of work that proposes it.
        lane: LaneId,
        /// The file.
        path: RelPath,
        /// The writes, the oldest first.
        writes: Vec<ApplyId>,
    },
    /// Nothing came of that.
    TakeBackUnmade {
        /// The line of work that would have proposed it.
        lane: LaneId,
    },
    /// What the session wrote is to be committed; git looks what it has of it.
    CommitSought {
        /// What it goes by.
        commit: CallId,
        /// The files, each with what the session wrote last.
        files: Vec<(RelPath, Option<BlobId>)>,
        /// The message, where one was given.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        message: String,
    },
    /// The user wants exactly this committed.
    CommitApproved {
        /// What it goes by.
        commit: CallId,
        /// The answer.
        approval: ApprovalId,
        /// The files.
        files: Vec<CommitFile>,
        /// The message.
        message: String,
        /// What is merged, where it ends a merge.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        merge: Option<String>,
    },
    /// Git committed, or nothing was.
    CommitEnded {
        /// What it goes by.
        commit: CallId,
        /// The commit; none where nothing was committed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        made: Option<Committed>,
        /// What came of it, for people.
        told: String,
    },
    /// A plan is to be read from a file of the workspace.
    PlanSought {
        /// What it goes by.
        call: CallId,
        /// The message that asks for it.
        turn: TurnId,
        /// The file.
        path: RelPath,
    },
    /// No plan came of the file.
    PlanUnread {
        /// What it goes by.
        call: CallId,
    },
    /// Runs of the plan stop here to ask, or do not any more.
    PauseSet {
        /// Where.
        pause: Pause,
        /// Whether they do.
        on: bool,
    },
    /// Several plans are wanted for a message, of which the best is shown.
    CandidatesWanted {
        /// The message.
        turn: TurnId,
        /// How many at most.
        most: usize,
    },
    /// A plan was handed in beside which others are made.
    PlanCandidate {
        /// It.
        plan: Plan,
    },
    /// A skill, a command or an agent of the user's files directs a message.
    TurnDirected {
        /// The message.
        turn: TurnId,
        /// What kind.
        kind: RecipeKind,
        /// What it is called.
        name: String,
        /// Where it comes from.
        origin: RecipeOrigin,
        /// Its file, as the user would name it.
        file: String,
        /// The prompt, as its model reads it.
        prompt: Excerpt,
        /// The tools that it keeps to; left out where it does not say.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tools: Option<Vec<String>>,
        /// How far it goes at most.
        scope: ToolScope,
        /// The model that it asks for.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        model: Option<String>,
        /// The sources that it needs.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        sources: Vec<String>,
    },
    /// Something happened to a stage pipeline.
    Staged {
        /// The pipeline, by the run that it began as.
        pipeline: RunId,
        /// What.
        happened: StageEvent,
    },
    /// From here on pipelines go so deep.
    DepthSet {
        /// How deep.
        depth: Depth,
    },
    /// Something was said of the session as a whole.
    Described {
        /// What.
        change: AboutChange,
    },
    /// The model is asked for a title of the session.
    TitleAsked {
        /// The call.
        call: CallId,
    },
    /// It gave one; what the session is called from then on stands in a [`Described`](Self::Described).
    Titled {
        /// The call.
        call: CallId,
        /// What it cost.
        usage: Usage,
        /// The model.
        model: String,
    },
    /// It gave none; what the session is called stays.
    TitleFailed {
        /// The call.
        call: CallId,
        /// Why.
        fault: Fault,
    },
    /// From here on another model is asked where nothing else names one.
    ModelChosen {
        /// The connection's name, or the model's; none: the main one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
    },
    /// Something the user should know.
    Notice {
        /// How loud.
        level: Level,
        /// What.
        text: String,
    },
}
