//! What the user left of a change: told with what they changed there themselves, and with what of it is written.

use pilothouse_core::{
    diff::Lines,
    input::{Rebased, WriteFault},
    outcome::Rest,
    tool::Redraft,
};

use super::*;

impl Bench {
    /// The user takes one hunk and decides nothing about the others, which wait on.
    fn take_one(&mut self, hunk: usize) {
        let p = self.session.state().open_proposals().next().unwrap().clone();
        let decision = Some(Decision::Taken);
        self.step(Input::Decide { proposal: p.id, hunk, decision, shown: p.shown() });
        self.step(Input::Apply { proposals: vec![(p.id, p.shown())], word: None, rest: false });
        let apply = *self.session.state().applies().keys().next_back().unwrap();
        let [before, after] = [p.before, p.after].map(|id| self.blobs[&id.unwrap()].clone());
        let content = Blob::new(diff::select(&before, &after, &p.hunks, &[hunk].into()));
        let rest = Rest { after: p.after.unwrap(), hunks: diff::hunks(content.bytes(), &after) };
        let file = FileChange {
            proposal: p.id,
            path: p.path,
            kind: p.kind,
            before: p.before,
            after: Some(content.id()),
            mode: None,
            added: 1,
            removed: 1,
            lines: 3,
            rest: Some(rest),
            changes: Vec::new(),
        };
        self.step(Input::ApplyPrepared { apply, files: Ok((vec![file], vec![content])) });
        self.step(Input::ApplyEnded { apply, result: Ok(()) });
    }

    fn leave(&mut self) {
        let proposals = self.session.state().open_proposals().map(|p| p.id).collect();
        self.step(Input::Skip { proposals, reason: String::new() });
    }
}

#[test]
fn what_is_left_of_a_change_that_is_written_in_part_is_told_so() {
    let mut b = Bench::planned("rename Foo to Bar in src/a.rs");
    b.edit("src/a.rs", &lines("a", "z"), &lines("A", "Z"));
    b.reply("I propose both.", &[]);
    b.take_one(1);
    b.leave();
    let told = b.told();
    assert!(told.contains("not decided by the user yet: src/a.rs hunk 1 (line 1)"), "{told}");
    let left = "left by the user, and the rest of that change is written: src/a.rs (line 1)";
    assert!(told.contains(left), "{told}");
    assert!(!told.contains("changed line 1 there since"), "{told}");
}

#[test]
fn lines_that_the_user_changed_beside_a_hunk_that_they_left_are_told_as_they_are() {
    let mut b = Bench::planned("rename Foo to Bar in src/a.rs");
    b.edit("src/a.rs", &lines("a", "z"), &lines("A", "Z"));
    b.reply("I propose both.", &[]);
    let p = b.session.state().open_proposals().next().unwrap().clone();
    b.step(Input::Apply { proposals: vec![(p.id, p.shown())], word: None, rest: false });
    let apply = *b.session.state().applies().keys().next_back().unwrap();
    let draft = draft("src/a.rs", &lines("a", "mine"), &lines("A", "Z"));
    let meets = vec![Lines { start: 21, len: 1 }];
    let again = Rebased { proposal: p.id, redraft: Redraft { draft, same: Vec::new() }, meets };
    let fault = WriteFault { message: "src/a.rs changed".into(), stale: true, rebased: vec![again] };
    b.step(Input::ApplyPrepared { apply, files: Err(fault) });
    b.leave();
    b.step(Input::say("what is in src?"));
    let told = b.told();
    let named = "left by the user, nothing of it is written: src/a.rs (line 1; line 22)\n\
                 the user or another program changed line 22 there since";
    assert!(told.contains(named), "{told}");
    assert!(told.contains("    22  mine"), "{told}");
}
