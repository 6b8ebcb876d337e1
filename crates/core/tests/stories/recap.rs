//! "Where were we?": what was said, what came of it and what is open, told from the record and by no model.

use pilothouse_core::{
    checkpoint::Answer,
    event::{Event, Stamped},
    input::Input,
};

use crate::{reviewing, support::*};

/// What a line was answered from the record; nothing where it was not.
fn asked(b: &mut Bench, line: &str) -> Option<String> {
    let step = b.say(line);
    let told = |e: &Stamped| match &e.event {
        Event::FactsAnswered { text, .. } => Some(text.clone()),
        _ => None,
    };
    step.events.iter().find_map(told)
}

#[test]
fn it_tells_what_was_written_and_what_is_open_and_no_message_of_which_nothing_came() {
    let mut b = Bench::new();
    b.say("what is number 1 here?");
    b.reply("It is one.", &[]);
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify"), ("Two", "modify")], &[]);
    b.answer(is_plan, Answer::Approve).unwrap();
    b.reply("", &[("edit", edit_of("a.txt"))]);
    b.propose("a.txt", "1\n", "2\n");
    b.reply("Done.", &[]);
    b.approve_all(None).unwrap();
    b.write();
    b.input(Input::Cancel).unwrap();
    for line in ["where were we?", "ok, remind me what we were doing", "catch me up"] {
        let told = asked(&mut b, line).unwrap_or_else(|| panic!("{line}: {:?}", b.names()));
        let lines: Vec<&str> = told.lines().collect();
        assert_eq!(
            lines,
            [
                "you said \"fix the bug in a.txt\": edited a.txt (+1 -1)",
                "open: the plan \"Plan\", 1 of 2 steps done, next \"Two\"; \"go on\" resumes it",
            ],
            "{line}"
        );
        assert!(b.session.pending().is_empty(), "{line}: no model is asked");
    }
}

#[test]
fn what_every_run_of_a_plan_wrote_stands_behind_the_message_that_began_it() {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify"), ("Two", "modify")], &[]);
    b.answer(is_plan, Answer::Approve).unwrap();
    for path in ["a.txt", "b.txt"] {
        b.reply("", &[("edit", edit_of(path))]);
        b.propose(path, "1\n", "2\n");
        b.reply("Done.", &[]);
        b.approve_all(None).unwrap();
        b.write();
        if path == "a.txt" {
            b.input(Input::Cancel).unwrap();
            b.say("go on");
        }
    }
    let told = asked(&mut b, "where were we?").unwrap();
    let wrote = "you said \"fix the bug in a.txt\": edited a.txt (+1 -1), edited b.txt (+1 -1)";
    assert_eq!(told.lines().next(), Some(wrote), "{told}");
}

#[test]
fn what_waits_for_the_user_is_named_and_where_nothing_is_open_it_says_so() {
    let mut b = reviewing();
    let told = asked(&mut b, "where were we?").unwrap();
    assert!(told.contains("waiting for you, not written: a.txt"), "{told}");
    b.approve_all(None).unwrap();
    b.write();
    let told = asked(&mut b, "where were we?").unwrap();
    assert!(told.ends_with("nothing is open"), "{told}");
}

#[test]
fn a_session_in_which_nobody_said_anything_shows_how_it_stands() {
    let mut b = Bench::new();
    assert_eq!(asked(&mut b, "where were we?"), None);
    assert!(b.names().contains(&"control_given".to_owned()), "{:?}", b.names());
}

#[test]
fn a_message_whose_answer_a_crash_cut_short_is_open() {
    let mut b = Bench::new();
    b.say("how does the search work?");
    b.input(Input::Open(opening())).unwrap();
    let told = asked(&mut b, "where were we?").unwrap();
    let open = "got no answer: \"how does the search work?\"; /retry asks again";
    assert!(told.ends_with(open) && !told.contains("nothing is open"), "{told}");
}

#[test]
fn where_changes_wait_before_it_can_go_on_it_says_to_decide_those() {
    for word in ["", "go on"] {
        let mut b = Bench::new();
        b.say("fix the bug in a.txt");
        b.plan(&[("One", "modify"), ("Two", "modify")], &[]);
        b.answer(is_plan, Answer::Approve).unwrap();
        b.reply("", &[("edit", edit_of("a.txt"))]);
        b.propose("a.txt", "1\n", "2\n");
        b.reply("Done.", &[]);
        b.input(Input::Open(opening())).unwrap();
        let offered = b.notices().last().unwrap().clone();
        let then = "`/redo` resumes it. Review the waiting changes first, then say go on.";
        assert!(offered.ends_with(then), "{offered}");
        let first = "decide the waiting changes, then \"go on\" resumes it";
        let told = asked(&mut b, "where were we?").unwrap();
        assert!(told.contains(first), "{told}");
        if word.is_empty() {
            b.approve_all(None).unwrap();
            b.write();
            let offered = b.notices().last().unwrap().clone();
            assert_eq!(offered, "1 of 2 steps are done, next \"Two\"; \"go on\" resumes it.");
            let left = b.notices().iter().filter(|n| n.contains("was left at")).count();
            assert_eq!(left, 1, "that it was left is said once");
            assert!(b.session.pending().is_empty(), "nothing begins without the user's word");
            let told = asked(&mut b, "where were we?").unwrap();
            assert!(!told.contains(first) && told.contains("\"go on\" resumes it"), "{told}");
        } else {
            b.say(word);
            assert!(
                b.notices().last().unwrap().contains("review them, and the plan continues"),
                "as it said"
            );
            assert!(b.session.pending().is_empty(), "nothing is written yet");
            b.approve_all(None).unwrap();
            b.write();
            let plan = b.session.state().plan.as_ref().unwrap();
            assert_eq!((plan.done(), b.session.state().run.is_some()), (1, true));
        }
    }
}

#[test]
fn it_tells_what_came_of_the_session_however_much_was_said_since() {
    let mut b = crate::gates::red("make test", "a.txt", "assertion failed");
    b.answer(is_failure, Answer::Skip).unwrap();
    crate::commit::commit(&mut b, &["a.txt"]);
    for n in 0..9 {
        b.say(&format!("what is number {n} here?"));
        b.reply("It is one.", &[]);
    }
    let told = asked(&mut b, "where were we?").unwrap();
    let lines: Vec<&str> = told.lines().collect();
    assert_eq!(
        lines,
        [
            "you said \"fix the bug in a.txt\": edited a.txt (+1 -1)",
            "committed abc1234 on main: 1 file",
            "you said \"what is number 8 here?\"",
            "gate style: failed (exit 1), skipped by you (`make test`)",
            "nothing is open",
        ]
    );
}
