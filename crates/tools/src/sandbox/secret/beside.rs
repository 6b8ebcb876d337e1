//! Folders beside the workspace that a line looks through: what is secret in them is hidden like what lies in the workspace.
//!
//! Owns which folders these are: those that a search is given or runs in, those in which a `find` hands files to another
//! program, and those out of which a wildcard takes files to be read. A file that a line names by a secret name asks;
//! folders of the system hold nothing of the user's.

use std::path::{Component, Path, PathBuf};

use pilothouse_core::{
    shell::{self, Act, Call, Reading, Role},
    tool::Run,
};

use crate::program;

/// Where systems keep what is theirs.
const SYSTEM: [&str; 13] = [
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/etc",
    "/proc",
    "/sys",
    "/dev",
    "/nix/store",
    "/System",
    "/Library",
];

/// Programs that find files for others.
const FINDS: [&str; 4] = ["find", "gfind", "fd", "fdfind"];

/// The folders outside of the workspace in which a line may come upon what is in files; real paths, none within another.
///
/// # Errors
/// One that is too much to be looked through, in words.
pub(super) fn folders(root: &Path, run: &Run) -> Result<Vec<PathBuf>, String> {
    let reading = shell::read_in(&run.command, &run.folder);
    let start = root.join(&run.folder);
    let here = [String::new()];
    let mut found: Vec<PathBuf> = Vec::new();
    for call in &reading.calls {
        let given = given(call, &reading);
        // Where the line does not show in which folder it runs, that may be the home.
        let lost = call.from.is_none() || reading.calls.iter().any(goes_home);
        if !given.is_empty() && lost {
            found.extend(program::home());
        }
        for from in call.from.as_deref().unwrap_or(&here) {
            found.extend(given.iter().filter_map(|path| real(&start.join(from), path)));
        }
    }
    for touched in reading.uses.iter().filter(|touched| touched.act == Act::Read && touched.wild) {
        for from in touched.from.as_deref().unwrap_or(&here) {
            found.extend(real(&start.join(from), &touched.path));
        }
    }
    found.retain(|folder| {
        !folder.starts_with(root) && !SYSTEM.iter().any(|system| folder.starts_with(system))
    });
    found.sort();
    found.dedup_by(|later, first| later.starts_with(&*first));
    let home = program::home();
    match found.iter().find(|folder| home.as_ref().is_some_and(|home| home.starts_with(folder))) {
        Some(whole) => Err(format!("all of {}, too much to look for secret files in it", whole.display())),
        None => Ok(found),
    }
}

/// Whether a call goes to the home: it names no folder, or one that the line does not show.
fn goes_home(call: &Call) -> bool {
    let mut folders = call.words.iter().filter(|word| !word.text.starts_with('-') || word.text == "-");
    matches!(&*call.program, "cd" | "pushd" | "chdir")
        && folders.next().is_none_or(|word| !word.certain || word.text.is_empty())
}

/// The paths that a call looks through, the folder that it runs in among them.
fn given<'c>(call: &'c Call, reading: &Reading) -> Vec<&'c str> {
    let words = || call.words.iter().map(|word| &*word.text);
    if FINDS.contains(&&*call.program) {
        let hands = |word: &str| ["-exec", "-ok", "--exec"].iter().any(|option| word.starts_with(option));
        let fed = reading.calls.iter().any(|other| matches!(&*other.program, "xargs" | "parallel"));
        let gives = fed || words().any(|word| hands(word) || matches!(word, "-x" | "-X"));
        let roots = words().take_while(|word| !word.starts_with(['-', '(', '!'])).chain(Some(""));
        return if gives { roots.collect() } else { Vec::new() };
    }
    if !shell::is(&call.program, Role::Searches) {
        return Vec::new();
    }
    // A pattern may look like the whole disk: that is searched where it stands last.
    let last = call.words.len().saturating_sub(1);
    let operands =
        words().enumerate().filter(|(at, word)| !word.starts_with('-') && (*word != "/" || *at == last));
    operands.map(|(_, word)| word).chain(Some("")).collect()
}

/// The real folder that a path names, up to its first wildcard; `None` where it names a file, or nothing.
fn real(from: &Path, path: &str) -> Option<PathBuf> {
    let path = match path.strip_prefix('~') {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => {
            program::home()?.join(rest.trim_start_matches('/'))
        }
        _ => from.join(path),
    };
    let plain = |part: &Component<'_>| !part.as_os_str().to_string_lossy().contains(['*', '?', '[']);
    let fixed: PathBuf = path.components().take_while(plain).collect();
    fixed.canonicalize().ok().filter(|folder| folder.is_dir())
}
