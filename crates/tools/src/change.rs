//! Tools that change: each makes a proposal and writes nothing.
//!
//! Owns what a change makes of a file's bytes and which files no tool may change. Never writes.

mod edit;
mod elided;
mod form;
mod matching;
mod nearest;
mod numbered;

use pilothouse_core::{
    diff::{self, Change, Hunk, Lines},
    encoding::{Encoding, text_of},
    redact::restore_whole,
    relpath::RelPath,
    shell::Act,
    tool::{ChangeKind, Delete, ProposalDraft, ToolOutcome, Write},
};

pub(crate) use edit::edit;

use crate::{
    files::{count, missing, unreadable},
    jail::MAX_FILE_BYTES,
    sight::{LaneView, Sight, Start},
};

/// Proposes a new file or a whole new content.
pub(crate) fn write(eyes: LaneView<'_>, args: &Write) -> Result<ToolOutcome, String> {
    let sight = sight(eyes, &args.path, "write", &[Act::Write])?;
    let start = sight.start()?;
    refuse_binary(&sight, &start)?;
    if let Some(refusal) = sight.overwrites_unread(eyes) {
        return Ok(refusal);
    }
    let content = content(eyes, &sight, &start, &args.content)?;
    if let Some(line) = elided::line(start.content.as_deref().unwrap_or_default(), &content) {
        return Err(format!(
            "{}: {line:?} stands for lines that the file would lose: write puts your content in the place of all of it. \
             Change the lines you mean with edit, or write the content whole",
            sight.path
        ));
    }
    let file = sight.disk.as_deref();
    // Also where its removal is proposed by now.
    let before = start.content.as_deref().or(file.filter(|file| Encoding::of(file).is_some()));
    let (content, kept) = match before {
        Some(before) if !eyes.view.typed => form::keep(file.unwrap_or(before), before, content)
            .map_err(|why| format!("{}: {why}", sight.path))?,
        _ => (content.into_bytes(), String::new()),
    };
    if start.content.as_ref() == Some(&content) {
        return Err(format!(
            "{} has exactly this content already, so nothing was proposed: go on",
            sight.path
        ));
    }
    propose(sight, &start, Some(content), &kept)
}

/// The whole content, with the secrets of the file in the place of their marks.
fn content(eyes: LaneView<'_>, sight: &Sight, start: &Start, content: &str) -> Result<String, String> {
    let before = start.content.as_deref().map(text_of).unwrap_or_default();
    restore_whole(eyes.redactor, sight.path.as_str(), &before, content)
}

/// Proposes the removal of a file.
pub(crate) fn delete(eyes: LaneView<'_>, args: &Delete) -> Result<ToolOutcome, String> {
    let path = eyes.jail.read_path(&args.path).map_err(|e| e.to_string())?;
    if let Some(path) = &path {
        let is_link =
            std::fs::symlink_metadata(eyes.jail.root().join(path.as_str())).is_ok_and(|m| m.is_symlink());
        if is_link {
            return Err(format!("{path} is a link; only files can be deleted, by their own path"));
        }
        if eyes.jail.metadata(path).is_ok_and(|m| m.is_dir()) {
            return Err(format!("{path} is a folder; delete its files one by one"));
        }
    }
    let sight = sight(eyes, &args.path, "delete", &[Act::Delete])?;
    let start = sight.start()?;
    if start.content.is_none() {
        return Err(missing(eyes, sight.path.as_str(), "or you propose its removal already"));
    }
    propose(sight, &start, None, "")
}

/// Looks at the file that a change is for.
fn sight(eyes: LaneView<'_>, path: &str, verb: &str, acts: &[Act]) -> Result<Sight, String> {
    let asked = eyes.jail.read_path(path).map_err(|e| e.to_string())?;
    let Some(asked) = asked else {
        return Err(format!("{path} is a folder; {verb} needs the path of a file"));
    };
    refuse_control(&asked)?;
    let sight = eyes.look(&asked, acts).map_err(|e| e.to_string())?;
    refuse_control(&sight.path)?;
    Ok(sight)
}

/// Refuses to make a text of what is none: nobody could review what is lost of it.
fn refuse_binary(sight: &Sight, start: &Start) -> Result<(), String> {
    let what = start.content.as_deref().and_then(unreadable);
    what.map_or(Ok(()), |what| {
        Err(format!("{} is {what}; only text can be changed here, use a command for the rest", sight.path))
    })
}

/// Refuses files that steer git or the workbench itself.
fn refuse_control(path: &RelPath) -> Result<(), String> {
    let control = path.as_str().split('/').map(plain_name).find(|n| is_control(n));
    control.map_or(Ok(()), |name| {
        Err(format!("{path} steers {}; no tool may change it, ask the user to do it by hand", steered(&name)))
    })
}

