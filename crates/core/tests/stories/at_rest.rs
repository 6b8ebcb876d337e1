//! Words of control where nothing works: "clear", "run that again", "again".

use pilothouse_core::{
    input::Input,
    intent::{Control, Phase, Turn},
    session::Deed,
};

use crate::{commit::written, phase, phases::fault, support::*};

#[test]
fn clear_is_the_command_of_that_name_and_no_order() {
    for line in ["clear", "Clear.", "clear everything"] {
        let mut b = written();
        let told = b.session.foretell(line);
        let asked = told.does(&Deed::AsksToStartOver) || told.does(&Deed::Word(Control::Reset));
        assert!(asked, "{line}: {told:?}");
        let step = b.say(line);
        assert!(starts(&step).is_empty() && phase(&b) == Phase::Idle, "{line}");
        assert_eq!(
            b.session.state().turns.values().next_back().unwrap().class,
            Turn::Control(Control::Reset)
        );
    }
}

#[test]
fn again_means_the_command_that_ran_last() {
    for line in ["run that again", "again", "try again"] {
        let mut b = written();
        assert!(b.session.state().last_plan().is_some());
        b.say("!seq 5");
        b.end_tool(exited(0, "1"));
        let told = b.session.foretell(line);
        assert!(told.does(&Deed::Runs) && !told.does(&Deed::Shows), "{line}: {told:?}");
        let step = b.say(line);
        assert_eq!(starts(&step), ["run"], "{line}");
        assert!(!b.session.state().open.values().any(|c| is_plan(&c.kind)), "{line}");
    }
    let mut b = written();
    b.say("again");
    assert!(b.session.state().open.values().any(|c| is_plan(&c.kind)), "else it means the plan");
    // A command that mended the cause is not what failed.
    for line in ["again", "try again", "retry"] {
        let mut b = written();
        b.say("what does a.txt hold?");
        let call = b.thinking();
        b.input(Input::Replied { call, reply: Err(fault()) }).unwrap();
        b.say("!seq 5");
        b.end_tool(exited(0, "1"));
        let step = b.say(line);
        assert_eq!(starts(&step), ["think"], "{line}");
    }
}
