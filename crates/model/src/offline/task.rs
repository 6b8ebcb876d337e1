//! Tasks: does what the engine's own order says, as proposals, and tells plainly what came of it.
//!
//! Owns the carrying out of orders. Nothing is written by it: every change is proposed by a tool.

use serde_json::{Value, json};

use super::{
    command,
    found::count,
    order::Order,
    request::{Job, Request},
    scene::{Call, Heard, Move, Scene},
    sentence::Sentence,
};

/// Words before and behind an order that say no more than that it comes on top.
const BEFORE: [&str; 9] = ["also", "then", "and", "now", "finally", "afterwards", "please", "auch", "dann"];
const BEHIND: [&str; 5] = ["too", "as well", "please", "afterwards", "bitte"];

/// Does the task at hand.
pub(super) fn perform(scene: &Scene<'_>) -> Result<String, Move> {
    let text = scene.order().unwrap_or_default();
    match Order::parse(text).or_else(|| said(text)) {
        Some(Order::Rename { old, new, files }) => {
            let edit = |f: &String| json!({"path": f, "edits": [{"old": old, "new": new, "all": true, "whole_word": true}]});
            change(scene, &files, "edit", edit, &format!("`{old}` → `{new}`"))
        }
        Some(Order::Replace { old, new, files }) => {
            let edit = |f: &String| json!({"path": f, "edits": [{"old": old, "new": new, "all": true}]});
            change(scene, &files, "edit", edit, &format!("\"{old}\" → \"{new}\""))
        }
        Some(Order::Create { path, content }) => {
            let write = |f: &String| json!({"path": f, "content": content});
            change(scene, std::slice::from_ref(&path), "write", write, "new file")
        }
        Some(Order::Delete { files }) => change(scene, &files, "delete", |f| json!({"path": f}), "removal"),
        Some(Order::Run { command }) => command::run(scene, &Job::Command(command)),
        None => {
            if let Request::Job(job) = Request::of(&Sentence::of(bare(text))).settled(scene) {
                return command::run(scene, &job);
            }
            Ok(format!(
                "I am the built-in offline engine and can't do this task: it was planned by a model. {}",
                super::CONNECT
            ))
        }
    }
}

/// What is wanted, without the words that only put it behind something else: "also run the tests, please".
fn bare(text: &str) -> &str {
    let (mut text, mut before) = (text.trim(), 0);
    while text.len() != before {
        before = text.len();
        text = text.trim_matches(|c: char| c.is_whitespace() || matches!(c, ',' | '.' | '-'));
        let word = |words: &[&str], end: bool| {
            words.iter().find_map(|w| {
                let at = if end { text.len().checked_sub(w.len())? } else { w.len() };
                let (head, tail) = text.split_at_checked(at)?;
                let (said, rest) = if end { (tail, head) } else { (head, tail) };
                let apart = if end { rest.ends_with([' ', ',']) } else { rest.starts_with([' ', ',']) };
                (apart && said.eq_ignore_ascii_case(w)).then_some(rest)
            })
        };
        text = word(&BEFORE, false).or_else(|| word(&BEHIND, true)).unwrap_or(text);
    }
    text
}

/// An order in the user's words, for a task that somebody else wrote.
fn said(text: &str) -> Option<Order> {
    let wish = Request::of(&Sentence::of(bare(text)));
    if let Request::Create { path, content } = wish {
        return Some(Order::Create { path, content });
    }
    if let Request::Delete { paths } = wish {
        return Some(Order::Delete { files: paths });
    }
    let Request::Job(Job::Command(command)) = wish else { return None };
    Some(Order::Run { command })
}

fn change(
    scene: &Scene<'_>,
    files: &[String],
    tool: &'static str,
    args: impl Fn(&String) -> Value,
    what: &str,
) -> Result<String, Move> {
    let calls: Vec<Call> = files.iter().map(|f| (tool, args(f))).collect();
    let mut heard = scene.ask_all(calls.clone())?;
    // A tool may want to see the file read before it is changed.
    let unread =
        |h: &Heard<'_>| h.failed.is_some_and(|why| why.contains("read it") || why.contains("`read`"));
    let late: Vec<usize> = heard.iter().enumerate().filter(|(_, h)| unread(h)).map(|(i, _)| i).collect();
    if !late.is_empty() {
        let reads = late.iter().filter_map(|i| files.get(*i)).map(|f| ("read", json!({"path": f})));
        scene.ask_all(reads.collect())?;
        let again: Vec<Call> = late.iter().filter_map(|i| calls.get(*i).cloned()).collect();
        for (i, new) in late.into_iter().zip(scene.ask_again(again)?) {
            if let Some(old) = heard.get_mut(i) {
                *old = new;
            }
        }
    }
    Ok(report(files, &heard, what))
}

fn report(files: &[String], heard: &[Heard<'_>], what: &str) -> String {
    let failed: Vec<String> = files
        .iter()
        .zip(heard)
        .filter_map(|(file, h)| h.failed.map(|why| format!("- {file}: {why}")))
        .collect();
    let good = files.len() - failed.len();
    let mut out = match (good, files) {
        (0, _) => format!("Nothing could be proposed ({what})."),
        (1, [file]) => format!("{file}: {what}."),
        _ => format!("{}: {what}.", count(good as u64, "file")),
    };
    if !failed.is_empty() {
        let n = count(failed.len() as u64, "file");
        out.push_str(&format!("\n\nNot changed, {n}:\n{}", failed.join("\n")));
    }
    out
}
