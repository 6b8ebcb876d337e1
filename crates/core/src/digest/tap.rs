//! The test anything protocol, as node and many others print it, and the form that node has for people.
//!
//! Also what such an output is without the tests that passed: each of them is several lines there.

use super::{Found, block};

/// Where a protocol of tests begins.
const VERSION: &str = "TAP version";
/// Where node's own form counts what it ran.
const COUNTED: &str = "ℹ tests ";

/// A line of the protocol about one test: whether it passed, and its name.
fn point(line: &str) -> Option<(bool, &str)> {
    let line = line.trim_start();
    let (passed, rest) = match line.strip_prefix("not ok") {
        Some(rest) => (false, rest),
        None => (true, line.strip_prefix("ok")?),
    };
    let rest = rest.strip_prefix(' ').filter(|r| r.starts_with(|c: char| c.is_ascii_digit()))?;
    let name = rest.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start().trim_start_matches("- ");
    // What is skipped or still to do is no failure, whatever stands before it.
    Some((passed || has_directive(name), name))
}

/// Whether a test's name ends in a directive: the first `#` behind a blank begins one, any other is part of the name.
fn has_directive(name: &str) -> bool {
    let begins = |(at, _): &(usize, &str)| name.get(..*at).is_some_and(|b| b.is_empty() || b.ends_with(' '));
    let said = name.match_indices('#').find(begins).and_then(|(at, mark)| name.get(at + mark.len()..));
    let word = said.and_then(|s| s.split_whitespace().next()).unwrap_or_default().to_ascii_lowercase();
    word == "todo" || word.starts_with("skip")
}

fn is_protocol(lines: &[&str]) -> bool {
    lines.iter().any(|l| l.trim_start().starts_with(VERSION))
        || (lines.iter().any(|l| l.starts_with("1..")) && lines.iter().any(|l| point(l).is_some()))
}

/// What stands below a test, between `---` and `...`.
fn below<'a>(lines: &[&'a str], at: usize) -> Vec<&'a str> {
    if lines.get(at + 1).is_none_or(|l| l.trim() != "---") {
        return Vec::new();
    }
    block(lines, at + 2, |l| l.trim() == "...")
}

/// Whether a line of a stack is in node itself: the way through the runner says nothing of what failed.
fn is_of_node(line: &str) -> bool {
    let frame = line.trim().trim_start_matches("at ").trim_end_matches(" {");
    let placed = |place: &str| place.split(':').skip(1).all(|n| n.bytes().all(|b| b.is_ascii_digit()));
    let inner = frame.strip_suffix(')').and_then(|f| f.rsplit_once(" (node:")).map(|(_, place)| place);
    let bare = frame.strip_prefix("async ").unwrap_or(frame);
    inner.is_some_and(|place| place.contains(':') && placed(place))
        || bare.strip_prefix("node:").is_some_and(|place| place.contains(':') && placed(place))
        || bare.starts_with("Promise.all (index ")
}

/// These lines without those of a stack that are in node itself.
fn own<'a>(lines: &[&'a str]) -> Vec<&'a str> {
    lines.iter().filter(|line| !is_of_node(line)).copied().collect()
}

/// Whether a line below a test is of the runner and not of the test: how long it took, and in a word of its own what kind
/// of failure the lines beside it tell.
fn is_of_runner(line: &str) -> bool {
    let key = line.split_once(": ").map(|(key, _)| key);
    let keys = ["duration_ms", "type", "failureType", "code", "name", "operator", "exitCode", "signal"];
    key.is_some_and(|key| keys.contains(&key))
}

/// What stands below a failed test, as far as it tells of that: a stack has its place.
fn told_of<'a>(told: &[&'a str]) -> String {
    // What stands deeper is what the test said.
    let deep = told.first().map_or(0, |line| line.len() - line.trim_start().len());
    let keyed = |line: &&'a str| line.get(deep..).filter(|key| !key.starts_with(' '));
    let has_stack = told.iter().filter_map(keyed).any(|key| key.starts_with("stack:"));
    let says = |line: &&'a str| {
        let drops = |key: &str| is_of_runner(key) || has_stack && key.starts_with("location: ");
        !line.trim().is_empty() && !keyed(line).is_some_and(drops)
    };
    own(told).into_iter().filter(says).collect::<Vec<_>>().join("\n")
}

/// The line of what was said that names the error.
fn error(said: &str) -> Option<&str> {
    let names = |line: &&str| {
        let kind = line.split([':', ' ']).next().unwrap_or_default();
        kind.ends_with("Error") && line.len() > kind.len()
    };
    said.lines().map(str::trim).find(names)
}

/// Adds what failed: a file with the error that ended it, anything else by its own name.
fn add(found: &mut Found, name: &str, cause: &str, text: &str) {
    match error(cause) {
        Some(error) => found.add_file(name, error, text),
        None => found.add(name, text),
    }
}

