//! One schema a tool: what `assets/tools` says is what is read, field by field.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::{ArgsError, FileCall, SessionCall, Tool, ToolCall};

mod values;

/// A field that no tool has.
const NOBODYS: &str = "nobodys";

fn schema(tool: Tool) -> Value {
    let spec: Value = serde_json::from_str(tool.spec()).unwrap();
    assert!(!spec["description"].as_str().unwrap().is_empty(), "{tool:?}");
    spec["parameters"].clone()
}

/// Values that a schema allows, every end of its bounds and every word of its list among them.
fn samples(schema: &Value) -> Vec<Value> {
    if let Some(words) = schema["enum"].as_array() {
        return words.clone();
    }
    match schema["type"].as_str().unwrap() {
        // The one text that every field takes: a path, a pattern, a node.
        "string" => vec![json!("read")],
        "boolean" => vec![json!(true), json!(false)],
        "integer" => {
            let ends = [schema["minimum"].as_u64(), schema["maximum"].as_u64(), Some(1)];
            ends.into_iter().flatten().map(|n| json!(n)).collect()
        }
        "array" => samples(&schema["items"]).into_iter().map(|item| json!([item])).collect(),
        "object" => vec![whole(schema)],
        other => panic!("{other}"),
    }
}

/// Values that a schema does not allow.
fn wrong(schema: &Value) -> Vec<Value> {
    if schema["enum"].is_array() {
        return vec![json!("nonsense"), json!(1), json!(["read"])];
    }
    match schema["type"].as_str().unwrap() {
        "string" => vec![json!(1), json!(true), json!(["a"]), json!({})],
        "boolean" => vec![json!("yes"), json!(1), json!([])],
        "integer" => vec![json!("one"), json!("-1"), json!(-1), json!(1.5), json!(true), json!([1])],
        "array" => {
            let items = wrong(&schema["items"]).into_iter().map(|item| json!([item]));
            // One item stands for the list of it.
            let alone = match schema["items"]["type"].as_str().unwrap() {
                "string" => [json!({}), json!(1), json!("a, b")],
                "integer" => [json!({}), json!("a"), json!("1, 2")],
                _ => [json!("a"), json!(1), json!("[")],
            };
            items.chain(alone).chain([json!(true)]).collect()
        }
        "object" => vec![json!("a"), json!(["a", "b", "c"]), json!(1)],
        other => panic!("{other}"),
    }
}

/// An object with every property; an open one, whose properties another program names, with none.
fn whole(schema: &Value) -> Value {
    let all = schema["properties"].as_object().cloned().unwrap_or_default();
    assert!(!all.is_empty() || is_open(schema), "{schema}");
    Value::Object(all.iter().map(|(name, s)| (name.clone(), samples(s).remove(0))).collect())
}

fn is_open(schema: &Value) -> bool {
    schema["properties"].is_null() && schema["additionalProperties"] == json!(true)
}

fn required(schema: &Value) -> BTreeSet<String> {
    let names = schema["required"].as_array().into_iter().flatten();
    names.map(|n| n.as_str().unwrap().to_owned()).collect()
}

fn read(tool: Tool, args: &Value) -> Result<ToolCall, ArgsError> {
    ToolCall::read(tool, &args.to_string())
}

/// The fields that a refusal of an unknown one says there are.
fn fields_told(error: &str) -> BTreeSet<String> {
    let told = error.split_once("expected ").unwrap().1.split_once("; expected {").unwrap().0;
    let named: BTreeSet<String> = told.split('`').skip(1).step_by(2).map(str::to_owned).collect();
    assert!(!named.is_empty(), "{error}");
    named
}

/// Whether a value that the schema does not name has one meaning all the same: a task or a gate in words.
fn spelled_otherwise(name: &str, value: &Value) -> bool {
    ["tasks", "gates"].contains(&name) && value[0].is_string()
}

