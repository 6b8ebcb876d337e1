//! The ledger against real files: whatever is written, edited beside it, taken back in part and put back, every file that
//! still holds something of the session's is one of the ledger's. `PILOTHOUSE_PROOF=whole` tries many more.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::wildcard_enum_match_arm,
    clippy::disallowed_methods
)]

use std::{collections::BTreeSet, fs, path::PathBuf};

use pilothouse_core::{
    blob::Blob,
    checkpoint::Answer,
    ids::ProposalId,
    input::Input,
    proposal::{DELETE_WORD, Decision},
    tool::{ChangeKind, ProposalDraft, ToolOutcome},
    work::Work,
};
use pilothouse_runtime::{
    blobs::Blobs,
    disk::{RealDisk, Root},
    writer::{self, Swap},
};

#[path = "../../core/tests/support/mod.rs"]
mod support;

use support::{Bench, edit_of, is_plan, proposing};

/// A session whose work is done on real files.
struct Desk {
    dir: tempfile::TempDir,
    b: Bench,
    dice: u64,
    wrote: usize,
}

impl Desk {
    fn new(seed: u64) -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("w")).unwrap();
        fs::create_dir_all(dir.path().join("session")).unwrap();
        let desk = Self { dir, b: Bench::new(), dice: seed * 7919 + 17, wrote: 0 };
        for name in ["a.txt", "b.txt"] {
            let lines: Vec<String> = (0..12).map(|n| format!("line {n} of {name}\n")).collect();
            fs::write(desk.at(name), lines.concat()).unwrap();
        }
        desk
    }

    fn roll(&mut self, sides: usize) -> usize {
        self.dice = self.dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.dice >> 33).unwrap() % sides
    }

    fn at(&self, name: &str) -> PathBuf {
        self.dir.path().join("w").join(name)
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.at(name)).unwrap_or_default()
    }

    fn blobs(&self) -> Blobs {
        Blobs::under(&self.dir.path().join("session"))
    }

    /// An input, with every content that it stores.
    fn input(&mut self, input: Input) -> bool {
        let Ok(step) = self.b.input(input) else { return false };
        self.keep(&step.blobs);
        true
    }

    fn keep(&self, contents: &[Blob]) {
        for blob in contents {
            self.blobs().put(&RealDisk, blob).unwrap();
        }
    }

    /// What the session wants of files now is done, as the runtime does it.
    fn work(&mut self) {
        let root = Root::open(&self.dir.path().join("w")).unwrap();
        while let Some(work) = self.b.session.pending().into_values().find(is_of_files) {
            let blobs = self.blobs();
            let input = match work {
                Work::Prepare { apply, changes } => {
                    let files = writer::prepare::prepare(&RealDisk, &root, &blobs, &changes);
                    if let Ok((_, contents)) = &files {
                        self.keep(contents);
                    }
                    Input::ApplyPrepared { apply, files }
                }
                Work::Write { apply, files } => {
                    let swaps: Vec<Swap> = files.iter().map(Swap::forward).collect();
                    Input::ApplyEnded { apply, result: writer::swap_all(&RealDisk, &root, &blobs, &swaps) }
                }
                Work::Revert { apply, files, redo, .. } => {
                    let result = writer::prepare::revert(&RealDisk, &root, &blobs, &files, redo);
                    Input::RevertEnded { apply, result }
                }
                other => panic!("{other:?}"),
            };
            assert!(self.input(input), "what was worked on is heard");
        }
    }

    /// The session writes some files at once: lines of its own, and a new file that may be empty.
    fn write(&mut self) {
        self.wrote += 1;
        let (n, new) = (self.wrote, format!("new{}.txt", self.wrote));
        let mut changes = Vec::new();
        for name in ["a.txt", "b.txt"] {
            let old = self.text(name);
            let mut lines: Vec<String> = old.split_inclusive('\n').map(str::to_owned).collect();
            for _ in 0..=self.roll(2) {
                let at = self.roll(lines.len() + 1);
                lines.insert(at, format!("ours {n} {}\n", self.roll(1000)));
            }
            changes.push((name.to_owned(), old, lines.concat()));
        }
        let text = if self.roll(2) == 0 { String::new() } else { format!("ours {n}\n") };
        changes.push((new, String::new(), text));
        changes.truncate(1 + self.roll(3));
        if self.roll(2) == 0 {
            changes.reverse();
        }
        self.b.say("fix the greeting");
        self.b.plan(&[("Fix it", "modify")], &[]);
        self.b.answer(is_plan, Answer::Approve).unwrap();
        for (path, before, after) in &changes {
            self.b.reply("", &[("edit", edit_of(path))]);
            let outcome =
                if path.starts_with("new") { made(path, after) } else { proposing(path, before, after) };
            let contents: Vec<Blob> = outcome
                .proposals
                .iter()
                .flat_map(|p| p.before.clone().into_iter().chain(p.after.clone()))
                .collect();
            self.keep(&contents);
            self.b.end_tool(outcome);
        }
        self.b.reply("done", &[]);
        self.b.approve_all(None).unwrap();
        self.work();
    }

    /// The user changes a file beside the session: adds a line, takes one away, empties it.
    fn edit(&mut self) {
        let mut names = vec!["a.txt".to_owned(), "b.txt".to_owned()];
        names.extend((1..=self.wrote).map(|n| format!("new{n}.txt")).filter(|name| self.at(name).exists()));
        let name = names[self.roll(names.len())].clone();
        let mut lines: Vec<String> = self.text(&name).split_inclusive('\n').map(str::to_owned).collect();
        let at = self.roll(lines.len() + 1);
        match self.roll(6) {
            0 if at < lines.len() => drop(lines.remove(at)),
            1 if name.starts_with("new") => lines.clear(),
            _ => lines.insert(at, format!("theirs {}\n", self.roll(1000))),
        }
        fs::write(self.at(&name), lines.concat()).unwrap();
    }

    /// Takes back, or puts back; where that comes as a diff some of it is taken, by file and by hunk.
    fn turn_back(&mut self, redo: bool) {
        if !self.input(if redo { Input::Redo } else { Input::Undo }) {
            return;
        }
        self.work();
        let waits: Vec<ProposalId> = self.b.session.state().open_proposals().map(|p| p.id).collect();
        if waits.is_empty() {
            return;
        }
        let mut taken = Vec::new();
        for id in waits {
            match self.roll(3) {
                0 => continue,
                1 => self.decide(id),
                _ => {}
            }
            taken.push(id);
        }
        let shown = |b: &Bench, id: &ProposalId| b.session.state().proposals()[id].shown();
        let proposals: Vec<_> = taken.iter().map(|id| (*id, shown(&self.b, id))).collect();
        let word = Some(DELETE_WORD.to_owned());
        if !proposals.is_empty() && self.input(Input::Apply { proposals, word, rest: false }) {
            self.work();
        }
        let rest: Vec<ProposalId> = self.b.session.state().open_proposals().map(|p| p.id).collect();
        if !rest.is_empty() {
            assert!(self.input(Input::Skip { proposals: rest, reason: String::new() }));
        }
    }

    fn decide(&mut self, proposal: ProposalId) {
        let p = self.b.session.state().proposals()[&proposal].clone();
        for hunk in 0..p.hunks.len() {
            let decision = match self.roll(3) {
                0 => Some(Decision::Left),
                1 => Some(Decision::Taken),
                _ => None,
            };
            let shown = self.b.session.state().proposals()[&proposal].shown();
            self.input(Input::Decide { proposal, hunk, decision, shown });
        }
    }

    /// The files that hold something of the session's and are none of the ledger's.
    fn forgotten(&self) -> Vec<String> {
        let state = self.b.session.state();
        let of = |id| state.applies().get(id).into_iter().flat_map(|a| &a.files).map(|f| f.path.to_string());
        let listed: BTreeSet<String> = state.ledger().iter().flat_map(of).collect();
        let names = fs::read_dir(self.dir.path().join("w")).unwrap();
        let names = names.map(|e| e.unwrap().file_name().into_string().unwrap());
        // A new file in which only others' lines are left is theirs.
        let ours = |name: &String| {
            let text = self.text(name);
            text.contains("ours") || name.starts_with("new") && text.is_empty()
        };
        names.filter(|name| ours(name) && !listed.contains(name)).collect()
    }
}

