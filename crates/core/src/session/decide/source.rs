//! Calls of sources' tools: whether one may be made, what was found of a source, what it asks meanwhile.
//!
//! Owns that a tool is called as it was seen and no other. Never decides by itself: the one policy does (G6).

use super::{
    Decided, Draft,
    answer::{Given, Resolve},
    terms::CallStart,
    verdict::{CallVerdict, Then},
};
use crate::{
    blob::BlobId,
    checkpoint::{Answer, Checkpoint, CheckpointKind},
    event::Event,
    ids::{CallId, CheckpointId, LaneId},
    input::Refusal,
    policy::{Effect, Origin, Outcome, Request, Rule, Ruling},
    question::{FormAnswer, FormQuestion, ServerAnswer, ServerQuestion, SourceAnswer, SourceQuestion},
    scope::{Capability, PermissionMode},
    session::{Lane, LaneKind, OpenCall},
    source::{SourceNews, SourceTool, full_name},
    tool::{SourceCall, Tool},
};

/// Why a tool asks of which only its server says that it reads.
const UNSET: &str = "its server says that it only reads; `read_only` of the source, which takes its word for that, is not set";
/// Tools that one event holds.
const MOST_OF_EVENT: usize = 24;

impl Draft<'_> {
    pub(super) fn judge_source(&self, lane: &Lane, open: &OpenCall, call: &SourceCall) -> CallVerdict {
        let Some((source, known)) = self.source_tool(call) else {
            return CallVerdict::refuse(format!(
                "{} is not known: source_tools with the source and the tool says whether it is there and what it takes",
                call.tool
            ));
        };
        let reads = self.only_reads_of(source, known);
        let (request, ruling) = self.ruling_there(source, known);
        let needs = if reads || self.searches(lane, call) { Capability::Read } else { Capability::Execute };
        if let Some(barred) = self.barred(lane, open, needs, Then::Gate) {
            return barred;
        }
        let asks = |by: &str| {
            let unasked = ruling.outcome == Outcome::Run;
            let part = String::new();
            unasked.then(|| Ruling { outcome: Outcome::Ask, by: by.to_owned(), at: String::new(), part })
        };
        let beyond = !reads && !self.state.reach(lane.turn).allows(Capability::Write);
        let by_mode = ruling.at.is_empty() && self.state.permission == PermissionMode::Auto;
        let ruling = if known.changed {
            asks("its server describes it differently than when it was last called")
        } else if beyond && by_mode {
            asks("it may change something, and the message only asks to read")
        } else {
            // By the mode alone it asks since the word of its server is not taken.
            let unset = ruling.outcome == Outcome::Ask && ruling.at.is_empty() && known.reads && !known.free;
            unset.then(|| Ruling { by: UNSET.to_owned(), ..ruling.clone() })
        }
        .unwrap_or_else(|| ruling.clone());
        match ruling.outcome {
            Outcome::Refuse => CallVerdict::deny(request, ruling),
            Outcome::Ask => {
                // Nobody is asked about what would not be done; what runs unasked is refused with its schema.
                let missing = known.required.iter().find(|name| !call.arguments.contains_key(*name));
                missing.map_or_else(
                    || source_question(open.call, (source, known), call, (request, ruling)),
                    |name| {
                        CallVerdict::refuse(format!(
                            "nothing was done: the argument {name} is missing; source_tools with this tool says what it takes"
                        ))
                    },
                )
            }
            Outcome::Run => {
                let start = CallStart { ruling: Some(ruling), ..CallStart::default() };
                self.judge_start(lane, open, Tool::SourceCall, start)
            }
        }
    }

    fn source_tool<'c>(&self, call: &'c SourceCall) -> Option<(&'c str, &SourceTool)> {
        let (source, tool) = call.parts()?;
        Some((source, self.state.sources.get(source, tool)?))
    }

    /// What the rules say of a call, whatever else holds it back.
    pub(super) fn ruling_of_source(&self, call: &SourceCall) -> Option<(Request, Ruling)> {
        let (source, known) = self.source_tool(call)?;
        Some(self.ruling_there(source, known))
    }

    fn ruling_there(&self, source: &str, known: &SourceTool) -> (Request, Ruling) {
        let (server, tool) = (source.to_owned(), known.name.clone());
        let request = Request::Mcp { server, tool, reads: self.only_reads_of(source, known) };
        let ruling = self.under.policy.decide(&request, &self.state.setting()).ruling;
        (request, ruling)
    }

    /// Whether a stage calls the search that the user named for it, or a planning a tool of a source that its message names,
    /// and that says it only reads: it is asked about as ever, and reaches no further than reading does.
    pub(super) fn searches(&self, lane: &Lane, call: &SourceCall) -> bool {
        let says = self.source_tool(call).is_some_and(|(_, known)| known.reads && !known.changed);
        let named = || call.parts().is_some_and(|(of, _)| self.state.names_source(lane.turn, of));
        says && (lane.kind == LaneKind::Pipeline || lane.kind == LaneKind::Planning && named())
    }

    /// Whether a call only reads: its server says so, and the user takes its word, in the source's configuration or by
    /// a rule.
    pub(super) fn only_reads_there(&self, call: &SourceCall) -> bool {
        self.source_tool(call).is_some_and(|(source, known)| self.only_reads_of(source, known))
    }

    fn only_reads_of(&self, source: &str, known: &SourceTool) -> bool {
        let (server, tool) = (source.to_owned(), known.name.clone());
        let by_rule = || {
            let request = Request::Mcp { server, tool, reads: false };
            let decision = self.under.policy.decide(&request, &self.state.setting());
            decision.rule.is_some() && decision.ruling.outcome == Outcome::Run
        };
        known.reads && !known.changed && (known.free || by_rule())
    }

    /// What a source has was found out; only what is new of it is told.
    pub(super) fn found_source(&mut self, found: SourceNews) {
        let source = found.source.clone();
        let (tools, mut gone) = self.state.sources.news(found);
        let mut parts: Vec<Vec<SourceTool>> = tools.chunks(MOST_OF_EVENT).map(<[_]>::to_vec).collect();
        if parts.is_empty() && !gone.is_empty() {
            parts.push(Vec::new());
        }
        for tools in parts {
            self.emit(Event::SourceSeen { source: source.clone(), tools, gone: std::mem::take(&mut gone) });
        }
    }

    /// A tool is another than the one that was allowed: nothing was done, and it is decided about anew.
    pub(super) fn redefined(&mut self, lane: LaneId, call: CallId) {
        let held =
            self.state.open_call(call).and_then(|(_, open)| self.ruling_of_source(open.source_call()?));
        if let Some((request, ruling)) = held {
            let by = "its server's description changed since it was allowed".to_owned();
            let ruling = Ruling { outcome: Outcome::Ask, by, ..ruling };
            self.emit(Event::CallHeld { call, lane, request, ruling });
            self.gate_call(call);
        } else {
            let text = "the source no longer has this tool";
            self.end_call(lane, call, crate::event::CallStatus::Failed, text);
        }
        self.advance(lane);
    }

    /// The server of a running call asks the user something.
    pub(super) fn source_asks(&mut self, form: FormQuestion) -> Decided {
        let runs = self.state.open_call(form.call).is_some_and(|(_, open)| open.allowed.is_some());
        let asked = |c: &Checkpoint| c.kind.call() == Some(form.call);
        if !runs || self.state.phase_question().is_some() || self.state.open.values().any(asked) {
            return Err(Refusal::new("nobody can be asked right now"));
        }
        let message = format!("{} asks: {}", form.source, form.message);
        self.ask(form, message);
        Ok(())
    }

    /// The client names these servers for its session: each is asked about, and none of before.
    pub(super) fn servers_named(&mut self, servers: Vec<ServerQuestion>) -> Decided {
        if servers.is_empty() {
            return Err(Refusal::new("no server is named"));
        }
        self.close_servers();
        for server in servers {
            let message = format!("Your editor names the server {}. Use it in this session?", server.source);
            self.ask(server, message);
        }
        Ok(())
    }

    /// What the client of a process named ends with that: the next one asks for itself.
    pub(super) fn close_servers(&mut self) {
        let asked = self.state.open.values().filter(|c| matches!(c.kind, CheckpointKind::Server(_)));
        for question in asked.map(|c| c.id).collect::<Vec<CheckpointId>>() {
            self.close(question, None);
        }
    }

    fn grant_source(
        &mut self,
        question: CheckpointId,
        of: &SourceQuestion,
        (texts, lasting): (&[String], bool),
    ) -> Decided {
        let wanted = |text: &String| {
            let rule = Rule::parse(text, Origin::SESSION).map_err(|f| Refusal::new(f.why))?;
            let allows = rule.effect == Effect::Allow && !of.tool.changed;
            if allows { Ok(rule.to_string()) } else { Err(Refusal::new("no rule can allow this")) }
        };
        let offered = self.under.policy.offer(&of.request, &self.state.setting());
        offered.map_err(|why| Refusal::new(format!("not by a rule: {why}")))?;
        let rules = texts.iter().map(wanted).collect::<Result<Vec<_>, _>>()?;
        let approval = self.allow(question, Answer::Grant { rules: texts.to_vec(), lasting });
        self.emit(Event::RulesGranted { rules, lasting, approval });
        self.start_approved(of.call, approval, None);
        Ok(())
    }
}

