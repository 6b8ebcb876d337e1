//! Short answers and words to the workbench itself: yes, no, stop, where are we, start over.
//!
//! Owns what such a message means in each phase. Never reads a longer request.

use super::{
    lexicon::{Hit, Tag},
    structure::{Clause, Form, Structure},
    text::{Doc, Kind, Token},
    turn::{Control, Mode, Phase, Turn},
    words::List,
};

/// The tags of the phrases that cover the whole message, in order; `None` when words are left over.
pub(crate) fn cover(doc: &Doc, s: &Structure<'_>) -> Option<Vec<Vec<Tag>>> {
    let (found, at) = prefix(doc, s);
    let found: Vec<_> = found.into_iter().map(|(_, tags)| tags).collect();
    (at >= doc.tokens.len() && found.iter().any(|t| !t.is_empty())).then_some(found)
}

/// The same for as much of the head as can be covered, each with where it begins, and where that ends.
fn prefix(doc: &Doc, s: &Structure<'_>) -> (Vec<(usize, Vec<Tag>)>, usize) {
    let mut found = Vec::new();
    let mut i = 0;
    while let Some(token) = doc.tokens.get(i) {
        if token.kind == Kind::Punct
            || (token.kind == Kind::Word
                && !token.text.chars().any(char::is_alphanumeric)
                && !token.text.chars().any(|c| c as u32 > 0x2000))
        {
            i += 1;
            continue;
        }
        if token.kind == Kind::Cjk {
            match run(i, token, s) {
                Some(tags) => found.push((i, tags)),
                None => break,
            }
            i += 1;
            continue;
        }
        let here = |h: &&Hit| h.start == i && h.bytes == 0 && (h.tag.is_whole() || h.tag == Tag::Filler);
        let Some(len) = s.hits.iter().filter(here).map(|h| h.len).max() else { break };
        let longest = |h: &&Hit| h.len == len && h.tag != Tag::Filler;
        found.push((i, s.hits.iter().filter(here).filter(longest).map(|h| h.tag).collect()));
        i += len;
    }
    (found, i)
}

/// A run without spaces that is one answer, particles aside.
fn run(i: usize, token: &Token, s: &Structure<'_>) -> Option<Vec<Tag>> {
    let mut at = 0;
    let mut tags: Vec<Tag> = Vec::new();
    while at < token.text.len() {
        let here = |h: &&Hit| {
            h.start == i && h.bytes > 0 && h.offset == at && (h.tag.is_whole() || h.tag == Tag::Filler)
        };
        if let Some(len) = s.hits.iter().filter(here).map(|h| h.bytes).max() {
            let found: Vec<Tag> = s
                .hits
                .iter()
                .filter(here)
                .filter(|h| h.bytes == len && h.tag != Tag::Filler)
                .map(|h| h.tag)
                .collect();
            if !found.is_empty() {
                tags = found;
            }
            at += len;
            continue;
        }
        let rest = token.text.get(at..)?;
        at += s
            .known
            .words
            .list(List::Particle)
            .iter()
            .map(|p| &**p)
            .chain([" "])
            .find(|p| rest.starts_with(p))?
            .len();
    }
    Some(tags)
}

/// Whether a clause asks and is no polite order: "ok?", "retry?"; "can we start?" is one.
pub(crate) fn is_asked(doc: &Doc, s: &Structure<'_>, c: &Clause) -> bool {
    c.marked && !is_polite(doc, s, c)
}

/// Whether a clause orders in the form of a question.
pub(crate) fn is_polite(doc: &Doc, s: &Structure<'_>, c: &Clause) -> bool {
    // "try" alone asks for nothing.
    let requests =
        |h: &Hit| h.tag == Tag::Req && (h.len > 1 || h.bytes > 0) && h.start >= c.start && h.start < c.end;
    let words: Vec<&str> = c.tokens(doc).iter().map(|t| t.text.as_str()).collect();
    let polite = |n: usize| words.windows(n).any(|part| s.known.is(List::AskPolite, &part.join(" ")));
    c.form == Form::Request || s.hits.iter().any(requests) || (1..=2).any(polite)
}

/// Whether behind the last yes of a message one is asked to wait: "ok wait", "looks good, but hold on a second".
pub(crate) fn puts_off(doc: &Doc, s: &Structure<'_>) -> bool {
    let phrases = s.known.words.list(List::Hold);
    let holds = |i: usize, t: &Token| {
        let rest = doc.tokens.get(i..).unwrap_or_default();
        let spoken = |phrase: &str| {
            phrase.split(' ').enumerate().all(|(n, w)| rest.get(n).is_some_and(|t| t.text == w))
        };
        let here = |phrase: &str| {
            let run = t.kind == Kind::Cjk;
            let at = if run { t.text.find(phrase) } else { spoken(phrase).then_some(0) };
            at.map(|at| (at, if run { 1 } else { phrase.split(' ').count() }))
        };
        let (at, len) = phrases.iter().filter_map(|phrase| here(phrase)).max_by_key(|(_, len)| *len)?;
        Some(((i, at), i + len))
    };
    let held: Vec<_> = doc.tokens.iter().enumerate().filter_map(|(i, t)| holds(i, t)).collect();
    let Some((at, end)) = held.last() else { return false };
    let yes = s.hits.iter().filter(|h| matches!(h.tag, Tag::WApprove | Tag::WProceed));
    let before = |h: &Hit| (h.start, h.offset) < *at;
    let (before, behind): (Vec<_>, Vec<_>) = yes.partition(|h| before(h));
    !before.is_empty() && !behind.iter().any(|h: &&Hit| h.start >= *end)
}

