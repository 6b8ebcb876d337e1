//! What a yes to a plan allows and what it does not: the one part of it that stays in sight however little room there is.
//!
//! Owns the rows and which of them go first. Never decides how much room there is.

use pilothouse_core::{
    plan::Plan,
    scope::{Capability, ToolScope},
    session::State,
};

use crate::{
    pane::Ctx,
    row::{self, Row, hang},
    theme::Slot,
};

/// A label with what stands beside it, in rows.
#[derive(Clone, Debug)]
pub(in crate::pane::plan) struct Block {
    /// What is told first where there is no room for all of it.
    rank: Rank,
    rows: Vec<Row>,
}

/// The parts in the order in which they claim room: what is more than was asked for, then what stays forbidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Beyond,
    Not,
    Asked,
    Allowed,
}

/// What approving lets the run do, and what it still may not.
pub(super) fn blocks(plan: &Plan, ctx: &Ctx<'_>, columns: usize) -> Vec<Block> {
    let tasks = plan.tasks.iter().fold(ToolScope::NONE, |s, t| s.or(t.node.scope()));
    let may = tasks.and(ctx.state.ceiling());
    let (mut can, mut not) = (Vec::new(), Vec::new());
    for capability in Capability::ALL {
        let (yes, no) = match capability {
            Capability::List => continue,
            Capability::Read => ("read", "read files"),
            Capability::Write => ("propose edits", "change files"),
            Capability::Delete => ("propose removals", "delete"),
            Capability::Execute => ("run commands (each one checked)", "run commands"),
            Capability::Network => ("reach the network", "reach the network"),
        };
        if may.allows(capability) { can.push(yes) } else { not.push(no) }
    }
    if !plan.gates.is_empty() {
        can.push("run the gates");
    }
    let list = |all: &[&str]| if all.is_empty() { ctx.glyphs.skipped.to_owned() } else { all.join(", ") };
    let block = |rank, label: &str, words: &str, slot| Block {
        rank,
        rows: labelled(label, words, slot, columns, ctx.glyphs.ellipsis),
    };
    // What was asked for is told beside what goes beyond it; else what is allowed says all of it.
    let (mut all, mut allowed) = (Vec::new(), list(&can));
    if let Some(words) = beyond(plan, ctx.state) {
        all.push(block(Rank::Asked, "Asked for", &names(ctx.state.reach(plan.turn)), Slot::Text));
        all.push(block(Rank::Beyond, "Goes beyond", &words, Slot::Warn));
    } else {
        allowed.push_str("; only what was asked");
    }
    all.push(block(Rank::Allowed, "Allowed", &allowed, Slot::Text));
    all.push(block(Rank::Not, "Not allowed", &list(&not), Slot::Text));
    all
}

impl Block {
    /// How many rows it has.
    pub(super) const fn height(&self) -> usize {
        self.rows.len()
    }
}

/// What of a plan goes beyond what was asked for, in words.
pub(crate) fn beyond(plan: &Plan, state: &State) -> Option<String> {
    state.beyond(plan).map(|scope| format!("{}: your yes allows it", names(scope)))
}

/// The rows of it.
pub(in crate::pane::plan) fn all_beyond(blocks: &[Block]) -> Vec<Row> {
    blocks.iter().filter(|b| b.rank == Rank::Beyond).flat_map(|b| b.rows.iter().cloned()).collect()
}

/// All of them below each other.
pub(super) fn whole(blocks: &[Block]) -> Vec<Row> {
    blocks.iter().flat_map(|b| b.rows.iter().cloned()).collect()
}

/// As much of them as `most` rows hold: each has its first row before one has its second, and those that matter more
/// have theirs first.
pub(in crate::pane::plan) fn within(
    blocks: &[Block],
    most: usize,
    columns: usize,
    ellipsis: &str,
) -> Vec<Row> {
    let mut order: Vec<usize> = (0..blocks.len()).collect();
    order.sort_by_key(|n| blocks.get(*n).map(|b| b.rank));
    let mut shares = vec![0_usize; blocks.len()];
    let mut left = most;
    let tallest = blocks.iter().map(|b| b.rows.len()).max().unwrap_or(0);
    for row in 0..tallest {
        for n in &order {
            let Some((block, share)) = blocks.get(*n).zip(shares.get_mut(*n)) else { continue };
            if left > 0 && row < block.rows.len() {
                *share += 1;
                left -= 1;
            }
        }
    }
    let cut = |(block, share): (&Block, usize)| {
        let mut rows: Vec<Row> = block.rows.iter().take(share).cloned().collect();
        if share < block.rows.len()
            && let Some(last) = rows.last_mut()
        {
            let short = std::mem::take(last).cut(columns.saturating_sub(row::width(ellipsis)), "");
            *last = short.and(ellipsis, Slot::Text);
        }
        rows
    };
    blocks.iter().zip(shares).flat_map(cut).collect()
}

/// A label, and words beside it that wrap under themselves.
pub(super) fn labelled(label: &str, words: &str, slot: Slot, columns: usize, ellipsis: &str) -> Vec<Row> {
    let label = Row::of(&format!("{label:13}"), Slot::Soft);
    let below = Row::of(&" ".repeat(label.width()), Slot::Text);
    let behind = |(n, line): (usize, &str)| {
        hang(if n == 0 { &label } else { &below }, &Row::of(line, slot).pieces, columns)
    };
    words.lines().enumerate().flat_map(behind).map(|row| row.cut(columns, ellipsis)).collect()
}

/// What a scope holds, in words.
fn names(scope: ToolScope) -> String {
    scope.iter().map(Capability::name).collect::<Vec<_>>().join(", ")
}
