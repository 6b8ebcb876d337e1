//! Why something is asked, not asked or refused, in words.
//!
//! Owns the wording and the search for what almost matched and what would turn it round. Never decides.

use super::{
    By, Decision, DecisionReason, Outcome, Policy, Setting,
    glob::Target,
    request::{Facts, Request},
    rule::{About, Effect, Rule, Source},
    words::Fit,
};
use crate::{
    scope::PermissionMode,
    shell::{Call, Risk},
};

/// An explanation: labels with what there is to say under each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Why {
    /// What happens.
    pub outcome: Outcome,
    /// Its rows, in the order in which they are read.
    pub rows: Vec<(&'static str, String)>,
}

impl Policy {
    /// Explains what happens to a request. `path` says what the turn's path has to do with it.
    pub fn explain(&self, request: &Request, setting: &Setting<'_>, path: &str) -> Why {
        let decision = self.decide(request, setting);
        let ruling = &decision.ruling;
        let does = match ruling.outcome {
            Outcome::Run => "runs without a question",
            Outcome::Ask => "asks",
            Outcome::Refuse => "is refused",
        };
        let mut rows = vec![("call", request.to_string()), ("now", does.to_owned()), ("mode", mode(setting))];
        if !path.is_empty() {
            rows.push(("path", path.to_owned()));
        }
        rows.extend(self.exposed().map(|why| ("folder", format!("{why}: no rule allows anything here"))));
        if let Request::Command { line, folder, .. } = request {
            let verdict = self.verdict(line, folder);
            let part = if verdict.part.is_empty() || verdict.part == *line {
                String::new()
            } else {
                format!(" (`{}`)", verdict.part)
            };
            rows.push(("risk", format!("{}: {}{part}", verdict.risk.name(), verdict.why)));
            rows.extend(decision.confine.map(|how| ("runs", how.words().to_owned())));
        }
        let because = decision.rule.map_or("", |r| r.why.as_str());
        let because = if because.is_empty() { String::new() } else { format!(": {because}") };
        rows.push(("rule", format!("{ruling}{because}")));
        let part = &ruling.part;
        let line = matches!(request, Request::Command { .. });
        if decision.rule.is_some() && line && !part.is_empty() && *part != request.to_string() {
            rows.push(("part", part.clone()));
        }
        rows.extend(self.otherwise(request, setting, ruling.outcome));
        if let Some(near) = self.nearest(request, setting, &decision) {
            rows.push(("near", near));
        }
        rows.push(("change", self.change(request, setting, &decision)));
        Why { outcome: ruling.outcome, rows }
    }

