//! States of plans, runs and gates, and of several sessions at once.

use super::*;

/// A question is answered while the plan runs.
pub(super) fn beside_run(width: u16, height: u16) -> Desk {
    let mut desk = executing(width, height);
    say(&mut desk, "what does login do?");
    desk
}

pub(super) fn choice(width: u16, height: u16) -> Desk {
    let mut desk = said(width, height, "where is main?");
    let args = r#"{"question":"Which program do you mean?","choices":["the server","the client"]}"#;
    desk.reply("", &[("ask_user", args)]);
    desk
}

/// A run that pauses before its second step.
pub(super) fn paused(width: u16, height: u16) -> Desk {
    let mut desk = Desk::new(width, height).with_plan();
    desk.give(Input::SetPause(Pause::Step(TaskId(2)), true));
    desk.give(Input::SetPause(Pause::Lines(200), true));
    approve(&mut desk);
    desk.reply("nothing to change: it is as it should be", &[]);
    desk.collect();
    desk
}

/// A change of a file that its step did not name, beside one that it did.
pub(super) fn off_plan(width: u16, height: u16) -> Desk {
    let plan = r#"{"title":"Add rate limiting","tasks":[{"title":"Wire it in","files":["src/a.rs"]},{"title":"Tests"}]}"#;
    reviewing(Bench::on(Desk::new(width, height).planned(plan), ["src/a.rs", "src/b.rs"]), "<ctrl-x>d}")
}

/// The plan in its second version.
pub(super) fn revised(width: u16, height: u16) -> Desk {
    let mut desk = Desk::new(width, height).with_plan();
    let plan = desk.state().plan.clone().unwrap();
    let text = plan.document().replace("Wire it in", "Wire it into the endpoint");
    let text = text.replace("3. [ ] Tests", "- [ ] Describe the limits in the documentation of the endpoint");
    desk.give(Input::EditPlan { text, version: plan.version });
    desk
}

pub(super) fn rejected(width: u16, height: u16) -> Desk {
    pressed(Desk::new(width, height).with_plan(), "<ctrl-t>n")
}

pub(super) fn executing(width: u16, height: u16) -> Desk {
    let mut desk = Desk::new(width, height).with_plan();
    approve(&mut desk);
    desk
}

