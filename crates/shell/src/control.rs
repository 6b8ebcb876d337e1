//! Control files: what steers an agent or makes a program run by itself.
//!
//! Owns the one list of them. A tool never changes one under an ordinary approval: a file tool asks
//! a question of its own, a command's change is put back. Judges names only, in any folder, for a
//! file that exists or not; never asks the file system.

/// What a control file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Control {
    /// Why it is one: `it holds …`, without its subject.
    pub why: &'static str,
    /// Whether a command may change it all the same: what git itself writes in its folder.
    pub gits: bool,
    /// Whether it makes something run, rather than steer an agent.
    pub runs: bool,
}

const RUNS: bool = true;
const STEERS: bool = false;

/// Folders, with everything in them.
const FOLDERS: [(&str, bool, &str); 21] = [
    (".pilothouse", RUNS, "holds settings, rules and hooks of this program"),
    (".husky", RUNS, "holds git hooks"),
    (".githooks", RUNS, "holds git hooks"),
    (".agents", STEERS, "instructs agents"),
    (".aider", STEERS, "configures an agent"),
    (".amazonq", STEERS, "configures an agent"),
    (".augment", STEERS, "configures an agent"),
    (".claude", STEERS, "configures an agent"),
    (".clinerules", STEERS, "instructs agents"),
    (".codex", STEERS, "configures an agent"),
    (".continue", STEERS, "configures an agent"),
    (".cursor", STEERS, "configures an agent"),
    (".gemini", STEERS, "configures an agent"),
    (".goose", STEERS, "configures an agent"),
    (".junie", STEERS, "configures an agent"),
    (".kiro", STEERS, "configures an agent"),
    (".opencode", STEERS, "configures an agent"),
    (".qwen", STEERS, "configures an agent"),
    (".roo", STEERS, "configures an agent"),
    (".trae", STEERS, "configures an agent"),
    (".windsurf", STEERS, "configures an agent"),
];

/// Files, in whatever folder.
const FILES: [(&str, bool, &str); 30] = [
    ("agents.md", STEERS, "instructs agents"),
    ("agents.override.md", STEERS, "instructs agents"),
    ("agent.md", STEERS, "instructs agents"),
    ("claude.md", STEERS, "instructs agents"),
    ("claude.local.md", STEERS, "instructs agents"),
    ("gemini.md", STEERS, "instructs agents"),
    ("qwen.md", STEERS, "instructs agents"),
    ("warp.md", STEERS, "instructs agents"),
    ("crush.md", STEERS, "instructs agents"),
    ("opencode.md", STEERS, "instructs agents"),
    ("pilothouse.md", STEERS, "instructs agents"),
    (".cursorrules", STEERS, "instructs agents"),
    (".windsurfrules", STEERS, "instructs agents"),
    (".clinerules", STEERS, "instructs agents"),
    (".roorules", STEERS, "instructs agents"),
    (".goosehints", STEERS, "instructs agents"),
    (".rules", STEERS, "instructs agents"),
    (".aider.conf.yml", STEERS, "configures an agent"),
    ("opencode.json", STEERS, "configures an agent"),
    ("opencode.jsonc", STEERS, "configures an agent"),
    ("crush.json", STEERS, "configures an agent"),
    (".crush.json", STEERS, "configures an agent"),
    (".mcp.json", RUNS, "starts MCP servers"),
    ("mcp.json", STEERS, "starts MCP servers"),
    (".gitmodules", RUNS, "names what git fetches"),
    (".envrc", RUNS, "is run when the folder is entered"),
    (".pre-commit-config.yaml", RUNS, "configures git hooks"),
    (".pre-commit-config.yml", RUNS, "configures git hooks"),
    ("lefthook.yml", STEERS, "configures git hooks"),
    (".lefthook.yml", STEERS, "configures git hooks"),
];

