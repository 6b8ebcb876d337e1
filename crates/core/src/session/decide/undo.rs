//! Undo and redo, and what commands changed, which stands in the same ledger.
//!
//! Owns what is asked before something is taken back. Never says what a command changed: whoever looked does.

use std::collections::BTreeSet;

use super::{
    Decided, Draft,
    answer::{Given, Resolve},
    change::lines_of,
};
use crate::{
    blob::Excerpt,
    checkpoint::CheckpointKind,
    event::{Event, Level},
    ids::{ApplyId, CallId, LaneId, ProposalId},
    input::{Rebased, Refusal, WriteFault},
    intent::TakenBack,
    money,
    proposal::{Proposal, TakeBack},
    question::{Lone, Review, UndoAllQuestion, UndoAnswer, UndoQuestion},
    session::{
        Apply, ApplyStatus,
        changes::{known_by, moved},
        spared::touched,
    },
    tool::{ChangeKind, ToolOutcome, Wrote},
};

/// Most files that are named of what a command changed for good.
const MOST_NAMED: usize = 6;

/// Told where what is taken back was committed by this session.
const STANDS: &str = " The commit still contains it; `!git reset --soft HEAD~1` undoes the commit while it is the latest and not pushed.";

impl Draft<'_> {
    pub(super) fn undo(&mut self) -> Decided {
        let only_the_last = None;
        self.take_back(only_the_last)
    }

    pub(super) fn undo_to(&mut self, to: ApplyId, last: ApplyId) -> Decided {
        let ledger = self.state.ledger();
        if ledger.last() != Some(&last) || !ledger.contains(&to) {
            return Err(moved());
        }
        self.take_back(Some(to))
    }

    /// What a line wants taken back.
    pub(super) fn undo_what(&mut self, what: &TakenBack) -> Decided {
        match what {
            TakenBack::Last | TakenBack::That => self.undo(),
            TakenBack::Several(count) => self.undo_several(*count),
            TakenBack::All => self.undo_all(),
            TakenBack::File(file) | TakenBack::Named(file) => self.undo_named(file),
            TakenBack::FileAt(at) => match self.state.file_written_at(*at) {
                Some(path) => self.undo_path(path),
                None => Err(moved()),
            },
            TakenBack::Steps(steps) => self.undo_steps(steps),
        }
    }

    /// So many of the last changes.
    pub(super) fn undo_several(&mut self, count: usize) -> Decided {
        let ledger = self.state.ledger();
        let to = ledger.len().checked_sub(count).and_then(|at| ledger.get(at)).copied();
        let Some(to) = to else {
            let all = money::count(ledger.len(), "change");
            return Err(Refusal::new(format!(
                "this session has only {all} to take back; /changes lists them"
            )));
        };
        self.take_back(Some(to))
    }

    /// Everything that this session wrote: of several changes after a question.
    pub(super) fn undo_all(&mut self) -> Decided {
        let (first, last) = match self.state.ledger() {
            [first, .., last] => (*first, *last),
            [] | [_] => return self.undo(),
        };
        self.no_write_open()?;
        self.close_undo_question();
        let all = self.state.ledger().iter().filter_map(|id| self.state.applies().get(id));
        let what = format!(
            "all {} of this session: {}",
            money::count(self.state.ledger().len(), "change"),
            told_all(all)
        );
        let in_bar = self.state.phase_question().is_none();
        let question = UndoAllQuestion { last, first, what, in_bar };
        let text = question.text();
        self.ask(question, text);
        Ok(())
    }

    /// An older question about what is taken back ends: another comes in its place, or what it asks about goes.
    fn close_undo_question(&mut self) {
        let to = |kind: &CheckpointKind| if let CheckpointKind::Undo(asked) = kind { asked.to } else { None };
        let old = self.state.open.values().find(|c| c.kind.takes_back()).map(|c| (c.id, to(&c.kind)));
        if let Some((old, of)) = old {
            if let Some(so_far) = self.so_far(of) {
                self.notice(Level::Info, so_far);
            }
            self.close(old, None);
        }
    }

    /// Takes the last applied change back, and then the ones before it down to one, where that is named.
    pub(super) fn take_back(&mut self, to: Option<ApplyId>) -> Decided {
        self.no_write_open()?;
        let Some(apply) = self.state.ledger().last().copied() else {
            let why = if self.state.undone().is_empty() {
                "this session has no applied change to take back"
            } else {
                "this session has no applied change left to take back; /unundo puts the last one back"
            };
            return Err(Refusal::new(why));
        };
        self.close_undo_question();
        let in_bar = self.state.phase_question().is_none();
        let question = self.state.applies().get(&apply).and_then(|a| a.undo_question(to, in_bar));
        let Some(question) = question else {
            self.emit(Event::RevertStarted { apply, redo: false, keep: false, to });
            return Ok(());
        };
        let text = question.text();
        self.ask(question, text);
        Ok(())
    }

    pub(super) fn redo_change(&mut self) -> Decided {
        self.no_write_open()?;
        match (self.state.undone().last().copied(), self.state.changes.given_back().is_some()) {
            (Some(apply), _) => {
                self.put_back(apply);
                Ok(())
            }
            // What was picked to go is a write of its own: taking that back gives it back.
            (None, true) => self.undo(),
            (None, false) => Err(Refusal::new("this session has no undone change to put back")),
        }
    }

    /// Gives back what was taken back last, and never takes another change back.
    pub(super) fn give_back(&mut self) -> Decided {
        let picked = self.state.changes.given_back().is_some_and(|a| self.state.changes.picks_back(a));
        if picked { self.undo() } else { self.redo_change() }
    }

    fn put_back(&mut self, apply: ApplyId) {
        let command = self.state.applies().get(&apply).and_then(|a| a.command.as_ref());
        let keep = command.is_some_and(|c| c.kept);
        self.emit(Event::RevertStarted { apply, redo: true, keep, to: None });
    }

    /// What a command changed stands in the ledger; what was proven before is stale, but by the gate itself.
    pub(super) fn command_wrote(&mut self, call: CallId, line: &str, wrote: Wrote, stales: bool) {
        let mut wrote = wrote;
        let (unsaved, spared, count) = (named(&wrote.left), wrote.spared.take(), wrote.count);
        if self.enters(call, line, wrote, Vec::new()).is_some() && stales && count > 0 {
            self.stale_gates();
        }
        if !unsaved.is_empty() {
            let text = format!("The command changed something /undo cannot take back: {unsaved}.");
            self.notice(Level::Warn, text);
        }
        // After the rest: it is the first to be put back again, and the last that is taken back.
        if let Some(part) = spared {
            self.spared_changed(call, line, *part);
        }
    }

    /// What a command changed, as an entry of the ledger, if it was saved; `spared` is what the user called it where all of
    /// it is to be left alone.
    pub(super) fn enters(
        &mut self,
        call: CallId,
        line: &str,
        wrote: Wrote,
        spared: Vec<String>,
    ) -> Option<ApplyId> {
        let Wrote { files, count, git, record, diff, left, doubt, spared: _ } = wrote;
        let record = record?;
        let (apply, diff) = (ApplyId(self.id()), Excerpt::of(diff, &mut self.blobs));
        let command = known_by(line);
        let left = left.into_iter().take(MOST_NAMED).collect();
        self.emit(Event::CommandWrote {
            apply,
            call,
            command,
            files,
            count,
            git,
            record,
            diff,
            left,
            doubt,
            spared,
        });
        Some(apply)
    }

    /// A command that was stopped has ended: what it had changed by then stands in the ledger.
    pub(super) fn stopped_ended(&mut self, call: CallId, outcome: ToolOutcome) -> Decided {
        let stopped = self.state.stopped.get(&call).cloned();
        let Some(stopped) = stopped else { return Err(Refusal::new("the call is no longer open")) };
        outcome.notice.into_iter().for_each(|text| self.notice(Level::Warn, text));
        if let Some(wrote) = outcome.wrote {
            self.command_wrote(call, &stopped.line, *wrote, true);
        }
        self.exited(call, outcome.exit.unwrap_or_default(), outcome.output);
        Ok(())
    }

    /// What a command had changed when the program ended in the middle of it.
    pub(super) fn recovered(&mut self, call: CallId, line: &str, wrote: Wrote) -> Decided {
        if self.state.applies().values().any(|a| a.command.as_ref().is_some_and(|c| c.call == call)) {
            return Err(Refusal::new("that is already known"));
        }
        let turn = self.state.suspended.as_ref().map(|p| p.turn).or(self.state.turn).unwrap_or_default();
        let spared = self.state.spares_of(turn);
        let said = wrote
            .files
            .iter()
            .filter_map(|f| Some((spared.said_of(f.path.as_str(), f.kind == ChangeKind::Create)?, f)));
        let (mut said, names): (Vec<String>, Vec<String>) =
            said.map(|(said, f)| (said.to_owned(), f.path.to_string())).unzip();
        self.command_wrote(call, line, wrote, true);
        if !names.is_empty() {
            said.sort();
            said.dedup();
            let text = format!("{} /undo takes the command's changes back.", touched(&said, &names));
            self.notice(Level::Warn, text);
        }
        Ok(())
    }

    fn no_write_open(&self) -> Decided {
        self.state.files_rest()?;
        if self.state.open_proposals().any(|p| p.back.is_some()) {
            return Err(Refusal::new("an undo is waiting in the diff; apply it or skip it first"));
        }
        Ok(())
    }

    /// Whether the next of several changes is being taken back, or asked about; what stops them says so.
    fn goes_on_back(&mut self) -> bool {
        let left = &self.state.changes.taking_back().left;
        let Some(to) = left.first().copied() else { return false };
        let next = if left.last() == self.state.ledger().last() {
            self.take_back(Some(to))
        } else {
            Err(Refusal::new("something else was written meanwhile"))
        };
        if let Err(refusal) = &next {
            self.notice(Level::Warn, format!("The rest was not taken back: {}.", refusal.reason));
        }
        next.is_ok()
    }

    /// Several changes that were taken back together.
    fn taken_back(&self) -> Vec<&Apply> {
        let done = &self.state.changes.taking_back().done;
        done.iter().filter_map(|id| self.state.applies().get(id)).collect()
    }

    /// Several changes that were put back together.
    fn put_together(&self) -> Vec<&Apply> {
        let done = self.state.changes.putting_back();
        done.iter().filter_map(|id| self.state.applies().get(id)).collect()
    }

    /// What was taken back by now of the changes down to one, where something was and something is left.
    fn so_far(&self, to: Option<ApplyId>) -> Option<String> {
        let done = self.taken_back();
        let stops = to.is_some() && self.state.changes.taking_back().left.first() == to.as_ref();
        let count = || money::count(done.len(), "change");
        (stops && !done.is_empty())
            .then(|| format!("Took back {}: {}; the rest stays.", count(), told_all(done.iter().copied())))
    }

    pub(super) fn revert_ended(&mut self, apply: ApplyId, result: Result<bool, WriteFault>) -> Decided {
        let Some(ApplyStatus::Reverting { redo }) = self.state.applies().get(&apply).map(|a| a.status) else {
            return Err(Refusal::new("that change is no longer being taken back"));
        };
        match result {
            Ok(changed) => self.reverted(apply, redo, changed),
            Err(fault) => {
                let so_far = self.so_far(self.state.changes.taking_back().left.first().copied());
                self.emit(Event::RevertFailed { apply, redo, message: fault.message });
                self.told_not_put_back(apply);
                if let Some(text) = so_far {
                    self.notice(Level::Info, text);
                }
                self.propose_back(apply, redo, fault.rebased);
            }
        }
        Ok(())
    }

    /// A write is taken back, or put back, for which files may not have had to change; where several are, the next of them
    /// follows.
    pub(super) fn reverted(&mut self, apply: ApplyId, redo: bool, changed: bool) {
        let part = |a: &Apply| a.part && matches!(a.status, ApplyStatus::Applied);
        let in_part = self.state.applies().get(&apply).is_some_and(part);
        self.emit(Event::Reverted { apply, redo, already: !changed });
        // What only git changed, a commit, left every file as it was checked.
        if self.state.applies().get(&apply).is_none_or(|a| a.count() > 0) {
            self.stale_gates();
        }
        // Among several that are taken back it is told with these.
        if !redo && self.taken_back().is_empty() && self.told_put_back(apply) {
            return;
        }
        let put = self.state.changes.putting_back().last().copied().filter(|_| redo);
        if let Some(next) = put.and_then(|put| self.state.changes.goes_with(put)) {
            self.put_back(next);
            return;
        }
        if self.goes_on_back() {
            return;
        }
        let of = self.state.applies().get(&apply);
        let kept = of.and_then(|a| a.command.as_ref()).filter(|c| c.kept && !redo);
        let kept = kept.map(|c| format!(" {} stayed as it is.", c.doubt.words())).unwrap_or_default();
        let whole = of.filter(|_| in_part).and_then(|a| self.state.changes.takes_back(a));
        let left = whole.and_then(|back| self.state.applies().get(&back.apply)).map(told);
        let together = if redo { self.put_together() } else { self.taken_back() };
        let several = together.len() > 1;
        let stands = !redo && self.state.is_committed(together.iter().map(|a| a.id).chain([apply]));
        let stands = if stands { STANDS } else { "" };
        let of = if several {
            format!("{}: {}", money::count(together.len(), "change"), told_all(together.into_iter()))
        } else {
            of.map(|a| format!("the change to {}", told(a))).unwrap_or_default()
        };
        let picked = |a: &Apply| self.state.changes.picks_back(a);
        // What was picked to go comes back by being taken back, and the other way round.
        let gives = self.state.applies().get(&apply).is_some_and(picked) && !several;
        let what = if redo == gives { "Took back" } else { "Put back" };
        let back = match (redo, several) {
            (false, false) if gives => "/unundo takes it back again",
            (true, false) if gives => "/undo puts it back",
            (true, false) => "/undo takes it back again",
            (true, true) => "/undo takes the last of them back again",
            (false, false) => "/unundo puts it back",
            (false, true) => "/unundo puts them back",
        };
        let rest = match (left, self.state.ledger().len()) {
            (Some(left), _) => format!(" Still in place from that change: {left}."),
            (None, n) if !redo && n > 0 => format!(" /undo again takes back the one before; {n} to go."),
            _ => String::new(),
        };
        let already = self.state.applies().get(&apply).filter(|_| !changed && !several);
        let done = already.map_or_else(|| format!("{what} {of}"), |a| a.already(redo));
        self.notice(Level::Info, format!("{done}; {back}.{kept}{stands}{rest}"));
    }

    /// Files changed since: what was written is proposed to be taken back beside that, for the user to decide.
    fn propose_back(&mut self, apply: ApplyId, redo: bool, files: Vec<Rebased>) {
        let lane = LaneId(self.id());
        for Rebased { proposal, redraft, meets } in files {
            let Some(old) = self.state.proposals().get(&proposal).cloned() else { continue };
            let id = ProposalId(self.id().max(lane.0 + 1));
            let back = Some(TakeBack { apply, redo, meets: false, anew: false });
            let again = self.redrafted(Proposal { id, lane, task: None, back, ..old }, redraft.draft);
            let proposal = Proposal { meets, ..again };
            let (added, removed) = lines_of(&proposal);
            self.emit(Event::Proposed { proposal, added, removed });
        }
        let proposals: Vec<ProposalId> = self.state.proposals_of(lane).map(|p| p.id).collect();
        if !proposals.is_empty() {
            let how = if redo { "puts back" } else { "takes back" };
            let met = |p: &Proposal| (0..p.hunks.len()).filter(|hunk| p.meets(*hunk)).count();
            let text = match self.state.proposals_of(lane).map(met).sum() {
                0 => format!(
                    "The diff {how} only what was written, beside what changed since; apply it or skip it."
                ),
                n => format!(
                    "The diff {how} what was written. In {} the same lines have changed since and would be lost too: decide there, hunk by hunk.",
                    money::count(n, "hunk")
                ),
            };
            self.ask(Review { lane, proposals }, text.clone());
            self.notice(Level::Info, text);
        }
    }
}

