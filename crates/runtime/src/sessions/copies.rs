//! Copies of sessions: a fork of one that is here, and one that was exported elsewhere.
//!
//! Owns that a copy is there whole or not at all, that its first event of its own leaves to the other session what is
//! that one's, and what of a file is believed. Never starts anything and never changes what is copied.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    io::{self, BufRead, Read},
    path::Path,
};

use pilothouse_core::{
    blob::{Blob, BlobId},
    event::{Event, Stamped},
    ids::Millis,
    input::{Fork, Input},
    money::count,
    session::Session,
};
use pilothouse_tools::{atomic, regular};
use serde::Deserialize;
use serde_json::Value;

use super::{Place, Summary};
use crate::{
    blobs::Blobs,
    disk::RealDisk,
    error::{RuntimeError, cause},
    headless::export::texts_of,
    home::{Home, make_private},
    log::{self, Log, Meta, scan::MAX_LINE_BYTES},
};

/// Events that stand in one record of a copy.
const IN_A_RECORD: usize = 64;
/// The longest file that is taken in, in bytes.
const MOST_BYTES: u64 = 1 << 30;
/// The longest event that is taken in, in bytes: longer texts are contents of their own.
const MOST_EVENT: usize = 8 << 20;
/// The folder in which a copy's log is made, in the copy's own.
const MAKING: &str = "making";

/// What a session is copied to.
#[derive(Clone, Copy, Debug)]
pub struct Target<'a> {
    /// Where sessions are kept.
    pub home: &'a Home,
    /// The workspace of the copy, its real path.
    pub workspace: &'a Path,
    /// The time of now.
    pub now: Millis,
}

/// Copies a session up to the user's message number `upto`, from 1, with all that came of it; the whole without one.
///
/// # Errors
/// When its log cannot be read without a gap up to there, it has no such message, or the copy cannot be written.
pub fn fork(place: &Place, upto: Option<usize>, to: Target<'_>) -> Result<Place, RuntimeError> {
    let refuse = |why: String| RuntimeError::Copy { what: format!("session {}", place.slug), why };
    let mut events = Vec::new();
    super::events(place, |event| events.push(event))?;
    let said: Vec<usize> = (0..events.len())
        .filter(|n| events.get(*n).is_some_and(|e| matches!(e.event, Event::TurnStarted { .. })))
        .collect();
    if let Some(upto) = upto {
        if upto == 0 || upto > said.len() {
            return Err(refuse(format!(
                "it has {} of yours, no number {upto}",
                count(said.len(), "message")
            )));
        }
        events.truncate(said.get(upto).copied().unwrap_or(events.len()));
    }
    if let Some(gap) = first_gap(&events) {
        let before = said.iter().filter(|n| **n < gap).count();
        let way = if before > 1 {
            format!("; `--at {}` copies what stands before", before - 1)
        } else {
            String::new()
        };
        return Err(refuse(format!("its log cannot be read from event {} on{way}", gap + 1)));
    }
    let copy = Copy { events: &events, imported: false };
    let blobs = Blobs::under(&place.folder);
    let named = contents_of(&events, &blobs);
    copy.write(to, |store| Blobs::under(store).share(&blobs, &named))
}

/// The contents that events name, with those on which what a command changed stands.
fn contents_of(events: &[Stamped], blobs: &Blobs) -> BTreeSet<BlobId> {
    let mut named = BTreeSet::new();
    for event in events {
        ids_in(&serde_json::to_value(event).unwrap_or_default(), &mut named);
        if let Event::CommandWrote { record, .. } = &event.event {
            named.extend(super::stored(blobs, *record));
        }
    }
    named
}

