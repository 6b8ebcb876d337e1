//! Messages that must not do harm, a class each: removals that are only asked about, slang for a removal,
//! prohibitions, retractions, and orders and questions beside pasted output.
#![allow(clippy::disallowed_methods, missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use pilothouse_intent::{Classifier, IntentNode as N, Message, Phase, Reading, Turn, scope::Approval};
use serde::Deserialize;

#[derive(Deserialize)]
struct Line {
    class: String,
    text: String,
}

fn lines(class: &str) -> Vec<String> {
    let lines: Vec<Line> = include_str!("data/intent-harm.jsonl")
        .lines()
        .map(|l| serde_json::from_str(l).expect("a line with its class"))
        .collect();
    lines.into_iter().filter(|l| l.class == class).map(|l| l.text).collect()
}

fn read(text: &str) -> Reading {
    Classifier::builtin().read(&Message { text, ..Message::default() })
}

fn leaf(r: &Reading) -> N {
    r.whole.path.current()
}

fn acts(r: &Reading) -> bool {
    matches!(leaf(r), N::Write | N::Create | N::Modify | N::Delete | N::Execute)
}

/// Every line of a class is read as claimed.
fn claim(class: &str, holds: impl Fn(&Reading) -> bool) {
    let lines = lines(class);
    assert!(lines.len() >= 20, "{} lines of {class}", lines.len());
    let wrong: Vec<String> = lines
        .iter()
        .map(|text| (text, read(text)))
        .filter(|(_, r)| !holds(r))
        .map(|(text, r)| {
            let tail: String = text.chars().rev().take(60).collect::<Vec<_>>().into_iter().rev().collect();
            format!("{} {:?} {:?}: {}", leaf(&r), r.clarify, tail, r.whole.reasoning)
        })
        .collect();
    assert!(wrong.is_empty(), "{class}: {} of {} wrong\n{}", wrong.len(), lines.len(), wrong.join("\n"));
}

#[test]
fn a_question_about_a_removal_is_asked_about_before_it_acts() {
    claim("asks-about-removal", |r| !acts(r) || r.clarify.is_some());
}

#[test]
fn a_removal_in_slang_or_another_language_keeps_its_question() {
    claim("removal", |r| leaf(r) == N::Delete && r.whole.approval() == Approval::Explicit);
}

#[test]
fn what_must_not_be_removed_is_no_change() {
    claim("no-removal", |r| !acts(r));
}

#[test]
fn a_retraction_within_the_line_holds() {
    claim("retracted", |r| !acts(r));
}

#[test]
fn what_is_looked_for_or_looked_over_is_not_changed() {
    claim("looks-only", |r| !acts(r));
}

#[test]
fn an_order_that_is_put_off_for_a_look_changes_nothing() {
    claim("put-off", |r| !acts(r));
}

#[test]
fn what_only_tells_asks_or_takes_itself_back_begins_nothing() {
    claim("begins-nothing", |r| !acts(r) && !matches!(r.whole.turn, Turn::PlanNew(_)));
}

#[test]
fn a_run_that_is_ordered_beside_a_prohibition_runs_and_changes_nothing() {
    claim("runs-and-keeps", |r| leaf(r) == N::Execute && matches!(r.whole.turn, Turn::PlanNew(_)));
}

#[test]
fn a_report_that_begins_with_a_program_runs_and_changes_nothing() {
    claim("report-of-a-run", |r| !acts(r));
}

#[test]
fn look_at_it_and_fix_it_is_a_fix() {
    claim("look-and-fix", |r| leaf(r) == N::Modify);
}

#[test]
fn fix_beside_a_long_trace_is_an_order() {
    claim("order-at-a-trace", |r| leaf(r) == N::Modify && matches!(r.whole.turn, Turn::PlanNew(_)));
}

#[test]
fn a_question_under_a_paste_is_a_question() {
    claim("asks-under-a-paste", |r| !acts(r) && matches!(r.whole.turn, Turn::Query(_) | Turn::PlanNew(_)));
}

#[test]
fn what_was_taken_back_changes_nothing_beside_a_plan_either() {
    for text in lines("retracted") {
        for phase in Phase::ALL {
            let message = Message { text: &text, phase, plan_active: true, ..Message::default() };
            let r = Classifier::builtin().read(&message);
            assert!(!acts(&r), "{text} in {phase:?}: {}", r.whole.reasoning);
        }
    }
}

#[test]
fn an_order_stays_one_beside_a_part_of_the_program_that_is_to_stay() {
    claim("keeps-a-thing", |r| leaf(r) == N::Modify && !r.forbids_change && planned(r));
}

#[test]
fn what_is_kept_from_running_is_changed_all_the_same_and_nothing_runs() {
    claim("keeps-from-runs", |r| {
        matches!(leaf(r), N::Modify | N::Create) && r.forbids_run && !r.forbids_change && planned(r)
    });
}

#[test]
fn what_keeps_all_of_it_begins_nothing() {
    claim("still-forbids", |r| !acts(r));
}

#[test]
fn what_is_removed_inside_a_file_changes_the_file() {
    claim("inner-removal", |r| leaf(r) == N::Modify && planned(r));
}

#[test]
fn what_is_built_is_written_where_no_tool_builds_it() {
    claim("builds", |r| leaf(r) == N::Create);
    claim("builds-what-is-there", |r| leaf(r) == N::Execute);
}

fn planned(r: &Reading) -> bool {
    matches!(r.whole.turn, Turn::PlanNew(_))
}
