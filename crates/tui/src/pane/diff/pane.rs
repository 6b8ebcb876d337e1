//! The diff as the frame sees it: what every pane is asked.
//!
//! Owns the answers. What the keys do to the diff is `act`'s affair.

use std::{io, time::Instant};

use pilothouse_core::{
    blob::BlobId,
    checkpoint::Checkpoint,
    clean::Clean,
    digest::Place,
    event::{Event, Stamped},
    ids::ProposalId,
    intent::Phase,
    port::{Ask, Reply},
    proposal::ProposalStatus,
    redact::Redactor,
    session::State,
};
use ratatui::{
    buffer::Buffer,
    layout::{Rect, Size},
    text::Line,
};

use super::{DiffAction, DiffPane, LIST_COLUMNS, SIDE_BY_SIDE_FROM, Sought, TIGHT, doc};
use crate::{
    ctx::TOO_EARLY,
    frame,
    keymap::Action,
    layout::WIDE,
    pane::{
        Ctx, DecidingKeys, Errand, Focus, Outcome, Pane, Stand, Title, conversation, empty_state, hint_line,
        inside, plan::finished,
    },
    row::{Ink, Row, count, fit_path, underline, width},
    standing::Standing,
    theme::Slot,
};

impl Pane for DiffPane {
    #[expect(clippy::wildcard_enum_match_arm, reason = "only what changes proposals matters here")]
    fn fold(&mut self, state: &State, event: &Stamped) {
        match &event.event {
            // What was only said of a hunk decides nothing.
            Event::HunkDecided { proposal, comment: None, .. } => {
                self.failed.retain(|(id, _)| id != proposal);
            }
            Event::Proposed { proposal, .. } => {
                self.stale = true;
                if proposal.back.is_some() {
                    self.wanted = Some(proposal.id);
                }
            }
            Event::HunkSplit { .. }
            | Event::ProposalEdited { .. }
            | Event::ProposalStands { .. }
            | Event::ProposalClosed { .. }
            | Event::ProposalSetAside { .. }
            | Event::ProposalTakenUp { .. }
            | Event::ApplyApproved { .. }
            | Event::Applied { .. }
            | Event::LaneClosed { .. }
            | Event::SessionReopened { .. } => self.stale = true,
            Event::ApplyFailed { apply, message, stale } => {
                self.stale = true;
                self.refused |= *stale;
                let then = if *stale { " Your decisions stand wherever nothing else changed." } else { "" };
                let of = state.applies().get(apply).map(|a| a.take.iter().map(|t| t.0).collect::<Vec<_>>());
                for id in of.unwrap_or_default() {
                    self.failed.retain(|(f, _)| *f != id);
                    self.failed.push((id, format!("Not written: {message}.{then}")));
                }
            }
            _ => {}
        }
        // A review that is over is nowhere to stay; the next one begins at its beginning.
        self.touched &= !self.stale || state.proposals().values().any(doc::waits);
    }

    fn layout(&mut self, ctx: &Ctx<'_>, size: Size) {
        self.size = size;
        if self.stale {
            self.read(ctx.state);
        }
        self.ask();
        let width = self.body_area(Rect::from((ratatui::layout::Position::ORIGIN, size))).width;
        if width < SIDE_BY_SIDE_FROM - LIST_COLUMNS && self.side_by_side {
            self.side_by_side = false;
            self.rebuild();
        }
        self.header = if self.asked_all.is_empty() {
            self.header(ctx, usize::from(width))
        } else {
            let room = size.height.saturating_sub(self.footer_rows());
            self.sheet_above(ctx, usize::from(width), usize::from(room))
        };
        let taken = u16::try_from(self.header.len()).unwrap_or(0) + self.footer_rows();
        self.body = Size { width, height: size.height.saturating_sub(taken) };
        // What a sheet leaves does not count: the lines stand as they did when it closes.
        let tight = if self.asked_all.is_empty() { self.body.height < TIGHT } else { self.tight };
        // Beside something else, in little room, a change begins at what changed.
        let previews = tight && ctx.focus != Focus::Pane(super::ID) && self.asked_all.is_empty();
        let was = (self.tight, self.previews);
        (self.tight, self.previews) = (tight, previews);
        if was != (tight, previews) {
            self.rebuild();
        }
        self.settle(ctx);
    }

