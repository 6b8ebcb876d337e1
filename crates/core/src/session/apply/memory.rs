//! Memory and instructions folded into the state: what is being kept, what was told of folders.

use crate::{event::Event, ids::LaneId, relpath::RelPath, session::State};

impl State {
    #[expect(clippy::wildcard_enum_match_arm, reason = "`fold` names every event; this takes its share")]
    pub(super) fn fold_memory(&mut self, event: &Event) {
        match event {
            Event::MemoryChanged { change, approval } => {
                self.saw(approval.0);
                self.remembering.insert(*approval, change.clone());
            }
            Event::MemoryKept { approval, .. } => drop(self.remembering.remove(approval)),
            Event::InstructionsTold { lane, path, .. } => {
                let told = (self.line_of(*lane), path.clone());
                self.instructed.insert(told);
            }
            _ => {}
        }
    }

    /// The line of work that a lane belongs to: its own where it runs beside the main one.
    pub(in crate::session) fn line_of(&self, lane: LaneId) -> Option<LaneId> {
        self.transcript.is_beside(lane).then_some(lane)
    }

    /// How many files of instructions the line of work of a lane was told.
    pub fn instructions_told(&self, lane: LaneId) -> usize {
        let line = self.line_of(lane);
        self.instructed.iter().filter(|(of, _)| *of == line).count()
    }

    /// Whether the instructions of a file were told to the line of work of a lane.
    pub fn was_instructed(&self, lane: LaneId, path: &RelPath) -> bool {
        self.instructed.contains(&(self.line_of(lane), path.clone()))
    }
}
