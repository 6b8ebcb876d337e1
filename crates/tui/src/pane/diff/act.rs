//! The keys of the diff: moving, deciding, applying.

use pilothouse_core::{
    blob::BlobId,
    digest::Place,
    ids::ProposalId,
    input::Input,
    proposal::{CONTROL_WORD, DELETE_WORD, Decision, Proposal, ProposalStatus},
    relpath::RelPath,
};

use super::{DiffAction, DiffPane, Rest, SIDE_BY_SIDE_FROM, Sheet, doc::File};
use crate::{
    ctx::Wanted,
    overlay::{
        prompt::{Prompt, Purpose, WordPrompt},
        reason::Reason,
    },
    pane::{Ctx, Focus, Outcome, plan},
    row::count,
};

/// Most lines of context.
const MOST_CONTEXT: usize = 60;

impl DiffPane {
    pub(super) fn carry_out(&mut self, action: DiffAction, ctx: &Ctx<'_>) -> Outcome {
        let (rests, finished) = (self.rests.take(), self.finished.take());
        if !self.asked_all.is_empty() {
            return self.confirm(action, ctx);
        }
        if let Some(outcome) = self.while_sought(action, ctx).or_else(|| self.act_on_lines(action, ctx)) {
            return outcome;
        }
        let page = i64::from(self.body.height.saturating_sub(1).max(1));
        match action {
            DiffAction::Take => return self.decide_next(ctx, Decision::Taken, rests, "y"),
            DiffAction::Leave => return self.decide_next(ctx, Decision::Left, rests, "n"),
            DiffAction::LeaveWhy => return self.leave_why(ctx, rests),
            DiffAction::Split => return self.split(ctx),
            DiffAction::Lines => return self.choose_lines(),
            DiffAction::Toggle => return self.toggle(ctx),
            DiffAction::NextHunk => self.step_hunk(1),
            DiffAction::PreviousHunk => self.step_hunk(-1),
            DiffAction::NextFile => self.go(self.current + 1, 0),
            DiffAction::PreviousFile => self.go(self.current.saturating_sub(1), 0),
            DiffAction::Apply => return self.apply_file(ctx, finished),
            DiffAction::ApplyAll => return self.open_sheet(ctx),
            DiffAction::Skip => return self.skip(ctx),
            DiffAction::Comment => return self.comment(ctx, None),
            DiffAction::UpToPlan => return Self::up_to_plan(ctx),
            DiffAction::Search => return self.ask_for_words(),
            DiffAction::DiffAll => {
                self.all = !self.all;
                self.reshape();
            }
            DiffAction::SideBySide if self.size.width < SIDE_BY_SIDE_FROM && !self.side_by_side => {
                return Outcome::notice(format!("side by side needs {} columns", SIDE_BY_SIDE_FROM + 2));
            }
            DiffAction::SideBySide => {
                self.side_by_side = !self.side_by_side;
                self.reshape();
            }
            DiffAction::MoreContext => self.show_around(|now| (now + 3).max(now * 3 / 2).min(MOST_CONTEXT)),
            DiffAction::LessContext => self.show_around(|now| now.saturating_sub(3).min(now * 2 / 3)),
            DiffAction::Down => self.scroll(ctx, 1),
            DiffAction::Up => self.scroll(ctx, -1),
            DiffAction::PageDown => self.scroll(ctx, page),
            DiffAction::PageUp => self.scroll(ctx, -page),
            DiffAction::Top => {
                self.top = (0, 0);
                self.follow_scroll();
            }
            DiffAction::Bottom => {
                self.top = self.last_page(ctx);
                self.follow_scroll();
            }
            DiffAction::Edit => return self.edit(ctx),
            DiffAction::Why => {
                let of = |file: &File| Reason::page_of_change(file.id, ctx);
                return self.file().map_or_else(Outcome::none, of);
            }
            DiffAction::Open => return self.open_file(),
        }
        Outcome::none()
    }

