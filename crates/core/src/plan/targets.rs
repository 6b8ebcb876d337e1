//! What gates ask for by name, as `make check` does, that no file of the workspace has.
//!
//! Owns which of that no step of the plan may bring. Reads no file.

use super::{Gate, Plan, Task, Workspace};
use crate::{
    intent::IntentNode,
    shell::{Target, targets},
};

/// Most names that are told.
const MOST_NAMES: usize = 12;

/// The file in which a program finds what it does by name, and what there is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// The file, seen from the workspace.
    pub file: String,
    /// The names.
    pub names: Vec<String>,
}

impl Plan {
    /// What its gates ask for by name that is surely not there and that no step of it may add. The text tells whoever
    /// wrote it.
    pub fn untargeted(&self, files: &dyn Workspace) -> Option<String> {
        let given = self.gates.iter().zip(1..).filter(|(gate, _)| !gate.found);
        let faults: Vec<String> =
            given.filter_map(|(gate, number)| self.unlisted(gate, number, files)).collect();
        (!faults.is_empty()).then(|| faults.join("; "))
    }

    fn unlisted(&self, gate: &Gate, number: usize, files: &dyn Workspace) -> Option<String> {
        let lacking = |target: Target| files.without(&target).map(|listed| (target.name, listed));
        let (name, Listed { file, names }) = targets(&gate.command).into_iter().find_map(lacking)?;
        let writes = |task: &Task| matches!(task.node, IntentNode::Create | IntentNode::Modify);
        let may_add = |task: &Task| {
            task.files.iter().any(|path| path.as_str() == file) || task.files.is_empty() && writes(task)
        };
        if self.tasks.iter().any(may_add) {
            return None;
        }
        let more = if names.len() > MOST_NAMES { ", …" } else { "" };
        let there: Vec<&str> = names.iter().take(MOST_NAMES).map(String::as_str).collect();
        let there =
            if there.is_empty() { "nothing".to_owned() } else { format!("{}{more}", there.join(", ")) };
        Some(format!(
            "gate {number}: {file} has no `{name}`; it has {there}: give a line that is there, leave the gate out, or name {file} among the files of the step that adds `{name}`"
        ))
    }
}
