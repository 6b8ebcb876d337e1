//! What the log file tells of a session: a line for each event that a bug report needs, inside the
//! spans of its run, turn and call.
//!
//! Owns which fields of an event are noted: ids, names of the program's own, counts and times. Never
//! notes a message, a reply, a path, a content or an argument.

use std::{
    collections::BTreeMap,
    fmt::{self, Debug, Display, Write},
};

use pilothouse_core::{
    event::{CallStatus, Event, Stamped},
    ids::{CallId, LaneId, Millis},
    intent::reading::turn_names,
    pipeline::StageEvent,
    sandbox::Backend,
    tool::Tool,
    work::WorkKey,
};
use tracing::{Span, info, info_span, warn};

/// The spans that are open, and when each call began.
pub(crate) struct EventTrace {
    session: Span,
    run: Option<Span>,
    turns: BTreeMap<LaneId, Span>,
    calls: BTreeMap<CallId, Call>,
}

/// A call that has not ended.
struct Call {
    span: Span,
    lane: LaneId,
    name: &'static str,
    began: Millis,
}

impl EventTrace {
    /// A session of this name.
    pub fn new(slug: &str) -> Self {
        let session = info_span!("session", slug);
        Self { session, run: None, turns: BTreeMap::new(), calls: BTreeMap::new() }
    }

    /// The span of the session.
    pub fn session(&self) -> Span {
        self.session.clone()
    }

    /// The span of a piece of work, inside that of its call.
    pub fn work(&self, key: WorkKey) -> Span {
        let call = if let WorkKey::Think(call) | WorkKey::Tool(call) | WorkKey::Hook(call) = key {
            self.calls.get(&call)
        } else {
            None
        };
        let parent = call.map_or(&self.session, |c| &c.span);
        info_span!(parent: parent, "work", ?key)
    }

    /// Notes an event that is on disk: each of these takes what is its own.
    pub fn note(&mut self, stamped: &Stamped) {
        let (event, at) = (&stamped.event, stamped.at);
        self.note_session(event);
        self.note_turn(event);
        self.note_run(event);
        self.note_model(event, at);
        self.note_tool(event, at);
        self.note_write(event);
    }

    fn note_session(&self, event: &Event) {
        let _inside = self.session.enter();
        if let Event::SessionOpened { mode, permission, sandbox, .. } = event {
            let backend = sandbox.as_ref().and_then(|s| s.backend).map(Backend::name);
            info!(?mode, ?permission, backend, "session created");
        } else if let Event::SessionReopened { interrupted, run, .. } = event {
            let run = run.map(|r| r.to_string());
            info!(interrupted = interrupted.len(), run, "session opened again");
        } else if let Event::CallLost { call, apply, .. } = event {
            warn!(?call, ?apply, "open when the last process ended");
        } else if let Event::TrustChanged { trust, gives, .. } = event {
            info!(?trust, variables = gives.len(), "trust of the folder");
        } else if let Event::HooksKnown { hooks } = event {
            info!(hooks = hooks.len(), "hooks in force");
        } else if let Event::ModeChanged { mode, .. } = event {
            info!(?mode, "mode changed");
        } else if let Event::PermissionChanged { permission, chat_only } = event {
            info!(?permission, chat_only, "permission changed");
        } else if let Event::PhaseChanged { from, to } = event {
            info!(?from, ?to, "phase changed");
        } else if let Event::ControlGiven { control } = event {
            info!(control = %Variant(control), "control given");
        }
    }

