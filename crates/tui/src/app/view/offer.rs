//! The command at hand or in the composer: its colour and the line below it.
//!
//! Owns their drawing only.

use pilothouse_core::{question::CommandQuestion, shell::Risk};
use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
    widgets::Widget,
};
use unicode_width::UnicodeWidthStr;

use super::App;
use crate::{
    composer,
    overlay::approvals,
    preview::Preview,
    risk::{judged, risk_name, risk_slot},
    status::shorten_words,
    theme::Slot,
};

impl App {
    /// The colour of the composer's edge: yours, or the risk of the command that stands there.
    pub(super) fn edge(&self, focused: bool) -> Slot {
        match (focused, self.judged()) {
            (false, _) => Slot::Line,
            (true, Some((risk, _))) if risk > Risk::Low => risk_slot(risk),
            (true, _) => Slot::Accent,
        }
    }

    /// How the command in the composer is judged as it stands.
    pub(super) fn judged(&self) -> Option<(Risk, &str)> {
        let (Some(_), Some(Preview::Shell(risk, why, _))) = (self.composer.offered(), &self.previewed.2)
        else {
            return None;
        };
        Some((*risk, why))
    }

    /// What the command gets beyond the sandbox, and why it asks for that, in the agent's words.
    fn offer_beyond(&self) -> (Option<String>, Option<String>) {
        let question = self.composer.offered().and_then(|o| self.world.state().open.get(&o.question));
        let Some(waits) = question.and_then(|q| q.kind.command()) else { return (None, None) };
        let said = |text: String| Some(text).filter(|t| !t.is_empty());
        (said(waits.beyond()), said(waits.reason.clone()))
    }

    /// Whether Enter asks for a word before the command runs as it stands.
    fn offer_wants_word(&self, risk: Risk) -> bool {
        let question = self.composer.offered().and_then(|o| self.world.state().open.get(&o.question));
        let word = question.and_then(|q| q.kind.command()).and_then(CommandQuestion::word);
        if self.composer.changed_offer() { risk == Risk::High } else { word.is_some() }
    }

    /// What the keys do to the command in the bar.
    pub(super) fn command_keys(&self, command: &CommandQuestion) -> Vec<(&str, &'static str)> {
        let list = self.keying.keymap.key(approvals::KIND.action());
        if !self.offer_is_whole() {
            return list.map(|key| (key, "shows it whole")).into_iter().collect();
        }
        let runs = if command.word().is_some() { "asks for the word" } else { "runs it" };
        let edits = self.keying.keymap.key(composer::Action::Right).map(|key| (key, "edits it"));
        let others = list.map(|key| (key, "more answers"));
        [("Enter", runs)].into_iter().chain(edits).chain([("Esc", "later")]).chain(others).collect()
    }

    /// The line below the command: how it runs, risk, why, and what the keys do; the keys go last.
    pub(super) fn offer_hint(&self, row: Rect, risk: Risk, why: &str, buf: &mut Buffer) {
        let style = |slot| self.looks.theme.style(slot);
        let width = usize::from(row.width);
        let empty = self.composer.draft.shown().trim().is_empty();
        let skips = [("clear + Enter", "skips"), ("Esc", "later")];
        let keys = match (empty, self.offer_is_whole(), self.offer_wants_word(risk)) {
            (true, ..) => vec![("Enter", "skips it"), ("Esc", "later")],
            (false, false, _) => Vec::new(),
            (false, true, true) => [&[("Enter", "asks for the word")][..], &skips].concat(),
            (false, true, false) => [&[("Enter", "runs it")][..], &skips].concat(),
        };
        let changed = if self.composer.changed_offer() && !empty { "changed   " } else { "" };
        let (beyond, reason) = self.offer_beyond();
        let why = judged(why, &reason.unwrap_or_default());
        let name = match (empty, beyond) {
            (true, _) => String::new(),
            (false, None) => risk_name(risk, self.looks.look.ascii).to_owned(),
            (false, Some(beyond)) => format!("{}, {beyond}", risk_name(risk, self.looks.look.ascii)),
        };
        let fixed = changed.width() + name.width() + 3;
        // Where it gets narrow the reason goes first, then the last of the keys.
        let right = Line::from(if keys.is_empty() {
            vec![Span::styled("too long to run from here: the list shows all of it", style(Slot::Text))]
        } else {
            self.key_names(&keys, width.saturating_sub(fixed))
        });
        let room = width.saturating_sub(fixed + right.width() + 3);
        let why = if room < 12 || empty { String::new() } else { shorten_words(&why, room) };
        let left = Line::from(vec![
            Span::styled(changed, style(Slot::Accent)),
            Span::styled(name, style(risk_slot(risk))),
            Span::styled(format!("   {why}"), style(Slot::Soft)),
        ]);
        left.render(row, buf);
        let wide = u16::try_from(right.width()).unwrap_or(row.width).min(row.width);
        right.render(Rect { x: row.right() - wide, width: wide, ..row }, buf);
    }
}