fn source_question(
    call: CallId,
    (source, known): (&str, &SourceTool),
    asked: &SourceCall,
    (request, ruling): (Request, Ruling),
) -> CallVerdict {
    let arguments = serde_json::Value::Object(asked.arguments.clone()).to_string();
    let shown = BlobId::of(format!("{source}\0{}\0{}\0{arguments}", known.name, known.hash).as_bytes());
    let message = format!("Call {} with {arguments}?", full_name(source, &known.name));
    let (source, tool) = (source.to_owned(), known.clone());
    let question = SourceQuestion { call, source, tool, arguments, shown, request, ruling };
    CallVerdict::ask(question, message)
}

impl Resolve for SourceQuestion {
    fn resolve(&self, draft: &mut Draft<'_>, given: Given<SourceAnswer>) -> Decided {
        let Given { question, answer, stored } = given;
        match answer {
            SourceAnswer::Allow => {
                let approval = draft.allow(question, stored);
                draft.start_approved(self.call, approval, None);
            }
            SourceAnswer::Grant { rules, lasting } => {
                return draft.grant_source(question, self, (&rules, lasting));
            }
            SourceAnswer::Deny => {
                let text = format!("the user does not allow this call of {}", self.source);
                draft.deny_call(question, self.call, stored, &text);
            }
        }
        Ok(())
    }

    fn stale(&self) -> &'static str {
        "what is asked changed since it was shown; look at it again"
    }
}

impl Resolve for FormQuestion {
    fn resolve(&self, draft: &mut Draft<'_>, given: Given<FormAnswer>) -> Decided {
        // Whoever waits for it reads the answer where it is stored.
        draft.close(given.question, Some(given.stored));
        Ok(())
    }
}

impl Resolve for ServerQuestion {
    fn resolve(&self, draft: &mut Draft<'_>, given: Given<ServerAnswer>) -> Decided {
        // Whoever starts it reads the answer where it is stored.
        match given.answer {
            ServerAnswer::Once | ServerAnswer::Always => drop(draft.allow(given.question, given.stored)),
            ServerAnswer::Never => draft.close(given.question, Some(given.stored)),
        }
        Ok(())
    }

    fn stale(&self) -> &'static str {
        "the server has changed since; look at it again"
    }
}
