//! Findings about a change: each held against the code, and told, the worst first.
//!
//! Owns what stages of a review do without a model once something was found. Never calls a finding proven whose words
//! do not stand where it says.

use std::collections::BTreeMap;

use super::{
    By, Cite, Gives, Mark, Material, PipelineState, StageSpec, Verification,
    change::{Change, Texts},
    count,
    draft::{Finding, Findings},
    material::{Outcome, Step},
    render, verify,
};

/// Lines around the one that a finding names in which its words may stand.
const NEAR: usize = 10;

/// The stage that holds each finding against the code; `None` where there are none to hold.
pub(super) fn verify(state: &PipelineState, material: &Material) -> Option<Step> {
    let found = material.given(state, Gives::Findings).and_then(Findings::read)?;
    let texts: Texts = kept(state, material, |s| s.files);
    let fault = |f: &Finding| {
        let why = doubt(f, &texts)?;
        Some(Mark { claim: claim(f), cite: Cite::Passage(f.line), why, by: By::Code })
    };
    let marks: Vec<Mark> = found.findings.iter().filter_map(fault).collect();
    let all = found.findings.len();
    let threshold = state.beginning().map(|b| b.spec.thresholds).unwrap_or_default().citation_accuracy;
    let checked = verify::axis("citation_accuracy", (all - marks.len(), all), threshold, vec![By::Code]);
    let passed = checked.passed;
    let again = !marks.is_empty() && state.rounds() < state.depth().numbers().repairs;
    let anew = if again { ", they are looked for again" } else { "" };
    let note = match all {
        0 => "nothing to check".to_owned(),
        _ => format!("{} of {} stand in the code{anew}", all - marks.len(), count(all, "finding")),
    };
    let verification = Verification { axes: vec![checked], marks, passed, ..Verification::default() };
    let output = serde_json::to_string(&verification).unwrap_or_default();
    Some(Step::Done(Box::new(Outcome { output, note, again, ..Outcome::default() })))
}

/// What the last stage like this came to.
fn kept<T: Default + serde::de::DeserializeOwned>(
    state: &PipelineState,
    material: &Material,
    is: impl Fn(&StageSpec) -> bool,
) -> T {
    material.of(state, is).and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
}

fn claim(finding: &Finding) -> String {
    format!("{}:{} {}", finding.file, finding.line, finding.message)
}

/// Why a finding is not proven by the code.
fn doubt(finding: &Finding, texts: &Texts) -> Option<String> {
    let Some(text) = texts.get(&finding.file) else {
        return Some("the file was not changed or not read".to_owned());
    };
    let plain = |t: &str| t.split_whitespace().collect::<Vec<_>>().join(" ");
    let wanted = plain(&finding.evidence);
    if wanted.is_empty() {
        return Some("it shows no words of the code".to_owned());
    }
    let stands = |lines: &BTreeMap<usize, String>, near: std::ops::RangeInclusive<usize>| {
        let lines: Vec<String> = lines.range(near).map(|(_, line)| plain(line)).collect();
        lines.iter().any(|l| l.contains(&wanted)) || lines.join(" ").contains(&wanted)
    };
    let near = finding.line.saturating_sub(NEAR)..=finding.line.saturating_add(NEAR);
    match (stands(text, near), stands(text, 0..=usize::MAX)) {
        (true, _) => None,
        (false, true) => Some("its words stand elsewhere in the file".to_owned()),
        (false, false) => Some("its words do not stand in what was read of the file".to_owned()),
    }
}

/// Findings, the worst first, with what of them is not proven.
fn ranked(state: &PipelineState, material: &Material) -> Option<(Findings, Verification)> {
    let mut found = material.given(state, Gives::Findings).and_then(Findings::read)?;
    let doubts = material.verification(state).unwrap_or_default();
    let rank = |f: &Finding| match f.severity.to_lowercase().as_str() {
        "high" => 0,
        "medium" => 1,
        _ => 2,
    };
    found.findings.sort_by_key(|f| (rank(f), f.file.clone(), f.line));
    Some((found, doubts))
}

/// What is said of a finding that is not proven; nothing of one that is.
fn doubted(finding: &Finding, doubts: &Verification) -> Option<String> {
    let mark = doubts.marks.iter().find(|m| m.claim == claim(finding))?;
    Some(format!("(not verified: {})", mark.why))
}

/// What later turns are told of them, a line each; `None` where none were looked for.
pub(super) fn told(state: &PipelineState, material: &Material) -> Option<Vec<String>> {
    let (found, doubts) = ranked(state, material)?;
    let line = |f: &Finding| {
        let line = format!("{} {}", f.severity, claim(f));
        doubted(f, &doubts).map_or_else(|| line.clone(), |doubt| format!("{line} {doubt}"))
    };
    let lines = found.findings.iter().map(line);
    let none = match (found.skipped, found.findings.len()) {
        (true, _) => Some("not checked for bugs"),
        (false, 0) => Some("nothing was found"),
        (false, _) => None,
    };
    let summary = Some(found.summary.clone()).filter(|s| !s.trim().is_empty());
    Some(summary.into_iter().chain(none.map(str::to_owned)).chain(lines).collect())
}

/// The stage that tells them, the worst first; `None` where nothing was looked for.
pub(super) fn render(state: &PipelineState, material: &Material) -> Option<Step> {
    let (found, doubts) = ranked(state, material)?;
    let query = state.original_query().trim();
    let mut text = format!("# {query}\n\n{}\n", found.summary.trim());
    match (found.skipped, found.findings.len()) {
        (true, _) => text.push_str("\nNot checked for bugs."),
        (false, 0) => text.push_str("\nNothing was found."),
        (false, _) => {}
    }
    for f in &found.findings {
        let Finding { file, line, severity, message, evidence } = f;
        let doubt = doubted(f, &doubts).map(|d| format!(" *{d}*")).unwrap_or_default();
        let shown =
            if evidence.trim().is_empty() { String::new() } else { format!("\n  > `{}`", evidence.trim()) };
        text.push_str(&format!("\n- **{severity}** `{file}:{line}` {}{doubt}{shown}", message.trim()));
    }
    text.push_str(&looked_at(&kept(state, material, StageSpec::collects)));
    let bill = render::bill(&render::costs(state));
    if !bill.is_empty() {
        text.push_str(&format!("\n{bill}"));
    }
    let (note, lacks) = if found.skipped {
        ("not looked for".to_owned(), "not checked for bugs".to_owned())
    } else {
        let all = count(found.findings.len(), "finding");
        (format!("{all}, {} not verified", doubts.marks.len()), String::new())
    };
    let output = serde_json::to_string_pretty(&found).unwrap_or_default();
    Some(Step::Done(Box::new(Outcome { output, note, answer: Some(text), lacks, ..Outcome::default() })))
}

/// The files that a review is about, and how many it is not about.
fn looked_at(change: &Change) -> String {
    let files: Vec<String> = change.files.iter().map(|f| format!("`{}`", f.path)).collect();
    let more = if change.left_out > 0 {
        format!("; {} not looked at", count(change.left_out, "file"))
    } else {
        String::new()
    };
    if files.is_empty() { String::new() } else { format!("\n\nReviewed: {}{more}.", files.join(", ")) }
}
