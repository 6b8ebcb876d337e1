//! The rules of command risk, kept as data: `assets/risk/rules.txt`.
//!
//! Owns reading that file and finding a rule by its id. Never judges a command.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::Risk;

/// One rule: a stable id, its risk, the clause of the safety rules it stands for, and examples.
#[derive(Clone, Debug)]
pub struct Rule {
    /// Stable name.
    pub id: &'static str,
    /// What a match means.
    pub risk: Risk,
    /// Clause of the safety rules.
    pub clause: u8,
    /// One plain sentence.
    pub why: &'static str,
    /// Lines whose verdict is this rule.
    pub matching: Vec<&'static str>,
    /// Lines whose verdict is another rule.
    pub other: Vec<&'static str>,
}

static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| read(include_str!("../../../../assets/risk/rules.txt")));

static BY_ID: LazyLock<HashMap<&'static str, &'static Rule>> =
    LazyLock::new(|| all().iter().map(|rule| (rule.id, rule)).collect());

static FALLBACK: Rule = Rule {
    id: "unreadable",
    risk: Risk::High,
    clause: 9,
    why: "the line could not be read with certainty",
    matching: Vec::new(),
    other: Vec::new(),
};

/// Every rule, in the order of the file.
pub fn all() -> &'static [Rule] {
    &RULES
}

/// The rule of that id; an id that is not in the file is the strictest rule.
pub(super) fn find(id: &str) -> &'static Rule {
    let rule = BY_ID.get(id).copied();
    debug_assert!(rule.is_some(), "no rule {id}");
    rule.unwrap_or(&FALLBACK)
}

/// Whether the file has a rule of that id.
pub fn exists(id: &str) -> bool {
    BY_ID.contains_key(id)
}

fn read(text: &'static str) -> Vec<Rule> {
    let mut out: Vec<Rule> = Vec::new();
    for line in text.lines() {
        if let Some(example) = line.strip_prefix("+ ") {
            if let Some(rule) = out.last_mut() {
                rule.matching.push(example);
            }
        } else if let Some(example) = line.strip_prefix("- ") {
            if let Some(rule) = out.last_mut() {
                rule.other.push(example);
            }
        } else if !line.is_empty() && !line.starts_with('#') {
            let mut parts = line.splitn(4, ' ');
            let (Some(id), Some(risk), Some(clause), Some(why)) =
                (parts.next(), parts.next(), parts.next(), parts.next())
            else {
                continue;
            };
            let risk = match risk {
                "low" => Risk::Low,
                "medium" => Risk::Medium,
                _ => Risk::High,
            };
            let clause = clause.parse().unwrap_or(0);
            out.push(Rule { id, risk, clause, why, matching: Vec::new(), other: Vec::new() });
        }
    }
    out
}
