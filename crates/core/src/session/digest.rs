//! A digest of what a session came to: the same for the same history, in every build.
//!
//! Owns which facts count. Never includes times, ids of processes or how things are stored.

use std::fmt::Write;

use super::State;
use crate::{blob::BlobId, plan::TaskStatus};

impl State {
    /// The hash over what happened and what is on disk because of it: phase, plan, decisions,
    /// written files, cost.
    pub fn digest(&self) -> BlobId {
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = self.tell(&mut text);
        BlobId::of(text.as_bytes())
    }

    fn tell(&self, out: &mut String) -> std::fmt::Result {
        writeln!(out, "seq {} phase {} mode {:?}", self.seq.0, self.phase.name(), self.mode)?;
        writeln!(out, "permission {} chat {}", self.permission.badge(), self.chat_only)?;
        for (name, plan) in [("plan", &self.plan), ("last", &self.suspended)] {
            if let Some(plan) = plan {
                writeln!(out, "{name} v{} {} {}", plan.version, plan.title, plan.path)?;
                for task in &plan.tasks {
                    // What was taken back is told below; the step counted as done before there was a word for it.
                    let back = task.status == TaskStatus::TakenBack;
                    let status = if back { TaskStatus::Done } else { task.status };
                    writeln!(out, "  task {} {status:?} {}", task.id.0, task.title)?;
                }
                for gate in &plan.gates {
                    writeln!(out, "  gate {} {:?} {}", gate.id.0, gate.status, gate.command)?;
                }
            }
        }
        for turn in self.turns.values() {
            writeln!(out, "turn {:?} {} {}", turn.class, turn.path, turn.head)?;
        }
        for p in self.proposals().values() {
            writeln!(out, "proposal {} {:?} {:?} {:?}", p.path, p.kind, p.status, p.decided)?;
        }
        for apply in self.ledger().iter().filter_map(|a| self.applies().get(a)) {
            for file in &apply.files {
                writeln!(out, "wrote {} {:?} {:?}", file.path, file.before, file.after)?;
            }
        }
        writeln!(out, "undone {:?} open {}", self.undone(), self.open.len())?;
        writeln!(out, "tokens {} {}", self.usage.input, self.usage.output)
    }
}
