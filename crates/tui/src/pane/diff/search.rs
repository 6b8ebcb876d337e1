//! Searching the review: paths, and the lines of every hunk.
//!
//! Owns what is looked for and where it stands. It lasts until Esc, matches or not; so long the keys that leave
//! a hunk go from match to match, so that none of them decides anything.

use pilothouse_core::ids::ProposalId;

use super::{
    DiffAction, DiffPane, ID,
    doc::{Doc, Line, Sides},
};
use crate::{
    overlay::prompt::{Looking, Prompt},
    pane::{Ctx, Outcome},
    row::{count, find},
};

/// A place where it stands: the name of a file, or a line of a hunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Hit {
    id: ProposalId,
    file: usize,
    hunk: usize,
    line: Option<Line>,
}

/// What is looked for.
#[derive(Debug)]
pub(super) struct Sought {
    pub(super) words: String,
    /// Where it stands, file by file, of each its name first.
    hits: Vec<Hit>,
    /// The one that was gone to, while it stands.
    at: Option<usize>,
}

impl Sought {
    /// The keys that act on it.
    pub(super) const KEYS: [(&'static str, &'static str); 3] =
        [("n N", "match"), ("/", "search"), ("Esc", "ends the search")];

    /// Which match was gone to, and of how many.
    pub(super) fn place(&self) -> String {
        match (self.at, self.hits.len()) {
            (Some(at), all) => format!("match {} of {all}", at + 1),
            (None, 0) => "no match".to_owned(),
            (None, 1) => "1 match".to_owned(),
            (None, all) => format!("{all} matches"),
        }
    }

    /// The match that comes next from here, or the one before.
    fn step(&self, forward: bool, here: (usize, usize)) -> Option<usize> {
        let last = self.hits.len().checked_sub(1)?;
        let place = |hit: &Hit| (hit.file, hit.hunk);
        let to = match (self.at, forward) {
            (Some(at), true) => at + 1,
            (Some(at), false) => at + last,
            (None, true) => self.hits.iter().position(|h| place(h) >= here).unwrap_or_default(),
            (None, false) => self.hits.iter().rposition(|h| place(h) < here).unwrap_or(last),
        };
        Some(to % (last + 1))
    }
}

impl DiffPane {
    /// Asks what to look for; the texts come meanwhile.
    pub(super) fn ask_for_words(&mut self) -> Outcome {
        self.reads_all = true;
        Outcome::open(Prompt::sought(ID, Looking::Search, "Search paths and changes"))
    }

    /// Whether this key goes on with what is looked for, matches or not: not while a sheet is open or lines are chosen.
    pub(super) fn goes_on(&self, action: DiffAction) -> bool {
        let goes_on = matches!(action, DiffAction::Leave | DiffAction::LeaveWhy);
        goes_on && self.sought.is_some() && self.asked_all.is_empty() && self.lines.is_none()
    }

    /// What a key means while something is looked for.
    pub(super) fn while_sought(&mut self, action: DiffAction, ctx: &Ctx<'_>) -> Option<Outcome> {
        if !self.goes_on(action) {
            return None;
        }
        let here = (self.current, self.hunk);
        let sought = self.sought.as_mut()?;
        sought.at = sought.step(action == DiffAction::Leave, here);
        Some(self.show_match(ctx))
    }

    /// Looks for these words: to a file of that name, the next one first; else to the next line that has them.
    pub(super) fn look_for(&mut self, words: &str, ctx: &Ctx<'_>) -> Outcome {
        if words.is_empty() {
            self.end_search();
            return Outcome::none();
        }
        let hits = self.hits(words);
        let here = (self.current, self.hunk);
        let ahead = |h: &Hit| if h.line.is_some() { (h.file, h.hunk) >= here } else { h.file > here.0 };
        let names = |h: &Hit| h.line.is_none();
        let first = hits.iter().position(|h| names(h) && ahead(h)).or_else(|| hits.iter().position(names));
        let at = first.or_else(|| hits.iter().position(ahead)).or((!hits.is_empty()).then_some(0));
        self.sought = Some(Sought { words: words.to_owned(), hits, at });
        self.show_match(ctx)
    }

    /// Goes to the match, or says that there is none.
    fn show_match(&mut self, ctx: &Ctx<'_>) -> Outcome {
        let Some(sought) = &self.sought else { return Outcome::none() };
        if sought.at.is_some() {
            self.show_hit(ctx);
            return Outcome::none();
        }
        let lacking = self.files.iter().filter(|f| !self.texts.lacking(f).is_empty()).count();
        let unread = match lacking {
            0 => String::new(),
            n => format!("; {} not read yet", count(n, "file")),
        };
        let all = count(self.files.len(), "file");
        Outcome::notice(format!("no match for \"{}\" in {all}{unread}", sought.words))
    }

    /// Ends the search; false where there is none.
    pub(super) fn end_search(&mut self) -> bool {
        self.reads_all = false;
        self.sought.take().is_some()
    }

    /// Looks again where the files are others, or texts came; the match that was gone to stays that, while it stands.
    pub(super) fn seek_again(&mut self) {
        let Some(sought) = self.sought.take() else { return };
        let hits = self.hits(&sought.words);
        let was = sought.at.and_then(|at| sought.hits.get(at));
        let at = hits.iter().position(|hit| Some(hit) == was);
        self.sought = Some(Sought { hits, at, ..sought });
    }

    /// Where it stands in all files of the review.
    fn hits(&self, words: &str) -> Vec<Hit> {
        let mut hits = Vec::new();
        for (n, file) in self.files.iter().enumerate() {
            hits.extend(find(&file.path, words).map(|_| Hit { id: file.id, file: n, hunk: 0, line: None }));
            let sides = self.texts.sides(file, &self.nothing);
            let Sides::Here(before, after) = sides else { continue };
            let old = |line: usize| find(&before.clean(line, true), words).is_some();
            let new = |line: usize| find(&after.clean(line, true), words).is_some();
            let mut doc = Doc::default();
            doc.add(n, file, &sides, self.shape());
            let mut hunk = 0;
            for line in doc.lines {
                let has = match line {
                    Line::Hunk(_, n) => {
                        hunk = n;
                        false
                    }
                    Line::Old(_, _, n) => old(n),
                    Line::New(_, _, n) | Line::Same(_, _, n) => new(n),
                    Line::Both(_, _, a, b) => a.is_some_and(old) || b.is_some_and(new),
                    Line::Blank | Line::File(_) | Line::Wait | Line::Lost => false,
                };
                hits.extend(has.then_some(Hit { id: file.id, file: n, hunk, line: Some(line) }));
            }
        }
        hits
    }

    /// To the match, a third of the screen below its top where it is not seen already.
    fn show_hit(&mut self, ctx: &Ctx<'_>) {
        let Some(hit) = self.sought.as_ref().and_then(|s| s.hits.get(s.at?)).copied() else { return };
        self.go(hit.file, hit.hunk);
        let place = hit.line.and_then(|line| self.doc.lines.iter().position(|l| *l == line));
        let Some(line) = place else { return };
        let height = usize::from(self.body.height);
        let mut rows = 0;
        let last = (self.top.0..self.doc.lines.len()).find(|n| {
            rows += self.height(ctx, *n);
            rows > height
        });
        if line < self.top.0 || last.is_some_and(|last| line >= last) {
            self.brings = false;
            self.top = (line.saturating_sub(height / 3), 0);
        }
    }
}
