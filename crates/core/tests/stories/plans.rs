//! Plans: their versions, as files, and where they pause.

use std::sync::Arc;

use pilothouse_core::{
    blob::BlobId,
    checkpoint::{Answer, CheckpointKind},
    event::{CallStatus, Event, FileChange},
    ids::{CallId, ProposalId, TaskId},
    input::Input,
    intent::Phase,
    plan::{Listed, Pause, Revision, TaskStatus, Workspace},
    relpath::RelPath,
    runs::RunInfo,
    scope::PermissionMode,
    session::Bounds,
    shell::Target,
    talk::{ModelCall, ModelReply, Usage},
    tool::{ChangeKind, Tool, ToolOutcome, Wrote},
    work::Work,
};

use serde_json::json;

use crate::{phase, support::*};

#[test]
fn a_version_that_was_replaced_can_be_looked_at() {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify"), ("Two", "modify")], &[]);
    let text = b.session.state().plan.as_ref().unwrap().document().replace("Two", "Two, then rest");
    b.input(Input::EditPlan { text, version: 1 }).unwrap();
    b.say("/replan");
    b.plan(&[("Two, then rest", "modify"), ("Three", "read")], &[]);
    let state = b.session.state();
    let plan = state.plan.as_ref().unwrap();
    let titles =
        |p: &pilothouse_core::plan::Plan| p.tasks.iter().map(|t| t.title.clone()).collect::<Vec<_>>();
    let before: Vec<_> = state.versions_before(plan).into_iter().map(|p| (p.version, titles(p))).collect();
    assert_eq!(plan.version, 3);
    assert_eq!(before[0], (1, vec!["One".to_owned(), "Two".to_owned()]));
    assert_eq!(before[1], (2, vec!["One".to_owned(), "Two, then rest".to_owned()]));
    b.say("/plan");
    let told = b.notices().pop().unwrap();
    assert!(told.starts_with("Plan (v3 since v2: + 1 added, - 1 removed)"), "{told}");
    assert!(told.ends_with("+ 2. [ ] Three\n- One"), "{told}");
    b.say("/plan show 2");
    assert!(b.notices().pop().unwrap().contains("~ 2. [ ] Two, then rest (was: Two)"));
    let no = b.input(Input::say("/plan show 9")).unwrap_err();
    assert_eq!(no.reason, "the plan has no v9; it has v1, v2, v3");
    b.answer(is_plan, Answer::Approve).unwrap();
}

#[test]
fn a_plan_that_was_set_aside_and_made_anew_is_its_next_version() {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify"), ("Two", "modify")], &[]);
    b.answer(is_plan, Answer::Abort).unwrap();
    b.say("/replan");
    b.plan(&[("One", "modify"), ("Other", "modify")], &[]);
    let plan = b.session.state().plan.clone().unwrap();
    assert_eq!(plan.version, 2);
    assert_eq!(b.session.state().versions_before(&plan).len(), 1);
    b.answer(is_plan, Answer::Abort).unwrap();
    b.say("fix the bug in b.txt");
    b.plan(&[("New", "modify"), ("Work", "modify")], &[]);
    let plan = b.session.state().plan.clone().unwrap();
    assert_eq!((plan.version, b.session.state().versions_before(&plan).len()), (1, 0));
}

fn pause(b: &Bench) -> Option<String> {
    b.session
        .state()
        .phase_question()
        .filter(|q| matches!(q.kind, CheckpointKind::Paused(_)))
        .map(|q| q.message.clone())
}

#[test]
fn a_run_pauses_before_a_step_and_goes_on_when_it_is_told() {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify"), ("Two", "modify"), ("Three", "modify")], &[]);
    let first = b.session.state().open[&b.question(is_plan)].kind.shown();
    b.input(Input::SetPause(Pause::Step(TaskId(2)), true)).unwrap();
    let id = b.question(is_plan);
    assert!(b.input(Input::Answer { checkpoint: id, answer: Answer::Approve, shown: first }).is_err());
    b.answer(is_plan, Answer::Approve).unwrap();
    b.input(Input::SetPause(Pause::Step(TaskId(3)), true)).unwrap();
    b.reply("nothing to do", &[]);
    assert_eq!(pause(&b).unwrap(), "Paused before step 2: Two");
    assert!(b.session.state().run_lane().is_none() && !b.session.state().busy());
    b.say("go on");
    b.reply("nothing to do", &[]);
    assert_eq!(pause(&b).unwrap(), "Paused before step 3: Three");
    b.say("stop");
    assert_eq!(phase(&b), Phase::Idle);
    let plan = b.session.state().suspended.clone().unwrap();
    assert_eq!((plan.tasks[1].pause, plan.tasks[2].pause), (false, true), "what was not answered stays");
}

#[test]
fn a_plan_made_anew_pauses_where_the_user_said_and_where_the_settings_say() {
    let mut b = Bench::new();
    b.session.set_bounds(Bounds { pauses: vec![Pause::Lines(200)], ..Bounds::default() });
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify"), ("Two", "modify")], &[]);
    for pause in [Pause::Step(TaskId(2)), Pause::FirstWrite] {
        b.input(Input::SetPause(pause, true)).unwrap();
    }
    b.say("n");
    b.say("with a third step");
    b.plan(&[("One", "modify"), ("Between", "modify"), ("Two", "modify")], &[]);
    let plan = b.session.state().plan.clone().unwrap();
    assert_eq!(plan.version, 2);
    assert!(plan.pauses.contains(&Pause::FirstWrite) && plan.pauses.contains(&Pause::Lines(200)));
    assert_eq!(plan.tasks.iter().map(|t| t.pause).collect::<Vec<_>>(), [false, false, true]);
}

