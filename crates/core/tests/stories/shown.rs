//! What the workbench has at hand is shown by it: no model is asked.

use pilothouse_core::{
    event::Event,
    intent::{Control, Phase},
    session::{Bounds, Deed},
};

use crate::{commit::written, phase, support::*};

fn word(b: &Bench, name: &str) -> bool {
    let given = Control::Other(name.to_owned());
    b.log.iter().any(|e| matches!(&e.event, Event::ControlGiven { control } if *control == given))
}

#[test]
fn the_diff_and_the_last_output_are_opened_where_there_are_any() {
    for (line, name) in [("show me the diff", "diff"), ("show the last output again", "output")] {
        let mut b = Bench::new();
        b.say(line);
        assert!(!word(&b, name), "{line}: there is none");
        let mut b = written();
        b.say("!ls");
        b.end_tool(exited(0, "a.txt"));
        assert!(b.session.foretell(line).does(&Deed::Word(Control::Other(name.to_owned()))), "{line}");
        let step = b.say(line);
        assert!(word(&b, name) && starts(&step).is_empty(), "{line}: {:?}", b.names());
        assert_eq!(phase(&b), Phase::Idle);
        // Without a screen the model is asked.
        let mut b = written();
        b.session.set_bounds(Bounds { screen: false, ..Bounds::default() });
        b.say("!ls");
        b.end_tool(exited(0, "a.txt"));
        b.say(line);
        assert!(!word(&b, name), "{line}");
    }
}

#[test]
fn what_it_cost_is_told_from_the_ledger() {
    let mut b = written();
    let step = b.say("how much did that cost?");
    assert!(starts(&step).is_empty(), "{:?}", b.names());
    assert!(b.notices().iter().any(|n| n.contains("this session")), "{:?}", b.notices());
}

#[test]
fn a_rule_that_is_wanted_is_shown_and_none_is_made() {
    for (line, told) in [
        ("always allow npm run lint-all", "`allow command npm run lint-all"),
        ("don't ask me again for tests", "p saves a rule"),
        ("always allow git status -s", "It is not asked about here"),
        ("always allow rm -rf build", "No rule can allow it: high risk is never covered by a rule."),
    ] {
        let mut b = Bench::new();
        let step = b.say(line);
        assert!(starts(&step).is_empty(), "{line}: {:?}", b.names());
        assert!(b.notices().iter().any(|n| n.contains(told)), "{line}: {:?}", b.notices());
        assert!(b.session.state().setting().granted.is_empty(), "{line}");
    }
}
