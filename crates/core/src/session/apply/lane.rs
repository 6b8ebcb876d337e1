//! Lanes folded into the state: opened, on their way, thinking, closed.

use std::sync::Arc;

use crate::{
    blob::Excerpt,
    event::Event,
    ids::{CallId, LaneId, Seq, TurnId},
    intent::Control,
    session::{
        Lane, LaneKind, State, Talk,
        lane::LaneScope,
        state::{Ended, HEAD_CHARS},
    },
    talk::{Fault, FaultKind},
};

/// So much of the end of an answer is kept, in bytes.
const END_BYTES: usize = 4 * 1024;

impl State {
    #[expect(clippy::wildcard_enum_match_arm, reason = "`fold` names every event; this takes its share")]
    pub(super) fn fold_lane(&mut self, seq: Seq, event: &Event) {
        match event {
            Event::LaneOpened { lane, kind, turn, node, ceiling, fixed } => {
                self.saw(lane.0);
                // A run that goes on beside it answers nothing.
                if matches!(kind, LaneKind::Answer | LaneKind::Planning | LaneKind::Goal | LaneKind::Pipeline)
                {
                    (self.failed_answer, self.cut_short) = (None, None);
                    let typed = self.turns.get(turn).is_some_and(|t| t.command().is_some());
                    self.ended = self.ended.filter(|_| typed);
                }
                let scope = LaneScope { node: *node, ceiling: *ceiling, fixed: *fixed };
                let mut lane = Lane::opened(*lane, *kind, *turn, scope, self.at);
                lane.seen.clone_from(&self.seen);
                lane.parts.clone_from(&self.parts);
                if lane.kind == LaneKind::Goal {
                    self.begin_goal();
                }
                self.lanes.insert(lane.id, lane);
            }
            Event::LaneClosed { lane } => {
                if let Some(lane) = self.lanes.remove(lane) {
                    self.leaves_running(&lane);
                    self.lane_closed(&lane);
                }
            }
            Event::LaneNudged { lane, answer, .. } => self.nudged(*lane, seq, *answer),
            Event::LaneHeld { lane } => self.thinks(*lane, None),
            Event::NodeTransition { lane, to, approval, .. } => {
                self.saw(approval.map_or(0, |a| a.0));
                if let Some(lane) = self.lanes.get_mut(lane) {
                    lane.node = *to;
                    lane.epoch += 1;
                    lane.moves.drain(..usize::from(lane.moves.first().is_some_and(|m| m.to == *to)));
                }
            }
            Event::ThinkingStarted { call, lane } => {
                self.saw(call.0);
                self.accounts.spent.calls += 1;
                self.thinks(*lane, Some(*call));
            }
            Event::MessageCompleted {
                lane, call, calls, usage, intermediate, text, finish, model, ..
            } => {
                self.accounts.answered_by(model);
                self.spent_by(*lane, usage);
                self.cut.remove(call);
                if !*intermediate {
                    self.spoke(seq, *lane, text);
                }
                self.saw(calls.iter().map(|c| c.call.0).max().unwrap_or(0));
                let at = self.at;
                if let Some(lane) = self.lanes.get_mut(lane) {
                    lane.replied(seq, (text, calls, *finish), at);
                }
                self.charge_parent(*lane, usage);
            }
            Event::ThinkingFailed { lane, call, fault } => self.thinking_failed(*lane, *call, fault),
            _ => {}
        }
    }

    /// What stays of a line of work that came to its end.
    fn lane_closed(&mut self, lane: &Lane) {
        if self.cuts_short(lane) && !self.has_own_run(lane) {
            self.cut_short = Some(lane.turn);
        }
        self.ended = self.ended_by(lane).or(self.ended);
        if matches!(lane.kind, LaneKind::Task(_) | LaneKind::Repair(_)) {
            self.asked_last = lane.closing.as_ref().map(|closing| closing.question.clone());
        }
        if let Some(task) = lane.kind.task().filter(|_| lane.needless.is_some()) {
            self.set_unchanged(task, self.changed_nothing(lane, task));
        }
        self.leaves_behind(lane);
        // Nobody waits for the rest of a sub-agent's words.
        if let Some(call) = lane.thinking.filter(|_| lane.kind.parent().is_none()) {
            self.cut.insert(call, (lane.turn, lane.id));
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "a goal that ended was done or failed")]
    /// What a line of work that ends leaves of its message, where that has no plan: one that was stopped is told apart, and
    /// a command that the user typed is none.
    fn ended_by(&self, lane: &Lane) -> Option<Ended> {
        let plans = [&self.plan, &self.suspended].into_iter().flatten();
        let planned = plans.chain(&self.earlier).chain(self.former.iter()).any(|plan| plan.turn == lane.turn);
        let left = matches!(lane.kind, LaneKind::Answer | LaneKind::Planning | LaneKind::Goal);
        if !left || planned || lane.rounds == 0 || self.cuts_short(lane) {
            return None;
        }
        let nothing = match lane.kind {
            LaneKind::Answer => !matches!(lane.talk.last(), Some(Talk::Reply(_))),
            LaneKind::Planning => {
                let answered = lane.spoke && self.is_answered_in_words(lane.turn);
                !lane.gave_up && !answered
            }
            _ => false,
        };
        Some(Ended { turn: lane.turn, nothing })
    }

