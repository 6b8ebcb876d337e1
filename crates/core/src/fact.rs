//! Facts: what is known, where it comes from, and whether it still stands.
//!
//! Owns the store and the words for a fact. Never looks at a file or an output: whoever can hands in
//! what stands there, and a fact that nobody looked at is never called checked.

mod answer;
mod check;
mod cite;
mod said;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

pub(crate) use answer::content;
pub use answer::{Found, is_named, marked};
pub use check::{Checked, Evidence, Mark, Shown, astray, check, place};
pub(crate) use cite::cited_facts;
pub use cite::{Cited, Statement, places, statements};
pub(crate) use said::UserWords;

use crate::{
    blob::BlobId,
    ids::{CallId, Millis, TaskId},
    outcome::Exit,
    relpath::RelPath,
};

/// Most facts that are kept; what the workbench noted by itself goes first.
const MOST: usize = 400;
/// Most characters of a name that the workbench makes itself.
const NAME_CHARS: usize = 80;

/// Something that is known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fact {
    /// What it is called; the same name is the same fact.
    pub name: String,
    /// What is so.
    pub value: String,
    /// Where it comes from.
    pub source: FactSource,
    /// The facts that it rests on, by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub because: Vec<String>,
    /// The step of the plan in which it was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<TaskId>,
    /// When.
    pub at: Millis,
    /// How sure whoever recorded it is, in percent.
    pub confidence: u8,
    /// Whether the workbench saw that its source says so.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub checked: bool,
}

/// Where a fact comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "from", rename_all = "snake_case")]
pub enum FactSource {
    /// Text in a file.
    File {
        /// The file.
        path: RelPath,
        /// The line, from 1.
        line: usize,
        /// What stands there.
        text: String,
        /// The hash of the file as it was then.
        hash: BlobId,
    },
    /// What a command printed, or how it ended.
    Command {
        /// The line.
        command: String,
        /// What it printed; empty when its end is what counts.
        text: String,
        /// The hash of all that it printed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        output: Option<BlobId>,
    },
    /// What a call did.
    Tool {
        /// The tool, by its name.
        tool: String,
        /// The call.
        call: CallId,
    },
    /// The user said so.
    User,
    /// It follows from the facts that it names.
    Derived,
    /// The model said so, and nothing shows it.
    Model,
}

/// A fact as a tool brings it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FactDraft {
    /// What it is called.
    pub name: String,
    /// What is so.
    pub value: String,
    /// Where it comes from.
    pub source: FactSource,
    /// The facts that it rests on, by name.
    pub because: Vec<String>,
    /// How sure the model is, in percent.
    pub confidence: u8,
    /// Whether the source was seen to say so.
    pub checked: bool,
}

/// Where the text of a fact stands now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The line, from 1.
    pub line: usize,
    /// The hash of the file.
    pub hash: BlobId,
}

/// How a command ended, the last time that it ran.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    /// How.
    pub exit: Exit,
    /// The hash of what it printed.
    pub output: Option<BlobId>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Known {
    fact: Fact,
    /// Why it may not stand any more.
    stale: Option<String>,
    /// Whether the workbench noted it by itself.
    noted: bool,
}

/// All that is known in a session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    known: BTreeMap<String, Known>,
    commands: BTreeMap<String, Ended>,
    /// Commands that ended well at least once.
    green: BTreeSet<String>,
    /// Names that were spoken of last.
    spoken: Vec<String>,
}

impl Facts {
    /// A fact by its name.
    pub fn get(&self, name: &str) -> Option<&Fact> {
        self.known.get(&key(name)).map(|k| &k.fact)
    }

    /// Every fact, by name.
    pub fn iter(&self) -> impl Iterator<Item = &Fact> {
        self.known.values().map(|k| &k.fact)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.known.len()
    }

    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// Whether a command ran.
    pub fn has_run(&self) -> bool {
        !self.commands.is_empty()
    }

    /// How a command ended the last time that it ran.
    pub fn ended(&self, command: &str) -> Option<&Ended> {
        self.commands.get(command.trim())
    }

