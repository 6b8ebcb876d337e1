//! What was written, by run and turn, and what a run came to.
//!
//! Owns the reading of the ledger: whoever shows what was changed asks here. Never decides.

mod lines;
mod message;
mod runs;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use runs::Runs;

use super::{Apply, Lane, State, state::Run};
use crate::{
    blob::BlobId,
    commit::{CommitFile, Committed, SoughtFile},
    completion::{Completion, FileTally, GateFact, LeftOut, StepLeft},
    diff::Change,
    event::FileChange,
    ids::{ApplyId, CallId, LaneId, Millis, RunId, TaskId, TurnId},
    money::Spell,
    plan::{Plan, Task, TaskStatus},
    proposal::{Decision, Proposal, ProposalStatus},
    relpath::RelPath,
    scope::Capability,
    shell::is_prose,
    tool::ChangeKind,
};

/// Where an entry of the ledger comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// When it was written.
    pub at: Millis,
    /// The message that it serves.
    pub turn: TurnId,
    /// The message that began the work which that one belongs to: the run's, where it is of a run.
    pub work: TurnId,
    /// The run that it belongs to.
    pub run: Option<RunId>,
}

/// What is shown together: a run, or a message without one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Group {
    /// Of a run.
    Run(RunId),
    /// Of a message.
    Turn(TurnId),
}

impl Origin {
    /// With what it is shown.
    pub(super) fn group(&self) -> Group {
        self.run.map_or(Group::Turn(self.turn), Group::Run)
    }
}

/// Where the entries of the ledger come from, and where they went.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Origins {
    of: BTreeMap<ApplyId, Origin>,
    /// Entries, file by file, that stand in a commit which this session made.
    pub(super) committed: BTreeSet<(ApplyId, RelPath)>,
    /// The commits that this session made, the oldest first, with how many files each holds.
    pub(super) commits: Vec<(CallId, Committed, usize)>,
}

/// How much of what was written is meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Extent {
    /// Everything that this session wrote.
    #[default]
    Session,
    /// What the last run wrote.
    Run,
    /// What the last message led to.
    Turn,
    /// Everything since this message was said.
    Since(TurnId),
}

impl Extent {
    /// The extent of this name.
    pub fn named(name: &str) -> Option<Self> {
        [Self::Session, Self::Run, Self::Turn].into_iter().find(|e| e.name() == name)
    }

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::Run => "run",
            Self::Turn => "turn",
            Self::Since(_) => "since",
        }
    }

    /// The next narrower one; after the narrowest the widest.
    #[must_use]
    pub const fn next(self) -> Self {
        match self {
            Self::Session => Self::Run,
            Self::Run => Self::Turn,
            Self::Turn | Self::Since(_) => Self::Session,
        }
    }
}

/// What one message, or one run of it, wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The first write of it.
    pub origin: Origin,
    /// What was wanted: the beginning of the message that began the work.
    pub goal: String,
    /// The files.
    pub files: Vec<WrittenFile>,
}

/// A file that was written, from before the first write to after the last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenFile {
    /// The file.
    pub path: RelPath,
    /// The content before; `None` when there was no file.
    pub before: Option<BlobId>,
    /// The content after; `None` when there is none any more.
    pub after: Option<BlobId>,
    /// Lines added in all, from before the first write to after the last.
    pub added: usize,
    /// Lines removed likewise.
    pub removed: usize,
    /// The writes, the oldest first.
    pub writes: Vec<ApplyId>,
    /// Where its lines come from; `None` where a write does not say, and lines are added up.
    runs: Option<Runs>,
}

impl WrittenFile {
    fn of(file: &FileChange) -> Self {
        let (path, before, after) = (file.path.clone(), file.before, file.before);
        Self { path, before, after, added: 0, removed: 0, writes: Vec::new(), runs: Some(Runs::untouched()) }
    }

    fn again(&mut self, write: ApplyId, file: &FileChange, changes: Option<Vec<Change>>) {
        let joins = self.after == file.before;
        self.runs = self.runs.take().zip(changes).filter(|_| joins).map(|(mut runs, changes)| {
            runs.take_in(&changes);
            runs
        });
        self.after = file.after;
        self.writes.push(write);
        (self.added, self.removed) = match &self.runs {
            _ if self.before == self.after => (0, 0),
            Some(runs) => runs.counts(),
            None => (self.added + file.added, self.removed + file.removed),
        };
    }

