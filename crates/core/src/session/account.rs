//! The account: what a session did, told from its own record to the user who asks.
//!
//! Owns the words. Tells only what events folded in, so no model is asked, and an answer is never a guess.

use std::fmt::Write;

use crate::{
    digest,
    event::{Event, RunStatus},
    fact::FactSource,
    intent::{RecordQuestion, Recorded},
    plan::{Gate, GateStatus, failed_and_skipped},
    proposal::{Proposal, ProposalStatus},
    session::{Apply, Lane, LaneKind, State},
    tool::ChangeKind,
};

/// Most lines of an account.
const MOST_LINES: usize = 30;
/// Bytes of a line beside its path, about.
const LINE_BYTES: usize = 64;
/// Most bytes of what went wrong.
const MISHAP_BYTES: usize = 2 * 1024;

impl State {
    /// What the record says to a question; `None` where it says nothing to it.
    pub(super) fn account(&self, asked: &RecordQuestion, closely: bool) -> Option<String> {
        let closely = closely || asked.closely;
        // One line more tells that there are more; the rest is not put into words.
        let lines: Box<dyn Iterator<Item = String>> = match asked.about {
            Recorded::Changes => Box::new(self.changed(asked, closely)),
            Recorded::Left => Box::new(self.left(asked, closely)),
            Recorded::Failure => {
                let failed = self.mishap.iter().flat_map(|m| m.lines()).map(str::to_owned);
                Box::new(failed.chain(self.stages_before()))
            }
            Recorded::Gates => Box::new(self.gates().into_iter()),
            Recorded::Commands => Box::new(self.commands().into_iter()),
            // That is told by [`State::recap`].
            Recorded::Thread => Box::new(std::iter::empty()),
            Recorded::All => {
                let done = self.changed(asked, closely).chain(self.left(asked, closely));
                let failed =
                    self.mishap.iter().map(|m| format!("failed: {}", m.lines().next().unwrap_or_default()));
                let failed = failed.chain(self.stages_before());
                Box::new(done.chain(self.gates()).chain(self.commands()).chain(failed))
            }
        };
        let mut lines: Vec<String> = lines.take(MOST_LINES + 1).collect();
        let none = match asked.about {
            Recorded::Changes => "no file was changed in this session",
            Recorded::Left => "nothing that was proposed was left",
            Recorded::Failure | Recorded::Gates | Recorded::Commands | Recorded::All | Recorded::Thread => "",
        };
        if lines.is_empty() {
            return (asked.of_us && !none.is_empty() && asked.names.is_empty()).then(|| none.to_owned());
        }
        if lines.len() > MOST_LINES {
            lines.truncate(MOST_LINES);
            lines.push("… and more; /changes and the log have all of it".to_owned());
        }
        Some(lines.join("\n"))
    }

    fn changed<'a>(&'a self, asked: &'a RecordQuestion, closely: bool) -> impl Iterator<Item = String> + 'a {
        let of = |id| self.applies().get(id);
        let written =
            self.ledger().iter().filter_map(of).flat_map(move |a| self.told_write(a, asked, closely));
        let undone = self.undone().iter().filter_map(of).flat_map(|a| &a.files);
        let undone = undone.filter(|f| is_meant(asked, f.path.as_str()));
        let waits = self.open_proposals().filter(|p| is_meant(asked, p.path.as_str()));
        written
            .chain(undone.map(|f| format!("taken back: {}", f.path)))
            .chain(waits.map(|p| format!("waiting for you, not written: {}", p.path)))
    }

    /// The stages that a pipeline which could not go on had done.
    fn stages_before(&self) -> Option<String> {
        let state = self.pipeline.as_ref().map(|p| &p.state).filter(|s| s.error().is_some())?;
        let done = state.stage_outputs().into_iter().filter(|(_, _, skipped)| !skipped);
        let names: Vec<String> = done.filter_map(|(n, ..)| Some(state.stage(n)?.shown())).collect();
        let agent = state.beginning().map_or("", |b| b.agent.as_str());
        (!names.is_empty()).then(|| format!("done earlier by {agent}: {}", names.join(", ")))
    }

