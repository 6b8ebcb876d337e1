//! One file of a recipe: read, held to its format, and expanded.
//!
//! Owns the rules of the formats. Whoever opens the file hands its text over, or says why there is none.

use std::sync::Arc;

use pulldown_cmark::{Event, Parser, Tag};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::{Beside, Recipe, RecipeKind, RecipeOrigin, scope_of};
use crate::{
    clean::is_forbidden,
    front::{Fault, Front, Place, Words},
    intent::{IntentNode, SlashCommand},
    pipeline::PipelineAgent,
    scope::ToolScope,
};

/// The most that such a file may have, in bytes.
pub const MOST_BYTES: usize = 256 * 1024;
/// The most characters of a name.
const NAME_CHARS: usize = 64;
/// The most characters of a description.
const DESCRIPTION_CHARS: usize = 1024;

/// A file that is to be a recipe, as it was found.
#[derive(Clone, Debug)]
pub struct RecipeFile {
    /// What kind its place makes it.
    pub kind: RecipeKind,
    /// Where it comes from.
    pub origin: RecipeOrigin,
    /// What its folder or its file is called.
    pub slug: String,
    /// Whether it stands in a folder of that name, beside other files.
    pub folder: bool,
    /// The file, as the user would name it.
    pub file: String,
    /// Its content, or why there is none.
    pub content: Result<Vec<u8>, String>,
    /// The files beside it.
    pub beside: Beside,
}

/// Front matter of every kind; keys that are not named here are let be.
#[derive(Debug, Default, Deserialize)]
struct Head {
    name: Option<String>,
    description: Option<String>,
    #[serde(rename = "argument-hint")]
    hint: Option<Hint>,
    #[serde(rename = "allowed-tools", alias = "allowed_tools")]
    allowed: Option<Words>,
    tools: Option<Words>,
    scope: Option<Reaches>,
    model: Option<String>,
    sources: Option<Words>,
    #[serde(rename = "disable-model-invocation")]
    hushed: Option<bool>,
    #[serde(rename = "license")]
    _license: Option<String>,
    #[serde(rename = "compatibility")]
    _compatibility: Option<String>,
    #[serde(rename = "metadata")]
    _metadata: Option<Map<String, Value>>,
}

/// What follows the name; `[file]` without quotes is a list to YAML.
#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "expected what follows the name, in a line")]
enum Hint {
    Line(String),
    List(Vec<String>),
}

/// How far an agent goes at most.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Reach {
    None,
    #[serde(alias = "discovery")]
    List,
    #[serde(alias = "read-only", alias = "readonly", alias = "read_only")]
    Read,
    #[serde(alias = "workspace")]
    Write,
    Execute,
    Shell,
    Delete,
    Full,
}

/// The same in a word, or in a list of them, of which each adds what it may.
#[derive(Debug, Deserialize)]
#[serde(
    untagged,
    expecting = "expected how far it goes, as in `scope: read`: none, list, read, write, execute, shell, delete or full"
)]
enum Reaches {
    One(Reach),
    List(Vec<Reach>),
}

impl Reaches {
    fn scope(&self) -> ToolScope {
        match self {
            Self::One(reach) => reach.scope(),
            Self::List(all) => all.iter().fold(ToolScope::NONE, |scope, reach| scope.or(reach.scope())),
        }
    }
}

impl Reach {
    const fn scope(self) -> ToolScope {
        match self {
            Self::None => ToolScope::NONE,
            Self::List => ToolScope::DISCOVERY,
            Self::Read => ToolScope::READ_ONLY,
            Self::Write => ToolScope::WORKSPACE,
            Self::Execute => ToolScope::EXECUTE,
            Self::Shell => ToolScope::SHELL,
            Self::Delete => ToolScope::DELETE,
            Self::Full => ToolScope::FULL,
        }
    }
}

impl Recipe {
    /// Reads a file; what is wrong with it stands in it.
    pub fn read(file: RecipeFile) -> Self {
        let RecipeFile { kind, origin, slug, folder, file, content, beside } = file;
        let mut recipe = Self { beside, ..Self::blank(kind, origin, slug, file) };
        recipe.fault = recipe.fill(content, folder).err();
        recipe
    }

    /// An agent with stages, of what was read of its files; `folder` is where they stand.
    pub fn staged(
        origin: RecipeOrigin,
        slug: &str,
        folder: &str,
        read: Result<PipelineAgent, (String, Fault)>,
    ) -> Self {
        let file = |name: &str| format!("{folder}/{name}");
        let mut recipe = Self::blank(RecipeKind::Agent, origin, slug.to_owned(), file("config.json"));
        recipe.offered = false;
        match read {
            Ok(agent) => {
                recipe.description.clone_from(&agent.about);
                recipe.body.clone_from(&agent.body);
                recipe.sources.clone_from(&agent.sources);
                "QUESTION".clone_into(&mut recipe.hint);
                let runs = agent.spec.stages.iter().any(|s| s.command.is_some());
                recipe.scope = if runs { ToolScope::EXECUTE } else { ToolScope::READ_ONLY };
                recipe.stages = Some(Arc::new(agent));
                recipe.fault = recipe.check_name(Place::START).err();
            }
            Err((name, fault)) => (recipe.file, recipe.fault) = (file(&name), Some(fault)),
        }
        recipe
    }

