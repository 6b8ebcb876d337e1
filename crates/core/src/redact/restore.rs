//! Marks in a proposed change put back to what they stand for in the file.
//!
//! Owns the way back. A change is byte-exact: a mark that stands for nothing in the file is refused,
//! so that none is ever written in the place of a secret.

use super::{Kind, Redactor, marks};

/// The exact form of a replacement whose `old` and `new` may hold marks that `content` was shown with.
///
/// # Errors
/// When a mark cannot be traced to one secret of the file, in words for the model.
pub fn restore_edit(
    redactor: &Redactor,
    path: &str,
    content: &str,
    old: &str,
    new: &str,
) -> Result<(String, String), String> {
    let (in_old, in_new) = (kinds(old), kinds(new));
    if in_old.is_empty() && in_new.is_empty() {
        return Ok((old.to_owned(), new.to_owned()));
    }
    let secrets = secrets(redactor, path, content);
    let spoken = kinds(content);
    let about = |k: &Kind| in_old.contains(k) || (secrets.is_empty() && spoken.contains(k));
    if content.contains(old) && in_new.iter().all(about) {
        // The file holds the marks themselves: it is a text about them.
        return Ok((old.to_owned(), new.to_owned()));
    }
    let mut fitting: Vec<Vec<&str>> = Vec::new();
    for run in secrets.windows(in_old.len().max(1)).filter(|_| !in_old.is_empty()) {
        let values: Vec<&str> = run.iter().map(|(_, v)| *v).collect();
        let alike = run.iter().map(|(k, _)| *k).eq(in_old.iter().copied());
        if alike && !fitting.contains(&values) && occurs(content, &put(old, &values)) {
            fitting.push(values);
        }
    }
    match fitting.as_slice() {
        [values] => Ok((put(old, values), renew(new, &in_old, values)?)),
        [] if in_old.is_empty() => Err(format!("new holds {}; {UNKNOWN}", first(new))),
        [] => Err(format!(
            "old holds {}, but no secret of the file stands there; read the file again",
            first(old)
        )),
        _ => Err(format!(
            "{} in old may stand for several secrets; take more lines around it into old",
            first(old)
        )),
    }
}

/// The exact form of a whole new content that may hold marks for secrets of the content before.
///
/// # Errors
/// When its marks are not those of the file, one for one, in words for the model.
pub fn restore_whole(redactor: &Redactor, path: &str, before: &str, after: &str) -> Result<String, String> {
    let wanted = kinds(after);
    if wanted.is_empty() {
        return Ok(after.to_owned());
    }
    if kinds(before).len() >= wanted.len() {
        return Ok(after.to_owned());
    }
    let secrets = secrets(redactor, path, before);
    if !secrets.iter().map(|(k, _)| *k).eq(wanted.iter().copied()) {
        return Err(format!(
            "the content holds {}; {UNKNOWN}; change the lines around it with edit instead",
            first(after)
        ));
    }
    let values: Vec<&str> = secrets.iter().map(|(_, v)| *v).collect();
    Ok(put(after, &values))
}

const UNKNOWN: &str = "it stands for a text that you were not shown, so it can only stay where it is";

fn kinds(text: &str) -> Vec<Kind> {
    marks(text).map(|(_, k)| k).collect()
}

fn first(text: &str) -> &'static str {
    marks(text).next().map_or("a mark", |(_, k)| k.mark())
}

fn secrets<'a>(redactor: &Redactor, path: &str, content: &'a str) -> Vec<(Kind, &'a str)> {
    let found = redactor.secrets_of_file(path, content);
    found.iter().filter_map(|s| Some((s.kind, content.get(s.start..s.end)?))).collect()
}

/// Whether a text occurs, whatever the line endings.
fn occurs(content: &str, old: &str) -> bool {
    content.contains(old) || content.replace("\r\n", "\n").contains(&old.replace("\r\n", "\n"))
}

/// The text with these values in the place of its marks, in order.
fn put(text: &str, values: &[&str]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for ((place, kind), value) in marks(text).zip(values) {
        out.push_str(text.get(at..place).unwrap_or_default());
        out.push_str(value);
        at = place + kind.mark().len();
    }
    out.push_str(text.get(at..).unwrap_or_default());
    out
}

/// The new text with the secrets of the old one, each mark by its place among those of its kind.
fn renew(new: &str, in_old: &[Kind], values: &[&str]) -> Result<String, String> {
    let mut taken: Vec<&str> = Vec::new();
    let wanted = kinds(new);
    for (n, kind) in wanted.iter().enumerate() {
        let nth = wanted.iter().take(n).filter(|k| *k == kind).count();
        let mut same = in_old.iter().zip(values).filter(|(k, _)| *k == kind).map(|(_, v)| *v);
        let value =
            same.nth(nth).ok_or_else(|| format!("new holds more {} than old; {UNKNOWN}", kind.mark()))?;
        taken.push(value);
    }
    Ok(put(new, &taken))
}
