//! Six sessions of one window on six worktrees, with real drivers, disks and a scripted model.

use std::{process::Command, time::Duration};

use pilothouse_core::{
    checkpoint::Answer,
    input::Input,
    runs::{RunInfo, RunStatus as S},
    session::{Session, State},
};
use serde_json::json;

use super::*;
use crate::rig::{Rig, alone, rests};

/// What a window keeps of a session: it folds what comes.
struct Seat {
    line: Line,
    session: Session,
}

impl Seat {
    fn new(line: Line) -> Self {
        Self { line, session: Session::new() }
    }

    async fn until(&mut self, what: &str, done: impl Fn(&RunInfo) -> bool) {
        self.until_state(what, |state| done(&RunInfo::of(state))).await;
    }

    async fn until_state(&mut self, what: &str, done: impl Fn(&State) -> bool) {
        while !done(self.session.state()) {
            let next = tokio::time::timeout(Duration::from_secs(20), self.line.1.recv()).await;
            match next {
                Ok(Some(Update::Opened(session, _))) => self.session = *session,
                Ok(Some(Update::Events(events))) => events.iter().for_each(|e| self.session.apply(e)),
                Ok(Some(_)) => {}
                Ok(None) | Err(_) => panic!("no {what}: {:?}", RunInfo::of(self.session.state())),
            }
        }
    }

    async fn send(&self, input: Input) {
        self.line.0.send(Request::Input(input)).await.unwrap();
    }
}

fn git(folder: &Path, args: &[&str]) {
    let own = ["-c", "user.name=x", "-c", "user.email=x@y"];
    assert!(Command::new("git").args(own).args(args).current_dir(folder).status().unwrap().success());
}

/// Each session's name, what is asked of it, and how it then stands.
const SIX: [(&str, &str, S); 6] = [
    ("one", "where is the greeting? be silent", S::Thinking),
    ("two", "where is the greeting? ask me", S::Waiting),
    ("three", "where is the greeting? be refused", S::Failed),
    ("four", "where is the greeting?", S::Done),
    ("five", "what greets here? be silent", S::Thinking),
    ("six", "what greets here?", S::Done),
];

/// The first session, and six that were opened by the window's own wish and told what to do.
async fn all(first: Line, ask: &Sender<HostRequest>, told: &mut Receiver<HostUpdate<Line>>) -> Vec<Seat> {
    let mut seats = vec![Seat::new(first)];
    for (name, said, status) in SIX {
        let wish = SessionWish { worktree: Some(name.to_owned()), ..SessionWish::default() };
        ask.send(HostRequest::Open(wish)).await.unwrap();
        let line = loop {
            match told.recv().await.unwrap() {
                HostUpdate::Opened(line, _) => break line,
                HostUpdate::Refused(why) | HostUpdate::NotEnded(_, why) => panic!("{why}"),
                HostUpdate::Done(_)
                | HostUpdate::Listed(..)
                | HostUpdate::AtStake(..)
                | HostUpdate::Ended(..) => {}
            }
        };
        let mut seat = Seat::new(line);
        seat.until("opening", |run| !run.folder.is_empty()).await;
        seat.send(Input::say(said)).await;
        seat.until(name, |run| run.status == status).await;
        seats.push(seat);
    }
    seats
}

#[test]
fn six_sessions_stand_each_for_itself_and_nothing_wakes_once_all_rest() {
    if !alone("host::tests::six_sessions_stand_each_for_itself_and_nothing_wakes_once_all_rest") {
        return;
    }
    let rig = Rig::new(&json!([
        {"when": "silent", "text": "Let me see", "wait_for_cancel": true},
        {"when": "ask me", "calls": [{"name": "ask_user", "args": {"question": "Which?", "choices": ["a", "b"]}}]},
        {"when": "refused", "fault": {"kind": "refused", "message": "no"}},
        {"text": "It greets the world."}
    ]));
    git(&rig.work(), &["init", "-q", "-b", "main"]);
    git(&rig.work(), &["add", "."]);
    git(&rig.work(), &["commit", "-qm", "first"]);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let (ask, asked) = channel(8);
    let (tell, mut told) = channel(64);
    let (first, end) = line();
    let hosted = runtime.spawn(host(rig.setup(Which::New), end, asked, tell));
    let mut seats = runtime.block_on(all(first, &ask, &mut told));
    let stand = |seats: &[Seat]| -> Vec<(String, S)> {
        let of = |seat: &Seat| RunInfo::of(seat.session.state());
        seats.iter().skip(1).map(of).map(|run| (run.folder, run.status)).collect()
    };
    let wanted: Vec<(String, S)> = SIX
        .iter()
        .map(|(name, _, status)| {
            let folder = rig.work().with_file_name(format!("work-{name}")).canonicalize().unwrap();
            (folder.to_string_lossy().into_owned(), *status)
        })
        .collect();
    assert_eq!(stand(&seats), wanted);
    runtime.block_on(async {
        for at in [1, 5] {
            seats[at].send(Input::Cancel).await;
            seats[at].until("its end", |run| !run.status.works()).await;
        }
        let question = seats[2].session.state().open.values().next().unwrap().clone();
        let (checkpoint, shown) = (question.id, question.kind.shown());
        seats[2].send(Input::Answer { checkpoint, answer: Answer::Pick(0), shown }).await;
        seats[2].until("its answer", |run| run.status == S::Done).await;
    });
    assert!(rests(&runtime, seats.len() + 1), "seven idle sessions do not rest");
    let (own, others) = runtime.block_on(async {
        drop(ask);
        for seat in &seats {
            seat.line.0.send(Request::Quit).await.unwrap();
        }
        hosted.await.unwrap()
    });
    assert!(own.unwrap().saved && others.len() == 6 && others.into_iter().all(|o| o.unwrap().saved));
}