    /// What became of it in all.
    pub const fn kind(&self) -> ChangeKind {
        match (self.before, self.after) {
            (None, _) => ChangeKind::Create,
            (Some(_), None) => ChangeKind::Delete,
            (Some(_), Some(_)) => ChangeKind::Modify,
        }
    }

    /// It, as a line of an account.
    pub fn tally(&self) -> FileTally {
        FileTally {
            path: self.path.clone(),
            added: self.added,
            removed: self.removed,
            gone: self.after.is_none(),
        }
    }
}

impl State {
    /// Takes another write of a file in.
    fn take_write(&self, files: &mut Vec<WrittenFile>, write: ApplyId, file: &FileChange) {
        let at = files.iter().position(|f| f.path == file.path).unwrap_or_else(|| {
            files.push(WrittenFile::of(file));
            files.len() - 1
        });
        if let Some(known) = files.get_mut(at) {
            known.again(write, file, self.changes_of(file));
        }
    }

    /// Which lines a write changed, where it wrote what was proposed as it stood, or whoever saw a command's end counted them.
    pub(super) fn changes_of(&self, file: &FileChange) -> Option<Vec<Change>> {
        if !file.changes.is_empty() {
            return Some(file.changes.clone());
        }
        let proposal = self.proposals().get(&file.proposal).filter(|p| p.before == file.before)?;
        let ProposalStatus::Applied(id) = proposal.status else { return None };
        let (_, taken) = self.applies().get(&id)?.take.iter().find(|(of, _)| *of == proposal.id)?;
        let hunks = proposal.hunks.iter().enumerate().filter(|(n, _)| taken.contains(n));
        let changes: Vec<Change> = hunks.flat_map(|(_, hunk)| hunk.changes.iter().copied()).collect();
        let sum = |len: fn(&Change) -> usize| changes.iter().map(len).sum::<usize>();
        (sum(|c| c.new.len) == file.added && sum(|c| c.old.len) == file.removed).then_some(changes)
    }

    /// Notes where the newest entry of the ledger comes from, once.
    pub(super) fn note_origin(&mut self) {
        let Some(id) = self.ledger().last().copied().filter(|id| !self.origins.of.contains_key(id)) else {
            return;
        };
        let mut takes = self.applies().get(&id).into_iter().flat_map(|a| &a.take);
        let proposal = takes.find_map(|(p, _)| self.proposals().get(p));
        // What the user picked of a write to go is of the work that had written it.
        let picked = proposal.and_then(Proposal::picks_from).and_then(|of| self.origins.of.get(&of)).copied();
        if let Some(origin) = picked {
            Arc::make_mut(&mut self.origins).of.insert(id, Origin { at: self.at, ..origin });
            return;
        }
        let command = self.applies().get(&id).and_then(|a| a.command.as_ref());
        if let Some(stopped) = command.and_then(|command| self.stopped.get(&command.call)) {
            let origin = Origin { at: self.at, ..stopped.origin };
            Arc::make_mut(&mut self.origins).of.insert(id, origin);
            return;
        }
        let (lane, task) = (proposal.map(|p| p.lane), proposal.and_then(|p| p.task));
        let plans = || self.plan.iter().chain(&self.suspended).chain(&self.earlier);
        // What a step proposed is of its plan, also once the step's lane ended with the process.
        let planned = plans().find(|p| p.tasks.iter().any(|t| Some(t.id) == task)).map(|p| p.turn);
        let turn = lane.and_then(|l| self.lanes.get(&l)).map(|l| l.turn);
        let turn = turn.or(self.run.as_ref().map(|r| r.turn)).or(planned).or(self.turn).unwrap_or_default();
        let run = self.run.as_ref().filter(|r| lane.is_none_or(|l| self.serves(l, r)));
        // A step that was added has a message of its own, and is of its plan's work all the same, between two runs too.
        let of_step = |p: &&Plan| p.tasks.iter().any(|t| t.turn == Some(turn));
        let began = match run {
            Some(run) => Some(self.plan.as_ref().map_or(run.turn, |p| p.turn)),
            None => planned.or_else(|| plans().find(of_step).map(|p| p.turn)),
        };
        let work = self.work_of(began.unwrap_or(turn));
        let run = run.map(|r| r.id);
        Arc::make_mut(&mut self.origins).of.insert(id, Origin { at: self.at, turn, work, run });
    }

