//! The text being written: a text area that moves by what a reader sees as one character, with
//! long pastes folded into chips.
//!
//! Owns the text, the caret and the chips. Never sends anything and never loses a text: what is
//! taken out of it is handed to the caller.

use pilothouse_core::clean::is_forbidden;
use ratatui::{buffer::Buffer, layout::Rect, style::Style, widgets::Widget};
use tui_textarea::{CursorMove, DataCursor, TextArea, WrapMode};
use unicode_segmentation::UnicodeSegmentation;

/// A paste of more lines than this becomes a chip.
pub const CHIP_LINES: usize = 100;
/// A paste of more bytes than this becomes a chip.
pub const CHIP_BYTES: usize = 8 * 1024;
/// Rows before the screen was measured.
const FIRST_ROWS: u16 = 8;

/// A text as it was written, chips and all: what history keeps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Saved {
    /// As it is shown.
    pub shown: String,
    chips: Vec<Chip>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Chip {
    label: String,
    text: String,
}

impl Saved {
    /// A text without chips.
    pub fn plain(text: impl Into<String>) -> Self {
        Self { shown: text.into(), chips: Vec::new() }
    }

    /// The whole text, every chip unfolded.
    pub fn whole(&self) -> String {
        let mut rest = self.shown.as_str();
        let mut out = String::with_capacity(rest.len());
        while let Some((at, chip)) = self.first_chip(rest) {
            let (before, after) = rest.split_at(at);
            out.push_str(before);
            out.push_str(&chip.text);
            rest = after.strip_prefix(chip.label.as_str()).unwrap_or_default();
        }
        out.push_str(rest);
        out
    }

    fn first_chip(&self, text: &str) -> Option<(usize, &Chip)> {
        self.chips.iter().filter_map(|c| text.find(&c.label).map(|at| (at, c))).min_by_key(|(at, _)| *at)
    }
}

/// A way for the caret to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Motion {
    /// One character.
    Left,
    /// One character.
    Right,
    /// One word.
    WordLeft,
    /// One word.
    WordRight,
    /// One row on the screen.
    Up,
    /// One row on the screen.
    Down,
    /// The start of the line.
    Head,
    /// The end of the line.
    End,
}

/// What is taken away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// The character before the caret.
    Back,
    /// The character after it.
    Forward,
    /// From the caret to the end of the line.
    ToEnd,
    /// From the start of the line to the caret.
    ToHead,
    /// The word before it.
    Word,
    /// The word after it.
    NextWord,
}

/// The text being written.
#[derive(Debug)]
pub struct Draft {
    area: TextArea<'static>,
    chips: Vec<Chip>,
    /// The paste that came last, as long as the caret stands behind it.
    pasted: Option<Pasted>,
    rect: Rect,
    /// The area as it was laid out last, and how many rows the whole text has there.
    laid: Buffer,
    total: usize,
}

/// What a paste wrote before the caret. Its text is what is shown, or stands in the chip that is shown.
#[derive(Debug)]
struct Pasted {
    shown: String,
    newlines: usize,
    /// Whether it ended in a carriage return, so that a newline that follows is of the same line end.
    returned: bool,
    caret: DataCursor,
}

impl Default for Draft {
    fn default() -> Self {
        Self {
            area: fresh(Vec::new()),
            chips: Vec::new(),
            pasted: None,
            rect: Rect::new(0, 0, 80, FIRST_ROWS),
            total: 1,
            laid: Buffer::default(),
        }
    }
}

fn fresh(lines: Vec<String>) -> TextArea<'static> {
    let mut area = TextArea::new(lines);
    area.set_wrap_mode(WrapMode::WordOrGlyph);
    area.set_cursor_style(Style::default());
    area.set_cursor_line_style(Style::default());
    area.set_max_histories(200);
    area
}

impl Draft {
    /// Whether nothing is written.
    pub fn is_empty(&self) -> bool {
        self.area.is_empty()
    }

    /// As it is shown, chips folded.
    pub fn shown(&self) -> String {
        self.area.lines().join("\n")
    }

    /// Whether it holds nothing but blanks.
    pub fn is_blank(&self) -> bool {
        self.area.lines().iter().all(|line| line.trim().is_empty())
    }

