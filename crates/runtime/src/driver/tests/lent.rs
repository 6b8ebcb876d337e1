//! Sources that an agent names: on for its message, and off again with the next.

use pilothouse_core::source::SourceHealth;

use super::*;

fn put(at: &std::path::Path, text: &str) {
    fs::create_dir_all(at.parent().unwrap()).unwrap();
    fs::write(at, text).unwrap();
}

/// How the source stands once a question about it is answered.
async fn health(s: &mut Screen, number: u64) -> SourceHealth {
    s.requests.send(Request::Ask(number, Ask::Sources)).await.unwrap();
    s.until("the sources", |s| s.answers.contains_key(&number)).await;
    let Reply::Sources(all) = &s.answers[&number] else { panic!("{:?}", s.answers) };
    all[0].health.clone()
}

#[tokio::test]
async fn an_agent_with_stages_has_its_sources_for_its_run_also_after_a_pause() {
    let questions = json!({"for": "stage", "text": r#"{"scope": "a", "sub_queries": ["what is a?"]}"#});
    let rig = Rig::new(&json!([questions, questions, {"text": "Two."}]));
    let home = rig.setup(Which::New).home.config;
    put(&home.join("sources/memory/config.json"), r#"{"command": "/no/such/program", "enabled": false}"#);
    let config = r#"{"stages": [{"name": "ask", "kind": "llm", "gives": "analysis"},
        {"name": "more", "kind": "llm", "gives": "analysis"}, {"name": "output", "kind": "render"}],
        "pause_after_stages": [0]}"#;
    put(&home.join("agents/scout/config.json"), config);
    put(&home.join("agents/scout/AGENT.md"), "---\nname: Scout\nsources: memory, tickets\n---\nBe exact.\n");
    for stage in ["ask", "more"] {
        put(&home.join(format!("agents/scout/prompts/stage-{stage}.md")), "Ask.");
    }
    let mut s = rig.open(Which::New).await;
    s.say("@scout what is in src/a.txt?").await;
    s.until("both are told", |s| s.refused.iter().filter(|r| r.starts_with("@scout needs")).count() == 2)
        .await;
    assert!(s.refused.join("\n").contains("there is no source called tickets"));
    s.until("the pause", |s| s.session.state().phase_question().is_some()).await;
    s.say("1").await;
    s.until("the end", |s| s.count("run_completed") == 1).await;
    assert_ne!(health(&mut s, 1).await, SourceHealth::Off);
    s.idle().await;
    s.say("what is in src/b.txt?").await;
    s.until("an answer", |s| s.count("message_completed") == 4).await;
    let mut number = 2;
    while health(&mut s, number).await != SourceHealth::Off {
        number += 1;
        assert!(number < 1_000, "it stays on");
    }
    s.quit().await;
}

#[tokio::test]
async fn an_agent_has_its_sources_for_its_message_and_says_which_are_missing() {
    let rig = Rig::new(&json!([{"text": "One."}, {"text": "Two."}]));
    let home = rig.setup(Which::New).home.config;
    put(&home.join("sources/memory/config.json"), r#"{"command": "/no/such/program", "enabled": false}"#);
    let agent = "---\nname: keeper\ndescription: Keeps.\nsources: [memory, tickets]\n---\nKeep it.\n";
    put(&home.join("agents/keeper/AGENT.md"), agent);
    let mut s = rig.open(Which::New).await;
    assert_eq!(health(&mut s, 1).await, SourceHealth::Off);
    s.say("@keeper what is in src/a.txt?").await;
    s.until("both are told", |s| s.refused.iter().filter(|r| r.starts_with("@keeper needs")).count() == 2)
        .await;
    let said = s.refused.join("\n");
    assert!(said.contains("there is no source called tickets"), "{said}");
    assert!(said.contains("the source memory: it could not be started"), "{said}");
    assert!(matches!(health(&mut s, 2).await, SourceHealth::Failed(_)));
    s.until("an answer", |s| s.count("message_completed") == 1).await;
    s.idle().await;
    s.say("and what is in src/b.txt?").await;
    s.until("a second answer", |s| s.count("message_completed") == 2).await;
    let mut number = 3;
    while health(&mut s, number).await != SourceHealth::Off {
        number += 1;
        assert!(number < 1_000, "it stays on");
    }
    s.quit().await;
}

#[tokio::test]
async fn a_source_that_is_added_while_the_session_is_open_is_there_told_and_not_started() {
    let rig = Rig::new(&json!([{"text": "One."}, {"text": "Two."}]));
    let sources = rig.setup(Which::New).home.config.join("sources");
    let file = |name: &str| sources.join(name).join("config.json");
    put(&file("memory"), r#"{"command": "/no/such/program", "enabled": false}"#);
    let mut s = rig.open(Which::New).await;
    s.requests.send(Request::Ask(1, Ask::EnableSource("memory".to_owned(), true))).await.unwrap();
    s.until("an answer", |s| s.answers.contains_key(&1)).await;
    put(&file("tickets"), r#"{"command": "/no/such/program"}"#);
    s.say("what is in src/a.txt?").await;
    s.until("an answer", |s| s.count("message_completed") == 1).await;
    assert_eq!(s.refused, ["sources changed: tickets from now on, not started yet"]);
    let states = |s: &Screen, number: u64| -> Vec<(String, SourceHealth)> {
        let Reply::Sources(all) = &s.answers[&number] else { panic!() };
        all.iter().map(|source| (source.name.clone(), source.health.clone())).collect()
    };
    let both = ["memory", "tickets"].map(|name| (name.to_owned(), SourceHealth::Idle));
    health(&mut s, 2).await;
    assert_eq!(states(&s, 2), both, "what was turned on stays so, and nothing is started");
    // A file that cannot be read changes nothing of its own; a list that is asked for looks as well.
    put(&file("tickets"), r#"{"command": "#);
    health(&mut s, 3).await;
    assert_eq!(states(&s, 3), both);
    assert!(s.refused[1].ends_with("; still as before: tickets"), "{:?}", s.refused);
    // That holds as long as it is broken, is told once, and keeps no other change.
    fs::remove_dir_all(sources.join("memory")).unwrap();
    health(&mut s, 4).await;
    assert_eq!(states(&s, 4), both[1..]);
    assert_eq!(s.refused[2..], ["sources changed: memory removed"]);
    put(&file("tickets"), r#"{"command": "/no/such/program"}"#);
    s.say("and what is in src/b.txt?").await;
    s.until("an answer", |s| s.count("message_completed") == 2).await;
    health(&mut s, 5).await;
    assert_eq!(states(&s, 5), both[1..]);
    assert_eq!(s.refused.len(), 3, "what is written as it was changes nothing: {:?}", s.refused);
    s.quit().await;
}

/// A server in a few lines of shell that answers what it is asked first.
fn server(at: &std::path::Path) -> String {
    let text = r#"say() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$1"; }
while IFS= read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
  case "$line" in
    *'"initialize"'*) say '{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}' ;;
    *'"tools/list"'*) say '{"tools":[]}' ;;
  esac
done
"#;
    fs::write(at, text).unwrap();
    json!({"command": "sh", "args": [at]}).to_string()
}

#[tokio::test]
async fn a_source_that_is_added_changed_or_taken_away_ends_no_other() {
    let rig = Rig::new(&json!([{"text": "One."}, {"text": "Two."}, {"text": "Three."}]));
    let sources = rig.setup(Which::New).home.config.join("sources");
    let file = |name: &str| sources.join(name).join("config.json");
    let line = server(&rig.path().join("server.sh"));
    for name in ["browser", "tickets"] {
        put(&file(name), &line);
    }
    let mut s = rig.open(Which::New).await;
    let standing = async |s: &mut Screen, number: u64| {
        s.requests.send(Request::Ask(number, Ask::Sources)).await.unwrap();
        s.until("the sources", |s| s.answers.contains_key(&number)).await;
        let Reply::Sources(all) = &s.answers[&number] else { panic!() };
        all.iter().map(|source| (source.name.clone(), source.health.clone())).collect::<Vec<_>>()
    };
    for (number, name) in [(1, "browser"), (2, "tickets")] {
        s.requests.send(Request::Ask(number, Ask::TestSource(name.to_owned()))).await.unwrap();
        s.until("it answers", |s| s.answers.contains_key(&number)).await;
    }
    let (runs, rests) = (SourceHealth::Ok(0), SourceHealth::Idle);
    let is = |name: &str, health: &SourceHealth| (name.to_owned(), health.clone());
    assert_eq!(standing(&mut s, 3).await, [is("browser", &runs), is("tickets", &runs)]);
    put(&file("extra"), r#"{"command": "/no/such/program"}"#);
    s.say("what is in src/a.txt?").await;
    s.until("an answer", |s| s.count("message_completed") == 1).await;
    assert_eq!(
        standing(&mut s, 4).await,
        [is("browser", &runs), is("extra", &rests), is("tickets", &runs)],
        "an added one ends none"
    );
    s.idle().await;
    put(&file("tickets"), &line.replace('{', r#"{"about": "Tickets.", "#));
    s.say("and what is in src/b.txt?").await;
    s.until("an answer", |s| s.count("message_completed") == 2).await;
    assert_eq!(
        standing(&mut s, 5).await,
        [is("browser", &runs), is("extra", &rests), is("tickets", &rests)],
        "one that is another now ends alone"
    );
    s.idle().await;
    fs::remove_dir_all(sources.join("extra")).unwrap();
    s.say("and in src/c.txt?").await;
    s.until("an answer", |s| s.count("message_completed") == 3).await;
    assert_eq!(standing(&mut s, 6).await, [is("browser", &runs), is("tickets", &rests)]);
    assert_eq!(
        s.refused,
        [
            "sources changed: extra from now on, not started yet",
            "sources changed: tickets as it is now written, not started yet; stopped: tickets",
            "sources changed: extra removed",
        ]
    );
    s.quit().await;
}
