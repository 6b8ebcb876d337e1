//! One entry of the conversation and its rows.
//!
//! Owns how each kind of entry looks. Never looks at another entry.

use std::collections::VecDeque;

use pilothouse_core::{
    blob::{BlobId, Excerpt},
    clean::Clean,
    event::CallStatus,
    ids::{CheckpointId, Millis, ProposalId, TaskId},
    session::State,
    tool::Tool,
};

use crate::{
    highlight::Highlighter,
    markdown::Markdown,
    row::{self, Ink, Piece, Row, wrap},
    theme::{Glyphs, Slot},
};

/// Lines of live output below a running command.
const TAIL_LINES: usize = 6;
/// Lines of an unfolded result.
const DETAIL_LINES: usize = 400;
/// Columns of the verb before what it acts on.
const VERB: usize = 10;

/// What entries are laid out with.
#[derive(Clone, Copy)]
pub(super) struct Env<'a> {
    pub(super) width: usize,
    pub(super) glyphs: &'a Glyphs,
    pub(super) colours: &'a Highlighter,
    pub(super) state: &'a State,
    pub(super) now: Millis,
    pub(super) offset: i32,
    pub(super) spinner: usize,
}

/// Text as events carry it, until the whole is here.
#[derive(Clone, Debug, Default)]
pub(super) struct Text {
    pub(super) shown: String,
    /// The whole, when only its ends are here.
    pub(super) blob: Option<BlobId>,
}

impl Text {
    pub(super) fn of(excerpt: &Excerpt) -> Self {
        match &excerpt.cut {
            None => Self { shown: excerpt.head.clone(), blob: None },
            Some(cut) => {
                let shown = format!("{}\n\n… {} bytes in all …\n\n{}", excerpt.head, excerpt.bytes, cut.tail);
                Self { shown, blob: Some(cut.blob) }
            }
        }
    }
}

/// Whether an entry goes on with the block above it or begins one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Said,
    Reply,
    /// Tool rows, results, gates: one block.
    Work,
    /// Begins a block of work: a task's title.
    Head,
    Card,
    Gone,
}

#[derive(Debug)]
pub(super) struct Entry {
    pub(super) at: Millis,
    pub(super) body: Body,
    pub(super) kind: Kind,
    /// Whether a blank row stands above.
    pub(super) lead: bool,
    pub(super) open: bool,
    pub(super) dirty: bool,
    width: usize,
    head: Vec<Row>,
    foot: Vec<Row>,
}

#[derive(Debug)]
pub(super) enum Body {
    Said(Text),
    Reply(Box<Reply>),
    Call(Box<Call>),
    Facts(Facts),
    Task { task: TaskId, text: Option<String> },
    Plan(Box<PlanCard>),
    Question(Question),
    Waits(Vec<ProposalId>, CheckpointId),
    Gone,
}

#[derive(Debug)]
pub(super) struct Reply {
    pub(super) md: Markdown,
    pub(super) running: bool,
    pub(super) beside: bool,
    pub(super) cut: bool,
    pub(super) since: Millis,
    pub(super) note: String,
    pub(super) thinking: String,
    pub(super) blob: Option<BlobId>,
    /// Bytes streamed so far, and whether some were lost on the way.
    pub(super) streamed: u64,
    pub(super) gap: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CallState {
    Asked,
    Running,
    Ended(CallStatus),
}

#[derive(Debug)]
pub(super) struct Call {
    pub(super) tool: Option<Tool>,
    pub(super) name: String,
    pub(super) subject: String,
    pub(super) state: CallState,
    pub(super) since: Millis,
    pub(super) took: Option<u64>,
    pub(super) summary: String,
    pub(super) result: Text,
    /// The last lines of its output: whether on standard error, and the text.
    pub(super) tail: VecDeque<(bool, String)>,
}

#[derive(Debug, Default)]
pub(super) struct Facts {
    pub(super) lines: Vec<(Row, Row)>,
    pub(super) detail: String,
}

#[derive(Debug)]
pub(super) struct PlanCard {
    pub(super) summary: String,
    pub(super) note: Markdown,
    pub(super) checkpoint: Option<CheckpointId>,
    /// What became of it; `None` while it waits.
    pub(super) verdict: Option<(&'static str, Slot)>,
}

#[derive(Debug)]
pub(super) struct Question {
    pub(super) checkpoint: CheckpointId,
    pub(super) message: String,
    pub(super) hint: String,
    pub(super) choices: Vec<String>,
    pub(super) failed: bool,
    pub(super) answer: Option<String>,
}

impl Entry {
    pub(super) fn new(at: Millis, kind: Kind, body: Body) -> Self {
        Self {
            at,
            body,
            kind,
            lead: false,
            open: false,
            dirty: true,
            width: 0,
            head: Vec::new(),
            foot: Vec::new(),
        }
    }