/// Every word of a value that can be the name of a content.
fn ids_in(value: &Value, found: &mut BTreeSet<BlobId>) {
    match value {
        Value::String(word) => found.extend(word.parse::<BlobId>()),
        Value::Array(all) => all.iter().for_each(|one| ids_in(one, found)),
        Value::Object(fields) => {
            found.extend(fields.keys().filter_map(|name| name.parse::<BlobId>().ok()));
            fields.values().for_each(|one| ids_in(one, found));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// The first event that does not follow on the one before it, by its place.
fn first_gap(events: &[Stamped]) -> Option<usize> {
    (0_u64..)
        .zip(events)
        .find(|(n, event)| event.seq.0 != n + 1)
        .map(|(n, _)| usize::try_from(n).unwrap_or_default())
}

/// A line of an exported session that is no event.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Line {
    /// A text that an event names and does not hold whole.
    Content { id: BlobId, text: String },
    /// All was written, so many events.
    End { events: u64 },
}

/// Takes in a session as `sessions export --json` wrote it.
///
/// # Errors
/// When a line is no event of a session, one is missing, a content is not what its name says, or the copy cannot be written.
pub fn import(name: &str, from: &mut dyn BufRead, to: Target<'_>) -> Result<Place, RuntimeError> {
    let refuse = |why: String| RuntimeError::Copy { what: name.to_owned(), why };
    let mut file = Imported::default();
    let mut from = from.take(MOST_BYTES + 1);
    let mut bytes = 0;
    for n in 1_usize.. {
        let mut line = Vec::new();
        from.by_ref()
            .take(MAX_LINE_BYTES as u64 + 1)
            .read_until(b'\n', &mut line)
            .map_err(RuntimeError::io("read", name))?;
        bytes += line.len() as u64;
        if line.is_empty() {
            break;
        }
        if line.len() > MAX_LINE_BYTES || bytes > MOST_BYTES {
            return Err(refuse(format!("it is longer than is taken in, at line {n}")));
        }
        if !line.trim_ascii().is_empty() {
            file.take_in(&line, to.now).map_err(|why| refuse(format!("line {n} {why}")))?;
        }
    }
    file.check().map_err(refuse)?;
    let copy = Copy { events: &file.events, imported: true };
    copy.write(to, |store| {
        let store = Blobs::under(store);
        file.contents.values().try_for_each(|blob| store.put(&RealDisk, blob))
    })
}

/// What was read of a file so far.
#[derive(Default)]
struct Imported {
    events: Vec<Stamped>,
    contents: BTreeMap<BlobId, Blob>,
    /// Contents that events name.
    named: BTreeSet<BlobId>,
    /// How many events it says that it has.
    says: Option<u64>,
}

impl Imported {
    /// Takes in a line; a time that is not yet is that of now.
    fn take_in(&mut self, line: &[u8], now: Millis) -> Result<(), String> {
        match serde_json::from_slice(line) {
            Ok(Line::End { events }) => {
                self.says = Some(events);
                return Ok(());
            }
            Ok(Line::Content { id, text }) => {
                let blob = Blob::new(text.into_bytes());
                if blob.id() != id || !self.named.contains(&id) {
                    return Err(
                        "holds a text that is not what its name says, or that no event names".to_owned()
                    );
                }
                self.contents.insert(id, blob);
                return Ok(());
            }
            Err(_) => {}
        }
        let event: Option<Stamped> = serde_json::from_slice(line).ok().filter(|_| line.len() <= MOST_EVENT);
        let mut event = event.ok_or("is no event of a session that this version knows")?;
        if let Event::Described { change } = &event.event {
            change.clone().settled()?;
        }
        event.at = event.at.min(now);
        self.named.extend(texts_of(&event).into_iter().map(|(id, ..)| id));
        self.events.push(event);
        Ok(())
    }

    fn check(&self) -> Result<(), String> {
        let named =
            |slug: &str| slug.len() <= 64 && slug.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
        let opened = self.events.first().is_some_and(
            |e| matches!(&e.event, Event::SessionOpened { slug, folder, .. } if named(slug) && folder.len() <= 4096),
        );
        if !opened {
            return Err("it does not begin as an exported session does".to_owned());
        }
        if let Some(gap) = first_gap(&self.events) {
            return Err(format!("event {} is missing or stands elsewhere", gap + 1));
        }
        if self.says != Some(self.events.len() as u64) {
            return Err("it is cut off, or was put together".to_owned());
        }
        Ok(())
    }
}

/// What a copy begins with.
struct Copy<'a> {
    events: &'a [Stamped],
    imported: bool,
}

impl Copy<'_> {
    /// Writes the copy beside the other sessions; its log comes to its place when all the rest is there.
    fn write(
        &self,
        to: Target<'_>,
        contents: impl FnOnce(&Path) -> Result<(), RuntimeError>,
    ) -> Result<Place, RuntimeError> {
        sweep(&to.home.sessions_of(to.workspace));
        let folder = super::create(to.home, to.workspace, to.now)?;
        self.fill(&folder, to, contents).inspect_err(|_| drop(fs::remove_dir_all(&folder)))
    }

    fn fill(
        &self,
        folder: &Path,
        to: Target<'_>,
        contents: impl FnOnce(&Path) -> Result<(), RuntimeError>,
    ) -> Result<Place, RuntimeError> {
        let slug = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let workspace = to.workspace.to_string_lossy().into_owned();
        let mut session = Session::new();
        self.events.iter().for_each(|event| session.apply(event));
        let from = session.state().slug.clone();
        let at = Millis(to.now.0.max(session.state().at.0));
        let fork = Fork { slug: slug.clone(), folder: workspace.clone(), imported: self.imported };
        let step = session.step(at, Input::Fork(fork)).map_err(|r| RuntimeError::Opening(r.reason))?;
        let meta = Meta {
            slug: slug.clone(),
            folder: workspace,
            created: to.now.0,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            parent: (!self.imported).then_some(from),
            imported: self.imported,
        };
        let making = folder.join(MAKING);
        make_private(&making)?;
        let mut log = Log::open(&making, &meta)?;
        contents(folder)?;
        let records = self.events.chunks(IN_A_RECORD).map(<[Stamped]>::to_vec).chain([step.events]);
        log.append(&RealDisk, &records.collect::<Vec<_>>())?;
        let (made, path) = (making.join(log::FILE), folder.join(log::FILE));
        // Not every file system gives a file two names.
        let placed = atomic::share(&made, &path).or_else(|_| {
            regular::read(&made, u64::MAX - 1).and_then(|text| atomic::replace(&path, &text, 0o600))
        });
        placed.map_err(RuntimeError::io("write", &path))?;
        let summary = Summary::of(session.state(), &meta, log.report().bytes);
        drop(log);
        drop(fs::remove_dir_all(&making));
        if let Err(e) = summary.save(folder) {
            tracing::debug!(error = %e, "the summary of a session could not be kept");
        }
        Ok(Place { folder: folder.to_owned(), slug, workspace: to.workspace.to_owned(), created: to.now.0 })
    }
}

