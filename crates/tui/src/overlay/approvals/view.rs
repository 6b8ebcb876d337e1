//! How the list of what waits is drawn: the exact command to its end, its folder, risk and reason.
//!
//! Owns the drawing. The choice and its keys are the list's.

use std::cell::Cell;

use pilothouse_core::{
    checkpoint::Checkpoint,
    clean::Clean,
    question::{NOTE, Role, Spec},
};
use ratatui::{
    buffer::Buffer,
    layout::Rect,
    style::Modifier,
    text::{Line, Span},
    widgets::Widget,
};
use unicode_width::UnicodeWidthStr;

use crate::{
    bar::sound,
    ctx::Ctx,
    layout::TABS,
    overlay::{centred, page::frame},
    reach::{Reach, reaches},
    risk::{risk_name, risk_slot},
    row::{Ink, Row, count, parts, uncoded},
    theme::Slot,
    window::RunRow,
};

/// What a line that was cleaned has for the end of one.
const LINE_END: char = '␊';
/// The list is no wider.
const MOST_WIDE: u16 = 120;
/// Below this width words in its border are short.
const NARROW: u16 = 70;
/// Rows of the list that stay in view above the answers.
const LEAST: usize = 5;
/// The same above answers in their short form.
const LEAST_BESIDE_SHORT: usize = 3;

/// How far the list is turned on from the beginning of the chosen item.
#[derive(Debug, Default)]
pub struct Turned {
    rows: usize,
    /// The furthest that it goes, and how far at once, as it was drawn last.
    drawn: Cell<(usize, usize)>,
    /// Whether the end of what is asked about stood on the screen then: of an exact line its own, else of all that is told.
    end: Cell<bool>,
}

impl Turned {
    /// Turns on or back by what is seen at once; whether there was more to see.
    pub fn turn(&mut self, on: bool) -> bool {
        let (last, page) = self.drawn.get();
        let at = self.rows.min(last);
        self.rows = if on { (at + page).min(last) } else { at.saturating_sub(page) };
        self.rows != at
    }

    /// Whether what is asked about was drawn to its end: it begins in view, and no turn leaves a row out.
    pub const fn shows_the_end(&self) -> bool {
        self.end.get()
    }
}

