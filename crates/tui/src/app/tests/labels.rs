//! Keys that are named do something where they are named, and what says that there is more can be turned on.

use super::{review::Bench, *};
use crate::row::uncoded;

/// The keys in the lower border of the page that lies on top.
fn border(desk: &mut Desk) -> String {
    let text = desk.text();
    let row = text.lines().rev().find(|row| row.contains('╰'));
    row.unwrap_or_else(|| panic!("no border: {text}")).to_owned()
}

#[test]
fn a_page_names_the_keys_that_scroll_only_where_it_scrolls() {
    for (width, height, scrolls) in [(140, 70, false), (60, 20, true)] {
        let mut desk = Desk::new(width, height);
        desk.press("<f1>");
        let keys = border(&mut desk);
        assert_eq!(keys.contains("scroll"), scrolls, "{width}x{height} {keys}");
        let before = desk.text();
        desk.press("<down>");
        assert_eq!(desk.text() != before, scrolls, "{width}x{height}");
    }
}

#[test]
fn the_palette_says_whether_enter_runs_or_only_writes() {
    let mut desk = Desk::new(100, 30);
    desk.press("<ctrl-p>/status");
    assert!(desk.text().contains("Enter type it in the draft"), "{}", desk.text());
    desk.press("<enter>");
    assert_eq!(desk.app.composer.draft.shown().trim(), "/status");
    let mut desk = Desk::new(100, 30);
    desk.press("<ctrl-p>next pane");
    assert!(desk.text().contains("Enter run"), "{}", desk.text());
    desk.press("xyzzy");
    assert!(!border(&mut desk).contains("Enter"), "nothing is found");
}

