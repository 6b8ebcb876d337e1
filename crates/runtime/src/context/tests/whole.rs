//! Whole sessions: what stays, what is added, and what gives way.

mod after;
mod left;
mod told;

use pilothouse_core::{
    diff,
    event::FileChange,
    ids::ApplyId,
    proposal::Decision,
    relpath::RelPath,
    tool::{Advice, ChangeKind, ProposalDraft, Redraft},
    work::WorkKey,
};

use super::*;

const PLAN: &str = r#"{"title":"Two files","tasks":[{"title":"first","detail":"do <a> & b","kind":"modify","files":["src/a.rs"]},{"title":"second","kind":"modify","after":[1]}]}"#;

const EDIT: &str = r#"{"path":"src/a.rs","edits":[{"old":"x","new":"y"}]}"#;

/// The plan's change of `path`: lines of `before` in capitals.
fn draft(path: &str, before: &str, after: &str) -> ProposalDraft {
    ProposalDraft {
        notes: Vec::new(),
        path: RelPath::new(path).unwrap(),
        kind: ChangeKind::Modify,
        before: Some(Blob::new(before.into())),
        after: Some(Blob::new(after.into())),
        hunks: diff::hunks(before.as_bytes(), after.as_bytes()),
    }
}

impl Bench {
    fn end(&mut self, text: &str) {
        let call = self.lane().head().unwrap().call;
        self.step(Input::ToolEnded { call, outcome: ToolOutcome::text(text, "ended") });
    }

    fn edit(&mut self, path: &str, before: &str, after: &str) {
        self.reply("", &[("e", "edit", EDIT)]);
        self.proposed(path, before, after);
    }

    /// The edit at the head of the lane ends in a proposal.
    fn proposed(&mut self, path: &str, before: &str, after: &str) {
        let call = self.lane().head().unwrap().call;
        let seen = vec![(RelPath::new(path).unwrap(), BlobId::of(before.as_bytes()))];
        let proposals = vec![draft(path, before, after)];
        let outcome = ToolOutcome { proposals, seen, ..ToolOutcome::text("proposed a change", "+1 -1") };
        self.step(Input::ToolEnded { call, outcome });
    }

    /// Writes what was approved, as the driver would.
    fn write(&mut self) {
        let apply: ApplyId = self
            .session
            .pending()
            .keys()
            .find_map(|k| if let WorkKey::Prepare(a) = k { Some(*a) } else { None })
            .unwrap();
        let state = self.session.state();
        let files: Vec<FileChange> = state.applies()[&apply]
            .take
            .iter()
            .map(|(id, taken)| {
                let p = &state.proposals()[id];
                let (before, after) =
                    (self.blobs[&p.before.unwrap()].clone(), self.blobs[&p.after.unwrap()].clone());
                let content = Blob::new(diff::select(&before, &after, &p.hunks, taken));
                FileChange {
                    proposal: *id,
                    path: p.path.clone(),
                    kind: p.kind,
                    before: p.before,
                    after: Some(content.id()),
                    mode: None,
                    added: 1,
                    removed: 1,
                    lines: 3,
                    rest: None,
                    changes: Vec::new(),
                }
            })
            .collect();
        let blobs = state.applies()[&apply]
            .take
            .iter()
            .map(|(id, taken)| {
                let p = &state.proposals()[id];
                Blob::new(diff::select(
                    &self.blobs[&p.before.unwrap()],
                    &self.blobs[&p.after.unwrap()],
                    &p.hunks,
                    taken,
                ))
            })
            .collect();
        self.step(Input::ApplyPrepared { apply, files: Ok((files, blobs)) });
        self.step(Input::ApplyEnded { apply, result: Ok(()) });
    }

    /// Takes these hunks of the open proposal, leaves the others, and writes.
    fn take(&mut self, taken: &[usize]) {
        let (id, shown, hunks) =
            self.session.state().open_proposals().map(|p| (p.id, p.shown(), p.hunks.len())).next().unwrap();
        for hunk in 0..hunks {
            let decision = Some(if taken.contains(&hunk) { Decision::Taken } else { Decision::Left });
            self.step(Input::Decide { proposal: id, hunk, decision, shown });
        }
        self.step(Input::Apply { proposals: vec![(id, shown)], word: None, rest: false });
        if !taken.is_empty() {
            self.write();
        }
    }

