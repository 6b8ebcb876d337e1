//! Orders that run something: a command as it is said, or the usual one with the names filled in.
//!
//! Owns which orders these are. What could not be given to a shell as it stands is put into no line.

use pilothouse_core::shell::{Role, is};

use super::{
    pattern::group,
    phrase::{BARE, BRANCH, BUILD, COMMIT, FORMAT, INSTALL, LAUNCH, LINT, MOVE, RUN, TESTS, first},
    request::{Job, Request},
    sentence::{Sentence, is_path},
};

/// Whether a word means nothing to a shell but itself.
fn is_plain(word: &str) -> bool {
    word.starts_with(|c: char| c.is_alphanumeric() || "_@./".contains(c))
        && word.chars().all(|c| c.is_alphanumeric() || "_@./+-".contains(c))
}

/// An order for which there is a usual command, with its names filled in.
pub(super) fn order(s: &Sentence) -> Option<Request> {
    let text = s.text.as_str();
    if let Some(found) = first(&LAUNCH, text) {
        let points = ["it", "this", "that"].contains(&group(&found, "x"));
        return Some(Request::Launch { points, again: found.name("again").is_some() });
    }
    if let Some(found) = first(&COMMIT, text) {
        let Some(message) = found.name("x").map(|x| s.plain(x.as_str()).replace('\'', r"'\''")) else {
            return Some(Request::Unclear(NO_MESSAGE.to_owned()));
        };
        return Some(Request::Git(format!("git commit -a -m '{message}'")));
    }
    if let Some(found) = first(&BRANCH, text) {
        let (new, old) = (s.plain(group(&found, "new")), s.plain(group(&found, "old")));
        let (flag, name) = if new.is_empty() { ("", old) } else { ("-c ", new) };
        return is_plain(&name).then(|| Request::Git(format!("git switch {flag}{name}")));
    }
    if let Some(found) = first(&MOVE, text).filter(|found| found.name("old").is_some()) {
        let (old, new) = (s.plain(group(&found, "old")), s.plain(group(&found, "new")));
        let verb = group(&found, "verb").to_lowercase();
        let copies = ["copy", "cp", "kopiere"].contains(&verb.as_str());
        let files = is_path(&old) && (is_path(&new) || verb != "rename");
        return (files && is_plain(&old) && is_plain(&new)).then_some(Request::Move { old, new, copies });
    }
    let found = first(&INSTALL, text)?;
    let token = group(&found, "x");
    // An `@` here begins a package's name, and no path.
    let package = if s.is_quoted(token) { s.plain(token) } else { s.restore(token) };
    let known = ["it", "this", "that", "dependencies", "everything"].contains(&package.as_str());
    (is_plain(&package) && !known).then_some(Request::Job(Job::Install(package)))
}

/// Said where a commit has no message.
const NO_MESSAGE: &str = "What should the message be? Say `commit \"…\"` and I'll run `git commit -a -m …` with it; you are asked first. `-a` takes every change to files git tracks; new files need `run git add FILE` first. `/commit` takes only what this session wrote.";

/// How a commit is made.
pub(super) const HOW_COMMIT: &str = "`commit \"MESSAGE\"` runs `git commit -a -m MESSAGE`, with every change to files git tracks; `run git add FILE` adds a new one first. `/commit` commits only what this session wrote. You are asked before each.";

/// A command that is said, or a job of the project.
pub(super) fn running(s: &Sentence) -> Option<Request> {
    let text = s.text.as_str();
    let jobs = [(&TESTS[..], Job::Tests), (&BUILD, Job::Build), (&LINT, Job::Lint), (&FORMAT, Job::Format)];
    if let Some((_, job)) = jobs.into_iter().find(|(set, _)| first(set, text).is_some()) {
        return Some(Request::Job(job));
    }
    let command = match first(&RUN, text) {
        Some(found) => {
            let token = group(&found, "x");
            let known = is_line(token) || text.starts_with('!');
            if !s.is_quoted(token) && !known && token.contains(' ') {
                return Some(Request::Unclear(format!(
                    "I'm not sure \"{}\" is a command. Put the command line in backticks: run `…`.",
                    s.restore(token)
                )));
            }
            if s.is_quoted(token) { s.plain(token) } else { s.restore(token) }
        }
        None if is_line(text) => s.restore(text),
        None => return None,
    };
    Some(Request::Job(Job::Command(command)))
}

/// Whether a text is a command line as it stands.
fn is_line(text: &str) -> bool {
    let first = text.split_whitespace().next().unwrap_or("").to_lowercase();
    let script = first.strip_prefix("./").is_some_and(|name| !name.is_empty());
    script || is(&first, Role::Project) || has_option(text) || BARE.iter().any(|p| p.is_match(text))
}

/// Whether the second word of a text is an option, so that the first is a program's name.
fn has_option(text: &str) -> bool {
    const SAID: [&str; 18] = [
        "is", "are", "does", "do", "what", "how", "why", "where", "when", "explain", "describe", "find",
        "search", "show", "list", "add", "remove", "use",
    ];
    let mut words = text.split_whitespace();
    let plain = |c: char| c.is_ascii_alphanumeric() || "_.+-".contains(c);
    let program = words.next().is_some_and(|w| {
        let named = w.starts_with(|c: char| c.is_ascii_lowercase()) && w.chars().all(plain);
        named && !SAID.contains(&w)
    });
    let option = words.next().and_then(|w| w.strip_prefix('-')).map(|w| w.trim_start_matches('-'));
    program && option.is_some_and(|w| w.starts_with(|c: char| c.is_ascii_alphanumeric()))
}
