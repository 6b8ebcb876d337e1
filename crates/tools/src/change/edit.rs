//! `edit`: exact replacements in one file, all or none.
//!
//! Owns their order and what is said when one does not fit. Works on bytes: what stands outside a
//! match stays as it is.

use pilothouse_core::{
    diff,
    encoding::Encoding,
    redact::{self, Redactor},
    shell::Act,
    tool::{Edit, Replacement, ToolOutcome},
};

use super::{
    form,
    matching::{Ending, Found, Needle},
    nearest, numbered, propose, refuse_binary, sight,
};
use crate::{
    files::{count, missing},
    sight::LaneView,
};

/// At most this many line numbers are named.
const LINES_NAMED: usize = 10;

/// Proposes replacements.
pub(crate) fn edit(eyes: LaneView<'_>, args: &Edit) -> Result<ToolOutcome, String> {
    // What does not fit is quoted, so an edit reads as well.
    let sight = sight(eyes, &args.path, "edit", &[Act::Read, Act::Write])?;
    let start = match sight.start_edit() {
        Ok(start) => start,
        Err(why) => return Ok(sight.refused(eyes, &why)),
    };
    let Some(content) = &start.content else {
        return Err(missing(eyes, sight.path.as_str(), "use write to propose a new file"));
    };
    refuse_binary(&sight, &start)?;
    let path = sight.path.as_str();
    let file = sight.disk.as_deref().unwrap_or(content);
    let mut alone = false;
    let edited = form::edited(file, content, |encoding, text| {
        alone = sight.is_foreign() && stand_once(eyes.redactor, path, text, &args.edits);
        replace_all(eyes.redactor, path, (encoding, text), &args.edits)
    });
    let (after, replaced) = match edited {
        Ok(edited) => edited,
        Err(why) => return Ok(sight.misfit(eyes, content, why)),
    };
    if after == *content {
        let text = "the edits change nothing: old and new are the same; nothing was proposed. Give in new what is to stand \
                    there, or go on where it stands already";
        return Err(text.to_owned());
    }
    if !alone && let Err(why) = sight.reaches(&start, &after, eyes) {
        return Ok(sight.refused(eyes, &why));
    }
    let foreign = alone.then(|| sight.foreign_note(eyes));
    let mut outcome = propose(sight, &start, Some(after), &format!(", {}", count(replaced, "replacement")))?;
    if let Some(ToolOutcome { text, seen, parts, .. }) = foreign {
        outcome.text.push_str(&text);
        (outcome.seen, outcome.parts) = (seen, parts);
    }
    Ok(outcome)
}

/// Whether all that is replaced stands in a text exactly as it is given, and once: then it is known what is changed,
/// whatever else is another than it was.
fn stand_once(redactor: &Redactor, path: &str, content: &[u8], edits: &[Replacement]) -> bool {
    edits.iter().all(|edit| {
        let Ok(Replacement { old, all, .. }) = exact(redactor, path, content, edit) else { return false };
        let stands = |at: &&[u8]| *at == old.as_bytes();
        !all && !old.is_empty() && content.windows(old.len()).filter(stands).count() == 1
    })
}

/// Applies edits in order to the text of a file in this encoding, if that is known; counts the replacements.
///
/// # Errors
/// Each that does not fit; then none counts.
pub(super) fn replace_all(
    redactor: &Redactor,
    path: &str,
    (encoding, content): (Option<Encoding>, &[u8]),
    edits: &[Replacement],
) -> Result<(Vec<u8>, usize), String> {
    let (mut now, mut replaced, mut wrong) = (content.to_vec(), 0, Vec::new());
    for (n, edit) in edits.iter().enumerate() {
        match replace_one(redactor, path, (encoding, content, &now), edit) {
            Ok((next, times)) => {
                now = next;
                replaced += times;
            }
            Err(why) if edits.len() > 1 => wrong.push(format!("edit {} of {}: {why}", n + 1, edits.len())),
            Err(why) => wrong.push(why),
        }
    }
    if wrong.is_empty() {
        return Ok((now, replaced));
    }
    Err(format!("{}; nothing was proposed", wrong.join("\n")))
}

/// Applies one edit to what the edits before it made of the text that was read.
fn replace_one(
    redactor: &Redactor,
    path: &str,
    (encoding, content, now): (Option<Encoding>, &[u8], &[u8]),
    edit: &Replacement,
) -> Result<(Vec<u8>, usize), String> {
    // Lines are named as they stand in the file that was read, whatever the edits before made of it.
    let line = |at: usize| as_read(content, now, at);
    let exact = exact(redactor, path, now, edit)?;
    if encoding.is_none() && !exact.new.is_ascii() {
        let text = "the file is not UTF-8, so only ASCII text can be put into it: say it in that, or leave it to a command";
        return Err(text.to_owned());
    }
    let mut next = replace(now, &exact, &line)?;
    if let (None, Some(plain)) = (&next, numbered::without(&exact)?) {
        next = replace(now, &plain, &line)?;
    }
    next.ok_or_else(|| not_found(redactor, path, now, edit, &line))
}

