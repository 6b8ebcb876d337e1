//! Replies and calls, from their beginning over what streams to their end.

use std::collections::VecDeque;

use pilothouse_core::{
    blob::{BlobId, Excerpt},
    digest,
    event::{CallStatus, Event, Stamped},
    fact,
    goal::PlannerReply,
    ids::{CallId, LaneId, Millis, TaskId},
    policy::{Request, Ruling},
    session::{LaneKind, PRINTED, needless_alone},
    talk::{Delta, DeltaKind},
    tool::Tool,
};

use super::{Log, Mark};
use crate::{
    markdown::Markdown,
    overlay::Output,
    pane::conversation::entry::{Body, Call, CallState, Entry, Kind, Reply, Sections, Text},
};

/// Lines of a command's output that are kept while it runs.
const TAIL_KEPT: usize = 200;
/// Lines of it that stay in view at its end: of the user's own and of one that failed, and of the agent's that passed.
const PEEK_LINES: usize = 20;
const PEEK_PASSED: usize = 5;
/// A result of more lines or bytes is read on a page of its own.
const UNFOLDED_LINES: u64 = 400;
const UNFOLDED_BYTES: u64 = 48 * 1024;

impl Log {
    pub(super) fn thinking(&mut self, at: Millis, call: CallId, lane: LaneId) {
        // An answer that was let write has a run of its own, and is not beside it.
        let answers = self.lanes.get(&lane).filter(|(kind, _)| *kind == LaneKind::Answer);
        let beside = self.running.zip(answers).is_some_and(|(run, (_, turn))| run != *turn);
        // Right below its heading it needs no name.
        let below = matches!(self.entries.back().map(|e| &e.body), Some(Body::Task { .. }));
        let headed = below && self.task_of(lane) == self.heading();
        let reply = Reply {
            running: true,
            beside,
            step: self.step_beside(lane).filter(|_| !headed),
            since: at,
            ..Reply::default()
        };
        let key = self.add(at, Kind::Reply, Body::Reply(Box::new(reply)));
        self.calls.insert(call, key);
        self.thought = true;
    }

    /// The number of a lane's step, where others are at work as well, or what is told stands below the heading of another.
    fn step_beside(&self, lane: LaneId) -> Option<usize> {
        let own = self.task_of(lane)?;
        let several = self.lanes.keys().filter_map(|lane| self.task_of(*lane)).nth(1).is_some();
        self.number_of(own).filter(|_| several || self.heading().is_some_and(|head| head != own))
    }

    /// The step that a lane works on.
    fn task_of(&self, lane: LaneId) -> Option<TaskId> {
        if let LaneKind::Task(task) = self.kind(lane)? { Some(task) } else { None }
    }

    /// Which of the steps of the plan one is.
    pub(super) fn number_of(&self, task: TaskId) -> Option<usize> {
        self.plan.as_ref().map(|p| p.number(task)).filter(|n| *n > 0)
    }

    /// The step below whose heading stands what is told now.
    pub(super) fn heading(&self) -> Option<TaskId> {
        self.entries
            .iter()
            .rev()
            .find_map(|e| if let Body::Task { task, .. } = e.body { Some(task) } else { None })
    }

    /// Notes whose call it is, where several steps are at work.
    pub(super) fn of_step(&mut self, call: CallId, lane: LaneId) {
        let step = self.step_beside(lane);
        if let Some((c, _)) = self.known(call) {
            c.step = c.step.or(step);
        }
    }

    /// The entry of a call that has not ended, and whether it is to be drawn anew.
    pub(super) fn known(&mut self, call: CallId) -> Option<(&mut Call, &mut bool)> {
        let key = self.calls.get(&call).copied()?;
        let Entry { body: Body::Call(c), dirty, .. } = self.get_mut(key)? else { return None };
        Some((c.as_mut(), dirty))
    }

    /// Tells a notice that nobody asked for.
    pub(super) fn warn(&mut self, at: Millis, text: &str) {
        self.notices.insert(self.end());
        self.mark(at, Mark::Warn, text);
    }

