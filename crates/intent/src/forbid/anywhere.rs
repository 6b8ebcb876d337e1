//! A prohibition anywhere in a message: in the middle of a long one, behind pasted output, at the
//! end of an open quote.
//!
//! Owns which pieces of the whole text are looked at. How far a phrase reaches is for the module
//! above. Fenced code alone is left out.

use std::{cell::LazyCell, collections::HashSet, sync::LazyLock};

use super::{
    super::{
        lexicon::{Lexicon, Openings, Tag},
        text,
    },
    Ban, narrowed, strength, universal,
};

/// Longest piece that is read at once, and what two such pieces share.
const PIECE: usize = 800;
const SHARED: usize = 160;

/// How a prohibition opens; most pieces have nothing of the kind.
static SIGNS: LazyLock<(Openings, HashSet<char>)> = LazyLock::new(|| {
    let (mut words, signs) = Lexicon::builtin().openings(|t| matches!(t, Tag::Forbid | Tag::ForbidAll));
    for word in super::negation::SIGNS.iter().flat_map(|list| list.iter()) {
        words.entry((*word).into()).or_default().insert("".into());
    }
    (words, signs)
});

/// The strongest prohibition in the whole text.
pub(crate) fn anywhere(text: &str) -> Ban {
    let mut most = Ban::None;
    let mut word = String::with_capacity(24);
    // logs repeat themselves
    let mut seen = HashSet::new();
    for line in text::outside_fences(text) {
        let pasted = LazyCell::new(|| text::is_pasted(line));
        for piece in sentences(line).flat_map(pieces) {
            if suspect(piece, &mut word) && seen.insert((piece, *pasted)) {
                most = most.max(read(piece, *pasted));
            }
        }
    }
    most
}

fn read(piece: &str, pasted: bool) -> Ban {
    let doc = text::scan(piece);
    let mut hits = Lexicon::builtin().find(&doc.tokens);
    let more = super::negations(&doc.tokens, &hits);
    hits.extend(more);
    let found = hits
        .iter()
        .filter(|h| h.tag == Tag::Forbid && (!pasted || universal(&doc.tokens, h)))
        .map(|h| strength(&doc.tokens, h, true))
        .max()
        .unwrap_or_default();
    let whole = hits.iter().any(|h| h.tag == Tag::ForbidAll && !narrowed(&doc.tokens, h, true));
    found.max(if whole { Ban::Changes } else { Ban::None })
}

/// Whether a piece has words that a prohibition could open with.
fn suspect(piece: &str, word: &mut String) -> bool {
    let (openings, signs) = &*SIGNS;
    let mut before = None;
    word.clear();
    for c in piece.chars().chain([' ']) {
        if text::is_cjk(c) && signs.contains(&c) {
            return true;
        }
        let apart = matches!(c, '\'' | '’' | '‘' | 'ʼ');
        let gap = c.is_whitespace() || (c.is_ascii_punctuation() && c != '-') || text::is_break(c);
        if !apart && !gap && !text::is_cjk(c) {
            if word.len() < 32 {
                word.extend(text::fold(c));
            }
            continue;
        }
        let whole = word.trim_matches('-');
        if whole.is_empty() {
            continue;
        }
        if before.is_some_and(|seconds: &HashSet<Box<str>>| seconds.contains(whole)) {
            return true;
        }
        let seconds = openings.get(whole);
        if seconds.is_some_and(|s| s.contains("")) {
            return true;
        }
        // "don't" is one word, "n'efface" two
        if !apart {
            word.clear();
        }
        before = seconds;
    }
    false
}

/// A line cut behind the marks that end a sentence.
fn sentences(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let cut = rest.char_indices().find_map(|(i, c)| {
            let end = i + c.len_utf8();
            let open =
                || rest.get(end..).is_none_or(|r| r.starts_with(|c: char| c.is_whitespace() || c == '"'));
            let ends =
                matches!(c, '。' | '！' | '？' | '；') || (matches!(c, '.' | '!' | '?' | ';') && open());
            ends.then_some(end)
        });
        let (head, tail) = rest.split_at_checked(cut.unwrap_or(rest.len()))?;
        rest = tail;
        Some(head)
    })
}

/// A sentence in pieces that overlap, so that no prohibition is cut.
fn pieces(sentence: &str) -> impl Iterator<Item = &str> {
    let mut at = Some(0);
    std::iter::from_fn(move || {
        let from = at?;
        let to = sentence.floor_char_boundary(from + PIECE);
        at = (to < sentence.len()).then(|| sentence.floor_char_boundary(to - SHARED));
        sentence.get(from..to)
    })
}