/// A plan of two steps that touch different files, so that they are at work at the same time.
fn apart(b: &mut Bench) {
    b.say("fix the bug in a.txt");
    let args = serde_json::json!({"title": "P", "tasks": [
        {"title": "One", "files": ["a.txt"]}, {"title": "Two", "files": ["b.txt"]}
    ]});
    b.reply("", &[("submit_plan", args)]);
}

#[test]
fn a_step_with_a_pause_does_not_begin_beside_another() {
    let mut b = Bench::new();
    apart(&mut b);
    b.input(Input::SetPause(Pause::Step(TaskId(2)), true)).unwrap();
    b.answer(is_plan, Answer::Approve).unwrap();
    assert_eq!(b.session.state().run_lanes().count(), 1, "the second waits for the pause");
    b.reply("nothing to do", &[]);
    assert_eq!(pause(&b).unwrap(), "Paused before step 2: Two");
    b.say("go on");
    assert_eq!(b.session.state().run_lanes().count(), 1);
}

#[test]
fn a_pause_takes_the_place_of_no_question_and_lets_nothing_through_meanwhile() {
    let mut b = Bench::new();
    b.session.set_bounds(Bounds { pauses: vec![Pause::FirstWrite], ..Bounds::default() });
    b.input(Input::SetPermission(PermissionMode::Auto)).unwrap();
    apart(&mut b);
    assert_eq!(b.session.state().run_lanes().count(), 2);
    b.reply("", &[("edit", edit_of("a.txt"))]);
    b.propose("a.txt", "1\n", "2\n");
    b.reply("", &[("ask_user", serde_json::json!({"question": "Which database?"}))]);
    b.reply("done", &[]);
    let asks = |b: &Bench| b.session.state().phase_question().map(|q| q.message.clone());
    assert_eq!(asks(&b).unwrap(), "Which database?", "it is still asked");
    let writes = |b: &Bench| b.session.pending().values().any(|w| matches!(w, Work::Prepare { .. }));
    assert!(!writes(&b), "and nothing is written");
    b.say("the small one");
    assert!(pause(&b).unwrap().contains("before the first change"), "{:?}", asks(&b));
    assert!(!writes(&b));
    b.say("go on");
    assert!(writes(&b));
}

#[test]
fn a_plan_is_edited_where_its_run_pauses_and_what_is_done_stays_done() {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify"), ("Two", "modify")], &[]);
    b.input(Input::SetPause(Pause::Step(TaskId(2)), true)).unwrap();
    b.answer(is_plan, Answer::Approve).unwrap();
    b.reply("nothing to do", &[]);
    let text = b.session.state().plan.as_ref().unwrap().document();
    assert!(text.contains("pause: before"));
    b.input(Input::EditPlan { text: text.replace("Two", "Second"), version: 1 }).unwrap();
    assert_eq!(phase(&b), Phase::AwaitingApproval);
    let plan = b.session.state().plan.clone().unwrap();
    assert_eq!((plan.version, plan.tasks[0].status), (2, TaskStatus::Done));
    b.answer(is_plan, Answer::Approve).unwrap();
    assert_eq!(pause(&b).unwrap(), "Paused before step 2: Second");
}

/// A step with a change that nobody would look at, before which its run is to pause.
pub fn unseen_change() -> Bench {
    let mut b = Bench::new();
    b.session.set_bounds(Bounds { pauses: vec![Pause::FirstWrite], ..Bounds::default() });
    b.input(Input::SetPermission(PermissionMode::Auto)).unwrap();
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify"), ("Two", "modify")], &[]);
    b.reply("", &[("edit", edit_of("a.txt"))]);
    b.propose("a.txt", "one\n", "two\n");
    b
}

#[test]
fn the_first_change_that_nobody_looks_at_waits() {
    let mut b = unseen_change();
    b.reply("done", &[]);
    assert_eq!(pause(&b).unwrap(), "Paused before the first change");
    assert!(b.session.state().applies().is_empty(), "nothing is written");
    b.answer(|k| matches!(k, CheckpointKind::Paused(_)), Answer::Continue).unwrap();
    b.write();
    assert_eq!(b.session.state().ledger().len(), 1);
    assert_eq!(pause(&b), None, "asked once");
    b.reply("nothing to do", &[]);
    assert_eq!(phase(&b), Phase::Idle);
}

