//! Brace expansion: the words that `a{b,c}` and `{1..9}` become.
//!
//! Owns the expansion and its bounds. Never looks at what the words mean.

use super::syntax::{Piece, Quote, Word};

/// Most words that one word may become.
const MAX_WORDS: usize = 64;

/// Most braces, commas and runs between them in a word that is expanded.
const MAX_UNITS: usize = 512;

/// More words than this would use up the machine.
const TOO_MANY: i64 = 10_000_000;

/// Whether braces in a word may expand.
pub(super) fn may_expand(word: &Word) -> bool {
    word.pieces.iter().any(|p| matches!(p, Piece::Text(t, Quote::Bare) if t.contains('{')))
        && word.pieces.iter().any(|p| matches!(p, Piece::Text(t, Quote::Bare) if t.contains('}')))
}

/// How many words a word with ranges becomes, at least.
pub(super) fn count(word: &Word) -> usize {
    let ranges = units(word);
    let longest = ranges.iter().filter_map(range_of).map(|range| range.len()).max();
    longest.map_or(1, |longest| usize::try_from(longest).unwrap_or(usize::MAX))
}

/// One unit of a word for brace expansion.
#[derive(Clone)]
enum Unit {
    Open,
    Close,
    Comma,
    Other(Piece),
}

fn units(word: &Word) -> Vec<Unit> {
    let mut out = Vec::new();
    for piece in &word.pieces {
        let Piece::Text(text, Quote::Bare) = piece else {
            out.push(Unit::Other(piece.clone()));
            continue;
        };
        for part in text.split_inclusive(['{', '}', ',']) {
            let (body, mark) = match part.char_indices().last() {
                Some((at, c @ ('{' | '}' | ','))) => (part.get(..at).unwrap_or(""), Some(c)),
                _ => (part, None),
            };
            if !body.is_empty() {
                out.push(Unit::Other(Piece::Text(body.to_owned(), Quote::Bare)));
            }
            match mark {
                Some('{') => out.push(Unit::Open),
                Some('}') => out.push(Unit::Close),
                Some(_) => out.push(Unit::Comma),
                None => {}
            }
        }
    }
    out
}

fn literal(unit: &Unit) -> Piece {
    let mark = match unit {
        Unit::Open => "{",
        Unit::Close => "}",
        Unit::Comma => ",",
        Unit::Other(piece) => return piece.clone(),
    };
    Piece::Text(mark.to_owned(), Quote::Bare)
}

/// The words a word with braces becomes, and the rule that holds when these are not all.
pub(super) fn variants(word: &Word) -> (Vec<Word>, Option<&'static str>) {
    let first = units(word);
    if first.len() > MAX_UNITS {
        return (Vec::new(), Some("too-long"));
    }
    let endless = first.iter().any(|unit| range_of(unit).is_some_and(|range| range.len() > TOO_MANY));
    let mut todo = vec![first];
    let mut done: Vec<Word> = Vec::new();
    let mut steps = 0;
    let mut whole = true;
    while let Some(list) = todo.pop() {
        steps += 1;
        let next = outermost(&list);
        whole &= next.is_none() || steps < MAX_WORDS && todo.len() < MAX_WORDS;
        match next {
            Some((open, close, choices)) if steps < MAX_WORDS && todo.len() < MAX_WORDS => {
                for choice in choices.into_iter().rev() {
                    let mut next: Vec<Unit> = list.iter().take(open).cloned().collect();
                    next.extend(choice);
                    next.extend(list.iter().skip(close + 1).cloned());
                    todo.push(next);
                }
            }
            Some(_) | None => done.push(Word { pieces: list.iter().map(literal).collect(), span: word.span }),
        }
    }
    for word in &mut done {
        merge(&mut word.pieces);
    }
    (done, if endless { Some("bomb") } else { (!whole).then_some("too-long") })
}

