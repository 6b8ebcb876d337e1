//! A review of many files: its list, what is looked for in it, the sheet that writes it.

use pilothouse_core::event::FileChange;

use super::*;

/// So many files with two hunks each, the last by path proposed first.
fn many(files: u64) -> Screen {
    let mut s = Screen::new();
    s.tell(lane(1, LaneKind::Task(TaskId(2)), IntentNode::Modify));
    for n in (0..files).rev() {
        let named = |text: &str| text.replace("fn other()", &format!("fn other_{n}()"));
        s.propose(100 - n, &format!("src/mod_{n:02}.rs"), named(BEFORE), named(&after()));
    }
    s.tell(review(130, &(0..files).map(|n| 100 - n).collect::<Vec<_>>()));
    s.draw(110, 16);
    s
}

/// Keys one after the other; the texts come between them.
fn keys(s: &mut Screen, keys: &[DiffAction]) {
    for key in keys {
        s.act(*key);
        s.draw(110, 16);
    }
}

fn list(s: &mut Screen) -> Vec<String> {
    let column = |r: &String| r.chars().take(31).collect::<String>().trim_end().to_owned();
    s.text(110, 16).iter().map(column).collect()
}

#[test]
fn files_stand_by_path_and_where_they_are_many_each_has_a_row_and_only_the_one_at_the_cursor_its_hunks() {
    let mut s = many(20);
    keys(&mut s, &[DiffAction::Take, DiffAction::Leave, DiffAction::Take]);
    let expected = [
        " src/mod_00.rs           ✓1 –1",
        " src/mod_01.rs           ✓1 ○1",
        "   [✓] hunk 1",
        " ▸ [ ] hunk 2",
        " src/mod_02.rs              ○2",
    ];
    assert_eq!(list(&mut s)[..5], expected);
    assert_eq!(list(&mut s)[11], " … 11 more files", "{:#?}", list(&mut s));
    keys(&mut s, &[DiffAction::NextFile; 17]);
    let rows = list(&mut s);
    assert_eq!(rows[0], " … 11 more files", "{rows:#?}");
    assert_eq!(
        rows[9..12],
        [" ▸ [ ] hunk 1", "   [ ] hunk 2", " src/mod_19.rs              ○2"],
        "{rows:#?}"
    );
}

/// The first file is written as far as it was taken.
fn written(s: &mut Screen, id: u64, take: &[usize]) -> Option<String> {
    let apply = Event::ApplyApproved {
        apply: ApplyId(200),
        approval: ApprovalId(201),
        by: "user".into(),
        take: vec![(ProposalId(id), take.iter().copied().collect())],
    };
    s.tell(apply);
    let proposal = &s.story.session.state().proposals()[&ProposalId(id)];
    let files = vec![FileChange {
        proposal: proposal.id,
        path: proposal.path.clone(),
        kind: proposal.kind,
        before: proposal.before,
        after: proposal.after,
        mode: None,
        added: 2,
        removed: 1,
        lines: 19,
        rest: None,
        changes: Vec::new(),
    }];
    s.tell(Event::ApplyStarted { apply: ApplyId(200), files });
    let told = s.pane.tells(s.story.session.state(), &Event::Applied { apply: ApplyId(200) });
    s.tell(Event::Applied { apply: ApplyId(200) });
    told
}

#[test]
fn a_file_of_which_a_part_was_written_keeps_its_place_and_the_review_goes_on_with_the_next() {
    let mut s = many(3);
    s.act(DiffAction::Take);
    let state = s.story.session.state();
    assert_eq!(state.proposals()[&ProposalId(100)].path.as_str(), "src/mod_00.rs");
    let told = written(&mut s, 100, &[0]);
    let half = BEFORE.replace("    if authenticate(", "    let key = limits.key();\n    if auth::check(");
    s.propose(210, "src/mod_00.rs", half, after());
    s.draw(110, 16);
    let names: Vec<&str> = s.pane.files.iter().map(|f| f.path.as_str()).collect();
    assert_eq!(names, ["src/mod_00.rs", "src/mod_01.rs", "src/mod_02.rs"]);
    assert_eq!((s.pane.current, s.pane.hunk), (1, 0));
    assert!(told.as_ref().is_some_and(|t| t.ends_with("; its 1 undecided hunk waits on")), "{told:?}");
}

fn sought(s: &mut Screen, words: &str) -> Option<String> {
    s.act(DiffAction::Search);
    s.serve();
    let notice = s.pane.typed(words.to_owned(), &s.story.ctx()).notice;
    s.draw(110, 16);
    notice
}

