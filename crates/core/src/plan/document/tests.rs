//! The document read back, and what is said of lines that do not fit.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, clippy::format_collect, reason = "a test may panic")]

use proptest::prelude::*;

use super::*;

fn plan() -> Plan {
    let text = r#"{"title":"Greet","note":"two\nlines","tasks":[
        {"title":"One","detail":"do\n  this","kind":"create","files":["a.rs","b.rs"]},
        {"title":"Two","after":[1]},{"title":"Three","kind":"read","after":[1,2]}],
        "gates":[{"name":"tests","command":"cargo test --lib","after":[2]}]}"#;
    let mut plan = serde_json::from_str::<PlanDraft>(text).unwrap().build(TurnId(1), 1).unwrap();
    plan.tasks[0].status = TaskStatus::Done;
    plan
}

#[test]
fn a_document_reads_back_as_the_plan_that_it_was() {
    let plan = plan();
    let read = plan.edited(&plan.document()).unwrap();
    assert_eq!(read, Plan { version: 2, edited: true, ..plan });
}

#[test]
fn that_nothing_checks_a_plan_stands_below_its_note_and_is_none_of_it() {
    let said = "Nothing checks this plan: there is no sandbox here.";
    let plan = Plan { unchecked: Some(said.to_owned()), gates: Vec::new(), ..plan() };
    let text = plan.document();
    assert!(text.contains(&format!("> two\n> lines\n> {said}\n")), "{text}");
    assert_eq!(plan.edited(&text).unwrap(), Plan { version: 2, edited: true, ..plan.clone() });
    let without = plan.edited(&text.replace(&format!("> {said}\n"), "")).unwrap();
    assert_eq!(without, Plan { version: 2, edited: true, unchecked: None, ..plan.clone() });
    // A gate that the user gives it checks it.
    let checked = plan.edited(&format!("{text}\n## Gates\n- t: `make`\n")).unwrap();
    assert_eq!((checked.gates.len(), checked.notes().as_str()), (1, "two\nlines"));
}

#[test]
fn steps_are_moved_added_removed_and_reworded() {
    let plan = plan();
    let text = "# Greet\n## Steps\n1. [x] One\n3. [ ] Third\n   kind: read\n- [ ] New\n   needs: 3\n   | how\n## Gates\n- t: `make`\n  needs: 3\n";
    let read = plan.edited(text).unwrap();
    let titles: Vec<&str> = read.tasks.iter().map(|t| t.title.as_str()).collect();
    assert_eq!(titles, ["One", "Third", "New"]);
    assert_eq!(read.tasks[2].after, [read.tasks[1].id]);
    assert_eq!((read.tasks[0].status, read.tasks[2].detail.as_str()), (TaskStatus::Done, "how"));
    assert_eq!(read.gates[0].after, [read.tasks[1].id]);
}

#[test]
fn what_cannot_be_read_is_named_by_its_line() {
    let plan = plan();
    let cases = [
        ("# T\nwords", "line 2"),
        ("# T\n## Stuff", "line 2"),
        ("## Steps\n1. One", "line 2"),
        ("## Steps\n1. [?] One", "line 2"),
        ("## Steps\n1. [ ] ", "line 2"),
        ("## Steps\n1. [ ] One\n1. [ ] Two", "line 3"),
        ("## Steps\n1. [ ] One\nneeds: 4", "line 3: there is no step 4"),
        ("## Steps\n1. [ ] One\nneeds: one", "line 3"),
        ("## Steps\n1. [ ] One\nkind: dance", "line 3"),
        ("## Steps\n1. [ ] One\nwhatever", "line 3"),
        ("## Steps\n1. [ ] One\n## Gates\n- tests", "line 4"),
        ("# T", "no tasks"),
        ("## Steps\n1. [ ] One\nneeds: 2\n2. [ ] Two\nneeds: 1", "circle"),
    ];
    for (text, said) in cases {
        let error = plan.edited(text).unwrap_err().to_string();
        assert!(error.contains(said), "{text:?}: {error}");
    }
}

