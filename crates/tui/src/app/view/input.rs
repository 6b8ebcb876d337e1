//! The composer, the list above it, lines that are asked for and the keys that can follow.
//!
//! Owns their drawing only.

use std::time::Instant;

use pilothouse_core::{
    clean::Clean,
    intent::{IntentPath, Phase},
    shell::Risk,
};
use ratatui::{
    buffer::Buffer,
    layout::Rect,
    style::{Modifier, Style},
    text::{Line, Span},
    widgets::{Clear, Widget},
};
use unicode_width::UnicodeWidthStr;

use super::{App, text_width};
use crate::{
    app::{Notice, enter::Enter},
    ctx::Ctx,
    keymap::Action,
    layout::hint_rows,
    overlay::Caret,
    pane::Focus,
    preview::{Preview, acts},
    risk::{risk_name, risk_slot},
    row::{Row, coded, fit_paths, fitting, wrap},
    status::{shorten, shorten_parts, shorten_words},
    theme::Slot,
};

impl App {
    pub(super) fn composer(&self, ctx: &Ctx<'_>, buf: &mut Buffer) -> Caret {
        let area = self.panes.areas.composer.intersection(buf.area);
        if area.is_empty() {
            return None;
        }
        let focused = self.panes.focus == Focus::Composer && self.overlays.is_empty();
        buf.set_style(area, self.looks.theme.fill(Slot::Surface));
        let text = self.looks.theme.style(if focused { Slot::Strong } else { Slot::Soft });
        let wide = text_width(area.width);
        let tight = wide == area.width;
        let hint = hint_rows(self.panes.areas.status.bottom()).min(area.height - 1);
        let draft = Rect {
            x: if tight { area.x } else { area.x + 4 },
            width: wide,
            height: area.height - hint,
            ..area
        };
        if !tight {
            let edge = self.looks.theme.style(self.edge(focused));
            for y in area.top()..area.bottom() {
                buf.set_string(area.x, y, self.looks.glyphs.bar, edge);
            }
            // What is told in the place of a draft has a sign of its own before it.
            let told = self.notice.as_ref().filter(|_| self.composer.draft.is_empty());
            let command = self.composer.offered().is_some() && !self.offers_message();
            let prompt = match (command, self.looks.look.ascii) {
                (true, _) => "$",
                (false, true) => ">",
                (false, false) => "›",
            };
            let ink = if focused { edge } else { self.looks.theme.style(Slot::Faint) };
            // Where the first line stands above, none of those that are seen is it.
            let prompt = if self.composer.draft.beyond(draft.height).0 > 0 { "" } else { prompt };
            let (prompt, ink) = match told {
                Some(notice) if notice.bad => (self.looks.glyphs.warn, self.looks.theme.style(Slot::Warn)),
                Some(_) => (self.looks.glyphs.dot, self.looks.theme.style(Slot::Info)),
                None => (prompt, ink.add_modifier(Modifier::BOLD)),
            };
            buf.set_string(area.x + 2, area.y, prompt, ink);
        }
        let style = text.patch(self.looks.theme.fill(Slot::Surface));
        let below = hint > 0 && !tight;
        let caret = self.composer.draft.render(self.rest_of_draft(draft, buf), buf, style);
        let two = self.composer.draft.is_empty() && self.paint_empty(area, draft, below, buf);
        if below && !two {
            let row = Rect { x: area.x + 4, y: area.bottom() - 1, width: area.width - 5, height: 1 };
            self.hint(ctx, row, focused, buf);
        }
        caret.filter(|_| focused)
    }

    /// What stands in the place of an empty draft; whether that takes the row of the hints below as well.
    fn paint_empty(&self, area: Rect, draft: Rect, below: bool, buf: &mut Buffer) -> bool {
        let room = usize::from(draft.width);
        // What was told stays until the next key, and moves none that is named.
        let two = self.notice.as_ref().filter(|_| below).and_then(|notice| self.told_in_two(notice, room));
        let rest = two.as_ref().map(|(_, rest)| rest.clone());
        let row = match (&self.notice, two) {
            (_, Some((first, _))) => first,
            (Some(notice), None) => self.told(notice, room),
            (None, None) => Row::of(&shorten_parts(&self.placeholder(), room), Slot::Faint),
        };
        let place = Rect { height: 1, ..draft };
        buf.set_style(place, Style::new().remove_modifier(Modifier::BOLD));
        row.paint(&self.looks.theme, buf, place, draft.y);
        if self.notice.is_some() {
            buf.set_style(place, Style::new().add_modifier(Modifier::ITALIC));
        }
        if let Some(rest) = &rest {
            rest.paint(&self.looks.theme, buf, Rect { height: area.height, ..draft }, area.bottom() - 1);
        }
        rest.is_some()
    }

