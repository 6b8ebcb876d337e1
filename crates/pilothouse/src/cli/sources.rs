//! The arguments of `sources`. Owns their names and words.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// Where sources are looked for, and how they are printed.
#[derive(Clone, Debug, Args)]
pub struct At {
    /// The folder.
    #[arg(long, default_value = ".")]
    pub dir: PathBuf,
    /// One JSON object a line.
    #[arg(long)]
    pub json: bool,
}

/// `sources`.
#[derive(Clone, Debug, Subcommand)]
pub enum SourcesCommand {
    /// Lists them and where they come from; starts none.
    List {
        /// Where, and how.
        #[command(flatten)]
        at: At,
    },
    /// Starts each, or one, and says whether it answers.
    Test {
        /// The source.
        name: Option<String>,
        /// Where, and how.
        #[command(flatten)]
        at: At,
    },
    /// Shows what a source has, with what its server says of it.
    Tools {
        /// The source.
        name: String,
        /// Where, and how.
        #[command(flatten)]
        at: At,
    },
    /// Signs you in to one that is reached by HTTP, in your browser or by a code.
    Auth {
        /// The source.
        name: String,
        /// The folder.
        #[arg(long, default_value = ".")]
        dir: PathBuf,
        /// By a code that is typed in a browser anywhere, where its server offers that.
        #[arg(long)]
        code: bool,
        /// Only prints the address.
        #[arg(long)]
        no_browser: bool,
        /// How many seconds it is waited for.
        #[arg(long, value_name = "SECONDS", default_value_t = 300, value_parser = clap::value_parser!(u64).range(1..=3600))]
        wait: u64,
        /// Forgets that you signed in.
        #[arg(long, conflicts_with_all = ["code", "no_browser", "wait"])]
        forget: bool,
    },
    /// Writes one down among your own.
    Add {
        /// Its name.
        name: String,
        /// The address of a server that is reached by HTTP.
        #[arg(long, conflicts_with = "command")]
        url: Option<String>,
        /// A variable that it gets; `${NAME}` in the value stands for one of yours.
        #[arg(long, value_name = "NAME=VALUE")]
        env: Vec<String>,
        /// A header that it gets.
        #[arg(long, value_name = "NAME=VALUE", requires = "url")]
        header: Vec<String>,
        /// What it is for.
        #[arg(long)]
        about: Option<String>,
        /// Let its tools run unasked where they say that they only read.
        #[arg(long)]
        read_only: bool,
        /// The command line that starts it.
        #[arg(last = true)]
        command: Vec<String>,
    },
    /// Takes one of your own away.
    Remove {
        /// Its name.
        name: String,
    },
}