#[test]
fn a_list_of_one_names_no_key_that_chooses_another() {
    let mut desk = Desk::new(100, 30);
    desk.press("run the tests<enter>").deliver();
    desk.reply("", &[("run", r#"{"command":"make one"}"#)]);
    desk.collect();
    desk.wait(900).press("<ctrl-x>a");
    assert_eq!(desk.top(), Some("approvals"));
    assert!(!border(&mut desk).contains("j k"), "{}", desk.text());
}

#[test]
fn what_of_a_question_finds_no_room_in_the_list_is_turned_to() {
    let mut desk = Desk::new(60, 20);
    desk.press("run the tests<enter>").deliver();
    let long: Vec<String> = (0..60).map(|n| format!("word-{n}")).collect();
    let args = serde_json::json!({ "command": format!("make {} the-end", long.join(" ")) }).to_string();
    desk.reply("", &[("run", &args)]);
    desk.collect();
    desk.wait(900).press("<ctrl-x>a");
    let text = desk.text();
    assert!(text.contains("PgDn goes on") && !text.contains("the-end"), "{text}");
    let answered = |desk: &Desk| desk.inputs.iter().any(|i| matches!(i, Input::Answer { .. }));
    desk.wait(900).press("y");
    assert!(!answered(&desk) && desk.text().contains("PgDn shows it"), "{}", desk.text());
    for _ in 0..30 {
        desk.press("<pgdn>");
    }
    let text = desk.text();
    assert!(!text.contains("PgDn goes on"), "{text}");
    let seen = |desk: &mut Desk| desk.text().contains("make word-0");
    assert!(!seen(&mut desk));
    for _ in 0..30 {
        desk.press("<pgup>");
    }
    assert!(seen(&mut desk), "{}", desk.text());
    desk.wait(900).press("y");
    assert!(answered(&desk), "it was read to its end: {}", desk.text());
}

#[test]
fn the_answers_of_a_question_that_stands_aside_are_not_named() {
    let mut desk = Desk::new(100, 30).with_plan();
    assert!(desk.text().contains("[y/n/suggest]"));
    desk.give(Input::say("/exit"));
    let text = desk.text();
    assert!(text.contains("Leave?") && !text.contains("[y/n/suggest]"), "{text}");
}

#[test]
fn a_long_question_is_wrapped_to_its_end() {
    for (width, height) in [(60, 20), (100, 30)] {
        let mut desk = Desk::new(width, height);
        desk.press("look around<enter>").deliver();
        let question = "Which of the very many ways to go on from here do you think would be the one that is best \
                        for everybody who reads this code later, and why would that be so in the end?";
        let args = serde_json::json!({ "question": question, "choices": ["one", "two"] }).to_string();
        desk.reply("", &[("ask_user", &args)]);
        desk.collect();
        let text = desk.text();
        let rows: Vec<&str> = text.lines().collect();
        let at = rows.iter().rposition(|row| row.contains("Which of the very")).unwrap();
        let bare = |text: &str| text.split(|c: char| !c.is_ascii_alphanumeric()).collect::<String>();
        assert!(bare(&rows[at..].concat()).starts_with(&bare(question)), "{rows:#?}");
    }
}

#[test]
fn a_long_choice_is_whole_in_the_question_in_the_list_and_in_the_answered_card() {
    let long = "the word in the second paragraph of README.md, and the same word again in the table that stands below its \
                third heading, with the note about how the two differ at their ends";
    let bare = |text: &str| text.split(|c: char| !c.is_ascii_alphanumeric()).collect::<String>();
    for (width, height) in [(60, 30), (100, 30), (160, 50)] {
        let mut desk = Desk::new(width, height);
        desk.press("look around<enter>").deliver();
        let args = serde_json::json!({ "question": "Which?", "choices": [long, "two", "three"] }).to_string();
        desk.reply("", &[("ask_user", &args)]);
        desk.collect();
        let times = |desk: &mut Desk| bare(&desk.text()).matches(&bare(long)).count();
        assert_eq!(times(&mut desk), 1, "in the bar alone, {width}: {}", desk.text());
        let text = desk.text();
        let row = text.lines().find(|row| row.contains("1  the word")).unwrap();
        let below = text.lines().skip_while(|other| *other != row).nth(1).unwrap();
        let column = |row: &str| row.chars().take_while(|c| !c.is_ascii_alphabetic()).count();
        assert_eq!(column(row), column(below), "{text}");
        desk.wait(900).press("<ctrl-x>a").wait(900);
        assert!(desk.text().contains("1-4 choose"), "{}", desk.text());
        assert!(times(&mut desk) >= 1, "{width}: {}", desk.text());
        desk.press("q").wait(900).press("1<enter>").deliver();
        // What is settled is one row, and its end is cut.
        let text = desk.text();
        assert!(text.contains("Which? – the word in the") && times(&mut desk) < 2, "{width}: {text}");
    }
}

#[test]
fn a_file_has_one_row_in_the_sheet_of_all() {
    let mut bench = Bench::new(100, 30);
    bench.press("<ctrl-x>d");
    bench.press("y");
    bench.press("A");
    let text = bench.desk.text();
    let sheet: Vec<&str> =
        text.lines().filter(|row| row.contains("src/a.rs") && row.contains("undecided")).collect();
    assert_eq!(sheet.len(), 1, "{text}");
    assert!(sheet[0].contains("1 of 2 hunks taken, 1 undecided"), "{text}");
}

#[test]
fn marks_of_code_and_names_that_are_commands_are_not_drawn_twice() {
    let plan = r#"{"title":"Rename `Store`","tasks":[{"title":"Rename `Store` to `Shelf`","kind":"modify"}],
        "gates":[{"name":"cargo test","command":"cargo test"}]}"#;
    let mut desk = Desk::new(100, 30).planned(plan);
    let text = desk.text();
    assert!(text.contains(&uncoded("Rename `Store` to `Shelf`")) && !text.contains("`Shelf`"), "{text}");
    assert!(!text.contains("cargo test  cargo test"), "{text}");
}

#[test]
fn a_window_that_is_looked_at_again_looks_at_what_others_changed() {
    let mut desk = Desk::new(100, 30);
    desk.app.terminal(&crossterm::event::Event::FocusLost, desk.now);
    desk.collect();
    assert_eq!(desk.looks_again, 0);
    desk.app.terminal(&crossterm::event::Event::FocusGained, desk.now);
    desk.collect();
    assert_eq!(desk.looks_again, 1);
}

#[test]
fn what_enter_does_is_said_once() {
    for width in [160, 100, 80] {
        let mut desk = Desk::new(width, 30).with_plan();
        let text = desk.text();
        assert_eq!(text.matches("Enter ").count(), 1, "{text}");
        assert!(text.contains("Enter approves the plan"), "{text}");
    }
}

#[test]
fn the_letters_in_the_bar_are_lit_where_they_answer_at_once() {
    let mut desk = Desk::new(100, 30).with_plan();
    let lit = |desk: &mut Desk| {
        let (buf, _) = desk.draw();
        let row = rows(&buf).iter().position(|row| row.contains("y run the plan")).unwrap();
        let at = rows(&buf)[row].chars().position(|c| c == 'y').unwrap();
        let accent = desk.app.looks.theme.style(crate::theme::Slot::Accent).fg;
        Some(buf[(u16::try_from(at).unwrap(), u16::try_from(row).unwrap())].fg) == accent
    };
    assert!(!lit(&mut desk));
    desk.press("<ctrl-t>");
    assert!(lit(&mut desk), "{}", desk.text());
}

#[test]
fn why_in_the_diff_is_of_the_change_and_not_of_the_message() {
    let mut bench = Bench::new(100, 30);
    bench.press("<ctrl-x>d}w");
    let text = bench.desk.text();
    assert!(text.contains("Why it is asked") && text.contains("src/b.rs"), "{text}");
    assert!(!text.contains("Why this path"), "{text}");
}

#[test]
fn why_at_a_red_gate_is_what_it_said() {
    let mut desk = super::promises::red_gate();
    desk.press("<ctrl-t>");
    for _ in 0..9 {
        desk.press("j");
    }
    desk.press("w");
    let text = desk.text();
    assert!(text.contains("Why the gate is red") && text.contains("exit 1"), "{text}");
}

#[test]
fn the_list_of_what_is_told_names_keys_where_they_act_and_the_cause_below_it() {
    use pilothouse_core::{
        ids::Seq,
        port::{ContextPart, ContextSheet},
    };
    let part = |entry: u64, kind, head: &str, why| ContextPart {
        entry: (entry > 0).then_some(Seq(entry)),
        kind,
        head: head.to_owned(),
        tokens: 4_712,
        before: 4_712,
        mark: None,
        why,
    };
    let mut desk = Desk::new(100, 30);
    desk.press("/context<enter>");
    desk.collect();
    let parts = vec![part(0, "prompt", "the words", "why one"), part(4, "you", "a word", "why two")];
    let sheet = ContextSheet { parts, tokens: 9_424, window: 200_000, trouble: None };
    desk.app.update(Update::Answered(desk.number, Reply::Context(Box::new(sheet))), desk.now);
    assert!(!border(&mut desk).contains("p pin"), "{}", desk.text());
    let text = desk.text();
    assert!(text.find("the words") < text.find("why one"), "{text}");
    assert!(text.contains("about 9,424 of 200,000 tokens (4 %), estimated at four bytes each"), "{text}");
    assert!(text.contains("▸   4,712  prompt"), "{text}");
    desk.press("j");
    assert!(border(&mut desk).contains("p pin  d drop"), "{}", desk.text());
}

#[test]
fn at_a_red_gate_a_run_is_not_back_at_the_beginning_of_its_path() {
    let mut desk = super::promises::red_gate();
    let (buf, _) = desk.draw();
    let all = rows(&buf);
    let y = all.iter().position(|row| row.contains("Path: Conversation")).unwrap();
    let x = all[y]
        .chars()
        .collect::<Vec<_>>()
        .windows(4)
        .position(|w| w.iter().collect::<String>() == "Conv")
        .unwrap();
    let accent = desk.app.looks.theme.style(crate::theme::Slot::Accent).fg;
    let fg = buf[(u16::try_from(x).unwrap(), u16::try_from(y).unwrap())].fg;
    assert_ne!(Some(fg), accent, "{}", all.join("\n"));
}

#[test]
fn a_plan_is_asked_about_once_and_why_is_named_where_something_was_asked() {
    let mut desk = Desk::new(100, 30).with_plan();
    let text = desk.text();
    assert_eq!(text.matches("Proceed?").count(), 1, "{text}");
    let keys = |desk: &mut Desk| {
        let text = desk.press("<ctrl-x>c").text();
        let row = text.lines().rev().find(|row| row.contains("j/k scroll"));
        row.unwrap_or_else(|| panic!("no keys: {text}")).to_owned()
    };
    assert!(!keys(&mut desk).contains("w why"), "{}", desk.text());
    let mut desk = Desk::new(100, 30);
    desk.press("run the tests<enter>").deliver();
    desk.reply("", &[("run", r#"{"command":"make test"}"#)]);
    desk.collect();
    assert!(keys(&mut desk).contains("w why"), "{}", desk.text());
}

#[test]
fn the_mark_before_a_draft_can_be_read_whatever_has_the_keys() {
    let mut desk = Desk::new(100, 30).with_plan();
    desk.press("<ctrl-t>");
    let (buf, _) = desk.draw();
    let y = rows(&buf).iter().position(|row| row.starts_with("▎ ›")).unwrap();
    let cell = &buf[(2, u16::try_from(y).unwrap())];
    assert!(crate::theme::tests::contrast(cell.fg, cell.bg) >= 4.5, "{:?} on {:?}", cell.fg, cell.bg);
}

#[test]
fn what_is_asked_in_several_lines_stands_in_as_many_in_the_list() {
    let mut desk = Desk::new(60, 24);
    desk.press("look around<enter>").deliver();
    let args =
        serde_json::json!({ "question": "Which of these?\nThe first is old.", "choices": ["one", "two"] });
    desk.reply("", &[("ask_user", &args.to_string())]);
    desk.collect();
    desk.wait(900).press("<ctrl-x>a").wait(900);
    let text = desk.text();
    assert!(text.contains("Which of these?  ") && !text.contains('␊'), "{text}");
}

#[test]
fn no_edge_of_the_bar_stands_out_below_a_window() {
    let mut covered = 0;
    for (page, height) in (20..56).flat_map(|height| [("<ctrl-p>", height), ("<f1>", height)]) {
        let mut b = super::review::Bench::new(100, height);
        b.press(page);
        let text = b.desk.text();
        let from = text.lines().position(|row| row.contains("Esc close")).unwrap();
        let below: Vec<&str> = text.lines().skip(from + 1).collect();
        if !below.iter().any(|row| row.contains("wait for your decision")) {
            covered += 1;
            assert!(!below.iter().any(|row| row.trim() == "▎"), "{height}: {text}");
        }
    }
    assert!(covered > 0, "the window lies over the bar somewhere");
}
