//! What is told in one line: tasks, gates, results, notices.

use std::collections::BTreeSet;

use pilothouse_core::{
    clean::Clean,
    completion::{Completion, FileTally, GateFact, LastRun, untouched},
    event::{Event, RunStatus},
    goal::{Attempt, GoalStatus, GoalSummary},
    ids::{Millis, TaskId},
    lane::LaneKind,
    money::{clock, millis},
    plan::{GateStatus, Plan, Unproven, failed_and_skipped},
    tool::Exit,
};

use super::{Log, Mark, already, title, written};
use crate::{
    pane::{
        conversation::entry::{Body, Facts, Kind, Text},
        diff::counts,
    },
    row::{Ink, Row, coded, count, uncoded},
    theme::Slot,
};

/// What a script reads of a stop before the first step was done: on the screen the steps below it say so.
const NOTHING_DONE: &str = "Completed 0 tasks before cancel.";
/// Files of a command or of a run that are named one by one.
pub(super) const MOST_FILES: usize = 8;

impl Log {
    /// A change that waits aside from now on; those that come together are told together.
    fn set_aside(&mut self, at: Millis, path: String, reason: &str) {
        let (key, why, mut paths) = std::mem::take(&mut self.aside);
        if key + 1 == self.end() && why == reason && !paths.is_empty() {
            self.entries.pop_back();
        } else {
            paths.clear();
        }
        paths.push(path);
        let names = paths.iter().take(MOST_FILES).map(String::as_str).collect::<Vec<_>>().join(", ");
        let more = match paths.len().saturating_sub(MOST_FILES) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let again = match paths.as_slice() {
            [path] => format!("/proposals {path} brings it back"),
            _ => "/proposals all brings them back".to_owned(),
        };
        let text = format!("set aside: {names}{more} ({reason}); {again}");
        self.mark(at, Mark::Skipped, &text);
        self.aside = (self.end() - 1, reason.to_owned(), paths);
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "`fold_change` takes the rest")]
    pub(super) fn fold_fact(&mut self, at: Millis, event: &Event) {
        self.keep(at, event);
        match event {
            Event::TaskStarted { task, .. } => {
                self.plan_begun();
                let text = self.plan.as_ref().and_then(|p| title(p, *task));
                self.add(at, Kind::Head, Body::Task { task: *task, text });
            }
            Event::TaskCompleted { task, took } => self.step_done(at, *task, *took),
            Event::FilesUntouched { task, files } => self.task_fact(at, *task, &untouched(files)),
            Event::TaskFailed { task, message, .. } => self.step_failed(at, *task, message),
            Event::TaskSkipped { task, undone } => {
                self.task_fact(at, *task, if *undone { "not done" } else { "skipped" });
            }
            Event::TaskCancelled { task } => self.step_stopped(at, *task),
            Event::GatePassed { gate, proof, .. } => self.gate(at, *gate, true, proof),
            Event::GateFailed { gate, proof, .. } => self.gate(at, *gate, false, proof),
            Event::GateWentStale { gate } => {
                self.of_gate(at, Mark::Stale, *gate, "stale: files changed since it passed");
            }
            Event::GateHolds { gate } => {
                self.of_gate(at, Mark::Inner, *gate, "green: the files are what they were when it passed");
            }
            Event::GateReset { gate, skipped: true, why } => {
                let name = self.gate_name(gate.0);
                let red = self.plan.as_ref().and_then(|p| p.gate(*gate));
                let red = red.filter(|g| why.is_none() && matches!(g.status, GateStatus::Failed(_)));
                let told = match (why, red) {
                    (Some(why), _) => why.told(),
                    (None, Some(red)) => failed_and_skipped(red.exit),
                    (None, None) => "skipped".to_owned(),
                };
                // That one was checked: it is told by itself.
                if red.is_none() {
                    self.waived.push(format!("{name} ({})", why.map_or("skipped", Unproven::words)));
                }
                self.mark(at, Mark::Skipped, &format!("[Gate: {name}] {told}"));
                self.unproven |= why.is_some();
            }
            Event::GateChanged { gate, to, .. } => {
                self.gate_changed(at, *gate, to);
                self.plan.iter_mut().for_each(|plan| plan.change_gate(*gate, to));
            }
            Event::FactsAnswered { text, .. } => {
                text.lines().for_each(|line| self.mark(at, Mark::Dot, line));
            }
            Event::TurnDirected { .. } => self.directed(at, event),
            // Each line of work is told them; the user, once.
            Event::InstructionsTold { path, .. } if self.instructed.insert(path.to_string()) => {
                self.mark(at, Mark::Dot, &format!("read {path} (instructions for that folder)"));
            }
            Event::AnswerChecked { call, marks, .. } => drop(self.marks.insert(*call, marks.clone())),
            Event::RepairStarted { gate, attempt, of, detour, .. } => {
                let name = self.gate_name(gate.0);
                let what = if *detour { "Trying another way at gate" } else { "Fixing gate" };
                self.mark(at, Mark::Inner, &format!("{what} {name}, attempt {attempt} of {of}"));
            }
            Event::TaskFreed { task, .. } => self.task_fact(at, *task, "goes on without what was left out"),
            _ => self.fold_change(at, event),
        }
    }

    /// A step was stopped; others may be at work.
    fn step_stopped(&mut self, at: Millis, task: TaskId) {
        self.stopped.push(self.end());
        self.task_fact(at, task, "stopped");
    }

    /// A step is done: how long it took, whether it changed a file, and which gate is next.
    fn step_done(&mut self, at: Millis, task: TaskId, took: Millis) {
        // Far from its work, that it is done stands alone: it is named.
        let apart = took.0 == 0;
        let took = match took.0 {
            // Its work ended with another process: nobody knows.
            0 => String::new(),
            ms => format!(" ({})", millis(ms)),
        };
        let others = self.lanes.values().any(|(kind, _)| matches!(kind, LaneKind::Task(_)));
        let own = !others && self.heading().is_none_or(|head| head == task);
        let idle = own && self.step == Some((task, false));
        let number = self.number_of(task).filter(|_| !own || apart);
        let what = number.map_or_else(|| "Complete".to_owned(), |n| format!("Step {n} complete"));
        let idle = match self.needless.remove(&task) {
            Some(why) => format!(", nothing changed: {why}"),
            None if idle => ", no file changed".to_owned(),
            None => String::new(),
        };
        // Beside a step that is at work already a gate waits for its end.
        let next = self.plan.as_ref().filter(|_| !others).and_then(Plan::next_gate);
        let next = next.map(|g| format!("; next: gate {}", g.name));
        let line = format!("{what}{took}{idle}{}", next.unwrap_or_default());
        self.fact(at, Row::of(&line, Slot::Soft), Row::new());
    }

    /// What directs the message above, with its prompt folded away.
    fn directed(&mut self, at: Millis, event: &Event) {
        let Event::TurnDirected { kind, name, origin, file, prompt, .. } = event else { return };
        let lines = if prompt.lines == 1 { "one line".to_owned() } else { format!("{} lines", prompt.lines) };
        let what = format!(" {} {}", kind.name(), Clean::line(name).as_str());
        let from = format!("  {}, {}, {lines}", origin.name(), Clean::line(file).as_str());
        let row = Row::of(Mark::Dot.sign(), Slot::Soft).and(&what, Slot::Text).and(&from, Slot::Soft);
        let (lines, detail) = (vec![(row, Row::new())], Text::of(prompt).shown);
        self.add(at, Kind::Work, Body::Facts(Facts { lines, detail }));
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "`fold_session` takes the rest")]
    fn fold_change(&mut self, at: Millis, event: &Event) {
        match event {
            Event::Applied { apply } => self.applied(at, *apply),
            Event::CommandWrote { .. } => self.command_wrote(at, event),
            Event::ApplyFailed { message, .. } => {
                self.mark(at, Mark::Failed, &format!("Not written: {message}"));
            }
            Event::ProposalClosed { proposal, there: true, .. } => {
                let path = self.paths.get(proposal).cloned().unwrap_or_else(|| proposal.to_string());
                self.mark(at, Mark::Done, &already(&path));
            }
            Event::ProposalClosed { proposal, reason, dropped, .. } => {
                let path = self.paths.get(proposal).cloned().unwrap_or_else(|| proposal.to_string());
                let back = self.backs.contains(proposal);
                self.mark(at, Mark::Skipped, &closed(&path, reason, *dropped, back));
            }
            Event::ProposalSetAside { proposal, reason } => {
                let path = self.paths.get(proposal).cloned().unwrap_or_else(|| proposal.to_string());
                self.set_aside(at, path, reason);
            }
            Event::HunkDecided { proposal, hunk, comment: Some(text), .. } if !text.trim().is_empty() => {
                let path = self.paths.get(proposal).cloned().unwrap_or_else(|| proposal.to_string());
                self.mark(at, Mark::Dot, &format!("you to {path}, hunk {}: {}", hunk + 1, text.trim()));
            }
            Event::ProposalTakenUp { proposal, lane } => {
                let path = self.paths.get(proposal).cloned().unwrap_or_else(|| proposal.to_string());
                let how = if lane.is_some() { "goes on with" } else { "back for review:" };
                self.mark(at, Mark::Dot, &format!("{how} {path}"));
            }
            Event::TurnTold { turn, .. } => self.told_to_agent(at, *turn),
            // The notice after it says what became of which files.
            Event::Reverted { .. } => self.reverted = true,
            Event::CommitEnded { made, told, .. } => {
                self.mark(at, if made.is_some() { Mark::Done } else { Mark::Failed }, told);
            }
            Event::RevertFailed { message, .. } => self.mark(at, Mark::Failed, message),
            Event::MoveBlocked { from, to, why, .. } => {
                self.mark(at, Mark::Failed, &format!("stays at {from}, not to {to}: {why}"));
            }
            _ => self.fold_session(at, event),
        }
    }

    /// What a command changed: how much of what, each file a line, and the lines that changed folded below.
    fn command_wrote(&mut self, at: Millis, event: &Event) {
        let Event::CommandWrote { files, count: all, git, diff, spared, .. } = event else { return };
        let files_changed = (*all > 0).then(|| count(*all, "file"));
        let what = files_changed.into_iter().chain(git.iter().cloned()).collect::<Vec<_>>().join(", ");
        let head = Row::of(Mark::Done.sign(), Slot::Ok).and(" ", Slot::Text);
        let head = head.and(&format!("the command changed {what}"), Slot::Text);
        // What is to be left alone is put back at once, and the notice after it says so.
        let hint = if spared.is_empty() { "/undo takes it back" } else { "to be left alone" };
        let mut lines = vec![(head, Row::of(hint, Slot::Faint))];
        for file in files.iter().take(MOST_FILES) {
            lines.push((Row::of("  ", Slot::Text).and(&written(file), Slot::Soft), Row::new()));
        }
        let more = all.saturating_sub(files.len().min(MOST_FILES));
        if more > 0 {
            lines.push((Row::of(&format!("  and {more} more"), Slot::Faint), Row::new()));
        }
        let tail = diff.cut.as_ref().map(|c| format!("\n…\n{}", c.tail)).unwrap_or_default();
        let detail = format!("{}{tail}", diff.head);
        self.add(at, Kind::Work, Body::Facts(Facts { lines, detail }));
    }

    /// What no event tells: a word of the program that has no room elsewhere.
    pub(in crate::pane::conversation) fn told_besides(&mut self, at: Millis, text: &str) {
        self.warn(at, text);
    }

    pub(super) fn task_fact(&mut self, at: Millis, task: TaskId, word: &str) {
        let name = self.plan.as_ref().and_then(|p| title(p, task)).unwrap_or_else(|| task.to_string());
        self.mark(at, Mark::Skipped, &format!("{name}: {word}"));
    }

    /// How a goal ended, with its commands folded below; the user's own command says it itself.
    pub(super) fn goal_ended(&mut self, at: Millis, goal: &GoalSummary) {
        if !self.thought {
            return;
        }
        let (sign, ink) = match goal.status {
            // What was said above it is all that came of it.
            GoalStatus::Completed if goal.ran + goal.called == 0 => ("–", Slot::Soft),
            GoalStatus::Completed => ("✓", Slot::Ok),
            GoalStatus::Failed | GoalStatus::PlannerError => ("✗", Slot::Bad),
            GoalStatus::Cancelled | GoalStatus::Skipped => ("–", Slot::Soft),
            GoalStatus::Refused | GoalStatus::Nothing => ("–", Slot::Warn),
        };
        let text = match (goal.status, goal.ran + goal.called) {
            (GoalStatus::Completed, 0) => "No command was run.".to_owned(),
            _ => goal.line(),
        };
        let left = Row::of(sign, ink).and(" ", Slot::Text).with(coded(&text, Ink::of(Slot::Strong).bold()));
        let right = Row::of(&clock(goal.took.0), Slot::Faint);
        let detail: Vec<String> = goal.attempts.iter().map(attempt).collect();
        let facts = Facts { lines: vec![(left, right)], detail: detail.join("\n") };
        self.add(at, Kind::Card, Body::Facts(facts));
    }

    /// How a run ended, and below it what it came to as the workbench saw it; the agent's words come last.
    pub(super) fn run_completed(
        &mut self,
        at: Millis,
        status: RunStatus,
        summary: &str,
        (files, came_to): (usize, Option<&Completion>),
    ) {
        // What the plan wrote in runs before this one counts as well.
        let cut_off = std::mem::take(&mut self.cut_off);
        let files = match came_to {
            _ if cut_off && files == 0 => {
                "A command was running: what it changed is listed below.".to_owned()
            }
            _ if files == 0 && came_to.is_none_or(|c| c.files.is_empty()) => "No file changed.".to_owned(),
            came_to => format!("{}.", came_to.cloned().unwrap_or_default().wrote(files)),
        };
        // The only file stands above already, with what changed in it: here it is named.
        let only = came_to.and_then(|c| c.files.first().filter(|_| c.files.len() == 1));
        let only = only.filter(|one| self.told.contains(one.path.as_str())).map(|one| one.path.to_string());
        let files = match &only {
            Some(path) => format!("{}: {path}.", files.trim_end_matches('.')),
            None => files,
        };
        let waived = std::mem::take(&mut self.waived).join(", ");
        let red = came_to.is_some_and(|c| !c.red.is_empty() || c.broke.is_some());
        let how = if std::mem::take(&mut self.unproven) || red { "Done" } else { "Complete" };
        let waived = if waived.is_empty() { waived } else { format!(" Not checked: {waived}.") };
        let failed = came_to.map(failed_gates).unwrap_or_default();
        let (sign, ink, text) = match status {
            RunStatus::Completed if !failed.is_empty() => {
                ("–", Slot::Warn, format!("Done. {files}{failed}{waived}"))
            }
            RunStatus::Completed if !waived.is_empty() => ("✓", Slot::Ok, format!("{how}. {files}{waived}")),
            RunStatus::Completed if red => ("✓", Slot::Ok, format!("Done. {files}")),
            RunStatus::Completed => ("✓", Slot::Ok, format!("Complete. {files}")),
            RunStatus::Ended => ("–", Slot::Warn, format!("{} {files}", sentence(summary))),
            RunStatus::Failed if self.is_told(summary) => ("✗", Slot::Bad, format!("Failed. {files}")),
            RunStatus::Failed => ("✗", Slot::Bad, format!("Failed: {} {files}", sentence(summary))),
            RunStatus::Cancelled if matches!(summary, "" | "Stopped." | NOTHING_DONE) => {
                ("–", Slot::Soft, format!("Stopped. {files}"))
            }
            RunStatus::Cancelled => ("–", Slot::Soft, format!("Stopped. {} {files}", sentence(summary))),
            RunStatus::Breakout => ("–", Slot::Soft, summary.to_owned()),
            RunStatus::Manual => {
                ("–", Slot::Soft, format!("Paused for you to fix by hand; the plan is kept. {files}"))
            }
        };
        let left = Row::of(sign, ink).and(" ", Slot::Text).with(coded(&text, Ink::of(Slot::Strong).bold()));
        let mut lines = vec![(left, Row::new())];
        if let Some(came_to) = came_to {
            // Which steps were stopped is told below.
            for key in std::mem::take(&mut self.stopped) {
                self.gone(key);
            }
            let files = if only.is_some() { &[][..] } else { &came_to.files };
            lines.extend(completion(came_to, files, &self.red, self.plan.is_some()));
        }
        self.add(at, Kind::Card, Body::Facts(Facts { lines, detail: String::new() }));
    }
}

