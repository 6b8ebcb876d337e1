//! What a stage without a model works on, and what comes of it.
//!
//! Owns which calls such a stage makes and when it is done, as a function of what it was handed. Never makes one.

use std::collections::BTreeMap;

use super::{
    Analysis, Answer, Draft, Gives, PipelineState, Sources, StageKind, StageSpec, Verification,
    postprocess::Reference, render, retrieve, verify, web,
};

/// A call that a stage made, and what came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolStep {
    /// The tool.
    pub tool: String,
    /// Its arguments.
    pub args: String,
    /// Whether it did what it should.
    pub ok: bool,
    /// What it said.
    pub text: String,
}

/// The texts that a stage works on.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Material {
    /// What each stage came to, by its name.
    pub outputs: BTreeMap<String, String>,
    /// The calls of the stage at work, in their order.
    pub steps: Vec<ToolStep>,
    /// What the model said in it.
    pub reply: Option<String>,
    /// The answer that is followed up.
    pub prior: Option<Answer>,
}

/// What a stage does next.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// It makes these calls.
    Call(Vec<(String, String)>),
    /// It asks the model.
    Ask,
    /// It is done.
    Done(Box<Outcome>),
    /// There is nothing for it and the stages behind it to do: this is the whole answer.
    Over(String),
    /// It cannot go on.
    Fail(String),
}

/// What a stage came to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// What later stages work on.
    pub output: String,
    /// The same in a line, for people.
    pub note: String,
    /// Whether the stage before is to be done again.
    pub again: bool,
    /// The questions in it.
    pub queries: Vec<String>,
    /// Whether it was left out.
    pub skipped: bool,
    /// What is told to the user as the answer.
    pub answer: Option<String>,
    /// Why that is none, where it is none.
    pub lacks: String,
    /// Whether that is passages, word for word, which no model summed up.
    pub word_for_word: bool,
}

impl Material {
    /// What the last stage that is like this came to.
    pub(super) fn of(&self, state: &PipelineState, is: impl Fn(&StageSpec) -> bool) -> Option<&str> {
        let stages = state.beginning().map(|b| b.spec.stages.as_slice()).unwrap_or_default();
        let name = stages.iter().rev().filter(|s| is(s)).find_map(|s| self.outputs.get(&s.name));
        name.map(String::as_str).filter(|text| !text.is_empty())
    }

    /// The draft of the answer.
    pub fn draft(&self, state: &PipelineState) -> Draft {
        self.of(state, |s| s.gives == Some(Gives::Draft)).map(Draft::kept).unwrap_or_default()
    }

    /// What stages that look things up found.
    pub fn sources(&self, state: &PipelineState) -> Sources {
        let found = self.of(state, |s| s.kind == StageKind::ToolFanout);
        found.map(Sources::kept).unwrap_or_default()
    }

    /// What a draft may name beside passages: sections of the answer that is followed up, what the web and other
    /// sources said.
    pub fn references(&self, state: &PipelineState) -> Vec<Reference> {
        let prior = self.prior.as_ref().map(Answer::references).unwrap_or_default();
        let kept = self.of(state, |s| s.web).and_then(|text| serde_json::from_str::<Analysis>(text).ok());
        let found = kept.map(|a| a.web).unwrap_or_default().into_iter().chain(self.sources(state).beside);
        prior.into_iter().chain(web::references(found.collect())).collect()
    }

    /// What came of holding the draft against its sources.
    pub fn verification(&self, state: &PipelineState) -> Option<Verification> {
        let text = self.of(state, |s| s.kind == StageKind::Verify)?;
        serde_json::from_str(text).ok()
    }

    /// What the stage of this shape handed in.
    pub fn given(&self, state: &PipelineState, gives: Gives) -> Option<&str> {
        self.of(state, |s| s.gives == Some(gives))
    }
}

/// What the stage at work does next.
pub fn work(state: &PipelineState, stage: usize, material: &Material) -> Step {
    match state.stage(stage).map(|s| s.kind) {
        Some(StageKind::Llm) if state.stage(stage).is_some_and(|s| s.web) => web::step(state, material),
        Some(StageKind::Llm) => Step::Ask,
        Some(StageKind::ToolFanout) => retrieve::step(state, stage, material),
        Some(StageKind::Verify) => verify::step(state, stage, material),
        Some(StageKind::Render) => render::step(state, material),
        None => Step::Fail("there is no such stage".to_owned()),
    }
}
