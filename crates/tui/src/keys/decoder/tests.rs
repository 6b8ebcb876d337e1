#![allow(
    clippy::unwrap_used,
    clippy::wildcard_enum_match_arm,
    clippy::string_slice,
    clippy::indexing_slicing
)]

use super::{super::sequence::ESC, *};

/// What came out, as text: characters as they are, other keys in `<>`, pastes in `[]`.
fn shown(events: &[Event]) -> String {
    let one = |event: &Event| match event {
        Event::Paste(text) => format!("[{}]", text.replace('\n', "¶").replace('\r', "␍")),
        Event::Key(key) => {
            let mods = [("C-", KeyModifiers::CONTROL), ("A-", KeyModifiers::ALT)];
            let mods: String =
                mods.iter().filter(|(_, m)| key.modifiers.contains(*m)).map(|(n, _)| *n).collect();
            match key.code {
                KeyCode::Char(c) if mods.is_empty() => c.to_string(),
                KeyCode::Char(c) => format!("<{mods}{c}>"),
                code => format!("<{mods}{code:?}>"),
            }
        }
        other => format!("<{other:?}>"),
    };
    events.iter().map(one).collect()
}

/// Bytes that came in at these times, in milliseconds; what came out until long after.
fn decode(chunks: &[(u64, &[u8])]) -> Vec<(Event, Stamp)> {
    let start = Instant::now();
    let at = |ms| start + Duration::from_millis(ms);
    let mut decoder = Decoder::default();
    let mut out = Vec::new();
    for (ms, bytes) in chunks {
        decoder.take(bytes, at(*ms), at(*ms));
        out.extend(std::iter::from_fn(|| decoder.pop()));
    }
    decoder.settle(at(1_000_000));
    out.extend(std::iter::from_fn(|| decoder.pop()));
    out
}

fn text(chunks: &[(u64, &[u8])]) -> String {
    shown(&decode(chunks).into_iter().map(|(e, _)| e).collect::<Vec<_>>())
}

#[track_caller]
fn check(bytes: &str, expected: &str) {
    assert_eq!(text(&[(0, bytes.as_bytes())]), expected, "{bytes:?}");
}

#[test]
fn the_wheel_is_told_where_it_was_turned_and_buttons_are_not() {
    use crossterm::event::{MouseEvent, MouseEventKind};
    let mut decoder = Decoder::default();
    let now = Instant::now();
    decoder.take(b"\x1b[<64;10;5M\x1b[<0;1;1M\x1b[<0;1;1m\x1b[<69;1;1M\x1b[<64;1M", now, now);
    let found: Vec<Event> = std::iter::from_fn(|| decoder.pop()).map(|(event, _)| event).collect();
    let wheel =
        |kind, column, row| Event::Mouse(MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE });
    let wanted = [wheel(MouseEventKind::ScrollUp, 9, 4), wheel(MouseEventKind::ScrollDown, 0, 0)];
    assert_eq!(found, wanted);
}

#[test]
fn keys_are_read_as_terminals_send_them() {
    for (bytes, expected) in [
        ("aé漢🦀", "aé漢🦀"),
        ("\r\t\x7f", "<Enter><Tab><Backspace>"),
        ("\x01\x0a\x1a\x1c\0", "<C-a><C-j><C-z><C-4><C- >"),
        ("\x1b", "<Esc>"),
        ("\x1b\x1b", "<Esc><Esc>"),
        ("\x1bb\x1b\r\x1b]", "<A-b><A-Enter><A-]>"),
        ("\x1b[A\x1b[B\x1b[C\x1b[D\x1b[H\x1b[F", "<Up><Down><Right><Left><Home><End>"),
        ("\x1b[5~\x1b[6~\x1b[3~\x1b[1~", "<PageUp><PageDown><Delete><Home>"),
        ("\x1bOP\x1b[11~\x1b[15~\x1b[24~\x1b[[A", "<F(1)><F(1)><F(5)><F(12)><F(1)>"),
        ("\x1bOA\x1bOy", "<Up><A-O>y"),
        ("\x1b[1;5D\x1b[1;3C\x1b[Z", "<C-Left><A-Right><BackTab>"),
        ("\x1b[27u\x1b[13;3u\x1b[120;5u\x1b[57414u", "<Esc><A-Enter><C-x><Enter>"),
        ("\x1b[97;1:2u\x1b[57441u\x1b[57376u", "a<F(13)>"),
        ("\x1b[I\x1b[O", "<FocusGained><FocusLost>"),
        ("\x1b[Mabcx\x1b[<0;3;4My\x1b[3;4Rz\x1b[?62;cw", "xyzw"),
        ("\x1b[12\ry", "<Enter>y"),
        ("\x1b[999999999999~a\x1b[~b\x1b[;;u\x1b[:::u", "ab"),
    ] {
        check(bytes, expected);
    }
}