    /// A copy to keep.
    pub fn saved(&self) -> Saved {
        Saved { shown: self.shown(), chips: self.chips.clone() }
    }

    /// Takes the text out; the draft is empty afterwards.
    pub fn take(&mut self) -> Saved {
        let saved = self.saved();
        self.set(Saved::default());
        saved
    }

    /// Puts a text in place of what is there, the caret at its end.
    pub fn set(&mut self, saved: Saved) {
        let yank = self.area.yank_text();
        self.area = fresh(saved.shown.split('\n').map(str::to_owned).collect());
        self.area.set_yank_text(yank);
        self.chips = saved.chips;
        self.area.move_cursor(CursorMove::Bottom);
        self.area.move_cursor(CursorMove::End);
        let _ = self.rows(self.rect.width, self.rect.height);
    }

    /// The caret to the beginning of the text.
    pub fn to_head(&mut self) {
        self.area.move_cursor(CursorMove::Jump(0, 0));
    }

    /// Puts `text` in place of what is shown; chips that still stand in it stay chips.
    pub fn rewrite(&mut self, text: &str) {
        self.set(Saved { shown: text.to_owned(), chips: self.chips.clone() });
    }

    /// Writes at the caret.
    pub fn insert(&mut self, text: &str) {
        self.area.insert_str(legible(text));
    }

    /// Puts a paste at the caret: as it is when short, else as a chip.
    pub fn paste(&mut self, text: &str) {
        self.join(String::new(), 0, text, false);
    }

    /// Puts the next piece of a paste behind the ones before it, which are one paste together.
    pub fn paste_more(&mut self, text: &str) {
        let caret = self.area.cursor();
        let before = self.pasted.take().filter(|p| p.caret == caret && self.stands_before_caret(&p.shown));
        let Some(Pasted { shown, newlines, returned, .. }) = before else { return self.paste(text) };
        for _ in shown.chars() {
            self.area.delete_char();
        }
        let chip = self.chips.iter().position(|chip| chip.label == shown);
        let before = chip.map_or(shown, |at| self.chips.remove(at).text);
        self.join(before, newlines, text, returned);
    }

    /// Writes a paste at the caret: what came of it before, with so many newlines, and its next piece.
    fn join(&mut self, mut text: String, newlines: usize, piece: &str, returned: bool) {
        let more = piece.strip_prefix('\n').filter(|_| returned).unwrap_or(piece);
        let more = legible(&more.replace("\r\n", "\n").replace('\r', "\n"));
        let newlines = newlines + more.matches('\n').count();
        text.push_str(&more);
        let lines = newlines + usize::from(!text.is_empty() && !text.ends_with('\n'));
        let short = lines <= CHIP_LINES && text.len() <= CHIP_BYTES;
        let shown = if short { text } else { self.chip(text, lines) };
        self.area.insert_str(&shown);
        let returned = piece.ends_with('\r') || piece.is_empty() && returned;
        self.pasted = Some(Pasted { shown, newlines, returned, caret: self.area.cursor() });
    }

    fn stands_before_caret(&self, shown: &str) -> bool {
        let DataCursor(row, _) = self.area.cursor();
        let mut lines = shown.split('\n').rev();
        let last = lines.next().unwrap_or_default();
        let above = self.area.lines().iter().take(row).rev();
        self.around().0.ends_with(last) && above.zip(lines).all(|(line, shown)| line.ends_with(shown))
    }

    /// The label of a new chip that stands for this text of so many lines.
    fn chip(&mut self, text: String, lines: usize) -> String {
        let what = if lines > 1 {
            format!("{} lines", grouped(lines))
        } else {
            format!("{} KB", grouped(text.len().div_ceil(1024)))
        };
        let mut label = format!("[pasted {what}]");
        let mut copy = 2;
        while self.chips.iter().any(|c| c.label == label) {
            label = format!("[pasted {what} #{copy}]");
            copy += 1;
        }
        self.chips.push(Chip { label: label.clone(), text });
        label
    }

