//! What an answer says, sentence by sentence, and what each sentence rests on.
//!
//! Owns reading `[1]` marks, and whether a passage bears a sentence, as far as code can tell. Never rewrites.

use std::collections::BTreeSet;

use super::Draft;

/// A sentence that rests on something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The sentence, without its marks.
    pub text: String,
    /// The passages that it names, from 1.
    pub cites: Vec<usize>,
}

/// The sentences of a draft that rest on something, in their order.
pub fn claims(draft: &Draft) -> Vec<Claim> {
    draft.texts().flat_map(sentences).filter_map(claim).collect()
}

/// The sentences of a text, marks behind their full stop included; none of a block of code.
pub(super) fn sentences(text: &str) -> Vec<&str> {
    let mut all = Vec::new();
    let mut code: Option<&str> = None;
    for line in text.lines() {
        let fence = ["```", "~~~"].into_iter().find(|fence| line.trim_start().starts_with(fence));
        if fence.is_some() && (code.is_none() || code == fence) {
            code = if code.is_some() { None } else { fence };
            continue;
        }
        if code.is_some() {
            continue;
        }
        let mut from = 0;
        let ends = line.char_indices().filter(|(at, c)| {
            let next = line.get(at + c.len_utf8()..).unwrap_or_default();
            matches!(c, '.' | '!' | '?') && (next.is_empty() || next.starts_with(' '))
        });
        for (at, c) in ends {
            let mut end = at + c.len_utf8();
            // Marks behind the full stop belong to the sentence.
            while let Some(mark) = line.get(end..).and_then(marks_at) {
                end += mark;
            }
            if end > from {
                all.push(line.get(from..end).unwrap_or_default());
                from = end;
            }
        }
        all.push(line.get(from..).unwrap_or_default());
    }
    all.retain(|s| !s.trim().is_empty());
    all
}

/// How long the mark is that a text begins with, with the blank before it.
fn marks_at(text: &str) -> Option<usize> {
    let rest = text.trim_start_matches(' ');
    let inside = rest.strip_prefix('[')?;
    let end = inside.find(']')?;
    let inside = inside.get(..end)?;
    let ok = |c: char| c.is_ascii_digit() || matches!(c, ',' | ' ' | 'W' | 'P');
    let is = !inside.is_empty() && inside.chars().all(ok) && inside.chars().any(|c| c.is_ascii_digit());
    is.then_some(text.len() - rest.len() + end + 2)
}

/// The marks of a sentence, each with where it stands; an index in code is none.
pub(super) fn marks(text: &str) -> Vec<(std::ops::Range<usize>, Vec<String>)> {
    let mut all = Vec::new();
    for (at, _) in text.match_indices('[') {
        let (before, Some(rest)) = (text.get(..at).unwrap_or_default(), text.get(at..)) else { continue };
        if before.matches('`').count() % 2 == 1 {
            continue;
        }
        if let Some(len) = marks_at(rest) {
            let inside = rest.get(1..len - 1).unwrap_or_default();
            let names = inside.split(',').map(|n| n.trim().to_owned()).filter(|n| !n.is_empty()).collect();
            all.push((at..at + len, names));
        }
    }
    all
}

fn claim(sentence: &str) -> Option<Claim> {
    let found = marks(sentence);
    let cites: Vec<usize> =
        found.iter().flat_map(|(_, names)| names).filter_map(|n| n.parse().ok()).collect();
    if cites.is_empty() {
        return None;
    }
    let mut text = sentence.to_owned();
    for (place, _) in found.iter().rev() {
        text.replace_range(place.clone(), "");
    }
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ").replace(" .", ".");
    Some(Claim { text, cites })
}

/// Words that say nothing of what a sentence is about.
const PLAIN: &str = " the and that this with from into for are was were has have had which when where what how why not \
    but its it's their there they them then than can could would should will does did done been being each all any \
    one two also only just more most some such very over under about after before through while because between \
    both use used uses using call calls called function file line code value returns return ";

/// The words of a text that say what it is about, without their endings.
pub(super) fn words(text: &str) -> BTreeSet<String> {
    let split = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    let mut all = BTreeSet::new();
    for word in split.filter(|w| !w.is_empty()) {
        for part in parts(word) {
            let part = part.to_lowercase();
            if part.chars().count() >= 3 && !PLAIN.contains(&format!(" {part} ")) {
                all.insert(stem(&part));
            }
        }
    }
    all
}

/// The words that a name is made of: `parse_config` and `parseConfig` are two.
fn parts(word: &str) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut before = '_';
    for c in word.chars() {
        if c == '_' || (c.is_uppercase() && before.is_lowercase()) {
            all.push(String::new());
        }
        if c != '_'
            && let Some(last) = all.last_mut()
        {
            last.push(c);
        }
        before = c;
    }
    all.retain(|p| !p.is_empty());
    all
}

fn stem(word: &str) -> String {
    let cut = ["ing", "ies", "ed", "es", "s"].iter().find_map(|end| word.strip_suffix(end));
    cut.filter(|rest| rest.chars().count() >= 3).unwrap_or(word).to_owned()
}

/// The names of code in a text: in backquotes, or written as no word is.
pub(super) fn names(text: &str) -> BTreeSet<String> {
    let quoted = text.split('`').skip(1).step_by(2);
    let quoted = quoted.map(|q| q.trim().trim_end_matches("()").to_owned());
    let coded = |w: &&str| {
        let inner = w.chars().skip(1).collect::<String>();
        w.contains('_')
            || w.contains("::")
            || (inner.chars().any(char::is_uppercase) && inner.chars().any(char::is_lowercase))
    };
    let split = text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':'));
    let bare = split.map(|w| w.trim_matches(':')).filter(coded).map(str::to_owned);
    quoted.chain(bare).filter(|n| !n.is_empty() && n.chars().count() < 80).collect()
}

/// Whether a passage bears a sentence, as far as words can tell: its names stand there, or a good part of what
/// it speaks of.
pub(super) fn bears(passage: &str, sentence: &str) -> bool {
    let lower = passage.to_lowercase();
    let names = names(sentence);
    let there = names.iter().filter(|n| stands(&lower, n)).count();
    let said = words(sentence);
    let known = words(passage);
    let shared = said.iter().filter(|w| known.contains(*w)).count();
    if names.is_empty() {
        return shared * 10 >= said.len() * 3 && shared > 0;
    }
    there * 2 >= names.len() && (there == names.len() || shared * 10 >= said.len() * 3)
}

/// Whether a name stands in a text: whole, or its last part.
pub(super) fn stands(lower: &str, name: &str) -> bool {
    let name = name.to_lowercase();
    let last = name.rsplit("::").next().unwrap_or(&name).rsplit('.').next().unwrap_or_default().to_owned();
    lower.contains(&name) || (last.chars().count() > 3 && lower.contains(&last))
}
