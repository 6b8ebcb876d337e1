//! A line that is typed into a page or a list, and what the composer says there.

use super::{review::Bench, *};

#[test]
fn a_line_typed_into_a_page_that_only_shows_is_a_draft() {
    let pages = [
        ("/status<enter>", "status"),
        ("<f1>", "help"),
        ("/context<enter>", "context"),
        ("/skills<enter>", "skills"),
        ("/agents<enter>", "agents"),
        ("/sources<enter>", "sources"),
        ("/history<enter>", "history"),
        ("/kb where<enter>", "kb"),
        ("/theme<enter>", "themes"),
    ];
    for (page, name) in pages {
        for (line, gap) in
            [("hello there friend", 0), ("just look at it", 120), ("quit that", 0), ("back to it", 280)]
        {
            let mut desk = Desk::new(100, 30).with_plan();
            desk.wait(900).press(page);
            assert_eq!(desk.top(), Some(name));
            desk.wait(900);
            desk.inputs.clear();
            for letter in line.chars() {
                desk.wait(gap);
                desk.app.key(KeyEvent::new(KeyCode::Char(letter), KeyModifiers::NONE), desk.now);
                desk.collect();
                desk.draw();
            }
            desk.pause();
            assert_eq!((desk.app.composer.draft.shown().as_str(), desk.top()), (line, None), "{page} {gap}");
            assert_eq!((desk.inputs.len(), desk.app.wishes().len()), (0, 0), "{page}");
        }
        let mut desk = Desk::new(100, 30).with_plan();
        desk.wait(900).press(page);
        desk.app.terminal(&crossterm::event::Event::Paste("as it was".to_owned()), desk.now);
        assert_eq!((desk.app.composer.draft.shown().as_str(), desk.top()), ("as it was", None), "{page}");
    }
}

#[test]
fn of_more_sources_than_have_room_the_chosen_one_is_seen_with_what_is_told_of_it() {
    let mut desk = Desk::new(60, 20);
    desk.wait(900).press("/sources<enter>");
    let source = |n: usize| pilothouse_core::source::SourceState {
        name: format!("source-{n:02}"),
        file: format!("~/sources/{n:02}.json"),
        project: false,
        far: false,
        health: pilothouse_core::source::SourceHealth::Idle,
        about: String::new(),
        line: format!("server-{n:02}"),
        wants: Vec::new(),
        reads_unasked: false,
        invited: None,
    };
    let all = (1..=30).map(source).collect();
    let (number, now) = (desk.number, desk.now);
    desk.app.update(Update::Answered(number, pilothouse_core::port::Reply::Sources(all)), now);
    for _ in 0..24 {
        desk.wait(900).press("j");
    }
    let text = desk.text();
    assert!(text.contains("25 of 30") && text.contains("▸ ○ source-25"), "{text}");
    assert!(text.contains("runs  server-25"), "{text}");
}

#[test]
fn a_theme_that_was_only_looked_at_goes_with_the_line_that_is_typed_into_its_list() {
    let mut desk = Desk::new(100, 30);
    let ground = |desk: &mut Desk| desk.draw().0[(0, 0)].style();
    let before = ground(&mut desk);
    desk.press("/theme<enter>");
    for _ in 0..3 {
        desk.wait(900).press("j");
    }
    assert_ne!(ground(&mut desk), before);
    desk.wait(900).press("hello");
    assert_eq!((ground(&mut desk), desk.app.composer.draft.shown().as_str()), (before, "hello"));
    // So it does where a key goes to a pane.
    desk.press("<ctrl-c>").press("/theme<enter>");
    for _ in 0..3 {
        desk.wait(900).press("j");
    }
    assert_ne!(ground(&mut desk), before);
    desk.press("<ctrl-x>r");
    assert_eq!(ground(&mut desk), before);
}

#[test]
fn q_goes_back_from_the_sheet_that_applies_and_a_line_that_begins_with_it_is_a_draft() {
    for key in ["a", "A"] {
        let mut bench = Bench::new(100, 30);
        bench.press("<ctrl-x>d");
        bench.press(key);
        assert!(bench.desk.text().contains("any other key"), "{}", bench.desk.text());
        bench.press("q");
        assert!(!bench.desk.text().contains("any other key"), "{}", bench.desk.text());
        assert_eq!((bench.desk.app.panes.focus, bench.desk.app.composer.draft.shown().as_str()), (DIFF, ""));
        bench.press(key);
        bench.press("quick word");
        assert_eq!(bench.desk.app.composer.draft.shown(), "quick word");
    }
}

#[test]
fn where_a_window_has_the_keys_the_composer_says_so() {
    for open in ["<ctrl-x>a", "/status<enter>", "/sources<enter>", "<ctrl-p>"] {
        let mut desk = Desk::new(100, 30);
        deaf::command(&mut desk);
        desk.wait(900).press(open);
        assert!(desk.top().is_some(), "{open}");
        let text = desk.text();
        assert!(text.contains("your keys go to the window above"), "{open}\n{text}");
        assert!(!text.contains("Enter runs") && !text.contains("Enter opens"), "{open}\n{text}");
    }
}