    fn placeholder(&self) -> String {
        let state = self.world.state();
        let folder = Clean::line(&self.world.surroundings.folder).into_string();
        if !self.overlays.is_empty() {
            return "your keys go to the window above; Esc returns here".to_owned();
        }
        if self.offers_message() {
            return "type a message; Esc leaves it as it was".to_owned();
        }
        if self.composer.offered().is_some() {
            return "Enter skips the command: it is not run".to_owned();
        }
        if let Some(why) = self.entered.invites.as_ref().filter(|_| self.world.surroundings.read_only) {
            return why.clone();
        }
        if let Some((pane, _)) = self.panes.focused() {
            return format!("your keys go to the {}; Esc returns here", pane.0);
        }
        if let Some(said) = &self.entered.invites {
            return said.clone();
        }
        match state.phase {
            Phase::Executing => "Type to interrupt execution...".to_owned(),
            Phase::Planning => "Say what the plan should take into account".to_owned(),
            Phase::Idle | Phase::AwaitingApproval | Phase::Failed if folder.is_empty() => {
                "Ask a question or describe a change".to_owned()
            }
            Phase::Idle | Phase::AwaitingApproval | Phase::Failed => {
                format!("Ask about {folder} or describe a change")
            }
        }
    }

    fn hint(&self, ctx: &Ctx<'_>, row: Rect, focused: bool, buf: &mut Buffer) {
        let style = |slot| self.looks.theme.style(slot);
        let (soft, faint) = (style(Slot::Soft), style(Slot::Faint));
        let width = usize::from(row.width);
        let mut right = Vec::new();
        let deciding = self.panes.focused().filter(|_| self.overlays.is_empty() && self.deciding());
        let left = if let Some(notice) = self.notice.as_ref().filter(|_| !self.composer.draft.is_empty()) {
            // What that key does is told beside it.
            let told = self.told(notice, width);
            let room = width.saturating_sub(told.width() + 3);
            right = match deciding {
                Some((_, pane)) => self.key_names(&pane.deciding_keys(ctx).keys, room),
                None => self.next_enter(focused),
            };
            told.line(&self.looks.theme).spans
        } else if let Some((_, pane)) = deciding {
            let names = pane.deciding_keys(ctx);
            right.push(Span::styled(names.beside, faint));
            self.key_names(&names.keys, width)
        } else if !focused {
            let empty = self.composer.draft.is_empty();
            let text = match (self.overlays.is_empty(), empty) {
                (false, _) => "draft and runs unaffected",
                (true, true) => "any other letter begins a message",
                (true, false) => "your draft is kept   Esc returns to it",
            };
            // Where there is no border below the pane, its keys are named here.
            let names = self.panes.focused().filter(|_| self.overlays.is_empty() && !self.is_wide());
            let names = names.map(|(_, pane)| pane.hints(ctx, row.width)).filter(|names| names.width() > 0);
            match names {
                Some(names) => names.spans,
                None => vec![Span::styled(text, faint)],
            }
        } else if let Some(command) = self.at_hand().filter(|_| self.composer.draft.is_empty()) {
            self.key_names(&self.command_keys(command), width)
        } else if self.offers_message() {
            self.key_names(
                &[("Enter", "commits with it"), ("Ctrl-G", "your editor"), ("Esc", "later")],
                width,
            )
        } else if let Some((risk, why)) = self.judged() {
            return self.offer_hint(row, risk, why, buf);
        } else if let Some(opens) = self.opens_instead() {
            vec![Span::styled(opens, style(Slot::Info))]
        } else if let Some(preview) = self.foretold_here() {
            let lowers = matches!(preview, Preview::Path(path, _) if acts(path.current()));
            let lower = lowers.then_some("Alt-L lowers");
            let keys: Vec<&str> = lower.into_iter().chain(self.sending()).collect();
            right.push(Span::styled(keys.join(" · "), faint));
            self.preview(preview, width)
        } else {
            // How to stop goes before the names of other keys.
            let stop = self.stop_key();
            right.push(Span::styled(stop.unwrap_or_else(|| self.corner()), faint));
            self.keys(width.saturating_sub(stop.map_or(0, |stop| stop.width() + 3)))
        };
        let left = Line::from(left);
        let used = left.width();
        left.style(soft).render(row, buf);
        let right = Line::from(right);
        if used + right.width() + 3 <= width {
            let wide = u16::try_from(right.width()).unwrap_or_default();
            right.render(Rect { x: row.right() - wide, width: wide, ..row }, buf);
        }
    }

