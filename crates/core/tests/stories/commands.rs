//! Commands: how each runs, what asks, and what is never widened; control files by their own word.

use pilothouse_core::{
    checkpoint::{Answer, Checkpoint, CheckpointKind},
    event::Event,
    input::{Input, Opening},
    intent::Phase,
    question::CommandQuestion,
    sandbox::{Confine, Sandbox},
    scope::PermissionMode,
    tool::{Advice, ToolOutcome},
    work::Work,
};
use serde_json::{Value, json};

use super::{phase, support::*};

const WRITING: Confine = Confine::Inside { write: true, network: false };
const ONLINE: Confine = Confine::Inside { write: true, network: true };

/// How the command of now runs; `None` when it does not.
fn runs(b: &Bench) -> Option<Confine> {
    b.session.pending().values().find_map(|w| match w {
        Work::Tool { permit, .. } => permit.confine(),
        _ => None,
    })
}

fn asked(b: &Bench) -> Option<&Checkpoint> {
    b.session.state().open.values().find(|c| is_risk(&c.kind))
}

fn bench(sandbox: Sandbox, permission: PermissionMode) -> Bench {
    Bench::opened(Opening { sandbox, permission: Some(permission), ..opening() })
}

/// A command of a goal's model: how it runs, or how it would when it asks.
fn decided(sandbox: &Sandbox, permission: PermissionMode, args: Value) -> (bool, Confine) {
    let mut b = bench(sandbox.clone(), permission);
    b.say("run the tests");
    b.reply("", &[("run", args)]);
    match (runs(&b), asked(&b).map(|c| &c.kind)) {
        (Some(confine), None) => (true, confine),
        (None, Some(CheckpointKind::Risk(CommandQuestion { confine, .. }))) => (false, *confine),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_table_of_leave_holds_in_every_mode_with_and_without_a_sandbox() {
    use PermissionMode::{Ask, Auto};
    let (some, none) = (held(), Sandbox::none("why"));
    let open = Sandbox { network: true, ..held() };
    let loose = Sandbox { metadata_open: true, ..held() };
    let (low, medium, high) = ("git status", "cargo test", "rm -rf ~/x");
    let plain = |c: &str| json!({ "command": c });
    let net = |c: &str| json!({"command": c, "network": true, "reason": "why"});
    let out = |c: &str| json!({"command": c, "outside": true, "reason": "why"});
    // sandbox, mode, arguments, whether it runs unasked, how
    let rows = [
        (&some, Ask, plain(low), true, Confine::READING),
        (&some, Ask, plain(medium), false, WRITING),
        (&some, Ask, plain(high), false, WRITING),
        (&some, Ask, net(low), false, ONLINE),
        (&some, Ask, out(low), false, Confine::Outside),
        (&some, Auto, plain(low), true, Confine::READING),
        (&some, Auto, plain(medium), true, WRITING),
        (&some, Auto, plain(high), false, WRITING),
        (&some, Auto, net(medium), false, ONLINE),
        (&some, Auto, out(low), false, Confine::Outside),
        (&some, Auto, out(medium), false, Confine::Outside),
        (&open, Ask, plain(low), true, Confine::READING),
        (&open, Ask, plain(medium), false, ONLINE),
        (&open, Auto, plain(medium), true, ONLINE),
        (&open, Auto, net(medium), true, ONLINE),
        (&open, Auto, out(medium), false, Confine::Outside),
        (&loose, Ask, plain(low), true, Confine::READING),
        (&loose, Auto, plain(low), true, Confine::READING),
        (&loose, Auto, plain(medium), false, WRITING),
        (&loose, Auto, out(low), false, Confine::Outside),
        (&none, Ask, plain(low), false, Confine::Bare),
        (&none, Auto, plain(low), false, Confine::Bare),
        (&none, Auto, plain(medium), false, Confine::Bare),
        (&none, Auto, net(medium), false, Confine::Bare),
        (&none, Auto, out(medium), false, Confine::Outside),
    ];
    for (sandbox, mode, args, unasked, confine) in rows {
        let got = decided(sandbox, mode, args.clone());
        assert_eq!(got, (unasked, confine), "{args} in {mode:?} with {sandbox}");
    }
}

#[test]
fn more_than_the_sandbox_gives_is_a_question_that_says_so_and_its_answer_covers_no_more() {
    let mut b = Bench::new();
    b.say("run the tests");
    let wish = json!({"command": "cargo fetch", "network": true, "reason": "the crates are not here"});
    b.reply("", &[("run", wish)]);
    let question = asked(&b).unwrap().clone();
    assert_eq!(question.message, "Run `cargo fetch` with the network?");
    let CheckpointKind::Risk(CommandQuestion { confine, reason, shown, .. }) = question.kind else {
        panic!()
    };
    assert_eq!((confine, reason.as_str()), (ONLINE, "the crates are not here"));
    // The hash of the same line as it would run without asking for more is another one.
    let mut plain = Bench::new();
    plain.say("run the tests");
    plain.reply("", &[("run", json!({"command": "cargo fetch"}))]);
    let CheckpointKind::Risk(CommandQuestion { shown: other, .. }) = &asked(&plain).unwrap().kind else {
        panic!()
    };
    assert_ne!(shown, *other);
    let wrong = Input::Answer { checkpoint: question.id, answer: Answer::Approve, shown: Some(*other) };
    assert!(b.input(wrong).is_err() && runs(&b).is_none());
    b.answer(is_risk, Answer::Approve).unwrap();
    assert_eq!(runs(&b), Some(ONLINE));
}

#[test]
fn a_denied_escalation_runs_nothing_and_tells_the_model() {
    let mut b = Bench::new();
    b.say("run the tests");
    b.reply("", &[("run", json!({"command": "make", "outside": true, "reason": "it must"}))]);
    assert_eq!(asked(&b).unwrap().message, "Run `make` outside the sandbox?");
    let step = b.answer(is_risk, Answer::Reject("no".into())).unwrap();
    assert!(runs(&b).is_none() && starts(&step) == ["think"]);
}

#[test]
fn a_command_that_only_reads_runs_in_paths_that_only_read_and_no_other_does() {
    for line in ["where is main?", "what does @a.txt hold? don't change anything"] {
        let mut b = bench(held(), PermissionMode::ReadOnly);
        b.say(line);
        b.reply("", &[("run", json!({"command": "git log --oneline"}))]);
        assert_eq!(runs(&b), Some(Confine::READING), "{line}");
        b.end_tool(exited(0, "a"));
        for args in [
            json!({"command": "make"}),
            json!({"command": "git log", "network": true}),
            json!({"command": "git log", "outside": true}),
            json!({"command": "touch x"}),
        ] {
            b.reply("", &[("run", args.clone())]);
            assert!(runs(&b).is_none() && asked(&b).is_none(), "{args}");
        }
    }
    let mut b = bench(Sandbox::none("why"), PermissionMode::ReadOnly);
    b.say("where is main?");
    b.reply("", &[("run", json!({"command": "git log"}))]);
    assert!(runs(&b).is_none() && asked(&b).is_none(), "nothing holds it");
}

#[test]
fn what_the_user_types_runs_at_once_unless_it_is_dangerous_or_nothing_holds_it() {
    let cases = [
        (held(), "!ls", Some(Confine::READING)),
        (held(), "!make", Some(WRITING)),
        (held(), "!!make", Some(Confine::Outside)),
        (held(), "!! git push", Some(Confine::Outside)),
        (held(), "!rm -rf ~/x", None),
        (held(), "!!rm -rf ~/x", None),
        (Sandbox::none("why"), "!ls", None),
        (Sandbox::none("why"), "!make", None),
        (Sandbox::none("why"), "!!make", Some(Confine::Outside)),
        (Sandbox { network: true, ..held() }, "!make", Some(ONLINE)),
        (Sandbox { metadata_open: true, ..held() }, "!ls", Some(Confine::READING)),
        (Sandbox { metadata_open: true, ..held() }, "!make", None),
        (Sandbox { metadata_open: true, ..held() }, "!!make", Some(Confine::Outside)),
    ];
    for (sandbox, line, wanted) in cases {
        let mut b = bench(sandbox, PermissionMode::Ask);
        b.say(line);
        assert_eq!(runs(&b), wanted, "{line}");
        assert_eq!(asked(&b).is_some(), wanted.is_none(), "{line}");
        if wanted.is_some() {
            b.end_tool(exited(0, "a"));
            assert_eq!(phase(&b), Phase::Idle, "{line}");
        }
    }
    let mut b = bench(held(), PermissionMode::ReadOnly);
    b.say("!ls");
    assert_eq!(runs(&b), Some(Confine::READING));
    b.end_tool(exited(0, "a"));
    assert!(b.input(Input::say("!make")).is_err() || b.notices().iter().any(|n| n.contains("read-only")));
    assert_eq!(runs(&b), None);
}

#[test]
fn without_a_sandbox_the_session_says_so_and_why() {
    let b = bench(Sandbox::none("the kernel has no Landlock"), PermissionMode::Ask);
    assert_eq!(b.notices(), ["There is no sandbox: every command asks. the kernel has no Landlock"]);
    let open = bench(Sandbox { metadata_open: true, ..held() }, PermissionMode::Ask);
    assert!(open.notices()[0].contains("cannot protect modes, owners and times"), "{:?}", open.notices());
    assert!(Bench::new().notices().is_empty());
    assert!(matches!(b.log[0].event, Event::SessionOpened { sandbox: Some(_), .. }));
}

fn proposing_control(permission: PermissionMode, path: &str) -> Bench {
    let mut b = bench(held(), permission);
    b.say("fix the notes");
    b.plan(&[("One", "modify")], &[]);
    if permission == PermissionMode::Ask {
        b.answer(is_plan, Answer::Approve).unwrap();
    }
    b.reply("", &[("edit", edit_of(path)), ("edit", edit_of("a.txt"))]);
    b.propose(path, "1\n", "2\n");
    b.propose("a.txt", "1\n", "2\n");
    b.reply("", &[]);
    b
}

#[test]
fn a_control_file_is_written_by_its_own_question_and_word_only_in_every_mode() {
    for path in
        ["AGENTS.md", "sub/.git/config", ".pilothouse/hooks.toml", ".mcp.json", "x/.Claude/settings.json"]
    {
        let mut b = proposing_control(PermissionMode::Ask, path);
        let open: Vec<_> = b.session.state().open_proposals().cloned().collect();
        let (control, plain) = (&open[0], &open[1]);
        assert!(control.control.is_some() && plain.control.is_none(), "{path}");
        let question = b.question(is_diff);
        let message = b.session.state().open[&question].message.clone();
        assert!(message.contains(&format!("{path} is a control file")), "{message}");
        let both = vec![(control.id, control.shown()), (plain.id, plain.shown())];
        let one = vec![(control.id, control.shown())];
        for (proposals, word) in [
            (both.clone(), None),
            (both, Some("control")),
            (one.clone(), None),
            (one.clone(), Some("delete")),
            (one.clone(), Some("y")),
        ] {
            let refused = b.input(Input::Apply { proposals, word: word.map(str::to_owned), rest: false });
            assert!(refused.unwrap_err().reason.contains("control file"), "{path} {word:?}");
        }
        b.input(Input::Apply { proposals: one, word: Some("control".into()), rest: false }).unwrap();
        b.write();
    }
}

#[test]
fn auto_mode_leaves_a_control_file_open_and_applies_the_rest() {
    let mut b = proposing_control(PermissionMode::Auto, "CLAUDE.md");
    b.write();
    let open: Vec<_> = b.session.state().open_proposals().map(|p| p.path.to_string()).collect();
    assert_eq!(open, ["CLAUDE.md"]);
    assert!(b.session.state().open.values().any(|c| is_diff(&c.kind)));
}

#[test]
fn the_program_s_own_files_in_the_workspace_are_control_files() {
    let own = vec![pilothouse_core::relpath::RelPath::new("home").unwrap()];
    let sandbox = Sandbox { own, ..held() };
    let why = |p: &str| sandbox.control_file(&pilothouse_core::relpath::RelPath::new(p).unwrap());
    assert!(why("home/config.toml").is_some() && why("home").is_some());
    assert!(why("homely/config.toml").is_none() && why("src/home/x").is_none());
}

#[test]
fn what_can_be_done_about_a_failure_is_said_in_the_words_of_whoever_reads_it() {
    let advice = Advice { model: "(give \"outside\": true)".into(), user: "(type `!!` before it)".into() };
    let failed = || ToolOutcome { advice: vec![advice.clone()], ..exited(1, "exit 1\nread-only") };
    let told = |b: &Bench| {
        let mut ends = b.log.iter().rev().filter_map(|e| match &e.event {
            Event::CallEnded { result, notes, .. } => {
                let user: Vec<String> = Advice::for_user(notes).map(str::to_owned).collect();
                Some((Advice::below(notes, &result.head), user.concat(), result.head.clone()))
            }
            _ => None,
        });
        ends.next().unwrap()
    };
    for (said, calls) in [("!ls", false), ("run the tests", true)] {
        let mut b = bench(held(), PermissionMode::Ask);
        b.say(said);
        if calls {
            b.reply("", &[("run", json!({"command": "ls"}))]);
        }
        b.end_tool(failed());
        let (model, user, printed) = told(&b);
        assert_eq!(model, "exit 1\n(give \"outside\": true)\nread-only", "{said}");
        assert_eq!(
            (user.as_str(), printed.as_str()),
            ("(type `!!` before it)", "exit 1\nread-only"),
            "{said}"
        );
    }
}
