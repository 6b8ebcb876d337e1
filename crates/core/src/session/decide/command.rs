//! Commands: made by the workbench, started on leave, changed by the user before they run.
//!
//! Owns what a line becomes between its proposal and its start. Its judgement is `leave`'s.

use super::terms::{Author, CallStart};
use super::{
    Decided, Draft,
    answer::{Given, Resolve},
};
use crate::{
    blob::{Blob, BlobId},
    checkpoint::{Answer, CheckpointKind, UNATTENDED},
    digest::says_passed,
    event::{CallStatus, Event},
    ids::{ApprovalId, CallId, CheckpointId, GateId, LaneId, Process},
    input::Refusal,
    plan::Unproven,
    question::{CommandAnswer, CommandQuestion},
    resolved::ResolvedCommand,
    sandbox::Confine,
    scope::Capability,
    session::OpenCall,
    shell::{MAX_LINE_BYTES, Risk, only_shortens, shortened_check},
    tool::{Exit, LeaveOf, Run, Tool},
};

/// Why a command that was let begin did not.
pub(super) enum NotRun {
    /// It means something else than when it was allowed.
    Changed(String),
    /// It would have run what the project brings.
    Brought(String),
    /// It could destroy what could not be saved.
    Loses(String),
    /// It could have come upon secret files that could not be hidden.
    Shows(String),
}

/// Told to the agent whose command the user left out.
pub(super) const SKIPPED: &str = "skipped by the user";

/// Told to the agent whose command the user denied.
pub(super) const DENIED: &str = "denied by the user";

/// Told of the calls behind it.
const NOT_LET: &str = "the user did not allow the command before it";

