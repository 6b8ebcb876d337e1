//! A commit of what a session wrote: what git says of it, and what was made.
//!
//! Owns the shapes and the proposed message. Never asks git.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::{blob::BlobId, outcome::ChangeKind, relpath::RelPath};

/// Most files that one commit names.
pub const MOST_FILES: usize = 300;
/// Characters of a message's first line.
const SUBJECT: usize = 72;

/// A file that a session wrote, to be looked at before a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SoughtFile {
    /// The file.
    pub path: RelPath,
    /// What it held before and after each write of the session since somebody else last wrote it, the newest last;
    /// `None` where there was no file.
    pub states: Vec<Option<BlobId>>,
}

/// A file that a commit would hold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommitFile {
    /// The file.
    pub path: RelPath,
    /// What became of it since the last commit.
    pub kind: ChangeKind,
    /// What it holds; `None` when it is gone. Anything else is not committed.
    pub content: Option<BlobId>,
    /// Whether git does not know it yet.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub untracked: bool,
    /// Whether it holds more, since the last commit, than this session wrote.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub mixed: bool,
}

/// A merge that a commit ends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Merge {
    /// What is merged, as git has it: a commit that was shown for one ends no other.
    pub heads: String,
    /// The message that git has for it.
    pub message: String,
    /// How many files are in it besides those that are named.
    pub more: usize,
}

/// What git says of the files that a session wrote.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommitTree {
    /// Where the commit would stand: a branch, or that there is none.
    pub on: String,
    /// The files that differ from the last commit.
    pub files: Vec<CommitFile>,
    /// Other changed files, which stay as they are.
    pub others: usize,
    /// Of these, how many are staged.
    pub staged: usize,
    /// What else is to be known before a yes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The merge that is under way, which it would end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merge: Option<Merge>,
}

/// A commit that was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Committed {
    /// Its short name.
    pub id: String,
    /// Where it stands.
    pub on: String,
}

/// The facts that a message is made of.
#[derive(Clone, Debug, Default)]
pub struct MessageFacts {
    /// What was wanted, the oldest first.
    pub goals: Vec<String>,
    /// The steps of it that were done, where it took several.
    pub steps: Vec<String>,
    /// The files, which say what was done where nothing else does.
    pub files: Vec<RelPath>,
    /// Gates that are green, by their commands.
    pub checked: Vec<String>,
}

impl MessageFacts {
    /// A message of the facts alone, its first line all that was wanted: where that is too much for it the files,
    /// and a point for each; then what was done, and what proves it.
    pub fn message(&self) -> String {
        let mut said = BTreeSet::from([String::new()]);
        let goals = self.goals.iter().map(|g| g.lines().next().unwrap_or_default().trim());
        let goals: Vec<&str> = goals.filter(|g| said.insert(meaning(g))).collect();
        let all = goals.iter().map(|g| subject(g)).collect::<Vec<_>>().join("; ");
        let mut text = match goals.as_slice() {
            [long] if long.chars().count() > SUBJECT => format!("{all}\n\n{long}"),
            [_, ..] if all.chars().count() <= SUBJECT => all,
            [] | [_, ..] => {
                said = BTreeSet::from([String::new()]);
                self.of_files()
            }
        };
        let steps = self.steps.iter().map(|s| s.trim());
        let points: String =
            goals.into_iter().chain(steps).filter(|p| said.insert(meaning(p))).map(point).collect();
        if !points.is_empty() {
            text.push_str(&format!("\n{points}"));
        }
        if !self.checked.is_empty() {
            let lines: Vec<String> = self.checked.iter().map(|c| format!("Checked: {c}")).collect();
            text.push_str(&format!("\n\n{}", lines.join("\n")));
        }
        text
    }

    /// A first line that says no more than what was changed.
    fn of_files(&self) -> String {
        let mut said = BTreeSet::new();
        let files: Vec<&RelPath> = self.files.iter().filter(|file| said.insert(*file)).collect();
        match files.as_slice() {
            [] => "Change files".to_owned(),
            [file] => format!("Change {file}"),
            [first, rest @ ..] => format!("Change {first} and {} more", rest.len()),
        }
    }
}

