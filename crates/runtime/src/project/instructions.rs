//! The file in which a project tells agents how to work: read as text, never as leave for anything.
//!
//! Owns which file it is, how much of it is read, and how what is told of it is set apart.

use pilothouse_core::clean::Clean;
use pilothouse_tools::Jail;

use super::{Grounds, beginning, commands::KNOWLEDGE};

/// Most bytes of the file that are read.
const READ_BYTES: u64 = 64 * 1024;

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
    KNOWLEDGE.instructions.iter().filter(|name| (grounds.may_read)(name)).find_map(|name| {
        let (text, bytes) = beginning(jail, name, READ_BYTES)?;
        let text = grounds.secrets.mask_file(name, &text).into_owned();
        let text = Clean::text(text.trim_start_matches('\u{feff}')).into_string();
        let text = text.trim().to_owned();
        (!text.is_empty()).then(|| Instructions { path: (*name).to_owned(), text, bytes })
    })
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