    /// Whether a command ended well here at least once.
    pub fn was_green(&self, command: &str) -> bool {
        self.green.contains(command.trim())
    }

    /// The line that makes a check here that was never green as it stands: by another way, which was.
    pub fn green_instead(&self, check: &str) -> Option<String> {
        let mut known = self.green.iter().filter(|_| !self.was_green(check));
        known.find_map(|line| crate::shell::another_way(line, check))
    }

    /// Why a fact may not stand any more: its own source changed, or one that it rests on.
    pub fn stale(&self, name: &str) -> Option<String> {
        self.stale_below(name, 8)
    }

    fn stale_below(&self, name: &str, depth: usize) -> Option<String> {
        let Some(known) = self.known.get(&key(name)) else { return Some(format!("{name} is not known")) };
        let depth = depth.checked_sub(1)?;
        let rests = || known.fact.because.iter().find_map(|b| self.stale_below(b, depth));
        known.stale.clone().or_else(rests)
    }

    /// Whether the workbench checked a fact and all that it rests on; of one that follows from others, these.
    pub fn is_proven(&self, name: &str) -> bool {
        self.proven_below(name, 8)
    }

    fn proven_below(&self, name: &str, depth: usize) -> bool {
        let Some(fact) = self.get(name) else { return false };
        let Some(depth) = depth.checked_sub(1) else { return false };
        let rests = fact.because.iter().all(|b| self.proven_below(b, depth));
        rests && (fact.checked || (fact.source == FactSource::Derived && !fact.because.is_empty()))
    }

    /// These facts and all that they rest on.
    pub fn below(&self, names: &[String]) -> Vec<Fact> {
        let mut all: Vec<Fact> = Vec::new();
        let mut open: Vec<&str> = names.iter().map(String::as_str).collect();
        while let Some(fact) = open.pop().and_then(|name| self.get(name)) {
            if !all.iter().any(|f| f.name == fact.name) {
                open.extend(fact.because.iter().map(String::as_str));
                all.push(fact.clone());
            }
        }
        all
    }

    /// A fact is recorded, or recorded anew.
    pub(crate) fn record(&mut self, fact: &Fact) {
        self.keep(fact.clone(), false);
    }

    /// The workbench notes what it saw itself; what was recorded under the name stays.
    pub(crate) fn note(&mut self, name: &str, value: String, source: FactSource, at: Millis) {
        let name = shortened(name, NAME_CHARS);
        if self.known.get(&key(&name)).is_some_and(|k| !k.noted) {
            return;
        }
        let (because, step) = (Vec::new(), None);
        self.keep(Fact { name, value, source, because, step, at, confidence: 100, checked: true }, true);
    }

    fn keep(&mut self, fact: Fact, noted: bool) {
        self.known.insert(key(&fact.name), Known { fact, stale: None, noted });
        if self.known.len() > MOST {
            let oldest = self.known.iter().min_by_key(|(_, k)| (!k.noted, k.fact.at)).map(|(n, _)| n.clone());
            oldest.map(|name| self.known.remove(&name));
        }
    }

    pub(crate) fn forget(&mut self, name: &str) {
        self.known.remove(&key(name));
    }

    /// Whether a fact of a file is known to stand elsewhere than it was seen to, or otherwise.
    pub(crate) fn differs(&self, name: &str, at: Option<Place>) -> bool {
        let Some(known) = self.known.get(&key(name)) else { return false };
        let FactSource::File { path, line, hash, .. } = &known.fact.source else { return false };
        match at {
            Some(now) => known.stale.is_some() || now != Place { line: *line, hash: *hash },
            None => known.stale.as_ref() != Some(&gone(path)),
        }
    }

