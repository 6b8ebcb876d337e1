//! Exit codes and the failures that carry one. Never prints.

/// Wrong usage or configuration.
pub const USAGE: u8 = 2;
/// Something went wrong.
pub const FAILED: u8 = 1;

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
