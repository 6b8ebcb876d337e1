//! What a message means while a stage pipeline is paused: go on, or leave it (T-11, T-12).
//!
//! Owns the breakout words. Never ends a pipeline: the answer only says which question to ask.

use serde::{Deserialize, Serialize};

use super::{
    lexicon::Tag,
    parts::Rule,
    structure::Structure,
    text::{Doc, Kind, Token},
    words::List,
};

/// What a message does to a paused pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PausedTurn {
    /// It answers the pipeline, which goes on with it.
    Resume,
    /// It wants out; a confirmation follows.
    Breakout,
}

/// Reads a message at the pause; `None` when no word of it settles the matter.
pub(crate) fn read(
    doc: &Doc,
    s: &Structure<'_>,
    cover: Option<&[Vec<Tag>]>,
    text: &str,
) -> Option<PausedTurn> {
    let plain = text.trim().trim_end_matches('.');
    if plain == "3" {
        return Some(PausedTurn::Breakout);
    }
    if plain == "1" || plain == "2" {
        return Some(PausedTurn::Resume);
    }
    let words = doc.tokens.iter().filter(|t| t.kind != Kind::Punct).count();
    if let Some(found) = cover {
        let any = |tag: Tag| found.iter().any(|t| t.contains(&tag));
        if any(Tag::WApprove) && any(Tag::WProceed)
            || found.iter().all(|t| t.is_empty() || t.contains(&Tag::WProceed) || t.contains(&Tag::WApprove))
        {
            return Some(PausedTurn::Resume);
        }
        if any(Tag::WCancel) || any(Tag::WExit) || any(Tag::WReset) {
            return Some(PausedTurn::Breakout);
        }
    }
    let hit = s.hits.iter().find(|h| {
        let bare = h.bytes == 0 && h.len == 1;
        h.tag == Tag::Breakout
            && (!bare
                || words <= 3
                || h.start == 0 && doc.tokens.get(1).is_some_and(|t| t.kind == Kind::Punct))
    });
    let lower = text.to_lowercase();
    let named = s.known.words.list(List::LeavePipeline).iter().any(|k| lower.contains(&**k));
    if (hit.is_some() || named) && s.known.on(Rule::PausedWords) {
        let not = |t: &Token| s.known.is(List::Not, &t.text);
        let negated = hit.is_some_and(|h| {
            let before = doc.tokens.get(h.start.saturating_sub(3)..h.start).unwrap_or(&[]);
            h.bytes == 0 && before.iter().any(not) && !doc.tokens.get(h.start).is_some_and(not)
        });
        let listed = s.hits.iter().any(|h| h.tag == Tag::Breakout && h.len > 1)
            && doc.tokens.first().is_some_and(|t| t.text == "use");
        return Some(if negated || listed { PausedTurn::Resume } else { PausedTurn::Breakout });
    }
    // "instead can you use the docs": another way for the same work.
    if doc.tokens.first().is_some_and(|t| s.known.is(List::Instead, &t.text)) {
        return Some(PausedTurn::Resume);
    }
    // A choice of the pause with what is to change behind it.
    let behind = ["1", "2", "modify"].iter().find_map(|choice| lower.trim_start().strip_prefix(choice));
    behind.is_some_and(|rest| rest.starts_with(['.', ':', ')', ' '])).then_some(PausedTurn::Resume)
}
