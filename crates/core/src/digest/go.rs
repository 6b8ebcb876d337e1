//! `go test`, `go build` and `go vet`.

use super::{Found, block};

/// Failed tests, and what does not compile.
pub(super) fn tests(lines: &[&str]) -> Found {
    let mut found = Found::tests();
    for (at, line) in lines.iter().enumerate() {
        let Some(name) = line.trim_start().strip_prefix("--- FAIL: ") else { continue };
        let name = name.split(" (").next().unwrap_or(name);
        let ends = |l: &str| {
            let l = l.trim_start();
            l.starts_with("--- ")
                || l.starts_with("=== ")
                || l == "FAIL"
                || l.starts_with("FAIL\t")
                || l == "PASS"
        };
        let mut said = block(lines, at + 1, ends);
        if said.is_empty() {
            // With `-v` what a test says stands before its end.
            let before = lines.iter().take(at).rposition(|l| l.trim_start().starts_with("=== "));
            said = before.map_or_else(Vec::new, |from| block(lines, from + 1, ends));
        }
        found.add(name, &said.join("\n"));
    }
    // A test of which only a part failed says nothing by itself.
    let names: Vec<String> = found.failed.iter().map(|f| f.name.clone()).collect();
    found.failed.retain(|f| {
        let parent = format!("{}/", f.name);
        !f.text.is_empty() || !names.iter().any(|n| n.starts_with(&parent))
    });
    if found.failed.is_empty() { mistakes(lines) } else { found }
}

fn mistakes(lines: &[&str]) -> Found {
    let mut found = Found::mistakes();
    for line in lines {
        let line = line.strip_prefix("vet: ").unwrap_or(line);
        let Some((place, message)) = line.split_once(": ") else { continue };
        let mut parts = place.split(':');
        let file = parts.next().unwrap_or_default();
        if file.strip_suffix(".go").is_some()
            && parts.all(|n| n.parse::<u32>().is_ok())
            && place.contains(':')
        {
            found.add(&format!("{message} ({place})"), line);
        }
    }
    found
}
