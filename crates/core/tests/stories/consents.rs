//! What was said yes to is not asked again, what changed since is; what others need is not left out in silence.

use std::sync::Arc;

use pilothouse_core::{
    checkpoint::{Answer, CheckpointKind},
    event::Event,
    input::{Input, Opening},
    intent::Phase,
    plan::{GateStatus, Programs, TaskStatus},
    scope::PermissionMode,
    session::Session,
    trust::{Standing, Trust},
    work::Work,
};
use serde_json::json;

use crate::{phase, support::*};

fn trusted() -> Bench {
    let standing = Standing { trust: Trust::Kept, ..Standing::default() };
    Bench::opened(Opening { standing, ..opening() })
}

fn asks(b: &Bench) -> bool {
    b.session.state().open.values().any(|c| is_risk(&c.kind))
}

/// A plan with one step and one gate that no rule allows, approved, its step done.
fn at_its_gate(mut b: Bench) -> Bench {
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify")], &[("t", "./check.sh")]);
    b.answer(is_plan, Answer::Approve).unwrap();
    b.reply("nothing to change", &[]);
    b
}

#[test]
fn approving_a_plan_approves_exactly_its_gates_in_a_trusted_folder() {
    let mut b = at_its_gate(trusted());
    assert!(!asks(&b), "the yes to the plan covers it");
    b.end_tool(exited(1, "no"));
    b.say("g");
    assert!(!asks(&b), "and covers it again");
    b.end_tool(exited(1, "no"));
    b.answer(is_failure, Answer::AutoFix).unwrap();
    b.reply("", &[("run", json!({"command": "./check.sh --all"}))]);
    assert!(asks(&b), "another line is another question");
    assert!(asks(&at_its_gate(Bench::new())), "in a folder that is not trusted every gate asks");
}

#[test]
fn a_yes_to_a_plan_is_none_to_a_gate_whose_line_its_card_does_not_name() {
    let long = format!("./check.sh {}", "--some-option ".repeat(20));
    let gates = (0..8).map(|n| format!("./check-{n}.sh"));
    for line in [long, "./check.sh\n./other.sh".to_owned()].into_iter().chain(gates) {
        let mut b = trusted();
        b.say("fix the bug in a.txt");
        // The lines of eight gates are more than the card names.
        let first: Vec<String> = (0..7).map(|n| format!("./check-{n}.sh")).collect();
        let many = line == "./check-7.sh";
        let before: Vec<(&str, &str)> =
            first.iter().take(if many { 7 } else { 0 }).map(|l| (l.as_str(), l.as_str())).collect();
        b.plan(&[("One", "modify")], &[&before[..], &[("t", line.as_str())]].concat());
        let card = b.session.state().plan.as_ref().unwrap().summary();
        b.answer(is_plan, Answer::Approve).unwrap();
        b.reply("nothing to change", &[]);
        let mut run = 0;
        while !asks(&b) && run < 8 && !b.session.pending().is_empty() {
            b.end_tool(exited(0, ""));
            run += 1;
        }
        let named = card.contains(&format!("gate t: {line}\n"));
        assert_eq!(asks(&b), !named, "{line} ran unasked after {card}");
        assert_eq!(named, line.starts_with("./check-") && !many, "{card}");
    }
}

#[test]
fn the_agent_tries_out_a_gate_that_was_said_yes_to_though_it_wrote_what_it_runs() {
    let mut b = trusted();
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify")], &[("t", "make test")]);
    b.answer(is_plan, Answer::Approve).unwrap();
    b.input(Input::SetPermission(PermissionMode::Auto)).unwrap();
    let run = |b: &mut Bench, line: &str| b.reply("", &[("run", json!({ "command": line }))]);
    run(&mut b, "sed -i s/a/b/ Makefile");
    b.end_tool(exited(0, ""));
    run(&mut b, "make test");
    assert!(!asks(&b), "{:#?}", b.session.state().open);
    b.end_tool(exited(0, ""));
    run(&mut b, "make test V=1");
    assert!(asks(&b), "another line runs what nobody reviewed");
}

