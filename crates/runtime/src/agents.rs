//! Agents with stages: those that ship, and the user's own in the configuration's `agents/` folder.
//!
//! Owns reading their files. Never runs one: the session does, and what a project brings is none of them.

use pilothouse_core::{
    front::Fault,
    pipeline::{Agents, Depth, PipelineAgent},
};

use crate::{home::Home, own};

/// The files of an agent that ships.
type Shipped = (&'static str, &'static [(&'static str, &'static str)]);

macro_rules! shipped {
    ($slug:literal: $($file:literal)+) => {
        ($slug, &[$(($file, include_str!(concat!("../../../assets/agents/", $slug, "/", $file))),)+])
    };
}

const SHIPPED: &[Shipped] = &[
    shipped!(
        "research": "config.json" "AGENT.md" "prompts/stage-analyze_query.md"
        "prompts/stage-websearch_calibration.md" "prompts/stage-synthesize.md" "prompts/stage-verify.md"
    ),
    shipped!("review-diff": "config.json" "AGENT.md" "prompts/stage-find.md"),
];

/// Everything that can be called, and a line for each of the user's agents that cannot be read.
pub fn load(home: &Home, depth: Depth) -> (Agents, Vec<String>) {
    let (mut all, mut notices) = (Vec::new(), Vec::new());
    for (slug, files) in SHIPPED {
        let text = |name: &str| files.iter().find(|(n, _)| *n == name).map(|(_, text)| (*text).to_owned());
        match read(slug, text) {
            Ok(agent) => all.push(agent),
            Err((file, fault)) => notices.push(format!("agents/{slug}/{file}:{fault}")),
        }
    }
    let folder = home.config.join("agents");
    let mut names: Vec<String> = std::fs::read_dir(&folder)
        .map(|d| d.flatten().filter_map(|e| e.file_name().into_string().ok()).collect())
        .unwrap_or_default();
    names.sort();
    for slug in names.iter().filter(|n| folder.join(n).join("config.json").exists()) {
        let text = |name: &str| own::text(&folder.join(slug).join(name)).ok().flatten();
        match read(slug, text) {
            Ok(agent) => {
                all.retain(|a: &PipelineAgent| a.slug != *slug);
                all.push(agent);
            }
            Err((file, fault)) => {
                let at = folder.join(slug).join(file);
                notices.push(format!("{}:{fault}", at.display()));
            }
        }
    }
    (Agents { all, web: None, depth }, notices)
}

fn read(slug: &str, text: impl Fn(&str) -> Option<String>) -> Result<PipelineAgent, (String, Fault)> {
    let config = text("config.json").unwrap_or_default();
    let about = text("AGENT.md").unwrap_or_default();
    PipelineAgent::read(slug, &config, &about, &text)
}
