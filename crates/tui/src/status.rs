//! The status line: the last row, in the exact forms that scripts and eyes rely on.
//!
//! Owns its words, what goes first when it gets narrow, and nothing else. Never draws.

use pilothouse_core::{
    clean::Clean,
    intent::{Mode, Phase},
    money::age,
    plan::GateStatus,
    question::Failure,
    runs::RunStatus,
    session::State,
};
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use crate::{
    bar,
    row::{self, Ink},
    theme::{Glyphs, Slot},
    window::{self, RunRow},
};

/// A piece of the line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Its text.
    pub text: String,
    /// How it looks, by meaning.
    pub ink: Ink,
}

fn piece(text: impl Into<String>, ink: impl Into<Ink>) -> Piece {
    Piece { text: text.into(), ink: ink.into() }
}

/// How the line is to be shown.
#[derive(Clone, Copy, Debug)]
pub struct Form<'a> {
    /// Columns.
    pub width: u16,
    /// The spinner's frame.
    pub frame: usize,
    /// Glyphs.
    pub glyphs: &'a Glyphs,
    /// Every session of the window, and the runs that none shows.
    pub runs: &'a [RunRow],
    /// The hours and minutes by which the user's clock differs, in minutes.
    pub utc_offset_minutes: i32,
    /// For how many milliseconds the model has sent nothing, while one is waited for.
    pub silent: u64,
    /// Whether a model's server is waited for before it is asked again.
    pub served: bool,
    /// Whether the session can only be read here.
    pub reads: bool,
    /// Whether nobody holds it, so that nothing of it works.
    pub free: bool,
}

/// The line: the left pieces, then the right-aligned ones.
pub fn line(state: &State, form: Form<'_>) -> (Vec<Piece>, Vec<Piece>) {
    let width = usize::from(form.width);
    let full = Groups::of(state, form);
    // What goes first: since when, background, the word at the flag, the name, wide gaps, the name as a whole.
    let tries = [
        (Background::Whole, Words::Since, 4, Name::Whole),
        (Background::Whole, Words::Count, 4, Name::Whole),
        (Background::Count, Words::Count, 4, Name::Whole),
        (Background::Count, Words::Flag, 4, Name::Whole),
        (Background::Gone, Words::Flag, 4, Name::Whole),
        (Background::Gone, Words::Flag, 4, Name::Cut),
        (Background::Gone, Words::Flag, 2, Name::Cut),
        (Background::Gone, Words::Flag, 2, Name::Dropped),
        (Background::Gone, Words::Flag, 2, Name::Gone),
    ];
    for (background, words, gap, name) in tries {
        if let Some(line) = full.fit(width, background, words, gap, name) {
            return line;
        }
    }
    (full.least(width), Vec::new())
}

/// How much is said of what goes on beside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Background {
    /// How many, and how they stand.
    Whole,
    /// How many.
    Count,
    /// Nothing.
    Gone,
}

/// How much is said at the flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Words {
    /// How many wait, and since when.
    Since,
    /// How many wait.
    Count,
    /// Their number alone.
    Flag,
}

/// How much of the name stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Name {
    Whole,
    /// Cut to no less than [`SHORTEST`] columns.
    Cut,
    /// Without it, but with what stands around it.
    Dropped,
    /// Neither it nor what stands around it.
    Gone,
}

/// Stands for the gap between two groups until its width is known.
const GAP: char = '\u{1}';

/// A name is not cut further than this.
const SHORTEST: usize = 6;

/// The parts of the line before they are fitted.
struct Groups {
    head: Vec<Piece>,
    /// Text before the name, the name, text after it; the name may be shortened.
    name: Option<(Piece, String, Piece)>,
    tail: Vec<Piece>,
    waiting: usize,
    /// Since when, likewise.
    since: String,
    flag: &'static str,
    /// How many go on beside, and how they stand.
    background: Option<(String, String)>,
}

