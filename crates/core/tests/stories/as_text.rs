//! Calls written as text, and steps whose model made nothing.

use pilothouse_core::{
    event::{Event, Stamped},
    intent::Phase,
    plan::TaskStatus,
};

use crate::{phase, phases::running, support::*};

const CALL: &str = "```json\n{\"name\": \"read_file\", \"arguments\": {\"path\": \"a.txt\"}}\n```";
const TAGGED: &str = "<tool_call>{\"name\":\"read\",\"arguments\":{\"path\":\"a.txt\"}}</tool_call>";

fn nudges(b: &Bench) -> Vec<String> {
    let nudge = |e: &Stamped| match &e.event {
        Event::LaneNudged { text, .. } => Some(text.clone()),
        _ => None,
    };
    b.log.iter().filter_map(nudge).collect()
}

fn told(b: &Bench) -> usize {
    b.notices().iter().filter(|n| n.starts_with("This model writes its tool calls as plain text")).count()
}

#[test]
fn a_call_in_text_is_answered_and_the_second_time_the_user_hears_of_it_once() {
    let mut b = Bench::new();
    for round in 0..2 {
        b.say("fix the bug in a.txt");
        b.reply(CALL, &[]);
        let nudges = nudges(&b);
        assert_eq!(nudges.len(), round + 1);
        assert!(nudges[round].contains("call as text") && nudges[round].contains("tool calls"), "{nudges:?}");
        assert_eq!(told(&b), round);
        b.reply(TAGGED, &[]);
        assert_eq!((phase(&b), told(&b)), (Phase::Idle, 1));
    }
}

#[test]
fn a_step_that_writes_its_call_as_text_may_still_call() {
    let mut b = running();
    let call = b.thinking();
    b.reply_to(call, CALL, &[]).unwrap();
    assert!(nudges(&b)[0].contains("call as text"));
    b.reply("", &[("edit", edit_of("a.txt"))]);
    b.propose("a.txt", "1\n", "2\n");
    assert_eq!(told(&b), 0);
}

#[test]
fn a_step_of_which_nothing_came_is_not_done_and_go_on_takes_it_up() {
    let mut b = running();
    for _ in 0..2 {
        for said in ["Here is the change:\n```\n2\n```", ""] {
            let call = b.thinking();
            b.reply_to(call, said, &[]).unwrap();
        }
    }
    let last = b.session.state().suspended.as_ref().unwrap();
    assert!(last.tasks.iter().all(|t| t.status == TaskStatus::NotDone), "{:?}", last.tasks);
    assert_eq!(last.steps(), "0 of 2 steps, 2 not done");
    assert_eq!(phase(&b), Phase::Idle);
    b.say("go on");
    assert_eq!(phase(&b), Phase::Executing);
}