/// A text that ends as a sentence does.
fn sentence(text: &str) -> String {
    let text = text.trim_end();
    if text.ends_with(['.', '!', '?']) { text.to_owned() } else { format!("{text}.") }
}

/// The gates that failed and that the user skipped.
fn failed_gates(facts: &Completion) -> String {
    let failed = |g: &&GateFact| g.waived && matches!(g.status, GateStatus::Failed(_));
    let told: Vec<String> =
        facts.gates.iter().filter(failed).map(|g| format!(" {} {}.", g.name, g.word())).collect();
    told.concat()
}

/// The check of the agent that failed and that nothing ran again.
fn not_run_again(line: &str) -> (Row, Row) {
    let left = Row::of("  ", Slot::Text).and("–", Slot::Warn);
    let left = left.and(" a check by the agent failed and was not run again", Slot::Text);
    (left, Row::of(Clean::line(line).as_str(), Slot::Soft))
}

/// The command of the agent that failed last and that nothing answers for.
fn broke(last: &LastRun) -> (Row, Row) {
    let left = Row::of("  ", Slot::Text).and("–", Slot::Warn);
    let left = left.and(&format!(" the agent's last command {}", last.failed()), Slot::Text);
    (left, Row::of(Clean::line(&last.command).as_str(), Slot::Soft))
}

