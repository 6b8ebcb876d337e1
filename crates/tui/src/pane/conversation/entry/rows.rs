//! The rows of each kind of entry.
//!
//! Owns what an entry looks like. Times go first when it gets narrow, then what is secondary.

mod agents;
mod calls;
mod peek;

use pilothouse_core::{
    checkpoint::CheckpointKind,
    clean::Clean,
    diff::Hunk,
    ids::{CheckpointId, Millis, ProposalId},
    money,
    proposal::Proposal,
};

pub(super) use self::calls::call_rows;
use super::{Body, Call, CallState, Entry, Env, Facts, PlanCard, Question, Reply, Sections, Text};
use crate::{
    bar,
    markdown::Markdown,
    pane::plan::beyond,
    row::{self, Ink, Piece, Row, coded, hang, parts, wrap, wrap_code},
    theme::{Glyphs, Slot},
};

/// More files that wait than this stand in one row.
const WAITS_ROWS: usize = 4;

/// Lines of a message of the user that stand there whole; of a longer one its beginning and its end do, where the words
/// beside what was pasted are.
const SAID_LINES: usize = 12;
/// Lines at its end.
const SAID_LAST: usize = 3;

/// Whether a message of the user is so long that its middle is folded.
pub(super) fn is_long(said: &Text) -> bool {
    said.shown.lines().nth(SAID_LINES).is_some()
}

/// The middle of one that is.
fn middle(said: &Text) -> String {
    let clean = Clean::text(&said.shown);
    let lines: Vec<&str> = clean.lines().collect();
    let to = lines.len().saturating_sub(SAID_LAST);
    lines.get(SAID_LINES - SAID_LAST..to).unwrap_or_default().join("\n")
}

impl Entry {
    /// What is searched of it and stands in no row as long as it is folded.
    pub(in crate::pane::conversation) fn folded(&self) -> String {
        let rest = |text: &str| text.lines().skip(1).collect::<Vec<&str>>().join("\n");
        match &self.body {
            _ if self.open || !self.folds() => String::new(),
            Body::Said(t) => middle(t),
            Body::Reply(r) => r.sections.as_ref().map(Sections::folded).unwrap_or_default(),
            Body::Facts(f) => f.detail.clone(),
            Body::Plan(p) => rest(&p.summary),
            Body::Question(q) => rest(&q.message),
            // What a call wrote is searched once it is unfolded.
            Body::Call(_) | Body::Task { .. } | Body::Waits(..) | Body::Gone => String::new(),
        }
    }
}

pub(super) fn said(text: &Text, at: Millis, open: bool, env: &Env<'_>, rows: &mut Vec<Row>) {
    let bar = || Row::of(env.glyphs.bar, Slot::Accent).and(" ", Slot::Text);
    let time = Row::of(&row::time_of_day(at, env.offset), Slot::Faint);
    rows.push(bar().and("you", Slot::Soft).ends(time, env.width, env.glyphs.ellipsis));
    let clean = Clean::text(&text.shown);
    let lines = clean.lines().count();
    let folded = if open || lines <= SAID_LINES { 0 } else { lines - SAID_LINES };
    let head = SAID_LINES - SAID_LAST;
    for (n, line) in clean.lines().enumerate() {
        if n == head && folded > 0 {
            let opens =
                if env.opens.is_empty() { String::new() } else { format!(", {} shows all", env.opens) };
            let fold = format!("{} {} folded{opens}", env.glyphs.folded, row::count(folded, "line"));
            rows.push(bar().and(&fold, Slot::Faint).cut(env.width, env.glyphs.ellipsis));
        }
        if (head..head + folded).contains(&n) {
            continue;
        }
        let words = Row::of(line, Slot::Strong).pieces;
        for wrapped in indented(&words, env.width.saturating_sub(2)) {
            let mut row = bar();
            row.pieces.extend(wrapped.pieces);
            rows.push(row.cut(env.width, ""));
        }
    }
}

/// A step of a plan that waits, whole: what finds no place goes on below its first word.
fn step(line: &str, width: usize) -> Vec<Row> {
    let number = line.trim_start().trim_start_matches(|c: char| c.is_ascii_digit());
    let title = number.strip_prefix('.').unwrap_or(line).trim_start();
    let lead = line.strip_suffix(title).unwrap_or_default();
    hang(&Row::of(lead, Slot::Text), &Row::of(title, Slot::Text).pieces, width)
}

