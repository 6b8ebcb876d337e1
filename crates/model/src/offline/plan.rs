//! Plans for changes: looks first, then submits what would be done, with counts and warnings.
//!
//! Owns the planning of the engine's own orders. Never changes anything.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{
    browse::names,
    command,
    definition::is_known,
    found::{Found, count},
    order::Order,
    request::{Job, Request},
    scene::{Call, Heard, Move, Scene},
    sentence::extension,
};

/// Files of one task at most; more become several tasks.
const FILES_A_TASK: usize = 30;
/// Lines that a search is asked for.
const MAX_HITS: u64 = 1_000;
/// Folder levels that are searched one by one when a search finds more than it can show.
const LEVELS: usize = 4;
/// Places that are searched one by one in one round.
const PLACES: usize = 400;

struct Draft {
    title: String,
    note: String,
    tasks: Vec<(String, &'static str, Order)>,
}

/// Submits a plan for a wish that changes files.
pub(super) fn submit(scene: &Scene<'_>, wish: &Request) -> Result<String, Move> {
    let draft = if let Request::Rename { old, new, scope } = wish {
        rename(scene, old, new, scope.as_deref())?
    } else if let Request::Replace { old, new, scope } = wish {
        replace(scene, old, new, scope.as_deref())?
    } else if let Request::Create { path, content } = wish {
        create(scene, path, content)?
    } else if let Request::Delete { paths } = wish {
        delete(scene, paths)?
    } else {
        return Ok("There is nothing to plan.".to_owned());
    };
    send(scene, draft)
}

/// Submits a plan of one command.
pub(super) fn submit_job(scene: &Scene<'_>, job: &Job) -> Result<String, Move> {
    let command = command::line(scene, job)?;
    let title = format!("Run `{command}`");
    let note = "You are shown the command again and asked before it runs.".to_owned();
    send(scene, Draft { title: title.clone(), note, tasks: vec![(title, "execute", Order::Run { command })] })
}

fn send(scene: &Scene<'_>, draft: Draft) -> Result<String, Move> {
    let tasks: Vec<Value> = draft
        .tasks
        .iter()
        .map(|(title, kind, order)| {
            json!({"title": title, "detail": order.detail(), "kind": kind, "files": files(order), "after": []})
        })
        .collect();
    let plan = json!({"title": draft.title, "note": draft.note, "tasks": tasks, "gates": []});
    let heard = scene.ask("submit_plan", plan)?;
    Ok(match heard.failed {
        Some(why) => format!("The plan was not accepted: {why}"),
        None => draft.note,
    })
}

fn files(order: &Order) -> &[String] {
    match order {
        Order::Rename { files, .. } | Order::Replace { files, .. } | Order::Delete { files } => files,
        Order::Create { path, .. } => std::slice::from_ref(path),
        Order::Run { .. } => &[],
    }
}

/// The scope as it is said.
fn within(scope: Option<&str>) -> String {
    scope.map_or_else(|| "in this folder".to_owned(), |s| format!("in {s}"))
}

fn looked(heard: Heard<'_>) -> Result<Found, Move> {
    match heard.failed {
        Some(why) => Err(Move::Say(format!("I could not search: {why}"))),
        None => Ok(Found::read(heard.text)),
    }
}

fn word_search(word: &str, scope: &str) -> Call {
    let pattern = regex::escape(word);
    ("search", json!({"pattern": pattern, "path": scope, "whole_word": true, "max": MAX_HITS}))
}

fn text_search(text: &str, scope: &str) -> Call {
    ("search", json!({"pattern": text, "path": scope, "literal": true, "max": MAX_HITS}))
}

/// Searches a place; when that finds more than one result can show, its folders one by one, so
/// that a change misses no file.
fn hunt(scene: &Scene<'_>, scope: Option<&str>, search: &dyn Fn(&str) -> Call) -> Result<Found, Move> {
    let mut whole = Found::default();
    let mut places = vec![scope.unwrap_or(".").to_owned()];
    for level in 0..=LEVELS {
        let heard = scene.ask_all(places.iter().map(|p| search(p)).collect())?;
        let mut below = Vec::new();
        for (place, heard) in places.iter().zip(heard) {
            let found = looked(heard)?;
            if found.is_cut() && level < LEVELS {
                below.push(("list", json!({"path": place, "depth": 1})));
            } else {
                whole.join(found);
            }
        }
        let listed = scene.ask_all(below)?;
        let names = listed.iter().filter(|l| l.failed.is_none()).flat_map(|l| names(l.text));
        places = names.map(|n| n.trim_end_matches('/').to_owned()).collect();
        if places.len() > PLACES {
            places.truncate(PLACES);
            whole.miss_some();
        }
        if places.is_empty() {
            break;
        }
    }
    Ok(whole)
}

fn rename(scene: &Scene<'_>, old: &str, new: &str, scope: Option<&str>) -> Result<Draft, Move> {
    if old == new {
        return Err(Move::Say(format!("`{old}` is already called that.")));
    }
    let place = scope.unwrap_or(".");
    let mut calls = vec![word_search(old, place), word_search(new, place)];
    calls.extend(scope.map(|_| word_search(old, ".")));
    let mut heard = scene.ask_all(calls)?.into_iter().skip(1);
    let taken = heard.next().map(looked).transpose()?.unwrap_or_default();
    let around = heard.next().map(looked).transpose()?;
    let found = hunt(scene, scope, &|place| word_search(old, place))?;
    if found.hits.is_empty() {
        return Err(Move::Say(format!(
            "`{old}` does not occur as a whole word {}, so there is nothing to rename.",
            within(scope)
        )));
    }
    let files = owned(&found);
    let mut note = format!(
        "{} {}, as whole words, in comments and texts too.",
        tally(&format!("`{old}`"), occurrences(&found, old), &found),
        within(scope)
    );
    note.push_str(&warning(&found, &taken, new));
    note.push_str(&around.map(|all| outside(&found, &all, old)).unwrap_or_default());
    note.push_str(&cut_off(&found));
    let title = format!("Rename {old} to {new}");
    let tasks = tasks(&format!("Rename `{old}` to `{new}`"), &files, |files| Order::Rename {
        old: old.to_owned(),
        new: new.to_owned(),
        files,
    });
    Ok(Draft { title, note, tasks })
}

/// Warns when the new name is in use already.
fn warning(found: &Found, taken: &Found, new: &str) -> String {
    let Some(first) = taken.hits.first() else { return String::new() };
    let files: BTreeSet<&str> = found.hits.iter().map(|h| h.path.as_str()).collect();
    let clash = taken.hits.iter().find(|h| files.contains(h.path.as_str()));
    match clash {
        Some(hit) => format!(
            " Careful: `{new}` already exists in these files ({}); afterwards the two cannot be told apart.",
            hit.place()
        ),
        None => format!(" Note: `{new}` already exists elsewhere ({}).", first.place()),
    }
}

/// Warns when the old name stays in use outside the scope.
fn outside(found: &Found, all: &Found, old: &str) -> String {
    let inside: BTreeSet<&str> = found.hits.iter().map(|h| h.path.as_str()).collect();
    let others: Vec<_> = all.hits.iter().filter(|h| !inside.contains(h.path.as_str())).collect();
    let Some(first) = others.first() else { return String::new() };
    let n = count(others.len() as u64, "line");
    format!(" Careful: `{old}` remains in {n} outside, first in {}.", first.place())
}

fn cut_off(found: &Found) -> String {
    if !found.is_cut() {
        return String::new();
    }
    let listed = count(found.by_file().len() as u64, "file");
    format!(" Careful: there are more files than the {listed} I could list; do the rest in a second run.")
}

/// How often a word stands in the lines that were found; the count of lines when those were cut.
fn occurrences(found: &Found, word: &str) -> u64 {
    let whole = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric() && c != '_');
    let in_line = |text: &str| {
        text.match_indices(word)
            .filter(|(at, _)| {
                let before = text.get(..*at).and_then(|t| t.chars().next_back());
                let after = text.get(at + word.len()..).and_then(|t| t.chars().next());
                whole(before) && whole(after)
            })
            .count() as u64
    };
    found.hits.iter().map(|h| in_line(&h.text)).sum::<u64>().max(found.matches)
}

