//! Secrets by their name: what stands behind `password`, `client_secret` or `API_TOKEN` is one whatever its
//! letters, unless it plainly is none: a stand-in, a variable, a type, a call, a path.
//!
//! Owns which names say so and what behind them is none. What it decides hangs on nothing further behind a value than
//! the one character that ends it, so a text that comes in pieces is read the same.

use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::{
    Kind, Secret,
    random::{is_placeholder, looks_drawn, looks_random},
    shapes::{VALUE, is_of_value},
};

/// The name, what closes it, the sign between, what opens the value, and how that begins.
const PATTERN: &str = r#"(?i)(passwords?|passwd|passphrase|passwort|kennwort|[_\-.]?pwd|[_\-]pass|client[_\-]?secret|secret[_\-]?access[_\-]?key|secret[_\-]?key|secret|credentials?|token|api[_\-]?key|access[_\-]?key|private[_\-]?key|auth[_\-]?key|account[_\-]?key|signing[_\-]?key|encryption[_\-]?key|[_\-]pat)((?:[_\-]?(?:prod|production|staging|stage|dev|test|live|old|new|current|previous|backup|base|value|base64|b64|master|primary|secondary|confirm|confirmation|again|repeat|admin|root|[0-9]{1,3}))?)(\\*["'`]?\]?)([ \t]*(?:=>|:=|==?|:)[ \t]*|>|[ \t]+)((?:[bru]?\\*["'`])?)(¶{4})"#;

/// Bytes of the longest value: what is longer is none, so no name costs more than that, however many stand in one run.
const LONGEST: usize = 4 * 1024;

static NAMED: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(&PATTERN.replace('¶', VALUE)).ok());

/// What a name says of its value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Says {
    /// A person chose it: any word may be one.
    Password,
    /// Somebody or chance chose it.
    Secret,
    /// It was drawn.
    Key,
}

/// A name with its value.
struct Pair<'t> {
    says: Says,
    /// The whole name, with what stands before the word that says so.
    name: &'t str,
    /// The character before the name.
    before: Option<char>,
    /// What stands between, with its blanks.
    sign: &'t str,
    /// The quote that opens the value.
    quote: Option<char>,
    value: &'t str,
    /// The character behind the value.
    after: Option<char>,
}

/// Whether such a name with a value may stand in a text.
pub(super) fn may_match(text: &str) -> bool {
    NAMED.as_ref().is_some_and(|pattern| pattern.is_match(text))
}

/// Secrets by their name, in order.
pub(super) fn find(text: &str) -> Vec<Secret> {
    let Some(pattern) = NAMED.as_ref() else { return Vec::new() };
    let (mut found, mut from) = (Vec::new(), 0);
    while let Some(groups) = pattern.captures_at(text, from) {
        let Some(start) = groups.get(6).map(|head| head.start()) else { break };
        // What is no secret may hold the next name.
        from = start;
        let Some(value) = value_at(text, start) else { continue };
        let Some(pair) = Pair::read(text, &groups, value) else { break };
        if pair.is_secret() {
            from = start + value.len();
            found.push(Secret { start, end: start + pair.value.len(), kind: Kind::Password });
        }
    }
    found
}

/// The value that begins here, where it is no longer than one may be.
fn value_at(text: &str, start: usize) -> Option<&str> {
    let rest = text.get(start..)?;
    let len = rest.bytes().take(LONGEST + 1).take_while(|b| is_of_value(*b)).count();
    rest.get(..len).filter(|_| len <= LONGEST)
}

/// The name that a secret stands behind, if one does: what the user knows it by.
pub(super) fn name_of(text: &str, secret: Secret) -> Option<&str> {
    let head = text.get(..secret.start)?;
    let head = head.trim_end_matches(['"', '\'', '`', '\\']);
    let bare = head.trim_end_matches(['=', ':', '>', ' ', '\t']);
    let sign = head.get(bare.len()..)?;
    let name = name_at_end(bare.trim_end_matches(['"', '\'', '`', '\\', ']']));
    let told = sign.contains(['=', ':', '>']) || (!sign.is_empty() && name.starts_with("--"));
    let name = name.trim_start_matches('-');
    (told && (3..=60).contains(&name.len())).then_some(name)
}

/// The name that a text ends in.
fn name_at_end(text: &str) -> &str {
    let from = text.rfind(|c: char| !(c.is_ascii_alphanumeric() || "_-.".contains(c)));
    let from =
        from.map_or(0, |at| at + text.get(at..).and_then(|t| t.chars().next()).map_or(1, char::len_utf8));
    text.get(from..).unwrap_or_default()
}