    fn blank(kind: RecipeKind, origin: RecipeOrigin, name: String, file: String) -> Self {
        Self {
            kind,
            name,
            origin,
            file,
            description: String::new(),
            hint: String::new(),
            tools: None,
            scope: ToolScope::FULL,
            model: None,
            sources: Vec::new(),
            offered: kind != RecipeKind::Command,
            body: String::new(),
            beside: Beside::None,
            stages: None,
            fault: None,
            hides: None,
        }
    }

    fn fill(&mut self, content: Result<Vec<u8>, String>, folder: bool) -> Result<(), Fault> {
        let text = text_of(content.map_err(|why| Fault::new(Place::START, why))?)?;
        let front = Front::read(&text)?;
        let head: Head = front.typed()?;
        front.body.trim_end().clone_into(&mut self.body);
        self.take(head, &front, folder)?;
        if self.body.is_empty() {
            return Err(Fault::new(
                Place { line: front.body_line, column: 1 },
                "there is no text below the front matter",
            ));
        }
        outside(&front)
    }

    fn take(&mut self, head: Head, front: &Front<'_>, folder: bool) -> Result<(), Fault> {
        let missing = |what: &str| Err(Fault::new(Place::START, format!("missing field `{what}`")));
        match (self.kind, head.name) {
            (RecipeKind::Skill, None) => return missing("name"),
            (RecipeKind::Skill, Some(name)) if name != self.name => {
                let why =
                    format!("the name `{name}` is not that of its folder `{}`; make them one", self.name);
                return Err(Fault::new(front.place("name"), why));
            }
            (RecipeKind::Agent, Some(name)) if !folder => self.name = name,
            (RecipeKind::Skill | RecipeKind::Agent | RecipeKind::Command, _) => {}
        }
        self.check_name(front.place("name"))?;
        self.description = head.description.map(|d| d.trim().to_owned()).unwrap_or_default();
        if self.description.is_empty() {
            if self.kind != RecipeKind::Command {
                return missing("description");
            }
            self.description =
                self.body.lines().next().unwrap_or_default().trim_start_matches(['#', ' ']).to_owned();
        }
        if self.description.chars().count() > DESCRIPTION_CHARS {
            let why = format!("the description is longer than {DESCRIPTION_CHARS} characters");
            return Err(Fault::new(front.place("description"), why));
        }
        self.hint = match head.hint {
            None => String::new(),
            Some(Hint::Line(line)) => line,
            Some(Hint::List(words)) => format!("[{}]", words.join(", ")),
        };
        let named = if self.kind == RecipeKind::Agent { head.tools.or(head.allowed) } else { head.allowed };
        self.tools = named.map(Words::all).filter(|t| !t.iter().any(|t| t == "*"));
        if let Some(tools) = &self.tools {
            let reads = if self.kind == RecipeKind::Agent { ToolScope::NONE } else { ToolScope::READ_ONLY };
            self.scope = scope_of(tools).or(reads);
        }
        if let Some(reach) = head.scope {
            self.scope = self.scope.and(reach.scope());
        }
        self.model = head.model.filter(|m| !m.trim().is_empty() && m != "inherit");
        self.sources = head.sources.map(Words::all).unwrap_or_default();
        self.offered &= head.hushed != Some(true);
        Ok(())
    }

    fn check_name(&self, at: Place) -> Result<(), Fault> {
        let name = self.name.as_str();
        let sound = |c: char| c == '-' || c.is_alphanumeric() && c.to_lowercase().eq([c]);
        let edges = name.starts_with('-') || name.ends_with('-') || name.contains("--");
        // Command files are called as they are called.
        let sound = |c: char| sound(c) || c == '_' && self.kind == RecipeKind::Command;
        if name.is_empty() || name.chars().count() > NAME_CHARS || edges || !name.chars().all(sound) {
            let why = format!(
                "`{name}` is no name: at most {NAME_CHARS} lower-case letters, digits and single dashes between them"
            );
            return Err(Fault::new(at, why));
        }
        let taken = match self.kind {
            RecipeKind::Skill | RecipeKind::Command => {
                SlashCommand::named(name).map(|c| format!("/{}", c.name))
            }
            RecipeKind::Agent => name.parse::<IntentNode>().ok().map(|node| format!("@{node}")),
        };
        taken.map_or(Ok(()), |own| {
            Err(Fault::new(at, format!("`{name}` is the workbench's own {own}; choose another name")))
        })
    }
}

