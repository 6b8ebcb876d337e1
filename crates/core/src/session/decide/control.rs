//! Control words and slash commands.

use super::{Decided, Draft};
use crate::{
    checkpoint::{Answer, Checkpoint, CheckpointKind},
    event::{Event, Level},
    ids::CheckpointId,
    input::Refusal,
    intent::{
        Control, Phase, SLASH_COMMANDS, Slash, SlashCommand,
        command::{Handler, INIT},
    },
    phase::{Move, Trigger},
    plan::{Pause, Plan},
    proposal::{Proposal, ProposalStatus},
    question::{Exit, Failure},
    scope::PermissionMode,
    session::State,
};

/// What the user lets the agent do at most.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ceiling {
    permission: PermissionMode,
    chat_only: bool,
}

impl Ceiling {
    /// What a mode allows, and not conversation only.
    pub const fn of(permission: PermissionMode) -> Self {
        Self { permission, chat_only: false }
    }
}

/// When a control word acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WordTime {
    Now,
    AfterRun,
}

/// Told where "go on" comes to changes that were left undecided.
const LEFT_AT_REVIEW: &str = "Its changes are still waiting for you: review them, and the plan continues.";

impl State {
    /// Whether what was left waits for the user to look at what it proposed: that comes before anything else of it.
    pub(in crate::session) fn waits_where_it_was_left(&self) -> bool {
        let plan = self.last_plan().filter(|p| p.unfinished());
        // No step goes on with what was to mend a gate: it is looked at, however far its agent was.
        let mends = |p: &Proposal| plan.is_some_and(|plan| self.mends(plan, p));
        let of_it = |p: &Proposal| match (plan, p.task) {
            (Some(plan), Some(task)) => plan.task(task).is_some_and(|t| !t.status.at_rest()),
            (Some(_), None) => mends(p),
            (None, _) => true,
        };
        let left = |p: &Proposal| self.is_through(p.lane) || self.was_shown(p.lane) || mends(p);
        self.open_proposals().filter(|p| left(p) && self.is_to_be_looked_at(p)).any(of_it)
    }

    /// Whether an open proposal is one that the user is to look at; where changes are taken unasked none is.
    fn is_to_be_looked_at(&self, proposal: &Proposal) -> bool {
        let asked = self.permission != PermissionMode::Auto && self.diff_of(proposal.lane).is_some();
        asked && proposal.back.is_none()
    }

    /// Whether changes that were to make a gate of this plan green wait for the user, or are being written: no gate runs on
    /// the files without them.
    pub(super) fn mends_wait(&self, plan: &Plan) -> bool {
        let waits = |p: &Proposal| match p.status {
            ProposalStatus::Open => self.is_to_be_looked_at(p),
            ProposalStatus::Applying(_) => true,
            ProposalStatus::Applied(_)
            | ProposalStatus::There
            | ProposalStatus::Skipped
            | ProposalStatus::Dropped
            | ProposalStatus::SetAside => false,
        };
        self.proposals().values().any(|p| waits(p) && self.mends(plan, p))
    }

    /// Whether a proposal was to make a gate of this plan green.
    pub(super) fn mends(&self, plan: &Plan, proposal: &Proposal) -> bool {
        let of = self.changes.mends(proposal);
        of.is_some_and(|turn| self.work_of(turn) == self.work_of(plan.turn))
    }
}

