//! Sub-agents: lanes that only read, started by a call of another lane and ended with it.
//!
//! Owns how many there may be, when one has had enough, and what its report comes to. What one may call is
//! judged where every call is.

use super::{
    Draft,
    lane::ReplyEnd,
    terms::{CallStart, LaneOpening},
    verdict::CallVerdict,
};
use crate::{
    event::{CallStatus, Event},
    ids::{CallId, LaneId, TurnId},
    money::count,
    scope::{Capability, ToolScope},
    session::{AgentBounds, Lane, LaneKind},
    talk::{ModelReply, Usage},
    tool::{Delegate, Tool},
};

/// Most bytes of a report.
const REPORT_BYTES: usize = 3_000;
/// Told to a sub-agent before its last call.
const LAST_CALL: &str =
    "This is your last model call: report now what you found and what is left open, without further calls.";

/// What a sub-agent is told of a tool that does more than read.
pub(super) fn refused_to_child(tool: Tool) -> CallVerdict {
    let instead = if tool == Tool::Delegate {
        "starts no sub-agents: look into it yourself, or say in your report what is left"
    } else if tool == Tool::AskUser {
        "asks nobody: say in your report what you would ask"
    } else {
        "only lists, reads and searches: say in your report what should be done"
    };
    CallVerdict::refuse(format!("{} is not allowed: a sub-agent {instead}", tool.name()))
}

