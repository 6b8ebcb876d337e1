//! Gates: what their command's end says about the tree.
//!
//! Owns the verdict and its evidence. Never runs one: that is a call like every other.

use super::Draft;
use crate::{
    blob::BlobId,
    digest,
    event::{Event, Level, Proof},
    ids::{EvidenceId, GateId, LaneId},
    phase::Trigger,
    relpath::RelPath,
    tool::Exit,
};

/// How a gate's command ended.
#[derive(Clone, Debug)]
pub(super) struct GateEnd {
    /// The command.
    pub command: String,
    /// Its exit; `None` when it could not be run.
    pub exit: Option<Exit>,
    /// Whether the gate is green.
    pub passed: bool,
    /// Its output.
    pub output: BlobId,
    /// What of that says what is wrong.
    pub diagnostics: String,
}

impl Draft<'_> {
    pub(super) fn gate_ended(&mut self, lane: LaneId, gate: GateId, end: GateEnd) {
        let GateEnd { command, exit, passed, output, diagnostics } = end;
        let Some(exit) = exit else {
            self.notice(Level::Warn, format!("The gate could not be run: {diagnostics}"));
            return self.leave_gate_out(lane, gate);
        };
        self.emit(Event::LaneClosed { lane });
        let evidence = EvidenceId(self.id());
        let proof = Proof { command, exit, output, diagnostics, tree: self.tree() };
        if passed {
            self.emit(Event::GatePassed { gate, evidence, proof });
            self.continue_run();
        } else {
            self.emit(Event::GateFailed { gate, evidence, proof });
            self.must_go(Trigger::GateFail);
            self.ask_of_phase();
        }
    }

    /// A hash over what the session has on disk: the after-hash of every file in the ledger.
    fn tree(&self) -> Option<BlobId> {
        let mut files: std::collections::BTreeMap<&RelPath, Option<BlobId>> =
            std::collections::BTreeMap::new();
        for file in
            self.state.ledger().iter().filter_map(|a| self.state.applies().get(a)).flat_map(|a| &a.files)
        {
            files.insert(&file.path, file.after);
        }
        (!files.is_empty()).then(|| BlobId::of(format!("{files:?}").as_bytes()))
    }
}

/// What of a gate's output is worth keeping: of a red one what failed, in its first line how much, and of a green one
/// its last lines.
pub(super) fn diagnostics(text: &str, exit: Option<&Exit>, passed: bool) -> String {
    if passed {
        let last: Vec<&str> = text.lines().rev().take(5).collect();
        return last.iter().rev().map(|l| l.chars().take(200).collect()).collect::<Vec<String>>().join("\n");
    }
    let Some(digest) = digest::digest(text) else {
        return match exit {
            Some(Exit { code: Some(code), timed_out: false, .. }) => {
                format!("it ended with exit {code}\n\n{}", digest::end(text))
            }
            Some(_) | None => digest::end(text).to_owned(),
        };
    };
    // What the workbench itself says of it, such as that the sandbox may be why, stands right below its first line.
    let notes = text.lines().skip(1).take_while(|l| l.starts_with('(') && l.ends_with(')'));
    let notes: String = notes.map(|note| format!("\n{note}")).collect();
    match digest.split_once('\n') {
        Some((headline, rest)) => format!("{headline}{notes}\n{rest}"),
        None => digest + &notes,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::Millis;

    #[test]
    fn a_red_gate_says_what_failed_then_what_the_sandbox_has_to_do_with_it() {
        let exit = Exit { code: Some(101), signal: None, timed_out: false, took: Millis(1), process: None };
        let said = "exit 101, took 0.1 s\n(it ran in a sandbox, where it has no network)\nstdout:\n";
        let red = format!(
            "{said}test a ... ok\ntest b ... FAILED\n---- b stdout ----\nleft: 1\n\nfailures:\n    b\n"
        );
        let told = diagnostics(&red, Some(&exit), false);
        assert_eq!(told, "1 failed: b\n(it ran in a sandbox, where it has no network)\n\nb\nleft: 1");
        let other = diagnostics("exit 101, took 0.1 s\nstderr:\nno such thing", Some(&exit), false);
        assert!(
            other.starts_with("it ended with exit 101\n\n") && other.ends_with("no such thing"),
            "{other}"
        );
        assert_eq!(diagnostics("a\nb\nc\nd\ne\nf", Some(&exit), true), "b\nc\nd\ne\nf");
    }
}
