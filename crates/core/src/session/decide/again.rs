//! Asking again: `/retry` takes the last message up, `/redo` the last plan, "go on" what came to nothing.
//!
//! Owns which of them is meant. What is asked again goes the whole way of a new message: it is planned, asked about and
//! reviewed as if it had just been said.

use super::{Decided, Draft};
use crate::{
    event::{Event, Level},
    ids::TurnId,
    input::Refusal,
    intent::{Control, Phase, Reading, Slash, Turn},
    scope::ToolScope,
    session::{State, TurnInfo, What},
    work::Work,
};

/// How a change that was taken back is put back, said beside what `/redo` does.
pub(super) const UNUNDO: &str = "; `/unundo` restores the change that was taken back";

/// Whether a message can be asked again as it stands: not a word to the workbench, nor a yes to something that was said.
fn stands_alone(info: &TurnInfo) -> bool {
    matches!(info.class, Turn::Query(_) | Turn::PlanNew(_) | Turn::PlanContinue) && info.command().is_none()
}

impl State {
    /// The last message that was worked on, where no plan came of it and none has something left, and the model still has
    /// it before it.
    fn last_message(&self) -> Option<TurnId> {
        let turn = self.ended?.turn;
        let alone = self.turns.get(&turn).is_some_and(|info| stands_alone(info));
        let free = self.phase == Phase::Idle && self.plan_aside().is_none();
        let told = || self.transcript.trunk().any(|e| e.what == What::User(turn));
        (alone && free && told()).then_some(turn)
    }

    /// The same, where neither a plan nor an answer came of it either: "go on" means it.
    pub(in crate::session) fn came_to_nothing(&self) -> Option<TurnId> {
        // What failed and was given up is asked again by name alone.
        self.last_message().filter(|turn| self.ended.is_some_and(|e| e.nothing) && !self.has_failed(*turn))
    }

    /// Whether the last message got neither a plan nor an answer, so that it may be asked again.
    pub fn is_unheeded(&self) -> bool {
        self.came_to_nothing().is_some()
    }

    /// The message whose answer would be asked for once more.
    pub(super) fn answer_to_redo(&self) -> Option<TurnId> {
        let cut = self.cut_short;
        let cut = cut.filter(|_| self.phase == Phase::Idle && self.plan_aside().is_none());
        self.failed_answer.or(cut).filter(|_| self.phase != Phase::Failed)
    }

    /// The message that `/redo` asks again: its answer failed or was stopped, or it came to nothing.
    pub(super) fn message_to_redo(&self) -> Option<TurnId> {
        self.answer_to_redo().or_else(|| self.came_to_nothing())
    }

    /// Whether `/redo` asks a message again.
    pub fn leaves_message(&self) -> bool {
        self.message_to_redo().is_some()
    }
}

impl Draft<'_> {
    /// `/retry`: the message whose answer failed or was stopped. Whatever waits for a model's server is sent at once; where
    /// a model is asked and nothing failed, that is all. Else it takes the last message, whatever became of it, else what
    /// `/redo` does.
    pub(super) fn retry(&mut self) -> Decided {
        let failed = self.state.answer_to_redo();
        if self.state.pending().values().any(Work::asks_model) {
            self.heard(Slash::Retry);
            let Some(turn) = failed else { return Ok(()) };
            return self.ask_message_again(turn);
        }
        let message = failed.or_else(|| self.state.last_message());
        if let Some(turn) = message {
            return self.ask_message_again(turn);
        }
        if self.state.phase == Phase::Idle && self.state.last_plan().is_none() {
            return Err(Refusal::new("there is no message to retry"));
        }
        self.redo_plan()
    }

    /// Takes up what failed or was left: the answer that its model failed to give, else the plan that has something
    /// left, else the message that was stopped or came to nothing, else the last plan once more, else the last message.
    /// Before all that what was taken back, where that was the last thing that was done.
    pub(super) fn redo(&mut self) -> Decided {
        if self.means_taken_back() {
            return self.give_back();
        }
        let failed = self.state.message_to_redo();
        // Who took a change back may mean that.
        let bare = self.state.last_plan().is_none() && self.state.undone().is_empty();
        let last = || self.state.last_message().filter(|turn| bare && !self.state.has_failed(*turn));
        let message = failed.or_else(last);
        let Some(turn) = message else { return self.redo_plan() };
        self.ask_message_again(turn)
    }

    /// The command line of the user's that ran last, where words want it again, nothing came after it and nothing is left from
    /// before it: "run that again".
    pub(super) fn ran_last(&self, reading: &Reading) -> Option<String> {
        if reading.whole.turn != Turn::Control(Control::Redo) || reading.slash.is_some() {
            return None;
        }
        let left = self.state.message_to_redo().is_some();
        let rests = self.state.is_at_rest() && !self.state.took_back;
        let rests = rests && !left && self.state.plan_aside().is_none();
        let last = self.state.turns.values().next_back().filter(|_| rests)?;
        last.command().map(|_| last.request.clone().unwrap_or_else(|| last.head.clone()))
    }

    fn ask_message_again(&mut self, turn: TurnId) -> Decided {
        let class = self.state.turns.get(&turn).map(|info| info.class.clone());
        if matches!(class, Some(Turn::PlanNew(_) | Turn::PlanContinue)) {
            self.begin_anew(turn);
            return self.route(turn);
        }
        self.go(crate::phase::Trigger::Query)?;
        self.begin_anew(turn);
        self.answer_by_model(turn);
        Ok(())
    }

    /// A yes that was said to a question of this message was said once: its questions are asked again.
    fn begin_anew(&mut self, turn: TurnId) {
        self.emit(Event::ControlGiven { control: Control::Redo });
        if self.state.turns.get(&turn).is_some_and(|info| info.widened != ToolScope::NONE) {
            self.emit(Event::TurnAskedAgain { turn });
        }
    }

    /// "Go on" where a plan was left: one that a run was made of goes on as that began, if it is the same yet; another is
    /// shown first.
    pub(super) fn go_on_with_plan(&mut self) -> Decided {
        let Some(plan) = self.state.last_plan().cloned() else { return self.redo_plan() };
        let begun = self.state.begun.filter(|begun| begun.is_of(&plan));
        self.emit(Event::ControlGiven { control: Control::Proceed });
        self.show_again(plan, true)?;
        if !begun.is_some_and(|begun| self.begin_again(begun.agreed)) {
            self.ask_to_begin();
        }
        Ok(())
    }

    pub(super) fn redo_plan(&mut self) -> Decided {
        match self.state.phase {
            Phase::Idle => {
                // Who took a change back may mean that.
                let undone = !self.state.undone().is_empty();
                let Some(plan) = self.state.last_plan().cloned() else {
                    let way = if undone { UNUNDO } else { "" };
                    return Err(Refusal::new(format!("there is no earlier plan{way}")));
                };
                self.emit(Event::ControlGiven { control: Control::Redo });
                if undone {
                    self.notice(Level::Info, format!("The last plan, once more{UNUNDO}."));
                }
                self.present_again(plan)
            }
            Phase::Failed => self.retry_failed(),
            Phase::AwaitingApproval => Err(Refusal::new("the plan is already waiting for your answer")),
            Phase::Planning | Phase::Executing => {
                self.queue_control(Control::Redo);
                Ok(())
            }
        }
    }
}