/// A window with one session.
struct Alone {
    ask: Sender<HostRequest>,
    told: Receiver<HostUpdate<Line>>,
    hosted: tokio::task::JoinHandle<(Ended, Vec<Ended>)>,
    seat: Seat,
}

/// One in whose session this was said and answered, one after the other.
async fn after(rig: &Rig, said: [&str; 2]) -> Alone {
    let (ask, asked) = channel(8);
    let (tell, told) = channel(64);
    let (first, end) = line();
    let hosted = tokio::spawn(host(rig.setup(Which::New), end, asked, tell));
    let mut seat = Seat::new(first);
    seat.until("opening", |run| !run.folder.is_empty()).await;
    for text in said {
        seat.send(Input::say(text)).await;
        let said = |state: &State| state.turns.values().any(|turn| turn.head == text);
        seat.until_state(text, |state| said(state) && RunInfo::of(state).status == S::Done).await;
    }
    Alone { ask, told, hosted, seat }
}

/// One session from its first message to its end.
async fn once(rig: &Rig, said: &str) {
    let Alone { ask, mut told, hosted, seat } = after(rig, [said, "and who else?"]).await;
    // The one that is open is no session of before.
    ask.send(HostRequest::List).await.unwrap();
    let told = told.recv().await.unwrap();
    let HostUpdate::Listed(_, runs) = told else { panic!("{told:?}") };
    assert!(runs.iter().all(|run| run.title != said), "{runs:?}");
    seat.line.0.send(Request::Quit).await.unwrap();
    drop(ask);
    assert!(hosted.await.unwrap().0.unwrap().saved);
}

#[tokio::test]
async fn sessions_of_before_are_listed_by_their_first_message_the_newest_first() {
    let rig = Rig::new(&json!([{"text": "It greets the world."}, {"text": "Nobody else."}]));
    for said in ["where is the greeting?", "what greets here?"] {
        once(&rig, said).await;
    }
    let folder = [rig.work().canonicalize().unwrap()];
    let listed = || runs::survey_with_earlier(&rig.home(), &folder);
    let told = |runs: &[RunInfo]| -> Vec<(String, S)> {
        runs.iter().map(|run| (run.title.clone(), run.status)).collect()
    };
    let both = [("what greets here?".to_owned(), S::Done), ("where is the greeting?".to_owned(), S::Done)];
    assert_eq!(told(&listed()), both);
    assert!(runs::survey(&rig.home(), Some(&folder)).is_empty(), "they are no runs");
    // Of a summary of before this stood in it, and of one that is lost, the log is read.
    for (n, place) in crate::sessions::all(&rig.home()).into_iter().enumerate() {
        let meta = place.folder.join("meta.json");
        let mut old: serde_json::Value = serde_json::from_slice(&std::fs::read(&meta).unwrap()).unwrap();
        assert!(old.as_object_mut().unwrap().remove("run").is_some());
        if n == 0 {
            std::fs::write(&meta, old.to_string()).unwrap();
        } else {
            std::fs::remove_file(&meta).unwrap();
        }
    }
    assert_eq!(told(&listed()), both);
}

#[tokio::test]
async fn a_copy_of_a_session_that_is_open_is_gone_on_with_beside_it() {
    let rig = Rig::new(&json!([{"text": "It greets the world."}, {"text": "Nobody else."}]));
    let said = ["where is the greeting?", "what greets here?"];
    let Alone { ask, mut told, hosted, seat } = after(&rig, said).await;
    let slug = seat.session.state().slug.clone();
    let wish = |upto| SessionWish { session: Some(slug.clone()), fork: Some(upto), ..SessionWish::default() };
    let mut copies = Vec::new();
    for (upto, messages) in [(ForkUpTo::Message(1), 1), (ForkUpTo::End, 2)] {
        ask.send(HostRequest::Open(wish(upto))).await.unwrap();
        let HostUpdate::Opened(line, _) = told.recv().await.unwrap() else { panic!("{upto:?}") };
        let mut copy = Seat::new(line);
        copy.until("the copy", |run| !run.folder.is_empty()).await;
        let state = copy.session.state();
        assert_eq!((state.turns.len(), state.slug != slug), (messages, true), "{upto:?}");
        copies.push(copy);
    }
    ask.send(HostRequest::Open(wish(ForkUpTo::Message(9)))).await.unwrap();
    let refused = told.recv().await.unwrap();
    assert!(matches!(&refused, HostUpdate::Refused(why) if why.contains("no number 9")), "{refused:?}");
    assert_eq!(seat.session.state().turns.len(), 2);
    drop(ask);
    for seat in copies.iter().chain([&seat]) {
        seat.line.0.send(Request::Quit).await.unwrap();
    }
    let (own, others) = hosted.await.unwrap();
    assert!(own.unwrap().saved && others.len() == 2 && others.into_iter().all(|o| o.unwrap().saved));
}
