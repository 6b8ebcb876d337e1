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

/// Whether an output sums up that something passed, and nothing in it says that anything failed.
pub fn says_passed(output: &str) -> bool {
    // Node's own form for people is that of the protocol behind another mark.
    let lines = || output.lines().map(|line| line.trim().replace("ℹ ", "# "));
    // The last of several that one run of cargo has is often of no tests.
    lines().any(|line| is_verdict(&line) || line.starts_with("test result: ok"))
        && !lines().any(|line| line == "# pass 0" || says_failed(&line))
        && super::digest(output).is_none()
}

/// Whether a line says that something failed: by a number before the word, or behind it where a mark joins them.
fn says_failed(line: &str) -> bool {
    let bare = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let some = |word: &str| word.parse::<u64>().is_ok_and(|count| count > 0);
    let fault = |word: &str| says("fails").any(|fault| fault == word);
    let words: Vec<&str> = line.split_inclusive([' ', '\t', '=']).map(str::trim).collect();
    let counted = |pair: &[&str]| {
        let [one, two] = pair else { return false };
        let joined = line.starts_with("# ") || one.ends_with([':', '=']);
        some(&bare(one)) && fault(&bare(two)) || joined && fault(&bare(one)) && some(&bare(two))
    };
    let said = ["error:", "error[", "not ok"].iter().any(|head| line.starts_with(head));
    said || line.contains("FAILED") || words.windows(2).any(counted)
}

/// What the list names under this word.
fn says(how: &'static str) -> impl Iterator<Item = &'static str> {
    VERDICTS.lines().filter_map(move |rule| rule.strip_prefix(how)?.strip_prefix(' '))
}
