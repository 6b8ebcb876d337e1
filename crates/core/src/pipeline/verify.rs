//! Holding a draft against its sources on four axes: names, citations, relations, contradictions.
//!
//! Owns what is checked, by whom, and what passes. Code decides wherever it can; what only a model can see is said
//! to be by the model. Never lets a citation pass unmarked that did not hold, nor an axis that nobody could look at.

mod model;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::json;

use super::{
    Axes, Cite, Claim, Draft, Material, PipelineState, Sources, claims,
    draft::Related,
    findings,
    material::{Outcome, Step},
    postprocess::{Reference, postprocess},
};
use crate::knowledge::{
    Citation, CitationVerdict, ContradictionVerdict, EntityVerdict, Passage, Relation, RelationVerdict,
    Score, Standing,
};
use model::Model;

/// The axis that is a count and no share.
const CONTRADICTIONS: &str = "contradictions";
/// Said where a draft rests on nothing that was found.
const UNCITED: &str = "nothing cites a passage";
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
    /// Nobody could look.
    Nobody,
}

impl By {
    /// For people.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Code => "code",
            Self::Model => "the model",
            Self::Nobody => "nobody",
        }
    }
}

/// A citation that does not hold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// The sentence, without its marks.
    pub claim: String,
    /// What it names.
    pub cite: Cite,
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
    /// Who looked; nobody where a check failed, and then it does not pass.
    pub by: Vec<By>,
    /// Whether it passes.
    pub passed: bool,
}

impl Checked {
    /// The axis, for people.
    pub fn name(&self) -> String {
        self.axis.replace('_', " ")
    }

    /// What it came to; nothing where there was nothing to check, or nobody could.
    pub fn came_to(&self) -> Option<String> {
        let counts = self.axis == CONTRADICTIONS;
        (!self.by.is_empty() && self.of > 0)
            .then(|| if counts { self.score.to_string() } else { format!("{:.2}", self.score) })
    }

    /// Why it came to nothing.
    pub const fn came_to_nothing(&self) -> &'static str {
        if self.by.is_empty() { "not checked" } else { "nothing to check" }
    }
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
    /// Whether nothing of it names a passage, though there were some.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub uncited: bool,
    /// Whether all of it passes.
    pub passed: bool,
}

impl Verification {
    /// What is wrong, a line each, for whoever drafts again.
    pub fn problems(&self) -> Vec<String> {
        let seen = self.marks.iter().filter(|m| m.by != By::Nobody);
        let marks = seen.map(|m| format!("[{}] does not bear \"{}\": {}", m.cite, m.claim, m.why));
        let missing = self.missing.iter().map(|n| format!("there is no `{n}` in the sources"));
        let relations = self.relations.iter().cloned();
        let uncited = self.uncited.then(|| UNCITED.to_owned()).into_iter();
        let names = uncited.chain(marks).chain(missing);
        names.chain(relations).chain(self.contradictions.iter().cloned()).collect()
    }

    /// The axes in a line, for people: what was looked at, and what nobody could look at.
    pub fn line(&self) -> String {
        let axis = |c: &Checked| {
            let said = c.came_to().or_else(|| c.by.is_empty().then(|| c.came_to_nothing().to_owned()))?;
            Some(format!("{} {said}", c.name()))
        };
        let uncited = self.uncited.then(|| UNCITED.to_owned()).into_iter();
        let all: Vec<String> = uncited.chain(self.axes.iter().filter_map(axis)).collect();
        if all.is_empty() { "nothing to check".to_owned() } else { all.join(", ") }
    }

    /// How many of its citations are marked, where some are: `2 of 8 citations not verified`.
    pub fn unverified(&self) -> Option<String> {
        let of = self.axes.iter().find(|c| c.axis == "citation_accuracy").map_or(0, |c| c.of);
        let marked = self.marks.iter().map(|m| (&m.claim, &m.cite)).collect::<BTreeSet<_>>().len();
        (marked > 0).then(|| format!("{marked} of {} not verified", super::count(of.max(marked), "citation")))
    }

    /// How it ended, with the axes, for people.
    fn note(&self, again: bool) -> String {
        let looked = self.axes.iter().any(|c| c.came_to().is_some());
        let but =
            self.unverified().filter(|_| self.passed).map_or_else(String::new, |n| format!(" but for {n}"));
        let anew = if again { ", drafting it again" } else { "" };
        let end = match (self.passed, again) {
            (true, _) if !looked => return self.line(),
            (true, _) => "holds",
            (false, true) => "does not hold",
            (false, false) if self.problems().is_empty() => "could not be fully checked",
            (false, false) => "does not hold everywhere; what does not is marked",
        };
        format!("{end}{but}{anew}: {}", self.line())
    }
}

