//! Searching the review: paths, and the lines of every hunk.
//!
//! Owns what is looked for and where it stands. While it lasts the keys that leave a hunk go from match to match, so that
//! none of them decides anything.

use super::{
    DiffAction, DiffPane, ID,
    doc::{Doc, Line, Sides},
};
use crate::{
    overlay::prompt::{Prompt, SEARCH},
    pane::{Ctx, Outcome},
    row::{count, find},
};

/// A place where it stands: the name of a file, or a line of a hunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Hit {
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
    /// The one that was gone to.
    at: usize,
}

impl Sought {
    /// The keys that act on it.
    pub(super) const KEYS: [(&'static str, &'static str); 3] =
        [("n N", "match"), ("/", "search"), ("Esc", "ends the search")];

    /// Which match the cursor is at, and of how many.
    pub(super) fn place(&self) -> String {
        format!("match {} of {}", self.at + 1, self.hits.len())
    }
}

impl DiffPane {
    /// Asks what to look for; the texts come meanwhile.
    pub(super) fn ask_for_words(&mut self) -> Outcome {
        self.reads_all = true;
        Outcome::open(Prompt::of_pane(ID, SEARCH, "Search paths and changes", ""))
    }

    /// What a key means while something is looked for.
    pub(super) fn while_sought(&mut self, action: DiffAction, ctx: &Ctx<'_>) -> Option<Outcome> {
        let sought = self.sought.as_mut().filter(|_| self.asked_all.is_empty() && self.lines.is_none())?;
        let all = sought.hits.len();
        let by = [(DiffAction::Leave, 1), (DiffAction::LeaveWhy, all.saturating_sub(1))];
        let (_, by) = by.into_iter().find(|(key, _)| *key == action)?;
        sought.at = (sought.at + by) % all.max(1);
        self.show_hit(ctx);
        Some(Outcome::none())
    }

    /// Looks for these words: to a file of that name, the next one first; else to the next line that has them.
    pub(super) fn look_for(&mut self, words: &str, ctx: &Ctx<'_>) -> Outcome {
        self.sought = None;
        if words.is_empty() {
            self.end_search();
            return Outcome::none();
        }
        let hits = self.hits(words);
        let here = (self.current, self.hunk);
        let ahead = |h: &Hit| if h.line.is_some() { (h.file, h.hunk) >= here } else { h.file > here.0 };
        let names = |h: &Hit| h.line.is_none();
        let first = hits.iter().position(|h| names(h) && ahead(h)).or_else(|| hits.iter().position(names));
        let Some(at) = first.or_else(|| hits.iter().position(ahead)).or((!hits.is_empty()).then_some(0))
        else {
            let lacking = self.files.iter().filter(|f| !self.texts.lacking(f).is_empty()).count();
            let unread = match lacking {
                0 => String::new(),
                n => format!("; {} not read yet", count(n, "file")),
            };
            self.end_search();
            let all = count(self.files.len(), "file");
            return Outcome::notice(format!("no match for \"{words}\" in {all}{unread}"));
        };
        self.sought = Some(Sought { words: words.to_owned(), hits, at });
        self.show_hit(ctx);
        Outcome::none()
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
        let was = sought.hits.get(sought.at);
        let at = hits.iter().position(|hit| Some(hit) == was);
        let at = at.or_else(|| hits.iter().position(|h| (h.file, h.hunk) >= (self.current, self.hunk)));
        self.sought = (!hits.is_empty()).then(|| Sought { at: at.unwrap_or_default(), hits, ..sought });
    }

    /// Where it stands in all files of the review.
    fn hits(&self, words: &str) -> Vec<Hit> {
        let mut hits = Vec::new();
        for (n, file) in self.files.iter().enumerate() {
            hits.extend(find(&file.path, words).map(|_| Hit { file: n, hunk: 0, line: None }));
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
                hits.extend(has.then_some(Hit { file: n, hunk, line: Some(line) }));
            }
        }
        hits
    }

    /// To the match, a third of the screen below its top where it is not seen already.
    fn show_hit(&mut self, ctx: &Ctx<'_>) {
        let Some(hit) = self.sought.as_ref().and_then(|s| s.hits.get(s.at)).copied() else { return };
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
