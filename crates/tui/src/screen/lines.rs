//! The lines to the drivers of a window's sessions, and to their host.
//!
//! Owns the order in which they are heard: each in turn, so that none is drowned by another. Never blocks.

use std::{future::poll_fn, task::Poll};

use pilothouse_core::{
    port::{Request, Update},
    runs::{HostRequest, HostUpdate},
};
use tokio::sync::mpsc::{Receiver, Sender};

use super::Line;
use crate::window::Number;

/// To and from the host.
pub type HostLine = (Sender<HostRequest>, Receiver<HostUpdate<Line>>);

/// The lines.
#[derive(Default)]
pub(super) struct Lines {
    all: Vec<(Number, Sender<Request>, Receiver<Update>)>,
    /// Where the next look begins.
    turn: usize,
}

impl Lines {
    pub(super) fn add(&mut self, number: Number, (requests, updates): Line) {
        self.all.push((number, requests, updates));
    }

    pub(super) fn remove(&mut self, number: Number) {
        self.all.retain(|(n, ..)| *n != number);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// The line's end for requests, of each session.
    pub(super) fn senders(&self) -> Vec<(Number, Sender<Request>)> {
        self.all.iter().map(|(n, requests, _)| (*n, requests.clone())).collect()
    }

    /// The end for requests of the first session for which that holds.
    pub(super) fn first_that(&self, holds: impl Fn(Number) -> bool) -> Option<Sender<Request>> {
        self.all.iter().find(|(n, ..)| holds(*n)).map(|(_, requests, _)| requests.clone())
    }

    /// What comes next from any driver; `None` with the number of one that is gone.
    pub(super) async fn next(&mut self) -> (Number, Option<Update>) {
        poll_fn(|cx| {
            let count = self.all.len().max(1);
            for step in 0..count {
                let at = (self.turn + step) % count;
                let Some((number, _, updates)) = self.all.get_mut(at) else { continue };
                if let Poll::Ready(update) = updates.poll_recv(cx) {
                    self.turn = at + 1;
                    return Poll::Ready((*number, update));
                }
            }
            Poll::Pending
        })
        .await
    }

    /// What has come already.
    pub(super) fn try_next(&mut self) -> Option<(Number, Option<Update>)> {
        let count = self.all.len().max(1);
        for step in 0..count {
            let at = (self.turn + step) % count;
            let Some((number, _, updates)) = self.all.get_mut(at) else { continue };
            if let Ok(update) = updates.try_recv() {
                self.turn = at + 1;
                return Some((*number, Some(update)));
            }
        }
        None
    }
}

/// What the host says next; never anything without one.
pub(super) async fn heard(host: Option<&mut HostLine>) -> Option<HostUpdate<Line>> {
    match host {
        Some((_, updates)) => updates.recv().await,
        None => std::future::pending().await,
    }
}

/// Until a line takes a request again; for ever without one.
pub(super) async fn room(full: Option<Sender<Request>>) {
    match full {
        Some(requests) => drop(requests.reserve().await),
        None => std::future::pending().await,
    }
}
