//! What models forget: marks for what a draft was handed and does not name.
//!
//! Owns putting each reference in where it fits best, by words alone. Pure, and the same when done twice.

use std::collections::BTreeSet;

use super::{
    Draft, Section,
    claims::{self, Sentence},
};

/// Something that a draft was handed beside the passages: `W1` from the web, `P1` from an earlier answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// Its mark, without brackets.
    pub mark: String,
    /// What it is.
    pub title: String,
    /// What it says.
    pub text: String,
    /// Where it stands, where that is an address.
    pub place: String,
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
    let named = |t: &str| claims::cited(t).any(|c| c.to_string() == of.mark);
    if draft.texts().any(named) {
        return draft;
    }
    let words = claims::words(&format!("{} {}", of.title, of.text));
    let speaks = |s: &Section| {
        let told: Vec<String> = prose(&s.text).map(|s| s.text.to_owned()).collect();
        claims::words(&format!("{} {}", s.title, told.join(" ")))
    };
    let shared = |all: &BTreeSet<String>| all.intersection(&words).count();
    // The first of those that are alike.
    let best = draft.sections.iter_mut().rev().map(|s| (speaks(s), s));
    let best = best.filter(|(all, _)| claims::shares(all, &words)).max_by_key(|(all, _)| shared(all));
    let Some((_, section)) = best else { return draft };
    let sentence = prose(&section.text).map(|s| (claims::words(s.text), s.at)).collect::<Vec<_>>();
    let sentence = sentence.into_iter().rev().filter(|(all, _)| claims::shares(all, &words));
    if let Some((_, at)) = sentence.max_by_key(|(all, _)| shared(all)) {
        section.text.insert_str(at.end, &format!(" [{}]", of.mark));
    }
    let quoted: String =
        of.text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(QUOTED).collect();
    section.text.push_str(&format!("\n\n> [{}] {}: {quoted}", of.mark, of.title.trim()));
    draft
}

/// The sentences of a section that it says itself: no code, and nothing quoted.
fn prose(text: &str) -> impl Iterator<Item = Sentence<'_>> {
    claims::sentences(text).into_iter().filter(|s| !s.quoted)
}
