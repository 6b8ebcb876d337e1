//! Where the keys are: what gives them back, and what becomes of a line that is typed into a pane.

use super::{review::Bench, *};

#[test]
fn a_decision_on_the_plan_gives_the_keys_back_and_the_next_words_are_a_draft() {
    for key in ["y", "n"] {
        let mut desk = Desk::new(80, 24).with_plan();
        desk.wait(900).press("<ctrl-t>");
        desk.wait(900).press(key).deliver();
        desk.press("jokes aside").collect();
        assert_eq!(desk.app.panes.focus, Focus::Composer, "{key}");
        assert_eq!(desk.app.composer.draft.shown(), "jokes aside", "{key}");
    }
}

#[test]
fn the_keys_stay_in_the_plan_while_it_is_changed_and_asked_about_again() {
    let mut desk = Desk::new(80, 24).with_plan();
    desk.wait(900).press("<ctrl-t>J").deliver();
    assert_eq!(desk.app.panes.focus, PLAN);
    desk.wait(900).press("x").deliver();
    assert_eq!(desk.state().plan.as_ref().unwrap().tasks.len(), 2, "the next key acted there");
}

#[test]
fn the_keys_leave_the_review_with_its_last_decision_and_go_to_no_other_by_themselves() {
    let mut bench = Bench::new(80, 24);
    bench.press("<ctrl-x>d");
    bench.press("aa");
    bench.press("aa");
    assert!(bench.desk.state().open.is_empty(), "the second step is at work");
    assert_eq!(bench.desk.app.panes.focus, Focus::Composer);
    // What that proposes is drawn where there is room, and a letter begins a message all the same.
    bench.proposes("src/c.rs");
    assert_eq!(
        (bench.desk.state().open_proposals().count(), bench.desk.app.panes.focus),
        (1, Focus::Composer)
    );
    bench.desk.wait(900);
    bench.press("yes");
    assert!(bench.desk.state().open_proposals().all(|p| p.decided.is_empty()));
    assert_eq!(bench.desk.app.composer.draft.shown(), "yes");
    bench.press("<backspace><backspace><backspace><enter>");
    assert_eq!(bench.desk.app.panes.focus, DIFF, "Enter gives the keys to it");
    bench.press("aa");
    bench.press("<ctrl-x>d");
    assert_eq!(bench.desk.app.panes.focus, DIFF);
    assert!(bench.desk.text().contains("Nothing to decide yet."), "{}", bench.desk.text());
    // There is nothing that a letter could decide: it begins a message, even if it comes alone.
    bench.press("c");
    assert_eq!(
        (bench.desk.app.panes.focus, bench.desk.app.composer.draft.shown().as_str()),
        (Focus::Composer, "c")
    );
    bench.press("<backspace><ctrl-x>d");
    assert_eq!(bench.desk.app.panes.focus, DIFF);
    bench.desk.give(Input::Cancel);
    assert_eq!(bench.desk.app.panes.focus, Focus::Composer);
}

