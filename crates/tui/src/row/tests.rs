#![allow(clippy::unwrap_used, clippy::indexing_slicing)]
use super::*;
use proptest::prelude::*;

fn texts(rows: &[Row]) -> Vec<String> {
    rows.iter().map(|r| r.text().trim_end().to_owned()).collect()
}

#[test]
fn words_stay_whole_and_long_ones_break() {
    let wrapped = |t: &str, w| texts(&wrap(&[Piece::new(t, Slot::Text)], w));
    assert_eq!(wrapped("the quick brown fox", 10), ["the quick", "brown fox"]);
    assert_eq!(wrapped("abcdefghij kl", 4), ["abcd", "efgh", "ij", "kl"]);
    assert_eq!(wrapped("漢字漢字", 5), ["漢字", "漢字"]);
    assert_eq!(wrapped("漢", 1), ["?"]);
    assert_eq!(wrapped("", 5), [""]);
}

#[test]
fn styles_follow_their_words_over_a_break() {
    let rows =
        wrap(&[Piece::new("plain ", Slot::Text), Piece::new("bold words", Ink::of(Slot::Text).bold())], 10);
    assert_eq!(texts(&rows), ["plain bold", "words"]);
    assert!(rows[1].pieces[0].ink.modifier.contains(Modifier::BOLD));
}

#[test]
fn the_name_of_a_file_goes_last() {
    let fit = |w| fit_path("crates/core/src/session/state.rs", w, "…");
    assert_eq!(fit(40), "crates/core/src/session/state.rs");
    assert_eq!(fit(20), "crates/…/state.rs");
    assert_eq!(fit(12), "…/state.rs");
    assert_eq!(fit(8), "state.rs");
    assert_eq!(fit(5), "…e.rs");
}

#[test]
fn figures_are_written_for_people() {
    assert_eq!(time_of_day(Millis(0), -60), "23:00");
    assert_eq!(time_of_day(Millis(3_600_000 * 14 + 120_000), 0), "14:02");
    assert_eq!(
        (count(1, "match"), count(0, "match"), count(3, "line")),
        ("1 match".into(), "0 matches".into(), "3 lines".into())
    );
}

#[test]
fn the_right_end_goes_before_the_left_one_is_cut() {
    let row = |w| Row::of("Read login.rs", Slot::Text).ends(Row::of("2 ms", Slot::Faint), w, "…").text();
    assert_eq!(row(20), "Read login.rs   2 ms");
    assert_eq!(row(18), "Read login.rs");
    assert_eq!(row(8), "Read lo…");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]
    #[test]
    fn no_text_leaves_its_area(text in "\\PC{0,40}|[\\x00-\\x{10ffff}]{0,12}", w in 0u16..14, x in 0u16..4) {
        let theme = Theme::builtin("default").unwrap();
        let mut buf = Buffer::empty(Rect::new(0, 0, 20, 3));
        let area = Rect::new(x, 1, w, 1);
        Row::of(&text, Slot::Text).on(Slot::Select).paint(&theme, &mut buf, area, 1);
        for (i, cell) in buf.content.iter().enumerate() {
            let (cx, cy) = buf.pos_of(i);
            let inside = cy == 1 && cx >= x && cx < x + w;
            prop_assert!(inside || *cell == ratatui::buffer::Cell::default(), "{cx},{cy}");
            prop_assert!(u16::try_from(width(cell.symbol())).unwrap() <= area.right().saturating_sub(cx).max(1));
        }
    }

    #[test]
    fn wrapped_rows_fit_and_lose_nothing(text in "\\PC{0,60}", w in 1usize..30) {
        let rows = wrap(&[Piece::new(&text, Slot::Text)], w);
        for r in &rows {
            prop_assert!(r.width() <= w);
        }
        if w >= 4 {
            let bare = |s: &str| s.chars().filter(|c| *c != ' ').collect::<String>();
            let joined: String = rows.iter().map(Row::text).collect();
            prop_assert_eq!(bare(&joined), bare(&Clean::line(&text)));
        }
    }
}

#[test]
fn what_goes_on_below_has_less_room_by_its_indent() {
    let line = Row::of("    let total = first + second + third;", Slot::Text);
    let rows: Vec<String> = wrap_hanging(&line.pieces, 24, 4).iter().map(Row::text).collect();
    assert_eq!(rows, ["    let total = first + ", "second + third;"]);
    assert!(wrap_hanging(&line.pieces, 3, 9).len() > 1, "an indent wider than the row does no harm");
}

#[test]
fn code_goes_on_below_its_first_word() {
    let line = Row::of("    let total = first + second;", Slot::Text);
    assert_eq!(texts(&wrap_in(&line.pieces, 20)), ["    let total =", "    first + second;"]);
}

#[test]
fn code_far_in_stands_as_far_in_as_it_was_written() {
    let deep = |blanks: usize, text: &str| {
        wrap_code(&[Piece::new(&" ".repeat(blanks), Slot::Text), Piece::new(text, Slot::Text)], 50)
    };
    for blanks in [28, 32, 36] {
        let rows = texts(&deep(blanks, "lines.push()"));
        assert_eq!(rows, [format!("{}lines.push()", " ".repeat(blanks))], "what fits is as it was written");
    }
    let rows = texts(&deep(32, "lines.append(read_part(f), at=begin)"));
    assert!(rows[0].starts_with(&format!("{}lines", " ".repeat(32))), "{rows:?}");
    assert!(rows[1..].iter().all(|row| row.starts_with(&" ".repeat(25)) && row.len() <= 50), "{rows:?}");
    let rows = texts(&deep(48, "lines.append(read_part(f), at=begin)"));
    assert_eq!(
        rows[0].trim_start(),
        "lines.append(",
        "there is room for something behind the blanks: {rows:?}"
    );
}

#[test]
fn marks_of_code_in_a_title_go_in_pairs() {
    assert_eq!(uncoded("Rename `Store` to `Shelf`"), "Rename Store to Shelf");
    assert_eq!(uncoded("It isn`t one"), "It isn`t one");
    assert_eq!(uncoded("`a` and ` alone"), "a and ` alone");
}

#[test]
fn a_line_that_is_read_exactly_breaks_behind_blanks_and_loses_none() {
    for (line, first, others, rows) in [
        ("run -s tests -v", 12, 12, &["run -s ", "tests -v"][..]),
        ("run -s tests -v", 4, 20, &["run ", "-s tests -v"]),
        ("averylongword x", 6, 6, &["averyl", "ongwor", "d x"]),
        ("a  b", 2, 2, &["a ", " b"]),
        ("", 4, 4, &[""]),
    ] {
        assert_eq!(parts(line, first, others), rows, "{line}");
        assert_eq!(parts(line, first, others).concat(), line);
    }
}
