//! Holding a draft against its sources on four axes: names, citations, relations, contradictions.
//!
//! Owns what is checked, by whom, and what passes. Code decides wherever it can; what only a model can see is said
//! to be by the model. Never lets a citation pass unmarked that did not hold.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Value, json};

use super::{
    Axes, Claim, Draft, Material, PipelineState, Sources, claims,
    draft::Related,
    findings,
    material::{Outcome, Step},
    postprocess::postprocess,
};
use crate::{
    goal::first_object,
    knowledge::{
        Citation, CitationVerdict, ContradictionVerdict, EntityVerdict, Passage, Relation, RelationVerdict,
        Score, Standing,
    },
};

/// Most relations that are looked at.
const MOST_RELATIONS: usize = 8;
/// Most claims that are compared.
const MOST_CLAIMS: usize = 40;

/// Who found something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum By {
    /// Code did.
    Code,
    /// A model did.
    Model,
}

impl By {
    /// For people.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Code => "code",
            Self::Model => "the model",
        }
    }
}

/// A citation that does not hold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// The sentence, without its marks.
    pub claim: String,
    /// The passage that it names.
    pub cite: usize,
    /// Why it does not hold.
    pub why: String,
    /// Who found that.
    pub by: By,
}

/// What came of one axis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Checked {
    /// The axis.
    pub axis: String,
    /// How much holds; for contradictions how many there are.
    pub score: f32,
    /// What it has to reach, or may not exceed.
    pub threshold: f32,
    /// How many were looked at.
    pub of: usize,
    /// Who looked.
    pub by: Vec<By>,
    /// Whether it passes.
    pub passed: bool,
}

/// What came of holding a draft against its sources.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Verification {
    /// The axes.
    pub axes: Vec<Checked>,
    /// Citations that do not hold.
    pub marks: Vec<Mark>,
    /// Names that are nowhere.
    pub missing: Vec<String>,
    /// What is said of two names and does not hold.
    pub relations: Vec<String>,
    /// What cannot both hold.
    pub contradictions: Vec<String>,
    /// Whether all of it passes.
    pub passed: bool,
}

impl Verification {
    /// What is wrong, a line each, for whoever drafts again.
    pub fn problems(&self) -> Vec<String> {
        let marks =
            self.marks.iter().map(|m| format!("[{}] does not bear \"{}\": {}", m.cite, m.claim, m.why));
        let missing = self.missing.iter().map(|n| format!("there is no `{n}` in the sources"));
        let relations = self.relations.iter().cloned();
        marks.chain(missing).chain(relations).chain(self.contradictions.iter().cloned()).collect()
    }

    /// The axes in a line, for people.
    pub fn line(&self) -> String {
        let axis = |c: &Checked| {
            let name = c.axis.replace('_', " ");
            if c.axis == "contradictions" {
                format!("{name} {}", c.score)
            } else {
                format!("{name} {:.2}", c.score)
            }
        };
        self.axes.iter().map(axis).collect::<Vec<_>>().join(", ")
    }
}

/// The draft with what models forget to mark.
pub(super) fn complete(draft: Draft, material: &Material) -> Draft {
    let references = material.prior.as_ref().map(super::Answer::references).unwrap_or_default();
    postprocess(draft, &references)
}

/// What a stage that verifies does next.
pub(super) fn step(state: &PipelineState, stage: usize, material: &Material) -> Step {
    if let Some(step) = findings::verify(state, material) {
        return step;
    }
    let draft = complete(material.draft(state), material);
    let (sources, claims) = (material.sources(state), claims(&draft));
    if material.steps.is_empty() {
        let calls = calls(&draft, &sources, &claims);
        if !calls.is_empty() {
            return Step::Call(calls);
        }
    }
    let asks = state.beginning().and_then(|b| b.prompts.get(stage)).is_some_and(|p| p.bytes > 0);
    if asks && material.reply.is_none() && !draft.extractive && !claims.is_empty() {
        return Step::Ask;
    }
    let thresholds = state.beginning().map(|b| b.spec.thresholds).unwrap_or_default();
    let found = verification(&draft, &sources, &claims, material, thresholds);
    let round = state.rounds();
    let again = !found.passed && round < state.depth().numbers().repairs && !draft.extractive;
    let end = match (found.passed, again) {
        (true, _) => "holds",
        (false, true) => "does not hold, it is drafted again",
        (false, false) => "does not hold in all, what does not is marked",
    };
    let note = format!("{end}: {}", found.line());
    let output = serde_json::to_string(&found).unwrap_or_default();
    Step::Done(Box::new(Outcome { output, note, again, answer: None }))
}

/// The passages that are named, each once.
fn cited<'a>(sources: &'a Sources, claims: &[Claim]) -> BTreeMap<usize, &'a Passage> {
    let all: BTreeSet<usize> = claims.iter().flat_map(|c| &c.cites).copied().collect();
    all.into_iter().filter_map(|n| Some((n, sources.at(n)?))).collect()
}