    fn render(&self, ctx: &Ctx<'_>, area: Rect, buf: &mut Buffer, focused: bool) {
        let area = area.intersection(buf.area);
        if self.files.is_empty() {
            let words = [
                "Nothing proposed.",
                "Changes are shown here hunk by hunk;",
                "nothing is written before you take it.",
            ];
            let aside = ctx.state.set_aside().count();
            if aside > 0 {
                let first = format!("{} set aside.", count(aside, "proposal"));
                let words = [first.as_str(), "/proposals lists them; /proposals all brings them back."];
                return empty_state(ctx, area, buf, &words);
            }
            if ctx.state.phase == Phase::Executing {
                let words = ["Nothing to decide yet.", "What the run proposes next is shown here."];
                return empty_state(ctx, area, buf, &words);
            }
            return empty_state(ctx, area, buf, &words);
        }
        let body = self.body_area(area);
        if self.has_list(area.width) {
            let list = Rect { width: LIST_COLUMNS - 3, ..inside(area) };
            let rows = self.list(ctx, usize::from(list.width), usize::from(area.height));
            for (y, row) in (area.top()..area.bottom()).zip(&rows) {
                row.paint(ctx.theme, buf, list, y);
            }
            let rule = Rect { x: body.x - 2, width: 1, ..area };
            let line = ctx.glyphs.rule.last().copied().unwrap_or("|");
            for y in area.top()..area.bottom() {
                Row::of(line, Slot::Line).paint(ctx.theme, buf, rule, y);
            }
        }
        let rows = self.header.iter().chain(&self.rows);
        let bottom = area.bottom() - self.footer_rows().min(area.height);
        for (n, (y, row)) in (area.top()..bottom).zip(rows).enumerate() {
            row.paint(ctx.theme, buf, body, y);
            if let Some(sought) = &self.sought {
                underline(row, &sought.words, body, y, buf);
            }
            if n.checked_sub(self.header.len()).is_some_and(|n| self.lit.contains(&n)) {
                let mark = Rect { x: body.x.saturating_sub(1).max(area.x), width: 1, ..body };
                Row::of(ctx.glyphs.folded, Slot::Accent).paint(ctx.theme, buf, mark, y);
            }
        }
        if self.footer_rows() > 0 && area.height > 0 {
            // Under a sheet its own keys are the only ones.
            let keys = focused && self.asked_all.is_empty() && ctx.only_reads().is_none();
            self.footer(ctx, usize::from(body.width), keys).paint(ctx.theme, buf, body, area.bottom() - 1);
        }
    }

    fn answered(&mut self, reply: &Reply, secrets: &Redactor) {
        match reply {
            Reply::Blob(id, bytes) if self.asked.remove(id) => {
                self.texts.put(*id, bytes.as_ref(), secrets);
                self.rebuild();
                self.seeks = true;
            }
            Reply::Blob(..)
            | Reply::Text(..)
            | Reply::History(_)
            | Reply::Files(_)
            | Reply::Rehearsed(_)
            | Reply::Knowledge(_)
            | Reply::Context(_)
            | Reply::Sources(_)
            | Reply::SourceTools(..)
            | Reply::Memory(..)
            | Reply::Setup(_) => {}
        }
    }

    fn asks(&mut self) -> Vec<Ask> {
        std::mem::take(&mut self.asks)
    }

