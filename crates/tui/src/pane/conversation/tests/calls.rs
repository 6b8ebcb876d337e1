//! What the row of a call says to the user, and what gives way where it is narrow.

use super::*;
use pilothouse_core::{lane::ChildWork, tool::Advice};

/// How a call ended.
fn ends(call: u64, status: CallStatus, summary: &str, result: &str) -> Event {
    let Event::CallEnded { call, lane, notes, seen, parts, .. } = ended(call, "", "") else {
        panic!("an end")
    };
    let (summary, result) = (summary.into(), excerpt(result));
    Event::CallEnded { call, lane, status, summary, result, notes, seen, parts, ruling: None, answer: None }
}

/// A call that never began, with its model's arguments where they could be read.
fn refused(tool: &str, summary: &str, result: &str, width: u16) -> String {
    let mut s = Screen::new();
    s.tell(calling(2, tool));
    s.tell(ends(2, CallStatus::Refused, summary, result));
    s.text(width, 8).join("\n")
}

#[test]
fn why_a_call_was_refused_is_said_once_and_to_the_user() {
    let text = refused("run", "not done: the user said something meanwhile; hear that first", "", 80);
    assert!(text.contains("Run       not run: you said something meanwhile\n"), "{text}");
    let why = "run is not allowed here: while planning a command may only read, unless a rule lets it through; put it into the plan";
    // The summary is cut where it is made; why is read whole, below the row where that has no room for it.
    let cut = "run is not allowed here: while planning a command may only read, unless a rule lets it…";
    for width in [60, 200] {
        let text = refused("run", cut, why, width);
        let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let told =
            "Run not allowed here: while planning a command may only read, unless a rule lets it through";
        assert!(words.contains(told) && !words.contains('…'), "{text}");
        // What the model is to do now is its own business.
        assert!(!words.contains("put it into the plan") && !words.contains("not run"), "{text}");
    }
    let why = "not run: the user left the change to src/money.ts before it; see to that first, then call it again if it is still wanted";
    let cut =
        "not run: the user left the change to src/money.ts before it; see to that first, then call it again…";
    let text = refused("run", cut, why, 200);
    assert!(text.contains("Run       not run: you left the change to src/money.ts before it\n"), "{text}");
}

#[test]
fn what_went_wrong_is_said_whole_where_there_is_room_and_without_what_stands_beside_it() {
    let place = "/work/shots/a-long-name-of-a-picture/ts200.png";
    let why = format!(
        "{place} leads outside the workspace; only files inside it can be read here, by their names in it"
    );
    let cut: String = why.chars().take(99).chain(['…']).collect();
    let mut s = Screen::new();
    s.tell(started(2, Tool::Read, place));
    s.tell(ends(2, CallStatus::Failed, &cut, &why));
    let text = s.text(200, 4)[0].clone();
    assert_eq!(text.matches(place).count(), 1, "{text}");
    assert!(
        text.contains("leads outside the workspace; only files inside it can be read here, by their"),
        "{text}"
    );
}

#[test]
fn what_was_not_proposed_is_not_called_proposed() {
    let mut s = Screen::new();
    s.tell(started(2, Tool::Edit, "src/cachetools/keys.py"));
    let why = "old occurs 2 times (lines 3, 9); add lines around it until it is unique, or set all";
    s.tell(ends(2, CallStatus::Failed, why, why));
    let text = s.text(100, 6).join("\n");
    assert!(
        text.contains("edit      src/cachetools/keys.py   the text to replace occurs 2 times (lines 3, 9)"),
        "{text}"
    );
    assert!(!text.contains("Proposed") && !text.contains("set all"), "{text}");
    // In a narrow row it stands below, whole.
    let text = s.text(44, 6).join("\n");
    assert!(text.contains("\n     the text to replace occurs 2 times"), "{text}");
}

