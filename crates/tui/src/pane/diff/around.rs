//! What of a very long line is drawn: the places that changed, with some of what stands around them.
//!
//! Owns where such a line is cut. Says how much is left out, and by which key the line is shown whole.

use std::ops::Range;

use crate::row::{Ink, Piece, count};

/// Bytes around a change in a long line that are drawn with it.
const AROUND: usize = 60;
/// Bytes of a long line in which nothing changed.
const UNCHANGED: usize = 160;

/// How a long line is cut: the sign for what is left out, how that is drawn, and the key that shows all.
#[derive(Clone, Copy)]
pub(super) struct Cut<'a> {
    pub(super) ellipsis: &'a str,
    pub(super) ink: Ink,
    pub(super) key: Option<&'a str>,
}

/// The parts of a long text that are drawn, in order; nothing where it is drawn whole. A line of a change of which nothing
/// is marked is new as a whole.
fn parts(text: &str, marked: &[Range<usize>], changed: bool) -> Option<Vec<Range<usize>>> {
    if changed && marked.is_empty() {
        return None;
    }
    let (floor, ceil) = (|at: usize| text.floor_char_boundary(at), |at: usize| text.ceil_char_boundary(at));
    if marked.is_empty() {
        return Some(std::iter::once(0..floor(UNCHANGED)).collect());
    }
    let mut parts: Vec<Range<usize>> = Vec::new();
    for range in marked {
        let (from, to) =
            (floor(range.start.saturating_sub(AROUND)), ceil((range.end + AROUND).min(text.len())));
        match parts.last_mut().filter(|last| last.end + AROUND >= from) {
            Some(last) => last.end = last.end.max(to),
            None => parts.push(from..to),
        }
    }
    // What is left out at an end and is no longer than the words for it stays.
    if let Some(first) = parts.first_mut().filter(|first| first.start <= AROUND) {
        first.start = 0;
    }
    if let Some(last) = parts.last_mut().filter(|last| last.end + AROUND >= text.len()) {
        last.end = text.len();
    }
    Some(parts).filter(|parts| parts.iter().map(Range::len).sum::<usize>() < text.len())
}

/// The pieces of a long line cut around what is marked in it.
pub(super) fn cut(pieces: Vec<Piece>, marked: &[Range<usize>], changed: bool, how: Cut<'_>) -> Vec<Piece> {
    let text: String = pieces.iter().map(Piece::text).collect();
    let Some(parts) = parts(&text, marked, changed) else { return pieces };
    let mut out = Vec::new();
    let mut done = 0;
    let mut keyed = how.key;
    let ends = text.len()..text.len();
    for part in parts.into_iter().chain(std::iter::once(ends)) {
        let left = text.get(done..part.start).unwrap_or_default().chars().count();
        if left > 0 {
            let key = keyed.take().map(|key| format!(", {key} shows all")).unwrap_or_default();
            let e = how.ellipsis;
            out.push(Piece::new(&format!("{e} {}{key} {e}", count(left, "character")), how.ink));
        }
        let mut at = 0;
        for piece in &pieces {
            let end = at + piece.text().len();
            let (from, to) = (part.start.clamp(at, end), part.end.clamp(at, end));
            if let Some(shown) = piece.text().get(from - at..to - at).filter(|shown| !shown.is_empty()) {
                out.push(Piece::new(shown, piece.ink));
            }
            at = end;
        }
        done = part.end;
    }
    out
}
