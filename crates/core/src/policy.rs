//! Permission rules: which commands, paths, tools and hosts are denied, asked about or allowed.
//!
//! Owns the rules and their weighing: deny beats ask beats allow, in every mode and for every tool; high risk and
//! removals are never allowed by a rule, and what cannot be read with certainty neither. Never reads a file (the
//! runtime does), never asks anybody, and is consulted in one place: the session's gate.

mod always;
mod decide;
mod decision;
mod fault;
mod glob;
mod held;
mod manner;
mod offer;
mod preview;
mod rehearse;
mod request;
mod reserved;
mod rule;
mod why;
mod words;

pub use decision::{Conditions, Decision, DecisionReason, Outcome, Ruling, Setting};
pub use fault::Fault;
pub use glob::Places;
pub use held::{Held, PathRules};
pub use manner::{By, Manner};
pub use preview::Example;
pub use rehearse::{Found, Past, Rehearsal};
pub use request::Request;
pub use reserved::OF_SYSTEM;
pub use rule::{About, Effect, KINDS, Origin, Rule, Source};
pub use why::Why;

/// All rules that are in force for a workspace, in the order in which they are looked at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Policy {
    rules: Vec<Rule>,
    places: Places,
    exposed: Option<String>,
}

impl Policy {
    /// These rules, for a workspace and home at these places.
    pub fn new(rules: Vec<Rule>, places: Places) -> Self {
        let exposed = places.exposed();
        Self { rules, places, exposed }
    }

    /// Why the workspace is none for work unasked, if it is.
    pub fn exposed(&self) -> Option<&str> {
        self.exposed.as_deref()
    }

    /// Why a path is reserved, if it is, in a workspace that holds such places.
    pub fn reserved(&self, path: &str) -> Option<&'static str> {
        self.exposed().and_then(|_| self.places.reserved(path))
    }

    /// These rules as far as others, read later, leave them: what those deny or ask about is added, what they do not allow
    /// goes, and nothing is let through that was not.
    #[must_use]
    pub fn narrowed_by(&self, later: &Self) -> Self {
        let allows = |r: &&Rule| r.effect != Effect::Allow || later.has(r);
        let added = later.rules.iter().filter(|r| r.effect != Effect::Allow && !self.has(r));
        let rules = added.chain(self.rules.iter().filter(allows)).cloned().collect();
        Self::new(rules, later.places.clone())
    }

    /// The rules of these that others have not.
    pub fn beyond<'a>(&'a self, others: &'a Self) -> impl Iterator<Item = &'a Rule> {
        self.rules.iter().filter(|r| !others.has(r))
    }

    /// Whether a rule says the same, wherever it stands.
    fn has(&self, rule: &Rule) -> bool {
        self.rules.iter().any(|r| r.to_string() == rule.to_string())
    }

    /// Every rule.
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// Where the workspace and the home folder are.
    pub const fn places(&self) -> &Places {
        &self.places
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::{
        Effect::{Allow, Ask, Deny},
        *,
    };
    use crate::scope::PermissionMode;

    #[test]
    fn rules_are_narrowed_by_what_later_ones_forbid_and_by_nothing_that_they_let_through() {
        let policy = |rules: &[(Effect, &str)]| {
            let origin = || Origin { source: Source::User, file: "permissions.toml".to_owned(), line: 1 };
            let rule = |(effect, words): &(Effect, &str)| Rule::new(*effect, "command", words, origin());
            Policy::new(rules.iter().map(|r| rule(r).unwrap()).collect(), Places::default())
        };
        let held = policy(&[(Allow, "cargo add"), (Allow, "just test"), (Deny, "git log"), (Ask, "git tag")]);
        let later = policy(&[(Allow, "just test"), (Allow, "npm run"), (Deny, "git push"), (Ask, "git add")]);
        let narrowed = held.narrowed_by(&later);
        let mut words: Vec<String> = narrowed.rules().iter().map(ToString::to_string).collect();
        words.sort_unstable();
        let wanted = [
            "allow command just test",
            "ask command git add",
            "ask command git tag",
            "deny command git log",
            "deny command git push",
        ];
        assert_eq!(words, wanted);
        let waits: Vec<String> = later.beyond(&narrowed).map(ToString::to_string).collect();
        assert_eq!(waits, ["allow command npm run"]);
    }

    /// What a command that nobody was asked about may not see is hidden from it: the rules that come with the program need not
    /// ask before, somebody's own do.
    #[test]
    fn what_lies_in_a_folder_is_not_asked_about_before_by_the_rules_that_are_shipped() {
        let asks = |source, line: &str| {
            let rule = |pattern: &str| {
                let origin = Origin { source, file: "permissions.toml".to_owned(), line: 1 };
                Rule::new(Effect::Ask, "read", pattern, origin).unwrap()
            };
            let places =
                Places { root: "/home/u/project".into(), home: "/home/u".into(), ..Places::default() };
            let policy = Policy::new(vec![rule("id_rsa"), rule("credentials.*"), rule("deploy.sh")], places);
            let setting = Setting { mode: PermissionMode::Ask, conditions: Conditions::CALM, granted: &[] };
            policy.decide(&Request::command(line), &setting).ruling.outcome == Outcome::Ask
        };
        for (line, shipped) in [
            ("wc -l *", false),
            ("cat data/*.json", false),
            ("shellcheck scripts/*.sh", false),
            ("for f in src/*; do head $f; done", false),
            ("cat credentials.*", true),
            ("cat cred*", true),
            ("cat */*", true),
            ("cat $X/*.json", true),
            ("cat ../x/*.json", true),
            ("shopt -s dotglob; cat *", true),
            ("cat id_rsa", true),
        ] {
            assert_eq!(asks(Source::BuiltIn, line), shipped, "{line}");
            assert!(asks(Source::User, line), "{line}");
        }
    }

    /// Where a path leads that climbs out of the workspace only the place of the workspace tells.
    #[test]
    fn a_file_of_a_home_is_somebodys_own_by_whatever_way_the_path_leads_there() {
        let high = |root: &str, line: &str| {
            let places = Places { root: root.into(), home: "/home/u".into(), ..Places::default() };
            let verdict = Policy::new(Vec::new(), places).verdict(line, "");
            assert_eq!(verdict.rule == "secret", verdict.risk == crate::shell::Risk::High, "{line}");
            verdict.rule == "secret"
        };
        for (root, line, own) in [
            ("/home/u/project", "cat ../.foo/cfg", true),
            ("/home/u/project", "cd ../..; cat u/.foo/cfg", true),
            ("/home/u/project", "cat ../../*/.foo/cfg", true),
            ("/home/u/project", "cat ../../other/.foo/cfg", true),
            ("/home/u/project", "cat ../.bashrc", false),
            ("/home/u/project", "cat ../other/.foo/cfg", false),
            ("/home/u/project", "cat .foo/cfg", false),
            ("/home/u/code/project", "cat ../../.foo/cfg", true),
            ("/home/u/code/project", "cat ../.foo/cfg", false),
            ("/home/u/.code/project", "cat src/a ../project/b", false),
            ("/srv/project", "cat ../../home/u/.foo/cfg", true),
            ("/srv/project", "cat ../../.foo/cfg", false),
        ] {
            assert_eq!(high(root, line), own, "{line} in {root}");
        }
    }
}
