//! Phrases that a model resolved, kept for the user's review: suggested, never learned.
//!
//! Owns the file `exemplars.pending.yaml`. A phrase that holds a secret is not kept, and a file that
//! the user broke is never written over.

use std::path::{Path, PathBuf};

use pilothouse_core::intent::{Exemplars, IntentPath, Section, Turn, exemplars::normal, reading::turn_names};
use pilothouse_tools::{atomic, regular};

use crate::secrets::Secrets;

/// Most phrases in the file; then the oldest go.
const MOST: usize = 300;
/// The most that their file may have, in bytes.
const MOST_BYTES: u64 = 4 * 1024 * 1024;
/// A longer message is no phrase.
const LONGEST: usize = 160;

const HEAD: &str = "# Phrases that the model resolved. Nothing is learned from them: move those that are right to\n# exemplars.yaml beside this file, and delete the rest.\n";

/// The file.
#[derive(Clone, Debug)]
pub struct Pending {
    path: PathBuf,
    secrets: Secrets,
}

impl Pending {
    /// The file at `path`, which need not be there; a phrase with one of these secrets never gets into it.
    pub fn at(path: &Path, secrets: &Secrets) -> Self {
        Self { path: path.to_owned(), secrets: secrets.clone() }
    }

    /// Adds a phrase, unless it stands there or is known already. Whether the file changed.
    ///
    /// # Errors
    /// What the file system says, or where the file that is there is wrong.
    pub fn suggest(
        &self,
        text: &str,
        class: &Turn,
        path: &IntentPath,
        known: &Exemplars,
    ) -> Result<bool, String> {
        let phrase = text.trim().to_owned();
        // What holds a secret is no phrase to learn from.
        let secret = self.secrets.mask(&phrase) != phrase;
        if secret || phrase.chars().count() > LONGEST || phrase.lines().count() != 1 {
            return Ok(false);
        }
        let same = |e: &pilothouse_core::intent::exemplars::Exemplar| normal(&e.phrase) == normal(&phrase);
        if known.entries().iter().any(same) {
            return Ok(false);
        }
        let mut all = self.read()?;
        let (turn, sub) = turn_names(class);
        let mut changed = all.add_alone(Section::Primary, turn, &phrase);
        if let Some(sub) = sub {
            changed |= all.add_alone(Section::Sub, &format!("{turn}.{sub}"), &phrase);
        }
        if !matches!(class, Turn::Control(_)) {
            changed |= all.add_alone(Section::Leaves, path.current().name(), &phrase);
        }
        if changed {
            all.forget_oldest(MOST);
            self.write(&format!("{HEAD}{}", all.to_yaml()))?;
        }
        Ok(changed)
    }

    fn read(&self) -> Result<Exemplars, String> {
        let text = regular::read(&self.path, MOST_BYTES)
            .and_then(|bytes| String::from_utf8(bytes).map_err(std::io::Error::other));
        match text {
            Ok(text) => Exemplars::parse(&text)
                .map_err(|e| format!("{}:{}:{}: {}", self.path.display(), e.line, e.column, e.message)),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(Exemplars::default()),
            Err(e) => Err(self.failed("read", &e)),
        }
    }

    fn write(&self, text: &str) -> Result<(), String> {
        let folder = self.path.parent().map_or_else(PathBuf::new, Path::to_owned);
        crate::home::make_private(&folder).map_err(|e| e.to_string())?;
        atomic::replace(&self.path, text.as_bytes(), 0o600).map_err(|e| self.failed("write", &e))
    }

    fn failed(&self, doing: &str, error: &std::io::Error) -> String {
        format!("cannot {doing} {}: {}", self.path.display(), crate::error::cause(error))
    }
}

#[cfg(test)]
mod tests;
