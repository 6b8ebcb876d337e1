//! The keys, written from the keymap: what it says here is what a key does.
//!
//! Owns which pane's keys are shown and the scroll. Never acts.

use crossterm::event::{KeyCode, KeyEvent};
use ratatui::{
    buffer::Buffer,
    layout::Rect,
    style::Modifier,
    text::{Line, Span},
    widgets::Widget,
};
use unicode_width::UnicodeWidthStr;

use super::page::{Page, frame};
use crate::{
    keymap::{Keymap, Place},
    pane::Focus,
    status::shorten,
    theme::Slot,
};

/// The keys.
#[derive(Debug, Default)]
pub struct Help {
    pane: usize,
    top: usize,
}

/// Columns for keys.
const KEY_COLUMN: usize = 12;

const PANES: [Place; 4] = [Place::Conversation, Place::Plan, Place::Diff, Place::Approvals];

impl Help {
    /// Scrolls, or goes to the next pane's keys.
    pub fn key(&mut self, key: KeyEvent) {
        if matches!(key.code, KeyCode::Tab | KeyCode::Right) {
            self.pane += 1;
        } else if matches!(key.code, KeyCode::BackTab | KeyCode::Left) {
            self.pane += PANES.len() - 1;
        } else if matches!(key.code, KeyCode::Down | KeyCode::Char('j')) {
            self.top += 1;
        } else if matches!(key.code, KeyCode::Up | KeyCode::Char('k')) {
            self.top = self.top.saturating_sub(1);
        } else if key.code == KeyCode::PageDown {
            self.top += 10;
        } else if key.code == KeyCode::PageUp {
            self.top = self.top.saturating_sub(10);
        }
    }

    /// Draws it.
    pub fn render(&self, page: &Page<'_>, keymap: &Keymap, focus: Focus, buf: &mut Buffer) {
        let here = match focus {
            Focus::Composer | Focus::Plan => 1,
            Focus::Conversation => 0,
            Focus::Diff => 2,
        };
        let pane = PANES.get((here + self.pane) % PANES.len()).copied().unwrap_or(Place::Plan);
        let columns = [
            Self::column(keymap, pane),
            Self::column(keymap, Place::Anywhere),
            Self::column(keymap, Place::Composer),
        ];
        let rows = columns.iter().map(Vec::len).max().unwrap_or_default();
        let wide = page.body.width >= 100;
        let all: Vec<(String, Vec<(String, String)>)> = [pane, Place::Anywhere, Place::Composer]
            .into_iter()
            .zip(columns)
            .map(|(place, rows)| (heading(place), rows))
            .collect();
        let total = if wide { rows } else { all.iter().map(|(_, r)| r.len() + 3).sum() };
        let height = u16::try_from(total + 7).unwrap_or(u16::MAX);
        let area = super::centred(page.body, 112, height);
        let yours = keymap.yours().count();
        let right = match yours {
            0 => "from the keymap".to_owned(),
            n => format!("from your keymap · {n} yours"),
        };
        let keys = [("Tab", "next pane's keys"), ("↑ ↓", "scroll"), ("Esc", "close")];
        let inner = frame(page, area, "Keys", &right, &keys, buf);
        let inner = Rect { y: inner.y + 1, height: inner.height.saturating_sub(1), ..inner };
        if wide {
            let third = inner.width / 3;
            for ((title, rows), i) in all.iter().zip(0u16..) {
                let column = Rect { x: inner.x + i * third, width: third.saturating_sub(2), ..inner };
                self.draw(page, title, rows, column, buf);
            }
        } else {
            let flat: Vec<(String, String)> = all
                .iter()
                .flat_map(|(title, rows)| {
                    [(String::new(), title.clone())]
                        .into_iter()
                        .chain(rows.clone())
                        .chain([Default::default()])
                })
                .collect();
            self.draw(page, "", &flat, inner, buf);
        }
    }

    fn column(keymap: &Keymap, place: Place) -> Vec<(String, String)> {
        place
            .actions()
            .into_iter()
            .filter_map(|action| {
                let keys = keymap.keys(action);
                (!keys.is_empty()).then(|| {
                    let both = keys.iter().take(2).cloned().collect::<Vec<_>>().join(" ");
                    let first = keys.into_iter().next().unwrap_or_default();
                    let shown = if both.width() <= KEY_COLUMN { both } else { first };
                    (shown, action.label().to_owned())
                })
            })
            .collect()
    }

    fn draw(&self, page: &Page<'_>, title: &str, rows: &[(String, String)], area: Rect, buf: &mut Buffer) {
        let theme = page.theme;
        let accent = theme.style(Slot::Accent).add_modifier(Modifier::BOLD);
        let mut area = area.intersection(buf.area);
        if !title.is_empty() && area.height > 2 {
            buf.set_stringn(area.x, area.y, title, usize::from(area.width), accent);
            area = Rect { y: area.y + 2, height: area.height - 2, ..area };
        }
        let room = usize::from(area.height);
        let top = self.top.min(rows.len().saturating_sub(room));
        let keys = rows.iter().map(|(k, _)| k.width()).max().unwrap_or_default().min(KEY_COLUMN) + 2;
        for ((key, label), y) in rows.iter().skip(top).zip(area.top()..area.bottom()) {
            let line = if key.is_empty() {
                Line::from(Span::styled(label.clone(), accent))
            } else {
                let key = shorten(key, keys - 1);
                let gap = " ".repeat(keys.saturating_sub(key.width()));
                let label = shorten(label, usize::from(area.width).saturating_sub(keys));
                Line::from(vec![
                    Span::styled(key, theme.style(Slot::Strong).add_modifier(Modifier::BOLD)),
                    Span::raw(gap),
                    Span::styled(label, theme.style(Slot::Soft)),
                ])
            };
            line.render(Rect { y, height: 1, ..area }, buf);
        }
    }
}

fn heading(place: Place) -> String {
    match place {
        Place::Anywhere => "Anywhere".to_owned(),
        Place::Composer => "Composer".to_owned(),
        Place::Conversation => "In the conversation".to_owned(),
        Place::Plan => "In the plan".to_owned(),
        Place::Diff => "In the diff".to_owned(),
        Place::Approvals => "In the list of what waits".to_owned(),
    }
}
