//! A session of this window that is called otherwise, whatever it does at the moment.

use super::*;

/// The list of runs with the choice at a session; the first choice is the one that waits.
fn at(keys: &str) -> Bench {
    let mut bench = Bench::six();
    bench.leader('r');
    bench.pause();
    bench.keys(keys);
    bench.pause();
    bench
}

/// Renames the chosen one to what it is called and this behind it; returns what is asked of that session then.
fn rename(bench: &mut Bench, number: Number, behind: &str) -> Vec<Input> {
    let _ = bench.requests(number);
    bench.keys("r");
    bench.pause();
    bench.now += SECOND;
    bench.keys(behind);
    bench.press(KeyCode::Enter, KeyModifiers::NONE);
    let input = |request| if let Request::Input(input) = request { Some(input) } else { None };
    bench.requests(number).into_iter().filter_map(input).collect()
}

#[test]
fn a_session_of_this_window_is_renamed_whether_it_waits_works_rests_or_is_shown() {
    for (keys, number, title) in
        [("", 3, "Fix the build"), ("kk", 1, "Move to sqlx"), ("j", 4, "Why two locks?"), ("kkk", 0, "")]
    {
        let mut bench = at(keys);
        let inputs = rename(&mut bench, number, ", once");
        let change = AboutChange::title(format!("{title}, once"));
        assert_eq!(inputs, [Input::Describe(change.clone())], "{keys:?}");
        let text = bench.draw();
        assert!(!text.contains("said there") && !text.contains("sent there"), "{text}");
        let _ = bench.events(number, &[Told::Described { change }]);
        let text = bench.draw();
        assert!(text.contains("renamed to \""), "{keys:?}: it is said once it is so\n{text}");
    }
}

#[test]
fn a_name_that_is_refused_is_not_said_to_lie_in_a_history() {
    let mut bench = at("");
    rename(&mut bench, 3, " again");
    let _ = bench.window.update(3, Update::Refused("say it shorter".into()), bench.now);
    let text = bench.draw();
    assert!(text.contains("Fix the build: say it shorter") && !text.contains("in its history"), "{text}");
}
