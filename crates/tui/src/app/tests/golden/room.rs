//! What stays in sight where there is little room, in the scenes that are kept as frames.

use pilothouse_core::{
    blob::Blob,
    tool::{ChangeKind, ProposalDraft, Redraft},
};

use super::*;

/// A scene by its name at any size.
fn scene(name: &str, width: u16, height: u16) -> Desk {
    let (_, make) = scenes::ALL.iter().find(|(n, _)| *n == name).unwrap();
    make(width, height)
}

fn shown(desk: &mut Desk) -> String {
    crate::story::text(&desk.draw().0).join("\n")
}

/// The same in one line, without frames and the blanks of wrapped rows.
fn flowing(text: &str) -> String {
    let plain: String = text.chars().map(|c| if "│╭╮╰╯─".contains(c) { ' ' } else { c }).collect();
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn where_rows_are_left_no_title_of_a_run_is_cut_and_nothing_of_what_is_at_stake() {
    for width in [40, 60, 80, 100] {
        let mut desk = scene("runs", width, 50);
        let stake = ["a plan (1 of 5 done)", "3 proposals that nobody decided", "a command that runs"];
        desk.app.runs[1].info.stake = stake.map(str::to_owned).to_vec();
        let text = shown(&mut desk);
        for whole in ["endpoint", "nobody decided, a command that runs", "git push --force origin main?"] {
            assert!(flowing(&text).contains(whole), "{width} {whole}: {text}");
        }
    }
    // Where all have no room, the one that is chosen has it.
    let mut desk = scene("runs", 60, 20);
    let text = shown(&mut desk);
    assert!(flowing(&text).contains("Port the store · run cargo build --tests"), "{text}");
}

#[test]
fn what_a_yes_does_not_allow_is_seen_however_short_the_plan_pane_is() {
    for (width, height) in [(60, 14), (60, 20), (80, 16), (100, 16)] {
        let mut desk = scene("plan-focused", width, height);
        let text = shown(&mut desk);
        assert!(text.contains("Not allowed  delete, reach the network"), "{width}x{height}: {text}");
        // It stays while the steps move.
        desk.press("jjj");
        assert!(shown(&mut desk).contains("Not allowed  delete, reach the network"));
    }
    let text = shown(&mut scene("plan-focused", 60, 20));
    assert!(text.contains("tests  cargo test"), "the gates are part of what is approved: {text}");
}

#[test]
fn the_sheet_that_applies_stands_above_the_hunk_it_is_about() {
    for (width, height) in [(60, 20), (80, 24), (100, 30), (160, 45)] {
        let text = shown(&mut scene("diff-sheet", width, height));
        assert!(text.contains("Apply all files atomically"), "{text}");
        assert!(!text.contains("a asks to apply"), "a key of the diff does nothing here: {text}");
        assert!(text.contains("@@ -1,4 +1,4 @@") && text.contains("+ ONE"), "{width}x{height}: {text}");
    }
    // Closed again, everything stands where it stood.
    let mut desk = scene("diff", 80, 24);
    let before = shown(&mut desk);
    desk.wait(1_000).press("A");
    assert_ne!(shown(&mut desk), before);
    desk.press("j");
    assert_eq!(shown(&mut desk), before);
}

#[test]
fn the_key_that_applies_all_is_named_at_every_width() {
    for (width, height) in [(60, 20), (80, 24), (100, 30), (160, 45)] {
        let text = shown(&mut scene("diff", width, height));
        assert!(text.contains("A all") || text.contains("A apply all"), "{width}: {text}");
    }
}

#[test]
fn a_hunk_that_was_edited_or_commented_says_so_in_list_and_header() {
    for (width, height) in [(60, 20), (100, 30), (160, 45)] {
        let mut desk = scene("diff", width, height);
        let p = desk.state().open_proposals().next().unwrap();
        let (id, shown_hash) = (p.id, p.shown());
        desk.give(Input::Comment { proposal: id, hunk: 0, shown: shown_hash, text: "why?".into() });
        let text = shown(&mut desk);
        let commented = text.matches("commented").count();
        assert_eq!(commented, if width == 160 { 2 } else { 1 }, "list and header: {text}");
        let lines =
            |first: &str, last: &str| format!("{first}\n2\n3\n4\n5\n6\n7\n8\n9\n{last}\n").into_bytes();
        let (before, after) = (lines("one", "ten"), lines("ONE", "ten!"));
        let draft = ProposalDraft {
            notes: Vec::new(),
            path: desk.state().proposals()[&id].path.clone(),
            kind: ChangeKind::Modify,
            hunks: pilothouse_core::diff::hunks(&before, &after),
            before: Some(Blob::new(before)),
            after: Some(Blob::new(after)),
        };
        let shown_now = desk.state().proposals()[&id].shown();
        let redraft = Redraft { draft, same: Vec::new() };
        desk.give(Input::EditProposal { proposal: id, redraft, shown: shown_now });
        let text = shown(&mut desk);
        let edited = text.matches("edited").count();
        assert!(edited >= if width == 160 { 2 } else { 1 }, "{width}: {text}");
    }
}

#[test]
fn a_merge_says_at_once_that_it_looks() {
    let mut desk = scene("runs-orphaned", 100, 30);
    desk.press("M");
    assert!(shown(&mut desk).contains("you are asked first"), "{}", shown(&mut desk));
}

#[test]
fn an_order_of_which_nothing_came_is_not_done() {
    let mut desk = scene("runs", 100, 30);
    desk.app.runs[5].info.status = pilothouse_core::runs::RunStatus::Ended;
    (desk.app.runs[5].info.done, desk.app.runs[5].info.steps) = (0, 0);
    let text = shown(&mut desk);
    let row = text.lines().position(|l| l.contains("Explain the lock order")).unwrap();
    let rows: Vec<&str> = text.lines().skip(row).take(2).collect();
    assert!(rows[0].contains("– ended") && rows[1].contains("nothing came of it"), "{rows:?}");
}

#[test]
fn a_question_of_a_pipeline_ends_with_what_came_of_it() {
    let text = shown(&mut scene("research-leaving", 100, 30));
    assert!(text.contains("asked whether to leave") && !text.contains("stopped"), "{text}");
}

#[test]
fn only_the_lines_of_a_diff_are_red_or_green_on_the_sheet_of_a_folder() {
    let mut desk = scene("trust-sheet", 100, 30);
    let (buf, _) = desk.draw();
    let theme = &desk.app.looks.theme;
    let ink = |sign: &str| {
        let rows = crate::story::text(&buf);
        let y = rows.iter().position(|l| l.contains(sign)).unwrap();
        let x = rows[y].chars().position(|c| c == sign.chars().next().unwrap()).unwrap();
        buf[(u16::try_from(x).unwrap(), u16::try_from(y).unwrap())].fg
    };
    assert_eq!(Some(ink("-after_edit")), theme.style(Slot::Bad).fg);
    assert_eq!(Some(ink("+after_edit")), theme.style(Slot::Ok).fg);
    assert_ne!(Some(ink("---")), theme.style(Slot::Bad).fg);
    assert_ne!(Some(ink("- keep it short")), theme.style(Slot::Bad).fg);
}

#[test]
fn the_palette_does_not_list_itself_and_its_line_is_cleared_as_every_line_is() {
    let mut desk = scene("palette", 100, 30);
    let text = shown(&mut desk);
    assert!(!text.contains("find a command"), "{text}");
    desk.press("theme");
    assert_ne!(shown(&mut desk), text);
    desk.press("<ctrl-u>");
    assert_eq!(shown(&mut desk), text);
}
