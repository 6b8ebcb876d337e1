//! A message that is not understood, and nothing else can say what it means: asked back.
//!
//! Owns the question and what its choices say. What each choice does is with the answers.

use super::{Decided, Draft};
use crate::{
    ids::TurnId,
    intent::{Clarify, Control, IntentNode, Mode, Phase, Turn},
    question::{Clarification, Interruption},
    scope::Capability,
};

impl Draft<'_> {
    /// Asks what a message means, where the phase has room for a question.
    pub(super) fn unclear(&mut self, turn: TurnId, clarify: Clarify) -> Decided {
        let text = self.state.turns.get(&turn).map(|t| t.head.clone()).unwrap_or_default();
        match self.state.phase {
            Phase::Executing => {
                if self.state.phase_question().is_some() || self.only_asks(turn) {
                    return self.route_query(turn);
                }
                self.ask_of_run(text);
            }
            Phase::Planning if self.state.planning_lane().is_some() => {
                self.change_queue(|q| q.later.push_back(turn));
            }
            Phase::Idle | Phase::Planning | Phase::AwaitingApproval | Phase::Failed => {
                // The phase's own question comes back once this one is closed.
                let held = self.state.phase_question().is_some_and(|c| !c.kind.question().ties().comes_back);
                if held || !self.can_do(turn) {
                    return self.route_query(turn);
                }
                let choices = self.choices_for(turn);
                let about = Clarification { choices, turn: Some(turn), ..Clarification::default() };
                self.ask(about, question(clarify));
            }
        }
        Ok(())
    }

    /// Asks what something that was said means for the run.
    pub(super) fn ask_of_run(&mut self, text: String) {
        // The built-in engine reads nothing while it works.
        let deaf = !self.hears() || self.state.accounts.by_rules;
        let planless = self.state.plan.is_none();
        let told = format!("You said: {text}");
        self.ask(Interruption { text, planless, deaf }, told);
    }

    /// Whether a message beside a run can only be a question: how things stand is asked, or there is no plan that it
    /// could change.
    fn only_asks(&self, turn: TurnId) -> bool {
        let Some(info) = self.state.turns.get(&turn) else { return false };
        let planless = self.state.plan.is_none();
        let asks = self.under.tiers.classifier.is_question(&info.head);
        match info.class {
            Turn::Control(Control::Status | Control::Help) => asks,
            Turn::Control(_) => planless && asks,
            Turn::Query(_) => planless,
            Turn::PlanNew(_) | Turn::PlanContinue => {
                let scope = info.path.scope();
                let acts = scope.allows(Capability::Write) || scope.allows(Capability::Execute);
                planless && (!acts || asks)
            }
        }
    }

    /// Whether a word to the workbench has something here that it could be about.
    fn can_do(&self, turn: TurnId) -> bool {
        let Some(Turn::Control(word)) = self.state.turns.get(&turn).map(|t| &t.class) else { return true };
        let (idle, planned) = (self.state.phase == Phase::Idle, self.state.plan.is_some());
        match word {
            Control::Redo | Control::Proceed if self.state.answer_to_redo().is_some() => true,
            Control::Redo | Control::Proceed | Control::Replan => {
                !idle || planned || self.state.last_plan().is_some()
            }
            Control::Cancel => !idle || planned || self.state.busy(),
            Control::Approve => !idle,
            Control::Reset
            | Control::Exit
            | Control::Help
            | Control::Status
            | Control::ModeSwitch(_)
            | Control::Other(_) => true,
        }
    }

    /// What each answer to "what do you mean?" does.
    fn choices_for(&self, turn: TurnId) -> Vec<String> {
        let runs = self.target(turn).current() == IntentNode::Execute;
        let class = self.state.turns.get(&turn).map(|t| &t.class);
        let work = match class {
            Some(Turn::Control(word)) => self.word_does(word),
            _ if runs => "Run commands for it",
            _ => "Plan and change files",
        };
        vec![work.to_owned(), "Only answer".to_owned()]
    }

    /// What a word to the workbench does, as a choice.
    fn word_does(&self, word: &Control) -> &'static str {
        let failed = self.state.phase == Phase::Failed;
        match word {
            Control::Redo | Control::Proceed if failed => "Try again",
            Control::Redo | Control::Proceed if self.state.answer_to_redo().is_some() => "Answer again",
            Control::Redo | Control::Proceed if self.state.phase == Phase::Idle => "Resume the last plan",
            Control::Redo | Control::Proceed => "Go on",
            Control::Approve if self.state.phase == Phase::AwaitingApproval => "Show the plan again",
            Control::Approve => "Say yes",
            Control::Cancel if self.state.plan.is_some() => "Set the plan aside",
            Control::Cancel => "Stop what is running",
            Control::Replan => "Make a new plan",
            Control::Reset => "Start over",
            Control::Exit => "Leave Pilothouse",
            Control::Help => "Show the help",
            Control::Status => "Show the status",
            Control::ModeSwitch(Mode::Proof) => "Switch to proof mode",
            Control::ModeSwitch(Mode::Exploratory) => "Switch to explore mode",
            Control::Other(_) => "Do that",
        }
    }
}

/// The question back, in words.
const fn question(clarify: Clarify) -> &'static str {
    match clarify {
        Clarify::Vague => "What exactly should change? Say it in a few more words, or choose:",
        Clarify::Execute => "I'm not sure whether that is an order. What should I do?",
        Clarify::AnswerOrDo => "Should I answer, or do it?",
        Clarify::Unclear => "I'm not sure what you mean. Choose one, or rephrase it:",
    }
}
