//! `sessions list`, `show` and `verify` as text and as JSON.
//!
//! Owns the lines. Reads only.

use std::{
    collections::BTreeMap,
    io::{self, Write},
    path::Path,
};

use pilothouse_core::{
    clean::Clean,
    event::{Event, Stamped},
    ids::{ApplyId, CallId},
    money::count,
    recipe::{Recipe, RecipeKind, RecipeOrigin, Recipes},
    runs::RunInfo,
};
use serde::Serialize;

use super::steps::Steps;
use crate::{
    error::RuntimeError,
    home::Home,
    sessions::{self, Place, Summary},
};

/// Which sessions a list has.
#[derive(Clone, Copy, Debug)]
pub struct Listed<'a> {
    /// Those of this folder, or of all.
    pub workspace: Option<&'a Path>,
    /// Also those that were put away.
    pub archived: bool,
    /// Those with this label.
    pub label: Option<&'a str>,
}

/// A session in a line for scripts, by the name of the field that it has in every other output.
#[derive(Serialize)]
struct Line<'a> {
    session: &'a str,
    #[serde(flatten)]
    summary: &'a Summary,
}

/// Lists sessions, newest first, each with how many messages of the user it has.
///
/// # Errors
/// When `out` cannot be written.
pub fn list(home: &Home, of: Listed<'_>, json: bool, out: &mut dyn Write) -> io::Result<()> {
    let Listed { workspace, archived, label } = of;
    let wanted =
        |s: &Summary| (archived || !s.archived) && label.is_none_or(|label| s.labels.contains(label));
    let mine = |p: &Place| workspace.is_none_or(|w| p.workspace == w);
    for place in sessions::all(home).into_iter().filter(mine) {
        match sessions::summary(&place) {
            Ok(summary) if !wanted(&summary) => {}
            Ok(summary) if json => {
                let summary = Summary { run: None, ..summary };
                let line = serde_json::to_string(&Line { session: &summary.slug, summary: &summary })?;
                writeln!(out, "{line}")?;
            }
            Ok(summary) => writeln!(out, "{}", row(&summary, workspace.is_none()))?,
            Err(e) if json => {
                let slug = &place.slug;
                let line = serde_json::json!({"session": slug, "slug": slug, "error": e.to_string()});
                writeln!(out, "{line}")?;
            }
            Err(e) => writeln!(out, "{}  cannot be read: {e}", place.slug)?,
        }
    }
    Ok(())
}

fn row(s: &Summary, folder: bool) -> String {
    let title: String = s.title.chars().take(60).collect();
    let title = Clean::line(if title.is_empty() { "(nothing said)" } else { &title });
    let place = if folder { format!("  {}", Clean::line(&s.workspace).as_str()) } else { String::new() };
    let marks = s.marks();
    let marks = if marks.is_empty() { marks } else { format!("  {marks}") };
    let open = match (s.writing, s.unfinished) {
        (true, _) => "  in the middle of writing files",
        (false, true) => "  unfinished",
        (false, false) => "",
    };
    let copy = match &s.parent {
        Some(parent) => format!("  copy of {}", Clean::line(parent)),
        None if s.imported => "  imported".to_owned(),
        None => String::new(),
    };
    format!(
        "{}  {:>4} {:8}  {:>3} {:7}  {}{marks}{copy}{place}{open}",
        s.slug,
        s.messages,
        if s.messages == 1 { "message" } else { "messages" },
        s.applied,
        if s.applied == 1 { "change" } else { "changes" },
        title.as_str()
    )
}

