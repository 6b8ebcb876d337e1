//! Where one stands in it: scrolling, going from message to message, searching, older pages.

use super::*;

#[test]
fn scrolled_up_it_stays_put_and_counts_what_is_new() {
    let mut s = Screen::new();
    for n in 0..40 {
        s.tell(said(n, &format!("message {n}")));
    }
    s.draw(40, 10);
    s.act(ConversationAction::PageUp);
    let before = s.text(40, 10);
    for n in 40..43 {
        s.tell(said(n, &format!("message {n}")));
    }
    let after = s.text(40, 10);
    assert_eq!(before[..9], after[..9]);
    assert!(after[9].ends_with("▾ 3 new"), "{:?}", after[9]);
    s.act(ConversationAction::Bottom);
    assert_eq!(s.text(40, 10)[9], " ▎ message 42");
    s.act(ConversationAction::Top);
    assert_eq!(s.text(40, 10)[1], " ▎ message 0");
    for _ in 0..200 {
        s.act(ConversationAction::Down);
    }
    assert_eq!(s.text(40, 10)[9], " ▎ message 42");
}

/// TUI-21: an entry that goes on out of sight counts once, whether or not another follows.
#[test]
fn what_streams_in_below_counts_as_new() {
    let mut s = Screen::new();
    for n in 0..40 {
        s.tell(said(n, &format!("message {n}")));
    }
    s.tell(lane(1, LaneKind::Answer, IntentNode::Read));
    s.tell(thinking(50, 1));
    s.delta(50, 0, DeltaKind::Text, "One.\n\n");
    s.draw(40, 10);
    s.act(ConversationAction::PageUp);
    let before = s.text(40, 10);
    assert!(!before[9].ends_with("new"), "{before:?}");
    let mut at = 6;
    for _ in 0..20 {
        s.delta(50, at, DeltaKind::Text, "Two.\n\n");
        at += 6;
    }
    let after = s.text(40, 10);
    assert_eq!(before[..9], after[..9]);
    assert!(after[9].ends_with("▾ 1 new"), "{:?}", after[9]);
    s.tell(replied(50, 1, "One.\n\nTwo."));
    s.tell(said(60, "and this"));
    assert!(s.text(40, 10)[9].ends_with("▾ 2 new"), "{:?}", s.text(40, 10));
    s.act(ConversationAction::Bottom);
    assert!(!s.text(40, 10).join("\n").contains(" new"), "{:?}", s.text(40, 10));
}

#[test]
fn what_goes_on_above_the_last_row_of_the_screen_is_not_new_and_what_was_read_is_no_more() {
    let mut s = Screen::new();
    s.tell(started(50, Tool::Run, "cargo test"));
    for n in 0..40 {
        s.tell(said(n, &format!("message {n}")));
    }
    s.draw(40, 10);
    s.act(ConversationAction::PageUp);
    s.delta(50, 0, DeltaKind::Stdout, "running 3 tests\n");
    let text = s.text(40, 10).join("\n");
    assert!(!text.contains(" new"), "above the screen: {text}");
    s.act(ConversationAction::Top);
    s.draw(40, 10);
    s.delta(50, 16, DeltaKind::Stdout, "test a ... ok\n");
    let text = s.text(40, 10).join("\n");
    assert!(text.contains("test a ... ok") && !text.contains(" new"), "on the screen: {text}");
    // What came below is new until it was on the screen.
    s.act(ConversationAction::Bottom);
    s.draw(40, 10);
    s.act(ConversationAction::PageUp);
    s.act(ConversationAction::PageUp);
    s.tell(said(40, "message 40"));
    s.tell(said(41, "message 41"));
    for n in 42..50 {
        s.tell(said(n, &format!("message {n}")));
    }
    assert!(s.text(40, 10)[9].ends_with("▾ 10 new"), "{:?}", s.text(40, 10));
    for _ in 0..11 {
        s.pane.scroll(&s.story.ctx(), 2);
        s.draw(40, 10);
    }
    let left = s.text(40, 10)[9].clone();
    assert!(left.contains(" new") && !left.contains("10 new"), "{left}");
}

#[test]
fn brackets_go_from_message_to_message() {
    let mut s = Screen::new();
    for n in 0..9 {
        s.tell(said(n, &format!("message {n}")));
        read(&mut s, 100 + n, "a.rs", 1, 1);
    }
    s.draw(40, 6);
    s.act(ConversationAction::Top);
    s.act(ConversationAction::Next);
    assert_eq!(s.text(40, 6)[1], " ▎ message 1");
    s.act(ConversationAction::Previous);
    assert_eq!(s.text(40, 6)[1], " ▎ message 0");
}

