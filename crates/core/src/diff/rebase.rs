//! A change carried over to a text that others changed as well.
//!
//! Owns what of both stands in it, and where they meet. Never decides which of them is right.

use super::{Change, Joints, Lines, Newlines, hunks, lines};

/// A change carried over to a text that others changed as well.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rebased {
    /// The text with both changes; where they meet, with this one. Lines that both put in at one place both stand there,
    /// those of the others first.
    pub text: Vec<u8>,
    /// The lines of what the others made of it where they meet and differ: those that are none of the text of before.
    pub meets: Vec<Lines>,
}

/// The places of a text that two sides changed, each alone or both. Changes that no line lies between are one place, but
/// for lines that are only put in beside the other side's change.
fn places(ours: &[Change], theirs: &[Change]) -> Vec<Lines> {
    let mut spans: Vec<Lines> = ours.iter().chain(theirs).map(|c| c.old).collect();
    spans.sort_by_key(|span| (span.start, span.end()));
    let mut places: Vec<Lines> = Vec::new();
    for span in spans {
        let meets = |last: &Lines| {
            span.start < last.end() || span.start == last.end() && (span.len == 0) == (last.len == 0)
        };
        match places.last_mut().filter(|last| meets(last)) {
            Some(last) => last.len = last.end().max(span.end()) - last.start,
            None => places.push(span),
        }
    }
    places
}

/// The change from `before` to `after` carried over to `now`, beside what others changed from `before` to `now`.
pub fn rebase(before: &[u8], after: &[u8], now: &[u8]) -> Rebased {
    let changes = |to: &[u8]| hunks(before, to).into_iter().flat_map(|h| h.changes).collect::<Vec<_>>();
    let (ours, theirs) = (changes(after), changes(now));
    let joints = Joints::of(&[before, after, now]);
    let (was, is) = (Newlines::of(before), Newlines::of(now));
    let (old, new, now) = (lines(before), lines(after), lines(now));
    let (mut text, mut meets, mut at, mut start) = (Vec::new(), Vec::new(), 0, 0);
    for place in places(&ours, &theirs) {
        joints.extend(&mut text, old.get(at..place.start));
        start += place.start - at;
        at = place.end();
        let own = within(&joints, (&old, &new), &ours, place);
        let other = within(&joints, (&old, &now), &theirs, place);
        let kept = old.get(place.start..at).unwrap_or_default().concat();
        let others = is.lines(&other);
        if place.len == 0 && !old.is_empty() && stand_together(&is.lines(&own), &others) {
            joints.extend(&mut text, Some(&others));
            joints.extend(&mut text, Some(&is.lines(&own)));
            start += others.len();
            continue;
        }
        if own != other && own != kept && other != kept {
            let new = new_lines(&was.lines(&kept), &others);
            meets.push(Lines { start: start + new.start, len: new.len });
        }
        start += others.len();
        text.extend(if own == kept { other } else { own });
    }
    joints.extend(&mut text, old.get(at..));
    Rebased { text, meets }
}

/// Whether lines that two sides put in at one place are two things, and not one that each made its way: that begins alike,
/// or holds the other.
fn stand_together(own: &[&[u8]], others: &[&[u8]]) -> bool {
    let holds = |all: &[&[u8]], part: &[&[u8]]| all.windows(part.len().max(1)).any(|some| some == part);
    let are_two = !own.is_empty() && !others.is_empty() && first_said(own) != first_said(others);
    are_two && !holds(own, others) && !holds(others, own)
}

/// The first line that is not blank.
fn first_said<'t>(lines: &[&'t [u8]]) -> Option<&'t [u8]> {
    let is_blank = |line: &[u8]| line.iter().all(|byte| byte.is_ascii_whitespace() || *byte == 0);
    lines.iter().copied().find(|line| !is_blank(line))
}

/// The lines of a text that neither its beginning nor its end has in common with an older one.
fn new_lines(old: &[&[u8]], new: &[&[u8]]) -> Lines {
    let same = |pairs: &mut dyn Iterator<Item = (&&[u8], &&[u8])>| pairs.take_while(|(a, b)| a == b).count();
    let start = same(&mut old.iter().zip(new));
    let most = old.len().min(new.len()) - start;
    let end = same(&mut old.iter().rev().zip(new.iter().rev()).take(most));
    Lines { start, len: new.len() - start - end }
}

/// A place of the old text with what one side made of it.
fn within(joints: &Joints, (old, new): (&[&[u8]], &[&[u8]]), changes: &[Change], place: Lines) -> Vec<u8> {
    let (mut out, mut at) = (Vec::new(), place.start);
    let is_inside = |c: &Change| place.start < c.old.start && c.old.end() < place.end();
    let is_of_it = |c: &&Change| {
        place.start <= c.old.start && c.old.end() <= place.end() && (c.old.len > 0) == (place.len > 0)
            || is_inside(c)
    };
    for change in changes.iter().filter(is_of_it) {
        joints.extend(&mut out, old.get(at..change.old.start));
        joints.extend(&mut out, new.get(change.new.start..change.new.end()));
        at = change.old.end();
    }
    joints.extend(&mut out, old.get(at..place.end()));
    out
}
