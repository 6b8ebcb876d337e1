//! The words of a source's results.
//!
//! Owns that what a server says is marked as its own, and is seen whole.

use pilothouse_core::{
    clean::Clean,
    money::count,
    source::{SourceTool, full_name},
};
use pilothouse_sources::{Catalog, SourceFault};

/// Tools that one answer lists.
const MOST_LISTED: usize = 100;
/// Resources and prompts that one answer lists.
pub(super) const MOST_BESIDE: usize = 50;
/// Most characters of what a server said of a failure that stand in a row.
const MOST_SAID: usize = 120;

/// The first line of what a server said of a failure, for a row.
pub(super) fn said(text: &str) -> String {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("it failed");
    Clean::line(line).chars().take(MOST_SAID).collect()
}

/// The tools of a catalog with a part of a name, a line each.
pub(super) fn listed(source: &str, catalog: &Catalog, part: &str) -> String {
    let part = part.to_lowercase();
    let fits = |name: &str| name.to_lowercase().contains(&part);
    let fitting: Vec<_> = catalog.tools.iter().map(|t| &t.head).filter(|t| fits(&t.name)).collect();
    let line = |t: &&SourceTool| {
        let reads = if t.reads { "" } else { " (may change something)" };
        format!("{}{reads}: {}", full_name(source, &t.name), t.about)
    };
    let mut lines: Vec<String> = fitting.iter().take(MOST_LISTED).map(line).collect();
    if fitting.len() > MOST_LISTED {
        lines.push(format!("and {} more: give a part of a name as `tool`", fitting.len() - MOST_LISTED));
    }
    lines.join("\n") + &beside(catalog, &part, MOST_BESIDE)
}

/// What a source has beside its tools with a part of a name, so many of each, and what of it is not taken.
pub(super) fn beside(catalog: &Catalog, part: &str, most: usize) -> String {
    let told = |what: &str, all: &[(String, String)]| -> Vec<String> {
        let fits =
            |(name, about): &&(String, String)| format!("{name} {about}").to_lowercase().contains(part);
        let fitting: Vec<_> = all.iter().filter(fits).collect();
        let line = |(name, about): &&(String, String)| {
            let about: String = Clean::line(about).chars().take(100).collect();
            format!("\n{what} {}: {about}", Clean::line(name))
        };
        let beyond = fitting.len().saturating_sub(most);
        let beyond = (beyond > 0)
            .then(|| format!("\nand {} more: give a part of a name as `tool`", count(beyond, what)));
        fitting.iter().take(most).map(line).chain(beyond).collect()
    };
    let left = catalog.left.iter().map(|l| format!("\nleft out: {l}"));
    let all = [told("resource", &catalog.resources), told("prompt", &catalog.prompts)].concat();
    all.into_iter().chain(left).collect()
}

/// What a source said, marked as what it is; hidden characters in it are seen.
pub(super) fn foreign(source: &str, text: &str) -> String {
    let seen: Vec<String> = text.split('\t').map(|part| Clean::text(part).into_string()).collect();
    let text = seen.join("\t").replace("</source", "<\\/source");
    format!("<source name=\"{source}\">\n{text}\n</source>")
}

/// Whether what a tool said of its failure is about its arguments, by the protocol's own words for them.
pub(super) fn is_of_arguments(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    ["argument", "parameter", "schema", "validation"].iter().any(|word| text.contains(word))
}

/// Why a source did not answer, for a model: what its server says of that is marked.
pub(super) fn told(source: &str, of: &str, fault: &SourceFault) -> String {
    let text = fault.to_string();
    let text = if fault.quotes() { foreign(source, &text) } else { Clean::line(&text).into_string() };
    format!("{}: {text}", Clean::line(of))
}
