//! `sessions export` and `search`: what was said in a session, as a document, and where something was said.
//!
//! Owns the form of both. Reads only; what is told stands in the log, where no secret is.

use std::io::{self, Write};

use pilothouse_core::{
    blob::Excerpt,
    clean::Clean,
    event::{Event, Stamped},
};

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
    sessions::events(place, |event| parts.extend(part(&event, &blobs)))?;
    let write = |e: io::Error| RuntimeError::io("write", "the document")(e);
    parts.iter().try_for_each(|part| writeln!(out, "{part}")).map_err(write)
}

fn line(text: &str) -> String {
    Clean::line(text).into_string()
}

#[expect(clippy::wildcard_enum_match_arm, reason = "the rest is for machines")]
fn part(event: &Stamped, blobs: &Blobs) -> Option<String> {
    Some(match &event.event {
        Event::TurnStarted { text, .. } => format!("\n## You\n\n{}\n", whole(text, blobs)),
        Event::MessageCompleted { text, intermediate: false, .. } => {
            format!("\n## Pilothouse\n\n{}\n", whole(text, blobs))
        }
        Event::CommandProposed { command, .. } => format!("- `$ {}`", line(command)),
        Event::CallEnded { summary, .. } => format!("- {}", line(summary)),
        Event::Proposed { proposal, added, removed } => {
            format!("- proposed {} (+{added} -{removed})", line(proposal.path.as_str()))
        }
        Event::Applied { apply } => format!("- {apply} written"),
        Event::Reverted { apply, redo } => {
            format!("- {apply} {}", if *redo { "put back" } else { "taken back" })
        }
        Event::RunCompleted { summary, .. } => format!("\n**{}**\n", line(summary)),
        _ => return None,
    })
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
