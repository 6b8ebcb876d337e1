//! The answer: what was drafted, with every citation that did not hold marked as such, and what it rests on.
//!
//! Owns how it is kept and how it reads: the summary first, then the detail, then sources and checks.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{
    By, Cite, Depth, Draft, Material, PipelineState, Section, StageKind, StageSpec, Verification,
    claims::{self, claims},
    count, findings,
    material::{Outcome, Step},
    postprocess::Reference,
    verify,
};
use crate::{ids::RunId, knowledge::Lines, money, talk::Usage};

/// Told above an answer that no model wrote.
const EXTRACTIVE: &str = "*Without a model: these are the passages that answer best, word for word.*";

/// A source in the list below an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceLine {
    /// Its number.
    pub number: usize,
    /// Where it stands.
    #[serde(flatten)]
    pub lines: Lines,
    /// The hash of its file as it was read.
    pub hash: String,
    /// What it is headed by.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
}

/// Something else that an answer names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BesideLine {
    /// Its mark.
    pub mark: String,
    /// What it is headed by.
    pub title: String,
    /// Its address, where it has one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub place: String,
}

impl SourceLine {
    /// As a form of citation has it.
    fn told(&self, form: &str) -> String {
        let (place, short) = (self.lines.to_string(), self.hash.chars().take(12).collect::<String>());
        let lines = place.rsplit_once(':').map_or("", |(_, lines)| lines);
        // In one pass: what a title holds is not filled in again.
        let mut parts = form.split('{');
        let mut told = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let (name, rest) = part.split_once('}').unwrap_or(("", part));
            match name {
                "number" => told.push_str(&self.number.to_string()),
                "path" => told.push_str(self.lines.path.as_str()),
                "lines" => told.push_str(lines),
                "hash" => told.push_str(&short),
                "title" => told.push_str(&self.title),
                _ => {}
            }
            told.push_str(rest);
        }
        told.trim_end().to_owned()
    }
}

/// What a stage cost.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StageCost {
    /// What it is called.
    pub stage: String,
    /// What it spent.
    pub spent: Usage,
}

/// An answer, as it is kept.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// The pipeline that came to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<RunId>,
    /// The question.
    pub query: String,
    /// How deep it was gone into.
    pub depth: Depth,
    /// The answer in short.
    pub summary: String,
    /// The same at length.
    pub sections: Vec<Section>,
    /// What follows from it.
    pub conclusions: Vec<String>,
    /// What it rests on.
    pub sources: Vec<SourceLine>,
    /// What else it names: the web's, and an earlier answer's.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub beside: Vec<BesideLine>,
    /// What came of holding it against these; none where that was not done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verification: Option<Verification>,
    /// Whether it is made of passages as they stand, without a model.
    #[serde(default)]
    pub extractive: bool,
    /// What its stages cost.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub costs: Vec<StageCost>,
    /// How its sources are listed; as usual where nothing is said.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub citation: String,
}

