//! What a model is told, from a session driven by hand.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]
use std::{collections::BTreeMap, sync::Arc};

use pilothouse_core::{
    blob::Blob,
    checkpoint::{Answer, CheckpointKind},
    fact::{FactDraft, FactSource},
    input::{Input, Opening},
    policy::{Origin, Places, Policy, Rule, Source},
    question::CommandQuestion,
    resolved::{ResolvedCommand, Thing},
    session::{Lane, LaneKind, Session},
    talk::{Fault, FaultKind, Finish, ModelCall, ModelReply},
    tool::{Exit, Tool, ToolOutcome},
    work::{Effect, Work},
};

use super::*;

mod thought;
mod whole;
mod window;

/// A session driven by hand, with its events and blobs at hand.
#[derive(Default)]
struct Bench {
    session: Session,
    events: BTreeMap<Seq, Stamped>,
    blobs: BTreeMap<BlobId, Vec<u8>>,
}

impl Texts for Bench {
    fn event(&self, seq: Seq) -> Option<Stamped> {
        self.events.get(&seq).cloned()
    }
    fn whole(&self, text: &Excerpt) -> String {
        text.cut
            .as_ref()
            .map_or_else(|| text.head.clone(), |c| String::from_utf8(self.blobs[&c.blob].clone()).unwrap())
    }
    fn blob(&self, id: BlobId) -> Option<Vec<u8>> {
        self.blobs.get(&id).cloned()
    }
}

impl Bench {
    fn new() -> Self {
        let mut bench = Self::default();
        let opening = Opening {
            slug: "s".into(),
            folder: "/w/in<k>well".into(),
            version: "1".into(),
            mode: None,
            permission: None,
            sandbox: pilothouse_core::sandbox::Sandbox {
                backend: Some(pilothouse_core::sandbox::Backend::Landlock),
                ..Default::default()
            },
            standing: pilothouse_core::trust::Standing::default(),
            found: Vec::new(),
        };
        bench.step(Input::Open(opening));
        bench
    }
    fn step(&mut self, input: Input) {
        let step = self.session.step(Millis(1_700_000_000_000), input).unwrap();
        self.blobs.extend(step.blobs.into_iter().map(|b| (b.id(), b.bytes().to_vec())));
        self.events.extend(step.events.into_iter().map(|e| (e.seq, e)));
        for effect in step.effects {
            if let Effect::Start(Work::Look { checkpoint, .. }) = effect {
                let of = pilothouse_core::blob::BlobId::of(b"");
                let folder = Thing { name: String::new(), path: String::new(), of };
                let meant = ResolvedCommand { folder, runs: Vec::new(), environment: of, unlost: None };
                self.step(Input::CommandResolved { checkpoint, meant });
            }
        }
    }
    fn lane(&self) -> &Lane {
        self.session.state().lanes.values().next_back().unwrap()
    }
    fn reply(&mut self, text: &str, calls: &[(&str, &str, &str)]) {
        let calls: Vec<ModelCall> = calls
            .iter()
            .map(|(id, name, args)| ModelCall {
                id: (*id).into(),
                name: (*name).into(),
                args: (*args).into(),
            })
            .collect();
        let finish = if calls.is_empty() { Finish::Stop } else { Finish::Calls };
        let reply =
            ModelReply { text: text.into(), calls, finish, model: "m".into(), ..ModelReply::default() };
        self.replied(reply);
    }
    fn replied(&mut self, reply: ModelReply) {
        let call = self.lane().thinking.unwrap();
        self.step(Input::Replied { call, reply: Ok(reply) });
    }
    /// The last result of a call that the model is told.
    fn result(&self) -> String {
        let messages = self.request().messages;
        messages.into_iter().rfind(|m| m.role == Role::Tool).unwrap().text
    }
    fn request(&self) -> ModelRequest {
        self.request_of(self.lane(), Window::of(None))
    }
    fn request_of(&self, lane: &Lane, window: Window) -> ModelRequest {
        self.prepared(lane, window).unwrap().request
    }
    fn prepared(&self, lane: &Lane, window: Window) -> Result<Prepared, Unprepared> {
        let around = Self::around(window);
        request(self.session.state(), lane.id, lane.offer(), Vec::new(), self, &around)
    }
    fn around(window: Window) -> Circumstances {
        Circumstances {
            skills: None,
            memory: std::sync::Arc::default(),
            now: Millis(1_700_000_000_000),
            utc_offset_minutes: 60,
            git: Git::Unknown,
            history: 200,
            window,
            project: None,
            prior: String::new(),
            may_call: true,
            unattended: false,
            checks: false,
            origin: "here".to_owned(),
            sources: Vec::new(),
        }
    }
}

