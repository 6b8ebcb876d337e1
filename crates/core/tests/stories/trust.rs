//! Trust: asked about calmly, given by the user alone, and only for what was shown.

use pilothouse_core::{
    blob::BlobId,
    checkpoint::{Answer, CheckpointKind},
    event::{Event, Stamped},
    ids::TaskId,
    input::{Input, Opening},
    plan::{GateDraft, Plan},
    policy::By,
    question::{CommandQuestion, TrustQuestion, WITHHELD},
    scope::PermissionMode,
    session::{Bounds, Session},
    tool::{Advice, ToolOutcome},
    trust::{Standing, Trust, TrustRequest},
    work::Work,
};

use serde_json::json;

use crate::support::*;

fn opened_with(trust: Trust) -> Bench {
    let mut b = Bench { session: Session::new(), log: Vec::new(), clock: 0 };
    let standing = Standing { trust, ..Standing::default() };
    b.input(Input::Open(Opening { standing, permission: Some(PermissionMode::Auto), ..opening() })).unwrap();
    b
}

#[test]
fn a_gate_asks_in_every_mode_until_the_folder_is_trusted() {
    for trust in [Trust::None, Trust::Once, Trust::Kept] {
        let mut b = opened_with(trust);
        assert_eq!(b.names().contains(&"trust_changed".to_owned()), trust.holds());
        b.say("fix the bug in a.txt");
        b.plan(&[("One", "modify")], &[("t", "make test")]);
        b.reply("", &[]);
        let asked = b.session.state().open.values().any(|c| is_risk(&c.kind));
        assert_eq!((asked, b.session.pending().is_empty()), (!trust.holds(), !trust.holds()), "{trust:?}");
    }
}

#[test]
fn what_the_folder_brings_and_changes_while_it_is_open_is_told_and_asked_about() {
    let mut b = opened_with(Trust::Kept);
    let step = b.input(Input::BroughtChanged { path: ".mcp.json".into() }).unwrap();
    let told = b.notices();
    assert!(told.last().unwrap().starts_with(".mcp.json has changed since"), "{told:?}");
    assert!(step.effects.iter().any(|e| format!("{e:?}").contains("Survey")), "{:?}", step.effects);
    assert!(b.input(Input::BroughtChanged { path: ".mcp.json".into() }).is_err(), "it is looked at already");
    b.input(Input::Surveyed(bringing("x"))).unwrap();
    b.question(is_trust);
    assert!(!b.session.state().trust.holds());
    assert!(
        b.input(Input::BroughtChanged { path: ".mcp.json".into() }).is_err(),
        "nothing rests on it any more"
    );
}

#[test]
fn what_a_folder_gives_that_is_trusted_for_the_run_is_renewed_and_told_once() {
    let mut b = opened_with(Trust::Once);
    let step = b.input(Input::BroughtChanged { path: ".env".into() }).unwrap();
    assert!(step.effects.iter().any(|e| format!("{e:?}").contains("Survey")), "{:?}", step.effects);
    b.input(Input::Surveyed(Standing { trust: Trust::Once, asks: false, ..bringing("x") })).unwrap();
    assert_eq!(b.notices(), [".env changed: commands get it as it is now."]);
    assert_eq!(b.session.state().trust, Trust::Once);
}

#[test]
fn a_command_beside_the_question_about_its_variables_waits_behind_it_and_says_that_it_gets_none() {
    let mut b = Bench { session: Session::new(), log: Vec::new(), clock: 0 };
    let given = Standing { trust: Trust::Kept, ..giving("one", &["TOKEN"]) };
    b.input(Input::Open(Opening { standing: given, ..opening() })).unwrap();
    b.say("!rm -r build");
    b.input(Input::BroughtChanged { path: ".env".into() }).unwrap();
    b.input(Input::Surveyed(Standing { withholds: vec!["TOKEN".into()], ..bringing("two") })).unwrap();
    let state = b.session.state();
    let first = state.open.values().min_by_key(|c| state.spec(c).order()).unwrap().id;
    assert_eq!(first, b.question(is_trust));
    assert_eq!(state.open.keys().next(), Some(&first), "in the list too");
    let CheckpointKind::Risk(asked) = &state.open[&b.question(is_risk)].kind else { unreachable!() };
    assert!(asked.withheld && asked.beyond().contains("without .env: not trusted yet"), "{asked:?}");
    let facts = state.spec(&state.open[&b.question(is_risk)]).facts;
    assert!(facts.iter().any(|(label, value)| format!("{label} {value}") == WITHHELD), "{facts:?}");
    let labels: std::collections::BTreeSet<&str> = facts.iter().map(|(label, _)| *label).collect();
    assert_eq!(labels.len(), facts.len(), "each says what it is: {facts:?}");
    b.answer(is_risk, Answer::Word("proceed".into())).unwrap();
    b.end_tool(exited(0, "exit 0, took 0.1 s\nok"));
    let (summary, result) = ended_call(&b);
    assert!(summary.ends_with("; without .env: not trusted yet"), "{summary}");
    assert!(result.contains(WITHHELD), "{result}");
    // What installs packages would get none of them anyway; and once it is answered nothing is awaited.
    b.say("!rm -r build && npm install");
    let CheckpointKind::Risk(asked) = &b.session.state().open[&b.question(is_risk)].kind else {
        unreachable!()
    };
    assert!(!asked.withheld);
    b.say("!rm -r build");
    b.answer(is_trust, Answer::Reject(String::new())).unwrap();
    b.input(Input::Surveyed(Standing { asks: false, withholds: vec!["TOKEN".into()], ..bringing("two") }))
        .unwrap();
    let waits = b.session.state().open.values().filter_map(|c| c.kind.command());
    assert!(waits.clone().count() > 0 && waits.into_iter().all(|asked| !asked.withheld));
}

