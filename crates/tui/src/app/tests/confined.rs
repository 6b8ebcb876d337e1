//! How commands run and what control files ask for, as it is seen.

use pilothouse_core::{
    resolved::{ResolvedCommand, Unlost},
    sandbox::Confine,
    tool::ToolOutcome,
};

use super::{review::Bench, *};

#[test]
fn where_nothing_holds_commands_the_header_says_so_at_every_width() {
    for width in [60, 100, 160] {
        let mut desk = Desk::with(width, 30, Sandbox::none("the kernel has no Landlock"));
        let text = desk.text();
        let header = text.lines().next().unwrap();
        assert!(header.contains("no sandbox"), "{width}: {header}");
        assert!(text.contains("every command asks"), "{width}: {text}");
        let mut held = Desk::new(width, 30);
        assert!(!held.text().contains("sandbox"), "what is as it should be is quiet");
        held.press("/status<enter>").deliver();
        assert!(held.text().contains("landlock, network off"), "{}", held.text());
    }
}

fn asking(width: u16, args: &str) -> Desk {
    let mut desk = Desk::new(width, 40);
    desk.press("where is it?<enter>").deliver();
    desk.reply("", &[("run", args)]);
    desk.collect();
    desk.draw();
    desk
}

#[test]
fn a_command_that_asks_for_more_says_so_wherever_it_is_seen() {
    let net = r#"{"command":"make deps","network":true,"reason":"the crates are not here"}"#;
    let out = r#"{"command":"make all","outside":true,"reason":"it writes to your home"}"#;
    for (args, beyond, reason) in [
        (net, "with the network", "the crates are not here"),
        (out, "outside the sandbox", "it writes to your home"),
    ] {
        for width in [100, 160] {
            let mut desk = asking(width, args);
            assert!(desk.text().contains(&format!(", {beyond}")), "the bar: {}", desk.text());
            desk.press("<ctrl-x>a");
            let list = desk.text();
            assert!(list.contains(reason) && list.contains("reason   "), "the list: {list}");
            assert!(list.contains("runs  "), "{list}");
            desk.wait(800).press("y").deliver();
            assert_eq!(desk.tools.len(), 1, "{}", desk.text());
            desk.press("q");
            assert!(desk.text().contains(beyond), "the row: {}", desk.text());
        }
    }
}

#[test]
fn a_plain_command_says_that_it_is_held() {
    let mut desk = asking(100, r#"{"command":"make"}"#);
    let text = desk.text();
    assert!(!text.contains("outside") && !text.contains("with the network"), "{text}");
    desk.press("<ctrl-x>a");
    let words = Confine::Inside { write: true, network: false }.words();
    assert!(desk.text().contains(words), "{}", desk.text());
}

#[test]
fn a_command_in_the_composer_says_what_it_asks_for() {
    for width in [60, 100] {
        let mut desk = Desk::new(width, 30);
        desk.press("run the tests<enter>").deliver();
        desk.reply("", &[("run", r#"{"command":"make","outside":true,"reason":"it must"}"#)]);
        desk.collect();
        desk.draw();
        let text = desk.text();
        assert!(text.contains("$ make") && text.contains("outside the sandbox"), "{width}: {text}");
    }
}

#[test]
fn a_control_file_is_named_and_written_by_its_own_word() {
    for (width, height) in [(120, 40), (80, 24)] {
        let mut bench = Bench::of(width, height, ["AGENTS.md", "src/b.rs"]);
        bench.press("<ctrl-x>a");
        let text = bench.desk.text();
        assert!(text.contains("AGENTS.md instructs agents"), "the list: {text}");
        bench.press("q");
        bench.press("<ctrl-x>d");
        let text = bench.desk.text();
        assert!(text.contains("A control file: it instructs agents"), "the diff: {text}");
        // The sheet for all files leaves it out and says so.
        bench.press("A");
        let text = bench.desk.text();
        assert!(text.contains("applies it alone") || text.contains("control file"), "{text}");
        bench.press("j");
        bench.press("a");
        let text = bench.desk.text();
        assert!(text.contains("is a control file: it instructs agents"), "the question: {text}");
        bench.desk.press("delete<enter>");
        assert!(bench.desk.inputs.is_empty(), "no other word does");
        bench.press("a");
        bench.desk.press("control<enter>");
        let written = bench.desk.inputs.iter().any(|i| {
            matches!(i, Input::Apply { word: Some(word), proposals, rest: false } if word == "control" && proposals.len() == 1)
        });
        assert!(written, "{:?}", bench.desk.inputs);
        bench.press("");
        assert!(bench.desk.state().ledger().len() == 1, "{:?}", bench.desk.state().applies());
    }
}

/// A command that was allowed and did not begin, since this could not be saved first.
fn unsaved(command: &str, answers: &[&str]) -> Desk {
    let mut desk = asking(100, &serde_json::json!({ "command": command }).to_string());
    desk.press("<ctrl-x>a");
    for keys in answers {
        desk.wait(800).press(keys).deliver();
    }
    desk.press("<esc>");
    let (call, lost) =
        (desk.tools.remove(0), "big.log (286 MB, larger than 256 MB); /undo could not bring it back");
    desk.looks_late = true;
    let outcome = ToolOutcome { unkept: Some(lost.to_owned()), ..ToolOutcome::failure("nothing was done") };
    desk.give(Input::ToolEnded { call, outcome });
    let meant = || ResolvedCommand { unlost: Some(Unlost::Undone), ..meant("/usr/bin/x") };
    for checkpoint in std::mem::take(&mut desk.looks) {
        desk.give(Input::CommandResolved { checkpoint, meant: meant() });
    }
    desk.collect();
    desk.draw();
    desk
}

#[test]
fn what_could_not_be_saved_is_said_wherever_the_command_is_asked_about() {
    const LOST: &str = "not saved: big.log (286 MB, larger than 256 MB)";
    let mut first = asking(100, r#"{"command":"mv two.bin a.txt"}"#);
    first.press("<ctrl-x>a");
    assert!(first.text().contains("allow command mv"), "{}", first.text());
    for (command, answers) in [("rm big.log", &["y", "delete<enter>"][..]), ("mv two.bin a.txt", &["y"])] {
        let mut desk = unsaved(command, answers);
        let text = desk.text();
        assert!(text.contains(LOST) || text.contains("loses what is not saved"), "the bar: {text}");
        desk.press("<ctrl-x>a");
        let list = desk.text();
        assert!(list.contains("not saved big.log (286 MB"), "{list}");
        assert!(!list.contains("nothing that /undo") && !list.contains("allow command"), "{list}");
        if command.starts_with("rm") {
            desk.wait(800).press("y");
            assert!(desk.text().contains("Not saved: big.log (286 MB"), "{}", desk.text());
        }
    }
}

#[test]
fn what_a_goals_command_loses_stands_below_it() {
    let mut desk = Desk::new(100, 30);
    desk.press("run the tests<enter>").deliver();
    desk.reply("", &[("run", r#"{"command":"mv two.bin a.txt"}"#)]);
    desk.collect();
    desk.draw();
    desk.wait(800).press("<enter>").deliver();
    let unkept = Some("a.txt (286 MB, larger than 256 MB); /undo could not bring it back".to_owned());
    let call = desk.tools.remove(0);
    desk.give(Input::ToolEnded { call, outcome: ToolOutcome { unkept, ..ToolOutcome::failure("no") } });
    desk.collect();
    desk.draw();
    let text = desk.text();
    assert!(
        text.contains("not saved: a.txt (286 MB, larger than 256 MB); /undo could not bring it back"),
        "{text}"
    );
}
