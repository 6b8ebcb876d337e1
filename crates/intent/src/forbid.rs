//! Finds clauses that forbid changes, and tells them from constraints on a change.
//!
//! Owns what counts as a prohibition of everything. Never lets a doubt widen a scope.

mod anywhere;
mod negation;
mod rest;

pub(crate) use anywhere::anywhere;
pub(crate) use negation::negations;
pub(crate) use rest::rest;

use super::{
    lexicon::{Hit, Lexicon, Tag},
    structure::{Form, Structure},
    text::{Doc, Kind, Token},
};

/// How far a message forbids.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Ban {
    /// Nothing is forbidden, or only a part of a change.
    #[default]
    None,
    /// No file may change; what was ordered to run may run.
    Changes,
    /// Nothing may change or run.
    All,
}

const ELSE: &[&str] = &[
    "else",
    "except",
    "other",
    "besides",
    "but",
    "outside",
    "unrelated",
    "beyond",
    "apart",
    "sauf",
    "autre",
    "excepto",
    "salvo",
    "exceto",
    "tranne",
    "altro",
    "mas",
    "sonst",
    "ausser",
    "кроме",
    "другое",
    "больше",
    "остальн",
];
const ALL: &[&str] = &[
    "run",
    "execute",
    "do",
    "act",
    "action",
    "actions",
    "start",
    "plan",
    "planning",
    "explain",
    "explanation",
    "tell",
    "answer",
    "talk",
    "discuss",
    "discussion",
    "ausfuhren",
    "umsetzen",
    "machen",
    "execut",
    "look",
    "review",
    "analysis",
    "asking",
    "curious",
    "wondering",
    "know",
    "understand",
    "see",
    "read-only",
    "only",
    "nur",
    "solo",
    "juste",
    "apenas",
    "hypothetically",
    "code",
    "coding",
];
const UNIVERSAL: &[&str] = &[
    "anything",
    "any",
    "nothing",
    "thing",
    "code",
    "coding",
    "nichts",
    "nada",
    "rien",
    "nulla",
    "niente",
    "ничего",
    "niets",
    "nic",
    "niczego",
    "inget",
    "ingenting",
    "changes",
    "edits",
    "changing",
    "editing",
    "changed",
    "modifications",
    "modified",
    "touching",
    "nenhuma",
    "ningun",
    "aucun",
    "aucune",
    "nessuna",
    "yet",
    "write",
    "implement",
    "only",
    "just",
];
const OPEN: &[&str] = &[
    "it", "this", "that", "them", "yet", "for", "now", "please", "pls", "though", "first", "until", "before",
    "and", "just", "only", "in", "here", "anything", "any", "code", "or", "at", "so", "but", "thanks",
    "thank", "the", "if", "today", "still", "ok", "okay", "nada", "rien", "nichts", "a", "myself", "one",
];
const GENERAL: &[&str] = &[
    "code",
    "files",
    "file",
    "repo",
    "codebase",
    "source",
    "sources",
    "project",
    "it",
    "anything",
    "thing",
    "things",
    "codigo",
    "archivos",
    "fichiers",
    "dateien",
    "arquivos",
    "something",
    "everything",
    "any",
    "disk",
    "repository",
    "workspace",
    "changes",
    "edits",
    "etwas",
    "algo",
];

/// Reads the prohibition of a message; `ordered` says that a change is ordered beside it.
pub(crate) fn read(doc: &Doc, s: &Structure, text: &str) -> Ban {
    let ordered = s.clauses.iter().any(|c| {
        matches!(c.form, Form::Order | Form::Request | Form::Wish)
            && c.verb.is_some_and(Tag::acts)
            && !s.hits.iter().any(|h| {
                h.tag == Tag::Forbid && h.start < c.after.max(c.head + 1) && h.start + h.len > c.head
            })
    });
    let found =
        s.hits.iter().filter(|h| h.tag == Tag::Forbid).map(|h| strength(&doc.tokens, h, ordered)).max();
    let whole = s.hits.iter().any(|h| h.tag == Tag::ForbidAll && !narrowed(&doc.tokens, h, ordered));
    let whole = if whole { Ban::Changes } else { Ban::None };
    found.unwrap_or_default().max(tail(text)).max(whole)
}

