//! Weighing: which rule decides a request, and what holds when none does.
//!
//! Owns the order: deny, then ask, then what no rule can allow (high risk, removals), then the mode, then allow. Never
//! asks anybody and never performs anything.

use super::{
    By, Conditions, Decision, DecisionReason, Manner, Outcome, Policy, Ruling, Setting,
    always::unruled,
    glob::{Places, Target, wild},
    request::{Facts, Request, nothing},
    rule::{About, Effect, Rule, Source, host_fits},
    words::Fit,
};
use crate::{
    sandbox::Confine,
    scope::PermissionMode,
    shell::{self, Act, Call, Risk, Verdict},
};

impl Policy {
    /// What happens to a request. Total: there is always an answer, and what cannot be read is never allowed.
    pub fn decide<'p>(&'p self, request: &Request, setting: &Setting<'p>) -> Decision<'p> {
        let setting = &Setting { mode: self.ceiling(setting.mode), ..*setting };
        match request {
            Request::Command { line, folder, manner } => {
                let facts = self.facts(line, folder);
                let (risk, deletes) = (manner.risk(facts.reading.verdict.risk), facts.reading.deletes);
                let confine = manner.confine(risk, setting.conditions);
                let keeps = self.keeping(&facts, (line, folder), (*manner, confine), setting).is_some();
                // Where it writes nothing but what is looked at again it need not be able to write anything else.
                let confine = if keeps { Confine::READING } else { confine };
                let decided = self.command(&facts, (line, folder), (*manner, confine), setting);
                Decision { risk: Some(risk), deletes, confine: Some(confine), ..decided }
            }
            Request::Path { act, path } => self.path(*act, path, setting),
            Request::Mcp { server, tool, reads } => self.mcp(server, tool, *reads, setting),
            Request::Network { host } => self.network(host, setting),
        }
    }

    /// The highest mode that this workspace has: where it holds reserved places nothing is done unasked.
    pub fn ceiling(&self, mode: PermissionMode) -> PermissionMode {
        if self.exposed().is_some() { mode.min(PermissionMode::Ask) } else { mode }
    }

    /// What a line is judged to be here: as its text says, and high where it touches a reserved place.
    pub fn verdict(&self, line: &str, folder: &str) -> Verdict {
        self.facts(line, folder).reading.verdict
    }

    fn facts(&self, line: &str, folder: &str) -> Facts {
        let facts = Facts::of(line, folder, &self.places);
        if self.exposed().is_some() { facts.raised(line, &self.places) } else { facts }
    }

