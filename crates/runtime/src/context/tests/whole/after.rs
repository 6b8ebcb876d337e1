//! What a run came to is known to whoever is asked next.

use super::*;

/// What the user answered, what was written and what was left, the gate and how it ended: told to a message after the
/// run, and to a planning after it.
#[test]
fn what_a_run_came_to_is_told_to_the_next_message_and_the_next_plan() {
    for next in ["what does lib.rs do?", "rename Bar to Baz in src/b.rs"] {
        let mut b = Bench::new();
        b.step(Input::say("rename Foo to Bar in src/a.rs"));
        b.reply("", &[("q", "ask_user", r#"{"question":"Which of them?","choices":["the old","the new"]}"#)]);
        b.step(Input::say("2"));
        let plan = r#"{"title":"P","tasks":[{"title":"first","kind":"modify","files":["src/a.rs"]}],"gates":[{"name":"t","command":"make test"}]}"#;
        b.reply("", &[("p", "submit_plan", plan)]);
        b.approve();
        b.edit("src/a.rs", &lines("a", "z"), &lines("A", "Z"));
        b.reply("I propose both.", &[]);
        b.take(&[1]);
        b.approve();
        ended_with(&mut b, 2, "left: 1\nright: 2", Vec::new());
        let failed = b.session.state().phase_question().unwrap();
        let (id, shown) = (failed.id, failed.kind.shown());
        b.step(Input::Answer { checkpoint: id, answer: Answer::Skip, shown });
        assert!(b.session.state().run.is_none(), "the run is over");
        b.step(Input::say(next));
        let told = b.told();
        for part in [
            "the new",
            "applied: src/a.rs hunk 2 of 2",
            "left by the user: src/a.rs hunk 1 (line 1)",
            "gate t",
            "the user skipped gate t",
        ] {
            assert!(told.contains(part), "{next}: {part}: {told}");
        }
    }
}
