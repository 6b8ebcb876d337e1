//! Keys that were meant for something else never answer a question.

use pilothouse_core::{checkpoint::Answer, ids::TaskId, plan::Pause, question::CommandQuestion, shell::Risk};

use super::*;

pub(super) fn command(desk: &mut Desk) {
    desk.press("run cargo add governor<enter>").deliver();
    if !desk.thinking.is_empty() {
        desk.reply("", &[("run", r#"{"command":"cargo add governor"}"#)]);
    }
    desk.collect();
    desk.draw();
}

#[test]
fn a_question_never_takes_the_focus_or_the_draft() {
    let mut desk = Desk::new(120, 40);
    desk.press("add rate limiting to the login endpoint<enter>").deliver().press("half a tho");
    let plan = r#"{"title":"T","tasks":[{"title":"a"}]}"#;
    desk.reply("", &[("submit_plan", plan)]);
    desk.draw();
    desk.wait(1_000).press("ught y");
    assert_eq!(desk.app.panes.focus, Focus::Composer);
    assert_eq!(desk.app.composer.draft.shown(), "half a thought y");
    assert_eq!(desk.inputs, []);
}

#[test]
fn the_letters_in_the_plan_answer_once_the_question_has_stood() {
    let mut desk = Desk::new(120, 40).with_plan();
    let id = desk.state().phase_question().unwrap().id;
    desk.draw();
    desk.press("<ctrl-t>y");
    assert_eq!(desk.inputs, []);
    assert!(desk.text().contains("pressed before this appeared"));
    desk.press("n");
    assert_eq!(desk.inputs, []);
    assert_eq!(desk.app.panes.focus, Focus::Pane(crate::pane::plan::ID));
    desk.wait(400).press("y");
    let shown = desk.state().open[&id].kind.shown();
    let approve = Input::Answer { checkpoint: id, answer: Answer::Approve, shown };
    assert_eq!(desk.inputs, [approve]);
}

#[test]
fn the_editor_of_a_plan_answers_nothing_and_what_comes_back_has_to_stand_again() {
    let mut desk = Desk::new(120, 40).with_plan();
    let id = desk.state().phase_question().unwrap().id;
    desk.draw();
    desk.wait(400).press("<ctrl-t>e");
    assert_eq!(desk.inputs, []);
    let wishes = desk.app.wishes();
    let [AppCommand::Edit(Handout { name, text, .. })] = wishes.as_slice() else { panic!("{wishes:?}") };
    assert_eq!(name, "plan.md");
    let title = desk.state().plan.as_ref().unwrap().tasks[0].title.clone();
    let text = text.replace(&title, "Something else entirely");
    desk.app.edited(Ok(text), desk.now);
    desk.collect();
    assert!(matches!(desk.inputs.as_slice(), [Input::EditPlan { .. }]), "{:?}", desk.inputs);
    desk.deliver();
    let again = desk.state().phase_question().unwrap().id;
    assert_ne!(again, id, "another plan is another question");
    desk.press("y");
    assert_eq!(desk.inputs, [], "what it asks now has not stood yet");
    // A key that comes again sooner could be one that is held.
    desk.wait(800).press("y");
    let shown = desk.state().open[&again].kind.shown();
    assert!(shown.is_some(), "it is bound to the plan as it is shown");
    assert_eq!(desk.inputs, [Input::Answer { checkpoint: again, answer: Answer::Approve, shown }]);
}

#[test]
fn the_word_edit_at_a_plan_opens_the_editor_and_is_no_message() {
    for word in ["edit", "e"] {
        let mut desk = Desk::new(120, 40).with_plan();
        desk.draw();
        desk.wait(400).press(&format!("{word}<enter>"));
        assert_eq!(desk.inputs, [], "{word}");
        let wishes = desk.app.wishes();
        assert!(
            matches!(wishes.as_slice(), [AppCommand::Edit(handout)] if handout.name == "plan.md"),
            "{wishes:?}"
        );
    }
}

#[test]
fn a_command_is_allowed_in_the_list_only_after_it_stood_there() {
    let mut desk = Desk::new(120, 40);
    command(&mut desk);
    let Some((id, risk)) = desk.state().open.values().find_map(|c| match &c.kind {
        pilothouse_core::checkpoint::CheckpointKind::Risk(CommandQuestion { risk, .. }) => {
            Some((c.id, *risk))
        }
        _ => None,
    }) else {
        panic!("no command waits: {:?}", desk.state().open)
    };
    desk.press("y");
    assert_eq!(desk.app.composer.draft.shown(), "y", "the list opens only on its own key");
    desk.press("<ctrl-x>a");
    assert!(desk.text().contains("cargo add governor"));
    desk.wait(100).press("y");
    assert_eq!(desk.inputs, []);
    desk.wait(800).press("y");
    if risk == Risk::High {
        desk.press("proceed<enter>");
    }
    let answered = desk
        .inputs
        .iter()
        .any(|i| matches!(i, Input::Answer { checkpoint, shown: Some(_), .. } if *checkpoint == id));
    assert!(answered, "{:?}", desk.inputs);
}

#[test]
fn a_denial_takes_a_reason_with_it() {
    let mut desk = Desk::new(120, 40);
    command(&mut desk);
    desk.press("<ctrl-x>a");
    desk.wait(400).press("n").press("not on a friday<enter>");
    let said = desk
        .inputs
        .iter()
        .any(|i| matches!(i, Input::Answer { answer: Answer::Reject(why), .. } if why == "not on a friday"));
    assert!(said, "{:?}", desk.inputs);
}

#[test]
fn where_a_run_pauses_the_letters_of_its_bar_answer_in_the_plan_too() {
    let mut desk = Desk::new(120, 40).with_plan();
    desk.give(Input::SetPause(Pause::Step(TaskId(1)), true));
    let question = desk.state().phase_question().unwrap();
    let (checkpoint, shown) = (question.id, question.kind.shown());
    desk.give(Input::Answer { checkpoint, answer: Answer::Approve, shown });
    let checkpoint = desk.state().phase_question().unwrap().id;
    desk.draw();
    desk.wait(800).press("<ctrl-t>e");
    let wishes = desk.app.wishes();
    assert!(matches!(wishes.as_slice(), [AppCommand::Edit(_)]), "{wishes:?}");
    // The first row is what `g` is elsewhere.
    desk.wait(800).press("g");
    assert_eq!(desk.inputs, [Input::Answer { checkpoint, answer: Answer::Continue, shown: None }]);
}

/// The Enter that sent a message may still be down when a command appears under it.
#[test]
fn enter_opens_nothing_while_it_is_found_out_what_a_command_would_run() {
    let mut desk = Desk::new(100, 40);
    desk.looks_late = true;
    desk.press("where is it?<enter>").deliver();
    desk.reply("", &[("run", r#"{"command":"touch mark"}"#)]);
    desk.collect();
    desk.draw();
    assert!(desk.text().contains("waits for you"), "{}", desk.text());
    desk.press("<enter><enter>");
    assert!(!desk.text().contains("nothing runs without you"), "{}", desk.text());
    for checkpoint in std::mem::take(&mut desk.looks) {
        desk.give(Input::CommandResolved { checkpoint, meant: meant("/usr/bin/touch") });
    }
    desk.collect();
    desk.draw();
    desk.wait(800).press("<enter>").deliver();
    assert_eq!(desk.tools.len(), 1, "{}", desk.text());
}
