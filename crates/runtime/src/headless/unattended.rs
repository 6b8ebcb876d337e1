//! What a run does that comes to a question and has nobody to ask.
//!
//! Owns the answers that take no leave from anybody: what asks is refused to the model with the reason,
//! a failed gate is repaired, an order that is doubted is taken as one. A plan is approved, as the run was
//! told to; nothing else is allowed, and what a message means is guessed for nobody.

use std::collections::{BTreeMap, BTreeSet};

use pilothouse_core::{
    checkpoint::{Answer, Checkpoint, CheckpointKind, UNATTENDED as NOBODY},
    ids::{CheckpointId, LaneId, TurnId},
    input::Input,
    plan::{GateStatus, Pause, Plan, TaskStatus},
    scope::ToolScope,
    session::State,
    trust::TrustRequest,
    work::Work,
};

/// Told of a deeper path than the message was read to ask for.
const AS_QUESTION: &str = "the message was read as a question";
/// Told of a gate that would not ask in a folder that is trusted.
const UNTRUSTED: &str = "the folder is not trusted, so its gates ask";
/// Told a model that asks.
const CHOOSE: &str = "nobody is there to ask; choose the safest reading and say so";

/// So often a line of work that ends in a question is told to choose; after that its question stays open.
const MOST_CHOOSE: u32 = 2;

/// The questions of a run that nobody attends.
#[derive(Debug, Default)]
pub(super) struct Unattended {
    /// Answered, so that none is answered twice.
    answered: BTreeSet<CheckpointId>,
    /// Plans that were approved, by their turn and version.
    approved: BTreeSet<Option<(TurnId, u32)>>,
    /// Those whose subject was refused, in their order.
    refused: Vec<Checkpoint>,
    /// The first one by which a message would have changed more than it was read to ask for.
    held_back: Option<Checkpoint>,
    /// How often lines of work ended in a question and were told to choose.
    chose: BTreeMap<LaneId, u32>,
}

/// What follows from an open question.
#[derive(Debug)]
pub(super) enum Follows {
    /// It is answered so.
    Answer(Box<Input>),
    /// Its answer is under way.
    Wait,
    /// It ends the run.
    End,
}

impl Unattended {
    /// What follows from a question.
    pub fn follow(&mut self, question: &Checkpoint, state: &State) -> Follows {
        if self.answered.contains(&question.id) || looked_at(question, state) {
            return Follows::Wait;
        }
        let Some(input) = self.answer(question, state) else { return Follows::End };
        self.answered.insert(question.id);
        Follows::Answer(Box::new(input))
    }

    /// A hook keeps the plan from its work: nobody says yes to it a second time.
    pub fn held(&mut self, state: &State) {
        self.approved.insert(state.plan.as_ref().map(|p| (p.turn, p.version)));
    }

    /// The questions whose subject was refused, in their order.
    pub fn refused(&self) -> &[Checkpoint] {
        &self.refused
    }

