//! What is needed to decide is never cut, however narrow the screen: it wraps, or what matters less makes room.

use super::{golden::scenes, promises::red_gate, *};

fn scene(name: &str, width: u16, height: u16) -> Desk {
    scenes::ALL.iter().find(|(scene, _)| *scene == name).unwrap().1(width, height)
}

/// The letters of a text in their order, whatever stands between its rows.
fn bare(text: &str) -> String {
    text.chars().filter(char::is_ascii_alphanumeric).collect()
}

fn sized(desk: &mut Desk, width: u16, height: u16) -> String {
    desk.size = Rect::new(0, 0, width, height);
    desk.text()
}

#[test]
fn what_has_to_be_known_of_a_change_stands_whole_above_it() {
    for (name, told) in [
        ("diff-control-file", "A control file: it instructs agents. Applying it asks for the word control."),
        ("diff-control-word", "AGENTS.md is a control file: it instructs agents. Type control to write it"),
        ("removal", "The whole file is removed; applying that asks for its name first."),
        ("diff-off-plan", "off-plan: step 1 of the plan did not name this file"),
    ] {
        for width in [36, 44, 60, 80] {
            let text = sized(&mut scene(name, 100, 30), width, 24);
            assert!(bare(&text).contains(&bare(told)), "{name} {width}:\n{text}");
        }
    }
}

#[test]
fn a_warning_leaves_the_change_in_sight_and_the_name_of_its_file() {
    for height in [14, 16, 20] {
        let text = sized(&mut scene("diff-control-file", 100, 30), 60, height);
        assert!(
            text.contains("Proposed changes to AGENTS.md") && text.contains("- one"),
            "{height}:\n{text}"
        );
    }
}

#[test]
fn what_the_workbench_may_do_is_told_before_the_names_around_it() {
    let head = |desk: &mut Desk, width: u16| sized(desk, width, 20).lines().next().unwrap().to_owned();
    let mut desk = scene("no-sandbox", 60, 20);
    for width in [60, 64, 80, 120] {
        let head = head(&mut desk, width);
        assert!(head.contains("no sandbox") && head.contains("ask"), "{width}: {head}");
    }
    let mut around = desk.app.world.surroundings.clone();
    around.branch =
        Some("feature/a-rather-long-name-of-a-branch-that-leaves-no-room-for-anything".to_owned());
    desk.app.update(Update::Surroundings(Box::new(around)), desk.now);
    for width in [60, 80] {
        let head = head(&mut desk, width);
        for told in ["inkwell", "feature/", "±3", "no sandbox", "ask"] {
            assert!(head.contains(told), "{width}: {head}");
        }
    }
}

#[test]
fn the_mode_is_the_last_to_leave_the_header() {
    let mut desk = scene("no-sandbox", 60, 20);
    let mut around = desk.app.world.surroundings.clone();
    (around.read_only, around.unsaved) = (true, Some("the disk is full".to_owned()));
    desk.app.update(Update::Surroundings(Box::new(around)), desk.now);
    for width in [60, 64] {
        let head = sized(&mut desk, width, 20).lines().next().unwrap().to_owned();
        assert!(head.contains("not saved") && head.trim_end().ends_with("ask"), "{width}: {head}");
    }
}

#[test]
fn why_something_is_asked_is_read_to_its_end() {
    let last = "change  pilothouse permissions add 'allow command";
    let mut desk = scene("reason", 60, 20);
    let whole = sized(&mut desk, 60, 30);
    assert!(whole.contains(last) && !whole.contains("scroll"), "{whole}");
    let low = sized(&mut desk, 60, 14);
    assert!(!low.contains(last) && low.contains("j k scroll"), "{low}");
    let low = desk.press("G").text();
    assert!(low.contains(last), "{low}");
    assert!(!desk.press("w").text().contains("Why it is asked"), "its key closes it");
}

#[test]
fn every_answer_of_a_question_stands_with_what_it_does() {
    let mut desk = red_gate();
    for (width, height) in [(30, 30), (40, 24), (60, 20), (60, 14), (60, 12), (40, 14)] {
        let text = sized(&mut desk, width, height);
        for answer in ["a auto-fix", "r another way", "s skip", "m manual", "g run again", "q abort"] {
            assert!(text.contains(answer), "{width}x{height} {answer}:\n{text}");
        }
    }
}

#[test]
fn where_a_question_has_no_room_it_says_where_all_of_it_stands() {
    let mut desk = Desk::new(60, 20);
    desk.press("look around<enter>").deliver();
    let choices: Vec<String> = (1..=9).map(|n| format!("the choice of number {n}")).collect();
    let args = serde_json::json!({ "question": "Which?", "choices": choices }).to_string();
    desk.reply("", &[("ask_user", &args)]);
    desk.collect();
    assert!(!desk.text().contains("shows all of it"), "{}", desk.text());
    let text = sized(&mut desk, 60, 12);
    assert!(text.contains("Ctrl-X a shows all of it") && text.contains("number 1"), "{text}");
}

#[test]
fn what_is_said_beside_a_pane_that_hides_it_is_counted_at_its_name() {
    for (width, height) in [(60, 20), (50, 20), (80, 24)] {
        let mut desk = Desk::new(width, height).with_plan();
        desk.draw();
        desk.wait(1_000).press("<enter>").deliver();
        let text = desk.wait(1_000).press("<ctrl-t>").text();
        assert_eq!(desk.app.panes.shown, 1, "{text}");
        assert!(!desk.text().contains(" new"), "{}", desk.text());
        desk.reply("I read it first.", &[("read", r#"{"path":"src/a.rs"}"#)]);
        let text = desk.text();
        assert!(text.lines().take(3).any(|row| row.contains("1 new")), "{width}: {text}");
        desk.press("<esc>");
        assert!(!desk.text().contains(" new"), "{}", desk.text());
    }
}

#[test]
fn what_comes_of_a_message_is_on_the_screen_where_one_pane_is() {
    for (width, shown) in [(60, 0), (120, 1)] {
        let mut desk = Desk::new(width, 20).with_plan();
        desk.wait(1_000).press("<ctrl-t>").wait(1_000).press("how does it work?");
        let text = desk.text();
        assert_eq!((desk.app.panes.focus, desk.app.panes.shown), (Focus::Composer, 1), "{text}");
        let text = desk.wait(1_000).press("<enter>").text();
        assert_eq!(desk.app.panes.shown, shown, "{text}");
    }
}

#[test]
fn a_long_draft_says_what_of_it_stands_above_and_takes_half_of_the_screen() {
    let mut desk = Desk::new(80, 24);
    let lines: Vec<String> = (1..=14).map(|n| format!("row {n} of the log")).collect();
    desk.app.composer.draft.set(Saved::plain(lines.join("\n")));
    let text = desk.text();
    let at = text.lines().position(|row| row.contains("↑ 3 more")).unwrap_or_else(|| panic!("{text}"));
    let below: Vec<&str> = text.lines().skip(at + 1).collect();
    assert!(below[0].contains("row 4 of the log") && below[10].contains("row 14"), "{text}");
    assert!(!text.contains('›'), "its first line is not seen: {text}");
    desk.app.composer.draft.to_head();
    let text = desk.text();
    assert!(text.contains("› row 1 of the log") && text.contains("↓ 3 more"), "{text}");
    assert!(!text.contains("row 12 of") && !text.contains('↑'), "{text}");
}
