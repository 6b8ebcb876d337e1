#![allow(clippy::unwrap_used, clippy::indexing_slicing)]
use super::*;
use proptest::prelude::*;

fn draw(md: &mut Markdown, width: usize) -> Vec<String> {
    let rows = md.lay(width, &Glyphs::UNICODE);
    rows.iter().map(|r| r.text().trim_end().to_owned()).collect()
}

fn drawn(text: &str, width: usize) -> Vec<String> {
    draw(&mut Markdown::of(text), width)
}

const EVERYTHING: &str = "# Where it happens\n\nPasswords are checked in **one** place, `authenticate`.\nSee [the file](src/auth/login.rs) or <https://example.org/>.\n\n- first point that is long enough to wrap\n  and goes on\n- second\n  1. inner\n  2. more\n- third\n\n```rust\nfn main() {\n\n    body();\n}\n```\nAfter.\n\n> quoted\n> words\n\n| file | lines |\n|---|---:|\n| a.rs | 3 |\n| longer.rs | 188 |\n\n---\nEnd ~~old~~.\n\n3. three\n4. four\n";

#[test]
fn every_construct_has_its_rows() {
    assert_eq!(
        drawn(EVERYTHING, 40),
        [
            "Where it happens",
            "",
            "Passwords are checked in one place,",
            "authenticate. See the file",
            "(src/auth/login.rs) or",
            "https://example.org/.",
            "",
            "• first point that is long enough to",
            "  wrap and goes on",
            "• second",
            "  1. inner",
            "  2. more",
            "• third",
            "",
            "  rust",
            "  fn main() {",
            "",
            "      body();",
            "  }",
            "",
            "After.",
            "",
            "│ quoted words",
            "",
            "file       lines",
            "────────────────",
            "a.rs           3",
            "longer.rs    188",
            "",
            "────────────────────────────────────────",
            "",
            "End old.",
            "",
            "3. three",
            "4. four",
        ]
    );
}

#[test]
fn a_link_shows_its_true_target() {
    assert_eq!(
        drawn("[https://bank.example](https://evil.example)", 80),
        ["https://bank.example (https://evil.example)"]
    );
    assert_eq!(drawn("![cat](http://x/y.png)", 80), ["image: cat (http://x/y.png)"]);
}

#[test]
fn html_and_escapes_are_text() {
    assert_eq!(
        drawn("a <b>c</b> \x1b[31md\n\n<script>\nx\n</script>", 80),
        ["a <b>c</b> ␛[31md", "", "<script>", "x", "</script>"]
    );
}

#[test]
fn a_half_row_of_a_table_is_held_back() {
    let mut md = Markdown::new();
    md.push("Before\n\n| a | b |\n");
    assert_eq!(draw(&mut md, 40), ["Before"]);
    md.push("|---|---|\n| 1 ");
    assert_eq!(draw(&mut md, 40), ["Before", "", "a  b", "────"]);
    md.push("| 2 |\n| 3");
    assert_eq!(draw(&mut md, 40), ["Before", "", "a  b", "────", "1  2"]);
}

#[test]
fn code_appears_line_by_line_and_its_fence_does_not_flash() {
    let mut md = Markdown::new();
    md.push("```rust\nlet a = 1;\nlet b");
    assert_eq!(draw(&mut md, 40), ["  rust", "  let a = 1;", "  let b"]);
    md.push(" = 2;\n``");
    assert_eq!(draw(&mut md, 40), ["  rust", "  let a = 1;", "  let b = 2;"]);
    md.push("`\ntext");
    assert_eq!(draw(&mut md, 40), ["  rust", "  let a = 1;", "  let b = 2;", "", "text"]);
}

#[test]
fn finished_blocks_are_not_drawn_again() {
    let mut md = Markdown::new();
    md.push(&"A paragraph of some words.\n\n".repeat(50));
    md.push("open");
    md.lay(40, &Glyphs::UNICODE);
    let before = md.solid;
    assert_eq!(before.0, 49, "all but the last block, which may still grow, are frozen");
    md.push(" more");
    md.lay(40, &Glyphs::UNICODE);
    assert_eq!(md.solid, before);
}

