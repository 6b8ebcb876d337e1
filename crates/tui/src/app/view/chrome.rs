//! Header, tabs, status line and the page that greets.
//!
//! Owns their drawing only.

use pilothouse_core::clean::Clean;
use ratatui::{
    buffer::Buffer,
    layout::Rect,
    style::{Modifier, Style},
    text::{Line, Span},
    widgets::Widget,
};
use unicode_width::UnicodeWidthStr;

use super::App;
use crate::{
    layout::{Shape, shape},
    pane::{Ctx, Focus},
    status::{self, Form, Tone, shorten},
    theme::Slot,
};

impl App {
    pub(super) fn header(&self, buf: &mut Buffer) {
        let area = self.areas.header.intersection(buf.area);
        if area.is_empty() {
            return;
        }
        let style = |slot| self.theme.style(slot);
        let accent = style(Slot::Accent).add_modifier(Modifier::BOLD);
        let around = &self.surroundings;
        let mut left = vec![Span::styled(" pilothouse", accent)];
        let folder = Clean::line(&around.folder).into_string();
        if !folder.is_empty() {
            left.push(Span::styled(format!("  {folder}"), style(Slot::Strong)));
        }
        if let Some(branch) = &around.branch {
            left.push(Span::styled(format!("  {}", Clean::line(branch)), style(Slot::Soft)));
            if around.dirty > 0 {
                left.push(Span::styled(format!(" ±{}", around.dirty), style(Slot::Warn)));
            }
        }
        let mut right = Vec::new();
        if around.read_only {
            right.push(Span::styled("read only", style(Slot::Warn)));
        }
        if self.open {
            if self.session.policy().exposed().is_some() {
                right.push(Span::styled("no ordinary project", style(Slot::Warn)));
            }
            if self.session.state().sandbox.backend.is_none() {
                right.push(Span::styled("no sandbox", style(Slot::Warn)));
            }
            let model = Clean::line(&around.model).into_string();
            if !model.is_empty() {
                right.push(Span::styled(model, style(Slot::Soft)));
            }
            right.push(Span::styled(self.session.state().permission.badge(), style(Slot::Soft)));
            if let Some(percent) = self.context_percent() {
                let slot = if percent >= 80 { Slot::Warn } else { Slot::Soft };
                right.push(Span::styled(format!("ctx {percent} %"), style(slot)));
            }
        }
        let used = |spans: &[Span<'_>]| spans.iter().map(|s| s.content.width()).sum::<usize>();
        let width = usize::from(area.width);
        while !right.is_empty() && used(&left) + used(&right) + 3 * right.len() + 2 > width {
            right.pop();
        }
        while left.len() > 1 && used(&left) > width {
            left.pop();
        }
        Line::from(left).render(area, buf);
        let dot = Span::styled(format!(" {} ", self.glyphs.dot), style(Slot::Faint));
        let mut joined = Vec::new();
        for (i, span) in right.into_iter().enumerate() {
            if i > 0 {
                joined.push(dot.clone());
            }
            joined.push(span);
        }
        joined.push(Span::raw(" "));
        let line = Line::from(joined);
        let wide = u16::try_from(line.width()).unwrap_or(area.width).min(area.width);
        line.render(Rect { x: area.right() - wide, width: wide, ..area }, buf);
    }

    fn context_percent(&self) -> Option<u64> {
        let window = self.surroundings.window.filter(|w| *w > 0)?;
        (self.context_tokens > 0).then(|| (self.context_tokens * 100 / window).min(100))
    }

    /// Tabs, or the one pane's name, with a rule below.
    pub(super) fn strip(&self, ctx: &Ctx<'_>, buf: &mut Buffer) {
        let area = self.areas.tabs.intersection(buf.area);
        if area.is_empty() {
            return;
        }
        if shape(self.areas.status.width) == Shape::Single {
            self.name(ctx, area, buf);
            return;
        }
        let rule = self.glyphs.rule.first().copied().unwrap_or("-");
        let heavy = if rule == "─" { "━" } else { "=" };
        let width = usize::from(area.width);
        let below = area.y + 1;
        if area.height > 1 {
            buf.set_stringn(area.x, below, rule.repeat(width), width, self.theme.style(Slot::Line));
        }
        let mut x = area.x + 1;
        for (pane, label) in self.tabs() {
            let active = pane == self.shown;
            let style = if active {
                self.theme.style(Slot::Strong).add_modifier(Modifier::BOLD)
            } else {
                self.theme.style(Slot::Soft)
            };
            let wide = u16::try_from(label.width()).unwrap_or_default();
            if x + wide >= area.right() {
                break;
            }
            buf.set_stringn(x, area.y, &label, usize::from(wide), style);
            if active && area.height > 1 {
                let lit = self.focus == pane && self.overlays.is_empty();
                let slot = if lit { Slot::Accent } else { Slot::Soft };
                buf.set_stringn(x, below, heavy.repeat(label.width()), label.width(), self.theme.style(slot));
            }
            x += wide + 3;
        }
    }

    fn tabs(&self) -> Vec<(Focus, String)> {
        let state = self.session.state();
        let mut tabs = vec![(Focus::Conversation, "Conversation".to_owned())];
        if let Some(plan) = state.plan.as_ref().or(state.suspended.as_ref()) {
            tabs.push((Focus::Plan, format!("Plan {}/{}", plan.settled(), plan.tasks.len())));
        } else if self.shown == Focus::Plan {
            tabs.push((Focus::Plan, "Plan".to_owned()));
        }
        let open = state.open_proposals().count();
        if open > 0 {
            tabs.push((Focus::Diff, format!("Diff {}{open}", self.glyphs.waits)));
        } else if self.shown == Focus::Diff {
            tabs.push((Focus::Diff, "Diff".to_owned()));
        }
        tabs
    }

    fn name(&self, ctx: &Ctx<'_>, area: Rect, buf: &mut Buffer) {
        let title = self.title(self.shown, ctx);
        let many = self.tabs().len() > 1;
        let (before, after) = match (many, self.look.ascii) {
            (false, _) => (" ", " "),
            (true, false) => ("‹ ", " ›"),
            (true, true) => ("< ", " >"),
        };
        let lit = self.focus == self.shown && self.overlays.is_empty();
        let style =
            self.theme.style(if lit { Slot::Accent } else { Slot::Strong }).add_modifier(Modifier::BOLD);
        let room = usize::from(area.width).saturating_sub(title.right.width() + 6);
        let mut right = title.right.spans;
        right.push(Span::styled(after, self.theme.style(Slot::Soft)));
        let right = Line::from(right);
        let left = Line::from(vec![
            Span::styled(before, self.theme.style(Slot::Soft)),
            Span::styled(shorten(&title.left, room), style),
        ]);
        let row = Rect { height: 1, ..area };
        left.render(row, buf);
        let wide = u16::try_from(right.width()).unwrap_or(row.width).min(row.width);
        right.render(Rect { x: row.right() - wide, width: wide, ..row }, buf);
        if area.height > 1 {
            let rule = self.glyphs.rule.first().copied().unwrap_or("-");
            let width = usize::from(area.width);
            buf.set_stringn(area.x, area.y + 1, rule.repeat(width), width, self.theme.style(Slot::Line));
        }
    }

    pub(super) fn status(&self, buf: &mut Buffer) {
        let area = self.areas.status.intersection(buf.area);
        if area.is_empty() {
            return;
        }
        let frame = if self.animated() { self.spinner } else { 0 };
        let reviewing = self.focus == Focus::Diff;
        let form = Form { width: area.width, frame, glyphs: &self.glyphs, reviewing };
        let (left, right) = status::line(self.session.state(), form);
        let line = |pieces: Vec<status::Piece>| {
            Line::from(
                pieces.into_iter().map(|p| Span::styled(p.text, self.tone(p.tone))).collect::<Vec<_>>(),
            )
        };
        let (left, right) = (line(left), line(right));
        left.render(area, buf);
        let wide = u16::try_from(right.width()).unwrap_or(area.width).min(area.width);
        let x = (area.right() - wide).saturating_sub(1).max(area.x);
        right.render(Rect { x, width: wide, ..area }, buf);
    }

    fn tone(&self, tone: Tone) -> Style {
        let style = |slot| self.theme.style(slot);
        match tone {
            Tone::Text => style(Slot::Text),
            Tone::Soft => style(Slot::Soft),
            Tone::Spin => style(Slot::Faint),
            Tone::Proof => style(Slot::Accent).add_modifier(Modifier::BOLD),
            Tone::Explore => style(Slot::Info).add_modifier(Modifier::BOLD),
            Tone::Executing => style(Slot::Ok),
            Tone::Failed => style(Slot::Bad),
            Tone::Hint => style(Slot::Accent),
            Tone::Queue => style(Slot::Info),
            Tone::Waiting => style(Slot::Warn),
        }
    }

    /// What this is, and what can be done now: a third of the way down.
    pub(super) fn welcome_page(&self, buf: &mut Buffer) {
        let body = self.areas.body.intersection(buf.area);
        let style = |slot| self.theme.style(slot);
        let (soft, strong, key) = (style(Slot::Soft), style(Slot::Strong), style(Slot::Accent));
        let bold = strong.add_modifier(Modifier::BOLD);
        let mut lines = vec![
            vec![Span::styled("Ready when you are.", bold)],
            vec![],
            vec![
                Span::styled("Ask, or say what to change. ", soft),
                Span::styled("Your files stay as they are until you say yes.", strong),
            ],
        ];
        if self.open && self.surroundings.offline {
            lines.push(vec![
                Span::styled("No model yet: the ", soft),
                Span::styled("offline engine", strong),
                Span::styled(" finds, explains, renames, reviews and tests.", soft),
            ]);
            lines.push(vec![
                Span::styled("/connect", key),
                Span::styled(" tells how to add a model, a local one too.", soft),
            ]);
        }
        lines.push(vec![
            Span::styled("F1", key),
            Span::styled(" keys   ", soft),
            Span::styled("Ctrl-P", key),
            Span::styled(" every command   ", soft),
            Span::styled("Esc", key),
            Span::styled(" one step back", soft),
        ]);
        let width =
            lines.iter().map(|l| l.iter().map(|s| s.content.width()).sum::<usize>()).max().unwrap_or(0) + 3;
        let width = u16::try_from(width).unwrap_or(body.width).min(body.width.saturating_sub(2));
        let height = u16::try_from(lines.len()).unwrap_or(0).min(body.height);
        let x = body.x + (body.width - width.min(body.width)) / 2;
        let y = body.y + (body.height - height) / 3;
        if height == 0 || width < 4 {
            return;
        }
        buf.set_stringn(x, y, self.glyphs.active, 1, key);
        for (line, y) in lines.into_iter().zip(y..y + height) {
            Line::from(line).render(Rect { x: x + 3, y, width: width - 3, height: 1 }, buf);
        }
    }
}
