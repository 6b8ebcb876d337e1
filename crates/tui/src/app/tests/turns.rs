//! The messages of a session: what each wrote, and back from there.

use pilothouse_core::{
    ids::TurnId,
    runs::{ForkUpTo, HostRequest},
};

use super::{review::Bench, *};
use crate::window::WindowWish;

/// Two files were written by the first message; the second only asked.
fn written() -> Desk {
    let mut b = Bench::new(100, 30);
    b.press("<ctrl-x>d");
    for _ in 0..2 {
        b.press("a");
        b.press("a");
    }
    b.press("<esc>");
    b.press("<ctrl-c>");
    b.desk.app.composer.draft.set(Saved::plain("where is the limit kept?"));
    b.press("<enter>");
    let mut desk = b.desk;
    if !desk.thinking.is_empty() {
        desk.reply("In src/a.rs.", &[]);
    }
    desk
}

#[test]
fn each_message_is_told_with_its_path_and_what_it_wrote() {
    let mut desk = written();
    desk.press("<ctrl-x>h");
    let text = desk.text();
    assert_eq!(desk.top(), Some("history"));
    for told in [
        "where is the limit kept?",
        "add rate limiting to the login endpoint",
        "Conversation → Act",
        "2 files +",
    ] {
        assert!(text.contains(told), "no {told} in\n{text}");
    }
    assert!(
        text.contains("newest first, message 2 of 2") && !text.contains("u take back"),
        "nothing was written since: {text}"
    );
    desk.press("j");
    assert!(desk.text().contains("u take back"), "{}", desk.text());
    desk.press("d");
    assert!(desk.text().contains("Written since that message") && desk.text().contains("src/b.rs"));
    desk.press("<esc>");
    assert_eq!(desk.top(), Some("history"), "one Esc, one layer");
}

#[test]
fn enter_goes_to_the_message_in_the_conversation() {
    let mut desk = written();
    desk.press("<ctrl-x>hj<enter>");
    assert_eq!((desk.top(), desk.app.panes.focus), (None, CONVERSATION));
    let text = desk.text();
    let row = text.lines().position(|l| l.contains("add rate limiting to the login endpoint")).unwrap();
    assert!(row < 5, "it stands at the top: {text}");
}

#[test]
fn all_that_was_written_since_is_taken_back_after_one_question_that_names_the_files() {
    let mut desk = written();
    desk.collect();
    desk.inputs.clear();
    desk.press("<ctrl-x>hju");
    let text = desk.text();
    assert!(text.contains("Take back 2 changes since") && text.contains("src/a.rs +"), "{text}");
    assert!(text.contains("src/b.rs +"), "{text}");
    assert!(desk.inputs.is_empty(), "nothing before the answer");
    desk.press("y");
    assert!(desk.inputs.is_empty(), "too early");
    desk.wait(1_000).press("y");
    let ledger = desk.state().ledger().to_vec();
    assert_eq!(desk.inputs, [Input::UndoTo { to: ledger[0], last: ledger[1] }]);
    let turn: TurnId = *desk.state().turns.keys().next().unwrap();
    assert_eq!(desk.state().writes_since(turn), ledger);
}

#[test]
fn a_yes_takes_back_only_what_was_shown_to_its_end() {
    for (width, height) in [(60, 10), (100, 8), (20, 7)] {
        let mut desk = written();
        desk.collect();
        desk.inputs.clear();
        desk.size = Rect::new(0, 0, width, height);
        desk.press("<ctrl-x>hju");
        let mut shown = desk.text();
        desk.wait(1_000).press("y");
        assert_eq!((desk.inputs.len(), desk.top()), (0, Some("stake")), "{width}x{height}\n{}", desk.text());
        if width == 20 {
            // To jump over some of it is not to see it.
            desk.press("<end>");
            desk.wait(1_000).press("y");
            assert!(desk.inputs.is_empty(), "{}", desk.text());
        }
        desk.press(&"k".repeat(40));
        for _ in 0..40 {
            desk.press("j");
            shown.push_str(&desk.text());
        }
        assert!(shown.contains("a.rs") && shown.contains("b.rs") && shown.contains("unundo"), "{shown}");
        desk.press("y");
        assert!(desk.inputs.is_empty(), "its end was not there for long enough");
        desk.wait(1_000).press("y");
        let ledger = desk.state().ledger().to_vec();
        assert_eq!(desk.inputs, [Input::UndoTo { to: ledger[0], last: ledger[1] }], "{width}x{height}");
    }
}

#[test]
fn the_chosen_message_stays_when_another_begins() {
    let mut desk = written();
    desk.press("<ctrl-x>hj");
    assert!(desk.text().contains("message 1 of 2"), "{}", desk.text());
    desk.give(Input::say("and where is it read?"));
    let text = desk.text();
    assert!(text.contains("message 1 of 3") && text.contains("u take back"), "{text}");
}