    /// Moves the caret. False when it is already at that edge of the text.
    pub fn go(&mut self, motion: Motion) -> bool {
        let before = self.area.cursor();
        match motion {
            Motion::Left => self.step(CursorMove::Back, self.left_chars()),
            Motion::Right => self.step(CursorMove::Forward, self.right_chars()),
            Motion::WordLeft => self.area.move_cursor(CursorMove::WordBack),
            Motion::WordRight => self.area.move_cursor(CursorMove::WordForward),
            Motion::Up => self.area.move_cursor(CursorMove::Up),
            Motion::Down => self.area.move_cursor(CursorMove::Down),
            Motion::Head => self.area.move_cursor(CursorMove::Head),
            Motion::End => self.area.move_cursor(CursorMove::End),
        }
        self.leave_chip(matches!(motion, Motion::WordLeft | Motion::Head));
        self.area.cursor() != before
    }

    /// Takes something away around the caret.
    pub fn cut(&mut self, cut: Cut) {
        match cut {
            Cut::Back => (0..self.left_chars()).for_each(|_| _ = self.area.delete_char()),
            Cut::Forward => (0..self.right_chars()).for_each(|_| _ = self.area.delete_next_char()),
            Cut::ToEnd => drop(self.area.delete_line_by_end()),
            Cut::ToHead => drop(self.area.delete_line_by_head()),
            Cut::Word if self.chip_before().is_some() => self.cut(Cut::Back),
            Cut::Word => drop(self.area.delete_word()),
            Cut::NextWord if self.chip_after().is_some() => self.cut(Cut::Forward),
            Cut::NextWord => drop(self.area.delete_next_word()),
        }
    }

    /// Puts back what was last cut by a word or a line.
    pub fn yank(&mut self) {
        self.area.paste();
    }

    /// The word that the caret stands at the end of, and whether it begins the text.
    pub fn token(&self) -> (&str, bool) {
        let (before, _) = self.around();
        let start = before
            .rfind(char::is_whitespace)
            .map_or(0, |i| i + before.get(i..).and_then(|s| s.chars().next()).map_or(1, char::len_utf8));
        let first = start == 0 && self.area.cursor().0 == 0;
        (before.get(start..).unwrap_or_default(), first)
    }

    /// Puts `text` in place of the word that the caret stands at the end of.
    pub fn replace_token(&mut self, text: &str) {
        let chars = self.token().0.chars().count();
        (0..chars).for_each(|_| _ = self.area.delete_char());
        self.area.insert_str(text);
    }

    /// Rows that the text takes at this width, at most so many.
    pub fn rows(&mut self, width: u16, most: u16) -> u16 {
        self.rect = Rect::new(0, 0, width.max(1), most.max(1));
        self.lay();
        self.total = self.count();
        // Where there are empty rows below, nothing stays above.
        let (top, _) = self.area.scroll_offset();
        if top > 0 && usize::from(top) + usize::from(self.rect.height) > self.total {
            let DataCursor(row, column) = self.area.cursor();
            let at = |n: usize| u16::try_from(n).unwrap_or(u16::MAX);
            self.to_head();
            self.lay();
            self.area.move_cursor(CursorMove::Jump(at(row), at(column)));
            self.lay();
        }
        u16::try_from(self.total).unwrap_or(u16::MAX).min(self.rect.height)
    }

    /// The area wraps for the rectangle that it was last drawn in.
    fn lay(&mut self) {
        self.laid.resize(self.rect);
        self.laid.reset();
        self.area.render(self.rect, &mut self.laid);
    }

    /// Rows of the whole text.
    fn count(&self) -> usize {
        let last = self.area.screen_to_data(usize::MAX, 0);
        let (mut from, mut to) = (0, self.area.lines().iter().map(|l| l.chars().count() + 1).sum::<usize>());
        while from < to {
            let at = usize::midpoint(from, to);
            if self.area.screen_to_data(at, 0) == last { to = at } else { from = at + 1 }
        }
        from + 1
    }

    /// How many rows of the text stand above and below the rows of an area of this height.
    pub fn beyond(&self, height: u16) -> (usize, usize) {
        let (top, skip) = self.window(height);
        let above = usize::from(top) + usize::from(skip);
        (above, self.total.saturating_sub(above + usize::from(height)))
    }