    /// The question whether a message that was read as one may change something, where that was refused.
    pub fn held_back(&self) -> Option<&Checkpoint> {
        self.held_back.as_ref()
    }

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "a kind that is not named stays open, and the run ends"
    )]
    fn answer(&mut self, question: &Checkpoint, state: &State) -> Option<Input> {
        let shown = question.kind.shown();
        let give = |answer| Input::Answer { checkpoint: question.id, answer, shown };
        match &question.kind {
            CheckpointKind::Risk(_)
            | CheckpointKind::Access(_)
            | CheckpointKind::Source(_)
            | CheckpointKind::Undo(_)
            | CheckpointKind::UndoAll(_) => {
                self.refuse(question);
                Some(give(Answer::Reject(unattended(&question.kind, state))))
            }
            // A yes to what the agent offered was given by whoever began the run; to remove files it is none.
            CheckpointKind::Transition(deeper) if state.agreed(deeper) => Some(give(Answer::Approve)),
            CheckpointKind::Transition(_) => {
                self.refuse(question);
                self.held_back.get_or_insert_with(|| question.clone());
                Some(give(Answer::Reject(format!("{AS_QUESTION}; {NOBODY}"))))
            }
            // A gate that cannot work here gets a command that would run anyway.
            CheckpointKind::GateChange(change) if change.unasked => Some(give(Answer::Approve)),
            CheckpointKind::GateChange(_) => {
                self.refuse(question);
                Some(give(Answer::Reject(NOBODY.to_owned())))
            }
            // Where nothing else is left to do the review stays open, for a person with the typed word.
            CheckpointKind::Diff(_) if !more_to_do(state) => None,
            CheckpointKind::Diff(review) => {
                self.refuse(question);
                let open = state.proposals_of(review.lane).map(|p| p.id).collect();
                Some(Input::Skip { proposals: open, reason: NOBODY.to_owned() })
            }
            CheckpointKind::Clarification(about) if about.call.is_some() => {
                Some(give(Answer::Text(CHOOSE.to_owned())))
            }
            // A model that only asks again is paid for nothing.
            CheckpointKind::Clarification(about) if about.lane.is_some() => {
                let times = self.chose.entry(about.lane?).or_default();
                *times += 1;
                (*times <= MOST_CHOOSE).then(|| give(Answer::Text(CHOOSE.to_owned())))
            }
            // Its plan is asked about, and was approved; what may be no order stays open for a person.
            CheckpointKind::Clarification(about) => {
                let acts =
                    |turn: &TurnId| state.reach(*turn).without(ToolScope::READ_ONLY) != ToolScope::NONE;
                about.turn.filter(acts).map(|_| give(Answer::Pick(0)))
            }
            CheckpointKind::Failure(failure) => {
                let pauses = state.plan.as_ref().is_some_and(|p| p.pauses_at(Pause::FailedGate));
                let mends = failure.gate.is_some() && !failure.spent && !pauses;
                mends.then(|| give(Answer::AutoFix))
            }
            // A plan that goes beyond the message wants a person's yes; one that comes back was approved to
            // no end: a hook holds it, or nothing can begin.
            CheckpointKind::Confirmation(_) => {
                let plan = state.plan.as_ref().map(|p| (p.turn, p.version));
                let may = state.beyond_asked().is_none() && self.approved.insert(plan);
                may.then(|| give(Answer::Approve))
            }
            // The order itself was to commit.
            CheckpointKind::Commit(_) => Some(give(Answer::Approve)),
            // What follows only reads.
            CheckpointKind::PipelinePause(_) => Some(give(Answer::Approve)),
            CheckpointKind::Gap(_) => Some(give(Answer::Skip)),
            CheckpointKind::Form(_) => Some(give(Answer::Reject(String::new()))),
            _ => None,
        }
    }

    fn refuse(&mut self, question: &Checkpoint) {
        self.refused.push(question.clone());
    }
}

/// Why nobody allows it, with what else it would take.
fn unattended(kind: &CheckpointKind, state: &State) -> String {
    let untrusted = kind.command().is_some_and(|asked| asked.gate.is_some()) && !state.trust.holds();
    if untrusted { format!("{UNTRUSTED}; {NOBODY}") } else { NOBODY.to_owned() }
}

/// Whether it is being looked at what a command means that is asked about, or what it gets: its answer is bound to that.
pub(crate) fn looked_at(question: &Checkpoint, state: &State) -> bool {
    let runs = question.kind.command().is_some();
    let looks = |w: &Work| {
        matches!(w, Work::Look { checkpoint, .. } if *checkpoint == question.id)
            || matches!(w, Work::Survey(wish) if runs && *wish != TrustRequest::Look)
    };
    state.pending().values().any(looks)
}

/// Whether the plan has work left beside what waits.
fn more_to_do(state: &State) -> bool {
    let pending = |p: &Plan| {
        p.tasks.iter().any(|t| t.status == TaskStatus::Pending)
            || p.gates.iter().any(|g| g.status == GateStatus::Pending)
    };
    state.plan.as_ref().is_some_and(pending)
}
