//! What is said of a plan that comes back from the editor, and of files of it that are decided.

use pilothouse_core::proposal::Decision;

use super::*;

#[test]
fn a_plan_that_comes_back_as_it_went_out_is_said_to_be_as_it_was() {
    let mut s = waiting();
    let text = s.act(PlanAction::Edit).edit.unwrap().text;
    for back in [text.clone(), format!("{text}\n")] {
        let _ = s.act(PlanAction::Edit);
        let told = s.pane.take_back(Ok(back));
        assert_eq!(told.inputs, []);
        assert_eq!(told.notice.unwrap(), "nothing was changed in the editor; the plan is unchanged");
    }
}

#[test]
fn a_file_of_which_every_hunk_was_left_is_not_said_to_have_taken_ones() {
    let mut s = running();
    s.tell(proposal(20, "src/auth/mod.rs", "a\n", "a\nb\n").0);
    s.tell(review(30, &[20]));
    let decided =
        |decision| Event::HunkDecided { proposal: ProposalId(20), hunk: 0, decision, comment: None };
    s.tell(decided(Some(Decision::Left)));
    let rows = s.text(80, 30).join("\n");
    assert!(rows.contains("no hunk taken") && !rows.contains("not written"), "{rows}");
    s.tell(decided(Some(Decision::Taken)));
    let rows = s.text(80, 30).join("\n");
    assert!(rows.contains("1 taken, not written yet"), "{rows}");
}
