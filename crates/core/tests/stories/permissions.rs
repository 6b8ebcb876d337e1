//! Permission rules in a session: what they decide, what is kept of it, what the user grants.

use std::sync::Arc;

use pilothouse_core::{
    checkpoint::{Answer, CheckpointKind},
    event::{CallStatus, Event},
    input::Input,
    policy::{Held, Origin, Outcome, Places, Policy, Request, Rule, Ruling, Source},
    question::{Access, CommandQuestion},
    relpath::RelPath,
    sandbox::Confine,
    scope::PermissionMode,
    shell::{Act, Risk},
    tool::{LeaveOf, ToolOutcome},
    work::Work,
};
use serde_json::json;

use crate::support::*;

fn rule(text: &str, line: usize) -> Rule {
    let origin = Origin { source: Source::User, file: "permissions.toml".into(), line };
    Rule::parse(text, origin).unwrap()
}

/// A session under these rules.
pub fn under(rules: &[&str]) -> Bench {
    let mut b = Bench::new();
    let rules = rules.iter().enumerate().map(|(i, r)| rule(r, i + 1)).collect();
    b.session.set_policy(Arc::new(Policy::new(rules, Places::default())));
    b
}

/// A goal whose model proposes these commands, one after the other.
fn running(rules: &[&str], command: &str) -> Bench {
    let mut b = under(rules);
    b.say("run the tests");
    b.reply("", &[("run", json!({"command": command}))]);
    b
}

fn ruling_of(b: &Bench) -> Ruling {
    b.log
        .iter()
        .rev()
        .find_map(|e| match &e.event {
            Event::CommandProposed { ruling, .. } => ruling.clone(),
            _ => None,
        })
        .unwrap()
}

fn last_result(b: &Bench) -> (CallStatus, String, Option<Ruling>) {
    b.log
        .iter()
        .rev()
        .find_map(|e| match &e.event {
            Event::CallEnded { status, result, ruling, .. } => {
                Some((*status, result.head.clone(), ruling.clone()))
            }
            _ => None,
        })
        .unwrap()
}

#[test]
fn a_command_that_a_rule_allows_runs_unasked_and_the_log_says_which_rule() {
    let b = running(&["allow command cargo test"], "cargo test -p core");
    assert!(b.session.state().open.is_empty());
    let started = b.log.iter().find_map(|e| match &e.event {
        Event::CallStarted { approval, ruling, .. } => Some((*approval, ruling.clone())),
        _ => None,
    });
    let (approval, ruling) = started.unwrap();
    assert!(approval.is_none());
    assert_eq!(ruling.unwrap().to_string(), "allow command cargo test (permissions.toml:1)");
}

#[test]
fn a_command_that_a_rule_denies_is_refused_in_every_mode_and_the_model_is_told_the_rule() {
    for mode in [PermissionMode::Ask, PermissionMode::Auto] {
        let mut b = under(&["deny command git push"]);
        drop(b.input(Input::SetPermission(mode)));
        b.say("run the tests");
        b.reply("", &[("run", json!({"command": "true; git -C . push"}))]);
        let (status, told, ruling) = last_result(&b);
        assert_eq!(status, CallStatus::Refused);
        assert!(told.contains("deny command git push (permissions.toml:1)"), "{told}");
        assert_eq!(ruling.unwrap().outcome, Outcome::Refuse);
        assert!(!b.session.state().open.values().any(|c| is_risk(&c.kind)));
        b.thinking();
    }
}

#[test]
fn a_reason_that_has_no_room_in_its_row_is_cut_between_two_words_and_says_so() {
    let rule = format!("deny command git {}", "push ".repeat(30).trim_end());
    let mut b = under(&[&rule]);
    b.say("run the tests");
    b.reply("", &[("run", json!({"command": rule.trim_start_matches("deny command ")}))]);
    let told = b.log.iter().find_map(|e| match &e.event {
        Event::CallEnded { summary, .. } => Some(summary.clone()),
        _ => None,
    });
    let told = told.unwrap();
    assert!(told.starts_with("refused: deny command git push") && told.ends_with(" push…"), "{told}");
    assert!(told.chars().count() <= 101, "{told}");
}

#[test]
fn a_rule_that_asks_asks_in_auto_mode_too() {
    let mut b = under(&["ask command cargo build"]);
    b.input(Input::SetPermission(PermissionMode::Auto)).unwrap();
    b.say("run the tests");
    b.reply("", &[("run", json!({"command": "cargo build"}))]);
    let asked = b.session.state().open[&b.question(is_risk)].kind.clone();
    let CheckpointKind::Risk(CommandQuestion { ruling: Some(ruling), .. }) = asked else {
        panic!("{asked:?}")
    };
    assert_eq!(ruling.to_string(), "ask command cargo build (permissions.toml:1)");
}

