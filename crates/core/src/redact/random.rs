//! Whether a word looks drawn by lot rather than written by a person.
//!
//! Owns the measure. Never looks at what stands around the word.

/// Words in a value that say that it stands for another.
const STAND_INS: [&str; 16] = [
    "example",
    "changeme",
    "change-me",
    "change_me",
    "placeholder",
    "dummy",
    "your",
    "xxxx",
    "****",
    "todo",
    "redacted",
    "insert",
    "sample",
    "fake",
    "foobar",
    "abcdef",
];
/// Words of a value that says that none is needed, and says nothing else: `no-key`, `sk-not-needed`.
const NONE_NEEDED: [&str; 10] =
    ["no", "not", "nokey", "unused", "sk", "key", "api", "needed", "required", "necessary"];
/// Whole values that say no more.
const WORDS: [&str; 11] =
    ["password", "passwd", "secret", "token", "none", "null", "true", "false", "string", "pass", "pw"];

/// Whether a value is only a stand-in, a number or a word of a program. Chance puts such a word into what is long and drawn,
/// and the first letters of the alphabet into digits of sixteen.
pub(super) fn is_placeholder(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    let drawn = value.len() >= 24 && turns(value) && !lower.contains("example") && distinct(value) >= 12;
    let within = lower.find("abcdef").is_some_and(|at| at > 0);
    let spelled = if within { lower.replace("abcdef", "-") } else { lower };
    let stands_in = STAND_INS.iter().any(|word| spelled.contains(word)) || WORDS.contains(&spelled.as_str());
    let number = value.chars().all(|c| c.is_ascii_digit() || c == '.');
    !drawn && (stands_in || says_none_needed(&spelled) || number || distinct(value) < 3)
}

/// Whether a value in small letters only says that none is needed.
fn says_none_needed(lower: &str) -> bool {
    let words = || lower.split(|c: char| !c.is_ascii_alphanumeric());
    let says = |word| matches!(word, "no" | "not" | "nokey" | "unused");
    words().any(says) && words().all(|word| NONE_NEEDED.contains(&word))
}

/// Whether a value behind a name that says what it is was drawn: fewer turns are enough than where it stands alone.
pub(super) fn looks_drawn(value: &str) -> bool {
    let has = |of: fn(&u8) -> bool| value.bytes().any(|b| of(&b));
    let mixed = has(u8::is_ascii_digit) && has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase);
    value.len() >= 16 && mixed && turns(value) && !is_placeholder(value) && distinct(value) >= 10
}

/// Whether digits and cases turn more often than in words.
fn turns(value: &str) -> bool {
    let (breaks, pairs) = breaks(value);
    breaks >= 4 && breaks * 100 >= pairs * 18
}

/// Words in the name of what holds a secret.
const NAMES: [&str; 11] = [
    "key",
    "pass",
    "pwd",
    "auth",
    "authorization",
    "cookie",
    "dsn",
    "signature",
    "pat",
    "private",
    "credentials",
];
/// Words that may also end a longer one.
const ENDS: [&str; 7] = ["token", "secret", "password", "passwd", "passphrase", "apikey", "credential"];

/// Whether a value of a setting of this name must be kept out wherever it stands. A word that people
/// put where a key is wanted and none is needed must not: it would vanish from every text.
pub fn is_worth_hiding(name: &str, value: &str) -> bool {
    let (name, value) = (name.to_ascii_lowercase(), value.trim());
    let named = name
        .split(|c: char| !c.is_ascii_alphanumeric())
        .any(|word| NAMES.contains(&word) || ENDS.iter().any(|end| word.ends_with(end)));
    let word = value.len() < 12 && !value.bytes().any(|b| b.is_ascii_digit());
    let path = ["/", "~", "./"].iter().any(|p| value.starts_with(p));
    let here = value.contains("localhost");
    let kept = named && value.len() >= 6 && !word && !here && !is_placeholder(value);
    !path && (looks_random(value) || kept)
}

