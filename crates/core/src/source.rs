//! Sources: programs and services whose tools a model may call, as the session knows them.
//!
//! Owns their names and what is known of each tool: what its server said of it, by hash, and whether that is another
//! than when it was called last. Never asks a source anything.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::blob::BlobId;

/// What stands between a source's name and a tool's.
const BETWEEN: &str = "__";

/// A tool of a source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceTool {
    /// Its name there.
    pub name: String,
    /// What it is for, in a line.
    pub about: String,
    /// The hash of everything that its server says of it.
    pub hash: BlobId,
    /// Whether its server says that it only reads.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reads: bool,
    /// Whether the user lets such tools of this source run unasked.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub free: bool,
    /// Whether what is said of it hides characters.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub hides: bool,
    /// The arguments that it cannot do without, the first of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub required: Vec<String>,
    /// Whether it is another than when it was called last.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub changed: bool,
}

/// What a tool of a source is called.
pub fn full_name(source: &str, tool: &str) -> String {
    format!("{source}{BETWEEN}{tool}")
}

/// The source and the tool of such a name.
pub fn parts(name: &str) -> Option<(&str, &str)> {
    name.split_once(BETWEEN).filter(|(source, tool)| !source.is_empty() && !tool.is_empty())
}

/// How a source is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SourceState {
    /// Its name.
    pub name: String,
    /// The command line, or the address.
    pub line: String,
    /// What it is for, if that is said.
    pub about: String,
    /// The file that names it.
    pub file: String,
    /// Whether the project brings it.
    pub project: bool,
    /// Whether it is reached by an address, so that the user can sign in to it.
    pub far: bool,
    /// Whether its tools that say they only read run unasked.
    pub reads_unasked: bool,
    /// Where the user is to sign in, while that is waited for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub invited: Option<String>,
    /// The variables of the user that it gets, by name.
    pub wants: Vec<String>,
    /// How it is.
    pub health: SourceHealth,
}

impl SourceState {
    /// What of it runs unasked, in words; rules of the user's may say more.
    pub const fn may(&self) -> &'static str {
        if self.reads_unasked {
            "tools that say they only read run without asking"
        } else {
            "asks before every call"
        }
    }

    /// It and how it is, in a line.
    pub fn line(&self) -> String {
        format!("{}  {}  {}", self.name, self.health.words(), self.line)
    }
}

/// How a source is, in a word.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SourceHealth {
    /// It is turned off.
    Off,
    /// The project brings it, and the folder is not trusted.
    Untrusted,
    /// The client names it, and its user has not said whether it may start.
    Unanswered,
    /// The client names it, and its user left it out.
    LeftOut,
    /// It was not needed yet.
    Idle,
    /// It is being started.
    Starting,
    /// It answers, and has so many tools.
    Ok(usize),
    /// It failed.
    Failed(String),
}

impl SourceHealth {
    /// In words that are all our own: why one failed is its server's.
    pub fn kind(&self) -> String {
        if let Self::Failed(_) = self { "failed; source_tools says why".to_owned() } else { self.words() }
    }

    /// In words.
    pub fn words(&self) -> String {
        match self {
            Self::Off => "off".to_owned(),
            Self::Untrusted => "inactive: the folder is not trusted".to_owned(),
            Self::Unanswered => "unavailable: the user has not agreed to it".to_owned(),
            Self::LeftOut => "unavailable: the user left it out".to_owned(),
            Self::Idle => "not needed yet".to_owned(),
            Self::Starting => "starting".to_owned(),
            Self::Ok(1) => "ok, 1 tool".to_owned(),
            Self::Ok(tools) => format!("ok, {tools} tools"),
            Self::Failed(why) => format!("failed: {why}"),
        }
    }
}

/// What a source was found to have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceNews {
    /// Its name.
    pub source: String,
    /// All of its tools that are taken.
    pub tools: Vec<SourceTool>,
}

/// The tools of sources that a session has seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SeenTools(BTreeMap<(String, String), SourceTool>);

impl SeenTools {
    /// Whether none was seen.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All of them.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &SourceTool> {
        self.0.values()
    }

    /// A tool, where it was seen.
    pub fn get(&self, source: &str, tool: &str) -> Option<&SourceTool> {
        self.0.get(&(source.to_owned(), tool.to_owned()))
    }

    /// What of the news is not known yet: tools that are new or others, and those that are gone. A tool that is
    /// another than before is marked as changed.
    pub(crate) fn news(&self, found: SourceNews) -> (Vec<SourceTool>, Vec<String>) {
        let SourceNews { source, tools } = found;
        let gone = |(of, name): &&(String, String)| *of == source && !tools.iter().any(|t| t.name == *name);
        let gone = self.0.keys().filter(gone).map(|(_, name)| name.clone()).collect();
        let told = |tool: SourceTool| {
            let before = self.get(&source, &tool.name);
            let changed = tool.changed || before.is_some_and(|b| b.hash != tool.hash || b.changed);
            let tool = SourceTool { changed, ..tool };
            (before != Some(&tool)).then_some(tool)
        };
        (tools.into_iter().filter_map(told).collect(), gone)
    }

    /// They were seen.
    pub(crate) fn saw(&mut self, source: &str, tools: &[SourceTool], gone: &[String]) {
        for name in gone {
            self.0.remove(&(source.to_owned(), name.clone()));
        }
        let named = |t: &SourceTool| ((source.to_owned(), t.name.clone()), t.clone());
        self.0.extend(tools.iter().map(named));
    }

    /// The user let it be called as it is now.
    pub(crate) fn accept(&mut self, source: &str, tool: &str) {
        if let Some(known) = self.0.get_mut(&(source.to_owned(), tool.to_owned())) {
            known.changed = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(name: &str, said: &str) -> SourceTool {
        let (name, about, hash) = (name.to_owned(), said.to_owned(), BlobId::of(said.as_bytes()));
        let (reads, free, hides, changed, required) = (false, false, false, false, Vec::new());
        SourceTool { name, about, hash, reads, free, hides, required, changed }
    }

    #[test]
    fn a_tool_that_is_another_is_marked_until_it_is_accepted() {
        let mut seen = SeenTools::default();
        let mut found = |tools: Vec<SourceTool>| {
            let (new, gone) = seen.news(SourceNews { source: "s".into(), tools });
            seen.saw("s", &new, &gone);
            (new.len(), gone.len(), seen.get("s", "a").map(|t| t.changed))
        };
        assert_eq!(found(vec![tool("a", "1"), tool("b", "1")]), (2, 0, Some(false)));
        assert_eq!(found(vec![tool("a", "1"), tool("b", "1")]), (0, 0, Some(false)));
        assert_eq!(found(vec![tool("a", "2")]), (1, 1, Some(true)));
        assert_eq!(found(vec![tool("a", "2")]), (0, 0, Some(true)), "it stays so until it is accepted");
        seen.accept("s", "a");
        assert_eq!(seen.get("s", "a").map(|t| t.changed), Some(false));
    }

    #[test]
    fn a_full_name_says_source_and_tool() {
        assert_eq!(parts(&full_name("git-hub", "get__it")), Some(("git-hub", "get__it")));
        assert!(parts("plain").is_none() && parts("__x").is_none() && parts("x__").is_none());
    }
}
