//! Links of the project that lead out of it, or to a secret, which a line names by a harmless name.
//!
//! Owns the look where the words of a line really lie. A word that names nothing here is none of them.

use std::path::{Path, PathBuf};

use pilothouse_core::shell::{self, Reading, Risk};

use super::Unasked;

/// Most words that are looked for; a line with more of them is told.
const MOST_WORDS: usize = 2048;

/// Most entries of a folder that a pattern is held against.
const MOST_ENTRIES: usize = 4096;

/// Tells which link of the project a line would follow to where it would not go by that name.
///
/// # Errors
/// The link and where it leads, in words.
pub(super) fn look(unasked: &Unasked<'_>, reading: &Reading) -> Result<(), String> {
    let Ok(root) = unasked.root.canonicalize() else { return Ok(()) };
    let acts = reading.calls.iter().any(|call| !call.carrier && call.risk > Risk::Low);
    let mut folders = vec![unasked.folder.to_owned()];
    for from in reading.calls.iter().filter_map(|call| call.from.as_deref()).flatten() {
        let folder = unasked.folder.join(from);
        if !from.starts_with('~') && !folders.contains(&folder) {
            folders.push(folder);
        }
    }
    let breaks = |c: char| c.is_whitespace() || "=:,;|&()<>\"'`".contains(c);
    let said = unasked.line.split(breaks);
    let words = reading.calls.iter().flat_map(|call| &call.words).flat_map(|w| w.text.split(['=', ':', ',']));
    let from = folders.iter().filter_map(|folder| folder.to_str());
    let mut all: Vec<&str> = said.chain(words).chain(from).filter(|word| !word.is_empty()).collect();
    all.sort_unstable();
    all.dedup();
    if all.len() > MOST_WORDS {
        return Err("it names more than can be looked at".to_owned());
    }
    for word in all {
        for path in folders.iter().flat_map(|folder| named(folder, word)) {
            let link = leads(&path, unasked.root).map_err(|()| format!("{word} cannot be looked at"))?;
            let Some(real) = link else { continue };
            let within = real.strip_prefix(&root).ok().and_then(Path::to_str);
            let place = within.or_else(|| real.to_str()).unwrap_or_default();
            if shell::secrets::is_secret(place) && !shell::secrets::is_secret(word) {
                return Err(format!("{word} leads to {place}, which may hold secrets"));
            }
            if acts && within.is_none() {
                return Err(format!("{word} leads out of the project, to {place}"));
            }
        }
    }
    Ok(())
}

/// What a word may name from a folder: itself, or what fits its pattern.
fn named(folder: &Path, word: &str) -> Vec<PathBuf> {
    let path = folder.join(word);
    let open = word.contains(['*', '?', '[']);
    let (Some(above), Some(pattern)) = (path.parent(), path.file_name().and_then(|n| n.to_str())) else {
        return vec![path];
    };
    if !open {
        return vec![path];
    }
    let Ok(entries) = above.read_dir() else { return vec![path] };
    let links = entries.take(MOST_ENTRIES).filter_map(Result::ok).filter(|entry| {
        entry.file_type().is_ok_and(|kind| kind.is_symlink())
            && entry.file_name().to_str().is_some_and(|name| shell::glob(pattern, name))
    });
    links.map(|entry| entry.path()).collect()
}

/// Where a path of the project leads that goes through a link: as far as it exists.
fn leads(path: &Path, root: &Path) -> Result<Option<PathBuf>, ()> {
    let Ok(inside) = path.strip_prefix(root) else { return Ok(None) };
    let mut at = root.to_owned();
    let mut linked = false;
    for part in inside.components() {
        let next = at.join(part);
        match next.symlink_metadata() {
            Ok(meta) => linked |= meta.is_symlink(),
            Err(_) => break,
        }
        at = next;
    }
    if !linked {
        return Ok(None);
    }
    match at.canonicalize() {
        Ok(real) => Ok(Some(real)),
        // It leads to nothing that is there.
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(_) => Err(()),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::{fs, os::unix::fs::symlink};

    use super::*;

    #[test]
    fn a_link_that_leads_out_or_to_a_secret_is_told() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap().join("project");
        fs::create_dir_all(root.join("src")).unwrap();
        fs::create_dir_all(root.join("../outside/sub")).unwrap();
        fs::write(root.join(".env"), "A=1\n").unwrap();
        for (target, name) in [("../outside", "out"), (".env", "plain"), ("src", "lib"), ("missing", "none")]
        {
            symlink(target, root.join(name)).unwrap();
        }
        let told = |line: &str| {
            let unasked = Unasked {
                line,
                folder: &root,
                root: &root,
                environment: &[],
                writable: &[],
                reads: false,
                trusted: true,
            };
            look(&unasked, &shell::read(line)).is_err()
        };
        for line in [
            "cd out && make test",
            "cd -P out/.. && make test",
            "pytest out/sub/x.py",
            "go test ./out/...",
            "cargo test --manifest-path=out/Cargo.toml",
            "PYTHONPATH=out pytest",
            "cd src && pytest ../out",
            "pytest o*",
            "cat plain",
            "head pl*",
            "cat src/../plain",
        ] {
            assert!(told(line), "{line}");
        }
        for line in [
            "ls out",
            "cd src && make test",
            "cd lib && make test",
            "pytest lib none missing",
            "cat .env a.txt",
        ] {
            assert!(!told(line), "{line}");
        }
    }
}
