//! The stored form of events: a line written once can be read for ever.
//!
//! `data/events.jsonl` holds lines of every event and of every variant inside it, with all their
//! fields. Lines are added to it, never changed: a change here that asks for one breaks old logs.

use std::collections::{BTreeMap, BTreeSet};

use pilothouse_core::event::{Event, Stamped};
use serde_json::Value;

const LINES: &str = include_str!("../data/events.jsonl");

fn lines() -> impl Iterator<Item = (Value, Stamped)> {
    LINES.lines().map(|line| {
        let event = serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"));
        (serde_json::from_str(line).unwrap(), event)
    })
}

/// A new event does not build until it stands here; then the next test asks for its line.
#[expect(clippy::too_many_lines, reason = "a table of events")]
const fn place(event: &Event) -> usize {
    match event {
        Event::SessionOpened { .. } => 0,
        Event::SessionReopened { .. } => 1,
        Event::CallLost { .. } => 2,
        Event::TurnStarted { .. } => 3,
        Event::IntentClassified { .. } => 4,
        Event::LaneOpened { .. } => 5,
        Event::LaneClosed { .. } => 6,
        Event::NodeTransition { .. } => 7,
        Event::PhaseChanged { .. } => 8,
        Event::ModeChanged { .. } => 9,
        Event::PermissionChanged { .. } => 10,
        Event::PlanReady { .. } => 11,
        Event::PlanShelved { .. } => 12,
        Event::RunStarted { .. } => 13,
        Event::RunCompleted { .. } => 14,
        Event::TaskStarted { .. } => 15,
        Event::TaskCompleted { .. } => 16,
        Event::TaskFailed { .. } => 17,
        Event::TaskSkipped { .. } => 18,
        Event::TaskCancelled { .. } => 19,
        Event::TaskReset { .. } => 20,
        Event::GateStarted { .. } => 21,
        Event::GatePassed { .. } => 22,
        Event::GateFailed { .. } => 23,
        Event::GateWentStale { .. } => 24,
        Event::GateReset { .. } => 25,
        Event::RepairStarted { .. } => 26,
        Event::ThinkingStarted { .. } => 27,
        Event::MessageCompleted { .. } => 28,
        Event::ThinkingFailed { .. } => 29,
        Event::CallMade { .. } => 30,
        Event::CallStarted { .. } => 31,
        Event::CallEnded { .. } => 32,
        Event::Proposed { .. } => 33,
        Event::HunkDecided { .. } => 34,
        Event::ProposalEdited { .. } => 35,
        Event::ProposalClosed { .. } => 36,
        Event::ApplyApproved { .. } => 37,
        Event::ApplyStarted { .. } => 38,
        Event::Applied { .. } => 39,
        Event::ApplyFailed { .. } => 40,
        Event::RevertStarted { .. } => 41,
        Event::Reverted { .. } => 42,
        Event::RevertFailed { .. } => 43,
        Event::CommandProposed { .. } => 44,
        Event::CommandStarted { .. } => 45,
        Event::CommandExited { .. } => 46,
        Event::CheckpointOpened { .. } => 47,
        Event::CheckpointResolved { .. } => 48,
        Event::ControlGiven { .. } => 49,
        Event::QueueChanged { .. } => 50,
        Event::Notice { .. } => 51,
        Event::TrustChanged { .. } => 52,
        Event::CommandEdited { .. } => 53,
        Event::TrustSought { .. } => 54,
        Event::IntentAsked { .. } => 55,
        Event::TurnDropped { .. } => 56,
        Event::HooksKnown { .. } => 57,
        Event::HookStarted { .. } => 58,
        Event::HookEnded { .. } => 59,
        Event::MoveHeld { .. } => 60,
        Event::MoveBlocked { .. } => 61,
        Event::CallHeld { .. } => 62,
        Event::RulesGranted { .. } => 63,
        Event::RulesKept { .. } => 64,
        Event::CommandMeant { .. } => 65,
        Event::CommandChanged { .. } => 66,
        Event::LaneNudged { .. } => 67,
        Event::ProposalSetAside { .. } => 68,
        Event::ProposalTakenUp { .. } => 69,
        Event::GateChanged { .. } => 70,
        Event::TurnContinues { .. } => 71,
        Event::TurnTold { .. } => 72,
        Event::TaskAdded { .. } => 73,
        Event::FactRecorded { .. } => 74,
        Event::FactLooked { .. } => 75,
        Event::FactForgotten { .. } => 76,
        Event::FactsAsked { .. } => 77,
        Event::FactsAnswered { .. } => 78,
        Event::AnswerChecked { .. } => 79,
        Event::CompactionStarted { .. } => 80,
        Event::Compacted { .. } => 81,
        Event::CompactionFailed { .. } => 82,
        Event::ContextMarked { .. } => 83,
        Event::MemoryChanged { .. } => 84,
        Event::MemoryKept { .. } => 85,
        Event::InstructionsTold { .. } => 86,
        Event::CommandWrote { .. } => 87,
        Event::ChildStarted { .. } => 88,
        Event::ChildEnded { .. } => 89,
        Event::CommitSought { .. } => 90,
        Event::CommitApproved { .. } => 91,
        Event::CommitEnded { .. } => 92,
        Event::TaskFreed { .. } => 93,
        Event::BudgetSet { .. } => 94,
        Event::LaneHeld { .. } => 95,
        Event::PlanSought { .. } => 96,
        Event::PlanUnread { .. } => 97,
        Event::PauseSet { .. } => 98,
        Event::TurnDirected { .. } => 99,
        Event::Staged { .. } => 100,
        Event::DepthSet { .. } => 101,
        Event::SourceSeen { .. } => 102,
        Event::CandidatesWanted { .. } => 103,
        Event::PlanCandidate { .. } => 104,
        Event::HunkSplit { .. } => 105,
        Event::TreeSought { .. } => 106,
        Event::TreeSeen { .. } => 107,
        Event::Described { .. } => 108,
        Event::ModelChosen { .. } => 109,
        Event::GateHolds { .. } => 110,
        Event::FilesUntouched { .. } => 111,
        Event::TitleAsked { .. } => 112,
        Event::Titled { .. } => 113,
        Event::TitleFailed { .. } => 114,
        Event::TakeBackSought { .. } => 115,
        Event::TakeBackUnmade { .. } => 116,
        Event::SessionForked { .. } => 117,
        Event::ProposalStands { .. } => 118,
        Event::GateStaysRed { .. } => 119,
        Event::TurnAskedAgain { .. } => 120,
    }
}

