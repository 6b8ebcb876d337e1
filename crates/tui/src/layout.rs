//! Where things stand on the screen, at every size.
//!
//! Owns the arithmetic. Never draws and never knows what a pane holds.

use ratatui::layout::Rect;

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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wants {
    /// Rows of the draft.
    pub draft: u16,
    /// Rows of the bar above the composer, 0 for none.
    pub bar: u16,
    /// Rows that the plan would fill; 0 for no plan.
    pub plan: u16,
    /// Whether there is a diff, or details.
    pub diff: bool,
    /// Whether the diff takes the whole body: it is being decided.
    pub review: bool,
    /// Whether the body is one page without panes.
    pub welcome: bool,
}

/// Rectangles; an empty one is not drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Areas {
    /// The first row.
    pub header: Rect,
    /// The tabs with their rule.
    pub tabs: Rect,
    /// The conversation, or the one pane that is shown.
    pub main: Rect,
    /// The plan, where it stands beside.
    pub plan: Rect,
    /// The diff, where it stands beside.
    pub diff: Rect,
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
    pub fn of(screen: Rect, wants: Wants) -> Self {
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
        areas.main = rest;
        if shape == Shape::Wide && wants.review {
            areas.main = Rect::default();
            areas.diff = rest;
        } else if shape == Shape::Wide && (wants.plan > 0 || wants.diff) {
            areas.beside(wants);
        }
        areas
    }

    fn beside(&mut self, wants: Wants) {
        let body = self.body;
        let left = body.width * 51 / 100;
        self.main = Rect { width: left, ..body };
        let right = Rect { x: body.x + left + 1, width: body.width - left - 1, ..body };
        let most = right.height * 3 / 5;
        let plan = match (wants.plan, wants.diff) {
            (0, _) => 0,
            (_, false) => right.height,
            (rows, true) => rows.clamp(6.min(most), most),
        };
        self.plan = Rect { height: plan, ..right };
        let air = u16::from(plan > 0 && right.height >= 30 && wants.diff);
        let diff = right.height.saturating_sub(plan + air);
        self.diff = Rect { y: right.y + plan + air, height: if wants.diff { diff } else { 0 }, ..right };
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
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ALL: Wants = Wants { draft: 1, bar: 3, plan: 14, diff: true, review: false, welcome: false };

    #[test]
    fn wide_screens_have_the_plan_over_the_diff_at_the_right() {
        let a = Areas::of(Rect::new(0, 0, 120, 40), ALL);
        assert_eq!(a.header, Rect::new(0, 0, 120, 1));
        assert_eq!(a.status, Rect::new(0, 39, 120, 1));
        assert_eq!(a.composer, Rect::new(0, 37, 120, 2));
        assert_eq!(a.bar, Rect::new(0, 33, 120, 3));
        assert_eq!((a.main.x, a.main.width, a.plan.x), (0, 61, 62));
        assert_eq!(a.plan.width, 58);
        assert!(a.plan.bottom() < a.diff.y && a.diff.bottom() == 33);
        assert_eq!(a.tabs, Rect::default());
    }

    #[test]
    fn without_plan_and_diff_the_conversation_has_the_whole_width() {
        let a = Areas::of(Rect::new(0, 0, 120, 40), Wants { bar: 0, plan: 0, diff: false, ..ALL });
        assert_eq!(a.main, a.body);
        assert!(a.plan.is_empty() && a.diff.is_empty());
    }

    #[test]
    fn a_review_has_the_whole_body_where_panes_stand_side_by_side() {
        let review = Wants { bar: 0, review: true, ..ALL };
        let a = Areas::of(Rect::new(0, 0, 120, 40), review);
        assert_eq!(a.diff, a.body);
        assert!(a.main.is_empty() && a.plan.is_empty());
        let a = Areas::of(Rect::new(0, 0, 80, 24), review);
        assert_eq!(a.main, a.body, "below, the one pane that is shown has it anyway");
    }

    #[test]
    fn a_tiny_screen_still_has_a_draft_a_body_and_the_status_line() {
        let a = Areas::of(Rect::new(0, 0, 20, 6), Wants { bar: 0, ..ALL });
        assert_eq!((a.status.height, a.composer.height), (1, 2));
        assert!(a.body.height >= 2);
        let a = Areas::of(Rect::new(0, 0, 1, 1), ALL);
        assert_eq!(a.status.height, 1);
    }

    proptest! {
        #[test]
        fn nothing_overlaps_and_nothing_leaves_the_screen(
            width in 0u16..300, height in 0u16..120, draft in 1u16..9, bar in 0u16..8, plan in 0u16..60,
            diff: bool, review: bool, welcome: bool,
        ) {
            let screen = Rect::new(0, 0, width, height);
            let a = Areas::of(screen, Wants { draft, bar, plan, diff, review, welcome });
            let all = [a.header, a.tabs, a.main, a.plan, a.diff, a.bar, a.composer, a.status];
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