#[test]
fn so_many_lines_or_such_a_sum_make_a_run_pause() {
    let mut b = Bench::new();
    b.session.set_bounds(Bounds { pauses: vec![Pause::Lines(1), Pause::Micros(500)], ..Bounds::default() });
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify"), ("Two", "modify")], &[]);
    b.answer(is_plan, Answer::Approve).unwrap();
    b.reply("", &[("edit", edit_of("a.txt"))]);
    b.propose("a.txt", "one\n", "two\n");
    b.reply("done", &[]);
    b.approve_all(None).unwrap();
    let (apply, mut files) = (b.writing(), b.prepared());
    (files[0].added, files[0].removed) = (1, 1);
    b.input(Input::ApplyPrepared { apply, files: Ok((files, Vec::new())) }).unwrap();
    b.input(Input::ApplyEnded { apply, result: Ok(()) }).unwrap();
    assert_eq!(pause(&b).unwrap(), "Paused: 2 lines changed, over the limit of 1");
    b.say("c");
    let call = b.thinking();
    let usage = Usage { cost_micros: Some(20_000), ..Usage::default() };
    let read = ModelCall { id: "c".into(), name: "read".into(), args: r#"{"path":"a.txt"}"#.into() };
    let reply = ModelReply { calls: vec![read], usage, ..ModelReply::default() };
    b.input(Input::Replied { call, reply: Ok(reply) }).unwrap();
    b.end_tool(ToolOutcome::text("two", "read a.txt"));
    assert_eq!(pause(&b).unwrap(), "Paused: $0.02 spent, over the limit of $0.0005");
    assert!(!b.session.state().busy());
    b.say("go on");
    b.reply("nothing to do", &[]);
    assert_eq!(phase(&b), Phase::Idle);
}

#[test]
fn a_pause_outlives_a_restart_and_is_answered_by_taking_the_plan_up() {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify"), ("Two", "modify"), ("Three", "modify")], &[]);
    b.input(Input::SetPause(Pause::Step(TaskId(2)), true)).unwrap();
    b.input(Input::SetPause(Pause::Step(TaskId(3)), true)).unwrap();
    b.answer(is_plan, Answer::Approve).unwrap();
    b.reply("nothing to do", &[]);
    assert!(pause(&b).is_some());
    b.input(Input::Open(opening())).unwrap();
    assert_eq!((pause(&b), phase(&b)), (None, Phase::Idle));
    assert!(!b.session.state().busy());
    b.say("/redo");
    b.answer(is_plan, Answer::Approve).unwrap();
    b.reply("nothing to do", &[]);
    assert_eq!(pause(&b).unwrap(), "Paused before step 3: Three", "where nobody was asked yet");
}

#[test]
fn a_pause_that_nobody_answered_holds_after_a_crash_and_one_that_was_told_does_not() {
    for pauses in [vec![Pause::FirstWrite], vec![Pause::Lines(1)]] {
        let mut b = Bench::new();
        b.session.set_bounds(Bounds { pauses: pauses.clone(), ..Bounds::default() });
        b.input(Input::SetPermission(PermissionMode::Auto)).unwrap();
        b.say("fix the bug in a.txt");
        b.plan(&[("One", "modify"), ("Two", "modify")], &[]);
        b.reply("", &[("edit", edit_of("a.txt"))]);
        b.propose("a.txt", "1\n2\n", "1\n3\n");
        b.reply("done", &[]);
        let asked = pause(&b).unwrap();
        let again = |b: &mut Bench| {
            b.input(Input::Open(opening())).unwrap();
            assert_eq!((pause(b), b.session.pending().len()), (None, 0));
            b.say("/redo");
            if b.session.state().phase == Phase::AwaitingApproval {
                b.answer(is_plan, Answer::Approve).unwrap();
            }
        };
        let writes = |b: &Bench| b.session.pending().values().any(|w| matches!(w, Work::Prepare { .. }));
        for _ in 0..2 {
            again(&mut b);
            assert_eq!(pause(&b), Some(asked.clone()), "{pauses:?}");
            assert!(!writes(&b));
        }
        // A run without a screen ends there, says how to go on, and leaves the pause out of the plan.
        b.input(Input::SetPause(pauses[0], false)).unwrap();
        assert_eq!(pause(&b), Some(asked), "what is asked stays asked");
        again(&mut b);
        assert_eq!(pause(&b), None, "{pauses:?}");
        assert!(writes(&b));
    }
}

/// The plan that a session is to read from a file.
fn sought(b: &Bench) -> Option<(CallId, String)> {
    b.session.pending().values().find_map(|w| match w {
        Work::ReadPlan { call, path } => Some((*call, path.to_string())),
        _ => None,
    })
}

#[test]
fn a_plan_that_waits_to_be_written_as_a_file_is_no_answer_that_is_being_given() {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify"), ("Two", "modify")], &[]);
    b.say("/plan export");
    let (call, _) = b.tool();
    b.input(Input::ToolEnded { call, outcome: proposing("plan.md", "", "# P\n") }).unwrap();
    b.question(is_diff);
    assert_eq!((b.session.state().answering(), b.session.state().lines_beside()), (None, 0));
    assert!(b.input(Input::StopAnswer).is_err(), "Esc touches no proposal");
    assert_eq!(b.session.state().open_proposals().count(), 1);
    b.input(Input::Cancel).unwrap();
    assert_eq!((phase(&b), b.session.state().open_proposals().count()), (Phase::Idle, 1), "the plan first");
    b.input(Input::Cancel).unwrap();
    assert_eq!((b.session.state().open_proposals().count(), b.session.state().set_aside().count()), (0, 1));
}

fn import(b: &mut Bench, text: &str) {
    b.say("/plan import docs/plan.md");
    let (call, path) = sought(b).unwrap();
    assert_eq!(path, "docs/plan.md");
    b.input(Input::PlanRead { call, result: Ok(text.to_owned()) }).unwrap();
    assert_eq!(sought(b), None);
}

const FILE: &str = "# Greet\n## Steps\n1. [x] One\n2. [ ] Two\n   needs: 1\n   files: a.txt\n- [-] Never\n";

#[test]
fn a_plan_from_a_file_waits_for_a_yes_and_does_what_is_left() {
    let mut b = Bench::new();
    import(&mut b, FILE);
    assert_eq!(phase(&b), Phase::AwaitingApproval);
    let plan = b.session.state().plan.clone().unwrap();
    assert_eq!((plan.version, plan.title.as_str()), (1, "Greet"));
    assert!(b.session.state().beyond_asked().is_none(), "its steps are what was asked for");
    let told = b.notices().pop().unwrap();
    assert!(
        told.starts_with("docs/plan.md marks this as done, but none of it was done here: One."),
        "{told}"
    );
    b.answer(is_plan, Answer::Approve).unwrap();
    let running = b.session.state().plan.as_ref().unwrap().tasks.iter().map(|t| t.status);
    let wanted = [TaskStatus::Running, TaskStatus::Pending, TaskStatus::Skipped];
    assert_eq!(running.collect::<Vec<_>>(), wanted, "a mark in a file is nobody's word for it");
}

#[test]
fn a_step_of_a_file_is_done_where_this_session_did_it() {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify"), ("Two", "modify"), ("Three", "modify")], &[]);
    b.answer(is_plan, Answer::Approve).unwrap();
    b.reply("nothing to do", &[]);
    b.say("stop");
    let file = b.session.state().suspended.as_ref().unwrap().document();
    let file = file.replace("2. [-] Two", "2. [x] Two").replace("3. [-] Three", "3. [ ] Three");
    import(&mut b, &file);
    b.answer(is_plan, Answer::Approve).unwrap();
    let statuses = b.session.state().plan.as_ref().unwrap().tasks.iter().map(|t| t.status);
    let wanted = [TaskStatus::Done, TaskStatus::Running, TaskStatus::Pending];
    assert_eq!(statuses.collect::<Vec<_>>(), wanted, "what is done is not done again");
    // Another instruction under the same name is another step.
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify"), ("Two", "modify")], &[]);
    b.answer(is_plan, Answer::Approve).unwrap();
    b.reply("nothing to do", &[]);
    b.say("stop");
    let file = b.session.state().suspended.as_ref().unwrap().document();
    import(&mut b, &file.replacen("files: a.txt", "files: b.txt", 1));
    assert_eq!(b.session.state().plan.as_ref().unwrap().tasks[0].status, TaskStatus::Pending);
}

#[test]
fn a_plan_from_a_file_is_the_next_version_of_the_one_that_waits() {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify"), ("Two", "modify")], &[]);
    import(&mut b, FILE);
    let plan = b.session.state().plan.clone().unwrap();
    assert_eq!((plan.version, b.session.state().versions_before(&plan).len()), (2, 1));
    assert!(b.session.state().beyond_asked().is_none(), "it goes on with what was asked for");
    assert!(b.notices().iter().any(|n| n == "The plan that was waiting is now v1; /plan show v1 lists it."));
    assert_eq!(b.session.state().earlier.len(), 0);
    b.answer(is_plan, Answer::Approve).unwrap();
    let no = b.input(Input::say("/plan import docs/plan.md")).unwrap_err();
    assert_eq!(no.reason, "a run is under way; import a plan when it has ended");
}

#[test]
fn a_plan_from_a_file_without_a_step_of_the_one_that_waits_sets_that_aside() {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.plan(&[("Mend the parser", "modify"), ("Test it", "modify")], &[]);
    import(&mut b, "# Other\n## Steps\n1. [ ] Rename everything\n   kind: create\n   files: z.txt\n");
    let said = "The waiting plan \"Plan\" is set aside; /proposals plan brings it back.";
    assert!(b.notices().iter().any(|n| n == said), "{:?}", b.notices());
    b.say("/proposals");
    assert!(b.notices().iter().any(|n| n.contains("the plan \"Plan\", 0 of 2 steps done")));
    b.answer(is_plan, Answer::Abort).unwrap();
    b.say("/proposals plan");
    assert!(matches!(phase(&b), Phase::AwaitingApproval));
}

#[test]
fn a_file_that_is_no_plan_changes_nothing_and_says_where_it_is_wrong() {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify"), ("Two", "modify")], &[]);
    let before = b.session.state().plan.clone();
    import(&mut b, "# T\n## Steps\n1. [ ] A\n   needs: 2\n2. [ ] B\n   needs: 1\n");
    assert_eq!(
        b.notices().pop().unwrap(),
        "docs/plan.md:4: steps wait for each other in a circle: 1, 2; break it"
    );
    assert_eq!(b.session.state().plan, before);
    b.question(is_plan);
    b.say("/plan import docs/plan.md");
    let (call, _) = sought(&b).unwrap();
    b.input(Input::PlanRead { call, result: Err("docs/plan.md: no such file".to_owned()) }).unwrap();
    assert_eq!(b.notices().pop().unwrap(), "docs/plan.md: no such file");
    assert!(b.input(Input::PlanRead { call, result: Ok(FILE.to_owned()) }).is_err(), "only once");
    let no = b.input(Input::say("/plan import ../plan.md")).unwrap_err();
    assert!(no.reason.contains("not a path inside the workspace"), "{no}");
}

#[test]
fn lines_that_a_command_changed_count_and_a_sum_that_nobody_can_count_is_said() {
    let mut b = Bench::new();
    b.session.set_bounds(Bounds { pauses: vec![Pause::Lines(5), Pause::Micros(500)], ..Bounds::default() });
    b.say("fix the bug in a.txt");
    let task = |title| serde_json::json!({ "title": title, "files": ["a.txt"] });
    let args = serde_json::json!({ "title": "Plan", "tasks": [task("One"), task("Two")] }).to_string();
    let plan = ModelCall { id: "p".into(), name: "submit_plan".into(), args };
    let usage = Usage { input: 900, output: 100, ..Usage::default() };
    let reply = ModelReply { calls: vec![plan], usage, ..ModelReply::default() };
    b.input(Input::Replied { call: b.thinking(), reply: Ok(reply) }).unwrap();
    b.answer(is_plan, Answer::Approve).unwrap();
    assert!(b.notices().iter().any(|n| n.contains("dollars cannot be counted")), "{:?}", b.notices());
    b.reply("", &[("run", serde_json::json!({ "command": "cargo fmt" }))]);
    b.answer(is_risk, Answer::Approve).unwrap();
    let files = vec![FileChange {
        proposal: ProposalId(0),
        path: RelPath::new("a.txt").unwrap(),
        kind: ChangeKind::Modify,
        before: Some(BlobId::of(b"one")),
        after: Some(BlobId::of(b"two")),
        mode: None,
        added: 4,
        removed: 2,
        lines: 4,
        rest: None,
        changes: Vec::new(),
    }];
    let wrote = Wrote { files, count: 1, record: Some(BlobId::of(b"record")), ..Wrote::default() };
    b.end_tool(ToolOutcome { wrote: Some(Box::new(wrote)), ..exited(0, "") });
    assert_eq!(pause(&b).unwrap(), "Paused: 6 lines changed, over the limit of 5");
}

#[test]
fn a_list_says_of_a_plan_that_waits_what_waits() {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify"), ("Two", "modify")], &[]);
    let of = |b: &Bench| {
        let run = RunInfo::of(b.session.state());
        (run.title, run.doing)
    };
    let waits = "a plan of 2 steps waits for your yes";
    assert_eq!(of(&b), ("Plan".to_owned(), waits.to_owned()));
    b.say("/rename Release");
    assert_eq!(of(&b), ("Release".to_owned(), format!("Plan: {waits}")), "what it is about is named");
}

#[test]
fn a_plan_from_a_file_is_held_to_proof_mode_like_any_other() {
    let mut b = Bench::new();
    b.say("/proof");
    import(&mut b, FILE);
    let told = b.notices().pop().unwrap();
    assert!(told.starts_with("docs/plan.md: in proof mode every task names the files"), "{told}");
    assert!(told.ends_with("these name none: One; Never"), "{told}");
    assert_eq!(b.session.state().plan, None);
}

/// A folder in which these files are.
#[derive(Debug)]
struct Here(&'static [&'static str]);