    /// Up to the plan of the run that proposed this: it waits for a yes again. Changes without one wait on, which is said.
    fn up_to_plan(ctx: &Ctx<'_>) -> Outcome {
        let up = Outcome::focus(Focus::Pane(plan::ID));
        if ctx.state.is_below_plan() {
            return Outcome { inputs: vec![Input::Up], ..up };
        }
        let kept = "everything is kept: the changes are waiting in the diff; Ctrl-C sets them aside";
        Outcome { notice: Some(kept.to_owned()), ..up }
    }

    /// Shows another number of lines around each change.
    fn show_around(&mut self, lines: impl Fn(usize) -> usize) {
        self.context = Some(lines(self.context()));
        self.reshape();
    }

    /// Does what the open sheet asks about, by its own keys; any other closes it.
    fn confirm(&mut self, action: DiffAction, ctx: &Ctx<'_>) -> Outcome {
        let (decided, all_decided) = (self.decided_alone(ctx), self.is_decided(ctx));
        let shown = std::mem::take(&mut self.asked_all);
        match (self.sheet, action) {
            (Sheet::Whole, DiffAction::Apply | DiffAction::ApplyAll) => Self::apply(ctx, shown, false),
            (Sheet::All, DiffAction::ApplyAll) => Self::apply(ctx, shown, true),
            (Sheet::All, DiffAction::Apply) if all_decided => Self::apply(ctx, shown, false),
            (Sheet::All, DiffAction::Apply) if !decided.is_empty() => Self::apply(ctx, decided, false),
            _ => Outcome::none(),
        }
    }

    /// Whether of each file of the open sheet all that it writes is decided already, so that either key writes the same.
    pub(super) fn is_decided(&self, ctx: &Ctx<'_>) -> bool {
        let is_whole = |p: &Proposal| !p.decided.is_empty() && p.chosen() == p.not_left();
        self.asked_all.iter().all(|(id, _)| Self::proposal(ctx, *id).is_some_and(is_whole))
    }

    /// The files of the open sheet that can be written as far as they are decided; none where that is all of them.
    pub(super) fn decided_alone(&self, ctx: &Ctx<'_>) -> Vec<(ProposalId, BlobId)> {
        let of = |(id, _): &&(ProposalId, BlobId)| Self::proposal(ctx, *id);
        if self.sheet == Sheet::Whole || self.is_decided(ctx) {
            return Vec::new();
        }
        let decided =
            |p: &Proposal| !p.decided.is_empty() && (!p.chosen().is_empty() || p.undecided().is_empty());
        let found: Vec<_> = self.asked_all.iter().filter(|f| of(f).is_some_and(decided)).copied().collect();
        let writes = found.iter().any(|f| of(&f).is_some_and(|p| !p.chosen().is_empty()));
        if writes { found } else { Vec::new() }
    }

    /// Wants the file in the editor, at the hunk.
    fn open_file(&self) -> Outcome {
        let Some(file) = self.file().filter(|f| f.before.is_some()) else {
            return Outcome::notice("there is no such file on disk yet; e edits the proposal");
        };
        let line = file.hunks.get(self.hunk).map_or(0, |h| h.old().start);
        let Ok(path) = RelPath::new(&file.path) else { return Outcome::none() };
        let place = Place { path, line: u32::try_from(line + 1).unwrap_or(1) };
        Outcome { place: Some(Wanted { place, editor: true }), ..Outcome::none() }
    }

    /// Makes the lines again and stays at the hunk.
    fn reshape(&mut self) {
        self.rebuild();
        self.show_hunk();
    }

    fn toggle(&mut self, ctx: &Ctx<'_>) -> Outcome {
        let next = match self.decision(ctx, self.current, self.hunk) {
            None => Some(Decision::Taken),
            Some(Decision::Taken) => Some(Decision::Left),
            Some(Decision::Left) => None,
        };
        self.decide(ctx, next, "Space")
    }

