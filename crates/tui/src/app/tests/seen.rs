//! A yes, from wherever it comes, agrees to nothing that was not on the screen.

use pilothouse_core::{
    checkpoint::Checkpoint,
    commit::{CommitFile, CommitTree},
    event::{Event, Stamped},
    ids::{ApplyId, CheckpointId, Seq},
    proposal::Proposal,
    question::{CommitQuestion, UndoAllQuestion},
    relpath::RelPath,
    tool::ChangeKind,
};

use super::{review::Bench, *};

/// A plan with six gates of some three rows each, on a small screen.
fn gated(width: u16, height: u16) -> Desk {
    let gates: Vec<_> = (0..6)
        .map(|n| serde_json::json!({"name": format!("g{n}"), "command": format!("touch G{n} {}", "x".repeat(130))}))
        .collect();
    let plan = serde_json::json!({"title": "Many", "tasks": [{"title": "a"}], "gates": gates});
    let mut desk = Desk::new(width, height).planned(&plan.to_string());
    desk.draw();
    desk.wait(1_000);
    desk
}

fn said(desk: &Desk) -> bool {
    desk.inputs.iter().any(|input| matches!(input, Input::Say { .. } | Input::Answer { .. }))
}

#[test]
fn a_plan_is_approved_by_no_way_before_the_lines_of_its_gates_were_seen() {
    for (width, height) in [(60, 20), (100, 30)] {
        for keys in [
            "<enter>",
            "y<enter>",
            "looks good, go ahead<enter>",
            "yes, do it<enter>",
            "<ctrl-x>ay",
            "<ctrl-t>y",
        ] {
            let mut desk = gated(width, height);
            desk.draw();
            desk.press(keys).draw();
            desk.wait(1_000).press(if keys.ends_with('y') { "y" } else { "" });
            assert!(!said(&desk), "{keys} at {width}: {}", desk.text());
            assert_eq!(desk.state().phase, Phase::AwaitingApproval, "{keys}");
        }
    }
}

#[test]
fn a_plan_whose_gates_were_turned_to_is_approved_where_they_were_read() {
    let mut desk = gated(60, 20);
    for _ in 0..12 {
        desk.press("<pgup>").draw();
    }
    for _ in 0..12 {
        desk.press("<pgdn>").draw();
    }
    let text = desk.text();
    desk.wait(1_000).press("y<enter>").deliver();
    assert_eq!(desk.state().phase, Phase::Executing, "{text}");

    let mut desk = gated(60, 20);
    desk.press("<ctrl-t>").draw();
    desk.wait(1_000).press("y");
    assert!(desk.text().contains("y covers lines you have not seen: j scrolls down"), "{}", desk.text());
    for _ in 0..20 {
        desk.press("j").draw();
    }
    desk.wait(1_000).press("y");
    let text = desk.text();
    desk.deliver();
    assert_eq!(desk.state().phase, Phase::Executing, "{text}");
}

#[test]
fn where_a_plan_s_lines_are_unread_above_the_way_back_to_them_is_told() {
    let mut desk = gated(60, 20);
    desk.press("<ctrl-t>G").draw();
    desk.wait(1_000).press("y");
    assert!(desk.text().contains("you have not seen: k scrolls up"), "{}", desk.text());
    for _ in 0..30 {
        desk.press("k").draw();
    }
    desk.wait(1_000).press("y");
    let text = desk.text();
    desk.deliver();
    assert_eq!(desk.state().phase, Phase::Executing, "{text}");
}

#[test]
fn a_plan_in_a_low_pane_is_read_to_its_end_there_and_approved() {
    for (width, height) in [(60, 9), (60, 11), (40, 12), (100, 10)] {
        for key in ["j", " ", "<pgdn>"] {
            let mut desk = gated(width, height);
            desk.press("<ctrl-t>").press(&key.repeat(40));
            let text = desk.text();
            desk.wait(1_000).press("y").deliver();
            assert_eq!(desk.state().phase, Phase::Executing, "{width}x{height} {key}:\n{text}");
        }
    }
}

