//! The review of changes: the room that it gets, what is counted, and where the keys go after it.

mod apart;
mod back;
mod leaving;
mod room;

use std::collections::BTreeMap;

use pilothouse_core::{
    blob::Blob,
    checkpoint::Answer,
    diff,
    event::FileChange,
    relpath::RelPath,
    tool::{ChangeKind, ProposalDraft, Redraft, ToolOutcome},
};

use super::*;

const OLD: &str = "one\n2\n3\n4\n5\n6\n7\n8\n9\nten\n";
const NEW: &str = "ONE\n2\n3\n4\n5\n6\n7\n8\n9\nTEN\n";

/// A desk whose changes lie on a disk of its own.
pub(super) struct Bench {
    pub(super) desk: Desk,
    blobs: BTreeMap<BlobId, Vec<u8>>,
}

#[test]
fn c_in_the_diff_comments_the_hunk_in_view_and_the_words_go_to_the_agent() {
    let mut b = Bench::new(100, 30);
    b.press("<ctrl-x>d");
    b.press("c");
    assert!(b.desk.text().contains("about hunk 1?"), "{}", b.desk.text());
    b.settle();
    b.desk.wait(1_000).press("call it first<enter>");
    let said = b.desk.inputs.iter().find_map(|input| match input {
        Input::Comment { hunk, text, .. } => Some((*hunk, text.clone())),
        _ => None,
    });
    assert_eq!(said, Some((0, "call it first".to_owned())), "{:?}", b.desk.inputs);
    b.settle();
    let text = b.desk.text();
    assert!(text.contains("commented") && text.contains("you: call it first"), "{text}");
    assert!(text.contains("goes with your decision"), "{text}");
    b.press("<esc>");
    assert!(b.desk.text().contains("you to src/a.rs, hunk 1: call it"), "{}", b.desk.text());
}

/// The oldest call proposes to change a file so.
fn proposed(desk: &mut Desk, blobs: &mut BTreeMap<BlobId, Vec<u8>>, name: &str, texts: [&str; 2]) {
    let call = desk.tools.remove(0);
    let [before, after] = texts.map(|t| Blob::new(t.as_bytes().to_vec()));
    for blob in [&before, &after] {
        blobs.insert(blob.id(), blob.bytes().to_vec());
    }
    let hunks = diff::hunks(before.bytes(), after.bytes());
    let mut outcome = ToolOutcome::text("proposed", "proposed");
    outcome.proposals = vec![ProposalDraft {
        notes: Vec::new(),
        path: RelPath::new(name).unwrap(),
        kind: ChangeKind::Modify,
        before: Some(before),
        after: Some(after),
        hunks,
    }];
    desk.give(Input::ToolEnded { call, outcome });
}

impl Bench {
    /// Two files with two hunks each wait.
    pub(super) fn new(width: u16, height: u16) -> Self {
        Self::of(width, height, ["src/a.rs", "src/b.rs"])
    }

    pub(super) fn of(width: u16, height: u16, names: [&str; 2]) -> Self {
        Self::on(Desk::new(width, height).with_plan(), names)
    }

    /// The same at a plan that waits.
    pub(super) fn on(desk: Desk, names: [&str; 2]) -> Self {
        Self::with(desk, names, [OLD, NEW])
    }

