#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::wildcard_enum_match_arm,
    clippy::format_collect
)]
use crossterm::event::KeyCode;
use pilothouse_core::{
    blob::Blob,
    checkpoint::{Answer, Checkpoint},
    event::Event,
    ids::*,
    input::Input,
    intent::IntentNode,
    plan::Plan,
    port::Reply,
    proposal::{Decision, TakeBack},
    redact::Redactor,
    session::LaneKind,
    tool::ChangeKind,
};
use proptest::prelude::*;

use ratatui::buffer::Buffer;

use super::*;
use crate::{
    pane::{Focus, Pane, plan},
    story::*,
};

mod long;
mod many;
mod rest;
mod tabs;

struct Screen {
    story: Story,
    pane: DiffPane,
    store: Vec<Blob>,
}

impl Screen {
    fn new() -> Self {
        Self { story: Story::new(), pane: DiffPane::with_highlighter(Highlighter::off()), store: Vec::new() }
    }

    fn tell(&mut self, event: Event) {
        let stamped = self.story.tell(event);
        self.pane.fold(self.story.session.state(), &stamped);
    }

    fn propose(&mut self, id: u64, file: &str, before: impl AsRef<[u8]>, after: impl AsRef<[u8]>) {
        let (event, blobs) = proposal(id, file, before, after);
        self.store.extend(blobs);
        self.tell(event);
    }

    /// Answers what the pane asked for.
    fn serve(&mut self) {
        for ask in self.pane.asks() {
            if let Ask::Blob(id) = ask {
                let bytes = self.store.iter().find(|b| b.id() == id).map(|b| b.bytes().to_vec());
                self.pane.answered(&Reply::Blob(id, bytes), &Redactor::knowing(["the one in use"]));
            }
        }
    }

    fn draw(&mut self, width: u16, height: u16) -> Buffer {
        let (size, area) = area(width, height);
        let mut buf = Buffer::empty(area);
        self.pane.layout(&self.story.ctx(), size);
        self.serve();
        self.pane.layout(&self.story.ctx(), size);
        self.pane.render(&self.story.ctx(), area, &mut buf, true);
        self.pane.drew(true, &self.story.ctx(), self.story.ctx().at);
        buf
    }

    fn text(&mut self, width: u16, height: u16) -> Vec<String> {
        text(&self.draw(width, height))
    }

    /// Carries the action out; decisions are told to the session as the driver would.
    fn act(&mut self, action: DiffAction) -> Outcome {
        let outcome = self.pane.take(action, &self.story.ctx());
        for input in &outcome.inputs {
            if let Input::Decide { proposal, hunk, decision, .. } = input {
                let (proposal, hunk, decision) = (*proposal, *hunk, *decision);
                self.tell(Event::HunkDecided { proposal, hunk, decision, comment: None });
            } else if let Input::Split { proposal, hunk, .. } = input {
                let (proposal, hunk) = (*proposal, *hunk);
                let parts = self.story.session.state().proposals()[&proposal].hunks[hunk].parts();
                self.tell(Event::HunkSplit { proposal, hunk, parts });
            } else if let Input::DecideLines { proposal, hunk, lines, decision, .. } = input {
                let (proposal, decision) = (*proposal, *decision);
                let whole = self.story.session.state().proposals()[&proposal].hunks[*hunk].clone();
                let (parts, at) = whole.cut(lines.clone()).unwrap();
                if parts.len() > 1 {
                    self.tell(Event::HunkSplit { proposal, hunk: *hunk, parts });
                }
                self.tell(Event::HunkDecided { proposal, hunk: hunk + at, decision, comment: None });
            }
        }
        outcome
    }

    fn row(&mut self, width: u16, height: u16, part: &str) -> u16 {
        let rows = self.text(width, height);
        u16::try_from(
            rows.iter().position(|r| r.contains(part)).unwrap_or_else(|| panic!("{part} in {rows:#?}")),
        )
        .unwrap()
    }
}

const BEFORE: &str = "use crate::auth;\nuse crate::http;\n\nfn submit(form: Form) {\n    let user = find(&form);\n    if authenticate(&user, &form.password) {\n        start(user);\n    }\n}\n\nfn other() {\n    one();\n    two();\n    three();\n    four();\n}\n\nfn too_many() -> Error {\n    Error::Busy\n}\n";

fn after() -> String {
    BEFORE
        .replace("    if authenticate(", "    let key = limits.key();\n    if auth::check(")
        .replace("    Error::Busy\n", "    Error::TooMany\n")
}