    /// Somebody looked whether a fact still stands in its file.
    pub(crate) fn looked(&mut self, name: &str, at: Option<Place>) {
        let Some(known) = self.known.get_mut(&key(name)) else { return };
        match (at, &mut known.fact.source) {
            (Some(now), FactSource::File { line, hash, .. }) => {
                (*line, *hash) = (now.line, now.hash);
                known.stale = None;
            }
            (None, FactSource::File { path, .. }) => known.stale = Some(gone(path)),
            (
                _,
                FactSource::Command { .. }
                | FactSource::Tool { .. }
                | FactSource::User
                | FactSource::Derived
                | FactSource::Model,
            ) => {}
        }
    }

    /// A file was seen with this content, or without one.
    pub(crate) fn saw(&mut self, at: &RelPath, now: Option<BlobId>) {
        for known in self.known.values_mut() {
            if let FactSource::File { path, hash, .. } = &known.fact.source
                && path == at
            {
                known.stale = (Some(*hash) != now).then(|| format!("{path} changed since"));
            }
        }
    }

    /// Files were written: what commands said before may be otherwise now, but what the one said that wrote them.
    pub(crate) fn wrote(&mut self, by: impl Fn(&str) -> bool) {
        for known in self.known.values_mut() {
            if let FactSource::Command { command, .. } = &known.fact.source
                && !by(command)
            {
                known.stale = Some(format!("files changed since `{command}` ran"));
            }
        }
    }

    /// The files are again what they were when a command ran.
    pub(crate) fn holds(&mut self, line: &str) {
        for known in self.known.values_mut() {
            if matches!(&known.fact.source, FactSource::Command { command, .. } if command == line) {
                known.stale = None;
            }
        }
    }

    /// A command ended.
    pub(crate) fn ran(&mut self, command: &str, exit: &Exit, output: Option<BlobId>, at: Millis) {
        let line = command.trim();
        if exit.ok() {
            self.green.insert(line.to_owned());
        }
        self.commands.insert(line.to_owned(), Ended { exit: exit.clone(), output });
        // What its end does not say is no fact.
        if crate::shell::ends_as_one(line) {
            let source = FactSource::Command { command: line.to_owned(), text: String::new(), output };
            self.note(line, exit.words(), source, at);
        }
    }

    pub(crate) fn speak_of(&mut self, names: &[String]) {
        self.spoken = names.to_vec();
    }
}

impl FactSource {
    /// In words, for people and models.
    pub fn words(&self) -> String {
        match self {
            Self::File { path, line, text, .. } => format!("{path}:{line} `{}`", text.trim()),
            Self::Command { command, text, .. } if text.is_empty() => format!("`$ {command}`"),
            Self::Command { command, text, .. } => format!("`$ {command}` printed \"{}\"", text.trim()),
            Self::Tool { tool, call } => format!("{} (call {})", tool, call.0),
            Self::User => "the user said so".to_owned(),
            Self::Derived => "it follows from other facts".to_owned(),
            Self::Model => "the model said so".to_owned(),
        }
    }
}

/// The name of what is known of a file's change: of a long path both ends, for it ends in the file.
pub(crate) fn change_of(path: &str) -> String {
    const OF: &str = "change of ";
    let most = NAME_CHARS - OF.len();
    let chars: Vec<char> = path.chars().collect();
    if chars.len() <= most {
        return format!("{OF}{path}");
    }
    let head = chars.iter().take(most / 2);
    let tail = chars.iter().skip(chars.len() + 1 + most / 2 - most);
    format!("{OF}{}…{}", head.collect::<String>(), tail.collect::<String>())
}

/// A text cut between two words, with a sign that it is.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    let Some((end, _)) = text.char_indices().nth(most) else { return text.to_owned() };
    let head = text.get(..end).unwrap_or_default();
    let kept = head.rsplit_once(char::is_whitespace).map_or(head, |(words, _)| words.trim_end());
    format!("{kept}…")
}

/// The first line of a text that says something.
pub(crate) fn first_line(text: &str) -> &str {
    text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default()
}

/// What a name is known by: case and blanks do not count.
fn key(name: &str) -> String {
    name.trim().to_lowercase()
}

fn gone(path: &RelPath) -> String {
    format!("{path} no longer says so")
}