/// Holds one object of a tool's arguments against its schema; `put` makes whole arguments of it.
fn hold(tool: Tool, schema: &Value, put: &dyn Fn(Value) -> Value) {
    let properties: &Map<String, Value> = schema["properties"].as_object().unwrap();
    let (whole, required) = (whole(schema), required(schema));
    let try_out = |object: &Value| read(tool, &put(object.clone()));
    let with = |name: &str, value: Option<Value>| {
        let mut object = whole.as_object().unwrap().clone();
        match value {
            Some(value) => object.insert(name.to_owned(), value),
            None => object.remove(name),
        };
        Value::Object(object)
    };
    assert_eq!(schema["additionalProperties"], json!(false), "{tool:?}: what is unknown is refused");
    try_out(&whole).unwrap_or_else(|e| panic!("{e}: {whole}"));
    let unknown = try_out(&with(NOBODYS, Some(json!(1)))).unwrap_err().to_string();
    assert!(unknown.contains(NOBODYS), "{unknown}");
    assert_eq!(fields_told(&unknown), properties.keys().cloned().collect(), "{tool:?}");
    for (name, property) in properties {
        for sample in samples(property) {
            let object = with(name, Some(sample));
            try_out(&object).unwrap_or_else(|e| panic!("{e}: {object}"));
        }
        for value in wrong(property).into_iter().filter(|v| !spelled_otherwise(name, v)) {
            let object = with(name, Some(value));
            let Err(told) = try_out(&object) else { panic!("{tool:?} took {object}") };
            assert!(told.to_string().contains(name.as_str()), "{told}: {object}");
            assert!(told.to_string().contains("; expected {"), "with an example: {told}");
        }
        for left_out in [with(name, None), with(name, Some(Value::Null))] {
            let got = try_out(&left_out);
            assert_eq!(got.is_err(), required.contains(name), "{tool:?} {name}: {left_out}");
            if let Err(told) = got {
                assert!(told.to_string().contains(name.as_str()), "{told}");
            }
        }
        let inner = if property["type"] == "array" { &property["items"] } else { property };
        if inner["type"] == "object" && !is_open(inner) {
            let listed = |v: Value| if property["type"] == "array" { json!([v]) } else { v };
            hold(tool, inner, &|v| put(with(name, Some(listed(v)))));
        }
    }
}

#[test]
fn every_tool_takes_exactly_what_its_schema_says() {
    for tool in Tool::ALL {
        let schema = schema(tool);
        assert_eq!(schema["type"], "object");
        hold(tool, &schema, &|v| v);
    }
}

#[test]
fn an_example_in_an_error_is_one_that_fits() {
    for tool in Tool::ALL {
        let told = read(tool, &json!({NOBODYS: 1})).unwrap_err().to_string();
        let example = told.rsplit_once("; expected ").unwrap().1.split_once("; only").map_or_else(
            || told.rsplit_once("}; expected ").or(told.split_once("; expected ")).unwrap().1.to_owned(),
            |_| told.split_once("; expected ").unwrap().1.to_owned(),
        );
        let mut values = serde_json::Deserializer::from_str(&example).into_iter::<Value>();
        let value = values.next().unwrap().unwrap_or_else(|e| panic!("{e}: {example}"));
        read(tool, &value).unwrap_or_else(|e| panic!("{e}: {value}"));
        // What a model copies asks for nothing that it need not have, and is of no language.
        if matches!(tool, Tool::List | Tool::Read | Tool::Search | Tool::Edit | Tool::Write | Tool::Run) {
            let needed = schema(tool)["required"].as_array().map_or(1, |of| of.len().max(1));
            assert!(value.as_object().unwrap().len() <= needed, "{tool:?}: {example}");
        }
        let languages = ["cargo", ".rs", "fn ", "pytest", "npm", "python"];
        assert!(!languages.iter().any(|of| example.contains(of)), "{tool:?}: {example}");
    }
}

#[test]
fn a_call_is_written_as_it_is_read() {
    for tool in Tool::ALL {
        let call = read(tool, &whole(&schema(tool))).unwrap();
        assert_eq!(read(tool, &call.to_value()).unwrap(), call);
    }
}