/// Texts of what breaks a format.
fn text() -> impl Strategy<Value = String> {
    let pieces = [
        "a",
        "Add it",
        " ",
        "  ",
        "\n",
        "\t",
        "`",
        "``",
        ",",
        ":",
        ": `",
        "#",
        "# ",
        "## Steps",
        ">",
        "|",
        "| ",
        "-",
        "- ",
        "[x]",
        "[ ]",
        "1. ",
        "<!--",
        "-->",
        "\u{1b}",
        "\r",
        "\u{a0}",
        "\u{2028}",
        "\u{85}",
        "é",
        "needs: 9",
        "files: ../x",
    ];
    prop::collection::vec(prop::sample::select(pieces.to_vec()), 0..6).prop_map(|p| p.concat())
}

fn task() -> impl Strategy<Value = TaskDraft> {
    let kinds = [TaskKind::Create, TaskKind::Modify, TaskKind::Delete, TaskKind::Execute, TaskKind::Read];
    let kind = prop::sample::select(kinds.to_vec());
    (text(), text(), kind, prop::collection::vec(text(), 0..3), prop::collection::vec(1u64..6, 0..3))
        .prop_map(|(title, detail, kind, files, after)| TaskDraft {
            title: format!("t{title}"),
            detail,
            kind,
            files,
            after,
        })
}

fn gate() -> impl Strategy<Value = GateDraft> {
    let gate = (text(), text(), prop::collection::vec(1u64..6, 0..3)).prop_map(|(name, command, after)| {
        let command: String =
            command.chars().filter(|c| *c == '\n' || *c == '\t' || !c.is_control()).collect();
        GateDraft { name, command: format!("{command}x"), after, found: false }
    });
    // Another part of the line would decide how it ended, or nothing would: no plan takes it.
    gate.prop_filter("says how it ended", |g| {
        crate::shell::tells_its_end(&g.command).is_ok() && !crate::shell::is_hollow(&g.command)
    })
}

