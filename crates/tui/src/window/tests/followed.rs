//! A session of the window that another one holds: it goes on there, whatever this window does.

use super::*;

/// A window on a session in which nothing was said, and behind it one at work that another window holds.
fn beside() -> Bench {
    let mut bench = Bench::alone();
    let number = bench.window.opened(&SessionWish::default(), bench.now).unwrap();
    bench.open(number, &[]);
    bench.held(number);
    bench.events(number, &[story::said(1, "Move to sqlx"), lane(), story::thinking(2, 1)]);
    assert!(bench.status(number).works());
    bench.draw();
    bench
}

fn quits(bench: &mut Bench, number: Number) -> bool {
    bench.requests(number).iter().any(|r| matches!(r, Request::Quit))
}

#[test]
fn leaving_goes_without_a_question_about_what_is_only_followed() {
    let mut bench = beside();
    bench.leader('q');
    let text = bench.draw();
    assert!(!text.contains("would be left"), "{text}");
    assert!(quits(&mut bench, 0) && quits(&mut bench, 1));
}

#[test]
fn who_waits_for_what_works_here_does_not_wait_for_what_works_elsewhere() {
    let mut bench = beside();
    let own = bench.window.opened(&SessionWish::default(), bench.now).unwrap();
    bench.open(own, &[]);
    bench.events(own, &[story::said(1, "Count the tests"), lane(), story::thinking(2, 1)]);
    bench.leader('q');
    let text = bench.draw();
    assert!(text.contains("1 session in this window would be left"), "{text}");
    bench.now += SECOND;
    bench.keys("w");
    bench.pause();
    assert!(!quits(&mut bench, 0), "its own works");
    bench.events(own, &[story::said(1, "x"), lane(), story::replied(2, 1, "Done.")]);
    assert!((0..3).all(|n| quits(&mut bench, n)));
}

#[test]
fn a_question_of_the_other_window_is_neither_listed_here_nor_does_it_keep_this_one() {
    let mut bench = beside();
    bench.events(1, &[story::said(1, "Fix the build"), lane(), story::review(9, &[])]);
    assert_eq!(bench.status(1), S::Waiting);
    bench.leader('a');
    let text = bench.draw();
    assert!(!text.contains("in Fix the build"), "{text}");
    bench.press(KeyCode::Esc, KeyModifiers::NONE);
    bench.leader('q');
    assert!(quits(&mut bench, 0) && !bench.draw().contains("would be left"), "{}", bench.draw());
}

#[test]
fn the_list_of_runs_changes_nothing_of_what_another_window_holds_and_says_why() {
    for key in ["x", "m", "r"] {
        let mut bench = beside();
        bench.leader('r');
        bench.keys("j");
        let text = bench.draw();
        assert!(text.contains("Enter attach") && !text.contains("x stop"), "{text}");
        assert!(!text.contains("m message") && !text.contains("r rename"), "{text}");
        bench.keys(key);
        bench.pause();
        let text = bench.draw();
        assert!(text.contains("another window holds this session"), "{key}: {text}");
        assert!(
            !text.contains("Stop \"") && !text.contains("Say to") && !text.contains("is called"),
            "{text}"
        );
    }
}

#[test]
fn what_is_only_followed_is_not_counted_as_beside_what_is_shown() {
    let mut bench = beside();
    assert!(!bench.draw().contains("bg:"), "{}", bench.draw());
    let own = bench.window.opened(&SessionWish::default(), bench.now).unwrap();
    bench.open(own, &[]);
    bench.events(own, &[story::said(1, "Count the tests"), lane(), story::thinking(2, 1)]);
    assert!(bench.draw().contains("bg:1 1✦"), "{}", bench.draw());
}

#[test]
fn a_session_that_closes_gives_the_window_to_one_that_it_holds() {
    let mut bench = beside();
    bench.events(1, &[story::said(1, "Fix the build"), lane(), story::review(9, &[])]);
    let own = bench.window.opened(&SessionWish::default(), bench.now).unwrap();
    bench.open(own, &[]);
    bench.events(own, &[story::said(1, "Why two locks?")]);
    let _ = bench.window.update(0, Update::Closed(None), bench.now);
    assert_eq!(bench.window.number, own, "its own, though the other one has a question");
    let _ = bench.window.update(own, Update::Closed(None), bench.now);
    assert_eq!(bench.window.number, 1, "there is no other");
}