    /// A reply that has said nothing yet goes below the notices that came meanwhile: what is told first is read first.
    fn go_below_notices(&mut self, call: CallId) {
        let Some(key) = self.calls.get(&call).copied() else { return };
        let (next, end) = (key + 1, self.end());
        if next == end || !(next..end).all(|k| self.notices.contains(&k)) {
            return;
        }
        let Some(Entry { at, kind, body, .. }) = self.get_mut(key) else { return };
        if !matches!(body, Body::Reply(r) if r.md.source().is_empty() && r.thinking.is_empty()) {
            return;
        }
        let (at, kind, body) = (*at, *kind, std::mem::replace(body, Body::Gone));
        self.gone(key);
        let key = self.add(at, kind, body);
        self.calls.insert(call, key);
    }

    /// No more comes of a reply: it broke off by itself, or the user stopped it.
    pub(super) fn drop_reply(&mut self, call: CallId, broke: bool) {
        let Some(key) = self.calls.remove(&call) else { return };
        if let Some(entry) = self.get_mut(key) {
            let mut keep = true;
            if let Body::Reply(r) = &mut entry.body {
                keep = r.cut || !r.md.source().is_empty();
                (r.running, r.cut, r.broke) = (false, true, broke);
            }
            entry.dirty = true;
            if !keep {
                self.gone(key);
            }
        }
    }

    /// A lane ended: whatever its model had begun streams no more. What it had said by then stays, and the
    /// end of the cut reply still finds it.
    pub(super) fn stop_reply(&mut self, lane: LaneId) {
        let Some(call) = self.asking.remove(&lane) else { return };
        let Some(key) = self.calls.get(&call).copied() else { return };
        let Some(Entry { body: Body::Reply(r), dirty, .. }) = self.get_mut(key) else { return };
        *dirty = true;
        (r.running, r.cut) = (false, true);
        if r.md.source().is_empty() {
            self.calls.remove(&call);
            self.gone(key);
        }
    }

    /// What a line of work that is over had called and nobody tells the end of, waits and works no more.
    pub(super) fn stop_calls(&mut self, lane: LaneId) {
        let left: Vec<CallId> = self.callers.extract_if(|_, of| *of == lane).map(|(call, _)| call).collect();
        for call in left {
            let known = self.calls.remove(&call);
            if let Some(Entry { body: Body::Call(c), dirty, .. }) = known.and_then(|k| self.get_mut(k)) {
                // It ran, for how long nobody knows.
                c.took = (c.state == CallState::Running).then_some(0);
                (c.state, c.summary, *dirty) =
                    (CallState::Ended(CallStatus::Interrupted), "stopped".to_owned(), true);
            }
        }
    }

    pub(super) fn gone(&mut self, key: i64) {
        if let Some(entry) = self.get_mut(key) {
            (entry.body, entry.kind, entry.dirty) = (Body::Gone, Kind::Gone, true);
        }
        self.recompute_spacing(key + 1);
    }

    /// Whether a reply only says that its step needs no change: it is told with the step's end. One that changed something
    /// is not taken at that word.
    fn is_needless(&mut self, lane: LaneId, text: &Excerpt) -> bool {
        let Some(LaneKind::Task(task)) = self.kind(lane) else { return false };
        if self.begun.steps.contains(&task) {
            return false;
        }
        let why = text.whole().and_then(needless_alone);
        why.map(|why| self.needless.insert(task, why)).is_some()
    }

    /// The entry of a reply that is there; why one was cut is told by what follows, which finds it still.
    fn settled(&mut self, call: CallId, cut: bool) -> Option<i64> {
        if cut { self.calls.get(&call).copied() } else { self.calls.remove(&call) }
    }

