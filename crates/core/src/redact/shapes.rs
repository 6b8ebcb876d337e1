//! What secrets look like: the rules, kept as data, each with what it must find and must not.
//!
//! Owns the shapes. A rule hides one run of characters that neither a shell nor a program acts on.

use std::sync::{LazyLock, OnceLock};

use regex::{Regex, RegexSet};

use super::{
    Kind, Secret,
    random::{is_placeholder, looks_mixed, looks_random},
};

/// One shape. In its pattern `⟨` stands for the edge of a word, `¶` for a character of a value.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Stable name.
    pub id: &'static str,
    /// What it finds.
    pub kind: Kind,
    /// A regular expression whose first group is the secret.
    pattern: &'static str,
    /// What the group must be besides.
    wanted: Wanted,
    /// Texts in which it finds something.
    pub hits: &'static [&'static str],
    /// Texts in which nothing is found.
    pub misses: &'static [&'static str],
}

#[derive(Clone, Copy, Debug)]
enum Wanted {
    /// The pattern says it all.
    Nothing,
    /// Some digits, or both cases.
    Mixed,
    /// The same, with a digit at least.
    Digits,
    /// Drawn by lot.
    Random,
    /// No stand-in.
    Real,
    /// A list of `name=value`, of which each value is looked at by itself.
    Pairs,
}

/// Where a word begins: also behind the end of an escape sequence, of a terminal or of a string.
const EDGE: &str = r"(?:^|[^A-Za-z0-9_\-]|\\[nrt]|\x1b\[[0-9;]*[A-Za-z])";
/// Characters of a value: none of them ends a command, opens a string or calls anything.
pub(super) const VALUE: &str = r"[A-Za-z0-9+/=_.~@!#%^*\-]";
/// Whether a byte is one of those.
pub(super) fn is_of_value(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"+/=_.~@!#%^*-".contains(&byte)
}

/// Names of what holds a secret, at the end of a longer name.
const NAMES: &str = r"(?:passwords?|passwd|passphrase|secret|token|api[_\-]?key|access[_\-]?key|secret[_\-]?key|private[_\-]?key|auth[_\-]?key|account[_\-]?key|signing[_\-]?key|encryption[_\-]?key|[_\-]key|credentials?|[_\-]pwd|[_\-]pass|[_\-]pat)";