#[test]
fn the_same_line_elsewhere_is_not_what_was_said_yes_to() {
    let mut b = trusted();
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify")], &[("t", "make test")]);
    b.answer(is_plan, Answer::Approve).unwrap();
    b.input(Input::SetPermission(PermissionMode::Auto)).unwrap();
    let run = |b: &mut Bench, args: serde_json::Value| b.reply("", &[("run", args)]);
    let known = |b: &Bench| {
        b.session.pending().into_values().find_map(|w| match w {
            Work::Tool { permit, .. } => Some(permit.is_known_to_user()),
            _ => None,
        })
    };
    run(&mut b, json!({"command": "make test"}));
    assert_eq!(known(&b), Some(true));
    b.end_tool(exited(0, ""));
    run(&mut b, json!({"command": "make test", "folder": "x"}));
    assert_eq!(known(&b), Some(false), "what lies there is another program");
    b.end_tool(exited(0, ""));
    run(&mut b, json!({"command": "sed -i s/a/b/ x/Makefile"}));
    b.end_tool(exited(0, ""));
    run(&mut b, json!({"command": "make test", "folder": "x"}));
    assert!(asks(&b), "{:#?}", b.session.state().open);
}

#[test]
fn a_changed_line_asks_and_what_is_dangerous_always_does() {
    for line in ["rm -rf build", "sudo make check", "git push --force"] {
        let mut b = trusted();
        b.say("fix the bug in a.txt");
        b.plan(&[("One", "modify")], &[("t", line)]);
        b.answer(is_plan, Answer::Approve).unwrap();
        b.reply("", &[]);
        assert!(asks(&b), "{line}");
    }
}

#[test]
fn a_plan_that_nobody_was_asked_about_approves_nothing() {
    let mut b = trusted();
    b.session.set_bounds(pilothouse_core::session::Bounds { small_plans: true, ..Default::default() });
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify")], &[("t", "./check.sh")]);
    assert_eq!(phase(&b), Phase::Executing, "it began without a question");
    b.reply("", &[]);
    assert!(asks(&b));
}

#[test]
fn a_line_allowed_for_the_session_is_not_asked_again_as_a_gate() {
    for mut b in [Bench::new(), trusted()] {
        b.say("fix the bug in a.txt");
        b.plan(&[("One", "modify")], &[("t", "./check.sh"), ("u", "./check.sh --all")]);
        b.answer(is_plan, Answer::Reject("fewer words".into())).unwrap();
        b.plan(&[("One", "modify")], &[]);
        b.answer(is_plan, Answer::Approve).unwrap();
        b.reply("", &[("run", json!({"command": "./check.sh"}))]);
        let rules = vec!["allow command ./check.sh".to_owned()];
        b.answer(is_risk, Answer::Grant { rules, lasting: false }).unwrap();
        b.end_tool(exited(0, "ok"));
        b.reply("done", &[]);
        assert_eq!(phase(&b), Phase::Idle);
        b.say("fix the other bug in a.txt");
        b.plan(&[("One", "modify")], &[("t", "./check.sh")]);
        b.answer(is_plan, Answer::Approve).unwrap();
        b.reply("", &[]);
        assert!(!asks(&b), "the same line was allowed for the session");
        b.end_tool(exited(0, "ok"));
        assert_eq!(phase(&b), Phase::Idle);
    }
}

#[test]
fn trust_holds_for_the_gates_that_it_showed_and_settles_the_one_that_waits() {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify")], &[("t", "./check.sh")]);
    b.answer(is_plan, Answer::Approve).unwrap();
    b.reply("", &[]);
    assert!(asks(&b));
    b.say("/trust");
    b.input(Input::Surveyed(Standing { asks: true, ..Standing::default() })).unwrap();
    let id = b.question(is_trust);
    let CheckpointKind::Trust(shown) = &b.session.state().open[&id].kind else { panic!("trust") };
    assert_eq!(shown.gates, ["./check.sh"]);
    b.answer(is_trust, Answer::Approve).unwrap();
    b.input(Input::Surveyed(Standing { trust: Trust::Kept, ..Standing::default() })).unwrap();
    assert!(!asks(&b), "it is not asked again");
    b.end_tool(exited(0, "ok"));
    assert_eq!(phase(&b), Phase::Idle);
}

#[test]
fn a_yes_is_bound_to_the_plan_as_it_was_shown() {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify"), ("Two", "modify")], &[]);
    let id = b.question(is_plan);
    assert!(b.input(Input::Answer { checkpoint: id, answer: Answer::Approve, shown: None }).is_err());
    let first = b.session.state().open[&id].kind.shown();
    let text = b.session.state().plan.as_ref().unwrap().document().replace("Two", "Second");
    b.input(Input::EditPlan { text, version: 1 }).unwrap();
    let id = b.question(is_plan);
    assert!(b.input(Input::Answer { checkpoint: id, answer: Answer::Approve, shown: first }).is_err());
    b.answer(is_plan, Answer::Approve).unwrap();
}