    /// Whether it changes by itself.
    pub(super) fn running(&self) -> bool {
        match &self.body {
            Body::Reply(r) => r.running,
            Body::Call(c) => c.state == CallState::Running,
            Body::Said(_)
            | Body::Facts(_)
            | Body::Task { .. }
            | Body::Plan(_)
            | Body::Question(_)
            | Body::Waits(..)
            | Body::Gone => false,
        }
    }

    /// Whether Enter shows more or less of it.
    pub(super) fn folds(&self) -> bool {
        match &self.body {
            Body::Call(c) => !c.result.shown.is_empty() || !c.tail.is_empty(),
            Body::Facts(f) => !f.detail.is_empty(),
            Body::Plan(p) => p.verdict.is_some(),
            Body::Reply(r) => !r.thinking.is_empty(),
            Body::Said(_) | Body::Task { .. } | Body::Question(_) | Body::Waits(..) | Body::Gone => false,
        }
    }

    /// The whole text that is wanted to draw it as it stands.
    pub(super) fn wants(&self) -> Option<BlobId> {
        match &self.body {
            Body::Said(t) => t.blob,
            Body::Reply(r) => r.blob,
            Body::Call(c) if self.open => c.result.blob,
            Body::Call(_)
            | Body::Facts(_)
            | Body::Task { .. }
            | Body::Plan(_)
            | Body::Question(_)
            | Body::Waits(..)
            | Body::Gone => None,
        }
    }

    /// Takes the whole text; `None` when the store has lost it.
    pub(super) fn answered(&mut self, text: Option<&str>) {
        match &mut self.body {
            Body::Said(t) => fill(t, text),
            Body::Call(c) => fill(&mut c.result, text),
            Body::Reply(r) => {
                r.blob = None;
                if let Some(text) = text {
                    r.md.settle(text);
                }
            }
            Body::Facts(_)
            | Body::Task { .. }
            | Body::Plan(_)
            | Body::Question(_)
            | Body::Waits(..)
            | Body::Gone => {}
        }
        self.dirty = true;
    }

    /// What is copied and searched: no borders, no wraps, no marks of ours.
    pub(super) fn logical(&self) -> String {
        match &self.body {
            Body::Said(t) => t.shown.clone(),
            Body::Reply(r) => r.md.source().to_owned(),
            Body::Call(c) => match (self.open, c.result.shown.as_str()) {
                (true, result) if !result.is_empty() => format!("{}\n{result}", c.subject),
                _ => c.subject.clone(),
            },
            Body::Facts(f) => {
                let lines: Vec<String> = f.lines.iter().map(|(l, _)| l.text().trim().to_owned()).collect();
                format!("{}{}", lines.join("\n"), f.detail)
            }
            Body::Task { text, .. } => text.clone().unwrap_or_default(),
            Body::Plan(p) => p.summary.clone(),
            Body::Question(q) => q.message.clone(),
            Body::Waits(..) | Body::Gone => String::new(),
        }
    }

