//! What code holds of a sentence that says that something is not so.

use super::checks::{calls_of, draft, outcome_of, said, upto};

#[test]
fn what_is_denied_lets_no_name_pass_that_does_not_stand_in_the_passage() {
    let mut draft = draft();
    draft.conclusions = [
        "It cannot be skipped, as `validate_all` guards every door [2].",
        "Windows are united by their tenants [2].",
        "`parse_config` never guards a door [2].",
        "Nothing of it is tested [2].",
    ]
    .map(str::to_owned)
    .to_vec();
    let (state, mut material) = upto(4, &draft);
    material.steps = said(calls_of(&state, &material), false, &[]);
    material.reply = Some(r#"{"unsupported": [], "contradictions": [], "relations": []}"#.into());
    let (found, _) = outcome_of(&state, &material);
    let marked: Vec<&str> = found.marks.iter().map(|m| m.claim.as_str()).collect();
    let told = [
        "It cannot be skipped, as `validate_all` guards every door.",
        "Windows are united by their tenants.",
    ];
    assert_eq!(marked, told, "{found:?}");
}

#[test]
fn names_that_are_denied_without_a_source_or_stand_in_the_question_are_not_held_to_the_sources() {
    let mut draft = draft();
    draft.conclusions = [
        "The passages show no call of `quantize_late`.",
        "It is `does` that was asked about.",
        "It is made by `invented_name`.",
        "Nothing of `second_invention` is tested [2].",
    ]
    .map(str::to_owned)
    .to_vec();
    let (state, mut material) = upto(4, &draft);
    let calls = calls_of(&state, &material);
    let names = calls.iter().find(|(tool, _)| tool == "entity_verify").unwrap();
    assert!(!names.1.contains("quantize_late") && names.1.contains("second_invention"), "{names:?}");
    material.steps = said(calls, false, &[]);
    material.reply = Some(r#"{"unsupported": [], "contradictions": [], "relations": []}"#.into());
    let (found, _) = outcome_of(&state, &material);
    assert!(found.missing.contains(&"invented_name".to_owned()), "{:?}", found.missing);
    assert!(found.missing.contains(&"second_invention".to_owned()), "{:?}", found.missing);
    let free = ["quantize_late".to_owned(), "does".to_owned()];
    assert!(!free.iter().any(|name| found.missing.contains(name)), "{:?}", found.missing);
}