#[test]
fn a_search_goes_to_a_file_by_its_name_and_to_lines_of_all_and_decides_nothing() {
    let mut s = many(20);
    assert_eq!(sought(&mut s, "mod_17"), None);
    assert_eq!((s.pane.current, s.pane.hunk), (17, 0));
    assert_eq!(sought(&mut s, "OTHER"), Some("no match for \"OTHER\" in 20 files".to_owned()));
    assert_eq!(sought(&mut s, "toomany"), None);
    assert_eq!((s.pane.current, s.pane.hunk), (17, 1), "the next line that has it, capitals aside");
    let title = s.pane.title(&s.story.ctx());
    assert_eq!(title.right.to_string(), "match 18 of 20");
    let keys = s.pane.deciding_keys(&s.story.ctx()).keys;
    assert_eq!(keys[..3], [("n N", "match"), ("/", "search"), ("Esc", "ends the search")]);
    let at = |s: &mut Screen, action| {
        let outcome = s.act(action);
        assert!(outcome.inputs.is_empty(), "{outcome:?}");
        (s.pane.current, s.pane.hunk)
    };
    assert_eq!(at(&mut s, DiffAction::Leave), (18, 1));
    assert_eq!(at(&mut s, DiffAction::LeaveWhy), (17, 1));
    s.act(DiffAction::Leave);
    s.act(DiffAction::Leave);
    assert_eq!(at(&mut s, DiffAction::Leave), (0, 1), "behind the last stands the first");
    // A decision is one all the same, and what is looked for stays.
    s.draw(110, 16);
    assert_eq!(s.act(DiffAction::Take).inputs.len(), 1);
    assert_eq!(at(&mut s, DiffAction::Leave), (1, 1));
    assert!(s.pane.close(), "Esc ends it");
    s.draw(110, 16);
    assert_eq!(s.act(DiffAction::Leave).inputs.len(), 1);
    assert!(!s.pane.close());
}

#[test]
fn a_search_lasts_until_esc_and_decides_nothing_where_nothing_matches_any_more() {
    let mut s = many(3);
    assert_eq!(sought(&mut s, "mod_00"), None);
    keys(&mut s, &[DiffAction::Take, DiffAction::Take]);
    written(&mut s, 100, &[0, 1]);
    s.draw(110, 16);
    assert_eq!(s.pane.files.len(), 2);
    assert_eq!(s.pane.title(&s.story.ctx()).right.to_string(), "no match");
    for key in [DiffAction::Leave, DiffAction::LeaveWhy] {
        let outcome = s.act(key);
        assert!(outcome.inputs.is_empty() && outcome.open.is_none(), "{outcome:?}");
        assert_eq!(outcome.notice.as_deref(), Some("no match for \"mod_00\" in 2 files"));
    }
    // Another search in its place is one too, though nothing has its words.
    assert_eq!(sought(&mut s, "nowhere"), Some("no match for \"nowhere\" in 2 files".to_owned()));
    assert!(s.act(DiffAction::Leave).inputs.is_empty());
    let keys = s.pane.deciding_keys(&s.story.ctx()).keys;
    assert!(keys.contains(&("Esc", "ends the search")), "{keys:?}");
    // What comes meanwhile is found, and the first key goes to the first of it.
    s.propose(210, "src/nowhere.rs", BEFORE, after());
    s.draw(110, 16);
    assert!(s.act(DiffAction::Leave).inputs.is_empty());
    assert_eq!(s.pane.file().unwrap().path, "src/nowhere.rs");
    assert!(s.pane.close(), "Esc ends it");
    s.draw(110, 16);
    assert_eq!(s.act(DiffAction::Leave).inputs.len(), 1);
}

#[test]
fn a_line_that_is_found_in_a_long_hunk_is_seen_and_marked() {
    let mut s = Screen::new();
    s.tell(lane(1, LaneKind::Task(TaskId(2)), IntentNode::Modify));
    let lines = |word: &str| (0..60).map(|n| format!("{word} {n} here\n")).collect::<String>();
    s.propose(20, "notes.txt", "", lines("line"));
    s.tell(review(30, &[20]));
    s.draw(110, 16);
    sought(&mut s, "line 47");
    let buf = s.draw(110, 16);
    let rows = text(&buf);
    let y = rows.iter().position(|row| row.contains("line 47 here")).unwrap_or_else(|| panic!("{rows:#?}"));
    let x = u16::try_from(rows[y].find("line 47").unwrap()).unwrap();
    let marked =
        |x: u16| buf[(x, u16::try_from(y).unwrap())].modifier.contains(ratatui::style::Modifier::UNDERLINED);
    assert!(marked(x + 1) && !marked(x + 9), "{:?}", rows[y]);
}

