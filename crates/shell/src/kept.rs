//! Lines that keep what they read in a file, to look at it again.
//!
//! Owns which commands come to an end by themselves and which put things where their words say. Judges no risk and no place.

use super::knowledge::list;
use super::parse;
use super::syntax::Kind;
use super::trace::Call;

/// Whether a line is one command after another, each of which runs once.
pub fn runs_each_once(line: &str) -> bool {
    let Ok(script) = parse::parse(line) else { return false };
    script.iter().all(|pipeline| {
        !pipeline.background && pipeline.nodes.iter().all(|node| matches!(node.kind, Kind::Simple { .. }))
    })
}

/// Whether a command only reads, prints what has an end, and works on plain words.
pub fn reads_to_an_end(call: &Call) -> bool {
    let goes_on = |text: &str| match call.program.as_str() {
        "tail" => text.starts_with('-') && text.to_ascii_lowercase().contains('f'),
        "tee" => text.starts_with('-'),
        _ => false,
    };
    call.reads
        && list("comes to an end").contains(&call.program.as_str())
        && call.words.iter().all(|word| word.certain && !goes_on(&word.text))
}

/// Whether a command only puts something where its words say, all of which the line shows.
pub fn puts_where_it_says(call: &Call) -> bool {
    list("puts where it says").contains(&call.program.as_str())
        && !call.located
        && !call.steered
        && call.words.iter().all(|word| word.certain)
}