const RULES: &[Rule] = &[
    Rule {
        id: "provider",
        kind: Kind::ApiKey,
        pattern: r"⟨((?:sk|rk)[_\-](?:[a-z0-9]{2,8}[_\-])*[A-Za-z0-9_\-]{16,}|AIza[A-Za-z0-9_\-]{30,}|gsk_[A-Za-z0-9]{20,}|xai-[A-Za-z0-9]{20,}|hf_[A-Za-z0-9]{20,}|SG\.[A-Za-z0-9_\-]{16,}\.[A-Za-z0-9_\-]{16,}|whsec_[A-Za-z0-9+/=]{16,}|shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{24,}|r8_[A-Za-z0-9]{24,}|AGE-SECRET-KEY-1[0-9A-Z]{40,})",
        wanted: Wanted::Mixed,
        hits: &[
            "sk-proj-4fJq0Zx81LmNwPq7RtYv",
            "key=sk-ant-api03-9aB8cD7eF6gH5iJ4kL3m",
            "use sk_live_9aB8cD7eF6gH5iJ4k now",
            "AIzaSyA9x8B7c6D5e4F3g2H1i0JkLmNoPq",
        ],
        misses: &[
            "sk-learn-something-very-long-indeed",
            "task-0123456789abcdef0123",
            "sk-xxxxxxxxxxxxxxxxxxxxxxxx",
        ],
    },
    Rule {
        id: "forge",
        kind: Kind::Token,
        pattern: r"⟨(gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|gl(?:pat|ptt|dt|rt|cbt|soat)-[A-Za-z0-9_\-]{16,}|npm_[A-Za-z0-9]{30,}|pypi-[A-Za-z0-9_\-]{32,}|dop_v1_[a-f0-9]{40,}|glsa_[A-Za-z0-9_]{32,}|cio[A-Za-z0-9]{32,}|ATATT[A-Za-z0-9_\-=]{40,})",
        wanted: Wanted::Mixed,
        hits: &["ghp_9aB8cD7eF6gH5iJ4kL3mN2oP1qR0sT", "url https://glpat-4fJq0Zx81LmNwPq7R@host/x"],
        misses: &["ghp_short", "npm_config_registry_something_or_other_x", "github_pat_"],
    },
    Rule {
        id: "cloud",
        kind: Kind::ApiKey,
        pattern: r"⟨((?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16})(?:[^0-9A-Za-z]|$)",
        wanted: Wanted::Mixed,
        hits: &["AKIAQ3ZJ7X2M5N8P4R6T", "id: \"ASIAQ3ZJ7X2M5N8P4R6T\","],
        misses: &["AKIAIOSFODNN7EXAMPLE", "AKIAlowercase0123456", "XAKIAQ3ZJ7X2M5N8P4R6T"],
    },
    Rule {
        id: "chat",
        kind: Kind::Token,
        pattern: r"⟨(xox[abeoprs]-[A-Za-z0-9\-]{10,}|xapp-[0-9]-[A-Za-z0-9\-]{10,}|[0-9]{8,10}:AA[A-Za-z0-9_\-]{30,}|ya29\.[A-Za-z0-9_\-]{20,})",
        wanted: Wanted::Mixed,
        hits: &["xoxb-2345678901-AbCdEfGhIj", "bot 123456789:AAF9x8B7c6D5e4F3g2H1i0JkLmNoPqRs"],
        misses: &["xoxb-", "xoxz-2345678901-AbCdEfGhIj"],
    },
    Rule {
        id: "jwt",
        kind: Kind::Token,
        pattern: r"⟨(eyJ[A-Za-z0-9_\-]{6,}\.eyJ[A-Za-z0-9_\-]{6,}(?:\.[A-Za-z0-9_\-]*)?)",
        wanted: Wanted::Nothing,
        hits: &["eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P"],
        misses: &["eyJhbGciOiJIUzI1NiJ9", "eyJ.eyJ.x"],
    },
    Rule {
        id: "header",
        kind: Kind::Token,
        pattern: r#"(?i)⟨(?:proxy-)?authorization\\*["'`]?\s*[:=,]\s*\\*["'`]?(?:(?:bearer|basic|token|digest|bot|apikey|key)\s+)?([A-Za-z0-9+/=_.~\-]{8,})"#,
        wanted: Wanted::Digits,
        hits: &["Authorization: Bearer 9aB8cD7e", "\"authorization\": \"Basic bWU6aHVudGVyMg==\""],
        misses: &[
            "Authorization: Bearer $TOKEN",
            "AUTHORIZATION, HeaderValue::from_static(x)",
            "authorization = required",
        ],
    },
    Rule {
        id: "bearer",
        kind: Kind::Token,
        pattern: r"(?i)⟨(?:bearer|basic)\s+([A-Za-z0-9+/=_.~\-]{14,})",
        wanted: Wanted::Random,
        hits: &["sent Bearer 9aB8cD7eF6gH5iJ4", "Basic bWU6aDF1bjJ0ZTNyNHk1"],
        misses: &["bearer authentication-scheme", "Basic understanding"],
    },
    Rule {
        id: "cookie",
        kind: Kind::Cookie,
        pattern: r#"(?i)⟨(?:set-)?cookie\\*["'`]?\s*[:=,]\s*\\*["'`]?([A-Za-z0-9_.\-]+=[^\r\n"'`]{8,})"#,
        wanted: Wanted::Pairs,
        hits: &["Cookie: sid=9aB8cD7eF6gH5iJ4", "set-cookie: theme=dark; session=4fJq0Zx81LmNwPq7; Path=/"],
        misses: &["cookie: theme=dark", "let cookie = name=value"],
    },
    Rule {
        id: "url",
        kind: Kind::Password,
        pattern: r"[A-Za-z][A-Za-z0-9+.\-]*://[A-Za-z0-9._~%!*+,=\-]*:([A-Za-z0-9._~%!*+,=@#^\-]{3,})@[A-Za-z0-9\[]",
        wanted: Wanted::Real,
        hits: &["https://me:hunter2@example.org/x.git", "postgres://app:s3cr-et@db:5432/x"],
        misses: &[
            "https://user:pass@host",
            "https://host:8080/a@b",
            "https://{user}:{password}@host",
            "ssh://git@host:22/x",
        ],
    },
    Rule {
        id: "url-token",
        kind: Kind::Token,
        pattern: r"[A-Za-z][A-Za-z0-9+.\-]*://([A-Za-z0-9_\-]{16,})(?::x-oauth-basic)?@[A-Za-z0-9]",
        wanted: Wanted::Random,
        hits: &["https://4f9c2ab7e01d4f9c2ab7e01d@github.com/x/y"],
        misses: &["ssh://deployment-account@host/x"],
    },
    Rule {
        id: "assignment",
        kind: Kind::Password,
        pattern: r#"(?i)⟪\\*["'`]?\]?\s*(?:=>|:=|==?|:|>|,)\s*[bru]?\\*["'`]?(¶{8,})"#,
        wanted: Wanted::Random,
        hits: &[
            "db_password = \"Tr0ub4dor3x\"",
            "API_KEY=4f9c2ab7e01d",
            "  token: 9aB8cD7eF6gH5iJ4",
            ".set(\"client_secret\", \"9aB8cD7eF6gH\")",
            "<password>Tr0ub4dor3x</password>",
            "client_secret=6f1c2a3e-8b4d-4c7e-9f10-2a3b4c5d6e7f",
        ],
        misses: &[
            "token: TokenStream2",
            "api_key: Option<SecretString>",
            "const KEY: &str = \"PILOTHOUSE_API_KEY\"",
            "cache_key: \"v2-linux-x86_64-deps\"",
            "let secret = next_value(&mut stream2);",
            "monkey = 4f9c2ab7e01d",
        ],
    },
    Rule {
        id: "flag",
        kind: Kind::Password,
        pattern: r#"(?i)(?:^|\s)--?[a-z\-]*(?:password|passwd|token|secret|api-?key)[ =]["']?(¶{8,})"#,
        wanted: Wanted::Random,
        hits: &["login --token 9aB8cD7eF6gH", "x --db-password=Tr0ub4dor3x"],
        misses: &["login --token \"$TOKEN\"", "--token TOKEN_FROM_FILE"],
    },
    Rule {
        id: "variable",
        kind: Kind::Password,
        pattern: r#"(?m)^\x{feff}?\s*(?:export\s+|set\s+)?[A-Z][A-Z0-9_]*(?:PASSWORD|PASSWD|SECRET|TOKEN|API_KEY|SECRET_KEY|ACCESS_KEY|PRIVATE_KEY)=["']?(¶{6,})["']?(?:\s|$)"#,
        wanted: Wanted::Real,
        hits: &["DB_PASSWORD=letmein", "export NPM_TOKEN='quiet-harbour'"],
        misses: &["MAX_TOKEN=4096", "DB_PASSWORD=changeme", "GH_TOKEN=$(gh auth token)", "A_SECRET=true"],
    },
];

