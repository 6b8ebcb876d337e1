//! The sessions on this machine: finding, listing, checking them.
//!
//! Owns their folders and the summary beside each log. A summary is only a cache: it is rebuilt
//! from the log whenever the two do not fit together.

pub mod copies;
pub mod upkeep;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    io::{self, BufRead, BufReader, Read, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
};

use pilothouse_core::{
    about,
    blob::BlobId,
    event::Event,
    ids::{Millis, Seq},
    intent::Phase,
    runs::{RunInfo, RunStatus},
    scope::PermissionMode,
    session::{Session, State},
    talk::Usage,
};
use pilothouse_tools::{atomic, regular, snapshot::Record};
use serde::{Deserialize, Serialize};

use crate::{
    blobs::Blobs,
    error::RuntimeError,
    home::{Home, make_private},
    log::{self, Log, Report, frame},
};

/// A longer summary is none of ours.
const MOST_META: u64 = 64 * 1024;

/// A session's place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Its own folder.
    pub folder: PathBuf,
    /// Its name.
    pub slug: String,
    /// The workspace it works in.
    pub workspace: PathBuf,
    /// When it was made, in milliseconds since the Unix epoch; 0 where its log does not say it.
    pub created: u64,
}

/// What a list of sessions says about one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    /// Its name.
    pub slug: String,
    /// The workspace it works in.
    pub workspace: String,
    /// When it was made, in milliseconds since the Unix epoch.
    pub created: u64,
    /// When its last event happened.
    pub updated: u64,
    /// What it is about, as every list says it.
    pub title: String,
    /// Its labels.
    #[serde(default)]
    pub labels: BTreeSet<String>,
    /// Whether lists leave it out.
    #[serde(default)]
    pub archived: bool,
    /// The user's ceiling.
    #[serde(default)]
    pub permission: PermissionMode,
    /// How it stood at its last event.
    #[serde(default)]
    pub status: Option<RunStatus>,
    /// Messages of the user: what `fork --at` counts.
    pub messages: usize,
    /// The last sequence number.
    pub last: Seq,
    /// What it cost.
    pub usage: Usage,
    /// Changes that are on disk and can be taken back.
    pub applied: usize,
    /// Changes that were taken back and can be put back.
    pub undone: usize,
    /// Whether something was under way or waits.
    pub unfinished: bool,
    /// Whether files were being written, or taken back.
    #[serde(default)]
    pub writing: bool,
    /// The session that it is a copy of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// Whether it was read from a file.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub imported: bool,
    /// Length of the log that this was made from, in bytes.
    pub bytes: u64,
    /// What a list of runs says of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<RunInfo>,
}

impl Summary {
    /// What it shows beside its name in lists.
    pub fn marks(&self) -> String {
        about::marks(&self.labels, self.archived)
    }

    /// The summary of a state.
    pub fn of(state: &State, meta: &frame::Meta, bytes: u64) -> Self {
        let about = &state.about;
        let run = RunInfo::of(state);
        let run = RunInfo { session: meta.slug.clone(), folder: meta.folder.clone(), ..run };
        Self {
            slug: meta.slug.clone(),
            workspace: meta.folder.clone(),
            created: meta.created,
            updated: state.at.0,
            title: run.title.clone(),
            labels: about.labels.clone(),
            archived: about.archived,
            permission: state.permission,
            status: Some(run.status),
            messages: state.turns.len(),
            last: state.seq,
            usage: state.usage,
            applied: state.ledger().len(),
            undone: state.undone().len(),
            unfinished: state.phase != Phase::Idle
                || state.busy()
                || !state.open.is_empty()
                || state.plan_aside().is_some(),
            writing: state.applies().values().any(|a| a.status.is_open()),
            parent: meta.parent.clone(),
            imported: meta.imported,
            bytes,
            run: Some(run),
        }
    }

    /// Puts it beside the log; a lost one is rebuilt, so it need not be durable.
    pub(crate) fn save(&self, folder: &Path) -> io::Result<()> {
        let kept = Kept { form: FORM, summary: self };
        atomic::replace(&folder.join("meta.json"), &serde_json::to_vec_pretty(&kept)?, 0o600)
    }
}

