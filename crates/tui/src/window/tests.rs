//! Several sessions in one window; time passes only when told to.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use pilothouse_core::{
    about::AboutChange,
    blob::BlobId,
    event::{Event as Told, Stamped},
    ids::{CallId, Millis},
    input::Input,
    intent::IntentNode,
    port::Surroundings,
    runs::{RunStatus, RunStatus as S, WorktreeEnd, WorktreeStake},
    session::{LaneKind, Session},
    talk::{Delta, DeltaKind},
};

use super::*;
use crate::story::{self, Story};

mod ends;
mod followed;
mod gone;
mod listed;
mod renamed;

const SECOND: Duration = Duration::from_secs(1);

/// A lane that answers.
fn lane() -> Told {
    story::lane(1, LaneKind::Answer, IntentNode::Explain)
}

struct Bench {
    window: Window,
    now: Instant,
    size: Rect,
}

impl Bench {
    /// A window on six sessions: working twice, stalled, waiting, done, and the first, in which nothing was said.
    fn six() -> Self {
        let mut bench = Self::alone();
        for _ in 1..6 {
            let number = bench.window.opened(&SessionWish::default(), bench.now).unwrap();
            bench.open(number, &[]);
        }
        bench.events(1, &[story::said(1, "Move to sqlx"), lane(), story::thinking(2, 1)]);
        bench.events(2, &[story::said(1, "Translate the help"), lane(), story::thinking(2, 1)]);
        bench.events(3, &[story::said(1, "Fix the build"), lane(), story::review(9, &[])]);
        bench.events(4, &[story::said(1, "Why two locks?")]);
        bench.events(5, &[story::said(1, "Count the tests"), lane(), story::thinking(2, 1)]);
        bench.draw();
        bench
    }

    /// A window on one session, in which nothing was said.
    fn alone() -> Self {
        let look = Look { folder: "inkwell".into(), ..Look::default() };
        let window = Window::new(look, Highlighter::off()).unwrap();
        let mut bench = Self { window, now: Instant::now(), size: Rect::new(0, 0, 140, 42) };
        bench.open(0, &[]);
        bench
    }

    fn open(&mut self, number: Number, events: &[Stamped]) {
        let around = Surroundings { now: Millis(story::START), ..Surroundings::default() };
        let _ = self.window.update(number, Update::Surroundings(Box::new(around)), self.now);
        let opened = Update::Opened(Box::new(Session::new()), events.to_vec());
        let _ = self.window.update(number, opened, self.now);
    }

    /// Another window holds this session: it is followed here.
    fn held(&mut self, number: Number) {
        let around = Surroundings { now: Millis(story::START), read_only: true, ..Surroundings::default() };
        let _ = self.window.update(number, Update::Surroundings(Box::new(around)), self.now);
    }

    /// Events of a session, told at the start of time.
    fn events(&mut self, number: Number, events: &[Told]) -> Option<Urgency> {
        let mut story = Story::new();
        let told: Vec<Stamped> = events.iter().map(|e| story.tell(e.clone())).collect();
        self.window.update(number, Update::Events(told), self.now)
    }

    fn draw(&mut self) -> String {
        self.window.layout(self.size, self.now);
        self.window.foretell();
        let mut buf = Buffer::empty(self.size);
        self.window.render(&mut buf, self.now);
        self.window.front().drew(self.now);
        story::text(&buf).join("\n")
    }

    fn press(&mut self, code: KeyCode, mods: KeyModifiers) {
        let event = Event::Key(KeyEvent::new(code, mods));
        let _ = self.window.terminal(&event, self.now, self.now);
        self.draw();
    }

    fn keys(&mut self, text: &str) {
        for c in text.chars() {
            let code = if c == '\n' { KeyCode::Enter } else { KeyCode::Char(c) };
            self.press(code, KeyModifiers::NONE);
        }
    }

    /// Nothing more is typed: letters that were held act.
    fn pause(&mut self) {
        self.now += SECOND;
        self.window.settle_keys(self.now);
        self.draw();
    }

    fn leader(&mut self, c: char) {
        self.press(KeyCode::Char('x'), KeyModifiers::CONTROL);
        self.keys(&c.to_string());
    }