impl Groups {
    #[expect(clippy::too_many_lines, reason = "the segments of the line, from left to right")]
    fn of(state: &State, form: Form<'_>) -> Self {
        let (mode, ink) = match state.mode {
            Mode::Proof => ("[PROOF]", Ink::of(Slot::Accent).bold()),
            Mode::Exploratory => ("[EXPLORE]", Ink::of(Slot::Info).bold()),
        };
        let slot = match state.phase {
            Phase::Executing => Slot::Ok,
            Phase::Failed => Slot::Bad,
            Phase::Idle | Phase::Planning | Phase::AwaitingApproval => Slot::Text,
        };
        let mut head = vec![piece(mode, ink), piece(" ", Slot::Text), piece(state.phase.name(), slot)];
        let cross = form.glyphs.failed;
        let mut tail = Vec::new();
        let name = match state.phase {
            Phase::Idle => {
                // Idle is said where nothing goes on and nothing waits.
                if state.waits_for_user() {
                    head.truncate(1);
                    head.push(waits_for_you(form));
                } else if state.busy() {
                    head.truncate(1);
                    let what = match state.pending_messages.is_empty() {
                        true if form.served => "",
                        true if state.compacting.is_some() && state.answering().is_none() => " summing up",
                        true => " answering",
                        false => " classifying",
                    };
                    head.push(piece(format!(" {}{what}", form.glyphs.spin(form.frame)), Slot::Faint));
                    head.extend(silent(form));
                }
                None
            }
            Phase::Planning => {
                head.push(spins(state, form));
                head.extend(silent(form));
                quoted(" ", planned(state), "")
            }
            Phase::AwaitingApproval if state.paused_pipeline().is_some() => {
                head.push(piece(format!(" {} paused", form.glyphs.waits), Slot::Accent));
                tail.extend(hint(CHOOSE, state));
                staged(state, &GAP.to_string())
            }
            Phase::AwaitingApproval => {
                tail.extend(hint(SUGGEST, state));
                state.plan.as_ref().and_then(|plan| {
                    let n = plan.tasks.len();
                    let steps = if n == 1 { " (1 step)".to_owned() } else { format!(" ({n} steps)") };
                    quoted(&format!("{GAP}plan: "), Some(plan.title.clone()), &steps)
                })
            }
            Phase::Executing => {
                head.push(spins(state, form));
                head.extend(silent(form));
                executing(state)
            }
            Phase::Failed => {
                let failure = state.failure.as_ref();
                let at = match failure.map_or(0, |f| f.step) {
                    0 => String::new(),
                    step => format!(" step {step}"),
                };
                head.push(piece(format!(" {cross}{at}"), Slot::Bad));
                tail.extend(hint(
                    if failure.is_some_and(Failure::has_no_plan) { ABORT } else { RETRY },
                    state,
                ));
                failure.and_then(|f| quoted(&GAP.to_string(), Some(f.message.clone()), ""))
            }
        };
        if form.reads {
            tail.clear();
        }
        if form.free && (state.busy() || state.is_executing()) {
            head.truncate(1);
            head.push(piece(" left at work", Slot::Warn));
        }
        if !state.pending_messages.is_empty() && state.phase != Phase::Idle {
            tail.push(piece("[classifying]", Slot::Info));
        }
        // What waits behind a message that is not understood yet is queued like the rest.
        let queued = state.queue.len() + state.pending_messages.len().saturating_sub(1);
        if queued > 0 {
            tail.push(piece(format!("[queued: {queued}]"), Slot::Info));
        }
        let elsewhere = form.runs.iter().filter(|r| r.is_behind()).map(|r| r.info.waiting).sum::<usize>();
        let waiting = bar::waiting(state) + elsewhere;
        Self {
            head,
            name,
            tail,
            waiting,
            since: since(state, form),
            flag: form.glyphs.waits,
            background: beside(state, form),
        }
    }

    /// The line, if it fits this width.
    fn fit(
        &self,
        width: usize,
        background: Background,
        words: Words,
        gap: usize,
        name: Name,
    ) -> Option<(Vec<Piece>, Vec<Piece>)> {
        let right = self.right(background, words);
        let right_width = if right.is_empty() { 0 } else { columns(&right) + 3 };
        let spaces = " ".repeat(gap);
        let mut left = self.head.clone();
        let tail: Vec<Piece> =
            self.tail.iter().flat_map(|p| [piece(spaces.clone(), Slot::Text), p.clone()]).collect();
        if let Some((before, text, after)) = &self.name {
            let before = before.text.replace(GAP, &spaces);
            let fixed =
                columns(&left) + before.width() + 2 + after.text.width() + columns(&tail) + right_width;
            match name {
                Name::Whole => left.push(piece(format!("{before}\"{text}\"{}", after.text), Slot::Text)),
                Name::Cut => {
                    let room = width.checked_sub(fixed).filter(|room| *room >= SHORTEST)?;
                    let text = shorten(text, room);
                    left.push(piece(format!("{before}\"{text}\"{}", after.text), Slot::Text));
                }
                Name::Dropped => {
                    let rest = format!("{before}{}", after.text.trim_start());
                    left.push(piece(rest.trim_end().trim_end_matches(':'), Slot::Text));
                }
                Name::Gone => {}
            }
        }
        left.extend(tail);
        (columns(&left) + right_width <= width).then_some((left, right))
    }

