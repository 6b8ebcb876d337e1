//! The words of each passage of a file, by where they stand.
//!
//! Owns which words a passage is found by. Never asks for one.

use std::collections::HashMap;

use crate::{
    bag::{ABOUT, Bag, CODE, DEFINES, NAME, NOTES, OUTER, PATH, SAID},
    cut::{self, Cut, Piece},
    language::Language,
    store::Fields,
    words,
};

/// Most lines of what is said first, and of what a definition consists of.
const FIRST: usize = 6;

/// The words of each passage of a file.
pub(crate) fn fields(path: &str, text: &str, cut: &Cut, language: Option<&Language>) -> Vec<Fields> {
    let lines: Vec<&str> = text.lines().collect();
    let comment = |line: &str| language.is_none_or(|l| l.is_comment(line));
    let prose = language.is_none_or(|l| l.prose);
    let place = stems(path);
    let top = if prose { String::new() } else { said(&lines, 0, &comment) };
    // What is said first of each thing that is defined, by its name.
    let mut told: HashMap<&str, String> = HashMap::new();
    for piece in cut.pieces.iter().filter(|_| !prose) {
        if let Some(symbol) = piece.defines.first() {
            let words = said(&lines, piece.from - 1, &comment);
            if !words.is_empty() {
                told.entry(&symbol.name).or_insert(words);
            }
        }
    }
    let of = |piece: &Piece| {
        let mut fields = Fields { name: stems(&piece.title()), path: place.clone(), ..Fields::default() };
        let mut bag = Bag::default();
        let outer = named(piece, &mut fields.whole, &mut bag);
        fields.about = format!("{top}{}", told.get(outer.as_str()).map_or("", String::as_str));
        bag.add(&place, PATH);
        bag.add(&fields.about, ABOUT);
        let (mut bytes, mut saying, mut defining) = (0, true, 0_usize);
        for (at, line) in lines.iter().enumerate().skip(piece.from - 1).take(piece.to + 1 - piece.from) {
            bytes += line.len();
            if bytes > cut::MOST_BYTES {
                break;
            }
            let comment = comment(line);
            let into = if comment { &mut fields.notes } else { &mut fields.code };
            let start = into.len();
            into_fields(line, into, &mut fields.whole);
            let new = into.get(start..).unwrap_or_default();
            if piece.defines.iter().any(|s| s.line == at + 1) {
                defining = FIRST;
            }
            saying = saying && comment && at < piece.from + FIRST && !(new.is_empty() && at >= piece.from);
            bag.add(
                new,
                match () {
                    () if comment && saying && !prose => SAID,
                    () if comment => NOTES,
                    () if defining > 0 => DEFINES,
                    () => CODE,
                },
            );
            let ends = line.ends_with(['{', ';', ':', '}']);
            defining = if ends { 0 } else { defining.saturating_sub(1) };
        }
        fields.whole.split(' ').for_each(|name| bag.add(name, CODE));
        fields.bag = bag.packed();
        fields
    };
    cut.pieces.iter().map(of).collect()
}

/// Adds the names of what a passage defines, or stands in; tells what that stands in.
fn named(piece: &Piece, whole: &mut String, bag: &mut Bag) -> String {
    let title = piece.title();
    let outer = piece.defines.first().map_or(title.as_str(), |s| s.outer.as_str());
    for symbol in &piece.defines {
        whole.push_str(&symbol.name.to_lowercase());
        whole.push(' ');
        bag.add(&stems(&symbol.name), NAME);
        bag.add(&stems(&symbol.outer), OUTER);
    }
    if piece.defines.is_empty() {
        let last = title.rsplit(" > ").next().unwrap_or_default();
        bag.add(&stems(last), NAME);
        bag.add(&stems(&title), OUTER);
    }
    outer.rsplit(" > ").next().unwrap_or_default().to_owned()
}

/// The words of what is said first from a line on.
fn said(lines: &[&str], from: usize, comment: &dyn Fn(&str) -> bool) -> String {
    let mut out = String::new();
    for line in lines.iter().skip(from).take(FIRST).take_while(|line| comment(line)) {
        let words = stems(line);
        if words.is_empty() && !out.is_empty() {
            break;
        }
        out.push_str(&words);
    }
    out
}

/// The words of a text by stem, in its order.
pub(crate) fn stems(text: &str) -> String {
    let (mut out, mut whole) = (String::new(), String::new());
    into_fields(text, &mut out, &mut whole);
    out
}

/// Adds the words of a line, and the names in it as they stand.
fn into_fields(line: &str, into: &mut String, whole: &mut String) {
    for run in words::runs(line) {
        words::parts(run, |part| {
            into.push_str(words::stem(part));
            into.push(' ');
        });
        if words::is_compound(run) {
            whole.push_str(&run.to_lowercase());
            whole.push(' ');
        }
    }
}