fn shape(request: &ModelRequest) -> Vec<(Role, String)> {
    request.messages.iter().map(|m| (m.role, m.text.lines().next().unwrap_or_default().to_owned())).collect()
}

#[test]
fn a_question_is_told_with_what_was_said_before_and_where_the_session_stands_at_the_end() {
    let mut b = Bench::new();
    b.step(Input::say("what is in src?"));
    b.reply("files", &[]);
    b.step(Input::say("what does lib.rs do?"));
    let request = b.request();
    assert_eq!(
        shape(&request),
        [
            (Role::User, "what is in src?".to_owned()),
            (Role::Assistant, "files".to_owned()),
            (Role::User, "what does lib.rs do?".to_owned()),
            (Role::User, "<state>".to_owned()),
        ]
    );
    let now = &request.messages[3].text;
    for part in [
        "day: Tuesday 2023-11-14\n",
        "workspace: in<k>well\n",
        "path: ",
        "; you may list, read; to run more than reads may ask the user\n",
        "Now: answer",
    ] {
        assert!(now.contains(part), "{part} in {now}");
    }
}

#[test]
fn a_planning_is_promised_no_command_that_is_refused_there() {
    let mut b = Bench::new();
    b.step(Input::say("fix the bug in a.rs"));
    assert_eq!(b.lane().kind, LaneKind::Planning);
    let now = b.request().messages.pop().unwrap().text;
    assert!(now.contains("; a command may only read here: others belong into the plan"), "{now}");
    assert!(!Tool::Run.spec().contains("once the user allowed it"));
}

#[test]
fn what_is_to_be_done_is_told_by_what_the_work_at_hand_may_do() {
    let plan = |kind: &str| {
        let task = serde_json::json!({"title": "One", "kind": kind});
        serde_json::json!({"title": "P", "tasks": [task]}).to_string()
    };
    for (kind, told) in
        [("modify", "Propose the edits"), ("read", "It changes no file"), ("execute", "by running commands")]
    {
        let mut b = Bench::new();
        b.step(Input::say("fix the bug in a.rs"));
        b.reply("", &[("c1", "submit_plan", &plan(kind))]);
        b.step(Input::say("y"));
        let now = b.request().messages.last().unwrap().text.clone();
        assert!(now.contains(told), "{kind}: {now}");
        // A command that was approved may change files: nothing says otherwise.
        assert!(kind != "execute" || !now.contains("changes no file"), "{now}");
    }
    let mut b = Bench::new();
    b.step(Input::say("is a.rs right?"));
    b.reply("No. Shall I mend it?", &[]);
    b.step(Input::say("yes"));
    let now = b.request().messages.last().unwrap().text.clone();
    assert!(now.contains("Now: make the change that the user agreed to"), "{now}");
    // That it is checked afterwards is promised where it is.
    for checks in [false, true] {
        let around = Circumstances { checks, ..Bench::around(Window::of(None)) };
        let lane = b.lane();
        let asked = request(b.session.state(), lane.id, lane.offer(), Vec::new(), &b, &around).unwrap();
        let now = &asked.request.messages.last().unwrap().text;
        assert_eq!(now.contains("The workbench runs the check"), checks, "{now}");
    }
    // Where git stands is told as far as it is known.
    for (git, told) in [
        (Git::Outside, "workspace: in<k>well, no git repository\n"),
        (Git::Unknown, "workspace: in<k>well\n"),
        (Git::On("main".to_owned()), "workspace: in<k>well, branch main\n"),
    ] {
        let around = Circumstances { git, ..Bench::around(Window::of(None)) };
        let lane = b.lane();
        let asked = request(b.session.state(), lane.id, lane.offer(), Vec::new(), &b, &around).unwrap();
        let now = &asked.request.messages.last().unwrap().text;
        assert!(now.contains(told), "{told} in {now}");
    }
    let mut b = Bench::new();
    b.step(Input::say("run the tests"));
    let now = |b: &Bench| b.request().messages.last().unwrap().text.clone();
    assert!(now(&b).contains("ask with `request_path`"), "{}", now(&b));
    b.reply("", &[("c1", "request_path", "{\"node\":\"modify\",\"reason\":\"a test is red\"}")]);
    b.step(Input::say("y"));
    assert!(now(&b).contains("They allowed changes of files"), "{}", now(&b));
    // A step that was begun to look at something, and was let change it.
    let mut b = Bench::new();
    b.step(Input::say("fix the bug in a.txt"));
    b.reply("", &[("c1", "submit_plan", &plan("execute"))]);
    b.step(Input::say("y"));
    b.reply("", &[("c2", "request_path", "{\"node\":\"modify\",\"reason\":\"a test is red\"}")]);
    b.step(Input::say("y"));
    assert!(now(&b).contains("Propose the edits") && !now(&b).contains("changes no file"), "{}", now(&b));
}

