//! Records: what was decided and what became of it, in words that stay as they were first said.
//!
//! Owns their wording. Says only what the log and the blobs tell: never what holds now, which may be
//! another thing by then.

use std::collections::BTreeSet;

use pilothouse_core::{
    blob::BlobId,
    checkpoint::{Answer, CheckpointKind},
    completion::untouched,
    diff::Hunk,
    digest::could_not_run,
    event::{Event, FileChange, Proof, RunStatus},
    ids::{ApplyId, GateId, ProposalId, Seq, TaskId, TurnId},
    intent::Control,
    money::count,
    plan::{Plan, TaskStatus},
    proposal::{Proposal, ProposalStatus},
    relpath::RelPath,
    session::{Entry, LaneKind, State, What},
    tool::ChangeKind,
};

use super::{
    Texts, cut,
    hunks::{self, comments, picked, written},
    inside,
};

/// Most bytes of the last words of a line beside the main one.
const REPORT_BYTES: usize = 4 * 1024;
/// Told of a gate whose program is not here.
const LACKS: &str = "\nThis gate cannot work here: its program, or what that needs, is missing. Propose a command that checks as much and that this \
                     machine has with change_gate; do not change the project for it.";
/// Told of a planning that was stopped.
const UNPLANNED: &str = "The user stopped this before there was a plan; nothing of it was done.";
/// Most bytes of what a gate said.
const GATE_BYTES: usize = 4 * 1024;

/// What an entry tells; `None` for what needs no words. What stands in one of the results of `above` is not told again.
pub(super) fn text(
    state: &State,
    texts: &dyn Texts,
    entry: &Entry,
    above: &BTreeSet<BlobId>,
) -> Option<String> {
    let event = texts.event(entry.seq)?.event;
    let said = match entry.what {
        What::Nudge => {
            let Event::LaneNudged { text, .. } = event else { return None };
            text
        }
        What::Handed => {
            let Event::ChildStarted { work, task, agent, .. } = event else { return None };
            let task = inside(&texts.whole(&task), "handed_on");
            let task = format!("<handed_on kind=\"{}\">\n{task}\n</handed_on>", work.name());
            return Some(match agent {
                None => task,
                Some(agent) => {
                    let prompt = inside(&texts.whole(&agent.prompt), "agent");
                    format!(
                        "<agent name=\"{}\">\nyou are this agent:\n{prompt}\n</agent>\n{task}",
                        agent.name
                    )
                }
            });
        }
        What::Record => record(state, texts, &event)?,
        What::Step(plan) => {
            let Event::PlanReady { plan: told } = texts.event(plan)?.event else { return None };
            let plan = grown(told, state.transcript.added(plan, entry.seq), texts);
            let told = if let Event::GateFailed { gate, proof, .. } = &event {
                marked(&red(&plan, *gate, proof, above.contains(&proof.output)))
            } else {
                step(&plan, &event)?
            };
            return Some(told + &gone_on_with(state, &event));
        }
        What::Answer(asked) => {
            let Event::CheckpointOpened { checkpoint } = texts.event(asked)?.event else { return None };
            let Event::CheckpointResolved { answer, .. } = event else { return None };
            answered(&checkpoint.kind, &answer?)?
        }
        What::Report(turn) => report(state, texts, turn, &event)?,
        What::User(_) | What::Reply | What::Result(_) | What::Output(_) | What::Summary => return None,
    };
    Some(marked(&said))
}

/// What of a step that was cut off is done, where it is gone on with.
fn gone_on_with(state: &State, event: &Event) -> String {
    let Event::TaskStarted { task, lane } = event else { return String::new() };
    // Ids are counters: what was written before is of an earlier go at it.
    let before = |p: &&Proposal| {
        let applied = matches!(p.status, ProposalStatus::Applied(apply) if apply.0 < lane.0);
        p.task == Some(*task) && (applied || p.status == ProposalStatus::There && p.id.0 < lane.0)
    };
    let done: BTreeSet<&str> = state.proposals().values().filter(before).map(|p| p.path.as_str()).collect();
    if done.is_empty() {
        return String::new();
    }
    let done = done.into_iter().collect::<Vec<_>>().join(", ");
    let text = format!(
        "This task was cut off and goes on. Its changes of {done} are applied: do what is left, or end it."
    );
    format!("\n{}", marked(&text))
}