#[test]
fn a_file_that_a_rule_denies_is_not_read_edited_or_written_by_any_tool() {
    for (tool, args) in [
        ("read", json!({"path": "secrets/key"})),
        ("search", json!({"path": "secrets", "pattern": "x"})),
        ("read", json!({"path": "src/../SECRETS/key"})),
        ("read", json!({"path": "/workspace/secrets/key"})),
        ("run", json!({"command": "cat secrets/key"})),
    ] {
        let mut b = under(&["deny read secrets/**"]);
        b.say("where is main?");
        b.reply("", &[(tool, args.clone())]);
        let (status, told, _) = last_result(&b);
        assert_eq!(status, CallStatus::Refused, "{args}");
        assert!(told.contains("deny read secrets/** (permissions.toml:1)"), "{told}");
    }
    for (tool, args) in [
        ("edit", json!({"path": "a.txt", "edits": [{"old": "1", "new": "2"}]})),
        ("write", json!({"path": "a.txt", "content": "x"})),
        ("delete", json!({"path": "a.txt"})),
    ] {
        let mut b = under(&["deny write a.txt"]);
        b.input(Input::SetPermission(PermissionMode::Auto)).unwrap();
        b.say("fix the greeting");
        b.plan(&[("Fix it", "modify")], &[]);
        b.reply("", &[(tool, args)]);
        assert_eq!(last_result(&b).0, CallStatus::Refused, "{tool}");
    }
}

#[test]
fn a_rule_sees_the_path_that_is_written_however_long_the_call_and_whatever_its_content_says() {
    let decoy = r#""path": "fine.txt", "#.repeat(2_000);
    for (tool, args) in [
        ("write", json!({"content": decoy, "path": "a.txt"})),
        ("edit", json!({"edits": [{"old": decoy, "new": "2"}], "path": "a.txt"})),
    ] {
        let mut b = under(&["deny write a.txt"]);
        b.input(Input::SetPermission(PermissionMode::Auto)).unwrap();
        b.say("fix the greeting");
        b.plan(&[("Fix it", "modify")], &[]);
        b.reply("", &[(tool, args)]);
        let (status, told, _) = last_result(&b);
        assert_eq!(status, CallStatus::Refused, "{tool}");
        assert!(told.contains("deny write a.txt"), "{told}");
    }
}

#[test]
fn a_read_that_a_rule_asks_about_waits_and_runs_once_allowed() {
    let mut b = under(&["ask read .env"]);
    b.say("where is main?");
    b.reply("", &[("read", json!({"path": ".env"})), ("read", json!({"path": ".env"}))]);
    assert!(b.session.pending().is_empty());
    let stale =
        b.input(Input::Answer { checkpoint: b.question(is_access), answer: Answer::Approve, shown: None });
    assert!(stale.is_err(), "an answer is bound to what was shown");
    let step = b.answer(is_access, Answer::Approve).unwrap();
    assert_eq!(starts(&step), ["read"]);
    b.end_tool(ToolOutcome::text("A=b", "1 line"));
    b.answer(is_access, Answer::Reject("not this one".into())).unwrap();
    let (status, told, _) = last_result(&b);
    assert_eq!(status, CallStatus::Refused);
    assert!(told.contains("not this one"), "{told}");
    b.thinking();
}

#[test]
fn a_link_to_a_file_that_asks_asks_about_the_file_it_means() {
    let mut b = under(&["ask read .env"]);
    b.say("where is main?");
    b.reply("", &[("read", json!({"path": "innocent.txt"}))]);
    let rules = b.session.pending().into_values().find_map(|w| match w {
        Work::Tool { view, .. } => Some(view.rules),
        _ => None,
    });
    let real = RelPath::new(".env").unwrap();
    let held = rules.unwrap().holds(Act::Read, &real).unwrap();
    b.end_tool(ToolOutcome { held: Some(Box::new(held)), ..ToolOutcome::failure("held") });
    let asked = b.session.state().open[&b.question(is_access)].kind.clone();
    let CheckpointKind::Access(Access { request, .. }) = asked else { panic!("{asked:?}") };
    assert_eq!(request.to_string(), "read .env");
    let step = b.answer(is_access, Answer::Approve).unwrap();
    assert_eq!(starts(&step), ["read"]);
    let granted = b.session.pending().into_values().any(|w| match w {
        Work::Tool { view, .. } => view.rules.holds(Act::Read, &real).is_none(),
        _ => false,
    });
    assert!(granted, "the same call may read it now");
    b.end_tool(ToolOutcome::text("A=b", "1 line"));
    b.reply("", &[("read", json!({"path": "innocent.txt"}))]);
    let asks =
        |w: &Work| matches!(w, Work::Tool { view, .. } if view.rules.holds(Act::Read, &real).is_some());
    assert!(b.session.pending().values().any(asks), "another call may not");
}

