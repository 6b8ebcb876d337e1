//! Leave: how a command is to run, and whether it may begin, asks, or is refused.
//!
//! Owns what goes into the question. Never decides: the one policy does (G6), from the line, how it is to run, who wants
//! it, and what is known of the place.

use super::terms::CallStart;
use super::{
    Draft,
    call::readable,
    spared::RUNS_NOTHING,
    verdict::{CallVerdict, Then},
};
use crate::{
    blob::BlobId,
    checkpoint::Checkpoint,
    event::{Event, Level},
    ids::{ApprovalId, CallId, GateId, LaneId},
    policy::{By, Manner, Outcome, Request, Rule, Ruling, Setting},
    question::CommandQuestion,
    sandbox::Confine,
    scope::Capability,
    session::{Lane, LaneKind, OpenCall, TRUST_TO_TRY},
    shell::{Risk, Verdict},
    tool::{Run, Tool},
    trust::Given,
};

impl Run {
    /// How it is to run; `brought` when something of the project would run in place of what it names.
    pub(super) const fn manner(&self, by: By, brought: bool) -> Manner {
        Manner { network: self.network, outside: self.outside, by, brought }
    }

    /// It, as the rules are asked about it.
    pub(in crate::session) fn request(&self, by: By, brought: bool) -> Request {
        Request::command_in(&self.command, &self.folder, self.manner(by, brought))
    }

    /// The hash of exactly what is shown of it, and of the values of what it is given.
    fn shown(&self, confine: Confine, given: Option<&Given>, withheld: bool) -> BlobId {
        let mut text = format!("{}\0{}\0{confine:?}\0{}", self.folder, self.command, self.reason);
        if let Some(given) = given {
            text.push_str(&format!("\0{}\0{}", given.names.join(","), given.of));
        }
        if withheld {
            text.push_str("\0withheld");
        }
        BlobId::of(text.as_bytes())
    }
}

