//! Recipes: prompts that are kept as files. Skills, custom commands and agents.
//!
//! Owns what such a file says, which of two with one name holds, and what a line makes of one. Never opens a file, and
//! nothing here allows anything: a recipe only narrows.

mod parse;
mod registry;

use std::{collections::BTreeMap, sync::Arc};

use serde::{Deserialize, Serialize};

pub use parse::{MOST_BYTES, RecipeFile, hidden, text_of};
pub use registry::Recipes;

use crate::{
    blob::Excerpt,
    front::Fault,
    ids::Seq,
    pipeline::PipelineAgent,
    scope::{Capability, ToolScope},
    tool::Tool,
};

/// What the name of a file of a skill begins with where a model reads it.
pub const SKILL: &str = "skill:";

/// What kind of recipe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RecipeKind {
    /// A folder with a `SKILL.md`: the model reads it when it fits, the user calls it as `/name`.
    Skill,
    /// A file that is called as `/name`.
    Command,
    /// A prompt with tools and a scope, called as `@name` or as a sub-agent.
    Agent,
}

impl RecipeKind {
    /// Its name, for people.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Skill => "skill",
            Self::Command => "command",
            Self::Agent => "agent",
        }
    }

    /// What it is called with.
    pub const fn sigil(self) -> char {
        match self {
            Self::Skill | Self::Command => '/',
            Self::Agent => '@',
        }
    }
}

/// Where a recipe comes from; the later holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RecipeOrigin {
    /// It comes with the program.
    Shipped,
    /// It is the user's own.
    User,
    /// The trusted project brings it.
    Project,
}

impl RecipeOrigin {
    /// Its name, for people.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Shipped => "shipped",
            Self::User => "yours",
            Self::Project => "project",
        }
    }
}

/// A prompt that is kept as a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Recipe {
    /// What kind.
    pub kind: RecipeKind,
    /// What it is called.
    pub name: String,
    /// Where it comes from.
    pub origin: RecipeOrigin,
    /// Its file, as the user would name it.
    pub file: String,
    /// What it does and when, in a sentence or two.
    pub description: String,
    /// What follows its name; empty where nothing is said of that.
    pub hint: String,
    /// The tools that it keeps to, as its file names them; `None` where it does not say.
    pub tools: Option<Vec<String>>,
    /// How far it goes at most.
    pub scope: ToolScope,
    /// The model that it asks for.
    pub model: Option<String>,
    /// The sources that it needs.
    pub sources: Vec<String>,
    /// Whether the model may take it up by itself.
    pub offered: bool,
    /// The prompt.
    pub body: String,
    /// The files beside it.
    pub beside: Beside,
    /// What an agent does stage by stage; such a one is no sub-agent.
    pub stages: Option<Arc<PipelineAgent>>,
    /// What is wrong with it; then it cannot be used.
    pub fault: Option<Fault>,
    /// Whose recipe of this name it takes the place of.
    pub hides: Option<RecipeOrigin>,
}

/// Files that belong to a skill, named from its folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Beside {
    /// None.
    #[default]
    None,
    /// In this folder, by an absolute path; read when they are asked for.
    Folder(String, Vec<String>),
    /// Held here as they were when the folder was trusted, or as they are shipped.
    Held(BTreeMap<String, Arc<[u8]>>),
}

impl Beside {
    /// Their names.
    pub fn names(&self) -> Vec<&str> {
        match self {
            Self::None => Vec::new(),
            Self::Folder(_, names) => names.iter().map(String::as_str).collect(),
            Self::Held(files) => files.keys().map(String::as_str).collect(),
        }
    }
}

impl Recipe {
    /// Whether it can be used.
    pub const fn usable(&self) -> bool {
        self.fault.is_none()
    }

    /// How it is called: `/name` or `@name`.
    pub fn call(&self) -> String {
        format!("{}{}", self.kind.sigil(), self.name)
    }

