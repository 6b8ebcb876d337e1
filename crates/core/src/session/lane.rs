//! Lanes: lines of work, each with its own live node, ceiling and open calls.
//!
//! Owns what one lane knows. Never widens itself: only the deciders do, by events.

mod found;

use std::{collections::BTreeMap, sync::Arc};

use super::{
    as_text,
    closing::{Closing, closing},
    repeats::Repeats,
};
use crate::{
    blob::{BlobId, Excerpt},
    event::CallHead,
    fact::shortened,
    ids::{ApprovalId, CallId, LaneId, Millis, Seq, TaskId, TurnId},
    intent::IntentNode,
    lane::LaneKind,
    policy::Request,
    recipe::Directed,
    redact::is_marked,
    relpath::RelPath,
    resolved::ResolvedCommand,
    sandbox::Confine,
    scope::ToolScope,
    talk::{Finish, Usage},
    tool::{
        ArgsError, Delegate, Exit, External, FileCall, LeaveOf, Run, SessionCall, SourceCall, Tool, ToolCall,
    },
    work::SeenParts,
};

/// A line of work.
#[derive(Clone, Debug, PartialEq)]
pub struct Lane {
    /// Its id.
    pub id: LaneId,
    /// What it does.
    pub kind: LaneKind,
    /// The turn it serves.
    pub turn: TurnId,
    /// Its live node.
    pub node: IntentNode,
    /// What it can never exceed.
    pub most: ToolScope,
    /// What it may not exceed now: that, as far as the session's ceiling lets it.
    pub ceiling: ToolScope,
    /// Whether only the node's own scope holds.
    pub fixed: bool,
    /// Counts changes of the node; a permit of an older epoch is dead.
    pub epoch: u32,
    /// The open model call.
    pub thinking: Option<CallId>,
    /// Whether its next model call waits, since it would go beyond the budget.
    pub held: bool,
    /// Calls of the last reply, in order, until all have ended.
    pub calls: Vec<OpenCall>,
    /// What was said in this lane, by place in the log.
    pub talk: Vec<Talk>,
    /// Whether the user said something about its proposals that its model has not been told yet.
    pub addressed: bool,
    /// Whether the user said something to the run that its model has not been told yet.
    pub unread: bool,
    /// Whether anything that a gate looks at may be another than when it began.
    pub changed: bool,
    /// What became of its calls that change or run something.
    pub deeds: Deeds,
    /// Why nothing was to be changed, where its last reply says so plainly.
    pub needless: Option<String>,
    /// What its last reply asks with its last words.
    pub closing: Option<Closing>,
    /// Whether its last reply says why it cannot be done: asked again it says the same.
    pub gave_up: bool,
    /// Whether its model was told what it left out, since the user last answered it.
    pub nudged: bool,
    /// Whether a reply of its said anything in words.
    pub spoke: bool,
    /// Whether its last reply says nothing.
    pub silent: bool,
    /// The command of its that ended last.
    pub ran: Option<Ran>,
    /// Whether a command of its that can prove something ended well.
    pub proved: bool,
    /// The check of its that ended last and whose output a pipe shortened.
    pub piped: Option<String>,
    /// Its changes that came to nothing.
    pub missed: super::missed::Missed,
    /// The first call of that reply.
    pub first: Option<CallId>,
    /// Replies so far.
    pub rounds: u32,
    /// Whether its last reply wrote a call as text and made none.
    pub wrote_call: bool,
    /// What it called again and again since anything changed.
    pub repeats: Repeats,
    /// The hash that each file had when this lane last saw it.
    pub seen: BTreeMap<RelPath, BlobId>,
    /// What it saw since then of files that others have changed.
    pub parts: SeenParts,
    /// Nodes that it is on its way to and that wait for hooks, the next first.
    pub moves: Vec<HeldMove>,
    /// Sub-agents that it started so far.
    pub children: usize,
    /// What they cost.
    pub handed: Usage,
    /// The agent of the user's files that it is, as a sub-agent.
    pub agent: Option<Arc<Directed>>,
    /// From when on its work counts: when it was opened, later by what it waited for the user.
    pub opened: Millis,
}

/// Told once where a planning may not run a check of the project that it may in a trusted folder.
pub const TRUST_TO_TRY: &str =
    "While planning, the project's checks run only in a trusted folder; /trust lets the agent run them.";

/// Below an answer that failed, where somebody is there to type it.
pub const ASK_AGAIN: &str = "/retry asks it again";

/// How the last line of a step says that it had nothing to change.
pub const NEEDLESS: &str = "nothing to change:";

