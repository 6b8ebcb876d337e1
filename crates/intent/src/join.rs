//! Where a further tier meets the structural reading: exemplars of the user and the program,
//! an embedder, a model.
//!
//! Owns the law of it: permission takes the shallower path, and a later tier makes an order out of a
//! question only by asking. Never asks a tier itself.

use std::sync::{Arc, LazyLock, OnceLock};

use super::{
    Classifier, IntentPath,
    classify::UNSURE,
    embed::Hashed,
    exemplars::{Exemplars, Section},
    reading::{Clarify, Message, Reading, Source},
    similar::{Index, Match, Near, Thresholds},
    tier_answer::{self, TierAnswer},
    turn::{Phase, Turn},
};
use crate::scope::Capability;

/// Exemplars with their thresholds; the built-in vectors are made when they are first needed.
#[derive(Default)]
pub(super) struct Known {
    set: Exemplars,
    has_own: bool,
    thresholds: Thresholds,
    index: OnceLock<Option<Index>>,
}

impl std::fmt::Debug for Known {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} exemplars, {:?}", self.set.entries().len(), self.thresholds)
    }
}

static SHIPPED: LazyLock<Arc<Known>> = LazyLock::new(|| Arc::new(Known::new(None, Thresholds::default())));

impl Known {
    fn new(own: Option<Exemplars>, thresholds: Thresholds) -> Self {
        let set = own.unwrap_or_default().over_builtin();
        let has_own = set.entries().iter().any(|e| e.own);
        Self { set, has_own, thresholds, index: OnceLock::new() }
    }

    fn index(&self) -> Option<&Index> {
        self.index.get_or_init(|| Index::built_in(&self.set)).as_ref()
    }
}

/// How far a path reaches: nothing, reading, running, writing, removing.
fn reach(path: &IntentPath) -> u8 {
    let scope = path.scope();
    [Capability::Read, Capability::Execute, Capability::Write, Capability::Delete]
        .into_iter()
        .map(|c| u8::from(scope.allows(c)))
        .sum()
}

/// Below this confidence a model does not know what a message means: its "low" is 0.4.
const DOUBTED: f32 = 0.5;

/// A path that runs, writes or removes something.
const ACTS: u8 = 2;

impl Classifier {
    /// The classifier with exemplars and thresholds of the user.
    pub fn configured(own: Option<Exemplars>, thresholds: Thresholds) -> Self {
        Self { extra: Some(Arc::new(Known::new(own, thresholds))), ..Self::default() }
    }

    /// Makes what reading takes, some 15 ms of work at the first call: whoever has a first message to read at once does it
    /// beforehand.
    pub fn prepare(&self) {
        let _ = (self.tables(), self.model(), self.known().index());
    }

    fn known(&self) -> &Known {
        self.extra.as_deref().unwrap_or(&SHIPPED)
    }

    /// The exemplars in force, the user's first.
    pub fn exemplars(&self) -> &Exemplars {
        &self.known().set
    }

    /// The thresholds in force.
    pub fn thresholds(&self) -> &Thresholds {
        &self.known().thresholds
    }

    /// The exemplars nearest to a text by the built-in embedder, for the inspector.
    pub fn nearest(&self, text: &str) -> Option<Match> {
        self.known().index()?.nearest(&Hashed::vector(text))
    }

    /// Whether the deterministic tiers are not sure enough: a later tier is asked, if there is one.
    pub fn unsure(&self, reading: &Reading) -> bool {
        let by_name = matches!(reading.whole.source, Source::Slash | Source::AtNode);
        if by_name || reading.command.is_some() || reading.paused.is_some() {
            return false;
        }
        let (turn, _) = super::reading::turn_names(&reading.whole.turn);
        let threshold = self.thresholds().of(Section::Primary, turn);
        let doubtful = reading.clarify.is_some_and(|c| c != Clarify::Vague);
        doubtful || reading.whole.scope_confidence < threshold
    }

    /// A phrase of the user that is the message word for word.
    pub(super) fn exact(&self, text: &str, m: &Message<'_>) -> Option<Reading> {
        let known = self.extra.as_deref().filter(|k| k.has_own)?;
        let near = |section| {
            let e = known.set.exact(text).find(|e| e.section == section)?;
            Some(Near { name: e.name.clone(), phrase: e.phrase.clone(), score: 1.0, own: true })
        };
        let sub = near(Section::Sub);
        let scope = || Some(Near { name: sub.as_ref()?.name.split('.').next()?.to_owned(), ..sub.clone()? });
        let found =
            Match { primary: near(Section::Primary).or_else(scope), leaf: near(Section::Leaves), sub };
        let opinion = tier_answer::of_match(&found, &known.thresholds, m)?;
        let parsed = super::classify::Parsed::within(text, m.text, self.tables());
        Some(self.join(self.prose(text, &parsed, m), &opinion, m))
    }