#[test]
fn every_event_has_a_line_that_is_read_and_written_as_it_stands() {
    let mut seen = BTreeSet::new();
    for (line, event) in lines() {
        assert_eq!(serde_json::to_value(&event).unwrap(), line);
        seen.insert(place(&event.event));
    }
    assert!(seen.iter().copied().eq(0..121), "{seen:?}");
}

/// Puts a field that this version does not know into every object that is a struct.
fn grow(value: &mut Value) {
    match value {
        Value::Object(map) => {
            map.values_mut().for_each(grow);
            // A map keyed by numbers and a variant with one value are no structs.
            let keyed = map.keys().all(|k| k.parse::<u64>().is_ok());
            let variant = map.len() == 1
                && map.keys().any(|k| {
                    [
                        "mode_switch",
                        "other",
                        "reject",
                        "pick",
                        "text",
                        "word",
                        "grant",
                        "line",
                        "task",
                        "gate",
                        "repair",
                        "child",
                        "applying",
                        "passed",
                        "stale",
                        "unproven",
                        "inside",
                        "keep",
                        "decline",
                        "move",
                        "call",
                        "apply",
                    ]
                    .contains(&k.as_str())
                });
            if !keyed && !variant {
                map.insert("from_a_later_version".into(), Value::Bool(true));
            }
        }
        Value::Array(list) => list.iter_mut().for_each(grow),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[test]
fn fields_of_later_versions_are_passed_over() {
    for (mut line, event) in lines() {
        grow(&mut line);
        let read: Stamped = serde_json::from_str(&line.to_string()).unwrap_or_else(|e| panic!("{e}: {line}"));
        assert_eq!(read, event);
    }
}

/// The fields of an event, with their paths.
fn fields(value: &Value, at: &str, out: &mut Vec<String>) {
    match value {
        Value::Object(map) => {
            for (key, inner) in map {
                let path = format!("{at}/{key}");
                fields(inner, &path, out);
                out.push(path);
            }
        }
        Value::Array(list) => {
            for (i, inner) in list.iter().enumerate() {
                fields(inner, &format!("{at}/{i}"), out);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn without(line: &Value, path: &str) -> Value {
    let mut line = line.clone();
    let (parent, key) = path.rsplit_once('/').unwrap();
    line.pointer_mut(parent).unwrap().as_object_mut().unwrap().remove(key);
    line
}

/// What old logs may lack, so that no later version may ask for it: an event and a path a line.
const MAY_LACK: &str = include_str!("../data/events-may-lack.txt");

#[test]
fn fields_that_old_logs_lack_are_never_asked_for() {
    let mut lacking: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (line, _) in lines() {
        let mut paths = Vec::new();
        fields(&line, "", &mut paths);
        for path in paths {
            if serde_json::from_str::<Stamped>(&without(&line, &path).to_string()).is_ok() {
                let plain: Vec<_> = path.split('/').filter(|p| p.parse::<u64>().is_err()).collect();
                let of = line["type"].as_str().unwrap().to_owned();
                lacking.entry(of).or_default().insert(plain.join("/"));
            }
        }
    }
    for wanted in MAY_LACK.lines() {
        let (of, path) = wanted.split_once(' ').unwrap();
        assert!(lacking.get(of).is_some_and(|l| l.contains(path)), "old logs lack {wanted}");
    }
}

#[test]
fn what_logs_of_before_say_of_a_change_taken_back_still_holds() {
    let told: Vec<_> = lines()
        .filter_map(|(_, stamped)| match stamped.event {
            Event::Proposed { proposal, .. } => proposal.back.filter(|b| b.meets).map(|_| proposal),
            _ => None,
        })
        .collect();
    // They did not say which hunk meets what others changed: each is decided by itself.
    assert!(
        !told.is_empty() && told.iter().all(|p| p.meets.is_empty() && p.meets(0) && p.chosen().is_empty())
    );
}
