//! Folders beside the workspace that a line looks through: what is secret in them is hidden like what lies in the workspace.
//!
//! Owns which folders these are: those that a search is given or runs in, those in which a `find` hands files to another
//! program, and those out of which a wildcard takes files to be read. A file that a line names by a secret name asks;
//! folders of the system hold nothing of the user's.

use std::path::{Component, Path, PathBuf};

use pilothouse_core::{
    policy::OF_SYSTEM,
    shell::{self, Act, Call, Reading, Role},
    tool::Run,
};

use crate::{pattern::is_pattern, program};

/// Where a system keeps its packages.
const STORE: &str = "/nix/store";
/// What lies among the folders of the system and is nobody's but the user's.
const SECRETS: &str = "/run/secrets";

/// Programs that find files for others.
const FINDS: [&str; 4] = ["find", "gfind", "fd", "fdfind"];
/// Programs that hand on what they are fed.
const FEEDERS: [&str; 4] = ["xargs", "gxargs", "parallel", "rush-parallel"];

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
    let systems = |folder: &Path| {
        let system = OF_SYSTEM.into_iter().filter(|system| *system != SECRETS).chain([STORE]);
        system.into_iter().any(|system| folder.starts_with(system))
    };
    found.retain(|folder| !folder.starts_with(root) && !systems(folder));
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
    let hands = |word: &str| ["-exec", "-ok", "--exec"].iter().any(|option| word.starts_with(option));
    let fed = || reading.calls.iter().any(|other| FEEDERS.contains(&&*other.program));
    let gives = || fed() || words().any(|word| hands(word) || matches!(word, "-x" | "-X"));
    let finds = FINDS.contains(&&*call.program);
    if !(finds && gives() || shell::is(&call.program, Role::Searches)) {
        return Vec::new();
    }
    // A pattern may look like the whole disk: that is searched where it stands last, and found from where it stands.
    let last = call.words.len().saturating_sub(1);
    let whole = |at: usize, word: &str| word == "/" && !finds && at != last;
    let operands = words().enumerate().filter(|(at, word)| !word.starts_with('-') && !whole(*at, word));
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
    let plain = |part: &Component<'_>| !is_pattern(&part.as_os_str().to_string_lossy());
    let fixed: PathBuf = path.components().take_while(plain).collect();
    fixed.canonicalize().ok().filter(|folder| folder.is_dir())
}
