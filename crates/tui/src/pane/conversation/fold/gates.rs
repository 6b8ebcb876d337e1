//! Gates, as the rows tell of them.
//!
//! Owns how the end of one reads. Never looks at the session.

use pilothouse_core::{
    digest,
    event::Proof,
    ids::{GateId, Millis},
};

use super::{Log, Mark};
use crate::{
    pane::conversation::entry::{Body, Entry, Facts, Gated, Kind},
    row::Row,
    theme::Slot,
};

impl Log {
    pub(super) fn of_gate(&mut self, at: Millis, mark: Mark, gate: GateId, words: &str) {
        let name = self.gate_name(gate.0);
        self.mark(at, mark, &format!("[Gate: {name}] {words}"));
    }

    /// Its line is another from now on, told as it runs.
    pub(super) fn gate_changed(&mut self, at: Millis, gate: GateId, to: &str) {
        let row = Row::of(Mark::Inner.sign(), Slot::Soft).and(" ", Slot::Text);
        let row = row.and(&format!("[Gate: {}] is now {to}", self.gate_name(gate.0)), Slot::Soft);
        self.fact(at, row, Row::new());
    }

    pub(super) fn gate_name(&self, id: u64) -> String {
        let gate = self.plan.as_ref().and_then(|p| p.gates.iter().find(|g| g.id.0 == id));
        gate.map_or_else(|| id.to_string(), |g| called(&g.name).to_owned())
    }

    /// A gate was judged: told in the row of the command that it ran, else in one of its own.
    pub(super) fn gate(&mut self, at: Millis, id: GateId, green: bool, proof: &Proof) {
        let said = said_below(proof);
        let gated = Gated { name: self.gate_name(id.0), green, diagnostics: said.to_owned() };
        let ran = self.gate_calls.remove(&id).and_then(|key| self.get_mut(key));
        if let Some(Entry { body: Body::Call(call), dirty, .. }) = ran {
            (call.gate, *dirty) = (Some(gated), true);
            return;
        }
        let exit = match (proof.exit.code, proof.exit.signal) {
            _ if proof.exit.timed_out => "timed out".to_owned(),
            (Some(code), _) => format!("exit {code}"),
            (None, Some(signal)) => format!("signal {signal}"),
            (None, None) => String::new(),
        };
        let left = gated.row(("✓", "✗"), (usize::MAX, ""));
        // Where a call of the agent's own proved it, the row of that call says the rest.
        let (left, detail) = if self.last_run.as_deref() == Some(proof.command.as_str()) {
            (left, String::new())
        } else {
            (left.and("   ", Slot::Text).and(&exit, Slot::Soft), gated.diagnostics)
        };
        let open = !green && !detail.is_empty();
        let key = self.add(at, Kind::Work, Body::Facts(Facts { lines: vec![(left, Row::new())], detail }));
        if let Some(entry) = self.get_mut(key) {
            entry.open = open;
        }
    }
}

/// What of a proof stands below a row that says how its command ended.
fn said_below(proof: &Proof) -> &str {
    let told = proof.diagnostics.as_str();
    proof.exit.code.map_or(told, |code| digest::below_exit(told, code))
}

/// The name of a gate without the variables that its line begins with, where that is its name.
fn called(name: &str) -> &str {
    let mut rest = name.trim();
    while let Some((word, behind)) = rest.split_once(' ') {
        let variable = word.split_once('=').is_some_and(|(name, _)| {
            !name.is_empty() && name.chars().all(|c| c == '_' || c.is_ascii_alphanumeric())
        });
        if !variable {
            break;
        }
        rest = behind.trim_start();
    }
    rest
}
