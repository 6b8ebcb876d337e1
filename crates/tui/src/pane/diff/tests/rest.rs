//! Where a review begins, and where the cursor rests when nothing of a file is left to decide.

use std::collections::HashSet;

use super::*;

#[test]
fn a_hunk_left_with_a_reason_is_behind_the_cursor() {
    let mut s = Screen::new();
    let lines = |first: &str, last: &str| format!("{first}\n{}{last}\n", "same\n".repeat(20));
    s.propose(20, "src/a.rs", lines("a", "z"), lines("b", "y"));
    s.tell(review(30, &[20]));
    s.draw(60, 20);
    let asked = s.act(DiffAction::LeaveWhy);
    let told = format!("{asked:?}");
    assert!(told.contains("You left hunk 1 of src/a.rs. Why?") && asked.inputs.len() == 1, "{told}");
    assert_eq!(s.pane.hunk, 1, "what comes next is meant for the next one");
    s.draw(60, 20);
    s.act(DiffAction::LeaveWhy);
    let told = s.act(DiffAction::Take).notice.unwrap();
    assert!(told.starts_with("Hunk 2 is left. y again takes it"), "{told}");
}

#[test]
fn after_the_last_hunk_of_a_file_the_cursor_rests_and_no_key_for_a_next_one_turns_it_round() {
    let mut s = Screen::new();
    s.propose(20, "src/a.rs", "a\n", "b\n");
    s.tell(review(30, &[20]));
    s.draw(60, 20);
    let taken = |s: &Screen| s.story.session.state().proposals()[&ProposalId(20)].decided[&0];
    s.act(DiffAction::Take);
    let asked = s.act(DiffAction::Leave);
    assert!(asked.inputs.is_empty() && taken(&s) == Decision::Taken);
    let told = asked.notice.unwrap();
    assert_eq!(told, "Hunk 1 is taken. n again leaves it; a applies");
    s.act(DiffAction::Leave);
    assert_eq!(taken(&s), Decision::Left, "pressed again it is meant");
    s.act(DiffAction::Down);
    s.act(DiffAction::Take);
    assert_eq!(taken(&s), Decision::Taken, "whoever moved about looked at it");
    let reason = "every hunk was left".to_owned();
    let closed = Event::ProposalClosed { proposal: ProposalId(20), reason, dropped: false, there: false };
    let told = s.pane.tells(s.story.session.state(), &closed);
    assert_eq!(told.unwrap(), "left src/a.rs: every hunk was left");
}

#[test]
fn another_proposal_for_the_same_file_is_reviewed_from_its_first_undecided_hunk() {
    let mut s = two_hunks();
    s.draw(72, 26);
    s.act(DiffAction::NextHunk);
    assert_eq!(s.pane.hunk, 1);
    // The pane is out of sight while the one goes and the other comes.
    s.tell(Event::ProposalClosed {
        proposal: ProposalId(20),
        reason: String::new(),
        dropped: false,
        there: false,
    });
    s.propose(21, "src/auth/login.rs", BEFORE, after());
    s.tell(review(31, &[21]));
    s.draw(72, 26);
    assert_eq!(s.pane.hunk, 0);
}

#[test]
fn after_an_edit_the_hunk_that_a_key_decides_is_the_one_that_is_shown_and_named() {
    let before: String = (0..120).map(|n| format!("line {n}\n")).collect();
    let with = |lines: &[usize]| {
        lines
            .iter()
            .fold(before.clone(), |text, n| text.replace(&format!("line {n}\n"), &format!("LINE {n}\n")))
    };
    for (height, at) in [(12, 2), (16, 1), (26, 2)] {
        let mut s = Screen::new();
        s.tell(lane(1, LaneKind::Task(TaskId(2)), IntentNode::Modify));
        s.propose(20, "src/a.rs", &before, with(&[10, 50, 90, 110]));
        s.tell(review(30, &[20]));
        s.draw(72, height);
        for _ in 0..=at {
            s.act(DiffAction::NextHunk);
        }
        let edited = with(&[10, 50, 90]).replace("line 2\n", "line 2\nmore\nand more\n");
        let asked = s.act(DiffAction::Edit).edit.unwrap();
        let line = [11, 51, 91, 111][at + 1];
        assert_eq!(asked.line, Some(line), "{height}: the first line that is another");
        let (event, blobs) = proposal(20, "src/a.rs", &before, &edited);
        s.store.extend(blobs);
        let Event::Proposed { proposal, added, removed } = event else { panic!() };
        s.tell(Event::ProposalEdited { proposal, added, removed });
        let rows = s.text(72, height);
        let marked: Vec<&String> = rows.iter().filter(|r| r.contains("▸ [ ]")).collect();
        let hunk = s.pane.file().unwrap().hunks[s.pane.hunk].clone();
        assert_eq!(marked.len(), 1, "{height}: {rows:#?}");
        assert!(marked[0].contains(&format!("@@ -{},", hunk.old().start - 2)), "{height}: {rows:#?}");
        let changed = format!("- line {}", hunk.old().start);
        assert!(rows.iter().any(|r| r.contains(&changed)), "{height}: {rows:#?}");
    }
}