/// Whether a message says that nothing speaks against it: "I don't mind", "kein Problem, mach". It is no no.
pub(crate) fn minds_nothing(doc: &Doc, s: &Structure<'_>) -> bool {
    let word = |i: usize| doc.tokens.get(i).filter(|t| t.kind == Kind::Word).map_or("", |t| t.text.as_str());
    let is = |i: usize, lists: &[List]| lists.iter().any(|list| s.known.is(*list, word(i)));
    let denies = |i: usize| is(i, &[List::Not, List::Nothing, List::NothingAfter, List::NotNone]);
    let small = [List::Pronoun, List::Determiner, List::Preposition, List::Subject, List::ObjectionTail];
    let denied = |c: &Clause| {
        let Some(at) = (c.start..c.end).rfind(|i| is(*i, &[List::Objection])) else { return false };
        let Some(no) = (c.start..at).rfind(|i| denies(*i)) else { return false };
        // "this doesn't solve the problem": another verb stands before it.
        let near = |i: usize| is(i, &[List::Determiner, List::ObjectionGap]);
        let before = |i: usize| near(i) || denies(i) || is(i, &small) || is(i, &[List::Aux]);
        (no + 1..at).all(near) && (c.start..no).all(before) && (at + 1..c.end).all(|i| is(i, &small))
    };
    let agrees = |c: &Clause| {
        let yes = |h: &&Hit| matches!(h.tag, Tag::WApprove | Tag::WProceed | Tag::Filler) && h.bytes == 0;
        (c.start..c.end).all(|i| s.hits.iter().filter(yes).any(|h| (h.start..h.start + h.len).contains(&i)))
    };
    let mut clauses = s.clauses.iter().filter(|c| c.form != Form::Empty);
    s.clauses.iter().any(denied) && clauses.all(|c| !c.marked && (denied(c) || agrees(c)))
}

/// Whether a yes is not yet one: "looks good, but wait for kim", "yes if you drop the deletion", "almost good".
pub(crate) fn depends(doc: &Doc, s: &Structure<'_>) -> bool {
    let is = |i: usize, list| doc.tokens.get(i).is_some_and(|t| s.known.is(list, &t.text));
    let phrase = |i: usize, list| {
        let words: Vec<&str> = doc.tokens.iter().skip(i).take(5).map(|t| t.text.as_str()).collect();
        (1..=words.len()).rev().find(|n| words.get(..*n).is_some_and(|w| s.known.is(list, &w.join(" "))))
    };
    let yes = s.hits.iter().filter(|h| matches!(h.tag, Tag::WApprove | Tag::WProceed) && h.bytes == 0);
    let Some(end) = yes.map(|h| h.start + h.len).min() else { return false };
    let frames = |i: usize| is(i, List::But) || is(i, List::Frame) || phrase(i, List::HaltSelf).is_some();
    let hurries = |i: usize| (end..=i).any(|at| phrase(at, List::AtOnce).is_some_and(|n| i < at + n));
    let behind = (end..doc.tokens.len()).any(|i| frames(i) && !hurries(i));
    behind || (0..end).any(|i| is(i, List::Almost))
}

/// Whether a message ends in such a question.
pub(crate) fn only_asks(doc: &Doc, s: &Structure<'_>) -> bool {
    s.clauses.last().is_some_and(|c| is_asked(doc, s, c))
}

/// What a covered message says in a phase. What it only asks it does not say: "ok?" is no yes, and of "go ahead? no" the
/// no counts.
pub(crate) fn said(doc: &Doc, s: &Structure<'_>, phase: Phase, text: &str) -> Option<Turn> {
    let (found, _) = prefix(doc, s);
    let asked = |at: usize| s.clauses.iter().any(|c| c.start <= at && at < c.end && is_asked(doc, s, c));
    let (asked, told): (Vec<_>, Vec<_>) = found.into_iter().partition(|(at, _)| asked(*at));
    let tags = |part: Vec<(usize, Vec<Tag>)>| part.into_iter().map(|(_, tags)| tags).collect::<Vec<_>>();
    let (asked, told) = (tags(asked), tags(told));
    if !told.iter().all(Vec::is_empty) {
        let agrees = |t: &Turn| matches!(t, Turn::Control(Control::Approve | Control::Proceed));
        return turn(&told, phase, text).filter(|turn| !(agrees(turn) && puts_off(doc, s)));
    }
    turn(&asked, phase, text).filter(|turn| {
        let Turn::Control(word) = turn else { return true };
        matches!(word, Control::Help | Control::Status | Control::ModeSwitch(_) | Control::Other(_))
    })
}

