//! The path of a plan as a row: where it leads and how far one got.
//!
//! Owns how names give way to room. Never decides where a session stands.

use pilothouse_core::{
    intent::{IntentNode, IntentPath},
    plan::Plan,
    session::State,
};

use super::finished;
use crate::{
    row::{self, Ink, Row},
    theme::{Glyphs, Slot},
};

/// Where the plan leads and how far one got: while it waits for the answer one stands at `Plan`,
/// with everything behind it still to come; of a finished one every step is walked.
pub(super) fn path(
    plan: &Plan,
    state: &State,
    awaiting: bool,
    columns: usize,
    glyphs: &Glyphs,
) -> Option<Row> {
    if awaiting {
        let mut nodes = IntentPath::to(IntentNode::Plan).nodes().to_vec();
        let here = nodes.len().saturating_sub(1);
        let shared = plan.path.nodes().iter().zip(&nodes).take_while(|(a, b)| a == b).count();
        nodes.extend(plan.path.nodes().iter().skip(shared));
        return Some(crumbs(&nodes, here, columns, glyphs));
    }
    if state.plan.is_none() && finished(plan) {
        let nodes = plan.path.nodes();
        return (nodes.len() > 2).then(|| crumbs(nodes, nodes.len(), columns, glyphs));
    }
    let nodes = plan.path.nodes();
    // Where nothing of it is under way the path was gone, and not begun again.
    if nodes.len() > 2 && IntentPath::to(state.node()).nodes().len() < 2 {
        return Some(crumbs(nodes, nodes.len(), columns, glyphs));
    }
    breadcrumb(&plan.path, state.node(), columns, glyphs)
}

/// `Path: Conversation → Act → Write`, or nothing at depth 1 and less.
///
/// `at` is the live node: what leads to it is dim, what lies beyond is faint; when it is not on the
/// path, the last node that both share is where one stands. Names are shortened from the left when
/// there are too few columns.
pub fn breadcrumb(path: &IntentPath, at: IntentNode, columns: usize, glyphs: &Glyphs) -> Option<Row> {
    let live = IntentPath::to(at);
    let path = if live.nodes().starts_with(path.nodes()) { &live } else { path };
    if path.depth() < 2 {
        return None;
    }
    let shared = path.nodes().iter().zip(live.nodes()).take_while(|(a, b)| a == b).count();
    Some(crumbs(path.nodes(), shared.saturating_sub(1), columns, glyphs))
}

/// The nodes with the one at `here` lit.
fn crumbs(nodes: &[IntentNode], here: usize, columns: usize, glyphs: &Glyphs) -> Row {
    let draw = |short: usize| {
        let mut row = Row::of("Path: ", Slot::Text);
        for (n, node) in nodes.iter().enumerate() {
            if n > 0 {
                row.push(&format!(" {} ", glyphs.arrow), Slot::Arrow);
            }
            let ink = match n.cmp(&here) {
                std::cmp::Ordering::Less => Ink::of(Slot::OkDim),
                std::cmp::Ordering::Equal => Ink::of(Slot::Accent).bold(),
                std::cmp::Ordering::Greater => Ink::of(Slot::Faint),
            };
            let name = node.title();
            if n < short && row::width(name) > 5 {
                row.push(row::take(name, 4), ink);
                row.push(glyphs.ellipsis, ink);
            } else {
                row.push(name, ink);
            }
        }
        row
    };
    let all = nodes.len();
    let fits = (0..=all).map(draw).find(|r| r.width() <= columns);
    fits.unwrap_or_else(|| draw(all).cut(columns, glyphs.ellipsis))
}