/// Draws the list; below it how far each answer to the chosen item reaches, where there is room for that.
pub fn render(
    item: Option<&Checkpoint>,
    other: Option<usize>,
    turned: &Turned,
    ctx: &Ctx<'_>,
    buf: &mut Buffer,
) {
    let spec = item.map(|c| ctx.state.spec(c));
    let chosen = item.map(|c| c.id);
    let width = columns(ctx.body);
    let mut rows: Vec<(Line<'static>, bool)> = Vec::new();
    let (mut at, mut end) = (0, 0);
    for item in ctx.state.open.values() {
        let is_chosen = Some(item.id) == chosen;
        if is_chosen {
            at = rows.len();
        }
        let spec = ctx.state.spec(item);
        let [said, facts] = item_rows(&spec, is_chosen, ctx, width);
        let told = if spec.exact { 0 } else { facts.len().saturating_sub(1) };
        if is_chosen {
            end = rows.len() + said.len() + told;
        }
        rows.extend(said.into_iter().chain(facts));
    }
    for (n, run) in beside(ctx).enumerate() {
        if other == Some(n) {
            at = rows.len();
        }
        rows.extend(run_rows(run, other == Some(n), ctx, width));
    }
    if rows.is_empty() {
        rows.push((Line::from(format!("{}  Nothing waits on you.", ctx.glyphs.inner)), false));
    }
    let shows = item.filter(|_| ctx.only_reads().is_none()).and_then(|item| drawn(item, ctx));
    let answers = shows.map_or_else(Vec::new, |all| answer_rows(&all, ctx, width));
    let height = u16::try_from(rows.len() + answers.len() + if answers.is_empty() { 4 } else { 3 })
        .unwrap_or(u16::MAX)
        .max(8);
    let area = centred(ctx.body, MOST_WIDE, height);
    let items = ctx.state.open.len() + beside(ctx).count();
    let mut keys =
        if other.is_some() { ELSEWHERE.to_vec() } else { keys(spec.as_ref(), !answers.is_empty(), ctx) };
    keys.retain(|key| *key != ITEM || items > 1);
    let inner = frame(ctx, area, "Approvals", &waits(ctx), &keys, buf);
    let below = u16::try_from(answers.len()).unwrap_or(inner.height).min(inner.height);
    let room = usize::from(inner.height.saturating_sub(1 + below));
    // The chosen item begins in view, whatever its length.
    let top = if rows.len() <= room { 0 } else { at.min(rows.len() - room) };
    // The last row of the room tells of more.
    let most = rows.len().saturating_sub(top + room);
    turned.drawn.set((most, room.saturating_sub(1).max(1)));
    let top = top + turned.rows.min(most);
    for ((line, lit), y) in rows.iter().skip(top).zip(inner.top() + 1..inner.bottom() - below) {
        draw_row(line, *lit, Rect { y, height: 1, ..inner }, ctx, buf);
    }
    let hidden = rows.len().saturating_sub(top + room);
    turned.end.set(end <= top + room.saturating_sub(usize::from(hidden > 0)));
    if hidden > 0 && room > 0 {
        let last = Rect { y: inner.bottom() - below - 1, height: 1, ..inner };
        more_row(hidden + 1, spec.as_ref(), ctx, last, buf);
    }
    for (line, y) in answers.iter().zip(inner.bottom() - below..inner.bottom()) {
        line.render(Rect { y, height: 1, ..inner }, buf);
    }
}

fn draw_row(line: &Line<'_>, lit: bool, area: Rect, ctx: &Ctx<'_>, buf: &mut Buffer) {
    if lit {
        buf.set_style(area, ctx.theme.fill(Slot::Select));
    }
    line.render(area, buf);
}

/// How many rows there are more, and how they are seen.
fn more_row(rows: usize, spec: Option<&Spec>, ctx: &Ctx<'_>, area: Rect, buf: &mut Buffer) {
    let whole = if spec.and_then(Spec::sheet).is_some() { "Enter shows every line" } else { "PgDn goes on" };
    let rest = format!("  {}; {whole}", count(rows, "more row"));
    let warn = ctx.theme.style(Slot::Warn);
    buf.set_style(area, warn);
    let rest = format!("{rest:width$}", width = usize::from(area.width));
    Line::from(Span::styled(rest, warn)).render(area, buf);
}

/// The title's right: how many wait.
fn waits(ctx: &Ctx<'_>) -> String {
    let waiting = ctx.state.open.len() + beside(ctx).map(|r| r.info.waiting).sum::<usize>();
    if ctx.body.width < NARROW {
        waiting.to_string()
    } else {
        format!("{waiting} waiting · nothing runs without you")
    }
}

/// The keys that choose among several.
const ITEM: (&str, &str) = ("j k", "item");
/// The keys at a question of another session.
const ELSEWHERE: [(&str, &str); 3] = [ITEM, ("Enter", "go to that session"), ("q", "back")];

/// Other sessions of this window in which something waits.
pub fn beside<'a>(ctx: &Ctx<'a>) -> impl Iterator<Item = &'a RunRow> {
    ctx.runs.iter().filter(|run| run.waits_elsewhere())
}

/// A question of another session: where it is asked, and its beginning.
fn run_rows(run: &RunRow, chosen: bool, ctx: &Ctx<'_>, width: usize) -> Vec<(Line<'static>, bool)> {
    let mark = if chosen { ctx.glyphs.folded } else { " " };
    let head = Row::of(mark, Slot::Accent)
        .and(" ", Slot::Text)
        .and(ctx.glyphs.waits, Slot::Warn)
        .and(" in ", Slot::Warn)
        .and(run.title(), Ink::of(Slot::Strong).bold());
    let more = if run.info.waiting > 1 { format!("{} questions", run.info.waiting) } else { String::new() };
    let head = head.ends(Row::of(&more, Slot::Soft), width + 2, ctx.glyphs.ellipsis);
    let said =
        Row::of("    ", Slot::Text).and(&run.info.doing, Slot::Text).cut(width + 2, ctx.glyphs.ellipsis);
    let mut rows = vec![(head.line(ctx.theme), chosen), (said.line(ctx.theme), chosen)];
    rows.push((Line::default(), false));
    rows
}

/// Columns of the list's text on a body.
fn columns(body: Rect) -> usize {
    usize::from(body.width.min(MOST_WIDE).saturating_sub(6))
}