    fn note_turn(&mut self, event: &Event) {
        let _inside = self.session.enter();
        if let Event::TurnStarted { turn, .. } = event {
            info!(%turn, "message received");
        } else if let Event::IntentAsked { turn, vectors, model, .. } = event {
            info!(%turn, vectors, model, "later tiers asked");
        } else if let Event::IntentClassified { .. } = event {
            note_class(event);
        } else if let Event::TurnDropped { turn } = event {
            info!(%turn, "message dropped");
        } else if let Event::LaneOpened { lane, kind, turn, node, .. } = event {
            let parent = self.run.as_ref().unwrap_or(&self.session);
            let span = info_span!(parent: parent, "turn", %turn, %lane);
            info!(parent: &span, ?kind, ?node, "lane opened");
            self.turns.insert(*lane, span);
        } else if let Event::LaneClosed { lane } = event {
            info!(%lane, "lane closed");
            self.turns.remove(lane);
            self.calls.retain(|_, call| call.lane != *lane);
        } else if let Event::CheckpointOpened { checkpoint } = event {
            info!(question = %checkpoint.id, kind = %Variant(&checkpoint.kind), "question opened");
        } else if let Event::CheckpointResolved { checkpoint, answer, .. } = event {
            let answer = answer.as_ref().map(|a| Variant(a).to_string());
            info!(question = %checkpoint, answer, "question closed");
        }
    }

    fn note_run(&mut self, event: &Event) {
        if let Event::RunStarted { run, turn, .. } = event {
            let span = info_span!(parent: &self.session, "run", %run);
            info!(parent: &span, %turn, "run started");
            self.run = Some(span);
            return;
        }
        let span = self.run.clone().unwrap_or_else(|| self.session.clone());
        let _inside = span.enter();
        if let Event::RunCompleted { run, status, files, .. } = event {
            info!(%run, ?status, files = files.len(), "run ended");
            self.run = None;
        } else if let Event::TaskStarted { task, lane } = event {
            info!(%task, %lane, "task started");
        } else if let Event::TaskCompleted { task, took } = event {
            info!(%task, ms = took.0, "task completed");
        } else if let Event::TaskFailed { task, .. } = event {
            warn!(%task, "task failed");
        } else if let Event::GateStarted { gate, call } = event {
            info!(%gate, %call, "gate started");
        } else if let Event::GatePassed { gate, proof, .. } = event {
            info!(%gate, code = proof.exit.code, "gate passed");
        } else if let Event::GateFailed { gate, proof, .. } = event {
            warn!(%gate, code = proof.exit.code, "gate failed");
        } else if let Event::GateWentStale { gate } = event {
            info!(%gate, "gate is to run again: files changed since");
        } else if let Event::GateReset { gate, skipped, why, .. } = event {
            info!(%gate, skipped, unproven = why.is_some(), "gate left out or to run again");
        } else if let Event::GateChanged { gate, .. } = event {
            info!(%gate, "gate has another command");
        } else if let Event::RepairStarted { gate, lane, attempt, of, detour } = event {
            info!(%gate, %lane, attempt, of, detour, "repair started");
        } else if let Event::Staged { happened, .. } = event {
            note_stage(happened);
        }
    }

    fn note_model(&mut self, event: &Event, at: Millis) {
        if let Event::ThinkingStarted { call, lane } = event {
            let span = self.begin(*call, *lane, "model", at);
            info!(parent: &span, "model call started");
        } else if let Event::MessageCompleted { lane, call, calls, usage, finish, cut, .. } = event {
            let (span, _, ms) = self.end(*call, *lane, at);
            let (input, cached, output) = (usage.input, usage.cached, usage.output);
            let made = calls.len();
            info!(parent: &span, input, cached, output, ms, ?finish, cut, calls = made, "model call ended");
            for head in calls {
                let name = Tool::named(&head.name).map_or("unknown", Tool::name);
                self.begin(head.call, *lane, name, at);
            }
        } else if let Event::ThinkingFailed { call, lane, fault } = event {
            let (span, _, ms) = self.end(*call, *lane, at);
            warn!(parent: &span, fault = ?fault.kind, status = fault.status, ms, "model call failed");
        } else if let Event::CompactionStarted { call, again, held, .. } = event {
            info!(parent: &self.session, %call, again, waits = held.is_some(), "summary started");
        } else if let Event::Compacted { call, dropped, usage, .. } = event {
            let (input, output) = (usage.input, usage.output);
            let (before, after) = (dropped.before, dropped.after);
            info!(parent: &self.session, %call, input, output, before, after, "summary made");
        } else if let Event::CompactionFailed { call, fault } = event {
            warn!(parent: &self.session, %call, fault = ?fault.kind, status = fault.status, "no summary");
        } else if let Event::Titled { call, usage, .. } = event {
            let (input, output) = (usage.input, usage.output);
            info!(parent: &self.session, %call, input, output, "title made");
        } else if let Event::TitleFailed { call, fault } = event {
            warn!(parent: &self.session, %call, fault = ?fault.kind, status = fault.status, "no title");
        } else if let Event::HookStarted { call, .. } = event {
            let span = info_span!(parent: &self.session, "call", %call);
            info!(parent: &span, "hook started");
        } else if let Event::HookEnded { call, status, took, .. } = event {
            info!(parent: &self.session, %call, ?status, ms = took.0, "hook ended");
        }
    }