#[test]
fn fields_that_change_nothing_are_let_be_and_others_are_refused() {
    let plan = |tasks: Value, gates: Value| {
        read(Tool::SubmitPlan, &json!({"title": "P", "rationale": "so", "tasks": tasks, "gates": gates}))
    };
    let fits = json!([{"id": 1, "title": "A"}, {"id": 2, "title": "B", "after": [1]}]);
    let gate = json!([{"id": "g", "command": "make test", "cwd": "."}]);
    let ToolCall::Session(SessionCall::SubmitPlan(draft)) = plan(fits, gate).unwrap() else { panic!() };
    assert_eq!((draft.note.as_str(), draft.tasks[1].after.as_slice()), ("so", &[1][..]));
    assert!(plan(json!([{"id": "a", "title": "A"}]), json!([])).is_ok(), "none is named by it");
    // By another number another step would be meant, and elsewhere another thing would run.
    let turned = json!([{"id": 2, "title": "A"}, {"id": 1, "title": "B", "after": [2]}]);
    assert!(plan(turned, json!([])).unwrap_err().to_string().contains("id"));
    let there = json!([{"command": "make test", "cwd": "web"}]);
    assert!(plan(json!([{"title": "A"}]), there).unwrap_err().to_string().contains("cwd"));

    let pattern = |args: Value| match read(Tool::Search, &args) {
        Ok(ToolCall::File(FileCall::Search(search))) => Some(search.pattern),
        _ => None,
    };
    for (field, value, found) in [
        ("case_insensitive", true, "(?i)todo"),
        ("case_insensitive", false, "todo"),
        ("-i", true, "(?i)todo"),
        ("case_sensitive", false, "(?i)todo"),
        ("case_sensitive", true, "todo"),
    ] {
        assert_eq!(pattern(json!({"pattern": "todo", field: value})).as_deref(), Some(found), "{field}");
    }
    assert_eq!(pattern(json!({"pattern": "todo", "literal": true, "ignore_case": true})), None);
    // Two names of one thing may say the same, and not the opposite.
    let agreed = json!({"pattern": "todo", "case_sensitive": false, "-i": true});
    assert_eq!(pattern(agreed).as_deref(), Some("(?i)todo"));
    let told = |args: Value| read(Tool::Search, &args).unwrap_err().to_string();
    let opposed = json!({"pattern": "todo", "case_sensitive": true, "case_insensitive": true});
    assert!(told(opposed.clone()).contains("contradict each other: give one of them"), "{}", told(opposed));
}

#[test]
fn a_call_without_a_path_is_refused_where_its_tool_needs_one() {
    for tool in [Tool::Read, Tool::Edit, Tool::Write, Tool::Delete] {
        for path in [None, Some(json!(null)), Some(json!("")), Some(json!(" ")), Some(json!(7))] {
            let mut args = whole(&schema(tool));
            let map = args.as_object_mut().unwrap();
            match path {
                Some(path) => map.insert("path".to_owned(), path),
                None => map.remove("path"),
            };
            assert!(read(tool, &args).unwrap_err().to_string().contains("path"), "{args}");
        }
    }
    for tool in [Tool::List, Tool::Search] {
        let ToolCall::File(call) = read(tool, &json!({"pattern": "x"})).or(read(tool, &json!({}))).unwrap()
        else {
            panic!("{tool:?}")
        };
        assert_eq!(call.path(), None, "the whole workspace, and no path that was made up");
        assert!(read(tool, &json!({"pattern": "x", "path": ""})).is_err());
    }
}

