//! Tells a block of printed lines (a log, output, a history) from the words before it that say what to do with it.
//!
//! Owns where such a block begins and ends. Never knows what the words before it mean: without any there is no block, and
//! what forbids is looked for elsewhere in all of a text.

use std::{collections::HashMap, ops::Range};

use super::{
    is_mark_of_list,
    pasted::{is_code, is_console, is_trace, reads_as_prose},
};

/// The fewest lines of a block: fewer may be the writer's own.
const FEWEST: usize = 3;
/// The fewest words before a block on its first line, where a colon ends them.
const NAMES: usize = 3;

/// Where the block stands that a text brings along; lines in fences are told apart already.
pub(super) fn block(text: &str) -> Option<Range<usize>> {
    let (first, rest) = text.split_once('\n')?;
    if text.contains("```") || is_printed(first) || first.trim().is_empty() {
        return None;
    }
    // "why is this slow? log line 1": what was pasted begins behind the mark.
    let cut = lead(first)
        .or_else(|| opens(first))
        .filter(|cut| first.get(*cut..).is_some_and(|rest| !rest.trim().is_empty()));
    if cut.is_none() && !is_sentence(first) && lead(first).is_none() {
        return None;
    }
    let from = cut.unwrap_or(first.len() + 1);
    let lines = lines(text.get(from..)?, from);
    let shapes = repeated(&lines);
    let printed =
        |line: &&Line<'_>| is_printed(line.text) || shapes.get(&shape(line.text)).is_some_and(|n| *n > 1);
    let said = |line: &&Line<'_>| !line.text.trim().is_empty();
    let (head, last) = (lines.iter().position(|l| printed(&l))?, lines.iter().rposition(|l| printed(&l))?);
    // "running 3 tests": what is no sentence and stands right before it belongs to it.
    let before = lines.get(..head)?.iter().rev().take_while(|l| said(l) && !is_sentence(l.text)).count();
    let block = lines.get(head - before..=last)?;
    let (all, some) = (block.iter().filter(said).count(), block.iter().filter(printed).count());
    let (start, end) = (block.first()?.at.start, block.last()?.at.end);
    // What follows a mark on its line goes with what stands below it.
    let apart = cut.is_none() || start == from || rest.is_empty();
    (all >= FEWEST && some * 2 >= all && apart).then_some(start..end)
}

/// A line and where it stands.
struct Line<'a> {
    text: &'a str,
    at: Range<usize>,
}

fn lines(text: &str, from: usize) -> Vec<Line<'_>> {
    let mut at = from;
    let line = |text: &str| {
        at += text.len();
        at - text.len()..at
    };
    let places: Vec<Range<usize>> = text.split_inclusive('\n').map(line).collect();
    text.split_inclusive('\n').zip(places).map(|(text, at)| Line { text, at }).collect()
}

/// Where the words end on a line that says what is asked of the rest: behind its first "?", or a ":" that more than a name
/// stands before.
fn lead(line: &str) -> Option<usize> {
    let mut marks = line.match_indices(['?', '？', ':', '：']).filter(|(at, mark)| {
        let next = line.get(at + mark.len()..).and_then(|rest| rest.chars().next());
        next.is_none_or(char::is_whitespace) || !mark.is_ascii()
    });
    let (at, mark) = marks.next()?;
    let words = line.get(..at)?.split_whitespace();
    let plain = words.clone().all(|w| w.chars().all(|c| c.is_alphabetic() || "'’,-".contains(c)));
    let asks = matches!(mark, "?" | "？");
    (asks || plain && words.count() >= NAMES).then_some(at + mark.len())
}

/// Where a history or a trace begins behind the first words of a line: "explain this a1b2c3d Fix the parser".
fn opens(line: &str) -> Option<usize> {
    let mut starts = line.match_indices(' ').map(|(at, _)| at + 1).skip(1);
    starts.find(|at| line.get(*at..).is_some_and(|rest| is_hashed(rest) || is_trace(rest)))
}

