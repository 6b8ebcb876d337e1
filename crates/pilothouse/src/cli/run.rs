//! The command line of a goal without a screen. Never acts.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use pilothouse_core::{money::Limits, pipeline::Depth};

/// `run`.
#[derive(Clone, Debug, Args)]
pub struct RunArgs {
    /// What is wanted; `-` reads it from standard input.
    pub goal: String,
    /// Stop when the plan is ready.
    #[arg(long)]
    pub plan: bool,
    /// Let this agent do it, such as research; `pilothouse agents list` has them.
    #[arg(long, value_name = "NAME", conflicts_with = "plan")]
    pub agent: Option<String>,
    /// How it is gone about.
    #[command(flatten)]
    pub how: RunHow,
}

/// How a goal is gone about, whoever does it.
#[derive(Clone, Debug, Args)]
pub struct RunHow {
    /// The folder to work in.
    #[arg(long, default_value = ".")]
    pub dir: PathBuf,
    /// Approve plans and changes, and go on where an agent pauses between stages. It is auto mode: commands of low and medium risk run in the sandbox; what asks even there (the network, removals, high risk, and in a folder that is not trusted every gate) is refused to the model.
    #[arg(long)]
    pub auto_confirm: bool,
    /// How much is tried: repairs of a failed gate (none, two or three); how deep an agent goes. Standard, or as the agent says.
    #[arg(long, value_enum)]
    pub depth: Option<DepthArg>,
    /// How much the model thinks: none, minimal, low, medium, high, xhigh.
    #[arg(long, value_name = "EFFORT")]
    pub effort: Option<String>,
    /// Make no more model calls than this.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub max_calls: Option<u32>,
    /// Ask no model once this much is spent: US dollars (0.50), tokens (50000t) or model calls (20c).
    #[arg(long, value_name = "USD", value_parser = Limits::parse)]
    pub budget: Option<Limits>,
    /// Print the event log as it grows, one JSON object a line.
    #[arg(long)]
    pub json: bool,
    /// Print progress (the default).
    #[arg(long, overrides_with = "no_stream_progress")]
    pub stream_progress: bool,
    /// Print only a line for each finished task.
    #[arg(long)]
    pub no_stream_progress: bool,
    /// The mode.
    #[arg(long, value_enum)]
    pub mode: Option<ModeArg>,
    /// Stop after this many seconds.
    #[arg(long, value_name = "S")]
    pub timeout: Option<u64>,
    /// Write the proposed and applied changes as a patch.
    #[arg(long, value_name = "FILE")]
    pub patch_out: Option<PathBuf>,
    /// Trust the folder for this run: its settings, hooks and gates have effect.
    #[arg(long)]
    pub trust: bool,
    /// Keep nothing of the session.
    #[arg(long)]
    pub no_persist: bool,
    /// Go on in this session.
    #[arg(long, value_name = "ID")]
    pub session: Option<String>,
}

/// How much is tried.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum DepthArg {
    /// No repairs.
    Quick,
    /// Two repairs.
    Standard,
    /// Three repairs.
    Deep,
}

impl DepthArg {
    /// How deep an agent with stages goes.
    pub const fn depth(self) -> Depth {
        match self {
            Self::Quick => Depth::Quick,
            Self::Standard => Depth::Standard,
            Self::Deep => Depth::Deep,
        }
    }
}

/// A mode by name.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum ModeArg {
    /// Complete plans with provenance.
    Proof,
    /// Incremental plans.
    Explore,
}
