//! The way out to a client: a thread writes line after line, so that nothing else ever waits for who reads them.
//!
//! Owns the queue before it and its bounds. Nothing in it is dropped: pieces of one message that wait behind each other
//! join, and whoever is told that there is no room has no more to say until there is.

use std::{
    collections::VecDeque,
    hash::{BuildHasher, RandomState},
    io::Write,
    os::fd::OwnedFd,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use serde_json::{Value, json};
use tokio::{
    sync::{
        mpsc::{Receiver, Sender, channel, error::TrySendError},
        oneshot,
    },
    time::{Instant, sleep, timeout},
};

use super::{
    update::Update,
    wire::{self, Fault},
};

/// Lines that the thread has before it.
const AHEAD: usize = 8;
/// Lines, and their bytes, that may wait before those: what sessions tell waits itself beyond them.
const MOST_LINES: usize = 1024;
const MOST_BYTES: usize = 4 * 1024 * 1024;
/// What a piece of a message costs besides its text.
const ENVELOPE: usize = 256;
/// How many times as much there may be before the client is not listened to either: to say what is wrong with
/// what it sends takes room as well, and a cancel is to be heard though it does not read.
const HEARING: usize = 2;
/// How long a client that reads nothing is waited for once it can say nothing more, and one that reads slowly at the end.
const PATIENCE: Duration = Duration::from_secs(2);
const FAREWELL: Duration = Duration::from_secs(10);

/// A line that waits.
#[derive(Debug)]
enum Line {
    Whole(String),
    /// A piece of a message, in the session of this name.
    Piece(String, Update),
}

impl Line {
    /// How long it is, about.
    const fn len(&self) -> usize {
        match self {
            Self::Whole(line) => line.len(),
            Self::Piece(_, update) => ENVELOPE + update.text_len(),
        }
    }

    fn text(self) -> String {
        match self {
            Self::Whole(line) => line,
            Self::Piece(session, update) => notice(&session, &update).to_string(),
        }
    }
}

fn notice(session: &str, update: &Update) -> Value {
    let params = json!({"sessionId": session, "update": update});
    json!({"jsonrpc": "2.0", "method": "session/update", "params": params})
}

/// The way out.
pub(super) struct Out {
    lines: Sender<String>,
    waiting: VecDeque<Line>,
    /// How long the lines that wait are, about.
    bytes: usize,
    /// How many lines there were so far.
    put: u64,
    /// How many of them have gone out.
    written: Arc<AtomicU64>,
    closed: bool,
    /// Where the client speaks.
    input: Option<OwnedFd>,
    asked: u64,
    /// Makes the ids of requests of what nobody knows but this process.
    secret: RandomState,
    /// Completes when the thread has ended.
    ended: oneshot::Receiver<()>,
}

impl Out {
    /// Starts the thread; `written` counts the lines that have gone out.
    ///
    /// # Errors
    /// When there is no such thread to be had.
    pub fn start(to: impl Write + Send + 'static, written: Arc<AtomicU64>) -> std::io::Result<Self> {
        let ((lines, theirs), (ends, ended)) = (channel(AHEAD), oneshot::channel());
        let count = Arc::clone(&written);
        std::thread::Builder::new().name("client-out".into()).spawn(move || {
            write(to, theirs, &count);
            // Nobody may wait for it.
            let _nobody = ends.send(());
        })?;
        let secret = RandomState::new();
        Ok(Self {
            lines,
            waiting: VecDeque::new(),
            bytes: 0,
            put: 0,
            written,
            closed: false,
            input: None,
            asked: 0,
            secret,
            ended,
        })
    }

    /// Of a client that speaks there: one that has ended that and reads nothing either is gone, though it is not listened to
    /// and so not heard to end.
    pub fn beside(self, input: OwnedFd) -> Self {
        Self { input: Some(input), ..self }
    }

    /// Whether nobody reads any more.
    pub fn closed(&self) -> bool {
        self.closed || self.lines.is_closed()
    }

    /// How many lines there were so far; that many have gone out once the last of them has.
    pub const fn put_so_far(&self) -> u64 {
        self.put
    }

    /// Whether something waits for the thread.
    pub fn waits(&self) -> bool {
        !self.waiting.is_empty()
    }

    fn fits(&self, times: usize) -> bool {
        self.waiting.len() < MOST_LINES * times && self.bytes < MOST_BYTES * times
    }

    /// Whether sessions may tell more.
    pub fn has_room(&self) -> bool {
        self.fits(1)
    }

    /// Whether the client may say more.
    pub fn hears(&self) -> bool {
        self.fits(HEARING)
    }

    /// Completes when one of the lines that wait has gone on, nobody reads any more, or for a while neither was so.
    pub async fn moved(&mut self) {
        match timeout(PATIENCE, self.lines.reserve()).await {
            Ok(Ok(permit)) => {
                if let Some(line) = self.waiting.pop_front() {
                    self.bytes = self.bytes.saturating_sub(line.len());
                    permit.send(line.text());
                }
            }
            Ok(Err(_)) => self.closed = true,
            Err(_) => self.closed |= self.input.as_ref().is_some_and(wire::is_over),
        }
        if self.waiting.is_empty() || self.closed {
            (self.bytes, self.waiting) = (0, VecDeque::new());
        }
    }

    /// Waits until all has gone out, as long as somebody reads.
    pub async fn finish(mut self) {
        let written = Arc::clone(&self.written);
        let all = async move {
            while self.waits() && !self.closed() {
                self.moved().await;
            }
            drop(self.lines);
            // An error is a thread that failed, and has ended so.
            drop(self.ended.await);
        };
        let read = async {
            let (mut before, until) = (None, Instant::now() + FAREWELL);
            while before.replace(written.load(Ordering::SeqCst)) != before && Instant::now() < until {
                sleep(PATIENCE).await;
            }
        };
        tokio::select! {
            () = all => {}
            () = read => tracing::warn!("the client reads no more; the last lines were not written"),
        }
    }

    fn push(&mut self, line: Line) {
        self.put += 1;
        if self.closed() {
            return;
        }
        if self.waiting.is_empty() {
            match self.lines.try_reserve() {
                Ok(permit) => return permit.send(line.text()),
                Err(TrySendError::Closed(())) => return self.closed = true,
                Err(TrySendError::Full(())) => {}
            }
        }
        self.bytes += line.len();
        self.waiting.push_back(line);
    }

    fn line(&mut self, message: &Value) {
        self.push(Line::Whole(message.to_string()));
    }

    pub fn answer(&mut self, id: &Value, result: &Value) {
        self.line(&json!({"jsonrpc": "2.0", "id": id, "result": result}));
    }

    pub fn fail(&mut self, id: &Value, fault: &Fault) {
        let Fault { code, message } = fault;
        self.line(&json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}}));
    }

    pub fn update(&mut self, session: &str, update: Update) {
        if !update.is_piece() {
            return self.line(&notice(session, &update));
        }
        if let Some(Line::Piece(of, before)) = self.waiting.back_mut()
            && of == session
            && before.join(&update)
        {
            self.bytes += update.text_len();
            return;
        }
        self.push(Line::Piece(session.to_owned(), update));
    }

    /// Asks the client, and gives the id of that. Nobody can tell it before it was read, so nothing that lay in the
    /// pipe by then answers it. Every JSON reader keeps all of its 53 bits.
    pub fn ask(&mut self, method: &str, params: &Value) -> u64 {
        self.asked += 1;
        let id = self.secret.hash_one(self.asked) >> 11;
        self.line(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }
}

