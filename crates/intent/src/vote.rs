//! Where the tiers meet: structure, statistics and phase give one leaf and one turn.
//!
//! Owns the order of precedence and the projection from a leaf to a turn. Where the tiers
//! disagree, permission takes the shallower path.

mod anew;
mod asked;
mod control;
mod order;
mod polite;
mod put_off;
mod report;

use super::{
    IntentNode as N,
    again::{Again, again},
    answer,
    classify::Parsed,
    context, features,
    forbid::{Ban, Stays},
    framed,
    parts::Rule,
    reading::{Message, Source},
    revise,
    rules::{self, Guess},
    spare,
    stats::{Guard, LEAVES, Model, Prediction, TURNS},
    structure::Form,
    subs,
    turn::{Control, Mode, Phase, Turn},
    words::List,
};
use crate::scope::ToolScope;

/// One leaf, one turn, and how sure.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Vote {
    pub leaf: N,
    pub turn: Turn,
    pub confidence: f32,
    /// That the turn may do what this leaf's scope says, whichever of the leaves that lead there is meant.
    pub scope_confidence: f32,
    pub source: Source,
    pub reasoning: String,
}

fn vote(leaf: N, turn: Turn, confidence: f32, source: Source, reasoning: impl Into<String>) -> Vote {
    Vote { leaf, turn, confidence, scope_confidence: confidence, source, reasoning: reasoning.into() }
}

/// The turn of a leaf when nothing else says more.
pub(crate) fn project(leaf: N, phase: Phase, plan_active: bool) -> Turn {
    let works = rules::is_action(leaf) || matches!(leaf, N::Plan | N::Decompose);
    match (works, plan_active || phase != Phase::Idle) {
        (false, _) => Turn::Query(None),
        (true, true) => Turn::PlanContinue,
        (true, false) => Turn::PlanNew(None),
    }
}

/// Decides a message in prose.
pub(crate) fn decide(p: &Parsed<'_>, m: &Message<'_>, model: Option<&Model<'_>>) -> Vote {
    if p.doc.tokens.is_empty() {
        return vote(
            N::Conversation,
            Turn::Query(None),
            0.3,
            Source::Fallback,
            "nothing in the message can be read",
        );
    }
    if let Some(v) = control::control(p, m) {
        return v;
    }
    if context::alone(p, m) {
        let reasoning = "a verb that says not what it is to change";
        return vote(N::Clarify, Turn::Query(None), PLAIN, Source::Heuristic, reasoning);
    }
    if matches!(p.stays, Stays::Named | Stays::Told) {
        return left_alone(m);
    }
    if p.ban == Ban::None && !p.asks() && spare::removes(p.text, &p.doc.tokens, p.structure.known) {
        let turn = project(N::Delete, m.phase, m.plan_active);
        return vote(N::Delete, turn, PLAIN, Source::Heuristic, "removes what is not to be edited");
    }
    if let Some(v) = plain(p, m) {
        return v;
    }
    let known = p.structure.known;
    let Some(model) = model.filter(|_| known.on(Rule::TierStatistics)) else { return structure_alone(p, m) };
    let guard = if known.on(Rule::TierGuards) {
        model.guard(&features::guard(p, m.phase, m.paused))
    } else {
        Guard { asks: 0.5, forbids: 0.0 }
    };
    if let Some(rest) = put_off::put_off(p, m.phase).filter(|_| p.ban == Ban::None && !m.paused) {
        let rest = Parsed::new(rest, known);
        let guard = model.guard(&features::guard(&rest, m.phase, m.paused));
        let rest = statistics(&rest, m, model, guard);
        if !rules::is_action(rest.leaf) {
            let reasoning = format!("{}; what was ordered is put off", rest.reasoning);
            return Vote { reasoning, ..rest };
        }
    }
    // the prohibition caps what is done; what is asked for stands beside it
    if let Some(rest) = p.beside_ban(m.phase, m.paused) {
        let rest = Parsed { ban: p.ban, ..Parsed::new(&rest, known) };
        // What is kept from running says nothing of whether a change is wanted.
        let runs = p.ban == Ban::Runs;
        let guard = if runs { model.guard(&features::guard(&rest, m.phase, m.paused)) } else { guard };
        return statistics(&rest, m, model, guard);
    }
    let whole = statistics(p, m, model, guard);
    if m.phase != Phase::Idle && !m.paused {
        let whole = anew::anew(p, whole);
        // What is only not to be removed is no work of its own.
        let begins = p.stays != Stays::Ordered && matches!(whole.turn, Turn::PlanNew(_));
        return if begins { left_alone(m) } else { whole };
    }
    order::ordered_beside(p, m, model, &whole).unwrap_or(whole)
}

