//! A pipeline as it is configured: read from `config.json`, `AGENT.md` and `prompts/stage-*.md` and held against
//! what there is.
//!
//! Owns the shape and its faults, with line and column. Never opens a file.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Depth, Gives, WebSearch, count};
use crate::{
    front::{Fault, Front, Place, Words},
    knowledge::Score,
    money::Limits,
    scope::Capability,
    tool::Tool,
};

/// A source as it stands below an answer, where nothing else is said.
pub(super) const CITATION: &str = "[{number}] `{path}:{lines}`@{hash} {title}";
/// What a citation can hold.
const HELD: [&str; 5] = ["number", "path", "lines", "hash", "title"];
/// Most stages of a pipeline.
const MOST_STAGES: usize = 24;

/// What a stage does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StageKind {
    /// Asks the model one thing.
    Llm,
    /// Makes calls of one tool, one for each question.
    ToolFanout,
    /// Holds a draft against its sources.
    Verify,
    /// Writes the answer.
    Render,
}

/// A stage.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StageSpec {
    /// Its name.
    pub name: String,
    /// What it does.
    pub kind: StageKind,
    /// What it is called on the screen; made from its name where nothing is said.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// What the model's reply is to be, for a stage that asks one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gives: Option<Gives>,
    /// The tool of a fan-out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The tool that goes on from what the first one found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hop: Option<String>,
    /// A command that a fan-out begins with: its output is what is looked into.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// Whether a fan-out collects what was changed: what the message names, else everything since the last commit.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub changes: bool,
    /// Whether a fan-out makes a call for each file that was changed, rather than for each question.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub files: bool,
    /// Whether it needs a source for the web; without one it is left out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub web: bool,
    /// The model that is asked in it, by its name in the user's configuration; else the pipeline's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

impl StageSpec {
    /// What it is called on the screen.
    pub fn shown(&self) -> String {
        if !self.title.is_empty() {
            return self.title.clone();
        }
        let words = self.name.replace(['_', '-'], " ");
        let mut letters = words.chars();
        letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
    }

    /// Whether it collects a change.
    pub const fn collects(&self) -> bool {
        self.changes || self.command.is_some()
    }

    /// Whether code brings something together in it, before or instead of a model.
    pub const fn gathers(&self) -> bool {
        self.web || !matches!(self.kind, StageKind::Llm)
    }

    /// Whether the model is asked in it.
    pub const fn asks(&self) -> bool {
        matches!(self.kind, StageKind::Llm)
    }
}

/// From which score on each axis of a verification passes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Axes {
    /// The share of the names that there are.
    pub entity_grounding: f32,
    /// The share of the citations that hold.
    pub citation_accuracy: f32,
    /// The share of what is said of two names that holds.
    pub relation_preservation: f32,
    /// Most contradictions.
    pub contradictions: usize,
}

impl Default for Axes {
    fn default() -> Self {
        Self {
            entity_grounding: 0.80,
            citation_accuracy: 0.75,
            relation_preservation: 0.70,
            contradictions: 0,
        }
    }
}

impl Axes {
    /// A threshold as scores are counted.
    pub fn score(threshold: f32) -> Score {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 1000 by then")]
        let thousandths = (threshold.clamp(0.0, 1.0) * 1000.0).round() as u16;
        Score(thousandths)
    }
}

/// A pipeline.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PipelineSpec {
    /// Its stages, in their order.
    pub stages: Vec<StageSpec>,
    /// The stages, counted from 0, after which the user is asked.
    #[serde(default)]
    pub pause_after_stages: Vec<usize>,
    /// The stage that is done again, and the one that says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repair_unit: Option<[String; 2]>,
    /// What a verification has to reach.
    #[serde(default)]
    pub thresholds: Axes,
    /// How deep it goes where nobody says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<Depth>,
    /// What one run of it may spend.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<RunBudget>,
    /// The model that its stages ask, by its name in the user's configuration; else the one of the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// How its answer reads and what becomes of it.
    #[serde(default, skip_serializing_if = "OutputSpec::is_usual")]
    pub output: OutputSpec,
}

/// What a run may spend, in the words of budgets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct RunBudget(pub Limits);

