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
            return Err("it does not ask");
        }
        if self.exposed().is_some() {
            return Err("no rule allows anything in this folder: it holds more than a project");
        }
        match decision.ground {
            DecisionReason::Reserved => return Err("a reserved place is never covered by a rule"),
            DecisionReason::High => return Err("high risk is never covered by a rule"),
            DecisionReason::Delete => return Err("a removal is never covered by a rule"),
            DecisionReason::Rule => return Err("a rule says that it asks; ask goes before allow"),
            DecisionReason::Outside => {
                return Err("a command outside the sandbox is never covered by a rule");
            }
            DecisionReason::Bare => return Err("without a sandbox every command asks"),
            DecisionReason::Metadata => {
                return Err("what writes asks while the sandbox does not hold metadata");
            }
            DecisionReason::Network => return Err("a rule does not open the network; your settings can"),
            DecisionReason::Untrusted => return Err("a gate asks until the folder is trusted"),
            DecisionReason::Brought => {
                return Err("a rule is about what a line names, not about what the project brings");
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
        let unfit = "no rule could say it";
        let rules: Result<Vec<Rule>, _> = texts.iter().map(|t| Rule::parse(t, Origin::SESSION)).collect();
        let rules = rules.map_err(|_| unfit)?;
        let granted: Vec<Rule> = setting.granted.iter().chain(&rules).cloned().collect();
        let after = self.decide(request, &Setting { granted: &granted, ..*setting }).ruling.outcome;
        if after == Outcome::Run {
            Ok(rules)
        } else {
            Err("part of it is not certain, so no rule can allow it")
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
        let doing: Vec<&Call> = facts.reading.calls.iter().filter(|c| !c.carrier).collect();
        let acts = doing.iter().any(|c| c.risk > Risk::Low);
        let mut rules: Vec<String> = Vec::new();
        for call in doing.iter().filter(|c| !acts || c.risk > Risk::Low) {
            if self.allows_call(call, folder, setting) {
                continue;
            }
            let words = words(call).ok_or("part of it is not certain, so no rule can allow it")?;
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
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::{policy::Conditions, scope::PermissionMode};

    const HELD: Conditions = Conditions { trusted: false, ..Conditions::CALM };

    fn offer(line: &str) -> Result<Vec<String>, &'static str> {
        let setting = Setting { mode: PermissionMode::Ask, conditions: HELD, granted: &[] };
        let policy = Policy::default();
        policy.offer(&Request::read(line), &setting).map(|rules| rules.iter().map(Rule::to_string).collect())
    }

    #[test]
    fn a_command_is_generalised_to_what_it_does() {
        for (line, rules) in [
            ("cargo add serde --features derive", &["allow command cargo add"][..]),
            ("npm run lint -- --fix", &["allow command npm run lint"]),
            ("docker compose up -d", &["allow command docker compose up"]),
            ("python3 scripts/gen.py --all", &["allow command python3 scripts/gen.py"]),
            ("python -m build", &["allow command python -m build"]),
            ("python3 -c 'import a'", &["allow command python3 -c 'import a' $"]),
            ("./scripts/check.sh all", &["allow command ./scripts/check.sh"]),
            ("mkdir -p a/b", &["allow command mkdir"]),
            ("frobnicate deep --all", &["allow command frobnicate deep"]),
            ("frobnicate --all", &["allow command frobnicate --all $"]),
            ("make", &["allow command make $"]),
            ("just draw --now", &["allow command just draw"]),
            ("curl -s https://docs.rs/x", &["allow command curl -s https://docs.rs/x $"]),
            ("curl https://docs.rs/x", &["allow command curl https://docs.rs/x"]),
            ("sed -i s/a/b/ src/a.rs", &["allow command sed"]),
            (
                "cd crates && cargo build && cargo test | tail -3",
                &["allow command cargo build", "allow command cargo test"],
            ),
            ("timeout 9 cargo build", &["allow command cargo build"]),
            ("git -C sub push", &["allow command git -C sub push $"]),
            ("mcp github get_issue", &["allow mcp github/get_issue"]),
            ("network docs.rs", &["allow network docs.rs"]),
        ] {
            assert_eq!(offer(line).unwrap(), rules, "{line}");
        }
    }

    #[test]
    fn what_no_rule_can_allow_is_never_offered() {
        for line in [
            "rm x",
            "rm -rf build",
            "git push --force",
            "cat .env",
            "sudo make install",
            "cargo test $X",
            "cargo test > src/lib.rs",
            "$X",
            "a; b c; d e; f g; h i",
            "cd /elsewhere && make",
            "delete src/a.rs",
            "edit src/a.rs",
            "echo 'unclosed",
        ] {
            assert!(offer(line).is_err(), "{line}: {:?}", offer(line));
        }
    }

    #[test]
    fn an_offer_answers_its_own_question_and_nothing_of_high_risk() {
        let corpus = include_str!("../../../shell/tests/data/risk-corpus.jsonl");
        let mut offered = 0;
        for line in corpus.lines() {
            let case: serde_json::Value = serde_json::from_str(line).unwrap();
            let cmd = case.get("cmd").and_then(|c| c.as_str()).unwrap();
            if let Ok(rules) = offer(cmd) {
                offered += 1;
                assert!(shell::assess(cmd).risk < Risk::High, "{cmd}");
                let rules: Vec<Rule> =
                    rules.iter().map(|r| Rule::parse(r, Origin::SESSION).unwrap()).collect();
                assert!(
                    Policy::is_about(&rules, &Request::command(cmd), &super::super::Places::default()),
                    "{cmd}"
                );
            }
        }
        assert!(offered > 100, "{offered}");
    }
}