#[test]
fn how_a_command_ended_outlives_its_end_and_its_duration() {
    let mut s = Screen::new();
    s.tell(started(2, Tool::Run, ".venv/bin/pytest -q tests/test_lfu.py"));
    s.story.later(4_200);
    s.tell(ended(2, "exit 0", "1 passed\n"));
    for (width, took) in [(80, true), (60, false), (50, false)] {
        let text = s.text(width, 4)[0].clone();
        assert!(text.contains("exit 0"), "{width}: {text}");
        assert_eq!(text.contains("4.2s"), took, "{width}: {text}");
    }
    assert!(s.text(50, 4)[0].contains("pytest -q"), "{:?}", s.text(50, 4));
}

#[test]
fn what_a_model_is_told_to_do_is_not_told_to_the_user() {
    let printed = "(a line of its own; read output:x)";
    let mut s = Screen::new();
    s.tell(started(2, Tool::Run, "pip install x"));
    let mut end = ends(2, CallStatus::Failed, "exit 1", &format!("exit 1, took 0.2 s\nstdout:\n{printed}\n"));
    if let Event::CallEnded { notes, .. } = &mut end {
        *notes = vec![
            Advice {
                model: "(run it again with \"network\": true)".into(),
                user: "(it had no network; `!!` before a line runs it outside the sandbox)".into(),
            },
            Advice::model("(it failed twice: do not repeat it)"),
        ];
    }
    s.tell(end);
    let text = s.text(160, 12).join("\n");
    assert!(text.contains("(it had no network; `!!` before a line runs it outside the sandbox)"), "{text}");
    assert!(text.contains(printed), "what it printed itself stays as it is: {text}");
    assert!(!text.contains("\": true") && !text.contains("do not repeat"), "{text}");
}

#[test]
fn a_line_of_the_users_that_does_not_end_says_how_it_runs_beside_the_session() {
    let way = "/bg !python3 dev.py runs it in the background";
    for (typed, after, said) in [(true, 10_000, true), (true, 5_000, false), (false, 60_000, false)] {
        let mut s = Screen::new();
        let (tool, args) = (Tool::Run, "{}".to_owned());
        s.tell(Event::CallMade { call: CallId(2), lane: LaneId(1), tool, args, typed });
        s.tell(started(2, Tool::Run, "python3 dev.py"));
        s.story.later(after);
        assert_eq!(s.text(100, 6).join("\n").contains(way), said, "{typed} {after}");
    }
}

#[test]
fn what_came_of_a_call_has_no_marks_of_code() {
    let mut s = Screen::new();
    s.tell(started(2, Tool::Read, "a.txt"));
    s.tell(ends(2, CallStatus::Failed, "it is no text: `read` shows text", ""));
    let text = s.text(80, 3).join("\n");
    assert!(text.contains("it is no text: read shows text"), "{text}");
}

#[test]
fn sub_agents_are_counted_once_and_each_says_its_own_task() {
    let mut s = Screen::new();
    s.tell(started(2, Tool::Delegate, "find every use of it"));
    for (n, task) in [(8, "find every use of it"), (9, "look for tests")] {
        let (lane, task, agent) = (LaneId(n), excerpt(task), None);
        s.tell(Event::ChildStarted { lane, call: CallId(2), work: ChildWork::Search, task, agent });
    }
    let ends = |n| Event::ChildEnded { lane: LaneId(n), call: CallId(2), report: "found".into(), done: true };
    let text = s.text(100, 6).join("\n");
    assert!(text.contains("2 sub-agents") && text.matches("find every use of it").count() == 1, "{text}");
    s.tell(ends(8));
    s.tell(ends(9));
    let told = "2 reports\n\n1. search: find every use of it\nin a.ts\n\n2. search: look for tests\nnone";
    s.tell(ended(2, "2 reports", told));
    let text = s.text(100, 6).join("\n");
    assert!(text.contains("2 sub-agents") && text.matches("find every use of it").count() == 1, "{text}");
    assert!(!text.contains("2 reports"), "{text}");
    s.act(ConversationAction::Fold);
    let text = s.text(100, 14).join("\n");
    assert!(text.contains("in a.ts") && !text.contains("2 reports"), "{text}");
}