#[test]
fn a_tool_that_ran_into_a_denial_is_refused_whatever_it_says_of_itself() {
    let mut b = under(&[]);
    b.say("where is main?");
    b.reply("", &[("read", json!({"path": "innocent.txt"}))]);
    let ruling =
        Ruling { outcome: Outcome::Refuse, by: "deny read x".into(), at: "f:1".into(), part: String::new() };
    let request = Request::Path { act: Act::Read, path: "x".into() };
    b.end_tool(ToolOutcome {
        held: Some(Box::new(Held { request, ruling })),
        ..ToolOutcome::text("secret", "")
    });
    let (status, told, _) = last_result(&b);
    assert!(status == CallStatus::Refused && !told.contains("secret"), "{told}");
}

#[test]
fn this_session_allows_the_rule_until_the_session_is_opened_again() {
    let mut b = running(&[], "cargo add serde");
    let grant = |rule: &str| Answer::Grant { rules: vec![rule.into()], lasting: false };
    for wider in ["allow command npm", "deny command cargo add", "allow command", "allow command cargo add $"]
    {
        assert!(b.answer(is_risk, grant(wider)).is_err(), "{wider} is not what would let it run");
    }
    let step = b.answer(is_risk, grant("allow command cargo add")).unwrap();
    assert_eq!(starts(&step), ["run"]);
    b.end_tool(exited(0, "ok"));
    b.reply("", &[("run", json!({"command": "cargo add tokio"}))]);
    assert_eq!(ruling_of(&b).to_string(), "allow command cargo add (this session)");
    b.end_tool(exited(0, "ok"));
    b.reply("done", &[]);
    b.input(Input::Open(opening())).unwrap();
    assert!(b.session.state().granted.is_empty() && b.session.pending().is_empty());
    b.say("run the tests");
    b.reply("", &[("run", json!({"command": "cargo add tokio"}))]);
    b.question(is_risk);
}

#[test]
fn a_permanent_rule_holds_at_once_and_is_kept_by_the_runtime() {
    let mut b = running(&[], "cargo add serde");
    let grant = Answer::Grant { rules: vec!["allow command cargo add".into()], lasting: true };
    let step = b.answer(is_risk, grant).unwrap();
    assert_eq!(starts(&step), ["run", "keep"]);
    let (approval, rules) = b
        .session
        .pending()
        .into_values()
        .find_map(|w| match w {
            Work::Keep { approval, rules } => Some((approval, rules)),
            _ => None,
        })
        .unwrap();
    assert_eq!(rules, ["allow command cargo add"]);
    b.input(Input::RulesKept { approval, result: Err("the disk is full".into()) }).unwrap();
    assert!(b.notices().iter().any(|n| n.contains("the disk is full") && n.contains("this session")));
    assert!(!b.session.pending().values().any(|w| matches!(w, Work::Keep { .. })));
    assert!(b.input(Input::RulesKept { approval, result: Ok("f".into()) }).is_err());
}

#[test]
fn neither_is_taken_for_high_risk_a_removal_or_what_a_rule_asks_about() {
    for (rules, command) in [
        (&[][..], "git push --force"),
        (&[], "rm notes.txt"),
        (&["ask command cargo add"], "cargo add serde"),
        (&[], "cargo test $X"),
    ] {
        for lasting in [false, true] {
            let mut b = running(rules, command);
            for rule in ["allow command *", "allow command git", "allow command rm", "allow command cargo"] {
                let grant = Answer::Grant { rules: vec![rule.into()], lasting };
                assert!(b.answer(is_risk, grant).is_err(), "{command} by {rule}");
            }
            assert!(b.session.state().granted.is_empty());
        }
    }
}

#[test]
fn a_removal_by_a_command_wants_its_word() {
    let mut b = running(&["allow command rm"], "rm notes.txt");
    assert!(b.answer(is_risk, Answer::Approve).is_err());
    assert!(b.answer(is_risk, Answer::Word("proceed".into())).is_err());
    let step = b.answer(is_risk, Answer::Word("delete".into())).unwrap();
    assert_eq!(starts(&step), ["run"]);
    let mut b = under(&[]);
    b.input(Input::SetPermission(PermissionMode::Auto)).unwrap();
    b.say("run the tests");
    b.reply("", &[("run", json!({"command": "rm notes.txt"}))]);
    b.question(is_risk);
}

