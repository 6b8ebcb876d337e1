//! The frame: what stands where, drawn from what is true. Drawing changes nothing.
//!
//! Owns the settling of sizes (`layout`) and the order of drawing (`render`).

mod chrome;
mod input;
mod offer;

use std::time::Instant;

use ratatui::{
    buffer::Buffer,
    layout::{Rect, Size},
    style::{Modifier, Style},
    text::{Line, Span},
    widgets::{Block, Widget},
};

use super::App;
use crate::{
    bar,
    composer::draft::MAX_ROWS,
    layout::{Areas, Shape, Wants, shape},
    overlay::{
        Overlay, approvals,
        page::{self, Page, borders},
    },
    pane::{Ctx, Focus, Title},
    theme::{Depth, Slot},
};

/// Where the caret is, if it is to be seen.
pub type Caret = Option<(u16, u16)>;

impl App {
    /// Settles sizes and scroll for this screen; before every [`App::render`].
    pub fn layout(&mut self, screen: Rect, now: Instant) {
        self.settle_offer();
        let draft = self.composer.draft.rows(text_width(screen.width));
        let bar = self.bar_rows(screen.width);
        let pad = if screen.height >= 30 && bar > 0 { 2 } else { 0 };
        let state = self.session.state();
        let plan = state.plan.as_ref().or(state.suspended.as_ref());
        let plan = plan.map_or(0, |p| u16::try_from(p.tasks.len() + p.gates.len() + 12).unwrap_or(u16::MAX));
        let wants = Wants {
            draft,
            bar: bar + pad,
            plan: match self.focus {
                Focus::Plan => plan.max(8),
                Focus::Composer | Focus::Conversation | Focus::Diff => plan,
            },
            diff: self.has_diff() || self.focus == Focus::Diff,
            // What is being decided gets the room.
            review: self.focus == Focus::Diff && self.reviewing(),
            welcome: self.welcome(),
        };
        self.areas = Areas::of(screen, wants);
        let hint = u16::from(screen.height >= 6);
        self.settle_offer_size(draft < MAX_ROWS && draft + hint <= self.areas.composer.height);
        let sizes = [Focus::Conversation, Focus::Plan, Focus::Diff].map(|p| size(self.inner(p)));
        let [conversation, plan, diff] = sizes;
        if conversation.height > 0 {
            let mut pane = std::mem::take(&mut self.conversation);
            pane.layout(&self.ctx(now), conversation);
            self.conversation = pane;
        }
        if plan.height > 0 {
            let mut pane = std::mem::take(&mut self.plan);
            pane.layout(&self.ctx(now), plan);
            self.plan = pane;
        }
        if diff.height > 0 {
            let mut pane = std::mem::take(&mut self.diff);
            pane.layout(&self.ctx(now), diff);
            self.diff = pane;
        }
        self.foresee();
        self.collect_asks();
    }

    /// Draws the whole screen; returns where the caret is.
    pub fn render(&self, buf: &mut Buffer, now: Instant) -> Caret {
        let ctx = self.ctx(now);
        buf.set_style(buf.area, self.theme.ground());
        self.header(buf);
        if self.welcome() {
            self.welcome_page(buf);
        } else {
            self.strip(&ctx, buf);
            for pane in [Focus::Conversation, Focus::Plan, Focus::Diff] {
                self.pane(pane, &ctx, buf);
            }
        }
        self.bar(buf);
        let mut caret = self.composer(buf);
        if self.overlays.is_empty() {
            self.popup(buf);
        } else {
            self.step_back(buf);
            caret = self.overlay(buf);
        }
        if self.which_key(now, buf) {
            caret = None;
        }
        self.status(buf);
        self.simplify(buf);
        caret
    }

    /// For poorer terminals: a reversed row is of one colour, and signs of ours are ASCII.
    fn simplify(&self, buf: &mut Buffer) {
        if self.theme.depth() == Depth::TrueColor && !self.look.ascii {
            return;
        }
        for cell in &mut buf.content {
            if cell.modifier.contains(Modifier::REVERSED) {
                cell.fg = Style::reset().fg.unwrap_or_default();
            }
            if self.look.ascii
                && let Some(plain) = ascii(cell.symbol())
            {
                cell.set_symbol(plain);
            }
        }
    }

    /// Whether the body is the page that greets.
    pub(super) fn welcome(&self) -> bool {
        self.is_fresh() && matches!(self.focus, Focus::Composer | Focus::Conversation)
    }