/// The draft with what models forget to mark, and without what nothing would check.
pub(super) fn complete(state: &PipelineState, material: &Material) -> Draft {
    let mut draft = material.draft(state);
    draft.extractive &= word_for_word(&draft, &material.sources(state));
    if draft.extractive {
        return draft;
    }
    // No heading is held against anything.
    draft.sections.iter_mut().for_each(|s| s.title = claims::bare(&s.title));
    postprocess(draft, &material.references(state))
}

/// Whether a draft that says so is made of passages as they stand: nothing of it is said in words of its own.
fn word_for_word(draft: &Draft, sources: &Sources) -> bool {
    let said = std::iter::once(&draft.summary).chain(&draft.conclusions);
    let says_nothing = |t: &String| claims::cited(t).next().is_none() && claims::names(t).is_empty();
    let stands = |text: &str| {
        let claims: Vec<Claim> =
            claims::sentences(text).iter().filter_map(|s| claims::claim(s.text)).collect();
        let [Claim { text: place, cites }] = claims.as_slice() else { return false };
        let [Cite::Passage(number)] = cites.as_slice() else { return false };
        let Some(passage) = sources.at(*number) else { return false };
        let (place, named) = (place.trim(), format!("`{}`", passage.lines));
        let of_passage = |line: &str| passage.text.contains(line) || ["```", "~~~", "…"].contains(&line);
        place == named && text.lines().rev().skip(1).all(of_passage)
    };
    said.into_iter().all(says_nothing) && draft.sections.iter().all(|s| stands(&s.text))
}

/// What a stage that verifies does next.
pub(super) fn step(state: &PipelineState, stage: usize, material: &Material) -> Step {
    if let Some(step) = findings::verify(state, material) {
        return step;
    }
    let draft = complete(state, material);
    let (sources, references, claims) = (material.sources(state), material.references(state), claims(&draft));
    let calls = calls(&draft, &sources, &claims);
    if material.steps.is_empty() && !calls.is_empty() {
        return Step::Call(calls);
    }
    let asks = state.beginning().and_then(|b| b.prompts.get(stage)).is_some_and(|p| p.bytes > 0);
    if asks && material.reply.is_none() && !draft.extractive && !claims.is_empty() {
        return Step::Ask;
    }
    let thresholds = state.beginning().map(|b| b.spec.thresholds).unwrap_or_default();
    let model = Model::read(material.reply.as_deref());
    let query = state.original_query();
    let held =
        Held { draft: &draft, sources: &sources, references: &references, claims: &claims, material, query };
    let found = held.against(&calls, &model, thresholds);
    // What nobody could look at is not mended by another draft; what is wrong is, also where the rest is enough.
    let mends = !found.problems().is_empty() && !draft.extractive;
    let again = mends && state.rounds() < state.depth().numbers().repairs;
    let note = found.note(again);
    let output = serde_json::to_string(&found).unwrap_or_default();
    Step::Done(Box::new(Outcome { output, note, again, ..Outcome::default() }))
}

/// The passages that are named, each once.
fn cited<'a>(sources: &'a Sources, claims: &[Claim]) -> BTreeMap<usize, &'a Passage> {
    claims::numbers(claims).into_iter().filter_map(|n| Some((n, sources.at(n)?))).collect()
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
    let all = draft.texts().map(claims::asserted).collect::<Vec<_>>().join("\n");
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

/// A draft with everything that it is held against.
struct Held<'a> {
    draft: &'a Draft,
    sources: &'a Sources,
    references: &'a [Reference],
    claims: &'a [Claim],
    material: &'a Material,
    query: &'a str,
}