fn is_control(plain: &str) -> bool {
    matches!(plain, ".git" | "git~1" | ".pilothouse")
}

fn steered(plain: &str) -> &'static str {
    if plain == ".pilothouse" { "the workbench" } else { "git" }
}

/// A name as a file system that ignores case, trailing dots and invisible characters would see it.
fn plain_name(name: &str) -> String {
    let invisible = |c: &char| matches!(*c, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{ad}' | '\u{200b}');
    let seen: String = name.chars().filter(|c| !invisible(c)).flat_map(char::to_lowercase).collect();
    seen.trim_end_matches(['.', ' ']).to_owned()
}

/// The outcome of a call that makes `after` of the file.
fn propose(sight: Sight, start: &Start, after: Option<Vec<u8>>, did: &str) -> Result<ToolOutcome, String> {
    let path = sight.path.clone();
    if let Some(after) = &after
        && after.len() as u64 > MAX_FILE_BYTES
    {
        return Err(format!(
            "{path} would have {} bytes, of {MAX_FILE_BYTES} at most: make it less, or several files",
            after.len()
        ));
    }
    if sight.disk == after {
        let text = format!("{path} is then as it is on disk: your open proposal for it is withdrawn");
        let noted = sight.noted();
        return Ok(ToolOutcome {
            withdrawn: Some(Box::new(path)),
            seen: noted,
            ..ToolOutcome::text(text, "withdrawn")
        });
    }
    let (others, read_only) = (sight.names.saturating_sub(1), sight.read_only);
    let encoding = sight.disk.as_deref().and_then(Encoding::of);
    let noted = sight.noted();
    let mut draft = draft(path.clone(), sight.disk, after)?;
    let added: usize = draft.hunks.iter().map(Hunk::added).sum();
    let removed: usize = draft.hunks.iter().map(Hunk::removed).sum();
    let (what, summary) = match draft.kind {
        ChangeKind::Create => ("a new file", format!("new, {}", count(added, "line"))),
        ChangeKind::Modify => ("a change", format!("+{added} -{removed}")),
        ChangeKind::Delete => ("the removal", format!("delete, {}", count(removed, "line"))),
    };
    let (mut summary, mut text) = (summary, String::new());
    if draft.kind == ChangeKind::Modify {
        draft.notes = notes(others, read_only, encoding);
    }
    for note in &draft.notes {
        summary = format!("{summary}; {note}");
        text = format!("{text}; {note}");
    }
    let mut text = format!(
        "proposed {what}: {path} (+{added} -{removed}){did}{text}; the user decides, nothing is written yet"
    );
    if start.replaces_stale {
        text.push_str("; your earlier proposal for this file did not fit the disk any more and is replaced");
    }
    let mut outcome = ToolOutcome::text(text, summary);
    outcome.proposals.push(draft);
    outcome.seen = noted;
    Ok(outcome)
}

/// What has to be known of a file before it is replaced, as every change does: it is never written in place.
fn notes(others: u64, read_only: bool, encoding: Option<Encoding>) -> Vec<String> {
    let links = (others > 0).then(|| {
        let links = count(usize::try_from(others).unwrap_or(usize::MAX), "hard link");
        format!("{links} of it elsewhere keeps what it has")
    });
    let mode = read_only.then(|| "it is read-only, and would be written all the same".to_owned());
    let encoding = encoding.and_then(|encoding| match encoding {
        Encoding::Utf8 => None,
        Encoding::Utf16(_) => Some("it is in UTF-16, and stays so".to_owned()),
        Encoding::Windows1252 => Some("it is not UTF-8, and shown as windows-1252".to_owned()),
    });
    links.into_iter().chain(mode).chain(encoding).collect()
}

fn draft(path: RelPath, before: Option<Vec<u8>>, after: Option<Vec<u8>>) -> Result<ProposalDraft, String> {
    let (kind, hunks) = match (&before, &after) {
        (None, Some(after)) => (ChangeKind::Create, vec![whole(&[], after)]),
        (Some(before), None) => (ChangeKind::Delete, vec![whole(before, &[])]),
        (Some(before), Some(after)) => (ChangeKind::Modify, diff::hunks(before, after)),
        (None, None) => return Err(format!("{path} does not exist")),
    };
    Ok(ProposalDraft::of(path, kind, (before, after), hunks))
}

fn whole(before: &[u8], after: &[u8]) -> Hunk {
    let all = |text| Lines { start: 0, len: diff::lines(text).len() };
    Hunk { changes: vec![Change { old: all(before), new: all(after) }] }
}

#[cfg(test)]
mod tests;