    pub(super) fn completed(&mut self, stamped: &Stamped) {
        let Event::MessageCompleted { lane, call, text, reasoning, calls, cut, intermediate, usage, .. } =
            &stamped.event
        else {
            return;
        };
        let goal = self.kind(*lane) == Some(LaneKind::Goal) && calls.is_empty();
        for c in calls {
            self.names.insert(c.call, (c.name.clone(), c.read.subject().to_owned()));
            self.callers.insert(c.call, *lane);
        }
        if !self.calls.contains_key(call) {
            self.thinking(stamped.at, *call, *lane);
        }
        self.go_below_notices(*call);
        let Some(key) = self.settled(*call, *cut) else { return };
        if *intermediate && self.is_stage(*lane) {
            return self.thought_stage(key, &Text::of(text), usage);
        }
        let blank = text.bytes == 0 && reasoning.bytes == 0 && !cut;
        if blank || calls.is_empty() && self.is_needless(*lane, text) {
            return self.gone(key);
        }
        let marks = self.marks.remove(call).unwrap_or_default();
        if text.whole().is_none() {
            // Its end is told apart: only a part of it is shown here.
            for mark in &marks {
                self.mark(stamped.at, Mark::Warn, &format!("line {}, not proven: {}", mark.line, mark.why));
            }
        }
        let answers = self.is_stage(*lane);
        let Some(Entry { body: Body::Reply(r), dirty, .. }) = self.get_mut(key) else { return };
        *dirty = true;
        if answers {
            let text = Text::of(text);
            (r.running, r.blob, r.sections) = (false, text.blob, Some(Sections::of(&text.shown)));
            self.stages.answer = Some(key);
            return;
        }
        (r.running, r.cut) = (false, *cut);
        r.note.clear();
        r.thinking = Text::of(reasoning).shown;
        match text.whole() {
            // What a model writes as JSON for want of calls is shown as the call that it means.
            Some(whole) if goal && *intermediate => {
                let spoken = PlannerReply::spoken(whole);
                if spoken.is_empty() {
                    return self.gone(key);
                }
                r.md.settle(spoken);
            }
            Some(whole) if marks.is_empty() => r.md.settle(whole),
            Some(whole) => r.md.settle(&fact::marked(whole, &marks)),
            None if !r.gap && r.streamed == text.bytes => {
                let whole = r.md.source().to_owned();
                r.md.settle(&whole);
            }
            None => {
                let text = Text::of(text);
                r.blob = text.blob;
                r.md = Markdown::of(&text.shown);
            }
        }
    }

    pub(super) fn call(
        &mut self,
        at: Millis,
        call: CallId,
        tool: Option<Tool>,
        subject: &str,
        state: CallState,
    ) {
        let body = Call {
            tool,
            name: self.names.get(&call).map(|(name, _)| name.clone()).unwrap_or_default(),
            subject: subject.to_owned(),
            state,
            since: at,
            typed: self.typed.contains(&call),
            ..Call::default()
        };
        let key = self.add(at, Kind::Work, Body::Call(Box::new(body)));
        self.calls.insert(call, key);
    }

    /// A command is judged: for the first time, or again as the user changed it.
    pub(super) fn proposed(&mut self, at: Millis, call: CallId, command: &str) {
        if let Some((c, dirty)) = self.known(call) {
            // Judged again as it was, because of a rule or of trust, it is nobody's change.
            c.changed |= c.subject != command;
            command.clone_into(&mut c.subject);
            (c.state, *dirty) = (CallState::Asked, true);
        } else {
            self.call(at, call, Some(Tool::Run), command, CallState::Asked);
        }
    }

    /// What the rules were asked about a command, and what they said.
    pub(super) fn ruled(&mut self, call: CallId, request: Request, ruling: Option<&Ruling>) {
        if let Some((c, _)) = self.known(call) {
            (c.request, c.ruling) = (Some(request), ruling.cloned());
        }
    }

    pub(super) fn started(&mut self, stamped: &Stamped) {
        let Event::CallStarted { call, lane, tool, subject, .. } = &stamped.event else { return };
        if let Some((c, dirty)) = self.known(*call) {
            (c.state, c.since, *dirty) = (CallState::Running, stamped.at, true);
        } else {
            self.call(stamped.at, *call, Some(*tool), subject, CallState::Running);
        }
        self.of_stage(*call, *lane);
        self.of_step(*call, *lane);
    }