#[test]
fn a_question_that_comes_between_two_steps_gives_the_keys_back() {
    let mut bench = Bench::new(80, 24);
    bench.press("<ctrl-x>d");
    bench.press("aa");
    bench.press("aa");
    bench.desk.reply("", &[("ask_user", r#"{"question":"Which?","choices":["one","two"]}"#)]);
    bench.desk.collect();
    assert!(!bench.desk.state().open.is_empty());
    assert_eq!(bench.desk.app.panes.focus, Focus::Composer);
}

/// Lines that begin with letters that are keys of the diff.
const LINES: [&str; 19] = [
    "no, do it differently",
    "No, do it differently",
    "can you rename it too",
    "comment that",
    "So why two of them?",
    "Same for the other file",
    "name it otherwise",
    "do not",
    "just rename it",
    "[ok] fine",
    "why?",
    "also rename the test",
    "add a test",
    "yes but not so",
    "explain this",
    "Explain this",
    "stop that",
    "skip it",
    "use another name",
];

#[test]
fn a_line_typed_into_the_review_is_a_draft_and_decides_nothing() {
    for line in LINES {
        for before in ["", "y"] {
            let mut bench = Bench::new(80, 24);
            bench.press("<ctrl-x>d");
            bench.press(before);
            bench.press(line);
            let desk = &mut bench.desk;
            assert_eq!(desk.app.panes.focus, Focus::Composer, "{before} {line}");
            assert_eq!(desk.app.composer.draft.shown(), line, "{before}");
            let decided: usize = desk.state().open_proposals().map(|p| p.decided.len()).sum();
            assert_eq!((decided, desk.state().open_proposals().count()), (before.len(), 2), "{line}");
            assert!(desk.state().ledger().is_empty(), "{line}");
            assert!(desk.app.wishes().is_empty(), "no editor for {line}");
        }
    }
}

#[test]
fn a_line_typed_at_a_plan_in_its_pane_is_a_draft_and_begins_nothing() {
    for line in [
        "yes but leave the tests alone",
        "no need for step 3",
        "edit nothing",
        "retry it",
        "be careful",
        "do not",
        "drop step 3",
        "old names stay",
        "Only the first",
        "ended too early",
        "why three?",
    ] {
        let mut desk = Desk::new(80, 24).with_plan();
        desk.wait(900).press("<ctrl-t>");
        desk.wait(900).press(line);
        assert_eq!((desk.app.panes.focus, desk.app.composer.draft.shown().as_str()), (Focus::Composer, line));
        assert_eq!((desk.inputs.len(), desk.app.wishes().len()), (0, 0), "{line}");
    }
}

#[test]
fn a_word_that_is_all_keys_is_a_draft_once_a_blank_or_enter_ends_it() {
    for end in [" ", "<enter>"] {
        let mut bench = Bench::new(80, 24);
        bench.press("<ctrl-x>d");
        bench.press(&format!("yes{end}"));
        let desk = &mut bench.desk;
        assert_eq!(desk.app.composer.draft.shown().trim_end(), "yes", "{end}");
        assert_eq!(desk.state().open_proposals().map(|p| p.decided.len()).sum::<usize>(), 0, "{end}");
        assert!(desk.app.wishes().is_empty());
    }
}

#[test]
fn a_key_that_nothing_takes_back_acts_after_a_pause_and_any_other_at_once() {
    let mut bench = Bench::new(80, 24);
    bench.press("<ctrl-x>d");
    bench.settle();
    let desk = &mut bench.desk;
    desk.wait(900);
    desk.app.key(key("y"), desk.now);
    desk.collect();
    assert!(matches!(desk.inputs[..], [Input::Decide { .. }]), "{:?}", desk.inputs);
    assert_eq!(desk.app.alarm(), None);
    desk.deliver();
    desk.wait(900);
    desk.app.key(key("a"), desk.now);
    desk.collect();
    assert_eq!((desk.inputs.len(), desk.app.alarm()), (0, Some(desk.now + Duration::from_millis(300))));
    desk.app.settle_keys(desk.now + Duration::from_millis(299));
    desk.collect();
    assert_eq!(desk.inputs, []);
    desk.app.settle_keys(desk.now + Duration::from_millis(300));
    desk.collect();
    assert!(matches!(desk.inputs[..], [Input::Apply { .. }]), "{:?}", desk.inputs);
    assert_eq!(desk.app.alarm(), None);
}

#[test]
fn what_was_decided_before_a_pause_stays_when_a_line_follows() {
    let mut bench = Bench::new(80, 24);
    bench.press("<ctrl-x>d");
    bench.press("y");
    bench.press("no, wait");
    let decided: Vec<_> = bench.desk.state().open_proposals().map(|p| p.decided.len()).collect();
    assert_eq!(decided, [1, 0]);
    assert_eq!(bench.desk.app.composer.draft.shown(), "no, wait");
}

#[test]
fn a_letter_that_is_no_key_of_a_pane_goes_on_with_the_draft() {
    for pane in ["<ctrl-t>", "<ctrl-x>c", "<ctrl-x>r", "<ctrl-x>d"] {
        let mut desk = Desk::new(80, 24).with_plan();
        desk.wait(900).press("say: ");
        desk.wait(900).press(pane);
        desk.wait(900).press(" ");
        assert_ne!(desk.app.panes.focus, Focus::Composer, "a blank begins nothing");
        desk.wait(900).press("hello");
        assert_eq!(desk.app.composer.draft.shown(), "say: hello", "{pane}");
        assert_eq!(desk.app.panes.focus, Focus::Composer, "{pane}");
    }
}

#[test]
fn a_line_typed_into_the_conversation_opens_and_copies_nothing() {
    for line in ["why did you ask that?", "yes please", "yank it", "not now"] {
        let mut desk = Desk::new(80, 24);
        desk.press("where is it?<enter>").deliver();
        desk.reply("I look.", &[("run", r#"{"command":"cargo add serde"}"#)]);
        desk.wait(900).press("<ctrl-x>c");
        desk.wait(900).press(line);
        assert_eq!((desk.app.panes.focus, desk.app.composer.draft.shown().as_str()), (Focus::Composer, line));
        assert_eq!((desk.top(), desk.inputs.len(), desk.app.wishes().len()), (None, 0, 0), "{line}");
    }
}

#[test]
fn what_is_searched_for_is_typed_behind_its_key_without_a_pause() {
    let mut desk = Desk::new(80, 24).with_plan();
    desk.wait(900).press("<ctrl-x>c");
    desk.wait(900).press("/bucket<enter>");
    assert_eq!((desk.app.panes.focus, desk.app.composer.draft.shown().as_str()), (CONVERSATION, ""));
    assert!(desk.text().contains("match"), "{}", desk.text());
}

#[test]
fn two_letters_that_are_one_key_act_together_and_begin_a_line_otherwise() {
    let mut desk = Desk::new(80, 24).with_plan();
    desk.wait(900).press("<ctrl-t>j");
    desk.wait(900).press("dd").deliver();
    let titles = |desk: &Desk| -> Vec<String> {
        desk.state().plan.as_ref().unwrap().tasks.iter().map(|t| t.title.clone()).collect()
    };
    assert_eq!(titles(&desk), ["Token bucket", "Tests"]);
    assert_eq!(desk.app.panes.focus, PLAN);
    // A key that is no part of it leaves the plan as it is.
    desk.wait(900).press("d<down>");
    assert!(desk.text().contains("is not bound"), "{}", desk.text());
    desk.wait(900).press("dd it").deliver();
    assert_eq!((titles(&desk).len(), desk.app.composer.draft.shown().as_str()), (2, "dd it"));
}

#[test]
fn a_step_is_added_below_and_above_the_chosen_one() {
    let mut desk = Desk::new(80, 24).with_plan();
    let titles = |desk: &Desk| -> Vec<String> {
        desk.state().plan.as_ref().unwrap().tasks.iter().map(|t| t.title.clone()).collect()
    };
    desk.wait(900).press("<ctrl-t>j");
    desk.wait(900).press("o");
    assert!(desk.text().contains("What to do below step 2"), "{}", desk.text());
    desk.press("1. [ ] # Measure it<enter>").deliver();
    assert_eq!(titles(&desk), ["Token bucket", "Wire it in", "1. [ ] # Measure it", "Tests"]);
    desk.wait(900).press("gg");
    desk.wait(900).press("O");
    desk.press("Look first<enter>").deliver();
    assert_eq!(titles(&desk)[0], "Look first");
    desk.wait(900).press("Gk");
    desk.wait(900).press("o");
    desk.press("Describe it<enter>").deliver();
    assert_eq!(titles(&desk).last().unwrap(), "Describe it");
    assert_eq!(desk.state().plan.as_ref().unwrap().gates.len(), 1, "the gate stays");
    desk.wait(900).press("o");
    desk.press("  <enter>").deliver();
    assert_eq!(titles(&desk).len(), 6, "nothing was named");
}

#[test]
fn w_explains_in_the_plan_and_in_the_diff() {
    let mut desk = Desk::new(80, 24).with_plan();
    desk.wait(900).press("<ctrl-t>");
    desk.wait(900).press("w");
    assert_eq!(desk.top(), Some("reason"), "why the plan that waits is asked about");
    assert!(desk.text().contains("a plan of one step starts on its own"), "{}", desk.text());
    let mut bench = Bench::new(80, 24);
    bench.press("<ctrl-x>d");
    bench.press("w");
    assert_eq!(bench.desk.top(), Some("reason"));
}

#[test]
fn whatever_acts_at_once_opens_and_sends_nothing_that_is_not_taken_back() {
    let letters: Vec<char> = (' '..='~').filter(|c| *c != '?').collect();
    for pane in ["<ctrl-x>c", "<ctrl-t>", "<ctrl-x>d"] {
        for letter in &letters {
            // What is searched for is typed behind its key at once.
            if *letter == '/' && pane != "<ctrl-t>" {
                continue;
            }
            let mut bench = Bench::new(120, 40);
            bench.press(pane);
            let desk = &mut bench.desk;
            desk.wait(900);
            desk.app.key(KeyEvent::new(KeyCode::Char(*letter), KeyModifiers::NONE), desk.now);
            desk.collect();
            let taken_back = desk.inputs.iter().all(|input| matches!(input, Input::Decide { .. }));
            assert!(taken_back, "{pane} {letter}: {:?}", desk.inputs);
            assert_eq!((desk.top(), desk.app.wishes().len()), (None, 0), "{pane} {letter}");
            assert_eq!(desk.app.window_wish(), None, "{pane} {letter}");
        }
    }
}

/// Lines that begin with letters that answer what waits.
const AT_THE_LIST: [&str; 10] = [
    "try the product too",
    "no, use the dev profile",
    "type it out first",
    "why this one?",
    "please wait",
    "yes but only once",
    "edit the other file",
    "how does the window decide",
    "just look at it",
    "typey",
];

#[test]
fn a_line_typed_into_the_list_of_what_waits_is_a_draft_and_decides_nothing() {
    for line in AT_THE_LIST {
        for gap in [0, 90, 280] {
            let mut desk = Desk::new(100, 30);
            deaf::command(&mut desk);
            desk.press("<ctrl-x>a");
            desk.wait(1_500).draw();
            desk.inputs.clear();
            for letter in line.chars() {
                desk.wait(gap);
                desk.app.key(KeyEvent::new(KeyCode::Char(letter), KeyModifiers::NONE), desk.now);
                desk.collect();
                desk.draw();
            }
            desk.pause();
            assert_eq!(desk.inputs, [], "{line} {gap}");
            assert_eq!(desk.app.composer.draft.shown(), line, "{gap}");
            assert!(desk.app.overlays.is_empty(), "{line} {gap}");
            assert_eq!(desk.app.panes.focus, Focus::Composer, "{line}");
        }
    }
}

#[test]
fn what_is_pasted_into_the_list_of_what_waits_is_a_draft() {
    let mut desk = Desk::new(100, 30);
    deaf::command(&mut desk);
    desk.press("<ctrl-x>a");
    desk.wait(1_500).draw();
    desk.inputs.clear();
    desk.app.terminal(&crossterm::event::Event::Paste("try this".to_owned()), desk.now);
    desk.collect();
    assert_eq!((desk.app.composer.draft.shown().as_str(), desk.inputs.len()), ("try this", 0));
}

#[test]
fn a_question_mark_is_help_by_itself_and_the_first_letter_of_a_line_that_is_typed_behind_it() {
    let line = "? what is Store";
    for before in ["", "<ctrl-x>c", "/status<enter>", "<f1>"] {
        let mut desk = Desk::new(100, 30);
        desk.press(before).deliver();
        desk.wait(900).press(line).collect();
        let text = desk.text();
        assert_eq!((desk.app.panes.focus, desk.app.overlays.len()), (Focus::Composer, 0), "{before}\n{text}");
        assert_eq!(desk.app.composer.draft.shown(), line, "{before}");
    }
    let mut desk = Desk::new(100, 30);
    desk.press("?");
    assert!(desk.text().contains(" Keys "), "at once");
    // What is typed after a look is no line that began with it.
    desk.wait(900).press("what");
    assert_eq!(desk.app.composer.draft.shown(), "what");
}

#[test]
fn a_question_mark_behind_letters_that_are_keys_goes_on_with_the_word() {
    let mut bench = Bench::new(80, 24);
    bench.press("<ctrl-x>d");
    bench.press("yes? no");
    let desk = &mut bench.desk;
    assert_eq!(desk.app.composer.draft.shown(), "yes? no");
    assert_eq!(desk.state().open_proposals().map(|p| p.decided.len()).sum::<usize>(), 0);
}
