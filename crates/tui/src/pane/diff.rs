//! The diff: proposals, decided hunk by hunk.
//!
//! Owns the cursor, the scroll, the texts that were asked for and what is drawn of them. Never
//! writes and never decides: decisions leave as inputs bound to the hash of what was shown.

mod act;
mod around;
mod chosen;
mod doc;
mod edit;
mod heading;
mod lines;
mod list;
mod pane;
mod read;
mod search;
mod sheet;
mod side;
mod tabs;
mod view;
mod words;
mod written;

use std::{
    cell::RefCell,
    collections::{BTreeSet, HashMap},
    sync::Arc,
};

use pilothouse_core::{
    blob::BlobId,
    diff::CONTEXT_LINES,
    ids::ProposalId,
    intent::Slash,
    port::Ask,
    proposal::{Decision, ProposalStatus::Applied},
    session::State,
};
use ratatui::layout::{Rect, Size};

use self::{
    chosen::Chosen,
    doc::{Content, Doc, File, Shape, Spot, Texts},
    edit::Editing,
    read::{Part, Read},
    search::Sought,
    view::Changed,
    words::Words,
};
pub(crate) use self::{lines::counts, written::WrittenDiff};
use super::{Ctx, Outcome, PaneId, PaneKind, inside};
use crate::{
    highlight::Highlighter,
    keymap::action::{Weight, weighed},
    row::Row,
    standing::Standing,
};

/// The diff's name.
pub const ID: PaneId = PaneId("diff");

/// The diff.
pub const KIND: PaneKind = PaneKind {
    id: ID,
    command: Some(Slash::Diff),
    actions: DiffAction::ENTRIES,
    make: |colours| Box::new(DiffPane::with_highlighter(colours.clone())),
};

/// With fewer rows than this a change is drawn with [`TIGHT_CONTEXT`] lines around it.
const TIGHT: u16 = 10;
/// Lines around a change where there is little room.
const TIGHT_CONTEXT: usize = 1;

/// From here on the files stand at the left.
const LIST_FROM: u16 = 100;
/// Columns of the list of files.
const LIST_COLUMNS: u16 = 32;
/// From here on two columns can stand side by side: inside the border of a screen of 120.
const SIDE_BY_SIDE_FROM: u16 = 118;

weighed! {
    /// What can be done in the diff; while nothing is proposed every one is a no-op.
    DiffAction in "diff" {
        /// Take the hunk.
        Take "take", "take the hunk, next", "this hunk": Tries;
        /// Leave the hunk.
        Leave "leave", "leave the hunk, next", "this hunk": Tries;
        /// Leave the hunk, and say why.
        LeaveWhy "leave-why", "leave the hunk, say why", "this hunk; the agent is told your reason": Settles;
        /// Taken, left, undecided.
        Toggle "toggle", "take, leave, undecided", "this hunk": Tries;
        /// Lines of the hunk.
        Lines "lines", "choose lines of the hunk", "this hunk; decides nothing yet": Looks;
        /// The hunk in parts.
        Split "split", "split the hunk", "this hunk: its changes, then their lines, one by one": Settles;
        /// The next hunk.
        NextHunk "next-hunk", "next hunk", "this screen": Looks;
        /// The previous hunk.
        PreviousHunk "previous-hunk", "previous hunk", "this screen": Looks;
        /// The next file.
        NextFile "next-file", "next file", "this screen": Looks;
        /// The previous file.
        PreviousFile "previous-file", "previous file", "this screen": Looks;
        /// Write this file.
        Apply "apply", "apply this file", "this file: what is taken; undecided hunks keep waiting": Settles;
        /// Write every file.
        ApplyAll "apply-all", "apply every file", "all files, all or nothing": Settles;
        /// Nothing of this file.
        Skip "skip", "skip the file", "this file; nothing is written": Settles;
        /// A word to the agent about the hunk.
        Comment "comment", "comment on the hunk", "tells the agent; decides nothing": Opens;
        /// Up to the plan.
        UpToPlan "up-to-plan", "up, back to the plan", "the run stops at its plan; nothing is written, everything is kept": Settles;
        /// Looks for something.
        Search "search", "search paths and text", "this screen; n and N repeat it, Esc ends it": Looks;
        /// All files.
        DiffAll "diff-all", "all files", "this screen": Looks;
        /// Unified or side by side.
        SideBySide "side-by-side", "unified or side by side", "this screen": Looks;
        /// More context.
        MoreContext "more-context", "more context", "this screen": Looks;
        /// Less context.
        LessContext "less-context", "less context", "this screen": Looks;
        /// One row down.
        Down "down", "scroll down", "this screen": Looks;
        /// One row up.
        Up "up", "scroll up", "this screen": Looks;
        /// A page down.
        PageDown "page-down", "page down", "this screen": Looks;
        /// A page up.
        PageUp "page-up", "page up", "this screen": Looks;
        /// To the top.
        Top "top", "to the top", "this screen": Looks;
        /// To the end.
        Bottom "bottom", "to the end", "this screen": Looks;
        /// Edit the proposal.
        Edit "edit", "edit the proposal", "this proposal": Opens;
        /// Why it is as it is.
        Why "why", "why it is asked", "shows more; decides nothing": Opens;
        /// The file as it is on disk, in the editor.
        Open "open", "open the file in $EDITOR", "the file on disk": Opens;
    }
}

