//! A goal's command in the bar: run, changed in the composer, skipped, put aside; what is typed is a draft.

use pilothouse_core::checkpoint::{Answer, CheckpointKind};
use pilothouse_core::ids::CheckpointId;
use pilothouse_core::question::CommandQuestion;
use pilothouse_core::trust::Standing;

use super::*;

/// A goal whose model proposed this command while `draft` was in the composer.
fn goal(command: &str, draft: &str) -> Desk {
    let mut desk = Desk::new(100, 30);
    desk.press("run the tests<enter>").deliver();
    desk.app.composer.draft.set(Saved::plain(draft));
    propose(&mut desk, command);
    desk
}

fn propose(desk: &mut Desk, command: &str) {
    let args = serde_json::json!({ "command": command }).to_string();
    desk.reply("", &[("run", &args)]);
    desk.collect();
    desk.draw();
    desk.wait(800);
}

fn answers(desk: &Desk) -> Vec<Answer> {
    let answer = |i: &Input| match i {
        Input::Answer { answer, shown: Some(_), .. } => Some(answer.clone()),
        _ => None,
    };
    desk.inputs.iter().filter_map(answer).collect()
}

fn line(text: &str) -> Answer {
    Answer::Line(text.into())
}

fn draft(desk: &Desk) -> String {
    desk.app.composer.draft.shown()
}

#[test]
fn enter_runs_the_line_as_it_stands() {
    let mut desk = goal("make test", "");
    assert_eq!(draft(&desk), "", "the composer stays the user's");
    let text = desk.text();
    assert!(text.contains("$ make test") && text.contains("⚠ medium"), "{text}");
    assert!(text.contains("Enter runs it   → edits it   Esc later"), "{text}");
    desk.press("<enter><enter>");
    assert_eq!(answers(&desk), [line("make test")], "one answer, however often");
    desk.deliver();
    assert_eq!(draft(&desk), "");
    assert_eq!(desk.tools.len(), 1);
}

#[test]
fn in_the_run_of_a_plan_the_same_key_runs_the_same_question() {
    let mut desk = Desk::new(100, 30).with_plan();
    let id = desk.state().phase_question().unwrap().id;
    let shown = desk.state().open[&id].kind.shown();
    desk.give(Input::Answer { checkpoint: id, answer: Answer::Approve, shown });
    propose(&mut desk, "make test");
    let text = desk.text();
    assert!(text.contains("Enter runs it   → edits it   Esc later"), "{text}");
    desk.press("<enter>");
    assert_eq!(answers(&desk), [line("make test")]);
    desk.deliver();
    assert_eq!(desk.tools.len(), 1);
}

#[test]
fn no_key_is_named_for_a_command_before_it_was_looked_at_what_it_would_run() {
    let mut desk = Desk::new(100, 30);
    desk.press("run the tests<enter>").deliver();
    desk.looks_late = true;
    propose(&mut desk, "make test");
    let text = desk.text();
    assert!(!text.contains("Enter runs it"), "{text}");
    desk.looked();
    desk.draw();
    desk.wait(800);
    let text = desk.text();
    assert!(text.contains("Enter runs it"), "{text}");
    desk.press("<enter>");
    assert_eq!(answers(&desk), [line("make test")]);
}

#[test]
fn a_command_that_would_get_variables_waits_behind_the_question_that_gives_them() {
    let mut desk = goal("make test", "");
    desk.press("/trust<enter>").deliver();
    let withholds = vec!["TOKEN".to_owned()];
    desk.give(Input::Surveyed(Standing { asks: true, withholds, ..Standing::default() }));
    desk.collect();
    desk.draw();
    desk.wait(900);
    let text = desk.text();
    assert!(text.contains("Trust this folder?") && !text.contains("Enter runs it"), "{text}");
    desk.press("<enter>");
    assert_eq!(answers(&desk), [], "nothing runs by an empty Enter");
}

#[test]
fn a_changed_line_is_judged_as_it_stands_and_runs_once_it_is_submitted() {
    let mut desk = goal("make tset", "");
    desk.press("<right>");
    assert_eq!(draft(&desk), "make tset");
    let text = desk.text();
    assert!(text.contains("Enter runs it   clear + Enter skips   Esc later"), "{text}");
    desk.press("<ctrl-w>test -k");
    let text = desk.text();
    assert!(text.contains("changed") && text.contains("⚠ medium"), "{text}");
    desk.press("<ctrl-u>rm -rf ~");
    assert!(desk.text().contains("▲ high"), "{}", desk.text());
    desk.press("<ctrl-u>ls<enter>");
    assert_eq!(answers(&desk), [line("ls")]);
}