/// Lists skills, commands or agents: where each comes from, what it may, what is wrong with it.
///
/// # Errors
/// When `out` cannot be written.
pub fn recipes(all: &Recipes, kinds: &[RecipeKind], json: bool, out: &mut dyn Write) -> io::Result<()> {
    for recipe in all.iter().filter(|r| kinds.contains(&r.kind)) {
        if json {
            writeln!(out, "{}", in_json(recipe))?;
            continue;
        }
        let says = match &recipe.fault {
            Some(fault) => format!("cannot be used: {}:{fault}", recipe.file),
            None => recipe.description.clone(),
        };
        writeln!(
            out,
            "{:24} {:8} {}",
            Clean::line(&recipe.call()).as_str(),
            recipe.origin.name(),
            Clean::line(&says)
        )?;
        let told = recipe.usable().then(|| recipe.may());
        let stages = recipe.stages.iter().flat_map(|a| a.outline());
        for line in told.into_iter().chain(stages) {
            writeln!(out, "{:34}{}", "", Clean::line(&line))?;
        }
    }
    Ok(())
}

fn in_json(recipe: &Recipe) -> serde_json::Value {
    let fault = recipe.fault.as_ref();
    serde_json::json!({
        "name": recipe.name, "call": recipe.call(), "kind": recipe.kind, "origin": recipe.origin,
        "description": recipe.description, "file": recipe.file, "may": recipe.may(), "tools": recipe.tools,
        "model": recipe.model, "sources": recipe.sources, "hides": recipe.hides.map(RecipeOrigin::name),
        "pipeline": recipe.stages.as_ref().map(|a| &a.spec),
        "fault": fault.map(|f| serde_json::json!({"line": f.at.line, "column": f.at.column, "what": f.why})),
    })
}

/// Lists runs: how each stands, where it works and what it waits for.
///
/// # Errors
/// When `out` cannot be written.
pub fn runs(runs: &[RunInfo], json: bool, out: &mut dyn Write) -> io::Result<()> {
    for run in runs {
        if json {
            writeln!(out, "{}", serde_json::to_string(run)?)?;
            continue;
        }
        let (title, folder, doing) =
            (Clean::line(&run.title), Clean::line(&run.folder), Clean::line(&run.doing));
        let steps = run.progress();
        let held = run.pid.map_or_else(String::new, |pid| format!("  process {pid}"));
        writeln!(out, "{}  {:14} {steps:>5}  {title}  {folder}{held}", run.session, run.status.name())?;
        if !doing.is_empty() {
            writeln!(out, "{:22}{doing}", "")?;
        }
    }
    Ok(())
}

/// Shows what was said and done in a session.
///
/// # Errors
/// When its log cannot be read.
pub fn show(place: &Place, json: bool, out: &mut dyn Write) -> Result<(), RuntimeError> {
    let (mut broken, mut steps, mut told) = (None, Steps::default(), Told::default());
    let report = sessions::events(place, |event| {
        let line = if json { Some(steps.line(&event)) } else { told.words(&event) };
        if let Some(line) = line
            && broken.is_none()
        {
            broken = writeln!(out, "{line}").err();
        }
    })?;
    if !json {
        for warning in report.warnings() {
            drop(writeln!(out, "! {warning}"));
        }
    }
    // A reader that went away (a pager, `head`) is no failure.
    Ok(())
}

/// What the lines before told of, by what later ones go by.
#[derive(Default)]
pub(super) struct Told {
    /// How many messages the user said.
    said: usize,
    /// What each call is and what it is about.
    calls: BTreeMap<CallId, String>,
    /// The files of each write.
    writes: BTreeMap<ApplyId, String>,
}