/// A file with two hunks, up for review.
fn two_hunks() -> Screen {
    let mut s = Screen::new();
    s.tell(lane(1, LaneKind::Task(TaskId(2)), IntentNode::Modify));
    s.propose(20, "src/auth/login.rs", BEFORE, after());
    s.tell(review(30, &[20]));
    s
}

#[test]
fn that_nothing_checks_a_plan_that_began_by_itself_stands_above_its_change() {
    let said = "Nothing checks this plan: this folder is not trusted.";
    for (agreed, told) in [(false, true), (true, false)] {
        let mut s = Screen::new();
        s.tell(Event::PlanReady { plan: Plan { unchecked: Some(said.into()), ..crate::story::plan() } });
        if agreed {
            let kind = pilothouse_core::question::Confirmation::default().into();
            let checkpoint = Checkpoint { id: CheckpointId(5), kind, message: "Proceed?".into(), run: None };
            s.tell(Event::CheckpointOpened { checkpoint });
            let answer = Some(Answer::Approve);
            let approval = Some(ApprovalId(6));
            s.tell(Event::CheckpointResolved { checkpoint: CheckpointId(5), answer, approval });
        }
        s.tell(Event::RunStarted { run: RunId(7), turn: TurnId(1), approval: None });
        s.tell(lane(1, LaneKind::Task(TaskId(2)), IntentNode::Modify));
        s.propose(20, "src/auth/login.rs", BEFORE, after());
        s.propose(21, "src/auth/logout.rs", BEFORE, after());
        s.tell(review(30, &[20, 21]));
        // It is said of the plan, and not of each of its files.
        for first in [told, false] {
            let rows = s.text(100, 40);
            assert_eq!(rows.iter().any(|row| row.contains(said)), first, "{rows:#?}");
            s.act(DiffAction::NextFile);
        }
    }
}

#[test]
fn a_change_is_shown_in_hunks_with_context_numbers_and_signs() {
    let mut s = two_hunks();
    let expected = [
        " Path: Conversation → Act → Write → Modify",
        " Proposed changes to src/auth/login.rs:                           +3 -2",
        "",
        " ▸ [ ]  @@ -3,7 +3,8 @@  fn submit",
        "   3    3",
        "   4    4     fn submit(form: Form) {",
        "   5    5         let user = find(&form);",
        "   6        -     if authenticate(&user, &form.password) {",
        "        6   +     let key = limits.key();",
        "        7   +     if auth::check(&user, &form.password) {",
        "   7    8             start(user);",
        "   8    9         }",
        "   9   10     }",
        "",
        "   [ ]  @@ -16,5 +17,5 @@  fn too_many",
        "  16   17     }",
        "  17   18",
        "  18   19     fn too_many() -> Error {",
        "  19        -     Error::Busy",
        "       20   +     Error::TooMany",
        "  20   21     }",
        "",
        "",
        "",
        "",
        " a asks to apply all of login.rs (2 undecided)      [✓] 0  [–] 0  [ ] 2",
    ];
    assert_eq!(s.text(72, 26), expected);
}

#[test]
fn signs_numbers_and_grounds_say_the_same_and_only_changed_words_stand_out() {
    let mut s = two_hunks();
    let gone = s.row(72, 26, "if authenticate");
    let buf = s.draw(72, 26);
    let theme = s.story.theme.clone();
    assert_eq!(inks(&buf, &theme, gone).get(..13).unwrap(), "   r        R");
    let old = [".".repeat(11), "-".repeat(10), "R".repeat(12), "-".repeat(38), ".".to_owned()].concat();
    assert_eq!(grounds(&buf, &theme, gone), old);
    let came = s.row(72, 26, "if auth::check");
    let ground = grounds(&buf, &theme, came);
    assert!(ground.contains("AAAA") && ground.starts_with("...........+"), "{ground}");
    let fresh = s.row(72, 26, "let key");
    assert!(!grounds(&buf, &theme, fresh).contains('A'), "a new line has no changed words");
    let head = s.row(72, 26, "@@ -3,7");
    assert!(grounds(&buf, &theme, head).contains("ssssssss"));
}