/// Whether letters, digits and cases change as often as only chance makes them: a key, not a name.
pub(super) fn looks_random(value: &str) -> bool {
    let digits = value.bytes().any(|b| b.is_ascii_digit());
    if value.len() < 8 || !digits || is_placeholder(value) || distinct(value) < 6 {
        return false;
    }
    let (breaks, pairs) = breaks(value);
    // A name in camel case turns about once in six letters, a drawn one nearly every second.
    let wanted = if value.len() < 12 { 3 } else { 4 };
    breaks >= wanted && breaks * 100 >= pairs * 26
}

/// How often digits and cases turn, and among how many neighbours.
fn breaks(value: &str) -> (usize, usize) {
    let (mut breaks, mut pairs) = (0_usize, 0_usize);
    for (a, b) in value.bytes().zip(value.bytes().skip(1)) {
        if a.is_ascii_alphanumeric() && b.is_ascii_alphanumeric() {
            pairs += 1;
            let turns = (a.is_ascii_lowercase() && b.is_ascii_uppercase())
                || a.is_ascii_digit() != b.is_ascii_digit();
            breaks += usize::from(turns);
        }
    }
    (breaks, pairs)
}

/// Whether a word behind a prefix that only keys have is more than a name: some digits or both cases.
pub(super) fn looks_mixed(value: &str) -> bool {
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let both = value.bytes().any(|b| b.is_ascii_uppercase()) && value.bytes().any(|b| b.is_ascii_lowercase());
    (digits >= 2 || both) && distinct(value) >= 6 && !value.to_ascii_lowercase().contains("example")
}

fn distinct(value: &str) -> usize {
    let mut bytes: Vec<u8> = value.bytes().collect();
    bytes.sort_unstable();
    bytes.dedup();
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drawn_words_are_told_from_written_ones() {
        for value in [
            "Tr0ub4dor3x",
            "aB3xK9pQ2w",
            "4f9c2ab7e01d",
            "JBSWY3DPEHPK3PXP",
            "9mZ0vYq2LrT8wXcB",
            "wJalrXUtnFEMI/K7MDENG/bPxRfiCYzA1b2",
            "8f14e45f-ceea-467f-a8c4-3b1d9f0e72ab",
        ] {
            assert!(looks_random(value), "{value}");
        }
        for value in [
            "TokenStream2",
            "secrecy::SecretString",
            "hunter2",
            "password123",
            "correct-horse-battery",
            "x86_64-unknown-linux-gnu",
            "v1.2.3-beta4",
            "camelCaseNameOfThing",
            "SCREAMING_SNAKE_CASE_2",
            "base64url_no_pad",
            "src/config/tests.rs",
            "2024-01-15",
            "PILOTHOUSE_API_KEY",
            "aaaaaaaa1111",
            "getOAuth2AccessTokenForUser",
            "abcdef0123456789",
            "changeme12x3y4z5",
        ] {
            assert!(!looks_random(value), "{value}");
        }
    }

    #[test]
    fn what_was_drawn_is_hidden_beside_the_name_of_this_machine_too() {
        for (name, value) in [
            ("MYSQL_DSN", "app:aB3xK9pQ2w@tcp(localhost:3306)/db"),
            ("DATABASE_URL", "postgres://app:aB3xK9pQ2w@localhost:5432/db"),
        ] {
            assert!(is_worth_hiding(name, value), "{value}");
        }
        for value in ["http://localhost:8080", "postgres://app@localhost:5432/db", "/home/me/.aB3xK9pQ2w"] {
            assert!(!is_worth_hiding("KEY_SERVER", value), "{value}");
        }
    }

    #[test]
    fn what_says_that_none_is_needed_says_nothing_else() {
        for value in ["not-needed", "no-key", "nokey", "unused", "sk-no-key-required", "NO_KEY_NEEDED"] {
            assert!(is_placeholder(value) && !is_worth_hiding("API_KEY", value), "{value}");
        }
        for value in
            ["piano-keys-47", "casino-key-2291", "unused-tickets-88", "monokeys-and-pianokeys", "sk-key"]
        {
            assert!(!is_placeholder(value), "{value}");
        }
    }
}
