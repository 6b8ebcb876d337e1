//! Events folded into entries.
//!
//! Owns the entries in order and what is needed to attach later events to them. Works from events
//! alone, so that older pages can be put before what is here.

use std::collections::{HashMap, VecDeque};

use pilothouse_core::{
    checkpoint::{Answer, Checkpoint, CheckpointKind},
    event::{CallStatus, Event, FileChange, Level, RunStatus, Stamped},
    ids::{ApplyId, CallId, LaneId, Millis, ProposalId, Seq, TaskId},
    plan::Plan,
    session::LaneKind,
    talk::{Delta, DeltaKind},
    tool::{ChangeKind, Tool},
};

use super::entry::{Body, Call, CallState, Entry, Facts, Kind, PlanCard, Question, Reply, Text};
use crate::{
    markdown::Markdown,
    row::{Row, count},
    theme::Slot,
};

/// Lines of a command's output that are kept while it runs.
const TAIL_KEPT: usize = 200;

/// The entries; each has a key that stays when older ones are put before it.
#[derive(Debug, Default)]
pub(super) struct Log {
    entries: VecDeque<Entry>,
    first: i64,
    pub(super) earliest: Option<Seq>,
    calls: HashMap<CallId, i64>,
    names: HashMap<CallId, String>,
    lanes: HashMap<LaneId, LaneKind>,
    applying: HashMap<ApplyId, Vec<FileChange>>,
    paths: HashMap<ProposalId, String>,
    plan: Option<Plan>,
    running: bool,
    /// Events about calls that an older page began.
    orphans: Vec<Stamped>,
}

impl Log {
    pub(super) fn first(&self) -> i64 {
        self.first
    }

    /// One past the last key.
    pub(super) fn end(&self) -> i64 {
        self.first + i64::try_from(self.entries.len()).unwrap_or(i64::MAX)
    }

    pub(super) fn get(&self, key: i64) -> Option<&Entry> {
        self.entries.get(usize::try_from(key - self.first).ok()?)
    }