    fn requests(&mut self, of: Number) -> Vec<Request> {
        std::iter::from_fn(|| self.window.next_request(of)).collect()
    }

    fn status(&mut self, number: Number) -> RunStatus {
        let rows = self.window.rows(self.now);
        rows.iter().find(|r| r.number() == Some(number)).unwrap().info.status
    }
}

#[test]
fn each_of_six_is_told_at_a_glance_and_the_status_line_counts_them() {
    let mut bench = Bench::six();
    bench.now += 59 * SECOND;
    assert_eq!((bench.status(1), bench.status(3)), (RunStatus::Thinking, RunStatus::Waiting));
    let heard = Delta { call: CallId(2), offset: 0, kind: DeltaKind::Text, text: "So".into() };
    let _ = bench.window.update(1, Update::Delta(heard), bench.now);
    bench.now += 2 * SECOND;
    let all: Vec<RunStatus> = (0..6).map(|n| bench.status(n)).collect();
    assert_eq!(all, [S::Idle, S::Thinking, S::Stalled, S::Waiting, S::Done, S::Stalled]);
    let text = bench.draw();
    assert!(text.contains("⚑ 1 waiting   bg:5 1⚑ 2◌ 1✦ 1✓"), "{text}");
    bench.leader('r');
    let text = bench.draw();
    for told in ["thinking", "stalled", "waiting on you", "done", "Translate the help", "2 stalled"] {
        assert!(text.contains(told), "no {told} in\n{text}");
    }
}

#[test]
fn typing_goes_on_whatever_the_others_do_and_no_question_takes_a_key() {
    let mut bench = Bench::six();
    let _ = bench.requests(0);
    let text: String = (0..500).map(|n| char::from(b'a' + u8::try_from(n % 26).unwrap())).collect();
    for (n, c) in text.chars().enumerate() {
        bench.keys(&c.to_string());
        if n == 200 {
            bench.events(5, &[story::said(2, "again"), lane(), story::review(9, &[])]);
        }
    }
    assert!((0..6).all(|n| bench.requests(n).iter().all(|r| !matches!(r, Request::Input(_)))));
    bench.press(KeyCode::Enter, KeyModifiers::NONE);
    let sent = bench.requests(0);
    assert!(sent.iter().any(|r| matches!(r, Request::Input(Input::Say { text: said, .. }) if *said == text)));
}

#[test]
fn a_session_is_shown_written_to_stopped_and_left_where_its_draft_was() {
    let mut bench = Bench::six();
    bench.keys("half a thought");
    bench.leader('r');
    bench.keys("kk");
    bench.press(KeyCode::Enter, KeyModifiers::NONE);
    assert!(bench.draw().contains("Move to sqlx") && !bench.draw().contains("half a thought"));
    bench.press(KeyCode::Char('x'), KeyModifiers::CONTROL);
    bench.press(KeyCode::BackTab, KeyModifiers::SHIFT);
    assert!(bench.draw().contains("half a thought"));
    // A message reaches the session that was chosen, and no other.
    bench.leader('r');
    bench.keys("m");
    bench.pause();
    bench.keys("use the new pool");
    bench.press(KeyCode::Enter, KeyModifiers::NONE);
    let said =
        |r: &Request| matches!(r, Request::Input(Input::Say { text, .. }) if text == "use the new pool");
    assert!(bench.requests(1).iter().any(said) && !bench.requests(0).iter().any(said));
    // Stopping asks first; a key that came too early stops nothing.
    bench.keys("x");
    bench.pause();
    bench.keys("y");
    bench.pause();
    assert!(!bench.requests(1).iter().any(|r| matches!(r, Request::Input(Input::Cancel))));
    bench.now += SECOND;
    bench.keys("y");
    bench.pause();
    assert!(bench.requests(1).iter().any(|r| matches!(r, Request::Input(Input::Cancel))));
}

