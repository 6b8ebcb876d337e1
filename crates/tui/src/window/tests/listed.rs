//! Which row of the list of runs is chosen, which are not listed, and what the end of a worktree asks.

use super::*;
use crate::theme::Glyphs;

fn host(bench: &mut Bench) -> Vec<HostRequest> {
    std::iter::from_fn(|| bench.window.next_host_request()).collect()
}

#[test]
fn what_is_at_stake_is_looked_at_once_however_often_the_key_is_pressed() {
    let mut bench = Bench::alone();
    bench.events(0, &[story::said(1, "Move to sqlx")]);
    let worktree =
        Worktree { name: "sqlx".into(), path: "/w/x-sqlx".into(), branch: "pilothouse/sqlx".into() };
    bench.window.told::<()>(HostUpdate::Listed(vec![worktree], Vec::new()), bench.now);
    bench.leader('r');
    bench.pause();
    bench.keys("j");
    bench.pause();
    host(&mut bench);
    for _ in 0..3 {
        bench.keys("M");
        bench.pause();
    }
    let end = |request: &HostRequest| matches!(request, HostRequest::End { seen: None, .. });
    assert_eq!(host(&mut bench).iter().filter(|r| end(r)).count(), 1);
    bench.window.told::<()>(HostUpdate::Refused("not now".to_owned()), bench.now);
    bench.keys("M");
    bench.pause();
    assert_eq!(
        host(&mut bench).iter().filter(|r| end(r)).count(),
        1,
        "once it was answered it is asked again"
    );
}

#[test]
fn a_reason_that_finds_no_room_in_a_line_can_be_read_whole() {
    let mut bench = Bench::alone();
    bench.draw();
    let why =
        format!("not merged; this folder is unchanged: {}; and that is the end", "a reason ".repeat(40));
    bench.window.told::<()>(HostUpdate::Refused(why), bench.now);
    let text = bench.draw();
    assert!(text.contains("not merged") && text.contains("that is the end"), "{text}");
    bench.keys("q");
    bench.pause();
    bench.window.told::<()>(HostUpdate::Refused("a short reason".to_owned()), bench.now);
    let text = bench.draw();
    assert!(text.contains("a short reason") && !text.contains("that is the end"), "{text}");
}

#[test]
fn the_choice_begins_at_what_waits_and_else_at_this_session() {
    let mut bench = Bench::six();
    let chosen = |bench: &mut Bench| {
        bench.leader('r');
        bench.pause();
        host(bench);
        bench.press(KeyCode::Enter, KeyModifiers::NONE);
        bench.window.number
    };
    assert_eq!(chosen(&mut bench), 3, "the one that waits");
    let mut bench = Bench::alone();
    for n in 1..3 {
        let number = bench.window.opened(&SessionWish::default(), bench.now).unwrap();
        bench.open(number, &[]);
        bench.events(n, &[story::said(1, "Why two locks?")]);
    }
    bench.window.show(2, Then::Draft, bench.now);
    assert_eq!(chosen(&mut bench), 2, "this one");
    let mut bench = Bench::alone();
    bench.events(0, &[story::said(1, "Move to sqlx")]);
    let number =
        bench.window.opened(&SessionWish { front: true, ..SessionWish::default() }, bench.now).unwrap();
    bench.open(number, &[]);
    let before = vec![earlier("20260102-101500-1a2b", "Name the line")];
    bench.window.told::<()>(HostUpdate::Listed(Vec::new(), before), bench.now);
    bench.leader('r');
    bench.pause();
    host(&mut bench);
    bench.press(KeyCode::Enter, KeyModifiers::NONE);
    let opens = host(&mut bench).iter().any(|r| matches!(r, HostRequest::Open(_)));
    assert!(!opens, "among several that are open none of before is meant");
}

#[test]
fn a_session_that_was_left_before_anything_was_said_is_not_listed() {
    let mut bench = Bench::alone();
    let number =
        bench.window.opened(&SessionWish { front: true, ..SessionWish::default() }, bench.now).unwrap();
    bench.open(number, &[]);
    bench.events(number, &[story::said(1, "Why two locks?")]);
    bench.leader('r');
    bench.pause();
    let text = bench.draw();
    assert!(!text.contains("nothing said yet"), "{text}");
    assert!(!text.contains("Runs 2"), "{text}");
}

fn earlier(session: &str, title: &str) -> RunInfo {
    let (session, title) = (session.to_owned(), title.to_owned());
    RunInfo { session, title, status: RunStatus::Done, heard: Millis(7), ..RunInfo::default() }
}

