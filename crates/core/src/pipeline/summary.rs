//! What later turns are told of a pipeline that ended, however it ended (T-13).
//!
//! Owns its shape and size. Never holds the answer itself: that is kept beside it.

use serde::{Deserialize, Serialize};

use super::{
    Analysis, Cite, Gives, Material, PipelineExit, PipelineState, Sources, StageKind, StageSpec, claims,
    count, findings, postprocess::Reference, render,
};
use crate::{fact::shortened, mark::escape};

/// Most characters of a summary as it is kept, and the least where there is as much to tell.
pub const MOST_CHARS: usize = 1500;
const LEAST_CHARS: usize = 500;
/// Most findings, and characters of one: the first that come to enough.
const SHARES: [(usize, usize); 4] = [(6, 240), (12, 240), (6, 480), (6, 720)];
/// Most characters of a conclusion.
const CONCLUSION_CHARS: usize = 240;
/// The mark around it in a request.
pub const PRIOR_MARK: &str = "orchestrator_prior_research";

/// What later turns are told.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Summary {
    /// The question.
    pub original_query: String,
    /// What was found, or what it was taken apart into.
    pub key_findings: Vec<String>,
    /// What follows from it.
    #[serde(default)]
    pub conclusions: Vec<String>,
    /// The stages that are done.
    pub completed_stages: Vec<String>,
    /// What came of the checks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub verification_scores: Vec<(String, f32)>,
    /// Whether it did not come to its end.
    pub was_partial: bool,
    /// How it ended.
    pub exit_reason: String,
    /// Why it could not go on, where that is how.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub error: String,
}

impl Summary {
    /// What there is to tell of a pipeline.
    pub fn of(state: &PipelineState, material: &Material) -> Self {
        let done = state.stage_outputs().into_iter().filter(|(_, _, skipped)| !skipped);
        let completed =
            done.filter_map(|(n, ..)| state.stage(n).map(|s: &StageSpec| s.name.clone())).collect();
        let exit = state.exit();
        let verified = material.verification(state);
        let scores = verified.iter().flat_map(|v| &v.axes).filter(|c| c.came_to().is_some());
        let scores = scores.map(|c| (c.axis.clone(), c.score)).collect();
        let (found, conclusions) = told(state, material);
        let whole = Self {
            original_query: cut(state.original_query(), 300),
            key_findings: Vec::new(),
            conclusions: conclusions.iter().take(3).map(|c| cut(c, CONCLUSION_CHARS)).collect(),
            completed_stages: completed,
            verification_scores: scores,
            was_partial: exit != Some(PipelineExit::Completed),
            exit_reason: exit.map_or("stopped", PipelineExit::name).to_owned(),
            error: state.error().map(|e| cut(e, 200)).unwrap_or_default(),
        };
        let with = |(most, chars): (usize, usize)| {
            let key_findings = found.iter().take(most).map(|f| cut(f, chars)).collect();
            let mut summary = Self { key_findings, ..whole.clone() };
            summary.fit();
            summary
        };
        let is_enough = |s: &Self| s.save().chars().count() >= LEAST_CHARS;
        let mut all = SHARES.into_iter().map(with);
        let first = all.next().unwrap_or_default();
        if is_enough(&first) {
            first
        } else {
            all.fold(first, |best, s| if is_enough(&best) { best } else { s })
        }
    }

    /// As it is kept.
    pub fn save(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default()
    }

