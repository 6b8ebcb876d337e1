//! The states of which frames are kept, each brought about through a real session.

use std::sync::Arc;

use pilothouse_core::{
    blob::{Blob, BlobId},
    checkpoint::Answer,
    commit::{CommitFile, CommitTree},
    compaction::Mark,
    diff,
    ids::{Seq, TaskId},
    money::{Limits, Unit},
    plan::Pause,
    policy::{Found, Origin, Places, Policy, Rehearsal, Rule, Source},
    port::{ContextPart, ContextSheet},
    proposal::CONTROL_WORD,
    relpath::RelPath,
    runs::{RunInfo, RunStatus},
    shell::Risk,
    talk::{Delta, DeltaKind, Fault, FaultKind, Usage},
    tool::{ChangeKind, ProposalDraft, ToolOutcome},
    trust::{Part, PartChange, Standing},
};

use super::{
    super::{review::Bench, *},
    brought::{knowledge, recipes, source_asks, source_form, sources, sources_none, sources_page},
};
use crate::window::{Berth, RunRow};

/// A state: its name and how a screen of this size gets there.
pub(super) type Scene = (&'static str, fn(u16, u16) -> Desk);

/// Every state.
pub(super) const ALL: &[Scene] = &[
    // Nothing said yet, and drafts.
    ("welcome", Desk::new),
    ("welcome-offline", |w, h| around(w, h, |s| s.offline = true)),
    ("welcome-read-only", |w, h| around(w, h, |s| s.read_only = true)),
    ("draft", |w, h| typed(w, h, "add rate limiting to the login endpoint")),
    ("draft-lines", |w, h| typed(w, h, "@explain the first line\nthe second line\nthe third line")),
    ("draft-shell", |w, h| typed(w, h, "!git push --force")),
    ("completion-commands", |w, h| pressed(Desk::new(w, h), "/")),
    ("completion-files", completion_files),
    ("history", |w, h| pressed(answered(w, h), "<ctrl-r>")),
    ("leader", leader),
    ("key-unbound", |w, h| pressed(Desk::new(w, h), "<ctrl-x>z")),
    // The conversation.
    ("answering", answering),
    ("answer", answered),
    ("conversation", |w, h| pressed(answered(w, h), "<ctrl-x>cj")),
    ("conversation-search", |w, h| pressed(answered(w, h), "<ctrl-x>c/")),
    ("conversation-found", |w, h| pressed(answered(w, h), "<ctrl-x>c/users<enter>")),
    ("conversation-copied", |w, h| pressed(answered(w, h), "<ctrl-x>cy")),
    ("call-folded", called),
    ("agents", agents),
    ("agents-done", agents_done),
    ("command-ran", ran),
    ("command-output", |w, h| pressed(ran(w, h), "<ctrl-o>")),
    ("model-failed", model_failed),
    ("question-choice", choice),
    // A stage pipeline.
    ("research-begun", super::research::asked),
    ("research-paused", super::research::paused),
    ("research-leaving", super::research::leaving),
    ("research-retrieving", super::research::retrieving),
    ("research-done", super::research::done),
    // The plan.
    ("planning", |w, h| said(w, h, "add rate limiting to the login endpoint")),
    ("plan", |w, h| Desk::new(w, h).with_plan()),
    ("plan-focused", |w, h| pressed(Desk::new(w, h).with_plan(), "<ctrl-t>")),
    ("plan-detail", |w, h| pressed(Desk::new(w, h).with_plan(), "<ctrl-t>j<enter>")),
    ("plan-drafting", |w, h| pressed(Desk::new(w, h).with_plan(), "make it ")),
    ("plan-revised", |w, h| pressed(revised(w, h), "<ctrl-t>")),
    ("plan-before", |w, h| pressed(revised(w, h), "<ctrl-t>v")),
    ("plan-paused", |w, h| pressed(paused(w, h), "<ctrl-t>")),
    ("diff-off-plan", off_plan),
    ("plan-rejected", rejected),
    ("plan-empty", |w, h| pressed(answered(w, h), "<ctrl-t>")),
    ("executing", executing),
    ("executing-together", together),
    ("budget", budget),
    ("approvals-budget", |w, h| pressed(budget(w, h), "<ctrl-x>a")),
    // Sessions beside this one.
    ("runs", |w, h| pressed(fleet(executing(w, h)), "<ctrl-x>rj")),
    ("runs-orphaned", |w, h| pressed(fleet(executing(w, h)), "<ctrl-x>rjjjjjj")),
    ("runs-alone", |w, h| pressed(Desk::new(w, h), "<ctrl-x>r")),
    ("runs-behind", |w, h| fleet(executing(w, h))),
    ("runs-stop", |w, h| pressed(fleet(executing(w, h)), "<ctrl-x>rjx")),
    ("runs-message", |w, h| pressed(fleet(executing(w, h)), "<ctrl-x>rjm")),
    ("runs-leave", |w, h| pressed(fleet(answered(w, h)), "/quit<enter>")),
    ("approvals-beside", |w, h| pressed(fleet(answered(w, h)), "<ctrl-x>a")),
    ("queued", queued),
    ("leaving", leaving),
    ("run-failed", run_failed),
    ("beside-run", beside_run),
    ("gate-asks", gate_asks),
    ("gate-failed", gate_failed),
    ("done", done),
    // The diff.
    ("review", |w, h| review(w, h, "")),
    ("diff", |w, h| review(w, h, "<ctrl-x>d")),
    ("diff-taken", |w, h| review(w, h, "<ctrl-x>dy")),
    ("diff-left", |w, h| review(w, h, "<ctrl-x>dn")),
    ("diff-all", |w, h| review(w, h, "<ctrl-x>dd")),
    ("diff-sheet", |w, h| review(w, h, "<ctrl-x>dA")),
    ("diff-side-by-side", |w, h| review(w, h, "<ctrl-x>dt")),
    ("changes", |w, h| wrote(w, h, "")),
    ("changes-turn", |w, h| wrote(w, h, "ss")),
    ("changes-diff", |w, h| wrote(w, h, "\n")),
    ("changes-nothing", |w, h| pressed(Desk::new(w, h), "/changes<enter>")),
    ("commit", |w, h| committing(w, h, "")),
    ("commit-listed", |w, h| committing(w, h, "<ctrl-x>a")),
    ("commit-message", |w, h| pressed(committing(w, h, "<ctrl-x>a"), "e")),
    ("diff-applied", |w, h| review(w, h, "<ctrl-x>daa")),
    ("diff-empty", |w, h| pressed(answered(w, h), "<ctrl-x>d")),
    ("diff-control-file", |w, h| control(w, h, "<ctrl-x>d")),
    ("diff-control-word", |w, h| control(w, h, "<ctrl-x>da")),
    ("removal", |w, h| removal(w, h, "<ctrl-x>d")),
    ("removal-word", |w, h| removal(w, h, "<ctrl-x>da")),
    // Questions about commands, paths, depth and trust.
    ("command", |w, h| goal(w, h, "make test")),
    ("command-changed", |w, h| pressed(goal(w, h, "make test"), "<right> -k")),
    ("command-skipped", |w, h| pressed(goal(w, h, "make test"), "<right><ctrl-u>")),
    ("command-high", |w, h| goal(w, h, "git push --force origin main")),
    ("command-word", |w, h| pressed(goal(w, h, "git push --force origin main"), "<enter>proc")),
    ("command-aside", |w, h| pressed(goal(w, h, "make test"), "<esc>")),
    ("command-beside-draft", |w, h| command_asked(w, h, r#"{"command":"cargo add serde"}"#)),
    ("approvals-empty", |w, h| pressed(Desk::new(w, h), "<ctrl-x>a")),
    ("approvals-command", |w, h| listed(w, h, r#"{"command":"cargo add serde"}"#)),
    ("approvals-high", |w, h| listed(w, h, r#"{"command":"git push --force"}"#)),
    ("approvals-network", |w, h| {
        listed(w, h, r#"{"command":"npm install","network":true,"reason":"the packages are not here"}"#)
    }),
    ("approvals-deny", |w, h| pressed(listed(w, h, r#"{"command":"cargo add serde"}"#), "nnot today")),
    ("approvals-diff", |w, h| review(w, h, "<ctrl-x>a")),
    ("approvals-plan", |w, h| pressed(Desk::new(w, h).with_plan(), "<ctrl-x>a")),
    ("approvals-access", |w, h| pressed(access(w, h), "<ctrl-x>a")),
    ("approvals-deeper", |w, h| pressed(deeper(w, h), "<ctrl-x>a")),
    ("approvals-trust", |w, h| pressed(trust(w, h), "<ctrl-x>a")),
    ("access", access),
    ("source-asks", source_asks),
    ("approvals-source", |w, h| pressed(source_asks(w, h), "<ctrl-x>a")),
    ("source-form", source_form),
    ("sources", |w, h| sources(w, h, "j")),
    ("sources-none", sources_none),
    ("sources-page", sources_page),
    ("sources-key", |w, h| sources(w, h, "csecret")),
    ("deeper", deeper),
    ("trust", trust),
    ("trust-sheet", trust_sheet),
    ("rule", |w, h| pressed(listed(w, h, r#"{"command":"cargo add serde"}"#), "p")),
    ("rule-rehearsed", rehearsed),
    ("reason", |w, h| pressed(listed(w, h, r#"{"command":"cargo add serde"}"#), "w")),
    // Pages.
    ("palette", |w, h| pressed(Desk::new(w, h), "<ctrl-p>")),
    ("palette-query", |w, h| pressed(Desk::new(w, h), "<ctrl-p>hunk")),
    ("palette-nothing", |w, h| pressed(Desk::new(w, h), "<ctrl-p>zzzz")),
    ("help", |w, h| pressed(Desk::new(w, h), "<f1>")),
    ("help-diff", |w, h| pressed(Desk::new(w, h), "<f1><tab>")),
    ("help-scrolled", |w, h| pressed(Desk::new(w, h), "<f1>jjjjjj")),
    ("status", |w, h| pressed(Desk::new(w, h).with_plan(), "/status<enter>")),
    ("status-scrolled", |w, h| pressed(run_failed(w, h), "/status<enter>G")),
    ("context", |w, h| context(w, h, "jjj")),
    ("skills", |w, h| pressed(recipes(w, h), "/skills<enter>jjj")),
    ("skills-broken", |w, h| pressed(recipes(w, h), "/skills<enter>")),
    ("skills-view", |w, h| pressed(recipes(w, h), "/skills<enter>jjjv")),
    ("skills-chosen", |w, h| pressed(recipes(w, h), "/skills<enter>jjj<enter>")),
    ("agents-of-files", |w, h| pressed(recipes(w, h), "/agents<enter>")),
    ("agents-with-stages", |w, h| pressed(recipes(w, h), "/agents<enter>j")),
    ("completion-agents", |w, h| pressed(recipes(w, h), "@re")),
    ("completion-skills", |w, h| pressed(recipes(w, h), "/wri")),
    ("skill-called", |w, h| pressed(recipes(w, h), "/write-tests src/auth/login.rs<enter>")),
    ("knowledge", |w, h| knowledge(w, h, "j")),
    ("connect", |w, h| pressed(Desk::new(w, h), "/connect<enter>")),
    ("why", why),
    // Poorer terminals.
    ("ascii-plan", |w, h| pressed(plain(w, h, Depth::TrueColor).with_plan(), "<ctrl-t>")),
    ("ascii-help", |w, h| pressed(plain(w, h, Depth::TrueColor), "<f1>")),
    ("sixteen-colours", |w, h| pressed(plain(w, h, Depth::Ansi16).with_plan(), "<ctrl-x>a")),
    ("no-colours", |w, h| pressed(plain(w, h, Depth::None).with_plan(), "<ctrl-x>a")),
    ("no-sandbox", |w, h| Desk::with(w, h, Sandbox::none("the kernel has no Landlock"))),
    ("theme-unknown", |w, h| pressed(Desk::new(w, h), "/theme neon<enter>")),
];

pub(super) fn pressed(mut desk: Desk, keys: &str) -> Desk {
    desk.draw();
    desk.wait(1_000).press(keys).deliver();
    desk
}

fn around(width: u16, height: u16, change: fn(&mut Surroundings)) -> Desk {
    let mut desk = Desk::new(width, height);
    let mut around = desk.app.world.surroundings.clone();
    change(&mut around);
    desk.app.update(Update::Surroundings(Box::new(around)), desk.now);
    desk
}

fn typed(width: u16, height: u16, draft: &str) -> Desk {
    let mut desk = Desk::new(width, height);
    desk.app.composer.draft.set(Saved::plain(draft));
    desk
}

fn say(desk: &mut Desk, text: &str) {
    desk.app.composer.draft.set(Saved::plain(text));
    desk.press("<enter>").deliver();
}

pub(super) fn said(width: u16, height: u16, text: &str) -> Desk {
    let mut desk = Desk::new(width, height);
    say(&mut desk, text);
    desk
}

fn completion_files(width: u16, height: u16) -> Desk {
    let mut desk = pressed(Desk::new(width, height), "@explain @lo");
    let files = ["src/auth/login.rs", "src/log.rs", "docs/layout.md"].map(|f| RelPath::new(f).unwrap());
    let (number, now) = (desk.number, desk.now);
    desk.app.update(Update::Answered(number, Reply::Files(files.to_vec())), now);
    desk
}

fn leader(width: u16, height: u16) -> Desk {
    let mut desk = pressed(Desk::new(width, height), "<ctrl-x>");
    desk.wait(400);
    desk
}

fn answering(width: u16, height: u16) -> Desk {
    let mut desk = said(width, height, "what does login do?");
    let text = "It looks the user up, checks the password against the stored hash and".to_owned();
    let call = desk.thinking[0];
    desk.app.update(Update::Delta(Delta { call, offset: 0, kind: DeltaKind::Text, text }), desk.now);
    desk.app.spin(3);
    desk
}

const ANSWER: &str = "`login.rs` takes the form's **name** and **password**, looks the user up in `users` \
    and starts a session.\n\n- `submit_form` finds the user\n- `authenticate` checks the password\n\n```rust\n\
    fn authenticate(user: &User, pw: &str) -> bool {\n    check_password(user, pw)\n}\n```\n\n\
    | try | waits |\n|---|---|\n| 1 | 0 s |\n| 4 | 30 s |\n";

pub(super) fn answered(width: u16, height: u16) -> Desk {
    let mut desk = said(width, height, "what does login do?");
    desk.reply(ANSWER, &[]);
    desk.collect();
    desk
}

fn called(width: u16, height: u16) -> Desk {
    let mut desk = said(width, height, "what does login do?");
    desk.reply("I read the file first.", &[("read", r#"{"path":"src/auth/login.rs"}"#)]);
    let call = desk.tools.remove(0);
    let text = "1 use crate::users;\n2\n3 pub fn submit_form(name: &str, pw: &str) {\n4 }\n";
    desk.give(Input::ToolEnded { call, outcome: ToolOutcome::text(text, "4 lines") });
    desk
}

/// Three sub-agents: one reads, one has found something, one thinks.
fn agents(width: u16, height: u16) -> Desk {
    let mut desk = said(width, height, "what does login do?");
    let tasks = r#"{"tasks":[{"task":"find every caller of submit_form"},
        {"kind":"review","task":"is the password compared in constant time?"},
        {"kind":"verify","task":"check that no route reaches users::find without a session"}]}"#;
    desk.reply("I let three look at it.", &[("delegate", tasks)]);
    desk.reply("", &[("read", r#"{"path":"src/auth/login.rs"}"#)]);
    desk.reply("It is not: src/auth/login.rs:3 compares with ==.", &[]);
    desk
}

fn agents_done(width: u16, height: u16) -> Desk {
    let mut desk = agents(width, height);
    let call = desk.tools.remove(0);
    desk.give(Input::ToolEnded { call, outcome: ToolOutcome::text("fn a() {}", "1 line") });
    desk.reply("No route does.", &[]);
    desk.reply("Two callers: src/app.rs:12 and src/cli.rs:40.", &[]);
    desk.reply("`submit_form` has two callers; the comparison leaks time.", &[]);
    desk
}

fn model_failed(width: u16, height: u16) -> Desk {
    let mut desk = said(width, height, "what does login do?");
    fail(&mut desk);
    desk
}

fn fail(desk: &mut Desk) {
    let call = desk.thinking.remove(0);
    let fault = Fault {
        kind: FaultKind::Unreachable,
        message: "no connection to 127.0.0.1:11434".to_owned(),
        hint: "start the server, or change base_url".to_owned(),
        status: None,
    };
    desk.give(Input::Replied { call, reply: Err(fault) });
}

/// A command that may run unasked ran, and printed this.
fn ran(width: u16, height: u16) -> Desk {
    let mut desk = command_asked(width, height, r#"{"command":"ls -1"}"#);
    let call = desk.tools.remove(0);
    let exit = pilothouse_core::tool::Exit {
        code: Some(0),
        signal: None,
        timed_out: false,
        took: Millis(12),
        process: None,
    };
    let text = "Cargo.toml\nREADME.md\nsrc\n";
    let outcome = ToolOutcome { exit: Some(exit), ..ToolOutcome::text(text, "exit 0") };
    desk.give(Input::ToolEnded { call, outcome });
    desk
}

fn run_failed(width: u16, height: u16) -> Desk {
    let mut desk = executing(width, height);
    fail(&mut desk);
    desk
}

/// A question is answered while the plan runs.
fn beside_run(width: u16, height: u16) -> Desk {
    let mut desk = executing(width, height);
    say(&mut desk, "what does login do?");
    desk
}

/// What the model is told next, where an old result gave way and another was dropped.
fn context(width: u16, height: u16, keys: &str) -> Desk {
    let mut desk = pressed(answered(width, height), "/context<enter>");
    let part = |entry: u64, kind, head: &str, (before, tokens), mark, why| ContextPart {
        entry: (entry > 0).then_some(Seq(entry)),
        kind,
        head: head.to_owned(),
        tokens,
        before,
        mark,
        why,
    };
    let stays = "the same in every request";
    let gives = "what a call gave; the oldest give way first";
    let parts = vec![
        part(0, "prompt", "You are the agent of a workbench.", (1_240, 1_240), None, stays),
        part(0, "tools", "read search list run edit", (2_910, 2_910), None, stays),
        part(4, "you", "what does login do?", (12, 12), None, "your messages stay"),
        part(7, "result", "read src/auth/login.rs", (4_096, 40), None, gives),
        part(9, "result", "search authenticate", (900, 20), Some(Mark::Dropped), gives),
        part(
            11,
            "agent",
            "It takes the form's name and password.",
            (310, 310),
            None,
            "what the agent said and called",
        ),
    ];
    let sheet =
        ContextSheet { tokens: parts.iter().map(|p| p.tokens).sum(), parts, window: 16_000, trouble: None };
    let (number, now) = (desk.number, desk.now);
    desk.app.update(Update::Answered(number, Reply::Context(Box::new(sheet))), now);
    desk.press(keys);
    desk
}

fn why(width: u16, height: u16) -> Desk {
    let mut desk = Desk::new(width, height);
    let page = crate::overlay::Inspected::sample(&desk.session);
    desk.app.open_overlay(Box::new(page));
    desk
}

/// A terminal that shows only ASCII and these colours.
fn plain(width: u16, height: u16, depth: Depth) -> Desk {
    let mut desk = Desk::new(width, height);
    desk.app.looks.look.ascii = true;
    desk.app.looks.glyphs = Glyphs::ASCII;
    desk.app.looks.theme = Theme::parse(Theme::source("default").unwrap(), true, depth).unwrap();
    desk
}

fn choice(width: u16, height: u16) -> Desk {
    let mut desk = said(width, height, "where is main?");
    let args = r#"{"question":"Which program do you mean?","choices":["the server","the client"]}"#;
    desk.reply("", &[("ask_user", args)]);
    desk
}

/// A run that pauses before its second step.
fn paused(width: u16, height: u16) -> Desk {
    let mut desk = Desk::new(width, height).with_plan();
    desk.give(Input::SetPause(Pause::Step(TaskId(2)), true));
    desk.give(Input::SetPause(Pause::Lines(200), true));
    approve(&mut desk);
    desk.reply("There was nothing to do.", &[]);
    desk.collect();
    desk
}

/// A change of a file that its step did not name, beside one that it did.
fn off_plan(width: u16, height: u16) -> Desk {
    let plan = r#"{"title":"Add rate limiting","tasks":[{"title":"Wire it in","files":["src/a.rs"]},{"title":"Tests"}]}"#;
    reviewing(Bench::on(Desk::new(width, height).planned(plan), ["src/a.rs", "src/b.rs"]), "<ctrl-x>d}")
}

/// The plan in its second version.
fn revised(width: u16, height: u16) -> Desk {
    let mut desk = Desk::new(width, height).with_plan();
    let plan = desk.state().plan.clone().unwrap();
    let text = plan.document().replace("Wire it in", "Wire it into the endpoint");
    let text = text.replace("3. [ ] Tests", "- [ ] Describe the limits in the documentation of the endpoint");
    desk.give(Input::EditPlan { text, version: plan.version });
    desk
}

fn rejected(width: u16, height: u16) -> Desk {
    pressed(Desk::new(width, height).with_plan(), "<ctrl-t>n")
}

fn executing(width: u16, height: u16) -> Desk {
    let mut desk = Desk::new(width, height).with_plan();
    approve(&mut desk);
    desk
}

/// Three steps are at work: one reads, one thinks, one waits for the file of the first.
fn together(width: u16, height: u16) -> Desk {
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
fn budget(width: u16, height: u16) -> Desk {
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

fn approve(desk: &mut Desk) {
    let id = desk.state().phase_question().unwrap().id;
    let shown = desk.state().open[&id].kind.shown();
    desk.give(Input::Answer { checkpoint: id, answer: Answer::Approve, shown });
}

fn queued(width: u16, height: u16) -> Desk {
    let mut desk = executing(width, height);
    desk.app.composer.draft.set(Saved::plain("then update the changelog"));
    pressed(desk, "<tab>")
}

fn leaving(width: u16, height: u16) -> Desk {
    let mut desk = executing(width, height);
    desk.app.composer.draft.set(Saved::plain("/exit"));
    pressed(desk, "<enter>")
}

/// Every step of the plan is done without a change; its gate is next.
fn gate_asks(width: u16, height: u16) -> Desk {
    let mut desk = executing(width, height);
    while !desk.thinking.is_empty() {
        desk.reply("There was nothing to do.", &[]);
    }
    desk.collect();
    desk
}

fn gate_ended(width: u16, height: u16, code: i32) -> Desk {
    let mut desk = pressed(gate_asks(width, height), "<ctrl-x>a");
    desk.wait(1_000).press("y").deliver();
    let call = desk.tools.remove(0);
    let exit = pilothouse_core::tool::Exit {
        code: Some(code),
        signal: None,
        timed_out: false,
        took: Millis(1_200),
        process: None,
    };
    let text = if code == 0 { "test result: ok" } else { "test login ... FAILED" };
    let outcome = ToolOutcome { exit: Some(exit), ..ToolOutcome::text(text, format!("exit {code}")) };
    desk.give(Input::ToolEnded { call, outcome });
    desk
}

fn gate_failed(width: u16, height: u16) -> Desk {
    gate_ended(width, height, 1)
}

fn done(width: u16, height: u16) -> Desk {
    gate_ended(width, height, 0)
}

fn review(width: u16, height: u16, keys: &str) -> Desk {
    reviewing(Bench::of(width, height, ["src/a.rs", "src/b.rs"]), keys)
}

fn control(width: u16, height: u16, keys: &str) -> Desk {
    assert_eq!(CONTROL_WORD, "control");
    reviewing(Bench::of(width, height, ["AGENTS.md", "src/b.rs"]), keys)
}

/// Presses the keys one after the other, with what each asked for done.
fn reviewing(mut bench: Bench, keys: &str) -> Desk {
    match keys.split_once('>') {
        Some((leader, rest)) => {
            let (first, others) = rest.split_at(1);
            bench.press(&format!("{leader}>{first}"));
            others.chars().for_each(|key| bench.press(&key.to_string()));
        }
        None => bench.press(keys),
    }
    bench.desk
}

/// What was written stands in the list.
fn wrote(width: u16, height: u16, keys: &str) -> Desk {
    let mut bench = Bench::of(width, height, ["src/a.rs", "src/b.rs"]);
    bench.press("<ctrl-x>d");
    bench.press("y");
    bench.press("a");
    bench.press("<esc>");
    bench.desk.app.composer.draft.set(Saved::plain("/changes"));
    bench.press("<enter>");
    for key in keys.chars() {
        bench.press(&if key == '\n' { "<enter>".to_owned() } else { key.to_string() });
    }
    bench.desk
}

/// A commit of what was written is shown.
fn committing(width: u16, height: u16, keys: &str) -> Desk {
    let mut desk = wrote_all(width, height);
    say(&mut desk, "/commit");
    let pending = desk.session.pending();
    let Some(Work::LookCommit { commit, files }) = pending.values().next() else { panic!("{pending:?}") };
    let file = |(path, content): &(RelPath, Option<BlobId>)| CommitFile {
        path: path.clone(),
        kind: ChangeKind::Modify,
        content: *content,
        untracked: false,
        mixed: path.as_str().ends_with("b.rs"),
    };
    let tree = CommitTree {
        on: "main".to_owned(),
        files: files.iter().map(file).collect(),
        others: 2,
        staged: 1,
        notes: vec!["The repository's hooks are not run (pre-commit); `!git commit` runs them.".to_owned()],
    };
    desk.give(Input::CommitLooked { commit: *commit, result: Ok(tree) });
    pressed(desk, keys)
}

/// A run that wrote both files has ended.
fn wrote_all(width: u16, height: u16) -> Desk {
    let mut bench = Bench::of(width, height, ["src/a.rs", "src/b.rs"]);
    bench.press("<ctrl-x>d");
    for key in ["y", "y", "a", "y", "y", "a"] {
        bench.press(key);
    }
    bench.press("<esc>");
    bench.press("<ctrl-c>");
    bench.desk
}

fn removal(width: u16, height: u16, keys: &str) -> Desk {
    let mut desk = executing(width, height);
    desk.reply("", &[("delete", r#"{"path":"notes/old.txt"}"#)]);
    let call = desk.tools.remove(0);
    let before = Blob::new(b"remember the milk\n".to_vec());
    let draft = ProposalDraft {
        path: RelPath::new("notes/old.txt").unwrap(),
        kind: ChangeKind::Delete,
        hunks: diff::hunks(before.bytes(), b""),
        before: Some(before.clone()),
        after: None,
    };
    let outcome = ToolOutcome { proposals: vec![draft], ..ToolOutcome::text("proposed", "1 hunk") };
    desk.give(Input::ToolEnded { call, outcome });
    desk.reply("Done.", &[]);
    let (head, last) = keys.split_at("<ctrl-x>d".len());
    desk.wait(1_000).press(head).deliver();
    let reply = Reply::Blob(before.id(), Some(before.bytes().to_vec()));
    desk.app.update(Update::Answered(0, reply), desk.now);
    desk.draw();
    desk.wait(1_000).press(last);
    desk
}

/// A goal whose model proposes this command.
fn goal(width: u16, height: u16, command: &str) -> Desk {
    let mut desk = said(width, height, "run the tests");
    let args = serde_json::json!({ "command": command }).to_string();
    desk.reply("", &[("run", &args)]);
    desk.collect();
    desk.draw();
    desk.wait(1_000);
    desk
}

fn command_asked(width: u16, height: u16, args: &str) -> Desk {
    let mut desk = said(width, height, "where is main?");
    desk.reply("", &[("run", args)]);
    desk.collect();
    desk.draw();
    desk
}

fn listed(width: u16, height: u16, args: &str) -> Desk {
    let mut desk = pressed(command_asked(width, height, args), "<ctrl-x>a");
    desk.wait(1_000);
    desk
}

fn access(width: u16, height: u16) -> Desk {
    let mut desk = Desk::new(width, height);
    let origin = Origin { source: Source::User, file: "~/permissions.toml".into(), line: 1 };
    let rule = Rule::parse("ask read docs/**", origin).unwrap();
    let policy = Arc::new(Policy::new(vec![rule], Places::default()));
    desk.session.set_policy(Arc::clone(&policy));
    desk.app.update(Update::Rules(policy), desk.now);
    say(&mut desk, "where is main?");
    desk.reply("", &[("read", r#"{"path":"docs/private.md"}"#)]);
    desk
}

fn deeper(width: u16, height: u16) -> Desk {
    let mut desk = said(width, height, "where is main?");
    desk.reply("", &[("edit", r#"{"path":"src/main.rs","edits":[{"old":"a","new":"b"}]}"#)]);
    desk
}

fn trust(width: u16, height: u16) -> Desk {
    let mut desk = said(width, height, "/trust");
    let part =
        |path: &str, would: &str, change| Part { path: path.into(), would: vec![would.into()], change };
    let sheet = "== .pilothouse/hooks.toml\n+ after_edit = \"make fmt\"\n\n== .env\n  DATABASE_URL";
    let standing = Standing {
        of: BlobId::of(sheet.as_bytes()),
        parts: vec![
            part(".pilothouse/hooks.toml", "runs make fmt after each edit", PartChange::New),
            part(".env", "gives commands DATABASE_URL", PartChange::Changed),
        ],
        sheet: sheet.to_owned(),
        asks: true,
        ..Standing::default()
    };
    desk.give(Input::Surveyed(standing));
    desk
}

fn trust_sheet(width: u16, height: u16) -> Desk {
    let mut desk = pressed(trust(width, height), "<ctrl-x>a<enter>");
    let Some(Ask::Blob(id)) = desk.asks.pop() else { panic!("{:?}", desk.asks) };
    let text =
        "== .pilothouse/hooks.toml\n+ after_edit = \"make fmt\"\n\n== .env\n   DATABASE_URL\n- OLD=1\n";
    let reply = Reply::Blob(id, Some(text.as_bytes().to_vec()));
    desk.app.update(Update::Answered(0, reply), desk.now);
    desk
}

fn rehearsed(width: u16, height: u16) -> Desk {
    let mut desk = pressed(listed(width, height, r#"{"command":"cargo add serde"}"#), "p");
    let through = vec![Found { line: "cargo add tokio".into(), risk: Risk::Medium, times: 3 }];
    let held = vec![Found { line: "cargo add x; rm -rf y".into(), risk: Risk::High, times: 1 }];
    let found = Rehearsal { seen: 9, through, held, narrowed: Vec::new() };
    let (number, now) = (desk.number, desk.now);
    desk.app.update(Update::Answered(number, Reply::Rehearsed(Box::new(found))), now);
    desk
}

/// Six sessions beside the one that is shown, two that no window holds, and a worktree without any.
fn fleet(mut desk: Desk) -> Desk {
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
            stake: vec![format!("a plan at {} of 5 steps", n.min(2))],
            usage: Usage { cost_micros: Some(30_000 * n as u64), ..Usage::default() },
            ..RunInfo::default()
        };
        let worktree = folder.strip_prefix("inkwell-").map(str::to_owned);
        RunRow { info, berth: Berth::Behind(n), worktree, quiet }
    };
    let mut shown =
        row(0, "add rate limiting to the login endpoint", "inkwell", RunStatus::Thinking, 1_000, "");
    shown.berth = Berth::Shown(0);
    let mut orphan = row(7, "Fuzz the parser", "inkwell-fuzz", RunStatus::Orphaned, 10_400_000, "");
    orphan.berth = Berth::Elsewhere;
    let mut empty = row(8, "pilothouse/spare", "inkwell-spare", RunStatus::Idle, 0, "nothing works in it");
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