#[test]
fn what_lies_below_a_yes_that_comes_too_early_is_left_as_it_was() {
    let mut desk = gated(60, 20);
    let text = desk.press("/theme<enter>jj").text();
    assert_ne!(desk.app.looks.theme.name(), "default", "one is tried: {text}");
    desk.press("<ctrl-x>a").wait(1_000).press("y");
    assert!(!said(&desk) && desk.app.overlays.is_empty(), "{}", desk.text());
    assert_eq!(desk.app.looks.theme.name(), "default");
}

#[test]
fn a_plan_that_came_behind_a_page_was_not_seen() {
    let mut desk = Desk::new(120, 40);
    desk.app.composer.draft.set(Saved::plain("add rate limiting to the login endpoint"));
    desk.press("<enter>").deliver().press("<ctrl-x>a").draw();
    let plan = r#"{"title":"T","tasks":[{"title":"a"}],"gates":[{"name":"t","command":"touch G"}]}"#;
    desk.reply("", &[("submit_plan", plan)]);
    desk.collect();
    desk.draw();
    desk.wait(1_000).press("y");
    assert!(!said(&desk), "{}", desk.text());
}

/// A command that waits, with a draft in the composer.
fn asked(width: u16, draft: &str, command: &str) -> Desk {
    let mut desk = Desk::new(width, 30);
    desk.press("run the tests<enter>").deliver().press(draft);
    let args = serde_json::json!({ "command": command }).to_string();
    desk.reply("", &[("run", &args)]);
    desk.collect();
    desk
}

#[test]
fn a_word_runs_no_command_whose_end_was_not_on_the_screen() {
    let long = format!("make {} && touch HIDDEN", "word ".repeat(400));
    let mut desk = asked(100, "", &long);
    desk.draw();
    desk.wait(1_000).press("y").draw();
    desk.wait(1_000).press("<enter>");
    assert!(!said(&desk), "{}", desk.text());
    assert_eq!((desk.top(), desk.app.composer.draft.is_empty()), (Some("approvals"), true));
    let short = &mut asked(100, "", "make test");
    short.draw();
    short.wait(1_000).press("y").draw();
    short.wait(1_000).press("<enter>");
    assert!(said(short), "all of it stood there: {}", short.text());
}

#[test]
fn a_word_typed_before_the_question_answers_it_only_once_it_stood_there() {
    let mut desk = asked(100, "y", "make test");
    desk.draw();
    desk.wait(100).press("<enter>");
    assert!(!said(&desk), "{}", desk.text());
    assert_eq!(desk.top(), Some("approvals"));
    let mut desk = asked(100, "no", "make test");
    desk.draw();
    desk.wait(100).press("<enter>");
    assert!(said(&desk), "a no is never kept back");
}

#[test]
fn a_word_that_is_not_enough_goes_where_the_word_is_typed() {
    for word in ["yes", "proceed", "go on"] {
        let mut desk = asked(100, "", "rm -rf ~/x");
        desk.draw();
        desk.wait(1_000).press(word);
        assert!(desk.text().contains("opens its confirmation"), "{word} {}", desk.text());
        desk.press("<enter>");
        assert_eq!((said(&desk), desk.top()), (false, Some("prompt")), "{word} {}", desk.text());
        assert!(desk.text().contains("rm -rf ~/x"), "with what it lets happen: {}", desk.text());
        // The word itself stands there already, and runs nothing before there was time to read it there.
        desk.press("<enter>");
        assert_eq!((said(&desk), desk.top() == Some("prompt")), (false, word == "proceed"), "{word}");
        if word == "proceed" {
            desk.wait(1_000).press("<enter>");
            assert!(said(&desk) && desk.top().is_none(), "{}", desk.text());
        }
    }
    // What was not read in the bar is read in the list first.
    let mut desk = asked(100, "proceed", "rm -rf ~/x");
    desk.draw();
    desk.wait(100).press("<enter>");
    assert_eq!((said(&desk), desk.top()), (false, Some("approvals")), "{}", desk.text());
}