    /// The same with these texts, before and after.
    pub(super) fn with(mut desk: Desk, names: [&str; 2], texts: [&str; 2]) -> Self {
        let id = desk.state().phase_question().unwrap().id;
        let shown = desk.state().open[&id].kind.shown();
        desk.give(Input::Answer { checkpoint: id, answer: Answer::Approve, shown });
        desk.reply(
            "",
            &[
                ("edit", r#"{"path":"src/a.rs","edits":[{"old":"a","new":"b"}]}"#),
                ("edit", r#"{"path":"src/b.rs","edits":[{"old":"a","new":"b"}]}"#),
            ],
        );
        let mut blobs = BTreeMap::new();
        for name in names {
            proposed(&mut desk, &mut blobs, name, texts);
        }
        desk.reply("Done.", &[]);
        desk.collect();
        desk.draw();
        Self { desk, blobs }
    }

    /// The step at work proposes a change of one more file, and ends.
    pub(super) fn proposes(&mut self, name: &str) {
        let args = format!(r#"{{"path":"{name}","edits":[{{"old":"a","new":"b"}}]}}"#);
        self.desk.reply("", &[("edit", &args)]);
        proposed(&mut self.desk, &mut self.blobs, name, [OLD, NEW]);
        self.desk.reply("Done.", &[]);
        self.settle();
    }

    /// Keys after a look, with everything that the app asked for done.
    pub(super) fn press(&mut self, keys: &str) {
        self.settle();
        self.desk.wait(800).press(keys);
        self.settle();
    }

    /// What is written of a file of which hunks are undecided, and what waits on.
    fn keep_rest(&mut self, file: &mut FileChange, take: &pilothouse_core::work::Take) {
        if take.undecided.is_empty() {
            return;
        }
        let text = |id: Option<BlobId>| self.blobs[&id.unwrap()].clone();
        let (before, after) = (text(take.before), text(take.after));
        let written = diff::select(&before, &after, &take.hunks, &take.taken);
        let wanted = take.taken.union(&take.undecided).copied().collect();
        let rest = diff::select(&before, &after, &take.hunks, &wanted);
        let hunks = diff::hunks(&written, &rest);
        let (written, rest) = (Blob::new(written), Blob::new(rest));
        file.after = Some(written.id());
        file.rest = Some(pilothouse_core::event::Rest { after: rest.id(), hunks });
        for blob in [written, rest] {
            self.blobs.insert(blob.id(), blob.bytes().to_vec());
        }
    }

    pub(super) fn settle(&mut self) {
        self.desk.deliver();
        while let Some(ask) = self.desk.asks.pop() {
            if let Ask::Blob(id) = ask {
                let reply = Reply::Blob(id, self.blobs.get(&id).cloned());
                self.desk.app.update(Update::Answered(0, reply), self.desk.now);
            }
        }
        while let Some(work) = self.desk.writes.pop() {
            match work {
                Work::Prepare { apply, changes } => {
                    let file = |t: &pilothouse_core::work::Take| FileChange {
                        proposal: t.proposal,
                        mode: None,
                        path: t.path.clone(),
                        kind: t.kind,
                        before: t.before,
                        after: t.after,
                        added: t.taken.len(),
                        removed: t.taken.len(),
                        lines: 10,
                        rest: None,
                        changes: Vec::new(),
                    };
                    let mut files: Vec<FileChange> = changes.iter().map(file).collect();
                    for (file, take) in files.iter_mut().zip(&changes) {
                        self.keep_rest(file, take);
                    }
                    self.desk.give(Input::ApplyPrepared { apply, files: Ok((files, Vec::new())) });
                }
                Work::TakeBack { lane, files } => {
                    let ends = files.first().zip(files.last()).unwrap();
                    let [before, after] = [ends.1.after, ends.0.before]
                        .map(|id| id.map(|id| Blob::new(self.blobs[&id].clone())));
                    let text = |b: &Option<Blob>| b.as_ref().map(|b| b.bytes().to_vec()).unwrap_or_default();
                    let hunks = diff::hunks(&text(&before), &text(&after));
                    let kind = if after.is_some() { ChangeKind::Modify } else { ChangeKind::Delete };
                    let draft = ProposalDraft {
                        notes: Vec::new(),
                        path: ends.0.path.clone(),
                        kind,
                        before,
                        after,
                        hunks,
                    };
                    let result = Ok(pilothouse_core::input::Reversal { draft, meets: Vec::new() });
                    self.desk.give(Input::TakeBackMade { lane, result });
                }
                Work::Write { apply, .. } => self.desk.give(Input::ApplyEnded { apply, result: Ok(()) }),
                other => panic!("{other:?}"),
            }
        }
        self.desk.draw();
    }
}

#[test]
fn a_review_takes_the_whole_body_until_the_focus_leaves() {
    let mut bench = Bench::new(120, 40);
    assert!(bench.desk.text().contains("Conversation ─"));
    bench.press("<ctrl-x>d");
    let text = bench.desk.text();
    assert!(!text.contains("Conversation ─") && !text.contains("Plan · "), "{text}");
    assert!(text.contains("Proposed changes to src/a.rs:") && text.contains("undecided  [ ] 4"), "{text}");
    bench.press("<esc>");
    assert!(bench.desk.text().contains("Conversation ─"));
}

#[test]
fn the_bar_and_the_flag_count_what_is_still_open() {
    let mut bench = Bench::new(120, 40);
    let text = bench.desk.text();
    assert!(text.contains("2 files wait for your decision") && text.contains("⚑ 2 waiting"), "{text}");
    bench.press("<ctrl-x>d");
    // The same is counted whatever has the keys.
    for _ in 0..2 {
        let text = bench.desk.text();
        assert!(text.contains("⚑ 2 waiting") && !text.contains("⚑ 4"), "{text}");
        bench.press("y");
    }
    bench.press("a");
    let text = bench.desk.text();
    assert!(text.contains("edited src/a.rs (+2 -2 lines)"), "what was written is said: {text}");
    bench.press("<esc>");
    let text = bench.desk.text();
    assert!(text.contains("1 file waits for your decision") && text.contains("⚑ 1 waiting"), "{text}");
}

#[test]
fn with_nothing_left_to_decide_the_keys_go_back_to_the_draft() {
    for (width, height) in [(120, 40), (80, 24), (50, 20)] {
        let mut bench = Bench::new(width, height);
        bench.press("<ctrl-x>d");
        bench.press("s");
        assert_eq!(bench.desk.app.panes.focus, DIFF, "another file waits");
        bench.press("s");
        assert_eq!(bench.desk.app.panes.focus, Focus::Composer, "all is decided: {width}");
        // Who goes there while steps are to come waits for them, until the run has ended.
        bench.press("<ctrl-x>d");
        assert_eq!(bench.desk.app.panes.focus, DIFF);
        for _ in 0..2 {
            bench.desk.reply("nothing to change: it is right", &[]);
        }
        bench.desk.collect();
        assert_eq!(bench.desk.app.panes.focus, Focus::Composer, "{width}");
        bench.press("/undo<enter>");
        assert!(bench.desk.app.composer.history.newest_first().next().is_some(), "it was sent");
        assert!(!bench.desk.text().contains("Nothing proposed"), "{width}");
    }
}

#[test]
fn what_waits_on_the_user_does_not_move() {
    let mut bench = Bench::new(120, 40);
    assert!(!bench.desk.app.animated());
    assert!(bench.desk.text().contains("executing ⚑ waits for you"), "no spinner where nothing works");
    bench.desk.app.spin(3);
    assert!(bench.desk.text().contains("executing ⚑ waits for you"));
    bench.press("<ctrl-x>d");
    assert!(!bench.desk.app.animated());
}

#[test]
fn a_finished_plan_is_done_and_nobody_calls_it_set_aside() {
    let mut bench = Bench::new(120, 40);
    bench.press("<ctrl-x>d");
    bench.press("aa");
    bench.press("s");
    for _ in 0..2 {
        assert_eq!(bench.desk.thinking.len(), 1);
        bench.desk.reply("nothing to change: it is right", &[]);
    }
    bench.press("<ctrl-x>a");
    bench.press("y");
    while let Some(call) = bench.desk.tools.pop() {
        let exit = pilothouse_core::tool::Exit {
            code: Some(0),
            signal: None,
            timed_out: false,
            took: Millis(5),
            process: None,
            put_back: false,
        };
        let mut outcome = ToolOutcome::text("ok", "exit 0");
        outcome.exit = Some(exit);
        bench.desk.give(Input::ToolEnded { call, outcome });
    }
    assert_eq!(bench.desk.state().phase, Phase::Idle);
    let text = bench.desk.text();
    assert!(text.contains(" done ╮") && !text.contains("paused"), "{text}");
}

#[test]
fn a_partly_applied_file_counts_what_was_applied() {
    let mut bench = Bench::new(120, 40);
    bench.press("<ctrl-x>d");
    for key in ["y", "n", "{", "a", "<esc>"] {
        bench.press(key);
    }
    let text = bench.desk.text();
    let row = text.lines().find(|l| l.contains("└─ ✓ src/a.rs")).unwrap();
    assert!(row.contains("+1 -1"), "{row}");
}

#[test]
fn a_rejected_plan_is_set_aside_by_an_empty_line_and_by_one_step_back() {
    for (key, does) in [("<enter>", Input::say("")), ("<esc>", Input::Cancel)] {
        let mut desk = Desk::new(120, 40).with_plan();
        desk.draw();
        desk.wait(400).press("<ctrl-t>n").deliver();
        assert_eq!((desk.state().phase, desk.app.panes.focus), (Phase::Planning, Focus::Composer));
        assert!(!desk.app.animated(), "nothing runs meanwhile");
        desk.press(key);
        assert_eq!(desk.inputs, [does]);
        desk.deliver();
        assert_eq!((desk.state().phase, desk.state().plan_aside().is_some()), (Phase::Idle, true));
    }
}

#[test]
fn a_proposal_goes_to_the_editor_and_comes_back_as_another() {
    let mut bench = Bench::new(120, 40);
    bench.press("<ctrl-x>d");
    bench.press("e");
    let wishes = bench.desk.app.wishes();
    let handout = Handout { line: Some(1), ..Handout::new("a.rs", NEW.into()) };
    assert_eq!(wishes, [AppCommand::Edit(handout)]);
    bench.desk.app.edited(Ok(NEW.replace("TEN", "Ten\n11")), bench.desk.now);
    bench.desk.collect();
    let Some(Input::EditProposal { redraft: Redraft { draft, .. }, .. }) = bench.desk.inputs.first() else {
        panic!("{:?}", bench.desk.inputs)
    };
    assert_eq!((draft.kind, draft.hunks.len()), (ChangeKind::Modify, 2));
    let after = draft.after.clone().unwrap();
    bench.blobs.insert(after.id(), after.bytes().to_vec());
    bench.press("}{");
    let text = bench.desk.text();
    assert!(text.contains("+ Ten") && text.contains("+ 11") && !text.contains("+ TEN"), "{text}");
    assert_eq!(bench.desk.app.composer.draft.shown(), "", "the draft is another thing");
}

#[test]
fn an_edit_that_changes_nothing_or_fails_leaves_the_proposal() {
    let mut bench = Bench::new(120, 40);
    bench.press("<ctrl-x>d");
    for (text, said) in [
        (Ok(NEW.to_owned()), "nothing was changed in the editor"),
        (Ok(OLD.to_owned()), "s skips the file"),
        (Err(std::io::Error::other("it ended with 1")), "the proposal is unchanged"),
    ] {
        bench.press("e");
        bench.desk.app.wishes();
        bench.desk.app.edited(text, bench.desk.now);
        bench.desk.collect();
        assert_eq!(bench.desk.inputs, []);
        assert!(bench.desk.text().contains(said), "{said}");
    }
}

#[test]
fn a_long_draft_is_not_classified_and_a_frame_does_not_classify_again() {
    let mut desk = Desk::new(120, 40);
    desk.press("what is this");
    assert!(matches!(desk.app.previewed.2, Some(crate::preview::Preview::Path(..))));
    let marker = Some(crate::preview::Preview::Answer(None));
    desk.app.previewed.2.clone_from(&marker);
    desk.draw();
    assert_eq!(desk.app.previewed.2, marker, "neither text nor state changed");
    desk.app.composer.draft.set(Saved::plain("why ".repeat(25_000)));
    desk.press("x");
    assert_eq!(desk.app.previewed.2, None);
}

#[test]
fn a_command_is_judged_as_it_would_be_sent_at_any_length_and_pastes_unfolded() {
    let mut desk = Desk::new(120, 40);
    let judged = |desk: &Desk| match &desk.app.previewed.2 {
        Some(crate::preview::Preview::Shell(risk, ..)) => Some(*risk),
        Some(_) | None => None,
    };
    desk.app.composer.draft.set(Saved::plain(format!("!echo {}", "a".repeat(4_200))));
    desk.press(" ; rm -rf src");
    assert_eq!(judged(&desk), Some(pilothouse_core::shell::Risk::High));
    desk.app.composer.draft.set(Saved::plain("!echo "));
    desk.draw();
    desk.app.composer.draft.paste(&format!("{} ; rm -rf src", "a\\\n".repeat(200)));
    desk.draw();
    assert!(desk.app.composer.draft.shown().len() < 200, "the paste is folded");
    assert_eq!(judged(&desk), Some(pilothouse_core::shell::Risk::High));
}

#[test]
fn the_line_below_says_which_command_runs_outside_the_sandbox() {
    for width in [60, 100, 160] {
        let mut desk = Desk::new(width, 40);
        desk.press("!npm run build");
        assert!(desk.text().contains("a command   "), "{}", desk.text());
        desk.app.composer.draft.set(Saved::plain("!!npm run build"));
        desk.draw();
        assert!(desk.text().contains("a command outside the sandbox   "), "{}", desk.text());
    }
}

#[test]
fn poorer_terminals_get_ascii_and_rows_of_one_colour() {
    let mut bench = Bench::new(60, 20);
    bench.desk.app.looks.look.ascii = true;
    bench.desk.app.looks.glyphs = Glyphs::ASCII;
    bench.press("<ctrl-x>d");
    for size in [(60, 20), (120, 40), (40, 10), (20, 6)] {
        bench.desk.size = Rect::new(0, 0, size.0, size.1);
        let text = bench.desk.text();
        let odd: Vec<char> = text.chars().filter(|c| !c.is_ascii()).collect();
        assert!(odd.is_empty(), "{odd:?} {text}");
    }
    bench.desk.app.looks.theme =
        Theme::parse(Theme::source("default").unwrap(), true, Depth::Ansi16).unwrap();
    let (buf, _) = bench.desk.draw();
    let reversed = |c: &&ratatui::buffer::Cell| c.modifier.contains(ratatui::style::Modifier::REVERSED);
    let inks: Vec<_> = buf.content.iter().filter(reversed).map(|c| c.fg).collect();
    assert!(inks.len() > 5 && inks.iter().all(|c| *c == inks[0]), "{inks:?}");
}

#[test]
fn y_then_a_never_reaches_the_next_file() {
    let mut bench = Bench::new(120, 40);
    bench.press("<ctrl-x>d");
    bench.press("y");
    bench.press("y");
    let text = bench.desk.text();
    assert!(text.contains("Proposed changes to src/b.rs:"), "what is left to decide is there: {text}");
    assert!(
        text.contains("a applies 2 taken hunks of a.rs"),
        "what is done is written by the key yet: {text}"
    );
    bench.press("a");
    let written: Vec<_> = bench.desk.state().ledger().to_vec();
    assert_eq!(written.len(), 1);
    let open: Vec<_> =
        bench.desk.state().open_proposals().map(|p| (p.path.to_string(), p.decided.len())).collect();
    assert_eq!(open, [("src/b.rs".to_owned(), 0)]);
    assert!(bench.desk.text().contains("Proposed changes to src/b.rs:"));
}

#[test]
fn after_a_finished_file_any_other_key_makes_a_mean_the_file_at_the_cursor() {
    let mut bench = Bench::new(120, 40);
    for key in ["<ctrl-x>d", "y", "y", "j", "a"] {
        bench.press(key);
    }
    let text = bench.desk.text();
    assert!(bench.desk.state().ledger().is_empty() && text.contains("Apply the whole file"), "{text}");
}

#[test]
fn an_undecided_hunk_is_never_thrown_away_by_applying() {
    let mut bench = Bench::new(120, 40);
    bench.press("<ctrl-x>d");
    bench.press("y");
    assert!(
        bench.desk.text().contains("a applies 1 hunk of a.rs; 1 stays undecided"),
        "{}",
        bench.desk.text()
    );
    bench.press("A");
    let text = bench.desk.text();
    assert!(text.contains("1 of 2 hunks taken, 1 undecided"), "{text}");
    bench.press("a");
    let mut waits: Vec<_> =
        bench.desk.state().open_proposals().map(|p| (p.path.to_string(), p.tally())).collect();
    waits.sort();
    let undecided = [("src/a.rs".to_owned(), (0, 0, 1)), ("src/b.rs".to_owned(), (0, 0, 2))];
    assert_eq!(waits, undecided, "the taken hunk is written, the others wait on");
    let rest = bench.desk.state().open_proposals().find(|p| p.path.as_str() == "src/a.rs").unwrap();
    assert_eq!(bench.blobs[&rest.before.unwrap()], OLD.replace("one", "ONE").into_bytes());
}

#[test]
fn where_all_is_decided_either_key_applies_what_the_sheet_shows() {
    let mut bench = Bench::new(120, 40);
    bench.press("<ctrl-x>d");
    for key in ["y", "n", "y", "y"] {
        bench.press(key);
    }
    bench.press("A");
    assert!(bench.desk.text().contains("A a applies them"), "{}", bench.desk.text());
    let before = bench.desk.state().ledger().len();
    bench.press("a");
    assert_eq!(bench.desk.state().ledger().len(), before + 1, "{}", bench.desk.text());
    assert_eq!(bench.desk.state().open_proposals().count(), 0);
}

#[test]
fn of_every_file_all_that_is_not_left_is_written_by_the_key_that_applies_all() {
    let mut bench = Bench::new(120, 40);
    bench.press("<ctrl-x>d");
    bench.press("n");
    bench.press("A");
    let text = bench.desk.text();
    assert!(text.contains("1 of 2 hunks, 1 left out") && text.contains("atomically"), "{text}");
    assert!(!text.contains("a applies"), "nothing is taken so far: {text}");
    let before = bench.desk.state().ledger().len();
    bench.press("a");
    assert_eq!(bench.desk.state().ledger().len(), before, "any other key goes back");
    bench.press("A");
    bench.press("A");
    assert_eq!(bench.desk.state().ledger().len(), before + 1, "{}", bench.desk.text());
    assert_eq!(bench.desk.state().open_proposals().count(), 0);
    let left = bench.desk.state().proposals().values().find(|p| p.path.as_str() == "src/a.rs").unwrap();
    assert_eq!(left.tally(), (1, 1, 0));
}

#[test]
fn a_writes_the_taken_hunks_and_the_others_wait_on_against_what_is_written() {
    let mut bench = Bench::new(120, 40);
    bench.press("<ctrl-x>d");
    bench.press("y");
    bench.press("a");
    let told = "edited src/a.rs (+1 -1 lines); its 1 undecided hunk waits on";
    assert!(bench.desk.text().contains(told), "{}", bench.desk.text());
    let state = bench.desk.state();
    assert_eq!(state.ledger().len(), 1);
    let rest = state.open_proposals().find(|p| p.path.as_str() == "src/a.rs").unwrap();
    assert_eq!(rest.tally(), (0, 0, 1), "the other hunk is as undecided as before");
    assert_eq!(bench.blobs[&rest.before.unwrap()], OLD.replace("one", "ONE").into_bytes());
    assert_eq!(bench.blobs[&rest.after.unwrap()], NEW.as_bytes());
    // It keeps its place; the review went on with the next file.
    bench.press("{");
    let text = bench.desk.text();
    assert!(text.contains("Proposed changes to src/a.rs:") && text.contains("+ TEN"), "{text}");
    assert!(!text.contains("+ ONE"), "what is written is no change any more: {text}");
    bench.press("y");
    bench.press("a");
    let files: Vec<_> = bench.desk.state().open_proposals().map(|p| p.path.to_string()).collect();
    assert_eq!((bench.desk.state().ledger().len(), files), (2, vec!["src/b.rs".to_owned()]));
}

#[test]
fn a_hunk_that_was_left_does_not_come_back_with_the_undecided_ones() {
    let mut bench = Bench::new(120, 40);
    bench.press("<ctrl-x>d");
    bench.press("n");
    bench.press("a");
    assert!(bench.desk.state().ledger().is_empty(), "nothing is taken, so nothing is written");
    assert!(bench.desk.text().contains("1 hunk of a.rs undecided: y or n, then a"), "{}", bench.desk.text());
}

#[test]
fn an_empty_enter_opens_what_waits_and_decides_nothing() {
    let mut bench = Bench::new(120, 40);
    assert!(bench.desk.text().contains("Enter reviews"), "{}", bench.desk.text());
    bench.press("<enter>");
    assert_eq!(bench.desk.app.panes.focus, DIFF);
    assert_eq!(bench.desk.inputs, []);
}

#[test]
fn the_list_closes_itself_when_nothing_waits() {
    let mut bench = Bench::new(120, 40);
    bench.press("<ctrl-x>a");
    assert_eq!(bench.desk.app.overlays.len(), 1);
    bench.desk.give(Input::Cancel);
    assert!(bench.desk.state().open.is_empty());
    assert_eq!(bench.desk.app.overlays.len(), 0);
}

#[test]
fn n_on_a_plan_in_the_list_rejects_it_and_enter_never_approves_after_it() {
    let mut desk = Desk::new(120, 40).with_plan();
    assert!(desk.text().contains("Enter approves the plan"), "{}", desk.text());
    desk.wait(900).press("<ctrl-x>a").wait(900).press("n").deliver();
    assert!(desk.app.guiding(), "{}", desk.text());
    desk.wait(900).press("<enter>").deliver();
    assert!(desk.state().run.is_none() && desk.state().plan.is_none());
    assert_eq!(desk.state().phase, Phase::Idle);
}

#[test]
fn a_cancel_before_the_first_word_leaves_no_spinner() {
    let mut desk = Desk::new(120, 40);
    desk.press("what is this<enter>").deliver();
    assert!(desk.text().contains("thinking"), "{}", desk.text());
    desk.press("<ctrl-c>").deliver();
    assert!(!desk.text().contains("thinking") && !desk.text().contains("⠋"), "{}", desk.text());
}
