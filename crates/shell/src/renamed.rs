//! Files that a line puts under another name, followed to what they are.
//!
//! Owns which name stands for which file. Never looks at the disk: only what the line itself does is known.

use super::args::Args;
use super::command::is_known;
use super::expand::{Field, UNKNOWN};
use super::knowledge::list;
use super::programs::{Dest, Program};
use super::walk::Walker;

/// Most names that are followed in a line.
const MAX_NAMES: usize = 256;

fn plain(path: &str) -> &str {
    path.trim_start_matches("./").trim_end_matches('/')
}

fn base(path: &str) -> &str {
    path.trim_end_matches('/').rsplit('/').next().unwrap_or(path)
}

/// What is git under another name: its commands are programs of their own as well, and `hub` hands it what it does not know.
pub(super) fn as_git(name: &str, located: bool, argv: &[Field]) -> Option<Vec<Field>> {
    let (first, rest) = argv.split_first()?;
    let sub = name.strip_prefix("git-").filter(|sub| !sub.is_empty() && !is_known(name));
    let handed = name == "hub" && rest.first().is_some_and(|f| list("git alone").contains(&f.text.as_str()));
    let words: Vec<Field> = match sub {
        Some(sub) => [first.with("git"), first.with(sub)].into_iter().chain(rest.iter().cloned()).collect(),
        None if handed => std::iter::once(first.with("git")).chain(rest.iter().cloned()).collect(),
        None => return None,
    };
    (!located).then_some(words)
}

impl Walker<'_> {
    /// Notes what a copy, move or link makes of its operands, and what a new pipe is.
    pub(super) fn note_renamed(&mut self, program: &Program, name: &str, args: &Args) {
        if matches!(name, "mkfifo" | "mknod") {
            self.derived.extend(args.operands.iter().map(|f| f.text.clone()));
            return;
        }
        let into = args.opt(&["-t", "--target-directory"]).and_then(|opt| opt.value.clone());
        let moves = program.moves || program.dest == Dest::Copy || program.dest == Dest::Last;
        let (sources, target) = match (&into, args.operands.as_slice()) {
            (Some(folder), sources) => (sources, folder),
            (None, [sources @ .., target]) if !sources.is_empty() => (sources, target),
            (None, _) => return,
        };
        if !moves || target.unknown() {
            return;
        }
        for source in sources {
            let inside = format!("{}/{}", plain(&target.text), base(&source.text));
            for made in [plain(&target.text).to_owned(), inside] {
                self.inherit(&source.text, &made);
                if self.renamed.len() < MAX_NAMES {
                    let real = self.real_name(&source.text).unwrap_or(&source.text).to_owned();
                    self.renamed.push((made, real));
                }
            }
        }
    }

    /// What the line knows of a file holds under its new name too.
    fn inherit(&mut self, source: &str, made: &str) {
        let same = |other: &String| plain(other) == plain(source);
        if self.fetched.iter().any(same) {
            self.fetched.push(made.to_owned());
        }
        if self.derived.iter().any(same) {
            self.derived.push(made.to_owned());
        }
        if let Some(text) = self.written.iter().find(|(name, _)| same(name)).map(|(_, text)| text.clone()) {
            self.written.insert(made.to_owned(), text);
        }
    }

    /// The file that a name stands for, if the line made the name.
    pub(super) fn real_name(&self, path: &str) -> Option<&str> {
        self.renamed.iter().rev().find(|(made, _)| made == plain(path)).map(|(_, source)| source.as_str())
    }

    /// The path that one stands for whose beginning the line made.
    pub(super) fn real_path(&self, path: &str) -> Option<String> {
        let path = plain(path);
        self.renamed.iter().rev().find_map(|(made, source)| {
            let rest =
                path.strip_prefix(made.as_str()).filter(|rest| rest.is_empty() || rest.starts_with('/'))?;
            (source.starts_with(".git") || source.contains("/.git")).then(|| format!("{source}{rest}"))
        })
    }

    /// The program that a path runs, if the line gave it that name: the command as it is.
    pub(super) fn resolve_alias(&mut self, argv: &[Field]) -> Option<Vec<Field>> {
        let (first, rest) = argv.split_first()?;
        first.text.rsplit_once('/').filter(|(folder, _)| !list("program folders").contains(folder))?;
        let real = self.real_name(&first.text)?.to_owned();
        let (folder, _) = real.rsplit_once('/').unwrap_or(("", &real));
        if real.contains(UNKNOWN) {
            self.hit("computed-program", first.span);
            return None;
        }
        if !list("program folders").contains(&folder) {
            return None;
        }
        self.hit("disguise", first.span);
        let mut command = vec![Field { text: real, ..first.clone() }];
        command.extend_from_slice(rest);
        Some(command)
    }
}