    /// A call that had begun waits for an answer of the user.
    pub(super) fn holds(&mut self, call: CallId) {
        if let Some((c, dirty)) = self.known(call) {
            (c.state, *dirty) = (CallState::Asked, true);
        }
    }

    pub(super) fn ended(&mut self, stamped: &Stamped) {
        let Event::CallEnded { call, lane, status, summary, result, notes, ruling, .. } = &stamped.event
        else {
            return;
        };
        let name = self.names.remove(call);
        self.callers.remove(call);
        if !self.calls.contains_key(call) {
            let Some((name, subject)) = name else {
                self.orphans.push(stamped.clone());
                return;
            };
            self.names.insert(*call, (name.clone(), String::new()));
            self.call(stamped.at, *call, Tool::named(&name), &subject, CallState::Asked);
            self.names.remove(call);
        }
        self.of_stage(*call, *lane);
        self.of_step(*call, *lane);
        let Some(key) = self.calls.remove(call) else { return };
        let typed = self.typed.remove(call);
        // What a gate wrote is told by its own line, and by the question about it.
        let gate = self.kind(*lane).and_then(LaneKind::gate);
        self.gate_calls.extend(gate.map(|gate| (gate, key)));
        let gate = gate.is_some();
        let Some(Entry { body: Body::Call(c), dirty, .. }) = self.get_mut(key) else { return };
        let ran = c.state == CallState::Running;
        let quiet = c.tool.is_some_and(Tool::speaks_to_session);
        let cut_off = ran && c.tool == Some(Tool::Run) && *status == CallStatus::Interrupted;
        let printed = cut_off && result.head.contains(PRINTED);
        c.took = ran.then(|| stamped.at.0.saturating_sub(c.since.0));
        c.state = CallState::Ended(*status);
        let drafted = c.tool.is_some_and(Tool::proposes) && !c.summary.is_empty();
        if !(drafted && *status == CallStatus::Done) {
            c.summary.clone_from(summary);
        }
        if ruling.is_some() {
            c.ruling.clone_from(ruling);
        }
        keep(c, result, cut_off);
        for note in notes.iter().rev().map(|note| note.user.as_str()).filter(|note| !note.is_empty()) {
            c.result.shown = format!("{note}\n{}", c.result.shown);
        }
        // What did not begin printed nothing: why not stands in its row.
        c.peek = match (c.tool, status) {
            _ if !ran => 0,
            (Some(Tool::Run), CallStatus::Done) if !typed && !gate => PEEK_PASSED,
            (Some(Tool::Run), CallStatus::Done | CallStatus::Failed) if !gate => PEEK_LINES,
            // What it had printed when it was stopped is often what was waited for.
            _ if printed && !gate => PEEK_LINES,
            _ => 0,
        };
        *dirty = true;
        let line = c.line().map(str::to_owned);
        // What sub-agents found stays to be looked at.
        let quiet = quiet && c.children.is_empty();
        self.last_run = line.or(self.last_run.take());
        self.cut_off |= cut_off;
        if quiet && *status == CallStatus::Done {
            self.gone(key);
        }
    }

    /// A command ended, and all that it wrote is in the store.
    pub(super) fn exited(&mut self, call: CallId, output: Option<BlobId>) {
        if let Some((c, _)) = self.known(call) {
            c.stored = output;
        }
    }

    /// The page with all of what a call wrote, where that is too long to stand here.
    pub(in crate::pane::conversation) fn page(&self, key: i64) -> Option<Output> {
        let Some(Entry { body: Body::Call(c), .. }) = self.get(key) else { return None };
        if !c.is_long() {
            return None;
        }
        let running = || self.calls.iter().find(|(_, of)| **of == key).map(|(call, _)| *call);
        if c.state == CallState::Running {
            let tail = c.tail.iter().map(|(_, line)| line.clone());
            return Some(Output::running(&c.subject, running()?, tail));
        }
        c.stored.map(|text| Output::stored(&c.subject, text))
    }