/// In how many places something stands: a search counts lines, of which one may hold several.
fn tally(what: &str, places: u64, found: &Found) -> String {
    let (all, files) = (count(places, "place"), count(found.files, "file"));
    match found.matches {
        lines if lines < places => format!("{all} of {what} on {} of {files}", count(lines, "line")),
        _ => format!("{all} of {what} in {files}"),
    }
}

fn owned(found: &Found) -> Vec<String> {
    found.by_file().into_keys().map(str::to_owned).collect()
}

fn tasks(
    what: &str,
    files: &[String],
    order: impl Fn(Vec<String>) -> Order,
) -> Vec<(String, &'static str, Order)> {
    let title = |files: &[String]| match files {
        [file] => format!("{what} in {file}"),
        _ => format!("{what} in {}", count(files.len() as u64, "file")),
    };
    in_parts(files, "modify", title, order)
}

/// A task for every so many files, named apart from its like.
fn in_parts(
    files: &[String],
    node: &'static str,
    title: impl Fn(&[String]) -> String,
    order: impl Fn(Vec<String>) -> Order,
) -> Vec<(String, &'static str, Order)> {
    let parts = files.chunks(FILES_A_TASK);
    let of = parts.len();
    let part = |n: usize| if of > 1 { format!(" ({} of {of})", n + 1) } else { String::new() };
    let named = |(n, files): (usize, &[String])| (title(files) + &part(n), node, order(files.to_vec()));
    parts.enumerate().map(named).collect()
}

