//! Ordinary code is left alone: what the redactor marks in this repository and in the example, or in
//! the folder that `ORDINARY` names.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)]

use crate::support;
use std::path::{Path, PathBuf};

use pilothouse_core::redact::Redactor;
use support::alone::tell;

/// Texts that hold secrets on purpose: the rules with their examples, and tests that show what becomes
/// of a secret. What these use is told apart by its letters.
const ON_PURPOSE: [&str; 2] = ["crates/core/src/redact/", "crates/pilothouse/tests/secrets"];
const MADE_UP: [&str; 9] = [
    "abcdefgh",
    "9aB8cD7eF6gH5iJ4",
    "4fJq0Zx81LmNwPq7",
    "hunter2",
    "4f8Qz1LmN7xT2vB9",
    "s3same-Str33t",
    "3f2b8c1e-9d4a",
    "birch-at-noon-7",
    "letmein",
];

fn texts(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            if !["target", ".git"].contains(&name.as_str()) {
                texts(&path, found);
            }
        } else {
            found.push(path);
        }
    }
}

#[test]
fn ordinary_code_holds_no_marks() {
    let root = std::env::var_os("ORDINARY")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."), PathBuf::from);
    let mut all = Vec::new();
    texts(&root, &mut all);
    let (mut files, mut lines, mut marks) = (0, 0, Vec::new());
    for path in all {
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let name = path.strip_prefix(&root).unwrap().to_string_lossy().into_owned();
        if ON_PURPOSE.iter().any(|p| name.starts_with(p)) {
            continue;
        }
        files += 1;
        lines += text.lines().count();
        for s in Redactor::default().secrets_of_file(&name, &text) {
            if MADE_UP.iter().any(|m| text[s.start..s.end].contains(m)) {
                continue;
            }
            let line = text[..s.start].matches('\n').count() + 1;
            marks.push(format!("{name}:{line}: {:?} {}", s.kind, &text[s.start..s.end]));
        }
    }
    tell(&format!("checked={files} lines={lines} marked={}", marks.len()));
    // Somewhere else there may be real ones: they are shown, not judged.
    if std::env::var_os("ORDINARY").is_some() {
        return tell(&marks.join("\n"));
    }
    assert!(files > 300, "{files}");
    assert!(marks.is_empty(), "{}", marks.join("\n"));
}
