//! The session: one pure machine that everything else serves.
//!
//! Owns the state, the one mutator [`Session::apply`], the deciders behind [`Session::step`] and
//! what should be going on ([`Session::pending`]). Never performs an effect and never holds a
//! file's or a message's text.

mod account;
mod accounts;
mod apply;
mod as_text;
mod beside;
mod candidates;
mod changes;
mod closing;
mod decide;
mod digest;
mod foretell;
mod hooks;
pub mod lane;
mod listed;
mod missed;
mod offered;
mod pending;
mod reach;
mod recap;
mod red_check;
mod repeats;
mod spared;
mod stake;
pub mod state;
mod stopped;
pub mod tiers;
pub mod transcript;
mod unreviewed;
mod why_asked;
pub mod written;

use std::{collections::BTreeMap, sync::Arc};

pub use crate::lane::{ChildWork, LaneKind};
pub use accounts::{Accounts, Spent};
pub use apply::{Pipeline, StageCall};
pub use as_text::NO_CALLS;
pub use candidates::{Candidates, MOST_CANDIDATES};
pub use changes::{Apply, ApplyStatus, CommandWrite, Standing};
pub use closing::Closing;
pub use foretell::{Deed, Foretold, TELLS_NOW};
pub use lane::{
    ASK_AGAIN, Child, Deeds, Lane, NEEDLESS, OpenCall, Ran, TRUST_TO_TRY, Talk, TaskFault, needless_alone,
};
pub use red_check::RedCheck;
pub use state::{Compacting, HEAD_CHARS, PendingMessage, Queue, Run, Said, State, TurnInfo};
pub use stopped::PRINTED;
pub use tiers::Tiers;
pub use transcript::{Entry, Summary, Transcript, What};
pub use written::{Extent, Origin, Written, WrittenFile};

use crate::{
    blob::Blob,
    connection::Connections,
    event::Stamped,
    fact::{Fact, FactSource},
    ids::{LaneId, Millis},
    input::{Input, Refusal},
    intent::Reading,
    memory::Memory,
    money::{Allowance, Configured},
    pipeline::Agents,
    plan::{GateDraft, Pause, Programs, Workspace},
    policy::{By, Outcome, PathRules, Policy},
    recipe::Recipes,
    tool,
    work::{Effect, Printed, View, Work, WorkKey},
};

/// One conversation with its plan, runs and changes: the fold of its events.
#[derive(Clone, Debug, Default)]
pub struct Session {
    state: State,
    under: decide::Under,
}

/// How much of the work goes on by itself; no part of what happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Repairs of a failed gate before it is asked about without that choice.
    pub repairs: u32,
    /// Whether a plan of one step in at most two files begins without a question: its hunks are asked
    /// about.
    pub small_plans: bool,
    /// Steps of a plan that may be at work at the same time.
    pub max_parallel: usize,
    /// Plans that are made for a message where it does not say how many; the best of them is shown.
    pub candidates: usize,
    /// How much may be handed on to sub-agents.
    pub agents: AgentBounds,
    /// What a session may spend, where nothing is said in it.
    pub budget: Configured,
    /// Where runs stop to ask, beside what a plan says itself.
    pub pauses: Vec<Pause>,
    /// Whether a plan that is complete is proposed as a file.
    pub archive: bool,
    /// Whether there is a screen, which opens what words want to see.
    pub screen: bool,
}

impl Default for Bounds {
    fn default() -> Self {
        let (agents, budget) = (AgentBounds::default(), Configured::default());
        Self {
            repairs: 2,
            small_plans: false,
            max_parallel: 3,
            candidates: 1,
            agents,
            budget,
            pauses: Vec::new(),
            archive: false,
            screen: true,
        }
    }
}

/// How much may be handed on to sub-agents; they start none themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AgentBounds {
    /// How many one lane may start in all.
    pub most: usize,
    /// How many of a call work at the same time; the others wait for their turn.
    pub at_once: usize,
    /// Model calls of one before it must report.
    pub calls: u32,
    /// What all of a lane may cost, in millionths of a US dollar, where the price is known.
    pub cost_micros: u64,
}