    fn told_write(&self, apply: &Apply, asked: &RecordQuestion, closely: bool) -> Vec<String> {
        let mut lines = Vec::new();
        for file in apply.files.iter().filter(|f| is_meant(asked, f.path.as_str())) {
            let what = match file.kind {
                ChangeKind::Create => "wrote",
                ChangeKind::Modify => "edited",
                ChangeKind::Delete => "removed",
            };
            let of = self.proposals().get(&file.proposal);
            let taken = apply.take.iter().find(|t| t.0 == file.proposal).map(|t| &t.1);
            let mut line = String::with_capacity(file.path.as_str().len() + LINE_BYTES);
            // Writing into a text cannot fail.
            let _ = write!(line, "{what} {} (+{} -{})", file.path, file.added, file.removed);
            if let Some((p, taken)) = of.zip(taken).filter(|(p, taken)| taken.len() < p.hunks.len()) {
                let _ = write!(line, ", {} of {} hunks", taken.len(), p.hunks.len());
            }
            if self.transcript.was_edited(file.proposal) {
                line.push_str(", as you edited it");
            }
            lines.push(line);
            let hunks = of.filter(|_| closely).into_iter().flat_map(|p| p.hunks.iter().enumerate());
            let mine = hunks.filter(|(n, _)| taken.is_none_or(|t| t.contains(n)));
            lines.extend(mine.map(|(n, h)| format!("  hunk {}: {}", n + 1, h.place())));
        }
        lines
    }

    /// What the user did not take, hunk by hunk.
    fn left<'a>(&'a self, asked: &'a RecordQuestion, closely: bool) -> impl Iterator<Item = String> + 'a {
        let mine = self.proposals().values().filter(|p| is_meant(asked, p.path.as_str()));
        mine.flat_map(move |p| self.left_of(p, closely))
    }

    fn left_of(&self, proposal: &Proposal, closely: bool) -> Vec<String> {
        let path = &proposal.path;
        let said = |n: usize| {
            let said = self.transcript.comment(proposal.id, n);
            said.map_or_else(String::new, |text| format!(": \"{text}\""))
        };
        match proposal.status {
            ProposalStatus::Skipped => {
                let places: Vec<String> = proposal.hunks.iter().map(crate::diff::Hunk::place).collect();
                let places = if closely { format!(" ({})", places.join("; ")) } else { String::new() };
                let said: String = (0..proposal.hunks.len()).map(said).collect();
                vec![format!("left: all of {path}{places}{said}")]
            }
            ProposalStatus::SetAside => vec![format!("set aside, undecided: {path}; /proposals lists it")],
            ProposalStatus::Applied(apply) => {
                let taken =
                    self.applies().get(&apply).and_then(|a| a.take.iter().find(|t| t.0 == proposal.id));
                let open = self.open_proposals().any(|p| p.path == *path);
                let left = proposal.hunks.iter().enumerate();
                let left = left.filter(|(n, _)| taken.is_some_and(|t| !t.1.contains(n)));
                let word = if open { "left or undecided" } else { "left" };
                let tell = |(n, hunk): (usize, &crate::diff::Hunk)| {
                    format!("{word}: {path} hunk {} ({}){}", n + 1, hunk.place(), said(n))
                };
                left.map(tell).collect()
            }
            ProposalStatus::Open
            | ProposalStatus::Applying(_)
            | ProposalStatus::There
            | ProposalStatus::Dropped => Vec::new(),
        }
    }

    /// How the gates of the last plan stand that were run or left out.
    pub(super) fn gates_seen(&self) -> Vec<String> {
        self.gates_where(|g| !matches!(g.status, GateStatus::Pending | GateStatus::Running))
    }