    /// Deny, then what the mode forbids, then ask, then what no rule can allow, then allow, then the mode.
    fn command<'p>(
        &'p self,
        facts: &Facts,
        (line, folder): (&str, &str),
        (manner, confine): (Manner, Confine),
        setting: &Setting<'p>,
    ) -> Decision<'p> {
        let verdict = &facts.reading.verdict;
        let held = |effect| {
            self.rules_of(effect, setting)
                .find_map(|rule| self.holds_back(rule, facts).map(|part| (rule, part)))
        };
        if let Some((rule, part)) = held(Effect::Deny) {
            return Decision::by_rule(Outcome::Refuse, rule, &part);
        }
        if facts.reading.too_long {
            let by = "a line too long or too deeply nested to be read as a whole is refused; split it";
            return Decision::without_rule(Outcome::Refuse, DecisionReason::TooLong, by, "");
        }
        let looks = confine == Confine::READING && !facts.reading.deletes;
        if setting.mode == PermissionMode::ReadOnly && !looks {
            let by = "read-only mode runs only what reads, in a sandbox";
            return Decision::without_rule(Outcome::Refuse, DecisionReason::Mode, by, &verdict.part);
        }
        if let Some((rule, part)) = held(Effect::Ask).filter(|_| !manner.by.is_user()) {
            return Decision::by_rule(Outcome::Ask, rule, &part);
        }
        if let Some((outcome, ground, by)) = unruled(facts, manner, confine, setting.conditions) {
            return Decision::without_rule(outcome, ground, by, &verdict.part);
        }
        if let Some((rule, part)) = self.allowing(facts, folder, setting) {
            return Decision::by_rule(Outcome::Run, rule, &part);
        }
        if let Some((rule, part)) = self.kept(facts, (line, folder), setting).filter(|_| looks) {
            return Decision::by_rule(Outcome::Run, rule, &part);
        }
        let risk = verdict.risk.name();
        let auto = setting.mode == PermissionMode::Auto;
        if auto && !facts.may_do_more() {
            let by = format!("{risk} risk runs unasked in auto mode");
            return Decision::without_rule(Outcome::Run, DecisionReason::Mode, by, &verdict.part);
        }
        if looks {
            let by = "low risk runs unasked in a sandbox";
            return Decision::without_rule(Outcome::Run, DecisionReason::Low, by, "");
        }
        if manner.by == By::Approved {
            let by = "your yes to the plan covers exactly this gate";
            return Decision::without_rule(Outcome::Run, DecisionReason::User, by, "");
        }
        let by = if auto {
            "what it does is only known when it runs, which asks in auto mode as well"
        } else {
            "medium risk asks in ask mode"
        };
        Decision::without_rule(Outcome::Ask, DecisionReason::Mode, by, &verdict.part)
    }

    /// The part of the line that a deny or ask rule is about, if one is.
    pub(super) fn holds_back(&self, rule: &Rule, facts: &Facts) -> Option<String> {
        match &rule.about {
            About::Command(words) => {
                facts.reading.calls.iter().find(|c| words.catches(c)).map(|c| c.part.clone())
            }
            About::Path(act, paths) => {
                // What a command that nobody was asked about may not see it does not see: a name that the line neither writes
                // nor begins need not be asked about before.
                let comes = rule.effect == Effect::Ask
                    && rule.origin.source == Source::BuiltIn
                    && facts.reading.verdict.risk == Risk::Low;
                let hit = facts.touched.iter().find(|t| {
                    let any = |target: &Target| comes && t.act == Act::Read && target.takes_any(&self.places);
                    covers_act(*act, t.act)
                        && t.targets
                            .iter()
                            .any(|target| !any(target) && paths.covers(target, &self.places, true))
                });
                hit.map(|t| t.path.clone())
            }
            About::Network(pattern) => {
                facts.hosts.iter().find(|(host, _)| host_fits(pattern, host)).map(|(_, part)| part.clone())
            }
            About::Mcp { .. } => None,
        }
    }

    /// The rule that lets the whole line run: every command of it that does more than read, or may where it can write, is
    /// allowed by one, for certain, and so is every file that output goes to.
    fn allowing<'p>(
        &'p self,
        facts: &Facts,
        folder: &str,
        setting: &Setting<'p>,
    ) -> Option<(&'p Rule, String)> {
        let reading = &facts.reading;
        if !reading.whole || reading.loose > Risk::Low {
            return None;
        }
        let mut first = None;
        for touched in facts.touched.iter().filter(|t| t.redirect) {
            if !nothing(&touched.path) {
                let rule = self.allowing_path(Act::Write, &touched.targets, setting)?;
                first.get_or_insert((rule, touched.path.clone()));
            }
        }
        let mut chosen: Option<(Risk, &Rule, String)> = None;
        for call in facts.doing(folder, &self.places) {
            let rule = self.allowing_call(call, folder, setting)?;
            if chosen.as_ref().is_none_or(|(risk, ..)| *risk < call.risk) {
                chosen = Some((call.risk, rule, call.part.clone()));
            }
        }
        chosen.map(|(_, rule, part)| (rule, part)).or(first)
    }

    /// The rule by which a line runs where only the folder for temporary files can be written, if it does: the agent's own, of
    /// which no rule covers all, and that may write the workspace by its risk alone.
    fn keeping<'p>(
        &'p self,
        facts: &Facts,
        (line, folder): (&str, &str),
        (manner, confine): (Manner, Confine),
        setting: &Setting<'p>,
    ) -> Option<(&'p Rule, String)> {
        let asks = setting.mode == PermissionMode::Ask && manner.by == By::Agent && !manner.brought;
        let writes = confine == Confine::Inside { write: true, network: false } && !facts.reading.deletes;
        let found = asks && writes && facts.reading.verdict.risk == Risk::Medium;
        let found = if found { self.kept(facts, (line, folder), setting) } else { None };
        found.filter(|_| self.allowing(facts, folder, setting).is_none())
    }

    /// The rule that covers what a line writes, where it does nothing but to read to an end and keep that, or what it is told
    /// to copy, among temporary files.
    fn kept<'p>(
        &'p self,
        facts: &Facts,
        (line, folder): (&str, &str),
        setting: &Setting<'p>,
    ) -> Option<(&'p Rule, String)> {
        let reading = &facts.reading;
        let plain = reading.whole && !reading.made && reading.loose == Risk::Low;
        if !plain || !shell::runs_each_once(line) || !facts.only_keeps((line, folder), &self.places) {
            return None;
        }
        let mut first = None;
        for touched in facts.touched.iter().filter(|t| t.act == Act::Write && !nothing(&t.path)) {
            // What a rule lets it write elsewhere it must be able to write.
            let scratch = touched.path.starts_with("/tmp/");
            let rule = self.allowing_path(Act::Write, &touched.targets, setting).filter(|_| scratch)?;
            first.get_or_insert((rule, touched.path.clone()));
        }
        first
    }

    fn allowing_call<'p>(&'p self, call: &Call, folder: &str, setting: &Setting<'p>) -> Option<&'p Rule> {
        if !call.words.iter().all(|w| w.certain) || !Facts::inside(call, folder, &self.places) {
            return None;
        }
        self.rules_of(Effect::Allow, setting).find(|rule| match &rule.about {
            About::Command(words) => words.fits(call) == Fit::Whole,
            About::Path(..) | About::Mcp { .. } | About::Network(_) => false,
        })
    }

    /// Whether some rule allows this command as a part of a line.
    pub(super) fn allows_call(&self, call: &Call, folder: &str, setting: &Setting<'_>) -> bool {
        self.allowing_call(call, folder, setting).is_some()
    }

    fn allowing_path<'p>(&'p self, act: Act, targets: &[Target], setting: &Setting<'p>) -> Option<&'p Rule> {
        if targets.is_empty() || !targets.iter().all(Target::certain) {
            return None;
        }
        self.rules_of(Effect::Allow, setting).find(|rule| match &rule.about {
            About::Path(about, paths) => {
                about.is_none_or(|a| a == act) && paths.allows(targets, &self.places)
            }
            About::Command(_) | About::Mcp { .. } | About::Network(_) => false,
        })
    }

    /// Whether one of these rules alone decides a request, for the examples that rules carry and for rehearsals: one that
    /// allows must let it run.
    pub fn is_about(rules: &[Rule], request: &Request, places: &Places) -> bool {
        let mut alone = rules.to_vec();
        for rule in &mut alone {
            rule.origin.source = Source::User;
        }
        // What a rule is about is the same in every folder, also where none is in force.
        let policy = Self { rules: alone, places: places.clone(), exposed: None };
        let conditions = Conditions { sandboxed: true, ..Conditions::default() };
        let setting = Setting { mode: PermissionMode::Ask, conditions, granted: &[] };
        policy.decide(request, &setting).rule.is_some()
    }

    /// What a rule that denies or asks says about an act on a path, if one does.
    pub(super) fn held_path(&self, act: Act, path: &str) -> Option<Ruling> {
        let target = Target::exact(path, &self.places);
        let mut found = [(Effect::Deny, Outcome::Refuse), (Effect::Ask, Outcome::Ask)].into_iter();
        found
            .find_map(|(effect, outcome)| {
                let rule = self
                    .rules
                    .iter()
                    .filter(|r| r.effect == effect)
                    .find(|r| self.is_about_path(r, act, &target))?;
                Some(Decision::by_rule(outcome, rule, path).ruling)
            })
            .or_else(|| self.private(act, path, &target).map(|d| d.ruling))
    }

    /// What is said of reading what is private by its place.
    fn private(&self, act: Act, path: &str, target: &Target) -> Option<Decision<'_>> {
        let asks = act == Act::Read && self.exposed().is_some() && self.places.private(target);
        let by = "it is private by its place, wherever the workspace lies";
        asks.then(|| Decision::without_rule(Outcome::Ask, DecisionReason::Reserved, by, path))
    }

    /// Whether a rule denies an act on a path.
    pub(super) fn denies(&self, act: Act, path: &str) -> bool {
        self.held_path(act, path).is_some_and(|r| r.outcome == Outcome::Refuse)
    }

    /// Whether one of the rules that deny is about an act on a path.
    pub(super) fn has_denial(&self, act: Act, path: &str) -> bool {
        let mut denying = self.rules.iter().filter(|r| r.effect == Effect::Deny).peekable();
        denying.peek().is_some() && {
            let target = Target::exact(path, &self.places);
            denying.any(|rule| self.is_about_path(rule, act, &target))
        }
    }

    /// Whether a rule that holds back is about an act on a path.
    fn is_about_path(&self, rule: &Rule, act: Act, target: &Target) -> bool {
        match &rule.about {
            About::Path(about, paths) => covers_act(*about, act) && paths.covers(target, &self.places, true),
            About::Command(_) | About::Mcp { .. } | About::Network(_) => false,
        }
    }

    fn path<'p>(&'p self, act: Act, path: &str, setting: &Setting<'p>) -> Decision<'p> {
        let target = Target::exact(path, &self.places);
        for (effect, outcome) in [(Effect::Deny, Outcome::Refuse), (Effect::Ask, Outcome::Ask)] {
            let held = self.rules_of(effect, setting).find(|rule| self.is_about_path(rule, act, &target));
            if let Some(rule) = held {
                return Decision::by_rule(outcome, rule, path);
            }
        }
        let plain = |outcome, ground, by: &str| Decision::without_rule(outcome, ground, by, path);
        if let Some(decision) = self.private(act, path, &target) {
            return decision;
        }
        match (act, setting.mode) {
            (Act::Read, _) => {
                plain(Outcome::Run, DecisionReason::Scope, "reading needs no approval on a path that reads")
            }
            (Act::Delete, _) => {
                plain(Outcome::Ask, DecisionReason::Delete, "a removal always asks, in every mode")
            }
            (Act::Write, PermissionMode::ReadOnly) => {
                plain(Outcome::Refuse, DecisionReason::Mode, "read-only mode changes nothing")
            }
            (Act::Write, mode) => match self.allowing_path(act, &[target], setting) {
                Some(rule) => Decision::by_rule(Outcome::Run, rule, path),
                None if mode == PermissionMode::Auto => {
                    plain(Outcome::Run, DecisionReason::Mode, "changes are written and recorded in auto mode")
                }
                None => plain(Outcome::Ask, DecisionReason::Mode, "every change is reviewed in ask mode"),
            },
        }
    }

    fn mcp<'p>(&'p self, server: &str, tool: &str, reads: bool, setting: &Setting<'p>) -> Decision<'p> {
        let about = |rule: &&Rule| match &rule.about {
            About::Mcp { server: s, tool: t } => {
                let (s, t, server, tool) =
                    (s.to_lowercase(), t.to_lowercase(), server.to_lowercase(), tool.to_lowercase());
                wild(&s, &server) && wild(&t, &tool)
            }
            About::Command(_) | About::Path(..) | About::Network(_) => false,
        };
        if let Some(decision) = self.by_name(about, setting) {
            return decision;
        }
        let plain = |outcome, by: &str| Decision::without_rule(outcome, DecisionReason::Mode, by, "");
        match (setting.mode, reads) {
            (_, true) => plain(Outcome::Run, "the tool is known to only read"),
            (PermissionMode::ReadOnly, false) => {
                plain(Outcome::Refuse, "read-only mode calls only tools that read")
            }
            (PermissionMode::Ask, false) => {
                plain(Outcome::Ask, "a tool that may change something asks in ask mode")
            }
            (PermissionMode::Auto, false) => plain(Outcome::Run, "tools run unasked in auto mode"),
        }
    }

    fn network<'p>(&'p self, host: &str, setting: &Setting<'p>) -> Decision<'p> {
        let about = |rule: &&Rule| match &rule.about {
            About::Network(pattern) => host_fits(pattern, host),
            About::Command(_) | About::Path(..) | About::Mcp { .. } => false,
        };
        self.by_name(about, setting).unwrap_or_else(|| {
            Decision::without_rule(
                Outcome::Ask,
                DecisionReason::Mode,
                "the network is off until the user allows a host",
                "",
            )
        })
    }

    fn by_name<'p>(&'p self, about: impl Fn(&&Rule) -> bool, setting: &Setting<'p>) -> Option<Decision<'p>> {
        let effects =
            [(Effect::Deny, Outcome::Refuse), (Effect::Ask, Outcome::Ask), (Effect::Allow, Outcome::Run)];
        effects.into_iter().find_map(|(effect, outcome)| {
            let allowed = effect != Effect::Allow || setting.mode != PermissionMode::ReadOnly;
            let rule = self.rules_of(effect, setting).find(|r| about(r)).filter(|_| allowed)?;
            Some(Decision::by_rule(outcome, rule, ""))
        })
    }

    /// The rules of an effect that are in force. A project's rules only narrow; the built-in ones allow something only
    /// in a trusted folder with a sandbox; none allows anything where the workspace holds reserved places.
    pub(super) fn rules_of<'p>(
        &'p self,
        effect: Effect,
        setting: &Setting<'p>,
    ) -> impl Iterator<Item = &'p Rule> {
        let calm = setting.conditions.is_calm();
        let exposed = effect == Effect::Allow && self.exposed().is_some();
        let in_force = move |rule: &&Rule| match (effect, rule.origin.source) {
            (Effect::Allow, _) if exposed => false,
            (Effect::Allow, Source::BuiltIn | Source::Folder) => calm,
            (Effect::Allow, Source::Project) => false,
            (_, Source::BuiltIn | Source::User | Source::Project | Source::Session | Source::Folder) => true,
        };
        let granted: &'p [Rule] = setting.granted;
        self.rules.iter().chain(granted).filter(move |r| r.effect == effect).filter(in_force)
    }
}

/// Whether a rule about an act is about this one; who may not write may not delete.
fn covers_act(about: Option<Act>, act: Act) -> bool {
    about.is_none_or(|a| a == act || a == Act::Write && act == Act::Delete)
}
