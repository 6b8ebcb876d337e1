//! A sentence of the user, made easy to match: quotations become single marks.
//!
//! Owns quoting, politeness and punctuation. Knows no jobs.

use super::pattern::{Pattern, group};

/// A sentence whose quoted parts are replaced by marks without spaces.
pub(super) struct Sentence {
    /// The sentence with marks, without politeness.
    pub text: String,
    spans: Vec<Span>,
}

struct Span {
    raw: String,
    inner: String,
}

const OPEN: char = '\u{e000}';
const CLOSE: char = '\u{e001}';

static QUOTED: Pattern = Pattern::new(
    r#"(?s)```[^\n`]*\n(?<fence>.*?)```|`(?<tick>[^`]+)`|"(?<double>[^"]*)"|“(?<curly>[^”]*)”|„(?<low>[^“”]*)[“”]|«(?<guillemet>[^»]*)»|(?:^|[\s(])'(?<single>[^'\n]+)'(?:$|[\s).,;:?!])"#,
);
static POLITE: Pattern = Pattern::new(
    r"(?i)^(?:(?:please|bitte|hey|hi|hello|hallo|ok|okay|so|now|jetzt|then|dann)\b,?|(?:can|could|would|will) you|(?:kannst|könntest|würdest) du(?: mir)?|i (?:want|need) (?:you )?to|i'd like (?:you )?to|i would like (?:you )?to|let's|let us|du sollst|ich möchte,? dass du|just|mal)\s+(?<rest>.+)$",
);
static TAILS: [Pattern; 2] = [
    Pattern::new(r"(?is)^(?<rest>.+?)[\s,]*\b(?:please|bitte|for me|thanks|thank you|danke)$"),
    // Not the dots of `./...`.
    Pattern::new(r"(?is)^(?<rest>.*[^\s./])\s*(?:[?!]+|\.)$"),
];

impl Sentence {
    pub fn of(raw: &str) -> Self {
        let mut out = Self { text: String::new(), spans: Vec::new() };
        let mut rest = strip_node(raw.trim());
        while let Some(found) = QUOTED.captures(rest) {
            let Some(whole) = found.get(0) else { break };
            let names = ["fence", "tick", "double", "curly", "low", "guillemet", "single"];
            let Some(inner) = names.iter().find_map(|n| found.name(n)) else { break };
            // A single quote takes its neighbours along; they go back into the text.
            let single = found.name("single").is_some();
            let (from, to) =
                if single { (inner.start() - 1, inner.end() + 1) } else { (whole.start(), whole.end()) };
            out.text.push_str(rest.get(..from).unwrap_or_default());
            out.text.push_str(&format!("{OPEN}{}{CLOSE}", out.spans.len()));
            let raw = rest.get(from..to).unwrap_or_default().to_owned();
            out.spans.push(Span { raw, inner: inner.as_str().to_owned() });
            rest = rest.get(to..).unwrap_or_default();
        }
        out.text.push_str(rest);
        out.text = polished(&out.text);
        out
    }

    /// The words behind a token: the inside of a quotation, or the token without punctuation.
    pub fn plain(&self, token: &str) -> String {
        let token = token.trim().trim_end_matches([',', ';', '?', '!']);
        match self.span(token.trim_start_matches('@')) {
            Some(span) => span.inner.clone(),
            None => self.restore(token).trim_start_matches('@').to_owned(),
        }
    }

    /// Whether a token is one quotation.
    pub fn is_quoted(&self, token: &str) -> bool {
        self.span(token.trim()).is_some()
    }

    /// The text with its quotations as they were written.
    pub fn restore(&self, text: &str) -> String {
        let numbered = self.spans.iter().enumerate();
        numbered.fold(text.to_owned(), |t, (i, s)| t.replace(&format!("{OPEN}{i}{CLOSE}"), &s.raw))
    }