/// A summary as it is kept, with the number of its form: one of another form is made anew from its log.
#[derive(Serialize, Deserialize)]
struct Kept<S> {
    #[serde(default)]
    form: u32,
    #[serde(flatten)]
    summary: S,
}

/// Goes up by one whenever a summary says something else by the same name.
const FORM: u32 = 3;

/// Where a run stands, for people and scripts that look at the session's folder.
#[derive(Serialize)]
struct RunSnapshot<'a> {
    phase: Phase,
    run: Option<pilothouse_core::ids::RunId>,
    plan: Option<&'a pilothouse_core::plan::Plan>,
    seq: Seq,
}

/// Where the run stands, as it is kept.
pub(crate) fn run_snapshot(state: &State) -> Result<Vec<u8>, serde_json::Error> {
    let plan = state.plan.as_ref().or(state.suspended.as_ref());
    let snapshot =
        RunSnapshot { phase: state.phase, run: state.run.as_ref().map(|r| r.id), plan, seq: state.seq };
    serde_json::to_vec_pretty(&snapshot)
}

/// Puts where the run stands into `data/run.json`.
pub(crate) fn save_run(folder: &Path, snapshot: &[u8]) -> io::Result<()> {
    let data = folder.join("data");
    fs::create_dir_all(&data)?;
    atomic::replace(&data.join("run.json"), snapshot, 0o600)
}

fn folders(path: &Path) -> Vec<PathBuf> {
    fs::read_dir(path)
        .map(|d| d.flatten().map(|e| e.path()).filter(|p| p.is_dir()).collect())
        .unwrap_or_default()
}

/// The sessions of one workspace.
pub(crate) fn of(home: &Home, workspace: &Path) -> Vec<Place> {
    let all = folders(&home.sessions_of(workspace)).into_iter().filter_map(place);
    all.filter(|p| p.workspace == workspace).collect()
}

/// The name of the file that tells in which order the sessions of a workspace changed it.
const ORDER: &str = "order";
/// The name of the file that tells in which order the sessions were made.
const MADE: &str = "made";
/// As much of them as is looked at, in bytes; a line takes about twenty, or sixty.
const MOST_ORDER: u64 = 64 << 20;

/// Whether something of the workspace's files is different after an event.
pub(crate) fn changes_files(event: &Event) -> bool {
    matches!(event, Event::Applied { .. } | Event::CommandWrote { .. } | Event::Reverted { .. })
}

/// Notes that this session is the next to change the workspace's files. Clocks jump; what was noted first was first.
pub(crate) fn note_change(home: &Home, workspace: &Path, slug: &str) -> Result<(), RuntimeError> {
    note(home.sessions_of(workspace).join(ORDER), slug)
}

/// Notes that the session in this folder is the newest.
fn note_made(home: &Home, folder: &Path) -> Result<(), RuntimeError> {
    note(home.sessions().join(MADE), &below(home, folder))
}

/// A session's folder as the record of all sessions names it.
fn below(home: &Home, folder: &Path) -> String {
    folder.strip_prefix(home.sessions()).unwrap_or(folder).to_string_lossy().into_owned()
}

fn note(path: PathBuf, name: &str) -> Result<(), RuntimeError> {
    let open = fs::OpenOptions::new().append(true).create(true).mode(0o600).open(&path);
    let line = format!("{name}\n");
    let noted = open
        .and_then(regular::checked)
        .and_then(|mut file| file.write_all(line.as_bytes()).and_then(|()| file.sync_data()));
    noted.map_err(RuntimeError::io("write", path))
}

/// At which place each session changed the files of a workspace last; those of before this was noted have none.
pub(crate) fn order(home: &Home, workspace: &Path) -> BTreeMap<String, usize> {
    noted(&home.sessions_of(workspace).join(ORDER))
}

/// At which place each name was noted last.
fn noted(path: &Path) -> BTreeMap<String, usize> {
    let text = regular::read(path, MOST_ORDER).unwrap_or_default();
    let text = String::from_utf8_lossy(&text).into_owned();
    text.lines().enumerate().map(|(n, name)| (name.to_owned(), n)).collect()
}