#[test]
fn a_command_has_one_reading() {
    let ToolCall::Run(run) = read(Tool::Run, &json!({"command": " make x\n", "folder": " sub "})).unwrap()
    else {
        panic!("no command")
    };
    assert_eq!((run.command.as_str(), run.folder.as_str()), ("make x", "sub"));
    for (args, about) in [
        (json!({"command": "  "}), "command"),
        (json!({"command": "a\0b"}), "NUL"),
        (json!({"command": "a", "timeout_s": 0}), "1 to 1800"),
        (json!({"command": "a", "timeout_s": 1801}), "1 to 1800"),
        (json!({"command": "x".repeat(64 * 1024 + 1)}), "65536"),
    ] {
        assert!(read(Tool::Run, &args).unwrap_err().to_string().contains(about));
    }
}

#[test]
fn a_field_that_is_given_twice_or_as_a_list_is_refused() {
    for args in [
        r#"{"path": "a", "path": "b"}"#,
        r#"["a"]"#,
        r#"{"path": "a"} {"path": "b"}"#,
        r#"{"path": "a""#,
        r#"{"path": "a",, }"#,
    ] {
        assert!(ToolCall::read(Tool::Read, args).is_err(), "{args}");
    }
    let listed = json!({"path": "a", "edits": [["old", "new"]]});
    assert!(read(Tool::Edit, &listed).unwrap_err().to_string().contains("edits[0]"));
    assert!(matches!(ToolCall::read(Tool::List, " "), Ok(ToolCall::File(FileCall::List(_)))));
}

#[test]
fn an_error_names_the_place_what_was_given_and_what_is_wanted() {
    let told = |tool, args: Value| read(tool, &args).unwrap_err().to_string();
    let e = told(Tool::Read, json!({"path": "a", "from": "one"}));
    assert!(e.contains("from: invalid type: string \"one\", expected a whole number"), "{e}");
    let e = told(Tool::Edit, json!({"path": "a", "edits": [{"old": "a", "new": "b"}, {"old": "c"}]}));
    assert!(e.contains("edits[1]: missing field `new`"), "{e}");
    let e = told(Tool::RequestPath, json!({"node": "everything", "reason": "r"}));
    assert!(e.contains("node: invalid value: string \"everything\", expected one of conversation"), "{e}");
}

#[test]
fn an_error_tells_all_that_does_not_fit_at_once() {
    let told = |tool, args: Value| read(tool, &args).unwrap_err().to_string();
    let e = told(
        Tool::SubmitPlan,
        json!({"goal": "g", "tasks": [
            {"title": "A", "owner": "me", "kind": "tune"},
            {"detail": "", "owner": "you", "after": ["first"]},
        ], "gates": [{"name": "tests"}]}),
    );
    for fault in [
        "goal: unknown field `goal`",
        "tasks[0].owner, tasks[1].owner: unknown field `owner`",
        "tasks[0].kind: unknown variant `tune`",
        "tasks[1].after[0]: invalid type: string \"first\"",
        "tasks[1], at the top: missing field `title`",
        "gates[0]: missing field `command`",
    ] {
        assert!(e.contains(fault), "{fault}: {e}");
    }
    let e = told(Tool::Edit, json!({"edits": [{"old": "a"}, {"new": "b"}, {}], "mode": "fast"}));
    for fault in [
        "edits[0], edits[2]: missing field `new`",
        "edits[1], edits[2]: missing field `old`",
        "mode: unknown field `mode`",
        "; missing field `path`;",
    ] {
        assert!(e.contains(fault), "{fault}: {e}");
    }
    let most = e.matches("expected one of").count();
    assert!(most <= 1 && e.len() < 800, "each fault is told once: {e}");
}

/// What is read of one spelling and of another is the same.
fn same(tool: Tool, given: &Value, meant: &Value) {
    let want = read(tool, meant).unwrap();
    let got = read(tool, given).unwrap_or_else(|e| panic!("{e}: {given}"));
    assert_eq!(got, want, "{given}");
}

