//! The arguments of `sources`. Owns their names and words.

use std::path::PathBuf;

use clap::Subcommand;

/// `sources`.
#[derive(Clone, Debug, Subcommand)]
pub enum SourcesCommand {
    /// Lists them and where they come from; starts none.
    List {
        /// The folder.
        #[arg(long, default_value = ".")]
        dir: PathBuf,
        /// One JSON object a line.
        #[arg(long)]
        json: bool,
    },
    /// Starts each, or one, and says whether it answers.
    Test {
        /// The source.
        name: Option<String>,
        /// The folder.
        #[arg(long, default_value = ".")]
        dir: PathBuf,
        /// One JSON object a line.
        #[arg(long)]
        json: bool,
    },
    /// Shows what a source has, with what its server says of it.
    Tools {
        /// The source.
        name: String,
        /// The folder.
        #[arg(long, default_value = ".")]
        dir: PathBuf,
        /// One JSON object a line.
        #[arg(long)]
        json: bool,
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
