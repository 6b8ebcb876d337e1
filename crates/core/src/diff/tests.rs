use super::*;
use crate::encoding::Encoding;
use proptest::prelude::*;

fn text() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(
        prop_oneof!["[abc]{0,2}\n", "[abc]{0,2}\r\n", Just("\u{feff}x".to_owned()), Just("\0\n".to_owned())],
        0..40,
    )
    .prop_map(|v| v.concat().into_bytes())
}

/// A text in UTF-8, or in UTF-16 with its mark or without.
fn any_text() -> impl Strategy<Value = Vec<u8>> {
    (text(), 0..5).prop_map(|(text, form)| {
        let plain = String::from_utf8(text).unwrap();
        let units = if form > 2 {
            plain.encode_utf16().collect()
        } else {
            format!("\u{feff}{plain}").encode_utf16().collect::<Vec<u16>>()
        };
        match form {
            0 => plain.into_bytes(),
            1 | 3 => units.into_iter().flat_map(u16::to_le_bytes).collect(),
            _ => units.into_iter().flat_map(u16::to_be_bytes).collect(),
        }
    })
}

proptest! {
    #[test]
    fn taking_all_gives_the_new_text_also_where_the_two_are_in_other_encodings(a in any_text(), b in any_text()) {
        let h = hunks(&a, &b);
        prop_assert_eq!(&select(&a, &b, &h, &(0..h.len()).collect()), &b);
        prop_assert_eq!(&select(&a, &b, &h, &BTreeSet::new()), &a);
        let parts: Vec<Hunk> = h.iter().flat_map(Hunk::parts).collect();
        prop_assert_eq!(&select(&a, &b, &parts, &(0..parts.len()).collect()), &b);
        prop_assert_eq!(rebase(&a, &b, &a), Rebased { text: b.clone(), meets: vec![] });
        prop_assert_eq!(rebase(&a, &a, &b), Rebased { text: b.clone(), meets: vec![] });
        prop_assert_eq!(rebase(&a, &b, &b), Rebased { text: b.clone(), meets: vec![] });
    }

    #[test]
    fn taking_all_gives_the_new_text_and_none_the_old(a in text(), b in text()) {
        let h = hunks(&a, &b);
        prop_assert_eq!(&select(&a, &b, &h, &(0..h.len()).collect()), &b);
        prop_assert_eq!(&select(&a, &b, &h, &BTreeSet::new()), &a);
    }

    #[test]
    fn parts_of_hunks_come_to_the_same_and_each_is_taken_alone(a in text(), b in text(), pick in any::<u64>()) {
        let whole = hunks(&a, &b);
        let mut parts: Vec<Hunk> = whole.iter().flat_map(Hunk::parts).collect();
        for _ in 0..2 {
            prop_assert_eq!(&select(&a, &b, &parts, &(0..parts.len()).collect()), &b);
            let taken: BTreeSet<usize> = (0..parts.len()).filter(|i| pick >> (i % 64) & 1 == 1).collect();
            let size = |p: &Hunk| (p.added(), p.removed());
            let (added, removed) = parts.iter().enumerate().filter(|(i, _)| taken.contains(i))
                .fold((0, 0), |(x, y), (_, p)| (x + size(p).0, y + size(p).1));
            let got = select(&a, &b, &parts, &taken);
            prop_assert_eq!(lines(&got).len() + removed, lines(&a).len() + added);
            parts = parts.iter().flat_map(Hunk::parts).collect();
        }
        prop_assert!(parts.iter().all(|p| p.parts().len() == 1));
    }

    #[test]
    fn a_change_alone_is_carried_over_whole_and_two_never_lose_a_line_of_ours(a in text(), b in text(), c in text()) {
        prop_assert_eq!(rebase(&a, &b, &a), Rebased { text: b.clone(), meets: vec![] });
        prop_assert_eq!(rebase(&a, &a, &c), Rebased { text: c.clone(), meets: vec![] });
        prop_assert_eq!(rebase(&a, &b, &b), Rebased { text: b.clone(), meets: vec![] });
        let (over, back) = (rebase(&a, &b, &c), rebase(&a, &c, &b));
        prop_assert_eq!(over.meets.len(), back.meets.len());
        // What both put in at one place stands in the order of the others: the same lines all the same.
        let sorted = |text: &[u8]| {
            let bare = |line: &[u8]| line.strip_suffix(b"\n").unwrap_or(line).to_vec();
            let mut lines: Vec<_> = lines(text).into_iter().map(bare).collect();
            lines.sort();
            lines
        };
        prop_assert!(!over.meets.is_empty() || sorted(&over.text) == sorted(&back.text));
        prop_assert!(over.meets.iter().all(|m| m.end() <= lines(&c).len()));
    }

    #[test]
    fn lines_that_stand_in_both_came_of_themselves_and_all_lines_of_all(a in text(), b in text()) {
        let (whole, old, new) = (hunks(&a, &b), lines(&a), lines(&b));
        let all = |text: &[&[u8]]| Lines { start: 0, len: text.len() };
        prop_assert_eq!(came_of(all(&new), &whole), all(&old));
        let changes: Vec<Change> = whole.iter().flat_map(|h| h.changes.clone()).collect();
        for n in 0..new.len() {
            let line = Lines { start: n, len: 1 };
            let of = came_of(line, &whole);
            prop_assert!(of.end() <= old.len());
            if !changes.iter().any(|c| c.new.start <= line.end() && n <= c.new.end()) {
                prop_assert_eq!((of.len, old.get(of.start)), (1, new.get(n)));
            }
            for c in changes.iter().filter(|c| c.new.start <= n && n < c.new.end()) {
                prop_assert!(of.start <= c.old.start && c.old.end() <= of.end());
            }
        }
    }

    #[test]
    fn a_hunk_is_known_again_only_as_the_same_lines_at_the_same_place(a in text(), b in text(), c in text(), cut in 0usize..9) {
        let mut known = hunks(&a, &b);
        if let Some(n) = cut.checked_rem(known.len()) {
            let parts: Vec<Hunk> = known.iter().skip(n).take(1).flat_map(Hunk::parts).collect();
            known.splice(n..=n, parts);
        }
        let older = Version { before: &a, after: &b, hunks: &known };
        let same: Vec<_> = known.iter().cloned().enumerate().map(|(n, h)| (h, Some(n))).collect();
        prop_assert_eq!(hunks_since(older, &a, &b), same);
        // Beside what others did: each that is known takes away and puts in what it did, and each once.
        let after = rebase(&a, &b, &c).text;
        let found = hunks_since(older, &c, &after);
        let again: Vec<Hunk> = found.iter().map(|(h, _)| h.clone()).collect();
        prop_assert_eq!(select(&c, &after, &again, &(0..again.len()).collect()), after.clone());
        let texts = |x: &[u8], y: &[u8], h: &Hunk| {
            let of = |t: &[u8], at: Lines| lines(t).get(at.start..at.end()).unwrap().concat();
            h.changes.iter().map(|c| (of(x, c.old), of(y, c.new))).collect::<Vec<_>>()
        };
        let mut last = None;
        for (hunk, of) in &found {
            let Some(of) = of else { continue };
            prop_assert!(last < Some(*of));
            last = Some(*of);
            prop_assert_eq!(texts(&c, &after, hunk), texts(&a, &b, known.get(*of).unwrap()));
        }
    }

    #[test]
    fn bytes_outside_taken_hunks_stay(a in text(), b in text(), pick in any::<u64>()) {
        let h = hunks(&a, &b);
        let taken: BTreeSet<usize> = (0..h.len()).filter(|i| pick >> (i % 64) & 1 == 1).collect();
        let got = select(&a, &b, &h, &taken);
        let again = hunks(&a, &got);
        let kept: Vec<_> = h.iter().enumerate().filter(|(i, _)| !taken.contains(i)).map(|(_, h)| h.old()).collect();
        for hunk in again {
            let o = hunk.old();
            prop_assert!(kept.iter().all(|k| k.len == 0 || o.end() <= k.start || o.start >= k.end() || o.len == 0));
        }
    }
}

