//! Long texts within few bytes: head and tail, and between them how much is missing.
//!
//! Owns the marker. What was cut before is not cut a second time: one marker tells of both, by the output that has all.

use std::ops::Range;

use pilothouse_core::{
    blob::BlobId,
    event::Event,
    ids::{CallId, Seq},
    tool::Advice,
};

use super::Texts;

/// So many events at most stand between the end of a command and that of its call.
const BETWEEN: u64 = 16;
/// What is said behind the lines of a read takes no more than this.
const GO_ON_BYTES: usize = 100;
/// A cut moves to the end of a line over at most this share of what it leaves.
const LINE_SHARE: usize = 4;

/// Head and tail of a long text with a marker between that says how much is missing.
pub fn cut(text: &str, most: usize) -> String {
    match missing(text, most) {
        None => text.to_owned(),
        Some(gap) => around(text, &gap, &format!("[… {} bytes left out …]", gap.len())),
    }
}

/// The result of a call with what is said beside it, where the marker also says how the model can read what is missing; and whether it is whole.
pub(super) fn cut_result(texts: &dyn Texts, seq: Seq, most: usize) -> Option<(String, bool)> {
    let Event::CallEnded { call, result, notes, .. } = texts.event(seq)?.event else { return None };
    let text = Advice::below(&notes, &texts.whole(&result));
    let Some(gap) = missing(&text, most) else { return Some((text, true)) };
    let again = printed(texts, seq, call).and_then(|id| marked_anew(&text, &gap, id));
    Some((again.unwrap_or_else(|| marked(&text, &gap, result.id())), false))
}

/// The result of a read, of which as many whole lines are told from its head on as there is room for, and where it goes on
/// from there: nothing is missing between them. `None` where it is no longer than that, or no line of it fits.
pub(super) fn cut_read(texts: &dyn Texts, seq: Seq, most: usize) -> Option<String> {
    let Event::CallEnded { result, .. } = texts.event(seq)?.event else { return None };
    let text = texts.whole(&result);
    let room = most.checked_sub(GO_ON_BYTES).filter(|_| text.len() > most)?;
    let numbered = || text.lines().map_while(|line| Some((number(line)?, line)));
    let (first, end) = (numbered().next()?.0, numbered().last()?.0);
    let mut head = String::new();
    let mut last = None;
    for (n, line) in numbered().take_while(|(_, line)| line.len() < room) {
        if head.len() + line.len() >= room {
            break;
        }
        head.push_str(line);
        head.push('\n');
        last = Some(n);
    }
    let (last, total) = (last?, total(&text).unwrap_or(end));
    Some(format!("{head}(lines {first}-{last} of {total}; go on with from: {})", last + 1))
}

/// The number before a line that was read.
fn number(line: &str) -> Option<usize> {
    let (number, _) = line.trim_start().split_once("  ")?;
    number.parse().ok()
}

/// How many lines the file has, where less was read.
fn total(text: &str) -> Option<usize> {
    let (said, _) = text.lines().next_back()?.strip_prefix("(lines ")?.split_once("; go on with from: ")?;
    said.rsplit_once(" of ")?.1.parse().ok()
}

/// What the user said, where the marker says how the model can read what is missing.
pub(super) fn cut_said(text: &str, most: usize, kept: BlobId) -> String {
    match missing(text, most) {
        None => text.to_owned(),
        Some(gap) => marked_anew(text, &gap, kept).unwrap_or_else(|| marked(text, &gap, kept)),
    }
}

fn marked(text: &str, gap: &Range<usize>, kept: BlobId) -> String {
    around(text, gap, &kept.left_out(gap.len() as u64))
}

/// Likewise where the gap meets markers of the same output: one takes their place.
fn marked_anew(text: &str, gap: &Range<usize>, kept: BlobId) -> Option<String> {
    let (mut gap, mut earlier) = (gap.clone(), None);
    for (at, bytes) in kept.marks_in(text) {
        // A marker stands on a line of its own, which was not printed.
        let at = at.start.saturating_sub(1)..(at.end + 1).min(text.len());
        if at.start < gap.end && gap.start < at.end {
            gap = gap.start.min(at.start)..gap.end.max(at.end);
            earlier = Some(earlier.unwrap_or(0) + bytes.saturating_sub(at.len() as u64));
        }
    }
    Some(around(text, &gap, &kept.left_out(gap.len() as u64 + earlier?)))
}

/// The stored output of the command that a call ran, as the event before the call's end has it.
fn printed(texts: &dyn Texts, ended: Seq, of: CallId) -> Option<BlobId> {
    let before = (1..=BETWEEN).map_while(|back| texts.event(Seq(ended.0.checked_sub(back)?)));
    before.map(|e| e.event).find_map(|event| {
        if let Event::CommandExited { call, output, .. } = event
            && call == of
        {
            return output;
        }
        None
    })
}

/// The middle that goes where a text is to have at most so many bytes: whole lines, where the lines there are not long.
fn missing(text: &str, most: usize) -> Option<Range<usize>> {
    if text.len() <= most {
        return None;
    }
    let head = text.floor_char_boundary(most * 2 / 3);
    let tail = text.ceil_char_boundary(text.len() - most / 3);
    let back = text.floor_char_boundary(head - head / LINE_SHARE);
    let on = text.ceil_char_boundary(tail + most / 3 / LINE_SHARE);
    let ends = text.get(back..head).and_then(|part| part.rfind('\n')).map(|at| back + at);
    let begins = text.get(tail..on).and_then(|part| part.find('\n')).map(|at| tail + at + 1);
    Some(ends.unwrap_or(head)..begins.unwrap_or(tail))
}

fn around(text: &str, gap: &Range<usize>, mark: &str) -> String {
    let (head, tail) = (text.get(..gap.start), text.get(gap.end..));
    format!("{}\n{mark}\n{}", head.unwrap_or_default(), tail.unwrap_or_default())
}
