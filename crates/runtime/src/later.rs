//! The tiers beside the deterministic ones: an embedder, then a model; each with a time limit.
//!
//! Owns asking them and telling why one did not answer. Never decides what an answer is worth:
//! core joins it with the rules' own reading.

use std::{panic::AssertUnwindSafe, sync::Arc, time::Duration};

use futures::FutureExt;
use pilothouse_core::{
    clean::Clean,
    input::Understood,
    intent::{Message, opinion},
    session::State,
    talk::{Fault, ModelRequest, Usage},
};
use pilothouse_model::ModelClient;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::context::classify;

/// A message with what surrounds it, owned: it travels to where it is understood.
#[derive(Clone, Debug)]
pub struct Question {
    /// The words.
    pub text: String,
    /// The beginnings of the last messages, oldest first; whether the user said each.
    pub before: Vec<(bool, String)>,
    /// The phase, the plan and the mode stand here.
    pub state: Surround,
}

/// What of a state a reading depends on.
#[derive(Clone, Debug, Default)]
pub struct Surround {
    /// Who holds control.
    pub phase: pilothouse_core::intent::Phase,
    /// The active plan's title.
    pub plan: Option<String>,
    /// Whether one is active.
    pub plan_active: bool,
    /// Whether conversation only was chosen.
    pub chat_only: bool,
}

impl Question {
    /// The message of a turn in this state.
    pub fn of(text: String, state: &State, turn: pilothouse_core::ids::TurnId) -> Self {
        let seq = state.turns.get(&turn).map_or(state.seq, |t| t.seq);
        let before = state.said_before(seq).map(|said| (said.by_user, said.head.clone())).collect();
        let surround = Surround {
            phase: state.phase,
            plan: state.plan.as_ref().map(|p| p.title.clone()),
            plan_active: state.plan.is_some(),
            chat_only: state.chat_only,
        };
        Self { text, before, state: surround }
    }

    /// As core reads it.
    pub fn read<T>(&self, with: impl FnOnce(&Message<'_>) -> T) -> T {
        let context: Vec<String> = self.before.iter().map(|(_, head)| head.clone()).collect();
        with(&Message {
            text: &self.text,
            phase: self.state.phase,
            paused: false,
            plan_active: self.state.plan_active,
            chat_only: self.state.chat_only,
            context: &context,
        })
    }
}

/// The model to ask, or why there is none.
pub type Model = Result<Arc<dyn ModelClient>, Fault>;

/// Asks the tiers in their order until one knows. Never fails: what went wrong is told in the
/// result.
pub async fn ask(
    question: Question,
    model: Option<Model>,
    wait: Duration,
    cancel: CancellationToken,
) -> Understood {
    let mut said = Understood { text: question.text.clone(), ..Understood::default() };
    if let Some(model) = model {
        let work = ask_model(&question, model, wait, cancel);
        let ended = AssertUnwindSafe(work).catch_unwind().await;
        match ended
            .unwrap_or_else(|_| Err("a part of the program failed; the log file has the details".into()))
        {
            Ok((opinion, usage)) => {
                said.usage = usage;
                said.opinion = question.read(|m| opinion::of_reply(&opinion, m));
                if said.opinion.is_none() {
                    said.faults.push(told(&format!("its answer cannot be read: {}", shortened(&opinion))));
                }
            }
            Err(why) => said.faults.push(told(&why)),
        }
    }
    if let Some(opinion) = &said.opinion {
        tracing::info!(confidence = opinion.confidence, "intent: {}", opinion.reasoning);
    }
    said
}

fn told(why: &str) -> String {
    format!("The model could not say what you mean ({why}); the rules decided.")
}

async fn ask_model(
    question: &Question,
    model: Model,
    wait: Duration,
    cancel: CancellationToken,
) -> Result<(String, Usage), String> {
    let client = model.map_err(|fault| fault.message)?;
    let request: ModelRequest = classify::request(question);
    // Nothing is shown of it while it comes.
    let (pieces, _) = mpsc::channel(1);
    let reply = tokio::time::timeout(wait, client.reply(request, pieces, cancel)).await;
    match reply {
        Err(_) => Err(format!("no answer within {} s", wait.as_secs())),
        Ok(Err(unfinished)) => Err(unfinished.fault.message),
        Ok(Ok(reply)) => Ok((reply.text, reply.usage)),
    }
}

fn shortened(text: &str) -> String {
    let line = Clean::line(text).into_string();
    let mut short: String = line.chars().take(60).collect();
    if short.len() < line.len() {
        short.push('…');
    }
    if short.is_empty() { "it is empty".to_owned() } else { format!("“{short}”") }
}
