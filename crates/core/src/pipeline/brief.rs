//! What a model is told in a stage: the question and exactly what that stage needs, each in a mark of its own.
//!
//! Owns that shape. Never tells of the conversation around it.

use super::{
    Claim, Gives, Material, PipelineState, StageKind, StageSpec, change,
    claims::{self, claims},
    postprocess::Reference,
    verify, web,
};
use crate::{knowledge::Passage, mark::inside};

/// What the mark around passages takes.
const PASSAGES_BYTES: usize = 64;
/// Bytes of text that count as a token.
const TOKEN_BYTES: usize = 4;

/// What a model is told in a stage, after its prompt, in about so many bytes: what was found gives way, the worst of it
/// first.
pub fn brief(state: &PipelineState, stage: usize, material: &Material, most: usize) -> String {
    let numbers = state.depth().numbers();
    let budget = numbers.tokens * TOKEN_BYTES;
    let spec = state.stage(stage);
    let mut parts = vec![mark("query", state.original_query()), mark("depth", state.depth().name())];
    parts.extend(state.feedback().map(|text| mark("the_user_wants", text)));
    let gives = spec.and_then(|s| s.gives);
    match (spec.map(|s| s.kind), gives) {
        (Some(StageKind::Llm), Some(Gives::Analysis | Gives::Calibration)) => {
            parts.push(mark("most_sub_queries", &numbers.queries.to_string()));
            parts.extend(queries(state));
            if spec.is_some_and(|s| s.web) {
                parts.extend(told("web", &web::found(material)));
            } else {
                parts.extend(beside(state, material));
            }
        }
        (Some(StageKind::Llm), Some(Gives::Draft)) => {
            parts.extend(queries(state));
            parts.extend(beside(state, material));
            let sources = material.sources(state);
            let again = again(state, material, Gives::Draft, "draft");
            let told = sources.passages.iter().zip(1..).map(|(p, n)| passage(p, n));
            parts.push(passages(told, left(most, parts.iter().chain(&again)).min(budget)));
            parts.extend(again);
        }
        (Some(StageKind::Llm), Some(Gives::Findings)) => {
            let again = again(state, material, Gives::Findings, "findings");
            let room = left(most, parts.iter().chain(&again)).min(budget);
            let most = room / material.outputs.len().max(1);
            let stages = state.beginning().map(|b| b.spec.stages.as_slice()).unwrap_or_default();
            let told = |s: &StageSpec| {
                let output = material.outputs.get(&s.name).filter(|text| !text.is_empty())?;
                let of_change = s.collects() || s.files;
                let text = if of_change { change::told(s, output, most) } else { change::cut(output, most) };
                Some(mark(&s.name, &text))
            };
            parts.extend(stages.iter().take(stage).filter_map(told));
            parts.extend(again);
        }
        (Some(StageKind::Verify), _) => {
            let draft = verify::complete(state, material);
            let claims = claims(&draft);
            let sources = material.sources(state);
            let told = claims.iter().zip(1..).map(|(c, n)| claim(c, n));
            parts.push(format!("<claims>\n{}\n</claims>", told.collect::<Vec<_>>().join("\n")));
            let cites = claims::numbers(&claims);
            let beside = beside(state, material);
            let told = cites.into_iter().filter_map(|n| Some(passage(sources.at(n)?, n)));
            parts.push(passages(told, left(most, parts.iter().chain(&beside)).min(budget)));
            parts.extend(beside);
        }
        (Some(StageKind::Llm | StageKind::ToolFanout | StageKind::Render) | None, _) => {}
    }
    parts.join("\n\n")
}

/// How many bytes others leave of so many.
fn left<'a>(most: usize, others: impl Iterator<Item = &'a String>) -> usize {
    most.saturating_sub(others.map(|part| part.len() + 2).sum())
}

/// The first passages that fit into so many bytes.
fn passages(all: impl Iterator<Item = String>, most: usize) -> String {
    let (mut told, mut room) = (Vec::new(), most.saturating_sub(PASSAGES_BYTES));
    for passage in all {
        if let Some(rest) = room.checked_sub(passage.len() + 1) {
            room = rest;
            told.push(passage);
        }
    }
    format!("<passages>\n{}\n</passages>", told.join("\n"))
}

/// The first of these passages that a model can be told in so many tokens, with the marks around them.
pub(super) fn within(found: Vec<Passage>, tokens: usize) -> Vec<Passage> {
    let (mut kept, mut room) = (Vec::new(), (tokens * TOKEN_BYTES).saturating_sub(PASSAGES_BYTES));
    for found in found {
        if let Some(rest) = room.checked_sub(passage(&found, kept.len() + 1).len() + 1) {
            room = rest;
            kept.push(found);
        }
    }
    kept
}

fn queries(state: &PipelineState) -> Option<String> {
    let all: Vec<String> = state.queries().iter().zip(1..).map(|(q, n)| format!("{n}. {q}")).collect();
    (!all.is_empty()).then(|| mark("sub_queries", &all.join("\n")))
}

/// What may be named beside passages: sections of the answer that is followed up, what the web said.
fn beside(state: &PipelineState, material: &Material) -> Vec<String> {
    let all = material.references(state);
    let (earlier, web): (Vec<_>, Vec<_>) = all.into_iter().partition(|r| r.mark.starts_with('P'));
    [("earlier_answer", earlier), ("web", web)].into_iter().filter_map(|(name, of)| told(name, &of)).collect()
}

/// References in a mark of their own; none where there are none.
fn told(name: &str, of: &[Reference]) -> Option<String> {
    let line = |r: &Reference| {
        let place = if r.place.is_empty() { String::new() } else { format!(" ({})", r.place) };
        format!("[{}] {}{place}: {}", r.mark, r.title, r.text)
    };
    let lines: Vec<String> = of.iter().map(line).collect();
    (!lines.is_empty()).then(|| mark(name, &lines.join("\n")))
}

/// What was handed in before and what was wrong with it.
fn again(state: &PipelineState, material: &Material, gives: Gives, name: &str) -> Option<String> {
    let problems = material.verification(state)?.problems();
    if problems.is_empty() {
        return None;
    }
    let before = material.given(state, gives)?;
    Some(format!("{}\n\n{}", mark(name, before), mark("problems", &problems.join("\n"))))
}

fn passage(passage: &Passage, number: usize) -> String {
    let title = passage.title.replace('"', "'");
    let text = inside(&passage.text, "passage");
    format!("<passage n=\"{number}\" place=\"{}\" title=\"{title}\">\n{text}\n</passage>", passage.lines)
}

fn claim(claim: &Claim, number: usize) -> String {
    let cites: Vec<String> = claim.cites.iter().map(|n| format!("[{n}]")).collect();
    format!("{number}. {} {}", claim.text, cites.concat())
}

fn mark(name: &str, text: &str) -> String {
    format!("<{name}>\n{}\n</{name}>", inside(text, name))
}
