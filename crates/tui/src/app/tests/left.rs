//! A session that is opened again with something left: Enter goes on with it, and what must be decided comes first.

use super::{review::Bench, *};

fn reopened(width: u16) -> Bench {
    let mut bench = Bench::new(width, 40);
    bench.desk.give(Input::Open(Opening {
        slug: "calm-otter".into(),
        folder: "inkwell".into(),
        version: "0".into(),
        mode: None,
        permission: None,
        sandbox: Sandbox { backend: Some(Backend::Landlock), ..Sandbox::default() },
        standing: pilothouse_core::trust::Standing::default(),
        found: Vec::new(),
    }));
    bench.desk.collect();
    bench.desk.draw();
    bench
}

#[test]
fn enter_opens_what_waits_and_the_plan_goes_on_by_itself_once_that_is_decided() {
    for width in [60, 120] {
        let mut bench = reopened(width);
        assert_eq!(bench.desk.state().phase, Phase::Idle);
        // A key that was pressed before that stood there goes on with nothing.
        bench.desk.press("<enter>").deliver();
        assert!(bench.desk.inputs.is_empty() && !bench.desk.state().goes_on, "{width}");
        let text = bench.desk.text();
        assert!(text.contains("Enter opens what waits, then goes on with it"), "{width}: {text}");
        bench.desk.wait(800).press("<enter>").deliver();
        assert_eq!(bench.desk.app.panes.focus, DIFF, "{width}");
        assert!(bench.desk.state().goes_on && bench.desk.state().phase == Phase::Idle, "{width}");
        bench.press("s");
        assert_eq!((bench.desk.app.panes.focus, bench.desk.state().phase), (DIFF, Phase::Idle), "{width}");
        bench.press("s");
        assert_eq!(bench.desk.state().phase, Phase::Executing, "nothing else is asked: {width}");
        assert_eq!(bench.desk.app.panes.focus, Focus::Composer, "{width}");
    }
}

#[test]
fn who_writes_instead_has_enter_for_that_and_is_not_taken_to_the_changes() {
    let mut bench = reopened(120);
    bench.desk.wait(800).press("what is this?<enter>").deliver();
    assert_eq!(bench.desk.app.panes.focus, Focus::Composer);
    assert!(!bench.desk.state().goes_on);
    bench.desk.wait(800).press("<enter>").deliver();
    assert_eq!(bench.desk.app.panes.focus, DIFF, "Enter opens the changes, as ever");
    assert!(!bench.desk.state().goes_on);
}