/// What a run came to: files, gates with what they ran, what was not done, what waits, what it cost.
fn completion(
    facts: &Completion,
    files: &[FileTally],
    red: &BTreeSet<String>,
    of_plan: bool,
) -> Vec<(Row, Row)> {
    let soft = |text: &str| Row::of("  ", Slot::Text).with(coded(text, Slot::Soft));
    let mut lines: Vec<(Row, Row)> = Vec::new();
    for file in files.iter().take(MOST_FILES) {
        let name = Clean::line(file.path.as_str());
        let left = Row::of("  ", Slot::Text).and(name.as_str(), Slot::Text);
        lines.push((left, counts(file.added, file.removed)));
    }
    if facts.files.len() > 1 {
        let (added, removed) = facts.lines();
        let more = facts.files.len().saturating_sub(MOST_FILES);
        let left =
            if more > 0 { format!("and {more} more; /changes shows them") } else { "total".to_owned() };
        lines.push((soft(&left), counts(added, removed)));
    }
    lines.extend(facts.left_out.iter().map(|left| (soft(&left.line()), Row::new())));
    lines.extend(passed(&facts.gates));
    for gate in facts.gates.iter().filter(|gate| !is_passed(gate)) {
        let (sign, ink) = match gate.status {
            GateStatus::Passed(_) => ("✓", Slot::Ok),
            GateStatus::Failed(_) => ("✗", Slot::Bad),
            GateStatus::Stale(_) => ("!", Slot::Warn),
            GateStatus::Skipped | GateStatus::Unproven(_) | GateStatus::Pending | GateStatus::Running => {
                ("–", Slot::Warn)
            }
        };
        let pending = matches!(gate.status, GateStatus::Pending | GateStatus::Running);
        let failed = facts.red.contains(&gate.command);
        let was_red = pending && (failed || red.contains(&gate.name));
        let word = if was_red { "failed, not run again".to_owned() } else { gate.word() };
        let left = Row::of("  ", Slot::Text)
            .and(sign, ink)
            .and(&format!(" {} ", gate.name), Slot::Text)
            .with(coded(&word, Slot::Text));
        lines.push((left, Row::of(Clean::line(&gate.command).as_str(), Slot::Soft)));
    }
    let told = |line: &&String| facts.gates.iter().any(|gate| gate.command == **line);
    lines.extend(facts.red.iter().filter(|line| !told(line)).map(|line| not_run_again(line)));
    lines.extend(facts.broke.as_ref().map(broke));
    lines.extend(facts.unchecked().map(|why| (soft(&why), Row::new())));
    lines.extend(facts.idle_steps().map(|idle| (soft(&uncoded(&idle)), Row::new())));
    for step in &facts.left {
        let title = uncoded(&step.title);
        let text = format!("step {} {}: {title}", step.number, step.word());
        lines.push((soft(&text), Row::new()));
    }
    if facts.set_aside > 0 {
        let text = format!("{} set aside; /proposals lists them", count(facts.set_aside, "proposal"));
        lines.push((soft(&text), Row::new()));
    }
    lines.push((bill(facts, of_plan), Row::new()));
    lines
}