#[test]
fn a_question_of_another_session_is_in_the_one_list_and_answered_there() {
    let mut bench = Bench::six();
    bench.leader('a');
    let text = bench.draw();
    assert!(text.contains("in Fix the build") && text.contains("1 waiting"), "{text}");
    bench.now += SECOND;
    bench.keys("y");
    assert!((0..6).all(|n| bench.requests(n).iter().all(|r| !matches!(r, Request::Input(_)))));
    bench.press(KeyCode::Enter, KeyModifiers::NONE);
    assert_eq!(bench.window.number, 3);
}

#[test]
fn leaving_with_runs_alive_asks_to_stop_or_wait() {
    let mut bench = Bench::six();
    bench.leader('q');
    bench.size = Rect::new(0, 0, 60, 24);
    let text = bench.draw();
    assert!(text.contains("4 sessions in this window would be left"), "{text}");
    let last = text.lines().position(|row| row.contains("set aside and offered at the next start.")).unwrap();
    assert_eq!(text.lines().nth(last - 1).unwrap().trim_matches(['│', ' ']), "", "{text}");
    assert!((0..6).all(|n| !bench.requests(n).iter().any(|r| matches!(r, Request::Quit))));
    bench.now += SECOND;
    bench.keys("s");
    bench.pause();
    assert!((0..6).all(|n| bench.requests(n).iter().any(|r| matches!(r, Request::Quit))));
    for number in 0..6 {
        let _ = bench.window.update(number, Update::Closed(None), bench.now);
    }
    assert!(bench.window.wishes().contains(&AppCommand::Leave));
}

#[test]
fn who_waits_leaves_when_nothing_works_and_a_question_keeps_the_window() {
    let mut bench = Bench::six();
    bench.leader('q');
    bench.now += SECOND;
    bench.keys("w");
    bench.pause();
    assert!(bench.draw().contains("leaving when every run has ended"), "{}", bench.draw());
    for number in [1, 2, 5] {
        bench.events(number, &[story::said(1, "x"), lane(), story::replied(2, 1, "Done.")]);
    }
    let quit = |b: &mut Bench| (0..6).any(|n| b.requests(n).iter().any(|r| matches!(r, Request::Quit)));
    assert!(!quit(&mut bench), "a question is waiting");
    assert!(bench.draw().contains("a question is waiting, so this stays open"), "{}", bench.draw());
    // Waiting leads nowhere now: the question is offered instead.
    bench.leader('q');
    let text = bench.draw();
    assert!(text.contains("a answer what waits") && !text.contains("w wait"), "{text}");
    bench.keys("a");
    bench.pause();
    assert_eq!(bench.window.number, 3);
    assert!(bench.draw().contains("Approvals"), "{}", bench.draw());
}

#[test]
fn nothing_wakes_the_window_once_nothing_works() {
    let mut bench = Bench::six();
    assert!(bench.window.alarm(bench.now).is_some(), "it wakes once to say that a run stalled");
    bench.now += 600 * SECOND;
    bench.draw();
    assert_eq!(bench.window.alarm(bench.now), None);
    let text = bench.events(4, &[story::said(2, "again")]);
    assert!(text.is_none(), "what nobody sees is not drawn");
    bench.leader('r');
    assert!(bench.window.alarm(bench.now).is_some(), "ages grow where they are shown");
}

#[test]
fn a_session_that_closes_gives_the_window_to_another() {
    let mut bench = Bench::six();
    let _ = bench.window.update(0, Update::Closed(None), bench.now);
    assert_eq!((bench.window.sessions(), bench.window.number), (5, 3), "to the one that waits");
    assert!(bench.draw().contains("Leave?"));
    assert!(!bench.window.wishes().contains(&AppCommand::Leave));
}

#[test]
fn what_was_left_is_offered_once_and_taken_up_here() {
    let mut bench = Bench::six();
    let left = RunInfo {
        session: "20260102-101500-3f2a".into(),
        title: "Fuzz the parser".into(),
        status: RunStatus::Orphaned,
        ..RunInfo::default()
    };
    bench.window.told::<()>(HostUpdate::Listed(Vec::new(), vec![left.clone()]), bench.now);
    let text = bench.draw();
    assert!(text.contains("Ctrl-X r lists \"Fuzz the parser\", unfinished"), "{text}");
    assert!(!text.contains("was left"), "it is said once: {text}");
    bench.leader('r');
    let _ = std::iter::from_fn(|| bench.window.next_host_request()).count();
    bench.keys("jjjjjj");
    bench.press(KeyCode::Enter, KeyModifiers::NONE);
    let wish = SessionWish { session: Some(left.session), front: true, ..SessionWish::default() };
    assert_eq!(bench.window.next_host_request(), Some(HostRequest::Open(wish)));
}

