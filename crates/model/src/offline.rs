//! The built-in engine: rules instead of a model, for the bounded set of jobs that need none.
//!
//! Owns what can be understood and answered by rules. It plays by the rules of every model: it
//! sees only the request, says text and wishes for calls, and has no state of its own. A flow
//! reads like straight code; where it needs a result that is not in the conversation yet, it ends
//! with the call for it and runs again from the top in the next round.

use futures::future::BoxFuture;
use pilothouse_core::talk::{
    Finish, ModelCall, ModelDelta, ModelReply, ModelRequest, OFFLINE, Purpose, Usage,
};
use tokio::sync::mpsc::Sender;
use tokio_util::sync::CancellationToken;

use crate::{
    client::{ModelClient, Unfinished, cancelled},
    outlet::Outlet,
};
use request::Request;
use scene::{Move, Scene};

mod answer;
mod browse;
mod command;
mod definition;
mod found;
mod order;
mod pattern;
mod phrase;
mod plan;
mod record;
mod request;
mod review;
mod scene;
mod sentence;
mod stage;
mod task;
mod trade;
mod usual;

/// How to get more than rules.
pub const CONNECT: &str = "Connect a model for everything else: `/model PRESET:NAME`, such as `openai:NAME`, once `/connect` has its key; or set PILOTHOUSE_BASE_URL, PILOTHOUSE_MODEL and PILOTHOUSE_API_KEY.";

/// What it can do.
const ABLE: &str = "I can find things (`where is X`, `what is X`, `who uses X`, `find \"text\"`), show, list and outline files, review the working diff, `rename X to Y`, `replace \"a\" with \"b\"`, create and delete files, and run commands and tests.";

/// Said where only git could tell.
const NO_GIT: &str = "There is no git repository here: `/changes` shows what this session wrote, and `run git init` creates a repository.";

/// The rule-based engine; it needs no account, network or configuration.
#[derive(Clone, Copy, Debug, Default)]
pub struct Offline;

impl Offline {
    /// The engine.
    pub const fn new() -> Self {
        Self
    }

    /// The reply to a request; the same request always gets the same reply.
    pub fn answer(self, request: &ModelRequest) -> ModelReply {
        if request.purpose == Purpose::Compact {
            return said(summary(request));
        }
        if request.purpose == Purpose::Stage {
            return said(stage::reply(request));
        }
        let scene = Scene::of(request);
        let (text, calls, finish) = match go(&scene) {
            Ok(text) => (text, Vec::new(), Finish::Stop),
            Err(Move::Say(text)) => (text, Vec::new(), Finish::Unable),
            Err(Move::Pass(text)) => (text, Vec::new(), Finish::NoModel),
            Err(Move::Act(calls)) => (String::new(), calls, Finish::Calls),
        };
        let known = request.messages.iter().map(|m| m.calls.len()).sum::<usize>();
        let calls: Vec<ModelCall> = calls
            .into_iter()
            .zip(known..)
            .map(|((name, args), n)| ModelCall {
                id: format!("offline_{n}"),
                name: name.to_owned(),
                args: args.to_string(),
            })
            .collect();
        ModelReply { calls, finish, ..said(text) }
    }
}

/// A reply in words.
fn said(text: String) -> ModelReply {
    let usage = Usage { cost_micros: Some(0), ..Usage::default() };
    ModelReply { text, usage, model: OFFLINE.to_owned(), ..ModelReply::default() }
}

/// A summary without a model: what was looked at and run, as the request lists it; decisions, files and open
/// ends stand below every summary.
fn summary(request: &ModelRequest) -> String {
    let text = request.messages.last().map(|m| m.text.as_str()).unwrap_or_default();
    let calls = text.rsplit_once("\n<calls>\n").and_then(|(_, rest)| rest.split_once("\n</calls>"));
    match calls.map(|(calls, _)| calls.trim()).filter(|c| !c.is_empty()) {
        Some(calls) => format!("Looked at and run:\n{calls}"),
        None => "Nothing was read or run.".to_owned(),
    }
}

impl ModelClient for Offline {
    fn reply(
        &self,
        request: ModelRequest,
        deltas: Sender<ModelDelta>,
        cancel: CancellationToken,
    ) -> BoxFuture<'_, Result<ModelReply, Unfinished>> {
        Box::pin(async move {
            if cancel.is_cancelled() {
                return Err(cancelled().into());
            }
            let reply = self.answer(&request);
            let mut outlet = Outlet::new(deltas);
            if !reply.text.is_empty() {
                outlet.send(ModelDelta::Text(reply.text.clone()));
            }
            Ok(reply)
        })
    }
}

/// What is done for whom. `Ok` is the last word, `Err` a move before it.
fn go(scene: &Scene<'_>) -> Result<String, Move> {
    if scene.purpose() == Purpose::Task {
        return task::perform(scene);
    }
    if scene.purpose() == Purpose::Plan && scene.has_said() {
        return Ok(String::new());
    }
    let wish = Request::read(scene);
    match (scene.purpose(), wish) {
        (_, Request::Unclear(why)) => Err(Move::Say(why)),
        (_, Request::Unknown) => Err(Move::Pass(unknown(scene))),
        (Purpose::Plan, wish) if wish.changes() => plan::submit(scene, &wish),
        (Purpose::Plan, Request::Job(job)) => plan::submit_job(scene, &job),
        (Purpose::Answer | Purpose::Goal, wish) if wish.changes() => Ok(format!(
            "That would change files, which this turn may not do. Ask for it in a message of its own, such as {}.",
            wish.example()
        )),
        (Purpose::Answer | Purpose::Goal, Request::Job(job)) => command::run(scene, &job),
        (_, wish) => answer::give(scene, &wish),
    }
}

fn unknown(scene: &Scene<'_>) -> String {
    if scene.spoken().any(|said| said.contains(ABLE)) && !scene.sentence().is_empty() {
        return "That needs a model too; `/connect` is the way to one.".to_owned();
    }
    let about = if scene.sentence().is_empty() { "There is nothing to answer" } else { "That needs a model" };
    format!("{about}, and I am the built-in offline engine. {ABLE} {CONNECT}")
}

#[cfg(test)]
mod tests;
