//! Memory: notes that outlast a session, in two Markdown files which a person reads and edits.
//!
//! Owns how such a file is read, how a note is put in and taken out, and which notes a text is about.
//! Never touches a file: whoever can hands in its text. A note has no authority: it is told as text.

#[cfg(test)]
mod tests;

use std::{borrow::Cow, collections::BTreeSet, ops::Range};

use serde::{Deserialize, Serialize};

use crate::{
    blob::{BlobId, Excerpt},
    fact::content,
};

/// Most characters of one note.
pub const NOTE_CHARS: usize = 400;

/// Whose memory it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MemoryOwner {
    /// The project's: a file in it.
    Project,
    /// The user's own, for every project.
    User,
}

/// What a note is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoteKind {
    /// Something that was found out about the project.
    Learning,
    /// Something that was settled.
    Decision,
    /// Something that did not work.
    Failure,
    /// Who the user is.
    Identity,
    /// How the user likes it.
    Preference,
}

/// Something to remember.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// What it is.
    pub kind: NoteKind,
    /// What is to be remembered, one line.
    pub text: String,
}

/// A note as the agent proposes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NoteDraft {
    /// What it is.
    pub kind: NoteKind,
    /// What is to be remembered.
    #[serde(deserialize_with = "crate::args::words")]
    pub text: String,
}

/// A change to a memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "change", rename_all = "snake_case")]
pub enum MemoryChange {
    /// A note is put in.
    Add {
        /// The note.
        note: Note,
    },
    /// A note is taken out.
    Forget {
        /// The note.
        note: Note,
    },
    /// The user wrote the whole file anew.
    Write {
        /// Whose.
        owner: MemoryOwner,
        /// What it held when they began.
        before: BlobId,
        /// What it is to hold.
        text: Excerpt,
    },
}

impl MemoryOwner {
    /// Both, in the order in which they are told.
    pub const ALL: [Self; 2] = [Self::User, Self::Project];

    /// In a word, for people.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::User => "user",
        }
    }

    /// What a new file begins with.
    const fn head(self) -> &'static str {
        match self {
            Self::Project => {
                "# Memory of this project\n\n<!-- Told to the agent as text that allows nothing. One note a line; edit as you like. -->\n"
            }
            Self::User => {
                "# Memory\n\n<!-- Told to the agent in every project. One note a line; edit as you like. -->\n"
            }
        }
    }

    /// What a note is that stands below no heading of a kind.
    const fn usual(self) -> NoteKind {
        match self {
            Self::Project => NoteKind::Learning,
            Self::User => NoteKind::Preference,
        }
    }
}

impl NoteKind {
    /// Every kind.
    pub const ALL: [Self; 5] =
        [Self::Learning, Self::Decision, Self::Failure, Self::Identity, Self::Preference];

    /// In a word, as tools and commands name it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Learning => "learning",
            Self::Decision => "decision",
            Self::Failure => "failure",
            Self::Identity => "identity",
            Self::Preference => "preference",
        }
    }

    /// The heading that it stands below.
    const fn heading(self) -> &'static str {
        match self {
            Self::Learning => "Learnings",
            Self::Decision => "Decisions",
            Self::Failure => "Failures",
            Self::Identity => "Identity",
            Self::Preference => "Preferences",
        }
    }

    /// Whose memory it belongs to.
    pub const fn owner(self) -> MemoryOwner {
        match self {
            Self::Learning | Self::Decision | Self::Failure => MemoryOwner::Project,
            Self::Identity | Self::Preference => MemoryOwner::User,
        }
    }

    /// The kind of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|k| k.name() == name)
    }
}

impl Note {
    /// A note on one line; `None` where nothing is left of the text.
    pub fn new(kind: NoteKind, text: &str) -> Option<Self> {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let text = text.trim_start_matches(['-', '*', '+', '#', '>', ' ']).to_owned();
        (!text.is_empty()).then_some(Self { kind, text })
    }

    /// Whether it says the same as another text: case, blanks and the last full stop do not count.
    pub fn says(&self, text: &str) -> bool {
        plain(&self.text) == plain(text)
    }

    /// Whether another note says the same in other words: most words of the shorter one stand in both.
    pub fn is_like(&self, other: &Self) -> bool {
        let (own, theirs) = (telling(&self.text), telling(&other.text));
        let both = own.intersection(&theirs).count();
        self.says(&other.text) || both * 3 > own.len().min(theirs.len()) * 2
    }
}

impl MemoryChange {
    /// Whose memory it changes.
    pub const fn owner(&self) -> MemoryOwner {
        match self {
            Self::Add { note } | Self::Forget { note } => note.kind.owner(),
            Self::Write { owner, .. } => *owner,
        }
    }

    /// What a file holds after it; `text` is what it holds now, `whole` the text that was written anew.
    ///
    /// # Errors
    /// Why it does not fit what the file holds now.
    pub fn of(&self, text: &str, whole: impl FnOnce(&Excerpt) -> Option<String>) -> Result<String, String> {
        match self {
            Self::Add { note } => Ok(with(text, note)),
            Self::Forget { note } => {
                without(text, note).ok_or_else(|| "it does not contain that note".to_owned())
            }
            Self::Write { before, .. } if BlobId::of(text.as_bytes()) != *before => {
                Err("it changed while you edited it".to_owned())
            }
            Self::Write { text, .. } => whole(text).ok_or_else(|| "the new text is not stored".to_owned()),
        }
    }
}

/// Every note that is in force, the user's own first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    notes: Vec<Note>,
}

