//! A commit of what a session wrote: what git says of it, and what was made.
//!
//! Owns the shapes and the proposed message. Never asks git.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::{blob::BlobId, outcome::ChangeKind, relpath::RelPath};

/// Most files that one commit names.
pub const MOST_FILES: usize = 300;
/// Characters of a message's first line.
pub(crate) const SUBJECT: usize = 72;

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
    /// What is merged, and what is staged of it besides the files that are named, as git has it: a commit that was shown for
    /// one ends no other.
    #[serde(rename = "heads")]
    pub state: String,
    /// The message that git has for it.
    pub message: String,
    /// How many files are in it besides those that are named: as the other side has them.
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
    /// These by name, as far as they would not be in it.
    #[serde(default, skip)]
    pub left: Vec<String>,
    /// Of these, how many are staged.
    pub staged: usize,
    /// What else is to be known before a yes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Whether the first lines of the log begin with a small letter.
    #[serde(default, skip)]
    pub small: bool,
    /// The lines that came into these files since the last commit, and those that went.
    #[serde(default, skip)]
    pub lines: String,
    /// The merge that is under way, which it would end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merge: Option<Merge>,
    /// The workspace as one hash at that look; `None` where it could not be had in time.
    #[serde(default, skip)]
    pub seen: Option<BlobId>,
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
    /// What was wanted, the last of it what heads the message.
    pub goals: Vec<String>,
    /// The steps of it that were done, where it took several.
    pub steps: Vec<String>,
    /// The files, which say what was done where nothing else does.
    pub files: Vec<RelPath>,
    /// Whether the first lines of the log begin with a small letter.
    pub small: bool,
}

