//! One entry of the conversation and its rows.
//!
//! Owns how each kind of entry looks. Never looks at another entry.

mod call;
mod gated;
mod reply;
mod rows;
mod sections;

use std::{collections::VecDeque, ops::Range};

pub(super) use self::{gated::Gated, sections::Sections};
use crate::{
    highlight::Highlighter,
    markdown::Markdown,
    row::Row,
    theme::{Glyphs, Slot},
};
use pilothouse_core::{
    blob::{BlobId, Excerpt},
    checkpoint::CheckpointKind,
    event::CallStatus,
    ids::{CheckpointId, LaneId, Millis, ProposalId, TaskId, TurnId},
    pipeline::StepName,
    policy::{Request, Ruling},
    session::State,
    talk::Usage,
    tool::{Subject, Tool},
};

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
    /// The key that unfolds the entry at which it is pressed.
    pub(super) opens: &'a str,
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
                let shown =
                    format!("{}\n\n[... {} bytes in all ...]\n\n{}", excerpt.head, excerpt.bytes, cut.tail);
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
    /// The turn that it began, of what was said.
    pub(super) turn: Option<TurnId>,
    /// Whether it is still to be found out what it means.
    unheard: bool,
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
    Question(Box<Question>),
    Waits(Vec<ProposalId>, CheckpointId),
    Gone,
}

#[derive(Debug, Default)]
pub(super) struct Reply {
    pub(super) md: Markdown,
    pub(super) running: bool,
    pub(super) beside: bool,
    /// The number of its step, where others are at work as well.
    pub(super) step: Option<usize>,
    pub(super) cut: bool,
    /// Whether it was cut by itself, and not by the user.
    pub(super) broke: bool,
    pub(super) since: Millis,
    pub(super) note: String,
    /// Until when its server is waited for.
    pub(super) until: Option<Millis>,
    pub(super) thinking: String,
    pub(super) blob: Option<BlobId>,
    /// Bytes streamed so far, and whether some were lost on the way.
    pub(super) streamed: u64,
    pub(super) gap: bool,
    /// Bytes of calls that were written before the one that is, and of that one.
    pub(super) called: (u64, u64),
    /// Tokens written so far, where the server counts them.
    pub(super) counted: u64,
    /// An answer in sections, of which the beginning stands here until it is unfolded.
    pub(super) sections: Option<Sections>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum CallState {
    #[default]
    Asked,
    Running,
    Ended(CallStatus),
}

#[derive(Debug, Default)]
pub(super) struct Call {
    pub(super) tool: Option<Tool>,
    pub(super) name: String,
    pub(super) subject: String,
    pub(super) state: CallState,
    pub(super) since: Millis,
    pub(super) took: Option<u64>,
    pub(super) summary: String,
    pub(super) result: Text,
    /// Whether the user changed what was proposed.
    pub(super) changed: bool,
    /// The number of its step, where others are at work as well.
    pub(super) step: Option<usize>,
    /// What the rules were asked, once that is known.
    pub(super) request: Option<Request>,
    /// What decided.
    pub(super) ruling: Option<Ruling>,
    /// The last lines of its output: whether on standard error, and the text.
    pub(super) tail: VecDeque<(bool, String)>,
    /// Where all that it wrote is stored, and whether that is more than is unfolded here.
    pub(super) stored: Option<BlobId>,
    pub(super) long: bool,
    /// In how many rows some of what it wrote stands below it while it is folded.
    pub(super) peek: usize,
    /// The sub-agents that it started, in order.
    pub(super) children: Vec<Agent>,
    /// The gate that it ran, once that is judged.
    pub(super) gate: Option<Gated>,
    /// What it is called as a step of a pipeline's stage, and whether it is one.
    pub(super) staged: Option<StepName>,
    pub(super) below: bool,
    /// Whether the user typed its line.
    pub(super) typed: bool,
}

/// A sub-agent.
#[derive(Debug)]
pub(super) struct Agent {
    pub(super) lane: LaneId,
    /// What kind, by its name.
    pub(super) work: String,
    pub(super) task: String,
    /// What it does right now.
    pub(super) now: String,
    /// Model calls so far.
    pub(super) calls: u32,
    pub(super) usage: Usage,
    pub(super) since: Millis,
    /// How long it took, and whether it came to its end by itself; `None` while it works.
    pub(super) ended: Option<(u64, bool)>,
    /// Why its model failed, if it did.
    pub(super) failed: Option<String>,
}

#[derive(Debug, Default)]
pub(super) struct Facts {
    pub(super) lines: Vec<(Row, Row)>,
    pub(super) detail: String,
}

#[derive(Debug)]
pub(super) struct PlanCard {
    pub(super) summary: String,
    /// How many of its last lines tell of gates.
    pub(super) gates: usize,
    /// The rows that a yes covers: what goes beyond what was asked for, and the gates.
    pub(super) gate_rows: Range<usize>,
    pub(super) note: Markdown,
    pub(super) checkpoint: Option<CheckpointId>,
    /// What became of it; `None` while it waits.
    pub(super) verdict: Option<(&'static str, Slot)>,
}

#[derive(Debug)]
pub(super) struct Question {
    pub(super) checkpoint: CheckpointId,
    pub(super) kind: CheckpointKind,
    pub(super) message: String,
    pub(super) hint: String,
    pub(super) choices: Vec<String>,
    pub(super) failed: bool,
    /// Whether the reply above it asks it already.
    pub(super) above: bool,
    /// What was said to it; nothing where that stands below it as a message.
    pub(super) answer: Option<String>,
    /// Whether it ended without what it asked for.
    pub(super) fell: bool,
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
            turn: None,
            unheard: false,
            width: 0,
            head: Vec::new(),
            foot: Vec::new(),
        }
    }