#[test]
fn the_page_that_greets_names_the_session_to_go_on_with() {
    let run = |session: &str, title: &str, status| RunInfo {
        session: session.into(),
        title: title.into(),
        status,
        ..RunInfo::default()
    };
    let last = run("20260101-101500-1a2b", "Name the line", RunStatus::Done);
    let mut bench = Bench::alone();
    bench.window.told::<()>(HostUpdate::Listed(Vec::new(), vec![last.clone()]), bench.now);
    let text = bench.draw();
    assert!(text.contains("Ctrl-X r lists \"Name the line\", done"), "{text}");
    assert!(!text.contains("left unfinished"), "{text}");
    bench.leader('r');
    let _ = std::iter::from_fn(|| bench.window.next_host_request()).count();
    bench.press(KeyCode::Enter, KeyModifiers::NONE);
    let wish = SessionWish { session: Some(last.session.clone()), front: true, ..SessionWish::default() };
    assert_eq!(bench.window.next_host_request(), Some(HostRequest::Open(wish)));
    // What was left unfinished comes first.
    let mut bench = Bench::alone();
    let left = run("20260102-101500-3f2a", "Fuzz the parser", RunStatus::Stopped);
    bench.window.told::<()>(HostUpdate::Listed(Vec::new(), vec![left, last]), bench.now);
    let text = bench.draw();
    assert!(text.contains("lists \"Fuzz the parser\", unfinished"), "{text}");
}

#[test]
fn what_nobody_works_on_is_renamed_put_away_and_deleted_after_a_yes() {
    let session = "20260101-101500-1a2b".to_owned();
    let run = RunInfo {
        session: session.clone(),
        title: "Name the line".into(),
        status: RunStatus::Done,
        heard: Millis(7),
        wrote: true,
        ..RunInfo::default()
    };
    let asked = |run: &RunInfo, keys: &[&str]| {
        let mut bench = Bench::alone();
        bench.window.told::<()>(HostUpdate::Listed(Vec::new(), vec![run.clone()]), bench.now);
        bench.draw();
        bench.leader('r');
        for key in keys {
            bench.keys(key);
            bench.pause();
            bench.draw();
            bench.now += SECOND;
        }
        let text = bench.draw();
        let all: Vec<HostRequest> = std::iter::from_fn(|| bench.window.next_host_request()).collect();
        (all.into_iter().find(|r| !matches!(r, HostRequest::List)), text)
    };
    let describe = |change| Some(HostRequest::Describe { session: session.clone(), change });
    let renamed = describe(AboutChange::title("Name the line, once"));
    assert_eq!(asked(&run, &["r", ", once\n"]).0, renamed);
    assert_eq!(asked(&run, &["a"]).0, describe(AboutChange::archived(true)));
    let (none, text) = asked(&run, &["X"]);
    assert!(
        text.contains("Delete \"Name the line\"?") && text.contains("can no longer take them back"),
        "{text}"
    );
    assert_eq!(none, None);
    let gone = Some(HostRequest::Delete { session: session.clone(), heard: Millis(7) });
    assert_eq!(asked(&run, &["X", "y"]).0, gone);
    let held = RunInfo { pid: Some(4), ..run };
    for keys in [["j", "a", "y"], ["j", "X", "y"], ["j", "r", "Lines\n"]] {
        assert_eq!(asked(&held, &keys).0, None, "{keys:?}");
    }
}