/// Why nothing was to be changed, in a reply that says so in a line of its own.
fn needless(text: &str) -> Option<String> {
    let said = text.lines().find_map(|line| {
        let line = line.trim().trim_start_matches(['*', '_', '`', '-', '>', ' ']);
        let head = line.get(..NEEDLESS.len()).filter(|head| head.eq_ignore_ascii_case(NEEDLESS))?;
        line.get(head.len()..)
    });
    let why = said?.trim().trim_matches(['*', '_', '`']).trim();
    (!why.is_empty()).then(|| why.to_owned())
}

/// The same of a reply that says nothing else.
pub fn needless_alone(text: &str) -> Option<String> {
    needless(text).filter(|_| text.trim().lines().count() == 1)
}

/// What became of calls that change or run something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Deeds {
    /// There were none.
    #[default]
    None,
    /// Each was refused.
    Refused,
    /// One was let go on.
    Done,
}

/// A command that ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ran {
    /// Its line, for people.
    pub command: String,
    /// How it ended.
    pub exit: Exit,
}

/// A node that a lane is on its way to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeldMove {
    /// From.
    pub from: IntentNode,
    /// To.
    pub to: IntentNode,
    /// The approval that allows it.
    pub approval: Option<ApprovalId>,
    /// The event that says so.
    pub seq: Seq,
    /// Whether the hooks were called.
    pub asked: bool,
}

/// A part of a lane's conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Talk {
    /// A model's reply.
    Reply(Seq),
    /// The result of a call.
    Result(Seq),
    /// What the workbench told the model by itself.
    Nudge(Seq),
}

/// A call that a reply made and that has not ended.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenCall {
    /// Our id.
    pub call: CallId,
    /// The tool; `None` when there is none of that name.
    pub tool: Option<Tool>,
    /// The name that the model used.
    pub name: String,
    /// What it asks for, or why that cannot be read.
    pub asked: Result<Arc<ToolCall>, ArgsError>,
    /// The hash of its arguments.
    pub hash: BlobId,
    /// The epoch in which it was allowed; `None` while it waits.
    pub allowed: Option<u32>,
    /// How it runs, once it is allowed and is a command.
    pub confine: Option<Confine>,
    /// What the variables came from that it gets of the project, once it is allowed.
    pub given: Option<BlobId>,
    /// Whether it runs without them, since the user has not said yet whether the folder is trusted.
    pub withheld: bool,
    /// What its words mean, once the user was asked about it.
    pub meant: Option<Box<ResolvedCommand>>,
    /// What the source's tool is that it was allowed to call, by hash.
    pub pin: Option<BlobId>,
    /// What changed since the user allowed it.
    pub changed: String,
    /// Whether that is something which the project brings, found before it began unasked.
    pub brought: bool,
    /// Whether that is what it could destroy and could not be saved first.
    pub loses: bool,
    /// Whether that is secret files that could not be hidden from it.
    pub shows: bool,
    /// Who let it begin.
    pub leave_of: LeaveOf,
    /// Whether its line is what the user typed.
    pub typed: bool,
    /// Whether the user changed what was proposed.
    pub edited: bool,
    /// What the user let it do although a rule asks about it.
    pub leave: Vec<Request>,
    /// The sub-agents that it started, in order.
    pub children: Vec<Child>,
    /// When it began.
    pub since: Millis,
    /// Whether its process is there, where it is a command.
    pub began: bool,
}

/// A sub-agent that a call started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Child {
    /// Its lane.
    pub lane: LaneId,
    /// What it found, once it has ended.
    pub report: Option<String>,
    /// Whether it came to its end by itself.
    pub done: bool,
}

impl OpenCall {
    /// A call of the workbench itself.
    pub(super) fn made(call: CallId, tool: Tool, args: &str, since: Millis) -> Self {
        let asked = ToolCall::read(tool, args).map(Arc::new);
        Self::waiting((call, Some(tool), tool.name().to_owned()), asked, BlobId::of(args.as_bytes()), since)
    }

    /// A call of a reply.
    pub(super) fn of_head(head: &CallHead, since: Millis) -> Self {
        let tool = Tool::named(&head.name);
        // A content that is kept without its secrets is another one.
        let is_other = |args: &str| tool.is_some_and(Tool::carries_content) && is_marked(args);
        let stored = || match head.args.whole().filter(|args| !is_other(args)) {
            Some(args) => ToolCall::named(&head.name, args).map(Arc::new),
            None => Err(ArgsError::Gone),
        };
        let asked = head.read.get().unwrap_or_else(stored);
        Self::waiting((head.call, tool, head.name.clone()), asked, head.args.id(), since)
    }

    fn waiting(
        (call, tool, name): (CallId, Option<Tool>, String),
        asked: Result<Arc<ToolCall>, ArgsError>,
        hash: BlobId,
        since: Millis,
    ) -> Self {
        let (allowed, confine, given) = (None, None, None);
        let (typed, edited, leave) = (false, false, Vec::new());
        Self {
            call,
            tool,
            name,
            asked,
            hash,
            allowed,
            confine,
            given,
            withheld: false,
            meant: None,
            pin: None,
            changed: String::new(),
            brought: false,
            loses: false,
            shows: false,
            leave_of: LeaveOf::default(),
            typed,
            edited,
            leave,
            children: Vec::new(),
            since,
            began: false,
        }
    }

