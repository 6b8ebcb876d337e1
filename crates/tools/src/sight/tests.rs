//! Rules about paths at the moment of use: what a path really means is what is judged.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::{os::unix::fs::symlink, sync::Arc};

use pilothouse_core::{
    policy::{Origin, PathRules, Places, Policy, Rule},
    tool::Tool,
};
use serde_json::{Value, json};

use crate::fixture::{Desk, asked, desk};

const SECRET: &str = "the-canary";

/// A workspace with a denied folder, a file that asks, and every way to name them.
fn ruled() -> Desk {
    let mut d = desk(&[
        ("secrets/key", SECRET.as_bytes()),
        ("secrets/deep/other", SECRET.as_bytes()),
        (".env", SECRET.as_bytes()),
        ("src/a.rs", b"fn main() {}\n"),
    ]);
    for (target, link) in [
        ("secrets", "s"),
        ("secrets/key", "k"),
        ("../secrets/deep", "src/up"),
        (".env", "plain.txt"),
        ("plain.txt", "hop"),
        ("s", "hops"),
    ] {
        symlink(target, d.root.join(link)).unwrap();
    }
    symlink(d.root.join("secrets"), d.root.join("absolute")).unwrap();
    let rules = ["deny path secrets/**", "ask read .env"];
    let rules = rules.iter().map(|r| Rule::parse(r, Origin::SESSION).unwrap()).collect();
    let places =
        Places { root: d.root.to_str().unwrap().to_owned(), home: String::new(), ..Places::default() };
    d.view.rules = PathRules::new(Arc::new(Policy::new(rules, places)));
    d
}

fn calls(path: &str) -> [(Tool, Value); 5] {
    [
        (Tool::Read, json!({"path": path})),
        (Tool::Search, json!({"path": path, "pattern": "."})),
        (Tool::Edit, json!({"path": path, "edits": [{"old": SECRET, "new": "x"}]})),
        (Tool::Write, json!({"path": path, "content": "x"})),
        (Tool::Delete, json!({"path": path})),
    ]
}

#[test]
fn a_denied_file_is_reached_by_no_spelling_and_no_link() {
    let mut d = ruled();
    let root = d.root.to_str().unwrap().to_owned();
    let shapes = [
        "secrets/key".to_owned(),
        "./secrets//key".to_owned(),
        "s/key".to_owned(),
        "k".to_owned(),
        "hops/key".to_owned(),
        "src/up/other".to_owned(),
        "absolute/deep/other".to_owned(),
        "secrets/new".to_owned(),
        "s/new".to_owned(),
        format!("{root}/secrets/key"),
        format!("{root}/s/deep/other"),
    ];
    let mut checked = 0;
    for shape in &shapes {
        for (tool, args) in calls(shape) {
            checked += 1;
            if let Ok(got) = d.call(tool, args) {
                assert!(
                    !got.text.contains(SECRET) && got.proposals.is_empty(),
                    "{tool:?} {shape}: {}",
                    got.text
                );
                assert!(tool == Tool::Search, "{tool:?} {shape}: {}", got.text);
            }
        }
    }
    assert_eq!(checked, 55);
}

#[test]
fn a_search_leaves_out_what_rules_hold_back_and_says_so() {
    let mut d = ruled();
    let text = d.text(Tool::Search, json!({"pattern": "canary|main"}));
    assert!(text.contains("src/a.rs:1") && !text.contains(SECRET), "{text}");
    assert!(
        text.contains(
            "; 1 file left out by permission rules (.env): read one by its path to ask for it; 2 files left out by rules \
             that deny them (secrets/deep/other, secrets/key), so reading one is refused"
        ),
        "{text}"
    );
    let told = d.refused(Tool::Search, json!({"path": ".env", "pattern": "."}));
    assert!(told.contains("ask read .env"), "{told}");
}

#[test]
fn what_is_held_names_the_real_path_and_the_rule() {
    let d = ruled();
    let held = std::cell::OnceCell::new();
    let eyes = super::LaneView {
        jail: &d.jail,
        view: &d.view,
        blobs: &d.store,
        held: &held,
        redactor: &d.redactor,
        lately: &d.lately,
        recipes: &d.recipes,
    };
    let stop = tokio_util::sync::CancellationToken::new();
    assert!(
        crate::files::perform(&asked(Tool::Read, &json!({"path": "hop"})).unwrap(), eyes, &stop).is_err()
    );
    let held = held.into_inner().unwrap();
    assert_eq!((held.request.to_string().as_str(), held.ruling.by.as_str()), ("read .env", "ask read .env"));
}
