//! `sessions export` and `search`: what was said in a session, as a document, and where something was said.
//!
//! Owns the form of both. Reads only; what is told stands in the log, where no secret is.

use std::{
    collections::{BTreeMap, BTreeSet},
    io::{self, Write},
};

use pilothouse_core::{
    blob::{BlobId, Excerpt},
    clean::Clean,
    event::{Event, Stamped},
    ids::{ApplyId, CallId},
    plan::Plan,
};
use serde::Deserialize;
use serde_json::Value;

use super::steps::Steps;
use crate::{
    blobs::Blobs,
    error::RuntimeError,
    sessions::{self, Place},
};

/// Writes what was said and done in a session as a Markdown document.
///
/// # Errors
/// When its log cannot be read, or `out` cannot be written.
pub fn markdown(place: &Place, out: &mut dyn Write) -> Result<(), RuntimeError> {
    let summary = sessions::summary(place)?;
    let blobs = Blobs::under(&place.folder);
    let title = if summary.title.is_empty() { &place.slug } else { &summary.title };
    let head = format!("# {}\n\nSession {} in {}", line(title), place.slug, line(&summary.workspace));
    let mut parts = vec![head];
    let mut told = Told::default();
    sessions::events(place, |event| parts.extend(told.part(&event, &blobs)))?;
    parts.extend(told.under_way.into_values().map(|what| format!("- {what}: it did not end")));
    if told.wrote {
        let slug = &place.slug;
        parts.push(format!(
            "\nEvery diff: `pilothouse resume {slug}`, then /changes; as data, with what was read and \
             written in calls: `pilothouse sessions export {slug} --json`"
        ));
    }
    let write = |e: io::Error| RuntimeError::io("write", "the document")(e);
    parts.iter().try_for_each(|part| writeln!(out, "{part}")).map_err(write)
}

/// Writes the events of a session, one JSON object a line, each with the texts after it that it names and does not hold
/// whole, and at the end how many events there were. A text that `masked` would change, or that is not what its event shows
/// of it, stays here.
///
/// # Errors
/// When its log cannot be read, or `out` cannot be written.
pub fn data(place: &Place, masked: impl Fn(&str) -> String, out: &mut dyn Write) -> Result<(), RuntimeError> {
    let (mut steps, mut told, mut broken, mut count) = (Steps::default(), BTreeSet::new(), None, 0_u64);
    let blobs = Blobs::under(&place.folder);
    sessions::events(place, |event| {
        if broken.is_some() {
            return;
        }
        count += 1;
        let mut named = texts_of(&event);
        named.retain(|(id, ..)| told.insert(*id));
        let text = |(id, head, tail): (BlobId, String, String)| {
            let text = String::from_utf8(blobs.get(id)?).ok()?;
            let shown = text.starts_with(&head) && text.ends_with(&tail) && masked(&text) == text;
            shown.then(|| serde_json::json!({"type": "content", "id": id, "text": text}).to_string())
        };
        let lines = std::iter::once(steps.line(&event)).chain(named.into_iter().filter_map(text));
        broken = lines.map(|line| writeln!(out, "{line}")).find_map(io::Result::err);
    })?;
    let end = serde_json::json!({"type": "end", "events": count});
    let broken = broken.or_else(|| writeln!(out, "{end}").and_then(|()| out.flush()).err());
    gone(broken).map_err(RuntimeError::io("write", "the document"))
}

/// What went wrong with a way out, but for a reader that went away (a pager, `head`): that is no failure.
pub(super) fn gone(broken: Option<io::Error>) -> io::Result<()> {
    broken.filter(|e| e.kind() != io::ErrorKind::BrokenPipe).map_or(Ok(()), Err)
}

/// The texts that an event names and does not hold whole: each one's content, and its ends as they stand there.
pub(crate) fn texts_of(event: &Stamped) -> Vec<(BlobId, String, String)> {
    let mut named = Vec::new();
    cut_texts(&serde_json::to_value(event).unwrap_or_default(), &mut named);
    named
}