/// A line of `words` words with one inserted behind the first `at`.
fn long_line(words: usize, at: usize, inserted: &str) -> String {
    (0..words)
        .map(
            |n| if n == at { format!("{inserted}\"k{n}\":\"v{n}\",") } else { format!("\"k{n}\":\"v{n}\",") },
        )
        .collect()
}

/// What is drawn of the lines, without what stands beside them and where they are broken.
fn flat(rows: &[String]) -> String {
    let own = rows.iter().map(|row| row.rsplit('│').next().unwrap_or_default());
    own.flat_map(|row| row.chars().filter(|c| !c.is_whitespace())).collect()
}

#[test]
fn a_change_inside_a_very_long_line_is_drawn_with_what_stands_around_it() {
    for (width, height) in [(60, 20), (100, 30), (140, 40)] {
        let mut s = Screen::new();
        let (before, after) = (long_line(500, 0, ""), long_line(500, 300, "\"new\":\"entry\","));
        let text = |line: &str| format!("a\n{line}\nb\n{line}\n");
        s.propose(20, "map.js", text(&before), text(&before).replacen(&before, &after, 1));
        s.tell(review(30, &[20]));
        let rows = s.text(width, height);
        let all = flat(&rows);
        assert!(all.contains("\"new\":\"entry\"") && all.contains("\"k299\""), "{}", rows.join("\n"));
        assert!(!all.contains("\"k100\"") && !all.contains("\"k400\""), "{}", rows.join("\n"));
        let changed = rows.iter().position(|r| r.contains("new")).unwrap();
        assert!(changed < 15, "it stands on the first page: {}", rows.join("\n"));
        assert!(all.contains("characters") && all.contains("+showsall"), "{}", rows.join("\n"));
        s.act(DiffAction::MoreContext);
        s.draw(width, height);
        let lines: usize = s.pane.long.borrow().values().map(|rows| rows.len()).sum();
        assert!(lines > 100, "the whole lines are there: {lines}");
        s.act(DiffAction::LessContext);
        assert_eq!(s.text(width, height), rows);
    }
}

#[test]
fn of_a_very_long_line_every_place_that_changed_is_drawn_and_a_new_one_is_drawn_whole() {
    let mut s = Screen::new();
    let before = long_line(300, 0, "");
    let after = before.replace("\"v20\"", "\"w20\"").replace("\"v280\"", "\"\"");
    s.propose(20, "map.js", format!("{before}\n"), format!("{after}\n"));
    s.tell(review(30, &[20]));
    let all = flat(&s.text(100, 40));
    for part in ["\"v20\"", "\"w20\"", "\"v280\"", "\"k280\":\"\""] {
        assert!(all.contains(part), "{part}\n{all}");
    }
    let mut s = Screen::new();
    s.propose(20, "map.js", "a\n", format!("{}\n", long_line(60, 0, "")));
    s.tell(review(30, &[20]));
    let all = flat(&s.text(100, 40));
    assert!(all.contains("\"k30\"") && all.contains("\"k59\""), "{all}");
}

