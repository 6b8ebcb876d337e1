//! What models forget: marks for what a draft was handed and does not name.
//!
//! Owns putting each reference in where it fits best, by words alone. Pure, and the same when done twice.

use super::{Draft, claims};

/// Something that a draft was handed beside the passages: `W1` from the web, `P1` from an earlier answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// Its mark, without brackets.
    pub mark: String,
    /// What it is.
    pub title: String,
    /// What it says.
    pub text: String,
}

/// Most characters of a reference that are quoted.
const QUOTED: usize = 240;

/// A draft that names every reference: as a quotation in the section that speaks most of it, with its mark at
/// the sentence that does. One that is named already, or fits nowhere, is left.
#[must_use]
pub fn postprocess(draft: Draft, references: &[Reference]) -> Draft {
    references.iter().fold(draft, place)
}

fn place(mut draft: Draft, of: &Reference) -> Draft {
    let mark = format!("[{}]", of.mark);
    if draft.texts().any(|t| t.contains(&mark)) {
        return draft;
    }
    let words = claims::words(&format!("{} {}", of.title, of.text));
    let shared = |text: &str| claims::words(text).intersection(&words).count();
    // The first of those that are alike.
    let best =
        draft.sections.iter().enumerate().rev().max_by_key(|(_, s)| shared(&s.title) + shared(&s.text));
    let Some(at) = best.filter(|(_, s)| shared(&s.title) + shared(&s.text) > 0).map(|(at, _)| at) else {
        return draft;
    };
    let Some(section) = draft.sections.get_mut(at) else { return draft };
    let sentences = claims::sentences(&section.text);
    let told = sentences.iter().filter(|s| !s.trim_start().starts_with('>'));
    let sentence = told.rev().max_by_key(|s| shared(s)).map(|s| s.trim().to_owned());
    if let Some(sentence) = sentence {
        section.text = section.text.replacen(&sentence, &format!("{sentence} {mark}"), 1);
    }
    let quoted: String =
        of.text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(QUOTED).collect();
    section.text.push_str(&format!("\n\n> {mark} {}: {quoted}", of.title.trim()));
    draft
}
