//! How far an answer to a question reaches: once, this session, for good.
//!
//! Owns the words beside the keys and which rules stand behind them. Never answers.

use pilothouse_core::{
    checkpoint::{Checkpoint, CheckpointKind},
    policy::{Policy, Rule},
    session::State,
};

/// A key, what it does, and how far that reaches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reach {
    /// The key; empty where the answer cannot be given.
    pub key: &'static str,
    /// In a word or two.
    pub name: &'static str,
    /// How far.
    pub reach: String,
}

fn reach(key: &'static str, name: &'static str, reach: impl Into<String>) -> Reach {
    Reach { key, name, reach: reach.into() }
}

/// What can be answered to an item, in the order in which it is drawn.
pub fn reaches(item: &Checkpoint, state: &State, policy: &Policy) -> Vec<Reach> {
    match &item.kind {
        CheckpointKind::Risk { .. } => {
            let once = item.kind.word().map_or("this command only".to_owned(), |word| {
                format!("this command only, after typing {word}")
            });
            let mut all = vec![reach("y", "once", once)];
            match rules(item, state, policy) {
                Ok(rules) => {
                    all.push(reach("t", "session", texts(&rules).join("; ")));
                    let kept =
                        "the same rule, saved in your permissions.toml; what it matches is shown first";
                    all.push(reach("p", "always", kept));
                }
                Err(why) => all.push(reach("", "t p", format!("no rule possible: {why}"))),
            }
            all.push(reach("n", "deny", "this command; the agent is told your reason"));
            all
        }
        CheckpointKind::Access { .. } => vec![
            reach("y", "once", "this call; the next one asks again"),
            reach("", "t p", "no rule possible: a rule asks about it, and ask goes before allow"),
            reach("n", "deny", "this call; the agent is told your reason"),
        ],
        CheckpointKind::Transition { .. } => vec![
            reach("y", "once", "this turn; every change is still reviewed"),
            reach("n", "deny", "this turn; the agent goes on reading"),
        ],
        CheckpointKind::Trust { .. } => vec![
            reach("Enter", "view", "every line of what it brings; decides nothing"),
            reach("y", "trust", "this folder, until what it brings changes"),
            reach("n", "decline", "this folder: nothing it brings has effect"),
        ],
        CheckpointKind::Confirmation => {
            vec![
                reach("y", "run it", "this plan; changes are still reviewed"),
                reach("n", "change", "the plan"),
            ]
        }
        CheckpointKind::Diff { .. } => vec![reach("Enter", "diff", "opens it; decides nothing")],
        CheckpointKind::Failure(_)
        | CheckpointKind::Clarification { .. }
        | CheckpointKind::Interruption { .. }
        | CheckpointKind::Exit
        | CheckpointKind::PipelinePause { .. }
        | CheckpointKind::Breakout { .. } => vec![reach("Enter", "answer", "in the composer")],
    }
}

/// The general rules that would answer an item from now on.
///
/// # Errors
/// Why there are none, for people.
pub fn rules(item: &Checkpoint, state: &State, policy: &Policy) -> Result<Vec<Rule>, &'static str> {
    let request = item.kind.command().ok_or("only a command can be allowed by a rule")?;
    policy.offer(&request, &state.setting())
}

/// Rules as they are written.
pub fn texts(rules: &[Rule]) -> Vec<String> {
    rules.iter().map(Rule::to_string).collect()
}