/// What plainly asks what would come of something, changes the steps of a plan or runs something.
fn plain(p: &Parsed<'_>, m: &Message<'_>) -> Option<Vote> {
    if m.phase != Phase::Idle && !m.paused && subs::foresees(p) {
        let reasoning = "asks what would come of it";
        return Some(vote(N::Explain, Turn::Query(None), PLAIN, Source::Heuristic, reasoning));
    }
    let called = || m.phase == Phase::AwaitingApproval && revise::drops_named(p);
    if m.phase != Phase::Idle && !m.paused && (revise::revises(p) || called()) {
        let reasoning = "changes the steps of the plan";
        return Some(vote(N::Decompose, Turn::PlanContinue, PLAIN, Source::Heuristic, reasoning));
    }
    if m.phase == Phase::Executing && !m.paused && p.ban == Ban::None && framed::shown::orders(p) {
        let turn = project(N::Modify, m.phase, m.plan_active);
        return Some(vote(N::Modify, turn, PLAIN, Source::Heuristic, "says what the program is to put out"));
    }
    if p.ban == Ban::None && !m.paused && asked::of_source(p) {
        let reasoning = "asks a source for something";
        return Some(vote(N::Read, Turn::Query(None), PLAIN, Source::Heuristic, reasoning));
    }
    if p.ban == Ban::None && !m.paused && asked::writes_it_down(p) {
        let turn = project(N::Modify, m.phase, m.plan_active);
        let reasoning = "describes something in a document";
        return Some(vote(N::Modify, turn, PLAIN, Source::Heuristic, reasoning));
    }
    if order::plain_run(p, m) {
        let turn = project(N::Execute, m.phase, m.plan_active);
        return Some(vote(
            N::Execute,
            turn,
            PLAIN,
            Source::Heuristic,
            "runs something, and keeps from the rest",
        ));
    }
    None
}

/// A message that names what is to be left alone, and nothing else: beside a run it narrows that, and stops nothing.
fn left_alone(m: &Message<'_>) -> Vote {
    let (leaf, turn) = match m.phase {
        Phase::Idle => (N::Explain, Turn::Query(None)),
        Phase::AwaitingApproval | Phase::Executing | Phase::Failed | Phase::Planning => {
            (N::Conversation, Turn::PlanContinue)
        }
    };
    vote(leaf, turn, NARROWS, Source::Heuristic, "says only what is to be left alone")
}

/// The structural tier by itself, should the weights be missing.
fn structure_alone(p: &Parsed<'_>, m: &Message<'_>) -> Vote {
    let Some(g) = p.guess() else {
        return vote(N::Clarify, Turn::Query(None), 0.4, Source::Fallback, "no clause asks or orders");
    };
    let leaf = cap(p, g.leaf);
    let confidence = 0.6 + 0.1 * f32::from(g.weight);
    vote(
        leaf,
        project(leaf, m.phase, m.plan_active),
        confidence,
        Source::Heuristic,
        format!("structure: {}", g.rule),
    )
}

