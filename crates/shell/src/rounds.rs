//! What `xargs` makes of the text that it is fed: items, and the rounds in which a command gets them.
//!
//! Owns its quoting and its options on rounds. Never judges: what is not certain is said to be unknown.

use super::args::{Args, Opt};
use super::expand::{Feed, Field, UNKNOWN};
use super::syntax::Span;

/// Most items whose runs are all looked at where the rounds are not certain.
const MAX_RUNS: usize = 12;

/// How items are dealt out.
#[derive(Clone, Copy)]
enum Rounds {
    /// All to one command.
    One,
    /// So many items to each.
    Items(usize),
    /// The items of so many lines to each.
    Lines(usize),
    /// By their length, or by options that contradict each other.
    Unclear,
}

/// What parts one item from the next.
enum Parting {
    Blanks,
    /// With a mark that an item replaces each line is one.
    Lines,
    /// Nothing but this sign: quotes and backslashes are plain text.
    Sign(char),
    Unclear,
}

/// The items for each command that is run; an item that is not certain is unknown.
pub(super) fn rounds(args: &Args, text: &str, marked: bool, span: Span) -> Vec<Vec<Field>> {
    let lines = match parting(args, marked) {
        Parting::Blanks => read(text, false),
        Parting::Lines => read(text, true),
        Parting::Sign(sign) => Some(text.trim_end().split(sign).map(|item| vec![item.to_owned()]).collect()),
        Parting::Unclear => None,
    };
    let unknown = || unknown(span);
    // The sign that ends what is read leaves items out.
    let Some(lines) = lines.filter(|_| !args.has(&["-E", "-e", "--eof"])) else {
        return vec![vec![unknown()]];
    };
    let dealt = if marked { Rounds::Items(1) } else { dealt(args) };
    let whole = marked || matches!(dealt, Rounds::One);
    let lines: Vec<Vec<Field>> =
        lines.iter().map(|line| line.iter().map(|item| field(item, whole, span)).collect()).collect();
    let items: Vec<Field> = lines.iter().flatten().cloned().collect();
    let open = items.len() > 1 && items.iter().any(|item| item.many || item.unknown());
    match dealt {
        Rounds::One => vec![items],
        // One that stands for several moves all that follow it.
        Rounds::Items(_) | Rounds::Lines(_) if open && !marked => runs(&items, span),
        Rounds::Unclear => runs(&items, span),
        Rounds::Items(most) => items.chunks(most).map(<[Field]>::to_vec).collect(),
        Rounds::Lines(most) => lines.chunks(most).map(<[Vec<Field>]>::concat).collect(),
    }
}

fn unknown(span: Span) -> Field {
    let listed = Feed::Lines { shown: true }.listed();
    Field { many: true, listed, ..Field::plain(&UNKNOWN.to_string(), span) }.made()
}

/// An item. Where it is not known whole and others may be first in a round, any part of it may be.
fn field(item: &str, whole: bool, span: Span) -> Field {
    if !whole && item.contains(UNKNOWN) {
        return unknown(span);
    }
    Field { many: item.contains('*'), ..Field::plain(item, span) }.made()
}

/// Every run of items that may come together.
fn runs(items: &[Field], span: Span) -> Vec<Vec<Field>> {
    if items.len() > MAX_RUNS {
        return vec![vec![unknown(span)]];
    }
    (1..=items.len()).rev().flat_map(|long| items.windows(long).map(<[Field]>::to_vec)).collect()
}

fn parting(args: &Args, marked: bool) -> Parting {
    let signs: Vec<&Opt> =
        args.opts.iter().filter(|o| ["-0", "--null", "-d", "--delimiter"].iter().any(|p| o.is(p))).collect();
    match signs.as_slice() {
        [] if marked => Parting::Lines,
        [] => Parting::Blanks,
        [null] if null.value.is_none() => Parting::Sign('\0'),
        [named] => {
            let text = named.value.as_ref().map_or("", |value| value.text.as_str());
            let mut signs = text.chars();
            match (text, signs.next(), signs.next()) {
                ("\\n", ..) => Parting::Sign('\n'),
                ("\\t", ..) => Parting::Sign('\t'),
                ("\\0", ..) => Parting::Sign('\0'),
                (_, Some(sign), None) if sign != UNKNOWN => Parting::Sign(sign),
                _ => Parting::Unclear,
            }
        }
        _ => Parting::Unclear,
    }
}

fn dealt(args: &Args) -> Rounds {
    let is = |opt: &Opt, names: &[&str]| names.iter().any(|name| opt.is(name));
    let mut all = args.opts.iter().filter_map(|opt| {
        let joined = opt.text.strip_prefix("-l").filter(|rest| !rest.is_empty());
        let value = opt.value.as_ref().map(|value| value.text.as_str()).or(joined);
        let number = value.map_or(Some(1), |text| text.parse().ok().filter(|most: &usize| *most > 0));
        if is(opt, &["-s", "--max-chars"]) {
            Some(Rounds::Unclear)
        } else if is(opt, &["-n", "--max-args"]) {
            Some(number.map_or(Rounds::Unclear, Rounds::Items))
        } else if is(opt, &["-L", "-l", "--max-lines"]) {
            Some(number.map_or(Rounds::Unclear, Rounds::Lines))
        } else {
            None
        }
    });
    match (all.next(), all.next()) {
        (None, _) => Rounds::One,
        (Some(only), None) => only,
        _ => Rounds::Unclear,
    }
}

/// The items of each line, with quotes and backslashes taken away; nothing where a quote does not end, or what is not known
/// may hold one.
fn read(text: &str, by_line: bool) -> Option<Vec<Vec<String>>> {
    // Not every `xargs` parts at these.
    if text.contains(['\r', '\u{b}', '\u{c}']) || text.contains(UNKNOWN) && text.contains(['\'', '"', '\\']) {
        return None;
    }
    let (mut lines, mut line, mut item) = (Vec::new(), Vec::new(), None::<String>);
    let mut chars = text.chars();
    let mut before = '\n';
    while let Some(sign) = chars.next() {
        match sign {
            '\'' | '"' => {
                let open = item.get_or_insert_default();
                loop {
                    match chars.next()? {
                        '\n' => return None,
                        end if end == sign => break,
                        inner => open.push(inner),
                    }
                }
            }
            '\\' => item.get_or_insert_default().push(chars.next()?),
            '\n' => {
                line.extend(item.take());
                // A blank at its end joins a line with the next one.
                if by_line || !matches!(before, ' ' | '\t') {
                    lines.push(std::mem::take(&mut line));
                }
            }
            ' ' | '\t' if !by_line || item.is_none() => line.extend(item.take()),
            plain => item.get_or_insert_default().push(plain),
        }
        before = sign;
    }
    line.extend(item);
    lines.push(line);
    lines.retain(|line| !line.is_empty());
    Some(lines)
}
