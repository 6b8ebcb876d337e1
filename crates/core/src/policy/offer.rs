//! Offers: the general rules that would answer a question from now on.
//!
//! Owns how far a command is generalised. Never offers what a rule could not allow: high risk, removals, what is not
//! certain; and never a rule that would not let just this request run.

use super::{
    DecisionReason, Outcome, Policy, Setting,
    request::{Facts, Request},
    rule::{Effect, Origin, Rule},
};
use crate::shell::{self, Call, Risk, Role};

/// Most rules that one answer may make.
const MAX_RULES: usize = 3;

impl Policy {
    /// The rules that would let requests like this one run.
    ///
    /// # Errors
    /// Why there are none, for people.
    pub fn offer(&self, request: &Request, setting: &Setting<'_>) -> Result<Vec<Rule>, &'static str> {
        self.offered(request, setting, general)
    }

    /// The rules that would let just this line run.
    ///
    /// # Errors
    /// Why there are none, for people.
    pub(super) fn offer_exactly(
        &self,
        request: &Request,
        setting: &Setting<'_>,
    ) -> Result<Vec<Rule>, &'static str> {
        self.offered(request, setting, narrow)
    }

    fn offered(
        &self,
        request: &Request,
        setting: &Setting<'_>,
        words: Words,
    ) -> Result<Vec<Rule>, &'static str> {
        let decision = self.decide(request, setting);
        if decision.ruling.outcome != Outcome::Ask {
            return Err("it doesn't ask");
        }
        if self.exposed().is_some() {
            return Err("no rule allows anything in this folder: it holds more than a project");
        }
        match decision.ground {
            DecisionReason::Reserved => return Err("a reserved place is never covered by a rule"),
            DecisionReason::High => return Err("high risk is never covered by a rule"),
            DecisionReason::Delete => return Err("a removal is never covered by a rule"),
            DecisionReason::Rule => {
                return Err("one of your rules has it ask, and that counts before any rule that allows");
            }
            DecisionReason::Outside => {
                return Err("a command outside the sandbox is never covered by a rule");
            }
            DecisionReason::Bare => return Err("without a sandbox every command asks"),
            DecisionReason::Metadata => {
                return Err("anything that writes asks while the sandbox cannot protect metadata");
            }
            DecisionReason::Network => return Err("a rule does not open the network; your settings can"),
            DecisionReason::Untrusted => return Err("a gate asks until the folder is trusted"),
            DecisionReason::Brought => {
                return Err("a rule covers what a line names, not what the project brings");
            }
            DecisionReason::TooLong
            | DecisionReason::Mode
            | DecisionReason::Low
            | DecisionReason::User
            | DecisionReason::Scope => {}
        }
        let texts = match request {
            Request::Command { line, folder, .. } => self.generalised(line, folder, setting, words)?,
            Request::Mcp { server, tool, .. } => vec![format!("allow mcp {server}/{tool}")],
            Request::Network { host } => vec![format!("allow network {host}")],
            Request::Path { .. } => return Err("changes are reviewed in the diff"),
        };
        let unfit = "no rule can express it";
        let rules: Result<Vec<Rule>, _> = texts.iter().map(|t| Rule::parse(t, Origin::SESSION)).collect();
        let rules = rules.map_err(|_| unfit)?;
        let granted: Vec<Rule> = setting.granted.iter().chain(&rules).cloned().collect();
        let after = self.decide(request, &Setting { granted: &granted, ..*setting }).ruling.outcome;
        if after == Outcome::Run {
            Ok(rules)
        } else {
            Err("part of it is uncertain, so no rule can allow it")
        }
    }

    fn generalised(
        &self,
        line: &str,
        folder: &str,
        setting: &Setting<'_>,
        words: Words,
    ) -> Result<Vec<String>, &'static str> {
        let facts = Facts::of(line, folder, self.places());
        let mut rules: Vec<String> = Vec::new();
        for call in facts.doing(folder, self.places()) {
            if self.allows_call(call, folder, setting) {
                continue;
            }
            let words = words(call).ok_or("part of it is uncertain, so no rule can allow it")?;
            let rule = format!("{} command {words}", Effect::Allow.name());
            if !rules.contains(&rule) {
                rules.push(rule);
            }
        }
        match rules.len() {
            0 => Err("its output goes to a file, and no rule allows that"),
            1..=MAX_RULES => Ok(rules),
            _ => Err("it runs too many different commands for a rule"),
        }
    }
}

/// The words of a rule about a command.
type Words = fn(&Call) -> Option<String>;

/// The words of a rule for just this command.
fn narrow(call: &Call) -> Option<String> {
    if call.program.is_empty() || call.words.iter().any(|w| !w.certain) {
        return None;
    }
    let words: Vec<&str> = call.words.iter().map(|w| w.text.as_str()).collect();
    exactly(if call.located { &call.given } else { &call.program }, &words)
}

/// The words of a rule for commands like this one.
fn general(call: &Call) -> Option<String> {
    if call.program.is_empty() || call.words.iter().any(|w| !w.certain) {
        return None;
    }
    let words: Vec<&str> = call.words.iter().map(|w| w.text.as_str()).collect();
    let program = if call.located { call.given.as_str() } else { call.program.as_str() };
    let name = call.program.as_str();
    let plain = |word: &str| {
        !word.is_empty()
            && word.chars().all(|c| c.is_alphanumeric() || "-_:".contains(c))
            && !word.starts_with('-')
    };
    let kept: Vec<&str> = match words.as_slice() {
        _ if call.by_default => return exactly(program, &words),
        _ if call.located => Vec::new(),
        ["-m", module, ..] if shell::is(name, Role::Interpreter) => vec!["-m", module],
        [file, ..] if shell::is(name, Role::Interpreter) && !file.starts_with('-') => vec![file],
        [first, second, ..] if plain(second) && shell::goes_deeper(name, first) => vec![first, second],
        [first, ..] if plain(first) && shell::has_subcommands(name) => vec![first],
        [] => return Some(format!("{} $", quoted(program)?)),
        [first, ..]
            if first.starts_with('-')
                && (shell::has_subcommands(name) || shell::is(name, Role::Interpreter)) =>
        {
            return exactly(program, &words);
        }
        _ if call.risk == Risk::Low || shell::is(name, Role::Filer) => Vec::new(),
        [first, ..] if !first.starts_with('-') => vec![first],
        _ => return exactly(program, &words),
    };
    joined(program, &kept)
}

fn exactly(program: &str, words: &[&str]) -> Option<String> {
    Some(format!("{} $", joined(program, words)?))
}

fn joined(program: &str, words: &[&str]) -> Option<String> {
    let all: Option<Vec<String>> = std::iter::once(&program).chain(words).map(|w| quoted(w)).collect();
    Some(all?.join(" "))
}

/// A word as a rule can hold it; none when it has both kinds of quotes or is more than a line.
fn quoted(word: &str) -> Option<String> {
    let plain = |c: char| c.is_alphanumeric() || "-_./:=,+@%*?~!^#".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return Some(word.to_owned());
    }
    match (word.contains('\''), word.contains('"'), word.chars().any(char::is_control)) {
        (_, _, true) | (true, true, _) => None,
        (true, false, _) => Some(format!("\"{word}\"")),
        (false, _, _) => Some(format!("'{word}'")),
    }
}

#[cfg(test)]
mod tests;
