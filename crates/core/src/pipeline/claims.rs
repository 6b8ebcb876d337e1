//! What an answer says, sentence by sentence, and what each sentence rests on.
//!
//! Owns reading `[1]` marks in every form that models give them, and whether a passage bears a sentence, as far as code can tell. Never rewrites.

use std::{collections::BTreeSet, fmt, ops::Range, sync::LazyLock};

use serde::{Deserialize, Serialize};

use super::Draft;
use crate::knowledge::check;

/// Most passages that a mark with a dash names.
const MOST_OF_RANGE: usize = 30;
/// Words that stand in a mark and say nothing.
const FILLING: [&str; 8] = ["and", "see", "passage", "passages", "source", "sources", "ref", "refs"];

/// What a mark names.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Cite {
    /// A passage, from 1.
    Passage(usize),
    /// `W1` of the web, `P1` of an earlier answer, or what nobody knows.
    Named(String),
}

impl Cite {
    /// The number of the passage.
    pub const fn number(&self) -> Option<usize> {
        match self {
            Self::Passage(number) => Some(*number),
            Self::Named(_) => None,
        }
    }
}

impl fmt::Display for Cite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Passage(number) => number.fmt(f),
            Self::Named(name) => name.fmt(f),
        }
    }
}

/// A sentence that rests on something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The sentence, without its marks.
    pub text: String,
    /// What it names.
    pub cites: Vec<Cite>,
}

/// A sentence and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sentence<'t> {
    /// Where.
    pub at: Range<usize>,
    /// Its text.
    pub text: &'t str,
    /// Whether its line is a quotation.
    pub quoted: bool,
}

/// The sentences of a draft that rest on something, in their order.
pub fn claims(draft: &Draft) -> Vec<Claim> {
    draft.texts().flat_map(sentences).filter_map(|s| claim(s.text)).collect()
}

/// The numbers of the passages that claims name, each once, in their order.
pub(super) fn numbers(claims: &[Claim]) -> BTreeSet<usize> {
    claims.iter().flat_map(|c| &c.cites).filter_map(Cite::number).collect()
}

/// The sentences of a text, marks behind their full stop included; none of a block of code.
pub(super) fn sentences(text: &str) -> Vec<Sentence<'_>> {
    let mut all = Vec::new();
    let mut code: Option<&str> = None;
    let mut begins = 0;
    for whole in text.split_inclusive('\n') {
        let (line, at) = (whole.trim_end_matches(['\n', '\r']), begins);
        begins += whole.len();
        let fence = ["```", "~~~"].into_iter().find(|fence| line.trim_start().starts_with(fence));
        if fence.is_some() && (code.is_none() || code == fence) {
            code = if code.is_some() { None } else { fence };
        } else if code.is_none() {
            let quoted = line.trim_start().starts_with('>');
            let part = |(from, to): (usize, usize)| Sentence {
                at: at + from..at + to,
                text: line.get(from..to).unwrap_or_default(),
                quoted,
            };
            all.extend(parted(line).into_iter().map(part).filter(|s| !s.text.trim().is_empty()));
        }
    }
    all
}

/// Where the sentences of a line begin and end.
fn parted(line: &str) -> Vec<(usize, usize)> {
    let (mut all, mut from) = (Vec::new(), 0);
    let code = code(line);
    let ends = line.char_indices().filter(|(at, c)| {
        let next = line.get(at + c.len_utf8()..).unwrap_or_default();
        let ends = matches!(c, '.' | '!' | '?') && (next.is_empty() || next.starts_with([' ', '[']));
        ends && !code.iter().any(|span| span.contains(at))
    });
    for (at, c) in ends {
        let mut end = at + c.len_utf8();
        // Marks behind the full stop belong to the sentence.
        while let Some((len, _)) = line.get(end..).and_then(mark_at) {
            end += len;
        }
        if end > from {
            all.push((from, end));
            from = end;
        }
    }
    all.push((from, line.len()));
    all
}

/// Where code stands in a line: from backquotes to as many of them again. Those without a partner are letters.
fn code(line: &str) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for (at, _) in line.match_indices('`') {
        match runs.last_mut().filter(|run| run.end == at) {
            Some(run) => run.end += 1,
            None => runs.push(at..at + 1),
        }
    }
    let (mut spans, mut rest) = (Vec::new(), runs.as_slice());
    while let [first, later @ ..] = rest {
        rest = later;
        if let Some(n) = later.iter().position(|run| run.len() == first.len()) {
            spans.extend(later.get(n).map(|last| first.start..last.end));
            rest = later.get(n + 1..).unwrap_or_default();
        }
    }
    spans
}