impl Apply {
    /// That its files are as they are made by taking it back, or by putting it back, and nothing was changed for that.
    pub fn already(&self, redo: bool) -> String {
        let of = told(self);
        match (redo, self.count() == 1) {
            (false, true) => format!("{of} is already as it was before"),
            (false, false) => format!("{of} are already as they were before"),
            (true, true) => format!("{of} already has the change"),
            (true, false) => format!("{of} already have the change"),
        }
    }
}

/// What a write is about: its files by name; of a command's, how many.
pub(super) fn told(apply: &Apply) -> String {
    let names: Vec<&str> = apply.files.iter().map(|f| f.path.as_str()).collect();
    if apply.command.is_some() { apply.words() } else { named(&names) }
}

/// What several writes are about: each file once, by path, and each command.
fn told_all<'a>(all: impl Iterator<Item = &'a Apply>) -> String {
    let (mut files, mut commands) = (BTreeSet::new(), Vec::new());
    for apply in all {
        if apply.command.is_none() {
            files.extend(apply.files.iter().map(|f| f.path.to_string()));
        } else if !commands.contains(&apply.words()) {
            commands.push(apply.words());
        }
    }
    let names: Vec<String> = files.into_iter().chain(commands).collect();
    named(&names)
}

/// The first of them, and how many more.
pub(super) fn named(names: &[impl AsRef<str>]) -> String {
    let some: Vec<&str> = names.iter().take(MOST_NAMED).map(AsRef::as_ref).collect();
    let rest = names.len().saturating_sub(MOST_NAMED);
    let more = if rest > 0 { format!(" and {rest} more") } else { String::new() };
    format!("{}{more}", some.join(", "))
}

