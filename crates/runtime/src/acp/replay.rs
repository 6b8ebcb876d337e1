//! What was said in a session of before, told again from its log.
//!
//! Owns that it is read beside the connection, no faster than the client takes it, and no longer than it is wanted.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use pilothouse_core::{ids::Seq, session::Session};
use tokio::sync::mpsc::{Sender, channel};
use tokio_util::sync::CancellationToken;

use super::{News, place::Place, tell::Teller};
use crate::sessions;

/// Updates that are read ahead.
const AHEAD: usize = 16;

/// A log that is to be told again.
#[derive(Debug)]
pub(super) struct Replay {
    pub found: sessions::Place,
    pub teller: Teller,
    pub place: Place,
    /// Nobody wants it any more.
    pub stop: CancellationToken,
}

/// What was told again.
#[derive(Debug, Default)]
pub(super) struct Replayed {
    /// Who told it.
    pub teller: Teller,
    /// The last event of it.
    pub upto: Seq,
    /// What is wrong with the log.
    pub warnings: Vec<String>,
}

impl Replay {
    /// Tells it as the news of a session. Nobody is left to hear them where it says so.
    pub async fn tell(self, number: u64, news: &Sender<(u64, News)>) {
        let Self { found, mut teller, place, stop } = self;
        let (next, mut updates) = channel(AHEAD);
        let over = Arc::new(AtomicBool::new(false));
        let unwanted = Arc::clone(&over);
        let reading = tokio::task::spawn_blocking(move || {
            let mut session = Session::new();
            let read = sessions::events(&found, |event| {
                if unwanted.load(Ordering::Relaxed) {
                    return;
                }
                session.apply(&event);
                teller.event(&event, &session, &place, true);
                for update in std::mem::take(&mut teller.updates) {
                    // Nobody listens any more: what is left is only passed over.
                    unwanted.fetch_or(next.blocking_send(update).is_err(), Ordering::Relaxed);
                }
            });
            let warnings = match read {
                Ok(report) => report.warnings(),
                Err(e) => vec![e.to_string()],
            };
            teller.plan(session.state());
            Replayed { teller, upto: session.state().seq, warnings }
        });
        let send = async |what: News| news.send((number, what)).await.is_ok();
        let all = async {
            while let Some(update) = updates.recv().await {
                if !send(News::Again(update)).await {
                    return;
                }
            }
            let failed =
                || vec!["its conversation cannot be told again; the log file has the details".to_owned()];
            let mut replayed =
                reading.await.unwrap_or_else(|_| Replayed { warnings: failed(), ..Replayed::default() });
            for update in std::mem::take(&mut replayed.teller.updates) {
                send(News::Again(update)).await;
            }
            send(News::Replayed(Box::new(replayed))).await;
        };
        tokio::select! {
            biased;
            () = stop.cancelled() => over.store(true, Ordering::Relaxed),
            () = all => {}
        }
    }
}
