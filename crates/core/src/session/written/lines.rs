//! What some of the writes made of files in all: of one message, of the work that it began, of one step.

use super::{Origin, State, WrittenFile};
use crate::{
    ids::{ApplyId, TurnId},
    relpath::RelPath,
};

impl State {
    /// Every file that was written for a message, from before the first write to after the last.
    pub fn written_for(&self, turn: TurnId) -> Vec<WrittenFile> {
        self.written_where(|origin| origin.turn == turn)
    }

    /// Every file that was written by the runs of the work that a message began.
    pub(in crate::session) fn written_in_work(&self, work: TurnId) -> Vec<WrittenFile> {
        self.written_where(|origin| origin.work == work)
    }

    fn written_where(&self, holds: impl Fn(&Origin) -> bool) -> Vec<WrittenFile> {
        let mut all = Vec::new();
        for (id, _, files) in self.writes().filter(|(_, origin, _)| holds(origin)) {
            for file in files {
                self.take_write(&mut all, id, file);
            }
        }
        all
    }

    /// What these writes made of a file, where they stand.
    pub fn written_by(&self, path: &RelPath, writes: &[ApplyId]) -> Option<WrittenFile> {
        let mut all = Vec::new();
        for (id, _, files) in self.writes().filter(|(id, ..)| writes.contains(id)) {
            for file in files.iter().filter(|file| file.path == *path) {
                self.take_write(&mut all, id, file);
            }
        }
        all.pop()
    }
}
