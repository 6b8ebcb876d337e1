//! Where the keys go decides which of them are named, and what leaves a pane.

use pilothouse_core::checkpoint::Answer;

use super::{review::Bench, *};

const CONVERSATION: Focus = Focus::Pane(crate::pane::conversation::ID);
const RUNS: Focus = Focus::Pane(crate::pane::runs::ID);

fn asks_to_leave(bench: &Bench) -> bool {
    bench.desk.state().phase_question().is_some_and(|question| question.kind.is_exit())
}

/// Amendment 10.
#[test]
fn a_question_names_its_keys_only_where_they_answer() {
    let mut bench = Bench::new(90, 30);
    bench.press("/exit<enter>");
    assert!(asks_to_leave(&bench));
    assert!(bench.desk.text().contains("y leave   n stay"), "{}", bench.desk.text());
    bench.press("<ctrl-x>d");
    let text = bench.desk.text();
    assert!(!text.contains("y leave") && !text.contains("n stay"), "{text}");
    assert!(text.contains("leave   stay") && text.contains("Ctrl-T answers in the plan"), "{text}");
    assert!(text.contains("y take"), "{text}");
    let rows = text.lines().count();
    bench.press("<ctrl-t>");
    assert!(bench.desk.text().contains("y leave   n stay"), "{}", bench.desk.text());
    assert_eq!(bench.desk.text().lines().count(), rows);
    // How to get to them stands there at every width.
    for width in (80..=160).step_by(4) {
        let mut bench = Bench::new(width, 30);
        bench.press("/exit<enter>");
        bench.press("<ctrl-x>d");
        let text = bench.desk.text();
        assert!(!text.contains("n stay") && text.contains("Ctrl-T"), "{width}: {text}");
    }
    // Nor below what lies over all of it.
    let mut desk = Desk::new(100, 30).with_plan();
    for keys in ["<ctrl-x>c", "<f1>"] {
        desk.wait(900).press(keys);
        let text = desk.text();
        assert!(!text.contains("y run the plan") && !text.contains("n change it"), "{keys}: {text}");
    }
}

/// C-11.
#[test]
fn q_at_the_question_whether_to_leave_stays() {
    for word in ["q", "quit"] {
        let mut bench = Bench::new(100, 30);
        bench.press("/exit<enter>");
        assert!(asks_to_leave(&bench), "{word}");
        bench.press(word);
        bench.press("<enter>");
        assert!(!asks_to_leave(&bench) && !bench.desk.quit, "{word}: {}", bench.desk.text());
        assert_eq!(bench.desk.app.composer.draft.shown(), "", "{word}");
        assert_eq!(bench.desk.state().open_proposals().count(), 2);
    }
}

/// T-16, in every pane.
#[test]
fn q_leaves_a_pane_as_esc_does_and_types_nothing() {
    for (keys, focus) in
        [("<ctrl-x>d", DIFF), ("<ctrl-t>", PLAN), ("<ctrl-x>c", CONVERSATION), ("<ctrl-x>r", RUNS)]
    {
        for (width, height) in [(120, 30), (80, 24)] {
            let mut bench = Bench::new(width, height);
            bench.press(keys);
            assert_eq!(bench.desk.app.panes.focus, focus);
            bench.press("q");
            assert_eq!(bench.desk.app.panes.focus, Focus::Composer, "{keys}");
            assert_eq!(bench.desk.app.composer.draft.shown(), "", "{keys}");
            assert_eq!(bench.desk.state().open_proposals().filter(|p| p.decided.is_empty()).count(), 2);
            // A word that begins with it is a draft.
            bench.press(keys);
            bench.press("quote it");
            assert_eq!(bench.desk.app.composer.draft.shown(), "quote it", "{keys}");
        }
    }
}

