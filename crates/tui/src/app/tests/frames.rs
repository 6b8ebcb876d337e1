//! What is drawn, text and style, at several sizes.

use ratatui::style::Modifier;

use super::*;
use crate::theme::Slot;

fn at(desk: &mut Desk, width: u16, height: u16) -> Vec<String> {
    desk.size = Rect::new(0, 0, width, height);
    let (buf, _) = desk.draw();
    rows(&buf)
}

#[test]
fn the_first_screen_is_calm_and_says_what_can_be_done() {
    let mut desk = Desk::new(120, 40);
    let rows = at(&mut desk, 120, 40);
    assert!(rows[0].starts_with(" pilothouse  inkwell  main ±3"));
    assert!(rows[0].ends_with("gpt-5-mini · ask"));
    assert!(rows.iter().any(|r| r.contains("Nothing is written until you approve it.")));
    assert!(!rows.iter().any(|r| r.contains('╭')), "no borders while there is nothing to divide");
    assert_eq!(rows[37], "▎ › Ask about inkwell or describe a change");
    assert_eq!(rows[39], "[EXPLORE] idle");
}

#[test]
fn the_waiting_plan_has_its_bar_and_the_draft_keeps_the_caret() {
    let mut desk = Desk::new(120, 40).with_plan();
    desk.press("does it");
    for width in [60, 80, 100, 120, 160] {
        let rows = at(&mut desk, width, 40);
        let bar = rows.iter().position(|r| r.contains("★ Proceed? [Y/n/edit]")).unwrap();
        assert!(bar > 30, "{width}");
        assert!(rows[37].starts_with("▎ › does it"), "{width}: {}", rows[37]);
        assert!(rows[39].starts_with("[EXPLORE] awaiting_approval"), "{width}: {}", rows[39]);
        let flags = ["⚑ 1", "⚑ 1 waiting", "⚑ 1 waiting since 00:00"];
        assert!(flags.iter().any(|f| rows[39].ends_with(f)), "{width}: {}", rows[39]);
        let (_, caret) = desk.draw();
        assert_eq!(caret, Some((11, 37)), "{width}");
    }
    assert!(at(&mut desk, 120, 40).join("\n").contains("y run the plan   n change it   e edit steps"));
}

#[test]
fn panes_stand_side_by_side_in_tabs_or_alone() {
    let mut desk = Desk::new(120, 40).with_plan();
    let wide = at(&mut desk, 100, 30).join("\n");
    assert!(wide.contains("╭ Conversation") && wide.contains("╭ Plan"));
    let tabs = at(&mut desk, 80, 24);
    assert!(tabs[1].starts_with(" Conversation   Plan 0/3"), "{}", tabs[1]);
    assert!(tabs[2].contains('━'));
    let one = at(&mut desk, 50, 20);
    assert!(one[0].starts_with("‹ ") && one[0].ends_with('›'), "{}", one[0]);
    let tiny = at(&mut desk, 20, 6);
    assert!(tiny[5].starts_with("[EXPLORE]"));
    assert_eq!(at(&mut desk, 1, 1).len(), 1);
    assert_eq!(at(&mut desk, 0, 0).len(), 0);
}

#[test]
fn exactly_the_focused_pane_is_lit() {
    let mut desk = Desk::new(120, 40).with_plan();
    let accent = desk.app.looks.theme.style(Slot::Accent).fg;
    let lit = |desk: &mut Desk| {
        let (buf, _) = desk.draw();
        let plan = desk.app.panes.areas.panes[1];
        [(0, 1), (plan.x, plan.y), (0, 37)].map(|p| buf[p].style().fg == accent)
    };
    assert_eq!(lit(&mut desk), [false, false, true]);
    desk.press("<ctrl-t>");
    assert_eq!(lit(&mut desk), [false, true, false]);
    desk.press("<tab><tab>");
    assert_eq!(lit(&mut desk), [true, false, false]);
}

#[test]
fn mode_and_keys_carry_their_meaning_in_style_too() {
    let mut desk = Desk::new(120, 40).with_plan();
    let (buf, _) = desk.draw();
    let explore = buf[(0, 39)].style();
    assert_eq!(explore.fg, desk.app.looks.theme.style(Slot::Info).fg);
    assert!(explore.add_modifier.contains(Modifier::BOLD));
    let y = (30..37).find(|y| rows(&buf)[usize::from(*y)].contains("Proceed?")).unwrap();
    assert_eq!(buf[(1, y)].style().bg, desk.app.looks.theme.fill(Slot::Raised).bg);
}

#[test]
fn the_draft_says_where_it_would_go() {
    let mut desk = Desk::new(120, 40);
    desk.press("add rate limiting to the login endpoint");
    let rows = at(&mut desk, 120, 40);
    assert!(rows[38].contains("Path: Conversation → Act → Write"), "{}", rows[38]);
    assert!(rows[38].contains("asks before writing"), "{}", rows[38]);
}

