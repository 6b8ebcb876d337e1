//! What models forget: marks for what a draft was handed and does not name.
//!
//! Owns putting each reference in where it fits best, by words alone. Pure, and the same when done twice.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
};

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
    let mut named: BTreeSet<String> = draft.texts().flat_map(marks).collect();
    if references.iter().all(|of| named.contains(&of.mark)) {
        return draft;
    }
    let mut lexicon = Lexicon::default();
    // Each section is read once: what is put in says nothing of its own.
    let mut told: Vec<Told> = draft.sections.iter().map(|s| Told::of(s, &mut lexicon)).collect();
    for of in references {
        if named.contains(&of.mark) {
            continue;
        }
        let words = lexicon.words([of.title.as_str(), of.text.as_str()]);
        // The first of those that are alike.
        let all = draft.sections.iter_mut().zip(&mut told).rev();
        let best = all.filter_map(|(section, told)| Some((fits(&told.words, &words)?, section, told)));
        if let Some((_, section, told)) = best.max_by_key(|(shared, ..)| *shared) {
            let quotation = told.place(section, of, &words);
            named.extend(marks(&quotation));
        }
    }
    draft
}

/// What a text names.
fn marks(text: &str) -> impl Iterator<Item = String> {
    claims::cited(text).map(|c| c.to_string())
}

/// Words as numbers, in their order, each once: what is held against many texts is compared at once.
type Words = Vec<u32>;

/// The numbers of words.
#[derive(Debug, Default)]
struct Lexicon {
    known: BTreeMap<String, u32>,
}

impl Lexicon {
    fn words<'t>(&mut self, texts: impl IntoIterator<Item = &'t str>) -> Words {
        let mut all = Vec::new();
        for text in texts {
            claims::each_word(text, |word| all.push(self.number(word)));
        }
        all.sort_unstable();
        all.dedup();
        all
    }

    fn number(&mut self, word: &str) -> u32 {
        if let Some(number) = self.known.get(word) {
            return *number;
        }
        let next = u32::try_from(self.known.len()).unwrap_or(u32::MAX);
        self.known.insert(word.to_owned(), next);
        next
    }
}

/// How many words two texts share, where these say that both speak of the same.
fn fits(one: &Words, other: &Words) -> Option<usize> {
    let (mut rest, mut shared) = (other.as_slice(), 0);
    for word in one {
        while let [first, later @ ..] = rest
            && first < word
        {
            rest = later;
        }
        shared += usize::from(rest.first() == Some(word));
    }
    claims::are_enough(shared, one.len(), other.len()).then_some(shared)
}

/// What a section speaks of: all of it, and sentence by sentence with where each stands.
struct Told {
    words: Words,
    sentences: Vec<(Words, Range<usize>)>,
}

impl Told {
    fn of(section: &Section, lexicon: &mut Lexicon) -> Self {
        let sentences: Vec<_> = prose(&section.text).map(|s| (lexicon.words([s.text]), s.at)).collect();
        let mut words = lexicon.words([section.title.as_str()]);
        words.extend(sentences.iter().flat_map(|(all, _)| all));
        words.sort_unstable();
        words.dedup();
        Self { words, sentences }
    }

    /// Puts a reference in; what stands below the section for it.
    fn place(&mut self, section: &mut Section, of: &Reference, words: &Words) -> String {
        let all = self.sentences.iter().rev().filter_map(|(own, at)| Some((fits(own, words)?, at.end)));
        if let Some((_, end)) = all.max_by_key(|(shared, _)| *shared) {
            let mark = format!(" [{}]", of.mark);
            section.text.insert_str(end, &mark);
            for (_, at) in self.sentences.iter_mut().filter(|(_, at)| at.end >= end) {
                // The mark belongs to the sentence before it.
                at.start += if at.start >= end { mark.len() } else { 0 };
                at.end += mark.len();
            }
        }
        let quoted: String =
            of.text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(QUOTED).collect();
        let quotation = format!("\n\n> [{}] {}: {quoted}", of.mark, of.title.trim());
        section.text.push_str(&quotation);
        quotation
    }
}

/// The sentences of a section that it says itself: no code, and nothing quoted.
fn prose(text: &str) -> impl Iterator<Item = Sentence<'_>> {
    claims::sentences(text).into_iter().filter(|s| !s.quoted)
}
