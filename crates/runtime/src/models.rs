//! `models list` and `test`: which models are configured, which an endpoint has, and whether one answers.
//!
//! Owns the words. Asks nobody but the endpoint that the user's settings name.

use std::{
    io::{self, Write},
    time::Instant,
};

use pilothouse_core::{
    connection::MAIN,
    talk::{Fault, Message, ModelRequest, Purpose, Role},
};
use pilothouse_model::openai::models;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::{
    config::{Config, Provider, origin},
    context,
    headless::fault_exit,
    home::{Environment, Home},
    tiers,
};

/// Most tokens of the answer to a test; a model that thinks needs some for that.
const MOST_TOKENS: u32 = 400;

/// What is to be asked, and how it is told.
#[derive(Clone, Copy, Debug)]
pub struct Wish<'a> {
    /// The connection, by name; all of them without.
    pub name: Option<&'a str>,
    /// Whether one JSON object a line is wanted.
    pub json: bool,
}

/// The connections that are meant; none where nobody is called so.
fn meant<'a>(config: &'a Config, name: Option<&str>) -> Vec<(&'a str, &'a Provider)> {
    let main = std::iter::once((MAIN, &config.voice));
    let others = config.others.iter().map(|(name, other)| (name.as_str(), &other.voice));
    main.chain(others).filter(|(of, voice)| name.is_none_or(|n| n == *of || n == voice.name())).collect()
}

/// The connections that there are, by name.
pub fn names(config: &Config) -> Vec<String> {
    meant(config, None).into_iter().map(|(name, _)| name.to_owned()).collect()
}

/// Lists the connections; of the one that is named, all models that its endpoint has. Returns the exit code.
///
/// # Errors
/// When `out` cannot be written.
pub async fn list(
    config: &Config,
    (home, environment): (&Home, &Environment),
    wish: Wish<'_>,
    out: &mut dyn Write,
) -> io::Result<u8> {
    let known = config.connections(&origin::of_user(home), environment);
    let mut exit = 0;
    for (name, voice) in meant(config, wish.name) {
        let Some(told) = (if name == MAIN { Some(&known.main) } else { known.others.get(name) }) else {
            continue;
        };
        let has = has(voice).await;
        if wish.json {
            let (models, fault) = match &has {
                Ok(models) => (Some(models), None),
                Err(fault) => (None, Some(&fault.message)),
            };
            let line = json!({
                "name": name, "model": told.model, "place": told.place, "from": told.from, "models": models,
                "fault": fault,
            });
            writeln!(out, "{line}")?;
        } else {
            writeln!(out, "{name:12} {told}")?;
            match &has {
                Ok(models) => models.iter().try_for_each(|model| writeln!(out, "{:12} {model}", ""))?,
                Err(fault) => writeln!(out, "{:12} its models are not known: {}", "", words(fault))?,
            }
        }
        if let Err(fault) = has {
            exit = exit.max(fault_exit(fault.kind));
        }
    }
    Ok(exit)
}

async fn has(voice: &Provider) -> Result<Vec<String>, Fault> {
    match voice {
        Provider::Endpoint(endpoint) => models(endpoint).await,
        Provider::Offline | Provider::Script(_) => Ok(Vec::new()),
    }
}

/// Lets each connection that is meant answer one short message, and says how that went. Returns the exit code.
///
/// # Errors
/// When `out` cannot be written.
pub async fn test(config: &Config, wish: Wish<'_>, out: &mut dyn Write) -> io::Result<u8> {
    let mut exit = 0;
    for (name, voice) in meant(config, wish.name) {
        let begun = Instant::now();
        let answered = ask(voice).await;
        let millis = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        let model = voice.name();
        match &answered {
            Ok(by) if wish.json => {
                writeln!(out, "{}", json!({"name": name, "model": by, "ok": true, "millis": millis}))?;
            }
            Ok(by) => writeln!(out, "ok  {name:12} {by} answered in {millis} ms")?,
            Err(fault) if wish.json => {
                let (message, hint) = (&fault.message, &fault.hint);
                let line = json!({
                    "name": name, "model": model, "ok": false, "kind": fault.kind, "message": message, "hint": hint,
                });
                writeln!(out, "{line}")?;
            }
            Err(fault) => writeln!(out, "!!  {name:12} {model}: {}", words(fault))?,
        }
        if let Err(fault) = answered {
            exit = exit.max(fault_exit(fault.kind));
        }
    }
    Ok(exit)
}

/// One short message; who answered it.
async fn ask(voice: &Provider) -> Result<String, Fault> {
    let client = tiers::client(voice)?;
    let request = ModelRequest {
        purpose: Purpose::Classify,
        system: "Answer with the single word ok.".to_owned(),
        messages: vec![Message::text(Role::User, "ok?")],
        tools: Vec::new(),
        most_tokens: Some(MOST_TOKENS),
    };
    let reply = context::unseen(client.as_ref(), request, CancellationToken::new(), drop).await?;
    Ok(if reply.model.is_empty() { voice.name() } else { reply.model })
}

fn words(fault: &Fault) -> String {
    if fault.hint.is_empty() { fault.message.clone() } else { format!("{} ({})", fault.message, fault.hint) }
}