#[test]
fn a_step_that_was_taken_back_can_be_run_again_and_its_key_is_named() {
    let mut desk = written();
    desk.collect();
    for _ in 0..2 {
        desk.give(Input::Undo);
        let apply = desk.state().applies().values().find(|a| a.status.is_open()).unwrap().id;
        desk.give(Input::RevertEnded { apply, result: Ok(true) });
    }
    desk.writes.clear();
    let step = desk.state().suspended.as_ref().unwrap().tasks[0].status;
    assert_eq!(step, pilothouse_core::plan::TaskStatus::TakenBack);
    desk.size = Rect::new(0, 0, 160, 45);
    desk.press("<ctrl-t>kkkkk");
    assert!(desk.text().contains("r run it again"), "{}", desk.text());
    desk.wait(1_000).press("r").deliver();
    assert_eq!(desk.state().phase, Phase::AwaitingApproval);
}

/// The copies that were asked for: of which session, and how far.
fn forks(desk: &mut Desk) -> Vec<(Option<String>, Option<ForkUpTo>)> {
    let wishes = std::mem::take(&mut desk.app.outbox.window).into_iter();
    let wish = wishes.map(|wish| match wish {
        WindowWish::Host(HostRequest::Open(wish)) if wish.front => (wish.session, wish.fork),
        other => panic!("{other:?}"),
    });
    wish.collect()
}

#[test]
fn a_copy_up_to_a_message_is_gone_on_with_beside_the_session() {
    let mut desk = written();
    let own = Some(desk.state().slug.clone());
    desk.press("<ctrl-x>hjf");
    assert_eq!(desk.top(), None);
    assert_eq!(forks(&mut desk), [(own.clone(), Some(ForkUpTo::Message(1)))]);
    for (line, upto) in [("/fork", ForkUpTo::End), ("/branch 2", ForkUpTo::Message(2))] {
        desk.app.composer.draft.set(Saved::plain(line));
        desk.press("<enter>");
        assert_eq!(forks(&mut desk), [(own.clone(), Some(upto))], "{line}");
    }
    for wrong in ["/fork 0", "/fork the second"] {
        desk.app.composer.draft.set(Saved::plain(wrong));
        desk.press("<enter>");
        assert!(
            forks(&mut desk).is_empty() && desk.text().contains("the number of one of your messages"),
            "{}",
            desk.text()
        );
    }
}

#[test]
fn where_nothing_was_said_there_is_nothing_to_copy() {
    let mut desk = Desk::new(100, 30);
    desk.app.composer.draft.set(Saved::plain("/fork"));
    desk.press("<enter>");
    assert!(
        forks(&mut desk).is_empty() && desk.text().contains("nothing has been said yet"),
        "{}",
        desk.text()
    );
}

#[test]
fn what_a_stop_takes_out_of_the_queue_is_told_with_the_key_that_brings_it_back() {
    let mut desk = Desk::new(160, 40).with_plan();
    desk.press("<ctrl-t>").wait(1_000).press("y").deliver();
    assert!(desk.state().is_executing(), "{}", desk.text());
    for line in ["create notes.txt", "what does this function do?"] {
        desk.app.go(Focus::Composer);
        desk.app.composer.draft.set(Saved::plain(line));
        desk.press("<tab>").deliver();
    }
    assert_eq!(desk.state().queue.len(), 2);
    desk.press("<ctrl-c>").deliver();
    let text = desk.text();
    assert!(text.contains("Not begun: create notes.txt; what does this function do?"), "{text}");
    assert!(text.contains("Up brings it back"), "{text}");
    desk.press("<up>");
    assert_eq!(desk.app.composer.draft.saved().whole(), "what does this function do?");
    desk.press("<up>");
    assert_eq!(desk.app.composer.draft.saved().whole(), "create notes.txt");
}

#[test]
fn what_waited_and_begins_or_is_taken_out_by_its_number_is_not_told_as_lost() {
    let queued = || {
        let plan =
            r#"{"title":"Limits","tasks":[{"title":"Token bucket"},{"title":"Wire it in"}],"gates":[]}"#;
        let mut desk = Desk::new(100, 30).planned(plan);
        desk.press("<ctrl-t>").wait(1_000).press("y").deliver();
        desk.app.go(Focus::Composer);
        desk.app.composer.draft.set(Saved::plain("what does this function do?"));
        desk.press("<tab>").deliver();
        desk
    };
    let mut desk = queued();
    desk.give(Input::say("/queue drop 1"));
    assert!(desk.state().queue.is_empty() && !desk.text().contains("Up brings it back"), "{}", desk.text());
    let mut desk = queued();
    while desk.state().is_executing() && !desk.thinking.is_empty() {
        desk.reply("Nothing had to change.", &[]);
    }
    assert!(desk.state().queue.is_empty() && !desk.text().contains("Up brings it back"), "{}", desk.text());
}
