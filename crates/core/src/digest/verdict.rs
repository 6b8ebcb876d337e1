//! Lines in which a tool sums up what it found.
//!
//! Owns which lines these are, by `assets/knowledge/verdicts.txt`. Never says what they mean.

const VERDICTS: &str = include_str!("../../../../assets/knowledge/verdicts.txt");

/// Whether this line of an output sums it up, and something was found.
pub fn is_verdict(line: &str) -> bool {
    let bare = |word: &'_ str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_owned();
    let words: Vec<String> = line.split_whitespace().map(bare).collect();
    let number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let holds = |text: &str| words.windows(text.split(' ').count()).any(|part| part.join(" ") == text);
    let begins = |text: &str| {
        let behind = line.strip_prefix(text).filter(|rest| rest.starts_with(char::is_whitespace));
        behind.is_some_and(|rest| rest.contains(|c: char| c.is_ascii_digit()))
    };
    let counted = |word: &str| words.windows(2).any(|pair| matches!(pair, [n, w] if number(n) && w == word));
    !says("no").any(holds)
        && (says("begins").any(begins)
            || says("holds").any(counted)
            || says("is").any(|all| line.trim_end() == all))
}

/// What the list names under this word.
fn says(how: &'static str) -> impl Iterator<Item = &'static str> {
    VERDICTS.lines().filter_map(move |rule| rule.strip_prefix(how)?.strip_prefix(' '))
}
