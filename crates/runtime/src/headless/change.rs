//! `undo` and `redo` without a screen.
//!
//! Owns the choice of the session. The taking back itself is the session's own and is logged as
//! every other step.

use std::{collections::BTreeMap, io::Write};

use pilothouse_core::{
    blob::BlobId,
    checkpoint::CheckpointKind,
    diff,
    encoding::text_of,
    event::{Event, Stamped},
    ids::{ProposalId, Seq},
    input::{Found, Input},
    port::{Request, Update},
    proposal::{DELETE_WORD, Decision, Proposal},
    question::UndoAnswer,
    session::{Apply, Session},
};
use tokio::sync::mpsc;

use super::Outcome;
use crate::{
    blobs::Blobs,
    disk::{RealDisk, Root},
    driver::{Setup, Which, drive, settle},
    error::RuntimeError,
    log::Log,
    sessions::{self, Place},
    writer::{self, record},
};

/// The exit code of a question that nobody is there to answer.
const ASKS: u8 = 3;

/// Which way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Take back the last applied change.
    Undo,
    /// Put back the last undone change.
    Redo,
}

/// What is wanted.
#[derive(Clone, Debug)]
pub struct ChangeRequest {
    /// Which way.
    pub way: Direction,
    /// In this session only; else the newest of the folder that has something.
    pub session: Option<String>,
    /// Only list what there is.
    pub list: bool,
    /// Only say what would happen.
    pub dry_run: bool,
    /// What becomes of what may be somebody else's; nothing is taken back where that is not said.
    pub doubt: Option<UndoAnswer>,
}

/// Takes back, or puts back, the last change of the folder.
///
/// # Errors
/// When there is no such session or it cannot be opened.
pub async fn change(
    setup: Setup,
    wish: ChangeRequest,
    out: &mut (dyn Write + Send),
    err: &mut (dyn Write + Send),
) -> Result<Outcome, RuntimeError> {
    let real = setup.workspace.canonicalize().map_err(RuntimeError::io("open", &setup.workspace))?;
    for told in settle(&setup, &real).await.notices {
        drop(writeln!(err, "{told}"));
    }
    let places = match &wish.session {
        Some(name) => vec![sessions::find(&setup.home, &real, name)?],
        None => sessions::all(&setup.home).into_iter().filter(|p| p.workspace == real).collect(),
    };
    let mut ready = candidates(places, wish.way, &sessions::order(&setup.home, &real), err);
    if wish.list {
        for (place, session) in &ready {
            list(place, session, wish.way, out);
        }
        return Ok(Outcome { exit: 0, slug: String::new(), reason: String::new() });
    }
    let Some((place, session)) = ready.drain(..).next() else {
        let what = match wish.way {
            Direction::Undo => "there is no applied change to take back",
            Direction::Redo => "there is no undone change to put back",
        };
        return Ok(Outcome { exit: 1, slug: String::new(), reason: what.to_owned() });
    };
    if wish.dry_run {
        return rehearse(&place, &session, wish.way, out, err);
    }
    let (which, blobs) = (Which::Named(place.slug.clone()), Blobs::under(&place.folder));
    perform(Setup { which, writing: true, ..setup }, (wish.way, wish.doubt), &blobs, out).await
}

/// Sessions that have something, the one whose change is newest first: by the order of the changes, and by time only
/// where that was not noted yet.
fn candidates(
    places: Vec<Place>,
    way: Direction,
    order: &BTreeMap<String, usize>,
    err: &mut (dyn Write + Send),
) -> Vec<(Place, Session)> {
    let mut ready = Vec::new();
    for place in places {
        let found = sessions::summary(&place).and_then(|summary| {
            let has = match way {
                Direction::Undo => summary.applied,
                Direction::Redo => summary.undone,
            };
            if has > 0 { fold(&place).map(Some) } else { Ok(None) }
        });
        match found {
            Ok(None) => {}
            Ok(Some((session, when))) => {
                ready.push(((order.get(&place.slug).copied(), when), place, session));
            }
            // One that cannot be read keeps nobody from taking back what another did.
            Err(e) => drop(writeln!(err, "session {} is skipped: {e}", place.slug)),
        }
    }
    ready.sort_by_key(|(when, ..)| std::cmp::Reverse(*when));
    ready.into_iter().map(|(_, place, session)| (place, session)).collect()
}

/// The state of a session, and when its files were changed last.
fn fold(place: &Place) -> Result<(Session, (pilothouse_core::ids::Millis, Seq)), RuntimeError> {
    let mut session = Session::new();
    let mut when = (pilothouse_core::ids::Millis(0), Seq(0));
    Log::read(&place.folder)?.replay(|event| {
        if sessions::changes_files(&event.event) {
            when = (event.at, event.seq);
        }
        session.apply(&event);
    })?;
    Ok((session, when))
}