#[test]
fn of_lines_that_differ_at_very_many_places_the_whole_line_is_the_news() {
    // Every third word of the line is another, or only very few of them.
    for (every, whole) in [(3, true), (1_000, false)] {
        let mut s = Screen::new();
        let line = |changed: &str| {
            let word = |n| format!("k{n}{} ", if n % every == 0 { changed } else { "" });
            (0..3_000).map(word).collect::<String>()
        };
        assert!(line("").len() < 32 * 1024);
        s.propose(20, "map.js", format!("{}\n", line("")), format!("{}\n", line("x")));
        s.tell(review(30, &[20]));
        s.draw(100, 40);
        let words = s.pane.words.borrow();
        let marked: Vec<bool> = words.values().map(|w| !w.old.is_empty() || !w.new.is_empty()).collect();
        assert_eq!(marked, [!whole], "{every}: the line was compared, once: {words:?}");
    }
}

#[test]
fn whether_a_written_diff_is_longer_than_the_page_is_known_without_laying_it_out() {
    let written = |lines: usize| {
        let text = |word: &str| (0..lines).map(|n| format!("{word} {n}\n")).collect::<String>();
        let mut s = Screen::new();
        s.propose(20, "a.rs", text("old"), text("new"));
        s.draw(100, 40);
        let pane = std::mem::take(&mut s.pane);
        (s, WrittenDiff::showing(pane))
    };
    for (lines, longer, laid) in [(3, false, 7), (18, true, 0), (400, true, 0)] {
        let (s, diff) = written(lines);
        let before = diff.drawn();
        assert_eq!(diff.is_longer(&s.story.ctx(), 60, 20), longer, "{lines}");
        assert_eq!(diff.drawn() - before, laid, "{lines}");
    }
}

#[test]
fn files_of_an_earlier_review_do_not_count_in_the_next() {
    let closed = |id| Event::ProposalClosed {
        proposal: ProposalId(id),
        reason: String::new(),
        dropped: false,
        there: false,
    };
    let place = |s: &Screen| s.pane.place(&s.story.ctx(), true);
    let mut s = Screen::new();
    s.propose(20, "src/a.rs", "a\n", "b\n");
    s.tell(review(30, &[20]));
    s.draw(72, 26);
    // The one goes and the others come before the pane is drawn again.
    s.tell(closed(20));
    for (id, name) in [(21, "src/b.rs"), (22, "src/c.rs")] {
        s.propose(id, name, "a\n", "b\n");
    }
    s.tell(review(31, &[21, 22]));
    s.draw(72, 26);
    assert_eq!(place(&s), "file 1/2 · hunk 1/1");
    s.tell(closed(21));
    s.draw(72, 26);
    assert_eq!(place(&s), "hunk 1/1", "what waits is counted");
}

#[test]
fn of_two_files_of_one_name_the_one_that_is_meant_is_named_by_its_path() {
    let mut s = Screen::new();
    for (id, name) in [(21, "lib/parse.js"), (22, "test/parse.js")] {
        s.propose(id, name, "a\n", "b\n");
    }
    s.tell(review(31, &[21, 22]));
    s.draw(72, 26);
    let told = s.pane.intended(&s.story.ctx());
    assert!(told.contains("all of lib/parse.js"), "{told}");
}

#[test]
fn a_line_whose_end_is_below_the_edge_says_so_and_what_waits_is_told_there() {
    let mut s = Screen::new();
    s.tell(lane(1, LaneKind::Task(TaskId(2)), IntentNode::Modify));
    let long = format!("    return Object.prototype.toString.call(obj){};\n", " || other(obj)".repeat(8));
    s.propose(20, "src/a.js", "a\n", format!("a\n{long}"));
    s.tell(review(30, &[20]));
    let whole = s.text(46, 40).join("");
    assert!(!whole.contains('…'), "{whole}");
    let rows = s.text(46, 7);
    assert!(rows[5].ends_with('…'), "{rows:#?}");
    assert!(rows[6].contains("undecided") || rows[6].contains("hunk"), "{rows:#?}");
}

/// A file with one hunk of this text, drawn in so many rows.
fn hunk_of(lines: std::ops::Range<usize>, height: u16) -> Screen {
    let mut s = Screen::new();
    let text: String = lines.map(|n| format!("line {n}\n")).collect();
    s.propose(20, "src/a.rs", "", text);
    s.tell(review(30, &[20]));
    s.draw(60, height);
    s
}

