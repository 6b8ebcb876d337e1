//! The rows of the bar in the room that there is.
//!
//! Owns which of them give way: what is asked and its answers stay, and what goes is told. Never knows what they say.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
    widgets::Widget,
};
use unicode_width::UnicodeWidthStr;

use super::Facts;
use crate::{row::take, theme::Slot};

/// The rows of the bar, without padding.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rows {
    /// All of them, from the top.
    pub lines: Vec<Line<'static>>,
    /// How many of the last ones are its answers.
    pub answers: usize,
    /// Whether words of it were cut, which the list shows.
    pub is_cut: bool,
    /// What stands where there is room for one of several.
    pub alone: Option<Line<'static>>,
}

impl From<Vec<Line<'static>>> for Rows {
    fn from(lines: Vec<Line<'static>>) -> Self {
        Self { lines, ..Self::default() }
    }
}

impl Rows {
    /// Whether all that is asked, and all that is known of it here, stands in so many rows.
    pub fn tells_all(&self, room: usize) -> bool {
        !self.is_cut
            && (self.lines.len() <= room || room > 1 && self.lines.len() - self.answers <= self.first(room))
    }

    /// How many of the rows above the answers stand where there is not room for all.
    fn first(&self, room: usize) -> usize {
        if room == 2 { 1 } else { room - 1 - self.answers.min(room - 2) }
    }

    /// As many as the room holds: the first and the answers before what is known besides, and in its place where all of
    /// it stands. In two rows that ends the first.
    fn within(&self, room: usize, width: u16, facts: &Facts<'_>) -> Vec<Line<'static>> {
        if let Some(alone) = self.alone.iter().find(|_| room == 1 && self.lines.len() > 1) {
            return vec![alone.clone()];
        }
        if self.lines.len() <= room || room < 2 {
            return self.lines.iter().take(room).cloned().collect();
        }
        let soft = facts.theme.style(Slot::Soft);
        let answers = self.lines.iter().skip(self.lines.len() - self.answers);
        if let [first, ..] = self.lines.as_slice()
            && room == 2
            && self.answers > 0
        {
            let more = Span::styled(format!(" {}", elsewhere(facts)), soft);
            return [ending(first, more, usize::from(width))]
                .into_iter()
                .chain(answers.take(1).cloned())
                .collect();
        }
        let more = Line::from(Span::styled(format!("  {}", elsewhere(facts)), soft));
        let first = self.first(room);
        let last = self.answers.min(room - 1 - first);
        let first = self.lines.iter().take(first);
        first.chain([&more]).chain(self.lines.iter().skip(self.lines.len() - last)).cloned().collect()
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

/// A row that ends in these words, whatever of its own they take.
fn ending(row: &Line<'static>, words: Span<'static>, width: usize) -> Line<'static> {
    let mut left = width.saturating_sub(words.width());
    let mut spans = Vec::new();
    for span in &row.spans {
        let kept = take(&span.content, left).to_owned();
        left -= kept.width();
        spans.push(Span::styled(kept, span.style));
    }
    spans.extend([Span::raw(" ".repeat(left)), words]);
    Line::from(spans)
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
    for (row, y) in rows.within(room, columns(area.width), facts).iter().zip(area.top() + pad..area.bottom())
    {
        let inner = Rect { x: area.x + 2, y, width: columns(area.width), height: 1 };
        row.render(inner.intersection(buf.area), buf);
    }
}
