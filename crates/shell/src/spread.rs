//! Programs that run another one for each of many items: `xargs`, `parallel`.
//!
//! Owns how items and command come together. Never judges the command: that goes back to the walk.

use super::args::Args;
use super::endless::MANY;
use super::expand::{Feed, Field, UNKNOWN};
use super::programs;
use super::rounds::rounds;
use super::syntax::Span;
use super::value::Made;
use super::walk::Walker;
use super::wrap::inner;

/// Most items that are looked at one by one; more are a finding of their own.
const MAX_ITEMS: usize = 512;

pub(super) fn xargs(w: &mut Walker<'_>, argv: &[Field], span: Span, feed: &Feed) -> Feed {
    let (Some(program), Some(words)) = (programs::find("xargs"), argv.get(1..)) else { return Feed::Other };
    let args = Args::read(program, words);
    let mut mark = None;
    for opt in &args.opts {
        match (opt.name.as_str(), &opt.value) {
            ("-I" | "-J" | "--replace", Some(value)) => mark = Some(value.text.clone()),
            ("-i" | "--replace", None) => {
                let joined = opt.text.strip_prefix("-i").filter(|rest| !rest.is_empty());
                mark = Some(joined.unwrap_or("{}").to_owned());
            }
            _ => {}
        }
    }
    let feed = &taken_from(w, &args).unwrap_or_else(|| feed.clone());
    let rest = args.places.first().and_then(|at| words.get(*at..)).unwrap_or(&[]);
    if rest.is_empty() {
        return Feed::Other;
    }
    // As many at once as there are lines, or as are asked for.
    let lines = if let Feed::Text(text) = feed { text.lines().count() } else { 0 };
    let at_once =
        args.opt(&["-P", "--max-procs"]).and_then(|opt| opt.value.as_ref()?.text.parse::<usize>().ok());
    if at_once.is_some_and(|most| most >= MANY || most == 0 && lines >= MANY) {
        w.hit("bomb", span);
    }
    let mark = mark.filter(|mark| !mark.is_empty());
    let rounds = match feed {
        Feed::Text(text) => rounds(&args, text, mark.is_some(), span),
        Feed::Inherit | Feed::File(_) | Feed::Fetched | Feed::Lines { .. } | Feed::Other => {
            vec![items(w, feed, span)]
        }
    };
    let rounds = within(w, rounds, span);
    // With a mark and a number of items only the last option of them holds.
    let dealt = ["-n", "--max-args", "-L", "-l", "--max-lines", "-s", "--max-chars"];
    if mark.is_some() && args.has(&dealt) {
        w.note_uncovered();
        let _ = run_rounds(w, rest, rounds.clone(), None, span);
    }
    let many = if mark.is_some() { rounds.iter().flatten().count() } else { rounds.len() };
    w.times(many, |w| run_rounds(w, rest, rounds, mark.as_deref(), span))
}

/// Runs a command with the items of each round, or for each item where a mark stands for it.
fn run_rounds(
    w: &mut Walker<'_>,
    rest: &[Field],
    mut rounds: Vec<Vec<Field>>,
    mark: Option<&str>,
    span: Span,
) -> Feed {
    if let Some(mark) = mark {
        for item in rounds.iter().flatten() {
            let command: Vec<Field> = rest.iter().map(|f| replace(f, mark, item)).collect();
            let _ = w.dispatch_outside(&command, span, Feed::Other);
        }
        return Feed::Other;
    }
    // Without an item it is run as it stands.
    let first = if rounds.is_empty() { Vec::new() } else { rounds.remove(0) };
    let out = w.dispatch_outside(&[rest, &first].concat(), span, Feed::Other);
    for round in &rounds {
        let _ = w.dispatch_outside(&[rest, round].concat(), span, Feed::Other);
    }
    if rounds.is_empty() { out } else { Feed::Other }
}

/// Rounds with at most [`MAX_ITEMS`] in them; that there are more is a finding.
fn within(w: &mut Walker<'_>, mut rounds: Vec<Vec<Field>>, span: Span) -> Vec<Vec<Field>> {
    let mut left = MAX_ITEMS;
    for round in &mut rounds {
        if round.len() > left {
            w.hit("too-long", span);
            round.truncate(left);
        }
        left -= round.len();
    }
    rounds.retain(|round| !round.is_empty());
    rounds
}

/// What a file of items gives that is named instead of being fed.
fn taken_from(w: &mut Walker<'_>, args: &Args) -> Option<Feed> {
    let file = args.opt(&["-a", "--arg-file"])?.value.clone()?;
    w.judge_read(&file);
    Some(listed_in(&file)).filter(|_| file.text != "-")
}

/// What a file of items gives.
fn listed_in(file: &Field) -> Feed {
    file.feed.clone().unwrap_or_else(|| Feed::File(file.text.clone()))
}

