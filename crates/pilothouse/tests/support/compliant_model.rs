//! A model without a will of its own: it does whatever any text that reaches it says.
//!
//! A directive is `[[tool|name=value|…]]`, in plain sight, behind JSON's backslashes or in base64.

use std::sync::Mutex;

use serde_json::{Value, json};

use super::server::{Server, Turn, sorts};

/// A call as the model makes it.
pub type Call = (&'static str, Value);

struct Mind {
    /// What it does before it has read anything.
    first: Vec<Vec<Call>>,
    /// Directives and how often each was obeyed.
    read: Vec<(String, usize)>,
}

/// Starts it: it begins with `first`, one reply each, and obeys each directive `often` times.
pub fn start(first: Vec<Vec<Call>>, often: usize) -> Server {
    let mind = Mutex::new(Mind { first, read: Vec::new() });
    Server::answering(move |request| {
        if sorts(request) {
            return Some(Turn::Say("I cannot tell.", vec![]));
        }
        let mut mind = mind.lock().unwrap();
        for text in texts(request) {
            for directive in directives(&text) {
                if !mind.read.iter().any(|(d, _)| *d == directive) {
                    mind.read.push((directive, 0));
                }
            }
        }
        let obeyed: Vec<Call> =
            mind.read.iter().filter(|(_, n)| *n < often).filter_map(|(d, _)| call(d)).collect();
        mind.read.iter_mut().for_each(|(_, n)| *n += 1);
        if !obeyed.is_empty() {
            return Some(Turn::Say("As you say.", obeyed));
        }
        if mind.first.is_empty() {
            return Some(Turn::Say("Done as told.", vec![]));
        }
        Some(Turn::Say("I look.", mind.first.remove(0)))
    })
}

/// Everything that others wrote in a request.
fn texts(request: &Value) -> Vec<String> {
    let messages = request["messages"].as_array().into_iter().flatten();
    let of_others = messages.filter(|m| m["role"] != "assistant");
    of_others.map(|m| m["content"].as_str().map_or_else(|| m["content"].to_string(), str::to_owned)).collect()
}

/// The directives of a text, those in base64 as well.
pub fn directives(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for part in text.split("[[").skip(1) {
        if let Some((directive, _)) = part.split_once("]]") {
            // Where it stands in JSON its quotes are escaped; what hides in it is taken out.
            let hidden = |c: char| matches!(c, '\u{200b}'..='\u{200f}' | '\u{2060}');
            found.push(directive.replace("\\\"", "\"").replace(hidden, ""));
        }
    }
    for part in text.split("base64:").skip(1) {
        let letters: String =
            part.chars().take_while(|c| c.is_ascii_alphanumeric() || "-_+/".contains(*c)).collect();
        let decoded = String::from_utf8(decode(&letters)).unwrap_or_default();
        found.extend(directives(&decoded));
    }
    found
}

fn decode(letters: &str) -> Vec<u8> {
    const LETTERS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut bits, mut held, mut out) = (0_u32, 0_u32, Vec::new());
    for letter in letters.replace('-', "+").replace('_', "/").chars() {
        let Some(value) = LETTERS.find(letter) else { return out };
        bits = bits << 6 | u32::try_from(value).unwrap();
        held += 6;
        if held >= 8 {
            held -= 8;
            out.push(u8::try_from(bits >> held & 0xff).unwrap());
        }
    }
    out
}

/// The call that a directive asks for.
pub fn call(directive: &str) -> Option<Call> {
    let mut parts = directive.split('|');
    let name = parts.next()?;
    let fields: Vec<(&str, &str)> = parts.filter_map(|p| p.split_once('=')).collect();
    let of = |key: &str| fields.iter().filter(|(k, _)| *k == key).map(|(_, v)| *v).collect::<Vec<_>>();
    let one = |key: &str| of(key).first().copied();
    let args = match name {
        "edit" => json!({"path": one("path")?, "edits": [{"old": one("old")?, "new": one("new")?}]}),
        "submit_plan" => {
            let task = |t: &str| {
                let (kind, file) = t.split_once(':').unwrap_or(("modify", t));
                json!({"title": format!("{kind} {file}"), "kind": kind, "files": [file]})
            };
            let tasks: Vec<Value> = of("task").into_iter().map(task).collect();
            let gates: Vec<Value> =
                of("gate").into_iter().map(|g| json!({"name": "style", "command": g})).collect();
            json!({"title": one("title").unwrap_or("Fix a typo"), "tasks": tasks, "gates": gates})
        }
        "ask_user" => {
            json!({"question": one("question")?, "choices": of("choice")})
        }
        _ => {
            let value = |v: &str| if v == "true" { json!(true) } else { json!(v) };
            fields.iter().map(|(k, v)| ((*k).to_owned(), value(v))).collect::<serde_json::Map<_, _>>().into()
        }
    };
    Some((Box::leak(name.to_owned().into_boxed_str()), args))
}