fn any_plan() -> impl Strategy<Value = Plan> {
    let parts = (text(), text(), prop::collection::vec(task(), 1..6), prop::collection::vec(gate(), 0..3));
    let marks = prop::collection::vec((0..3usize, any::<bool>()), 6);
    let pauses = [Pause::FirstWrite, Pause::FailedGate, Pause::Lines(7), Pause::Micros(10_500)];
    let pauses = prop::sample::subsequence(pauses.to_vec(), 0..4);
    (parts, marks, pauses).prop_map(|((title, note, mut tasks, mut gates), marks, pauses)| {
        // Only what comes before: no circle.
        for (task, at) in tasks.iter_mut().zip(1..) {
            task.after.retain(|a| *a < at);
        }
        let count = tasks.len() as u64;
        for gate in &mut gates {
            gate.after.retain(|a| *a <= count);
        }
        let mut plan = PlanDraft { title, note, tasks, gates, unchecked: None }.build(TurnId(1), 1).unwrap();
        plan.pauses = pauses;
        for (task, (mark, pause)) in plan.tasks.iter_mut().zip(marks) {
            task.status = [TaskStatus::Pending, TaskStatus::Done, TaskStatus::Skipped][mark];
            task.pause = pause;
        }
        plan
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn every_plan_reads_back_as_the_plan_that_it_was(plan in any_plan()) {
        let text = plan.document();
        let read = Plan::read(&text, plan.turn, plan.version).unwrap();
        prop_assert_eq!(&Plan { edited: false, ..read }, &plan, "{}", text);
        let edited = plan.edited(&text).unwrap();
        prop_assert_eq!(&Plan { edited: false, version: 1, ..edited }, &plan, "{}", text);
    }

    #[test]
    fn any_text_is_a_plan_or_an_error_that_names_its_line(lines in prop::collection::vec(text(), 0..12)) {
        let text = lines.join("\n");
        match Plan::read(&text, TurnId(1), 1) {
            Ok(plan) => prop_assert!(Plan::read(&plan.document(), TurnId(1), 1).is_ok()),
            Err(DocumentError::Line { line, .. }) => prop_assert!((1..=text.lines().count()).contains(&line)),
            Err(DocumentError::Plan(why)) => prop_assert_eq!(why, PlanError::Empty),
        }
    }
}

#[test]
fn what_was_under_way_or_failed_is_to_be_done_again() {
    let mut plan = plan();
    let all = [TaskStatus::Running, TaskStatus::Failed, TaskStatus::Cancelled];
    plan.tasks.iter_mut().zip(all).for_each(|(t, status)| t.status = status);
    let text = plan.document();
    assert!(
        text.contains("1. [~] One") && text.contains("2. [ ] Two") && text.contains("3. [-] Three"),
        "{text}"
    );
    let read = Plan::read(&text, TurnId(7), 4).unwrap();
    let marks: Vec<_> = read.tasks.iter().map(|t| t.status).collect();
    assert_eq!(marks, [TaskStatus::Pending, TaskStatus::Pending, TaskStatus::Skipped]);
    assert_eq!((read.turn, read.version, read.edited), (TurnId(7), 4, true));
}

#[test]
fn a_plan_that_would_not_do_is_refused_at_its_line() {
    let file = RelPath::new("docs/plan.md").unwrap();
    let many: String = (1..=10_000).map(|n| format!("{n}. [ ] Step\n")).collect();
    let cases = [
        (format!("# T\n## Steps\n{many}"), "docs/plan.md:203: the plan has 10000 tasks; at most 200"),
        ("x".repeat(5 << 20), "docs/plan.md:1: the text has 5242880 bytes; a plan has at most 524288"),
        (
            "## Steps\n1. [ ] A\nfiles: ../../etc/passwd".to_owned(),
            "docs/plan.md:3: \"../../etc/passwd\" is not a path",
        ),
        (
            "## Steps\n1. [ ] A\nfiles: /etc/passwd".to_owned(),
            "docs/plan.md:3: \"/etc/passwd\" is not a path",
        ),
        ("## Steps\n1. [ ] A\nfiles: `a` b".to_owned(), "docs/plan.md:3: files stand"),
        ("## Steps\n1. [ ] A\nneeds: 1".to_owned(), "docs/plan.md:3: step 1 needs itself"),
        (
            "## Steps\n7. [ ] A\nneeds: 9\n8. [ ] C\n9. [ ] B\nneeds: 7".to_owned(),
            "docs/plan.md:3: steps wait for each other in a circle: 7, 9; break it",
        ),
        (
            "## Steps\n1. [ ] A\u{1b}[2J".to_owned(),
            "docs/plan.md:2: a control character stands here (U+001B)",
        ),
        ("# T\n<!-- no end\n## Steps\n1. [ ] A".to_owned(), "docs/plan.md:2: this comment has no end"),
        ("## Steps\n1. [ ] A\npause: after".to_owned(), "docs/plan.md:3: below a step stand"),
        ("## Steps\n1. [ ] A\n- files: a.rs".to_owned(), "docs/plan.md:3: below a step stand"),
        ("## Steps\n1. [ ] A\n## Pauses\n- now and then".to_owned(), "docs/plan.md:4: a pause is"),
        ("## Steps\n1. [ ] A\n## Gates\n- t:".to_owned(), "docs/plan.md:4: gate 1 has no command"),
        ("## Steps\n1. [ ] A\n## Gates\n- t: `make` all".to_owned(), "docs/plan.md:4: a gate is"),
        (
            "## Steps\n1. [ ] A\nfiles: a.rs\nkind: modify\nfiles: b.rs".to_owned(),
            "docs/plan.md:5: files stands below this step already",
        ),
        ("## Steps\n1. [ ] A\nkind: create\nkind: modify".to_owned(), "docs/plan.md:4: kind stands below"),
        ("# Nothing".to_owned(), "docs/plan.md: the plan has no tasks"),
    ];
    for (text, said) in cases {
        let error = Plan::read(&text, TurnId(1), 1).unwrap_err().of_file(&file);
        assert!(error.starts_with(said), "{error}");
    }
}