/// Words that narrow a prohibition to a place.
const TO: &str = " to in on of at about for an am im bei al a ao aux au dans en na no nos alla ai w do в i på pa aan except \
                  other else but ";

/// "keine Änderungen an der API", "sonst nichts ändern": beside an order only a part is kept from it.
fn narrowed(tokens: &[Token], h: &Hit, ordered: bool) -> bool {
    let is = |i: Option<usize>, list: &str| {
        i.and_then(|i| tokens.get(i))
            .is_some_and(|t| t.kind == Kind::Word && list.split(' ').any(|w| w == t.text))
    };
    let (after, before) = (Some(h.start + h.len), h.start.checked_sub(1));
    h.bytes == 0 && ordered && (is(after, TO) || is(before, "sonst больше"))
}

/// The same for the end of a text, read without regard to quotes and code.
fn tail(text: &str) -> Ban {
    let outside = super::text::outside_fences(text).collect::<Vec<_>>().join(" ");
    let from = outside.ceil_char_boundary(outside.len().saturating_sub(120));
    let plain: String = outside
        .get(from..)
        .unwrap_or("")
        .chars()
        .map(|c| {
            if matches!(c, '`' | '"' | '“' | '”' | '«' | '»' | '「' | '」' | '\'' | '\n' | '/') && c != '\''
            {
                ' '
            } else {
                c
            }
        })
        .collect();
    let doc = super::text::tokenize(&plain);
    let hits = Lexicon::builtin().find(&doc.tokens);
    let end = doc.tokens.iter().rposition(|t| t.kind != Kind::Punct).map_or(0, |i| i + 1);
    hits.iter()
        .filter(|h| h.tag == Tag::Forbid && (h.start + h.len + 4 >= end))
        .filter(|h| universal(&doc.tokens, h))
        .map(|h| strength(&doc.tokens, h, true))
        .max()
        .unwrap_or_default()
}

fn words<'a>(tokens: &'a [Token], h: &Hit) -> impl Iterator<Item = &'a str> {
    tokens.get(h.start..h.start + h.len).unwrap_or(&[]).iter().map(|t| t.text.as_str())
}

fn universal(tokens: &[Token], h: &Hit) -> bool {
    let next =
        tokens.get(h.start + h.len..).unwrap_or(&[]).iter().take(3).take_while(|t| t.kind != Kind::Punct);
    h.bytes > 0 || words(tokens, h).chain(next.map(|t| t.text.as_str())).any(|w| UNIVERSAL.contains(&w))
}