/// What it cost; nothing of tokens and cost where no model was asked.
fn bill(facts: &Completion, of_plan: bool) -> Row {
    let mut bill = Row::of(" ", Slot::Text);
    let [tokens, time, cost] = facts.usage.bill(Some(facts.spell()));
    let tokens = (facts.usage.tokens() > 0).then_some(tokens);
    let cost = (facts.usage.tokens() > 0 || facts.usage.cost_micros.is_some()).then_some(cost);
    for (n, (label, value)) in tokens.into_iter().chain([time]).chain(cost).enumerate() {
        if n > 0 {
            bill = bill.and(" ", Slot::Text).and("│", Slot::Faint);
        }
        bill = bill.and(" ", Slot::Text).and(label, Slot::Soft).and(&value, Slot::Soft);
        // Below the plan stands what its planning took as well.
        if of_plan && label.starts_with("Tokens") {
            bill = bill.and(" in this run", Slot::Soft);
        }
    }
    bill
}

/// Whether it is green on the files as they were.
const fn is_passed(gate: &GateFact) -> bool {
    matches!(gate.status, GateStatus::Passed(_))
}

/// The gates that passed, in a row; what each ran and how it ended stands where it did.
fn passed(gates: &[GateFact]) -> Option<(Row, Row)> {
    let names: Vec<&str> =
        gates.iter().filter(|gate| is_passed(gate)).map(|gate| gate.name.as_str()).collect();
    let left = Row::of("  ", Slot::Text).and("✓", Slot::Ok).and(" ", Slot::Text);
    (!names.is_empty()).then(|| (left.and(&format!("{} passed", names.join(", ")), Slot::Text), Row::new()))
}

/// One command of a goal: how it ended, how dangerous it was, what it was.
fn attempt(attempt: &Attempt) -> String {
    let ended = match &attempt.exit {
        None => "not run".to_owned(),
        Some(Exit { timed_out: true, .. }) => "timed out".to_owned(),
        Some(Exit { put_back: true, .. }) => "put back".to_owned(),
        Some(Exit { code: Some(code), .. }) => format!("exit {code}"),
        Some(Exit { signal, .. }) => format!("signal {}", signal.unwrap_or_default()),
    };
    let whose = if attempt.changed { "   changed by you" } else { "" };
    format!("{ended:10} {:7} {}{whose}", attempt.risk.name(), attempt.command)
}

/// That a proposal ended without a write, in words; of what was to go back that the file stays.
pub(crate) fn closed(path: &str, reason: &str, dropped: bool, back: bool) -> String {
    match (reason, dropped) {
        (_, false) if back => format!("left {path} as it is"),
        ("skipped", _) => format!("skipped {path}"),
        (_, true) => format!("discarded {path}: {reason}"),
        (_, false) => format!("left {path}: {reason}"),
    }
}