/// Structure and statistics together.
fn statistics(p: &Parsed<'_>, m: &Message<'_>, model: &Model<'_>, guard: Guard) -> Vote {
    let shares = model.predict(&features::of(p, m.phase, m.paused));
    let guess = p.guess();
    let turn = turn_of(p, &shares, m);
    let (mut leaf, mut share, mut scale) = leaf_of(p, &shares, guess, guard, m);
    if let Some(ordered) = order::order_of(p, guard, m, leaf) {
        (leaf, share, scale) = (ordered, shares.leaf(ordered).max(ORDER), 1.0);
    }
    let rule = guess.map_or("none", |g| g.rule);
    let reasoning = format!(
        "structure {rule} → {}; statistics {} {share:.2}; only asks {:.2}, forbids {:.2}",
        guess.map_or("nothing", |g| g.leaf.name()),
        leaf.name(),
        guard.asks,
        guard.forbids
    );
    let confidence = model.calibrate(share);
    let stops = p.cover.is_some() || matches!(turn, Some((Turn::Control(Control::Cancel), _)));
    if stops && control::narrows(p, m) {
        return vote(
            leaf,
            Turn::PlanContinue,
            NARROWS,
            Source::Heuristic,
            "stops a part of the work, not the run",
        );
    }
    if let Some((turn, share)) = turn {
        let kept = if matches!(turn, Turn::Control(_)) { N::Conversation } else { leaf };
        return vote(kept, turn, model.calibrate(share), Source::Exemplar, reasoning);
    }
    let turn = routed(p, leaf, &shares, m);
    // "ok after lunch": an answer that waits, and no work of its own
    let waits =
        m.phase == Phase::AwaitingApproval && guess.is_none() && answer::depends(&p.doc, &p.structure);
    let leaf = if waits { N::Conversation } else { leaf };
    // beside a plan what asks is not what acts
    let asks = m.phase != Phase::Idle && matches!(turn, Turn::Query(_)) && rules::is_action(leaf);
    let leaf = if asks { shares.best(|l| !rules::is_action(l)).0 } else { leaf };
    let together = model.calibrate(share + beside(leaf, &shares, guard, m) * scale);
    let agreed = if order::plainly(p, guard, m, leaf) { PLAIN } else { 0.0 };
    let scope_confidence = confidence.max(together).max(agreed);
    Vote { scope_confidence, ..vote(leaf, turn, confidence, Source::Exemplar, reasoning) }
}

/// How sure it is that a word that stops, or that leaves something alone, is said of a part of the work.
const NARROWS: f32 = 0.85;

/// From here on a message that only reads is more a question than an order that is taken for one.
const ASKS: f32 = 0.5;

/// The shares of the other leaves that lead to the same turn and let it do the same: between them and the leaf it
/// only has to be decided what the work is called. What reads but may well be an order is for a later tier to see, or it
/// is not done. Beside a plan the leaf says no turn.
fn beside(leaf: N, shares: &Prediction, guard: Guard, m: &Message<'_>) -> f32 {
    let doubtful = !rules::is_action(leaf) && guard.asks < ASKS;
    if m.phase != Phase::Idle || m.plan_active || doubtful {
        return 0.0;
    }
    let kind = |l: N| (l.scope().or(ToolScope::READ_ONLY), project(l, m.phase, false));
    let same = |l: N| l != leaf && !matches!(l, N::Conversation | N::Clarify) && kind(l) == kind(leaf);
    LEAVES.iter().zip(shares.leaves).filter(|(l, _)| same(**l)).map(|(_, s)| s).sum()
}

