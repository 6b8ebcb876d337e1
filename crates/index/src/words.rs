//! Words of a text as they are indexed and asked for: identifiers whole and in their parts.
//!
//! Owns how names are split, which words say nothing, and which mean the same. Never counts or ranks.

use std::{collections::HashMap, sync::LazyLock};

/// Longer runs are no words: keys, hashes, data.
const LONGEST: usize = 48;

/// Words of a question that say nothing of what it asks for.
const EMPTY: &str = " a an and any are as at be been being but by can could did do does doing done for from gets had has have how i if in into is it its just me \
    must my of on one or our should so some such than that the their them then there these they this those through to up us was we were what when where \
    which while who whom whose why will with within would you your about actually exactly find show tell explain happens happen code codebase ";

/// Whether a word of a question says nothing.
pub(crate) fn is_empty_word(word: &str) -> bool {
    word.len() < 2 || (EMPTY.contains(word) && EMPTY.contains(&format!(" {word} ")))
}

/// Words that rather belong to how a question is asked than to what it asks for.
const FAINT: &str = " again all already also always another anybody anything around back because before behind belong both certain come comes \
    each either else enough even ever every everything few full give given go goes going good great here instead keep kind know least less let like look made make \
    makes many maybe might more most much need needs never new no nobody not nothing off often old only other others out over own part place possible put \
    quite rather really right same say says see several since somebody someone something sometimes somewhere soon stand stands still stuff sure take \
    taken takes tell thing things time too turn turns under until use used uses using usually very want wanted wants way well whatever whenever whether \
    whichever whole without work works yet become becomes ";

/// Whether a word says little of what a question asks for.
pub(crate) fn is_faint(word: &str) -> bool {
    FAINT.contains(&format!(" {word} "))
}

/// The runs of letters, digits and underscores of a text, as they stand.
pub(crate) fn runs(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|r| !r.is_empty() && r.len() <= LONGEST)
}

/// Whether a run is a name of several parts rather than a word.
pub(crate) fn is_compound(run: &str) -> bool {
    let inner = run.trim_matches('_');
    let upper_after_lower =
        inner.chars().zip(inner.chars().skip(1)).any(|(a, b)| a.is_lowercase() && b.is_uppercase());
    inner.contains('_') || upper_after_lower
}

/// The parts of a run in small letters: `parseHTTPHeader_v2` is parse, http, header, v2.
pub(crate) fn parts(run: &str, mut each: impl FnMut(&str)) {
    let mut part = String::new();
    let mut before: Option<char> = None;
    let mut letters = run.chars().peekable();
    while let Some(c) = letters.next() {
        let next_small = letters.peek().is_some_and(|n| n.is_lowercase());
        let begins = c.is_uppercase()
            && before.is_some_and(|b| b.is_lowercase() || (b.is_uppercase() && next_small) || b.is_numeric());
        if (begins || c == '_') && !part.is_empty() {
            each(&part);
            part.clear();
        }
        if is_wide(c) {
            // No blanks stand between words here: pairs of signs are the words.
            if let Some(b) = before.filter(|b| is_wide(*b)) {
                each(&format!("{b}{c}"));
            }
        } else if c != '_' {
            part.extend(c.to_lowercase());
        }
        before = Some(c);
    }
    if !part.is_empty() {
        each(&part);
    }
}

/// Chinese, Japanese and Korean signs.
const fn is_wide(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}')
}

/// Endings that say nothing of what a word means, the longest first.
const ENDINGS: [&str; 31] = [
    "izations", "ization", "ations", "ators", "ation", "ating", "ators", "izing", "ising", "ingly", "ments",
    "ated", "ates", "ator", "ment", "ings", "ions", "ing", "ion", "ate", "ies", "ied", "ers", "ors", "ed",
    "es", "er", "or", "s", "e", "y",
];

/// A word without its common ending, roughly.
pub(crate) fn stem(word: &str) -> &str {
    let word = FORMS.get(word).copied().unwrap_or(word);
    for ending in ENDINGS {
        if let Some(root) = word.strip_suffix(ending)
            && root.len() >= 3
            && root.is_ascii()
        {
            let mut last = root.bytes().rev();
            let doubled = last.next() == last.next() && !root.ends_with(['s', 'l', 'e', 'o']);
            return if doubled && ending.len() > 1 {
                root.get(..root.len() - 1).unwrap_or(root)
            } else {
                root
            };
        }
    }
    word
}

/// What is known of words: which are forms of one word, which mean about the same, and what is called otherwise than it is asked for.
#[derive(Default)]
struct Known {
    /// By stem.
    like: HashMap<&'static str, Vec<(&'static str, f32)>>,
    /// By the stem of the first word.
    phrases: HashMap<&'static str, Vec<Phrase>>,
}

/// The stems of a phrase, and what programs call it.
type Phrase = (Vec<&'static str>, Vec<&'static str>);

const DATA: &str = include_str!("../../../assets/knowledge/synonyms.txt");

/// The first of the forms of a word, by the others.
static FORMS: LazyLock<HashMap<&'static str, &'static str>> = LazyLock::new(|| {
    let lines = DATA.lines().filter_map(|l| l.strip_prefix("= "));
    let forms = lines
        .filter_map(|l| l.split_once(' '))
        .flat_map(|(first, others)| others.split(' ').map(move |o| (o, first)));
    forms.collect()
});

static KNOWN: LazyLock<Known> = LazyLock::new(|| {
    let mut known = Known::default();
    for line in DATA.lines().filter(|l| !l.starts_with(['#', '='])) {
        let Some((asked, called)) = line.split_once(':') else {
            let words: Vec<&str> = line.split_whitespace().collect();
            for word in &words {
                let like = words.iter().filter(|w| *w != word).map(|w| (*w, SAME));
                known.like.entry(stem(word)).or_default().extend(like);
            }
            continue;
        };
        let called: Vec<&str> = called.split_whitespace().collect();
        for asked in asked.split(',') {
            let words: Vec<&str> = asked.split_whitespace().map(stem).collect();
            match words.as_slice() {
                [one] => known.like.entry(*one).or_default().extend(called.iter().map(|w| (*w, CALLED))),
                [first, ..] => known.phrases.entry(*first).or_default().push((words.clone(), called.clone())),
                [] => {}
            }
        }
    }
    known
});

/// How near words are that mean about the same, and those that something is called by.
const SAME: f32 = 0.6;
const CALLED: f32 = 0.5;

/// Words that may stand for this one, with how near they are.
pub(crate) fn like(word: &str) -> &'static [(&'static str, f32)] {
    KNOWN.like.get(stem(word)).map_or(&[], Vec::as_slice)
}

/// Phrases that begin these stems: of how many words each is, and what programs call it.
pub(crate) fn phrases(stems: &[&str]) -> Vec<(usize, &'static [&'static str])> {
    let all = stems.first().and_then(|first| KNOWN.phrases.get(*first)).into_iter().flatten();
    let begins = |words: &[&str]| stems.iter().zip(words).take_while(|(a, b)| a == b).count() == words.len();
    all.filter(|(words, _)| begins(words)).map(|(words, called)| (words.len(), called.as_slice())).collect()
}

#[cfg(test)]
mod tests;
