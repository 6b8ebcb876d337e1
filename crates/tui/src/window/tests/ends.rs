//! The end of what goes on behind the session that is shown.

use pilothouse_core::{event::Level, ids::LaneId};

use super::*;

#[test]
fn the_end_of_a_session_behind_is_told_once_in_the_one_in_front_and_its_question_has_a_mark() {
    let mut bench = Bench::six();
    bench.events(0, &[story::said(1, "Add a limit")]);
    let told = |bench: &mut Bench| bench.draw().matches("beside this: ").count();
    assert_eq!(told(&mut bench), 0);
    let answer = "It is in store.rs.\n\nShall I add a test?";
    bench.events(1, &[story::replied(2, 1, answer), Told::LaneClosed { lane: LaneId(1) }]);
    let text = bench.draw();
    assert!(
        text.contains("beside this: \"Move to sqlx\" asks: Shall I add a test?; Ctrl-X r shows it"),
        "{text}"
    );
    // What else comes of it is no second end, and one that asks nothing says how it ended.
    bench.events(1, &[Told::Notice { level: Level::Info, text: "noted".into() }]);
    assert_eq!(told(&mut bench), 1);
    bench.events(2, &[story::replied(2, 1, "Done."), Told::LaneClosed { lane: LaneId(1) }]);
    let text = bench.draw();
    assert!(text.contains("beside this: \"Translate the help\" done; Ctrl-X r shows it"), "{text}");
    bench.leader('r');
    let text = bench.draw();
    let row = |name: &str| {
        text.lines().find(|row| row.contains(name) && !row.contains("beside")).unwrap().to_owned()
    };
    assert!(row("Move to sqlx").contains("⚑ asks you"), "{text}");
    assert!(row("Translate the help").contains("✓ done"), "{text}");
}

#[test]
fn the_user_who_looks_elsewhere_is_called_for_the_end_of_an_answer_behind() {
    let mut bench = Bench::six();
    let _ = bench.window.wishes();
    bench.now += 60 * SECOND;
    bench.events(1, &[story::replied(2, 1, "Here."), Told::LaneClosed { lane: LaneId(1) }]);
    let called = |bench: &mut Bench| {
        bench.window.wishes().into_iter().filter(|wish| matches!(wish, AppCommand::Tell(_))).count()
    };
    assert_eq!(called(&mut bench), 1);
    // A question that opens calls by itself, and nothing calls twice.
    bench.events(2, &[story::review(9, &[])]);
    assert_eq!(called(&mut bench), 1);
}

#[test]
fn the_end_of_what_another_window_holds_is_told_but_calls_nobody_here() {
    let mut bench = Bench::six();
    bench.held(1);
    bench.now += 60 * SECOND;
    let _ = bench.window.wishes();
    bench.events(1, &[story::replied(2, 1, "Here."), Told::LaneClosed { lane: LaneId(1) }]);
    assert!(!bench.window.wishes().iter().any(|wish| matches!(wish, AppCommand::Tell(_))));
    assert!(bench.draw().contains("beside this: \"Move to sqlx\" done"), "{}", bench.draw());
}
