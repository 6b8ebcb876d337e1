//! The tools a model can call, what each needs, and the permit without which none runs.
//!
//! Owns the list of tools, the reading of their calls, and permits. Never runs anything: the tools
//! crate does, and only with a [`Permit`], which only the session can make.

mod call;
mod coerce;
mod elsewhere;
mod facts;
mod files;
pub mod knowledge;
mod lenient;
mod patch;
mod read;
mod session;
mod spelling;

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub use call::{FileCall, SessionCall, Tool, ToolCall};
pub use facts::{ABSENT, Subject};
pub use files::*;
pub use knowledge::KnowledgeCall;
pub use read::{ArgsError, ReadCall};
pub use session::*;

pub use crate::outcome::{ChangeKind, Exit};

use crate::{
    blob::{Blob, BlobId},
    diff::{self, Hunk, Lines, Version},
    fact::FactDraft,
    ids::{CallId, LaneId},
    outcome::FileChange,
    policy::Held,
    relpath::RelPath,
    resolved::ResolvedCommand,
    sandbox::Confine,
    source::{self, SourceNews},
    spared::Spared,
};

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
    pub(crate) const fn of(asked: bool, trusted: bool) -> Self {
        match (asked, trusted) {
            (true, _) => Self::User,
            (false, true) => Self::Trust,
            (false, false) => Self::Nobody,
        }
    }
}

/// Leave to run one call once. It names the lane and the lane's scope epoch and holds the call itself,
/// as it was read and decided about; only the session can make one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Permit {
    lane: LaneId,
    call: CallId,
    tool: Tool,
    asked: Arc<ToolCall>,
    terms: Box<Terms>,
}

/// On what terms a call may run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Terms {
    /// The lane's scope epoch.
    pub epoch: u32,
    /// How a command runs.
    pub confine: Option<Confine>,
    /// What the variables came from that it gets of the project.
    pub given: Option<BlobId>,
    /// What the command means here.
    pub meant: Option<Box<ResolvedCommand>>,
    /// Who let it begin.
    pub leave_of: LeaveOf,
    /// Whether the user said yes to exactly this line before.
    pub agreed: bool,
    /// What the user was told of it besides, before it was allowed.
    pub told: String,
    /// What a source's tool was when it was allowed, by the hash of what its server says of it.
    pub pin: Option<BlobId>,
    /// Whether a source may be started for it.
    pub starts: bool,
    /// What the user said is to be left alone, where a command is held to that.
    pub spared: Spared,
}

