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

/// What is to be said of the words behind the program's name, where the first of them names no command and no folder.
pub fn told(words: &[String]) -> Option<String> {
    let first = words.first().filter(|word| !word.starts_with('-'))?;
    let command = Cli::command();
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
    let near = command
        .get_subcommands()
        .map(|c| (strsim::normalized_damerau_levenshtein(c.get_name(), first), c.get_name()))
        .filter(|(ratio, _)| *ratio >= ALIKE)
        .max_by(|a, b| a.0.total_cmp(&b.0));
    let meant = match near {
        Some((_, name)) => format!("did you mean `pilothouse {name}`?"),
        None => "`pilothouse --help` lists the commands".to_owned(),
    };
    Some(format!("there is no command or folder {first}; {meant}"))
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
        for words in [&[][..], &["run", "x"], &["src"], &["--light"], &["./nowhere"], &["~/nowhere"]] {
            assert_eq!(of(words), None, "{words:?}");
        }
    }
}
