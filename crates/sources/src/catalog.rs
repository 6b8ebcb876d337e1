//! The tools of a source as we know them: cleaned, bounded, each with the hash of what the server said of it.
//!
//! Owns which tools are taken and why others are not. Never calls one.

use std::collections::BTreeSet;

use pilothouse_core::{
    blob::BlobId,
    clean::{Clean, is_forbidden},
    source::{SourceTool, full_name},
    tool::Tool,
};
use rmcp::model as mcp;

use crate::Definition;

/// The most tools of a source.
pub(crate) const MOST_TOOLS: usize = 256;
/// The most characters of a description.
const MOST_DESCRIPTION: usize = 4_000;
/// The most characters of a schema.
const MOST_SCHEMA: usize = 16_000;
/// The most characters of a line that says what a tool is for.
const MOST_LINE: usize = 100;
/// The most characters of a tool's name.
const MOST_NAME: usize = 64;
/// Most arguments of one tool that are asked for before it is called.
const MOST_REQUIRED: usize = 16;

/// The protocol's own way to a resource, as a tool of each source that has some. No tool's name holds its stroke.
pub(crate) const READ: &str = "resources/read";
/// The same for prompts.
pub(crate) const PROMPT: &str = "prompts/get";

/// What a source has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Catalog {
    /// Its tools.
    pub tools: Vec<RemoteTool>,
    /// Its resources: address and what it is.
    pub resources: Vec<(String, String)>,
    /// Its prompts: name and what it is for.
    pub prompts: Vec<(String, String)>,
    /// What of it is not taken, and why.
    pub left: Vec<String>,
    /// What it calls itself.
    pub server: String,
}

/// A tool of a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteTool {
    /// What the session knows of it.
    pub head: SourceTool,
    /// What its server says of it, whole as far as it is taken.
    pub description: String,
    /// The schema of its arguments, as JSON.
    pub schema: String,
}

impl Catalog {
    /// Takes the tools of a list.
    pub(crate) fn of(source: &Definition, all: Vec<mcp::Tool>, others: &[String]) -> Self {
        let mut catalog = Self::default();
        let beyond = all.len().saturating_sub(MOST_TOOLS);
        // A name that is there twice says nothing: neither is taken.
        let (mut seen, mut twice) = (BTreeSet::new(), BTreeSet::new());
        for tool in &all {
            if !seen.insert(tool.name.to_lowercase()) {
                twice.insert(tool.name.to_lowercase());
            }
        }
        for tool in all.into_iter().take(MOST_TOOLS) {
            let wanted = |n: &str| source.tools.as_ref().is_none_or(|only| only.iter().any(|o| o == n));
            if !wanted(&tool.name) {
                continue;
            }
            let shown: String = Clean::line(&tool.name).chars().take(MOST_NAME).collect();
            match refused(source, &tool, &twice, others) {
                Some(why) => catalog.left.push(format!("{shown}: {why}")),
                None => catalog.tools.push(RemoteTool::of(source, &tool)),
            }
        }
        if beyond > 0 {
            catalog.left.push(format!(
                "{beyond} tools beyond the first {MOST_TOOLS}; `tools` in its configuration chooses"
            ));
        }
        catalog
    }

    /// Whether a list of it ended before its server was done.
    pub(crate) fn ends(&mut self, what: &str, more: bool) {
        if more {
            self.left.push(format!("its list of {what} goes on; the rest is not read"));
        }
    }

    /// A tool of it.
    pub fn tool(&self, name: &str) -> Option<&RemoteTool> {
        self.tools.iter().find(|t| t.head.name == name)
    }
}

/// Why a tool is not taken, if it is not.
fn refused(
    source: &Definition,
    tool: &mcp::Tool,
    twice: &BTreeSet<String>,
    others: &[String],
) -> Option<String> {
    let name = tool.name.as_ref();
    if !plain(name) {
        return Some("its name holds what no name holds".to_owned());
    }
    if twice.contains(&name.to_lowercase()) {
        return Some("another tool of this source has the same name".to_owned());
    }
    let chosen = source.tools.as_ref().is_some_and(|only| only.iter().any(|o| o == name));
    if Tool::own(name).is_some() && !chosen {
        return Some(
            "it has the name of a tool of the workbench; `tools` in the configuration can choose it"
                .to_owned(),
        );
    }
    let other = others.iter().find(|o| goes_under(name, o));
    other.map(|o| format!("it goes under the name of another source, {o}"))
}

/// Whether a tool of this name would be taken for one of another source.
pub(crate) fn goes_under(name: &str, source: &str) -> bool {
    name.to_lowercase().starts_with(&format!("{source}__"))
}

/// Whether a name says nothing but a name.
fn plain(name: &str) -> bool {
    let sound = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
    (1..=MOST_NAME).contains(&name.len()) && name.chars().all(sound)
}

impl RemoteTool {
    fn of(source: &Definition, tool: &mcp::Tool) -> Self {
        // Over everything that the server said, before anything is cut or cleaned.
        let said = serde_json::to_vec(tool).unwrap_or_default();
        let raw = tool.description.as_deref().unwrap_or_default();
        let annotated = tool.annotations.as_ref();
        let schema = serde_json::to_string(tool.input_schema.as_ref()).unwrap_or_default();
        let hides = raw.chars().chain(schema.chars()).any(|c| is_forbidden(c) && !c.is_whitespace());
        let description = cut(&Clean::text(raw), MOST_DESCRIPTION);
        let line = description.lines().map(str::trim).find(|l| !l.is_empty()).unwrap_or_default();
        let required = tool.input_schema.get("required").and_then(serde_json::Value::as_array);
        let required = required.into_iter().flatten().filter_map(serde_json::Value::as_str);
        let required = required.filter(|n| plain(n)).take(MOST_REQUIRED).map(str::to_owned);
        Self {
            head: SourceTool {
                name: tool.name.to_string(),
                about: cut(line, MOST_LINE),
                hash: BlobId::of(&said),
                reads: annotated.and_then(|a| a.read_only_hint) == Some(true),
                free: source.read_only,
                hides,
                required: required.collect(),
                changed: false,
            },
            description,
            schema: cut(&Clean::line(&schema), MOST_SCHEMA),
        }
    }

    /// What the protocol itself offers of a source: it reads, by what it is.
    pub(crate) fn of_protocol(source: &Definition, name: &str) -> Self {
        let (about, schema, required) = if name == READ {
            ("reads one of its resources", r#"{"uri": "the address of the resource"}"#, "uri")
        } else {
            ("gets one of its prompts", r#"{"name": "the prompt", "arguments": {}}"#, "name")
        };
        let hash = BlobId::of(name.as_bytes());
        let (reads, free, hides, changed) = (true, source.read_only, false, false);
        let (name, required) = (name.to_owned(), vec![required.to_owned()]);
        let head = SourceTool { name, about: about.to_owned(), hash, reads, free, hides, required, changed };
        let (description, schema) = (about.to_owned(), schema.to_owned());
        Self { head, description, schema }
    }

    /// All that is known of it, for a model.
    pub fn told(&self, source: &str) -> String {
        let Self { head, description, schema, .. } = self;
        let name = full_name(source, &head.name);
        let reads = if head.reads { "It says that it only reads. " } else { "" };
        let hides =
            if head.hides { "Its description hides characters; they are shown as <U+…>. " } else { "" };
        format!("{name}\n{reads}{hides}What its server says of it:\n{description}\nArguments: {schema}")
    }
}

fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let head: String = text.chars().take(most).collect();
    format!("{head}…")
}
