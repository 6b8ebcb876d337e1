//! Words to the workbench: short answers, modes, what stops the work or takes it up again.
//!
//! Owns which rules read one without the statistics. Never weighs shares: the vote above does.

use super::{Vote, vote};
use crate::{
    IntentNode as N,
    again::{Again, again},
    answer,
    classify::Parsed,
    halt,
    lexicon::Tag,
    parts::Rule,
    reading::{Message, Source},
    rules,
    structure::Form,
    turn::{Control, Phase, Turn},
};

/// Short answers, words to the workbench, mode switches.
#[expect(clippy::too_many_lines, reason = "one rule after the other, in their order")]
pub(super) fn control(p: &Parsed<'_>, m: &Message<'_>) -> Option<Vote> {
    let known = p.structure.known;
    let cover = p.cover.as_deref().filter(|_| known.on(Rule::TierShort));
    let again = again(&p.doc, &p.structure);
    let key = || known.on(Rule::TierShort).then(|| answer::letter(p.text, m.phase)).flatten();
    let short = key()
        .or_else(|| cover.and_then(|_| answer::said(&p.doc, &p.structure, m.phase, p.text)))
        .filter(|turn| *turn != Turn::Control(Control::Redo) || again != Again::Denied);
    let task = known.on(Rule::TaskNotYes)
        && m.phase == Phase::Idle
        && p.guess().is_some_and(|g| rules::is_action(g.leaf) && g.weight >= 2 && p.doc.tokens.len() > 1)
        && p.cover
            .as_deref()
            .is_some_and(|c| c.iter().all(|t| t.iter().all(|t| matches!(*t, Tag::WApprove | Tag::WProceed))));
    // "nope, wrong file" declines, and says what; a phrase that stops is one in any language.
    let declines = cover.is_some_and(|c| !c.iter().flatten().any(|tag| *tag == Tag::WCancel));
    let part = |turn: &Turn| {
        let told = m.phase == Phase::Executing && declines && *turn == Turn::Control(Control::Cancel);
        told && narrows(p, m)
    };
    // "weiter", "continúa" say yes to a question and take up again what was left.
    let resumes = || m.phase != Phase::AwaitingApproval && known.on(Rule::Resumes) && halt::resumes(p);
    let proceeds = |turn| {
        if turn == Turn::Control(Control::Approve) && resumes() {
            Turn::Control(Control::Proceed)
        } else {
            turn
        }
    };
    if let Some(turn) = short.filter(|turn| !task && !part(turn)).map(proceeds) {
        return Some(vote(
            N::Conversation,
            turn,
            0.96,
            Source::Heuristic,
            format!("a short answer in phase {}", m.phase.name()),
        ));
    }
    if let Some(word) = of_work(p, m) {
        return Some(word);
    }
    if known.on(Rule::YesGuard) && answer::minds_nothing(&p.doc, &p.structure) {
        return Some(minds_nothing(m));
    }
    if p.withdrawn {
        return Some(vote(
            N::Conversation,
            Turn::Control(Control::Cancel),
            0.85,
            Source::Heuristic,
            "the message withdraws itself",
        ));
    }
    let only_asks = p
        .structure
        .clauses
        .iter()
        .any(|c| matches!(c.form, Form::Question(t) if !matches!(t, Tag::QWay | Tag::QAux)));
    if let Some(mode) = answer::mode(&p.structure, only_asks).filter(|_| known.on(Rule::ModeSwitch)) {
        let busy = p
            .kept
            .iter()
            .filter_map(|k| p.structure.clauses.get(*k))
            .filter(|c| c.verb.is_some_and(Tag::acts) && matches!(c.form, Form::Order | Form::Request))
            .count();
        if busy < 2 {
            return Some(vote(
                N::Conversation,
                Turn::Control(Control::ModeSwitch(mode)),
                0.92,
                Source::Heuristic,
                "names a mode of the session",
            ));
        }
    }
    let works = p.guess().is_some_and(|g| g.leaf == N::Delete && g.weight >= 2);
    if m.phase == Phase::Failed
        && known.on(Rule::RedoAfterFailure)
        && !works
        && again == (Again::Wanted { plainly: true })
        && !p.asks()
    {
        return Some(vote(
            N::Conversation,
            Turn::Control(Control::Redo),
            0.85,
            Source::Heuristic,
            "asks for another try after a failure",
        ));
    }
    None
}

/// What says that nothing speaks against it: a yes where one is asked for, though none so plain that work begins by it.
fn minds_nothing(m: &Message<'_>) -> Vote {
    let turn = match m.phase {
        Phase::AwaitingApproval => Turn::Control(Control::Approve),
        Phase::Executing | Phase::Planning | Phase::Failed | Phase::Idle => Turn::Query(None),
    };
    vote(N::Conversation, turn, 0.8, Source::Exemplar, "says that nothing speaks against it")
}

/// A word to what runs, or was left, by its name: "cancel this run now", "I fixed it, go on with the plan".
fn of_work(p: &Parsed<'_>, m: &Message<'_>) -> Option<Vote> {
    let known = p.structure.known;
    let word = |word, why| Some(vote(N::Conversation, Turn::Control(word), 0.9, Source::Heuristic, why));
    let runs = matches!(m.phase, Phase::Planning | Phase::Executing);
    if runs && known.on(Rule::HaltsRun) && halt::of_run(p) {
        return word(Control::Cancel, "stops what is running, and says nothing else");
    }
    if m.phase != Phase::AwaitingApproval && known.on(Rule::Resumes) && halt::resumes(p) {
        return word(Control::Proceed, "takes work up again");
    }
    None
}

/// Whether what sounds like a stop names a part of what is under way.
pub(super) fn narrows(p: &Parsed<'_>, m: &Message<'_>) -> bool {
    m.phase != Phase::Idle && p.structure.known.on(Rule::HaltsPart) && halt::of_part(p)
}
