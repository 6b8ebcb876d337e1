//! What can go wrong with a source, each in words that name the cause.

/// Why a source did not answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SourceFault {
    /// There is none of that name.
    #[error("there is no source called {0}")]
    Unknown(String),
    /// It is turned off.
    #[error("it is turned off; `enabled` in its configuration turns it on")]
    Off,
    /// The project brings it, and the folder is not trusted.
    #[error("the project brings it, and the folder is not trusted: nothing of it starts")]
    Untrusted,
    /// A client names it, and its user has not agreed to it.
    #[error("the user has not agreed to it: it is not there in this session")]
    Unanswered,
    /// A client names it, and its user left it out.
    #[error("the user left it out: it is not there in this session")]
    LeftOut,
    /// A variable that its configuration names has no value.
    #[error("{0} has no value: set it in the environment, or store it with `pilothouse auth set {0}`")]
    NoValue(String),
    /// It could not be started or reached.
    #[error("it could not be started: {0}")]
    NotStarted(String),
    /// It said nothing in time.
    #[error("it did not answer {what} within {seconds} s")]
    TimedOut {
        /// What was asked.
        what: String,
        /// How long it had, in seconds.
        seconds: u64,
    },
    /// It went away.
    #[error("it ended: {0}")]
    Died(String),
    /// It sent more than is taken.
    #[error("{0}; it was stopped")]
    TooMuch(String),
    /// It answered with an error.
    #[error("it answered with an error: {0}")]
    Answered(String),
    /// It does not take what it was handed.
    #[error("it does not take these arguments: {0}")]
    Arguments(String),
    /// It answered with something that the protocol does not know.
    #[error("it does not keep to the protocol: {0}")]
    Protocol(String),
    /// It wants to be signed in to; its name.
    #[error("it wants to be signed in to: `pilothouse sources auth {0}`, or a key in its `headers`")]
    SignIn(String),
    /// A client names it, and it wants more than the client gave it.
    #[error("it wants to be signed in to, which the editor has to do: it gave no header that is taken")]
    NoSignIn,
    /// It failed a moment ago, and is left alone for a while.
    #[error("it failed ({why}) and is not started again for {seconds} s")]
    Resting {
        /// How it failed.
        why: String,
        /// For how long yet.
        seconds: u64,
    },
    /// Those of its session have ended.
    #[error("the sources that it belonged to have ended")]
    Ended,
    /// The call was stopped.
    #[error("the call was stopped")]
    Cancelled,
}

impl SourceFault {
    /// Whether it quotes what the server said or complained of.
    pub const fn quotes(&self) -> bool {
        matches!(
            self,
            Self::Answered(_)
                | Self::Arguments(_)
                | Self::Died(_)
                | Self::NotStarted(_)
                | Self::Protocol(_)
                | Self::Resting { .. }
        )
    }

    /// Whether it says that the process or the connection is of no use any more.
    pub(crate) const fn is_fatal(&self) -> bool {
        matches!(
            self,
            Self::Died(_) | Self::TooMuch(_) | Self::NotStarted(_) | Self::SignIn(_) | Self::NoSignIn
        )
    }
}
