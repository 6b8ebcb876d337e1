//! Which mode the first task of a session asks for (MOD-03).
//!
//! Owns the words that ask for proof. Never switches a mode: the session does, once, and says so.

use super::text::{self, Kind};

/// Words that ask for proof wherever they stand.
const ASKS: [&str; 28] = [
    "compliance",
    "compliant",
    "provenance",
    "defensible",
    "auditable",
    "auditor",
    "auditors",
    "verifiable",
    "traceability",
    "traceable",
    "regulatory",
    "regulator",
    "certification",
    "accountable",
    "substantiated",
    "nachvollziehbar",
    "nachweis",
    "nachweise",
    "revisionssicher",
    "belegbar",
    "prufbar",
    "conformite",
    "tracabilite",
    "preuve",
    "preuves",
    "cumplimiento",
    "trazabilidad",
    "verificable",
];

/// Verbs that ask for proof; behind an article they are names of things.
const VERBS: [&str; 15] = [
    "verify",
    "prove",
    "audit",
    "certify",
    "substantiate",
    "attest",
    "beweise",
    "belege",
    "prufe",
    "verifiziere",
    "verifie",
    "prouve",
    "verifica",
    "demuestra",
    "audita",
];

const ARTICLES: [&str; 24] = [
    "the", "a", "an", "this", "that", "our", "my", "your", "its", "der", "die", "das", "den", "ein", "eine",
    "le", "la", "les", "un", "une", "el", "los", "las", "una",
];

const NOT: [&str; 16] = [
    "no", "not", "dont", "never", "without", "skip", "kein", "keine", "nicht", "ohne", "sans", "pas", "sin",
    "non", "nie", "niet",
];

/// The word with which a task asks for proof, if it does.
pub fn asks_for_proof(message: &str) -> Option<String> {
    let doc = text::tokenize(&text::focus(message));
    let words: Vec<&str> =
        doc.tokens.iter().filter(|t| t.kind == Kind::Word).map(|t| t.text.as_str()).collect();
    words.iter().enumerate().find_map(|(at, word)| {
        let before = |n: usize| words.get(at.checked_sub(n)?).copied();
        let named = before(1).is_some_and(|w| ARTICLES.contains(&w));
        let denied = (1..=3).filter_map(before).any(|w| NOT.contains(&w));
        let asks = ASKS.contains(word) || (VERBS.contains(word) && !named);
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