/// The list of runs, open on two sessions of before, the first of which is marked.
fn two_earlier() -> (Bench, Vec<RunInfo>) {
    let runs =
        vec![earlier("20260102-101500-1a2b", "Name the line"), earlier("20260101-101500-3c3c", "Count it")];
    let mut bench = Bench::alone();
    bench.events(0, &[story::said(1, "Move to sqlx")]);
    bench.window.told::<()>(HostUpdate::Listed(Vec::new(), runs.clone()), bench.now);
    bench.leader('r');
    bench.pause();
    bench.keys("j");
    bench.pause();
    host(&mut bench);
    (bench, runs)
}

#[test]
fn a_session_that_is_put_away_or_deleted_leaves_the_list_with_the_key() {
    for keys in [&["a"][..], &["d", "y"], &["X", "y"]] {
        let (mut bench, runs) = two_earlier();
        for key in keys {
            bench.keys(key);
            bench.pause();
            bench.pause();
        }
        let text = bench.draw();
        assert!(!text.contains("Name the line") && text.contains("Count it"), "{keys:?}\n{text}");
        // The list that follows has the last word.
        bench.window.told::<()>(HostUpdate::Listed(Vec::new(), runs), bench.now);
        assert!(bench.draw().contains("Name the line"));
    }
}

#[test]
fn a_key_means_the_row_that_the_screen_marks_wherever_it_stands_by_now() {
    let (mut bench, mut runs) = two_earlier();
    runs.insert(0, earlier("20260103-101500-4d4d", "Fuzz it"));
    bench.window.told::<()>(HostUpdate::Listed(Vec::new(), runs.clone()), bench.now);
    bench.keys("X");
    bench.pause();
    assert!(bench.draw().contains("Delete \"Name the line\"?"), "{}", bench.draw());
    let (mut bench, mut runs) = two_earlier();
    runs.remove(0);
    bench.window.told::<()>(HostUpdate::Listed(Vec::new(), runs), bench.now);
    // No frame was drawn of that list yet.
    let event = Event::Key(KeyEvent::new(KeyCode::Char('X'), KeyModifiers::NONE));
    let _ = bench.window.terminal(&event, bench.now, bench.now);
    bench.now += SECOND;
    bench.window.settle_keys(bench.now);
    let text = bench.draw();
    assert!(!text.contains("Delete \"") && text.contains("the list has changed"), "{text}");
}

#[test]
fn the_list_names_a_key_only_where_it_does_something() {
    let (mut bench, _) = two_earlier();
    let text = bench.draw();
    assert!(text.contains("Enter open") && !text.contains("v review"), "{text}");
    for key in ["v", "L"] {
        bench.keys(key);
        bench.pause();
        assert!(bench.draw().contains("open it with Enter first"), "{key}");
        assert!(host(&mut bench).iter().all(|r| !matches!(r, HostRequest::Open(_))), "{key} opens nothing");
    }
    bench.keys("k");
    let text = bench.draw();
    assert!(text.contains("Enter back to it") && !text.contains("v review"), "{text}");
    bench.keys("v");
    bench.pause();
    assert!(bench.draw().contains("it has changed nothing so far"));
}

#[test]
fn a_line_that_is_asked_for_says_what_it_is_and_a_name_stands_in_it() {
    let (mut bench, _) = two_earlier();
    bench.keys("r");
    bench.pause();
    let text = bench.draw();
    assert!(text.contains(" Rename ") && text.contains("› Name the line"), "{text}");
    bench.keys("s\n");
    let title = AboutChange::title("Name the lines");
    let session = "20260102-101500-1a2b".to_owned();
    assert!(host(&mut bench).contains(&HostRequest::Describe { session, change: title }));
    bench.keys("k");
    bench.keys("m");
    bench.pause();
    assert!(bench.draw().contains(" Message "), "{}", bench.draw());
}

#[test]
fn a_message_that_is_left_half_written_is_in_the_history() {
    let (mut bench, _) = two_earlier();
    bench.keys("k");
    bench.keys("m");
    bench.pause();
    bench.keys("look at the locks");
    bench.press(KeyCode::Esc, KeyModifiers::NONE);
    assert!(bench.draw().contains("Up brings it back"), "{}", bench.draw());
    bench.press(KeyCode::Esc, KeyModifiers::NONE);
    bench.press(KeyCode::Up, KeyModifiers::NONE);
    assert!(bench.draw().contains("› look at the locks"), "{}", bench.draw());
    // A name that was not changed is none.
    let (mut bench, _) = two_earlier();
    bench.keys("r");
    bench.pause();
    bench.press(KeyCode::Esc, KeyModifiers::NONE);
    assert!(!bench.draw().contains("Up brings it back"));
}

