//! jest, vitest, tsc and eslint.

use super::{Found, block};

/// Failed tests of jest.
pub(super) fn jest(lines: &[&str]) -> Found {
    let mut found = Found::tests();
    if !lines.iter().any(|l| l.starts_with("Test Suites:") || l.starts_with("FAIL ")) {
        return found;
    }
    let title = |l: &str| l.strip_prefix("  ● ").map(str::to_owned);
    for (at, line) in lines.iter().enumerate() {
        let Some(name) = title(line).filter(|n| n != "Console") else { continue };
        let ends = |l: &str| {
            title(l).is_some()
                || ["Test Suites:", "FAIL ", "PASS ", "Summary of all"].iter().any(|w| l.starts_with(w))
        };
        found.add(&name, &block(lines, at + 1, ends).join("\n"));
    }
    found
}

/// Failed tests of vitest.
pub(super) fn vitest(lines: &[&str]) -> Found {
    let mut found = Found::tests();
    let title = |l: &str| l.trim_start().strip_prefix("FAIL  ").map(str::to_owned);
    for (at, line) in lines.iter().enumerate() {
        let Some(name) = title(line) else { continue };
        let ends = |l: &str| title(l).is_some() || l.starts_with("⎯⎯⎯") || l.starts_with(" Test Files");
        found.add(&name, &block(lines, at + 1, ends).join("\n"));
    }
    found
}

/// Errors of the TypeScript compiler, in either of its forms.
pub(super) fn tsc(lines: &[&str]) -> Found {
    let mut found = Found::mistakes();
    for (at, line) in lines.iter().enumerate() {
        let plain =
            line.split_once("): error TS").map(|(place, rest)| (place.replacen('(', ":", 1), rest, false));
        let pretty = || line.split_once(" - error TS").map(|(place, rest)| (place.to_owned(), rest, true));
        let Some((place, rest, pretty)) = plain.or_else(pretty) else { continue };
        let message = rest.split_once(": ").map_or(rest, |(_, m)| m);
        let name = format!("{message} ({})", place.replace(',', ":"));
        let shown = lines.get(at + 2).filter(|_| pretty).copied().unwrap_or_default();
        found.add(&name, &format!("{line}\n{shown}"));
    }
    found
}

/// Errors of eslint's own form; its warnings where it has no errors.
pub(super) fn eslint(lines: &[&str]) -> Found {
    let mut found = Found::mistakes();
    if !lines.iter().any(|l| l.starts_with("✖ ") && l.contains("problem")) {
        return found;
    }
    for level in ["error", "warning"] {
        let mut file = "";
        for line in lines {
            if !line.starts_with(' ') && !line.is_empty() {
                file = line;
            }
            let mut words = line.split_whitespace();
            let place = words.next().filter(|p| {
                p.split_once(':').is_some_and(|(l, c)| l.parse::<u32>().is_ok() && c.parse::<u32>().is_ok())
            });
            let Some(place) = place.filter(|_| words.next() == Some(level)) else { continue };
            let message = words.collect::<Vec<_>>().join(" ");
            found.add(&format!("{message} ({file}:{place})"), &format!("{file}:{place} {level} {message}"));
        }
        if !found.failed.is_empty() {
            break;
        }
    }
    found
}
