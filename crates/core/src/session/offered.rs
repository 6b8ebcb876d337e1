//! Which tools the model of a lane is offered.
//!
//! Owns that choice, for requests and for what is said of a name that is none of them. Never lets a call begin.

use super::{Lane, OpenCall, State};
use crate::{
    recipe::Directed,
    scope::ToolScope,
    talk::Purpose,
    tool::{ArgsError, Tool},
};

/// Most bytes of arguments that are repeated to a model.
const MOST_ARGS: usize = 400;

impl Lane {
    /// Whether it may ask to go deeper: one that keeps to its node, or that may never do more than read, is always refused.
    pub fn may_ask_for_more(&self) -> bool {
        !self.fixed && !ToolScope::READ_ONLY.contains(self.ceiling)
    }
}

impl State {
    /// The tools that a lane for this purpose is offered beside what its scope lets it do. Tools of sources only where
    /// there are `sources`, those of the knowledge index only where an agent, a skill or a command names them, and the one
    /// that asks to go deeper only where that can be let.
    pub fn session_tools(&self, lane: Option<&Lane>, purpose: Purpose, sources: bool) -> Vec<Tool> {
        let mut tools = Tool::of_session(purpose);
        let stays = lane.is_some_and(|l| !l.may_ask_for_more());
        tools.retain(|t| *t != Tool::RequestPath || !stays);
        if sources && purpose != Purpose::Child {
            tools.extend(Tool::ALL.into_iter().filter(|t| t.is_of_sources()));
        }
        // What is said beside a commit that waits may be about its message, an order as well.
        let of_user = matches!(purpose, Purpose::Answer | Purpose::Plan);
        tools.extend((of_user && self.waiting_commit().is_some()).then_some(Tool::CommitMessage));
        let turn = lane.and_then(|l| self.turns.get(&l.turn)?.directed.as_deref());
        let by: Vec<&Directed> = lane.and_then(|l| l.agent.as_deref()).into_iter().chain(turn).collect();
        let named =
            |t: &Tool| by.iter().any(|d| d.names(*t)) && by.iter().all(|d| d.allows(t.name(), t.needs()));
        tools.extend(Tool::ALL.into_iter().filter(|t| t.asks_index() && named(t)));
        tools
    }

    /// Whether `run` is offered to who may only read; a sub-agent runs nothing, not even what only reads.
    pub fn holds_commands(&self, purpose: Purpose) -> bool {
        self.sandbox.backend.is_some() && purpose != Purpose::Child
    }

    /// What a call is told whose name no tool has: the one that it means, as far as the lane is offered that, and all that
    /// it is offered; with the arguments that were sent, where they fit that tool.
    pub(super) fn no_such_tool(&self, lane: &Lane, open: &OpenCall) -> String {
        let name = &open.name;
        let purpose = lane.kind.purpose();
        let own = self.session_tools(Some(lane), purpose, !self.sources.is_empty());
        let offered = Tool::offered(lane.offer(), self.holds_commands(purpose), &own);
        let instead = match Tool::meant_by(name) {
            Some(tool) if offered.contains(&tool) => {
                // A weak model copies what stands there: what it sent, where that is right.
                let with = match &open.asked {
                    Err(ArgsError::NoTool { fits: Some(args), .. }) if args.len() <= MOST_ARGS => args,
                    Err(ArgsError::NoTool { fits: Some(_), .. }) => "the same arguments",
                    Ok(_) | Err(_) => tool.example(),
                };
                format!(": call {} instead, with {with}", tool.name())
            }
            Some(tool) => format!(", and {}, which does that, is not open to this turn", tool.name()),
            None => String::new(),
        };
        let known = offered.into_iter().map(Tool::name).collect::<Vec<_>>().join(", ");
        format!("there is no tool called {name:?}{instead}; the tools of this turn are {known}")
    }
}
