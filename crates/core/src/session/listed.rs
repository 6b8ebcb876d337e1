//! Numbered lists in the agent's words, and which of their items a message names.
//!
//! Owns what such a list is. Never decides what naming an item means.

use std::collections::BTreeMap;

use super::state::{HEAD_CHARS, State};
use crate::{ids::Seq, intent::Classifier};

impl State {
    /// The items of the list in the agent's words right before `seq` that a message names, the beginning of each: where it
    /// names some, they say more of what it means than the beginning of the list.
    pub fn items_named(&self, line: &str, seq: Seq) -> Vec<String> {
        let last = self.said_before(seq).last();
        if last.is_none_or(|said| said.by_user || said.seq != self.last_word_at) {
            return Vec::new();
        }
        let items = numbered(&self.last_word);
        let Some((last, _)) = items.last_key_value() else { return Vec::new() };
        let named = Classifier::builtin().names_items(line, *last);
        named
            .iter()
            .filter_map(|n| items.get(n))
            .map(|item| item.chars().take(HEAD_CHARS).collect())
            .collect()
    }
}

/// The items of the last numbered list of a text, each with what is set in below it.
pub(super) fn numbered(text: &str) -> BTreeMap<usize, String> {
    let (mut items, mut open) = (BTreeMap::<usize, String>::new(), None);
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        if line.starts_with([' ', '\t']) {
            items.entry(open.unwrap_or_default()).and_modify(|item| *item = format!("{item}\n{line}"));
            continue;
        }
        open = number(line);
        if open == Some(1) {
            items.clear();
        }
        items.extend(open.map(|n| (n, line.to_owned())));
    }
    items
}

/// The number of a line of a list: "2. ", "3) ".
fn number(line: &str) -> Option<usize> {
    let (mark, item) = line.split_once(' ')?;
    let digits = mark.trim_start_matches(['*', '(']).trim_end_matches('*').strip_suffix(['.', ')'])?;
    digits.parse().ok().filter(|n| *n > 0 && !item.trim().is_empty())
}
