//! Permission rules at the gate: what they say of a call, what the user grants, what a tool ran into.
//!
//! Owns asking the rules and keeping what was answered. The rules are weighed in [`crate::policy`].

use super::{
    Decided, Draft,
    answer::{Given, Resolve},
    verdict::CallVerdict,
};
use crate::{
    blob::BlobId,
    checkpoint::{Answer, Checkpoint, CheckpointKind},
    event::{Event, Level},
    ids::{ApprovalId, CallId, CheckpointId, LaneId, ProposalId},
    input::Refusal,
    policy::{By, Conditions, DecisionReason, Effect, Held, Origin, Outcome, Request, Rule, Ruling, Setting},
    question::{Access, CommandQuestion, Lone},
    scope::PermissionMode,
    session::{OpenCall, State},
    shell::Act,
    tool::{ChangeKind, Tool},
};

/// The path of the workspace itself, as a rule is asked about it.
const ROOT: &str = ".";

impl State {
    /// Whether a check that was found runs here without a question.
    pub(in crate::session) fn checks_unasked(&self) -> bool {
        let runs = self.permission != PermissionMode::ReadOnly && !self.chat_only;
        runs && self.setting().conditions.is_calm()
    }

    /// What a decision by the rules depends on beside them.
    pub fn setting(&self) -> Setting<'_> {
        let conditions = Conditions {
            trusted: self.trust.holds(),
            sandboxed: self.sandbox.backend.is_some(),
            network: self.sandbox.network,
            metadata_open: self.sandbox.metadata_open,
        };
        Setting { mode: self.permission, conditions, granted: &self.granted }
    }
}

