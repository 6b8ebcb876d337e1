//! What a message means while a stage pipeline is paused: go on, or leave it (T-11, T-12).
//!
//! Owns the breakout words. Never ends a pipeline: the answer only says which question to ask.

use serde::{Deserialize, Serialize};

use super::{
    lexicon::{Lexicon, Tag},
    structure::{Form, Structure},
    text::{Doc, Kind},
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

const NEGATIONS: &[&str] = &[
    "not", "dont", "never", "no", "nicht", "kein", "ne", "pas", "nao", "non", "не", "doesnt", "didnt",
    "wont", "nie", "without", "neither", "isnt",
];
const PIPELINE: &[&str] = &[
    "source",
    "sources",
    "citation",
    "citations",
    "stage",
    "stages",
    "step",
    "query",
    "queries",
    "question",
    "questions",
    "section",
    "sections",
    "search",
    "paper",
    "papers",
    "draft",
    "report",
    "results",
    "result",
    "summary",
    "findings",
    "topic",
    "topics",
    "references",
    "reference",
    "answer",
    "outline",
    "chapter",
    "evidence",
    "you",
    "pipeline",
    "round",
    "subquery",
    "focus",
    "scope",
    "include",
    "exclude",
    "template",
    "appendix",
    "keywords",
];

/// Reads a message at the pause.
pub(crate) fn read(doc: &Doc, s: &Structure, cover: Option<&[Vec<Tag>]>, text: &str) -> PausedTurn {
    let plain = text.trim().trim_end_matches('.');
    if plain == "3" {
        return PausedTurn::Breakout;
    }
    if plain == "1" || plain == "2" {
        return PausedTurn::Resume;
    }
    let words = doc.tokens.iter().filter(|t| t.kind != Kind::Punct).count();
    if let Some(found) = cover {
        let any = |tag: Tag| found.iter().any(|t| t.contains(&tag));
        if any(Tag::WApprove) && any(Tag::WProceed)
            || found.iter().all(|t| t.is_empty() || t.contains(&Tag::WProceed) || t.contains(&Tag::WApprove))
        {
            return PausedTurn::Resume;
        }
        if any(Tag::WCancel) || any(Tag::WExit) || any(Tag::WReset) {
            return PausedTurn::Breakout;
        }
    }
    let lower = text.to_lowercase();
    let literal = [
        "break out",
        "breakout",
        "exit pipeline",
        "exit agent",
        "stop pipeline",
        "stop agent",
        "cancel pipeline",
        "cancel agent",
        "forget the pipeline",
        "skip pipeline",
        "leave pipeline",
        "something else",
        "something different",
        "different question",
        "different topic",
        "change topic",
        "change the topic",
        "new question",
        "new topic",
        "never mind",
        "nevermind",
        "forget it",
        "changed my mind",
    ];
    let hit = s.hits.iter().find(|h| {
        let bare = h.bytes == 0 && h.len == 1;
        h.tag == Tag::Breakout
            && (!bare
                || words <= 3
                || h.start == 0 && doc.tokens.get(1).is_some_and(|t| t.kind == Kind::Punct))
    });
    let key = hit.is_some() || literal.iter().any(|k| lower.contains(k));
    if key {
        let negated = hit.is_some_and(|h| {
            h.bytes == 0
                && doc
                    .tokens
                    .get(h.start.saturating_sub(3)..h.start)
                    .unwrap_or(&[])
                    .iter()
                    .any(|t| NEGATIONS.contains(&t.text.as_str()))
                && !doc.tokens.get(h.start).is_some_and(|t| NEGATIONS.contains(&t.text.as_str()))
        });
        let listed = s.hits.iter().any(|h| h.tag == Tag::Breakout && h.len > 1)
            && doc.tokens.first().is_some_and(|t| t.text == "use");
        return if negated || listed { PausedTurn::Resume } else { PausedTurn::Breakout };
    }
    let mine = doc.tokens.iter().any(|t| PIPELINE.contains(&t.text.as_str()));
    let instead = doc.tokens.iter().any(|t| matches!(t.text.as_str(), "instead" | "stattdessen"));
    let acts = s
        .clauses
        .iter()
        .any(|c| matches!(c.form, Form::Order | Form::Request) && c.verb.is_some_and(Tag::acts));
    if instead && acts && !mine { PausedTurn::Breakout } else { PausedTurn::Resume }
}

/// Whether a text holds one of the words that leave a paused pipeline.
pub fn is_breakout_word(text: &str) -> bool {
    let doc = super::text::tokenize(text);
    Lexicon::builtin().find(&doc.tokens).iter().any(|h| h.tag == Tag::Breakout)
}