    /// Takes a piece of something that runs, in constant time in what is there already; which entry has more rows by it.
    pub(in crate::pane::conversation) fn delta(&mut self, delta: &Delta) -> Option<i64> {
        if delta.kind == DeltaKind::Text {
            self.go_below_notices(delta.call);
        }
        let key = self.calls.get(&delta.call).copied()?;
        let entry = self.get_mut(key)?;
        entry.dirty = true;
        match (&mut entry.body, delta.kind) {
            (Body::Reply(r), DeltaKind::Text) => {
                r.note.clear();
                r.gap |= delta.offset > r.streamed;
                let known = usize::try_from(r.streamed.saturating_sub(delta.offset)).unwrap_or(usize::MAX);
                let fresh = delta.text.get(known.min(delta.text.len())..).unwrap_or_default();
                r.md.push(fresh);
                r.streamed = r.streamed.max(delta.offset + delta.text.len() as u64);
            }
            (Body::Reply(r), DeltaKind::Reasoning) => r.thinking.push_str(&delta.text),
            (Body::Reply(r), DeltaKind::Call) => {
                r.note.clone_from(&delta.text);
                let (before, now) = r.called;
                // Fewer bytes than before: another call begins.
                let before = if delta.offset < now { before + now } else { before };
                r.called = (before, delta.offset);
            }
            (Body::Reply(r), DeltaKind::Written) => r.counted = delta.offset,
            (Body::Reply(r), DeltaKind::Notice) => r.begin_again(&delta.text, None),
            (Body::Reply(r), DeltaKind::Wait) => r.begin_again(&delta.text, Some(Millis(delta.offset))),
            (Body::Call(c), DeltaKind::Stdout | DeltaKind::Stderr) => {
                let stderr = delta.kind == DeltaKind::Stderr;
                output(&mut c.tail, stderr, &delta.text);
            }
            (Body::Call(c), DeltaKind::Notice) => c.summary.clone_from(&delta.text),
            (
                Body::Call(_),
                DeltaKind::Text
                | DeltaKind::Reasoning
                | DeltaKind::Call
                | DeltaKind::Written
                | DeltaKind::Wait,
            ) => {}
            (Body::Reply(_), DeltaKind::Stdout | DeltaKind::Stderr) => {}
            (Body::Said(_) | Body::Facts(_) | Body::Task { .. } | Body::Plan(_), _) => {}
            (Body::Question(_) | Body::Waits(..) | Body::Gone, _) => {}
        }
        matches!(delta.kind, DeltaKind::Text | DeltaKind::Stdout | DeltaKind::Stderr).then_some(key)
    }
}

/// Keeps what a call gave, and whether that is for a page of its own.
fn keep(c: &mut Call, result: &Excerpt, cut_off: bool) {
    c.result = Text::of(result);
    c.stored = c.stored.or(c.result.blob);
    // A result that names what was stored is not all of it.
    let part = c.stored.is_some_and(|of| result.head.contains(&of.output_name()));
    c.long = part || result.lines > UNFOLDED_LINES || result.bytes > UNFOLDED_BYTES;
    if c.tool == Some(Tool::Run) {
        c.result.shown = of_a_command(&c.result.shown, cut_off).to_owned();
    }
}

/// Adds output line by line; what stays open goes on with the next piece of the same stream.
fn output(tail: &mut VecDeque<(bool, String)>, stderr: bool, text: &str) {
    for part in text.split_inclusive('\n') {
        match tail.back_mut().filter(|(e, l)| *e == stderr && !l.ends_with('\n')) {
            Some((_, line)) if line.len() < 4_096 => line.push_str(part),
            Some((_, line)) => {
                if part.ends_with('\n') {
                    line.push('\n');
                }
            }
            None => tail.push_back((stderr, part.to_owned())),
        }
        if tail.len() > TAIL_KEPT {
            tail.pop_front();
        }
    }
}

/// What is shown of what a command printed, without what it is framed by for the model.
fn of_a_command(told: &str, cut_off: bool) -> &str {
    match told.split_once(PRINTED) {
        Some((_, printed)) if cut_off => printed.trim_start_matches('\n'),
        _ => digest::unframed(told),
    }
}
