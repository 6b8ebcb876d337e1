//! Leave: how a command is to run, and whether it may begin, asks, or is refused.
//!
//! Owns the table (G6). What a command asks for is never widened: what was not asked for is not
//! given, and more than the sandbox gives is a question of its own.

use super::Draft;
use crate::{
    blob::BlobId,
    checkpoint::CheckpointKind,
    event::{CallStatus, Event},
    ids::{ApprovalId, LaneId},
    policy::{Outcome, Request, Ruling},
    risk::{Risk, assess},
    sandbox::{Confine, Wish},
    scope::{Capability, PermissionMode},
    session::{LaneKind, OpenCall},
    tool::Tool,
};

/// Whose command it is.
#[derive(Clone, Copy, Debug)]
struct Whose {
    /// The user typed its line.
    typed: bool,
    /// The user submitted that line to the question about it.
    submitted: bool,
    /// It is a gate of the plan.
    gate: bool,
}

/// Whether a command may begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Leave {
    /// It runs.
    Run,
    /// The user is asked.
    Ask,
}

impl Wish {
    /// Reads the arguments of a call; `None` when they name no command.
    pub(super) fn of(open: &OpenCall) -> Option<Self> {
        let said: Self = serde_json::from_str(&open.head).ok()?;
        let (command, folder) = (said.command.trim().to_owned(), said.folder.trim().to_owned());
        (!command.is_empty()).then_some(Self { command, folder, ..said })
    }

    /// The hash of exactly what is shown of it.
    fn shown(&self, confine: Confine) -> BlobId {
        let text = format!("{}\0{}\0{confine:?}\0{}", self.folder, self.command, self.reason);
        BlobId::of(text.as_bytes())
    }
}

