//! A diff as text in the unified form.
//!
//! Owns the form.

use std::ops::Range;

use similar::{DiffOp, group_diff_ops};

use super::{CONTEXT_LINES, lines, operations};

/// What leads from `before` to `after` as a unified diff without the names of files.
pub fn unified(before: &str, after: &str) -> String {
    let (old, new) = (lines(before.as_bytes()), lines(after.as_bytes()));
    let mut out = String::new();
    for ops in group_diff_ops(operations(&old, &new), CONTEXT_LINES) {
        let (Some(first), Some(last)) = (ops.first(), ops.last()) else { continue };
        let old_place = place(first.old_range().start..last.old_range().end);
        let new_place = place(first.new_range().start..last.new_range().end);
        out.push_str(&format!("@@ -{old_place} +{new_place} @@\n"));
        for op in &ops {
            let same = matches!(op, DiffOp::Equal { .. });
            tell(&mut out, if same { ' ' } else { '-' }, old.get(op.old_range()));
            tell(&mut out, '+', new.get(op.new_range()).filter(|_| !same));
        }
    }
    out
}

/// Where lines stand, as the head of a hunk says it: their first and how many; none stand after the line that is named.
fn place(lines: Range<usize>) -> String {
    match lines.len() {
        0 => format!("{},0", lines.start),
        1 => (lines.start + 1).to_string(),
        len => format!("{},{len}", lines.start + 1),
    }
}

/// Writes lines of a unified diff.
fn tell(out: &mut String, sign: char, lines: Option<&[&[u8]]>) {
    for line in lines.unwrap_or_default() {
        let end = if line.ends_with(b"\n") { "" } else { "\n\\ No newline at end of file\n" };
        out.push_str(&format!("{sign}{}{end}", String::from_utf8_lossy(line)));
    }
}
