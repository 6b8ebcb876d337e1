//! The plan on the screen: which rows have room, and what stays in sight below them.
//!
//! Owns where rows stand. What they say is `rows`' affair.

use ratatui::{buffer::Buffer, layout::Rect};

use super::{PlanPane, rows};
use crate::{
    pane::{Ctx, empty_state, inside},
    row::Row,
    theme::Slot,
};

impl PlanPane {
    /// Settles what is drawn. Where not all of it has room, what a yes allows stays at the foot while the steps move above
    /// it, and what was used and empty rows make room for that. What of it is cut there stands whole behind the steps.
    pub(super) fn arrange(&mut self, mut drawn: rows::Drawn, footer: Row, width: usize, ctx: &Ctx<'_>) {
        self.footer = footer;
        self.pinned.clear();
        self.beyond = rows::all_beyond(&drawn.reach.0);
        self.ellipsis = ctx.glyphs.ellipsis;
        let room = usize::from(self.size.height.saturating_sub(self.footer_rows()));
        if drawn.reach.0.is_empty() || drawn.height() <= room {
            drawn.close_up_to(room);
            self.items = drawn.whole();
            return;
        }
        self.footer = Row::new();
        let room = usize::from(self.size.height);
        // Half of the room, and all that the steps leave of it; one row parts both.
        let most = (room / 2).max(room.saturating_sub(drawn.least())).saturating_sub(1);
        self.pinned = rows::within(&drawn.reach.0, most, width, ctx.glyphs.ellipsis);
        drawn.close_up(room.saturating_sub(self.pinned.len() + 1));
        let whole = self.pinned.len() + drawn.items.len() == drawn.height().saturating_sub(1);
        self.items = if whole { drawn.items } else { drawn.whole() };
    }

    /// Rows at the foot that do not move.
    pub(super) fn foot_rows(&self) -> u16 {
        let parted = usize::from(!self.pinned.is_empty());
        self.footer_rows() + u16::try_from(self.pinned.len() + parted).unwrap_or(u16::MAX)
    }

    pub(super) fn draw(&self, ctx: &Ctx<'_>, area: Rect, buf: &mut Buffer, focused: bool) {
        let area = area.intersection(buf.area);
        if self.items.is_empty() {
            let words = [
                "No plan yet.",
                "Say what to change; it is planned here,",
                "and nothing runs before you approve.",
            ];
            return empty_state(ctx, area, buf, &words);
        }
        let inner = inside(area);
        let chosen = self.chosen().map(|(at, _)| at);
        let body = area.bottom().saturating_sub(self.foot_rows()).max(area.top());
        let shown = usize::from(body.saturating_sub(area.top()));
        // It has a row of its own where it would cut another.
        let own = usize::from(self.is_cut(self.offset + shown));
        let more = self.edge(self.offset + shown - own).unwrap_or_default();
        let wide = u16::try_from(more.width()).unwrap_or(u16::MAX).min(inner.width);
        let rows = area.top()..body - u16::from(own > 0);
        for (y, (n, item)) in rows.zip(self.items.iter().enumerate().skip(self.offset)) {
            // A heading whose rows are below the edge is below it as well, where it has another row.
            if !item.heads || y + 1 < body || shown == 1 {
                let taken = if y + 1 == body { wide } else { 0 };
                // What stands at the right begins with one.
                let ellipsis = if taken > 0 { "" } else { ctx.glyphs.ellipsis };
                let row = item.row.clone().cut(usize::from(inner.width - taken), ellipsis);
                row.paint(ctx.theme, buf, inner, y);
            }
            if focused && chosen == Some(n) {
                buf.set_style(Rect { y, height: 1, ..area }, ctx.theme.fill(Slot::Select));
            }
        }
        if wide > 0 && body > area.top() {
            let at = Rect { x: inner.right() - wide, width: wide, ..inner };
            more.paint(ctx.theme, buf, at, body - 1);
        }
        let foot = area.bottom() - self.footer_rows().min(area.height);
        let pinned = u16::try_from(self.pinned.len()).unwrap_or(u16::MAX);
        for (row, y) in self.pinned.iter().zip(foot.saturating_sub(pinned).max(area.top())..foot) {
            row.paint(ctx.theme, buf, inner, y);
        }
        if self.footer_rows() > 0 {
            self.footer.paint(ctx.theme, buf, inner, area.bottom() - 1);
        }
    }
}
