//! Laws: whatever is said and comes back, the engine ends.

use proptest::prelude::*;

use super::*;

/// Sentences of words that mean something to the engine and words that mean nothing.
fn sentences() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        4 => prop::sample::select(vec![
            "rename", "replace", "create", "delete", "where", "is", "what", "who", "uses", "show", "run", "tests",
            "Foo", "`Bar baz`", "\"x\"", "'y'", "to", "with", "in", "src/a.rs", "src/", "um", "benenne", "the",
            "function", "file", "only", "review", "changes", "outline", "list", "files", "?", "!", "„ä“", "```",
        ])
        .prop_map(str::to_owned),
        1 => ".{0,8}",
    ];
    prop::collection::vec(word, 0..9).prop_map(|words| words.join(" "))
}

/// Results that tools may give, and some that no tool would.
fn results() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(FOUND.to_owned()),
        Just("     1  fn a() {\n(lines 1-1 of 900; go on)".to_owned()),
        Just("src/\nsrc/a.rs\nCargo.toml".to_owned()),
        Just("src/a.rs:1: Foo\n[… 9 bytes left out …]\nx\n900 matches in 70 files".to_owned()),
        Just("error: src/a.rs does not exist".to_owned()),
        Just("error: a.rs changed since you read it; read it again".to_owned()),
        "(?s).{0,60}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn whatever_is_said_and_comes_back_it_ends_and_never_asks_twice(
        said in sentences(),
        results in prop::collection::vec(results(), 1..6),
        which in 0_usize..4,
    ) {
        let purpose = [Purpose::Answer, Purpose::Plan, Purpose::Task, Purpose::Goal][which];
        let tools = ["list", "read", "search", "edit", "write", "delete", "run", "submit_plan"];
        let mut talk = if purpose == Purpose::Task { Talk::task(&said) } else { Talk::new(purpose, &said, &tools) };
        let mut asked: Vec<(String, Value)> = Vec::new();
        for round in 0.. {
            prop_assert!(round < 20);
            let calls = talk.calls();
            if calls.is_empty() {
                break;
            }
            for call in &calls {
                let times = asked.iter().filter(|c| *c == call).count();
                prop_assert!(times < 2, "{call:?}");
            }
            asked.extend(calls.iter().cloned());
            let answers: Vec<(&str, &str)> = calls
                .iter()
                .zip((round..).map(|n| results[n % results.len()].as_str()))
                .map(|(call, result)| (call.0.as_str(), result))
                .collect();
            talk = talk.then(&answers);
        }
        prop_assert!(!talk.last.text.is_empty());
    }
}
