//! What the key for details opens: an entry where it stands, or a page with all of a long one.
//!
//! Owns which entry that is, and that no other names the key.

use pilothouse_core::{digest::Place, fact, relpath::RelPath, tool::Tool};

use super::{ConversationPane, ID, entry, view::Pos};
use crate::{
    ctx::{Ctx, Outcome, Wanted},
    pane::{Focus, plan},
};

impl ConversationPane {
    /// The entry that is opened or folded: the one with the cursor, where the keys are here and it is seen, else the last one.
    pub(super) fn opened_by(&self, focus: Focus) -> Option<i64> {
        let folds = |key: &i64| self.log.get(*key).is_some_and(entry::Entry::folds);
        // What was asked and answered is opened where it is chosen, and not before what came of it.
        let asked = |key: &i64| self.log.get(*key).is_some_and(entry::Entry::is_question);
        let here = || self.visible(usize::from(self.size.height)).map(|p| p.key).filter(folds);
        match self.cursor.filter(|_| focus == Focus::Pane(ID)) {
            Some(c) => Some(c.key).filter(folds),
            None => here().filter(|key| !asked(key)).last(),
        }
    }

    /// Names the key for details where it acts, and nowhere else.
    pub(super) fn name_opener(&mut self, ctx: &Ctx<'_>) {
        // There that key shows a step.
        let focus = Some(ctx.focus).filter(|f| *f != Focus::Pane(plan::ID));
        let opener = focus.and_then(|focus| self.opened_by(focus));
        if opener == self.opener {
            return;
        }
        for key in [std::mem::replace(&mut self.opener, opener), opener].into_iter().flatten() {
            if let Some(entry) = self.log.get_mut(key) {
                entry.dirty = true;
            }
        }
        self.settle(ctx);
    }

    /// The first place that the chosen row of an answer names, or why it is none to go to.
    pub(super) fn place_at(&self, focus: Focus) -> Option<Result<Place, String>> {
        let at = self.cursor.filter(|_| focus == Focus::Pane(ID))?;
        let entry = self.log.get(at.key).filter(|entry| matches!(entry.body, entry::Body::Reply(_)))?;
        let (path, line, _) = fact::places(&entry.row(at.row)?.0.text()).into_iter().next()?;
        let missing = format!("there is no {path}");
        if entry.logical().contains(&format!("not proven: {missing}")) {
            return Some(Err(missing));
        }
        let (path, line) = (RelPath::new(&path).ok()?, line.try_into().ok()?);
        Some(Ok(Place { path, line }))
    }

    /// Opens what a command printed last: a page of its own where it is long, else where it stands.
    pub(super) fn last_output(&mut self, ctx: &Ctx<'_>) -> Outcome {
        let ran = |e: &entry::Entry| {
            matches!(&e.body, entry::Body::Call(c) if c.tool == Some(Tool::Run)) && e.folds()
        };
        let last = (self.log.first()..self.log.end()).rev().find(|key| self.log.get(*key).is_some_and(ran));
        let Some(key) = last else { return Outcome::notice("nothing that ran here printed any output") };
        if let Some(page) = self.log.page(key) {
            return Outcome::open(page);
        }
        if let Some(entry) = self.log.get_mut(key) {
            entry.unfold(true);
        }
        self.hold();
        self.show(ctx, Pos { key, row: 0 });
        self.settle(ctx);
        Outcome::none()
    }

    pub(super) fn fold_entry(&mut self, ctx: &Ctx<'_>) -> Outcome {
        match self.place_at(ctx.focus) {
            Some(Ok(place)) => {
                return Outcome { place: Some(Wanted { place, editor: false }), ..Outcome::none() };
            }
            Some(Err(why)) => return Outcome::notice(why),
            None => {}
        }
        let key = self.opened_by(ctx.focus);
        if let Some(page) = key.and_then(|k| self.log.page(k)) {
            return Outcome::open(page);
        }
        let Some(entry) = key.and_then(|k| self.log.get_mut(k)) else {
            return Outcome::notice("nothing to expand here");
        };
        entry.unfold(!entry.open);
        if let (Some(c), Some(key)) = (&mut self.cursor, key) {
            *c = Pos { key, row: c.row };
        }
        self.settle(ctx);
        Outcome::none()
    }
}