    /// What the rules were asked about the call, and what decided; `None` of what is no call of theirs.
    pub(super) fn asked(&self) -> Option<(Request, Option<Ruling>)> {
        let Body::Call(call) = &self.body else { return None };
        let tool = call.tool?;
        let request = if tool == Tool::Run {
            call.request.clone()?
        } else if tool.subject() == Subject::Path {
            // What it does last is what it is for.
            Request::Path { act: *tool.acts().last()?, path: call.subject.clone() }
        } else {
            return None;
        };
        Some((request, call.ruling.clone()))
    }

    /// Whether it is a plan.
    pub(super) const fn is_plan(&self) -> bool {
        matches!(self.body, Body::Plan(_))
    }

    /// Whether it is a question.
    pub(super) const fn is_question(&self) -> bool {
        matches!(self.body, Body::Question(_))
    }

    /// Whether it is something that a yes can be said to once it was read.
    pub(super) const fn is_to_be_read(&self) -> bool {
        matches!(self.body, Body::Plan(_) | Body::Question(_))
    }

    /// Whether it is the plan that this question is about.
    pub(super) fn is_plan_of(&self, question: CheckpointId) -> bool {
        matches!(&self.body, Body::Plan(card) if card.checkpoint == Some(question))
    }

    /// Whether it is this question in its own words.
    pub(super) fn is_card_of(&self, question: CheckpointId) -> bool {
        matches!(&self.body, Body::Question(card) if card.checkpoint == question)
    }

    /// The rows that a yes says yes to: those of a plan's gates, all of a question.
    pub(super) fn rows_to_read(&self) -> Range<usize> {
        match &self.body {
            Body::Plan(card) => card.gate_rows.clone(),
            Body::Question(_) => usize::from(self.lead)..self.head.len(),
            Body::Said(_) | Body::Reply(_) | Body::Call(_) | Body::Facts(_) => 0..0,
            Body::Task { .. } | Body::Waits(..) | Body::Gone => 0..0,
        }
    }

    /// Whether it changes by itself.
    pub(super) fn running(&self) -> bool {
        matches!(&self.body, Body::Reply(r) if r.running)
            || matches!(&self.body, Body::Call(c) if c.state == CallState::Running)
    }

    /// Whether what it wrote stands on a page of its own, for it is longer than what is unfolded here.
    pub(super) fn is_long(&self) -> bool {
        matches!(&self.body, Body::Call(c) if c.is_long())
    }

