//! Programs that fetch what they are told to start: `npx NAME`.
//!
//! Owns which these are, and which names are those of tools that a project has. Never judges what is started.

use super::args::Args;
use super::expand::UNKNOWN;
use super::knowledge::list;

/// Whether a program fetches what it is told to start, where that is not there.
pub(super) fn fetches(name: &str, sub: &str, args: &Args) -> bool {
    let all = list("fetches what it starts");
    (all.contains(&name) || all.contains(&format!("{name} {sub}").as_str()))
        && args.sure(&["--no-install", "--no", "--offline"]).is_none()
}

/// Whether the tools of projects are called so, with what others put in front of their names: `@biomejs/biome`.
pub(super) fn is_tool(name: &str) -> bool {
    let plain = if name.starts_with('@') { name.rsplit('/').next().unwrap_or(name) } else { name };
    name.starts_with(['.', '/'])
        || name.contains(UNKNOWN)
        || super::command::is_known(plain)
        || list("tools of projects").contains(&plain)
}
