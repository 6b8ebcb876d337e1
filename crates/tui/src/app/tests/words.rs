//! Words on the screen that say what is so.

use pilothouse_core::{
    checkpoint::Answer,
    digest::Place,
    relpath::RelPath,
    runs::HostRequest,
    tool::{Exit, ToolOutcome},
};

use super::{
    held::{appear, before},
    review::Bench,
    *,
};
use crate::window::WindowWish;

/// The first of three steps works.
fn running() -> Desk {
    let mut desk = Desk::new(120, 40).with_plan();
    let id = desk.state().phase_question().unwrap().id;
    let shown = desk.state().open[&id].kind.shown();
    desk.give(Input::Answer { checkpoint: id, answer: Answer::Approve, shown });
    desk
}

#[test]
fn the_list_behind_an_at_sign_is_called_what_its_rows_are() {
    let mut desk = Desk::new(100, 30);
    desk.press("@");
    desk.collect();
    let files = ["src/review.rs", "src/main.rs"].map(|p| RelPath::new(p).unwrap()).to_vec();
    let number = desk.number;
    desk.app.update(Update::Answered(number, Reply::Files(files)), desk.now);
    let text = desk.text();
    assert!(text.contains("files and paths  "), "{text}");
    desk.press("exp");
    let text = desk.text();
    assert!(text.contains("paths  1 of 17") && !text.contains("files"), "{text}");
    desk.press(" see @main");
    let text = desk.text();
    assert!(text.contains("files  1 of 2"), "{text}");
}

#[test]
fn the_conversation_says_that_a_step_works_and_not_that_it_answers() {
    let mut desk = running();
    let text = desk.text();
    assert!(text.contains(" working ") && !text.contains("answering"), "{text}");
}

/// The lines with which sessions beside this one are to begin.
fn begun_beside(desk: &mut Desk) -> Vec<Option<String>> {
    let wishes = std::mem::take(&mut desk.app.outbox.window).into_iter();
    let wish = wishes.map(|wish| match wish {
        WindowWish::Host(HostRequest::Open(wish)) if !wish.front => wish.message,
        other => panic!("{other:?}"),
    });
    wish.collect()
}

#[test]
fn a_line_of_the_users_that_goes_to_the_background_runs_beside_the_session() {
    for (typed, said) in [
        ("!python3 dev.py &", Some("!python3 dev.py")),
        ("!! npm start &", Some("!!npm start")),
        ("!make; npm start &", None),
        ("!make", None),
        ("a &", None),
    ] {
        let mut desk = Desk::new(100, 30);
        desk.press(typed);
        let text = desk.text();
        assert_eq!(text.contains("beside this session"), said.is_some(), "{typed}: {text}");
        desk.wait(1_000).press("<enter>");
        let wanted: Vec<Option<String>> = said.iter().map(|said| Some((*said).to_owned())).collect();
        assert_eq!(begun_beside(&mut desk), wanted, "{typed}");
    }
}

#[test]
fn a_line_of_a_shell_is_foretold_as_a_command_beside_a_run_too() {
    for session in [&Desk::new(100, 30).session, &running().session] {
        for line in ["!git diff --stat", "!ls"] {
            let preview = crate::preview::preview(line, session).0;
            assert!(matches!(preview, Some(crate::preview::Preview::Shell(..))), "{line}: {preview:?}");
        }
    }
}

#[test]
fn a_command_that_a_rule_or_the_mode_refuses_is_foretold_as_refused() {
    use pilothouse_core::policy::{Origin, Places, Policy, Rule};
    let mut desk = Desk::new(120, 30);
    let rule = Rule::parse("deny command git log", Origin::SESSION).unwrap();
    let policy = std::sync::Arc::new(Policy::new(vec![rule], Places::default()));
    desk.session.set_policy(std::sync::Arc::clone(&policy));
    desk.app.world.session.set_policy(policy);
    desk.press("!git log --oneline");
    let text = desk.text();
    assert!(text.contains("refused: deny command git log"), "{text}");
    assert!(!text.contains("Enter sends") && !text.contains("low"), "{text}");
    desk.press("x");
    desk.app.composer.draft.set(crate::composer::Saved::plain("!git status"));
    assert!(desk.text().contains("a command   "), "{}", desk.text());
}

