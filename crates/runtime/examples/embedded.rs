//! Drives a session from another program: asks for changes, approves them, takes them back, and
//! prints every event once it is safe on disk.
//!
//! `embedded HOME WORKSPACE ROUNDS [SESSION]`; the model is chosen by `PILOTHOUSE_MODEL`.
#![allow(clippy::print_stdout)]

use std::{io::Write, path::Path};

use pilothouse_core::{
    checkpoint::Answer,
    event::Event,
    input::Input,
    intent::Phase,
    port::{Request, Update},
    session::{Session, State},
};
use pilothouse_runtime::{Environment, Home, RuntimeError, Setup, Which, drive};
use tokio::sync::mpsc;

#[tokio::main]
async fn main() -> Result<(), RuntimeError> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [home, workspace, rounds, rest @ ..] = args.as_slice() else {
        println!("usage: embedded HOME WORKSPACE ROUNDS [SESSION]");
        return Ok(());
    };
    let which = rest.first().map_or(Which::New, |slug| Which::Named(slug.clone()));
    let setup =
        Setup { which, ..Setup::new(Home::under(Path::new(home)), workspace, Environment::of_process()) };
    let (requests, incoming) = mpsc::channel(16);
    let (outgoing, mut updates) = mpsc::channel(1024);
    let driver = tokio::spawn(drive(setup, incoming, outgoing));
    let mut rounds: u32 = rounds.parse().unwrap_or(1);
    let mut session = Session::new();
    let mut undone = true;
    while let Some(update) = updates.recv().await {
        match update {
            Update::Opened(opened, _) => {
                session = *opened;
                println!("session {}", session.state().slug);
            }
            Update::Events(events) => {
                for event in events {
                    session.apply(&event);
                    undone |= matches!(event.event, Event::Reverted { .. } | Event::RevertFailed { .. });
                    undone &= !matches!(event.event, Event::Applied { .. });
                    println!("{}", serde_json::to_string(&event)?);
                }
                drop(std::io::stdout().flush());
            }
            Update::Refused(reason) | Update::Misused(reason) => println!("refused {reason}"),
            Update::Notice(_)
            | Update::Page { .. }
            | Update::Delta(_)
            | Update::Answered(..)
            | Update::Rules(_)
            | Update::Draft(_)
            | Update::Surroundings(_)
            | Update::Closed(_) => continue,
        }
        if !session.pending().is_empty() {
            continue;
        }
        if let Some(input) = answer(session.state()) {
            drop(requests.send(Request::Input(input)).await);
        } else if !undone {
            drop(requests.send(Request::Input(Input::Undo)).await);
        } else if rounds == 0 {
            drop(requests.send(Request::Quit).await);
        } else {
            rounds -= 1;
            let text = "@modify change old to new in src/a.txt, src/b.txt and src/c.txt".to_owned();
            drop(requests.send(Request::Input(Input::say(text))).await);
        }
    }
    let shutdown = driver.await.map_err(|e| RuntimeError::Opening(e.to_string()))??;
    println!("left {}", shutdown.slug);
    Ok(())
}

/// Says yes to whatever is asked.
fn answer(state: &State) -> Option<Input> {
    if state.phase == Phase::AwaitingApproval {
        return Some(Input::say("y"));
    }
    let question = state.open.values().next()?;
    if let Some(review) = question.kind.review() {
        let shown = review.proposals.iter().filter_map(|id| Some((*id, state.proposals().get(id)?.shown())));
        return Some(Input::Apply { proposals: shown.collect(), word: None, rest: false });
    }
    if state.spec(question).free {
        return Some(Input::Answer { checkpoint: question.id, answer: Answer::Pick(0), shown: None });
    }
    Some(Input::Cancel)
}