impl TryFrom<String> for RunBudget {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Limits::parse(&text).map(Self)
    }
}

impl From<RunBudget> for String {
    fn from(budget: RunBudget) -> Self {
        budget.0.to_string()
    }
}

/// How an answer reads and what becomes of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct OutputSpec {
    /// How a source stands in the list below the answer, with what it holds in braces.
    pub citation: String,
    /// Whether the next question to the same agent goes on from this answer.
    pub follow_up: bool,
}

impl OutputSpec {
    fn is_usual(&self) -> bool {
        *self == Self::default()
    }
}

impl Default for OutputSpec {
    fn default() -> Self {
        Self { citation: CITATION.to_owned(), follow_up: true }
    }
}

/// A pipeline with who it is for people and what its stages ask.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PipelineAgent {
    /// The name that it is called by.
    pub slug: String,
    /// What it is called on the screen.
    pub title: String,
    /// What it is for.
    pub about: String,
    /// What holds for all of its stages.
    pub body: String,
    /// The stages.
    pub spec: PipelineSpec,
    /// What each stage that asks a model tells it, by its name.
    pub prompts: BTreeMap<String, String>,
    /// The sources that its runs have on.
    pub sources: Vec<String>,
}

/// The agents with stages that can be called, and what they find here; no part of what happened.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Agents {
    /// The agents.
    pub all: Vec<PipelineAgent>,
    /// The tool that searches the web here, where a source has one.
    pub web: Option<WebSearch>,
    /// The tools of sources that would search it: for an agent that names their source, on or off.
    pub webs: Vec<WebSearch>,
    /// The tools of sources that add what they know to a search for passages.
    pub adds: Vec<WebSearch>,
    /// How deep they go, where that was said for all of them.
    pub depth: Option<Depth>,
}

impl Agents {
    /// How deep one goes that says this of itself.
    pub fn deep(&self, own: Option<Depth>) -> Depth {
        self.depth.or(own).unwrap_or_default()
    }

    /// The tool that searches the web for an agent: of a source that it names, else the usual one.
    pub fn web_of(&self, agent: &PipelineAgent) -> Option<WebSearch> {
        let own = agent.sources.iter().find_map(|name| self.webs.iter().find(|w| w.source == *name));
        own.or(self.web.as_ref()).cloned()
    }

    /// The agent of this name.
    pub fn named(&self, slug: &str) -> Option<&PipelineAgent> {
        self.all.iter().find(|a| a.slug == slug)
    }
}

/// What stands in the front matter of `AGENT.md`.
#[derive(Deserialize)]
struct Head {
    #[serde(default)]
    name: String,
    #[serde(default)]
    description: String,
    sources: Option<Words>,
}

/// What the front matter may say; anything else would have no effect.
const SAID: [&str; 6] = ["name", "description", "sources", "license", "compatibility", "metadata"];

impl PipelineSpec {
    /// Reads `config.json`.
    ///
    /// # Errors
    /// What is wrong in it, and where.
    pub fn read(text: &str) -> Result<Self, Fault> {
        let spec: Self = serde_json::from_str(text).map_err(|e| Fault::of_json(&e))?;
        known(text)?;
        spec.check(text).map(|()| spec)
    }

    /// The stage of this name, counted from 0.
    pub fn stage(&self, name: &str) -> Option<usize> {
        self.stages.iter().position(|s| s.name == name)
    }

    /// The stages that are done again together, counted from 0.
    pub fn repair(&self) -> Option<(usize, usize)> {
        let [again, says] = self.repair_unit.as_ref()?;
        self.stage(again).zip(self.stage(says))
    }

    /// The model that a stage asks, where it is not the session's.
    pub fn model(&self, stage: usize) -> Option<&str> {
        self.stages.get(stage)?.model.as_deref().or(self.model.as_deref())
    }

    /// The models that its stages ask for by name.
    pub fn models(&self) -> BTreeSet<&str> {
        (0..self.stages.len()).filter_map(|stage| self.model(stage)).collect()
    }

    /// Whether one of its stages collects what was changed.
    pub fn collects(&self) -> bool {
        self.stages.iter().any(|s| s.changes)
    }