impl Default for AgentBounds {
    fn default() -> Self {
        Self { most: 8, at_once: 4, calls: 20, cost_micros: 500_000 }
    }
}

impl PartialEq for Session {
    /// What is configured is no part of what happened.
    fn eq(&self, other: &Self) -> bool {
        self.state == other.state
    }
}

/// What one input led to: texts to store, events to log, then effects to perform, in that order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Step {
    /// Contents that the events name.
    pub blobs: Vec<Blob>,
    /// What happened.
    pub events: Vec<Stamped>,
    /// What should begin or stop.
    pub effects: Vec<Effect>,
}

impl Session {
    /// A session in which nothing has happened.
    pub fn new() -> Self {
        Self::default()
    }

    /// A session in which nothing has happened, whose messages are read by these tiers.
    pub fn with(tiers: Tiers) -> Self {
        Self { under: decide::Under { tiers, ..Default::default() }, ..Self::default() }
    }

    /// The permission rules that hold from now on; no part of what happened.
    pub fn set_policy(&mut self, policy: Arc<Policy>) {
        self.under.policy = policy;
    }

    /// How much of the work goes on by itself from now on.
    pub fn set_bounds(&mut self, bounds: Bounds) {
        self.under.bounds = bounds;
    }

    /// How much of the work goes on by itself.
    pub const fn bounds(&self) -> &Bounds {
        &self.under.bounds
    }

    /// Whether one more model call may be made.
    pub fn may_call(&self) -> bool {
        !self.state.allowances(self.under.bounds.budget).iter().any(Allowance::is_over)
    }

    /// The permission rules.
    pub fn policy(&self) -> &Arc<Policy> {
        &self.under.policy
    }

    /// Why a command that the user types would be refused now: the rule, or the mode; `None` where it would not.
    pub fn refuses_typed(&self, line: &str) -> Option<String> {
        let request = tool::Run::line(line.trim()).request(By::Typed, false);
        let ruling = self.under.policy.decide(&request, &self.state.setting()).ruling;
        (ruling.outcome == Outcome::Refuse).then(|| ruling.to_string())
    }

    /// The gates of a plan that changes code and brings none; no part of what happened.
    pub fn set_gates(&mut self, gates: Vec<GateDraft>) {
        self.under.gates = gates.into();
    }

    /// Whether what an answer changes is checked afterwards: a check was found, and it runs here unasked.
    pub fn checks_unasked(&self) -> bool {
        !self.under.gates.is_empty() && self.state.checks_unasked()
    }

    /// Who looks up the programs of gates from now on; no part of what happened but by what a plan tells of it.
    pub fn set_programs(&mut self, programs: Arc<dyn Programs>) {
        self.under.programs = Some(programs);
    }

    /// Who looks whether files are there that plans rest on; no part of what happened but by what is said of a plan.
    pub fn set_files(&mut self, files: Arc<dyn Workspace>) {
        self.under.files = Some(files);
    }

    /// Who knows what commands at work have printed; no part of what happened but by what is told of one that is stopped.
    pub fn set_printed(&mut self, printed: Arc<dyn Printed>) {
        self.under.printed = Some(printed);
    }

    /// The branch of the workspace from now on, or what stands for one; no part of what happened but by what is told of it.
    pub fn set_branch(&mut self, branch: Option<String>) {
        self.under.branch = branch;
    }

    /// What is remembered from earlier sessions; no part of what happened.
    pub fn set_memory(&mut self, memory: Arc<Memory>) {
        self.under.memory = memory;
    }

    /// What is remembered from earlier sessions.
    pub fn memory(&self) -> &Arc<Memory> {
        &self.under.memory
    }

    /// The models that can be asked by name; no part of what happened.
    pub fn set_connections(&mut self, connections: Arc<Connections>) {
        self.under.connections = connections;
    }

