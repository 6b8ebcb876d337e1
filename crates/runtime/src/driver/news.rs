//! What a running tool says meanwhile, and the contents that it asks for.
//!
//! Owns that a full screen loses pieces of output and never holds the tool up.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use pilothouse_core::{
    blob::BlobId,
    ids::{CallId, Process},
    input::Input,
    port::Update,
    redact::Redactor,
    talk::{Delta, DeltaKind},
    work::Printed,
};
use pilothouse_tools::{BlobSource, Sink};
use tokio::sync::mpsc;

use super::{Inbound, tasks::Tasks};
use crate::blobs::Blobs;

/// How much of what a running command printed last is kept for when it is stopped, in bytes.
const PRINTED_BYTES: usize = 4 * 1024;

/// What running commands have printed, the end of each.
#[derive(Clone, Debug, Default)]
pub(super) struct Printing(Arc<Mutex<BTreeMap<CallId, (String, bool)>>>);

impl Printing {
    fn of(&self) -> MutexGuard<'_, BTreeMap<CallId, (String, bool)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, call: CallId, text: &str) {
        let mut all = self.of();
        let (end, cut) = all.entry(call).or_default();
        end.push_str(text);
        if end.len() > 2 * PRINTED_BYTES {
            end.drain(..end.ceil_char_boundary(end.len() - PRINTED_BYTES));
            *cut = true;
        }
    }

    /// A call ended.
    pub fn ended(&self, call: CallId) {
        drop(self.of().remove(&call));
    }
}

impl Printed for Printing {
    fn so_far(&self, call: CallId) -> Option<String> {
        let all = self.of();
        let (end, cut) = all.get(&call)?;
        let from = end.ceil_char_boundary(end.len().saturating_sub(PRINTED_BYTES));
        let text = end.get(from..).filter(|text| !text.trim().is_empty())?;
        if *cut || from > 0 {
            let whole = text.split_once('\n').map_or(text, |(_, rest)| rest);
            return Some(format!("[… more before this …]\n{whole}"));
        }
        Some(text.to_owned())
    }
}

/// News of a running tool call.
pub(super) struct News {
    pub call: CallId,
    pub updates: mpsc::Sender<Update>,
    pub inbound: mpsc::Sender<Inbound>,
    pub tasks: Tasks,
    pub offset: AtomicU64,
    pub secrets: Redactor,
    pub printing: Printing,
}

impl Sink for News {
    fn hides(&self) -> Redactor {
        self.secrets.clone()
    }

    fn delta(&self, kind: DeltaKind, text: &str) {
        // What is said of a call is no part of its output.
        let streamed = if kind == DeltaKind::Notice { 0 } else { text.len() as u64 };
        if matches!(kind, DeltaKind::Stdout | DeltaKind::Stderr) {
            self.printing.add(self.call, text);
        }
        let offset = self.offset.fetch_add(streamed, Ordering::Relaxed);
        let delta = Delta { call: self.call, offset, kind, text: text.to_owned() };
        drop(self.updates.try_send(Update::Delta(delta)));
    }

    fn started(&self, process: Process) {
        let news = Inbound::Input(Input::CommandStarted { call: self.call, process });
        put(&self.inbound, &self.tasks, news);
    }
}

/// Hands news to the loop without waiting: it is never full for long, and they may come a little later.
pub(super) fn put(inbound: &mpsc::Sender<Inbound>, tasks: &Tasks, news: Inbound) {
    if let Err(mpsc::error::TrySendError::Full(news)) = inbound.try_send(news) {
        let inbound = inbound.clone();
        tasks.spawn(async move { drop(inbound.send(news).await) });
    }
}

impl BlobSource for Blobs {
    fn blob(&self, id: BlobId) -> Option<Vec<u8>> {
        self.get(id)
    }

    fn beginning(&self, id: &str) -> Option<Vec<u8>> {
        self.get(self.named(id)?)
    }

    fn keep(&self, content: &[u8]) -> std::io::Result<BlobId> {
        Self::keep(self, content)
    }

    fn settle(&self) -> std::io::Result<()> {
        Self::settle(self)
    }
}
