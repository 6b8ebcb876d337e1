//! Arguments of the calls that ask the knowledge index.
//!
//! Owns their shapes. Never looks anything up.

use serde::{Deserialize, Serialize};

use crate::args;
use crate::{
    knowledge::{Citation, Lines, Relation},
    relpath::{BadRelPath, RelPath},
};

/// A call that asks the knowledge index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum KnowledgeCall {
    /// Passages that answer a question.
    Search(KbSearch),
    /// Passages that a passage or a name leads to.
    Hop(HopRetrieve),
    /// The passage at a place.
    Passage(GetPassage),
    /// Whether what is cited stands there.
    Citations(CitationVerify),
    /// Whether the names in a text exist.
    Entities(EntityVerify),
    /// Whether one name does something to another.
    Relation(RelationVerify),
    /// Whether claims contradict each other or what they cite.
    Contradictions(ContradictionCheck),
    /// What is in the index.
    Status(KbStatus),
}

/// Arguments of `kb_search`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KbSearch {
    /// The question, in words or names.
    #[serde(deserialize_with = "args::words")]
    pub query: String,
    /// Files and folders to look in; everything when left out.
    #[serde(default, deserialize_with = "args::if_any", skip_serializing_if = "Vec::is_empty")]
    pub within: Vec<String>,
    /// Most passages.
    #[serde(default, deserialize_with = "args::count", skip_serializing_if = "Option::is_none")]
    pub max: Option<usize>,
}

/// Arguments of `hop_retrieve`: a place or a name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HopRetrieve {
    /// The file.
    #[serde(default, deserialize_with = "args::path_if_any", skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The first line, from 1.
    #[serde(default, deserialize_with = "args::count", skip_serializing_if = "Option::is_none")]
    pub from: Option<usize>,
    /// The last line.
    #[serde(default, deserialize_with = "args::count", skip_serializing_if = "Option::is_none")]
    pub to: Option<usize>,
    /// What is called so.
    #[serde(default, deserialize_with = "args::if_any", skip_serializing_if = "String::is_empty")]
    pub symbol: String,
    /// The ways that are gone; all when left out.
    #[serde(default, deserialize_with = "args::if_any", skip_serializing_if = "Vec::is_empty")]
    pub by: Vec<Relation>,
    /// Most passages.
    #[serde(default, deserialize_with = "args::count", skip_serializing_if = "Option::is_none")]
    pub max: Option<usize>,
}

/// Arguments of `get_passage`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GetPassage {
    /// The file.
    #[serde(deserialize_with = "args::path")]
    pub path: String,
    /// The first line, from 1.
    #[serde(default, deserialize_with = "args::count", skip_serializing_if = "Option::is_none")]
    pub from: Option<usize>,
    /// The last line.
    #[serde(default, deserialize_with = "args::count", skip_serializing_if = "Option::is_none")]
    pub to: Option<usize>,
}

/// A place that is cited, and what is to stand there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cite {
    /// The file.
    #[serde(deserialize_with = "args::path")]
    pub path: String,
    /// The first line, from 1.
    #[serde(default, deserialize_with = "args::count", skip_serializing_if = "Option::is_none")]
    pub from: Option<usize>,
    /// The last line.
    #[serde(default, deserialize_with = "args::count", skip_serializing_if = "Option::is_none")]
    pub to: Option<usize>,
    /// The hash of the file, or its beginning.
    #[serde(default, deserialize_with = "args::if_any", skip_serializing_if = "String::is_empty")]
    pub hash: String,
    /// The words that are to stand there.
    #[serde(default, deserialize_with = "args::if_any", skip_serializing_if = "String::is_empty")]
    pub text: String,
}

/// Arguments of `citation_verify`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CitationVerify {
    /// What is cited.
    #[serde(deserialize_with = "args::some_objects")]
    pub citations: Vec<Cite>,
}

/// Arguments of `entity_verify`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EntityVerify {
    /// The text whose names are looked for.
    #[serde(deserialize_with = "args::words")]
    pub text: String,
}

/// Arguments of `relation_verify`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RelationVerify {
    /// Who does it: a name or a file.
    #[serde(deserialize_with = "args::words")]
    pub subject: String,
    /// What it does.
    pub relation: Relation,
    /// To whom.
    #[serde(deserialize_with = "args::words")]
    pub object: String,
    /// Where that is to be seen.
    #[serde(default, deserialize_with = "args::if_any", skip_serializing_if = "Vec::is_empty")]
    pub cited: Vec<Cite>,
}

/// Arguments of `contradiction_check`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContradictionCheck {
    /// What is claimed, a sentence each.
    pub claims: Vec<String>,
    /// What they rest on.
    #[serde(default, deserialize_with = "args::if_any", skip_serializing_if = "Vec::is_empty")]
    pub cited: Vec<Cite>,
}

/// Arguments of `kb_status`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KbStatus {
    /// A file of which it is told whether it stands in the index.
    #[serde(default, deserialize_with = "args::path_if_any", skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

impl KnowledgeCall {
    /// What it is about, for people.
    pub fn subject(&self) -> &str {
        match self {
            Self::Search(search) => &search.query,
            Self::Hop(hop) => hop.path.as_deref().unwrap_or(&hop.symbol),
            Self::Passage(passage) => &passage.path,
            Self::Citations(citations) => citations.citations.first().map_or("", |c| &c.path),
            Self::Entities(entities) => entities.text.lines().next().unwrap_or_default(),
            Self::Relation(relation) => &relation.subject,
            Self::Contradictions(check) => check.claims.first().map_or("", String::as_str),
            Self::Status(status) => status.path.as_deref().unwrap_or_default(),
        }
    }
}

/// The lines that a call means: all of the file where it names none.
///
/// # Errors
/// When the path leads out of the workspace.
pub fn lines(path: &str, from: Option<usize>, to: Option<usize>) -> Result<Lines, BadRelPath> {
    let first = from.unwrap_or(1).max(1);
    let last = to.unwrap_or(if from.is_some() { first } else { usize::MAX });
    Ok(Lines { path: RelPath::new(path)?, from: first, to: last.max(first) })
}

impl Cite {
    /// The place with what is to stand there.
    ///
    /// # Errors
    /// When the path leads out of the workspace.
    pub fn citation(&self) -> Result<Citation, BadRelPath> {
        let lines = lines(&self.path, self.from, self.to)?;
        Ok(Citation { lines, hash: self.hash.clone(), text: self.text.clone() })
    }
}
