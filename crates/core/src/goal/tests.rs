use super::*;

fn exit(code: i32) -> Exit {
    Exit { code: Some(code), signal: None, timed_out: false, took: Millis(1), process: None, put_back: false }
}

fn ran(command: &str, risk: Risk, code: i32) -> Tried {
    let mut tried = Tried::new(CallId(1), command, "", risk);
    tried.attempt.exit = Some(exit(code));
    tried
}

#[test]
fn spacing_makes_no_other_command_and_what_is_quoted_does() {
    let same = [("make  test", " make test ; "), ("a\tb", "a b"), ("echo 'x  y'  z", "echo 'x  y' z")];
    for (a, b) in same {
        assert_eq!(key(a, ""), key(b, ""), "{a} {b}");
    }
    let other = [
        ("echo 'x y'", "echo 'x  y'"),
        ("echo \"a  b\"", "echo \"a b\""),
        (r"echo a\  b", r"echo a\ b"),
        ("ls", "ls x"),
    ];
    for (a, b) in other {
        assert_ne!(key(a, ""), key(b, ""), "{a} {b}");
    }
    assert_ne!(key("make", "a"), key("make", "b"), "another folder is another command");
}

#[test]
fn failures_count_until_something_succeeds_that_may_have_changed_the_outcome() {
    let (low, medium) = (Risk::Low, Risk::Medium);
    let count = |tried: &[Tried]| failures(tried, key("make", "")).count;
    assert_eq!(count(&[]), 0);
    assert_eq!(count(&[ran("make", medium, 1), ran("make", medium, 2)]), 2);
    assert_eq!(count(&[ran("make", medium, 1), ran("make", medium, 0)]), 0);
    let (fail, look) = (ran("make", medium, 1), ran("cat Makefile", low, 0));
    assert_eq!(count(&[fail.clone(), look.clone(), fail.clone()]), 2, "reading mends nothing");
    assert_eq!(count(&[fail.clone(), ran("other", medium, 1), fail.clone()]), 2, "nor does a failure");
    assert_eq!(count(&[fail.clone(), ran("sed -i s/a/b/ Makefile", medium, 0), fail.clone()]), 1);
    let words = |tried: &[Tried]| failures(tried, key("make", "")).words();
    assert_eq!(words(&[fail.clone(), fail.clone()]), "twice in a row");
    assert_eq!(words(&[fail.clone(), fail.clone(), look.clone(), ran("other", medium, 1)]), "twice in a row");
    assert_eq!(words(&[fail.clone(), look, fail.clone()]), "twice", "another one ended between");
    assert_eq!(failed_in_a_row(&[fail.clone(), ran("other", medium, 1), fail.clone()]), 3);
    assert_eq!(failed_in_a_row(&[fail.clone(), ran("other", Risk::Low, 0)]), 0);
    let waiting = Tried::new(CallId(2), "make", "", medium);
    assert_eq!(count(&[fail.clone(), waiting, fail]), 2, "what was not run says nothing");
}

#[test]
fn the_end_follows_from_the_last_command_that_ran() {
    let status = |tried: &[Tried]| GoalSummary::of(tried, Millis(5), None).status;
    let medium = Risk::Medium;
    assert_eq!(status(&[]), GoalStatus::Completed);
    assert_eq!(status(&[Tried::new(CallId(1), "x", "", medium)]), GoalStatus::Skipped);
    assert_eq!(status(&[ran("a", medium, 1), ran("b", medium, 0)]), GoalStatus::Completed);
    let skipped = Tried::new(CallId(1), "c", "", medium);
    let sum = GoalSummary::of(&[ran("a", medium, 0), ran("b", medium, 3), skipped], Millis(5), None);
    assert_eq!((sum.status, sum.ran, sum.failed, sum.skipped), (GoalStatus::Failed, 2, 1, 1));
    assert_eq!(sum.line(), "Failed: `b` ended with exit 3. 2 commands, 1 failed, 1 not run");
    let stopped = GoalSummary::of(&[ran("a", medium, 0)], Millis(5), Some(GoalStatus::Cancelled));
    assert_eq!(stopped.line(), "Cancelled. 1 command");
}

#[test]
fn a_summary_stays_small_however_much_was_run() {
    let tried: Vec<Tried> =
        (0..500).map(|n| ran(&format!("{n} {}", "x".repeat(900)), Risk::High, 1)).collect();
    let sum = GoalSummary::of(&tried, Millis(5), None);
    assert_eq!((sum.ran, sum.attempts.len()), (500, LISTED));
    assert!(serde_json::to_string(&sum).unwrap().len() < 12 * 1024);
    assert!(sum.attempts.last().unwrap().command.starts_with("499 "));
}

#[test]
fn replies_in_json_are_read_however_they_are_wrapped() {
    let command = |c: &str| Ok(PlannerReply::Command(crate::tool::Run::line(c)));
    let chat = |c: &str| Ok(PlannerReply::Chat(c.into()));
    let cases = [
        (r#"{"mode":"command","command":"ls -la"}"#, command("ls -la")),
        (
            "Sure, let me look:\n```json\n{\"mode\": \"command\", \"command\": \"ls\"}\n```\nok?",
            command("ls"),
        ),
        (r#"I use {braces} here. {"mode":"COMMAND","command":" ls "}"#, command("ls")),
        (r#"{"mode":"chat","message":"All { tests } pass."}"#, chat("All { tests } pass.")),
        ("All tests pass.", chat("All tests pass.")),
        ("fn main() {}", chat("fn main() {}")),
        (r#"{"answer": 42}"#, chat(r#"{"answer": 42}"#)),
        (" \n", Err(PlannerError::Empty)),
        (r#"{"mode":"command","command":"  "}"#, Err(PlannerError::Invalid)),
        (r#"{"mode":"command"}"#, Err(PlannerError::Invalid)),
        (r#"{"mode":"dance","command":"ls"}"#, Err(PlannerError::Invalid)),
        (r#"{"mode":"command","command":"ls"#, Err(PlannerError::Invalid)),
        (r#"{"mode":7,"command":"ls"}"#, Err(PlannerError::Invalid)),
    ];
    for (text, wanted) in cases {
        assert_eq!(PlannerReply::read(text), wanted, "{text}");
    }
    let many = format!("{}{}", "{".repeat(100_000), r#"{"mode":"command","command":"ls"}"#);
    assert_eq!(PlannerReply::read(&many), Err(PlannerError::Invalid), "bounded, whatever comes");
}

#[test]
fn people_are_shown_the_prose_and_never_the_envelope() {
    let spoken = PlannerReply::spoken;
    assert_eq!(
        spoken("Let me look.\n```json\n{\"mode\":\"command\",\"command\":\"ls\"}\n```"),
        "Let me look."
    );
    assert_eq!(spoken(r#"{"mode":"command","command":"ls"}"#), "");
    assert_eq!(spoken("plain {text}"), "plain {text}");
}
