//! The list of what waits: from a key to an answer, and the rules that an answer may carry.
//!
//! Owns what an answer is bound to: the item, what was shown of it, and the rule that stood beside the key.

use crossterm::event::{KeyCode, KeyEvent};
use pilothouse_core::{
    blob::BlobId,
    checkpoint::{Answer, Checkpoint},
    ids::CheckpointId,
    port::Ask,
};
use ratatui::layout::Rect;

use super::{App, route::TOO_EARLY};
use crate::{
    approvals::{Action, Wish},
    overlay::{Overlay, Reason, RuleOffer, Sheet, approvals::fits},
    pane::Focus,
    prompt::{Prompt, Purpose},
    reach::{rules, texts},
};

/// What stands in the list: the item, the hash of what is shown of it, and the rules beside the key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Listed {
    id: CheckpointId,
    shown: Option<BlobId>,
    rules: Vec<String>,
}

impl App {
    /// Where overlays may lie.
    pub(super) fn body(&self) -> Rect {
        let (top, status) = (self.areas.header.bottom(), self.areas.status);
        let height = self.areas.composer.y.saturating_sub(top);
        Rect { x: status.x, y: top, width: status.width, height }
    }

    /// What stands in the list of an item; no rules where there is no room to show them.
    pub(super) fn listed(&self, item: &Checkpoint) -> Listed {
        let (state, policy) = (self.session.state(), self.session.policy());
        let rules = rules(item, state, policy).map(|r| texts(&r)).unwrap_or_default();
        let rules = if fits(item, state, policy, self.body()) { rules } else { Vec::new() };
        Listed { id: item.id, shown: item.kind.shown(), rules }
    }

    /// The item as it stands in the list, if it stood long enough before the key was pressed.
    fn stood_listed(&mut self, id: CheckpointId) -> Option<Listed> {
        let listed = self.session.state().open.get(&id).map(|item| self.listed(item));
        let stood = listed.filter(|l| self.stood(&self.listed, l));
        if stood.is_none() {
            self.complain(TOO_EARLY);
        }
        stood
    }

    /// Does what a key means in the list.
    pub(super) fn approvals(&mut self, action: Action) {
        let state = self.session.state();
        let Some(Overlay::Approvals(list)) = self.overlays.last_mut() else { return };
        let wish = list.act(action, state);
        let chosen = list.chosen(state).map(|c| c.id);
        match wish {
            Wish::Nothing => {
                let item = chosen.and_then(|id| self.session.state().open.get(&id));
                if let Some(listed) = item.map(|item| self.listed(item)) {
                    self.listed.moved(listed);
                }
            }
            Wish::Close => drop(self.overlays.pop()),
            Wish::Diff => {
                self.overlays.pop();
                self.go(Focus::Diff);
            }
            Wish::Composer => {
                self.overlays.pop();
                self.go(Focus::Composer);
            }
            Wish::Answer(id, answer) => {
                if self.stood_listed(id).is_some() {
                    self.answer(id, answer);
                }
            }
            Wish::View(blob) => {
                self.ask(Ask::Blob(blob));
                self.open_overlay(Overlay::Sheet(Sheet::new(blob)));
            }
            Wish::AskWord(id) => {
                if self.stood_listed(id).is_some() {
                    self.ask_word(id);
                }
            }
            Wish::Edit(id) => self.edit_command(id),
            Wish::AskReason(id) => {
                if self.stood_listed(id).is_some() {
                    let prompt =
                        Prompt::new(Purpose::Deny(id), "Deny it; tell the agent why, or just Enter", None);
                    self.open_overlay(Overlay::Prompt(prompt));
                }
            }
            Wish::Session(id) => self.allow_for_session(id),
            Wish::Rule(id) => self.offer_rule(id),
            Wish::Why(id) => self.explain(id),
        }
    }

    /// Allows the rule that stands beside the key until the session ends.
    fn allow_for_session(&mut self, id: CheckpointId) {
        if let Some(why) = self.ungrantable(id) {
            return self.say(format!("not for the session: {why}"));
        }
        let Some(listed) = self.stood_listed(id) else { return };
        if listed.rules.is_empty() {
            return self.complain("the screen is too small to show what that would allow");
        }
        self.answer(id, Answer::Grant { rules: listed.rules, lasting: false });
    }

    /// Why no rule can answer a question, if none can.
    fn ungrantable(&self, id: CheckpointId) -> Option<&'static str> {
        let item = self.session.state().open.get(&id)?;
        rules(item, self.session.state(), self.session.policy()).err()
    }

    /// Shows the rule that would allow it for good; nothing is kept yet.
    fn offer_rule(&mut self, id: CheckpointId) {
        let Some(item) = self.session.state().open.get(&id) else { return };
        match RuleOffer::of(item, &self.session) {
            Ok(offer) => {
                self.open_overlay(Overlay::Rule(Box::new(offer)));
                self.rehearse();
            }
            Err(why) => self.say(format!("not by a rule: {why}")),
        }
    }

    /// Asks what the rule on the page would have done.
    fn rehearse(&mut self) {
        let Some(Overlay::Rule(offer)) = self.overlays.last() else { return };
        let number = self.ask(Ask::Rehearse(offer.rules()));
        if let Some(Overlay::Rule(offer)) = self.overlays.last_mut() {
            offer.asked = number;
        }
    }

    /// A key on the page of a rule.
    pub(super) fn rule_key(&mut self, key: KeyEvent) {
        let Some(Overlay::Rule(offer)) = self.overlays.last_mut() else { return };
        if key.code == KeyCode::Char('q') {
            self.overlays.pop();
        } else if key.code == KeyCode::Char('y') {
            self.keep_rule();
        } else if matches!(key.code, KeyCode::Char('-' | '+')) && offer.turn(key.code == KeyCode::Char('-')) {
            self.rehearse();
        }
    }

    /// The second yes: the rule is kept, and the command runs.
    fn keep_rule(&mut self) {
        let Some(Overlay::Rule(offer)) = self.overlays.last() else { return };
        let shown = offer.shown();
        if !offer.is_rehearsed() {
            return self.say("wait until it is known what the rule would have done");
        }
        if !offer.fits(self.body()) {
            return self.complain("the screen is too small to show the whole rule");
        }
        if !self.stood(&self.ruled, &shown) {
            return self.complain(TOO_EARLY);
        }
        self.overlays.pop();
        let (id, rules, _) = shown;
        self.answer(id, Answer::Grant { rules, lasting: true });
    }

    /// Shows why a question is asked.
    fn explain(&mut self, id: CheckpointId) {
        let item = self.session.state().open.get(&id);
        match item.and_then(|item| Reason::of_question(item, &self.session)) {
            Some(reason) => self.open_overlay(Overlay::Reason(reason)),
            None => self.say("no permission rule has to do with it: it is always asked"),
        }
    }
}