#[test]
fn a_line_changed_to_high_risk_asks_for_its_word_and_shows_itself() {
    let mut desk = goal("make clean", "");
    desk.press("<right><ctrl-u>rm -rf ~/x<enter>").deliver();
    assert_eq!(desk.tools, [], "nothing runs yet");
    let text = desk.text();
    assert!(text.contains("Confirm") && text.contains("rm -rf ~/x"), "{text}");
    desk.press("y<enter>");
    assert_eq!(answers(&desk), []);
    desk.wait(800).press("<enter>");
    assert!(desk.top() == Some("prompt"), "{}", desk.text());
    desk.press("proceed<enter>");
    assert_eq!(answers(&desk), [Answer::Word("proceed".into())]);
    desk.deliver();
    assert_eq!(desk.tools.len(), 1);
}

#[test]
fn enter_on_high_risk_never_runs_it_by_itself() {
    let mut desk = goal("rm -rf ~", "");
    assert!(desk.text().contains("Enter asks for the word"), "{}", desk.text());
    desk.press("<enter>");
    assert_eq!(answers(&desk), []);
    desk.press("yes<enter>");
    assert_eq!(answers(&desk), []);
    assert!(desk.text().contains("nothing was done"));
}

#[test]
fn enter_on_a_removal_asks_for_its_own_word() {
    let mut desk = goal("rm notes.txt", "");
    assert!(desk.text().contains("Enter asks for the word"), "{}", desk.text());
    desk.press("<enter>");
    assert_eq!(answers(&desk), []);
    assert!(desk.text().contains("Type delete to run it once"), "{}", desk.text());
    desk.wait(800).press("delete<enter>");
    assert_eq!(answers(&desk), [Answer::Word("delete".into())]);
}

#[test]
fn an_empty_line_skips() {
    let mut desk = goal("make install", "");
    desk.press("<right><ctrl-u>");
    assert!(desk.text().contains("Enter skips it"), "{}", desk.text());
    desk.press("<enter>");
    assert_eq!(answers(&desk), [line("")]);
    desk.deliver();
    assert!(desk.text().contains("not run: skipped by the user"), "{}", desk.text());
}

#[test]
fn a_draft_that_is_being_written_keeps_the_composer_and_the_keys() {
    let mut desk = goal("make test", "and then ");
    desk.press("y<enter>");
    assert_eq!(answers(&desk), []);
    assert_eq!(desk.inputs, [Input::say("and then y")]);
    desk.inputs.clear();
    desk.draw();
    assert!(desk.text().contains("$ make test"), "once the draft is sent the command is at hand");
}

#[test]
fn what_is_typed_when_it_appears_goes_to_the_draft() {
    let mut desk = Desk::new(100, 30);
    desk.press("run the tests<enter>").deliver();
    let args = r#"{"command":"make test"}"#;
    desk.reply("", &[("run", args)]);
    desk.draw();
    desk.wait(200).press("also");
    assert_eq!(draft(&desk), "also");
    assert!(desk.text().contains("make test"), "it waits above");
    desk.wait(900).press("<enter>");
    assert_eq!(answers(&desk), []);
    assert_eq!(desk.inputs, [Input::say("also")]);
}

#[test]
fn what_is_typed_while_it_stands_there_is_a_draft_too() {
    for typed in ["also", "y", "e", "no", "-k"] {
        let mut desk = goal("make test", "");
        desk.press(typed);
        assert_eq!(draft(&desk), typed);
        assert!(desk.text().contains("make test"), "it waits above");
        desk.press("<enter>");
        assert_eq!((answers(&desk), desk.inputs.len()), (Vec::new(), 1), "{typed} is said, nothing runs");
    }
}

#[test]
fn esc_puts_it_aside_and_never_stops_the_goal() {
    let mut desk = goal("make test", "");
    desk.press("<right> -k<esc>");
    assert_eq!((draft(&desk).as_str(), answers(&desk)), ("", Vec::new()));
    assert!(desk.state().open.values().any(|c| matches!(c.kind, CheckpointKind::Risk(_))));
    desk.press("<up>");
    assert_eq!(draft(&desk), "!make test -k", "what was changed is kept");
    desk.press("<ctrl-u>");
    assert_eq!(draft(&desk), "", "it does not come back by itself");
    desk.press("<esc><esc>");
    assert_eq!(desk.inputs, []);
    assert!(desk.state().open.values().any(|c| matches!(c.kind, CheckpointKind::Risk(_))));
}

