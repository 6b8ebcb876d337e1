//! The way to go on: the line that takes up what a run without a screen left.
//!
//! Owns that line. Never says why the run ended.

use pilothouse_core::{
    checkpoint::{Checkpoint, CheckpointKind},
    ids::TurnId,
    money::Unit,
    pipeline::PipelineState,
    question::{Place, Unattended},
    session::{HEAD_CHARS, State},
    shell::quote,
};

use super::Outcome;

/// What of the flags of a run holds for the line that goes on.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Kept {
    /// Nothing of the session is kept.
    pub forgets: bool,
    /// The folder is trusted for this once.
    pub trusts: bool,
    /// What asks is answered without anybody.
    pub confirms: bool,
}

/// The line that goes on; empty where there is nothing to go on with.
pub(super) fn onward(outcome: &Outcome, kept: Kept, asked: Option<&Checkpoint>, state: &State) -> String {
    let stopped = outcome.exit > 128;
    let again = || {
        // What a model failed to say is asked for again, whatever else was left.
        let silent = outcome.exit == 5 || stopped && state.plan.is_none() && state.unanswered.is_some();
        let words = if silent { "\"/redo\"".to_owned() } else { next_words(asked, state) };
        // It lets no more than this run did; a plan that waits is taken up by the yes to it.
        let plan = asked.is_some_and(|q| state.spec(q).unattended == Unattended::PlanReady);
        let confirm = if kept.confirms || plan { " --auto-confirm" } else { "" };
        let trust = kept.trusts || asked.is_some_and(|q| wants_trust(q, state));
        let trust = if trust { " --trust" } else { "" };
        let more = asked.and_then(more).unwrap_or_default();
        format!("pilothouse run {words} --session {}{confirm}{trust}{more}", outcome.slug)
    };
    if (outcome.exit <= 2 || stopped) && asked.is_none() && leaves_nothing(state) {
        return String::new();
    }
    match (outcome.exit, kept.forgets) {
        (3, true) => "run it again without --no-persist to be able to answer".to_owned(),
        (3, false) if wants_person(asked, state) => format!("pilothouse resume {}", outcome.slug),
        (1..=5 | 129.., false) => again(),
        _ => String::new(),
    }
}

/// Whether nothing of the session waits to be gone on with.
fn leaves_nothing(state: &State) -> bool {
    let plans = [&state.plan, &state.suspended];
    let planned = plans.iter().any(|p| p.is_some()) || state.pipeline.is_some();
    let proposed = state.open_proposals().next().is_some() || state.set_aside().next().is_some();
    let failed = state.failure.is_some() || state.unanswered.is_some() || state.leaves_message();
    !planned && !proposed && !failed && state.queue.is_empty()
}

/// Whether a gate asks of a folder that is not trusted: with its trust it would not.
fn wants_trust(asked: &Checkpoint, state: &State) -> bool {
    asked.kind.command().is_some_and(|c| c.gate.is_some()) && !state.trust.holds()
}

/// The flag without which the same run would end the same, where no more may be spent: the same again, or what can be
/// counted.
fn more(asked: &Checkpoint) -> Option<String> {
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
    let left = state.plan.is_some() || state.suspended.is_some() || state.leaves_message();
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
        talk::ModelReply,
        trust::Standing,
    };

    use super::*;

    #[test]
    fn the_line_that_goes_on_carries_what_the_run_was_given() {
        let session = Session::new();
        let way = |exit, kept| {
            let outcome = Outcome { exit, slug: "s".into(), reason: String::new() };
            onward(&outcome, kept, None, session.state())
        };
        let trusts = Kept { trusts: true, confirms: true, ..Kept::default() };
        assert_eq!(way(4, trusts), "pilothouse run \"go on\" --session s --auto-confirm --trust");
        assert_eq!(way(5, Kept::default()), "pilothouse run \"/redo\" --session s", "it allows no more");
        assert_eq!(way(1, trusts), "", "nothing is left to go on with");
        assert_eq!(way(130, trusts), "", "nothing is left to go on with");
        assert_eq!(way(5, Kept { forgets: true, ..trusts }), "");
    }

    fn opened() -> Session {
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
        session
    }

    #[test]
    fn an_order_of_which_no_plan_came_is_asked_again_by_the_line_that_goes_on() {
        let mut session = opened();
        let seen = session.state().seq;
        session.step(Millis(2), Input::Say { text: "/agent mend a.txt".into(), seen }).unwrap();
        for _ in 0..2 {
            let call = session.state().planning_lane().unwrap().thinking.unwrap();
            let reply = Ok(ModelReply { text: "I would mend it.".into(), ..ModelReply::default() });
            session.step(Millis(3), Input::Replied { call, reply }).unwrap();
        }
        let outcome = Outcome { exit: 1, slug: "s".into(), reason: String::new() };
        let line = onward(&outcome, Kept::default(), None, session.state());
        assert_eq!(line, "pilothouse run \"/redo\" --session s");
        session.step(Millis(4), Input::say("/redo")).unwrap();
        assert!(session.state().planning_lane().is_some());
    }

    #[test]
    fn the_message_that_a_question_is_about_is_said_again_not_the_last_one() {
        let mut session = opened();
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
            assert_eq!(words(CheckpointKind::Clarification(about.clone())), order);
            // A signal leaves it as well, and the line allows no more than the run was.
            let outcome = Outcome { exit: 130, slug: "s".into(), reason: String::new() };
            let kind = CheckpointKind::Clarification(about);
            let asked = Checkpoint { id: CheckpointId(9), kind, message: String::new(), run: None };
            let way = onward(&outcome, Kept::default(), Some(&asked), state);
            assert_eq!(way, format!("pilothouse run {order} --session s"));
            let lane = state.lanes.values().find(|l| l.turn == *turn).unwrap().id;
            let (from, to) = (IntentNode::Read, IntentNode::Modify);
            let deeper = Transition { lane, call: CallId(8), from, to, reason: String::new() };
            assert_eq!(words(CheckpointKind::Transition(deeper)), order);
        }
    }
}
