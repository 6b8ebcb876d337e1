//! Lines that stand for others: "... rest of the file unchanged ...".
//!
//! Owns how such a line looks. A whole content with one in it would drop what it stands for.

/// What opens or closes a comment, and what a line of dots is made of.
const SIGNS: [char; 13] = ['/', '#', '-', '*', '<', '>', '!', ';', '%', '[', ']', '(', ')'];
/// Words for what is left out, where dots say that something is.
const WITH_DOTS: [&str; 11] = [
    "rest of",
    "unchanged",
    "existing",
    "remaining",
    "remainder",
    "same as before",
    "as before",
    "previous",
    "omitted",
    "stays the same",
    "no changes",
];
/// What says it without dots.
const ALONE: [&str; 8] = [
    "existing code",
    "existing code here",
    "existing code unchanged",
    "rest of the file unchanged",
    "rest of the code unchanged",
    "rest of file unchanged",
    "rest of code unchanged",
    "unchanged code",
];

/// The first line of a new content that stands for lines of the old one, if the old one has it not itself.
pub(super) fn line<'a>(before: &[u8], after: &'a [u8]) -> Option<&'a str> {
    if before.is_empty() {
        return None;
    }
    let before = String::from_utf8_lossy(before);
    let after = std::str::from_utf8(after).ok()?;
    let stands = |line: &str| before.lines().any(|old| old.trim() == line);
    after.lines().map(str::trim).find(|line| is_elision(line) && !stands(line))
}

fn is_elision(line: &str) -> bool {
    let said = line.trim_matches(|c: char| SIGNS.contains(&c) || c.is_whitespace()).to_lowercase();
    let marked = said.len() < line.len() || line.starts_with(['.', '…']);
    let bare = said.trim_matches(['.', '…', ' ', ':']);
    if !marked || bare.len() > 80 {
        return false;
    }
    let dots = said.contains("...") || said.contains('…');
    let at_edge = said.starts_with(['.', '…']) || said.ends_with("...") || said.ends_with('…');
    let bare = bare.strip_prefix("the ").unwrap_or(bare);
    (dots && at_edge && WITH_DOTS.iter().any(|words| bare.contains(words))) || ALONE.contains(&bare)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_stands_for_others_is_told_from_a_comment() {
        for elision in [
            "# ... rest of the file unchanged ...",
            "// existing code",
            "    // ... existing code ...",
            "/* … remaining functions … */",
            "<!-- rest of the file unchanged -->",
            "... (rest of the code stays the same)",
            "// ...rest of the class as before",
            "-- rest of the file unchanged",
        ] {
            assert_eq!(
                line(b"one\n", format!("two\n{elision}\n").as_bytes()),
                Some(elision.trim()),
                "{elision}"
            );
            assert_eq!(line(format!("{elision}\n").as_bytes(), format!("{elision}\ntwo\n").as_bytes()), None);
            assert_eq!(line(b"", format!("{elision}\n").as_bytes()), None);
        }
        for other in [
            "// the rest of the file is read lazily",
            "# Everything else stays unchanged.",
            "let x = [...rest, existing];",
            "print('... rest of the file unchanged')",
            "// existing code paths are kept for old logs",
            "...",
            "# TODO: ... more of the same",
            "// returns the previous value...or None",
        ] {
            assert_eq!(line(b"one\n", format!("two\n{other}\n").as_bytes()), None, "{other}");
        }
    }
}
