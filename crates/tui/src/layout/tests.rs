#![allow(clippy::indexing_slicing, clippy::panic)]

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
