//! Previews: what can be offered for a question, the general before the narrow, and what each would let run.
//!
//! Owns the choice of examples. Each is decided by the rules themselves, so that nothing is claimed of a rule that does
//! not hold.

use super::{By, Manner, Outcome, Policy, Request, Rule, Setting, rule::About};

/// A command that stands for others, and what would happen to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Example {
    /// The line.
    pub line: String,
    /// What happens to it with the rules.
    pub outcome: Outcome,
}

impl Policy {
    /// Every way in which a question can be answered from now on, the most general first. Never empty.
    ///
    /// # Errors
    /// Why there is none, for people.
    pub fn offers(&self, request: &Request, setting: &Setting<'_>) -> Result<Vec<Vec<Rule>>, &'static str> {
        let general = self.offer(request, setting)?;
        let mut all = vec![general];
        if let Ok(narrow) = self.offer_exactly(request, setting)
            && !all.contains(&narrow)
        {
            all.push(narrow);
        }
        Ok(all)
    }

    /// What these rules would do to the command itself and to lines near it.
    pub fn examples(&self, rules: &[Rule], request: &Request, setting: &Setting<'_>) -> Vec<Example> {
        let Request::Command { line, folder, .. } = request else { return Vec::new() };
        let granted: Vec<Rule> = setting.granted.iter().chain(rules).cloned().collect();
        let with = Setting { granted: &granted, ..*setting };
        let manner = Manner { by: By::Agent, ..Manner::default() };
        let mut lines = vec![line.clone()];
        for rule in rules.iter().filter(|r| matches!(r.about, About::Command(_))) {
            let pattern = rule.pattern();
            let words = pattern.trim_end_matches('$').trim_end();
            let program = words.split(' ').next().unwrap_or(words);
            lines.extend([
                format!("{words} other --option"),
                format!("{program} another"),
                format!("{words} > file"),
                format!("{words}; rm file"),
            ]);
        }
        let mut seen = Vec::new();
        lines.retain(|l| {
            !seen.contains(l) && {
                seen.push(l.clone());
                true
            }
        });
        let decided = |line: String| {
            let outcome = self.decide(&Request::command_in(&line, folder, manner), &with).ruling.outcome;
            Example { line, outcome }
        };
        lines.into_iter().map(decided).collect()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use super::*;
    use crate::{policy::Conditions, scope::PermissionMode};

    const SETTING: Setting<'static> =
        Setting { mode: PermissionMode::Ask, conditions: Conditions::CALM, granted: &[] };

    fn offers(line: &str) -> Result<Vec<String>, &'static str> {
        let all = Policy::default().offers(&Request::read(line), &SETTING)?;
        Ok(all.iter().map(|r| r.iter().map(Rule::to_string).collect::<Vec<_>>().join("; ")).collect())
    }

    #[test]
    fn the_general_rule_comes_first_and_just_this_line_second() {
        for (line, want) in [
            ("cargo add serde", &["allow command cargo add", "allow command cargo add serde $"][..]),
            ("make", &["allow command make $"]),
            (
                "cargo build && cargo test -q",
                &[
                    "allow command cargo build; allow command cargo test",
                    "allow command cargo build $; allow command cargo test -q $",
                ],
            ),
        ] {
            assert_eq!(offers(line).unwrap(), want, "{line}");
        }
        for line in ["rm x", "git push --force", "ls"] {
            assert!(offers(line).is_err(), "{line}");
        }
    }

    #[test]
    fn the_examples_say_what_would_run_and_what_would_still_ask() {
        let policy = Policy::default();
        let request = Request::read("cargo add serde");
        let found = |narrow: usize| -> Vec<(String, Outcome)> {
            let rules = policy.offers(&request, &SETTING).unwrap().remove(narrow);
            policy.examples(&rules, &request, &SETTING).into_iter().map(|e| (e.line, e.outcome)).collect()
        };
        let of = |line: &str, outcome| (line.to_owned(), outcome);
        assert_eq!(
            found(0),
            [
                of("cargo add serde", Outcome::Run),
                of("cargo add other --option", Outcome::Run),
                of("cargo another", Outcome::Ask),
                of("cargo add > file", Outcome::Ask),
                of("cargo add; rm file", Outcome::Ask),
            ]
        );
        assert_eq!(found(1)[1], of("cargo add serde other --option", Outcome::Ask));
    }
}
