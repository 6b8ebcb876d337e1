//! Rows: styled text cut to columns, before it has colours.
//!
//! Owns measuring, cutting, wrapping and painting. Everything put into a row is cleaned here, so
//! that no pane can draw foreign text raw. Never knows what a row is about.

mod code;
mod marks;
mod wrap;

use pilothouse_core::{clean::Clean, ids::Millis};
use ratatui::{
    buffer::{Buffer, CellWidth},
    layout::Rect,
    style::{Modifier, Style},
    text::{Line, Span},
};
use unicode_segmentation::UnicodeSegmentation;

pub use code::{coded, uncoded};
pub use marks::{find, underline};
pub use pilothouse_core::money::count;
pub use wrap::{hang, indent, parts, wrap, wrap_code, wrap_hanging, wrap_in, wrap_to};

use crate::theme::{Slot, Theme};

/// How a piece of text looks, by meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ink {
    /// The colour.
    pub slot: Slot,
    /// The ground, when it is not the row's.
    pub ground: Option<Slot>,
    /// Bold, italic, underlined, struck out.
    pub modifier: Modifier,
}

impl Ink {
    /// In this colour.
    pub const fn of(slot: Slot) -> Self {
        Self { slot, ground: None, modifier: Modifier::empty() }
    }

    /// Bold as well.
    #[must_use]
    pub const fn bold(self) -> Self {
        self.with(Modifier::BOLD)
    }

    /// Underlined as well: a place to go, a match.
    #[must_use]
    pub const fn underlined(self) -> Self {
        self.with(Modifier::UNDERLINED)
    }

    /// With these as well.
    #[must_use]
    pub const fn with(self, modifier: Modifier) -> Self {
        Self { modifier: self.modifier.union(modifier), ..self }
    }

    /// On this ground.
    #[must_use]
    pub const fn on(self, ground: Slot) -> Self {
        Self { ground: Some(ground), ..self }
    }

    /// Its style in a theme.
    pub(crate) fn style(self, theme: &Theme) -> Style {
        let ground = self.ground.map_or_else(Style::new, |g| theme.fill(g));
        ground.patch(theme.style(self.slot)).add_modifier(self.modifier)
    }
}

impl From<Slot> for Ink {
    fn from(slot: Slot) -> Self {
        Self::of(slot)
    }
}

/// A piece of clean text in one ink.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    text: Clean,
    /// How it looks.
    pub ink: Ink,
}

impl Piece {
    /// Cleans `text`.
    pub fn new(text: &str, ink: impl Into<Ink>) -> Self {
        Self { text: Clean::line(text), ink: ink.into() }
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Columns.
    pub fn width(&self) -> usize {
        width(&self.text)
    }
}

/// One row of a pane.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Row {
    /// From the left.
    pub pieces: Vec<Piece>,
    /// The ground over the whole width.
    pub ground: Option<Slot>,
}

impl Row {
    /// Nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// One piece.
    pub fn of(text: &str, ink: impl Into<Ink>) -> Self {
        Self::new().and(text, ink)
    }

    /// With a further piece.
    #[must_use]
    pub fn and(mut self, text: &str, ink: impl Into<Ink>) -> Self {
        self.push(text, ink);
        self
    }

    /// With another row behind it.
    #[must_use]
    pub fn with(mut self, behind: Self) -> Self {
        self.pieces.extend(behind.pieces);
        self
    }

    /// Adds a piece.
    pub fn push(&mut self, text: &str, ink: impl Into<Ink>) {
        if !text.is_empty() {
            self.pieces.push(Piece::new(text, ink));
        }
    }

    /// On this ground.
    #[must_use]
    pub fn on(mut self, ground: Slot) -> Self {
        self.ground = Some(ground);
        self
    }

    /// Columns.
    pub fn width(&self) -> usize {
        self.pieces.iter().map(Piece::width).sum()
    }

    /// The text.
    pub fn text(&self) -> String {
        self.pieces.iter().map(Piece::text).collect()
    }