#[test]
#[expect(clippy::too_many_lines, reason = "one case after the other")]
fn other_spellings_with_one_meaning_are_understood() {
    let edit = json!({"path": "a", "edits": [{"old": "x", "new": "y"}]});
    let plan = json!({"title": "T", "tasks": [{"title": "Do it", "detail": "Do it\nwell"}],
        "gates": [{"command": "make"}]});
    for (tool, given, meant) in [
        (
            Tool::Read,
            json!({"file_path": "a", "offset": 5, "limit": 7}),
            json!({"path": "a", "from": 5, "lines": 7}),
        ),
        (Tool::Read, json!({"filename": "a", "description": "look"}), json!({"path": "a"})),
        (
            Tool::Run,
            json!({"command": "make", "why": "to see", "background": false, "env": {}, "stdin": ""}),
            json!({"command": "make"}),
        ),
        (Tool::Search, json!({"pattern": "a", "thought": "where", "type": null}), json!({"pattern": "a"})),
        (Tool::List, json!({"dir": "src"}), json!({"path": "src"})),
        (
            Tool::Search,
            json!({"query": "x", "include": "*.rs", "-C": 2}),
            json!({"pattern": "x", "glob": "*.rs", "context": 2}),
        ),
        (Tool::Edit, json!({"path": "a", "old": "x", "new": "y"}), edit.clone()),
        (Tool::Edit, json!({"file_path": "a", "old_string": "x", "new_string": "y"}), edit.clone()),
        (Tool::Edit, json!({"path": "a", "edits": "[{\"old\": \"x\", \"new\": \"y\"}]"}), edit.clone()),
        (Tool::Edit, json!({"path": "a", "edits": {"old": "x", "new": "y"}}), edit.clone()),
        (Tool::Edit, json!({"path": "a", "edits": [{"old_str": "x", "new_str": "y"}]}), edit.clone()),
        (
            Tool::Edit,
            json!({"path": "a", "old": "x", "new": "y", "replace_all": true}),
            json!({"path": "a", "edits": [{"old": "x", "new": "y", "all": true}]}),
        ),
        (Tool::Write, json!({"file_path": "a", "contents": "x"}), json!({"path": "a", "content": "x"})),
        (Tool::Delete, json!({"file": "a"}), json!({"path": "a"})),
        (
            Tool::Run,
            json!({"cmd": "make", "timeout": 60, "description": "Builds"}),
            json!({"command": "make", "timeout_s": 60}),
        ),
        (
            Tool::Run,
            json!({"command": "make", "cwd": "sub", "timeout": 120_000}),
            json!({"command": "make", "folder": "sub", "timeout_s": 120}),
        ),
        (
            Tool::SubmitPlan,
            json!({"title": "T", "tasks": [{"title": "Do it", "description": "Do it\nwell"}], "gates": ["make"]}),
            plan.clone(),
        ),
        (
            Tool::SubmitPlan,
            json!({"title": "T", "steps": [{"description": "Do it\nwell"}], "gates": [{"command": "make"}]}),
            plan,
        ),
        (
            Tool::SubmitPlan,
            json!({"title": "T", "tasks": "[\"Do it\"]"}),
            json!({"title": "T", "tasks": [{"title": "Do it"}]}),
        ),
        (
            Tool::AskUser,
            json!({"question": "q", "options": ["a"]}),
            json!({"question": "q", "choices": ["a"]}),
        ),
    ] {
        same(tool, &given, &meant);
    }
}

