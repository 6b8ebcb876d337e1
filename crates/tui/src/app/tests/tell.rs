//! Who looks elsewhere is told; who looks here is left alone.

use crossterm::event::Event as TerminalEvent;

use super::*;

#[test]
fn nothing_spins_in_a_session_that_is_opened_again() {
    let mut desk = Desk::new(100, 30);
    desk.press("where is it?<enter>").deliver();
    assert!(desk.text().contains("thinking"), "{}", desk.text());
    let opening = Opening {
        slug: desk.state().slug.clone(),
        folder: "inkwell".into(),
        version: "0".into(),
        mode: None,
        permission: None,
        sandbox: desk.state().sandbox.clone(),
        standing: pilothouse_core::trust::Standing::default(),
        found: Vec::new(),
    };
    desk.give(Input::Open(opening));
    let text = desk.wait(1_000).text();
    for sign in ["thinking", "answering", "⠋", "⠙", "⠹", "⠸"] {
        assert!(!text.contains(sign), "{sign}\n{text}");
    }
}

fn told(desk: &mut Desk) -> Vec<String> {
    let wishes = desk.app.wishes();
    wishes
        .into_iter()
        .filter_map(|w| if let AppCommand::Tell(bytes) = w { Some(bytes) } else { None })
        .collect()
}

#[test]
fn a_waiting_plan_rings_only_where_nobody_looks() {
    for (focus, rings) in
        [(Some(TerminalEvent::FocusLost), true), (Some(TerminalEvent::FocusGained), false), (None, false)]
    {
        let mut desk = Desk::new(120, 40);
        if let Some(event) = &focus {
            desk.app.terminal(event, desk.now);
        }
        // A key came just now: where the terminal does not tell its focus, that is looking.
        let mut desk = desk.with_plan();
        let told = told(&mut desk);
        assert_eq!(told, if rings { vec!["\u{7}".to_owned()] } else { Vec::new() }, "{focus:?}");
    }
}

#[test]
fn what_is_told_is_never_what_was_said() {
    let look = Look {
        hearer: crate::notify::Hearer::of(|n| if n == "TERM" { "foot" } else { "" }),
        ..Look::default()
    };
    let mut desk = Desk::new(120, 40);
    desk.app.looks.look = look;
    desk.app.terminal(&TerminalEvent::FocusLost, desk.now);
    let mut desk = desk.with_plan();
    let told = told(&mut desk).concat();
    assert_eq!(told, "\u{1b}]777;notify;pilothouse;a question is waiting for you\u{1b}\\\u{7}");
}

#[test]
fn the_header_says_what_is_not_saved_for_as_long_as_it_is_not() {
    let mut desk = Desk::new(120, 40);
    let mut say = |unsaved: Option<&str>| {
        let around =
            Surroundings { unsaved: unsaved.map(str::to_owned), ..desk.app.world.surroundings.clone() };
        desk.app.update(Update::Surroundings(Box::new(around)), desk.now);
        desk.text().lines().next().unwrap().to_owned()
    };
    assert!(!say(None).contains("not saved"));
    let header = say(Some("cannot write session.jsonl: no space left on device"));
    assert!(header.contains("not saved"), "{header}");
    assert!(!say(None).contains("not saved"));
}