    /// Whether this is its text.
    pub fn says(&self, text: &str) -> bool {
        let rest = self.pieces.iter().try_fold(text, |rest, piece| rest.strip_prefix(piece.text()));
        rest.is_some_and(str::is_empty)
    }

    /// In at most `columns` as far as paths in it can give up their middle.
    #[must_use]
    pub fn fit_paths(mut self, columns: usize, ellipsis: &str) -> Self {
        for at in 0..self.pieces.len() {
            let over = self.width().saturating_sub(columns);
            if let Some(piece) =
                self.pieces.get_mut(at).filter(|piece| over > 0 && piece.text().contains('/'))
            {
                *piece = Piece::new(
                    &fit_paths(piece.text(), piece.width().saturating_sub(over), ellipsis),
                    piece.ink,
                );
            }
        }
        self
    }

    /// Cut to `columns`, with an ellipsis where something went.
    #[must_use]
    pub fn cut(self, columns: usize, ellipsis: &str) -> Self {
        if self.width() <= columns {
            return self;
        }
        let mut left = columns.saturating_sub(width(ellipsis));
        let mut out = Self { pieces: Vec::new(), ground: self.ground };
        let mut last = Ink::of(Slot::Soft);
        for piece in self.pieces {
            last = piece.ink;
            let w = piece.width();
            if w <= left {
                left -= w;
                out.pieces.push(piece);
            } else {
                out.push(take(&piece.text, left), last);
                break;
            }
        }
        out.push(take(ellipsis, columns), last);
        out
    }

    /// `self` at the left and `right` at the right edge; what is at the right goes first when both
    /// do not fit.
    #[must_use]
    pub fn ends(mut self, right: Self, columns: usize, ellipsis: &str) -> Self {
        let (l, r) = (self.width(), right.width());
        if r > 0 && l + r + 2 <= columns {
            self.push(&" ".repeat(columns - l - r), Slot::Text);
            self.pieces.extend(right.pieces);
            return self;
        }
        self.cut(columns, ellipsis)
    }

    /// As above, but the right end is kept and the left one is cut.
    #[must_use]
    pub fn ends_keeping_right(self, right: Self, columns: usize, ellipsis: &str) -> Self {
        let room = columns.saturating_sub(right.width() + 2);
        if room < 8 {
            return self.cut(columns, ellipsis);
        }
        self.cut(room, ellipsis).ends(right, columns, ellipsis)
    }

    /// Draws it at row `y` of `area`; never outside of it.
    pub fn paint(&self, theme: &Theme, buf: &mut Buffer, area: Rect, y: u16) {
        let area = area.intersection(buf.area);
        if y < area.top() || y >= area.bottom() {
            return;
        }
        if let Some(ground) = self.ground {
            buf.set_style(Rect { y, height: 1, ..area }, theme.fill(ground));
        }
        let mut x = area.left();
        for piece in &self.pieces {
            let style = piece.ink.style(theme);
            x = put(buf, x, y, area.right(), &piece.text, style);
        }
    }

    /// As a line of ratatui, for borders.
    pub fn line(&self, theme: &Theme) -> Line<'static> {
        let span = |p: &Piece| Span::styled(p.text.as_str().to_owned(), p.ink.style(theme));
        Line::from(self.pieces.iter().map(span).collect::<Vec<_>>())
    }
}

fn put(buf: &mut Buffer, mut x: u16, y: u16, end: u16, text: &str, style: Style) -> u16 {
    for g in text.graphemes(true) {
        let w = g.cell_width();
        if w == 0 {
            continue;
        }
        if x.saturating_add(w) > end {
            return end;
        }
        if let Some(cell) = buf.cell_mut((x, y)) {
            cell.set_symbol(g).set_style(style);
        }
        for behind in x + 1..x + w {
            if let Some(cell) = buf.cell_mut((behind, y)) {
                let ground = cell.style();
                cell.reset();
                cell.set_style(ground).set_style(style);
            }
        }
        x += w;
    }
    x
}

