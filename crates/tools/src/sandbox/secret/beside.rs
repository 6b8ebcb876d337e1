//! Folders beside the workspace that a line looks through: what is secret in them is hidden like what lies in the workspace.
//!
//! Owns which folders these are. A file that a line names by a secret name asks; those of the system and of programs
//! hold nothing of the user's, and whoever tells names alone shows nothing that is in a file.

use std::path::{Component, Path, PathBuf};

use pilothouse_core::{
    shell::{self, Act},
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

/// The folders outside of the workspace in which a line may come upon what is in files; real paths, none within another.
pub(super) fn folders(root: &Path, run: &Run) -> Vec<PathBuf> {
    let reading = shell::read_in(&run.command, &run.folder);
    if reading.calls.iter().all(|call| shell::tells_names(&call.program)) {
        return Vec::new();
    }
    let start = root.join(&run.folder);
    let here = [String::new()];
    let words = reading.calls.iter().flat_map(|call| {
        let from = call.from.as_deref().unwrap_or(&here);
        // The value of an option is a word too.
        let texts =
            call.words.iter().map(|word| word.text.split_once('=').map_or(&*word.text, |(_, value)| value));
        texts.flat_map(move |text| from.iter().map(move |from| (from, text)))
    });
    let read = reading.uses.iter().filter(|touched| touched.act == Act::Read);
    let uses = read.flat_map(|touched| {
        let from = touched.from.as_deref().unwrap_or(&here);
        from.iter().map(move |from| (from, &*touched.path))
    });
    let own =
        |folder: &PathBuf| folder.starts_with(root) || SYSTEM.iter().any(|system| folder.starts_with(system));
    let folders = words.chain(uses).filter_map(|(from, path)| real(&start.join(from), path));
    let mut found: Vec<PathBuf> = folders.filter(|folder| !own(folder)).collect();
    found.sort();
    found.dedup_by(|later, first| later.starts_with(&*first));
    found
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