/// A plan as it was told, with the steps that were added to it since.
fn grown(mut plan: Plan, added: impl Iterator<Item = Seq>, texts: &dyn Texts) -> Plan {
    for event in added.filter_map(|at| texts.event(at)).map(|stamped| stamped.event) {
        if let Event::TaskAdded { task } = event {
            plan.tasks.push(task);
        }
    }
    plan
}

fn marked(text: &str) -> String {
    format!("<record>\n{}\n</record>", inside(text.trim_end(), "record"))
}

#[expect(clippy::wildcard_enum_match_arm, reason = "the transcript names what has a record")]
pub(super) fn record(state: &State, texts: &dyn Texts, event: &Event) -> Option<String> {
    Some(match event {
        Event::Applied { apply } => applied(state, texts, *apply)?,
        Event::ApplyFailed { message, .. } => format!("not written: {message}"),
        Event::ProposalClosed { proposal, there: true, .. } => {
            let path = &state.proposals().get(proposal)?.path;
            format!("not written, for {path} holds this change already: it is made")
        }
        Event::ProposalClosed { proposal, reason, dropped, .. } => {
            closed(state, texts, *proposal, (reason, *dropped))?
        }
        Event::ProposalSetAside { proposal, reason } => {
            let path = &state.proposals().get(proposal)?.path;
            format!("set aside, nothing of it is written: {path}: {reason}")
        }
        Event::ProposalTakenUp { proposal, lane } => {
            taken_up(&state.proposals().get(proposal)?.path, lane.is_some())
        }
        Event::Reverted { apply, redo: false, .. } if is_put_back(state, *apply) => return None,
        Event::Reverted { apply, redo, .. } => reverted(state, *apply, *redo)?,
        // The result of the command says so.
        Event::CommandWrote { spared, .. } if !spared.is_empty() => return None,
        Event::CommandWrote { command, files, count, git, left, .. } => {
            command_wrote(command, files, *count, git, left)
        }
        Event::RevertFailed { apply, redo: false, message } if is_spared(state, *apply) => {
            format!("could NOT be put back, though the user wants it left alone (tell them): {message}")
        }
        Event::RevertFailed { message, .. } => format!("could not be undone: {message}"),
        Event::RunStarted { .. } => "The plan is approved; its run begins.".to_owned(),
        Event::RunCompleted { status, summary, files, .. } => run_ended(*status, summary, files),
        Event::PlanReady { plan } if plan.edited => {
            format!("The user edited the plan: {}{}", plan.title, steps(plan))
        }
        Event::PlanReady { plan } if plan.done() == plan.tasks.len() => {
            "What was changed is checked now by the gates of the project.".to_owned()
        }
        Event::PlanReady { plan } => format!("The plan is taken up again: {}{}", plan.title, steps(plan)),
        Event::PlanShelved { .. } => "The plan was set aside; nothing of it goes on.".to_owned(),
        Event::ControlGiven { control: Control::Proceed } => "The user said to go on.".to_owned(),
        Event::ControlGiven { .. } => "The user asked for this once more.".to_owned(),
        Event::ThinkingFailed { fault, .. } => format!("no reply came: {}", fault.message),
        Event::LaneClosed { .. } => "The user stopped this before it was answered.".to_owned(),
        Event::PhaseChanged { .. } => UNPLANNED.to_owned(),
        Event::CheckpointOpened { checkpoint } => format!("failed: {}", checkpoint.message),
        Event::AnswerChecked { marks, .. } => {
            let marks: Vec<String> = marks.iter().map(|m| format!("\nline {}: {}", m.line, m.why)).collect();
            format!("lines of the answer that follows are marked as not proven:{}", marks.concat())
        }
        Event::FactsAnswered { text, names, .. } => {
            let from = if names.is_empty() { "its own record" } else { "facts" };
            format!("answered by the workbench from {from}:\n{text}")
        }
        Event::InstructionsTold { text, .. } => texts.whole(text),
        Event::SessionReopened { interrupted, run, branch, left_on, .. } => {
            reopened(!interrupted.is_empty() || run.is_some(), left_on.as_deref().zip(branch.as_deref()))
        }
        Event::SessionForked { from, .. } => copied(from),
        Event::CommitEnded { told, .. } => told.clone(),
        Event::CallLost { found, .. } => format!("The program ended in the middle of a step: {found}"),
        _ => return None,
    })
}

