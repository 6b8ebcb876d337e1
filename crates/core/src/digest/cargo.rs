//! `cargo test`, and what rustc and clippy say.

use super::{Found, block};

/// So many lines below the place of a panic both sides stand.
const SIDES: usize = 8;

/// Failed tests of the harness that comes with Rust, documentation tests as well.
pub(super) fn tests(lines: &[&str]) -> Found {
    let mut found = Found::tests();
    for line in lines {
        let failed = line.strip_prefix("test ").and_then(|l| l.strip_suffix(" ... FAILED"));
        if let Some(name) = failed {
            found.add(name.trim_end_matches(" - should panic"), "");
        }
    }
    for (at, line) in lines.iter().enumerate() {
        let Some(name) = line.strip_prefix("---- ").and_then(|l| l.strip_suffix(" stdout ----")) else {
            continue;
        };
        let said = block(lines, at + 1, |l| l.starts_with("---- ") || l == "failures:");
        found.add(name, &without_trace(&said).join("\n"));
    }
    found
}

/// What a panic comes to in a line, by the line that says where and those below it: whose it is, and its message or both
/// sides of what was compared.
pub(super) fn panic(line: &str, below: &[&str]) -> Option<String> {
    let (name, rest) = line.strip_prefix("thread '")?.split_once('\'')?;
    let (_, place) = rest.split_once("panicked at ")?;
    // Older ones have the message before the place.
    let quoted = place.strip_prefix('\'').and_then(|said| said.rsplit_once("', ")).map(|(said, _)| said);
    let message = quoted.or_else(|| below.iter().map(|l| l.trim()).find(|l| !l.is_empty()))?;
    let side = |side: &str| below.iter().take(SIDES).find_map(|l| l.trim().strip_prefix(side));
    let told = match (message.strip_prefix("assertion `left "), side("left: "), side("right: ")) {
        (Some(compared), Some(left), Some(right)) => {
            let why =
                compared.split_once("` failed: ").map(|(_, why)| format!("{why}: ")).unwrap_or_default();
            format!("{why}left {left}, right {right}")
        }
        _ => message.to_owned(),
    };
    Some(format!("{name}: {told}"))
}

/// A panic without the way to it, which names the harness and little else.
fn without_trace<'a>(said: &[&'a str]) -> Vec<&'a str> {
    let mut kept = Vec::new();
    let mut tracing = false;
    for line in said {
        tracing |= *line == "stack backtrace:";
        let note =
            line.starts_with("note: Some details are omitted") || line.starts_with("note: run with `RUST_");
        if !tracing && !note {
            kept.push(*line);
        }
        tracing &= !note;
    }
    kept
}

/// Errors of a build; warnings are none, unless they are told to be.
pub(super) fn build(lines: &[&str]) -> Found {
    let mut found = Found::mistakes();
    let rust = |l: &&str| {
        l.starts_with("error[E")
            || l.trim_start().starts_with("--> ")
            || l.starts_with("error: could not compile")
    };
    if !lines.iter().any(rust) {
        return found;
    }
    for (at, line) in lines.iter().enumerate().filter(|(_, l)| l.starts_with("error")) {
        let Some((_, message)) = line.split_once(": ") else { continue };
        let sums = ["could not compile", "aborting due to", "test failed", "build failed"];
        if sums.iter().any(|s| message.starts_with(s)) || message.ends_with(" failed:") {
            continue;
        }
        let said = block(lines, at, str::is_empty);
        let place = said.iter().find_map(|l| l.trim_start().strip_prefix("--> "));
        let name = place.map_or_else(|| message.to_owned(), |place| format!("{message} ({place})"));
        found.add(&name, &said.join("\n"));
    }
    found
}
