//! What a model is told in a stage of a pipeline: its prompt, and exactly what that stage needs.
//!
//! Owns bringing the texts of a pipeline together. Never tells of the conversation around it.

use pilothouse_core::{
    pipeline::{Answer, Material, PipelineState, StageSpec, ToolStep, brief},
    session::Pipeline,
    talk::{Message, ModelRequest, Purpose, Role},
};

use super::Texts;

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

/// The request for the stage at work.
pub fn request(pipeline: &Pipeline, material: &Material, texts: &dyn Texts) -> Option<ModelRequest> {
    let state: &PipelineState = &pipeline.state;
    let (stage, _) = state.open_stage()?;
    let began = state.beginning()?;
    let prompt = began.prompts.get(stage).map(|p| texts.whole(p)).unwrap_or_default();
    let mut text = format!("{}\n\n{}", brief(state, stage, material), prompt.trim());
    if material.reply.is_some() && state.stage(stage).is_some_and(StageSpec::asks) {
        text = format!("{text}\n\n{AGAIN}");
    }
    Some(ModelRequest {
        purpose: Purpose::Stage,
        system: texts.whole(&began.body),
        messages: vec![Message::text(Role::User, text)],
        tools: Vec::new(),
        most_tokens: None,
    })
}
