//! The merge that a commit ends: what is settled of it, what stands in it besides, and whether that is still so.
//!
//! Owns when a conflict counts as settled: only where git wrote its marks into a text, and none of them is left. What is
//! staged exactly as the other side has it came with the merge; all else that is staged is named before a yes.

use std::collections::{BTreeMap, BTreeSet};

use pilothouse_core::{blob::BlobId, relpath::RelPath};

use super::{Entry, Git, entries, fields};
use crate::jail::Jail;

/// The width of git's marks where no attribute names another.
const MARK: usize = 7;

/// A merge that is under way, as git keeps it.
#[derive(Debug)]
pub(super) struct Begun {
    /// What is merged, a commit a line.
    pub heads: String,
    /// The message for it.
    pub message: String,
}

/// What a merge that is under way has besides what the session wrote.
#[derive(Debug, Default)]
pub(super) struct Parts {
    /// The files that the commit has to name.
    pub named: Vec<RelPath>,
    /// What the other side changed, from the root of the repository on.
    brought: BTreeSet<String>,
    /// What is staged as the other side has it.
    theirs: BTreeSet<String>,
    /// What was in conflict.
    settled: BTreeSet<String>,
    /// What is staged and has further changes that are not.
    beyond: BTreeSet<String>,
}

impl Parts {
    /// What a merge of `heads` has.
    ///
    /// # Errors
    /// Which files are not settled, or cannot be committed from here.
    pub async fn of(
        git: &Git<'_>,
        jail: &Jail,
        status: &[u8],
        (prefix, heads): (&str, &str),
    ) -> Result<Self, String> {
        let all = entries(status, "")?;
        let conflicts: Vec<&Entry<'_>> = all.iter().filter(|e| e.conflict).collect();
        let mut parts = Self { named: settled(git, jail, &conflicts, prefix).await?, ..Self::default() };
        parts.settled = conflicts.iter().map(|e| e.path.to_owned()).collect();
        let mut theirs: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for head in heads.lines() {
            let since = format!("HEAD...{head}");
            let args = ["diff", "--name-only", "-z", "--no-renames", "--no-ext-diff", &since];
            parts.brought.extend(fields(&git.must(&args, &[]).await?).map(str::to_owned));
            let raw = git.must(&["diff-tree", "-r", "-z", "--no-renames", "HEAD", head], &[]).await?;
            let raw: Vec<&str> = fields(&raw).collect();
            for pair in raw.chunks(2) {
                let [what, path] = pair else { continue };
                // `:100644 100644 OLD NEW M`: its mode there and what it holds there.
                let what: Vec<&str> = what.split(' ').collect();
                if let [_, mode, _, id, _] = what.as_slice() {
                    theirs.entry((*path).to_owned()).or_default().insert(format!("{mode} {id}"));
                }
            }
        }
        for entry in all.iter().filter(|e| e.staged && !e.conflict) {
            if theirs.get(entry.path).is_some_and(|there| there.contains(&entry.index())) {
                parts.theirs.insert(entry.path.to_owned());
                continue;
            }
            parts.named.push(within(entry.path, prefix, "is staged")?);
            if !entry.is_plain() {
                return Err(format!("{} is staged and no plain file; `!git commit` commits it", entry.path));
            }
            if entry.edited {
                parts.beyond.insert(entry.path.to_owned());
            }
        }
        Ok(parts)
    }

    /// Whether a file that the session did not write holds more than the merge brought.
    pub fn is_mixed(&self, path: &str) -> bool {
        !self.settled.contains(path) && (self.beyond.contains(path) || !self.brought.contains(path))
    }

    /// Whether the other side changed a file.
    pub fn brings(&self, path: &str) -> bool {
        self.brought.contains(path)
    }

    /// How many files are in the commit besides those that are named.
    pub fn more(&self, named: &BTreeSet<String>) -> usize {
        self.theirs.iter().filter(|path| !named.contains(*path)).count()
    }
}

/// What is merged, and what is staged of it besides the files that are named, as one text: what a yes was given to.
pub(super) fn state(heads: &str, status: &[u8], named: &BTreeSet<String>) -> Result<String, String> {
    let all = entries(status, "")?;
    let others = all.iter().filter(|e| (e.staged || e.conflict) && !named.contains(e.path));
    let staged: Vec<String> = others.map(|e| format!("{} {} {}", e.conflict, e.index(), e.path)).collect();
    Ok(format!("{heads}{:?}", BlobId::of(staged.join("\0").as_bytes())))
}

