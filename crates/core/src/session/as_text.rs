//! Calls that a model writes as text: what such a text looks like, and what its user is told.
//!
//! Owns the shapes. Never makes a call of one: what a model did not call is not run.

use serde_json::{Map, Value};

use crate::tool::Tool;

/// Told to the user of a model that goes on writing its calls as text.
pub const NO_CALLS: &str = "This model writes its tool calls as plain text, so nothing runs: the model, or its chat template on the server, does not support tool calls. Pick another model with /model, or a server that supports this one's calls.";

/// How models open a call that their server did not read as one.
const TAGS: [&str; 7] = [
    "<tool_call>",
    "<tool_calls>",
    "<function=",
    "<function_call>",
    "<|python_tag|>",
    "[TOOL_CALLS]",
    "<invoke name=",
];
/// The same, with a rest of the tag that differs from model to model.
const TAG_HEADS: [&str; 2] = ["<|tool_call", "<｜tool"];

/// Whether a reply is a call in text: by its head, and by its end where that is cut off from it.
pub(super) fn holds_call(head: &str, end: &str) -> bool {
    // An end that was cut off inside a block has one fence too many.
    let inside = end != head && end.lines().filter(|line| is_fence(line)).count() % 2 == 1;
    is_tagged(head, false) || is_tagged(end, inside) || is_json_call(head)
}

fn is_fence(line: &str) -> bool {
    line.trim_start().starts_with("```")
}

/// A tag at the beginning of a line, with a call behind it; outside of blocks of code.
fn is_tagged(text: &str, mut inside: bool) -> bool {
    let mut rest = text;
    while !rest.is_empty() {
        let (line, next) = rest.split_once('\n').unwrap_or((rest, ""));
        if is_fence(line) {
            inside = !inside;
        }
        let indented = line.starts_with("    ") || line.starts_with('\t');
        if !inside && !indented && opens_call(rest.trim_start()) {
            return true;
        }
        rest = next;
    }
    false
}

/// Whether a text begins with a tag and what a model writes behind it: JSON, the name of a function, a further tag.
fn opens_call(text: &str) -> bool {
    let tag = TAGS.into_iter().find(|tag| text.starts_with(tag));
    let behind = tag.and_then(|tag| text.strip_prefix(tag)).or_else(|| {
        TAG_HEADS
            .into_iter()
            .find_map(|head| text.strip_prefix(head)?.split_once('>').map(|(_, behind)| behind))
    });
    let Some(behind) = behind.map(str::trim_start) else { return false };
    let named = behind.trim_start_matches(|c: char| c.is_alphanumeric() || "_.-:\"".contains(c));
    let is_named = named.len() < behind.len();
    if tag.is_some_and(|tag| tag.ends_with('=')) {
        let args = named.strip_prefix('>').map(str::trim_start);
        return is_named && args.is_some_and(|args| args.is_empty() || args.starts_with(['<', '{']));
    }
    behind.starts_with(['{', '[', '<']) || (is_named && named.trim_start().starts_with(['{', '[', '<', '(']))
}

/// JSON that calls a function, alone or in a fence at the end of the text.
fn is_json_call(text: &str) -> bool {
    let text = text.trim();
    let fenced = text.strip_suffix("```").and_then(|t| t.rsplit_once("```"));
    let alone = fenced.is_none_or(|(before, _)| before.trim().is_empty());
    let block = fenced.map(|(_, block)| block);
    let json = block.map_or(text, |block| block.split_once('\n').map_or(block, |(_, json)| json)).trim();
    let all: Result<Vec<Value>, _> = serde_json::Deserializer::from_str(json).into_iter().collect();
    let Ok(all) = all else { return false };
    let mut calls =
        all.iter().flat_map(|v| v.as_array().map_or(std::slice::from_ref(v), Vec::as_slice)).peekable();
    calls.peek().is_some() && calls.all(|value| is_call(value, alone))
}