    /// Rows at the width of the last [`Entry::lay`].
    pub(super) fn height(&self) -> usize {
        let md = match &self.body {
            Body::Reply(r) => r.md.rows().len(),
            Body::Said(_)
            | Body::Call(_)
            | Body::Facts(_)
            | Body::Task { .. }
            | Body::Plan(_)
            | Body::Question(_)
            | Body::Waits(..)
            | Body::Gone => 0,
        };
        self.head.len() + md + self.foot.len()
    }

    /// Row `n`, and whether the caret of a running answer stands behind it.
    pub(super) fn row(&self, n: usize) -> Option<(&Row, bool)> {
        if let Some(row) = self.head.get(n) {
            return Some((row, false));
        }
        let n = n - self.head.len();
        if let Body::Reply(r) = &self.body {
            let rows = r.md.rows();
            if let Some(row) = rows.get(n) {
                return Some((row, r.running && n + 1 == rows.len()));
            }
            return self.foot.get(n - rows.len()).map(|r| (r, false));
        }
        None
    }

    /// Lays it out unless it stands already.
    pub(super) fn lay(&mut self, env: &Env<'_>) {
        let live = self.running() || matches!(self.body, Body::Waits(..));
        if self.width == env.width && !self.dirty && !live && !matches!(self.body, Body::Reply(_)) {
            return;
        }
        (self.width, self.dirty) = (env.width, false);
        self.head.clear();
        self.foot.clear();
        if self.lead && !matches!(self.body, Body::Gone) {
            self.head.push(Row::new());
        }
        let (rows, at, open) = (&mut self.head, self.at, self.open);
        match &mut self.body {
            Body::Said(text) => said(text, at, env, rows),
            Body::Reply(reply) => {
                reply_rows(reply, open, env, rows, &mut self.foot);
            }
            Body::Call(call) => call_rows(call, open, env, rows),
            Body::Facts(facts) => fact_rows(facts, open, env, rows),
            Body::Task { text, .. } => {
                let text = text.as_deref().unwrap_or("[task]");
                let (number, title) = text.split_once("] ").unwrap_or((text, ""));
                let close = if title.is_empty() { "" } else { "] " };
                let row = Row::of(number, Slot::Soft).and(close, Slot::Soft).and(title, Slot::Text);
                rows.push(row.cut(env.width, env.glyphs.ellipsis));
            }
            Body::Plan(card) => plan_rows(card, open, env, rows),
            Body::Question(q) => question_rows(q, env, rows),
            Body::Waits(list, _) => waits_rows(list, env, rows),
            Body::Gone => {}
        }
        if self.head.len() == 1 && self.lead && matches!(self.body, Body::Waits(..)) {
            self.head.clear();
        }
    }