#[test]
fn cancel_ends_the_goal_and_the_command_goes() {
    let mut desk = goal("make test", "");
    desk.press("<ctrl-c>").deliver();
    assert_eq!(draft(&desk), "");
    assert!(desk.state().open.is_empty() && desk.state().run.is_none());
}

#[test]
fn an_answer_in_the_list_takes_it_away() {
    let mut desk = goal("make test", "");
    desk.press("<ctrl-x>a");
    desk.wait(800).press("y").deliver();
    assert_eq!(draft(&desk), "");
    assert_eq!(desk.tools.len(), 1);
}

#[test]
fn the_key_e_brings_any_command_into_the_composer_and_the_draft_comes_back() {
    let mut desk = Desk::new(100, 30);
    desk.press("where is main?<enter>").deliver();
    desk.reply("", &[("run", r#"{"command":"make docs"}"#)]);
    desk.app.composer.draft.set(Saved::plain("my draft"));
    desk.draw();
    assert_eq!(draft(&desk), "my draft", "a question's command stays in the list");
    desk.press("<ctrl-x>ae");
    assert_eq!((draft(&desk).as_str(), desk.app.panes.focus), ("make docs", Focus::Composer));
    desk.press("<enter>");
    assert_eq!(answers(&desk), [], "not before it stood there");
    desk.press("ets<enter>");
    assert_eq!(draft(&desk), "make docsets", "asked for by hand: what is typed is meant for it");
    desk.wait(1_000).press("<enter>");
    assert_eq!(answers(&desk), [line("make docsets")]);
    desk.deliver();
    assert_eq!(draft(&desk), "my draft");
}

#[test]
fn a_gate_is_not_edited() {
    let mut desk = Desk::new(100, 30).with_plan();
    desk.draw();
    desk.wait(800).press("<enter>").deliver();
    for _ in 0..3 {
        desk.reply("nothing to change: it is right", &[]);
    }
    assert!(
        desk.state()
            .open
            .values()
            .any(|c| matches!(c.kind, CheckpointKind::Risk(CommandQuestion { gate: Some(_), .. })))
    );
    desk.press("<ctrl-x>ae");
    assert!(desk.text().contains("a gate runs as written in the plan"), "{}", desk.text());
    assert_eq!(draft(&desk), "");
}

#[test]
fn what_cannot_be_shown_as_it_is_stays_in_the_list() {
    for command in ["make \u{202e}evil", "make \u{1b}[2J", "make\u{200b}"] {
        let mut desk = goal(command, "");
        assert_eq!(draft(&desk), "", "{command:?}");
        desk.press("<ctrl-x>ae");
        assert_eq!(draft(&desk), "");
    }
    let long = format!("make {}", "word ".repeat(400));
    let mut desk = goal(&long, "");
    desk.press("<enter>");
    assert_eq!(answers(&desk), [], "not all of it can be seen");
    assert!(desk.text().contains("the list shows it"), "{}", desk.text());
}

#[test]
fn a_command_is_no_message_and_opens_no_list() {
    let mut desk = goal("make", "");
    desk.press("<right><ctrl-u>/usr/bin/make @all");
    assert!(desk.app.composer.popup.is_none());
    desk.press("<tab>");
    assert_eq!(desk.inputs, [], "it is not queued");
    assert_eq!(desk.app.panes.focus, CONVERSATION);
    desk.press("<esc><up><up>");
    assert_eq!(draft(&desk), "/usr/bin/make @all", "it is not replaced by an earlier text");
    desk.press("<enter>");
    assert_eq!(answers(&desk), [line("/usr/bin/make @all")]);
}

#[test]
fn a_refusal_leaves_the_line_to_be_sent_again() {
    let mut desk = goal("make", "");
    desk.press("<right> all<enter>");
    desk.app.update(Update::Refused("the disk is full".into()), desk.now);
    desk.inputs.clear();
    desk.wait(800).press("<enter>");
    assert_eq!(answers(&desk), [line("make all")]);
}

#[test]
fn a_refused_line_stays_in_the_draft_where_no_other_was_begun() {
    let mut desk = Desk::new(100, 30);
    for (line, later, left) in [
        ("/queue drop 7", "", "/queue drop 7"),
        ("/queue drop 7", "add a test", "add a test"),
        ("/changes sideways", "", "/changes sideways"),
    ] {
        desk.app.composer.draft.set(Saved::plain(line));
        desk.press("<enter>").app.composer.draft.set(Saved::plain(later));
        desk.deliver();
        assert_eq!(draft(&desk), left, "{line}, then {later:?}");
    }
    desk.app.composer.draft.set(Saved::plain("run the tests"));
    desk.press("<enter>").deliver();
    desk.app.update(Update::Refused("something else".into()), desk.now);
    assert_eq!(draft(&desk), "", "what was taken does not come back");
}

#[test]
fn it_is_drawn_whole_on_every_size_and_never_leaves_its_row() {
    for (width, height) in [(20, 6), (40, 12), (60, 20), (100, 30), (160, 50), (200, 60)] {
        let mut desk = goal("cargo test -p inkwell --offline", "");
        desk.size = Rect::new(0, 0, width, height);
        let text = desk.text();
        if width >= 40 {
            assert!(text.contains("cargo test -p inkwell --offline"), "{width}: {text}");
            assert!(text.contains("medium") && text.contains("Enter runs it"), "{width}: {text}");
        }
        for row in text.lines() {
            assert!(row.chars().count() <= usize::from(width));
        }
    }
}

#[test]
fn a_changed_line_that_is_put_aside_or_overtaken_is_in_the_history_and_that_is_said() {
    let mut desk = goal("make tset", "");
    desk.press("<right> -k<esc>");
    let text = desk.text();
    assert!(text.contains("postponed; it is waiting in the list. Up brings back your edit"), "{text}");
    desk.press("<up>");
    assert_eq!(draft(&desk), "!make tset -k");
    let mut desk = goal("make tset", "");
    desk.press("<right> -k").give(Input::Cancel);
    let text = desk.text();
    assert!(text.contains("it is no longer being asked. Up brings back your edit"), "{text}");
    // Unchanged there is nothing to bring back, and what was sent is no loss.
    let mut desk = goal("make tset", "");
    desk.press("<right><esc>");
    assert!(!desk.text().contains("brings back"), "{}", desk.text());
    let mut desk = goal("make tset", "");
    desk.press("<right> -k<enter>").deliver();
    assert!(!desk.text().contains("brings back"), "{}", desk.text());
}

#[test]
fn a_line_that_is_being_changed_stays_where_another_cannot_be_typed() {
    let mut desk = goal("printf 'a\u{7}b' > c", "");
    let other = desk.state().open.values().find(|c| c.kind.line().is_some()).unwrap().id;
    let held = CheckpointId(9_999);
    assert!(desk.app.composer.offer(held, "make test", true));
    desk.app.composer.draft.insert(" --quick");
    desk.app.edit_command(other, desk.now);
    assert_eq!(draft(&desk), "make test --quick", "what was changed is still there");
    assert_eq!(desk.app.composer.offered().map(|offered| offered.question), Some(held));
    let told = desk.app.notice.as_ref().map(|notice| notice.text.clone());
    assert!(told.as_ref().is_some_and(|told| told.contains("cannot be typed")), "{told:?}");
}

#[test]
fn what_enter_does_at_a_plan_is_said_while_something_else_stands_in_the_drafts_place() {
    let mut desk = Desk::new(80, 24).with_plan();
    desk.draw();
    desk.wait(900);
    assert!(desk.text().contains("Enter approves"), "{}", desk.text());
    desk.press("no").press("<esc>");
    let text = desk.text();
    assert!(text.contains("Up restores it") && text.contains("Enter approves"), "{text}");
}

#[test]
fn a_message_that_is_changed_is_read_from_its_head() {
    let mut composer = Composer::default();
    let message = "line\n".repeat(20);
    assert!(composer.offer(CheckpointId(1), &message, false));
    let _ = composer.draft.rows(40, 8);
    assert_eq!(composer.draft.beyond(8).0, 0, "its subject is seen");
    assert!(composer.offer(CheckpointId(1), &message, true));
    let _ = composer.draft.rows(40, 8);
    assert!(composer.draft.beyond(8).0 > 0, "a command goes on where it ends");
}