    /// Whether a lane works for a run, rather than beside it.
    fn serves(&self, lane: crate::ids::LaneId, run: &Run) -> bool {
        self.lanes.get(&lane).is_none_or(|l| l.kind.of_run() || l.turn == run.turn)
    }

    /// What stands in the ledger, write by write: where it comes from, and its files.
    pub fn writes(&self) -> impl Iterator<Item = (ApplyId, Origin, &[FileChange])> {
        self.ledger().iter().filter_map(|id| {
            let origin = self.origins.of.get(id).copied().unwrap_or_default();
            Some((*id, origin, self.applies().get(id)?.files.as_slice()))
        })
    }

    /// The writes since a message was said, the oldest first.
    pub fn writes_since(&self, turn: TurnId) -> &[ApplyId] {
        let at = self.ledger().iter().position(|id| id.0 > turn.0);
        at.and_then(|at| self.ledger().get(at..)).unwrap_or_default()
    }

    /// The writes within an extent.
    fn within(&self, extent: Extent) -> Vec<(ApplyId, Origin, &[FileChange])> {
        let all = || self.writes().map(|(_, origin, _)| origin);
        let run = all().filter_map(|o| o.run).last();
        let turn = all().last().map(|o| o.turn);
        let holds = |id: &ApplyId, origin: &Origin| match extent {
            Extent::Session => true,
            Extent::Run => run.is_some() && origin.run == run,
            Extent::Turn => Some(origin.turn) == turn,
            Extent::Since(turn) => self.writes_since(turn).contains(id),
        };
        self.writes().filter(|(id, origin, _)| holds(id, origin)).collect()
    }

    /// What was written, the oldest first, put together by run or message; the files of each by path.
    pub fn written(&self, extent: Extent) -> Vec<Written> {
        let mut groups = self.written_in_turn(extent);
        for group in &mut groups {
            group.files.sort_by(|a, b| a.path.cmp(&b.path));
        }
        groups
    }

    /// The same, with files in the order in which they were first written.
    pub(super) fn written_in_turn(&self, extent: Extent) -> Vec<Written> {
        let writes = self.within(extent).into_iter();
        self.grouped(writes.map(|(id, origin, files)| (id, origin, files.iter().collect())), Origin::group)
    }

    /// What was written and is in no commit that this session made since, put together by the work that it is of, however many
    /// runs that took; what was written to last is the last.
    pub(super) fn uncommitted(&self) -> Vec<Written> {
        let left =
            |id: ApplyId, file: &FileChange| !self.origins.committed.contains(&(id, file.path.clone()));
        let writes = self.writes().map(|(id, origin, all)| {
            let files: Vec<&FileChange> = all.iter().filter(|f| left(id, f)).collect();
            (id, origin, files)
        });
        let mut works = self.grouped(writes.filter(|(.., files)| !files.is_empty()), |origin| origin.work);
        works.sort_by_key(|work| work.files.iter().filter_map(|f| f.writes.last().copied()).max());
        works
    }

    fn grouped<'f, K: PartialEq>(
        &self,
        writes: impl Iterator<Item = (ApplyId, Origin, Vec<&'f FileChange>)>,
        key: impl Fn(&Origin) -> K,
    ) -> Vec<Written> {
        let mut groups: Vec<Written> = Vec::new();
        for (id, origin, files) in writes {
            let same = |g: &Written| key(&g.origin) == key(&origin);
            let at = groups.iter().position(same).unwrap_or_else(|| {
                let goal = self.turns.get(&origin.work).map(|t| t.called().to_owned()).unwrap_or_default();
                groups.push(Written { origin, goal, files: Vec::new() });
                groups.len() - 1
            });
            if let Some(group) = groups.get_mut(at) {
                for file in files {
                    self.take_write(&mut group.files, id, file);
                }
            }
        }
        groups
    }