fn strength(tokens: &[Token], h: &Hit, ordered: bool) -> Ban {
    if h.bytes > 0 {
        return cjk(tokens, h, ordered);
    }
    let after: Vec<&Token> = tokens
        .get(h.start + h.len..)
        .unwrap_or(&[])
        .iter()
        .take(5)
        .take_while(|t| t.kind != Kind::Punct || t.text == ",")
        .skip_while(|t| matches!(t.text.as_str(), "pas" | "plus"))
        .collect();
    let before = tokens.get(h.start.saturating_sub(2)..h.start).unwrap_or(&[]);
    let near = after
        .iter()
        .take(4)
        .take_while(|t| t.text != ",")
        .any(|t| ELSE.iter().any(|e| t.text == *e) && t.text != "but")
        || after.first().is_some_and(|t| t.text == "but")
        || before.iter().any(|t| matches!(t.text.as_str(), "sonst" | "больше"));
    if near && ordered {
        return Ban::None;
    }
    let lone =
        words(tokens, h).all(|w| matches!(w, "read" | "only" | "read-only" | "frozen" | "no" | "code"));
    if lone {
        let prev = h.start.checked_sub(1).and_then(|i| tokens.get(i));
        let opens = prev.is_none_or(|t| {
            t.kind == Kind::Punct || matches!(t.text.as_str(), "please" | "and" | "but" | "mode")
        });
        let next = tokens.get(h.start + h.len);
        let closes = next.is_none_or(|t| {
            t.kind == Kind::Punct
                || matches!(t.text.as_str(), "please" | "pls" | "mode" | "for" | "and" | "just" | "changes")
        });
        if !closes
            || (!opens
                && prev.is_some_and(|t| {
                    matches!(t.text.as_str(), "the" | "a" | "is" | "are" | "as" | "make" | "be")
                }))
        {
            return Ban::None;
        }
    }
    let all = words(tokens, h).any(|w| ALL.contains(&w));
    let ban = if all { Ban::All } else { Ban::Changes };
    if ordered
        && words(tokens, h).next() == Some("leave")
        && !words(tokens, h).any(|w| matches!(w, "everything" | "things" | "it"))
    {
        // "update the readme, leave the code alone"
        return Ban::None;
    }
    let first = words(tokens, h).next().unwrap_or("");
    let object = after.iter().take_while(|t| t.text != ",").take(3);
    if ordered
        && first == "without"
        && h.len == 2
        && object
            .clone()
            .next()
            .is_some_and(|t| !OPEN.contains(&t.text.as_str()) || matches!(t.text.as_str(), "the"))
        && !object.clone().any(|t| GENERAL.contains(&t.text.as_str()) || UNIVERSAL.contains(&t.text.as_str()))
    {
        // "fix it without changing the interface"
        return Ban::None;
    }
    if ordered
        && after.first().is_some_and(|t| {
            matches!(
                t.text.as_str(),
                "samples" | "snippets" | "blocks" | "block" | "examples" | "example" | "coverage"
            )
        })
    {
        return Ban::None;
    }
    if !ordered || universal(tokens, h) {
        // "no changes to the api" beside an ordered change only narrows it
        let narrowed = ordered
            && after.first().is_some_and(|t| matches!(t.text.as_str(), "to" | "in" | "on" | "of" | "about"))
            && !after.iter().skip(1).any(|t| GENERAL.contains(&t.text.as_str()));
        return if narrowed { Ban::None } else { ban };
    }
    let last = words(tokens, h).last().unwrap_or("");
    let closed = matches!(
        last,
        "it" | "this" | "that" | "them" | "yet" | "is" | "are" | "alone" | "unchanged" | "off"
    );
    match after.first() {
        None => ban,
        Some(t) if t.text == "," => ban,
        Some(t) if closed && OPEN.contains(&t.text.as_str()) => ban,
        Some(_) if after.iter().take(3).any(|t| GENERAL.contains(&t.text.as_str())) => ban,
        Some(_) => Ban::None,
    }
}

/// Scripts without spaces: the words around decide.
fn cjk(tokens: &[Token], h: &Hit, ordered: bool) -> Ban {
    let Some(run) = tokens.get(h.start).map(|t| t.text.as_str()) else { return Ban::None };
    let before = run.get(..h.offset).unwrap_or("");
    let after = run.get(h.offset + h.bytes..).unwrap_or("");
    let other = [
        "其他",
        "别的",
        "其它",
        "另外",
        "以外",
        "他は",
        "他の",
        "ほか",
        "다른",
        "외에",
        "나머지",
        "其余",
        "それ以外",
    ];
    if ordered && other.iter().any(|o| before.contains(o) || after.contains(o)) {
        return Ban::None;
    }
    // "ログは消して、設定は削除しないで": one kind of change is kept from one thing
    let hit = run.get(h.offset..h.offset + h.bytes).unwrap_or("");
    let kinds = [
        "削除", "追加", "作成", "移動", "消さ", "删除", "删", "添加", "创建", "移动", "삭제", "추가", "지우",
    ];
    if ordered && kinds.iter().any(|k| hit.contains(k)) {
        return Ban::None;
    }
    Ban::Changes
}