/// Writes what comes until it ends or nobody reads.
fn write(mut to: impl Write, mut lines: Receiver<String>, written: &AtomicU64) {
    while let Some(line) = lines.blocking_recv() {
        if to.write_all(line.as_bytes()).and_then(|()| to.flush()).is_err() {
            return;
        }
        // Counted when all but its end is out: what answers it was never read at a lower count, and a line that the
        // client has no room for is not counted yet.
        written.fetch_add(1, Ordering::SeqCst);
        if to.write_all(b"\n").and_then(|()| to.flush()).is_err() {
            return;
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::sync::mpsc::{Receiver as Lines, SyncSender, sync_channel};

    use super::*;
    use crate::acp::update::Chunk;

    /// Somebody who takes a piece of what is written whenever the other end is read.
    struct Slow(SyncSender<Vec<u8>>);

    impl Write for Slow {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.send(bytes.to_vec()).map_err(|_| std::io::ErrorKind::BrokenPipe)?;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    fn out() -> (Out, Lines<Vec<u8>>) {
        let (theirs, read) = sync_channel(0);
        (Out::start(Slow(theirs), Arc::default()).unwrap(), read)
    }

    fn piece(text: &str) -> Update {
        Update::AgentMessageChunk(Chunk::new("m", text))
    }

    #[tokio::test]
    async fn nothing_waits_for_who_reads_pieces_join_and_no_question_is_lost() {
        let (mut out, read) = out();
        for n in 0..100_000 {
            if n % 10_000 == 0 {
                out.ask("ask", &json!({ "n": n }));
            }
            out.update("s", piece("word "));
        }
        assert!(out.waiting.len() < 40 && out.has_room(), "{}", out.waiting.len());
        let (put, text) = (out.put_so_far(), std::thread::spawn(move || read.iter().flatten().collect()));
        out.finish().await;
        let text: Vec<u8> = text.join().unwrap();
        let lines: Vec<Value> =
            text.split(|b| *b == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect();
        assert_eq!(lines.len() as u64, put);
        assert_eq!(lines.iter().filter(|line| line["method"] == "ask").count(), 10);
        let words = lines.iter().filter_map(|line| line.pointer("/params/update/content/text")?.as_str());
        assert_eq!(words.map(str::len).sum::<usize>(), 500_000);
    }

    #[tokio::test]
    async fn what_may_wait_is_bounded_in_lines_and_bytes_and_the_client_is_heard_longer() {
        for text in ["x".to_owned(), "x".repeat(1024 * 1024)] {
            let (mut out, _read) = out();
            let note = |out: &mut Out| out.fail(&Value::Null, &Fault::request(text.clone()));
            while out.has_room() {
                note(&mut out);
            }
            assert!(
                out.hears()
                    && out.waiting.len() <= MOST_LINES
                    && out.bytes <= MOST_BYTES + 2 * text.len() + 256
            );
            while out.hears() {
                note(&mut out);
            }
            assert!(out.bytes <= HEARING * MOST_BYTES + 2 * text.len() + 256);
        }
    }

    #[tokio::test]
    async fn whoever_reads_nothing_is_not_waited_for() {
        let (mut out, _read) = out();
        out.ask("ask", &json!({}));
        out.finish().await;
    }

    #[tokio::test]
    async fn whoever_reads_nothing_and_has_ended_its_input_is_gone() {
        let (theirs, ours) = std::io::pipe().unwrap();
        let (out, _read) = out();
        let mut out = out.beside(theirs.into());
        while out.hears() {
            out.fail(&Value::Null, &Fault::request("no"));
        }
        // What it has said last is not listened to: its end is not heard.
        (&ours).write_all(b"last\n").unwrap();
        out.moved().await;
        assert!(!out.closed());
        drop(ours);
        while !out.has_room() && !out.closed() {
            out.moved().await;
        }
        out.fail(&Value::Null, &Fault::request("nobody hears it"));
        assert!(out.closed() && !out.waits());
    }

    #[tokio::test]
    async fn a_line_counts_once_the_client_can_have_read_it() {
        let (mut out, read) = out();
        let written = Arc::clone(&out.written);
        out.ask("ask", &json!({}));
        assert_eq!(out.put_so_far(), 1);
        assert!(!read.recv().unwrap().ends_with(b"\n"));
        let end = read.recv().unwrap();
        assert_eq!((end.as_slice(), written.load(Ordering::SeqCst)), (&b"\n"[..], 1));
    }
}
