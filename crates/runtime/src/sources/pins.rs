//! What the tools of sources were when they were called last, from session to session.
//!
//! Owns the file. A tool that is another by now is asked about, whatever a rule says of its name; where the file cannot be
//! read, each is.

use std::{collections::BTreeMap, path::PathBuf};

use pilothouse_core::{blob::BlobId, source::SourceTool};
use pilothouse_tools::atomic;

use crate::{
    error::RuntimeError,
    home::{Home, make_private},
};

/// The pins of this user.
#[derive(Clone, Debug)]
pub(super) struct Pins(PathBuf);

type All = BTreeMap<String, BTreeMap<String, BlobId>>;

impl Pins {
    /// Those below the program's own folder.
    pub fn of(home: &Home) -> Self {
        Self(home.state.join("source-pins.json"))
    }

    /// What the user should know where they cannot be read.
    pub fn unreadable(&self) -> Option<String> {
        let why = self.read().err()?;
        Some(format!("{why}; until it is fixed or removed, every tool of a source asks"))
    }

    /// The tools, with those marked that are not what they were.
    pub fn compare(&self, source: &str, tools: Vec<SourceTool>) -> Vec<SourceTool> {
        let all = self.read();
        let other = |tool: &SourceTool| match &all {
            Ok(all) => all.get(source).and_then(|s| s.get(&tool.name)).is_some_and(|pin| *pin != tool.hash),
            Err(_) => true,
        };
        tools.into_iter().map(|t| SourceTool { changed: t.changed || other(&t), ..t }).collect()
    }

    /// A tool is called as it is now.
    pub fn keep(&self, source: &str, tool: &str, hash: BlobId) {
        if let Err(e) = self.try_keep(source, tool, hash) {
            tracing::warn!(error = %e, "what a tool was could not be kept");
        }
    }

    fn try_keep(&self, source: &str, tool: &str, hash: BlobId) -> Result<(), RuntimeError> {
        let write = || RuntimeError::io("write", &self.0);
        self.0.parent().map_or(Ok(()), make_private)?;
        // Another process may keep one at the same time.
        let held = atomic::lock(&self.0.with_extension("lock")).map_err(write())?;
        let mut all = self.read()?;
        let before = all.entry(source.to_owned()).or_default().insert(tool.to_owned(), hash);
        if before != Some(hash) {
            let text = serde_json::to_vec(&all)?;
            atomic::replace(&self.0, &text, 0o600).map_err(write())?;
        }
        drop(held);
        Ok(())
    }

    fn read(&self) -> Result<All, RuntimeError> {
        let Some(text) = crate::own::text(&self.0)? else { return Ok(All::new()) };
        serde_json::from_str(&text).map_err(|e| RuntimeError::io("read", &self.0)(e.into()))
    }
}