/// What the last command came to: its summary and its result.
fn ended_call(b: &Bench) -> (String, String) {
    let ended = |e: &Event| match e {
        Event::CallEnded { summary, result, notes, .. } => {
            Some((summary.clone(), Advice::below(notes, result.whole().unwrap_or_default())))
        }
        _ => None,
    };
    b.log.iter().rev().find_map(|e| ended(&e.event)).unwrap()
}

#[test]
fn variables_that_are_new_in_an_untrusted_folder_are_asked_about() {
    let mut b = opened_with(Trust::None);
    b.input(Input::BroughtChanged { path: ".env".into() }).unwrap();
    b.input(Input::Surveyed(Standing { withholds: vec!["TOKEN".into()], ..bringing("one") })).unwrap();
    b.question(is_trust);
}

#[test]
fn a_command_whose_variables_are_others_by_the_time_it_begins_is_asked_about_again() {
    let mut b = Bench { session: Session::new(), log: Vec::new(), clock: 0 };
    b.input(Input::Open(Opening { standing: giving("one", &["TOKEN"]), ..opening() })).unwrap();
    b.say("!rm -r build");
    b.answer(is_risk, Answer::Word("proceed".into())).unwrap();
    b.input(Input::BroughtChanged { path: ".env".into() }).unwrap();
    b.input(Input::Surveyed(giving("two", &["TOKEN", "MORE"]))).unwrap();
    let changed = Some("the variables it gets have changed".to_owned());
    b.end_tool(ToolOutcome { changed, ..ToolOutcome::failure("nothing was done") });
    assert_eq!(asked_to_run(&b).1, ["TOKEN", "MORE"]);
}

#[test]
fn a_command_that_the_user_allowed_says_that_its_variables_changed_since() {
    let mut b = Bench { session: Session::new(), log: Vec::new(), clock: 0 };
    b.input(Input::Open(Opening { standing: giving("one", &["TOKEN"]), ..opening() })).unwrap();
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify")], &[]);
    b.answer(is_plan, Answer::Approve).unwrap();
    b.reply("", &[("run", json!({"command": "make all"}))]);
    b.answer(is_risk, Answer::Approve).unwrap();
    b.input(Input::SetPermission(PermissionMode::Auto)).unwrap();
    b.input(Input::BroughtChanged { path: ".env".into() }).unwrap();
    b.input(Input::Surveyed(giving("two", &["TOKEN"]))).unwrap();
    let changed = Some("the variables it gets have changed".to_owned());
    b.end_tool(ToolOutcome { changed, ..ToolOutcome::failure("nothing was done") });
    let id = b.question(is_risk);
    let CheckpointKind::Risk(asked) = &b.session.state().open[&id].kind else { unreachable!() };
    let by = asked.ruling.as_ref().map(|ruling| ruling.by.as_str());
    assert_eq!(by, Some("what it gets from .env changed after you allowed it"));
}

#[test]
fn a_command_that_nobody_was_asked_about_begins_with_the_variables_as_they_are_by_then() {
    let mut b = Bench { session: Session::new(), log: Vec::new(), clock: 0 };
    let permission = Some(PermissionMode::Auto);
    b.input(Input::Open(Opening { standing: giving("one", &["TOKEN"]), permission, ..opening() })).unwrap();
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify")], &[]);
    b.reply("", &[("run", json!({"command": "make all"}))]);
    assert_eq!(begins_with(&b), Some(BlobId::of(b"one")));
    b.input(Input::BroughtChanged { path: ".env".into() }).unwrap();
    b.input(Input::Surveyed(giving("two", &["TOKEN"]))).unwrap();
    let changed = || ToolOutcome {
        changed: Some("the variables it gets have changed".to_owned()),
        ..ToolOutcome::failure("nothing was done")
    };
    b.end_tool(changed());
    assert!(b.session.state().open.is_empty(), "{:?}", b.session.state().open);
    assert_eq!(begins_with(&b), Some(BlobId::of(b"two")));
    // What is other though nothing of that was seen here is asked about.
    b.end_tool(changed());
    b.question(is_risk);
}

