//! What the tools of sources were when they were called last, from session to session.
//!
//! Owns the file. A tool that is another by now is asked about, whatever a rule says of its name.

use std::{collections::BTreeMap, path::PathBuf};

use pilothouse_core::{blob::BlobId, source::SourceTool};
use pilothouse_tools::atomic;

use crate::home::{Home, make_private};

/// The pins of this user.
#[derive(Clone, Debug)]
pub(super) struct Pins(PathBuf);

type All = BTreeMap<String, BTreeMap<String, BlobId>>;

impl Pins {
    /// Those below the program's own folder.
    pub fn of(home: &Home) -> Self {
        Self(home.state.join("source-pins.json"))
    }

    /// Marks those of the tools that are not what they were.
    pub fn compare(&self, source: &str, tools: &mut [SourceTool]) {
        let all = self.read();
        let Some(known) = all.get(source) else { return };
        for tool in tools {
            tool.changed |= known.get(&tool.name).is_some_and(|pin| *pin != tool.hash);
        }
    }

    /// A tool is called as it is now.
    pub fn keep(&self, source: &str, tool: &str, hash: BlobId) {
        let mut all = self.read();
        let before = all.entry(source.to_owned()).or_default().insert(tool.to_owned(), hash);
        if before == Some(hash) {
            return;
        }
        let text = serde_json::to_vec(&all).unwrap_or_default();
        let kept = self.0.parent().map_or(Ok(()), make_private).map_err(|e| e.to_string());
        let kept = kept.and_then(|()| atomic::replace(&self.0, &text, 0o600).map_err(|e| e.to_string()));
        if let Err(why) = kept {
            tracing::warn!(why, "what a tool was could not be kept");
        }
    }

    fn read(&self) -> All {
        let text = crate::own::text(&self.0).ok().flatten().unwrap_or_default();
        serde_json::from_str(&text).unwrap_or_default()
    }
}
