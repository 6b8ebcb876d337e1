//! What can go wrong while the session is driven, each with a hint for the user.
//!
//! Owns the one error type of this crate. Never decides what is done about an error.

use std::{io, path::PathBuf};

/// Everything that this crate can fail with.
#[derive(Debug, thiserror::Error)]
pub enum RuntimeError {
    /// The file system said no.
    #[error("cannot {doing} {}: {}", path.display(), cause(source))]
    Io {
        /// What was tried, as a verb: `read`, `write`.
        doing: &'static str,
        /// The path.
        path: PathBuf,
        /// Its answer.
        source: io::Error,
    },
    /// Another process holds the session.
    #[error("session {slug} is open in another process{holder}")]
    Locked {
        /// The session.
        slug: String,
        /// ` (process N)` where it is known, else empty.
        holder: String,
    },
    /// The session was written by a newer version, whose form is not known here.
    #[error("session {slug} was written by a newer version of the program (format {format})")]
    Newer {
        /// The session.
        slug: String,
        /// Its format.
        format: u32,
    },
    /// The session is not deleted.
    #[error("session {slug} stays: {why}")]
    Kept {
        /// The session.
        slug: String,
        /// Why.
        why: String,
    },
    /// A session cannot be copied from there.
    #[error("{what} cannot be copied: {why}")]
    Copy {
        /// The session, or the file.
        what: String,
        /// Why.
        why: String,
    },
    /// There is no session of this name.
    #[error("there is no session {0}")]
    NoSession(String),
    /// The log of a session says nothing, not even which folder it is about.
    #[error("the log of session {0} is empty: there is nothing to go on with")]
    NoRecord(String),
    /// The folder to work in cannot be used.
    #[error("cannot work in {}: {why}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// Why.
        why: String,
    },
    /// A configuration file cannot be used.
    #[error("{}:{line}:{column}: {message}", file.display())]
    Config {
        /// The file.
        file: PathBuf,
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
        /// What is wrong.
        message: String,
        /// How to mend it.
        hint: String,
    },
    /// A value given by flag or environment cannot be used.
    #[error("{what}: {message}")]
    Setting {
        /// The flag or variable.
        what: String,
        /// What is wrong.
        message: String,
    },
    /// A file of the user's own configuration that others could have written.
    #[error("{} is not used: {why}", path.display())]
    NotOwn {
        /// The file.
        path: PathBuf,
        /// Who could have.
        why: String,
        /// How to mend it.
        mend: String,
    },
    /// A file that holds a key, or its folder, is open to others.
    #[error("{} holds a key and is readable by others (mode {mode:o})", path.display())]
    Exposed {
        /// The file.
        path: PathBuf,
        /// Its permission bits.
        mode: u32,
    },
    /// A record could not be put into its stored form; a defect of ours.
    #[error("a record could not be encoded: {0}")]
    Encode(#[from] serde_json::Error),
    /// The session's own machine refused to open it.
    #[error("the session cannot be opened: {0}")]
    Opening(String),
}

impl RuntimeError {
    /// Says what was tried on which path.
    pub fn io(doing: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { doing, path, source }
    }

    /// What the user can do about it.
    pub fn hint(&self) -> String {
        match self {
            Self::Io { source, .. } => remedy(source).to_owned(),
            Self::Locked { .. } => {
                "close the other one, or read it with `pilothouse sessions show`".to_owned()
            }
            Self::Newer { .. } => {
                "use that version to continue it; `pilothouse sessions show` reads what this version understands"
                    .to_owned()
            }
            Self::NoRecord(_) => "start a new one; the changes it made in the folder stay as they are".to_owned(),
            Self::Kept { slug, .. } => format!("look at it first: pilothouse resume {slug}"),
            Self::Copy { .. } => {
                "`pilothouse sessions verify` says what is wrong with a session; `sessions export ID --json` writes what \
                 can be imported"
                    .to_owned()
            }
            Self::NoSession(_) => "list them with `pilothouse sessions list`".to_owned(),
            Self::Folder { .. } => "give an existing folder that you can read".to_owned(),
            Self::Config { hint, .. } => hint.clone(),
            Self::NotOwn { mend, .. } => mend.clone(),
            Self::Setting { .. } => "see `pilothouse --help`".to_owned(),
            Self::Exposed { path, .. } => {
                let mode = if path.is_dir() { "700" } else { "600" };
                format!("run `chmod {mode} {}`", path.display())
            }
            Self::Encode(_) | Self::Opening(_) => "please report this with the log file".to_owned(),
        }
    }

    /// Whether it is a matter of usage or configuration (exit code 2) rather than of the world.
    pub const fn is_usage(&self) -> bool {
        match self {
            Self::NoSession(_)
            | Self::NoRecord(_)
            | Self::Copy { .. }
            | Self::Kept { .. }
            | Self::Newer { .. }
            | Self::Folder { .. }
            | Self::Config { .. }
            | Self::Setting { .. }
            | Self::Exposed { .. }
            | Self::NotOwn { .. }
            | Self::Locked { .. } => true,
            Self::Io { .. } | Self::Encode(_) | Self::Opening(_) => false,
        }
    }
}

/// The cause in plain words, without the operating system's error number.
pub(crate) fn cause(error: &io::Error) -> String {
    use io::ErrorKind as Kind;
    const KNOWN: [(Kind, &str); 7] = [
        (Kind::StorageFull, "the disk is full"),
        (Kind::QuotaExceeded, "the disk quota is used up"),
        (Kind::ReadOnlyFilesystem, "the file system is read-only"),
        (Kind::PermissionDenied, "permission denied"),
        (Kind::NotFound, "no such file or folder"),
        (Kind::IsADirectory, "it is a folder"),
        (Kind::NotADirectory, "a part of the path is not a folder"),
    ];
    let known = KNOWN.iter().find(|(kind, _)| *kind == error.kind());
    known.map_or_else(|| error.to_string(), |(_, text)| (*text).to_owned())
}

fn remedy(error: &io::Error) -> &'static str {
    use io::ErrorKind as Kind;
    if matches!(error.kind(), Kind::StorageFull | Kind::QuotaExceeded) {
        "make room on it"
    } else if matches!(error.kind(), Kind::ReadOnlyFilesystem | Kind::PermissionDenied) {
        "check who may write there; PILOTHOUSE_HOME puts the program's own files elsewhere"
    } else {
        "check the path and try again"
    }
}
