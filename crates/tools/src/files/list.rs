//! `list`: names of files below a folder.
//!
//! Owns their text form. Never shows a name that a link brought in from outside.

use std::{collections::BTreeMap, path::Path};

use pilothouse_core::tool::{List, ToolOutcome};
use tokio_util::sync::CancellationToken;

use super::{
    count,
    walk::{self, Kind},
};
use crate::sight::LaneView;

/// At most this many names are shown.
const MOST_SHOWN: usize = 1_000;

/// Lists a folder.
pub(crate) fn list(
    eyes: LaneView<'_>,
    args: &List,
    cancel: &CancellationToken,
) -> Result<ToolOutcome, String> {
    let path = super::place(eyes, args.path.as_deref())?;
    let names = walk::names(eyes, path.as_ref(), args.depth.map(|d| d.max(1)), cancel)?;
    let start = path.map_or(0, |p| depth_of(Path::new(p.as_str())));
    let level = |p: &Path| depth_of(p).saturating_sub(start);
    let deepest = deepest_that_fits(names.all.keys().map(|p| level(p)));
    let shown: Vec<String> = names
        .all
        .iter()
        .filter(|(p, _)| level(p) <= deepest)
        .take(MOST_SHOWN)
        .filter(|(p, kind)| matches!(kind, Kind::Proposed(_) | Kind::NewFolder) || eyes.jail.holds(p))
        .map(|(p, kind)| line(p, *kind))
        .collect();
    let mut text = shown.join("\n");
    let rest = names.all.len().saturating_sub(shown.len());
    if rest > 0 && names.all.len() > MOST_SHOWN {
        let least = if names.cut { "at least " } else { "" };
        text.push_str(&format!("\n… {least}{rest} more; list a folder below to see them"));
    }
    if text.is_empty() {
        text.push_str("(empty)");
    }
    Ok(ToolOutcome::text(text, count(shown.len(), "name")))
}

/// The deepest level that can be shown in full: it says more than the first thousand names.
fn deepest_that_fits(levels: impl Iterator<Item = usize>) -> usize {
    let mut per_level: BTreeMap<usize, usize> = BTreeMap::new();
    for level in levels {
        *per_level.entry(level).or_default() += 1;
    }
    let mut sum = 0;
    let mut fits = |n: &usize| {
        sum += n;
        sum <= MOST_SHOWN
    };
    let fitting = per_level.values().take_while(|n| fits(n)).count();
    per_level.keys().nth(fitting.saturating_sub(1)).copied().unwrap_or_default()
}

fn depth_of(path: &Path) -> usize {
    path.components().count()
}

fn line(path: &Path, kind: Kind) -> String {
    let lossy = path.to_string_lossy();
    let strange = lossy.chars().any(char::is_control);
    let mut line = if strange { lossy.escape_debug().to_string() } else { lossy.to_string() };
    line.push_str(match kind {
        Kind::Folder | Kind::NewFolder => "/",
        Kind::File | Kind::Proposed(_) => "",
        Kind::Link => "  (link)",
        Kind::Special => "  (not a file)",
    });
    if path.to_str().is_none() {
        line.push_str("  (the name is not UTF-8; it cannot be opened by name)");
    } else if strange {
        line.push_str("  (the name holds control characters, shown escaped)");
    }
    line
}