impl Told {
    #[expect(clippy::wildcard_enum_match_arm, reason = "the rest is for machines")]
    pub(super) fn words(&mut self, event: &Stamped) -> Option<String> {
        let text = match &event.event {
            Event::SessionOpened { folder, version, .. } => {
                format!("· opened in {folder} by version {version}")
            }
            Event::SessionReopened { .. } => "· opened again".to_owned(),
            Event::SessionForked { from, imported: false, .. } => {
                format!("· a copy of {from} from here on")
            }
            Event::SessionForked { .. } => "· imported: from here on a session of this machine".to_owned(),
            Event::TurnStarted { text, .. } => self.message(&text.head),
            Event::MessageCompleted { text, intermediate: false, .. } => {
                let tail = text.cut.as_ref().map(|c| format!("\n[…]\n{}", c.tail)).unwrap_or_default();
                format!("\nagent: {}{tail}", text.head)
            }
            Event::PlanReady { plan } => plan.summary(),
            Event::CallStarted { call, tool, subject, .. } => {
                let what = format!("{} {subject}", tool.name());
                self.calls.insert(*call, what.trim_end().to_owned());
                return None;
            }
            Event::CallEnded { call, summary, .. } => match self.calls.remove(call) {
                Some(what) => format!("▸ {what}: {summary}"),
                None => format!("▸ {summary}"),
            },
            Event::CommandProposed { command, .. } => format!("$ {command}"),
            Event::Proposed { proposal, added, removed } => {
                format!("± {} (+{added} -{removed})", proposal.path)
            }
            Event::ApplyStarted { apply, files } => {
                let files: Vec<&str> = files.iter().map(|f| f.path.as_str()).collect();
                self.writes.insert(*apply, format!(": {}", files.join(", ")));
                return None;
            }
            Event::Applied { apply } => format!("✓ {apply} written{}", self.files(*apply)),
            Event::CommandWrote { apply, command, count: n, git, .. } => {
                let files = (*n > 0).then(|| count(*n, "file"));
                let what: Vec<String> = files.into_iter().chain(git.iter().cloned()).collect();
                format!("✓ {apply}: {} changed by {command}", what.join(", "))
            }
            Event::Reverted { apply, redo, .. } => {
                let what = if *redo { "put back" } else { "taken back" };
                format!("✓ {apply} {what}{}", self.files(*apply))
            }
            Event::CheckpointOpened { checkpoint } => format!("? {}", checkpoint.message),
            Event::TaskFailed { message, .. }
            | Event::ApplyFailed { message, .. }
            | Event::RevertFailed { message, .. } => format!("✗ {message}"),
            Event::CommitEnded { made, told, .. } => {
                format!("{} {told}", if made.is_some() { "✓" } else { "✗" })
            }
            Event::RunCompleted { summary, .. } => format!("★ {summary}"),
            Event::Notice { text, .. } => format!("· {text}"),
            Event::CallLost { found, .. } => format!("! {found}"),
            Event::MoveBlocked { from, to, why, .. } => format!("✗ not from {from} to {to}: {why}"),
            Event::HookEnded { name, summary, .. } => format!("▸ hook {name}: {summary}"),
            _ => return None,
        };
        Some(Clean::text(&text).into_string())
    }

    /// A message of the user, by its number.
    fn message(&mut self, text: &str) -> String {
        self.said += 1;
        format!("\n[{}] you: {text}", self.said)
    }

    fn files(&self, apply: ApplyId) -> &str {
        self.writes.get(&apply).map_or("", String::as_str)
    }
}

/// Checks a session; returns whether it is sound.
///
/// # Errors
/// When its log cannot be read at all.
pub fn verify(place: &Place, json: bool, out: &mut dyn Write) -> Result<bool, RuntimeError> {
    let check = sessions::verify(place)?;
    let mut notes = check.report.warnings();
    notes
        .extend(check.missing.iter().map(|id| format!("the content {} is missing or damaged", id.short(12))));
    let r = &check.report;
    let written = if json {
        let line = serde_json::json!({
            "session": place.slug, "slug": place.slug, "sound": check.sound(), "records": r.records, "events": r.events,
            "bytes": r.bytes, "last": r.last, "digest": check.digest, "notes": notes,
        });
        writeln!(out, "{line}")
    } else {
        let word = if check.sound() { "sound" } else { "DAMAGED" };
        let head = writeln!(
            out,
            "{}  {word}: {}, {}, {}, digest {}",
            place.slug,
            count(r.records, "record"),
            count(r.events, "event"),
            count(r.bytes, "byte"),
            check.digest.short(16)
        );
        notes.iter().try_fold((), |(), note| writeln!(out, "  {note}")).and(head)
    };
    drop(written);
    Ok(check.sound())
}