/// What the command that is to begin gets of the folder's variables.
fn begins_with(b: &Bench) -> Option<BlobId> {
    let work = b.session.pending();
    let given = |w: &Work| if let Work::Tool { permit, .. } = w { Some(permit.given()) } else { None };
    work.values().find_map(given).unwrap_or_else(|| panic!("no command begins"))
}

#[test]
fn no_command_begins_between_the_yes_to_the_folder_and_what_it_gives() {
    let withheld = || Standing { withholds: vec!["TOKEN".into()], ..bringing("one") };
    let works = |b: &Bench| b.session.pending().values().any(|w| matches!(w, Work::Tool { .. }));
    let given = Some(BlobId::of(b"one"));
    let kept = || Input::Surveyed(Standing { trust: Trust::Kept, ..giving("one", &["TOKEN"]) });
    for waits in [true, false] {
        let mut b = Bench { session: Session::new(), log: Vec::new(), clock: 0 };
        b.input(Input::Open(Opening { standing: withheld(), ..opening() })).unwrap();
        if waits {
            b.say("!rm -r build");
        }
        b.answer(is_trust, Answer::Approve).unwrap();
        if waits {
            assert!(b.answer(is_risk, Answer::Word("proceed".into())).is_err());
        } else {
            b.say("!make all");
        }
        assert!(!works(&b), "{waits}");
        b.input(kept()).unwrap();
        if waits {
            assert_eq!(asked_to_run(&b).1, ["TOKEN"]);
            b.answer(is_risk, Answer::Word("proceed".into())).unwrap();
        }
        assert_eq!(begins_with(&b), given, "{waits}");
    }
}

#[test]
fn what_installs_packages_gets_none_of_the_variables_and_its_question_names_none() {
    for (line, gets) in [("npm install", false), ("cd app && npm ci && npm start", false), ("make all", true)]
    {
        let mut b = Bench { session: Session::new(), log: Vec::new(), clock: 0 };
        let standing = Standing { trust: Trust::Once, gives: vec!["TOKEN".into()], ..Standing::default() };
        b.input(Input::Open(Opening { standing, permission: Some(PermissionMode::Ask), ..opening() }))
            .unwrap();
        b.say("fix the bug in a.txt");
        b.plan(&[("One", "modify")], &[]);
        b.answer(is_plan, Answer::Approve).unwrap();
        b.reply("", &[("run", json!({"command": line}))]);
        let id = b.question(is_risk);
        let CheckpointKind::Risk(asked) = &b.session.state().open[&id].kind else { unreachable!() };
        assert_eq!(!asked.gives.is_empty(), gets, "{line}");
        b.answer(is_risk, Answer::Approve).unwrap();
        let work = b.session.pending();
        let given = work
            .values()
            .find_map(|w| if let Work::Tool { permit, .. } = w { Some(permit.given()) } else { None });
        assert_eq!(given.unwrap().is_some(), gets, "{line}");
    }
}

#[test]
fn a_plan_of_code_without_gates_gets_those_that_were_found_where_they_run_unasked() {
    let found = || GateDraft {
        name: "test (found)".into(),
        command: "cargo test".into(),
        after: Vec::new(),
        found: true,
    };
    let gates = |trust, task: serde_json::Value, gates: serde_json::Value| {
        let mut b = opened_with(trust);
        b.session.set_gates(vec![found()]);
        b.say("fix the bug in a.rs");
        b.reply("", &[("submit_plan", json!({"title": "P", "tasks": [task], "gates": gates}))]);
        let plan = b.session.state().plan.clone().unwrap();
        plan.gates.iter().map(|g| g.command.clone()).collect::<Vec<_>>()
    };
    let code = || json!({"title": "A", "files": ["a.rs", "README.md"]});
    assert_eq!(gates(Trust::Once, code(), json!([])), ["cargo test"]);
    assert_eq!(gates(Trust::Once, json!({"title": "A"}), json!([])), ["cargo test"]);
    let own = json!([{"name": "mine", "command": "make check"}]);
    assert_eq!(gates(Trust::Once, code(), own), ["make check"]);
    for code in ["todo_app.py", "src/license-key.c", "todo_list", "data/words.txt", "requirements/dev.txt"] {
        let gates = gates(Trust::Once, json!({"title": "A", "files": [code]}), json!([]));
        assert_eq!(gates, ["cargo test"], "{code}");
    }
    let none: [&str; 0] = [];
    for prose in ["README.md", "TODO", "LICENSE-MIT", "docs/use.txt"] {
        let gates = gates(Trust::Once, json!({"title": "A", "files": [prose]}), json!([]));
        assert_eq!(gates, none, "{prose}");
    }
    assert_eq!(gates(Trust::Once, json!({"title": "A", "kind": "execute"}), json!([])), none);
    assert_eq!(gates(Trust::None, code(), json!([])), none);
}