#[test]
fn deciding_goes_to_the_next_undecided_hunk_and_is_bound_to_what_was_shown() {
    let mut s = two_hunks();
    s.draw(72, 26);
    let shown = s.story.session.state().proposals()[&ProposalId(20)].shown();
    let first = s.act(DiffAction::Take);
    let decided = |hunk, decision| Input::Decide { proposal: ProposalId(20), hunk, decision, shown };
    assert_eq!(first.inputs, [decided(0, Some(Decision::Taken))]);
    let rows = s.text(72, 26);
    assert!(rows[3].starts_with("   [✓]  @@ -3,7") && rows[3].ends_with("taken"), "{}", rows[3]);
    assert!(rows[14].starts_with(" ▸ [ ]  @@ -16,5"), "{}", rows[14]);
    assert_eq!(rows[25], " a applies 1 hunk of login.rs; 1 stays undecided    [✓] 1  [–] 0  [ ] 1");
    assert_eq!(s.act(DiffAction::Leave).inputs, [decided(1, Some(Decision::Left))]);
    assert_eq!(s.act(DiffAction::Toggle).inputs, [decided(1, None)]);
    s.act(DiffAction::PreviousHunk);
    assert_eq!(s.act(DiffAction::Toggle).inputs, [decided(0, Some(Decision::Left))]);
    s.act(DiffAction::NextHunk);
    s.act(DiffAction::Leave);
    assert!(s.text(72, 26)[25].starts_with(" a applies nothing of login.rs"));
}

#[test]
fn a_hunk_is_split_into_its_changes_and_then_into_its_lines() {
    let mut s = Screen::new();
    s.tell(lane(1, LaneKind::Task(TaskId(2)), IntentNode::Modify));
    s.propose(20, "src/x.rs", "a\nb\nc\nd\n", "A\nb\nc\nD\nE\n");
    s.tell(review(30, &[20]));
    s.draw(72, 26);
    let shown = |s: &Screen| s.story.session.state().proposals()[&ProposalId(20)].shown();
    let split = |hunk, shown| Input::Split { proposal: ProposalId(20), hunk, shown };
    let before = shown(&s);
    assert_eq!(s.act(DiffAction::Split).inputs, [split(0, before)]);
    assert_ne!(shown(&s), before, "a key for the hunk that was is for none of its parts");
    s.act(DiffAction::Take);
    let now = shown(&s);
    assert_eq!(s.act(DiffAction::Split).inputs, [split(1, now)]);
    s.act(DiffAction::Leave);
    s.act(DiffAction::Take);
    let p = &s.story.session.state().proposals()[&ProposalId(20)];
    assert_eq!((p.hunks.len(), p.tally()), (3, (2, 1, 0)));
    let (before, after) = (b"a\nb\nc\nd\n", b"A\nb\nc\nD\nE\n");
    assert_eq!(pilothouse_core::diff::select(before, after, &p.hunks, &p.chosen()), b"A\nb\nc\nd\nE\n");
    let refused = s.act(DiffAction::Split);
    assert_eq!(refused.inputs, [], "one line has no parts");
    assert_eq!(refused.notice.as_deref(), Some("this hunk is one line; it cannot be split"));
}

#[test]
fn lines_of_a_hunk_are_chosen_marked_and_decided_by_themselves() {
    let mut s = Screen::new();
    s.tell(lane(1, LaneKind::Task(TaskId(2)), IntentNode::Modify));
    s.propose(20, "src/x.rs", "a\nb\nc\nd\n", "A\nB\nC\nD\n");
    s.tell(review(30, &[20]));
    s.draw(72, 26);
    let marked = |s: &mut Screen| -> Vec<String> {
        let rows = s.text(72, 26);
        let lit = rows.into_iter().filter(|r| r.starts_with('▸') && !r.contains("@@"));
        lit.map(|r| r.trim_start_matches('▸').split_whitespace().collect::<Vec<_>>().join(" ")).collect()
    };
    assert!(marked(&mut s).is_empty());
    s.act(DiffAction::Lines);
    assert_eq!(marked(&mut s), ["1 - a", "1 + A"]);
    s.act(DiffAction::Down);
    s.act(DiffAction::Lines);
    s.act(DiffAction::Down);
    assert_eq!(marked(&mut s), ["2 - b", "3 - c", "2 + B", "3 + C"]);
    let shown = s.story.session.state().proposals()[&ProposalId(20)].shown();
    let taken = Some(Decision::Taken);
    let lines = Input::DecideLines { proposal: ProposalId(20), hunk: 0, lines: 1..3, decision: taken, shown };
    assert_eq!(s.act(DiffAction::Toggle).inputs, [lines]);
    assert!(marked(&mut s).is_empty());
    // What stands behind them is next.
    s.act(DiffAction::Leave);
    let p = &s.story.session.state().proposals()[&ProposalId(20)];
    let decided: Vec<_> = (0..3).map(|h| p.decided.get(&h).copied()).collect();
    assert_eq!(decided, [None, taken, Some(Decision::Left)]);
    // Any other key leaves them, and Esc does nothing else.
    s.act(DiffAction::PreviousHunk);
    assert!(s.pane.lines.is_none() && s.act(DiffAction::Lines).notice.is_some(), "one line");
    let mut s = two_hunks();
    s.draw(72, 26);
    s.act(DiffAction::Lines);
    s.act(DiffAction::Up);
    assert!(s.pane.close() && s.pane.lines.is_none() && !s.pane.close());
}