/// The line of a passage that says most: what is looked for where it is said to stand.
fn quote(passage: &Passage) -> String {
    let line = passage.text.lines().map(str::trim).max_by_key(|l| l.chars().count());
    line.unwrap_or_default().to_owned()
}

fn calls(draft: &Draft, sources: &Sources, claims: &[Claim]) -> Vec<(String, String)> {
    let cited = cited(sources, claims);
    let mut calls = Vec::new();
    if !cited.is_empty() {
        let citations: Vec<Citation> = cited
            .values()
            .map(|p| Citation { lines: p.lines.clone(), hash: p.hash.to_string(), text: quote(p) })
            .collect();
        calls.push(("citation_verify".to_owned(), json!({ "citations": citations }).to_string()));
    }
    let all = draft.texts().collect::<Vec<_>>().join("\n");
    if !draft.extractive && !claims::names(&all).is_empty() {
        calls.push(("entity_verify".to_owned(), json!({ "text": all }).to_string()));
    }
    for (related, relation) in relations(draft) {
        let lines: Vec<_> = cited.values().map(|p| &p.lines).collect();
        let args = json!({
            "subject": related.subject, "relation": relation.name(), "object": related.object, "cited": lines,
        });
        calls.push(("relation_verify".to_owned(), args.to_string()));
    }
    if !cited.is_empty() && !draft.extractive {
        let said: Vec<&str> = claims.iter().take(MOST_CLAIMS).map(|c| c.text.as_str()).collect();
        let lines: Vec<_> = cited.values().map(|p| &p.lines).collect();
        calls.push(("contradiction_check".to_owned(), json!({ "claims": said, "cited": lines }).to_string()));
    }
    calls
}

/// What a draft says of two names and code has a word for.
fn relations(draft: &Draft) -> impl Iterator<Item = (&Related, Relation)> {
    let named = |r: &'_ Related| Relation::named(&r.relation.trim().to_lowercase().replace(' ', "_"));
    draft.relations.iter().filter_map(move |r| Some((r, named(r)?))).take(MOST_RELATIONS)
}

/// What the calls of a tool said.
fn said<'a, T: DeserializeOwned>(material: &'a Material, tool: &'a str) -> impl Iterator<Item = T> + 'a {
    let of = material.steps.iter().filter(move |s| s.tool == tool && s.ok);
    of.filter_map(|s| serde_json::from_str(&s.text).ok())
}

fn verification(
    draft: &Draft,
    sources: &Sources,
    claims: &[Claim],
    material: &Material,
    thresholds: Axes,
) -> Verification {
    let mut found = Verification::default();
    let model = Model::read(material.reply.as_deref());
    citations(&mut found, (sources, claims), material, &model, draft.extractive);
    let cites = claims.iter().map(|c| c.cites.len()).sum::<usize>();
    let bad: BTreeSet<(&str, usize)> = found.marks.iter().map(|m| (m.claim.as_str(), m.cite)).collect();
    let held = Score::share(cites.saturating_sub(bad.len()), cites);
    let (names, there) = names(&mut found, draft, sources, material);
    let (related, hold) = related(&mut found, draft, material, &model);
    contradictions(&mut found, material, &model);
    let by = |asked: bool| if asked { vec![By::Code, By::Model] } else { vec![By::Code] };
    let count = found.contradictions.len();
    found.axes = vec![
        axis("entity_grounding", Score::share(there, names), thresholds.entity_grounding, names, by(false)),
        axis("citation_accuracy", held, thresholds.citation_accuracy, cites, by(model.asked)),
        axis(
            "relation_preservation",
            Score::share(hold, related),
            thresholds.relation_preservation,
            related,
            by(model.asked),
        ),
        Checked {
            axis: "contradictions".to_owned(),
            score: f32::from(u16::try_from(count).unwrap_or(u16::MAX)),
            threshold: f32::from(u16::try_from(thresholds.contradictions).unwrap_or(u16::MAX)),
            of: claims.len(),
            by: by(model.asked),
            passed: count <= thresholds.contradictions,
        },
    ];
    found.passed = found.axes.iter().all(|c| c.passed);
    found
}

fn axis(name: &str, score: Score, threshold: f32, of: usize, by: Vec<By>) -> Checked {
    let passed = score >= Axes::score(threshold);
    Checked { axis: name.to_owned(), score: f32::from(score.0) / 1000.0, threshold, of, by, passed }
}