#[test]
fn a_found_check_of_style_that_failed_before_is_left_out_and_told() {
    let mut b = opened_with(Trust::Once);
    let gate = |command: &str| GateDraft {
        name: "format (found)".into(),
        command: command.into(),
        after: Vec::new(),
        found: true,
    };
    b.session.set_gates(vec![gate("cargo fmt --check")]);
    b.say("fix the bug in a.rs");
    b.reply("", &[("submit_plan", json!({"title": "P", "tasks": [{"title": "A", "files": ["a.rs"]}]}))]);
    b.reply("", &[("edit", edit_of("a.rs"))]);
    b.propose("a.rs", "1\n", "2\n");
    b.reply("", &[]);
    b.write();
    b.end_tool(exited(1, "exit 1, took 0.1 s\nstdout:\nDiff in /w/src/old.rs:3:\n"));
    assert_eq!(b.session.state().phase, pilothouse_core::intent::Phase::Idle);
    assert!(b.notices().iter().any(|n| n.contains("fails on the untouched tree too")), "{:?}", b.notices());
    let said = "Done. 1 file created/modified. Not checked: gate format (found) (it failed before too).";
    assert_eq!(ended(&b), said, "nobody waived it");
}

#[test]
fn what_a_found_gate_shows_to_be_wrong_is_not_committed() {
    for (title, starts) in
        [("Commit it", false), ("Änderungen committen", false), ("Run the push tests", true)]
    {
        let mut b = opened_with(Trust::Once);
        let (name, command) = ("test (found)".to_owned(), "cargo test".to_owned());
        b.session.set_gates(vec![GateDraft { name, command, after: Vec::new(), found: true }]);
        b.say("fix the bug in a.rs and commit it");
        let tasks = json!([{"title": "Fix it", "files": ["a.rs"]}, {"title": title, "kind": "execute", "after": [1]}]);
        b.reply("", &[("submit_plan", json!({"title": "P", "tasks": tasks}))]);
        b.reply("", &[("edit", edit_of("a.rs"))]);
        b.propose("a.rs", "1\n", "2\n");
        b.reply("", &[]);
        b.write();
        if !starts {
            b.end_tool(exited(101, "exit 101, took 0.1 s\nstdout:\n1 failed\n"));
        }
        let began = b.log.iter().any(|e| matches!(e.event, Event::TaskStarted { task: TaskId(2), .. }));
        assert_eq!(began, starts, "{title}");
    }
}

/// How the last run ended, in words.
fn ended(b: &Bench) -> String {
    let end = b.log.iter().rev().find_map(|e| match &e.event {
        Event::RunCompleted { summary, .. } => Some(summary.clone()),
        _ => None,
    });
    end.unwrap()
}

#[test]
fn a_found_gate_that_cannot_run_here_is_told_so_and_the_run_is_not_called_complete() {
    let mut b = opened_with(Trust::Once);
    let (name, command) = ("lint (found)".to_owned(), "ruff check".to_owned());
    b.session.set_gates(vec![GateDraft { name, command, after: Vec::new(), found: true }]);
    b.say("fix the bug in a.py");
    b.reply("", &[("submit_plan", json!({"title": "P", "tasks": [{"title": "A", "files": ["a.py"]}]}))]);
    b.reply("", &[("edit", edit_of("a.py"))]);
    b.propose("a.py", "1\n", "2\n");
    b.reply("", &[]);
    b.write();
    b.end_tool(exited(127, "exit 127, took 0.1 s\nstderr:\nbash: ruff: command not found\n"));
    let said = "Done. 1 file created/modified. Not checked: gate lint (found) (it cannot run here).";
    assert_eq!(ended(&b), said);
    assert!(!b.session.state().suspended.as_ref().unwrap().complete());
}

#[test]
fn a_gate_of_the_settings_that_ends_as_something_else_does_is_left_out_and_told() {
    let mut b = opened_with(Trust::Once);
    let gate = |command: &str| GateDraft { command: command.into(), ..GateDraft::default() };
    b.session.set_gates(vec![gate("pytest | tee log"), gate("cargo test 2>&1 | tail")]);
    b.say("fix the bug in a.rs");
    b.reply("", &[("submit_plan", json!({"title": "P", "tasks": [{"title": "A", "files": ["a.rs"]}]}))]);
    let plan = b.session.state().plan.clone().unwrap();
    let lines: Vec<_> = plan.gates.iter().map(|g| g.command.as_str()).collect();
    assert_eq!(lines, ["cargo test"]);
    assert!(plan.note.starts_with("Left out, the gate `pytest | tee log`: "), "{}", plan.note);
}