#[test]
fn applying_and_skipping_name_the_file_and_the_hash() {
    let mut s = two_hunks();
    s.draw(72, 26);
    let shown = s.story.session.state().proposals()[&ProposalId(20)].shown();
    let apply = |rest| Input::Apply { proposals: vec![(ProposalId(20), shown)], word: None, rest };
    assert!(s.act(DiffAction::Apply).inputs.is_empty(), "nothing is decided: the sheet comes first");
    assert_eq!(s.act(DiffAction::Apply).inputs, [apply(false)]);
    assert!(s.act(DiffAction::ApplyAll).inputs.is_empty(), "the sheet comes first");
    let rows = s.text(72, 26);
    assert_eq!(rows[2], "   src/auth/login.rs                            all 2 hunks (undecided)");
    assert_eq!(s.act(DiffAction::ApplyAll).inputs, [apply(true)]);
    assert_eq!(
        s.act(DiffAction::Skip).inputs,
        [Input::Skip { proposals: vec![ProposalId(20)], reason: String::new() }]
    );
    let up = s.act(DiffAction::UpToPlan);
    assert_eq!((up.inputs, up.focus), (vec![Input::Up], Some(Focus::Pane(plan::ID))));
}

#[test]
fn nothing_is_decided_or_written_before_it_was_seen_or_is_up_for_review() {
    let mut s = Screen::new();
    s.propose(20, "src/a.rs", "a\n", "b\n");
    let (size, _) = area(60, 20);
    s.pane.layout(&s.story.ctx(), size);
    assert!(s.act(DiffAction::Take).inputs.is_empty(), "still loading");
    s.draw(60, 20);
    assert!(s.act(DiffAction::Apply).inputs.is_empty(), "it is not up for review");
    assert!(s.act(DiffAction::ApplyAll).notice.is_some());
    assert_eq!(s.act(DiffAction::Take).inputs.len(), 1);
}

#[test]
fn a_removal_is_shown_whole_and_wants_a_word() {
    let mut s = Screen::new();
    s.propose(20, "docs/old.md", "one\ntwo\n", "");
    s.tell(review(30, &[20]));
    let rows = s.text(60, 14);
    assert!(rows.iter().any(|r| r.contains("The whole file is removed")), "{rows:#?}");
    assert!(
        rows.iter().any(|r| r.ends_with("-  one")) || rows.iter().any(|r| r.contains("- one")),
        "{rows:#?}"
    );
    let outcome = s.act(DiffAction::Apply);
    assert!(outcome.inputs.is_empty());
    let shown = s.story.session.state().proposals()[&ProposalId(20)].shown();
    let mut typed = |line: &str| {
        let mut prompt = s.pane.take(DiffAction::Apply, &s.story.ctx()).open.unwrap();
        let ctx = s.story.ctx();
        prompt.drew(true, &ctx, ctx.at);
        let keys = line.chars().map(KeyCode::Char).chain([KeyCode::Enter]);
        let outcomes = keys.map(|key| prompt.key(key.into(), &ctx).unwrap());
        outcomes.last().unwrap().inputs
    };
    assert_eq!(typed("yes"), []);
    let wanted =
        Input::Apply { proposals: vec![(ProposalId(20), shown)], word: Some("old.md".into()), rest: false };
    assert_eq!(typed(" old.md "), [wanted]);
    assert_eq!(typed("delete").len(), 1);
}

#[test]
fn the_removal_of_an_empty_file_asks_for_its_word_as_well() {
    let mut s = Screen::new();
    s.tell(lane(1, LaneKind::Task(TaskId(2)), IntentNode::Delete));
    let (mut event, blobs) = proposal(20, "docs/empty.md", "", "");
    let Event::Proposed { proposal, .. } = &mut event else { panic!("{event:?}") };
    (proposal.kind, proposal.before, proposal.after) = (ChangeKind::Delete, Some(blobs[0].id()), None);
    s.store.extend(blobs);
    s.tell(event);
    s.tell(review(30, &[20]));
    s.draw(60, 14);
    let outcome = s.act(DiffAction::Apply);
    assert!(
        outcome.inputs.is_empty() && outcome.open.is_some(),
        "without it nothing is written: {outcome:?}"
    );
}

