//! `/commit`: what this session wrote, looked at by git, shown with a message, and committed after a yes.
//!
//! Owns which files are named and what stands in the message. Never runs git: that is work like every other.

use std::collections::BTreeSet;

use super::{
    Decided, Draft,
    answer::{Given, Resolve},
    verdict::CallVerdict,
};
use crate::{
    blob::BlobId,
    checkpoint::{Checkpoint, CheckpointKind},
    commit::{CommitTree, Committed, MOST_FILES, MessageFacts},
    event::{CallStatus, Event, Level},
    ids::{CallId, CheckpointId, EvidenceId, LaneId},
    input::Refusal,
    intent::{IntentNode, IntentPath, Phase, Reading, Turn},
    money::count,
    plan::{Gate, GateStatus, failed_and_skipped},
    question::{CommitAnswer, CommitQuestion},
    redact::is_marked,
    relpath::RelPath,
    scope::Capability,
    session::{Extent, Lane, LaneKind, State, Written, state::CommitStage},
    tool::CommitMessage,
};

/// The most characters that a model's message has.
const MESSAGE_CHARS: usize = 4_000;
/// Why nothing is committed now.
const UNDER_WAY: &str = "something is still running; commit when it is done";
/// Most files by name that a commit leaves out.
const LEFT_NAMED: usize = 3;
/// Said of a gate where nobody could look at what it was green on.
const UNSEEN: &str = "whether it still is could not be checked in time";

impl State {
    /// The commit that waits for a yes.
    pub fn waiting_commit(&self) -> Option<(CheckpointId, &CommitQuestion)> {
        self.open.values().find_map(|c| {
            let CheckpointKind::Commit(asked) = &c.kind else { return None };
            Some((c.id, asked))
        })
    }
}