fn stack(session: &Session, way: Direction) -> impl Iterator<Item = &Apply> {
    let state = session.state();
    let ids = match way {
        Direction::Undo => state.ledger(),
        Direction::Redo => state.undone(),
    };
    ids.iter().rev().filter_map(|id| state.applies().get(id))
}

fn files(apply: &Apply) -> String {
    let one = |f: &pilothouse_core::event::FileChange| format!("{} (+{} -{})", f.path, f.added, f.removed);
    let files = apply.files.iter().map(one).collect::<Vec<_>>().join(", ");
    if apply.command.is_none() { files } else { format!("{}: {files}", apply.words()) }
}

fn list(place: &Place, session: &Session, way: Direction, out: &mut (dyn Write + Send)) {
    for apply in stack(session, way) {
        drop(writeln!(out, "{}  {}  {}", place.slug, apply.id, files(apply)));
    }
}

fn rehearse(
    place: &Place,
    session: &Session,
    way: Direction,
    out: &mut (dyn Write + Send),
    err: &mut (dyn Write + Send),
) -> Result<Outcome, RuntimeError> {
    let root = Root::open(&place.workspace).map_err(RuntimeError::io("open", &place.workspace))?;
    let mut exit = 0;
    if let Some(apply) = stack(session, way).next() {
        let (verb, wanted) = match way {
            Direction::Undo => ("take back", Found::After),
            Direction::Redo => ("put back", Found::Before),
        };
        drop(writeln!(out, "would {verb}: {}", files(apply)));
        let blobs = Blobs::under(&place.folder);
        let tools = record::Tools { disk: &RealDisk, root: &root, blobs: &blobs };
        let found = match &apply.command {
            Some(command) => {
                tools.record(command.record).map_or(Found::Mixed, |r| tools.look(&r.kept(command.kept)))
            }
            None => writer::look(&RealDisk, &root, &apply.files),
        };
        if found != wanted {
            let told = match apply.command {
                Some(_) => "it would be refused and nothing written",
                None => "the diff beside that would be shown, and written with --keep",
            };
            drop(writeln!(err, "a file has changed since: {told}"));
            exit = 1;
        }
    }
    Ok(Outcome { exit, slug: place.slug.clone(), reason: String::new() })
}

/// The answer to the question whether what may be somebody else's is taken back, and why nothing is.
fn answered(event: &Event, doubt: Option<UndoAnswer>) -> Option<(Input, Option<String>)> {
    let Event::CheckpointOpened { checkpoint } = event else { return None };
    let CheckpointKind::Undo(asked) = &checkpoint.kind else { return None };
    let (answer, refused) = match doubt {
        Some(UndoAnswer::Keep) if asked.doubt.all => {
            let why = "none of it is certainly the command's, so nothing was taken back";
            (UndoAnswer::Leave, Some(why.to_owned()))
        }
        Some(answer) => (answer, None),
        None => {
            let ways = "`--all` takes it all back, `--keep` leaves what may be someone else's";
            (UndoAnswer::Leave, Some(format!("{} {ways}", checkpoint.message)))
        }
    };
    let (checkpoint, shown) = (checkpoint.id, checkpoint.kind.shown());
    Some((Input::Answer { checkpoint, answer: answer.given(), shown }, refused))
}

/// What is proposed where files changed since.
fn offered<'s>(event: &Event, session: &'s Session) -> Vec<&'s Proposal> {
    let Event::CheckpointOpened { checkpoint } = event else { return Vec::new() };
    let ids = checkpoint.kind.review().map(|r| r.proposals.as_slice()).unwrap_or_default();
    let known = ids.iter().filter_map(|id| session.state().proposals().get(id));
    known.filter(|p| p.undoes().is_some()).collect()
}

/// What is heard of the session while it takes a change back.
struct Heard<'b> {
    doubt: Option<UndoAnswer>,
    blobs: &'b Blobs,
    session: Session,
    /// What is offered and not said yes to.
    waits: Vec<ProposalId>,
    /// How it ended, with the exit code.
    said: Option<(u8, String)>,
}

impl Heard<'_> {
    /// Takes an event in; what it asks is answered.
    fn event(&mut self, event: &Stamped, out: &mut (dyn Write + Send)) -> Vec<Input> {
        self.session.apply(event);
        // What is written here is what was offered: it ends as a take-back that fails does.
        if let Event::RevertFailed { message, .. } | Event::ApplyFailed { message, .. } = &event.event {
            self.said = Some((1, message.clone()));
        }
        if let Event::Reverted { apply, redo, already } = &event.event {
            let verb = if *redo { "put back" } else { "took back" };
            let told = |a: &Apply| if *already { a.already(*redo) } else { format!("{verb}: {}", files(a)) };
            let text = self.session.state().applies().get(apply).map(told).unwrap_or_default();
            (self.said, self.waits) = (Some((0, text)), Vec::new());
        }
        if let Some((answer, refused)) = answered(&event.event, self.doubt) {
            self.said = refused.map(|why| (ASKS, why));
            return vec![answer];
        }
        let offer = offered(&event.event, &self.session);
        if offer.is_empty() {
            return Vec::new();
        }
        for p in &offer {
            show(p, self.blobs, out);
        }
        let (inputs, said) = match taken(&offer, self.doubt) {
            Ok(inputs) => (inputs, None),
            Err(ways) => {
                let why = self.said.take().map(|(_, why)| why).unwrap_or_default();
                (Vec::new(), Some((ASKS, format!("{why}. {ways}"))))
            }
        };
        (self.waits, self.said) = (offer.iter().map(|p| p.id).collect(), said);
        inputs
    }
}