impl DiffAction {
    /// Whether it only shows, so that it can be done where the session can only be read.
    fn reads(self) -> bool {
        let shows = self.weight() == Weight::Looks && self != Self::Lines;
        shows || matches!(self, Self::Why | Self::Open)
    }
}

/// What is asked once more before it is done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Sheet {
    /// Write of every file what is not left, or of every file what is decided.
    #[default]
    All,
    /// Write the whole of a file of which nothing was decided.
    Whole,
}

/// A hunk that was decided as the last of its file, and how.
type Rest = (ProposalId, usize, Decision);

/// The rows of a line.
type Laid = Arc<Vec<Row>>;

/// The pane.
#[derive(Debug, Default)]
pub struct DiffPane {
    colours: Highlighter,
    files: Vec<File>,
    texts: Texts,
    nothing: Content,
    doc: Doc,
    words: RefCell<HashMap<(usize, usize), Arc<Words>>>,
    /// Rows of long lines, by line and width.
    long: RefCell<HashMap<(doc::Line, usize), Laid>>,
    /// How often lines were laid out.
    #[cfg(test)]
    drawn: std::cell::Cell<usize>,
    /// How often a long line was laid out.
    #[cfg(test)]
    laid: std::cell::Cell<usize>,
    /// Whether the files must be read from the state again.
    stale: bool,
    /// Whether something was not written since, because its file is another: what is to be decided anew is gone to.
    refused: bool,
    /// What goes back, where that was wanted since: the user asked for it, and is shown it.
    wanted: Option<ProposalId>,
    current: usize,
    hunk: usize,
    /// Where the cursor rests since the key before, because nothing of the file was left to decide.
    rests: Option<Rest>,
    /// The file of which the key before decided the last hunk and left it for the next one: `a` writes that one yet.
    finished: Option<ProposalId>,
    /// Whether the user moved or decided here since something is proposed, or was brought to what they asked for: until then
    /// the review begins where it is opened.
    touched: bool,
    /// Lines of the hunk that are chosen.
    lines: Option<Chosen>,
    /// What is looked for, until Esc.
    sought: Option<Sought>,
    /// Whether the texts of every file are wanted, since something is looked for in them.
    reads_all: bool,
    /// Whether texts came in which it was not looked for yet: once for all that come together.
    seeks: bool,
    /// The rows on the screen that are of such.
    lit: BTreeSet<usize>,
    /// The first visible line and how many of its rows are above.
    top: (usize, usize),
    /// Whether the hunk was gone to, so that it is brought onto the screen; else the screen was scrolled, and the hunk is one
    /// that is seen.
    brings: bool,
    all: bool,
    side_by_side: bool,
    /// Lines around a change, where the user asked for so many.
    context: Option<usize>,
    /// Whether there is little room, so that what surrounds a change would hide it.
    tight: bool,
    /// Whether the keys are elsewhere besides.
    previews: bool,
    size: Size,
    body: Size,
    header: Vec<Row>,
    rows: Vec<Row>,
    /// The lines that these rows are of.
    parts: Vec<Part>,
    /// How many lines of the hunk are below them.
    below: usize,
    /// The changed lines that were on the screen: no hunk is decided with one that was not.
    seen: Read<Changed>,
    /// What the open sheet is about: the proposals with the hashes shown; empty when it is closed.
    asked_all: Vec<(ProposalId, BlobId)>,
    /// What that sheet asks.
    sheet: Sheet,
    failed: Vec<(ProposalId, String)>,
    asks: Vec<Ask>,
    asked: BTreeSet<BlobId>,
    /// The proposals on the screen, and since when.
    proposed: Standing<Vec<(ProposalId, BlobId)>>,
    /// The proposal that is in the editor.
    editing: Option<Editing>,
    /// Whether it is on disk already, so that nothing is decided.
    written: bool,
}

impl DiffPane {
    /// Nothing proposed; code in colours.
    pub fn with_highlighter(colours: Highlighter) -> Self {
        Self { colours, stale: true, brings: true, ..Self::default() }
    }

    /// Carries an action out, and asks for the texts that are now wanted.
    fn take(&mut self, action: DiffAction, ctx: &Ctx<'_>) -> Outcome {
        if self.stale {
            self.read(ctx.state);
        }
        if self.files.is_empty() {
            return Outcome::none();
        }
        self.touched = true;
        let was = self.file().map(|f| f.id);
        let mut outcome = self.carry_out(action, ctx);
        outcome.look = self.file().map(|f| f.id) != was;
        self.ask();
        self.settle(ctx);
        outcome
    }

