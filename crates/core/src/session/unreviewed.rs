//! Files that the agent wrote or fetched in this session and that nobody looked at.
//!
//! Owns the set and which of them a line would run. Never asks: the weighing of a command does, with this.

use std::collections::BTreeSet;

use crate::shell::{self, Act};

/// Paths relative to the workspace, or absolute; a folder stands for what is below it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unreviewed(BTreeSet<String>);

impl Unreviewed {
    /// A file was written and nobody was asked.
    pub(super) fn wrote(&mut self, path: &str) {
        self.0.insert(path.to_owned());
    }

    /// The user took what is in a file now.
    pub(super) fn took(&mut self, path: &str) {
        self.0.remove(path);
    }

    /// A command begins. Of one that was asked about the user saw what it writes and runs, never what it fetches.
    pub(super) fn began(&mut self, line: &str, folder: &str, asked: bool) {
        let reading = shell::read(line);
        if asked {
            for path in reading.runs.iter().flat_map(|run| run.places(folder)) {
                self.0.remove(&path);
            }
        } else {
            let written = reading.uses.iter().filter(|used| used.act == Act::Write && !used.wild);
            self.0.extend(written.flat_map(|used| used.places(folder)));
        }
        let fetched = reading.fetched.iter().filter(|path| !path.is_empty());
        self.0.extend(fetched.filter_map(|path| shell::settled(&[folder, path])));
    }

    /// The first of them that a line would run, or take its orders from.
    pub fn run_by(&self, line: &str, folder: &str) -> Option<String> {
        if self.0.is_empty() {
            return None;
        }
        let runs = shell::read(line).runs;
        runs.iter().flat_map(|run| run.places(folder)).find(|path| self.holds(path))
    }

    fn holds(&self, path: &str) -> bool {
        let above = path.match_indices('/').filter_map(|(at, _)| path.get(..at));
        above.chain([path]).any(|path| self.0.contains(path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_unasked_is_known_when_a_later_line_runs_it() {
        for (first, then, found) in [
            ("tee a.sh <<< ls", "bash ./a.sh", Some("a.sh")),
            ("cd sub && echo ls > a.sh", "sub/a.sh", Some("sub/a.sh")),
            ("curl -o Makefile https://x.example", "make test", Some("Makefile")),
            ("sed -i s/a/b/ package.json", "npm test", Some("package.json")),
            ("git clone https://x.example/y", "cd y && ./run.sh", Some("y/run.sh")),
            ("git clone https://x.example/y", "python3 y/z.py", Some("y/z.py")),
            ("echo x > conftest.py", "pytest -q", Some("conftest.py")),
            ("cp /etc/hostname /tmp/a.sh", "sh /tmp/a.sh", Some("/tmp/a.sh")),
            ("echo x > notes.txt", "cat notes.txt", None),
            ("sed -i s/a/b/ src/a.rs", "cargo test", None),
            ("echo x > a.sh", "bash b.sh", None),
        ] {
            let mut files = Unreviewed::default();
            files.began(first, "", false);
            assert_eq!(files.run_by(then, "").as_deref(), found, "{first}; {then}");
        }
    }

    #[test]
    fn what_the_user_was_asked_about_was_seen_but_not_what_it_fetched() {
        let mut files = Unreviewed::default();
        files.began("echo ls > a.sh; curl -o b.sh https://x.example", "sub", true);
        assert_eq!(files.run_by("sh a.sh", "sub"), None);
        assert_eq!(files.run_by("sh b.sh", "sub").as_deref(), Some("sub/b.sh"));
        files.began("sh b.sh", "sub", true);
        assert_eq!(files.run_by("sh b.sh", "sub"), None);
        files.wrote("Makefile");
        assert!(files.run_by("make", "").is_some());
        files.took("Makefile");
        assert_eq!(files.run_by("make", ""), None);
    }
}