/// What a message waits for whose meaning is not known yet: its place among those, and whether a model is asked.
pub(super) fn unheard(place: Option<(usize, bool)>, env: &Env<'_>, rows: &mut Vec<Row>) {
    let what = match place {
        None => return,
        Some((0, true)) => "the model is asked what you mean",
        Some((0, false)) => "finding out what you mean",
        Some(_) => "waits for your earlier message",
    };
    let row = Row::of(env.glyphs.bar, Slot::Accent).and(" ", Slot::Text).and(what, Slot::Soft);
    rows.push(row.cut(env.width, env.glyphs.ellipsis));
}

pub(super) fn reply_rows(r: &mut Reply, open: bool, env: &Env<'_>, rows: &mut Vec<Row>, foot: &mut Vec<Row>) {
    let g = env.glyphs;
    if r.beside {
        let label = format!("beside the run {} read only", g.dot);
        rows.push(Row::of(&label, Slot::Soft).cut(env.width, g.ellipsis));
    }
    if let Some(step) = r.step {
        rows.push(Row::of(&format!("step {step}"), Slot::Soft).cut(env.width, g.ellipsis));
    }
    if !r.thinking.is_empty() && !r.running {
        let mark = if open { g.open } else { g.folded };
        rows.push(Row::of(&format!("{mark} Thought"), Slot::Soft).cut(env.width, g.ellipsis));
        if open {
            detail(&r.thinking, env, rows);
        }
    }
    if let Some(sections) = &mut r.sections {
        let shown = sections.shown(open);
        if r.md.source() != shown {
            r.md = Markdown::of(shown);
        }
        if !open {
            sections.below(env.width, g, foot);
        }
    }
    r.md.lay(env.width, g);
    if r.running && r.md.rows().is_empty() {
        let row = Row::of(g.spin(env.spinner), Slot::Info).and(" ", Slot::Text);
        if let Some(wait) = r.wait(env.now, g.dot) {
            rows.push(row.and(&wait, Slot::Soft).cut(env.width, g.ellipsis));
            return;
        }
        let waited = money::so_far(env.now.0.saturating_sub(r.since.0));
        let what = if r.note.is_empty() || r.until.is_some() { "thinking" } else { r.note.as_str() };
        let row = row.and(what, Slot::Soft);
        let right = match written(r, g) {
            tokens if tokens.is_empty() => waited,
            tokens => format!("{tokens} {} {waited}", g.dot),
        };
        rows.push(row.ends(Row::of(&right, Slot::Faint), env.width, g.ellipsis));
        let last = r.thinking.lines().rev().find(|l| !l.trim().is_empty()).unwrap_or_default();
        if !last.is_empty() {
            rows.push(Row::of(&format!("  {last}"), Slot::Faint).cut(env.width, g.ellipsis));
        }
    } else if r.running {
        let tokens = Row::of(&written(r, g), Slot::Faint);
        foot.push(Row::of(&r.note, Slot::Soft).ends(tokens, env.width, g.ellipsis));
    }
    if r.cut {
        let how = if r.broke { " broke off" } else { " stopped" };
        foot.push(Row::of(g.skipped, Slot::Soft).and(how, Slot::Soft).cut(env.width, g.ellipsis));
    }
}

/// What was written so far of a reply that comes; nothing before it begins.
fn written(r: &Reply, g: &Glyphs) -> String {
    match r.tokens() {
        0 => String::new(),
        tokens => format!("{} tokens{}", money::thousands(tokens), g.ellipsis),
    }
}

/// Lines below an entry, behind a thin bar.
fn detail(text: &str, env: &Env<'_>, rows: &mut Vec<Row>) {
    let clean = Clean::text(text);
    let lines: Vec<&str> = clean.lines().collect();
    lines_below(&lines, env, rows);
}

/// Clean lines below an entry.
fn lines_below(lines: &[&str], env: &Env<'_>, rows: &mut Vec<Row>) {
    for line in lines {
        for wrapped in wrapped(line, env) {
            let mut row = Row::of("  ", Slot::Text).and(env.glyphs.column, Slot::Line).and(" ", Slot::Text);
            row.pieces.extend(wrapped.pieces);
            rows.push(row.cut(env.width, env.glyphs.ellipsis));
        }
    }
}