    /// From what was kept; `None` where that is none.
    pub fn load(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    /// Drops the least until it is short enough.
    fn fit(&mut self) {
        while self.save().chars().count() > MOST_CHARS {
            if self.key_findings.len() > 1 {
                self.key_findings.pop();
            } else if self.conclusions.pop().is_some() || self.verification_scores.pop().is_some() {
            } else if self.completed_stages.pop().is_none() {
                self.original_query = cut(&self.original_query, 100);
                self.key_findings.iter_mut().for_each(|f| *f = cut(f, 100));
                return;
            }
        }
    }
}

/// What was found and what follows from it: the answer as it was told, else the draft, what did not hold marked as
/// such; of a review its findings; else what the question was taken apart into.
fn told(state: &PipelineState, material: &Material) -> (Vec<String>, Vec<String>) {
    if let Some(found) = findings::told(state, material) {
        return (found, Vec::new());
    }
    let answer = render::so_far(state, material);
    let sections = answer.sections.into_iter().map(|s| format!("{}: {}", s.title, s.text));
    let found: Vec<String> = std::iter::once(answer.summary).chain(sections).collect();
    let found = found.into_iter().filter(|t| t.trim().len() > 2);
    let places = Places { passages: material.sources(state), references: material.references(state) };
    let found: Vec<String> = found.map(|text| places.told(&text)).collect();
    let conclusions = answer.conclusions.iter().map(|text| places.told(text)).collect();
    (if found.is_empty() { asked(state, material) } else { found }, conclusions)
}

/// Where the marks of an answer lead.
struct Places {
    passages: Sources,
    references: Vec<Reference>,
}

impl Places {
    /// A text with the places that it names instead of their marks, whose list is not told with it.
    fn told(&self, text: &str) -> String {
        let mut told = text.to_owned();
        for (at, cites) in claims::marks(text).into_iter().rev() {
            let unproven = text.get(at.clone()).is_some_and(|mark| mark.contains("not verified"));
            let mut places: Vec<String> = cites.iter().filter_map(|cite| self.of(cite)).collect();
            places.extend(unproven.then(|| "not verified".to_owned()));
            let place = if places.is_empty() { String::new() } else { format!("({})", places.join(", ")) };
            told.replace_range(at, &place);
        }
        told.replace(" .", ".")
    }

    /// Where something stands that is named; nothing of what nobody knows, or was only told before.
    fn of(&self, cite: &Cite) -> Option<String> {
        match cite {
            Cite::Passage(number) => self.passages.at(*number).map(|p| p.lines.to_string()),
            Cite::Named(name) => {
                let of = self.references.iter().find(|r| r.mark == *name)?;
                Some(of.place.clone()).filter(|place| !place.is_empty())
            }
        }
    }
}

/// What the question was taken apart into, and which passages were found.
fn asked(state: &PipelineState, material: &Material) -> Vec<String> {
    let scope = material.given(state, Gives::Analysis).and_then(|text| Analysis::read(text, 100));
    let scope = scope.map(|a| a.scope).filter(|s| !s.is_empty());
    let calibration = material.given(state, Gives::Calibration).map(calibrated);
    let done = state.stage_outputs().into_iter();
    let looked = done
        .filter(|(n, ..)| state.stage(*n).is_some_and(|s| s.kind == StageKind::ToolFanout && !s.collects()));
    let passages = (looked.count() > 0).then(|| {
        let all = material.sources(state).passages;
        let places: Vec<String> = all.iter().take(6).map(|p| p.lines.to_string()).collect();
        match places.as_slice() {
            [] => "no passages were found".to_owned(),
            _ => format!("{} found: {}", count(all.len(), "passage"), places.join(", ")),
        }
    });
    let queries = state.queries().iter().map(|q| format!("to find out: {q}"));
    scope.into_iter().chain(calibration).chain(passages).chain(queries).collect()
}

/// What a look at the web made of the question, and what it rests on.
fn calibrated(kept: &str) -> String {
    let Ok(of) = serde_json::from_str::<Analysis>(kept) else { return format!("calibration: {kept}") };
    let web: Vec<String> = of.web.iter().map(|r| format!("{} ({})", r.title, r.url)).collect();
    let web = if web.is_empty() { String::new() } else { format!("; from the web: {}", web.join(", ")) };
    format!("calibration: {}{web}", of.scope)
}

fn cut(text: &str, most: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    // The sign that it was cut counts as well.
    if line.chars().count() <= most { line } else { shortened(&line, most.saturating_sub(1)) }
}

/// The block of a request that tells a kept summary; empty where that is missing or cannot be read.
pub fn prior_block(kept: &str) -> String {
    let Some(of) = Summary::load(kept) else { return String::new() };
    let each = |mark: &str, all: &[String]| {
        let lines = all.iter().map(|t| format!("\n<{mark}>{}</{mark}>", escape(t)));
        lines.collect::<Vec<_>>().concat()
    };
    // How far one came that did not come to its end; of an answer its findings say all.
    let stages = if of.was_partial { each("stage", &of.completed_stages) } else { String::new() };
    let error =
        if of.error.is_empty() { String::new() } else { format!("\n<error>{}</error>", escape(&of.error)) };
    format!(
        "<{PRIOR_MARK}>\n<query>{}</query>{}{}{stages}\n<partial>{}</partial>\n<exit>{}</exit>{error}\n</{PRIOR_MARK}>",
        escape(&of.original_query),
        each("finding", &of.key_findings),
        each("conclusion", &of.conclusions),
        of.was_partial,
        escape(&of.exit_reason),
    )
}