/// Every session, newest first: as they were noted when they were made; for those of before, by the clock of then.
pub fn all(home: &Home) -> Vec<Place> {
    let made = noted(&home.sessions().join(MADE));
    let found = folders(&home.sessions()).into_iter().flat_map(|p| folders(&p)).filter_map(place);
    let mut all: Vec<(Option<usize>, Place)> =
        found.map(|p| (made.get(&below(home, &p.folder)).copied(), p)).collect();
    all.sort_by(|(n, a), (m, b)| (m, b.created, &b.slug).cmp(&(n, a.created, &a.slug)));
    all.into_iter().map(|(_, place)| place).collect()
}

/// Makes the folder of a new session of a workspace.
pub(crate) fn create(home: &Home, workspace: &Path, now: Millis) -> Result<PathBuf, RuntimeError> {
    let parent = home.sessions_of(workspace);
    make_private(&parent)?;
    let stamp = stamp(now);
    for n in 0..1000_u32 {
        let moment = std::time::SystemTime::UNIX_EPOCH.elapsed().map_or(0, |d| d.subsec_nanos());
        let tail =
            (moment ^ std::process::id().rotate_left(16)).wrapping_add(n.wrapping_mul(0x9e37)) & 0xffff;
        let folder = parent.join(format!("{stamp}-{tail:04x}"));
        match fs::create_dir(&folder) {
            Ok(()) => return note_made(home, &folder).map(|()| folder),
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
            Err(e) => return Err(RuntimeError::io("create", folder)(e)),
        }
    }
    Err(RuntimeError::Opening("no free name for the session".to_owned()))
}

/// The beginning of a session's name: when it was made.
fn stamp(now: Millis) -> String {
    let moment = i64::try_from(now.0).ok().and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok());
    let zoned = moment.unwrap_or(jiff::Timestamp::UNIX_EPOCH).to_zoned(jiff::tz::TimeZone::system());
    zoned.strftime("%Y%m%d-%H%M%S").to_string()
}

fn place(folder: PathBuf) -> Option<Place> {
    let slug = folder.file_name()?.to_str()?.to_owned();
    let mut first = Vec::new();
    let file = regular::open(&folder.join(log::FILE)).ok()?;
    BufReader::new(file.take(1 << 16)).read_until(b'\n', &mut first).ok()?;
    let meta = frame::decode_meta(&first).map(|(_, m)| m);
    let created = meta.as_ref().map_or(0, |m| m.created);
    let told = meta.map(|m| m.folder);
    // A damaged first line does not hide the session: its events name the workspace as well.
    let workspace = told.or_else(|| read(&folder).ok().map(|(s, _)| s.state().folder.clone()))?;
    Some(Place { slug, workspace: PathBuf::from(workspace), folder, created })
}

/// The session with a conversation that was used last: of one workspace, or of all.
///
/// # Errors
/// [`RuntimeError::NoSession`] when there is none.
pub fn last(home: &Home, workspace: Option<&Path>) -> Result<Place, RuntimeError> {
    let mine = all(home).into_iter().filter(|p| workspace.is_none_or(|w| p.workspace == w));
    let spoken = |s: &Summary| s.messages > 0 && !s.archived;
    let told = mine.rev().filter_map(|p| Some((summary(&p).ok().filter(spoken)?.updated, p)));
    let whose = || workspace.map_or_else(|| "yet".to_owned(), |w| format!("of {}", w.display()));
    told.max_by_key(|(used, _)| *used).map(|(_, place)| place).ok_or_else(|| RuntimeError::NoSession(whose()))
}

/// The session called `name`, or whose name begins so and no other does; this workspace's first.
///
/// # Errors
/// [`RuntimeError::NoSession`] when there is none or more than one.
pub fn find(home: &Home, workspace: &Path, name: &str) -> Result<Place, RuntimeError> {
    let all = all(home);
    if let Some(exact) = all.iter().find(|p| p.slug == name) {
        return Ok(exact.clone());
    }
    let near: Vec<&Place> = all.iter().filter(|p| !name.is_empty() && p.slug.starts_with(name)).collect();
    let here: Vec<&&Place> = near.iter().filter(|p| p.workspace == workspace).collect();
    match (here.as_slice(), near.as_slice()) {
        ([one], _) => Ok((**one).clone()),
        ([], [one]) => Ok((*one).clone()),
        ([], []) => Err(RuntimeError::NoSession(name.to_owned())),
        _ => Err(RuntimeError::NoSession(format!("{name} is ambiguous: {} start with it", near.len()))),
    }
}