#[test]
fn a_comment_that_a_hunk_has_is_changed_and_not_written_anew() {
    let mut s = two_hunks();
    s.draw(72, 26);
    let comment = Some("in capitals".to_owned());
    s.tell(Event::HunkDecided { proposal: ProposalId(20), hunk: 0, decision: None, comment });
    let mut prompt = s.act(DiffAction::Comment).open.unwrap();
    let ctx = s.story.ctx();
    prompt.drew(true, &ctx, ctx.at);
    let keys = [KeyCode::Char('!'), KeyCode::Enter];
    let inputs = keys.map(|key| prompt.key(key.into(), &ctx).unwrap()).last().unwrap().inputs.clone();
    assert!(
        matches!(&inputs[..], [Input::Comment { text, hunk: 0, .. }] if text == "in capitals!"),
        "{inputs:?}"
    );
    // Another hunk has none yet.
    s.act(DiffAction::NextHunk);
    assert_eq!(s.act(DiffAction::Comment).open.unwrap().readable(), Some(""));
}

#[test]
fn a_failed_write_says_why_until_the_next_decision() {
    let mut s = two_hunks();
    s.draw(72, 26);
    s.tell(Event::ApplyApproved {
        apply: ApplyId(40),
        approval: ApprovalId(41),
        by: "user".into(),
        take: vec![(ProposalId(20), [0].into())],
    });
    assert!(s.text(72, 26)[25].contains("login.rs is being written"));
    assert!(s.act(DiffAction::Take).inputs.is_empty());
    s.tell(Event::ApplyFailed {
        apply: ApplyId(40),
        message: "src/auth/login.rs changed".into(),
        stale: true,
    });
    let rows = s.text(72, 26);
    assert!(rows[2].starts_with(" ✗ Not written: src/auth/login.rs changed."), "{rows:#?}");
    s.act(DiffAction::Take);
    assert!(!s.text(72, 26).iter().any(|r| r.contains("Not written")));
}

#[test]
fn what_has_to_be_known_of_a_change_stands_whole_below_its_name_or_is_counted() {
    let mut s = two_hunks();
    let why = "Not written: src/auth/login.rs changed while it was read, and what stands there now is not what \
               was shown; the rest stands wherever nothing else changed.";
    for height in 8..26 {
        s.pane.failed = vec![(ProposalId(20), why.to_owned())];
        let rows = s.text(46, height);
        let text = rows.join("\n");
        assert!(text.contains("login.rs:"), "{height}: {rows:#?}");
        let whole = ["✗ Not written", "nothing else changed."].map(|part| text.contains(part));
        assert!(whole == [true; 2] || text.contains("… 1 more in a taller window"), "{height}: {rows:#?}");
    }
}

#[test]
fn from_100_columns_on_the_files_stand_at_the_left() {
    let mut s = two_hunks();
    s.propose(21, "src/core/bucket.rs", "", "pub struct Bucket;\n");
    s.tell(review(31, &[21]));
    s.draw(110, 16);
    s.act(DiffAction::Take);
    let rows = s.text(110, 16);
    let list: Vec<String> =
        rows.iter().map(|r| r.chars().take(31).collect::<String>().trim_end().to_owned()).collect();
    assert_eq!(
        list,
        [
            " src/auth/login.rs       +3 -2",
            "   [✓] hunk 1",
            " ▸ [ ] hunk 2",
            "",
            " src/core/bucket.rs         +1",
            "   [ ] new file",
            "",
            "",
            "",
            "",
            "",
            "",
            "",
            " taken      [✓] 1",
            " left       [–] 0",
            " undecided  [ ] 2",
        ]
        .map(str::to_owned)
    );
    let foot = " a applies 1 hunk of login.rs; 1 stays undecided  v lines  c comment  S split";
    assert!(rows[15].ends_with(foot), "{}", rows[15]);
}

#[test]
fn files_are_walked_and_all_of_them_shown_together() {
    let mut s = two_hunks();
    s.propose(21, "src/core/bucket.rs", "", "pub struct Bucket;\n");
    s.draw(72, 26);
    s.act(DiffAction::NextFile);
    assert!(s.text(72, 26).iter().any(|r| r.contains("Proposed changes to src/core/bucket.rs:")));
    assert_eq!(s.pane.title(&s.story.ctx()).left, "Diff · src/core/bucket.rs · file 2/2 · hunk 1/1");
    s.act(DiffAction::DiffAll);
    s.act(DiffAction::PreviousFile);
    let rows = s.text(72, 40);
    let at = |part: &str| rows.iter().position(|r| r.contains(part)).unwrap();
    assert!(at("Error::TooMany") < at("pub struct Bucket;"));
}