fn reopened(cut: bool, branches: Option<(&str, &str)>) -> String {
    let cut = if cut { "; what was under way was interrupted" } else { "" };
    let moved = branches.map_or_else(String::new, |(was, now)| {
        format!(" The branch was {was} then and is {now} now: files that you read may be others.")
    });
    format!("The session was closed and opened again{cut}.{moved}")
}

fn copied(from: &str) -> String {
    format!("This session is a copy of {from}: no plan and no proposal of it is here. Read files again.")
}

/// How a run ended, and what it changed.
fn run_ended(status: RunStatus, summary: &str, files: &[RelPath]) -> String {
    let how = match status {
        RunStatus::Completed => "The run is complete",
        RunStatus::Failed => "The run failed",
        RunStatus::Cancelled => "The run was stopped",
        RunStatus::Manual => "The user took the run over by hand",
        RunStatus::Breakout => "The run was left for something else",
        RunStatus::Ended => "The run ended, and not everything of it was done",
    };
    let files = if files.is_empty() { String::new() } else { format!("\nfiles changed: {}", paths(files)) };
    match summary.strip_prefix("Complete. ").filter(|_| status == RunStatus::Completed) {
        Some(rest) => format!("{how}. {rest}{files}"),
        None => format!("{how}: {summary}{files}"),
    }
}

/// What was set aside waits again: for the user, or as what a step goes on with.
fn taken_up(path: &RelPath, goes_on: bool) -> String {
    if goes_on {
        format!(
            "this task was begun before: what it proposed of {path} still stands and is what you read there; go on from it"
        )
    } else {
        format!("taken up again, waits for the user: {path}")
    }
}

/// What a command changed.
fn command_wrote(command: &str, files: &[FileChange], all: usize, git: &[String], left: &[String]) -> String {
    let one = |f: &FileChange| match f.kind {
        ChangeKind::Create => format!("{} (new)", f.path),
        ChangeKind::Delete => format!("{} (removed)", f.path),
        ChangeKind::Modify => format!("{} (+{} -{})", f.path, f.added, f.removed),
    };
    let named = files.iter().map(one).chain(git.iter().cloned()).collect::<Vec<_>>().join(", ");
    let more = all.saturating_sub(files.len());
    let rest = if more > 0 { format!(" and {}", count(more, "more file")) } else { String::new() };
    let lost =
        if left.is_empty() { String::new() } else { format!("; not saved before: {}", left.join(", ")) };
    format!("`{command}` changed: {named}{rest}{lost}. The user can take that back.")
}

/// What was written, and what the user did not take of it.
fn applied(state: &State, texts: &dyn Texts, apply: ApplyId) -> Option<String> {
    let told = applied_files(state, texts, apply)?.into_iter().map(|(_, text)| text);
    Some(told.collect::<Vec<_>>().join("\n"))
}

/// Whether a write was put back unasked, of which the result of its command speaks.
fn is_put_back(state: &State, apply: ApplyId) -> bool {
    let command = state.applies().get(&apply).and_then(|a| a.command.as_ref());
    command.is_some_and(|c| c.spared.is_some() && c.doubt.is_none())
}

/// Whether a write is what a command made of files that are to be left alone.
fn is_spared(state: &State, apply: ApplyId) -> bool {
    let command = state.applies().get(&apply).and_then(|a| a.command.as_ref());
    command.is_some_and(|c| c.spared.is_some())
}

