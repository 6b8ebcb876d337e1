//! A prohibition anywhere in a message: in the middle of a long one, behind pasted output, at the
//! end of an open quote.
//!
//! Owns which pieces of the whole text are looked at. How far a phrase reaches is for the module
//! above. Fenced code alone is left out.

use std::{cell::LazyCell, collections::HashSet};

use super::{
    super::{
        lexicon::{Hit, Signs},
        parts::{Rule, Tables},
        text,
        words::List,
    },
    Ban, Reach,
};

/// Longest piece that is read at once, and what two such pieces share.
const PIECE: usize = 800;
const SHARED: usize = 160;

/// The strongest prohibition in the whole text.
pub(crate) fn anywhere(text: &str, known: &Tables) -> Ban {
    if !known.on(Rule::ForbidAnywhere) || !known.on(Rule::TierProhibition) {
        return Ban::None;
    }
    let mut most = Ban::None;
    let mut word = String::with_capacity(24);
    // logs repeat themselves
    let mut seen = HashSet::new();
    for line in text::outside_fences(text) {
        let code = LazyCell::new(|| text::is_code(line));
        let mut noted = text::is_note(line);
        for piece in sentences(line).flat_map(pieces) {
            let note = text::note_in(piece).filter(|_| !noted && *code);
            if suspect(piece, &mut word, &known.lexicon.signs) {
                let (own, beside) = piece.split_at(if noted { 0 } else { note.unwrap_or(piece.len()) });
                let own_voice = if *code { Voice::Code } else { Voice::Own };
                for (part, voice) in [(own, own_voice), (beside, Voice::Note)] {
                    if seen.insert((part, voice)) {
                        most = most.and(read(part, voice, known));
                    }
                }
            }
            noted |= note.is_some();
        }
    }
    most
}

/// Who speaks in a part of a line.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Voice {
    /// The writer.
    Own,
    /// Code, or what the marks at its end make look like it: "leave it as it is. {".
    Code,
    /// A comment, to the readers of the code.
    Note,
}

fn read(part: &str, voice: Voice, known: &Tables) -> Ban {
    let doc = text::scan(part);
    let mut hits = known.lexicon.find(&doc.tokens);
    let more = super::negations(&doc.tokens, &hits, known);
    hits.extend(more);
    let reach = Reach { text: part, tokens: &doc.tokens, hits: &hits, known, ordered: true, changes: true };
    // "read only", "frozen" are words of code as well
    let plain = |h: &Hit| !reach.words(h).all(|w| known.is(List::ReadOnly, w));
    reach.of(|h| match voice {
        Voice::Own => true,
        Voice::Code => reach.universal(h) || plain(h),
        Voice::Note => reach.universal(h),
    })
}

/// Whether a piece has words that a prohibition could open with.
fn suspect(piece: &str, word: &mut String, (openings, signs): &Signs) -> bool {
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
        // Any slip will do: the piece is read for certain behind this.
        let whole = text::mended(word.trim_matches('-'), Some("not"));
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