/// The mark that a text begins with: how long it is with the blank before it, and what it names.
fn mark_at(text: &str) -> Option<(usize, Vec<Cite>)> {
    let rest = text.trim_start_matches(' ');
    let inside = rest.strip_prefix('[')?;
    let end = inside.find(']')?;
    Some((text.len() - rest.len() + end + 2, cites(inside.get(..end)?)?))
}

/// What stands between brackets as a mark: numbers, then perhaps words about them; `None` where it is none.
fn cites(inside: &str) -> Option<Vec<Cite>> {
    if let Some(number) = inside.parse().ok().filter(|_| inside.bytes().all(|b| b.is_ascii_digit())) {
        return Some(vec![Cite::Passage(number)]);
    }
    numbered(inside).or_else(|| {
        let mut ends = inside.match_indices([',', ':', ';', '(']).map(|(at, _)| at).rev();
        ends.find_map(|at| {
            let (numbers, words) = inside.split_at_checked(at)?;
            numbered(numbers).filter(|_| says(words))
        })
    })
}

/// Whether what follows a number is said of a place: a word, or a line such as `L3`. `[0, n]` is no mark.
fn says(words: &str) -> bool {
    let mut all = words.split(|c: char| !c.is_alphanumeric());
    all.any(|w| w.chars().take(2).filter(|c| c.is_alphabetic()).count() == 2 || is_line(w))
}

/// Whether a word is a line as `L3` says it.
fn is_line(word: &str) -> bool {
    word.strip_prefix(['L', 'l']).is_some_and(|n| n.starts_with(|c: char| c.is_ascii_digit()))
}

/// Numbers, alone or from one to another, `W1`, `P1`, and whatever else is written as a number.
fn numbered(inside: &str) -> Option<Vec<Cite>> {
    let plain = inside.replace(['–', '—'], "-").replace([',', ';', '&'], " ");
    let words = plain.split_whitespace().map(|w| w.trim_end_matches(':'));
    let words: Vec<&str> = words.filter(|w| !FILLING.contains(&w.to_lowercase().as_str())).collect();
    let text = words.join(" ").replace(" to ", "-").replace(" - ", "-").replace("- ", "-").replace(" -", "-");
    let ok = |c: char| {
        c.is_ascii_digit() || matches!(c, '-' | '.' | ':' | '/' | '^' | '#' | 'W' | 'P' | 'w' | 'p')
    };
    let is = |item: &str| item.chars().all(ok) && item.contains(|c: char| c.is_ascii_digit());
    let items: Vec<&str> = text.split(' ').filter(|i| !i.is_empty()).collect();
    (!items.is_empty() && items.iter().all(|i| is(i))).then(|| items.into_iter().flat_map(named).collect())
}

/// What one item of a mark names.
fn named(item: &str) -> Vec<Cite> {
    let read = |text: &str| -> Option<(String, usize)> {
        let digits = text.trim_start_matches(['W', 'P', 'w', 'p']);
        let letters = text.get(..text.len() - digits.len())?.to_uppercase();
        (letters.len() < 2 && digits.chars().all(|c| c.is_ascii_digit()))
            .then_some((letters, digits.parse().ok()?))
    };
    let cite = |letter: &str, n: usize| {
        if letter.is_empty() { Cite::Passage(n) } else { Cite::Named(format!("{letter}{n}")) }
    };
    if let Some((letter, n)) = read(item) {
        return vec![cite(&letter, n)];
    }
    let ends = item.split_once('-').and_then(|(from, to)| Some((read(from)?, read(to)?)));
    match ends {
        Some(((of, from), (to_of, to)))
            if (to_of.is_empty() || to_of == of) && from <= to && to - from < MOST_OF_RANGE =>
        {
            (from..=to).map(|n| cite(&of, n)).collect()
        }
        Some(_) | None => vec![Cite::Named(item.to_owned())],
    }
}

/// What a text names in its sentences.
pub(super) fn cited(text: &str) -> impl Iterator<Item = Cite> {
    sentences(text).into_iter().flat_map(|s| marks(s.text)).flat_map(|(_, cites)| cites)
}

/// The marks of a sentence, each with where it stands; an index in code is none.
pub(super) fn marks(text: &str) -> Vec<(Range<usize>, Vec<Cite>)> {
    let (mut all, code) = (Vec::new(), code(text));
    for (at, _) in text.match_indices('[') {
        let Some(rest) = text.get(at..).filter(|_| !code.iter().any(|span| span.contains(&at))) else {
            continue;
        };
        if let Some((len, cites)) = mark_at(rest) {
            all.push((at..at + len, cites));
        }
    }
    all
}

