//! Keystrokes: text or state before, keys, what came of it.

use pilothouse_core::{
    checkpoint::Answer,
    compaction::Mark,
    ids::Seq,
    port::{ContextPart, ContextSheet},
    question::Spec,
    scope::PermissionMode,
};

use super::*;

/// Text before the caret, keys, text after.
#[track_caller]
fn check(before: &str, keys: &str, after: &str) {
    let mut desk = Desk::new(120, 40);
    desk.app.composer.draft.set(Saved::plain(before));
    desk.press(keys);
    assert_eq!(desk.app.composer.draft.shown(), after, "{before} {keys}");
}

#[test]
fn the_composer_writes_and_edits() {
    check("", "hello", "hello");
    check("one two", "<ctrl-w>2", "one 2");
    check("one two", "<ctrl-a><ctrl-k>x", "x");
    check("one two", "<ctrl-u><ctrl-y><ctrl-y>", "one twoone two");
    check("one two", "<alt-b><alt-d>", "one ");
    check("one", "<shift-enter>two", "one\ntwo");
    check("one", "<alt-enter>two<ctrl-j>three", "one\ntwo\nthree");
    check("abc", "<left><left>X", "aXbc");
    check("what", "?", "what?");
    check("", "jkyng", "jkyng");
}

#[test]
fn a_line_is_said_and_a_queued_one_is_queued() {
    let mut desk = Desk::new(120, 40);
    desk.press("add a limit to the login<enter>");
    assert_eq!(desk.inputs, [Input::say("add a limit to the login")]);
    desk.deliver().press("later<tab>");
    assert_eq!(desk.inputs, [Input::Queue("later".into())]);
}

#[test]
fn tab_keeps_a_draft_where_nothing_runs_that_it_could_wait_for() {
    for planned in [false, true] {
        let desk = Desk::new(80, 24);
        let mut desk = if planned { desk.with_plan() } else { desk };
        desk.wait(900).press("draft<tab>");
        assert_eq!(
            (desk.app.composer.draft.shown().as_str(), desk.app.panes.focus),
            ("draft", Focus::Composer)
        );
        assert_eq!(desk.inputs, []);
        assert!(desk.text().contains("Enter sends it now"), "{}", desk.text());
    }
}