/// The edit with the secrets of the file in the place of their marks.
fn exact(redactor: &Redactor, path: &str, content: &[u8], edit: &Replacement) -> Result<Replacement, String> {
    let text = String::from_utf8_lossy(content);
    let (old, new) = redact::restore_edit(redactor, path, &text, &edit.old, &edit.new)?;
    Ok(Replacement { old, new, ..edit.clone() })
}

/// Replaces; `None` when `old` does not occur.
fn replace(
    content: &[u8],
    edit: &Replacement,
    line: &impl Fn(usize) -> usize,
) -> Result<Option<(Vec<u8>, usize)>, String> {
    if edit.old.is_empty() {
        return Err(
            "old is empty; give the exact text to replace, or use write for the whole file".to_owned()
        );
    }
    // The last line of a file may lack its end, which whole lines have.
    if edit.whole_lines && edit.old.ends_with('\n') && !content.is_empty() && !content.ends_with(b"\n") {
        let ended = [content, Ending::of(content).unwrap_or(Ending::Lf).write("\n").as_bytes()].concat();
        return Ok(replace(&ended, edit, line)?.map(|(after, times)| (without_end(after), times)));
    }
    let needle = Needle::new(content, &edit.old).only(edit.whole_word, edit.whole_lines);
    let found = needle.all(content);
    let Some(first) = found.first() else { return Ok(None) };
    if !edit.all && needle.more_than_one(content, *first) {
        return Err(ambiguous(content, &needle.overlapping(content), line));
    }
    let verbatim = edit.new.contains("\r\n") || !edit.new.contains('\n');
    let mut out = Vec::with_capacity(content.len() + edit.new.len());
    let mut at = 0;
    for hit in &found {
        out.extend_from_slice(content.get(at..hit.start).unwrap_or_default());
        if verbatim {
            out.extend_from_slice(edit.new.as_bytes());
        } else {
            let ending = Ending::of(content.get(hit.start..hit.end).unwrap_or_default())
                .or_else(|| Ending::of(content))
                .unwrap_or(Ending::Lf);
            out.extend_from_slice(ending.write(&edit.new).as_bytes());
        }
        at = hit.end;
    }
    out.extend_from_slice(content.get(at..).unwrap_or_default());
    Ok(Some((out, found.len())))
}

/// Without the end of its last line.
fn without_end(mut text: Vec<u8>) -> Vec<u8> {
    for end in [b'\n', b'\r'] {
        if text.last() == Some(&end) {
            text.pop();
        }
    }
    text
}

fn not_found(
    redactor: &Redactor,
    path: &str,
    content: &[u8],
    edit: &Replacement,
    line: &impl Fn(usize) -> usize,
) -> String {
    let anywhere = || !Needle::new(content, &edit.old).all(content).is_empty();
    if edit.whole_lines && anywhere() {
        return "old does not occur as whole lines, only within others; give them whole".to_owned();
    }
    if edit.whole_word && anywhere() {
        return "old does not occur as a word of its own, only inside others; leave out whole_word"
            .to_owned();
    }
    // Quoted as the model was shown it.
    let text = String::from_utf8_lossy(content);
    let shown = redactor.mask_file(path, &text);
    match nearest::line(shown.as_bytes(), &edit.old, line) {
        Some(near) => {
            format!("old does not occur in the file; {near}; read the file and copy the text exactly")
        }
        None => "old does not occur in the file; read the file and copy the text exactly".to_owned(),
    }
}

/// The line of the file as it was read that stands at this line, from 1, after some edits; the first of those in
/// whose place it came.
fn as_read(first: &[u8], now: &[u8], line: usize) -> usize {
    let at = line.saturating_sub(1);
    let (mut now_end, mut first_end) = (0, 0);
    for change in diff::hunks(first, now).iter().flat_map(|h| &h.changes) {
        if change.new.end() <= at {
            (now_end, first_end) = (change.new.end(), change.old.end());
        } else if change.new.start <= at {
            return change.old.start + 1;
        }
    }
    at - now_end + first_end + 1
}

fn ambiguous(content: &[u8], found: &[Found], line: &impl Fn(usize) -> usize) -> String {
    let at = |f: &Found| line(content.iter().take(f.start).filter(|b| **b == b'\n').count() + 1);
    let mut lines: Vec<String> = found.iter().take(LINES_NAMED).map(|f| at(f).to_string()).collect();
    if found.len() > LINES_NAMED {
        lines.push("…".to_owned());
    }
    format!(
        "old occurs {} times (lines {}); add lines around it until it is unique, or set all to replace every one",
        found.len(),
        lines.join(", ")
    )
}
