//! A second window on a session that another one holds: it follows, names only keys that read, and takes over.

use super::{
    golden::scenes::{self, ALL},
    *,
};

/// Another window holds the session of this desk, or held it.
fn held(mut desk: Desk, free: bool) -> Desk {
    let around = Surroundings { read_only: true, free, ..desk.app.world.surroundings.clone() };
    desk.app.update(Update::Surroundings(Box::new(around)), desk.now);
    desk.inputs.clear();
    desk.draw();
    desk
}

fn scene(name: &str) -> Desk {
    scenes::ALL.iter().find(|(scene, _)| *scene == name).unwrap().1(120, 40)
}

#[test]
fn no_key_that_decides_or_stops_is_named_in_any_state() {
    let named = [
        "Ctrl-C stops",
        "Esc Esc stops",
        "Enter reviews",
        "Enter approves",
        "Enter runs",
        "Enter applies",
        "Enter sends",
        "type it, then Enter",
        "answer here",
        "[y/n",
        "[retry",
        "a applies",
        "y take  n leave",
        "[a]pply",
        "y run the plan",
        "Tab queues",
    ];
    let mut wrong = Vec::new();
    for free in [false, true] {
        for (name, make) in ALL {
            let mut desk = held(make(120, 40), free);
            // A line that was begun before is no state of a window that only reads.
            let text = if desk.app.composer.offered().is_none() { desk.text() } else { String::new() };
            wrong.extend(named.iter().filter(|k| text.contains(**k)).map(|k| format!("{name}: {k}\n{text}")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_key_that_would_decide_says_why_it_does_not_and_opens_nothing() {
    let mut desk = held(scene("review"), false);
    let text = desk.press("<ctrl-x>da").text();
    assert!(text.contains("another window holds this session") && desk.inputs.is_empty(), "{text}");
    assert!(!text.contains("any other key goes back"), "{text}");
    assert!(desk.press("]").text().contains("hunk"), "what only moves is a key");
    let mut desk = held(scene("executing"), false);
    desk.press("<ctrl-c>");
    assert!(desk.inputs.is_empty() && !desk.text().contains("cancel"), "{}", desk.text());
}

#[test]
fn what_nobody_holds_any_more_is_taken_over_by_enter_and_the_draft_stays() {
    let mut desk = held(scene("executing"), false);
    assert!(!desk.press("<enter>").taken_over);
    let mut desk = held(scene("executing"), true);
    let text = desk.text();
    assert!(text.contains("no window holds this session any longer; Enter takes it over"), "{text}");
    assert!(text.contains("left at work"), "nothing works there: {text}");
    assert!(!desk.app.animated());
    for (free, told) in [(false, true), (true, false)] {
        let text = held(scene("plan"), free).text();
        assert_eq!(text.contains("the other window answers it"), told, "{text}");
    }
    desk.press("go on<enter>");
    assert!(desk.taken_over && desk.inputs.is_empty());
    assert_eq!(desk.app.composer.draft.shown(), "go on");
    let (session, around) = (desk.app.world.session.clone(), desk.app.world.surroundings.clone());
    desk.app.update(Update::Opened(Box::new(session), Vec::new()), desk.now);
    let around = Surroundings { read_only: false, free: false, ..around };
    desk.app.update(Update::Surroundings(Box::new(around)), desk.now);
    desk.press("<enter>");
    assert_eq!(desk.inputs, [Input::say("go on")]);
}

#[test]
fn what_the_other_window_asks_of_its_screen_is_not_done_here() {
    let mut desk = held(scene("executing"), false);
    desk.press("half a thought");
    desk.app.terminal(&crossterm::event::Event::FocusLost, desk.now);
    for said in ["help", "/status", "show me the diff", "/budget", "/queue"] {
        desk.give(Input::say(said));
        let text = desk.text();
        assert!(desk.top().is_none() && desk.app.panes.focus == Focus::Composer, "{said}: {text}");
    }
    assert_eq!(desk.app.composer.draft.shown(), "half a thought");
    let mut first = scene("executing");
    first.give(Input::say("help"));
    assert!(first.top().is_some(), "it is asked of the first");
}

#[test]
fn a_plan_that_waits_in_the_other_window_rings_only_there() {
    for (held_there, rings) in [(false, 1), (true, 0)] {
        let mut desk = Desk::new(120, 40);
        if held_there {
            desk = held(desk, false);
        }
        desk.app.terminal(&crossterm::event::Event::FocusLost, desk.now);
        desk.give(Input::say("add rate limiting to the login endpoint"));
        desk.reply("", &[("submit_plan", r#"{"title":"Add it","tasks":[{"title":"Token bucket"}]}"#)]);
        assert_eq!(desk.state().phase, Phase::AwaitingApproval);
        let tells = desk.app.wishes().into_iter().filter(|w| matches!(w, AppCommand::Tell(_)));
        assert_eq!(tells.count(), rings, "held there: {held_there}");
    }
}

#[test]
fn a_session_that_the_other_window_leaves_stays_here_and_says_that_it_is_free() {
    for words in ["exit", "/exit"] {
        let mut desk = held(scene("answer"), false);
        desk.press("half a thought");
        desk.give(Input::say(words));
        desk.collect();
        assert!(!desk.quit && !desk.app.is_leaving(), "{words}");
        let mut desk = held(desk, true);
        let text = desk.text();
        assert!(text.contains("Enter takes the session over"), "{text}");
        assert_eq!(desk.app.composer.draft.shown(), "half a thought");
    }
}

#[test]
fn a_search_of_the_diff_goes_on_and_names_its_keys() {
    let mut desk = held(scene("review"), false);
    desk.press("<ctrl-x>d/ten<enter>");
    let text = desk.text();
    assert!(text.contains("match 1 of "), "{text}");
    assert!(text.contains("n N match") && text.contains("Esc ends the search"), "{text}");
    assert!(!text.contains("y take"), "{text}");
    let text = desk.press("n").text();
    assert!(text.contains("match 2 of ") && desk.app.notice.is_none(), "{text}");
    let text = desk.press("N").text();
    assert!(text.contains("match 1 of ") && desk.inputs.is_empty(), "{text}");
    let text = desk.press("<esc>n").text();
    assert!(desk.app.notice.is_some() && !text.contains("match 1 of "), "{text}");
}
