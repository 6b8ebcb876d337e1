//! What comes from the terminal, each with the time at which it can have come at the earliest.
//!
//! Owns the reading: everything that lies in the terminal is read before anything is done with it.
//! Never blocks the loop and never wakes it for nothing.

pub mod decoder;
pub mod sequence;

use std::{
    fs::File,
    io::{self, Read},
    os::fd::AsFd,
    sync::{
        Arc,
        mpsc::{SyncSender, sync_channel},
    },
    thread,
    time::Instant,
};

use crossterm::event::Event;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use tokio::{
    io::{Interest, unix::AsyncFd},
    sync::Notify,
    time::Instant as At,
};

use crate::standing::Stamp;
use decoder::Decoder;

/// At most this much is read before the screen is looked at again.
const MOST: usize = 256 * 1024;
/// What one read takes.
const CHUNK: usize = 16 * 1024;

/// Events of the terminal.
pub struct Keys {
    /// The terminal. It is never set to be non-blocking: the program that started this one uses it
    /// too. It is only read when something lies there.
    terminal: File,
    watch: Watch,
    decoder: Decoder,
    buffer: Vec<u8>,
    /// When it was last seen that nothing lay in the terminal.
    empty: Instant,
}

impl Keys {
    /// Listens to standard input; within a runtime.
    ///
    /// # Errors
    /// When there is none, or nothing that could watch it.
    pub fn listen() -> io::Result<Self> {
        Self::of(File::from(io::stdin().as_fd().try_clone_to_owned()?), Watch::start)
    }

    fn of(terminal: File, watch: impl FnOnce(File) -> io::Result<Watch>) -> io::Result<Self> {
        let watch = watch(terminal.try_clone()?)?;
        let (decoder, buffer) = (Decoder::default(), vec![0; CHUNK]);
        Ok(Self { terminal, watch, decoder, buffer, empty: Instant::now() })
    }

    /// Waits until there is an event.
    ///
    /// # Errors
    /// When the terminal went away.
    pub async fn ready(&mut self) -> io::Result<()> {
        let mut woken = None;
        loop {
            // What lies there before the loop sleeps came at some time since nothing did; what
            // wakes it comes now. A key must never seem newer than it may be.
            self.gather(woken.unwrap_or(self.empty))?;
            self.decoder.settle(self.empty);
            if !self.decoder.is_empty() {
                return Ok(());
            }
            let esc = async {
                match self.decoder.esc_is_key_at() {
                    Some(at) => tokio::time::sleep_until(At::from_std(at)).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                rung = self.watch.rings() => rung?,
                () = esc => {}
            }
            woken = Some(Instant::now());
        }
    }

    /// Takes in all that lies in the terminal. Returns when it was seen to be empty; `None` when
    /// there was more than can be taken in at once.
    ///
    /// # Errors
    /// When the terminal went away.
    pub fn drain(&mut self) -> io::Result<Option<Instant>> {
        self.gather(self.empty)
    }

    /// Since when nothing more was typed than was taken out of it; `None` while there is something.
    ///
    /// # Errors
    /// When the terminal went away.
    pub fn quiet(&mut self) -> io::Result<Option<Instant>> {
        let empty = self.drain()?;
        Ok(empty.filter(|_| self.decoder.is_empty()))
    }

    /// Whether nothing was typed that was not taken out of it.
    pub fn is_empty(&self) -> bool {
        self.decoder.is_empty()
    }

    /// The next event that was taken in.
    pub fn pop(&mut self) -> Option<(Event, Stamp)> {
        self.decoder.pop()
    }

    /// Whether the background is dark, if the terminal said so since this was asked last.
    pub const fn take_dark(&mut self) -> Option<bool> {
        self.decoder.take_dark()
    }

    fn gather(&mut self, came: Instant) -> io::Result<Option<Instant>> {
        let mut taken = 0;
        while lies(&self.terminal, Some(&Timespec::default()))? {
            if taken >= MOST {
                return Ok(None);
            }
            let read = match self.terminal.read(&mut self.buffer) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(read) => read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            self.decoder.take(self.buffer.get(..read).unwrap_or_default(), came, Instant::now());
            taken += read;
        }
        self.empty = Instant::now();
        Ok(Some(self.empty))
    }
}

/// Wakes the loop when something lies in the terminal. It never reads: while another program has the terminal, the keys are
/// that one's.
enum Watch {
    /// By the runtime itself, which on Linux watches terminals as anything else.
    Reactor(AsyncFd<File>),
    /// By a thread that sleeps until then.
    Thread(Sleeper),
}

impl Watch {
    fn start(terminal: File) -> io::Result<Self> {
        if cfg!(target_os = "linux") {
            #[expect(
                deprecated,
                reason = "what took its place is unsafe; this file is owned, and stays open"
            )]
            return AsyncFd::with_interest(terminal, Interest::READABLE).map(Self::Reactor);
        }
        Sleeper::start(terminal).map(Self::Thread)
    }

    /// Waits until something lies there; may return for nothing after another program had it.
    async fn rings(&mut self) -> io::Result<()> {
        match self {
            // What comes from here on rings again.
            Self::Reactor(terminal) => terminal.readable().await?.clear_ready(),
            Self::Thread(sleeper) => sleeper.rings().await,
        }
        Ok(())
    }
}

/// A thread that sleeps until something lies in the terminal.
struct Sleeper {
    begin: SyncSender<()>,
    begun: bool,
    bell: Arc<Notify>,
}

impl Sleeper {
    fn start(terminal: File) -> io::Result<Self> {
        let (begin, begins) = sync_channel(1);
        let bell = Arc::new(Notify::new());
        let rope = Arc::clone(&bell);
        thread::Builder::new().name("keys".into()).spawn(move || {
            while begins.recv().is_ok() {
                drop(lies(&terminal, None));
                rope.notify_one();
            }
        })?;
        Ok(Self { begin, begun: false, bell })
    }

    async fn rings(&mut self) {
        if !self.begun {
            self.begun = self.begin.try_send(()).is_ok();
        }
        self.bell.notified().await;
        self.begun = false;
    }
}

/// Whether a read would find something, or the end; waits for that at most so long.
fn lies(terminal: &File, most: Option<&Timespec>) -> io::Result<bool> {
    let mut polled = [PollFd::new(terminal, PollFlags::IN)];
    loop {
        match poll(&mut polled, most) {
            Ok(ready) => return Ok(ready > 0),
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

#[cfg(test)]
mod tests;
