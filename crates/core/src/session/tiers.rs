//! How the messages of a session are read: the classifier and the tiers that can be asked beside it.
//!
//! Owns what is configured of it, and what of the state a reading depends on. Never part of what
//! happened: two processes may read the same log with different tiers.

use super::state::{Said, State, TurnInfo};
use crate::{
    blob::BlobId,
    checkpoint::CheckpointKind,
    ids::Seq,
    intent::{
        Classification, Classifier, Control, IntentNode, IntentPath, Last, Message, Phase, Reading, Source,
        TierAnswer, Turn,
    },
    plan::{Gate, Plan},
};

/// How sure it is that "fixed it" means what failed last.
const FIXED: f32 = 0.9;

/// Messages of the conversation that a reading looks at.
pub const CONTEXT: usize = 6;

/// The tiers of this process.
#[derive(Clone, Debug, Default)]
pub struct Tiers {
    /// The deterministic ones, with the user's exemplars and thresholds.
    pub classifier: Classifier,
    /// Whether an embedder beside the built-in one can be asked.
    pub vectors: bool,
    /// Whether a model can be asked.
    pub model: bool,
    /// Whether one is there that can name the session.
    pub names: bool,
}

impl State {
    /// What the deterministic tiers make of a line that is said now.
    pub(super) fn read(&self, line: &str, tiers: &Tiers) -> Reading {
        self.read_at(line, tiers, Seq(u64::MAX))
    }

    /// As [`State::read`], for a line that was said at `seq` and is understood only now.
    pub(super) fn read_at(&self, line: &str, tiers: &Tiers, seq: Seq) -> Reading {
        let context = self.context(seq);
        let last = self.last_work(seq);
        let classifier = &tiers.classifier;
        let mut reading = classifier.read(&Message { last, ..self.message(line, &context) });
        if self.awaits_fix() && classifier.says_fixed(line) {
            fixed(&mut reading.whole);
            (reading.clarify, reading.segments) = (None, Vec::new());
        }
        let Some(plan) = &self.plan else { return reading };
        classifier.beside_plan(reading, self.phase, |of| plan.speaks_of(of))
    }

    /// Whether a gate failed and is the user's to make green: it asks what to do, or its plan was set aside for that.
    fn awaits_fix(&self) -> bool {
        let red = |plan: &Plan| plan.gates.iter().any(Gate::is_red);
        match self.phase {
            Phase::Idle => self.plan_aside().is_some_and(red) && self.asks_with_its_last_words().is_none(),
            Phase::Executing => {
                self.phase_question().is_some_and(|c| matches!(&c.kind, CheckpointKind::Failure(_)))
            }
            Phase::Planning | Phase::AwaitingApproval | Phase::Failed => false,
        }
    }

    /// The line with what surrounds it.
    pub fn message<'a>(&self, text: &'a str, context: &'a [String]) -> Message<'a> {
        Message {
            text,
            phase: self.phase,
            paused: self.open.values().any(|c| matches!(c.kind, CheckpointKind::PipelinePause(_))),
            plan_active: self.plan.is_some(),
            chat_only: self.chat_only,
            context,
            last: None,
        }
    }

    /// What the last message before `seq` was that asked or ordered something, where an order is over and something of it
    /// stands. Words to the workbench, to a run and command lines are none.
    pub fn last_work(&self, seq: Seq) -> Option<Last> {
        // Of one that is being read nothing is known yet.
        let known = |turn: &TurnInfo| turn.confidence > 0.0 && turn.seq < seq;
        let says = |turn: &TurnInfo| {
            known(turn)
                && !matches!(turn.class, Turn::Control(_))
                && turn.told.is_none()
                && turn.command().is_none()
        };
        let (id, turn) = self.turns.iter().rev().find(|(_, turn)| says(turn))?;
        let node = turn.path.current();
        if matches!(turn.class, Turn::Query(_)) {
            return Some(Last { order: false, node });
        }
        let work = self.work_of(*id);
        let stands = self.writes().any(|(_, origin, _)| origin.turn == *id || origin.work == work);
        (stands && !turn.forbids).then_some(Last { order: true, node })
    }

    /// What was asked last of all that waits for the user, in one line: what is said may be about it.
    pub fn asked_last(&self) -> Option<&str> {
        self.open.values().max_by_key(|c| c.id).and_then(|c| c.message.lines().next())
    }

    /// What the answer of a later tier depends on: the words, phase, plan, mode, what waits, and context (INT-09).
    pub fn key(&self, line: &str, seq: Seq) -> BlobId {
        let plan = self.plan.as_ref().map(|p| (p.turn.0, p.version));
        let words = crate::intent::exemplars::normal(line);
        let context = self.context(seq).join("\u{1f}");
        let (phase, mode, chat) = (self.phase.name(), self.mode, self.chat_only);
        let waits = self.asked_last();
        BlobId::of(format!("{words}\n{phase}\n{plan:?}\n{mode:?}\n{chat}\n{waits:?}\n{context}").as_bytes())
    }

    /// The answer that was given for this key.
    pub(super) fn remembered(&self, key: BlobId) -> Option<TierAnswer> {
        self.memory.iter().rev().find(|(k, _)| *k == key).map(|(_, o)| o.clone())
    }

    /// The beginnings of the last messages before `seq`, oldest first.
    pub fn context(&self, seq: Seq) -> Vec<String> {
        self.said_before(seq).map(|said| said.head.clone()).collect()
    }

    /// The last messages before `seq`, oldest first.
    pub fn said_before(&self, seq: Seq) -> impl Iterator<Item = &Said> {
        let before = self.recent.iter().filter(move |said| said.seq < seq);
        let skip = before.clone().count().saturating_sub(CONTEXT);
        before.skip(skip)
    }
}

/// What failed is put right by the user: that goes on with it.
fn fixed(whole: &mut Classification) {
    (whole.turn, whole.path) = (Turn::Control(Control::Proceed), IntentPath::to(IntentNode::Conversation));
    (whole.confidence, whole.scope_confidence) = (FIXED, FIXED);
    whole.source = Source::Heuristic;
    "says that what failed is fixed".clone_into(&mut whole.reasoning);
}