/// What is said of Enter on an empty line.
#[test]
#[expect(clippy::too_many_lines, reason = "a table of states")]
fn every_place_names_what_enter_does_on_an_empty_line() {
    type Case = (&'static str, fn() -> Desk, &'static [&'static str], &'static [&'static str]);
    let cases: [Case; 6] = [
        ("idle", || Desk::new(80, 24), &["Ask about inkwell"], &["Enter"]),
        (
            "plan",
            || Desk::new(120, 40).with_plan(),
            &["   Ctrl-T y approves", "Enter approves the plan, or"],
            &["shows the plan", "Enter approves   @"],
        ),
        (
            "plan out of sight",
            || {
                let mut desk = Desk::new(80, 24).with_plan();
                desk.press("<ctrl-t>v").press("<ctrl-x>d").app.panes.focus = Focus::Composer;
                desk
            },
            &["Enter shows the plan, or"],
            &["Enter approves", "Enter shows the plan   @"],
        ),
        (
            "rejected",
            || {
                let mut desk = Desk::new(80, 24).with_plan();
                desk.draw();
                desk.wait(900).press("<ctrl-t>n").deliver();
                desk
            },
            &["or Enter sets the plan aside"],
            &["approves", "Enter sets the plan aside   @"],
        ),
        (
            "running",
            || {
                let mut desk = Desk::new(80, 24).with_plan();
                desk.draw();
                desk.wait(900).press("<enter>").deliver();
                desk
            },
            &["Type to interrupt execution...", "Ctrl-C stops"],
            &["Enter"],
        ),
        (
            "choice",
            || {
                let mut desk = Desk::new(80, 24);
                desk.press("where is main?<enter>").deliver();
                let args = r#"{"question":"Which?","choices":["one","two"]}"#;
                desk.reply("", &[("ask_user", args)]);
                desk.collect();
                desk
            },
            &["Answer by a number above or in your own words"],
            &["Enter"],
        ),
    ];
    for (name, state, says, never) in cases {
        let mut desk = state();
        desk.press("z<backspace>");
        let text = desk.text();
        for said in says {
            assert!(text.contains(said), "{name} says {said}:\n{text}");
        }
        for said in never {
            assert!(!text.contains(said), "{name} says not {said}:\n{text}");
        }
    }
}

#[test]
fn an_empty_line_says_nothing() {
    let mut desk = Desk::new(120, 40);
    desk.press("<enter>   <enter>");
    assert_eq!(desk.inputs, []);
}

#[test]
fn shift_tab_changes_the_ceiling() {
    let mut desk = Desk::new(120, 40);
    desk.press("<shift-tab>");
    assert_eq!(desk.inputs, [Input::SetPermission(PermissionMode::Auto)]);
    desk.deliver().press("<shift-tab>");
    assert_eq!(desk.inputs, [Input::SetPermission(PermissionMode::ReadOnly)]);
}

#[test]
fn cancel_stops_what_runs_then_clears_then_leaves_when_pressed_twice() {
    let mut desk = Desk::new(120, 40);
    desk.press("what is this<enter>").deliver();
    assert!(desk.state().busy());
    desk.press("draft<ctrl-c>");
    assert_eq!(desk.inputs, [Input::Cancel]);
    assert_eq!(desk.app.composer.draft.shown(), "draft");
    desk.deliver().press("<ctrl-c>");
    assert!(desk.app.composer.draft.is_empty());
    desk.press("<up>");
    assert_eq!(desk.app.composer.draft.shown(), "draft", "a draft is never destroyed");
    desk.press("<ctrl-c><ctrl-c>");
    assert!(!desk.quit);
    desk.wait(2_500).press("<ctrl-c>");
    assert!(!desk.quit, "too far apart");
    desk.wait(500).press("<ctrl-c>");
    assert!(desk.quit);
}

#[test]
fn cancel_sets_a_plan_that_waits_aside_and_only_then_asks_whether_to_quit() {
    let mut desk = Desk::new(120, 40).with_plan();
    desk.press("<ctrl-c>");
    assert_eq!(desk.inputs, [Input::Cancel]);
    desk.deliver();
    assert!(desk.state().is_at_rest() && desk.state().plan_aside().is_some());
    desk.press("<ctrl-c>");
    assert!(desk.text().contains("press it again to quit") && !desk.quit, "{}", desk.text());
}

#[test]
fn neither_esc_nor_cancel_discards_a_plan_that_waits_to_hear_what_should_change() {
    for key in ["<esc>", "<ctrl-c>"] {
        let mut desk = Desk::new(120, 40).with_plan();
        desk.wait(900).press("<ctrl-x>a").wait(900).press("n").deliver();
        assert!(desk.app.guiding(), "{}", desk.text());
        desk.wait(900).press(key).deliver();
        assert_eq!(desk.state().phase, Phase::Idle, "{key}");
        assert!(desk.state().plan_aside().is_some(), "{key}: {}", desk.text());
    }
}

#[test]
fn esc_stops_an_answer_only_at_the_second_press_in_a_row() {
    let mut desk = Desk::new(120, 40);
    desk.press("what is this<enter>").deliver();
    desk.press("<esc>");
    assert_eq!(desk.inputs, []);
    assert!(desk.text().contains("Esc again stops the answer"), "{}", desk.text());
    desk.wait(2_500).press("<esc>");
    assert_eq!(desk.inputs, [], "too far apart");
    desk.wait(300).press("<esc>");
    assert_eq!(desk.inputs, [Input::StopAnswer]);
    assert!(!desk.deliver().state().busy());
}

#[test]
fn esc_goes_back_one_step_at_a_time() {
    let mut desk = Desk::new(120, 40).with_plan();
    desk.press("<ctrl-t><f1>");
    assert_eq!((desk.app.overlays.len(), desk.app.panes.focus), (1, PLAN));
    desk.press("<esc>");
    assert_eq!((desk.app.overlays.len(), desk.app.panes.focus), (0, PLAN));
    desk.press("<esc>");
    assert_eq!(desk.app.panes.focus, Focus::Composer);
    assert_eq!(desk.inputs, []);
}

#[test]
fn panes_are_reached_by_their_keys_and_by_tab() {
    let mut desk = Desk::new(120, 40).with_plan();
    desk.press("<tab>");
    assert_eq!(desk.app.panes.focus, CONVERSATION);
    desk.press("<tab>");
    assert_eq!(desk.app.panes.focus, PLAN);
    desk.press("<tab>");
    assert_eq!(desk.app.panes.focus, Focus::Composer);
    desk.press("<ctrl-x>d");
    assert_eq!(desk.app.panes.focus, DIFF);
    desk.press("<ctrl-t><ctrl-t>");
    assert_eq!(desk.app.panes.focus, Focus::Composer);
}

#[test]
fn an_unknown_key_after_the_leader_is_said_and_eaten() {
    let mut desk = Desk::new(120, 40);
    desk.press("<ctrl-x>z");
    assert!(desk.app.composer.draft.is_empty());
    assert!(desk.text().contains("Ctrl-X z is not bound"));
}

#[test]
fn the_screens_own_commands_never_reach_the_session() {
    let mut desk = Desk::new(120, 40);
    desk.press("/status<enter>");
    assert_eq!(desk.top(), Some("status"));
    desk.press("<esc>/connect<enter>");
    assert_eq!(desk.top(), Some("connect"));
    desk.press("<esc>/undo<enter>/unundo<enter>/redo<enter>");
    assert_eq!(desk.inputs, ["/undo", "/unundo", "/redo"].map(Input::say));
    desk.press("/quit<enter>");
    assert!(desk.quit);
}

#[test]
fn tab_over_a_draft_sends_nothing_while_nothing_is_at_work() {
    let mut desk = Desk::new(80, 24);
    desk.press("hello<tab>").draw();
    assert!(desk.inputs.is_empty(), "{:?}", desk.inputs);
    assert!(desk.text().contains("hello"), "{}", desk.text());
}

#[test]
fn a_page_that_is_longer_than_the_screen_scrolls_to_its_end_and_no_further() {
    let mut desk = Desk::new(60, 12);
    desk.press("/status<enter>").draw();
    let text = desk.text();
    assert!(text.contains("session ") && !text.contains("cost ") && text.contains("1 of"), "{text}");
    desk.press("G").draw();
    let end = desk.text();
    assert!(end.contains("cost ") && !end.contains("session "), "{end}");
    desk.press("jjjj").draw();
    assert_eq!(desk.text(), end);
    desk.press("k").draw();
    assert_ne!(desk.text(), end);
    desk.press("<esc>");
    assert_eq!(desk.top(), None);
}

#[test]
fn what_the_model_is_told_is_chosen_pinned_and_dropped_part_by_part() {
    let mut desk = Desk::new(100, 30);
    desk.press("/context<enter>");
    assert_eq!(desk.top(), Some("context"));
    let part = |entry: u64, kind| ContextPart {
        entry: (entry > 0).then_some(Seq(entry)),
        kind,
        head: "text".to_owned(),
        tokens: 10,
        before: 10,
        mark: (entry == 7).then_some(Mark::Pinned),
        why: "because",
    };
    let parts = vec![part(0, "prompt"), part(4, "you"), part(7, "result")];
    let sheet = ContextSheet { tokens: 30, parts, window: 100, trouble: None };
    let (number, now) = (desk.number, desk.now);
    desk.app.update(Update::Answered(number, Reply::Context(Box::new(sheet))), now);
    // The prompt stands in every request.
    desk.press("p");
    assert!(desk.inputs.is_empty() && desk.text().contains("can't be pinned or dropped"), "{}", desk.text());
    for keys in ["j", "d", "j", "p", "j", "d"] {
        desk.wait(900).press(keys);
    }
    let mark = |entry, mark| Input::Mark { entry: Seq(entry), mark };
    assert_eq!(desk.inputs, [mark(4, Some(Mark::Dropped)), mark(7, None), mark(7, Some(Mark::Dropped))]);
}

#[test]
fn words_to_the_workbench_open_their_page() {
    let mut desk = Desk::new(120, 40);
    desk.app.controlled(&Control::Help, desk.now);
    let text = desk.text();
    for part in ["Say what you want", "run the tests", "Every command", "F1 shows the keys", "/agent TASK"] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    // TRN-05: the command is the same page as the words; the keys are called by their name.
    for line in ["/help", "::help", "/?", "/commands", "/h"] {
        let mut own = Desk::new(120, 40);
        own.press(&format!("{line}<enter>"));
        assert_eq!(own.text(), text, "{line}");
    }
    let mut named = Desk::new(120, 40);
    let mut pressed = Desk::new(120, 40);
    named.press("/keys<enter>");
    pressed.press("<f1>");
    assert_eq!(named.text(), pressed.text());
    desk.app.controlled(&Control::Exit, desk.now);
    desk.collect();
    assert!(desk.quit);
}

#[test]
fn the_palette_runs_what_was_found() {
    let mut desk = Desk::new(120, 40).with_plan();
    desk.press("<ctrl-p>plan anywhere<enter>");
    assert_eq!(desk.app.panes.focus, PLAN);
    assert!(desk.app.overlays.is_empty());
}

#[test]
fn the_palette_finds_the_slash_commands_and_hands_them_to_the_draft() {
    for name in ["commit", "budget", "theme", "memory"] {
        let mut desk = Desk::new(120, 40);
        desk.press(&format!("<ctrl-p>{name}"));
        assert!(desk.text().contains(&format!("/{name}")), "{}", desk.text());
        desk.press("<enter>");
        assert_eq!(desk.app.composer.draft.shown(), format!("/{name} "));
        assert_eq!((desk.app.overlays.len(), desk.inputs.len()), (0, 0));
    }
}

#[test]
fn the_palette_finds_recipes_with_where_they_are_from_and_what_they_may() {
    let mut desk = super::golden::brought::recipes(120, 40);
    desk.press("<ctrl-p>auditor");
    let shown = desk.text();
    for told in ["@auditor", "at most: ", "agent, yours"] {
        assert!(shown.contains(told), "no {told}: {shown}");
    }
    desk.press("<enter>");
    assert_eq!(desk.app.composer.draft.shown(), "@auditor ");
}

#[test]
fn letters_scattered_over_a_line_are_no_find_beside_a_word() {
    let mut desk = Desk::new(120, 40);
    desk.press("<ctrl-p>theme");
    let shown = desk.text();
    assert!(shown.contains("/theme"), "{shown}");
    assert!(!shown.contains("take the step out"), "{shown}");
}

#[test]
fn an_empty_enter_approves_the_plan_that_has_stood() {
    let mut desk = Desk::new(120, 40).with_plan();
    let id = desk.state().phase_question().unwrap().id;
    desk.draw();
    desk.wait(299).press("<enter>");
    assert_eq!(desk.inputs, []);
    desk.wait(1).press("<enter>");
    assert_eq!(desk.inputs, [], "it may be the same press, held");
    desk.wait(701).press("<enter>");
    let shown = desk.state().open[&id].kind.shown();
    assert_eq!(desk.inputs, [Input::Answer { checkpoint: id, answer: Answer::Approve, shown }]);
}

#[test]
fn words_typed_before_a_question_do_not_answer_it_by_surprise() {
    let mut desk = Desk::new(120, 40).with_plan();
    desk.press("ok");
    desk.wait(200).press("<enter>");
    assert_eq!((desk.inputs.len(), desk.app.composer.draft.shown().as_str()), (0, "ok"));
    desk.wait(701).press("<enter>");
    assert_eq!(desk.inputs, [Input::say("ok")]);
}

#[test]
fn the_files_are_asked_for_once_the_user_wants_one() {
    let mut desk = Desk::new(120, 40);
    assert_eq!(desk.asks, []);
    desk.press("see @");
    assert!(matches!(desk.asks[..], [Ask::Files { .. }]));
}

#[test]
fn a_question_that_is_closed_before_its_answer_is_withdrawn() {
    let mut desk = Desk::new(120, 40);
    desk.press("/kb where is it<enter>");
    let asked = desk.number;
    assert!(matches!(desk.asks[..], [Ask::Knowledge(_)]), "{:?}", desk.asks);
    desk.press("<esc>").collect();
    assert_eq!(desk.asks.get(1), Some(&Ask::Withdraw(asked)), "{:?}", desk.asks);
    desk.press("/kb status<enter>");
    let (number, now) = (desk.number, desk.now);
    let reply = Reply::Knowledge(Box::new(Err("no".to_owned())));
    desk.app.update(Update::Answered(number, reply), now);
    desk.press("<esc>").collect();
    assert!(matches!(desk.asks[2..], [Ask::Knowledge(_)]), "{:?}", desk.asks);
}

#[test]
fn a_second_window_only_reads() {
    let mut desk = Desk::new(120, 40);
    let around = Surroundings { read_only: true, ..desk.app.world.surroundings.clone() };
    desk.app.update(Update::Surroundings(Box::new(around)), desk.now);
    desk.press("hello<enter>");
    assert_eq!(desk.inputs, []);
    assert!(desk.text().contains("read only"));
}

#[test]
fn leaving_while_something_runs_asks_the_session() {
    let mut desk = Desk::new(120, 40);
    desk.press("what is this<enter>").deliver().press("/quit<enter>");
    assert_eq!((desk.quit, &desk.inputs[..]), (false, &[Input::say("/exit")][..]));
}

#[test]
fn a_paste_goes_to_the_draft_and_never_answers_a_typed_word() {
    let mut desk = Desk::new(120, 40);
    let paste = crossterm::event::Event::Paste("two\nlines".into());
    desk.app.terminal(&paste, desk.now);
    assert_eq!(desk.app.composer.draft.shown(), "two\nlines");
    let id = CheckpointId(7);
    desk.app.open_overlay(Box::new(crate::overlay::Prompt::word(id, &Spec::default(), "proceed")));
    desk.app.terminal(&crossterm::event::Event::Paste("proceed".into()), desk.now);
    desk.press("<enter>");
    assert_eq!(desk.inputs, []);
    assert!(desk.app.overlays.is_empty());
}

#[test]
fn one_key_lowers_the_path_of_the_draft_and_raises_it_again() {
    let mut desk = Desk::new(120, 40);
    desk.press("fix the typo in README");
    assert!(desk.text().contains("Write → Modify"));
    desk.press("<alt-l>");
    assert_eq!(desk.app.composer.draft.shown(), "@plan fix the typo in README");
    assert!(!desk.text().contains("Modify"), "{}", desk.text());
    desk.press("<alt-l>");
    assert_eq!(desk.app.composer.draft.shown(), "@explain fix the typo in README");
    desk.press("<alt-l>");
    assert_eq!(desk.app.composer.draft.shown(), "fix the typo in README");
    desk.press("<alt-l><enter>");
    assert_eq!(desk.inputs, [Input::say("@plan fix the typo in README")]);
}

#[test]
fn the_path_of_the_draft_and_of_the_last_message_can_be_explained() {
    let mut desk = Desk::new(100, 40);
    desk.press("<ctrl-x>w");
    assert!(desk.app.overlays.is_empty());
    desk.press("rename the parser module. but do not change anything yet<ctrl-x>w");
    let text = desk.text();
    for part in
        ["Why this path", "your draft, not sent", "confidence", "nearest", "scores", "parts", "without"]
    {
        assert!(text.contains(part), "{part} in\n{text}");
    }
    desk.press("<esc><enter>").deliver();
    desk.press("<ctrl-x>w");
    let text = desk.text();
    assert!(text.contains("your last message") && text.contains("a clause forbids changes"), "{text}");
    for (width, height) in [(60, 20), (20, 6), (200, 50)] {
        desk.size = Rect::new(0, 0, width, height);
        let _ = desk.text();
    }
}

#[test]
fn what_is_said_of_enter_holds_wherever_the_keys_are() {
    for (focus, keys) in
        [("composer", ""), ("plan", "<ctrl-t>"), ("conversation", "<ctrl-x>c"), ("diff", "<ctrl-x>d")]
    {
        let mut desk = Desk::new(120, 40).with_plan();
        desk.draw();
        desk.wait(900).press(keys);
        let text = desk.text();
        let promised = text.contains("Enter approves");
        assert_eq!(promised, focus == "composer", "{focus}: {text}");
        assert_eq!(text.contains(&format!("your keys go to the {focus}")), focus != "composer", "{text}");
        desk.press("<enter>");
        let approved = desk.inputs.iter().any(|i| matches!(i, Input::Answer { answer: Answer::Approve, .. }));
        assert_eq!(approved, promised, "{focus}: {:?}", desk.inputs);
        if focus == "plan" {
            assert!(text.contains("these keys answer here"), "{text}");
            desk.press("y");
            assert!(matches!(desk.inputs[..], [Input::Answer { answer: Answer::Approve, .. }]));
        }
    }
}
