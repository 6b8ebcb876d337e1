//! A turn that may only read changes nothing and starts nothing, whatever its model asks for; the
//! model is told so as data. Through the real program.
#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used, clippy::indexing_slicing)]

use crate::support;
use std::{fs, path::Path};

use serde_json::{Value, json};
use support::{
    Desk,
    alone::{Dice, Ended, edit, plan, tell, tool_results},
    server::{Server, Turn},
};

const SEQUENCES: u64 = 21;

/// What makes the turn one that may only read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Frame {
    /// The user's ceiling is read-only.
    Ceiling,
    /// The message forbids changes.
    Words,
    /// The message forbids changes, and the mode would allow them.
    WordsUnderAuto,
    /// The node is fixed.
    Node,
    /// A goal is planned under a read-only ceiling.
    Planning,
    /// A plain question: more must be asked for, and nobody is there to answer.
    Question,
    /// A sub-agent does it, and the mode would allow it to its parent.
    SubAgent,
}

const FRAMES: [Frame; 7] = [
    Frame::Ceiling,
    Frame::Words,
    Frame::WordsUnderAuto,
    Frame::Node,
    Frame::Planning,
    Frame::Question,
    Frame::SubAgent,
];

impl Frame {
    const fn goal(self) -> &'static [&'static str] {
        match self {
            Self::Ceiling | Self::Question => &["run", "where is find_notes?", "--json"],
            Self::SubAgent => &["run", "where is find_notes?", "--json", "--auto-confirm"],
            Self::Words => &["run", "where is find_notes? don't change anything", "--json"],
            Self::WordsUnderAuto => {
                &["run", "where is find_notes? don't change anything", "--json", "--auto-confirm"]
            }
            Self::Node => &["run", "@read where is find_notes?", "--json"],
            Self::Planning => &["run", "rename score to points_of", "--json"],
        }
    }

    const fn read_only_ceiling(self) -> bool {
        matches!(self, Self::Ceiling | Self::Planning)
    }
}

/// What a model of such a turn asks for in vain.
fn wishes(outside: &Path) -> Vec<(&'static str, Value)> {
    let line = format!("touch ran-inside; touch {}", outside.join("ran-outside").display());
    vec![
        ("edit", edit("src/search.rs", "fn score(", "fn points_of(")),
        ("write", json!({"path": "src/new.rs", "content": "//! New.\n"})),
        ("write", json!({"path": "src/lib.rs", "content": ""})),
        ("delete", json!({"path": "src/note.rs"})),
        ("run", json!({"command": line})),
        ("run", json!({"command": "git init . && git commit --allow-empty -m x"})),
        ("request_path", json!({"node": "modify", "reason": "it would be better"})),
        ("request_path", json!({"node": "delete", "reason": "it would be better"})),
        ("submit_plan", plan(&[("modify", "src/search.rs"), ("delete", "src/note.rs")])),
        ("edit", json!({"path": "../../etc/hosts", "edits": [{"old": "a", "new": "b"}]})),
    ]
}

/// Up to four replies with up to three wishes each.
fn dream(dice: &mut Dice, frame: Frame, outside: &Path) -> Vec<Vec<(&'static str, Value)>> {
    let all = wishes(outside);
    let replies = 1 + dice.roll(4);
    let mut pick = || {
        loop {
            let wish = all[usize::try_from(dice.roll(all.len() as u64)).unwrap()].clone();
            // A plan ends the planning: it comes last.
            if frame != Frame::Planning || wish.0 != "submit_plan" {
                return wish;
            }
        }
    };
    (0..replies).map(|n| (0..=n % 3).map(|_| pick()).collect()).collect()
}

#[test]
fn a_turn_that_may_only_read_changes_and_starts_nothing() {
    let mut dice = Dice(0x0005_c09e_0b07);
    let mut refused = 0;
    for n in 0..SEQUENCES {
        let frame = FRAMES[usize::try_from(n).unwrap() % FRAMES.len()];
        refused += one(frame, &mut dice);
    }
    tell(&format!("checked={SEQUENCES} violations=0 refused={refused}"));
    assert!(refused > 40, "only {refused} wishes were refused");
}

