//! What is told where a pipeline waits: words of the program, never of a model.

use super::{PipelineState, StageSpec};

/// Told where a stage needs the web and nothing reaches it.
const NO_WEB: &str = "skipped: no web source";
/// Told where it is not to be asked.
const NOT_SO_DEEP: &str = "skipped: the web is searched from depth standard up";
/// What the questions are marked by: the ways to go on have the numbers.
const LETTERS: &str = "abcdefghijklmnopqrstuvwxyz";

/// Why a stage is left out, where it is.
pub fn left_out(state: &PipelineState, stage: &StageSpec) -> Option<&'static str> {
    let why = match state.beginning().and_then(|b| b.web.as_ref()) {
        None => NO_WEB,
        Some(_) if !state.depth().numbers().web => NOT_SO_DEEP,
        Some(_) => return None,
    };
    stage.web.then_some(why)
}

/// What is told after a stage: what it came to, and the ways to go on.
pub fn pause_message(state: &PipelineState, stage: usize, note: &str) -> String {
    let name = state.stage(stage).map(StageSpec::shown).unwrap_or_default();
    let later = (stage + 1..state.stages()).filter_map(|n| state.stage(n));
    let next =
        later.into_iter().find(|s| left_out(state, s).is_none()).map(StageSpec::shown).unwrap_or_default();
    let title = state.beginning().map_or("", |b| b.title.as_str());
    let mut text = format!("{title} waits after stage {} of {}: {name}\n{note}", stage + 1, state.stages());
    if state.current_stage().is_some_and(|(n, _)| n == stage) {
        for (query, letter) in state.queries().iter().zip(LETTERS.chars()) {
            text.push_str(&format!("\n  {letter}. {query}"));
        }
    }
    text.push_str(&format!("\n1. Proceed to {next}\n2. Modify: say what to change\n3. Exit"));
    text
}