impl Workspace for Here {
    fn has(&self, path: &RelPath) -> bool {
        self.0.contains(&path.as_str())
    }
}

/// A plan in proof mode, by the tasks as its model gives them; what the model is told where it is not taken.
fn proven(tasks: &serde_json::Value) -> Option<String> {
    let mut b = Bench::new();
    b.session.set_files(Arc::new(Here(&["sales.csv", "src", "src/a.rs"])));
    b.say("/proof");
    b.say("fix the bug in a.txt");
    b.reply("", &[("submit_plan", json!({"title": "P", "tasks": tasks}))]);
    let told = b.log.iter().rev().find_map(|e| match &e.event {
        Event::CallEnded { status: CallStatus::Failed, result, .. } => result.whole().map(str::to_owned),
        _ => None,
    });
    assert_eq!(b.session.state().plan.is_some(), told.is_none());
    told
}

/// A folder whose Makefile has two targets.
#[derive(Debug)]
struct Made;

impl Workspace for Made {
    fn has(&self, _path: &RelPath) -> bool {
        true
    }

    fn without(&self, target: &Target) -> Option<Listed> {
        let names = ["all".to_owned(), "test".to_owned()];
        (target.program == "make" && !names.contains(&target.name))
            .then(|| Listed { file: "Makefile".to_owned(), names: names.to_vec() })
    }
}