    /// The outer rectangle of a pane; empty when it is not shown.
    fn outer(&self, pane: Focus) -> Rect {
        if self.welcome() {
            return Rect::default();
        }
        match (shape(self.areas.status.width), pane) {
            (Shape::Wide, Focus::Conversation) => self.areas.main,
            (Shape::Wide, Focus::Plan) => self.areas.plan,
            (Shape::Wide, Focus::Diff) => self.areas.diff,
            (Shape::Tabs | Shape::Single, pane) if pane == self.shown => self.areas.main,
            (Shape::Wide | Shape::Tabs | Shape::Single, _) => Rect::default(),
        }
    }

    /// The inside of a pane.
    pub(super) fn inner(&self, pane: Focus) -> Rect {
        let outer = self.outer(pane);
        let (x, y) = match shape(self.areas.status.width) {
            Shape::Wide => (1, 1),
            Shape::Tabs => (1, 0),
            Shape::Single => (0, 0),
        };
        // The first message does not stick to the border.
        let air = u16::from(pane == Focus::Conversation && y == 1 && outer.height >= 16);
        let outer = Rect { y: outer.y + air, height: outer.height - air, ..outer };
        Rect {
            x: outer.x + x.min(outer.width),
            y: outer.y + y.min(outer.height),
            width: outer.width.saturating_sub(2 * x),
            height: outer.height.saturating_sub(2 * y),
        }
    }

    fn pane(&self, pane: Focus, ctx: &Ctx<'_>, buf: &mut Buffer) {
        let outer = self.outer(pane).intersection(buf.area);
        if outer.is_empty() {
            return;
        }
        let focused = self.focus == pane && self.overlays.is_empty();
        if shape(self.areas.status.width) == Shape::Wide && outer.height >= 2 && outer.width >= 4 {
            self.border(pane, ctx, outer, focused, buf);
        }
        let inner = self.inner(pane).intersection(buf.area);
        if inner.is_empty() {
            return;
        }
        match pane {
            Focus::Conversation => self.conversation.render(ctx, inner, buf, focused),
            Focus::Plan => self.plan.render(ctx, inner, buf, focused),
            Focus::Diff => self.diff.render(ctx, inner, buf, focused),
            Focus::Composer => {}
        }
    }

    fn border(&self, pane: Focus, ctx: &Ctx<'_>, outer: Rect, focused: bool, buf: &mut Buffer) {
        let slot = if focused { Slot::Accent } else { Slot::Line };
        let head = if focused {
            self.theme.style(Slot::Strong).add_modifier(Modifier::BOLD)
        } else {
            self.theme.style(Slot::Soft)
        };
        let title = self.title(pane, ctx);
        let room = usize::from(outer.width).saturating_sub(6 + title.right.width());
        let left = crate::status::shorten(&title.left, room);
        let mut block = Block::bordered()
            .border_set(borders(&self.glyphs))
            .border_style(self.theme.style(slot))
            .title(Span::styled(format!(" {left} "), head));
        if title.right.width() > 0 {
            block = block.title(padded(title.right).right_aligned());
        }
        let hints = match pane {
            Focus::Conversation => self.conversation.hints(ctx, outer.width.saturating_sub(4)),
            Focus::Plan => self.plan.hints(ctx, outer.width.saturating_sub(4)),
            Focus::Diff => self.diff.hints(ctx, outer.width.saturating_sub(4)),
            Focus::Composer => Line::default(),
        };
        if focused && hints.width() > 0 {
            block = block.title_bottom(padded(hints));
        }
        block.render(outer, buf);
    }

    pub(super) fn title(&self, pane: Focus, ctx: &Ctx<'_>) -> Title {
        match pane {
            Focus::Conversation | Focus::Composer => self.conversation.title(ctx),
            Focus::Plan => self.plan.title(ctx),
            Focus::Diff => self.diff.title(ctx),
        }
    }

    fn bar_facts<'a>(&'a self, keys: &'a [String; 3]) -> bar::Facts<'a> {
        let [plan_key, diff_key, approvals_key] = keys;
        bar::Facts {
            theme: &self.theme,
            glyphs: &self.glyphs,
            drafting: !self.composer.draft.is_empty() && self.composer.offered().is_none(),
            offered: self.composer.offered().map(|o| o.question),
            plan_key,
            diff_key,
            approvals_key,
        }
    }

