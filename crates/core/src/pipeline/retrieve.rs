//! Finding: one search for each question, steps from the best of what they found, and the passages that fit.
//!
//! Owns how the results of many searches become one list. Never searches.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{
    Material, PipelineState, WebResult, brief, change, claims, count,
    material::{Outcome, Step, ToolStep},
    web,
};
use crate::knowledge::{Hopped, Lines, Passage};

/// Most passages from which steps go on.
const SEEDS: usize = 3;
/// Passages that such a step brings.
const HOPPED: usize = 6;
/// How fast the worth of a place in a list falls, as rank fusion has it.
const RANK: usize = 60;
/// What a passage that a step led to is worth beside one that was found, in parts of a hundred.
const HOP_WORTH: usize = 70;

/// The passages that an answer may rest on; the first is `[1]`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sources {
    /// The passages.
    pub passages: Vec<Passage>,
    /// What sources said beside them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub beside: Vec<WebResult>,
}

impl Sources {
    /// Reads them as they were kept.
    pub fn kept(text: &str) -> Self {
        serde_json::from_str(text).unwrap_or_default()
    }

    /// The passage that a mark names, from 1.
    pub fn at(&self, number: usize) -> Option<&Passage> {
        self.passages.get(number.checked_sub(1)?)
    }
}

/// What a stage of searches does next.
pub(super) fn step(state: &PipelineState, stage: usize, material: &Material) -> Step {
    let Some(spec) = state.stage(stage) else { return Step::Fail("there is no such stage".to_owned()) };
    if spec.collects() {
        return change::collect(state, spec, material);
    }
    if let Some(tool) = spec.tool.as_ref().filter(|_| spec.files) {
        return change::read(state, stage, tool, material);
    }
    let Some(tool) = spec.tool.clone() else { return Step::Fail("the stage names no tool".to_owned()) };
    let numbers = state.depth().numbers();
    if material.steps.is_empty() {
        let max = numbers.passages;
        let calls = questions(state, material);
        let calls = calls.into_iter().map(|q| (tool.clone(), json!({"query": q, "max": max}).to_string()));
        return Step::Call(calls.collect());
    }
    if material.steps.iter().all(|s| !s.ok) {
        let why = material.steps.first().map(|s| s.text.lines().next().unwrap_or_default().to_owned());
        return Step::Fail(why.unwrap_or_default());
    }
    let known = material.prior.as_ref().map(super::Answer::places).unwrap_or_default();
    let found = fused(&material.steps, &known);
    if let Some(hop) = spec.hop.as_ref().filter(|hop| !material.steps.iter().any(|s| s.tool == **hop)) {
        let seeds: Vec<_> = found
            .iter()
            .take(SEEDS)
            .map(|p| {
                let Lines { path, from, to } = &p.lines;
                (hop.clone(), json!({"path": path, "from": from, "to": to, "max": HOPPED}).to_string())
            })
            .collect();
        if !seeds.is_empty() {
            return Step::Call(seeds);
        }
    }
    let calls = web::adding(state, material);
    if !calls.is_empty() {
        return Step::Call(calls);
    }
    let (passages, beside) = (brief::within(found, numbers.tokens), web::added(material));
    let files: BTreeSet<&str> = passages.iter().map(|p| p.lines.path.as_str()).collect();
    let failed = material.steps.iter().filter(|s| !s.ok).count();
    let lost = if failed > 0 { format!("; {failed} searches failed") } else { String::new() };
    let more = match beside.len() {
        0 => String::new(),
        n => format!(", {} from sources", count(n, "result")),
    };
    let note = format!("{} in {}{more}{lost}", count(passages.len(), "passage"), count(files.len(), "file"));
    let output = serde_json::to_string(&Sources { passages, beside }).unwrap_or_default();
    Step::Done(Box::new(Outcome { output, note, ..Outcome::default() }))
}

/// What is searched for: the question itself and what it was taken apart into, less what an earlier answer
/// speaks of already.
pub(super) fn questions(state: &PipelineState, material: &Material) -> Vec<String> {
    let query = state.original_query().to_owned();
    let told = material.prior.as_ref().map(|p| claims::words(&p.text())).unwrap_or_default();
    let is_new = |q: &&String| {
        let words = claims::words(q);
        told.is_empty() || words.is_empty() || words.iter().any(|w| !told.contains(w))
    };
    let most = state.depth().numbers().queries;
    let mut all = vec![query];
    for question in state.queries().iter().filter(is_new).take(most) {
        if !all.contains(question) {
            all.push(question.clone());
        }
    }
    all
}

/// The passages of all searches in one order: a passage is worth what its places in the lists are, and what an
/// earlier answer rests on comes behind what is new.
fn fused(steps: &[ToolStep], known: &[Lines]) -> Vec<Passage> {
    let mut worth: BTreeMap<Lines, (usize, Passage)> = BTreeMap::new();
    for step in steps.iter().filter(|s| s.ok) {
        for (rank, passage, share) in listed(&step.text) {
            let points = share * 10_000 / (RANK + rank);
            let key = passage.lines.clone();
            worth.entry(key).and_modify(|(sum, _)| *sum += points).or_insert((points, passage));
        }
    }
    let is_known = |p: &Passage| known.iter().any(|other| covers(other, &p.lines));
    let mut all: Vec<(bool, usize, Passage)> =
        worth.into_values().map(|(points, p)| (is_known(&p), points, p)).collect();
    all.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.cmp(&a.1)).then_with(|| a.2.lines.cmp(&b.2.lines)));
    let mut kept: Vec<Passage> = Vec::new();
    for (.., passage) in all {
        if !kept.iter().any(|other| covers(&other.lines, &passage.lines)) {
            kept.push(passage);
        }
    }
    kept
}

/// A result as a list: place, passage, and what it is worth beside a search's.
fn listed(text: &str) -> Vec<(usize, Passage, usize)> {
    if let Ok(found) = serde_json::from_str::<Vec<Passage>>(text) {
        return found.into_iter().enumerate().map(|(rank, p)| (rank, p, 100)).collect();
    }
    let hopped: Vec<Hopped> = serde_json::from_str(text).unwrap_or_default();
    hopped.into_iter().enumerate().map(|(rank, h)| (rank, h.passage, HOP_WORTH)).collect()
}

/// Whether most of some lines stand in others.
fn covers(one: &Lines, other: &Lines) -> bool {
    if one.path != other.path {
        return false;
    }
    let shared = (one.to.min(other.to) + 1).saturating_sub(one.from.max(other.from));
    shared * 2 > (other.to + 1).saturating_sub(other.from)
}