    /// The files that a step was to change and that nothing since its lane began wrote: all of them, or those among them
    /// whose change is known to be missing.
    pub(super) fn left_untouched(&self, lane: LaneId, task: TaskId, missing: &[RelPath]) -> Vec<RelPath> {
        let Some(task) = self.plan.as_ref().and_then(|p| p.task(task)) else { return Vec::new() };
        let made = |p: &Proposal| matches!(p.status, ProposalStatus::Applied(_) | ProposalStatus::There);
        let proposed = self.proposals().values().filter(|p| p.task == Some(task.id) && made(p));
        let since = || self.writes().filter(|(id, ..)| id.0 > lane.0);
        if !task.node.scope().allows(Capability::Write)
            || since().any(|(id, _, files)| !self.names_all(id, files))
        {
            return Vec::new();
        }
        let written = since().flat_map(|(.., files)| files).map(|file| &file.path);
        let touched: BTreeSet<&RelPath> = proposed.map(|p| &p.path).chain(written).collect();
        let mut left: Vec<RelPath> =
            task.files.iter().filter(|path| !touched.contains(path)).cloned().collect();
        // A step may need fewer files than its plan names: where it touched some, the others may be right as they are.
        if left.len() < task.files.len() {
            left.retain(|path| missing.contains(path));
        }
        left
    }

    /// Whether a step proposed nothing and no command has written since it began; another may work beside it.
    pub(super) fn changed_nothing(&self, lane: &Lane, task: TaskId) -> bool {
        let mine = |p: &Proposal| p.lane == lane.id && p.status != ProposalStatus::Dropped;
        let proposed = self.proposals().values().any(mine);
        let by_command = |a: &Apply| a.command.is_some() && a.id.0 > lane.id.0;
        !proposed && !self.changes.had_begun(task) && !self.applies().values().any(by_command)
    }

    /// The plan of a work, by the message that began it, while it is known.
    pub(super) fn plan_of(&self, work: TurnId) -> Option<&Plan> {
        let plans = self.former.iter().chain(&self.earlier).chain(&self.suspended).chain(&self.plan);
        plans.rev().find(|p| self.work_of(p.turn) == work)
    }

    /// Notes a commit that was made of these files, and which writes stand in it.
    pub(super) fn note_committed(&mut self, commit: CallId, made: &Committed, files: &[CommitFile]) {
        let in_it = |path: &RelPath| files.iter().any(|f| f.path == *path);
        let writes =
            self.writes().flat_map(|(id, _, all)| all.iter().map(move |file| (id, file.path.clone())));
        let found: Vec<_> = writes.filter(|(_, path)| in_it(path)).collect();
        let origins = Arc::make_mut(&mut self.origins);
        origins.committed.extend(found);
        origins.commits.push((commit, made.clone(), files.len()));
    }

    /// Every file that was written within an extent, from before the first write to after the last.
    pub fn written_files(&self, extent: Extent) -> Vec<WrittenFile> {
        let mut all = Vec::new();
        for (id, _, files) in self.within(extent) {
            for file in files {
                self.take_write(&mut all, id, file);
            }
        }
        all.retain(|f| f.before != f.after);
        all.sort_by(|a, b| a.path.cmp(&b.path));
        all
    }

    /// Files whose last write is known, each with what it held before.
    pub(super) fn sought(&self, files: Vec<(RelPath, Option<BlobId>)>) -> Vec<SoughtFile> {
        let mut held: BTreeMap<&RelPath, Vec<Option<BlobId>>> = BTreeMap::new();
        for change in self.writes().flat_map(|(.., files)| files) {
            let states = held.entry(&change.path).or_default();
            if states.last() != Some(&change.before) {
                *states = vec![change.before];
            }
            states.push(change.after);
        }
        let sought = |(path, wrote): (RelPath, Option<BlobId>)| {
            let states = held.remove(&path).filter(|states| states.last() == Some(&wrote));
            SoughtFile { states: states.unwrap_or_else(|| vec![wrote]), path }
        };
        files.into_iter().map(sought).collect()
    }

    /// What a run wrote, and what was written before of the plan that it goes on with, by a run or between two.
    fn writes_for(&self, run: &Run) -> impl Iterator<Item = (ApplyId, &[FileChange])> {
        let (id, planned) = (run.id, self.plan.as_ref().map(|p| self.work_of(p.turn)));
        let counts = move |o: &Origin| o.run == Some(id) || planned == Some(o.work);
        self.writes().filter(move |(_, origin, _)| counts(origin)).map(|(id, _, files)| (id, files))
    }

