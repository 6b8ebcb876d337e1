//! Tool calls folded into the state: made, begun, held, ended.

use std::{collections::BTreeMap, sync::Arc};

use crate::{
    blob::BlobId,
    diff::Lines,
    event::{CallStatus, Event},
    ids::{CallId, LaneId, Seq},
    relpath::RelPath,
    sandbox::Confine,
    scope::ToolScope,
    session::{Deeds, Lane, LaneKind, OpenCall, State, Talk},
    tool::{FileCall, LeaveOf, Tool},
    work::SeenParts,
};

impl State {
    #[expect(clippy::wildcard_enum_match_arm, reason = "`fold` names every event; this takes its share")]
    pub(super) fn fold_call(&mut self, seq: Seq, event: &Event) {
        match event {
            Event::CallMade { call, lane, tool, args, typed } => {
                self.saw(call.0);
                let at = self.at;
                let Some(lane) = self.lanes.get_mut(lane) else { return };
                lane.calls.push(OpenCall { typed: *typed, ..OpenCall::made(*call, *tool, args, at) });
            }
            Event::CallStarted { call, lane, tool, args, epoch, approval, confine, .. } => {
                self.saw(call.0.max(approval.map_or(0, |a| a.0)));
                let (at, trust) = (self.at, self.trust);
                let run = self.open_call(*call).and_then(|(_, open)| open.run());
                let given = run.and_then(|run| self.given_to(run)).map(|given| given.of);
                let withheld = run.is_some_and(|run| self.withheld_from(run));
                let pin = self.pin(*call, approval.is_some());
                if confine.is_some_and(|c| c != Confine::READING) {
                    self.lanes.values_mut().for_each(|lane| lane.changed = true);
                }
                if let Some(open) = self.call_of(*lane, *call) {
                    open.tool = Some(*tool);
                    open.pin = pin;
                    open.hash = *args;
                    open.allowed = Some(*epoch);
                    (open.confine, open.given, open.withheld) = (*confine, given, withheld);
                    open.since = at;
                    open.leave_of = LeaveOf::of(approval.is_some() || open.typed, trust.holds());
                    let asked = approval.is_some() || open.typed;
                    if let Some(run) = open.run().cloned() {
                        self.unreviewed.began(&run.command, &run.folder, asked);
                    }
                }
            }
            Event::CallHeld { call, lane, .. } => {
                if let Some(open) = self.call_of(*lane, *call) {
                    open.allowed = None;
                }
            }
            Event::CallEnded { .. } => self.call_ended(seq, event),
            Event::SourceSeen { source, tools, gone } => {
                Arc::make_mut(&mut self.sources).saw(source, tools, gone);
            }
            Event::CallLost { apply: Some(apply), .. } => Arc::make_mut(&mut self.changes).lost(*apply),
            _ => {}
        }
    }

    /// A call is over: what its lane did by it, what it was told, what it saw.
    fn call_ended(&mut self, seq: Seq, event: &Event) {
        let Event::CallEnded { call, lane, status, summary, seen, parts, answer, ruling, .. } = event else {
            return;
        };
        if *status == CallStatus::Interrupted
            && let Some(lane) =
                self.lanes.get(lane).filter(|l| l.head().is_some_and(|c| c.call == *call)).cloned()
        {
            self.leaves_running(&lane);
        }
        let Some(lane) = self.lanes.get_mut(lane) else { return };
        if let Some((open, answer)) = lane.calls.iter().find(|c| c.call == *call).zip(*answer) {
            lane.repeats.note(open, answer, lane.rounds);
        }
        let widens = |c: &OpenCall| c.call == *call && c.tool == Some(Tool::RequestPath);
        if let Some(run) = self.run.as_mut().filter(|r| r.turn == lane.turn && lane.calls.iter().any(widens))
        {
            run.refused = *status == CallStatus::Refused;
        }
        let calls = |c: &OpenCall| c.call == *call && c.source_call().is_some();
        if let Some(run) = self
            .run
            .as_mut()
            .filter(|r| r.turn == lane.turn && *status == CallStatus::Done && lane.calls.iter().any(calls))
        {
            run.called += 1;
        }
        weigh(lane, *call, (*status, summary, ruling.is_some()));
        lane.calls.retain(|c| c.call != *call);
        lane.talk.push(Talk::Result(seq));
        saw(&mut lane.seen, &mut lane.parts, seen, parts);
        if !self.transcript.is_beside(lane.id) {
            saw(&mut self.seen, &mut self.parts, seen, parts);
        }
        if lane.kind == LaneKind::Goal
            && lane.rounds == 0
            && let Some(turn) = self.turns.get_mut(&lane.turn).map(Arc::make_mut)
        {
            turn.output = Some(seq);
        }
    }

