//! The command line of `agents` and `skills`. Never acts.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::run::RunHow;

/// What `agents` does.
#[derive(Clone, Debug, Subcommand)]
pub enum AgentsCommand {
    /// Lists the agents that there are here, those that cannot be used among them.
    List(ListArgs),
    /// Checks your agents and those that this folder brings: file, line and column of what is wrong.
    Validate {
        /// One JSON object a line.
        #[arg(long)]
        json: bool,
    },
    /// Lets an agent do something, without a screen; as `run --agent NAME`.
    Run {
        /// The agent.
        name: String,
        /// What is asked of it.
        query: String,
        /// How it is gone about.
        #[command(flatten)]
        how: Box<RunHow>,
    },
}

/// What `skills` does.
#[derive(Clone, Debug, Subcommand)]
pub enum SkillsCommand {
    /// Lists the skills and commands that there are here, those that cannot be used among them.
    List(ListArgs),
}

/// Arguments of a list.
#[derive(Clone, Debug, Args)]
pub struct ListArgs {
    /// The folder.
    #[arg(long, default_value = ".")]
    pub dir: PathBuf,
    /// One JSON object a line.
    #[arg(long)]
    pub json: bool,
}