/// What the user took back or put back again, by what stands there now.
fn reverted(state: &State, apply: ApplyId, redo: bool) -> Option<String> {
    let apply = state.applies().get(&apply)?;
    let files = paths(apply.files.iter().map(|f| &f.path));
    let picks = |f: &FileChange| state.proposals().get(&f.proposal).is_some_and(|p| p.picks_from().is_some());
    // What undoes a taking back leaves the files as they were written.
    let what = match (redo, apply.files.iter().any(picks)) {
        (false, true) => "what was taken back stands again, put there",
        (true, true) => "taken back once more",
        (false, false) => "undone",
        (true, false) => "put back",
    };
    Some(match &apply.command {
        Some(_) => format!("{what} by the user: the change to {}: {files}", apply.words()),
        None => format!("{what} by the user: {files}"),
    })
}

/// What was written, file by file.
pub(super) fn applied_files(
    state: &State,
    texts: &dyn Texts,
    apply: ApplyId,
) -> Option<Vec<(ProposalId, String)>> {
    let apply = state.applies().get(&apply)?;
    let none = BTreeSet::new();
    let taken = |id: ProposalId| apply.take.iter().find(|t| t.0 == id).map_or(&none, |t| &t.1);
    let tell = |file: &FileChange| {
        let proposal = state.proposals().get(&file.proposal);
        let hunks = proposal.map_or(&[][..], |p| &p.hunks);
        let waits = proposal.filter(|_| file.rest.is_some()).map(Proposal::undecided).unwrap_or_default();
        if proposal.is_some_and(|p| p.picks_from().is_some()) {
            return (file.proposal, picked(texts, file, hunks.len(), taken(file.proposal)));
        }
        let edited = state.transcript.was_edited(file.proposal);
        let said = |n: usize| state.transcript.comment(file.proposal, n);
        (file.proposal, written(texts, file, hunks, (taken(file.proposal), &waits, edited), said))
    };
    Some(apply.files.iter().map(tell).collect())
}

fn closed(
    state: &State,
    texts: &dyn Texts,
    id: ProposalId,
    (reason, dropped): (&str, bool),
) -> Option<String> {
    // What the user leaves of a take-back that they wanted themselves stays as it was told.
    let p = state.proposals().get(&id).filter(|p| p.picks_from().is_none())?;
    let worded = !matches!(reason, "" | "skipped" | "every hunk was left");
    let why = if worded { format!(": {reason}") } else { String::new() };
    let places: Vec<String> = p.hunks.iter().map(Hunk::place).collect();
    let places =
        if p.kind == ChangeKind::Modify { format!(" ({})", places.join("; ")) } else { String::new() };
    let of_call = |f: &FileChange| f.rest.is_some() && f.path == p.path;
    let of_call = |f: &FileChange| {
        of_call(f) && state.proposals().get(&f.proposal).is_some_and(|old| old.call == p.call)
    };
    let written = || state.applies().values().flat_map(|a| &a.files).any(of_call);
    let how = match dropped {
        true => "not written, dropped by the workbench",
        false if written() => "left by the user, and the rest of that change is written",
        false => "left by the user, nothing of it is written",
    };
    let met = if dropped { String::new() } else { hunks::met(texts, p) };
    let said = |n: usize| state.transcript.comment(id, n);
    let comments = comments(&p.path, &p.hunks, &BTreeSet::new(), (said, |_| !dropped));
    Some(format!("{how}: {}{places}{why}{comments}{met}", p.path))
}

fn paths<'a>(files: impl IntoIterator<Item = &'a RelPath>) -> String {
    files.into_iter().map(RelPath::as_str).collect::<Vec<_>>().join(", ")
}