#[test]
fn a_plan_that_nothing_checks_here_says_why_and_what_to_do() {
    let gate = GateDraft { command: "make test".into(), found: true, ..GateDraft::default() };
    for (trust, files, told) in [
        (
            Trust::None,
            json!(["a.rs"]),
            "this folder is not trusted, so `make test` won't run on its own; /trust makes it a gate while the plan \
             waits, /trust and /replan once it has started",
        ),
        (Trust::None, json!(["README.md"]), ""),
        (Trust::Once, json!(["a.rs"]), ""),
    ] {
        let mut b = opened_with(trust);
        b.session.set_gates(vec![gate.clone()]);
        b.say("fix the bug in a.rs");
        b.reply("", &[("submit_plan", json!({"title": "P", "tasks": [{"title": "A", "files": files}]}))]);
        let plan = b.session.state().plan.clone().unwrap();
        let said = plan.unchecked.clone().unwrap_or_default();
        assert_eq!(said.is_empty(), told.is_empty(), "{said}");
        assert!(said.contains(told), "{said}");
        assert_eq!((plan.note.as_str(), plan.notes()), ("", said));
    }
}

/// A plan of two steps that waits for a yes in a folder that is not trusted, where this check was found.
fn waits_unchecked(line: &str) -> Bench {
    let mut b = Bench::new();
    b.session.set_gates(vec![GateDraft { command: line.into(), found: true, ..GateDraft::default() }]);
    b.say("fix the bug in a.rs");
    let task = |title| json!({"title": title, "files": ["a.rs"]});
    b.reply("", &[("submit_plan", json!({"title": "P", "note": "Mind.", "tasks": [task("A"), task("B")]}))]);
    b
}

/// The user trusts the folder, by the question of `/trust`.
fn trusts(b: &mut Bench) {
    b.say("/trust");
    b.input(Input::Surveyed(bringing("x"))).unwrap();
    b.answer(is_trust, Answer::Approve).unwrap();
    b.input(Input::Surveyed(found(TrustRequest::Keep(BlobId::of(b"x")), "x"))).unwrap();
}

#[test]
fn a_plan_that_waits_gets_the_gates_that_trust_lets_run_and_is_asked_about_anew() {
    let mut b = waits_unchecked("make test");
    let asked = b.question(is_plan);
    let shown = b.session.state().open[&asked].kind.shown();
    let notes = b.session.state().plan.as_ref().unwrap().notes();
    assert!(notes.starts_with("Mind.\nNothing checks this plan: "), "{notes}");
    trusts(&mut b);
    let plan = b.session.state().plan.clone().unwrap();
    let lines: Vec<_> = plan.gates.iter().map(|g| g.command.as_str()).collect();
    assert_eq!((lines, plan.version, plan.notes().as_str()), (vec!["make test"], 2, "Mind."));
    assert!(b.notices().iter().any(|n| n.contains("v2") && n.contains("make test")), "{:?}", b.notices());
    let anew = b.question(is_plan);
    assert_ne!((asked, shown), (anew, b.session.state().open[&anew].kind.shown()));
    let old = Input::Answer { checkpoint: asked, answer: Answer::Approve, shown };
    assert!(b.input(old).is_err(), "what was read before is not taken over");
    b.answer(is_plan, Answer::Approve).unwrap();
    assert!(Session::replay(&b.log) == b.session);
    // One that was checked by the user's own word, or asked to run nothing, stays as it is.
    let mut b = waits_unchecked("make test");
    b.session.set_gates(Vec::new());
    trusts(&mut b);
    assert_eq!(b.session.state().plan.as_ref().map(|p| (p.version, p.gates.len())), Some((1, 0)));
}

#[test]
fn a_note_of_the_model_that_begins_as_what_nothing_checks_is_a_note() {
    const SAYS: &str = "Nothing checks this plan: mind.";
    for (file, gates) in [("a.rs", 1), ("README.md", 0)] {
        let mut b = Bench::new();
        let found = GateDraft { command: "make test".into(), found: true, ..GateDraft::default() };
        b.session.set_gates(vec![found]);
        b.say("fix the bug in a.rs");
        let plan = json!({"title": "P", "note": SAYS, "tasks": [{"title": "A", "files": [file]}]});
        b.reply("", &[("submit_plan", plan)]);
        trusts(&mut b);
        let plan = b.session.state().plan.as_ref().unwrap();
        assert_eq!((plan.gates.len(), plan.note.as_str()), (gates, SAYS), "{file}");
    }
}