impl Memory {
    /// The notes of these files.
    pub fn of<'a>(files: impl IntoIterator<Item = (MemoryOwner, &'a str)>) -> Self {
        Self { notes: files.into_iter().flat_map(|(owner, text)| notes(owner, text)).collect() }
    }

    /// Every note, in the order in which it stands.
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// Whether a note says this already.
    pub fn holds(&self, text: &str) -> bool {
        self.notes.iter().any(|n| n.says(text))
    }

    /// Notes that hold a word; all where there is none.
    pub fn holding(&self, word: &str) -> impl Iterator<Item = &Note> {
        let word = word.to_lowercase();
        self.notes.iter().filter(move |n| n.text.to_lowercase().contains(&word))
    }

    /// The notes that a text is about: who the user is and how they like it first, then those that share
    /// the most words with it, the newest first where that is the same.
    pub fn relevant(&self, about: &str, most: usize) -> Vec<&Note> {
        let asked = content(about);
        let rank = |(at, note): &(usize, &Note)| {
            let shared = content(&note.text).intersection(&asked).count();
            (note.kind.owner() == MemoryOwner::Project, std::cmp::Reverse(shared), std::cmp::Reverse(*at))
        };
        let mut all: Vec<(usize, &Note)> = self.notes.iter().enumerate().collect();
        all.sort_by_key(rank);
        all.into_iter().take(most).map(|(_, n)| n).collect()
    }
}

/// The notes of a file: its list items and paragraphs, each of the kind of its heading.
fn notes(owner: MemoryOwner, text: &str) -> Vec<Note> {
    blocks(owner, text).into_iter().map(|b| b.note).collect()
}

/// A note and the lines on which it stands.
struct Block {
    note: Note,
    lines: Range<usize>,
}

fn blocks(owner: MemoryOwner, text: &str) -> Vec<Block> {
    let (mut out, mut kind, mut remark) = (Vec::new(), owner.usual(), false);
    let mut open: Option<(Range<usize>, String)> = None;
    let close = |open: &mut Option<(Range<usize>, String)>, kind: NoteKind, out: &mut Vec<Block>| {
        let Some((lines, text)) = open.take() else { return };
        out.extend(Note::new(kind, &text).map(|note| Block { note, lines }));
    };
    for (at, line) in text.lines().enumerate() {
        let line = line.trim();
        let begins = !remark && line.starts_with("<!--");
        if remark || begins {
            remark = !line.ends_with("-->");
            close(&mut open, kind, &mut out);
        } else if let Some(heading) = heading(line) {
            close(&mut open, kind, &mut out);
            kind = kind_of(owner, heading).unwrap_or(owner.usual());
        } else if line.is_empty() {
            close(&mut open, kind, &mut out);
        } else if let Some((lines, text)) = open.as_mut().filter(|_| !is_item(line)) {
            lines.end = at + 1;
            text.push(' ');
            text.push_str(line);
        } else {
            close(&mut open, kind, &mut out);
            open = Some((at..at + 1, line.to_owned()));
        }
    }
    close(&mut open, kind, &mut out);
    out
}

fn is_item(line: &str) -> bool {
    ["- ", "* ", "+ "].iter().any(|sign| line.starts_with(sign))
}

fn heading(line: &str) -> Option<&str> {
    let rest = line.trim_start_matches('#');
    (rest.len() < line.len() && (rest.is_empty() || rest.starts_with(' '))).then(|| rest.trim())
}

fn kind_of(owner: MemoryOwner, heading: &str) -> Option<NoteKind> {
    let heading = heading.to_lowercase();
    NoteKind::ALL.into_iter().find(|k| k.owner() == owner && heading.contains(k.name()))
}

/// The text with a note at the end of its section; every other byte stays.
fn with(text: &str, note: &Note) -> String {
    let owner = note.kind.owner();
    let text = if text.trim().is_empty() { Cow::Borrowed(owner.head()) } else { Cow::Borrowed(text) };
    let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let own = |l: &&str| heading(l.trim()).is_some_and(|h| kind_of(owner, h) == Some(note.kind));
    let item = format!("- {}{end}", note.text);
    let Some(section) = lines.iter().position(own) else {
        let close = if text.ends_with('\n') { "" } else { end };
        return format!("{text}{close}{end}## {}{end}{end}{item}", note.kind.heading());
    };
    let rest = lines.get(section + 1..).unwrap_or_default();
    let next = rest.iter().position(|l| heading(l.trim()).is_some()).unwrap_or(rest.len());
    let last = rest.get(..next).unwrap_or_default().iter().rposition(|l| !l.trim().is_empty());
    let at = section + 1 + last.map_or(0, |n| n + 1);
    let (before, after) = lines.split_at_checked(at).unwrap_or((&lines, &[]));
    let before = before.concat();
    let close = if before.ends_with('\n') { "" } else { end };
    let gap = if last.is_none() { end } else { "" };
    format!("{before}{close}{gap}{item}{}", after.concat())
}

/// The text without the first note that says this; `None` where there is none.
fn without(text: &str, note: &Note) -> Option<String> {
    let found = blocks(note.kind.owner(), text).into_iter().find(|b| b.note.says(&note.text))?;
    let lines = text.split_inclusive('\n').enumerate().filter(|(at, _)| !found.lines.contains(at));
    Some(lines.map(|(_, line)| line).collect())
}

fn plain(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").trim_end_matches('.').to_lowercase()
}

/// The words of a note that tell it from others: without those that any rule has.
fn telling(text: &str) -> BTreeSet<String> {
    const RULING: [&str; 20] = [
        "always",
        "never",
        "not",
        "only",
        "every",
        "must",
        "should",
        "use",
        "used",
        "uses",
        "using",
        "need",
        "needs",
        "here",
        "now",
        "from",
        "for",
        "project",
        "repository",
        "please",
    ];
    content(text).into_iter().filter(|w| !RULING.contains(&w.as_str())).collect()
}