    fn right(&self, background: Background, words: Words) -> Vec<Piece> {
        let mut right = Vec::new();
        if self.waiting > 0 {
            let what = match words {
                Words::Since => format!("{} waiting{}", self.waiting, self.since),
                Words::Count => format!("{} waiting", self.waiting),
                Words::Flag => self.waiting.to_string(),
            };
            right.push(piece(format!("{} {what}", self.flag), Slot::Warn));
        }
        let Some((count, stand)) = self.background.as_ref().filter(|_| background != Background::Gone) else {
            return right;
        };
        if !right.is_empty() {
            right.push(piece("   ", Slot::Text));
        }
        right.push(piece(count.clone(), Slot::Soft));
        if background == Background::Whole {
            right.push(piece(stand.clone(), Slot::Soft));
        }
        right
    }

    /// Mode and phase as far as they go, then hints and the flag: each whole, by its letters, or not at all.
    fn least(&self, width: usize) -> Vec<Piece> {
        let mut out = Vec::new();
        let mut room = width;
        for p in &self.head {
            let text = shorten(&p.text, room);
            room -= text.width().min(room);
            out.push(piece(text, p.ink));
        }
        let flag = (self.waiting > 0).then(|| piece(format!("{}{}", self.flag, self.waiting), Slot::Warn));
        for p in self.tail.iter().cloned().chain(flag) {
            let forms = [p.text.as_str(), letters(&p.text)].into_iter().map(|text| format!(" {text}"));
            if let Some(text) = forms.filter(|text| text.len() > 1).find(|text| text.width() <= room) {
                room -= text.width();
                out.push(piece(text, p.ink));
            }
        }
        out
    }
}

/// The choices of a pipeline that waits.
const CHOOSE: &str = "[1/2/3]";
const SUGGEST: &str = "[y/n/suggest]";
const RETRY: &str = "[retry/replan/abandon]";
const ABORT: &str = "[retry/abort]";

/// The answers of the phase's own question, unless another stands in its place.
fn hint(words: &'static str, state: &State) -> Option<Piece> {
    let other = state.phase_question().is_some_and(|question| question.kind.held().is_some());
    (!other).then(|| piece(words, Slot::Accent))
}

/// The keys of a hint alone; empty where it has none.
fn letters(hint: &str) -> &'static str {
    match hint {
        SUGGEST => "[y/n]",
        RETRY => "[r/p/a]",
        ABORT => "[r/q]",
        _ => "",
    }
}

fn quoted(before: &str, name: Option<String>, after: &str) -> Option<(Piece, String, Piece)> {
    let name = name.map(|n| n.split_whitespace().collect::<Vec<_>>().join(" ")).filter(|n| !n.is_empty())?;
    let name = row::uncoded(&Clean::line(&name));
    Some((piece(before, Slot::Text), name, piece(after, Slot::Text)))
}

/// What goes on beside what is shown: lines of this session, and other sessions by how they stand.
fn beside(state: &State, form: Form<'_>) -> Option<(String, String)> {
    let lines = state.lines_beside();
    let runs: Vec<RunStatus> = form
        .runs
        .iter()
        .filter(|r| r.is_behind() && r.is_held_here())
        .map(|r| r.info.status)
        .filter(|s| *s != RunStatus::Idle)
        .collect();
    let all = lines + runs.len();
    let stand = RunStatus::ALL.iter().filter_map(|status| {
        let own = if *status == RunStatus::Thinking { lines } else { 0 };
        let n = own + runs.iter().filter(|s| *s == status).count();
        (n > 0).then(|| format!(" {n}{}", window::mark(*status, form.glyphs).0))
    });
    (all > 0).then(|| (format!("bg:{all}"), stand.collect()))
}

/// The spinner; where nothing works before the user says something, that in its place.
fn spins(state: &State, form: Form<'_>) -> Piece {
    if state.waits_below_ceiling().is_some() {
        return piece(format!(" {} read-only: Shift-Tab lets it go on", form.glyphs.waits), Slot::Warn);
    }
    let guided = state.phase == Phase::Planning && state.plan.is_some() && state.planning_lane().is_none();
    if guided || state.waits_for_user() {
        return waits_for_you(form);
    }
    piece(format!(" {}", form.glyphs.spin(form.frame)), Slot::Faint)
}

/// For so long a model may say nothing before it is told.
pub const SILENT_FROM: u64 = 15_000;

