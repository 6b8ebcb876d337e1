//! Why a call is asked about, is refused, or runs without a question.
//!
//! Owns the page and how far it is scrolled. The rules give the words; nothing is decided here.

use crossterm::event::{KeyCode, KeyEvent};
use pilothouse_core::{
    checkpoint::{Checkpoint, CheckpointKind},
    ids::ProposalId,
    intent::IntentPath,
    policy::{Outcome, Request, Ruling, Why},
    question::Review,
    session::Session,
    shell::Risk,
};
use ratatui::buffer::Buffer;

use super::{
    Caret, Letter, Overlay,
    page::{Page, SCROLLS, Scroll, labelled},
    why,
};
use crate::{
    ctx::{self, Ctx},
    keymap::Action,
    risk::risk_slot,
    row::{Ink, Row, coded},
    theme::Slot,
};

/// Columns of the labels.
const LABEL: usize = 8;
/// The page is no wider.
const MOST_WIDE: u16 = 110;

/// A call, what the rules say of it now, and what decided when it was made.
#[derive(Debug)]
pub struct Reason {
    why: Why,
    then: Option<Ruling>,
    scroll: Scroll,
}

impl Reason {
    /// Why this call is dealt with as it is; `then` is what decided when it was made.
    pub fn of(request: &Request, then: Option<Ruling>, path: &str, session: &Session) -> Self {
        let why = session.policy().explain(request, &session.state().setting(), path);
        Self { why, then, scroll: Scroll::default() }
    }

    /// Why a question is asked; `None` where no rule has to do with it.
    pub fn of_question(item: &Checkpoint, session: &Session) -> Option<Self> {
        let state = session.state();
        if let Some(why) = session.why_asked(item) {
            return Some(Self { why, then: None, scroll: Scroll::default() });
        }
        let (request, then) = state.spec(item).ruled?;
        let of_call = || state.open_call(item.kind.call()?).map(|(lane, _)| lane);
        let lane = item.kind.lane().and_then(|lane| state.lanes.get(&lane)).or_else(of_call);
        let path = lane.map(|lane| IntentPath::to(lane.node).to_string()).unwrap_or_default();
        Some(Self::of(&request, then, &path, session))
    }

    /// The page that says why a question is asked; where no rule has to do with it, which key explains the message.
    pub fn page(item: Option<&Checkpoint>, ctx: &Ctx<'_>) -> ctx::Outcome {
        if let Some(reason) = item.and_then(|item| Self::of_question(item, ctx.session)) {
            return ctx::Outcome::open(reason);
        }
        let key = ctx.keymap.key(why::KIND.action()).unwrap_or("/why");
        ctx::Outcome::notice(format!("no rule applies here; {key} says why your message took its path"))
    }

    /// The same for a change that waits in a review.
    pub fn page_of_change(proposal: ProposalId, ctx: &Ctx<'_>) -> ctx::Outcome {
        let item = ctx.state.open.values().find_map(|item| {
            let review = item.kind.review().filter(|review| review.proposals.contains(&proposal))?;
            let kind = CheckpointKind::Diff(Review { proposals: vec![proposal], ..review.clone() });
            Some(Checkpoint { kind, ..item.clone() })
        });
        Self::page(item.as_ref(), ctx)
    }

    fn rows(&self, width: usize) -> Vec<Row> {
        let mut all = self.why.rows.clone();
        if let Some(then) = self.then.as_ref().filter(|then| !self.says(then)) {
            all.push(("then", format!("when it was made: {then}")));
        }
        let mut lines = Vec::new();
        for (label, text) in all {
            let slot = match (label, self.why.outcome) {
                ("call", _) => Slot::Strong,
                ("now", Outcome::Run) => Slot::Ok,
                ("now", Outcome::Ask) => Slot::Warn,
                ("now", Outcome::Refuse) => Slot::Bad,
                _ => Slot::Text,
            };
            let ink = if label == "call" { Ink::of(slot).bold() } else { Ink::of(slot) };
            let named = |risk: &Risk| label == "risk" && text.split(':').next() == Some(risk.name());
            let row = match [Risk::Low, Risk::Medium, Risk::High].into_iter().find(named) {
                Some(risk) => {
                    let (word, rest) = text.split_at_checked(risk.name().len()).unwrap_or((&text, ""));
                    Row::of(word, Ink::of(risk_slot(risk)).bold()).with(coded(rest, ink))
                }
                // What runs stands as it is.
                None if label == "call" => Row::of(&text, ink),
                None => coded(&text, ink),
            };
            lines.extend(labelled(label, LABEL, &row, width.saturating_sub(LABEL).max(8)));
            if label == "call" {
                lines.push(Row::new());
            }
        }
        lines
    }

    /// Whether what decided then is what the rules say now.
    fn says(&self, then: &Ruling) -> bool {
        self.why.rows.iter().any(|(label, text)| *label == "rule" && text.starts_with(&then.to_string()))
    }
}

impl Overlay for Reason {
    fn name(&self) -> &'static str {
        "reason"
    }

    fn is_alone(&self) -> bool {
        true
    }

    fn render(&self, ctx: &Ctx<'_>, buf: &mut Buffer) -> Caret {
        let width = usize::from(ctx.body.width.min(MOST_WIDE).saturating_sub(6));
        let rows = self.rows(width).iter().map(|row| row.line(ctx.theme)).collect();
        let title = match self.why.outcome {
            Outcome::Run => "Why it is not asked",
            Outcome::Ask => "Why it is asked",
            Outcome::Refuse => "Why it is refused",
        };
        let keys = &[("Esc", "back, nothing is decided")];
        Page { title, right: "", keys, width: MOST_WIDE, height: 0, rows }.draw(&self.scroll, ctx, buf);
        None
    }

    fn weighs(&self, letter: char, _action: Option<Action>, _ctx: &Ctx<'_>) -> Option<Letter> {
        Some(Letter::of(letter, SCROLLS, &['q', 'w']))
    }

    fn key(&mut self, key: KeyEvent, _ctx: &Ctx<'_>) -> Option<ctx::Outcome> {
        let back = matches!(key.code, KeyCode::Char('q' | 'w'));
        if !back {
            self.scroll.take(key);
        }
        Some(ctx::Outcome { close: back, ..ctx::Outcome::none() })
    }
}
