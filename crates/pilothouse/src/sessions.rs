//! `sessions …`: lists, documents, and looking after them. Wires arguments to the runtime.

use std::{
    collections::BTreeSet,
    fs::OpenOptions,
    io::{self, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
};

use pilothouse_core::{
    about::{self, AboutChange},
    clean::Clean,
    ids::Seq,
};
use pilothouse_runtime::{
    Home,
    headless::{
        export,
        listing::{self, Listed},
        replay::{self, Replay},
    },
    secrets::Secrets,
    sessions::{
        self, Place,
        copies::{self, Target},
        upkeep,
    },
    surroundings,
};

use crate::{
    alone::home,
    cli::{ListSessionsArgs, SearchArgs, SessionsCommand, WhichArgs},
    exit::{FAILED, Failure, USAGE},
    out::{self, Shown},
    place,
    workbench::explain,
};

/// Where sessions are looked for.
struct Here {
    home: Home,
    folder: PathBuf,
}

impl Here {
    fn place(&self, id: &str) -> Result<Place, Failure> {
        place::find(&self.home, &self.folder, id).map_err(explain)
    }

    /// The one that is named, else the one that was used last.
    fn which(&self, which: &WhichArgs) -> Result<Place, Failure> {
        match &which.id {
            Some(id) => self.place(id),
            None => sessions::last(&self.home, (!which.last).then_some(&self.folder)).map_err(explain),
        }
    }

    /// Those of this folder, or all.
    fn places(&self, all: bool) -> Vec<Place> {
        let mine = |p: &Place| all || p.workspace == self.folder;
        sessions::all(&self.home).into_iter().filter(mine).collect()
    }
}

/// Lists, shows, checks and looks after sessions.
///
/// # Errors
/// When there is no such session, it cannot be read, or what was asked cannot be done.
pub fn sessions(what: SessionsCommand, secrets: &Secrets) -> Result<u8, Failure> {
    let here = Here { home: home()?.0, folder: std::env::current_dir()?.canonicalize()? };
    let mut out = out::out(tells_json(&what));
    let code = match what {
        SessionsCommand::List(args) => list(&here, &args, &mut out)?,
        SessionsCommand::Show { which, json } => {
            listing::show(&here.which(&which)?, json, &mut out).map_err(explain)?;
            0
        }
        SessionsCommand::Search(args) => search(&here, &args, &mut out)?,
        SessionsCommand::Export { which, out: file, json } => {
            write_document(&here.which(&which)?, (file.as_deref(), json), secrets, &mut out)?
        }
        SessionsCommand::Import { file, dir } => import(&here, &file, &dir, &mut out)?,
        SessionsCommand::Fork { id, at } => {
            let place = here.place(&id)?;
            let to = Target { home: &here.home, workspace: &place.workspace, now: surroundings::millis() };
            copied(&copies::fork(&place, at, to).map_err(explain)?, &mut out)?
        }
        SessionsCommand::Replay { which, until, speed, json } => {
            let how = Replay { until: until.map(Seq), speed, json };
            let whole = replay::replay(&here.which(&which)?, how, &mut out).map_err(explain)?;
            if whole { 0 } else { FAILED }
        }
        SessionsCommand::Rename { id, title } => {
            describe(&here.place(&id)?, AboutChange::title(secrets.mask(&title)), &mut out)?
        }
        SessionsCommand::Label { id, labels, remove } => {
            label(&here.place(&id)?, &labels, &remove, &mut out)?
        }
        SessionsCommand::Archive { id, undo } => {
            describe(&here.place(&id)?, AboutChange::archived(!undo), &mut out)?
        }
        SessionsCommand::Delete { id, yes } => delete(&here.place(&id)?, yes, &mut out)?,
        SessionsCommand::Verify { id, all, json } => verify(&here, id, all, json, &mut out)?,
        SessionsCommand::Repair { id } => {
            let place = here.place(&id)?;
            let told = upkeep::repair(&place).map_err(explain)?;
            let sound = if told.is_empty() { "nothing was torn" } else { "it can be continued" };
            writeln!(out, "{}: {sound}", place.slug)?;
            told.iter().try_for_each(|what| writeln!(out, "  {what}"))?;
            0
        }
    };
    out.flush()?;
    Ok(code)
}

const fn tells_json(what: &SessionsCommand) -> bool {
    match what {
        SessionsCommand::List(args) => args.json,
        SessionsCommand::Search(args) => args.json,
        SessionsCommand::Show { json, .. }
        | SessionsCommand::Export { json, .. }
        | SessionsCommand::Replay { json, .. }
        | SessionsCommand::Verify { json, .. } => *json,
        SessionsCommand::Import { .. }
        | SessionsCommand::Fork { .. }
        | SessionsCommand::Rename { .. }
        | SessionsCommand::Label { .. }
        | SessionsCommand::Archive { .. }
        | SessionsCommand::Delete { .. }
        | SessionsCommand::Repair { .. } => false,
    }
}

fn list(here: &Here, args: &ListSessionsArgs, out: &mut Shown<io::Stdout>) -> Result<u8, Failure> {
    if !args.json && here.places(args.all).is_empty() {
        writeln!(out::err(), "no sessions yet{}", if args.all { "" } else { " in this folder" })?;
    }
    let label =
        args.label.as_deref().map(about::label).transpose().map_err(|why| Failure::new(USAGE, why))?;
    let workspace = (!args.all).then_some(here.folder.as_path());
    let of = Listed { workspace, archived: args.archived, label: label.as_deref() };
    listing::list(&here.home, of, args.json, out)?;
    Ok(0)
}

fn search(here: &Here, args: &SearchArgs, out: &mut Shown<io::Stdout>) -> Result<u8, Failure> {
    if args.text.trim().is_empty() {
        return Err(Failure::new(USAGE, "say what to search for"));
    }
    let mut any = false;
    for place in here.places(args.all) {
        // One that cannot be read hides no other; `verify` says what is wrong with it.
        let Ok(hits) = export::search(&place, args.text.trim()) else { continue };
        for hit in hits {
            any = true;
            if args.json {
                writeln!(out, "{}", serde_json::to_string(&hit)?)?;
            } else {
                writeln!(out, "{}  {:5}  {}", hit.session, hit.who, Clean::line(&hit.line).as_str())?;
            }
        }
    }
    Ok(if any { 0 } else { FAILED })
}

fn write_document(
    place: &Place,
    (file, json): (Option<&Path>, bool),
    secrets: &Secrets,
    out: &mut Shown<io::Stdout>,
) -> Result<u8, Failure> {
    let masked = |text: &str| secrets.mask(text);
    let write = |out: &mut dyn Write| {
        if json { export::data(place, masked, out) } else { export::markdown(place, out) }.map_err(explain)
    };
    let Some(path) = file else {
        write(out)?;
        return Ok(0);
    };
    let made = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
    let mut file = made.map_err(|e| {
        Failure::new(
            USAGE,
            format!("{} cannot be created: {e}; name a file that does not exist yet", path.display()),
        )
    })?;
    let whole = write(&mut file).and_then(|()| Ok(file.sync_all()?));
    if let Err(failure) = whole {
        // What is there of it would pass for the whole.
        drop(std::fs::remove_file(path));
        return Err(failure);
    }
    writeln!(out, "{}", path.display())?;
    Ok(0)
}

fn import(here: &Here, file: &Path, dir: &Path, out: &mut Shown<io::Stdout>) -> Result<u8, Failure> {
    let workspace = dir.canonicalize().ok().filter(|dir| dir.is_dir());
    let Some(workspace) = workspace else {
        return Err(Failure::new(USAGE, format!("{} is not a folder; name one with --dir", dir.display())));
    };
    let mut from = copies::open(file).map_err(explain)?;
    let to = Target { home: &here.home, workspace: &workspace, now: surroundings::millis() };
    let place = copies::import(&file.display().to_string(), from.as_mut(), to).map_err(explain)?;
    copied(&place, out)
}

/// Says which session the copy is.
fn copied(place: &Place, out: &mut Shown<io::Stdout>) -> Result<u8, Failure> {
    writeln!(out, "{}", place.slug)?;
    writeln!(out::err(), "`pilothouse resume {}` goes on with it", place.slug)?;
    Ok(0)
}

fn describe(place: &Place, change: AboutChange, out: &mut Shown<io::Stdout>) -> Result<u8, Failure> {
    let summary = upkeep::describe(place, change).map_err(explain)?;
    let line = [summary.slug.as_str(), Clean::line(&summary.title).as_str(), &summary.marks()].join("  ");
    writeln!(out, "{}", line.trim_end())?;
    Ok(0)
}

fn label(
    place: &Place,
    add: &[String],
    remove: &[String],
    out: &mut Shown<io::Stdout>,
) -> Result<u8, Failure> {
    if add.is_empty() && remove.is_empty() {
        return Err(Failure::new(USAGE, "name a label, or --remove LABEL"));
    }
    let settled = |of: &String| about::label(of).map_err(|why| Failure::new(USAGE, why));
    let gone = remove.iter().map(settled).collect::<Result<BTreeSet<_>, _>>()?;
    let new = add.iter().map(settled).collect::<Result<BTreeSet<_>, _>>()?;
    let now = sessions::summary(place).map_err(explain)?.labels;
    let labels = now.union(&new).filter(|l| !gone.contains(*l)).cloned().collect();
    describe(place, AboutChange { labels: Some(labels), ..AboutChange::default() }, out)
}

fn delete(place: &Place, yes: bool, out: &mut Shown<io::Stdout>) -> Result<u8, Failure> {
    if !yes {
        let title = sessions::summary(place).map(|s| s.title).unwrap_or_default();
        writeln!(out, "{}  {}", place.slug, Clean::line(&title).as_str())?;
        upkeep::stake(place).iter().try_for_each(|line| writeln!(out, "  {line}"))?;
        let unasked = "nobody is there to ask; `--yes` deletes it without asking";
        if !out::agrees(out, "Delete it?", unasked)? {
            writeln!(out, "It stays.")?;
            return Ok(0);
        }
    }
    upkeep::delete(place, None).map_err(explain)?;
    writeln!(out, "{} deleted", place.slug)?;
    Ok(0)
}

fn verify(
    here: &Here,
    id: Option<String>,
    all: bool,
    json: bool,
    out: &mut Shown<io::Stdout>,
) -> Result<u8, Failure> {
    let places = match id {
        Some(id) => vec![here.place(&id)?],
        None => here.places(all),
    };
    let mut sound = true;
    for place in places {
        sound &= listing::verify(&place, json, out).map_err(explain)?;
    }
    Ok(if sound { 0 } else { FAILED })
}