/// The texts in an event of which only the ends stand there, by the content that holds all of it.
fn cut_texts(value: &Value, found: &mut Vec<(BlobId, String, String)>) {
    match value {
        Value::Object(fields) => {
            let excerpt = fields.get("cut").and_then(|_| Excerpt::deserialize(value).ok());
            let cut = excerpt.and_then(|text| Some((text.head, text.cut?)));
            found.extend(cut.map(|(head, cut)| (cut.blob, head, cut.tail)));
            fields.values().for_each(|field| cut_texts(field, found));
        }
        Value::Array(all) => all.iter().for_each(|one| cut_texts(one, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn line(text: &str) -> String {
    Clean::line(text).into_string()
}

/// What was told so far that later events speak of.
#[derive(Default)]
struct Told {
    plan: Option<Plan>,
    /// Calls that have not ended, by what they do.
    under_way: BTreeMap<CallId, String>,
    /// The files of each write.
    writes: BTreeMap<ApplyId, String>,
    wrote: bool,
}

impl Told {
    #[expect(clippy::wildcard_enum_match_arm, reason = "the rest is for machines")]
    fn part(&mut self, event: &Stamped, blobs: &Blobs) -> Option<String> {
        Some(match &event.event {
            Event::TurnStarted { text, .. } => format!("\n## You\n\n{}\n", whole(text, blobs)),
            Event::MessageCompleted { text, .. } if text.bytes == 0 => return None,
            Event::MessageCompleted { text, intermediate: false, .. } => {
                format!("\n## Pilothouse\n\n{}\n", whole(text, blobs))
            }
            Event::PlanReady { plan } => {
                let steps = plan.tasks.iter().enumerate();
                let steps = steps.map(|(n, task)| format!("{}. {}\n", n + 1, line(&task.title)));
                let text = format!("\n## Plan: {}\n\n{}", line(&plan.title), steps.collect::<String>());
                self.plan = Some(plan.clone());
                text
            }
            Event::TaskStarted { task, .. } => {
                let plan = self.plan.as_ref()?;
                let title = plan.tasks.iter().find(|t| t.id == *task).map(|t| line(&t.title))?;
                format!("\n### Step {}: {title}\n", plan.number(*task))
            }
            Event::CommandProposed { call, command, .. } => {
                self.under_way.insert(*call, format!("`$ {}`", line(command)));
                return None;
            }
            Event::CallStarted { call, tool, subject, .. } => {
                let what = format!("{} {}", tool.name(), line(subject));
                self.under_way.entry(*call).or_insert_with(|| what.trim_end().to_owned());
                return None;
            }
            Event::CallEnded { call, summary, .. } => match self.under_way.remove(call) {
                Some(what) => format!("- {what}: {}", line(summary)),
                None => format!("- {}", line(summary)),
            },
            Event::Proposed { proposal, added, removed } => {
                format!("- proposed {} (+{added} -{removed})", line(proposal.path.as_str()))
            }
            Event::ApplyStarted { apply, files } => {
                let files: Vec<String> = files.iter().map(|f| line(f.path.as_str())).collect();
                self.writes.insert(*apply, files.join(", "));
                return None;
            }
            Event::Applied { apply } => {
                self.wrote = true;
                format!("- written: {}", self.files(*apply))
            }
            Event::Reverted { apply, redo, .. } => {
                format!("- {}: {}", if *redo { "put back" } else { "taken back" }, self.files(*apply))
            }
            Event::RunCompleted { summary, .. } => format!("\n**{}**\n", line(summary)),
            _ => return None,
        })
    }

    fn files(&self, apply: ApplyId) -> String {
        self.writes.get(&apply).cloned().unwrap_or_else(|| apply.to_string())
    }
}

/// A text as a whole, as far as it is there; nothing in it steers a terminal.
fn whole(text: &Excerpt, blobs: &Blobs) -> String {
    let cut = text.cut.as_ref();
    let stored = cut.and_then(|c| blobs.get(c.blob));
    let all = match (stored, cut) {
        (Some(bytes), _) => String::from_utf8_lossy(&bytes).into_owned(),
        (None, Some(cut)) => format!("{}\n[…]\n{}", text.head, cut.tail),
        (None, None) => text.head.clone(),
    };
    Clean::text(&all).into_string()
}

/// A place where something was said.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Hit {
    /// The session.
    pub session: String,
    /// The event.
    pub seq: pilothouse_core::ids::Seq,
    /// Who said it: `user`, `agent`.
    pub who: &'static str,
    /// The first line that has it.
    pub line: String,
}

/// Where a text was said in a session, in any case, by the user or by the agent.
///
/// # Errors
/// When its log cannot be read.
pub fn search(place: &Place, text: &str) -> Result<Vec<Hit>, RuntimeError> {
    let (blobs, sought) = (Blobs::under(&place.folder), text.to_lowercase());
    let mut hits = Vec::new();
    sessions::events(place, |event| {
        let (who, said) = if let Event::TurnStarted { text, .. } = &event.event {
            ("user", text)
        } else if let Event::MessageCompleted { text, intermediate: false, .. } = &event.event {
            ("agent", text)
        } else {
            return;
        };
        let all = whole(said, &blobs);
        let found = all.lines().find(|line| line.to_lowercase().contains(&sought));
        hits.extend(found.map(|line| Hit {
            session: place.slug.clone(),
            seq: event.seq,
            who,
            line: line.trim().to_owned(),
        }));
    })?;
    Ok(hits)
}
