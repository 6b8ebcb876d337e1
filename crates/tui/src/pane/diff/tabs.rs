//! Tabs that are to be seen, in lines which look like each other without.
//!
//! Owns where they stand in a line as it is drawn.

use std::collections::BTreeSet;

use pilothouse_core::clean::TAB_COLUMNS;

use crate::{
    row::{Ink, Piece, width},
    theme::Slot,
};

/// The columns at which the tabs of a line begin.
fn columns(line: &str) -> BTreeSet<usize> {
    let (mut at, mut tabs) = (0, BTreeSet::new());
    for (n, part) in line.split('\t').enumerate() {
        if n > 0 {
            tabs.insert(at);
            at += TAB_COLUMNS - at % TAB_COLUMNS;
        }
        at += width(part);
    }
    tabs
}

/// The pieces of a line with a sign in the first column of each tab.
pub(super) fn shown(pieces: &[Piece], line: &[u8], sign: &str) -> Vec<Piece> {
    let tabs = columns(&String::from_utf8_lossy(line));
    let (mut at, mut out) = (0, Vec::new());
    for piece in pieces {
        let mut rest = String::new();
        for c in piece.text().chars() {
            if c == ' ' && tabs.contains(&at) {
                if !rest.is_empty() {
                    out.push(Piece::new(&std::mem::take(&mut rest), piece.ink));
                }
                out.push(Piece::new(sign, Ink { slot: Slot::Faint, ..piece.ink }));
            } else {
                rest.push(c);
            }
            at += width(c.encode_utf8(&mut [0; 4]));
        }
        if !rest.is_empty() {
            out.push(Piece::new(&rest, piece.ink));
        }
    }
    out
}