#[test]
fn a_key_decides_a_hunk_only_when_each_of_its_changed_lines_was_on_the_screen() {
    for (key, does) in [(DiffAction::Take, "y again takes"), (DiffAction::Leave, "n again leaves")] {
        let mut s = hunk_of(0..9, 10);
        let first = s.pane.spot().unwrap().line + 1;
        let drawn = s.pane.parts.iter().filter(|part| part.line >= first && part.ends()).count();
        let early = s.act(key);
        assert!(early.inputs.is_empty(), "{early:?}");
        assert_eq!(early.notice.unwrap(), format!("{} more lines: {does} the hunk", 9 - drawn));
        assert!(s.act(key).inputs.is_empty(), "nothing was drawn between the two keys");
        assert!(s.text(60, 10).iter().any(|row| row.contains("line 8")));
        assert_eq!(s.act(key).inputs.len(), 1);
    }
}

#[test]
fn a_hunk_that_is_longer_than_the_screen_is_read_page_by_page_before_it_is_decided() {
    let mut s = hunk_of(0..60, 12);
    let mut told = Vec::new();
    for _ in 0..60 {
        let outcome = s.act(DiffAction::Take);
        if !outcome.inputs.is_empty() {
            break;
        }
        told.extend(outcome.notice);
        s.draw(60, 12);
    }
    let (last, pages) = told.split_last().unwrap();
    assert!(pages.iter().all(|page| page.ends_with("more lines: y shows the next of them")), "{told:#?}");
    assert!(last.ends_with(": y again takes the hunk") && told.len() < 15, "{told:#?}");
    // Whoever scrolled through it has seen it, and taking a decision back needs no look.
    let mut s = hunk_of(0..60, 12);
    for _ in 0..12 {
        s.act(DiffAction::PageDown);
        s.draw(60, 12);
    }
    assert_eq!(s.act(DiffAction::Toggle).inputs.len(), 1);
}

#[test]
fn a_line_that_is_longer_than_the_screen_is_read_to_its_end_before_it_is_decided() {
    let words: HashSet<String> = (100..500).map(|n| format!("word{n}")).collect();
    let drawn = |s: &mut Screen, height| {
        let rows = s.text(60, height).join(" ");
        rows.split_whitespace().map(str::to_owned).collect::<HashSet<_>>()
    };
    let mut smallest = u16::MAX;
    for (chosen, height) in
        [false, true].into_iter().flat_map(|chosen| (1..13).map(move |rows| (chosen, rows)))
    {
        let mut s = Screen::new();
        let line = (100..500).map(|n| format!("word{n} ")).collect::<String>();
        s.propose(20, "src/a.txt", "", format!("{line}\nanother\n"));
        s.tell(review(30, &[20]));
        let mut seen = drawn(&mut s, height);
        if s.pane.body.height == 0 {
            continue;
        }
        if chosen {
            s.act(DiffAction::Lines);
            seen = drawn(&mut s, height);
        }
        smallest = smallest.min(s.pane.body.height);
        let mut told = Vec::new();
        while let Some(more) = s.act(DiffAction::Take).notice {
            told.push(more);
            assert!(told.len() < 150, "it goes on with every key: {told:#?}");
            seen.extend(drawn(&mut s, height));
        }
        assert!(words.is_subset(&seen), "{told:#?}: {:?}", words.difference(&seen));
        assert!(
            chosen || told.iter().any(|more| more == "2 more lines: y shows the next of them"),
            "{told:#?}"
        );
    }
    assert_eq!(smallest, 1, "also where one row of it is shown");
}