#[test]
fn a_plan_of_an_older_log_that_nothing_checks_gets_the_gates_as_well() {
    const WHY: &str = "Nothing checks this plan: this folder is not trusted, so `make test` does not run by itself; \
                       /trust and then /replan make it a gate of the plan.";
    for (kept, note) in [(format!("Mind.\n{WHY}"), "Mind."), (WHY.to_owned(), "")] {
        let mut b = waits_unchecked("make test");
        let stored = |e: &Stamped| match &e.event {
            Event::PlanReady { plan } => {
                let plan = Plan { note: kept.clone(), unchecked: None, ..plan.clone() };
                Stamped { event: Event::PlanReady { plan }, ..e.clone() }
            }
            _ => e.clone(),
        };
        b.log = b.log.iter().map(stored).collect();
        b.session = Session::replay(&b.log);
        let plan = b.session.state().plan.as_ref().unwrap();
        assert_eq!((plan.note.as_str(), plan.unchecked.as_deref()), (note, Some(WHY)));
        assert_eq!(plan.notes(), kept);
        b.session.set_gates(vec![GateDraft {
            command: "make test".into(),
            found: true,
            ..GateDraft::default()
        }]);
        trusts(&mut b);
        let plan = b.session.state().plan.as_ref().unwrap();
        assert_eq!((plan.gates.len(), plan.notes().as_str()), (1, note));
    }
}

#[test]
fn a_plan_that_was_left_gets_the_gates_that_trust_lets_run_when_it_is_shown_again() {
    let mut b = waits_unchecked("make test");
    b.input(Input::Cancel).unwrap();
    trusts(&mut b);
    b.say("/redo");
    let plan = b.session.state().plan.clone().unwrap();
    assert_eq!((plan.gates.len(), plan.note.as_str()), (1, "Mind."));
    b.question(is_plan);
}

#[test]
fn what_nothing_checks_and_nobody_was_asked_about_says_so_in_its_review() {
    let mut b = Bench::new();
    b.session.set_bounds(Bounds { small_plans: true, ..Bounds::default() });
    b.session.set_gates(vec![GateDraft { command: "make test".into(), found: true, ..GateDraft::default() }]);
    b.say("fix the bug in a.rs");
    b.reply("", &[("submit_plan", json!({"title": "P", "tasks": [{"title": "A", "files": ["a.rs"]}]}))]);
    b.reply("", &[("edit", edit_of("a.rs"))]);
    b.propose("a.rs", "1\n", "2\n");
    b.reply("done", &[]);
    let state = b.session.state();
    let facts = state.spec(&state.open[&b.question(is_diff)]).facts;
    let told = state.plan.as_ref().unwrap().unchecked.clone().unwrap();
    assert!(told.starts_with("Nothing checks this plan"), "{told}");
    assert!(facts.iter().any(|(label, said)| *label == "check" && said.as_str() == told), "{facts:?}");
    // Who said yes to the plan has read it there.
    let mut b = waits_unchecked("make test");
    b.answer(is_plan, Answer::Approve).unwrap();
    b.reply("", &[("edit", edit_of("a.rs"))]);
    b.propose("a.rs", "1\n", "2\n");
    b.reply("done", &[]);
    let state = b.session.state();
    assert!(state.spec(&state.open[&b.question(is_diff)]).facts.is_empty());
}

#[test]
fn init_is_an_order_to_write_the_file_of_instructions() {
    let mut b = Bench::new();
    b.say("/init");
    assert!(b.session.state().planning_lane().is_some());
    b.plan(&[("Write AGENTS.md", "create")], &[]);
    b.answer(is_plan, Answer::Approve).unwrap();
}

#[test]
fn trust_is_found_out_anew_by_every_process() {
    let mut b = opened_with(Trust::Once);
    assert_eq!(b.session.state().trust, Trust::Once);
    b.input(Input::Open(opening())).unwrap();
    assert_eq!(b.session.state().trust, Trust::None);
}

fn asked() -> Bench {
    let mut b = Bench { session: Session::new(), log: Vec::new(), clock: 0 };
    b.input(Input::Open(Opening { standing: bringing("this"), ..opening() })).unwrap();
    b
}

fn survey(b: &Bench) -> TrustRequest {
    let work = b.session.pending();
    let wish = work.values().find_map(|w| if let Work::Survey(wish) = w { Some(*wish) } else { None });
    wish.unwrap_or_else(|| panic!("nobody looks at the folder"))
}

fn trust(b: &Bench) -> Trust {
    b.session.state().trust
}

#[test]
fn the_question_stands_beside_the_work_and_words_do_not_answer_it() {
    let mut b = asked();
    let id = b.question(is_trust);
    assert!(b.session.state().phase_question().is_none() && b.session.pending().is_empty());
    b.say("where is main?");
    b.reply("here", &[]);
    for word in ["y", "yes", "n"] {
        drop(b.input(Input::say(word)));
        assert_eq!(b.question(is_trust), id, "{word}");
    }
    for _ in 0..3 {
        drop(b.input(Input::Cancel));
    }
    assert_eq!((b.question(is_trust), trust(&b)), (id, Trust::None));
}