#[test]
fn code_that_was_drawn_while_it_came_gets_its_colours_once_it_is_whole() {
    let (send, came) = std::sync::mpsc::sync_channel(64);
    let colours = Highlighter::new(move || send.try_send(()).unwrap_or_default());
    let mut md = Markdown::new();
    for piece in ["```rust\n", "let a = 1;\n", "let b = 2;\n", "```\n", "after\n"] {
        md.push(piece);
        md.lay(40, &Glyphs::UNICODE);
    }
    let coloured = |md: &mut Markdown| {
        md.lay(40, &Glyphs::UNICODE);
        md.colour(0..100, &colours);
        md.rows().iter().flat_map(|r| &r.pieces).any(|p| p.ink.slot == Slot::Keyword)
    };
    while !coloured(&mut md) {
        came.recv_timeout(std::time::Duration::from_mins(1)).unwrap();
    }
    assert_eq!(draw(&mut md, 40), ["  rust", "  let a = 1;", "  let b = 2;", "", "after"]);
}

#[test]
fn only_code_that_is_seen_is_ever_coloured() {
    let colours = Highlighter::new(|| {});
    let mut md = Markdown::of(&"```rust\nlet a = 1;\n```\n".repeat(40));
    md.lay(40, &Glyphs::UNICODE);
    assert_eq!(colours.asked(), 0);
    md.colour(0..3, &colours);
    assert_eq!(colours.asked(), 1);
}

#[test]
fn wide_tables_wrap_inside_their_columns() {
    let rows = drawn("| name | what |\n|---|---|\n| x | some longer words here |\n", 20);
    assert_eq!(rows, ["name  what", "────────────────────", "x     some longer", "      words here"]);
}

#[test]
fn the_work_for_a_token_does_not_grow_with_what_was_said() {
    let block = "Some **words** of an answer, with `code` and a [link](src/a.rs).\n\n- a point\n- another\n\n```rust\nlet a = 1;\n```\n";
    let mut md = Markdown::new();
    let mut drawn = 0;
    for _ in 0..400 {
        for token in block.split_inclusive(' ') {
            md.push(token);
            let before = md.solid;
            md.lay(80, &Glyphs::UNICODE);
            drawn = drawn.max(md.blocks.parts.len() - before.0).max(md.rows.len() - md.solid.1);
        }
    }
    assert!(md.rows.len() > 3_000);
    assert!(drawn < 10, "{drawn} parts or rows were made for one token");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn streamed_in_any_pieces_it_ends_as_if_it_came_whole(
        text in prop::collection::vec(prop_oneof![
            Just("# head\n"), Just("para one\n"), Just("goes on\n"), Just("\n"), Just("- item\n"), Just("  inner\n"),
            Just("1. one\n"), Just("```rs\n"), Just("```\n"), Just("code\n"), Just("| a | b |\n"), Just("|---|---|\n"),
            Just("> q\n"), Just("**b** `c`\n"), Just("---\n"), Just("\x1b[2J漢字\u{202e}\n"), Just("end"), Just("| x"),
        ], 0..24),
        cuts in prop::collection::vec(1usize..9, 1..40),
        width in 1usize..60,
    ) {
        let text = text.concat();
        let mut live = Markdown::new();
        let mut chars = text.chars();
        for n in cuts.iter().cycle().take(400) {
            let piece: String = chars.by_ref().take(*n).collect();
            live.push(&piece);
            for row in live.lay(width, &Glyphs::UNICODE) {
                prop_assert!(row.width() <= width.max(3), "{:?}", row.text());
            }
        }
        live.settle(&text);
        prop_assert_eq!(draw(&mut live, width), drawn(&text, width));
    }

    #[test]
    fn any_text_at_any_width_draws(text in "\\PC{0,80}|[\\x00-\\x{10ffff}]{0,40}|[`*_#>|\\-\\[\\]() a\\n]{0,80}", width in 0usize..50) {
        for row in Markdown::of(&text).lay(width, &Glyphs::ASCII) {
            prop_assert!(row.text().chars().all(|c| !pilothouse_core::clean::is_forbidden(c)));
        }
    }
}