    fn gates(&self) -> Vec<String> {
        self.gates_where(|_| true)
    }

    fn gates_where(&self, holds: impl Fn(&Gate) -> bool) -> Vec<String> {
        let plan = self.plan.as_ref().or(self.suspended.as_ref());
        let tell = |g: &Gate| {
            let how = match g.status {
                GateStatus::Pending => "has not run yet",
                GateStatus::Running => "is running",
                GateStatus::Passed(_) => "green",
                GateStatus::Failed(_) if g.waived => {
                    return format!("gate {}: {} (`{}`)", g.name, failed_and_skipped(g.exit), g.command);
                }
                GateStatus::Failed(_) => "red",
                GateStatus::Stale(_) => "was green; files have changed since",
                GateStatus::Skipped => "skipped by the user",
                GateStatus::Unproven(why) => {
                    return format!("gate {}: {} (`{}`)", g.name, why.told(), g.command);
                }
            };
            format!("gate {}: {how} (`{}`)", g.name, g.command)
        };
        plan.iter().flat_map(|p| &p.gates).filter(|g| holds(g)).map(tell).collect()
    }

    /// Commands with how each ended, the oldest first.
    fn commands(&self) -> Vec<String> {
        let ran = |f: &&crate::fact::Fact| matches!(&f.source, FactSource::Command { command, text, .. } if text.is_empty() && *command == f.name);
        let mut all: Vec<&crate::fact::Fact> = self.facts.iter().filter(ran).collect();
        all.sort_by_key(|f| f.at);
        all.into_iter().map(|f| format!("ran `{}`: it {}", f.name, f.value)).collect()
    }

    /// Notes what went wrong, before the event is folded.
    #[expect(clippy::wildcard_enum_match_arm, reason = "only what failed or ended well is looked at")]
    pub(super) fn note_mishap(&mut self, event: &Event) {
        let said = match event {
            Event::GateFailed { gate, proof, .. } => {
                let name = self.plan.as_ref().and_then(|p| p.gate(*gate)).map_or("", |g| g.name.as_str());
                let how = proof.exit.words();
                format!(
                    "the gate {name} is red: `{}` {how}\n{}",
                    proof.command,
                    digest::end(&proof.diagnostics)
                )
            }
            Event::TaskFailed { task, message, .. } => {
                let title = self.plan.as_ref().and_then(|p| p.task(*task)).map_or("", |t| t.title.as_str());
                format!("the step \"{title}\" failed: {message}")
            }
            Event::ApplyFailed { message, .. } => format!("nothing was written: {message}"),
            Event::ThinkingFailed { fault, .. } if fault.kind != crate::talk::FaultKind::Cancelled => {
                format!("the model did not answer: {} {}", fault.message, fault.hint)
            }
            Event::RunCompleted { status: RunStatus::Failed, summary, goal: None, .. }
                if self.mishap.is_none() =>
            {
                format!("the run failed: {summary}")
            }
            Event::RunCompleted { status: RunStatus::Completed, .. } => return self.mishap = None,
            // What a command of somebody else said is the model's to read.
            Event::CommandExited { call, exit, .. } if !exit.ok() => {
                let agents = |(lane, _): (&Lane, _)| !matches!(lane.kind, LaneKind::Gate(_));
                if self.open_call(*call).is_some_and(agents) {
                    self.mishap = None;
                }
                return;
            }
            _ => return,
        };
        let end = said.floor_char_boundary(MISHAP_BYTES);
        self.mishap = Some(said.get(..end).unwrap_or_default().trim_end().to_owned());
    }
}

/// Whether a path is one that the question names; any is, where it names none.
fn is_meant(asked: &RecordQuestion, path: &str) -> bool {
    let named = |name: &String| path == name || path.ends_with(&format!("/{name}"));
    asked.names.is_empty() || asked.names.iter().any(named)
}