impl Resolve for UndoQuestion {
    fn resolve(&self, draft: &mut Draft<'_>, given: Given<UndoAnswer>) -> Decided {
        let spared = draft.state.applies().get(&self.apply).is_some_and(|a| a.spared().is_some());
        let keep = match given.answer {
            UndoAnswer::All => false,
            UndoAnswer::Keep => true,
            UndoAnswer::Leave => {
                let stays = || {
                    let (line, doubt) = (&self.line, self.doubt.words());
                    format!(
                        "{doubt}: changed while `{line}` ran, perhaps by someone else; /undo takes it back."
                    )
                };
                let nothing = || if spared { stays() } else { "Nothing was taken back.".to_owned() };
                let so_far = draft.so_far(self.to).unwrap_or_else(nothing);
                draft.close(given.question, Some(given.stored));
                draft.notice(Level::Info, so_far);
                return Ok(());
            }
        };
        draft.no_write_open()?;
        // What is to be left alone goes back whatever was written after it.
        let ledger = draft.state.ledger();
        let stands = if spared { ledger.contains(&self.apply) } else { ledger.last() == Some(&self.apply) };
        if !stands {
            return Err(Refusal::new("something else has changed since; /undo asks again"));
        }
        draft.close(given.question, Some(given.stored));
        draft.emit(Event::RevertStarted { apply: self.apply, redo: false, keep, to: self.to });
        Ok(())
    }
}

impl Resolve for UndoAllQuestion {
    fn resolve(&self, draft: &mut Draft<'_>, given: Given<Lone>) -> Decided {
        if given.answer == Lone::No {
            draft.close(given.question, Some(given.stored));
            draft.notice(Level::Info, "Nothing was taken back.");
            return Ok(());
        }
        draft.no_write_open()?;
        if draft.state.ledger().last() != Some(&self.last) || !draft.state.ledger().contains(&self.first) {
            return Err(Refusal::new("something else has changed since; say again what to take back"));
        }
        draft.close(given.question, Some(given.stored));
        // That everything goes is said; what of it may be somebody else's is not, and is asked about.
        draft.take_back(Some(self.first))
    }
}