#[test]
fn a_search_goes_to_older_matches_and_marks_them() {
    let mut s = Screen::new();
    for n in 0..30 {
        s.tell(said(n, &format!("word{n} common")));
    }
    s.draw(40, 6);
    s.search("word7 ");
    let rows = s.text(40, 6);
    assert!(rows.iter().any(|r| r.contains("word7 ")), "{rows:?}");
    assert!(s.act(ConversationAction::SearchNext).notice.unwrap().contains("no more matches"));
    s.search("common");
    let at = s.pane.cursor.unwrap();
    let counted = |s: &Screen| {
        let hints = s.pane.hints(&s.story.ctx(), 80).to_string();
        let (place, of) = s.pane.counted.unwrap();
        assert!(hints.contains(&format!("match {place} of {of}")), "{hints}");
        (place, of)
    };
    let (last, of) = counted(&s);
    assert!(last > 1 && of == 30, "{last} of {of}");
    s.act(ConversationAction::SearchNext);
    assert!(s.pane.cursor.unwrap() < at);
    assert_eq!(counted(&s), (last - 1, of));
    s.act(ConversationAction::SearchPrevious);
    assert_eq!(s.pane.cursor.unwrap(), at);
    assert_eq!(counted(&s), (last, of));
    let outcome = s.act(ConversationAction::Copy);
    assert_eq!(outcome.copy.unwrap(), "word8 common");
}

#[test]
fn older_pages_join_in_front_and_the_screen_does_not_move() {
    let all = run_story();
    let events = all.story.events.clone();
    for cut in 1..events.len() {
        let (older, newer) = events.split_at(cut);
        let mut s = Screen { story: all_again(&all.story), pane: ConversationPane::default() };
        for e in newer {
            s.pane.fold(s.story.session.state(), e);
        }
        let tail = s.text(60, 3);
        assert!(s.pane.asks().contains(&Ask::History { before: newer[0].seq, count: PAGE_EVENTS }));
        s.pane.prepend(older.to_vec());
        if tail[2].is_empty() {
            continue;
        }
        assert_eq!(s.text(60, 3)[2], tail[2], "cut at {cut}");
        let mut whole = Screen { story: all_again(&all.story), pane: ConversationPane::default() };
        for e in &events {
            whole.pane.fold(whole.story.session.state(), e);
        }
        let titles = |rows: Vec<String>| rows.into_iter().filter(|r| !r.contains("Gate")).collect::<Vec<_>>();
        if !matches!(
            newer[0].event,
            Event::Applied { .. } | Event::CheckpointOpened { .. } | Event::CheckpointResolved { .. }
        ) {
            assert_eq!(titles(s.text(60, 40)), titles(whole.text(60, 40)), "cut at {cut}");
        }
    }
}

pub(super) fn all_again(story: &Story) -> Story {
    let mut again = Story::new();
    again.session = story.session.clone();
    again.at = story.at;
    again
}

#[test]
fn a_long_message_asks_for_its_text_and_shows_it() {
    let mut s = Screen::new();
    let long = "word ".repeat(3_000);
    s.tell(replied(1, 1, &long));
    s.draw(40, 6);
    let asks = s.pane.asks();
    let [Ask::Blob(id)] = asks[..] else { panic!("{asks:?}") };
    assert!(s.pane.asks().is_empty());
    s.pane.answered(&Reply::Blob(id, Some(b"the whole".to_vec())), &Redactor::default());
    assert_eq!(s.text(40, 6)[0], " the whole");
}

#[test]
fn a_frame_lays_out_what_is_seen_however_long_the_conversation() {
    let mut s = Screen::new();
    for n in 0..20_000 {
        s.tell(said(n, "a message of some words"));
    }
    s.draw(80, 30);
    assert!(s.pane.laid.len() <= 40, "{}", s.pane.laid.len());
    for _ in 0..300 {
        s.act(ConversationAction::PageUp);
        s.draw(80, 30);
    }
    assert!(s.pane.laid.len() <= LAID + 60, "{}", s.pane.laid.len());
}

#[test]
fn what_is_copied_is_what_is_chosen_else_what_stands_at_the_bottom_and_is_named() {
    let mut s = Screen::new();
    s.tell(said(1, "where is it?"));
    s.tell(lane(1, LaneKind::Answer, IntentNode::Read));
    s.tell(thinking(2, 1));
    s.tell(replied(2, 1, "In login.rs."));
    s.tell(started(3, Tool::Run, "seq 3"));
    s.tell(ended(3, "exit 0", "1\n2\n3\n"));
    s.draw(60, 20);
    let copied = |s: &mut Screen| {
        let outcome = s.act(ConversationAction::Copy);
        (outcome.copy.unwrap_or_default(), outcome.notice.unwrap())
    };
    let (text, notice) = copied(&mut s);
    assert_eq!(
        (text.trim_end(), notice.as_str()),
        ("seq 3\n1\n2\n3", "copied seq 3 with its output, 4 lines")
    );
    s.act(ConversationAction::Top);
    assert_eq!(copied(&mut s), ("where is it?".to_owned(), "copied your message, 1 line".to_owned()));
    s.pane.cursor = None;
    assert!(s.text(60, 4)[3].contains("In login.rs."));
    let (text, notice) = copied(&mut s);
    assert_eq!((text.as_str(), notice.as_str()), ("In login.rs.", "copied the reply, 1 line"));
}
