#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::wildcard_enum_match_arm,
    clippy::format_collect
)]
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::Duration;

use super::*;

fn highlighter() -> (Highlighter, Receiver<()>) {
    let (send, receive) = sync_channel(64);
    (Highlighter::new(move || send.try_send(()).unwrap_or_default()), receive)
}

/// Asks until the colours are there; waits for the worker's word in between.
fn wait(h: &Highlighter, came: &Receiver<()>, key: BlobId, lang: &str, line: usize, text: &str) -> Colours {
    loop {
        if let Some(c) = h.line(key, lang, line, || Arc::from(text)) {
            return c;
        }
        came.recv_timeout(Duration::from_mins(1)).unwrap();
    }
}

fn slots(text: &str, line: usize, colours: &Colours) -> Vec<(String, Slot)> {
    let line = text.lines().nth(line).unwrap();
    let mut at = 0;
    let mut out = Vec::new();
    for (end, slot) in colours.iter() {
        out.push((line[at..*end].trim().to_owned(), *slot));
        at = *end;
    }
    out
}

#[test]
fn the_first_answer_is_plain_and_the_next_one_has_the_five_hues() {
    let (h, came) = highlighter();
    let text = "let n: Vec<u8> = vec![42]; // note\nlet s = \"text\";\n";
    let key = BlobId::of(text.as_bytes());
    assert_eq!(h.line(key, "rust", 0, || Arc::from(text)), None);
    let first = slots(text, 0, &wait(&h, &came, key, "rust", 0, text));
    assert!(first.contains(&("let".into(), Slot::Keyword)), "{first:?}");
    assert!(first.contains(&("42".into(), Slot::Num)), "{first:?}");
    assert!(first.contains(&("// note".into(), Slot::Comment)), "{first:?}");
    let second = slots(text, 1, &wait(&h, &came, key, "rust", 1, text));
    assert!(second.contains(&("\"text\"".into(), Slot::Str)), "{second:?}");
}

#[test]
fn a_number_with_separators_has_one_colour() {
    let (h, came) = highlighter();
    let text = "const wait = 60_000;\nconst of_30 = one_60 + 7;\n";
    let key = BlobId::of(text.as_bytes());
    let first = slots(text, 0, &wait(&h, &came, key, "js", 0, text));
    assert!(first.contains(&("60_000".into(), Slot::Num)), "{first:?}");
    assert_eq!(first.last(), Some(&(";".into(), Slot::Text)), "{first:?}");
    let second = slots(text, 1, &wait(&h, &came, key, "js", 1, text));
    assert!(second.iter().all(|(word, slot)| *slot != Slot::Num || word == "7"), "{second:?}");
}

#[test]
fn far_lines_know_what_began_before_them() {
    let (h, came) = highlighter();
    let text = format!("/*\n{}*/\nfn f() {{}}\n", "inside\n".repeat(100));
    let key = BlobId::of(text.as_bytes());
    let far = wait(&h, &came, key, "rs", 90, &text);
    assert_eq!(far.as_ref(), [(6, Slot::Comment)]);
    assert_eq!(wait(&h, &came, key, "rs", 5, &text).as_ref(), [(6, Slot::Comment)]);
    let after = slots(&text, 102, &wait(&h, &came, key, "rs", 102, &text));
    assert!(after.contains(&("fn".into(), Slot::Keyword)), "{after:?}");
}

#[test]
fn what_would_be_slow_or_is_unknown_stays_plain() {
    let (h, came) = highlighter();
    let long = format!("let a = \"{}\";\nlet b = 1;\n", "x".repeat(3_000));
    let key = BlobId::of(long.as_bytes());
    assert!(wait(&h, &came, key, "rust", 0, &long).is_empty());
    assert!(!wait(&h, &came, key, "rust", 1, &long).is_empty());
    let big = "x\n".repeat(LONGEST_TEXT_BYTES);
    assert!(h.line(BlobId::of(b"big"), "rust", 0, || Arc::from(big)).unwrap().is_empty());
    assert!(wait(&h, &came, BlobId::of(b"?"), "no-such-language", 0, "x\n").is_empty());
    assert!(Highlighter::off().line(key, "rust", 0, || Arc::from("")).unwrap().is_empty());
}