    fn approve(&mut self) {
        let id = *self.session.state().open.keys().next().unwrap();
        let shown = self.session.state().open[&id].kind.shown();
        self.step(Input::Answer { checkpoint: id, answer: Answer::Approve, shown });
    }

    fn told(&self) -> String {
        self.request().messages.into_iter().map(|m| m.text + "\n").collect()
    }

    /// Its plan is approved and its first task begins.
    fn planned(order: &str) -> Self {
        let mut b = Self::new();
        b.step(Input::say(order));
        b.reply("", &[("r", "read", r#"{"path":"src/a.rs"}"#)]);
        b.end("     1  what planning read");
        b.reply("", &[("p", "submit_plan", PLAN)]);
        b.approve();
        b
    }
}

/// Lines of a file that is long enough for two hunks.
fn lines(first: &str, last: &str) -> String {
    let middle = (0..20).map(|n| format!("line {n}\n")).collect::<Vec<_>>().concat();
    format!("{first}\n{middle}{last}\n")
}

#[test]
fn a_task_goes_on_from_what_planning_read_and_from_its_own_detail_unescaped() {
    let b = Bench::planned("rename Foo to Bar in src/a.rs");
    let told = b.told();
    assert!(told.contains("what planning read") && told.contains("do <a> & b"), "{told}");
    assert!(
        told.contains("The plan is approved")
            && told.contains("task at hand: 1 of 2: first; files: src/a.rs")
    );
}

#[test]
fn what_a_command_of_the_same_reply_ran_on_is_said_before_what_it_printed() {
    let mut b = Bench::planned("rename Foo to Bar in src/a.rs");
    b.reply("", &[("e", "edit", EDIT), ("r", "run", r#"{"command":"cat src/a.rs"}"#)]);
    b.proposed("src/a.rs", "one\n", "two\n");
    b.take(&[0]);
    b.end("what it printed");
    let told = b.told();
    let (applied, printed) = (told.find("applied: src/a.rs (+1 -1)"), told.find("what it printed"));
    assert!(applied.is_some() && applied < printed, "{told}");
    assert!(!told.contains("proposed a change") && told.matches("applied:").count() == 1, "{told}");
    let before = b.request().messages;
    b.reply("It is two now.", &[("l", "list", "{}")]);
    assert_eq!(
        b.request().messages[..before.len() - 1],
        before[..before.len() - 1],
        "it stays as it was sent"
    );
}

/// A provider's cache holds a request as long as its beginning stays: the time of day stands in none, and the day, the
/// phase and the node in the last message alone. One list of tools for every phase would hold the beginning across a
/// plan's approval as well, but a model is offered nothing that it may not use; so the list changes there, once.
#[test]
fn neither_a_minute_nor_a_phase_breaks_what_was_sent_before() {
    let b = Bench::planned("rename Foo to Bar in src/a.rs");
    let at = |ms: u64| {
        let around = Circumstances { now: Millis(ms), ..Bench::around(Window::of(None)) };
        request(b.session.state(), b.lane().id, ToolScope::FULL, Vec::new(), &b, &around).unwrap().request
    };
    let noon = 1_700_000_000_000;
    let (first, minute, day) = (at(noon), at(noon + 60_000), at(noon + 86_400_000));
    assert_eq!(first.messages, minute.messages);
    let before = first.messages.len() - 1;
    assert_eq!(first.messages[..before], day.messages[..before]);
    assert_ne!(first.messages, day.messages);
    assert_eq!(first.system, crate::context::system(pilothouse_core::talk::Purpose::Plan));
}

/// A run whose only gate is red after its only change.
fn red_gate() -> Bench {
    red_gate_with(Vec::new())
}

fn red_gate_with(advice: Vec<Advice>) -> Bench {
    let plan = r#"{"title":"P","tasks":[{"title":"first","kind":"modify","files":["src/a.rs"]}],"gates":[{"name":"t","command":"make test"}]}"#;
    let mut b = Bench::new();
    b.step(Input::say("rename Foo to Bar in src/a.rs"));
    b.reply("", &[("r", "read", r#"{"path":"src/a.rs"}"#)]);
    b.end("     1  what planning read");
    b.reply("", &[("p", "submit_plan", plan)]);
    b.approve();
    b.edit("src/a.rs", "one\n", "two\n");
    b.reply("Changed.", &[]);
    b.take(&[0]);
    b.approve();
    ended_with(&mut b, 2, "left: 1\nright: 2", advice);
    b
}

#[test]
fn who_hears_the_user_beside_a_review_is_told_what_waits_there_and_how_far_it_is_decided() {
    let plan = r#"{"title":"P","tasks":[{"title":"first","kind":"modify","files":["src/a.rs"]}],"gates":[]}"#;
    let mut b = Bench::new();
    b.step(Input::say("rename Foo to Bar in src/a.rs"));
    b.reply("", &[("p", "submit_plan", plan)]);
    b.approve();
    b.edit("src/a.rs", "one\n", "two\n");
    assert!(!b.told().contains("in the diff"), "nobody has looked at it yet");
    b.reply("Changed.", &[]);
    let waits = b.session.state().open_proposals().next().map(|p| (p.id, p.shown()));
    let (proposal, shown) = waits.unwrap();
    b.step(Input::Decide { proposal, hunk: 0, decision: Some(Decision::Taken), shown });
    b.step(Input::Tell("think of the docs as well".into()));
    let told = b.told();
    assert!(
        told.contains("in the diff, none of it written: src/a.rs (change, taken); the user decides"),
        "{told}"
    );
}

/// The user reads of a line to type, and who mends the gate of an argument.
#[test]
fn a_repair_is_told_what_can_be_done_in_the_words_of_a_model() {
    let advice = Advice { model: "(give \"outside\": true)".into(), user: "(type `!!` before it)".into() };
    let mut b = red_gate_with(vec![advice]);
    let question = b.session.state().phase_question().unwrap();
    let (id, shown) = (question.id, question.kind.shown());
    let failure = b.session.state().failure.clone().unwrap();
    assert!(failure.message.contains("(type `!!` before it)"), "{failure:?}");
    b.step(Input::Answer { checkpoint: id, answer: Answer::AutoFix, shown });
    let told = b.told();
    assert!(told.contains("left: 1") && told.contains("(give \"outside\": true)"), "{told}");
    assert!(!told.contains("type `!!`"), "{told}");
}

/// What mends a red gate goes on from all that was read, changed and said, and knows what failed.
#[test]
fn a_repair_knows_the_plan_what_was_read_and_changed_and_why_the_gate_is_red() {
    let mut b = red_gate();
    let id = b.session.state().phase_question().unwrap().id;
    let shown = b.session.state().open[&id].kind.shown();
    b.step(Input::Answer { checkpoint: id, answer: Answer::AutoFix, shown });
    let told = b.told();
    for part in [
        "what planning read",
        "applied: src/a.rs (+1 -1)",
        "<title>Make the gate pass that failed: t</title>",
        "left: 1\nright: 2",
        "at hand: mend what made gate t fail",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
    let change = r#"{"gate":"t","command":"tox -q","reason":"no pytest here"}"#;
    b.reply("", &[("g", "change_gate", change)]);
    let question = b.session.state().newest_question().unwrap();
    let (id, shown) = (question.id, question.kind.shown());
    b.step(Input::Answer { checkpoint: id, answer: Answer::Approve, shown });
    let told = b.told();
    assert!(told.contains("has another command now and runs once you are done"), "{told}");
    assert!(!told.contains("mend what made gate t fail"), "{told}");
}

#[test]
fn who_is_asked_at_a_red_gate_knows_what_failed() {
    let mut b = red_gate();
    b.step(Input::say("why did that happen?"));
    assert_eq!(b.lane().kind, pilothouse_core::session::LaneKind::Answer);
    let told = b.told();
    assert!(told.contains("left: 1\nright: 2") && told.contains("applied: src/a.rs (+1 -1)"), "{told}");
}

#[test]
fn a_gate_that_ran_stands_once_among_the_facts() {
    let mut b = red_gate();
    b.step(Input::say("why did that happen?"));
    let told = b.told();
    let facts = told.split("<facts>").nth(1).unwrap().split("</facts>").next().unwrap();
    let of: Vec<&str> = facts.lines().filter(|l| l.contains("make test")).collect();
    assert!(matches!(of[..], [line] if line.contains("gate t: red")), "{facts}");
}

#[test]
fn who_is_not_there_is_said_at_the_end_of_every_request() {
    let b = Bench::planned("rename Foo to Bar in src/a.rs");
    let last = |unattended| {
        let around = Circumstances { unattended, ..Bench::around(Window::of(None)) };
        let prepared = request(b.session.state(), b.lane().id, ToolScope::FULL, Vec::new(), &b, &around);
        prepared.unwrap().request.messages.pop().unwrap().text
    };
    assert!(last(true).contains("nobody is there: what asks is refused, ask_user has no answer"));
    assert!(!last(false).contains("nobody is there"));
}

#[test]
fn what_planning_was_sent_is_the_beginning_of_what_the_first_task_is_sent() {
    let mut b = Bench::new();
    b.step(Input::say("rename Foo to Bar in src/a.rs"));
    b.reply("", &[("r", "read", r#"{"path":"src/a.rs"}"#)]);
    b.end("     1  what planning read");
    let planning = b.request().messages;
    b.reply("", &[("p", "submit_plan", PLAN)]);
    b.approve();
    let task = b.request().messages;
    assert_eq!(task[..planning.len() - 1], planning[..planning.len() - 1]);
}

#[test]
fn a_plan_made_anew_knows_the_first_one_what_was_read_and_why_it_came_back() {
    let mut b = Bench::new();
    b.step(Input::say("rename Foo to Bar in src/a.rs"));
    b.reply("", &[("r", "read", r#"{"path":"src/a.rs"}"#)]);
    b.end("     1  what planning read");
    b.reply("", &[("p", "submit_plan", PLAN)]);
    b.step(Input::say("no, one step is enough"));
    let told = b.told();
    let calls = b.request().messages.into_iter().flat_map(|m| m.calls).map(|c| c.args);
    let told = calls.fold(told, |all, args| all + &args);
    for part in ["what planning read", "do <a> & b", "one step is enough"] {
        assert!(told.contains(part), "{part}: {told}");
    }
}

#[test]
fn what_was_taken_and_left_is_told_once_after_the_fact() {
    let mut b = Bench::planned("rename Foo to Bar in src/a.rs");
    b.edit("src/a.rs", &lines("a", "z"), &lines("A", "Z"));
    assert!(!b.told().contains("applied:"));
    b.reply("I propose both.", &[]);
    b.take(&[1]);
    let told = b.told();
    assert_eq!(told.matches("applied: src/a.rs hunk 2 of 2").count(), 1, "{told}");
    assert_eq!(told.matches("left by the user: src/a.rs hunk 1 (line 1)").count(), 1, "{told}");
    assert!(told.contains("\nsrc/a.rs reads now, at hunk 2:\n"), "{told}");
    assert!(told.contains("    22  Z") && !told.contains("     1  A"), "{told}");
    // Later requests say the same in the same place.
    let before = b.request().messages;
    b.edit("src/b.rs", "one\n", "two\n");
    let after = b.request().messages;
    assert_eq!(after[..before.len() - 1], before[..before.len() - 1]);
    b.reply("Again.", &[]);
    b.step(Input::Skip {
        proposals: b.session.state().open_proposals().map(|p| p.id).collect(),
        reason: "not this file".into(),
    });
    b.step(Input::say("what is in src?"));
    let told = b.told();
    assert!(
        told.contains("left by the user, nothing of it is written: src/b.rs (line 1): not this file"),
        "{told}"
    );
    assert!(
        told.contains("The run ended, and not everything of it was done: Ended: 1 of 2 done, 1 skipped"),
        "{told}"
    );
}

#[test]
fn a_comment_reaches_the_agent_which_gets_one_call_to_answer_it() {
    let mut b = Bench::planned("rename Foo to Bar in src/a.rs");
    let lane = b.lane().id;
    b.edit("src/a.rs", &lines("a", "z"), &lines("A", "Z"));
    b.reply("I propose both.", &[]);
    let p = b.session.state().open_proposals().next().unwrap();
    let (proposal, shown) = (p.id, p.shown());
    b.step(Input::Comment { proposal, hunk: 0, text: "keep it small".into(), shown });
    assert!(!b.told().contains("keep it small"), "nothing is told before it is decided");
    b.take(&[1]);
    assert_eq!(b.lane().id, lane, "the task goes on for one more reply");
    let told = b.told();
    assert_eq!(told.matches("the user says to src/a.rs hunk 1 (line 1): keep it small").count(), 1, "{told}");
    assert!(told.contains("(line 1): keep it small\n(propose it anew as these words want it"), "{told}");
    b.reply("It stays small.", &[]);
    assert_ne!(b.lane().id, lane, "the next task");
}

#[test]
fn its_own_write_is_what_the_lane_has_seen_and_an_undone_one_is_told() {
    let mut b = Bench::planned("rename Foo to Bar in src/a.rs");
    b.edit("src/a.rs", "a\n", "b\n");
    b.reply("Done.", &[]);
    b.take(&[0]);
    let seen = |b: &Bench| b.lane().seen[&RelPath::new("src/a.rs").unwrap()];
    assert_eq!(seen(&b), BlobId::of(b"b\n"), "the next task's lane has seen what was written");
    let apply = b.session.state().ledger()[0];
    b.step(Input::Undo);
    b.step(Input::RevertEnded { apply, result: Ok(true) });
    assert_eq!(seen(&b), BlobId::of(b"a\n"));
    b.reply("Second done.", &[]);
    b.step(Input::say("what does lib.rs do?"));
    assert!(b.told().contains("undone by the user: src/a.rs"), "{}", b.told());
}

#[test]
fn what_is_put_back_and_what_is_set_aside_is_told() {
    let mut b = Bench::planned("rename Foo to Bar in src/a.rs");
    b.edit("src/a.rs", "a\n", "b\n");
    b.reply("Done.", &[]);
    b.take(&[0]);
    let apply = b.session.state().ledger()[0];
    for redo in [false, true] {
        b.step(if redo { Input::Redo } else { Input::Undo });
        b.step(Input::RevertEnded { apply, result: Ok(true) });
    }
    b.edit("src/a.rs", "b\n", "c\n");
    b.step(Input::Cancel);
    b.step(Input::say("what does lib.rs do?"));
    let told = b.told();
    let said = [
        "undone by the user: src/a.rs",
        "put back by the user: src/a.rs",
        "set aside, nothing of it is written: src/a.rs",
    ];
    let places: Vec<Option<usize>> = said.iter().map(|words| told.find(words)).collect();
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{places:?} {told}");
}

#[test]
fn what_the_user_made_of_a_change_is_told_as_it_stands_now() {
    let mut b = Bench::planned("rename Foo to Bar in src/a.rs");
    b.edit("src/a.rs", "a\n", "b\n");
    b.reply("Done.", &[]);
    let (proposal, shown) = b.session.state().open_proposals().next().map(|p| (p.id, p.shown())).unwrap();
    b.step(Input::EditProposal {
        proposal,
        redraft: Redraft { draft: draft("src/a.rs", "a\n", "theirs\n"), same: vec![None] },
        shown,
    });
    b.take(&[0]);
    let told = b.told();
    assert!(told.contains("applied: src/a.rs (+1 -1), as the user edited it"), "{told}");
    assert!(told.contains("     1  theirs"), "{told}");
}

#[test]
fn a_follow_up_sees_what_earlier_turns_read() {
    let mut b = Bench::new();
    b.step(Input::say("what is in src?"));
    b.reply("", &[("r", "read", r#"{"path":"src/a.rs"}"#)]);
    b.end("     1  the text of a.rs");
    b.reply("It holds a.", &[]);
    b.step(Input::say("what does lib.rs do?"));
    let messages = b.request().messages;
    assert!(messages.iter().any(|m| m.role == Role::Tool && m.text.contains("the text of a.rs")));
}

#[test]
fn a_question_beside_a_run_forks_and_leaves_a_report() {
    let mut b = Bench::planned("rename Foo to Bar in src/a.rs");
    let task = b.lane().id;
    b.reply("", &[("r", "read", r#"{"path":"src/b.rs"}"#)]);
    b.step(Input::say("what is a lifetime?"));
    let (state, window) = (b.session.state(), Window::of(None));
    let answer = b.lane();
    assert_ne!(answer.id, task);
    let forked = b.request_of(answer, window).messages;
    let asked = forked.iter().position(|m| m.text == "what is a lifetime?").unwrap();
    assert!(forked[asked - 1].text.starts_with("still under way"), "{:?}", forked[asked - 1]);
    assert!(forked.last().unwrap().text.contains("beside this runs: rename Foo to Bar"));
    let call = state.lanes[&task].head().unwrap().call;
    b.step(Input::ToolEnded { call, outcome: ToolOutcome::text("     1  text of b", "read") });
    let of_task = |b: &Bench| b.request_of(&b.session.state().lanes[&task], window).messages;
    let before = of_task(&b);
    assert!(!before.iter().any(|m| m.text.contains("lifetime")), "what is asked beside it is not its own");
    b.reply("The span in which a borrow holds.", &[]);
    let after = of_task(&b);
    assert_eq!(after[..before.len() - 1], before[..before.len() - 1]);
    let report = &after[before.len() - 1].text;
    assert!(report.contains("what is a lifetime?") && report.contains("a borrow holds"), "{report}");
}

#[test]
fn requests_of_a_long_session_share_all_but_their_last_message() {
    for (tokens, least) in [(16_000, 95), (64_000, 95), (200_000, 100)] {
        let window = Window::of(Some(tokens));
        let mut b = Bench::new();
        b.step(Input::say("what is in src? the fact is 4711"));
        let (mut before, mut shared, mut calls): (Vec<Message>, usize, usize) = (Vec::new(), 0, 0);
        for n in 0..80 {
            let request = b.request_of(b.lane(), window);
            let all: usize = request.messages.iter().map(budget::size).sum::<usize>() + request.system.len();
            assert!(all / 4 < usize::try_from(tokens).unwrap(), "{all} bytes for {tokens} tokens");
            let kept = before.len().saturating_sub(1);
            shared += usize::from(request.messages.get(..kept) == before.get(..kept));
            calls += 1;
            before = request.messages;
            if n % 20 == 19 {
                b.reply("That is it.", &[]);
                b.step(Input::say(format!("what about number {n}?")));
            } else {
                b.reply("", &[("r", "read", &format!(r#"{{"path":"src/{n}.rs"}}"#))]);
                b.end(&format!("text {n} {}", "word ".repeat(200)));
            }
        }
        assert!(shared * 100 >= calls * least, "{shared} of {calls} at {tokens}");
        let told = before.iter().map(|m| m.text.as_str()).collect::<Vec<_>>().join("\n");
        assert!(told.contains("the fact is 4711"), "orders stay");
        let dropped = told.contains("dropped to save room, read output:");
        assert_eq!(dropped, tokens == 16_000, "at {tokens}");
        assert_eq!(told.contains("text 0 word"), tokens != 16_000, "at {tokens}");
    }
}

#[test]
fn a_window_of_four_thousand_tokens_is_kept() {
    let window = Window::of(Some(4_000));
    let mut b = Bench::new();
    b.step(Input::say(format!("what is in src? {}", "x".repeat(6_000))));
    for n in 0..30 {
        b.reply("", &[("r", "read", &format!(r#"{{"path":"src/{n}.rs"}}"#))]);
        b.end(&"word ".repeat(4_000));
        let request = b.request_of(b.lane(), window);
        let all: usize = request.messages.iter().map(budget::size).sum();
        assert!(all + request.system.len() < 4 * 4_000, "{all}");
    }
}
