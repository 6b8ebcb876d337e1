//! Exit codes and the failures that carry one. Never prints.

/// Wrong usage or configuration.
pub const USAGE: u8 = 2;
/// Something went wrong.
pub const FAILED: u8 = 1;
/// A question that nobody is there to answer.
pub const ASKED: u8 = 3;

/// Why the program ends early, with its exit code.
#[derive(Debug)]
pub struct Failure {
    /// The exit code.
    pub code: u8,
    /// What happened and what to do.
    pub message: String,
}

impl Failure {
    /// A failure with this code.
    pub fn new(code: u8, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }
}

/// What tasks run on. Too few processes are told: a thread that cannot be started there ends all by a panic.
///
/// # Errors
/// When the system starts no further thread.
pub fn workers(threads: usize) -> std::io::Result<tokio::runtime::Runtime> {
    let mut tried = Vec::new();
    for _ in 0..=threads {
        let (done, waits) = std::sync::mpsc::sync_channel::<()>(1);
        // All of them at once, as they will be; each ends when its end of the channel goes.
        let thread = std::thread::Builder::new().spawn(move || waits.recv().is_ok());
        tried.push((
            done,
            thread.map_err(|e| {
                let why =
                    "the system will not start another thread; allow the user more processes (`ulimit -u`)";
                std::io::Error::new(e.kind(), why)
            })?,
        ));
    }
    for (done, thread) in tried {
        drop(done);
        drop(thread.join());
    }
    tokio::runtime::Builder::new_multi_thread().worker_threads(threads).enable_all().build()
}

impl From<std::io::Error> for Failure {
    fn from(e: std::io::Error) -> Self {
        // A reader that went away (`| head`) is no failure.
        let code = if e.kind() == std::io::ErrorKind::BrokenPipe { 0 } else { FAILED };
        Self::new(code, e.to_string())
    }
}

impl From<serde_json::Error> for Failure {
    fn from(e: serde_json::Error) -> Self {
        Self::new(FAILED, e.to_string())
    }
}
