//! Words of the trade: what is said of any project and names nothing in it.
//!
//! Owns the reading of `assets/knowledge/trade.txt`. They are looked at before anything is searched for by name.

use super::{
    pattern::group,
    phrase::{TRADE, WITHIN, first},
    request::Request,
    sentence::Sentence,
};

const WORDS: &str = include_str!("../../../../assets/knowledge/trade.txt");

/// What the list names under a word.
fn list(under: &str) -> impl Iterator<Item = &'static str> {
    let line = WORDS.lines().find_map(|line| line.strip_prefix(under)?.strip_prefix(": "));
    line.into_iter().flat_map(|line| line.split(" | "))
}

/// A topic, and what is done where it is asked for.
type Topic = (&'static str, fn(Option<String>) -> Request);

const TOPICS: [Topic; 9] = [
    ("diff", |_| Request::Review),
    ("todo", Request::Todos),
    ("last commit", |_| Request::Git("git show --stat".to_owned())),
    ("history", |_| Request::Git("git log --oneline -n 10".to_owned())),
    ("status", |_| Request::Git("git status --short --branch".to_owned())),
    ("branch", |_| Request::Git("git branch".to_owned())),
    ("project", |_| Request::Overview),
    ("symbols", |_| Request::Outline(".".to_owned())),
    // To judge code takes more than rules, and none of it is called so.
    ("judge", |_| Request::Unknown),
];

/// What a sentence asks for in words of the trade.
pub(super) fn asked(s: &Sentence) -> Option<Request> {
    TRADE.iter().filter_map(|p| p.captures(&s.text)).find_map(|found| {
        let named = found.name("named").map(|m| m.as_str());
        let words = named.or_else(|| Some(found.name("x")?.as_str()))?;
        let (words, place) = match first(&WITHIN, words) {
            Some(within) if topic(words).is_none() => {
                (group(&within, "x").to_owned(), Some(s.plain(group(&within, "in"))))
            }
            _ => (words.to_owned(), None),
        };
        let (name, does) = topic(&words)?;
        // "what is diff": a word alone that is asked for in so many words may be a name.
        let alone = named.is_some() && !words.contains(' ') && *name != "todo";
        (!alone && (place.is_none() || *name == "todo")).then(|| does(place))
    })
}

fn topic(words: &str) -> Option<&'static Topic> {
    let bare = bare(words);
    TOPICS.iter().find(|(name, _)| list(name).any(|word| word == bare))
}

/// Whether a word means the whole of what is worked on.
pub(super) fn is_project(word: &str) -> bool {
    list("project").any(|w| w == word)
}

/// The words without what only leads to them or ends them.
fn bare(words: &str) -> &str {
    let mut words = words.trim();
    let led = |words: &'_ str| list("lead").find(|lead| begins(words, lead)).map(str::len);
    let ended = |words: &'_ str| list("tail").find(|tail| ends(words, tail)).map(str::len);
    while let Some(rest) = led(words).and_then(|n| words.get(n..)) {
        words = rest.trim_start();
    }
    while let Some(rest) = ended(words).and_then(|n| words.get(..words.len() - n)) {
        words = rest.trim_end();
    }
    words
}

fn begins(words: &str, lead: &str) -> bool {
    words.strip_prefix(lead).is_some_and(|rest| rest.starts_with(' '))
}

fn ends(words: &str, tail: &str) -> bool {
    words.strip_suffix(tail).is_some_and(|rest| rest.ends_with(' '))
}

/// Whether words can be the name of something: no name of several words holds "in" or "the".
pub(super) fn can_be_name(words: &str) -> bool {
    let joins = |word: &str| list("no name").any(|w| w.eq_ignore_ascii_case(word));
    !words.contains(' ') || words.split_whitespace().all(|word| !joins(word))
}

/// How a package is added, by the first of the files that are here.
pub(super) fn adds(files: &[&str]) -> Option<&'static str> {
    WORDS.lines().find_map(|line| {
        let (file, command) = line.strip_prefix("add ")?.split_once(": ")?;
        files.contains(&file).then_some(command)
    })
}

/// What a word of the workbench itself means.
pub(super) fn meaning(word: &str) -> Option<String> {
    let word = word.to_lowercase();
    let one = word.strip_suffix('s').unwrap_or(&word);
    let told = [word.as_str(), one].into_iter().find_map(|w| Some((w, list_about(w)?)));
    told.map(|(word, text)| {
        format!("A {word} is {text}. (That is Pilothouse's meaning; no code here defines it.)")
    })
}

fn list_about(word: &str) -> Option<&'static str> {
    WORDS.lines().find_map(|line| line.strip_prefix("about ")?.strip_prefix(word)?.strip_prefix(": "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_topic_has_words_and_every_line_is_read() {
        assert!(TOPICS.iter().all(|(name, _)| list(name).count() > 0));
        let known = ["lead", "tail", "no name"].into_iter().chain(TOPICS.iter().map(|(name, _)| *name));
        let known: Vec<&str> = known.collect();
        let plain = WORDS.lines().filter(|l| !l.is_empty() && !l.starts_with('#'));
        for line in plain.filter(|l| !l.starts_with("add ") && !l.starts_with("about ")) {
            assert!(line.split_once(": ").is_some_and(|(name, _)| known.contains(&name)), "{line}");
        }
    }
}
