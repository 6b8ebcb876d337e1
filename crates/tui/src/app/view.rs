//! The frame: what stands where, drawn from what is true. Drawing changes nothing.
//!
//! Owns the settling of sizes (`layout`) and the order of drawing (`render`).

mod chrome;
mod draft;
mod foretold;
mod input;
mod offer;
mod popup;

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
    ctx::Ctx,
    layout::{Areas, Shape, Wants, hint_rows, shape},
    overlay::{Caret, approvals, page::borders},
    pane::{Focus, Pane, diff, plan},
    theme::Slot,
};

/// From this height on rows of air stand around the bar; below it they are the body's.
const BAR_AIR_FROM: u16 = 40;

impl App {
    /// Settles sizes and scroll for this screen; before every [`App::render`].
    pub fn layout(&mut self, screen: Rect, now: Instant) {
        self.settle_offer();
        self.panes.leave_empty(&ctx!(self, now));
        // Who comes back to a review sees it against the files as they are.
        if self.panes.came() == Some(diff::ID) {
            self.look_again();
        }
        self.age_notice(now);
        let columns = text_width(screen.width);
        self.keep_notice(columns, hint_rows(screen.height) > 0 && columns < screen.width, now);
        let draft = self.composer.draft.rows(text_width(screen.width), (screen.height / 2).max(1));
        let bar = self.bar_rows(screen.width);
        let pad = if screen.height >= BAR_AIR_FROM && bar > 0 { 2 } else { 0 };
        let wants = Wants {
            draft,
            bar: bar + pad,
            panes: self.panes.stands(&self.ctx(now)),
            shown: self.panes.shown,
            welcome: self.panes.welcome(self.world.state()),
        };
        self.panes.areas = Areas::of(screen, &wants);
        let hint = hint_rows(screen.height);
        let areas = &self.panes.areas;
        let whole = match self.at_hand() {
            Some(waits) => {
                let room = bar > 0 && bar <= areas.bar.height && areas.composer.height > hint;
                room && bar::shows_whole(&waits.command, bar::columns(screen.width))
            }
            None => self.composer.draft.beyond(areas.composer.height.saturating_sub(hint)) == (0, 0),
        };
        self.settle_offer_size(whole);
        let sizes: Vec<Size> = self.panes.iter().map(|(n, ..)| self.panes.inner(n).as_size()).collect();
        let ctx = ctx!(self, now);
        for ((_, pane), size) in self.panes.all().zip(sizes).filter(|(_, size)| size.height > 0) {
            pane.layout(&ctx, size);
        }
        if self.foretells_at_once() {
            self.foretell();
        }
        self.collect_asks();
        self.entered = self.entered();
    }

    /// Draws the whole screen; returns where the caret is.
    pub fn render(&self, buf: &mut Buffer, now: Instant) -> Caret {
        let ctx = self.ctx(now);
        self.looks.theme.lay_ground(buf);
        self.header(buf);
        if self.panes.welcome(self.world.state()) {
            self.welcome_page(buf);
        } else {
            self.strip(&ctx, buf);
            for (n, id, pane) in self.panes.iter() {
                self.pane(n, self.panes.focus == Focus::Pane(id), pane, &ctx, buf);
            }
        }
        self.bar(buf);
        let mut caret = self.composer(&ctx, buf);
        if self.overlays.is_empty() {
            self.popup(buf);
        } else {
            self.step_back(buf);
            let under = buf.clone();
            caret = self.overlay(&ctx, buf);
            self.clear_edge(&under, buf);
        }
        if self.which_key(now, buf) {
            caret = None;
        }
        self.status(buf, now);
        self.looks.theme.settle_grounds(buf);
        self.simplify(buf);
        caret
    }

    /// For poorer terminals: a reversed row is of one colour, and signs of ours are ASCII.
    fn simplify(&self, buf: &mut Buffer) {
        if self.looks.theme.depth().is_rich() && !self.looks.look.ascii {
            return;
        }
        for cell in &mut buf.content {
            if cell.modifier.contains(Modifier::REVERSED) {
                cell.fg = Style::reset().fg.unwrap_or_default();
            }
            if self.looks.look.ascii
                && let Some(plain) = ascii(cell.symbol())
            {
                cell.set_symbol(plain);
            }
        }
    }

    fn pane(&self, n: usize, has_keys: bool, pane: &dyn Pane, ctx: &Ctx<'_>, buf: &mut Buffer) {
        let outer = self.panes.outer(n).intersection(buf.area);
        if outer.is_empty() {
            return;
        }
        let focused = has_keys && self.overlays.is_empty();
        if self.is_wide() && outer.height >= 2 && outer.width >= 4 {
            self.border(pane, ctx, outer, focused, buf);
        }
        let inner = self.panes.inner(n).intersection(buf.area);
        if !inner.is_empty() {
            pane.render(ctx, inner, buf, focused);
        }
    }

    /// Whether panes stand side by side, each in its border.
    fn is_wide(&self) -> bool {
        shape(self.panes.areas.status.width) == Shape::Wide
    }

