//! The border that overlays share, and a page of text that scrolls where it is longer than its room.
//!
//! Owns their drawing and the keys that scroll. Never knows what lies inside.

use std::{
    cell::{Cell, RefCell},
    ops::Range,
};

use crossterm::event::{KeyCode, KeyEvent};
use pilothouse_core::clean::Clean;
use ratatui::{
    buffer::Buffer,
    layout::Rect,
    style::Modifier,
    symbols::border,
    text::{Line, Span},
    widgets::{Block, Clear, Widget},
};
use unicode_width::UnicodeWidthStr;

use super::Letter;
use crate::{
    ctx::{Ctx, Outcome},
    row::{Row, coded, fitting, hang, wrap},
    theme::{Glyphs, Slot},
};

/// Borders from the glyphs.
pub fn borders(glyphs: &Glyphs) -> border::Set<'static> {
    let [across, down] = glyphs.rule;
    let [top_left, top_right, bottom_right, bottom_left] = glyphs.corners;
    border::Set {
        top_left,
        top_right,
        bottom_left,
        bottom_right,
        vertical_left: down,
        vertical_right: down,
        horizontal_top: across,
        horizontal_bottom: across,
    }
}

/// Columns and rows below which a border holds nothing.
const LEAST: (u16, u16) = (4, 3);

/// Draws an overlay's ground and border; returns its inside.
pub fn frame(
    ctx: &Ctx<'_>,
    area: Rect,
    title: &str,
    right: &str,
    keys: &[(&str, &str)],
    buf: &mut Buffer,
) -> Rect {
    let theme = ctx.theme;
    let area = area.intersection(buf.area);
    clear(area, buf);
    if area.width < LEAST.0 || area.height < LEAST.1 {
        return Rect { height: 0, ..area };
    }
    buf.set_style(area, theme.fill(Slot::Raised));
    let strong = theme.style(Slot::Strong).add_modifier(Modifier::BOLD);
    let mut bottom = vec![Span::raw(" ")];
    let room = usize::from(area.width).saturating_sub(4);
    for (i, (key, what)) in fitting(keys, room, 2, true).into_iter().enumerate() {
        if i > 0 {
            bottom.push(Span::raw("  "));
        }
        bottom.push(Span::styled(key.to_owned(), theme.style(Slot::Accent).add_modifier(Modifier::BOLD)));
        bottom.push(Span::styled(format!(" {what}"), theme.style(Slot::Soft)));
    }
    bottom.push(Span::raw(" "));
    let block = Block::bordered()
        .border_set(borders(ctx.glyphs))
        .border_style(theme.style(Slot::Accent))
        .title(Span::styled(format!(" {title} "), strong))
        .title_bottom(Line::from(bottom));
    let block = if right.is_empty() {
        block
    } else {
        let right = Span::styled(format!(" {right} "), theme.style(Slot::Soft));
        block.title(Line::from(right).right_aligned())
    };
    let inner = block.inner(area);
    block.render(area, buf);
    Rect { x: inner.x + 1, width: inner.width.saturating_sub(2), ..inner }
}

/// Clears what is below; a sign of two columns whose second one lies under the edge goes whole.
fn clear(area: Rect, buf: &mut Buffer) {
    if let Some(x) = area.x.checked_sub(1).filter(|x| *x >= buf.area.x) {
        for y in area.top()..area.bottom() {
            let cell = buf.cell_mut((x, y)).filter(|cell| cell.symbol().width() > 1);
            cell.map(|cell| cell.set_symbol(" "));
        }
    }
    Clear.render(area, buf);
}

/// Draws rows inside a frame, below a row of air.
pub fn paint<'r>(rows: impl IntoIterator<Item = &'r Row>, ctx: &Ctx<'_>, inner: Rect, buf: &mut Buffer) {
    for (row, y) in rows.into_iter().zip(inner.top() + 1..inner.bottom()) {
        row.paint(ctx.theme, buf, inner, y);
    }
}

/// A label of so many columns, and a text that is wrapped beside it.
pub fn labelled(label: &str, columns: usize, text: &Row, room: usize) -> Vec<Row> {
    hang(&Row::of(&format!("{label:columns$}"), Slot::Soft), &text.pieces, columns + room)
}

/// How far a text is scrolled.
#[derive(Debug)]
pub struct Scroll {
    top: usize,
    /// The furthest that it goes, as it was drawn last.
    last: Cell<usize>,
}

impl Default for Scroll {
    fn default() -> Self {
        Self { top: 0, last: Cell::new(usize::MAX) }
    }
}

/// The letters with which a page is scrolled.
pub const SCROLLS: &[char] = &['j', 'k', ' ', 'b', 'g', 'G'];
/// The letters with which the choice in a list moves.
pub const CHOOSES: &[char] = &['j', 'k'];
/// The same, with the keys of both ends.
pub const CHOOSES_ENDS: &[char] = &['j', 'k', 'g', 'G'];

