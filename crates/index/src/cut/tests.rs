#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use super::*;
use crate::language::Languages;

fn of(path: &str, text: &str) -> Vec<(usize, usize, String)> {
    let found = cut(text, Languages::builtin().of(path));
    found.pieces.iter().map(|p| (p.from, p.to, p.title())).collect()
}

#[test]
fn items_are_passages_with_what_stands_above_them() {
    let body = "        work();\n".repeat(6);
    let text = format!(
        "//! What it is.\n\nuse a::b;\n\n/// Says hello.\n#[inline]\npub fn hello() {{\n{body}}}\n\nimpl Walk {{\n    /// Steps.\n    fn step(&self) {{\n{body}    }}\n\n    fn stop(&self) {{\n{body}    }}\n}}\n"
    );
    assert_eq!(
        of("a.rs", &text),
        [
            (1, 14, "hello".to_owned()),
            (16, 25, "Walk, Walk > step".to_owned()),
            (27, 35, "Walk > stop".to_owned())
        ]
    );
}

#[test]
fn headings_nest_and_fences_hold_none() {
    let text = "# Top\n\nWords.\n\nMore.\n\nAnd.\n\n## Build\n\n```sh\n# not a heading\nmake\n```\n\nx\ny\nz\n\n# Next\nn\n";
    assert_eq!(
        of("a.md", text),
        [(1, 7, "Top".to_owned()), (9, 18, "Top > Build".to_owned()), (20, 21, "Next".to_owned())]
    );
}

#[test]
fn long_pieces_overlap_and_nothing_is_lost() {
    let text: String = (0..300).map(|n| format!("    line{n}();\n")).collect::<Vec<_>>().concat();
    let text = format!("fn long() {{\n{text}}}\n");
    let pieces = cut(&text, Languages::builtin().of("a.rs")).pieces;
    assert!(pieces.len() >= 6 && pieces.iter().all(|p| p.to + 1 - p.from <= LONGEST));
    assert!(pieces.windows(2).all(|w| w[1].from <= w[0].to + 1 && w[1].from > w[0].from));
    assert!(pieces.iter().all(|p| p.title() == "long"));
    assert_eq!((pieces[0].from, pieces.last().unwrap().to), (1, 302));
}

#[test]
fn texts_without_a_language_are_cut_at_blank_lines() {
    let para = "one line of words\n".repeat(8);
    assert_eq!(of("x.unknown", &format!("{para}\n{para}\n")).len(), 2);
    assert!(of("x.rs", "").is_empty() && of("x", "\n\n").is_empty());
}

#[test]
fn odd_texts_are_cut_without_harm() {
    for text in ["}\n}\n}\n", "\u{feff}fn a() {}", "fn a()\r\n{\r\n}\r\n", "#\n##\n###\n", "\0\0\n"] {
        for path in ["a.rs", "a.md", "a.py", "a.json", "a"] {
            let lines = text.lines().count();
            assert!(
                cut(text, Languages::builtin().of(path)).pieces.iter().all(|p| p.from >= 1 && p.to <= lines)
            );
        }
    }
}
