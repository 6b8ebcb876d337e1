//! What a model is told in a stage: the question and exactly what that stage needs, each in a mark of its own.
//!
//! Owns that shape. Never tells of the conversation around it.

use super::{Claim, Gives, Material, PipelineState, StageKind, claims, verify};
use crate::{knowledge::Passage, mark::inside};

/// What a model is told in a stage, after its prompt.
pub fn brief(state: &PipelineState, stage: usize, material: &Material) -> String {
    let numbers = state.depth().numbers();
    let spec = state.stage(stage);
    let mut parts = vec![mark("query", state.original_query()), mark("depth", state.depth().name())];
    parts.extend(state.feedback().map(|text| mark("the_user_wants", text)));
    let gives = spec.and_then(|s| s.gives);
    match (spec.map(|s| s.kind), gives) {
        (Some(StageKind::Llm), Some(Gives::Analysis | Gives::Calibration)) => {
            parts.push(mark("most_sub_queries", &numbers.queries.to_string()));
            parts.extend(queries(state));
            parts.extend(prior(material));
        }
        (Some(StageKind::Llm), Some(Gives::Draft)) => {
            parts.extend(queries(state));
            parts.extend(prior(material));
            let sources = material.sources(state);
            let told = sources.passages.iter().zip(1..).map(|(p, n)| passage(p, n));
            parts.push(format!("<passages>\n{}\n</passages>", told.collect::<Vec<_>>().join("\n")));
            parts.extend(again(state, material));
        }
        (Some(StageKind::Llm), Some(Gives::Findings)) => {
            let most = numbers.tokens * 4 / material.outputs.len().max(1);
            let cut = |text: &str| text.get(..text.floor_char_boundary(most)).unwrap_or_default().to_owned();
            parts.extend(material.outputs.iter().map(|(name, text)| mark(name, &cut(text))));
        }
        (Some(StageKind::Verify), _) => {
            let draft = verify::complete(material.draft(state), material);
            let claims = claims(&draft);
            let sources = material.sources(state);
            let told = claims.iter().zip(1..).map(|(c, n)| claim(c, n));
            parts.push(format!("<claims>\n{}\n</claims>", told.collect::<Vec<_>>().join("\n")));
            let mut cites: Vec<usize> = claims.iter().flat_map(|c| c.cites.clone()).collect();
            cites.sort_unstable();
            cites.dedup();
            let told = cites.into_iter().filter_map(|n| Some(passage(sources.at(n)?, n)));
            parts.push(format!("<passages>\n{}\n</passages>", told.collect::<Vec<_>>().join("\n")));
        }
        (Some(StageKind::Llm | StageKind::ToolFanout | StageKind::Render) | None, _) => {}
    }
    parts.join("\n\n")
}

fn queries(state: &PipelineState) -> Option<String> {
    let all: Vec<String> = state.queries().iter().zip(1..).map(|(q, n)| format!("{n}. {q}")).collect();
    (!all.is_empty()).then(|| mark("sub_queries", &all.join("\n")))
}

/// The sections of the answer that is followed up.
fn prior(material: &Material) -> Option<String> {
    let of = material.prior.as_ref()?.references();
    let told: Vec<String> = of.iter().map(|r| format!("[{}] {}: {}", r.mark, r.title, r.text)).collect();
    (!told.is_empty()).then(|| mark("earlier_answer", &told.join("\n")))
}

/// What was wrong with the draft before.
fn again(state: &PipelineState, material: &Material) -> Option<String> {
    let problems = material.verification(state).filter(|v| !v.passed)?.problems();
    let draft = material.given(state, Gives::Draft)?;
    Some(format!("{}\n\n{}", mark("draft", draft), mark("problems", &problems.join("\n"))))
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
