//! Opening a session: the first time, and again after a process ended.

use std::collections::BTreeSet;

use super::{Decided, Draft};
use crate::{
    event::{Event, Level},
    hook::Hold,
    ids::{ApplyId, CallId, LaneId, ProposalId},
    input::{Fork, Found, Opening, Refusal},
    money::count,
    plan::Plan,
    policy::{Origin, Rule},
    proposal::Proposal,
    question::Review,
    sandbox::Sandbox,
    scope::PermissionMode,
    session::{ApplyStatus, state::CommitStage},
    tool::Tool,
};

/// Most of what was allowed for a session that is named when that is over.
const MOST_NAMED: usize = 3;

/// Told of a folder that holds too much to be saved before a command.
const UNSAVED: &str = " What commands change is not saved first, so /undo cannot take it back.";

impl Draft<'_> {
    pub(super) fn open(&mut self, opening: Opening) -> Decided {
        if self.state.seq.0 == 0 {
            self.open_first(opening);
            return Ok(());
        }
        if opening.slug != self.state.slug {
            return Err(Refusal::new(format!(
                "the log is of session {}, not {}",
                self.state.slug, opening.slug
            )));
        }
        self.open_again(opening);
        Ok(())
    }

    fn open_first(&mut self, opening: Opening) {
        self.emit(Event::SessionOpened {
            slug: opening.slug,
            folder: opening.folder,
            version: opening.version,
            mode: opening.mode.unwrap_or_default(),
            mode_said: opening.mode.is_some(),
            permission: self.under.policy.ceiling(opening.permission.unwrap_or_default()),
            sandbox: Some(opening.sandbox),
        });
        self.tell_folder();
        self.tell_sandbox();
        self.trust_as(opening.standing);
        self.hooks_of_session();
    }

    pub(super) fn fork(&mut self, fork: Fork) -> Decided {
        if self.state.seq.0 == 0 {
            return Err(Refusal::new("there is nothing in it to go on from"));
        }
        let Fork { slug, folder, imported } = fork;
        let from = self.state.slug.clone();
        self.emit(Event::SessionForked { from, slug, folder, imported });
        Ok(())
    }

    fn open_again(&mut self, opening: Opening) {
        let lost = self.open_commands();
        let asked = self.open_notes();
        let writes = self.open_writes(&opening);
        let steps: Vec<LaneId> = self.state.run_lanes().map(|l| l.id).collect();
        let interrupted = self
            .state
            .lanes
            .values()
            .flat_map(|l| l.thinking.into_iter().chain(l.calls.iter().map(|c| c.call)))
            .filter(|c| !lost.contains(c))
            .collect();
        let unheard: Vec<String> = self
            .state
            .pending_messages
            .iter()
            .filter_map(|h| self.state.turns.get(&h.turn))
            .map(|t| t.head.clone())
            .collect();
        let committing = matches!(self.state.committing, Some((_, CommitStage::Make { .. })));
        let standing = opening.permission.unwrap_or(self.state.permission);
        let ceiling = self.under.policy.ceiling(standing);
        let permission = if ceiling == standing { opening.permission } else { Some(ceiling) };
        let sandbox = Some(opening.sandbox);
        let forgotten = self.forgotten();
        self.reopen((opening.version, interrupted), permission, sandbox);
        if let Some(text) = forgotten {
            self.notice(Level::Info, text);
        }
        self.tell_folder();
        self.tell_sandbox();
        self.close_servers();
        self.trust_as(opening.standing);
        for head in unheard {
            let text = format!("Not acted on, because the program ended before it was understood: {head}");
            self.notice(Level::Warn, text);
        }
        if committing {
            let text = "A commit was being made when the program ended; `git log` says whether it is there.";
            self.notice(Level::Warn, text);
        }
        for call in lost {
            let found = "the command was running when the program ended; it was not run again".into();
            self.emit(Event::CallLost { call: Some(call), apply: None, found });
        }
        for (apply, status, found) in writes {
            self.settle_write(apply, status, found);
        }
        // What was written is done, though the program ended before that was said.
        for lane in steps {
            if self.state.proposals_of(lane).next().is_none() {
                self.finish_left_task(lane);
            }
        }
        self.offer_what_was_open();
        self.offer_answer();
        self.offer_pipeline();
        for note in asked {
            self.offer_note(note);
        }
        self.hooks_of_session();
    }

    /// What the user allowed for the session alone, where that is over.
    fn forgotten(&self) -> Option<String> {
        let kept = |rule: &Rule| self.under.policy.rules().iter().any(|r| r.to_string() == rule.to_string());
        let given = self.state.granted.iter().filter(|r| r.origin == Origin::SESSION && !kept(r));
        let texts: Vec<String> = given.map(Rule::to_string).collect();
        let named =
            texts.iter().take(MOST_NAMED).map(|t| t.trim_end_matches(" $").trim_start_matches("allow "));
        let named: Vec<&str> = named.collect();
        let more = match texts.len() - named.len() {
            0 => String::new(),
            n => format!(" and {n} more"),
        };
        let asks = if texts.len() == 1 { "It asks again." } else { "They ask again." };
        (!texts.is_empty()).then(|| {
            format!("What you allowed for the session ended with it: {}{more}. {asks}", named.join(", "))
        })
    }

    /// Says so where the folder is more than a project.
    fn tell_folder(&mut self) {
        if let Some(why) = self.under.policy.exposed() {
            let places = self.under.policy.places();
            let folder = places.root.clone();
            let unsaved = places.boundless().map_or("", |_| UNSAVED);
            let text = format!(
                "{folder} is not an ordinary project: {why}. Nothing is written or run here without asking, in any mode or by any rule.{unsaved} Open a narrower folder."
            );
            self.notice(Level::Warn, text);
        }
    }

    /// It is opened again, and on which branch where that is another than it was left on.
    fn reopen(
        &mut self,
        (version, interrupted): (String, Vec<CallId>),
        permission: Option<PermissionMode>,
        sandbox: Option<Sandbox>,
    ) {
        let run = self.state.run.as_ref().map(|r| r.id);
        let branch = self.under.branch.clone();
        let left_on = self.state.branch.clone().filter(|was| branch.as_ref().is_some_and(|now| now != was));
        let moved = left_on.clone().zip(branch.clone());
        self.emit(Event::SessionReopened { version, interrupted, run, permission, sandbox, branch, left_on });
        if let Some((was, now)) = moved {
            let text = format!("The branch is now {now}; it was {was} when you left this session.");
            self.notice(Level::Warn, text);
        }
    }

    /// Says so where commands cannot be held.
    fn tell_sandbox(&mut self) {
        if self.state.sandbox.backend.is_none() {
            let why = self.state.sandbox.notes.join("; ");
            self.notice(
                Level::Warn,
                format!("There is no sandbox: every command asks. {why}").trim().to_owned(),
            );
        } else if self.state.sandbox.metadata_open {
            let text = "The sandbox here cannot protect modes, owners and times of files outside the workspace: every command that writes asks. `pilothouse doctor` says why.";
            self.notice(Level::Warn, text.to_owned());
        }
    }

    fn open_commands(&self) -> Vec<CallId> {
        let calls = self.state.lanes.values().flat_map(|l| &l.calls);
        // What still waited for a hook had not begun.
        let began = |call| !self.state.is_held(Hold::Call(call));
        let calls = calls.filter(|c| c.allowed.is_some() && c.tool == Some(Tool::Run)).map(|c| c.call);
        calls.filter(|c| began(*c)).collect()
    }

    fn open_writes(&self, opening: &Opening) -> Vec<(ApplyId, ApplyStatus, Found)> {
        let found = |id| opening.found.iter().find(|(a, _)| *a == id).map_or(Found::Mixed, |(_, f)| *f);
        self.state
            .applies()
            .values()
            .filter(|a| a.status.is_open())
            .map(|a| (a.id, a.status, found(a.id)))
            .collect()
    }

    fn settle_write(&mut self, apply: ApplyId, status: ApplyStatus, found: Found) {
        let redo = matches!(status, ApplyStatus::Reverting { redo: true });
        let forward = !matches!(status, ApplyStatus::Reverting { redo: false });
        let writing = matches!(status, ApplyStatus::Writing);
        let done = found == if forward { Found::After } else { Found::Before };
        let untouched = found == if forward { Found::Before } else { Found::After };
        if done {
            self.emit(if writing {
                Event::Applied { apply }
            } else {
                Event::Reverted { apply, redo, already: false }
            });
            if writing {
                self.written(apply);
            }
            self.notice(
                Level::Info,
                "A change was being written when the program ended; it is complete on disk.",
            );
        } else if untouched {
            let message = "the program ended before anything was written".to_owned();
            self.emit(if writing {
                Event::ApplyFailed { apply, message, stale: false }
            } else {
                Event::RevertFailed { apply, redo, message }
            });
            self.told_not_put_back(apply);
            self.notice(
                Level::Warn,
                "A change was about to be written when the program ended; no file was touched.",
            );
        } else {
            let files: Vec<String> = self
                .state
                .applies()
                .get(&apply)
                .into_iter()
                .flat_map(|a| &a.files)
                .map(|f| f.path.to_string())
                .collect();
            let found = format!(
                "when the program ended some files were written and some not, or they have changed since: {}",
                files.join(", ")
            );
            self.emit(Event::CallLost { call: None, apply: Some(apply), found: found.clone() });
            let take = self.state.applies().get(&apply).map(|a| a.take.clone()).unwrap_or_default();
            for (proposal, _) in take.into_iter().filter(|_| writing) {
                let reason = "its writing was interrupted".to_owned();
                self.emit(Event::ProposalClosed { proposal, reason, dropped: true, there: false });
            }
            self.notice(
                Level::Error,
                format!("A change was interrupted: {found}. Their old contents are kept; please check them."),
            );
        }
    }

    /// Says so where a message has no answer, for the program ended before it came.
    fn offer_answer(&mut self) {
        let turn = self.state.answer_to_redo().filter(|_| self.state.unanswered.is_some());
        if let Some(said) = turn.and_then(|turn| self.state.turns.get(&turn)).map(|t| t.headline()) {
            let text = format!("\"{said}\" was not answered when the program ended; `/retry` asks it again.");
            self.notice(Level::Info, text);
        }
    }

    /// Proposals that were staged can still be decided; a plan that was under way is offered.
    fn offer_what_was_open(&mut self) {
        let lanes: BTreeSet<LaneId> = self.state.open_proposals().map(|p| p.lane).collect();
        for lane in lanes {
            let proposals: Vec<ProposalId> = self.state.proposals_of(lane).map(|p| p.id).collect();
            let of_step = self.state.proposals_of(lane).any(|p| p.task.is_some());
            let cut_off = of_step && !self.state.is_through(lane) && self.state.suspended.is_some();
            let more = if cut_off { " Their step was still running: `/redo` continues it." } else { "" };
            let files = count(proposals.len(), "file");
            self.ask(
                Review { lane, proposals },
                format!("Changes to {files} were waiting when you left the session.{more}"),
            );
        }
        // What a step goes on with is told with its plan, and once.
        let plan = self.state.suspended.as_ref().filter(|p| p.unfinished());
        let with_plan = |p: &&Proposal| {
            let task = p.task.and_then(|id| plan?.task(id));
            task.is_some_and(|task| !task.status.at_rest())
        };
        let of_plan = self.state.set_aside().filter(with_plan).count();
        let aside = self.state.set_aside().count() - of_plan;
        if aside > 0 {
            let s = if aside == 1 { " is" } else { "s are" };
            self.notice(Level::Info, format!("{aside} proposal{s} set aside; /proposals lists them."));
        }
        if let Some(text) = self.state.suspended.as_ref().and_then(Plan::offer) {
            let with = match of_plan {
                0 => String::new(),
                1 => " 1 proposal is set aside with it.".to_owned(),
                n => format!(" {n} proposals are set aside with it."),
            };
            let first = if self.state.waits_where_it_was_left() {
                " Review the waiting changes first, then say go on."
            } else {
                ""
            };
            self.notice(Level::Info, format!("{text}{with}{first}"));
        }
    }
}
