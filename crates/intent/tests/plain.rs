//! Plain messages: some begin with a program's name and are no shell line, some are orders in five
//! languages. None may be taken for a line as it is typed, none may end in nothing.
#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic
)]

use pilothouse_intent::{Classifier, IntentNode as N, Message, Phase, Reading, Turn};
use serde::Deserialize;

#[derive(Deserialize)]
struct Line {
    class: String,
    lang: String,
    text: String,
    /// Whether it is asked about before it is planned.
    #[serde(default)]
    asks: bool,
}

fn lines(class: &str) -> Vec<Line> {
    include_str!("data/intent-plain.jsonl")
        .lines()
        .map(|l| serde_json::from_str(l).expect("a line with its class"))
        .filter(|l: &Line| l.class == class)
        .collect()
}

fn read(text: &str) -> Reading {
    Classifier::builtin().read(&Message { text, ..Message::default() })
}

fn leaf(r: &Reading) -> N {
    r.whole.path.current()
}

fn writes(r: &Reading) -> bool {
    matches!(leaf(r), N::Write | N::Create | N::Modify | N::Delete)
}

/// Every line of a class is read as claimed.
fn claim(class: &str, count: usize, holds: impl Fn(&Line, &Reading) -> bool) {
    let lines = lines(class);
    assert!(lines.len() >= count, "{} lines of {class}", lines.len());
    let read = lines.iter().map(|l| (l, read(&l.text)));
    let wrong: Vec<String> = read
        .filter(|(l, r)| !holds(l, r))
        .map(|(l, r)| {
            let (turn, sure) = (&r.whole.turn, r.whole.confidence);
            let why = &r.whole.reasoning;
            format!("{} {turn:?} {sure:.2} {:?} [{}] {} ({why})", leaf(&r), r.clarify, l.lang, l.text)
        })
        .collect();
    assert!(wrong.is_empty(), "{class}: {} of {} wrong\n{}", wrong.len(), lines.len(), wrong.join("\n"));
}

/// Neither a shell line nor a word to the workbench: it is planned or answered.
fn heard(r: &Reading) -> bool {
    r.command.is_none() && !matches!(r.whole.turn, Turn::Control(_))
}

#[test]
fn a_programs_name_before_an_order_to_change_is_that_order() {
    claim("program-change", 40, |l, r| heard(r) && writes(r) && r.clarify.is_some() == l.asks);
}

#[test]
fn a_programs_name_in_a_report_is_answered_or_looked_into() {
    claim("program-talk", 15, |l, r| heard(r) && r.clarify.is_some() == l.asks);
}

#[test]
fn a_report_behind_which_the_agent_is_asked_to_mend_it_is_an_order() {
    claim("report-order", 20, |_, r| heard(r) && writes(r) && r.clarify.is_none());
}

#[test]
fn a_report_behind_which_something_is_asked_about_it_changes_nothing() {
    claim("report-question", 20, |_, r| heard(r) && !writes(r));
}

#[test]
fn a_plain_order_is_planned() {
    claim("order", 60, |l, r| heard(r) && (writes(r) || l.asks) && r.clarify.is_some() == l.asks);
}

#[test]
fn a_sentence_that_begins_like_sql_is_no_line() {
    claim("sql-prose", 20, |_, r| heard(r));
}

#[test]
fn a_line_as_it_is_typed_stays_one() {
    claim("line", 40, |_, r| r.command.is_some());
}

/// Below the sure levels it is the least sure order that is asked about.
#[test]
fn no_order_is_asked_about_while_a_less_sure_one_is_planned() {
    let all = ["program-change", "order"].into_iter().flat_map(lines).map(|l| read(&l.text));
    let orders: Vec<Reading> =
        all.filter(|r| writes(r) && matches!(r.whole.turn, Turn::PlanNew(_))).collect();
    let asked = orders.iter().filter(|r| r.clarify == Some(pilothouse_intent::Clarify::Execute));
    let most = asked.map(|r| r.whole.confidence).fold(0.0, f32::max);
    let planned = orders.iter().filter(|r| r.clarify.is_none());
    let least = planned.map(|r| r.whole.confidence).fold(1.0, f32::min);
    assert!(most <= least, "asked about at {most}, planned at {least}");
    let r = read("jumble frob the wuzzle");
    assert!(r.clarify.is_some(), "{:?}", r.whole);
}

/// Whether a command runs inside the sandbox or outside changes nothing in what it is.
#[test]
fn a_command_after_two_marks_takes_the_path_of_the_same_after_one() {
    for line in ["git config user.name Ann", "ls -la", "rm -r build", "cargo test", "touch notes.txt"] {
        let (one, two) = (read(&format!("!{line}")), read(&format!("!!{line}")));
        assert_eq!((leaf(&one), &one.command), (leaf(&two), &two.command), "{line}");
        assert!(two.command.is_some(), "{line}");
    }
}

/// What is kept from an order by name is kept from it alone; what is kept from everything stays kept.
#[test]
fn a_prohibition_with_an_object_of_its_own_forbids_no_more() {
    for line in [
        "make naturalsize faster without changing what it returns",
        "clean up time.py without changing what it prints",
        "move usage() into its own file without changing what it prints",
        "make time.py shorter without changing how it behaves",
        "no, don't install anything, use python -m compileall instead",
        "fix the bug without installing anything",
        "fix it, but don't commit",
        "get rid of os.path, don't rename anything",
        "swap atol for strtol, no other changes",
        "give wcount a --help. Don't change anything else.",
        "teach ordinal about negative numbers, don't touch the docs",
    ] {
        let r = read(line);
        assert!(!r.forbids_change, "{line}: {} ({})", leaf(&r), r.whole.reasoning);
    }
    for line in [
        "fix the bug without changing anything",
        "don't change anything",
        "explain the parser without changing what it does",
        "give me a plan for the parser, don't change anything",
        "have a look at main, change nothing",
        "don't delete or change anything",
        "why does it fail? don't change anything",
        "fix it in your head, don't run or edit anything",
    ] {
        let r = read(line);
        assert!(r.forbids_change || !writes(&r), "{line}: {} ({})", leaf(&r), r.whole.reasoning);
    }
}