#[test]
fn bytes_that_are_no_text_are_left_out_and_cost_nothing_else() {
    assert_eq!(text(&[(0, b"a\xff\xc3(\xe6\xbcb\x80\x1b\xffc")]), "a(bc");
    let long = [b"\x1b[".as_slice(), &b"1".repeat(5_000), b"y\r"].concat();
    let shown = text(&[(0, &long)]);
    assert!(shown.ends_with("y<Enter>"), "{shown}");
}

#[test]
fn what_the_terminal_says_of_its_background_is_heard_once() {
    for (answer, dark) in [
        ("\x1b]11;rgb:1e1e/1e1e/2e2e\x07", Some(true)),
        ("\x1b]11;rgb:fafa/fafa/fafa\x1b\\", Some(false)),
        ("\x1b]11;rgb:fafa/fafa/fafa\x1b\\\x1b]4;1;rgb:0/0/0\x07", Some(false)),
        ("\x1bP11;rgb:fafa/fafa/fafa\x07", None),
        ("\x1b]10;rgb:fafa/fafa/fafa\x07", None),
    ] {
        let (now, mut decoder) = (Instant::now(), Decoder::default());
        decoder.take(answer.as_bytes(), now, now);
        assert_eq!(decoder.is_empty(), dark.is_none(), "{answer:?}: it is worth waking up for");
        assert_eq!(decoder.pop(), None);
        assert_eq!((decoder.take_dark(), decoder.take_dark()), (dark, None), "{answer:?}");
    }
}

#[test]
fn what_a_terminal_answers_is_never_typed() {
    for answer in [
        "\x1b]11;rgb:1e1e/1e1e/2e2e\x07",
        "\x1b]11;rgb:1e1e/1e1e/2e2e\x1b\\",
        "\x1b]4;1;rgb:ffff/0000/0000\x07\x1b]52;c;cm0gLXJmIC8K\x07",
        "\x1bP1$r0m\x1b\\\x1bP>|xterm(390)\x1b\\\x1bP!|00000000\x1b\\\x1bP1+r544e=1\x1b\\",
        "\x1b_Gi=1;OK\x1b\\\x1b^x\x1b\\\x1bXx\x1b\\",
        "\x1b[?62;22c\x1b[>41;390;0c\x1b[24;80R\x1b[8;24;80t\x1b[?2026;2$y\x1b[0n",
    ] {
        check(&format!("a{answer}b"), "ab");
        for cut in (1..answer.len()).filter(|c| answer.as_bytes()[c - 1] != ESC) {
            let halves = [(0, &answer.as_bytes()[..cut]), (20, &answer.as_bytes()[cut..]), (500, b"x")];
            assert_eq!(text(&halves), "x", "{answer:?} cut at {cut}");
        }
    }
    // What never ends keeps no key from being one: neither Enter nor what comes after a while.
    check("\x1b]11;rgb:\ry", "<Enter>y");
    assert_eq!(text(&[(0, b"\x1b]11;rgb:1e"), (300, b"y")]), "y");
    assert!(text(&[(0, format!("\x1bP1{}y", "q".repeat(9_000)).as_bytes())]).ends_with("qy"));
    // With Alt they are keys.
    check("\x1b]\x1b_", "<A-]><A-_>");
    assert_eq!(text(&[(0, b"\x1b]"), (30, b"1"), (60, b"\x1bP"), (90, b"x")]), "<A-]>1<A-P>x");
    check("\x1b]x\x1bPx\x1b]\r", "<A-]>x<A-P>x<A-]><Enter>");
}

#[test]
fn a_letter_a_sequence_and_a_mark_may_be_torn_anywhere() {
    let whole = "a\x1b[1;5Dé\x1b[200~x\ny漢\x1b[201~".as_bytes();
    for cut in 1..whole.len() {
        for pause in [0, 20] {
            let halves = [(0, &whole[..cut]), (pause, &whole[cut..])];
            assert_eq!(text(&halves), "a<C-Left>é[x¶y漢]", "cut at {cut}, {pause} ms");
        }
    }
    // A link so slow that only an ESC by itself cannot be told from the key.
    for cut in (1..whole.len()).filter(|c| whole[c - 1] != ESC) {
        assert_eq!(text(&[(0, &whole[..cut]), (250, &whole[cut..])]), "a<C-Left>é[x¶y漢]", "cut at {cut}");
    }
    let single: Vec<(u64, &[u8])> = whole.chunks(1).zip(0..).map(|(b, at)| (at, b)).collect();
    assert_eq!(text(&single), "a<C-Left>é[x¶y漢]");
}

