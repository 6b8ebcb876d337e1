//! What models forget: marks for what a draft was handed and does not name.
//!
//! Owns putting each reference in where it fits best, by words alone. Pure, and the same when done twice.

use std::{collections::BTreeSet, ops::Range};

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
pub fn postprocess(mut draft: Draft, references: &[Reference]) -> Draft {
    let marks = |text: &str| -> Vec<String> { claims::cited(text).map(|c| c.to_string()).collect() };
    let mut named: BTreeSet<String> = draft.texts().flat_map(marks).collect();
    // Each is read once, and again where something was put in.
    let mut told: Vec<Told> = draft.sections.iter().map(Told::of).collect();
    for of in references {
        if named.contains(&of.mark) {
            continue;
        }
        let words = claims::words(&format!("{} {}", of.title, of.text));
        let fits = |t: &Told| claims::shares(&t.words, &words);
        // The first of those that are alike.
        let best = draft.sections.iter_mut().zip(&mut told).rev().filter(|(_, t)| fits(t));
        let best = best.max_by_key(|(_, t)| t.words.intersection(&words).count());
        if let Some((section, told)) = best {
            told.place(section, of, &words);
            named.extend(marks(&section.text));
            *told = Told::of(section);
        }
    }
    draft
}

/// What a section speaks of: all of it, and sentence by sentence with where each stands.
struct Told {
    words: BTreeSet<String>,
    sentences: Vec<(BTreeSet<String>, Range<usize>)>,
}

impl Told {
    fn of(section: &Section) -> Self {
        let sentences: Vec<_> = prose(&section.text).map(|s| (claims::words(s.text), s.at)).collect();
        let mut words = claims::words(&section.title);
        words.extend(sentences.iter().flat_map(|(all, _)| all.iter().cloned()));
        Self { words, sentences }
    }

    fn place(&self, section: &mut Section, of: &Reference, words: &BTreeSet<String>) {
        let sentences = self.sentences.iter().rev().filter(|(all, _)| claims::shares(all, words));
        if let Some((_, at)) = sentences.max_by_key(|(all, _)| all.intersection(words).count()) {
            section.text.insert_str(at.end, &format!(" [{}]", of.mark));
        }
        let quoted: String =
            of.text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(QUOTED).collect();
        section.text.push_str(&format!("\n\n> [{}] {}: {quoted}", of.mark, of.title.trim()));
    }
}

/// The sentences of a section that it says itself: no code, and nothing quoted.
fn prose(text: &str) -> impl Iterator<Item = Sentence<'_>> {
    claims::sentences(text).into_iter().filter(|s| !s.quoted)
}
