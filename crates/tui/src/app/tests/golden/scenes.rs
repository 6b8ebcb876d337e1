//! The states of which frames are kept, each brought about through a real session.

mod review;
pub(in crate::app::tests) mod runs;

use std::sync::Arc;

use pilothouse_core::{
    blob::{Blob, BlobId},
    checkpoint::Answer,
    commit::{CommitFile, CommitTree, SoughtFile},
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

use self::{review::*, runs::*};
use super::{
    super::{review::Bench, *},
    brought::{
        knowledge, recipes, source_asks, source_form, sources, sources_key, sources_none, sources_page,
    },
};
use crate::window::{Berth, RunRow};

/// A state: its name and how a screen of this size gets there.
pub(in crate::app::tests) type Scene = (&'static str, fn(u16, u16) -> Desk);

/// Every state.
pub(in crate::app::tests) const ALL: &[Scene] = &[
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
    ("runs", |w, h| pressed(fleet(executing(w, h)), "<ctrl-x>rk")),
    ("runs-orphaned", |w, h| pressed(fleet(executing(w, h)), "<ctrl-x>rjjjj")),
    ("runs-alone", |w, h| pressed(Desk::new(w, h), "<ctrl-x>r")),
    ("runs-behind", |w, h| fleet(executing(w, h))),
    ("runs-stop", |w, h| pressed(fleet(executing(w, h)), "<ctrl-x>rkx")),
    ("runs-message", |w, h| pressed(fleet(executing(w, h)), "<ctrl-x>rkm")),
    ("runs-earlier", |w, h| pressed(earlier(answered(w, h)), "<ctrl-x>rjjjj")),
    ("runs-found", |w, h| pressed(earlier(answered(w, h)), "<ctrl-x>r/lock<enter>")),
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
    ("diff-lines", lines),
    ("diff-all", |w, h| review(w, h, "<ctrl-x>dd")),
    ("diff-sheet", |w, h| review(w, h, "<ctrl-x>dA")),
    ("diff-side-by-side", |w, h| review(w, h, "<ctrl-x>dt")),
    ("changes", |w, h| wrote(w, h, "")),
    ("changes-turn", |w, h| wrote(w, h, "ss")),
    ("changes-diff", |w, h| wrote(w, h, "\n")),
    ("turns", |w, h| turns(w, h, "")),
    ("turns-back", |w, h| turns(w, h, "u")),
    ("turns-since", |w, h| turns(w, h, "d")),
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
    ("approvals-deny", |w, h| {
        pressed(pressed(listed(w, h, r#"{"command":"cargo add serde"}"#), "n"), "not today")
    }),
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
    ("sources-key", |w, h| sources_key(w, h)),
    ("deeper", deeper),
    ("trust", trust),
    ("trust-sheet", trust_sheet),
    ("rule", |w, h| pressed(listed(w, h, r#"{"command":"cargo add serde"}"#), "p")),
    ("rule-rehearsed", rehearsed),
    ("reason", |w, h| pressed(listed(w, h, r#"{"command":"cargo add serde"}"#), "w")),
    // Pages.
    ("palette", |w, h| pressed(Desk::new(w, h), "<ctrl-p>")),
    ("palette-query", |w, h| pressed(Desk::new(w, h), "<ctrl-p>hunk")),
    ("palette-recipes", |w, h| pressed(recipes(w, h), "<ctrl-p>skill")),
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
    ("setup", super::super::setup::first),
    ("setup-providers", super::super::setup::providers),
    ("setup-key", super::super::setup::key_typed),
    ("setup-models", super::super::setup::models),
    ("setup-ready", super::super::setup::ready),
    ("why", why),
    // Poorer terminals.
    ("ascii-plan", |w, h| pressed(plain(w, h, Depth::TrueColor).with_plan(), "<ctrl-t>")),
    ("ascii-help", |w, h| pressed(plain(w, h, Depth::TrueColor), "<f1>")),
    ("sixteen-colours", |w, h| pressed(plain(w, h, Depth::Ansi16).with_plan(), "<ctrl-x>a")),
    ("no-colours", |w, h| pressed(plain(w, h, Depth::None).with_plan(), "<ctrl-x>a")),
    ("no-sandbox", |w, h| Desk::with(w, h, Sandbox::none("the kernel has no Landlock"))),
    ("themes", |w, h| pressed(Desk::new(w, h), "/theme<enter>jj")),
    ("theme-unknown", |w, h| pressed(Desk::new(w, h), "/theme neon<enter>")),
];

/// Scenes that are drawn with 256 colours too, on both grounds.
pub(super) const INDEXED: [Scene; 2] = [
    ("indexed-diff", |w, h| review(w, h, "<ctrl-x>dy")),
    ("indexed-plan", |w, h| pressed(Desk::new(w, h).with_plan(), "<ctrl-x>a")),
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
        put_back: false,
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
        part(4, "you", "what does login do?", (12, 12), None, "what you typed; it stays unless you drop it"),
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
    super::small::in_ascii(&mut desk);
    desk.app.looks.theme = Theme::parse(Theme::source("default").unwrap(), true, depth).unwrap();
    desk
}

fn approve(desk: &mut Desk) {
    let id = desk.state().phase_question().unwrap().id;
    let shown = desk.state().open[&id].kind.shown();
    desk.give(Input::Answer { checkpoint: id, answer: Answer::Approve, shown });
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
    let sheet = "== .pilothouse/hooks.toml\n> runs make fmt after each edit\n\n+after_edit = \"make fmt\"\n";
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
    let text = "== .pilothouse/hooks.toml (changed)\n> runs make fmt after each edit\n\n@@ -1,2 +1,2 @@\n [hooks]\n\
         -after_edit = \"make lint\"\n+after_edit = \"make fmt\"\n\n== notes/SKILL.md (new)\n\n ---\n name: notes\n \
         ---\n - keep it short\n";
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