/// A word to the workbench in free phrasing, when the statistics are sure.
fn turn_of(p: &Parsed<'_>, shares: &Prediction, m: &Message<'_>) -> Option<(Turn, f32)> {
    let known = p.structure.known;
    if !known.on(Rule::FreeControl) {
        return None;
    }
    let root = shares.leaf(N::Conversation) > 0.5;
    let idle_root = root && m.phase == Phase::Idle;
    let words = TURNS
        .iter()
        .copied()
        .zip(shares.turns)
        .filter(|(t, _)| !idle_root || !matches!(*t, "query" | "plan_new" | "plan_continue"));
    let (name, share) = words.max_by(|a, b| a.1.total_cmp(&b.1))?;
    // a yes sets things going: never on a guess, never beside a negation
    let yes = name == "control" && m.phase == Phase::AwaitingApproval;
    let negated = p.doc.tokens.iter().any(|t| known.is(List::Not, &t.text));
    if yes && known.on(Rule::YesGuard) && (share < 0.55 || p.ban != Ban::None || negated) {
        return None;
    }
    // nor is another try begun that the message keeps from, or only asks about
    let denied = match again(&p.doc, &p.structure) {
        Again::Unsaid => p.doc.tokens.iter().any(|t| known.is(List::AgainNot, &t.text)),
        Again::Denied => true,
        Again::Wanted { .. } => false,
    };
    // "yes?", "start over?": what only asks is no answer
    let asks = answer::only_asks(&p.doc, &p.structure) && (yes || p.cover.is_some());
    let waits = name == "control"
        && (answer::puts_off(&p.doc, &p.structure) || yes && answer::depends(&p.doc, &p.structure));
    if asks && !matches!(name, "status" | "help") || name == "redo_cmd" && denied || waits {
        return None;
    }
    let control = match name {
        "control" if m.phase == Phase::AwaitingApproval => Control::Approve,
        "control" => Control::Proceed,
        "cancel" => Control::Cancel,
        "replan" => Control::Replan,
        "redo_cmd" => Control::Redo,
        "status" => Control::Status,
        "help" => Control::Help,
        "exit" => Control::Exit,
        "reset" => Control::Reset,
        "mode_proof" => Control::ModeSwitch(Mode::Proof),
        "mode_explore" => Control::ModeSwitch(Mode::Exploratory),
        "manner" => Control::Other(Control::MANNER.to_owned()),
        _ => return None,
    };
    let floor = if idle_root {
        0.15
    } else if root {
        0.34
    } else if m.phase == Phase::Idle {
        0.6
    } else {
        0.5
    };
    (share >= floor).then_some((Turn::Control(control), share))
}

/// From here on a message is taken to forbid changes though no table knows its words.
const FORBIDS: f32 = 0.5;

/// The odds from which on a message acts: an order that is missed costs a question back, one that
/// is imagined costs trust.
const ACTS_IDLE: f32 = 1.0;
const ACTS_BESIDE: f32 = 0.0;

/// From this part of the best share on a removal is taken for one.
const REMOVES: f32 = 0.5;

fn odds(share: f32) -> f32 {
    let share = share.clamp(0.001, 0.999);
    (share / (1.0 - share)).ln()
}

/// How surely the message wants something done: the leaves and the guard, weighed by how often
/// each was right on lines left out of training.
fn acting(shares: &Prediction, guard: Guard, may: impl Fn(N) -> bool, m: &Message<'_>) -> f32 {
    let mass: f32 = LEAVES
        .iter()
        .zip(shares.leaves)
        .filter(|(l, _)| rules::is_action(**l) && may(**l))
        .map(|(_, s)| s)
        .sum();
    if m.phase == Phase::Idle {
        0.8 * odds(mass) + 0.3 * odds(1.0 - guard.asks) + 0.3 - ACTS_IDLE
    } else {
        odds(mass) + 0.8 * odds(1.0 - guard.asks) + 0.8 - ACTS_BESIDE
    }
}

