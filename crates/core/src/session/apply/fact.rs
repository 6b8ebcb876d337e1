//! Facts folded into the state: what was recorded, and what the workbench saw itself.
//!
//! Looks at events of other machines too: gates, commands and writes are evidence of their own.

use std::sync::Arc;

use crate::{
    event::{Event, FileChange, Proof},
    fact::{FactSource, Facts},
    ids::{ApplyId, GateId, TurnId},
    intent::Control,
    session::{State, changes::known_by},
};

impl State {
    #[expect(clippy::wildcard_enum_match_arm, reason = "`fold` names every event; this takes its share")]
    pub(super) fn fold_facts(&mut self, event: &Event) {
        match event {
            Event::FactRecorded { fact } => self.facts_mut().record(fact),
            Event::FactLooked { name, place } => self.facts_mut().looked(name, *place),
            Event::FactForgotten { name } => self.facts_mut().forget(name),
            Event::FactsAsked { turn, names } => self.recalling = Some((*turn, names.clone())),
            Event::FactsAnswered { turn, names, .. } => self.answered(*turn, names),
            _ => {}
        }
    }

    /// What other machines' events show; before these fold them.
    #[expect(clippy::wildcard_enum_match_arm, reason = "only what shows something is looked at")]
    pub(super) fn note_facts(&mut self, event: &Event) {
        match event {
            Event::GatePassed { gate, proof, .. } => self.note_gate(*gate, "green", proof),
            Event::GateFailed { gate, proof, .. } => self.note_gate(*gate, "red", proof),
            Event::GateChanged { gate, .. } => {
                // What is known of it is of the command that it had.
                let name = self.gate_fact(*gate);
                self.facts_mut().forget(&name);
            }
            Event::GateWentStale { .. } => self.facts_mut().wrote(|_| false),
            Event::GateHolds { gate } => {
                let plan = self.plan.as_ref().or(self.suspended.as_ref());
                let held =
                    plan.and_then(|p| p.gates.iter().find(|g| g.id == *gate)).map(|g| g.command.clone());
                if let Some(command) = held {
                    self.facts_mut().holds(&command);
                }
            }
            Event::CommandExited { call, exit, output, .. } => {
                let line = self.open_call(*call).and_then(|(_, c)| Some(c.run()?.command.clone()));
                let at = self.at;
                if let Some(line) = line {
                    self.facts_mut().ran(&line, exit, *output, at);
                }
            }
            Event::CallEnded { seen, .. } if !seen.is_empty() => {
                let facts = self.facts_mut();
                for (path, hash) in seen {
                    facts.saw(path, Some(*hash));
                }
            }
            Event::ControlGiven { control: Control::Reset } => {
                self.facts = Arc::default();
                self.instructed.clear();
                self.mishap = None;
            }
            Event::CommandWrote { command, files, count, .. } if *count > 0 => {
                let facts = self.facts_mut();
                facts.wrote(|line| known_by(line) == *command);
                for file in files {
                    facts.saw(&file.path, file.after);
                }
            }
            _ => {}
        }
    }

    fn facts_mut(&mut self) -> &mut Facts {
        Arc::make_mut(&mut self.facts)
    }

    fn answered(&mut self, turn: TurnId, names: &[String]) {
        self.recalling.take_if(|(of, _)| *of == turn);
        self.facts_mut().speak_of(names);
    }

    /// What the fact of a gate is called.
    fn gate_fact(&self, gate: GateId) -> String {
        let named = self.plan.as_ref().and_then(|p| p.gate(gate));
        format!("gate {}", named.map_or_else(|| gate.to_string(), |g| g.name.clone()))
    }

    fn note_gate(&mut self, gate: GateId, verdict: &str, proof: &Proof) {
        let name = self.gate_fact(gate);
        let (command, text, output) = (proof.command.clone(), String::new(), Some(proof.output));
        let (value, at) = (format!("{verdict}: {}", proof.exit.words()), self.at);
        self.facts_mut().note(&name, value, FactSource::Command { command, text, output }, at);
    }

    /// What a write made of its files, once it stands where the others do.
    pub(super) fn note_write(&mut self, apply: ApplyId, back: bool) {
        let Some(apply) = self.changes.applies().get(&apply).cloned() else { return };
        let calls = self.changes.proposals();
        let notes = apply.files.iter().filter_map(|f| {
            let (call, kind) = (calls.get(&f.proposal)?.call, f.kind);
            let tool = match kind {
                crate::tool::ChangeKind::Delete => crate::tool::Tool::Delete,
                crate::tool::ChangeKind::Create => crate::tool::Tool::Write,
                crate::tool::ChangeKind::Modify => crate::tool::Tool::Edit,
            };
            let source = FactSource::Tool { tool: tool.name().to_owned(), call };
            let value = if back { tally("taken back", (f.added, f.removed)) } else { self.written_in_all(f) };
            Some((crate::fact::change_of(f.path.as_str()), value, f.clone(), source))
        });
        let (notes, at): (Vec<_>, _) = (notes.collect(), self.at);
        let facts = self.facts_mut();
        facts.wrote(|_| false);
        for (name, value, file, source) in notes {
            facts.saw(&file.path, if back { file.before } else { file.after });
            facts.note(&name, value, source, at);
        }
    }

    /// What the writes that stand made of a file in all, from before the first to after the last.
    fn written_in_all(&self, file: &FileChange) -> String {
        match self.written_by(&file.path, self.ledger()) {
            Some(all) if all.writes.len() > 1 => {
                tally(&format!("written {} times", all.writes.len()), (all.added, all.removed))
            }
            Some(_) | None => tally("written", (file.added, file.removed)),
        }
    }
}

fn tally(how: &str, (added, removed): (usize, usize)) -> String {
    format!("{how}: +{added} -{removed}")
}
