//! The command line of `sessions`. Never acts.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::WhichArgs;

/// `sessions …`.
#[derive(Clone, Debug, Subcommand)]
pub enum SessionsCommand {
    /// Lists sessions, newest first, each with the number of your messages in it.
    List(ListSessionsArgs),
    /// Shows what was said and done in a session; your messages with their numbers, from 1.
    Show {
        /// Which session.
        #[command(flatten)]
        which: WhichArgs,
        /// The events, one JSON object a line.
        #[arg(long)]
        json: bool,
    },
    /// Says where something was said, by you or by the agent.
    Search(SearchArgs),
    /// Writes what was said and done as a Markdown document.
    Export {
        /// Which session.
        #[command(flatten)]
        which: WhichArgs,
        /// Into this file, which must not be there yet.
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
        /// The events, one JSON object a line with the long texts that they name, instead of Markdown: what `import` takes.
        #[arg(long)]
        json: bool,
    },
    /// Takes in a session that `export --json` wrote; what it asked, planned or changed stays where it was.
    Import {
        /// The file; `-` is what is piped in.
        file: PathBuf,
        /// The folder that it is about from now on.
        #[arg(long, value_name = "DIR", default_value = ".")]
        dir: PathBuf,
    },
    /// Copies a session, to go on from it another way; what it asked, planned or changed stays its own.
    Fork {
        /// The session.
        id: String,
        /// Only up to your message number N, and what came of it: counted from 1 as in `list`, `show` and `/history`,
        /// replies not.
        #[arg(long, value_name = "N")]
        at: Option<usize>,
    },
    /// Tells a session again, event by event, from its log alone; starts nothing.
    Replay {
        /// Which session.
        #[command(flatten)]
        which: WhichArgs,
        /// Only up to this event, by its `seq`.
        #[arg(long, value_name = "SEQ")]
        until: Option<u64>,
        /// So many times as fast as it went, pauses of at most three seconds; all at once without.
        #[arg(long, value_name = "TIMES", value_parser = speed)]
        speed: Option<f64>,
        /// The events, and how it stood after the last of them, one JSON object a line.
        #[arg(long)]
        json: bool,
    },
    /// Calls a session so in lists.
    Rename {
        /// The session.
        id: String,
        /// What it is called; empty for what it is about.
        title: String,
    },
    /// Gives a session labels, or takes them away.
    Label {
        /// The session.
        id: String,
        /// Labels that it gets.
        labels: Vec<String>,
        /// A label that it loses.
        #[arg(long, value_name = "LABEL")]
        remove: Vec<String>,
    },
    /// Puts a session away: lists leave it out.
    Archive {
        /// The session.
        id: String,
        /// Take it out again.
        #[arg(long)]
        undo: bool,
    },
    /// Deletes a session for good; what it changed in the folder stays.
    Delete {
        /// The session.
        id: String,
        /// Without asking.
        #[arg(long)]
        yes: bool,
    },
    /// Checks the log of a session, or of all.
    Verify {
        /// The session.
        id: Option<String>,
        /// Every session.
        #[arg(long, conflicts_with = "id")]
        all: bool,
        /// One JSON object a line.
        #[arg(long)]
        json: bool,
    },
    /// Cuts a torn end of the log into a file beside it, and sums the session up anew.
    Repair {
        /// The session.
        id: String,
    },
}

/// Arguments of `sessions list`.
#[derive(Clone, Debug, Args)]
pub struct ListSessionsArgs {
    /// Sessions of every folder, not only this one.
    #[arg(long)]
    pub all: bool,
    /// Also those that were put away.
    #[arg(long)]
    pub archived: bool,
    /// Those with this label.
    #[arg(long, value_name = "LABEL")]
    pub label: Option<String>,
    /// One JSON object a line.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `sessions search`.
#[derive(Clone, Debug, Args)]
pub struct SearchArgs {
    /// What was said, in any case.
    pub text: String,
    /// In sessions of every folder, not only this one.
    #[arg(long)]
    pub all: bool,
    /// One JSON object a line.
    #[arg(long)]
    pub json: bool,
}

/// A speed: more than nothing.
fn speed(text: &str) -> Result<f64, String> {
    let speed = text.parse::<f64>().ok().filter(|speed| speed.is_finite() && *speed > 0.0);
    speed.ok_or_else(|| "a number above 0, such as 4".to_owned())
}
