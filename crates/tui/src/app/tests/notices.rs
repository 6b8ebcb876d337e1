//! How long what is told stays.

use super::*;

#[test]
fn a_page_that_was_asked_for_is_read_whole_whatever_its_length() {
    for (columns, rows) in [(60, 20), (100, 30)] {
        let mut desk = Desk::new(columns, rows);
        let all: Vec<String> = (0..60).map(|n| format!("a.setting.of.number-{n} = {n}")).collect();
        desk.app.update(Update::Page { title: "Settings", text: all.join("\n") }, desk.now);
        let text = desk.text();
        assert!(text.contains(" Settings ") && text.contains("number-0 = 0"), "{text}");
        assert!(text.contains("j k scroll"), "{text}");
        desk.press("<end>");
        assert!(desk.text().contains("number-59 = 59"), "{}", desk.text());
        // Asked for once more, it is the same page and not one above it.
        desk.app.update(Update::Page { title: "Settings", text: "a = 1".to_owned() }, desk.now);
        assert!(desk.text().contains("a = 1"), "{}", desk.text());
        desk.press("<esc>");
        assert!(!desk.text().contains(" Settings "), "{}", desk.text());
    }
}

#[test]
fn what_is_told_while_an_answer_is_waited_for_goes_with_that_answer() {
    let mut desk = Desk::new(100, 30);
    desk.press("/kb where<enter>");
    let number = desk.number;
    desk.app.update(Update::Notice("reading the project: 15 files".to_owned()), desk.now);
    assert!(desk.text().contains("15 files"), "{}", desk.text());
    let found = pilothouse_core::port::KnowledgeReply::Passages(Vec::new());
    desk.app.update(Update::Answered(number, Reply::Knowledge(Box::new(Ok(found)))), desk.now);
    assert!(!desk.text().contains("15 files"), "{}", desk.text());
    desk.app.update(Update::Notice("desktop notifications do not work".to_owned()), desk.now);
    assert!(desk.text().contains("do not work"), "anything else stays until the next key");
}

#[test]
fn a_page_that_was_asked_for_takes_away_no_reason_that_was_not_read() {
    let mut desk = Desk::new(100, 30);
    desk.app.tell_whole(format!("not merged: {}", "a reason ".repeat(40)));
    desk.app.update(Update::Page { title: "Settings", text: "a = 1".to_owned() }, desk.now);
    desk.app.update(Update::Page { title: "Settings", text: "a = 2".to_owned() }, desk.now);
    assert!(desk.text().contains("a = 2"), "{}", desk.text());
    desk.wait(900).press("q");
    assert!(desk.text().contains("not merged: a reason"), "{}", desk.text());
    desk.wait(900).press("q");
    assert_eq!(desk.top(), None);
}

#[test]
fn what_is_told_moves_no_key_that_is_named() {
    for (width, height) in [(160, 45), (100, 30), (80, 24)] {
        let mut bench = review::Bench::new(width, height);
        bench.press("<ctrl-x>d");
        let keys = |desk: &mut Desk| {
            let text = desk.text();
            text.lines().rev().find(|row| row.contains("y take")).unwrap().to_owned()
        };
        let before = keys(&mut bench.desk);
        bench.desk.app.say("edited src/a.rs");
        assert_eq!(keys(&mut bench.desk), before, "{width}");
        assert!(bench.desk.text().contains("edited src/a.rs"), "{}", bench.desk.text());
    }
}

#[test]
fn the_name_of_a_file_that_is_told_of_is_never_cut() {
    let path = "src/a_rather_long_folder_name_for_testing/another_even_longer_folder_name/the_file.rs";
    for width in [60, 80, 100] {
        let mut desk = Desk::new(width, 30);
        desk.app.announce(format!("edited {path} (+12 -3 lines)"));
        let text = desk.text();
        assert!(text.contains("/the_file.rs (+12 -3 lines)"), "{text}");
    }
}

#[test]
fn what_is_longer_than_its_row_stands_whole_in_the_conversation() {
    let why = "/home/u/.config/pilothouse/hooks.toml is not used: others may write it (mode 666); the previous hooks stay in force (run `chmod 600 /home/u/.config/pilothouse/hooks.toml`)";
    for (columns, rows) in [(60, 20), (100, 30)] {
        let mut desk = Desk::new(columns, rows);
        desk.press("where is main?<enter>");
        desk.app.update(Update::Refused(why.to_owned()), desk.now);
        let words = |text: &str| {
            let inner = text.split_whitespace().filter(|word| *word != "│");
            inner.map(str::to_owned).collect::<Vec<_>>().concat()
        };
        let told = |desk: &mut Desk| {
            words(&desk.text()).matches(&words("the previous hooks stay in force (run chmod 600")).count()
        };
        assert_eq!(told(&mut desk), 1, "{}", desk.text());
        assert_eq!(told(&mut desk), 1, "once, however often it is drawn: {}", desk.text());
        desk.press("x");
        assert_eq!(told(&mut desk), 1, "and it stays there: {}", desk.text());
    }
}

