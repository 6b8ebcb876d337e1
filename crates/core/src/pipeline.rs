//! Stage pipelines: a loop over stages in which code keeps the state and a model does one focused thing at a time.
//!
//! Owns how a pipeline is configured, what happened to it, what comes next and what code makes of what models
//! and tools hand in. Never asks a model, runs a tool or touches a file: the session does the first two by its
//! ordinary ways, the runtime the third.

mod aim;
pub mod breakout;
mod brief;
mod change;
mod claims;
mod depth;
mod draft;
mod findings;
mod material;
mod name;
mod pause;
pub mod postprocess;
mod render;
mod retrieve;
mod spec;
pub mod state;
mod summary;
#[cfg(test)]
mod tests;
mod verify;
mod web;

pub use breakout::{Case, Judgement, Response, Said, Source};
pub use brief::brief;
pub use claims::{Cite, Claim, claims};
pub use depth::{Depth, DepthNumbers};
pub use draft::{Analysis, Draft, Findings, Gives, Section};
pub use material::{Material, Outcome, Step, ToolStep, work};
pub use name::{StepName, WEB_SEARCH, step_name};
pub use pause::{left_out, pause_message};
pub use render::{Answer, BesideLine, SourceLine, StageCost};
pub use retrieve::Sources;
pub use spec::{Agents, Axes, OutputSpec, PipelineAgent, PipelineSpec, RunBudget, StageKind, StageSpec};
pub use state::{Next, PipelineExit, PipelineState, StageEvent};
pub use summary::{PRIOR_MARK, Summary, prior_block};
pub use verify::{By, Checked, Mark, Verification};
pub use web::{WebResult, WebSearch};

pub(crate) use crate::money::count;