#[test]
fn why_a_worktree_was_not_merged_stands_in_the_runs_until_it_is() {
    // Of one that nothing works in, and of one that the only session works in.
    for path in ["/w/x-sqlx", "inkwell"] {
        let mut bench = Bench::alone();
        let worktree = Worktree { name: "sqlx".into(), path: path.into(), branch: "pilothouse/sqlx".into() };
        bench.window.told::<()>(HostUpdate::Listed(vec![worktree.clone()], Vec::new()), bench.now);
        let why = "not merged; this folder is unchanged: both sides changed a.rs. To merge by hand: git merge pilothouse/sqlx";
        let not = HostUpdate::NotEnded("sqlx".into(), why.into());
        bench.window.told::<()>(not, bench.now);
        assert!(bench.draw().contains("not merged"), "{path}");
        bench.keys("<esc>");
        bench.pause();
        bench.leader('r');
        let text = bench.draw();
        assert!(text.contains("not merged; this folder is unchanged"), "{path}: {text}");
        bench.window.told::<()>(HostUpdate::Ended(WorktreeEnd::Merge, worktree, "merged".into()), bench.now);
        let text = bench.draw();
        assert!(!text.contains("not merged"), "{path}: {text}");
    }
}

/// A window with a worktree of which a merge was asked for that came to nothing.
fn unmerged(path: &str) -> Bench {
    let mut bench = Bench::alone();
    let worktree = Worktree { name: "sqlx".into(), path: path.into(), branch: "pilothouse/sqlx".into() };
    bench.window.told::<()>(HostUpdate::Listed(vec![worktree], Vec::new()), bench.now);
    let why = "pilothouse/sqlx contains nothing that is not here".to_owned();
    bench.window.told::<()>(not_ended(why), bench.now);
    bench.draw();
    bench
}

fn not_ended<L>(why: String) -> HostUpdate<L> {
    HostUpdate::NotEnded("sqlx".into(), why)
}

/// The list of runs, and nothing else that was told.
fn listed(bench: &mut Bench) -> String {
    bench.now += 60 * SECOND;
    bench.leader('r');
    let text = bench.draw();
    text.lines().filter(|line| !line.contains("[EXPLORE]")).collect::<Vec<_>>().join("\n")
}

#[test]
fn why_a_worktree_was_not_merged_goes_once_something_works_there_or_it_is_asked_again() {
    let mut bench = unmerged("/w/x-sqlx");
    let around =
        Surroundings { now: Millis(story::START), folder: "/w/x-sqlx".into(), ..Surroundings::default() };
    let _ = bench.window.update(0, Update::Surroundings(Box::new(around)), bench.now);
    assert!(listed(&mut bench).contains("contains nothing"));
    bench.press(KeyCode::Esc, KeyModifiers::NONE);
    bench.events(0, &[story::said(1, "Move to sqlx"), lane(), story::thinking(2, 1)]);
    bench.draw();
    bench.events(0, &[story::said(1, "Move to sqlx"), lane(), story::replied(2, 1, "Done.")]);
    let text = listed(&mut bench);
    assert!(!text.contains("contains nothing"), "{text}");
    // Asked again it is looked at anew.
    let mut bench = unmerged("/w/x-sqlx");
    let _ = listed(&mut bench);
    bench.keys("j");
    bench.pause();
    assert!(bench.draw().contains("contains nothing"));
    bench.keys("M");
    bench.pause();
    bench.now += 60 * SECOND;
    let text = bench.draw();
    assert!(!text.contains("contains nothing"), "{text}");
    // So it is forgotten with a worktree that is gone.
    let mut bench = unmerged("/w/x-sqlx");
    let worktree = Worktree { name: "sqlx".into(), path: "/w/y".into(), branch: "pilothouse/sqlx".into() };
    for all in [Vec::new(), vec![worktree]] {
        bench.window.told::<()>(HostUpdate::Listed(all, Vec::new()), bench.now);
    }
    let text = listed(&mut bench);
    assert!(!text.contains("contains nothing"), "{text}");
}

