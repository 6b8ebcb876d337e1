//! The tools a model can call, what each needs, and the permit without which none runs.
//!
//! Owns names, effect classes and permits. Never runs anything: the tools crate does, and only
//! with a [`Permit`], which only the session can make.

use serde::{Deserialize, Serialize};

use crate::{
    blob::{Blob, BlobId},
    diff::Hunk,
    ids::{CallId, LaneId, Millis, Process},
    meant::Meant,
    policy::Held,
    relpath::RelPath,
    sandbox::Confine,
    scope::Capability,
    session::{Lane, OpenCall},
    trust::Trust,
};

/// Every tool of the workbench. A new one does not build until [`Tool::needs`] says its effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tool {
    /// Names of files.
    List,
    /// Lines of a file.
    Read,
    /// Matches of a pattern.
    Search,
    /// Exact replacements in a file, as a proposal.
    Edit,
    /// A whole file, as a proposal.
    Write,
    /// A file's removal, as a proposal.
    Delete,
    /// A command.
    Run,
    /// The plan, for the user's approval.
    SubmitPlan,
    /// A question to the user.
    AskUser,
    /// A deeper path for this turn.
    RequestPath,
}

impl Tool {
    /// Every tool, in the order in which they are offered.
    pub const ALL: [Self; 10] = [
        Self::List,
        Self::Read,
        Self::Search,
        Self::Edit,
        Self::Write,
        Self::Delete,
        Self::Run,
        Self::SubmitPlan,
        Self::AskUser,
        Self::RequestPath,
    ];

    /// The name a model calls it by.
    pub const fn name(self) -> &'static str {
        match self {
            Self::List => "list",
            Self::Read => "read",
            Self::Search => "search",
            Self::Edit => "edit",
            Self::Write => "write",
            Self::Delete => "delete",
            Self::Run => "run",
            Self::SubmitPlan => "submit_plan",
            Self::AskUser => "ask_user",
            Self::RequestPath => "request_path",
        }
    }

    /// The tool called `name`.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|t| t.name() == name)
    }

    /// Whether the session itself reads the arguments; such a call's stand whole in its event.
    pub const fn read_by_session(self) -> bool {
        matches!(self, Self::Run | Self::SubmitPlan | Self::AskUser | Self::RequestPath)
    }

    /// Whether its arguments carry what a file is to hold: those stay as they are, to the byte.
    pub const fn carries_content(self) -> bool {
        match self {
            Self::Edit | Self::Write => true,
            Self::List
            | Self::Read
            | Self::Search
            | Self::Delete
            | Self::Run
            | Self::SubmitPlan
            | Self::AskUser
            | Self::RequestPath => false,
        }
    }

    /// The capability that a lane must have before the tool runs; `None` for tools that only
    /// speak to the session itself.
    pub const fn needs(self) -> Option<Capability> {
        match self {
            Self::List => Some(Capability::List),
            Self::Read | Self::Search => Some(Capability::Read),
            Self::Edit | Self::Write => Some(Capability::Write),
            Self::Delete => Some(Capability::Delete),
            Self::Run => Some(Capability::Execute),
            Self::SubmitPlan | Self::AskUser | Self::RequestPath => None,
        }
    }
}

/// Who let a call begin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LeaveOf {
    /// Nobody was asked, and the folder is not trusted.
    #[default]
    Nobody,
    /// Nobody was asked, in a folder that the user trusts.
    Trust,
    /// The user: it is their line, or they approved it.
    User,
}

impl LeaveOf {
    /// Who let a call begin: the user `asked` for it or was asked, or the folder is trusted, or nobody.
    pub(crate) const fn of(asked: bool, trust: Trust) -> Self {
        match (asked, trust.holds()) {
            (true, _) => Self::User,
            (false, true) => Self::Trust,
            (false, false) => Self::Nobody,
        }
    }
}

/// Leave to run one call once. It names the lane, the call, the tool, the arguments by hash and
/// the lane's scope epoch; only the session can make one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Permit {
    lane: LaneId,
    call: CallId,
    tool: Tool,
    args: BlobId,
    epoch: u32,
    confine: Option<Confine>,
    given: Option<BlobId>,
    meant: Option<Box<Meant>>,
    leave_of: LeaveOf,
}

impl Permit {
    pub(crate) fn mint(lane: &Lane, open: &OpenCall, tool: Tool, epoch: u32) -> Self {
        let (confine, given) = (open.confine, open.given);
        Self {
            lane: lane.id,
            call: open.call,
            tool,
            args: open.hash,
            epoch,
            confine,
            given,
            meant: open.meant.clone(),
            leave_of: open.leave_of,
        }
    }