#[test]
fn the_word_of_a_line_of_one_s_own_leads_to_its_confirmation_from_wherever_it_waits() {
    for (line, aside) in [("!git push --force origin master", false), ("!rm -rf src tests", true)] {
        for word in ["proceed", "delete", "yes"] {
            let mut desk = Desk::new(100, 30);
            desk.app.composer.draft.set(Saved::plain(line));
            desk.press("<enter>").deliver().draw();
            desk.wait(1_000);
            if aside {
                desk.press("<esc>").draw();
            }
            let wants = desk.state().open.values().find_map(|c| desk.state().spec(c).wants_word());
            desk.wait(1_000).press(word);
            let text = desk.text();
            let leads = word != "delete" || wants == Some("delete");
            assert_eq!(text.contains("opens its confirmation"), leads, "{line} {word} {wants:?}\n{text}");
            if leads {
                assert!(!text.contains("nothing happens") && !text.contains("queued"), "{text}");
                desk.press("<enter>");
                assert!(desk.top().is_some() && !said(&desk), "{line} {word} {}", desk.text());
            }
        }
    }
}

#[test]
fn a_word_answers_the_question_that_is_shown_and_no_other() {
    let plan = r#"{"title":"Two","tasks":[{"title":"a","files":["a"]},{"title":"b","files":["b"]}]}"#;
    let mut desk = Desk::new(120, 40).planned(plan);
    desk.draw();
    desk.wait(1_000).press("<enter>").deliver();
    desk.reply("", &[("run", r#"{"command":"make one"}"#)]);
    desk.reply("", &[("run", r#"{"command":"make two"}"#)]);
    desk.collect();
    let text = desk.text();
    assert_eq!(desk.state().open.len(), 2, "steps beside each other: {text}");
    desk.wait(1_000).press("y").draw();
    desk.wait(1_000).press("<enter>").deliver();
    assert_eq!(desk.state().open.len(), 2, "{text}");
    assert_eq!(desk.top(), Some("approvals"));
}

/// An agent that asks whether it may go deeper.
fn deeper(reason: &str) -> Desk {
    let mut desk = Desk::new(100, 30);
    desk.press("why does the test of a.txt fail?<enter>").deliver();
    let args = serde_json::json!({"node": "modify", "reason": reason}).to_string();
    desk.reply("The check is wrong.", &[("request_path", &args)]);
    desk.collect();
    desk.draw();
    desk
}

#[test]
fn what_was_written_is_not_lost_where_it_is_kept_back() {
    let mut desk = deeper(&"mend the check that is wrong ".repeat(16));
    let line = "fix it, but keep the other tests as they are";
    desk.wait(1_000).press(line).draw();
    desk.wait(1_000).press("<enter>");
    assert!(!said(&desk) && desk.top() == Some("approvals"), "{}", desk.text());
    desk.press("<esc>");
    if desk.app.composer.draft.is_empty() {
        desk.press("<up>");
    }
    assert_eq!(desk.app.composer.draft.shown(), line);
}

#[test]
fn a_plan_without_gates_that_came_behind_a_page_was_not_seen() {
    let mut covered = 0;
    for (page, height) in
        ["<f1>", "<ctrl-p>"].into_iter().flat_map(|page| [(page, 24), (page, 40), (page, 44)])
    {
        let mut desk = Desk::new(100, height);
        desk.app.composer.draft.set(Saved::plain("add rate limiting to the login endpoint"));
        desk.press("<enter>").deliver().press(page).draw();
        let plan = r#"{"title":"T","tasks":[{"title":"aaa"},{"title":"bbb"}],"gates":[]}"#;
        desk.reply("", &[("submit_plan", plan)]);
        desk.collect();
        // In some heights the page lies over it.
        if desk.text().contains("Proceed?") {
            continue;
        }
        covered += 1;
        desk.wait(1_000).press("<esc>").draw();
        desk.wait(10).press("<enter>");
        assert!(!said(&desk), "{page}: it stood there for 10 ms");
    }
    assert!(covered > 0, "the page lies over it somewhere");
}

#[test]
fn a_word_agrees_to_no_folder_that_is_not_on_the_screen() {
    let mut desk = Desk::new(100, 30);
    desk.press("run the tests<enter>").deliver().press("x");
    desk.reply("", &[("run", r#"{"command":"make test","folder":"other/place"}"#)]);
    desk.collect();
    desk.draw();
    desk.wait(1_000).press("<backspace>y").draw();
    let text = desk.text();
    desk.wait(1_000).press("<enter>");
    assert!(!said(&desk) || text.contains("other/place"), "{text}");
}

/// Everything that was written is to be taken back, which is this.
fn undo_all(what: &str) -> Desk {
    let mut desk = Desk::new(60, 20);
    let what = what.to_owned();
    let question = UndoAllQuestion { last: ApplyId(902), first: ApplyId(901), what, in_bar: true };
    let message = question.text();
    let checkpoint = Checkpoint { id: CheckpointId(900), kind: question.into(), message, run: None };
    let event = Event::CheckpointOpened { checkpoint };
    let asked = Stamped { seq: Seq(9_000), at: Millis(1_000), run: None, event };
    desk.app.update(Update::Events(vec![asked]), desk.now);
    desk.draw();
    desk.wait(1_000).press("y").draw();
    desk
}

#[test]
fn the_bar_knows_whether_all_of_a_question_stands_in_it() {
    let mut desk = undo_all("all 2 changes of this session: src/a.rs, src/b.rs");
    assert!(!desk.app.bar_cuts());
    desk.press("<backspace><ctrl-t>").wait(1_000).press("y");
    assert!(said(&desk), "{}", desk.text());
    let files =
        |n: usize| (0..n).map(|n| format!("src/deep/folder/file_{n}.rs")).collect::<Vec<_>>().join(", ");
    let mut desk = undo_all(&format!("all 5 changes of this session: {}", files(5)));
    let text = desk.text();
    assert!(text.contains("file_4.rs?"), "all of it stands in a few rows: {text}");
    assert!(!desk.app.bar_cuts(), "{text}");
    let mut desk = undo_all(&format!("all 60 changes of this session: {}", files(60)));
    let text = desk.text();
    let bar = &text[text.rfind("Take back all 60").unwrap()..];
    assert!(bar.contains("shows all of it") && !bar.contains("file_59"), "{text}");
    assert!(desk.app.bar_cuts(), "{text}");
    desk.press("<backspace><ctrl-t>").wait(1_000).press("y");
    assert!(!said(&desk) && desk.top() == Some("approvals"), "{}", desk.text());
}

#[test]
fn where_a_text_went_is_told_beside_why_a_yes_is_none() {
    let mut desk = gated(60, 20);
    desk.press("<ctrl-t>o").press("and a test");
    let kept = "what you typed there is in the history; Up brings it back";
    desk.press("<ctrl-x>a").wait(1_000).press("y");
    let notice = desk.app.notice.as_ref().unwrap().text.clone();
    assert!(notice.contains("the plan was not on the screen") && notice.contains(kept), "{notice}");
    desk.draw();
    desk.press("<left>");
    let text = desk.text().split_whitespace().filter(|word| *word != "│").collect::<Vec<_>>().join(" ");
    assert!(text.contains(&notice), "two rows are too few for it: {text}");
}

/// A commit of so many files is proposed beside what was said, and the draft is empty.
fn commit(height: u16, files: usize) -> Desk {
    let mut desk = Desk::new(100, height);
    desk.press("what is this?<enter>").deliver();
    desk.reply("A parser.", &[]);
    desk.collect();
    let file = |n| CommitFile {
        path: RelPath::new(&format!("src/file_{n}.rs")).unwrap(),
        kind: ChangeKind::Modify,
        content: None,
        untracked: false,
        mixed: false,
    };
    let tree =
        CommitTree { on: "main".into(), files: (0..files).map(file).collect(), ..CommitTree::default() };
    let message = "Add peek\n\nIt reads without a use.".to_owned();
    let question = CommitQuestion { commit: CallId(800), message, tree };
    let message = question.text();
    let checkpoint = Checkpoint { id: CheckpointId(900), kind: question.into(), message, run: None };
    let event = Event::CheckpointOpened { checkpoint };
    let asked = Stamped { seq: Seq(9_000), at: Millis(1_000), run: None, event };
    desk.app.update(Update::Events(vec![asked]), desk.now);
    desk
}

#[test]
fn gates_of_another_plan_in_the_place_of_one_that_was_read_are_not_read() {
    for replaced in [false, true] {
        let mut desk = gated(100, 30);
        desk.draw();
        for key in ["<pgup>", "<pgup>", "<pgdn>", "<pgdn>", "<pgdn>"] {
            desk.press(key).draw();
        }
        if replaced {
            // Of the same message, with as many rows: another of several that were made, or one that was changed.
            let mut plan = desk.state().plan.clone().unwrap();
            for gate in &mut plan.gates {
                gate.command = gate.command.replacen("touch", "unset", 1);
            }
            let checkpoint = desk.state().phase_question().unwrap().clone();
            let events = [Event::PlanReady { plan }, Event::CheckpointOpened { checkpoint }];
            let stamped = |(n, event)| Stamped { seq: Seq(9_000 + n), at: Millis(1_000), run: None, event };
            desk.app.update(Update::Events((0u64..).zip(events).map(stamped).collect()), desk.now);
            desk.draw();
        }
        desk.wait(1_000).press("y<enter>").draw();
        assert_eq!(said(&desk), !replaced, "{}", desk.text());
    }
}

#[test]
fn a_question_that_stands_whole_in_the_conversation_is_answered_by_a_word() {
    let mut desk = commit(30, 3);
    let text = desk.text();
    assert!(text.contains("It reads without a use") && text.contains("src/file_2.rs (changed)"), "{text}");
    desk.wait(1_000).press("yes").draw();
    assert!(desk.text().contains("answers the question above"), "{}", desk.text());
    desk.press("<enter>");
    assert!(said(&desk), "{}", desk.text());
}

#[test]
fn a_question_of_which_a_row_was_not_drawn_is_opened_by_a_word() {
    // More rows than the screen has: the first of them were never drawn.
    let mut desk = commit(30, 40);
    desk.draw();
    desk.wait(1_000).press("yes").draw();
    let text = desk.text();
    assert!(text.contains("opens the question above") && !text.contains("answers the question"), "{text}");
    desk.press("<enter>");
    assert!(!said(&desk) && desk.top() == Some("approvals"), "{}", desk.text());
    assert!(desk.text().contains("not all of it was on the screen"), "{}", desk.text());
    // Once the rest was turned to, a word is enough.
    let mut desk = commit(30, 40);
    desk.draw();
    for _ in 0..3 {
        desk.press("<pgup>").draw();
    }
    for _ in 0..3 {
        desk.press("<pgdn>").draw();
    }
    desk.wait(1_000).press("yes").draw();
    desk.press("<enter>");
    assert!(said(&desk), "{}", desk.text());
}

#[test]
fn a_question_in_the_conversation_is_not_seen_behind_a_page_nor_in_another_width() {
    let mut desk = commit(30, 3);
    desk.press("<f1>").draw();
    desk.wait(1_000).press("<esc>");
    desk.wait(10).press("yes").draw();
    assert!(desk.text().contains("opens the question above"), "{}", desk.text());
    desk.press("<enter>");
    assert!(!said(&desk), "{}", desk.text());
    // Its last rows were read in one width, its first ones in the other.
    for width in [100, 120] {
        let mut desk = commit(30, 40);
        desk.draw();
        desk.press("<pgup>").draw();
        desk.size = Rect::new(0, 0, width, 30);
        desk.press("<pgup>").draw();
        desk.wait(1_000).press("yes").draw();
        desk.press("<enter>");
        assert_eq!(said(&desk), width == 100, "{width}: {}", desk.text());
    }
}

#[test]
fn what_is_pasted_is_foretold_to_open_and_opens_however_late_enter_comes() {
    let mut desk = commit(30, 3);
    desk.draw();
    desk.wait(1_000);
    desk.app.terminal(&crossterm::event::Event::Paste("yes".into()), desk.now);
    desk.draw();
    assert!(desk.text().contains("opens the question above"), "{}", desk.text());
    desk.wait(1_000).press("<enter>");
    assert!(!said(&desk) && desk.top() == Some("approvals"), "{}", desk.text());
}

#[test]
fn what_enter_does_is_foretold_anew_where_the_words_mean_the_same() {
    let mut desk = commit(30, 40);
    desk.draw();
    desk.wait(1_000).press("yes").draw();
    desk.press(".");
    for _ in 0..2 {
        assert!(desk.text().contains("opens the question above"), "{}", desk.text());
    }
}

#[test]
fn what_came_up_while_a_line_was_written_is_called_that() {
    let mut desk = commit(30, 3);
    desk.draw();
    desk.wait(100).press("yes").draw();
    assert!(desk.text().contains("opens the question above"), "{}", desk.text());
    desk.press("<enter>");
    assert!(!said(&desk) && desk.top() == Some("approvals"), "{}", desk.text());
    let notice = desk.app.notice.as_ref().unwrap().text.clone();
    assert!(notice.contains("it came up while you were typing"), "{notice}");
}

#[test]
fn words_that_take_the_changes_show_what_would_be_written_and_one_key_writes_it() {
    for words in ["yes", "looks good", "Looks good, apply it", "perfect, apply that"] {
        let mut b = Bench::new(100, 30);
        b.desk.draw();
        b.desk.wait(1_000).press(words).draw();
        let text = b.desk.text();
        assert!(text.contains("shows what would be written"), "{words}: {text}");
        b.desk.press("<enter>").deliver();
        assert_eq!(b.desk.app.panes.focus, DIFF, "{words}: {text}");
        let applies = |b: &Bench| b.desk.inputs.iter().any(|i| matches!(i, Input::Apply { .. }));
        assert!(b.desk.app.composer.draft.is_empty() && !applies(&b), "{words}");
        b.desk.draw();
        b.desk.wait(1_000).press("A");
        assert!(applies(&b), "{words}: {}", b.desk.text());
    }
}

#[test]
fn a_no_opens_the_changes_that_wait_and_takes_nothing() {
    for words in ["no", "nope"] {
        let mut b = Bench::new(100, 30);
        b.desk.draw();
        b.desk.wait(1_000).press(words).draw();
        let text = b.desk.text();
        assert!(text.contains("opens the changes"), "{words}: {text}");
        let before = b.desk.state().open_proposals().map(Proposal::tally).collect::<Vec<_>>();
        b.desk.press("<enter>").deliver();
        let text = b.desk.text();
        assert_eq!(b.desk.app.panes.focus, DIFF, "{words}: {text}");
        assert!(b.desk.app.composer.draft.is_empty() && text.contains("decide here: y takes"), "{text}");
        assert!(!text.contains("the changes are waiting in the diff"), "{words}: {text}");
        assert_eq!(b.desk.state().open_proposals().map(Proposal::tally).collect::<Vec<_>>(), before);
        // Once more, there is nothing of it in the conversation.
        b.desk.press("<esc>").wait(1_000).press(words).press("<enter>").deliver();
        assert_eq!(b.desk.text().matches("decide here").count(), 1, "{}", b.desk.text());
    }
}