#[test]
fn a_gate_that_asks_for_what_is_not_there_is_told_to_whom_plans_it() {
    let told = |task: serde_json::Value, command: &str| {
        let mut b = Bench::new();
        b.session.set_files(Arc::new(Made));
        b.say("fix the bug in a.c");
        let run = json!({"title": "Run it", "kind": "execute"});
        let gates = json!([{"command": command}]);
        b.reply("", &[("submit_plan", json!({"title": "P", "tasks": [task, run], "gates": gates}))]);
        let told = b.log.iter().rev().find_map(|e| match &e.event {
            Event::CallEnded { status: CallStatus::Failed, result, .. } => result.whole().map(str::to_owned),
            _ => None,
        });
        assert_eq!(b.session.state().plan.is_some(), told.is_none(), "{told:?}");
        told
    };
    let fix = json!({"title": "Fix it", "files": ["a.c"]});
    assert_eq!(
        told(fix.clone(), "make all && make check").unwrap(),
        "gate 1: Makefile has no `check`; it has all, test: give a line that is there, leave the gate out, or name Makefile among the files of the step that adds `check`"
    );
    // What is there, what another program knows, and what a step may add is let be.
    assert_eq!(told(fix.clone(), "make -s test"), None);
    assert_eq!(told(fix, "cargo check"), None);
    assert_eq!(told(json!({"title": "Add a target", "files": ["Makefile"]}), "make check"), None);
    assert_eq!(told(json!({"title": "Fix it"}), "make check"), None, "it names no file, so it may be any");
}