impl Permit {
    /// Leave for this call of a lane, on these terms.
    pub(crate) fn mint(lane: LaneId, call: CallId, asked: (Tool, Arc<ToolCall>), terms: Terms) -> Self {
        let (tool, asked) = asked;
        Self { lane, call, tool, asked, terms: Box::new(terms) }
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

    /// What exactly it allows.
    pub fn asked(&self) -> &ToolCall {
        &self.asked
    }

    /// What the variables came from that a command gets of the project; nothing when it gets none.
    pub fn given(&self) -> Option<BlobId> {
        self.terms.given
    }

    /// The lane's scope epoch when it was made.
    pub const fn epoch(&self) -> u32 {
        self.terms.epoch
    }

    /// How the command that it allows runs; `None` for what is no command.
    pub const fn confine(&self) -> Option<Confine> {
        self.terms.confine
    }

    /// What the words of the command meant when it was allowed; `None` where nobody was asked.
    pub fn meant(&self) -> Option<&ResolvedCommand> {
        self.terms.meant.as_deref()
    }

    /// What a source's tool was when it was allowed, by the hash of what its server says of it.
    pub fn pin(&self) -> Option<BlobId> {
        self.terms.pin
    }

    /// Whether a source may be started for it; else it learns what is known.
    pub const fn starts(&self) -> bool {
        self.terms.starts
    }

    /// What the user said is to be left alone: what a command changed of it is told by itself.
    pub fn spared(&self) -> &Spared {
        &self.terms.spared
    }

    /// Who let the call begin.
    pub const fn leave_of(&self) -> LeaveOf {
        self.terms.leave_of
    }

    /// Whether the user knows the line of a command that it allows: they were asked about it now, or said yes to
    /// exactly this line before.
    pub const fn is_known_to_user(&self) -> bool {
        self.terms.agreed || matches!(self.terms.leave_of, LeaveOf::User)
    }

    /// What the user was told of it besides, before it was allowed; empty when nothing was.
    pub fn told(&self) -> &str {
        &self.terms.told
    }
}

/// What a finished call has to say. A tool's failure is data for the model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolOutcome {
    /// The result as the model reads it.
    pub text: String,
    /// One line for people: `188 lines`, `3 matches`, `exit 0`.
    pub summary: String,
    /// Whether the call failed.
    pub failed: bool,
    /// Files whose whole content the call saw, with the hash it had.
    pub seen: Vec<(RelPath, BlobId)>,
    /// Lines that it saw of files that others have changed, with the hash of the whole.
    pub parts: Vec<(RelPath, BlobId, Lines)>,
    /// Changes that it proposes.
    pub proposals: Vec<ProposalDraft>,
    /// The file whose open proposal it takes back: it is to stay as it is on disk.
    pub withdrawn: Option<Box<RelPath>>,
    /// Facts that it found.
    pub facts: Vec<FactDraft>,
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
    /// What a command could destroy and could not be saved first; then nothing was done.
    pub unkept: Option<String>,
    /// Secret files that a command could have come upon since they could not be hidden; then nothing was done.
    pub unhidden: Option<String>,
    /// What a command changed in the workspace.
    pub wrote: Option<Box<Wrote>>,
    /// What a source was found to have.
    pub found: Option<Box<SourceNews>>,
    /// Whether a source's tool is another than the one that was allowed; then nothing was done.
    pub redefined: bool,
    /// The workspace before and after a command that is to prove something.
    pub trees: Option<Trees>,
    /// What is said beside it: what may be why it failed, and what can be done.
    pub advice: Vec<Advice>,
}

/// What is said beside what a call gave, such as why a command may have failed and what can be done, in the words of
/// whoever reads it. Nothing of it was printed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Advice {
    /// For the model that called it.
    pub model: String,
    /// For the user, who has no arguments to give but a line to type; empty where it is none of theirs.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub user: String,
}

impl Advice {
    /// What both are told in the same words.
    pub fn same(told: impl Into<String>) -> Self {
        let told = told.into();
        Self { model: told.clone(), user: told }
    }

    /// What only the model is told.
    pub fn model(told: impl Into<String>) -> Self {
        Self { model: told.into(), user: String::new() }
    }

    /// What a call gave as its model reads it: what is said beside it stands below its first line.
    pub fn below(notes: &[Self], text: &str) -> String {
        let mut lines = text.splitn(2, '\n');
        let first = lines.next().into_iter();
        let notes = notes.iter().map(|note| note.model.as_str());
        first.chain(notes).chain(lines).collect::<Vec<_>>().join("\n")
    }

    /// What the user reads of it, a line each.
    pub fn for_user(notes: &[Self]) -> impl Iterator<Item = &str> {
        notes.iter().map(|note| note.user.as_str()).filter(|line| !line.is_empty())
    }
}

/// The workspace before and after something, as a hash over all its files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trees {
    /// Before.
    pub before: BlobId,
    /// After.
    pub after: BlobId,
}

/// What a command changed, with all that takes it back stored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wrote {
    /// The files, as many as an event holds.
    pub files: Vec<FileChange>,
    /// How many there are.
    pub count: usize,
    /// What of git changed, by name.
    pub git: Vec<String>,
    /// All of it, from which it is taken back; `None` when nothing can be.
    pub record: Option<BlobId>,
    /// The lines that changed.
    pub diff: String,
    /// What changed and cannot be taken back.
    pub left: Vec<String>,
    /// What of it may be somebody else's.
    pub doubt: Doubt,
    /// What is to be left alone, and what else changed of it: not among the rest, and with a record of its own.
    pub spared: Option<Box<SparedChange>>,
}

/// What a command changed of the files that are to be left alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SparedChange {
    /// What the user called them.
    pub said: Vec<String>,
    /// The change.
    pub wrote: Wrote,
}

