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