impl Draft<'_> {
    /// A command: undecided proposals first, then leave or a question. `approval` is the user's own line,
    /// where they changed it.
    pub(super) fn gate_command(&mut self, call: CallId, approval: Option<ApprovalId>) {
        // Once that is kept every lane goes on.
        if self.state.settles_trust() {
            return;
        }
        let Some((lane, open)) = self.state.open_call(call) else { return };
        let Some(run) = open.run() else {
            if let Err(unread) = readable(open) {
                self.carry_out(call, unread);
            }
            return;
        };
        let weighed = self.weigh(lane, open, run, approval);
        let agents = approval.is_none() && !open.typed && weighed.gate.is_none();
        if agents && weighed.needs() == Capability::Execute && self.state.runs_nothing(lane.turn) {
            return self.carry_out(call, CallVerdict::refuse(RUNS_NOTHING));
        }
        let barred = || self.barred(lane, open, weighed.needs(), Then::GateCommand(approval));
        let first = if self.may_try(lane, &weighed) { None } else { barred() };
        let trust_lets = first.is_some() && self.trust_lets_try(lane, &weighed, run);
        if let Some(verdict) = first.or_else(|| self.review_first(lane.id)) {
            if trust_lets {
                self.notice(Level::Info, TRUST_TO_TRY);
            }
            return self.carry_out(call, verdict);
        }
        let free = weighed.ruling.outcome == Outcome::Run && weighed.approval.is_none();
        let writes = free && weighed.confine != Confine::READING;
        if let Some(paused) = self.pauses_before_command(lane).filter(|_| writes) {
            if self.is_asked_otherwise() {
                return;
            }
            let reason = paused.at.reason(self.state.plan.as_ref(), 0);
            return self.carry_out(call, CallVerdict::ask(paused, reason));
        }
        let proposed = weighed.proposed(lane.id, open, run);
        self.emit(proposed);
        let verdict = self.leave(call, weighed);
        if let Some(verdict) = verdict {
            self.carry_out(call, verdict);
        }
    }

    fn review_first(&self, lane: LaneId) -> Option<CallVerdict> {
        self.state.proposals_of(lane).next().map(|_| CallVerdict::Review)
    }

    /// Weighs a command: its risk, how it is to run, and what the rules say of that.
    fn weigh(&self, lane: &Lane, open: &OpenCall, run: &Run, approval: Option<ApprovalId>) -> Weighed {
        let gate = lane.kind.gate();
        let by = match (approval, gate, open.typed) {
            (Some(_), ..) => By::Submitted,
            (None, Some(_), _) => self.state.gate_by(&run.command),
            (None, None, true) => By::Typed,
            (None, None, false) if self.is_gate_agreed_to(lane, run) => By::Approved,
            (None, None, false) => By::Agent,
        };
        let verdict = judged(self.under.policy.verdict(&run.command, &run.folder), run, open.brought);
        let request = run.request(by, open.brought);
        let decision = self.under.policy.decide(&request, &self.state.setting());
        let confine = decision.confine.unwrap_or_else(|| self.confine_of(run, open.brought, verdict.risk));
        let ruling = since_changed(decision.ruling, open, self.state.is_given_else(open));
        // A line that the user said yes to as a gate is as good when the agent tries it out before.
        let vouched = by != By::Agent || self.state.agreed_to(run) == Some(By::Approved);
        let ruling = if vouched { ruling } else { self.unless_unreviewed(ruling, run) };
        let by_rule = decision.rule.is_some();
        let shown = run.shown(confine, self.state.given_to(run), self.state.withheld_from(run));
        Weighed {
            gate,
            approval,
            request,
            verdict,
            confine,
            ruling,
            by_rule,
            deletes: decision.deletes,
            shown,
        }
    }

    /// Whether a step's own command is the line of a gate of its plan that the user said yes to: in a
    /// folder that is trusted nobody is asked twice.
    fn is_gate_agreed_to(&self, lane: &Lane, run: &Run) -> bool {
        let gates = self.state.plan.iter().flat_map(|p| &p.gates);
        let works = matches!(lane.kind, LaneKind::Task(_) | LaneKind::Repair(_));
        works
            && self.state.trust.holds()
            && gates.into_iter().any(|gate| gate.command == run.command)
            && self.state.agreed_to(run) == Some(By::Approved)
    }

    /// What would happen to a command that waits, were it proposed now.
    pub(super) fn ruling_of(&self, lane: &Lane, open: &OpenCall) -> Option<Outcome> {
        Some(self.weigh(lane, open, open.run()?, None).ruling.outcome)
    }

    /// Whether a command that was proposed begins, asks, or is refused.
    fn leave(&self, call: CallId, weighed: Weighed) -> Option<CallVerdict> {
        let (lane, open) = self.state.open_call(call)?;
        if weighed.ruling.outcome == Outcome::Refuse {
            return Some(CallVerdict::deny(weighed.request, weighed.ruling));
        }
        if let Some(repeated) = self.repeated(lane.id, open) {
            return Some(repeated);
        }
        let tries = self.may_try(lane, &weighed);
        if weighed.ruling.outcome == Outcome::Run {
            let Weighed { approval, confine, ruling, .. } = weighed;
            let start = CallStart { approval, confine: Some(confine), ruling: Some(ruling) };
            if tries {
                let begins = || CallVerdict::Begin(Tool::Run, Box::new(start));
                return Some(self.ruled_out(open, Tool::Run).unwrap_or_else(begins));
            }
            return Some(self.judge_start(lane, open, Tool::Run, start));
        }
        Some(self.risk_question(open, open.run()?, weighed))
    }

    /// Whether a planning may try a command out: a rule lets it run unasked in a folder that is trusted,
    /// in a sandbox, as it would once the plan runs.
    fn may_try(&self, lane: &Lane, weighed: &Weighed) -> bool {
        let plans = lane.kind == LaneKind::Planning && self.may_run() && !self.forbids(lane.turn);
        let held = matches!(weighed.confine, Confine::Inside { network: false, .. });
        let runs = weighed.ruling.outcome == Outcome::Run && weighed.by_rule;
        plans && held && runs && self.state.trust.holds()
    }

    /// The project's checks that a planning may try out, where there are any, in brackets.
    pub(super) fn checks_to_try(&self, lane: &Lane) -> String {
        if !self.state.trust.holds() || !self.may_run() || self.forbids(lane.turn) {
            return String::new();
        }
        let setting = self.state.setting();
        let runs = |line: &String| {
            let decided = self.under.policy.decide(&Run::line(line).request(By::Agent, false), &setting);
            decided.ruling.outcome == Outcome::Run && decided.rule.is_some()
        };
        let lines = self.found_gates().into_iter().map(|gate| gate.command).filter(runs);
        let lines: Vec<String> = lines.map(|line| format!("`{line}`")).collect();
        if lines.is_empty() { String::new() } else { format!(" (here: {})", lines.join(", ")) }
    }

    fn risk_question(&self, open: &OpenCall, run: &Run, weighed: Weighed) -> CallVerdict {
        let Run { command, folder, reason, .. } = run.clone();
        let by_trust = self.trust_lets(&weighed.request, run);
        let Weighed { gate, verdict, confine, ruling, deletes, shown, .. } = weighed;
        let message = match confine {
            Confine::Outside => format!("Run `{command}` outside the sandbox?"),
            Confine::Inside { network: true, .. } if !self.state.sandbox.network => {
                format!("Run `{command}` with the network?")
            }
            Confine::Inside { write: true, .. } if self.state.sandbox.metadata_open => {
                format!("Run `{command}`? Metadata outside the workspace is not protected here.")
            }
            Confine::Bare | Confine::Inside { .. } => format!("Run `{command}`?"),
        };
        let gives = self.state.given_to(run).map(|g| g.names.clone()).unwrap_or_default();
        let question = CommandQuestion {
            call: open.call,
            gate,
            folder,
            shown,
            risk: verdict.risk,
            why: verdict.why,
            confine,
            reason,
            ruling: Some(ruling),
            deletes,
            meant: None,
            changed: open.changed.clone(),
            brought: open.brought,
            loses: open.loses,
            shows: open.shows,
            gives,
            withheld: self.state.withheld_from(run),
            by_trust,
            unready: gate.and_then(|_| self.under.unready(&command)).unwrap_or_default(),
            command,
        };
        CallVerdict::ask(question, message)
    }

    /// Whether a command would run unasked once the folder is trusted, the checks that were found here among what that lets run.
    fn trust_lets(&self, request: &Request, run: &Run) -> bool {
        let mut setting = self.state.setting();
        if std::mem::replace(&mut setting.conditions.trusted, true) {
            return false;
        }
        let checks = self.under.gates.iter().filter_map(|gate| Rule::of_check(&gate.command));
        let granted: Vec<Rule> = setting.granted.iter().cloned().chain(checks).collect();
        let ruling = self.under.policy.decide(request, &Setting { granted: &granted, ..setting }).ruling;
        self.unless_unreviewed(ruling, run).outcome == Outcome::Run
    }

    /// Whether the user can let a planning run a command by trusting the folder, and was not told so yet.
    fn trust_lets_try(&self, lane: &Lane, weighed: &Weighed, run: &Run) -> bool {
        let plans = lane.kind == LaneKind::Planning && self.may_run() && !self.forbids(lane.turn);
        let held = matches!(weighed.confine, Confine::Inside { network: false, .. });
        plans && held && !self.state.told_to_trust && self.trust_lets(&weighed.request, run)
    }

    /// What commands get changed: those that wait are asked about again, as they are now.
    pub(super) fn ask_commands_again(&mut self) {
        let asks = |c: &Checkpoint| Some((c.id, c.kind.command()?.call));
        let waiting: Vec<_> = self.state.open.values().filter_map(asks).collect();
        for (id, call) in waiting {
            self.close(id, None);
            self.gate_command(call, None);
        }
    }

    /// What the agent wrote or fetched in this session and nobody reviewed is not run unasked.
    fn unless_unreviewed(&self, ruling: Ruling, run: &Run) -> Ruling {
        let unasked = ruling.outcome == Outcome::Run;
        let Some(part) = self.state.unreviewed.run_by(&run.command, &run.folder).filter(|_| unasked) else {
            return ruling;
        };
        let by = "it runs something written or fetched in this session that nobody reviewed".to_owned();
        Ruling { outcome: Outcome::Ask, by, at: String::new(), part }
    }

    /// How a command is to run: no wider than it asks for.
    fn confine_of(&self, run: &Run, brought: bool, risk: Risk) -> Confine {
        run.manner(By::Agent, brought).confine(risk, self.state.setting().conditions)
    }

    /// Whether a line that the user typed can only read where it runs.
    pub(super) fn only_looks(&self, line: &str) -> bool {
        let (nothing_more, brought) = (Run::default(), false);
        self.confine_of(&nothing_more, brought, self.under.policy.verdict(line, "").risk) == Confine::READING
    }
}