#[test]
fn a_change_moves_over_to_a_file_that_changed_elsewhere() {
    let got = rebase(b"a\nb\nc\nd\ne\n", b"a\nB\nc\nd\ne\n", b"a\nb\nc\nd\nE\nf\n");
    assert_eq!(got, Rebased { text: b"a\nB\nc\nd\nE\nf\n".to_vec(), meets: vec![] });
    let met = rebase(b"a\nb\nc\nd\n", b"a\nB\nc\nd\n", b"a\nx\nc\nD\n");
    assert_eq!(met, Rebased { text: b"a\nB\nc\nD\n".to_vec(), meets: vec![Lines { start: 1, len: 1 }] });
    assert_eq!(rebase(b"a\nb\n", b"a\nB\n", b"a\nB\n").meets, [], "they made the same of it");
    let lower = rebase(b"a\nb\nc\nd\n", b"a\nb\nc\nD\n", b"0\n1\na\nb\nc\nx\ny\n");
    assert_eq!(lower.meets, [Lines { start: 5, len: 2 }], "counted in what stands there now");
}

#[test]
fn lines_that_are_put_in_beside_a_change_meet_nothing() {
    for (before, after, now, wanted) in [
        ("4\n", "3\n", "4\nmine\n", "3\nmine\n"),
        ("4\n", "3\n", "mine\n4\n", "mine\n3\n"),
        ("a\nb\nc\n", "a\nc\n", "a\nb\nmine\nc\n", "a\nmine\nc\n"),
        ("a\nc\n", "a\nb\nc\n", "a\nC\n", "a\nb\nC\n"),
        ("a\nb\n", "A\nB\n", "0\na\nb\n9\n", "0\nA\nB\n9\n"),
    ] {
        let got = rebase(before.as_bytes(), after.as_bytes(), now.as_bytes());
        assert_eq!((std::str::from_utf8(&got.text).unwrap(), &got.meets[..]), (wanted, &[][..]), "{now}");
    }
    for (before, after, now, meets) in [
        // It begins alike, or one holds the other: one thing that each made its way.
        ("a\nb\n", "a\nx\n1\nb\n", "a\n\nx\n2\nb\n", Lines { start: 1, len: 3 }),
        ("a\nb\n", "a\nx\ny\nb\n", "a\ny\nb\n", Lines { start: 1, len: 1 }),
        // A file that both made has no place in it that is the same one.
        ("", "x\n", "y\n", Lines { start: 0, len: 1 }),
        ("a\nb\nc\n", "A\nB\nc\n", "a\nmine\nb\nc\n", Lines { start: 1, len: 1 }),
        ("a\nb\nc\n", "A\nb\nc\n", "a\nB\nc\n", Lines { start: 1, len: 1 }),
    ] {
        assert_eq!(rebase(before.as_bytes(), after.as_bytes(), now.as_bytes()).meets, [meets], "{now}");
    }
}