/// Rows that a page key goes.
const PAGE: usize = 10;

/// The first row that is shown of a list, so that this one is seen in so many rows.
pub const fn first_shown(chosen: usize, rows: usize) -> usize {
    (chosen + 1).saturating_sub(rows)
}

/// Which of a list is chosen, for its upper border: `3 of 20`; of one alone nothing is said.
pub fn place(at: usize, of: usize) -> String {
    if of > 1 { format!("{} of {of}", at + 1) } else { String::new() }
}

/// Moves the choice in a list of so many; whether the key is one that does.
pub fn choose(key: KeyEvent, at: &mut usize, of: usize) -> bool {
    if matches!(key.code, KeyCode::Down | KeyCode::Char('j')) {
        *at = (*at + 1).min(of.saturating_sub(1));
    } else if matches!(key.code, KeyCode::Up | KeyCode::Char('k')) {
        *at = at.saturating_sub(1);
    } else {
        return false;
    }
    true
}

/// The same, with `g` and `G` for both ends.
pub fn choose_ends(key: KeyEvent, at: &mut usize, of: usize) -> bool {
    if key.code == KeyCode::Char('g') {
        *at = 0;
    } else if key.code == KeyCode::Char('G') {
        *at = of.saturating_sub(1);
    } else {
        return choose(key, at, of);
    }
    true
}

impl Scroll {
    /// Whether there is more of it than was shown at once.
    pub fn goes(&self) -> bool {
        (1..usize::MAX).contains(&self.last.get())
    }

    /// Takes a key; whether it is one that scrolls.
    pub fn take(&mut self, key: KeyEvent) -> bool {
        let (at, last) = (self.top.min(self.last.get()), self.last.get());
        let to = if matches!(key.code, KeyCode::Down | KeyCode::Char('j')) {
            at.saturating_add(1)
        } else if matches!(key.code, KeyCode::Up | KeyCode::Char('k')) {
            at.saturating_sub(1)
        } else if matches!(key.code, KeyCode::PageDown | KeyCode::Char(' ')) {
            at.saturating_add(PAGE)
        } else if matches!(key.code, KeyCode::PageUp | KeyCode::Char('b')) {
            at.saturating_sub(PAGE)
        } else if matches!(key.code, KeyCode::Home | KeyCode::Char('g')) {
            0
        } else if matches!(key.code, KeyCode::End | KeyCode::Char('G')) {
            last
        } else {
            return false;
        };
        self.top = to.min(last);
        true
    }

    /// The same where the page is only read: `q` closes it.
    pub fn read(&mut self, key: KeyEvent) -> Option<Outcome> {
        if key.code == KeyCode::Char('q') {
            return Some(Outcome::close());
        }
        self.take(key).then(Outcome::none)
    }

    /// What a letter is on a page that is only read: one of the keys that scroll it, or nothing.
    pub fn weighs(letter: char) -> Option<Letter> {
        Some(Letter::of(letter, SCROLLS, &[]))
    }

    /// What a key does there: it scrolls, or nothing.
    pub fn shown(&mut self, key: KeyEvent) -> Option<Outcome> {
        self.take(key).then(Outcome::none)
    }

    /// It is drawn anew.
    pub fn begin(&self) {
        self.last.set(0);
    }

    /// How far it is scrolled, in words: `3 of 78`; nothing where all of it is shown.
    pub fn place(&self, rows: usize, room: usize) -> Option<String> {
        (rows > room).then(|| format!("{} of {rows}", self.first(rows, room) + 1))
    }

    /// The first row that is shown of so many, in a room of so many; of several texts the longest says
    /// how far it goes.
    pub fn first(&self, rows: usize, room: usize) -> usize {
        let last = rows.saturating_sub(room);
        self.last.set(self.last.get().max(last));
        self.top.min(last)
    }
}

/// A page of text.
pub struct Page<'a> {
    /// What stands at the left of its upper border.
    pub title: &'a str,
    /// What stands at the right of it; where nothing does and it scrolls, how far it is.
    pub right: &'a str,
    /// The keys that it shows beside those that scroll.
    pub keys: &'a [(&'a str, &'a str)],
    /// Its widest, borders included.
    pub width: u16,
    /// Its least height.
    pub height: u16,
    /// Its rows.
    pub rows: Vec<Line<'static>>,
}

