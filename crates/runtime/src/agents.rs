//! Agents with stages: those that ship, and how the files of any are read.
//!
//! Owns which files such an agent has. Never runs one: the session does; where they are looked for is `recipes.rs`.

use std::cell::RefCell;

use pilothouse_core::{
    front::{Fault, Place},
    pipeline::{PipelineAgent, PipelineSpec, StageSpec},
    recipe::{Recipe, RecipeOrigin, text_of},
};

/// The file that makes a folder an agent with stages.
pub(crate) const CONFIG: &str = "config.json";

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

/// The agents that ship.
pub(crate) fn shipped() -> impl Iterator<Item = Recipe> {
    SHIPPED.iter().map(|(slug, files)| {
        let of = |name: &str| files.iter().find(|(n, _)| *n == name);
        read(RecipeOrigin::Shipped, slug, &format!("agents/{slug}"), |name| {
            of(name).map(|(_, text)| Ok(text.as_bytes().to_vec()))
        })
    })
}

/// The agent in a folder, whose files `bytes` brings by their names in it, or says why it cannot.
pub(crate) fn read(
    origin: RecipeOrigin,
    slug: &str,
    folder: &str,
    bytes: impl Fn(&str) -> Option<Result<Vec<u8>, String>>,
) -> Recipe {
    let broken = RefCell::new(None);
    let text = |name: &str| {
        let whole = bytes(name)?.map_err(|why| Fault::new(Place::START, why)).and_then(text_of);
        whole.map_err(|fault| broken.borrow_mut().get_or_insert((name.to_owned(), fault)).clone()).ok()
    };
    let (config, about) = (text(CONFIG).unwrap_or_default(), text("AGENT.md").unwrap_or_default());
    let read = PipelineAgent::read(slug, config.trim_start_matches('\u{feff}'), &about, text);
    Recipe::staged(origin, slug, folder, broken.into_inner().map_or(read, Err))
}

/// What the file of an agent of a project that says its stages would do, in words.
pub(crate) fn would(config: &[u8]) -> String {
    let spec = text_of(config.to_vec()).and_then(|text| PipelineSpec::read(&text));
    let spec = match spec {
        Ok(spec) => spec,
        Err(fault) => return format!("the stages of an agent that cannot be used: {fault}"),
    };
    let runs: Vec<String> =
        spec.stages.iter().filter_map(|s| Some(format!("`{}`", s.command.as_ref()?))).collect();
    let runs = if runs.is_empty() { String::new() } else { format!("; runs {}", runs.join(", ")) };
    format!(
        "the stages of an agent: {}{runs}",
        spec.stages.iter().map(StageSpec::shown).collect::<Vec<_>>().join(", ")
    )
}