    /// The command that it asks for, if it is one.
    pub fn run(&self) -> Option<&Run> {
        if let Ok(ToolCall::Run(run)) = self.asked.as_deref() { Some(run) } else { None }
    }

    /// What it asks of the files, if it does.
    pub fn file(&self) -> Option<&FileCall> {
        if let Ok(ToolCall::File(file)) = self.asked.as_deref() { Some(file) } else { None }
    }

    /// What it wants of a source's tool, if it calls one.
    pub fn source_call(&self) -> Option<&SourceCall> {
        let Ok(ToolCall::External(External::Call(call))) = self.asked.as_deref() else { return None };
        Some(call)
    }

    /// The tasks that it hands on, if it does.
    pub fn delegate(&self) -> Option<&Delegate> {
        let Ok(ToolCall::Session(SessionCall::Delegate(delegate))) = self.asked.as_deref() else {
            return None;
        };
        Some(delegate)
    }

    /// What it acts on, for people.
    pub fn subject(&self) -> String {
        let subject = self.asked.as_deref().map(ToolCall::subject).unwrap_or_default();
        shortened(subject, 200)
    }
}

/// Where a lane begins, and what it may.
#[derive(Clone, Copy, Debug)]
pub(super) struct LaneScope {
    pub node: IntentNode,
    pub ceiling: ToolScope,
    pub fixed: bool,
}

/// What made a task fail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskFault {
    /// The task.
    pub task: TaskId,
    /// Why.
    pub message: String,
    /// What the user can do about it.
    pub hint: String,
}

impl Lane {
    /// A lane in which nothing has happened.
    pub(super) fn opened(id: LaneId, kind: LaneKind, turn: TurnId, scope: LaneScope, opened: Millis) -> Self {
        let LaneScope { node, ceiling, fixed } = scope;
        Self {
            id,
            kind,
            turn,
            node,
            most: ceiling,
            ceiling,
            fixed,
            epoch: 0,
            thinking: None,
            held: false,
            calls: Vec::new(),
            talk: Vec::new(),
            addressed: false,
            unread: false,
            changed: false,
            deeds: Deeds::None,
            needless: None,
            closing: None,
            gave_up: false,
            nudged: false,
            spoke: false,
            silent: false,
            ran: None,
            proved: false,
            piped: None,
            missed: super::missed::Missed::default(),
            first: None,
            rounds: 0,
            wrote_call: false,
            repeats: Repeats::default(),
            seen: BTreeMap::new(),
            parts: SeenParts::new(),
            moves: Vec::new(),
            children: 0,
            handed: Usage::default(),
            agent: None,
            opened,
        }
    }

    /// Whether the workbench told its model something by itself.
    pub fn was_nudged(&self) -> bool {
        self.nudged
    }

    /// Its model replied, with these calls.
    pub(super) fn replied(
        &mut self,
        seq: Seq,
        (said, calls, finish): (&Excerpt, &[CallHead], Finish),
        at: Millis,
    ) {
        self.thinking = None;
        self.gave_up = finish.gives_up();
        let (text, end) = (said.head.as_str(), said.cut.as_ref().map_or(&said.head, |cut| &cut.tail));
        self.needless = needless(text);
        self.closing = closing(end);
        self.wrote_call = calls.is_empty() && as_text::holds_call(text, end);
        self.silent = text.trim().is_empty();
        self.spoke |= !self.silent;
        self.missed.now = false;
        self.talk.push(Talk::Reply(seq));
        self.calls = calls.iter().map(|c| OpenCall::of_head(c, at)).collect();
        self.first = self.calls.first().map(|c| c.call);
    }

    /// The scope of the live node under the ceiling: what calls run without further question.
    pub fn scope(&self) -> ToolScope {
        let scope = self.node.scope().and(self.ceiling);
        if self.tries() { scope.or(ToolScope::EXECUTE) } else { scope }
    }

    /// Whether it is a planning that tries out a command which a rule lets run.
    fn tries(&self) -> bool {
        let runs = |c: &OpenCall| c.allowed.is_some() && c.confine.is_some_and(|c| c != Confine::READING);
        self.kind == LaneKind::Planning && self.head().is_some_and(runs)
    }

    /// What is offered to the model: the node's free closure under the ceiling.
    pub fn offer(&self) -> ToolScope {
        if self.fixed { self.scope() } else { self.node.scope().or(ToolScope::EXECUTE).and(self.ceiling) }
    }

    /// The first call that has not ended.
    pub fn head(&self) -> Option<&OpenCall> {
        self.calls.first()
    }
}