    pub(super) fn get_mut(&mut self, key: i64) -> Option<&mut Entry> {
        self.entries.get_mut(usize::try_from(key - self.first).ok()?)
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Entry> {
        self.entries.iter_mut()
    }

    /// Puts older events before everything.
    pub(super) fn prepend(&mut self, older: &[Stamped]) {
        let mut page = Self::default();
        for event in older.iter().filter(|e| self.earliest.is_none_or(|s| e.seq < s)) {
            page.fold(event);
        }
        for orphan in std::mem::take(&mut self.orphans) {
            page.fold(&orphan);
        }
        self.orphans.append(&mut page.orphans);
        for entry in &mut page.entries {
            if matches!(&entry.body, Body::Reply(r) if r.running) {
                (entry.body, entry.kind) = (Body::Gone, Kind::Gone);
            }
        }
        if let Some(plan) = page.plan.take() {
            self.name_tasks(&plan);
            self.plan.get_or_insert(plan);
        }
        let moved = page.end() - page.first;
        self.first -= moved;
        for (call, key) in page.calls {
            self.calls.entry(call).or_insert(key - page.first + self.first);
        }
        for (id, path) in page.paths {
            self.paths.entry(id).or_insert(path);
        }
        while let Some(entry) = page.entries.pop_back() {
            self.entries.push_front(entry);
        }
        self.earliest = page.earliest.or(self.earliest);
        self.relead(self.first + moved);
    }

    fn name_tasks(&mut self, plan: &Plan) {
        for entry in &mut self.entries {
            if let Body::Task { task, text } = &mut entry.body
                && text.is_none()
            {
                *text = title(plan, *task);
                entry.dirty = true;
            }
        }
    }

    fn add(&mut self, at: Millis, kind: Kind, body: Body) -> i64 {
        let key = self.end();
        self.entries.push_back(Entry::new(at, kind, body));
        self.relead(key);
        key
    }

    /// Settles whether a blank row stands above the entry with this key.
    fn relead(&mut self, key: i64) {
        let before =
            (self.first..key).rev().filter_map(|k| self.get(k)).map(|e| e.kind).find(|k| *k != Kind::Gone);
        if let Some(entry) = self.get_mut(key) {
            let joins = before == Some(Kind::Work) || before == Some(Kind::Head);
            let lead = before.is_some() && !(joins && entry.kind == Kind::Work);
            if entry.lead != lead {
                entry.lead = lead;
                entry.dirty = true;
            }
        }
    }

    fn fact(&mut self, at: Millis, left: Row, right: Row) {
        self.add(at, Kind::Work, Body::Facts(Facts { lines: vec![(left, right)], detail: String::new() }));
    }

    fn mark(&mut self, at: Millis, glyph: Mark, text: &str) {
        let (ink, text_ink) = match glyph {
            Mark::Done => (Slot::Ok, Slot::Text),
            Mark::Failed => (Slot::Bad, Slot::Text),
            Mark::Warn | Mark::Stale => (Slot::Warn, Slot::Text),
            Mark::Skipped | Mark::Dot | Mark::Inner => (Slot::Soft, Slot::Soft),
        };
        self.fact(at, Row::of(glyph.sign(), ink).and(" ", Slot::Text).and(text, text_ink), Row::new());
    }

    /// Takes one event in.
    #[expect(clippy::wildcard_enum_match_arm, reason = "`fold_fact` takes the rest")]
    pub(super) fn fold(&mut self, stamped: &Stamped) {
        if self.earliest.is_none_or(|s| stamped.seq < s) {
            self.earliest = Some(stamped.seq);
        }
        let at = stamped.at;
        match &stamped.event {
            Event::TurnStarted { text, .. } => {
                self.add(at, Kind::Said, Body::Said(Text::of(text)));
            }
            Event::LaneOpened { lane, kind, .. } => drop(self.lanes.insert(*lane, *kind)),
            Event::LaneClosed { lane } => drop(self.lanes.remove(lane)),
            Event::ThinkingStarted { call, lane } => self.thinking(at, *call, *lane),
            Event::MessageCompleted { .. } => self.completed(stamped),
            Event::ThinkingFailed { call, fault, .. } => {
                self.drop_reply(*call);
                self.mark(at, Mark::Failed, &fault.message);
                if !fault.hint.is_empty() {
                    self.fact(at, Row::of("  ", Slot::Text).and(&fault.hint, Slot::Soft), Row::new());
                }
            }
            Event::CommandProposed { call, command, .. } => {
                self.call(at, *call, Some(Tool::Run), command, CallState::Asked)
            }
            Event::CallMade { call, tool, .. } => drop(self.names.insert(*call, tool.name().to_owned())),
            Event::CallStarted { call, tool, subject, .. } => self.started(at, *call, *tool, subject),
            Event::CallEnded { .. } => self.ended(stamped),
            Event::Proposed { proposal, added, removed }
            | Event::ProposalEdited { proposal, added, removed } => {
                self.paths.insert(proposal.id, proposal.path.to_string());
                let known = self.calls.get(&proposal.call).copied();
                if let Some(Entry { body: Body::Call(call), dirty, .. }) = known.and_then(|k| self.get_mut(k))
                {
                    call.summary = format!("+{added} −{removed}");
                    *dirty = true;
                }
            }
            Event::PlanReady { plan } => self.plan_ready(at, plan),
            Event::CheckpointOpened { checkpoint } => self.asked(at, checkpoint),
            Event::CheckpointResolved { .. } => self.resolved(stamped),
            Event::ApplyStarted { apply, files } => drop(self.applying.insert(*apply, files.clone())),
            Event::RunStarted { .. } => self.running = true,
            Event::RunCompleted { status, summary, files, .. } => {
                self.running = false;
                self.run_completed(at, *status, summary, files.len());
            }
            _ => self.fold_fact(at, &stamped.event),
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "`fold` takes the rest; what is neither has no row")]
    fn fold_fact(&mut self, at: Millis, event: &Event) {
        match event {
            Event::TaskStarted { task, .. } => {
                let text = self.plan.as_ref().and_then(|p| title(p, *task));
                self.add(at, Kind::Head, Body::Task { task: *task, text });
            }
            Event::TaskCompleted { took, .. } => {
                self.fact(at, Row::of(&format!("Complete ({}ms)", took.0), Slot::Soft), Row::new());
            }
            Event::TaskFailed { message, .. } => self.mark(at, Mark::Failed, message),
            Event::TaskSkipped { task } => self.task_fact(at, *task, "left out"),
            Event::TaskCancelled { task } => self.task_fact(at, *task, "stopped"),
            Event::GatePassed { gate, proof, .. } => self.gate(at, gate.0, true, proof),
            Event::GateFailed { gate, proof, .. } => self.gate(at, gate.0, false, proof),
            Event::GateWentStale { gate } => {
                let name = self.gate_name(gate.0);
                self.mark(at, Mark::Stale, &format!("[Gate: {name}] stale: files changed since it passed"));
            }
            Event::GateReset { gate, skipped: true } => {
                let name = self.gate_name(gate.0);
                self.mark(at, Mark::Skipped, &format!("[Gate: {name}] left out"));
            }
            Event::RepairStarted { gate, attempt, of, .. } => {
                let name = self.gate_name(gate.0);
                self.mark(
                    at,
                    Mark::Inner,
                    &format!("Repairing what made {name} fail, try {attempt} of {of}"),
                );
            }
            Event::Applied { apply } => {
                for file in self.applying.remove(apply).unwrap_or_default() {
                    self.mark(at, Mark::Done, &written(&file));
                }
            }
            Event::ApplyFailed { message, stale, .. } => {
                let why = if *stale {
                    "the file changed on disk, nothing was written"
                } else {
                    "nothing was written"
                };
                self.mark(at, Mark::Failed, &format!("{message} ({why})"));
            }
            Event::ProposalClosed { proposal, reason, dropped } => {
                let path = self.paths.get(proposal).cloned().unwrap_or_else(|| proposal.to_string());
                let word = if *dropped { "dropped" } else { "left" };
                self.mark(at, Mark::Skipped, &format!("{word} {path}: {reason}"));
            }
            Event::Reverted { redo, .. } => {
                self.mark(
                    at,
                    Mark::Done,
                    if *redo { "put back the undone change" } else { "took the last change back" },
                );
            }
            Event::RevertFailed { message, .. } => self.mark(at, Mark::Failed, message),
            Event::CallLost { found, .. } => self.mark(at, Mark::Warn, found),
            Event::SessionReopened { interrupted, .. } => {
                let calls = if interrupted.is_empty() {
                    String::new()
                } else {
                    format!("; {} interrupted", count(interrupted.len(), "call"))
                };
                self.mark(at, Mark::Dot, &format!("opened again{calls}; nothing runs"));
            }
            Event::PlanShelved { suspended: true } => {
                self.mark(at, Mark::Dot, "the plan is set aside; it can be taken up again")
            }
            Event::Notice { level, text } => {
                let mark = match level {
                    Level::Info => Mark::Dot,
                    Level::Warn => Mark::Warn,
                    Level::Error => Mark::Failed,
                };
                self.mark(at, mark, text);
            }
            _ => {}
        }
    }

    fn gate_name(&self, id: u64) -> String {
        let gate = self.plan.as_ref().and_then(|p| p.gates.iter().find(|g| g.id.0 == id));
        gate.map_or_else(|| id.to_string(), |g| g.name.clone())
    }

    fn gate(&mut self, at: Millis, id: u64, green: bool, proof: &pilothouse_core::event::Proof) {
        let (sign, word, ink) =
            if green { ("✓", "passed", Slot::Ok) } else { ("✗", "failed", Slot::Bad) };
        let exit = match (proof.exit.code, proof.exit.signal) {
            _ if proof.exit.timed_out => "timed out".to_owned(),
            (Some(code), _) => format!("exit {code}"),
            (None, Some(signal)) => format!("signal {signal}"),
            (None, None) => String::new(),
        };
        let left = Row::of(&format!("[Gate: {}] ", self.gate_name(id)), Slot::Soft)
            .and(sign, ink)
            .and(" ", ink)
            .and(word, ink)
            .and("   ", Slot::Text)
            .and(&exit, Slot::Soft);
        let detail = proof.diagnostics.clone();
        let open = !green && !detail.is_empty();
        let key = self.add(at, Kind::Work, Body::Facts(Facts { lines: vec![(left, Row::new())], detail }));
        if let Some(entry) = self.get_mut(key) {
            entry.open = open;
        }
    }

    fn task_fact(&mut self, at: Millis, task: TaskId, word: &str) {
        let name = self.plan.as_ref().and_then(|p| title(p, task)).unwrap_or_else(|| task.to_string());
        self.mark(at, Mark::Skipped, &format!("{name}: {word}"));
    }

    fn run_completed(&mut self, at: Millis, status: RunStatus, summary: &str, files: usize) {
        let files = match files {
            0 => "No file changed.".to_owned(),
            n => format!("{} created/modified.", count(n, "file")),
        };
        let (sign, ink, text) = match status {
            RunStatus::Completed => ("✓", Slot::Ok, format!("Complete. {files}")),
            RunStatus::Failed => ("✗", Slot::Bad, format!("Failed: {summary} {files}")),
            RunStatus::Cancelled => ("–", Slot::Soft, format!("Stopped. {files}")),
            RunStatus::Manual => ("–", Slot::Soft, format!("Over to you; the plan is kept. {files}")),
        };
        let left =
            Row::of(sign, ink).and(" ", Slot::Text).and(&text, crate::row::Ink::of(Slot::Strong).bold());
        let facts = Facts { lines: vec![(left, Row::new())], detail: String::new() };
        self.add(at, Kind::Card, Body::Facts(facts));
    }

    fn thinking(&mut self, at: Millis, call: CallId, lane: LaneId) {
        let beside = self.running && self.lanes.get(&lane) == Some(&LaneKind::Answer);
        let reply = Reply {
            md: Markdown::new(),
            running: true,
            beside,
            cut: false,
            since: at,
            note: String::new(),
            thinking: String::new(),
            blob: None,
            streamed: 0,
            gap: false,
        };
        let key = self.add(at, Kind::Reply, Body::Reply(Box::new(reply)));
        self.calls.insert(call, key);
    }

    fn drop_reply(&mut self, call: CallId) {
        let Some(key) = self.calls.remove(&call) else { return };
        if let Some(entry) = self.get_mut(key) {
            let keep = match &mut entry.body {
                Body::Reply(r) => {
                    (r.running, r.cut) = (false, true);
                    !r.md.source().is_empty()
                }
                Body::Said(_) | Body::Call(_) | Body::Facts(_) | Body::Task { .. } => true,
                Body::Plan(_) | Body::Question(_) | Body::Waits(..) | Body::Gone => true,
            };
            entry.dirty = true;
            if !keep {
                self.gone(key);
            }
        }
    }

    fn gone(&mut self, key: i64) {
        if let Some(entry) = self.get_mut(key) {
            (entry.body, entry.kind, entry.dirty) = (Body::Gone, Kind::Gone, true);
        }
        self.relead(key + 1);
    }

    fn completed(&mut self, stamped: &Stamped) {
        let Event::MessageCompleted { lane, call, text, reasoning, calls, cut, .. } = &stamped.event else {
            return;
        };
        for c in calls {
            self.names.insert(c.call, c.name.clone());
        }
        if !self.calls.contains_key(call) {
            self.thinking(stamped.at, *call, *lane);
        }
        let Some(key) = self.calls.remove(call) else { return };
        if text.bytes == 0 && reasoning.bytes == 0 && !cut {
            return self.gone(key);
        }
        let Some(Entry { body: Body::Reply(r), dirty, .. }) = self.get_mut(key) else { return };
        *dirty = true;
        (r.running, r.cut) = (false, *cut);
        r.note.clear();
        r.thinking = Text::of(reasoning).shown;
        match text.whole() {
            Some(whole) => r.md.settle(whole),
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

    fn call(&mut self, at: Millis, call: CallId, tool: Option<Tool>, subject: &str, state: CallState) {
        let body = Call {
            tool,
            name: self.names.get(&call).cloned().unwrap_or_default(),
            subject: subject.to_owned(),
            state,
            since: at,
            took: None,
            summary: String::new(),
            result: Text::default(),
            tail: VecDeque::new(),
        };
        let key = self.add(at, Kind::Work, Body::Call(Box::new(body)));
        self.calls.insert(call, key);
    }

    fn started(&mut self, at: Millis, call: CallId, tool: Tool, subject: &str) {
        let known = self.calls.get(&call).copied();
        if let Some(Entry { body: Body::Call(c), dirty, .. }) = known.and_then(|k| self.get_mut(k)) {
            (c.state, c.since, *dirty) = (CallState::Running, at, true);
            return;
        }
        self.call(at, call, Some(tool), subject, CallState::Running);
    }

    fn ended(&mut self, stamped: &Stamped) {
        let Event::CallEnded { call, status, summary, result, .. } = &stamped.event else { return };
        let name = self.names.remove(call);
        if !self.calls.contains_key(call) {
            let Some(name) = name else {
                self.orphans.push(stamped.clone());
                return;
            };
            self.names.insert(*call, name.clone());
            self.call(stamped.at, *call, Tool::named(&name), "", CallState::Asked);
            self.names.remove(call);
        }
        let Some(key) = self.calls.remove(call) else { return };
        let Some(Entry { body: Body::Call(c), dirty, .. }) = self.get_mut(key) else { return };
        let ran = c.state == CallState::Running;
        let quiet = matches!(c.tool, Some(Tool::SubmitPlan | Tool::AskUser | Tool::RequestPath));
        c.took = ran.then(|| stamped.at.0.saturating_sub(c.since.0));
        c.state = CallState::Ended(*status);
        let drafted =
            matches!(c.tool, Some(Tool::Edit | Tool::Write | Tool::Delete)) && !c.summary.is_empty();
        if !(drafted && *status == CallStatus::Done) {
            c.summary.clone_from(summary);
        }
        c.result = Text::of(result);
        *dirty = true;
        if quiet && *status == CallStatus::Done {
            self.gone(key);
        }
    }

    fn plan_ready(&mut self, at: Millis, plan: &Plan) {
        for entry in &mut self.entries {
            if let Body::Plan(card) = &mut entry.body
                && card.verdict.is_none()
            {
                card.verdict = Some(("replaced", Slot::Soft));
                entry.dirty = true;
            }
        }
        self.plan = Some(plan.clone());
        let card = PlanCard {
            summary: plan.summary(),
            note: Markdown::of(&plan.note),
            checkpoint: None,
            verdict: None,
        };
        self.add(at, Kind::Card, Body::Plan(Box::new(card)));
    }

    fn asked(&mut self, at: Millis, checkpoint: &Checkpoint) {
        let id = checkpoint.id;
        let (choices, failed, hint) = match &checkpoint.kind {
            CheckpointKind::Confirmation => {
                let card = self.entries.iter_mut().rev().find_map(|e| match &mut e.body {
                    Body::Plan(card) => Some(card),
                    Body::Said(_) | Body::Reply(_) | Body::Call(_) | Body::Facts(_) => None,
                    Body::Task { .. } | Body::Question(_) | Body::Waits(..) | Body::Gone => None,
                });
                if let Some(card) = card {
                    card.checkpoint = Some(id);
                }
                return;
            }
            CheckpointKind::Diff { proposals, .. } => {
                self.add(at, Kind::Work, Body::Waits(proposals.clone(), id));
                return;
            }
            CheckpointKind::Risk { .. } | CheckpointKind::Exit => return,
            CheckpointKind::Clarification { choices, .. } => (choices.clone(), false, String::new()),
            CheckpointKind::Failure(f) => (Vec::new(), true, f.hint.clone()),
            CheckpointKind::Interruption { .. }
            | CheckpointKind::Transition { .. }
            | CheckpointKind::PipelinePause { .. }
            | CheckpointKind::Breakout { .. } => (Vec::new(), false, String::new()),
        };
        let message = checkpoint.message.clone();
        let q = Question { checkpoint: id, message, hint, choices, failed, answer: None };
        self.add(at, Kind::Card, Body::Question(q));
    }

    fn resolved(&mut self, stamped: &Stamped) {
        let Event::CheckpointResolved { checkpoint, answer, .. } = &stamped.event else { return };
        let mut waits = None;
        for (n, entry) in self.entries.iter_mut().enumerate().rev() {
            match &mut entry.body {
                Body::Plan(card) if card.checkpoint == Some(*checkpoint) => {
                    card.verdict = Some(match answer {
                        Some(Answer::Approve) => ("approved", Slot::Ok),
                        Some(_) => ("not approved", Slot::Soft),
                        None => ("fell away", Slot::Soft),
                    });
                }
                Body::Question(q) if q.checkpoint == *checkpoint => {
                    q.answer = Some(said(answer.as_ref(), &q.choices))
                }
                Body::Waits(_, id) if *id == *checkpoint => waits = i64::try_from(n).ok(),
                Body::Said(_) | Body::Reply(_) | Body::Call(_) | Body::Facts(_) | Body::Task { .. } => {
                    continue;
                }
                Body::Plan(_) | Body::Question(_) | Body::Waits(..) | Body::Gone => continue,
            }
            entry.dirty = true;
            break;
        }
        if let Some(n) = waits {
            self.gone(self.first + n);
        }
    }

    /// Takes a piece of something that runs; constant time in what is there already.
    pub(super) fn delta(&mut self, delta: &Delta) {
        let Some(entry) = self.calls.get(&delta.call).copied().and_then(|k| self.get_mut(k)) else { return };
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
            (Body::Reply(r), DeltaKind::Call | DeltaKind::Notice) => r.note.clone_from(&delta.text),
            (Body::Call(c), DeltaKind::Stdout | DeltaKind::Stderr) => {
                let stderr = delta.kind == DeltaKind::Stderr;
                output(&mut c.tail, stderr, &delta.text);
            }
            (Body::Call(c), DeltaKind::Notice) => c.summary.clone_from(&delta.text),
            (Body::Call(_), DeltaKind::Text | DeltaKind::Reasoning | DeltaKind::Call) => {}
            (Body::Reply(_), DeltaKind::Stdout | DeltaKind::Stderr) => {}
            (Body::Said(_) | Body::Facts(_) | Body::Task { .. } | Body::Plan(_), _) => {}
            (Body::Question(_) | Body::Waits(..) | Body::Gone, _) => {}
        }
    }
}

/// Signs of a one-line fact.
#[derive(Clone, Copy)]
enum Mark {
    Done,
    Failed,
    Warn,
    Stale,
    Skipped,
    Inner,
    Dot,
}

impl Mark {
    const fn sign(self) -> &'static str {
        match self {
            Self::Done => "✓",
            Self::Failed => "✗",
            Self::Warn => "⚠",
            Self::Stale => "≈",
            Self::Skipped => "–",
            Self::Inner => "✧",
            Self::Dot => "·",
        }
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

fn title(plan: &Plan, task: TaskId) -> Option<String> {
    let t = plan.task(task)?;
    Some(format!("[{}/{}] {}", plan.number(task), plan.tasks.len(), t.title))
}

fn written(file: &FileChange) -> String {
    let path = &file.path;
    match (file.kind, file.added, file.removed) {
        (ChangeKind::Create, ..) => format!("wrote {path} ({})", count(file.lines, "line")),
        (ChangeKind::Delete, ..) => format!("removed {path}"),
        (ChangeKind::Modify, added, 0) => format!("edited {path} (+{})", count(added, "line")),
        (ChangeKind::Modify, 0, removed) => format!("edited {path} (−{})", count(removed, "line")),
        (ChangeKind::Modify, added, removed) => format!("edited {path} (+{added} −{removed} lines)"),
    }
}

fn said(answer: Option<&Answer>, choices: &[String]) -> String {
    match answer {
        None => "fell away".to_owned(),
        Some(Answer::Pick(n)) => choices.get(*n).cloned().unwrap_or_default(),
        Some(Answer::Text(t) | Answer::Word(t)) => t.clone(),
        Some(Answer::Approve) => "allowed".to_owned(),
        Some(Answer::Reject(why)) if why.is_empty() => "refused".to_owned(),
        Some(Answer::Reject(why)) => format!("refused: {why}"),
        Some(Answer::Abort) => "stopped".to_owned(),
        Some(Answer::AutoFix) => "repair".to_owned(),
        Some(Answer::Skip) => "left out".to_owned(),
        Some(Answer::Manual) => "over to you".to_owned(),
        Some(Answer::Retry) => "tried again".to_owned(),
        Some(Answer::Replan) => "another plan".to_owned(),
        Some(Answer::Respond) => "answer it".to_owned(),
        Some(Answer::Continue) => "go on".to_owned(),
    }
}