    /// The first row that is laid out, and how many of those give way so that the caret is seen.
    fn window(&self, height: u16) -> (u16, u16) {
        let (top, _) = self.area.scroll_offset();
        let row = u16::try_from(self.area.screen_cursor().row).unwrap_or(u16::MAX).saturating_sub(top);
        (top, (row + 1).saturating_sub(height))
    }

    /// Whether a row of the text goes on with the one above it, behind the blank at which that broke.
    fn begins_with_break(&self, row: u16) -> bool {
        let (top, _) = self.area.scroll_offset();
        let goes_on = self.area.screen_to_data(usize::from(top) + usize::from(row), 0).1 > 0;
        goes_on && self.laid.cell((0, row)).is_some_and(|cell| cell.symbol() == " ")
    }

    /// Draws the text as [`Draft::rows`] laid it out last; returns where the caret is.
    pub fn render(&self, area: Rect, buf: &mut Buffer, style: Style) -> Option<(u16, u16)> {
        let area = area.intersection(buf.area);
        if area.is_empty() {
            return None;
        }
        let caret = self.area.screen_cursor();
        let (top, skip) = self.window(area.height);
        let row = u16::try_from(caret.row).ok()?.saturating_sub(top);
        for y in area.rows() {
            let from = y.y - area.y + skip;
            let blank = u16::from(self.begins_with_break(from));
            for position in y.positions() {
                let from = (position.x - area.x + blank, from);
                if let (Some(from), Some(to)) = (self.laid.cell(from), buf.cell_mut(position)) {
                    to.set_symbol(from.symbol());
                    to.set_style(style);
                }
            }
        }
        let column = u16::try_from(caret.col).ok()?.saturating_sub(u16::from(self.begins_with_break(row)));
        Some((area.x + column.min(area.width.saturating_sub(1)), area.y + row - skip))
    }

    fn step(&mut self, motion: CursorMove, times: usize) {
        (0..times).for_each(|_| self.area.move_cursor(motion));
    }

    /// The caret's line before and after it.
    fn around(&self) -> (&str, &str) {
        let DataCursor(row, column) = self.area.cursor();
        let line = self.area.lines().get(row).map_or("", String::as_str);
        let at = line.char_indices().nth(column).map_or(line.len(), |(i, _)| i);
        line.split_at(at)
    }

    fn chip_before(&self) -> Option<&Chip> {
        let (before, _) = self.around();
        self.chips.iter().find(|c| before.ends_with(&c.label))
    }

    fn chip_after(&self) -> Option<&Chip> {
        let (_, after) = self.around();
        self.chips.iter().find(|c| after.starts_with(&c.label))
    }

    fn left_chars(&self) -> usize {
        if let Some(chip) = self.chip_before() {
            return chip.label.chars().count();
        }
        let (before, _) = self.around();
        before.graphemes(true).next_back().map_or(1, |g| g.chars().count())
    }

    fn right_chars(&self) -> usize {
        if let Some(chip) = self.chip_after() {
            return chip.label.chars().count();
        }
        let (_, after) = self.around();
        after.graphemes(true).next().map_or(1, |g| g.chars().count())
    }

    /// A caret inside a chip or inside one visible character would break it: it goes to its edge.
    fn leave_chip(&mut self, left: bool) {
        let (before, after) = self.around();
        let line = format!("{before}{after}");
        let at = before.len();
        let chips = self.chips.iter().flat_map(|c| line.match_indices(c.label.as_str()));
        let inside = chips
            .map(|(start, label)| (start, start + label.len()))
            .chain(line.grapheme_indices(true).map(|(start, g)| (start, start + g.len())))
            .find(|(start, end)| *start < at && at < *end);
        if let Some((start, end)) = inside {
            let chars = |from: usize, to: usize| line.get(from..to).map_or(0, |s| s.chars().count());
            if left {
                self.step(CursorMove::Back, chars(start, at));
            } else {
                self.step(CursorMove::Forward, chars(at, end));
            }
        }
    }
}

/// What could steer a terminal or hide on a screen is not taken in; joined emoji stay whole.
pub(crate) fn legible(text: &str) -> String {
    text.chars().filter(|c| !is_forbidden(*c) || matches!(c, '\n' | '\t' | '\u{200d}')).collect()
}

fn grouped(n: usize) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests;
