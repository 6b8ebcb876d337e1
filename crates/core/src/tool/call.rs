//! Calls: the one list of tools, the shape of each one's arguments, and a call read once where it ends.
//!
//! Owns what each tool is called, needs and takes. Never acts on a call: the session and the tools
//! crate do.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    External, SourceCall,
    facts::{Facts, Subject},
    files::{Delete, Edit, List, Read, RecordFact, Run, Search, Write},
    knowledge::KnowledgeCall,
    read::{self, ArgsError},
    session::{AskUser, ChangeGate, CommitMessage, Delegate, RequestPath},
    spelling::Spelling::{
        Also, Bare, BothCases, Each, Heads, Idle, Last, Millis, Numbered, Only, Patch, Unheard,
    },
};
use crate::{
    memory::NoteDraft,
    plan::PlanDraft,
    scope::Capability,
    shell::Act,
    talk::Purpose::{Answer, Goal, Plan, Task},
};

/// Other names of a path.
const PATH: &[&str] = &["file_path", "filepath", "filename", "file"];
/// Other names of what is replaced.
const OLD: &[&str] = &["old_string", "old_str", "old_text", "oldText"];
/// Other names of what comes in its place.
const NEW: &[&str] = &["new_string", "new_str", "new_text", "newText"];
/// Where a command is to run, by names that others have for it.
const FOLDER: &[&str] = &["cwd", "folder", "workdir", "working_directory", "directory"];
/// What models say about a call, for people.
const SAID: &[&str] = &[
    "description",
    "explanation",
    "why",
    "purpose",
    "thought",
    "thoughts",
    "reasoning",
    "rationale",
    "justification",
];

