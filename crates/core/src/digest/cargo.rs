//! `cargo test`, and what rustc and clippy say.

use super::{Found, block};

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