    /// Forgets its rows, to be laid out when it is seen again.
    pub(super) fn forget(&mut self) {
        self.head = Vec::new();
        if let Body::Reply(r) = &mut self.body {
            r.md.forget();
        }
        if let Body::Plan(p) = &mut self.body {
            p.note.forget();
        }
        self.dirty = true;
        self.width = 0;
    }
}

fn fill(text: &mut Text, whole: Option<&str>) {
    text.blob = None;
    if let Some(whole) = whole {
        whole.clone_into(&mut text.shown);
    }
}

fn said(text: &Text, at: Millis, env: &Env<'_>, rows: &mut Vec<Row>) {
    let bar = || Row::of(env.glyphs.bar, Slot::Accent).and(" ", Slot::Text);
    let time = Row::of(&row::time_of_day(at, env.offset), Slot::Faint);
    rows.push(bar().and("you", Slot::Soft).ends(time, env.width, env.glyphs.ellipsis));
    for line in Clean::text(&text.shown).lines() {
        for wrapped in wrap(Row::of(line, Slot::Strong).pieces.as_slice(), env.width.saturating_sub(2)) {
            let mut row = bar();
            row.pieces.extend(wrapped.pieces);
            rows.push(row.cut(env.width, ""));
        }
    }
}

fn reply_rows(r: &mut Reply, open: bool, env: &Env<'_>, rows: &mut Vec<Row>, foot: &mut Vec<Row>) {
    let g = env.glyphs;
    if r.beside {
        let label = format!("beside the run {} read only", g.dot);
        rows.push(Row::of(&label, Slot::Soft).cut(env.width, g.ellipsis));
    }
    if !r.thinking.is_empty() && !r.running {
        let mark = if open { g.open } else { g.folded };
        rows.push(Row::of(&format!("{mark} Thought"), Slot::Soft).cut(env.width, g.ellipsis));
        if open {
            detail(&r.thinking, env, rows);
        }
    }
    r.md.lay(env.width, g, env.colours);
    if r.running && r.md.rows().is_empty() {
        let waited = row::waited(env.now.0.saturating_sub(r.since.0));
        let what = if r.note.is_empty() { "thinking" } else { r.note.as_str() };
        let row = Row::of(g.spin(env.spinner), Slot::Info).and(" ", Slot::Text).and(what, Slot::Soft);
        rows.push(row.ends(Row::of(&waited, Slot::Faint), env.width, g.ellipsis));
        let last = r.thinking.lines().rev().find(|l| !l.trim().is_empty()).unwrap_or_default();
        if !last.is_empty() {
            rows.push(Row::of(&format!("  {last}"), Slot::Faint).cut(env.width, g.ellipsis));
        }
    } else if r.running && !r.note.is_empty() {
        foot.push(Row::of(&r.note, Slot::Soft).cut(env.width, g.ellipsis));
    }
    if r.cut {
        foot.push(Row::of(g.skipped, Slot::Soft).and(" stopped", Slot::Soft).cut(env.width, g.ellipsis));
    }
}

fn verb(call: &Call) -> &str {
    let running = call.state == CallState::Running;
    match call.tool {
        Some(tool) if call.state == CallState::Ended(CallStatus::Refused) => tool.name(),
        Some(Tool::List) if running => "Listing",
        Some(Tool::List) => "Listed",
        Some(Tool::Read) if running => "Reading",
        Some(Tool::Read) => "Read",
        Some(Tool::Search) if running => "Searching",
        Some(Tool::Search) => "Searched",
        Some(Tool::Edit | Tool::Write | Tool::Delete) if running => "Drafting",
        Some(Tool::Edit | Tool::Write) => "Proposed",
        Some(Tool::Delete) => "Removal",
        Some(Tool::Run) if call.state == CallState::Asked => "Run",
        Some(Tool::Run) if running => "Running",
        Some(Tool::Run) => "Ran",
        Some(Tool::SubmitPlan) => "Plan",
        Some(Tool::AskUser) => "Asked",
        Some(Tool::RequestPath) => "Path",
        None => &call.name,
    }
}

fn call_rows(call: &Call, open: bool, env: &Env<'_>, rows: &mut Vec<Row>) {
    let g = env.glyphs;
    let (mark, ink) = match call.state {
        CallState::Asked => (g.waits, Slot::Warn),
        CallState::Running => (g.spin(env.spinner), Slot::Info),
        CallState::Ended(CallStatus::Done) if open => (g.open, Slot::Soft),
        CallState::Ended(CallStatus::Done) => (g.folded, Slot::Soft),
        CallState::Ended(CallStatus::Failed) => (g.failed, Slot::Bad),
        CallState::Ended(CallStatus::Refused) => (g.failed, Slot::Warn),
        CallState::Ended(CallStatus::Interrupted) => (g.skipped, Slot::Soft),
    };
    let verb = verb(call);
    let verb_pad = VERB.saturating_sub(row::width(verb)).max(1);
    let left =
        Row::of(mark, ink).and(" ", Slot::Text).and(verb, Slot::Soft).and(&" ".repeat(verb_pad), Slot::Text);
    let subject = Clean::line(&call.subject).into_string();
    let quoted = call.tool == Some(Tool::Search) && !subject.is_empty();
    let subject = if quoted { format!("\"{subject}\"") } else { subject };
    let summary = match call.state {
        CallState::Asked => "waits for you".to_owned(),
        CallState::Running => String::new(),
        CallState::Ended(CallStatus::Refused) => format!("not allowed: {}", call.summary),
        CallState::Ended(CallStatus::Interrupted) if call.summary.is_empty() => "interrupted".to_owned(),
        CallState::Ended(_) => call.summary.clone(),
    };
    let summary_ink = match call.state {
        CallState::Asked | CallState::Ended(CallStatus::Refused) => Slot::Warn,
        CallState::Ended(CallStatus::Failed) => Slot::Bad,
        CallState::Running | CallState::Ended(CallStatus::Done | CallStatus::Interrupted) => Slot::Soft,
    };
    let room = env.width.saturating_sub(left.width());
    let is_path =
        matches!(call.tool, Some(Tool::Read | Tool::List | Tool::Edit | Tool::Write | Tool::Delete));
    let subject = if is_path { row::fit_path(&subject, room, g.ellipsis) } else { subject };
    let gap = if subject.is_empty() || summary.is_empty() { "" } else { "   " };
    let spent = match (call.state, call.took) {
        (CallState::Running, _) => {
            let ms = env.now.0.saturating_sub(call.since.0);
            if ms < 1_000 { String::new() } else { row::waited(ms) }
        }
        (_, Some(ms)) => row::took(ms),
        (_, None) => String::new(),
    };
    let row = left.and(&subject, Slot::Text).and(gap, Slot::Text).and(&summary, summary_ink);
    rows.push(row.ends(Row::of(&spent, Slot::Faint), env.width, g.ellipsis));
    let failed = call.state == CallState::Ended(CallStatus::Failed);
    if open && !call.result.shown.is_empty() {
        detail(&call.result.shown, env, rows);
    } else if call.state == CallState::Running || failed || open {
        for (stderr, line) in call.tail.iter().rev().take(TAIL_LINES).rev() {
            let (mark, ink) = if *stderr { ("!", Slot::Warn) } else { (g.column, Slot::Line) };
            let row = Row::of("  ", Slot::Text)
                .and(mark, ink)
                .and(" ", Slot::Text)
                .and(line.trim_end_matches('\n'), Slot::Soft);
            rows.push(row.cut(env.width, g.ellipsis));
        }
    }
}

/// Lines below an entry, behind a thin bar.
fn detail(text: &str, env: &Env<'_>, rows: &mut Vec<Row>) {
    let clean = Clean::text(text);
    let all = clean.lines().count();
    for line in clean.lines().take(DETAIL_LINES) {
        for wrapped in wrap(&Row::of(line, Slot::Soft).pieces, env.width.saturating_sub(4)) {
            let mut row = Row::of("  ", Slot::Text).and(env.glyphs.column, Slot::Line).and(" ", Slot::Text);
            row.pieces.extend(wrapped.pieces);
            rows.push(row.cut(env.width, env.glyphs.ellipsis));
        }
    }
    if all > DETAIL_LINES {
        let more = format!("    {} more lines", all - DETAIL_LINES);
        rows.push(Row::of(&more, Slot::Faint).cut(env.width, env.glyphs.ellipsis));
    }
}

fn fact_rows(facts: &Facts, open: bool, env: &Env<'_>, rows: &mut Vec<Row>) {
    for (left, right) in &facts.lines {
        let mut left = left.clone();
        for piece in &mut left.pieces {
            let own = env.glyphs.own(piece.text());
            if own != piece.text() {
                *piece = Piece::new(own, piece.ink);
            }
        }
        if left.width() + right.width() + 2 <= env.width {
            rows.push(left.ends(right.clone(), env.width, env.glyphs.ellipsis));
            continue;
        }
        for (n, row) in wrap(&left.pieces, env.width.saturating_sub(2)).into_iter().enumerate() {
            let mut out = if n == 0 { Row::new() } else { Row::of("  ", Slot::Text) };
            out.pieces.extend(row.pieces);
            rows.push(out);
        }
    }
    if open {
        detail(&facts.detail, env, rows);
    }
}

fn plan_rows(card: &mut PlanCard, open: bool, env: &Env<'_>, rows: &mut Vec<Row>) {
    let g = env.glyphs;
    let mut lines = card.summary.lines();
    let head = lines.next().unwrap_or_default().trim_start_matches('★').trim_start();
    let waits = card.verdict.is_none();
    let title = if waits { Ink::of(Slot::Accent).bold() } else { Slot::Text.into() };
    let left = Row::of(g.star, Slot::Accent).and(" ", Slot::Text).and(head, title);
    let right = match card.verdict {
        Some((word, ink)) => {
            let mark = if ink == Slot::Ok { g.done } else { g.skipped };
            Row::of(&format!("{mark} {word}"), ink)
        }
        None => Row::new(),
    };
    rows.push(left.ends(right, env.width, g.ellipsis));
    if !waits && !open {
        return;
    }
    rows.push(Row::new());
    for line in lines {
        rows.push(Row::of(line, Slot::Text).cut(env.width, g.ellipsis));
    }
    let note = card.note.lay(env.width, g, env.colours);
    if !note.is_empty() {
        rows.push(Row::new());
        rows.extend(note.iter().cloned());
    }
    if waits {
        rows.push(Row::new());
        rows.push(Row::of("Proceed?", Slot::Text).cut(env.width, g.ellipsis));
    }
}

fn question_rows(q: &Question, env: &Env<'_>, rows: &mut Vec<Row>) {
    let g = env.glyphs;
    let (mark, ink) = match (&q.answer, q.failed) {
        (_, true) => (g.failed, Slot::Bad),
        (None, false) => (g.waits, Slot::Warn),
        (Some(_), false) => (g.done, Slot::Soft),
    };
    let mut first = true;
    for line in Clean::text(&q.message).lines() {
        for wrapped in wrap(&Row::of(line, Slot::Text).pieces, env.width.saturating_sub(2)) {
            let mut row =
                if first { Row::of(mark, ink).and(" ", Slot::Text) } else { Row::of("  ", Slot::Text) };
            first = false;
            row.pieces.extend(wrapped.pieces);
            rows.push(row.cut(env.width, g.ellipsis));
        }
    }
    for line in wrap(&Row::of(&q.hint, Slot::Soft).pieces, env.width.saturating_sub(2)) {
        if !q.hint.is_empty() {
            let mut row = Row::of("  ", Slot::Text);
            row.pieces.extend(line.pieces);
            rows.push(row.cut(env.width, g.ellipsis));
        }
    }
    for (n, choice) in q.choices.iter().enumerate() {
        let row = Row::of(&format!("  {}. ", n + 1), Slot::Accent).and(choice, Slot::Text);
        rows.push(row.cut(env.width, g.ellipsis));
    }
    if let Some(answer) = &q.answer {
        rows.push(Row::of("  ", Slot::Text).and(answer, Slot::Soft).cut(env.width, g.ellipsis));
    }
}

fn waits_rows(list: &[ProposalId], env: &Env<'_>, rows: &mut Vec<Row>) {
    let g = env.glyphs;
    let open = list.iter().filter_map(|id| env.state.open_proposals().find(|p| p.id == *id));
    for p in open {
        let (_, _, undecided) = p.tally();
        let all = p.hunks.len();
        let what = match (p.kind, undecided) {
            (pilothouse_core::tool::ChangeKind::Delete, _) => "its removal waits for you".to_owned(),
            (_, 0) => "decided, not written yet".to_owned(),
            (_, n) if n == all => format!(
                "{} for you",
                if n == 1 { "1 hunk waits".to_owned() } else { format!("{n} hunks wait") }
            ),
            (_, n) => format!("{n} of {all} hunks {} for you", if n == 1 { "waits" } else { "wait" }),
        };
        let room = env.width.saturating_sub(2);
        let path = row::fit_path(&Clean::line(p.path.as_str()), room, g.ellipsis);
        let row = Row::of(g.waits, Slot::Warn).and(" ", Slot::Text).and(&path, Slot::Text);
        rows.push(row.and("   ", Slot::Text).and(&what, Slot::Soft).cut(env.width, g.ellipsis));
    }
}
