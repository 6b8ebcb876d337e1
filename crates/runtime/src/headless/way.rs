//! The way to go on: the line that takes up what a run without a screen left.
//!
//! Owns that line. Never says why the run ended.

use pilothouse_core::{
    checkpoint::{Checkpoint, CheckpointKind},
    ids::TurnId,
    money::Unit,
    pipeline::PipelineState,
    question::Place,
    session::{HEAD_CHARS, State},
    shell::quote,
};

use super::Outcome;

/// The line that goes on; empty where there is nothing to go on with. `forget` where nothing of the session is kept.
pub(super) fn onward(outcome: &Outcome, forget: bool, asked: Option<&Checkpoint>, state: &State) -> String {
    let again = || {
        let (words, more) =
            (next_words(asked, state), asked.and_then(|q| more(q, state)).unwrap_or_default());
        format!("pilothouse run {words} --session {} --auto-confirm{more}", outcome.slug)
    };
    match (outcome.exit, forget) {
        (3, true) => "run it again without --no-persist to be able to answer".to_owned(),
        (3, false) if wants_person(asked, state) => format!("pilothouse resume {}", outcome.slug),
        (1..=4, false) => again(),
        _ => String::new(),
    }
}

/// The flag without which the same run would end the same: where no more may be spent the same again, or what can be
/// counted; where a gate of a folder asks that is not trusted, its trust.
fn more(asked: &Checkpoint, state: &State) -> Option<String> {
    if asked.kind.command().is_some_and(|c| c.gate.is_some()) && !state.trust.holds() {
        return Some(" --trust".to_owned());
    }
    let CheckpointKind::Budget(asked) = &asked.kind else { return None };
    Some(match asked.unit {
        _ if asked.unknown => " --budget 50000t".to_owned(),
        Unit::Calls => format!(" --max-calls {}", asked.most),
        Unit::Micros | Unit::Tokens => {
            format!(" --budget \"{}\"", asked.unit.amount(asked.most).trim_start_matches('$'))
        }
    })
}

/// Whether what is asked can only be answered at the screen.
fn wants_person(asked: Option<&Checkpoint>, state: &State) -> bool {
    let open = asked.filter(|q| state.open.contains_key(&q.id));
    open.is_some_and(|q| state.spec(q).place != Place::Composer)
}

/// Words that take up what was left, as a word of a shell line.
fn next_words(asked: Option<&Checkpoint>, state: &State) -> String {
    #[expect(clippy::wildcard_enum_match_arm, reason = "a kind that is not named is about no message")]
    let unread = |kind: &CheckpointKind| match kind {
        // A lane that is over served the message that was heard last.
        CheckpointKind::Transition(deeper) => state.lanes.get(&deeper.lane).map(|l| l.turn).or(state.turn),
        CheckpointKind::Clarification(about) => about.turn,
        _ => None,
    };
    if let Some(order) = asked.and_then(|q| unread(&q.kind)).and_then(|turn| as_order(turn, state)) {
        return order;
    }
    let stages = state.pipeline.as_ref().map(|p| &p.state).filter(|s| s.is_running() || s.error().is_some());
    if let Some(agent) = stages.and_then(PipelineState::beginning).filter(|_| state.plan.is_none()) {
        return format!("\"/{}\"", agent.agent);
    }
    let left = state.plan.is_some() || state.suspended.is_some();
    if left { "\"/redo\"" } else { "\"go on\"" }.to_owned()
}

/// The message that was not taken for an order, said as one: its question does not outlive the run.
fn as_order(turn: TurnId, state: &State) -> Option<String> {
    let turn = state.turns.get(&turn)?;
    let whole = turn.head.chars().count() < HEAD_CHARS;
    whole.then(|| quote(&format!("/agent {}", turn.head)))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use pilothouse_core::{
        ids::{CallId, CheckpointId, Millis},
        input::{Input, Opening},
        intent::IntentNode,
        question::{Clarification, Transition},
        sandbox::Sandbox,
        session::Session,
        trust::Standing,
    };

    use super::*;

    #[test]
    fn the_message_that_a_question_is_about_is_said_again_not_the_last_one() {
        let mut session = Session::new();
        let opening = Opening {
            slug: "s".into(),
            folder: "demo".into(),
            version: "0".into(),
            mode: None,
            permission: None,
            sandbox: Sandbox::default(),
            standing: Standing::default(),
            found: Vec::new(),
        };
        session.step(Millis(1), Input::Open(opening)).unwrap();
        for text in ["where is the first?", "? and where is the second?"] {
            let seen = session.state().seq;
            session.step(Millis(2), Input::Say { text: text.into(), seen }).unwrap();
        }
        let state = session.state();
        let words = |kind| {
            let asked = Checkpoint { id: CheckpointId(9), kind, message: String::new(), run: None };
            next_words(Some(&asked), state)
        };
        assert!(state.turns.len() == 2 && state.lanes.len() == 2, "{:?}", state.turns);
        for (turn, said) in &state.turns {
            let about = Clarification { turn: Some(*turn), ..Clarification::default() };
            let order = quote(&format!("/agent {}", said.head));
            assert_eq!(words(CheckpointKind::Clarification(about)), order);
            let lane = state.lanes.values().find(|l| l.turn == *turn).unwrap().id;
            let (from, to) = (IntentNode::Read, IntentNode::Modify);
            let deeper = Transition { lane, call: CallId(8), from, to, reason: String::new() };
            assert_eq!(words(CheckpointKind::Transition(deeper)), order);
        }
    }
}