#[test]
fn a_command_behind_a_prompt_s_mark_is_foretold_as_the_line_that_it_is() {
    use pilothouse_core::policy::{Origin, Places, Policy, Rule};
    let mut desk = Desk::new(120, 30);
    let rule = Rule::parse("deny command git log", Origin::SESSION).unwrap();
    desk.session.set_policy(std::sync::Arc::new(Policy::new(vec![rule], Places::default())));
    for line in ["git status", "git log --oneline"] {
        let preview = |mark: &str| crate::preview::preview(&format!("{mark}{line}"), &desk.session).0;
        assert!(preview("!").is_some());
        assert_eq!(preview("$ "), preview("!"), "{line}");
    }
}

#[test]
fn a_command_in_its_other_spelling_is_foretold_like_itself() {
    let desk = running();
    let session = &desk.session;
    for (line, same) in [(":abort", "/abort"), ("::reset", "/reset"), ("::abort", "/abort")] {
        let preview = crate::preview::preview(same, session).0;
        assert!(preview.is_some(), "{same}");
        assert_eq!(crate::preview::preview(line, session).0, preview, "{line}");
    }
}

#[test]
fn what_never_ran_was_not_run_once_it_is_cancelled() {
    let mut desk = before("question", (120, 40));
    appear(&mut desk, "question");
    assert!(desk.text().contains("Run       make"), "{}", desk.text());
    desk.give(Input::Cancel);
    let text = desk.text();
    assert!(text.contains("Not run") && !text.contains("Ran "), "{text}");
}

#[test]
fn what_is_queued_does_not_stand_for_the_step_that_works() {
    let mut desk = running();
    desk.wait(900).press("rename the module<tab>").deliver();
    let text = desk.text();
    let status = text.lines().last().unwrap();
    assert!(status.contains("[queued: 1]") && status.contains("step 1/3 \"Token bucket\""), "{status}");
    assert!(!status.contains("rename"), "{status}");
}

#[test]
fn where_a_message_would_wait_for_the_end_it_is_said_what_tells_the_agent_now() {
    for line in ["make the day length a constant HOURS_PER_DAY", "rename the module"] {
        let mut desk = running();
        let text = desk.wait(900).press(line).text();
        assert!(text.contains("queued: starts when the run ends; Alt-M tells the agent now"), "{text}");
        desk.press("<alt-m>").deliver();
        assert!(desk.state().queue.is_empty(), "{line}: it was told");
    }
    // A command line cannot be told, and what reaches the agent anyway needs no key for it.
    for line in ["!make test", "use a constant HOURS_PER_DAY"] {
        let mut desk = running();
        let text = desk.wait(900).press(line).text();
        assert!(!text.contains("Alt-M"), "{line}: {text}");
    }
}

#[test]
fn enter_on_a_place_of_a_red_gate_opens_it_in_the_editor_or_in_the_diff_that_shows_it() {
    let mut desk = before("red gate", (120, 40));
    let call = desk.tools.pop().unwrap();
    let exit = Exit {
        code: Some(1),
        signal: None,
        timed_out: false,
        took: Millis(1),
        process: None,
        put_back: false,
    };
    let said = "error[E0425]: cannot find value `x` in this scope\n --> src/a.rs:7:5\n";
    let outcome = ToolOutcome { exit: Some(exit), ..ToolOutcome::text(said, "exit 1") };
    desk.give(Input::ToolEnded { call, outcome });
    desk.draw();
    desk.wait(900).press("<ctrl-t>");
    desk.wait(900).press("G");
    assert!(desk.text().contains("src/a.rs:7"), "{}", desk.text());
    desk.wait(900).press("<enter>");
    let place = Place { path: RelPath::new("src/a.rs").unwrap(), line: 7 };
    assert_eq!(desk.app.wishes(), [AppCommand::Open(place.clone())]);
    // A file that is under review is shown there.
    let mut bench = Bench::new(120, 40);
    let wanted = crate::ctx::Wanted { place, editor: false };
    let now = bench.desk.now;
    bench.desk.app.carry_out(Outcome { place: Some(wanted), ..Outcome::none() }, now);
    assert_eq!((bench.desk.app.panes.focus, bench.desk.app.wishes().len()), (DIFF, 0));
}

