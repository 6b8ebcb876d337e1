//! Leaving a review: what Esc, `u` and the ways out of the program do to it.

use super::*;

#[test]
fn esc_leaves_a_run_and_every_proposal_alone_however_often_it_is_pressed() {
    let mut bench = Bench::new(120, 40);
    bench.press("<ctrl-x>dy");
    bench.desk.inputs.clear();
    bench.press("<esc><esc><esc><esc>");
    bench.desk.wait(900).press("draft<esc>");
    assert!(bench.desk.app.composer.draft.is_empty());
    bench.press("<esc><esc>");
    assert_eq!(bench.desk.inputs, [], "nothing is cancelled, answered or dropped");
    assert_eq!(bench.desk.state().open_proposals().count(), 2);
    assert_eq!(bench.desk.state().phase, Phase::Executing);
}

#[test]
fn the_sheet_that_applies_all_is_disarmed_by_leaving_it() {
    let mut bench = Bench::new(120, 40);
    for leave in ["<esc>", "<ctrl-x>d", "<ctrl-t>", "<esc><esc>", "<enter>", "z", "<f9>"] {
        bench.press("<ctrl-x>d");
        if bench.desk.app.panes.focus != DIFF {
            bench.press("<ctrl-x>d");
        }
        bench.press("A");
        assert!(bench.desk.text().contains("any other key"), "{}", bench.desk.text());
        bench.press(leave);
        if bench.desk.app.panes.focus != DIFF {
            bench.press("<ctrl-x>d");
        }
        assert!(!bench.desk.text().contains("any other key"), "{leave}: {}", bench.desk.text());
        bench.desk.inputs.clear();
    }
    bench.press("A");
    assert_eq!(bench.desk.inputs, [], "the first A only shows what would be written");
}

#[test]
fn one_esc_closes_the_sheet_and_the_next_leaves_the_diff() {
    let mut bench = Bench::new(120, 40);
    bench.press("<ctrl-x>dA<esc>");
    assert_eq!(bench.desk.app.panes.focus, DIFF);
    bench.press("<esc>");
    assert_eq!(bench.desk.app.panes.focus, Focus::Composer);
}

#[test]
fn u_goes_up_to_the_plan_and_keeps_every_proposal_and_decision() {
    let mut bench = Bench::new(120, 40);
    bench.press("<ctrl-x>dyu");
    assert_eq!(bench.desk.app.panes.focus, PLAN);
    let state = bench.desk.state();
    let decided: usize = state.set_aside().map(|p| p.decided.len()).sum();
    assert_eq!((state.phase, state.set_aside().count(), decided), (Phase::AwaitingApproval, 2, 1));
}

#[test]
fn every_way_to_leave_asks_once_while_something_is_at_stake() {
    for leave in ["<ctrl-x>q", "/quit<enter>", "/exit<enter>"] {
        let mut bench = Bench::new(120, 40);
        bench.press(leave);
        assert!(!bench.desk.quit, "{leave}");
        let text = bench.desk.text();
        assert!(text.contains("2 files wait for your decision"), "{leave}: {text}");
        bench.press("y<enter>");
        assert!(bench.desk.quit, "{leave}");
    }
}

#[test]
fn after_a_file_of_which_something_waits_on_the_next_in_the_list_has_the_cursor() {
    let mut bench = Bench::new(120, 40);
    bench.press("<ctrl-x>d");
    bench.press("y");
    bench.press("a");
    let text = bench.desk.text();
    assert!(text.contains("Proposed changes to src/b.rs:"), "{text}");
    // The rest of the first comes last.
    bench.press("y");
    bench.press("y");
    bench.press("a");
    let text = bench.desk.text();
    assert!(text.contains("Proposed changes to src/a.rs:") && text.contains("hunk 1/1"), "{text}");
}

#[test]
fn a_diff_that_is_empty_gives_way_to_the_conversation() {
    let mut bench = Bench::new(80, 24);
    bench.press("<ctrl-x>d");
    for key in ["y", "y", "y", "y", "A", "A"] {
        bench.press(key);
    }
    assert_eq!(bench.desk.state().open_proposals().count(), 0);
    assert_eq!(bench.desk.app.panes.focus, Focus::Composer, "all is decided");
    assert!(!bench.desk.text().contains("Nothing to decide yet"), "{}", bench.desk.text());
    // Who goes there waits for the next one, until something is written.
    bench.press("<ctrl-x>d");
    assert!(bench.desk.text().contains("Nothing to decide yet"), "{}", bench.desk.text());
    bench.desk.wait(900);
    bench.press("what is next?");
    assert_eq!(bench.desk.app.panes.focus, Focus::Composer);
    assert!(bench.desk.text().contains("what is next?"), "{}", bench.desk.text());
}
