use serde::Deserialize;

use super::*;

#[derive(Debug, Deserialize, PartialEq)]
struct Sheet {
    name: String,
    #[serde(default)]
    tools: Vec<String>,
    #[serde(default)]
    level: u8,
    #[serde(default)]
    metadata: BTreeMap<String, Value>,
}

fn sheet(text: &str) -> Result<Sheet, Fault> {
    Front::read(text)?.typed()
}

fn fault(text: &str) -> (usize, usize, String) {
    let Fault { at, why } = sheet(text).unwrap_err();
    (at.line, at.column, why)
}

#[test]
fn front_matter_and_body_are_read_in_every_style_of_writing() {
    let plain = "---\nname: a\ntools: [x, y]\nlevel: 3\nother: kept\n---\n\nThe body.\n---\nmore\n";
    let front = Front::read(plain).unwrap();
    assert_eq!((front.body, front.body_line), ("The body.\n---\nmore\n", 8));
    assert_eq!(front.fields.get("other"), Some(&Value::from("kept")));
    let expected: Sheet = front.typed().unwrap();
    assert_eq!((expected.tools.len(), expected.level), (2, 3));
    let dos = format!("\u{feff}{}", plain.replace('\n', "\r\n"));
    assert_eq!(Front::read(&dos).unwrap().typed::<Sheet>().unwrap(), expected);
    for (yaml, name) in [
        ("name: 'it''s \"a\"'", "it's \"a\""),
        ("name: \"two\\nlines\"", "two\nlines"),
        ("name: >-\n  folded\n  on\n\n  twice", "folded on\ntwice"),
        ("name: |\n  as\n    it stands\n", "as\n  it stands\n"),
        ("name: plain\n  goes on", "plain goes on"),
        ("# a remark\nname: näme # another", "näme"),
        ("name: !!str 12", "12"),
        ("\"name\": '2024-01-01'", "2024-01-01"),
        ("{name: flow, metadata: {a: {b: [1, 2.5, ~, yes]}}}", "flow"),
    ] {
        assert_eq!(sheet(&format!("---\n{yaml}\n---\nb")).unwrap().name, name, "{yaml}");
    }
}

#[test]
fn a_text_without_front_matter_is_all_body() {
    for text in ["", "just words", "--- not a fence\n", "----\nx\n---\n", "\n---\nname: a\n---\n"] {
        let front = Front::read(text).unwrap();
        assert_eq!((front.body, front.fields.len(), front.body_line), (text, 0, 1), "{text}");
    }
    for text in ["---\n---", "---\n---\n", "---\n# nothing\n---\n"] {
        assert_eq!(Front::read(text).unwrap().body, "", "{text}");
    }
}

#[test]
fn plain_words_mean_what_yaml_says() {
    let front = Front::read(
        "---\na: [1, -2, 0x1f, 0o17, 1.5, 1e3, .5, true, null, ~, 1.2.3, yes, 12px, .inf, -]\n---",
    );
    assert_eq!(front.unwrap_err().at.line, 2, "a dash alone begins a list");
    let front =
        Front::read("---\na: [1, -2, 0x1f, 0o17, 1.5, 1e3, .5, true, null, ~, 1.2.3, yes, 12px, .inf]\n---");
    let values = front.unwrap().fields.remove("a").unwrap();
    let expected = serde_json::json!([
        1, -2, 31, 15, 1.5, 1000.0, 0.5, true, null, null, "1.2.3", "yes", "12px", ".inf"
    ]);
    assert_eq!(values, expected);
}

#[test]
fn what_is_wrong_is_named_with_its_line_and_column() {
    for (text, line, column, why) in [
        ("---\ntools: []\n---\n", 1, 1, "missing field `name`"),
        ("---\nname: [a]\n---\n", 2, 7, "`name`: invalid type: sequence, expected a string"),
        (
            "---\nname: a\ntools:\n  - x\n  - 3\n---\n",
            5,
            5,
            "`tools[1]`: invalid type: integer `3`, expected a string",
        ),
        (
            "\u{feff}---\r\nname: a\r\nlevel: many\r\n---\r\n",
            3,
            8,
            "`level`: invalid type: string \"many\", expected u8",
        ),
        ("---\nname: a\nname: b\n---\n", 3, 1, "the key `name` stands here a second time"),
        ("---\nname: a\n", 1, 1, "the front matter is not closed by a line `---`"),
        ("---\n- a\n- b\n---\n", 2, 1, "the front matter is no list of `key: value`"),
        ("---\njust words\n---\n", 2, 1, "the front matter is no list of `key: value`"),
        (
            "---\nname: &a b\nx: *a\n---\n",
            3,
            4,
            "anchors and aliases (`&`, `*`) are not taken; write the value out",
        ),
        ("---\nname: a\n? [b]\n: c\n---\n", 3, 3, "a key has to be a word, not a list or a table"),
        ("---\nname: a\n...\n%YAML 1.2\n", 1, 1, "the front matter is not closed by a line `---`"),
    ] {
        assert_eq!(fault(text), (line, column, why.to_owned()), "{text}");
    }
    for (text, line) in [
        ("---\nname: a: b\n---\n", 2),
        ("---\nname: a\n\tx: b\n---\n", 2),
        ("---\nname: \"open\n---\n", 2),
        ("---\nname: a\n  x: b\n---\n", 3),
        ("---\nname: @a\n---\n", 2),
    ] {
        let (at, _, why) = fault(text);
        assert!(why.starts_with("no YAML: ") && (line..=line + 1).contains(&at), "{text}: {at} {why}");
    }
}

#[test]
fn a_short_text_cannot_grow_long_and_a_deep_one_is_refused() {
    let deep = |n: usize| format!("---\nname: {}a{}\n---\n", "[".repeat(n), "]".repeat(n));
    assert!(fault(&deep(20)).2.starts_with("more than 16 levels"));
    assert!(fault(&deep(5000)).2.starts_with("no YAML: "));
    let wide = format!("---\nname: [{}]\n---\n", "a, ".repeat(5000));
    assert!(fault(&wide).2.starts_with("the front matter holds more than"));
    let bomb = "---\na: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n---\n";
    assert!(fault(bomb).2.starts_with("anchors"));
}