#[test]
fn a_yes_trusts_exactly_what_was_shown() {
    let mut b = asked();
    let id = b.question(is_trust);
    for shown in [None, Some(BlobId::of(b"other"))] {
        assert!(b.input(Input::Answer { checkpoint: id, answer: Answer::Approve, shown }).is_err());
    }
    b.answer(is_trust, Answer::Approve).unwrap();
    assert_eq!(trust(&b), Trust::None, "nothing holds before it is kept");
    let wish = survey(&b);
    assert_eq!(wish, TrustRequest::Keep(BlobId::of(b"this")));
    b.input(Input::Surveyed(found(wish, "this"))).unwrap();
    assert_eq!(trust(&b), Trust::Kept);
    assert!(b.session.pending().is_empty() && b.session.state().open.is_empty());
}

#[test]
fn what_changed_after_it_was_shown_is_asked_about_again() {
    let mut b = asked();
    b.answer(is_trust, Answer::Approve).unwrap();
    let wish = survey(&b);
    b.input(Input::Surveyed(found(wish, "that"))).unwrap();
    assert_eq!(trust(&b), Trust::None);
    let id = b.question(is_trust);
    let CheckpointKind::Trust(TrustQuestion { shown, .. }) = b.session.state().open[&id].kind else {
        unreachable!()
    };
    assert_eq!(shown, BlobId::of(b"that"));
}

#[test]
fn a_no_leaves_it_off_until_the_user_asks_again() {
    let mut b = asked();
    b.answer(is_trust, Answer::Reject(String::new())).unwrap();
    let wish = survey(&b);
    b.input(Input::Surveyed(found(wish, "this"))).unwrap();
    assert!(trust(&b) == Trust::None && b.session.state().open.is_empty());
    b.say("/trust");
    let wish = survey(&b);
    b.input(Input::Surveyed(found(wish, "this"))).unwrap();
    b.answer(is_trust, Answer::Approve).unwrap();
    let wish = survey(&b);
    b.input(Input::Surveyed(found(wish, "this"))).unwrap();
    assert_eq!(trust(&b), Trust::Kept);
    b.say("/trust off");
    let wish = survey(&b);
    b.input(Input::Surveyed(found(wish, "this"))).unwrap();
    assert_eq!(trust(&b), Trust::None);
}

#[test]
fn nobody_s_survey_but_the_one_that_was_asked_for_counts() {
    let mut b = asked();
    let trusted = Standing { trust: Trust::Kept, asks: false, ..bringing("this") };
    assert!(b.input(Input::Surveyed(trusted)).is_err());
    assert_eq!(trust(&b), Trust::None);
}

fn giving(content: &str, names: &[&str]) -> Standing {
    let gives = names.iter().map(|n| (*n).to_owned()).collect();
    Standing { gives, trust: Trust::Once, asks: false, ..bringing(content) }
}