/// The rows of a clean line below an entry.
fn wrapped(line: &str, env: &Env<'_>) -> Vec<Row> {
    // A rule is as wide as there is room.
    let mut marks = line.trim_end().chars();
    let rule = marks.next().is_some_and(|m| !m.is_alphanumeric() && marks.all(|c| c == m));
    let room = env.width.saturating_sub(4);
    let line: String = line.chars().take(if rule { room } else { usize::MAX }).collect();
    let line = if row::width(&line) > room { squeezed(&line) } else { line };
    wrap_code(&Row::of(&line, Slot::Soft).pieces, room)
}

/// A line with its runs of blanks as narrow as keeps its columns apart; what it begins with stays.
fn squeezed(line: &str) -> String {
    let text = line.trim_start();
    let indent = line.strip_suffix(text).unwrap_or_default();
    let words: Vec<&str> = text.split("  ").map(str::trim).filter(|part| !part.is_empty()).collect();
    format!("{indent}{}", words.join("  "))
}

/// A line that is set in goes on as far in as it begins.
fn indented(words: &[Piece], columns: usize) -> Vec<Row> {
    if row::indent(words) > 0 { wrap_code(words, columns) } else { wrap(words, columns) }
}

pub(super) fn fact_rows(facts: &Facts, open: bool, env: &Env<'_>, rows: &mut Vec<Row>) {
    for (left, right) in &facts.lines {
        let mut left = left.clone();
        for piece in &mut left.pieces {
            let own = env.glyphs.own(piece.text());
            if own != piece.text() {
                *piece = Piece::new(own, piece.ink);
            }
        }
        // Paths give up their middle where the row then fits, or they would be broken; what is at the right stays.
        let ellipsis = env.glyphs.ellipsis;
        let beside = if right.width() > 0 { right.width() + 2 } else { 0 };
        let one = left.clone().fit_paths(env.width.saturating_sub(beside), ellipsis);
        if one.width() + beside <= env.width {
            rows.push(one.ends(right.clone(), env.width, ellipsis));
            continue;
        }
        let room = env.width.saturating_sub(2);
        for piece in &mut left.pieces {
            let fit = |word: &str| row::fit_paths(word, room, ellipsis);
            let words: Vec<String> = piece.text().split(' ').map(fit).collect();
            *piece = Piece::new(&words.join(" "), piece.ink);
        }
        let mut wrapped = wrap(&left.pieces, room);
        // A name that fills a row leaves only the blanks before it above.
        if wrapped.len() > 1 && wrapped.first().is_some_and(|row| row.text().trim().is_empty()) {
            wrapped.remove(0);
        }
        let from = rows.len();
        for (n, row) in wrapped.into_iter().enumerate() {
            let indented = row.text().starts_with(' ');
            let mut out = if n == 0 || indented { Row::new() } else { Row::of("  ", Slot::Text) };
            out.pieces.extend(row.pieces);
            rows.push(out);
        }
        // The figures of a name that find no room beside its last row have one of their own.
        let Some(last) = rows.pop().filter(|_| rows.len() + 1 > from) else { continue };
        let fits = right.width() == 0 || last.width() + right.width() + 2 <= env.width;
        let name = !left.text().trim().contains(' ');
        let own = !fits && name && right.width() + 4 <= env.width / 2;
        rows.push(last.ends(if own { Row::new() } else { right.clone() }, env.width, ellipsis));
        if own {
            rows.push(Row::of("  ", Slot::Text).ends(right.clone(), env.width, ellipsis));
        }
    }
    if open {
        detail(&facts.detail, env, rows);
    }
}

