//! What a file of the project lists by name: targets of a Makefile, scripts of a package, recipes of a justfile.
//!
//! Owns which file says it, and when it surely lacks a name: a file that may get names from elsewhere lacks none. Runs
//! nothing.

use std::path::Path;

use pilothouse_core::{plan::Listed, shell::Target};
use pilothouse_tools::Jail;

use super::{MANIFEST_BYTES, beginning};

/// What of a Makefile brings or makes targets that it does not show.
const MAKES_MORE: [&str; 8] =
    ["include ", "-include ", "sinclude ", "load ", "vpath ", "VPATH", ".DEFAULT:", ".SUFFIXES"];

/// Scripts that npm and pnpm know without a line of the package.
const KNOWN_SCRIPTS: [&str; 5] = ["start", "stop", "restart", "env", "install"];

/// What a text lists; `None` where that may be more than it shows.
type Reader = fn(&str) -> Option<Vec<String>>;

/// The file that would have what is asked for and surely does not.
pub(super) fn without(root: &Path, target: &Target) -> Option<Listed> {
    let folder = root.join(&target.folder);
    let (file, read): (_, Reader) = match &*target.program {
        "make" | "gmake" => (first(&folder, &["GNUmakefile", "makefile", "Makefile"])?, makefile),
        "just" => (first(&folder, &["justfile", "Justfile", ".justfile"])?, justfile),
        "task" => (first(&folder, &["Taskfile.yml", "taskfile.yml", "Taskfile.yaml"])?, taskfile),
        "npm" | "pnpm" => (first(&folder, &["package.json"])?, scripts),
        "composer" => (first(&folder, &["composer.json"])?, scripts),
        _ => return None,
    };
    let usual = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | ':' | '.');
    if !target.name.chars().all(usual) || target.program == "make" && may_be_made(&folder, &target.name) {
        return None;
    }
    let place = Path::new(&target.folder).join(file).display().to_string();
    let (text, all) = beginning(&Jail::open(root).ok()?, &place, MANIFEST_BYTES)?;
    let names = read(Some(&*text).filter(|_| all <= MANIFEST_BYTES)?)?;
    let known = match &*target.program {
        "npm" | "pnpm" => KNOWN_SCRIPTS.contains(&&*target.name),
        "composer" => target.name.starts_with("pre-") || target.name.starts_with("post-"),
        _ => false,
    };
    (!known && !names.contains(&target.name)).then_some(Listed { file: place, names })
}

/// The first of these files that is in a folder.
fn first(folder: &Path, names: &[&'static str]) -> Option<&'static str> {
    names.iter().copied().find(|name| folder.join(name).is_file())
}

/// Whether make finds a file of that name, or one that its own rules make it from: `check` from `check.c`.
fn may_be_made(folder: &Path, name: &str) -> bool {
    let Ok(entries) = folder.read_dir() else { return true };
    let mut names = entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
    names.any(|there| there.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.')))
}

/// The targets of a Makefile; none where it may have others than it shows.
fn makefile(text: &str) -> Option<Vec<String>> {
    let text = text.replace("\\\n", " ");
    if text.contains("$(eval") || text.contains("${eval") {
        return None;
    }
    let mut names = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('\t')) {
        let line = line.split('#').next().unwrap_or_default().trim();
        if line.starts_with('$') || MAKES_MORE.iter().any(|more| line.starts_with(more)) {
            return None;
        }
        let Some((head, rest)) = line.split_once(':') else { continue };
        if head.contains('=') || rest.trim_start_matches(':').starts_with('=') {
            continue;
        }
        if head.contains(['$', '%', '*', '?', '[']) {
            return None;
        }
        let own = head.split_whitespace().filter(|name| !name.starts_with('.') && *name != "&");
        add(&mut names, own.map(|name| name.trim_end_matches('&')));
    }
    Some(names)
}

/// The recipes of a justfile and their other names; none where it may have others than it shows.
fn justfile(text: &str) -> Option<Vec<String>> {
    let mut names = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with([' ', '\t', '#', '['])) {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("import" | "import?" | "mod" | "mod?") => return None,
            Some("set") if line.contains("fallback") => return None,
            Some("alias") => add(&mut names, words.next()),
            Some(_) if line.contains(':') && !line.contains(":=") || line.contains("=\"") => {
                let name = line.trim_start_matches('@');
                let end = |c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
                add(&mut names, name.split(end).next());
            }
            _ => {}
        }
    }
    Some(names)
}

/// The tasks of a Taskfile; none where it may have others than it shows.
fn taskfile(text: &str) -> Option<Vec<String>> {
    let more = ["includes:", "aliases:", "<<:"];
    let below = text.lines().skip_while(|line| line.trim_end() != "tasks:").skip(1);
    let below: Vec<&str> = below.take_while(|line| line.is_empty() || line.starts_with([' ', '#'])).collect();
    if more.iter().any(|more| text.contains(more)) || below.is_empty() {
        return None;
    }
    let is_name = |line: &&&str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
    let indent = |line: &str| line.len() - line.trim_start().len();
    let least = below.iter().filter(is_name).map(|line| indent(line)).min()?;
    let mut names = Vec::new();
    for line in below.iter().filter(is_name).filter(|line| indent(line) == least) {
        let (name, _) = line.trim().split_once(": ").or_else(|| line.trim().split_once(':'))?;
        let name = line.trim().strip_suffix(':').unwrap_or(name).trim_matches(['"', '\'']);
        if name.contains(['*', '{']) {
            return None;
        }
        add(&mut names, Some(name));
    }
    Some(names)
}

/// The scripts of a package.json or composer.json.
fn scripts(text: &str) -> Option<Vec<String>> {
    let package: serde_json::Value = serde_json::from_str(text).ok()?;
    let package = package.as_object().filter(|package| !package.contains_key("scripts-aliases"))?;
    let Some(scripts) = package.get("scripts") else { return Some(Vec::new()) };
    Some(scripts.as_object()?.keys().cloned().collect())
}

fn add<'a>(names: &mut Vec<String>, more: impl IntoIterator<Item = &'a str>) {
    for name in more {
        if !name.is_empty() && !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
}