impl Draft<'_> {
    /// Why nothing is committed while a run has not ended: where a change waits for the user, that is what holds it.
    fn under_way(&self) -> Refusal {
        let mut reviewed =
            self.state.open.values().filter_map(|c| c.kind.review()).flat_map(|r| &r.proposals);
        let path = reviewed.find_map(|id| Some(&self.state.proposals().get(id)?.path));
        let text = path.filter(|_| !self.state.busy());
        Refusal::new(text.map_or_else(
            || UNDER_WAY.to_owned(),
            |path| format!("the change to {path} waits for your decision; decide it first"),
        ))
    }

    /// Has git look at what this session wrote; a message that is given is taken as it is.
    pub(super) fn commit(&mut self, message: &str) -> Decided {
        if self.state.committing.is_some() {
            return Err(Refusal::new("a commit is already under way"));
        }
        self.must(Capability::Execute, "is committed")?;
        if self.state.is_executing() || self.state.run.is_some() {
            return Err(self.under_way());
        }
        let files = self.state.written_files(Extent::Session);
        if files.is_empty() {
            return Err(Refusal::new(
                "this session wrote nothing to commit; use `!git commit` for other work",
            ));
        }
        if files.len() > MOST_FILES {
            let why = format!("{} files were written; use `!git commit` for that many", files.len());
            return Err(Refusal::new(why));
        }
        if let Some((old, _)) = self.state.waiting_commit() {
            self.close(old, None);
        }
        let files = files.into_iter().map(|f| (f.path, f.after)).collect();
        let commit = CallId(self.id());
        self.emit(Event::CommitSought { commit, files, message: message.to_owned() });
        Ok(())
    }

    /// Git looked: the user is asked, or told why nothing can be committed.
    pub(super) fn commit_looked(&mut self, commit: CallId, result: Result<CommitTree, String>) -> Decided {
        let Some((id, CommitStage::Look { message, .. })) = self.state.committing.clone() else {
            return Err(Refusal::new("no commit is being prepared"));
        };
        if id != commit {
            return Err(Refusal::new("that commit is gone"));
        }
        match result {
            Err(told) => {
                self.emit(Event::CommitEnded { commit, made: None, told });
            }
            Ok(tree) if tree.files.is_empty() && tree.merge.is_none() => {
                let told =
                    "nothing to commit: what this session wrote is already in the last commit".to_owned();
                self.emit(Event::CommitEnded { commit, made: None, told });
            }
            Ok(mut tree) => {
                let (seen, left) = (tree.seen.take(), std::mem::take(&mut tree.left));
                let lines = std::mem::take(&mut tree.lines);
                tree.notes.extend(self.gates_say(&tree, seen, &left));
                let facts = || MessageFacts {
                    small: tree.small,
                    ..self.state.message_facts(|path| holds(&tree, path), &lines)
                };
                let merge = tree.merge.as_ref().map(|merge| merge.message.clone());
                let message = match (message.is_empty(), merge) {
                    (false, _) => message,
                    (true, Some(merge)) => merge,
                    (true, None) => facts().message(),
                };
                let question = CommitQuestion { commit, message, tree };
                let text = question.text();
                self.ask(question, text);
            }
        }
        Ok(())
    }

    /// The question that a line is which wants the message of the commit that waits worded, or the commit otherwise: it is told
    /// one, and sets it.
    pub(super) fn of_commit(&self, line: &str, reading: &Reading) -> Option<Reading> {
        let asked = self.state.newest_question().filter(|c| matches!(c.kind, CheckpointKind::Commit(_)))?;
        // "yes, but …" is no yes to what is shown; what is to run first runs.
        let classifier = &self.under.tiers.classifier;
        let otherwise = asked.kind.leave().and_then(|to| classifier.otherwise(line, to));
        let runs = |said: &str| self.read(said).whole.path.current() == IntentNode::Execute;
        let other = otherwise.is_some_and(|said| !runs(&said));
        let wants = classifier.wants_message(line, true) || self.takes_message(line);
        (wants || other).then(|| {
            let mut reading = reading.clone();
            reading.whole.turn = Turn::Query(None);
            reading.whole.path = IntentPath::to(IntentNode::Explain);
            reading
        })
    }

    /// Whether a line takes a message for the commit that waits: the one that is shown, or one that the agent told since.
    pub(super) fn takes_message(&self, line: &str) -> bool {
        let waits = self.state.newest_question().is_some_and(|c| matches!(c.kind, CheckpointKind::Commit(_)));
        waits && self.under.tiers.classifier.takes_message(line)
    }

    /// Whether the message that is taken is the one that is shown: what the agent told may be another, since the question
    /// was asked, or before where that shows what follows from the facts and nobody worded it.
    pub(super) fn means_shown(&self, question: &Checkpoint) -> bool {
        let CheckpointKind::Commit(asked) = &question.kind else { return false };
        let worded = self.state.unworded != Some(asked.commit);
        !self.spoke_since(question.id) && (worded || tells(&self.state.last_word, &asked.message))
    }

    /// The commit that waits for a yes, where a line says what its message is to be.
    pub(super) fn words_commit(&self, line: &str) -> Option<(CheckpointId, String)> {
        let asked = self.state.newest_question().filter(|c| matches!(c.kind, CheckpointKind::Commit(_)))?;
        Some((asked.id, self.under.tiers.classifier.words_message(line)?))
    }

    /// The message, perhaps none yet, with which a line wants committed what this session wrote, where nothing works, nothing
    /// waits, and something of it is in no commit: as `/commit` does, which asks. Else it is an order like any other.
    pub(super) fn wants_commit(&self, line: &str) -> Option<String> {
        let rests = self.state.phase == Phase::Idle
            && self.state.phase_question().is_none()
            && self.state.open_proposals().next().is_none();
        let ours = || self.state.uncommitted().iter().any(|g| g.files.iter().any(|f| f.before != f.after));
        rests.then(|| self.under.tiers.classifier.commits(line)).flatten().filter(|_| ours())
    }

    /// The same commit is asked about again, with another message.
    pub(super) fn reword_commit(&mut self, question: CheckpointId, message: String) {
        let asked = self.state.open.get(&question).map(|c| c.kind.clone());
        let Some(CheckpointKind::Commit(asked)) = asked else { return };
        self.close(question, None);
        let asked = CommitQuestion { message, ..asked };
        let text = asked.text();
        self.ask(asked, text);
    }

    /// Whether the message of a model is put to the user for the commit that waits.
    pub(super) fn judge_message(&self, lane: &Lane, wording: &CommitMessage) -> CallVerdict {
        let message = wording.message.trim();
        let Some((question, asked)) = self.state.waiting_commit() else {
            return CallVerdict::refuse(
                "no commit waits for the user's yes here: tell them the message in words",
            );
        };
        if !matches!(lane.kind, LaneKind::Answer | LaneKind::Planning) {
            return CallVerdict::refuse(
                "only a turn of the user's changes the message of the commit that waits; leave it as it is",
            );
        }
        if asked.message.trim() == message {
            return CallVerdict::refuse(
                "the commit waits with that very message: there is nothing left to set",
            );
        }
        if is_marked(message) {
            return CallVerdict::refuse(
                "it holds a secret, and a secret is never committed: word it without",
            );
        }
        if message.chars().count() > MESSAGE_CHARS {
            return CallVerdict::refuse(format!(
                "a message can have at most {MESSAGE_CHARS} characters; make it shorter"
            ));
        }
        CallVerdict::Reword(question, message.to_owned())
    }

    /// The commit that waits is asked about again with a model's message. With that its answer is given: a yes that follows
    /// is said to this question, and to no later word of it. So is the order of a turn that was to be planned.
    pub(super) fn put_message(
        &mut self,
        (lane, call): (LaneId, CallId),
        question: CheckpointId,
        message: String,
    ) {
        let told = "the commit is shown to the user with that message, and waits for their yes";
        self.end_call(lane, call, CallStatus::Done, told);
        self.reword_commit(question, message);
        let rests =
            self.state.lanes.get(&lane).is_some_and(|l| l.head().is_none() && !l.unread && !l.addressed);
        match self.state.lanes.get(&lane).map(|l| l.kind).filter(|_| rests) {
            // A plan that waits for a yes is not given up by that: its planning thinks on.
            Some(LaneKind::Planning) if self.state.plan.is_some() => {}
            Some(LaneKind::Planning) => {
                self.notice(Level::Info, "The message of the commit was changed; nothing else was planned.");
                self.end_without_plan(lane);
                self.drain();
            }
            Some(_) => self.finish_lane(lane),
            None => {}
        }
    }

    /// The work that wrote files which a commit would hold, the oldest first.
    fn in_commit<'a>(&self, tree: &'a CommitTree) -> impl DoubleEndedIterator<Item = Written> + use<'a> {
        let groups = self.state.uncommitted().into_iter();
        groups.filter(|group| group.files.iter().any(|f| holds(tree, &f.path)))
    }

    /// What the gates of that work say of it: the newest plan's that are red, or were green before later changes, on the files
    /// as they were seen. Of what was done before the last plan it is not known any more whether its gates are green.
    fn gates_say(&self, tree: &CommitTree, seen: Option<BlobId>, left: &[String]) -> Vec<String> {
        let mut plans = self.in_commit(tree).filter_map(|g| self.state.plan_of(g.origin.work));
        let plan = plans.next_back();
        let last = plan.is_some_and(|plan| self.state.suspended.as_ref() == Some(plan));
        let gates = plan.into_iter().flat_map(|p| &p.gates);
        let said = gates.filter_map(|g| match g.status {
            GateStatus::Passed(evidence) if last => {
                let on = self.state.trees.get(&evidence).map(|proven| proven.tree);
                Some(match on.zip(seen) {
                    Some((on, seen)) if on == seen && !left.is_empty() => green_with(g, left),
                    Some((on, seen)) if on == seen => format!("Gate {} is green: {}", g.name, g.command),
                    Some(_) => self.green_before(g, evidence),
                    None => format!("Gate {} was green; {UNSEEN}: {}", g.name, g.command),
                })
            }
            GateStatus::Failed(_) if g.waived => {
                Some(format!("Gate {} {}: {}", g.name, failed_and_skipped(g.exit), g.command))
            }
            GateStatus::Failed(_) => Some(format!("Gate {} is red: {}", g.name, g.command)),
            GateStatus::Stale(evidence) => Some(self.green_before(g, evidence)),
            GateStatus::Pending
            | GateStatus::Running
            | GateStatus::Passed(_)
            | GateStatus::Skipped
            | GateStatus::Unproven(_) => None,
        });
        said.collect()
    }

    fn green_before(&self, gate: &Gate, evidence: EvidenceId) -> String {
        let (since, Gate { name, command, .. }) = (self.changed_since(evidence), gate);
        format!("Gate {name} was green but has not run since {since} changed: {command}")
    }

    /// What this session wrote since a gate was run; where that is nothing, somebody else changed files.
    fn changed_since(&self, evidence: EvidenceId) -> String {
        let later = self.state.writes().filter(|(id, ..)| id.0 > evidence.0);
        let paths: BTreeSet<&RelPath> = later.flat_map(|(.., files)| files).map(|f| &f.path).collect();
        match (paths.first(), paths.len()) {
            (None, _) => "files".to_owned(),
            (Some(one), 1) => one.to_string(),
            (Some(one), all) => format!("{one} and {}", count(all - 1, "more file")),
        }
    }

    /// Git committed, or says why it did not.
    pub(super) fn committed(&mut self, commit: CallId, result: Result<Committed, String>) -> Decided {
        let Some((_, CommitStage::Make { files, .. })) =
            self.state.committing.as_ref().filter(|(id, _)| *id == commit)
        else {
            return Err(Refusal::new("no commit is being made"));
        };
        let (made, told) = match result {
            Ok(made) => {
                let told = format!("committed {} on {}: {}", made.id, made.on, count(files.len(), "file"));
                (Some(made), told)
            }
            Err(why) => (None, format!("nothing was committed: {why}")),
        };
        self.emit(Event::CommitEnded { commit, made, told });
        Ok(())
    }
}

