//! Where a review begins, and where the cursor rests when nothing of a file is left to decide.

use super::*;

#[test]
fn after_the_last_hunk_of_a_file_the_cursor_rests_and_no_key_for_a_next_one_turns_it_round() {
    let mut s = Screen::new();
    s.propose(20, "src/a.rs", "a\n", "b\n");
    s.tell(review(30, &[20]));
    s.draw(60, 20);
    let taken = |s: &Screen| s.story.session.state().proposals()[&ProposalId(20)].decided[&0];
    s.act(DiffAction::Take);
    let asked = s.act(DiffAction::Leave);
    assert!(asked.inputs.is_empty() && taken(&s) == Decision::Taken);
    let told = asked.notice.unwrap();
    assert_eq!(told, "hunk 1 is taken, and it was the last one: n again leaves it, a applies");
    s.act(DiffAction::Leave);
    assert_eq!(taken(&s), Decision::Left, "pressed again it is meant");
    s.act(DiffAction::Down);
    s.act(DiffAction::Take);
    assert_eq!(taken(&s), Decision::Taken, "whoever moved about looked at it");
    let reason = "every hunk was left".to_owned();
    let closed = Event::ProposalClosed { proposal: ProposalId(20), reason, dropped: false };
    let told = s.pane.tells(s.story.session.state(), &closed);
    assert_eq!(told.unwrap(), "left src/a.rs: every hunk was left");
}

#[test]
fn another_proposal_for_the_same_file_is_reviewed_from_its_first_undecided_hunk() {
    let mut s = two_hunks();
    s.draw(72, 26);
    s.act(DiffAction::NextHunk);
    assert_eq!(s.pane.hunk, 1);
    // The pane is out of sight while the one goes and the other comes.
    s.tell(Event::ProposalClosed { proposal: ProposalId(20), reason: String::new(), dropped: false });
    s.propose(21, "src/auth/login.rs", BEFORE, &after());
    s.tell(review(31, &[21]));
    s.draw(72, 26);
    assert_eq!(s.pane.hunk, 0);
}
