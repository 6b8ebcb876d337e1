//! Context blocks: what surrounds the conversation, as small marked-up texts.
//!
//! Owns their wording and order. Never lets a title or a path break out of its mark.

use pilothouse_core::{
    event::Event,
    ids::Seq,
    plan::{Plan, Task, TaskStatus},
    proposal::ProposalStatus,
    scope::{Capability, ToolScope},
    session::{Lane, LaneKind, State},
};

use super::{Circumstances, Texts, cut};

/// The blocks of a request, in their order: time, session, work, what runs, what was left.
pub(super) fn blocks(
    state: &State,
    lane: &Lane,
    offer: ToolScope,
    texts: &dyn Texts,
    around: &Circumstances,
) -> Vec<String> {
    let mut all = vec![clock(around), session(state, lane, offer, around)];
    all.extend(match lane.kind {
        LaneKind::Task(id) => {
            plan_of(state).and_then(|p| p.tasks.iter().find(|t| t.id == id).map(|t| task(p, t)))
        }
        LaneKind::Repair(gate) => repair(state, gate, texts),
        LaneKind::Planning => plan_of(state).map(earlier),
        LaneKind::Answer | LaneKind::Goal | LaneKind::Gate(_) => None,
    });
    if lane.kind == LaneKind::Answer {
        all.extend(running(state));
    }
    all.extend(left(state, lane));
    all
}

/// Makes text safe between marks and in quotes.
pub(super) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

fn clock(around: &Circumstances) -> String {
    let moment = i64::try_from(around.now.0).ok().and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok());
    let offset = i8::try_from(around.utc_offset_minutes / 60).map(jiff::tz::offset);
    let zone = offset.map_or(jiff::tz::TimeZone::UTC, jiff::tz::Offset::to_time_zone);
    let text =
        moment.map_or_else(String::new, |m| m.to_zoned(zone).strftime("%A %Y-%m-%d %H:%M").to_string());
    format!("<now>{text}</now>")
}

fn session(state: &State, lane: &Lane, offer: ToolScope, around: &Circumstances) -> String {
    let names = |scope: ToolScope| scope.iter().map(Capability::name).collect::<Vec<_>>().join(" ");
    let folder = state.folder.rsplit('/').next().unwrap_or_default();
    let branch = around.branch.as_ref().map_or_else(String::new, |b| format!(" branch=\"{}\"", escape(b)));
    format!(
        "<session workspace=\"{}\"{branch} node=\"{}\" allowed=\"{}\" offered=\"{}\"/>",
        escape(folder),
        lane.node,
        names(lane.scope()),
        names(offer)
    )
}

fn plan_of(state: &State) -> Option<&Plan> {
    state.plan.as_ref()
}

fn task(plan: &Plan, task: &Task) -> String {
    let files: Vec<&str> = task.files.iter().map(pilothouse_core::relpath::RelPath::as_str).collect();
    format!(
        "<task number=\"{}\" of=\"{}\">\n<title>{}</title>\n<detail>{}</detail>\n<files>{}</files>\n</task>\n<plan title=\"{}\">{}</plan>",
        plan.number(task.id),
        plan.tasks.len(),
        escape(&task.title),
        escape(&task.detail),
        escape(&files.join("\n")),
        escape(&plan.title),
        steps(plan),
    )
}

fn steps(plan: &Plan) -> String {
    let step = |(n, t): (usize, &Task)| {
        let status = match t.status {
            TaskStatus::Pending => "to do",
            TaskStatus::Running => "now",
            TaskStatus::Done => "done",
            TaskStatus::Failed => "failed",
            TaskStatus::Skipped => "left out",
            TaskStatus::Cancelled => "stopped",
        };
        format!("\n{}. {} ({status})", n + 1, escape(&t.title))
    };
    plan.tasks.iter().enumerate().map(step).collect::<String>() + "\n"
}

fn repair(state: &State, id: pilothouse_core::ids::GateId, texts: &dyn Texts) -> Option<String> {
    let gate = plan_of(state)?.gates.iter().find(|g| g.id == id)?;
    let last: Option<Seq> = state.evidence.values().next_back().copied();
    let said = match last.and_then(|seq| texts.event(seq)).map(|e| e.event) {
        Some(Event::GateFailed { proof, .. }) => cut(&proof.diagnostics, 4096),
        _ => String::new(),
    };
    Some(format!(
        "<task>\n<title>Make the gate pass that failed: {}</title>\n<detail>The command is `{}`. Propose the smallest change that mends it; never weaken the gate.</detail>\n<diagnostics>{}</diagnostics>\n</task>",
        escape(&gate.name),
        escape(&gate.command),
        escape(&said)
    ))
}

fn earlier(plan: &Plan) -> String {
    format!("<earlier_plan title=\"{}\">{}</earlier_plan>", escape(&plan.title), steps(plan))
}

fn running(state: &State) -> Option<String> {
    let run = state.run.as_ref()?;
    let goal = state.turns.get(&run.turn).map(|t| escape(&t.head)).unwrap_or_default();
    let steps = plan_of(state).map(steps).unwrap_or_default();
    let failure =
        state.failure.as_ref().map(|f| format!("\nfailed: {}", escape(&f.message))).unwrap_or_default();
    Some(format!("<running goal=\"{goal}\">{steps}{failure}</running>"))
}

/// What the user did not take of this turn's earlier proposals.
fn left(state: &State, lane: &Lane) -> Option<String> {
    let since = state.turns.get(&lane.turn).map_or(0, |_| lane.turn.0);
    let mine = state.proposals().values().filter(|p| p.lane.0 > since);
    let notes: Vec<String> = mine
        .filter_map(|p| match p.status {
            ProposalStatus::Skipped => Some(format!("{}: not taken", p.path)),
            ProposalStatus::Applied(_) if p.tally().1 > 0 => {
                Some(format!("{}: {} of {} hunks not taken", p.path, p.tally().1, p.hunks.len()))
            }
            ProposalStatus::Open
            | ProposalStatus::Applying(_)
            | ProposalStatus::Applied(_)
            | ProposalStatus::SetAside
            | ProposalStatus::Dropped => None,
        })
        .collect();
    (!notes.is_empty()).then(|| format!("<left_by_user>\n{}\n</left_by_user>", escape(&notes.join("\n"))))
}