/// What `xargs` would put after the command.
fn items(w: &mut Walker<'_>, feed: &Feed, span: Span) -> Vec<Field> {
    if let Feed::Text(text) = feed {
        let items = text.split_ascii_whitespace();
        let field = |t: &str| Field { many: t.contains('*'), ..Field::plain(t, span) }.made();
        return some(w, items.map(field), span);
    }
    let text = w.upstream_secret.as_deref().map_or_else(|| UNKNOWN.to_string(), super::special::dotted);
    vec![Field { many: true, listed: feed.listed(), ..Field::plain(&text, span) }.made()]
}

/// At most [`MAX_ITEMS`] of these; that there are more is a finding.
fn some(w: &mut Walker<'_>, items: impl Iterator<Item = Field>, span: Span) -> Vec<Field> {
    let mut all: Vec<Field> = items.take(MAX_ITEMS + 1).collect();
    if all.len() > MAX_ITEMS {
        w.hit("too-long", span);
        all.truncate(MAX_ITEMS);
    }
    all
}

/// A field with a mark replaced by an item.
pub(super) fn replace(field: &Field, mark: &str, item: &Field) -> Field {
    if !field.text.contains(mark) {
        return field.clone();
    }
    // What stands for a mark is one word.
    let made = if field.text.starts_with(mark) { Made::Begin } else { Made::Part };
    let made = if item.made == Made::Nothing { item.made } else { made };
    Field {
        many: field.many || item.many,
        made: field.made.max(made),
        listed: field.listed.max(item.listed),
        ..field.with(&field.text.replace(mark, &item.text))
    }
}

pub(super) fn parallel(w: &mut Walker<'_>, argv: &[Field], span: Span, feed: &Feed) -> Feed {
    if argv.iter().any(|f| matches!(f.text.as_str(), "-S" | "--sshlogin" | "--slf")) {
        w.hit("remote-run", span);
    }
    let rest = inner(w, argv, "parallel");
    let split = rest.iter().position(|f| f.text.starts_with(":::")).unwrap_or(rest.len());
    let (command, arguments) = rest.split_at(split);
    // Behind four colons stand files of items.
    let files =
        arguments.iter().skip_while(|f| !f.text.starts_with("::::")).find(|f| !f.text.starts_with(":::"));
    let named = programs::find("parallel").and_then(|program| {
        let args = Args::read(program, argv.get(1..).unwrap_or(&[]));
        taken_from(w, &args).or_else(|| files.map(listed_in))
    });
    let feed = named.as_ref().unwrap_or(feed);
    let values: Vec<Field> = match arguments.get(1..) {
        Some(values) if !values.is_empty() && named.is_none() => values.to_vec(),
        _ => items(w, feed, span),
    };
    if command.is_empty() {
        // Each argument is a command line of its own.
        if matches!(feed, Feed::Fetched | Feed::Lines { .. } | Feed::Other) {
            w.hit("computed-code", span);
        }
        let values = match feed {
            Feed::Text(text) if arguments.is_empty() || named.is_some() => {
                text.lines().map(|line| Field::plain(line, span)).collect()
            }
            Feed::Text(_)
            | Feed::Inherit
            | Feed::File(_)
            | Feed::Fetched
            | Feed::Lines { .. }
            | Feed::Other => values,
        };
        let values = some(w, values.into_iter(), span);
        w.times(values.len(), |w| {
            for value in &values {
                let _ = w.run_apart(&value.text, span);
            }
        });
        return Feed::Other;
    }
    let values = some(w, values.into_iter(), span);
    w.times(values.len(), |w| run_for_each(w, command, &values, span));
    Feed::Other
}

/// Runs a command for each of these, in the place of its mark or behind it.
fn run_for_each(w: &mut Walker<'_>, command: &[Field], values: &[Field], span: Span) {
    let signs = |f: &Field| f.text.replace("{}", "").contains(|c: char| ";&|<>$`(){}#'\"\\".contains(c));
    let text = command.iter().any(signs);
    if command.iter().any(|f| f.text.contains("{=")) {
        w.hit("hidden-run", span);
    }
    // Some hand the whole line to a shell as a text, in which other marks stand for parts of a value.
    if text {
        w.note_uncovered();
    }
    for value in values {
        if text {
            let part = |f: &Field| f.text.replace("{}", &super::quote(&value.text));
            let _ = w.run_apart(&command.iter().map(part).collect::<Vec<_>>().join(" "), span);
        }
        let marked = command.iter().any(|f| f.text.contains("{}"));
        let mut line: Vec<Field> = command.iter().map(|f| replace(f, "{}", value)).collect();
        if !marked {
            line.push(value.clone());
        }
        if let [one, ..] = line.as_slice()
            && one.text.contains(char::is_whitespace)
        {
            let text: Vec<&str> = line.iter().map(|f| f.text.as_str()).collect();
            let _ = w.run_apart(&text.join(" "), span);
        } else {
            let _ = w.dispatch_outside(&line, span, Feed::Other);
        }
    }
}