#[test]
fn side_by_side_needs_room() {
    let mut s = two_hunks();
    s.draw(80, 26);
    assert!(s.act(DiffAction::SideBySide).notice.is_some());
    s.draw(120, 26);
    s.act(DiffAction::SideBySide);
    let rows = s.text(120, 26);
    let row = rows.iter().find(|r| r.contains("authenticate")).unwrap();
    assert!(row.contains("│    6  + "), "{row}");
    assert!(rows.iter().all(|r| r.chars().count() <= 120));
}

#[test]
fn long_lines_wrap_and_nothing_of_a_change_is_hidden() {
    let mut s = Screen::new();
    let long = (0..60).map(|n| format!("w{n} ")).collect::<String>();
    s.propose(20, "a.txt", "x\n", format!("{long}\n"));
    s.tell(review(30, &[20]));
    let all = s.text(60, 20).join(" ");
    for n in 0..60 {
        assert!(all.contains(&format!("w{n}")), "w{n}");
    }
}

#[test]
fn beside_the_conversation_a_line_has_one_number_and_a_long_one_begins_at_what_changed() {
    let line = |sign: &str| {
        format!(
            "    return invoice.paid is None and invoice.due is not None and (today - invoice.due).days {sign} GRACE\n"
        )
    };
    let mut s = Screen::new();
    s.propose(20, "a.py", line("<"), line(">"));
    s.tell(review(30, &[20]));
    let low = s.text(48, 8);
    let changed: Vec<&String> = low.iter().filter(|row| row.contains(").days")).collect();
    assert!(
        matches!(changed.as_slice(), [old, new] if old.contains("1  - …") && new.contains("1  + …")),
        "{low:#?}"
    );
    // With the keys in it all of it stands there.
    let focus = Focus::Pane(ID);
    let (size, _) = area(48, 8);
    s.pane.layout(&crate::pane::Ctx { focus, ..s.story.ctx() }, size);
    let whole: String = s.pane.rows.iter().map(Row::text).collect();
    assert!(whole.contains("return invoice.paid") && !whole.contains("- …"), "{whole}");
}

#[test]
fn hostile_text_and_missing_newlines_are_shown() {
    let mut s = Screen::new();
    s.propose(20, "a.txt", "ok\n", "evil\x1b[2J\u{202e}\nend");
    s.tell(review(30, &[20]));
    let all = s.text(70, 14).join("\n");
    assert!(all.contains("evil␛[2J<U+202E>") && all.contains("(no newline at the end)"), "{all}");
}

#[test]
fn line_endings_are_shown_where_they_change() {
    let mut s = Screen::new();
    s.propose(20, "a.txt", "one\r\ntwo\r\n", "one\r\nthree\r\n");
    s.tell(review(30, &[20]));
    assert!(!s.text(70, 14).join("").contains('␍'));
    let mut s = Screen::new();
    s.propose(20, "a.txt", "one\r\n", "one\n");
    s.tell(review(30, &[20]));
    assert!(s.text(70, 14).join("").contains("one␍"));
}

#[test]
fn a_comment_is_asked_for_and_is_about_the_hunk_that_is_shown() {
    let mut s = two_hunks();
    s.draw(72, 26);
    s.act(DiffAction::NextHunk);
    let asked = format!("{:?}", s.act(DiffAction::Comment));
    assert!(asked.contains("about hunk 2?") && asked.contains("hunk: 1"), "{asked}");
}

#[test]
fn keys_without_proposals_do_nothing() {
    let mut s = Screen::new();
    let rows = s.text(60, 9);
    assert_eq!(rows[3], " ✧  Nothing proposed.");
    for action in [
        DiffAction::Take,
        DiffAction::Apply,
        DiffAction::ApplyAll,
        DiffAction::Skip,
        DiffAction::Comment,
        DiffAction::UpToPlan,
        DiffAction::Bottom,
    ] {
        assert_eq!(format!("{:?}", s.act(action)), format!("{:?}", Outcome::none()));
    }
}

#[test]
fn a_diff_of_many_lines_draws_only_what_is_seen() {
    let mut s = Screen::new();
    let before: String = (0..20_000).map(|n| format!("line {n}\n")).collect();
    let after: String = (0..20_000)
        .map(|n| if n % 100 == 0 { format!("changed {n}\n") } else { format!("line {n}\n") })
        .collect();
    s.propose(20, "big.txt", &before, &after);
    s.tell(review(30, &[20]));
    s.draw(80, 40);
    s.act(DiffAction::Bottom);
    assert!(s.text(80, 40).iter().any(|r| r.contains("line 19903")));
    assert!(s.pane.words.borrow().len() < 20, "only hunks that were seen are looked into");
}

