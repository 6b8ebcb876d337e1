//! pytest and unittest.

use super::{Found, block};

/// Failed tests of pytest, with its short summary where it has one.
pub(super) fn pytest(lines: &[&str]) -> Found {
    let mut found = Found::tests();
    for (at, line) in lines.iter().enumerate() {
        let Some(title) = ruled(line, '_') else { continue };
        let ends = |l: &str| ruled(l, '_').is_some() || ruled(l, '=').is_some();
        let name = title.trim_start_matches("ERROR at setup of ").trim_start_matches("ERROR collecting ");
        found.add(name, &block(lines, at + 1, ends).join("\n"));
    }
    let banner = |l: &&str| ruled(l, '=').is_some_and(|t| matches!(t, "FAILURES" | "ERRORS"));
    let headed = lines.iter().any(banner);
    if !headed {
        found.failed.clear();
    }
    for line in lines {
        let summed = line.strip_prefix("FAILED ").or_else(|| line.strip_prefix("ERROR "));
        let Some(name) = summed.map(|l| l.split(" - ").next().unwrap_or(l)).filter(|n| n.contains(".py"))
        else {
            continue;
        };
        // The summary has the file as well: its name stands in the headline.
        let own = name.split_once("::").map_or(name, |(_, own)| own).replace("::", ".");
        match found.failed.iter_mut().find(|f| f.name == own) {
            Some(known) => name.clone_into(&mut known.name),
            None => found.add(name, line),
        }
    }
    // A test has a name beside that of its file: what has none could not even be read.
    if found.failed.iter().all(|f| f.name.rsplit_once('.').is_some_and(|(_, end)| end == "py")) {
        found.noun = "failed to import";
    }
    found
}

/// The title in a line that is filled up with a sign on both sides.
fn ruled(line: &str, sign: char) -> Option<&str> {
    let inner = line.strip_prefix(sign)?.strip_suffix(sign)?.trim_matches(sign);
    let title = inner.strip_prefix(' ')?.strip_suffix(' ')?;
    (!title.is_empty()).then_some(title)
}

/// Failed tests of unittest.
pub(super) fn unittest(lines: &[&str]) -> Found {
    let mut found = Found::tests();
    let line_of = |l: &str, sign: char| l.len() > 20 && l.chars().all(|c| c == sign);
    for (at, line) in lines.iter().enumerate() {
        let named = line.strip_prefix("FAIL: ").or_else(|| line.strip_prefix("ERROR: "));
        let ruled = at > 0 && lines.get(at - 1).is_some_and(|l| line_of(l, '='));
        let Some(name) = named.filter(|_| ruled) else { continue };
        // A line of dashes opens the trace, the next one ends the last.
        let said = block(lines, at + 2, |l| line_of(l, '=') || line_of(l, '-'));
        let (short, class) = name.split_once(" (").map_or((name, ""), |(n, c)| (n, c.trim_end_matches(')')));
        let name =
            if class.ends_with(&format!(".{short}")) { class.trim_start_matches("__main__.") } else { name };
        found.add(name, &said.join("\n"));
    }
    found
}