/// What is ordered is ordered with a prohibition beside it as well; where nothing is, nothing is.
#[test]
fn an_order_beside_what_it_is_to_leave_alone_is_one() {
    for line in [
        "give parse a flag. Don't touch the tests.",
        "give naturalsize a parameter for what stands between the number and the unit. Don't touch the tests.",
        "give wcount a version flag. Don't change anything else.",
        "let parse take a flag. Don't touch the docs.",
        "swap atol for strtol. Leave the Makefile alone.",
    ] {
        let r = read(line);
        assert!(writes(&r) && !r.forbids_change, "{line}: {} ({})", leaf(&r), r.whole.reasoning);
    }
    for line in [
        "what does parse do? Don't touch the tests.",
        "explain how the parser works. Leave the tests alone.",
        "don't touch the tests",
        "why is parse slow? don't change anything",
    ] {
        let r = read(line);
        assert!(!writes(&r), "{line}: {} ({})", leaf(&r), r.whole.reasoning);
    }
}

/// What is pasted behind a question or an order decides neither path nor turn: the words before it do.
#[test]
fn what_is_pasted_is_data() {
    let log = (1..=200).map(|n| format!("log line {n}")).collect::<Vec<_>>().join("\n");
    let pasted = [
        &log,
        "FAIL tests/cart.test.ts\n  ● cart › renders\n    1 snapshot failed, update it with -u\nTests: 1 failed",
        "running 3 tests\ntest adds ... ok\nupdate the snapshot or fix the renderer\ntest result: FAILED. 2 passed",
        "a1b2c3d Fix the parser\n9f8e7d6 Add late fees\n77aa231 Delete the old tables\n0c1d2e3 Remove dead code",
    ];
    let reads = |text: &str| {
        let reading = read(text);
        assert!(
            !writes(&reading) && matches!(reading.whole.turn, Turn::Query(_)),
            "{text}: {:?}",
            reading.whole
        );
        assert!(!Classifier::builtin().unsure(&reading), "{text}: asked about");
    };
    for block in pasted {
        for lead in [
            "why is this slow?",
            "can you tell why this is red?",
            "explain this output:",
            "what does this say?",
        ] {
            reads(&format!("{lead} {block}"));
            reads(&format!("{lead}\n{block}"));
        }
        reads(&format!("explain this output\n{block}"));
        let order = read(&format!("fix this:\n{block}"));
        assert_eq!((leaf(&order), order.clarify), (N::Modify, None), "{block}");
        let behind = read(&format!("why is this red?\n{block}\nplease fix it"));
        assert_eq!(leaf(&behind), N::Modify, "an order behind it is heard: {block}");
    }
    let keeps = read(&format!("why is this slow?\n{log}\nchange nothing"));
    assert!(keeps.forbids_change, "so is what forbids");
}

/// Where structure and statistics name the same change and nothing asks, no later tier is asked about it.
#[test]
fn an_order_that_both_tiers_read_is_sure() {
    let of = Classifier::builtin();
    for text in [
        "change the late fee to six percent",
        "set the late fee to 6 %",
        "make the late fee six percent",
        "use 6 percent as late fee",
        "give Invoice a due date",
        "set the late fee to 6 %, with a test",
        "let files leave out the tax rate, with tests and the README",
        "let orders have a note",
    ] {
        let reading = read(text);
        assert!(leaf(&reading) == N::Modify && !of.unsure(&reading), "{text}: {:?}", reading.whole);
    }
    let left = read("let the tests alone");
    assert!(!writes(&left) && left.forbids_change, "{:?}", left.whole);
    for text in [
        "set it",
        "set a breakpoint",
        "remove the last bullet",
        "change the late fee to six percent?",
        "let files be",
        "let nobody edit the schema",
        "let clippy have a look",
        "let that sink in",
    ] {
        assert!(of.unsure(&read(text)), "{text}: {:?}", read(text).whole);
    }
}

#[test]
fn what_would_come_of_something_is_a_question_beside_a_plan_and_never_a_change_of_it() {
    let of = Classifier::builtin();
    let beside = |text: &str, phase: Phase| {
        let m = Message { text, phase, plan_active: true, ..Message::default() };
        let reading = of.read(&m);
        let sure = !of.unsure(&reading);
        (reading.whole.turn, sure)
    };
    for phase in [Phase::Planning, Phase::AwaitingApproval, Phase::Executing, Phase::Failed] {
        for text in [
            "what if the file is empty",
            "what if we use tabs instead",
            "what if we used a BTreeMap instead?",
            "predict what breaks",
            "predict the impact on the parser",
            "can you predict what this breaks",
            "what would happen if we skipped step 2",
            "was passiert, wenn die Datei leer ist",
        ] {
            assert!(
                matches!(beside(text, phase), (Turn::Query(_), true)),
                "{text}: {:?}",
                beside(text, phase)
            );
        }
        for text in ["predict the outcome and add a test", "what if we add a test? do that"] {
            assert!(!matches!(beside(text, phase), (Turn::Query(_), true)), "{text}");
        }
    }
}