#[test]
fn a_worktree_with_something_at_stake_goes_only_by_a_yes_that_saw_it() {
    let mut bench = Bench::six();
    let worktree =
        Worktree { name: "sqlx".into(), path: "/w/x-sqlx".into(), branch: "pilothouse/sqlx".into() };
    let lines = vec!["2 files are not committed there: a.rs, b.rs".to_owned()];
    let stake = WorktreeStake { worktree, into: "main".into(), lines, shown: BlobId::of(b"1") };
    bench.window.told::<()>(HostUpdate::AtStake(WorktreeEnd::Merge, stake.clone()), bench.now);
    let text = bench.draw();
    assert!(text.contains("Merge the worktree sqlx into main?"), "{text}");
    bench.keys("<esc>");
    bench.window.told::<()>(HostUpdate::AtStake(WorktreeEnd::Drop, stake), bench.now);
    let text = bench.draw();
    assert!(text.contains("Drop the worktree sqlx?") && text.contains("2 files are not committed"), "{text}");
    let _ = std::iter::from_fn(|| bench.window.next_host_request()).count();
    bench.keys("y");
    bench.pause();
    assert_eq!(bench.window.next_host_request(), None, "too early");
    bench.now += SECOND;
    bench.keys("y");
    bench.pause();
    let seen = Some(BlobId::of(b"1"));
    let end = HostRequest::End { end: WorktreeEnd::Drop, name: "sqlx".into(), seen };
    assert_eq!(bench.window.next_host_request(), Some(end));
}

#[test]
fn a_line_typed_into_the_runs_is_a_draft_and_begins_nothing() {
    for line in
        ["new idea", "make it so", "try another way", "do it", "Merge them", "Drop that", "xs are odd"]
    {
        let mut bench = Bench::six();
        bench.leader('r');
        bench.pause();
        let _ = std::iter::from_fn(|| bench.window.next_host_request()).count();
        bench.keys(line);
        bench.pause();
        assert_eq!(bench.window.next_host_request(), None, "{line}");
        assert_eq!((bench.window.number, bench.window.sessions()), (0, 6), "{line}");
        assert!(bench.draw().contains(&format!("\u{203a} {line}")), "{line}\n{}", bench.draw());
    }
}

#[test]
fn words_for_another_session_stay_in_its_history_and_it_is_said_what_became_of_them() {
    let mut bench = Bench::six();
    bench.leader('r');
    bench.keys("kk");
    bench.keys("m");
    bench.pause();
    bench.keys("use the new pool");
    bench.press(KeyCode::Enter, KeyModifiers::NONE);
    let _ = bench.requests(1);
    let _ = bench.window.update(1, Update::Refused("nothing works now".into()), bench.now);
    let text = bench.draw();
    assert!(text.contains("Move to sqlx: nothing works now; your line is in its history"), "{text}");
    bench.press(KeyCode::Enter, KeyModifiers::NONE);
    assert_eq!(bench.window.number, 1);
    bench.press(KeyCode::Up, KeyModifiers::NONE);
    assert!(bench.draw().contains("\u{203a} use the new pool"), "{}", bench.draw());
}

#[test]
fn letters_that_are_held_in_one_session_never_act_once_another_was_shown() {
    let mut bench = Bench::six();
    bench.leader('r');
    bench.pause();
    let _ = std::iter::from_fn(|| bench.window.next_host_request()).count();
    bench.keys("n");
    // What was asked for before comes up, and the user goes back after a while.
    let wish = SessionWish { front: true, ..SessionWish::default() };
    let number = bench.window.opened(&wish, bench.now).unwrap();
    bench.open(number, &[]);
    assert_eq!(bench.window.number, number);
    bench.window.show(0, Then::Draft, bench.now);
    bench.pause();
    let asked: Vec<_> = std::iter::from_fn(|| bench.window.next_host_request()).collect();
    assert!(asked.iter().all(|r| matches!(r, HostRequest::List)), "{asked:?}");
    assert!(!bench.draw().contains("\u{203a} n"), "nor is it written there: {}", bench.draw());
}

#[test]
fn the_log_of_a_run_is_its_conversation_with_the_keys_in_it() {
    let mut bench = Bench::six();
    bench.leader('r');
    bench.keys("kk");
    bench.keys("L");
    bench.pause();
    assert_eq!(bench.window.number, 1);
    let text = bench.draw();
    assert!(text.contains("Move to sqlx") && text.contains("your keys go to the conversation"), "{text}");
}