#[test]
fn what_waits_and_is_covered_by_a_grant_is_not_asked_again() {
    let mut b = running(&[], "cargo add serde");
    b.say("where is main?");
    let grant = Answer::Grant { rules: vec!["allow command cargo add".into()], lasting: false };
    b.answer(is_risk, grant).unwrap();
    assert!(!b.session.state().open.values().any(|c| is_risk(&c.kind)));
}

#[test]
fn a_rule_that_a_user_adds_later_denies_what_was_already_approved_and_not_begun() {
    let mut b = running(&[], "cargo add serde");
    b.session.set_policy(Arc::new(Policy::new(vec![rule("deny command cargo add", 9)], Places::default())));
    b.answer(is_risk, Answer::Approve).unwrap();
    assert_eq!(last_result(&b).0, CallStatus::Refused);
    assert!(!b.session.pending().values().any(|w| matches!(w, Work::Tool { .. })));
}

#[test]
fn changes_that_a_rule_allows_are_written_without_a_review_and_those_it_asks_about_are_reviewed_in_auto() {
    let propose = |rules: &[&str], mode: PermissionMode, path: &str| {
        let mut b = under(rules);
        drop(b.input(Input::SetPermission(mode)));
        b.say("fix the greeting");
        b.plan(&[("Fix it", "modify")], &[]);
        if mode == PermissionMode::Ask {
            b.answer(is_plan, Answer::Approve).unwrap();
        }
        b.reply("", &[("write", json!({"path": path, "content": "x"}))]);
        b.propose(path, "", "x\n");
        b.reply("done", &[]);
        let by = b.log.iter().find_map(|e| match &e.event {
            Event::ApplyApproved { by, .. } => Some(by.clone()),
            _ => None,
        });
        (b.session.state().open.values().any(|c| is_diff(&c.kind)), by)
    };
    let (asks, by) = propose(&["allow write docs"], PermissionMode::Ask, "docs/a.md");
    assert_eq!((asks, by.as_deref()), (false, Some("allow write docs (permissions.toml:1)")));
    assert_eq!(propose(&["allow write docs"], PermissionMode::Ask, "src/a.rs"), (true, None));
    assert_eq!(propose(&["ask write AGENTS.md"], PermissionMode::Auto, "AGENTS.md"), (true, None));
    let (asks, by) = propose(&[], PermissionMode::Auto, "src/a.rs");
    assert_eq!((asks, by.as_deref()), (false, Some("permission mode auto")));
}

#[test]
fn nothing_can_be_allowed_before_it_is_known_what_it_would_run() {
    let mut b = under(&[]);
    b.say("run the tests");
    let call = b.thinking();
    let calls = vec![pilothouse_core::talk::ModelCall {
        id: "c".into(),
        name: "run".into(),
        args: json!({"command": "make all"}).to_string(),
    }];
    let reply = pilothouse_core::talk::ModelReply { calls, ..Default::default() };
    let at = pilothouse_core::ids::Millis(99);
    // Past the bench, which looks at once.
    b.session.step(at, Input::Replied { call, reply: Ok(reply) }).unwrap();
    let id = b.question(is_risk);
    let shown = b.session.state().open[&id].kind.shown();
    let grant = Answer::Grant { rules: vec!["allow command make all".into()], lasting: false };
    for answer in [Answer::Approve, Answer::Line("make all".into()), grant] {
        let answer = Input::Answer { checkpoint: id, answer, shown };
        assert!(b.session.step(at, answer).is_err());
    }
    let looks = b.session.pending().into_values().find(|w| matches!(w, Work::Look { .. }));
    let Some(Work::Look { checkpoint, command, .. }) = looks else { panic!("nothing looks") };
    assert_eq!((checkpoint, command.as_str()), (id, "make all"));
    b.session.step(at, Input::CommandResolved { checkpoint: id, meant: meant("1") }).unwrap();
    assert!(
        b.session.step(at, Input::CommandResolved { checkpoint: id, meant: meant("2") }).is_err(),
        "once"
    );
    let stale = Input::Answer { checkpoint: id, answer: Answer::Approve, shown };
    assert!(b.session.step(at, stale).is_err(), "that was not shown with what it means");
    let shown = b.session.state().open[&id].kind.shown();
    b.session.step(at, Input::Answer { checkpoint: id, answer: Answer::Approve, shown }).unwrap();
}

