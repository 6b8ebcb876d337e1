//! Logs cut at every byte, with flipped bits, joined, doubled, swapped.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]
use std::collections::BTreeSet;

use pilothouse_core::{
    blob::Excerpt,
    event::{Event, Level},
    ids::{Millis, TurnId},
    intent::Phase,
};
use proptest::prelude::Rng;
use proptest::test_runner::{RngAlgorithm, TestRng};

use super::*;
use crate::disk::{
    RealDisk,
    fault::{Failing, FaultyDisk},
};

fn event(seq: u64) -> Stamped {
    let event = match seq % 3 {
        0 => Event::Notice { level: Level::Info, text: format!("note {seq} \"{{\"n\":1,\" ä\n") },
        1 => Event::TurnStarted {
            turn: TurnId(seq),
            text: Excerpt::of(format!("do {seq}"), &mut Vec::new()),
            branch: None,
        },
        _ => Event::PhaseChanged { from: Phase::Idle, to: Phase::Planning },
    };
    Stamped { seq: Seq(seq), at: Millis(seq * 7), run: None, event }
}

/// The bytes of a record's line, and the numbers of its events.
type Line = (std::ops::Range<usize>, Vec<u64>);

/// 200 events in steps of one to four, as bytes, with the line of each record.
fn sample() -> (Vec<u8>, Vec<Line>) {
    let mut bytes = frame::encode_meta(&meta()).unwrap();
    let (mut lines, mut seq, mut prev) = (Vec::new(), 1, 0);
    while seq <= 200 {
        let step: Vec<Stamped> = (seq..=(seq + seq % 4).min(200)).map(event).collect();
        seq += step.len() as u64;
        let (line, crc) = frame::encode(prev, &step).unwrap();
        prev = crc;
        lines.push((bytes.len()..bytes.len() + line.len(), step.iter().map(|e| e.seq.0).collect()));
        bytes.extend(line);
    }
    (bytes, lines)
}

fn meta() -> Meta {
    Meta {
        slug: "s".into(),
        folder: "/w".into(),
        created: 5,
        version: "0.1.0".into(),
        parent: None,
        imported: false,
    }
}

fn seqs(index: &Index) -> BTreeSet<u64> {
    index.places.iter().flat_map(|p| p.first.0..p.end()).collect()
}

fn whole(lines: &[Line], keep: impl Fn(&std::ops::Range<usize>) -> bool) -> BTreeSet<u64> {
    lines.iter().filter(|l| keep(&l.0)).flat_map(|l| l.1.clone()).collect()
}

fn read_all(log: &mut Log) -> Vec<u64> {
    let mut all = Vec::new();
    log.replay(|e| all.push(e.seq.0)).unwrap();
    all
}

#[test]
fn a_log_cut_at_every_byte_keeps_every_whole_record() {
    let (bytes, lines) = sample();
    for cut in 0..=bytes.len() {
        let index = Index::read(&bytes[..cut]).unwrap();
        // The line ending itself is not needed for a record to be whole.
        assert_eq!(seqs(&index), whole(&lines, |r| r.end <= cut + 1), "cut at {cut}");
        assert!(index.report.damage.is_empty() && index.report.gaps.is_empty());
    }
}

#[test]
fn a_cut_log_opens_sets_the_torn_end_aside_and_goes_on() {
    let (bytes, lines) = sample();
    for cut in (0..bytes.len()).step_by(1009) {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join(FILE), &bytes[..cut]).unwrap();
        let looked = Log::read(dir.path()).unwrap().report().clone();
        let mut log = Log::open(dir.path(), &meta()).unwrap();
        let have = read_all(&mut log);
        assert_eq!(have.iter().copied().collect::<BTreeSet<_>>(), whole(&lines, |r| r.end <= cut + 1));
        assert_eq!(looked.sound(), log.report().torn.is_none(), "cut at {cut}");
        assert_eq!(looked.warnings().iter().any(|w| w.contains("torn record")), log.report().torn.is_some());
        if let Some(name) = log.report().torn.clone() {
            let side = std::fs::read(dir.path().join(name)).unwrap();
            assert_eq!(side, bytes[cut - side.len()..cut]);
        }
        let next = have.last().copied().unwrap_or(0) + 1;
        log.append(&RealDisk, &[vec![event(next)], vec![event(next + 1)]]).unwrap();
        drop(log);
        let mut log = Log::open(dir.path(), &meta()).unwrap();
        assert!(log.report().sound(), "cut at {cut}: {:?}", log.report());
        assert_eq!(read_all(&mut log), (1..next + 2).collect::<Vec<_>>());
    }
}

