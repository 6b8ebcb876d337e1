//! The panes of one screen: which has the keys, which is shown, and where each stands.
//!
//! Owns them all, by the list in [`PANES`]; no pane is known by name here.

use pilothouse_core::{
    event::Stamped,
    ids::Millis,
    port::{Ask, Reply},
    redact::Redactor,
    session::State,
    talk::Delta,
};
use ratatui::layout::Rect;

use crate::{
    ctx::Ctx,
    highlight::Highlighter,
    layout::{Areas, Shape, WIDE, shape},
    pane::{Focus, PANES, Pane, PaneId, Stand},
};

/// The panes.
pub(super) struct Panes {
    list: Vec<(PaneId, Box<dyn Pane>)>,
    pub(super) focus: Focus,
    /// The pane that is shown where there is room for one.
    pub(super) shown: usize,
    pub(super) areas: Areas,
    /// The pane that is shown, where it has had something to show since then.
    had: Option<PaneId>,
    /// The pane that was shown when it was last asked which one came.
    stood: usize,
}

impl Panes {
    pub(super) fn new(colours: &Highlighter) -> Self {
        let (list, areas) = (made(colours), Areas::default());
        Self { list, focus: Focus::Composer, shown: 0, areas, had: None, stood: 0 }
    }

    /// Empties every pane: another session is shown.
    pub(super) fn renew(&mut self, colours: &Highlighter) {
        self.list = made(colours);
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (usize, PaneId, &dyn Pane)> {
        self.list.iter().enumerate().map(|(n, (id, pane))| (n, *id, &**pane))
    }

    pub(super) fn all(&mut self) -> impl Iterator<Item = (usize, &mut Box<dyn Pane>)> {
        self.list.iter_mut().enumerate().map(|(n, (_, pane))| (n, pane))
    }

    pub(super) fn get(&self, id: PaneId) -> Option<&dyn Pane> {
        self.list.iter().find(|(name, _)| *name == id).map(|(_, pane)| &**pane)
    }

    pub(super) fn get_mut(&mut self, id: PaneId) -> Option<&mut Box<dyn Pane>> {
        self.list.iter_mut().find(|(name, _)| *name == id).map(|(_, pane)| pane)
    }

    /// The pane that has the keys.
    pub(super) fn focused(&self) -> Option<(PaneId, &dyn Pane)> {
        let Focus::Pane(id) = self.focus else { return None };
        Some((id, self.get(id)?))
    }

    /// The main pane.
    pub(super) fn main(&self) -> Option<(PaneId, &dyn Pane)> {
        self.list.first().map(|(id, pane)| (*id, &**pane))
    }

    /// Keeps what has no room in its row.
    pub(super) fn told(&mut self, at: Millis, text: &str) {
        if let Some((_, pane)) = self.list.first_mut() {
            pane.told(at, text);
        }
    }

    /// Something beside this session came to rest.
    pub(super) fn heard_of(&mut self, at: Millis, text: &str) {
        if let Some((_, pane)) = self.list.first_mut() {
            pane.heard_of(at, text);
        }
    }

    /// The user sent something: where one pane is shown, what comes of it is in the main one.
    pub(super) fn sent(&mut self) {
        self.list.iter_mut().for_each(|(_, pane)| pane.sent());
        if self.areas.status.width < WIDE && self.focus == Focus::Composer {
            self.shown = 0;
        }
    }

    /// How much came in panes that are not on the screen.
    pub(super) fn news(&self) -> usize {
        self.iter().filter(|(n, ..)| *n != self.shown).map(|(_, _, pane)| pane.news()).sum()
    }

    /// Hands one event to every pane; the session has it folded already.
    pub(super) fn fold(&mut self, state: &State, event: &Stamped) {
        self.list.iter_mut().for_each(|(_, pane)| pane.fold(state, event));
    }

    pub(super) fn delta(&mut self, delta: &Delta) {
        self.list.iter_mut().for_each(|(_, pane)| pane.delta(delta));
    }

    pub(super) fn answered(&mut self, reply: &Reply, secrets: &Redactor) {
        self.list.iter_mut().for_each(|(_, pane)| pane.answered(reply, secrets));
    }

    pub(super) fn asks(&mut self) -> Vec<Ask> {
        self.list.iter_mut().flat_map(|(_, pane)| pane.asks()).collect()
    }

    /// Where each wants to stand where panes stand side by side.
    pub(super) fn stands(&self, ctx: &Ctx<'_>) -> Vec<Stand> {
        self.list.iter().map(|(id, pane)| pane.stand(ctx, self.focus == Focus::Pane(*id))).collect()
    }

    /// Whether the page that greets stands in their place.
    pub(super) fn welcome(&self, state: &State) -> bool {
        let Some((main, _)) = self.main() else { return false };
        (self.focus == Focus::Composer || self.focus == Focus::Pane(main)) && self.is_fresh(state)
    }

    /// Whether nothing was said yet.
    pub(super) fn is_fresh(&self, state: &State) -> bool {
        state.turns.is_empty() && self.main().is_some_and(|(_, pane)| pane.is_fresh())
    }

    /// Tabs with their labels: of panes that have something to show, and of the one that is shown.
    pub(super) fn tabs(&self, ctx: &Ctx<'_>) -> Vec<(usize, String)> {
        let label = |n: usize, pane: &dyn Pane| {
            let label = pane.tab(ctx).or_else(|| (n == self.shown).then(|| pane.title(ctx).left))?;
            let news = pane.news();
            Some(if n != self.shown && news > 0 { format!("{label} {news} new") } else { label })
        };
        self.iter().filter_map(|(n, _, pane)| Some((n, label(n, pane)?))).collect()
    }

    /// Gives the keys away.
    pub(super) fn go(&mut self, focus: Focus) {
        if focus != self.focus {
            self.leave();
        }
        self.focus = focus;
        if let Focus::Pane(id) = focus {
            self.show(id);
        }
    }

    /// Shows a pane where there is room for one; the keys stay where they are.
    pub(super) fn show(&mut self, id: PaneId) {
        if let Some(at) = self.list.iter().position(|(name, _)| *name == id) {
            self.shown = at;
        }
    }

    /// The pane that is shown since this was last asked.
    pub(super) fn came(&mut self) -> Option<PaneId> {
        let came = std::mem::replace(&mut self.stood, self.shown) != self.shown;
        self.list.get(self.shown).filter(|_| came).map(|(id, _)| *id)
    }

    /// The next place for the keys that has something to show, or the one before.
    pub(super) fn next(&self, forward: bool, ctx: &Ctx<'_>) -> Focus {
        let shows = self.iter().filter(|(_, _, pane)| pane.tab(ctx).is_some());
        let mut places = vec![Focus::Composer];
        places.extend(shows.map(|(_, id, _)| Focus::Pane(id)));
        let at = places.iter().position(|p| *p == self.focus).unwrap_or_default();
        let step = if forward { 1 } else { places.len() - 1 };
        places.get((at + step) % places.len()).copied().unwrap_or_default()
    }

    /// Closes what lies open in the pane with the keys; false where nothing does.
    pub(super) fn leave(&mut self) -> bool {
        let Focus::Pane(id) = self.focus else { return false };
        self.get_mut(id).is_some_and(|pane| pane.close())
    }

    /// Back to the draft; where one pane is shown, with the main one above it.
    pub(super) fn return_to_draft(&mut self) {
        self.leave();
        self.focus = Focus::Composer;
        if self.areas.status.width < WIDE {
            self.shown = 0;
        }
    }

    /// Where one pane is shown and the keys are in the draft, a pane that has shown all it had gives way to the main one.
    pub(super) fn leave_empty(&mut self, ctx: &Ctx<'_>) {
        let Some((id, pane)) = self.list.get(self.shown) else { return };
        let (has, had) = (pane.tab(ctx).is_some(), self.had == Some(*id));
        if has {
            self.had = Some(*id);
        } else if had && self.focus == Focus::Composer && self.areas.status.width < WIDE {
            (self.shown, self.had) = (0, None);
        } else if !had {
            self.had = None;
        }
    }

    /// The outer rectangle of a pane; empty when it is not shown.
    pub(super) fn outer(&self, pane: usize) -> Rect {
        self.areas.panes.get(pane).copied().unwrap_or_default()
    }

    /// The inside of a pane.
    pub(super) fn inner(&self, pane: usize) -> Rect {
        let outer = self.outer(pane);
        let (x, y) = match shape(self.areas.status.width) {
            Shape::Wide => (1, 1),
            Shape::Tabs => (1, 0),
            Shape::Single => (0, 0),
        };
        // The first message does not stick to the border.
        let air = u16::from(pane == 0 && y == 1 && outer.height >= 16);
        let outer = Rect { y: outer.y + air, height: outer.height - air, ..outer };
        Rect {
            x: outer.x + x.min(outer.width),
            y: outer.y + y.min(outer.height),
            width: outer.width.saturating_sub(2 * x),
            height: outer.height.saturating_sub(2 * y),
        }
    }

    /// Where overlays may lie.
    pub(super) fn body(&self) -> Rect {
        let (top, status) = (self.areas.header.bottom(), self.areas.status);
        let height = self.areas.composer.y.saturating_sub(top);
        Rect { x: status.x, y: top, width: status.width, height }
    }

    /// The same without the bar.
    pub(super) fn above_bar(&self) -> Rect {
        let (body, bar) = (self.body(), self.areas.bar);
        let end = if bar.height > 0 { bar.y } else { body.bottom() };
        Rect { height: end.saturating_sub(body.y), ..body }
    }
}

fn made(colours: &Highlighter) -> Vec<(PaneId, Box<dyn Pane>)> {
    PANES.iter().map(|kind| (kind.id, (kind.make)(colours))).collect()
}