#[test]
fn after_the_last_hunk_of_a_file_the_keys_go_on_to_the_first_undecided_one_of_the_next() {
    let numbers = |mark: &str| -> String {
        (0..30).map(|n| if n % 20 == 0 { format!("{mark} {n}\n") } else { format!("{n}\n") }).collect()
    };
    let mut s = Screen::new();
    for (id, name) in [(21, "src/a.rs"), (22, "src/b.rs"), (23, "src/c.rs")] {
        s.propose(id, name, numbers("a"), numbers("b"));
    }
    s.tell(review(30, &[21, 22, 23]));
    s.draw(60, 40);
    let press = |s: &mut Screen, key| {
        let decided = s.act(key).inputs.len();
        s.draw(60, 40);
        (decided, s.pane.current, s.pane.hunk)
    };
    // The first hunk of the second file is decided already.
    press(&mut s, DiffAction::NextFile);
    assert_eq!(press(&mut s, DiffAction::Leave), (1, 1, 1));
    press(&mut s, DiffAction::PreviousFile);
    assert_eq!(press(&mut s, DiffAction::Take), (1, 0, 1));
    assert_eq!(press(&mut s, DiffAction::Leave), (1, 1, 1));
    assert_eq!(press(&mut s, DiffAction::Take), (1, 2, 0));
    assert_eq!(press(&mut s, DiffAction::Take), (1, 2, 1));
    assert_eq!(press(&mut s, DiffAction::Take), (1, 2, 1), "nothing is left to decide");
    assert_eq!(press(&mut s, DiffAction::Leave), (0, 2, 1));
}

#[test]
fn a_review_begins_at_its_first_file_whichever_was_proposed_first_until_somebody_moved_in_it() {
    let open = |touch: bool| {
        let mut s = Screen::new();
        s.propose(21, "src/slug.js", "a\n", "b\n");
        s.draw(72, 26);
        if touch {
            s.act(DiffAction::Down);
        }
        s.propose(22, "src/cli.js", "a\n", "b\n");
        s.draw(72, 26);
        s.tell(review(30, &[21, 22]));
        s.draw(72, 26);
        s.pane.file().unwrap().path.clone()
    };
    assert_eq!((open(false).as_str(), open(true).as_str()), ("src/cli.js", "src/slug.js"));
}

#[test]
fn the_way_up_is_named_where_there_is_a_plan() {
    let mut s = Screen::new();
    s.propose(20, "src/a.rs", "a\n", "b\n");
    s.tell(review(30, &[20]));
    s.draw(72, 26);
    let hints = |s: &Screen, width| s.pane.hints(&s.story.ctx(), width).to_string();
    assert!(s.story.session.state().plan.is_none());
    for width in [90, 50] {
        assert!(!hints(&s, width).contains("lan"), "{}", hints(&s, width));
    }
    s.tell(Event::PlanReady { plan: crate::story::plan() });
    assert!(hints(&s, 90).ends_with("[u]p (back to Plan)"), "{}", hints(&s, 90));
}

/// A proposal that takes a write of before back.
fn propose_back(s: &mut Screen, id: u64, file: &str) {
    let (mut event, blobs) = proposal(id, file, BEFORE, after());
    let Event::Proposed { proposal, .. } = &mut event else { panic!("{event:?}") };
    proposal.back = Some(TakeBack { apply: ApplyId(1), redo: false, meets: false, anew: true });
    s.store.extend(blobs);
    s.tell(event);
}

#[test]
fn who_was_brought_to_what_goes_back_stays_there_whatever_is_proposed_before_it() {
    let mut s = Screen::new();
    propose_back(&mut s, 20, "src/z.rs");
    s.draw(72, 26);
    let at = |s: &Screen| s.pane.file().map(|file| file.path.clone());
    assert_eq!(at(&s).as_deref(), Some("src/z.rs"));
    s.propose(21, "src/a.rs", BEFORE, after());
    s.draw(72, 26);
    assert_eq!(at(&s).as_deref(), Some("src/z.rs"), "and a file that comes later takes nobody away");
}

#[test]
fn a_file_that_is_not_on_the_screen_is_not_asked_about_for_one_that_is_gone() {
    let mut s = Screen::new();
    s.tell(lane(1, LaneKind::Task(TaskId(2)), IntentNode::Modify));
    s.propose(20, "src/a.rs", "a\n", "b\n");
    s.propose(21, "src/b.rs", BEFORE, after());
    s.tell(review(30, &[20, 21]));
    s.draw(60, 20);
    s.act(DiffAction::Take);
    assert_eq!((s.pane.finished, s.pane.current), (Some(ProposalId(20)), 1));
    // The one that `a` would have written is written elsewhere, and the next is not read yet.
    let reason = String::new();
    s.tell(Event::ProposalClosed { proposal: ProposalId(20), reason, dropped: false, there: false });
    let outcome = s.act(DiffAction::Apply);
    assert_eq!(outcome.notice.as_deref(), Some("still loading; nothing is written unseen"));
    assert!(outcome.inputs.is_empty() && s.pane.asked_all.is_empty());
}

