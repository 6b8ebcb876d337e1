//! Values of other types than the schema's, and JSON with a slip, where they have one meaning.

use serde_json::{Value, json};

use super::{Tool, ToolCall, read, same};

#[test]
fn values_of_another_type_with_one_meaning_are_understood() {
    let plan = |task: Value| json!({"title": "T", "tasks": [task]});
    for (tool, given, meant) in [
        (
            Tool::Read,
            json!({"path": "a", "offset": "20", "limit": 40.0}),
            json!({"path": "a", "from": 20, "lines": 40}),
        ),
        (
            Tool::Read,
            json!({"path": "a", "lines": " 7 ", "from": "5.0"}),
            json!({"path": "a", "from": 5, "lines": 7}),
        ),
        (
            Tool::Read,
            json!({"path": "a", "start_line": 10, "end_line": "19"}),
            json!({"path": "a", "from": 10, "lines": 10}),
        ),
        (Tool::Read, json!({"path": "a", "end_line": 3}), json!({"path": "a", "lines": 3})),
        (Tool::Search, json!({"pattern": "x", "literal": "True"}), json!({"pattern": "x", "literal": true})),
        (Tool::Search, json!({"pattern": "x", "max_results": null}), json!({"pattern": "x"})),
        (Tool::Run, json!({"command": "a", "timeout": "120000"}), json!({"command": "a", "timeout_s": 120})),
        (
            Tool::Run,
            json!({"command": "a", "working_directory": "b"}),
            json!({"command": "a", "folder": "b"}),
        ),
        (
            Tool::Edit,
            json!({"path": "a", "edits": [{"old_string": "x", "new_string": "y", "replace_all": "true"}]}),
            json!({"path": "a", "edits": [{"old": "x", "new": "y", "all": true}]}),
        ),
        (
            Tool::SubmitPlan,
            plan(json!({"title": "A", "files": "src/a.rs", "after": "1"})),
            plan(json!({"title": "A", "files": ["src/a.rs"], "after": [1]})),
        ),
        (
            Tool::SubmitPlan,
            plan(json!({"title": "A", "files": "[\"a.rs\", \"b.rs\"]", "after": [1.0]})),
            plan(json!({"title": "A", "files": ["a.rs", "b.rs"], "after": [1]})),
        ),
        (Tool::AskUser, json!({"question": "q", "choices": "a"}), json!({"question": "q", "choices": ["a"]})),
        (
            Tool::SourceCall,
            json!({"tool": "m__t", "arguments": "{\"a\": 1}"}),
            json!({"tool": "m__t", "arguments": {"a": 1}}),
        ),
    ] {
        same(tool, &given, &meant);
        let text = ToolCall::read(tool, &Value::String(given.to_string()).to_string()).unwrap();
        assert_eq!(text, read(tool, &meant).unwrap(), "JSON of a text: {given}");
    }
}

#[test]
fn json_with_a_slip_is_understood() {
    for (text, meant) in [
        (r#"{"path": "a", }"#, json!({"path": "a"})),
        ("```json\n{\"filename\": \"a\", \"limit\": \"3\"}\n```", json!({"path": "a", "lines": 3})),
    ] {
        assert_eq!(ToolCall::read(Tool::Read, text), read(Tool::Read, &meant), "{text}");
    }
    let lines = "{\"path\": \"a\", \"content\": \"one\ntwo\n\"}";
    let meant = json!({"path": "a", "content": "one\ntwo\n"});
    assert_eq!(ToolCall::read(Tool::Write, lines), read(Tool::Write, &meant));
}