fn replace(scene: &Scene<'_>, old: &str, new: &str, scope: Option<&str>) -> Result<Draft, Move> {
    if old.is_empty() || old == new {
        return Err(Move::Say("There is nothing to replace: both texts are the same or empty.".to_owned()));
    }
    // A search goes line by line, so a longer text is looked for by its first full line.
    let line = old.lines().find(|l| !l.trim().is_empty()).unwrap_or(old);
    let found = hunt(scene, scope, &|place| text_search(line, place))?;
    if found.hits.is_empty() {
        return Err(Move::Say(format!(
            "\"{old}\" does not occur {}, so there is nothing to replace.",
            within(scope)
        )));
    }
    let places =
        found.hits.iter().map(|h| h.text.matches(line).count() as u64).sum::<u64>().max(found.matches);
    let note = format!(
        "{} {}, case-sensitive.{}",
        tally(&format!("\"{old}\""), places, &found),
        within(scope),
        cut_off(&found)
    );
    let title = format!("Replace \"{}\" with \"{}\"", brief(old), brief(new));
    let tasks = tasks(&title, &owned(&found), |files| Order::Replace {
        old: old.to_owned(),
        new: new.to_owned(),
        files,
    });
    Ok(Draft { title, note, tasks })
}

fn brief(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    if line.chars().count() <= 30 && line.len() == text.len() {
        return text.to_owned();
    }
    let line: String = line.chars().take(30).collect();
    format!("{line}…")
}

fn create(scene: &Scene<'_>, path: &str, content: &str) -> Result<Draft, Move> {
    let heard = scene.ask("read", first_line(path))?;
    if heard.failed.is_none() {
        return Err(Move::Say(format!(
            "{path} already exists, and I don't overwrite it. Delete it first, or use `replace \"…\" with \"…\" in {path}`."
        )));
    }
    let lines = content.lines().count() as u64;
    let size = if lines == 0 { "empty".to_owned() } else { count(lines, "line") };
    let order = Order::Create { path: path.to_owned(), content: content.to_owned() };
    let title = format!("Create {path}");
    Ok(Draft {
        title: title.clone(),
        note: format!("One new file, {path}, {size}."),
        tasks: vec![(title, "create", order)],
    })
}

fn first_line(path: &str) -> Value {
    json!({"path": path, "from": 1, "lines": 1})
}

fn delete(scene: &Scene<'_>, paths: &[String]) -> Result<Draft, Move> {
    let heard = scene.ask_all(paths.iter().map(|p| ("read", first_line(p))).collect())?;
    let mut files: Vec<String> = Vec::new();
    let mut missing: Vec<&str> = Vec::new();
    for (path, heard) in paths.iter().zip(heard) {
        if heard.failed.is_none() {
            files.push(path.trim_end_matches('/').to_owned());
            continue;
        }
        match folder(scene, path)? {
            inside if inside.is_empty() => missing.push(path),
            inside => files.extend(inside),
        }
    }
    if files.is_empty() {
        let missing = missing.join(", ");
        return Err(Move::Say(format!(
            "There is no file or folder {missing}, so there is nothing to delete."
        )));
    }
    let mut note = format!("{} would go.", count(files.len() as u64, "file"));
    if !missing.is_empty() {
        note.push_str(&format!(" Not found: {}.", missing.join(", ")));
    }
    note.push_str(&mentions(scene, &files)?);
    let tasks = in_parts(&files, "delete", removal, |files| Order::Delete { files });
    Ok(Draft { title: removal(&files), note, tasks })
}

/// What a removal of these is called.
fn removal(files: &[String]) -> String {
    match files {
        [file] => format!("Delete {file}"),
        _ => format!("Delete {}", count(files.len() as u64, "file")),
    }
}

/// The files of a folder; empty when there is no such folder.
fn folder(scene: &Scene<'_>, path: &str) -> Result<Vec<String>, Move> {
    let path = path.trim_end_matches('/');
    let heard = scene.ask("list", json!({"path": path, "depth": 20}))?;
    if heard.failed.is_some() {
        return Ok(Vec::new());
    }
    // Links and special files are listed with a remark, and cannot be deleted.
    let files = heard.text.lines().filter(|l| !l.contains("  (")).flat_map(names);
    Ok(files.filter(|l| !l.ends_with('/')).map(str::to_owned).collect())
}

/// Where the rest of the project still speaks of a single file.
fn mentions(scene: &Scene<'_>, files: &[String]) -> Result<String, Move> {
    let [file] = files else { return Ok(String::new()) };
    let name = file.rsplit('/').next().unwrap_or(file);
    // Code is imported without its extension; other files are named with it.
    let is_code = is_known(file) && !matches!(extension(name), Some("md" | "rst" | "toml"));
    let stem = name.split('.').next().filter(|s| is_code && s.len() > 3).unwrap_or(name);
    let args = json!({"pattern": regex::escape(stem), "path": ".", "whole_word": true, "max": 200});
    let heard = scene.ask("search", args)?;
    if heard.failed.is_some() {
        return Ok(String::new());
    }
    let found = Found::read(heard.text);
    let others: Vec<_> = found.hits.iter().filter(|h| h.path != *file).collect();
    let Some(first) = others.first() else { return Ok(String::new()) };
    Ok(format!(
        " Careful: `{stem}` is still mentioned in {} elsewhere, first in {}.",
        count(others.len() as u64, "place"),
        first.place()
    ))
}