fn turn(found: &[Vec<Tag>], phase: Phase, text: &str) -> Option<Turn> {
    let any = |tag: Tag| found.iter().any(|t| t.contains(&tag));
    let only = |tag: Tag| found.iter().any(|t| t.contains(&tag) && !t.contains(&Tag::WApprove));
    let parted = text.contains([',', '.', ';', '!', '，', '。', '、', '\n']);
    if phase == Phase::AwaitingApproval && only(Tag::WReject) && any(Tag::WApprove) && !parted {
        // "no está bien", "not ok": the yes is negated
        return Some(Turn::Control(Control::Cancel));
    }
    let strong = |t: &&Vec<Tag>| t.iter().any(|t| !matches!(t, Tag::WApprove | Tag::Greet | Tag::WReject));
    let tags = found
        .iter()
        .rev()
        .find(strong)
        .or_else(|| found.iter().rev().find(|t| t.iter().any(|t| *t != Tag::Greet)))
        .or_else(|| found.iter().rev().find(|t| !t.is_empty()))?;
    let has = |tag: Tag| tags.contains(&tag);
    let idle = phase == Phase::Idle;
    let control = |c: Control| Some(Turn::Control(c));
    if has(Tag::WRedo) && (phase == Phase::Failed || !has(Tag::WApprove)) {
        return control(Control::Redo);
    }
    for (tag, word) in [
        (Tag::WReset, Control::Reset),
        (Tag::WReplan, Control::Replan),
        (Tag::WHelp, Control::Help),
        (Tag::WStatus, Control::Status),
    ] {
        if has(tag) && !(tag == Tag::WStatus && has(Tag::Greet)) {
            return control(word);
        }
    }
    if has(Tag::WCancel) || (has(Tag::WExit) && !idle && has(Tag::WReject)) {
        return control(Control::Cancel);
    }
    if has(Tag::WExit) {
        return control(Control::Exit);
    }
    if has(Tag::WReject) && (idle || !has(Tag::WApprove)) {
        return control(Control::Cancel);
    }
    if has(Tag::WProceed) {
        return control(if phase == Phase::AwaitingApproval { Control::Approve } else { Control::Proceed });
    }
    if has(Tag::WApprove) && !(idle && has(Tag::Greet)) {
        return control(if phase == Phase::AwaitingApproval || idle {
            Control::Approve
        } else {
            Control::Proceed
        });
    }
    // "thanks", "hmm": no yes, whatever is asked.
    has(Tag::Greet).then_some(Turn::Query(None))
}

/// Keys that the phase's own question offers (T-17); where it asks nothing, "q" and "quit" leave (C-11).
pub(crate) fn letter(text: &str, phase: Phase) -> Option<Turn> {
    let key = text.trim().trim_end_matches(['.', '!']).to_lowercase();
    let control = match (phase, key.as_str()) {
        (Phase::Failed, "r") => Control::Redo,
        (Phase::Failed, "p" | "modify the plan") => Control::Replan,
        (Phase::Failed, "a" | "abandon" | "start over" | "q" | "quit" | "abort")
        | (Phase::AwaitingApproval, "q" | "quit" | "abort")
        | (Phase::Executing | Phase::Planning, "abort") => Control::Cancel,
        (Phase::Idle | Phase::Executing | Phase::Planning, "q" | "quit") => Control::Exit,
        (Phase::AwaitingApproval, "e" | "edit") => return Some(Turn::PlanContinue),
        _ => return None,
    };
    Some(Turn::Control(control))
}

/// The mode that a message switches to, if it does.
pub(crate) fn mode(s: &Structure<'_>, asks: bool) -> Option<Mode> {
    let at = |tag: Tag| s.hits.iter().filter(|h| h.tag == tag).map(|h| (h.start, h.offset)).max();
    if asks {
        return None;
    }
    match (at(Tag::ModeProof), at(Tag::ModeExplore)) {
        (Some(_), Some(_)) => Some(Mode::Exploratory).filter(|_| leaves(s)).or_else(|| {
            at(Tag::ModeExplore)
                .max(at(Tag::ModeProof))
                .map(|m| if Some(m) == at(Tag::ModeProof) { Mode::Proof } else { Mode::Exploratory })
        }),
        (Some(_), None) => Some(Mode::Proof),
        (None, Some(_)) => Some(Mode::Exploratory),
        (None, None) => None,
    }
}

/// "leave proof mode" names the mode that is left.
fn leaves(s: &Structure<'_>) -> bool {
    s.hits.iter().any(|h| h.tag == Tag::ModeExplore && h.len >= 3)
}
