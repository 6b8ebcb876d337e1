//! Private keys in armour: the lines between their `BEGIN` and their `END`.
//!
//! Owns where such a block goes on and where it ends, also behind the prefix that a diff, a search or
//! numbered lines put before each line. Hides lines of the key's own characters and nothing else.

use super::{Kind, Secret};

/// Whether a text begins inside a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Where {
    #[default]
    Outside,
    Inside,
}

const BEGIN: &str = "-----BEGIN ";
const END: &str = "-----END ";
/// What else may stand between: `Proc-Type: 4,ENCRYPTED` and the like, at most so many bytes.
const LONGEST_HEADER: usize = 80;
/// From this length on a word of one case is no command.
const SHORTEST_LINE: usize = 24;

/// Whether a block may begin in a text.
pub(super) fn begins(text: &str) -> bool {
    text.contains(BEGIN)
}

/// The secrets of a text that begins as `at` says, and how it ends.
pub(super) fn find(text: &str, mut at: Where) -> (Vec<Secret>, Where) {
    let mut found = Vec::new();
    if at == Where::Outside && !begins(text) {
        return (found, at);
    }
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let bare = line.trim_end_matches(['\n', '\r']);
        match at {
            Where::Outside => at = opened(bare, start, &mut found),
            Where::Inside => {
                let (from, body) = body(bare);
                if body.starts_with("-----") {
                    at = Where::Outside;
                } else if body.is_empty() || is_header(body) {
                } else if is_key(body) {
                    found.push(secret(start + from, body.len()));
                } else {
                    at = Where::Outside;
                }
            }
        }
        start += line.len();
    }
    (found, at)
}

/// Looks for the beginning of a block in a line; one that stands in the line as a whole, its line
/// ends written as `\n`, is found at once.
fn opened(line: &str, start: usize, found: &mut Vec<Secret>) -> Where {
    let Some((_, title)) = line.split_once(BEGIN) else { return Where::Outside };
    let Some((name, rest)) = title.split_once("-----") else { return Where::Outside };
    if !name.ends_with("PRIVATE KEY") && !name.ends_with("PRIVATE KEY BLOCK") {
        return Where::Outside;
    }
    let from = line.len() - rest.len();
    let body = rest.split("-----").next().unwrap_or_default();
    let mut at = from;
    for piece in body.split("\\n") {
        let key = piece.trim_end_matches("\\r").trim();
        let place = at + (piece.len() - piece.trim_start().len());
        if key.len() >= 8 && is_key(key) {
            found.push(secret(start + place, key.len()));
        }
        at += piece.len() + 2;
    }
    if rest.contains(END) || rest.trim_end().ends_with(['"', '\'', ',']) {
        Where::Outside
    } else {
        Where::Inside
    }
}

fn secret(start: usize, len: usize) -> Secret {
    Secret { start, end: start + len, kind: Kind::PrivateKey }
}

/// A line without what tools put before it, and where the rest begins.
fn body(line: &str) -> (usize, &str) {
    let full = line.trim_end();
    let word = full.rsplit([' ', '\t', ':', '|', '>']).next().unwrap_or_default();
    // A diff's sign stands right before the line; `+` may also begin one, and then it goes too.
    let bare = word.strip_prefix('-').filter(|w| !w.starts_with('-')).unwrap_or(word);
    let header =
        full.trim_start_matches(|c: char| c.is_ascii_digit() || c.is_whitespace() || matches!(c, '+' | '|'));
    if is_header(header) {
        return (full.len() - header.len(), header);
    }
    (full.len() - bare.len(), bare)
}

fn is_header(text: &str) -> bool {
    text.len() <= LONGEST_HEADER
        && ["Proc-Type: ", "DEK-Info: ", "Comment: ", "Version: "].iter().any(|h| text.starts_with(h))
}

/// Whether a line is of a key. A short one must look it: a bare word may be a command.
fn is_key(text: &str) -> bool {
    let lower = text.bytes().all(|b| b.is_ascii_lowercase());
    let upper = text.bytes().all(|b| b.is_ascii_uppercase());
    text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'='))
        && (text.len() >= SHORTEST_LINE || !(lower || upper))
}
