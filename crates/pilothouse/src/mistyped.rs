//! A first word that is neither a command nor a folder: what was meant, as far as that can be told.
//!
//! Owns the words for it. Never decides what a command takes.

use std::path::Path;

use clap::CommandFactory;

use crate::cli::Cli;

/// From this likeness on a command is taken to be meant.
const ALIKE: f64 = 0.5;

/// What other programs call it that something is asked of a model.
const ASKS: [&str; 7] = ["ask", "chat", "do", "exec", "prompt", "query", "say"];

/// What other programs call what a command of a command does here.
const OTHERS: [(&str, &str); 4] = [
    ("history", "sessions list"),
    ("log", "sessions show"),
    ("login", "auth set"),
    ("logout", "auth remove"),
];

/// Most commands of commands that are said to have been meant.
const MOST_MEANT: usize = 3;

/// What is to be said of the words behind the program's name, where the first of them names no command and no folder.
pub fn told(words: &[String]) -> Option<String> {
    let first = words.first().filter(|word| !word.starts_with('-'))?;
    let command = Cli::command();
    if let Some(said) = searched(&command, words) {
        return Some(said);
    }
    let mut names = command.get_subcommands().map(clap::Command::get_name);
    let path = first.contains(['/', '\\']) || first.starts_with(['.', '~']);
    if path || names.any(|name| name == first || name == "help") || Path::new(first).is_dir() {
        return None;
    }
    if first.contains(char::is_whitespace) {
        return Some(format!(
            "\"{first}\" is not a folder; `pilothouse run \"{first}\"` does it without a screen"
        ));
    }
    if ASKS.contains(&first.as_str()) {
        let order = words.get(1..).unwrap_or_default().join(" ");
        let order = if order.is_empty() { "WHAT".to_owned() } else { order.replace('"', "\\\"") };
        return Some(format!(
            "there is no command {first}; `pilothouse run \"{order}\"` does it without a screen"
        ));
    }
    let meant = match meant(&command, first).as_slice() {
        [] => "`pilothouse --help` lists the commands".to_owned(),
        all => format!("did you mean {}?", all.join(" or ")),
    };
    Some(format!("there is no command or folder {first}; {meant}"))
}

/// The commands that a word may have stood for, as they are typed: what other programs call so, what a command has below it
/// by this name, else what is spelt alike.
fn meant(command: &clap::Command, word: &str) -> Vec<String> {
    let shown = |name: &str| format!("`pilothouse {name}`");
    if let Some((_, name)) = OTHERS.iter().find(|(other, _)| *other == word) {
        return vec![shown(name)];
    }
    let below = command.get_subcommands().filter(|c| c.find_subcommand(word).is_some());
    let below: Vec<String> =
        below.map(|c| shown(&format!("{} {word}", c.get_name()))).take(MOST_MEANT).collect();
    if !below.is_empty() {
        return below;
    }
    let ratio = |name: &str| strsim::normalized_damerau_levenshtein(name, word);
    let all = command.get_subcommands().map(|c| (ratio(c.get_name()), c.get_name()));
    let near = all.filter(|(ratio, _)| *ratio >= ALIKE).max_by(|a, b| a.0.total_cmp(&b.0));
    near.into_iter().map(|(_, name)| shown(name)).collect()
}

/// What is to be said where a phrase stands in the place of a command's own command, and that command searches.
fn searched(command: &clap::Command, words: &[String]) -> Option<String> {
    let [first, phrase, ..] = words else { return None };
    let below = command.find_subcommand(first)?;
    below.find_subcommand("search").filter(|_| phrase.contains(char::is_whitespace))?;
    let quoted = phrase.replace('"', "\\\"");
    Some(format!("{first} takes a command first; `pilothouse {first} search \"{quoted}\"` looks for it"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mistyped_word_is_told_with_what_was_meant() {
        let of = |words: &[&str]| told(&words.iter().map(|w| (*w).to_owned()).collect::<Vec<_>>());
        for (words, said) in [
            (&["rum"][..], "there is no command or folder rum; did you mean `pilothouse run`?"),
            (
                &["sesions", "list"],
                "there is no command or folder sesions; did you mean `pilothouse sessions`?",
            ),
            (
                &["ask", "where is Store?"],
                "there is no command ask; `pilothouse run \"where is Store?\"` does it without a screen",
            ),
            (&["export"], "there is no command or folder export; did you mean `pilothouse sessions export`?"),
            (&["log"], "there is no command or folder log; did you mean `pilothouse sessions show`?"),
            (
                &["test"],
                "there is no command or folder test; did you mean `pilothouse sources test` or `pilothouse models test`?",
            ),
            (
                &["kb", "where are retries counted?"],
                "kb takes a command first; `pilothouse kb search \"where are retries counted?\"` looks for it",
            ),
            (&["chat"], "there is no command chat; `pilothouse run \"WHAT\"` does it without a screen"),
            (
                &["xyzzy", "where is Store?"],
                "there is no command or folder xyzzy; `pilothouse --help` lists the commands",
            ),
            (
                &["where is Store?"],
                "\"where is Store?\" is not a folder; `pilothouse run \"where is Store?\"` does it without a screen",
            ),
        ] {
            assert_eq!(of(words).as_deref(), Some(said), "{words:?}");
        }
        for words in [
            &[][..],
            &["run", "x"],
            &["kb", "search", "a b"],
            &["run", "where is x?"],
            &["kb", "status"],
            &["src"],
            &["--light"],
            &["./nowhere"],
            &["~/nowhere"],
        ] {
            assert_eq!(of(words), None, "{words:?}");
        }
    }
}