/// What a line says, however it is written: its words without case, quotes and the stop at its end.
fn meaning(line: &str) -> String {
    let words = line.split_whitespace().map(|w| w.trim_matches(['.', ',', ';', ':', '!', '"', '\'', '`']));
    words.filter(|w| !w.is_empty()).map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

/// A point of a list, whole, in lines that are not too long.
fn point(text: &str) -> String {
    let (mut out, mut width) = ("\n-".to_owned(), 1);
    for word in text.split_whitespace() {
        let wide = word.chars().count() + 1;
        if width + wide > SUBJECT && width > 1 {
            out.push_str("\n ");
            width = 1;
        }
        out.push(' ');
        out.push_str(word);
        width += wide;
    }
    out
}

/// A goal as the first line of a message: a capital, no full stop, not too long.
fn subject(goal: &str) -> String {
    let goal = goal.trim().trim_end_matches('.');
    let mut text = String::new();
    for word in goal.split_whitespace() {
        if text.chars().count() + word.chars().count() + 1 > SUBJECT {
            break;
        }
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(word);
    }
    if text.is_empty() {
        text = goal.chars().take(SUBJECT).collect();
    }
    let mut letters = text.chars();
    let first = letters.next().map(char::to_uppercase);
    first.into_iter().flatten().chain(letters).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn of(goals: &[&str], checked: &[&str]) -> String {
        let own = |all: &[&str]| all.iter().map(|s| (*s).to_owned()).collect();
        MessageFacts { goals: own(goals), checked: own(checked), ..MessageFacts::default() }.message()
    }

    #[test]
    fn a_message_says_what_was_wanted_and_what_proves_it() {
        assert_eq!(of(&["add rate limiting."], &[]), "Add rate limiting");
        let file = |name: &str| RelPath::new(name).unwrap();
        let bare = |files: &[&str]| {
            let files = files.iter().map(|name| file(name)).collect();
            MessageFacts { files, ..MessageFacts::default() }.message()
        };
        assert_eq!(bare(&["calc.py"]), "Change calc.py");
        assert_eq!(bare(&["calc.py", "b.py"]), "Change calc.py and 1 more");
        assert_eq!(of(&["fix the typo"], &["cargo test"]), "Fix the typo\n\nChecked: cargo test");
        assert_eq!(of(&["a first", "b next", "b next"], &[]), "A first; B next");
        let three =
            ["Let a spend reach the limit of its window", "Burst allowance for ledgers", "MIT licence"];
        let facts = MessageFacts {
            goals: three.map(str::to_owned).to_vec(),
            files: vec![file("quota/ledger.py"), file("LICENSE"), file("LICENSE")],
            ..MessageFacts::default()
        };
        let points =
            "- Let a spend reach the limit of its window\n- Burst allowance for ledgers\n- MIT licence";
        assert_eq!(facts.message(), format!("Change quota/ledger.py and 1 more\n\n{points}"));
        let steps = vec!["Close the file".to_owned(), "Name the line ".repeat(7).trim().to_owned()];
        let facts =
            MessageFacts { goals: vec!["Mend the store".to_owned()], steps, ..MessageFacts::default() };
        let lines = "- Close the file\n- Name the line Name the line Name the line Name the line Name the line\n  Name the line \
                     Name the line";
        assert_eq!(facts.message(), format!("Mend the store\n\n{lines}"));
        assert_eq!(of(&[], &[]), "Change files");
        // However it is written, a line is said once.
        assert_eq!(
            of(&["add a limit", "Mend  the store.", "mend the store"], &[]),
            "Add a limit; Mend the store"
        );
        let steps = ["Mend the `store`.", "add a limit", "Add a limit."].map(str::to_owned).to_vec();
        let facts =
            MessageFacts { goals: vec!["mend the store".to_owned()], steps, ..MessageFacts::default() };
        assert_eq!(facts.message(), "Mend the store\n\n- add a limit");
        let long = "make ".repeat(30);
        let message = of(&[&long], &[]);
        assert!(message.lines().all(|l| l.len() <= SUBJECT || l == long.trim()), "{message}");
        assert_eq!(message.lines().count(), 3);
        assert_eq!(of(&[&"x".repeat(200)], &[]).lines().next().map(str::len), Some(SUBJECT));
    }
}
