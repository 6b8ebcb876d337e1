//! Where things stand, on one page.
//!
//! Owns its words. Never acts.

use pilothouse_core::{clean::Clean, intent::Slash, money::thousands, session::State};
use ratatui::text::Line;

use super::{OverlayKind, page::labelled, shown::Shown};
use crate::{
    ctx::Ctx,
    keymap::Entry,
    pane::plan::finished,
    row::{Row, count},
    theme::Slot,
};

/// Columns of the page at most.
const WIDTH: u16 = 72;

/// The page.
pub const KIND: OverlayKind = OverlayKind::page(
    Entry { name: "status", label: "status", reach: "opens a page" },
    Some(Slash::Status),
    |_| Ok(Box::new(Shown::new("status", "Status", WIDTH, rows))),
);

fn rows(ctx: &Ctx<'_>) -> Vec<Line<'static>> {
    let state = ctx.state;
    let plan = state.plan.as_ref().or(state.suspended.as_ref()).map_or("none".to_owned(), |p| {
        let aside = match (&state.plan, finished(p)) {
            (Some(_), _) => "",
            (None, true) if p.fulfilment() == "Complete" => ", done",
            (None, true) => ", ended",
            (None, false) => ", paused",
        };
        format!("{}, {}{}{aside}", Clean::line(&p.title), p.steps(), p.checks())
    });
    let usage = &state.usage;
    let mut rows = vec![
        ("session", Clean::line(&state.slug).into_string()),
        ("mode", format!("{:?}", state.mode).to_lowercase()),
        ("phase", state.phase.name().to_owned()),
        ("permission", state.permission.badge().to_owned()),
        ("sandbox", Clean::line(&state.sandbox.to_string()).into_string()),
        ("plan", plan),
        ("waiting", crate::bar::waiting(state).to_string()),
        ("set aside", set_aside(state)),
        ("facts", facts(state)),
        ("queued", state.queue.len().to_string()),
        ("written", format!("{} can be taken back", count(state.ledger().len(), "change"))),
        ("model", Clean::line(&ctx.surroundings.model).into_string()),
        ("tokens", format!("{} in, {} out", thousands(usage.input), thousands(usage.output))),
        ("calls", thousands(state.accounts.asked())),
    ];
    rows.push(("cost", usage.cost_told(ctx.surroundings.budget.unpriced)));
    let budgets = state.allowances(ctx.surroundings.budget);
    rows.extend(budgets.iter().map(|allowance| ("budget", allowance.line())));
    if budgets.is_empty() {
        rows.push(("budget", "none; /budget 5 sets one".to_owned()));
    }
    if let Some(why) = &ctx.surroundings.refused {
        rows.push(("git", Clean::line(why).into_string()));
    }
    let warnings = ctx.surroundings.warnings.iter();
    rows.extend(warnings.map(|warning| ("warning", Clean::line(warning).into_string())));
    if let Some(file) = &ctx.surroundings.instructions {
        let file = Clean::line(file);
        rows.push((
            "project",
            format!("{} is read as the project's own instructions; it allows nothing", file.as_str()),
        ));
    }
    if let Some(failure) = &state.failure {
        let headline = failure.message.lines().next().unwrap_or_default();
        rows.push(("failed", Clean::line(headline).into_string()));
    }
    let label = rows.iter().map(|(l, _)| l.len()).max().unwrap_or_default() + 3;
    let columns = usize::from(ctx.body.width.min(WIDTH).saturating_sub(4)).saturating_sub(label).max(8);
    let mut lines = Vec::new();
    for (name, value) in rows {
        let rows = labelled(name, label, &Row::of(&value, Slot::Text), columns);
        lines.extend(rows.iter().map(|row| row.line(ctx.theme)));
    }
    lines
}

/// What is known, and how much of it may not stand any more.
fn facts(state: &State) -> String {
    let stale = state.facts.iter().filter(|f| state.facts.stale(&f.name).is_some()).count();
    match (state.facts.len(), stale) {
        (0, _) => "none".to_owned(),
        (all, 0) => format!("{all}; /facts shows them"),
        (all, stale) => format!("{all}, {stale} stale; /facts shows them"),
    }
}

/// Plans and proposals that can be taken up again.
fn set_aside(state: &State) -> String {
    let plans = usize::from(state.plan_aside().is_some());
    match (state.set_aside().count(), plans) {
        (0, 0) => "nothing".to_owned(),
        (0, _) => "a plan; /redo resumes it".to_owned(),
        (files, _) => format!("{}; /proposals lists them", count(files, "proposal")),
    }
}