/// Whether every answer to an item can be drawn beside its key with how far it reaches.
pub fn fits(item: &Checkpoint, ctx: &Ctx<'_>) -> bool {
    drawn(item, ctx).is_some()
}

/// The answers to an item as they are drawn: in full, else in their short form.
fn drawn(item: &Checkpoint, ctx: &Ctx<'_>) -> Option<Vec<Reach>> {
    let body = ctx.body;
    let width = columns(body).saturating_sub(REACH).max(4);
    let fits = |all: &[Reach], least: usize| {
        let rows: usize = all.iter().map(|r| words(&r.reach, width).len()).sum();
        columns(body) >= REACH + LEAST_REACH && rows + 1 + least + 3 <= usize::from(body.height)
    };
    let all = reaches(item, ctx.state, ctx.session.policy());
    if fits(&all, LEAST) {
        return Some(all);
    }
    let short: Vec<Reach> = all.iter().map(Reach::short).collect();
    fits(&short, LEAST_BESIDE_SHORT).then_some(short)
}

/// The keys that the border names: those that do not stand above it with their reach.
fn keys(spec: Option<&Spec>, above: bool, ctx: &Ctx<'_>) -> Vec<(&'static str, &'static str)> {
    const WHY: (&str, &str) = ("w", "why");
    const CLOSE: (&str, &str) = ("q", "close (stays pending)");
    const BACK: (&str, &str) = ("q", "back");
    const LEAST: [(&str, &str); 2] = [("y", "once"), ("n", "deny")];
    let width = ctx.body.width;
    let Some(spec) = spec else { return vec![BACK] };
    if ctx.only_reads().is_some() {
        return vec![ITEM, WHY, BACK];
    }
    let named = [Role::Take, Role::Deny, Role::Look].into_iter().filter_map(|r| spec.choice(r));
    match spec.sheet() {
        Some(_) if width >= TABS => {
            std::iter::once(ITEM).chain(named.map(|c| (c.key, c.label))).chain([BACK]).collect()
        }
        _ if above && spec.editable.is_some() && width < NARROW => vec![ITEM, WHY, ("e", "edit"), BACK],
        _ if above && spec.editable.is_some() => {
            vec![ITEM, WHY, ("e", spec.editable.unwrap_or_default()), CLOSE]
        }
        _ if above => vec![ITEM, WHY, CLOSE],
        _ if width >= TABS => [&[ITEM][..], &LEAST, &[WHY, CLOSE]].concat(),
        _ => LEAST.to_vec(),
    }
}

/// Columns of a key and its name, and of how far it reaches at least.
const REACH: usize = 18;
const LEAST_REACH: usize = 12;

