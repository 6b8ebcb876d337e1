//! Prohibitions that no table lists: a negation beside a verb of change.
//!
//! Owns where they stand. How far they reach is for the module above.

use super::super::{
    lexicon::{Hit, Tag},
    text::{Kind, Token},
};

const CHANGES: &[&str] = &[
    "chang",
    "modif",
    "edit",
    "touch",
    "alter",
    "fix",
    "repair",
    "correct",
    "rewrit",
    "rewrote",
    "refactor",
    "rearrang",
    "renam",
    "updat",
    "improv",
    "patch",
    "implement",
    "adjust",
    "rework",
    "replac",
    "reformat",
    "restructur",
    "rebuild",
    "delet",
    "remov",
    "creat",
    "add",
    "writ",
    "mov",
    "apply",
    "generat",
    "optimi",
    "overwrit",
    "clean",
    "push",
    "commit",
    "run",
    "execut",
    "install",
    "merg",
    "save",
];
const NOT: &[&str] = &["dont", "not", "never", "without", "wont", "no", "refrain", "avoid"];
/// Words of which one stands in every prohibition that is found here.
pub(super) const SIGNS: [&[&str]; 5] = [NOT, NOTHING, NOTHING_AFTER, NOT_AFTER, NOT_BEFORE];
const ANY: &[&str] = &["anything", "any", "nothing", "single", "thing", "line", "yet"];

/// Prohibitions that no table lists: a negation, a verb of change, and "anything", "it yet", "a line".
pub(crate) fn negations(tokens: &[Token], hits: &[Hit]) -> Vec<Hit> {
    let word = |i: usize| tokens.get(i).filter(|t| t.kind == Kind::Word).map_or("", |t| t.text.as_str());
    let mut out = nothing(tokens, hits);
    out.extend(negated(tokens, hits));
    for start in 0..tokens.len() {
        if !NOT.contains(&word(start)) {
            continue;
        }
        let skip = (start + 1..start + 4).find(|i| {
            !matches!(
                word(*i),
                "you"
                    | "even"
                    | "actually"
                    | "please"
                    | "dare"
                    | "go"
                    | "to"
                    | "just"
                    | "from"
                    | "try"
                    | "ever"
                    | "be"
            )
        });
        let Some(verb) = skip.filter(|v| CHANGES.iter().any(|c| word(*v).starts_with(c))) else { continue };
        if word(start) == "no" && !word(verb).ends_with("ing") {
            continue;
        }
        let reach = (verb + 1..verb + 4).take_while(|i| !word(*i).is_empty());
        if let Some(end) = reach.filter(|i| ANY.contains(&word(*i))).last() {
            let (tag, len) = (Tag::Forbid, end + 1 - start);
            out.push(Hit { tag, anywhere: false, start, len, bytes: 0, offset: 0 });
        }
    }
    out
}

const NOTHING: &[&str] =
    &["nichts", "nada", "rien", "nulla", "niente", "ничего", "niets", "nic", "niczego", "ingenting", "inget"];

const NOT_AFTER: &[&str] = &["nicht", "niet", "inte", "ikke", "pas"];
const NOT_BEFORE: &[&str] = &["не", "no", "ne", "n", "nao", "non", "nie"];
const IT: &[&str] = &[
    "его", "ее", "их", "это", "lo", "la", "los", "las", "le", "les", "y", "o", "a", "os", "as", "li", "go",
    "ich", "tego", "je",
];

/// "lösche sie nicht", "не удаляй его": a verb of change that is negated, with "it" or nothing.
fn negated(tokens: &[Token], hits: &[Hit]) -> Vec<Hit> {
    let word = |i: usize| tokens.get(i).filter(|t| t.kind == Kind::Word).map_or("", |t| t.text.as_str());
    let mut out = Vec::new();
    let changes = |h: &&Hit| h.bytes == 0 && h.anywhere && h.tag.acts() && h.tag != Tag::VExecute;
    for h in hits.iter().filter(changes) {
        let end = h.start + h.len;
        let after = (end..end + 3).take_while(|i| !word(*i).is_empty());
        let last = after.clone().find(|i| NOT_AFTER.contains(&word(*i)) && word(i + 1).is_empty());
        let back = (1..=2).filter_map(|d| h.start.checked_sub(d)).find(|i| NOT_BEFORE.contains(&word(*i)));
        let closed = word(end).is_empty() || (IT.contains(&word(end)) && word(end + 1).is_empty());
        let bound = back.filter(|b| {
            let between = b + 1 < h.start;
            (between && IT.contains(&word(b + 1))) || (!between && closed)
        });
        let (start, end) = match (last, bound) {
            (Some(last), _) => (h.start, last + 1),
            (None, Some(back)) => (back, end),
            (None, None) => continue,
        };
        let (tag, len) = (Tag::Forbid, end - start);
        out.push(Hit { tag, anywhere: true, start, len, bytes: 0, offset: 0 });
    }
    out
}

/// "add nothing", "commit none of it": English has the word right behind the verb.
const NOTHING_AFTER: &[&str] = &["nothing", "none"];

/// "nichts umbauen", "no reorganices nada": the word for nothing beside a verb of change.
fn nothing(tokens: &[Token], hits: &[Hit]) -> Vec<Hit> {
    let mut out = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let english = NOTHING_AFTER.contains(&token.text.as_str());
        if token.kind != Kind::Word || !(english || NOTHING.contains(&token.text.as_str())) {
            continue;
        }
        let apart = |a: usize, b: usize| {
            tokens.get(a.min(b)..a.max(b)).unwrap_or(&[]).iter().any(|t| t.kind == Kind::Punct)
        };
        let near = hits.iter().filter(|h| h.bytes == 0 && h.tag.acts() && h.tag != Tag::VExecute);
        let close = |h: &&Hit| if english { h.start + h.len == at } else { h.start.abs_diff(at) <= 2 };
        for h in near.filter(close).filter(|h| !apart(h.start, at)) {
            let start = h.start.min(at);
            let len = (h.start + h.len).max(at + 1) - start;
            out.push(Hit { tag: Tag::Forbid, anywhere: true, start, len, bytes: 0, offset: 0 });
        }
    }
    out
}
