//! Findings about a change: the change collected, its files read, each finding held against the code.
//!
//! Owns what stages of a review do without a model. Never calls a finding proven whose words do not stand where it
//! says.

use std::collections::BTreeMap;

use serde_json::json;

use super::{
    By, Cite, Gives, Mark, Material, PipelineState, Verification, count,
    draft::{Finding, Findings},
    material::{Outcome, Step, ToolStep},
    verify,
};
/// Lines around the one that a finding names in which its words may stand.
const NEAR: usize = 10;
/// Begins the text of a file among those that were read.
const FILE: &str = "=== ";

/// The stage that collects the change.
pub(super) fn collect(command: &str, material: &Material) -> Step {
    let Some(step) = material.steps.first() else {
        return Step::Call(vec![("run".to_owned(), json!({ "command": command }).to_string())]);
    };
    if !step.ok {
        return Step::Fail(step.text.lines().next().unwrap_or_default().to_owned());
    }
    let files = changed(&step.text);
    if files.is_empty() {
        return Step::Fail("there is nothing to review: nothing was changed".to_owned());
    }
    let note = format!("{} changed", count(files.len(), "file"));
    Step::Done(Box::new(Outcome { output: step.text.clone(), note, ..Outcome::default() }))
}

/// The files that a diff changes.
fn changed(diff: &str) -> Vec<String> {
    let files = diff.lines().filter_map(|l| l.strip_prefix("+++ b/")).map(str::to_owned);
    files.collect()
}

/// The stage that reads them.
pub(super) fn files(state: &PipelineState, stage: usize, tool: &str, material: &Material) -> Step {
    if material.steps.is_empty() {
        let before = state.stage(stage.saturating_sub(1)).and_then(|s| material.outputs.get(&s.name));
        let files = changed(before.map_or("", String::as_str));
        let most = state.depth().numbers().passages;
        let calls =
            files.iter().take(most).map(|path| (tool.to_owned(), json!({ "path": path }).to_string()));
        return Step::Call(calls.collect());
    }
    let read: Vec<&ToolStep> = material.steps.iter().filter(|s| s.ok).collect();
    let text = read.iter().map(|s| format!("{FILE}{}\n{}", path_of(&s.args), s.text)).collect::<Vec<_>>();
    let note = format!("{} of {} files read", read.len(), material.steps.len());
    Step::Done(Box::new(Outcome { output: text.join("\n"), note, ..Outcome::default() }))
}

fn path_of(args: &str) -> String {
    let args: serde_json::Value = serde_json::from_str(args).unwrap_or_default();
    args.get("path").and_then(|p| p.as_str()).unwrap_or_default().to_owned()
}

/// The stage that holds each finding against the code; `None` where there are none to hold.
pub(super) fn verify(state: &PipelineState, material: &Material) -> Option<Step> {
    let found = material.given(state, Gives::Findings).and_then(Findings::read)?;
    let texts = texts(material);
    let fault = |f: &Finding| {
        let why = doubt(f, &texts)?;
        let claim = format!("{}:{} {}", f.file, f.line, f.message);
        Some(Mark { claim, cite: Cite::Passage(f.line), why, by: By::Code })
    };
    let marks: Vec<Mark> = found.findings.iter().filter_map(fault).collect();
    let all = found.findings.len();
    let threshold = state.beginning().map(|b| b.spec.thresholds).unwrap_or_default().citation_accuracy;
    let checked = verify::axis("citation_accuracy", (all - marks.len(), all), threshold, vec![By::Code]);
    let passed = checked.passed;
    let again = !passed && state.rounds() < state.depth().numbers().repairs;
    let note = format!("{} of {all} findings stand in the code", all - marks.len());
    let verification = Verification { axes: vec![checked], marks, passed, ..Verification::default() };
    let output = serde_json::to_string(&verification).unwrap_or_default();
    Some(Step::Done(Box::new(Outcome { output, note, again, ..Outcome::default() })))
}

/// The texts that were read, by file.
fn texts(material: &Material) -> BTreeMap<String, String> {
    let all = material.outputs.values().filter(|t| t.starts_with(FILE));
    let parts =
        all.flat_map(|t| t.split("\n=== ")).filter_map(|part| part.trim_start_matches(FILE).split_once('\n'));
    parts.map(|(path, text)| (path.to_owned(), text.to_owned())).collect()
}

/// Why a finding is not proven by the code.
fn doubt(finding: &Finding, texts: &BTreeMap<String, String>) -> Option<String> {
    let Some(text) = texts.get(&finding.file) else {
        return Some("the file was not changed or not read".to_owned());
    };
    let plain = |t: &str| t.split_whitespace().collect::<Vec<_>>().join(" ");
    let wanted = plain(&finding.evidence);
    if wanted.is_empty() {
        return Some("it shows no words of the code".to_owned());
    }
    let lines: Vec<&str> = text.lines().collect();
    let from = finding.line.saturating_sub(NEAR + 1);
    let near = lines.get(from.min(lines.len())..(finding.line + NEAR).min(lines.len())).unwrap_or_default();
    let stands = |lines: &[&str]| {
        plain(&lines.join(" ")).contains(&wanted) || lines.iter().any(|l| plain(l).contains(&wanted))
    };
    match (stands(near), stands(&lines)) {
        (true, _) => None,
        (false, true) => Some("its words stand elsewhere in the file".to_owned()),
        (false, false) => Some("its words do not stand in the file".to_owned()),
    }
}

/// The stage that tells them, the worst first; `None` where nothing was looked for.
pub(super) fn render(state: &PipelineState, material: &Material) -> Option<Step> {
    let mut found = material.given(state, Gives::Findings).and_then(Findings::read)?;
    let doubts = material.verification(state).unwrap_or_default();
    let rank = |f: &Finding| match f.severity.to_lowercase().as_str() {
        "high" => 0,
        "medium" => 1,
        _ => 2,
    };
    found.findings.sort_by_key(|f| (rank(f), f.file.clone(), f.line));
    let mut text = format!("# {}\n\n{}\n", state.original_query().trim(), found.summary.trim());
    if found.findings.is_empty() {
        text.push_str("\nNothing was found.");
    }
    for f in &found.findings {
        let Finding { file, line, severity, message, evidence } = f;
        let claim = format!("{file}:{line} {message}");
        let doubt = doubts.marks.iter().find(|m| m.claim == claim);
        let doubt = doubt.map(|m| format!(" *(not verified: {})*", m.why)).unwrap_or_default();
        let shown =
            if evidence.trim().is_empty() { String::new() } else { format!("\n  > `{}`", evidence.trim()) };
        text.push_str(&format!("\n- **{severity}** `{file}:{line}` {}{doubt}{shown}", message.trim()));
    }
    let note = format!("{}, {} not verified", count(found.findings.len(), "finding"), doubts.marks.len());
    let output = serde_json::to_string_pretty(&found).unwrap_or_default();
    Some(Step::Done(Box::new(Outcome { output, note, answer: Some(text), ..Outcome::default() })))
}
