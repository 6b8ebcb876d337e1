//! A patch of what a run proposed and applied.
//!
//! Owns the patch's text. Never reads the workspace: the contents are the stored ones.

use std::{collections::BTreeMap, path::Path};

use pilothouse_core::{
    blob::BlobId,
    diff::unified,
    ids::Seq,
    proposal::ProposalStatus,
    relpath::RelPath,
    session::{ApplyStatus, State},
};

use crate::{blobs::Blobs, error::RuntimeError, home::Home, secrets::Secrets, sessions};

/// The first content before and the last content after, by file.
type Changes = BTreeMap<RelPath, (Option<BlobId>, Option<BlobId>)>;

/// Makes sure that the patch can be put there, before there is work to lose.
pub(super) fn reach(path: &Path) -> Result<(), RuntimeError> {
    let opened = std::fs::OpenOptions::new().write(true).create(true).truncate(false).open(path);
    opened.map(drop).map_err(RuntimeError::io("write", path))
}

/// Writes the patch; whether a secret stands in it, which must stay for the patch to fit.
pub(super) fn write(
    path: &Path,
    home: &Home,
    slug: &str,
    state: &State,
    from: Seq,
    secrets: &Secrets,
) -> Result<bool, RuntimeError> {
    let place = sessions::find(home, Path::new(&state.folder), slug)?;
    let text = text(state, &Blobs::under(&place.folder), from);
    std::fs::write(path, &text).map_err(RuntimeError::io("write", path))?;
    Ok(secrets.mask(&text) != text)
}

fn text(state: &State, blobs: &Blobs, from: Seq) -> String {
    let mut changes = Changes::new();
    // Ids and sequence numbers count apart; what was applied before this run is of an older turn.
    let own = |turn: pilothouse_core::ids::TurnId| state.turns.get(&turn).is_some_and(|t| t.seq > from);
    let first = state.turns.keys().find(|t| own(**t)).map_or(u64::MAX, |t| t.0);
    for apply in state.applies().values().filter(|a| a.status == ApplyStatus::Applied && a.id.0 > first) {
        for f in &apply.files {
            add(&mut changes, &f.path, f.before, f.after);
        }
    }
    for p in state.proposals().values().filter(|p| p.status == ProposalStatus::Open && p.id.0 > first) {
        add(&mut changes, &p.path, p.before, p.after);
    }
    changes.iter().map(|(path, (before, after))| one(path, *before, *after, blobs)).collect()
}

fn add(changes: &mut Changes, path: &RelPath, before: Option<BlobId>, after: Option<BlobId>) {
    changes.entry(path.clone()).and_modify(|c| c.1 = after).or_insert((before, after));
}

fn one(path: &RelPath, before: Option<BlobId>, after: Option<BlobId>, blobs: &Blobs) -> String {
    if before == after {
        return String::new();
    }
    let read = |id: Option<BlobId>| id.and_then(|id| blobs.get(id)).unwrap_or_default();
    let (old, new) = (read(before), read(after));
    let (a, b) = (quoted("a", path), quoted("b", path));
    let mut text = format!("diff --git {a} {b}\n");
    match (before, after) {
        (None, _) => text.push_str("new file mode 100644\n"),
        (_, None) => text.push_str("deleted file mode 100644\n"),
        (Some(_), Some(_)) => {}
    }
    let (Ok(old), Ok(new)) = (String::from_utf8(old), String::from_utf8(new)) else {
        text.push_str("Binary files differ\n");
        return text;
    };
    // A tab ends a name with blanks in it, which would else be taken for the beginning of a date.
    let end = if path.as_str().contains(' ') { "\t" } else { "" };
    let name = |is: bool, name: String| if is { name + end } else { "/dev/null".to_owned() };
    let (a, b) = (name(before.is_some(), a), name(after.is_some(), b));
    let diff = unified(&old, &new);
    if !diff.is_empty() {
        text.push_str(&format!("--- {a}\n+++ {b}\n{diff}"));
    }
    text
}

/// A name as git writes it: between quotes where it holds what would end a line or a name.
fn quoted(side: &str, path: &RelPath) -> String {
    let plain = |c: char| !c.is_control() && c != '"' && c != '\\';
    if path.as_str().chars().all(plain) {
        return format!("{side}/{path}");
    }
    let one = |byte: u8| match byte {
        b'"' => "\\\"".to_owned(),
        b'\\' => "\\\\".to_owned(),
        b' '..=b'~' => char::from(byte).to_string(),
        other => format!("\\{other:03o}"),
    };
    format!("\"{side}/{}\"", path.as_str().bytes().map(one).collect::<String>())
}