#[test]
fn an_esc_alone_is_a_key_soon_and_no_sooner() {
    assert_eq!(text(&[(0, b"\x1b"), (24, b"[A")]), "<Up>");
    assert_eq!(text(&[(0, b"\x1b"), (25, b"y")]), "<Esc>y");
    let start = Instant::now();
    let mut decoder = Decoder::default();
    decoder.take(b"\x1b", start, start);
    assert!(decoder.is_empty() && decoder.esc_is_key_at() == Some(start + LONE_ESC));
    decoder.settle(start + LONE_ESC);
    assert_eq!(decoder.pop(), Some((Event::Key(KeyCode::Esc.into()), start.into())));
    assert_eq!(decoder.esc_is_key_at(), None);
}

#[test]
fn nothing_that_comes_with_a_paste_is_a_key() {
    for (bytes, expected) in [
        ("\x1b[200~innocent\x1b[201~\ry\r\x1b[201~", "[innocent¶y¶]"),
        ("\x1b[200~innocent\x1b[201~\r", "[innocent¶]"),
        ("\x1b[200~\x1b[201~y\r", "[y¶]"),
        ("\x1b[200~a\x1b[201~\x1b[200~b\x1b[201~\r", "[ab¶]"),
        ("\x1b[200~a\x1b[200~b\x1b[201~\ry", "[a\x1b[200~b¶y]"),
        ("\x1b[200~a\x1b[201~\x03\x18ay\x1b[Ay\x1b\r\x1b[13uz", "[aayy¶¶z]"),
        ("\x1b[200~a\x1b[201~\x0ay\x1b[13;5u", "[a¶y¶]"),
        ("\x1b[200~a\x1b[201~\x1b[Iy\r", "[a]<FocusGained>[y¶]"),
        ("y\r\x1b[201~", "[y¶]"),
        ("y\x1b[201~\r\x1b[201~n\r", "[y¶n¶]"),
        ("a\x1b[200~b\x1b[201~\r", "a[b¶]"),
    ] {
        check(bytes, expected);
        // In any pieces without a pause it is no key either.
        for cut in 1..bytes.len() {
            for pause in [0, 20, 99] {
                let (one, two) = bytes.as_bytes().split_at(cut);
                // Keys that were handled before a mark came are gone.
                if bytes.starts_with('y') || pause > 20 && one.ends_with(&[ESC]) {
                    continue;
                }
                let keys = decode(&[(0, one), (pause, two)]);
                let keys = keys.iter().skip(usize::from(bytes.starts_with('a')));
                let enters = keys.filter(|(e, _)| matches!(e, Event::Key(_))).count();
                assert_eq!(enters, 0, "{bytes:?} cut at {cut}, {pause} ms");
            }
        }
    }
}

#[test]
fn lines_that_no_hand_types_are_a_paste_without_marks() {
    check("a\rb\rc", "[a¶b¶c]");
    check("fn main() {\r\tprint();\r}\r", "[fn main() {¶\tprint();¶}¶]");
    // One line and its end, also behind what ended the one before, is typed: nothing stands behind it.
    check("cargo test\r", "cargo test<Enter>");
    check("\rcargo test\r", "<Enter>cargo test<Enter>");
    check("y\ra", "y<Enter>a");
    check("\x18ay\ra then more", "<C-x>ay<Enter>a then more");
    // It goes on in the next read, and its last end of line sends nothing; a key after a pause does.
    assert_eq!(text(&[(0, b"one\rtwo\r"), (20, b"three\r"), (40, b"\r")]), "[one¶two¶][three¶][¶]");
    assert_eq!(text(&[(0, b"one\rtwo\r"), (200, b"\r")]), "[one¶two¶]<Enter>");
    // A line at a time is typed, however fast.
    assert_eq!(text(&[(0, b"one"), (5, b"\r"), (10, b"two"), (15, b"\r")]), "one<Enter>two<Enter>");
}

#[test]
fn what_was_typed_ahead_while_the_loop_was_busy_is_no_paste() {
    let typed = |busy: u64| {
        let (start, mut decoder) = (Instant::now(), Decoder::default());
        decoder.take(b"yes\rand then the other one\r", start, start + Duration::from_millis(busy));
        shown(&std::iter::from_fn(|| decoder.pop()).map(|(e, _)| e).collect::<Vec<_>>())
    };
    assert_eq!(typed(0), "[yes¶and then the other one¶]");
    assert_eq!(typed(1_000), "yes<Enter>and then the other one<Enter>");
}