#[test]
fn lines_that_both_put_in_at_one_place_both_stand_there_the_others_first() {
    for (before, after, now, wanted) in [
        ("a\nb\n", "a\nours\nb\n", "a\ntheirs\nb\n", "a\ntheirs\nours\nb\n"),
        ("a\n}\n", "a\nx() {\n}\n}\n", "a\ny() {\n}\n}\n", "a\ny() {\n}\nx() {\n}\n}\n"),
        ("a\n", "a\nours", "a\ntheirs\n", "a\ntheirs\nours"),
        ("a\n", "ours\na\n", "theirs\na\nlast\n", "theirs\nours\na\nlast\n"),
    ] {
        let got = rebase(before.as_bytes(), after.as_bytes(), now.as_bytes());
        assert_eq!((std::str::from_utf8(&got.text).unwrap(), &got.meets[..]), (wanted, &[][..]), "{now}");
        let back = rebase(now.as_bytes(), &got.text, before.as_bytes());
        assert_eq!(std::str::from_utf8(&back.text).unwrap(), after, "carried back it is the same one");
    }
}

#[test]
fn far_changes_are_hunks_of_their_own() {
    let old = (0..30).map(|n| n.to_string()).collect::<Vec<_>>().join("\n") + "\n";
    let new = old.replace("\n3\n", "\nthree\n").replace("\n20\n", "\ntwenty\n");
    let h = hunks(old.as_bytes(), new.as_bytes());
    assert_eq!(h.len(), 2);
    let first = select(old.as_bytes(), new.as_bytes(), &h, &BTreeSet::from([0]));
    assert_eq!(String::from_utf8(first).unwrap(), old.replace("\n3\n", "\nthree\n"));
}