/// What is said of a gate that is green on files of which some stay out of the commit: nobody tested what that holds.
fn green_with(Gate { name, command, .. }: &Gate, left: &[String]) -> String {
    let named = left.iter().take(LEFT_NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
    let files = match left.len().saturating_sub(LEFT_NAMED) {
        0 => named,
        more => format!("{named} and {}", count(more, "more file")),
    };
    format!(
        "Gate {name} is green only together with changes that this commit leaves out ({files}); the commit itself was not \
         tested: {command}"
    )
}

fn holds(tree: &CommitTree, path: &RelPath) -> bool {
    tree.files.iter().any(|f| f.path == *path)
}

/// Whether a reply tells this message and no more of one: its only block of code is it; where it has none, the reply is it
/// or ends with it below a colon.
fn tells(reply: &str, message: &str) -> bool {
    let (lines, message): (Vec<&str>, _) = (reply.trim().lines().collect(), message.trim());
    let fence = |line: &&str| line.trim_start().starts_with("```");
    let parts: Vec<String> = lines.split(fence).map(|part| part.join("\n")).collect();
    match parts.as_slice() {
        [whole] => whole
            .strip_suffix(message)
            .is_some_and(|lead| lead.is_empty() || (lead.ends_with('\n') && lead.trim_end().ends_with(':'))),
        [_, block, _] => block.trim() == message,
        _ => false,
    }
}

impl Resolve for CommitQuestion {
    fn resolve(&self, draft: &mut Draft<'_>, given: Given<CommitAnswer>) -> Decided {
        let CommitAnswer::Make(message) = given.answer else {
            draft.close(given.question, Some(given.stored));
            draft.notice(Level::Info, "Nothing was committed.");
            return Ok(());
        };
        draft.must(Capability::Execute, "is committed")?;
        if draft.state.is_executing() || draft.state.run.is_some() {
            return Err(draft.under_way());
        }
        let approval = draft.allow(given.question, given.stored);
        let (commit, files) = (self.commit, self.tree.files.clone());
        let merge = self.tree.merge.as_ref().map(|merge| merge.state.clone());
        draft.emit(Event::CommitApproved { commit, approval, files, message, merge });
        Ok(())
    }

    fn stale(&self) -> &'static str {
        "that is not what was shown; /commit checks again"
    }
}
