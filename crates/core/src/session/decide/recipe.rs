//! Skills, commands and agents of files: called by the user, and what they keep to.
//!
//! Owns how a call becomes a message and what a directed line of work may not do. A recipe only narrows: the path, the
//! rules and the ceiling hold whatever it says.

use super::{Decided, Draft};
use crate::{
    event::{ChildAgent, Event},
    ids::TurnId,
    input::Refusal,
    intent::{Classification, IntentNode, IntentPath, Reading, Source, Turn},
    lane::{ChildWork, LaneKind},
    recipe::{Directed, Recipe, RecipeKind},
    scope::{Capability, ToolScope},
    session::{Lane, OpenCall},
    tool::ChildKind,
};

/// How what is wrong with a recipe begins that is in order and not trusted.
const NO_EFFECT: &str = "it is inactive: ";

/// What is no command here and one of the program in a shell.
const OUTSIDE: [(&str, &str); 8] = [
    ("export", "sessions export SESSION"),
    ("import", "sessions import FILE"),
    ("replay", "sessions replay SESSION"),
    ("doctor", "doctor"),
    ("auth", "auth set PRESET"),
    ("blame", "blame FILE:LINE"),
    ("validate", "validate"),
    ("permissions", "permissions list"),
];

impl Draft<'_> {
    /// What a line says: to an agent, what follows its name.
    pub(super) fn said_to<'l>(&self, line: &'l str) -> &'l str {
        self.under.recipes.agent_of(line).map_or(line, |(_, rest)| rest)
    }

    /// A message that begins with the name of an agent is directed by it.
    pub(super) fn call_agent(&mut self, turn: TurnId, line: &str) {
        let recipes = &self.under.recipes;
        if let Some((agent, _)) = recipes.agent_of(line) {
            self.direct(turn, agent, agent.body.clone());
        }
    }

    /// Why nobody answers to the name that a line begins with, where it is called like an agent: what is to be said with a
    /// way on, before the line is sent. A path, a word of the code in capitals and what was pasted are no names of agents.
    pub(super) fn answers_nobody(&self, line: &str) -> Decided {
        let Some(rest) = line.strip_prefix('@') else { return Ok(()) };
        let name = rest.split(char::is_whitespace).next().unwrap_or(rest).trim_end_matches([':', ',']);
        let slug = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
        let recipes = &self.under.recipes;
        let answers = name.parse::<IntentNode>().is_ok()
            || recipes.agent_of(line).is_some()
            || self.pipeline_order(line).is_some();
        if name.is_empty() || !name.chars().all(slug) || answers {
            return Ok(());
        }
        if let Some(broken) = recipes.broken_agent(name) {
            let fault = broken.fault.as_ref().map(|f| f.why.as_str()).unwrap_or_default();
            let (file, call) = (&broken.file, broken.call());
            return Err(Refusal::new(match fault.strip_prefix(NO_EFFECT) {
                Some(why) => format!("{call} is not available yet: {file} is inactive: {why}"),
                None => format!("{call} is not available: {file} cannot be used: {fault}; /agents shows it"),
            }));
        }
        let near = recipes.nearest_agent(name);
        let (capital, pasted) = (name.chars().any(char::is_uppercase), line.contains('\n'));
        let same = near.is_some_and(|n| n == name.to_lowercase());
        if !same && (capital || pasted || self.knows_file(name)) {
            return Ok(());
        }
        let meant = near.map(|n| format!(" Did you mean @{n}?")).unwrap_or_default();
        Err(Refusal::new(format!(
            "there is no agent called @{name}.{meant} /agents lists them; put it in backticks if you don't mean an agent: `@{name}`"
        )))
    }

    /// Whether a name is one of a file or a folder that this session has read or written.
    fn knows_file(&self, name: &str) -> bool {
        let lanes = self.state.lanes.values().flat_map(|lane| lane.seen.keys());
        let wrote = self.state.writes().flat_map(|(.., files)| files).map(|f| &f.path);
        let mut all = self.state.seen.keys().chain(lanes).chain(wrote);
        all.any(|path| path.as_str().split('/').next() == Some(name))
    }

    fn direct(&mut self, turn: TurnId, recipe: &Recipe, prompt: String) {
        let prompt = self.excerpt(prompt);
        self.emit(Event::TurnDirected {
            turn,
            kind: recipe.kind,
            name: recipe.name.clone(),
            origin: recipe.origin,
            file: recipe.file.clone(),
            prompt,
            tools: recipe.tools.clone(),
            scope: recipe.scope,
            model: recipe.model.clone(),
            sources: recipe.sources.clone(),
        });
    }

    /// `/name ARGUMENTS` of a skill or a command: a message whose words are its prompt.
    pub(super) fn slash_recipe(&mut self, name: &str, args: &str) -> Decided {
        let recipes = &self.under.recipes;
        let Some(recipe) = recipes.slash(name) else {
            let staged = self.under.agents.named(&name.to_lowercase()).map(|a| a.slug.clone());
            let Some(slug) = staged else { return Err(self.unknown(name)) };
            return self.research(&slug, args);
        };
        let line = format!("{} {args}", recipe.call());
        let reading = self.read_recipe(line.trim(), recipe, args);
        let turn = self.begin_turn(line.trim());
        self.direct(turn, recipe, recipe.expand(args));
        self.classify(turn, line.trim(), &reading);
        self.route_reading(turn, &reading)
    }

    /// How far a skill or a command goes: as far as its tools say, else as its description reads. What is no clear order to
    /// change something only looks, and asks before it does more.
    fn read_recipe(&self, line: &str, recipe: &Recipe, args: &str) -> Reading {
        let words = format!("{} {args}", recipe.description);
        let mut reading = self.state.read(words.trim(), &self.under.tiers);
        let path = reading.whole.path.clone();
        let writes = path.scope().allows(Capability::Write) && reading.clarify.is_none();
        let sure = writes && !self.under.tiers.classifier.unsure(&reading);
        let node = match &recipe.tools {
            Some(_) if recipe.scope.allows(Capability::Write) => IntentNode::Write,
            None if sure => path.current(),
            Some(_) | None => IntentNode::Analyze,
        };
        let turn = if node == IntentNode::Analyze { Turn::Query(None) } else { Turn::PlanNew(None) };
        let said = if recipe.tools.is_some() { "its allowed-tools" } else { "what it says it does" };
        reading.whole = Classification {
            turn,
            path: IntentPath::to(node),
            target: None,
            confidence: 1.0,
            scope_confidence: 1.0,
            sub_confidence: 1.0,
            source: Source::Slash,
            reasoning: format!("the {} {}, by {said}", recipe.kind.name(), recipe.call()),
        };
        Reading {
            whole: reading.whole,
            text: line.to_owned(),
            segments: Vec::new(),
            ordered: Vec::new(),
            clarify: None,
            slash: None,
            command: None,
            ..reading
        }
    }

    fn unknown(&self, name: &str) -> Refusal {
        if let Some(broken) = self.under.recipes.broken(name) {
            let fault = broken.fault.as_ref().map(ToString::to_string).unwrap_or_default();
            return Refusal::misuse(format!("/{name} cannot be used: {}:{fault}", broken.file));
        }
        if let Some((_, line)) = OUTSIDE.iter().find(|(of, _)| *of == name) {
            let line = line.replace("SESSION", &self.state.slug);
            return Refusal::misuse(format!(
                "there is no command /{name}; in a shell, `pilothouse {line}` does it"
            ));
        }
        match self.under.recipes.nearest(name) {
            Some(near) => Refusal::misuse(format!("there is no command /{name}; did you mean /{near}?")),
            None => Refusal::misuse(format!("there is no command /{name}; /help lists them")),
        }
    }

    /// How far whatever directs a turn lets its lanes go. A gate is the workbench's own.
    pub(super) fn directed_to(&self, kind: LaneKind, turn: TurnId) -> ToolScope {
        let by = self.directing(turn).filter(|_| kind.gate().is_none());
        by.map_or(ToolScope::FULL, |d| d.scope)
    }

    fn directing(&self, turn: TurnId) -> Option<&Directed> {
        self.state.turns.get(&turn)?.directed.as_deref()
    }

    /// Why whatever directs a lane does not use a tool, if it does not.
    pub(super) fn undirected(&self, lane: &Lane, open: &OpenCall) -> Option<String> {
        if lane.kind.gate().is_some() {
            return None;
        }
        let needs = open.tool.map_or(Some(Capability::Execute), crate::tool::Tool::needs);
        let name = match open.tool {
            Some(tool) => tool.name(),
            None => open.name.as_str(),
        };
        let by = [lane.agent.as_deref(), self.directing(lane.turn)];
        let by = by.into_iter().flatten().find(|d| !d.allows(name, needs))?;
        let (kind, own) = (by.kind.name(), by.tools.as_deref().unwrap_or_default().join(", "));
        Some(format!("{name} is not allowed: the {kind} `{}` keeps to {own}; go on without it", by.name))
    }

    /// The agent that does a task, as it is now.
    pub(super) fn child_agent(&mut self, kind: &ChildKind) -> Option<ChildAgent> {
        let ChildKind::Agent(name) = kind else { return None };
        let agent = self.under.recipes.agent(name)?;
        let (tools, scope, model) = (agent.tools.clone(), agent.scope, agent.model.clone());
        Some(ChildAgent { name: name.clone(), prompt: self.excerpt(agent.body.clone()), tools, scope, model })
    }

    /// What is said of a kind that nothing is.
    pub(super) fn unknown_kind(&self, kind: &ChildKind) -> Option<String> {
        let ChildKind::Agent(name) = kind else { return None };
        let recipes = &self.under.recipes;
        let agents = recipes.usable().filter(|r| r.kind == RecipeKind::Agent && r.stages.is_none());
        let own = [ChildWork::Search, ChildWork::Review, ChildWork::Verify].map(ChildWork::name);
        let known: Vec<&str> = own.into_iter().chain(agents.map(|r| r.name.as_str())).collect();
        recipes
            .agent(name)
            .is_none()
            .then(|| format!("there is no kind `{name}`: it is one of {}", known.join(", ")))
    }
}