    fn note_tool(&mut self, event: &Event, at: Millis) {
        if let Event::CallMade { call, lane, tool, typed, .. } = event {
            let span = self.begin(*call, *lane, tool.name(), at);
            info!(parent: &span, tool = tool.name(), typed, "call made by the workbench");
        } else if let Event::CallStarted { call, lane, tool, confine, .. } = event {
            let span = self.begin(*call, *lane, tool.name(), at);
            let confine = confine.map(|c| Variant(c).to_string());
            info!(parent: &span, tool = tool.name(), confine, "tool call started");
        } else if let Event::CallHeld { call, lane, .. } = event {
            info!(parent: self.turn(*lane), %call, "tool call held by a rule");
        } else if let Event::CommandProposed { call, lane, risk, .. } = event {
            info!(parent: self.turn(*lane), %call, ?risk, "command judged");
        } else if let Event::CommandChanged { call, lane, brought, loses, shows, .. } = event {
            warn!(parent: self.turn(*lane), %call, brought, loses, shows, "command is not what was allowed");
        } else if let Event::CommandExited { call, exit, .. } = event {
            let span = self.calls.get(call).map_or(&self.session, |c| &c.span);
            let (code, signal, ms) = (exit.code, exit.signal, exit.took.0);
            info!(parent: span, %call, code, signal, timed_out = exit.timed_out, ms, "command ended");
        } else if let Event::CallEnded { call, lane, status, .. } = event {
            let (span, tool, ms) = self.end(*call, *lane, at);
            let refused = *status == CallStatus::Refused;
            if refused {
                warn!(parent: &span, tool, ms, "tool call refused");
            } else {
                info!(parent: &span, tool, ?status, ms, "tool call ended");
            }
        }
    }

    fn note_write(&self, event: &Event) {
        let _inside = self.session.enter();
        if let Event::ApplyStarted { apply, files } = event {
            info!(%apply, files = files.len(), "apply started");
        } else if let Event::Applied { apply } = event {
            info!(%apply, "apply ended");
        } else if let Event::ApplyFailed { apply, stale, .. } = event {
            warn!(%apply, stale, "apply failed");
        } else if let Event::RevertStarted { apply, redo, keep, .. } = event {
            info!(%apply, redo, keep, "undo started");
        } else if let Event::Reverted { apply, redo, already } = event {
            info!(%apply, redo, already, "undo ended");
        } else if let Event::RevertFailed { apply, redo, .. } = event {
            warn!(%apply, redo, "undo failed");
        } else if let Event::CommandWrote { apply, call, count, git, left, doubt, .. } = event {
            let (git, left, doubt) = (git.len(), left.len(), doubt.count);
            info!(%apply, %call, files = count, git, left, doubt, "command changed files");
        } else if let Event::CommitEnded { commit, made, .. } = event {
            info!(%commit, made = made.is_some(), "commit ended");
        }
    }

    fn turn(&self, lane: LaneId) -> &Span {
        self.turns.get(&lane).unwrap_or(&self.session)
    }

    fn begin(&mut self, call: CallId, lane: LaneId, name: &'static str, at: Millis) -> Span {
        let known = self.calls.remove(&call).map(|c| c.span);
        let span = known.unwrap_or_else(|| info_span!(parent: self.turn(lane), "call", %call));
        self.calls.insert(call, Call { span: span.clone(), lane, name, began: at });
        span
    }

