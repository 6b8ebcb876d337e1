//! What others do to the folder while a session is open.

use std::process::Command;

use super::*;

fn git(folder: &std::path::Path, args: &[&str]) {
    let own = ["-c", "user.name=x", "-c", "user.email=x@y"];
    assert!(Command::new("git").args(own).args(args).current_dir(folder).status().unwrap().success());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_commit_of_others_is_seen_when_the_user_looks_again_and_a_change_at_the_next_message() {
    let rig = Rig::new(&json!([{"text": "In src/a.txt."}]));
    git(&rig.work(), &["init", "-q", "-b", "main"]);
    let mut s = rig.open(Which::New).await;
    s.until("git's answer", |s| s.around.dirty > 0).await;
    git(&rig.work(), &["add", "."]);
    git(&rig.work(), &["commit", "-qm", "first"]);
    s.requests.send(Request::Focused).await.unwrap();
    s.until("nothing that differs", |s| s.around.dirty == 0).await;
    fs::write(rig.work().join("src/b.txt"), "new\n").unwrap();
    s.say("what is in src/a.txt?").await;
    s.until("the new file", |s| s.around.dirty == 1).await;
    s.quit().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stopped_command_tells_its_model_what_it_had_printed() {
    let command = "seq -f 'line %g' 3000; echo 312 passed; sleep 600";
    let rig = Rig::new(&json!([{"calls": [{"name": "run", "args": {"command": command}}]}]));
    let mut s = rig.open(Which::New).await;
    s.say("run the tests").await;
    let asks = |s: &Screen| {
        let risk = |c: &&pilothouse_core::checkpoint::Checkpoint| matches!(&c.kind, CheckpointKind::Risk(r) if r.meant.is_some());
        s.state().open.values().find(risk).cloned()
    };
    s.until("the question", |s| asks(s).is_some()).await;
    let asked = asks(&s).unwrap();
    let (checkpoint, shown) = (asked.id, asked.kind.shown());
    s.send(Input::Answer { checkpoint, answer: pilothouse_core::checkpoint::Answer::Approve, shown }).await;
    let printed = |s: &Screen| s.deltas.iter().any(|(_, _, text)| text.contains("312 passed"));
    s.until("what it prints", printed).await;
    s.send(Input::Cancel).await;
    s.has("call_ended").await;
    let told = s.events.iter().find_map(|e| match &e.event {
        Event::CallEnded { result, .. } => Some(result.clone()),
        _ => None,
    });
    let told = told.unwrap();
    assert!(told.bytes < 6 * 1024, "{}", told.bytes);
    let told = told.whole().unwrap();
    let (first, rest) = told.split_once('\n').unwrap();
    assert_eq!(first, "cancelled");
    assert!(rest.starts_with("It had printed by then:\n[… more before this …]\nline "), "{rest}");
    assert!(rest.ends_with("line 3000\n312 passed\n"), "{rest}");
    s.quit().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn in_the_home_folder_nothing_is_copied_for_a_command_and_that_is_said() {
    for at_home in [true, false] {
        let rig = Rig::new(&json!([]));
        let home = if at_home { rig.work() } else { rig.path().join("elsewhere") };
        let mut setup = rig.setup(Which::New);
        let model = setup.environment.get("PILOTHOUSE_MODEL").unwrap_or_default().to_owned();
        setup.environment =
            [("PILOTHOUSE_MODEL", model), ("HOME", home.display().to_string())].into_iter().collect();
        let mut s = Screen::open(setup, 1024).await;
        super::given::printed(&mut s, "echo x > src/b.txt").await;
        let place = sessions::find(&rig.home(), &rig.work(), &s.state().slug).unwrap();
        assert_eq!(place.folder.join("saved").exists(), !at_home);
        let said =
            |e: &Stamped| matches!(&e.event, Event::Notice { text, .. } if text.contains("not saved first"));
        assert_eq!(s.events.iter().any(said), at_home);
        s.quit().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_fact_whose_file_others_changed_is_told_as_stale_until_the_file_says_so_again() {
    let fact = json!({"name": "second", "value": "two", "file": "src/a.txt", "text": "two"});
    let ask = json!({"question": "Which one?", "choices": ["this", "that"]});
    let rig = Rig::new(&json!([
        {"calls": [{"name": "record_fact", "args": fact}]},
        {"text": "Noted."},
        {"text": "It is a list."},
        {"calls": [{"name": "ask_user", "args": ask}]},
        {"text": "That one."}
    ]));
    let file = rig.work().join("src/a.txt");
    let mut s = rig.open(Which::New).await;
    let told =
        |s: &Screen| s.state().facts.get("second").map(|f| s.state().facts.line(f)).unwrap_or_default();
    s.say("explain what is second in src/a.txt").await;
    s.until("a reply", |s| s.count("message_completed") == 2).await;
    s.idle().await;
    assert!(told(&s).ends_with("(src/a.txt:2 `two`; checked)"), "{}", told(&s));
    // A list of what is known looks first.
    fs::write(&file, "one\n2\nthree\n").unwrap();
    s.say("/facts").await;
    let listed = |s: &Screen| {
        let list =
            |e: &Stamped| matches!(&e.event, Event::Notice { text, .. } if text.contains("second: two"));
        s.events.iter().rfind(|e| list(e)).map(|e| e.event.clone())
    };
    s.until("a list", |s| listed(s).is_some()).await;
    assert!(
        matches!(listed(&s), Some(Event::Notice { text, .. }) if text.contains("stale: src/a.txt no longer says so"))
    );
    // So does a message, before its model is asked.
    fs::write(&file, "zero\none\ntwo\nthree\n").unwrap();
    s.say("explain what kind of file src/a.txt is").await;
    s.until("a reply", |s| s.count("message_completed") == 3).await;
    s.idle().await;
    assert!(told(&s).ends_with("(src/a.txt:3 `two`; checked)"), "{}", told(&s));
    // And what goes on after an answer of the user.
    s.say("explain which one of src/a.txt is meant").await;
    s.until("a question", |s| !s.state().open.is_empty()).await;
    fs::write(&file, "nothing\n").unwrap();
    s.say("this").await;
    s.until("the last reply", |s| s.count("message_completed") == 5).await;
    let looked = s.events.iter().rposition(|e| matches!(e.event, Event::FactLooked { place: None, .. }));
    let asked = s.events.iter().rposition(|e| matches!(e.event, Event::ThinkingStarted { .. }));
    assert!(looked.is_some() && looked < asked, "{looked:?} {asked:?}");
    let looks = s.count("fact_looked");
    s.say("/facts").await;
    s.say("/facts").await;
    s.until("lists", |s| s.events.iter().filter(|e| matches!(e.event, Event::Notice { .. })).count() >= 3)
        .await;
    assert_eq!(s.count("fact_looked"), looks, "a file that stays as it is tells nothing");
    s.quit().await;
}

#[test]
fn a_slow_file_of_a_fact_keeps_no_other_input_waiting_and_is_told_once_it_was_read() {
    let fact = json!({"name": "second", "value": "two", "file": "src/a.txt", "text": "two"});
    let rig = Rig::new(&json!([
        {"calls": [{"name": "record_fact", "args": fact}]},
        {"text": "Noted."},
        {"text": "It is a list."}
    ]));
    let one = |runtime: &mut tokio::runtime::Builder| runtime.max_blocking_threads(1).enable_all().build();
    let runtime = one(&mut tokio::runtime::Builder::new_current_thread()).unwrap();
    runtime.block_on(async {
        let mut s = rig.open(Which::New).await;
        s.say("explain what is second in src/a.txt").await;
        s.until("a reply", |s| s.count("message_completed") == 2).await;
        s.idle().await;
        // Whatever looks at a file waits from here on.
        let (release, held) = std::sync::mpsc::sync_channel::<()>(1);
        let (ready, is_held) = tokio::sync::oneshot::channel();
        let holds = tokio::task::spawn_blocking(move || {
            ready.send(()).unwrap();
            held.recv().unwrap();
        });
        is_held.await.unwrap();
        fs::write(rig.work().join("src/a.txt"), "one\n2\nthree\n").unwrap();
        s.say("explain what kind of file src/a.txt is").await;
        s.send(Input::SetPermission(PermissionMode::ReadOnly)).await;
        s.until("the ceiling", |s| s.state().permission == PermissionMode::ReadOnly).await;
        assert_eq!(
            s.count("turn_started"),
            2,
            "the key was heard before the message that waits for the file"
        );
        s.send(Input::SetPermission(PermissionMode::Ask)).await;
        s.until("the ceiling", |s| s.state().permission == PermissionMode::Ask).await;
        release.send(()).unwrap();
        holds.await.unwrap();
        s.until("a reply", |s| s.count("message_completed") == 3).await;
        s.has("fact_looked").await;
        s.quit().await;
    });
}