#[test]
fn what_a_key_does_is_told_whole_and_never_kept_in_the_conversation() {
    let hint = "that key was pressed before this appeared; press it again if you mean it";
    for (columns, rows) in [(60, 20), (100, 30)] {
        let mut desk = Desk::new(columns, rows);
        desk.press("where is main?<enter>").deliver();
        for bad in [false, true] {
            if bad {
                desk.app.warn(hint);
            } else {
                desk.app.say(hint);
            }
            let text = desk.text();
            let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(words.replace(" ▎", "").contains(hint), "{text}");
            desk.press("<left>");
            let text = desk.text();
            assert!(!text.contains("that key was") && !text.contains("1 new"), "{text}");
        }
    }
}

#[test]
fn what_a_key_does_is_kept_in_the_conversation_where_its_rows_are_too_few() {
    let asked = "a question appeared while you were typing; press Enter again to answer it";
    let moved = "the plan was not on the screen: read it (PgUp scrolls up), then Enter answers; what you typed there is in the history; Up brings it back";
    // Beside a draft it has the row below alone.
    for (columns, draft, text) in [(60, "", moved), (60, "x", asked), (60, "x", moved), (100, "x", moved)] {
        let mut desk = Desk::new(columns, 30);
        desk.press("where is main?<enter>").deliver();
        desk.press(draft);
        if text == asked {
            desk.app.unseen();
        } else {
            desk.app.warn(text);
        }
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().concat().replace(['│', '▎'], "");
        desk.draw();
        desk.press("<left>");
        assert!(words(&desk.text()).contains(&words(text)), "{columns} {draft:?}: {}", desk.text());
    }
    // What fits stays out of it.
    for draft in ["", "x"] {
        let mut desk = Desk::new(100, 30);
        desk.press("where is main?<enter>").deliver();
        desk.press(draft);
        desk.app.warn(asked);
        assert!(desk.text().contains(asked), "{}", desk.text());
        desk.press("<left>");
        assert!(!desk.text().contains("a question appeared"), "{}", desk.text());
    }
}

#[test]
fn the_name_of_a_file_that_a_key_tells_of_is_never_cut() {
    let path = "src/a_rather_long_folder_name_for_testing/another_even_longer_folder_name/the_file.rs";
    for (text, told) in [
        (format!("nothing of {path} is taken yet"), "the_file.rs is taken yet"),
        (
            format!("{path} is being written: nothing is decided"),
            "the_file.rs is being written: nothing is decided",
        ),
    ] {
        let mut desk = Desk::new(60, 30);
        desk.app.say(text);
        let rows = rows(&desk.draw().0);
        let at = rows.iter().position(|row| row.starts_with("▎ ·")).unwrap_or_else(|| panic!("{rows:#?}"));
        let words = rows[at..].iter().flat_map(|row| row.split_whitespace()).filter(|word| *word != "▎");
        let shown = words.collect::<Vec<_>>().join(" ");
        assert!(shown.contains(told), "{rows:#?}");
    }
}

#[test]
fn code_in_what_is_told_stands_without_its_marks() {
    let texts =
        ["`/undo` takes it back; it waits", "what is running has no steps to pause between; `stop` ends it"];
    for (text, told) in texts.into_iter().zip(["/undo takes it back; it waits", "between; stop ends it"]) {
        let mut desk = Desk::new(100, 30);
        desk.press("where is main?<enter>").deliver();
        desk.app.say(text);
        assert!(desk.text().contains(told), "beside the draft: {}", desk.text());
        desk.app.announce(text);
        desk.press("x");
        desk.app.say(text);
        assert!(desk.text().contains(told), "below the draft: {}", desk.text());
        let mut desk = Desk::new(60, 20);
        desk.press("where is main?<enter>").deliver();
        desk.app.tell_whole(format!("{} {text}", "a reason ".repeat(10)));
        assert!(!desk.text().contains('`'), "on a page: {}", desk.text());
        desk.press("<esc>");
        desk.app.complain(format!("{} {text}", "a reason ".repeat(10)));
        assert!(desk.text().contains("a reason") && !desk.text().contains('`'), "kept: {}", desk.text());
    }
}

#[test]
fn who_comes_back_to_the_diff_has_its_files_looked_at() {
    let mut desk = super::held::before("diff", (100, 30));
    super::held::appear(&mut desk, "diff");
    desk.draw();
    let looks = |desk: &mut Desk| {
        desk.draw();
        desk.collect();
        std::mem::take(&mut desk.looks_again)
    };
    looks(&mut desk);
    desk.app.panes.go(CONVERSATION);
    assert_eq!(looks(&mut desk), 0);
    desk.app.panes.go(DIFF);
    assert_eq!((looks(&mut desk), looks(&mut desk)), (1, 0), "once it is shown");
    let p = desk.session.state().open_proposals().next().unwrap().clone();
    let seen = pilothouse_core::work::Moved {
        proposal: p.id,
        shown: p.shown(),
        on_disk: Some(pilothouse_core::proposal::OnDisk::Already),
        carried: None,
    };
    desk.give(Input::ReviewSeen(vec![seen]));
    assert!(desk.text().contains("Changed on disk since: the file already has this."), "{}", desk.text());
}

