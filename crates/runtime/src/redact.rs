//! What looks like a secret, taken out of a text that is kept.
//!
//! Owns the patterns. Never asked to be sure: what it takes too much is a word less, what it takes
//! too little is a key in a file.

use std::sync::LazyLock;

use regex::Regex;

const SECRET: &str = "[secret]";

/// What gives a key away: its usual beginnings, the name before it, a password in an address, an
/// address of a person.
static PATTERNS: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
    [
        (r"\b(?:sk|pk|rk|ghp|gho|ghu|ghs|ghr|glpat|xox[abprs]|npm|hf|pypi)[-_][A-Za-z0-9_\-]{8,}", SECRET),
        (r"\b(?:github_pat_|AKIA|ASIA|AIza|ya29\.|eyJ)[A-Za-z0-9_\-./+=]{8,}", SECRET),
        (
            r#"(?i)\b([a-z0-9_.-]*(?:api[_-]?key|token|secret|passw(?:or)?d|pwd|credential|bearer)[a-z0-9_.-]*)(\s*(?:[:=]|\bis\b)\s*|\s+)("[^"]*"|'[^']*'|\S*\d\S*|\S{12,})"#,
            "$1$2[secret]",
        ),
        (r"([a-z][a-z0-9+.-]*://)[^\s/@]+@", "$1[secret]@"),
        (r"[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+\.[A-Za-z0-9.-]+", "[address]"),
        (r"(?s)-----BEGIN.*", SECRET),
    ]
    .into_iter()
    .filter_map(|(pattern, with)| Regex::new(pattern).ok().map(|r| (r, with)))
    .collect()
});

/// The text without what looks like a secret.
pub fn redacted(text: &str) -> String {
    let mut out = text.to_owned();
    for (pattern, with) in PATTERNS.iter() {
        out = pattern.replace_all(&out, *with).into_owned();
    }
    out.split(' ').map(|word| if random(word) { SECRET } else { word }).collect::<Vec<_>>().join(" ")
}

/// A long run of letters and digits in no order that a name has.
fn random(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    let plain = word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=' | '_' | '-'));
    let digits = word.chars().filter(char::is_ascii_digit).count();
    let kinds = [
        word.chars().any(|c| c.is_ascii_uppercase()),
        word.chars().any(|c| c.is_ascii_lowercase()),
        digits > 0,
    ];
    let mixed = kinds.into_iter().filter(|k| *k).count() == 3 || (digits >= 8 && kinds.iter().any(|k| *k));
    plain && word.len() >= 20 && mixed && digits >= 3 && !word.contains('/')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_go_and_words_stay() {
        for (text, kept) in [
            ("use sk-proj-abcdefgh12345678 for it", "use [secret] for it"),
            ("the token is hunter2hunter2 ok", "the token is [secret] ok"),
            ("set API_KEY=abc123 and run", "set API_KEY=[secret] and run"),
            ("password: 'correct horse' please", "password: [secret] please"),
            ("clone https://me:pw@example.org/x.git", "clone https://[secret]@example.org/x.git"),
            ("mail it to jo@example.org", "mail it to [address]"),
            ("try aB3dE5gH7jK9mN1pQ3sT5 there", "try [secret] there"),
            ("0123456789abcdef0123456789abcdef", "[secret]"),
        ] {
            assert_eq!(redacted(text), kept);
        }
        for text in [
            "fix the token bucket in src/limiter/token_bucket.rs",
            "rename authenticate_user_with_password_hash to auth",
            "why does the secret manager fail",
            "bump serde to 1.0.219 in Cargo.toml",
        ] {
            assert_eq!(redacted(text), text);
        }
    }
}
