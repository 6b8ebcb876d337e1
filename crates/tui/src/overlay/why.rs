//! Why a message takes its path: the tier, the scores, the parts, and what would have changed it.
//!
//! Owns the page and its words. Core's classifier gives the facts; nothing is decided here.

use crossterm::event::KeyEvent;
use pilothouse_core::{
    clean::Clean,
    ids::Seq,
    intent::{IntentNode, IntentPath, Message, Reading, Slash, Source, Why, reading::turn_names},
    session::{Session, TurnInfo},
};
use ratatui::{
    buffer::Buffer,
    style::Modifier,
    text::{Line, Span},
};

use super::{
    Caret, Letter, Overlay, OverlayKind,
    page::{Page, Scroll},
};
use crate::{
    ctx::{Ctx, Outcome},
    keymap::{Action, Entry},
    preview::{self, LONGEST, unlocks},
    row::{Ink, Piece, Row, wrap},
    status::shorten,
    theme::Slot,
};

/// Columns of the labels.
const LABEL: usize = 10;
/// Cells of a score's bar.
const BAR: usize = 12;
/// Twice as many: a cell is full from its middle on.
const HALVES: f32 = 24.0;

/// The page.
pub const KIND: OverlayKind = OverlayKind::page(
    Entry { name: "why", label: "why this path", reach: "opens a page; the draft, else the last message" },
    Some(Slash::Why),
    inspect,
);

/// The draft as it would be read, or else the last message.
fn inspect(ctx: &Ctx<'_>) -> Result<Box<dyn Overlay>, &'static str> {
    let draft = ctx.draft.shown();
    let inspected = if draft.trim().is_empty() || draft.len() > LONGEST {
        Inspected::last(ctx.session)
    } else {
        Some(Inspected::draft(&draft, ctx.session))
    };
    let inspected = inspected.ok_or("type or send a message to see why it takes its path")?;
    Ok(Box::new(inspected))
}

/// What is inspected: a draft, or the last message as it was read when it was sent.
#[derive(Debug)]
pub struct Inspected {
    sent: bool,
    text: String,
    path: IntentPath,
    turn: String,
    confidence: f32,
    source: String,
    reasoning: String,
    why: Why,
    scroll: Scroll,
}

impl Inspected {
    /// What sending `draft` now would mean.
    fn draft(draft: &str, session: &Session) -> Self {
        let state = session.state();
        let context = state.context(Seq(u64::MAX));
        let why = session.tiers().classifier.why(&state.message(draft.trim(), &context));
        let class = &why.reading.whole;
        Self {
            sent: false,
            text: draft.trim().to_owned(),
            path: class.path.clone(),
            turn: turn_name(&class.turn),
            confidence: class.confidence,
            source: source_words(class.source),
            reasoning: class.reasoning.clone(),
            why,
            scroll: Scroll::default(),
        }
    }

    /// How the last message was read; `None` before the first.
    fn last(session: &Session) -> Option<Self> {
        let state = session.state();
        let info: &TurnInfo = state.turns.values().next_back()?;
        let context = state.context(info.seq);
        let message = Message {
            text: &info.head,
            phase: info.phase,
            paused: false,
            plan_active: info.plan_active,
            chat_only: state.chat_only,
            context: &context,
            last: state.last_work(info.seq),
        };
        Some(Self {
            sent: true,
            text: info.head.clone(),
            path: info.path.clone(),
            turn: turn_name(&info.class),
            confidence: info.confidence,
            source: source_words(info.source),
            reasoning: info.reasoning.clone(),
            why: session.tiers().classifier.why(&message),
            scroll: Scroll::default(),
        })
    }

    /// For frames that are kept: a page whose figures no other weights change.
    #[cfg(test)]
    pub(crate) fn sample(session: &Session) -> Self {
        use pilothouse_core::intent::{Flip, similar::Near};
        let near =
            |name: &str, score| Near { name: name.into(), phrase: "rename it".into(), score, own: false };
        let mut page = Self::draft("@modify rename the parser module", session);
        (page.confidence, page.turn, page.reasoning) = (0.9, "plan_new".into(), "the prefix says so".into());
        page.why.shares = vec![(IntentNode::Modify, 0.9), (IntentNode::Plan, 0.06)];
        (page.why.primary, page.why.sub) = (Some(near("plan_new", 0.8)), None);
        page.why.leaf = Some(near("modify", 0.7));
        page.why.flips = vec![Flip { without: "rename".into(), to: IntentNode::Explain }];
        page
    }

    fn rows(&self, ctx: &Ctx<'_>, width: usize) -> Vec<Line<'static>> {
        let mut rows = Rows { ctx, width, lines: Vec::new() };
        rows.fact("message", &format!("“{}”", Clean::line(&self.text)), Slot::Strong, 2);
        rows.path(&self.path);
        rows.fact("turn", &format!("{}   confidence {:.2}", self.turn, self.confidence), Slot::Text, 1);
        rows.fact("allows", unlocks(self.path.current()), Slot::Text, 1);
        rows.gap();
        rows.fact("tier", &self.source, Slot::Text, 1);
        rows.fact("because", &Clean::line(&self.reasoning), Slot::Text, 3);
        rows.matches(&self.why);
        rows.shares(&self.why);
        rows.parts(&self.why.reading);
        rows.changes(self);
        rows.lines
    }
}

impl Overlay for Inspected {
    fn name(&self) -> &'static str {
        KIND.entry.name
    }

    fn render(&self, ctx: &Ctx<'_>, buf: &mut Buffer) -> Caret {
        let width = usize::from(ctx.body.width.min(100).saturating_sub(8));
        let mut rows = self.rows(ctx, width);
        if rows.len() + 3 > usize::from(ctx.body.height) {
            rows.retain(|row| row.width() > 0);
        }
        let right = if self.sent { "your last message" } else { "your draft, not sent" };
        let page =
            Page { title: "Why this path", right, keys: &[("Esc", "close")], width: 100, height: 0, rows };
        page.draw(&self.scroll, ctx, buf);
        None
    }

    fn weighs(&self, letter: char, _action: Option<Action>, _ctx: &Ctx<'_>) -> Option<Letter> {
        Scroll::weighs(letter)
    }

    fn key(&mut self, key: KeyEvent, _ctx: &Ctx<'_>) -> Option<Outcome> {
        self.scroll.shown(key)
    }
}

struct Rows<'a> {
    ctx: &'a Ctx<'a>,
    width: usize,
    lines: Vec<Line<'static>>,
}