/// Removes what copies left whose process ended in the middle: without a log they are no sessions.
fn sweep(sessions: &Path) {
    for entry in fs::read_dir(sessions).into_iter().flatten().flatten() {
        let folder = entry.path();
        let making = folder.join(MAKING);
        let torn = making.is_dir() && folder.join(log::FILE).symlink_metadata().is_err();
        if torn && log::hold(&making).is_ok() {
            drop(fs::remove_dir_all(&folder));
        }
    }
}

/// Opens a file with an exported session; `-` is what is piped in.
///
/// # Errors
/// When it cannot be opened, or is no ordinary file.
pub fn open(path: &Path) -> Result<Box<dyn BufRead>, RuntimeError> {
    if path == Path::new("-") {
        return Ok(Box::new(io::BufReader::new(io::stdin())));
    }
    let file = regular::open(path).map_err(|e| RuntimeError::Copy {
        what: path.display().to_string(),
        why: format!("it cannot be opened: {}", cause(&e)),
    })?;
    Ok(Box::new(io::BufReader::new(file)))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use std::sync::Arc;

    use pilothouse_core::port::Request;

    use super::*;
    use crate::{Environment, Setup, Which, driver::drive, headless::export, host, sessions};

    fn setup(home: &Home, folder: &Path) -> Setup {
        Setup {
            clock: Arc::new(|| Millis(1_700_000_000_000)),
            ..Setup::new(home.clone(), folder, Environment::default())
        }
    }

    /// Says some lines in a session, one after the other, and leaves it.
    async fn said(setup: Setup, lines: &[&str]) -> Place {
        let (home, folder) = (setup.home.clone(), setup.workspace.clone());
        let ((requests, mut updates), (asked, told)) = host::line();
        let driven = tokio::spawn(drive(setup, asked, told));
        for line in lines {
            requests.send(Request::Input(Input::say(*line))).await.unwrap();
        }
        requests.send(Request::Quit).await.unwrap();
        while updates.recv().await.is_some() {}
        let report = driven.await.unwrap().unwrap();
        sessions::find(&home, &folder, &report.slug).unwrap()
    }

    fn messages(place: &Place) -> Vec<String> {
        let mut all = Vec::new();
        let told = sessions::events(place, |event| {
            if let Event::TurnStarted { text, .. } = event.event {
                all.push(text.head);
            }
        });
        told.unwrap();
        all
    }

    /// The names of the files in a session's store.
    fn stored(place: &Place) -> Vec<String> {
        let fans = fs::read_dir(place.folder.join("blobs")).into_iter().flatten().flatten();
        let files = fans.flat_map(|fan| fs::read_dir(fan.path()).unwrap().flatten());
        let mut names: Vec<_> = files.map(|f| f.file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[tokio::test]
    async fn a_fork_holds_the_contents_that_its_events_name_and_no_other() {
        let (home, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (home, root) = (Home::under(home.path()), folder.path().canonicalize().unwrap());
        let long =
            |what: &str| format!("what is a {what}? {}", "and what else is it, if it is one? ".repeat(400));
        let place = said(setup(&home, &root), &[&long("note"), &long("store")]).await;
        let whole = stored(&place);
        // What was cut off while it was written is nobody's.
        let fan = fs::read_dir(place.folder.join("blobs")).unwrap().flatten().next().unwrap();
        fs::write(fan.path().join("ab.tmp"), "half").unwrap();
        let to = Target { home: &home, workspace: &root, now: Millis(1_700_000_100_000) };
        assert_eq!(stored(&fork(&place, None, to).unwrap()), whole);
        let part = fork(&place, Some(1), to).unwrap();
        let held = stored(&part);
        assert!(held.len() < whole.len() && !held.is_empty(), "{held:?} of {whole:?}");
        let mut document = Vec::new();
        export::markdown(&part, &mut document).unwrap();
        assert!(String::from_utf8(document).unwrap().contains(long("note").trim_end()));
    }

    /// A long message, so that its text is a content of its own, and a short one.
    async fn original(home: &Home, folder: &Path) -> (Place, String) {
        let long = format!("what is a note? {}", "and what else is it, if it is anything? ".repeat(400));
        let long = long.trim_end().to_owned();
        (said(setup(home, folder), &[&long, "what is a store?"]).await, long)
    }

    #[tokio::test]
    async fn a_fork_has_what_was_said_and_goes_on_by_itself() {
        let (home, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (home, root) = (Home::under(home.path()), folder.path().canonicalize().unwrap());
        let (place, long) = original(&home, &root).await;
        let to = Target { home: &home, workspace: &root, now: Millis(1_700_000_100_000) };
        let before = fs::read(place.folder.join(log::FILE)).unwrap();
        let (whole, part) = (fork(&place, None, to).unwrap(), fork(&place, Some(1), to).unwrap());
        assert_eq!(fs::read(place.folder.join(log::FILE)).unwrap(), before);
        assert_eq!((messages(&whole).len(), messages(&part).len()), (2, 1));
        for copy in [&whole, &part] {
            assert!(sessions::verify(copy).unwrap().sound());
            assert_eq!(sessions::summary(copy).unwrap().parent.as_deref(), Some(place.slug.as_str()));
            let mut document = Vec::new();
            export::markdown(copy, &mut document).unwrap();
            assert!(
                String::from_utf8(document).unwrap().contains(&long),
                "the long text is there as a whole"
            );
        }
        let again = Setup { which: Which::Named(part.slug.clone()), ..setup(&home, &root) };
        assert_eq!(said(again, &["where is it kept?"]).await.slug, part.slug);
        assert_eq!((messages(&part).len(), messages(&whole).len(), messages(&place).len()), (2, 2, 2));
        for wrong in [0, 3] {
            let why = fork(&place, Some(wrong), to).unwrap_err().to_string();
            assert!(why.contains("it has 2 messages of yours"), "{why}");
        }
    }

    #[tokio::test]
    async fn what_is_exported_is_imported_elsewhere_and_nothing_else_is() {
        let (home, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (home, root) = (Home::under(home.path()), folder.path().canonicalize().unwrap());
        let (place, long) = original(&home, &root).await;
        let mut data = Vec::new();
        export::data(&place, str::to_owned, &mut data).unwrap();
        let text = String::from_utf8(data).unwrap();
        let (there, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (there, other) = (Home::under(there.path()), other.path().canonicalize().unwrap());
        let to = Target { home: &there, workspace: &other, now: Millis(1_700_000_200_000) };
        let copy = import("s.jsonl", &mut text.as_bytes(), to).unwrap();
        assert!(sessions::verify(&copy).unwrap().sound());
        assert_eq!((messages(&copy).len(), sessions::all(&there).len()), (2, 1));
        let mut document = Vec::new();
        export::markdown(&copy, &mut document).unwrap();
        assert!(String::from_utf8(document).unwrap().contains(&long));
        let again = Setup { which: Which::Named(copy.slug.clone()), ..setup(&there, &other) };
        assert_eq!(said(again, &["what is a note?"]).await.workspace, other);
        // What a secret stands in stays where it is, and the copy is sound without.
        let mut masked = Vec::new();
        export::data(&place, |text| text.replace("anything", "…"), &mut masked).unwrap();
        assert!(!String::from_utf8(masked).unwrap().contains(r#""type":"content""#));

        let lines: Vec<&str> = text.lines().collect();
        let content = lines.iter().find(|l| l.contains(r#""type":"content""#)).unwrap();
        let without =
            |n: usize| lines.iter().enumerate().filter(|(i, _)| *i != n).map(|(_, l)| *l).collect::<Vec<_>>();
        let wrong = [
            (String::new(), "does not begin"),
            ("no json\n".to_owned(), "line 1 is no event"),
            (without(0).join("\n"), "does not begin"),
            (without(1).join("\n"), "is missing"),
            (without(2).join("\n"), "no event names"),
            (
                text.replace(content, &content.replace("what is a note", "what is a nose")),
                "not what its name says",
            ),
            (format!("{}\n{{\"seq\":1,\"at\":0,\"type\":\"of_later\"}}\n", lines[0]), "line 2 is no event"),
            (format!("{}\n{}\n", lines[0], lines[0]), "is missing or stands elsewhere"),
        ];
        for (text, why) in wrong {
            let told = import("s.jsonl", &mut text.as_bytes(), to).unwrap_err().to_string();
            assert!(told.contains(why), "{why}: {told}");
        }
        assert_eq!(sessions::all(&there).len(), 1, "what is refused leaves no session");
    }

    #[tokio::test]
    async fn a_log_with_a_gap_is_copied_up_to_it_and_no_further() {
        let (home, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (home, root) = (Home::under(home.path()), folder.path().canonicalize().unwrap());
        let lines = ["what is a note?", "what is a store?", "where is it kept?", "and why?"];
        let place = said(setup(&home, &root), &lines).await;
        let path = place.folder.join(log::FILE);
        let text = fs::read_to_string(&path).unwrap();
        let third = text.lines().position(|l| l.contains("where is it kept?")).unwrap();
        let kept = text.lines().enumerate().filter(|(n, _)| *n != third).map(|(_, l)| format!("{l}\n"));
        fs::write(&path, kept.collect::<String>()).unwrap();
        let to = Target { home: &home, workspace: &root, now: Millis(1_700_000_100_000) };
        let why = fork(&place, None, to).unwrap_err().to_string();
        assert!(why.contains("cannot be read from event") && why.contains("--at 1"), "{why}");
        assert_eq!(messages(&fork(&place, Some(1), to).unwrap()).len(), 1);
    }
}