/// What changed while a command ran and may be somebody else's work: an editor saves when it likes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Doubt {
    /// Files, and what of git, by name: the first of them.
    pub names: Vec<String>,
    /// How many there are.
    pub count: usize,
    /// Whether it is all that changed.
    pub all: bool,
}

impl Doubt {
    /// Whether there is none.
    pub const fn is_none(&self) -> bool {
        self.count == 0
    }

    /// It in words: `a.rs, b.rs and 3 more`.
    pub fn words(&self) -> String {
        let names = self.names.join(", ");
        match self.count.saturating_sub(self.names.len()) {
            0 => names,
            more => format!("{names} and {more} more"),
        }
    }
}

/// Most characters of a failure's summary.
const SUMMARY_CHARS: usize = 80;
/// Most bytes of a result that a model is told: of a longer one both ends, or of a file its first lines.
pub const RESULT_BYTES: usize = 24 * 1024;

impl ToolOutcome {
    /// A result without further effects.
    pub fn text(text: impl Into<String>, summary: impl Into<String>) -> Self {
        Self { text: text.into(), summary: summary.into(), ..Self::default() }
    }

    /// A failure; the text tells the model how to mend its call.
    pub fn failure(text: impl Into<String>) -> Self {
        let text = text.into();
        let summary = crate::fact::shortened(text.lines().next().unwrap_or_default(), SUMMARY_CHARS);
        Self { failed: true, ..Self::text(text, summary) }
    }
}

/// A call that a source answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum External {
    /// Which tools there are, and how one is called.
    Look(SourceTools),
    /// A call of one.
    Call(SourceCall),
}

/// Arguments of `source_tools`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SourceTools {
    /// The source; all of them by name when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// A tool of it, or a part of a name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
}

/// Arguments of `source_call`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SourceCall {
    /// The tool by its full name.
    #[serde(deserialize_with = "crate::args::words")]
    pub tool: String,
    /// Its arguments, as its server takes them.
    #[serde(default, deserialize_with = "crate::args::if_any", skip_serializing_if = "Map::is_empty")]
    pub arguments: Map<String, Value>,
}

impl SourceCall {
    /// Reads a call by the tool's own name.
    pub(crate) fn named(name: &str, args: &str) -> Result<Self, ArgsError> {
        let arguments = if args.trim().is_empty() { Ok(Map::new()) } else { serde_json::from_str(args) };
        let wrong =
            |e: serde_json::Error| ArgsError::NotJson { tool: Tool::SourceCall.name(), why: e.to_string() };
        Ok(Self { tool: name.to_owned(), arguments: arguments.map_err(wrong)? })
    }

    /// The source, and the tool there.
    pub fn parts(&self) -> Option<(&str, &str)> {
        source::parts(&self.tool)
    }
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
    /// What has to be known of the file before it is written: a clause each.
    pub notes: Vec<String>,
}

impl ProposalDraft {
    /// Of a file that holds `before`, in bytes as are both; `hunks` are those between them.
    pub fn of(
        path: RelPath,
        kind: ChangeKind,
        (before, after): (Option<Vec<u8>>, Option<Vec<u8>>),
        hunks: Vec<Hunk>,
    ) -> Self {
        let (before, after) = (before.map(Blob::new), after.map(Blob::new));
        Self { path, kind, before, after, hunks, notes: Vec::new() }
    }
}

/// The same proposal made anew: against another content of its file, or with another text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redraft {
    /// It, as it is now.
    pub draft: ProposalDraft,
    /// For each of its hunks, which one of the proposal before it is.
    pub same: Vec<Option<usize>>,
}

impl Redraft {
    /// A draft with its hunks, which are as they were before wherever they are the same.
    pub fn since(older: Version<'_>, mut draft: ProposalDraft) -> Self {
        let [before, after] = [&draft.before, &draft.after].map(|b| b.as_ref().map_or(&[][..], Blob::bytes));
        let found = diff::hunks_since(older, before, after);
        let same;
        (draft.hunks, same) = found.into_iter().unzip();
        Self { draft, same }
    }
}

#[cfg(test)]
mod tests;