/// A text without its marks, in a line.
pub(super) fn bare(text: &str) -> String {
    let mut bare = text.to_owned();
    for (place, _) in marks(text).into_iter().rev() {
        bare.replace_range(place, "");
    }
    bare.split_whitespace().collect::<Vec<_>>().join(" ").replace(" .", ".")
}

pub(super) fn claim(sentence: &str) -> Option<Claim> {
    let cites: Vec<Cite> = marks(sentence).into_iter().flat_map(|(_, cites)| cites).collect();
    (!cites.is_empty()).then(|| Claim { text: bare(sentence), cites })
}

/// Whether two texts speak of the same, as far as words can tell.
pub(super) fn shares(one: &BTreeSet<String>, other: &BTreeSet<String>) -> bool {
    are_enough(one.intersection(other).count(), one.len(), other.len())
}

/// Whether so many shared words, of so many in one text and in the other, say that both speak of the same.
pub(super) fn are_enough(shared: usize, one: usize, other: usize) -> bool {
    shared >= 3 || (shared >= 2 && shared * 10 >= one.min(other) * 3)
}

/// Words that say nothing of what a sentence is about.
const SAYS_NOTHING: &str = " the and that this with from into for are was were has have had which when where what how why not \
    but its it's their there they them then than can could would should will does did done been being each all any \
    one two also only just more most some such very over under about after before through while because between \
    both use used uses using call calls called function file line code value returns return ";
static PLAIN: LazyLock<BTreeSet<&str>> = LazyLock::new(|| SAYS_NOTHING.split_whitespace().collect());

/// The words of a text that say what it is about, without their endings.
pub(super) fn words(text: &str) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    each_word(text, |word| {
        if !all.contains(word) {
            all.insert(word.to_owned());
        }
    });
    all
}

/// Hands on each of these words, as often as it is said: `parse_config` and `parseConfig` are two.
pub(super) fn each_word(text: &str, mut take: impl FnMut(&str)) {
    let (mut part, mut before) = (String::new(), '_');
    for c in text.chars().chain(std::iter::once('_')) {
        let joins = c.is_alphanumeric();
        if !joins || (c.is_uppercase() && before.is_lowercase()) {
            if part.is_ascii() {
                part.make_ascii_lowercase();
            } else {
                part = part.to_lowercase();
            }
            if is_long(&part) && !PLAIN.contains(part.as_str()) {
                take(stem(&part));
            }
            part.clear();
        }
        if joins {
            part.push(c);
        }
        before = c;
    }
}

/// Whether a word has three characters.
fn is_long(word: &str) -> bool {
    word.chars().nth(2).is_some()
}

fn stem(word: &str) -> &str {
    let cut = ["ing", "ies", "ed", "es", "s"].iter().find_map(|end| word.strip_suffix(end));
    cut.filter(|rest| is_long(rest)).unwrap_or(word)
}

/// The names of code in a text: in backquotes, or written as no word is.
pub(super) fn names(text: &str) -> BTreeSet<String> {
    let quoted = text.split('`').skip(1).step_by(2);
    let quoted = quoted.map(|q| q.trim().trim_end_matches("()").trim_end_matches('!').to_owned());
    let coded = |w: &&str| {
        let inner = w.chars().skip(1).collect::<String>();
        w.contains('_')
            || w.contains("::")
            || (inner.chars().any(char::is_uppercase) && inner.chars().any(char::is_lowercase))
    };
    let split = text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':'));
    let bare = split.map(|w| w.trim_matches(':')).filter(coded).map(str::to_owned);
    quoted.chain(bare).filter(|n| !n.is_empty() && n.chars().count() < 80).collect()
}

/// Counts below it are read off as often as they are quoted.
const SMALLEST: f64 = 10.0;
/// Another unit of the same: kilo and its like, seconds of minutes and hours, parts of a hundred.
const UNITS: [f64; 8] = [1.0, 1000.0, 1024.0, 1_000_000.0, 1_048_576.0, 60.0, 3600.0, 0.01];

/// A number of a sentence that stands in none of the texts that it rests on, in no other unit either.
pub(super) fn unborne_number(sentence: &str, texts: impl FnOnce() -> Vec<String>) -> Option<String> {
    let value = |number: &str| number.trim_start_matches('-').parse::<f64>().ok();
    let spoken = without_places(sentence);
    let spoken = check::numbers(&spoken).filter_map(|(n, _)| Some((value(&n)?, n)));
    let spoken: Vec<(f64, String)> = spoken.filter(|(n, _)| *n >= SMALLEST).collect();
    if spoken.is_empty() {
        return None;
    }
    // In code a number is part of a word as well: `v20` says 20.
    let inside = |t: &String| t.split(|c: char| !c.is_ascii_digit()).filter_map(value).collect::<Vec<_>>();
    let plain = |t: &String| check::numbers(t).filter_map(|(n, _)| value(&n)).collect::<Vec<_>>();
    let there: Vec<f64> = texts().iter().flat_map(|t| [inside(t), plain(t)].concat()).collect();
    let same = |n: f64, t: f64| (n - t).abs() <= t.abs() * 1e-9;
    let stands = |n: f64| UNITS.iter().any(|unit| there.iter().any(|t| same(n * unit, *t)));
    spoken.into_iter().find(|(n, _)| !stands(*n)).map(|(_, said)| said)
}