    /// Whether the user is asked after a stage.
    pub fn pauses_after(&self, stage: usize) -> bool {
        self.pause_after_stages.contains(&stage)
    }

    fn check(&self, text: &str) -> Result<(), Fault> {
        let wrong = |word: &str, why: String| Err(Fault::new(place_of(text, &format!("\"{word}\"")), why));
        if self.stages.is_empty() || self.stages.len() > MOST_STAGES {
            return wrong("stages", format!("a pipeline has 1 to {MOST_STAGES} stages"));
        }
        for (n, stage) in self.stages.iter().enumerate() {
            let name = stage.name.as_str();
            let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
            if name.is_empty() || !name.chars().all(plain) {
                return wrong(name, format!("`{name}` is no name of a stage: use a-z, 0-9 and _"));
            }
            if self.stages.iter().take(n).any(|other| other.name == name) {
                return wrong(name, format!("there are two stages called `{name}`"));
            }
            let lacks = match stage.kind {
                StageKind::Llm if stage.gives.is_none() => Some("`gives`: what the reply is to be"),
                StageKind::ToolFanout if stage.tool.is_none() && !stage.collects() => {
                    Some("`tool`: what is called")
                }
                StageKind::Llm | StageKind::ToolFanout | StageKind::Verify | StageKind::Render => None,
            };
            if let Some(lacks) = lacks {
                return wrong(name, format!("the stage `{name}` lacks {lacks}"));
            }
            for name in stage.tool.iter().chain(&stage.hop) {
                let Some(tool) = Tool::named(name) else {
                    return wrong(name, format!("there is no tool `{name}`"));
                };
                if tool.needs() != Some(Capability::Read) {
                    return wrong(name, format!("`{name}` does more than read"));
                }
            }
        }
        if let Some(why) = uncited(&self.output.citation) {
            return wrong("citation", why);
        }
        if let Some(stage) = self.pause_after_stages.iter().find(|n| **n + 1 >= self.stages.len()) {
            return wrong("pause_after_stages", format!("there is no stage after {stage} to go on with"));
        }
        match self.repair_unit.as_ref().map(|pair| (pair, self.repair())) {
            Some((pair, None)) => {
                let missing =
                    pair.iter().find(|name| self.stage(name).is_none()).cloned().unwrap_or_default();
                wrong("repair_unit", format!("there is no stage `{missing}` to repair"))
            }
            Some((_, Some((again, says)))) if again >= says => {
                wrong("repair_unit", "the stage that is done again stands before the one that says so".into())
            }
            Some(_) | None => Ok(()),
        }
    }
}

impl PipelineAgent {
    /// What it does and what it asks for, in a few lines for people.
    pub fn outline(&self) -> Vec<String> {
        let spec = &self.spec;
        let stages = spec.stages.iter().enumerate().map(|(n, stage)| {
            let waits = if spec.pauses_after(n) { " (then asks you)" } else { "" };
            format!("{}{waits}", stage.shown())
        });
        let Axes { entity_grounding: names, citation_accuracy: citations, .. } = spec.thresholds;
        let Axes { relation_preservation: relations, contradictions, .. } = spec.thresholds;
        let mut lines = vec![format!("stages: {}", stages.collect::<Vec<_>>().join(", "))];
        if spec.stages.iter().any(|s| s.kind == StageKind::Verify) {
            lines.push(format!(
                "passes from names {names:.2}, citations {citations:.2}, relations {relations:.2}, at most {}",
                count(contradictions, "contradiction")
            ));
        }
        if let Some((again, _)) = spec.repair().and_then(|(a, s)| spec.stages.get(a).zip(spec.stages.get(s)))
        {
            lines.push(format!("what fails is done again from: {}", again.shown()));
        }
        let depth = spec.depth.map(|d| format!("goes {} where nothing is said", d.name()));
        let budget = spec.budget.map(|b| format!("spends at most {} a run", b.0));
        let models: Vec<&str> = spec.models().into_iter().collect();
        let models = (!models.is_empty()).then(|| format!("asks {}", models.join(", ")));
        lines.extend(depth.into_iter().chain(budget).chain(models));
        lines
    }