/// Writes what is offered, or says how that is done. What others changed as well is decided by itself first.
fn taken(offered: &[&Proposal], doubt: Option<UndoAnswer>) -> Result<Vec<Input>, &'static str> {
    let meets = offered.iter().any(|p| !p.meets.is_empty());
    match doubt {
        Some(UndoAnswer::All) => {}
        Some(UndoAnswer::Keep) if !meets => {}
        _ if meets => {
            return Err("`--all` writes this diff anyway; in the workbench you decide each hunk");
        }
        Some(UndoAnswer::Keep | UndoAnswer::Leave) | None => return Err("`--keep` writes this diff"),
    }
    let decide = |p: &Proposal, hunk: usize| Input::Decide {
        proposal: p.id,
        hunk,
        decision: Some(Decision::Taken),
        shown: p.shown(),
    };
    let met = offered.iter().filter(|p| !p.meets.is_empty());
    let decided = met.flat_map(|p| (0..p.hunks.len()).map(|hunk| decide(p, hunk)));
    let proposals = offered.iter().map(|p| (p.id, p.shown())).collect();
    let word = offered.iter().any(|p| p.word().is_some()).then(|| DELETE_WORD.to_owned());
    Ok(decided.chain([Input::Apply { proposals, word, rest: false }]).collect())
}

/// The diff of a proposal.
fn show(p: &Proposal, blobs: &Blobs, out: &mut (dyn Write + Send)) {
    let text = |id: Option<BlobId>| id.and_then(|id| blobs.get(id)).unwrap_or_default();
    let text = |id| text_of(&text(id)).into_owned();
    drop(write!(out, "{}\n{}", p.path, diff::unified(&text(p.before), &text(p.after))));
}

async fn perform(
    setup: Setup,
    (way, doubt): (Direction, Option<UndoAnswer>),
    blobs: &Blobs,
    out: &mut (dyn Write + Send),
) -> Result<Outcome, RuntimeError> {
    let (requests, incoming) = mpsc::channel(4);
    let (outgoing, mut updates) = mpsc::channel(256);
    let driver = tokio::spawn(drive(setup, incoming, outgoing));
    let input = match way {
        Direction::Undo => Input::Undo,
        Direction::Redo => Input::Redo,
    };
    drop(requests.send(super::FENCE).await);
    drop(requests.send(Request::Input(input)).await);
    let mut taken = false;
    let mut heard = Heard { doubt, blobs, session: Session::new(), waits: Vec::new(), said: None };
    while let Some(update) = updates.recv().await {
        match update {
            Update::Opened(opened, _) => heard.session = *opened,
            Update::Refused(reason) | Update::Misused(reason) if taken => heard.said = Some((1, reason)),
            Update::Answered(..) => taken = true,
            Update::Events(events) => {
                for event in events {
                    for answer in heard.event(&event, out) {
                        drop(requests.send(Request::Input(answer)).await);
                    }
                }
            }
            Update::Refused(_)
            | Update::Misused(_)
            | Update::Notice(_)
            | Update::Page { .. }
            | Update::Delta(_)
            | Update::Rules(_)
            | Update::Draft(_)
            | Update::Surroundings(_)
            | Update::Closed(_) => {}
        }
        if heard.said.is_some() {
            break;
        }
    }
    // Nothing is left to wait in a session that nobody looks at.
    if !heard.waits.is_empty() {
        let skip = Input::Skip { proposals: heard.waits, reason: "nobody said yes to it".to_owned() };
        drop(requests.send(Request::Input(skip)).await);
    }
    drop(requests.send(Request::Quit).await);
    // Whatever still comes is taken in, so that the driver is not told that nobody listens.
    while updates.recv().await.is_some() {}
    let shutdown = driver.await.map_err(|e| RuntimeError::Opening(e.to_string()))??;
    let (exit, text) = heard.said.unwrap_or((1, "the session ended before it was done".to_owned()));
    if exit == 0 {
        drop(writeln!(out, "{text}"));
    }
    Ok(Outcome { exit, slug: shutdown.slug, reason: if exit == 0 { String::new() } else { text } })
}
