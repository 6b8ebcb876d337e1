//! What scrolls: the wheel what it points at, sending and End to the newest row; and what scrolling hides.

use crossterm::event::{Event, MouseEvent, MouseEventKind};

use super::*;

/// A conversation that is longer than the screen, scrolled up.
fn scrolled() -> Desk {
    let mut desk = Desk::new(120, 24);
    for n in 0..12 {
        desk.press(&format!("where is main{n}?<enter>")).deliver();
        desk.reply(&format!("answer {n}\n\nsecond\n\nthird"), &[]);
    }
    desk.draw();
    desk.press("<pgup><pgup>");
    assert!(!desk.text().contains("answer 11") && desk.text().contains("scrolled"), "{}", desk.text());
    desk
}

fn wheel(desk: &mut Desk, column: u16, row: u16, kind: MouseEventKind) {
    let event = MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE };
    desk.app.terminal(&Event::Mouse(event), desk.now);
    desk.collect();
    desk.draw();
}

#[test]
fn sending_scrolls_to_the_end() {
    let mut desk = scrolled();
    desk.press("where is the last one?<enter>").deliver();
    assert!(desk.text().contains("where is the last one?"), "{}", desk.text());
    desk.reply("the newest answer", &[]);
    assert!(desk.text().contains("the newest answer"), "{}", desk.text());
}

#[test]
fn end_on_an_empty_line_returns_to_the_newest_row() {
    let mut desk = scrolled();
    desk.press("<end>");
    assert!(desk.text().contains("answer 11") && !desk.text().contains("scrolled"), "{}", desk.text());
    let mut desk = scrolled();
    desk.press("ab<ctrl-a><end>c");
    assert_eq!(desk.app.composer.draft.shown(), "abc", "in a draft it moves the caret");
    assert!(desk.text().contains("scrolled"));
}

#[test]
fn the_wheel_scrolls_what_it_points_at_and_neither_moves_the_focus_nor_answers() {
    let mut desk = scrolled();
    let before = desk.text();
    wheel(&mut desk, 5, 5, MouseEventKind::ScrollUp);
    assert_ne!(desk.text(), before);
    wheel(&mut desk, 5, 5, MouseEventKind::ScrollDown);
    assert_eq!(desk.text(), before);
    for _ in 0..60 {
        wheel(&mut desk, 5, 5, MouseEventKind::ScrollDown);
    }
    assert!(!desk.text().contains("scrolled"), "at the end it follows again: {}", desk.text());
    let end = desk.text();
    for row in [0, 22, 23] {
        wheel(&mut desk, 5, row, MouseEventKind::ScrollUp);
        assert_eq!(desk.text(), end, "nothing scrolls at {row}");
    }
    assert_eq!((desk.app.panes.focus, desk.inputs.len()), (Focus::Composer, 0));
}

#[test]
fn enter_approves_no_plan_that_is_not_on_the_screen() {
    let mut desk = scrolled();
    let plan = r#"{"title":"Add rate limiting","tasks":[{"title":"Token bucket"},{"title":"Wire it in"}]}"#;
    desk.press("add rate limiting to the login endpoint<enter>").deliver();
    desk.size = Rect::new(0, 0, 70, 24);
    desk.press("<pgup><pgup>");
    desk.reply("", &[("submit_plan", plan)]);
    desk.collect();
    desk.draw();
    desk.wait(900).press("<enter>");
    assert_eq!(desk.inputs, []);
    assert!(desk.text().contains("Proceed?") && desk.text().contains("Token bucket"), "{}", desk.text());
    assert!(desk.text().contains("was not on the screen"), "{}", desk.text());
    desk.press("<enter>");
    assert_eq!(desk.inputs, [], "it has to stand there first");
    desk.wait(900).press("<enter>");
    assert!(matches!(desk.inputs[..], [Input::Answer { .. }]), "{:?}", desk.inputs);
}

#[test]
fn that_end_follows_is_said_only_where_it_does() {
    let mut desk = scrolled();
    assert!(desk.text().contains("End follows"), "{}", desk.text());
    desk.press("a");
    assert!(desk.text().contains("scrolled") && !desk.text().contains("End follows"), "{}", desk.text());
    desk.press("<backspace><ctrl-x>c");
    assert!(desk.text().contains("End follows"), "{}", desk.text());
    desk.wait(900).press("<end>");
    assert!(!desk.text().contains("scrolled"), "{}", desk.text());
    let mut desk = scrolled();
    desk.press("<ctrl-x>r");
    assert!(!desk.text().contains("End follows"), "{}", desk.text());
}

#[test]
fn page_up_and_down_scroll_the_list_or_text_that_has_the_keys() {
    let text = |word: &str| (0..200).map(|n| format!("{word} {n}")).collect::<Vec<_>>().join("\n");
    let mut bench = review::Bench::with(
        Desk::new(100, 24).with_plan(),
        ["src/a.rs", "src/b.rs"],
        [&text("old"), &text("new")],
    );
    bench.press("<ctrl-x>d");
    let top = bench.desk.text();
    bench.press("<pgdn>");
    let below = bench.desk.text();
    assert_ne!(below, top);
    bench.press("<pgup>");
    assert_eq!(bench.desk.text(), top);
    bench.press("<alt-down>");
    assert_eq!(bench.desk.text(), below, "as its own key does");
    // The choice in the runs goes on by a page.
    let mut desk = golden::scenes::runs::fleet(Desk::new(100, 20));
    desk.press("<ctrl-x>r");
    let first = desk.text();
    assert!(first.contains("add rate limiting"), "{first}");
    desk.press("<pgdn><pgdn><pgdn>");
    let text = desk.text();
    assert!(text.contains("pilothouse/spare"), "{text}");
    desk.press("<pgup><pgup><pgup>");
    assert!(desk.text().contains("add rate limiting"), "{}", desk.text());
}