impl Draft<'_> {
    /// Carries a slash command out.
    pub(super) fn command(&mut self, name: &str, args: &str) -> Decided {
        let Some(command) = SlashCommand::named(name) else { return self.slash_recipe(name, args) };
        if command.handler != Handler::Screen {
            command.check(args).map_err(Refusal::misuse)?;
        }
        let now = Ceiling { permission: self.state.permission, chat_only: self.state.chat_only };
        let read_only = Ceiling { permission: PermissionMode::ReadOnly, ..now };
        let control = match command.does {
            Slash::Proof
            | Slash::Explore
            | Slash::Mode
            | Slash::Reset
            | Slash::Redo
            | Slash::Replan
            | Slash::Abort
            | Slash::Help
            | Slash::Status
            | Slash::Exit => {
                let control = command.control(args);
                control.ok_or_else(|| Refusal::misuse("type /mode proof or /mode explore"))?
            }
            Slash::Retry => return self.retry(),
            Slash::Undo => return self.undo_named(args),
            Slash::Unundo => return self.redo_change(),
            Slash::Chat => return self.set_ceiling(Ceiling { chat_only: true, ..now }),
            Slash::Auto => return self.leave_chat(now),
            Slash::Ask => return self.set_ceiling(Ceiling::of(PermissionMode::Ask)),
            Slash::ReadOnly => return self.set_ceiling(read_only),
            Slash::Agent => return self.forced(args, &format!("/{name} {args}")),
            Slash::Init => return self.forced(INIT, &format!("/{name}")),
            Slash::Plan => return self.plan_command(args),
            Slash::Compact => return self.compact(args),
            Slash::Trust => return self.seek_trust(args),
            Slash::Proposals => return self.proposals(args),
            Slash::Queue => return self.queued(args),
            Slash::Facts => return self.facts(args),
            Slash::Memory => return self.memory(args),
            Slash::Changes => return self.changes(args),
            Slash::Commit => return self.commit(args),
            Slash::Budget => return self.budget(args),
            Slash::Research => return self.research(command.name, args),
            Slash::Depth => return self.set_depth(args),
            Slash::Title => return self.title(args),
            Slash::Model => return self.choose_model(args),
            Slash::Context | Slash::Sources | Slash::Config => Control::Other(command.name.to_owned()),
            Slash::Diff
            | Slash::Approvals
            | Slash::Why
            | Slash::History
            | Slash::Skills
            | Slash::Agents
            | Slash::Kb
            | Slash::Runs
            | Slash::Fork
            | Slash::Worktree
            | Slash::Theme
            | Slash::Connect => {
                return Err(Refusal::misuse(format!("/{} works only on the screen", command.name)));
            }
        };
        self.control(control)
    }

    /// `/agent TEXT`: the text as a task, whatever it sounds like; what was typed stands in the conversation.
    fn forced(&mut self, text: &str, typed: &str) -> Decided {
        let line = format!("@write {text}");
        let reading = self.read(&line);
        let turn = self.begin_turn(typed);
        self.take_message(Some(turn), &line, &reading, crate::ids::Seq(u64::MAX))
    }

    pub(super) fn control(&mut self, control: Control) -> Decided {
        match control {
            Control::ModeSwitch(mode) => {
                if self.time_of(Trigger::ModeSwitch)? == WordTime::AfterRun {
                    self.queue_control(control);
                    return Ok(());
                }
                self.emit(Event::ControlGiven { control });
                let other = self.state.mode != mode;
                self.set_mode(mode);
                if other {
                    self.tell_mode(mode);
                }
            }
            Control::Reset => {
                if self.time_of(Trigger::Reset)? == WordTime::AfterRun {
                    self.queue_control(control);
                    return Ok(());
                }
                return self.start_over();
            }
            Control::Redo => return self.redo(),
            // With what it sets: it waited for the end of a run.
            Control::Other(line) if line.contains(' ') => {
                let (name, args) = line.split_once(' ').unwrap_or((&line, ""));
                return self.command(name, args);
            }
            Control::Help | Control::Status | Control::Other(_) => self.emit(Event::ControlGiven { control }),
            Control::Exit => return self.exit(),
            Control::Cancel => return self.cancel(),
            Control::Replan => return self.replan(),
            Control::Approve => return self.approve_phase(),
            Control::Proceed => return self.proceed(),
        }
        Ok(())
    }

    /// What a setting will be at the end of the run, where that waits.
    pub(super) fn waiting(&self, setting: Slash) -> Option<&str> {
        self.state.queue.control.iter().rev().find_map(|control| set_by(control, setting))
    }

    /// Another value of a setting that waits for the end of the run waits no more.
    pub(super) fn drop_waiting(&mut self, setting: Slash) {
        self.change_queue(|q| q.control.retain(|control| set_by(control, setting).is_none()));
    }

    /// Puts a setting off to the end of the run, if one is under way; whether it did. The last word of it holds.
    pub(super) fn put_off(&mut self, setting: Slash, args: &str) -> Result<bool, Refusal> {
        let waits = self.time_of(Trigger::ModeSwitch)? == WordTime::AfterRun;
        self.drop_waiting(setting);
        if let Some(command) = SLASH_COMMANDS.iter().find(|c| c.does == setting).filter(|_| waits) {
            self.queue_control(Control::Other(format!("{} {args}", command.name)));
        }
        Ok(waits)
    }

    /// When a word has its time: now, or at the end of the run.
    fn time_of(&self, trigger: Trigger) -> Result<WordTime, Refusal> {
        let step = crate::phase::transition(self.state.phase, trigger);
        let step = step.map_err(|e| Refusal::new(e.to_string()))?;
        Ok(if step == Move::QueueControl { WordTime::AfterRun } else { WordTime::Now })
    }

    pub(super) fn exit(&mut self) -> Decided {
        let running = self.go(Trigger::Exit)? == Move::Confirm;
        let question = self.state.phase_question();
        if let Some(asked) = question.filter(|c| c.kind.is_exit()).map(|c| c.id) {
            return self.answer(asked, Answer::Approve, None);
        }
        // A call that waits for its question is told that this came up, and goes on.
        let held = question.filter(|c| c.kind.call().is_none()).cloned().map(Box::new);
        let stake = self.state.at_stake();
        if !running && stake.is_empty() {
            self.emit(Event::ControlGiven { control: Control::Exit });
            return Ok(());
        }
        self.ask(Exit { held, over: false }, Exit::text(running, &stake));
        Ok(())
    }

    /// Starts over, after a question where that would set something aside or forget it.
    fn start_over(&mut self) -> Decided {
        let question = self.state.phase_question();
        if question.is_some_and(|c| c.kind.is_reset()) {
            return Err(Refusal::new("the question whether to start over is already open: y or n"));
        }
        let (stake, lost) = (self.state.at_stake_over(), self.state.lost_over());
        if stake.is_empty() && lost.is_empty() {
            self.emit(Event::ControlGiven { control: Control::Reset });
            self.reset();
            return Ok(());
        }
        let held = question.filter(|c| c.kind.call().is_none()).cloned().map(Box::new);
        let text = Exit::text_over(&stake, &lost);
        self.ask(Exit { held, over: true }, text);
        Ok(())
    }

    fn replan(&mut self) -> Decided {
        if self.state.phase == Phase::Idle {
            let Some(plan) = self.state.suspended.clone() else {
                return Err(Refusal::new("there is no plan to remake"));
            };
            self.emit(Event::ControlGiven { control: Control::Replan });
            return self.route_continue(plan.turn);
        }
        let goal = self.state.failure.as_ref().is_some_and(Failure::has_no_plan);
        let Some(turn) = self.state.subject().filter(|_| !goal) else {
            return Err(Refusal::new("there is no plan to remake"));
        };
        self.emit(Event::ControlGiven { control: Control::Replan });
        self.route_continue(turn)
    }

    /// "Yes" and its kin without a token: approves only what holds the phase.
    fn approve_phase(&mut self) -> Decided {
        let question = self.state.phase_question().map(|c| (c.id, c.kind.is_confirmation()));
        match question {
            Some((id, true)) => self.answer_what_was_seen(id, Answer::Approve),
            Some((_, false)) => Err(Refusal::new("choose one of the answers shown")),
            None => Err(Refusal::new("nothing is waiting for a yes")),
        }
    }

    fn proceed(&mut self) -> Decided {
        let mends = self.state.last_plan().map(|plan| self.mends_aside(plan)).unwrap_or_default();
        match self.state.phase {
            Phase::AwaitingApproval => self.approve_phase(),
            Phase::Failed => self.retry_failed(),
            Phase::Idle if !mends.is_empty() => {
                self.take_up(|p| mends.contains(&p.id))?;
                self.go_on_behind_review();
                Ok(())
            }
            Phase::Idle if self.state.waits_where_it_was_left() => {
                self.go_on_behind_review();
                Ok(())
            }
            Phase::Idle if self.state.last_plan().is_some_and(Plan::unfinished) => self.go_on_with_plan(),
            Phase::Idle if self.state.leaves_message() => self.redo(),
            Phase::Idle => Err(Refusal::new("there is no plan to continue")),
            Phase::Planning => Err(Refusal::new("the plan is not ready yet")),
            Phase::Executing => self.go_on_with_run(),
        }
    }

    /// What was left is looked at first; the plan goes on by itself behind that.
    fn go_on_behind_review(&mut self) {
        self.emit(Event::ControlGiven { control: Control::Proceed });
        self.notice(Level::Info, LEFT_AT_REVIEW);
    }

    /// Goes on with the plan where that was wanted and the changes that it left are decided and written.
    pub(super) fn go_on_once_decided(&mut self) {
        let rests = || self.state.is_at_rest() && !self.state.waits_where_it_was_left();
        if self.state.goes_on && rests() && self.state.last_plan().is_some_and(Plan::unfinished) {
            // With nothing at work there is always a way there.
            drop(self.go_on_with_plan());
        }
    }

    /// "Go on" beside a run: it ends a pause, and lets a gate that failed be run again.
    fn go_on_with_run(&mut self) -> Decided {
        let asked = self.state.phase_question().map(|c| (c.id, c.kind.resumption()));
        match asked {
            Some((id, Some(answer))) => self.answer_what_was_seen(id, answer),
            Some((_, None)) => Err(Refusal::new("choose one of the answers shown")),
            None => {
                let waits = |c: &&Checkpoint| c.kind.call().is_some() || c.kind.review().is_some();
                let waits = self.state.open.values().find(waits).map(|c| c.kind.how());
                Err(Refusal::new(waits.unwrap_or_else(|| "the run is already under way".to_owned())))
            }
        }
    }

    /// Answers in words a question that whoever said them had seen: [`Draft::said`] looked at that.
    fn answer_what_was_seen(&mut self, id: CheckpointId, answer: Answer) -> Decided {
        let shown = self.state.open.get(&id).and_then(|c| c.kind.shown());
        self.answer(id, answer, shown)
    }

    /// "Wait": the run of a plan is held where it comes to its next step.
    pub(super) fn hold(&mut self) -> Decided {
        let Some(plan) = self.state.plan.as_ref().filter(|_| self.state.run.is_some()) else {
            return Err(Refusal::new("what is running has no steps to pause between; `stop` ends it"));
        };
        let waits = self.state.phase_question().is_some_and(|c| matches!(c.kind, CheckpointKind::Paused(_)));
        if waits || plan.pauses_at(Pause::Held) {
            return Err(Refusal::new("it is already paused"));
        }
        self.emit(Event::PauseSet { pause: Pause::Held, on: true });
        self.notice(
            Level::Info,
            "Pausing: what is under way finishes, then the run asks before it continues.",
        );
        Ok(())
    }

    /// `/auto`: not conversation only any more.
    fn leave_chat(&mut self, now: Ceiling) -> Decided {
        if now.chat_only {
            return self.set_ceiling(Ceiling { chat_only: false, ..now });
        }
        let badge = now.permission.badge();
        let why = format!("conversation-only is already off; the ceiling is {badge}, Shift-Tab changes it");
        Err(Refusal::new(why))
    }

    pub(super) fn set_ceiling(&mut self, ceiling: Ceiling) -> Decided {
        let Ceiling { permission, chat_only } = ceiling;
        if permission == self.state.permission && chat_only == self.state.chat_only {
            return Err(Refusal::new(format!("the ceiling is already {}", permission.badge())));
        }
        if let Some(why) = self.under.policy.exposed().filter(|_| permission == PermissionMode::Auto) {
            return Err(Refusal::new(format!(
                "auto is not available in this folder: {why}; open a narrower one for that"
            )));
        }
        let could = self.may_run();
        self.emit(Event::PermissionChanged { permission, chat_only });
        self.end_dead_calls();
        if could && !self.may_run() && self.state.run.is_some() {
            let waits = "Read-only: what runs waits before it changes or runs anything.";
            self.notice(Level::Warn, format!("{waits} Shift-Tab or /ask lets it go on."));
        }
        Ok(())
    }
}

/// What a control word that waits sets this setting to, if it does.
fn set_by(control: &Control, setting: Slash) -> Option<&str> {
    let Control::Other(line) = control else { return None };
    let (name, args) = line.split_once(' ')?;
    SLASH_COMMANDS.iter().any(|c| c.does == setting && c.name == name).then_some(args)
}
