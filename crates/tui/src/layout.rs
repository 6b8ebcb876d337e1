//! Where things stand on the screen, at every size.
//!
//! Owns the arithmetic. Never draws and never knows which panes there are.

use ratatui::layout::Rect;

use crate::pane::Stand;

/// From this width on, plan and diff stand beside the conversation.
pub const WIDE: u16 = 100;
/// From this width on, a strip of tabs names the panes.
pub const TABS: u16 = 60;

/// From this height on, what keys do stands below the draft.
const HINTED: u16 = 6;

/// How the body is divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Conversation beside plan over diff.
    Wide,
    /// One pane under a strip of tabs.
    Tabs,
    /// One pane under its name.
    Single,
}

/// What the layout depends on besides the size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wants {
    /// Rows of the draft.
    pub draft: u16,
    /// Rows of the bar above the composer, 0 for none.
    pub bar: u16,
    /// Where each pane wants to stand where panes stand side by side.
    pub panes: Vec<Stand>,
    /// The pane that is shown where there is room for one.
    pub shown: usize,
    /// Whether the body is one page without panes.
    pub welcome: bool,
}

/// Rectangles; an empty one is not drawn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Areas {
    /// The first row.
    pub header: Rect,
    /// The tabs with their rule.
    pub tabs: Rect,
    /// The panes, in their order.
    pub panes: Vec<Rect>,
    /// The whole body.
    pub body: Rect,
    /// The bar.
    pub bar: Rect,
    /// The draft with its hints.
    pub composer: Rect,
    /// The last row.
    pub status: Rect,
}

/// The shape at this width.
pub const fn shape(width: u16) -> Shape {
    match width {
        WIDE.. => Shape::Wide,
        TABS.. => Shape::Tabs,
        _ => Shape::Single,
    }
}

/// Rows of hints below the draft on a screen of this height.
pub fn hint_rows(height: u16) -> u16 {
    u16::from(height >= HINTED)
}

impl Areas {
    /// Divides the screen. Short of rows, the body goes first, then hints, bar, header, draft.
    pub fn of(screen: Rect, wants: &Wants) -> Self {
        let mut rest = screen;
        let status = bottom(&mut rest, 1);
        let hint = hint_rows(screen.height);
        let draft = wants.draft.min((screen.height / 2).max(1));
        let composer = bottom(&mut rest, draft + hint);
        let mut areas = Self { composer, status, ..Self::default() };
        let shape = shape(screen.width);
        if screen.height >= 5 && shape != Shape::Single {
            areas.header = top(&mut rest, 1);
        }
        let bar = wants.bar.min(rest.height.saturating_sub(1).max(rest.height.min(1)));
        let air = u16::from(bar > 0 && screen.height >= 24);
        let wide = shape == Shape::Wide;
        let _ = bottom(&mut rest, if wide { air } else { 0 });
        areas.bar = bottom(&mut rest, bar);
        // Without borders the body needs the air itself.
        let _ = bottom(&mut rest, if wide { 0 } else { air });
        if shape != Shape::Wide && !wants.welcome && screen.height >= 8 {
            areas.tabs = top(&mut rest, 2);
        } else if shape == Shape::Single && screen.height >= 5 {
            areas.header = top(&mut rest, 1);
        }
        areas.body = rest;
        areas.panes = vec![Rect::default(); wants.panes.len()];
        if wants.welcome {
            return areas;
        }
        if shape == Shape::Wide {
            areas.beside(&wants.panes);
        } else {
            areas.give(wants.shown, rest);
        }
        areas
    }

    fn give(&mut self, pane: usize, area: Rect) {
        if let Some(place) = self.panes.get_mut(pane) {
            *place = area;
        }
    }

    /// Panes side by side: one at the left, the others below each other at the right.
    fn beside(&mut self, stands: &[Stand]) {
        let body = self.body;
        if let Some(alone) = stands.iter().position(|s| *s == Stand::Alone) {
            return self.give(alone, body);
        }
        let rights: Vec<(usize, u16)> = stands
            .iter()
            .enumerate()
            .filter_map(|(n, stand)| if let Stand::Right(rows) = stand { Some((n, *rows)) } else { None })
            .collect();
        let left = if rights.is_empty() { body.width } else { body.width * 51 / 100 };
        if let Some(main) = stands.iter().position(|s| *s == Stand::Left) {
            self.give(main, Rect { width: left, ..body });
        }
        let mut rest = Rect { x: body.x + left + 1, width: body.width.saturating_sub(left + 1), ..body };
        let air = u16::from(rest.height >= 30);
        for (n, (pane, rows)) in rights.iter().enumerate() {
            let most = rest.height * 3 / 5;
            let last = n + 1 == rights.len();
            let height = if last { rest.height } else { (*rows).clamp(6.min(most), most) };
            let area = top(&mut rest, height);
            self.give(*pane, area);
            let _ = top(&mut rest, air);
        }
    }
}

fn bottom(rest: &mut Rect, rows: u16) -> Rect {
    let rows = rows.min(rest.height);
    rest.height -= rows;
    Rect { y: rest.y + rest.height, height: rows, ..*rest }
}

fn top(rest: &mut Rect, rows: u16) -> Rect {
    let rows = rows.min(rest.height);
    let area = Rect { height: rows, ..*rest };
    rest.y += rows;
    rest.height -= rows;
    area
}

#[cfg(test)]
mod tests;