/// A proposal anew, of which nothing is decided but its first hunk; others changed this line as well.
fn proposed_anew(s: &mut Screen, id: u64, decided: usize, met: usize) {
    let mut proposal = s.story.session.state().proposals()[&ProposalId(id)].clone();
    proposal.decided = [(decided, Decision::Taken)].into();
    proposal.meets = vec![proposal.hunks[met].old()];
    s.tell(Event::ProposalEdited { proposal, added: 1, removed: 1 });
}

#[test]
fn after_a_refusal_the_cursor_is_where_something_is_to_be_decided_anew() {
    let mut s = two_hunks();
    s.draw(72, 26);
    s.act(DiffAction::Take);
    s.act(DiffAction::Take);
    let take = vec![(ProposalId(20), [0, 1].into())];
    let (apply, approval) = (ApplyId(40), ApprovalId(41));
    s.tell(Event::ApplyApproved { apply, approval, by: "you".into(), take });
    let message =
        "src/auth/login.rs has changed since; the two changes overlap in src/auth/login.rs (line 5)";
    s.tell(Event::ApplyFailed { apply, message: message.into(), stale: true });
    proposed_anew(&mut s, 20, 1, 0);
    let text = s.text(72, 26).join("\n");
    assert_eq!((s.pane.current, s.pane.hunk), (0, 0), "{text}");
    assert!(text.contains("- is what stands there now"), "{text}");
    // Where nothing was refused it stays with whoever looks.
    s.act(DiffAction::NextHunk);
    proposed_anew(&mut s, 20, 1, 0);
    s.draw(72, 26);
    assert_eq!((s.pane.current, s.pane.hunk), (0, 1));
}

#[test]
fn where_both_changed_the_same_lines_each_key_that_decides_is_named() {
    let mut s = Screen::new();
    s.tell(lane(1, LaneKind::Task(TaskId(2)), IntentNode::Modify));
    let (mut event, blobs) = proposal(20, "src/a.rs", "a\n", "b\n");
    let Event::Proposed { proposal, .. } = &mut event else { panic!("{event:?}") };
    proposal.meets = vec![proposal.hunks[0].old()];
    s.store.extend(blobs);
    s.tell(event);
    s.tell(review(30, &[20]));
    let text = s.text(72, 26).join("\n");
    assert!(text.contains("a.rs has changed since: y replaces, n keeps, e merges"), "{text}");
}

#[test]
fn a_review_begins_at_its_first_file_wherever_the_one_before_it_ended() {
    let mut s = Screen::new();
    s.tell(lane(1, LaneKind::Task(TaskId(2)), IntentNode::Modify));
    s.propose(20, "src/m.rs", "a\n", "b\n");
    s.tell(review(30, &[20]));
    s.draw(72, 26);
    s.act(DiffAction::Take);
    let reason = String::new();
    s.tell(Event::ProposalClosed { proposal: ProposalId(20), reason, dropped: false, there: false });
    s.propose(21, "src/a.rs", BEFORE, after());
    s.propose(22, "src/z.rs", BEFORE, after());
    s.draw(72, 26);
    assert_eq!(s.pane.file().map(|file| file.path.as_str()), Some("src/a.rs"));
}

#[test]
fn who_comes_to_another_file_has_the_files_looked_at() {
    let mut s = two_hunks();
    s.propose(21, "src/z.rs", BEFORE, after());
    s.tell(review(31, &[20, 21]));
    s.draw(72, 26);
    let mut looks = |action| {
        let looks = s.act(action).look;
        s.draw(72, 26);
        looks
    };
    let way = [DiffAction::NextHunk, DiffAction::NextFile, DiffAction::NextFile, DiffAction::PreviousFile];
    assert_eq!(way.map(&mut looks), [false, true, false, true]);
    assert_eq!([DiffAction::Take, DiffAction::Take].map(&mut looks), [false, true], "the next one to decide");
}
