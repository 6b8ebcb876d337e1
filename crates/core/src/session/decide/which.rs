//! A yes or a no that two may have asked for: a question that waits, and the agent with its last words.
//!
//! Owns that neither is guessed: the user is shown both and asked. Never answers one of them by itself.

use super::{Decided, Draft};
use crate::{
    checkpoint::{Checkpoint, CheckpointKind},
    event::Level,
    ids::{CheckpointId, Seq, TurnId},
    input::Refusal,
    intent::{Control, Turn},
    question::{Clarification, ClarificationAnswer, Lone},
    session::closing::closing,
};

/// Most characters that are shown of what each of them asks.
const SHOWN_CHARS: usize = 160;

impl Draft<'_> {
    /// The question that a lone yes or no would answer, where the agent asked something since that question was shown.
    pub(super) fn two_asked(&self, line: &str) -> Option<&Checkpoint> {
        let newest = self.state.newest_question().filter(|c| !c.kind.is_red_gate())?;
        newest.kind.lone(self.lone(line)?)?;
        self.asks_since(newest).then_some(newest)
    }

    /// Whether the agent spoke after a question was asked.
    pub(super) fn spoke_since(&self, question: CheckpointId) -> bool {
        self.state.asked.get(&question).is_some_and(|(at, _)| self.state.last_word_at > *at)
    }

    /// Whether it did so with a question or an offer of its own, or with another message for the commit that is asked about,
    /// and the user said nothing since.
    fn asks_since(&self, question: &Checkpoint) -> bool {
        let last = self.state.recent.back().is_some_and(|said| !said.by_user);
        let word = &self.state.last_word;
        let commit = matches!(question.kind, CheckpointKind::Commit(_));
        last && self.spoke_since(question.id)
            && (self.under.tiers.classifier.offers(word) || commit && word.contains("```"))
    }

    /// Shows the user both and asks which one is meant.
    pub(super) fn ask_which(&mut self, line: &str) -> Decided {
        let Some(beside) = self.two_asked(line) else { return Ok(()) };
        let asked = closing(&self.state.last_word).map(|closing| closing.question);
        let asked = asked.as_deref().or_else(|| self.state.last_word.lines().last()).unwrap_or_default();
        let (waits, asked) = (shown(&beside.message), shown(asked));
        let held = self.state.phase_question().filter(|c| !c.kind.question().ties().comes_back);
        if held.is_some() {
            return Err(Refusal::new(format!(
                "that could answer \"{waits}\" or the agent's \"{asked}\"; use a key for the first, more words for the agent"
            )));
        }
        let (beside, reading) = (beside.id, self.read(line));
        let turn = self.record(None, line, &reading);
        let choices =
            vec![format!("The question that waits: {waits}"), format!("What the agent asked: {asked}")];
        let about =
            Clarification { choices, turn: Some(turn), beside: Some(beside), ..Clarification::default() };
        self.ask(about, "Two things are waiting for an answer. Which one do you mean?");
        Ok(())
    }

    /// Closes the question which of two is meant, where the one beside it is answered or gone.
    pub(super) fn close_which(&mut self, beside: CheckpointId) {
        let asks = |c: &&Checkpoint| matches!(&c.kind, CheckpointKind::Clarification(about) if about.beside == Some(beside));
        if let Some(which) = self.state.open.values().find(asks).map(|c| c.id) {
            self.close(which, None);
        }
    }

    /// Refuses what says yes or no once more in other words: it tells as little which one is meant.
    pub(super) fn says_which(&self, question: CheckpointId, given: &ClarificationAnswer) -> Decided {
        let ClarificationAnswer::Said(text) = given else { return Ok(()) };
        let classifier = &self.under.tiers.classifier;
        let again = Lone::of(text).is_some()
            || classifier.agrees(text)
            || classifier.approves(text)
            || classifier.declines(text)
            || classifier.takes_message(text);
        match self.state.open.get(&question).filter(|_| again) {
            Some(asked) => Err(Refusal::new(asked.kind.how())),
            None => Ok(()),
        }
    }

    /// What the user meant: the question that waits stays, and wants an answer of its own; the agent is answered. Other
    /// words are a message of who had seen the events up to `seen`.
    pub(super) fn which_meant(&mut self, turn: TurnId, given: ClarificationAnswer, seen: Seq) -> Decided {
        match given {
            ClarificationAnswer::Pick(0, _) => {
                self.notice(
                    Level::Info,
                    "That question is still waiting and nothing is decided yet: say yes or no, or press its key.",
                );
                Ok(())
            }
            ClarificationAnswer::Drop => Ok(()),
            ClarificationAnswer::Pick(..) => {
                let yes = |t: &Turn| matches!(t, Turn::Control(Control::Approve | Control::Proceed));
                if self.state.turns.get(&turn).is_some_and(|t| yes(&t.class)) {
                    return self.route_yes(turn);
                }
                self.route_query(turn)
            }
            ClarificationAnswer::Said(text) => self.said(&text, seen),
        }
    }
}

/// The first line of what is asked, as far as it is shown.
fn shown(asked: &str) -> String {
    let line = asked.trim().lines().next().unwrap_or_default();
    if line.chars().count() <= SHOWN_CHARS {
        return line.to_owned();
    }
    let cut: String = line.chars().take(SHOWN_CHARS).collect();
    format!("{cut}…")
}
