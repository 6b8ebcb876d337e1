//! Stages of a pipeline without a model: the question taken apart by its words, the passages that answer best as
//! they stand.
//!
//! Owns what rules can hand in for a stage. Never says anything in words of its own about what was found.

use pilothouse_core::{money::count, talk::ModelRequest};
use serde_json::{Value, json};

/// Most passages of an answer, and lines of one.
const MOST_PASSAGES: usize = 5;
const MOST_LINES: usize = 12;
/// Most questions.
const MOST_QUERIES: usize = 5;
/// Words that are searched for by nobody.
const PLAIN: &[&str] = &[
    "how", "does", "do", "what", "where", "why", "when", "which", "who", "is", "are", "was", "the", "a",
    "an", "this", "that", "of", "in", "on", "to", "for", "from", "by", "with", "and", "or", "it", "its",
    "there", "can", "could", "should", "would", "will", "be", "been", "has", "have", "had", "me", "about",
    "tell", "explain", "between", "we", "you", "they", "i", "find", "out", "if", "as", "at", "not", "please",
];

/// The reply to the request of a stage.
pub(super) fn reply(request: &ModelRequest) -> String {
    let text = request.messages.last().map(|m| m.text.as_str()).unwrap_or_default();
    let query = between(text, "query").unwrap_or_default();
    let value = if text.contains("<claims>\n") {
        json!({"unsupported": [], "relations": [], "contradictions": []})
    } else if text.contains("<collect>\n") {
        json!({"summary": format!("Looking for bugs needs a model. {}", super::CONNECT), "findings": [], "skipped": true})
    } else if text.contains("<passages>\n") {
        draft(query, text)
    } else {
        json!({"scope": query, "sub_queries": queries(query, text)})
    };
    value.to_string()
}

/// What stands in a mark.
fn between<'t>(text: &'t str, mark: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(&format!("<{mark}>\n"))?;
    rest.split_once(&format!("\n</{mark}>")).map(|(inside, _)| inside)
}

/// The words that a question is about.
fn words(query: &str) -> Vec<String> {
    let split = query.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':' || c == '.'));
    let words = split.map(|w| w.trim_matches(['.', ':'])).filter(|w| w.chars().count() > 1);
    words.filter(|w| !PLAIN.contains(&w.to_lowercase().as_str())).map(str::to_owned).collect()
}

/// The question taken apart: its own words, what is written like a name, each half of it, what the user wants.
fn queries(query: &str, text: &str) -> Vec<String> {
    let words = words(query);
    let named = |w: &&String| w.contains(['_', ':', '.']) || w.chars().skip(1).any(char::is_uppercase);
    // What the user wants different comes first: it was said last.
    let wishes =
        text.split("<the_user_wants>\n").skip(1).filter_map(|rest| rest.split("\n</the_user_wants>").next());
    let mut all: Vec<String> = wishes.map(|wish| self::words(wish).join(" ")).collect();
    all.reverse();
    all.push(words.join(" "));
    all.extend(words.iter().filter(named).cloned());
    if words.len() > 3 {
        let (first, second) = words.split_at(words.len() / 2);
        all.extend([first.join(" "), second.join(" ")]);
    }
    all.retain(|q| !q.is_empty());
    let mut kept: Vec<String> = Vec::new();
    for one in all {
        if !kept.contains(&one) && kept.len() < MOST_QUERIES {
            kept.push(one);
        }
    }
    if kept.is_empty() { vec![query.trim().to_owned()] } else { kept }
}

/// The best passages word for word, in their order.
fn draft(query: &str, text: &str) -> Value {
    let found: Vec<Value> = passages(text).into_iter().take(MOST_PASSAGES).map(|p| section(&p)).collect();
    let said = if found.is_empty() {
        format!("Nothing in the index answers \"{}\".", query.trim())
    } else {
        format!("{} of the workspace, the best first.", count(found.len(), "passage"))
    };
    json!({"summary": said, "sections": found, "conclusions": [], "extractive": true})
}

struct Passage<'t> {
    number: &'t str,
    place: &'t str,
    title: &'t str,
    text: &'t str,
}

fn passages(text: &str) -> Vec<Passage<'_>> {
    let mut all = Vec::new();
    for part in text.split("<passage n=\"").skip(1) {
        let read = || {
            let (number, rest) = part.split_once("\" place=\"")?;
            let (place, rest) = rest.split_once("\" title=\"")?;
            let (title, rest) = rest.split_once("\">\n")?;
            let (text, _) = rest.split_once("\n</passage>")?;
            Some(Passage { number, place, title, text })
        };
        all.extend(read());
    }
    all
}

fn section(passage: &Passage<'_>) -> Value {
    let lines: Vec<&str> = passage.text.lines().take(MOST_LINES).collect();
    let cut = if passage.text.lines().count() > MOST_LINES { "\n…" } else { "" };
    let title = if passage.title.is_empty() { passage.place } else { passage.title };
    let fence = if passage.text.contains("```") { "~~~" } else { "```" };
    let text =
        format!("{fence}\n{}{cut}\n{fence}\n`{}` [{}]", lines.join("\n"), passage.place, passage.number);
    json!({"title": title, "text": text})
}