#[test]
fn a_flipped_bit_costs_only_the_record_that_it_hits() {
    let (bytes, lines) = sample();
    let mut rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    for _ in 0..2000 {
        let at = usize::try_from(rng.next_u64() % bytes.len() as u64).unwrap();
        let mut hurt = bytes.clone();
        hurt[at] ^= 1 << (rng.next_u64() % 8);
        let index = Index::read(&hurt[..]).unwrap();
        let sure = whole(&lines, |r| !(r.start..r.end - 1).contains(&at));
        assert!(seqs(&index).is_superset(&sure), "flip at {at}: lost {:?}", sure.difference(&seqs(&index)));
        for place in &index.places {
            let from = usize::try_from(place.at).unwrap();
            assert_eq!(parse(&hurt[from..from + place.len as usize]).1, 0);
        }
    }
}

#[test]
fn after_damage_in_the_middle_the_file_is_kept_and_new_records_are_read_back() {
    let (mut bytes, lines) = sample();
    let hit = lines[20].0.start + 40;
    bytes[hit] ^= 1;
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join(FILE), &bytes).unwrap();
    let mut log = Log::open(dir.path(), &meta()).unwrap();
    assert_eq!(log.report().gaps, [(lines[20].1[0], *lines[20].1.last().unwrap())]);
    assert!(!log.report().sound() && !log.report().warnings().is_empty());
    log.append(&RealDisk, &[vec![event(201)]]).unwrap();
    drop(log);
    assert!(std::fs::read(dir.path().join(FILE)).unwrap().starts_with(&bytes));
    let mut log = Log::open(dir.path(), &meta()).unwrap();
    assert_eq!(read_all(&mut log).last(), Some(&201));
}

#[test]
fn strange_files_are_read() {
    let (bytes, lines) = sample();
    let all = whole(&lines, |_| true);
    let text = String::from_utf8(bytes.clone()).unwrap();
    let crlf = text.replace('\n', "\r\n").into_bytes();
    let bom = [b"\xef\xbb\xbf".as_slice(), &bytes].concat();
    let nul = [&bytes[..lines[9].0.start], &[0; 4096], &bytes[lines[9].0.start..]].concat();
    let joined = text.replace("}\n{\"n\"", "}{\"n\"").into_bytes();
    let doubled: Vec<u8> = text.split_inclusive('\n').flat_map(|l| [l, l].concat().into_bytes()).collect();
    let mut swapped: Vec<&str> = text.split_inclusive('\n').collect();
    swapped.swap(5, 6);
    let blank = text.replace('\n', "\n\n").into_bytes();
    let headless = bytes[lines[0].0.start..].to_vec();
    for (name, file) in [
        ("crlf", crlf),
        ("bom", bom),
        ("nul", nul),
        ("joined", joined),
        ("doubled", doubled),
        ("swapped", swapped.concat().into_bytes()),
        ("blank", blank),
        ("headless", headless),
    ] {
        let index = Index::read(&file[..]).unwrap();
        assert_eq!(seqs(&index), all, "{name}");
        assert!(index.places.is_sorted_by_key(|p| p.first), "{name}");
        assert!(index.report.gaps.is_empty() && index.torn_at.is_none(), "{name}");
    }
}

#[test]
fn a_line_of_100_mb_is_stepped_over() {
    let (bytes, lines) = sample();
    let at = lines[30].0.start;
    let file = bytes[..at].chain(io::repeat(b'x').take(100 << 20)).chain(&b"\n"[..]).chain(&bytes[at..]);
    let index = Index::read(BufReader::with_capacity(1 << 20, file)).unwrap();
    assert_eq!(seqs(&index), whole(&lines, |_| true));
    assert_eq!(index.report.damage.len(), 1);
}

#[test]
fn events_of_the_future_are_left_out_and_counted() {
    let payload = serde_json::to_string(&event(1)).unwrap();
    let events = format!("[{payload},{{\"seq\":2,\"at\":1,\"type\":\"dreamt\",\"of\":\"sheep\"}}]");
    let (known, left) = parse(events.as_bytes());
    assert_eq!((known, left), (vec![event(1)], 1));
    let newer = b"{\"pilothouse\":\"session\",\"format\":9,\"crc\":\"00000000\",\"meta\":{}}\n";
    assert!(Index::read(&newer[..]).unwrap().report.records == 0);
}

