//! A gate failed, or the run did.

use serde::{Deserialize, Serialize};

use super::{Accept, Act, Asked, Card, Choice, Lone, Question, Spec, Ties, Tone, Unattended, word, wrong};
use crate::{
    checkpoint::Answer,
    clean::Clean,
    digest::{Diagnosis, diagnoses},
    goal::PlannerError,
    ids::{GateId, TaskId},
    intent::Phase,
    refusal::Refusal,
};

/// What went wrong and where.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// The phase in which it happened: planning or executing.
    pub origin: Phase,
    /// The task it happened in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskId>,
    /// Its position in the plan, from 1; 0 outside a plan.
    #[serde(default)]
    pub step: usize,
    /// The gate that failed, if one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate: Option<GateId>,
    /// Whether repairs were tried as often as they may be, so that another is not offered.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub spent: bool,
    /// Whether another way was tried as often as it may be.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub detoured: bool,
    /// What the agent asked with the last words of its step or repair, which nobody answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asks: Option<String>,
    /// What happened.
    pub message: String,
    /// What the user can do about it.
    #[serde(default)]
    pub hint: String,
    /// What was wrong with the model's part, when a goal could not go on because of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub planner: Option<PlannerError>,
    /// Whether it was a stage of a pipeline, which follows no plan.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub staged: bool,
}

/// What is done about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureAnswer {
    /// The agent mends what makes the gate fail.
    Repair(GateId),
    /// The agent takes another way than before.
    Detour(GateId),
    /// The gate is left out.
    SkipGate(GateId),
    /// The gate runs again as it is.
    RunGate(GateId),
    /// The run stops at its gate.
    Stop,
    /// What failed is tried again.
    Retry,
    /// Another plan is made.
    Replan,
    /// It is given up.
    Abandon,
    /// The user goes on by hand.
    Manual,
}

/// The label of a fact that says where.
pub const PLACE: &str = "at";
/// The label of what the agent asked before it.
pub const AGENT_ASKS: &str = "it asks";
/// Places that are named.
const MOST_PLACES: usize = 3;

const FIX: &[&str] = &["a", "auto", "auto-fix", "autofix", "fix"];
const RETRY: &[&str] = &["r", "retry", "try again"];
const AGAIN: &[&str] = &["g", "again", "run again", "run it again", "rerun"];
const ABORT: &[&str] = &["q", "quit", "abort", "cancel"];
const REPLAN: &[&str] = &["p", "replan", "modify the plan"];
const ABANDON: &[&str] = &["a", "abandon", "start over"];

impl Failure {
    /// Whether what failed follows no plan that could be made anew: a goal, or a stage of a pipeline.
    pub const fn has_no_plan(&self) -> bool {
        self.planner.is_some() || self.staged
    }
}

impl Question for Failure {
    fn choices(&self) -> Vec<Choice> {
        let give = |key, label, answer, words| Choice::new(key, label, Act::Give(answer)).words(words);
        match (self.gate, self.has_no_plan()) {
            (Some(_), _) => {
                let fix = give("a", "auto-fix", Answer::AutoFix, FIX);
                let rest = [
                    give("s", "skip", Answer::Skip, &["s", "skip"]),
                    give("m", "manual", Answer::Manual, &["m", "manual"]),
                    give("g", "run again", Answer::Again, AGAIN),
                    give("q", "abort", Answer::Abort, ABORT),
                ];
                let detour = give("r", "another way", Answer::Retry, RETRY);
                let mends = [(fix, self.spent), (detour, self.detoured)].into_iter();
                mends.filter(|(_, spent)| !spent).map(|(choice, _)| choice).chain(rest).collect()
            }
            (None, true) => {
                vec![
                    give("r", "retry", Answer::Retry, RETRY),
                    give("q", "abort", Answer::Abort, ABORT),
                    Choice::typed(ABANDON, Answer::Abort),
                ]
            }
            (None, false) => vec![
                give("r", "retry", Answer::Retry, RETRY),
                give("p", "replan", Answer::Replan, REPLAN),
                give("a", "abandon", Answer::Abort, ABANDON),
                Choice::typed(ABORT, Answer::Abort),
            ],
        }
    }

    fn describe(&self, spec: &mut Spec, asked: &Asked<'_>) {
        spec.tone = Tone::Failed;
        spec.tag = "failed";
        // The first line says what failed; where, stands below it where there is room.
        let headline = self.message.lines().next().unwrap_or_default();
        let gate = self.gate.and_then(|gate| asked.plan?.gate(gate));
        let named =
            gate.map_or_else(|| headline.to_owned(), |g| format!("Gate {} failed: {headline}", g.name));
        spec.title = Clean::line(&named);
        spec.text = spec.title.clone();
        spec.facts.extend(self.asks.as_deref().map(|asks| (AGENT_ASKS, Clean::line(asks))));
        if !self.hint.is_empty() {
            spec.facts.push(("hint", Clean::line(&self.hint)));
            spec.facts_in_bar = self.gate.is_some();
        }
        let places = self.gate.into_iter().flat_map(|_| diagnoses(&self.message));
        let line = |d: Diagnosis| (PLACE, Clean::line(&format!("{}  {}", d.place, d.text)));
        spec.facts.extend(places.take(MOST_PLACES).map(line));
        // What the model could not go on with is open, and somebody may say how.
        spec.unattended = match self.planner {
            Some(PlannerError::Empty | PlannerError::Invalid) => Unattended::Asks,
            Some(PlannerError::Repeated) | None => {
                Unattended::Failed(format!("{}\n{}", self.message, self.hint).trim().to_owned())
            }
        };
    }

    /// A yes at a red gate is one to its repair, which the agent may just have offered.
    fn lone(&self, said: Lone) -> Option<Answer> {
        (said == Lone::Yes && self.gate.is_some() && !self.spent).then_some(Answer::AutoFix)
    }

    fn is_used_up(&self, line: &str) -> bool {
        let says = |words: &[&str]| words.contains(&word(line).as_str());
        self.gate.is_some() && (self.spent && says(FIX) || self.detoured && says(RETRY))
    }

    fn ties(&self) -> Ties {
        Ties { phase_own: true, comes_back: true, ..Ties::default() }
    }

    fn card(&self) -> Card {
        // What a gate found stands where it ended.
        match self.gate {
            Some(_) => Card::Nothing,
            None => Card::Question { choices: Vec::new(), failed: Some(self.hint.clone()) },
        }
    }
}

impl Accept for Failure {
    type Answer = FailureAnswer;

    fn accept(&self, given: Answer) -> Result<FailureAnswer, Refusal> {
        match (self.gate, given) {
            (Some(gate), Answer::AutoFix) if !self.spent => Ok(FailureAnswer::Repair(gate)),
            (Some(gate), Answer::Skip) => Ok(FailureAnswer::SkipGate(gate)),
            (Some(gate), Answer::Retry) if !self.detoured => Ok(FailureAnswer::Detour(gate)),
            (Some(gate), Answer::Again) => Ok(FailureAnswer::RunGate(gate)),
            (Some(_), Answer::Abort) => Ok(FailureAnswer::Stop),
            (None, Answer::Retry) => Ok(FailureAnswer::Retry),
            (None, Answer::Replan) if !self.has_no_plan() => Ok(FailureAnswer::Replan),
            (None, Answer::Abort) => Ok(FailureAnswer::Abandon),
            (_, Answer::Manual) => Ok(FailureAnswer::Manual),
            _ => Err(wrong()),
        }
    }
}