impl Held<'_> {
    fn against(&self, calls: &[(String, String)], model: &Model, thresholds: Axes) -> Verification {
        let mut found = Verification::default();
        let called = |tool: &str| calls.iter().filter(|(name, _)| name == tool).count();
        // Who looked: nobody where one of the calls came to nothing.
        let by = |tool: &str, could: usize, model_too: bool| {
            let by = if model_too && model.asked { vec![By::Code, By::Model] } else { vec![By::Code] };
            let lost = model_too && model.unreadable && !self.claims.is_empty();
            if could == called(tool) && !lost { by } else { Vec::new() }
        };
        let checked = self.citations(&mut found, model);
        let cites = self.claims.iter().map(|c| c.cites.len()).sum::<usize>();
        let bad: BTreeSet<(&str, &Cite)> = found.marks.iter().map(|m| (m.claim.as_str(), &m.cite)).collect();
        let held = (cites.saturating_sub(bad.len()), cites);
        found.uncited = self.is_uncited();
        let mut citations = axis(
            "citation_accuracy",
            held,
            thresholds.citation_accuracy,
            by("citation_verify", checked, true),
        );
        citations.passed &= !found.uncited;
        let (checked, names) = self.names(&mut found);
        let entities =
            axis("entity_grounding", names, thresholds.entity_grounding, by("entity_verify", checked, false));
        let (checked, related) = self.related(&mut found, model);
        let relations = thresholds.relation_preservation;
        let relations =
            axis("relation_preservation", related, relations, by("relation_verify", checked, true));
        let (checked, compared) = self.contradictions(&mut found, model);
        let (count, by) = (found.contradictions.len(), by("contradiction_check", checked, true));
        let contradictions = Checked {
            axis: CONTRADICTIONS.to_owned(),
            score: f32::from(u16::try_from(count).unwrap_or(u16::MAX)),
            threshold: f32::from(u16::try_from(thresholds.contradictions).unwrap_or(u16::MAX)),
            of: compared.max(count),
            passed: count <= thresholds.contradictions && !by.is_empty(),
            by,
        };
        found.axes = vec![entities, citations, relations, contradictions];
        found.passed = found.axes.iter().all(|c| c.passed);
        found
    }

    /// Whether a draft in words of its own names none of the passages that there are.
    fn is_uncited(&self) -> bool {
        let mut cites = self.claims.iter().flat_map(|c| &c.cites);
        let rests = cites.any(|c| c.number().is_some()) || self.sources.passages.is_empty();
        !rests && !self.draft.extractive
    }

    /// What each call of a tool said, in their order; nothing for one that failed.
    fn said<T: DeserializeOwned>(&self, tool: &str) -> Vec<Option<T>> {
        let of = self.material.steps.iter().filter(|s| s.tool == tool);
        of.map(|s| serde_json::from_str(&s.text).ok().filter(|_| s.ok)).collect()
    }

    /// Each citation: that there is such a source, that it stands where it is said to, and that it bears the
    /// sentence. How many calls said something.
    fn citations(&self, found: &mut Verification, model: &Model) -> usize {
        let numbers: Vec<usize> = cited(self.sources, self.claims).into_keys().collect();
        let mut said = self.said::<Vec<CitationVerdict>>("citation_verify").into_iter().flatten();
        let verdicts = said.find(|all| all.len() == numbers.len());
        let could = usize::from(verdicts.is_some());
        let verdicts: BTreeMap<usize, CitationVerdict> =
            numbers.into_iter().zip(verdicts.into_iter().flatten()).collect();
        for (claim, place) in self.claims.iter().zip(1..) {
            for cite in &claim.cites {
                let fault = match cite {
                    Cite::Passage(number) => self.fault(*number, verdicts.get(number), claim),
                    Cite::Named(name) => self.strange(name, claim),
                };
                let by_model = || Some((model.unsupported.get(&place)?.clone(), By::Model));
                if let Some((why, by)) = fault.or_else(by_model) {
                    found.marks.push(Mark { claim: claim.text.clone(), cite: cite.clone(), why, by });
                }
            }
        }
        could
    }

    /// What is wrong with a passage that is named.
    fn fault(&self, number: usize, said: Option<&CitationVerdict>, claim: &Claim) -> Option<(String, By)> {
        let Some(passage) = self.sources.at(number) else {
            return Some(("there is no such source".to_owned(), By::Code));
        };
        let denied = self.material.reply.is_some() && claims::denies(&claim.text, &whole(passage));
        match said.map(|v| (v.verdict.standing, &v.verdict.reason)) {
            None => Some(("it could not be checked".to_owned(), By::Nobody)),
            Some((Standing::Fails, why)) => Some((why.clone(), By::Code)),
            Some((Standing::Unknown, why)) => Some((why.clone(), By::Nobody)),
            // What stands there word for word needs no other word for it, and what is denied has none there.
            Some((Standing::Holds, _)) if self.draft.extractive || denied => None,
            Some((Standing::Holds, _)) if !claims::bears(&whole(passage), &claim.text) => {
                Some(("the passage does not mention it".to_owned(), By::Code))
            }
            Some((Standing::Holds, _)) => {
                let number = claims::unborne_number(&claim.text, || self.texts(claim))?;
                Some((format!("{number} stands in nothing that is cited for it"), By::Code))
            }
        }
    }

    /// All that a sentence rests on.
    fn texts(&self, claim: &Claim) -> Vec<String> {
        let passages = claim.cites.iter().filter_map(|c| self.sources.at(c.number()?)).map(whole);
        let named = claim.cites.iter().filter_map(|c| match c {
            Cite::Passage(_) => None,
            Cite::Named(name) => self.references.iter().find(|r| r.mark == *name),
        });
        passages.chain(named.map(|of| format!("{} {}", of.title, of.text))).collect()
    }

    /// What is wrong with something else that is named.
    fn strange(&self, name: &str, claim: &Claim) -> Option<(String, By)> {
        let Some(of) = self.references.iter().find(|r| r.mark == name) else {
            return Some(("there is no such source".to_owned(), By::Code));
        };
        let words = claims::words(&format!("{} {}", of.title, of.text));
        (!claims::shares(&words, &claims::words(&claim.text)))
            .then(|| ("it does not mention it".to_owned(), By::Code))
    }

    /// The names of the draft: how many calls said something, how many there are of how many; the others are noted.
    fn names(&self, found: &mut Verification) -> (usize, (usize, usize)) {
        let said = self.said::<EntityVerdict>("entity_verify");
        if self.draft.extractive {
            return (said.len(), (0, 0));
        }
        let mut all: BTreeMap<String, bool> = BTreeMap::new();
        let text = self.sources.passages.iter().map(whole).collect::<Vec<_>>().join("\n").to_lowercase();
        for name in self.draft.texts().map(claims::asserted).flat_map(|text| claims::names(&text)) {
            let there = claims::stands(&text, &name);
            all.insert(name, there);
        }
        let could = said.iter().flatten().count();
        // What was looked up in the workspace is as it was found there.
        for (name, place) in said.into_iter().flatten().flat_map(|verdict| verdict.names) {
            all.insert(name, place.is_some());
        }
        // What the user named may well be nowhere.
        let asked = self.query.to_lowercase();
        all.retain(|name, there| *there || !claims::stands(&asked, name));
        found.missing = all.iter().filter(|(_, there)| !**there).map(|(name, _)| name.clone()).collect();
        (could, (all.values().filter(|there| **there).count(), all.len()))
    }

    /// What is said of two names: how many calls said something, how much of how much holds; what code cannot tell
    /// counts for nothing.
    fn related(&self, found: &mut Verification, model: &Model) -> (usize, (usize, usize)) {
        let verdicts = self.said::<RelationVerdict>("relation_verify");
        let (mut all, mut hold) = (0, 0);
        for ((related, _), verdict) in relations(self.draft).zip(&verdicts) {
            let Some(RelationVerdict { verdict, .. }) = verdict else { continue };
            let says = format!("{} {} {}", related.subject, related.relation, related.object);
            match verdict.standing {
                Standing::Holds => (all, hold) = (all + 1, hold + 1),
                Standing::Fails => {
                    all += 1;
                    found.relations.push(format!("\"{says}\" does not hold: {}", verdict.reason));
                }
                Standing::Unknown => {}
            }
        }
        all += model.relations.len();
        found.relations.extend(model.relations.iter().map(|r| format!("{r} (by the model)")));
        (verdicts.iter().flatten().count(), (hold, all))
    }

    /// What cannot both hold is noted: how many calls said something, how much was compared.
    fn contradictions(&self, found: &mut Verification, model: &Model) -> (usize, usize) {
        let said = self.said::<ContradictionVerdict>("contradiction_check");
        let mut compared = if model.asked { self.claims.len() } else { 0 };
        for verdict in said.iter().flatten() {
            compared = compared.max(verdict.compared);
            for c in &verdict.found {
                let text = format!("{}: \"{}\" against \"{}\" ({})", c.about, c.one, c.other, c.other_is);
                found.contradictions.push(text);
            }
        }
        found.contradictions.extend(model.contradictions.iter().map(|c| format!("{c} (by the model)")));
        (said.iter().flatten().count(), compared)
    }
}

/// An axis whose score is so many of so many; it does not pass where nobody looked.
pub(super) fn axis(name: &str, (part, of): (usize, usize), threshold: f32, by: Vec<By>) -> Checked {
    let score = Score::share(part, of);
    let passed = score >= Axes::score(threshold) && !by.is_empty();
    Checked { axis: name.to_owned(), score: f32::from(score.0) / 1000.0, threshold, of, by, passed }
}

fn whole(passage: &Passage) -> String {
    format!("{} {} {}", passage.lines.path, passage.title, passage.text)
}