#[test]
fn the_keys_below_a_page_are_named_whole_and_the_way_out_stays_longest() {
    for open in
        ["/status<enter>", "<f1>", "/context<enter>", "/skills<enter>", "/agents<enter>", "/history<enter>"]
    {
        for width in (28..=60).step_by(4) {
            let mut desk = Desk::new(width, 20).with_plan();
            desk.wait(900).press(open);
            let text = desk.text();
            let row = text.lines().rfind(|row| row.contains('\u{256f}'));
            let row = row.unwrap_or_else(|| panic!("{open} {width}: no border\n{text}"));
            assert!(row.contains("Esc "), "{open} {width}: {row}");
            let before = row.split('\u{256f}').next().unwrap_or_default();
            assert!(before.ends_with([' ', '\u{2500}']), "{open} {width}: {row}");
        }
    }
}

#[test]
fn what_is_told_in_too_little_room_is_not_cut_inside_a_word() {
    for (width, told) in [
        (60, ["rejected \u{2013} describe the change, or press Enter to", "discard the plan"]),
        (80, ["rejected \u{2013} describe the change, or press Enter to discard the plan", ""]),
    ] {
        let mut desk = Desk::new(width, 20).with_plan();
        desk.app.say("rejected \u{2013} describe the change, or press Enter to discard the plan");
        let text = desk.text();
        assert!(told.iter().all(|told| text.contains(told)), "{text}");
        desk.wait(900).press("<ctrl-t>n").deliver();
        assert!(desk.text().contains(plan::REVISE), "{}", desk.text());
    }
}

#[test]
fn how_a_model_is_connected_says_what_holds_now_and_where_it_stands() {
    let mut desk = Desk::new(120, 40);
    let around = desk.app.world.surroundings.clone();
    let around = Surroundings { model_from: "/home/me/config.toml:3; and so on".into(), ..around };
    desk.app.update(Update::Surroundings(Box::new(around)), desk.now);
    desk.press("/connect<enter>").draw();
    let text = desk.text();
    assert!(text.contains("Now: gpt-5-mini (/home/me/config.toml:3; and so on)."), "{text}");
}

#[test]
fn where_git_refuses_the_folder_the_status_has_its_own_remedy() {
    let mut desk = Desk::new(120, 40);
    let why = "git refuses this folder: `git config --global --add safe.directory /w/x`".to_owned();
    let around = Surroundings { refused: Some(why), ..desk.app.world.surroundings.clone() };
    desk.press("/status<enter>").draw();
    assert!(!desk.text().contains("git refuses"), "{}", desk.text());
    desk.app.update(Update::Surroundings(Box::new(around)), desk.now);
    desk.draw();
    let text = desk.text();
    assert!(text.contains("git refuses this folder") && text.contains("safe.directory /w/x"), "{text}");
}

#[test]
fn a_command_that_only_answers_does_so_on_a_page_and_leaves_no_row_and_no_draft() {
    for (line, title, told) in [
        ("/facts", "Facts", "nothing is known yet"),
        ("/facts limit", "Facts", "nothing is known of limit yet"),
        ("/memory", "Memory", "nothing is remembered"),
        ("/queue", "Queue", "the queue is empty"),
        ("/proposals", "Set aside", "nothing is set aside"),
        ("/depth", "Depth", "standard: up to"),
        ("/title", "Title", "no title yet"),
    ] {
        let mut desk = Desk::new(100, 30);
        desk.app.composer.draft.set(Saved::plain(line));
        desk.press("<enter>").deliver();
        let text = desk.text();
        assert_eq!(desk.top(), Some("page"), "{line}: {text}");
        assert!(text.contains(&format!(" {title} ")) && text.contains(told), "{line}: {text}");
        assert_eq!(desk.app.composer.draft.shown(), "", "{line}");
        desk.press("<esc>");
        assert_eq!(desk.top(), None, "{line}");
        assert!(!desk.text().contains(told), "{line}: {}", desk.text());
    }
    // What it does is told where all is told that is done.
    let mut desk = Desk::new(100, 30);
    desk.app.composer.draft.set(Saved::plain("/depth deep"));
    desk.press("<enter>").deliver();
    assert_eq!(desk.top(), None);
    assert!(desk.text().contains("Depth: deep from now on."), "{}", desk.text());
}

#[test]
fn a_page_of_keys_that_is_longer_than_the_screen_says_how_far_it_goes() {
    for (width, height) in [(60, 20), (80, 24), (100, 30)] {
        let mut desk = Desk::new(width, height);
        desk.press("<f1>");
        let first = desk.text().lines().find(|row| row.contains("Keys")).unwrap().to_owned();
        assert!(first.contains("1 of "), "{width} {first}");
        desk.press("<down>");
        assert!(desk.text().contains("2 of "), "{width} {}", desk.text());
    }
}

#[test]
fn an_edge_over_the_second_half_of_a_wide_sign_is_whole() {
    let desk = Desk::new(40, 12);
    let ctx = desk.app.ctx(desk.now);
    for left in [4, 5] {
        let mut buf = Buffer::empty(Rect::new(0, 0, 40, 12));
        for y in 0..12 {
            buf.set_string(0, y, "\u{1f9e0}".repeat(20), ratatui::style::Style::new());
        }
        crate::overlay::page::frame(&ctx, Rect::new(left, 2, 20, 6), "T", "", &[], &mut buf);
        for y in 3..7 {
            assert_eq!(buf[(left, y)].symbol(), "\u{2502}", "{left} {y}");
            let before = buf[(left - 1, y)].symbol();
            assert_eq!(crate::row::width(before).max(1), 1, "{left} {y}: {before:?} would lie over the edge");
        }
    }
}