    /// Whether the last message got no answer or plan, for that was stopped.
    pub(crate) fn was_cut_short(&self) -> bool {
        self.cut_short.is_some()
    }

    /// Whether the planning or the run of this message failed last.
    pub(crate) fn has_failed(&self, turn: TurnId) -> bool {
        self.failed == Some(turn)
    }

    /// Whether the end of a lane leaves its message without an answer or a plan: one that came to its end neither thinks nor
    /// waits for a call.
    pub(super) fn cuts_short(&self, lane: &Lane) -> bool {
        let planned = || self.plan.as_ref().is_some_and(|plan| plan.turn == lane.turn);
        let works = lane.thinking.is_some() || lane.held || !lane.calls.is_empty();
        works && (lane.kind == LaneKind::Answer || (lane.kind == LaneKind::Planning && !planned()))
    }

    /// An answer is whole: its beginning is kept for what refers to it, and how the main line's ends, or
    /// that of a question beside it.
    fn spoke(&mut self, seq: Seq, lane: LaneId, text: &Excerpt) {
        self.history.push(seq);
        self.keep(seq, false, text.head.chars().take(HEAD_CHARS).collect());
        let answers = self.lanes.get(&lane).is_some_and(|l| l.kind == LaneKind::Answer);
        if answers || !self.transcript.is_beside(lane) {
            let end = text.cut.as_ref().map_or(&text.head, |cut| &cut.tail);
            let from = end.ceil_char_boundary(end.len().saturating_sub(END_BYTES));
            end.get(from..).unwrap_or_default().clone_into(&mut self.last_word);
            self.last_word_at = seq;
        }
    }

    /// What a line of work that ends had proposed, and whether that was being looked at.
    pub(super) fn leaves_behind(&mut self, lane: &Lane) {
        let shown = self.diff_of(lane.id).is_some();
        Arc::make_mut(&mut self.changes).lane_ends(lane, shown);
    }

    fn thinking_failed(&mut self, lane: LaneId, call: CallId, fault: &Fault) {
        self.cut.remove(&call);
        let own_run = self.lanes.get(&lane).is_some_and(|l| self.has_own_run(l));
        let Some(lane) = self.lanes.get_mut(&lane) else { return };
        lane.thinking = None;
        if lane.kind == LaneKind::Planning {
            self.failed = Some(lane.turn);
        } else if lane.kind == LaneKind::Answer && !own_run {
            let stopped = fault.kind == FaultKind::Cancelled;
            let last = if stopped { &mut self.cut_short } else { &mut self.failed_answer };
            *last = Some(lane.turn);
        }
    }

    /// A lane's model is asked; without a call it waits until it may be.
    fn thinks(&mut self, lane: LaneId, call: Option<CallId>) {
        let Some(lane) = self.lanes.get_mut(&lane) else { return };
        lane.held = call.is_none();
        if call.is_some() {
            lane.thinking = call;
            (lane.addressed, lane.unread) = (false, false);
            lane.rounds += 1;
        }
    }

    /// Whether the last message got no answer because its model failed.
    pub(super) fn note_answer(&mut self, event: &Event) {
        if let Event::ThinkingFailed { fault, .. } = event {
            self.unanswered = Some(fault.message.clone());
        } else if matches!(event, Event::MessageCompleted { .. } | Event::TurnStarted { .. }) {
            (self.unanswered, self.stopped_after, self.typed_ended) = (None, None, None);
        }
        // From here on the words that take up what was left mean the plan.
        let reset = matches!(event, Event::ControlGiven { control: Control::Reset });
        if reset || matches!(event, Event::PlanShelved { .. }) {
            (self.failed_answer, self.cut_short, self.ended) = (None, None, None);
        }
        // What the record or known facts answered was asked all the same.
        if let Event::FactsAnswered { turn, text, .. } = event
            && !text.is_empty()
        {
            (self.failed_answer, self.cut_short) = (None, None);
            self.ended = Some(Ended { turn: *turn, nothing: false });
        }
    }

    fn nudged(&mut self, lane: LaneId, seq: Seq, answer: bool) {
        if let Some(lane) = self.lanes.get_mut(&lane) {
            lane.nudged = !answer;
            if answer {
                lane.repeats.forget();
            }
            // What it asked is answered: it is not asked again before its model does.
            lane.closing = lane.closing.take().filter(|_| !answer);
            lane.talk.push(Talk::Nudge(seq));
        }
    }
}