#[test]
fn a_long_line_is_laid_out_once_whatever_keys_come() {
    let line = |n: usize, mark: &str| format!("{}{mark}{}\n", "word ".repeat(n / 2), "more ".repeat(n / 2));
    let mut s = Screen::new();
    s.propose(20, "bundle.js", line(200_000, "old"), line(200_000, "new"));
    s.tell(review(30, &[20]));
    let first = s.text(80, 24);
    s.act(DiffAction::Bottom);
    s.draw(80, 24);
    assert_eq!(s.pane.laid.get(), 2, "the line before and the line after");
    let keys = [DiffAction::Up, DiffAction::PageUp, DiffAction::Down, DiffAction::PageDown, DiffAction::Top];
    for action in keys {
        s.act(action);
        s.draw(80, 24);
    }
    assert_eq!(s.text(80, 24), first, "the same rows from the same place");
    assert_eq!(s.pane.laid.get(), 2, "no key lays them out again");
    s.draw(60, 24);
    assert_eq!(s.pane.long.borrow().len(), 2, "rows of another width are not kept");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]
    #[test]
    fn any_texts_sizes_and_keys_stay_inside(
        before in "([a-c漢\\t ]{0,6}\\n){0,12}|\\PC{0,40}",
        after in "([a-c漢\\t ]{0,6}\\n){0,12}|[\\x00-\\x{10ffff}]{0,20}",
        sizes in prop::collection::vec((1u16..150, 1u16..40), 1..3),
        keys in prop::collection::vec(0usize..22, 0..20),
    ) {
        let all = [
            DiffAction::Take, DiffAction::Leave, DiffAction::Toggle, DiffAction::NextHunk, DiffAction::PreviousHunk,
            DiffAction::NextFile, DiffAction::PreviousFile, DiffAction::Apply, DiffAction::ApplyAll, DiffAction::Skip,
            DiffAction::DiffAll, DiffAction::SideBySide, DiffAction::MoreContext, DiffAction::LessContext,
            DiffAction::Down, DiffAction::Up, DiffAction::PageDown, DiffAction::PageUp, DiffAction::Top,
            DiffAction::Bottom, DiffAction::Edit, DiffAction::Split,
        ];
        let mut s = two_hunks();
        s.propose(21, "src/x.rs", &before, &after);
        s.tell(review(31, &[21]));
        for (w, h) in sizes {
            let outer = Rect::new(0, 0, w + 4, h + 4);
            let inner = Rect::new(2, 2, w, h);
            s.pane.layout(&s.story.ctx(), inner.as_size());
            s.serve();
            for k in &keys {
                s.act(all[*k]);
                s.serve();
                s.pane.layout(&s.story.ctx(), inner.as_size());
            }
            let mut buf = Buffer::empty(outer);
            s.pane.render(&s.story.ctx(), inner, &mut buf, true);
            for (i, cell) in buf.content.iter().enumerate() {
                let (x, y) = buf.pos_of(i);
                prop_assert!(inner.contains((x, y).into()) || *cell == ratatui::buffer::Cell::default());
                prop_assert!(cell.symbol().chars().all(|c| !pilothouse_core::clean::is_forbidden(c)));
            }
        }
    }
}

#[test]
fn secrets_of_a_file_are_not_drawn_and_stay_in_what_is_edited() {
    let secret = "ghp_9aB8cD7eF6gH5iJ4kL3mN2oP1qR0sT";
    let (before, after) =
        (format!("# a\ntoken = {secret}\nlast\n"), format!("# b\ntoken = {secret}\nthe one in use\n"));
    let mut s = Screen::new();
    s.propose(1, "keys.ini", &before, &after);
    let drawn = s.text(80, 20).join("\n");
    assert!(!drawn.contains("ghp_") && !drawn.contains("the one in use"), "{drawn}");
    assert!(drawn.contains("token = [secret: token]") && drawn.contains("+ [secret: in use]"), "{drawn}");
    let outcome = s.act(DiffAction::Edit);
    let edited = outcome.edit.unwrap().text;
    assert_eq!(edited, after);
}

