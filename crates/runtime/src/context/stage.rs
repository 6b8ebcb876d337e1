//! What a model is told in a stage of a pipeline: its prompt, and exactly what that stage needs.
//!
//! Owns bringing the texts of a pipeline together. Never tells of the conversation around it.

use pilothouse_core::{
    pipeline::{Answer, Material, PipelineState, StageSpec, ToolStep, brief},
    session::Pipeline,
    talk::{Message, ModelRequest, Purpose, Role},
};

use super::{Texts, Unprepared, Window, budget};

/// Between what a stage works on and what it is to do.
const BETWEEN: &str = "\n\n";
/// Told where the last reply of a stage could not be read.
const AGAIN: &str = "Your last reply could not be read. Reply with the JSON object alone.";

/// The texts that the stage at work works on; `prior` is the answer that it follows up.
pub fn material(pipeline: &Pipeline, texts: &dyn Texts, prior: Option<Answer>) -> Material {
    let state = &pipeline.state;
    let name = |n: usize| state.stage(n).map(|s| s.name.clone()).unwrap_or_default();
    let outputs = state.stage_outputs().into_iter().map(|(n, text, _)| (name(n), texts.whole(text)));
    let steps = pipeline.calls.iter().filter_map(|c| {
        let (ok, text) = c.result.as_ref()?;
        let tool = c.tool.name().to_owned();
        Some(ToolStep { tool, args: c.args.clone(), ok: *ok, text: texts.whole(text) })
    });
    Material {
        outputs: outputs.collect(),
        steps: steps.collect(),
        reply: state.reply().map(|text| texts.whole(text)),
        prior: prior.filter(|answer| answer.run.is_some() && answer.run == state.previous_session_id()),
    }
}

/// The request for the stage at work, as the model's window holds it.
///
/// # Errors
/// When no stage is at work, and when the window does not hold what the stage needs.
pub fn request(
    pipeline: &Pipeline,
    material: &Material,
    texts: &dyn Texts,
    window: Window,
) -> Result<ModelRequest, Unprepared> {
    let state: &PipelineState = &pipeline.state;
    let (stage, _) = state.open_stage().ok_or(Unprepared::Gone)?;
    let began = state.beginning().ok_or(Unprepared::Gone)?;
    let prompt = began.prompts.get(stage).map(|p| texts.whole(p)).unwrap_or_default();
    let (system, mut prompt) = (texts.whole(&began.body), prompt.trim().to_owned());
    if material.reply.is_some() && state.stage(stage).is_some_and(StageSpec::asks) {
        prompt = format!("{prompt}\n\n{AGAIN}");
    }
    let fixed = system.len() + budget::size(&Message::text(Role::User, prompt.clone())) + BETWEEN.len();
    let too_small = |fixed| Unprepared::TooSmall(super::too_small(window, fixed));
    let room = window.room(fixed).ok_or_else(|| too_small(fixed))?;
    let told = brief(state, stage, material, room);
    if told.len() > room {
        return Err(too_small(fixed + told.len()));
    }
    let messages = vec![Message::text(Role::User, format!("{told}{BETWEEN}{prompt}"))];
    Ok(ModelRequest { purpose: Purpose::Stage, system, messages, tools: Vec::new(), most_tokens: None })
}