impl Page<'_> {
    /// Where it lies, with so many rows.
    fn area(&self, count: usize, body: Rect) -> Rect {
        let height = u16::try_from(count).unwrap_or(u16::MAX).saturating_add(4).max(self.height);
        super::centred(body, self.width, height)
    }

    /// Which of so many rows are seen, as it is scrolled.
    pub fn seen(&self, count: usize, scroll: &Scroll, body: Rect) -> Range<usize> {
        let area = self.area(count, body);
        let drawn = area.width >= LEAST.0 && area.height >= LEAST.1;
        let room = if drawn { usize::from(area.height.saturating_sub(2)) } else { 0 };
        let first = scroll.first(count, room);
        first..(first + room).min(count)
    }

    /// Draws it as high as it must be, and scrolled where that is higher than the body.
    pub fn draw(mut self, scroll: &Scroll, ctx: &Ctx<'_>, buf: &mut Buffer) {
        let rows = std::mem::take(&mut self.rows);
        self.draw_seen(rows.len(), |n| rows.get(n).cloned().unwrap_or_default(), scroll, ctx, buf);
    }

    /// Draws it from so many rows, of which only those that are seen are made.
    fn draw_seen(
        &self,
        count: usize,
        row: impl Fn(usize) -> Line<'static>,
        scroll: &Scroll,
        ctx: &Ctx<'_>,
        buf: &mut Buffer,
    ) {
        let area = self.area(count, ctx.body);
        // Where room is short, a line of text matters more than the air around it.
        let room = usize::from(area.height.saturating_sub(2));
        let air = u16::from(room > count);
        scroll.begin();
        let top = scroll.first(count, room);
        let place = scroll.place(count, room);
        let scrolls = place.as_ref().map(|_| ("j k", "scroll")).into_iter();
        let right = if self.right.is_empty() { place.as_deref().unwrap_or_default() } else { self.right };
        let keys: Vec<(&str, &str)> = scrolls.chain(self.keys.iter().copied()).collect();
        let inner = frame(ctx, area, self.title, right, &keys, buf);
        for (n, y) in (top..count).zip(inner.top() + air..inner.bottom()) {
            row(n).render(Rect { y, height: 1, ..inner }.intersection(buf.area), buf);
        }
    }
}

/// A long text: cleaned once, wrapped once for each width, coloured as far as it is seen.
#[derive(Debug)]
pub struct Reading {
    text: Clean,
    slot: Slot,
    /// Whether it is of ours, with code between marks.
    ours: bool,
    wrapped: RefCell<(usize, Vec<Row>)>,
    /// How far it is scrolled.
    pub scroll: Scroll,
}

impl Reading {
    /// Of a text, in one colour.
    pub fn of(text: &str, slot: Slot) -> Self {
        let (text, wrapped) = (Clean::text(text), RefCell::default());
        Self { text, slot, ours: false, wrapped, scroll: Scroll::default() }
    }

    /// Of one of ours, code in it without its marks.
    pub fn ours(text: &str, slot: Slot) -> Self {
        Self { ours: true, ..Self::of(text, slot) }
    }

    /// Draws it into a page that has no rows of its own.
    pub fn draw(&self, page: &Page<'_>, ctx: &Ctx<'_>, buf: &mut Buffer) {
        let columns = usize::from(ctx.body.width.min(page.width).saturating_sub(4)).max(1);
        if self.wrapped.borrow().0 != columns {
            let ours = |l| in_columns(l, self.slot, columns);
            let wrapped = |l| wrap(&Row::of(l, self.slot).pieces, columns);
            let lines = self.text.lines();
            let rows =
                if self.ours { lines.flat_map(ours).collect() } else { lines.flat_map(wrapped).collect() };
            *self.wrapped.borrow_mut() = (columns, rows);
        }
        let (_, rows) = &*self.wrapped.borrow();
        let row = |n: usize| rows.get(n).map(|r| r.clone().line(ctx.theme)).unwrap_or_default();
        page.draw_seen(rows.len(), row, &self.scroll, ctx, buf);
    }
}

/// A line of ours, code in it without its marks; what stands behind a gap goes on below itself, where that leaves it half
/// of the room.
fn in_columns(line: &str, slot: Slot, columns: usize) -> Vec<Row> {
    let gap = line.find("  ").filter(|at| *at > 0).unwrap_or_default();
    let (first, rest) = line.split_at_checked(gap).unwrap_or((line, ""));
    let lead = line.len() - rest.trim_start().len();
    if first.is_empty() || lead * 2 > columns {
        return wrap(&coded(line, slot).pieces, columns);
    }
    hang(
        &Row::of(line.get(..lead).unwrap_or_default(), slot),
        &coded(rest.trim_start(), slot).pieces,
        columns,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_in_the_second_column_goes_on_below_itself() {
        let rows = |line: &str, columns| -> Vec<String> {
            in_columns(line, Slot::Text, columns).iter().map(|row| row.text().trim_end().to_owned()).collect()
        };
        assert_eq!(
            rows("plan.pauses  [ one, two, three ]  default", 28),
            ["plan.pauses  [ one, two,", "             three ]", "             default"]
        );
        assert_eq!(rows("plan.pauses  [ one, two ]", 20), ["plan.pauses  [ one,", "two ]"], "too narrow");
        assert_eq!(rows("no column in it", 10), ["no column", "in it"]);
    }
}
