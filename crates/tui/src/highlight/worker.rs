//! The thread that parses: the newest question first, from the nearest checkpoint.

use std::{
    collections::HashMap,
    sync::{Arc, Weak, mpsc::Receiver},
};

use pilothouse_core::blob::BlobId;
use syntect::parsing::{ParseState, Scope, ScopeStack, SyntaxReference, SyntaxSet};

use super::{Colours, LINES_AT_ONCE, LONGEST_LINE_BYTES, Question, Shared};
use crate::theme::Slot;

/// Texts whose checkpoints are kept.
const PARSED: usize = 16;

/// Scopes and what they mean here; the first that fits counts, the innermost scope first.
const MEANINGS: &[(&str, Slot)] = &[
    ("comment", Slot::Comment),
    ("string", Slot::Str),
    ("constant.character", Slot::Str),
    ("constant", Slot::Num),
    ("keyword.operator", Slot::Text),
    ("keyword", Slot::Keyword),
    ("storage.type.numeric", Slot::Num),
    ("storage", Slot::Keyword),
    ("variable.language", Slot::Keyword),
    ("entity.name.type", Slot::Type),
    ("entity.name.class", Slot::Type),
    ("entity.name.struct", Slot::Type),
    ("entity.name.enum", Slot::Type),
    ("entity.name.trait", Slot::Type),
    ("entity.name.impl", Slot::Type),
    ("entity.name.tag", Slot::Keyword),
    ("entity.other.inherited-class", Slot::Type),
    ("entity.other.attribute-name", Slot::Type),
    ("support.type", Slot::Type),
    ("support.class", Slot::Type),
];

struct Parsed {
    /// The state before line `n * LINES_AT_ONCE`.
    checkpoints: Vec<(ParseState, ScopeStack)>,
}

struct Worker {
    syntaxes: SyntaxSet,
    meanings: Vec<(Scope, Slot)>,
    known: HashMap<Scope, Option<Slot>>,
    parsed: HashMap<BlobId, Parsed>,
}

/// Answers questions until nobody can ask any more.
pub(super) fn run(questions: &Receiver<Question>, shared: &Weak<Shared>) {
    let Ok(first) = questions.recv() else { return };
    let meanings = MEANINGS.iter().filter_map(|(s, slot)| Some((Scope::new(s).ok()?, *slot))).collect();
    let syntaxes = two_face::syntax::extra_newlines();
    let mut worker = Worker { syntaxes, meanings, known: HashMap::new(), parsed: HashMap::new() };
    let mut waiting = vec![first];
    loop {
        waiting.extend(questions.try_iter());
        let Some(question) = waiting.pop() else {
            match questions.recv() {
                Ok(q) => waiting.push(q),
                Err(_) => return,
            }
            continue;
        };
        let lines = worker.answer(&question);
        let Some(shared) = shared.upgrade() else { return };
        shared.found(question.key, question.group, lines);
    }
}

/// Names that no grammar answers to.
fn alias(lang: &str) -> &str {
    match lang {
        "jsx" => "js",
        "ps1" => "powershell",
        "console" | "shell-session" | "shell" => "sh",
        other => other,
    }
}

/// A number goes on behind a separator, which not every grammar knows.
fn whole_numbers(line: &str, colours: Vec<(usize, Slot)>) -> Vec<(usize, Slot)> {
    let mut whole: Vec<(usize, Slot)> = Vec::new();
    for (end, slot) in colours {
        let begin = whole.last_mut();
        if let Some(number) = begin.filter(|(_, before)| *before == Slot::Num && slot == Slot::Text) {
            let rest = line.get(number.0..end).unwrap_or_default();
            let goes_on = rest.strip_prefix('_').is_some_and(|r| r.starts_with(|c: char| c.is_ascii_digit()));
            if goes_on {
                number.0 += rest.find(|c: char| c != '_' && !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
            }
            if number.0 == end {
                continue;
            }
        }
        whole.push((end, slot));
    }
    whole
}

impl Worker {
    /// The colours of one group of lines; `None` when the text stays plain.
    fn answer(&mut self, q: &Question) -> Option<Vec<Colours>> {
        let lang = alias(&q.lang).to_owned();
        if self.parsed.len() >= PARSED && !self.parsed.contains_key(&q.key) {
            self.parsed.clear();
        }
        let fresh = {
            let set = &self.syntaxes;
            let syntax: &SyntaxReference =
                set.find_syntax_by_token(&lang).or_else(|| set.find_syntax_by_extension(&lang))?;
            ParseState::new(syntax)
        };
        let mut parsed = self
            .parsed
            .remove(&q.key)
            .unwrap_or_else(|| Parsed { checkpoints: vec![(fresh, ScopeStack::new())] });
        let from = q.group.min(parsed.checkpoints.len().saturating_sub(1));
        let (mut state, mut stack) = parsed.checkpoints.get(from)?.clone();
        let mut out = Vec::new();
        let end = (q.group + 1) * LINES_AT_ONCE;
        let lines = q.text.split_inclusive('\n').enumerate().skip(from * LINES_AT_ONCE);
        for (n, line) in lines.take_while(|(n, _)| *n < end) {
            if n % LINES_AT_ONCE == 0 && n / LINES_AT_ONCE == parsed.checkpoints.len() {
                parsed.checkpoints.push((state.clone(), stack.clone()));
            }
            let colours = self.line(&mut state, &mut stack, line);
            if n / LINES_AT_ONCE == q.group {
                out.push(colours);
            }
        }
        if parsed.checkpoints.len() == q.group + 1 {
            parsed.checkpoints.push((state, stack));
        }
        self.parsed.insert(q.key, parsed);
        Some(out)
    }

    fn line(&mut self, state: &mut ParseState, stack: &mut ScopeStack, line: &str) -> Colours {
        if line.len() > LONGEST_LINE_BYTES {
            return Arc::from([]);
        }
        let Ok(ops) = state.parse_line(line, &self.syntaxes) else { return Arc::from([]) };
        let mut out: Vec<(usize, Slot)> = Vec::new();
        let mut at = 0;
        let len = line.trim_end_matches('\n').len();
        let mut until = |end: usize, slot: Slot| {
            let end = end.min(len);
            if end > at {
                match out.last_mut().filter(|(_, s)| *s == slot) {
                    Some(last) => last.0 = end,
                    None => out.push((end, slot)),
                }
                at = end;
            }
        };
        for (place, op) in ops {
            until(place, self.meaning(stack));
            if stack.apply(&op).is_err() {
                break;
            }
        }
        until(len, self.meaning(stack));
        Arc::from(whole_numbers(line, out))
    }

    fn meaning(&mut self, stack: &ScopeStack) -> Slot {
        stack.as_slice().iter().rev().find_map(|s| self.scope(*s)).unwrap_or(Slot::Text)
    }

    fn scope(&mut self, scope: Scope) -> Option<Slot> {
        if let Some(known) = self.known.get(&scope) {
            return *known;
        }
        let found = self.meanings.iter().find(|(m, _)| m.is_prefix_of(scope)).map(|(_, slot)| *slot);
        self.known.insert(scope, found);
        found
    }
}