impl Draft<'_> {
    pub(super) fn is_child(&self, lane: LaneId) -> bool {
        self.state.lanes.get(&lane).is_some_and(|l| l.kind.parent().is_some())
    }

    /// Whether a lane may hand these tasks on.
    pub(super) fn judge_delegate(&self, lane: &Lane, delegate: &Delegate) -> CallVerdict {
        let AgentBounds { most, .. } = self.under.bounds.agents;
        let (asked, left) = (delegate.tasks.len(), most.saturating_sub(lane.children));
        if asked == 0 {
            return CallVerdict::End(
                CallStatus::Failed,
                "give at least one task, which says what is to be found out".to_owned(),
            );
        }
        if !lane.offer().allows(Capability::Read) {
            return CallVerdict::refuse(
                "sub-agents read, and this turn may not: answer from what stands above",
            );
        }
        if asked > left {
            return CallVerdict::refuse(format!(
                "that is {asked} sub-agents, and {left} more may be started here ({most} in all): join tasks, or look into it yourself"
            ));
        }
        if let Some(kind) = delegate.tasks.iter().find_map(|t| self.unknown_kind(&t.kind)) {
            return CallVerdict::End(CallStatus::Failed, kind);
        }
        match self.spent(lane.handed) {
            Some(why) => {
                CallVerdict::refuse(format!("no more sub-agents here: {why}; look into it yourself"))
            }
            None => CallVerdict::Delegate,
        }
    }

    /// Why sub-agents that cost this have had enough, if they have.
    fn spent(&self, usage: Usage) -> Option<String> {
        let cap = self.under.bounds.agents.cost_micros;
        let dollars = |micros: u64| format!("${}.{:02}", micros / 1_000_000, micros % 1_000_000 / 10_000);
        let cost = usage.cost_micros.filter(|cost| *cost >= cap)?;
        Some(format!("they cost {} of {} together", dollars(cost), dollars(cap)))
    }

    /// Starts what a call hands on.
    pub(super) fn delegate(&mut self, call: CallId) {
        self.begin_call(call, Tool::Delegate, CallStart::default());
        self.start_children(call);
    }

    /// Starts the next of a call's sub-agents, as many as may work at the same time.
    fn start_children(&mut self, call: CallId) {
        let at_once = self.under.bounds.agents.at_once.max(1);
        loop {
            let Some((parent, open)) = self.state.open_call(call) else { return };
            let running = open.children.iter().filter(|c| c.report.is_none()).count();
            let task = open.delegate().and_then(|d| d.tasks.get(open.children.len())).cloned();
            let Some(task) = task.filter(|_| running < at_once) else { return };
            let (parent, turn) = (parent.id, parent.turn);
            let child = self.open_lane(LaneOpening::of(LaneKind::Child(parent), turn));
            let agent = self.child_agent(&task.kind);
            let (work, task) = (task.kind.work(), self.excerpt(task.task));
            self.emit(Event::ChildStarted { lane: child, call, work, task, agent });
            self.think_at(child, work.node(), None);
        }
    }

    /// What a sub-agent's parent may at most: it never may more.
    pub(super) fn reach_of_parent(&self, kind: LaneKind) -> ToolScope {
        let parent = kind.parent().and_then(|id| self.state.lanes.get(&id));
        parent.map_or(ToolScope::READ_ONLY, |p| p.offer().and(ToolScope::READ_ONLY))
    }

    /// Whether a lane may ask its model once more: a sub-agent has a number of calls, and is told of the last.
    pub(super) fn child_may_think(&mut self, lane: LaneId) -> bool {
        let Some(rounds) = self.state.lanes.get(&lane).filter(|_| self.is_child(lane)).map(|l| l.rounds)
        else {
            return true;
        };
        let most = self.under.bounds.agents.calls.max(1);
        if rounds >= most {
            self.end_child(
                lane,
                &format!("Stopped after {}, its cap, without a report.", count(most, "call")),
                false,
            );
            return false;
        }
        if rounds + 1 == most && rounds > 0 {
            self.emit(Event::LaneNudged { lane, text: LAST_CALL.to_owned(), answer: false });
        }
        true
    }

    /// A sub-agent's model replied: it goes on, or this is its report.
    pub(super) fn child_replied(&mut self, (turn, lane): (TurnId, LaneId), call: CallId, reply: ModelReply) {
        let (text, wants, cost) = (reply.text.clone(), !reply.calls.is_empty(), reply.usage);
        let stop = self.had_enough(lane, cost).filter(|_| wants);
        let calls = if stop.is_some() { Vec::new() } else { reply.calls.clone() };
        self.message((turn, lane), call, ModelReply { calls, ..reply }, ReplyEnd::GoesOn);
        match stop {
            Some(why) => self.end_child(lane, &format!("{why}\n{text}"), false),
            None if wants => self.advance(lane),
            None if text.trim().is_empty() => self.end_child(lane, "It said nothing.", false),
            None => self.end_child(lane, &text, true),
        }
    }

    /// Why a sub-agent may not go on after a reply that cost this, if it may not.
    fn had_enough(&self, lane: LaneId, cost: Usage) -> Option<String> {
        let l = self.state.lanes.get(&lane)?;
        let most = self.under.bounds.agents.calls.max(1);
        if l.rounds >= most {
            return Some(format!(
                "Stopped after {}, its cap, before it was done. Its last words:",
                count(most, "call")
            ));
        }
        let mut all = l.kind.parent().and_then(|id| self.state.lanes.get(&id)).map(|p| p.handed)?;
        all.add(&cost);
        self.spent(all).map(|why| format!("Stopped before it was done: {why}. Its last words:"))
    }

    /// A sub-agent ends with what it has to say; its call ends with the last one.
    pub(super) fn end_child(&mut self, lane: LaneId, report: &str, done: bool) {
        let calls = self.state.lanes.values().flat_map(|l| l.calls.iter().map(|c| (l.id, c)));
        let mut of = calls.filter(|(_, c)| c.children.iter().any(|k| k.lane == lane));
        let of = of.next().map(|(parent, open)| (parent, open.call));
        let report = short(report.trim());
        let call = of.map_or(CallId(0), |(_, call)| call);
        self.emit(Event::ChildEnded { lane, call, report, done });
        self.emit(Event::LaneClosed { lane });
        let Some((parent, call)) = of else { return };
        self.start_children(call);
        let Some((_, open)) = self.state.open_call(call) else { return };
        if open.children.iter().all(|c| c.report.is_some()) {
            let text = reports(open);
            self.end_call(parent, call, CallStatus::Done, &text);
            self.advance(parent);
        }
    }

    /// Sub-agents whose call was stopped, or whose parent is gone, end with it.
    pub(super) fn end_children_of_gone_calls(&mut self) {
        let asked = |lane: LaneId| {
            let calls = self.state.lanes.values().flat_map(|l| &l.calls);
            calls.flat_map(|c| &c.children).any(|c| c.lane == lane)
        };
        let children = self.state.lanes.values().filter(|l| l.kind.parent().is_some()).map(|l| l.id);
        for lane in children.filter(|lane| !asked(*lane)).collect::<Vec<_>>() {
            self.end_child(lane, "Stopped with the work that it was for.", false);
        }
    }
}

/// What a call is answered whose sub-agents have all reported.
fn reports(open: &crate::session::OpenCall) -> String {
    let tasks = open.delegate().map(|d| d.tasks.as_slice()).unwrap_or_default();
    let done = open.children.iter().filter(|c| c.done).count();
    let mut text = count(done, "report");
    if let left @ 1.. = open.children.len() - done {
        text.push_str(&format!("; {} did not finish", count(left, "sub-agent")));
    }
    for (n, (child, task)) in open.children.iter().zip(tasks).enumerate() {
        let (kind, said) = (task.kind.name(), child.report.as_deref().unwrap_or_default());
        let about: String = task.task.lines().next().unwrap_or_default().chars().take(100).collect();
        text.push_str(&format!("\n\n{}. {kind}: {about}\n{said}", n + 1));
    }
    text
}

/// A report as far as it is kept.
fn short(report: &str) -> String {
    if report.len() <= REPORT_BYTES {
        return report.to_owned();
    }
    let kept = report.get(..report.floor_char_boundary(REPORT_BYTES)).unwrap_or_default();
    format!("{kept}\n[… the rest of a long report is left out]")
}