    /// Whether a run changed nothing that a check of the code could see: text for people alone.
    pub(super) fn wrote_no_code(&self) -> bool {
        let prose = |(id, files): (ApplyId, &[FileChange])| {
            self.names_all(id, files) && files.iter().all(|f| is_prose(f.path.as_str()))
        };
        self.run.as_ref().is_some_and(|run| self.writes_for(run).all(prose))
    }

    /// Whether these are all files of a write: of what a command wrote only the first are known by name.
    fn names_all(&self, id: ApplyId, files: &[FileChange]) -> bool {
        self.applies().get(&id).is_some_and(|a| a.count() == files.len())
    }

    /// What a run came to so far, and what runs before it wrote of the plan that it went on with.
    pub(super) fn completion(&self, run: &Run) -> Completion {
        let mut files = Vec::new();
        for (id, changes) in self.writes_for(run) {
            for change in changes {
                self.take_write(&mut files, id, change);
            }
        }
        files.sort_by(|a, b| a.path.cmp(&b.path));
        let tasks = self.plan.iter().flat_map(|p| p.tasks.iter().map(move |t| (p.number(t.id), t)));
        let left = tasks.clone().filter(|(_, t)| t.status != TaskStatus::Done).map(|(number, t)| StepLeft {
            number,
            title: t.title.clone(),
            status: t.status,
        });
        let gates = self.plan.iter().flat_map(|p| &p.gates).map(|g| GateFact {
            name: g.name.clone(),
            command: g.command.clone(),
            status: g.status,
            waived: g.is_waived(),
            exit: g.exit,
        });
        let is_idle = |(_, t): &(usize, &Task)| t.status == TaskStatus::Done && t.unchanged;
        let Spell { worked: took, waited } = self.spell(self.at).unwrap_or_default();
        Completion {
            took,
            waited: (waited > Millis(0)).then_some(waited),
            usage: self.accounts.run,
            files: files.iter().map(WrittenFile::tally).collect(),
            done: tasks.clone().filter(|(_, t)| t.status == TaskStatus::Done).count(),
            left: left.collect(),
            unchanged: tasks.filter(is_idle).map(|(_, t)| t.title.clone()).collect(),
            left_out: self.left_out(run),
            gates: gates.collect(),
            red: run.red_checks(self.plan.as_ref()).map(|red| red.line.clone()).collect(),
            ran: run.after.as_ref().map(|(last, _)| last.clone()),
            broke: run.broke(self.plan.as_ref()).cloned(),
            touched: self.touched_in(run.turn),
            set_aside: self.set_aside().count(),
        }
    }

    /// What the user left out of what the plan's steps and the run beside them, a repair for one, proposed; of a file that
    /// was proposed again the last counts, but the rest of one that was written in part goes on with it.
    fn left_out(&self, run: &Run) -> Vec<LeftOut> {
        let planned = |task: TaskId| self.plan.as_ref().is_some_and(|p| p.tasks.iter().any(|t| t.id == task));
        let back = |p: &Proposal| matches!(p.status, ProposalStatus::Applied(id) if !self.applies().get(&id).is_some_and(Apply::stands));
        let beside = |p: &Proposal| p.id.0 > run.id.0 && p.back.is_none() && !back(p);
        let mut files: BTreeMap<&RelPath, (LeftOut, bool)> = BTreeMap::new();
        for p in self.proposals().values().filter(|p| p.task.map_or_else(|| beside(p), planned)) {
            let hunks = match p.status {
                ProposalStatus::Applied(_) => p.decided.values().filter(|d| **d == Decision::Left).count(),
                ProposalStatus::Skipped => p.hunks.len().max(1),
                ProposalStatus::Open
                | ProposalStatus::Applying(_)
                | ProposalStatus::There
                | ProposalStatus::Dropped
                | ProposalStatus::SetAside => 0,
            };
            let applied = matches!(p.status, ProposalStatus::Applied(_));
            let in_part = applied && !p.decided.is_empty() && p.decided.len() < p.hunks.len();
            let (before, of) = match files.remove(&p.path) {
                Some((begun, true)) => (begun.hunks, begun.of),
                Some((_, false)) | None => (0, p.hunks.len()),
            };
            files.insert(&p.path, (LeftOut { path: p.path.clone(), hunks: before + hunks, of }, in_part));
        }
        files.into_values().map(|(left, _)| left).filter(|left| left.hunks > 0).collect()
    }
}
