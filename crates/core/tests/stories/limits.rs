//! Very long and very odd calls: refused with a way to mend them, or passed on whole.

use pilothouse_core::{
    event::Event,
    ids::CallId,
    input::Input,
    intent::Phase,
    question::CommandQuestion,
    talk::{ModelCall, ModelReply},
    tool::{Tool, ToolOutcome},
};
use serde_json::json;

use crate::{phase, phases::running, support::*};

fn raw(b: &mut Bench, calls: &[(&str, String)]) {
    let call = b.thinking();
    let calls = calls
        .iter()
        .enumerate()
        .map(|(i, (name, args))| ModelCall { id: format!("c{i}"), name: (*name).into(), args: args.clone() })
        .collect();
    let reply = ModelReply { calls, ..ModelReply::default() };
    b.input(Input::Replied { call, reply: Ok(reply) }).unwrap();
}

fn last_end(b: &Bench) -> String {
    b.log
        .iter()
        .rev()
        .find_map(|e| match &e.event {
            Event::CallEnded { result, .. } => Some(result.head.clone()),
            _ => None,
        })
        .unwrap()
}

#[test]
fn a_write_of_a_megabyte_reaches_the_tool_wherever_its_excerpt_is_cut() {
    for pad in 0..4 {
        let mut b = running();
        let content = format!("{}{}", "x".repeat(pad), "ä€😀".repeat(120_000));
        raw(&mut b, &[("write", json!({"path": "b.txt", "content": content}).to_string())]);
        assert_eq!(b.tool().1, Tool::Write, "pad {pad}: {}", last_end(&b));
        let largest = b.log.iter().map(|e| serde_json::to_string(e).unwrap().len()).max().unwrap();
        assert!(largest < 16 * 1024, "the event stays small: {largest}");
    }
}

#[test]
fn a_command_or_plan_that_is_too_long_is_told_its_limit() {
    let mut b = running();
    raw(&mut b, &[("run", json!({"command": format!("echo {}", "é".repeat(35_000))}).to_string())]);
    assert!(b.session.state().open.is_empty());
    assert!(last_end(&b).contains("65536"), "{}", last_end(&b));
    let mut b = Bench::new();
    b.say("create notes.txt");
    let plan = json!({"title": "P", "tasks": [{"title": "A", "detail": "ö".repeat(35_000)}]});
    raw(&mut b, &[("submit_plan", plan.to_string())]);
    assert_eq!(phase(&b), Phase::Planning);
    assert!(last_end(&b).contains("65536"), "{}", last_end(&b));
    b.thinking();
}

#[test]
fn a_command_of_sixty_kilobytes_is_shown_and_judged_whole() {
    let mut b = running();
    let command = format!("echo {}; rm -rf /", "x".repeat(60_000));
    raw(&mut b, &[("run", json!({"command": command}).to_string())]);
    let whole = b.session.state().open.values().any(|c| match &c.kind {
        pilothouse_core::checkpoint::CheckpointKind::Risk(CommandQuestion { command: c, risk, .. }) => {
            *c == command && *risk == pilothouse_core::shell::Risk::High
        }
        _ => false,
    });
    assert!(whole);
}

#[test]
fn arguments_that_are_no_object_are_refused_for_every_tool() {
    for tool in Tool::ALL {
        for args in ["[]", "\"a\"", "7", "null", "true"] {
            let mut b = running();
            raw(&mut b, &[(tool.name(), args.into())]);
            assert!(last_end(&b).contains("must be a JSON object"), "{tool:?} {args}: {}", last_end(&b));
            b.thinking();
        }
    }
}

#[test]
fn a_call_that_does_not_fit_its_schema_is_neither_run_nor_asked_about() {
    for (tool, args, about) in [
        ("read", json!({}), "missing field `path`"),
        ("edit", json!({"edits": [{"old": "1", "new": "2"}]}), "missing field `path`"),
        ("write", json!({"path": "", "content": "x"}), "path: it is empty"),
        ("delete", json!({"path": null}), "path: invalid type"),
        ("run", json!({"command": "make", "where": "sub"}), "unknown field `where`"),
        ("run", json!({"command": "make", "timeout_s": 9_000}), "1 to 1800"),
        ("run", json!({"command": "make", "network": "yes"}), "network: invalid type"),
        ("ask_user", json!({"question": " "}), "question: it is empty"),
        ("request_path", json!({"node": "root", "reason": "r"}), "expected one of"),
    ] {
        let mut b = running();
        raw(&mut b, &[(tool, args.to_string())]);
        assert!(last_end(&b).contains(about), "{args}: {}", last_end(&b));
        assert!(b.session.state().open.is_empty(), "{args}");
        b.thinking();
    }
}

#[test]
fn five_hundred_calls_in_one_reply_are_all_answered_in_order() {
    let mut b = running();
    let calls: Vec<_> = (0..500)
        .map(|i| match i % 3 {
            0 => ("read", json!({"path": format!("{i}.txt")}).to_string()),
            1 => ("nonsense", "{}".to_owned()),
            _ => ("submit_plan", "{".to_owned()),
        })
        .collect();
    raw(&mut b, &calls);
    let mut ended = Vec::new();
    while b.session.pending().values().any(|w| matches!(w, pilothouse_core::work::Work::Tool { .. })) {
        b.end_tool(ToolOutcome::text("t", "1"));
    }
    for e in &b.log {
        if let Event::CallEnded { call, .. } = &e.event {
            ended.push(*call);
        }
    }
    let ended: Vec<CallId> = ended.split_off(ended.len() - 500);
    assert!(ended.windows(2).all(|w| w[0] < w[1]));
    b.thinking();
}

#[test]
fn two_hundred_proposals_are_reviewed_and_written_together() {
    let mut b = running();
    raw(&mut b, &[("edit", edit_of("a.txt").to_string())]);
    let mut outcome = ToolOutcome::text("proposed", "200 files");
    outcome.proposals =
        (0..200).map(|i| proposing(&format!("f{i}.txt"), "1\n", "2\n").proposals.remove(0)).collect();
    b.end_tool(outcome);
    b.reply("done", &[]);
    assert_eq!(b.session.state().open_proposals().count(), 200);
    b.approve_all(None).unwrap();
    b.write();
    assert_eq!(b.session.state().ledger().len(), 1);
    assert_eq!(b.session.state().run.as_ref().unwrap().files.len(), 200);
}

#[test]
fn a_plan_of_thousands_of_empty_gates_is_refused() {
    let mut b = Bench::new();
    b.say("create notes.txt");
    let gates: Vec<_> = (0..2_000).map(|_| json!({"name": "", "command": ""})).collect();
    let plan = json!({"title": "P", "tasks": [{"title": "A"}], "gates": gates});
    raw(&mut b, &[("submit_plan", plan.to_string())]);
    assert_eq!(phase(&b), Phase::Planning, "{}", last_end(&b));
    let plan = json!({"title": "P", "tasks": [{"title": "A"}], "gates": [{"name": "t", "command": " "}]});
    raw(&mut b, &[("submit_plan", plan.to_string())]);
    assert!(last_end(&b).contains("command"), "{}", last_end(&b));
    assert_eq!(phase(&b), Phase::Planning);
}
