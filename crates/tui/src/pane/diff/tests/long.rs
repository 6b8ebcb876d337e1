//! Hunks that are longer than the pane.

use super::*;

/// A new file of so many lines, the one with this number as long as `columns`.
fn new_file(lines: usize, (at, columns): (usize, usize)) -> Screen {
    let line =
        |n| if n == at { format!("line {n} {}\n", "w".repeat(columns)) } else { format!("line {n}\n") };
    changed("", &(0..lines).map(line).collect::<String>())
}

fn changed(before: &str, after: &str) -> Screen {
    let mut s = Screen::new();
    s.tell(lane(1, LaneKind::Task(TaskId(2)), IntentNode::Modify));
    s.propose(20, "notes.txt", before, after);
    s.tell(review(30, &[20]));
    s.draw(72, 20);
    s
}

/// The lines that are marked on the screen.
fn marked(s: &mut Screen) -> Vec<String> {
    let rows = s.text(72, 20);
    let lit = rows.into_iter().filter(|r| r.starts_with('▸') && !r.contains("@@"));
    lit.map(|r| r.trim_start_matches('▸').split_whitespace().skip(2).collect::<Vec<_>>().join(" ")).collect()
}

/// What the key decides: which of the lines.
fn decided(outcome: &Outcome) -> Option<std::ops::Range<usize>> {
    match outcome.inputs.as_slice() {
        [Input::DecideLines { lines, .. }] => Some(lines.clone()),
        _ => None,
    }
}

#[test]
fn the_line_at_the_cursor_is_on_the_screen_however_long_the_hunk_and_its_lines_are() {
    let mut s = new_file(60, (30, 200));
    s.act(DiffAction::Lines);
    for n in 0..60 {
        let shown = marked(&mut s);
        assert!(shown.first().is_some_and(|row| row.starts_with(&format!("line {n}"))), "{n}: {shown:?}");
        assert_eq!(n == 30, shown.len() > 1, "a long line stands whole: {shown:?}");
        s.act(DiffAction::Down);
    }
    for n in (0..59).rev() {
        s.act(DiffAction::Up);
        let shown = marked(&mut s);
        assert!(shown.first().is_some_and(|row| row.starts_with(&format!("line {n}"))), "{n}: {shown:?}");
    }
}

#[test]
fn scrolling_moves_neither_the_chosen_lines_out_of_sight_nor_to_another_hunk() {
    let mut s = changed(&"a\n".repeat(90), &["A\n".repeat(30), "a\n".repeat(90), "B\n".repeat(30)].concat());
    s.act(DiffAction::Lines);
    let hunk = s.pane.hunk;
    s.pane.wheel(70, &s.story.ctx());
    assert_eq!((s.pane.hunk, marked(&mut s)), (hunk, vec!["A".to_owned()]));
}

#[test]
fn no_line_is_decided_that_was_not_on_the_screen_since_lines_are_chosen() {
    let mut s = new_file(60, (60, 0));
    s.act(DiffAction::Lines);
    s.draw(72, 20);
    s.act(DiffAction::Lines);
    for _ in 0..40 {
        s.act(DiffAction::Down);
    }
    let early = s.act(DiffAction::Take);
    assert_eq!(decided(&early), None, "the keys came faster than anything was drawn");
    assert!(early.notice.is_some_and(|said| said.contains("off the screen")));
    let mut seen = marked(&mut s);
    while decided(&s.act(DiffAction::Take)).is_none() {
        seen.extend(marked(&mut s));
        assert!(seen.len() < 500, "{seen:?}");
    }
    assert!((15..41).all(|n| seen.contains(&format!("line {n}"))), "{seen:?}");
}