#[test]
fn what_changed_after_it_was_allowed_is_asked_about_again_however_it_was_allowed() {
    for answer in [
        Answer::Approve,
        Answer::Grant { rules: vec!["allow command make all".into()], lasting: false },
        Answer::Line("make all".into()),
    ] {
        let mut b = running(&[], "make all");
        b.answer(is_risk, answer.clone()).unwrap();
        let permit = b.session.pending().into_values().find_map(|w| match w {
            Work::Tool { permit, .. } => Some(permit),
            _ => None,
        });
        let permit = permit.unwrap();
        assert_eq!(permit.meant(), Some(&meant("1")));
        let what = permit.meant().unwrap().differs(&meant("2")).unwrap();
        b.end_tool(ToolOutcome { changed: Some(what.clone()), ..ToolOutcome::failure("nothing was done") });
        assert!(!b.session.pending().values().any(|w| matches!(w, Work::Tool { .. })), "{answer:?}");
        let asked = b.session.state().open[&b.question(is_risk)].kind.clone();
        let CheckpointKind::Risk(CommandQuestion { changed, meant: Some(_), .. }) = asked else {
            panic!("{asked:?}")
        };
        assert_eq!(changed, what);
        let step = b.answer(is_risk, Answer::Approve).unwrap();
        assert_eq!(starts(&step), ["run"]);
        b.end_tool(exited(0, "ok"));
        assert_eq!(last_result(&b).0, CallStatus::Done);
    }
}

#[test]
fn a_command_that_secrets_cannot_be_hidden_from_asks_and_sees_them_once_the_user_knows_it() {
    for mode in [PermissionMode::Ask, PermissionMode::Auto] {
        let mut b = under(&["allow command ls"]);
        b.input(Input::SetPermission(mode)).ok();
        b.say("run the tests");
        b.reply("", &[("run", json!({"command": "ls"}))]);
        let known = |b: &Bench| {
            b.session.pending().into_values().find_map(|w| match w {
                Work::Tool { permit, .. } => Some(permit.is_known_to_user()),
                _ => None,
            })
        };
        assert_eq!(known(&b), Some(false));
        let what = "501 secret files, more than can be hidden from it".to_owned();
        b.end_tool(ToolOutcome { unhidden: Some(what.clone()), ..ToolOutcome::failure("nothing was done") });
        let asked = b.session.state().open[&b.question(is_risk)].kind.clone();
        let CheckpointKind::Risk(CommandQuestion { changed, shows: true, ruling: Some(ruling), .. }) = &asked
        else {
            panic!("{asked:?}")
        };
        assert_eq!(*changed, what);
        assert_eq!(ruling.by, "secret files cannot be hidden from it");
        let step = b.answer(is_risk, Answer::Approve).unwrap();
        assert_eq!(starts(&step), ["run"]);
        assert_eq!(known(&b), Some(true));
        b.end_tool(exited(0, "ok"));
        assert_eq!(last_result(&b).0, CallStatus::Done);
    }
}

#[test]
fn a_command_that_would_run_what_the_project_brings_asks_in_every_mode() {
    for mode in [PermissionMode::Ask, PermissionMode::Auto] {
        let mut b = under(&["allow command ls"]);
        b.input(Input::SetPermission(mode)).ok();
        b.say("run the tests");
        b.reply("", &[("run", json!({"command": "ls"}))]);
        let leave = b.session.pending().into_values().find_map(|w| match w {
            Work::Tool { permit, .. } => Some(permit.leave_of()),
            _ => None,
        });
        assert!(leave.is_some_and(|l| l != LeaveOf::User), "low risk runs unasked: {leave:?}");
        let what = "ls is bin/ls here".to_owned();
        b.end_tool(ToolOutcome { brought: Some(what.clone()), ..ToolOutcome::failure("nothing was done") });
        assert!(!b.session.pending().values().any(|w| matches!(w, Work::Tool { .. })), "{mode:?}");
        let asked = b.session.state().open[&b.question(is_risk)].kind.clone();
        let CheckpointKind::Risk(CommandQuestion {
            changed, brought: true, risk: Risk::Medium, confine, ..
        }) = &asked
        else {
            panic!("{asked:?}")
        };
        assert_eq!(
            (changed.as_str(), *confine),
            (what.as_str(), Confine::Inside { write: true, network: false })
        );
        let offer = Policy::new(Vec::new(), Places::default())
            .offer(&asked.command().unwrap().request(), &b.session.state().setting());
        assert!(offer.is_err(), "no rule is offered for it: {offer:?}");
        let step = b.answer(is_risk, Answer::Approve).unwrap();
        assert_eq!(starts(&step), ["run"]);
        b.end_tool(exited(0, "ok"));
        assert_eq!(last_result(&b).0, CallStatus::Done);
    }
}