#[test]
fn a_second_opening_is_locked_out_until_the_first_ends() {
    let dir = tempfile::tempdir().unwrap();
    let first = Log::open(dir.path(), &meta()).unwrap();
    let Err(RuntimeError::Locked { holder, .. }) = Log::open(dir.path(), &meta()) else {
        panic!("not locked")
    };
    assert!(holder.contains(&std::process::id().to_string()));
    assert!(!Log::read(dir.path()).unwrap().writable());
    drop(first);
    assert!(Log::open(dir.path(), &meta()).unwrap().writable());
}

#[test]
fn events_are_found_by_number_and_by_page() {
    let dir = tempfile::tempdir().unwrap();
    let (bytes, _) = sample();
    std::fs::write(dir.path().join(FILE), &bytes).unwrap();
    let log = Log::open(dir.path(), &meta()).unwrap();
    assert_eq!(log.event(Seq(77)).unwrap(), Some(event(77)));
    assert_eq!(log.event(Seq(999)).unwrap(), None);
    let page: Vec<u64> = log.before(Seq(100), 7).unwrap().iter().map(|e| e.seq.0).collect();
    assert_eq!(page, (93..100).collect::<Vec<_>>());
    assert_eq!(log.before(Seq(3), 50).unwrap().len(), 2);
    assert_eq!(log.since(Seq(190), 3).unwrap().first().unwrap().seq, Seq(190));
    assert!(log.since(Seq(1), 10).unwrap().len() < 20);
}

#[test]
fn an_append_that_fails_anywhere_can_be_repeated() {
    for (code, how) in [(28, "once"), (5, "once"), (28, "short"), (122, "short")] {
        for at in 0..2 {
            let dir = tempfile::tempdir().unwrap();
            let mut log = Log::open(dir.path(), &meta()).unwrap();
            log.append(&RealDisk, &[vec![event(1)]]).unwrap();
            let failing = if how == "once" { Failing::Once(code) } else { Failing::Short(code) };
            let disk = FaultyDisk::new(at, failing);
            assert!(log.append(&disk, &[vec![event(2)]]).is_err());
            log.append(&disk, &[vec![event(2)], vec![event(3)]]).unwrap();
            drop(log);
            let mut log = Log::open(dir.path(), &meta()).unwrap();
            assert!(log.report().sound());
            assert_eq!(read_all(&mut log), [1, 2, 3]);
        }
    }
}

#[test]
fn a_signal_between_does_not_fail_an_append() {
    for at in 0..2 {
        let dir = tempfile::tempdir().unwrap();
        let mut log = Log::open(dir.path(), &meta()).unwrap();
        log.append(&FaultyDisk::new(at, Failing::Once(4)), &[vec![event(1)]]).unwrap();
        drop(log);
        assert_eq!(read_all(&mut Log::open(dir.path(), &meta()).unwrap()), [1]);
    }
}

#[test]
fn a_log_that_grows_is_followed_and_a_line_that_is_being_written_is_no_damage() {
    let dir = tempfile::tempdir().unwrap();
    let mut log = Log::open(dir.path(), &meta()).unwrap();
    log.append(&RealDisk, &[vec![event(1)], vec![event(2), event(3)]]).unwrap();
    let path = dir.path().join(FILE);
    let whole = std::fs::read(&path).unwrap();
    let line = whole[..whole.len() - 1].iter().rposition(|b| *b == b'\n').unwrap() + 1;
    std::fs::write(&path, &whole[..line + 20]).unwrap();
    let mut seen = Log::watch(dir.path()).unwrap();
    assert!(seen.report().sound() && seen.report().last == Seq(1), "{:?}", seen.report());
    for end in line + 20..whole.len() - 2 {
        std::fs::write(&path, &whole[..end]).unwrap();
        assert_eq!(seen.follow().unwrap(), [], "at {end}");
    }
    std::fs::write(&path, &whole).unwrap();
    assert_eq!(seen.follow().unwrap(), [event(2), event(3)]);
    assert_eq!(seen.follow().unwrap(), []);
    log.append(&RealDisk, &[vec![event(4)]]).unwrap();
    // Another file with the same bytes stands there, as when a log was put back.
    let other = dir.path().join("other");
    std::fs::copy(&path, &other).unwrap();
    std::fs::rename(&other, &path).unwrap();
    assert_eq!(seen.follow().unwrap(), [event(4)]);
    assert_eq!(seen.since(Seq(2), 10).unwrap(), [event(2), event(3), event(4)]);
}
