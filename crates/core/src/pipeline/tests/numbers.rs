//! Numbers of a sentence are held against what it rests on.

use super::{
    super::claims::unborne_number,
    checks::{calls_of, draft, outcome_of, said, upto},
};

#[test]
fn a_number_that_stands_in_nothing_that_is_cited_is_marked() {
    let mut draft = draft();
    draft.conclusions = ["`parse_config` guards 5000 doors [2]."].map(str::to_owned).to_vec();
    let (state, mut material) = upto(4, &draft);
    material.steps = said(calls_of(&state, &material), false, &[]);
    material.reply = Some(r#"{"unsupported": [], "contradictions": [], "relations": []}"#.into());
    let (found, _) = outcome_of(&state, &material);
    let marked = |claim: &str| found.marks.iter().any(|m| m.claim.contains(claim));
    assert!(marked("5000 doors"), "{found:?}");
}

#[test]
fn a_number_stands_there_however_it_is_written_or_counted() {
    let passage = |text: &str| vec![text.to_owned(), "another passage".to_owned()];
    let limit = "parameterLimit: 1000, arrayLimit: 20, // v18\nconst MAX: usize = 64 * 1024; TTL = 300; SHARE = 0.25;";
    for sentence in [
        "An attacker can send at most 1000 parameters.",
        "At most 1,000 parameters and 20 elements are read.",
        "It is read up to 64 KiB.",
        "`MAX` at `src/a.rs:120` is 64 KB, see line 412 and lines 14-20 of it.",
        "Entries live for 300 seconds.",
        "A quarter, 25 %, is kept.",
        "Node v18 and later are supported.",
        "12. The limit is 1000.",
        "It has 3 callers.",
    ] {
        assert_eq!(unborne_number(sentence, || passage(limit)), None, "{sentence}");
    }
    for (sentence, number) in [
        ("Without options an attacker can send at most 5000 parameters.", "5000"),
        ("At most 12,345 of them are read.", "12345"),
        ("It is read up to 65 KiB.", "65"),
        ("The limit `MAX = 1048` holds.", "1048"),
    ] {
        assert_eq!(unborne_number(sentence, || passage(limit)).as_deref(), Some(number), "{sentence}");
    }
}