    /// Whether Enter shows more or less of it.
    pub(super) fn folds(&self) -> bool {
        match &self.body {
            Body::Call(c) => !c.result.shown.is_empty() || !c.tail.is_empty(),
            Body::Facts(f) => !f.detail.is_empty(),
            Body::Plan(p) => p.verdict.is_some(),
            Body::Reply(r) => !r.thinking.is_empty() || r.sections.as_ref().is_some_and(|s| s.hides),
            Body::Question(q) => q.answer.is_some(),
            Body::Said(t) => rows::is_long(t),
            Body::Task { .. } | Body::Waits(..) | Body::Gone => false,
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
                match (text, &mut r.sections) {
                    (Some(text), Some(sections)) => *sections = sections.of_whole(text),
                    (Some(text), None) => r.md.settle(text),
                    (None, _) => {}
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
            Body::Reply(r) => r.sections.as_ref().map_or(r.md.source(), |s| s.whole.as_str()).to_owned(),
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

    /// Unfolds it, or folds it again.
    pub(super) fn unfold(&mut self, open: bool) {
        (self.open, self.dirty) = (open, true);
    }

    /// Rows at the width of the last [`Entry::lay`].
    pub(super) fn height(&self) -> usize {
        let md = if let Body::Reply(r) = &self.body { r.md.rows().len() } else { 0 };
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

    /// Whether it may look otherwise although nothing was said to it.
    fn waits(&self) -> bool {
        matches!(&self.body, Body::Waits(..))
            || matches!(&self.body, Body::Plan(card) if card.note.is_plain())
    }

    /// Gives the code in these rows its colours, as far as they are known.
    pub(super) fn colour(&mut self, rows: Range<usize>, colours: &Highlighter) {
        let head = self.head.len();
        if let Body::Reply(r) = &mut self.body {
            r.md.colour(rows.start.saturating_sub(head)..rows.end.saturating_sub(head), colours);
        }
    }

    /// Lays it out unless it stands already.
    pub(super) fn lay(&mut self, env: &Env<'_>) {
        let live = self.running() || self.waits();
        let mut pending = env.state.pending_messages.iter().zip(0..);
        let waiting = pending.find(|(h, _)| Some(h.turn) == self.turn).map(|(h, place)| (place, h.model));
        self.dirty |= self.unheard != waiting.is_some();
        self.unheard = waiting.is_some();
        if self.width == env.width && !self.dirty && !live && !matches!(self.body, Body::Reply(_)) {
            return;
        }
        (self.width, self.dirty) = (env.width, false);
        self.head.clear();
        self.foot.clear();
        if self.lead && !matches!(self.body, Body::Gone) {
            self.head.push(Row::new());
        }
        let (head, at, open) = (&mut self.head, self.at, self.open);
        match &mut self.body {
            Body::Said(text) => {
                rows::said(text, at, open, env, head);
                rows::unheard(waiting, env, head);
            }
            Body::Reply(reply) => {
                rows::reply_rows(reply, open, env, head, &mut self.foot);
            }
            Body::Call(call) => rows::call_rows(call, open, env, head),
            Body::Facts(facts) => rows::fact_rows(facts, open, env, head),
            Body::Task { text, .. } => {
                let text = text.as_deref().unwrap_or("[task]");
                let (number, title) = text.split_once("] ").unwrap_or((text, ""));
                let close = if title.is_empty() { "" } else { "] " };
                let row = Row::of(number, Slot::Soft).and(close, Slot::Soft).and(title, Slot::Text);
                head.push(row.cut(env.width, env.glyphs.ellipsis));
            }
            Body::Plan(card) => rows::plan_rows(card, open, env, head),
            Body::Question(q) => rows::question_rows(q, open, env, head),
            Body::Waits(list, review) => rows::waits_rows(list, *review, env, head),
            Body::Gone => {}
        }
        if self.head.len() == 1 && self.lead && matches!(self.body, Body::Waits(..) | Body::Question(_)) {
            self.head.clear();
        }
    }

    /// Forgets its rows, to be laid out when it is seen again.
    pub(super) fn forget(&mut self) {
        self.head = Vec::new();
        if let Body::Reply(r) = &mut self.body {
            r.md.forget();
            r.sections.iter_mut().for_each(Sections::forget);
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