    /// The built-in similarity: the user's phrases always, those of the program where the
    /// structure is not sure.
    pub(super) fn similar(&self, reading: Reading, m: &Message<'_>) -> Reading {
        let known = self.known();
        let on = self.tables().on(super::parts::Rule::TierSimilar);
        if !on || reading.segments.len() > 1 || !(known.has_own || self.unsure(&reading)) {
            return reading;
        }
        let found = known.index().and_then(|i| i.nearest(&Hashed::vector(&reading.text)));
        let said = found.and_then(|f| tier_answer::of_match(&f, &known.thresholds, m).map(|o| (f, o)));
        let Some((found, opinion)) = said else { return reading };
        let own = [&found.primary, &found.leaf].into_iter().flatten().any(|n| n.own);
        if m.phase != Phase::Idle && !own {
            return reading;
        }
        if own || opinion.confidence > reading.whole.confidence {
            return self.join(reading, &opinion, m);
        }
        reading
    }

    /// A reading after the later tiers were asked; `failed` when one of them should have known.
    pub fn settle(
        &self,
        mut reading: Reading,
        opinion: Option<&TierAnswer>,
        failed: bool,
        m: &Message<'_>,
    ) -> Reading {
        if let Some(opinion) = opinion {
            return self.join(reading, opinion, m);
        }
        if failed {
            reading.whole.source = Source::Fallback;
            // An order is planned: the plan is asked about, and changes nothing by itself.
            reading.clarify = reading.clarify.filter(|c| *c != Clarify::Execute);
            reading.whole.reasoning.push_str("; no later tier answered, the best guess of the rules stands");
        }
        reading
    }

    /// A reading with what a later tier thinks of it. Where the model does not know either whether a message beside a run
    /// is work, it is asked.
    pub fn join(&self, reading: Reading, opinion: &TierAnswer, m: &Message<'_>) -> Reading {
        let work = |turn: &Turn| matches!(turn, Turn::PlanNew(_) | Turn::PlanContinue);
        let of_model = matches!(opinion.source, Source::Llm | Source::Cache);
        let doubted = m.phase == Phase::Executing && of_model && opinion.confidence < DOUBTED;
        let may_be_work = work(&reading.whole.turn) || opinion.turn.as_ref().is_some_and(work);
        let mut joined = self.joined(reading, opinion, m);
        if doubted && may_be_work {
            joined.clarify = Some(Clarify::Unclear);
        }
        joined
    }

    fn joined(&self, mut reading: Reading, opinion: &TierAnswer, m: &Message<'_>) -> Reading {
        let was = reading.whole.clone();
        let turn = routed(opinion, &was.turn, m);
        let path = opinion.path.clone().unwrap_or_else(|| was.path.clone());
        let weak = opinion.confidence < was.confidence && opinion.confidence < 0.7;
        let (from, to) = (reach(&was.path), reach(&path));
        let same = turn == was.turn && path == was.path;
        // What was said before ends with the structure's own words already.
        let told = opinion.reasoning.ends_with(&was.reasoning);
        reading.whole.reasoning = if told {
            opinion.reasoning.clone()
        } else {
            format!("{}; {}", opinion.reasoning, was.reasoning)
        };
        if weak && !same {
            let talks = to < ACTS && from >= ACTS && m.phase == Phase::Idle;
            if talks && reading.clarify.is_none() {
                reading.clarify = Some(Clarify::AnswerOrDo);
            }
            return reading;
        }
        reading.whole.turn = turn;
        reading.whole.path = path;
        reading.whole.source = opinion.source;
        reading.whole.confidence =
            if same { was.confidence.max(opinion.confidence) } else { opinion.confidence };
        reading.whole.scope_confidence =
            if same { was.scope_confidence.max(opinion.confidence) } else { opinion.confidence };
        if super::reading::turn_names(&reading.whole.turn).1.is_some() {
            reading.whole.sub_confidence = opinion.sub_confidence.max(was.sub_confidence);
        }
        reading.whole.target = was.target.or_else(|| opinion.target.clone());
        let query = matches!(reading.whole.turn, Turn::Query(_));
        let control = matches!(reading.whole.turn, Turn::Control(_));
        let deepens = to > from && !opinion.firm;
        let doubtful = reading.whole.confidence < UNSURE && m.phase == Phase::Idle;
        // An order is planned, and its plan asked about; a question is not made an order unasked.
        let asks = deepens && self.asks(m);
        reading.clarify = if control || to < ACTS {
            None
        } else if query || asks {
            Some(Clarify::AnswerOrDo)
        } else {
            doubtful.then_some(Clarify::Execute)
        };
        if let [only] = reading.segments.as_mut_slice() {
            only.class = reading.whole.clone();
        }
        super::classify::cap(&mut reading, m);
        reading
    }
}

impl Classifier {
    /// Whether a message only asks.
    fn asks(&self, m: &Message<'_>) -> bool {
        let focus = super::text::focus(m.text);
        super::classify::Parsed::within(&focus, m.text, self.tables()).asks()
    }
}

/// The turn to route by; which of two kinds of work it is beside a plan the phase knows better.
fn routed(opinion: &TierAnswer, was: &Turn, m: &Message<'_>) -> Turn {
    let work = |t: &Turn| matches!(t, Turn::PlanNew(_) | Turn::PlanContinue);
    match &opinion.turn {
        None => was.clone(),
        Some(turn)
            if opinion.source == Source::Exemplar && m.phase != Phase::Idle && work(turn) && work(was) =>
        {
            was.clone()
        }
        Some(Turn::Query(None)) if matches!(was, Turn::Query(_)) => was.clone(),
        Some(Turn::PlanNew(None)) if matches!(was, Turn::PlanNew(_)) => was.clone(),
        Some(turn) => turn.clone(),
    }
}