impl Draft<'_> {
    /// A command: undecided proposals first, then leave or a question. `approval` is the user's own line,
    /// where they changed it.
    pub(super) fn gate_command(&mut self, lane: LaneId, open: &OpenCall, approval: Option<ApprovalId>) {
        let Some(wish) = Wish::of(open) else {
            let text =
                "run needs {\"command\": \"…\"} and optionally \"folder\", a path relative to the workspace";
            return self.end_call(lane, open.call, CallStatus::Failed, text);
        };
        let verdict = assess(&wish.command);
        let confine = self.confine_of(&wish, verdict.risk);
        // What can only read is a read, in every path that may read.
        let needs = if confine == Confine::READING { Capability::Read } else { Capability::Execute };
        if !self.may_need(lane, open.call, Tool::Run, needs) || !self.reach(lane, open, Tool::Run, needs) {
            return;
        }
        if self.state.proposals_of(lane).next().is_some() {
            return self.review(lane);
        }
        let (risk, why, rule) = (verdict.risk, verdict.why, verdict.rule);
        let gate = self.state.lanes.get(&lane).and_then(|l| match l.kind {
            LaneKind::Gate(gate) => Some(gate),
            LaneKind::Answer
            | LaneKind::Planning
            | LaneKind::Task(_)
            | LaneKind::Goal
            | LaneKind::Repair(_) => None,
        });
        let whose = Whose { typed: open.typed, submitted: approval.is_some(), gate: gate.is_some() };
        let request = Request::Command { line: wish.command.clone(), folder: wish.folder.clone() };
        let decision = self.policy.decide(&request, &self.state.setting());
        let (deletes, ruling) = (decision.deletes, decision.ruling);
        let leave = self.under_rules(
            self.leave_for(whose, &wish, risk, confine),
            whose,
            &wish,
            (confine, deletes),
            &ruling,
        );
        let leave = if risk == Risk::High { Leave::Ask } else { leave };
        let shown = wish.shown(confine);
        let Wish { command, folder, reason, .. } = wish;
        self.emit(Event::CommandProposed {
            call: open.call,
            lane,
            command: command.clone(),
            folder: folder.clone(),
            risk,
            why: why.clone(),
            rule,
            confine,
            reason: reason.clone(),
            shown,
            typed: open.typed,
            ruling: Some(ruling.clone()),
        });
        if ruling.outcome == Outcome::Refuse {
            return self.refuse_by_rule(lane, open.call, &request, ruling);
        }
        if self.repeats(lane, open.call) {
            return;
        }
        if leave == Leave::Run {
            return self.start_call(lane, open, Tool::Run, approval, Some(confine), Some(ruling));
        }
        let message = match confine {
            Confine::Outside => format!("Run `{command}` outside the sandbox?"),
            Confine::Inside { network: true, .. } if !self.state.sandbox.network => {
                format!("Run `{command}` with the network?")
            }
            Confine::Bare | Confine::Inside { .. } => format!("Run `{command}`?"),
        };
        let (call, ruling) = (open.call, Some(ruling));
        let kind = CheckpointKind::Risk {
            call,
            gate,
            command,
            folder,
            shown,
            risk,
            why,
            confine,
            reason,
            ruling,
            deletes,
        };
        self.ask(kind, message);
    }

    /// What the rules make of the leave. What the user submitted stands; a rule that allows only counts in
    /// the sandbox, for no more than it gives, and never for a removal.
    fn under_rules(
        &self,
        leave: Leave,
        whose: Whose,
        wish: &Wish,
        (confine, deletes): (Confine, bool),
        ruling: &Ruling,
    ) -> Leave {
        let (by_rule, own) = (!ruling.at.is_empty(), whose.typed || whose.submitted);
        let more = wish.outside || (wish.network && !self.state.sandbox.network);
        let held = matches!(confine, Confine::Inside { .. }) && !more;
        let gate = whose.gate && !self.state.trust.holds();
        match ruling.outcome {
            Outcome::Ask if by_rule && !own => Leave::Ask,
            _ if deletes && !own => Leave::Ask,
            Outcome::Run if by_rule && held && !gate => Leave::Run,
            Outcome::Run | Outcome::Ask | Outcome::Refuse => leave,
        }
    }

    /// How a command is to run: no wider than it asks for.
    fn confine_of(&self, wish: &Wish, risk: Risk) -> Confine {
        let sandbox = &self.state.sandbox;
        let network = wish.network || sandbox.network;
        match sandbox.backend {
            _ if wish.outside => Confine::Outside,
            None => Confine::Bare,
            Some(_) if risk == Risk::Low && !wish.network => Confine::READING,
            Some(_) => Confine::Inside { write: true, network },
        }
    }

    /// Whether a line that the user typed can only read where it runs.
    pub(super) fn only_looks(&self, line: &str) -> bool {
        self.confine_of(&Wish::default(), assess(line).risk) == Confine::READING
    }

    /// The table of leave (G6).
    fn leave_for(&self, whose: Whose, wish: &Wish, risk: Risk, confine: Confine) -> Leave {
        let more = wish.outside || (wish.network && !self.state.sandbox.network);
        let auto = self.state.permission == PermissionMode::Auto;
        match (risk, confine) {
            (Risk::High, _) => Leave::Ask,
            // The line that the user submitted to the question is its answer.
            (Risk::Low | Risk::Medium, _) if whose.submitted => Leave::Run,
            // A gate runs the project's own code: in a folder that is not trusted it asks in every mode.
            (Risk::Low | Risk::Medium, _) if whose.gate && !self.state.trust.holds() => Leave::Ask,
            // The user typed it, and typed how it runs; without a sandbox even that asks.
            (Risk::Low | Risk::Medium, Confine::Inside { .. } | Confine::Outside) if whose.typed => {
                Leave::Run
            }
            (Risk::Low | Risk::Medium, Confine::Bare | Confine::Outside) => Leave::Ask,
            (Risk::Low | Risk::Medium, Confine::Inside { .. }) if more => Leave::Ask,
            (Risk::Medium, Confine::Inside { .. }) if !auto => Leave::Ask,
            (Risk::Low | Risk::Medium, Confine::Inside { .. }) => Leave::Run,
        }
    }
}
