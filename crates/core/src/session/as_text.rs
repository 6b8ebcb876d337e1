//! Calls that a model writes as text: what such a text looks like, and what its user is told.
//!
//! Owns the shapes. Never makes a call of one: what a model did not call is not run.

/// Told to the user of a model that goes on writing its calls as text.
pub const NO_CALLS: &str = "This model writes its calls as text, which runs nothing: it, or the server's template for it, makes no \
                            tool calls. Take another model with /model, or a server that knows this one's calls.";

/// How models open a call that their server did not read as one.
const TAGS: [&str; 8] = [
    "<tool_call>",
    "<tool_calls>",
    "<function=",
    "<function_call>",
    "<|tool_call",
    "<|python_tag|>",
    "[TOOL_CALLS]",
    "<invoke name=",
];

/// Whether a reply is a call in text: by its head, and by its end where that is cut off from it.
pub(super) fn holds_call(head: &str, end: &str) -> bool {
    is_tagged(head) || is_tagged(end) || is_json_call(head)
}

/// A tag at the beginning of a line that is not in a span of code.
fn is_tagged(text: &str) -> bool {
    text.lines().any(|line| TAGS.iter().any(|tag| line.trim_start().starts_with(tag)))
}

/// JSON that names a function and its arguments, alone or in a fence at the end of the text.
fn is_json_call(text: &str) -> bool {
    let text = text.trim();
    let fenced = text.strip_suffix("```").and_then(|t| t.rsplit_once("```")).map(|(_, block)| block);
    let json = fenced.map_or(text, |block| block.split_once('\n').map_or(block, |(_, json)| json)).trim();
    let named = |value: &serde_json::Value| {
        let of = value.get("function").filter(|f| f.is_object()).unwrap_or(value);
        let name = of.get("name").or_else(|| of.get("tool")).is_some_and(serde_json::Value::is_string);
        name && ["arguments", "parameters", "args", "input"].iter().any(|key| of.get(*key).is_some())
    };
    match serde_json::from_str::<serde_json::Value>(json) {
        Ok(serde_json::Value::Array(all)) => all.first().is_some_and(named),
        Ok(value) => named(&value),
        Err(_) => false,
    }
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
}