#[test]
fn the_draft_grows_with_its_lines_and_the_status_line_never_moves() {
    let mut desk = Desk::new(120, 40);
    desk.press("1<ctrl-j>2<ctrl-j>3");
    let rows = at(&mut desk, 120, 40);
    assert_eq!((rows[35].as_str(), rows[37].as_str()), ("▎ › 1", "▎   3"));
    desk.press("<ctrl-j>4<ctrl-j>5<ctrl-j>6<ctrl-j>7<ctrl-j>8<ctrl-j>9<ctrl-j>10");
    let rows = at(&mut desk, 120, 40);
    assert_eq!((rows[37].as_str(), rows[28].as_str()), ("▎   10", "▎ › 1"));
    assert!(rows[39].starts_with("[EXPLORE] idle"));
}

#[test]
fn overlays_put_one_thing_in_colour() {
    let mut desk = Desk::new(120, 40).with_plan();
    desk.press("<ctrl-p>");
    let (buf, caret) = desk.draw();
    let faint = desk.app.looks.theme.style(Slot::Faint).fg;
    assert_eq!(buf[(1, 0)].style().fg, faint);
    assert!(rows(&buf).iter().any(|r| r.contains("╭ Commands ")));
    assert!(caret.is_some());
    desk.press("zzzz");
    assert!(desk.text().contains("No match for \"zzzz\""));
}

#[test]
fn help_is_written_from_the_keymap() {
    let mut desk = Desk::new(120, 40);
    desk.app.take_keymap("[anywhere]\nplan = \"f7\"\n");
    desk.press("<f1>");
    let text = desk.text();
    assert!(text.contains("F7") && text.contains("plan"));
    assert!(text.contains("from your keymap · 1 yours"));
}

#[test]
fn what_git_is_in_the_middle_of_is_told_apart_from_what_changed() {
    let mut desk = Desk::new(120, 20);
    for (branch, told) in
        [("main, merge under way, 1 file in conflict", "1 file in conflict, ±3"), ("main", "main ±3")]
    {
        let around = Surroundings { branch: Some(branch.into()), dirty: 3, ..Surroundings::default() };
        desk.app.update(Update::Surroundings(Box::new(around)), desk.now);
        assert!(desk.text().contains(told), "{}", desk.text());
    }
}

#[test]
fn a_key_that_gave_way_to_the_users_file_is_told() {
    let mut desk = Desk::new(140, 30).with_plan();
    desk.app.take_keymap("[plan]\npause = \"q\"\n");
    let text = desk.text();
    assert!(text.contains("your keymap: q in plan is pause, not back"), "{text}");
}

#[test]
fn the_keys_after_the_leader_are_shown_when_one_hesitates() {
    let mut desk = Desk::new(120, 40);
    desk.press("<ctrl-x>");
    assert!(!desk.text().contains("a → approvals"));
    assert_eq!(desk.app.alarm(), Some(desk.now + WHICH_KEY));
    desk.wait(400);
    assert!(desk.text().contains("a → approvals"));
    desk.press("a");
    assert_eq!(desk.app.alarm(), None);
    assert!(desk.text().contains("Nothing waits on you."));
}

#[test]
fn nothing_moves_and_nothing_is_due_while_nothing_runs() {
    let mut desk = Desk::new(120, 40).with_plan();
    assert!(!desk.app.animated(), "it waits on the user: the spinner stands still");
    assert_eq!(desk.app.alarm(), None);
    desk.wait(1_000).press("what is it<enter>").deliver();
    assert!(desk.app.animated());
}

#[test]
fn conversation_only_has_its_mark_until_it_is_left() {
    let mut desk = Desk::new(120, 40);
    desk.press("/chat<enter>").deliver();
    assert!(at(&mut desk, 120, 40)[0].ends_with("talk only · ask"), "{}", at(&mut desk, 120, 40)[0]);
    desk.press("/auto<enter>").deliver();
    assert!(!at(&mut desk, 120, 40)[0].contains("talk only"));
}

#[test]
fn hostile_names_cannot_leave_their_place() {
    let mut desk = Desk::new(120, 40);
    let around = Surroundings {
        folder: "in\u{1b}[2Jkwell\u{202e}".into(),
        branch: Some("ma\nin".into()),
        ..Surroundings::default()
    };
    desk.app.update(Update::Surroundings(Box::new(around)), desk.now);
    desk.app.update(Update::Refused("no\u{1b}]0;x\u{7}".into()), desk.now);
    assert!(!desk.text().contains(['\u{1b}', '\u{202e}', '\u{7}']));
}

#[test]
fn the_bar_names_no_key_that_nothing_is_bound_to() {
    for (keys, names) in [("", true), ("[anywhere]\nplan = []\n", false)] {
        let mut desk = Desk::new(140, 30).with_plan();
        desk.app.take_keymap(keys);
        desk.app.composer.draft.set(Saved::plain("a word of mine"));
        desk.draw();
        let text = desk.text();
        let bar = text.lines().find(|row| row.contains("Proceed?")).unwrap_or_default();
        assert!(bar.contains("y run the plan"), "{text}");
        assert_eq!(bar.contains("Ctrl-T y approves"), names, "{bar}");
        assert_eq!(bar.contains("approves"), names, "{bar}");
    }
}