/// Two sessions that came to rest and one that was left unfinished.
fn with_earlier() -> Bench {
    let run = |session: &str, title: &str, status, doing: &str| RunInfo {
        session: session.into(),
        title: title.into(),
        status,
        doing: doing.into(),
        ..RunInfo::default()
    };
    let mut bench = Bench::six();
    let left = run("20260104-101500-4d4d", "Fuzz the parser", S::Stopped, "");
    let second = run("20260103-101500-3c3c", "Name the line", S::Done, "2 changes set aside, 1 queued");
    let first = run("20260102-101500-2b2b", "Explain the locks", S::Failed, "the server said no");
    let listed = vec![left, second, first];
    bench.window.told::<()>(HostUpdate::Listed(Vec::new(), listed), bench.now);
    let _ = std::iter::from_fn(|| bench.window.next_host_request()).count();
    bench
}

fn opens(bench: &mut Bench) -> Option<String> {
    std::iter::from_fn(|| bench.window.next_host_request()).find_map(|request| match request {
        HostRequest::Open(wish) => wish.session,
        HostRequest::List
        | HostRequest::End { .. }
        | HostRequest::Describe { .. }
        | HostRequest::Delete { .. } => None,
    })
}

#[test]
fn sessions_of_before_stand_below_those_of_this_window_and_open_in_it() {
    let mut bench = with_earlier();
    let text = bench.draw();
    assert!(text.contains("lists \"Fuzz the parser\", unfinished"), "what came to rest is not: {text}");
    bench.leader('r');
    let text = bench.draw();
    let at = |what: &str| text.find(what).unwrap_or_else(|| panic!("no {what} in\n{text}"));
    let order = ["Count the tests", "Fuzz the parser", "earlier here", "Name the line", "Explain the locks"];
    assert!(order.map(at).is_sorted(), "{text}");
    assert!(text.contains("2 changes set aside, 1 queued"), "{text}");
    assert!(text.contains("7 · ") && text.contains("2 earlier"), "{text}");
    bench.keys("jjjjjjjj");
    let text = bench.draw();
    assert!(text.contains("session          20260102-101500-2b2b"), "the last is chosen: {text}");
    bench.press(KeyCode::Enter, KeyModifiers::NONE);
    assert_eq!(opens(&mut bench).as_deref(), Some("20260102-101500-2b2b"));
}

#[test]
fn a_session_is_found_by_a_word_and_esc_lists_all_again() {
    let mut bench = with_earlier();
    bench.leader('r');
    bench.keys("/");
    bench.keys("LOCKS");
    bench.press(KeyCode::Enter, KeyModifiers::NONE);
    let text = bench.draw();
    assert!(text.contains("Runs · \"LOCKS\"") && text.contains("Why two locks?"), "{text}");
    assert!(text.contains("Explain the locks") && !text.contains("Name the line"), "{text}");
    bench.keys("j");
    bench.press(KeyCode::Esc, KeyModifiers::NONE);
    let text = bench.draw();
    assert!(text.contains("Name the line") && text.contains("your keys go to the runs"), "{text}");
}

#[test]
fn the_words_of_other_programs_open_a_session_of_before_by_its_name() {
    let mut bench = with_earlier();
    let line = |bench: &mut Bench, text: &str| {
        bench.keys(text);
        bench.press(KeyCode::Enter, KeyModifiers::NONE);
        bench.pause();
    };
    line(&mut bench, "/resume 20260103");
    assert_eq!(opens(&mut bench).as_deref(), Some("20260103-101500-3c3c"));
    // Where several begin so, or none, the list says which there are.
    line(&mut bench, "/resume 2026");
    assert_eq!(opens(&mut bench), None);
    let text = bench.draw();
    assert!(text.contains("Runs · \"2026\"") && text.contains("Fuzz the parser"), "{text}");
    bench.press(KeyCode::Esc, KeyModifiers::NONE);
    bench.press(KeyCode::Esc, KeyModifiers::NONE);
    line(&mut bench, "/sessions nowhere");
    let text = bench.draw();
    assert!(
        text.contains("No session here has \"nowhere\".") && text.contains("Esc lists them all"),
        "{text}"
    );
    assert_eq!((opens(&mut bench), bench.window.sessions()), (None, 6), "nothing is begun");
}
