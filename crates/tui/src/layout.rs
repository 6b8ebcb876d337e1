//! Where things stand on the screen, at every size.
//!
//! Owns the arithmetic. Never draws and never knows which panes there are.

use ratatui::layout::Rect;

use crate::pane::Stand;

/// From this width on, plan and diff stand beside the conversation.
pub const WIDE: u16 = 100;
/// From this width on, a strip of tabs names the panes.
pub const TABS: u16 = 60;

/// How the body is divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Conversation beside plan over diff.
    Wide,
    /// One pane under a strip of tabs.
    Tabs,
    /// One pane under its name.
    Single,
}

/// What the layout depends on besides the size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wants {
    /// Rows of the draft.
    pub draft: u16,
    /// Rows of the bar above the composer, 0 for none.
    pub bar: u16,
    /// Where each pane wants to stand where panes stand side by side.
    pub panes: Vec<Stand>,
    /// The pane that is shown where there is room for one.
    pub shown: usize,
    /// Whether the body is one page without panes.
    pub welcome: bool,
}

/// Rectangles; an empty one is not drawn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Areas {
    /// The first row.
    pub header: Rect,
    /// The tabs with their rule.
    pub tabs: Rect,
    /// The panes, in their order.
    pub panes: Vec<Rect>,
    /// The whole body.
    pub body: Rect,
    /// The bar.
    pub bar: Rect,
    /// The draft with its hints.
    pub composer: Rect,
    /// The last row.
    pub status: Rect,
}

/// The shape at this width.
pub const fn shape(width: u16) -> Shape {
    match width {
        WIDE.. => Shape::Wide,
        TABS.. => Shape::Tabs,
        _ => Shape::Single,
    }
}

impl Areas {
    /// Divides the screen. Short of rows, the body goes first, then hints, bar, header, draft.
    pub fn of(screen: Rect, wants: &Wants) -> Self {
        let mut rest = screen;
        let status = bottom(&mut rest, 1);
        let hint = u16::from(screen.height >= 6);
        let draft = wants.draft.min((screen.height / 3).max(1));
        let composer = bottom(&mut rest, draft + hint);
        let mut areas = Self { composer, status, ..Self::default() };
        let shape = shape(screen.width);
        if screen.height >= 5 && shape != Shape::Single {
            areas.header = top(&mut rest, 1);
        }
        let bar = wants.bar.min(rest.height.saturating_sub(1).max(rest.height.min(1)));
        let air = u16::from(bar > 0 && screen.height >= 24);
        let wide = shape == Shape::Wide;
        let _ = bottom(&mut rest, if wide { air } else { 0 });
        areas.bar = bottom(&mut rest, bar);
        // Without borders the body needs the air itself.
        let _ = bottom(&mut rest, if wide { 0 } else { air });
        if shape != Shape::Wide && !wants.welcome && screen.height >= 8 {
            areas.tabs = top(&mut rest, 2);
        } else if shape == Shape::Single && screen.height >= 5 {
            areas.header = top(&mut rest, 1);
        }
        areas.body = rest;
        areas.panes = vec![Rect::default(); wants.panes.len()];
        if wants.welcome {
            return areas;
        }
        if shape == Shape::Wide {
            areas.beside(&wants.panes);
        } else {
            areas.give(wants.shown, rest);
        }
        areas
    }

    fn give(&mut self, pane: usize, area: Rect) {
        if let Some(place) = self.panes.get_mut(pane) {
            *place = area;
        }
    }

    /// Panes side by side: one at the left, the others below each other at the right.
    fn beside(&mut self, stands: &[Stand]) {
        let body = self.body;
        if let Some(alone) = stands.iter().position(|s| *s == Stand::Alone) {
            return self.give(alone, body);
        }
        let rights: Vec<(usize, u16)> = stands
            .iter()
            .enumerate()
            .filter_map(|(n, stand)| if let Stand::Right(rows) = stand { Some((n, *rows)) } else { None })
            .collect();
        let left = if rights.is_empty() { body.width } else { body.width * 51 / 100 };
        if let Some(main) = stands.iter().position(|s| *s == Stand::Left) {
            self.give(main, Rect { width: left, ..body });
        }
        let mut rest = Rect { x: body.x + left + 1, width: body.width.saturating_sub(left + 1), ..body };
        let air = u16::from(rest.height >= 30);
        for (n, (pane, rows)) in rights.iter().enumerate() {
            let most = rest.height * 3 / 5;
            let last = n + 1 == rights.len();
            let height = if last { rest.height } else { (*rows).clamp(6.min(most), most) };
            let area = top(&mut rest, height);
            self.give(*pane, area);
            let _ = top(&mut rest, air);
        }
    }
}