/// A file as a text that a reader sees whole.
///
/// # Errors
/// When it is too long, no UTF-8, or hides a character.
pub fn text_of(content: Vec<u8>) -> Result<String, Fault> {
    if content.len() > MOST_BYTES {
        return Err(Fault::new(Place::START, format!("it is longer than {} KiB", MOST_BYTES / 1024)));
    }
    let text = String::from_utf8(content).map_err(|e| {
        let read = e.as_bytes().get(..e.utf8_error().valid_up_to()).unwrap_or_default();
        let line = String::from_utf8_lossy(read).matches('\n').count() + 1;
        Fault::new(Place { line, column: 1 }, "it is not UTF-8 text")
    })?;
    match hidden(&text) {
        Some((at, c)) => {
            Err(Fault::new(at, format!("a character is hidden here (U+{:04X}); take it out", c as u32)))
        }
        None => Ok(text),
    }
}

/// The first character that a reader would not see, and where it stands. What joins two letters or chooses the look of a
/// sign hides nothing.
pub fn hidden(text: &str) -> Option<(Place, char)> {
    let (mut line, mut column) = (1, 0);
    let mut before = ' ';
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        column += 1;
        let next = chars.peek().copied().unwrap_or(' ');
        let wide = |c: char| !c.is_ascii() && !is_forbidden(c);
        let innocent = match c {
            '\n' | '\t' => true,
            '\r' => next == '\n',
            '\u{feff}' => (line, column) == (1, 1),
            '\u{fe0e}' | '\u{fe0f}' => wide(before) || matches!(before, '0'..='9' | '#' | '*'),
            '\u{200c}' | '\u{200d}' => (wide(before) || before == '\u{fe0f}') && wide(next),
            _ => !is_forbidden(c),
        };
        if !innocent {
            return Some((Place { line, column }, c));
        }
        if c == '\n' {
            (line, column) = (line + 1, 0);
        }
        before = c;
    }
    None
}

/// Refuses links to files outside the folder of the recipe.
fn outside(front: &Front<'_>) -> Result<(), Fault> {
    for (event, range) in Parser::new(front.body).into_offset_iter() {
        let Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) = event else { continue };
        if leaves(&dest_url) {
            let at = Place::at(front.body, range.start);
            let at = Place { line: at.line + front.body_line - 1, ..at };
            return Err(Fault::new(
                at,
                format!("`{dest_url}` is outside its folder; such a file is never read"),
            ));
        }
    }
    Ok(())
}

/// Whether a link names a file outside the folder that it stands in.
fn leaves(link: &str) -> bool {
    let path = link.split(['#', '?']).next().unwrap_or_default();
    if path.contains(':') && !path.to_lowercase().starts_with("file:") {
        return false;
    }
    if path.starts_with(['/', '~']) || path.contains(':') {
        return !path.starts_with("//");
    }
    let mut depth = 0_i32;
    path.split(['/', '\\']).any(|part| {
        depth += match part {
            "" | "." => 0,
            ".." => -1,
            _ => 1,
        };
        depth < 0
    })
}

/// The arguments one by one; quotes hold several words together.
fn arguments(line: &str) -> Vec<String> {
    let (mut all, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for c in line.chars() {
        match (quote, c) {
            (Some(q), c) if c == q => quote = None,
            (None, '"' | '\'') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, c) if c.is_whitespace() => all.extend(word.take()),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    all.extend(word);
    all
}

/// What `$ARGUMENTS` and, in a command, `$1` to `$9` stand for put in; where a prompt names none, they follow it.
pub(super) fn expand(recipe: &Recipe, line: &str) -> String {
    let line = line.trim();
    let each = arguments(line);
    let (mut out, mut rest, mut used) = (String::new(), recipe.body.as_str(), false);
    while let Some((before, after)) = rest.split_once('$') {
        out.push_str(before);
        let digit = after.chars().next().and_then(|c| c.to_digit(10)).filter(|d| *d > 0);
        let single = !after.chars().nth(1).is_some_and(|c| c.is_ascii_digit());
        if let Some(after) = after.strip_prefix("ARGUMENTS") {
            out.push_str(line);
            (rest, used) = (after, true);
        } else if let Some(digit) = digit.filter(|_| recipe.kind == RecipeKind::Command && single) {
            let nth = usize::try_from(digit).unwrap_or_default() - 1;
            out.push_str(each.get(nth).map_or("", String::as_str));
            (rest, used) = (after.get(1..).unwrap_or_default(), true);
        } else {
            out.push('$');
            rest = after;
        }
    }
    out.push_str(rest);
    if !used && !line.is_empty() && recipe.kind != RecipeKind::Agent {
        out.push_str(&format!("\n\nArguments: {line}"));
    }
    out
}