#[test]
fn a_file_in_another_encoding_is_drawn_as_text_and_edited_into_its_own_bytes() {
    let wide = |text: &str| -> Vec<u8> {
        format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect()
    };
    let pairs = [
        (b"gr\xf6\xdfe 1\r\nb \x80\r\n".to_vec(), b"Gr\xf6\xdfe 1\r\nb \x80\r\n".to_vec()),
        (wide("größe 1\r\nb €\r\n"), wide("Größe 1\r\nb €\r\n")),
    ];
    for (before, after) in pairs {
        let mut s = Screen::new();
        s.propose(1, "l.txt", &before, &after);
        let drawn = s.text(80, 20).join("\n");
        for row in ["größe 1", "Größe 1", "b €"] {
            assert!(drawn.contains(row) && !drawn.contains(['\u{fffd}', '␀', '␍']), "{drawn}");
        }
        assert!(drawn.contains("@@ -1,2 +1,2 @@"), "{drawn}");
        let text = s.act(DiffAction::Edit).edit.unwrap().text;
        let edited = |s: &mut Screen, text: String| s.pane.edited(Ok(text));
        let outcome = edited(&mut s, text.replace("b €", "ö"));
        let [Input::EditProposal { redraft, .. }] = &outcome.inputs[..] else { panic!("{outcome:?}") };
        let new = redraft.draft.after.as_ref().unwrap().bytes().to_vec();
        let wanted = if before[0] == 0xff {
            wide("Größe 1\r\nö\r\n")
        } else {
            b"Gr\xf6\xdfe 1\r\n\xf6\r\n".to_vec()
        };
        assert_eq!(new, wanted);
        if before[0] != 0xff {
            s.act(DiffAction::Edit);
            let told = edited(&mut s, text.replace('b', "λ")).notice.unwrap();
            assert!(told.starts_with("λ (U+03BB) stands nowhere in the file"), "{told}");
        }
    }
}

#[test]
fn what_is_edited_goes_into_the_encoding_of_the_file_whatever_was_proposed() {
    let mut s = Screen::new();
    s.propose(1, "l.txt", b"gr\xf6\xdfe one\n", b"groesse one\n");
    s.text(80, 20);
    let text = s.act(DiffAction::Edit).edit.unwrap().text;
    let outcome = s.pane.edited(Ok(text.replace("groesse", "größe neu")));
    let [Input::EditProposal { redraft, .. }] = &outcome.inputs[..] else { panic!("{outcome:?}") };
    assert_eq!(redraft.draft.after.as_ref().unwrap().bytes(), b"gr\xf6\xdfe neu one\n");
    // Where it cannot be read as that, an editor would make it another.
    let mut s = Screen::new();
    s.propose(1, "l.txt", b"gr\xf6\xdfe one\n", "größe one\n");
    s.text(80, 20);
    let outcome = s.act(DiffAction::Edit);
    assert!(outcome.edit.is_none() && outcome.notice.unwrap().starts_with("it is not plain text"));
}

#[test]
fn an_editor_that_drops_the_mark_of_a_text_in_utf_16_leaves_the_file_in_it() {
    let wide = |text: &str| -> Vec<u8> {
        format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect()
    };
    let mut s = Screen::new();
    s.propose(1, "w.txt", wide("one\r\ntwo\r\n"), wide("One\r\ntwo\r\n"));
    s.text(80, 20);
    let text = s.act(DiffAction::Edit).edit.unwrap().text;
    let bare = text.strip_prefix('\u{feff}').unwrap();
    let told = s.pane.edited(Ok(bare.to_owned())).notice.unwrap();
    assert!(told.starts_with("nothing was changed"), "{told}");
    s.act(DiffAction::Edit);
    let outcome = s.pane.edited(Ok(bare.replace("two", "2")));
    let [Input::EditProposal { redraft, .. }] = &outcome.inputs[..] else { panic!("{outcome:?}") };
    assert_eq!(redraft.draft.after.as_ref().unwrap().bytes(), wide("One\r\n2\r\n"));
}

#[test]
fn with_little_room_the_change_is_seen_and_not_only_what_surrounds_it() {
    let lines = |changed: &str| {
        let line =
            |n| if n == 4 { format!("{changed}\n") } else { format!("line {n} {}\n", "word ".repeat(9)) };
        (0..9).map(line).collect::<String>()
    };
    let mut s = Screen::new();
    s.propose(1, "a.txt", lines("old"), lines("new"));
    let small = s.text(44, 8).join("\n");
    assert!(small.contains("- old") && small.contains("+ new"), "{small}");
    assert!(!s.text(44, 40).join("\n").contains("line 0") && s.text(44, 40).join("\n").contains("line 1"));
}
