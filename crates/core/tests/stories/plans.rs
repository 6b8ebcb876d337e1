//! Plans: their versions, as files, and where they pause.

use pilothouse_core::{checkpoint::Answer, input::Input};

use crate::support::*;

#[test]
fn a_version_that_was_replaced_can_be_looked_at() {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify"), ("Two", "modify")], &[]);
    let text = b.session.state().plan.as_ref().unwrap().document().replace("Two", "Two, then rest");
    b.input(Input::EditPlan { text, version: 1 }).unwrap();
    b.say("/replan");
    b.plan(&[("Two, then rest", "modify"), ("Three", "read")], &[]);
    let state = b.session.state();
    let plan = state.plan.as_ref().unwrap();
    let titles =
        |p: &pilothouse_core::plan::Plan| p.tasks.iter().map(|t| t.title.clone()).collect::<Vec<_>>();
    let before: Vec<_> = state.versions_before(plan).into_iter().map(|p| (p.version, titles(p))).collect();
    assert_eq!(plan.version, 3);
    assert_eq!(before[0], (1, vec!["One".to_owned(), "Two".to_owned()]));
    assert_eq!(before[1], (2, vec!["One".to_owned(), "Two, then rest".to_owned()]));
    b.say("/plan");
    let told = b.notices().pop().unwrap();
    assert!(told.starts_with("Plan (v3 since v2: 1 added, 1 removed)"), "{told}");
    assert!(told.ends_with("+ 2. [ ] Three\n- One"), "{told}");
    b.say("/plan show 2");
    assert!(b.notices().pop().unwrap().contains("~ 2. [ ] Two, then rest (was: Two)"));
    let no = b.input(Input::say("/plan show 9")).unwrap_err();
    assert_eq!(no.reason, "there is no v9 of the plan; there is v1, v2, v3");
    b.answer(is_plan, Answer::Approve).unwrap();
}

#[test]
fn a_plan_that_was_set_aside_and_made_anew_is_its_next_version() {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify"), ("Two", "modify")], &[]);
    b.answer(is_plan, Answer::Abort).unwrap();
    b.say("/replan");
    b.plan(&[("One", "modify"), ("Other", "modify")], &[]);
    let plan = b.session.state().plan.clone().unwrap();
    assert_eq!(plan.version, 2);
    assert_eq!(b.session.state().versions_before(&plan).len(), 1);
    b.answer(is_plan, Answer::Abort).unwrap();
    b.say("fix the bug in b.txt");
    b.plan(&[("New", "modify"), ("Work", "modify")], &[]);
    let plan = b.session.state().plan.clone().unwrap();
    assert_eq!((plan.version, b.session.state().versions_before(&plan).len()), (1, 0));
}
