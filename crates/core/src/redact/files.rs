//! Files that keep secrets: their names, and what of them is one though it does not look it.
//!
//! Owns the list. Never reads a file.

use std::sync::LazyLock;

use regex::Regex;

use super::{Kind, Secret};

/// In a file that keeps secrets every value of such a name is one; and a line of a password file.
const WEAK: &str = r#"(?im)^[ \t]*(?:export[ \t]+|(?:(?:machine|login|account|default)[ \t]+\S+[ \t]+)*|//\S*?:)["']?[A-Za-z0-9_.\-]*(?:pass|pwd|secret|token|key|credential|auth|dsn|private|salt|ur[li])[A-Za-z0-9_]*["']?[ \t]*[=: \t][ \t]*["']?([^\s"'#=][^\r\n"']*)|^[^:\s]+:[0-9*]+:[^:\s]+:[^:\s]+:(\S+)[ \t]*$"#;

static WEAKLY: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(WEAK).ok());

/// Names, whole.
const NAMED: [&str; 10] = [
    ".env",
    ".envrc",
    ".netrc",
    "_netrc",
    ".npmrc",
    ".pypirc",
    ".pgpass",
    ".git-credentials",
    ".htpasswd",
    "kubeconfig",
];
/// Names up to the first dot.
const STEMS: [&str; 7] = ["id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "credentials", "secrets", "secret"];
/// Names from the last dot on.
const ENDS: [&str; 7] = ["pem", "key", "p8", "tfvars", "keystore", "env", "kubeconfig"];
/// What a file of settings may end in; anything else under such a stem is a program's text.
const SETTINGS: [&str; 12] =
    ["", "toml", "json", "yml", "yaml", "ini", "cfg", "conf", "properties", "txt", "xml", "csv"];
/// Words in a name that say that it is a template.
const TEMPLATES: [&str; 5] = ["example", "sample", "template", "dist", "defaults"];

/// Whether a file's name says that it keeps secrets; templates do not.
pub(super) fn keeps_secrets(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
    let (stem, end) =
        (name.split('.').next().unwrap_or_default(), name.rsplit_once('.').map_or("", |(_, e)| e));
    let kept = NAMED.contains(&name.as_str())
        || name.starts_with(".env.")
        || (STEMS.contains(&stem) && SETTINGS.contains(&end))
        || ENDS.contains(&end);
    kept && !TEMPLATES.iter().any(|t| name.contains(t))
}

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