/// Columns that `text` takes: those of its graphemes, as the terminal's buffer counts them.
pub fn width(text: &str) -> usize {
    if text.is_ascii() {
        return text.len();
    }
    text.graphemes(true).map(cells).sum()
}

/// Columns of one grapheme; a control character counts as the one mark that is drawn for it.
fn cells(grapheme: &str) -> usize {
    if grapheme.chars().any(char::is_control) { 1 } else { usize::from(grapheme.cell_width()) }
}

/// The longest beginning of `text` of at most `columns`.
pub fn take(text: &str, columns: usize) -> &str {
    let mut used = 0;
    for (at, g) in text.grapheme_indices(true) {
        used += cells(g);
        if used > columns {
            return text.get(..at).unwrap_or_default();
        }
    }
    text
}

/// The longest end of `text` of at most `columns`.
fn take_end(text: &str, columns: usize) -> &str {
    let mut used = 0;
    for (at, g) in text.grapheme_indices(true).rev() {
        used += cells(g);
        if used > columns {
            return text.get(at + g.len()..).unwrap_or_default();
        }
    }
    text
}

/// A path in at most `columns`: its middle goes first, the file's name last.
pub fn fit_path(path: &str, columns: usize, ellipsis: &str) -> String {
    if width(path) <= columns {
        return path.to_owned();
    }
    let path = Clean::line(path);
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", &path));
    let first = folders.split('/').next().unwrap_or_default();
    let choices = [format!("{first}/{ellipsis}/{name}"), format!("{ellipsis}/{name}"), name.to_owned()];
    if let Some(c) = choices.into_iter().find(|c| !c.starts_with('/') && width(c) <= columns) {
        return c;
    }
    format!("{ellipsis}{}", take_end(name, columns.saturating_sub(width(ellipsis))))
}

/// A sentence in at most `columns` as far as paths in it can give up their middle, the longest first.
pub fn fit_paths(text: &str, columns: usize, ellipsis: &str) -> String {
    let mut words: Vec<String> = text.split(' ').map(str::to_owned).collect();
    let mut over = width(text).saturating_sub(columns);
    while over > 0 {
        let shorter = |(at, word): (usize, &String)| {
            // Two words with a stroke between them are no path.
            let is_path = word.matches('/').count() > 1 || word.contains('.') || word.contains('_');
            let (_, name) = word
                .rsplit_once('/')
                .filter(|(_, name)| is_path && !name.is_empty() && !word.contains("://"))?;
            let least = width(name) + 1 + width(ellipsis);
            let short = fit_path(word, least.max(width(word).saturating_sub(over)), ellipsis);
            (width(&short) + 1 < width(word)).then(|| (width(word), at, short))
        };
        let Some((was, at, short)) = words.iter().enumerate().filter_map(shorter).max() else { break };
        over = over.saturating_sub(was - width(&short));
        if let Some(word) = words.get_mut(at) {
            *word = short;
        }
    }
    words.join(" ")
}

/// As many keys as are named whole in so many columns with such a gap, those that come first; where what leaves comes
/// last, that stays longest.
pub fn fitting<'k>(
    keys: &[(&'k str, &'k str)],
    columns: usize,
    gap: usize,
    leaves: bool,
) -> Vec<(&'k str, &'k str)> {
    let wide = |(key, what): &(&str, &str)| width(key) + 1 + width(what);
    let (others, last) = keys.split_at(keys.len().saturating_sub(usize::from(leaves)));
    let mut used: usize = last.iter().map(|key| wide(key) + gap).sum();
    let fits = |key: &&(&str, &str)| {
        used += wide(key) + gap;
        used <= columns + gap
    };
    others.iter().take_while(fits).chain(last).copied().collect()
}

/// A time of day: `14:02`.
pub fn time_of_day(at: Millis, utc_offset_minutes: i32) -> String {
    let minutes = i64::try_from(at.0 / 60_000).unwrap_or_default() + i64::from(utc_offset_minutes);
    let of_day = minutes.rem_euclid(24 * 60);
    format!("{:02}:{:02}", of_day / 60, of_day % 60)
}

#[cfg(test)]
mod tests;