impl MessageFacts {
    /// A message of the facts alone: its first line is what was wanted last, whole below it where that is too long for one. Then
    /// a point for each of what was wanted before, and one for each step.
    pub fn message(&self) -> String {
        let mut said = BTreeSet::from([String::new()]);
        let plain = |text: &String| plain(text.lines().next().unwrap_or_default());
        let goals: Vec<String> = self.goals.iter().map(plain).filter(|g| !meaning(g).is_empty()).collect();
        let text = match goals.last() {
            Some(long) if long.chars().count() > SUBJECT => format!("{}\n\n{long}", subject(long)),
            Some(head) => subject(head),
            None => self.of_files(),
        };
        let mut text = if self.small { small(&text) } else { text };
        said.extend(goals.last().map(|head| meaning(head)));
        let points: String = goals
            .into_iter()
            .chain(self.steps.iter().map(plain))
            .filter(|p| said.insert(meaning(p)))
            .map(|p| point(&p))
            .collect();
        if !points.is_empty() {
            text.push_str(&format!("\n{points}"));
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

/// Whether a line may be the order that the first line of a commit is: it opens with a plain word, and more follows. "DELETE
/// /notes", "A limit" and "Limiting requests" only name something.
pub(crate) fn is_order(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let first = words.next().unwrap_or_default();
    let is_word = first.chars().all(char::is_alphabetic) && first.chars().skip(1).any(char::is_lowercase);
    let small = first.to_lowercase();
    let names = matches!(small.as_str(), "an" | "the" | "another" | "new" | "no") || small.ends_with("ing");
    is_word && !names && words.next().is_some()
}

/// A line with a small letter at its head, unless its first word is a name: `URL`, `McKay`, `getName`.
fn small(text: &str) -> String {
    let word = text.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let mut letters = text.chars();
    match letters.next() {
        Some(first) if !word.chars().skip(1).any(|c| c.is_uppercase() || c.is_numeric()) => {
            first.to_lowercase().chain(letters).collect()
        }
        Some(_) | None => text.to_owned(),
    }
}

/// A line as it stands in a message: without marks of code, and without the places in brackets that it cites.
fn plain(line: &str) -> String {
    let line = line.replace('`', "");
    let cites = |word: &&str| {
        let inner =
            word.trim_end_matches(['.', ',', ';']).strip_prefix('(').and_then(|w| w.strip_suffix(')'));
        let place = inner.and_then(|inner| inner.rsplit_once(':'));
        place.is_some_and(|(file, line)| !file.is_empty() && line.starts_with(|c: char| c.is_ascii_digit()))
    };
    line.split_whitespace().filter(|word| !cites(word)).collect::<Vec<_>>().join(" ")
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

/// A goal as the first line of a message: a capital where it begins with no name, no full stop, not too long.
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
    if begins_with_name(&text) {
        return text;
    }
    let mut letters = text.chars();
    let first = letters.next().map(char::to_uppercase);
    first.into_iter().flatten().chain(letters).collect()
}

/// Whether a line begins with a name that keeps its letters: of code (`getName`, `read_all`, `app.js`), or of a command,
/// which has an option behind it.
fn begins_with_name(text: &str) -> bool {
    let mut words = text.split_whitespace();
    let first = words.next().unwrap_or_default().trim_end_matches([',', ':', ';']);
    let of_code = |c: char| c.is_uppercase() || c.is_numeric() || matches!(c, '_' | '.' | '/' | '(' | ':');
    first.chars().skip(1).any(of_code)
        || words.next().is_some_and(|word| word.starts_with('-') && word.len() > 1)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn of(goals: &[&str]) -> String {
        let goals = goals.iter().map(|s| (*s).to_owned()).collect();
        MessageFacts { goals, ..MessageFacts::default() }.message()
    }

    #[test]
    fn a_message_says_what_was_wanted() {
        assert_eq!(of(&["add rate limiting."]), "Add rate limiting");
        let file = |name: &str| RelPath::new(name).unwrap();
        let bare = |files: &[&str]| {
            let files = files.iter().map(|name| file(name)).collect();
            MessageFacts { files, ..MessageFacts::default() }.message()
        };
        assert_eq!(bare(&["calc.py"]), "Change calc.py");
        assert_eq!(bare(&["calc.py", "b.py"]), "Change calc.py and 1 more");
        let small = |goals: &[&str]| {
            let goals = goals.iter().map(|s| (*s).to_owned()).collect();
            MessageFacts { goals, small: true, ..MessageFacts::default() }.message()
        };
        assert_eq!(small(&["Fix the typo", "Add a limit"]), "add a limit\n\n- Fix the typo");
        assert_eq!(small(&["URL of a note"]), "URL of a note", "a name keeps its letters");
        for name in ["cli --month", "getName of a note", "app.js answers", "read_all closes the file"] {
            assert_eq!(of(&[name]), name, "a name keeps its letters");
        }
    }

    #[test]
    fn a_message_tells_each_thing_once() {
        let file = |name: &str| RelPath::new(name).unwrap();
        assert_eq!(of(&["fix: the limit"]), "Fix: the limit");
        for (line, orders) in [
            ("Answer 404 for an unknown id", true),
            ("add a limit", true),
            ("DELETE /notes/:id", false),
            ("A limit", false),
            ("Limiting requests", false),
            ("Plan", false),
        ] {
            assert_eq!(is_order(line), orders, "{line}");
        }
        // What marks code and what is cited belong into no message.
        assert_eq!(
            of(&["Answer `404` for a note that is gone (`src/app.js:34`)"]),
            "Answer 404 for a note that is gone"
        );
        assert_eq!(of(&["a first", "b next", "b next"]), "B next\n\n- a first");
        let three =
            ["Let a spend reach the limit of its window", "Burst allowance for ledgers", "MIT licence"];
        let facts = MessageFacts {
            goals: three.map(str::to_owned).to_vec(),
            files: vec![file("quota/ledger.py"), file("LICENSE"), file("LICENSE")],
            ..MessageFacts::default()
        };
        let points = "- Let a spend reach the limit of its window\n- Burst allowance for ledgers";
        assert_eq!(facts.message(), format!("MIT licence\n\n{points}"));
        let steps = vec!["Close the file".to_owned(), "Name the line ".repeat(7).trim().to_owned()];
        let facts =
            MessageFacts { goals: vec!["Mend the store".to_owned()], steps, ..MessageFacts::default() };
        let lines = "- Close the file\n- Name the line Name the line Name the line Name the line Name the line\n  Name the line \
                     Name the line";
        assert_eq!(facts.message(), format!("Mend the store\n\n{lines}"));
        assert_eq!(of(&[]), "Change files");
        // However it is written, a line is said once.
        assert_eq!(
            of(&["add a limit", "Mend  the store.", "mend the store"]),
            "Mend the store\n\n- add a limit"
        );
        let steps = ["Mend the `store`.", "add a limit", "Add a limit."].map(str::to_owned).to_vec();
        let facts =
            MessageFacts { goals: vec!["mend the store".to_owned()], steps, ..MessageFacts::default() };
        assert_eq!(facts.message(), "Mend the store\n\n- add a limit");
        let long = "make ".repeat(30);
        let message = of(&[&long]);
        assert!(message.lines().all(|l| l.len() <= SUBJECT || l == long.trim()), "{message}");
        assert_eq!(message.lines().count(), 3);
        assert_eq!(of(&[&"x".repeat(200)]).lines().next().map(str::len), Some(SUBJECT));
    }
}