/// Three steps are at work: one reads, one thinks, one waits for the file of the first.
pub(super) fn together(width: u16, height: u16) -> Desk {
    let mut desk = Desk::new(width, height);
    desk.app.composer.draft.set(Saved::plain("add rate limiting to the login endpoint"));
    desk.press("<enter>").deliver();
    let plan = r#"{"title":"Add rate limiting","tasks":[{"title":"Token bucket","files":["src/bucket.rs"]},
        {"title":"Wire it in","files":["src/login.rs"]},{"title":"Say so","files":["README.md"]},
        {"title":"Tests","after":[1,2]}],"gates":[{"name":"tests","command":"cargo test"}]}"#;
    desk.reply("", &[("submit_plan", plan)]);
    desk.collect();
    approve(&mut desk);
    desk.reply("I look at what is there first.", &[("read", r#"{"path":"src/bucket.rs"}"#)]);
    desk.thinking.remove(0);
    let wanted = r#"{"path":"src/bucket.rs","edits":[{"old":"1","new":"2"}]}"#;
    desk.reply("", &[("edit", wanted)]);
    desk.collect();
    desk
}

/// A run whose next model call would be one too many.
pub(super) fn budget(width: u16, height: u16) -> Desk {
    let mut desk = executing(width, height);
    desk.give(Input::SetBudget(Limits::one(Unit::Calls, 1)));
    for _ in 0..2 {
        desk.reply("", &[("read", r#"{"path":"src/auth/login.rs"}"#)]);
        let call = desk.tools.remove(0);
        desk.give(Input::ToolEnded { call, outcome: ToolOutcome::text("fn a() {}", "1 line") });
    }
    desk.collect();
    desk
}

pub(super) fn queued(width: u16, height: u16) -> Desk {
    let mut desk = executing(width, height);
    desk.app.composer.draft.set(Saved::plain("then update the changelog"));
    pressed(desk, "<tab>")
}

pub(super) fn leaving(width: u16, height: u16) -> Desk {
    let mut desk = executing(width, height);
    desk.app.composer.draft.set(Saved::plain("/exit"));
    pressed(desk, "<enter>")
}

/// Every step of the plan is done without a change; its gate is next.
pub(super) fn gate_asks(width: u16, height: u16) -> Desk {
    let mut desk = executing(width, height);
    while !desk.thinking.is_empty() {
        desk.reply("nothing to change: it is as it should be", &[]);
    }
    desk.collect();
    desk
}

pub(super) fn gate_ended(width: u16, height: u16, code: i32) -> Desk {
    let mut desk = pressed(gate_asks(width, height), "<ctrl-x>a");
    desk.wait(1_000).press("y").deliver();
    let call = desk.tools.remove(0);
    let exit = pilothouse_core::tool::Exit {
        code: Some(code),
        signal: None,
        timed_out: false,
        took: Millis(1_200),
        process: None,
        put_back: false,
    };
    let text = if code == 0 { "test result: ok" } else { "test login ... FAILED" };
    let outcome = ToolOutcome { exit: Some(exit), ..ToolOutcome::text(text, format!("exit {code}")) };
    desk.give(Input::ToolEnded { call, outcome });
    desk
}

pub(super) fn gate_failed(width: u16, height: u16) -> Desk {
    gate_ended(width, height, 1)
}

pub(super) fn done(width: u16, height: u16) -> Desk {
    gate_ended(width, height, 0)
}

/// Six sessions beside the one that is shown, two that no window holds, and a worktree without any.
pub(in crate::app::tests) fn fleet(mut desk: Desk) -> Desk {
    let row = |n: usize, title: &str, folder: &str, status: RunStatus, quiet: u64, doing: &str| {
        let info = RunInfo {
            session: format!("20261122-14020{n}-3f2a"),
            title: title.into(),
            folder: format!("/home/me/code/{folder}"),
            status,
            doing: doing.into(),
            done: n.min(2),
            steps: 5,
            gate: Some("tests".into()),
            waiting: usize::from(status == RunStatus::Waiting),
            stake: vec![format!("a plan ({} of 5 done)", n.min(2))],
            usage: Usage { cost_micros: Some(30_000 * n as u64), ..Usage::default() },
            ..RunInfo::default()
        };
        let worktree = folder.strip_prefix("inkwell-").map(str::to_owned);
        RunRow { info, berth: Berth::Behind(n), worktree, quiet, follows: None }
    };
    let mut shown =
        row(0, "add rate limiting to the login endpoint", "inkwell", RunStatus::Thinking, 1_000, "");
    shown.berth = Berth::Shown(0);
    let mut orphan = row(7, "Fuzz the parser", "inkwell-fuzz", RunStatus::Orphaned, 10_400_000, "");
    orphan.berth = Berth::Elsewhere;
    let mut empty =
        row(8, "pilothouse/spare", "inkwell-spare", RunStatus::Idle, 0, "nothing is running in it");
    (empty.berth, empty.info.stake, empty.info.steps) = (Berth::Empty, Vec::new(), 0);
    (empty.info.gate, empty.info.usage) = (None, Usage::default());
    desk.app.runs = vec![
        shown,
        row(
            1,
            "Move to sqlx 0.8",
            "inkwell-sqlx",
            RunStatus::Tool,
            22_000,
            "Port the store · run cargo build --tests",
        ),
        row(
            2,
            "Release notes 0.4",
            "inkwell-notes",
            RunStatus::Waiting,
            125_000,
            "Run git push --force origin main?",
        ),
        row(3, "Translate the help", "inkwell-i18n", RunStatus::Stalled, 280_000, "the model is asked"),
        row(
            4,
            "Drop the old parser",
            "inkwell-parser",
            RunStatus::Failed,
            900_000,
            "tests: 3 failed, 41 passed",
        ),
        row(5, "Explain the lock order", "inkwell", RunStatus::Done, 3_700_000, ""),
        orphan,
        empty,
    ];
    desk
}

/// Below the session that is shown those of before, and one that was left unfinished.
pub(in crate::app::tests) fn earlier(mut desk: Desk) -> Desk {
    let row = |n: u64, title: &str, status: RunStatus, days: u64, doing: &str| {
        let info = RunInfo {
            session: format!("2026112{n}-140201-3f2a"),
            title: title.into(),
            folder: "/home/me/code/inkwell".into(),
            status,
            doing: doing.into(),
            usage: Usage { cost_micros: Some(20_000 * n), ..Usage::default() },
            ..RunInfo::default()
        };
        RunRow {
            info,
            berth: Berth::Elsewhere,
            worktree: None,
            quiet: days * 86_400_000 + 3_600_000,
            follows: None,
        }
    };
    let mut shown = row(9, "where is a login checked?", RunStatus::Done, 0, "");
    (shown.berth, shown.quiet) = (Berth::Shown(0), 4_000);
    let mut left = row(8, "Port the store to sqlx 0.8", RunStatus::Stopped, 0, "");
    (left.info.done, left.info.steps) = (2, 5);
    desk.app.runs = vec![
        shown,
        left,
        row(
            7,
            "Name the line in every error of the parser",
            RunStatus::Done,
            1,
            "2 changes set aside, 1 queued",
        ),
        row(6, "Why are there two locks around the store?", RunStatus::Done, 2, ""),
        row(5, "Translate the help", RunStatus::Failed, 5, "the server refused the key"),
        row(4, "Remove the old lock file", RunStatus::Done, 9, ""),
    ];
    desk
}
