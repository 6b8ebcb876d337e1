//! Tests of the draft: text before, a change, text after.

#![allow(clippy::unwrap_used)]

use super::*;

/// A draft from a text in which `|` is the caret.
fn draft(text: &str) -> Draft {
    let mut draft = Draft::default();
    let (before, after) = text.split_once('|').unwrap();
    draft.insert(after);
    let _ = draft.rows(80, 8);
    while draft.area.cursor() != (0, 0) {
        draft.area.move_cursor(CursorMove::Back);
    }
    draft.insert(before);
    draft
}

fn shown(draft: &Draft) -> String {
    let DataCursor(row, column) = draft.area.cursor();
    let lines = draft.area.lines().iter().enumerate().map(|(i, line)| {
        if i != row {
            return line.clone();
        }
        let before: String = line.chars().take(column).collect();
        let after: String = line.chars().skip(column).collect();
        format!("{before}|{after}")
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[track_caller]
fn check(before: &str, change: impl FnOnce(&mut Draft), after: &str) {
    let mut draft = draft(before);
    change(&mut draft);
    assert_eq!(shown(&draft), after);
}

const FAMILY: &str = "👨‍👩‍👧‍👦";

#[test]
fn the_caret_moves_and_deletes_by_what_a_reader_sees() {
    check(&format!("a{FAMILY}|b"), |d| d.cut(Cut::Back), "a|b");
    check(&format!("a|{FAMILY}b"), |d| d.cut(Cut::Forward), "a|b");
    check(&format!("a{FAMILY}|"), |d| _ = d.go(Motion::Left), &format!("a|{FAMILY}"));
    check("e\u{301}|x", |d| d.cut(Cut::Back), "|x");
    check("漢|字", |d| _ = d.go(Motion::Right), "漢字|");
    check("one\n|two", |d| d.cut(Cut::Back), "one|two");
    check("|one", |d| _ = d.go(Motion::Left), "|one");
}

#[test]
fn readline_keys_cut_and_yank() {
    check("one two| three", |d| d.cut(Cut::Word), "one | three");
    check("one two| three", |d| d.cut(Cut::ToEnd), "one two|");
    check("one two| three", |d| d.cut(Cut::ToHead), "| three");
    check("one |two three", |d| d.cut(Cut::NextWord), "one | three");
    let cut_and_yank = |d: &mut Draft| {
        d.cut(Cut::ToHead);
        d.go(Motion::End);
        d.yank();
    };
    check("ab|cd", cut_and_yank, "cdab|");
}

#[test]
fn a_short_paste_is_text_and_a_long_one_is_a_chip_that_unfolds() {
    let mut d = draft("see |");
    d.paste("two\r\nlines\u{1b}[31m");
    assert_eq!(d.shown(), "see two\nlines[31m");
    let long = "x\n".repeat(1204);
    d.paste(&long);
    d.paste(&"y".repeat(9000));
    assert_eq!(d.shown(), "see two\nlines[31m[pasted 1,204 lines][pasted 9 KB]");
    let whole = d.take().whole();
    assert!(whole.ends_with(&format!("{long}{}", "y".repeat(9000))));
    assert!(d.is_empty());
}

#[test]
fn a_paste_that_comes_in_pieces_is_one_paste() {
    let mut d = draft("see | it");
    let text = "line\n".repeat(150) + "end";
    for piece in text.as_bytes().chunks(37) {
        d.paste_more(std::str::from_utf8(piece).unwrap());
    }
    assert_eq!(shown(&d), "see [pasted 151 lines]| it");
    assert_eq!(d.saved().whole(), format!("see {text} it"));
    // What was written or moved between makes a new one.
    d.insert("x");
    d.paste_more("y");
    d.go(Motion::Left);
    d.paste_more("z");
    assert_eq!(shown(&d), "see [pasted 151 lines]xz|y it");
}

#[test]
fn chips_of_the_same_size_are_told_apart_and_go_as_one() {
    let mut d = draft("|");
    d.paste(&"a\n".repeat(200));
    d.paste(&"b\n".repeat(200));
    assert_eq!(d.shown(), "[pasted 200 lines][pasted 200 lines #2]");
    d.cut(Cut::Back);
    assert_eq!(d.shown(), "[pasted 200 lines]");
    assert_eq!(d.saved().whole(), "a\n".repeat(200));
    assert!(d.go(Motion::Left));
    assert_eq!(shown(&d), "|[pasted 200 lines]");
    d.go(Motion::WordRight);
    assert!(["|[pasted 200 lines]", "[pasted 200 lines]|"].contains(&shown(&d).as_str()));
    d.go(Motion::End);
    d.cut(Cut::Word);
    assert!(d.is_empty());
}

#[test]
fn rows_grow_with_the_text_as_far_as_there_is_room() {
    let mut d = draft("|");
    assert_eq!(d.rows(20, 8), 1);
    d.insert(&"word ".repeat(10));
    assert!((3..=4).contains(&d.rows(20, 8)));
    assert_eq!(d.rows(200, 8), 1);
    d.insert(&"\n".repeat(20));
    assert_eq!(d.rows(20, 8), 8);
}

#[test]
fn what_has_no_room_is_counted_and_nothing_stays_above_empty_rows() {
    let lines: Vec<String> = (1..=14).map(|n| format!("row {n}")).collect();
    let mut d = draft(&format!("{}|", lines.join("\n")));
    assert_eq!((d.rows(20, 8), d.beyond(8), d.beyond(6)), (8, (6, 0), (8, 0)));
    assert_eq!((d.rows(20, 20), d.beyond(14)), (14, (0, 0)), "the room grew");
    let _ = d.rows(20, 8);
    (0..10).for_each(|_| (0..7).for_each(|_| d.cut(Cut::Back)));
    assert!(d.rows(20, 8) <= 8 && d.beyond(8) == (0, 0), "the text shrank: {:?}", d.shown());
    d.to_head();
    assert_eq!(d.rows(20, 2), 2);
    assert!(d.beyond(2).0 == 0 && d.beyond(2).1 > 0);
}

#[test]
fn a_row_that_goes_on_begins_with_its_word() {
    let mut d = draft("please fix both with tests|");
    let _ = d.rows(20, 8);
    let area = Rect::new(0, 0, 20, 2);
    let mut buf = Buffer::empty(area);
    let caret = d.render(area, &mut buf, Style::default());
    let row = |y| (0..20).map(|x| buf.cell((x, y)).unwrap().symbol()).collect::<String>();
    assert_eq!((row(0).trim_end(), row(1).trim_end()), ("please fix both with", "tests"));
    assert_eq!(caret, Some((5, 1)));
}

#[test]
fn the_caret_is_drawn_where_it_is_also_on_fewer_rows() {
    let mut d = draft("one\ntwo\nthree|");
    let _ = d.rows(20, 8);
    let area = Rect::new(2, 1, 20, 1);
    let mut buf = Buffer::empty(Rect::new(0, 0, 30, 3));
    assert_eq!(d.render(area, &mut buf, Style::default()), Some((7, 1)));
    assert_eq!(buf.cell((2, 1)).unwrap().symbol(), "t");
    assert_eq!(buf.cell((3, 1)).unwrap().symbol(), "h");
}

#[test]
fn the_word_at_the_caret_is_found_and_replaced() {
    let mut d = draft("look at @src/lo| please");
    assert_eq!(d.token(), ("@src/lo", false));
    d.replace_token("src/login.rs");
    assert_eq!(shown(&d), "look at src/login.rs| please");
    assert_eq!(draft("/he|").token(), ("/he", true));
    assert_eq!(draft("a\n/he|").token(), ("/he", false));
}

#[test]
fn a_line_end_that_two_pieces_of_a_paste_share_is_one() {
    for cut in 0..="one\r\ntwo\r\rthree\r\n".len() {
        let (first, second) = "one\r\ntwo\r\rthree\r\n".split_at(cut);
        let mut d = draft("|");
        d.paste(first);
        d.paste_more(second);
        assert_eq!(d.shown(), "one\ntwo\n\nthree\n", "{cut}");
    }
}