    /// Closes a call: its span, its name, and how long it took.
    fn end(&mut self, call: CallId, lane: LaneId, at: Millis) -> (Span, &'static str, u64) {
        match self.calls.remove(&call) {
            Some(open) => (open.span, open.name, at.0.saturating_sub(open.began.0)),
            None => (info_span!(parent: self.turn(lane), "call", %call), "unknown", 0),
        }
    }
}

/// How a message was understood: of what turn, of which kind within it, each with how sure that is.
fn note_class(event: &Event) {
    let Event::IntentClassified {
        turn,
        class,
        path,
        confidence,
        sub_confidence,
        segments,
        source,
        forbids,
        ..
    } = event
    else {
        return;
    };
    let (class, sub) = (Variant(class), turn_names(class).1);
    let (confidence, tier) = (format_args!("{confidence:.2}"), source.name());
    let (sub_score, segments) = (sub_confidence.map(|s| format!("{s:.2}")), segments.unwrap_or(1));
    info!(%turn, %class, %path, %confidence, sub, sub_score, segments, tier, forbids, "message classified");
}

/// What happened to a pipeline: its stages by their number, what they cost, and whether one is done again.
fn note_stage(happened: &StageEvent) {
    match happened {
        StageEvent::Began(b) => {
            let (stages, depth, web) = (b.spec.stages.len(), b.depth.name(), b.web.is_some());
            info!(stages, depth, web, follows = b.previous.is_some(), "pipeline started");
        }
        StageEvent::StageStarted { stage, round: 0 } => info!(stage, "stage started"),
        StageEvent::StageStarted { stage, round } => info!(stage, round, "stage started again for repair"),
        StageEvent::StageCompleted { stage, skipped, again, lacks, spent, queries, .. } => {
            let (input, output, queries, lacks) =
                (spent.input, spent.output, queries.len(), !lacks.is_empty());
            info!(stage, skipped, again, lacks, queries, input, output, "stage ended");
        }
        StageEvent::Replied { stage, .. } => info!(stage, "stage has its reply"),
        StageEvent::Paused { stage } => info!(stage, "pipeline waits"),
        StageEvent::Resumed { feedback } => info!(changes = !feedback.is_empty(), "pipeline goes on"),
        StageEvent::Judging { turn, .. } => info!(%turn, "model asked whether a message leaves"),
        StageEvent::Judged { .. } => info!("model said whether a message leaves"),
        StageEvent::BreakoutPending { turn, source, .. } => info!(%turn, ?source, "asked whether to leave"),
        StageEvent::Breakout => info!("pipeline left"),
        StageEvent::Error { .. } => warn!("pipeline failed"),
        StageEvent::Interrupted { .. } => info!("pipeline set aside"),
        StageEvent::TakenUp => info!("pipeline taken up again"),
        StageEvent::Completed => info!("pipeline ended"),
    }
}

/// The name of an enum's variant without what it carries.
pub(crate) struct Variant<T>(pub T);

impl<T: Debug> Display for Variant<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut name = Name(String::new());
        // Stops at the first sign that is no letter: that is no failure.
        let _ = write!(name, "{:?}", self.0);
        f.write_str(&name.0)
    }
}

/// Takes letters until something else comes.
struct Name(String);

impl Write for Name {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let letters = text.chars().take_while(char::is_ascii_alphanumeric);
        let before = self.0.len();
        self.0.extend(letters);
        if self.0.len() - before == text.len() { Ok(()) } else { Err(fmt::Error) }
    }
}

#[cfg(test)]
mod tests {
    use pilothouse_core::{checkpoint::Answer, intent::Control};

    use super::*;

    #[test]
    fn a_variant_is_named_without_what_it_carries() {
        assert_eq!(Variant(Answer::Approve).to_string(), "Approve");
        assert_eq!(Variant(Answer::Text("secret words".to_owned())).to_string(), "Text");
        assert_eq!(Variant(&Control::Other("word".to_owned())).to_string(), "Other");
        assert_eq!(
            Variant(Answer::Grant { rules: vec!["x".to_owned()], lasting: true }).to_string(),
            "Grant"
        );
    }
}
