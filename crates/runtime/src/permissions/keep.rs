//! Adding a rule to the user's file.
//!
//! Owns the writing: what stands in the file stays as it is, byte for byte, comments included; a rule is added at its
//! end. Never writes a file that could not be read back.

use std::path::Path;

use pilothouse_core::policy::{Places, Rule, Source};

use super::file;
use crate::{error::RuntimeError, own};

/// Adds these rules to the file at `path` unless they stand in it already.
///
/// # Errors
/// When the file is there and cannot be used, or cannot be written; then it is as it was.
pub fn keep(path: &Path, rules: &[Rule], note: &str, places: &Places) -> Result<(), RuntimeError> {
    let before = own::text(path)?.unwrap_or_default();
    let shown = path.to_string_lossy();
    let old = file::parse(&before, Source::User, path, &shown, Some(places))?;
    let fresh: Vec<&Rule> =
        rules.iter().filter(|r| !old.rules.iter().any(|o| o.to_string() == r.to_string())).collect();
    if fresh.is_empty() {
        return Ok(());
    }
    let mut text = before;
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    for rule in fresh {
        let lead = if text.is_empty() { "" } else { "\n" };
        let pattern = toml::Value::from(rule.pattern()).to_string();
        text.push_str(&format!("{lead}# {note}\n[[{}]]\n{} = {pattern}\n", rule.effect.name(), rule.kind()));
    }
    // A list that is written on one line cannot be added to below; then nothing is written.
    file::parse(&text, Source::User, path, &shown, Some(places))?;
    own::replace(path, &text)
}