#[test]
fn another_way_is_taken_as_often_as_it_may_and_then_not_offered() {
    let mut b = at_its_gate(trusted());
    let keys = |b: &Bench| {
        let question = b.session.state().phase_question().unwrap();
        question.kind.choices().iter().map(|c| c.key).collect::<String>()
    };
    b.end_tool(exited(1, "no"));
    for n in 1..=2 {
        assert_eq!(keys(&b), "arsmgq");
        b.say("r");
        let told = b.log.iter().rev().find_map(|e| match e.event {
            Event::RepairStarted { attempt, of, detour, .. } => Some((attempt, of, detour)),
            _ => None,
        });
        assert_eq!(told, Some((n, 2, true)));
        b.reply("", &[("edit", edit_of("a.txt"))]);
        b.propose("a.txt", &format!("{n}\n"), &format!("{}\n", n + 1));
        b.reply("tried", &[]);
        b.approve_all(None).unwrap();
        b.write();
        b.end_tool(exited(1, "no"));
    }
    assert_eq!(keys(&b), "asmgq", "two other ways did not help");
    assert!(b.answer(is_failure, Answer::Retry).is_err());
    b.say("skip");
    let ended = b.log.iter().rev().find_map(|e| match &e.event {
        Event::RunCompleted { summary, .. } => Some(summary.clone()),
        _ => None,
    });
    assert_eq!(ended.unwrap(), "Done. 1 file created/modified. Gate t failed (exit 1), skipped by you.");
}

#[test]
fn a_gate_that_cannot_even_start_is_red_and_never_waived_by_itself() {
    let mut b = at_its_gate(trusted());
    b.end_tool(pilothouse_core::tool::ToolOutcome::failure("no such folder"));
    let gate = &b.session.state().plan.as_ref().unwrap().gates[0];
    assert!(matches!(gate.status, GateStatus::Failed(_)), "{gate:?}");
    b.question(is_failure);
}

/// Three steps, each on the one before, the change of the first left out by the user.
fn gap() -> Bench {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    let task = |title: &str, after: &[u64]| json!({"title": title, "kind": "modify", "after": after});
    let tasks = [task("One", &[]), task("Two", &[1]), task("Three", &[2]), task("Four", &[])];
    b.reply("", &[("submit_plan", json!({"title": "P", "tasks": tasks}))]);
    b.answer(is_plan, Answer::Approve).unwrap();
    b.reply("", &[("edit", edit_of("a.txt"))]);
    b.propose("a.txt", "1\n", "2\n");
    b.reply("done", &[]);
    let all = b.session.state().open_proposals().map(|p| p.id).collect();
    b.input(Input::Skip { proposals: all, reason: String::new() }).unwrap();
    b
}

fn statuses(b: &Bench) -> Vec<TaskStatus> {
    b.session.state().plan.as_ref().unwrap().tasks.iter().map(|t| t.status).collect()
}

#[test]
fn what_needs_a_step_that_was_left_out_is_asked_about() {
    use TaskStatus::{Pending, Running, Skipped};
    let b = gap();
    assert!(b.session.pending().is_empty(), "nothing goes on meanwhile");
    let state = b.session.state();
    let spec = state.spec(state.phase_question().unwrap());
    assert_eq!(spec.title.as_str(), "Step 1 was not done, and steps 2, 3 need it");
    for (word, then) in [
        ("s", [Skipped, Skipped, Skipped, Running]),
        ("go on", [Skipped, Running, Pending, Pending]),
        ("redo", [Running, Pending, Pending, Pending]),
    ] {
        let mut b = gap();
        b.say(word);
        assert_eq!(statuses(&b), then, "{word}");
    }
    let mut b = gap();
    b.say("q");
    assert_eq!(phase(&b), Phase::Idle);
}

/// A machine that has these programs.
#[derive(Debug)]
struct Here(&'static [&'static str]);

impl Programs for Here {
    fn has(&self, name: &str) -> bool {
        self.0.contains(&name)
    }
}