#[test]
fn q_closes_what_lies_open_in_a_pane_first() {
    let mut bench = Bench::new(120, 30);
    bench.press("<ctrl-x>d");
    bench.press("A");
    assert!(bench.desk.text().contains("Apply all files atomically"), "{}", bench.desk.text());
    bench.press("q");
    assert!(!bench.desk.text().contains("Apply all files atomically"), "{}", bench.desk.text());
    assert_eq!(bench.desk.app.panes.focus, DIFF);
    bench.press("q");
    assert_eq!(bench.desk.app.panes.focus, Focus::Composer);
    // An empty pane is left as well.
    let mut desk = Desk::new(80, 24);
    desk.press("<ctrl-x>d");
    desk.wait(900).press("q");
    assert_eq!((desk.app.panes.focus, desk.app.composer.draft.shown().as_str()), (Focus::Composer, ""));
}

#[test]
fn where_q_answers_in_the_plan_it_still_does() {
    let mut desk = super::promises::red_gate();
    desk.wait(900).press("<ctrl-t>");
    desk.wait(900).press("q");
    let aborts = |input: &Input| matches!(input, Input::Answer { answer: Answer::Abort, .. });
    assert!(desk.inputs.iter().any(aborts), "{:?}", desk.inputs);
}

/// DIF-04: the phase waits for a yes to the same plan, which goes on with what was decided.
#[test]
fn u_goes_up_to_the_plan_where_y_goes_on_and_a_change_can_be_said() {
    let mut bench = Bench::new(120, 30);
    bench.press("<ctrl-x>d");
    bench.press("y");
    bench.press("u");
    let desk = &mut bench.desk;
    assert_eq!((desk.state().phase, desk.app.panes.focus), (Phase::AwaitingApproval, PLAN));
    let text = desk.text();
    assert!(text.contains("[y/n/suggest]") && text.contains("y run the plan"), "{text}");
    assert!(!text.contains("✓ approved"), "the card waits again: {text}");
    assert!(desk.state().ledger().is_empty() && desk.state().set_aside().count() == 2);
    bench.press("y");
    let state = bench.desk.state();
    assert_eq!(state.phase, Phase::Executing);
    let taken = state.open_proposals().map(|p| p.decided.len()).sum::<usize>();
    assert_eq!((state.open_proposals().count(), taken), (2, 1));
}

#[test]
fn u_typed_as_the_first_letter_of_a_line_stops_no_run() {
    let mut bench = Bench::new(120, 30);
    bench.press("<ctrl-x>d");
    bench.press("use another name");
    assert_eq!(bench.desk.state().phase, Phase::Executing);
    assert_eq!(bench.desk.app.composer.draft.shown(), "use another name");
}

/// CKP-05.
#[test]
fn the_last_number_of_a_question_asks_for_words_of_ones_own() {
    let asked = || {
        let mut desk = Desk::new(100, 30);
        desk.press("where is main?<enter>").deliver();
        desk.reply("", &[("ask_user", r#"{"question":"Which?","choices":["one","two"]}"#)]);
        desk.collect();
        let text = desk.text();
        assert!(text.contains("3  let me specify"), "{text}");
        desk
    };
    let open = |desk: &Desk| desk.state().phase_question().is_some();
    let mut desk = asked();
    desk.wait(900).press("3<enter>").deliver();
    assert!(open(&desk) && desk.text().contains("say it in your own words"), "{}", desk.text());
    assert_eq!(desk.app.composer.draft.shown(), "", "the line is free for them");
    desk.wait(900).press("neither<enter>").deliver();
    assert!(!open(&desk));
    let mut desk = asked();
    desk.wait(900).press("<ctrl-t>");
    desk.wait(900).press("3").deliver();
    assert_eq!((open(&desk), desk.app.panes.focus), (true, Focus::Composer));
    assert!(desk.text().contains("say it in your own words"), "{}", desk.text());
}

/// What failed without a plan names no other one, wherever its keys are named.
#[test]
fn a_goal_that_cannot_go_on_names_the_same_answers_everywhere() {
    let mut desk = Desk::new(120, 30);
    desk.press("run the tests<enter>").deliver();
    for _ in 0..3 {
        if desk.state().phase != Phase::Failed {
            desk.reply("", &[]);
        }
    }
    desk.collect();
    assert_eq!(desk.state().phase, Phase::Failed);
    let text = desk.text();
    assert!(text.contains("r retry   q abort") && text.contains("[retry/abort]"), "{text}");
    assert!(text.contains("r or q, as above") && !text.contains("replan"), "{text}");
}
