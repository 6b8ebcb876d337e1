//! The answer: what was drafted, with every citation that did not hold marked as such, and what it rests on.
//!
//! Owns how it is kept and how it reads: the summary first, then the detail, then sources and checks.

use serde::{Deserialize, Serialize};

use super::{
    Depth, Draft, Material, PipelineState, Section, Verification, claims, count, findings,
    material::{Outcome, Step},
    postprocess::Reference,
    verify,
};
use crate::knowledge::Lines;

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

/// An answer, as it is kept.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Answer {
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
    /// What came of holding it against these; none where that was not done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verification: Option<Verification>,
    /// Whether it is made of passages as they stand, without a model.
    #[serde(default)]
    pub extractive: bool,
    /// How its sources are listed; as usual where nothing is said.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub citation: String,
}

/// An answer that is followed up.
pub type PriorAnswer = Answer;

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
            text: bare(&section.text),
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
        for section in &self.sections {
            text.push_str(&format!("\n## {}\n\n{}\n", section.title.trim(), section.text.trim()));
        }
        if !self.conclusions.is_empty() {
            text.push_str("\n## Conclusions\n\n");
            self.conclusions.iter().for_each(|c| text.push_str(&format!("- {}\n", c.trim())));
        }
        if !self.sources.is_empty() {
            text.push_str("\n## Sources\n\n");
            let form = if self.citation.is_empty() { super::spec::CITATION } else { &self.citation };
            self.sources.iter().for_each(|s| text.push_str(&format!("- {}\n", s.told(form))));
        }
        if let Some(found) = &self.verification {
            text.push_str(&checks(found));
        }
        text
    }
}

/// What was checked, by whom, and what did not hold.
fn checks(found: &Verification) -> String {
    let mut text = "\n## Checks\n\n".to_owned();
    for axis in &found.axes {
        let name = axis.axis.replace('_', " ");
        let by: Vec<&str> = axis.by.iter().map(|by| by.words()).collect();
        let by = by.join(" and ");
        let line = if axis.axis == "contradictions" {
            format!("{name}: {} (at most {})", axis.score, axis.threshold)
        } else if axis.of == 0 {
            format!("{name}: nothing to check")
        } else {
            format!("{name}: {:.2} of {} (at least {:.2})", axis.score, axis.of, axis.threshold)
        };
        let sign = if axis.passed { "✓" } else { "✗" };
        text.push_str(&format!("- {sign} {line}, by {by}\n"));
    }
    for problem in found.problems() {
        text.push_str(&format!("- ✗ {problem}\n"));
    }
    text
}

/// What a stage that writes the answer comes to.
pub(super) fn step(state: &PipelineState, material: &Material) -> Step {
    if let Some(step) = findings::render(state, material) {
        return step;
    }
    let found = material.verification(state);
    let draft = verify::complete(material.draft(state), material);
    let answer = answer(state, &draft, material, found);
    let passed = answer.verification.as_ref().is_none_or(|v| v.passed);
    let note = format!(
        "{}, {}{}",
        count(answer.sections.len(), "section"),
        count(answer.sources.len(), "source"),
        if passed { "" } else { "; what does not hold is marked" }
    );
    let output = serde_json::to_string_pretty(&answer).unwrap_or_default();
    Step::Done(Box::new(Outcome { output, note, again: false, answer: Some(answer.markdown()) }))
}

fn answer(state: &PipelineState, draft: &Draft, material: &Material, found: Option<Verification>) -> Answer {
    let sources = material.sources(state);
    let mut cited: Vec<usize> = claims(draft).into_iter().flat_map(|c| c.cites).collect();
    cited.sort_unstable();
    cited.dedup();
    let line = |number: usize| {
        let p = sources.at(number)?;
        let (lines, title) = (p.lines.clone(), p.title.clone());
        Some(SourceLine { number, lines, hash: p.hash.to_string(), title })
    };
    let mark = |text: &str| found.as_ref().map_or_else(|| text.to_owned(), |found| marked(text, found));
    let section = |s: &Section| Section { title: s.title.clone(), text: mark(&s.text) };
    Answer {
        query: state.original_query().to_owned(),
        depth: state.depth(),
        summary: mark(&draft.summary),
        sections: draft.sections.iter().map(section).collect(),
        conclusions: draft.conclusions.iter().map(|c| mark(c)).collect(),
        sources: cited.into_iter().filter_map(line).collect(),
        verification: found,
        extractive: draft.extractive,
        citation: state.beginning().map(|b| b.spec.output.citation.clone()).unwrap_or_default(),
    }
}

/// A text in which every citation that does not hold says so.
fn marked(text: &str, found: &Verification) -> String {
    let mut done = text.to_owned();
    for sentence in claims::sentences(text) {
        let lone = Draft { summary: sentence.to_owned(), ..Draft::default() };
        let Some(claim) = claims(&lone).into_iter().next() else { continue };
        let bad: Vec<usize> = found.marks.iter().filter(|m| m.claim == claim.text).map(|m| m.cite).collect();
        if bad.is_empty() {
            continue;
        }
        let mut told = sentence.to_owned();
        for (place, names) in claims::marks(sentence).into_iter().rev() {
            let names = names.iter().map(|name| {
                let fails = name.parse().is_ok_and(|n: usize| bad.contains(&n));
                if fails { format!("[{name}: not verified]") } else { format!("[{name}]") }
            });
            told.replace_range(place, &names.collect::<String>());
        }
        done = done.replacen(sentence, &told, 1);
    }
    done
}

/// A text without marks.
fn bare(text: &str) -> String {
    let mut text = text.to_owned();
    let marks = claims::marks(&text);
    marks.into_iter().rev().for_each(|(place, _)| text.replace_range(place, ""));
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
