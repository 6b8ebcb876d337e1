//! The row below the plan: what it used, its planning with it.

use std::collections::BTreeSet;

use pilothouse_core::{
    ids::{Millis, TurnId},
    money::Spell,
    session::State,
    talk::Usage,
};

use crate::{pane::Ctx, row::Row, theme::Slot};

/// `Tokens: 4,523 │ Time: 12s │ Cost: $0.03`; `took` is how long the plan's last run took.
pub(in super::super) fn footer(ctx: &Ctx<'_>, width: usize, took: Option<Spell>) -> Row {
    let state = ctx.state;
    let runs = state.run.as_ref().is_some_and(|run| is_of_plan(state, run.turn));
    let took = if runs { state.spell(ctx.now) } else { took };
    let usage = used(state);
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

/// What the plan that is shown used by now: its planning, its runs, and what was added to it; without a plan, what the
/// session used.
fn used(state: &State) -> Usage {
    let Some((plan, _)) = super::plan_of(state) else { return state.usage };
    let turns: BTreeSet<TurnId> = plan.tasks.iter().filter_map(|t| t.turn).chain([plan.turn]).collect();
    let used = turns.iter().filter_map(|turn| state.turns.get(turn)).map(|turn| turn.used);
    let all = used.reduce(|mut all, one| {
        all.add(&one);
        all
    });
    all.unwrap_or(state.usage)
}

/// Whether a run of that turn is of the plan that is shown, or there is none.
pub(in super::super) fn is_of_plan(state: &State, turn: TurnId) -> bool {
    super::plan_of(state).is_none_or(|(plan, _)| plan.turn == turn)
}