impl<'t> Pair<'t> {
    fn read(text: &'t str, groups: &Captures<'t>, bare: &'t str) -> Option<Self> {
        let group = |at: usize| groups.get(at).map_or("", |g| g.as_str());
        let (word, suffix, head) = (groups.get(1)?, groups.get(2)?, groups.get(6)?);
        let end = head.start() + bare.len();
        let name = name_at_end(text.get(..suffix.end())?);
        let start = suffix.end() - name.len();
        let lower = word.as_str().to_ascii_lowercase();
        let says = if lower.contains("pass") || lower.contains("pwd") || lower.contains("kennwort") {
            Says::Password
        } else if lower.ends_with("key") || lower.ends_with("token") || lower.ends_with("pat") {
            Says::Key
        } else {
            Says::Secret
        };
        let quote = group(5).chars().last().filter(|c| matches!(c, '"' | '\'' | '`'));
        // The end of a sentence.
        let bare = if quote.is_none() { bare.trim_end_matches('.') } else { bare };
        Some(
            Self {
                says,
                name,
                before: text.get(..start)?.chars().next_back(),
                sign: group(4),
                quote,
                value: bare,
                after: text.get(end..)?.chars().next(),
            }
            .closed(group(3)),
        )
    }

    /// The value of a mark-up's `<password>` only without a quote before the sign, and of a flag only behind one.
    fn closed(self, close: &str) -> Self {
        let flag = self.sign.trim().is_empty();
        let markup = self.sign == ">";
        let fits = if flag {
            self.name.starts_with("--") && close.is_empty()
        } else {
            !markup || (close.is_empty() && self.before == Some('<') && self.after == Some('<'))
        };
        if fits { self } else { Self { value: "", ..self } }
    }

    fn is_secret(&self) -> bool {
        if self.value.len() < 4 || self.before == Some('[') || self.is_none() {
            return false;
        }
        if looks_random(self.value) || looks_drawn(self.value) {
            return true;
        }
        if self.value.contains('/') || is_file(self.value) {
            return false;
        }
        match self.quote {
            Some(_) => self.is_quoted_secret(),
            None if self.is_setting() => self.value.len() >= 6 && !is_constant(self.value),
            None => self.is_bare_secret(),
        }
    }

    /// A stand-in, a variable, a call, a word of a program; or only the beginning of something longer.
    fn is_none(&self) -> bool {
        let value = self.value;
        let opened = match self.quote {
            Some(quote) => self.after.is_some_and(|c| c != quote && c != '\\'),
            None => self.after.is_some_and(|c| "([{$?\"'`".contains(c)) || self.after == Some(':'),
        };
        let markup = self.after == Some('<') && self.sign != ">";
        let pointing =
            self.quote.is_none() && value.starts_with(['!', '*', '@', '%', '#', '~', '-', '+', '=']);
        let digits = value.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'_'));
        let few = digits && (value.len() < 6 || self.says != Says::Password);
        let path = ["/", "./", "../", "~/"].iter().any(|p| value.starts_with(p));
        opened
            || markup
            || (pointing && !has_all(value))
            || few
            || path
            || (!digits && is_placeholder(value))
            || is_stage(value)
            || (self.sign.trim().is_empty()
                && ["id=", "type=", "src="].iter().any(|key| value.starts_with(key)))
            || is_about(value)
            || (self.says != Says::Password && is_name(value) && is_named(value))
    }

    /// A line of an environment: its name in capitals, its value without a blank before it.
    fn is_setting(&self) -> bool {
        let capitals = !self.name.bytes().any(|b| b.is_ascii_lowercase());
        let apart = self.before.is_none_or(|c| c.is_whitespace() || "\"'`;&".contains(c));
        capitals && apart && self.sign == "=" && self.after.is_none_or(|c| !".,)".contains(c))
    }

    fn is_quoted_secret(&self) -> bool {
        let value = self.value;
        let words = is_words(value);
        match self.says {
            Says::Password => value.len() >= 6 && !is_constant(value),
            Says::Secret => value.len() >= 8 && !is_constant(value) && !(words && value.contains(['_', '.'])),
            Says::Key => value.len() >= 12 && !words && has_digit(value) && !is_constant(value),
        }
    }

    fn is_bare_secret(&self) -> bool {
        let value = self.value;
        let flag = self.sign.trim().is_empty() || self.name.starts_with("--");
        let tight = matches!(self.sign, "=" | ">" | ":") || flag;
        let listed = self.after.is_some_and(|c| ",)".contains(c));
        let ends = self.after.is_none_or(|c| matches!(c, '\n' | '\r'));
        let kebab = is_words(value) && value.contains('-') && !value.contains(['_', '.']);
        let signs = value.contains(['!', '@', '#', '%', '^', '~', '+', '*']);
        let mixed = has_digit(value) && value.bytes().any(|b| b.is_ascii_alphabetic());
        let parts = value.split('-').count();
        match self.says {
            Says::Key => {
                let long = value.len() >= 12 && mixed && !value.contains(['_', '.', '-']);
                tight && long && !listed && !is_name(value)
            }
            Says::Password | Says::Secret if mixed || signs => {
                let written = !is_name(value) || (tight && !listed) || (ends && self.sign.starts_with(':'));
                value.len() >= 6 && written && (tight || self.sign.starts_with(':') || signs)
            }
            Says::Password if kebab => tight || parts >= 3 || ends,
            Says::Secret if kebab => tight && !listed,
            Says::Password => {
                let query = self.before.is_some_and(|c| "?&".contains(c)) && self.sign == "=";
                let line = ends && self.sign.starts_with(':') && self.begins_setting();
                let lower = value.bytes().all(|b| b.is_ascii_lowercase());
                let given = flag && self.sign == "=" && !matches!(self.after, Some('.' | ','));
                value.len() >= 6 && lower && (query || line || given)
            }
            Says::Secret => false,
        }
    }

    /// A key of a file of settings: nothing else before it in its line, as far as one character tells.
    fn begins_setting(&self) -> bool {
        self.before.is_none_or(|c| c == '\n' || c == ' ' || c == '\t')
            && !self.name.bytes().any(|b| b.is_ascii_uppercase())
    }
}