/// Joins bare neighbours again, so that a word that was only split is not called roundabout.
fn merge(pieces: &mut Vec<Piece>) {
    let mut out: Vec<Piece> = Vec::with_capacity(pieces.len());
    for piece in pieces.drain(..) {
        if let (Some(Piece::Text(last, Quote::Bare)), Piece::Text(text, Quote::Bare)) =
            (out.last_mut(), &piece)
        {
            last.push_str(text);
        } else {
            out.push(piece);
        }
    }
    *pieces = out;
}

/// The first outermost `{a,b}`: where it opens and closes, and its choices, in which others may stand.
fn outermost(list: &[Unit]) -> Option<(usize, usize, Vec<Vec<Unit>>)> {
    let opens = list.iter().enumerate().filter(|(_, unit)| matches!(unit, Unit::Open));
    opens.map(|(at, _)| at).find_map(|open| {
        let (mut level, mut choices) = (0_usize, vec![Vec::new()]);
        for (at, unit) in list.iter().enumerate().skip(open + 1) {
            match unit {
                Unit::Close if level == 0 => return expansion(choices).map(|words| (open, at, words)),
                Unit::Comma if level == 0 => {
                    choices.push(Vec::new());
                    continue;
                }
                Unit::Open => level += 1,
                Unit::Close => level -= 1,
                Unit::Comma | Unit::Other(_) => {}
            }
            if let Some(last) = choices.last_mut() {
                last.push(unit.clone());
            }
        }
        None
    })
}

/// What stands for a pair of braces with these choices between: each of them, or the words of a range.
fn expansion(choices: Vec<Vec<Unit>>) -> Option<Vec<Vec<Unit>>> {
    match choices.as_slice() {
        [only] => match only.as_slice() {
            [unit] => range_of(unit).map(|range| range.words()),
            _ => None,
        },
        _ => Some(choices),
    }
}

/// `a..b` or `a..b..step`, of numbers or letters.
struct Range {
    from: i64,
    to: i64,
    step: i64,
    /// Written with letters.
    letters: bool,
    /// Digits that numbers are filled up to with zeros.
    width: usize,
}

impl Range {
    /// How many words it gives.
    const fn len(&self) -> i64 {
        self.to.saturating_sub(self.from).saturating_abs() / self.step + 1
    }

    /// Its words; of a long range only the first ones, and one that stands for the others.
    fn words(&self) -> Vec<Vec<Unit>> {
        let way = if self.to < self.from { -self.step } else { self.step };
        let most = i64::try_from(MAX_WORDS / 2).unwrap_or(0);
        let text = |at: i64| {
            let value = self.from.saturating_add(way.saturating_mul(at));
            match u8::try_from(value) {
                Ok(letter) if self.letters => char::from(letter).to_string(),
                _ => format!("{value:0width$}", width = self.width),
            }
        };
        let mut words: Vec<String> = (0..self.len().min(most)).map(text).collect();
        if self.len() > most {
            words.push("*".to_owned());
        }
        words.into_iter().map(|text| vec![Unit::Other(Piece::Text(text, Quote::Bare))]).collect()
    }
}

/// The range that stands between two braces, when it is one.
fn range_of(unit: &Unit) -> Option<Range> {
    let Unit::Other(Piece::Text(text, Quote::Bare)) = unit else { return None };
    let mut ends = text.split("..");
    let (from, to, step) = (ends.next()?, ends.next()?, ends.next());
    if ends.next().is_some() {
        return None;
    }
    let step = step.map_or(Some(1), |step| step.parse::<i64>().ok())?.saturating_abs().max(1);
    let letter = |text: &str| match text.as_bytes() {
        [one] if one.is_ascii_alphabetic() => Some(i64::from(*one)),
        _ => None,
    };
    if let (Some(from), Some(to)) = (letter(from), letter(to)) {
        return Some(Range { from, to, step, letters: true, width: 0 });
    }
    let filled = |text: &str| text.trim_start_matches('-').starts_with('0') && text.len() > 1;
    let width = if filled(from) || filled(to) { from.len().max(to.len()) } else { 0 };
    Some(Range { from: from.parse().ok()?, to: to.parse().ok()?, step, letters: false, width })
}