#[test]
fn a_plan_knows_which_of_its_files_are_not_there_once_somebody_can_look() {
    let missing = |files: Option<&'static [&'static str]>| {
        let mut b = Bench::new();
        if let Some(files) = files {
            b.session.set_files(Arc::new(Here(files)));
        }
        b.say("fix the bug in a.rs");
        let tasks =
            json!([{"title": "Fix it", "files": ["b.rs", "a.rs"]}, {"title": "Say it", "files": ["b.rs"]}]);
        b.reply("", &[("submit_plan", json!({"title": "P", "tasks": tasks}))]);
        let missing = b.session.state().plan.as_ref().unwrap().missing.clone();
        missing.map(|all| all.iter().map(ToString::to_string).collect::<Vec<_>>())
    };
    assert_eq!(missing(None), None);
    assert_eq!(missing(Some(&["a.rs"])), Some(vec!["b.rs".to_owned()]));
    assert_eq!(missing(Some(&["a.rs", "b.rs"])), Some(Vec::new()));
}

#[test]
fn in_proof_mode_what_is_done_rests_on_nothing_any_more() {
    let task = |file: &str, after: &[u64]| json!({"title": format!("Change {file}"), "files": [file], "after": after});
    let submit = |b: &mut Bench, tasks: &[serde_json::Value]| {
        b.reply("", &[("submit_plan", json!({"title": "P", "tasks": tasks}))]);
    };
    let (gone, left, more) = (task("old.rs", &[]), task("a.rs", &[1]), task("b.rs", &[2]));
    // With the step that is done, and without it.
    for anew in [vec![gone.clone(), left.clone()], vec![task("a.rs", &[])]] {
        let mut b = Bench::new();
        b.session.set_files(Arc::new(Here(&["old.rs", "a.rs", "b.rs"])));
        b.say("/proof");
        b.say("fix the bug in a.rs");
        submit(&mut b, &[gone.clone(), left.clone(), more.clone()]);
        b.answer(is_plan, Answer::Approve).unwrap();
        b.say("without step 3 please");
        b.reply("done", &[]);
        // A command of that step moved the file.
        b.session.set_files(Arc::new(Here(&["a.rs", "b.rs"])));
        submit(&mut b, &anew);
        b.question(is_plan);
        let plan = b.session.state().plan.clone().unwrap();
        let steps: Vec<_> = plan.tasks.iter().map(|t| (t.title.as_str(), t.status)).collect();
        let wanted = [("Change old.rs", TaskStatus::Done), ("Change a.rs", TaskStatus::Pending)];
        assert_eq!((plan.version, steps), (2, wanted.to_vec()), "{:?}", b.notices());
    }
}

#[test]
fn in_proof_mode_what_a_step_rests_on_is_there_is_made_before_it_or_is_known() {
    let task = |kind: &str, file: &str, after: &[u64]| json!({"title": format!("{kind} {file}"), "kind": kind, "files": [file], "after": after});
    for good in [
        json!([task("read", "sales.csv", &[]), task("create", "r.md", &[])]),
        json!([task("create", "r.md", &[]), task("modify", "r.md", &[])]),
        json!([task("read", "r.md", &[2]), task("create", "r.md", &[])]),
        json!([task("create", "docs", &[]), task("modify", "docs/r.md", &[])]),
        json!([task("execute", "out.csv", &[]), task("read", "out.csv", &[1])]),
        json!([task("read", "src", &[]), task("delete", "src/a.rs", &[])]),
        json!([
            {"title": "Find the revenue of Q3", "detail": "note it as q3_revenue", "kind": "read", "files": ["sales.csv"]},
            {"title": "Write it", "detail": "use [fact q3_revenue]", "kind": "create", "files": ["r.md"], "after": [1]}
        ]),
    ] {
        assert_eq!(proven(&good), None, "{good}");
    }
    for (bad, why) in [
        (
            json!([task("read", "missing.csv", &[])]),
            "in proof mode task 1 rests on missing.csv, which is not there and no task makes: name a file",
        ),
        (json!([task("modify", "missing.md", &[])]), "task 1 rests on missing.md, which is not there"),
        (
            json!([task("read", "r.md", &[]), task("create", "r.md", &[])]),
            "task 1 rests on r.md, which only task 2 makes: let it come before (`after`)",
        ),
        (
            json!([task("create", "r.md", &[2]), task("modify", "r.md", &[])]),
            "task 2 rests on r.md, which only task 1 makes",
        ),
        (
            json!([{"title": "Write it", "detail": "use [fact q3_revenue]", "kind": "create", "files": ["r.md"]}]),
            "task 1 rests on the fact q3_revenue, which is not known: let a task before it (`after`) find it out",
        ),
    ] {
        let told = proven(&bad).unwrap_or_else(|| panic!("{bad} was taken"));
        assert!(told.contains(why), "{told}");
    }
}

