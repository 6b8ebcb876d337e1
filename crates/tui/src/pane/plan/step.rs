//! A step that is added to a plan by a line, through the document that the editor shows.
//!
//! Owns where it stands there. What is read of it is core's.

use pilothouse_core::plan::Plan;

/// The plan as a document with one step more, before that one of its steps; behind all where there is no such.
pub(super) fn with_step(plan: &Plan, at: usize, title: &str) -> String {
    let (next, new) = (format!("{}. [", at + 1), format!("- [ ] {title}\n"));
    let (mut out, mut steps, mut placed) = (String::new(), false, false);
    for line in plan.document().lines() {
        if steps && !placed && (line.starts_with(&next) || line.starts_with("## ")) {
            out.push_str(&new);
            placed = true;
        }
        steps |= line == "## Steps";
        out.push_str(line);
        out.push('\n');
    }
    if !placed {
        out.push_str(&new);
    }
    out
}