/// Makes [`Tool`], [`Tool::ALL`] and what stands in the list about each tool.
macro_rules! tools {
    ($($(#[$doc:meta])* $tool:ident = $name:literal { $($fact:tt)+ })+) => {
        /// Every tool of the workbench.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum Tool { $($(#[$doc])* $tool,)+ }

        impl Tool {
            /// Every tool, in the order in which they are offered.
            pub const ALL: [Self; [$($name),+].len()] = [$(Self::$tool),+];

            pub(super) const fn facts(self) -> &'static Facts {
                match self {
                    $(Self::$tool => &Facts {
                        name: $name,
                        spec: include_str!(concat!("../../../../assets/tools/", $name, ".json")),
                        $($fact)+
                    },)+
                }
            }
        }
    };
}

tools! {
    /// Names of files.
    List = "list" {
        example: r#"{"path": "docs"}; path and depth are optional"#,
        spellings: &[Also("path", PATH), Also("path", &["dir", "directory", "folder"]), Unheard(SAID)],
        needs: Some(Capability::List), acts: &[], content: false, offered: &[],
        words: ("Listing", "Listed"), subject: Subject::Path,
    }
    /// Lines of a file.
    Read = "read" {
        example: r#"{"path": "docs/notes.md"}; from and lines, both numbers, are optional"#,
        spellings: &[Also("path", PATH), Also("from", &["offset", "start_line"]), Also("lines", &["limit"]), Last("lines", "from", &["end_line", "to"]), Unheard(SAID)],
        needs: Some(Capability::Read), acts: &[Act::Read], content: false, offered: &[],
        words: ("Reading", "Read"), subject: Subject::Path,
    }
    /// Matches of a pattern.
    Search = "search" {
        example: r#"{"pattern": "what to find"}; path, glob, context, whole_word, literal and max are optional"#,
        spellings: &[
            Also("pattern", &["query", "regex"]), Also("path", PATH), Also("path", &["dir", "directory", "folder"]),
            Also("glob", &["include"]), Also("context", &["context_lines", "-C"]),
            Also("max", &["limit", "max_results", "head_limit"]), Unheard(SAID), Unheard(&["-n"]),
            BothCases("pattern", &["case_insensitive", "ignore_case", "-i", "case_sensitive"]),
        ],
        needs: Some(Capability::Read), acts: &[Act::Read], content: false, offered: &[],
        words: ("Searching", "Searched"), subject: Subject::Pattern,
    }
    /// Exact replacements in a file, as a proposal. What is edited is quoted when an edit does not fit.
    Edit = "edit" {
        example: r#"{"path": "docs/notes.md", "edits": [{"old": "exact text", "new": "its replacement"}]}; all, whole_word and whole_lines are optional in an edit"#,
        spellings: &[
            Patch(&["patch", "input", "diff", "edits"]), Also("path", PATH),
            Also("old", OLD), Also("new", NEW), Also("all", &["replace_all"]),
            Only("edits", &["old", "new", "all", "whole_word", "whole_lines"]),
            Each("edits", &[Also("old", OLD), Also("new", NEW), Also("all", &["replace_all"])]), Unheard(SAID),
        ],
        needs: Some(Capability::Write), acts: &[Act::Read, Act::Write], content: true, offered: &[],
        words: ("Drafting", "Proposed"), subject: Subject::Path,
    }
    /// A whole file, as a proposal.
    Write = "write" {
        example: r#"{"path": "docs/notes.md", "content": "the whole file"}"#,
        spellings: &[Also("path", PATH), Also("content", &["contents", "text", "file_text"]), Unheard(SAID)],
        needs: Some(Capability::Write), acts: &[Act::Write], content: true, offered: &[],
        words: ("Drafting", "Proposed"), subject: Subject::Path,
    }
    /// A file's removal, as a proposal.
    Delete = "delete" {
        example: r#"{"path": "docs/old.md"}"#,
        spellings: &[Also("path", PATH), Unheard(SAID)],
        needs: Some(Capability::Delete), acts: &[Act::Delete], content: false, offered: &[],
        words: ("Drafting", "Removal"), subject: Subject::Path,
    }
    /// Something that was found out, with where it stands.
    RecordFact = "record_fact" {
        example: r#"{"name": "default port", "value": "8080", "file": "docs/setup.md", "line": 12, "text": "port: 8080"} or {"name": "…", "value": "…", "command": "make test", "text": "3 passed"} or {"name": "…", "value": "…", "because": ["default port"]}"#,
        spellings: &[Also("file", &["path", "file_path"]), Also("text", &["quote"]), Unheard(SAID)],
        needs: Some(Capability::Read), acts: &[Act::Read], content: false, offered: &[],
        words: ("Noting", "Noted"), subject: Subject::Words,
    }
    /// A command.
    Run = "run" {
        example: r#"{"command": "the exact line"}; folder, timeout_s, network, outside and reason are optional"#,
        spellings: &[
            Also("command", &["cmd", "line"]), Also("folder", FOLDER), Millis("timeout"),
            Also("timeout_s", &["timeout", "timeout_seconds"]), Unheard(SAID),
        ],
        needs: Some(Capability::Execute), acts: &[], content: false, offered: &[],
        words: ("Running", "Ran"), subject: Subject::Words,
    }
    /// The tools of the sources, and how one is called.
    SourceTools = "source_tools" {
        example: r#"{"source": "memory"}; source and tool are optional"#,
        spellings: &[Also("source", &["server", "name"]), Unheard(SAID)],
        needs: Some(Capability::Read), acts: &[], content: false, offered: &[],
        words: ("Asking", "Asked"), subject: Subject::Words,
    }
    /// A call of a source's tool.
    SourceCall = "source_call" {
        example: r#"{"tool": "memory__read_graph", "arguments": {}}; source_tools tells names and arguments"#,
        spellings: &[Also("tool", &["name"]), Also("arguments", &["args", "input", "parameters"]), Unheard(SAID)],
        needs: Some(Capability::Execute), acts: &[], content: false, offered: &[],
        words: ("Calling", "Called"), subject: Subject::Words,
    }
    /// The plan, for the user's approval.
    SubmitPlan = "submit_plan" {
        example: r#"{"title": "…", "tasks": [{"title": "…", "detail": "…", "kind": "modify", "files": ["…"], "after": [1]}], "gates": [{"name": "…", "command": "…"}]}; only title and tasks with a title each are needed"#,
        spellings: &[
            Also("title", &["name"]), Also("note", &["description", "summary", "notes", "rationale"]), Also("tasks", &["steps"]),
            Bare("tasks", &["title"]), Bare("gates", &["command"]), Numbered("tasks", "id", "after"),
            Each("tasks", &[
                Also("title", &["name", "task"]), Heads("title", "description"), Also("detail", &["description", "details", "instructions"]),
                Also("kind", &["type"]),
            ]),
            Each("gates", &[
                Also("command", &["cmd", "run"]), Also("name", &["title", "description"]), Unheard(SAID),
                Unheard(&["id"]), Idle(FOLDER, &["", ".", "./"]),
            ]),
            Unheard(SAID), Unheard(&["rationale", "id"]),
        ],
        needs: None, acts: &[], content: false, offered: &[Plan],
        words: ("Plan", "Plan"), subject: Subject::Words,
    }
    /// A question to the user.
    AskUser = "ask_user" {
        example: r#"{"question": "…", "choices": ["…"]}; only question is needed"#,
        spellings: &[Also("choices", &["options"]), Unheard(SAID)],
        needs: None, acts: &[], content: false, offered: &[Plan, Answer, Task, Goal],
        words: ("Asked", "Asked"), subject: Subject::Words,
    }
    /// A deeper path for this turn.
    RequestPath = "request_path" {
        example: r#"{"node": "modify", "reason": "why the user's words call for it"}"#,
        spellings: &[Also("node", &["path"]), Unheard(SAID)],
        needs: None, acts: &[], content: false, offered: &[Answer, Task, Goal],
        words: ("Path", "Path"), subject: Subject::Words,
    }
    /// Another command for a gate that cannot work here.
    ChangeGate = "change_gate" {
        example: r#"{"gate": "tests", "command": "the line that works here", "reason": "why the other cannot"}"#,
        spellings: &[Also("gate", &["name"]), Also("command", &["cmd"]), Also("reason", &["why", "description", "explanation"]), Unheard(SAID)],
        needs: None, acts: &[], content: false, offered: &[Task],
        words: ("Gate", "Gate"), subject: Subject::Words,
    }
    /// A note for later sessions, for the user's approval.
    Remember = "remember" {
        example: r#"{"kind": "learning", "text": "the tests need a running database"}; kinds: learning, decision, failure (of this project), identity, preference (of the user)"#,
        spellings: &[Also("kind", &["type", "category"]), Also("text", &["note", "content", "memory"]), Unheard(SAID)],
        needs: None, acts: &[], content: false, offered: &[Plan, Answer, Task, Goal],
        words: ("Note", "Note"), subject: Subject::Words,
    }
    /// Tasks for sub-agents that only read.
    Delegate = "delegate" {
        example: r#"{"tasks": [{"kind": "search", "task": "find every place that reads the settings"}]}; kind is search, review or verify"#,
        spellings: &[
            Also("tasks", &["agents", "prompts"]), Bare("tasks", &["task"]),
            Each("tasks", &[
                Also("task", &["prompt", "instructions", "description"]), Also("kind", &["type", "subagent_type"]),
            ]),
            Unheard(SAID),
        ],
        needs: None, acts: &[], content: false, offered: &[Plan, Answer, Task],
        words: ("Agents", "Agents"), subject: Subject::Words,
    }
    /// Another message for the commit that waits.
    CommitMessage = "commit_message" {
        example: r#"{"message": "Take empty lists\n\nWhy it is done, in a line or two."}"#,
        spellings: &[Also("message", &["text", "content", "commit_message"]), Unheard(SAID)],
        needs: None, acts: &[], content: false, offered: &[],
        words: ("Message", "Message"), subject: Subject::Words,
    }
    /// Passages that answer a question.
    KbSearch = "kb_search" {
        example: r#"{"query": "where are retries counted", "within": ["docs"], "max": 10}; only query is needed"#,
        spellings: &[Also("query", &["text", "question", "q"]), Also("max", &["limit", "top_k"]), Unheard(SAID)],
        needs: Some(Capability::Read), acts: &[Act::Read], content: false, offered: &[],
        words: ("Looking up", "Looked up"), subject: Subject::Words,
    }
    /// Passages that a passage or a name leads to.
    HopRetrieve = "hop_retrieve" {
        example: r#"{"symbol": "Parser", "by": ["uses"], "max": 10} or {"path": "docs/a.md", "from": 10, "to": 20}; by is one of uses, used_by, imports, imported_by, links, contains"#,
        spellings: &[Also("path", PATH), Also("symbol", &["name", "entity"]), Also("max", &["limit"]), Unheard(SAID)],
        needs: Some(Capability::Read), acts: &[Act::Read], content: false, offered: &[],
        words: ("Following", "Followed"), subject: Subject::Words,
    }
    /// The passage at a place.
    GetPassage = "get_passage" {
        example: r#"{"path": "docs/a.md", "from": 10, "to": 40}; only path is needed"#,
        spellings: &[Also("path", PATH), Also("from", &["line", "start_line"]), Also("to", &["end_line"]), Unheard(SAID)],
        needs: Some(Capability::Read), acts: &[Act::Read], content: false, offered: &[],
        words: ("Reading", "Read"), subject: Subject::Words,
    }
    /// Whether what is cited stands there.
    CitationVerify = "citation_verify" {
        example: r#"{"citations": [{"path": "docs/a.md", "from": 10, "to": 12, "hash": "0123abcd", "text": "the quoted words"}]}; only path is needed in one"#,
        spellings: &[Each("citations", &[Also("path", PATH), Also("text", &["quote"])]), Unheard(SAID)],
        needs: Some(Capability::Read), acts: &[Act::Read], content: false, offered: &[],
        words: ("Checking", "Checked"), subject: Subject::Words,
    }
    /// Whether the names in a text exist.
    EntityVerify = "entity_verify" {
        example: r#"{"text": "`Session::step` is called by the driver"}"#,
        spellings: &[Also("text", &["sentence", "claim"]), Unheard(SAID)],
        needs: Some(Capability::Read), acts: &[Act::Read], content: false, offered: &[],
        words: ("Checking", "Checked"), subject: Subject::Words,
    }
    /// Whether one name does something to another.
    RelationVerify = "relation_verify" {
        example: r#"{"subject": "Driver", "relation": "uses", "object": "Session", "cited": [{"path": "docs/a.md", "from": 1, "to": 9}]}; cited can be left out"#,
        spellings: &[Unheard(SAID)],
        needs: Some(Capability::Read), acts: &[Act::Read], content: false, offered: &[],
        words: ("Checking", "Checked"), subject: Subject::Words,
    }
    /// Whether claims contradict each other or what they cite.
    ContradictionCheck = "contradiction_check" {
        example: r#"{"claims": ["the port is 80", "the port is 81"], "cited": [{"path": "docs/a.md", "from": 1, "to": 9}]}; cited can be left out"#,
        spellings: &[Unheard(SAID)],
        needs: Some(Capability::Read), acts: &[Act::Read], content: false, offered: &[],
        words: ("Checking", "Checked"), subject: Subject::Words,
    }
    /// What is in the knowledge index.
    KbStatus = "kb_status" {
        example: r#"{} or {"path": "docs/a.md"}"#,
        spellings: &[Also("path", PATH), Unheard(SAID)],
        needs: Some(Capability::Read), acts: &[Act::Read], content: false, offered: &[],
        words: ("Looking", "Looked"), subject: Subject::Words,
    }
}

/// A call as its tool takes it: the one reading of its arguments.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum ToolCall {
    /// Of a tool that works on the files of the workspace.
    File(FileCall),
    /// A command.
    Run(Run),
    /// Of a tool that speaks to the session itself.
    Session(SessionCall),
    /// Of a tool that asks the knowledge index.
    Knowledge(KnowledgeCall),
    /// Of a tool of another program, whose schema is only known when it runs.
    External(External),
}