/// Each citation: that there is such a passage, that it stands where it is said to, and that it bears the
/// sentence.
fn citations(
    found: &mut Verification,
    (sources, claims): (&Sources, &[Claim]),
    material: &Material,
    model: &Model,
    extractive: bool,
) {
    let numbers: Vec<usize> = cited(sources, claims).into_keys().collect();
    let verdicts: Vec<CitationVerdict> = said::<Vec<_>>(material, "citation_verify").flatten().collect();
    let checked: BTreeMap<usize, &CitationVerdict> = numbers.iter().copied().zip(&verdicts).collect();
    for (claim, place) in claims.iter().zip(1..) {
        for cite in &claim.cites {
            let fault = match (sources.at(*cite), checked.get(cite)) {
                (None, _) => Some("there is no such source".to_owned()),
                (Some(_), Some(v)) if v.verdict.standing == Standing::Fails => Some(v.verdict.reason.clone()),
                // What stands there word for word needs no other word for it.
                (Some(p), _) if !extractive && !claims::bears(&whole(p), &claim.text) => {
                    Some("the passage does not speak of it".to_owned())
                }
                (Some(_), _) => None,
            };
            let by_model = || Some((model.unsupported.get(&place)?.clone(), By::Model));
            if let Some((why, by)) = fault.map(|why| (why, By::Code)).or_else(by_model) {
                found.marks.push(Mark { claim: claim.text.clone(), cite: *cite, why, by });
            }
        }
    }
}

fn whole(passage: &Passage) -> String {
    format!("{} {} {}", passage.lines.path, passage.title, passage.text)
}

/// The names of a draft, and how many of them there are; the others are noted.
fn names(found: &mut Verification, draft: &Draft, sources: &Sources, material: &Material) -> (usize, usize) {
    if draft.extractive {
        return (0, 0);
    }
    let mut all: BTreeMap<String, bool> = BTreeMap::new();
    let text = sources.passages.iter().map(whole).collect::<Vec<_>>().join("\n").to_lowercase();
    for name in draft.texts().flat_map(claims::names) {
        let there = claims::stands(&text, &name);
        all.insert(name, there);
    }
    for verdict in said::<EntityVerdict>(material, "entity_verify") {
        for (name, place) in verdict.names {
            let there = all.entry(name).or_insert(false);
            *there |= place.is_some();
        }
    }
    found.missing = all.iter().filter(|(_, there)| !**there).map(|(name, _)| name.clone()).collect();
    (all.len(), all.values().filter(|there| **there).count())
}

/// What is said of two names, and how much of it holds; what code cannot tell counts for nothing.
fn related(found: &mut Verification, draft: &Draft, material: &Material, model: &Model) -> (usize, usize) {
    let verdicts = said::<RelationVerdict>(material, "relation_verify");
    let (mut all, mut hold) = (0, 0);
    for ((related, _), verdict) in relations(draft).zip(verdicts) {
        let says = format!("{} {} {}", related.subject, related.relation, related.object);
        match verdict.verdict.standing {
            Standing::Holds => (all, hold) = (all + 1, hold + 1),
            Standing::Fails => {
                all += 1;
                found.relations.push(format!("\"{says}\" does not hold: {}", verdict.verdict.reason));
            }
            Standing::Unknown => {}
        }
    }
    all += model.relations.len();
    found.relations.extend(model.relations.iter().cloned());
    (all, hold)
}

fn contradictions(found: &mut Verification, material: &Material, model: &Model) {
    for verdict in said::<ContradictionVerdict>(material, "contradiction_check") {
        for c in verdict.found {
            let text = format!("{}: \"{}\" against \"{}\" ({})", c.about, c.one, c.other, c.other_is);
            found.contradictions.push(text);
        }
    }
    found.contradictions.extend(model.contradictions.iter().map(|c| format!("{c} (by the model)")));
}

/// What a model said of the claims.
#[derive(Debug, Default)]
struct Model {
    asked: bool,
    /// By the claim's number, why it is not borne.
    unsupported: BTreeMap<usize, String>,
    relations: Vec<String>,
    contradictions: Vec<String>,
}

impl Model {
    fn read(reply: Option<&str>) -> Self {
        let keys = ["unsupported", "contradictions", "relations"];
        let Some(object) = reply.and_then(|r| first_object(r, |o| keys.iter().any(|k| o.contains_key(*k))))
        else {
            return Self::default();
        };
        let list = |key: &str| object.get(key).and_then(Value::as_array).cloned().unwrap_or_default();
        let text = |v: &Value| {
            let inner = v.get("why").or_else(|| v.get("text")).unwrap_or(v);
            inner.as_str().unwrap_or_default().trim().chars().take(300).collect::<String>()
        };
        let numbered = |v: &Value| {
            let claim = v.get("claim").and_then(Value::as_u64)?;
            Some((usize::try_from(claim).ok()?, text(v)))
        };
        let texts = |key: &str| list(key).iter().map(text).filter(|t| !t.is_empty()).collect();
        Self {
            asked: true,
            unsupported: list("unsupported").iter().filter_map(numbered).collect(),
            relations: texts("relations"),
            contradictions: texts("contradictions"),
        }
    }
}