#[expect(clippy::wildcard_enum_match_arm, reason = "the transcript names what is of a plan")]
fn step(plan: &Plan, event: &Event) -> Option<String> {
    Some(match event {
        Event::TaskStarted { task, .. } => return task_block(plan, *task),
        Event::RepairStarted { gate, attempt, of, detour, .. } => {
            return repair_block(plan, *gate, (*attempt, *of), *detour);
        }
        Event::TaskFreed { task, of } => {
            let left = of.iter().map(|id| plan.number(*id).to_string()).collect::<Vec<_>>().join(", ");
            marked(&format!("task {} is to be done without {left}, which was left out", plan.number(*task)))
        }
        Event::TaskFailed { task, message, .. } => {
            marked(&format!("task {} of {} failed: {message}", plan.number(*task), plan.tasks.len()))
        }
        Event::TaskCompleted { task, .. } => {
            marked(&format!("task {} of {} is done", plan.number(*task), plan.tasks.len()))
        }
        Event::FilesUntouched { task, files } => {
            marked(&format!("task {} of {}: {}", plan.number(*task), plan.tasks.len(), untouched(files)))
        }
        Event::TaskSkipped { task, undone } => {
            let what = if *undone { "is not done: nothing came of it" } else { "was left out" };
            marked(&format!("task {} of {} {what}", plan.number(*task), plan.tasks.len()))
        }
        Event::GatePassed { gate, proof, .. } => marked(&verdict(plan, *gate, proof, "passed")),
        Event::GateWentStale { gate } => {
            marked(&format!("gate {}: it passed, but files changed since", name(plan, *gate)))
        }
        Event::GateHolds { gate } => {
            marked(&format!("gate {}: the files are again those it passed on", name(plan, *gate)))
        }
        Event::GateChanged { gate, to, .. } => {
            marked(&format!("gate {} is from now on `{to}`", name(plan, *gate)))
        }
        Event::GateReset { gate, why: None, .. } => {
            marked(&format!("the user skipped gate {}", name(plan, *gate)))
        }
        Event::GateReset { gate, why: Some(why), .. } => {
            marked(&format!("gate {}: {}", name(plan, *gate), why.told()))
        }
        _ => return None,
    })
}

fn name(plan: &Plan, gate: GateId) -> &str {
    plan.gates.iter().find(|g| g.id == gate).map_or("", |g| &g.name)
}

fn verdict(plan: &Plan, gate: GateId, proof: &Proof, how: &str) -> String {
    let code = proof.exit.code.map_or_else(|| "no exit code".to_owned(), |c| format!("exit {c}"));
    // One that is called like its command is so with another one too.
    let called = plan.gate(gate).filter(|g| g.name != g.command).map(|g| g.name.as_str());
    match called.unwrap_or(&proof.command) {
        name if name == proof.command => format!("gate `{name}` {how}: {code}"),
        name => format!("gate {name} {how}: `{}`, {code}", proof.command),
    }
}

/// A gate that failed, with what it said unless that stands above: an agent ran its line itself.
fn red(plan: &Plan, gate: GateId, proof: &Proof, above: bool) -> String {
    let verdict = verdict(plan, gate, proof, "failed");
    let mend = if could_not_run(proof.exit.code, &proof.diagnostics) { LACKS } else { "" };
    if above {
        return format!("{verdict}; what it said stands above{mend}");
    }
    format!("{verdict}\n```\n{}\n```{mend}", cut(&proof.told_model(), GATE_BYTES))
}

/// A task with all that is to be done in it.
fn task_block(plan: &Plan, id: TaskId) -> Option<String> {
    let task = plan.tasks.iter().find(|t| t.id == id)?;
    let files: Vec<&str> = task.files.iter().map(RelPath::as_str).collect();
    let files = files.join(if files.iter().any(|f| f.contains(char::is_whitespace)) { "\n" } else { " " });
    let detail = match inside(&inside(&task.detail, "detail"), "task") {
        detail if detail.trim().is_empty() => String::new(),
        detail => format!("\n<detail>\n{detail}\n</detail>"),
    };
    let files = if files.is_empty() { files } else { format!("\n<files>{files}</files>") };
    Some(format!(
        "<task number=\"{}\" of=\"{}\">\n<title>{}</title>{detail}{files}\n</task>",
        plan.number(id),
        plan.tasks.len(),
        inside(&inside(&task.title, "title"), "task"),
    ))
}

