//! The file in which a project tells agents how to work: read as text, never as leave for anything.
//!
//! Owns which file it is, how much of it is read, and how what is told of it is set apart.

use std::collections::BTreeSet;

use pilothouse_core::{clean::Clean, relpath::RelPath};
use pilothouse_tools::Jail;

use super::{Grounds, beginning, commands::KNOWLEDGE};

/// Most bytes of the file that are read.
const READ_BYTES: u64 = 64 * 1024;
/// Most bytes that are told of the file of a folder below the root.
const NESTED_BYTES: usize = 4 * 1024;

/// What a file of instructions says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instructions {
    /// Its path.
    pub path: String,
    /// The beginning of it, fit to be shown.
    text: String,
    /// How long the file is, in bytes.
    bytes: u64,
}

/// The first file of the list that is there and may be read.
pub(super) fn read(jail: &Jail, grounds: &Grounds<'_>) -> Option<Instructions> {
    KNOWLEDGE.instructions.iter().find_map(|name| of_file(jail, grounds, name))
}

fn of_file(jail: &Jail, grounds: &Grounds<'_>, name: &str) -> Option<Instructions> {
    if !(grounds.may_read)(name) {
        return None;
    }
    let (text, bytes) = beginning(jail, name, READ_BYTES)?;
    let text = grounds.secrets.mask_file(name, &text).into_owned();
    let text = Clean::text(text.trim_start_matches('\u{feff}')).into_string();
    let text = text.trim().to_owned();
    (!text.is_empty()).then(|| Instructions { path: name.to_owned(), text, bytes })
}

/// The instructions of the folders in which these files stand, the outermost first, but for those that are
/// `known`: each file and what is told of it, where only its name is told when it is to be `brief`. The root's own
/// are told with the project.
pub fn nested(
    grounds: &Grounds<'_>,
    paths: &[RelPath],
    known: &dyn Fn(&RelPath) -> bool,
    brief: bool,
) -> Vec<(RelPath, String)> {
    let Ok(jail) = Jail::open(grounds.root) else { return Vec::new() };
    let mut folders = BTreeSet::new();
    for path in paths {
        let ends = path.as_str().match_indices('/').map(|(at, _)| at);
        folders.extend(ends.filter_map(|at| path.as_str().get(..at)));
        folders.insert(path.as_str());
    }
    let names = || KNOWLEDGE.instructions.iter().filter(|n| !n.contains('/'));
    let mut told = Vec::new();
    for folder in folders.into_iter().filter(|f| grounds.root.join(f).is_dir()) {
        let own = names().find_map(|name| of_file(&jail, grounds, &format!("{folder}/{name}")));
        let Some(own) = own else { continue };
        let Ok(path) = RelPath::new(&own.path) else { continue };
        if known(&path) {
            continue;
        }
        let text = if brief {
            format!("{path} holds instructions for {folder}; read it before you work there")
        } else {
            own.block(NESTED_BYTES)
        };
        told.push((path, text));
    }
    told
}

impl Instructions {
    /// The file as a model is told it, in at most so many bytes.
    pub(super) fn block(&self, most: usize) -> String {
        let open = format!("<project_instructions file=\"{}\">\n", self.path);
        let close = "\n</project_instructions>";
        let note = |kept: usize| {
            format!(
                "\n[cut: the first {kept} of {} bytes stand here; read {} for the rest]",
                self.bytes, self.path
            )
        };
        // Nothing in it closes what it stands in.
        let text = self.text.replace("</project", "< /project").replace("<task", "< task");
        let room = most.saturating_sub(open.len() + close.len());
        let whole = text.len() <= room && self.bytes <= READ_BYTES;
        if whole {
            return format!("{open}{text}{close}");
        }
        let room = room.saturating_sub(note(usize::MAX).len());
        let kept = text.get(..text.floor_char_boundary(room)).unwrap_or_default();
        format!("{open}{kept}{}{close}", note(kept.len()))
    }
}
