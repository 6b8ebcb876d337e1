//! The lists in `assets/knowledge`: how they are written, and looking a name up in one.
//!
//! Owns the form of the lists that more than one part reads. What a list means is its reader's.

use std::collections::HashMap;
use std::sync::LazyLock;

/// The groups of a list: a line in the first column, and the lines below it that stand further in.
pub(super) fn groups(text: &'static str) -> Vec<(&'static str, Vec<&'static str>)> {
    let mut out: Vec<(&str, Vec<&str>)> = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        match (line.strip_prefix("  "), out.last_mut()) {
            (Some(entries), Some((_, lines))) => lines.push(entries),
            (Some(_), None) => {}
            (None, _) => out.push((line, Vec::new())),
        }
    }
    out
}

static LISTS: LazyLock<HashMap<&'static str, Vec<&'static str>>> = LazyLock::new(|| {
    let words = |lines: Vec<&'static str>| {
        let all = lines.into_iter().flat_map(str::split_whitespace);
        // A blank inside of a word is written as a sign; these few texts live as long as the program.
        all.map(|word| if word.contains('␣') { &*word.replace('␣', " ").leak() } else { word }).collect()
    };
    let all = groups(include_str!("../../../assets/knowledge/lists.txt"));
    all.into_iter().map(|(name, lines)| (name, words(lines))).collect()
});

/// The list of that name.
pub(super) fn list(name: &str) -> &'static [&'static str] {
    LISTS.get(name).map_or(&[], Vec::as_slice)
}

/// Every text that `{a,b}` in one stands for.
pub fn spelled_out(text: &str) -> Vec<String> {
    let found = text.split_once('{').and_then(|(head, rest)| Some((head, rest.split_once('}')?)));
    let Some((head, (choices, tail))) = found else { return vec![text.to_owned()] };
    let tails = spelled_out(tail);
    choices.split(',').flat_map(|choice| tails.iter().map(move |t| format!("{head}{choice}{t}"))).collect()
}

/// Whether a pattern with `*` fits a name; one in front stands for at least one character.
pub fn fits(pattern: &str, name: &str) -> bool {
    let Some((head, tail)) = pattern.split_once('*') else { return pattern == name };
    let least = usize::from(head.is_empty());
    let Some(mut rest) = name.strip_prefix(head).filter(|rest| rest.len() >= least) else { return false };
    if least > 0 {
        let mut chars = rest.chars();
        chars.next();
        rest = chars.as_str();
    }
    let (middle, end) = tail.rsplit_once('*').unwrap_or(("", tail));
    let Some(mut rest) = rest.strip_suffix(end) else { return false };
    for part in middle.split('*') {
        let Some((_, after)) = rest.split_once(part) else { return false };
        rest = after;
    }
    true
}

/// What is known of names, some of which are patterns.
#[derive(Debug)]
pub(super) struct Names<T> {
    whole: HashMap<String, T>,
    open: Vec<(String, T)>,
}

impl<T> Default for Names<T> {
    fn default() -> Self {
        Self { whole: HashMap::new(), open: Vec::new() }
    }
}

impl<T: Copy> Names<T> {
    /// Adds a name or a pattern; what is there already stays.
    pub fn add(&mut self, name: String, what: T) {
        if name.contains('*') {
            self.open.push((name, what));
        } else {
            self.whole.entry(name).or_insert(what);
        }
    }

    /// What is known of a name: as a whole, or else by the first pattern that fits.
    pub fn get(&self, name: &str) -> Option<T> {
        let open = || self.open.iter().find(|(pattern, _)| fits(pattern, name)).map(|(_, what)| *what);
        self.whole.get(name).copied().or_else(open)
    }

    /// Whether anything is known of a name.
    pub fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_is_any_text_and_in_front_something() {
        for (pattern, name, want) in [
            ("*.pem", "a.pem", true),
            ("*.pem", ".pem", false),
            ("*.pem", "ä.pem", true),
            ("*cert*.pem", "my-cert.pem", true),
            ("*cert*.pem", "cert.pem", false),
            ("id_rsa*", "id_rsa", true),
            (".env.*.x", ".env.x", false),
            ("A_*_B", "A_x_B", true),
            ("A_*_B", "A_B", false),
            ("a*b*c*d", "axcxbxcxd", true),
            ("a*b*c*d", "axcxbxd", false),
            ("*", "", false),
            ("plain", "plain", true),
        ] {
            assert_eq!(fits(pattern, name), want, "{pattern} {name}");
        }
    }

    #[test]
    fn braces_are_spelled_out() {
        assert_eq!(spelled_out("{a,b}.{x,y}"), ["a.x", "a.y", "b.x", "b.y"]);
        assert_eq!(spelled_out("plain"), ["plain"]);
    }
}