fn repair_block(plan: &Plan, id: GateId, (attempt, of): (u32, u32), detour: bool) -> Option<String> {
    let gate = plan.gates.iter().find(|g| g.id == id)?;
    let how = if detour {
        "The user wants another way: say in one line what was tried so far and why it did not do, then take an approach that differs from it in kind. What of the earlier work stands in its way, take out"
    } else {
        "Propose the smallest change that mends it"
    };
    Some(format!(
        "<task>\n<title>Make the gate pass that failed: {}</title>\n<detail>\nThe command is `{}`; what it said stands above. {how}; never weaken the gate. This is try {attempt} of {of}.\n</detail>\n</task>",
        inside(&gate.name, "title"),
        inside(&inside(&gate.command, "detail"), "task"),
    ))
}

/// The steps of a plan, a line each.
pub(super) fn steps(plan: &Plan) -> String {
    let step = |(n, t): (usize, &pilothouse_core::plan::Task)| {
        let status = match t.status {
            TaskStatus::Pending => "to do",
            TaskStatus::Running => "now",
            TaskStatus::Done => "done",
            TaskStatus::Failed => "failed",
            TaskStatus::Skipped => "left out",
            TaskStatus::Cancelled => "stopped",
            TaskStatus::TakenBack => "taken back by the user",
            TaskStatus::NotDone => "not done",
        };
        format!("\n{}. {} ({status})", n + 1, t.title)
    };
    plan.tasks.iter().enumerate().map(step).collect()
}

/// What the user decided about a plan or a failure.
fn answered(kind: &CheckpointKind, answer: &Answer) -> Option<String> {
    let why = |text: &str| if text.is_empty() { String::new() } else { format!(": {text}") };
    Some(match (kind, answer) {
        (CheckpointKind::Confirmation(_), Answer::Reject(text) | Answer::Text(text)) => {
            format!("The user sent the plan back{}", why(text))
        }
        (CheckpointKind::Confirmation(_), Answer::Abort) => "The user dropped the plan.".to_owned(),
        (CheckpointKind::Failure(_), Answer::AutoFix) => "It is to be mended.".to_owned(),
        (CheckpointKind::Failure(f), Answer::Retry) if f.gate.is_some() => {
            "The user wants another way tried.".to_owned()
        }
        (CheckpointKind::Failure(_), Answer::Again) => "The user wants the gate run again.".to_owned(),
        (CheckpointKind::Failure(_), Answer::Retry) => "The user wants it tried again.".to_owned(),
        (CheckpointKind::Failure(_), Answer::Abort) => "The user gave it up.".to_owned(),
        (CheckpointKind::Failure(_), Answer::Replan) => "The user wants another plan.".to_owned(),
        (CheckpointKind::Remember(asked), Answer::Approve) => {
            format!("The user keeps the note: {}", asked.note.text)
        }
        (CheckpointKind::Remember(asked), Answer::Reject(text)) => {
            format!("The user does not want this remembered{}: {}", why(text), asked.note.text)
        }
        _ => return None,
    })
}

/// What was asked beside the main line, and what the answer was.
fn report(state: &State, texts: &dyn Texts, turn: TurnId, event: &Event) -> Option<String> {
    let asked = state.turns.get(&turn).map_or("", |t| t.request.as_deref().unwrap_or(&t.head));
    let asked = cut(asked, REPORT_BYTES / 4);
    if matches!(event, Event::LaneClosed { .. }) {
        return Some(format!("Beside this the user asked: {asked}\nand stopped it before you answered."));
    }
    let Event::MessageCompleted { text, lane, .. } = event else { return None };
    if matches!(state.transcript.kind(*lane), Some(LaneKind::Task(_))) {
        let said = cut(&texts.whole(text), REPORT_BYTES);
        return Some(format!("Beside this another step was worked on; its last words: {said}"));
    }
    let said = cut(&texts.whole(text), REPORT_BYTES);
    Some(format!("Beside this the user asked: {asked}\nand you answered: {said}"))
}