/// A sentence without the places in files that it names, which are held against the files, and without its number in a
/// list.
fn without_places(sentence: &str) -> String {
    let parts = sentence.split('`').enumerate();
    let spoken = parts.filter(|(n, part)| n % 2 == 0 || !part.contains(['/', ':'])).map(|(_, part)| part);
    let spoken = spoken.collect::<Vec<_>>().join(" ");
    let mut words: Vec<&str> = spoken.split_whitespace().collect();
    if words.first().is_some_and(|w| w.strip_suffix('.').is_some_and(|n| n.parse::<u32>().is_ok())) {
        words.remove(0);
    }
    let line = |w: &str| matches!(w.to_lowercase().as_str(), "line" | "lines");
    let before = std::iter::once("").chain(words.iter().copied());
    words
        .iter()
        .zip(before)
        .filter(|(_, before)| !line(before))
        .map(|(w, _)| *w)
        .collect::<Vec<_>>()
        .join(" ")
}

/// Whether a passage bears a sentence, as far as words can tell: its names stand there, or a good part of what
/// it speaks of.
pub(super) fn bears(passage: &str, sentence: &str) -> bool {
    let lower = passage.to_lowercase();
    let names = names(sentence);
    let there = names.iter().filter(|n| stands(&lower, n)).count();
    let said = words(sentence);
    let known = words(passage);
    let shared = said.iter().filter(|w| known.contains(*w)).count();
    if names.is_empty() {
        return shared * 10 >= said.len() * 3 && shared > 0;
    }
    there * 2 >= names.len() && (there == names.len() || shared * 10 >= said.len() * 3)
}

/// Words that say of something that it is not so.
const DENIES: [&str; 9] = ["no", "not", "never", "none", "nothing", "nobody", "nowhere", "without", "cannot"];

/// How words begin that are of one, and deny nothing: united, unified, unioned.
const UNITED: [&str; 3] = ["unit", "unif", "unio"];

/// Whether a sentence says that something is not there, and every name that it gives stands in the passage: what it
/// says beside that is held by code as ever.
pub(super) fn denies(sentence: &str, passage: &str) -> bool {
    says_not(sentence) && all_stand(passage, sentence)
}

/// A text without the sentences that rest on nothing and say that something is not there: what they name need not be.
pub(super) fn asserted(text: &str) -> String {
    let mut rest = text.to_owned();
    for sentence in sentences(text).into_iter().rev() {
        if claim(sentence.text).is_none() && says_not(sentence.text) {
            rest.replace_range(sentence.at, "");
        }
    }
    rest
}

/// Whether a sentence says that something is not so.
fn says_not(sentence: &str) -> bool {
    let lower = sentence.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphanumeric() && c != '\'');
    let united = |w: &str| UNITED.iter().any(|begins| w.starts_with(begins));
    let undone = |w: &str| w.starts_with("un") && w.ends_with("ed") && !united(w);
    words.any(|w| DENIES.contains(&w) || w.ends_with("n't") || undone(w))
}

/// Whether every name of a sentence stands in a passage.
fn all_stand(passage: &str, sentence: &str) -> bool {
    let lower = passage.to_lowercase();
    names(sentence).iter().all(|name| stands(&lower, name))
}

/// Whether a name stands in a text as one of its own: whole, or its last part.
pub(super) fn stands(lower: &str, name: &str) -> bool {
    let name = name.to_lowercase();
    let last = name.rsplit("::").next().unwrap_or(&name).rsplit('.').next().unwrap_or_default();
    has(lower, &name) || (last.chars().count() > 3 && has(lower, last))
}

/// Whether a text has a name that is no part of a longer one.
fn has(text: &str, name: &str) -> bool {
    let inner = |c: char| c.is_alphanumeric() || c == '_';
    let (begins, ends) = (name.starts_with(inner), name.ends_with(inner));
    text.match_indices(name).any(|(at, _)| {
        let before = text.get(..at).is_some_and(|t| t.ends_with(inner));
        let after = text.get(at + name.len()..).is_some_and(|t| t.starts_with(inner));
        !(begins && before || ends && after)
    })
}