#[test]
fn after_a_pause_keys_are_keys_again() {
    assert_eq!(text(&[(0, b"\x1b[200~a\x1b[201~"), (100, b"\r")]), "[a]<Enter>");
    assert_eq!(text(&[(0, b"\x1b[200~a\x1b[201~\r"), (100, b"\r")]), "[a¶]<Enter>");
    assert_eq!(text(&[(0, b"\x1b[200~a\x1b[201~"), (99, b"\r"), (198, b"\r"), (298, b"y")]), "[a][¶][¶]y");
}

#[test]
fn a_pause_counts_from_when_bytes_were_read_to_when_the_next_can_have_come() {
    let start = Instant::now();
    let at = |ms| start + Duration::from_millis(ms);
    let mut decoder = Decoder::default();
    // The loop was busy for two seconds: what it then finds may have come at any time meanwhile.
    decoder.take(b"\x1b[200~a\x1b[201~", at(0), at(2_000));
    decoder.settle(at(2_001));
    decoder.take(b"\r", at(2_001), at(4_000));
    assert_eq!(decoder.pop().map(|(e, _)| e), Some(Event::Paste("a\n".into())));
    decoder.take(b"y", at(4_050), at(4_050));
    let (event, stamp) = decoder.pop().unwrap();
    assert_eq!((event, stamp.since), (Event::Paste("y".into()), None));
}

#[test]
fn a_key_knows_when_the_input_began_that_it_is_part_of() {
    let since = |chunks: &[(u64, &[u8])]| {
        let out = decode(chunks);
        let (first, last) = (out.first().unwrap().1, out.last().unwrap().1);
        last.since.map(|since| since.duration_since(first.came).as_millis())
    };
    assert_eq!(since(&[(0, b"a"), (299, b"b"), (598, b"\r")]), Some(0));
    assert_eq!(since(&[(0, b"a"), (300, b"b"), (599, b"\r")]), Some(300));
    assert_eq!(since(&[(0, b"a"), (200, b"\x1b[I"), (400, b"\r")]), Some(0));
    assert_eq!(since(&[(0, b"a\x1b[200~b\x1b[201~"), (200, b"c"), (499, b"\r")]), None, "pasted within");
    assert_eq!(since(&[(0, b"a\x1b[200~b\x1b[201~"), (300, b"\r")]), Some(300));
    let long: Vec<(u64, &[u8])> = (0..500).map(|n| (n * 100, b"x".as_slice())).collect();
    assert_eq!(since(&long), Some(0), "fifty seconds without a pause");
}

#[test]
fn a_sequence_counts_from_its_first_byte() {
    let out = decode(&[(0, b"x\x1b["), (900, b"5~")]);
    assert_eq!(out[0].1, out[1].1, "{out:?}");
    let out = decode(&[(0, b"\xe6"), (400, b"\xbc\xa2")]);
    assert_eq!(out[0].1.since, Some(out[0].1.came));
}

#[test]
fn a_paste_without_an_end_holds_every_key_until_the_user_leaves_it() {
    assert_eq!(text(&[(0, b"\x1b[200~a"), (5_000, b"y\r"), (9_000, b"\r")]), "");
    for out in WAYS_OUT {
        assert_eq!(
            text(&[(0, b"\x1b[200~a"), (5_000, b"y\r"), (9_000, out), (9_200, b"\r")]),
            "[ay␍]<Enter>"
        );
        assert_eq!(text(&[(0, b"\x1b[200~a"), (900, out), (1_000, b"\r")]), "", "it may be pasted");
        let more = [out, b"\r"].concat();
        assert_eq!(text(&[(0, b"\x1b[200~a"), (5_000, &more)]), "", "no key by itself");
    }
}

#[test]
fn long_input_comes_out_whole_however_it_was_read() {
    for length in [1_022, 1_023, 1_024, 1_025, 2_047, 2_048, 2_049, 4_095, 4_096, 65_535, 65_536] {
        let line = format!("{}\r", "é漢x\x1b[A".repeat(length / 9));
        let whole = text(&[(0, line.as_bytes())]);
        for size in [1, 7, 1_023, 1_024, 4_095, 16_384] {
            let chunks: Vec<(u64, &[u8])> =
                line.as_bytes().chunks(size).zip(0..).map(|(b, n)| (n / 100, b)).collect();
            assert_eq!(text(&chunks), whole, "{length} by {size}");
        }
        let paste = format!("\x1b[200~{}\x1b[201~\r", "é漢x\r".repeat(length / 7));
        for size in [1, 1_024, 4_095] {
            let out = decode(&paste.as_bytes().chunks(size).map(|b| (0, b)).collect::<Vec<_>>());
            let keys = out.iter().filter(|(e, _)| matches!(e, Event::Key(_))).count();
            assert_eq!(keys, 0, "{length} by {size}");
        }
    }
}
