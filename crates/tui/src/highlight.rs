//! Colours of code, worked out beside the screen: drawn plain first, coloured when they are known.
//!
//! Owns the worker thread, which starts with the first question, and what it found. No frame ever
//! waits for it; lines over 2 KiB and texts over 1 MiB stay plain.

mod worker;

use std::{
    collections::{HashMap, VecDeque},
    fmt,
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicU64, Ordering},
        mpsc::{SyncSender, sync_channel},
    },
};

use pilothouse_core::blob::BlobId;

use crate::theme::Slot;

/// Lines that are coloured together; between them stand the parser's checkpoints.
pub const LINES_AT_ONCE: usize = 32;
/// A longer line stays plain.
pub const LONGEST_LINE_BYTES: usize = 2 * 1024;
/// A longer text stays plain.
pub const LONGEST_TEXT_BYTES: usize = 1024 * 1024;
/// Texts that are remembered.
const TEXTS: usize = 48;
/// Questions that may wait.
const QUESTIONS: usize = 64;

/// The colours of one line: up to which byte which slot, in order.
pub type Colours = Arc<[(usize, Slot)]>;

/// Asks for colours and gives them when they are known; cheap to clone.
#[derive(Clone, Default)]
pub struct Highlighter {
    shared: Option<Arc<Shared>>,
}

struct Shared {
    store: Mutex<Store>,
    version: AtomicU64,
    questions: OnceLock<SyncSender<Question>>,
    wake: Box<dyn Fn() + Send + Sync>,
}

#[derive(Default)]
struct Store {
    texts: HashMap<BlobId, Coloured>,
    order: VecDeque<BlobId>,
}

#[derive(Default)]
struct Coloured {
    /// By number of the group of lines; `None` while it is worked on.
    groups: HashMap<usize, Option<Vec<Colours>>>,
    text: Arc<str>,
    plain: bool,
}

/// One group of lines of one text.
struct Question {
    key: BlobId,
    lang: String,
    text: Arc<str>,
    group: usize,
}

impl fmt::Debug for Highlighter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Highlighter").field("version", &self.version()).finish_non_exhaustive()
    }
}

impl Highlighter {
    /// One that calls `wake` from its thread whenever colours came, so that a frame is drawn.
    pub fn new(wake: impl Fn() + Send + Sync + 'static) -> Self {
        let shared = Shared {
            store: Mutex::default(),
            version: AtomicU64::new(0),
            questions: OnceLock::new(),
            wake: Box::new(wake),
        };
        Self { shared: Some(Arc::new(shared)) }
    }

    /// One that leaves everything plain.
    pub fn off() -> Self {
        Self::default()
    }

    /// Grows whenever colours came.
    pub fn version(&self) -> u64 {
        self.shared.as_ref().map_or(0, |s| s.version.load(Ordering::Acquire))
    }

    /// How many texts were asked for.
    #[cfg(test)]
    pub fn asked(&self) -> usize {
        self.shared.as_ref().map_or(0, |s| s.store().texts.len())
    }

    /// The colours of line `line` of a text, or `None` while they are not known; then they are
    /// asked for. `lang` is a language's name or a file's extension; `text` must be the same
    /// whenever `key` is.
    pub fn line(
        &self,
        key: BlobId,
        lang: &str,
        line: usize,
        text: impl FnOnce() -> Arc<str>,
    ) -> Option<Colours> {
        let Some(shared) = &self.shared else { return Some(Arc::from([])) };
        if line == usize::MAX {
            return None;
        }
        let group = line / LINES_AT_ONCE;
        let mut store = shared.store();
        let entry = store.entry(key, text);
        if entry.plain || lang.is_empty() {
            return Some(Arc::from([]));
        }
        if let Some(known) = entry.groups.get(&group) {
            let lines = known.as_ref()?;
            return Some(lines.get(line % LINES_AT_ONCE).cloned().unwrap_or_else(|| Arc::from([])));
        }
        let question = Question { key, lang: lang.to_owned(), text: Arc::clone(&entry.text), group };
        let sent = shared.questions.get_or_init(|| spawn(shared)).try_send(question);
        if sent.is_ok() {
            entry.groups.insert(group, None);
        }
        None
    }
}

impl Shared {
    fn store(&self) -> MutexGuard<'_, Store> {
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn found(&self, key: BlobId, group: usize, lines: Option<Vec<Colours>>) {
        if let Some(entry) = self.store().texts.get_mut(&key) {
            match lines {
                Some(lines) => drop(entry.groups.insert(group, Some(lines))),
                None => entry.plain = true,
            }
        }
        self.version.fetch_add(1, Ordering::AcqRel);
        (self.wake)();
    }
}

impl Store {
    fn entry(&mut self, key: BlobId, text: impl FnOnce() -> Arc<str>) -> &mut Coloured {
        if !self.texts.contains_key(&key) {
            self.order.push_back(key);
            if self.order.len() > TEXTS
                && let Some(old) = self.order.pop_front()
            {
                self.texts.remove(&old);
            }
        }
        self.texts.entry(key).or_insert_with(|| {
            let text = text();
            let plain = text.len() > LONGEST_TEXT_BYTES;
            Coloured { groups: HashMap::new(), text: if plain { Arc::from("") } else { text }, plain }
        })
    }
}

fn spawn(shared: &Arc<Shared>) -> SyncSender<Question> {
    let (send, receive) = sync_channel(QUESTIONS);
    let shared = Arc::downgrade(shared);
    let work = move || worker::run(&receive, &shared);
    // Without a thread everything stays plain: the receiver is gone and no question is sent.
    drop(std::thread::Builder::new().name("highlight".into()).spawn(work));
    send
}

#[cfg(test)]
mod tests;
