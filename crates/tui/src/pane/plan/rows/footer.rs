//! The row below the plan: what its run used.

use pilothouse_core::{ids::TurnId, money::Spell, session::State, talk::Usage};

use crate::{pane::Ctx, row::Row, theme::Slot};

/// `Tokens: 4,523 │ Time: 12s │ Cost: $0.03`; `spent` is how long the plan's last run took and what it used.
pub(in super::super) fn footer(ctx: &Ctx<'_>, width: usize, spent: Option<(Spell, Usage)>) -> Row {
    let state = ctx.state;
    let running = state.run.as_ref().filter(|run| is_of_plan(state, run.turn));
    let mut row = Row::new();
    // Beside the time of a run stands what that run used; before there is one, what the session did.
    let (took, usage) = match (running, spent) {
        (Some(_), _) => (state.spell(ctx.now), state.accounts.run),
        (None, Some((took, usage))) => (Some(took), usage),
        (None, None) => (None, state.usage),
    };
    for (label, value) in usage.bill(took) {
        if !row.pieces.is_empty() {
            row.push(&format!(" {} ", ctx.glyphs.column), Slot::Faint);
        }
        row = row.and(label, Slot::Soft).and(ctx.glyphs.own(&value), Slot::Text);
    }
    row.cut(width, ctx.glyphs.ellipsis)
}

/// Whether a run of that turn is of the plan that is shown, or there is none.
pub(in super::super) fn is_of_plan(state: &State, turn: TurnId) -> bool {
    super::plan_of(state).is_none_or(|(plan, _)| plan.turn == turn)
}
