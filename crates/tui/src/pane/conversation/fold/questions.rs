//! Questions and what was said to them.
//!
//! Owns what stands of a question in the conversation. How it is asked and answered is the bar's.

use pilothouse_core::{
    checkpoint::{Answer, Checkpoint, CheckpointKind},
    event::{Event, Stamped},
    ids::{Millis, ProposalId},
    question::Card,
};

use super::Log;
use crate::{
    pane::conversation::entry::{Body, Kind, Question, Text},
    theme::Slot,
};

/// What became of a question that nobody answered.
pub(super) const FELL_AWAY: &str = "no longer asked";
/// The same where another stands in its place.
const REPLACED: &str = "replaced by the question below";

impl Log {
    pub(super) fn asked(&mut self, at: Millis, checkpoint: &Checkpoint) {
        let id = checkpoint.id;
        if let Some(call) = checkpoint.kind.call() {
            self.holds(call);
        }
        let (choices, failed) = match checkpoint.kind.question().card() {
            Card::Plan => {
                if let Some((card, dirty)) = self.newest_plan() {
                    // One that is asked about anew waits, whatever was said to it before.
                    card.verdict = None;
                    (card.checkpoint, *dirty) = (Some(id), true);
                }
                return;
            }
            Card::Review(proposals) => {
                self.drafts_wait(&proposals);
                self.add(at, Kind::Work, Body::Waits(proposals, id));
                return;
            }
            Card::Nothing => return,
            Card::Question { choices, failed } => (choices, failed),
        };
        if failed.is_some() && self.is_told(&checkpoint.message) {
            return;
        }
        self.replace_question();
        let (failed, hint) = (failed.is_some(), failed.unwrap_or_default());
        let message = checkpoint.message.clone();
        let kind = checkpoint.kind.clone();
        let words = matches!(kind, CheckpointKind::Clarification(_));
        let above = words && self.is_said_above(&message, &choices);
        let place = if above { Kind::Gone } else { Kind::Card };
        let q = Question {
            checkpoint: id,
            kind,
            message,
            hint,
            choices,
            failed,
            above,
            answer: None,
            fell: false,
        };
        self.add(at, place, Body::Question(Box::new(q)));
    }

    /// Whether the last thing that stands here is a reply that asks this itself.
    fn is_said_above(&self, message: &str, choices: &[String]) -> bool {
        let last = self.entries.iter().rev().find(|entry| entry.kind != Kind::Gone);
        let Some(Body::Reply(reply)) = last.map(|entry| &entry.body) else { return false };
        let said = reply.md.source();
        said.contains(message.trim()) && choices.iter().all(|choice| said.contains(choice.trim()))
    }

    /// Files that wait have a row each, which tells what was proposed for them.
    fn drafts_wait(&mut self, proposals: &[ProposalId]) {
        let paths: Vec<String> = proposals.iter().filter_map(|id| self.paths.get(id).cloned()).collect();
        let keys: Vec<i64> = paths.iter().filter_map(|path| self.drafts.remove(path)).flatten().collect();
        for key in keys {
            self.gone(key);
        }
    }

    /// No question outlives its process: what is still to be decided is asked anew.
    pub(super) fn unasked(&mut self) {
        for entry in &mut self.entries {
            if let Body::Question(q) = &mut entry.body
                && q.answer.is_none()
            {
                (q.answer, q.fell, entry.dirty) = (Some(FELL_AWAY.to_owned()), true, true);
            }
        }
    }

    /// A question comes in the place of one that fell away since the user last said something.
    fn replace_question(&mut self) {
        for entry in self.entries.iter_mut().rev() {
            match &mut entry.body {
                Body::Question(q) => {
                    if q.answer.as_deref() == Some(FELL_AWAY) {
                        (q.answer, entry.dirty) = (Some(REPLACED.to_owned()), true);
                    }
                    return;
                }
                Body::Said(_) => return,
                Body::Reply(_) | Body::Call(_) | Body::Facts(_) | Body::Task { .. } => {}
                Body::Plan(_) | Body::Waits(..) | Body::Gone => {}
            }
        }
    }

    pub(super) fn resolved(&mut self, stamped: &Stamped) {
        let Event::CheckpointResolved { checkpoint, answer, .. } = &stamped.event else { return };
        let (mut waits, mut own) = (None, None);
        for (n, entry) in self.entries.iter_mut().enumerate().rev() {
            match &mut entry.body {
                Body::Plan(card) if card.checkpoint == Some(*checkpoint) => {
                    card.verdict = Some(match answer {
                        Some(Answer::Approve) => ("approved", Slot::Ok),
                        Some(_) => ("not approved", Slot::Soft),
                        None => (FELL_AWAY, Slot::Soft),
                    });
                }
                Body::Question(q) if q.checkpoint == *checkpoint => {
                    let ended = answer.as_ref().and_then(|a| q.kind.question().ended(a));
                    own = own_words(q, answer.as_ref());
                    // Words of the user are a message of his.
                    let told = ended.map(str::to_owned).or_else(|| own.is_some().then(String::new));
                    q.answer = Some(told.unwrap_or_else(|| said(answer.as_ref(), &q.choices)));
                    q.fell = matches!(answer, None | Some(Answer::Reject(_) | Answer::Abort));
                }
                Body::Waits(_, id) if *id == *checkpoint => waits = i64::try_from(n).ok(),
                Body::Said(_) | Body::Reply(_) | Body::Call(_) | Body::Facts(_) | Body::Task { .. } => {
                    continue;
                }
                Body::Plan(_) | Body::Question(_) | Body::Waits(..) | Body::Gone => continue,
            }
            entry.dirty = true;
            break;
        }
        if let Some(n) = waits {
            self.gone(self.first + n);
        }
        if let Some(shown) = own {
            self.add(stamped.at, Kind::Said, Body::Said(Text { shown, blob: None }));
        }
    }
}

/// What the user said to a question of the agent in words, or with a number where it is asked above; a message that is to
/// be understood is one already.
fn own_words(q: &Question, answer: Option<&Answer>) -> Option<String> {
    let CheckpointKind::Clarification(asks) = &q.kind else { return None };
    match answer {
        Some(Answer::Text(words)) if asks.lane.is_some() => Some(words.clone()),
        Some(Answer::Pick(n)) if q.above => q.choices.get(*n).cloned(),
        _ => None,
    }
}

fn said(answer: Option<&Answer>, choices: &[String]) -> String {
    match answer {
        None => FELL_AWAY.to_owned(),
        Some(Answer::Pick(n)) => choices.get(*n).cloned().unwrap_or_default(),
        Some(Answer::Text(t) | Answer::Word(t)) => t.clone(),
        Some(Answer::Approve) => "allowed".to_owned(),
        Some(Answer::Reject(why)) if why.is_empty() => "refused".to_owned(),
        Some(Answer::Reject(why)) => format!("refused: {why}"),
        Some(Answer::Abort) => "stopped".to_owned(),
        Some(Answer::AutoFix) => "repair".to_owned(),
        Some(Answer::Skip) => "skipped".to_owned(),
        Some(Answer::Manual) => "paused for you".to_owned(),
        Some(Answer::Retry) => "tried again".to_owned(),
        Some(Answer::Again) => "run again".to_owned(),
        Some(Answer::Replan) => "another plan".to_owned(),
        Some(Answer::Respond) => "answer it".to_owned(),
        Some(Answer::Continue) => "go on".to_owned(),
        Some(Answer::Line(line)) => line.clone(),
        Some(Answer::Grant { rules, .. }) => rules.join(", "),
    }
}