#[test]
fn a_plan_that_is_complete_is_proposed_for_the_archive_where_the_settings_say_so() {
    let proposed = |b: &Bench| {
        b.log.iter().rev().find_map(|e| match &e.event {
            Event::CallMade { args, typed: true, .. } => Some(args.clone()),
            _ => None,
        })
    };
    for archive in [false, true] {
        let mut b = Bench::new();
        b.session.set_bounds(Bounds { archive, ..Bounds::default() });
        b.say("fix the bug in a.txt");
        b.plan(&[("Say: \"Grüße!\" / twice", "modify"), ("Two", "modify")], &[]);
        b.answer(is_plan, Answer::Approve).unwrap();
        b.reply("nothing to do", &[]);
        b.reply("nothing to do", &[]);
        assert_eq!((phase(&b), proposed(&b).is_some()), (Phase::Idle, archive));
        if !archive {
            b.say("/plan archive");
        }
        let args: serde_json::Value = serde_json::from_str(&proposed(&b).unwrap()).unwrap();
        let name = args["path"].as_str().unwrap();
        let (day, title) = name.split_once('-').unwrap();
        assert!(day.starts_with("plans/70010") && day.len() == "plans/700101".len(), "{name}");
        assert_eq!(title, "plan.md");
        assert!(args["content"].as_str().unwrap().contains("1. [x] Say"), "{args}");
    }
}

#[test]
fn a_plan_is_written_to_a_file_by_the_ordinary_way() {
    let mut b = Bench::new();
    assert_eq!(b.input(Input::say("/plan export")).unwrap_err().reason, "there is no plan; type /plan TASK");
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify"), ("Two", "modify")], &[("t", "make `x`")]);
    let document = b.session.state().plan.as_ref().unwrap().document();
    b.say("/plan export docs/plan.md");
    assert_eq!(b.tool().1, Tool::Write);
    let made = b.log.iter().rev().find_map(|e| match &e.event {
        Event::CallMade { args, typed: true, .. } => Some(args.clone()),
        _ => None,
    });
    let args: serde_json::Value = serde_json::from_str(&made.unwrap()).unwrap();
    assert_eq!((args["path"].as_str(), args["content"].as_str()), (Some("docs/plan.md"), Some(&*document)));
    b.propose("docs/plan.md", "", &document);
    b.question(is_diff);
    b.question(is_plan);
    b.approve_all(None).unwrap();
    b.write();
    assert_eq!(phase(&b), Phase::AwaitingApproval, "the plan waits as before");
    assert!(b.session.state().lanes.values().all(|l| l.thinking.is_none()), "no model is asked about it");
    b.say("/readonly");
    assert!(b.input(Input::say("/plan export")).is_err());
}

#[test]
fn a_change_in_a_file_that_its_step_did_not_name_is_off_the_plan() {
    let mut b = Bench::new();
    b.session.set_bounds(Bounds { max_parallel: 1, ..Bounds::default() });
    b.say("fix the bug in a.txt");
    let args = serde_json::json!({"title": "P", "tasks": [
        {"title": "One", "files": ["a.txt", "src"]}, {"title": "Two"}, {"title": "Three", "files": ["b.txt"]}
    ]});
    b.reply("", &[("submit_plan", args)]);
    b.answer(is_plan, Answer::Approve).unwrap();
    let off = |b: &Bench| {
        let state = b.session.state();
        let all = state.open_proposals().map(|p| (p.path.to_string(), state.off_plan(p)));
        all.collect::<Vec<_>>()
    };
    for (path, of_plan) in [("a.txt", None), ("src/b/c.rs", None), ("srcs.txt", Some(1)), ("b.txt", Some(1))]
    {
        b.reply("", &[("edit", edit_of(path))]);
        b.propose(path, "one\n", "two\n");
        assert_eq!(off(&b).pop().unwrap(), (path.to_owned(), of_plan));
    }
    b.reply("done", &[]);
    b.approve_all(None).unwrap();
    b.write();
    b.reply("", &[("edit", edit_of("any.txt"))]);
    b.propose("any.txt", "one\n", "two\n");
    assert_eq!(off(&b).pop().unwrap().1, None, "a step that names no file announces nothing");
}

#[test]
fn a_step_that_was_let_do_nothing_is_not_done() {
    for (kind, call) in [
        ("execute", ("run", serde_json::json!({"command": "git push --force"}))),
        ("modify", ("edit", edit_of("README.md"))),
    ] {
        let mut b = Bench::new();
        b.say("fix the bug in a.txt. do not touch README.md");
        b.plan(&[("One", kind)], &[]);
        b.answer(is_plan, Answer::Approve).unwrap();
        b.reply("", &[call]);
        if kind == "execute" {
            b.answer(is_risk, Answer::Reject("not now".into())).unwrap();
        }
        b.reply("I could not do it.", &[]);
        let plan = b.session.state().suspended.clone().unwrap();
        assert_eq!((plan.done(), plan.tasks[0].status), (0, TaskStatus::NotDone), "{kind}: {:?}", b.names());
    }
}

fn steps(b: &Bench) -> Vec<(String, TaskStatus)> {
    let plan = b.session.state().plan.as_ref().unwrap();
    plan.tasks.iter().map(|t| (t.title.clone(), t.status)).collect()
}

/// A run whose first step is done and whose second one is stopped to change the plan.
fn changing() -> Bench {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify"), ("Two", "modify")], &[("t", "make test")]);
    b.answer(is_plan, Answer::Approve).unwrap();
    b.reply("nothing to do", &[]);
    b.say("change the plan: only include Q4");
    b
}

