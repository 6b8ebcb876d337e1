//! What a hunk stands in: the function or section around it, as the heading of the hunk names it.
//!
//! Owns how that is found. Where it is not certain there is none.

use pilothouse_core::{diff::Hunk, shell::is_prose};

use super::doc::Content;

/// Lines above a hunk that are searched for what it stands in.
const SEARCHED: usize = 300;
/// Bytes of a line that are looked at.
const LONGEST: usize = 160;

/// The line that opens what the hunk stands in.
pub(super) fn of(path: &str, hunk: &Hunk, before: &Content, after: &Content) -> String {
    let (content, from) =
        if before.len() > 0 { (before, hunk.old().start) } else { (after, hunk.new_lines().start) };
    if is_prose(path) {
        return section(content, from);
    }
    let old = (hunk.old().start..hunk.old().end()).map(|n| before.line(n).0);
    let new = (hunk.new_lines().start..hunk.new_lines().end()).map(|n| after.line(n).0);
    let first = old.chain(new).find(|line| !line.trim_ascii().is_empty());
    if first.is_none_or(|line| blanks(line) == 0) { String::new() } else { opener(content, from) }
}

/// The nearest line above at the edge, where it begins with a word and what follows stands further in. A line that only
/// closes ends what was open before it.
fn opener(content: &Content, from: usize) -> String {
    let line = |n: usize| content.line(n).0;
    let opens = |n: usize| {
        let mut below = (n + 1..content.len()).map(line).filter(|l| !l.trim_ascii().is_empty());
        below.next().is_some_and(|l| blanks(l) > 0 || l.starts_with(b"{") || is_one_word(l))
    };
    for n in (0..from.min(content.len())).rev().take(SEARCHED) {
        let text = line(n).trim_ascii_end();
        let Some(first) = text.first().filter(|b| !b.is_ascii_whitespace()) else { continue };
        let is_word = first.is_ascii_alphabetic() || *first == b'_';
        if is_word && !is_one_word(text) {
            return if opens(n) { named(text) } else { String::new() };
        }
        let goes_on = text.last().is_some_and(|b| b"{(:=".contains(b));
        if b"})]".contains(first) && !goes_on {
            return String::new();
        }
    }
    String::new()
}

/// The heading above in a text for people; a fence has none.
fn section(content: &Content, from: usize) -> String {
    let (mut fenced, mut found) = (false, None);
    for n in 0..from.min(content.len()) {
        let line = content.line(n).0;
        fenced ^= line.starts_with(b"```") || line.starts_with(b"~~~");
        let level = line.iter().take_while(|b| **b == b'#').count();
        if !fenced && level > 0 && line.get(level) == Some(&b' ') {
            found = line.get(level..);
        }
    }
    shown(found.unwrap_or_default()).trim().to_owned()
}

fn named(line: &[u8]) -> String {
    let text = shown(line);
    let end = text.find(['(', '{', ';']).unwrap_or(text.len());
    text.get(..end).unwrap_or_default().trim().trim_end_matches(':').to_owned()
}

fn shown(line: &[u8]) -> String {
    String::from_utf8_lossy(line.get(..line.len().min(LONGEST)).unwrap_or_default()).into_owned()
}

/// Whether a line is a word alone, which goes on with the one above it: `where`, `else`.
fn is_one_word(line: &[u8]) -> bool {
    line.trim_ascii_end().iter().all(u8::is_ascii_alphabetic)
}

fn blanks(line: &[u8]) -> usize {
    line.iter().take_while(|b| **b == b' ' || **b == b'\t').count()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use pilothouse_core::{diff::hunks, redact::Redactor};

    use super::*;

    fn check(path: &str, before: &str, after: &str, expected: &[&str]) {
        let content = |text: &str| Content::new(text.as_bytes().to_vec(), &Redactor::default());
        let found = hunks(before.as_bytes(), after.as_bytes());
        let (before, after) = (content(before), content(after));
        let named: Vec<String> = found.iter().map(|hunk| of(path, hunk, &before, &after)).collect();
        assert_eq!(named, expected, "{path}");
    }

    #[test]
    fn a_hunk_is_named_by_what_it_stands_in_and_by_nothing_where_that_is_not_certain() {
        let rust = "use a::B;\npub use c::D;\n\nconst LIMIT: usize = 3;\n\nfn one(\n    a: A,\n) -> B {\n    a.b()\n}\n\n\n\n\n\n\n\n\nstruct Next;\n";
        check("a.rs", rust, &rust.replace("c::D", "c::E"), &[""]);
        check("a.rs", rust, &rust.replace("a.b()", "a.c()"), &["fn one"]);
        check("a.rs", rust, &rust.replace("Next", "Last"), &[""]);
        let added = rust.replace("struct Next;", "fn two() {\n    2\n}\n\nstruct Next;");
        check("a.rs", rust, &added, &[""]);
        let bound =
            "impl<T> Kept for Held<T>\nwhere\n    T: Clone,\n{\n    fn get(&self) {\n        1\n    }\n}\n";
        check("a.rs", bound, &bound.replace("        1", "        2"), &["impl<T> Kept for Held<T>"]);
        let python = "import os\n\nclass Book:\n    def total(self):\n# of all\n        return 1\n";
        check("a.py", python, &python.replace("return 1", "return 2"), &["class Book"]);
        let c = "int main(void)\n{\n\treturn 1;\n}\n";
        check("a.c", c, &c.replace("return 1", "return 2"), &["int main"]);
    }

    #[test]
    fn a_hunk_of_a_text_is_named_by_its_heading() {
        let text = "Before all of it.\n\n\n\n\n\n\n\n# First use\n\n```sh\n# in a shell\nrun it\n```\n\nA paragraph that says\nmore than one line.\n";
        check("README.md", text, &text.replace("Before", "After"), &[""]);
        check("README.md", text, &text.replace("more than", "fewer than"), &["First use"]);
    }
}