    /// What the source's tool is that a call begins with, by hash; an answer accepts it as it is.
    fn pin(&mut self, call: CallId, asked: bool) -> Option<BlobId> {
        let (_, open) = self.open_call(call)?;
        let (source, tool) = open.source_call()?.parts()?;
        let (source, tool) = (source.to_owned(), tool.to_owned());
        if asked {
            Arc::make_mut(&mut self.sources).accept(&source, &tool);
        }
        self.sources.get(&source, &tool).map(|t| t.hash)
    }

    fn call_of(&mut self, lane: LaneId, call: CallId) -> Option<&mut OpenCall> {
        self.lanes.get_mut(&lane)?.calls.iter_mut().find(|c| c.call == call)
    }
}

/// What the end of a call says of its lane: what it did of what changes or runs something, and which change came to nothing.
fn weigh(lane: &mut Lane, call: CallId, (status, summary, ruled): (CallStatus, &str, bool)) {
    let acts = |c: &OpenCall| {
        c.call == call && c.tool.is_some_and(|t| t.needs().is_some_and(|n| !ToolScope::READ_ONLY.allows(n)))
    };
    let proposes = |c: &OpenCall| c.call == call && c.tool.is_some_and(Tool::proposes);
    // What was to propose a change and failed proposed none; what did not fit or was only put off was neither done
    // nor denied.
    let undone = match status {
        CallStatus::Failed => {
            lane.calls.iter().any(|c| proposes(c) || (c.call == call && c.allowed.is_none()))
        }
        CallStatus::Refused => !ruled && (lane.missed.now || lane.unread) && !lane.calls.iter().any(proposes),
        CallStatus::Done | CallStatus::Interrupted => false,
    };
    lane.deeds = match (lane.calls.iter().any(acts), status) {
        _ if undone => lane.deeds,
        (true, CallStatus::Done | CallStatus::Failed) => Deeds::Done,
        (true, CallStatus::Refused) if lane.deeds == Deeds::None => Deeds::Refused,
        (true, CallStatus::Refused | CallStatus::Interrupted) | (false, _) => lane.deeds,
    };
    if let Some(open) = lane.calls.iter().find(|c| proposes(c)) {
        let path = open.file().and_then(FileCall::path).and_then(|path| RelPath::new(path).ok());
        match (status, path) {
            (CallStatus::Done, Some(path)) => lane.missed.made(&path, lane.first),
            (CallStatus::Done, None) => {}
            // What the user does not want is not asked for again.
            (CallStatus::Failed, path) => lane.missed.failed(path, summary, lane.first),
            (CallStatus::Refused | CallStatus::Interrupted, _) => lane.missed.now = true,
        }
    }
}

/// What was seen whole needs no parts; parts of a content hold until it is another.
fn saw(
    known: &mut BTreeMap<RelPath, BlobId>,
    known_parts: &mut SeenParts,
    seen: &[(RelPath, BlobId)],
    parts: &[(RelPath, BlobId, Lines)],
) {
    for (path, of) in seen {
        known.insert(path.clone(), *of);
        known_parts.remove(path);
    }
    for (path, of, lines) in parts {
        let part = known_parts.entry(path.clone()).or_insert_with(|| (*of, Vec::new()));
        if part.0 != *of {
            *part = (*of, Vec::new());
        }
        part.1.push(*lines);
    }
}
