//! What is asked of a server for a tool of it, and what comes back, as text.
//!
//! Owns the two ways of the protocol beside its tools, and how much of an answer is taken. Never sends anything.

use pilothouse_core::money::count;
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, ClientRequest, ContentBlock, GetPromptRequest,
    GetPromptRequestParams, ReadResourceRequest, ReadResourceRequestParams, ResourceContents, ServerResult,
};
use serde_json::Value;

use super::Answer;
use crate::catalog::{PROMPT, READ};

/// The most of an answer that is taken, in bytes.
const MOST_ANSWER: usize = 1 << 20;

/// What is asked of a server for a tool of it.
pub(super) fn request(name: &str, arguments: &Value) -> ClientRequest {
    let text = |key: &str| arguments.get(key).and_then(Value::as_str).unwrap_or_default();
    let given = |all: Option<&Value>| all.and_then(Value::as_object).cloned().unwrap_or_default();
    match name {
        READ => {
            let params = ReadResourceRequestParams::new(text("uri"));
            ClientRequest::ReadResourceRequest(ReadResourceRequest::new(params))
        }
        PROMPT => {
            let given = given(arguments.get("arguments"));
            let params = GetPromptRequestParams::new(text("name")).with_arguments(given);
            ClientRequest::GetPromptRequest(GetPromptRequest::new(params))
        }
        _ => {
            let given = given(Some(arguments));
            let params = CallToolRequestParams::new(name.to_owned()).with_arguments(given);
            ClientRequest::CallToolRequest(CallToolRequest::new(params))
        }
    }
}

/// What came back, as text; `None` where it is no answer to that.
pub(super) fn answer(result: ServerResult) -> Option<Answer> {
    let said = |parts: Vec<String>| Some(Answer { text: bounded(parts.join("\n")), failed: false });
    if let ServerResult::ReadResourceResult(result) = result {
        return said(result.contents.iter().map(content).collect());
    }
    if let ServerResult::GetPromptResult(result) = result {
        return said(result.messages.iter().map(|m| block(&m.content)).collect());
    }
    let ServerResult::CallToolResult(result) = result else { return None };
    let text: Vec<String> = result.content.iter().map(block).collect();
    let structured = result.structured_content.filter(|_| text.iter().all(|t| t.trim().is_empty()));
    let answer = said(structured.map_or(text, |value| vec![value.to_string()]))?;
    Some(Answer { failed: result.is_error == Some(true), ..answer })
}

fn block(block: &ContentBlock) -> String {
    let kept = |what: &str, kind: &str, size: usize| {
        format!("[{what} {kind}, about {} KB, not shown]", size * 3 / 4096)
    };
    match block {
        ContentBlock::Text(text) => text.text.clone(),
        ContentBlock::Image(image) => kept("image", &image.mime_type, image.data.len()),
        ContentBlock::Audio(audio) => kept("audio", &audio.mime_type, audio.data.len()),
        ContentBlock::Resource(resource) => content(&resource.resource),
        ContentBlock::ResourceLink(link) => format!("[resource {} {}]", link.uri, link.name),
        _ => "[something that is not known]".to_owned(),
    }
}

fn content(resource: &ResourceContents) -> String {
    match resource {
        ResourceContents::TextResourceContents { text, .. } => text.clone(),
        ResourceContents::BlobResourceContents { uri, blob, .. } => {
            format!("[{uri}, about {} KB, not shown]", blob.len() * 3 / 4096)
        }
        _ => String::new(),
    }
}

fn bounded(mut text: String) -> String {
    if text.len() > MOST_ANSWER {
        let left = text.len() - MOST_ANSWER;
        text.truncate(text.floor_char_boundary(MOST_ANSWER));
        text.push_str(&format!("\n[left out: {}]", count(left, "more byte")));
    }
    text
}