    /// What was told, in a row: paths give up their middle before a word goes.
    fn told(&self, notice: &Notice, room: usize) -> Row {
        let ink = if notice.bad { Slot::Warn } else { Slot::Info };
        let row = coded(&notice.text, ink);
        if row.width() <= room {
            return row;
        }
        Row::of(&shorten_words(&fit_paths(&row.text(), room, self.looks.glyphs.ellipsis), room), ink)
    }

    /// What a key does, where one row does not hold it: its row and the one below. Of what is longer than both, which the
    /// conversation has whole, paths give up their middle before a word goes.
    fn told_in_two(&self, notice: &Notice, room: usize) -> Option<(Row, Row)> {
        let ink = if notice.bad { Slot::Warn } else { Slot::Info };
        let ellipsis = self.looks.glyphs.ellipsis;
        let row = coded(&notice.text, ink).fit_paths(2 * room, ellipsis);
        let row = Some(row).filter(|row| notice.is_of_key() && row.width() > room)?;
        let first = wrap(&row.pieces, room).into_iter().next()?;
        let text = row.text();
        let rest = text.get(first.text().len()..).unwrap_or_default().trim_start();
        Some((first, Row::of(&shorten_words(&fit_paths(rest, room, ellipsis), room), ink)))
    }

    /// What Enter does next, where that is not what everybody expects.
    fn next_enter(&self, focused: bool) -> Vec<Span<'static>> {
        let next = self.entered.hint.filter(|_| focused && self.entered.enter != Enter::Send);
        let faint = self.looks.theme.style(Slot::Faint);
        next.map(|what| Span::styled(format!("Enter {what}"), faint)).into_iter().collect()
    }

    /// What the keys do to a draft; nothing where a list above it has them.
    fn sending(&self) -> Option<&'static str> {
        let sends =
            if self.world.state().is_executing() { "Enter sends · Tab queues" } else { "Enter sends" };
        (self.entered.enter == Enter::Send && self.entered.hint.is_some()).then_some(sends)
    }

    /// What the draft would do, where it can do anything.
    fn foretold_here(&self) -> Option<&Preview> {
        self.previewed.2.as_ref().filter(|_| !self.world.surroundings.read_only)
    }

    /// What stops the work at hand.
    fn stop_key(&self) -> Option<&'static str> {
        let state = self.world.state();
        if self.world.surroundings.read_only {
            return None;
        }
        if state.answering().is_some() {
            return Some("Esc Esc stops the answer");
        }
        (state.busy() || state.is_executing()).then_some("Ctrl-C stops")
    }

    fn corner(&self) -> &'static str {
        let world = &self.world;
        let local = world.open && world.surroundings.offline && self.panes.is_fresh(world.state());
        if local { "nothing leaves this machine" } else { "" }
    }

    fn keys(&self, width: usize) -> Vec<Span<'static>> {
        // In the place of a draft it is told what Enter does there, unless something else is told in it.
        let empty = self.composer.draft.is_empty();
        let told = empty && self.notice.is_none() && self.entered.invites.is_some();
        let enter = self.entered.hint.filter(|_| !told);
        let mut keys: Vec<_> = enter.map(|what| ("Enter", what)).into_iter().collect();
        if self.world.surroundings.read_only {
            keys.extend(empty.then_some(("/", "commands")));
            return self.key_names(&keys, width);
        }
        if self.entered.enter == Enter::Send && self.world.state().is_executing() {
            keys.push(("Tab", "queues"));
        }
        if empty {
            keys.extend([("@", "files"), ("/", "commands"), ("!", "shell")]);
        }
        self.key_names(&keys, width)
    }

    /// Keys and what they do, as many as fit whole; where they are too many for wide gaps, between narrow ones.
    pub(super) fn key_names(&self, keys: &[(&str, &str)], width: usize) -> Vec<Span<'static>> {
        let (key, soft) = (self.looks.theme.style(Slot::Accent), self.looks.theme.style(Slot::Soft));
        let key = key.add_modifier(Modifier::BOLD);
        let words: usize = keys.iter().map(|(name, what)| name.width() + 1 + what.width()).sum();
        let wide = words + 3 * keys.len().saturating_sub(1) <= width;
        let between = if wide { "   " } else { "  " };
        let mut spans = Vec::new();
        for (name, what) in fitting(keys, width, between.len(), false) {
            let gap = if spans.is_empty() { "" } else { between };
            let (name, what) = (Span::styled(name.to_owned(), key), Span::styled(format!(" {what}"), soft));
            spans.extend([Span::raw(gap), name, what]);
        }
        spans
    }

    fn preview(&self, preview: &Preview, width: usize) -> Vec<Span<'static>> {
        let style = |slot| self.looks.theme.style(slot);
        match preview {
            Preview::Answer(choice) => {
                let choice = choice.map(|label| format!(": {label}")).unwrap_or_default();
                vec![Span::styled(format!("answers the question above{choice}"), style(Slot::Info))]
            }
            Preview::Shell(risk, why, outside) => {
                let name = risk_name(*risk, self.looks.look.ascii);
                let what = if *outside { "a command outside the sandbox" } else { "a command" };
                let mut spans = vec![
                    Span::styled(what, style(Slot::Accent).add_modifier(Modifier::BOLD)),
                    Span::styled(format!("   {name}"), style(risk_slot(*risk))),
                ];
                let why = if *risk == Risk::High { "asks for its word" } else { why.as_str() };
                if what.width() + 15 + why.width() < width {
                    spans.push(Span::styled(format!("   {why}"), style(Slot::Soft)));
                }
                spans
            }
            Preview::Refused(why) => vec![Span::styled(shorten_words(why, width), style(Slot::Bad))],
            Preview::Path(path, what) => self.path(path, what, width),
            Preview::Cut(words) => vec![Span::styled(shorten_words(words, width), style(Slot::Warn))],
        }
    }

    /// Where a draft goes and what that means: the nodes on the way get shorter before a word of that is cut.
    fn path(&self, path: &IntentPath, what: &str, width: usize) -> Vec<Span<'static>> {
        let style = |slot| self.looks.theme.style(slot);
        let arrow = format!(" {} ", self.looks.glyphs.arrow);
        let nodes: Vec<&str> = path.nodes().iter().map(|node| node.title()).collect();
        let Some((leaf, walked)) = nodes.split_last() else { return Vec::new() };
        let whole: Vec<String> = walked.iter().map(|name| (*name).to_owned()).collect();
        let short: Vec<String> = walked.iter().map(|name| shorten(name, 5)).collect();
        let least = if walked.is_empty() { Vec::new() } else { vec![self.looks.glyphs.ellipsis.to_owned()] };
        let used = |way: &[String]| {
            let names: usize = way.iter().map(|name| name.width() + arrow.width()).sum();
            "Path: ".width() + names + leaf.width() + 3
        };
        let fits = |way: &Vec<String>| used(way) + what.width() <= width;
        let way = [whole, short].into_iter().find(fits).unwrap_or(least);
        let what = shorten_words(what, width.saturating_sub(used(&way)));
        let mut spans = vec![Span::styled("Path: ", style(Slot::Soft))];
        for name in way {
            spans.extend([
                Span::styled(name, style(Slot::OkDim)),
                Span::styled(arrow.clone(), style(Slot::Arrow)),
            ]);
        }
        spans.push(Span::styled((*leaf).to_owned(), style(Slot::Accent).add_modifier(Modifier::BOLD)));
        spans.push(Span::styled(format!("   {what}"), style(Slot::Soft)));
        spans
    }

    /// The keys that can follow, once they are wanted; says whether they are shown.
    pub(super) fn which_key(&self, now: Instant, buf: &mut Buffer) -> bool {
        let Some(due) = self.keying.alarm() else { return false };
        if now < due || self.panes.areas.status.y < 4 {
            return false;
        }
        let mut next = self.keying.keymap.after(&self.tables(), self.keying.prefix());
        // Letters first, in their order; of one letter the small one.
        next.sort_by_key(|(key, _)| {
            let letter = key.len() == 1 && key.chars().all(char::is_alphabetic);
            (!letter, key.to_lowercase(), key.chars().any(char::is_uppercase))
        });
        let (deep, columns) = strip(&next, usize::from(buf.area.width).saturating_sub(3));
        let rows = u16::try_from(deep).unwrap_or(u16::MAX);
        let height = (rows + 2).min(self.panes.areas.status.y);
        let area = Rect { y: self.panes.areas.status.y - height, height, ..buf.area };
        Clear.render(area, buf);
        buf.set_style(area, self.looks.theme.fill(Slot::Surface));
        for y in area.top()..area.bottom() {
            buf.set_string(area.x, y, self.looks.glyphs.bar, self.looks.theme.style(Slot::Accent));
        }
        let bold = self.looks.theme.style(Slot::Accent).add_modifier(Modifier::BOLD);
        let pressed = self.keying.keymap.shown(self.keying.prefix());
        let cancels = format!("  {}  Esc cancels", self.looks.glyphs.ellipsis);
        let head = Line::from(vec![
            Span::styled(pressed, bold),
            Span::styled(cancels, self.looks.theme.style(Slot::Soft)),
        ]);
        head.render(Rect { x: area.x + 2, height: 1, width: area.width.saturating_sub(3), ..area }, buf);
        let mut x = area.x + 2;
        for (column, (keys, labels)) in next.chunks(deep).zip(columns) {
            let wide = u16::try_from(keys + BETWEEN + labels).unwrap_or(area.width);
            for ((key, action), y) in column.iter().zip(area.y + 2..area.bottom()) {
                let cell = Rect { x, y, width: wide, height: 1 }.intersection(area);
                let gap = " ".repeat(keys.saturating_sub(key.width()));
                let label =
                    shorten(action.entry.label, usize::from(cell.width).saturating_sub(keys + BETWEEN));
                Line::from(vec![
                    Span::styled(format!("{key}{gap}"), bold),
                    Span::styled(
                        format!(" {} ", self.looks.glyphs.arrow),
                        self.looks.theme.style(Slot::Faint),
                    ),
                    Span::styled(label, self.looks.theme.style(Slot::Text)),
                ])
                .render(cell, buf);
            }
            x = x.saturating_add(wide).saturating_add(GAP);
        }
        true
    }
}

/// Columns between a key and what it does, and between two such.
const BETWEEN: usize = 3;
const GAP: u16 = 3;

/// As many columns of keys and labels as stand side by side in that width, each as wide as what is in it, and how deep
/// they are: they are read downwards.
fn strip(next: &[(String, Action)], width: usize) -> (usize, Vec<(usize, usize)>) {
    let of = |columns: usize| {
        let deep = next.len().div_ceil(columns).max(1);
        let keys = |part: &[(String, Action)]| part.iter().map(|(key, _)| key.width()).max();
        let labels = |part: &[(String, Action)]| part.iter().map(|(_, a)| a.entry.label.width()).max();
        let wide = |part| (keys(part).unwrap_or_default(), labels(part).unwrap_or_default());
        (deep, next.chunks(deep).map(wide).collect::<Vec<_>>())
    };
    let fits = |(_, columns): &(usize, Vec<(usize, usize)>)| {
        let gaps = usize::from(GAP) * columns.len().saturating_sub(1);
        columns.iter().map(|(key, label)| key + BETWEEN + label).sum::<usize>() + gaps <= width
    };
    (1..=6).rev().map(of).find(fits).unwrap_or_else(|| of(1))
}