/// The files that were in conflict, all of them settled.
///
/// # Errors
/// Which are not.
async fn settled(
    git: &Git<'_>,
    jail: &Jail,
    conflicts: &[&Entry<'_>],
    prefix: &str,
) -> Result<Vec<RelPath>, String> {
    let (mut settled, mut marked, mut bare) = (Vec::new(), Vec::new(), Vec::new());
    for entry in conflicts {
        let path = within(entry.path, prefix, "is in conflict")?;
        let content = jail.read(&path).ok();
        let width = width(git, entry, &path).await?;
        match (content, width) {
            (Some(text), Some(width)) if is_marked(&text, width) => marked.push(path.to_string()),
            (Some(text), Some(_)) if !text.contains(&0) => settled.push(path),
            _ => bare.push(path.to_string()),
        }
    }
    if !marked.is_empty() {
        let hold = if marked.len() == 1 { "holds" } else { "hold" };
        let marked = marked.join(", ");
        return Err(format!(
            "a merge is under way, and {marked} still {hold} conflict markers; settle them, then commit again"
        ));
    }
    if bare.is_empty() {
        return Ok(settled);
    }
    let are = if bare.len() == 1 { "is" } else { "are" };
    Err(format!(
        "a merge is under way, and {} {are} in conflict without markers; put it right, then run `!git add {}` and commit again",
        bare.join(", "),
        bare.join(" "),
    ))
}

/// How wide the marks are that git put into a file in conflict; none where it put none: where one side has no such file, or
/// what it has is no text, or the attributes leave it whole.
async fn width(git: &Git<'_>, entry: &Entry<'_>, path: &RelPath) -> Result<Option<usize>, String> {
    if !entry.is_plain() || entry.sides.len() != 2 {
        return Ok(None);
    }
    let args = ["diff", "--numstat", "--no-ext-diff", "--no-textconv"];
    let counted = git.must(&args, &entry.sides).await?;
    if counted.starts_with(b"-\t-") {
        return Ok(None);
    }
    let said =
        git.must(&["check-attr", "-z", "merge", "conflict-marker-size", "--"], &[path.as_str()]).await?;
    let values: Vec<&str> = fields(&said).skip(2).step_by(3).collect();
    let [merge, size] = values.as_slice() else { return Ok(None) };
    if !matches!(*merge, "unspecified" | "set" | "text") {
        return Ok(None);
    }
    Ok(Some(size.parse().unwrap_or(MARK)))
}

/// Whether a file holds one of the marks that git writes around what it could not merge.
fn is_marked(bytes: &[u8], width: usize) -> bool {
    let is_mark = |line: &[u8]| {
        let first = line.first().copied().unwrap_or_default();
        let long = line.iter().take_while(|b| **b == first).count() == width;
        b"<>|".contains(&first) && long && matches!(line.get(width), None | Some(b' ' | b'\r'))
    };
    bytes.split(|b| *b == b'\n').any(is_mark)
}

/// A path of the repository from this folder on.
fn within(path: &str, prefix: &str, what: &str) -> Result<RelPath, String> {
    let own = path.strip_prefix(prefix).and_then(|path| RelPath::new(path).ok());
    own.ok_or_else(|| format!("{path} {what} and lies outside this folder; commit there"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_mark_of_gits_own_width_is_one() {
        for (text, width, marked) in [
            ("a\n<<<<<<< HEAD\nb\n", 7, true),
            ("a\n>>>>>>> other\n", 7, true),
            ("a\n||||||| 1234\n", 7, true),
            ("a\n>>>>>>>\r\n", 7, true),
            ("Changes\n=======\n", 7, false),
            ("a\n>>>>>>>> quoted eight times\n", 7, false),
            ("a\n<<<<<<<\tb\n", 7, false),
            ("a\n<<<<<<<<<< HEAD\n", 10, true),
            ("a\n<<<<<<< HEAD\n", 10, false),
        ] {
            assert_eq!(is_marked(text.as_bytes(), width), marked, "{text:?}");
        }
    }
}