fn bottom(rest: &mut Rect, rows: u16) -> Rect {
    let rows = rows.min(rest.height);
    rest.height -= rows;
    Rect { y: rest.y + rest.height, height: rows, ..*rest }
}

fn top(rest: &mut Rect, rows: u16) -> Rect {
    let rows = rows.min(rest.height);
    let area = Rect { height: rows, ..*rest };
    rest.y += rows;
    rest.height -= rows;
    area
}

#[cfg(test)]
#[allow(clippy::indexing_slicing, clippy::panic)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ROOM: Stand = Stand::Right(u16::MAX);

    fn wants(panes: &[Stand]) -> Wants {
        Wants { draft: 1, bar: 3, panes: panes.to_vec(), shown: 0, welcome: false }
    }

    #[test]
    fn wide_screens_have_one_pane_at_the_left_and_the_others_below_each_other_at_the_right() {
        let a = Areas::of(Rect::new(0, 0, 120, 40), &wants(&[Stand::Left, Stand::Right(14), ROOM]));
        assert_eq!(a.header, Rect::new(0, 0, 120, 1));
        assert_eq!(a.status, Rect::new(0, 39, 120, 1));
        assert_eq!(a.composer, Rect::new(0, 37, 120, 2));
        assert_eq!(a.bar, Rect::new(0, 33, 120, 3));
        let [main, plan, diff] = a.panes[..] else { panic!("{:?}", a.panes) };
        assert_eq!((main.x, main.width, plan.x), (0, 61, 62));
        assert_eq!((plan.width, plan.height), (58, 14));
        assert!(plan.bottom() < diff.y && diff.bottom() == 33);
        assert_eq!(a.tabs, Rect::default());
    }

    #[test]
    fn with_nothing_at_the_right_the_left_pane_has_the_whole_width() {
        let a = Areas::of(Rect::new(0, 0, 120, 40), &wants(&[Stand::Left, Stand::Hidden, Stand::Hidden]));
        assert_eq!(a.panes, [a.body, Rect::default(), Rect::default()]);
    }

    #[test]
    fn a_pane_that_is_to_stand_alone_has_the_whole_body_where_panes_stand_side_by_side() {
        let panes = [Stand::Left, Stand::Right(9), Stand::Alone];
        let a = Areas::of(Rect::new(0, 0, 120, 40), &wants(&panes));
        assert_eq!(a.panes, [Rect::default(), Rect::default(), a.body]);
        let a = Areas::of(Rect::new(0, 0, 80, 24), &Wants { shown: 2, ..wants(&panes) });
        assert_eq!(a.panes[2], a.body, "below, the one pane that is shown has it anyway");
    }

    #[test]
    fn a_tiny_screen_still_has_a_draft_a_body_and_the_status_line() {
        let a = Areas::of(Rect::new(0, 0, 20, 6), &Wants { bar: 0, ..wants(&[Stand::Left]) });
        assert_eq!((a.status.height, a.composer.height), (1, 2));
        assert!(a.body.height >= 2);
        let a = Areas::of(Rect::new(0, 0, 1, 1), &wants(&[Stand::Left]));
        assert_eq!(a.status.height, 1);
    }

    fn stand() -> impl Strategy<Value = Stand> {
        prop_oneof![
            Just(Stand::Hidden),
            Just(Stand::Left),
            Just(Stand::Alone),
            (0u16..60).prop_map(Stand::Right),
            Just(ROOM),
        ]
    }

    proptest! {
        #[test]
        fn nothing_overlaps_and_nothing_leaves_the_screen(
            width in 0u16..300, height in 0u16..120, draft in 1u16..9, bar in 0u16..8, welcome: bool,
            panes in prop::collection::vec(stand(), 0..6), shown in 0usize..6,
        ) {
            let screen = Rect::new(0, 0, width, height);
            let a = Areas::of(screen, &Wants { draft, bar, panes, shown, welcome });
            let mut all = vec![a.header, a.tabs, a.bar, a.composer, a.status];
            all.extend(a.panes);
            for (i, one) in all.iter().enumerate() {
                prop_assert_eq!(one.intersection(screen).area(), one.area());
                for other in all.iter().skip(i + 1) {
                    prop_assert!(one.intersection(*other).is_empty(), "{one} {other}");
                }
            }
            prop_assert!(height == 0 || a.status.height == 1);
        }
    }
}
