//! Who answers and the theme, set on the screen: what holds, what is kept where, and what is not.

use std::os::unix::fs::PermissionsExt;

use pilothouse_core::port::{Hidden, ModelPick, SetupAsk, SetupReply};

use super::*;

const KEY: &str = "sk-quiet-harbour-at-dawn-9";

/// A rig whose model no variable names, so that its settings do.
fn setup(rig: &Rig) -> Setup {
    setup_with(rig, &[])
}

/// The same where these variables are set.
fn setup_with(rig: &Rig, variables: &[(&str, &str)]) -> Setup {
    let environment = variables.iter().copied().chain([("HOME", "/nowhere")]).collect();
    Setup { environment, ..rig.setup(Which::New) }
}

fn pick(place: &str, model: &str, key: Option<&str>) -> ModelPick {
    let key = key.map(|key| Hidden(key.to_owned()));
    ModelPick { place: place.to_owned(), model: model.to_owned(), key, ..ModelPick::default() }
}

async fn asks(s: &mut Screen, number: u64, ask: SetupAsk) -> SetupReply {
    s.requests.send(Request::Ask(number, Ask::Setup(ask))).await.unwrap();
    s.until("an answer", |s| s.answers.contains_key(&number)).await;
    match s.answers.remove(&number) {
        Some(Reply::Setup(reply)) => reply,
        other => panic!("{other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_model_that_is_picked_answers_at_once_and_its_key_is_kept_for_the_user_alone() {
    let rig = Rig::new(&json!([]));
    let mut s = Screen::open(setup(&rig), 1024).await;
    s.until("surroundings", |s| !s.around.model.is_empty()).await;
    assert!(s.around.offline);
    let SetupReply::Places(places) = asks(&mut s, 1, SetupAsk::Places).await else { panic!() };
    let openai = places.iter().find(|place| place.name == "openai").unwrap();
    assert!(openai.wants_key && openai.key_from.is_none() && openai.address.starts_with("https://"));
    let told = asks(&mut s, 2, SetupAsk::Connect(pick("openai", "m-1", Some(KEY)))).await;
    assert_eq!(told, SetupReply::Kept(Ok("m-1 answers from now on; saved in config.toml".to_owned())));
    s.until("the model", |s| s.around.model == "m-1").await;
    assert!(!s.around.offline);
    let (config, keys) = (rig.home().config.join("config.toml"), rig.home().config.join("credentials.toml"));
    let text = fs::read_to_string(&config).unwrap();
    assert!(text.contains("preset = \"openai\"") && text.contains("name = \"m-1\""), "{text}");
    assert!(!text.contains(KEY) && fs::read_to_string(&keys).unwrap().contains(KEY));
    assert_eq!(fs::metadata(&keys).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(s.around.secrets.mask(KEY), "[secret: in use]", "it stands nowhere from here on");
    let SetupReply::Places(places) = asks(&mut s, 3, SetupAsk::Places).await else { panic!() };
    assert!(places.iter().any(|place| place.name == "openai" && place.key_from.is_some()));
    let told = asks(&mut s, 4, SetupAsk::Theme("nord".to_owned())).await;
    assert_eq!(told, SetupReply::Kept(Ok("theme: nord, saved in config.toml".to_owned())));
    let told = asks(&mut s, 5, SetupAsk::Connect(pick("", "offline", None))).await;
    assert_eq!(
        told,
        SetupReply::Kept(Ok("offline engine answers from now on; saved in config.toml".to_owned()))
    );
    let text = fs::read_to_string(&config).unwrap();
    assert_eq!(text, "[model]\nname = \"offline\"\n\n[screen]\ntheme = \"nord\"\n");
    let events: Vec<String> = s.events.iter().map(|e| serde_json::to_string(e).unwrap()).collect();
    assert!(events.iter().chain(&s.refused).all(|text| !text.contains(KEY)));
    s.quit().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_would_not_hold_is_not_kept() {
    let rig = Rig::new(&json!([]));
    let config = rig.home().config.join("config.toml");
    fs::create_dir_all(&rig.home().config).unwrap();
    let mut s = Screen::open(setup(&rig), 1024).await;
    for (number, wrong) in [
        (1, pick("azure", "m", Some(KEY))),
        (2, pick("openai", "", Some(KEY))),
        (3, pick("openai", "m", Some("two words"))),
        (4, ModelPick { address: "nowhere".to_owned(), ..pick("", "m", None) }),
    ] {
        let told = asks(&mut s, number, SetupAsk::Connect(wrong)).await;
        assert!(
            matches!(&told, SetupReply::Kept(Err(why)) if why.starts_with("not saved")),
            "{number} {told:?}"
        );
        assert!(!config.exists() && s.around.offline, "{number}");
    }
    fs::write(&config, "[model\n").unwrap();
    let told = asks(&mut s, 9, SetupAsk::Connect(pick("ollama", "m", None))).await;
    assert!(matches!(&told, SetupReply::Kept(Err(_))), "{told:?}");
    assert_eq!(fs::read_to_string(&config).unwrap(), "[model\n");
    s.quit().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_the_first_start_of_a_user_who_set_nothing_is_one() {
    let rig = Rig::new(&json!([]));
    let first = |s: &Screen| s.around.first_start;
    let mut s = Screen::open(setup(&rig), 1024).await;
    s.until("surroundings", |s| !s.around.model.is_empty()).await;
    let was = first(&s);
    s.quit().await;
    let mut s = Screen::open(setup(&rig), 1024).await;
    s.until("surroundings", |s| !s.around.model.is_empty()).await;
    assert_eq!((was, first(&s)), (true, false));
    s.quit().await;
}

/// What is told where this is picked under these variables, and the names under which keys are stored then.
async fn told(variables: &[(&str, &str)], pick: ModelPick) -> (String, Vec<String>) {
    let rig = Rig::new(&json!([]));
    let mut s = Screen::open(setup_with(&rig, variables), 1024).await;
    s.until("surroundings", |s| !s.around.model.is_empty()).await;
    let reply = asks(&mut s, 1, SetupAsk::Connect(pick)).await;
    let SetupReply::Kept(Ok(told)) = reply else { panic!("{reply:?}") };
    s.quit().await;
    let keys = fs::read_to_string(rig.home().config.join("credentials.toml")).unwrap_or_default();
    let table: toml::Table = keys.parse().unwrap();
    let names = table.get("keys").and_then(toml::Value::as_table).map(|keys| keys.keys().cloned().collect());
    (told, names.unwrap_or_default())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_told_of_a_pick_is_what_holds() {
    let openai = || pick("openai", "m-1", Some(KEY));
    let (text, names) = told(&[("OPENAI_API_KEY", "sk-expired-long-ago")], openai()).await;
    assert_eq!(
        text,
        "m-1 answers from now on, using OPENAI_API_KEY (environment), which overrides the key you typed; both are saved"
    );
    assert_eq!(names, ["openai"]);
    // An address of one's own goes before, under the same name.
    let elsewhere = [("PILOTHOUSE_BASE_URL", "http://127.0.0.1:9/v1"), ("PILOTHOUSE_MODEL", "m-1")];
    let (text, _) = told(&elsewhere, openai()).await;
    assert!(text.contains("m-1 at 127.0.0.1") && text.contains("still answers"), "{text}");
    let (text, _) = told(&[("PILOTHOUSE_MODEL", "offline")], openai()).await;
    assert!(text.contains("offline engine still answers (environment variable PILOTHOUSE_MODEL"), "{text}");
    let (text, _) = told(&[], openai()).await;
    assert_eq!(text, "m-1 answers from now on; saved in config.toml");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_key_is_stored_for_the_place_that_it_was_typed_for() {
    for (place, address, name) in [
        ("azure", "https://x.openai.azure.com", "azure"),
        ("azure", "https://gateway.example.org/openai", "gateway.example.org"),
        ("azure", "https://x.openai.azure.us", "x.openai.azure.us"),
        ("", "https://models.example.org/v1", "models.example.org"),
    ] {
        let pick = ModelPick { address: address.to_owned(), ..pick(place, "m-1", Some(KEY)) };
        let (text, names) = told(&[], pick).await;
        assert_eq!(names, [name], "{address}");
        assert_eq!(text, "m-1 answers from now on; saved in config.toml", "{address}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_model_is_kept_with_its_key_or_not_at_all() {
    let rig = Rig::new(&json!([]));
    let config = rig.home().config.join("config.toml");
    fs::create_dir_all(rig.home().config.join("credentials.lock")).unwrap();
    let mut s = Screen::open(setup(&rig), 1024).await;
    let mut fails = async |number, is: Option<&str>| {
        let told = asks(&mut s, number, SetupAsk::Connect(pick("openai", "m-1", Some(KEY)))).await;
        assert!(matches!(&told, SetupReply::Kept(Err(why)) if why.starts_with("not saved")), "{told:?}");
        assert_eq!(fs::read_to_string(&config).ok().as_deref(), is);
    };
    fails(1, None).await;
    fs::write(&config, "[screen]\nmouse = false\n").unwrap();
    fails(2, Some("[screen]\nmouse = false\n")).await;
    s.quit().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_another_window_writes_meanwhile_is_not_lost() {
    let rig = Rig::new(&json!([]));
    let config = rig.home().config.join("config.toml");
    let mut s = Screen::open(setup(&rig), 1024).await;
    s.until("surroundings", |s| !s.around.model.is_empty()).await;
    fs::create_dir_all(&rig.home().config).unwrap();
    let other = pilothouse_tools::atomic::lock(&rig.home().config.join("config.lock")).unwrap();
    let theme = SetupAsk::Theme("nord".to_owned());
    s.requests.send(Request::Ask(1, Ask::Setup(theme))).await.unwrap();
    // The loop has taken it by the time that it answers this.
    asks(&mut s, 2, SetupAsk::Places).await;
    fs::write(&config, "[model]\nname = \"offline\"\n").unwrap();
    drop(other);
    s.until("an answer", |s| s.answers.contains_key(&1)).await;
    let text = fs::read_to_string(&config).unwrap();
    assert!(text.contains("offline") && text.contains("nord"), "{text}");
    s.quit().await;
}

#[tokio::test]
async fn what_is_wrong_in_a_file_refuses_no_message() {
    for (file, text, told) in [
        ("config.toml", "[model\n", "previous settings stay in force"),
        ("hooks.toml", "[hooks\n", "previous hooks stay in force"),
    ] {
        let rig = Rig::new(&json!([{"text": "an answer"}]));
        fs::create_dir_all(&rig.home().config).unwrap();
        let mut s = rig.open(Which::New).await;
        fs::write(rig.home().config.join(file), text).unwrap();
        s.say("what is this?").await;
        s.until("the answer", |s| s.count("message_completed") > 0).await;
        assert!(s.refused.iter().any(|what| what.contains(told)), "{:?}", s.refused);
        assert_eq!(s.refused.len(), s.notices, "the message went out: {:?}", s.refused);
        s.quit().await;
    }
}

/// A server that gives these answers, the last of them again and again; its address.
async fn serves(answers: Vec<String>) -> String {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}/v1", listener.local_addr().unwrap());
    tokio::spawn(async move {
        for n in 0.. {
            let Ok((mut stream, _)) = listener.accept().await else { return };
            let (mut request, mut piece) = (String::new(), [0; 4096]);
            while !is_whole(&request) {
                let read = stream.read(&mut piece).await.unwrap();
                request.push_str(&String::from_utf8_lossy(&piece[..read]));
            }
            let answer = answers.get(n).or(answers.last()).unwrap();
            stream.write_all(answer.as_bytes()).await.unwrap();
        }
    });
    address
}

/// Whether a request is all there: its head, and as many bytes as that says.
fn is_whole(request: &str) -> bool {
    let Some((head, body)) = request.split_once("\r\n\r\n") else { return false };
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    body.len() >= length.map_or(0, |length| length.parse().unwrap())
}

/// An answer of a server.
fn answer(status: &str, header: &str, body: &str) -> String {
    let length = body.len();
    format!("HTTP/1.1 {status}\r\n{header}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_model_that_its_server_does_not_name_is_told_and_taken_all_the_same() {
    let rig = Rig::new(&json!([]));
    let list =
        json!({ "data": [{ "id": "desk" }, { "id": "desk-mini", "max_model_len": 4096 }] }).to_string();
    let address = serves(vec![answer("200 OK", "content-type: application/json", &list)]).await;
    let variables = [("PILOTHOUSE_BASE_URL", address.as_str()), ("PILOTHOUSE_MODEL", "desk")];
    let mut s = Screen::open(setup_with(&rig, &variables), 1024).await;
    s.until("surroundings", |s| s.around.model == "desk").await;
    for name in ["desk-mini", "dask"] {
        s.say(&format!("/model {name}")).await;
        s.until("the model", |s| s.around.model == name).await;
        if name == "desk-mini" {
            s.until("its window", |s| s.around.window == Some(4096)).await;
        }
    }
    assert_eq!(s.around.window, None, "of this one nothing is said");
    s.until("a word", |s| !s.refused.is_empty()).await;
    let told = "the server has no dask; it has desk, desk-mini: pick one with `/model NAME`";
    assert_eq!(s.refused, [told]);
    s.quit().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_window_that_a_server_told_holds_through_other_settings_and_is_not_asked_for_again() {
    let rig = Rig::new(&json!([]));
    let list = |windows: [u64; 2]| {
        let [mini, small] = windows;
        let all = json!([{ "id": "desk-mini", "max_model_len": mini }, { "id": "desk-small", "max_model_len": small }]);
        answer("200 OK", "content-type: application/json", &json!({ "data": all }).to_string())
    };
    let address = serves(vec![list([4096, 1]), list([2, 8192]), list([3, 3])]).await;
    let variables = [("PILOTHOUSE_BASE_URL", address.as_str()), ("PILOTHOUSE_MODEL", "desk")];
    let mut s = Screen::open(setup_with(&rig, &variables), 1024).await;
    s.until("surroundings", |s| s.around.model == "desk").await;
    s.say("/model desk-mini").await;
    s.until("its window", |s| s.around.window == Some(4096)).await;
    fs::write(rig.setup(Which::New).home.config.join("config.toml"), "[session]\nbudget = \"5\"\n").unwrap();
    s.say("/status").await;
    s.until("the settings", |s| s.refused.iter().any(|told| told.contains("session.budget"))).await;
    assert_eq!(s.around.window, Some(4096), "what the server told stands in no file");
    // The second answer is that for the second model: nothing was asked between the two.
    s.say("/model desk-small").await;
    s.until("its window", |s| s.around.model == "desk-small" && s.around.window == Some(8192)).await;
    s.quit().await;
}

/// A server that is busy for these of its answers, and says something with the others.
async fn busy_at(busy: &[usize], count: usize) -> String {
    let reply = "data: {\"choices\":[{\"delta\":{\"content\":\"Here.\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
    let one = |n| {
        if busy.contains(&n) {
            answer("429 Too Many Requests", "retry-after: 50", "slow down")
        } else {
            answer("200 OK", "content-type: text/event-stream", reply)
        }
    };
    serves((0..count).map(one).collect()).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_wait_for_the_server_is_over_once_retry_is_said_also_with_other_settings() {
    let rig = Rig::new(&json!([]));
    let address = busy_at(&[0, 1], 3).await;
    let variables = [("PILOTHOUSE_BASE_URL", address.as_str()), ("PILOTHOUSE_MODEL", "desk")];
    let mut s = Screen::open(setup_with(&rig, &variables), 1024).await;
    s.until("surroundings", |s| s.around.model == "desk").await;
    let waits = |s: &Screen| s.deltas.iter().filter(|(kind, ..)| *kind == DeltaKind::Wait).count();
    s.say("how does the search work?").await;
    s.until("the wait", |s| waits(s) == 1).await;
    s.say("/retry").await;
    s.until("another", |s| waits(s) == 2).await;
    // The settings are read again with the next input, and their clients made anew: the wait is of an older one.
    fs::write(rig.setup(Which::New).home.config.join("config.toml"), "[session]\nbudget = \"5\"\n").unwrap();
    s.say("/retry").await;
    s.idle().await;
    assert_eq!(s.count("message_completed"), 1);
    assert_eq!(s.refused, ["config.toml changed: session.budget from now on"]);
    s.quit().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_wait_of_a_summary_is_told_and_over_once_retry_is_said() {
    let rig = Rig::new(&json!([]));
    let address = busy_at(&[3], 5).await;
    let variables = [("PILOTHOUSE_BASE_URL", address.as_str()), ("PILOTHOUSE_MODEL", "desk")];
    let mut s = Screen::open(setup_with(&rig, &variables), 1024).await;
    s.until("surroundings", |s| s.around.model == "desk").await;
    for n in 0..3 {
        s.say(&format!("what is number {n} here?")).await;
        s.until("an answer", |s| s.count("message_completed") == n + 1).await;
        s.idle().await;
    }
    s.say("/compact").await;
    s.until("the wait", |s| s.deltas.iter().any(|(kind, ..)| *kind == DeltaKind::Wait)).await;
    s.say("/retry").await;
    s.until("the summary", |s| s.count("compacted") == 1).await;
    assert_eq!(s.count("turn_started"), 3, "nothing is asked again beside it");
    s.quit().await;
}
