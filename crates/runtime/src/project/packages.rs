//! The packages of a project that its `package.json` names and a package manager puts beside it.
//!
//! Owns whether they are there, and what puts them there. Runs nothing.

use std::path::Path;

use pilothouse_core::shell;
use pilothouse_tools::regular;

use super::MANIFEST_BYTES;

/// Lock files, the manager that writes them, and what installs exactly what they name.
const LOCKS: [(&str, &str, &str); 6] = [
    ("pnpm-lock.yaml", "pnpm", "pnpm install"),
    ("yarn.lock", "yarn", "yarn install"),
    ("bun.lock", "bun", "bun install"),
    ("bun.lockb", "bun", "bun install"),
    ("package-lock.json", "npm", "npm ci"),
    ("npm-shrinkwrap.json", "npm", "npm ci"),
];
/// Programs that run a project's code with its packages.
const RUNNERS: [&str; 6] = ["npm", "npx", "pnpm", "yarn", "bun", "node"];

/// The package manager whose lock file is there.
pub(super) fn manager(has: impl Fn(&str) -> bool) -> &'static str {
    LOCKS.iter().find(|(lock, ..)| has(lock)).map_or("npm", |(_, manager, _)| manager)
}

/// Whether a `package.json` names any package.
pub(super) fn needed(package: &serde_json::Value) -> bool {
    let named = |key: &str| package.get(key).and_then(|v| v.as_object()).is_some_and(|m| !m.is_empty());
    named("dependencies") || named("devDependencies")
}

/// Whether packages are installed in a folder.
pub(super) fn installed(root: &Path) -> bool {
    root.join("node_modules").is_dir() || root.join(".pnp.cjs").exists()
}

/// What a line lacks whose programs need the packages of a folder that has none, with what installs them.
pub(super) fn unready(root: &Path, line: &str) -> Option<String> {
    if installed(root) || !shell::needs(line).iter().any(|name| RUNNERS.contains(&name.as_str())) {
        return None;
    }
    let text = regular::read(&root.join("package.json"), MANIFEST_BYTES).ok()?;
    let package = serde_json::from_slice(&text).ok()?;
    let locked = LOCKS.iter().find(|(lock, ..)| root.join(lock).exists());
    let install = locked.map_or("npm install", |(.., install)| install);
    needed(&package).then(|| format!("node_modules is not here; `{install}` installs the packages"))
}