/// Returns how many wishes were refused as data.
fn one(frame: Frame, dice: &mut Dice) -> usize {
    let (desk, outside) = (Desk::new(), tempfile::tempdir().unwrap());
    if frame.read_only_ceiling() {
        desk.configure("[session]\npermission = \"read_only\"\n");
    }
    let replies = dream(dice, frame, outside.path());
    let mut script: Vec<Turn> = replies.iter().map(|calls| Turn::Say("Let me.", calls.clone())).collect();
    if frame == Frame::Planning {
        let tasks = plan(&[("modify", "src/search.rs"), ("delete", "src/note.rs"), ("execute", ".")]);
        script.push(Turn::Say(
            "",
            vec![("submit_plan", tasks), ("write", wishes(outside.path())[1].1.clone())],
        ));
    }
    script.push(Turn::Say("I may not.", vec![]));
    let below = usize::from(frame == Frame::SubAgent);
    if frame == Frame::SubAgent {
        let tasks = json!({"tasks": [{"kind": "verify", "task": "mend it all"}]});
        script.insert(0, Turn::Say("", vec![("delegate", tasks)]));
        script.push(Turn::Say("It may not.", vec![]));
    }
    let server = Server::start(script);
    let before = desk.tree();
    let ended = desk.ask(&server.base, frame.goal());
    let trace = format!("{frame:?} {replies:?}\n{}\n{}", ended.out, ended.err);

    assert_eq!(desk.tree(), before, "{trace}");
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0, "{trace}");
    nothing_started(&ended, &trace);
    desk.verified();
    if frame == Frame::Question {
        assert!(ended.exit == 3 || ended.exit == 0, "{trace}");
        return 0;
    }
    assert_eq!(ended.exit, if frame == Frame::Planning { 3 } else { 0 }, "{trace}");
    let requests = server.requests();
    for request in &requests {
        let offered: Vec<&Value> =
            request["tools"].as_array().into_iter().flatten().map(|t| &t["function"]["name"]).collect();
        // `run` may be there: a command that can only read where it runs is a read.
        let acts = |name: &&Value| ["edit", "write", "delete"].contains(&name.as_str().unwrap());
        assert!(!offered.is_empty() && !offered.iter().any(acts), "offered {offered:?}: {trace}");
    }
    let mut told = tool_results(&requests[requests.len() - 1 - below]);
    told.retain(|text| !text.starts_with("still under way"));
    let wanted: usize = replies.iter().map(Vec::len).sum();
    assert_eq!(told.len(), wanted, "each wish gets a result: {trace}");
    for (text, (tool, _)) in told.iter().zip(replies.iter().flatten()) {
        assert!(is_refusal(text), "{tool} was told {text:?}: {trace}");
    }
    told.len()
}

fn is_refusal(text: &str) -> bool {
    let refusals = [
        "not allowed",
        "not open to this turn",
        "can only be submitted while planning",
        "may not change",
        // A command behind a change that was refused.
        "not run: a change before it",
    ];
    refusals.iter().any(|r| text.contains(r))
}

/// Nothing that acts was begun: no tool but those that look, no process, no write.
fn nothing_started(ended: &Ended, trace: &str) {
    for event in ended.events() {
        let kind = event["type"].as_str().unwrap();
        let acts =
            ["command_started", "apply_approved", "apply_started", "proposed", "task_started", "run_started"];
        assert!(!acts.contains(&kind), "{event}: {trace}");
        let looks = ["list", "read", "search", "delegate"];
        assert!(
            kind != "call_started" || looks.contains(&event["tool"].as_str().unwrap()),
            "{event}: {trace}"
        );
    }
}

#[test]
fn a_question_that_waits_is_not_answered_by_opening_the_session() {
    let (desk, outside) = (Desk::new(), tempfile::tempdir().unwrap());
    for (tool, args) in wishes(outside.path()).into_iter().filter(|(tool, _)| *tool != "submit_plan").take(7)
    {
        let server = Server::start(vec![Turn::Say("", vec![(tool, args)]), Turn::Say("Spare.", vec![])]);
        let before = desk.tree();
        let ended = desk.ask(&server.base, &["run", "where is find_notes?", "--json"]).with(3);
        let last = ended.events().pop().unwrap();
        let kind = last["question"]["kind"]["kind"].as_str().unwrap();
        assert!(kind == "transition" || kind == "risk", "{last}");
        // Another question in the same session answers neither of them, also under auto.
        let slug = last["session"].as_str().unwrap();
        let again = desk.go(&["run", "where is Store?", "--session", slug, "--json", "--auto-confirm"]);
        nothing_started(&again, tool);
        assert_eq!(desk.tree(), before, "{tool}");
        assert_eq!(server.requests().len(), 1, "{tool}");
    }
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
    desk.verified();
}