    /// Decides the hunk and goes on to the next. Where none is left the cursor rests, and a key that was
    /// meant for a next one does not turn the decision round before it is pressed again.
    fn decide_next(&mut self, ctx: &Ctx<'_>, decision: Decision, rests: Option<Rest>, key: &str) -> Outcome {
        let here = self.file().map(|f| (f.id, self.hunk));
        if let Some((id, hunk, was)) = rests.filter(|r| here == Some((r.0, r.1)) && r.2 != decision) {
            let (is, again) = match was {
                Decision::Taken => ("taken", "n again leaves it"),
                Decision::Left => ("left", "y again takes it"),
            };
            let next = if Self::in_review(ctx, id) { "; a applies" } else { "" };
            return Outcome::notice(format!("Hunk {} is {is}. {again}{next}", hunk + 1));
        }
        let outcome = self.decide(ctx, Some(decision), key);
        if !outcome.inputs.is_empty() {
            let next = self.next_undecided(ctx);
            if let Some((file, hunk)) = next {
                self.finished = here.map(|(id, _)| id).filter(|_| file != self.current);
                self.go(file, hunk);
            } else {
                self.rests = here.map(|(id, hunk)| (id, hunk, decision));
            }
        }
        outcome
    }

    pub(super) fn decision(&self, ctx: &Ctx<'_>, file: usize, hunk: usize) -> Option<Decision> {
        let file = self.files.get(file)?;
        Self::proposal(ctx, file.id)?.decided.get(&hunk).copied()
    }

    /// Decides the hunk, where each of its changed lines was on the screen; else what was not is shown first.
    fn decide(&mut self, ctx: &Ctx<'_>, decision: Option<Decision>, key: &str) -> Outcome {
        let Some(file) = self.file() else { return Outcome::none() };
        if Self::proposal(ctx, file.id).is_none_or(|p| p.status != ProposalStatus::Open) {
            return Outcome::notice("it is being written, so nothing can be decided now");
        }
        if self.spot().is_none() {
            return Outcome::notice("still loading; nothing is decided unseen");
        }
        let (proposal, shown) = (file.id, file.shown);
        if let Some(more) = decision.and_then(|decision| self.show_unseen(ctx, decision, key)) {
            return Outcome::notice(more);
        }
        Outcome::input(Input::Decide { proposal, hunk: self.hunk, decision, shown })
    }

    /// Splits the hunk: into its changes, or the only one into its lines.
    fn split(&self, ctx: &Ctx<'_>) -> Outcome {
        let Some(file) = self.file() else { return Outcome::none() };
        if Self::proposal(ctx, file.id).is_none_or(|p| p.status != ProposalStatus::Open) {
            return Outcome::notice("it is being written, so nothing can be split now");
        }
        if file.hunks.get(self.hunk).is_none_or(|h| h.parts().len() < 2) {
            return Outcome::notice("this hunk is one line; it cannot be split");
        }
        Outcome::input(Input::Split { proposal: file.id, hunk: self.hunk, shown: file.shown })
    }

    /// The next hunk without decision, behind this one or from the top of the file; else the first of the next file that
    /// has one and of which a key decides the same.
    fn next_undecided(&self, ctx: &Ctx<'_>) -> Option<(usize, usize)> {
        let files = self.files.len();
        let of = |n: usize| self.files.get(n).and_then(|f| Self::proposal(ctx, f.id));
        let undecided = |file: usize, hunk: &usize| self.decision(ctx, file, *hunk).is_none();
        let hunks = |file: usize| self.files.get(file).map_or(0, |f| f.hunks.len());
        let mut here = (self.hunk + 1..hunks(self.current)).chain(0..self.hunk);
        let here = here.find(|hunk| undecided(self.current, hunk)).map(|hunk| (self.current, hunk));
        let goes_back = |p: &Proposal| p.back.is_some();
        let same = |n: &usize| {
            of(*n).is_some_and(|p| {
                p.status == ProposalStatus::Open && of(self.current).map(goes_back) == Some(goes_back(p))
            })
        };
        let mut others = (self.current + 1..files).chain(0..self.current).filter(same);
        here.or_else(|| others.find_map(|n| Some((n, (0..hunks(n)).find(|hunk| undecided(n, hunk))?))))
    }

