//! The lines that are not as they were committed last.
//!
//! Owns their text alone, by which names are found again; whose they are and what they mean is asked elsewhere.

use std::path::Path;

use super::ask;
use crate::regular;

/// Most bytes of a file that git does not know which are read.
const NEW_BYTES: u64 = 1024 * 1024;

/// The lines that came into these files since the last commit, each after a `+`, and those that went, each after a `-`, as
/// far as they can be read; of all files where none is named.
pub async fn changed_lines(folder: &Path, files: &[&str]) -> String {
    let of = |args: &[&'static str]| -> Vec<String> {
        args.iter().chain(&["--"]).chain(files).map(|arg| (*arg).to_owned()).collect()
    };
    let differs = of(&[
        "--literal-pathspecs",
        "diff",
        "--unified=0",
        "--no-color",
        "--no-ext-diff",
        "--no-textconv",
        "--no-renames",
        "HEAD",
    ]);
    let new = of(&["--literal-pathspecs", "ls-files", "--others", "--exclude-standard", "-z"]);
    let (differs, new) = tokio::join!(asked(folder, &differs), asked(folder, &new));
    let mut text = String::new();
    for line in differs.lines().filter(|line| line.starts_with(['+', '-'])) {
        text.push_str(line);
        text.push('\n');
    }
    for file in new.split('\0').filter(|file| !file.is_empty()) {
        let Ok(bytes) = regular::read_in_place(&folder.join(file), NEW_BYTES) else { continue };
        for line in String::from_utf8_lossy(&bytes).lines() {
            text.push_str(&format!("+{line}\n"));
        }
    }
    text
}

async fn asked(folder: &Path, args: &[String]) -> String {
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    String::from_utf8_lossy(&ask(folder, &args).await.unwrap_or_default()).into_owned()
}
