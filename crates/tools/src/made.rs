//! Which folders a tool makes again, for certain: nothing is asked about them, and nothing of them is saved.
//!
//! Owns what shows it. A name that people use as well is not enough, nor is a mark that may have been put there since.

use std::{path::Path, time::SystemTime};

use pilothouse_core::shell;

use crate::{regular, stamp::Stamp};

/// How the mark of a cache begins (bford.info/cachedir).
const CACHE: &[u8] = b"Signature: 8a477f597d28d172789f06886806bc55";
/// A longer mark is none.
const MOST_BYTES: u64 = 64 * 1024;

/// Whether a tool makes a folder again; `since` is when that could still be faked: a mark must be older.
pub(crate) fn is_made_again(folder: &Path, since: Option<SystemTime>) -> bool {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let signs = shell::signs(&name);
    let beside = |name: &&str| folder.parent().is_some_and(|at| is_file(&at.join(name)));
    if shell::makes_again(&name) {
        return signs.is_none_or(|signs| {
            signs.beside.iter().any(beside) || signs.within.iter().any(|name| is_file(&folder.join(name)))
        });
    }
    let older = |mark: &Path| Stamp::at(mark).zip(since).is_some_and(|(mark, since)| mark.changed() < since);
    let within = signs.map_or(&[][..], |signs| signs.within);
    within.iter().map(|name| folder.join(name)).any(|mark| is_file(&mark) && older(&mark))
        || is_cache(folder).is_some_and(|mark| older(&mark))
        || is_environment(folder).is_some_and(|mark| older(&mark))
}

/// The mark of a cache in a folder.
fn is_cache(folder: &Path) -> Option<std::path::PathBuf> {
    let mark = folder.join("CACHEDIR.TAG");
    regular::read_in_place(&mark, MOST_BYTES).is_ok_and(|text| text.starts_with(CACHE)).then_some(mark)
}

/// The mark of an environment of Python.
fn is_environment(folder: &Path) -> Option<std::path::PathBuf> {
    let mark = folder.join("pyvenv.cfg");
    let programs = ["bin", "Scripts"].map(|name| folder.join(name));
    let has = programs.iter().any(|at| Stamp::at(at).is_some_and(Stamp::is_folder));
    let text = regular::read_in_place(&mark, MOST_BYTES).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let home = |line: &str| line.split_once('=').is_some_and(|(key, _)| key.trim() == "home");
    (has && text.lines().any(home)).then_some(mark)
}

fn is_file(path: &Path) -> bool {
    Stamp::at(path).is_some_and(|stamp| stamp.is_file() && stamp.size > 0)
}
