//! Which mode the first task of a session asks for (MOD-03).
//!
//! Owns the words that ask for proof. Never switches a mode: the session does, once, and says so.

use super::{
    parts::Tables,
    text::{self, Kind},
    words::List,
};

/// The word with which a task asks for proof, if it does.
pub fn asks_for_proof(message: &str) -> Option<String> {
    let doc = text::tokenize(&text::focus(message));
    let is = |list, word: &str| Tables::builtin().is(list, word);
    let words: Vec<&str> =
        doc.tokens.iter().filter(|t| t.kind == Kind::Word).map(|t| t.text.as_str()).collect();
    words.iter().enumerate().find_map(|(at, word)| {
        let before = |n: usize| words.get(at.checked_sub(n)?).copied();
        let named = before(1).is_some_and(|w| is(List::Article, w));
        let denied = (1..=3).filter_map(before).any(|w| is(List::Not, w) || w == "skip");
        let asks = is(List::Proof, word) || (is(List::ProofVerb, word) && !named);
        (asks && !denied).then(|| (*word).to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_proof_are_heard_and_names_are_not() {
        for (text, word) in [
            ("verify that the totals match the ledger", "verify"),
            ("Prove that no request skips the limiter", "prove"),
            ("audit every use of unsafe", "audit"),
            ("build the export with full provenance", "provenance"),
            ("we need a defensible answer on retention", "defensible"),
            ("make the login GDPR compliant", "compliant"),
            ("prüfe, ob alle Zeilen ankommen", "prufe"),
        ] {
            assert_eq!(asks_for_proof(text).as_deref(), Some(word), "{text}");
        }
        for text in [
            "fix the greeting",
            "rename the verify function",
            "fix `verify` in auth.rs",
            "write the docs, no proof and no audit needed",
            "don't verify anything, just rename it",
            "improve verify_password",
            "",
        ] {
            assert_eq!(asks_for_proof(text), None, "{text}");
        }
    }
}