    fn step_hunk(&mut self, by: i64) {
        let hunks = self.file().map_or(0, |f| f.hunks.len());
        if by > 0 && self.hunk + 1 < hunks {
            self.go(self.current, self.hunk + 1);
        } else if by > 0 {
            self.go(self.current + 1, 0);
        } else if self.hunk > 0 {
            self.go(self.current, self.hunk - 1);
        } else if self.current > 0 {
            let last = self.files.get(self.current - 1).map_or(0, |f| f.hunks.len().saturating_sub(1));
            self.go(self.current - 1, last);
        }
    }

    /// To a hunk; beyond the last file nothing happens.
    pub(super) fn go(&mut self, file: usize, hunk: usize) {
        if file >= self.files.len() {
            return;
        }
        let other = file != self.current;
        (self.current, self.hunk, self.lines) = (file, hunk, None);
        if other && !self.all {
            self.top = (0, 0);
            self.rebuild();
        }
        self.show_hunk();
    }

    /// Writes what is taken of the file and nothing else; undecided hunks wait on. The whole of an undecided
    /// file is written only by its sheet, which says so.
    fn apply_file(&mut self, ctx: &Ctx<'_>, finished: Option<ProposalId>) -> Outcome {
        let done = finished.and_then(|id| self.files.iter().find(|f| f.id == id));
        let Some(file) = done.or_else(|| self.file()) else { return Outcome::none() };
        let (id, shown) = (file.id, file.shown);
        let intention = self.intention(ctx, file);
        if !Self::in_review(ctx, id) {
            return Outcome::notice(intention);
        }
        if done.is_none() && !file.hunks.is_empty() && self.spot().is_none() {
            return Outcome::notice("still loading; nothing is written unseen");
        }
        let Some(p) = Self::proposal(ctx, id) else { return Outcome::none() };
        match p.tally() {
            (0, 0, 1..) if p.chosen().is_empty() => Outcome::notice(intention),
            (0, 0, _) if p.word().is_none() => {
                (self.asked_all, self.sheet) = (vec![(id, shown)], Sheet::Whole);
                Outcome::none()
            }
            (0, 1.., 1..) => Outcome::notice(intention),
            _ => Self::apply(ctx, vec![(id, shown)], false),
        }
    }

    /// The sheet of all files: of each all that is not left. What others changed as well waits for a decision of its own.
    fn open_sheet(&mut self, ctx: &Ctx<'_>) -> Outcome {
        let ready = self.files.iter().filter(|f| Self::in_review(ctx, f.id));
        let control = |f: &&File| Self::proposal(ctx, f.id).is_some_and(|p| p.control.is_some());
        let (alone, all): (Vec<&File>, Vec<&File>) = ready.partition(control);
        let ready = |f: &&&File| Self::proposal(ctx, f.id).is_some_and(|p| !p.waits_whole());
        // What takes a write back is written by itself.
        let takes_back = |f: &File| Self::proposal(ctx, f.id).and_then(Proposal::undoes).map(|b| b.apply);
        let here = self.file().map(takes_back);
        let ready: Vec<&File> = all.iter().filter(ready).copied().collect();
        let kinds = || ready.iter().map(|f| takes_back(f));
        let of = kinds().find(|kind| Some(*kind) == here).or_else(|| kinds().next());
        let (together, apart): (Vec<&File>, Vec<&File>) =
            ready.into_iter().partition(|f| Some(takes_back(f)) == of);
        let apart = !apart.is_empty();
        self.asked_all = together.iter().map(|f| (f.id, f.shown)).collect();
        self.sheet = Sheet::All;
        match (alone.first(), self.asked_all.is_empty()) {
            (None, false) if apart => Outcome::notice(
                "undone changes are written separately; A at one of the other files shows those",
            ),
            (None, true) if !all.is_empty() => Outcome::notice("decide the hunks that are left first"),
            (None, true) => Outcome::notice("nothing is up for review yet"),
            (None, false) => Outcome::none(),
            (Some(file), _) => Outcome::notice(format!(
                "{} is a control file: a applies it alone, after a typed word",
                file.path
            )),
        }
    }

