//! What several writes made of a file's lines in all, told by where each of them stood.
//!
//! Knows no text: a line that came and went again counts for nothing, one that was written back as it was counts as new.

use std::collections::VecDeque;

use crate::diff::Change;

/// The lines of a file in their order: runs of those that stood there before the first write, and of new ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Runs {
    now: VecDeque<Run>,
    gone: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Run {
    new: bool,
    len: usize,
}

impl Runs {
    /// A file before the first write, however long it is.
    pub fn untouched() -> Self {
        Self { now: VecDeque::from([Run { new: false, len: usize::MAX }]), gone: 0 }
    }

    /// Takes a write in: its changes in the order of the lines.
    pub fn take_in(&mut self, changes: &[Change]) {
        let (mut done, mut at) = (VecDeque::new(), 0);
        for change in changes {
            done.extend(self.take(change.old.start.saturating_sub(at)));
            self.gone += self.take(change.old.len).iter().filter(|r| !r.new).map(|r| r.len).sum::<usize>();
            done.push_back(Run { new: true, len: change.new.len });
            at = change.old.end();
        }
        done.append(&mut self.now);
        self.now = done;
    }

    /// Lines added and removed in all.
    pub fn counts(&self) -> (usize, usize) {
        (self.now.iter().filter(|r| r.new).map(|r| r.len).sum(), self.gone)
    }

    /// The first lines, taken out.
    fn take(&mut self, mut lines: usize) -> Vec<Run> {
        let mut out = Vec::new();
        while lines > 0 {
            let Some(run) = self.now.pop_front() else { break };
            let len = run.len.min(lines);
            out.push(Run { len, ..run });
            if run.len > len {
                self.now.push_front(Run { len: run.len - len, ..run });
            }
            lines -= len;
        }
        out
    }
}