impl Rows<'_> {
    fn gap(&mut self) {
        self.lines.push(Line::default());
    }

    fn row(&mut self, label: &str, spans: Vec<Span<'static>>) {
        let mut all = vec![Span::styled(format!("{label:LABEL$}"), self.ctx.theme.style(Slot::Soft))];
        all.extend(spans);
        self.lines.push(Line::from(all));
    }

    /// A label and a text over at most `most` rows.
    fn fact(&mut self, label: &str, text: &str, slot: Slot, most: usize) {
        let style = self.ctx.theme.style(slot);
        let piece = Piece::new(text, Ink::of(slot));
        let parts: Vec<String> =
            wrap(&[piece], self.width.saturating_sub(LABEL).max(8)).iter().map(Row::text).collect();
        let more = parts.len() > most;
        for (i, part) in parts.into_iter().take(most).enumerate() {
            let part = if more && i + 1 == most { shorten(&format!("{part}…"), self.width) } else { part };
            self.row(if i == 0 { label } else { "" }, vec![Span::styled(part, style)]);
        }
    }

    fn path(&mut self, path: &IntentPath) {
        let theme = self.ctx.theme;
        let last = path.nodes().len().saturating_sub(1);
        let mut spans = Vec::new();
        for (i, node) in path.nodes().iter().enumerate() {
            if i > 0 {
                let arrow = format!(" {} ", self.ctx.glyphs.arrow);
                spans.push(Span::styled(arrow, theme.style(Slot::Arrow)));
            }
            let style = if i < last {
                theme.style(Slot::OkDim)
            } else {
                theme.style(Slot::Accent).add_modifier(Modifier::BOLD)
            };
            spans.push(Span::styled(node.title(), style));
        }
        self.row("path", spans);
    }

    /// The nearest exemplars, as `matched primary=query at 0.87, sub=query.detail at 0.72`.
    fn matches(&mut self, why: &Why) {
        let near = [("primary", &why.primary), ("sub", &why.sub), ("leaf", &why.leaf)];
        let told: Vec<String> = near
            .iter()
            .filter_map(|(what, near)| near.as_ref().map(|n| format!("{what}={} at {:.2}", n.name, n.score)))
            .collect();
        if !told.is_empty() {
            self.fact("nearest", &told.join(", "), Slot::Text, 2);
        }
        if let Some(near) = &why.leaf {
            self.fact("", &format!("“{}”", near.phrase), Slot::Soft, 1);
        }
    }

    fn shares(&mut self, why: &Why) {
        for (i, (leaf, share)) in why.shares.iter().enumerate().filter(|(i, s)| *i < 2 || s.1 >= 0.02) {
            let full = (1..=BAR)
                .filter(|cell| share * HALVES >= f32::from(u8::try_from(2 * cell - 1).unwrap_or(u8::MAX)))
                .count();
            let glyphs = self.ctx.glyphs;
            let bar = glyphs.full.repeat(full) + &glyphs.empty.repeat(BAR - full.min(BAR));
            let theme = self.ctx.theme;
            let spans = vec![
                Span::styled(format!("{:<10}", leaf.name()), theme.style(Slot::Text)),
                Span::styled(bar, theme.style(if i == 0 { Slot::Accent } else { Slot::Faint })),
                Span::styled(format!("  {share:.2}"), theme.style(Slot::Soft)),
            ];
            self.row(if i == 0 { "scores" } else { "" }, spans);
        }
    }

    fn parts(&mut self, reading: &Reading) {
        if reading.segments.len() < 2 {
            return;
        }
        self.gap();
        for (i, part) in reading.segments.iter().take(6).enumerate() {
            let told = if part.dropped { "taken back".to_owned() } else { title(part.class.path.current()) };
            let room = self.width.saturating_sub(LABEL + 14).max(8);
            let text = format!("“{}”", Clean::line(part.text.trim()));
            let theme = self.ctx.theme;
            let slot = if part.dropped { Slot::Faint } else { Slot::Text };
            let spans = vec![
                Span::styled(
                    format!("{told:12}"),
                    theme.style(if part.dropped { Slot::Faint } else { Slot::Info }),
                ),
                Span::styled(shorten(&text, room), theme.style(slot)),
            ];
            self.row(if i == 0 { "parts" } else { "" }, spans);
        }
    }

    /// What would have changed it.
    fn changes(&mut self, inspected: &Inspected) {
        let reading = &inspected.why.reading;
        let leaf = inspected.path.current();
        let mut changes: Vec<(String, String)> = Vec::new();
        if reading.forbids_change {
            changes.push((
                "a clause forbids changes".to_owned(),
                "nothing deeper, whatever else it says".to_owned(),
            ));
        }
        for flip in &inspected.why.flips {
            let words = shorten(&Clean::line(&flip.without), 30);
            changes.push((format!("without “{words}”"), title(flip.to)));
        }
        if preview::acts(leaf) {
            changes.push(("with @plan before it".to_owned(), "Plan: steps only".to_owned()));
        }
        changes.push(("with @node before it".to_owned(), "that node, whatever the words".to_owned()));
        self.gap();
        let longest = changes.iter().map(|(what, _)| what.chars().count()).max().unwrap_or_default();
        let wide = if self.width < 70 { 0 } else { longest };
        for (i, (what, to)) in changes.into_iter().enumerate() {
            let theme = self.ctx.theme;
            let arrow = format!(" {} ", self.ctx.glyphs.arrow);
            let spans = vec![
                Span::styled(format!("{what:wide$}"), theme.style(Slot::Text)),
                Span::styled(arrow, theme.style(Slot::Faint)),
                Span::styled(to, theme.style(Slot::Soft)),
            ];
            self.row(if i == 0 { "otherwise" } else { "" }, spans);
        }
    }
}

fn title(node: IntentNode) -> String {
    node.title().to_owned()
}

fn turn_name(turn: &pilothouse_core::intent::Turn) -> String {
    match turn_names(turn) {
        (turn, Some(sub)) => format!("{turn}.{sub}"),
        (turn, None) => turn.to_owned(),
    }
}

fn source_words(source: Source) -> String {
    match source {
        Source::Slash => "a command by name",
        Source::AtNode => "@node: you named the path",
        Source::Exemplar => "exemplars and statistics, checked against the sentence's structure",
        Source::Heuristic => "the sentence's structure: form, verb, short answers",
        Source::Llm => "the model was asked; the shallower path counts",
        Source::Cache => "an earlier answer for the same message",
        Source::Fallback => "nothing was clear: the shallow path",
    }
    .to_owned()
}
