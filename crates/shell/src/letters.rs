//! Options of the shell's own commands: letters in clusters, of which some take the rest of their word or the next one.
//!
//! Owns which letters those are, as bash reads them. Never says what one means.

use super::expand::Field;
use super::knowledge::list;

/// The letters that take a value.
fn valued(name: &str) -> &'static str {
    let of =
        |row: &&'static str| row.split_once('=').filter(|(of, _)| *of == name).map(|(_, letters)| letters);
    list("letters with values").iter().find_map(of).unwrap_or_default()
}

/// One letter of a cluster, and its value.
pub(super) type Letter = (char, Option<Field>);

/// The letters of a builtin's options with their values, and the words behind them.
pub(super) fn split<'a>(name: &str, args: &'a [Field]) -> (Vec<Letter>, &'a [Field]) {
    let takes = valued(name);
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(word) = args.get(at) {
        at += 1;
        if word.text == "--" {
            break;
        }
        let Some(letters) = word.text.strip_prefix('-').filter(|rest| !rest.is_empty()) else {
            at -= 1;
            break;
        };
        let mut letters = letters.chars();
        while let Some(letter) = letters.next() {
            if !takes.contains(letter) {
                found.push((letter, None));
                continue;
            }
            let rest = letters.as_str();
            let value = if rest.is_empty() { args.get(at).cloned() } else { Some(word.with(rest)) };
            at += usize::from(rest.is_empty());
            found.push((letter, value));
            break;
        }
    }
    (found, args.get(at..).unwrap_or(&[]))
}