#[test]
fn every_call_is_answered_and_long_results_are_cut_in_the_middle() {
    let mut b = Bench::new();
    b.step(Input::say("what is in src?"));
    b.reply("let me look", &[("p1", "list", "{}"), ("p2", "read", "{\"path\":\"a\"}")]);
    let call = b.lane().head().unwrap().call;
    let long = format!("first\n{}\nlast", "x".repeat(2 * RESULT_BYTES));
    b.step(Input::ToolEnded { call, outcome: ToolOutcome::text(long, "long") });
    let messages = b.request().messages;
    let tail = &messages[messages.len() - 4..];
    assert_eq!(tail[0].calls.len(), 2);
    assert_eq!(tail[1].answers.as_deref(), Some("p1"));
    assert!(
        tail[1].text.len() < RESULT_BYTES + 100
            && tail[1].text.starts_with("first")
            && tail[1].text.ends_with("last")
    );
    assert!(tail[1].text.contains("bytes left out"));
    assert_eq!((tail[2].answers.as_deref(), tail[2].text.starts_with("interrupted")), (Some("p2"), true));
    assert_eq!((tail[1].failed, tail[2].failed), (false, true));
    let call = b.lane().head().unwrap().call;
    b.step(Input::ToolEnded { call, outcome: ToolOutcome::failure("a is a folder") });
    let last = b.request().messages.into_iter().rfind(|m| m.role == Role::Tool).unwrap();
    assert_eq!((last.text.as_str(), last.failed), ("a is a folder", true));
}

#[test]
fn a_read_for_which_there_is_no_room_ends_at_a_line_and_says_where_it_goes_on() {
    let part = |lines: usize, behind: &str| {
        let line = |n| format!("{n:>6}  {}", "x".repeat(120));
        let text = (201..201 + lines).map(line).collect::<Vec<_>>().join("\n");
        let mut b = Bench::new();
        b.step(Input::say("what is in a?"));
        b.reply("", &[("p1", "read", "{\"path\":\"a\"}")]);
        let call = b.lane().head().unwrap().call;
        b.step(Input::ToolEnded { call, outcome: ToolOutcome::text(format!("{text}{behind}"), "lines") });
        let told = b.request_of(b.lane(), Window::of(Some(8_000))).messages;
        told.into_iter().rfind(|m| m.role == Role::Tool).unwrap().text
    };
    for (behind, total) in [("", 400), ("\n(lines 201-400 of 2000; go on with from: 401)", 2000)] {
        let told = part(200, behind);
        let last: usize =
            told.lines().rev().nth(1).unwrap().split_whitespace().next().unwrap().parse().unwrap();
        assert!((202..400).contains(&last), "{last}");
        assert_eq!(
            told.lines().next_back().unwrap(),
            format!("(lines 201-{last} of {total}; go on with from: {})", last + 1)
        );
        assert_eq!(told.lines().count(), last - 200 + 1, "none is missing between them");
    }
    assert_eq!(part(2, "").lines().count(), 2);
}