    /// Reads an agent from its files: `config`, `AGENT.md`, and a prompt for each stage that asks a model.
    ///
    /// # Errors
    /// The file, and what is wrong in it.
    pub fn read(
        slug: &str,
        config: &str,
        about: &str,
        prompt: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, (String, Fault)> {
        let spec = PipelineSpec::read(config).map_err(|e| ("config.json".to_owned(), e))?;
        let of_about = |e| ("AGENT.md".to_owned(), e);
        let front = Front::read(about).map_err(of_about)?;
        let head: Head = front.typed().map_err(of_about)?;
        if let Some(key) = front.fields.keys().find(|key| !SAID.contains(&key.as_str())) {
            let why = format!(
                "`{key}` has no effect in an agent with stages: what a stage does and asks stands in config.json"
            );
            return Err(of_about(Fault::new(front.place(key), why)));
        }
        let mut prompts = BTreeMap::new();
        for stage in &spec.stages {
            let file = format!("prompts/stage-{}.md", stage.name);
            match (prompt(&file), stage.kind) {
                (Some(text), StageKind::Llm | StageKind::Verify) if !text.trim().is_empty() => {
                    prompts.insert(stage.name.clone(), text);
                }
                (_, StageKind::Llm) => {
                    let why = format!("the stage `{}` has nothing to ask", stage.name);
                    return Err((file, Fault::new(Place::START, why)));
                }
                (_, StageKind::ToolFanout | StageKind::Verify | StageKind::Render) => {}
            }
        }
        let title = if head.name.is_empty() { slug.to_owned() } else { head.name };
        let body = front.body.trim().to_owned();
        let (slug, about) = (slug.to_owned(), head.description);
        let sources = head.sources.map(Words::all).unwrap_or_default();
        Ok(Self { slug, title, about, body, spec, prompts, sources })
    }
}

/// What is wrong with how a source is to stand below an answer.
fn uncited(citation: &str) -> Option<String> {
    let held = citation.split('{').skip(1).map(|rest| rest.split('}').next().unwrap_or_default());
    let strange = held.into_iter().find(|name| !HELD.contains(name));
    let all = || HELD.map(|name| format!("{{{name}}}")).join(", ");
    if let Some(name) = strange {
        return Some(format!("a citation has no {{{name}}}; it can hold {}", all()));
    }
    if !citation.contains("{number}") || !citation.contains("{path}") || citation.contains('\n') {
        return Some("a citation is one line with {number} and {path}".to_owned());
    }
    None
}

/// Whether all keys of a configuration mean something. What is stored may hold more than this version knows.
fn known(text: &str) -> Result<(), Fault> {
    const TOP: &[&str] =
        &["stages", "pause_after_stages", "repair_unit", "thresholds", "depth", "budget", "model", "output"];
    const OUTPUT: &[&str] = &["citation", "follow_up"];
    const STAGE: &[&str] =
        &["name", "kind", "title", "gives", "tool", "hop", "command", "changes", "files", "web", "model"];
    const AXES: &[&str] =
        &["entity_grounding", "citation_accuracy", "relation_preservation", "contradictions"];
    let value: Value = serde_json::from_str(text).unwrap_or_default();
    let stages = value.get("stages").and_then(Value::as_array).into_iter().flatten();
    let stages = stages.map(|stage| (stage, STAGE));
    let of = |name: &str, keys| value.get(name).map(|part| (part, keys));
    let parts = std::iter::once((&value, TOP)).chain(stages);
    let parts = parts.chain(of("thresholds", AXES)).chain(of("output", OUTPUT));
    for (part, keys) in parts {
        let strange = part.as_object().and_then(|o| o.keys().find(|k| !keys.contains(&k.as_str())));
        if let Some(key) = strange {
            let at = place_of(text, &format!("\"{key}\""));
            return Err(Fault::new(
                at,
                format!("unknown field `{key}`, expected one of {}", keys.join(", ")),
            ));
        }
    }
    Ok(())
}

/// Where a word stands first in a text.
fn place_of(text: &str, word: &str) -> Place {
    Place::at(text, text.find(word).unwrap_or_default())
}