impl Answer {
    /// Reads one as it was kept; `None` where it cannot be read.
    pub fn kept(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    /// Where its sources stand.
    pub fn places(&self) -> Vec<Lines> {
        self.sources.iter().map(|s| s.lines.clone()).collect()
    }

    /// Its sections as what a later draft can name: `P1`, `P2`.
    pub fn references(&self) -> Vec<Reference> {
        let of = |(section, n): (&Section, usize)| Reference {
            mark: format!("P{n}"),
            title: section.title.clone(),
            text: prose(&section.text),
            place: String::new(),
        };
        self.sections.iter().zip(1..).map(of).collect()
    }

    /// All of its text.
    pub fn text(&self) -> String {
        let sections = self.sections.iter().flat_map(|s| [s.title.as_str(), s.text.as_str()]);
        let all: Vec<&str> = std::iter::once(self.summary.as_str()).chain(sections).collect();
        all.join("\n")
    }

    /// As Markdown.
    pub fn markdown(&self) -> String {
        let mut text = format!("# {}\n\n", self.query.trim());
        if self.extractive {
            text.push_str(&format!("{EXTRACTIVE}\n\n"));
        }
        text.push_str(&format!("{}\n", self.summary.trim()));
        if let Some(part) = self.verification.as_ref().and_then(Verification::unverified) {
            text.push_str(&format!("\n**{part}: each says so where it stands.**\n"));
        }
        for section in &self.sections {
            text.push_str(&format!("\n## {}\n\n{}\n", section.title.trim(), section.text.trim()));
        }
        if !self.conclusions.is_empty() {
            text.push_str("\n## Conclusions\n\n");
            self.conclusions.iter().for_each(|c| text.push_str(&format!("- {}\n", c.trim())));
        }
        if !self.sources.is_empty() || !self.beside.is_empty() {
            text.push_str("\n## Sources\n\n");
            let form = if self.citation.is_empty() { super::spec::CITATION } else { &self.citation };
            self.sources.iter().for_each(|s| text.push_str(&format!("- {}\n", s.told(form))));
            for BesideLine { mark, title, place } in &self.beside {
                let of = if place.is_empty() { "the earlier answer" } else { place };
                text.push_str(&format!("- [{mark}] {title}: {of}\n"));
            }
        }
        if let Some(found) = &self.verification {
            text.push_str(&checks(found));
        }
        text + &bill(&self.costs)
    }
}

/// What was checked, by whom, and what did not hold.
fn checks(found: &Verification) -> String {
    let mut text = "\n## Checks\n\n".to_owned();
    for axis in &found.axes {
        let Some(came_to) = axis.came_to() else {
            let sign = if axis.passed { "–" } else { "✗" };
            text.push_str(&format!("- {sign} {}: {}\n", axis.name(), axis.came_to_nothing()));
            continue;
        };
        let by: Vec<&str> = axis.by.iter().map(|by| by.words()).collect();
        let sign = if axis.passed { "✓" } else { "✗" };
        let wanted = if axis.axis == "contradictions" {
            format!("in {} (at most {})", axis.of, axis.threshold)
        } else {
            format!("of {} (at least {:.2})", axis.of, axis.threshold)
        };
        text.push_str(&format!("- {sign} {}: {came_to} {wanted}, by {}\n", axis.name(), by.join(" and ")));
    }
    let unseen = found.marks.iter().filter(|m| m.by == By::Nobody).count();
    if unseen > 0 {
        text.push_str(&format!("- ✗ {} could not be checked\n", count(unseen, "citation")));
    }
    for problem in found.problems() {
        text.push_str(&format!("- ✗ {problem}\n"));
    }
    text
}

/// What a stage that writes the answer comes to.
pub(super) fn step(state: &PipelineState, material: &Material) -> Step {
    findings::render(state, material).unwrap_or_else(|| rendered(state, material))
}

/// What the stages cost that cost anything.
pub(super) fn costs(state: &PipelineState) -> Vec<StageCost> {
    let spent = state.costs().into_iter().filter(|(_, spent)| spent.tokens() > 0);
    let of = |(stage, spent)| StageCost {
        stage: state.stage(stage).map(StageSpec::shown).unwrap_or_default(),
        spent,
    };
    spent.map(of).collect()
}

/// What stages cost, each and in all; empty where none cost anything.
pub(super) fn bill(costs: &[StageCost]) -> String {
    if costs.is_empty() {
        return String::new();
    }
    let told =
        |usage: &Usage| format!("{} tokens, {}", usage.shown_tokens(), money::cost(usage.known_cost()));
    let mut text = "\n## Spent\n\n".to_owned();
    let mut all = Usage::default();
    for StageCost { stage, spent } in costs {
        all.add(spent);
        text.push_str(&format!("- {stage}: {}\n", told(spent)));
    }
    text + &format!("- In all: {}\n", told(&all))
}

fn rendered(state: &PipelineState, material: &Material) -> Step {
    let found = material.verification(state);
    let draft = verify::complete(state, material);
    let answer = answer(state, &draft, material, found);
    let found = answer.verification.as_ref();
    let marked = match found.and_then(Verification::unverified) {
        Some(part) => format!("; {part}"),
        None if found.is_none_or(|v| v.passed) => String::new(),
        None => "; what does not hold is marked".to_owned(),
    };
    let (sections, sources) =
        (count(answer.sections.len(), "section"), count(answer.sources.len(), "source"));
    let note = format!("{sections}, {sources}{marked}");
    let output = serde_json::to_string_pretty(&answer).unwrap_or_default();
    let word_for_word = answer.extractive;
    let (answer, lacks) = (Some(answer.markdown()), lacks(state, material, &draft));
    Step::Done(Box::new(Outcome { output, note, answer, lacks, word_for_word, ..Outcome::default() }))
}

/// The answer as far as there is one: as it was written, else the draft with what does not hold marked.
pub(super) fn so_far(state: &PipelineState, material: &Material) -> Answer {
    let written = material.of(state, |s| s.kind == StageKind::Render).and_then(Answer::kept);
    written.unwrap_or_else(|| answer(state, &material.draft(state), material, material.verification(state)))
}

/// Why an answer is none: nothing was found that it could rest on, or nothing was said.
fn lacks(state: &PipelineState, material: &Material, draft: &Draft) -> String {
    let stages = state.beginning().map(|b| b.spec.stages.as_slice()).unwrap_or_default();
    let looked = stages.iter().any(|s| s.kind == StageKind::ToolFanout);
    let found = !material.sources(state).passages.is_empty() || !material.references(state).is_empty();
    let why = if looked && !found {
        "nothing was found to base an answer on"
    } else if draft.texts().all(|t| t.trim().is_empty()) {
        "nothing was said"
    } else {
        ""
    };
    why.to_owned()
}

fn answer(state: &PipelineState, draft: &Draft, material: &Material, found: Option<Verification>) -> Answer {
    let sources = material.sources(state);
    let cited = claims::numbers(&claims(draft));
    let line = |number: usize| {
        let p = sources.at(number)?;
        let (lines, title) = (p.lines.clone(), p.title.clone());
        Some(SourceLine { number, lines, hash: p.hash.to_string(), title })
    };
    let named: BTreeSet<String> =
        claims(draft).into_iter().flat_map(|c| c.cites).map(|c| c.to_string()).collect();
    let beside = material.references(state).into_iter().filter(|r| named.contains(&r.mark));
    let beside = beside.map(|Reference { mark, title, place, .. }| BesideLine { mark, title, place });
    let mark = |text: &str| found.as_ref().map_or_else(|| text.to_owned(), |found| marked(text, found));
    let section = |s: &Section| Section { title: s.title.clone(), text: mark(&s.text) };
    Answer {
        run: Some(state.id),
        query: state.original_query().to_owned(),
        depth: state.depth(),
        summary: mark(&draft.summary),
        sections: draft.sections.iter().map(section).collect(),
        conclusions: draft.conclusions.iter().map(|c| mark(c)).collect(),
        sources: cited.into_iter().filter_map(line).collect(),
        beside: beside.collect(),
        verification: found,
        extractive: draft.extractive,
        costs: costs(state),
        citation: state.beginning().map(|b| b.spec.output.citation.clone()).unwrap_or_default(),
    }
}

/// A text in which every citation that does not hold says so.
fn marked(text: &str, found: &Verification) -> String {
    let mut done = text.to_owned();
    for sentence in claims::sentences(text).into_iter().rev() {
        let Some(claim) = claims::claim(sentence.text) else { continue };
        let fails = |cite: &Cite| found.marks.iter().any(|m| m.claim == claim.text && m.cite == *cite);
        if !claim.cites.iter().any(fails) {
            continue;
        }
        let mut told = sentence.text.to_owned();
        for (place, cites) in claims::marks(sentence.text).into_iter().rev() {
            let cites = cites
                .iter()
                .map(|c| if fails(c) { format!("[{c}: not verified]") } else { format!("[{c}]") });
            told.replace_range(place, &cites.collect::<String>());
        }
        done.replace_range(sentence.at, &told);
    }
    done
}

/// What a text says itself, without marks, code and quotations.
fn prose(text: &str) -> String {
    let said = claims::sentences(text).into_iter().filter(|s| !s.quoted);
    said.map(|s| claims::bare(s.text)).filter(|s| !s.is_empty()).collect::<Vec<_>>().join(" ")
}
