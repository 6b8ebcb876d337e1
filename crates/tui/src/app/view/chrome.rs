//! Header, tabs, status line and the page that greets.
//!
//! Owns their drawing only.

use std::time::Instant;

use pilothouse_core::{clean::Clean, money::age};
use ratatui::{
    buffer::Buffer,
    layout::Rect,
    style::Modifier,
    text::{Line, Span},
    widgets::Widget,
};
use unicode_width::UnicodeWidthStr;

use super::App;
use crate::{
    ctx::Ctx,
    layout::{Shape, shape},
    pane::{Focus, runs},
    row::{Ink, Row, wrap},
    status::{self, Form, shorten},
    theme::Slot,
};

/// Columns between two of what stands at the right of the header.
const BETWEEN: usize = 3;
/// The name of a branch is not cut further than this.
const LEAST_BRANCH: usize = 8;
/// Said where the folder is no project of its own, and the same where there is little room.
const NO_PROJECT: &str = "no ordinary project";
const NO_PROJECT_SHORT: &str = "no project";
/// From this per cent on a context is nearly full.
const NEARLY_FULL: u64 = 80;

/// Something at the right of the header.
struct Held {
    text: String,
    slot: Slot,
    /// Whether it is told however narrow the screen is.
    stays: bool,
}

impl App {
    pub(super) fn header(&self, buf: &mut Buffer) {
        let area = self.panes.areas.header.intersection(buf.area);
        if area.is_empty() {
            return;
        }
        let style = |slot| self.looks.theme.style(slot);
        let accent = style(Slot::Accent).add_modifier(Modifier::BOLD);
        let around = &self.world.surroundings;
        let used = |spans: &[Span<'_>]| spans.iter().map(|s| s.content.width()).sum::<usize>();
        let width = usize::from(area.width);
        let mut left = vec![Span::styled(" pilothouse", accent)];
        let folder = Clean::line(&around.folder).into_string();
        if !folder.is_empty() {
            left.push(Span::styled(format!("  {folder}"), style(Slot::Strong)));
        }
        let mut right = self.header_right();
        let taken = |right: &[Held]| right.iter().map(|held| held.text.width() + BETWEEN).sum::<usize>() + 2;
        let branch = around.branch.as_deref().map(|branch| Clean::line(branch).into_string());
        let dirty = if around.dirty > 0 && branch.is_some() {
            // Behind what git is in the middle of it is a count of its own.
            let comma = if branch.as_deref().is_some_and(|branch| branch.contains(", ")) { "," } else { "" };
            format!("{comma} {}{}", self.looks.glyphs.changed, around.dirty)
        } else {
            String::new()
        };
        let beside = |name: usize| if name > 0 { name + 2 + dirty.width() } else { 0 };
        let whole = branch.as_deref().map_or(0, str::width);
        // What the workbench may do is told at every width: the names around it give way.
        while used(&left) + beside(whole) + taken(&right) > width {
            let Some(at) = right.iter().rposition(|held| !held.stays) else { break };
            right.remove(at);
        }
        let room = width.saturating_sub(used(&left) + taken(&right) + 2 + dirty.width());
        if let Some(branch) = branch.filter(|branch| branch.width() <= room || room >= LEAST_BRANCH) {
            left.push(Span::styled(format!("  {}", shorten(&branch, room)), style(Slot::Soft)));
            left.push(Span::styled(dirty, style(Slot::Warn)));
        }
        while left.len() > 1 && used(&left) + taken(&right) > width {
            left.pop();
        }
        // Last of all goes the mode, which stands behind the others.
        while !right.is_empty() && used(&left) + taken(&right) > width {
            match right.iter_mut().find(|held| held.text == NO_PROJECT) {
                Some(held) => NO_PROJECT_SHORT.clone_into(&mut held.text),
                None => drop(right.remove(right.len().saturating_sub(1 + usize::from(self.world.open)))),
            }
        }
        Line::from(left).render(area, buf);
        let dot = Span::styled(format!(" {} ", self.looks.glyphs.dot), style(Slot::Faint));
        let mut joined = Vec::new();
        for (i, held) in right.into_iter().enumerate() {
            if i > 0 {
                joined.push(dot.clone());
            }
            joined.push(Span::styled(held.text, style(held.slot)));
        }
        joined.push(Span::raw(" "));
        let line = Line::from(joined);
        let wide = u16::try_from(line.width()).unwrap_or(area.width).min(area.width);
        line.render(Rect { x: area.right() - wide, width: wide, ..area }, buf);
    }

    /// What stands at the right of the header, the weightiest first.
    fn header_right(&self) -> Vec<Held> {
        let around = &self.world.surroundings;
        let stays = |text: &str, slot| Held { text: text.to_owned(), slot, stays: true };
        let mut right = Vec::new();
        right.extend(around.unsaved.is_some().then(|| stays("not saved", Slot::Bad)));
        right.extend(around.read_only.then(|| stays("read only", Slot::Warn)));
        if self.world.open {
            if self.world.session.policy().exposed().is_some() {
                right.push(stays(NO_PROJECT, Slot::Warn));
            }
            if self.world.state().sandbox.backend.is_none() {
                right.push(stays("no sandbox", Slot::Warn));
            }
            let model = Clean::line(&around.model).into_string();
            if !model.is_empty() {
                right.push(Held { text: model, slot: Slot::Soft, stays: false });
            }
            if self.world.state().chat_only {
                right.push(stays("talk only", Slot::Warn));
            }
            right.push(stays(self.world.state().permission.badge(), Slot::Soft));
            if let Some(percent) = self.world.context_percent() {
                let slot = if percent >= NEARLY_FULL { Slot::Warn } else { Slot::Soft };
                right.push(Held { text: format!("ctx {percent} %"), slot, stays: false });
            }
        }
        right
    }

    /// Tabs, or the one pane's name, with a rule below.
    pub(super) fn strip(&self, ctx: &Ctx<'_>, buf: &mut Buffer) {
        let area = self.panes.areas.tabs.intersection(buf.area);
        if area.is_empty() {
            return;
        }
        if shape(self.panes.areas.status.width) == Shape::Single {
            self.name(ctx, area, buf);
            return;
        }
        let rule = self.looks.glyphs.rule.first().copied().unwrap_or("-");
        let heavy = if rule == "─" { "━" } else { "=" };
        let width = usize::from(area.width);
        let below = area.y + 1;
        if area.height > 1 {
            buf.set_stringn(area.x, below, rule.repeat(width), width, self.looks.theme.style(Slot::Line));
        }
        let mut x = area.x + 1;
        for (pane, label) in self.panes.tabs(ctx) {
            let active = pane == self.panes.shown;
            let style = if active {
                self.looks.theme.style(Slot::Strong).add_modifier(Modifier::BOLD)
            } else {
                self.looks.theme.style(Slot::Soft)
            };
            let wide = u16::try_from(label.width()).unwrap_or_default();
            if x + wide >= area.right() {
                break;
            }
            buf.set_stringn(x, area.y, &label, usize::from(wide), style);
            if active && area.height > 1 {
                let lit = self.panes.focus != Focus::Composer && self.overlays.is_empty();
                let slot = if lit { Slot::Accent } else { Slot::Soft };
                buf.set_stringn(
                    x,
                    below,
                    heavy.repeat(label.width()),
                    label.width(),
                    self.looks.theme.style(slot),
                );
            }
            x += wide + 3;
        }
    }

    fn name(&self, ctx: &Ctx<'_>, area: Rect, buf: &mut Buffer) {
        let Some((_, _, pane)) = self.panes.iter().nth(self.panes.shown) else { return };
        let title = pane.title(ctx);
        let many = self.panes.tabs(ctx).len() > 1;
        let (before, after) = match (many, self.looks.look.ascii) {
            (false, _) => (" ", " "),
            (true, false) => ("‹ ", " ›"),
            (true, true) => ("< ", " >"),
        };
        let lit = self.panes.focus != Focus::Composer && self.overlays.is_empty();
        let style = self
            .looks
            .theme
            .style(if lit { Slot::Accent } else { Slot::Strong })
            .add_modifier(Modifier::BOLD);
        let mut right = title.right.spans;
        // What came in a pane that has no room is told beside the one that has.
        let news = self.panes.news();
        if news > 0 {
            let gap = if right.is_empty() { "" } else { "  " };
            right.push(Span::styled(format!("{gap}{news} new"), self.looks.theme.style(Slot::Info)));
        }
        let room = usize::from(area.width).saturating_sub(Line::from(right.clone()).width() + 6);
        right.push(Span::styled(after, self.looks.theme.style(Slot::Soft)));
        let right = Line::from(right);
        let left = Line::from(vec![
            Span::styled(before, self.looks.theme.style(Slot::Soft)),
            Span::styled(shorten(&title.left, room), style),
        ]);
        let row = Rect { height: 1, ..area };
        left.render(row, buf);
        let wide = u16::try_from(right.width()).unwrap_or(row.width).min(row.width);
        right.render(Rect { x: row.right() - wide, width: wide, ..row }, buf);
        if area.height > 1 {
            let rule = self.looks.glyphs.rule.first().copied().unwrap_or("-");
            let width = usize::from(area.width);
            buf.set_stringn(
                area.x,
                area.y + 1,
                rule.repeat(width),
                width,
                self.looks.theme.style(Slot::Line),
            );
        }
    }

    pub(super) fn status(&self, buf: &mut Buffer, now: Instant) {
        let area = self.panes.areas.status.intersection(buf.area);
        if area.is_empty() {
            return;
        }
        let frame = if self.animated() { self.spinner } else { 0 };
        let form = Form {
            width: area.width,
            frame,
            glyphs: &self.looks.glyphs,
            runs: &self.runs,
            utc_offset_minutes: self.world.surroundings.utc_offset_minutes,
            silent: self.silent(now),
            served: self.world.waits_for_server(now) > 0,
            reads: self.world.surroundings.read_only,
            free: self.world.surroundings.free,
        };
        let (left, right) = status::line(self.world.state(), form);
        let theme = &self.looks.theme;
        let line = |pieces: Vec<status::Piece>| {
            Line::from(
                pieces.into_iter().map(|p| Span::styled(p.text, p.ink.style(theme))).collect::<Vec<_>>(),
            )
        };
        let (left, right) = (line(left), line(right));
        left.render(area, buf);
        let wide = u16::try_from(right.width()).unwrap_or(area.width).min(area.width);
        let x = (area.right() - wide).saturating_sub(1).max(area.x);
        right.render(Rect { x, width: wide, ..area }, buf);
    }

    /// What this is, and what can be done now: a third of the way down, once the session stands. What is known later comes
    /// below, and nothing moves for it.
    pub(super) fn welcome_page(&self, buf: &mut Buffer) {
        if !self.world.open {
            return;
        }
        let body = self.panes.areas.body.intersection(buf.area);
        let mut lines = vec![
            Row::of("Ready when you are.", Ink::of(Slot::Strong).bold()),
            Row::new(),
            Row::of("Ask a question or describe a change.", Slot::Soft),
            Row::of("Nothing is written until you approve it.", Slot::Strong),
        ];
        if self.world.surroundings.offline {
            lines.push(
                Row::of("No model yet: the ", Slot::Soft)
                    .and("offline engine", Slot::Strong)
                    .and(" finds, explains, renames, reviews and tests.", Slot::Soft),
            );
            lines.push(
                Row::of("/connect", Slot::Accent)
                    .and(" shows how to add a model (local ones work too).", Slot::Soft),
            );
        }
        let keys = [("F1", " keys   "), ("Ctrl-P", " all commands   "), ("Esc", " back")];
        lines.push(
            keys.iter().fold(Row::new(), |row, (key, what)| row.and(key, Slot::Accent).and(what, Slot::Soft)),
        );
        let longest = lines.iter().map(Row::width).max().unwrap_or(0) + 3;
        let known = lines.len();
        lines.extend(self.left_here());
        let width = u16::try_from(longest).unwrap_or(body.width).min(body.width.saturating_sub(2));
        if width < 4 {
            return;
        }
        // What is known later moves nothing, and has the room to the edge.
        let x = body.x + (body.width - width) / 2;
        let room = body.right() - x - 3;
        let wrapped = |lines: &[Row]| -> Vec<Row> {
            lines.iter().flat_map(|l| wrap(&l.pieces, usize::from(room))).collect()
        };
        let high = |rows: &[Row]| u16::try_from(rows.len()).unwrap_or(u16::MAX).min(body.height);
        let later = lines.split_off(known);
        let mut rows = wrapped(&lines);
        let first = high(&rows);
        rows.extend(wrapped(&later));
        let height = high(&rows);
        if height == 0 {
            return;
        }
        let y = body.y + ((body.height - first) / 3).min(body.height - height);
        buf.set_stringn(x, y, self.looks.glyphs.active, 1, self.looks.theme.style(Slot::Accent));
        for (row, y) in rows.iter().zip(y..y + height) {
            row.paint(&self.looks.theme, buf, Rect { x: x + 3, y, width: room, height: 1 }, y);
        }
    }

    /// The session that can be gone on with, and by which key.
    fn left_here(&self) -> Option<Row> {
        let run = self.runs.iter().find(|run| run.was_left())?;
        let key = self.keying.keymap.key(runs::KIND.toggle())?;
        let title = shorten(&Clean::line(run.title()), 40);
        let stands = if run.is_earlier() { run.info.status.name() } else { "unfinished" };
        let age = age(run.quiet);
        let row = Row::of(key, Slot::Accent).and(" lists ", Slot::Soft);
        let row = row.and(&format!("\"{title}\""), Slot::Strong);
        Some(row.and(&format!(", {stands}, last used {age} ago."), Slot::Soft))
    }
}
