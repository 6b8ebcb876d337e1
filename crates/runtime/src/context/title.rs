//! A title: what the model is told of the session that it names.
//!
//! Owns the one request for it. Never decides when one is made, and never words what the model said.

use pilothouse_core::{
    mark::inside,
    session::{ApplyStatus, State, What},
    talk::{Message, ModelRequest, Purpose, Role},
};

/// So many of the newest messages are told beside the first.
const NEWEST: usize = 12;
/// So many files are named.
const FILES: usize = 12;
/// A title is no longer than this in any language; what thinks before it speaks needs room as well.
const MOST_TOKENS: u32 = 1024;

/// The request for a title of the session.
pub fn request(state: &State) -> ModelRequest {
    let heads: Vec<&str> = state
        .transcript
        .entries()
        .iter()
        .filter_map(|e| if let What::User(turn) = e.what { state.turns.get(&turn) } else { None })
        .map(|turn| turn.head.as_str())
        .filter(|head| !head.starts_with(['/', '!']))
        .collect();
    let newest = heads.len().saturating_sub(NEWEST).max(1);
    let heads = heads.iter().take(1).chain(heads.iter().skip(newest));
    let said: Vec<String> = heads.map(|head| format!("- {}", head.replace('\n', " "))).collect();
    let plans = [state.plan.as_ref(), state.suspended.as_ref()].into_iter().flatten();
    let plans: Vec<String> = plans.map(|plan| format!("- {}", plan.title)).collect();
    let applied = state.applies().values().filter(|a| a.status == ApplyStatus::Applied);
    let mut files: Vec<&str> = Vec::new();
    for path in applied.flat_map(|a| &a.files).map(|f| f.path.as_str()) {
        if !files.contains(&path) {
            files.push(path);
        }
    }
    let files: Vec<String> = files.iter().rev().take(FILES).map(|path| format!("- {path}")).collect();
    let parts = [("The user said", said), ("Plans", plans), ("Files changed", files)];
    let parts = parts.into_iter().filter(|(_, lines)| !lines.is_empty());
    let text = parts.map(|(head, lines)| format!("{head}:\n{}", lines.join("\n"))).collect::<Vec<_>>();
    let text = format!("<session>\n{}\n</session>\n\nName it.", inside(&text.join("\n\n"), "session"));
    ModelRequest {
        purpose: Purpose::Title,
        system: super::system(Purpose::Title),
        messages: vec![Message::text(Role::User, text)],
        tools: Vec::new(),
        most_tokens: Some(MOST_TOKENS),
    }
}