fn is_of_files(work: &Work) -> bool {
    matches!(work, Work::Prepare { .. } | Work::Write { .. } | Work::Revert { .. })
}

/// A new file, be it an empty one.
fn made(path: &str, text: &str) -> ToolOutcome {
    let outcome = proposing(path, "", "x\n");
    let after = Blob::new(text.as_bytes().to_vec());
    let hunks = pilothouse_core::diff::hunks(b"", text.as_bytes());
    let proposals = outcome.proposals.into_iter();
    let proposals = proposals.map(|p| ProposalDraft {
        notes: Vec::new(),
        kind: ChangeKind::Create,
        after: Some(after.clone()),
        hunks: hunks.clone(),
        ..p
    });
    ToolOutcome { proposals: proposals.collect(), ..ToolOutcome::text("proposed", "1 hunk") }
}

#[test]
fn every_file_that_holds_something_of_the_session_is_one_of_the_ledgers() {
    let whole = std::env::var("PILOTHOUSE_PROOF").is_ok_and(|p| p == "whole");
    let (tries, mut checked) = (if whole { 2_000 } else { 60 }, 0);
    for seed in 0..tries {
        let mut desk = Desk::new(seed);
        let mut story = Vec::new();
        for _ in 0..10 {
            match desk.roll(6) {
                0 | 1 => {
                    story.push("write");
                    desk.write();
                }
                2 | 3 => {
                    story.push("edit");
                    desk.edit();
                }
                4 => {
                    story.push("redo");
                    desk.turn_back(true);
                }
                _ => {
                    story.push("undo");
                    desk.turn_back(false);
                }
            }
            checked += 1;
            let left = desk.forgotten();
            assert!(left.is_empty(), "seed {seed}: {story:?}: {left:?}");
        }
    }
    println!("checked={checked} violations=0");
}
