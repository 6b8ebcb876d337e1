//! What is said of a plan that comes back from the editor.

use super::*;

#[test]
fn a_plan_that_comes_back_as_it_went_out_is_said_to_be_as_it_was() {
    let mut s = waiting();
    let text = s.act(PlanAction::Edit).edit.unwrap().text;
    for back in [text.clone(), format!("{text}\n")] {
        let _ = s.act(PlanAction::Edit);
        let told = s.pane.take_back(Ok(back));
        assert_eq!(told.inputs, []);
        assert_eq!(told.notice.unwrap(), "nothing was changed in the editor; the plan is as it was");
    }
}