#[test]
fn what_two_cuts_leave_out_of_an_output_is_told_once_by_the_output_that_has_it() {
    let mut b = Bench::new();
    b.step(Input::say("run the tests"));
    let all = (1..60_000).map(|n: u32| n.to_string()).collect::<Vec<_>>().join("\n");
    let printed = Blob::new(all.clone().into_bytes());
    let (head, rest) = all.split_at(32 * 1024);
    let (_, tail) = rest.split_at(rest.len() - 32 * 1024);
    let mark = printed.id().left_out((all.len() - head.len() - tail.len()) as u64);
    let text = format!("exit 0, took 0.0 s\nstdout:\n{head}\n{mark}\n{tail}");
    allowed(&mut b, "make");
    came_to(&mut b, 0, ToolOutcome { output: Some(printed.clone()), ..ToolOutcome::text(text, "exit 0") });
    b.reply("", &[("c", "list", "{}")]);
    b.step(Input::ToolEnded { call: b.lane().head().unwrap().call, outcome: ToolOutcome::text("a", "a") });
    let messages = b.request().messages;
    let told = &messages.iter().find(|m| m.role == Role::Tool).unwrap().text;
    let marks = printed.id().marks_in(told);
    let [(at, left)] = &marks[..] else { panic!("{marks:?}") };
    assert_eq!(told.matches("left out").count(), 1);
    let (before, after) = (told.get(..at.start - 1).unwrap(), told.get(at.end + 1..).unwrap());
    let (_, before) = before.split_once("stdout:\n").unwrap();
    assert!(all.starts_with(before) && all.ends_with(after));
    assert_eq!(*left, (all.len() - before.len() - after.len()) as u64);
}

#[test]
fn only_the_last_messages_of_the_user_are_given_where_that_is_asked_for() {
    let mut b = Bench::new();
    for n in 0..30 {
        b.step(Input::say(format!("what is number {n} here?")));
        b.reply(&format!("it is {n}"), &[]);
    }
    b.step(Input::say("what is in src?"));
    let (lane, bounds) = (b.lane(), |most| telling::Bounds::of(most, 100_000));
    let said = |most: usize| telling::pieces(b.session.state(), lane, &b, &bounds(most)).len();
    assert_eq!((said(200), said(31), said(1)), (61, 61, 1));
    assert!((30..=40).contains(&said(20)), "{}", said(20));
}

#[test]
fn the_pinned_prompt_is_short_and_stays_the_same() {
    for purpose in [Purpose::Answer, Purpose::Plan, Purpose::Task, Purpose::Goal] {
        let text = system(purpose) + &instruction(purpose, Ending::Plain, Mode::Proof, true);
        assert!(text.len() < 2600, "{purpose:?}: {} bytes", text.len());
        assert_eq!(system(purpose), system(Purpose::Answer));
    }
}

#[test]
fn a_cut_text_says_what_is_missing() {
    let text = "ä".repeat(1000);
    let short = cut(&text, 300);
    assert!(short.len() < 360 && short.contains("bytes left out"), "{short}");
    assert_eq!(cut("abc", 3), "abc");
}

/// A command of the goal that ran, with its output.
fn ran(b: &mut Bench, command: &str, code: i32, output: &str) {
    allowed(b, command);
    ended(b, code, output);
}

/// A command of the goal that runs.
fn allowed(b: &mut Bench, command: &str) {
    b.reply("", &[("c", "run", &serde_json::json!({ "command": command }).to_string())]);
    let (id, kind) = b.session.state().open.iter().next().map(|(id, c)| (*id, c.kind.clone())).unwrap();
    let CheckpointKind::Risk(CommandQuestion { shown, .. }) = kind else { panic!("{kind:?}") };
    b.step(Input::Answer { checkpoint: id, answer: Answer::Approve, shown: Some(shown) });
}

fn ended(b: &mut Bench, code: i32, output: &str) {
    ended_with(b, code, output, Vec::new());
}

/// The same, and what can be done about it.
fn ended_with(b: &mut Bench, code: i32, output: &str, advice: Vec<pilothouse_core::tool::Advice>) {
    let text = format!("exit {code}, took 0.0 s\nstdout:\n{output}\nstderr:\nwarn {output}");
    came_to(b, code, ToolOutcome { advice, ..ToolOutcome::text(text, "exit") });
}