    /// What happens to the same line where it is run as a gate, and in auto mode, where that is something else.
    fn otherwise(
        &self,
        request: &Request,
        setting: &Setting<'_>,
        outcome: Outcome,
    ) -> impl Iterator<Item = (&'static str, String)> {
        let Request::Command { manner, .. } = request else { return None.into_iter().chain(None) };
        let told = |request: &Request, setting: &Setting<'_>, here: &str| {
            let ruling = self.decide(request, setting).ruling;
            let does = match ruling.outcome {
                Outcome::Run => "it runs without asking",
                Outcome::Ask => "it asks",
                Outcome::Refuse => "it is refused",
            };
            (ruling.outcome != outcome).then(|| format!("{here} {does}: {ruling}"))
        };
        let mut as_gate = request.clone();
        if let Request::Command { manner, .. } = &mut as_gate {
            manner.by = By::Gate;
        }
        let auto = Setting { mode: PermissionMode::Auto, ..*setting };
        let agent = manner.by == By::Agent;
        let gate = agent.then(|| told(&as_gate, setting, "as a gate")).flatten();
        let raised = agent && setting.mode == PermissionMode::Ask;
        let raised =
            raised.then(|| told(request, &auto, "in auto mode, as with run --auto-confirm,")).flatten();
        gate.map(|text| ("gate", text)).into_iter().chain(raised.map(|text| ("auto", text)))
    }

    /// The rule that would have turned it round and almost matched.
    fn nearest(&self, request: &Request, setting: &Setting<'_>, decision: &Decision<'_>) -> Option<String> {
        let turned = |rule: &&Rule| match decision.ruling.outcome {
            Outcome::Run => rule.effect != Effect::Allow,
            Outcome::Ask | Outcome::Refuse => rule.effect == Effect::Allow,
        };
        let calls = self.in_the_way(request, setting);
        let target = match request {
            Request::Path { path, .. } => Some(Target::exact(path, self.places())),
            Request::Command { .. } | Request::Mcp { .. } | Request::Network { .. } => None,
        };
        let rules = self.rules().iter().chain(setting.granted).filter(turned);
        let near = rules.filter_map(|rule| {
            let (score, text) = match &rule.about {
                About::Command(words) => {
                    calls.iter().map(|c| fit(words.fits(c), rule, setting, decision)).max_by_key(|f| f.0)?
                }
                About::Path(_, paths) => (paths.likeness(target.as_ref()?), "names other paths".to_owned()),
                About::Mcp { .. } | About::Network(_) => (0, String::new()),
            };
            (score > 0).then(|| (score, format!("`{rule}` ({}) {text}", rule.origin)))
        });
        // Of equals the first one: the rules stand in the order in which they are looked at.
        near.reduce(|best, next| if next.0 > best.0 { next } else { best }).map(|(_, text)| text)
    }

    /// The commands of a line that no rule allows yet; all of them where that is not the question.
    fn in_the_way(&self, request: &Request, setting: &Setting<'_>) -> Vec<Call> {
        let Request::Command { line, folder, .. } = request else { return Vec::new() };
        let facts = Facts::of(line, folder, self.places());
        let acts = facts.reading.calls.iter().any(|c| !c.carrier && c.risk > Risk::Low);
        let open = |c: &&Call| acts && !self.allows_call(c, folder, setting);
        let open: Vec<Call> = facts.doing(folder, self.places()).filter(open).cloned().collect();
        let all = || facts.reading.calls.iter().filter(|c| !c.carrier).cloned().collect();
        if open.is_empty() { all() } else { open }
    }

    /// The one line that would turn it round.
    #[expect(clippy::too_many_lines, reason = "one way to change a decision after the other")]
    fn change(&self, request: &Request, setting: &Setting<'_>, decision: &Decision<'_>) -> String {
        let add = |rule: &str| format!("pilothouse permissions add {}", crate::shell::quote(rule));
        if let Some(rule) = decision.rule {
            let mut without = self.clone();
            without.rules.retain(|r| r != rule);
            let after = without.decide(request, setting);
            if after.ruling.outcome == decision.ruling.outcome {
                return format!("none by itself: without this rule, {}", after.ruling);
            }
        }
        match (decision.ground, decision.rule) {
            (_, Some(rule)) if rule.effect != Effect::Allow => match rule.origin.source {
                Source::BuiltIn => format!("in your permissions.toml: drop = [\"{rule}\"]"),
                Source::User | Source::Project | Source::Session | Source::Folder => {
                    format!("take out {}", rule.origin)
                }
            },
            (_, Some(rule)) => match rule.origin.source {
                Source::Session => "it ends with this session".to_owned(),
                Source::Folder => "`/trust off` takes it back".to_owned(),
                Source::User | Source::Project => format!("take out {}", rule.origin),
                Source::BuiltIn => add(&format!("ask {} {}", rule.kind(), rule.pattern())),
            },
            (DecisionReason::Reserved, None) => {
                "none: a reserved place is never covered by a rule".to_owned()
            }
            (_, None) if decision.ruling.outcome == Outcome::Ask && self.exposed().is_some() => {
                "open a narrower folder".to_owned()
            }
            (DecisionReason::High, None) => {
                "none: high risk is never covered by a rule, a grant or a mode".to_owned()
            }
            (DecisionReason::Delete, None) => {
                "none: a removal is never covered by a rule, a grant or a mode".to_owned()
            }
            (DecisionReason::Outside, None) => {
                "none: running outside the sandbox is never covered by a rule, a grant or a mode".to_owned()
            }
            (DecisionReason::Bare, None) => {
                "none while there is no sandbox here: `pilothouse doctor` says what is missing".to_owned()
            }
            (DecisionReason::Metadata, None) => {
                "none while metadata is not protected here: `pilothouse doctor` says what is missing"
                    .to_owned()
            }
            (DecisionReason::Network, None) => {
                "in your config.toml, below [sandbox]: network = true (for every command)".to_owned()
            }
            (DecisionReason::Untrusted, None) => {
                "/trust in a session, `pilothouse trust` in a shell".to_owned()
            }
            (DecisionReason::Brought, None) => {
                "none: a rule covers what a line names, not what the project brings".to_owned()
            }
            (DecisionReason::User, None) => match self.in_the_way(request, setting).first() {
                Some(call) => add(&format!("deny command {}", call.program)),
                None => "none: it is your own line".to_owned(),
            },
            (DecisionReason::TooLong, None) => "none: split it into shorter lines".to_owned(),
            (DecisionReason::Mode, None) if setting.mode == PermissionMode::ReadOnly => {
                "raise the ceiling from read-only with Shift-Tab or /ask".to_owned()
            }
            (_, None) if decision.ruling.outcome == Outcome::Ask => {
                match (self.offer(request, setting), request) {
                    (Ok(rules), _) => {
                        let all: Vec<String> = rules.iter().map(|r| add(&r.to_string())).collect();
                        all.join("; ")
                    }
                    (Err(_), Request::Path { act: crate::shell::Act::Write, path }) => {
                        add(&format!("allow write {path}"))
                    }
                    (Err(why), _) => format!("none: {why}"),
                }
            }
            (_, None) => match request {
                Request::Command { .. } => {
                    let calls = self.in_the_way(request, setting);
                    let first = calls.first().map_or("*", |c| c.program.as_str());
                    add(&format!("ask command {first}"))
                }
                Request::Path { act, path } => add(&format!("ask {} {path}", act.name())),
                Request::Mcp { server, tool, .. } => add(&format!("ask mcp {server}/{tool}")),
                Request::Network { host } => add(&format!("deny network {host}")),
            },
        }
    }
}