/// Whether JSON names a tool and has arguments for it. Where it is all of a reply, the name may be one that the model
/// made up, if nothing else stands beside it.
fn is_call(value: &Value, alone: bool) -> bool {
    let of = value.get("function").filter(|f| f.is_object()).unwrap_or(value);
    let Some(name) = of.get("name").or_else(|| of.get("tool")).and_then(Value::as_str) else { return false };
    let args = ["arguments", "parameters", "args", "input"].iter().find_map(|key| of.get(*key));
    let takes = args.is_some_and(|args| match args {
        Value::Object(_) => true,
        Value::String(text) => serde_json::from_str::<Map<String, Value>>(text).is_ok(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => false,
    });
    let bare = || of.as_object().is_some_and(|all| all.len() == 2);
    takes && (Tool::named(name).is_some() || (alone && bare()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_in_text_is_told_from_a_text() {
        for text in [
            "```json\n{\"name\": \"read_file\", \"arguments\": {\"path\": \"a\"}}\n```",
            "I read it first.\n\n```\n{\"name\": \"read\", \"parameters\": {}}\n```",
            "{\"function\": {\"name\": \"read\", \"arguments\": \"{}\"}}",
            "<tool_call>{\"name\":\"read\",\"arguments\":{}}</tool_call>",
            "Let me look.\n<function=read>\n<parameter=path>a</parameter>\n</function>",
        ] {
            assert!(holds_call(text, text), "{text}");
        }
        for text in [
            "The tag `<tool_call>` opens one.",
            "```json\n{\"name\": \"shop\", \"version\": 1}\n```",
            "```\n{\"name\": \"read\", \"arguments\": {}}\n```\nis how a call looks.",
            "It is done.",
        ] {
            assert!(!holds_call(text, text), "{text}");
        }
    }

    #[test]
    fn a_sample_in_an_answer_is_no_call() {
        for text in [
            "Put this into launch.json:\n```json\n{\"name\": \"Debug\", \"type\": \"lldb\", \"args\": [\"--x\"]}\n```",
            "The answer of the API:\n```json\n[{\"name\": \"a\", \"input\": 3}]\n```",
            "It sends:\n```json\n{\"name\": \"resize\", \"parameters\": {\"width\": 3}}\n```",
            "{\"name\": \"Debug\", \"type\": \"lldb\", \"args\": {\"x\": 1}}",
            "{\"name\": \"read\", \"input\": 3}",
            "The template writes:\n```xml\n<tool_call>\n{\"name\": \"f\"}\n</tool_call>\n```\nand then ends the turn.",
            "In the template:\n\n    <function=read>\n\nopens one.",
            "<tool_call> is how this model opens one.",
            "<function=read> opens one.",
            "[TOOL_CALLS] opens one.",
        ] {
            assert!(!holds_call(text, text), "{text}");
        }
        // Cut off inside a block: what closes it is seen, what opens it is not.
        assert!(!holds_call(
            "The template writes",
            "<tool_call>\n{\"name\": \"f\"}\n```\nand ends the turn."
        ));
    }

    #[test]
    fn calls_of_other_templates_are_told_too() {
        for text in [
            "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>read\n```json\n{}\n```",
            "<|tool_call|>[{\"name\": \"read\", \"arguments\": {}}]",
            "<|tool_call>call:read{path:a}",
            "<tool_call>read\n<arg_key>path</arg_key>",
            "<tool_call>\n<function=read>\n<parameter=path>a</parameter>",
            "[TOOL_CALLS]read[ARGS]{}",
            "<invoke name=\"read\">\n<parameter name=\"path\">a</parameter>",
            "{\"name\": \"read\", \"arguments\": {}}\n{\"name\": \"list\", \"arguments\": {}}",
            "[{\"name\": \"github__search\", \"input\": {}, \"id\": \"1\"}]",
            "{\"name\": \"read\", \"arguments\": \"{\\\"path\\\": \\\"a\\\"}\"}",
        ] {
            assert!(holds_call(text, text), "{text}");
        }
        assert!(holds_call("I look.", "so:\n<tool_call>{\"name\": \"read\"}"));
    }
}