#[test]
fn what_a_gate_needs_and_is_not_here_is_told_before_the_yes() {
    let mut b = Bench::new();
    b.session.set_programs(Arc::new(Here(&["cargo", "make"])));
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify")], &[("tests", "cargo nextest run"), ("all", "make check")]);
    let state = b.session.state();
    let lack = "gate tests needs `cargo-nextest`, which is not installed here";
    let plan = state.plan.as_ref().unwrap();
    assert!(plan.summary().contains(lack), "{}", plan.summary());
    let spec = state.spec(state.phase_question().unwrap());
    let facts: Vec<&str> = spec.facts.iter().map(|(_, fact)| fact.as_str()).collect();
    assert_eq!((facts, spec.facts_in_bar), (vec![lack], true));
    assert!(Session::replay(&b.log) == b.session, "what was looked up is kept with the plan");
    // Where nobody can look, and where all is here, nothing is said.
    for programs in [None, Some(Here(&["cargo", "cargo-nextest", "make"]))] {
        let mut b = Bench::new();
        if let Some(here) = programs {
            b.session.set_programs(Arc::new(here));
        }
        b.say("fix the bug in a.txt");
        b.plan(&[("One", "modify")], &[("tests", "cargo nextest run")]);
        let state = b.session.state();
        assert!(state.spec(state.phase_question().unwrap()).facts.is_empty());
        assert!(!state.plan.as_ref().unwrap().summary().contains("not installed"));
    }
}

#[test]
fn the_line_that_a_gate_got_by_a_yes_asks_no_second_one_when_the_agent_runs_it() {
    let mut b = trusted();
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify"), ("Two", "modify")], &[("tests", "./check.sh")]);
    b.answer(is_plan, Answer::Approve).unwrap();
    let change = serde_json::json!({"gate": "tests", "command": "./prove.sh", "reason": "there is no test"});
    b.reply("", &[("change_gate", change)]);
    let asked = b.question(|k| matches!(k, CheckpointKind::GateChange(_)));
    let spec = b.session.state().spec(&b.session.state().open[&asked]);
    assert_eq!(spec.title.as_str(), "change the gate tests to `./prove.sh`?");
    // In a folder that is not trusted it does ask, and so does what a rule holds back.
    let reach = spec.choices[0].reach.as_ref().map(|r| r.reach.clone()).unwrap();
    assert!(reach.contains("in a trusted folder") && reach.contains("the rules"), "{reach}");
    b.answer(|k| matches!(k, CheckpointKind::GateChange(_)), Answer::Approve).unwrap();
    let step = b.reply("", &[("run", serde_json::json!({"command": "./prove.sh"}))]);
    assert_eq!(starts(&step), ["run"], "{:?}", b.session.state().open);
    // Another line is another thing.
    b.end_tool(exited(0, "fine"));
    b.reply("", &[("run", serde_json::json!({"command": "./install.sh"}))]);
    b.question(is_risk);
}

/// A machine where the packages of the project are not installed.
#[derive(Debug)]
struct Bare;

const LACKS: &str = "node_modules is not here; `npm ci` installs the packages";

impl Programs for Bare {
    fn has(&self, _name: &str) -> bool {
        true
    }

    fn unready(&self, line: &str) -> Option<String> {
        line.starts_with("npm ").then(|| LACKS.to_owned())
    }
}

#[test]
fn packages_that_a_gate_lacks_are_told_where_it_is_asked_and_where_it_failed_and_nothing_repairs_it() {
    for (line, lacks) in [("npm test", true), ("make check", false)] {
        let mut b = Bench::new();
        b.session.set_programs(Arc::new(Bare));
        b.say("fix the bug in a.txt");
        b.plan(&[("One", "modify")], &[("tests", line)]);
        b.answer(is_plan, Answer::Approve).unwrap();
        b.reply("nothing to change", &[]);
        let told = |b: &Bench, id| {
            let state = b.session.state();
            let spec = state.spec(&state.open[&id]);
            (spec.facts.iter().any(|(_, fact)| fact.as_str() == LACKS), spec.facts_in_bar)
        };
        assert_eq!(told(&b, b.question(is_risk)), (lacks, false), "{line}");
        b.answer(is_risk, Answer::Approve).unwrap();
        b.input(Input::SetPermission(PermissionMode::Auto)).unwrap();
        b.end_tool(exited(1, "Error: Cannot find package"));
        let failed = b.session.state().open.values().find(|c| is_failure(&c.kind)).map(|c| c.id);
        // In auto mode a red gate is repaired by itself, unless no change can make it green.
        assert_eq!(failed.is_some(), lacks, "{line}");
        assert!(failed.is_none_or(|id| told(&b, id) == (true, true)), "{line}");
        assert!(Session::replay(&b.log) == b.session, "{line}");
    }
}