fn came_to(b: &mut Bench, code: i32, outcome: ToolOutcome) {
    let call = b.lane().head().unwrap().call;
    let exit = Exit {
        code: Some(code),
        signal: None,
        timed_out: false,
        took: Millis(5),
        process: None,
        put_back: false,
    };
    b.step(Input::ToolEnded {
        call,
        outcome: ToolOutcome { exit: Some(exit), failed: code != 0, ..outcome },
    });
}

#[test]
fn a_goal_is_told_every_command_with_its_streams_and_exit_code_and_stays_affordable() {
    let mut b = Bench::new();
    b.step(Input::say("run the tests"));
    let mut earlier: Vec<Message> = Vec::new();
    for n in 0..6 {
        ran(&mut b, &format!("make step{n}"), n, &format!("begin{n} {} end{n}", "x".repeat(60 * 1024)));
        let messages = b.request().messages;
        let (_, messages) = messages.split_last().unwrap();
        let newest = messages.last().unwrap();
        let whole = newest.text.contains("bytes left out");
        assert!(!whole && newest.text.len() > 120 * 1024, "64 KiB of each stream are read whole");
        // All but the last result is as it was, so that a provider's cache holds.
        let same = earlier.len().saturating_sub(1);
        assert_eq!(messages[..same], earlier[..same]);
        earlier = messages.to_vec();
    }
    let all: Vec<&str> = earlier.iter().map(|m| m.text.as_str()).collect();
    let all = all.join("\n");
    for n in 0..6 {
        assert!(all.contains(&format!("exit {n}, took")) && all.contains(&format!("begin{n}")));
        assert!(all.contains(&format!("end{n}")), "the end of standard error is kept");
        let asked = earlier.iter().flat_map(|m| &m.calls).any(|c| c.args.contains(&format!("make step{n}")));
        assert!(asked);
    }
    assert!(all.len() < COMMAND_BYTES + 6 * (RESULT_BYTES + 1024), "{}", all.len());
}

