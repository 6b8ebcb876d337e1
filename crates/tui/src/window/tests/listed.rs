//! Which row of the list of runs is chosen, which are not listed, and what the end of a worktree asks.

use super::*;

fn host(bench: &mut Bench) -> Vec<HostRequest> {
    std::iter::from_fn(|| bench.window.next_host_request()).collect()
}

#[test]
fn what_is_at_stake_is_looked_at_once_however_often_the_key_is_pressed() {
    let mut bench = Bench::alone();
    bench.events(0, &[story::said(1, "Move to sqlx")]);
    let worktree =
        Worktree { name: "sqlx".into(), path: "/w/x-sqlx".into(), branch: "pilothouse/sqlx".into() };
    bench.window.told::<()>(HostUpdate::Listed(vec![worktree], Vec::new()), bench.now);
    bench.leader('r');
    bench.pause();
    bench.keys("j");
    bench.pause();
    host(&mut bench);
    for _ in 0..3 {
        bench.keys("M");
        bench.pause();
    }
    let end = |request: &HostRequest| matches!(request, HostRequest::End { seen: None, .. });
    assert_eq!(host(&mut bench).iter().filter(|r| end(r)).count(), 1);
    bench.window.told::<()>(HostUpdate::Refused("not now".to_owned()), bench.now);
    bench.keys("M");
    bench.pause();
    assert_eq!(
        host(&mut bench).iter().filter(|r| end(r)).count(),
        1,
        "once it was answered it is asked again"
    );
}

#[test]
fn a_reason_that_finds_no_room_in_a_line_can_be_read_whole() {
    let mut bench = Bench::alone();
    bench.draw();
    let why =
        format!("not merged, and this folder is as it was: {}; and that is the end", "a reason ".repeat(40));
    bench.window.told::<()>(HostUpdate::Refused(why), bench.now);
    let text = bench.draw();
    assert!(text.contains("not merged") && text.contains("that is the end"), "{text}");
    bench.keys("q");
    bench.pause();
    bench.window.told::<()>(HostUpdate::Refused("a short reason".to_owned()), bench.now);
    let text = bench.draw();
    assert!(text.contains("a short reason") && !text.contains("that is the end"), "{text}");
}

#[test]
fn the_choice_begins_at_what_waits_and_else_at_this_session() {
    let mut bench = Bench::six();
    let chosen = |bench: &mut Bench| {
        bench.leader('r');
        bench.pause();
        host(bench);
        bench.press(KeyCode::Enter, KeyModifiers::NONE);
        bench.window.number
    };
    assert_eq!(chosen(&mut bench), 3, "the one that waits");
    let mut bench = Bench::alone();
    for n in 1..3 {
        let number = bench.window.opened(&SessionWish::default(), bench.now).unwrap();
        bench.open(number, &[]);
        bench.events(n, &[story::said(1, "Why two locks?")]);
    }
    bench.window.show(2, Then::Draft, bench.now);
    assert_eq!(chosen(&mut bench), 2, "this one");
}

#[test]
fn a_session_that_was_left_before_anything_was_said_is_not_listed() {
    let mut bench = Bench::alone();
    let number =
        bench.window.opened(&SessionWish { front: true, ..SessionWish::default() }, bench.now).unwrap();
    bench.open(number, &[]);
    bench.events(number, &[story::said(1, "Why two locks?")]);
    bench.leader('r');
    bench.pause();
    let text = bench.draw();
    assert!(!text.contains("nothing said yet"), "{text}");
    assert!(!text.contains("Runs 2"), "{text}");
}
