//! Pictures that a message names: what of them reaches a model.
//!
//! Owns which words of a message mean a picture, and what is said of it before and behind the sending.

/// Endings of files that are pictures.
const KINDS: [&str; 9] = ["png", "jpg", "jpeg", "gif", "webp", "bmp", "tiff", "heic", "avif"];

/// What stands around a path that is written in quotes.
const QUOTES: [(char, char); 5] = [('"', '"'), ('\'', '\''), ('`', '`'), ('“', '”'), ('«', '»')];

/// Whether a path is that of a picture, by its ending.
pub fn is(path: &str) -> bool {
    let kind = path.rsplit_once('.').map(|(_, kind)| kind.to_ascii_lowercase());
    kind.is_some_and(|kind| KINDS.contains(&kind.as_str()))
}

/// The pictures that a message names with an `@` before them, bare or in quotes, in order, each once.
pub fn named(text: &str) -> Vec<&str> {
    let apart = |c: char| c.is_whitespace() || "\"'`“”«»()[]<>".contains(c);
    let mut all = Vec::new();
    for (at, sign) in text.match_indices('@') {
        let before = text.get(..at).unwrap_or_default();
        let behind = text.get(at + sign.len()..).unwrap_or_default();
        if !before.chars().next_back().is_none_or(apart) {
            continue;
        }
        let within = |(open, close): &(char, char)| behind.strip_prefix(*open)?.split_once(*close);
        let bare = || behind.split(apart).next().unwrap_or_default();
        let path = match QUOTES.iter().find_map(within) {
            Some((path, _)) => path,
            None => bare().trim_end_matches(['?', '!', '.', ',', ';', ':']),
        };
        if is(path) && !all.contains(&path) {
            all.push(path);
        }
    }
    all
}

/// What the user is told before such a message is sent; `None` where it names none.
pub fn foretold(text: &str) -> Option<String> {
    let all = named(text);
    match all.as_slice() {
        [] => None,
        [one] => Some(format!("the picture {one} itself is not sent, only its name")),
        many => Some(format!("the {} pictures themselves are not sent, only their names", many.len())),
    }
}

/// What the user is told once such a message was sent; `None` where it names none.
pub fn unsent(text: &str) -> Option<String> {
    foretold(text).map(|told| format!("{}.", told.replacen("the ", "The ", 1)))
}

/// What a model is told of them, as plain state.
pub fn told(text: &str) -> Option<String> {
    let all = named(text);
    (!all.is_empty()).then(|| {
        format!("not sent: {} (pictures; no tool here shows one: say so, and do not guess)", all.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_is_what_is_named_with_an_at_and_ends_so() {
        assert_eq!(named("what does @shot.png show?"), ["shot.png"]);
        assert_eq!(named("compare (@a/B.JPG) with \"@c.webp\", and @a/B.JPG"), ["a/B.JPG", "c.webp"]);
        assert_eq!(
            named("see @\"my shot.png\" and @`a b.gif`, @“c d.bmp”"),
            ["my shot.png", "a b.gif", "c d.bmp"]
        );
        for none in [
            "why is shot.png large?",
            "see @notes.md",
            "@png",
            "mail me@x.png.org",
            "me@x.png",
            "a@@x.png",
            "@\"a b.txt\"",
        ] {
            assert!(named(none).is_empty(), "{none}");
        }
        assert!(
            foretold("what does @shot.png show?").is_some_and(|t| t.contains("shot.png itself is not sent"))
        );
        assert!(told("@a.png @b.gif").is_some_and(|t| t.starts_with("not sent: a.png, b.gif")));
        assert_eq!((told("hello"), foretold("hello")), (None, None));
    }
}
