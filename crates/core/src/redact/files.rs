//! Files that keep secrets: what of them is one though it does not look it.
//!
//! Owns the pattern. Which files those are says the shell crate's list; never reads a file.

use std::sync::LazyLock;

use regex::Regex;

use super::{Kind, Secret};

/// In a file that keeps secrets every value of such a name is one; and a line of a password file.
const WEAK: &str = r#"(?im)^\x{feff}?[ \t]*(?:export[ \t]+|(?:(?:machine|login|account|default)[ \t]+\S+[ \t]+)*|//\S*?:)["']?[A-Za-z0-9_.\-]*(?:pass|pwd|secret|token|key|credential|auth|dsn|private|salt|ur[li])[A-Za-z0-9_]*["']?[ \t]*[=: \t][ \t]*["']?([^\s"'#=][^\r\n"']*)|^[^:\s]+:[0-9*]+:[^:\s]+:[^:\s]+:(\S+)[ \t]*$"#;

static WEAKLY: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(WEAK).ok());

/// What a file that keeps secrets has besides: every value behind a name that says so.
pub(super) fn weak(text: &str) -> Vec<Secret> {
    let Some(pattern) = WEAKLY.as_ref() else { return Vec::new() };
    let groups = pattern.captures_iter(text).filter_map(|c| c.get(1).or_else(|| c.get(2)));
    groups
        .filter_map(|g| {
            let value = g.as_str().trim_end().trim_end_matches([',', ';']);
            let secret = value.len() >= 3
                && value.parse::<f64>().is_err()
                && !matches!(value, "true" | "false" | "null");
            secret.then(|| Secret { start: g.start(), end: g.start() + value.len(), kind: Kind::Password })
        })
        .collect()
}
