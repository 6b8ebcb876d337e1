//! Whether what is handed over where a key is wanted, or may be, is one.
//!
//! Owns the measure. It takes for a key what stands alone and was drawn, also where a text would not be searched for it:
//! a name is never lost by it, since who handed it over sees what it is taken for.

use super::{
    Redactor,
    random::{is_placeholder, looks_random},
    shapes,
};

/// Letters and digits in a row that are no name of a model once they look drawn.
const DRAWN: usize = 16;
/// Digits of an identifier that some services give for a key.
const IDENTIFIER: usize = 32;

/// What keys a text hands over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handed<'a> {
    /// None.
    Nothing,
    /// This one: the text itself, or what stands in it behind a name.
    Key(&'a str),
    /// More than one, or a text around it.
    Several,
}

impl<'a> Handed<'a> {
    /// Reads what was typed letter by letter where a name is wanted: a word that only looks drawn is that name.
    pub fn typed(text: &'a str) -> Self {
        let word = text.trim();
        let is_name = is_word(word) && !word.contains('=') && !is_shaped(word);
        if is_name { Self::Nothing } else { Self::of(text) }
    }

    /// Reads what was typed or pasted in one go.
    pub fn of(text: &'a str) -> Self {
        let text = text.trim();
        if is_word(text) && (is_drawn(text) || is_shaped(text)) {
            return Self::Key(text);
        }
        let secrets = Redactor::default().secrets(text);
        match secrets.as_slice() {
            [] => Self::Nothing,
            [one] if !text.contains('\n') && !text.contains("://") => {
                text.get(one.start..one.end).map_or(Self::Several, Self::Key)
            }
            _ => Self::Several,
        }
    }
}

fn is_word(text: &str) -> bool {
    !text.contains(char::is_whitespace) && !text.contains("://")
}

/// Whether a word has the shape that some service gives its keys.
fn is_shaped(text: &str) -> bool {
    shapes::match_any(text) && !text.contains(['=', ':']) && !is_placeholder(text)
}

/// Whether a word alone was drawn: a run of letters and digits in it, or all of it as identifiers are written.
fn is_drawn(word: &str) -> bool {
    let hex = |part: &str| part.bytes().all(|b| b.is_ascii_hexdigit());
    let identifier = word.split('-').all(hex) && word.len() >= IDENTIFIER && looks_random(word);
    let named = word.contains(['/', ':']);
    let mut runs = word.split(|c: char| !c.is_ascii_alphanumeric());
    identifier || !named && runs.any(|run| run.len() >= DRAWN && looks_random(run))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_handed_over_as_a_key_is_told_from_names_addresses_and_sentences() {
        for key in [
            "sk-proj-4fJq0Zx81LmNwPq7RtYv",
            "sk-learn-something-very-long-indeed",
            "gsk_9aB8cD7eF6gH5iJ4kL3mN2oP",
            "csk-9aB8cD7eF6gH5iJ4kL3mN2oP",
            "9f86d081884c7d659a2feaa0c55ad015",
            "8f14e45f-ceea-467f-a8c4-3b1d9f0e72ab",
            "3f1b9c27e4d84a6f9b0c.7Qe2RtY9uIoP4sDf",
        ] {
            assert_eq!(Handed::of(&format!(" {key}\n")), Handed::Key(key));
            assert_eq!(Handed::of(&format!("export ACME_API_KEY={key}")), Handed::Key(key));
        }
        for other in [
            "",
            "gpt-4o-mini-2024-07-18",
            "anthropic/claude-3-5-sonnet-20241022",
            "accounts/fireworks/models/llama-v3p1-70b-instruct",
            "mixtral:8x7b-v2-q3_K_S",
            "phi3:3.8b-mini-4k-instruct-q4_K_M",
            "hf.co/bartowski/Llama-3.2-3B-Instruct-GGUF:Q4_K_M",
            "ft:gpt-3.5-turbo-0613:org::7p4lURe9",
            "http://127.0.0.1:8000/v1",
            "https://my-resource-9aB8cD7eF6gH5iJ4.openai.azure.com/openai/v1",
            "where is the store?",
            "sk-",
        ] {
            assert_eq!(Handed::of(other), Handed::Nothing, "{other}");
        }
        for (name, is_key) in [
            ("9f86d081884c7d659a2feaa0c55ad015", false),
            ("my-tune-4fJq0Zx81LmNwPq7RtYv", false),
            ("sk-proj-4fJq0Zx81LmNwPq7RtYv", true),
            ("ghp_4fJq0Zx81LmNwPq7RtYv4fJq0Zx81LmNwPq7", true),
        ] {
            assert!(matches!(Handed::of(name), Handed::Key(_)), "{name}");
            assert_eq!(Handed::typed(name) != Handed::Nothing, is_key, "{name}");
        }
        for several in [
            "OPENAI_API_KEY=sk-proj-4fJq0Zx81LmNwPq7RtYv\nGROQ_API_KEY=gsk_9aB8cD7eF6gH5iJ4kL3mN2oP",
            "https://me:9aB8cD7eF6gH5iJ4@example.net/v1",
        ] {
            assert_eq!(Handed::of(several), Handed::Several, "{several}");
        }
    }
}