/// How many lines there are of each shape that numbers tell apart.
fn repeated(lines: &[Line<'_>]) -> HashMap<String, usize> {
    let mut shapes = HashMap::new();
    let counted =
        lines.iter().filter(|l| l.text.contains(|c: char| c.is_ascii_digit()) && !is_mark_of_list(l.text));
    for line in counted {
        *shapes.entry(shape(line.text)).or_default() += 1;
    }
    shapes
}

/// A line with its numbers and addresses left open.
fn shape(line: &str) -> String {
    let open = |word: &str| {
        if word.contains(|c: char| c.is_ascii_digit()) { "0".to_owned() } else { word.to_owned() }
    };
    line.split_whitespace().map(open).collect::<Vec<_>>().join(" ")
}

/// Words alone, with what ends a sentence.
fn is_sentence(line: &str) -> bool {
    let word = |w: &str| {
        w.trim_end_matches([',', '.', '!', '?', ':', ';'])
            .chars()
            .all(|c| c.is_alphabetic() || "'’-".contains(c))
    };
    line.split_whitespace().all(word) || reads_as_prose(line)
}

/// A line that a program prints, whatever its words say.
fn is_printed(line: &str) -> bool {
    let body = line.trim();
    if body.is_empty() || is_mark_of_list(line) {
        return false;
    }
    if is_console(body) || is_code(line) || is_trace(body) && !reads_as_prose(body) {
        return true;
    }
    let digit = |c: char| c.is_ascii_digit();
    let first = body.split_whitespace().next().unwrap_or_default();
    let drawn = first.starts_with(|c| matches!(c, '●' | '○' | '×' | '\u{2190}'..='\u{27bf}'));
    let indented = line.starts_with("  ") || line.starts_with('\t');
    let columns = body.split_once("  ").is_some_and(|(head, _)| !head.ends_with(['.', '?', '!']));
    let dots = body.contains(" ... ");
    // "Author: A B <a@b.c>", "Tests: 1 failed", "src/a.rs:12: unused"
    let field = body.split_once(": ").is_some_and(|(name, value)| {
        name.split_whitespace().count() < 3 && value.contains(|c: char| digit(c) || matches!(c, '<' | '='))
    });
    let placed = body.match_indices(':').any(|(at, _)| {
        let (file, line) = (body.get(..at).unwrap_or_default(), body.get(at + 1..).unwrap_or_default());
        let file = file.rsplit(char::is_whitespace).next().unwrap_or_default();
        file.contains('.') && !file.contains("//") && line.starts_with(digit)
    });
    is_hashed(body) || drawn || indented || columns || dots || field || placed
}

/// A line that begins with the address of a commit.
fn is_hashed(line: &str) -> bool {
    let address = |word: &str| {
        word.len() > 6
            && word.contains(|c: char| c.is_ascii_digit())
            && word.chars().all(|c| c.is_ascii_hexdigit())
    };
    let mut words = line.split_whitespace();
    let first = words.next().unwrap_or_default();
    address(first) || first == "commit" && words.next().is_some_and(address)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Option<&str> {
        block(text).and_then(|at| text.get(at))
    }

    #[test]
    fn what_is_printed_is_told_from_the_words_before_and_behind_it() {
        let tests = "running 3 tests\ntest adds ... ok\nupdate the snapshot or mend it\ntest result: FAILED. 2 passed";
        let log = "log line 1\nlog line 2\nlog line 17";
        let history = "a1b2c3d Fix the parser\n9f8e7d6 Add fees\n77aa231 Update the README";
        for block in [tests, log, history] {
            for lead in [
                "why is this slow? ",
                "why is this slow?\n",
                "explain this output\n",
                "what does this say: ",
                "fix this:\n",
            ] {
                let text = format!("{lead}{block}");
                assert_eq!(of(&text).map(str::trim), Some(block), "{text}");
            }
            assert_eq!(of(block), None, "without a lead it is read: {block}");
            let behind = format!("why is this red?\n{block}\nplease fix it");
            assert_eq!(of(&behind).map(str::trim), Some(block), "{behind}");
        }
    }

    #[test]
    fn what_somebody_writes_below_a_question_is_no_block() {
        for text in [
            "can you do these?\n- add a test\n- remove the old parser\n- update the README",
            "please do the following:\n1. add a test\n2. remove the old parser\n3. update the README",
            "why is this slow?\nmake it faster",
            "can you look at the parser?\nIt fails on empty lists.\nAdd a test and fix it.\nThen update the README.",
            "fix src/a.rs\nadd a test to src/b.rs\nupdate README.md",
            "add:\n  - a flag\n  - a test\n  - a line in the README",
            "why is this slow? make it faster\nand add a test\nand a line in the README",
        ] {
            assert_eq!(of(text), None, "{text}");
        }
    }
}