    fn span(&self, token: &str) -> Option<&Span> {
        let number = token.strip_prefix(OPEN)?.strip_suffix(CLOSE)?;
        self.spans.get(number.parse::<usize>().ok()?)
    }
}

/// Takes a leading `@node` off; `@path` stays.
fn strip_node(text: &str) -> &str {
    let Some((first, rest)) = text.split_once(char::is_whitespace) else { return text };
    let node =
        first.strip_prefix('@').is_some_and(|n| n.parse::<pilothouse_core::intent::IntentNode>().is_ok());
    if node { rest.trim_start() } else { text }
}

fn polished(text: &str) -> String {
    let mut text = text.trim();
    while let Some(found) = POLITE.captures(text) {
        text = group(&found, "rest").trim();
    }
    while let Some(found) = TAILS.iter().find_map(|p| p.captures(text)) {
        text = group(&found, "rest").trim();
    }
    text.to_owned()
}

/// Whether a word names a file or folder rather than a thing in the code.
pub(super) fn is_path(word: &str) -> bool {
    const NAMES: [&str; 8] =
        ["Makefile", "Dockerfile", "LICENSE", "README", "Justfile", "CHANGELOG", "Gemfile", "Procfile"];
    let slash = word.contains('/') && !word.contains("://");
    slash || NAMES.contains(&word) || extension(word).is_some_and(|e| EXTENSIONS.contains(&e)) || hidden(word)
}

fn hidden(word: &str) -> bool {
    word.strip_prefix('.').is_some_and(|w| w.chars().next().is_some_and(char::is_alphabetic))
}

/// What follows the last dot of a name.
pub(super) fn extension(word: &str) -> Option<&str> {
    let (stem, extension) = word.rsplit_once('.')?;
    (!stem.is_empty() && !extension.is_empty()).then_some(extension)
}

const EXTENSIONS: [&str; 62] = [
    "rs", "py", "pyi", "js", "jsx", "mjs", "cjs", "ts", "tsx", "go", "c", "h", "cc", "cpp", "cxx", "hpp",
    "hh", "java", "kt", "kts", "scala", "cs", "swift", "rb", "php", "sh", "bash", "zsh", "fish", "lua", "ex",
    "exs", "erl", "hs", "ml", "zig", "dart", "sql", "html", "css", "scss", "vue", "svelte", "md", "rst",
    "txt", "toml", "json", "yaml", "yml", "xml", "ini", "cfg", "conf", "lock", "csv", "tsv", "proto", "tf",
    "nix", "log", "env",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotations_of_every_kind_are_one_token_each() {
        for quoted in ["`a b`", "\"a b\"", "“a b”", "„a b“", "«a b»", "'a b'"] {
            let s = Sentence::of(&format!("replace {quoted} with c"));
            let token = s.text.split(' ').nth(1).unwrap_or_default();
            assert_eq!((s.plain(token).as_str(), s.is_quoted(token)), ("a b", true), "{quoted}");
            assert_eq!(s.restore(token), quoted);
        }
        assert_eq!(Sentence::of("what's in it, don't you know").text, "what's in it, don't you know");
    }

    #[test]
    fn politeness_and_punctuation_go() {
        let cases = [
            ("Could you please rename a to b, thanks!", "rename a to b"),
            ("Kannst du bitte a in b umbenennen?", "a in b umbenennen"),
            ("@modify rename a to b.", "rename a to b"),
            ("@src/a.rs is what", "@src/a.rs is what"),
        ];
        for (raw, text) in cases {
            assert_eq!(Sentence::of(raw).text, text);
        }
    }

    #[test]
    fn paths_are_told_from_names() {
        for path in ["src/a.rs", "Cargo.toml", "src/", "Makefile", ".env", "a.test.ts"] {
            assert!(is_path(path), "{path}");
        }
        for name in ["Session", "session.step", "Foo::bar", "rate_limit", "http://x"] {
            assert!(!is_path(name), "{name}");
        }
    }
}