/// Whether a value holds a digit, a letter of each case and a sign: no expression is written so.
fn has_all(value: &str) -> bool {
    has_digit(value)
        && value.bytes().any(|b| b.is_ascii_lowercase())
        && value.bytes().any(|b| b.is_ascii_uppercase())
}

fn has_digit(value: &str) -> bool {
    value.bytes().any(|b| b.is_ascii_digit())
}

/// Letters and what joins words, and nothing else.
fn is_words(value: &str) -> bool {
    value.bytes().all(|b| b.is_ascii_alphabetic() || matches!(b, b'-' | b'_' | b'.'))
}

/// A name of a program: letters, digits, and what joins its parts.
fn is_name(value: &str) -> bool {
    value.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.'))
}

/// A name in capitals: it names a variable.
fn is_constant(value: &str) -> bool {
    value.contains('_') && value.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
}

/// A file by its ending.
fn is_file(value: &str) -> bool {
    const ENDINGS: [&str; 16] = [
        "pem", "key", "crt", "json", "yml", "yaml", "toml", "txt", "env", "js", "ts", "rs", "py", "go", "rb",
        "md",
    ];
    value.rsplit_once('.').is_some_and(|(_, end)| ENDINGS.contains(&end))
}

/// Whether a value only says what is meant, by its name or kind: `db_password`, `UserToken`, `sha256`, `required`.
fn is_about(value: &str) -> bool {
    const KINDS: [&str; 20] = [
        "sha1", "sha2", "sha3", "sha5", "md5", "base64", "base32", "utf8", "utf-8", "argon2", "bcrypt",
        "scrypt", "pbkdf2", "x509", "hs256", "rs256", "es256", "aes", "oauth", "hmac",
    ];
    const WORDS: [&str; 47] = [
        "required",
        "optional",
        "undefined",
        "empty",
        "missing",
        "invalid",
        "expired",
        "hidden",
        "masked",
        "string",
        "bytes",
        "number",
        "boolean",
        "object",
        "unknown",
        "varchar",
        "nullable",
        "input",
        "include",
        "same-origin",
        "omit",
        "value",
        "self",
        "this",
        "default",
        "optional-string",
        "read-only",
        "write-only",
        "readonly",
        "case-sensitive",
        "forgotten",
        "change",
        "reset",
        "confirm",
        "enabled",
        "disabled",
        "identifier",
        "number-or-string",
        "keyword",
        "punctuation",
        "operator",
        "comment",
        "literal",
        "authorization",
        "postgres",
        "minioadmin",
        "testing",
    ];
    let lower = value.to_ascii_lowercase();
    let named = is_words(value) && is_named(value);
    named || KINDS.iter().any(|k| lower.starts_with(k)) || WORDS.contains(&lower.as_str())
}

/// Whether a value holds one of the words that say what it is.
fn is_named(value: &str) -> bool {
    const NAMES: [&str; 14] = [
        "password",
        "passwd",
        "passphrase",
        "passwort",
        "kennwort",
        "secret",
        "token",
        "credential",
        "apikey",
        "api_key",
        "api-key",
        "privatekey",
        "private_key",
        "access_key",
    ];
    let lower = value.to_ascii_lowercase();
    NAMES.iter().any(|n| lower.contains(n))
}

/// Whether a value only says for which stage of work it is (`development`, `testing123`).
fn is_stage(value: &str) -> bool {
    const STAGES: [&str; 10] = [
        "dev",
        "development",
        "test",
        "testing",
        "tests",
        "local",
        "localhost",
        "staging",
        "production",
        "demo",
    ];
    let bare = value.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '-' | '_'));
    STAGES.iter().any(|stage| bare.eq_ignore_ascii_case(stage))
}

#[cfg(test)]
mod tests;