#[test]
fn the_sheet_of_all_files_stands_in_the_order_of_the_review_and_leaves_no_file_out_that_is_not_whole() {
    let mut s = many(20);
    keys(&mut s, &[DiffAction::NextFile; 7]);
    keys(&mut s, &[DiffAction::Take, DiffAction::Leave, DiffAction::ApplyAll]);
    let rows = s.text(110, 16);
    let body: Vec<&str> =
        rows.iter().map(|row| row.chars().skip(33).collect::<String>()).map(|row| &*row.leak()).collect();
    assert_eq!(body[0].trim_end(), "★ Apply all files atomically");
    let told = "1 hunk taken, 38 undecided in 20 files; 1 file has a hunk left out";
    assert_eq!(body[1].trim_end(), told, "{body:#?}");
    let first = body.iter().find(|row| row.contains("left out") && row.contains("src/")).unwrap();
    let named: Vec<&str> = body.iter().filter_map(|row| row.trim().split(' ').next()).collect();
    assert!(named.iter().filter(|n| n.starts_with("src/")).is_sorted(), "{body:#?}");
    assert!(
        first.contains("src/mod_07.rs") && first.trim_end().ends_with("1 of 2 hunks, 1 left out"),
        "{body:#?}"
    );
    assert!(body.iter().any(|row| row.contains("more files")), "{body:#?}");
}

/// The proposals of what is written, in one input, and whether the rest of them is taken with it.
fn wished(outcome: &Outcome) -> (Vec<u64>, bool) {
    let [Input::Apply { proposals, word: None, rest }] = &outcome.inputs[..] else { panic!("{outcome:?}") };
    (proposals.iter().map(|(id, _)| id.0).collect(), *rest)
}

#[test]
fn in_the_sheet_each_key_means_the_same_for_every_file() {
    let sheet = |s: &mut Screen| {
        keys(s, &[DiffAction::Take, DiffAction::ApplyAll]);
        s.text(110, 16).join("\n")
    };
    // One hunk of the first of three files is taken, nothing else is decided.
    let mut s = many(3);
    let told = sheet(&mut s);
    for words in [
        "1 hunk taken, 5 undecided in 3 files",
        "1 of 2 hunks taken, 1 undecided",
        "all 2 hunks (undecided)",
        "A applies all 6 hunks, undecided ones too",
        "a applies the 1 taken hunk; the rest stays undecided",
        "any other key goes back",
    ] {
        assert!(told.contains(words), "{words}\n{told}");
    }
    assert_eq!(wished(&s.act(DiffAction::Apply)), (vec![100], false));
    let mut s = many(3);
    sheet(&mut s);
    assert_eq!(wished(&s.act(DiffAction::ApplyAll)), (vec![100, 99, 98], true));
    // What is left stays so, in whatever file it is.
    let mut s = many(2);
    keys(&mut s, &[DiffAction::Leave]);
    let told = sheet(&mut s);
    assert!(told.contains("1 of 2 hunks, 1 left out"), "{told}");
    assert_eq!(wished(&s.act(DiffAction::ApplyAll)), (vec![100, 99], true));
    let mut s = many(2);
    keys(&mut s, &[DiffAction::Leave, DiffAction::ApplyAll]);
    assert!(!s.text(110, 16).join("\n").contains("a applies"), "nothing is taken");
    assert!(s.act(DiffAction::Apply).inputs.is_empty());
    keys(&mut s, &[DiffAction::ApplyAll]);
    assert_eq!(wished(&s.act(DiffAction::ApplyAll)), (vec![100, 99], true));
}

/// Sixty lines, of which every so many differ by the mark.
fn numbered(mark: &str, every: usize) -> String {
    (0..60).map(|n| if n % every == 0 { format!("{mark} {n}\n") } else { format!("{n}\n") }).collect()
}

#[test]
fn of_a_file_that_is_left_in_part_the_sheet_says_what_is_out_and_what_waits_in_any_width() {
    let mut s = Screen::new();
    s.tell(lane(1, LaneKind::Task(TaskId(2)), IntentNode::Modify));
    let numbered = |mark: &str| numbered(mark, 20);
    s.propose(20, "src/deeper/numbers.txt", numbered("a"), numbered("b"));
    s.propose(21, "src/other.txt", "a\n", "b\n");
    s.tell(review(30, &[20, 21]));
    s.draw(110, 16);
    keys(&mut s, &[DiffAction::Take, DiffAction::Leave, DiffAction::ApplyAll]);
    let rows = s.text(60, 20);
    let row = rows.iter().find(|row| row.contains("of 3 hunks taken")).unwrap_or_else(|| panic!("{rows:#?}"));
    assert!(row.trim_end().ends_with("1 of 3 hunks taken, 1 undecided, 1 left out"), "{row}");
}

#[test]
fn one_empty_row_stands_between_the_name_of_a_file_and_a_hunk_that_was_gone_to() {
    let mut s = Screen::new();
    s.tell(lane(1, LaneKind::Task(TaskId(2)), IntentNode::Modify));
    let numbered = |mark: &str| numbered(mark, 10);
    s.propose(20, "numbers.txt", numbered("a"), numbered("b"));
    s.tell(review(30, &[20]));
    s.draw(90, 20);
    for _ in 0..4 {
        s.act(DiffAction::NextHunk);
        s.draw(90, 20);
    }
    let rows = s.text(90, 20);
    let name = rows.iter().position(|row| row.contains("numbers.txt")).unwrap();
    assert!(rows[name + 1].trim().is_empty() && rows[name + 2].contains("▸"), "{rows:#?}");
}