    fn border(&self, pane: &dyn Pane, ctx: &Ctx<'_>, outer: Rect, focused: bool, buf: &mut Buffer) {
        let theme = &self.looks.theme;
        let slot = if focused { Slot::Accent } else { Slot::Line };
        let head = if focused {
            theme.style(Slot::Strong).add_modifier(Modifier::BOLD)
        } else {
            theme.style(Slot::Soft)
        };
        let title = pane.title(ctx);
        let room = usize::from(outer.width).saturating_sub(6 + title.right.width());
        let left = crate::status::shorten(&title.left, room);
        let mut block = Block::bordered()
            .border_set(borders(&self.looks.glyphs))
            .border_style(theme.style(slot))
            .title(Span::styled(format!(" {left} "), head));
        if title.right.width() > 0 {
            block = block.title(padded(title.right).right_aligned());
        }
        let hints = pane.hints(ctx, outer.width.saturating_sub(4));
        if focused && hints.width() > 0 {
            block = block.title_bottom(padded(hints));
        }
        block.render(outer, buf);
    }

    pub(super) fn bar_facts<'a>(&'a self, keys: &'a [String; 3]) -> bar::Facts<'a> {
        let [plan_key, diff_key, approvals_key] = keys;
        let around = &self.world.surroundings;
        bar::Facts {
            theme: &self.looks.theme,
            glyphs: &self.looks.glyphs,
            reads: around.read_only.then_some(if around.free { "" } else { "the other window answers it" }),
            enter: self.entered.enter,
            focus: self.panes.focus,
            over: !self.overlays.is_empty(),
            offered: self.composer.offered().map(|o| o.question),
            at_hand: self.at_hand(),
            plan_key,
            diff_key,
            approvals_key,
        }
    }

    pub(super) fn bar_keys(&self) -> [String; 3] {
        let goes = [plan::KIND.toggle(), diff::KIND.toggle(), approvals::KIND.action()];
        goes.map(|action| self.keying.keymap.key(action).unwrap_or_default().to_owned())
    }

    /// Whether everything that waits is shown by the pane that has the keys, so that no bar need name it.
    pub(super) fn is_covered(&self) -> bool {
        let open = &self.world.state().open;
        self.panes.focused().is_some_and(|(_, pane)| open.values().all(|question| pane.covers(question)))
    }

    fn bar_rows(&self, width: u16) -> u16 {
        let keys = self.bar_keys();
        if self.is_covered() {
            return 0;
        }
        let rows = bar::rows(self.world.state(), &self.bar_facts(&keys), bar::columns(width));
        u16::try_from(rows.lines.len()).unwrap_or(u16::MAX)
    }

    fn bar(&self, buf: &mut Buffer) {
        let area = self.panes.areas.bar.intersection(buf.area);
        let keys = self.bar_keys();
        let facts = self.bar_facts(&keys);
        let rows = bar::rows(self.world.state(), &facts, bar::columns(area.width));
        let bad = self.world.state().failure.is_some();
        bar::render(&rows, &facts, bad, area, buf);
    }

    /// Under an overlay the rest loses its colour, so that one thing is in colour.
    fn step_back(&self, buf: &mut Buffer) {
        let style =
            |slot| Style::reset().patch(self.looks.theme.ground()).patch(self.looks.theme.style(slot));
        let (faint, line) = (style(Slot::Faint), style(Slot::Line));
        let above = Rect { height: self.panes.areas.composer.y.saturating_sub(buf.area.y), ..buf.area };
        for position in above.intersection(buf.area).positions() {
            if let Some(cell) = buf.cell_mut(position) {
                let drawn = matches!(cell.symbol(), "─" | "│" | "╭" | "╮" | "╰" | "╯");
                cell.set_style(if drawn { line } else { faint });
            }
        }
    }

    /// Where an overlay covers a part of the bar, no empty row of that stands out below it.
    fn clear_edge(&self, under: &Buffer, buf: &mut Buffer) {
        let bar = self.panes.areas.bar.intersection(buf.area);
        let row = |y| Rect { y, height: 1, ..bar };
        let same = |y: &u16, buf: &Buffer| row(*y).positions().all(|at| under.cell(at) == buf.cell(at));
        let empty = |y: &u16| {
            let text: String = row(*y).positions().filter_map(|at| Some(under.cell(at)?.symbol())).collect();
            text.trim().trim_start_matches(self.looks.glyphs.bar).trim().is_empty()
        };
        let (left, covered): (Vec<u16>, Vec<u16>) = (bar.top()..bar.bottom()).partition(|y| same(y, buf));
        if covered.is_empty() {
            return;
        }
        for at in left.into_iter().filter(empty).flat_map(|y| row(y).positions()) {
            if let Some(cell) = buf.cell_mut(at) {
                cell.reset();
                cell.set_style(self.looks.theme.ground());
            }
        }
    }

    fn overlay(&self, ctx: &Ctx<'_>, buf: &mut Buffer) -> Caret {
        let ctx = {
            let [body, above_bar] = [ctx.body, ctx.above_bar].map(|area| area.intersection(buf.area));
            Ctx { body, above_bar, ..*ctx }
        };
        let mut caret = None;
        let alone = self.overlays.last().is_some_and(|overlay| overlay.is_alone());
        let under = if alone { self.overlays.len() - 1 } else { 0 };
        for overlay in self.overlays.iter().skip(under) {
            caret = overlay.render(&ctx, buf);
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
        "↑" => "^",
        "↓" => "v",
        "·" | "•" => "*",
        "“" | "”" => "\"",
        "‘" | "’" => "'",
        "±" => "+",
        "🧠" => "*",
        _ => return None,
    })
}

fn padded(line: Line<'static>) -> Line<'static> {
    let mut spans = vec![Span::raw(" ")];
    spans.extend(line.spans);
    spans.push(Span::raw(" "));
    Line::from(spans)
}

/// Columns of the draft on a screen of this width.
pub(super) fn text_width(screen: u16) -> u16 {
    if screen >= 12 { screen - 5 } else { screen.max(1) }
}