impl Draft<'_> {
    /// What the rules say against a call that everything else lets begin. What the user answered stands, unless a rule
    /// denies it by now.
    pub(super) fn ruled_out(&self, open: &OpenCall, tool: Tool) -> Option<CallVerdict> {
        if let Some(run) = open.run() {
            let request = run.request(By::Agent, open.brought);
            let ruling = self.under.policy.decide(&request, &self.state.setting()).ruling;
            if ruling.outcome == Outcome::Refuse {
                return Some(CallVerdict::deny(request, ruling));
            }
        }
        if let Some(call) = open.source_call() {
            let (request, ruling) = self.ruling_of_source(call)?;
            return (ruling.outcome == Outcome::Refuse).then(|| CallVerdict::deny(request, ruling));
        }
        // What takes no path is about the whole workspace.
        let path = open.file()?.path().unwrap_or(ROOT);
        tool.acts().iter().find_map(|act| self.path_ruled_out(open, *act, path))
    }

    /// What the rules say against what a file tool does to the path that it names. The tool looks again at the path that
    /// it really means.
    fn path_ruled_out(&self, open: &OpenCall, act: Act, path: &str) -> Option<CallVerdict> {
        let request = Request::Path { act, path: path.to_owned() };
        let decision = self.under.policy.decide(&request, &self.state.setting());
        // A change is reviewed before it is written: only what is seen at once is asked about here.
        let held = decision.rule.is_some() || decision.ground == DecisionReason::Reserved;
        let asks = held && act == Act::Read && !open.leave.contains(&request);
        let ruling = decision.ruling;
        match ruling.outcome {
            Outcome::Refuse if decision.rule.is_some() => Some(CallVerdict::deny(request, ruling)),
            Outcome::Ask if asks => Some(access_question(open.call, request, ruling)),
            Outcome::Run | Outcome::Ask | Outcome::Refuse => None,
        }
    }

    /// A tool ran into a rule at the path that it really means.
    pub(super) fn ran_into(&mut self, lane: LaneId, call: CallId, held: Held) {
        let Held { request, ruling } = held;
        if ruling.outcome == Outcome::Refuse {
            return self.carry_out(call, CallVerdict::deny(request, ruling));
        }
        self.emit(Event::CallHeld { call, lane, request: request.clone(), ruling: ruling.clone() });
        self.carry_out(call, access_question(call, request, ruling));
    }

    /// A planning or an answer may end while it asks: nobody waits for the answer then.
    #[expect(clippy::wildcard_enum_match_arm, reason = "only what asks about a call that may end first")]
    pub(super) fn close_access_of_gone_calls(&mut self) {
        let access = |kind: &CheckpointKind| match kind {
            CheckpointKind::Access(access) => Some(access.call),
            CheckpointKind::Source(asked) => Some(asked.call),
            CheckpointKind::Form(form) => Some(form.call),
            _ => None,
        };
        let open = self.state.open.values().filter_map(|c| Some((c.id, access(&c.kind)?)));
        let gone: Vec<CheckpointId> =
            open.filter(|(_, call)| self.state.open_call(*call).is_none()).map(|(id, _)| id).collect();
        for id in gone {
            self.close(id, None);
        }
    }

    /// The user lets a command run and allows what these rules say from now on.
    pub(super) fn grant(
        &mut self,
        id: CheckpointId,
        command: &CommandQuestion,
        texts: &[String],
        lasting: bool,
    ) -> Decided {
        let rules = self.grantable(&command.request(), texts)?;
        let approval = self.allow(id, Answer::Grant { rules: texts.to_vec(), lasting });
        let rules = rules.iter().map(Rule::to_string).collect();
        self.emit(Event::RulesGranted { rules, lasting, approval });
        self.start_approved(command.call, approval, Some(command.confine));
        self.settle_commands();
        Ok(())
    }

    /// The rules, when they are ones that may be granted and that let this command run.
    fn grantable(&self, request: &Request, texts: &[String]) -> Result<Vec<Rule>, Refusal> {
        let setting = self.state.setting();
        self.under
            .policy
            .offer(request, &setting)
            .map_err(|why| Refusal::new(format!("not by a rule: {why}")))?;
        let mut rules = Vec::new();
        for text in texts {
            let rule = Rule::parse(text, Origin::SESSION).map_err(|f| Refusal::new(f.why))?;
            if rule.effect != Effect::Allow {
                return Err(Refusal::new("only a rule that allows can be granted here"));
            }
            rules.push(rule);
        }
        let granted: Vec<Rule> = setting.granted.iter().chain(&rules).cloned().collect();
        let after = self.under.policy.decide(request, &Setting { granted: &granted, ..setting });
        if rules.is_empty() || after.ruling.outcome != Outcome::Run {
            return Err(Refusal::new("this rule would not allow the command; nothing was saved"));
        }
        Ok(rules)
    }

    /// Commands that wait and that are covered by now run: the same question is not asked twice.
    pub(super) fn settle_commands(&mut self) {
        let covered = |c: &Checkpoint| {
            let (lane, open) = self.state.open_call(c.kind.command()?.call)?;
            (self.ruling_of(lane, open)? == Outcome::Run).then_some((c.id, lane.id))
        };
        let covered: Vec<_> = self.state.open.values().filter_map(covered).collect();
        for (id, lane) in covered {
            self.close(id, None);
            self.advance(lane);
        }
    }

    /// Rules that were to be kept are in the user's file, or could not be put there.
    pub(super) fn rules_kept(&mut self, approval: ApprovalId, result: Result<String, String>) -> Decided {
        if !self.state.keeping.contains_key(&approval) {
            return Err(Refusal::new("no rule is being saved"));
        }
        let (file, fault) = match result {
            Ok(file) => (file, None),
            Err(fault) => (String::new(), Some(fault)),
        };
        if let Some(fault) = &fault {
            let text = format!("The rule could not be saved: {fault}. It applies to this session.");
            self.notice(Level::Warn, text);
        }
        self.emit(Event::RulesKept { approval, file, fault });
        Ok(())
    }

    /// What lets a proposed change be written without a review, if something does.
    pub(super) fn unreviewed(&self, proposal: ProposalId, kind: ChangeKind) -> Option<Ruling> {
        let path = self.state.proposals().get(&proposal)?.path.as_str().to_owned();
        let act = if kind == ChangeKind::Delete { Act::Delete } else { Act::Write };
        let ruling = self.under.policy.decide(&Request::Path { act, path }, &self.state.setting()).ruling;
        (ruling.outcome == Outcome::Run).then_some(ruling)
    }
}

fn access_question(call: CallId, request: Request, ruling: Ruling) -> CallVerdict {
    let message = format!("Allow the agent to {request}?");
    let shown = BlobId::of(format!("{request:?}").as_bytes());
    CallVerdict::ask(Access { call, request, shown, ruling }, message)
}

impl Resolve for Access {
    fn resolve(&self, draft: &mut Draft<'_>, given: Given<Lone>) -> Decided {
        let Given { question, answer, stored } = given;
        match answer {
            Lone::Yes => {
                let approval = draft.allow(question, stored);
                draft.start_approved(self.call, approval, None);
            }
            Lone::No => {
                let text = format!("the user does not allow it to {}", self.request);
                draft.deny_call(question, self.call, stored, &text);
            }
        }
        Ok(())
    }

    fn stale(&self) -> &'static str {
        "what is asked changed since it was shown; look at it again"
    }
}
