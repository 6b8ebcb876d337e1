//! Environments that lie in a project: folders with programs of its own, which go before those of the machine.
//!
//! Owns which of them are there, and how a line names a program of one. Never looks into what they hold.

use std::{
    borrow::Cow,
    path::{Path, PathBuf},
};

use super::{
    Grounds,
    commands::{KNOWLEDGE, runs},
};

/// A folder where an environment may be, as the list has it.
#[derive(Clone, Debug)]
pub(super) struct Kept {
    folder: &'static str,
    /// The program that shows that it is one.
    sign: &'static str,
    /// Programs that only know the project's packages where they stand in it.
    bound: Vec<&'static str>,
}

impl Kept {
    pub(super) fn read(line: &'static str) -> Option<Self> {
        let mut words = line.split_whitespace();
        Some(Self { folder: words.next()?, sign: words.next()?, bound: words.collect() })
    }

    /// Where it would be; none where the variable that names it is not set.
    fn place(&self, grounds: &Grounds<'_>) -> Option<PathBuf> {
        let Some(rest) = self.folder.strip_prefix('$') else { return Some(grounds.root.join(self.folder)) };
        let (_, below) = rest.split_once('/')?;
        let active = Path::new(grounds.environment?);
        active.is_absolute().then(|| active.join(below))
    }
}

/// Where a program stands.
pub(super) enum Found {
    /// In an environment, by this name in a line.
    There(String),
    /// Not in the environment that it would have to be of; in words.
    Lacking(String),
    /// Where the machine has it, if it has.
    Elsewhere,
}

/// The environments of a project, of each kind the one that counts.
#[derive(Debug, Default)]
pub(super) struct Environments(Vec<(&'static Kept, PathBuf, String)>);

impl Environments {
    /// Those that are there. One that the user's shell is in goes first, unless it lies elsewhere: then it may be another
    /// project's.
    pub(super) fn of(grounds: &Grounds<'_>) -> Self {
        let place = |kept: &'static Kept| Some((kept, kept.place(grounds)?));
        let mut all: Vec<_> = KNOWLEDGE.environments.iter().filter_map(place).collect();
        all.sort_by_key(|(_, place)| !place.starts_with(grounds.root));
        let mut own = Self::default();
        for (kept, place) in all {
            let known = own.0.iter().any(|(other, ..)| other.sign == kept.sign);
            if !known && runs(&place.join(kept.sign)) {
                let spelled = spelled(&place, grounds);
                own.0.push((kept, place, spelled));
            }
        }
        own
    }

    /// The folders that are looked at, for who looks whether they changed.
    pub(super) fn folders(grounds: &Grounds<'_>) -> Vec<PathBuf> {
        KNOWLEDGE.environments.iter().filter_map(|kept| kept.place(grounds)).collect()
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn find(&self, name: &str) -> Found {
        if let Some((.., spelled)) = self.0.iter().find(|(_, place, _)| runs(&place.join(name))) {
            return Found::There(quoted(&format!("{spelled}{name}")).into_owned());
        }
        let bound = |(kept, ..): &&(&Kept, PathBuf, String)| kept.sign == name || kept.bound.contains(&name);
        match self.0.iter().find(bound) {
            Some((.., spelled)) => Found::Lacking(format!("{spelled}{name}")),
            None => Found::Elsewhere,
        }
    }
}

/// What stands before a program of that folder in a line: nothing where the user's shell finds it there by its name.
fn spelled(place: &Path, grounds: &Grounds<'_>) -> String {
    match place.strip_prefix(grounds.root) {
        Ok(inside) => format!("{}/", inside.display()),
        Err(_) if std::env::split_paths(grounds.path).next().is_some_and(|first| first == place) => {
            String::new()
        }
        Err(_) => format!("{}/", place.display()),
    }
}

/// A path as a word of a line.
fn quoted(path: &str) -> Cow<'_, str> {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | '+' | '@');
    if path.chars().all(plain) {
        Cow::Borrowed(path)
    } else {
        Cow::Owned(format!("'{}'", path.replace('\'', "'\\''")))
    }
}