fn asked_to_run(b: &Bench) -> (BlobId, Vec<String>) {
    let id = b.question(is_risk);
    match &b.session.state().open[&id].kind {
        CheckpointKind::Risk(CommandQuestion { shown, gives, .. }) => (*shown, gives.clone()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_command_says_what_it_is_given_and_what_changes_is_asked_again() {
    let mut b = Bench { session: Session::new(), log: Vec::new(), clock: 0 };
    b.input(Input::Open(Opening { standing: giving("one", &["API_TOKEN"]), ..opening() })).unwrap();
    b.say("!rm -r build");
    let (first, gives) = asked_to_run(&b);
    assert_eq!(gives, ["API_TOKEN"]);
    let old = b.question(is_risk);
    b.say("/trust off");
    b.input(Input::Surveyed(found(survey(&b), "one"))).unwrap();
    let (bare, gives) = asked_to_run(&b);
    assert!(gives.is_empty() && bare != first && b.question(is_risk) != old);
    b.say("/trust");
    let changed = giving("another value", &["API_TOKEN"]);
    b.input(Input::Surveyed(Standing { trust: Trust::Kept, ..changed })).unwrap();
    let (second, gives) = asked_to_run(&b);
    assert_eq!(gives, ["API_TOKEN"]);
    assert!(second != first, "another value is another thing to allow");
    let id = b.question(is_risk);
    let stale = Input::Answer { checkpoint: id, answer: Answer::Word("proceed".into()), shown: Some(first) };
    assert!(b.input(stale).is_err());
    b.answer(is_risk, Answer::Word("proceed".into())).unwrap();
    let given = b.session.pending().values().find_map(|w| match w {
        Work::Tool { permit, .. } => permit.given(),
        _ => None,
    });
    assert_eq!(given, Some(BlobId::of(b"another value")), "the permit is for exactly these");
}

/// A folder in whose project a command was found that tests it.
fn tested_by(command: &str) -> Bench {
    let mut b = opened_with(Trust::Once);
    let gate = GateDraft { command: command.into(), name: "test (found)".into(), ..GateDraft::default() };
    b.session.set_gates(vec![GateDraft { found: true, ..gate }]);
    b
}

/// An order whose one step, of these files in its plan, changes a file.
fn order(b: &mut Bench, said: &str, files: &[&str], file: &str, gates: &serde_json::Value) {
    b.say(said);
    let tasks = json!([{"title": "A", "files": files}]);
    b.reply("", &[("submit_plan", json!({"title": "P", "tasks": tasks, "gates": gates}))]);
    b.reply("", &[("edit", edit_of(file))]);
    b.propose(file, "1\n", "2\n");
    b.reply("", &[]);
    b.write();
}

fn gates_of(b: &Bench) -> Vec<String> {
    let state = b.session.state();
    let plan = state.plan.as_ref().or(state.suspended.as_ref());
    plan.unwrap().gates.iter().map(|g| g.command.clone()).collect()
}

#[test]
fn a_found_gate_goes_by_the_line_that_was_green_here() {
    let mut b = tested_by("pytest");
    let own = json!([{"name": "tests", "command": "python3 -m pytest -q"}]);
    order(&mut b, "fix the bug in a.py", &["a.py"], "a.py", &own);
    b.end_tool(exited(0, "ok"));
    order(&mut b, "fix the bug in b.py", &["b.py"], "b.py", &json!([]));
    assert_eq!(gates_of(&b), ["python3 -m pytest"]);
    b.end_tool(exited(0, "ok"));
    // What is green as it was found needs no other way.
    let mut b = tested_by("pytest");
    order(&mut b, "fix the bug in a.py", &["a.py"], "a.py", &json!([]));
    b.end_tool(exited(0, "ok"));
    order(&mut b, "fix the bug in b.py", &["b.py"], "b.py", &json!([]));
    assert_eq!(gates_of(&b), ["pytest"]);
}

#[test]
fn a_found_gate_that_was_never_green_makes_no_run_red_that_changed_no_code() {
    let mut b = tested_by("pytest");
    order(&mut b, "fix the wording of the LICENSE", &[], "LICENSE", &json!([]));
    assert_eq!(gates_of(&b), ["pytest"], "a step that names no file may change code");
    b.end_tool(exited(1, "exit 1, took 0.1 s\nstdout:\nno"));
    assert_eq!(
        ended(&b),
        "Done. 1 file created/modified. Not checked: gate test (found) (red, but no code was changed and it was never \
         green here)."
    );
    order(&mut b, "fix the bug in a.py", &["a.py"], "a.py", &json!([]));
    b.end_tool(exited(1, "exit 1, took 0.1 s\nstdout:\nno"));
    assert!(b.names().contains(&"repair_started".into()), "it counts, and in auto mode is repaired");
}

#[test]
fn a_plan_that_changes_text_for_people_alone_is_held_to_no_gate() {
    for file in ["LICENSE", "LICENSE-MIT", "docs/CHANGELOG", "README.md"] {
        let mut b = tested_by("pytest");
        order(&mut b, "fix the bug in a.txt", &[file], file, &json!([]));
        assert_eq!(gates_of(&b), Vec::<String>::new(), "{file}");
    }
    let mut b = tested_by("pytest");
    order(&mut b, "fix the bug in a.txt", &["notice.py", "Makefile"], "Makefile", &json!([]));
    assert_eq!(gates_of(&b), ["pytest"]);
}

#[test]
fn the_question_about_the_folder_names_the_lines_that_it_lets_run() {
    let gate = |line: &str| GateDraft {
        name: line.to_owned(),
        command: line.to_owned(),
        after: Vec::new(),
        found: true,
    };
    for brings in [true, false] {
        let mut b = Bench::new();
        b.session.set_gates(vec![gate("make test"), gate("make lint"), gate("make test")]);
        b.say("/trust");
        let all = bringing("x");
        let parts = if brings { all.parts.clone() } else { Vec::new() };
        b.input(Input::Surveyed(Standing { parts, ..all })).unwrap();
        let item = b.session.state().open[&b.question(is_trust)].clone();
        let spec = b.session.state().spec(&item);
        let runs: Vec<_> =
            spec.facts.iter().filter(|(label, _)| *label == "runs").map(|(_, t)| t.as_str()).collect();
        assert_eq!(runs, ["make test", "make lint"]);
        let sheet = spec.sheet();
        assert_eq!(sheet.is_some(), brings);
        let why = b.session.why_asked(&item).unwrap();
        assert!(why.rows.iter().any(|(_, text)| text.contains("2 lines")), "{:?}", why.rows);
        b.answer(is_trust, Answer::Approve).unwrap();
        assert_eq!(b.session.state().gate_by("make lint"), By::Approved);
        assert_eq!(b.session.state().gate_by("make lint -k"), By::Gate);
    }
    // Where there is nothing to run it says so.
    let mut b = Bench::new();
    b.say("/trust");
    b.input(Input::Surveyed(Standing { parts: Vec::new(), ..bringing("x") })).unwrap();
    let item = b.session.state().open[&b.question(is_trust)].clone();
    assert!(item.message.contains("No gate was found here"), "{}", item.message);
}