#[test]
fn a_repeated_failure_is_told_in_the_next_request_and_an_edited_line_as_well() {
    let mut b = Bench::new();
    b.step(Input::say("run the tests"));
    ran(&mut b, "make", 2, "no");
    assert!(!b.result().contains("do not repeat"));
    ran(&mut b, " make ", 2, "no");
    assert!(b.result().contains("do not repeat"));
    b.reply("", &[("c", "run", r#"{"command":"make all"}"#)]);
    let (id, kind) = b.session.state().open.iter().next().map(|(id, c)| (*id, c.kind.clone())).unwrap();
    let CheckpointKind::Risk(CommandQuestion { shown, .. }) = kind else { panic!("{kind:?}") };
    b.step(Input::Answer { checkpoint: id, answer: Answer::Line("make one".into()), shown: Some(shown) });
    ended(&mut b, 0, "yes");
    let last = b.result();
    assert!(last.contains("the user changed the command; this was run: make one"), "{last}");
}

#[test]
fn what_the_users_own_command_printed_is_known_in_the_next_turn() {
    let mut b = Bench::new();
    b.step(Input::say("!make"));
    ended(&mut b, 2, "<oops>");
    b.step(Input::say("why did that fail?"));
    let messages = b.request().messages;
    let said: Vec<&str> = messages.iter().map(|m| m.text.as_str()).collect();
    let asked = said.iter().position(|t| *t == "why did that fail?").unwrap();
    assert_eq!((said[0], asked), ("!make", said.len() - 2), "{said:?}");
    assert!(said[1].starts_with("<command_output>\nexit 2") && said[1].contains("<oops>"), "{}", said[1]);
}

#[test]
fn what_research_found_is_told_in_the_last_message_whatever_became_of_the_conversation() {
    let mut b = Bench::new();
    b.step(Input::say("what did you find out?"));
    let prior = "<orchestrator_prior_research>\n<query>why?</query>\n</orchestrator_prior_research>";
    let around = Circumstances { prior: prior.to_owned(), ..Bench::around(Window::of(None)) };
    let lane = b.lane();
    let told = request(b.session.state(), lane.id, lane.offer(), Vec::new(), &b, &around).unwrap().request;
    let last = &told.messages.last().unwrap().text;
    // State first, then what was found, then what is to be done now.
    let at = |part: &str| last.find(part).unwrap();
    assert!(at("</state>") < at(prior) && at(prior) < at("Now: answer"), "{last}");
    assert_eq!(told.messages.iter().filter(|m| m.text.contains("prior_research")).count(), 1);
}

#[test]
fn a_planning_is_told_the_plan_that_was_set_aside_and_what_of_it_is_done() {
    let mut b = Bench::new();
    b.step(Input::say("fix the bug in a.txt"));
    let task = |title: &str| serde_json::json!({"title": title, "kind": "read"});
    let plan = serde_json::json!({"title": "Two looks", "tasks": [task("One"), task("Two")]}).to_string();
    b.reply("", &[("c1", "submit_plan", &plan)]);
    b.step(Input::say("y"));
    b.reply("nothing to change: it is as it should be", &[]);
    b.step(Input::Cancel);
    b.step(Input::say("continue the plan, but look at b.txt as well"));
    assert_eq!(b.lane().kind, LaneKind::Planning);
    let now = b.request().messages.last().unwrap().text.clone();
    let told = "plan set aside, unfinished: Two looks\n1. One (stopped)\n2. Two (done)\n";
    assert!(now.contains(told), "{now}");
    b.step(Input::Cancel);
    b.step(Input::say("what is in b.txt?"));
    let now = b.request().messages.last().unwrap().text.clone();
    assert!(!now.contains("set aside"), "a question is asked about something else: {now}");
}

#[test]
fn sources_are_told_by_what_a_look_does_where_it_is_made() {
    let mut b = Bench::new();
    b.step(Input::say("fix the bug in a.txt"));
    let sources = vec!["tickets: the tracker (not started yet)".to_owned()];
    let around = Circumstances { sources, ..Bench::around(Window::of(None)) };
    let lane = b.lane().clone();
    let told = |lane: &Lane| now::sources(&around, Some(lane), b.session.state().learns_only(lane));
    let planning = told(&lane).unwrap();
    assert!(planning.contains("starts only one that the message names"), "{planning}");
    assert!(!planning.contains("and starts it for that"), "{planning}");
    let mut other = lane;
    other.kind = LaneKind::Task(pilothouse_core::ids::TaskId(1));
    let step = told(&other).unwrap();
    assert!(step.contains("what each has, and starts it for that;"), "{step}");
    // It has no tool to look one up with.
    other.kind = LaneKind::Child(pilothouse_core::ids::LaneId(1));
    assert_eq!(told(&other), None);
}

#[test]
fn a_goal_is_told_how_a_source_is_called_where_there_is_one() {
    let mut b = Bench::new();
    b.step(Input::say("run the build"));
    let lane = b.lane();
    let last = |sources: &[&str]| {
        let sources = sources.iter().map(|s| (*s).to_owned()).collect();
        let around = Circumstances { sources, ..Bench::around(Window::of(None)) };
        let told = request(b.session.state(), lane.id, lane.offer(), Vec::new(), &b, &around).unwrap();
        told.request.messages.last().unwrap().text.clone()
    };
    assert!(last(&["everything: adds numbers"]).contains("call them with source_call"));
    assert!(!last(&[]).contains("source_call"));
}

#[test]
fn what_is_said_while_a_reply_comes_is_told_behind_what_that_reply_did() {
    let mut b = Bench::new();
    b.step(Input::say("fix the bug in a.txt"));
    let plan = r#"{"title": "P", "tasks": [{"title": "One", "files": ["a.txt"]}]}"#;
    b.reply("", &[("c1", "submit_plan", plan)]);
    if let Some(asked) = b.session.state().open.values().next().cloned() {
        let (checkpoint, shown) = (asked.id, asked.kind.shown());
        b.step(Input::Answer { checkpoint, answer: Answer::Approve, shown });
    }
    b.step(Input::say("no, call it --extra, not --burst"));
    b.reply("", &[("c2", "list", "{}")]);
    let (call, outcome) = (b.lane().calls[0].call, ToolOutcome::text("a.txt", "1 file"));
    b.step(Input::ToolEnded { call, outcome });
    let told = shape(&b.request());
    let said = told.iter().position(|(_, text)| text.contains("--extra")).unwrap();
    assert_eq!(told[said].1, "(said while you worked) no, call it --extra, not --burst");
    assert_eq!((&told[said - 1], said), (&(Role::Tool, "a.txt".to_owned()), told.len() - 2), "{told:?}");
}

#[test]
fn what_kind_of_answer_a_message_wants_stands_in_the_last_message_alone() {
    for (said, wanted) in [
        ("summarize what lib.rs does", "Wanted is a summary"),
        ("where did that come from", "Wanted is where it comes from"),
        ("explain more about the cache", "Wanted is detail"),
        ("compare sqlx and diesel for our case", "Wanted is a comparison"),
        ("predict what happens if traffic doubles", "Wanted is what would follow"),
        ("analyze src/store.rs", "Wanted is what you find"),
    ] {
        let mut b = Bench::new();
        b.step(Input::say("what is in src?"));
        b.reply("files", &[]);
        b.step(Input::say(said));
        let (last, before) = b.request().messages.split_last().map(|(l, b)| (l.clone(), b.to_vec())).unwrap();
        let class = b.session.state().turns.values().next_back().map(|t| t.class.clone());
        assert!(last.text.contains(wanted), "{said}: {class:?} {}", last.text);
        assert!(before.iter().all(|m| !m.text.contains("Wanted is")), "{said}");
    }
}

/// What words answer, a bare stack trace among it, is not asked for as a plan in the same breath.
#[test]
fn a_planning_that_words_answer_is_told_one_thing() {
    let trace = "thread 'main' panicked at src/main.rs:4:10:\ncalled `Option::unwrap()` on a `None` value\n\
                 note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace";
    for said in [trace, "analyze src/store.rs", "compare sqlx and diesel for our case"] {
        let mut b = Bench::new();
        b.step(Input::say(said));
        let text = b.request().messages.pop().unwrap().text;
        let plans = ["plan in prose", "submit_plan", "belong into the plan"];
        assert!(!plans.iter().any(|words| text.contains(words)), "{said}: {text}");
        assert!(text.contains("in words") && text.contains("Wanted is"), "{said}: {text}");
    }
    let mut b = Bench::new();
    b.step(Input::say("fix the bug in a.txt"));
    assert!(b.request().messages.pop().unwrap().text.contains("End with a call of `submit_plan`"));
}

#[test]
fn nobody_is_sent_to_a_tool_that_is_not_offered_where_nothing_deeper_can_be_let() {
    for (said, sent) in
        [("how does the search work?", true), ("how does it work? don't change anything", false)]
    {
        let mut b = Bench::new();
        b.step(Input::say(said));
        let text = b.request().messages.pop().unwrap().text;
        assert_eq!(text.contains("`request_path`"), sent, "{text}");
        assert!(text.contains("answer the user's last message. You may read. "), "{text}");
    }
}

/// MOD-06: the same name is the value that is known, a new name is found out anew.
#[test]
fn in_proof_mode_a_step_has_the_values_of_the_facts_that_it_names_and_no_other() {
    let mut b = Bench::new();
    b.step(Input::say("/proof"));
    b.step(Input::say("what is in src?"));
    b.reply("", &[("c", "list", "{}")]);
    let fact = |name: &str, value: &str| FactDraft {
        name: name.into(),
        value: value.into(),
        source: FactSource::User,
        because: Vec::new(),
        confidence: 90,
        checked: true,
    };
    let facts = vec![fact("q4_revenue", "12 million"), fact("head count", "40 people")];
    let outcome = ToolOutcome { facts, ..ToolOutcome::text("a.rs", "1 file") };
    let call = b.lane().calls[0].call;
    b.step(Input::ToolEnded { call, outcome });
    b.reply("a.rs", &[]);
    b.step(Input::say("fix the sum of the revenue in src/a.rs"));
    let told = |b: &Bench| b.request().messages.pop().unwrap().text;
    let planned = told(&b);
    assert_eq!(b.lane().kind, LaneKind::Planning);
    assert!(
        planned.contains("q4_revenue (the user said so)") && !planned.contains("12 million"),
        "{planned}"
    );
    let plan =
        r#"{"title": "P", "tasks": [{"title": "Add q4_revenue and q3_revenue", "files": ["src/a.rs"]}]}"#;
    b.reply("", &[("p", "submit_plan", plan)]);
    b.step(Input::say("y"));
    let step = told(&b);
    assert!(step.contains("q4_revenue: 12 million (the user said so; checked)"), "{step}");
    assert!(step.contains("head count (the user said so)") && !step.contains("40 people"), "{step}");
    let facts = step.split("<facts>").nth(1).unwrap().split("</facts>").next().unwrap();
    assert!(!facts.contains("q3_revenue"), "{facts}");
}

#[test]
fn a_gate_is_told_to_the_model_as_what_became_of_it() {
    let told = |deny: bool| {
        let mut b = Bench::new();
        let rule = Origin { source: Source::User, file: "permissions.toml".into(), line: 1 };
        let rules = deny.then(|| Rule::parse("deny command make lint", rule).unwrap());
        b.session.set_policy(Arc::new(Policy::new(rules.into_iter().collect(), Places::default())));
        b.step(Input::say("fix the bug in a.txt"));
        let plan = r#"{"title": "P", "tasks": [{"title": "One"}, {"title": "Two"}], "gates": [{"name": "lint", "command": "make lint", "after": [1]}]}"#;
        b.reply("", &[("c", "submit_plan", plan)]);
        b.step(Input::say("y"));
        b.reply("nothing to change: it is right", &[]);
        if !deny {
            b.step(Input::say("n"));
        }
        b.request().messages.into_iter().map(|m| m.text).collect::<Vec<_>>().join("\n")
    };
    let refused = told(true);
    assert!(refused.contains("gate lint: not run (a rule or a hook refuses it)"), "{refused}");
    assert!(refused.contains("`make lint` (a rule or a hook refuses it)"), "{refused}");
    let skipped = told(false);
    assert!(skipped.contains("the user skipped gate lint"), "{skipped}");
    assert!(
        skipped.contains("`make lint` (the user skipped it)") && !skipped.contains("left out"),
        "{skipped}"
    );
}

#[test]
fn a_step_is_told_of_the_gates_that_are_due_after_it_and_of_no_others() {
    let mut b = Bench::new();
    b.step(Input::say("fix the bug in a.txt"));
    let plan = r#"{"title": "P", "tasks": [{"title": "Write a failing test", "files": ["t"]}, {"title": "Mend it", "files": ["a.txt"], "after": [1]}], "gates": [{"name": "tests", "command": "make test", "after": [2]}]}"#;
    b.reply("", &[("c", "submit_plan", plan)]);
    b.step(Input::say("y"));
    let now = |b: &Bench| b.request().messages.last().unwrap().text.clone();
    let first = now(&b);
    assert!(first.contains("gate tests: `make test` (after 2; the workbench runs it itself)"), "{first}");
    assert!(first.contains("No gate is due after this task") && !first.contains("run the gates"), "{first}");
    b.reply("nothing to change: it is there", &[]);
    let second = now(&b);
    assert!(second.contains("(due after this task; the workbench runs it itself then)"), "{second}");
    assert!(second.contains("run the gates that the state calls due"), "{second}");
}

#[test]
fn a_planning_after_a_failure_is_told_what_failed() {
    let mut b = Bench::new();
    b.step(Input::say("fix the bug in a.txt"));
    b.reply("", &[("c", "submit_plan", r#"{"title": "P", "tasks": [{"title": "One"}, {"title": "Two"}]}"#)]);
    b.step(Input::say("y"));
    let (kind, message, hint) = (FaultKind::Unreachable, "the model went away".to_owned(), String::new());
    let call = b.lane().thinking.unwrap();
    b.step(Input::Replied { call, reply: Err(Fault { kind, message, hint, status: None }) });
    b.step(Input::say("p"));
    assert_eq!(b.lane().kind, LaneKind::Planning);
    let told = b.request().messages.into_iter().map(|m| m.text).collect::<Vec<_>>().join("\n");
    assert!(told.contains("task 1 of 2 failed: the model went away"), "{told}");
}
