//! Line numbers as `read` shows them, copied into an edit.
//!
//! Owns what counts as such numbers. They are only looked for where the text does not occur with them.

use pilothouse_core::tool::Replacement;

/// The edit without line numbers, where every line of what it replaces has the next one.
///
/// # Errors
/// When only some lines of the new text have one.
pub(super) fn without(edit: &Replacement) -> Result<Option<Replacement>, String> {
    let Some((numbers, old)) = split(&edit.old) else { return Ok(None) };
    if !numbers.iter().zip(numbers.iter().skip(1)).all(|(a, b)| a.checked_add(1) == Some(*b)) {
        return Ok(None);
    }
    let numbered = |line: &str| number(line).is_some_and(|(_, rest)| !rest.is_empty());
    let new = match split(&edit.new) {
        Some((_, new)) => new,
        None if edit.new.lines().any(numbered) => {
            return Err("old and some lines of new begin with line numbers; leave the numbers out".to_owned());
        }
        None => edit.new.clone(),
    };
    Ok(Some(Replacement { old, new, ..edit.clone() }))
}

/// The numbers of all lines and the text without them; `None` where a line has none.
fn split(text: &str) -> Option<(Vec<u64>, String)> {
    let mut numbers = Vec::new();
    let mut plain = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let (n, rest) = number(line)?;
        numbers.push(n);
        plain.push_str(rest);
    }
    (!numbers.is_empty()).then_some((numbers, plain))
}

/// The number at the beginning of a line and what follows it.
fn number(line: &str) -> Option<(u64, &str)> {
    let line = line.trim_start_matches(' ');
    let digits = line.find(|c: char| !c.is_ascii_digit()).unwrap_or(line.len());
    let (n, rest) = line.split_at_checked(digits)?;
    let n = n.parse().ok()?;
    if rest.trim().is_empty() {
        // The blanks behind the number of an empty line are often left out.
        return Some((n, rest.trim_start_matches([' ', '\t'])));
    }
    Some((n, rest.strip_prefix("  ").or_else(|| rest.strip_prefix('\t'))?))
}
