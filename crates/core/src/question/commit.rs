//! Shall this be committed?

use serde::{Deserialize, Serialize};

use super::{Accept, Act, Asked, Choice, Question, Role, Spec, Ties, wrong};
use crate::{
    blob::BlobId,
    checkpoint::Answer,
    clean::Clean,
    commit::{CommitFile, CommitTree, Merge},
    ids::CallId,
    money::count,
    refusal::Refusal,
    tool::ChangeKind,
};

/// The label of what else is to be known of a commit: sentences, code in them between backticks.
pub const NOTE: &str = "note";

/// A commit is proposed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommitQuestion {
    /// What it goes by.
    pub commit: CallId,
    /// The message.
    pub message: String,
    /// What it would hold, and where it would stand.
    pub tree: CommitTree,
}

/// What becomes of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommitAnswer {
    /// It is made with this message.
    Make(String),
    /// It is not made.
    Leave,
}

impl CommitQuestion {
    /// All of it in words, line by line.
    pub fn text(&self) -> String {
        let mut text = self.title();
        for file in &self.tree.files {
            text.push_str(&format!("\n  {}", line(file)));
        }
        text.push_str("\nwith the message:");
        for line in self.message.lines() {
            text.push_str(&format!("\n  {line}"));
        }
        for note in self.notes() {
            text.push_str(&format!("\n{note}"));
        }
        text
    }

    fn title(&self) -> String {
        let (files, on) = (count(self.tree.files.len(), "file"), &self.tree.on);
        match &self.tree.merge {
            Some(_) if self.tree.files.is_empty() => format!("Commit the merge on {on}?"),
            Some(_) => format!("Commit the merge on {on}, {files}?"),
            None => format!("Commit {files} on {on}?"),
        }
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = self.tree.notes.clone();
        match &self.tree.merge {
            Some(Merge { more: 0, .. }) => notes.push("This completes the merge.".to_owned()),
            Some(Merge { more, .. }) => {
                let more = count(*more, "file");
                notes.push(format!("This completes the merge, with {more} more as the other side has them."));
            }
            None => {}
        }
        if self.tree.others > 0 {
            let staged =
                if self.tree.staged > 0 { format!(" ({} staged)", self.tree.staged) } else { String::new() };
            let stay = if self.tree.others == 1 { "stays as it is" } else { "stay as they are" };
            notes.push(format!("{}{staged} {stay}.", count(self.tree.others, "other changed file")));
        }
        if self.tree.files.iter().any(|file| file.mixed) {
            notes.push(
                "Files are committed whole; use `!git add -p` and `!git commit` for part of a file."
                    .to_owned(),
            );
        }
        notes
    }
}

fn line(file: &CommitFile) -> String {
    let kind = match file.kind {
        ChangeKind::Create => "new",
        ChangeKind::Modify => "changed",
        ChangeKind::Delete => "removed",
    };
    let mixed = if file.mixed { " – with changes that this session did not make" } else { "" };
    format!("{} ({kind}){mixed}", file.path)
}

impl Question for CommitQuestion {
    fn choices(&self) -> Vec<Choice> {
        vec![
            Choice::new("y", "commit", Act::Give(Answer::Approve))
                .role(Role::Take)
                .reach("commit", "exactly these files with this message; nothing else, nothing is pushed"),
            Choice::new("n", "don't commit", Act::Give(Answer::Reject(String::new())))
                .role(Role::Deny)
                .reach("leave", "nothing is committed; the files stay as they are"),
        ]
    }

    fn describe(&self, spec: &mut Spec, _asked: &Asked<'_>) {
        let files = count(self.tree.files.len(), "file");
        let on = &self.tree.on;
        spec.title = Clean::line(&self.title());
        spec.text = Clean::line(&format!("{files} on {on}"));
        spec.tag = "commit";
        spec.facts = self.message.lines().map(|l| ("", Clean::line(l))).collect();
        if let Some(first) = spec.facts.first_mut() {
            first.0 = "message";
        }
        spec.facts.extend(
            self.tree
                .files
                .iter()
                .enumerate()
                .map(|(n, file)| (if n == 0 { "files" } else { "" }, Clean::line(&line(file)))),
        );
        spec.facts.extend(self.notes().iter().map(|note| (NOTE, Clean::line(note))));
        spec.editable = Some("edit the message");
    }

    fn ties(&self) -> Ties {
        // It belongs to no work: what is said beside it, and what ends of that, leaves it as it is.
        Ties { outlives_work: true, ..Ties::default() }
    }

    fn line(&self) -> Option<&str> {
        Some(&self.message)
    }

    fn shown(&self) -> Option<BlobId> {
        let mut text = self.message.clone();
        for file in &self.tree.files {
            text.push_str(&format!("\0{}\0{:?}\0{:?}", file.path, file.kind, file.content));
        }
        if let Some(merge) = &self.tree.merge {
            text.push_str(&format!("\0{}", merge.state));
        }
        Some(BlobId::of(text.as_bytes()))
    }
}

impl Accept for CommitQuestion {
    type Answer = CommitAnswer;

    fn meant(&self, given: Answer) -> Answer {
        match given {
            Answer::Line(line) if line.trim() == self.message.trim() => Answer::Approve,
            Answer::Line(line) => Answer::Line(line.trim().to_owned()),
            other => other,
        }
    }

    fn accept(&self, given: Answer) -> Result<CommitAnswer, Refusal> {
        match given {
            Answer::Approve => Ok(CommitAnswer::Make(self.message.clone())),
            Answer::Line(line) if line.is_empty() => {
                Err(Refusal::new("a commit needs a message; `n` cancels"))
            }
            Answer::Line(line) => Ok(CommitAnswer::Make(line)),
            Answer::Reject(_) | Answer::Abort => Ok(CommitAnswer::Leave),
            _ => Err(wrong()),
        }
    }
}