    fn title(&self, ctx: &Ctx<'_>) -> Title {
        let g = ctx.glyphs;
        let Some(file) = self.file() else {
            return Title { left: "Diff".to_owned(), right: Line::default() };
        };
        let right = if let Some(sought) = &self.sought {
            Row::of(&sought.place(), Slot::Info)
        } else if Self::in_review(ctx, file.id) {
            // That it waits is said by the bar and the status line.
            Row::new()
        } else {
            Row::of("drafted", Slot::Soft)
        };
        // Where the review is stays whole: what names it goes first, then folders of the file.
        let room = usize::from(self.size.width).saturating_sub(right.width() + 4);
        let lead = format!("Diff {} ", g.dot);
        let path = Clean::line(&file.path).into_string();
        let left = |place: &str, path: &str| format!("{lead}{path} {} {place}", g.dot);
        let whole = left(&self.place(ctx, true), &path);
        let left = if width(&whole) <= room {
            whole
        } else {
            let place = self.place(ctx, false);
            let columns = room.saturating_sub(width(&left(&place, ""))).max(4);
            left(&place, &fit_path(&path, columns, g.ellipsis))
        };
        Title { left, right: right.line(ctx.theme) }
    }

    fn hints(&self, ctx: &Ctx<'_>, width: u16) -> Line<'static> {
        if self.files.is_empty() {
            return Line::default();
        }
        if ctx.only_reads().is_some() {
            let moves =
                [("] [", "hunk"), ("} {", "file"), ("d", "all files"), ("j/k", "scroll"), ("Esc", "back")];
            // Nothing is decided here, so that no key is named below the draft.
            let keys = if self.sought.is_some() { &Sought::KEYS[..] } else { &moves };
            return hint_line(ctx, keys, width);
        }
        // A sheet names its keys itself; those of chosen lines and of a search stand below the draft.
        if !self.asked_all.is_empty() || self.lines.is_some() || self.sought.is_some() {
            return Line::default();
        }
        let key = Ink::of(Slot::Accent).bold();
        let mut row = Row::new();
        // Up leads to the plan, where there is one.
        let up = Some(("u", "p (back to Plan)")).filter(|_| ctx.state.plan.is_some());
        let letters = [("a", "pply"), ("s", "kip"), ("e", "dit"), ("d", "iff all")];
        for (letter, rest) in letters.into_iter().chain(up) {
            let gap = if row.pieces.is_empty() { "" } else { " / " };
            row = row.and(gap, Slot::Soft).and("[", Slot::Text).and(letter, key);
            row = row.and("]", Slot::Text).and(rest, Slot::Text);
        }
        if row.width() <= usize::from(width) {
            return row.line(ctx.theme);
        }
        let up = up.map(|_| ("u", "up to plan"));
        let keys = [("y", "take"), ("n", "leave"), ("a", "apply"), ("s", "skip")];
        let keys: Vec<_> = keys.into_iter().chain(up).chain([("d", "all files")]).collect();
        hint_line(ctx, &keys, width)
    }

    fn stand(&self, ctx: &Ctx<'_>, focused: bool) -> Stand {
        match (focused, self.decides(ctx.state), open_files(ctx.state)) {
            // What is being decided gets the room.
            (true, true, _) => Stand::Alone,
            (true, false, _) | (false, _, 1..) => Stand::Right(u16::MAX),
            (false, _, 0) => Stand::Hidden,
        }
    }

    fn tab(&self, ctx: &Ctx<'_>) -> Option<String> {
        let open = open_files(ctx.state);
        (open > 0).then(|| format!("Diff {}{open}", ctx.glyphs.waits))
    }

    fn drew(&mut self, seen: bool, ctx: &Ctx<'_>, now: Instant) {
        if seen {
            self.saw_lines();
        }
        let proposed = seen.then(|| proposed(ctx.state));
        self.proposed.drew(proposed.filter(|p| !p.is_empty()), now);
    }

    fn covered(&mut self) {
        self.proposed = Standing::default();
    }

    /// The sheet that applies all files, what lines are chosen, and what is looked for.
    fn close(&mut self) -> bool {
        !std::mem::take(&mut self.asked_all).is_empty() || self.lines.take().is_some() || self.end_search()
    }

    fn strange_key(&mut self) {
        self.asked_all.clear();
    }

    fn act(&mut self, action: Action, ctx: &Ctx<'_>) -> Outcome {
        let Some(action) = DiffAction::of(action) else { return Outcome::none() };
        if let Some(why) = ctx.only_reads().filter(|_| !action.reads() && !self.goes_on(action)) {
            return Outcome::complaint(why);
        }
        let early = || open_files(ctx.state) > 0 && !ctx.stood(&self.proposed, &proposed(ctx.state));
        if action.weight().decides() && !self.goes_on(action) && early() {
            return Outcome::complaint(TOO_EARLY);
        }
        self.take(action, ctx)
    }

    fn is_idle(&self, ctx: &Ctx<'_>) -> bool {
        self.files.is_empty() && !self.decides(ctx.state)
    }

    fn acts_at_once(&self, _letter: char, action: Option<Action>, ctx: &Ctx<'_>) -> bool {
        let open = !self.asked_all.is_empty();
        let decided = || {
            let p = self.applied().and_then(|f| Self::proposal(ctx, f.id));
            p.is_some_and(|p| !p.decided.is_empty() || p.word().is_some())
        };
        let Some(action) = action.and_then(DiffAction::of) else { return false };
        // The sheet of both is closed again by any other key.
        action.weight().is_taken_back()
            || action == DiffAction::Apply && !open && !decided()
            || action == DiffAction::ApplyAll && !open
    }

    fn show_place(&mut self, place: &Place, ctx: &Ctx<'_>) -> bool {
        if self.stale {
            self.read(ctx.state);
        }
        let Some(at) = self.files.iter().position(|f| f.path == place.path.as_str()) else { return false };
        // The last hunk that begins at or before the line is the one that shows it, if one does.
        let line = usize::try_from(place.line).unwrap_or(usize::MAX);
        let hunks = self.files.get(at).map(|f| f.hunks.as_slice()).unwrap_or_default();
        let hunk = hunks.iter().rposition(|h| h.new_lines().start < line).unwrap_or(0);
        self.touched = true;
        self.go(at, hunk);
        self.ask();
        self.settle(ctx);
        true
    }

    fn typed(&mut self, line: String, ctx: &Ctx<'_>) -> Outcome {
        let outcome = self.look_for(&line, ctx);
        self.ask();
        self.settle(ctx);
        outcome
    }

    fn wheel(&mut self, rows: i64, ctx: &Ctx<'_>) {
        if self.files.is_empty() || !self.asked_all.is_empty() {
            return;
        }
        self.touched = true;
        self.scroll(ctx, rows);
        self.ask();
        self.settle(ctx);
    }

    fn edited(&mut self, text: io::Result<String>) -> Outcome {
        match (text, self.editing.take()) {
            (_, None) => Outcome::none(),
            (Ok(text), Some(editing)) => match editing.finish(&text) {
                Ok(input) => Outcome::input(input),
                Err(why) => Outcome::notice(why),
            },
            (Err(error), Some(_)) => {
                Outcome::complaint(format!("the editor failed: {error}; the proposal is unchanged"))
            }
        }
    }

    /// Whether changes wait to be decided or are being written.
    fn decides(&self, state: &State) -> bool {
        let here = |s| matches!(s, ProposalStatus::Open | ProposalStatus::Applying(_));
        state.proposals().values().any(|p| here(p.status))
    }

    /// Who goes there between two steps waits for the next change, unless something else wants an answer first.
    fn errand(&self, state: &State) -> Option<Errand> {
        // Once every step is at rest only gates are left of the run, and those change nothing.
        let steps = state.plan.as_ref().is_none_or(|plan| !finished(plan));
        let goes_on = state.phase == Phase::Executing && state.open.is_empty() && steps;
        (goes_on || self.decides(state) || state.is_taking_back()).then_some(Errand::Review)
    }

    /// With nothing to scroll here, the page keys are the main pane's.
    fn meaning(&self, action: frame::Action) -> Option<Action> {
        let keys = [
            (frame::Action::ScrollUp, DiffAction::PageUp),
            (frame::Action::ScrollDown, DiffAction::PageDown),
        ];
        // A sheet, and lines that are being chosen, stay: what is read on is the conversation.
        let reads = !self.files.is_empty() && self.asked_all.is_empty() && self.lines.is_none();
        let meant = keys.into_iter().find(|(key, _)| *key == action && reads);
        meant.map(|(_, meant)| meant.into())
    }

    fn deciding_keys(&self, ctx: &Ctx<'_>) -> DecidingKeys {
        if !self.asked_all.is_empty() {
            // A sheet that stands whole names its keys itself.
            let room = self.size.height.saturating_sub(self.footer_rows());
            let keys =
                if self.header.len() <= usize::from(room) { Vec::new() } else { self.short_sheet_keys(ctx) };
            return DecidingKeys { keys, beside: "" };
        }
        if let Some(lines) = &self.lines {
            return DecidingKeys { keys: lines.keys().to_vec(), beside: "" };
        }
        if self.sought.is_some() {
            return DecidingKeys { keys: [&Sought::KEYS[..], &[("y", "take")]].concat(), beside: "" };
        }
        let back = self.file().and_then(|file| Self::proposal(ctx, file.id)).and_then(|p| p.back);
        // What goes by a yes is not what a yes keeps.
        let (take, leave) = match back {
            Some(back) if back.redo => (("y", "put back"), ("n", "leave")),
            Some(_) => (("y", "revert"), ("n", "keep")),
            None => (("y", "take"), ("n", "leave")),
        };
        let (hunk, file) = (("] [", "hunk"), ("} {", "file"));
        if ctx.body.width < WIDE {
            // No border names what is done to files, and one line says how to go on and back.
            let keeps = if ctx.draft.is_empty() { "closes" } else { "keeps your draft" };
            let mut keys = vec![take, leave, ("a", "apply"), ("s", "skip"), ("A", "all"), hunk, file];
            keys.insert(if ctx.draft.is_empty() { 5 } else { 4 }, ("Esc", keeps));
            return DecidingKeys { keys, beside: "" };
        }
        let kept = if ctx.draft.is_empty() { "closes, decisions kept" } else { "closes, your draft is kept" };
        DecidingKeys { keys: vec![take, leave, ("A", "apply all"), hunk, file, ("Esc", kept)], beside: "" }
    }

    fn covers(&self, question: &Checkpoint) -> bool {
        question.kind.review().is_some()
    }

    /// What was written or left, while the conversation is behind the diff.
    fn tells(&self, state: &State, event: &Event) -> Option<String> {
        if let Event::ProposalClosed { proposal, reason, dropped, there } = event {
            let p = state.proposals().get(proposal)?;
            if *there {
                return Some(conversation::already(p.path.as_str()));
            }
            return Some(conversation::closed(p.path.as_str(), reason, *dropped, p.back.is_some()));
        }
        let Event::Applied { apply } = event else { return None };
        let apply = state.applies().get(apply)?;
        let first = conversation::written(apply.files.first()?);
        let of = apply.take.iter().filter_map(|(id, taken)| Some((state.proposals().get(id)?, taken)));
        let rest: usize = of.map(|(p, taken)| p.undecided().difference(taken).count()).sum();
        let (its, waits) = if rest == 1 { ("hunk", "waits") } else { ("hunks", "wait") };
        Some(match (apply.files.len() - 1, rest) {
            (0, 0) => first,
            (0, rest) => format!("{first}; its {rest} undecided {its} {waits} on"),
            (more, 0) => format!("{first} and {more} more"),
            (more, rest) => format!("{first} and {more} more; {rest} undecided {its} {waits} on"),
        })
    }
}

/// Files that wait to be decided.
fn open_files(state: &State) -> usize {
    state.open_proposals().count()
}

/// What is proposed, with the hash of what is shown of each.
fn proposed(state: &State) -> Vec<(ProposalId, BlobId)> {
    state.open_proposals().map(|p| (p.id, p.shown())).collect()
}