/// Names in one kind of folder; a folder of that name counts with everything in it.
const WITHIN: [(&str, &str, bool, &str); 11] = [
    (".github", "copilot-instructions.md", STEERS, "instructs agents"),
    (".github", "instructions", STEERS, "instructs agents"),
    (".github", "prompts", STEERS, "instructs agents"),
    (".github", "chatmodes", STEERS, "instructs agents"),
    (".github", "agents", STEERS, "instructs agents"),
    (".vscode", "settings.json", RUNS, "configures the editor"),
    (".vscode", "tasks.json", RUNS, "runs in the editor"),
    (".vscode", "launch.json", STEERS, "runs in the editor"),
    (".vscode", "mcp.json", STEERS, "starts MCP servers"),
    (".zed", "settings.json", STEERS, "configures the editor"),
    (".zed", "tasks.json", STEERS, "runs in the editor"),
];

/// Says whether a file is a control file, from the parts of its path in the workspace, and why.
pub fn control<'a>(parts: impl IntoIterator<Item = &'a str>) -> Option<Control> {
    let parts: Vec<String> = parts.into_iter().map(folded).collect();
    let mut rest = parts.iter().map(String::as_str);
    while let Some(part) = rest.next() {
        let found = if part == ".git" { Some(of_git(rest.clone())) } else { named(part, rest.clone()) };
        if found.is_some() {
            return found;
        }
    }
    None
}

/// Whether a folder of that name holds control files only, so that nothing below it needs a look.
pub fn control_folder(name: &str) -> bool {
    let name = folded(name);
    FOLDERS.iter().any(|(folder, ..)| *folder == name)
}

fn named<'a>(part: &str, mut rest: impl Iterator<Item = &'a str>) -> Option<Control> {
    let of = |runs, why| Some(Control { why, gits: false, runs });
    if let Some((_, runs, why)) = FOLDERS.iter().find(|(name, ..)| *name == part) {
        return of(*runs, why);
    }
    let Some(next) = rest.next() else {
        let file = FILES.iter().find(|(name, ..)| *name == part);
        return file.and_then(|(_, runs, why)| of(*runs, why));
    };
    let within = WITHIN.iter().find(|(folder, name, ..)| *folder == part && *name == next);
    within.and_then(|(_, _, runs, why)| of(*runs, why))
}

/// What lies at this place of a git folder, given by the parts below it.
pub fn of_git<'a>(rest: impl IntoIterator<Item = &'a str>) -> Control {
    let rest: Vec<String> = rest.into_iter().map(folded).collect();
    let parts: Vec<&str> = rest.iter().map(String::as_str).collect();
    let Some(why) = git_why(&parts) else {
        return Control { why: "belongs to git", gits: true, runs: true };
    };
    Control { why, gits: false, runs: true }
}

fn git_why(parts: &[&str]) -> Option<&'static str> {
    match parts {
        [] => Some("says where git keeps its files"),
        ["config" | "config.worktree"] => Some("configures git, which runs programs named there"),
        ["commondir" | "gitdir"] => Some("says where git keeps its files"),
        ["hooks", ..] => Some("holds git hooks"),
        ["info", "attributes"] => Some("makes git run filters"),
        ["modules", inner @ ..] => inner_why(inner),
        ["worktrees", _, inner @ ..] => (!inner.is_empty()).then(|| git_why(inner)).flatten(),
        _ => None,
    }
}

/// A submodule's folder may have any depth: what its last parts say.
fn inner_why(parts: &[&str]) -> Option<&'static str> {
    let last = |n: usize| parts.get(parts.len().saturating_sub(n)..).and_then(git_why);
    let hook = parts.iter().position(|p| *p == "hooks").and_then(|at| parts.get(at..)).and_then(git_why);
    hook.or_else(|| if parts.len() > 1 { last(1).or_else(|| last(2)) } else { None })
}

/// A name as file systems that ignore case and invisible characters compare it.
fn folded(name: &str) -> String {
    let invisible = |c: &char| matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
    name.chars().filter(|c| !invisible(c)).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests;
