#![allow(clippy::unwrap_used)]

use pilothouse_core::blob::Blob;

use super::*;
use crate::disk::RealDisk;

fn none(_: &Path) -> Vec<Wrote> {
    Vec::new()
}

/// A write from one text to another.
fn write(store: &Path, at: u64, before: &str, after: &str) -> Wrote {
    let blobs = Blobs::under(store);
    let keep = |text: &str| {
        let blob = Blob::new(text.as_bytes().to_vec());
        blobs.put(&RealDisk, &blob).unwrap();
        Content::Is(blob.id())
    };
    let (before, after) = (keep(before), keep(after));
    let (session, goal, message) = (at.to_string(), String::new(), String::new());
    Wrote {
        session,
        apply: ApplyId(at),
        at: Millis(at),
        goal,
        message,
        step: None,
        call: None,
        command: None,
        model: None,
        approval: None,
        by: None,
        gates: Vec::new(),
        file: None,
        path: RelPath::new("a").unwrap(),
        renames: None,
        before,
        after,
        store: store.to_owned(),
    }
}

#[test]
fn a_line_comes_from_the_write_that_brought_it_whoever_wrote_in_between() {
    let store = tempfile::tempdir().unwrap();
    let first = write(store.path(), 1, "a\nb\n", "a\nB\nb\n");
    let second = write(store.path(), 2, "a\nB\nb\nhand\n", "a\nB\nb\nhand\nC\n");
    let (from, met) = trace(b"mine\na\nB\nb\nhand\nC\n", vec![first, second], &mut Vec::new(), none);
    let by = |n: usize| met.get(n).map(|w| w.apply.0);
    let told: Vec<_> = from
        .iter()
        .map(|from| match from {
            From::Before => "before".to_owned(),
            From::Others => "others".to_owned(),
            From::Write(n) => format!("{:?}", by(*n)),
        })
        .collect();
    assert_eq!(told, ["others", "before", "Some(1)", "before", "others", "Some(2)"]);
}

#[test]
fn a_line_that_only_one_text_has_is_kept_nowhere_and_moves_no_other() {
    let lines = |text: &'static str| diff::lines(text.as_bytes());
    let of = |old, new| kept(&lines(old), &lines(new));
    assert_eq!(of("a\nx\nb\ny\nc\n", "1\na\n2\nb\nc\n3\n"), [None, Some(0), None, Some(2), Some(4), None]);
    assert_eq!(of("a\nb\na\n", "b\na\na\n"), diff::kept(&lines("a\nb\na\n"), &lines("b\na\na\n")));
    assert_eq!(of("x\n", "y\n"), [None]);
    assert_eq!(of("", "y\n"), [None]);
}

#[test]
fn what_stands_there_tells_the_order_not_the_clock() {
    let store = tempfile::tempdir().unwrap();
    // The clock went back between the two.
    let first = write(store.path(), 9, "a\n", "a\nb\n");
    let second = write(store.path(), 3, "a\nb\n", "a\nb\nc\n");
    let (from, met) = trace(b"a\nb\nc\n", vec![second, first], &mut Vec::new(), none);
    assert_eq!(met.iter().map(|w| w.apply.0).collect::<Vec<_>>(), [3, 9]);
    assert_eq!(from, [From::Before, From::Write(1), From::Write(0)]);
}

#[test]
fn a_content_that_is_lost_hides_no_other_write() {
    let store = tempfile::tempdir().unwrap();
    let kept = write(store.path(), 1, "a\n", "a\nb\n");
    let gone =
        Wrote { after: Content::Is(BlobId::of(b"gone")), ..write(store.path(), 2, "a\nb\n", "a\nb\nc\n") };
    let mut gaps = Vec::new();
    let (from, _) = trace(b"a\nb\nc\n", vec![kept, gone], &mut gaps, none);
    assert_eq!(from, [From::Before, From::Write(0), From::Others]);
    assert_eq!(gaps, ["apply-2 of session 2: its contents are not kept"]);
}

#[test]
fn a_file_is_gone_on_with_under_its_older_name_and_names_in_a_circle_end() {
    let store = tempfile::tempdir().unwrap();
    let moved = |at, from: &str, path: &str| Wrote {
        session: path.to_owned(),
        path: RelPath::new(path).unwrap(),
        renames: Some(PathBuf::from(from)),
        ..write(store.path(), at, "", "a\nb\n")
    };
    let first = write(store.path(), 1, "", "a\nb\n");
    let (there, back) = (moved(2, "a", "b"), moved(3, "b", "a"));
    let of = |name: &Path| match name.to_str().unwrap() {
        "a" => vec![first.clone(), back.clone()],
        _ => vec![there.clone()],
    };
    let (from, met) = trace(b"a\nb\nc\n", vec![first.clone(), back.clone()], &mut Vec::new(), of);
    assert_eq!(from, [From::Write(2), From::Write(2), From::Others]);
    assert_eq!(met, [back.clone(), there.clone(), first.clone()]);
    // Two clocks that say the same.
    let back = Wrote { at: there.at, ..back };
    let of = |name: &Path| if name == "a" { vec![back.clone()] } else { vec![there.clone()] };
    let (from, met) = trace(b"a\nb\n", vec![back.clone()], &mut Vec::new(), of);
    assert_eq!((from, met), (vec![From::Before; 2], vec![back.clone(), there.clone()]));
}

#[test]
fn what_a_write_moved_is_told_by_its_content() {
    let path = |name: &str| RelPath::new(name).unwrap();
    let [x, y, kept] = ["x", "y", "kept"].map(|text| Content::Is(BlobId::of(text.as_bytes())));
    let (old, other, new, copied) = (path("one/a"), path("one/b"), path("two/b"), path("c"));
    let states = [
        (&old, x, Content::Nothing),
        (&other, x, Content::Nothing),
        (&new, y, x),
        (&copied, Content::Nothing, kept),
    ];
    assert_eq!(renamed(&states, &new, x), Some(&other), "one of the same name first");
    assert_eq!(renamed(&states[..1], &new, x), Some(&old));
    assert_eq!(renamed(&states, &copied, kept), None);
    assert_eq!(renamed(&[(&old, Content::Nothing, Content::Nothing)], &new, Content::Nothing), None);
}

#[test]
fn what_was_put_back_by_hand_brought_no_line() {
    let store = tempfile::tempdir().unwrap();
    let first = write(store.path(), 1, "one\ntwo\nthree\n", "one\ntwo\nTHREE\n");
    let second = write(store.path(), 2, "one\ntwo\nTHREE\n", "one\nTWO\nTHREE\n");
    let third = write(store.path(), 3, "one\nTWO\nTHREE\n", "THREE\n");
    let (from, met) = trace(b"one\ntwo\nTHREE\n", vec![first, second, third], &mut Vec::new(), none);
    assert_eq!(from, [From::Before, From::Before, From::Write(0)]);
    assert_eq!(met.iter().map(|w| w.apply.0).collect::<Vec<_>>(), [1]);
}
