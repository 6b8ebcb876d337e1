//! What is told where a pipeline waits: words of the program, never of a model.

use super::PipelineState;

/// What is told after a stage: what it came to, and the ways to go on.
pub fn pause_message(state: &PipelineState, stage: usize, note: &str) -> String {
    let name = state.stage(stage).map(super::StageSpec::shown).unwrap_or_default();
    let next = state.stage(stage + 1).map(super::StageSpec::shown).unwrap_or_default();
    let title = state.beginning().map_or("", |b| b.title.as_str());
    let mut text = format!("{title} waits after stage {} of {}: {name}\n{note}", stage + 1, state.stages());
    if state.current_stage().is_some_and(|(n, _)| n == stage) {
        for (query, n) in state.queries().iter().zip(1..) {
            text.push_str(&format!("\n  {n}. {query}"));
        }
    }
    text.push_str(&format!("\n1. Proceed to {next}\n2. Modify: say what to change\n3. Exit"));
    text
}