/// What a list says about a session.
///
/// # Errors
/// When its log cannot be read.
pub fn summary(place: &Place) -> Result<Summary, RuntimeError> {
    let path = place.folder.join(log::FILE);
    let bytes = path.metadata().map_err(RuntimeError::io("read", &path))?.len();
    let kept = regular::read(&place.folder.join("meta.json"), MOST_META).ok();
    let kept = kept
        .and_then(|b| serde_json::from_slice::<Kept<Summary>>(&b).ok())
        .filter(|kept| kept.form == FORM)
        .map(|kept| kept.summary)
        .filter(|s| s.bytes == bytes && s.run.is_some() && s.status.is_some());
    if let Some(kept) = kept {
        return Ok(kept);
    }
    let (session, report) = read(&place.folder)?;
    let summary = Summary::of(session.state(), &meta_of(place, &report), report.bytes);
    if let Err(e) = summary.save(&place.folder) {
        tracing::debug!(error = %e, "the summary of a session could not be kept");
    }
    Ok(summary)
}

/// The first line of a log, or what stands in its place where that is damaged.
fn meta_of(place: &Place, report: &Report) -> frame::Meta {
    report.meta.clone().unwrap_or_else(|| frame::Meta {
        slug: place.slug.clone(),
        folder: place.workspace.to_string_lossy().into_owned(),
        ..frame::Meta::default()
    })
}

/// The state that a session's log tells, and what was found of the log.
pub(crate) fn read(folder: &Path) -> Result<(Session, Report), RuntimeError> {
    let mut log = Log::read(folder)?;
    let mut session = Session::new();
    log.replay(|event| session.apply(&event))?;
    Ok((session, log.report().clone()))
}

/// What checking a session found.
#[derive(Clone, Debug)]
pub struct Check {
    /// The log.
    pub report: Report,
    /// The digest of the state that it tells.
    pub digest: BlobId,
    /// Contents that events name and that are not there or not what they should be.
    pub missing: Vec<BlobId>,
}

impl Check {
    /// Whether everything is there.
    pub fn sound(&self) -> bool {
        let holds = self.report.meta.is_some() || self.report.events > 0;
        holds && self.report.sound() && self.missing.is_empty()
    }
}

/// Reads every record of a session and every content that its changes stand on.
///
/// # Errors
/// When the log cannot be read at all.
pub fn verify(place: &Place) -> Result<Check, RuntimeError> {
    let (session, report) = read(&place.folder)?;
    let blobs = Blobs::under(&place.folder);
    let mut named = Vec::new();
    // What a copy tells of the other session's changes, it does not hold.
    let own = |id: u64| !session.is_copied(id);
    for apply in session.state().applies().values().filter(|a| own(a.id.0)) {
        if let Some(command) = &apply.command {
            named.push(command.record);
            named.extend(stored(&blobs, command.record));
        } else {
            named.extend(apply.files.iter().flat_map(|f| [f.before, f.after]).flatten());
        }
    }
    let proposals = session.state().proposals().values().filter(|p| own(p.id.0));
    named.extend(proposals.flat_map(|p| [p.before, p.after]).flatten());
    named.sort_unstable();
    named.dedup();
    named.retain(|id| blobs.get(*id).is_none());
    Ok(Check { report, digest: session.state().digest(), missing: named })
}

/// The contents that what a command changed stands on; none where its record is not there.
fn stored(blobs: &Blobs, record: BlobId) -> Vec<BlobId> {
    let record = blobs.get(record).and_then(|bytes| serde_json::from_slice::<Record>(&bytes).ok());
    let changes = record.map(|r| r.changes).unwrap_or_default();
    changes.iter().flat_map(|c| [c.before.stored(), c.after.stored()]).flatten().collect()
}

/// Every readable event of a session, in order.
///
/// # Errors
/// When the log cannot be read.
pub fn events(
    place: &Place,
    take: impl FnMut(pilothouse_core::event::Stamped),
) -> Result<Report, RuntimeError> {
    let mut log = Log::read(&place.folder)?;
    log.replay(take)?;
    Ok(log.report().clone())
}