    /// The models that can be asked by name.
    pub const fn connections(&self) -> &Arc<Connections> {
        &self.under.connections
    }

    /// The skills, commands and agents that there are; no part of what happened.
    pub fn set_recipes(&mut self, recipes: Arc<Recipes>) {
        let all = recipes.staged().cloned().collect();
        self.under.agents = Arc::new(Agents { all, ..(*self.under.agents).clone() });
        self.under.recipes = recipes;
    }

    /// The skills, commands and agents that there are.
    pub fn recipes(&self) -> &Arc<Recipes> {
        &self.under.recipes
    }

    /// What agents with stages find here, beside themselves; no part of what happened.
    pub fn set_agents(&mut self, agents: Arc<Agents>) {
        self.under.agents = agents;
    }

    /// The agents with stages that can be called.
    pub const fn agents(&self) -> &Arc<Agents> {
        &self.under.agents
    }

    /// How this process reads messages.
    pub fn tiers(&self) -> &Tiers {
        &self.under.tiers
    }

    /// What the deterministic tiers make of a line, here and now.
    pub fn read(&self, line: &str) -> Reading {
        self.state.read(line, &self.under.tiers)
    }

    /// The state that a log tells; the same as if every event had been applied live.
    pub fn replay<'a>(events: impl IntoIterator<Item = &'a Stamped>) -> Self {
        let mut session = Self::new();
        for event in events {
            session.apply(event);
        }
        session
    }

    /// The state.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Folds one event in; total, whatever the event says.
    pub fn apply(&mut self, event: &Stamped) {
        self.state.apply(event);
    }

    /// Whether a write or a proposal of this id is of the session that this one is a copy of, which has its content.
    pub fn is_copied(&self, id: u64) -> bool {
        self.state.changes.is_copied(id)
    }

    /// Decides what an input means now; on success its events are already folded in.
    ///
    /// # Errors
    /// When the input has no meaning in this state; then nothing has changed.
    pub fn step(&mut self, at: Millis, input: Input) -> Result<Step, Refusal> {
        let before = self.pending();
        let mut draft = decide::Draft::new(&mut self.state, &self.under, at);
        let decided = draft.decide(input);
        let (blobs, events) = draft.finish(decided)?;
        let after = self.pending();
        let stop = before.keys().filter(|k| !after.contains_key(k)).map(|k| Effect::Cancel(*k));
        let start =
            after.iter().filter(|(k, _)| !before.contains_key(k)).map(|(_, w)| Effect::Start(w.clone()));
        let effects = stop.chain(start).collect();
        Ok(Step { blobs, events, effects })
    }

    /// What a lane sees and saw, under the rules: to look at what its answer cites.
    pub fn sight(&self, lane: LaneId) -> Option<View> {
        let mut view = self.state.view(self.state.lanes.get(&lane)?);
        for (path, hash) in &self.state.seen {
            view.seen.entry(path.clone()).or_insert(*hash);
        }
        view.rules.policy = Arc::clone(&self.under.policy);
        Some(view)
    }

    /// The facts that stand in files, and the rules under which these are read: to look whether they still do.
    pub fn file_facts(&self) -> (Vec<Fact>, PathRules) {
        let of_file = |f: &&Fact| matches!(f.source, FactSource::File { .. });
        let rules = PathRules { policy: Arc::clone(&self.under.policy), ..PathRules::default() };
        (self.state.facts.iter().filter(of_file).cloned().collect(), rules)
    }

    /// What should be going on in the world.
    pub fn pending(&self) -> BTreeMap<WorkKey, Work> {
        let mut all = self.state.pending();
        for work in all.values_mut() {
            if let Work::Tool { view, .. } = work {
                view.rules.policy = Arc::clone(&self.under.policy);
            } else if let Work::Recall { rules, .. } = work {
                rules.policy = Arc::clone(&self.under.policy);
            }
        }
        all
    }
}
