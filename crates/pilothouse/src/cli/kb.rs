//! The command line of `kb`. Never acts.

use clap::{Args, Subcommand};

/// What `kb` does.
#[derive(Clone, Debug, Subcommand)]
pub enum KbCommand {
    /// The passages that answer a question, the best first.
    Search(KbSearchArgs),
    /// What is in the index.
    Status(KbArgs),
    /// Throws the index away and makes it anew.
    Rebuild(KbArgs),
}

/// Arguments of `kb search`.
#[derive(Clone, Debug, Args)]
pub struct KbSearchArgs {
    /// The question, in words or names.
    pub query: String,
    /// A file or folder to look in; may be given several times.
    #[arg(long)]
    pub within: Vec<String>,
    /// Most passages.
    #[arg(long, default_value_t = 10)]
    pub max: usize,
    /// Print one JSON object a line.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `kb status` and `kb rebuild`.
#[derive(Clone, Debug, Args)]
pub struct KbArgs {
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}