    /// The lane that may run the call.
    pub const fn lane(&self) -> LaneId {
        self.lane
    }

    /// The call.
    pub const fn call(&self) -> CallId {
        self.call
    }

    /// The tool.
    pub const fn tool(&self) -> Tool {
        self.tool
    }

    /// What the variables came from that a command gets of the project; nothing when it gets none.
    pub const fn given(&self) -> Option<BlobId> {
        self.given
    }

    /// The lane's scope epoch when it was made.
    pub const fn epoch(&self) -> u32 {
        self.epoch
    }

    /// How the command that it allows runs; `None` for what is no command.
    pub const fn confine(&self) -> Option<Confine> {
        self.confine
    }

    /// What the words of the command meant when it was allowed; `None` where nobody was asked.
    pub fn meant(&self) -> Option<&Meant> {
        self.meant.as_deref()
    }

    /// Who let the call begin.
    pub const fn leave_of(&self) -> LeaveOf {
        self.leave_of
    }

    /// Whether it covers exactly these arguments.
    pub fn covers(&self, args: &str) -> bool {
        self.args == BlobId::of(args.as_bytes())
    }
}

/// What a finished call has to say. A tool's failure is data for the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolOutcome {
    /// The result as the model reads it.
    pub text: String,
    /// One line for people: `188 lines`, `3 matches`, `exit 0`.
    pub summary: String,
    /// Whether the call failed.
    pub failed: bool,
    /// Files whose whole content the call saw, with the hash it had.
    pub seen: Vec<(RelPath, BlobId)>,
    /// Changes that it proposes.
    pub proposals: Vec<ProposalDraft>,
    /// How a command ended.
    pub exit: Option<Exit>,
    /// What a command wrote, without terminal control and secrets, as far as it was kept.
    pub output: Option<Blob>,
    /// What the user should know of it, beyond its result.
    pub notice: Option<String>,
    /// The rule that the call ran into at the path which it really meant; then nothing was done.
    pub held: Option<Box<Held>>,
    /// What a command would have run that is not what was allowed; then nothing was done.
    pub changed: Option<String>,
    /// What the project brings that a command which nobody was asked about would have run; then nothing was done.
    pub brought: Option<String>,
}

impl ToolOutcome {
    /// A result without further effects.
    pub fn text(text: impl Into<String>, summary: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            summary: summary.into(),
            failed: false,
            seen: Vec::new(),
            proposals: Vec::new(),
            exit: None,
            output: None,
            notice: None,
            held: None,
            changed: None,
            brought: None,
        }
    }

    /// A failure; the text tells the model how to mend its call.
    pub fn failure(text: impl Into<String>) -> Self {
        let text = text.into();
        let summary: String = text.lines().next().unwrap_or_default().chars().take(80).collect();
        Self { failed: true, ..Self::text(text, summary) }
    }
}

/// How a command ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exit {
    /// The exit code; `None` when a signal ended it.
    pub code: Option<i32>,
    /// The signal, if one ended it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
    /// Whether it ran into its time limit and was stopped.
    #[serde(default)]
    pub timed_out: bool,
    /// How long it ran.
    pub took: Millis,
    /// The process that ran it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub process: Option<Process>,
}

impl Exit {
    /// Whether it ended with code 0.
    pub const fn ok(&self) -> bool {
        matches!(self.code, Some(0))
    }

    /// How it ended, in words after the command.
    pub fn words(&self) -> String {
        match (self.timed_out, self.code, self.signal) {
            (true, ..) => "ran into its time limit".to_owned(),
            (false, Some(code), _) => format!("ended with exit {code}"),
            (false, None, Some(signal)) => format!("was ended by signal {signal}"),
            (false, None, None) => "ended".to_owned(),
        }
    }
}

/// What a proposed change does to its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    /// The file is new.
    Create,
    /// The file exists and changes.
    Modify,
    /// The file goes.
    Delete,
}

/// A change to one file as a tool proposes it; nothing is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProposalDraft {
    /// The file.
    pub path: RelPath,
    /// What happens to it.
    pub kind: ChangeKind,
    /// The content on disk when it was proposed; `None` for a new file.
    pub before: Option<Blob>,
    /// The content proposed; `None` for a removal.
    pub after: Option<Blob>,
    /// The hunks between them; one for a new or removed file.
    pub hunks: Vec<Hunk>,
}