/// A command as it was weighed.
struct Weighed {
    gate: Option<GateId>,
    approval: Option<ApprovalId>,
    request: Request,
    verdict: Verdict,
    confine: Confine,
    ruling: Ruling,
    /// Whether a rule decided, and not the mode.
    by_rule: bool,
    deletes: bool,
    shown: BlobId,
}

impl Weighed {
    /// What it needs: what can only read is a read, in every path that may read.
    fn needs(&self) -> Capability {
        if self.confine == Confine::READING { Capability::Read } else { Capability::Execute }
    }

    /// It, as it is proposed.
    fn proposed(&self, lane: LaneId, open: &OpenCall, run: &Run) -> Event {
        Event::CommandProposed {
            call: open.call,
            lane,
            command: run.command.clone(),
            folder: run.folder.clone(),
            risk: self.verdict.risk,
            why: self.verdict.why.clone(),
            rule: self.verdict.rule.clone(),
            confine: self.confine,
            reason: run.reason.clone(),
            shown: self.shown,
            typed: open.typed,
            ruling: Some(self.ruling.clone()),
        }
    }
}

/// How risky a line is where it would run.
fn judged(read: Verdict, run: &Run, brought: bool) -> Verdict {
    if !brought || read.risk > Risk::Low {
        return read;
    }
    let why = "something the project brings would run instead of what the line names".to_owned();
    Verdict { risk: Risk::Medium, rule: "script".to_owned(), why, part: run.command.clone(), ..read }
}

/// A command that changed after it was allowed asks, whatever else would let it run; one that runs what the project
/// brings asks by itself.
fn since_changed(ruling: Ruling, open: &OpenCall, given_else: bool) -> Ruling {
    let (brought, what) = (open.brought, open.changed.as_str());
    if brought && ruling.outcome == Outcome::Ask {
        return Ruling { part: what.to_owned(), ..ruling };
    }
    if what.is_empty() || brought || ruling.outcome != Outcome::Run {
        return ruling;
    }
    let by = match (open.loses, open.shows) {
        (true, _) => "what it could destroy cannot be saved first",
        (false, true) => "secret files cannot be hidden from it",
        (false, false) if given_else => "what it gets from .env changed after you allowed it",
        (false, false) => "what it would run changed after you allowed it",
    };
    let by = by.to_owned();
    Ruling { outcome: Outcome::Ask, by, at: String::new(), part: what.to_owned() }
}