/// The leaf: whether to act is decided first, then the best share on that side. With it what the shares of that side
/// are worth once that is decided.
fn leaf_of(
    p: &Parsed<'_>,
    shares: &Prediction,
    guess: Option<Guess>,
    guard: Guard,
    m: &Message<'_>,
) -> (N, f32, f32) {
    let runs = order::ordered_run(p) && shares.best(rules::is_action).0 == N::Execute;
    if order::plain_fix(p, guard, m) || order::asked_to_mend(p, guard, m) {
        return (N::Modify, shares.leaf(N::Modify).max(PLAIN), 1.0);
    }
    if order::builds_new(p, guard, m) {
        return (N::Create, shares.leaf(N::Create).max(ORDER), 1.0);
    }
    if let Some(leaf) = order::asked_first(p, guard, m).or_else(|| polite::politely(p, guard, m)) {
        return (leaf, shares.leaf(leaf).max(PLAIN), 1.0);
    }
    let talks = p.ban == Ban::None && m.phase == Phase::Idle && framed::only_talks(p);
    let banned = |leaf: N| match p.ban {
        _ if report::bars(p, leaf) => true,
        Ban::None if talks => rules::is_action(leaf) && (leaf != N::Execute || framed::asks_what_was(p)),
        Ban::None if p.forbids(m.phase) => rules::is_action(leaf),
        Ban::None => guard.forbids > FORBIDS && rules::is_action(leaf),
        Ban::Runs => leaf == N::Execute || guard.forbids > FORBIDS && rules::is_action(leaf),
        Ban::Changes => rules::is_action(leaf) && !(leaf == N::Execute && runs),
        Ban::All => rules::is_action(leaf),
    };
    // in idle the root is for words to the workbench, which the turn head knows
    let root = m.phase != Phase::Idle || shares.leaf(N::Conversation) > 0.55;
    let side = acting(shares, guard, |l| !banned(l), m) - 6.0 * guard.forbids;
    let sure = 1.0 / (1.0 + (-side).exp());
    if side <= 0.0 {
        // What only keeps something from being done, or talks, plans nothing either.
        let idle = talks || (p.ban == Ban::None && p.forbids(m.phase));
        let plans = |l: N| idle && matches!(l, N::Plan | N::Decompose);
        let may = |l: N| !rules::is_action(l) && !plans(l) && (root || l != N::Conversation);
        let (leaf, share) = shares.best(may);
        let scale = (1.0 - sure) / rest(shares).max(0.01);
        return (leaf, share.max(0.01) * scale, scale);
    }
    let known = p.structure.known;
    let destroys = known.on(Rule::Destroys) && guess.is_some_and(|g| g.leaf == N::Delete && g.weight >= 2);
    if destroys && !banned(N::Delete) && shares.leaf(N::Delete) > 0.04 {
        return (N::Delete, shares.leaf(N::Delete).max(0.4), 1.0);
    }
    let (mut leaf, mut share) = shares.best(|l| rules::is_action(l) && !banned(l));
    // a removal that is taken for less would not ask in words
    if !banned(N::Delete) && shares.leaf(N::Delete) > share * REMOVES && known.on(Rule::Removes) {
        (leaf, share) = (N::Delete, shares.leaf(N::Delete));
    }
    let scale = sure / (1.0 - rest(shares)).max(0.01);
    (leaf, share * scale, scale)
}

/// How sure a plain order is at least.
const PLAIN: f32 = 0.85;
/// The same where only its verb says so.
const ORDER: f32 = 0.5;

/// The share of the leaves that do not act.
fn rest(shares: &Prediction) -> f32 {
    LEAVES.iter().zip(shares.leaves).filter(|(l, _)| !rules::is_action(**l)).map(|(_, s)| s).sum()
}

/// Query, new plan or the active plan.
fn routed(p: &Parsed<'_>, leaf: N, shares: &Prediction, m: &Message<'_>) -> Turn {
    if m.phase == Phase::Idle && !m.plan_active {
        let states = p.structure.clauses.iter().all(|c| {
            matches!(c.form, Form::Complaint | Form::Statement | Form::Frame | Form::Empty | Form::Ought)
        });
        let told = framed::only_talks(p) || (p.ban == Ban::None && p.forbids(m.phase));
        if states && !told && leaf == N::Audit && p.structure.known.on(Rule::Weighs) {
            return Turn::PlanNew(None);
        }
        let clause = p.guess().and_then(|g| p.structure.clauses.get(g.clause));
        let weighs = p.structure.known.on(Rule::Weighs)
            && clause
                .filter(|c| c.form == Form::Order)
                .and_then(|c| p.doc.tokens.get(c.head))
                .is_some_and(|t| p.structure.known.is(List::Weigh, &t.text));
        if weighs && matches!(leaf, N::Audit | N::Design | N::Review) {
            return Turn::PlanNew(None);
        }
        return project(leaf, m.phase, false);
    }
    let (query, new, more) = (shares.turn("query"), shares.turn("plan_new"), shares.turn("plan_continue"));
    if query >= new.max(more) {
        Turn::Query(None)
    } else if new > more {
        Turn::PlanNew(None)
    } else {
        Turn::PlanContinue
    }
}

/// What a prohibition leaves of a leaf.
fn cap(p: &Parsed<'_>, leaf: N) -> N {
    let stopped = match p.ban {
        Ban::None => false,
        Ban::Runs => leaf == N::Execute,
        Ban::Changes => rules::is_action(leaf) && leaf != N::Execute,
        Ban::All => rules::is_action(leaf),
    };
    if stopped { N::Explain } else { leaf }
}
