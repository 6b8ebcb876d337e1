//! Words of a text as they are indexed and asked for: identifiers whole and in their parts.
//!
//! Owns how names are split, which words say nothing, and which mean the same. Never counts or ranks.

use std::{collections::BTreeMap, sync::LazyLock};

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

/// Words by stem that mean about the same where programs are spoken of.
static LIKE: LazyLock<BTreeMap<&'static str, Vec<&'static str>>> = LazyLock::new(|| {
    let mut like: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let text = include_str!("../../../assets/knowledge/synonyms.txt");
    for line in text.lines().filter(|l| !l.starts_with('#')) {
        let words: Vec<&str> = line.split_whitespace().collect();
        for word in &words {
            like.entry(stem(word)).or_default().extend(words.iter().filter(|w| *w != word));
        }
    }
    like
});

/// Words that mean about the same as this one.
pub(crate) fn like(word: &str) -> &'static [&'static str] {
    LIKE.get(stem(word)).map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(run: &str) -> Vec<String> {
        let mut all = Vec::new();
        parts(run, |p| all.push(p.to_owned()));
        all
    }

    #[test]
    fn names_are_split_into_their_parts() {
        assert_eq!(of("parseHTTPHeader_v2"), ["parse", "http", "header", "v2"]);
        assert_eq!(of("MAX_FILE_BYTES"), ["max", "file", "bytes"]);
        assert_eq!(of("__init__"), ["init"]);
        assert_eq!(of("IndexStatus"), ["index", "status"]);
        assert_eq!(of("utf8Decode"), ["utf8", "decode"]);
        assert_eq!(of("搜索引擎"), ["搜索", "索引", "引擎"]);
        assert!(
            is_compound("fooBar") && is_compound("foo_bar") && !is_compound("Foo") && !is_compound("_foo")
        );
    }

    #[test]
    fn words_of_one_root_have_one_stem() {
        for (a, b) in [
            ("retries", "retry"),
            ("running", "runs"),
            ("parser", "parsing"),
            ("removed", "remove"),
            ("stopped", "stop"),
            ("suggestions", "suggest"),
            ("validate", "validation"),
            ("connected", "connection"),
        ] {
            assert_eq!(stem(a), stem(b), "{a} {b}");
        }
        assert_eq!(stem("is"), "is");
        assert_eq!(stem("naïveté"), "naïveté");
    }

    #[test]
    fn words_that_mean_the_same_are_known_both_ways() {
        assert!(like("deleting").contains(&"remove") && like("removes").contains(&"delete"));
        assert!(like("xylophone").is_empty());
        assert!(is_empty_word("the") && is_empty_word("x") && !is_empty_word("retry"));
    }
}
