#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]
use super::{hostile::Dice, *};

fn assert_drawable(clean: &str, newlines: bool, from: &dyn fmt::Debug) {
    for whole in clean.graphemes(true) {
        let mut before = None;
        for c in whole.chars() {
            // What joins two emoji hides nothing.
            let joins = c == JOINER && whole.chars().next().is_some_and(takes_selector);
            assert!(!is_forbidden(c) || joins || (newlines && c == '\n'), "{c:?} of {from:?} in {clean:?}");
            assert!(before != Some(JOINER) || takes_selector(c), "{c:?} of {from:?} in {clean:?}");
            before = Some(c);
        }
        assert_ne!(before, Some(JOINER), "{from:?} in {clean:?}");
    }
    let first_is_combining = |l: &str| l.chars().next().is_some_and(|c| c.width() == Some(0));
    assert!(!clean.split('\n').any(first_is_combining), "{from:?} begins with a combining mark: {clean:?}");
    let unseen =
        clean.split('\n').flat_map(|l| l.graphemes(true)).find(|g| g.chars().all(|c| c.width() == Some(0)));
    assert_eq!(unseen, None, "{from:?} hides something in {clean:?}");
    let again = if newlines { Clean::text(clean) } else { Clean::line(clean) };
    assert_eq!(again.as_str(), clean, "cleaning twice is cleaning once");
}

#[test]
fn no_forbidden_character_survives_200000_hostile_texts() {
    let mut dice = Dice(0x5eed_1dea);
    let mut bytes = Vec::new();
    for round in 0..200_000 {
        dice.hostile(&mut bytes);
        let clean = if round % 2 == 0 { Clean::bytes(&bytes) } else { Clean::byte_line(&bytes) };
        assert_drawable(&clean, round % 2 == 0, &bytes);
    }
}

#[test]
fn every_single_code_point_is_drawable() {
    for c in '\0'..=char::MAX {
        assert_drawable(&Clean::line(c.encode_utf8(&mut [0; 4])), false, &c);
        let after = Clean::line(&format!("a{c}b"));
        assert!(after.starts_with('a') && after.ends_with('b'), "{c:?}: {after:?}");
        assert_drawable(&after, false, &c);
    }
}

#[test]
fn what_is_forbidden_is_seen() {
    let line = |s: &str| Clean::line(s).into_string();
    assert_eq!(line("a\x1b[31mb\u{9b}c\x7f"), "a␛[31mb<U+009B>c␡");
    assert_eq!(line("if admin\u{202e}\u{2066}//"), "if admin<U+202E><U+2066>//");
    assert_eq!(line("one\ntwo\r\n"), "one␊two␍␊");
    assert_eq!(line("a\u{200b}b\u{feff}"), "a<U+200B>b<U+FEFF>");
    assert_eq!(line("x\u{e0041}\u{fe0f}"), "x<U+E0041><U+FE0F>");
    assert_eq!(Clean::bytes(b"ok \xff\x9b31m").into_string(), "ok \u{fffd}\u{fffd}31m");
}

#[test]
fn ordinary_text_stays_as_it_is() {
    for text in ["plain", "Grüße, 世界", "e\u{301}te\u{301}", "กำลัง", "👍🏽 🇩🇪", "❤ ✓ → …", "שלום"]
    {
        assert_eq!(Clean::line(text).as_str(), text);
    }
    assert_eq!(Clean::line("❤\u{fe0f}!").as_str(), "❤!", "the selector of a symbol only chooses its look");
    assert_eq!(Clean::line("❤\u{fe0f}\u{fe0f}").as_str(), "❤<U+FE0F>", "a second one hides something");
}

#[test]
fn an_emoji_of_several_parts_is_one_and_a_joiner_elsewhere_is_seen() {
    for whole in ["👩\u{200d}🚀", "👩🏽\u{200d}🚀 ok", "👨\u{200d}👩\u{200d}👧\u{200d}👦", "🏃\u{200d}♀"]
    {
        let clean = Clean::line(whole);
        assert_eq!(clean.as_str(), whole);
        assert_eq!(Clean::line(&clean), clean, "it is stable");
    }
    assert_eq!(Clean::line("❤\u{fe0f}\u{200d}🔥").as_str(), "❤\u{200d}🔥");
    for (text, drawn) in [
        ("a\u{200d}b", "a<U+200D>b"),
        ("👩\u{200d}", "👩<U+200D>"),
        ("👩\u{200d}x", "👩<U+200D>x"),
        ("👩\u{200d}\u{200d}🚀", "👩<U+200D><U+200D>🚀"),
        ("👩 \u{200d}🚀", "👩 <U+200D>🚀"),
        ("x\u{200d}🚀", "x<U+200D>🚀"),
    ] {
        assert_eq!(Clean::line(text).as_str(), drawn);
    }
    let endless = Clean::line(&"👩\u{200d}".repeat(40));
    assert!(endless.as_str().contains("<U+200D>"), "{}", endless.as_str());
}

#[test]
fn lines_and_tabs_are_laid_out() {
    assert_eq!(Clean::text("a\tb\r\n\tc\n").as_str(), "a   b\n    c\n");
    assert_eq!(Clean::text("漢\tb").as_str(), "漢  b");
    assert_eq!(Clean::text("50 %\r100 %").as_str(), "50 %␍100 %");
}

#[test]
fn a_pile_of_marks_on_one_letter_is_taken_apart() {
    let pile = format!("a{}", "\u{301}".repeat(6));
    assert_eq!(Clean::line(&pile).as_str(), "a\u{301}\u{301}\u{301}\u{301}<U+0301><U+0301>");
}

#[test]
fn a_letter_that_passes_for_a_latin_one_is_marked_in_a_latin_word_and_nowhere_else() {
    for (name, drawn) in [
        ("src/\u{430}uth.rs", "src/<U+0430>uth.rs"),
        ("p\u{430}yp\u{430}l_key", "p<U+0430>yp<U+0430>l_key"),
        ("g\u{3bf}\u{3bf}gle", "g<U+03BF><U+03BF>gle"),
        ("\u{ff52}m x", "<U+FF52>m x"),
        ("\u{441}argo test", "<U+0441>argo test"),
    ] {
        assert_eq!(Clean::line(name).as_str(), drawn);
        assert_eq!(Clean::line(drawn).as_str(), drawn, "it is stable");
    }
    // Words of other languages, units and formulas are what they are.
    for text in [
        "\u{441}\u{43e}\u{440} \u{438} \u{43e}\u{441}\u{430}",
        "12 \u{3bc}s, \u{3bb}x, \u{394}t",
        "na\u{ef}ve caf\u{e9}",
        "\u{444}\u{430}\u{439}\u{43b}.rs",
    ] {
        assert_eq!(Clean::line(text).as_str(), text);
    }
}
