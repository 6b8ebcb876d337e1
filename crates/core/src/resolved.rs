//! What the words of a command mean on this machine, at the moment at which it is shown.
//!
//! Owns the vocabulary and the comparison with a later moment. Never looks at a file: the tools do, before a question
//! can be answered and again before what was allowed begins.

use serde::{Deserialize, Serialize};

use crate::{blob::BlobId, shell};

/// Something that a command makes run or runs in, and what it really is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Thing {
    /// As the line names it; empty where only a file that it runs does.
    pub name: String,
    /// Where it really is; empty when there is none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub path: String,
    /// The hash of that place and of what is there.
    pub of: BlobId,
}

/// Why nothing is lost by a command whose words alone would say so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unlost {
    /// What it reaches for the sandbox holds back: other programs, the values of secrets.
    Held,
    /// Tools make again what it removes, and git ignores it.
    MadeAgain,
    /// An undo brings it back.
    Undone,
}

impl Unlost {
    /// In words, for people.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Held => "nothing: the sandbox holds it back",
            Self::MadeAgain => "nothing that cannot be rebuilt",
            Self::Undone => "nothing that /undo cannot bring back",
        }
    }

    /// The same in few words, beside the risk.
    pub const fn briefly(self) -> &'static str {
        match self {
            Self::Held => "the sandbox holds it",
            Self::MadeAgain => "tools rebuild it",
            Self::Undone => "/undo brings it back",
        }
    }
}

/// Told where it runs other files than before.
const OTHERS: &str = "the files it runs have changed";

/// What a command means.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResolvedCommand {
    /// The folder that it starts in.
    pub folder: Thing,
    /// The programs that it names, and the files which say what those do, in its order.
    pub runs: Vec<Thing>,
    /// The hash of every variable that it gets.
    pub environment: BlobId,
    /// Why nothing is lost by it, where its words alone would say so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unlost: Option<Unlost>,
}

impl ResolvedCommand {
    /// The hash of what is shown, with what it means.
    pub fn bind(&self, shown: BlobId) -> BlobId {
        let all = std::iter::once(&self.folder).chain(&self.runs).map(|t| t.of.to_string());
        let unlost = self.unlost.map(|u| u.words().to_owned());
        let all: Vec<String> =
            all.chain([self.environment.to_string(), shown.to_string()]).chain(unlost).collect();
        BlobId::of(all.join("\0").as_bytes())
    }

    /// What is not as it was any more, in words; `None` when all is.
    pub fn differs(&self, now: &Self) -> Option<String> {
        if self.folder.of != now.folder.of {
            return Some("the folder it runs in has changed".to_owned());
        }
        if let Some((was, is)) = self.runs.iter().zip(&now.runs).find(|(was, is)| was.of != is.of) {
            return Some(match (was.path.is_empty(), is.path.is_empty()) {
                _ if was.name.is_empty() && is.name.is_empty() && was.path != is.path => OTHERS.to_owned(),
                _ if was.name.is_empty() != is.name.is_empty() => OTHERS.to_owned(),
                // Several of which only one hash is known.
                (true, true) => OTHERS.to_owned(),
                (false, true) => format!("{} no longer exists", was.name),
                (true, false) => format!("{} is now {}; there was none", is.name, is.path),
                (false, false) if was.path == is.path => format!("{} was changed", is.path),
                (false, false) => format!("{} was {} and is now {}", is.name, was.path, is.path),
            });
        }
        if self.runs.len() != now.runs.len() {
            return Some(OTHERS.to_owned());
        }
        if self.environment != now.environment {
            return Some("the variables it gets have changed".to_owned());
        }
        let lost = self.unlost.is_some_and(|was| now.unlost.is_none_or(|is| is > was));
        lost.then(|| "it would now destroy more".to_owned())
    }

    /// Where its programs are, as far as that is not what everybody expects: each as `name: path`.
    pub fn places(&self) -> Vec<String> {
        let mut all: Vec<String> = Vec::new();
        for thing in self.runs.iter().filter(|thing| !thing.name.is_empty()) {
            let text = match thing.path.as_str() {
                "" if shell::is_builtin(&thing.name) => continue,
                "" => format!("{}: not found", thing.name),
                path if thing.name.strip_prefix("./").unwrap_or(&thing.name) == path => thing.name.clone(),
                path => format!("{}: {path}", thing.name),
            };
            if !all.contains(&text) {
                all.push(text);
            }
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn thing(name: &str, path: &str, of: &str) -> Thing {
        Thing { name: name.into(), path: path.into(), of: BlobId::of(of.as_bytes()) }
    }

    fn meant(folder: &str, runs: &[(&str, &str)], environment: &str) -> ResolvedCommand {
        let runs = runs.iter().map(|(path, of)| thing("make", path, of)).collect();
        ResolvedCommand {
            folder: thing("", "/w", folder),
            runs,
            environment: BlobId::of(environment.as_bytes()),
            unlost: None,
        }
    }

    #[test]
    fn every_difference_is_told_and_moves_the_hash() {
        let was = meant("w", &[("/bin/make", "1")], "e");
        assert_eq!(was.differs(&was.clone()), None);
        for (is, told) in [
            (meant("x", &[("/bin/make", "1")], "e"), "the folder it runs in has changed"),
            (meant("w", &[("/bin/make", "2")], "e"), "/bin/make was changed"),
            (meant("w", &[("/tmp/make", "3")], "e"), "make was /bin/make and is now /tmp/make"),
            (meant("w", &[("", "4")], "e"), "make no longer exists"),
            (meant("w", &[], "e"), "the files it runs have changed"),
            (meant("w", &[("/bin/make", "1")], "f"), "the variables it gets have changed"),
        ] {
            assert_eq!(was.differs(&is).as_deref(), Some(told));
            let shown = BlobId::of(b"shown");
            assert_ne!(was.bind(shown), is.bind(shown), "{told}");
        }
    }

    #[test]
    fn what_would_be_lost_by_now_is_a_difference_and_what_would_not_is_none() {
        let meant = |unlost| ResolvedCommand { unlost, ..meant("w", &[], "e") };
        let order = [Some(Unlost::Held), Some(Unlost::MadeAgain), Some(Unlost::Undone), None];
        for (at, was) in order.into_iter().enumerate() {
            for (then, now) in order.into_iter().enumerate() {
                let told = meant(was).differs(&meant(now));
                assert_eq!(told.is_some(), then > at, "{was:?} {now:?}");
                let shown = BlobId::of(b"shown");
                assert_eq!(meant(was).bind(shown) == meant(now).bind(shown), at == then);
            }
        }
    }
}