pub(super) fn plan_rows(card: &mut PlanCard, open: bool, env: &Env<'_>, rows: &mut Vec<Row>) {
    let g = env.glyphs;
    let mut lines = card.summary.lines();
    let head = lines.next().unwrap_or_default().trim_start_matches('★').trim_start();
    let waits = card.verdict.is_none();
    let title = if waits { Ink::of(Slot::Accent).bold() } else { Slot::Text.into() };
    let named =
        |head: &str| Row::of(g.star, Slot::Accent).and(" ", Slot::Text).and(&row::uncoded(head), title);
    let left = named(head);
    let right = match card.verdict {
        Some((word, ink)) => {
            let marks = [(Slot::Ok, g.done), (Slot::Soft, g.skipped)];
            let mark = marks.iter().find(|(of, _)| *of == ink).map_or("", |(_, mark)| mark);
            Row::of(format!("{mark} {word}").trim_start(), ink)
        }
        None => Row::new(),
    };
    // What became of it stands whole, and says what it is in fewer words where both have no room.
    let fits = left.width() + right.width() + 2 <= env.width;
    let left = if fits || waits { left } else { named(&head.replace("validation ", "")) };
    rows.push(left.ends_keeping_right(right, env.width, g.ellipsis));
    if !waits && !open {
        return;
    }
    rows.push(Row::new());
    let others = lines.clone().count().saturating_sub(card.gates);
    rows.extend(lines.by_ref().take(others).flat_map(|line| step(&row::uncoded(line), env.width)));
    card.note.lay(env.width, g);
    card.note.colour(0..usize::MAX, env.colours);
    let note = card.note.rows();
    if !note.is_empty() {
        rows.push(Row::new());
        rows.extend(note.iter().cloned());
    }
    // What a yes allows besides, and what it lets run, stands next to the question.
    let asked = card.checkpoint.is_some_and(|id| env.state.open.contains_key(&id));
    let beyond = env.state.plan.as_ref().filter(|_| asked).and_then(|plan| beyond(plan, env.state));
    if card.gates > 0 || beyond.is_some() {
        rows.push(Row::new());
    }
    let from = rows.len();
    rows.extend(beyond.iter().flat_map(|words| {
        let lead = Row::of("  goes beyond ", Slot::Soft);
        hang(&lead, &Row::of(words, Slot::Warn).pieces, env.width)
    }));
    // A line that runs stands as it is: marks of code in it are commands.
    rows.extend(lines.flat_map(|line| step(line, env.width)));
    card.gate_rows = from..rows.len();
}

pub(super) fn question_rows(q: &Question, open: bool, env: &Env<'_>, rows: &mut Vec<Row>) {
    let g = env.glyphs;
    let told = q.answer.as_ref().is_none_or(String::is_empty);
    if q.above && told {
        return;
    }
    let (mark, ink) = match (&q.answer, q.failed) {
        (_, true) => (g.failed, Slot::Bad),
        (None, false) => (g.waits, Slot::Warn),
        (Some(_), false) if q.fell => (g.skipped, Slot::Soft),
        (Some(_), false) => (g.done, Slot::Soft),
    };
    let lead = Row::of(mark, ink).and(" ", Slot::Text);
    if let Some(answer) = q.answer.as_deref().filter(|_| !open) {
        rows.push(settled(lead, &q.message, answer, env));
        return;
    }
    if q.answer.is_none() && stands_in_bar(q, env) {
        rows.push(lead.and("Asks you below", Slot::Soft).cut(env.width, g.ellipsis));
        return;
    }
    let mut first = true;
    for line in Clean::text(&q.message).lines() {
        // What is set in is what would be done: it stands as it is.
        let words = if line.starts_with("  ") { Row::of(line, Slot::Text) } else { coded(line, Slot::Text) };
        for wrapped in indented(&words.pieces, env.width.saturating_sub(2)) {
            let mut row = if first { lead.clone() } else { Row::of("  ", Slot::Text) };
            first = false;
            row.pieces.extend(wrapped.pieces);
            rows.push(row.cut(env.width, g.ellipsis));
        }
    }
    for line in wrap(&coded(&q.hint, Slot::Soft).pieces, env.width.saturating_sub(2)) {
        if !q.hint.is_empty() {
            let mut row = Row::of("  ", Slot::Text);
            row.pieces.extend(line.pieces);
            rows.push(row.cut(env.width, g.ellipsis));
        }
    }
    let is_chosen = |choice: &String| q.answer.as_ref() == Some(choice);
    for (n, choice) in q.choices.iter().enumerate() {
        let mark = if is_chosen(choice) { g.done } else { " " };
        let lead = Row::of(mark, Slot::Ok).and(&format!(" {}. ", n + 1), Slot::Accent);
        rows.extend(hang(&lead, &coded(&Clean::line(choice), Slot::Text).pieces, env.width));
    }
    let answer = q.answer.iter().filter(|_| !q.choices.iter().any(is_chosen));
    for line in answer.flat_map(|answer| answer.lines()) {
        let line = Row::of(&Clean::line(line), Slot::Soft);
        rows.extend(hang(&Row::of("  ", Slot::Text), &line.pieces, env.width));
    }
}

