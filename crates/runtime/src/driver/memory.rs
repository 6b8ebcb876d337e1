//! Memories and the instructions of folders, as the driver's session has them.
//!
//! Owns when they are read. Never reads one of a folder that the user has not agreed to.

use std::{path::PathBuf, sync::Arc};

use pilothouse_core::{
    ids::{ApprovalId, CallId},
    input::Input,
    memory::{MemoryChange, MemoryOwner},
    port::{Reply, Update},
    relpath::RelPath,
    scope::ToolScope,
    tool::{Tool, ToolOutcome},
    work::WorkKey,
};

use super::Driver;
use crate::{
    memory::{self, Desk},
    project::{Mark, mark},
};

/// Most files of instructions beside that of the root that one line of work is told whole.
const MOST_TOLD: usize = 8;

/// The memories, as they were read.
#[derive(Debug, Default)]
pub(super) struct Memories {
    /// The files, as they were then.
    files: Vec<(PathBuf, Option<Mark>)>,
    /// What the user was told of them.
    told: Vec<String>,
}

impl Driver {
    /// Work ended: what it changed of a memory is read, and the instructions of the folder where it worked.
    pub(super) fn note_end(&mut self, key: WorkKey, input: Option<&Input>, inputs: &mut Vec<(Input, bool)>) {
        if matches!(key, WorkKey::Remember(_)) {
            self.look_at_memory();
        }
        if self.may_have_changed_files(key) {
            self.kit.knowledge.changed();
        }
        if let WorkKey::Tool(call) = key {
            self.kit.printing.ended(call);
        }
        if let Some(Input::ToolEnded { call, outcome }) = input {
            self.instruct(*call, outcome, inputs);
        }
    }

    fn may_have_changed_files(&self, key: WorkKey) -> bool {
        let reads = |tool: Tool| {
            !tool.is_of_sources() && tool.needs().is_some_and(|n| ToolScope::READ_ONLY.allows(n))
        };
        if let WorkKey::Tool(call) = key {
            let open = self.at.session.state().open_call(call);
            return !open.and_then(|(_, open)| open.tool).is_some_and(reads);
        }
        !matches!(
            key,
            WorkKey::Classify(..)
                | WorkKey::Think(_)
                | WorkKey::Compact(_)
                | WorkKey::Title(_)
                | WorkKey::Prepare(_)
                | WorkKey::TakeBack(_)
                | WorkKey::Look(_)
                | WorkKey::Recall(_)
                | WorkKey::Remember(_)
                | WorkKey::ReadPlan(_)
                | WorkKey::SeeTree(_)
                | WorkKey::Stage(..)
                | WorkKey::Judge(_)
        )
    }

    /// Reads the memories; what the user should know of them is said when it is another than before.
    pub(super) fn look_at_memory(&mut self) {
        let (folder, survey) = &self.at.trust;
        let found = memory::load(&self.setup.home, folder, survey, &self.at.config.secrets);
        self.at.session.set_memory(Arc::new(found.memory));
        let files = memory::files(&self.setup.home, self.at.root.path());
        self.memories.files =
            files.into_iter().map(|path| (mark(&path), path)).map(|(m, p)| (p, m)).collect();
        if self.memories.told != found.notices {
            for notice in &found.notices {
                self.outbox.send(Update::Notice(notice.clone()));
            }
            self.memories.told = found.notices;
        }
    }

    /// Reads them again where a file is not what it was.
    pub(super) fn look_at_memory_again(&mut self) {
        if self.memories.files.iter().any(|(path, was)| mark(path) != *was) {
            self.look_at_memory();
        }
    }

    /// Changes a memory's file.
    pub(super) fn remember(&self, key: WorkKey, approval: ApprovalId, change: MemoryChange) {
        let (home, disk) = (self.setup.home.clone(), Arc::clone(&self.setup.disk));
        let ((folder, survey), root) = (self.at.trust.clone(), self.at.root.clone());
        let (blobs, tasks) = (self.at.blobs.clone(), self.tasks.clone());
        self.spawn(key, None, None, async move {
            let kept = tasks.blocking(move || {
                let (home, folder, survey, disk) = (&home, &folder, &survey, disk.as_ref());
                Desk { home, folder, survey, root: &root, disk, blobs: &blobs }.keep(&change)
            });
            let result = kept.await.unwrap_or_else(|_| Err("a part of the program failed".to_owned()));
            Input::MemoryKept { approval, result }
        });
    }

    /// What a memory holds, for the user's editor.
    pub(super) fn memory_of(&self, owner: MemoryOwner) -> Reply {
        let (folder, survey) = &self.at.trust;
        Reply::Memory(owner, memory::whole(owner, &self.setup.home, folder, survey))
    }

    /// The instructions of the folders in which a call worked, where its line of work was not told them.
    fn instruct(&self, call: CallId, outcome: &ToolOutcome, inputs: &mut Vec<(Input, bool)>) {
        let state = self.at.session.state();
        let Some((lane, open)) = state.open_call(call).filter(|_| !outcome.failed) else { return };
        let named = open.file().and_then(|f| f.path()).and_then(|p| RelPath::new(p).ok());
        let paths = named.into_iter().chain(outcome.seen.iter().map(|(p, _)| p.clone()));
        let paths: Vec<RelPath> = paths.chain(outcome.proposals.iter().map(|p| p.path.clone())).collect();
        let known = |path: &RelPath| state.was_instructed(lane.id, path) || paths.contains(path);
        let brief = state.instructions_told(lane.id) >= MOST_TOLD;
        let told = self.with_grounds(|grounds| crate::project::nested(grounds, &paths, &known, brief));
        inputs.extend(told.into_iter().map(|(path, text)| (Input::Instructed { call, path, text }, false)));
    }
}