/// A call of a tool that works on files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum FileCall {
    /// Names of files.
    List(List),
    /// Lines of a file.
    Read(Read),
    /// Matches of a pattern.
    Search(Search),
    /// Exact replacements in a file.
    Edit(Edit),
    /// A whole file.
    Write(Write),
    /// A file's removal.
    Delete(Delete),
    /// Something that was found out.
    RecordFact(RecordFact),
}

/// A call that the session answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum SessionCall {
    /// The plan.
    SubmitPlan(PlanDraft),
    /// A question to the user.
    AskUser(AskUser),
    /// A deeper path.
    RequestPath(RequestPath),
    /// Another command for a gate.
    ChangeGate(ChangeGate),
    /// A note for later sessions.
    Remember(NoteDraft),
    /// Tasks for sub-agents.
    Delegate(Delegate),
    /// Another message for the commit that waits.
    CommitMessage(CommitMessage),
}

impl ToolCall {
    /// Reads the arguments of a call of `tool`.
    ///
    /// # Errors
    /// When they do not fit; the text tells the model how to mend them.
    pub fn read(tool: Tool, args: &str) -> Result<Self, ArgsError> {
        Ok(match tool {
            Tool::List => Self::File(FileCall::List(read::read(tool, args)?)),
            Tool::Read => Self::File(FileCall::Read(read::read(tool, args)?)),
            Tool::Search => Self::File(FileCall::Search(read::read(tool, args)?)),
            Tool::Edit => Self::File(FileCall::Edit(read::read(tool, args)?)),
            Tool::Write => Self::File(FileCall::Write(read::read(tool, args)?)),
            Tool::Delete => Self::File(FileCall::Delete(read::read(tool, args)?)),
            Tool::RecordFact => Self::File(FileCall::RecordFact(read::read(tool, args)?)),
            Tool::Run => Self::Run(read::read(tool, args)?),
            Tool::SourceTools => Self::External(External::Look(read::read(tool, args)?)),
            Tool::SourceCall => Self::External(External::Call(read::read(tool, args)?)),
            Tool::SubmitPlan => Self::Session(SessionCall::SubmitPlan(read::read(tool, args)?)),
            Tool::AskUser => Self::Session(SessionCall::AskUser(read::read(tool, args)?)),
            Tool::RequestPath => Self::Session(SessionCall::RequestPath(read::read(tool, args)?)),
            Tool::ChangeGate => Self::Session(SessionCall::ChangeGate(read::read(tool, args)?)),
            Tool::Remember => Self::Session(SessionCall::Remember(read::read(tool, args)?)),
            Tool::Delegate => Self::Session(SessionCall::Delegate(read::read(tool, args)?)),
            Tool::CommitMessage => Self::Session(SessionCall::CommitMessage(read::read(tool, args)?)),
            Tool::KbSearch => Self::Knowledge(KnowledgeCall::Search(read::read(tool, args)?)),
            Tool::HopRetrieve => Self::Knowledge(KnowledgeCall::Hop(read::read(tool, args)?)),
            Tool::GetPassage => Self::Knowledge(KnowledgeCall::Passage(read::read(tool, args)?)),
            Tool::CitationVerify => Self::Knowledge(KnowledgeCall::Citations(read::read(tool, args)?)),
            Tool::EntityVerify => Self::Knowledge(KnowledgeCall::Entities(read::read(tool, args)?)),
            Tool::RelationVerify => Self::Knowledge(KnowledgeCall::Relation(read::read(tool, args)?)),
            Tool::ContradictionCheck => {
                Self::Knowledge(KnowledgeCall::Contradictions(read::read(tool, args)?))
            }
            Tool::KbStatus => Self::Knowledge(KnowledgeCall::Status(read::read(tool, args)?)),
        })
    }

