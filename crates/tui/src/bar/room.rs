//! The rows of the bar in the room that there is.
//!
//! Owns which of them give way: what is asked and its answers stay, and what goes is told. Never knows what they say.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
    widgets::Widget,
};

use super::Facts;
use crate::theme::Slot;

/// The rows of the bar, without padding.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rows {
    /// All of them, from the top.
    pub lines: Vec<Line<'static>>,
    /// How many of the last ones are its answers.
    pub answers: usize,
}

impl From<Vec<Line<'static>>> for Rows {
    fn from(lines: Vec<Line<'static>>) -> Self {
        Self { lines, answers: 0 }
    }
}

impl Rows {
    /// As many as the room holds: the first and the answers before what is known besides, and in its place where all of
    /// it stands.
    fn within(&self, room: usize, facts: &Facts<'_>) -> Vec<Line<'static>> {
        if self.lines.len() <= room || room < 2 {
            return self.lines.iter().take(room).cloned().collect();
        }
        let answers = self.answers.min(room - 2);
        let more = Line::from(Span::styled(format!("  {}", elsewhere(facts)), facts.theme.style(Slot::Soft)));
        let (first, last) = (self.lines.iter().take(room - 1 - answers), self.lines.len() - answers);
        first.chain([&more]).chain(self.lines.iter().skip(last)).cloned().collect()
    }
}

/// Columns of its rows, beside its edge and the air around them.
pub const fn columns(width: u16) -> u16 {
    width.saturating_sub(3)
}

/// Said in place of what has no room: where all of it stands.
pub(super) fn elsewhere(facts: &Facts<'_>) -> String {
    let Facts { glyphs, approvals_key, .. } = facts;
    let says = if approvals_key.is_empty() { "" } else { " shows all of it" };
    format!("{} {approvals_key}{says}", glyphs.ellipsis).trim_end().to_owned()
}

/// Draws the rows on the bar's ground.
pub fn render(rows: &Rows, facts: &Facts<'_>, bad: bool, area: Rect, buf: &mut Buffer) {
    if area.is_empty() {
        return;
    }
    buf.set_style(area, facts.theme.fill(Slot::Raised));
    let edge = facts.theme.style(if bad { Slot::Bad } else { Slot::Accent });
    for y in area.top()..area.bottom() {
        buf.set_string(area.x, y, facts.glyphs.bar, edge);
    }
    let room = usize::from(area.height);
    let pad = u16::from(room >= rows.lines.len() + 2);
    for (row, y) in rows.within(room, facts).iter().zip(area.top() + pad..area.bottom()) {
        let inner = Rect { x: area.x + 2, y, width: columns(area.width), height: 1 };
        row.render(inner.intersection(buf.area), buf);
    }
}