    /// The input that writes what was shown, with the rest also what is undecided of it, or the question for the word that a
    /// removal wants.
    fn apply(ctx: &Ctx<'_>, proposals: Vec<(ProposalId, BlobId)>, rest: bool) -> Outcome {
        let all = proposals.iter().filter_map(|(id, _)| ctx.state.proposals().get(id));
        let written: Vec<&Proposal> = all.filter(|p| p.writes(rest)).collect();
        if let Some((p, why)) = written.iter().find_map(|p| Some((p, p.control.as_ref()?))) {
            let question = format!("{} is a control file: it {why}. Type {CONTROL_WORD} to write it", p.path);
            return word(&question, CONTROL_WORD, None, (proposals, rest));
        }
        let removed: Vec<&str> = written.iter().filter_map(|p| p.word()).collect();
        let or = Some(DELETE_WORD);
        match removed[..] {
            [] => Outcome::input(Input::Apply { proposals, word: None, rest }),
            [name] => {
                let question = format!("Remove the file {name}? Type its name or {DELETE_WORD}");
                word(&question, name, or, (proposals, rest))
            }
            _ => {
                let question = format!("Remove {}? Type {DELETE_WORD}", count(removed.len(), "file"));
                word(&question, DELETE_WORD, None, (proposals, rest))
            }
        }
    }

    fn skip(&self, ctx: &Ctx<'_>) -> Outcome {
        let Some(file) = self.file() else { return Outcome::none() };
        if Self::proposal(ctx, file.id).is_none_or(|p| p.status != ProposalStatus::Open) {
            return Outcome::notice("it is being written and cannot be skipped now");
        }
        Outcome::input(Input::Skip { proposals: vec![file.id], reason: String::new() })
    }

    /// Leaves the hunk, goes to the next one and asks why; an empty line gives no reason.
    fn leave_why(&mut self, ctx: &Ctx<'_>, rests: Option<Rest>) -> Outcome {
        let left = self.file().map(|file| format!("You left hunk {} of {}. Why?", self.hunk + 1, file.path));
        let asks = self.comment(ctx, left);
        let mut outcome = self.decide_next(ctx, Decision::Left, rests, "N");
        if !outcome.inputs.is_empty() {
            outcome.open = asks.open;
        }
        outcome
    }

    /// Asks what the agent is to hear about this hunk, in words that name it where the cursor moves on.
    fn comment(&self, ctx: &Ctx<'_>, named: Option<String>) -> Outcome {
        let Some(file) = self.file() else { return Outcome::none() };
        if Self::proposal(ctx, file.id).is_none_or(|p| p.status != ProposalStatus::Open) {
            return Outcome::notice("it is being written; comments can't reach the agent now");
        }
        let offline =
            if ctx.surroundings.offline { " No model answers; it is kept with the change." } else { "" };
        let plain = || format!("What should the agent know about hunk {}?", self.hunk + 1);
        let question = format!("{}{offline}", named.unwrap_or_else(plain));
        let question = pilothouse_core::clean::Clean::line(&question).into_string();
        let about = Purpose::Comment { proposal: file.id, hunk: self.hunk, shown: file.shown };
        let said = ctx.state.transcript.comment(file.id, self.hunk).unwrap_or_default();
        Outcome::open(Prompt::new(about, question, None).holding(said))
    }
}

fn word(
    question: &str,
    word: &str,
    or: Option<&'static str>,
    (proposals, rest): (Vec<(ProposalId, BlobId)>, bool),
) -> Outcome {
    let question = pilothouse_core::clean::Clean::line(question).into_string();
    let wanted = WordPrompt { word: word.to_owned(), or, proposals, rest };
    Outcome::open(Prompt::new(Purpose::Word(wanted), question, Some(word.to_owned())))
}
