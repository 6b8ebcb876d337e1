//! The last message: where the session stands, and what is to be done now.
//!
//! Owns all that changes from request to request. Never tells what happened: that is the transcript's.

use pilothouse_core::{
    intent::Mode,
    plan::{GateStatus, Plan},
    relpath::RelPath,
    scope::{Capability, ToolScope},
    session::{Lane, LaneKind, State},
};

use super::{Circumstances, inside, instruction, record::steps};

/// Most facts that are offered.
const MOST_FACTS: usize = 12;
/// Most characters of one.
const FACT_CHARS: usize = 240;

/// The message.
pub(super) fn message(state: &State, lane: &Lane, offer: ToolScope, around: &Circumstances) -> String {
    let mut lines = vec![
        format!("day: {}", day(around)),
        workspace(state, around),
        format!("mode: {}; phase: {}", state.mode.name(), state.phase.name()),
        path(lane, offer),
    ];
    lines.extend(state.open.values().map(|c| format!("waits for the user: {}", c.message)));
    lines.extend(state.plan.as_ref().map(|p| plan(p, lane)));
    lines.extend(beside(state, lane));
    lines.extend(facts(state, lane));
    let text = inside(&lines.join("\n"), "state");
    format!("<state>\n{text}\n</state>\n\n{}", instruction(lane.kind.purpose(), state.mode).trim_end())
}

fn day(around: &Circumstances) -> String {
    let moment = i64::try_from(around.now.0).ok().and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok());
    let offset = i8::try_from(around.utc_offset_minutes / 60).map(jiff::tz::offset);
    let zone = offset.map_or(jiff::tz::TimeZone::UTC, jiff::tz::Offset::to_time_zone);
    moment.map_or_else(String::new, |m| m.to_zoned(zone).strftime("%A %Y-%m-%d").to_string())
}

fn workspace(state: &State, around: &Circumstances) -> String {
    let folder = state.folder.rsplit('/').next().unwrap_or_default();
    let branch = around.branch.as_ref().map_or_else(String::new, |b| format!(", branch {b}"));
    format!("workspace: {folder}{branch}")
}

fn path(lane: &Lane, offer: ToolScope) -> String {
    let names = |scope: ToolScope| scope.iter().map(Capability::name).collect::<Vec<_>>().join(" ");
    format!("path: {}; allowed: {}; offered: {}", lane.node, names(lane.scope()), names(offer))
}

fn plan(plan: &Plan, lane: &Lane) -> String {
    let gates: Vec<String> = plan
        .gates
        .iter()
        .map(|g| {
            let status = match g.status {
                GateStatus::Pending => "to run",
                GateStatus::Running => "running",
                GateStatus::Passed(_) => "passed",
                GateStatus::Failed(_) => "failed",
                GateStatus::Stale(_) => "stale: files changed since it passed",
                GateStatus::Skipped => "left out",
            };
            format!("\ngate {}: `{}` ({status})", g.name, g.command)
        })
        .collect();
    format!("plan: {}{}{}{}", plan.title, steps(plan), gates.concat(), at_hand(plan, lane.kind))
}

fn at_hand(plan: &Plan, kind: LaneKind) -> String {
    match kind {
        LaneKind::Task(id) => plan.tasks.iter().find(|t| t.id == id).map_or_else(String::new, |task| {
            let files: Vec<&str> = task.files.iter().map(RelPath::as_str).collect();
            let files =
                if files.is_empty() { String::new() } else { format!("; files: {}", files.join(" ")) };
            format!("\ntask at hand: {} of {}: {}{files}", plan.number(id), plan.tasks.len(), task.title)
        }),
        LaneKind::Repair(id) => plan
            .gates
            .iter()
            .find(|g| g.id == id)
            .map_or_else(String::new, |gate| format!("\nat hand: mend what made gate {} fail", gate.name)),
        LaneKind::Answer | LaneKind::Planning | LaneKind::Goal | LaneKind::Gate(_) | LaneKind::Child(_) => {
            String::new()
        }
    }
}

/// What is known that the work at hand may need: all of it while it accumulates, and for a plan that is to
/// stand by itself the names that it takes up again.
fn facts(state: &State, lane: &Lane) -> Option<String> {
    let about = state.turns.get(&lane.turn).map(|t| t.head.as_str()).unwrap_or_default();
    let known = state.facts.relevant(about, MOST_FACTS);
    let lines = known.iter().map(|fact| match state.mode {
        Mode::Exploratory => format!("\n{}", state.facts.line(fact)),
        Mode::Proof => format!("\n{} ({})", fact.name, fact.source.words()),
    });
    let text: String = lines.map(|l| l.chars().take(FACT_CHARS).collect::<String>()).collect();
    (!text.is_empty()).then(|| format!("<facts>{}\n</facts>", inside(&text, "facts")))
}

/// What goes on beside the question that is answered.
fn beside(state: &State, lane: &Lane) -> Option<String> {
    let run = state.run.as_ref().filter(|r| lane.kind == LaneKind::Answer && r.turn != lane.turn)?;
    let goal = state.turns.get(&run.turn).map(|t| t.head.as_str()).unwrap_or_default();
    Some(format!("beside this runs: {goal}"))
}
