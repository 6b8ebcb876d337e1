//! The rules of command risk, kept as data: `assets/knowledge/rules.txt`.
//!
//! Owns reading that file and finding a rule by its id. Never judges a command.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::{Risk, Stake};

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
    /// What it puts at stake, where a look at the machine can tell whether that is lost.
    pub stake: Option<Stake>,
    /// Whether it runs code of others that comes with what is installed.
    pub foreign: bool,
    /// Lines whose verdict is this rule.
    pub matching: Vec<&'static str>,
    /// Lines whose verdict is another rule.
    pub other: Vec<&'static str>,
}

static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| read(TEXT));

static BY_ID: LazyLock<HashMap<&'static str, &'static Rule>> =
    LazyLock::new(|| all().iter().map(|rule| (rule.id, rule)).collect());

/// One clause of the safety rules, with lines and the risk they must have.
#[derive(Clone, Debug)]
pub struct Clause {
    /// Its number there.
    pub number: u8,
    /// What it says.
    pub text: &'static str,
    /// Lines that show it.
    pub examples: Vec<(Risk, &'static str)>,
}

/// The clauses, in the order of the file.
pub fn clauses() -> Vec<Clause> {
    let mut out: Vec<Clause> = Vec::new();
    for line in TEXT.lines() {
        if let Some((number, text)) = line.strip_prefix("@ ").and_then(|rest| rest.split_once(' ')) {
            out.push(Clause { number: number.parse().unwrap_or(0), text, examples: Vec::new() });
        } else if let Some((risk, example)) = line.split_once(": ")
            && let Some(clause) = out.last_mut()
        {
            clause.examples.push((risk_of(risk), example));
        }
    }
    out
}

fn risk_of(word: &str) -> Risk {
    match word {
        "low" => Risk::Low,
        "medium" => Risk::Medium,
        _ => Risk::High,
    }
}

const TEXT: &str = include_str!("../../../assets/knowledge/rules.txt");

static FALLBACK: Rule = Rule {
    id: "unreadable",
    risk: Risk::High,
    clause: 9,
    why: "the line could not be read with certainty",
    stake: None,
    foreign: false,
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

/// The rule of what reads secrets: for whoever knows where a path leads that the text does not show.
pub fn secret() -> &'static Rule {
    find("secret")
}

/// Whether the file has a rule of that id.
pub fn exists(id: &str) -> bool {
    BY_ID.contains_key(id)
}

fn read(text: &'static str) -> Vec<Rule> {
    let mut out: Vec<Rule> = Vec::new();
    for line in text.lines().take_while(|line| !line.starts_with("@ ")) {
        if let Some(example) = line.strip_prefix("+ ") {
            if let Some(rule) = out.last_mut() {
                rule.matching.push(example);
            }
        } else if let Some(example) = line.strip_prefix("- ") {
            if let Some(rule) = out.last_mut() {
                rule.other.push(example);
            }
        } else if let Some(mark) = line.strip_prefix("= ") {
            if let Some(rule) = out.last_mut() {
                rule.foreign |= mark == "foreign";
                rule.stake = rule.stake.or_else(|| Stake::named(mark));
            }
        } else if !line.is_empty() && !line.starts_with('#') {
            let mut parts = line.splitn(4, ' ');
            let (Some(id), Some(risk), Some(clause), Some(why)) =
                (parts.next(), parts.next(), parts.next(), parts.next())
            else {
                continue;
            };
            let risk = risk_of(risk);
            let clause = clause.parse().unwrap_or(0);
            let (matching, other) = (Vec::new(), Vec::new());
            out.push(Rule { id, risk, clause, why, stake: None, foreign: false, matching, other });
        }
    }
    out
}