fn mode(setting: &Setting<'_>) -> String {
    let mode = match setting.mode {
        PermissionMode::ReadOnly => "read-only",
        PermissionMode::Ask => "ask",
        PermissionMode::Auto => "auto",
    };
    let trusted = if setting.conditions.trusted { "trusted folder" } else { "folder not trusted" };
    let held = match (setting.conditions.sandboxed, setting.conditions.network) {
        (true, false) => "sandbox",
        (true, true) => "sandbox with the network",
        (false, _) => "no sandbox",
    };
    let open = if setting.conditions.metadata_open { " that does not protect metadata" } else { "" };
    format!("{mode} · {trusted} · {held}{open}")
}

/// How near a rule about commands came, and what was in the way.
fn fit(fit: Fit, rule: &Rule, setting: &Setting<'_>, decision: &Decision<'_>) -> (usize, String) {
    match fit {
        Fit::Until(at, want, found) => (at, format!("wants `{want}` where `{found}` stands")),
        Fit::Whole => {
            let calm = setting.conditions.is_calm();
            let but = match (decision.ground, rule.origin.source) {
                (DecisionReason::High, _) => "high risk is never covered by a rule",
                (DecisionReason::Delete, _) => "a removal is never covered by a rule",
                (DecisionReason::Rule, _) => "deny goes before ask, and ask before allow",
                (DecisionReason::Outside, _) => "nothing outside the sandbox is covered by a rule",
                (DecisionReason::Metadata, _) => {
                    "anything that writes asks while the sandbox does not protect metadata"
                }
                (DecisionReason::Bare, _) => "without a sandbox every command asks",
                (DecisionReason::Network, _) => "a rule does not open the network",
                (DecisionReason::Brought, _) => {
                    "a rule covers what a line names, not what the project brings"
                }
                (DecisionReason::Untrusted, _) => "the folder is not trusted, and it is a gate",
                (_, Source::Project) => "a project may not allow anything",
                (_, Source::BuiltIn | Source::Folder) if !calm => {
                    "it applies only in a trusted folder with a sandbox"
                }
                _ => "something else in the line is uncertain",
            };
            (1000, format!("matches, but {but}"))
        }
    }
}
