//! The command line of `models`. Never acts.

use clap::{Args, Subcommand};

/// `models …`.
#[derive(Clone, Debug, Subcommand)]
pub enum ModelsCommand {
    /// Lists the connections, where each was said, and the models that its endpoint has.
    List(ModelsArgs),
    /// Lets each answer one short message, and says what failed.
    Test(ModelsArgs),
}

/// Which, and how it is told.
#[derive(Clone, Debug, Args)]
pub struct ModelsArgs {
    /// A connection: `main`, or the name of one of [model.also]; all of them without.
    pub name: Option<String>,
    /// One JSON object a line.
    #[arg(long)]
    pub json: bool,
}