#[test]
fn what_could_mean_two_things_is_refused() {
    for (tool, args) in [
        (Tool::Read, r#"{"path": ["a", "b"]}"#),
        (Tool::Read, r#"{"path": "a", "lines": "10-20"}"#),
        (Tool::Read, r#"{"path": "a", "start_line": 10, "end_line": 9}"#),
        (Tool::Read, r#"{"path": "a", "lines": 4, "end_line": 9}"#),
        (Tool::Read, r#"{"path": "a", "from": 0, "end_line": 9}"#),
        (Tool::Read, r#"{"path": "a", "from": 0, "end_line": 18446744073709551615}"#),
        (Tool::Run, r#"{"command": ["make", "test"]}"#),
        (Tool::Search, r#"{"pattern": "x", "literal": 1}"#),
        (Tool::SubmitPlan, r#"{"title": "T", "tasks": [{"title": "a", "files": "a.rs, b.rs"}]}"#),
        (Tool::SubmitPlan, r#"{"title": "T", "tasks": [{"title": "a", "files": "src/a.rs src/b.rs"}]}"#),
        (Tool::KbSearch, r#"{"query": "q", "within": "src;tests"}"#),
        (Tool::AskUser, r#"{"question": "q", "choices": "yes or no"}"#),
        (Tool::AskUser, r#"{"question": "q", "choices": "yes|no"}"#),
        (Tool::ContradictionCheck, r#"{"claims": "the port is 80 and the port is 81"}"#),
        (Tool::Read, r#"{"path": "a", "file_path": "b"}"#),
        (Tool::Read, r#"{"file_path": "a", "file_path": "b"}"#),
        (Tool::Edit, r#"{"path": "a", "old": "x", "new": "y", "edits": [{"old": "v", "new": "w"}]}"#),
        (Tool::Edit, r#"{"path": "a", "edits": "x"}"#),
        (Tool::Run, r#"{"command": "a", "cmd": "b"}"#),
        (Tool::SubmitPlan, r#"{"title": "T", "tasks": [{"title": "a", "detail": "b", "description": "c"}]}"#),
    ] {
        let told = ToolCall::read(tool, args).unwrap_err().to_string();
        assert!(told.contains("; expected {"), "{told}");
    }
    let told = read(Tool::Edit, &json!({"file_path": "a"})).unwrap_err().to_string();
    assert!(told.contains("missing field `edits`"), "what is still wrong is told: {told}");
}

#[test]
fn a_patch_is_an_edit_of_its_one_file() {
    let begin = "*** Begin Patch\n*** Update File: src/a.rs\n";
    let patch = format!(
        "{begin}@@ fn main\n fn main() {{\n-    old();\n+    new();\n }}\n@@\n-gone\n\n*** End of File\n*** End Patch\n"
    );
    let meant = json!({"path": "src/a.rs", "edits": [
        {"old": "fn main() {\n    old();\n}\n", "new": "fn main() {\n    new();\n}\n", "whole_lines": true},
        {"old": "gone\n\n", "new": "\n", "whole_lines": true},
    ]});
    for name in ["patch", "input", "edits"] {
        same(Tool::Edit, &json!({name: patch}), &meant);
    }
    same(Tool::Edit, &json!({"path": "src/a.rs", "patch": patch}), &meant);
    assert_eq!(ToolCall::read(Tool::Edit, &patch).unwrap(), read(Tool::Edit, &meant).unwrap());
    let hunk = "@@\n-a\n+b\n";
    for (patch, about) in [
        (format!("{begin}{hunk}"), "does not end"),
        (format!("{begin}{hunk}*** Update File: b\n{hunk}*** End Patch"), "for 2 files"),
        ("*** Begin Patch\n*** End Patch".to_owned(), "for 0 files"),
        ("*** Begin Patch\n*** Add File: b\n+x\n*** End Patch".to_owned(), "use write"),
        ("*** Begin Patch\n*** Delete File: b\n*** End Patch".to_owned(), "use delete"),
        (format!("{begin}*** Move to: b\n{hunk}*** End Patch"), "renames"),
        (format!("{begin}@@\n+b\n*** End Patch"), "no line that is there"),
        (format!("{begin}@@\n?b\n*** End Patch"), "line 4"),
        (format!("{begin}{hunk}*** End Patch\nmore"), "line 7"),
        ("*** Begin Patch\n-a\n*** End Patch".to_owned(), "line 2"),
    ] {
        let told = read(Tool::Edit, &json!({"patch": patch})).unwrap_err().to_string();
        assert!(told.contains(about), "{about}: {told}");
    }
    let told = read(Tool::Edit, &json!({"path": "b", "patch": patch})).unwrap_err().to_string();
    assert!(told.contains("leave path out"), "{told}");
}