    /// What it may at most, in words.
    pub fn may(&self) -> String {
        match &self.tools {
            _ if self.scope == ToolScope::NONE => "uses no tools".to_owned(),
            None if self.scope == ToolScope::FULL => "what the message allows".to_owned(),
            None | Some(_) => {
                let can: Vec<&str> = self.scope.iter().map(Capability::name).collect();
                format!("at most: {}", can.join(", "))
            }
        }
    }

    /// The prompt, with what follows its name put in. Nothing of it is run.
    pub fn expand(&self, arguments: &str) -> String {
        parse::expand(self, arguments)
    }
}

/// An agent of the user's files, as a sub-agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChildAgent {
    /// What it is called.
    pub name: String,
    /// Its prompt.
    pub prompt: Excerpt,
    /// The tools that it keeps to; left out where it does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<String>>,
    /// How far it goes at most.
    pub scope: ToolScope,
    /// The model that it asks for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

/// What a recipe says of a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Directed {
    /// What kind.
    pub kind: RecipeKind,
    /// What it is called.
    pub name: String,
    /// The tools that it keeps to; `None` where it does not say.
    pub tools: Option<Vec<String>>,
    /// How far it goes at most.
    pub scope: ToolScope,
    /// The model that it asks for.
    pub model: Option<String>,
    /// The sources that it needs.
    pub sources: Vec<String>,
    /// Where the prompt stands in the log.
    pub seq: Seq,
}

impl Directed {
    /// What a sub-agent keeps to.
    pub(crate) fn of_child(seq: Seq, agent: &ChildAgent) -> Self {
        Self {
            kind: RecipeKind::Agent,
            name: agent.name.clone(),
            tools: agent.tools.clone(),
            scope: agent.scope,
            model: agent.model.clone(),
            sources: Vec::new(),
            seq,
        }
    }

    /// Whether it names this tool.
    pub fn names(&self, tool: Tool) -> bool {
        self.tools.as_ref().is_some_and(|tools| covers(tools, tool.name()))
    }

    /// Whether it keeps to a tool of this name, which needs this.
    pub fn allows(&self, name: &str, needs: Option<Capability>) -> bool {
        let Some(tools) = &self.tools else { return true };
        // A file of the open format names what it uses beside reading; an agent's list is all that it has.
        let reads = |n| ToolScope::READ_ONLY.allows(n) && self.kind != RecipeKind::Agent;
        needs.is_none_or(reads) || covers(tools, name)
    }
}

/// Whether a list of tools, as other programs name them, holds this one of ours.
fn covers(tools: &[String], name: &str) -> bool {
    tools.iter().any(|t| own_name(t).is_some_and(|own| own == name))
}

/// The name of a tool of ours for one that a file names; a pattern behind it is left to the rules.
fn own_name(named: &str) -> Option<&str> {
    let plain = named.split('(').next().unwrap_or_default().trim();
    let own = match plain {
        "Read" | "NotebookRead" | "View" => Tool::Read,
        "Grep" => Tool::Search,
        "Glob" | "LS" => Tool::List,
        "Edit" | "MultiEdit" | "NotebookEdit" => Tool::Edit,
        "Write" => Tool::Write,
        "Bash" | "Shell" => Tool::Run,
        "Task" | "Agent" => Tool::Delegate,
        other => return Some(other).filter(|o| !o.is_empty()),
    };
    Some(own.name())
}

/// How far a list of tools goes.
fn scope_of(tools: &[String]) -> ToolScope {
    let needs = |t: &String| own_name(t).and_then(Tool::named).and_then(Tool::needs);
    tools.iter().filter_map(needs).fold(ToolScope::NONE, |scope, need| {
        scope.or(match need {
            Capability::List | Capability::Read => ToolScope::READ_ONLY,
            Capability::Write => ToolScope::WORKSPACE,
            Capability::Execute => ToolScope::EXECUTE,
            Capability::Delete => ToolScope::DELETE,
            Capability::Network => ToolScope::NONE,
        })
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests;
