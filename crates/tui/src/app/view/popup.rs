//! The list above the composer: files, commands, what was written before.
//!
//! Owns its drawing only.

use pilothouse_core::clean::Clean;
use ratatui::{
    buffer::Buffer,
    layout::Rect,
    style::Modifier,
    text::{Line, Span},
    widgets::{Clear, Widget},
};
use unicode_width::UnicodeWidthStr;

use super::App;
use crate::{
    composer::{Offer, popup},
    overlay::page::first_shown,
    row::fit_path,
    status::shorten,
    theme::Slot,
};

/// Most columns for what commands take, in their list.
const MOST_TAKES: usize = 16;
/// Columns of the names of commands, at least and at most; the chosen one stands whole.
const NAMES: (usize, usize) = (16, 20);

/// From so many columns on it has a column of its own.
const BY_COLUMNS: usize = 90;

impl App {
    /// The list above the composer.
    pub(super) fn popup(&self, buf: &mut Buffer) {
        let Some(popup) = &self.composer.popup else { return };
        let room = self.panes.areas.composer.y.saturating_sub(buf.area.y + 1);
        let title = popup.title();
        // Where the screen has rows, nobody has to scroll for what is on offer; above it the conversation stays in sight.
        let most = usize::from(buf.area.height / 2).max(8);
        let wanted = u16::try_from(popup.rows.len().clamp(1, most)).unwrap_or(8) + 1;
        let height = wanted.min(room);
        let width = buf.area.width;
        if height < 2 || width < 10 {
            return;
        }
        let area = Rect { x: buf.area.x, y: self.panes.areas.composer.y - height, width, height };
        Clear.render(area, buf);
        buf.set_style(area, self.looks.theme.fill(Slot::Raised));
        for y in area.top()..area.bottom() {
            buf.set_string(area.x, y, self.looks.glyphs.bar, self.looks.theme.style(Slot::Accent));
        }
        let head = Line::from(vec![
            Span::styled(title, self.looks.theme.style(Slot::Soft)),
            Span::styled(format!("   {}", popup.keys()), self.looks.theme.style(Slot::Faint)),
        ]);
        let line = |y: u16| Rect { x: area.x + 2, y, width: area.width - 3, height: 1 };
        head.render(line(area.y), buf);
        let rows = usize::from(height - 1);
        let top = first_shown(popup.at, rows);
        let takes = popup.rows.iter().map(|row| row.takes.width().min(MOST_TAKES)).max().unwrap_or_default();
        let names = popup.rows.iter().map(|row| row.text.width()).max();
        let names = names.unwrap_or_default().clamp(NAMES.0, NAMES.1);
        for (row, y) in popup.rows.iter().enumerate().skip(top).take(rows).zip(area.y + 1..) {
            let (index, row) = row;
            let chosen = index == popup.at;
            let at = line(y);
            if chosen {
                buf.set_style(at, self.looks.theme.fill(Slot::Select));
            }
            self.popup_row(popup.offer, row, chosen, (names, takes, usize::from(at.width))).render(at, buf);
        }
        if popup.rows.is_empty() {
            buf.set_stringn(
                area.x + 4,
                area.y + 1,
                popup.nothing(),
                usize::from(width - 5),
                self.looks.theme.style(Slot::Soft),
            );
        }
    }

    /// A row of that list in so many columns, with those for the names of commands and for what they take.
    fn popup_row(
        &self,
        offer: Offer,
        row: &popup::Row,
        chosen: bool,
        (names, takes, wide): (usize, usize, usize),
    ) -> Line<'static> {
        let style = if chosen {
            self.looks.theme.style(Slot::Strong).add_modifier(Modifier::BOLD)
        } else {
            self.looks.theme.style(Slot::Text)
        };
        let mark = if chosen { self.looks.glyphs.folded } else { " " };
        let text = Clean::line(&row.text);
        let text = match offer {
            Offer::Files => fit_path(&text, wide.saturating_sub(3), self.looks.glyphs.ellipsis),
            Offer::Commands if !chosen => shorten(&text, names.min(wide.saturating_sub(3))),
            Offer::Commands | Offer::History => shorten(&text, wide.saturating_sub(3)),
        };
        let gap = (names + 2).saturating_sub(text.width()).max(2);
        let left = wide.saturating_sub(2 + text.width() + gap);
        // Where columns are few, what a command does matters more than that all begin below each other.
        let own = wide < BY_COLUMNS || chosen && row.takes.width() > takes;
        let column = if own { row.takes.width() } else { takes };
        let taken = shorten(&Clean::line(&row.takes), column.min(left));
        let behind = if column == 0 { 0 } else { column.saturating_sub(taken.width()) + 2 };
        let note = shorten(&row.note, left.saturating_sub(taken.width() + behind));
        Line::from(vec![
            Span::styled(format!("{mark} "), self.looks.theme.style(Slot::Accent)),
            Span::styled(text, style),
            Span::raw(" ".repeat(gap)),
            Span::styled(taken, self.looks.theme.style(Slot::Info)),
            Span::raw(" ".repeat(behind)),
            Span::styled(note, self.looks.theme.style(Slot::Soft)),
        ])
    }
}
