#![allow(clippy::unwrap_used)]

use super::*;
use crate::{policy::Conditions, scope::PermissionMode};

const HELD: Conditions = Conditions { trusted: false, ..Conditions::CALM };

fn offer(line: &str) -> Result<Vec<String>, &'static str> {
    let setting = Setting { mode: PermissionMode::Ask, conditions: HELD, granted: &[] };
    let policy = Policy::default();
    policy.offer(&Request::read(line), &setting).map(|rules| rules.iter().map(Rule::to_string).collect())
}

#[test]
fn a_command_is_generalised_to_what_it_does() {
    for (line, rules) in [
        ("cargo add serde --features derive", &["allow command cargo add"][..]),
        ("npm run lint -- --fix", &["allow command npm run lint"]),
        ("docker compose up -d", &["allow command docker compose up"]),
        ("python3 scripts/gen.py --all", &["allow command python3 scripts/gen.py"]),
        ("python -m build", &["allow command python -m build"]),
        ("python3 -c 'import a'", &["allow command python3 -c 'import a' $"]),
        ("./scripts/check.sh all", &["allow command ./scripts/check.sh"]),
        ("mkdir -p a/b", &["allow command mkdir"]),
        ("frobnicate deep --all", &["allow command frobnicate deep"]),
        ("frobnicate --all", &["allow command frobnicate --all $"]),
        ("make", &["allow command make $"]),
        ("gradle", &["allow command gradle $"]),
        ("./gradlew -q", &["allow command ./gradlew -q $"]),
        ("mvn -o", &["allow command mvn -o $"]),
        ("just draw --now", &["allow command just draw"]),
        ("curl -s https://docs.rs/x", &["allow command curl -s https://docs.rs/x $"]),
        ("curl https://docs.rs/x", &["allow command curl https://docs.rs/x"]),
        ("sed -i s/a/b/ src/a.rs", &["allow command sed"]),
        (
            "cd crates && cargo build && cargo test | tail -3",
            &["allow command cargo build", "allow command cargo test"],
        ),
        ("timeout 9 cargo build", &["allow command cargo build"]),
        ("git -C sub push", &["allow command git -C sub push $"]),
        ("mcp github get_issue", &["allow mcp github/get_issue"]),
        ("network docs.rs", &["allow network docs.rs"]),
    ] {
        assert_eq!(offer(line).unwrap(), rules, "{line}");
    }
}

#[test]
fn what_no_rule_can_allow_is_never_offered() {
    for line in [
        "rm x",
        "rm -rf build",
        "git push --force",
        "cat .env",
        "sudo make install",
        "cargo test $X",
        "cargo test > src/lib.rs",
        "$X",
        "a; b c; d e; f g; h i",
        "cd /elsewhere && make",
        "delete src/a.rs",
        "edit src/a.rs",
        "echo 'unclosed",
    ] {
        assert!(offer(line).is_err(), "{line}: {:?}", offer(line));
    }
}

#[test]
fn an_offer_answers_its_own_question_and_nothing_of_high_risk() {
    let corpus = include_str!("../../../../shell/tests/data/risk-corpus.jsonl");
    let mut offered = 0;
    for line in corpus.lines() {
        let case: serde_json::Value = serde_json::from_str(line).unwrap();
        let cmd = case.get("cmd").and_then(|c| c.as_str()).unwrap();
        if let Ok(rules) = offer(cmd) {
            offered += 1;
            assert!(shell::assess(cmd).risk < Risk::High, "{cmd}");
            let rules: Vec<Rule> = rules.iter().map(|r| Rule::parse(r, Origin::SESSION).unwrap()).collect();
            assert!(
                Policy::is_about(&rules, &Request::command(cmd), &super::super::Places::default()),
                "{cmd}"
            );
        }
    }
    assert!(offered > 100, "{offered}");
}