#[test]
fn of_equal_changes_the_one_that_others_took_away_is_not_known_again() {
    let far = (0..9).map(|n| n.to_string()).collect::<Vec<_>>().join("\n") + "\n";
    let (before, after) = (format!("foo\n{far}foo\n"), format!("bar\n{far}bar\n"));
    let known = hunks(before.as_bytes(), after.as_bytes());
    let older = Version { before: before.as_bytes(), after: after.as_bytes(), hunks: &known };
    for (now, wanted) in [
        (format!("other\n{far}foo\n"), vec![None, Some(1)]),
        (format!("bar\n{far}foo\n"), vec![Some(1)]),
        (format!("new\n\nfoo\n{far}foo\n"), vec![None, Some(1)]),
        (format!("foo\n{}foo\n", far.replace('4', "one\nmore")), vec![Some(0), Some(1)]),
    ] {
        let rebased = rebase(before.as_bytes(), after.as_bytes(), now.as_bytes()).text;
        let same: Vec<_> =
            hunks_since(older, now.as_bytes(), &rebased).into_iter().map(|(_, of)| of).collect();
        assert_eq!(same, wanted, "{now}");
    }
}

#[test]
fn the_head_of_a_hunk_says_where_its_lines_stand() {
    let heads = |before: &str, after: &str| -> Vec<String> {
        unified(before, after).lines().filter(|l| l.starts_with("@@")).map(str::to_owned).collect()
    };
    assert_eq!(heads("a\nb\n", "a\nc\n"), ["@@ -1,2 +1,2 @@"]);
    assert_eq!(heads("", "a\nb\n"), ["@@ -0,0 +1,2 @@"], "after no line");
    assert_eq!(heads("a\n", ""), ["@@ -1 +0,0 @@"], "one line has no count");
    let many = (1..=20).map(|n| n.to_string()).collect::<Vec<_>>().join("\n") + "\n";
    let changed = many.replace("\n3\n", "\nx\n").replace("\n18\n", "\n");
    assert_eq!(heads(&many, &changed), ["@@ -1,6 +1,6 @@", "@@ -15,6 +15,5 @@"]);
}

#[test]
fn lines_of_utf_16_end_where_its_newlines_do() {
    for endian in [Endian::Little, Endian::Big] {
        let wide = |text: &str| Encoding::Utf16(endian).encode(&format!("\u{feff}{text}"), b"").unwrap();
        // Each of these has the byte of a newline in it.
        let (old, new) = (wide("上\n《\nĊ\nऊ"), wide("上\nx\nĊ\nऊ\ny\n"));
        assert_eq!((lines(&old).len(), lines(&new).len()), (4, 5));
        assert_eq!(lines(&old).concat(), old);
        let mut parts: Vec<Hunk> = hunks(&old, &new).iter().flat_map(Hunk::parts).collect();
        assert_eq!(select(&old, &new, &parts, &(0..parts.len()).collect()), new);
        parts.truncate(1);
        assert_eq!(select(&old, &new, &parts, &BTreeSet::from([0])), wide("上\nx\nĊ\nऊ"));
        let theirs = wide("0\n上\n《\nĊ\nऊ");
        let both = rebase(&old, &wide("上\n《\nĊ\nऊ\ny"), &theirs);
        assert_eq!(both, Rebased { text: wide("0\n上\n《\nĊ\nऊ\ny"), meets: vec![] });
    }
}
