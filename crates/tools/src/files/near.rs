//! What is said of a path at which there is nothing: the names that come near it.
//!
//! Owns the likeness of names. Bounded: it looks at so many names and no more, and at none that is ignored.

use std::{cmp::Reverse, path::Path};

use pilothouse_core::{diff::likeness, tool::ABSENT};

use crate::{sight::LaneView, walk::walk};

/// At most this many names are looked at.
const MOST_LOOKED: usize = 20_000;
/// At most this many are named.
const MOST_NAMED: usize = 3;
/// From this share of common letters on a name is near another, in percent.
const NEAR: u32 = 80;

/// Says that there is nothing at `path`, and what comes near it; `otherwise` is what to do instead.
pub(crate) fn missing(eyes: LaneView<'_>, path: &str, otherwise: &str) -> String {
    let root = eyes.jail.root();
    let on_disk = walk(root, root, None).take(MOST_LOOKED).filter_map(|entry| {
        let path = entry.path().strip_prefix(root).ok()?.to_str()?;
        Some(if entry.file_type().is_dir() { format!("{path}/") } else { path.to_owned() })
    });
    let gone = |path: &str| eyes.view.overlay.iter().any(|(p, after)| after.is_none() && p.as_str() == path);
    let proposed = eyes.view.overlay.iter().filter(|(_, after)| after.is_some()).map(|(p, _)| p.to_string());
    let mut near: Vec<_> = on_disk
        .filter(|found| !gone(found))
        .chain(proposed)
        .filter_map(|found| Some((Reverse(nearness(&name_of(&found)?, &name_of(path)?)), found)))
        .filter(|(Reverse(near), _)| *near >= NEAR)
        .collect();
    near.sort();
    near.dedup();
    let names: Vec<String> = near.into_iter().take(MOST_NAMED).map(|(_, found)| found).collect();
    let there = if names.is_empty() { String::new() } else { format!("; there is {}", names.join(", ")) };
    format!("{path} {ABSENT}{there}; {otherwise}")
}

fn name_of(path: &str) -> Option<String> {
    Some(Path::new(path).file_name()?.to_str()?.to_lowercase())
}

/// How alike two names are, in percent.
fn nearness(one: &str, other: &str) -> u32 {
    if one == other {
        return 100;
    }
    if one.len().abs_diff(other.len()) > 2 {
        return 0;
    }
    let [one, other] = [one, other].map(|name| name.as_bytes().chunks(1).collect::<Vec<_>>());
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share is within 0 and 1")]
    let share = (likeness(&one, &other) * 99.0) as u32;
    share
}