/// Failed tests of the protocol; a group is told by its tests.
pub(super) fn tests(lines: &[&str]) -> Found {
    let mut found = Found::tests();
    if !is_protocol(lines) {
        return found;
    }
    for (at, line) in lines.iter().enumerate() {
        let Some((false, name)) = point(line) else { continue };
        let told = below(lines, at);
        if told.iter().any(|l| l.contains("subtestsFailed")) {
            continue;
        }
        let cause = cause(lines, at, &told);
        let text = [cause.as_str(), &told_of(&told)].concat();
        add(&mut found, name, &cause, &text);
    }
    found
}

/// Most lines of what was said outside of a test's own block.
const CAUSE_LINES: usize = 12;

/// What the comments around a failed test say of it where its own block has no trace: what ended a file before any test
/// of it ran stands before the file's line, and producers without blocks say it below.
fn cause(lines: &[&str], at: usize, told: &[&str]) -> String {
    if told.iter().any(|l| l.trim_start().starts_with("stack:")) {
        return String::new();
    }
    let comment = |line: &&&str| line.trim_start().starts_with('#');
    let before = lines.get(..at).unwrap_or_default().iter().rev().take_while(comment);
    let mut said: Vec<&str> = before.copied().collect();
    said.reverse();
    if told.is_empty() {
        said.extend(lines.iter().skip(at + 1).take_while(comment));
    }
    let said = said.into_iter().map(str::trim_start).filter(|l| !l.starts_with("# Subtest"));
    said_last(said.map(|l| l.strip_prefix("# ").unwrap_or(l.trim_start_matches('#'))))
}

/// The last of what was said, without the way through node itself, each line ended.
fn said_last<'a>(said: impl Iterator<Item = &'a str>) -> String {
    let said: Vec<&str> = said.filter(|l| !is_of_node(l) && !l.trim().is_empty()).collect();
    let from = said.len().saturating_sub(CAUSE_LINES);
    said.iter().skip(from).flat_map(|line| [line, "\n"]).collect()
}

/// Failed tests in node's own form: below its heading each with its place, its name and why.
pub(super) fn node(lines: &[&str]) -> Found {
    let mut found = Found::tests();
    let Some(from) = lines.iter().position(|l| l.starts_with("✖ failing tests:")) else { return found };
    for (at, line) in lines.iter().enumerate().skip(from + 1) {
        let Some(place) = line.strip_prefix("test at ") else { continue };
        let Some(name) = lines.get(at + 1).and_then(|l| l.strip_prefix("✖ ")) else { continue };
        let name = name.rsplit_once(" (").map_or(name, |(name, _)| name);
        let why = block(lines, at + 2, |l| l.starts_with("test at "));
        // What ended a file before any test of it ran was printed when it was run.
        let bare = why.iter().all(|l| l.trim().is_empty() || l.trim() == "'test failed'");
        let cause =
            if bare { printed_before(lines.get(..from).unwrap_or_default(), name) } else { String::new() };
        add(&mut found, name, &cause, &format!("{place}\n{cause}{}", own(&why).join("\n")));
    }
    found
}

/// What was printed right before the line that tells that a file failed.
fn printed_before(lines: &[&str], name: &str) -> String {
    let told = |l: &&str| {
        l.strip_prefix("✖ ").and_then(|l| l.strip_prefix(name)).is_some_and(|l| l.starts_with(" ("))
    };
    let Some(at) = lines.iter().position(told) else { return String::new() };
    let other = |l: &&&str| ["✔ ", "✖ ", "▶ ", "ℹ "].iter().any(|mark| l.trim_start().starts_with(mark));
    let before = lines.get(..at).unwrap_or_default().iter().rev();
    let mut said: Vec<&str> =
        before.take_while(|l| !other(l) && l.trim() != "'test failed'").copied().collect();
    said.reverse();
    // What was told of the test before stands indented below it.
    said_last(said.into_iter().skip_while(|l| l.trim().is_empty() || l.starts_with(' ')))
}

/// An output without the tests that passed in it, and how many lines went; nothing where none did.
pub fn without_passed(output: &str) -> Option<(String, usize)> {
    let lines: Vec<&str> = output.lines().collect();
    let protocol = is_protocol(&lines);
    if !protocol && !lines.iter().any(|l| l.starts_with(COUNTED)) {
        return None;
    }
    let (mut kept, mut left, mut at) = (Vec::new(), 0, 0);
    while let Some(line) = lines.get(at) {
        let passed = if protocol {
            point(line).is_some_and(|(passed, _)| passed)
        } else {
            line.trim_start().starts_with("✔ ")
        };
        let told = if protocol && passed { below(&lines, at).len() } else { 0 };
        // With the marks around what stands below it.
        let through = at + if told > 0 { told + 3 } else { 1 };
        let heading = protocol && line.trim_start().starts_with("# Subtest");
        if passed || heading {
            left += through.min(lines.len()) - at;
        } else {
            kept.push(*line);
        }
        at = through;
    }
    (left > 0).then(|| (kept.join("\n") + "\n", left))
}