#[test]
fn a_row_of_a_text_that_looks_like_one_of_ours_says_by_its_form_that_it_is_none() {
    let forged = [
        "\u{258e} you                 14:02",
        "\u{2713} edited src/auth/login.rs (+3 -1 lines)",
        "\u{2714} wrote a.rs",
        "\u{2705} approved",
        "&#9614; you",
        "&nbsp;\u{258e} you",
        "\u{2502} you",
        "**\u{258e} you**",
        "\u{2605} Plan ready (5 tasks)",
        "[1/5] Token bucket",
        "[Gate: syntax] \u{2713} passed",
        "\\[\u{2713}\\] taken",
        "words \u{258e} you",
        "| \u{258e} you |\n|---|\n| \u{2713} wrote a.rs |",
        "# \u{2713} Complete. 4 files",
    ];
    for glyphs in [Glyphs::UNICODE, Glyphs::ASCII] {
        for width in [10, 16, 60] {
            for text in forged {
                let mut md = Markdown::of(text);
                let rows: Vec<String> = md.lay(width, &glyphs).iter().map(Row::text).collect();
                let bare = rows.iter().filter(|r| glyphs.passes_for_ours(r));
                assert_eq!(bare.count(), 0, "{text} at {width}: {rows:?}");
                assert!(rows.iter().all(|r| crate::row::width(r) <= width), "{text} at {width}: {rows:?}");
            }
        }
        // A quote of Markdown has a bar of its own.
        let mut md = Markdown::of("> you");
        let quoted = md.lay(40, &glyphs)[0].text();
        assert!(quoted.ends_with(" you") && !quoted.starts_with(glyphs.bar), "{quoted}");
    }
    assert_eq!(drawn("\u{2713} edited a.rs", 40), ["\u{201c}\u{2713} edited a.rs"]);
    // What cannot be taken for one of ours stays as it is.
    for text in ["a \u{2713} b", "100 % done", "[a link]"] {
        assert_eq!(drawn(text, 40), [text]);
    }
}

#[test]
fn a_code_block_is_headed_by_a_language_and_not_by_an_ending() {
    for (info, rows) in [("rs", &["  rust", "  a"][..]), ("toml", &["  toml", "  a"]), ("text", &["  a"])] {
        assert_eq!(drawn(&format!("```{info}\na\n```\n"), 40), rows, "{info}");
    }
}

#[test]
fn the_underscores_of_a_path_or_a_name_are_text_and_those_around_words_are_emphasis() {
    let kept = [
        "inflection/__init__.py:326 has it",
        "see __init__.py and a/_b_/c",
        "in src/__tests__/a.js, at tests/__init__",
        "crate::__private::x and std:_x_",
        "a/___x___.py",
    ];
    for text in kept {
        assert_eq!(drawn(text, 80), [text]);
        let mut md = Markdown::of(text);
        let bold = |row: &Row| row.pieces.iter().any(|p| !p.ink.modifier.is_empty());
        assert!(!md.lay(80, &Glyphs::UNICODE).iter().any(bold), "{text}");
    }
    for (text, shown) in [
        ("this is _very_ important", "this is very important"),
        ("it is __bold__. Then (_this_), _that_: end", "it is bold. Then (this), that: end"),
        ("**bold**/x and *so*", "bold/x and so"),
    ] {
        assert_eq!(drawn(text, 80), [shown]);
    }
}

#[test]
fn code_that_goes_on_in_the_next_row_keeps_its_indent_and_its_names() {
    let text = "```rust\n    let verdict = self.world.session.policy().verdict(text.trim(), &folder);\n        a_name_without_any_place_at_which_it_could_be_broken_here();\n```\n";
    assert_eq!(
        drawn(text, 44),
        [
            "  rust",
            "      let verdict = self.world.session",
            "      .policy().verdict(text.trim(),",
            "      &folder);",
            "          a_name_without_any_place_at_whic",
            "          h_it_could_be_broken_here();",
        ]
    );
    // A deep indent leaves the code half of the room.
    let text = format!("```\n{}call(first, second, third, fourth)\n```\n", " ".repeat(30));
    let rows = drawn(&text, 44);
    assert!(rows.iter().skip(1).all(|row| row.starts_with(&" ".repeat(22))), "{rows:#?}");
    let code = |rows: &[String]| rows.iter().flat_map(|r| r.split_whitespace()).collect::<String>();
    assert_eq!(code(&rows[..]), "call(first,second,third,fourth)", "{rows:#?}");
}

#[test]
fn a_word_of_a_table_is_broken_only_where_no_column_can_give_way() {
    let text = "| what | Lines per note | why |\n|---|---:|---|\n| **everything**, also | 3 | kept |\n";
    for width in 25..=34 {
        let rows = drawn(text, width);
        assert!(rows.iter().any(|row| row.contains("everything,")), "{width} {rows:#?}");
    }
}