#[test]
fn a_line_and_the_one_that_comes_for_it_are_both_seen_before_they_are_decided() {
    let lines = |word: &str, n: usize| (0..n).map(|n| format!("{word} {n}\n")).collect::<String>();
    let mut s = changed(&lines("old", 40), &lines("new", 40));
    s.act(DiffAction::Lines);
    assert_eq!(marked(&mut s), ["old 0"], "there is no room for both");
    assert_eq!(decided(&s.act(DiffAction::Leave)), None);
    assert_eq!(marked(&mut s), ["new 0"]);
    assert_eq!(decided(&s.act(DiffAction::Leave)), Some(0..1));
    // Where there is room both stand there.
    let mut s = changed(&lines("old", 9), &lines("new", 9));
    s.act(DiffAction::Lines);
    for n in 0..9 {
        assert_eq!(marked(&mut s), [format!("old {n}"), format!("new {n}")]);
        s.act(DiffAction::Down);
    }
    assert_eq!(decided(&s.act(DiffAction::Take)), Some(8..9));
}

#[test]
fn how_much_of_the_hunk_is_below_the_pane_is_told_and_nothing_where_all_of_it_is_seen() {
    let below = |rows: &[String]| rows.last().filter(|row| row.contains("below")).cloned();
    for width in [56, 58, 98, 158] {
        let mut s = new_file(60, (60, 0));
        for _ in 0..4 {
            let rows = s.text(width, 20);
            let seen = rows.iter().rfind(|row| row.contains("+ line")).unwrap();
            let last: usize = seen.split_whitespace().last().unwrap().parse().unwrap();
            let told = match 59 - last {
                0 => None,
                1 if width >= 60 => Some("1 more line below".to_owned()),
                n if width < 60 => Some(format!("{n} more below")),
                n => Some(format!("{n} more lines below")),
            };
            let row = below(&rows);
            assert_eq!(row.is_some(), told.is_some(), "{width}: {rows:#?}");
            assert!(
                told.is_none_or(|told| row.is_some_and(|row| row.trim_end().ends_with(&told))),
                "{rows:#?}"
            );
            s.act(DiffAction::PageDown);
        }
        s.act(DiffAction::Up);
        let told = if width < 60 { "1 more below" } else { "1 more line below" };
        assert!(s.text(width, 20).last().unwrap().ends_with(told));
    }
    let mut s = two_hunks();
    for height in [12, 26, 40] {
        assert_eq!(below(&s.text(72, height)), None, "what is below is another hunk");
    }
    // Lines that are chosen are of it, and under a sheet it is not about the hunk.
    let mut s = new_file(60, (60, 0));
    s.act(DiffAction::Lines);
    assert!(below(&s.text(72, 20)).is_some());
    s.act(DiffAction::NextHunk);
    s.act(DiffAction::Apply);
    assert_eq!(below(&s.text(72, 20)), None);
}

#[test]
fn of_a_new_file_that_is_taken_in_part_it_is_told_how_much_is_written() {
    let mut s = new_file(6, (60, 0));
    let told = |s: &Screen| s.pane.intended(&s.story.ctx());
    assert_eq!(told(&s), "a asks to apply the new file notes.txt");
    s.act(DiffAction::Lines);
    s.draw(72, 20);
    s.act(DiffAction::Leave);
    assert_eq!(told(&s), "1 hunk of notes.txt undecided: y or n, then a");
    s.act(DiffAction::Lines);
    s.draw(72, 20);
    s.act(DiffAction::Take);
    assert_eq!(told(&s), "a applies 1 hunk of notes.txt; 1 stays undecided");
    s.draw(72, 20);
    s.act(DiffAction::ApplyAll);
    let sheet = s.text(72, 20).join("\n");
    assert!(sheet.contains("1 of 3 hunks taken, 1 undecided, 1 left out"), "{sheet}");
    s.pane.close();
    s.act(DiffAction::Take);
    assert_eq!(told(&s), "a applies 2 taken hunks of notes.txt");
    let mut s = new_file(6, (60, 0));
    s.act(DiffAction::Take);
    assert_eq!(told(&s), "a applies the new file notes.txt");
}