#[test]
fn a_plan_that_is_made_anew_keeps_the_steps_that_are_done() {
    // Left out by the model, it stands in front; what needs another step needs it still.
    let mut b = changing();
    let task =
        |title: &str, after: &[u32]| serde_json::json!({"title": title, "files": ["a.txt"], "after": after});
    let tasks = [task("Two, for Q4", &[]), task("Three", &[1])];
    let gates = serde_json::json!([{"name": "t", "command": "make test", "after": [2]}]);
    b.reply("", &[("submit_plan", serde_json::json!({"title": "P", "tasks": tasks, "gates": gates}))]);
    let pending = |title: &str| (title.to_owned(), TaskStatus::Pending);
    let done = || ("One".to_owned(), TaskStatus::Done);
    assert_eq!(steps(&b), [done(), pending("Two, for Q4"), pending("Three")]);
    let plan = b.session.state().plan.clone().unwrap();
    assert!(plan.tasks[0].took.is_some(), "and how long it took");
    assert_eq!(plan.tasks[2].after, [plan.tasks[1].id]);
    assert_eq!(plan.gates[0].after, [plan.tasks[2].id]);
    let old = b.session.state().versions_before(&plan)[0].clone();
    assert!(Revision::of(&plan, &old).removed.iter().all(|id| old.task(*id).unwrap().title != "One"));
    b.answer(is_plan, Answer::Approve).unwrap();
    assert_eq!(steps(&b)[1].1, TaskStatus::Running, "what is done is not done again");
    // Handed in as it was, it is the same step.
    let mut b = changing();
    b.plan(&[("One", "modify"), ("Another", "modify")], &[]);
    assert_eq!(steps(&b), [done(), pending("Another")]);
    // What is to be done in another way is done anew.
    let mut b = changing();
    let tasks = [serde_json::json!({"title": "One", "detail": "for Q4", "files": ["a.txt"]})];
    b.reply("", &[("submit_plan", serde_json::json!({"title": "P", "tasks": tasks, "gates": []}))]);
    assert_eq!(steps(&b), [pending("One")]);
}

#[test]
fn a_plan_of_another_order_sets_the_one_that_waits_aside() {
    let mut b = Bench::new();
    b.say("delete the old logs and run the tests");
    b.plan(&[("Mend the parser", "modify"), ("Test it", "modify")], &[]);
    let first = b.session.state().plan.as_ref().unwrap().turn;
    b.say("put what you found into notes.txt");
    let task = serde_json::json!({"title": "Write the notes", "kind": "create", "files": ["notes.txt"]});
    b.reply("", &[("submit_plan", serde_json::json!({"title": "Notes", "tasks": [task]}))]);
    let plan = b.session.state().plan.clone().unwrap();
    assert_eq!((plan.title.as_str(), plan.version), ("Notes", 1));
    let said = "The waiting plan \"Plan\" is set aside; /proposals plan brings it back.";
    assert!(b.notices().iter().any(|n| n == said), "{:?}", b.notices());
    assert_eq!(b.session.state().turns[&plan.turn].continues, None, "it may what it says itself");
    assert_ne!(plan.turn, first);
    b.say("q");
    assert!(b.session.state().plan.is_none());
    b.say("/proposals");
    assert!(b.notices().iter().any(|n| n.contains("the plan \"Plan\", 0 of 2 steps done")));
}

#[test]
fn what_waits_in_the_queue_waits_on_where_the_plan_is_made_anew() {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    b.plan(&[("One", "modify"), ("Two", "modify")], &[]);
    b.answer(is_plan, Answer::Approve).unwrap();
    b.input(Input::Queue("fix another thing".into())).unwrap();
    b.say("change the plan: only include Q4");
    assert_eq!(b.session.state().queue.works().count(), 1);
    b.plan(&[("Two, for Q4", "modify")], &[]);
    assert_eq!(b.session.state().queue.works().count(), 1);
}

#[test]
fn a_step_that_is_done_is_done_again_with_what_needs_it_after_a_yes() {
    let mut b = Bench::new();
    b.say("fix the bug in a.txt");
    let task = |title: &str, after: &[u64]| json!({"title": title, "kind": "modify", "files": ["a.txt"], "after": after});
    let tasks = [task("One", &[]), task("Two", &[]), task("Three", &[1])];
    b.reply("", &[("submit_plan", json!({"title": "Plan", "tasks": tasks, "gates": []}))]);
    b.answer(is_plan, Answer::Approve).unwrap();
    assert!(b.input(Input::Rerun(TaskId(1))).is_err(), "not while the run is at work");
    while phase(&b) == Phase::Executing {
        b.reply("nothing to do", &[]);
    }
    assert!(b.session.state().suspended.as_ref().unwrap().fulfilled());
    assert!(b.input(Input::Rerun(TaskId(9))).is_err());
    b.input(Input::Rerun(TaskId(1))).unwrap();
    let open = |b: &Bench| -> Vec<u64> {
        let plan = b.session.state().plan.as_ref().unwrap();
        plan.tasks.iter().filter(|t| t.status != TaskStatus::Done).map(|t| t.id.0).collect()
    };
    assert_eq!(open(&b), [1, 3], "the step, and the one that needs it");
    assert!(b.session.pending().is_empty(), "nothing runs before the yes");
    assert!(b.input(Input::Rerun(TaskId(2))).is_err(), "the plan waits for it");
    b.answer(is_plan, Answer::Approve).unwrap();
    let at_work: Vec<u64> = b.session.state().steps_at_work().iter().map(|t| t.id.0).collect();
    assert_eq!(at_work, [1]);
}
