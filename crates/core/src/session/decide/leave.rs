//! Leave: how a command is to run, and whether it may begin, asks, or is refused.
//!
//! Owns what goes into the question. Never decides: the one policy does (G6), from the line, how it is to run, who wants
//! it, and what is known of the place.

use super::Draft;
use crate::{
    blob::BlobId,
    checkpoint::Checkpoint,
    event::Event,
    ids::{ApprovalId, GateId, LaneId},
    policy::{By, Manner, Outcome, Request, Ruling},
    question::CommandQuestion,
    sandbox::Confine,
    scope::Capability,
    session::{LaneKind, OpenCall},
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
    pub(super) fn request(&self, by: By, brought: bool) -> Request {
        Request::command_in(&self.command, &self.folder, self.manner(by, brought))
    }

    /// The hash of exactly what is shown of it, and of the values of what it is given.
    fn shown(&self, confine: Confine, given: Option<&Given>) -> BlobId {
        let mut text = format!("{}\0{}\0{confine:?}\0{}", self.folder, self.command, self.reason);
        if let Some(given) = given {
            text.push_str(&format!("\0{}\0{}", given.names.join(","), given.of));
        }
        BlobId::of(text.as_bytes())
    }
}

impl Draft<'_> {
    /// A command: undecided proposals first, then leave or a question. `approval` is the user's own line,
    /// where they changed it.
    pub(super) fn gate_command(&mut self, lane: LaneId, open: &OpenCall, approval: Option<ApprovalId>) {
        let Some(run) = open.run() else { return self.end_unread(lane, open) };
        let gate = self.gate_of(lane);
        let by = match (approval, gate, open.typed) {
            (Some(_), ..) => By::Submitted,
            (None, Some(_), _) => By::Gate,
            (None, None, true) => By::Typed,
            (None, None, false) => By::Agent,
        };
        let verdict = judged(self.policy.verdict(&run.command, &run.folder), run, open.brought);
        let request = run.request(by, open.brought);
        let confine = self.confine_of(run, open.brought, verdict.risk);
        // What can only read is a read, in every path that may read.
        let needs = if confine == Confine::READING { Capability::Read } else { Capability::Execute };
        if !self.may_need(lane, open.call, Tool::Run, needs) || !self.reach(lane, open, Tool::Run, needs) {
            return;
        }
        if self.state.proposals_of(lane).next().is_some() {
            return self.review(lane);
        }
        let (risk, why, rule) = (verdict.risk, verdict.why, verdict.rule);
        let decision = self.policy.decide(&request, &self.state.setting());
        let deletes = decision.deletes;
        let ruling = since_changed(decision.ruling, open.brought, &open.changed);
        let shown = run.shown(confine, self.state.given.as_ref());
        let (Run { command, folder, reason, .. }, brought) = (run.clone(), open.brought);
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
        if ruling.outcome == Outcome::Run {
            return self.start_call(lane, open, Tool::Run, approval, Some(confine), Some(ruling));
        }
        let message = match confine {
            Confine::Outside => format!("Run `{command}` outside the sandbox?"),
            Confine::Inside { network: true, .. } if !self.state.sandbox.network => {
                format!("Run `{command}` with the network?")
            }
            Confine::Inside { write: true, .. } if self.state.sandbox.metadata_open => {
                format!("Run `{command}`? Metadata outside the workspace is not held here.")
            }
            Confine::Bare | Confine::Inside { .. } => format!("Run `{command}`?"),
        };
        let (call, ruling) = (open.call, Some(ruling));
        let gives = self.state.given.as_ref().map(|g| g.names.clone()).unwrap_or_default();
        let question = CommandQuestion {
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
            meant: None,
            changed: open.changed.clone(),
            brought,
            gives,
        };
        self.ask(question, message);
    }

    /// The gate that a lane runs.
    fn gate_of(&self, lane: LaneId) -> Option<GateId> {
        self.state.lanes.get(&lane).and_then(|l| match l.kind {
            LaneKind::Gate(gate) => Some(gate),
            LaneKind::Answer
            | LaneKind::Planning
            | LaneKind::Task(_)
            | LaneKind::Goal
            | LaneKind::Repair(_) => None,
        })
    }

    /// What commands get changed: those that wait are asked about again, as they are now.
    pub(super) fn ask_commands_again(&mut self) {
        let asks = |c: &Checkpoint| Some((c.id, c.kind.command()?.call));
        let waiting: Vec<_> = self.state.open.values().filter_map(asks).collect();
        for (id, call) in waiting {
            self.close(id, None);
            let open = self.state.open_call(call).map(|(lane, open)| (lane.id, open.clone()));
            if let Some((lane, open)) = open {
                self.gate_command(lane, &open, None);
            }
        }
    }

    /// How a command is to run: no wider than it asks for.
    fn confine_of(&self, run: &Run, brought: bool, risk: Risk) -> Confine {
        run.manner(By::Agent, brought).confine(risk, self.state.setting().conditions)
    }

    /// Whether a line that the user typed can only read where it runs.
    pub(super) fn only_looks(&self, line: &str) -> bool {
        let (nothing_more, brought) = (Run::default(), false);
        self.confine_of(&nothing_more, brought, self.policy.verdict(line, "").risk) == Confine::READING
    }
}

/// How risky a line is where it would run.
fn judged(read: Verdict, run: &Run, brought: bool) -> Verdict {
    if !brought || read.risk > Risk::Low {
        return read;
    }
    let why = "what the project brings would run in place of what the line names".to_owned();
    Verdict { risk: Risk::Medium, rule: "script".to_owned(), why, part: run.command.clone(), ..read }
}

/// A command that changed after it was allowed asks, whatever else would let it run; one that runs what the project
/// brings asks by itself.
fn since_changed(ruling: Ruling, brought: bool, what: &str) -> Ruling {
    if brought && ruling.outcome == Outcome::Ask {
        return Ruling { part: what.to_owned(), ..ruling };
    }
    if what.is_empty() || brought || ruling.outcome != Outcome::Run {
        return ruling;
    }
    let by = "what it would run changed after you allowed it".to_owned();
    Ruling { outcome: Outcome::Ask, by, at: String::new(), part: what.to_owned() }
}
