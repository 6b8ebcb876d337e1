//! Links of the project that lead out of it, or to a secret, which a line names by a harmless name.
//!
//! Owns the look where the words of a line really lie. A word that names nothing here is none of them.

use std::{
    fs,
    path::{Path, PathBuf},
};

use pilothouse_core::shell::{self, Reading, Risk};

use super::Unasked;

/// Most words that are looked for; a line with more of them is told.
const MOST_WORDS: usize = 2048;

/// Most entries of folders that the patterns of a line are held against; a line that needs more is told.
const MOST_ENTRIES: usize = 65_536;

/// Stands in a word for what the line does not show.
const UNKNOWN: char = '\u{1a}';

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
    // What stands before it may as well be where the line runs.
    let here = words.clone().filter_map(|word| word.strip_prefix(UNKNOWN)?.strip_prefix('/'));
    let from = folders.iter().filter_map(|folder| folder.to_str());
    let mut all: Vec<&str> =
        said.chain(words).chain(here).chain(from).filter(|word| !word.is_empty()).collect();
    all.sort_unstable();
    all.dedup();
    if all.len() > MOST_WORDS {
        return Err("it names more than can be looked at".to_owned());
    }
    let roots = [unasked.root, root.as_path()];
    let mut seen = 0;
    for word in all {
        let mut paths = Vec::new();
        for folder in &folders {
            let named = named(folder, word, roots, &mut seen);
            paths.extend(named.map_err(|()| "it names more than can be looked at".to_owned())?);
        }
        for path in paths {
            let link = leads(&path, roots).map_err(|()| format!("{word} cannot be looked at"))?;
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

/// What a word may name from a folder of the project: itself, or what fits its pattern part by part. Where the line does not
/// show a part of a path it may be anything.
fn named(folder: &Path, word: &str, roots: [&Path; 2], seen: &mut usize) -> Result<Vec<PathBuf>, ()> {
    let hidden = word.contains('/') && word.contains(UNKNOWN);
    let path = folder.join(if hidden { word.replace(UNKNOWN, "*") } else { word.to_owned() });
    let open = |text: &str| text.contains(['*', '?', '[']);
    let Some(root) = roots.into_iter().find(|root| path.starts_with(root)).filter(|_| hidden || open(word))
    else {
        return Ok(vec![path]);
    };
    let mut all = vec![root.to_owned()];
    let parts: Vec<_> = path.strip_prefix(root).map_err(drop)?.components().collect();
    for (at, part) in parts.iter().enumerate() {
        let Some(pattern) = part.as_os_str().to_str().filter(|text| open(text)) else {
            for above in &mut all {
                above.push(part);
            }
            continue;
        };
        let last = at + 1 == parts.len();
        let mut found = Vec::new();
        for above in all {
            fitting(&above, pattern, last, seen, &mut found)?;
        }
        all = found;
    }
    // What fits nothing stays a pattern, and names nothing.
    all.retain(|path| path.symlink_metadata().is_ok());
    Ok(all)
}

/// The entries of a folder that fit a pattern and may lead on: links, and folders where the path goes on.
fn fitting(
    above: &Path,
    pattern: &str,
    last: bool,
    seen: &mut usize,
    found: &mut Vec<PathBuf>,
) -> Result<(), ()> {
    let Ok(entries) = above.read_dir() else { return Ok(()) };
    for entry in entries.filter_map(Result::ok) {
        *seen += 1;
        if *seen > MOST_ENTRIES {
            return Err(());
        }
        let leads = |kind: fs::FileType| kind.is_symlink() || !last && kind.is_dir();
        if entry.file_type().is_ok_and(leads)
            && entry.file_name().to_str().is_some_and(|name| shell::glob(pattern, name))
        {
            found.push(entry.path());
        }
    }
    Ok(())
}

/// Where a path of the project leads that goes through a link: as far as it exists.
fn leads(path: &Path, roots: [&Path; 2]) -> Result<Option<PathBuf>, ()> {
    let inside = roots.into_iter().find_map(|root| Some((root, path.strip_prefix(root).ok()?)));
    let Some((root, inside)) = inside else { return Ok(None) };
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
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_link_that_leads_out_or_to_a_secret_is_told() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap().join("project");
        fs::create_dir_all(root.join("src")).unwrap();
        fs::create_dir_all(root.join("../outside/sub")).unwrap();
        fs::create_dir_all(root.join("src/deep/x")).unwrap();
        fs::write(root.join("../outside/sub/x.py"), "").unwrap();
        fs::write(root.join(".env"), "A=1\n").unwrap();
        for (target, name) in [("../outside", "out"), (".env", "plain"), ("src", "lib"), ("missing", "none")]
        {
            symlink(target, root.join(name)).unwrap();
        }
        symlink("../../../.env", root.join("src/deep/x/in")).unwrap();
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
            "pytest ou[t]/sub/x.py",
            "pytest s*c/../o?t/sub",
            "pytest \"$PWD/out\"",
            "pytest \"$where/out/x.py\"",
            "cat src/de[e]p/*/in",
        ] {
            assert!(told(line), "{line}");
        }
        for line in [
            "ls out",
            "cd src && make test",
            "cd lib && make test",
            "pytest lib none missing",
            "cat .env a.txt",
            "pytest \"$where/src\" s*c/x.py",
            "cat \"$f\"; make test",
        ] {
            assert!(!told(line), "{line}");
        }
        // Among many files a link is seen as well.
        fs::create_dir(root.join("many")).unwrap();
        for at in 0..4200 {
            fs::write(root.join(format!("many/{at}")), "").unwrap();
        }
        assert!(!told("pytest many/*"));
        symlink("../../outside", root.join("many/x")).unwrap();
        assert!(told("pytest many/*"));
        // Nor is one behind the other name of a project that was opened by a link.
        let other = dir.path().canonicalize().unwrap().join("other");
        symlink(&root, &other).unwrap();
        let line = format!("pytest {}/out", root.display());
        let unasked = Unasked {
            line: &line,
            folder: &other,
            root: &other,
            environment: &[],
            writable: &[],
            reads: false,
            trusted: true,
        };
        assert!(look(&unasked, &shell::read(&line)).is_err());
    }
}
