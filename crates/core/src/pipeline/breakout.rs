//! Leaving a paused pipeline: what a message to it means, and what the answer to the question means.
//!
//! Owns the decision (T-12) and the words of the answer. The words that ask for something else (T-11) are the
//! classifier's. Never leaves anything: the session does.

use serde::{Deserialize, Serialize};

use crate::goal::first_object;

/// From this confidence on a model's word that a message leaves counts.
pub const SURE: f32 = 0.7;
/// Most characters of a message that are kept for its turn.
pub const KEPT_CHARS: usize = 500;

/// Who found that a message asks for something else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// One of the words.
    Keyword,
    /// A model.
    Semantic,
}

/// What an answer to "leave?" says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Response {
    /// Stay.
    Deny,
    /// Leave.
    Confirm,
    /// Neither: whoever goes on with something else has left.
    Implicit,
    /// Nothing was said.
    Nothing,
}

/// What a model makes of a message to a paused pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Judgement {
    /// It answers the pipeline.
    PipelineResponse,
    /// It asks for something else.
    Breakout,
    /// Nobody can tell.
    Unclear,
}

/// What is known of a message when it is decided on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Said<'a> {
    /// The message.
    pub text: &'a str,
    /// Whether one of the words stands in it.
    pub keyword: bool,
    /// What a model makes of it; none where none was asked.
    pub judged: Option<Judgement>,
}

/// What is done with a message to a paused pipeline (T-12).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Case {
    /// A: it goes on.
    Stay,
    /// B: it is left, and the message that was kept has its turn.
    LeaveForOriginal,
    /// C: it is left, and this message has its turn.
    LeaveForThis,
    /// D and D′: it is asked whether to leave.
    Ask(Source),
    /// E: it goes on with what the message says.
    Resume,
    /// Nothing was said.
    Ignore,
}

/// What is done with a message; `pending` where it is asked already whether to leave.
pub fn breakout_decide(pending: bool, said: Said<'_>) -> Case {
    if pending {
        return match response(said.text) {
            Response::Deny => Case::Stay,
            Response::Confirm => Case::LeaveForOriginal,
            Response::Implicit => Case::LeaveForThis,
            Response::Nothing => Case::Ignore,
        };
    }
    if said.text.trim().is_empty() {
        return Case::Ignore;
    }
    if said.keyword {
        return Case::Ask(Source::Keyword);
    }
    match said.judged {
        Some(Judgement::Breakout) => Case::Ask(Source::Semantic),
        Some(Judgement::PipelineResponse | Judgement::Unclear) | None => Case::Resume,
    }
}

/// Words that stay, and words that leave; the first are looked for first.
const DENY: [&str; 12] = [
    "no",
    "n",
    "nope",
    "continue",
    "resume",
    "stay",
    "keep going",
    "go on",
    "proceed",
    "go back",
    "don't exit",
    "dont exit",
];
const CONFIRM: [&str; 14] = [
    "yes",
    "y",
    "yeah",
    "yep",
    "sure",
    "ok",
    "confirm",
    "exit",
    "leave",
    "quit",
    "stop",
    "cancel",
    "break out",
    "breakout",
];

/// What an answer to "leave?" says: exact digits and the key that leaves, then whole words, a no before a yes.
pub fn response(text: &str) -> Response {
    let text = text.trim().to_lowercase().replace('’', "'");
    match text.as_str() {
        "" => return Response::Nothing,
        "1" | "1." | "q" => return Response::Confirm,
        "2" | "2." => return Response::Deny,
        _ => {}
    }
    if DENY.iter().any(|word| has_word(&text, word)) {
        return Response::Deny;
    }
    if CONFIRM.iter().any(|word| has_word(&text, word)) {
        return Response::Confirm;
    }
    Response::Implicit
}

/// Whether a whole line at a pause is nothing but a word that leaves.
pub fn is_lone_exit(text: &str) -> bool {
    let text = text.trim().trim_end_matches(['.', '!']).to_lowercase();
    matches!(text.as_str(), "q" | "exit" | "leave" | "quit" | "stop" | "cancel" | "abort")
}

/// Whether a message is the third choice of the pause, which has nothing to answer.
pub fn is_exit_choice(text: &str) -> bool {
    matches!(text.trim(), "3" | "3.") || is_lone_exit(text)
}

/// Whether words stand in a text as words: "looks" holds no "ok".
fn has_word(text: &str, word: &str) -> bool {
    let joins = |c: char| c.is_alphanumeric() || c == '_' || c == '\'';
    text.match_indices(word).any(|(at, _)| {
        let before = text.get(..at).and_then(|t| t.chars().next_back());
        let after = text.get(at + word.len()..).and_then(|t| t.chars().next());
        !before.is_some_and(joins) && !after.is_some_and(joins)
    })
}

/// The beginning of a message that is kept for its turn.
pub fn kept(text: &str) -> String {
    text.trim().chars().take(KEPT_CHARS).collect()
}

/// What a model's reply says; whatever cannot be read is unclear.
pub fn judged(reply: &str) -> Judgement {
    let Some(object) = first_object(reply, |o| o.contains_key("intent")) else { return Judgement::Unclear };
    let confidence = object.get("confidence").and_then(serde_json::Value::as_f64).unwrap_or(0.0);
    let intent = object.get("intent").and_then(serde_json::Value::as_str).unwrap_or_default();
    #[expect(clippy::cast_possible_truncation, reason = "a share")]
    let sure = confidence as f32 >= SURE;
    match intent.trim().to_lowercase().as_str() {
        "breakout" if sure => Judgement::Breakout,
        "pipeline_response" if sure => Judgement::PipelineResponse,
        _ => Judgement::Unclear,
    }
}

/// What a model is told to judge a message.
pub fn question(query: &str, queries: &[String], message: &str) -> String {
    let queries: Vec<String> =
        queries.iter().map(|q| format!("<sub_query>{}</sub_query>", crate::mark::escape(q))).collect();
    format!(
        "<query>{}</query>\n{}\n<message>{}</message>",
        crate::mark::escape(query),
        queries.join("\n"),
        crate::mark::escape(message)
    )
}