/// How long nothing came of a model that is waited for.
fn silent(form: Form<'_>) -> Option<Piece> {
    if form.served {
        return Some(piece(" waiting for the server", Slot::Warn));
    }
    (form.silent >= SILENT_FROM).then(|| piece(format!(" nothing for {}", age(form.silent)), Slot::Warn))
}

fn waits_for_you(form: Form<'_>) -> Piece {
    piece(format!(" {} waits for you", form.glyphs.waits), Slot::Warn)
}

/// Since when the oldest question stands: a time, which is as true an hour later without a wake-up.
fn since(state: &State, form: Form<'_>) -> String {
    let at = state.waits_since().map(|at| row::time_of_day(at, form.utc_offset_minutes));
    at.map_or_else(String::new, |at| format!(" since {at}"))
}

fn planned(state: &State) -> Option<String> {
    let plan = state.plan.as_ref().map(|p| p.turn);
    let turn = state.planning_lane().map(|l| l.turn).or(plan).or(state.turn)?;
    state.turns.get(&turn).map(|t| t.head.clone())
}

fn executing(state: &State) -> Option<(Piece, String, Piece)> {
    if let Some(stage) = staged(state, " ") {
        return Some(stage);
    }
    let Some(plan) = &state.plan else {
        let turn = state.run.as_ref().map(|r| r.turn)?;
        return quoted(" ", state.turns.get(&turn).map(|t| t.called().to_owned()), "");
    };
    let all = plan.tasks.len();
    let running = state.steps_at_work();
    let gate = plan.gates.iter().find(|g| g.status == GateStatus::Running || g.is_red());
    if let Some(gate) = gate.filter(|_| running.is_empty()) {
        return quoted(" gate ", Some(gate.name.clone()), "");
    }
    // Between two steps none is at work, and none is named.
    let Some(first) = running.first() else { return quoted(" ", Some(plan.title.clone()), "") };
    let numbers: Vec<String> = running.iter().map(|t| plan.number(t.id).to_string()).collect();
    let (s, numbers) = (if running.len() > 1 { "s" } else { "" }, numbers.join(","));
    quoted(&format!(" step{s} {numbers}/{all} "), Some(first.title.clone()), "")
}

/// The stage of the pipeline that works or waits.
fn staged(state: &State, before: &str) -> Option<(Piece, String, Piece)> {
    let of =
        &state.pipeline.as_ref().filter(|p| p.lane.is_some() || state.paused_pipeline().is_some())?.state;
    let (stage, _) = of.current_stage()?;
    let title = of.stage(stage).map(pilothouse_core::pipeline::StageSpec::shown);
    quoted(&format!("{before}stage {}/{} ", stage + 1, of.stages()), title, "")
}

fn columns(pieces: &[Piece]) -> usize {
    pieces.iter().map(|p| p.text.width()).sum()
}

/// Cuts a text to `room` columns, with `…` in place of what is gone.
pub fn shorten(text: &str, room: usize) -> String {
    if text.width() <= room {
        return text.to_owned();
    }
    let mut out = String::new();
    let mut used = 0;
    for g in text.graphemes(true) {
        if used + g.width() + 1 > room {
            break;
        }
        used += g.width();
        out.push_str(g);
    }
    if room > 0 {
        out.push('…');
    }
    out
}

/// The same for words: they are cut behind one, where that leaves more than half of the room.
pub fn shorten_words(text: &str, room: usize) -> String {
    let cut = shorten(text, room);
    let Some(kept) = cut.strip_suffix('…').filter(|_| text.width() > room) else { return cut };
    let whole = text.get(kept.len()..).is_some_and(|rest| rest.starts_with(' '));
    match kept.rsplit_once(' ') {
        Some((words, _)) if !whole && words.width() * 2 > room => format!("{}…", words.trim_end()),
        Some(_) | None => cut,
    }
}

/// The same for what is hinted at: whole parts of it go, where that leaves half of the room, else words.
pub fn shorten_parts(text: &str, room: usize) -> String {
    if text.width() <= room {
        return text.to_owned();
    }
    let ends = ["; ", ", ", " \u{2013} ", " ("].into_iter();
    let heads = ends.flat_map(|mark| text.match_indices(mark)).filter_map(|(at, _)| text.get(..at));
    let fits = |head: &&str| head.width() < room && head.width() * 2 >= room;
    match heads.filter(fits).max_by_key(|head| head.len()) {
        Some(head) => format!("{head}\u{2026}"),
        None => shorten_words(text, room),
    }
}

#[cfg(test)]
mod tests;
