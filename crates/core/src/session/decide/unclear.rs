//! A message that is not understood, and nothing else can say what it means: asked back.
//!
//! Owns the question and what its choices say. What each choice does is with the answers.

use super::{Decided, Draft};
use crate::{
    ids::TurnId,
    intent::{Clarify, Control, IntentNode, Mode, Phase, Turn},
    question::{Clarification, Interruption},
};

impl Draft<'_> {
    /// Asks what a message means, where the phase has room for a question.
    pub(super) fn unclear(&mut self, turn: TurnId, clarify: Clarify) -> Decided {
        let text = self.state.turns.get(&turn).map(|t| t.head.clone()).unwrap_or_default();
        match self.state.phase {
            Phase::Executing => {
                if self.state.phase_question().is_some() {
                    return self.route_query(turn);
                }
                self.ask(Interruption { text: text.clone() }, format!("You said: {text}"));
            }
            Phase::Planning if self.state.planning_lane().is_some() => {
                self.change_queue(|q| q.later.push_back(turn));
            }
            Phase::Idle | Phase::Planning | Phase::AwaitingApproval | Phase::Failed => {
                // The phase's own question comes back once this one is closed.
                if self.state.phase_question().is_some_and(|c| !c.kind.question().ties().comes_back) {
                    return self.route_query(turn);
                }
                let choices = self.choices_for(turn);
                let about = Clarification { choices, turn: Some(turn), ..Clarification::default() };
                self.ask(about, question(clarify));
            }
        }
        Ok(())
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
            Control::Redo | Control::Proceed if self.state.phase == Phase::Idle => "Take up the last plan",
            Control::Redo | Control::Proceed => "Go on",
            Control::Approve if self.state.phase == Phase::AwaitingApproval => "Ask about the plan again",
            Control::Approve => "Say yes",
            Control::Cancel if self.state.plan.is_some() => "Set the plan aside",
            Control::Cancel => "Stop what is under way",
            Control::Replan => "Make the plan anew",
            Control::Reset => "Start over",
            Control::Exit => "Leave Pilothouse",
            Control::Help => "Show the help",
            Control::Status => "Show the state",
            Control::ModeSwitch(Mode::Proof) => "Change to proof mode",
            Control::ModeSwitch(Mode::Exploratory) => "Change to explore mode",
            Control::Other(_) => "Do that",
        }
    }
}

/// The question back, in words.
const fn question(clarify: Clarify) -> &'static str {
    match clarify {
        Clarify::Vague => "What exactly should change? Say it in a few more words, or choose:",
        Clarify::Execute => "I am not sure that this is an order. What shall I do?",
        Clarify::AnswerOrDo => "Shall I answer, or do it?",
        Clarify::Unclear => "I am not sure what you mean. Choose, or say it differently:",
    }
}