#[test]
fn after_the_end_of_a_worktree_every_session_looks_at_its_folder_again() {
    let mut bench = Bench::six();
    let worktree = Worktree { name: "sqlx".into(), path: "/w/x".into(), branch: "pilothouse/sqlx".into() };
    for number in 0..6 {
        let _ = bench.requests(number);
    }
    bench.window.told::<()>(HostUpdate::Ended(WorktreeEnd::Merge, worktree, "merged".into()), bench.now);
    for number in 0..6 {
        let asked = bench.requests(number);
        assert!(asked.iter().any(|r| matches!(r, Request::Focused)), "{number}: {asked:?}");
    }
}

#[test]
fn to_go_on_in_a_session_without_a_word_means_the_one_that_was_left() {
    let left = RunInfo {
        session: "20260102-101500-3f2a".into(),
        title: "Fuzz the parser".into(),
        status: RunStatus::Stopped,
        ..RunInfo::default()
    };
    let opened = |bench: &mut Bench, line: &str| {
        bench.keys(line);
        let shown = bench.draw();
        bench.keys("\n");
        let wishes = host(bench).into_iter().filter_map(|request| {
            if let HostRequest::Open(wish) = request { Some((wish.session, wish.message)) } else { None }
        });
        (shown, wishes.collect::<Vec<_>>())
    };
    let mut bench = Bench::alone();
    bench.window.told::<()>(HostUpdate::Listed(Vec::new(), vec![left.clone()]), bench.now);
    host(&mut bench);
    let (shown, wishes) = opened(&mut bench, "go on");
    assert_eq!(shown.matches("\"Fuzz the parser\"").count(), 2, "{shown}");
    assert_eq!(wishes, [(Some(left.session.clone()), Some("go on".to_owned()))]);
    // Where something was said that is meant, and another line is one as ever.
    let mut bench = Bench::alone();
    bench.window.told::<()>(HostUpdate::Listed(Vec::new(), vec![left.clone()]), bench.now);
    bench.events(0, &[story::said(1, "Move to sqlx")]);
    host(&mut bench);
    assert_eq!(opened(&mut bench, "go on").1, []);
    let mut bench = Bench::alone();
    bench.window.told::<()>(HostUpdate::Listed(Vec::new(), vec![left]), bench.now);
    host(&mut bench);
    assert_eq!(opened(&mut bench, "what is this?").1, []);
}

#[test]
fn figures_have_heads_where_they_stand_in_columns_and_reasons_have_room() {
    let mut bench = Bench::six();
    for (width, heads) in [(60, "step  quiet"), (80, "step  quiet"), (160, "spend")] {
        bench.size = Rect::new(0, 0, width, 24);
        bench.leader('r');
        let text = bench.draw();
        assert!(text.contains(heads), "{text}");
        bench.press(KeyCode::Esc, KeyModifiers::NONE);
    }
}

#[test]
fn what_a_session_is_begun_with_is_a_task_and_no_tier_is_asked_about_it() {
    let begun = |line: &str| {
        let mut bench = Bench::alone();
        bench.keys(line);
        bench.press(KeyCode::Enter, KeyModifiers::NONE);
        let opens = |request| if let HostRequest::Open(wish) = request { Some(wish) } else { None };
        let wish = host(&mut bench).into_iter().find_map(opens).unwrap();
        let number = bench.window.opened(&wish, bench.now).unwrap();
        let said =
            |request| if let Request::Input(Input::Say { text, .. }) = request { Some(text) } else { None };
        bench.requests(number).into_iter().find_map(said).unwrap()
    };
    assert_eq!(
        begun("/worktree tags sort tags by how often they are used"),
        "/agent sort tags by how often they are used"
    );
    assert_eq!(begun("/bg treat an empty rate as zero"), "/agent treat an empty rate as zero");
    assert_eq!(begun("/bg fix the typo in README.md"), "fix the typo in README.md", "that is plain");
    assert_eq!(begun("/bg why is the build slow?"), "why is the build slow?", "so is a question");
    assert_eq!(begun("/bg /research why two locks"), "/research why two locks");
    let secret = "the sk-proj-4fJq0Zx81LmNwPq7RtYv thing";
    assert_eq!(
        begun(&format!("/bg {secret}")),
        secret,
        "it is taken without the key, where a command is refused"
    );
}

#[test]
fn no_mark_of_a_run_is_the_one_that_points_at_the_chosen_row() {
    for glyphs in [Glyphs::UNICODE, Glyphs::ASCII] {
        for status in RunStatus::ALL {
            assert_ne!(mark(status, &glyphs).0, glyphs.folded, "{status:?}");
        }
    }
}
