//! The row below the plan: what it used, its planning with it.

use pilothouse_core::{
    ids::{Millis, TurnId},
    money::Spell,
    session::State,
    talk::Usage,
};

use crate::{pane::Ctx, row::Row, theme::Slot};

/// `Tokens: 4,523 │ Time: 12s │ Cost: $0.03`; `spent` is how long the plan's last run took and what the plan used by its
/// end, `planned` what it used before that run began.
pub(in super::super) fn footer(
    ctx: &Ctx<'_>,
    width: usize,
    spent: Option<(Spell, Usage)>,
    planned: Usage,
) -> Row {
    let state = ctx.state;
    let running = state.run.as_ref().filter(|run| is_of_plan(state, run.turn));
    // What was spent does not go back to nothing when a run begins; before there is one, it is what was spent on the plan.
    let mut by_now = planned;
    by_now.add(&state.accounts.run);
    let (took, usage) = match (running, spent) {
        (Some(_), _) => (state.spell(ctx.now), by_now),
        (None, Some((took, usage))) => (Some(took), usage),
        (None, None) => (None, spent_before(state)),
    };
    let bill = |took| {
        let mut row = Row::new();
        for (label, value) in usage.bill(took) {
            if !row.pieces.is_empty() {
                row.push(&format!(" {} ", ctx.glyphs.column), Slot::Faint);
            }
            row = row.and(label, Slot::Soft).and(ctx.glyphs.own(&value), Slot::Text);
        }
        row
    };
    // How long it waited for the user goes before anything is cut.
    let whole = bill(took);
    let row =
        if whole.width() > width { bill(took.map(|t| Spell { waited: Millis(0), ..t })) } else { whole };
    row.cut(width, ctx.glyphs.ellipsis)
}

/// What was spent on the plan that is shown before any run of it; without a plan, what the session used.
fn spent_before(state: &State) -> Usage {
    let of = super::plan_of(state).and_then(|(plan, _)| state.turns.get(&plan.turn));
    of.map_or(state.usage, |turn| turn.used)
}

/// What was spent on a plan before its run. A session that is opened again tells its events when all of them are
/// folded: what the run itself used is in the sum of its message by then.
pub(in super::super) fn before_run(state: &State, turn: TurnId) -> Usage {
    let all = state.turns.get(&turn).map(|t| t.used).unwrap_or_default();
    let run = &state.accounts.run;
    let cost = all.cost_micros.map(|cost| cost.saturating_sub(run.cost_micros.unwrap_or_default()));
    Usage {
        input: all.input.saturating_sub(run.input),
        cached: all.cached.saturating_sub(run.cached),
        output: all.output.saturating_sub(run.output),
        reasoning: all.reasoning.saturating_sub(run.reasoning),
        cost_micros: cost,
        ..all
    }
}

/// Whether a run of that turn is of the plan that is shown, or there is none.
pub(in super::super) fn is_of_plan(state: &State, turn: TurnId) -> bool {
    super::plan_of(state).is_none_or(|(plan, _)| plan.turn == turn)
}