/// Whether the bar has room for all that is asked, with the choices: it is no narrower than this.
fn stands_in_bar(q: &Question, env: &Env<'_>) -> bool {
    let columns = env.width.saturating_sub(6);
    let rows =
        |text: &str| Clean::text(text).lines().map(|line| parts(line, columns, columns).len()).sum::<usize>();
    let choices: usize = q.choices.iter().map(|choice| rows(choice)).sum();
    let words = matches!(q.kind, CheckpointKind::Clarification(_));
    words && rows(&q.message) <= bar::FACT_ROWS && choices <= bar::OPTION_ROWS
}

/// What was asked and what was said to it, in one row: both are told, and as much of the question as leaves room.
fn settled(lead: Row, message: &str, answer: &str, env: &Env<'_>) -> Row {
    let first = |text: &str| Clean::text(text).lines().next().map(str::to_owned).unwrap_or_default();
    let room = env.width.saturating_sub(lead.width());
    if answer.is_empty() {
        let asked = coded(&Clean::line(&first(message)), Slot::Soft);
        return lead.with(asked).cut(env.width, env.glyphs.ellipsis);
    }
    let answer = coded(&Clean::line(&first(answer)), Slot::Text).cut(room / 2, env.glyphs.ellipsis);
    let dash = format!(" {} ", env.glyphs.skipped);
    let left = room.saturating_sub(answer.width() + row::width(&dash));
    let asked = coded(&Clean::line(&first(message)), Slot::Soft).cut(left, env.glyphs.ellipsis);
    lead.with(asked).and(&dash, Slot::Soft).with(answer)
}

/// What a review asks about, for as long as it does: opened again, a session asks anew, and further below.
pub(super) fn waits_rows(list: &[ProposalId], review: CheckpointId, env: &Env<'_>, rows: &mut Vec<Row>) {
    if !env.state.open.contains_key(&review) {
        return;
    }
    let g = env.glyphs;
    let mut open: Vec<&Proposal> = env.state.open_proposals().filter(|p| list.contains(&p.id)).collect();
    // By path, as the diff has them.
    open.sort_by(|a, b| a.path.cmp(&b.path));
    let files = open.len();
    if files > WAITS_ROWS {
        let hunks = || open.iter().flat_map(|p| &p.hunks);
        let (added, removed) =
            (hunks().map(Hunk::added).sum::<usize>(), hunks().map(Hunk::removed).sum::<usize>());
        let what =
            format!("   +{added} -{removed}   {} undecided", open.iter().map(|p| p.tally().2).sum::<usize>());
        let row = Row::of(g.waits, Slot::Warn).and(&format!(" {files} files wait for you"), Slot::Text);
        return rows.push(row.and(&what, Slot::Soft).cut(env.width, g.ellipsis));
    }
    for p in open {
        let (_, _, undecided) = p.tally();
        let all = p.hunks.len();
        let what = match (p.kind, undecided) {
            (pilothouse_core::tool::ChangeKind::Delete, _) => "its removal waits for you".to_owned(),
            (_, 0) => "decided, not written yet".to_owned(),
            (_, n) if n == all => format!(
                "{} for you",
                if n == 1 { "1 hunk waits".to_owned() } else { format!("{n} hunks wait") }
            ),
            (_, n) => format!("{n} of {all} hunks {} for you", if n == 1 { "waits" } else { "wait" }),
        };
        let room = env.width.saturating_sub(2);
        let path = row::fit_path(&Clean::line(p.path.as_str()), room, g.ellipsis);
        let row = Row::of(g.waits, Slot::Warn).and(" ", Slot::Text).and(&path, Slot::Text);
        let row = row.and("   ", Slot::Text).and(&what, Slot::Soft);
        let (added, removed) = (p.hunks.iter().map(Hunk::added), p.hunks.iter().map(Hunk::removed));
        let counts = format!("+{} -{}", added.sum::<usize>(), removed.sum::<usize>());
        rows.push(row.ends(Row::of(&counts, Slot::Faint), env.width, g.ellipsis));
    }
}