    fn bar_keys(&self) -> [String; 3] {
        use crate::{frame::Action as F, keymap::Action as A};
        [F::Plan, F::Diff, F::Approvals].map(|a| self.keymap.key(A::Frame(a)).unwrap_or_default())
    }

    /// Whether the one thing that waits already has the keys, so that no bar need name it.
    fn at_the_diff(&self) -> bool {
        let only_diffs = self.session.state().open.values().all(|c| c.kind.review().is_some());
        self.focus == Focus::Diff && only_diffs
    }

    fn bar_rows(&self, width: u16) -> u16 {
        let keys = self.bar_keys();
        if self.at_the_diff() {
            return 0;
        }
        let rows = bar::rows(self.session.state(), &self.bar_facts(&keys), width.saturating_sub(3));
        u16::try_from(rows.len()).unwrap_or(u16::MAX)
    }

    fn bar(&self, buf: &mut Buffer) {
        let area = self.areas.bar.intersection(buf.area);
        let keys = self.bar_keys();
        let facts = self.bar_facts(&keys);
        let rows = bar::rows(self.session.state(), &facts, area.width.saturating_sub(3));
        let bad = self.session.state().failure.is_some();
        bar::render(&rows, &facts, bad, area, buf);
    }

    /// Under an overlay the rest loses its colour, so that one thing is in colour.
    fn step_back(&self, buf: &mut Buffer) {
        let style = |slot| Style::reset().patch(self.theme.ground()).patch(self.theme.style(slot));
        let (faint, line) = (style(Slot::Faint), style(Slot::Line));
        let above = Rect { height: self.areas.composer.y.saturating_sub(buf.area.y), ..buf.area };
        for position in above.intersection(buf.area).positions() {
            if let Some(cell) = buf.cell_mut(position) {
                let drawn = matches!(cell.symbol(), "─" | "│" | "╭" | "╮" | "╰" | "╯");
                cell.set_style(if drawn { line } else { faint });
            }
        }
    }

    fn overlay(&self, buf: &mut Buffer) -> Caret {
        let mut caret = None;
        let page = Page {
            theme: &self.theme,
            glyphs: &self.glyphs,
            state: self.session.state(),
            policy: self.session.policy(),
            surroundings: &self.surroundings,
            body: self.body().intersection(buf.area),
        };
        // A page of its own stands alone: what it lies over would only look out at its edges.
        let alone = matches!(self.overlays.last(), Some(Overlay::Reason(_) | Overlay::Rule(_)));
        let under = if alone { self.overlays.len() - 1 } else { 0 };
        for overlay in self.overlays.iter().skip(under) {
            caret = match overlay {
                Overlay::Approvals(list) => {
                    approvals::render(list, &page, buf);
                    None
                }
                Overlay::Palette(palette) => palette.render(&page, buf),
                Overlay::Help(help) => {
                    help.render(&page, &self.keymap, self.focus, buf);
                    None
                }
                Overlay::Status => {
                    page::status(&page, buf);
                    None
                }
                Overlay::Connect => {
                    page::connect(&page, buf);
                    None
                }
                Overlay::Sheet(sheet) => {
                    sheet.render(&page, buf);
                    None
                }
                Overlay::Reason(reason) => {
                    reason.render(&page, buf);
                    None
                }
                Overlay::Rule(offer) => {
                    offer.render(&page, buf);
                    None
                }
                Overlay::Why(inspected) => {
                    inspected.render(&page, buf);
                    None
                }
                Overlay::Prompt(prompt) => self.prompt(prompt, &page, buf),
            };
        }
        caret
    }
}

/// What stands for a sign of typography where only ASCII can be shown; letters stay.
fn ascii(symbol: &str) -> Option<&'static str> {
    Some(match symbol {
        "−" | "–" | "—" => "-",
        "…" => "~",
        "→" | "›" | "▸" => ">",
        "←" | "‹" => "<",
        "·" | "•" => "*",
        "“" | "”" => "\"",
        "‘" | "’" => "'",
        "±" => "~",
        _ => return None,
    })
}

fn padded(line: Line<'static>) -> Line<'static> {
    let mut spans = vec![Span::raw(" ")];
    spans.extend(line.spans);
    spans.push(Span::raw(" "));
    Line::from(spans)
}

fn size(area: Rect) -> Size {
    Size::new(area.width, area.height)
}

/// Columns of the draft on a screen of this width.
pub(super) fn text_width(screen: u16) -> u16 {
    if screen >= 12 { screen - 5 } else { screen.max(1) }
}