/// Every rule, with its examples.
pub fn rules() -> &'static [Rule] {
    RULES
}

/// Which rules' patterns are in a text, and where one is: few of them ever are.
struct Compiled {
    set: RegexSet,
    each: Vec<(Rule, OnceLock<Option<Regex>>)>,
}

static COMPILED: LazyLock<Compiled> = LazyLock::new(|| {
    let set = RegexSet::new(RULES.iter().map(whole)).unwrap_or_else(|_| RegexSet::empty());
    Compiled { set, each: RULES.iter().map(|rule| (*rule, OnceLock::new())).collect() }
});

fn whole(rule: &Rule) -> String {
    rule.pattern.replace('⟨', EDGE).replace('¶', VALUE).replace('⟪', NAMES)
}

/// Whether any rule's pattern is in a text, a secret or not.
pub(super) fn match_any(text: &str) -> bool {
    COMPILED.set.is_match(text)
}

/// Secrets of a known shape, in no order.
pub(super) fn find(text: &str) -> Vec<Secret> {
    let mut found = Vec::new();
    for at in &COMPILED.set.matches(text) {
        let Some((rule, pattern)) = COMPILED.each.get(at) else { continue };
        let Some(pattern) = pattern.get_or_init(|| Regex::new(&whole(rule)).ok()) else { continue };
        let mut from = 0;
        while let Some(group) = pattern.captures_at(text, from).and_then(|c| c.get(1)) {
            // What ends one may begin the next.
            from = group.end().max(from + 1);
            while !text.is_char_boundary(from) {
                from += 1;
            }
            rule.judge(group.as_str(), group.start(), &mut found);
        }
    }
    found
}

impl Rule {
    fn judge(&self, value: &str, start: usize, found: &mut Vec<Secret>) {
        let real = match self.wanted {
            Wanted::Nothing => true,
            Wanted::Mixed => looks_mixed(value),
            Wanted::Digits => looks_mixed(value) && value.bytes().any(|b| b.is_ascii_digit()),
            Wanted::Random => looks_random(value),
            Wanted::Real => !is_placeholder(value),
            Wanted::Pairs => return self.pairs(value, start, found),
        };
        if real {
            found.push(Secret { start, end: start + value.len(), kind: self.kind });
        }
    }

    fn pairs(&self, list: &str, start: usize, found: &mut Vec<Secret>) {
        let mut at = start;
        for pair in list.split_inclusive(';') {
            if let Some((name, value)) = pair.trim_end_matches(';').split_once('=') {
                let inert = |c: char| c.is_ascii_alphanumeric() || "+/=_.~%:-".contains(c);
                let value = value.split(|c| !inert(c)).next().unwrap_or_default();
                if looks_random(value) {
                    let from = at + name.len() + 1;
                    found.push(Secret { start: from, end: from + value.len(), kind: self.kind });
                }
            }
            at += pair.len();
        }
    }
}
