//! What was said in a session of before, told again from its log.
//!
//! Owns that it is read beside the connection and no faster than the client takes it.

use pilothouse_core::{ids::Seq, session::Session};
use tokio::sync::mpsc::channel;

use super::{out::Out, place::Place, tell::Teller};
use crate::sessions;

/// Updates that are read ahead.
const AHEAD: usize = 16;

/// What was told.
#[derive(Debug, Default)]
pub(super) struct Told {
    /// Who told it.
    pub teller: Teller,
    /// The last event of it.
    pub upto: Seq,
    /// What is wrong with the log.
    pub warnings: Vec<String>,
}

/// Tells it.
pub(super) async fn tell(
    found: sessions::Place,
    slug: String,
    (mut teller, place): (Teller, Place),
    out: &mut Out,
) -> Told {
    let (next, mut updates) = channel(AHEAD);
    let reading = tokio::task::spawn_blocking(move || {
        let mut session = Session::new();
        let told = sessions::events(&found, |event| {
            session.apply(&event);
            teller.event(&event, &session, &place, true);
            for update in std::mem::take(&mut teller.updates) {
                // Nobody listens any more: what is left is only read.
                drop(next.blocking_send(update));
            }
        });
        let warnings = match told {
            Ok(report) => report.warnings(),
            Err(e) => vec![e.to_string()],
        };
        teller.plan(session.state());
        Told { teller, upto: session.state().seq, warnings }
    });
    while let Some(update) = updates.recv().await {
        out.room().await;
        out.update(&slug, update);
    }
    let failed = || vec!["its conversation cannot be told again; the log file has the details".to_owned()];
    let mut told = reading.await.unwrap_or_else(|_| Told { warnings: failed(), ..Told::default() });
    for update in std::mem::take(&mut told.teller.updates) {
        out.update(&slug, update);
    }
    told
}