    /// Reads a call of the tool called `name`.
    ///
    /// # Errors
    /// When there is no such tool, or its arguments do not fit.
    pub fn named(name: &str, args: &str) -> Result<Self, ArgsError> {
        let takes = |tool: &Tool| Self::read(*tool, args).is_ok();
        let fits = || Tool::meant_by(name).filter(takes).map(|_| args.trim().to_owned());
        let none = || ArgsError::NoTool { name: name.to_owned(), fits: fits() };
        let tool = Tool::named(name).ok_or_else(none)?;
        if tool == Tool::SourceCall && name != tool.name() {
            return SourceCall::named(name, args).map(|call| Self::External(External::Call(call)));
        }
        Self::read(tool, args)
    }

    /// What it acts on, for people; empty where there is no more to say than its tool.
    pub fn subject(&self) -> &str {
        match self {
            Self::File(FileCall::Search(search)) => &search.pattern,
            Self::File(FileCall::RecordFact(fact)) => &fact.name,
            Self::File(call) => call.path().unwrap_or_default(),
            Self::Run(run) => &run.command,
            Self::Session(SessionCall::SubmitPlan(_)) => "",
            Self::Session(SessionCall::Delegate(delegate)) => delegate.subject(),
            Self::Session(SessionCall::AskUser(ask)) => &ask.question,
            Self::Session(SessionCall::RequestPath(request)) => request.node.name(),
            Self::Session(SessionCall::ChangeGate(change)) => &change.gate,
            Self::Session(SessionCall::Remember(note)) => &note.text,
            Self::Session(SessionCall::CommitMessage(wording)) => wording.title(),
            Self::Knowledge(call) => call.subject(),
            Self::External(External::Look(look)) => look.source.as_deref().unwrap_or_default(),
            Self::External(External::Call(call)) => &call.tool,
        }
    }

    /// Its arguments as JSON.
    pub fn to_value(&self) -> Value {
        serde_json::to_value(self).unwrap_or_default()
    }
}

impl FileCall {
    /// The path that it names; `None` for the whole workspace, where its tool takes that.
    pub fn path(&self) -> Option<&str> {
        match self {
            Self::List(List { path, .. }) | Self::Search(Search { path, .. }) => path.as_deref(),
            Self::RecordFact(RecordFact { file, .. }) => file.as_deref(),
            Self::Read(Read { path, .. })
            | Self::Edit(Edit { path, .. })
            | Self::Write(Write { path, .. })
            | Self::Delete(Delete { path }) => Some(path),
        }
    }
}