#[test]
fn who_comes_back_from_the_editor_or_goes_to_another_file_has_the_files_looked_at() {
    let mut bench = super::review::Bench::new(100, 30);
    bench.press("<ctrl-x>d");
    bench.desk.collect();
    let looks = |bench: &mut super::review::Bench| {
        bench.desk.collect();
        std::mem::take(&mut bench.desk.looks_again)
    };
    looks(&mut bench);
    bench.press("]");
    assert_eq!(looks(&mut bench), 0);
    bench.press("}");
    assert_eq!(looks(&mut bench), 1);
    bench.desk.app.came_back(Ok(()));
    assert_eq!(looks(&mut bench), 1);
    bench.desk.app.came_back(Err(std::io::Error::other("no such program")));
    assert_eq!(looks(&mut bench), 1, "it may have written before");
    assert!(bench.desk.text().contains("the editor failed: no such program"), "{}", bench.desk.text());
}

#[test]
fn what_was_done_is_told_for_a_few_seconds_and_never_looks_like_a_draft() {
    for (width, height) in [(60, 20), (100, 30)] {
        let mut desk = Desk::new(width, height);
        desk.press("where is main?<enter>").deliver();
        desk.app.say("edited src/a.rs");
        let (buf, _) = desk.draw();
        let y = rows(&buf).iter().position(|row| row.contains("edited src/a.rs")).unwrap();
        let row = rows(&buf)[y].clone();
        let at = u16::try_from(row.chars().position(|c| c == 'e').unwrap()).unwrap();
        let cell = buf.cell((at, u16::try_from(y).unwrap())).unwrap();
        assert!(cell.modifier.contains(ratatui::style::Modifier::ITALIC) && !row.contains('›'), "{row}");
        let goes = desk.app.alarm().unwrap();
        assert!(goes <= desk.now + Duration::from_secs(10));
        desk.now = goes;
        let text = desk.text();
        assert!(!text.contains("edited src/a.rs") && text.contains('›'), "{text}");
        assert_eq!(desk.app.alarm(), None);
        // What was not done stays until a key.
        desk.app.complain("the folder is gone");
        assert!(desk.text().contains("the folder is gone") && desk.app.alarm().is_none());
        desk.wait(60_000);
        assert!(desk.text().contains("the folder is gone"));
    }
}

#[test]
fn what_was_wrong_at_the_start_is_counted_in_one_line_and_all_of_it_listed() {
    let all = [
        "[model] price: not a number",
        "skill a cannot be used: no name",
        "agent b cannot be used: no prompt",
    ];
    for many in 1..=3 {
        let mut desk = Desk::new(100, 40);
        let warnings: Vec<String> = all.iter().take(many).map(|w| (*w).to_owned()).collect();
        let around = Surroundings { warnings: warnings.clone(), ..desk.app.world.surroundings.clone() };
        desk.app.update(Update::Surroundings(Box::new(around)), desk.now);
        for (n, warning) in warnings.iter().enumerate() {
            let told = warning.clone();
            desk.app.update(if n == 0 { Update::Refused(told) } else { Update::Notice(told) }, desk.now);
        }
        desk.app.mention_left("1 run was left unfinished");
        let text = desk.text();
        assert!(text.contains(all[0]) && !text.contains("left unfinished"), "{text}");
        assert_eq!(text.contains(&format!("{many} warnings, /status lists them")), many > 1, "{text}");
        desk.press("/status<enter>");
        let text = desk.text();
        assert!(warnings.iter().all(|warning| text.contains(warning.as_str())), "{text}");
    }
    // What was left unfinished is told where nothing is wrong, and where the page that greets does not name it already.
    for told in [false, true] {
        let desk = Desk::new(100, 30);
        let mut desk = if told { desk.with_plan() } else { desk };
        desk.app.mention_left("1 run was left unfinished");
        assert_eq!(desk.text().contains("left unfinished"), told, "{}", desk.text());
    }
}

#[test]
fn a_plan_at_work_says_how_it_comes_to_be_edited() {
    let make = super::golden::scenes::ALL.iter().find(|(name, _)| *name == "executing").unwrap().1;
    let text = make(120, 40).press("<ctrl-t>").wait(1_000).press("x").text();
    assert!(text.contains("say \"wait\" (or press b on a step) and edit it at the pause"), "{text}");
}

#[test]
fn a_comment_that_no_model_answers_says_so_before_it_is_written() {
    let make = super::golden::scenes::ALL.iter().find(|(name, _)| *name == "review").unwrap().1;
    for offline in [false, true] {
        let mut desk = make(120, 40);
        let around = Surroundings { offline, ..desk.app.world.surroundings.clone() };
        desk.app.update(Update::Surroundings(Box::new(around)), desk.now);
        let text = desk.press("<ctrl-x>d").wait(1_000).press("c").text();
        assert_eq!(text.contains("No model answers; it is kept with the change."), offline, "{text}");
    }
}
