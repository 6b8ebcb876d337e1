//! Lines that stand for others: "... rest of the file unchanged ...".
//!
//! Owns how such a line looks. A whole content with one in it would drop what it stands for.

use pilothouse_core::encoding::text_of;

/// What opens a comment, the longer ones first.
const OPENERS: [&str; 9] = ["{/*", "<!--", "/*", "//", "--", "#", "*", ";", "%"];
/// What of them nothing but dots may follow: the others are marks of other things too.
const BARE: [&str; 5] = ["{/*", "<!--", "/*", "//", "#"];
/// Words for what is left out, where dots before them say that something is.
const WITH_DOTS: [&str; 15] = [
    "rest of",
    "unchanged",
    "existing",
    "remaining",
    "remainder",
    "same",
    "as before",
    "previous",
    "omitted",
    "no changes",
    "other",
    "others",
    "everything else",
    "keep",
    "code here",
];
/// With these a sentence goes on from the line before, if no dots close it.
const GOES_ON: [&str; 8] = ["and", "or", "but", "then", "if", "when", "because", "so"];
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
/// How a phrase begins that is whole with one of [`PARTS`] and one of [`TAILS`].
const HEADS: [&str; 6] = ["rest of the ", "rest of ", "existing ", "remaining ", "unchanged ", "other "];
/// Parts of a file.
const PARTS: [&str; 17] = [
    "file",
    "code",
    "function",
    "functions",
    "class",
    "classes",
    "method",
    "methods",
    "component",
    "module",
    "imports",
    "implementation",
    "content",
    "document",
    "script",
    "tests",
    "body",
];
/// How such a phrase ends.
const TAILS: [&str; 9] = [
    "",
    "here",
    "unchanged",
    "is unchanged",
    "remains unchanged",
    "remain unchanged",
    "stays the same",
    "remains the same",
    "as before",
];

/// The first line of a new content that stands for lines of the old one, if the old one has it not itself.
pub(super) fn line<'a>(before: &[u8], after: &'a str) -> Option<&'a str> {
    if before.is_empty() {
        return None;
    }
    let before = text_of(before);
    let shorter = after.len() < before.len();
    let stands = |line: &str| before.lines().any(|old| old.trim() == line);
    let is = |line: &str| is_elision(line) || (shorter && is_bare(line));
    after.lines().map(str::trim).find(|line| is(line) && !stands(line))
}

fn is_elision(line: &str) -> bool {
    let (commented, said) = said(line);
    let said = said.to_lowercase();
    let inner = said.trim_start_matches(['[', '(', '<']).trim_end_matches([']', ')', '>']);
    let (leads, closes) = (begins_with_dots(inner), inner.ends_with("...") || inner.ends_with('…'));
    let words = words(inner);
    let bare = words.strip_prefix("the ").unwrap_or(&words);
    if bare.len() > 80 {
        return false;
    }
    if !leads {
        let marked = commented || inner.len() < said.len();
        return marked && (ALONE.contains(&bare) || (closes && is_phrase(bare)));
    }
    let behind = inner.trim_start_matches(['.', '…']);
    // Dots right before a name are code: `...existing,`.
    let is_code = !commented || behind.ends_with([',', ';']) || !bare.contains(' ');
    if !behind.starts_with(' ') && is_code && !(commented && closes) {
        return false;
    }
    let spaced = format!(" {bare} ");
    let has = |phrase: &str| spaced.contains(&format!(" {phrase} "));
    let goes_on = bare.split(' ').next().is_some_and(|word| GOES_ON.contains(&word));
    (closes || !goes_on || has("rest of")) && WITH_DOTS.into_iter().any(has)
}

/// A comment of nothing but dots. Lines of documentation have such in their samples.
fn is_bare(line: &str) -> bool {
    let opened = BARE.into_iter().find_map(|of| line.strip_prefix(of));
    opened.is_some_and(|behind| behind.starts_with([' ', '.', '…']))
        && matches!(said(line).1, "..." | "…" | "[...]" | "[…]")
}

/// Whether a line is a comment, and what stands in it.
fn said(line: &str) -> (bool, &str) {
    let Some(behind) = OPENERS.into_iter().find_map(|of| line.strip_prefix(of)) else { return (false, line) };
    let within = behind.trim_start_matches(['/', '!', '#', '-', '*', ';', '%', ' ']);
    (true, within.trim_end_matches(['*', '/', '-', '>', '}', ' ']))
}

fn begins_with_dots(text: &str) -> bool {
    text.starts_with("...") || text.starts_with('…')
}

/// The words of a line with one blank between them.
fn words(text: &str) -> String {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}

/// Whether words name a part of a file as left out, and say no more.
fn is_phrase(bare: &str) -> bool {
    HEADS.into_iter().filter_map(|head| bare.strip_prefix(head)).any(|named| {
        let (part, tail) = named.split_once(' ').unwrap_or((named, ""));
        PARTS.contains(&part) && TAILS.contains(&tail)
    })
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
            assert_eq!(line(b"one\n", &format!("two\n{elision}\n")), Some(elision.trim()), "{elision}");
            assert_eq!(line(format!("{elision}\n").as_bytes(), &format!("{elision}\ntwo\n")), None);
            assert_eq!(line(b"", &format!("{elision}\n")), None);
        }
        for other in [
            "// the rest of the file is read lazily",
            "# Everything else stays unchanged.",
            "let x = [...rest, existing];",
            "print('... rest of the file unchanged')",
            "// existing code paths are kept for old logs",
            "...",
            "# NOTE: ... more of the same",
            "// returns the previous value...or None",
        ] {
            assert_eq!(line(b"one\n", &format!("two\n{other}\n")), None, "{other}");
        }
    }

    #[test]
    fn spreads_and_comments_that_end_in_dots_are_lines_of_their_own() {
        for other in [
            "  ...existing,",
            "    ...previousState,",
            "      ...remaining,",
            "[...previous, next],",
            "...(existing ?? {}),",
            "  ...unchangedProps,",
            "...omittedKeys,",
            "// ...existing,",
            "// ...previous, ...next,",
            "# Check for existing user...",
            "// Loading remaining items...",
            "# Remove previous build artifacts...",
            "// Skip existing entries…",
            "- Improve handling of the previous session…",
            "# Restoring the rest of the fields...",
            "-- migrate existing rows...",
            "  - name: Use existing cache...",
            "# Reuse the existing connection...",
            "/// The previous value...",
            "// Skip what is unchanged...",
            "// ... or the previous one where there is none",
            "// ...",
        ] {
            assert_eq!(line(b"one\n", &format!("two\n{other}\n")), None, "{other}");
        }
    }

    #[test]
    fn what_is_left_out_is_told_in_other_words_too() {
        for elision in [
            "// ... other imports ...",
            "// ... (other methods)",
            "// ... keep everything else ...",
            "{/* ... existing markup ... */}",
            "// ...unchanged...",
            "# ... and the rest of the file",
            "// Rest of the file...",
            "// The rest of the code stays the same...",
            "[... existing code ...]",
            "(rest of the file unchanged)",
        ] {
            let after = format!("two\n{elision}\n");
            assert_eq!(line(b"one\n", &after), Some(elision), "{elision}");
        }
        let before = "one\n".repeat(20);
        for (bare, is) in
            [("// ...", true), ("# ...", true), ("/* … */", true), ("...", false), ("/// ...", false)]
        {
            let after = format!("two\n{bare}\n");
            assert_eq!(line(before.as_bytes(), &after).is_some(), is, "{bare}");
        }
    }
}
