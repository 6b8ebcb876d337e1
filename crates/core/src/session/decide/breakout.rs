//! Messages to a pipeline that waits: they go on with it, or it is asked whether to leave (T-12).
//!
//! Owns that nothing leaves a pipeline but an answered question. What a message means is
//! `pipeline::breakout_decide`.

use super::{
    Decided, Draft,
    answer::{Given, Resolve},
    say::Consulted,
    terms::RunEnd,
};
use crate::{
    checkpoint::Answer,
    event::{Level, RunStatus},
    ids::{Seq, TurnId},
    input::Refusal,
    intent::PausedTurn,
    phase::Trigger,
    pipeline::{
        Case, Judgement, Said, Source, StageEvent,
        breakout::{breakout_decide, is_exit_choice, is_lone_exit, judged, kept},
    },
    question::{Breakout, Lone},
    talk::{Fault, Usage},
};

/// Told where a pipeline is left.
const LEFT: &str = "Pipeline terminated. Your research context has been preserved.";

impl Draft<'_> {
    /// A line while a pipeline waits; `None` where none does.
    pub(super) fn said_to_pipeline(&mut self, line: &str) -> Option<Decided> {
        let state = self.state.paused_pipeline()?.state.clone();
        if line.starts_with('!')
            || self.state.phase_question().is_some_and(|c| c.kind.is_exit() || c.kind.is_reset())
        {
            return None;
        }
        if state.judging().is_some() {
            return Some(Err(Refusal::new("one moment: your last message is still being read")));
        }
        if state.is_breakout_pending() {
            return Some(self.answer_breakout(line));
        }
        let keyword = self.under.tiers.classifier.leaves_pipeline(line) || is_lone_exit(line);
        let judged = self.judged_here(line).filter(|_| !keyword);
        match breakout_decide(false, Said { text: line, keyword, judged }) {
            Case::Ask(source) => {
                let turn = self.begin_turn(line);
                self.pend_breakout(turn, line, source);
            }
            Case::Resume | Case::Ignore | Case::Stay | Case::LeaveForOriginal | Case::LeaveForThis => {
                return Some(self.answer_pause(line));
            }
        }
        Some(Ok(()))
    }

    /// What is made of a message where no model can be asked: what `classify` says of it at a pause.
    fn judged_here(&self, line: &str) -> Option<Judgement> {
        let asks = self.under.tiers.model && self.over_budget().is_none();
        let leaves = !asks && self.read(line).paused == Some(PausedTurn::Breakout);
        leaves.then_some(Judgement::Breakout)
    }

    /// Words that leave nothing by themselves: a choice, feedback, or what only a model can tell.
    fn answer_pause(&mut self, line: &str) -> Decided {
        let plain = line.trim().trim_end_matches('.').to_lowercase();
        match plain.as_str() {
            "1" | "proceed" | "continue" | "yes" | "y" | "ok" | "go on" | "go ahead" | "resume" => {
                self.resume_pipeline("");
                return Ok(());
            }
            "2" | "modify" => return Err(Refusal::new("say what to change, in one line")),
            _ => {}
        }
        // Whoever makes the second choice answers the pause: no model need say so.
        let chooses = feedback(line) != line.trim();
        if self.under.tiers.model && !chooses && self.over_budget().is_none() {
            let turn = self.begin_turn(line);
            self.staged(StageEvent::Judging { turn, message: kept(line) });
            return Ok(());
        }
        let reading = self.read(line);
        self.record(None, line, &reading);
        self.resume_pipeline(feedback(line));
        Ok(())
    }

    /// What a model makes of the message; whatever went wrong, the pipeline goes on with it.
    pub(super) fn breakout_judged(&mut self, turn: TurnId, said: Result<(String, Usage), Fault>) -> Decided {
        let late = || Refusal::new("nothing is waiting for this");
        let state = self.state.paused_pipeline().map(|p| p.state.clone()).ok_or_else(late)?;
        let message =
            state.judging().filter(|(of, _)| *of == turn).map(|(_, m)| m.to_owned()).ok_or_else(late)?;
        let (judgement, spent) = match said {
            Ok((reply, spent)) => (Some(judged(&reply)), spent),
            Err(_) => (None, Usage::default()),
        };
        self.staged(StageEvent::Judged { spent });
        let said = Said { text: &message, keyword: false, judged: judgement };
        if let Case::Ask(source) = breakout_decide(false, said) {
            self.pend_breakout(turn, &message, source);
            return Ok(());
        }
        let reading = self.read(&message);
        self.classify_as(turn, &message, &reading, Consulted::default());
        self.resume_pipeline(feedback(&message));
        Ok(())
    }

    /// The third choice of the pause.
    pub(super) fn exit_chosen(&mut self) {
        let turn = self.begin_turn("3");
        self.pend_breakout(turn, "3", Source::Keyword);
    }

    fn pend_breakout(&mut self, turn: TurnId, line: &str, source: Source) {
        self.close_pipeline_question(Answer::Abort);
        let message = kept(line);
        self.staged(StageEvent::BreakoutPending { turn, message: message.clone(), source });
        self.ask_breakout(&message);
    }

    /// Asks whether to leave.
    pub(super) fn ask_breakout(&mut self, message: &str) {
        let about = if is_exit_choice(message) { String::new() } else { format!("You said: {message}\n") };
        let title = self.pipeline().and_then(|p| p.state.beginning()).map(|b| b.title.clone());
        let text = format!("Leave {}?\n{about}1. Yes, exit\n2. No, continue", title.unwrap_or_default());
        self.ask(Breakout { original: message.to_owned() }, text);
    }

    fn answer_breakout(&mut self, line: &str) -> Decided {
        let said = Said { text: line, keyword: false, judged: None };
        match breakout_decide(true, said) {
            Case::Stay => {
                self.resume_pipeline("");
                Ok(())
            }
            Case::LeaveForOriginal => self.leave_for_original(),
            Case::LeaveForThis => {
                self.leave_pipeline();
                let reading = self.read(line);
                let taken = self.take_message(None, line, &reading, Seq(u64::MAX));
                self.drain();
                taken
            }
            Case::Ignore | Case::Ask(_) | Case::Resume => Err(Refusal::new("there is nothing to send")),
        }
    }

    /// Case B: what was really asked has its turn.
    fn leave_for_original(&mut self) -> Decided {
        let kept = self.pipeline().and_then(|p| p.state.breakout_pending());
        let kept = kept.map(|(turn, message)| (turn, message.to_owned()));
        self.leave_pipeline();
        let Some((turn, message)) = kept.filter(|(_, m)| !is_exit_choice(m)) else {
            self.drain();
            return Ok(());
        };
        let reading = self.read(&message);
        let taken = self.take_message(Some(turn), &message, &reading, Seq(u64::MAX));
        self.drain();
        taken
    }

    /// The pipeline ends here; what it found is kept, and nothing goes on with it.
    fn leave_pipeline(&mut self) {
        self.close_pipeline_question(Answer::Abort);
        self.staged(StageEvent::Breakout);
        let title = self.pipeline().and_then(|p| p.state.beginning()).map(|b| b.title.clone());
        self.complete_as(RunEnd::of(RunStatus::Breakout, format!("{} was left", title.unwrap_or_default())));
        self.must_go(Trigger::BreakoutConfirmed);
        self.notice(Level::Info, LEFT);
    }
}

impl Resolve for Breakout {
    fn resolve(&self, draft: &mut Draft<'_>, given: Given<Lone>) -> Decided {
        draft.close(given.question, Some(given.stored));
        match given.answer {
            Lone::Yes => draft.leave_for_original(),
            Lone::No => {
                draft.resume_pipeline("");
                Ok(())
            }
        }
    }
}

/// What a message wants different, without the choice that it names as one: "2 questions will do" is none.
fn feedback(line: &str) -> &str {
    let line = line.trim();
    let heads = ["2. ", "2: ", "2) ", "modify: ", "modify "];
    let rest = heads.iter().find_map(|head| line.strip_prefix(head));
    rest.unwrap_or(line)
}
