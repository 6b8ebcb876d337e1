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
#[allow(clippy::unwrap_used)]
mod tests {
    use std::fs;

    use pilothouse_core::intent::{Control, IntentNode, QuerySub};

    use super::*;

    fn suggest(p: &Pending, text: &str) -> bool {
        let path = IntentPath::to(IntentNode::Modify);
        p.suggest(text, &Turn::PlanNew(None), &path, Exemplars::builtin()).unwrap()
    }

    #[test]
    fn what_is_no_file_in_its_place_is_not_waited_for() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("exemplars.pending.yaml");
        let kind = rustix::fs::FileType::Fifo;
        rustix::fs::mknodat(rustix::fs::CWD, &path, kind, rustix::fs::Mode::RWXU, 0).unwrap();
        let pending = Pending::at(&path, &Secrets::default());
        let to = IntentPath::to(IntentNode::Modify);
        let why = pending.suggest("give it a polish", &Turn::PlanNew(None), &to, Exemplars::builtin());
        assert!(why.unwrap_err().contains("it is no regular file"));
    }

    #[test]
    fn a_phrase_is_suggested_once_and_can_be_moved_as_it_stands() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("config/exemplars.pending.yaml");
        let pending = Pending::at(&path, &Secrets::default());
        assert!(suggest(&pending, "give the thing a polish"));
        assert!(!suggest(&pending, "Give the thing  a polish!"));
        let known = Exemplars::builtin().entries().first().unwrap().phrase.clone();
        assert!(!suggest(&pending, &known), "{known}");
        assert!(!suggest(&pending, "two\nlines") && !suggest(&pending, &"word ".repeat(60)));
        let cancel = Turn::Control(Control::Cancel);
        assert!(
            pending
                .suggest("hold it right there", &cancel, &IntentPath::root(), &Exemplars::default())
                .unwrap()
        );
        let text = fs::read_to_string(&path).unwrap();
        let set = Exemplars::parse(&text).unwrap();
        let all: Vec<_> = set.iter().collect();
        assert!(all.contains(&("leaves", "modify", "give the thing a polish")), "{text}");
        assert!(all.contains(&("sub", "control.cancel", "hold it right there")), "{text}");
        assert!(text.starts_with("# Phrases that the model resolved."));
    }

    #[test]
    fn a_phrase_stands_under_the_intent_that_it_was_resolved_to_last_and_under_no_other() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("p.yaml");
        let pending = Pending::at(&path, &Secrets::default());
        let query = Turn::Query(Some(QuerySub::Summary));
        for (turn, node) in [(&Turn::PlanNew(None), IntentNode::Modify), (&query, IntentNode::Read)] {
            let path = IntentPath::to(node);
            assert!(pending.suggest("the wording stuff", turn, &path, &Exemplars::default()).unwrap());
        }
        let set = Exemplars::parse(&fs::read_to_string(&path).unwrap()).unwrap();
        let mut all: Vec<_> = set.iter().map(|(section, name, _)| (section, name)).collect();
        all.sort_unstable();
        assert_eq!(all, [("leaves", "read"), ("primary", "query"), ("sub", "query.summary")]);
    }

    #[test]
    fn secrets_do_not_reach_the_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("p.yaml");
        let pending = Pending::at(&path, &Secrets::default());
        assert!(!suggest(&pending, "put sk-proj-4f8Qz1LmN7xT2vB9cR3kW6yH5jD0aG where it belongs"));
        assert!(!path.exists());
    }

    #[test]
    fn the_file_stays_small_and_a_broken_one_is_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("p.yaml");
        let pending = Pending::at(&path, &Secrets::default());
        for n in 0..MOST {
            suggest(&pending, &format!("do thing number {n} of the many"));
        }
        let set = Exemplars::parse(&fs::read_to_string(&path).unwrap()).unwrap();
        assert_eq!(set.entries().len(), MOST);
        assert!(set.exact("do thing number 299 of the many").count() == 2);
        fs::write(&path, "leaves:\n  oops\n").unwrap();
        let path_of = IntentPath::to(IntentNode::Modify);
        let e =
            pending.suggest("another one", &Turn::PlanNew(None), &path_of, Exemplars::builtin()).unwrap_err();
        assert!(e.contains("p.yaml:2:"), "{e}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "leaves:\n  oops\n");
    }
}
