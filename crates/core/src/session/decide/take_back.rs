//! What writes made of a file, taken back hunk by hunk: proposed like every change, and written like one.
//!
//! Owns what is asked and said of it. Never says what a file holds: whoever looked does.

use std::collections::{BTreeMap, BTreeSet};

use super::{Decided, Draft, undo::named};
use crate::{
    clean::Clean,
    event::{Event, FileChange, Level},
    ids::{ApplyId, LaneId, ProposalId},
    input::{Refusal, Reversal},
    intent::Nth,
    money,
    proposal::{Decision, Proposal, ProposalStatus, TakeBack},
    question::Review,
    relpath::RelPath,
    session::Apply,
    tool::ChangeKind,
};

impl Draft<'_> {
    /// `/undo FILE`: what waits of it is left, else what the last message or run that wrote it made of it goes back.
    pub(super) fn undo_named(&mut self, file: &str) -> Decided {
        if file.is_empty() {
            return self.undo();
        }
        let named = self.state.changed_as(file);
        let path = match &named[..] {
            [] => RelPath::new(file).map_err(|e| Refusal::misuse(e.to_string()))?,
            [one] => one.clone(),
            [first, .., last] => {
                let others = if named.len() > 2 { " or others" } else { "" };
                let text = format!("{file} could be {first} or {last}{others}; say which: /undo {first}");
                return Err(Refusal::new(text));
            }
        };
        if self.state.waiting_changes().any(|p| p.path == path) {
            self.leave_waiting(&path)
        } else {
            self.undo_path(path)
        }
    }

    /// What waits of a file is left: its undecided hunks where something of it was taken, else all of it.
    pub(super) fn leave_waiting(&mut self, path: &RelPath) -> Decided {
        let waiting: Vec<Proposal> =
            self.state.waiting_changes().filter(|p| p.path == *path).cloned().collect();
        let is_in_part = |p: &&Proposal| p.tally().0 > 0 && !p.undecided().is_empty();
        let (in_part, whole): (Vec<&Proposal>, Vec<&Proposal>) = waiting.iter().partition(is_in_part);
        for p in in_part {
            for hunk in p.undecided() {
                let (proposal, decision) = (p.id, Some(Decision::Left));
                self.emit(Event::HunkDecided { proposal, hunk, decision, comment: None });
            }
        }
        let whole: Vec<ProposalId> = whole.iter().map(|p| p.id).collect();
        self.skip_changes(&whole, "")?;
        let wrote = self.state.last_writes_of(path).is_some();
        let before = if wrote {
            format!(" /undo {path} takes back what was written to it earlier.")
        } else {
            String::new()
        };
        self.notice(Level::Info, format!("What was waiting for {path} is left out, not written.{before}"));
        Ok(())
    }

    /// What the last message or run that wrote a file made of it.
    pub(super) fn undo_path(&mut self, path: RelPath) -> Decided {
        let Some(writes) = self.state.last_writes_of(&path) else {
            let unnamed = |a: &&Apply| a.count() > a.files.len();
            let ledger = self.state.ledger().iter().filter_map(|id| self.state.applies().get(id));
            let more = match ledger.rev().find(unnamed) {
                Some(apply) => format!(
                    "; of {} only the first are known by name; plain /undo takes them all back",
                    apply.words()
                ),
                None => "; /changes lists what it wrote".to_owned(),
            };
            return Err(Refusal::new(format!("this session wrote no {path}{more}")));
        };
        self.undo_file(path, writes)
    }

    /// What steps of the plan wrote: all of it at once where nothing else was written with it or since, else the one file, hunk
    /// by hunk.
    pub(super) fn undo_steps(&mut self, steps: &[Nth]) -> Decided {
        let files = self.state.written_in(steps);
        let ids: BTreeSet<ApplyId> = files.iter().flat_map(|(_, writes)| writes).copied().collect();
        let theirs =
            |id: &ApplyId, path: &RelPath| files.iter().any(|(of, ids)| of == path && ids.contains(id));
        let whole = |a: &Apply| a.count() == a.files.len() && a.files.iter().all(|f| theirs(&a.id, &f.path));
        let ledger = self.state.ledger();
        let last = ledger.len().checked_sub(ids.len()).and_then(|at| ledger.get(at..)).unwrap_or_default();
        if last.iter().all(|id| ids.contains(id) && self.state.applies().get(id).is_some_and(whole)) {
            let to = last.first().copied().filter(|_| last.len() > 1);
            return self.take_back(to);
        }
        match <[_; 1]>::try_from(files) {
            Ok([(path, writes)]) => self.undo_file(path, writes),
            Err(files) => {
                let all: Vec<String> = files.iter().map(|(path, _)| format!("/undo {path}")).collect();
                let text = format!(
                    "it wrote {} along with other changes: take them back one by one, {}",
                    money::count(files.len(), "file"),
                    named(&all)
                );
                Err(Refusal::new(text))
            }
        }
    }

    /// What takes back these writes of a file is looked for: that the file is another by now is seen there.
    pub(super) fn undo_file(&mut self, path: RelPath, writes: Vec<ApplyId>) -> Decided {
        self.state.may_take_back(&path, &writes)?;
        let lane = LaneId(self.id());
        self.emit(Event::TakeBackSought { lane, path, writes });
        Ok(())
    }

    /// What takes it back is proposed for the user to pick from, or there is nothing to propose.
    pub(super) fn take_back_made(&mut self, lane: LaneId, result: Result<Reversal, String>) -> Decided {
        let sought = self.state.changes.sought().filter(|s| s.lane == lane).cloned();
        let sought = sought.ok_or_else(|| Refusal::new("that is no longer wanted"))?;
        // Whoever wrote or took back meanwhile changed what there is to take back.
        let result = self.state.writes_stand(&sought.writes).map_err(|refused| refused.reason).and(result);
        let Some(apply) = sought.writes.last().and_then(|id| self.state.applies().get(id)).cloned() else {
            self.emit(Event::TakeBackUnmade { lane });
            return Ok(());
        };
        let moved = result.as_ref().ok().filter(|back| !back.meets.is_empty());
        let now = moved.map(|back| back.draft.before.as_ref().map(crate::blob::Blob::id));
        let by = now.and_then(|now| self.state.rewritten_by(&sought.path, &sought.writes, now));
        let result = match by {
            Some(by) => Err(rewritten(&sought.path, by)),
            None => result,
        };
        match result {
            Ok(reversal) => self.offer_back(lane, &apply, &sought.path, reversal),
            Err(why) => {
                self.emit(Event::TakeBackUnmade { lane });
                self.notice(Level::Warn, why);
            }
        }
        Ok(())
    }

    fn offer_back(&mut self, lane: LaneId, apply: &Apply, path: &RelPath, reversal: Reversal) {
        let Reversal { draft, meets } = reversal;
        let call = match &apply.command {
            Some(command) => Some(command.call),
            None => self
                .state
                .file_of(apply.id, path)
                .and_then(|f| self.state.proposals().get(&f.proposal))
                .map(|p| p.call),
        };
        let back = Some(TakeBack { apply: apply.id, redo: false, meets: false, anew: true });
        let empty = Proposal {
            id: ProposalId(self.id()),
            lane,
            call: call.unwrap_or_default(),
            task: None,
            control: self.control_of(path),
            path: path.clone(),
            kind: ChangeKind::Modify,
            before: None,
            after: None,
            hunks: Vec::new(),
            notes: Vec::new(),
            decided: BTreeMap::new(),
            splits: 0,
            meets: Vec::new(),
            back,
            status: ProposalStatus::Open,
        };
        let gone = draft.before.is_none();
        let places: Vec<String> = meets.iter().map(|lines| lines.place()).collect();
        let proposal = Proposal { meets, ..self.redrafted(empty, draft) };
        let (added, removed) = super::change::lines_of(&proposal);
        let proposals = vec![proposal.id];
        self.emit(Event::Proposed { proposal, added, removed });
        let by = apply.command.as_ref().map(|c| format!(" by `{}`", c.line)).unwrap_or_default();
        let doubted = apply.command.as_ref().is_some_and(|c| c.doubt.names.contains(&path.to_string()));
        let doubt = if doubted { " It changed while the command ran, perhaps by someone else." } else { "" };
        let meets = match (places.is_empty(), gone) {
            (true, _) => String::new(),
            (false, true) => " It has been removed since.".to_owned(),
            (false, false) => {
                format!(" It has changed since ({}): - is what is there now.", places.join(", "))
            }
        };
        let text = format!(
            "This takes back what was written to {path}{by}: y reverts a hunk, n keeps it.{doubt}{meets}"
        );
        self.ask(Review { lane, proposals }, text);
    }

    /// What was picked of it is written: it stands in the ledger by itself.
    pub(super) fn told_picked(&mut self, apply: ApplyId) {
        let files = self.state.applies().get(&apply).map(|a| a.files.as_slice()).unwrap_or_default();
        let picked = |f: &&FileChange| {
            self.state.proposals().get(&f.proposal).is_some_and(|p| p.picks_from().is_some())
        };
        let names: Vec<&str> = files.iter().filter(picked).map(|f| f.path.as_str()).collect();
        let text = format!("Took back what you picked of {}; /undo gives it back.", names.join(", "));
        self.notice(Level::Info, text);
    }
}

/// Told where lines that would go back are another's of this session by now.
fn rewritten(path: &RelPath, (wanted, run): (String, bool)) -> String {
    let who = if run { "run" } else { "message" };
    let wanted = Clean::line(wanted.lines().next().unwrap_or_default()).into_string();
    format!(
        "Nothing was taken back: a later {who} in this session, \"{wanted}\", changed the same lines of {path}. Take that back first (/undo {path}), then this."
    )
}
