//! A session's driver beside the connection: what it tells, and what its log told before, in one order.
//!
//! Owns that nothing of a session waits in the way of another one, and that no more of it waits than fits its line.

use pilothouse_core::port::Update;
use tokio::sync::{
    mpsc::{Receiver, Sender},
    oneshot,
};

use super::{
    replay::{Replay, Replayed},
    update::Update as Shown,
};
use crate::{driver::Setup, host};

/// What comes of a session.
#[derive(Debug)]
pub(super) enum News {
    /// Its driver says something.
    Driver(Update),
    /// Something of its log is told again.
    Again(Shown),
    /// All of that is.
    Replayed(Box<Replayed>),
}

/// What its driver says, and the driver's end.
type Line = (Receiver<Update>, host::End);

/// Drives a session to its end. What is `again` to be told of its log comes once it has opened, before all else.
pub(super) async fn drive(
    setup: Setup,
    number: u64,
    ((mut shown, end), news): (Line, Sender<(u64, News)>),
    again: oneshot::Receiver<Replay>,
) {
    let (drive, mut again) = (tokio::spawn(host::one(setup, end, false)), Some(again));
    while let Some(update) = shown.recv().await {
        let opened = matches!(update, Update::Answered(..));
        if news.send((number, News::Driver(update))).await.is_err() {
            return;
        }
        if let Some(again) = again.take_if(|_| opened)
            && let Ok(replay) = again.await
        {
            replay.tell(number, &news).await;
        }
    }
    // How it ended was told as its last update, but by one that failed: behind all that it had told.
    if drive.await.is_err() {
        let why = "the session's driver failed; the log file has the details".to_owned();
        drop(news.send((number, News::Driver(Update::Closed(Some(why))))).await);
    }
}