    fn file(&self) -> Option<&File> {
        self.files.get(self.current)
    }

    /// The file that `a` writes.
    fn applied(&self) -> Option<&File> {
        self.files.iter().find(|f| Some(f.id) == self.finished).or_else(|| self.file())
    }

    fn spot(&self) -> Option<Spot> {
        self.doc.spots.iter().find(|s| (s.file, s.hunk) == (self.current, self.hunk)).copied()
    }

    fn has_list(&self, width: u16) -> bool {
        width >= LIST_FROM && !self.side_by_side
    }

    fn body_area(&self, area: Rect) -> Rect {
        let inner = inside(area);
        if !self.has_list(area.width) {
            return inner;
        }
        Rect { x: inner.x + LIST_COLUMNS, width: inner.width - LIST_COLUMNS, ..inner }
    }

    fn footer_rows(&self) -> u16 {
        u16::from(self.size.height >= 7)
    }

    /// Reads the files from the state and stays at the same hunk where it still is.
    fn read(&mut self, state: &State) {
        let was = self.file().filter(|_| self.touched).map(|f| (f.id, f.path.clone()));
        self.stale = false;
        let refused = std::mem::take(&mut self.refused);
        self.files = doc::files(state);
        self.texts.keep(&self.files);
        self.touched &= !self.files.is_empty();
        self.seen.keep(|(id, ..)| self.files.iter().any(|f| f.id == *id));
        self.asked_all.clear();
        self.lines = None;
        let found = was.as_ref().and_then(|(id, path)| {
            let at = |same: &dyn Fn(&File) -> bool| self.files.iter().position(same);
            // What waits on of a file that was written stays where it was; the review goes on with the next.
            let written = state.proposals().get(id).is_some_and(|p| matches!(p.status, Applied(_)));
            let again = at(&|f| f.id == *id).or_else(|| at(&|f| f.path == *path).filter(|_| !written));
            again.or_else(|| at(&|f| f.path > *path))
        });
        self.current = found.unwrap_or_default();
        if self.file().map(|f| f.id) != was.map(|(id, _)| id) {
            // The review of a proposal begins where something of it is undecided, else of the next.
            (self.hunk, self.top) = (0, (0, 0));
            (self.current, self.hunk) = self.undecided(state).unwrap_or((self.current, 0));
        } else if let Some(next) = self.undecided(state).filter(|_| refused) {
            ((self.current, self.hunk), self.top) = (next, (0, 0));
        }
        let wanted = self.wanted.take();
        if let Some(file) = self.files.iter().position(|f| Some(f.id) == wanted) {
            (self.current, self.hunk, self.top) = (file, 0, (0, 0));
            self.touched = true;
        }
        let hunks = self.file().map_or(0, |f| f.hunks.len());
        self.hunk = self.hunk.min(hunks.saturating_sub(1));
        // Its texts may not be here yet.
        self.brings = true;
        self.rebuild();
        self.seek_again();
    }

    /// The first hunk without a decision, of this file or one behind it, else of one before.
    fn undecided(&self, state: &State) -> Option<(usize, usize)> {
        let of = |(n, f): (usize, &File)| {
            let p = state.proposals().get(&f.id)?;
            Some((n, (0..f.hunks.len()).find(|h| !p.decided.contains_key(h))?))
        };
        let mut ahead = self.files.iter().enumerate().skip(self.current);
        ahead.find_map(of).or_else(|| self.files.iter().enumerate().find_map(of))
    }

    /// Lines around a change: as many as the user asked for; else little room belongs to the change.
    fn context(&self) -> usize {
        self.context.unwrap_or(if self.tight { TIGHT_CONTEXT } else { CONTEXT_LINES })
    }

    fn shape(&self) -> Shape {
        Shape { context: self.context(), side_by_side: self.side_by_side }
    }

    fn rebuild(&mut self) {
        self.words.borrow_mut().clear();
        self.long.borrow_mut().clear();
        let shape = self.shape();
        let mut doc = Doc::default();
        for (n, file) in self.files.iter().enumerate().filter(|(n, _)| self.all || *n == self.current) {
            if self.all {
                if !doc.lines.is_empty() {
                    doc.lines.push(doc::Line::Blank);
                }
                doc.lines.push(doc::Line::File(n));
            }
            doc.add(n, file, &self.texts.sides(file, &self.nothing), shape);
        }
        self.doc = doc;
    }

    fn ask(&mut self) {
        let all = self.all || self.reads_all;
        let wanted = self.files.iter().enumerate().filter(|(n, _)| all || *n == self.current);
        let lacking: Vec<BlobId> = wanted.flat_map(|(_, f)| self.texts.lacking(f)).collect();
        for id in lacking {
            if self.asked.insert(id) {
                self.asks.push(Ask::Blob(id));
            }
        }
    }
}

#[cfg(test)]
mod tests;
