//! Trust folded into the state: of the folder, and what the user allowed by rules.

use crate::{
    checkpoint::{Checkpoint, CheckpointKind},
    event::Event,
    policy::{Origin, Rule, Source},
    session::{OpenCall, State},
    shell,
    tool::Run,
    trust::{Given, TrustRequest},
};

impl State {
    /// What a command gets of the project's variables: nothing where it runs code of others.
    pub(in crate::session) fn given_to(&self, run: &Run) -> Option<&Given> {
        self.given.as_ref().filter(|_| !shell::read(&run.command).foreign)
    }

    /// Whether a command gets other variables of the project than it was let begin with.
    pub(in crate::session) fn is_given_else(&self, open: &OpenCall) -> bool {
        let given = |run: &Run| self.given_to(run).map(|given| given.of);
        open.run().is_some_and(|run| given(run) != open.given)
    }

    /// Lines of the project's own checks that the question about the folder named, once the user said yes to it.
    pub fn shown_checks(&self) -> &[String] {
        &self.shown_checks
    }

    /// Whether a command runs without what it would get of the project's variables: the user has not said yet whether the
    /// folder is trusted.
    pub(in crate::session) fn withheld_from(&self, run: &Run) -> bool {
        self.awaits_variables() && !shell::read(&run.command).foreign
    }

    /// Whether a question waits whose yes gives commands variables.
    pub(in crate::session) fn awaits_variables(&self) -> bool {
        let asks =
            |c: &Checkpoint| matches!(&c.kind, CheckpointKind::Trust(asked) if !asked.withholds.is_empty());
        self.open.values().any(asks)
    }

    /// Whether what the user said about the folder is still being kept: what commands get is not known before.
    pub(in crate::session) fn settles_trust(&self) -> bool {
        self.seeking.is_some_and(|wish| wish != TrustRequest::Look)
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "`fold` names every event; this takes its share")]
    pub(super) fn fold_trust(&mut self, event: &Event) {
        match event {
            Event::TrustChanged { trust, of, gives, checks } => {
                self.trust = *trust;
                self.granted.retain(|rule| rule.origin.source != Source::Folder);
                self.granted.extend(checks.iter().filter_map(|line| Rule::of_check(line)));
                self.approved_gates.extend(checks.iter().cloned());
                self.given = Given::of(gives, *of);
                self.seeking = None;
            }
            Event::TrustSought { wish } => self.seeking = Some(*wish),
            Event::RulesGranted { rules, lasting, approval } => {
                self.saw(approval.0);
                self.granted.extend(rules.iter().filter_map(|r| Rule::parse(r, Origin::SESSION).ok()));
                if *lasting {
                    self.keeping.insert(*approval, rules.clone());
                }
            }
            Event::RulesKept { approval, .. } => drop(self.keeping.remove(approval)),
            _ => {}
        }
    }
}