#[test]
fn the_list_of_commands_says_which_of_how_many_is_chosen() {
    let mut desk = Desk::new(160, 45);
    desk.press("/");
    let text = desk.text();
    assert!(text.contains("commands  1 of "), "{text}");
    assert!(text.lines().filter(|row| row.contains("▎   /") || row.contains("▎ ▸ /")).count() > 8, "{text}");
}

#[test]
fn a_key_of_a_question_that_says_too_little_is_told_and_begins_no_line() {
    let asks: fn() -> Desk = || {
        let mut desk = Desk::new(100, 30);
        desk.press("move the store to a database<enter>").deliver();
        let args = r#"{"question":"Which style?","choices":["Core","ORM","2.0 style"]}"#;
        desk.reply("", &[("ask_user", args)]);
        desk.draw();
        desk
    };
    let pauses: fn() -> Desk = || golden::research::paused(100, 30);
    for (begins, key, told) in [
        (asks, "4", "or say it in your own words"),
        (asks, "0", "that doesn't say which one"),
        (pauses, "2", "say what to change, in one line"),
    ] {
        let mut desk = begins();
        desk.collect();
        desk.inputs.clear();
        desk.wait(1_000).press(key).press("<enter>").deliver();
        assert!(desk.text().contains(told), "{key} {}", desk.text());
        assert_eq!(desk.app.composer.draft.shown(), "", "{key}");
        desk.wait(1_000).press("only the store").press("<enter>");
        assert_eq!(desk.inputs, [Input::say("only the store")], "{key}");
    }
    // Words that were refused can be mended.
    let mut desk = asks();
    desk.wait(1_000).press("/facts drop x").press("<enter>");
    desk.app.update(Update::Refused("no such fact".into()), desk.now);
    assert_eq!(desk.app.composer.draft.shown(), "/facts drop x");
}

#[test]
fn a_yes_that_says_more_is_said_to_the_session_where_a_word_is_wanted() {
    for line in [
        "go on, but with --force-with-lease",
        "yes, but only the branch of today",
        "ok, and then tell me what was pushed",
        "proceed if the tests are green",
        "sounds good, but wait for kim",
    ] {
        let mut desk = Desk::new(100, 30);
        desk.app.composer.draft.set(Saved::plain("!git push --force origin master"));
        desk.press("<enter>").deliver().draw();
        desk.wait(1_000).press(line);
        assert!(!desk.text().contains("opens its confirmation"), "{line} {}", desk.text());
        desk.press("<enter>");
        assert!(desk.top().is_none(), "{line} {}", desk.text());
        assert!(
            desk.inputs.iter().any(|input| matches!(input, Input::Say { .. })),
            "{line} {:?}",
            desk.inputs
        );
    }
}

#[test]
fn a_draft_that_the_model_does_not_get_whole_says_so_before_it_is_sent() {
    let mut desk = Desk::new(120, 40);
    desk.app.world.surroundings.told_whole = Some(90 * 1024);
    let cut = "138 KB: the model gets 90 KB of it and can read the rest";
    for (bytes, line, says) in
        [(138, "why does it fail? ", true), (80, "why? ", false), (138, "!cat ", false)]
    {
        let pasted = "x".repeat(bytes * 1024 - line.len());
        desk.app.composer.draft.set(Saved::plain(format!("{line}{pasted}")));
        desk.app.foretell();
        assert_eq!(desk.text().contains(cut), says, "{bytes} {line}");
    }
}