impl Draft<'_> {
    /// A command has ended; where its output is kept.
    pub(super) fn exited(&mut self, call: CallId, exit: Exit, output: Option<Blob>) -> Option<BlobId> {
        let id = output.as_ref().map(Blob::id);
        let line = self.state.open_call(call).and_then(|(_, open)| open.run());
        let piped =
            exit.ok() && line.is_some_and(|run| shortened_check(&run.command) && only_shortens(&run.command));
        let passed =
            piped && output.as_ref().is_some_and(|all| says_passed(&String::from_utf8_lossy(all.bytes())));
        self.blobs.extend(output);
        let branch = self.under.branch.clone().filter(|now| self.state.branch.as_ref() != Some(now));
        self.emit(Event::CommandExited { call, exit, output: id, branch, passed });
        id
    }

    /// Starts a call that an answer allowed.
    pub(super) fn start_approved(&mut self, call: CallId, approval: ApprovalId, confine: Option<Confine>) {
        let Some((lane, open)) = self.state.open_call(call) else { return };
        let Some(tool) = open.tool else { return };
        let start = CallStart { approval: Some(approval), confine, ruling: None };
        let (verdict, lane) = (self.judge_start(lane, open, tool, start), lane.id);
        self.carry_out(call, verdict);
        self.advance(lane);
    }

    /// It is known what the words of a command mean that waits.
    pub(super) fn looked(&mut self, checkpoint: CheckpointId, meant: ResolvedCommand) -> Decided {
        let kind = self.state.open.get(&checkpoint).map(|c| &c.kind);
        let waits = kind.and_then(CheckpointKind::command).filter(|c| c.meant.is_none());
        let Some(call) = waits.map(|c| c.call) else {
            return Err(Refusal::new("no command is waiting there to be checked"));
        };
        self.emit(Event::CommandMeant { checkpoint, call, meant });
        Ok(())
    }

    /// What a command would run is not what it was allowed for: nothing was done, and it is asked about.
    pub(super) fn command_changed(&mut self, lane: LaneId, call: CallId, why: NotRun) {
        let (brought, loses) = (matches!(why, NotRun::Brought(_)), matches!(why, NotRun::Loses(_)));
        let shows = matches!(why, NotRun::Shows(_));
        let changed = matches!(why, NotRun::Changed(_));
        let (NotRun::Changed(what) | NotRun::Brought(what) | NotRun::Loses(what) | NotRun::Shows(what)) = why;
        // Where nobody was asked, no word of the user rested on what it was to get: it is judged as it is now.
        let unasked = |open: &OpenCall| open.leave_of != LeaveOf::User && self.state.is_given_else(open);
        let anew = changed && self.state.open_call(call).is_some_and(|(_, open)| unasked(open));
        let what = if anew { String::new() } else { what };
        self.emit(Event::CommandChanged { call, lane, what, brought, loses, shows });
        self.gate_command(call, None);
        self.advance(lane);
    }

    /// A call of the workbench itself: a gate's command, or one that the user typed.
    pub(super) fn call_command(&mut self, lane: LaneId, run: &Run, author: Author) -> CallId {
        let call = CallId(self.id());
        self.emit(Event::CallMade {
            call,
            lane,
            tool: Tool::Run,
            args: run.args(),
            typed: author == Author::User,
        });
        call
    }

    pub(super) fn command_started(&mut self, call: CallId, process: Process) -> Decided {
        self.state.open_call(call).ok_or_else(|| Refusal::new("the call is no longer open"))?;
        self.emit(Event::CommandStarted { call, process });
        Ok(())
    }

    /// Runs a command that waited, this once.
    fn run_once(&mut self, id: CheckpointId, command: &CommandQuestion, stored: Answer) -> Decided {
        self.must(Capability::Execute, "runs")?;
        let approval = self.allow(id, stored);
        self.start_approved(command.call, approval, Some(command.confine));
        Ok(())
    }

    fn edit_command(&mut self, id: CheckpointId, call: CallId, gate: Option<GateId>, line: &str) -> Decided {
        if gate.is_some() {
            return Err(Refusal::new("a gate runs as written in the plan; deny it, or change the plan"));
        }
        if line.len() > MAX_LINE_BYTES || line.contains('\0') {
            return Err(Refusal::new(format!(
                "a command can have at most {MAX_LINE_BYTES} bytes and no NUL"
            )));
        }
        self.must(Capability::Execute, "runs")?;
        let Some((lane, run)) = self.state.open_call(call).and_then(|(l, c)| Some((l.id, c.run()?.clone())))
        else {
            return Err(Refusal::new("the call is no longer open"));
        };
        let answer = Answer::Line(line.to_owned());
        // What the user typed needs no second leave; high risk wants its word all the same.
        let approval = if self.under.policy.verdict(line, &run.folder).risk < Risk::High {
            Some(self.allow(id, answer))
        } else {
            self.close(id, Some(answer));
            None
        };
        self.emit(Event::CommandEdited { call, lane, args: Run { command: line.to_owned(), ..run }.args() });
        self.gate_command(call, approval);
        self.advance(lane);
        Ok(())
    }

    /// A command that waited is not run; the agent is told why.
    pub(super) fn deny_call(&mut self, id: CheckpointId, call: CallId, answer: Answer, text: &str) {
        // What no user saw none of them denied.
        let why = if let Answer::Reject(why) = &answer { why.as_str() } else { "" };
        let unattended = why.ends_with(UNATTENDED);
        let reason = match why {
            "" => text.to_owned(),
            why if unattended => format!("not allowed: {why}"),
            why => format!("{text}: {why}"),
        };
        self.close(id, Some(answer));
        let Some((lane, kind)) = self.state.open_call(call).map(|(l, _)| (l.id, l.kind)) else { return };
        self.end_call(lane, call, CallStatus::Refused, &reason);
        let dropped = if unattended { "the one before it was not allowed" } else { NOT_LET };
        self.drop_rest(lane, dropped);
        match kind.gate() {
            Some(gate) => self.leave_gate_out(lane, gate, unattended.then_some(Unproven::Unattended)),
            None => self.advance(lane),
        }
    }
}

impl Resolve for CommandQuestion {
    fn resolve(&self, draft: &mut Draft<'_>, given: Given<CommandAnswer>) -> Decided {
        let Given { question, answer, stored } = given;
        let runs = !matches!(answer, CommandAnswer::Skip | CommandAnswer::Deny);
        if runs && draft.state.settles_trust() {
            return Err(Refusal::new("one moment: saving your answer about the folder"));
        }
        match answer {
            CommandAnswer::Run => draft.run_once(question, self, stored),
            CommandAnswer::Edit(line) => draft.edit_command(question, self.call, self.gate, &line),
            CommandAnswer::Grant { rules, lasting } => draft.grant(question, self, &rules, lasting),
            CommandAnswer::Skip => {
                draft.deny_call(question, self.call, stored, SKIPPED);
                Ok(())
            }
            CommandAnswer::Deny => {
                draft.deny_call(question, self.call, stored, DENIED);
                Ok(())
            }
        }
    }

    fn stale(&self) -> &'static str {
        "the command changed since it was shown; look at it again"
    }
}