/// How far each answer reaches, below a line.
fn answer_rows(all: &[Reach], ctx: &Ctx<'_>, width: usize) -> Vec<Line<'static>> {
    let theme = ctx.theme;
    let [across, _] = ctx.glyphs.rule;
    let mut rows = vec![Line::from(Span::styled(across.repeat(width + 2), theme.style(Slot::Line)))];
    let key = theme.style(Slot::Accent).add_modifier(Modifier::BOLD);
    for answer in all {
        let none = answer.key.is_empty();
        let room = width.saturating_sub(REACH).max(4);
        for (i, part) in words(&Clean::line(&answer.reach), room).into_iter().enumerate() {
            let (letter, name) = if i == 0 { (answer.key, answer.name) } else { ("", "") };
            let slot = if none { Slot::Faint } else { Slot::Text };
            rows.push(Line::from(vec![
                Span::styled(format!("  {letter:6}"), key),
                Span::styled(format!("{name:10}"), theme.style(if none { Slot::Faint } else { Slot::Soft })),
                Span::styled(part, theme.style(slot)),
            ]));
        }
    }
    rows
}

/// What is asked about, and below it what is known of it.
fn item_rows(spec: &Spec, chosen: bool, ctx: &Ctx<'_>, width: usize) -> [Vec<(Line<'static>, bool)>; 2] {
    let theme = ctx.theme;
    let bold = theme.style(Slot::Strong).add_modifier(Modifier::BOLD);
    let mark =
        Span::styled(format!("{} ", if chosen { ctx.glyphs.folded } else { " " }), theme.style(Slot::Accent));
    let (tag, slot) = tag(spec, ctx);
    let tag_width = tag.width().max(10) + 2;
    let (mut said, mut rows) = (Vec::new(), Vec::new());
    let room = width.saturating_sub(2 + tag_width).max(4);
    let said_parts = if spec.exact {
        parts(&spec.text, room, room)
    } else {
        // What is said in several lines stands in as many; a line that runs stands as it is.
        spec.text.split(LINE_END).flat_map(|line| words(line, room)).collect()
    };
    for (i, part) in said_parts.into_iter().enumerate() {
        let lead = if i == 0 { format!("{tag:tag_width$}") } else { " ".repeat(tag_width) };
        let mark = if i == 0 { mark.clone() } else { Span::raw("  ") };
        let line = Line::from(vec![mark, Span::styled(lead, theme.style(slot)), Span::styled(part, bold)]);
        said.push((line, chosen));
    }
    let quiet = if chosen { Slot::Text } else { Slot::Faint };
    let labels = spec.facts.iter().map(|(label, _)| label.width()).max().unwrap_or_default().max(8) + 1;
    let own = spec.own.map(Clean::line);
    for (option, n) in spec.options.iter().chain(&own).zip(1..) {
        let lead = format!("{n}  ");
        for (i, part) in words(option, room.saturating_sub(lead.width()).max(4)).into_iter().enumerate() {
            let lead = if i == 0 { lead.clone() } else { " ".repeat(lead.width()) };
            let line = Line::from(vec![
                Span::raw(" ".repeat(2 + tag_width)),
                Span::styled(lead, theme.style(Slot::Soft)),
                Span::styled(part, theme.style(quiet)),
            ]);
            rows.push((line, false));
        }
    }
    for (label, value) in &spec.facts {
        let room = width.saturating_sub(2 + tag_width + labels).max(4);
        // Whatever else stands here would run or take effect: it stands as it is.
        let value = if *label == NOTE { uncoded(value) } else { value.as_str().to_owned() };
        for (i, part) in words(&value, room).into_iter().enumerate() {
            let label = if i == 0 { *label } else { "" };
            let line = Line::from(vec![
                Span::raw(" ".repeat(2 + tag_width)),
                Span::styled(format!("{label:labels$}"), theme.style(Slot::Soft)),
                Span::styled(part, theme.style(quiet)),
            ]);
            rows.push((line, false));
        }
    }
    rows.push((Line::default(), false));
    [said, rows]
}

/// What an item is, with its glyph: its risk where that is judged.
fn tag(spec: &Spec, ctx: &Ctx<'_>) -> (String, Slot) {
    let (glyph, slot) = sound(spec.tone, ctx.glyphs);
    spec.danger.map_or_else(
        || (format!("{glyph} {}", spec.tag), slot),
        |d| (risk_name(d.risk, ctx.glyphs.waits == "!").to_owned(), risk_slot(d.risk)),
    )
}

/// Words on rows of at most `width` columns, each as far in as the first; a word that is longer than
/// a row is cut.
fn words(text: &str, width: usize) -> Vec<String> {
    let lead = " ".repeat(text.len() - text.trim_start().len());
    let room = width.saturating_sub(lead.width()).max(1);
    let mut rows: Vec<String> = Vec::new();
    for word in text.trim_start().split(' ') {
        match rows.last_mut() {
            Some(row) if row.width() + 1 + word.width() <= room => {
                row.push(' ');
                row.push_str(word);
            }
            Some(_) | None => rows.extend(parts(word, room, room)),
        }
    }
    rows.iter().map(|row| format!("{lead}{row}")).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn sentences_break_at_blanks_and_stay_as_far_in_as_they_began() {
        assert_eq!(words("  gives commands A, B", 12), ["  gives", "  commands", "  A, B"]);
        assert_eq!(words("averylongword x", 6), ["averyl", "ongwor", "d x"]);
        assert_eq!(words("", 6), [""]);
    }

    proptest! {
        #[test]
        fn no_row_is_too_wide_and_only_blanks_are_lost(text in "[a-zäß世 ]{0,60}", width in 4_usize..30) {
            let rows = words(text.trim(), width);
            prop_assert!(rows.iter().all(|row| row.width() <= width), "{rows:?}");
            let bare = |s: &str| s.split_whitespace().collect::<String>();
            prop_assert_eq!(bare(&rows.concat()), bare(&text));
        }
    }
}
